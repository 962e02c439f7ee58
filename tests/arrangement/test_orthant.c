/* SPDX-License-Identifier: Apache-2.0 */
/* Orthant probabilities against closed forms and high-precision references. */
#include "testing.h"

#include "orthant.h"

static fathom_context *context;
static fathom_orthant_rules rules;

static int set_up(void **state)
{
    (void)state;
    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return 1;
    return (int)fathom_orthant_rules_init(&rules, context);
}

static int tear_down(void **state)
{
    (void)state;
    fathom_orthant_rules_free(&rules, context);
    fathom_context_free(context);
    return 0;
}

/* The matrix in doubles as exact integers, by doubles with errors; balls must agree within both errors. */
static double orthant(double *error, const double *r, int k)
{
    fathom_integer h[25] = {0};
    double other;
    fathom_integers_from_doubles(h, r, k * k);
    const double value = fathom_orthant(error, h, k, &rules), ball = fathom_orthant_ball(&other, h, k);
    assert_close(value, ball, *error + other);
    fathom_integers_clear(h, 25);
    return value;
}

static double equicorrelated(double *error, double rho, int k)
{
    double r[25];
    for (int i = 0; i < k * k; i++)
        r[i] = i % (k + 1) == 0 ? 1 : rho;
    return orthant(error, r, k);
}

/* rho = 1/2: 1/(k+1). Others: reference values F7, computed with 25 digits (k = 4) or 1e-15 (k = 5). */
static void equicorrelated_orthants(void **state)
{
    (void)state;
    double error;
    for (int k = 1; k <= 5; k++) {
        assert_close(equicorrelated(&error, 0.5, k), 1.0 / (k + 1), fmax(8 * UNIT_ROUNDOFF, error));
        assert_true(error <= 0x1p-43);
        assert_close(equicorrelated(&error, 0, k), ldexp(1, -k), fmax(16 * UNIT_ROUNDOFF, error));
    }
    assert_close(equicorrelated(&error, -0.2, 4), 0.018721709070306273899, error);
    assert_close(equicorrelated(&error, -0.2, 5), 0.0019220437369841595, 1e-15 + error);
    assert_close(equicorrelated(&error, -0.3, 4), 0.0026409249287971507706, error);
    assert_true(error < 1e-13);
}

/* Independent blocks multiply: (z1, z2) and (z3, z4), the fifth alone. */
static void blocks_multiply(void **state)
{
    (void)state;
    const double a = 0.7, b = -0.4, pi = acos(-1);
    const double expected = (0.25 + asin(a) / (2 * pi)) * (0.25 + asin(b) / (2 * pi));
    const double four[] = {1, a, 0, 0, a, 1, 0, 0, 0, 0, 1, b, 0, 0, b, 1};
    double five[25], error;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            five[i * 5 + j] = i < 4 && j < 4 ? four[i * 4 + j] : i == j;
    assert_close(orthant(&error, four, 4), expected, 16 * UNIT_ROUNDOFF);
    assert_close(orthant(&error, five, 5), expected / 2, 32 * UNIT_ROUNDOFF);
}

/* Flipping the sign of z_1 splits an orthant of the other three: P(+,+,+,+) + P(-,+,+,+) = P3. Correlations up to
 * 0.999: nearly flat cones. */
static void signs_split_an_orthant(void **state)
{
    (void)state;
    const double strong[] = {0.3, 0.9, 0.99, 0.999};
    for (int k = 0; k < 4; k++) {
        const double s = strong[k];
        /* correlation of unit vectors e1, (s, sqrt(1-s^2)) and two others */
        const double v[4][4] = {{1, 0, 0, 0},
                                {s, sqrt(1 - s * s), 0, 0},
                                {0.2, -0.5, sqrt(1 - 0.29), 0},
                                {-0.3, 0.1, 0.4, sqrt(1 - 0.26)}};
        double r[16], three[9], error, other;
        for (int i = 0; i < 16; i++) {
            r[i] = 0;
            for (int c = 0; c < 4; c++)
                r[i] += i % 5 == 0 ? 0.25 : v[i / 4][c] * v[i % 4][c];
        }
        for (int i = 0; i < 9; i++)
            three[i] = r[(i / 3 + 1) * 4 + i % 3 + 1];
        double sum = orthant(&error, r, 4);
        for (int j = 1; j < 4; j++) {
            r[j] = -r[j];
            r[4 * j] = -r[4 * j];
        }
        sum += orthant(&other, r, 4);
        double unused;
        assert_close(sum, orthant(&unused, three, 3), error + other + 16 * UNIT_ROUNDOFF);
        assert_true(error + other < 1e-10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equicorrelated_orthants),
        cmocka_unit_test(blocks_multiply),
        cmocka_unit_test(signs_split_an_orthant),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
