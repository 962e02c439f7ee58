/* SPDX-License-Identifier: Apache-2.0 */
/* Training on the line and by closed forms: reference values, reductions and recomputed gaps. */
#include "with_context.h"

#include <string.h>

#include "fathom/train.h"
#include "random.h"

/* Trains on n x d rows; the result is checked against its own network on the raw data, and cleared but for its numbers. */
static fathom_train_result train(const double *x, const double *y, const double *c, int64_t n, int64_t d,
                                 const char *bias, const char *loss, double beta, double gap)
{
    fathom_data_options data_options;
    fathom_train_options options;
    fathom_train_result result;
    fathom_data *data = NULL;
    fathom_options_init(&data_options, &fathom_data_option_table);
    fathom_options_init(&options, &fathom_train_option_table);
    assert_ok(context, fathom_options_set(context, &data_options,
                                          fathom_options_find(&fathom_data_option_table, "bias"), bias));
    assert_ok(context, fathom_options_set(context, &options,
                                          fathom_options_find(&fathom_train_option_table, "loss"), loss));
    options.beta = beta;
    options.gap = gap;
    if (d > 1 && strcmp(loss, "equality") == 0 && strcmp(bias, "none") == 0)
        options.method = FATHOM_TRAIN_CLOSED; /* auto leaves out what is not optimal */
    assert_ok(context, fathom_data_create(&data, context, n, d, x, d, 1, y, c, &data_options));
    assert_ok(context, fathom_train(&result, context, data, NULL, &options));
    double *f = test_malloc((size_t)n * sizeof *f), sum = 0, norm = 0;
    assert_ok(context, fathom_net_forward(f, result.net, data));
    const fathom_net_shape shape = fathom_net_look(result.net);
    const fathom_net_weights w = fathom_net_lend(result.net);
    for (int64_t i = 0; i < n; i++)
        if (strcmp(loss, "equality") != 0)
            sum += (c ? c[i] : 1) * fathom_loss_value(result.kind, f + i, y + i, 1);
        else
            assert_close(f[i], y[i],
                         1e-10 * (1 + result.norm)); /* a chain of n roundings of terms of that size */
    for (int64_t j = 0; j < shape.m; j++) {
        double square = 0;
        for (int64_t k = 0; k < d; k++)
            square += w.u[j * d + k] * w.u[j * d + k];
        norm += fabs(w.w[j]) * sqrt(square);
    }
    assert_close(result.objective, strcmp(loss, "equality") ? sum + beta * norm : norm,
                 1e-11 * (1 + result.objective));
    assert_true(result.lower_bound <= result.objective);
    assert_int_equal(result.bound, FATHOM_TRAIN_BOUND_GLOBAL);
    test_free(f);
    fathom_train_result numbers = result;
    numbers.net = NULL;
    fathom_train_result_clear(&result);
    fathom_data_free(data);
    return numbers;
}

/* Reference values (tests/README.md) to 15 digits: least norm, squared loss at 0.1 and 1, hinge at 0.1, 0.5, 2. */
static void values_on_the_line(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        double x[6], y[6], label[6], norm, squared[2], hinge[3];
    } known[] = {
        {5,
         {-2, -1, 0, 1, 2},
         {1, -1, 1, 1, -1},
         {1, -1, 1, 1, -1},
         8,
         {0.72, 2.34285714285714},
         {0.8, 3, 4}},
        {5,
         {0, 1, 3, 4, 7},
         {0, 2, 1, 5, 5},
         {-1, -1, -1, 1, 1},
         11,
         {1.00222222222222, 3.65889830508475},
         {0.2, 1, 2.33333333333333}},
        {6,
         {-3, -1, 0, 2, 5, 6},
         {1, 4, 4.5, 7, 9, 12},
         {-1, -1, -1, 1, 1, 1},
         4.66666666666667,
         {0.417222222222222, 2.21341463414634},
         {0.1, 0.5, 2}},
        {2, {0, 1}, {2, 5}, {-1, 1}, 3, {0.29, 2}, {0.2, 1, 2}},
        {4, {0, 0.5, 1.5, 2}, {1, -1, 3, 0}, {1, -1, 1, -1}, 18, {1.6, 4.33333333333333}, {1.2, 3.5, 4}},
        {4, {-1, 0, 2, 3}, {0, 3, 9, 12.5}, {-1, -1, 1, 1}, 3.5, {0.34, 3.09375}, {0.1, 0.5, 2}},
    };
    static const double beta[] = {0.1, 0.5, 2};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const double printed = 2e-14 * 20;
        fathom_train_result r =
            train(known[k].x, known[k].y, NULL, known[k].n, 1, "free", "equality", NAN, 1e-12);
        assert_close(r.objective, known[k].norm, printed);
        assert_close(r.lower_bound, known[k].norm, printed);
        assert_string_equal(r.method, "line");
        for (int b = 0; b < 2; b++) {
            r = train(known[k].x, known[k].y, NULL, known[k].n, 1, "free", "squared", b ? 1 : 0.1, 1e-9);
            assert_int_equal(r.status, FATHOM_TRAIN_CERTIFIED);
            assert_true(r.lower_bound <= known[k].squared[b] + printed &&
                        r.objective >= known[k].squared[b] - printed);
        }
        for (int b = 0; b < 3; b++) {
            r = train(known[k].x, known[k].label, NULL, known[k].n, 1, "free", "hinge", beta[b], 1e-9);
            assert_int_equal(r.status, FATHOM_TRAIN_CERTIFIED);
            assert_true(r.lower_bound <= known[k].hinge[b] + printed &&
                        r.objective >= known[k].hinge[b] - printed);
        }
    }
}

/* 001, (39) with 1/(2n): 1/(2n)|f-y|^2 + beta norm at beta = 1/10000 is 1999/2500000, at 1/10 with a free constant 5/12. */
static void value_of_equation_39(void **state)
{
    (void)state;
    static const double x[] = {-2, -1, 0, 1, 2}, y[] = {1, -1, 1, 1, -1};
    fathom_train_result r = train(x, y, NULL, 5, 1, "free", "squared", 5e-4, 1e-9);
    assert_true(r.lower_bound / 5 <= 1999.0 / 2500000 * (1 + 1e-15) &&
                r.objective / 5 >= 1999.0 / 2500000 * (1 - 1e-15));
    r = train(x, y, NULL, 5, 1, "free", "squared", 0.5, 1e-9);
    assert_true(r.lower_bound / 5 <= 5.0 / 12 * (1 + 1e-15) && r.objective / 5 >= 5.0 / 12 * (1 - 1e-15));
}

/* A = c a' has the values of the line x = c |a|, for every loss; a dimension that is not there makes no difference. */
static void rank_one_is_the_line(void **state)
{
    (void)state;
    static const char *const loss[] = {"squared", "logistic", "hinge", "equality"};
    enum { N = 15, D = 10 };
    double c[N], a[D], x[N], matrix[N * D], y[N], length = 0;
    fathom_random_normals(c, N, 3, 0, 0, 0);
    fathom_random_normals(a, D, 3, 0, 1, 0);
    fathom_random_normals(y, N, 3, 0, 2, 0);
    for (int k = 0; k < D; k++)
        length += a[k] * a[k];
    for (int i = 0; i < N; i++) {
        x[i] = c[i] * sqrt(length);
        for (int k = 0; k < D; k++)
            matrix[i * D + k] = c[i] * a[k];
    }
    for (int l = 0; l < 4; l++) {
        double target[N];
        for (int i = 0; i < N; i++)
            target[i] = l == 1 || l == 2 ? (y[i] > 0 ? 1 : -1) : y[i];
        const fathom_train_result line = train(x, target, NULL, N, 1, "free", loss[l], 0.3, 1e-9);
        const fathom_train_result rank = train(matrix, target, NULL, N, D, "free", loss[l], 0.3, 1e-9);
        assert_int_equal(rank.status, FATHOM_TRAIN_CERTIFIED);
        assert_string_equal(rank.method, "line");
        assert_close(line.objective, rank.objective, 3e-9 * line.objective); /* both certified to 1e-9 */
    }
}

/* Rows made orthonormal by Gram-Schmidt, times g. */
static void orthogonal_rows(double *x, int64_t n, int64_t d, double g, uint32_t trial)
{
    fathom_random_normals(x, n * d, 9, 0, trial, 0);
    for (int64_t i = 0; i < n; i++)
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t j = 0; j < i; j++) {
                double dot = 0;
                for (int64_t k = 0; k < d; k++)
                    dot += x[i * d + k] * x[j * d + k] / (g * g);
                for (int64_t k = 0; k < d; k++)
                    x[i * d + k] -= dot * x[j * d + k];
            }
            double norm = 0;
            for (int64_t k = 0; k < d; k++)
                norm += x[i * d + k] * x[i * d + k];
            for (int64_t k = 0; k < d; k++)
                x[i * d + k] *= g / sqrt(norm);
        }
}

/* Reference values (tests/README.md) to 15 digits: whitened rows. */
static void whitened_values(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        double y[5], norm, beta[2], squared[2], hinge[2], logistic[2];
    } known[] = {
        {5,
         {1, -2, 0.5, 3, -1},
         5.43763009621621,
         {0.5, 2.5},
         {2.46881504810811, 7.37890529679106},
         {1.57313218497099, 5},
         {3.10212069766694, 3.46573590279973}},
        {4,
         {2, -1, -1, 0.25},
         3.42977799944773,
         {0.3, 1.5},
         {0.93893339983432, 2.89834665561196},
         {0.848528137423857, 4},
         {2.06707116496082, 2.77258872223978}},
        {3,
         {1, 2, -4},
         6.23606797749979,
         {0.2, 3},
         {1.20721359549996, 10},
         {0.482842712474619, 3},
         {1.31547300887811, 2.07944154167984}},
    };
    for (uint32_t k = 0; k < 3; k++) {
        double x[5 * 7], label[5];
        const int64_t n = known[k].n;
        const double printed = 1e-13 * 10;
        orthogonal_rows(x, n, 7, 1, k);
        for (int i = 0; i < n; i++)
            label[i] = known[k].y[i] > 0 ? 1 : -1;
        fathom_train_result r = train(x, known[k].y, NULL, n, 7, "none", "equality", NAN, 1e-12);
        assert_close(r.objective, known[k].norm, printed);
        assert_close(r.lower_bound, known[k].norm, printed);
        assert_string_equal(r.method, "closed");
        for (int b = 0; b < 2; b++) {
            const char *const loss[] = {"squared", "hinge", "logistic"};
            const double value[] = {known[k].squared[b], known[k].hinge[b], known[k].logistic[b]};
            for (int l = 0; l < 3; l++) {
                r = train(x, l ? label : known[k].y, NULL, n, 7, "none", loss[l], known[k].beta[b], 1e-12);
                assert_close(r.objective, value[l], printed);
                assert_close(r.lower_bound, value[l], printed);
                assert_int_equal(r.status, FATHOM_TRAIN_CERTIFIED);
            }
        }
    }
}

/* Sample weights and rows of any common length: the gap vanishes to rounding, and scaling x by g is scaling beta by 1/g. */
static void weighted_orthogonal_rows(void **state)
{
    (void)state;
    static const char *const loss[] = {"squared", "hinge", "logistic"};
    enum { N = 12, D = 20 };
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(12); trial++) {
        double x[N * D], y[N], c[N];
        const double g = pow(10, (double)(trial % 7) - 3), beta = 0.4 * g;
        orthogonal_rows(x, N, D, g, 50 + trial);
        fathom_random_normals(y, N, 11, 0, trial, 0);
        for (int i = 0; i < N; i++) {
            c[i] = 0.2 + fathom_random_uniform(12, 0, trial, (uint64_t)i);
            y[i] = trial % 3 ? (y[i] > 0 ? 1 : -1) : y[i];
        }
        const fathom_train_result r = train(x, y, c, N, D, "none", loss[trial % 3], beta, 1e-11);
        assert_int_equal(r.status, FATHOM_TRAIN_CERTIFIED);
        assert_string_equal(r.method, "closed");
    }
}

enum { ROWS = 8, COLUMNS = 11, OUTPUTS = 3, RAYS = 6 };

/* Targets on the rays +-q_1 .. +-q_3 of an orthonormal basis, of which some are left out; sizes in (0.5, 3). */
static void ray_targets(double *y, double norm[RAYS], uint32_t trial)
{
    double q[OUTPUTS * OUTPUTS], square[RAYS] = {0};
    orthogonal_rows(q, OUTPUTS, OUTPUTS, 1, 500 + trial);
    for (uint64_t i = 0; i < ROWS; i++) {
        const double size = 0.5 + 2.5 * fathom_random_uniform(31, 0, trial, 2 * i);
        const int ray = (int)(fathom_random_uniform(31, 0, trial, 2 * i + 1) * (trial % 2 ? RAYS : OUTPUTS));
        square[ray] += size * size;
        for (int k = 0; k < OUTPUTS; k++)
            y[i * OUTPUTS + (uint64_t)k] = (ray < OUTPUTS ? size : -size) * q[ray % OUTPUTS * OUTPUTS + k];
    }
    for (int ray = 0; ray < RAYS; ray++)
        norm[ray] = sqrt(square[ray]);
}

/* sum_i |F_i - Y_i|^2 / 2 + beta sum_j |u_j||w_j| of a network, from the data. */
static double squared_objective(const fathom_train_result *r, fathom_data *data, const double *y, double beta)
{
    double f[ROWS * OUTPUTS], sum = 0;
    assert_ok(context, fathom_net_forward(f, r->net, data));
    const fathom_net_shape shape = fathom_net_look(r->net);
    const fathom_net_weights w = fathom_net_lend(r->net);
    for (int i = 0; i < ROWS * OUTPUTS; i++)
        sum += (f[i] - y[i]) * (f[i] - y[i]) / 2;
    for (int64_t j = 0; j < shape.m; j++) {
        double u = 0, out = 0;
        for (int64_t k = 0; k < shape.d; k++)
            u += w.u[j * shape.d + k] * w.u[j * shape.d + k];
        for (int64_t k = 0; k < OUTPUTS; k++)
            out += w.w[j * OUTPUTS + k] * w.w[j * OUTPUTS + k];
        sum += beta * sqrt(u * out);
    }
    return sum;
}

/* Evidence for a certificate leaves the bound as it is without. */
static void evidence_keeps(double lower, fathom_data *data, fathom_train_options options)
{
    fathom_train_result r;
    options.verify = true;
    options.gap = 1e-9;
    assert_ok(context, fathom_train(&r, context, data, NULL, &options));
    assert_string_equal(r.method, "closed");
    assert_int_equal(r.status, FATHOM_TRAIN_CERTIFIED);
    assert_close(r.lower_bound, lower, 1e-10 * lower);
    fathom_train_result_clear(&r);
}

static void several_outputs(fathom_train_result *r, double *measured, const double *x, const double *y,
                            fathom_train_options *options, double beta)
{
    fathom_data_options data_options;
    fathom_data *data = NULL;
    fathom_options_init(&data_options, &fathom_data_option_table);
    assert_ok(context,
              fathom_data_create(&data, context, ROWS, COLUMNS, x, COLUMNS, OUTPUTS, y, NULL, &data_options));
    assert_ok(context, fathom_train(r, context, data, NULL, options));
    assert_string_equal(r->method, "closed");
    assert_int_equal(r->status, FATHOM_TRAIN_CERTIFIED);
    *measured = squared_objective(r, data, y, beta);
    evidence_keeps(r->lower_bound, data, *options);
    const double objective = r->objective;
    fathom_train_result_clear(r);
    r->objective = objective;
    fathom_data_free(data);
}

/* Targets on rays under right angles, docs/explanation/line.md: the sum over rays of the closed form of one side. */
static void orthogonal_rows_and_rays(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(8); trial++) {
        double x[ROWS * COLUMNS], y[ROWS * OUTPUTS], norm[RAYS], least = 0, squared = 0, measured;
        const double g = pow(10, (double)(trial % 5) - 2), beta = 1.5 * g, b = beta / g;
        fathom_train_options options;
        fathom_train_result r;
        orthogonal_rows(x, ROWS, COLUMNS, g, 300 + trial);
        ray_targets(y, norm, trial);
        for (int k = 0; k < RAYS; k++) {
            least += norm[k] / g;
            squared += norm[k] > b ? b * norm[k] - b * b / 2 : norm[k] * norm[k] / 2;
        }
        fathom_options_init(&options, &fathom_train_option_table);
        options.gap = 1e-11;
        options.beta = beta;
        several_outputs(&r, &measured, x, y, &options, beta);
        assert_close(r.objective, squared, 1e-12 * squared);
        assert_close(r.objective, measured, 1e-12 * squared);
        options.beta = NAN;
        options.loss = FATHOM_TRAIN_EQUALITY;
        several_outputs(&r, &measured, x, y, &options, 1);
        assert_close(r.objective, least, 1e-12 * least);
        assert_close(r.objective, measured, 1e-12 * least);
    }
}

/* Softmax: the scalar program sum_i ln(1 + (K - 1) e^(-tau f)) + b sqrt(n_k) f of a class of n_k points, by ternary search. */
static double softmax_class(double points, double b)
{
    const double tau = sqrt((double)OUTPUTS / (OUTPUTS - 1));
    double low = 0, high = 60, value = 0;
    for (int step = 0; step < 300; step++) {
        const double a = low + (high - low) / 3, c = high - (high - low) / 3;
        const double at_a = points * log1p((OUTPUTS - 1) * exp(-tau * a)) + b * sqrt(points) * a;
        const double at_c = points * log1p((OUTPUTS - 1) * exp(-tau * c)) + b * sqrt(points) * c;
        *(at_a < at_c ? &high : &low) = at_a < at_c ? c : a;
        value = fmin(at_a, at_c);
    }
    return value;
}

static void orthogonal_rows_and_classes(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(4); trial++) {
        double x[ROWS * COLUMNS], y[ROWS], size[OUTPUTS] = {0}, value = 0;
        const double b = trial % 2 ? 0.9 : 0.1;
        fathom_data_options data_options;
        fathom_train_options options;
        fathom_train_result r;
        fathom_data *data = NULL;
        orthogonal_rows(x, ROWS, COLUMNS, 1, 400 + trial);
        for (int i = 0; i < ROWS; i++) {
            y[i] = i < OUTPUTS ? i : (int)(fathom_random_uniform(32, 0, trial, (uint64_t)i) * OUTPUTS);
            size[(int)y[i]]++;
        }
        for (int k = 0; k < OUTPUTS; k++)
            value += softmax_class(size[k], b);
        fathom_options_init(&data_options, &fathom_data_option_table);
        fathom_options_init(&options, &fathom_train_option_table);
        options.loss = FATHOM_TRAIN_LOGISTIC;
        options.beta = b;
        options.gap = 1e-11;
        assert_ok(context,
                  fathom_data_create(&data, context, ROWS, COLUMNS, x, COLUMNS, 1, y, NULL, &data_options));
        assert_ok(context, fathom_train(&r, context, data, NULL, &options));
        assert_string_equal(r.method, "closed");
        assert_int_equal(r.status, FATHOM_TRAIN_CERTIFIED);
        assert_close(r.objective, value, 1e-11 * value);
        evidence_keeps(r.lower_bound, data, options);
        fathom_train_result_clear(&r);
        fathom_data_free(data);
    }
}

/* Reference value (tests/README.md): two neurons interpolate with a norm that is not the least one. */
static void two_neurons_are_few_not_short(void **state)
{
    (void)state;
    static const double a[3][12] = {
        {1.18, 0.34, 1.56, 0.88, 0.45, -0.66, 0.65, -0.57, -0.84, 1.46, 1.55, 0.02},
        {1.89, 0.42, -1.0, -1.35, 0.2, -0.23, -1.03, 0.29, -0.02, -2.4, 1.72, 1.04},
        {-1.41, 0.49, 1.44, -1.58, -0.06, 2.2, 0.28, -0.85, -2.2, -0.25, -0.11, -0.95}};
    static const double y[] = {1, -1.5, 0.5}, two[] = {1.8920014979392, 2.01686213145679, 1.2508079269557};
    static const double least[] = {1.83138874048193, 1.9940160584914, 1.18355266104078};
    for (int k = 0; k < 3; k++) {
        const fathom_train_result r = train(a[k], y, NULL, 3, 4, "none", "equality", NAN, 1e-6);
        assert_int_equal(r.neurons, 2);
        assert_close(r.objective, two[k], 1e-13);
        assert_true(r.lower_bound <= least[k] + 1e-13 && r.lower_bound > 0.3 * least[k]);
    }
}

/* 001, Lemma 3.2 on spike-free rows (1,0), (1,2): K^{-1} = (5,-1;-1,1)/4. The two norms agree where q_+ + q_- >= 0 and the
 * bound then proves it; with y = (1,-6): q_+ = (5,-1)/sqrt(20), q_- = (-1,1)/2 has q_+ + q_- > 0 as well; with y = (0.1, 1)
 * one neuron does. */
static void equivalence_of_fewest_and_shortest(void **state)
{
    (void)state;
    static const double x[] = {1, 0, 1, 2};
    static const double y[][2] = {{1, -6}, {0.1, 1}, {-2, 3}, {1, 1}};
    for (int k = 0; k < 4; k++) {
        const fathom_train_result r = train(x, y[k], NULL, 2, 2, "none", "equality", NAN, 1e-12);
        assert_int_equal(r.status, FATHOM_TRAIN_CERTIFIED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_on_the_line),
        cmocka_unit_test(value_of_equation_39),
        cmocka_unit_test(rank_one_is_the_line),
        cmocka_unit_test(whitened_values),
        cmocka_unit_test(weighted_orthogonal_rows),
        cmocka_unit_test(orthogonal_rows_and_rays),
        cmocka_unit_test(orthogonal_rows_and_classes),
        cmocka_unit_test(two_neurons_are_few_not_short),
        cmocka_unit_test(equivalence_of_fewest_and_shortest),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
