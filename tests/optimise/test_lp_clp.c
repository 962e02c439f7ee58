/* SPDX-License-Identifier: Apache-2.0 */
/* Linear programs: feasibility and duality recomputed from the program as given, rows nearly parallel included. */
#include <time.h>

#include "context_internal.h"
#include "lp.h"
#include "random.h"
#include "with_context.h"

enum { N = 9, COLUMNS = N + 1, CUTS = 60, ROWS = 2 * CUTS + 1 };

typedef struct program {
    double a[ROWS * COLUMNS], cost[COLUMNS], low[COLUMNS], high[COLUMNS], row_low[ROWS], row_high[ROWS];
    fathom_lp lp;
} program;

/* Features y_i relu(<b, x_i>) of n points in the plane at the angle of b. */
static void feature(double *row, const double *x, const double *y, int64_t n, double angle)
{
    for (int64_t i = 0; i < n; i++)
        row[i] = y[i] * fmax(0, cos(angle) * x[2 * i] + sin(angle) * x[2 * i + 1]);
}

/* min t, -t <= <q, f_k> <= t, q in the simplex, as cutting planes for a global margin make them: directions in clusters whose
 * members lie `near` of an angle apart. */
static void make_program(program *p, uint32_t trial, double near)
{
    double x[2 * N], y[N], row[N], at[2];
    *p = (program){0};
    fathom_random_normals(x, 2 * N, 3, FATHOM_STREAM_DATA, trial, 0);
    for (int64_t i = 0; i < N; i++)
        y[i] = fathom_random_sign(3, FATHOM_STREAM_LABEL, trial, (uint64_t)i);
    for (int64_t k = 0; k < 2 * CUTS; k++) {
        fathom_random_uniforms(at, 1, 3, FATHOM_STREAM_START, trial, (uint64_t)(k / 2 % 8));
        fathom_random_uniforms(at + 1, 1, 3, FATHOM_STREAM_GATE, trial, (uint64_t)(k / 2));
        feature(row, x, y, N, 2 * acos(-1) * at[0] + near * at[1]);
        for (int64_t i = 0; i < N; i++)
            p->a[k * COLUMNS + i] = (k % 2 == 0 ? -1 : 1) * row[i] / 0.0625;
        p->a[k * COLUMNS + N] = 1;
        p->row_high[k] = INFINITY;
    }
    for (int64_t i = 0; i < N; i++)
        p->a[(ROWS - 1) * COLUMNS + i] = 1;
    for (int64_t k = 0; k < COLUMNS; k++)
        p->high[k] = INFINITY;
    p->cost[N] = 1;
    p->row_low[ROWS - 1] = p->row_high[ROWS - 1] = 1;
    p->lp = (fathom_lp){ROWS, COLUMNS, p->a, p->cost, p->low, p->high, p->row_low, p->row_high, 1e-12};
}

/* x feasible, the network of the dual as good as x: |alpha|_1 = 1 makes its least margin a lower bound on t. */
static double gap_of(const program *p, const double *x, const double *dual)
{
    double worst = 0, norm = 0, least = INFINITY;
    for (int64_t k = 0; k < ROWS - 1; k++) {
        double value = 0;
        for (int64_t j = 0; j < COLUMNS; j++)
            value += p->a[k * COLUMNS + j] * x[j];
        worst = fmax(worst, -value);
        norm += fmax(0, dual[k]);
    }
    for (int64_t i = 0; i < N; i++) {
        double margin = 0;
        for (int64_t k = 0; k < ROWS - 1; k++)
            margin -= fmax(0, dual[k]) * p->a[k * COLUMNS + i];
        least = fmin(least, margin / norm);
    }
    return fmax(worst, x[N] - least);
}

static void test_rows_nearly_parallel(void **state)
{
    (void)state;
    static program p;
    double value, x[COLUMNS], dual[ROWS];
    bool optimal;
    int failed = 0;
    for (uint32_t trial = 0; trial < test_trials(200); trial++) {
        const double near = pow(10, -1 - (int)(trial % 7));
        make_program(&p, trial, near);
        assert_ok(context, fathom_lp_solve(&value, x, dual, &optimal, context, &p.lp));
        assert_true(optimal);
        const double gap = gap_of(&p, x, dual);
        if (!(gap <= 1e-10)) /* features of up to 60, each off by the tolerance */
            print_error("trial %u, rows %g apart: gap %g\n", trial, near, gap);
        failed += !(gap <= 1e-10);
    }
    assert_int_equal(failed, 0);
}

static void test_no_solution(void **state)
{
    (void)state;
    const double a[] = {1, 1}, cost[] = {1, 0}, low[] = {0, 0}, high[] = {INFINITY, INFINITY}, one[] = {1},
                 minus[] = {-1};
    const double open[] = {-INFINITY}, none[] = {INFINITY}, descending[] = {-1, 0};
    double value;
    bool optimal;
    const fathom_lp infeasible = {1, 2, a, cost, low, high, open, minus, 1e-9};
    assert_ok(context, fathom_lp_solve(&value, NULL, NULL, &optimal, context, &infeasible));
    assert_false(optimal);
    const fathom_lp unbounded = {1, 2, a, descending, low, high, one, none, 1e-9};
    assert_ok(context, fathom_lp_solve(&value, NULL, NULL, &optimal, context, &unbounded));
    assert_false(optimal);
}

/* min <c, x> on the box [-1, 1]^N with rows that never bind: x = -sign c, the value -|c|_1, however large costs or small entries
 * are. Clp ends the process at scaled costs of 1e25. */
static void test_large_costs(void **state)
{
    (void)state;
    double cost[N], low[N], high[N], a[N], value, x[N], dual[1];
    const double row_low[] = {-INFINITY}, row_high[] = {1e3 * N};
    bool optimal;
    for (int power = 0; power <= 900; power += 30)
        for (int small = 0; small <= 300; small += 60) {
            double sum = 0;
            for (int k = 0; k < N; k++) {
                cost[k] = ldexp(k % 2 ? k + 1 : -k - 1, power);
                a[k] = k == 0 ? 1 : ldexp(1, -small);
                low[k] = -1, high[k] = 1;
                sum += fabs(cost[k]);
            }
            const fathom_lp lp = {1, N, a, cost, low, high, row_low, row_high, 1e-9};
            for (int way = FATHOM_LP_DUAL; way < FATHOM_LP_WAYS; way++) {
                fathom_lp_answer answer;
                assert_ok(context, fathom_lp_try(&answer, &value, x, dual, context, &lp, (fathom_lp_way)way));
                optimal = answer == FATHOM_LP_OPTIMAL;
                assert_true(optimal || way == FATHOM_LP_EXACT);
                for (int k = 0; k < N && optimal; k++)
                    assert_close(x[k], k % 2 ? -1 : 1, 2 * lp.tolerance);
                assert_true(!optimal || fabs(value + sum) <= 2 * lp.tolerance * sum);
            }
        }
}

/* A run that a limit has found inside ends in its iterations, in every way; the same run without a limit ends as ever. */
static void test_given_up(void **state)
{
    (void)state;
    static program p;
    fathom_context *late;
    fathom_lp_answer answer;
    double value, x[COLUMNS], dual[ROWS];
    bool optimal;
    assert_int_equal(fathom_context_create(&late, NULL), FATHOM_OK);
    fathom_context_start_clock(late);
    fathom_context_set_time_limit(late, 0);
    while (!fathom_context_overdue(late))
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    for (uint32_t trial = 0; trial < 5; trial++) {
        make_program(&p, trial, 0.1);
        for (int way = FATHOM_LP_DUAL; way < FATHOM_LP_EXACT; way++) {
            assert_int_equal(fathom_lp_try(&answer, &value, x, dual, late, &p.lp, (fathom_lp_way)way),
                             FATHOM_ERROR_STOPPED);
            assert_int_equal(answer, FATHOM_LP_UNSOLVED);
        }
        assert_int_equal(fathom_lp_solve(&value, x, dual, &optimal, late, &p.lp), FATHOM_ERROR_STOPPED);
        assert_false(optimal);
    }
    fathom_context_wind_up(late); /* what is left is short */
    assert_ok(late, fathom_lp_solve(&value, x, dual, &optimal, late, &p.lp));
    assert_true(optimal);
    fathom_context_free(late);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_nearly_parallel),
        cmocka_unit_test(test_no_solution),
        cmocka_unit_test(test_large_costs),
        cmocka_unit_test(test_given_up),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
