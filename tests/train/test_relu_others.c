/* SPDX-License-Identifier: Apache-2.0 */
/* Second networks of the same objective: said on a circle, where there are such, and not on four points where there is one network alone. */
#include "fathom/train.h"
#include "testing.h"

#include <math.h>
#include <string.h>

static void listen(void *user, fathom_log_level level, const char *text)
{
    (void)level;
    if (strncmp(text, "not unique", 10) == 0)
        *(bool *)user = true;
}

/* Whether training on n points of the circle with alternating targets says so. */
static bool said(int64_t n, int select)
{
    double x[24], y[12];
    bool heard = false;
    fathom_context *context;
    fathom_data *data;
    fathom_train_options options;
    fathom_train_result result;
    fathom_options_init(&options, &fathom_train_option_table);
    options.method = FATHOM_TRAIN_COLUMNS;
    options.beta_rel = 0.01;
    options.select = select;
    for (int64_t k = 0; k < n; k++) {
        const double angle = 2 * acos(-1.0) * (double)k / (double)n;
        x[2 * k] = cos(angle);
        x[2 * k + 1] = sin(angle);
        y[k] = k % 2 ? -1 : 1;
    }
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_context_set_log(context, listen, &heard);
    assert_ok(context, fathom_data_create(&data, context, n, 2, x, 2, 1, y, NULL, NULL));
    assert_ok(context, fathom_train(&result, context, data, NULL, &options));
    assert_int_equal(result.status, FATHOM_TRAIN_CERTIFIED);
    fathom_train_result_clear(&result);
    fathom_data_free(data);
    fathom_context_free(context);
    return heard;
}

static void circle(void **state)
{
    (void)state;
    assert_true(said(8, FATHOM_SELECT_ANY));
    assert_true(said(8, FATHOM_SELECT_SPARSE));
    assert_false(said(4, FATHOM_SELECT_ANY)); /* one neuron per point */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(circle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
