/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random small problems against an independent solver: the primal-dual method of Chambolle and Pock in plain loops,
 * whose averages bracket gamma_V from both sides. Both intervals contain the same number, so they must overlap.
 */
#include "margin_cases.h"

enum { N = 6, D = 3, M = 12 };

/* Projection to the simplex by bisection on the threshold. */
static void project_simplex(double *q)
{
    double low = -10, high = 10;
    for (int k = 0; k < 80; k++) {
        const double t = (low + high) / 2;
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += fmax(0, q[i] - t);
        if (sum > 1)
            low = t;
        else
            high = t;
    }
    for (int i = 0; i < N; i++)
        q[i] = fmax(0, q[i] - high);
}

static bool is_open(const fathom_margin_problem *p, int j, int i) { return p->bits[j] >> i & 1; }

/* [least, value] of the averages after `steps` steps; metric sum_j rho_j <w_j, w_j'>, operator norm at most 1. */
static void slow_solver(double *least, double *value, const fathom_margin_problem *p, int steps)
{
    double q[N], before[N], mean_q[N] = {0}, w[M * D] = {0}, mean_w[M * D] = {0}, margin[N];
    for (int i = 0; i < N; i++)
        q[i] = 1.0 / N;
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < N; i++) {
            margin[i] = 0;
            for (int j = 0; j < M; j++)
                for (int k = 0; k < D && is_open(p, j, i); k++)
                    margin[i] += p->rho[j] * p->z[i * D + k] * w[j * D + k];
        }
        for (int i = 0; i < N; i++) {
            before[i] = q[i];
            q[i] -=
                0.3 *
                margin[i]; /* 0.3 * 1.5 * n max|z|^2 / n... below 1 / norm^2: norm^2 <= lambda_max <= N / 2 */
        }
        project_simplex(q);
        for (int j = 0; j < M; j++) {
            double square = 0;
            for (int k = 0; k < D; k++) {
                double s = 0;
                for (int i = 0; i < N; i++)
                    s += is_open(p, j, i) ? (2 * q[i] - before[i]) * p->z[i * D + k] : 0;
                w[j * D + k] += 0.5 * s;
                square += w[j * D + k] * w[j * D + k];
            }
            for (int k = 0; k < D; k++)
                w[j * D + k] /= fmax(1, sqrt(square));
        }
        for (int i = 0; i < N && 2 * t >= steps; i++)
            mean_q[i] += q[i];
        for (int k = 0; k < M * D && 2 * t >= steps; k++)
            mean_w[k] += w[k];
    }
    const double count = steps - (steps + 1) / 2;
    for (int i = 0; i < N; i++)
        mean_q[i] /= count;
    for (int k = 0; k < M * D; k++)
        mean_w[k] /= count;
    plain_sides(least, value, p, mean_q, mean_w);
}

static void random_problems(void **state)
{
    (void)state;
    fathom_context *context;
    double worst = 0;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_context_set_threads(context, 1);
    const int64_t trials = test_trials(1000);
    for (int64_t trial = 1; trial <= trials; trial++) {
        margin_case c = case_portable(N, D, (uint64_t)trial);
        fathom_margin_problem p = case_problem(&c, M, 7000 + (uint64_t)trial);
        double q[N], w[M * D], least, value;
        const fathom_margin_target target = {1e-9, 1e-10, 0, 200};
        fathom_margin_pair pair = {.q = q, .w = w};
        assert_ok(context, fathom_margin_interior(&pair, context, &p, &target));
        slow_solver(&least, &value, &p, 1000);
        const double rounding = (N + M + 3 * D) * UNIT_ROUNDOFF; /* of the plain loops */
        if (!(pair.lower <= value + rounding && least - rounding <= pair.upper)) {
            print_error("trial %lld: [%.17g, %.17g] against [%.17g, %.17g]\n", (long long)trial, pair.lower,
                        pair.upper, least, value);
            fail();
        }
        /* a margin of 0 ends on the absolute tolerance; every other one at the asked gap */
        assert_true(pair.outcome == FATHOM_MARGIN_REACHED || pair.outcome == FATHOM_MARGIN_ZERO);
        assert_true(pair.outcome == FATHOM_MARGIN_ZERO || pair.upper - pair.lower <= 1e-9 * pair.upper);
        worst = fmax(worst, value - fmax(0, least));
        problem_free(&p);
        case_free(&c);
    }
    fathom_context_free(context);
    assert_true(worst < 0.02); /* the slow solver is of use: its interval is not the whole line */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_problems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
