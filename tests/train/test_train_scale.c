/* SPDX-License-Identifier: Apache-2.0 */
/* Training does not depend on units: data, targets and weights times powers of two, up to the ends of the
 * range of double. */
#include <string.h>

#include "fathom/train.h"
#include "interval.h"
#include "portable.h"
#include "with_context.h"

enum { N = 7, D = 3 };

typedef struct units {
    int point, target, weight;
} units;

/* Trains on Gaussian points in these units; `words` are options, beta among them in units of the problem. */
static fathom_status train_in(fathom_train_result *result, units e, int bias, const char *const *words,
                              double beta)
{
    double x[N * D], y[N], c[N];
    fathom_data_options plain;
    fathom_train_options options;
    fathom_data *data;
    portable_normals(x, N * D, 3);
    portable_normals(y, N, 4);
    fathom_options_init(&plain, &fathom_data_option_table);
    fathom_options_init(&options, &fathom_train_option_table);
    plain.bias = bias;
    for (; *words; words += 2)
        assert_ok(context,
                  fathom_options_set(context, &options,
                                     fathom_options_find(&fathom_train_option_table, words[0]), words[1]));
    const bool numbers = options.loss == FATHOM_TRAIN_SQUARED || options.loss == FATHOM_TRAIN_EQUALITY;
    for (int k = 0; k < N * D; k++)
        x[k] = ldexp(x[k], e.point);
    for (int i = 0; i < N; i++) {
        y[i] = numbers ? ldexp(y[i], e.target) : y[i] > 0 ? 1 : -1;
        c[i] = ldexp(1 + i % 3, e.weight);
    }
    options.beta = ldexp(beta, e.point + e.target + e.weight);
    assert_ok(context, fathom_data_create(&data, context, N, D, x, D, 1, y, c, &plain));
    const fathom_status status = fathom_train(result, context, data, NULL, &options);
    fathom_data_free(data);
    return status;
}

/* All losses and methods: the same bits in all units. */
static void test_units(void **state)
{
    (void)state;
    static const char *const how[][7] = {{NULL},
                                         {"loss", "logistic"},
                                         {"loss", "hinge", "method", "cells"},
                                         {"method", "cells"},
                                         {"loss", "equality"},
                                         {"model", "gated", "gates", "all"},
                                         {"model", "gated", "gates", "all", "loss", "logistic"}};
    static const units list[] = {{900, 50, -300}, {-900, -40, 300}, {512, 100, 60}};
    for (size_t h = 0; h < sizeof how / sizeof *how; h++)
        for (int bias = FATHOM_BIAS_NONE; bias <= FATHOM_BIAS_FREE; bias += 2) {
            const bool numbers = h == 0 || (h > 2 && h < 6), equality = h == 4;
            if (bias && (h == 2 || h == 3))
                continue; /* cells are without free biases */
            fathom_train_result reference, result;
            /* large enough to be scaled itself: ordinary data is left alone */
            const units own = {100, numbers ? 100 : 0, 100};
            assert_ok(context, train_in(&reference, own, bias, how[h], 0.25));
            const int unit = equality ? own.target - own.point : own.weight + 2 * own.target;
            for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
                units e = list[k];
                e.target = numbers ? e.target : 0;
                assert_ok(context, train_in(&result, e, bias, how[h], 0.25));
                const int value = equality ? e.target - e.point : e.weight + 2 * e.target;
                assert_true(result.lower_bound <= result.objective);
                assert_close(ldexp(result.objective, -value), ldexp(reference.objective, -unit), 0);
                assert_close(ldexp(result.lower_bound, -value), ldexp(reference.lower_bound, -unit), 0);
                assert_int_equal(result.status, reference.status);
                fathom_train_result_clear(&result);
            }
            fathom_train_result_clear(&reference);
        }
}

/* What cannot be scaled is refused: an answer that is no double, rows and weights too far apart, penalties of
 * nothing. */
static void test_refused(void **state)
{
    (void)state;
    static const char *const squared[] = {NULL};
    fathom_train_result result;
    assert_int_equal(train_in(&result, (units){0, 600, 0}, 0, squared, 0.25), FATHOM_ERROR_INPUT);
    assert_non_null(strstr(fathom_context_error(context)->text, "out of range"));
    assert_int_equal(train_in(&result, (units){0, 0, 0}, 0, squared, 1e-200), FATHOM_ERROR_USAGE);
    const double x[] = {1e200, 1, -1e100, 2}, y[] = {1, -1}, c[] = {1e300, 1};
    fathom_data *data;
    assert_ok(context, fathom_data_create(&data, context, 2, 2, x, 2, 1, y, NULL, NULL));
    assert_int_equal(fathom_train(&result, context, data, NULL, NULL), FATHOM_ERROR_INPUT);
    assert_non_null(strstr(fathom_context_error(context)->text, "row 1 (from 0)"));
    fathom_data_free(data);
    assert_ok(context, fathom_data_create(&data, context, 2, 1, x, 2, 1, y, c, NULL));
    assert_int_equal(fathom_train(&result, context, data, NULL, NULL), FATHOM_ERROR_INPUT);
    assert_non_null(strstr(fathom_context_error(context)->text, "out of range"));
    fathom_data_free(data);
}

/* The gate through which all intervals go. */
static void test_intervals(void **state)
{
    (void)state;
    assert_ok(context, fathom_interval_check(context, "x", 1, 1));
    assert_ok(context, fathom_interval_check(context, "x", 0, INFINITY));
    assert_int_equal(fathom_interval_check(context, "x", 2, 1), FATHOM_ERROR_RUNTIME);
    assert_non_null(strstr(fathom_context_error(context)->text, "lower 2, upper 1"));
    assert_int_equal(fathom_interval_check(context, "x", NAN, 1), FATHOM_ERROR_RUNTIME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_units), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_intervals)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
