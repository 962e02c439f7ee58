/* SPDX-License-Identifier: Apache-2.0 */
/* Losses against naive formulas where those are safe, against expansions where they are not, and derivatives
 * against central differences away from kinks. */
#include "testing.h"

#include "fathom/loss.h"
#include "inner/loss.h"

static const fathom_loss losses[] = {FATHOM_LOSS_SQUARED,  FATHOM_LOSS_LOGISTIC, FATHOM_LOSS_EXPONENTIAL,
                                     FATHOM_LOSS_HINGE,    FATHOM_LOSS_SOFTMAX,  FATHOM_LOSS_HUBER,
                                     FATHOM_LOSS_ABSOLUTE, FATHOM_LOSS_QUANTILE};
enum { LOSSES = sizeof losses / sizeof losses[0] };

static double naive(fathom_loss loss, const double *f, const double *y, int outputs)
{
    double sum = 0, normal = 0;
    for (int k = 0; k < outputs; k++)
        normal += exp(f[k]);
    for (int k = 0; k < outputs; k++) {
        if (loss == FATHOM_LOSS_SQUARED)
            sum += (f[k] - y[k]) * (f[k] - y[k]) / 2;
        if (loss == FATHOM_LOSS_LOGISTIC)
            sum += log(1 + exp(-y[k] * f[k]));
        if (loss == FATHOM_LOSS_EXPONENTIAL)
            sum += exp(-y[k] * f[k]);
        if (loss == FATHOM_LOSS_HINGE)
            sum += fmax(0, 1 - y[k] * f[k]);
        const double r = fabs(y[k] - f[k]);
        if (loss == FATHOM_LOSS_HUBER)
            sum += r <= 1 ? r * r / 2 : r - 0.5;
        if (loss == FATHOM_LOSS_ABSOLUTE || loss == FATHOM_LOSS_QUANTILE)
            sum += loss == FATHOM_LOSS_ABSOLUTE ? r : r / 2;
        if (loss == FATHOM_LOSS_SOFTMAX)
            sum -= y[k] * log(exp(f[k]) / normal);
    }
    return sum;
}

static const double example_f[4][3] = {{0, 0, 0}, {0.9, -2, 0.5}, {3, 2.5, -4}, {-0.25, 5, 1.5}};
static const double signs[3] = {1, -1, 1}, one_hot[3] = {0, 1, 0};

static void values(void **state)
{
    (void)state;
    for (int l = 0; l < LOSSES; l++)
        for (int i = 0; i < 4; i++)
            for (int outputs = losses[l] == FATHOM_LOSS_SOFTMAX ? 2 : 1; outputs <= 3; outputs++) {
                const double *y = losses[l] == FATHOM_LOSS_SOFTMAX ? one_hot : signs;
                const double expected = naive(losses[l], example_f[i], y, outputs);
                const double value = fathom_loss_value(losses[l], example_f[i], y, outputs);
                /* naive logarithms of 1 + x and of ratios err by a few roundings of numbers below 2 e^5 */
                assert_close(value, expected, 16 * UNIT_ROUNDOFF * (1 + expected));
                assert_close(exp(fathom_loss_log_value(losses[l], example_f[i], y, outputs)), value,
                             32 * UNIT_ROUNDOFF * (1 + value));
            }
}

/* Central differences with step h err by h^2 |l'''| / 6 + u |l| / h. */
static void derivatives(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int l = 0; l < LOSSES; l++)
        for (int i = 0; i < 4; i++) {
            const double *y = losses[l] == FATHOM_LOSS_SOFTMAX ? one_hot : signs;
            double g[3], f[3];
            fathom_loss_derivative(g, losses[l], example_f[i], y, 3);
            for (int k = 0; k < 3; k++) {
                if (losses[l] == FATHOM_LOSS_HUBER && fabs(y[k] - example_f[i][k]) == 1)
                    continue; /* the curvature jumps */
                for (int c = 0; c < 3; c++)
                    f[c] = example_f[i][c];
                f[k] += h;
                const double up = fathom_loss_value(losses[l], f, y, 3);
                f[k] -= 2 * h;
                const double down = fathom_loss_value(losses[l], f, y, 3);
                assert_close(g[k], (up - down) / (2 * h), (h * h + 16 * UNIT_ROUNDOFF / h) * (1 + up));
            }
        }
    double g;
    const double one = 1;
    fathom_loss_derivative(&g, FATHOM_LOSS_HINGE, &one, &one, 1);
    assert_true(g == 0);
}

/* A logistic loss of 1e-300 and far below, through its logarithm: ln l = -p up to e^{-p}. */
static void far_beyond_underflow(void **state)
{
    (void)state;
    const double margins[] = {29.9, 30.1, 690.7755278982137, 1e4, 1e6, 1e300}, one = 1;
    for (int k = 0; k < 6; k++) {
        const double p = margins[k];
        assert_close(fathom_loss_margin_log(FATHOM_LOSS_LOGISTIC, p), -p - exp(-p) / 2,
                     4 * UNIT_ROUNDOFF * p);
        assert_close(fathom_loss_margin_log_slope(FATHOM_LOSS_LOGISTIC, p), -p - exp(-p),
                     4 * UNIT_ROUNDOFF * p);
        assert_close(
            fathom_loss_margin_inverse(FATHOM_LOSS_LOGISTIC, fathom_loss_margin_log(FATHOM_LOSS_LOGISTIC, p)),
            p, 8 * UNIT_ROUNDOFF * p);
        assert_true(fathom_loss_log_value(FATHOM_LOSS_EXPONENTIAL, &p, &one, 1) == -p);
        const double f[3] = {p, 0, -INFINITY},
                     y[3] = {1, 0, 0}; /* softmax against one other class: logistic */
        assert_close(fathom_loss_log_value(FATHOM_LOSS_SOFTMAX, f, y, 3), -p - exp(-p) / 2,
                     4 * UNIT_ROUNDOFF * p);
    }
    const double tiny = 1e-200, zero = 0;
    assert_close(fathom_loss_log_value(FATHOM_LOSS_SQUARED, &tiny, &zero, 1), -400 * log(10) - log(2),
                 1000 * 4 * UNIT_ROUNDOFF);
}

static void inverse_undoes_the_loss(void **state)
{
    (void)state;
    for (double p = -40; p < 60; p += 0.37) {
        const double log_value = fathom_loss_margin_log(FATHOM_LOSS_LOGISTIC, p);
        /* dp = -(l / |l'|) d ln l, and the logarithm itself carries |ln l| roundings */
        const double condition = exp(log_value - fathom_loss_margin_log_slope(FATHOM_LOSS_LOGISTIC, p));
        assert_close(fathom_loss_margin_inverse(FATHOM_LOSS_LOGISTIC, log_value), p,
                     16 * UNIT_ROUNDOFF * (1 + fabs(p) + condition * (1 + fabs(log_value))));
    }
    assert_true(isnan(fathom_loss_margin_inverse(FATHOM_LOSS_SQUARED, 0)));
    assert_true(fathom_loss_margin_log(FATHOM_LOSS_HINGE, 1) == -INFINITY);
    assert_true(isnan(fathom_loss_margin_log(FATHOM_LOSS_HINGE, NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(far_beyond_underflow),
        cmocka_unit_test(inverse_undoes_the_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
