/* SPDX-License-Identifier: Apache-2.0 */
/* Long calls of LAPACK: the identity that they state, the same bits as often as they run, and their end
 * where a limit is overdue, with the caller's numbers as they were. */
#include "testing.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "blas.h"
#include "random.h"

/* A = (G + G') / 2 for Gaussian G. */
static double *symmetric_matrix(int64_t n)
{
    double *a = malloc((size_t)(n * n) * sizeof *a);
    fathom_random_normals(a, n * n, 3, FATHOM_STREAM_DATA, (uint32_t)n, 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i] = (a[i * n + j] + a[j * n + i]) / 2;
    return a;
}

/* |A v - lambda v| <= c n u |A| for the first and the last vector, c = 64; |A| <= sum of absolute values
 * of a row. */
static void eigenvectors_aside(void **state)
{
    (void)state;
    const int64_t n = 520; /* 9 n^3 operations: on a thread of its own */
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    double *a = symmetric_matrix(n), *v = malloc((size_t)(n * n) * sizeof *v),
           *again = malloc((size_t)(n * n) * sizeof *v), value[520], other[520], image[520], most = 0;
    memcpy(v, a, (size_t)(n * n) * sizeof *v);
    memcpy(again, a, (size_t)(n * n) * sizeof *v);
    assert_ok(context, fathom_blas_eigen(value, v, n, n, true, context));
    assert_ok(context, fathom_blas_eigen(other, again, n, n, true, context));
    assert_memory_equal(value, other, sizeof value);
    assert_memory_equal(v, again, (size_t)(n * n) * sizeof *v);
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fathom_blas_sum_abs(a + i * n, n));
    for (int64_t k = 0; k < n; k += n - 1) {
        fathom_blas_gemv(image, n, n, 1, fathom_plain(a, n), v + k * n, 0);
        fathom_blas_axpy(image, -value[k], v + k * n, n);
        assert_true(fathom_blas_norm(image, n) <= 64 * (double)n * 0x1p-53 * most);
    }
    free(a);
    free(v);
    free(again);
    fathom_context_free(context);
}

/* Given up some tenths of a second after a limit that has passed: within two seconds of the processor, where
 * the call alone would take many. What goes on behind our back changes nothing of ours, not even while the
 * program ends. */
static void given_up(void **state)
{
    (void)state;
    const int64_t n = 2500;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    double *a = symmetric_matrix(n), *before = malloc((size_t)(n * n) * sizeof *a);
    double *value = calloc((size_t)n, sizeof *value);
    memcpy(before, a, (size_t)(n * n) * sizeof *a);
    fathom_context_start_clock(context);
    fathom_context_set_time_limit(context, 0);
    const clock_t start = clock(); /* of the processor, which the call that is left behind goes on using */
    assert_int_equal(fathom_blas_eigen(value, a, n, n, true, context), FATHOM_ERROR_STOPPED);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 2);
    assert_memory_equal(a, before, (size_t)(n * n) * sizeof *a);
    assert_true(value[0] == 0);
    assert_int_equal(fathom_blas_eigen(value, a, n, n, true, context), FATHOM_ERROR_STOPPED);
    assert_ok(context, fathom_blas_eigen(value, a, n, 20, true, context)); /* what is short runs to its end */
    fathom_context_interrupt(context);
    fathom_context_start_clock(context);
    assert_false(fathom_context_interrupted(context));
    free(a);
    free(before);
    free(value);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(eigenvectors_aside), cmocka_unit_test(given_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
