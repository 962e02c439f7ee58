/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest point of a polyhedron {u : s_i <x_i, u> >= b_i}: see gate_cone.h.
 *
 * The dual is  maximise -|sum_i mu_i s_i x_i|^2 / 2 + sum_i mu_i (b_i - s_i <x_i, p>)  over mu >= 0, with the point
 * u = p + sum_i mu_i s_i x_i. For b = 0 and K the cone this is Moreau's decomposition: p = u - sum mu_i s_i x_i, u in K, the
 * rest in the polar cone. Method [Lawson and Hanson 1974; Goldfarb and Idnani 1983]: a set of tight rows with positive
 * multipliers that is optimal for itself; the most violated row enters, rows whose multiplier would turn negative leave
 * on the way. For b = 0 a violated row is never in the span of the tight ones; otherwise it may be, and then takes over
 * multipliers from them until one of them leaves (none can: the polyhedron is empty). The tight rows stay independent and
 * the dual value rises strictly, so no set returns.
 *
 * The tight rows are kept as L Q, Q orthonormal: with Q u = L^{-1} b =: t the point is u = p + Q' (t - Q p), L' mu = t - Q p. A
 * row enters by Gram-Schmidt (twice), and leaves by Givens rotations of the columns of L and the rows of Q.
 */
#include "gate_cone.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "memory.h"

enum { STEPS_LEAST = 200, STEPS_PER_DIMENSION = 20 };

/* A row is violated where it misses b_i by more than this share of |x_i| |p|. */
static const double TOLERANCE = 1e-12;

/* A row depends on the tight ones where less than this share of it is left. */
static const double INDEPENDENT = 1e-11;

fathom_status fathom_gate_cone_open(fathom_gate_cone *cone, fathom_context *context, int64_t n, int64_t d,
                                    const double *x, const double *reach)
{
    *cone = (fathom_gate_cone){.context = context, .n = n, .d = d, .x = x, .reach = reach};
    cone->tight = fathom_memory_alloc(context, d, sizeof *cone->tight);
    cone->mu = fathom_memory_alloc(context, 4 * d + n, sizeof *cone->mu);
    cone->q = fathom_memory_alloc(context, d * d, sizeof *cone->q);
    cone->factor = fathom_memory_alloc(context, d * d, sizeof *cone->factor);
    if (!cone->tight || !cone->mu || !cone->q || !cone->factor) {
        fathom_gate_cone_close(cone);
        return FATHOM_ERROR_MEMORY;
    }
    cone->u = cone->mu + d;
    cone->y = cone->u + d;
    cone->trial = cone->y + d;
    cone->product = cone->trial + d;
    return FATHOM_OK;
}

void fathom_gate_cone_close(fathom_gate_cone *cone)
{
    if (!cone->context)
        return;
    FATHOM_FREE(cone->context, cone->tight, cone->mu, cone->q, cone->factor);
    *cone = (fathom_gate_cone){0};
}

/* Row i enters as the last tight one; false where it depends on the others, to rounding. */
static bool enter(fathom_gate_cone *cone, const uint64_t *open, int64_t i)
{
    const int64_t k = cone->count, d = cone->d;
    if (k == d)
        return false;
    double *q = cone->q + k * d, *row = cone->factor + k * d;
    memcpy(q, cone->x + i * d, (size_t)d * sizeof *q);
    fathom_blas_scale(q, fathom_gate_side(open, i), d);
    memset(row, 0, (size_t)d * sizeof *row);
    for (int pass = 0; pass < 2 && k > 0; pass++) {
        fathom_blas_gemv(cone->trial, k, d, 1, fathom_plain(cone->q, d), q, 0);
        fathom_blas_gemv(q, d, k, -1, fathom_transposed(cone->q, d), cone->trial, 1);
        fathom_blas_axpy(row, 1, cone->trial, k);
    }
    row[k] = fathom_blas_norm(q, d);
    if (!(row[k] > INDEPENDENT * cone->reach[i]))
        return false;
    fathom_blas_scale(q, 1 / row[k], d);
    cone->tight[k] = i;
    cone->mu[k] = 0;
    cone->count = k + 1;
    return true;
}

/* Tight row r leaves: its row of L goes, rotations of columns c, c+1 make L triangular again and turn Q along. */
static void leave_row(fathom_gate_cone *cone, int64_t r)
{
    const int64_t k = cone->count - 1, d = cone->d;
    for (int64_t i = r; i < k; i++) {
        memcpy(cone->factor + i * d, cone->factor + (i + 1) * d, (size_t)(i + 2) * sizeof *cone->factor);
        cone->tight[i] = cone->tight[i + 1];
        cone->mu[i] = cone->mu[i + 1];
    }
    for (int64_t c = r; c < k; c++) {
        const double *top = cone->factor + c * d + c;
        const double length = hypot(top[0], top[1]), cosine = top[0] / length, sine = top[1] / length;
        for (int64_t i = c; i < k; i++) {
            double *pair = cone->factor + i * d + c;
            const double left = pair[0], right = pair[1];
            pair[0] = cosine * left + sine * right;
            pair[1] = cosine * right - sine * left;
        }
        double *q = cone->q + c * d;
        for (int64_t l = 0; l < d; l++) {
            const double left = q[l], right = q[d + l];
            q[l] = cosine * left + sine * right;
            q[d + l] = cosine * right - sine * left;
        }
    }
    cone->count = k;
}

/* u and (in trial) the multipliers that make the tight rows hold with equality. */
static void solve_tight(fathom_gate_cone *cone, const double *p, const double *least)
{
    const int64_t k = cone->count, d = cone->d;
    memcpy(cone->u, p, (size_t)d * sizeof *p);
    for (int64_t a = 0; a < k; a++)
        cone->trial[a] = 0;
    if (k == 0)
        return;
    for (int pass = 0; pass < 2; pass++) { /* the second pass removes what the first one rounded */
        for (int64_t a = 0; a < k; a++)
            cone->y[a] = least ? least[cone->tight[a]] : 0;
        fathom_blas_triangular_solve(cone->y, 1, fathom_plain(cone->factor, d), true, k, 1);
        fathom_blas_gemv(cone->y, k, d, -1, fathom_plain(cone->q, d), cone->u, 1);
        fathom_blas_gemv(cone->u, d, k, 1, fathom_transposed(cone->q, d), cone->y, 1);
        fathom_blas_axpy(cone->trial, 1, cone->y, k);
    }
    fathom_blas_triangular_solve(cone->trial, 1, fathom_transposed(cone->factor, d), true, k, 1);
}

/* From mu towards the multipliers that the tight rows ask for; rows whose multiplier becomes 0 leave. */
static void settle_multipliers(fathom_gate_cone *cone, const double *p, const double *least)
{
    for (;;) {
        double step = 1;
        int64_t first = -1;
        solve_tight(cone, p, least);
        for (int64_t a = 0; a < cone->count; a++)
            if (cone->trial[a] <= 0 && cone->mu[a] <= step * (cone->mu[a] - cone->trial[a])) {
                step = cone->mu[a] > 0 ? cone->mu[a] / (cone->mu[a] - cone->trial[a]) : 0;
                first = a;
            }
        for (int64_t a = 0; a < cone->count; a++)
            cone->mu[a] += step * (cone->trial[a] - cone->mu[a]);
        if (first < 0)
            return;
        leave_row(cone, first);
    }
}

/* The guess: rows that are independent, without those that ask for a negative multiplier. */
static void take_guess(fathom_gate_cone *cone, const uint64_t *open, const double *p, const double *least)
{
    const int64_t guess = cone->count;
    cone->count = 0;
    for (int64_t a = 0; a < guess; a++)
        enter(cone, open, cone->tight[a]);
    for (;;) {
        int64_t worst = -1;
        solve_tight(cone, p, least);
        for (int64_t a = 0; a < cone->count; a++)
            if (!(cone->trial[a] > 0) && (worst < 0 || cone->trial[a] < cone->trial[worst]))
                worst = a;
        if (worst < 0)
            break;
        leave_row(cone, worst);
    }
    memcpy(cone->mu, cone->trial, (size_t)cone->count * sizeof *cone->mu);
}

/* The row that is missed most, or -1. */
static int64_t violated(fathom_gate_cone *cone, const uint64_t *open, const double *least, double size)
{
    int64_t worst = -1;
    double most = TOLERANCE * size;
    fathom_blas_gemv(cone->product, cone->n, cone->d, 1, fathom_plain(cone->x, cone->d), cone->u, 0);
    for (int64_t i = 0; i < cone->n; i++) {
        const double miss = (least ? least[i] : 0) - fathom_gate_side(open, i) * cone->product[i];
        if (miss > most * cone->reach[i]) {
            most = miss / cone->reach[i];
            worst = i;
        }
    }
    return worst;
}

static bool is_tight(const fathom_gate_cone *cone, int64_t i)
{
    for (int64_t a = 0; a < cone->count; a++)
        if (cone->tight[a] == i)
            return true;
    return false;
}

/* Violated row i is sum_a y_a (tight a): mu_i grows by t, the others by -t y, until a tight row leaves and i enters. */
static bool exchange(fathom_gate_cone *cone, const uint64_t *open, int64_t i)
{
    const int64_t k = cone->count, d = cone->d;
    double *y = cone->y, t = INFINITY;
    int64_t first = -1;
    fathom_blas_gemv(y, k, d, fathom_gate_side(open, i), fathom_plain(cone->q, d), cone->x + i * d, 0);
    fathom_blas_triangular_solve(y, 1, fathom_transposed(cone->factor, d), true, k, 1);
    for (int64_t a = 0; a < k; a++)
        if (y[a] > 0 && cone->mu[a] < t * y[a]) {
            t = cone->mu[a] / y[a];
            first = a;
        }
    if (first < 0)
        return false;
    fathom_blas_axpy(cone->mu, -t, y, k);
    leave_row(cone, first);
    if (!enter(cone, open, i))
        return false;
    cone->mu[cone->count - 1] = t;
    return true;
}

void fathom_gate_cone_project(fathom_gate_cone *cone, const uint64_t *open, const double *p,
                              const double *least)
{
    const int64_t most = STEPS_LEAST + STEPS_PER_DIMENSION * cone->d;
    double size = fathom_blas_norm(p, cone->d);
    cone->exact = false;
    take_guess(cone, open, p, least);
    for (int64_t step = 0; step < most; step++) {
        size = fmax(size, fathom_blas_norm(cone->u, cone->d));
        const int64_t i = violated(cone, open, least, size);
        if (i < 0) {
            cone->exact = true;
            return;
        }
        if (is_tight(cone, i) || !(enter(cone, open, i) || (least && exchange(cone, open, i))))
            return;
        settle_multipliers(cone, p, least);
    }
}

double fathom_gate_cone_bound(const fathom_gate_cone *cone, const uint64_t *open, const double *p)
{
    const int64_t d = cone->d;
    double *u = cone->trial, size = fathom_blas_norm(p, d);
    memcpy(u, p, (size_t)d * sizeof *u);
    for (int64_t a = 0; a < cone->count; a++) {
        const int64_t i = cone->tight[a];
        const double mu = fmax(cone->mu[a], 0);
        fathom_blas_axpy(u, fathom_gate_side(open, i) * mu, cone->x + i * d, d);
        size += mu * cone->reach[i];
    }
    return fathom_blas_norm(u, d) + 2 * (double)(cone->count + d + 8) * 0x1p-53 * size;
}
