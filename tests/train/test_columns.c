/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks over faces: optima known from independent cone programs (reference values of the cone program over all
 * patterns, and of a prototype with certified gaps below 1e-9), every loss, free biases, several outputs; hard data;
 * bounds never above the value of any network, on random problems.
 */
#include "testing.h"

#include <string.h>

#include "blas.h"
#include "fathom/train.h"
#include "random.h"

typedef struct known {
    const char *name;
    int64_t n, d, outputs;
    const double *x, *y;
    int loss, bias;
    double beta, optimum;
} known;

enum { FREE = FATHOM_BIAS_FREE, NONE = FATHOM_BIAS_NONE };

static const double x1[] = {1, 2, 2, -1, -1, 1, -2, -1, 0.5, -2, 1, 0.7};
static const double target1[] = {1, -1, 2, 0.5, -1.5, 1}, label1[] = {1, -1, 1, 1, -1, 1};
static const double x2[] = {0.69, -0.71, -0.67, 0.07,  0.63,  -1.98, 0.22,
                            1.66, 0.36,  1.22,  -0.97, -0.17, -0.1,  -1.28};
static const double target2[] = {1.38, 0.62, -0.33, -0.23, 1.54, 0.04, 0.33},
                    label2[] = {1, 1, -1, -1, 1, 1, 1};
static const double x3[] = {0.4,  -1.64, 1.77, 0.84,  -0.63, 1.45, 0.54, -0.48,
                            0.18, -0.64, -0.8, -0.16, 0.39,  1.39, 2};
static const double target3[] = {1.25, 1.24, 1.58, -1.69, 1.1}, label3[] = {1, 1, 1, -1, 1};
static const double v5[] = {1, 2, 2, -1, -1, 1, -2, -1, 0.5, -2}, w5[] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 1};
static const double v7[] = {1.68, -1.01, -0.52, -0.06, -0.82, -1.43, -0.82,
                            1.17, -0.77, -0.95, -0.29, 2.62,  -1.3,  0.4};
static const double w7[] = {0.33,  0.73, 0.79, -1.03, 0.73,  -0.1, -0.67, -1.75, 0.07, -1.43, -0.9,
                            -1.55, -0.7, 0.75, 0.27,  -1.55, -1.1, -0.23, 1.07,  2.44, -1.36};

#define SQ FATHOM_TRAIN_SQUARED
#define LO FATHOM_TRAIN_LOGISTIC
#define HI FATHOM_TRAIN_HINGE
#define EQ FATHOM_TRAIN_EQUALITY
static const known problems[] = {
    {"t1 sq", 6, 2, 1, x1, target1, SQ, NONE, 0.3, 0.881303494730839},
    {"t1 hinge", 6, 2, 1, x1, label1, HI, NONE, 0.2, 0.395198361734577},
    {"t1 logistic", 6, 2, 1, x1, label1, LO, NONE, 0.2, 1.35383560610608},
    {"t1 interp", 6, 2, 1, x1, target1, EQ, NONE, NAN, 6.02633205764366},
    {"t1 sq bias", 6, 2, 1, x1, target1, SQ, FREE, 0.3, 0.397651659872797},
    {"t1 hinge bias", 6, 2, 1, x1, label1, HI, FREE, 0.2, 0.202808050620723},
    {"t1 logistic bias", 6, 2, 1, x1, label1, LO, FREE, 0.2, 0.777341042905255},
    {"t1 interp bias", 6, 2, 1, x1, target1, EQ, FREE, NAN, 1.49140732967528},
    {"t2 sq", 7, 2, 1, x2, target2, SQ, NONE, 0.8, 2.23652540890082},
    {"t2 hinge", 7, 2, 1, x2, label2, HI, NONE, 0.5, 5.0269050090217},
    {"t2 logistic", 7, 2, 1, x2, label2, LO, NONE, 0.5, 4.45889535811668},
    {"t2 interp", 7, 2, 1, x2, target2, EQ, NONE, NAN, 26.801638764075},
    {"t2 sq bias", 7, 2, 1, x2, target2, SQ, FREE, 0.8, 1.5929828691861},
    {"t2 hinge bias", 7, 2, 1, x2, label2, HI, FREE, 0.5, 3.00522785056489},
    {"t2 logistic bias", 7, 2, 1, x2, label2, LO, FREE, 0.5, 3.76587888189435},
    {"t2 interp bias", 7, 2, 1, x2, target2, EQ, FREE, NAN, 5.49285906343555},
    {"t3 sq", 5, 3, 1, x3, target3, SQ, NONE, 0.15, 0.654284129803849},
    {"t3 hinge", 5, 3, 1, x3, label3, HI, NONE, 0.9, 2.09425858186001},
    {"t3 logistic", 5, 3, 1, x3, label3, LO, NONE, 0.9, 2.52375779984857},
    {"t3 interp", 5, 3, 1, x3, target3, EQ, NONE, NAN, 4.79657896219747},
    {"t3 sq bias", 5, 3, 1, x3, target3, SQ, FREE, 0.15, 0.38970503425565},
    {"t3 hinge bias", 5, 3, 1, x3, label3, HI, FREE, 0.9, 1.4184225406149},
    {"t3 logistic bias", 5, 3, 1, x3, label3, LO, FREE, 0.9, 2.18974457879387},
    {"t3 interp bias", 5, 3, 1, x3, target3, EQ, FREE, NAN, 2.83183688591079},
    {"v5 0.3", 5, 2, 2, v5, w5, SQ, NONE, 0.3, 0.624652687826342},
    {"v5 1", 5, 2, 2, v5, w5, SQ, NONE, 1, 1.5726916348971},
    {"v7 0.5", 7, 2, 3, v7, w7, SQ, NONE, 0.5, 6.01152045443494},
};

/* sum_i l_i + beta sum_j |w_j||u_j| from the network itself; for interpolation the largest |f_i - y_i| as well. */
static double objective_of(const known *p, fathom_net *net, double *misfit)
{
    const fathom_net_weights w = fathom_net_lend(net);
    const fathom_net_shape shape = fathom_net_look(net);
    double sum = 0;
    *misfit = 0;
    for (int64_t i = 0; i < p->n * p->outputs; i++) {
        const int64_t k = i % p->outputs;
        double f = w.c ? w.c[k] : 0;
        for (int64_t j = 0; j < shape.m; j++)
            f +=
                w.w[j * p->outputs + k] *
                fmax(fathom_blas_dot(p->x + i / p->outputs * p->d, w.u + j * p->d, p->d) + (w.b ? w.b[j] : 0),
                     0);
        sum += p->loss == SQ   ? (f - p->y[i]) * (f - p->y[i]) / 2
               : p->loss == LO ? log1p(exp(-p->y[i] * f))
               : p->loss == HI ? fmax(0, 1 - p->y[i] * f)
                               : 0;
        *misfit = fmax(*misfit, fabs(f - p->y[i]));
    }
    for (int64_t j = 0; j < shape.m; j++)
        sum += (p->loss == EQ ? 1 : p->beta) * fathom_blas_norm(w.w + j * p->outputs, p->outputs) *
               fathom_blas_norm(w.u + j * p->d, p->d);
    return sum;
}

static void train(fathom_train_result *result, fathom_context *context, const known *p, double gap,
                  int select)
{
    fathom_data *data;
    fathom_data_options how;
    fathom_train_options options;
    fathom_options_init(&how, &fathom_data_option_table);
    fathom_options_init(&options, &fathom_train_option_table);
    how.bias = p->bias;
    options.loss = p->loss;
    options.beta = p->beta;
    options.gap = gap;
    options.select = select;
    options.method = FATHOM_TRAIN_COLUMNS;
    assert_ok(context,
              fathom_data_create(&data, context, p->n, p->d, p->x, p->d, p->outputs, p->y, NULL, &how));
    assert_ok(context, fathom_train(result, context, data, NULL, &options));
    fathom_data_free(data);
}

/* The network is within 1e-7 of the optimum (1e-5 with several outputs, where directions are found by descent), and the
 * interval contains it. */
static void check(const known *p, fathom_train_result *result)
{
    double misfit;
    const double value = objective_of(p, result->net, &misfit), scale = fmax(1, p->optimum);
    if (!(result->objective <= p->optimum + (p->outputs > 1 ? 1e-5 : 1e-7) * scale))
        print_error("%s: objective %.12g, optimum %.12g\n", p->name, result->objective, p->optimum);
    assert_true(result->objective <= p->optimum + (p->outputs > 1 ? 1e-5 : 1e-7) * scale);
    assert_true(result->objective >= p->optimum - 1e-8 * scale);
    assert_true(result->lower_bound <= p->optimum + 1e-8 * scale);
    assert_close(value, result->objective, 1e-9 * scale);
    assert_true(p->loss != EQ || misfit <= 1e-7 * 2.5);
    assert_true(p->outputs > 1 || result->neurons <= 40);
}

static void optima_of_cone_programs(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++) {
        fathom_train_result result;
        train(&result, context, problems + k, 1e-8, FATHOM_SELECT_ANY);
        check(problems + k, &result);
        fathom_train_result_clear(&result);
    }
    fathom_context_free(context);
}

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

typedef struct drawn {
    uint64_t seed;
    known p;
} drawn;

static const drawn larger[] = {
    {41, {"20x2", 20, 2, 1, NULL, NULL, SQ, NONE, 0.67, 7.60531180210497}},
    {42, {"50x3", 50, 3, 1, NULL, NULL, SQ, NONE, 1.01, 20.0342344379546}},
    {42, {"50x3 small beta", 50, 3, 1, NULL, NULL, SQ, NONE, 0.202, 14.7223983625322}},
    {44, {"200x3", 200, 3, 1, NULL, NULL, SQ, NONE, 2.19, 98.1434661714027}},
    {501, {"hinge 20x3", 20, 3, 1, NULL, NULL, HI, NONE, 0.5, 11.2866266819244}},
    {502, {"20x2 bias", 20, 2, 1, NULL, NULL, SQ, FREE, 0.5, 3.57566652006162}},
    {503, {"hinge 15x2 bias", 15, 2, 1, NULL, NULL, HI, FREE, 0.4, 6.93302095016501}},
    {503, {"logistic 15x2 bias", 15, 2, 1, NULL, NULL, LO, FREE, 0.3, 7.78141256122705}},
};

/* Certified to 1e-7 where prices are exact (rank at most 5, no free bias); within 1e-6 of the reference otherwise. */
static void larger_optima(void **state)
{
    (void)state;
    fathom_context *context;
    double x[600], y[200];
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof larger / sizeof larger[0]; k++) {
        fathom_train_result result;
        known p = larger[k].p;
        uint64_t s = larger[k].seed;
        for (int64_t i = 0; i < p.n * p.d; i++)
            x[i] = draw(&s);
        for (int64_t i = 0; i < p.n; i++) {
            y[i] = draw(&s);
            if (p.loss != SQ)
                y[i] = y[i] > 0 ? 1 : -1;
        }
        p.x = x;
        p.y = y;
        train(&result, context, &p, 1e-7, FATHOM_SELECT_ANY);
        if (!(result.objective <= p.optimum * (1 + 1e-6)))
            print_error("%s: objective %.12g, optimum %.12g\n", p.name, result.objective, p.optimum);
        assert_true(result.objective <= p.optimum * (1 + 1e-6));
        assert_true(result.objective >= p.optimum * (1 - 1e-9));
        assert_true(result.lower_bound <= p.optimum * (1 + 1e-9));
        if (p.bias == NONE && p.loss == SQ)
            assert_int_equal(result.status, FATHOM_TRAIN_CERTIFIED);
        assert_true(result.neurons <= p.n + 1);
        fathom_train_result_clear(&result);
    }
    fathom_context_free(context);
}

/* Equal objectives; sparse has no more neurons than any other; min-norm no larger sum of squares. */
static void selections(void **state)
{
    (void)state;
    fathom_context *context;
    double x[90], y[30], square[3];
    known p = {"selections", 30, 3, 1, x, y, SQ, NONE, 1, 0};
    fathom_train_result result[3];
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_random_normals(x, 90, 7, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(y, 30, 7, FATHOM_STREAM_LABEL, 0, 0);
    for (int k = 0; k < 3; k++) {
        train(result + k, context, &p, 1e-8, k);
        const fathom_net_weights w = fathom_net_lend(result[k].net);
        square[k] = fathom_blas_dot(w.w, w.w, result[k].neurons);
        assert_close(result[k].objective, result[0].objective, 1e-8 * result[0].objective);
    }
    assert_true(result[FATHOM_SELECT_SPARSE].neurons <= result[FATHOM_SELECT_ANY].neurons);
    assert_true(square[FATHOM_SELECT_MIN_NORM] <= square[FATHOM_SELECT_SPARSE] * (1 + 1e-6));
    for (int k = 0; k < 3; k++)
        fathom_train_result_clear(result + k);
    fathom_context_free(context);
}

/* Wide data: the row space gives the same optimum as all columns, here by rotating few columns into many. */
static void wide_data(void **state)
{
    (void)state;
    fathom_context *context;
    double narrow[24], wide[6 * 20], turn[4 * 20], y[6];
    fathom_train_result result[2];
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_random_normals(narrow, 24, 9, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(turn, 80, 9, FATHOM_STREAM_DATA, 1, 0);
    fathom_random_normals(y, 6, 9, FATHOM_STREAM_LABEL, 0, 0);
    for (int k = 0; k < 4; k++) { /* orthonormal rows */
        for (int l = 0; l < k; l++)
            fathom_blas_axpy(turn + k * 20, -fathom_blas_dot(turn + k * 20, turn + l * 20, 20), turn + l * 20,
                             20);
        fathom_blas_scale(turn + k * 20, 1 / fathom_blas_norm(turn + k * 20, 20), 20);
    }
    fathom_blas_gemm(wide, 20, 6, 20, 4, 1, fathom_plain(narrow, 4), fathom_plain(turn, 20), 0);
    const known p[2] = {{"narrow", 6, 4, 1, narrow, y, SQ, NONE, 0.5, 0},
                        {"wide", 6, 20, 1, wide, y, SQ, NONE, 0.5, 0}};
    for (int k = 0; k < 2; k++)
        train(result + k, context, p + k, 1e-8, FATHOM_SELECT_ANY);
    assert_close(result[1].objective, result[0].objective, 1e-7 * result[0].objective);
    assert_true(result[1].lower_bound <= result[0].objective && result[0].lower_bound <= result[1].objective);
    assert_int_equal(fathom_net_look(result[1].net).d, 20);
    for (int k = 0; k < 2; k++)
        fathom_train_result_clear(result + k);
    fathom_context_free(context);
}

/* Random small problems of every loss, with duplicates, antipodes and zero rows: no bound is above the value of any
 * network found, with whatever gap and seed. */
static void bounds_stay_below_all_networks(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t trial = 0; trial < test_trials(60); trial++) {
        double x[36], y[12];
        const int64_t n = 1 + trial % 12, d = 1 + trial % 3;
        known p = {"random", n, d, 1, x, y, (int)(trial % 3), NONE, 0.05 + 0.3 * (double)(trial % 5), 0};
        fathom_train_result result[2];
        fathom_random_normals(x, n * d, 11, FATHOM_STREAM_DATA, (uint32_t)trial, 0);
        fathom_random_normals(y, n, 11, FATHOM_STREAM_LABEL, (uint32_t)trial, 0);
        for (int64_t i = 0; i < n; i++)
            if (p.loss != SQ)
                y[i] = i == 0 || (y[i] > 0 && i > 1) ? 1 : -1;
        for (int64_t l = 0; l < d && n > 4 && trial % 4 == 0; l++) {
            x[d + l] = x[l];
            x[2 * d + l] = -x[l];
            x[3 * d + l] = 0;
        }
        for (int k = 0; k < 2; k++) {
            fathom_context_set_seed(context, (uint64_t)k + 1);
            train(result + k, context, &p, k ? 1e-7 : 1e-3, FATHOM_SELECT_ANY);
        }
        const double least = fmin(result[0].objective, result[1].objective);
        if (!(fmax(result[0].lower_bound, result[1].lower_bound) <= least * (1 + 1e-12)))
            print_error("trial %lld: bounds %.17g %.17g, networks %.17g %.17g\n", (long long)trial,
                        result[0].lower_bound, result[1].lower_bound, result[0].objective,
                        result[1].objective);
        assert_true(fmax(result[0].lower_bound, result[1].lower_bound) <= least * (1 + 1e-12));
        for (int k = 0; k < 2; k++)
            fathom_train_result_clear(result + k);
    }
    fathom_context_free(context);
}

/* Hard input: each is certified, with the optimum that can be seen. Zero rows, y = 0, a penalty beyond beta_max (the zero network at
 * once), n = 1 (f = y - beta / |x| where that is positive), one class, copies and antipodes. */
static void hard_input(void **state)
{
    (void)state;
    static const double zero[] = {0, 0, 0, 0}, pair[] = {3, 4, -3, -4}, copies[] = {3, 4, 3, 4}, y[] = {1, 2},
                        none[] = {0, 0};
    static const double one[] = {1, 1};
    const known cases[] = {
        {"zero rows", 2, 2, 1, zero, y, SQ, NONE, 0.5, 2.5},
        {"zero rows, free bias", 2, 2, 1, zero, y, SQ, FREE, 0.5, 0.25},
        {"y = 0", 2, 2, 1, pair, none, SQ, NONE, 0.5, 0},
        {"beyond beta_max", 2, 2, 1, pair, y, SQ, NONE, 1e6, 2.5},
        {"n = 1", 1, 2, 1, pair, y, SQ, NONE, 0.5, 0.1 * 1 - 0.1 * 0.1 / 2},
        {"d > n", 1, 4, 1, zero, y, SQ, NONE, 0.5, 0.5},
        {"one class, hinge", 2, 2, 1, copies, one, HI, NONE, 0.5, 0.1},
        {"one class, logistic, free bias", 2, 2, 1, pair, one, LO, FREE, 0.5, 0},
        /* two neurons, one for each: (a - 1)^2 / 2 + b |a|, b = beta / 5, and the same for 2 */
        {"antipodes", 2, 2, 1, pair, y, SQ, NONE, 0.5, 0.1 * 1 - 0.005 + 0.1 * 2 - 0.005},
        /* both are fitted by a: (a - 1)^2 / 2 + (a - 2)^2 / 2 + a / 10 at a = 1.45 */
        {"copies", 2, 2, 1, copies, y, SQ, NONE, 0.5, 0.45 * 0.45 / 2 + 0.55 * 0.55 / 2 + 0.145},
        {"copies, interpolated", 2, 2, 1, copies, one, EQ, NONE, NAN, 0.2},
    };
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fathom_train_result result;
        train(&result, context, cases + k, 1e-6, FATHOM_SELECT_ANY);
        if (result.status != FATHOM_TRAIN_CERTIFIED || !(fabs(result.objective - cases[k].optimum) <= 1e-6))
            print_error("%s: objective %.12g, bound %.12g\n", cases[k].name, result.objective,
                        result.lower_bound);
        assert_int_equal(result.status, FATHOM_TRAIN_CERTIFIED);
        assert_close(result.objective, cases[k].optimum, 1e-6 * fmax(1, cases[k].optimum));
        assert_true(result.lower_bound <= cases[k].optimum * (1 + 1e-12));
        fathom_train_result_clear(&result);
    }
    fathom_context_free(context);
}

/* Several outputs: no more neurons than numbers to fit and one, sparse no more than any, all of one objective. */
static void selections_of_several_outputs(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_train_result result[3];
    const known p = {"v7", 7, 2, 3, v7, w7, SQ, NONE, 0.5, 0};
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int k = 0; k < 3; k++) {
        train(result + k, context, &p, 1e-4, k);
        assert_true(result[k].neurons <= 22);
        assert_close(result[k].objective, result[0].objective, 1e-6 * result[0].objective);
    }
    assert_true(result[FATHOM_SELECT_SPARSE].neurons <= result[FATHOM_SELECT_ANY].neurons);
    for (int k = 0; k < 3; k++)
        fathom_train_result_clear(result + k);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_input),
        cmocka_unit_test(selections_of_several_outputs),
        cmocka_unit_test(optima_of_cone_programs),
        cmocka_unit_test(larger_optima),
        cmocka_unit_test(selections),
        cmocka_unit_test(wide_data),
        cmocka_unit_test(bounds_stay_below_all_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
