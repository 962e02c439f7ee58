/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Losses of r = y - f whose slopes stay between low < 0 and high > 0, for one target [docs/reference/certificate.md, Sec. 3]:
 *
 *     l(r) = max over low <= v <= high of r v - q v^2 / 2,      - c l*(-w / c) = y w - q w^2 / (2 c),  c low <= w <= c high
 *
 *     huber D      q = 1, low = -D,     high = D
 *     absolute     q = 0, low = -1,     high = 1
 *     quantile T   q = 0, low = T - 1,  high = T
 */
#include <math.h>

#include "checker.h"

void check_box(check *c, train *t)
{
    num end = num_real(1);
    need(c, c->data.outputs == 1, "this loss takes one target");
    if (t->loss != LOSS_ABSOLUTE)
        end = *check_numbers(c, NULL, 1);
    t->high = end;
    t->low = t->loss == LOSS_QUANTILE ? num_sub(end, num_real(1)) : num_times(end, -1);
    c->claim->parameter = t->loss == LOSS_ABSOLUTE ? 0 : num_nearest(end);
    need(c, num_sign(t->high) > 0 && num_sign(t->low) < 0, "the parameter of the loss is out of range");
    check_said(c, end);
    need(c, t->loss != LOSS_QUANTILE || num_nearest(end) < 1,
         "the parameter of the loss cannot be told from 1");
}

num check_box_loss(const train *t, num r)
{
    if (t->loss != LOSS_HUBER)
        return num_mul(r, num_sign(r) > 0 ? t->high : t->low);
    const num v = num_at_most(t->high, r) ? t->high : num_at_most(r, t->low) ? t->low : r;
    return num_mul(v, num_sub(r, num_mul(v, num_real(0.5))));
}

num check_box_dual(check *c, const train *t, num w, int64_t i)
{
    const num weight = c->data.weight[i], product = num_mul(c->data.y[i], w);
    need(c, num_at_most(num_mul(weight, t->low), w) && num_at_most(w, num_mul(weight, t->high)),
         "the dual point is outside the domain of the conjugate at point %lld (from 0)", (long long)i);
    return t->loss == LOSS_HUBER ? num_sub(product, num_div(num_mul(w, w), num_times(weight, 2))) : product;
}

/* The slope of sum_i c_i l(y_i - at), in doubles. */
static double slope_at(const check *c, const train *t, double at)
{
    const double low = num_nearest(t->low), high = num_nearest(t->high);
    double sum = 0;
    for (int64_t i = 0; i < c->data.n; i++) {
        const double r = num_nearest(c->data.y[i]) - at;
        const double v = t->loss == LOSS_HUBER ? fmin(fmax(r, low), high) : r > 0 ? high : low;
        sum += num_nearest(c->data.weight[i]) * v;
    }
    return sum;
}

/* A constant at which the sum is least, to rounding: its slope falls. */
static double best_constant(const check *c, const train *t)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < c->data.n; i++) {
        low = fmin(low, num_nearest(c->data.y[i]));
        high = fmax(high, num_nearest(c->data.y[i]));
    }
    for (int step = 0; step < 100; step++) {
        const double middle = low / 2 + high / 2;
        *(slope_at(c, t, middle) > 0 ? &low : &high) = middle;
    }
    return high;
}

num check_box_none(const check *c, const train *t)
{
    const num constant = num_real(c->data.bias == BIAS_FREE ? best_constant(c, t) : 0);
    num sum = {0};
    for (int64_t i = 0; i < c->data.n; i++)
        num_mul_to(&sum, c->data.weight[i], check_box_loss(t, num_sub(c->data.y[i], constant)));
    return sum;
}
