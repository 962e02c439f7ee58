/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence for methods that keep none: the residual of the network that they return, bounded once more.
 *
 * The residual v = -l'(f) of a network near the optimum is a dual point near the optimum, so its bound is
 * near the method's own; the search of global_bound.h finds it and leaves its evidence in the proof.
 * Interpolation has no such residual: its closed form leaves the dual point of its own bound.
 */
#include <math.h>
#include <string.h>

#include "global_bound.h"
#include "memory.h"
#include "train_internal.h"

static const double EFFORT = 5; /* seconds of it */

/* v (outputs x n) = -l'(f) of the result's network. */
static fathom_status residual_of(double *v, const fathom_objective *problem,
                                 const fathom_train_result *result, const fathom_train_problem *p)
{
    const int64_t n = p->n, o = p->outputs;
    double *f = fathom_memory_alloc(p->context, 2 * n * o, sizeof *f);
    if (!f)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status = fathom_net_forward(f, result->net, p->data);
    if (status == FATHOM_OK) {
        for (int64_t k = 0; k < n * o; k++) /* output by output */
            f[n * o + k % o * n + k / o] = f[k];
        fathom_objective_residual(v, problem, f + n * o, 0);
    }
    fathom_memory_free(p->context, f);
    return status;
}

fathom_status fathom_train_prove(fathom_train_result *result, const fathom_train_problem *p)
{
    const fathom_gates_view none = {.n = p->n, .d = p->d};
    fathom_objective problem = fathom_train_on_gates(p, &none);
    fathom_global_bound below = {0};
    double *v = NULL;
    const bool started = result->proof && result->proof->started;
    fathom_status status =
        started ? FATHOM_OK : fathom_proof_create(&result->proof, p->context, p->n, p->d, p->outputs);
    if (status != FATHOM_OK || (p->equality && !started) || !result->net)
        return status;
    problem.beta = p->equality ? 1 : result->beta * p->divisor;
    problem.equality = p->equality;
    problem.weight = p->equality ? NULL : problem.weight;
    result->proof->started = false;
    v = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *v);
    status = v ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && started)
        memcpy(v, result->proof->v, (size_t)(p->n * p->outputs) * sizeof *v);
    else if (status == FATHOM_OK)
        status = residual_of(v, &problem, result, p);
    FATHOM_THEN(status, fathom_global_bound_open(&below, &problem, result->proof));
    if (status == FATHOM_OK) {
        const double value = result->objective * p->divisor;
        const fathom_global_effort effort = {value, value * (1 - p->options->gap), EFFORT, INFINITY};
        status = fathom_global_bound_improve(&below, v, &effort);
    }
    if (status == FATHOM_OK && result->lower_bound > fmax(result->proof->lower, 0) / p->divisor) {
        result->lower_bound =
            fmax(result->proof->lower, 0) / p->divisor; /* what is printed is what is proved: */
        result->bound =
            FATHOM_TRAIN_BOUND_GLOBAL; /* over all networks, whatever the method's own bound was about */
        result->bound_method = below.method;
        fathom_train_judge(result, p->options->gap);
        if (result->status == FATHOM_TRAIN_LIMIT && result->end == FATHOM_END_REACHED)
            result->end = FATHOM_END_STALLED;
    }
    fathom_global_bound_close(&below);
    fathom_memory_free(p->context, v);
    return status;
}
