/* SPDX-License-Identifier: Apache-2.0 */
/* Dense linear algebra against plain loops. Bound: a dot product of k terms errs by at most k u sum |x_i y_i|. */
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "product.h"
#include "random.h"

static void fill(double *x, int64_t count, uint32_t sub)
{
    fathom_random_normals(x, count, 1, FATHOM_STREAM_DATA, sub, 0);
}

static double entry(fathom_operand a, int64_t i, int64_t j)
{
    return a.transposed ? a.a[j * a.ld + i] : a.a[i * a.ld + j];
}

enum { LD = 13, SIDE = 12 };

static void gemm_equals_loops(void **state)
{
    (void)state;
    double a[LD * LD], b[LD * LD], c[LD * LD], was[LD * LD];
    fill(a, LD * LD, 1), fill(b, LD * LD, 2);
    for (int trial = 0; trial < 4 * SIDE; trial++) {
        const int64_t rows = 1 + trial % 5, columns = 1 + trial % 7, inner = trial % SIDE;
        const fathom_operand oa = {a, LD, trial & 1}, ob = {b, LD, trial & 2};
        const double beta = trial % 3 - 1;
        fill(c, LD * LD, 3);
        for (int k = 0; k < LD * LD; k++)
            was[k] = c[k];
        fathom_blas_gemm(c, LD, rows, columns, inner, 0.5, oa, ob, beta);
        for (int64_t i = 0; i < LD; i++)
            for (int64_t j = 0; j < LD; j++) {
                double sum = 0, size = 0;
                for (int64_t k = 0; k < inner && i < rows && j < columns; k++) {
                    sum += entry(oa, i, k) * entry(ob, k, j);
                    size += fabs(entry(oa, i, k) * entry(ob, k, j));
                }
                const bool inside = i < rows && j < columns;
                const double expected = inside ? 0.5 * sum + beta * was[i * LD + j] : was[i * LD + j];
                assert_close(c[i * LD + j], expected,
                             inside ? (double)(2 * inner + 4) * UNIT_ROUNDOFF * (size + fabs(was[i * LD + j]))
                                    : 0);
            }
    }
}

static void zero_beta_ignores_nan(void **state)
{
    (void)state;
    double a[4] = {1, 2, 3, 4}, c[4] = {NAN, NAN, NAN, NAN}, y[2] = {NAN, NAN};
    fathom_blas_gemm(c, 2, 2, 2, 2, 1, fathom_plain(a, 2), fathom_plain(a, 2), 0);
    assert_true(c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22);
    fathom_blas_gemv(y, 2, 2, 1, fathom_plain(a, 2), a, 0);
    assert_true(y[0] == 5 && y[1] == 11);
    fathom_blas_gemv(y, 2, 2, 1, fathom_transposed(a, 2), a, 0);
    assert_true(y[0] == 7 && y[1] == 10);
    fathom_blas_gemv(y, 2, 0, 1, fathom_plain(a, 2), a, 0);
    assert_true(y[0] == 0 && y[1] == 0);
}

static void syrk_is_symmetric(void **state)
{
    (void)state;
    double a[LD * LD], c[LD * LD], expected[LD * LD];
    fill(a, LD * LD, 4);
    for (int trial = 0; trial < 2; trial++) {
        const fathom_operand oa = {a, LD, trial == 1}, transposed = {a, LD, trial == 0};
        fathom_blas_syrk(c, LD, SIDE, 7, 2, oa, 0);
        fathom_blas_gemm(expected, LD, SIDE, SIDE, 7, 2, oa, transposed, 0);
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                assert_true(c[i * LD + j] == c[j * LD + i]);
                const double size = sqrt(expected[i * LD + i] * expected[j * LD + j]);
                assert_close(c[i * LD + j], expected[i * LD + j], 14 * UNIT_ROUNDOFF * size);
            }
    }
}

static void vectors(void **state)
{
    (void)state;
    double x[3] = {3, 4, 0}, y[3] = {1, -2, 5}, a[6] = {0};
    assert_true(fathom_blas_dot(x, y, 3) == -5);
    assert_true(fathom_blas_sum_abs(y, 3) == 8);
    assert_close(fathom_blas_norm(x, 3), 5, 10 * UNIT_ROUNDOFF);
    const double huge[2] = {3e200, 4e200};
    assert_close(fathom_blas_norm(huge, 2), 5e200, 5e200 * 8 * UNIT_ROUNDOFF);
    fathom_blas_axpy(y, 2, x, 3);
    assert_true(y[0] == 7 && y[1] == 6 && y[2] == 5);
    fathom_blas_scale(y, -1, 3);
    assert_true(y[0] == -7 && y[2] == -5);
    fathom_blas_ger(a, 3, 2, 3, 2, x, y);
    assert_true(a[0] == -42 && a[5] == -40);
    assert_true(fathom_blas_dot(x, y, 0) == 0);
}

/* Everything that is computed at some place of memory is computed to the same bits at any other: workspaces of threads lie
 * anywhere. One step off a line of the cache after the other. */
static void same_bits_at_every_alignment(void **state)
{
    (void)state;
    enum { N = 37, MOST = N * N, OFFSETS = 8, OUT = 3 * MOST + 4 * N };
    static double a[MOST + OFFSETS], x[MOST + OFFSETS], l[MOST + OFFSETS], first[OUT], other[OUT + OFFSETS];
    for (int at = 0; at < OFFSETS; at++) {
        double *ma = a + at, *mx = x + (at * 5) % OFFSETS, *ml = l + at, *out = at ? other + at : first;
        fill(ma, MOST, 1);
        fill(mx, MOST, 2);
        memset(out, 0, OUT * sizeof *out);
        fathom_blas_gemm(out, N, N, N, N, 1, fathom_plain(ma, N), fathom_transposed(mx, N), 0);
        fathom_blas_syrk(out + MOST, N, N, N, 1, fathom_plain(ma, N), 0);
        memcpy(ml, out + MOST, MOST * sizeof *ml);
        assert_true(fathom_blas_cholesky(ml, N, N) == 0);
        memcpy(out + 2 * MOST, mx, MOST * sizeof *mx);
        fathom_blas_cholesky_solve(out + 2 * MOST, N, ml, N, N, N);
        double *rest = out + 3 * MOST;
        memcpy(rest, mx, N * sizeof *mx);
        fathom_blas_cholesky_solve(rest, 1, ml, N, N, 1);
        fathom_blas_gemv(rest + N, N, N, 1, fathom_plain(ma, N), mx, 0);
        fathom_blas_gemv(rest + 2 * N, N, N, 1, fathom_transposed(ma, N), mx, 0);
        rest[3 * N] = fathom_blas_dot(ma, mx, MOST);
        rest[3 * N + 1] = fathom_blas_norm(ma, MOST);
        rest[3 * N + 2] = fathom_blas_sum_abs(ma, MOST);
        fathom_blas_axpy(rest + 3 * N + 3, rest[3 * N], mx, N - 3);
        assert_memory_equal(out, first, sizeof first);
    }
}

/* Triangular systems of every kind: op(T) X = B, and X op(T) = B, multiplied out again. Errors of substitution: n u |T| |X|. */
static void triangular_systems(void **state)
{
    (void)state;
    enum { N = 75, COLUMNS = 9 };
    static double t[N * N], x[N * N], b[N * N], back[N * N], size[N * N];
    for (int kind = 0; kind < 16; kind++) {
        const bool lower = kind & 1, transposed = kind & 2, right = kind & 4;
        const int64_t columns = kind & 8 ? 1 : COLUMNS, rows = right ? columns : N,
                      across = right ? N : columns;
        fill(t, N * N, 3);
        fill(b, N * N, 4);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++)
                t[i * N + j] = i == j ? 2 + fabs(t[i * N + j]) : (j < i) == lower ? t[i * N + j] / N : NAN;
        const fathom_operand op = {t, N, transposed};
        memcpy(x, b, sizeof x);
        if (right)
            fathom_blas_triangular_solve_right(x, across, op, lower, N, columns);
        else
            fathom_blas_triangular_solve(x, across, op, lower, N, columns);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < across; j++) {
                double sum = 0, terms = 0;
                for (int64_t k = 0; k < N; k++) {
                    const double e = right ? entry(op, k, j) : entry(op, i, k);
                    const double v = right ? x[i * across + k] : x[k * across + j];
                    sum += isnan(e) ? 0 : e * v;
                    terms += isnan(e) ? 0 : fabs(e * v);
                }
                back[i * across + j] = sum;
                size[i * across + j] = terms;
            }
        for (int64_t k = 0; k < rows * across; k++)
            assert_close(back[k], b[k], 4 * N * UNIT_ROUNDOFF * (size[k] + fabs(b[k])));
    }
}

/* Kernels of this processor: those with fused operations agree bit for bit, all agree to rounding, over odd shapes. */
static void kernels_agree(void **state)
{
    (void)state;
    enum { MOST = 300 * 60 };
    static double a[MOST], b[MOST], first[MOST], other[MOST];
    const int64_t shapes[][3] = {{1, 1, 1},     {3, 50, 7},   {50, 3, 300},
                                 {60, 57, 290}, {9, 25, 257}, {57, 1, 40}};
    fill(a, MOST, 5);
    fill(b, MOST, 6);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int flags = 0; flags < 4; flags++) {
            const int64_t n = shapes[s][0], m = shapes[s][1], d = shapes[s][2];
            const fathom_operand x = {a, flags & 1 ? n : d, flags & 1}, y = {b, flags & 2 ? d : m, flags & 2};
            const fathom_product_kernel *kernel = fathom_product_kernel_number(0);
            fathom_product(first, m, n, m, d, 0.7, x, y, 0, kernel);
            for (int k = 1; fathom_product_kernel_number(k); k++) {
                const fathom_product_kernel *next = fathom_product_kernel_number(k);
                fathom_product(other, m, n, m, d, 0.7, x, y, 0, next);
                if (strcmp(next->name, "plain") != 0)
                    assert_memory_equal(other, first, (size_t)(n * m) * sizeof *first);
                for (int64_t i = 0; i < n * m; i++)
                    assert_close(other[i], first[i], 8 * (double)d * (double)d * UNIT_ROUNDOFF);
            }
        }
}

/* An entry of C as product.c promises it: pieces of the inner dimension one after the other, each a chain. */
static double chained(fathom_operand a, fathom_operand b, int64_t i, int64_t j, int64_t inner, double alpha,
                      double beta, double c, bool fused)
{
    enum { DEPTH = 512, LINE = 8 };
    const int64_t pieces = (inner + DEPTH - 1) / DEPTH, even = (inner + pieces - 1) / pieces,
                  length = (even + LINE - 1) / LINE * LINE;
    double value = beta == 1 ? c : beta * c;
    for (int64_t first = 0; first < inner; first += length) {
        double sum = 0;
        for (int64_t k = first; k < inner && k < first + length; k++)
            sum = fused ? fma(entry(a, i, k), entry(b, k, j), sum) : entry(a, i, k) * entry(b, k, j) + sum;
        value = first == 0 && beta == 0 ? alpha * sum : value + alpha * sum;
    }
    return value;
}

/* Whether the last kernel, which every processor has, rounds products. */
static bool plain_is_fused(void)
{
#ifdef __FP_FAST_FMA
    return true;
#else
    return false;
#endif
}

/* Shapes around every block and tile of product.c, at odd places: the bits of the definition, and nothing
 * written beside C. */
static void products_are_chains(void **state)
{
    (void)state;
    enum { ROWS = 60, COLUMNS = 330, INNER = 1100, GAP = 3, TRIALS = 36 };
    double *a = malloc((INNER + GAP) * (ROWS + GAP) * sizeof *a),
           *was = malloc(ROWS * (COLUMNS + GAP) * sizeof *was);
    double *b = malloc((INNER + GAP) * (COLUMNS + GAP) * sizeof *b),
           *c = malloc(ROWS * (COLUMNS + GAP) * sizeof *c);
    assert_true(a && b && c && was);
    fill(a, (INNER + GAP) * (ROWS + GAP), 7);
    fill(b, (INNER + GAP) * (COLUMNS + GAP), 8);
    fill(was, ROWS * (COLUMNS + GAP), 9);
    for (int trial = 0; trial < TRIALS; trial++) {
        const int64_t n = trial < 9 ? 41 + trial : 1 + (trial * 7) % 24, gap = trial % GAP;
        const int64_t m = trial % 6 == 0 ? 287 + trial : 1 + (trial * 11) % 75;
        const int64_t d = trial % 5 == 0 ? 505 + trial : trial == 7 ? 1050 : 1 + (trial * 13) % 40;
        const bool ta = trial & 1, tb = trial & 2;
        const fathom_operand x = {a + trial % 8, (ta ? n : d) + gap, ta},
                             y = {b + trial % 7, (tb ? d : m) + gap, tb};
        const double beta = trial % 4 == 3 ? 0.5 : trial % 4 == 2;
        const int64_t ld = m + gap;
        for (int k = 0; fathom_product_kernel_number(k); k++) {
            const fathom_product_kernel *kernel = fathom_product_kernel_number(k);
            const bool fused = strcmp(kernel->name, "plain") != 0 || plain_is_fused();
            memcpy(c, was, (size_t)(n * ld) * sizeof *c);
            fathom_product(c, ld, n, m, d, 0.7, x, y, beta, kernel);
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < ld; j++)
                    assert_true(c[i * ld + j] ==
                                (j < m ? chained(x, y, i, j, d, 0.7, beta, was[i * ld + j], fused)
                                       : was[i * ld + j]));
        }
    }
    free(a), free(b), free(c), free(was);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_equals_loops),
        cmocka_unit_test(zero_beta_ignores_nan),
        cmocka_unit_test(syrk_is_symmetric),
        cmocka_unit_test(vectors),
        cmocka_unit_test(same_bits_at_every_alignment),
        cmocka_unit_test(triangular_systems),
        cmocka_unit_test(kernels_agree),
        cmocka_unit_test(products_are_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
