/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage of the sampled intervals: many seeds, each with its looks, against margins that are known.
 *
 * At confidence 0.9 an interval may miss with probability 0.1. More misses than happen with probability 3e-10 (binomial tail:
 * 50 of 200 runs, 22 of 50) would show that the level is not kept. Intervals must also be of use: their mean width is bounded. The table
 * that docs/explanation/margins.md quotes is printed at an effort of 4; R^8, both layers in R^7 and four times the samples take that too.
 */
#include "testing.h"

#include <string.h>

#include "fathom/margin.h"

/* The least k with P(B > k) < 3e-10, where B has the binomial distribution of `runs` trials at 0.1. */
static int64_t most_missed(int64_t runs)
{
    const double n = (double)runs;
    double tail = 0;
    for (int64_t k = runs; k >= 0; k--) {
        const double j = (double)k;
        tail += exp(lgamma(n + 1) - lgamma(j + 1) - lgamma(n - j + 1) + j * log(0.1) + (n - j) * log(0.9));
        if (tail >= 3e-10)
            return k;
    }
    return 0;
}

/* The long form, a row of tests/matrix/rows.txt. */
static bool whole(void) { return test_trials(1) >= 4; }

typedef struct setting {
    const char *data;
    fathom_margin_kind kind;
    double truth, error; /* known to this much */
    int64_t samples;
    double widest; /* mean relative width at most */
} setting;

static fathom_margin_view run_once(const setting *s, uint64_t seed, double confidence, int64_t samples,
                                   double gap)
{
    fathom_context *context;
    fathom_data *data;
    fathom_margin_result *result;
    fathom_margin_options options;
    fathom_data_options standard;
    fathom_options_init(&standard, &fathom_data_option_table);
    fathom_options_init(&options, &fathom_margin_option_table);
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_context_set_threads(context, 1);
    assert_ok(context, fathom_data_open(&data, context, s->data, &standard));
    fathom_context_set_seed(context, seed); /* of the sampling alone: the data have been made */
    options.kind = (int)s->kind;
    options.method = FATHOM_MARGIN_SAMPLE;
    options.confidence = confidence;
    options.gap = gap;
    options.samples = samples;
    assert_ok(context, fathom_margin(&result, context, data, &options));
    const fathom_margin_view view = fathom_margin_look(result);
    fathom_margin_free(result);
    fathom_data_free(data);
    fathom_context_free(context);
    return view;
}

/* The exact margin of 12 points in R^3, through all cones. */
static void exact_margin(setting *s)
{
    fathom_context *context;
    fathom_data *data;
    fathom_margin_result *result;
    fathom_data_options standard;
    fathom_options_init(&standard, &fathom_data_option_table);
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    assert_ok(context, fathom_data_open(&data, context, s->data, &standard));
    assert_ok(context, fathom_margin(&result, context, data, NULL));
    const fathom_margin_view view = fathom_margin_look(result);
    assert_true(view.exact && view.reached);
    s->truth = (view.lower + view.upper) / 2;
    s->error = view.upper - view.lower;
    fathom_margin_free(result);
    fathom_data_free(data);
    fathom_context_free(context);
}

static void intervals_cover(void **state)
{
    (void)state;
    setting settings[] = {
        {"gen:gauss,n=12,d=3,target=sign", FATHOM_MARGIN_NTK, NAN, 0, 20000, 0.5},
        {"gen:parity,d=4,all=1", FATHOM_MARGIN_NTK, (2 + sqrt(3.0)) / 24, 1e-15, 20000, 0.2},
        {"gen:parity,d=5,all=1", FATHOM_MARGIN_NTK, NAN, 0, 20000, 0.4},
        {"gen:parity,d=2,all=1", FATHOM_MARGIN_NTK_FULL, 0.25076348262972, 1e-14, 20000, 0.2},
        {"gen:parity,d=3,all=1", FATHOM_MARGIN_NTK_FULL, 0.14639853861699, 1e-14, 20000, 0.3},
    };
    const int64_t runs = test_trials(50),
                  fewer = whole() ? 1 : 4; /* an interval from a fourth of the samples is twice as wide */
    print_message("%-32s %8s %10s %8s %12s %14s\n", "data", "kind", "truth", "covered", "mean width",
                  "CLT covered");
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++) {
        setting *s = settings + k;
        int64_t missed = 0, asymptotic_missed = 0;
        double width = 0;
        if (isnan(s->truth))
            exact_margin(s);
        for (uint64_t seed = 1; seed <= (uint64_t)runs; seed++) {
            const fathom_margin_view view = run_once(s, seed, 0.9, s->samples / fewer, 1e-3);
            missed += !(view.lower <= s->truth + s->error && s->truth - s->error <= view.upper);
            asymptotic_missed += !(view.asymptotic_lower <= s->truth && s->truth <= view.asymptotic_upper);
            width += (view.upper - view.lower) / s->truth / (double)runs;
        }
        print_message("%-32s %8s %10.6f %8.3f %12.3f %14.3f\n", s->data,
                      s->kind == FATHOM_MARGIN_NTK ? "ntk" : "ntk-full", s->truth,
                      1 - (double)missed / (double)runs, width, 1 - (double)asymptotic_missed / (double)runs);
        assert_true(missed <= most_missed(runs));
        assert_true(width <= s->widest * sqrt((double)fewer));
    }
}

/* Parity of two bits in R^7 and R^8 (reference values, tests/README.md, with four standard errors) at the default gap of 1e-2, or the
 * narrowest that a fixed number of samples allows, confidence 1 - 1e-10. */
static void parity_in_higher_dimension(void **state)
{
    (void)state;
    const setting settings[] = {
        {"gen:parity,d=7,all=1", FATHOM_MARGIN_NTK, 0.081012, 6e-5, 4000000, 0.03},
        {"gen:parity,d=7,all=1", FATHOM_MARGIN_NTK_FULL, 0.053375, 4e-5, 4000000, 0.05},
        {"gen:parity,d=8,all=1", FATHOM_MARGIN_NTK, 0.069080, 5e-5, 2000000, 0.05},
        {"gen:parity,d=8,all=1", FATHOM_MARGIN_NTK_FULL, 0.045322, 4e-5, 2000000, 0.1},
    };
    const size_t all = sizeof settings / sizeof settings[0], count = whole() ? all : 1;
    const int64_t fewer = whole() ? 1 : 4;
    for (size_t k = 0; k < count; k++) {
        const setting *s = settings + k;
        const fathom_margin_view view = run_once(s, 1, 1 - 1e-10, s->samples / fewer, 1e-2);
        print_message("%s: [%.6f, %.6f], reference %.6f\n", s->data, view.lower, view.upper, s->truth);
        assert_true(view.lower <= s->truth + s->error && s->truth - s->error <= view.upper);
        assert_true(view.upper - view.lower <= s->widest * sqrt((double)fewer) * view.upper);
    }
}

/* gamma_gl of the same cubes by the joint relaxation: 1 / sqrt(8 d). */
static void global_in_higher_dimension(void **state)
{
    (void)state;
    for (int d = 7; d <= (whole() ? 8 : 7); d++) {
        char name[40];
        snprintf(name, sizeof name, "gen:parity,d=%d,all=1", d);
        const setting s = {name, FATHOM_MARGIN_GLOBAL, 1 / sqrt(8.0 * d), 1e-15, 0, 0};
        fathom_context *context;
        fathom_data *data;
        fathom_margin_result *result;
        fathom_margin_options options;
        fathom_data_options standard;
        fathom_options_init(&standard, &fathom_data_option_table);
        fathom_options_init(&options, &fathom_margin_option_table);
        options.kind = FATHOM_MARGIN_GLOBAL;
        options.gap =
            d <= 7 ? 1e-3
                   : 1e-2; /* certified prices end at rank 7; the joint relaxation alone leaves 0.4 % */
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        assert_ok(context, fathom_data_open(&data, context, name, &standard));
        assert_ok(context, fathom_margin(&result, context, data, &options));
        const fathom_margin_view view = fathom_margin_look(result);
        assert_true(view.exact && view.reached && view.lower <= s.truth + s.error &&
                    s.truth - s.error <= view.upper);
        fathom_margin_free(result);
        fathom_data_free(data);
        fathom_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_cover),
        cmocka_unit_test(parity_in_higher_dimension),
        cmocka_unit_test(global_in_higher_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
