/* SPDX-License-Identifier: Apache-2.0 */
/* fathom margin DATA --model MODEL: margins of a network, plain, smoothed and normalised, and its dual variables. */
#include "commands.h"

#include <math.h>

/* margin / norm^degree: 003 divides by both layers' norm squared, 004 by the first layer's, 000 by the longest w_j. */
static double over(double margin, double norm, int degree) { return margin / pow(norm, degree); }

static fathom_status write_margins(fathom_json *result, const fathom_net_margin *m, const double *p,
                                   const double *q, int64_t n)
{
    return CLI_SET(result, cli_text("kind", "model"), cli_text("method", "forward"), cli_bool("exact", true),
                   cli_real("value", m->margin), cli_real("lower", m->margin), cli_real("upper", m->margin),
                   cli_real("margin", m->margin), cli_real("smoothed_margin", m->smoothed),
                   cli_real("norm", m->norm_both), cli_real("norm_first", m->norm_first),
                   cli_real("normalized_margin", over(m->margin, m->norm_both, m->degree)),
                   cli_real("smoothed_normalized_margin", over(m->smoothed, m->norm_both, m->degree)),
                   cli_real("normalized_margin_first", over(m->margin, m->norm_first, 1)),
                   cli_real("smoothed_normalized_margin_first", over(m->smoothed, m->norm_first, 1)),
                   cli_real("normalized_margin_longest", over(m->margin, m->longest, 1)),
                   cli_vector("margins", p, n), cli_vector("q", q, n));
}

/* A table of the examples with the smallest margins. */
static void say_examples(const cli_invocation *invocation, const double *p, const double *q, int64_t n)
{
    enum { SHOWN = 10 };
    double above = -INFINITY;
    int64_t last = -1;
    cli_say(invocation, "example  margin        q        (smallest margins first; all of them with --json)");
    for (int64_t shown = 0; shown < n && shown < SHOWN; shown++) {
        int64_t best = -1;
        for (int64_t i = 0; i < n; i++) /* the next one in the order (p_i, i) */
            if ((p[i] > above || (p[i] == above && i > last)) && (best < 0 || p[i] < p[best]))
                best = i;
        if (best < 0)
            break;
        cli_say(invocation, "%7lld  %-12s  %s", (long long)best, cli_near(p[best], 6).text,
                cli_near(q[best], 6).text);
        above = p[best];
        last = best;
    }
}

static void say_margins(const cli_invocation *invocation, const fathom_net_margin *m)
{
    cli_say(invocation, "margin                %s", cli_near(m->margin, 10).text);
    cli_say(invocation, "smoothed (logistic)   %s", cli_near(m->smoothed, 10).text);
    cli_say(invocation, "normalised by |(U,W)|^%d  %s, smoothed %s", m->degree,
            cli_near(over(m->margin, m->norm_both, m->degree), 10).text,
            cli_near(over(m->smoothed, m->norm_both, m->degree), 10).text);
    cli_say(invocation, "normalised by |U|     %s, smoothed %s",
            cli_near(over(m->margin, m->norm_first, 1), 10).text,
            cli_near(over(m->smoothed, m->norm_first, 1), 10).text);
    if (!isnan(m->longest))
        cli_say(invocation, "normalised by max|w|  %s (times the sum of rho: %s)",
                cli_near(over(m->margin, m->longest, 1), 10).text,
                m->constant ? "a constant is added, and no margin of gates bounds it"
                            : "at most the margin of these gates with their weights");
}

fathom_status cli_run_model_margin(cli_invocation *invocation, int *exit_code)
{
    fathom_context *context = invocation->context;
    const cli_margin_options *files = cli_options(invocation, &cli_margin_option_table);
    fathom_model *model = NULL;
    fathom_data *data = NULL;
    fathom_net_margin margins;
    double *p = NULL;
    (void)exit_code;
    fathom_status status = fathom_model_read(&model, context, files->model);
    FATHOM_THEN(status, fathom_model_open_data(&data, model, context, invocation->argument[0],
                                               cli_options(invocation, &fathom_data_option_table)));
    if (status == FATHOM_OK) {
        const fathom_data_view view = fathom_data_look(data);
        p = fathom_context_allocate(context, 2 * view.n, sizeof *p);
        status = p ? fathom_net_margins(&margins, p, p + view.n, context, fathom_model_look(model).net, data)
                   : FATHOM_ERROR_MEMORY;
        FATHOM_THEN(status, cli_set_shape(invocation, &view));
        FATHOM_THEN(status, write_margins(invocation->result, &margins, p, p + view.n, view.n));
        if (status == FATHOM_OK) {
            say_margins(invocation, &margins);
            say_examples(invocation, p, p + view.n, view.n);
        }
    }
    fathom_context_release(context, p);
    fathom_data_free(data);
    fathom_model_free(model);
    return status;
}
