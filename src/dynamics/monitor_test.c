/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second data set of a run (--test): accuracy of the network on it, and the share of its examples where Theorem 5.1
 * makes the network linear, |<w - u, x>| >= 2 r |x| [004]. Opened as the training data was. Cost: one evaluation a record.
 */
#include <math.h>

#include "context_internal.h"
#include "data_internal.h"
#include "dynamics_internal.h"
#include "inner/data.h"
#include "loss_row.h"
#include "memory.h"
#include "option_lines.h"

fathom_status fathom_dynamics_test_open(dynamics_problem *problem, const fathom_data *data)
{
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_classes classes = fathom_data_classes(data);
    fathom_data_options options;
    fathom_status status = FATHOM_OK;
    fathom_options_init(&options, &fathom_data_option_table);
    char *lines = data->options ? fathom_memory_text(problem->context, data->options) : NULL;
    if (data->options && !lines)
        return FATHOM_ERROR_MEMORY;
    if (lines)
        status = fathom_option_lines_read(problem->context, &options, &fathom_data_option_table, lines);
    FATHOM_THEN(status,
                fathom_data_open_test(&problem->test, problem->context, problem->options->test,
                                      problem->options->test_rows, &options, &preprocess,
                                      fathom_loss_row_of(problem->plan.loss)->numbers ? NULL : &classes));
    fathom_memory_free(problem->context, lines);
    if (status != FATHOM_OK)
        return status;
    const fathom_data_view view = fathom_data_look(problem->test);
    if (view.n > 0 && view.outputs > 0)
        return FATHOM_OK;
    return fathom_error_set(problem->context, FATHOM_ERROR_INPUT, "%.200s has no examples with targets",
                            problem->options->test);
}

/* Whether outputs f (o of them) are those of the class that the coded targets y name. */
static bool is_right(const double *f, const double *y, int64_t o)
{
    int64_t best = 0, truth = 0;
    if (o == 1)
        return y[0] * f[0] > 0;
    for (int64_t k = 1; k < o; k++) {
        best = f[k] > f[best] ? k : best;
        truth = y[k] > y[truth] ? k : truth;
    }
    return best == truth;
}

fathom_status fathom_dynamics_test(fathom_flow_record *record, const dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    fathom_net *net;
    const double *y;
    int64_t o, right = 0;
    record->test_accuracy = NAN;
    if (!problem->test || fathom_loss_row_of(problem->plan.loss)->numbers)
        return FATHOM_OK;
    const int64_t n = fathom_data_look(problem->test).n;
    fathom_status status = fathom_data_code_classes(&y, &o, problem->test);
    if (status == FATHOM_OK && o != problem->o)
        status = fathom_error_set(problem->context, FATHOM_ERROR_INPUT,
                                  "the test data have %lld outputs, not %lld", (long long)o,
                                  (long long)problem->o);
    FATHOM_THEN(status, fathom_dynamics_net(&net, problem, &run->state));
    if (status != FATHOM_OK)
        return status;
    double *f = fathom_memory_alloc(problem->context, n * o, sizeof *f);
    status = f ? fathom_net_forward(f, net, problem->test) : FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++)
        right += is_right(f + i * o, y + i * o, o);
    record->test_accuracy = (double)right / (double)n;
    fathom_memory_free(problem->context, f);
    fathom_net_free(net);
    return status;
}

double fathom_dynamics_test_linear(const dynamics_problem *problem, const double *difference, double r)
{
    if (!problem->test)
        return NAN;
    const fathom_data_view view = fathom_data_look(problem->test);
    int64_t linear = 0;
    for (int64_t i = 0; i < view.n; i++) {
        double z = problem->bias ? difference[problem->d - 1] : 0, squares = problem->bias ? 1 : 0;
        const int64_t from = view.x ? 0 : view.row_start[i], to = view.x ? view.d : view.row_start[i + 1];
        for (int64_t k = from; k < to; k++) {
            const double x = view.x ? view.x[i * view.ld + k] : view.value[k];
            z += x * difference[view.x ? k : view.column[k]];
            squares += x * x;
        }
        linear += fabs(z) >= 2 * r * sqrt(squares);
    }
    return (double)linear / (double)view.n;
}
