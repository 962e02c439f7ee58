/* SPDX-License-Identifier: Apache-2.0 */
/* Factorisations are judged by what they promise: the product gives the matrix back, factors are orthonormal. The
 * bound is BACKWARD n u |A|, LAPACK's backward error with a constant that covers the matrices drawn here. */
#include "testing.h"

#include <stdlib.h>

#include <omp.h>

#include "blas.h"
#include "blas_library.h"
#include "random.h"

enum { ROWS = 9, COLUMNS = 6, BACKWARD = 8 };
static const double bound = BACKWARD * ROWS * UNIT_ROUNDOFF;

static void fill(double *x, int64_t count, uint32_t sub)
{
    fathom_random_normals(x, count, 1, FATHOM_STREAM_DATA, sub, 0);
}

static void assert_same(const double *a, const double *b, int64_t count)
{
    const double size = fathom_blas_norm(b, count);
    for (int64_t k = 0; k < count; k++)
        assert_close(a[k], b[k], bound * size);
}

static void assert_orthonormal(fathom_operand q, int64_t k, int64_t inner)
{
    double gram[ROWS * ROWS];
    fathom_blas_syrk(gram, k, k, inner, 1, q, 0);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++)
            assert_close(gram[i * k + j], i == j, bound);
}

static void cholesky(void **state)
{
    (void)state;
    double b[COLUMNS * ROWS], a[COLUMNS * COLUMNS], l[COLUMNS * COLUMNS], x[COLUMNS * 2], back[COLUMNS * 2];
    fill(b, COLUMNS * ROWS, 1);
    fathom_blas_syrk(a, COLUMNS, COLUMNS, ROWS, 1, fathom_plain(b, ROWS), 0);
    for (int k = 0; k < COLUMNS * COLUMNS; k++)
        l[k] = a[k];
    assert_int_equal(fathom_blas_cholesky(l, COLUMNS, COLUMNS), 0);
    double right[COLUMNS * 2];
    fill(right, COLUMNS * 2, 2);
    for (int k = 0; k < COLUMNS * 2; k++)
        x[k] = right[k];
    fathom_blas_cholesky_solve(x, 2, l, COLUMNS, COLUMNS, 2);
    fathom_blas_gemm(back, 2, COLUMNS, 2, COLUMNS, 1, fathom_plain(a, COLUMNS), fathom_plain(x, 2), 0);
    const double size = fathom_blas_norm(a, COLUMNS * COLUMNS) * fathom_blas_norm(x, COLUMNS * 2);
    for (int k = 0; k < COLUMNS * 2; k++)
        assert_close(back[k], right[k], bound * size);
    a[COLUMNS + 1] = -1;
    assert_int_equal(fathom_blas_cholesky(a, COLUMNS, COLUMNS), 2);
}

static void eigen(void **state)
{
    fathom_context *context = *state;
    double b[ROWS * COLUMNS], a[ROWS * ROWS], q[ROWS * ROWS], value[ROWS], only[ROWS], back[ROWS * ROWS];
    fill(b, ROWS * COLUMNS, 3);
    fathom_blas_syrk(a, ROWS, ROWS, COLUMNS, 1, fathom_plain(b, COLUMNS), 0); /* rank COLUMNS: zeros too */
    for (int k = 0; k < ROWS * ROWS; k++)
        q[k] = back[k] = a[k];
    assert_ok(context, fathom_blas_eigen(value, q, ROWS, ROWS, true, context));
    assert_ok(context, fathom_blas_eigen(only, back, ROWS, ROWS, false, context));
    assert_orthonormal(fathom_plain(q, ROWS), ROWS, ROWS);
    double scaled[ROWS * ROWS];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
            scaled[i * ROWS + j] = value[i] * q[i * ROWS + j];
    fathom_blas_gemm(back, ROWS, ROWS, ROWS, ROWS, 1, fathom_transposed(q, ROWS), fathom_plain(scaled, ROWS),
                     0);
    assert_same(back, a, ROWS * ROWS);
    for (int i = 0; i < ROWS; i++) {
        assert_close(value[i], only[i], bound * value[ROWS - 1]);
        assert_true(i == 0 || value[i] >= value[i - 1]);
    }
}

static void qr(void **state)
{
    fathom_context *context = *state;
    double a[ROWS * ROWS], q[ROWS * ROWS], r[COLUMNS * COLUMNS], back[ROWS * ROWS] = {0};
    fill(a, ROWS * ROWS, 4);
    for (int i = 0; i < ROWS; i++)
        for (int j = COLUMNS; j < ROWS; j++)
            a[i * ROWS + j] = 0;
    for (int k = 0; k < ROWS * ROWS; k++)
        q[k] = a[k];
    assert_ok(context, fathom_blas_qr(q, ROWS, r, ROWS, COLUMNS, context));
    assert_orthonormal(fathom_transposed(q, ROWS), COLUMNS, ROWS);
    fathom_blas_gemm(back, ROWS, ROWS, COLUMNS, COLUMNS, 1, fathom_plain(q, ROWS), fathom_plain(r, COLUMNS),
                     0);
    assert_same(back, a, ROWS * ROWS);
    assert_true(r[COLUMNS] == 0);
    assert_int_equal(fathom_blas_qr(q, ROWS, r, 2, 3, context), FATHOM_ERROR_USAGE);
}

static void svd_of(fathom_context *context, int64_t rows, int64_t columns)
{
    const int64_t k = rows < columns ? rows : columns;
    double a[ROWS * ROWS], copy[ROWS * ROWS], u[ROWS * ROWS], vt[ROWS * ROWS], s[ROWS], only[ROWS];
    fill(a, rows * columns, 5);
    for (int64_t i = 0; i < rows * columns; i++)
        copy[i] = a[i];
    assert_ok(context, fathom_blas_svd(s, u, vt, copy, columns, rows, columns, context));
    assert_orthonormal(fathom_transposed(u, k), k, rows);
    assert_orthonormal(fathom_plain(vt, columns), k, columns);
    for (int64_t i = 0; i < rows * columns; i++)
        copy[i] = a[i];
    assert_ok(context, fathom_blas_svd(only, NULL, NULL, copy, columns, rows, columns, context));
    for (int64_t i = 0; i < k; i++) {
        assert_close(only[i], s[i], bound * s[0]);
        fathom_blas_scale(vt + i * columns, s[i], columns);
    }
    fathom_blas_gemm(copy, columns, rows, columns, k, 1, fathom_plain(u, k), fathom_plain(vt, columns), 0);
    assert_same(copy, a, rows * columns);
}

static void svd(void **state)
{
    svd_of(*state, ROWS, COLUMNS);
    svd_of(*state, COLUMNS, ROWS);
    svd_of(*state, 1, 1);
}

static int make(void **state) { return fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK; }

static int unmake(void **state)
{
    fathom_context_free(*state);
    return 0;
}

#ifdef FATHOM_BLAS_SET_THREADS
void FATHOM_BLAS_SET_THREADS(FATHOM_BLAS_THREADS_TYPE count);
FATHOM_BLAS_THREADS_TYPE FATHOM_BLAS_GET_THREADS(void);

static void factorise(fathom_context *context, int64_t n)
{
    double a[ROWS * ROWS], u[ROWS * ROWS], v[ROWS * ROWS], s[ROWS], work[34 * ROWS];
    fill(a, n * n, 7);
    assert_ok(context, fathom_blas_qr(a, n, u, n, n, context));
    assert_ok(context, fathom_blas_svd(s, u, v, a, n, n, n, context));
    assert_ok(context, fathom_blas_eigen(s, v, n, n, true, context));
    assert_true(fathom_blas_eigen_run(s, v, n, n, work));
}

/* A host program that shares the BLAS finds its number of threads as it was, and OpenMP's, whoever comes out
 * last. */
static void threads_of_the_host(void **state)
{
    fathom_context *context = *state;
    const FATHOM_BLAS_THREADS_TYPE found = FATHOM_BLAS_GET_THREADS();
    const int regions = omp_get_max_threads();
    for (FATHOM_BLAS_THREADS_TYPE count = 1; count <= 3; count++) {
        FATHOM_BLAS_SET_THREADS(count);
        const FATHOM_BLAS_THREADS_TYPE host = FATHOM_BLAS_GET_THREADS();
        omp_set_num_threads(regions);
        factorise(context, ROWS);
        assert_int_equal(FATHOM_BLAS_GET_THREADS(), host);
        assert_int_equal(omp_get_max_threads(), regions);
#pragma omp parallel for num_threads(4) schedule(dynamic)
        for (int k = 0; k < 40; k++) {
            fathom_blas_begin();
            if (FATHOM_BLAS_GET_THREADS() != 1)
                abort();
            fathom_blas_end();
        }
        assert_int_equal(FATHOM_BLAS_GET_THREADS(), host);
    }
    fathom_blas_begin();
    FATHOM_BLAS_SET_THREADS(2); /* somebody else's wish meanwhile */
    const FATHOM_BLAS_THREADS_TYPE wish = FATHOM_BLAS_GET_THREADS();
    fathom_blas_end();
    assert_int_equal(FATHOM_BLAS_GET_THREADS(), wish);
    FATHOM_BLAS_SET_THREADS(found);
}
#endif

/* Every core reaches itself and those of fewer instructions; one that is not known is not called too low. */
static void cores(void **state)
{
    (void)state;
    assert_true(fathom_blas_core_reaches("skylakex", "SkylakeX"));
    assert_true(fathom_blas_core_reaches("SapphireRapids", "SkylakeX"));
    assert_true(fathom_blas_core_reaches("Zen", "Haswell"));
    assert_false(fathom_blas_core_reaches("Zen", "SkylakeX"));
    assert_false(fathom_blas_core_reaches("Prescott", "Nehalem"));
    assert_true(fathom_blas_core_reaches("Lake2040", "SkylakeX"));
    assert_true(fathom_blas_core_reaches("", "SkylakeX"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky),
        cmocka_unit_test(eigen),
        cmocka_unit_test(qr),
        cmocka_unit_test(svd),
        cmocka_unit_test(cores),
#ifdef FATHOM_BLAS_SET_THREADS
        cmocka_unit_test(threads_of_the_host),
#endif
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
