/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence for methods that keep none: the residual of the network that they return, bounded once more.
 *
 * The residual v = -l'(f) of a network near the optimum is a dual point near the optimum, so its bound is
 * near the method's own; the search of global_bound.h finds it and leaves its evidence in the proof.
 * Interpolation has no such residual: closed forms leave the dual point of their own bounds, whose price
 * weights of the rows prove where rows are orthogonal (orthant_price.h), and perhaps elsewhere.
 */
#include <math.h>
#include <string.h>

#include "global_bound.h"
#include "memory.h"
#include "orthant_price.h"
#include "train_internal.h"

static const double EFFORT = 5; /* seconds of it */
static const double LITTLE =
    1e-11; /* relative: what a proof may lose of a bound, or a sixteenth of the gap asked for */

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

/* *done: the dual point that a method left proves the bound of the result by weights of the rows. */
static fathom_status prove_in_orthant(bool *done, fathom_train_result *result,
                                      const fathom_objective *problem, const double *v, double gap)
{
    fathom_proof *proof = result->proof;
    double price;
    *done = false;
    if (problem->constant || !problem->x || !fathom_orthant_fits(problem->n, problem->d, problem->outputs))
        return FATHOM_OK;
    double *w = fathom_memory_alloc(problem->context, problem->n, sizeof *w);
    if (!w)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = fathom_orthant_price(w, &price, problem->context, problem->x, problem->n,
                                                problem->d, v, problem->outputs);
    if (status == FATHOM_OK) {
        const double lower = fathom_objective_bound_priced(problem, v, price),
                     wanted = result->lower_bound * (problem->equality ? 1 : problem->divisor);
        *done = lower >= wanted * (1 - fmax(gap / 16, LITTLE));
        if (*done)
            status = fathom_proof_set_orthant(proof, w, price);
        proof->lower = *done ? lower : proof->lower;
    }
    fathom_memory_free(problem->context, w);
    return status;
}

fathom_status fathom_train_prove(fathom_train_result *result, const fathom_train_problem *p)
{
    const fathom_gates_view none = {.n = p->n, .d = p->d};
    fathom_objective problem = fathom_train_on_gates(p, &none);
    fathom_global_bound below = {0};
    double *v = NULL;
    const bool started = result->proof && result->proof->started;
    bool done = false;
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
    if (status == FATHOM_OK && started)
        status = prove_in_orthant(&done, result, &problem, v, p->options->gap);
    if (status == FATHOM_OK && !done)
        status = fathom_global_bound_open(&below, &problem, result->proof);
    if (status == FATHOM_OK && !done) {
        const double value = result->objective * p->divisor;
        const fathom_global_effort effort = {value, value * (1 - p->options->gap), EFFORT, INFINITY};
        status = fathom_global_bound_improve(&below, v, &effort);
    }
    if (status == FATHOM_OK && result->lower_bound > fmax(result->proof->lower, 0) / p->divisor) {
        result->lower_bound =
            fmax(result->proof->lower, 0) / p->divisor; /* what is printed is what is proved: */
        result->bound =
            FATHOM_TRAIN_BOUND_GLOBAL; /* over all networks, whatever the method's own bound was about */
        result->bound_method = done ? result->bound_method : below.method;
        fathom_train_judge(result, p->options->gap);
        if (result->status == FATHOM_TRAIN_LIMIT && result->end == FATHOM_END_REACHED)
            result->end = FATHOM_END_STALLED;
    }
    fathom_global_bound_close(&below);
    fathom_memory_free(p->context, v);
    return status;
}
