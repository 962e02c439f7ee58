/* SPDX-License-Identifier: Apache-2.0 */
/* Linear programs: every way alone against rational arithmetic, whose optimum is judged by its own conditions. */
#include "testing.h"

#include "portable.h"

#include "lp.h"

enum { ROWS = 7, COLUMNS = 5 };

typedef struct instance {
    double a[ROWS * COLUMNS], cost[COLUMNS], low[COLUMNS], high[COLUMNS], row_low[ROWS], row_high[ROWS];
} instance;

static fathom_lp program_of(const instance *p)
{
    return (fathom_lp){ROWS, COLUMNS, p->a, p->cost, p->low, p->high, p->row_low, p->row_high, 0};
}

/* Small whole numbers, many of them equal: rows repeat, optima are degenerate. Bounds of every kind; x is feasible where
 * `feasible`. */
static instance draw(uint64_t *state, bool feasible)
{
    instance p;
    double x[COLUMNS];
    for (int k = 0; k < COLUMNS; k++) {
        const int kind = (int)(4 * portable_uniform(state));
        x[k] = floor(5 * portable_uniform(state)) - 2;
        p.cost[k] = floor(7 * portable_uniform(state)) - 2;
        p.low[k] = kind == 0 || kind == 1 ? x[k] - floor(3 * portable_uniform(state)) : -INFINITY;
        p.high[k] = kind == 1 || kind == 2 ? x[k] + floor(3 * portable_uniform(state)) : INFINITY;
    }
    for (int i = 0; i < ROWS; i++) {
        const int kind = (int)(4 * portable_uniform(state));
        double value = feasible ? 0 : floor(40 * portable_uniform(state)) - 20;
        for (int k = 0; k < COLUMNS; k++) {
            const bool repeat = i > 0 && i % 3 == 0;
            p.a[i * COLUMNS + k] =
                repeat ? p.a[(i - 1) * COLUMNS + k] : floor(5 * portable_uniform(state)) - 2;
            value += p.a[i * COLUMNS + k] * x[k];
        }
        const double slack = floor(3 * portable_uniform(state));
        p.row_low[i] = kind == 0 ? value : kind == 1 || kind == 2 ? value - slack : -INFINITY;
        p.row_high[i] = kind == 0 ? value : kind == 2 || kind == 3 ? value + slack : INFINITY;
    }
    return p;
}

/* x is feasible, and the dual with its reduced costs gives the same value: all to a rounding of order-10 numbers. */
static void check_optimum(const instance *p, double value, const double *x, const double *dual)
{
    const double tolerance = 1e4 * UNIT_ROUNDOFF;
    double below = 0, attained = 0;
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = 0; k < COLUMNS; k++)
            sum += p->a[i * COLUMNS + k] * x[k];
        assert_true(sum >= p->row_low[i] - tolerance && sum <= p->row_high[i] + tolerance);
        if (dual[i] != 0)
            below += dual[i] * (dual[i] > 0 ? p->row_low[i] : p->row_high[i]);
    }
    for (int k = 0; k < COLUMNS; k++) {
        double reduced = p->cost[k];
        for (int i = 0; i < ROWS; i++)
            reduced -= p->a[i * COLUMNS + k] * dual[i];
        assert_true(x[k] >= p->low[k] - tolerance && x[k] <= p->high[k] + tolerance);
        attained += p->cost[k] * x[k];
        if (fabs(reduced) > tolerance)
            below += reduced * (reduced > 0 ? p->low[k] : p->high[k]);
    }
    assert_true(fabs(attained - value) <= tolerance && fabs(below - value) <= tolerance);
}

static void every_way_agrees(void **state)
{
    (void)state;
    fathom_context *context;
    uint64_t seed = 1;
    int seen[FATHOM_LP_UNSOLVED + 1] = {0};
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int trial = 0; trial < test_trials(300); trial++) {
        const instance p = draw(&seed, trial % 2 == 0);
        const fathom_lp lp = program_of(&p);
        double value, x[COLUMNS], dual[ROWS], other;
        fathom_lp_answer answer, judge;
        bool optimal;
        assert_ok(context, fathom_lp_try(&judge, &value, x, dual, context, &lp, FATHOM_LP_EXACT));
        assert_true(judge != FATHOM_LP_UNSOLVED);
        assert_true(trial % 2 == 1 || judge != FATHOM_LP_INFEASIBLE);
        seen[judge]++;
        if (judge == FATHOM_LP_OPTIMAL)
            check_optimum(&p, value, x, dual);
        for (int way = 0; way < FATHOM_LP_EXACT; way++) {
            assert_ok(context, fathom_lp_try(&answer, &other, NULL, NULL, context, &lp, (fathom_lp_way)way));
            if (judge == FATHOM_LP_OPTIMAL && answer == FATHOM_LP_OPTIMAL)
                assert_true(fabs(other - value) <= 1e-7 * (1 + fabs(value))); /* tolerances of 1e-9 */
        }
        assert_ok(context, fathom_lp_solve(&other, x, dual, &optimal, context, &lp));
        assert_int_equal(optimal, judge == FATHOM_LP_OPTIMAL);
    }
    assert_true(seen[FATHOM_LP_OPTIMAL] > 0 && seen[FATHOM_LP_INFEASIBLE] > 0 &&
                seen[FATHOM_LP_UNBOUNDED] > 0);
    fathom_context_free(context);
}

/* The program of six unit vectors at which the dual simplex of Clp 1.17 gives up: min t, -t <= F_q(b_k) <= t over the simplex,
 * with directions that come twice. */
static void repeated_rows(void **state)
{
    (void)state;
    enum { N = 6, K = 72 };
    const double turn = acos(-1) / 180, at[N] = {0, 50, 95, 170, 230, 300}, y[N] = {1, -1, 1, 1, -1, 1};
    static double a[(2 * K + 1) * (N + 1)], row_low[2 * K + 1], row_high[2 * K + 1];
    double cost[N + 1] = {0}, low[N + 1] = {0}, high[N + 1], x[N + 1], dual[2 * K + 1], value;
    fathom_context *context;
    bool optimal;
    cost[N] = 1;
    for (int k = 0; k <= N; k++)
        high[k] = INFINITY;
    for (int k = 0; k < 2 * K; k++) {
        const double angle = 10 * (double)(k / 2 % (K / 2)) * turn;
        for (int i = 0; i < N; i++)
            a[k * (N + 1) + i] = (k % 2 ? 1 : -1) * y[i] * fmax(0, cos(angle - at[i] * turn));
        a[k * (N + 1) + N] = 1;
        row_high[k] = INFINITY;
    }
    for (int i = 0; i < N; i++)
        a[2 * K * (N + 1) + i] = 1;
    row_low[2 * K] = row_high[2 * K] = 1;
    const fathom_lp lp = {2 * K + 1, N + 1, a, cost, low, high, row_low, row_high, 1e-9};
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    assert_ok(context, fathom_lp_solve(&value, x, dual, &optimal, context, &lp));
    assert_true(optimal && value > 0 && value < 0.1525);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_agrees),
        cmocka_unit_test(repeated_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
