/* SPDX-License-Identifier: Apache-2.0 */
/* fathom check DATA --theorem PAPER:ID: hypotheses measured, bounds beside a run, the verdict. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "inner/check.h"
#include "inner/context.h"
#include "inner/json.h"

static void say_items(const cli_invocation *invocation, const char *title, const fathom_check_item *item,
                      int64_t count)
{
    static const char *const mark[] = {"?", "no", "yes"};
    for (int64_t k = 0; k < count; k++) {
        char text[200];
        fathom_check_item_format(text, sizeof text, item + k);
        cli_say(invocation, "%-12s %-4s %s: %s%s%s%s%s", k == 0 ? title : "",
                item[k].vacuous ? "-" : mark[item[k].holds + 1], item[k].name, text, item[k].note ? " (" : "",
                item[k].vacuous ? "vacuous: " : "", item[k].note ? item[k].note : "",
                item[k].note ? ")" : "");
    }
}

/* What the check chose by itself, line by line. */
static void say_choices(const cli_invocation *invocation, const char *text)
{
    for (const char *title = "chosen"; *text; title = "") {
        const int length = (int)strcspn(text, "\n");
        cli_say(invocation, "%-12s %.*s", title, length, text);
        text += length + (text[length] == '\n');
    }
}

/* The least m, t, n: a number, or both ends of an interval. */
static void say_needs(const cli_invocation *invocation, const fathom_check_result *r)
{
    for (int64_t k = 0; k < r->needs; k++) {
        const fathom_check_need *need = r->need + k;
        const bool one = need->lower == need->upper;
        char range[80];
        if (one)
            snprintf(range, sizeof range, "%s", cli_below(need->lower, 6).text);
        else if (isinf(need->upper))
            snprintf(range, sizeof range, "[%s, not bounded]", cli_below(need->lower, 6).text);
        else
            snprintf(range, sizeof range, "[%s, %s]", cli_below(need->lower, 6).text,
                     cli_above(need->upper, 6).text);
        cli_say(invocation, "%-12s %-8s %s >= %s (%s)", k == 0 ? "least" : "", need->theorem, need->what,
                range, need->note);
    }
}

static void say_check(const cli_invocation *invocation, const fathom_check_result *r)
{
    cli_say(invocation, "theorem      %s %s", r->theorem, r->statement);
    if (r->correction)
        cli_say(invocation, "corrected    %s", r->correction);
    say_choices(invocation, r->choices);
    say_items(invocation, "hypotheses", r->hypothesis, r->hypotheses);
    say_items(invocation, "comparisons", r->comparison, r->comparisons);
    say_needs(invocation, r);
    cli_say(invocation, "verdict      %s%s%s", fathom_check_verdict(r), r->because[0] ? " because " : "",
            r->because);
    cli_say(invocation, "conclusion   %s", r->conclusion);
}

/* All theorems, as a list and as text. */
static fathom_status list_theorems(cli_invocation *invocation)
{
    fathom_json *list, *member;
    const char *statement, *id;
    fathom_status status = fathom_json_set_list(invocation->result, "items", &list);
    for (int64_t k = 0; (id = fathom_check_get(k, &statement)) && status == FATHOM_OK; k++) {
        status = fathom_json_append_object(list, &member);
        FATHOM_THEN(status, CLI_SET(member, cli_text("id", id), cli_text("statement", statement)));
        cli_say(invocation, "%-15s %s", id, statement);
    }
    return status;
}

static fathom_status run_check(cli_invocation *invocation, fathom_data *data, int *exit_code)
{
    fathom_check_result result;
    const fathom_data_view view = fathom_data_look(data);
    FATHOM_TRY(cli_set_shape(invocation, &view));
    FATHOM_TRY(fathom_check_run(&result, invocation->context, data,
                                cli_options(invocation, &fathom_check_option_table)));
    FATHOM_TRY(fathom_check_set(invocation->result, &result));
    say_check(invocation, &result);
    if (fathom_context_interrupted(invocation->context))
        *exit_code = EXIT_INTERRUPTED;
    else if (!result.complete)
        *exit_code = EXIT_LIMIT;
    return FATHOM_OK;
}

/* What is given and not read is refused, also where it is given at its default. */
static fathom_status refuse_unused(cli_invocation *invocation, const fathom_check_options *options)
{
    char text[200];
    for (int64_t k = 0; k < fathom_check_option_table.count; k++) {
        const char *name = fathom_check_option_table.rows[k].name;
        if (!cli_is_given(invocation, name) || fathom_check_uses(options, name))
            continue;
        snprintf(text, sizeof text, "--%s: %s%.50s does not use it", name,
                 options->solve ? "--solve of " : "", options->theorem ? options->theorem : "--widths");
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, text);
    }
    return FATHOM_OK;
}

fathom_status cli_run_check(cli_invocation *invocation, int *exit_code)
{
    const fathom_check_options *options = cli_options(invocation, &fathom_check_option_table);
    fathom_data *data = NULL;
    if (options->list)
        return list_theorems(invocation);
    if (invocation->argument_count < 1)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, "check needs DATA (or --list)");
    FATHOM_TRY(refuse_unused(invocation, options));
    fathom_status status = fathom_data_open(&data, invocation->context, invocation->argument[0],
                                            cli_options(invocation, &fathom_data_option_table));
    FATHOM_THEN(status, run_check(invocation, data, exit_code));
    fathom_data_free(data);
    return status;
}
