/* SPDX-License-Identifier: Apache-2.0 */
/* A run on given arrays from given weights, opened and closed by hand: what the oracles of the papers need. */
#ifndef FATHOM_DYNAMICS_TESTING_H
#define FATHOM_DYNAMICS_TESTING_H

#include "testing.h"

#include <string.h>

#include "dynamics_internal.h"

typedef struct dynamics_case {
    fathom_context *context;
    fathom_data *data;
    fathom_flow_options options;
    dynamics_problem problem;
    fathom_flow_result result;
    dynamics_run run;
} dynamics_case;

/* The options are those of c->options, set by the caller; hidden rows include the bias. */
static inline void case_open(dynamics_case *c, int64_t n, int64_t d, const double *x, const double *y,
                             const double *hidden, const double *output)
{
    assert_ok(c->context, fathom_data_create(&c->data, c->context, n, d, x, d, 1, y, NULL, NULL));
    assert_ok(c->context, fathom_dynamics_problem_create(&c->problem, c->context, c->data, &c->options));
    c->result = (fathom_flow_result){.end = {.steps = -1}};
    c->run = (dynamics_run){.problem = &c->problem, .result = &c->result, .log = -1};
    assert_ok(c->context, fathom_dynamics_state_create(&c->run.state, &c->problem));
    assert_ok(c->context, fathom_dynamics_state_create(&c->run.good, &c->problem));
    assert_ok(c->context, fathom_dynamics_batch_create(&c->run.batch, &c->problem));
    assert_ok(c->context, fathom_dynamics_init(&c->problem, &c->run.state));
    const size_t weights = (size_t)(c->problem.m * c->problem.h) * sizeof(double);
    const size_t outputs = (size_t)c->problem.m * sizeof(double);
    dynamics_state *state = &c->run.state;
    memcpy(state->hidden, hidden, weights), memcpy(state->hidden0, hidden, weights);
    memcpy(state->output, output, outputs), memcpy(state->output0, output, outputs);
}

static inline void case_close(dynamics_case *c)
{
    fathom_dynamics_batch_free(&c->run.batch, c->context);
    fathom_dynamics_state_free(&c->run.good, c->context);
    fathom_dynamics_state_free(&c->run.state, c->context);
    fathom_dynamics_problem_clear(&c->problem);
    fathom_data_free(c->data);
}

static inline void case_begin(dynamics_case *c, fathom_context *context)
{
    *c = (dynamics_case){.context = context};
    fathom_options_init(&c->options, &fathom_flow_option_table);
}

static inline int dynamics_setup(void **state)
{
    return fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK;
}

static inline int dynamics_teardown(void **state)
{
    fathom_context_free(*state);
    return 0;
}

/* A run on a specified data set. */
static inline fathom_status run_on(fathom_flow_result *result, fathom_context *context, const char *spec,
                                   const fathom_flow_options *options)
{
    fathom_data *data;
    assert_ok(context, fathom_data_open(&data, context, spec, NULL));
    const fathom_status status = fathom_flow_run(result, context, data, options);
    fathom_data_free(data);
    return status;
}

#endif
