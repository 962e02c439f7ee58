/* SPDX-License-Identifier: Apache-2.0 */
/* Networks in integers: the bound holds at random inputs and at all inputs of a line, and is close to what is attained. */
#include "model_support.h"

#include "fixed.h"
#include "model_internal.h"

/* A random ReLU model over the box low..high, its folded network and its integers. */
typedef struct fixture {
    fathom_model *model;
    fathom_export_net net;
    fathom_fixed fixed;
    double low[6], high[6];
} fixture;

static fixture make(fathom_context *context, int64_t d, int64_t m, int64_t outputs, int bits,
                    bool standardize, uint32_t sub)
{
    static const double mean[6] = {3, -1, 0, 50, 1e-3, 0}, scale[6] = {2, 0.5, 1, 20, 1e-3, 4};
    const fathom_preprocess how = {.normalize =
                                       standardize ? FATHOM_NORMALIZE_STANDARDIZE : FATHOM_NORMALIZE_NONE,
                                   .bias = FATHOM_BIAS_AUGMENT,
                                   .columns = d,
                                   .mean = standardize ? mean : NULL,
                                   .scale = standardize ? scale : NULL};
    fathom_net *net = model_net(context, FATHOM_NET_RELU, d + 1, m, outputs, true, FATHOM_SCALE_ONE);
    fathom_random_normals(net->block, net->parameters, 5, FATHOM_STREAM_HIDDEN, sub, 0);
    fixture x = {0};
    for (int64_t i = 0; i < d; i++) {
        const double width = 1 + 2 * fathom_random_uniform(1, FATHOM_STREAM_DATA, sub, (uint64_t)i);
        x.low[i] = standardize ? mean[i] - width * scale[i] : -width;
        x.high[i] = standardize ? mean[i] + 2 * scale[i] : 2;
    }
    fathom_export_options options;
    fathom_options_init(&options, &fathom_export_option_table);
    assert_ok(context, fathom_model_create(&x.model, context, net, FATHOM_LOSS_SQUARED, &how, NULL));
    assert_ok(context, fathom_export_net_open(&x.net, x.model, &options));
    assert_ok(context, fathom_fixed_open(&x.fixed, x.model, &x.net, bits, x.low, x.high));
    return x;
}

static void end(fixture *x, fathom_context *context)
{
    fathom_fixed_close(&x->fixed, context);
    fathom_export_net_close(&x->net, context);
    fathom_model_free(x->model);
}

/* |f(x) - g| at the input q, f by fathom_model_apply on x itself. */
static double apart(const fixture *x, const double *q, int64_t output)
{
    double point[6], f[3];
    for (int64_t i = 0; i < x->fixed.d; i++)
        point[i] = x->fixed.middle[i] + x->fixed.step[i] * q[i];
    assert_int_equal(fathom_model_apply(x->model, 1, point, x->fixed.d, f), FATHOM_OK);
    return fabs(f[output] - fathom_fixed_rounded(&x->fixed, q, output));
}

static void bound_holds_everywhere(void **state)
{
    fathom_context *context = *state;
    uint64_t at = 0;
    for (uint32_t sub = 0; sub < (uint32_t)test_trials(40); sub++) {
        const int64_t d = 1 + sub % 5, m = 1 + sub % 8, outputs = 1 + sub % 3;
        fixture x = make(context, d, m, outputs, sub % 2 ? 8 : 16, sub % 4 < 2, sub);
        for (int64_t k = 0; k < outputs; k++) {
            double lower, upper;
            assert_ok(context, fathom_fixed_deviation(&lower, &upper, &x.fixed, context, k, 300));
            assert_true(0 <= lower && lower <= upper);
            for (int trial = 0; trial < 500; trial++) {
                double q[6];
                for (int64_t i = 0; i < d; i++) {
                    const double u = fathom_random_uniform(2, FATHOM_STREAM_SAMPLE, sub, at++);
                    q[i] = (trial % 2 ? 2 * u - 1 : u < 0.5 ? -1 : 1) * (double)x.fixed.most;
                }
                const double seen = apart(&x, q, k);
                if (!(seen <= upper))
                    fail_msg("d %d m %d: %.17g seen, bound %.17g", (int)d, (int)m, seen, upper);
            }
        }
        end(&x, context);
    }
}

/* One column of 8 bits: every interval of inputs that are rounded alike, at both its ends. Within a step of a kink the bound takes
 * both sides of it, which costs less than a factor of 2. */
static void close_to_the_truth_on_a_line(void **state)
{
    fathom_context *context = *state;
    for (uint32_t sub = 100; sub < 100 + (uint32_t)test_trials(20); sub++) {
        fixture x = make(context, 1, 1 + sub % 8, 1, 8, false, sub);
        double lower, upper, worst = 0;
        assert_ok(context, fathom_fixed_deviation(&lower, &upper, &x.fixed, context, 0, 2000));
        for (int p = -127; p <= 127; p++)
            for (int side = -1; side <= 1; side++) {
                const double q = fmin(fmax(p + 0.4999999 * side, -127), 127);
                worst = fmax(worst, apart(&x, &q, 0));
            }
        if (!(worst <= upper && lower <= worst * (1 + 1e-6) && upper <= 2 * worst))
            fail_msg("case %u: %.17g seen, [%.17g, %.17g] claimed", sub, worst, lower, upper);
        end(&x, context);
    }
}

static void refusals(void **state)
{
    fathom_context *context = *state;
    fixture x = make(context, 2, 3, 1, 8, false, 7);
    fathom_fixed other;
    const double empty[2] = {5, 5}, endless[2] = {INFINITY, 5};
    assert_int_equal(fathom_fixed_open(&other, x.model, &x.net, 8, empty, x.low), FATHOM_ERROR_USAGE);
    fathom_fixed_close(&other, context);
    assert_int_equal(fathom_fixed_open(&other, x.model, &x.net, 8, x.low, endless), FATHOM_ERROR_USAGE);
    fathom_fixed_close(&other, context);
    assert_ok(context, fathom_fixed_open(&other, x.model, &x.net, 8, empty, empty)); /* one point is a box */
    fathom_fixed_close(&other, context);
    x.net.kind = FATHOM_NET_GATED;
    assert_int_equal(fathom_fixed_open(&other, x.model, &x.net, 8, x.low, x.high), FATHOM_ERROR_USAGE);
    end(&x, context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bound_holds_everywhere),
                                       cmocka_unit_test(close_to_the_truth_on_a_line),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, model_setup, model_teardown);
}
