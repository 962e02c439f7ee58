/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries of many losses against 60-digit arithmetic (reference values, tests/README.md), and
 * the three kinds of slopes against each other and against central differences. */
#include "testing.h"

#include "fathom/loss.h"

typedef struct oracle {
    fathom_loss loss;
    int n;
    double p[4], log_mean, smoothed, log_q, q[4];
} oracle;

static const oracle oracles[] = {
    {FATHOM_LOSS_EXPONENTIAL,
     3,
     {0.0, 0.0, 0.0},
     0.0,
     -1.0986122886681098,
     1.0986122886681098,
     {0.3333333333333333, 0.3333333333333333, 0.3333333333333333}},
    {FATHOM_LOSS_LOGISTIC,
     3,
     {0.0, 0.0, 0.0},
     -0.36651292058166435,
     -1.9459101490553132,
     -0.13353139262452263,
     {0.5714285714285714, 0.5714285714285714, 0.5714285714285714}},
    {FATHOM_LOSS_EXPONENTIAL,
     4,
     {-3.5, 0.25, 2.0, 40.0},
     2.140936021089855,
     -3.527230382209746,
     3.527230382209746,
     {0.9731370222396923, 0.022885989172106568, 0.003976988588201146, 1.2484295290823016e-19}},
    {FATHOM_LOSS_LOGISTIC,
     4,
     {-3.5, 0.25, 2.0, 40.0},
     0.05652631739109332,
     -4.217997141239172,
     -0.014620707955265147,
     {0.984984168707527, 0.44427181322108267, 0.12095855616512671, 4.310924498165369e-18}},
    {FATHOM_LOSS_EXPONENTIAL,
     3,
     {30.0, 31.0, 35.5},
     -30.78236738604527,
     29.68375509737716,
     -29.68375509737716,
     {0.7288809234577935, 0.2681403068021779, 0.0029787697400286244}},
    {FATHOM_LOSS_LOGISTIC,
     3,
     {30.0, 31.0, 35.5},
     -30.78236738604531,
     29.683755097377134,
     -29.68375509737726,
     {0.7288809234578003, 0.26814030680219625, 0.0029787697400289297}},
    {FATHOM_LOSS_EXPONENTIAL,
     3,
     {100.5, 101.0, 140.0},
     -101.124535304488,
     100.0259230158199,
     -100.0259230158199,
     {0.6224593312018546, 0.3775406687981454, 4.3599242777112895e-18}},
    {FATHOM_LOSS_LOGISTIC,
     3,
     {100.5, 101.0, 140.0},
     -101.124535304488,
     100.0259230158199,
     -100.0259230158199,
     {0.6224593312018546, 0.37754066879814546, 4.35992427771129e-18}},
    {FATHOM_LOSS_EXPONENTIAL,
     3,
     {-50.0, -20.0, 5.0},
     48.901387711331985,
     -50.00000000000009,
     50.00000000000009,
     {0.9999999999999064, 9.357622968839299e-14, 1.2995814250073815e-24}},
    {FATHOM_LOSS_LOGISTIC,
     3,
     {-50.0, -20.0, 5.0},
     3.1499788823592074,
     -70.00671535055027,
     -3.948842635330051e-31,
     {1.0, 0.9999999979388464, 0.0066928509242848554}},
    {FATHOM_LOSS_EXPONENTIAL,
     3,
     {-2.0, -1.0, 60.0},
     1.2146493988501132,
     -2.313261687518223,
     2.313261687518223,
     {0.7310585786300049, 0.2689414213699951, 8.66351835231254e-28}},
    {FATHOM_LOSS_LOGISTIC,
     3,
     {-2.0, -1.0, 60.0},
     0.13691432612735155,
     -3.40760596444438,
     -0.032583734116815026,
     {0.9099694268296196, 0.7552715289452023, 9.046529875021264e-27}},
};

/* The stored values are doubles: allow 16 roundings of the largest number that enters. */
static void agrees_with_many_digits(void **state)
{
    fathom_context *context = *state;
    const double y[4] = {1, 1, 1, 1};
    for (size_t k = 0; k < sizeof oracles / sizeof *oracles; k++) {
        const oracle *o = &oracles[k];
        fathom_loss_summary s;
        double slope[4], size = 1, margin = INFINITY;
        for (int i = 0; i < o->n; i++) {
            size = fmax(size, fabs(o->p[i]));
            margin = fmin(margin, o->p[i]);
        }
        assert_ok(context, fathom_loss_summarize(&s, slope, FATHOM_SLOPE_DUAL, context, o->loss, o->p, y,
                                                 NULL, o->n, 1));
        const double bound = 16 * UNIT_ROUNDOFF * size;
        assert_close(s.log_mean, o->log_mean, bound);
        assert_close(s.smoothed_margin, o->smoothed, bound);
        assert_close(s.log_q, o->log_q, bound);
        assert_true(s.margin == margin);
        for (int i = 0; i < o->n; i++)
            assert_close(-slope[i], o->q[i], bound * o->q[i]);
    }
}

/* Margins of ten thousand: R underflows by thousands of orders, the slopes of ln R and the duals do not. */
static void far_beyond_underflow(void **state)
{
    fathom_context *context = *state;
    const double f[3] = {10000, -10001, 10002.5}, y[3] = {1, -1, 1};
    fathom_loss_summary s;
    double dual[3], slope[3], mean[3];
    for (int l = 0; l < 2; l++) {
        const fathom_loss loss = l ? FATHOM_LOSS_LOGISTIC : FATHOM_LOSS_EXPONENTIAL;
        assert_ok(context,
                  fathom_loss_summarize(&s, dual, FATHOM_SLOPE_DUAL, context, loss, f, y, NULL, 3, 1));
        assert_close(s.smoothed_margin, 9999.628460968148,
                     4 * 10000 * UNIT_ROUNDOFF); /* same file, micro, big */
        assert_ok(context,
                  fathom_loss_summarize(&s, slope, FATHOM_SLOPE_LOG, context, loss, f, y, NULL, 3, 1));
        assert_ok(context,
                  fathom_loss_summarize(&s, mean, FATHOM_SLOPE_MEAN, context, loss, f, y, NULL, 3, 1));
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            assert_true(mean[i] == 0 && fabs(slope[i]) > 0.05);
            assert_close(slope[i], dual[i], 16 * 10000 * UNIT_ROUNDOFF); /* Q / (nR) -> 1 */
            sum -= y[i] * dual[i];
        }
        assert_close(sum, 1, 16 * 10000 * UNIT_ROUNDOFF);
        assert_true(s.mean == 0);
    }
}

/* d ln R = dR / R for every loss, weights included; d(-smoothed margin) = dR W / Q. */
static void slopes_agree(void **state)
{
    fathom_context *context = *state;
    const double f[6] = {0.3, -1, 2, 0.5, -0.7, 0.1}, weight[2] = {0.5, 2};
    const double signs[6] = {1, -1, -1, 1, 1, -1}, one_hot[6] = {0, 1, 0, 1, 0, 0};
    for (int loss = FATHOM_LOSS_SQUARED; loss <= FATHOM_LOSS_QUANTILE; loss++)
        for (int weighted = 0; weighted < 2; weighted++) {
            const double *y = loss == FATHOM_LOSS_SOFTMAX ? one_hot : signs, *w = weighted ? weight : NULL;
            const double total = weighted ? 2.5 : 2;
            fathom_loss_summary s;
            double mean[6], slope[6], dual[6];
            assert_ok(context, fathom_loss_summarize(&s, mean, FATHOM_SLOPE_MEAN, context, (fathom_loss)loss,
                                                     f, y, w, 2, 3));
            assert_ok(context, fathom_loss_summarize(&s, slope, FATHOM_SLOPE_LOG, context, (fathom_loss)loss,
                                                     f, y, w, 2, 3));
            assert_ok(context, fathom_loss_summarize(&s, dual, FATHOM_SLOPE_DUAL, context, (fathom_loss)loss,
                                                     f, y, w, 2, 3));
            for (int k = 0; k < 6; k++) {
                double g[3];
                fathom_loss_derivative(g, (fathom_loss)loss, f + k / 3 * 3, y + k / 3 * 3, 3);
                assert_close(mean[k], g[k % 3] * (weighted ? weight[k / 3] : 1) / total, 8 * UNIT_ROUNDOFF);
                assert_close(slope[k], mean[k] / s.mean, 32 * UNIT_ROUNDOFF * (1 + fabs(slope[k])));
                if (!isnan(s.log_q))
                    assert_close(dual[k], mean[k] * total / exp(s.log_q),
                                 32 * UNIT_ROUNDOFF * (1 + fabs(dual[k])));
            }
            assert_close(s.log_mean, log(s.mean), 16 * UNIT_ROUNDOFF);
        }
}

static void targets_are_checked(void **state)
{
    fathom_context *context = *state;
    const double signs[2] = {1, -1}, bits[4] = {0, 1, 1, 0}, bad[2] = {1, NAN}, two[2] = {1, 1},
                 half[2] = {0.5, 1};
    assert_ok(context, fathom_loss_check(context, FATHOM_LOSS_LOGISTIC, signs, 2, 1));
    assert_ok(context, fathom_loss_check(context, FATHOM_LOSS_SOFTMAX, bits, 2, 2));
    assert_ok(context, fathom_loss_check(context, FATHOM_LOSS_SQUARED, half, 2, 1));
    assert_int_equal(fathom_loss_check(context, FATHOM_LOSS_SQUARED, bad, 2, 1), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_loss_check(context, FATHOM_LOSS_HINGE, bits, 4, 1), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_loss_check(context, FATHOM_LOSS_SOFTMAX, two, 1, 2), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_loss_check(context, FATHOM_LOSS_SOFTMAX, two, 2, 1), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_loss_check(context, FATHOM_LOSS_EXPONENTIAL, half, 2, 1), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_loss_check(context, (fathom_loss)17, half, 2, 1), FATHOM_ERROR_USAGE);
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
        cmocka_unit_test(agrees_with_many_digits),
        cmocka_unit_test(far_beyond_underflow),
        cmocka_unit_test(slopes_agree),
        cmocka_unit_test(targets_are_checked),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
