/* SPDX-License-Identifier: Apache-2.0 */
/* What training on the line adds to its answer: all minimisers, and where a classifier changes sign. */
#include "commands.h"
#include "inner/extreme.h"
#include "inner/json.h"

/* Rational arithmetic beside a run of seconds: at most so many rows. */
enum { EXACT_ROWS = 200 };

static fathom_status set_classifier(cli_invocation *invocation, const fathom_train_result *r,
                                    fathom_data *data)
{
    fathom_json *member;
    fathom_line_classifier facts;
    fathom_status status = fathom_json_set_object(invocation->result, "classifier", &member);
    FATHOM_THEN(status,
                fathom_line_classifier_set(&facts, member, invocation->context, r->net, data, r->kind));
    if (status != FATHOM_OK || !facts.applies)
        return status;
    cli_say(invocation, "classifier   %lld sign changes%s%s, %lld kinks", (long long)facts.crossings,
            facts.crossings > 0 ? ", the first at " : "",
            facts.crossings > 0 ? cli_near(facts.first, 10).text : "", (long long)facts.kinks);
    if (r->kind == FATHOM_LOSS_HINGE)
        cli_say(invocation, "             %lld support points: y f is 1 or less, to 1e-6",
                (long long)facts.support);
    return FATHOM_OK;
}

fathom_status cli_set_line(cli_invocation *invocation, const fathom_train_result *r, fathom_data *data,
                           const fathom_train_options *options)
{
    const fathom_data_view view = fathom_data_look(data);
    if (options->loss == FATHOM_TRAIN_EQUALITY)
        return cli_set_minimisers(invocation, data);
    const bool classes = options->loss == FATHOM_TRAIN_LOGISTIC || options->loss == FATHOM_TRAIN_HINGE;
    if (classes && r->net && view.d == 1) {
        FATHOM_TRY(set_classifier(invocation, r, data));
    }
    if (options->loss != FATHOM_TRAIN_SQUARED && options->loss != FATHOM_TRAIN_HINGE)
        return FATHOM_OK;
    return view.d == 1 && view.n <= EXACT_ROWS ? cli_set_minimisers_at(invocation, data, options, r->beta)
                                               : FATHOM_OK;
}
