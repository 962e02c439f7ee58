/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest useful penalty of a problem over all ReLU networks, one number whatever method then runs.
 *
 *     beta_max = p(v),  v = -l'(f) at the best constant f (0 where there is none),  p(v) = max over neurons
 *       of |v'(Xu + b)_+|, |u| = 1:
 *
 * for beta >= beta_max the constant is an optimum. p is searched by local ascent from 512 starts: the number
 * is the best price known, at most p(v). Where no price exceeds what rounding alone makes of v'(Xu + b)_+
 * (equal rows with balanced targets), it is 0. Where a limit cuts the search, the neurons +-X'v count as
 * well, one of which has a price of at least |X'v| / 2, and the log says so.
 */
#include <float.h>
#include <math.h>

#include "ascent.h"
#include "blas.h"
#include "context_internal.h"
#include "loss_row.h"
#include "memory.h"
#include "relu_columns.h"
#include "train_relu.h"

enum { STARTS_AT_ZERO = 512 };

void fathom_relu_first_dual(double *v, const fathom_objective *loss, const double *f)
{
    fathom_objective_first_dual(v, loss, f);
}

double fathom_relu_price_noise(const fathom_train_problem *p, const double *v)
{
    double mass = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double size = 0;
        for (int64_t k = 0; k < p->outputs; k++)
            size = hypot(size, v[k * p->n + i]);
        mass += size * p->reach[i];
    }
    return (double)(p->n + p->d + 16) * DBL_EPSILON * mass;
}

/* The best price of u = +-X'v_k / |X'v_k| for the outputs k, biases 0 or, where they are free, such that all
 * points are active. */
static fathom_status simple_price(double *best, const fathom_train_problem *p, const double *v)
{
    const fathom_ascent ascent = {
        .n = p->n, .d = p->d, .x = p->x, .v = v, .outputs = p->outputs, .bias = p->constant};
    double *u = fathom_memory_alloc(p->context, p->d + 1, sizeof *u), reach = 0;
    if (!u)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n; i++)
        reach = fmax(reach, p->reach[i]);
    for (int64_t k = 0; k < 4 * p->outputs; k++) {
        fathom_blas_gemv(u, p->d, p->n, 1, fathom_transposed(p->x, p->d), v + k / 4 * p->n, 0);
        const double norm = fathom_blas_norm(u, p->d);
        if (!(norm > 0))
            continue;
        fathom_blas_scale(u, (k % 2 ? -1 : 1) / norm, p->d);
        u[p->d] = p->constant ? reach : 0;
        *best = fmax(*best, fathom_ascent_value(&ascent, u, k % 4 > 1 ? -1 : 1));
    }
    fathom_memory_free(p->context, u);
    return FATHOM_OK;
}

/* A limit has cut that search, and the penalty is relative to it: said, or ERROR_STOPPED where nothing is
 * known. */
static fathom_status say_cut(const fathom_train_problem *p, double beta_max)
{
    if (!(beta_max > 0))
        return fathom_error_set(
            p->context, FATHOM_ERROR_STOPPED,
            "stopped before beta_max was found: --beta-rel says nothing yet (give --beta)");
    fathom_log(p->context, FATHOM_LOG_WARNING,
               "the search for beta_max was cut: --beta-rel is relative to the best price so far");
    return FATHOM_OK;
}

/* What is known where a limit has cut the search. ERROR_STOPPED where nothing is, and the penalty depends on
 * it. */
static fathom_status cut_short(double *beta_max, const fathom_train_problem *p, const double *v)
{
    const fathom_status status = simple_price(beta_max, p, v);
    const bool known = *beta_max > fathom_relu_price_noise(p, v), relative = isnan(p->options->beta);
    if (status != FATHOM_OK || p->equality)
        return status;
    *beta_max = known ? *beta_max : NAN;
    return relative ? say_cut(p, *beta_max) : FATHOM_OK;
}

/* The best price found from the starts, and what rounding leaves of it. */
static fathom_status search(double *beta_max, const fathom_train_problem *p, const double *v)
{
    fathom_pricing pricing;
    *beta_max = 0;
    if (!(fathom_relu_price_noise(p, v) > 0)) /* v = 0 where x is not */
        return FATHOM_OK;
    fathom_pricing_open(&pricing, p);
    fathom_status status = fathom_pricing_draw(&pricing, STARTS_AT_ZERO);
    FATHOM_THEN(status, fathom_pricing_run(&pricing, v));
    *beta_max = pricing.best;
    fathom_pricing_close(&pricing);
    if (status == FATHOM_OK && fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE)
        return cut_short(beta_max, p, v);
    if (!(*beta_max > fathom_relu_price_noise(p, v)))
        *beta_max = 0;
    return status;
}

fathom_status fathom_relu_beta_max(double *beta_max, const fathom_train_problem *p)
{
    fathom_relu_network constant;
    double *v = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *v);
    fathom_status status = fathom_relu_network_open(&constant, p, 1);
    if (status == FATHOM_OK && !v)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        const fathom_objective loss = fathom_relu_network_problem(&constant);
        fathom_relu_first_dual(v, &loss, constant.f);
        status = search(beta_max, p, v);
    }
    fathom_relu_network_close(&constant);
    fathom_memory_free(p->context, v);
    return status;
}
