/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a network of one column is as a classifier: where it changes sign, its kinks, and the points that hold
 * it; see fathom/extreme.h.
 *
 * f is linear between kinks, so that a sign change lies between two neighbouring kinks with values of
 * opposite signs (or beyond the last one, by the slope there), and is x = a + (b - a) f(a) / (f(a) - f(b)).
 * O((n + m) m).
 */
#include <math.h>
#include <stdlib.h>

#include "fathom/extreme.h"
#include "inner/data.h"
#include "inner/extreme.h"
#include "inner/json.h"
#include "memory.h"

/* A row holds the hinge where y f is within this of 1 or below. */
static const double ON_MARGIN = 1e-6;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double value_at(const fathom_net_weights *w, int64_t m, double x)
{
    double f = w->c ? w->c[0] : 0;
    for (int64_t j = 0; j < m; j++)
        f += w->w[j] * fmax(0, w->u[j] * x + (w->b ? w->b[j] : 0));
    return f;
}

/* The slope before all kinks (side -1) or behind them (+1). */
static double end_slope(const fathom_net_weights *w, int64_t m, int side)
{
    double slope = 0;
    for (int64_t j = 0; j < m; j++)
        slope += w->u[j] * side > 0 ? w->w[j] * w->u[j] : 0;
    return slope;
}

/* The places of the kinks, in order and once each; their number. */
static int64_t find_kinks(double *kink, const fathom_net_weights *w, int64_t m)
{
    int64_t count = 0, kept = 0;
    for (int64_t j = 0; j < m; j++)
        if (w->u[j] != 0 && w->w[j] != 0)
            kink[count++] = -(w->b ? w->b[j] : 0) / w->u[j];
    qsort(kink, (size_t)count, sizeof *kink, by_size);
    for (int64_t k = 0; k < count; k++)
        if (kept == 0 || kink[k] != kink[kept - 1])
            kink[kept++] = kink[k];
    return kept;
}

/* Where a line with the value f at x and this slope is 0 beyond x on the given side; false where it is
 * not. */
static bool beyond(double *zero, double x, double f, double slope, int side)
{
    if (f == 0 || !(slope * side * f < 0))
        return false;
    *zero = x - f / slope;
    return true;
}

/* Sign changes of f in order; their number. A kink at 0 counts where the signs around it differ. */
static int64_t find_crossings(double *zero, const fathom_net_weights *w, int64_t m, const double *kink,
                              int64_t kinks)
{
    int64_t count = 0;
    double sign = 0, last = 0, before = 0;
    if (kinks == 0)
        return 0;
    if (beyond(zero, kink[0], value_at(w, m, kink[0]), end_slope(w, m, -1), -1))
        count++;
    for (int64_t k = 0; k < kinks; k++) {
        const double f = value_at(w, m, kink[k]);
        if (k == 0 && f == 0) /* the sign before it is that of the slope */
            sign = -end_slope(w, m, -1);
        if (f * sign < 0)
            zero[count++] = before == 0 ? last : last + (kink[k] - last) * before / (before - f);
        sign = f != 0 ? f : sign;
        last = kink[k];
        before = f;
    }
    const double slope = end_slope(w, m, 1);
    if (before == 0 && slope * sign < 0)
        zero[count++] = last;
    else if (beyond(zero + count, last, before, slope, 1))
        count++;
    return count;
}

/* Rows with y f <= 1: those that the hinge sees. */
static fathom_status set_support(fathom_line_classifier *facts, fathom_json *object, fathom_context *context,
                                 const fathom_net *net, fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    const double *y;
    int64_t outputs;
    fathom_status status = fathom_data_code_classes(&y, &outputs, data);
    double *f = fathom_memory_alloc(context, 2 * view.n, sizeof *f);
    if (status == FATHOM_OK && !f)
        status = FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_net_forward(f, net, data));
    for (int64_t i = 0; i < view.n && status == FATHOM_OK; i++)
        if (y[i] * f[i] <= 1 + ON_MARGIN)
            f[view.n + facts->support++] = (double)i;
    FATHOM_THEN(status, fathom_json_set_vector(object, "support", f + view.n, facts->support));
    fathom_memory_free(context, f);
    return status;
}

fathom_status fathom_line_classifier_set(fathom_line_classifier *facts, fathom_json *object,
                                         fathom_context *context, fathom_net *net, fathom_data *data,
                                         fathom_loss loss)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    *facts = (fathom_line_classifier){.support = 0};
    if (shape.kind != FATHOM_NET_RELU || shape.d != 1 || shape.outputs != 1)
        return FATHOM_OK;
    double *kink = fathom_memory_alloc(context, 2 * shape.m + 2, sizeof *kink), *zero = kink + shape.m;
    if (!kink)
        return FATHOM_ERROR_MEMORY;
    facts->applies = true;
    facts->kinks = find_kinks(kink, &w, shape.m);
    facts->crossings = find_crossings(zero, &w, shape.m, kink, facts->kinks);
    facts->first = facts->crossings > 0 ? zero[0] : NAN;
    fathom_status status = fathom_json_set_vector(object, "kinks", kink, facts->kinks);
    FATHOM_THEN(status, fathom_json_set_vector(object, "crossings", zero, facts->crossings));
    if (status == FATHOM_OK && loss == FATHOM_LOSS_HINGE)
        status = set_support(facts, object, context, net, data);
    fathom_memory_free(context, kink);
    return status;
}
