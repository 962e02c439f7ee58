/* SPDX-License-Identifier: Apache-2.0 */
/* Single-precision rows: products against sums in double, within the rounding of sums of that length. */
#include "testing.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "float_rows.h"
#include "random.h"

enum { ROWS = 140, COLUMNS = 40, WIDTH = 40 };

static const double U = FLT_EPSILON / 2;

static void fill(float *a, int64_t count, uint32_t trial)
{
    for (int64_t t = 0; t < count; t++)
        a[t] = (float)fathom_random_normal(7, FATHOM_STREAM_START, trial, (uint64_t)t);
}

/* Shapes on both sides of every block size. */
static void products_agree_with_sums(void **state)
{
    (void)state;
    static float x[ROWS * COLUMNS + FATHOM_FLOAT_ROOM], u[COLUMNS * WIDTH + FATHOM_FLOAT_ROOM],
        h[ROWS * WIDTH + FATHOM_FLOAT_ROOM], g[COLUMNS * WIDTH], before[COLUMNS * WIDTH];
    const int64_t rows[] = {1, 3, 4, 5, 128, 140}, dims[] = {1, 2, 3, 4, 7, 30, 40},
                  widths[] = {8, 16, 24, 32, 40};
    for (uint32_t trial = 0; trial < 6 * 7 * 5; trial++) {
        const int64_t n = rows[trial % 6], d = dims[trial / 6 % 7], m = widths[trial / 42];
        fill(x, n * d, trial);
        fill(u, d * m, 1000 + trial);
        fill(g, d * m, 2000 + trial);
        memcpy(before, g, sizeof g);
        fathom_float_multiply(h, x, u, n, d, m);
        for (int64_t t = 0; t < n * m; t++) {
            double sum = 0, size = 0;
            for (int64_t k = 0; k < d; k++) {
                sum += (double)x[t / m * d + k] * (double)u[k * m + t % m];
                size += fabs((double)x[t / m * d + k] * (double)u[k * m + t % m]);
            }
            assert_close((double)h[t], sum, (double)(d + 1) * U * size);
        }
        fathom_float_multiply_transposed(g, x, h, n, d, m);
        for (int64_t t = 0; t < d * m; t++) {
            double sum = (double)before[t], size = fabs(sum);
            for (int64_t i = 0; i < n; i++) {
                sum += (double)x[i * d + t / m] * (double)h[i * m + t % m];
                size += fabs((double)x[i * d + t / m] * (double)h[i * m + t % m]);
            }
            assert_close((double)g[t], sum, (double)(n + 2) * U * size);
        }
    }
}

static void inner_products_agree_with_sums(void **state)
{
    (void)state;
    static float x[1000], y[1000];
    for (int64_t count = 0; count <= 1000; count += count < 20 ? 1 : 89) {
        double sum = 0, size = 0;
        fill(x, count, 1);
        fill(y, count, 2);
        for (int64_t k = 0; k < count; k++) {
            sum += (double)x[k] * (double)y[k];
            size += fabs((double)x[k] * (double)y[k]);
        }
        assert_close(fathom_float_dot(x, y, count), sum, (double)(count + 1) * UNIT_ROUNDOFF * size);
        if (count % FATHOM_FLOAT_LANES == 0)
            assert_close((double)fathom_float_dot_lanes(x, y, count), sum, (double)(count + 1) * U * size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree_with_sums),
        cmocka_unit_test(inner_products_agree_with_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
