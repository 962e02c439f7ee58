/* SPDX-License-Identifier: Apache-2.0 */
/* Certified prices: coordinates, incumbents and the choice of the method; the problem stands in price.h. */
#include "price.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "ascent.h"
#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "price_internal.h"
#include "random.h"

enum { STARTS = 96, LARGEST_RANK = 7, SMALL_RANK = 5 };

static double row_weight(const fathom_price_problem *p, int64_t i)
{
    double square = 0;
    for (int64_t k = 0; k < p->outputs; k++)
        square += p->v[k * p->n + i] * p->v[k * p->n + i];
    return p->outputs == 1 ? fabs(p->v[i]) : sqrt(square);
}

/* Numbers of the rows that count, positive weights first where there is one output. Returns how many. */
static int64_t list_rows(int64_t *index, int64_t *positive, const fathom_price_problem *p)
{
    int64_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < p->n; i++) {
            const bool first = p->outputs > 1 || p->v[i] > 0;
            const bool zero = !(row_weight(p, i) > 0) || !(fathom_blas_sum_abs(p->x + i * p->d, p->d) > 0);
            if (!zero && first == (pass == 0))
                index[count++] = i;
        }
        if (pass == 0)
            *positive = count;
    }
    return count;
}

/* a_i = |v_i| x_i (one output) or x_i, divided by the scale, m x d; weight beside. */
static void fill_rows(double *full, fathom_price_rows *rows, const int64_t *index,
                      const fathom_price_problem *p)
{
    double largest = 0;
    for (int64_t k = 0; k < rows->m; k++) {
        const int64_t i = index[k];
        for (int64_t l = 0; l < p->d; l++) {
            full[k * p->d + l] = (p->outputs == 1 ? fabs(p->v[i]) : 1) * p->x[i * p->d + l];
            largest = fmax(largest, fabs(full[k * p->d + l]));
        }
        for (int64_t o = 0; o < p->outputs; o++)
            rows->weight[k * p->outputs + o] = p->outputs > 1 ? p->v[o * p->n + i] : p->v[i] > 0 ? 1 : -1;
    }
    int exponent = 0;
    frexp(largest, &exponent);
    rows->scale = ldexp(1, exponent);
    for (int64_t t = 0; t < rows->m * p->d; t++)
        full[t] = ldexp(full[t], -exponent);
}

/* Q' (r x d): right singular vectors of the rows scaled to length 1, beyond rounding. */
static fathom_status find_basis(fathom_price_rows *rows, const double *full, int64_t d,
                                fathom_context *context)
{
    const int64_t m = rows->m, k = m < d ? m : d;
    double *copy = fathom_memory_alloc(context, m * d, sizeof *copy);
    double *s = fathom_memory_alloc(context, k, sizeof *s);
    double *u = fathom_memory_alloc(context, m * k, sizeof *u);
    rows->basis = fathom_memory_alloc(context, k * d, sizeof *rows->basis);
    fathom_status status = copy && s && u && rows->basis ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < m && status == FATHOM_OK; i++) {
        const double norm = fathom_blas_norm(full + i * d, d);
        for (int64_t l = 0; l < d; l++)
            copy[i * d + l] = full[i * d + l] / norm;
    }
    FATHOM_THEN(status, fathom_blas_svd(s, u, rows->basis, copy, d, m, d, context));
    rows->r = 0;
    while (status == FATHOM_OK && rows->r < k && s[rows->r] > 1e-13 * s[0])
        rows->r++;
    FATHOM_FREE(context, u, s, copy);
    return status;
}

/* |weight_i| of row k; with one output the weight is inside a_i. */
static double weight_norm(const fathom_price_rows *rows, int64_t k)
{
    return rows->outputs == 1 ? 1 : fathom_blas_norm(rows->weight + k * rows->outputs, rows->outputs);
}

/* a_i = Q' full_i, and the slack sum_i |weight_i| |full_i - Q a_i| with the rounding of both products and of Q'Q = I. */
static fathom_status project_rows(fathom_price_rows *rows, const double *full, int64_t d,
                                  fathom_context *context)
{
    const int64_t m = rows->m, r = rows->r;
    double *back = fathom_memory_alloc(context, d, sizeof *back);
    rows->a = fathom_memory_alloc(context, 2 * m * r, sizeof *rows->a);
    if (!back || !rows->a) {
        fathom_memory_free(context, back);
        return FATHOM_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < m; i++) {
        double *a = rows->a + i * r;
        const double norm = fathom_blas_norm(full + i * d, d), weight = weight_norm(rows, i);
        fathom_blas_gemv(a, r, d, 1, fathom_plain(rows->basis, d), full + i * d, 0);
        memcpy(back, full + i * d, (size_t)d * sizeof *back);
        fathom_blas_gemv(back, d, r, -1, fathom_transposed(rows->basis, d), a, 1);
        rows->reach += weight * norm * (1 + 64 * DBL_EPSILON);
        rows->slack += weight * (fathom_blas_norm(back, d) + 32 * (double)(d + r) * DBL_EPSILON * norm);
    }
    rows->minus = rows->a + m * r;
    for (int64_t t = 0; t < m * r; t++)
        rows->minus[t] = -rows->a[t];
    fathom_memory_free(context, back);
    return FATHOM_OK;
}

static fathom_status open_rows(fathom_price_rows *rows, const fathom_price_problem *p)
{
    fathom_context *context = p->context;
    *rows = (fathom_price_rows){.outputs = p->outputs, .scale = 1};
    const double cells =
        (double)p->n *
        (double)p->d; /* rows, scaled rows, singular vectors, and what LAPACK copies of the two */
    const fathom_status enough = fathom_context_require(context, 8 * 5 * cells, "the rank of the rows");
    if (enough != FATHOM_OK)
        return enough;
    int64_t *index = fathom_memory_alloc(context, p->n, sizeof *index);
    double *full = NULL;
    fathom_status status = index ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        rows->m = list_rows(index, &rows->positive, p);
        full = fathom_memory_alloc(context, rows->m * p->d, sizeof *full);
        rows->weight = fathom_memory_alloc(context, rows->m * p->outputs, sizeof *rows->weight);
        status = full && rows->weight ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK && rows->m > 0) {
        fill_rows(full, rows, index, p);
        status = find_basis(rows, full, p->d, context);
        FATHOM_THEN(status, project_rows(rows, full, p->d, context));
    }
    FATHOM_FREE(context, full, index);
    return status;
}

static void close_rows(fathom_price_rows *rows, fathom_context *context)
{
    FATHOM_FREE(context, rows->a, rows->weight, rows->basis);
    *rows = (fathom_price_rows){0};
}

double fathom_price_value(double *sign, const fathom_price_rows *rows, const double *u)
{
    double square = 0, sum = 0;
    for (int64_t k = 0; k < rows->outputs; k++) {
        sum = 0;
        for (int64_t i = 0; i < rows->m; i++) {
            double t = 0;
            for (int64_t l = 0; l < rows->r; l++)
                t += rows->a[i * rows->r + l] * u[l];
            sum += t > 0 ? rows->weight[i * rows->outputs + k] * t : 0;
        }
        square += sum * sum;
    }
    *sign = sum < 0 ? -1 : 1;
    return rows->outputs == 1 ? fabs(sum) : sqrt(square);
}

/* The face formula: with the rows that are tight at u (all of negative weight on this side) held at zero, the best
 * direction within the face is the projected sum of the open rows. Keeps it where it is better. */
static fathom_status polish(fathom_price_best *best, const fathom_price_rows *rows, fathom_context *context)
{
    const int64_t r = rows->r;
    double *work = fathom_memory_alloc(context, (r + 1) * r, sizeof *work), *g = work;
    if (!work)
        return FATHOM_ERROR_MEMORY;
    int64_t tight = 0;
    memset(g, 0, (size_t)r * sizeof *g);
    for (int64_t i = 0; i < rows->m; i++) {
        const double *a = rows->a + i * r, t = fathom_blas_dot(a, best->u, r);
        const double norm = fathom_blas_norm(a, r);
        if (fabs(t) > 1e-7 * norm) {
            if (t > 0)
                fathom_blas_axpy(g, rows->weight[i], a, r);
            continue;
        }
        if (tight == r - 1)
            continue;
        double *q = work + (1 + tight) * r; /* Gram-Schmidt, twice */
        memcpy(q, a, (size_t)r * sizeof *q);
        for (int64_t k = 0; k < 2 * tight; k++)
            fathom_blas_axpy(q, -fathom_blas_dot(q, work + (1 + k % tight) * r, r),
                             work + (1 + k % tight) * r, r);
        const double left = fathom_blas_norm(q, r);
        if (left > 1e-9 * norm) {
            fathom_blas_scale(q, 1 / left, r);
            tight++;
        }
    }
    for (int64_t k = 0; k < 2 * tight; k++)
        fathom_blas_axpy(g, -fathom_blas_dot(g, work + (1 + k % tight) * r, r), work + (1 + k % tight) * r,
                         r);
    const double norm = fathom_blas_norm(g, r);
    double sign;
    if (norm > 0) {
        fathom_blas_scale(g, best->sign / norm, r);
        const double value = fathom_price_value(&sign, rows, g);
        if (value > best->value) {
            best->value = value;
            best->sign = sign;
            memcpy(best->u, g, (size_t)r * sizeof *g);
        }
    }
    fathom_memory_free(context, work);
    return FATHOM_OK;
}

fathom_status fathom_price_ascend(fathom_price_best *best, const fathom_price_rows *rows, double *starts,
                                  const double *sides, int64_t count, fathom_context *context)
{
    const int64_t r = rows->r;
    const fathom_ascent ascent = {.n = rows->m, .d = r, .x = rows->a, .v = rows->weight};
    double *value = fathom_memory_alloc(context, 2 * count, sizeof *value);
    if (!value)
        return FATHOM_ERROR_MEMORY;
    double *side = value + count;
    for (int64_t k = 0; k < count; k++)
        side[k] = sides ? sides[k] : k % 2 ? -1 : 1;
    fathom_status status = fathom_ascent_run(starts, value, side, count, &ascent, context);
    int64_t top = -1;
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++)
        if (value[k] > (top < 0 ? best->value : value[top]))
            top = k;
    if (top >= 0) {
        best->value = value[top];
        best->sign = side[top];
        memcpy(best->u, starts + top * r, (size_t)r * sizeof *starts);
        status = polish(best, rows, context);
    }
    fathom_memory_free(context, value);
    return status;
}

/* Starts: rows, their opposites and Gaussian directions in turn. */
static fathom_status first_incumbent(fathom_price_best *best, const fathom_price_rows *rows,
                                     fathom_context *context)
{
    const int64_t r = rows->r;
    double *starts = fathom_memory_alloc(context, STARTS * r, sizeof *starts);
    if (!starts)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < STARTS; k++) {
        double *u = starts + k * r;
        if (k % 4 < 2) {
            fathom_random_normals(u, r, fathom_context_seed(context), FATHOM_STREAM_START, 1U << 20,
                                  (uint64_t)(k * r));
            continue;
        }
        memcpy(u, rows->a + (k * rows->m / STARTS) * r, (size_t)r * sizeof *u);
        if (k % 8 >= 4)
            fathom_blas_scale(u, -1, r);
    }
    const fathom_status status = fathom_price_ascend(best, rows, starts, NULL, STARTS, context);
    fathom_memory_free(context, starts);
    return status;
}

/* Rank 1: the two directions. */
static void price_line(double *upper, fathom_price_best *best, const fathom_price_rows *rows)
{
    for (int k = 0; k < 2; k++) {
        const double u[1] = {k ? -1 : 1};
        double sign;
        const double value = fathom_price_value(&sign, rows, u);
        if (value > best->value) {
            best->value = value;
            best->sign = sign;
            best->u[0] = u[0];
        }
    }
    *upper = best->value + (double)(rows->m + 16) * DBL_EPSILON * rows->reach;
}

static fathom_price_method choose_method(const fathom_price_rows *rows, fathom_price_method asked)
{
    const bool arcs = rows->r == 1 || (rows->r == 2 && (rows->outputs > 1 || asked == FATHOM_PRICE_AUTO));
    if (arcs)
        return FATHOM_PRICE_ARCS;
    return asked == FATHOM_PRICE_AUTO ? FATHOM_PRICE_SUBDIVISION : asked;
}

static fathom_status run_method(double *upper, fathom_price_best *best, fathom_price_result *result,
                                const fathom_price_rows *rows, const fathom_price_options *options,
                                fathom_context *context)
{
    fathom_status status = FATHOM_OK;
    const fathom_price_method method = choose_method(rows, options->method);
    *upper = INFINITY;
    if (method == FATHOM_PRICE_ARCS) {
        result->method = rows->r == 1 ? "two directions" : "arcs";
        if (rows->r == 1)
            price_line(upper, best, rows);
        else if (rows->r == 2)
            status = fathom_price_arcs(upper, best, &result->nodes, rows, context);
    } else if (rows->outputs == 1) {
        status = first_incumbent(best, rows, context);
        result->method = "subdivision";
        if (status == FATHOM_OK && rows->r <= LARGEST_RANK && rows->r >= 2)
            status = fathom_price_subdivide(upper, best, &result->nodes, rows, options, context);
    }
    return status;
}

/* Values back in the scale of v, the direction in the coordinates of X. */
static void give(fathom_price_result *result, double *direction, double upper, const fathom_price_best *best,
                 const fathom_price_rows *rows, const fathom_price_problem *p)
{
    const double sum = (upper * (1 + 16 * (double)rows->r * DBL_EPSILON) + rows->slack) * rows->scale;
    result->lower = best->value * rows->scale;
    result->upper = sum * (1 + 4 * DBL_EPSILON);
    result->sign = best->sign;
    memset(direction, 0, (size_t)p->d * sizeof *direction);
    if (best->value > 0)
        fathom_blas_gemv(direction, p->d, rows->r, 1, fathom_transposed(rows->basis, p->d), best->u, 0);
    const double norm = fathom_blas_norm(direction, p->d);
    if (norm > 0)
        fathom_blas_scale(direction, 1 / norm, p->d);
}

/* Without a bias. */
static fathom_status bound_plain(fathom_price_result *result, double *direction,
                                 const fathom_price_problem *problem, const fathom_price_options *options)
{
    fathom_context *context = problem->context;
    fathom_price_rows rows;
    fathom_price_best best = {0, 1, NULL};
    double upper = 0;
    *result = (fathom_price_result){.sign = 1, .method = "zero"};
    fathom_status status = open_rows(&rows, problem);
    if (status == FATHOM_OK && rows.m > 0) {
        fathom_price_options scaled = *options;
        scaled.gap = 0.9 * options->gap; /* the rest is for rounding */
        scaled.enough = options->enough / rows.scale - rows.slack;
        scaled.excess = options->excess / rows.scale;
        best.u = fathom_memory_zero(context, rows.r, sizeof *best.u);
        status = best.u ? run_method(&upper, &best, result, &rows, &scaled, context) : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK)
        give(result, direction, upper, &best, &rows, problem);
    fathom_memory_free(context, best.u);
    close_rows(&rows, context);
    return status;
}

/* Whether x_k repeats an earlier point: its kink has been seen. */
static bool repeats(const fathom_price_problem *p, int64_t k)
{
    for (int64_t i = 0; i < k; i++)
        if (memcmp(p->x + i * p->d, p->x + k * p->d, (size_t)p->d * sizeof *p->x) == 0)
            return true;
    return false;
}

/* b on the kink of x_k, one k after the other; what is found at one need not be exceeded at the next. */
static fathom_status bound_kinks(fathom_price_result *result, double *neuron, const fathom_price_problem *p,
                                 const fathom_price_options *options)
{
    const int64_t n = p->n, d = p->d;
    double *shifted = fathom_memory_alloc(p->context, n * d, sizeof *shifted);
    double *u = fathom_memory_alloc(p->context, d, sizeof *u);
    fathom_price_problem one = *p;
    fathom_status status = shifted && u ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    one.x = shifted;
    one.bias = false;
    *result = (fathom_price_result){.sign = 1, .method = "zero"};
    memset(neuron, 0, (size_t)(d + 1) * sizeof *neuron);
    for (int64_t k = 0; k < n && status == FATHOM_OK && result->upper < INFINITY; k++) {
        fathom_price_options now = *options;
        fathom_price_result found;
        if (repeats(p, k))
            continue;
        now.enough = fmax(options->enough, result->lower * (1 + 0.9 * options->gap));
        for (int64_t t = 0; t < n * d; t++)
            shifted[t] = p->x[t] - p->x[k * d + t % d];
        status = bound_plain(&found, u, &one, &now);
        result->nodes += found.nodes;
        result->upper = fmax(result->upper, found.upper);
        if (status == FATHOM_OK && found.lower > result->lower) {
            result->lower = found.lower;
            result->sign = found.sign;
            result->method = found.method;
            memcpy(neuron, u, (size_t)d * sizeof *u);
            neuron[d] = -fathom_blas_dot(u, p->x + k * d, d);
        }
        if (k + 1 < n && fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE)
            result->upper = INFINITY; /* kinks that were not looked at */
    }
    FATHOM_FREE(p->context, u, shifted);
    return status;
}

fathom_status fathom_price_bound(fathom_price_result *result, double *direction,
                                 const fathom_price_problem *problem, const fathom_price_options *options)
{
    const fathom_status status = problem->bias ? bound_kinks(result, direction, problem, options)
                                               : bound_plain(result, direction, problem, options);
    if (!(result->upper >= result->lower)) /* overflow: nothing is known */
        result->upper = INFINITY;
    result->closed = result->upper <= fmax((1 + options->gap) * result->lower, options->enough);
    return status;
}

/* The largest rank that is small. With a free bias the work is n times as much. */
static int64_t small_rank(const fathom_price_problem *p)
{
    if (!p->bias)
        return p->outputs > 1 ? 2 : SMALL_RANK;
    return p->n > 2000 ? 0 : p->outputs > 1 || p->n > 300 ? 2 : 3;
}

/* The rank of these rows, from the first of them where the bias is free. */
static fathom_status rank_of(int64_t *rank, const fathom_price_problem *problem)
{
    const int64_t n = problem->n, d = problem->d;
    fathom_price_rows rows;
    fathom_price_problem shifted = *problem;
    double *x = NULL;
    if (problem->bias) {
        x = fathom_memory_alloc(problem->context, n * d, sizeof *x);
        if (!x)
            return FATHOM_ERROR_MEMORY;
        for (int64_t t = 0; t < n * d; t++)
            x[t] = problem->x[t] - problem->x[t % d];
        shifted.x = x;
    }
    const fathom_status status = open_rows(&rows, &shifted);
    *rank = rows.r;
    close_rows(&rows, problem->context);
    fathom_memory_free(problem->context, x);
    return status;
}

/* Some rows have no larger rank than all: few are enough to see that it is not small. */
fathom_status fathom_price_is_small(bool *small, const fathom_price_problem *problem)
{
    enum { FEW = 64, MOST = 1000 };
    const int64_t least = problem->n < problem->d ? problem->n : problem->d;
    int64_t rank = 0;
    *small = false;
    if (least > MOST) /* the rank of such data is not worth its cost */
        return FATHOM_OK;
    fathom_price_problem few = *problem;
    few.n = problem->n < FEW ? problem->n : FEW;
    fathom_status status = rank_of(&rank, &few);
    if (status == FATHOM_OK && rank <= small_rank(problem) && problem->n > few.n)
        status = rank_of(&rank, problem);
    *small = status == FATHOM_OK && rank <= small_rank(problem);
    return status;
}
