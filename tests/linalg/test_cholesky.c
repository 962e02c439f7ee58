/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled Cholesky factorisation: identity L L' = A within its own bound, same bits for every thread count. */
#include "testing.h"

#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "random.h"

/* A = G G' + n I / 4 for Gaussian G, symmetric. */
static double *positive_matrix(int64_t n)
{
    double *g = malloc((size_t)(n * n) * sizeof *g), *a = malloc((size_t)(n * n) * sizeof *a);
    fathom_random_normals(g, n * n, 7, FATHOM_STREAM_DATA, (uint32_t)n, 0);
    fathom_blas_syrk(a, n, n, n, 1, fathom_plain(g, n), 0);
    for (int64_t i = 0; i < n; i++)
        a[i * n + i] += 0.25 * (double)n;
    free(g);
    return a;
}

static double trace_of(const double *a, int64_t n)
{
    double trace = 0;
    for (int64_t i = 0; i < n; i++)
        trace += a[i * n + i];
    return trace;
}

/* Largest |L L' - A| of an entry; the bound of cholesky.h is on the 2-norm, which no entry exceeds. */
static void factor_reproduces_matrix(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 37, 256, 257, 600};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const int64_t n = sizes[k];
        double *a = positive_matrix(n), *l = malloc((size_t)(n * n) * sizeof *l);
        memcpy(l, a, (size_t)(n * n) * sizeof *l);
        int64_t minor = -1;
        assert_ok(context, fathom_cholesky_factor(&minor, l, n, n, context));
        assert_int_equal(minor, 0);
        const double slack = fathom_cholesky_slack(n, trace_of(a, n));
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                if (j > i) {
                    assert_true(l[i * n + j] == a[i * n + j]);
                    continue;
                }
                long double sum = 0;
                for (int64_t p = 0; p <= j; p++)
                    sum += (long double)l[i * n + p] * l[j * n + p];
                assert_close((double)sum, a[i * n + j], slack);
            }
        free(a);
        free(l);
    }
    fathom_context_free(context);
}

static void same_bits_for_every_thread_count(void **state)
{
    (void)state;
    enum { N = 530 };
    double *reference = NULL;
    for (int threads = 1; threads <= 4; threads++) {
        fathom_context *context;
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        fathom_context_set_threads(context, threads);
        double *l = positive_matrix(N);
        int64_t minor;
        assert_ok(context, fathom_cholesky_factor(&minor, l, N, N, context));
        if (reference)
            assert_memory_equal(l, reference, N * N * sizeof *l);
        free(reference);
        reference = l;
        fathom_context_free(context);
    }
    free(reference);
}

/* |A x - b| <= (3n + 1) u | |A| + |L||L'| | |x|-style backward error, taken with the norms' upper bounds. */
static void solve_has_small_residual(void **state)
{
    (void)state;
    enum { N = 520, COLUMNS = 3 };
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    double *a = positive_matrix(N), *l = positive_matrix(N);
    double *x = malloc(N * COLUMNS * sizeof *x), *b = malloc(N * COLUMNS * sizeof *b);
    fathom_random_normals(b, N * COLUMNS, 3, FATHOM_STREAM_DATA, 0, 0);
    memcpy(x, b, N * COLUMNS * sizeof *x);
    int64_t minor;
    assert_ok(context, fathom_cholesky_factor(&minor, l, N, N, context));
    fathom_cholesky_apply(x, COLUMNS, COLUMNS, l, N, N, context);
    const double bound = 3 * fathom_cholesky_slack(N, trace_of(a, N));
    for (int64_t c = 0; c < COLUMNS; c++) {
        double size = 0, residual = 0;
        for (int64_t i = 0; i < N; i++) {
            long double sum = -b[i * COLUMNS + c];
            for (int64_t j = 0; j < N; j++)
                sum += (long double)a[i * N + j] * x[j * COLUMNS + c];
            residual = fmax(residual, fabs((double)sum));
            size += x[i * COLUMNS + c] * x[i * COLUMNS + c];
        }
        assert_close(residual, 0, bound * sqrt(size));
    }
    free(a);
    free(l);
    free(x);
    free(b);
    fathom_context_free(context);
}

static void indefinite_matrix_is_found(void **state)
{
    (void)state;
    enum { N = 400, BAD = 301 };
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    double *a = calloc(N * N, sizeof *a);
    for (int64_t i = 0; i < N; i++)
        a[i * N + i] = i == BAD - 1 ? -1 : 1;
    int64_t minor;
    assert_ok(context, fathom_cholesky_factor(&minor, a, N, N, context));
    assert_int_equal(minor, BAD);
    free(a);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factor_reproduces_matrix),
        cmocka_unit_test(same_bits_for_every_thread_count),
        cmocka_unit_test(solve_has_small_residual),
        cmocka_unit_test(indefinite_matrix_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
