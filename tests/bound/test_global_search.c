/* SPDX-License-Identifier: Apache-2.0 */
/* Global bounds by relaxation and branching, for every loss: never above a network that training finds, and close to it. */
#include "testing.h"

#include <string.h>

#include "blas.h"
#include "fathom/train.h"
#include "global_lift.h"
#include "global_search.h"
#include "random.h"

enum { N = 9, D = 2, MODES = 8 };

typedef struct fixture {
    double x[N * D], y[N], reach[N];
    fathom_objective problem;
    int loss; /* as training names it */
} fixture;

/* Mode: squared, logistic, hinge or equality; from 4 on with a free bias. */
static void make(fixture *a, fathom_context *context, int mode, uint32_t trial)
{
    static const fathom_loss losses[4] = {FATHOM_LOSS_SQUARED, FATHOM_LOSS_LOGISTIC, FATHOM_LOSS_HINGE,
                                          FATHOM_LOSS_SQUARED};
    static const int names[4] = {FATHOM_TRAIN_SQUARED, FATHOM_TRAIN_LOGISTIC, FATHOM_TRAIN_HINGE,
                                 FATHOM_TRAIN_EQUALITY};
    fathom_random_normals(a->x, N * D, 41, FATHOM_STREAM_DATA, trial, 0);
    fathom_random_normals(a->y, N, 42, FATHOM_STREAM_LABEL, trial, 0);
    for (int i = 0; i < N; i++) {
        a->reach[i] = fathom_blas_norm(a->x + i * D, D) * (1 + 16 * UNIT_ROUNDOFF);
        if (mode % 4 == 1 || mode % 4 == 2)
            a->y[i] = a->y[i] > 0 ? 1 : -1;
    }
    a->loss = names[mode % 4];
    a->problem = (fathom_objective){.context = context,
                                    .n = N,
                                    .d = D,
                                    .outputs = 1,
                                    .x = a->x,
                                    .reach = a->reach,
                                    .loss = losses[mode % 4],
                                    .y = a->y,
                                    .beta = mode % 4 == 3 ? 1 : 0.4,
                                    .constant = mode >= 4,
                                    .equality = mode % 4 == 3};
}

static double train(const fixture *a, fathom_context *context)
{
    fathom_data *data;
    fathom_data_options shape;
    fathom_train_options options;
    fathom_train_result result;
    fathom_options_init(&options, &fathom_train_option_table);
    fathom_options_init(&shape, &fathom_data_option_table);
    options.loss = a->loss;
    options.beta = 0.4;
    shape.bias = a->problem.constant ? FATHOM_BIAS_FREE : FATHOM_BIAS_NONE;
    assert_ok(context, fathom_data_create(&data, context, N, D, a->x, D, 1, a->y, NULL, &shape));
    assert_ok(context, fathom_train(&result, context, data, NULL, &options));
    const double objective = result.objective;
    fathom_train_result_clear(&result);
    fathom_data_free(data);
    return objective;
}

/* The best bound that was offered, recomputed from v and its price. */
typedef struct best {
    const fathom_objective *problem;
    double lower;
} best;

static void take(void *user, const double *v, double price, const char *method)
{
    best *b = user;
    assert_non_null(method);
    const double lower = fathom_objective_bound(b->problem, v, price);
    b->lower = fmax(b->lower, lower);
}

static void bounds_stay_below_networks(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    double worst[MODES];
    for (int mode = 0; mode < MODES; mode++) {
        worst[mode] = 1;
        for (uint32_t trial = 0; trial < test_trials(1); trial++) {
            fixture a;
            fathom_objective *lifted = NULL;
            fathom_global_search *search = NULL;
            bool exhausted;
            double v[N];
            make(&a, context, mode, trial);
            const double value = train(&a, context);
            memcpy(v, a.y, sizeof v);
            for (int i = 0; i < N; i++)
                v[i] *= 0.5;
            if (a.problem.constant)
                assert_ok(context, fathom_global_lift(&lifted, &a.problem, NULL));
            fathom_objective_balance(v, &a.problem);
            const fathom_objective *form = lifted ? lifted : &a.problem;
            best b = {form, 0};
            const fathom_global_effort effort = {value, value * (1 - 1e-3), 0.02, 60};
            assert_ok(context, fathom_global_search_run(&exhausted, &search, form, &a.problem, v, &effort,
                                                        &b.lower, take, &b, NULL));
            if (!(b.lower <= value * (1 + 1e-9)))
                print_error("mode %d trial %u: bound %.15g above %.15g\n", mode, trial, b.lower, value);
            assert_true(b.lower <= value * (1 + 1e-9));
            worst[mode] = fmin(worst[mode], b.lower / value);
            fathom_global_search_free(search);
            fathom_global_lift_free(lifted);
        }
        print_message("mode %d: bound / network at least %.4f\n", mode, worst[mode]);
        assert_true(worst[mode] > 0.2); /* not empty, from a start that is far from optimal */
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_stay_below_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
