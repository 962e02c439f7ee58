/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What --trace adds to the lines of a log, as lists.
 *
 *   a, size, cosine   over neurons: a_j (its norm where there are several outputs), |a_j| |v_j|, the cosine
 *     between v_j(0) and v_j
 *   x1, x2, ...       over neurons: a coordinate of v_j; x: all of them, one list each
 *   p, q              over examples: margins, and duals q_i = |l'(p_i)| / Q, Q = |l'| at the smoothed margin
 *     (log-space losses)
 *   W                 all moving weights: { "hidden": m x h, "output": m o }
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dynamics_internal.h"
#include "inner/json.h"
#include "loss_internal.h"
#include "loss_row.h"
#include "memory.h"

static const char preset[] = "a,size,cosine,x1,x2,x3";

/* The coordinate that "xK" names, from 1; 0: none. */
static int64_t coordinate(const char *name, size_t length)
{
    int64_t k = 0;
    if (length < 2 || length > 10 || name[0] != 'x')
        return 0;
    for (size_t at = 1; at < length; at++) {
        if (name[at] < '0' || name[at] > '9')
            return 0;
        k = 10 * k + (name[at] - '0');
    }
    return k;
}

static bool is(const char *name, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(name, word, length) == 0;
}

fathom_status fathom_dynamics_trace_check(const dynamics_problem *problem)
{
    static const char *const word[] = {"a", "size", "cosine", "x", "p", "q", "W"};
    const char *list = problem->options->trace_of;
    for (const char *at = list; at && *at;) {
        const size_t length = strcspn(at, ",");
        const int64_t k = coordinate(at, length);
        bool known = k >= 1 && k <= problem->h;
        for (size_t w = 0; w < sizeof word / sizeof *word; w++)
            known = known || is(at, length, word[w]);
        if (!known)
            return fathom_error_set(problem->context, FATHOM_ERROR_USAGE,
                                    "--trace-of %s: expected a, size, cosine, x, x1 to x%lld, p, q or W, "
                                    "separated by commas",
                                    list, (long long)problem->h);
        at += length + (at[length] == ',');
    }
    return FATHOM_OK;
}

/* One number of neuron j. */
static double of_neuron(const dynamics_run *run, const char *name, size_t length, int64_t j)
{
    const int64_t h = run->problem->h, o = run->problem->o;
    const double *v = run->state.hidden + j * h, *v0 = run->state.hidden0 + j * h;
    const double *a = run->state.output + j * o;
    if (is(name, length, "a"))
        return o == 1 ? a[0] : fathom_blas_norm(a, o);
    if (is(name, length, "size"))
        return fathom_blas_norm(a, o) * fathom_blas_norm(v, h);
    if (!is(name, length, "cosine"))
        return v[coordinate(name, length) - 1];
    const double both = fathom_blas_norm(v, h) * fathom_blas_norm(v0, h);
    return both > 0 ? fmax(-1, fmin(1, fathom_blas_dot(v, v0, h) / both)) : 0;
}

static fathom_status set_neurons(fathom_json *trace, const dynamics_run *run, const char *name, size_t length)
{
    const int64_t m = run->problem->m;
    char key[32];
    double *value = fathom_memory_alloc(run->problem->context, m, sizeof *value);
    if (!value)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < m; j++)
        value[j] = of_neuron(run, name, length, j);
    snprintf(key, sizeof key, "%.*s", (int)length, name);
    const fathom_status status = fathom_json_set_vector(trace, key, value, m);
    fathom_memory_free(run->problem->context, value);
    return status;
}

static fathom_status set_all(fathom_json *trace, const dynamics_run *run)
{
    fathom_status status = FATHOM_OK;
    for (int64_t k = 1; k <= run->problem->h && status == FATHOM_OK; k++) {
        char name[32];
        const int length = snprintf(name, sizeof name, "x%lld", (long long)k);
        status = set_neurons(trace, run, name, (size_t)length);
    }
    return status;
}

/* y f, or f_y less the largest other output. */
static double margin_of(const double *f, const double *y, int64_t outputs)
{
    if (outputs == 1)
        return y[0] * f[0];
    const int64_t right = fathom_loss_class(y, outputs);
    double other = -INFINITY;
    for (int64_t k = 0; k < outputs; k++)
        other = k == right ? other : fmax(other, f[k]);
    return f[right] - other;
}

/* Margins or duals; the outputs are made again: the record before may have used their place. */
static fathom_status set_examples(fathom_json *trace, dynamics_run *run, bool duals)
{
    const dynamics_problem *problem = run->problem;
    const int64_t n = problem->n, o = problem->o;
    const bool log_space = fathom_dynamics_log_space(problem);
    if (fathom_loss_row_of(problem->plan.loss)->numbers || (duals && (o > 1 || !log_space)))
        return fathom_json_set_null(trace, duals ? "q" : "p");
    double *value = fathom_memory_alloc(problem->context, n, sizeof *value);
    fathom_status status = value ? fathom_dynamics_forward(&run->batch, problem, &run->state,
                                                           log_space ? FATHOM_SLOPE_DUAL : FATHOM_SLOPE_MEAN)
                                 : FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++)
        value[i] = duals ? fabs(run->batch.slope[i]) : margin_of(run->batch.f + i * o, problem->y + i * o, o);
    FATHOM_THEN(status, fathom_json_set_vector(trace, duals ? "q" : "p", value, n));
    fathom_memory_free(problem->context, value);
    return status;
}

static fathom_status set_weights(fathom_json *trace, const dynamics_run *run)
{
    const int64_t m = run->problem->m, h = run->problem->h;
    fathom_json *member;
    FATHOM_TRY(fathom_json_set_object(trace, "W", &member));
    FATHOM_TRY(fathom_json_set_matrix(member, "hidden", run->state.hidden, m, h, h));
    return fathom_json_set_vector(member, "output", run->state.output, m * run->problem->o);
}

fathom_status fathom_dynamics_trace(fathom_json *object, dynamics_run *run)
{
    const char *list = run->problem->options->trace_of ? run->problem->options->trace_of : preset;
    fathom_json *trace;
    fathom_status status = fathom_json_set_object(object, "trace", &trace);
    for (const char *at = list; *at && status == FATHOM_OK;) {
        const size_t length = strcspn(at, ",");
        if (is(at, length, "p") || is(at, length, "q"))
            status = set_examples(trace, run, *at == 'q');
        else if (is(at, length, "W"))
            status = set_weights(trace, run);
        else if (is(at, length, "x"))
            status = set_all(trace, run);
        else if (coordinate(at, length) <= run->problem->h)
            status = set_neurons(trace, run, at, length);
        at += length + (at[length] == ',');
    }
    return status;
}
