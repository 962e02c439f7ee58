/* SPDX-License-Identifier: Apache-2.0 */
/* fathom cones DATA --measure: Gaussian measures of the cones, and what they say of themselves. */
#include <math.h>

#include "commands.h"
#include "picture.h"

#define OWNER cli_measure_options
static const fathom_option rows_of_options[] = {CLI_MEASURE_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_measure_option_table =
    FATHOM_OPTION_TABLE("Measures of cones", rows_of_options, cli_measure_options);

/* Smallest and largest measure, and the sum of the distances to the upper ends. */
typedef struct range {
    double least, most, error;
} range;

static range range_of(const fathom_measure_view *view)
{
    range r = {INFINITY, -INFINITY, 0};
    for (int64_t j = 0; j < view->m; j++) {
        r.least = fmin(r.least, view->value[j]);
        r.most = fmax(r.most, view->value[j]);
        r.error += view->upper[j] - view->value[j];
    }
    return r;
}

static fathom_status set_measure(fathom_json *json, const fathom_measure_view *view)
{
    const range r = range_of(view);
    return CLI_SET(json, cli_text("measure_method", view->method), cli_bool("measure_exact", view->exact),
                   cli_real("measure_sum", view->sum), cli_real("measure_sum_error", r.error),
                   cli_real("measure_least", r.least), cli_real("measure_most", r.most),
                   cli_real("measure_confidence", view->confidence),
                   cli_real("antipodal_difference", view->antipodal_difference),
                   cli_real("kernel_difference", view->kernel_difference));
}

static void say_measure(const cli_invocation *invocation, const fathom_measure_view *view)
{
    const range r = range_of(view);
    cli_say(invocation, "measures     by %s, from %s to %s; %s", view->method, cli_near(r.least, 6).text,
            cli_near(r.most, 6).text, view->exact ? "errors are bounds" : "each with a confidence interval");
    cli_say(invocation, "sum          1 %+.3g (errors add up to %s)", view->sum - 1,
            cli_above(r.error, 3).text);
    cli_say(invocation, "antipodes    differ by at most %s over %lld pairs",
            cli_above(view->antipodal_difference, 3).text, (long long)view->antipodal_pairs);
    cli_say(invocation,
            "kernel       rebuilt from cones differs by at most %s over %lld pairs of hyperplanes",
            cli_above(view->kernel_difference, 3).text, (long long)view->kernel_pairs);
}

fathom_status cli_measure_cones(cli_invocation *invocation, const fathom_data *data)
{
    const cli_measure_options *options = cli_options(invocation, &cli_measure_option_table);
    fathom_gates *gates = NULL;
    fathom_measure *measure = NULL;
    if (!options->measure && !options->measures)
        return FATHOM_OK;
    const fathom_cones_options *cones = cli_options(invocation, &fathom_cones_option_table);
    fathom_status status = (cones->faces ? fathom_gates_enumerate_faces
                                         : fathom_gates_enumerate)(&gates, invocation->context, data);
    FATHOM_THEN(status, fathom_gates_measure(&measure, gates, invocation->context, data,
                                             cli_options(invocation, &fathom_measure_option_table)));
    if (status == FATHOM_OK && options->measures)
        status = fathom_measure_write(measure, gates, options->measures);
    if (status == FATHOM_OK) {
        const fathom_measure_view view = fathom_measure_look(measure);
        say_measure(invocation, &view);
        status = set_measure(invocation->result, &view);
        FATHOM_THEN(status, cli_picture_cells(invocation->result, gates, &view, fathom_data_look(data).d));
    }
    fathom_measure_free(measure);
    fathom_gates_free(gates);
    return status;
}
