/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `auto` on awkward data: it never ends above --method cells by more than the asked gap, its bound never lies
 * above what cells attains, and --beta-rel means one problem whatever the method. Free biases, which cells
 * does not take, are certified where points are few.
 */
#include "testing.h"

#include "awkward_training.h"
#include "fathom/train.h"

typedef struct trial {
    awkward data;
    fathom_train_options options;
    fathom_data_options how;
} trial;

static void draw_trial(trial *t, uint64_t seed, int bias)
{
    fathom_options_init(&t->options, &fathom_train_option_table);
    fathom_options_init(&t->how, &fathom_data_option_table);
    t->options.loss = (int)awkward_choice(seed, 5, 3);
    t->options.beta_rel = pow(10, -1 - (double)awkward_choice(seed, 6, 6));
    t->how.bias = bias;
    awkward_draw(&t->data, seed, 3, t->options.loss != FATHOM_TRAIN_SQUARED);
}

static void run(fathom_train_result *result, fathom_context *context, trial *t, fathom_train_method method)
{
    const awkward *a = &t->data;
    fathom_data *data;
    t->options.method = (int)method;
    assert_ok(context, fathom_data_create(&data, context, a->n, a->d, a->x, a->d, 1, a->y, NULL, &t->how));
    assert_ok(context, fathom_train(result, context, data, NULL, &t->options));
    fathom_data_free(data);
}

static void describe(uint64_t seed, const trial *t, const fathom_train_result *r)
{
    print_error("seed %d: n %d, d %d, offset %g, family %d, loss %d, bias %d, beta-rel %g: %s, objective "
                "%.12g, bound %.12g\n",
                (int)seed, (int)t->data.n, (int)t->data.d, t->data.offset, t->data.family, t->options.loss,
                t->how.bias, t->options.beta_rel, r->method, r->objective, r->lower_bound);
}

static void auto_is_as_good_as_all_cones(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_context_set_threads(context, 1);
    const int64_t trials = test_trials(12);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        trial t;
        fathom_train_result cells, automatic;
        draw_trial(&t, seed, seed % 2 ? FATHOM_BIAS_NONE : FATHOM_BIAS_AUGMENT);
        run(&cells, context, &t, FATHOM_TRAIN_CELLS);
        run(&automatic, context, &t, FATHOM_TRAIN_AUTO);
        const double gap = t.options.gap;
        const bool good =
            automatic.objective <= cells.objective * (1 + gap) && automatic.lower_bound <= cells.objective &&
            cells.lower_bound <= automatic.objective && fabs(automatic.beta / cells.beta - 1) <= 1e-12;
        if (!good || automatic.status != FATHOM_TRAIN_CERTIFIED) {
            describe(seed, &t, &cells);
            describe(seed, &t, &automatic);
        }
        assert_true(good);
        assert_true(automatic.relative_gap <= 10 * gap);
        fathom_train_result_clear(&cells);
        fathom_train_result_clear(&automatic);
    }
    fathom_context_free(context);
}

/* Few points in R^4 and R^5 with a free bias: the price is a tree of at most 2^n signs, which must close. */
static void free_biases_are_certified(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_context_set_threads(context, 1);
    const int64_t trials = test_trials(8);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        trial t;
        fathom_train_result result;
        draw_trial(&t, seed, FATHOM_BIAS_FREE);
        t.data.d = 4 + (int64_t)(seed % 2);
        t.data.n = 6 + (int64_t)awkward_choice(seed, 7, 5);
        t.data.family = 0;
        awkward_rows(&t.data, seed);
        run(&result, context, &t, FATHOM_TRAIN_AUTO);
        if (result.status != FATHOM_TRAIN_CERTIFIED)
            describe(seed, &t, &result);
        assert_true(result.relative_gap <= (t.options.loss == FATHOM_TRAIN_HINGE ? 10 : 1) * t.options.gap);
        fathom_train_result_clear(&result);
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_is_as_good_as_all_cones),
        cmocka_unit_test(free_biases_are_certified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
