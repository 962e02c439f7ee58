/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest input of another class: a distance below which there is none, and one at which there is one.
 *
 * Class y against class k: h(z) = f_y - f_k, or f - threshold with its sign, is positive at z with |h| =
 * h(z) > 0.
 *
 * Lower bound. h is piecewise linear with slope sum_j w_j m_j u_j, w_j the weight of neuron j in h. At
 * distance r from z a neuron may have changed its side only if |t_j| <= r |u_j|; its slope m_j then
 * differs by 1 - leak at most. So at distance r
 *     |slope| <= L(r) = |slope at z| + (1 - leak) sum over |t_j| <= r |u_j| of |w_j||u_j|,
 * and h stays positive while the integral of L from 0 to r is below h(z). L is a step function: neurons in
 * the order of |t_j|/|u_j|. Norms are over the columns that an input can change, not over that of ones.
 *
 * Upper bound. Steps of Newton's method along the slope until h <= 0, then bisection on the way back: the
 * end has h <= 0.
 *
 * Rounding: h(z) is lowered, the integral's end shortened, by what rounding may have done.
 */
#include "explain_internal.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "loss_row.h"
#include "model_internal.h"
#include "platform.h"

enum { NEWTON = 60 };

/* h at z for the difference of outputs y and k (k < 0: y itself against the threshold), times sign. */
typedef struct difference {
    int64_t y, k;
    double sign, threshold;
} difference;

static double weight_of(const explain *x, const difference *h, int64_t j)
{
    const double *a = x->a + j * x->outputs;
    return h->sign * (a[h->y] - (h->k >= 0 ? a[h->k] : 0));
}

/* h(z), with its slope where `gradient` is not NULL. */
static double evaluate(const explain *x, const difference *h, const double *z, double *gradient)
{
    const double *c = x->net->weights.c;
    double sum = h->sign * (c[h->y] - (h->k >= 0 ? c[h->k] : h->threshold));
    if (gradient)
        memset(gradient, 0, (size_t)x->d * sizeof *gradient);
    for (int64_t j = 0; j < x->m; j++) {
        const double t = fathom_explain_pre(x, z, j), w = weight_of(x, h, j) * (t > 0 ? 1 : x->leak);
        const double factor = x->net->shape.kind == FATHOM_NET_SCALAR ? w * x->net->weights.b[j] : w;
        sum += w * t;
        for (int64_t l = 0; l < x->columns && gradient; l++)
            gradient[l] += factor * x->net->weights.u[j * x->d + l];
    }
    return sum;
}

/* What rounding may have done to t_j: (d + 2) operations on terms of this size. */
static double pre_rounding(const explain *x, int64_t j)
{
    const double *u = x->net->weights.u + j * x->d, *b = x->net->weights.b;
    double size = 0;
    for (int64_t l = 0; l < x->d; l++)
        size += fabs(u[l] * x->z[l]);
    size = !b ? size : x->net->shape.kind == FATHOM_NET_SCALAR ? fabs(b[j]) * size : size + fabs(b[j]);
    return 2 * (double)(x->d + 2) * 0x1p-53 * size;
}

static int nearer(const void *left, const void *right, void *context)
{
    const double *reach = context;
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    if (reach[a] != reach[b])
        return reach[a] < reach[b] ? -1 : 1;
    return (a > b) - (a < b);
}

/* Norms and reaches of all neurons at z, none too large, and their order. */
static void sort_neurons(explain *x)
{
    const bool scalar = x->net->shape.kind == FATHOM_NET_SCALAR;
    for (int64_t j = 0; j < x->m; j++) {
        const double factor = scalar ? fabs(x->net->weights.b[j]) : 1;
        const double room = fabs(fathom_explain_pre(x, x->z, j)) - pre_rounding(x, j);
        x->norm[j] = factor * fathom_blas_norm(x->net->weights.u + j * x->d, x->columns);
        x->reach[j] = x->norm[j] > 0 ? fmax(room, 0) / x->norm[j] : INFINITY;
        x->order[j] = j;
    }
    fathom_platform_sort(x->order, (size_t)x->m, sizeof *x->order, nearer, x->reach);
}

/* r with the integral of L from 0 to r equal to `room`. */
static double safe_radius(const explain *x, double slope, double room)
{
    double r = 0;
    for (int64_t k = 0; k < x->m && room > 0; k++) {
        const double next = x->reach[x->order[k]] * (1 - 1e-12);
        if (next > r) {
            if (slope * (next - r) >= room)
                return r + room / slope;
            room -= slope * (next - r);
            r = next;
        }
        slope += x->weight[x->order[k]];
    }
    return room > 0 && slope > 0 ? r + room / slope : room > 0 ? INFINITY : r;
}

static double lower_bound(explain *x, const difference *h, double value, double rounding)
{
    evaluate(x, h, x->z, x->gradient);
    const double room = value - rounding;
    if (!(room > 0))
        return 0;
    double slope = fathom_blas_norm(x->gradient, x->columns), size = 0;
    for (int64_t j = 0; j < x->m; j++) {
        const double w = fabs(weight_of(x, h, j)) * x->norm[j];
        x->weight[j] = w * (1 - x->leak);
        size += w;
    }
    slope += 2 * (double)(x->m + x->d + 8) * 0x1p-53 * size;
    return safe_radius(x, slope, room) * (1 - 1e-12);
}

/* moved = z + share (moved - z). */
static void shorten(explain *x, double share)
{
    for (int64_t l = 0; l < x->columns; l++)
        x->moved[l] = x->z[l] + share * (x->moved[l] - x->z[l]);
}

/* |moved - z|; uses x->gradient. */
static double way(explain *x)
{
    for (int64_t l = 0; l < x->columns; l++)
        x->gradient[l] = x->moved[l] - x->z[l];
    return fathom_blas_norm(x->gradient, x->columns);
}

/* A distance at which h is below -rounding; infinite where the search finds none. */
static double upper_bound(explain *x, const difference *h, double rounding)
{
    memcpy(x->moved, x->z, (size_t)x->d * sizeof *x->moved);
    double value = evaluate(x, h, x->moved, x->gradient);
    for (int step = 0; step < NEWTON && value >= -rounding; step++) {
        const double slope = fathom_blas_norm(x->gradient, x->columns);
        if (!(slope > 0) || !isfinite(value))
            return INFINITY;
        const double stride = (fmax(value, 0) + 3 * rounding) * 1.01 / slope / slope;
        for (int64_t l = 0; l < x->columns; l++)
            x->moved[l] -= stride * x->gradient[l];
        value = evaluate(x, h, x->moved, x->gradient);
    }
    if (!(value < -rounding))
        return INFINITY;
    double far = way(x);
    memcpy(x->best, x->moved, (size_t)x->d * sizeof *x->best);
    for (double low = 0, high = 1; high - low > 1e-9;) {
        const double middle = low / 2 + high / 2;
        memcpy(x->moved, x->best, (size_t)x->d * sizeof *x->moved);
        shorten(x, middle);
        if (evaluate(x, h, x->moved, NULL) < -rounding) {
            high = middle;
            far = way(x);
        } else {
            low = middle;
        }
    }
    return far * (1 + 1e-12);
}

static void compare(explain *x, fathom_explanation *e, int64_t i, const difference *h, int64_t other)
{
    const double *rounding = e->rounding + i * x->outputs;
    const double slack =
        4 * (rounding[h->y] + (h->k >= 0 ? rounding[h->k] : 0) + fabs(h->threshold) * 0x1p-50);
    const double value = evaluate(x, h, x->z, NULL), lower = lower_bound(x, h, value, slack);
    const double upper = x->model->normalize == FATHOM_NORMALIZE_UNIT ? INFINITY : upper_bound(x, h, slack);
    e->lower[i] = fmin(e->lower[i], lower);
    if (upper < e->upper[i]) {
        e->upper[i] = upper;
        e->other[i] = other;
    }
}

/* The rule of fathom_model_predict for the class of one output. */
static int64_t class_of(const explain *x, const double *f, double threshold)
{
    if (x->outputs == 1)
        return isnan(f[0]) ? -1 : f[0] > threshold;
    int64_t best = 0;
    for (int64_t k = 0; k < x->outputs; k++) {
        if (isnan(f[k]))
            return -1;
        best = f[k] > f[best] ? k : best;
    }
    return best;
}

void fathom_explain_nearest(explain *x, fathom_explanation *e, int64_t i)
{
    const fathom_model *model = x->model;
    const bool middle = model->classes == 2 && x->outputs == 1 && fathom_loss_row_of(model->loss)->numbers;
    const double threshold = middle ? model->class_value[0] / 2 + model->class_value[1] / 2 : 0;
    e->label[i] = e->other[i] = -1;
    e->lower[i] = 0, e->upper[i] = INFINITY;
    if (!model->classes || (x->outputs == 1 && model->classes != 2) ||
        (x->outputs > 1 && model->classes != x->outputs))
        return;
    e->label[i] = class_of(x, e->output + i * x->outputs, threshold);
    if (e->label[i] < 0 || x->net->shape.kind == FATHOM_NET_GATED)
        return;
    e->lower[i] = INFINITY;
    sort_neurons(x);
    if (x->outputs == 1) {
        const difference h = {0, -1, e->label[i] ? 1 : -1, threshold};
        compare(x, e, i, &h, !e->label[i]);
    }
    for (int64_t k = 0; k < x->outputs && x->outputs > 1; k++) {
        const difference h = {e->label[i], k, 1, 0};
        if (k != e->label[i])
            compare(x, e, i, &h, k);
    }
    e->lower[i] = fmin(e->lower[i], e->upper[i]);
}
