/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was predicted on rows left out, as a curve: for two classes the ROC curve (share of the second class
 * above a threshold against that of the first, thresholds falling, equal outputs together), for numbers
 * predicted and observed. At most POINTS of them, evenly spread.
 */
#include <math.h>

#include "fit_internal.h"
#include "memory.h"
#include "platform.h"

enum { POINTS = 400 };

/* Rows by falling output. */
static int by_output(const void *left, const void *right, void *context)
{
    const float *f = context;
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    if (f[a] != f[b])
        return f[a] < f[b] ? 1 : -1;
    return (a > b) - (a < b);
}

/* (0, 0), then the shares after each distinct output; between the ends every stride-th. */
static void trace_roc(fathom_fit_result *result, const fit_problem *p, const float *f, const int64_t *order)
{
    const int64_t stride = (p->n + POINTS - 2) / (POINTS - 1);
    double second = 0, passed[2] = {0, 0};
    for (int64_t i = 0; i < p->n; i++)
        second += p->target[i] > 0;
    const double total[2] = {(double)p->n - second, second};
    result->curve[result->curve_points++] = (fathom_fit_point){0, 0};
    for (int64_t k = 0, last = 0; k < p->n; k++) {
        passed[p->target[order[k]] > 0]++;
        const bool end = k + 1 == p->n;
        if (!end && (f[order[k]] == f[order[k + 1]] || k + 1 - last < stride))
            continue;
        result->curve[result->curve_points++] =
            (fathom_fit_point){passed[0] / fmax(total[0], 1), passed[1] / fmax(total[1], 1)};
        last = k + 1;
    }
}

static void pair_numbers(fathom_fit_result *result, const fit_problem *p, const float *f)
{
    const int64_t stride = (p->n + POINTS - 1) / POINTS;
    for (int64_t i = 0; i < p->n; i += stride)
        result->curve[result->curve_points++] =
            (fathom_fit_point){p->centre + p->unit * (double)f[i], p->target[i]};
}

fathom_status fit_curve(fathom_fit_result *result, const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const float *f = fit_outputs(c, 0, c->chosen);
    if (p->outputs > 1)
        return FATHOM_OK;
    int64_t *order = fathom_memory_alloc(p->context, p->n, sizeof *order);
    result->curve = fathom_memory_alloc(p->context, POINTS + 1, sizeof *result->curve);
    if (!order || !result->curve) {
        fathom_memory_free(p->context, order);
        return FATHOM_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < p->n; i++)
        order[i] = i;
    if (p->task == FATHOM_FIT_REGRESSION) {
        pair_numbers(result, p, f);
    } else {
        fathom_platform_sort(order, (size_t)p->n, sizeof *order, by_output, (void *)(uintptr_t)f);
        trace_roc(result, p, f, order);
    }
    fathom_memory_free(p->context, order);
    return FATHOM_OK;
}
