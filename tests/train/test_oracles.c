/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference values (tests/README.md) that no other test holds: prices without and with a free bias, bounds
 * from a given dual point for every loss, the largest of the reference optima, margins over all networks.
 */
#include "testing.h"

#include <string.h>

#include "fathom/margin.h"
#include "fathom/train.h"
#include "objective.h"
#include "global_bound.h"
#include "price.h"

/* The generator of the reference values: a 64-bit congruential one, sums of twelve uniforms. */
static double draw(uint64_t *s)
{
    double sum = 0;
    for (int k = 0; k < 12; k++) {
        *s = *s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*s >> 11) * 0x1p-53;
    }
    return sum - 6;
}

static fathom_context *make_context(void)
{
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    return context;
}

/* "price": the numbers were printed to 15 digits. */
static void prices(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        int64_t n, d;
        double p, sign;
    } known[] = {
        {11, 12, 3, 3.26623053903805, 1},  {12, 20, 3, 4.75992726442551, -1},
        {13, 15, 4, 4.29155878038664, -1}, {14, 30, 4, 7.61443279047335, 1},
        {15, 20, 5, 6.91927012681399, -1}, {16, 50, 3, 6.66702303539011, 1},
        {17, 40, 5, 12.0669560217027, 1},  {214, 9, 1, 6.10686497464121, 1},
    };
    fathom_context *context = make_context();
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        double x[200], v[50], u[5];
        uint64_t s = known[k].seed;
        const int64_t n = known[k].n, d = known[k].d;
        for (int64_t i = 0; i < n * d; i++)
            x[i] = draw(&s);
        for (int64_t i = 0; i < n; i++)
            v[i] = draw(&s);
        const fathom_price_problem problem = {context, n, d, 1, x, v, false};
        const fathom_price_options options = {FATHOM_PRICE_AUTO, 1e-11, 0, INFINITY, 0};
        fathom_price_result result;
        assert_ok(context, fathom_price_bound(&result, u, &problem, &options));
        assert_close(result.lower, known[k].p, 1e-12 * known[k].p);
        assert_true(result.upper >= known[k].p * (1 - 1e-14) && result.upper <= known[k].p * (1 + 2e-11));
        assert_true(result.sign == known[k].sign);
    }
    fathom_context_free(context);
}

/* Rank 8: relaxation and branching. The bound of interpolating y = v is |v|^2 / P for the dual point v itself, P the price:
 * that optimum is at least |v|^2 / p(v), and the bound found may be better, as the dual point is free. */
static void price_of_rank_eight(void **state)
{
    (void)state;
    fathom_context *context = make_context();
    double x[240], v[30], reach[30], square = 0;
    uint64_t s = 18;
    for (int64_t i = 0; i < 240; i++)
        x[i] = draw(&s);
    for (int64_t i = 0; i < 30; i++) {
        double sum = 0;
        for (int64_t l = 0; l < 8; l++)
            sum += x[8 * i + l] * x[8 * i + l];
        reach[i] = sqrt(sum) * (1 + 64 * UNIT_ROUNDOFF);
        v[i] = draw(&s);
        square += v[i] * v[i];
    }
    const fathom_objective problem = {.context = context,
                                      .n = 30,
                                      .d = 8,
                                      .outputs = 1,
                                      .x = x,
                                      .reach = reach,
                                      .loss = FATHOM_LOSS_SQUARED,
                                      .equality = true,
                                      .y = v,
                                      .beta = 1};
    const double known = square / 10.9250578641126;
    fathom_global_bound bound;
    assert_ok(context, fathom_global_bound_open(&bound, &problem, NULL));
    const fathom_global_effort effort = {
        .value = 2 * known, .enough = known * (1 - 1e-6), .seconds = 20, .total = INFINITY};
    assert_ok(context, fathom_global_bound_improve(&bound, v, &effort));
    assert_true(bound.lower >= known * (1 - 1e-6));
    fathom_global_bound_close(&bound);
    fathom_context_free(context);
}

/* "price_bias", Corollary 2.1's counterexample among them: p = 72 / sqrt(26). */
static void prices_with_a_free_bias(void **state)
{
    (void)state;
    static const struct {
        double x[12], v[6], p;
    } known[] = {
        {{0, 0, 3, 0, 0, 3, 2, 2, -1, 2, 1, -2}, {2, 3, -4, 4, 0, -5}, 14.1203617299493},
        {{0, 0, 3, 0, 0, 3, 2, 2, -1, 2, 1, -2}, {-3, -4, 0, 4, -3, 6}, 13.096923751962},
        {{1, 2, 2, -1, -1, 1, -2, -1, 0.5, -2, 1, 0.7}, {1, -2, 3, -1, -2, 1}, 13.3150291024842},
    };
    fathom_context *context = make_context();
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        double neuron[3];
        const fathom_price_problem problem = {context, 6, 2, 1, known[k].x, known[k].v, true};
        const fathom_price_options options = {FATHOM_PRICE_AUTO, 1e-11, 0, INFINITY, 0};
        fathom_price_result result;
        assert_ok(context, fathom_price_bound(&result, neuron, &problem, &options));
        assert_close(result.lower, known[k].p, 1e-12 * known[k].p);
        assert_true(result.upper >= known[k].p * (1 - 1e-14) && result.upper <= known[k].p * (1 + 2e-11));
        double value = 0; /* the neuron found may be another of the same price */
        for (int i = 0; i < 6; i++)
            value += known[k].v[i] *
                     fmax(0, known[k].x[2 * i] * neuron[0] + known[k].x[2 * i + 1] * neuron[1] + neuron[2]);
        assert_close(result.sign * value, known[k].p, 1e-12 * known[k].p);
    }
    assert_close(known[0].p, 72 / sqrt(26), 1e-13);
    fathom_context_free(context);
}

/* "dual_bound_from_v": the bound of every loss from v and the largest price p of its point. */
static void bounds_from_a_dual_point(void **state)
{
    (void)state;
    static const struct {
        double v[6], y[6], label[6], p, interpolation, squared[2], hinge[2],
            logistic[2]; /* at beta = 0.3 and 2 */
    } known[] = {
        {{1, -1, 2, 0.5, -1.5, 1},
         {1, -1, 2, 0.5, -1.5, 1},
         {1, -1, 1, 1, -1, 1},
         4.8541219597369,
         1.9570995699735,
         {0.568986634917779, 3.10783309220164},
         {0.432622010204668, 2.88414673469779},
         {1.51636393164997, 3.71598184113361}},
        {{0.2, -0.1, 0.4, 0.1, -0.3, 0.2},
         {1, -1, 2, 0.5, -1.5, 1},
         {1, -1, 1, 1, -1, 1},
         0.94,
         1.91489361702128,
         {0.556643277501132, 3.03757356269805},
         {0.414893617021277, 2.76595744680851},
         {1.45497366204764, 3.53601896933846}},
        {{-1, 2, -3, 4, -5, 6},
         {1, 0, -1, 2, 0.5, 3},
         {-1, 1, -1, 1, -1, 1},
         8.77978962631525,
         2.90439760920581,
         {0.818195904354491, 3.44775617808929},
         {0.717557056392024, 3.5},
         {2.09221998214057, 3.53193181897843}},
    };
    static const double beta[2] = {0.3, 2};
    fathom_context *context = make_context();
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        double most = 0,
               inside[6]; /* 0 <= y v <= 1: the point scaled into the domain, and its price with it */
        for (int i = 0; i < 6; i++)
            most = fmax(most, known[k].label[i] * known[k].v[i]);
        for (int i = 0; i < 6; i++)
            inside[i] = known[k].label[i] * fmax(0, known[k].label[i] * known[k].v[i]) / most;
        fathom_objective p = {
            .context = context, .n = 6, .d = 2, .outputs = 1, .equality = true, .y = known[k].y, .beta = 1};
        assert_close(fathom_objective_bound_priced(&p, known[k].v, known[k].p), known[k].interpolation,
                     1e-12 * known[k].interpolation);
        for (int b = 0; b < 2; b++) {
            p.beta = beta[b];
            p.equality = false;
            p.loss = FATHOM_LOSS_SQUARED;
            p.y = known[k].y;
            assert_close(fathom_objective_bound_priced(&p, known[k].v, known[k].p), known[k].squared[b],
                         1e-12 * known[k].squared[b]);
            p.y = known[k].label;
            p.loss = FATHOM_LOSS_HINGE;
            assert_close(fathom_objective_bound_priced(&p, inside, known[k].p / most), known[k].hinge[b],
                         1e-12 * known[k].hinge[b]);
            p.loss = FATHOM_LOSS_LOGISTIC;
            assert_close(fathom_objective_bound_priced(&p, inside, known[k].p / most), known[k].logistic[b],
                         1e-12 * known[k].logistic[b]);
        }
    }
    fathom_context_free(context);
}

/* "train_large", 100 x 5: optimum and beta_max. */
static void hundred_points_in_five_dimensions(void **state)
{
    (void)state;
    skip_if_brief();
    fathom_context *context = make_context();
    double x[500], y[100];
    uint64_t s = 43;
    fathom_data *data;
    fathom_train_result result;
    fathom_train_options options;
    fathom_options_init(&options, &fathom_train_option_table);
    for (int64_t i = 0; i < 500; i++)
        x[i] = draw(&s);
    for (int64_t i = 0; i < 100; i++)
        y[i] = draw(&s);
    options.beta = 1.8;
    options.gap = 1e-4;
    assert_ok(context, fathom_data_create(&data, context, 100, 5, x, 5, 1, y, NULL, NULL));
    assert_ok(context, fathom_train(&result, context, data, NULL, &options));
    assert_int_equal(result.status, FATHOM_TRAIN_CERTIFIED);
    assert_true(result.objective >= 43.0239196209537 * (1 - 1e-9) &&
                result.lower_bound <= 43.0239196307819 * (1 + 1e-9));
    assert_close(result.beta_max, 18.0490418406063, 1e-9 * result.beta_max);
    fathom_train_result_clear(&result);
    fathom_data_free(data);
    fathom_context_free(context);
}

/* "train", margins without bias, and "whitened" (orthonormal rows): the interval of gamma_gl holds the reference. */
static void margins(void **state)
{
    (void)state;
    static const struct {
        int64_t n, d;
        double x[25], y[7], margin;
    } known[] = {
        {6, 2, {1, 2, 2, -1, -1, 1, -2, -1, 0.5, -2, 1, 0.7}, {1, -1, 1, 1, -1, 1}, 0.506074972033758},
        {7,
         2,
         {0.69, -0.71, -0.67, 0.07, 0.63, -1.98, 0.22, 1.66, 0.36, 1.22, -0.97, -0.17, -0.1, -1.28},
         {1, 1, -1, -1, 1, 1, 1},
         0.0623457286606317},
        {5,
         3,
         {0.4, -1.64, 1.77, 0.84, -0.63, 1.45, 0.54, -0.48, 0.18, -0.64, -0.8, -0.16, 0.39, 1.39, 2},
         {1, 1, 1, -1, 1},
         0.418479243917518},
        {5,
         5,
         {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1},
         {1, -1, 1, 1, -1},
         0.317837245195782},
        {4, 4, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {1, -1, -1, 1}, 0.353553390593274},
        {3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 1, -1}, 0.414213562373095},
    };
    fathom_context *context = make_context();
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        fathom_data *data;
        fathom_margin_result *result;
        fathom_margin_options options;
        fathom_options_init(&options, &fathom_margin_option_table);
        options.kind = FATHOM_MARGIN_GLOBAL;
        options.gap = 1e-7;
        assert_ok(context, fathom_data_create(&data, context, known[k].n, known[k].d, known[k].x, known[k].d,
                                              1, known[k].y, NULL, NULL));
        assert_ok(context, fathom_margin(&result, context, data, &options));
        const fathom_margin_view view = fathom_margin_look(result);
        if (!(view.reached && view.lower <= known[k].margin * (1 + 2e-8) &&
              view.upper >= known[k].margin * (1 - 2e-8)))
            print_error("case %d: [%.17g, %.17g], %.17g\n", (int)k, view.lower, view.upper, known[k].margin);
        assert_true(view.exact && view.reached);
        assert_true(view.lower <= known[k].margin * (1 + 2e-8) && view.upper >= known[k].margin * (1 - 2e-8));
        fathom_margin_free(result);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices),
        cmocka_unit_test(price_of_rank_eight),
        cmocka_unit_test(prices_with_a_free_bias),
        cmocka_unit_test(bounds_from_a_dual_point),
        cmocka_unit_test(hundred_points_in_five_dimensions),
        cmocka_unit_test(margins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
