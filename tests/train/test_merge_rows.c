/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that no network can tell apart. Data with copies and multiples of rows is trained with and without
 * evidence for a certificate, which is about all rows: both intervals hold the optimum, and evidence weakens no bound.
 */
#include "testing.h"

#include <float.h>
#include <string.h>

#include "fathom/train.h"
#include "merge_rows.h"
#include "random.h"

enum { PLACES = 4, COLUMNS = 3, MOST = 16 };

typedef struct sample {
    int64_t n, d;
    double x[MOST * COLUMNS], y[MOST], weight[MOST];
} sample;

static double uniform(uint64_t seed, uint32_t what)
{
    return fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE, what, 0);
}

/* Each of four places one to four times, times 1 or (multiples) something else; targets are numbers or
 * labels. */
static void draw(sample *s, uint64_t seed, bool multiples, bool labels)
{
    double place[PLACES * COLUMNS];
    *s = (sample){.d = 2 + (int64_t)(2 * uniform(seed, 0))};
    fathom_random_normals(place, PLACES * COLUMNS, seed, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(s->y, MOST, seed, FATHOM_STREAM_LABEL, 0, 0);
    for (uint32_t g = 0; g < PLACES; g++)
        for (uint32_t k = 0; k <= (uint32_t)(3.9 * uniform(seed, 1 + g)); k++, s->n++) {
            const double t = multiples ? 0.2 + 3 * uniform(seed, 40 + 4 * g + k) : 1;
            for (int64_t l = 0; l < s->d; l++)
                s->x[s->n * s->d + l] = t * place[g * COLUMNS + l];
            s->weight[s->n] = 0.5 + uniform(seed, 80 + (uint32_t)s->n);
        }
    for (int64_t i = 0; labels && i < s->n; i++)
        s->y[i] = i % 2 ? 1 : -1;
}

static void run(fathom_train_result *result, fathom_context *context, const sample *s, int bias, int loss,
                double beta, bool merged)
{
    fathom_train_options options;
    fathom_data_options how;
    fathom_data *data;
    fathom_options_init(&options, &fathom_train_option_table);
    fathom_options_init(&how, &fathom_data_option_table);
    how.bias = bias;
    options.loss = loss;
    options.beta = beta;
    options.verify = !merged;
    options.effort = 2;
    assert_ok(context, fathom_data_create(&data, context, s->n, s->d, s->x, s->d, 1, s->y, s->weight, &how));
    assert_ok(context, fathom_train(result, context, data, NULL, &options));
    fathom_data_free(data);
}

static void merged_rows_are_the_same_problem(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    const int64_t trials = test_trials(4);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        sample s;
        fathom_train_result merged, rows;
        const int loss = (int)(3 * uniform(seed, 30)), bias = (int)(3 * uniform(seed, 31));
        draw(&s, seed, seed % 2, loss != FATHOM_TRAIN_SQUARED);
        run(&merged, context, &s, bias, loss, 0.05, true);
        run(&rows, context, &s, bias, loss, 0.05, false);
        assert_true(merged.lower_bound <= rows.objective && rows.lower_bound <= merged.objective);
        assert_true(merged.relative_gap <= 1e-6 && rows.relative_gap <= 1e-6);
        assert_true(rows.proof && rows.proof->n == s.n);
        fathom_train_result_clear(&merged);
        fathom_train_result_clear(&rows);
    }
    fathom_context_free(context);
}

/* The same row with labels + and - in balance: f = 0 is best, and beta_max is 0, not the noise of a sum. */
static void balanced_labels_have_no_penalty(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    const int64_t trials = test_trials(12);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        sample s = {.n = 2 * PLACES, .d = 1 + (int64_t)(3 * uniform(seed, 0))};
        fathom_train_result r;
        fathom_random_normals(s.x, PLACES * s.d, seed, FATHOM_STREAM_DATA, 0, 0);
        memcpy(s.x + PLACES * s.d, s.x, (size_t)(PLACES * s.d) * sizeof *s.x);
        const int loss = (int)(seed % 3);
        for (int64_t i = 0; i < s.n; i++) {
            s.y[i] = i < PLACES ? 1 : -1;
            s.weight[i] = 1;
        }
        run(&r, context, &s, (int)(seed / 3 % 3), loss, NAN, true);
        const double each = loss == FATHOM_TRAIN_SQUARED ? 0.5 : loss == FATHOM_TRAIN_HINGE ? 1 : log(2);
        assert_true(r.beta_max == 0 && r.norm == 0);
        assert_true(r.status == FATHOM_TRAIN_CERTIFIED);
        assert_close(r.objective, (double)s.n * each,
                     8 * (double)(s.n + s.d + 64) * DBL_EPSILON * (double)s.n * each);
        fathom_train_result_clear(&r);
    }
    fathom_context_free(context);
}

/* x, 2 x and x / 3 (rounded: another direction) by exact arithmetic. */
static void directions_are_exact(void **state)
{
    (void)state;
    const double x[3] = {0, 0.1, -0.7}, twice[3] = {0, 0.2, -1.4}, third[3] = {0, 0.1 / 3, -0.7 / 3},
                 back[3] = {0, -0.1, 0.7};
    assert_int_equal(fathom_row_first_entry(x, 3), 1);
    assert_true(fathom_rows_same_direction(x, twice, 3, 1));
    assert_true(fathom_rows_same_direction(x, third, 3, 1) ==
                (0.1L * (double)(0.7 / 3) == 0.7L * (double)(0.1 / 3)));
    assert_false(fathom_rows_same_direction(x, back, 3, 1));
    assert_true(fathom_rows_same(x, x, 3) && !fathom_rows_same(x, twice, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_rows_are_the_same_problem),
        cmocka_unit_test(balanced_labels_have_no_penalty),
        cmocka_unit_test(directions_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
