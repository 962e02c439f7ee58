/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All optimal networks of the hinge on the line, against another program in another arithmetic: over the
 * outputs alone, with the norm of a spline by its formula, R = max(TV, (TV + |E|) / 2), in floating point.
 */
#include "with_context.h"

#include <string.h>

#include "line_hinge.h"
#include "lp.h"
#include "random.h"

enum { ROWS = 9, VARIABLES = 3 * ROWS + 2, LINES = 4 * ROWS + 8 };

typedef struct sample {
    double x[ROWS], y[ROWS], c[ROWS], beta;
} sample;

/* Places drawn, or on a grid with ties, some with both labels; weights; penalties over three orders. */
static void draw(sample *s, uint32_t trial)
{
    for (uint64_t i = 0; i < ROWS; i++) {
        const double u = fathom_random_uniform(41, 0, trial, 3 * i);
        s->x[i] = trial % 2 ? u : floor(8 * u);
        s->y[i] = fathom_random_uniform(41, 0, trial, 3 * i + 1) < 0.5 ? -1 : 1;
        s->c[i] = trial % 3 ? 1 : 0.25 + floor(4 * fathom_random_uniform(41, 0, trial, 3 * i + 2));
    }
    s->beta = ldexp(1, -(int)(trial % 10)) * (trial % 2 ? 0.3 : 1);
}

/* The program over f (P), t (P), e, R, xi (ROWS). */
typedef struct program {
    const fathom_exact_line *line;
    const sample *s;
    int64_t lines;
    double a[LINES * VARIABLES], low[LINES], high[LINES], cost[VARIABLES], from[VARIABLES], to[VARIABLES];
} program;

static double *add_line(program *q, double low, double high)
{
    q->low[q->lines] = low;
    q->high[q->lines] = high;
    return q->a + q->lines++ * VARIABLES;
}

/* line += times (f_{k+1} - f_k) / (x_{k+1} - x_k) */
static void add_slope(double *line, const program *q, int64_t k, double times)
{
    const double width = q->line->place[k + 1] - q->line->place[k];
    line[k + 1] += times / width;
    line[k] -= times / width;
}

static void build(program *q)
{
    const int64_t places = q->line->count, e = 2 * places, norm = e + 1, xi = e + 2;
    for (int64_t k = 0; k < VARIABLES; k++) {
        q->from[k] = k < places ? -INFINITY : 0;
        q->to[k] = INFINITY;
    }
    double *sum = add_line(q, 0, INFINITY), *half = add_line(q, 0, INFINITY);
    sum[norm] = 1;
    half[norm] = 2;
    half[e] = -1;
    for (int64_t k = 1; k + 1 < places; k++)
        for (int side = -1; side < 2; side += 2) {
            double *line = add_line(q, 0, INFINITY);
            line[places + k] = 1;
            add_slope(line, q, k, side);
            add_slope(line, q, k - 1, -side);
            sum[places + k] = half[places + k] = -1;
        }
    for (int side = -1; side < 2 && places > 1; side += 2) {
        double *line = add_line(q, 0, INFINITY);
        line[e] = 1;
        add_slope(line, q, 0, side);
        add_slope(line, q, places - 2, side);
    }
    for (int64_t i = 0; i < ROWS; i++) {
        double *line = add_line(q, 1, INFINITY);
        for (int64_t k = 0; k < places; k++)
            if (q->line->place[k] == q->s->x[i])
                line[k] = q->s->y[i];
        line[xi + i] = 1;
        q->cost[xi + i] = q->s->c[i];
    }
    q->cost[norm] = q->s->beta;
}

static bool solve(double *value, program *q)
{
    bool optimal;
    const fathom_lp lp = {.rows = q->lines,
                          .columns = VARIABLES,
                          .a = q->a,
                          .cost = q->cost,
                          .column_low = q->from,
                          .column_high = q->to,
                          .row_low = q->low,
                          .row_high = q->high,
                          .tolerance = 1e-9};
    assert_ok(context, fathom_lp_solve(value, NULL, NULL, &optimal, context, &lp));
    return optimal;
}

/* Largest distance of a printed end from that of the program with its optimum as a line. Optima of programs
 * in doubles miss by 1e-9 of their numbers; slopes between places that are 1e-2 apart, and penalties down to
 * 2^-11, make that 1e-5. */
static void compare(const double *range, program *q)
{
    double best, end;
    assert_true(solve(&best, q));
    double *line = add_line(q, -INFINITY, best * (1 + 1e-11) + 1e-11);
    memcpy(line, q->cost, sizeof q->cost);
    for (int64_t k = 0; k < q->line->count; k++)
        for (int side = 0; side < 2; side++) {
            memset(q->cost, 0, sizeof q->cost);
            q->cost[k] = side ? -1 : 1;
            const bool bounded = solve(&end, q);
            const double told = range[2 * k + side];
            assert_int_equal(bounded, isfinite(told) != 0);
            if (bounded)
                assert_close(side ? -end : end, told, 1e-5 * (1 + fabs(told)));
        }
}

static void ranges_of_all_minimisers(void **state)
{
    (void)state;
    int64_t several = 0, one = 0;
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(40); trial++) {
        sample s;
        fathom_exact_line line;
        double range[2 * ROWS];
        bool found, fixed = true;
        draw(&s, trial);
        program q = {.line = &line, .s = &s};
        assert_ok(context, fathom_exact_line_open(&line, context, s.x, s.y, s.c, ROWS));
        mpq_t *value = fathom_rationals_create(context, line.count);
        assert_non_null(value);
        const fathom_line_hinge hinge = {&line, s.x, s.y, s.c, ROWS, s.beta};
        assert_ok(context, fathom_line_hinge_ranges(range, value, &found, &hinge));
        assert_true(found);
        for (int64_t k = 0; k < line.count; k++) {
            assert_true(range[2 * k] <= range[2 * k + 1]);
            fixed = fixed && range[2 * k] == range[2 * k + 1];
        }
        several += !fixed;
        one += fixed;
        build(&q);
        compare(range, &q);
        fathom_rationals_free(context, value, line.count);
        fathom_exact_line_close(&line);
    }
    assert_true(several > 0 && one > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_of_all_minimisers)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
