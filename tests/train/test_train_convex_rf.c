/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convex-RF: filters against their definition (each is the normal of a hyperplane that keeps its patch apart from all
 * others, and the nearest such), the output layer from raw features, what is refused.
 */
#include <string.h>

#include "blas.h"
#include "fathom/train.h"
#include "random.h"
#include "rf_filters.h"
#include "testing.h"

enum { SIDE = 6, D = SIDE * SIDE, N = 30 };

typedef struct fixture {
    fathom_context *context;
    fathom_data *data;
    double x[N * D], y[N];
    fathom_train_options options;
} fixture;

/* Three classes: images with a bright stripe along a row, a column or a diagonal, and noise. */
static void fill(fixture *a, uint32_t trial)
{
    fathom_random_normals(a->x, N * D, 9, FATHOM_STREAM_DATA, trial, 0);
    for (int i = 0; i < N; i++) {
        a->y[i] = 2 * (i % 3);
        const int at = (i / 3) % SIDE;
        for (int k = 0; k < SIDE; k++) {
            const int place = i % 3 == 0   ? at * SIDE + k
                              : i % 3 == 1 ? k * SIDE + at
                                           : k * SIDE + (k + at) % SIDE;
            a->x[i * D + place] += 4;
        }
    }
}

static void open_fixture(fixture *a, uint32_t trial, fathom_bias bias)
{
    fathom_data_options data;
    fill(a, trial);
    fathom_options_init(&data, &fathom_data_option_table);
    data.bias = (int)bias;
    assert_ok(NULL, fathom_context_create(&a->context, NULL));
    assert_ok(a->context, fathom_data_create(&a->data, a->context, N, D, a->x, D, 1, a->y, NULL, &data));
    fathom_options_init(&a->options, &fathom_train_option_table);
    a->options.model = FATHOM_TRAIN_CONVEX_RF;
    a->options.patch = 3;
    a->options.filters = 20;
    a->options.beta_rel = 0.01;
}

static void close_fixture(fixture *a)
{
    fathom_data_free(a->data);
    fathom_context_free(a->context);
}

/* Without whitening the stored filters are the u_i themselves: <u_i, p_i - p_j> >= dist > 0 for all other patches that were
 * drawn, and some j attains it to within the solver's rounding. Patches are drawn again here, by the same numbers. */
static void extreme_points(void **state)
{
    (void)state;
    fixture a;
    fathom_train_problem problem;
    fathom_rf_filters filters;
    fathom_net_image image = {SIDE, SIDE, 1, 3, 1, 2, false, 1};
    enum { P = 12, SIZE = 9 };
    open_fixture(&a, 1, FATHOM_BIAS_NONE);
    a.options.whiten = 0;
    a.options.filters = P;
    assert_ok(a.context, fathom_train_problem_create(&problem, a.context, a.data, &a.options));
    a.options.filter_source = FATHOM_FILTER_PATCHES;
    assert_ok(a.context, fathom_rf_filters_make(&filters, &image, &problem));
    double patch[P * SIZE], length[P];
    memcpy(patch, filters.u, sizeof patch);
    fathom_context_release(a.context, filters.u);
    /* |p| = sqrt(size var / (var + epsilon)) is lost in the unit vectors; it follows from the patch that was drawn */
    for (int t = 0; t < P; t++) {
        double raw[SIZE], best = -1;
        for (int i = 0; i < N; i++)
            for (int place = 0; place < 16; place++) {
                const double variance = fathom_rf_patch(raw, a.x + i * D, &image, place / 4, place % 4);
                const double norm = fathom_blas_norm(raw, SIZE);
                const double cosine = fathom_blas_dot(raw, patch + t * SIZE, SIZE) / norm;
                if (cosine > best) {
                    best = cosine;
                    length[t] = norm / sqrt(variance + image.epsilon);
                }
            }
        assert_close(best, 1, 100 * UNIT_ROUNDOFF);
        fathom_blas_scale(patch + t * SIZE, length[t], SIZE);
    }
    a.options.filter_source = FATHOM_FILTER_EXTREME;
    assert_ok(a.context, fathom_rf_filters_make(&filters, &image, &problem));
    assert_int_equal(filters.m, P); /* 12 points in 8 dimensions, none inside here */
    for (int t = 0; t < P; t++) {
        const double *u = filters.u + t * SIZE;
        double nearest = INFINITY;
        assert_close(fathom_blas_norm(u, SIZE), 1, 100 * UNIT_ROUNDOFF);
        for (int s = 0; s < P; s++)
            if (s != t)
                nearest = fmin(nearest, fathom_blas_dot(u, patch + t * SIZE, SIZE) -
                                            fathom_blas_dot(u, patch + s * SIZE, SIZE));
        assert_true(nearest > 0); /* keeps apart; and as far as any direction does: */
        for (int trial = 0; trial < 200; trial++) {
            double other[SIZE], gap = INFINITY;
            fathom_random_normals(other, SIZE, 4, FATHOM_STREAM_SAMPLE, (uint32_t)trial, 0);
            fathom_blas_scale(other, 0.05, SIZE);
            fathom_blas_axpy(other, 1, u, SIZE);
            const double norm = fathom_blas_norm(other, SIZE);
            for (int s = 0; s < P; s++)
                if (s != t)
                    gap = fmin(gap, (fathom_blas_dot(other, patch + t * SIZE, SIZE) -
                                     fathom_blas_dot(other, patch + s * SIZE, SIZE)) /
                                        norm);
            assert_true(gap <= nearest + 1e4 * UNIT_ROUNDOFF);
        }
    }
    fathom_context_release(a.context, filters.u);
    fathom_train_problem_clear(&problem);
    close_fixture(&a);
}

/* The objective again from the network's outputs, and the bound below it; classes come out one-hot. */
static void trains(void **state)
{
    (void)state;
    for (int source = 0; source < 3; source++)
        for (int bias = 0; bias < 2; bias++) {
            fixture a;
            fathom_train_result result;
            open_fixture(&a, 2, bias ? FATHOM_BIAS_FREE : FATHOM_BIAS_NONE);
            a.options.filter_source = source;
            a.options.pooling = bias;
            assert_ok(a.context, fathom_train(&result, a.context, a.data, NULL, &a.options));
            assert_int_equal(result.status, FATHOM_TRAIN_ON_FILTERS);
            assert_int_equal(result.bound, FATHOM_TRAIN_BOUND_FILTERS);
            assert_true(result.relative_gap <= a.options.gap && result.gap >= 0);
            const fathom_net_shape shape = fathom_net_look(result.net);
            const fathom_net_weights weights = fathom_net_lend(result.net);
            assert_int_equal(shape.kind, FATHOM_NET_CONVEX_RF);
            assert_int_equal(shape.outputs, 3);
            double f[3 * N], loss = 0, norm = 0;
            assert_ok(a.context, fathom_net_forward(f, result.net, a.data));
            for (int i = 0; i < N; i++)
                for (int k = 0; k < 3; k++)
                    loss += (f[3 * i + k] - (i % 3 == k)) * (f[3 * i + k] - (i % 3 == k)) / 2;
            for (int64_t k = 0; k < shape.m * 4 * 3; k++)
                norm += fabs(weights.w[k]);
            assert_close(loss + result.beta * norm, result.objective, 1e-12 * result.objective);
            for (int k = 0; k < 3; k++)
                assert_true(bias || weights.c[k] == 0);
            fathom_train_result_clear(&result);
            close_fixture(&a);
        }
}

static void refused(void **state)
{
    (void)state;
    for (int k = 0; k < 9; k++) {
        fixture a;
        fathom_train_result result;
        open_fixture(&a, 3, k == 0 ? FATHOM_BIAS_AUGMENT : FATHOM_BIAS_NONE);
        fathom_train_options *o = &a.options;
        if (k == 1)
            o->loss = FATHOM_TRAIN_LOGISTIC;
        if (k == 2)
            o->image = "5x7";
        if (k == 3)
            o->image = "6x6x1x1";
        if (k == 4)
            o->patch = 7;
        if (k == 5)
            o->pool = 5;
        if (k == 6)
            o->method = FATHOM_TRAIN_COLUMNS;
        if (k == 7)
            o->gates = "all";
        if (k == 8)
            o->model = FATHOM_TRAIN_RELU; /* --patch 3 means nothing to it */
        assert_int_equal(fathom_train(&result, a.context, a.data, NULL, o), FATHOM_ERROR_USAGE);
        close_fixture(&a);
    }
}

/* Images without contrast have no patch to draw. */
static void blank(void **state)
{
    (void)state;
    fixture a;
    fathom_train_result result;
    open_fixture(&a, 4, FATHOM_BIAS_NONE);
    fathom_data_free(a.data);
    for (int k = 0; k < N * D; k++)
        a.x[k] = k / D;
    assert_ok(a.context, fathom_data_create(&a.data, a.context, N, D, a.x, D, 1, a.y, NULL, NULL));
    assert_int_equal(fathom_train(&result, a.context, a.data, NULL, &a.options), FATHOM_ERROR_INPUT);
    close_fixture(&a);
}

/* More filters asked for than there are different patches: each is drawn once. */
static void few_patches(void **state)
{
    (void)state;
    fixture a;
    fathom_train_problem problem;
    fathom_rf_filters filters;
    fathom_net_image image = {SIDE, SIDE, 1, 5, 1, 1, false, 1};
    open_fixture(&a, 5, FATHOM_BIAS_NONE);
    for (int i = 1; i < N; i++)
        memcpy(a.x + i * D, a.x, D * sizeof *a.x);
    fathom_data_free(a.data);
    assert_ok(a.context, fathom_data_create(&a.data, a.context, N, D, a.x, D, 1, a.y, NULL, NULL));
    assert_ok(a.context, fathom_train_problem_create(&problem, a.context, a.data, &a.options));
    assert_ok(a.context, fathom_rf_filters_make(&filters, &image, &problem));
    assert_int_equal(filters.drawn, 4); /* 2 x 2 places of one image */
    assert_int_equal(filters.m, 4);     /* a simplex */
    fathom_context_release(a.context, filters.u);
    fathom_train_problem_clear(&problem);
    close_fixture(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(extreme_points), cmocka_unit_test(trains),
                                       cmocka_unit_test(refused), cmocka_unit_test(blank),
                                       cmocka_unit_test(few_patches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
