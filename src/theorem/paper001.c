/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [001]: rectified ellipsoids of data matrices A (n x d), extreme points, and l0-l1 equivalence.
 *
 *   3.4         A Gaussian: rho(A) = max_{|u| = 1} |A^+ (Au)_+| tends to 1 as d grows (it need not equal 1).
 *   3.5         every row a vertex of the convex hull: n neurons with biases, one per row, interpolate any target.
 *   3.6         A Gaussian, d > 4 n ln^2(n - 1): every row is a vertex (n <= d + 1 suffices).
 *   spike-free  the rectified ellipsoid is A B_2 in the orthant [Lemma 2.3, Prop. 3.2].
 *   l0-l1       A spike-free of full row rank: the two neurons of Lemma 3.1 have the least l1 norm if and only if
 *               K^-1 y_+ / |A^+ y_+| + K^-1 y_- / |A^+ y_-| >= 0, K = AA'.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "fathom/geometry.h"
#include "memory.h"
#include "min_norm.h"
#include "nonnegative.h"
#include "theorem_internal.h"

static fathom_status measure(fathom_geometry *geometry, theorem_run *run)
{
    return fathom_geometry_compute(geometry, run->context, run->data, NULL);
}

/* Standard scores of mean, variance and kurtosis of all entries: what i.i.d. N(0, 1) numbers would leave below 4. */
static void assume_gaussian(theorem_run *run)
{
    const double count = (double)(run->n * run->d);
    double mean = 0, square = 0, fourth = 0;
    for (int64_t k = 0; k < run->n * run->d; k++) {
        const double t = run->x[k] * run->x[k];
        mean += run->x[k] / count;
        square += t / count;
        fourth += t * t / count;
    }
    theorem_assume(run, "Gaussian entries: score of the mean", fabs(mean) * sqrt(count), "<=", 4);
    theorem_assume(run, "Gaussian entries: score of the variance", fabs(square - 1) * sqrt(count / 2),
                   "<=", 4);
    theorem_assume(run, "Gaussian entries: score of the fourth moment", fabs(fourth - 3) * sqrt(count / 96),
                   "<=", 4);
}

static fathom_status check_3_4(theorem_run *run)
{
    const double n = (double)run->n, d = (double)run->d;
    const double ratio = (sqrt(d) + sqrt(n)) / (sqrt(d) - sqrt(n)); /* the condition number to expect */
    fathom_geometry g;
    FATHOM_TRY(measure(&g, run));
    assume_gaussian(run);
    theorem_assume(run, "n / d", n / d, "<", 1);
    const double slack = 1 + 4 / sqrt(d);
    theorem_compare_limit(run, "rho(A)", (theorem_range){g.rho_lower, g.rho_upper},
                          "<=", theorem_exact(d > n ? slack * (ratio + 1 / ratio) / 2 : INFINITY));
    theorem_vacuous(run, d <= n, "there is no bound for n >= d");
    return FATHOM_OK;
}

static int vertices_known(const fathom_geometry *g) { return g->hull_known && g->hull_undecided == 0; }

/* max_i |f(x_i) - y_i| of the n neurons (u_j, b_j): u_j away from the hull of the others, b_j = -max_{i != j} <u_j, x_i>. */
static fathom_status interpolate(double *error, theorem_run *run)
{
    const int64_t n = run->n, d = run->d;
    fathom_min_norm w;
    double *f = fathom_memory_zero(run->context, 2 * n, sizeof *f);
    *error = NAN;
    if (!f)
        return FATHOM_ERROR_MEMORY;
    double *product = f + n;
    fathom_status status = fathom_min_norm_open(&w, run->context, n, d);
    for (int64_t j = 0; j < n && status == FATHOM_OK && n > 1; j++) {
        double bias = -INFINITY;
        fathom_min_norm_solve(&w, run->x, n, run->x + j * d, j, run->reach);
        fathom_blas_gemv(product, n, d, -1, fathom_plain(run->x, d), w.x, 0);
        for (int64_t i = 0; i < n; i++)
            bias = i == j ? bias : fmax(bias, product[i]);
        for (int64_t i = 0; i < n; i++)
            f[i] += run->y[j] * fmax(0, product[i] - bias) / (product[j] - bias);
    }
    if (status == FATHOM_OK) {
        *error = 0;
        for (int64_t i = 0; i < n && n > 1; i++)
            *error = fmax(*error, fabs(f[i] - run->y[i]));
    }
    fathom_min_norm_close(&w);
    fathom_memory_free(run->context, f);
    return status;
}

static fathom_status check_3_5(theorem_run *run)
{
    fathom_geometry g;
    double error = NAN, size = 0;
    FATHOM_TRY(measure(&g, run));
    fathom_status status = FATHOM_OK;
    const double count = (double)g.hull_vertices;
    theorem_assume_range(
        run, "rows that are vertices of the hull",
        (theorem_range){g.hull_known ? count : NAN, g.hull_known ? count + (double)g.hull_undecided : NAN},
        "=", theorem_exact((double)run->n));
    if (vertices_known(&g) && g.hull_vertices == run->n)
        status = interpolate(&error, run);
    for (int64_t i = 0; i < run->n; i++)
        size = fmax(size, fabs(run->y[i]));
    if (!isnan(error))
        theorem_compare(run, "largest |f(x_i) - y_i| of the n neurons", error, "<=", 1e-9 * fmax(size, 1));
    return status;
}

static fathom_status check_3_6(theorem_run *run)
{
    fathom_geometry g;
    const double n = (double)run->n, l = n > 1 ? log(n - 1) : 0;
    FATHOM_TRY(measure(&g, run));
    assume_gaussian(run);
    theorem_assume(run, "d", (double)run->d, ">", 4 * n * l * l);
    theorem_compare(run, "rows that are vertices of the hull",
                    vertices_known(&g) ? (double)g.hull_vertices : NAN, "=", n);
    theorem_soften(run, true, "moments do not prove that entries are independent and Gaussian");
    return FATHOM_OK;
}

static fathom_status check_spike_free(theorem_run *run)
{
    fathom_geometry g;
    FATHOM_TRY(measure(&g, run));
    if (isnan(g.inverse_gram) && g.whitened)
        theorem_assume(run, "whitened: largest entry of |AA' - I|", g.whitened_error, "<=", 1e-10);
    else if (isnan(g.inverse_gram) && g.rank_one)
        theorem_assume(run, "rank one: distinct directions of rows", (double)g.directions, "<=", 1);
    else {
        theorem_assume(run, "rank minus distinct directions of rows", (double)(g.rank - g.directions), "=",
                       0);
        theorem_assume(run, "largest off-diagonal of the inverse Gram matrix",
                       isnan(g.inverse_gram) && g.directions <= 1 ? 0 : g.inverse_gram, "<=", 0);
    }
    theorem_compare(run, "spike-free (1: decided yes)",
                    g.spike_free == FATHOM_UNKNOWN ? NAN : g.spike_free == FATHOM_YES, "=", 1);
    theorem_compare(run, "rho(A), attained", g.rho_lower, "<=", 1 + 1e-9);
    return FATHOM_OK;
}

/* part <- K^{-1} part, and |A^+ part| = sqrt(part' K^{-1} part). */
static double invert(double *part, const double *target, const double *factor, int64_t n)
{
    memcpy(part, target, (size_t)n * sizeof *part);
    fathom_blas_cholesky_solve(part, 1, factor, n, n, 1);
    return sqrt(fmax(0, fathom_blas_dot(part, target, n)));
}

/* The least l1 norm for spike-free A: atoms are t >= 0, t'K^{-1}t <= 1, so that it is min |L^-1 a| + |L^-1 b| over a, b >= 0 with
 * a - b = y. From below by its dual, v: sup over atoms of |v't| <= 1; here for v = K^-1 (y_+/|y_+| - y_-/|y_-|) the supremum is
 * found by least norms: max v't over atoms = 1 / min {|L^-1 t| : t >= 0, v't >= 1}. */
static fathom_status dual_bound(double *bound, const double *v, const double *l, theorem_run *run)
{
    const int64_t n = run->n;
    double *block = fathom_memory_zero(run->context, (n + 1) * n + 3 * (n + 1) + n, sizeof *block);
    fathom_status status = block ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *bound = 0;
    for (int sign = -1; sign <= 1 && status == FATHOM_OK; sign += 2) {
        double *z = block, *c = z + (n + 1) * n, *multiplier = c + n + 1, *s = multiplier + n + 1;
        fathom_least_norm result;
        memset(block, 0, (size_t)((n + 1) * n + 3 * (n + 1)) * sizeof *block);
        for (int64_t i = 0; i < n; i++) /* t = L s: rows of L, and sign L'v */
            memcpy(z + i * n, l + i * n, (size_t)(i + 1) * sizeof *z);
        fathom_blas_gemv(z + n * n, n, n, sign, fathom_transposed(z, n), v, 0);
        c[n] = 1;
        status = fathom_least_norm_solve(&result, s, multiplier, z, n + 1, n, c, run->context);
        if (result.lower > 0)
            *bound = fmax(*bound, 1 / result.lower);
    }
    fathom_memory_free(run->context, block);
    return status;
}

/* Lemma 3.1's two neurons beside the least l1 norm. */
static fathom_status compare_norms(theorem_run *run, double *block, bool spike_free)
{
    const int64_t n = run->n, d = run->d;
    double *gram = block, *plus = gram + n * n, *minus = plus + n, *a = minus + n, *b = a + n;
    double least = INFINITY, price = NAN;
    for (int64_t i = 0; i < n; i++) {
        plus[i] = fmax(run->y[i], 0);
        minus[i] = fmax(-run->y[i], 0);
    }
    fathom_blas_syrk(gram, n, n, d, 1, fathom_plain(run->x, d), 0);
    if (fathom_blas_cholesky(gram, n, n) != 0) {
        theorem_assume(run, "K = AA' is positive definite", 0, "=", 1);
        return FATHOM_OK;
    }
    const double first = invert(a, plus, gram, n), second = invert(b, minus, gram, n);
    for (int64_t i = 0; i < n; i++)
        least = fmin(least, a[i] / first + b[i] / second);
    theorem_assume(run, "least entry of K^-1 y_+/|A^+ y_+| + K^-1 y_-/|A^+ y_-|", least, ">=", 0);
    for (int64_t i = 0; i < n; i++)
        a[i] = a[i] / first - b[i] / second;
    const double value = fathom_blas_dot(a, run->y, n);
    const fathom_status status = spike_free ? dual_bound(&price, a, gram, run) : FATHOM_OK;
    if (status == FATHOM_OK) /* v / price is feasible: y'v / price is a lower bound of the least l1 norm */
        theorem_compare(run, "norm of the two neurons", first + second, "<=", value / price * (1 + 1e-9));
    return status;
}

static fathom_status check_l0_l1(theorem_run *run)
{
    fathom_geometry g;
    int64_t positive = 0, negative = 0;
    FATHOM_TRY(measure(&g, run));
    for (int64_t i = 0; i < run->n; i++)
        positive += run->y[i] > 0, negative += run->y[i] < 0;
    theorem_assume(run, "rank of A", (double)g.rank, "=", (double)run->n);
    theorem_assume(run, "targets of the rarer sign", (double)(positive < negative ? positive : negative),
                   ">=", 1);
    theorem_assume(run, "spike-free (1: yes)",
                   g.spike_free == FATHOM_UNKNOWN ? NAN : g.spike_free == FATHOM_YES, "=", 1);
    if (g.rank < run->n || positive == 0 || negative == 0)
        return FATHOM_OK;
    double *block = fathom_memory_alloc(run->context, run->n * run->n + 4 * run->n, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = compare_norms(run, block, g.spike_free == FATHOM_YES);
    fathom_memory_free(run->context, block);
    return status;
}

const theorem_row theorem_rows_001[] = {
    {"001:3.4", true, check_3_4, "For a Gaussian A (n x d) rho(A) = max |A^+ (Au)_+| tends to 1 as d grows.",
     "the paper says that A is spike-free with probability tending to 1: false (1/2 for n = 2 and every d). "
     "rho(A) -> 1 is true, by "
     "rho <= (k + 1/k)/2, k the condition number",
     0, NULL, NULL},
    {"001:3.5", true, check_3_5,
     "If every row is a vertex of the convex hull, n neurons (with biases) interpolate any target.", NULL, 0,
     NULL, NULL},
    {"001:3.6", true, check_3_6,
     "Gaussian rows with d > 4 n ln^2(n - 1) are all vertices of their convex hull with high probability.",
     "n <= d + 1, which the condition implies, suffices with probability 1", 0, NULL, NULL},
    {"001:spike-free", true, check_spike_free,
     "The rectified ellipsoid of A is A B_2 in the orthant: neurons that are active everywhere suffice.",
     "decided by the inverse Gram matrix of the distinct directions: independent rows, no positive "
     "off-diagonal entry",
     0, NULL, NULL},
    {"001:l0-l1", true, check_l0_l1,
     "The two neurons of Lemma 3.1 have the least l1 norm among all networks that interpolate.",
     "for spike-free A the exact condition is K^-1 y_+/|A^+ y_+| + K^-1 y_-/|A^+ y_-| >= 0; for others the "
     "test says nothing",
     0, NULL, NULL},
    {NULL, false, NULL, NULL, NULL, 0, NULL, NULL}};
