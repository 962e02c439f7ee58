/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spike-free decision: see spike.h.
 *
 * R (m x d): the rows of A without zeros, one of each set of positive multiples, scaled. A is spike-free iff
 * the
 * rows of R are independent and K^{-1}, K = RR', has no positive entry off the diagonal: with t = Ru,
 *     |A^+ t|^2 - |A^+ t_+|^2 = t_-'K^{-1}t_- - 2 t_+'K^{-1}t_-  >= 0 for all t  iff  K^{-1} is a Stieltjes
 *     matrix.
 * One row is spike-free; rank one is spike-free iff all its coefficients have one sign.
 *
 * Floating point first: Z near K^{-1} and e >= |I - KZ|_F prove, where e < 1, that K is regular and that row
 * i of K^{-1} is
 * within |Z_i| e / (1 - e) of Z's. What that leaves open is decided in rational arithmetic where m is small.
 *
 * rho(A) = max_w |L^{-1} (Lw)_+| / |w| with K = LL': below by power steps with the gates of the moment, from
 * the offending
 * pairs; above by (k + 1/k)/2, k = cond(R) [Wielandt]. What a step attains is evaluated as rho^2 >=
 * t_+'K^{-1}t_+ / t'K^{-1}t at
 * t = Lw, where Z stands for K^{-1} with the error above; eigenvalues carry that of the Gram matrix and of
 * their computation. So both
 * ends are bounds, rounding included, and need not be reconciled.
 */
#include "spike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "exact.h"
#include "gemm.h"
#include "interval.h"
#include "memory.h"
#include "random.h"

enum { EXACT_ROWS = 48, EXACT_COLUMNS = 4096, STARTS = 16, POWER_STEPS = 200 };

typedef struct spike {
    fathom_context *context;
    int64_t m, d;
    double *r;       /* m x d */
    int64_t *row;    /* m: which row of A */
    double *gram;    /* m x m */
    double *inverse; /* m x m */
    double *room;    /* m x m */
    double e;        /* |I - K Z|_F is at most this */
    double *best;    /* m: the t that attains the largest rho so far; NULL: not asked for */
} spike;

/* Rows by direction: their entries divided by the largest absolute value, which positive multiples share bit
 * for bit. */
typedef struct direction {
    const double *x;
    int64_t d, row;
    double largest;
} direction;

static int compare_directions(const void *left, const void *right)
{
    const direction *a = left, *b = right;
    for (int64_t k = 0; k < a->d; k++) {
        const double p = a->x[k] / a->largest, q = b->x[k] / b->largest;
        if (p != q)
            return p < q ? -1 : 1;
    }
    return (a->row > b->row) - (a->row < b->row);
}

/* Whether a is a positive multiple of b: a_k |b| = b_k |a| for all k, products compared with their rounding
 * errors. */
static bool parallel(const direction *a, const direction *b)
{
    for (int64_t k = 0; k < a->d; k++) {
        const double p = a->x[k] * b->largest, q = b->x[k] * a->largest;
        if (p != q || fma(a->x[k], b->largest, -p) != fma(b->x[k], a->largest, -q))
            return false;
    }
    return true;
}

/* The rows of R, each scaled by a power of two to a largest entry in [1/2, 1): exact. */
static void keep_rows(spike *s, const direction *a)
{
    int exponent;
    frexp(a->largest, &exponent);
    for (int64_t k = 0; k < s->d; k++)
        s->r[s->m * s->d + k] = ldexp(a->x[k], -exponent);
    s->row[s->m++] = a->row;
}

/* Directions of A; stops beyond d + 1 of them, which are dependent. */
static fathom_status gather(spike *s, const double *x, int64_t n)
{
    int64_t count = 0, kept = 0;
    direction *all = fathom_memory_alloc(s->context, 2 * n, sizeof *all);
    direction *chosen = all ? all + n : NULL;
    if (!all)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        double largest = 0;
        for (int64_t k = 0; k < s->d; k++)
            largest = fmax(largest, fabs(x[i * s->d + k]));
        if (largest > 0)
            all[count++] = (direction){x + i * s->d, s->d, i, largest};
    }
    qsort(all, (size_t)count, sizeof *all, compare_directions);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || !parallel(&all[i], &chosen[kept - 1]))
            chosen[kept++] = all[i];
    s->row = fathom_memory_alloc(s->context, kept, sizeof *s->row);
    const int64_t most = kept <= s->d ? kept : 0;
    s->r = fathom_memory_alloc(s->context, most * s->d, sizeof *s->r);
    for (int64_t i = 0; i < most && s->row && s->r; i++)
        keep_rows(s, &chosen[i]);
    s->m = kept;
    fathom_memory_free(s->context, all);
    return s->row && s->r ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static double frobenius(const double *a, int64_t count) { return fathom_blas_norm(a, count); }

/* K and Z; e is infinite where K has no Cholesky factor. `room` keeps the factor L. */
static fathom_status invert(spike *s)
{
    const int64_t m = s->m, square = m * m;
    FATHOM_TRY(fathom_context_require(s->context, 24.0 * (double)m * (double)m, "the Gram matrix"));
    s->gram = fathom_memory_alloc(s->context, square, sizeof *s->gram);
    s->inverse = fathom_memory_zero(s->context, square, sizeof *s->inverse);
    s->room = fathom_memory_alloc(s->context, square, sizeof *s->room);
    if (!s->gram || !s->inverse || !s->room)
        return FATHOM_ERROR_MEMORY;
    FATHOM_TRY(fathom_gemm(s->gram, m, m, m, s->d, 1, fathom_plain(s->r, s->d), fathom_transposed(s->r, s->d),
                           0, s->context));
    memcpy(s->room, s->gram, (size_t)square * sizeof *s->room);
    s->e = INFINITY;
    if (fathom_blas_cholesky(s->room, m, m) != 0)
        return FATHOM_OK;
    for (int64_t i = 0; i < m; i++)
        s->inverse[i * m + i] = 1;
    fathom_blas_cholesky_solve(s->inverse, m, s->room, m, m, m);
    s->e = 0;
    return FATHOM_OK;
}

/* e from the residual and the rounding of K and of KZ: |K - RR'|_F <= g |R|_F^2, g = (d + 2) 2^-53. */
static fathom_status measure_residual(spike *s)
{
    const int64_t m = s->m;
    const double unit = 0x1p-53, norm = frobenius(s->r, m * s->d), inverse = frobenius(s->inverse, m * m);
    double *residual = fathom_memory_zero(s->context, m * m, sizeof *residual);
    if (!residual)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < m; i++)
        residual[i * m + i] = 1;
    const fathom_status status = fathom_gemm(residual, m, m, m, m, -1, fathom_plain(s->gram, m),
                                             fathom_plain(s->inverse, m), 1, s->context);
    const double products = (double)(m + 3) * unit * (frobenius(s->gram, m * m) * inverse + sqrt((double)m));
    const double rows = (double)(s->d + 2) * unit * norm * norm * inverse;
    s->e = (frobenius(residual, m * m) + products + rows) * (1 + 0x1p-30);
    fathom_memory_free(s->context, residual);
    return status;
}

/* The signs of K^{-1} off the diagonal from Z and e: NO with its pair, YES, or UNKNOWN. */
static fathom_verdict read_signs(const spike *s, int64_t pair[2])
{
    const int64_t m = s->m;
    fathom_verdict verdict = FATHOM_YES;
    for (int64_t i = 0; i < m; i++) {
        const double error = fathom_blas_norm(s->inverse + i * m, m) * s->e / (1 - s->e) * (1 + 0x1p-30);
        for (int64_t j = 0; j < m; j++) {
            const double z = s->inverse[i * m + j];
            if (i != j && z > error) {
                pair[0] = i;
                pair[1] = j;
                return FATHOM_NO;
            }
            if (i != j && z > -error)
                verdict = FATHOM_UNKNOWN;
        }
    }
    return verdict;
}

/* The exact answer where floating point gives none. */
static void decide_exactly(fathom_geometry *result, const spike *s, int64_t pair[2])
{
    result->spike_method = "undecided: too many rows for exact arithmetic";
    if (s->m > EXACT_ROWS || s->d > EXACT_COLUMNS)
        return;
    const bool regular = fathom_exact_inverse_gram(&pair[0], &pair[1], s->r, s->m, s->d, s->d);
    result->spike_free = regular && pair[0] < 0 ? FATHOM_YES : FATHOM_NO;
    result->spike_method = regular ? "inverse Gram matrix, exact" : "dependent rows, exact";
    if (!regular)
        result->rho_lower = result->rho_upper = INFINITY;
}

/* t'K^{-1}t from Z, or the same with t_+; *error: how far it may be off. */
static double quadratic(double *error, const spike *s, const double *t, bool positive)
{
    const int64_t m = s->m;
    double sum = 0, square = 0;
    for (int64_t i = 0; i < m; i++) {
        double row = 0;
        for (int64_t j = 0; j < m; j++)
            row += s->inverse[i * m + j] * (positive ? fmax(t[j], 0) : t[j]);
        const double own = positive ? fmax(t[i], 0) : t[i];
        sum += own * row;
        square += own * own;
    }
    const double relative = s->e / (1 - s->e) + (double)(2 * m + 4) * 0x1p-53;
    *error = frobenius(s->inverse, m * m) * relative * square * (1 + 0x1p-30);
    return sum;
}

/* A lower bound on rho from t, every t being a multiple of some Ru. */
static double attained(const spike *s, const double *t)
{
    double error_up, error_down;
    const double up = quadratic(&error_up, s, t, true), down = quadratic(&error_down, s, t, false);
    return up > error_up ? sqrt((up - error_up) / (down + error_down)) * (1 - 0x1p-50) : 0;
}

/* g(w) = |L^{-1}(Lw)_+| / |w|, from below, and one power step for the gates of w: w <- P'Pw, P = L^{-1} G L.
 * t, p: m each. */
static double power_step(double *w, const spike *s, double *t, double *p)
{
    const int64_t m = s->m;
    const double length = fathom_blas_norm(w, m);
    for (int64_t i = 0; i < m; i++)
        t[i] = fathom_blas_dot(s->room + i * m, w, i + 1) / length;
    for (int64_t i = 0; i < m; i++)
        p[i] = fmax(t[i], 0);
    fathom_blas_triangular_solve(p, 1, fathom_plain(s->room, m), true, m, 1);
    const double value = attained(s, t);
    fathom_blas_triangular_solve(p, 1, fathom_transposed(s->room, m), false, m, 1);
    memset(w, 0, (size_t)m * sizeof *w);
    for (int64_t i = 0; i < m; i++)
        if (t[i] > 0)
            fathom_blas_axpy(w, p[i], s->room + i * m, i + 1);
    return value;
}

/* The pair with the largest z_ij / sqrt(z_ii z_jj): t_i = 1, t_j = -z_ij/z_jj alone give rho^2 >= 1 / (1 -
 * z_ij^2 / (z_ii z_jj)). */
static void best_pair(int64_t pair[2], const spike *s)
{
    double best = 0;
    pair[0] = pair[1] = -1;
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < i; j++) {
            const double z = s->inverse[i * s->m + j];
            const double share = z / sqrt(s->inverse[i * (s->m + 1)] * s->inverse[j * (s->m + 1)]);
            if (share > best) {
                best = share;
                pair[0] = i;
                pair[1] = j;
            }
        }
}

/* A start: t_i = 1 on one row of the best pair, -z on its partner; or random. */
static void start(double *w, const spike *s, int64_t number, const int64_t pair[2])
{
    fathom_random_normals(w, s->m, fathom_context_seed(s->context), FATHOM_STREAM_START, (uint32_t)number, 0);
    if (number > 1 || pair[0] < 0)
        return;
    memset(w, 0, (size_t)s->m * sizeof *w);
    w[pair[number]] = 1;
    w[pair[1 - number]] = -s->inverse[pair[0] * s->m + pair[1]] / s->inverse[pair[1 - number] * (s->m + 1)];
    fathom_blas_triangular_solve(w, 1, fathom_plain(s->room, s->m), true, s->m, 1);
}

static fathom_status search_rho(fathom_geometry *result, const spike *s)
{
    int64_t pair[2];
    double *w = fathom_memory_alloc(s->context, 3 * s->m, sizeof *w);
    if (!w)
        return FATHOM_ERROR_MEMORY;
    best_pair(pair, s);
    for (int64_t k = 0; k < STARTS; k++) {
        start(w, s, k, pair);
        for (int64_t step = 0; step < POWER_STEPS && fathom_blas_norm(w, s->m) > 0; step++) {
            const double value = power_step(w, s, w + s->m, w + 2 * s->m);
            if (value > result->rho_lower && s->best)
                memcpy(s->best, w + s->m, (size_t)s->m * sizeof *w);
            result->rho_lower = fmax(result->rho_lower, value);
        }
    }
    fathom_memory_free(s->context, w);
    return FATHOM_OK;
}

/* The Gram matrix and its inverse for unit rows, the largest entry, and (k + 1/k)/2. */
static fathom_status bound_rho(fathom_geometry *result, spike *s)
{
    const int64_t m = s->m;
    double *value = fathom_memory_alloc(s->context, m, sizeof *value);
    if (!value)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < m; i++)
        value[i] = sqrt(s->gram[i * m + i]);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) {
            s->gram[i * m + j] /= value[i] * value[j];
            const double z = s->inverse[i * m + j] * value[i] * value[j];
            if (i != j && !(z <= result->inverse_gram))
                result->inverse_gram = z;
        }
    fathom_status status = fathom_blas_eigen(value, s->gram, m, m, false, s->context);
    /* d + 4 roundings of entries that are at most 1, and 16 m of the largest eigenvalue for LAPACK */
    const double slack = (double)m * ((double)(s->d + 4) + 16 * value[m - 1]) * 0x1p-53;
    const double k = sqrt((value[m - 1] + slack) / (value[0] - slack));
    if (status == FATHOM_OK)
        result->rho_upper = value[0] > slack ? (k + 1 / k) / 2 * (1 + 0x1p-50) : INFINITY;
    fathom_memory_free(s->context, value);
    return status;
}

/* 2 <= m <= d directions. */
static fathom_status decide_gram(fathom_geometry *result, spike *s)
{
    int64_t pair[2] = {-1, -1};
    fathom_status status = invert(s);
    if (status == FATHOM_OK && isfinite(s->e))
        status = measure_residual(s);
    if (status != FATHOM_OK)
        return status;
    if (s->e < 1)
        result->spike_free = read_signs(s, pair);
    result->spike_method = "inverse Gram matrix, error bounds";
    if (result->spike_free == FATHOM_UNKNOWN)
        decide_exactly(result, s, pair);
    for (int k = 0; k < 2; k++)
        result->pair[k] = pair[k] < 0 ? -1 : s->row[pair[k]];
    if (!(s->e < 1))
        return FATHOM_OK;
    result->rho_lower = 1; /* any u with Au >= 0 */
    status = bound_rho(result, s);
    if (status == FATHOM_OK && result->spike_free == FATHOM_YES)
        result->rho_upper = 1;
    else if (status == FATHOM_OK)
        status = search_rho(result, s);
    FATHOM_THEN(status, fathom_interval_check(s->context, "rho", result->rho_lower, result->rho_upper));
    return status;
}

/* Rank one to rounding, A = c a': spike-free iff the coefficients c_i, measured along the largest row, have
 * one sign. */
static void decide_line(fathom_geometry *result, const double *x, int64_t n, int64_t d)
{
    int64_t largest = 0;
    bool negative = false;
    for (int64_t i = 1; i < n; i++)
        if (fathom_blas_norm(x + i * d, d) > fathom_blas_norm(x + largest * d, d))
            largest = i;
    for (int64_t i = 0; i < n && !negative; i++) {
        negative = fathom_blas_dot(x + i * d, x + largest * d, d) < 0;
        result->pair[0] = negative ? largest : -1;
        result->pair[1] = negative ? i : -1;
    }
    result->directions = negative ? 2 : 1;
    result->spike_free = negative ? FATHOM_NO : FATHOM_YES;
    result->spike_method = "rank one, signs";
    result->rho_lower = result->rho_upper = negative ? INFINITY : 1;
}

fathom_status fathom_spike_decide(fathom_geometry *result, const double *x, int64_t n, int64_t d,
                                  fathom_context *context)
{
    spike s = {.context = context, .d = d};
    result->spike_free = FATHOM_UNKNOWN;
    result->pair[0] = result->pair[1] = -1;
    result->inverse_gram = result->rho_lower = result->rho_upper = NAN;
    if (result->rank_one) {
        decide_line(result, x, n, d);
        return FATHOM_OK;
    }
    if (result->whitened_error <= (double)(d + 8) * 0x1p-51) { /* AA' = I to the rounding of AA' (NaN: no) */
        result->directions = n;
        result->spike_free = FATHOM_YES;
        result->spike_method = "whitened, to rounding";
        result->rho_lower = result->rho_upper = 1;
        return FATHOM_OK;
    }
    fathom_status status = gather(&s, x, n);
    result->directions = s.m;
    if (status == FATHOM_OK && s.m <= 1) {
        result->spike_free = FATHOM_YES;
        result->spike_method = s.m ? "one direction" : "zero matrix";
        result->rho_lower = result->rho_upper = (double)s.m;
    } else if (status == FATHOM_OK && s.m > d) {
        result->spike_free = FATHOM_NO;
        result->spike_method = "dependent rows: more directions than columns";
        result->rho_lower = result->rho_upper = INFINITY;
    } else if (status == FATHOM_OK) {
        status = decide_gram(result, &s);
    }
    void *const block[] = {s.r, s.row, s.gram, s.inverse, s.room};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(context, block[k]);
    return status;
}

/* u = R'Zt and c = Zt_+ of the best t: then <c, (Ru)_+> = |R'c|^2 and |R'c| > |u|, to rounding. */
static void show_regular(double *u, double *c, const spike *s, const double *x)
{
    const int64_t m = s->m, d = s->d;
    for (int64_t i = 0; i < m; i++) {
        double own = 0, positive = 0, largest = 0;
        int exponent;
        for (int64_t j = 0; j < m; j++) {
            own += s->inverse[i * m + j] * s->best[j];
            positive += s->inverse[i * m + j] * fmax(s->best[j], 0);
        }
        fathom_blas_axpy(u, own, s->r + i * d, d);
        for (int64_t k = 0; k < d; k++)
            largest = fmax(largest, fabs(x[s->row[i] * d + k]));
        frexp(largest, &exponent);
        c[s->row[i]] = ldexp(positive, -exponent); /* of the row as it is, not scaled as in R */
    }
}

/* A random u, and c the part of (Au)_+ that is orthogonal to the columns of A; q (d x n) is room for these. */
static void show_dependent(double *u, double *c, double *q, const double *x, int64_t n, const spike *s,
                           uint32_t number)
{
    const int64_t d = s->d;
    fathom_random_normals(u, d, fathom_context_seed(s->context), FATHOM_STREAM_START, number, 0);
    for (int64_t i = 0; i < n; i++)
        c[i] = fmax(fathom_blas_dot(x + i * d, u, d), 0);
    for (int64_t k = 0; k < d; k++) {
        double *column = q + k * n;
        for (int64_t i = 0; i < n; i++)
            column[i] = x[i * d + k];
        const double before = fathom_blas_norm(column, n);
        for (int64_t l = 0; l < 2 * k; l++) /* twice is enough */
            fathom_blas_axpy(column, -fathom_blas_dot(q + l % k * n, column, n), q + l % k * n, n);
        const double length = fathom_blas_norm(column, n);
        for (int64_t i = 0; i < n; i++)
            column[i] = length > 0x1p-40 * before ? column[i] / length : 0;
    }
    for (int64_t l = 0; l < 2 * d; l++)
        fathom_blas_axpy(c, -fathom_blas_dot(q + l % d * n, c, n), q + l % d * n, n);
}

/* Whether <c, (Au)_+> > |A'c||u| by more than rounding; room (d). */
static bool is_shown(const double *u, const double *c, double *room, const double *x, int64_t n, int64_t d)
{
    double gained = 0, size = 0;
    memset(room, 0, (size_t)d * sizeof *room);
    for (int64_t i = 0; i < n; i++) {
        const double t = fmax(fathom_blas_dot(x + i * d, u, d), 0);
        gained += c[i] * t;
        size += fabs(c[i]) * fathom_blas_norm(x + i * d, d);
        fathom_blas_axpy(room, c[i], x + i * d, d);
    }
    const double length = fathom_blas_norm(u, d);
    return gained - fathom_blas_norm(room, d) * length > 4 * (double)(n + d) * 0x1p-53 * size * length;
}

fathom_status fathom_spike_show(bool *shown, double *u, double *c, const double *x, int64_t n, int64_t d,
                                fathom_context *context)
{
    spike s = {.context = context, .d = d};
    fathom_geometry found = {.rho_lower = 1};
    double *q = fathom_memory_alloc(context, d * n + d, sizeof *q);
    fathom_status status = q ? gather(&s, x, n) : FATHOM_ERROR_MEMORY;
    const bool few = s.m > 1 && s.m <= d;
    *shown = false;
    s.e = INFINITY;
    if (status == FATHOM_OK && few)
        status = invert(&s);
    if (status == FATHOM_OK && few && isfinite(s.e))
        status = measure_residual(&s);
    memset(u, 0, (size_t)d * sizeof *u);
    memset(c, 0, (size_t)n * sizeof *c);
    if (status == FATHOM_OK && s.e < 1) {
        s.best = fathom_memory_zero(context, s.m, sizeof *s.best);
        status = s.best ? search_rho(&found, &s) : FATHOM_ERROR_MEMORY;
        if (status == FATHOM_OK)
            show_regular(u, c, &s, x);
    }
    *shown = status == FATHOM_OK && is_shown(u, c, q + d * n, x, n, d);
    for (uint32_t k = 0; k < STARTS && status == FATHOM_OK && !*shown && s.m > 1; k++) {
        show_dependent(u, c, q, x, n, &s, k);
        *shown = is_shown(u, c, q + d * n, x, n, d);
    }
    void *const block[] = {s.r, s.row, s.gram, s.inverse, s.room, s.best, q};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(context, block[k]);
    return status;
}
