/* SPDX-License-Identifier: Apache-2.0 */
/* Units over few columns against plain loops: every remainder of 16 rows and two units, with and without bias and slope. */
#include "narrow.h"
#include "random.h"
#include "testing.h"

enum { MOST_ROWS = 35, MOST_UNITS = 7 };

/* |error| <= (d + units + 3) u sum_j |a_j| (sum_k |x_k u_jk| + |b_j|) on either side. */
static void check(int64_t rows, int64_t d, int64_t units, bool bias, double slope)
{
    double x[MOST_ROWS * (FATHOM_NARROW + 1)], u[MOST_UNITS * FATHOM_NARROW], b[MOST_UNITS], a[MOST_UNITS];
    double out[MOST_ROWS], packed[48 * FATHOM_NARROW + 8];
    const int64_t ld = d + 1;
    fathom_random_normals(x, rows * ld, 3, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(u, units * d, 3, FATHOM_STREAM_DATA, 1, 0);
    fathom_random_normals(b, units, 3, FATHOM_STREAM_DATA, 2, 0);
    fathom_random_normals(a, units, 3, FATHOM_STREAM_DATA, 3, 0);
    for (int64_t i = 0; i < rows; i++)
        out[i] = (double)i;
    fathom_narrow_add(out, x, ld, rows, d, u, d, bias ? b : NULL, a, units, slope, packed);
    for (int64_t i = 0; i < rows; i++) {
        double sum = (double)i, size = (double)i;
        for (int64_t j = 0; j < units; j++) {
            double z = bias ? b[j] : 0, part = fabs(z);
            for (int64_t k = 0; k < d; k++) {
                z += x[i * ld + k] * u[j * d + k];
                part += fabs(x[i * ld + k] * u[j * d + k]);
            }
            sum += a[j] * (z > 0 ? z : slope * z);
            size += fabs(a[j]) * part;
        }
        assert_close(out[i], sum, 2 * (double)(d + units + 3) * UNIT_ROUNDOFF * size);
    }
}

static void test_agrees_with_plain_loops(void **state)
{
    (void)state;
    const int64_t rows[] = {0, 1, 15, 16, 17, MOST_ROWS}, columns[] = {1, 2, 10, 31, FATHOM_NARROW};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            for (int64_t units = 0; units <= MOST_UNITS; units++)
                for (int kind = 0; kind < 4; kind++)
                    check(rows[r], columns[c], units, kind % 2, kind / 2 * 0.3);
}

/* As max(t, 0) of activation.c: 0 for -infinity, NaN for NaN. */
static void test_infinite_and_undefined(void **state)
{
    (void)state;
    const double x[] = {1, 1, 1}, u[] = {-INFINITY}, none[] = {NAN}, a[] = {1};
    double out[3] = {0, 0, 0}, packed[32];
    fathom_narrow_add(out, x, 1, 3, 1, u, 1, NULL, a, 1, 0, packed);
    for (int i = 0; i < 3; i++)
        assert_true(out[i] == 0);
    fathom_narrow_add(out, x, 1, 3, 1, none, 1, NULL, a, 1, 0, packed);
    for (int i = 0; i < 3; i++)
        assert_true(isnan(out[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_plain_loops),
        cmocka_unit_test(test_infinite_and_undefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
