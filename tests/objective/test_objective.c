/* SPDX-License-Identifier: Apache-2.0 */
/* Every loss over data: slopes and curvatures against differences, smoothed forms against the loss, and
 * duality: bounds of random dual points are below every constant's loss, and the first dual point proves
 * the best constant. */
#include "testing.h"

#include "objective.h"
#include "random.h"

enum { N = 40 };

static const struct {
    fathom_loss loss;
    double parameter;
} kinds[] = {{FATHOM_LOSS_SQUARED, 0},    {FATHOM_LOSS_LOGISTIC, 0},    {FATHOM_LOSS_HINGE, 0},
             {FATHOM_LOSS_HUBER, 0.1},    {FATHOM_LOSS_HUBER, 0.9},     {FATHOM_LOSS_HUBER, 30},
             {FATHOM_LOSS_ABSOLUTE, 0},   {FATHOM_LOSS_QUANTILE, 0.5},  {FATHOM_LOSS_QUANTILE, 0.05},
             {FATHOM_LOSS_QUANTILE, 0.8}, {FATHOM_LOSS_QUANTILE, 0.999}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct sample {
    double y[N], weight[N], f[N], g[N];
    fathom_objective problem;
} sample;

static void open(sample *s, int kind, bool constant, uint64_t seed)
{
    double z[4 * N];
    fathom_random_normals(z, 4 * N, seed, FATHOM_STREAM_TEST_DATA, 0, 0);
    const fathom_loss_row *row = fathom_loss_row_of(kinds[kind].loss);
    for (int i = 0; i < N; i++) {
        s->y[i] = row->signs ? (z[i] > 0.3 ? 1 : -1) : 2 + 1.5 * z[i];
        s->weight[i] = exp(z[N + i]);
        s->f[i] = 2 * z[2 * N + i];
        s->g[i] = z[3 * N + i];
    }
    s->problem = (fathom_objective){.n = N,
                                    .outputs = 1,
                                    .loss = kinds[kind].loss,
                                    .box = fathom_loss_box_of(kinds[kind].loss, kinds[kind].parameter),
                                    .y = s->y,
                                    .weight = s->weight,
                                    .beta = 1,
                                    .constant = constant};
}

/* Central differences with step h err by h^2 times the third derivative, at most 1 / mu^2 of the box's
 * cube, and rounding. */
static void slopes_and_curvatures(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int k = 0; k < 3; k++) {
            sample s;
            double g[N], root[N], up[N], down[N], move[N];
            open(&s, kind, false, 1 + (uint64_t)k);
            const double mu = fathom_loss_row_of(kinds[kind].loss)->kinked ? pow(10, -k) : 0, h = 1e-5;
            fathom_objective_residual(g, &s.problem, s.f, mu);
            fathom_objective_curvature(root, &s.problem, s.f, mu);
            for (int i = 0; i < N; i++)
                move[i] = s.f[i] + h;
            fathom_objective_residual(up, &s.problem, move, mu);
            double above[N], below[N];
            for (int i = 0; i < N; i++)
                above[i] = fathom_objective_point_loss(&s.problem, move, i, mu);
            for (int i = 0; i < N; i++)
                move[i] = s.f[i] - h;
            fathom_objective_residual(down, &s.problem, move, mu);
            for (int i = 0; i < N; i++) {
                below[i] = fathom_objective_point_loss(&s.problem, move, i, mu);
                const double c = s.weight[i], error = c * (1e-6 + 1e-5 * fabs(above[i]));
                assert_close(g[i], -c * (above[i] - below[i]) / (2 * h), error);
                assert_close(root[i] * root[i], (down[i] - up[i]) / (2 * h), error);
            }
        }
}

/* The barrier is at most 0, and costs about 2 mu ln(1 / mu) at the ends of the box. */
static void smoothing_vanishes(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (double mu = 1; mu > 1e-13 && fathom_loss_row_of(kinds[kind].loss)->kinked; mu /= 10) {
            sample s;
            open(&s, kind, false, 7);
            for (int i = 0; i < N; i++) {
                const double exact = fathom_objective_point_loss(&s.problem, s.f, i, 0);
                const double smooth = fathom_objective_point_loss(&s.problem, s.f, i, mu);
                const double rounding = 64 * UNIT_ROUNDOFF * (1 + exact);
                assert_true(smooth <= exact + rounding);
                assert_true(exact - smooth <= mu * (12 - 4 * log(mu)) + rounding);
            }
        }
}

/* P of W = 0 and any constant is its loss. */
static void bounds_are_below(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t seed = 1; seed <= (uint64_t)test_trials(20); seed++)
            for (int constant = 0; constant < 2; constant++) {
                sample s;
                double c, f[N];
                open(&s, kind, constant, seed);
                fathom_objective_start(f, &c, &s.problem);
                const double least = fathom_objective_loss(&s.problem, f, 0);
                fathom_objective_residual(s.g, &s.problem, s.f, seed % 2 ? 0 : 0.3); /* of any outputs */
                fathom_objective_balance(s.g, &s.problem);
                for (double price = 0.1; price < 30; price *= 3)
                    assert_true(fathom_objective_bound_priced(&s.problem, s.g, price) <= least * (1 + 1e-12));
                for (double t = -3; t < 5 && constant; t += 0.25) { /* the constant is the best */
                    for (int i = 0; i < N; i++)
                        f[i] = t;
                    assert_true(fathom_objective_loss(&s.problem, f, 0) >= least * (1 - 1e-12));
                }
            }
}

static void first_dual_proves_the_best_constant(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t seed = 1; seed <= (uint64_t)test_trials(20); seed++)
            for (int constant = 0; constant < 2; constant++) {
                sample s;
                double c, f[N];
                open(&s, kind, constant, seed);
                fathom_objective_start(f, &c, &s.problem);
                const double least = fathom_objective_loss(&s.problem, f, 0);
                fathom_objective_first_dual(s.g, &s.problem, f);
                const double bound = fathom_objective_bound_priced(&s.problem, s.g, 0.5);
                assert_true(bound <= least * (1 + 1e-12));
                assert_true(bound >= least * (1 - 1e-9));
            }
}

/* Where balancing leaves nothing, a dual point with a bound above 0 takes its place. */
static void zero_wakes(void **state)
{
    (void)state;
    for (int kind = 1; kind < KINDS; kind++)
        for (int constant = 0; constant < 2; constant++) {
            sample s;
            open(&s, kind, constant, 11);
            for (int i = 0; i < N; i++)
                s.g[i] = 0;
            fathom_objective_wake_dual(s.g, &s.problem);
            assert_true(fathom_objective_bound_priced(&s.problem, s.g, 0.5) > 0);
            const double first = s.g[0];
            fathom_objective_wake_dual(s.g, &s.problem); /* it stays */
            assert_true(s.g[0] == first);
        }
}

static void boxes(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        sample s;
        open(&s, kind, false, 3);
        const bool boxed = fathom_loss_row_of(kinds[kind].loss)->boxed;
        const double most = fathom_objective_box_limit(&s.problem, s.g, 0);
        assert_true(isfinite(most) == boxed);
        if (!boxed)
            continue;
        fathom_objective_enter_box(s.g, &s.problem);
        assert_true(fathom_objective_box_limit(&s.problem, s.g, 0) >= 1 - 4 * UNIT_ROUNDOFF);
        assert_true(fathom_objective_box_limit(&s.problem, s.g, 0.1) <
                    fathom_objective_box_limit(&s.problem, s.g, 0));
    }
    for (int k = -1; k <= FATHOM_LOSSES; k++)
        assert_true(fathom_loss_known((fathom_loss)k) == (k >= 0 && k < FATHOM_LOSSES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_and_curvatures),
        cmocka_unit_test(smoothing_vanishes),
        cmocka_unit_test(bounds_are_below),
        cmocka_unit_test(first_dual_proves_the_best_constant),
        cmocka_unit_test(zero_wakes),
        cmocka_unit_test(boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
