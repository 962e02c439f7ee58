/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is gamma = 0? Decided exactly from the data, without cones or sampling.
 *
 * Theorem. Let x_i != 0. gamma = 0 if and only if (1) some ray carries both labels, or (2) 0 lies in the convex hull of
 *     P = { u : +u is labelled +1 and -u is labelled -1 }.
 * Proof. gamma = 0 iff S_q(z) = sum_i q_i y_i 1[<x_i,z> > 0] x_i vanishes almost everywhere for some q in the simplex.
 * Crossing the hyperplane of u changes S_q by (c_+ + c_-) u, c_+- the sums of q_i y_i |x_i| on the rays +-u, so all jumps
 * must cancel; without (1) a cancelling pair is +u labelled +1, -u labelled -1 or the reverse, and the constant that
 * remains, a sum of such u with weights >= 0, must vanish: (2). And F(w) = sum_i q_i y_i relu(<x_i,w>) has gradient
 * S_q, so by Gordan's theorem gamma > 0 iff some ReLU network without bias, of whatever width, classifies all points.
 *
 * Parallel rows are found by sorting a projection of their directions and compared exactly; (2) is exact_cone.c.
 * Cost: n d + n log n, and one linear program with |P| rows. [000, Sec. 7]
 */
#include "margin_zero.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "blas.h"
#include "exact_cone.h"
#include "memory.h"
#include "random.h"

/* A row with the projection of its direction up to sign; parallel rows have equal keys up to rounding. */
typedef struct ray {
    double key;
    int64_t row;
    int side; /* sign of the first nonzero coordinate */
} ray;

static int by_key(const void *left, const void *right)
{
    const ray *a = left, *b = right;
    return a->key < b->key ? -1 : a->key > b->key ? 1 : a->row < b->row ? -1 : a->row > b->row;
}

/* A line through the origin: for each side (0: +, 1: -) and label (0: +1, 1: -1) one of its points, or -1. */
typedef struct line {
    double key;
    int64_t point[2][2];
} line;

/* The rays of all rows, sorted by key. */
static void make_rays(ray *rays, double *direction, int64_t n, int64_t d, const double *x)
{
    fathom_random_normals(direction, d, 0, FATHOM_STREAM_START, 0, 0);
    for (int64_t i = 0; i < n; i++) {
        const double *row = x + i * d;
        int64_t k = 0;
        while (row[k] == 0)
            k++;
        rays[i].row = i;
        rays[i].side = row[k] > 0 ? 1 : -1;
        rays[i].key = rays[i].side * fathom_blas_dot(row, direction, d) / fathom_blas_norm(row, d);
    }
    qsort(rays, (size_t)n, sizeof *rays, by_key);
}

/* Puts a ray's point on the line it belongs to among lines[first..count), or on a new line; returns the new count. */
static int64_t place(line *lines, int64_t first, int64_t count, const ray *r, int64_t d, const double *x,
                     const double *y)
{
    int64_t at = first;
    for (; at < count; at++) {
        int64_t other = -1;
        for (int k = 0; k < 4 && other < 0; k++)
            other = lines[at].point[k / 2][k % 2];
        if (fathom_exact_parallel(x + other * d, x + r->row * d, d))
            break;
    }
    if (at == count)
        lines[count++] = (line){r->key, {{-1, -1}, {-1, -1}}};
    int64_t *slot = &lines[at].point[r->side < 0][y[r->row] < 0];
    if (*slot < 0)
        *slot = r->row;
    return count;
}

/* Groups the rays into lines; returns their number. Keys of parallel rows differ by at most `slack`. */
static int64_t make_lines(line *lines, const ray *rays, double slack, int64_t n, int64_t d, const double *x,
                          const double *y)
{
    int64_t first = 0, count = 0;
    for (int64_t i = 0; i < n; i++) {
        while (first < count && lines[first].key < rays[i].key - slack)
            first++;
        count = place(lines, first, count, rays + i, d, x, y);
    }
    return count;
}

/* Weights that make q_a |x_a| = q_b |x_b|, times `share`. */
static void balance(double *q, const double *x, int64_t d, int64_t a, int64_t b, double share)
{
    q[a] += share / fathom_blas_norm(x + a * d, d);
    q[b] += share / fathom_blas_norm(x + b * d, d);
}

static void normalise(double *q, int64_t n)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++)
        total += q[i];
    for (int64_t i = 0; i < n; i++)
        q[i] /= total;
}

/* Case (1): the first ray that carries both labels. */
static bool find_contradiction(fathom_margin_decision *decision, const line *lines, int64_t count)
{
    for (int64_t l = 0; l < count; l++)
        for (int side = 0; side < 2; side++)
            if (lines[l].point[side][0] >= 0 && lines[l].point[side][1] >= 0) {
                decision->zero = true;
                decision->first = lines[l].point[side][0];
                decision->second = lines[l].point[side][1];
                return true;
            }
    return false;
}

void fathom_margin_pairs_free(fathom_context *context, int64_t pairs, int64_t *pair, char **weight)
{
    for (int64_t k = 0; k < pairs && weight; k++)
        fathom_memory_free(context, weight[k]);
    FATHOM_FREE(context, weight, pair);
}

/* The one pair of case (1). */
static fathom_status keep_ray(fathom_margin_decision *decision, fathom_context *context)
{
    int64_t *pair = fathom_memory_alloc(context, 2, sizeof *pair);
    char **weight = fathom_memory_zero(context, 1, sizeof *weight);
    if (weight)
        weight[0] = fathom_memory_text(context, "1");
    if (!pair || !weight || !weight[0]) {
        fathom_margin_pairs_free(context, 1, pair, weight);
        return FATHOM_ERROR_MEMORY;
    }
    pair[0] = decision->first;
    pair[1] = decision->second;
    decision->pairs = 1;
    decision->pair = pair;
    decision->weight = weight;
    return FATHOM_OK;
}

/* Of `count` pairs those that have a weight become the decision's. */
static void keep_weighted(fathom_margin_decision *decision, int64_t count, int64_t *pair, char **weight)
{
    int64_t kept = 0;
    for (int64_t j = 0; j < count; j++)
        if (weight[j]) {
            pair[2 * kept] = pair[2 * j];
            pair[2 * kept + 1] = pair[2 * j + 1];
            weight[kept++] = weight[j];
        }
    decision->pairs = kept;
    decision->pair = pair;
    decision->weight = weight;
}

/* The points (labelled +1, labelled -1) of a line in P, or false. */
static bool opposite_pair(int64_t pair[2], const line *l)
{
    for (int side = 0; side < 2; side++)
        if (l->point[side][0] >= 0 && l->point[1 - side][1] >= 0) {
            pair[0] = l->point[side][0];
            pair[1] = l->point[1 - side][1];
            return true;
        }
    return false;
}

/* Case (2) on the lines; q and the witness are set as the header says. */
static fathom_status decide_hull(fathom_margin_decision *decision, double *q, double *witness,
                                 fathom_context *context, const line *lines, int64_t count, int64_t d,
                                 const double *x)
{
    fathom_status status = FATHOM_ERROR_MEMORY;
    double *p = fathom_memory_alloc(context, count * d, sizeof *p);
    double *lambda = fathom_memory_alloc(context, count, sizeof *lambda);
    int64_t *pair = fathom_memory_alloc(context, 2 * count, sizeof *pair);
    char **weight = fathom_memory_zero(context, count, sizeof *weight);
    if (!p || !lambda || !pair || !weight)
        goto done;
    status = FATHOM_OK;
    int64_t k = 0;
    for (int64_t l = 0; l < count; l++)
        if (opposite_pair(pair + 2 * k, lines + l)) {
            for (int64_t c = 0; c < d; c++)
                p[k * d + c] = x[pair[2 * k] * d + c];
            k++;
        }
    decision->opposite = k;
    if (k == 0)
        goto done;
    status = fathom_exact_cone(&decision->zero, lambda, weight, witness, context, k, d, p);
    if (status == FATHOM_OK && decision->zero) {
        for (int64_t j = 0; j < k; j++)
            balance(q, x, d, pair[2 * j], pair[2 * j + 1], lambda[j] * fathom_blas_norm(p + j * d, d));
        keep_weighted(decision, k, pair, weight);
        pair = NULL;
        weight = NULL;
    }
done:
    FATHOM_FREE(context, p, lambda);
    fathom_margin_pairs_free(context, count, pair, weight);
    return status;
}

fathom_status fathom_margin_decide(fathom_margin_decision *decision, double *q, double *witness,
                                   fathom_context *context, int64_t n, int64_t d, const double *x,
                                   const double *y)
{
    fathom_status status = FATHOM_ERROR_MEMORY;
    *decision = (fathom_margin_decision){.first = -1, .second = -1};
    ray *rays = fathom_memory_alloc(context, n, sizeof *rays);
    line *lines = fathom_memory_alloc(context, n, sizeof *lines);
    double *direction = fathom_memory_alloc(context, d, sizeof *direction);
    if (!rays || !lines || !direction)
        goto done;
    for (int64_t i = 0; i < n; i++)
        q[i] = 0;
    for (int64_t k = 0; k < d; k++)
        witness[k] = 0;
    make_rays(rays, direction, n, d, x);
    const double slack = 4 * (double)(d + 8) * DBL_EPSILON * fathom_blas_norm(direction, d);
    const int64_t count = make_lines(lines, rays, slack, n, d, x, y);
    decision->lines = count;
    if (find_contradiction(decision, lines, count)) {
        balance(q, x, d, decision->first, decision->second, 1);
        status = keep_ray(decision, context);
    } else {
        status = decide_hull(decision, q, witness, context, lines, count, d, x);
    }
    if (status == FATHOM_OK && decision->zero)
        normalise(q, n);
done:
    FATHOM_FREE(context, rays, lines, direction);
    return status;
}

/* A row to be sorted by its coordinates. */
typedef struct row {
    const double *x;
    int64_t number, d;
} row;

static int by_coordinates(const void *left, const void *right)
{
    const row *a = left, *b = right;
    for (int64_t k = 0; k < a->d; k++)
        if (a->x[k] != b->x[k])
            return a->x[k] < b->x[k] ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

fathom_status fathom_margin_find_equal(int64_t *first, int64_t *second, fathom_context *context, int64_t n,
                                       int64_t d, const double *x, const double *y)
{
    row *rows = fathom_memory_alloc(context, n, sizeof *rows);
    *first = *second = -1;
    if (!rows)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        rows[i] = (row){x + i * d, i, d};
    qsort(rows, (size_t)n, sizeof *rows, by_coordinates);
    for (int64_t i = 1, start = 0; i < n && *first < 0; i++) {
        row before = rows[start];
        before.number = rows[i].number;
        if (by_coordinates(&before, rows + i) != 0) /* not the same place */
            start = i;
        else if (y[rows[start].number] != y[rows[i].number]) {
            *first = rows[y[rows[start].number] > 0 ? start : i].number;
            *second = rows[y[rows[start].number] > 0 ? i : start].number;
        }
    }
    fathom_memory_free(context, rows);
    return FATHOM_OK;
}
