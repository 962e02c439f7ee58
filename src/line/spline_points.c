/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data on the line in the form of spline.h: sorted, scaled, equal places gathered.
 *
 * The squared loss sees the points of one place only through their weight C and mean m:
 *     sum_i c_i (f - y_i)^2 / 2 = C (f - m)^2 / 2 + sum_i c_i (y_i - m)^2 / 2,
 * so they become one point; the second sum is `rest`. Targets are taken less a value near their mean, which the free
 * constant restores: a large offset of y costs no precision. Differences x - x_1 are exact to one rounding, so that
 * neither does one of x. O(n log n).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "spline.h"

typedef struct entry {
    double x;
    int64_t row;
} entry;

static int compare(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static fathom_status allocate(fathom_spline_points *p, int64_t n)
{
    fathom_context *context = p->context;
    p->place = fathom_memory_alloc(context, n, sizeof *p->place);
    p->first = fathom_memory_alloc(context, n + 1, sizeof *p->first);
    p->t = fathom_memory_alloc(context, n, sizeof *p->t);
    p->y = fathom_memory_alloc(context, n, sizeof *p->y);
    p->c = fathom_memory_alloc(context, n, sizeof *p->c);
    p->order = fathom_memory_alloc(context, n, sizeof *p->order);
    return p->place && p->first && p->t && p->y && p->c && p->order ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* The rows in the order of x, the places among them. */
static fathom_status sort_rows(fathom_spline_points *p, const double *x, int64_t n)
{
    entry *list = fathom_memory_alloc(p->context, n, sizeof *list);
    if (!list)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        list[i] = (entry){x[i], i};
    qsort(list, (size_t)n, sizeof *list, compare);
    for (int64_t i = 0; i < n; i++) {
        p->order[i] = list[i].row;
        if (i == 0 || list[i].x > p->place[p->count - 1]) {
            p->first[p->count] = i;
            p->place[p->count++] = list[i].x;
        }
    }
    p->first[p->count] = p->n = n;
    fathom_memory_free(p->context, list);
    return FATHOM_OK;
}

/* One point for each place. */
static void merge_places(fathom_spline_points *p)
{
    long double rest = 0;
    p->conflict[0] = p->conflict[1] = -1;
    for (int64_t k = 0; k < p->count; k++) {
        long double weight = 0, sum = 0;
        for (int64_t i = p->first[k]; i < p->first[k + 1]; i++) {
            weight += p->c[i];
            sum += (long double)p->c[i] * p->y[i];
        }
        const double mean = p->first[k + 1] - p->first[k] > 1 ? (double)(sum / weight) : p->y[p->first[k]];
        for (int64_t i = p->first[k] + 1; i < p->first[k + 1] && p->conflict[0] < 0; i++)
            if (p->y[i] != p->y[p->first[k]]) {
                p->conflict[0] = p->order[p->first[k]];
                p->conflict[1] = p->order[i];
            }
        for (int64_t i = p->first[k]; i < p->first[k + 1]; i++)
            rest += (long double)p->c[i] * (p->y[i] - mean) * (p->y[i] - mean) / 2;
        p->order[k] = p->order[p->first[k]];
        p->y[k] = mean;
        p->c[k] = (double)weight;
    }
    for (int64_t k = 0; k <= p->count; k++)
        p->first[k] = k;
    p->n = p->count;
    p->rest = (double)rest;
}

/* Targets less the double nearest to their weighted mean. */
static void centre_targets(fathom_spline_points *p)
{
    long double weight = 0, sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        weight += p->c[i];
        sum += (long double)p->c[i] * p->y[i];
    }
    p->shift = (double)(sum / weight);
    for (int64_t i = 0; i < p->n; i++)
        p->y[i] -= p->shift;
}

/* t in [0, 2). */
static void scale_places(fathom_spline_points *p)
{
    int exponent = 0;
    const double range = p->place[p->count - 1] - p->place[0];
    if (range > 0)
        frexp(range, &exponent);
    p->scale = ldexp(1, 1 - exponent);
    for (int64_t k = 0; k < p->count; k++)
        for (int64_t i = p->first[k]; i < p->first[k + 1]; i++)
            p->t[i] = (p->place[k] - p->place[0]) * p->scale;
}

fathom_status fathom_spline_points_open(fathom_spline_points *points, fathom_context *context,
                                        const double *x, const double *y, const double *weight, int64_t n,
                                        fathom_loss loss, bool exact)
{
    *points = (fathom_spline_points){.context = context, .loss = loss};
    FATHOM_TRY(allocate(points, n));
    FATHOM_TRY(sort_rows(points, x, n));
    for (int64_t i = 0; i < n; i++) {
        points->y[i] = y[points->order[i]];
        points->c[i] = weight ? weight[points->order[i]] : 1;
    }
    if (loss == FATHOM_LOSS_SQUARED && !exact)
        centre_targets(points);
    if (loss == FATHOM_LOSS_SQUARED)
        merge_places(points);
    scale_places(points);
    return FATHOM_OK;
}

void fathom_spline_points_close(fathom_spline_points *points)
{
    if (!points->context)
        return;
    void *const block[] = {points->place, points->first, points->t, points->y, points->c, points->order};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(points->context, block[k]);
    *points = (fathom_spline_points){0};
}

fathom_objective fathom_spline_problem(const fathom_spline_points *points, double beta)
{
    return (fathom_objective){.context = points->context,
                              .n = points->n,
                              .d = 1,
                              .outputs = 1,
                              .loss = points->loss,
                              .y = points->y,
                              .weight = points->c,
                              .beta = beta,
                              .constant = true,
                              .divisor = 1};
}
