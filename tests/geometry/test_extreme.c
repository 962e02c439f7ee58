/* SPDX-License-Identifier: Apache-2.0 */
/* Extreme points and the sets of two rows against brute force, and slips of 001 that they show. */
#include "with_context.h"

#include <string.h>

#include "fathom/extreme.h"
#include "inner/extreme.h"
#include "random.h"

static fathom_data *make_data(const double *x, const double *y, int64_t n, int64_t d, const char *bias)
{
    fathom_data_options options;
    fathom_data *data = NULL;
    fathom_options_init(&options, &fathom_data_option_table);
    assert_ok(context, fathom_options_set(context, &options,
                                          fathom_options_find(&fathom_data_option_table, "bias"), bias));
    assert_ok(context, fathom_data_create(&data, context, n, d, x, d, y ? 1 : 0, y, NULL, &options));
    return data;
}

/* Reference values (tests/README.md) to 15 digits: the largest outputs along the basis. Each neuron is active
 * on its own row alone, and there with that output. */
static void basis_directions(void **state)
{
    (void)state;
    static const double x[] = {0, 0, 1, 0, 0, 1, 1, 1, 2, 0.5, 0.4, 0.4};
    static const double distance[] = {
        0.565685424949238, 0.242535625036333, 0.707106781186547, 0.242535625036333, 1, 0};
    fathom_extremes *list;
    fathom_data *data = make_data(x, NULL, 6, 2, "none");
    assert_ok(context, fathom_extremes_compute(&list, context, data, "basis"));
    assert_int_equal(fathom_extremes_count(list), 6);
    for (int64_t k = 0; k < 6; k++) {
        const double *u, rounding = 64 * UNIT_ROUNDOFF;
        const fathom_extreme e = fathom_extremes_get(&u, list, k);
        assert_close(e.upper, distance[k], 1e-15 * 4 + rounding);
        assert_true(e.lower <= e.upper);
        if (k == 5) { /* inside the hull of the others */
            assert_string_equal(e.method, "inside");
            continue;
        }
        assert_close(e.lower, distance[k], 1e-14);
        assert_close(hypot(u[0], u[1]), 1, rounding);
        for (int64_t i = 0; i < 6; i++) {
            const double output = fmax(0, x[2 * i] * u[0] + x[2 * i + 1] * u[1] + e.bias);
            assert_close(output, i == k ? distance[k] : 0, 1e-14);
        }
    }
    fathom_extremes_free(list);
    fathom_data_free(data);
}

/* Random rows: no direction on a fine grid of the circle, with its best bias, beats the neuron that was found. */
static void any_direction(void **state)
{
    (void)state;
    enum { N = 7, GRID = 2000 };
    double x[2 * N], v[N];
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(12); trial++) {
        const bool free_bias = trial % 2;
        double mean = 0, best = 0;
        fathom_random_normals(x, 2 * N, 21, 0, trial, 0);
        fathom_random_normals(v, N, 22, 0, trial, 0);
        for (int i = 0; i < N; i++)
            mean += free_bias ? v[i] / N : 0;
        for (int i = 0; i < N; i++)
            v[i] -= mean;
        fathom_extremes *list;
        fathom_data *data = make_data(x, v, N, 2, free_bias ? "free" : "none");
        assert_ok(context, fathom_extremes_compute(&list, context, data, "targets"));
        const double *u;
        const fathom_extreme e = fathom_extremes_get(&u, list, 0);
        for (int g = 0; g < GRID; g++)
            for (int k = free_bias ? 0 : -1; k < (free_bias ? N : 0); k++) {
                const double c = cos(2 * M_PI * g / GRID), s = sin(2 * M_PI * g / GRID);
                const double b = k < 0 ? 0 : -(x[2 * k] * c + x[2 * k + 1] * s);
                double sum = 0;
                for (int i = 0; i < N; i++)
                    sum += v[i] * fmax(0, x[2 * i] * c + x[2 * i + 1] * s + b);
                best = fmax(best, fabs(sum));
            }
        double own = 0;
        for (int i = 0; i < N; i++)
            own += v[i] * fmax(0, x[2 * i] * u[0] + x[2 * i + 1] * u[1] + e.bias);
        assert_close(e.sign * own, e.lower, 1e-12 * (1 + e.lower));
        assert_true(e.upper >= best && e.lower <= e.upper);
        assert_true(e.upper - e.lower <= 1e-8 * e.upper);
        assert_true(best >= e.lower * 0.99); /* the grid is fine */
        fathom_extremes_free(list);
        fathom_data_free(data);
    }
}

/* 001, Corollary 2.1 is false as printed: on these rows the best neuron has two tight rows and the price 72/sqrt(26), while no
 * u ~ sum_{i in S} alpha_i (a_i - a_k), b = -a_k'u, over all S and k gets beyond 13.41641. */
static void corollary_of_representation(void **state)
{
    (void)state;
    enum { N = 6 };
    static const double x[] = {0, 0, 3, 0, 0, 3, 2, 2, -1, 2, 1, -2}, v[] = {2, 3, -4, 4, 0, -5};
    fathom_extremes *list;
    fathom_data *data = make_data(x, v, N, 2, "free");
    assert_ok(context, fathom_extremes_compute(&list, context, data, "targets"));
    const double *u, root = sqrt(26);
    const fathom_extreme e = fathom_extremes_get(&u, list, 0);
    assert_close(e.lower, 72 / root, 1e-13 * 16);
    assert_close(e.upper, 72 / root, 1e-7);
    assert_close(u[0], 5 / root, 1e-13);
    assert_close(u[1], 1 / root, 1e-13);
    assert_close(e.bias, -3 / root, 1e-13);
    assert_int_equal(e.tight, 2);
    double best = 0;
    for (int subset = 1; subset < 1 << N; subset++)
        for (int k = 0; k < N; k++) {
            double w[2] = {0, 0}, sum[2] = {0, 0};
            for (int i = 0; i < N; i++)
                for (int c = 0; c < 2 && subset >> i & 1; c++)
                    w[c] += v[i] * (x[2 * i + c] - x[2 * k + c]);
            const double length = hypot(w[0], w[1]);
            for (int i = 0; i < N && length > 0; i++)
                for (int side = 0; side < 2; side++) {
                    const double t =
                        (w[0] * (x[2 * i] - x[2 * k]) + w[1] * (x[2 * i + 1] - x[2 * k + 1])) / length;
                    sum[side] += v[i] * fmax(0, side ? -t : t);
                }
            best = fmax(best, fmax(fabs(sum[0]), fabs(sum[1])));
        }
    assert_close(best, 13.41641, 1e-5);
    assert_true(best < e.lower - 0.7);
    fathom_extremes_free(list);
    fathom_data_free(data);
}

/* The support function of Q by its definition on a fine grid. */
static double support(const double *x, int64_t d, double v1, double v2)
{
    double best = 0;
    for (int g = 0; g < 4000; g++) {
        double t[2] = {0, 0};
        for (int64_t i = 0; i < 2; i++)
            t[i] = fmax(0, x[i * d] * cos(2 * M_PI * g / 4000) + x[i * d + 1] * sin(2 * M_PI * g / 4000));
        best = fmax(best, v1 * t[0] + v2 * t[1]);
    }
    return best;
}

/* Along the boundary of the polar set the support function is 1; pieces join; hull points z satisfy v'z <= 1 there, and each
 * boundary point of the hull away from the axes is touched. */
static void sets_of_two_rows(void **state)
{
    (void)state;
    enum { POINTS = 9 };
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(30); trial++) {
        double x[4], p[2 * POINTS];
        fathom_plane_sets sets;
        fathom_random_normals(x, 4, 31, 0, trial, 0);
        fathom_data *data = make_data(x, NULL, 2, 2, "none");
        assert_ok(context, fathom_plane_sets_compute(&sets, context, data));
        for (int k = 0; k < sets.polar_count; k++) {
            fathom_piece_trace(p, POINTS, sets.polar + k, 3);
            for (int i = 0; i < POINTS; i++)
                assert_close(support(x, 2, p[2 * i], p[2 * i + 1]), 1,
                             (fabs(p[2 * i]) * hypot(x[0], x[1]) + fabs(p[2 * i + 1]) * hypot(x[2], x[3])) *
                                 M_PI / 2000); /* a step of the grid */
        }
        for (int k = 0; k + 1 < sets.hull_count; k++) {
            assert_close(sets.hull[k].to[0], sets.hull[k + 1].from[0], 1e-12);
            assert_close(sets.hull[k].to[1], sets.hull[k + 1].from[1], 1e-12);
        }
        for (int k = 0; k + 1 < sets.rectified_count; k++)
            assert_close(sets.rectified[k].to[1], sets.rectified[k + 1].from[1], 1e-12);
        for (int k = 0; k < sets.hull_count; k++) {
            fathom_piece_trace(p, POINTS, sets.hull + k, 3);
            for (int i = 0; i < POINTS; i++) {
                double most = 0, q[2 * POINTS];
                for (int j = 0; j < sets.polar_count; j++) {
                    fathom_piece_trace(q, POINTS, sets.polar + j, 3);
                    for (int l = 0; l < POINTS; l++)
                        most = fmax(most, p[2 * i] * q[2 * l] + p[2 * i + 1] * q[2 * l + 1]);
                }
                assert_true(most <= 1 + 1e-12);
                if (p[2 * i] > 1e-9 && p[2 * i + 1] > 1e-9)
                    assert_true(most >= 0.97); /* some of the nine points of an arc is near enough */
            }
        }
        fathom_data_free(data);
    }
}

/* Rank one and zero rows. */
static void flat_sets(void **state)
{
    (void)state;
    static const double cases[][4] = {{1, 2, 2, 4}, {1, 2, -2, -4}, {3, 4, 0, 0}, {0, 0, 3, 4}};
    static const int polar[] = {2, 2, 2, 2};
    for (int k = 0; k < 4; k++) {
        fathom_plane_sets sets;
        double p[2];
        fathom_data *data = make_data(cases[k], NULL, 2, 2, "none");
        assert_ok(context, fathom_plane_sets_compute(&sets, context, data));
        assert_int_equal(sets.polar_count, polar[k]);
        for (int j = 0; j < sets.polar_count; j++) {
            fathom_piece_trace(p, 1, sets.polar + j, 1);
            assert_close(support(cases[k], 2, p[0], p[1]), 1, 1e-5);
        }
        fathom_data_free(data);
    }
    fathom_plane_sets sets;
    fathom_data *data = make_data(cases[0], NULL, 4, 1, "none");
    assert_int_equal(fathom_plane_sets_compute(&sets, context, data), FATHOM_ERROR_USAGE);
    fathom_data_free(data);
}

/* 001, (8) as printed asks -v in Q, not in its polar set. For A = I and y = (1,-1) the optimum v = (1,-1) of (12) is in the polar set
 * and so is -v, but -v = (-1,1) is not in Q, which has no negative entries. */
static void printed_dual_constraint(void **state)
{
    (void)state;
    static const double x[] = {1, 0, 0, 1};
    assert_close(support(x, 2, 1, -1), 1, 1e-5);
    assert_close(support(x, 2, -1, 1), 1, 1e-5);
    fathom_plane_sets sets;
    fathom_data *data = make_data(x, NULL, 2, 2, "none");
    assert_ok(context, fathom_plane_sets_compute(&sets, context, data));
    for (int k = 0; k < sets.rectified_count; k++)
        for (int c = 0; c < 2; c++)
            assert_true(sets.rectified[k].from[c] >= 0 && sets.rectified[k].to[c] >= 0);
    fathom_data_free(data);
}

/* The family of minimisers on the line, by the public function: the five points, and a line (one function, kinks outside). */
static void minimisers_on_the_line(void **state)
{
    (void)state;
    static const double x[] = {-2, -1, 0, 1, 2}, y[] = {1, -1, 1, 1, -1}, line[] = {-4, -2, 0, 2, 4};
    static const double wide[] = {1, 2, 2, 1};
    fathom_minimisers m;
    fathom_data *data = make_data(x, y, 5, 1, "free");
    assert_ok(context, fathom_minimisers_compute(&m, context, data, 10));
    assert_true(m.applies && m.exists && !m.unique && !m.outside);
    assert_close(m.norm, 8, 0);
    assert_close(m.ends, -4, 0);
    assert_int_equal(m.free_count, 1);
    assert_close(m.free[2], 0.5, 0);
    assert_close(m.free[3], 2, 0);
    fathom_minimisers_clear(&m, context);
    fathom_data_free(data);
    data = make_data(x, line, 5, 1, "free");
    assert_ok(context, fathom_minimisers_compute(&m, context, data, 10));
    assert_true(m.exists && m.outside && m.free_count == 0);
    assert_close(m.norm, 2, 8 * UNIT_ROUNDOFF);
    fathom_minimisers_clear(&m, context);
    fathom_data_free(data);
    data = make_data(wide, y, 2, 2, "free"); /* not on a line through 0 */
    assert_ok(context, fathom_minimisers_compute(&m, context, data, 10));
    assert_false(m.applies);
    fathom_minimisers_clear(&m, context);
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(basis_directions),
        cmocka_unit_test(any_direction),
        cmocka_unit_test(corollary_of_representation),
        cmocka_unit_test(sets_of_two_rows),
        cmocka_unit_test(flat_sets),
        cmocka_unit_test(printed_dual_constraint),
        cmocka_unit_test(minimisers_on_the_line),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
