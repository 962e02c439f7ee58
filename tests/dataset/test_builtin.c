/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in sets: shapes, class counts and known sums as published. */
#include "dataset_testing.h"

static void shapes_and_class_counts(void **state)
{
    static const struct {
        const char *spec;
        int64_t n, d, classes, count[10];
        double
            sum; /* of all values: scikit-learn 1.9 for the first four, ../shared/data/uci_raw for the last */
    } known[] = {
        {"builtin:wdbc", 569, 30, 2, {357, 212}, 1056474.4596356},
        {"builtin:iris", 150, 4, 3, {50, 50, 50}, 2078.7},
        {"builtin:wine", 178, 13, 3, {59, 71, 48}, 159975.295999},
        {"builtin:digits", 1797, 64, 10, {178, 182, 177, 183, 181, 182, 181, 179, 174, 180}, 561718},
        {"builtin:monks1", 124, 6, 2, {62, 62}, 1441},
    };
    for (size_t s = 0; s < sizeof known / sizeof known[0]; s++) {
        fathom_data *data = open_plain(*state, known[s].spec);
        const fathom_data_view v = fathom_data_look(data);
        assert_true(v.n == known[s].n && v.d == known[s].d && v.classes == known[s].classes);
        int64_t count[10] = {0};
        double sum = 0;
        for (int64_t i = 0; i < v.n; i++)
            for (int64_t k = 0; k < v.classes; k++)
                count[k] += v.y[i] == v.class_value[k];
        for (int64_t k = 0; k < v.n * v.d; k++)
            sum += v.x[k];
        assert_memory_equal(count, known[s].count, sizeof count);
        assert_close(sum, known[s].sum, (double)(v.n * v.d) * UNIT_ROUNDOFF * known[s].sum);
        fathom_data_free(data);
    }
}

/* The texts are read as CSV files are: another target, text labels left out. */
static void another_target(void **state)
{
    fathom_data *data = open_with(*state, "builtin:wine", PAIRS("target", "proline"));
    const fathom_data_view v = fathom_data_look(data);
    assert_true(v.d == 13 && v.y[0] == 1065 && v.x[12] == 1);
    fathom_data_free(data);
    assert_refused(*state, "builtin:iris", PAIRS("target", "petal_width"), FATHOM_ERROR_INPUT, "species");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(shapes_and_class_counts),
        data_test(another_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
