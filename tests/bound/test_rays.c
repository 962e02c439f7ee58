/* SPDX-License-Identifier: Apache-2.0 */
/* The relaxation on rays: derivatives of V and D, prices against neurons, bounds against networks,
 * threads. */
#include "testing.h"

#include <string.h>

#include "blas.h"
#include "random.h"
#include "rays_internal.h"

enum { N = 18, D = 4, MOST = 7, FEW = 4 }; /* outputs; beyond FEW they fall into pairs */

typedef struct fixture {
    int64_t outputs, k;
    double x[N * D], y[N * MOST], reach[N], weight[N], v[N * MOST], basis[MOST * MOST];
    fathom_objective problem;
    fathom_fan *fan;
} fixture;

/* Orthonormal rows: those of the coordinates, or of the vectors with sum 0. */
static void fill_basis(fixture *a, bool sums)
{
    const int64_t o = a->outputs;
    a->k = o - sums;
    memset(a->basis, 0, sizeof a->basis);
    for (int64_t b = 0; b < a->k; b++) {
        const double times = sums ? 1 / sqrt((double)((b + 1) * (b + 2))) : 1;
        for (int64_t e = 0; e <= b && sums; e++)
            a->basis[b * o + e] = times;
        a->basis[b * o + b + sums] = sums ? -(double)(b + 1) * times : 1;
    }
}

/* form 0: squared, 1: softmax, 2: equality. */
static void fill(fixture *a, fathom_context *context, int64_t outputs, int form, bool constant, uint64_t seed)
{
    double axis[MOST * MOST] = {0}, normal[N * MOST];
    const bool paired = outputs > FEW;
    int64_t pair[MOST];
    a->outputs = outputs;
    fathom_random_normals(a->x, N * D, seed, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(normal, N * outputs, seed, FATHOM_STREAM_LABEL, 0, 0);
    for (int i = 0; i < N; i++) {
        if (constant)
            a->x[i * D + D - 1] = 2; /* the coordinate of the bias, as bounds take it */
        a->reach[i] = fathom_blas_norm(a->x + i * D, D) * (1 + 16 * UNIT_ROUNDOFF);
        a->weight[i] = 1 + 0.5 * (i % 3);
        for (int64_t k = 0; k < outputs; k++)
            a->y[k * N + i] = form == 1 ? i % outputs == k : normal[k * N + i];
        for (int64_t k = 0; k < outputs; k++) /* softmax: probabilities apart from the targets */
            a->v[k * N + i] =
                form == 1 ? a->weight[i] * (a->y[k * N + i] - 1.0 / (double)outputs) : normal[k * N + i];
    }
    a->problem = (fathom_objective){.context = context,
                                    .n = N,
                                    .d = D,
                                    .outputs = outputs,
                                    .x = a->x,
                                    .reach = a->reach,
                                    .loss = form == 1 ? FATHOM_LOSS_SOFTMAX : FATHOM_LOSS_SQUARED,
                                    .y = a->y,
                                    .weight = form == 2 ? NULL : a->weight,
                                    .equality = form == 2,
                                    .constant = constant,
                                    .beta = 2};
    fill_basis(a, form == 1 && !paired);
    for (int64_t e = 0; e < a->k; e++) {
        axis[e * a->k + e] = 1;
        pair[e] = e / 2;
    }
    assert_ok(context, fathom_fan_create(&a->fan, context, a->k, axis, paired ? pair : NULL,
                                         paired      ? INT64_MAX
                                         : a->k == 2 ? 6
                                                     : 9,
                                         paired ? 0.5 : 1));
}

/* Central differences of D(s V) and of a linear function of V by the variables, for every form. */
static void derivatives(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int trial = 0; trial < 12; trial++) {
        fixture a;
        fathom_rays *rays;
        double t[N * MOST], gradient[N * MOST], turn[N * MOST], unused;
        fill(&a, context, 2 + trial % 2, trial % 3, trial >= 6, (uint64_t)(30 + trial));
        const int64_t size = N * a.outputs;
        const double log_price = trial % 4 ? 0.9 : 0.1, h = 1e-5;
        assert_ok(context, fathom_rays_create(&rays, &a.problem, a.fan, a.basis, a.v, 5));
        rays->now.doublings = 3;
        fathom_random_normals(t, size, 3, FATHOM_STREAM_START, (uint32_t)trial, 0);
        fathom_random_normals(turn, size, 4, FATHOM_STREAM_START, (uint32_t)trial, 0);
        fathom_rays_place(rays, t);
        fathom_rays_dual(rays, log_price, &unused);
        for (int64_t e = 0; e < size; e++)
            gradient[e] = rays->slope[e] + turn[e];
        fathom_rays_pull_back(gradient, rays);
        for (int64_t e = 0; e < size; e++) {
            double value[2];
            for (int side = 0; side < 2; side++) {
                t[e] += side ? -2 * h : h;
                fathom_rays_place(rays, t);
                value[side] =
                    fathom_rays_dual(rays, log_price, &unused) + fathom_blas_dot(turn, rays->v, size);
            }
            t[e] += h;
            assert_close((value[0] - value[1]) / (2 * h), gradient[e], 1e-6 * (1 + fabs(gradient[e])));
        }
        if (a.problem.constant) /* V is balanced */
            for (int64_t k = 0; k < a.outputs; k++) {
                double sum = 0;
                for (int64_t i = 0; i < N; i++)
                    sum += rays->v[k * N + i];
                assert_close(sum, 0, 1e-9);
            }
        fathom_rays_free(rays);
        fathom_fan_free(a.fan);
    }
    fathom_context_free(context);
}

static void stay(double *v, const fathom_objective *p) { fathom_objective_balance(v, p); }

/* |V'(Xu)_+| of a neuron; with a free bias its last coordinate has its own ball. */
static double price_of(const fixture *a, const double *v, const double *u)
{
    double square = 0, inner = 0;
    const int64_t d = a->problem.constant ? D - 1 : D;
    for (int64_t e = 0; e < d; e++)
        inner += u[e] * u[e];
    for (int64_t k = 0; k < a->outputs; k++) {
        double sum = 0;
        for (int64_t i = 0; i < N; i++)
            sum += v[k * N + i] * fmax(fathom_blas_dot(a->x + i * D, u, D), 0);
        square += sum * sum;
    }
    return sqrt(square) / fmax(sqrt(inner), a->problem.constant ? fabs(u[D - 1]) : 0);
}

/* No neuron has a larger price than is claimed; the bound rises above that of the start, and is the same
 * for every number of threads. */
static void run_trial(int trial, int64_t outputs)
{
    double lower[2] = {0, 0};
    for (int threads = 1; threads <= 3; threads += 2) {
        fathom_context *context;
        fixture a;
        fathom_rays *rays;
        double v[N * MOST];
        fathom_joint_result result = {0, INFINITY};
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        fathom_context_set_threads(context, threads);
        fill(&a, context, outputs, trial / 2 % 3, trial % 2, (uint64_t)(60 + trial));
        memcpy(v, a.v, sizeof v);
        fathom_objective_balance(v, &a.problem);
        assert_ok(context, fathom_rays_create(&rays, &a.problem, a.fan, a.basis, v, 8));
        assert_ok(context, fathom_rays_run(&result, v, rays,
                                           &(fathom_rays_options){.enough = 0, .value = NAN, .enter = stay}));
        const double first = result.lower;
        assert_ok(context,
                  fathom_rays_run(&result, v, rays,
                                  &(fathom_rays_options){.enough = INFINITY, .value = NAN, .enter = stay}));
        assert_true(isfinite(result.price) && result.lower > first);
        lower[threads > 1] = result.lower;
        for (uint32_t k = 0; k < 3000; k++) {
            double u[D];
            fathom_random_normals(u, D, 11, FATHOM_STREAM_START, k, 0);
            assert_true(price_of(&a, v, u) <= result.price);
        }
        fathom_rays_free(rays);
        fathom_fan_free(a.fan);
        fathom_context_free(context);
    }
    assert_true(lower[0] == lower[1]);
}

static void prices_and_bounds(void **state)
{
    (void)state;
    for (int trial = 0; trial < (int)test_trials(12); trial++)
        run_trial(trial, 2 + trial % 3);
}

/* The same with outputs in pairs, and one alone. */
static void many_outputs(void **state)
{
    (void)state;
    skip_if_brief();
    for (int trial = 0; trial < (int)test_trials(3); trial++)
        run_trial(trial, MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives),
        cmocka_unit_test(prices_and_bounds),
        cmocka_unit_test(many_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
