/* SPDX-License-Identifier: Apache-2.0 */
/* fathom cones --cone PATTERN: one cone, without enumeration. */
#include <string.h>

#include "commands.h"
#include "inner/context.h"
#include "inner/json.h"

#define OWNER cli_cone_options
static const fathom_option rows_of_options[] = {CLI_CONE_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_cone_option_table =
    FATHOM_OPTION_TABLE("One cone", rows_of_options, cli_cone_options);

/* active (n) from n signs. */
static fathom_status read_pattern(bool *active, const cli_invocation *invocation, const char *pattern,
                                  int64_t n)
{
    if ((int64_t)strlen(pattern) != n || strspn(pattern, "+-01") != strlen(pattern))
        return fathom_context_fail(
            invocation->context, FATHOM_ERROR_USAGE,
            "--cone takes one sign for every point: + or 1 where it is active, else - or 0");
    for (int64_t i = 0; i < n; i++)
        active[i] = pattern[i] == '+' || pattern[i] == '1';
    return FATHOM_OK;
}

static int64_t count_forced(const fathom_cone_view *view)
{
    int64_t count = 0;
    for (int64_t i = 0; i < view->n; i++)
        count += view->forced[i];
    return count;
}

static fathom_status set_forced(fathom_json *result, const cli_invocation *invocation,
                                const fathom_cone_view *view)
{
    int64_t count = 0;
    double *number = fathom_context_allocate(invocation->context, view->n, sizeof *number);
    if (!number)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < view->n; i++)
        if (view->forced[i])
            number[count++] = (double)i;
    const fathom_status status = fathom_json_set_vector(result, "forced", number, count);
    fathom_context_release(invocation->context, number);
    return status;
}

static fathom_status set_cone(cli_invocation *invocation, const fathom_cone_view *view, const char *pattern)
{
    fathom_json *cone;
    FATHOM_TRY(fathom_json_set_object(invocation->result, "cone", &cone));
    FATHOM_TRY(CLI_SET(cone, cli_text("pattern", pattern), cli_bool("empty", view->empty),
                       cli_known(!view->empty, cli_integer("dimension", view->dimension))));
    if (!view->empty)
        FATHOM_TRY(fathom_json_set_texts(cone, "witness", view->witness, view->d));
    if (!view->empty)
        FATHOM_TRY(fathom_json_set_vector(cone, "point", view->point, view->d));
    FATHOM_TRY(fathom_json_set_texts(cone, "weights", view->weight, view->n));
    return set_forced(cone, invocation, view);
}

static void say_cone(const cli_invocation *invocation, const fathom_cone_view *view)
{
    if (view->empty) {
        cli_say(invocation, "cone         empty");
        for (int64_t i = 0; i < view->n; i++)
            if (strcmp(view->weight[i], "0") != 0)
                cli_say(invocation, "  weight of point %lld: %s", (long long)i, view->weight[i]);
        cli_say(invocation, "with these weights the active points and the others have the same sum");
        return;
    }
    cli_say(invocation, "cone         of dimension %lld in R^%lld", (long long)view->dimension,
            (long long)view->d);
    for (int64_t k = 0; k < view->d; k++)
        cli_say(invocation, "  z_%lld = %s", (long long)k, view->witness[k]);
    if (count_forced(view) == 0)
        return;
    for (int64_t i = 0; i < view->n; i++)
        if (view->forced[i])
            cli_say(invocation, "  weight of point %lld: %s", (long long)i, view->weight[i]);
    cli_say(invocation, "these points sum up to 0 and so vanish on all of it");
}

fathom_status cli_ask_cone(cli_invocation *invocation, fathom_job *job, const fathom_data *data,
                           bool decimals, const char *pattern)
{
    const int64_t n = fathom_data_look(data).n;
    fathom_cone *cone = NULL;
    bool *active = fathom_context_allocate(invocation->context, n, sizeof *active);
    fathom_status status = active ? read_pattern(active, invocation, pattern, n) : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_cone_ask(&cone, invocation->context, data, active));
    if (status == FATHOM_OK) {
        const fathom_cone_view view = fathom_cone_look(cone);
        status = set_cone(invocation, &view, pattern);
        if (status == FATHOM_OK)
            say_cone(invocation, &view);
    }
    FATHOM_THEN(status, fathom_job_prove_cone(job, cone, active, decimals));
    fathom_cone_free(cone);
    fathom_context_release(invocation->context, active);
    return status;
}
