/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest useful penalty of a problem over all ReLU networks, one number whatever method then runs.
 *
 *     beta_max = p(v),  v = -l'(f) at the best constant f (0 where there is none),  p(v) = max over neurons of |v'(Xu + b)_+|, |u| = 1:
 *
 * for beta >= beta_max the constant is an optimum. p is searched by local ascent from 512 starts: the number is the best price
 * known, at most p(v). Where no price exceeds what rounding alone makes of v'(Xu + b)_+ (equal rows with balanced targets), it is 0.
 */
#include <float.h>
#include <math.h>

#include "memory.h"
#include "relu_columns.h"
#include "train_relu.h"

enum { STARTS_AT_ZERO = 512 };

void fathom_relu_first_dual(double *v, const fathom_gated_problem *loss, const double *f)
{
    fathom_gated_residual(v, loss, f, 0);
    /* at its kink any slope of the hinge serves: all of one class and as much of the other */
    for (int64_t i = 0; loss->loss == FATHOM_LOSS_HINGE && i < loss->n; i++)
        v[i] = fathom_gated_weight(loss, i) * loss->y[i];
    fathom_gated_balance(v, loss);
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

fathom_status fathom_relu_beta_max(double *beta_max, const fathom_train_problem *p)
{
    fathom_relu_network constant;
    fathom_pricing pricing;
    fathom_pricing_open(&pricing, p);
    double *v = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *v);
    fathom_status status = fathom_relu_network_open(&constant, p, 1);
    if (status == FATHOM_OK && !v)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        const fathom_gated_problem loss = fathom_relu_network_problem(&constant);
        fathom_relu_first_dual(v, &loss, constant.f);
        status = fathom_pricing_draw(&pricing, STARTS_AT_ZERO);
    }
    if (status == FATHOM_OK)
        status = fathom_pricing_run(&pricing, v);
    if (status == FATHOM_OK)
        *beta_max = pricing.best > fathom_relu_price_noise(p, v) ? pricing.best : 0;
    fathom_pricing_close(&pricing);
    fathom_relu_network_close(&constant);
    fathom_memory_free(p->context, v);
    return status;
}
