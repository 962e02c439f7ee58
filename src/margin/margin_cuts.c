/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The linear program of the global margin over the neurons found so far,
 *
 *     max t   over alpha, |alpha|_1 = 1 (and a constant c, with free biases)
 *             with y_i (sum_k alpha_k relu(<b_k, x_i> + c_k) + c) >= t for all i,
 *
 * whose dual variables are q. The least margin of its network, rounded down, is a lower bound whatever the program's
 * accuracy. Features are scaled so that the optimum is of order 1.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "lp.h"
#include "margin_global.h"
#include "memory.h"

/* Of the linear program: its t is 1, and gaps down to 1e-9 are asked for. */
static const double TOLERANCE = 1e-12;

fathom_status fathom_margin_cuts_create(fathom_margin_cuts *c, fathom_margin_run *run)
{
    const fathom_margin_points *p = run->points;
    *c = (fathom_margin_cuts){.run = run,
                              .context = run->context,
                              .points = p,
                              .n = p->n,
                              .d = p->d,
                              .width = p->d + p->bias,
                              .scale = 1};
    c->q = fathom_memory_alloc(run->context, 3 * p->n, sizeof *c->q);
    if (!c->q)
        return FATHOM_ERROR_MEMORY;
    c->margin = c->q + p->n;
    c->length = c->q + 2 * p->n;
    for (int64_t i = 0; i < p->n; i++) {
        c->q[i] = 1;
        c->length[i] = fathom_blas_norm(p->x + i * p->d, p->d);
    }
    fathom_margin_cuts_balance(c->q, p);
    return FATHOM_OK;
}

void fathom_margin_cuts_free(fathom_margin_cuts *c)
{
    FATHOM_FREE(c->context, c->b, c->feature, c->q, c->best);
}

void fathom_margin_cuts_balance(double *q, const fathom_margin_points *p)
{
    double sum[2] = {0, 0}, count[2] = {0, 0};
    for (int64_t i = 0; i < p->n; i++) {
        sum[p->bias && p->y[i] < 0] += q[i];
        count[p->bias && p->y[i] < 0]++;
    }
    for (int64_t i = 0; i < p->n; i++) {
        const int side = p->bias && p->y[i] < 0;
        q[i] = (sum[side] > 0 ? q[i] / sum[side] : 1 / count[side]) / (p->bias ? 2 : 1);
    }
}

/* True where the features of a neuron are those of one before. */
static bool is_known(const fathom_margin_cuts *c, const double *feature)
{
    const double same = 4 * DBL_EPSILON, bias = c->points->bias ? c->points->radius : 0;
    for (int64_t k = c->count - 1; k >= 0; k--) {
        const double *other = c->feature + k * c->n;
        int64_t i = 0;
        while (i < c->n && fabs(other[i] - feature[i]) <= same * (c->length[i] + bias))
            i++;
        if (i == c->n)
            return true;
    }
    return false;
}

fathom_status fathom_margin_cuts_add(fathom_margin_cuts *c, const double *b, bool *added)
{
    const fathom_margin_points *p = c->points;
    FATHOM_TRY(fathom_memory_grow(c->context, (void **)&c->b, &c->capacity, (c->count + 1) * c->width,
                                  sizeof *c->b));
    FATHOM_TRY(fathom_memory_grow(c->context, (void **)&c->feature, &c->feature_capacity,
                                  (c->count + 1) * c->n, sizeof *c->feature));
    double *feature = c->feature + c->count * c->n;
    for (int64_t i = 0; i < c->n; i++) {
        const double inner = fathom_blas_dot(p->x + i * c->d, b, c->d) + (p->bias ? b[c->d] : 0);
        feature[i] = p->y[i] * fmax(0, inner);
    }
    const bool fresh = !is_known(c, feature);
    if (added)
        *added = fresh;
    if (!fresh)
        return FATHOM_OK;
    memcpy(c->b + c->count * c->width, b, (size_t)c->width * sizeof *b);
    c->count++;
    return FATHOM_OK;
}

/* What row i of the program is divided by, so that points far out do not hide the others. */
static double row_scale(const fathom_margin_cuts *c, int64_t i)
{
    return c->points->bias ? 1 : fmax(1, c->length[i] / c->scale);
}

/* The matrix of the program (n + 1 rows): columns alpha_+ and alpha_- of every neuron, t, and the constant. What rounding left
 * of a point on the kink would mislead the scaling of the linear program. */
static void fill(double *a, int64_t columns, const fathom_margin_cuts *c)
{
    for (int64_t i = 0; i < c->n; i++) {
        const double dust = 1e-13 * c->length[i], s = row_scale(c, i);
        double *row = a + i * columns;
        for (int64_t k = 0; k < c->count; k++) {
            const double feature = c->feature[k * c->n + i];
            row[2 * k] = fabs(feature) < dust ? 0 : feature / c->scale / s;
            row[2 * k + 1] = -row[2 * k];
        }
        row[2 * c->count] = -1 / s;
        if (c->points->bias)
            row[2 * c->count + 1] = c->points->y[i];
    }
    for (int64_t k = 0; k < 2 * c->count; k++)
        a[c->n * columns + k] = 1;
}

/* q and alpha (count, then the constant) from the program; *solved as fathom_lp_solve says. */
static fathom_status solve(bool *solved, double *alpha, fathom_margin_cuts *c)
{
    const int64_t n = c->n, rows = n + 1, columns = 2 * c->count + 1 + c->points->bias;
    double *a = fathom_memory_zero(c->context, rows * columns, sizeof *a), value;
    double *bound = fathom_memory_zero(c->context, 4 * columns + 3 * rows, sizeof *bound);
    fathom_status status = a && bound ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        double *cost = bound, *low = cost + columns, *high = low + columns, *x = high + columns;
        double *row_low = x + columns, *row_high = row_low + rows, *dual = row_high + rows;
        cost[2 * c->count] = -1;
        for (int64_t k = 0; k < columns; k++) {
            low[k] = k < 2 * c->count ? 0 : -INFINITY;
            high[k] = INFINITY;
        }
        for (int64_t i = 0; i < n; i++)
            row_high[i] = INFINITY;
        row_low[n] = row_high[n] = 1;
        fill(a, columns, c);
        const fathom_lp lp = {rows, columns, a, cost, low, high, row_low, row_high, TOLERANCE};
        status = fathom_lp_solve(&value, x, dual, solved, c->context, &lp);
        for (int64_t i = 0; i < n && status == FATHOM_OK && *solved; i++)
            c->q[i] = fmax(0, dual[i]) / row_scale(c, i);
        for (int64_t k = 0; k < c->count && status == FATHOM_OK && *solved; k++)
            alpha[k] = fmax(0, x[2 * k]) - fmax(0, x[2 * k + 1]);
        alpha[c->count] = c->points->bias ? x[2 * c->count + 1] * c->scale : 0;
    }
    FATHOM_FREE(c->context, a, bound);
    return status;
}

/* The least margin of the network alpha, scaled to |alpha|_1 = 1, rounded down. Where it is the best so far, c takes alpha
 * over and the result the margins. */
void fathom_margin_cuts_judge(fathom_margin_cuts *c, double **alpha, double gap)
{
    fathom_margin_result *result = c->run->result;
    double norm = 0, least = INFINITY, constant = (*alpha)[c->count];
    for (int64_t k = 0; k < c->count; k++)
        norm += fabs((*alpha)[k]);
    if (!(norm > 0))
        return;
    memcpy(*alpha + c->count + 1, *alpha, (size_t)(c->count + 1) * sizeof **alpha);
    fathom_blas_scale(*alpha, 1 / norm, c->count);
    constant /= norm;
    fathom_blas_gemv(c->margin, c->n, c->count, 1, fathom_transposed(c->feature, c->n), *alpha, 0);
    /* <b_k, x_i> is off by (d + 2) u |x_i| and |b_k| by as much, sums and the norm by (count + 2) u each; a bias is at
     * most as long as the longest x_i */
    const double rounding = 2 * (double)(c->d + 2 * c->count + 8) * DBL_EPSILON;
    for (int64_t i = 0; i < c->n; i++) {
        const double length = c->length[i] + (c->points->bias ? c->points->radius + fabs(constant) : 0);
        c->margin[i] += c->points->y[i] * constant;
        least = fmin(least, c->margin[i] - rounding * length);
    }
    if (!(least > result->view.lower))
        return;
    fathom_margin_narrow(result, least, INFINITY, gap);
    memcpy(result->margin, c->margin, (size_t)c->n * sizeof *c->margin);
    fathom_memory_free(c->context, c->best);
    c->best = *alpha;
    c->constant = constant;
    c->used = c->count;
    *alpha = NULL;
}

fathom_status fathom_margin_cuts_solve(fathom_margin_cuts *c, double gap)
{
    double *alpha = fathom_memory_alloc(c->context, 2 * (c->count + 1), sizeof *alpha);
    bool solved = false;
    const fathom_status status = alpha ? solve(&solved, alpha, c) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && solved) {
        fathom_margin_cuts_balance(c->q, c->points);
        fathom_margin_cuts_judge(c, &alpha, gap);
    }
    fathom_memory_free(c->context, alpha);
    return status;
}
