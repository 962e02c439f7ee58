/* SPDX-License-Identifier: Apache-2.0 */
/* The joint relaxation: its derivatives, its price against the true price, its bound against known optima. */
#include "testing.h"

#include <string.h>

#include "blas.h"
#include "joint.h"
#include "joint_internal.h"
#include "random.h"

enum { N = 14, D = 3 };

typedef struct fixture {
    double x[N * D], y[N], reach[N];
    fathom_objective problem;
} fixture;

static void fill(fixture *a, fathom_context *context, uint64_t seed)
{
    fathom_random_normals(a->x, N * D, seed, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(a->y, N, seed, FATHOM_STREAM_LABEL, 0, 0);
    for (int i = 0; i < N; i++)
        a->reach[i] = fathom_blas_norm(a->x + i * D, D) * (1 + 16 * UNIT_ROUNDOFF);
    a->problem = (fathom_objective){.context = context,
                                    .n = N,
                                    .d = D,
                                    .outputs = 1,
                                    .x = a->x,
                                    .reach = a->reach,
                                    .loss = FATHOM_LOSS_SQUARED,
                                    .y = a->y,
                                    .beta = 1};
}

/* Central differences of log P by all variables and by v, away from the kinks that smoothing removes. */
static void derivatives_of(bool constant)
{
    fixture a;
    fathom_context *context;
    fathom_joint_side side;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fill(&a, context, 3);
    a.problem.constant = constant;
    assert_ok(context, fathom_joint_side_open(&side, &a.problem, 1, a.y, 5));
    const int64_t size = fathom_joint_side_size(&side, &a.problem);
    double x[N * 8 + N + 2], gx[N * 8 + N + 2], gv[N] = {0}, v[N];
    assert_true(size <= (int64_t)(sizeof x / sizeof x[0]));
    memcpy(v, a.y, sizeof v);
    fathom_joint_side_start(x, &side, &a.problem, v);
    for (int64_t k = 0; k < size; k++)
        x[k] += 0.01 * (double)(k % 7);
    const double bend = 0.1, h = 1e-5;
    const int power = 3;
    fathom_joint_side_pack(&side, x, FATHOM_JOINT_ALL);
    fathom_joint_side_value(&side, &a.problem, v, x, bend, power);
    fathom_joint_side_slope(gv, gx, &side, &a.problem, 1);
    for (int64_t k = 0; k < size + N; k++) {
        double *variable = k < size ? x + k : v + (k - size);
        const double kept = *variable, slope = k < size ? gx[k] : gv[k - size];
        *variable = kept + h;
        const double up = fathom_joint_side_value(&side, &a.problem, v, x, bend, power);
        *variable = kept - h;
        const double down = fathom_joint_side_value(&side, &a.problem, v, x, bend, power);
        *variable = kept;
        assert_close((up - down) / (2 * h), slope, 1e-8 * (1 + fabs(slope)));
    }
    fathom_joint_side_close(&side, context);
    fathom_context_free(context);
}

static void derivatives(void **state)
{
    (void)state;
    derivatives_of(false);
    derivatives_of(true);
}

/* Central differences of D(s v) by the variables of v, for every loss, with and without a free bias;
 * inside the domain (k < 8), beyond the edge of the logistic one, and where the best s is below beta / P. */
static void dual_derivatives(void **state)
{
    (void)state;
    static const fathom_loss losses[4] = {FATHOM_LOSS_SQUARED, FATHOM_LOSS_LOGISTIC, FATHOM_LOSS_HINGE,
                                          FATHOM_LOSS_SQUARED};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int k = 0; k < 24; k++) {
        fixture a;
        fathom_joint *joint;
        double v[N], gradient[N], unused;
        const double size = k < 8 ? 0.3 : k < 16 ? 1.5 : 3;
        fill(&a, context, (uint64_t)(10 + k));
        a.problem.loss = losses[k % 4];
        a.problem.equality = k % 4 == 3;
        a.problem.constant = k % 8 >= 4;
        for (int i = 0; i < N; i++) {
            v[i] = size * a.y[i];
            if (k % 4 == 1 || k % 4 == 2)
                a.y[i] = a.y[i] > 0 ? 1 : -1;
        }
        assert_ok(context, fathom_joint_create(&joint, &a.problem, v, 5));
        joint->now.sharpness = 10;
        const double log_price = 0.3, h = 1e-6;
        fathom_joint_place(joint, joint->x);
        fathom_joint_dual(joint, log_price, &unused);
        memcpy(gradient, joint->slope, sizeof gradient);
        fathom_joint_pull_back(gradient, joint, joint->x);
        for (int i = 0; i < N; i++) {
            double value[2];
            const double kept = joint->x[i];
            for (int side = 0; side < 2; side++) {
                joint->x[i] = kept + (side ? h : -h) * (0.1 + fabs(kept));
                fathom_joint_place(joint, joint->x);
                value[side] = fathom_joint_dual(joint, log_price, &unused);
            }
            joint->x[i] = kept;
            assert_close((value[1] - value[0]) / (2 * h * (0.1 + fabs(kept))), gradient[i],
                         1e-6 * (1 + fabs(gradient[i])));
        }
        fathom_joint_free(joint);
    }
    fathom_context_free(context);
}

/* No direction has a price above P, for multipliers of any kind; and the bound is not empty. */
static void price_bounds_every_direction(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint64_t seed = 1; seed <= (uint64_t)test_trials(20); seed++) {
        fixture a;
        double v[N];
        fill(&a, context, seed);
        memcpy(v, a.y, sizeof v);
        fathom_joint_result result = {0, 0};
        const fathom_joint_options options = {
            .neighbours = 6, .enough = INFINITY, .value = NAN, .divisor = 1};
        assert_ok(context, fathom_joint_improve(&result, v, &a.problem, &options));
        assert_true(result.lower > 0);
        for (uint64_t k = 0; k < 2000; k++) {
            double u[D], sum = 0;
            fathom_random_normals(u, D, seed, FATHOM_STREAM_SAMPLE, 0, k * D);
            for (int i = 0; i < N; i++)
                sum += v[i] * fmax(fathom_blas_dot(a.x + i * D, u, D), 0);
            assert_true(fabs(sum) <= result.price * fathom_blas_norm(u, D) * (1 + 64 * UNIT_ROUNDOFF));
        }
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives),
        cmocka_unit_test(dual_derivatives),
        cmocka_unit_test(price_bounds_every_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
