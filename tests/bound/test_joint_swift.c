/* SPDX-License-Identifier: Apache-2.0 */
/* The joint relaxation in single precision: its derivatives, its lists, its price against the true price,
 * its bound beside that of the search in double. */
#include "testing.h"

#include <float.h>
#include <string.h>

#include "blas.h"
#include "joint_swift.h"
#include "random.h"

enum { N = 60, D = 4, K = 8 };

typedef struct fixture {
    double x[N * D], y[N], reach[N];
    fathom_objective problem;
} fixture;

static void fill(fixture *a, fathom_context *context, uint64_t seed, fathom_loss loss)
{
    const double last = 3; /* that of a free bias: the same for all points */
    fathom_random_normals(a->x, N * D, seed, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(a->y, N, seed, FATHOM_STREAM_LABEL, 0, 0);
    for (int i = 0; i < N; i++) {
        a->x[i * D + D - 1] = last;
        a->reach[i] = fathom_blas_norm(a->x + i * D, D) * (1 + 16 * UNIT_ROUNDOFF);
        if (loss != FATHOM_LOSS_SQUARED)
            a->y[i] = a->y[i] + a->x[i * D] > 0 ? 1 : -1;
    }
    a->problem = (fathom_objective){.context = context,
                                    .n = N,
                                    .d = D,
                                    .outputs = 1,
                                    .x = a->x,
                                    .reach = a->reach,
                                    .loss = loss,
                                    .y = a->y,
                                    .beta = 2};
}

/* Central differences of log P by multipliers, v and t, W anything but its fixed point: what is left is the
 * rounding of single numbers. */
static void derivatives(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int constant = 0; constant < 2; constant++) {
        fixture a;
        fathom_joint_side lists;
        fathom_swift_side side;
        double v[N], gv[N], length[N];
        float z[N * (K + 2)], gz[N * (K + 2)], by_ball = 0;
        fill(&a, context, 3, FATHOM_LOSS_SQUARED);
        a.problem.constant = constant == 1;
        memcpy(v, a.y, sizeof v);
        for (int i = 0; i < N; i++)
            length[i] = 1 + 0.01 * i;
        assert_ok(context, fathom_joint_side_open(&lists, &a.problem, 1, v, K));
        assert_ok(context, fathom_swift_open(&side, &lists, &a.problem, length));
        const int64_t size = lists.rows * (lists.k + 2);
        for (int64_t k = 0; k < size; k++)
            z[k] = 0.05F + 0.01F * (float)(k % 7);
        const double t = 0.3, h = 1.0 / 64, room = 64 * (double)FLT_EPSILON / h + 8 * h * h;
        side.e = 0.2;
        fathom_swift_order(&side, 2);
        fathom_swift_ball(&side, constant == 1, t);
        fathom_swift_settle(&side, v, z, 0.1F, 1, context);
        fathom_swift_value(&side, v, z, 0.1F, context);
        fathom_swift_slope(gv, gz, constant ? &by_ball : NULL, &side, 1);
        for (int64_t k = 0; k < size + N + constant; k++) {
            double value[2];
            for (int up = 0; up < 2; up++) {
                const float step = (float)(up ? h : -h);
                if (k < size)
                    z[k] += step;
                else if (k < size + N)
                    v[k - size] += (double)step;
                else
                    fathom_swift_ball(&side, true, t + (double)step);
                value[up] = fathom_swift_value(&side, v, z, 0.1F, context);
                if (k < size)
                    z[k] -= step;
                else if (k < size + N)
                    v[k - size] -= (double)step;
            }
            const double slope = k < size ? (double)gz[k] : k < size + N ? gv[k - size] : (double)by_ball;
            assert_close((value[1] - value[0]) / (2 * h), slope, room);
        }
        fathom_swift_close(&side, context);
        fathom_joint_side_close(&lists, context);
    }
    fathom_context_free(context);
}

/* No direction has a price above P for the v that the search ends with, and its bound is nearly that of the
 * search in double. */
static void price_and_bound(void **state)
{
    (void)state;
    static const fathom_loss losses[3] = {FATHOM_LOSS_SQUARED, FATHOM_LOSS_LOGISTIC, FATHOM_LOSS_HINGE};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int k = 0; k < 3; k++) {
        fixture a;
        fathom_joint *joint;
        double v[N], start[N];
        bool ended = false;
        fathom_joint_result swift = {0, INFINITY}, slow = {0, INFINITY};
        const fathom_joint_options options = {
            .neighbours = 12, .enough = INFINITY, .value = NAN, .divisor = 1};
        fill(&a, context, (uint64_t)(20 + k), losses[k]);
        for (int i = 0; i < N; i++)
            start[i] = v[i] = a.y[i] * 0.5;
        assert_ok(context, fathom_joint_create(&joint, &a.problem, start, options.neighbours));
        assert_ok(context, fathom_joint_swift(&ended, &swift, v, joint, &options));
        /* no bound passes the limit, and the search has nearly reached it */
        print_message("limit %g\n", joint->limit);
        assert_true(joint->limit >= swift.lower * (1 - 64 * (double)FLT_EPSILON));
        const double limit = joint->limit;
        fathom_joint_free(joint);
        for (uint64_t t = 0; t < 2000; t++) {
            double u[D], sum = 0;
            fathom_random_normals(u, D, 7, FATHOM_STREAM_SAMPLE, 0, t * D);
            for (int i = 0; i < N; i++)
                sum += v[i] * fmax(fathom_blas_dot(a.x + i * D, u, D), 0);
            assert_true(fabs(sum) <= swift.price * fathom_blas_norm(u, D) * (1 + 64 * UNIT_ROUNDOFF));
        }
        assert_ok(context, fathom_joint_improve(&slow, start, &a.problem, &options));
        print_message("loss %d: %g in single, %g in double\n", k, swift.lower, slow.lower);
        assert_true(swift.lower >= 0.97 * slow.lower);
        assert_true(slow.lower <= limit * (1 + 64 * (double)FLT_EPSILON));
    }
    fathom_context_free(context);
}

/* x -> (X'X)^(-1/4) x, then |cos|: every list holds points of the other sign, each once, and no point that
 * is left out is nearer than one that
 * is in by more than single numbers may be wrong. */
static void lists_hold_the_nearest(void **state)
{
    (void)state;
    fixture a;
    fathom_context *context;
    fathom_joint_side side;
    double gram[D * D] = {0}, value[D], m[D * D] = {0}, w[N * D];
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fill(&a, context, 5, FATHOM_LOSS_LOGISTIC);
    assert_ok(context, fathom_joint_side_open(&side, &a.problem, 1, a.y, K));
    assert_ok(context, fathom_joint_side_near(&side, &a.problem, a.y));
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D * D; k++)
            gram[k] += a.x[i * D + k / D] * a.x[i * D + k % D];
    assert_ok(context, fathom_blas_eigen(value, gram, D, D, true, context));
    for (int k = 0; k < D; k++)
        for (int t = 0; t < D * D; t++)
            m[t] += pow(value[k], -0.25) * gram[k * D + t / D] * gram[k * D + t % D];
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < D; k++)
            w[i * D + k] = fathom_blas_dot(m + k * D, a.x + i * D, D);
        fathom_blas_scale(w + i * D, 1 / fathom_blas_norm(w + i * D, D), D);
    }
    for (int64_t r = 0; r < side.rows; r++) {
        bool listed[N] = {false};
        double least = INFINITY;
        for (int64_t k = 0; k < K; k++) {
            const int32_t j = side.column[r * K + k];
            assert_true(a.y[j] > 0 && !listed[j]);
            listed[j] = true;
            least = fmin(least, fabs(fathom_blas_dot(w + side.point[r] * D, w + j * D, D)));
        }
        for (int j = 0; j < N; j++)
            assert_true(listed[j] || a.y[j] < 0 ||
                        fabs(fathom_blas_dot(w + side.point[r] * D, w + j * D, D)) <=
                            least + 8 * D * (double)FLT_EPSILON);
    }
    fathom_joint_side_close(&side, context);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives),
        cmocka_unit_test(price_and_bound),
        cmocka_unit_test(lists_hold_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
