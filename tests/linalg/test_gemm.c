/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled product: agrees with plain loops to a dot product's error, same bits for 1, 2 and 3 threads. */
#include "testing.h"

#include <string.h>

#include "gemm.h"
#include "random.h"

static double *draw(int64_t count, uint32_t sub)
{
    double *x = malloc((size_t)count * sizeof *x);
    assert_non_null(x);
    fathom_random_normals(x, count, 1, FATHOM_STREAM_DATA, sub, 0);
    return x;
}

static double entry(fathom_operand a, int64_t i, int64_t j)
{
    return a.transposed ? a.a[j * a.ld + i] : a.a[i * a.ld + j];
}

/* Spot-checks the entries of C on a coarse grid that meets every tile. */
static void compare(const double *c, const double *was, fathom_operand a, fathom_operand b, int64_t rows,
                    int64_t columns, int64_t inner, double beta)
{
    for (int64_t i = 0; i < rows; i += 1 + rows / 9)
        for (int64_t j = 0; j < columns; j += 1 + columns / 9) {
            double sum = 0, size = fabs(was[i * columns + j]);
            for (int64_t k = 0; k < inner; k++) {
                sum += entry(a, i, k) * entry(b, k, j);
                size += fabs(entry(a, i, k) * entry(b, k, j));
            }
            assert_close(c[i * columns + j], 2 * sum + beta * was[i * columns + j],
                         2 * (double)(2 * inner + 4) * UNIT_ROUNDOFF * size);
        }
}

static void check(fathom_context *context, int64_t rows, int64_t columns, int64_t inner, int form)
{
    double *a = draw(rows * inner, 1), *b = draw(inner * columns, 2), *was = draw(rows * columns, 3);
    double *first = draw(rows * columns, 3), *again = draw(rows * columns, 3);
    const fathom_operand oa = form & 1 ? fathom_transposed(a, rows) : fathom_plain(a, inner);
    const fathom_operand ob = form & 2 ? fathom_transposed(b, inner) : fathom_plain(b, columns);
    const double beta = form & 4 ? 0.5 : 0;
    fathom_context_set_threads(context, 1);
    assert_ok(context, fathom_gemm(first, columns, rows, columns, inner, 2, oa, ob, beta, context));
    compare(first, was, oa, ob, rows, columns, inner, beta);
    for (int threads = 2; threads <= 3; threads++) {
        memcpy(again, was, (size_t)(rows * columns) * sizeof *was);
        fathom_context_set_threads(context, threads);
        assert_ok(context, fathom_gemm(again, columns, rows, columns, inner, 2, oa, ob, beta, context));
        assert_memory_equal(again, first, (size_t)(rows * columns) * sizeof *was);
    }
    free(a), free(b), free(was), free(first), free(again);
}

static void tiles_agree_with_loops(void **state)
{
    for (int form = 0; form < 8; form++) {
        check(*state, 300, 170, 20, form); /* several tiles */
        check(*state, 9, 5, 9000, form);   /* a cut inner dimension */
        check(*state, 1, 1, 1, form);      /* one entry */
        check(*state, 1100, 600, 3, form); /* large tiles */
    }
}

static void transposes(void **state)
{
    (void)state;
    enum { ROWS = 45, COLUMNS = 70 };
    double *a = draw(ROWS * COLUMNS, 4), *t = draw(ROWS * COLUMNS, 5);
    fathom_transpose(t, ROWS, a, COLUMNS, ROWS, COLUMNS);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            assert_true(t[j * ROWS + i] == a[i * COLUMNS + j]);
    free(a), free(t);
}

static int make(void **state) { return fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK; }

static int unmake(void **state)
{
    fathom_context_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_agree_with_loops),
        cmocka_unit_test(transposes),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
