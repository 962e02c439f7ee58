/* SPDX-License-Identifier: Apache-2.0 */
/* Short rows: products against sums in order, Schatten norms against eigenvalues and central differences. */
#include "testing.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "blas.h"
#include "random.h"
#include "short_rows.h"

enum { ROWS = 300, WIDTH = 40 };

static void fill(double *a, int64_t rows, int64_t d, int64_t ld, uint32_t trial)
{
    memset(a, 0, (size_t)(rows * ld) * sizeof *a);
    for (int64_t r = 0; r < rows; r++)
        fathom_random_normals(a + r * ld, d, 5, FATHOM_STREAM_START, trial, (uint64_t)(r * d));
}

/* Each number is a sum of d (or `rows`) products: off by at most as many roundings of the sum of absolute values. */
static void products_agree_with_sums(void **state)
{
    (void)state;
    static double a[ROWS * WIDTH], m[WIDTH * WIDTH], y[ROWS * WIDTH], s[WIDTH * WIDTH];
    const int64_t dims[] = {1, 2, 7, 8, 9, 13, 30, 40}, counts[] = {1, 3, 4, 5, 129, 300};
    for (uint32_t trial = 0; trial < 48; trial++) {
        const int64_t d = dims[trial % 8], rows = counts[trial / 8], ld = fathom_short_stride(d);
        fill(a, rows, d, ld, trial);
        fill(m, d, d, ld, 100 + trial);
        fathom_short_multiply(y, a, m, rows, d, ld, NULL);
        fathom_short_gram(s, a, rows, d, ld, NULL);
        for (int64_t t = 0; t < rows * ld; t++) {
            double sum = 0, size = 0;
            for (int64_t k = 0; k < d; k++) {
                sum += a[t / ld * ld + k] * m[k * ld + t % ld];
                size += fabs(a[t / ld * ld + k] * m[k * ld + t % ld]);
            }
            assert_close(y[t], sum, 2 * (double)d * UNIT_ROUNDOFF * size);
        }
        for (int64_t t = 0; t < d * ld; t++) {
            double sum = 0, size = 0;
            for (int64_t r = 0; r < rows; r++) {
                sum += a[r * ld + t / ld] * a[r * ld + t % ld];
                size += fabs(a[r * ld + t / ld] * a[r * ld + t % ld]);
            }
            assert_close(s[t], sum, 2 * (double)rows * UNIT_ROUNDOFF * size);
        }
    }
}

/* log |S|_q from the eigenvalues: each is off by d roundings of the largest, which the order q magnifies in W only. */
static void norms_agree_with_eigenvalues(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    static double a[ROWS * WIDTH], s[WIDTH * WIDTH], w[WIDTH * WIDTH], work[WIDTH * WIDTH],
        copy[WIDTH * WIDTH];
    for (uint32_t trial = 0; trial < 40; trial++) {
        const int64_t d = 1 + trial, ld = fathom_short_stride(d);
        const int doublings = 1 + (int)trial % 9;
        const double order = ldexp(1, doublings) + 1, scale = ldexp(1, (int)trial * 20 - 400);
        double value[WIDTH], sum = 0, product = 0;
        fill(a, d + trial % 3, d, ld, trial);
        fathom_short_gram(s, a, d + trial % 3, d, ld, NULL);
        for (int64_t t = 0; t < d * ld; t++)
            s[t] *= scale;
        const double norm = fathom_short_schatten(w, s, d, ld, doublings, work, NULL);
        for (int64_t t = 0; t < d * d; t++)
            copy[t] = s[t / d * ld + t % d];
        assert_ok(context, fathom_blas_eigen(value, copy, d, d, true, context));
        for (int64_t l = 0; l < d; l++)
            sum += pow(fmax(value[l], 0) / value[d - 1], order);
        const double tolerance = 16 * (double)(d + 8) * UNIT_ROUNDOFF * order;
        assert_close(norm, log(value[d - 1]) + log(sum) / order, tolerance);
        for (int64_t t = 0; t < d * ld; t++)
            product += w[t] * s[t]; /* <W, S> = |S|_q */
        assert_close(log(product), norm, tolerance);
    }
    fathom_context_free(context);
}

static void zero_and_infinite(void **state)
{
    (void)state;
    double s[8 * 8] = {0}, w[8 * 8], work[8 * 8];
    assert_true(fathom_short_schatten(w, s, 3, 8, 4, work, NULL) == -INFINITY);
    s[0] = INFINITY;
    assert_true(!isfinite(fathom_short_schatten(w, s, 3, 8, 4, work, NULL)));
}

/* Rows that end where the memory does: nothing behind them is read. */
static void nothing_beyond_the_end(void **state)
{
    enum { PAGE = 1 << 16 };
    (void)state;
    for (int64_t d = 1; d < 70; d += d < 20 ? 1 : 7)
        for (int64_t rows = 1; rows < 140; rows += rows < 12 ? 1 : 17) {
            const int64_t ld = fathom_short_stride(d);
            const size_t need = (size_t)(rows * ld) * sizeof(double), size = (need + PAGE - 1) / PAGE * PAGE;
            char *memory =
                mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            assert_true(memory != MAP_FAILED && mprotect(memory + size, PAGE, PROT_NONE) == 0);
            double *a = (double *)(void *)(memory + size - need);
            double *s = calloc((size_t)(ld * ld), sizeof *s), *m = calloc((size_t)(ld * ld), sizeof *m),
                   *y = calloc((size_t)(rows * ld), sizeof *y);
            fathom_short_gram(s, a, rows, d, ld, NULL);
            fathom_short_multiply(y, a, m, rows, d, ld, NULL);
            free(s);
            free(m);
            free(y);
            munmap(memory, size + PAGE);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree_with_sums), cmocka_unit_test(norms_agree_with_eigenvalues),
        cmocka_unit_test(zero_and_infinite), cmocka_unit_test(nothing_beyond_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
