/* SPDX-License-Identifier: Apache-2.0 */
/* The squared loss on the line in rational arithmetic: optimal against all small changes, continuous from
 * piece to piece. */
#include "with_context.h"

#include "line_exact.h"
#include "random.h"

enum { ROWS = 14 };

static double uniform(uint64_t trial, uint64_t k) { return fathom_random_uniform(83, 0, (uint32_t)trial, k); }

/* Rows drawn: places anywhere, on a grid (ties, symmetry), or over orders of magnitude; targets numbers or
 * signs; weights. */
static void draw(double *x, double *y, double *c, int64_t n, uint64_t trial)
{
    for (int64_t i = 0; i < n; i++) {
        const uint64_t k = (uint64_t)(3 * i);
        const double u = uniform(trial, k), v = uniform(trial, k + 1);
        x[i] = trial % 3 == 0 ? u : trial % 3 == 1 ? floor(6 * u) - 3 : pow(10, 6 * u - 3);
        y[i] = trial % 2 ? v - 0.5 : v < 0.5 ? -1 : 1;
        c[i] = trial % 4 < 2 ? 1 : 0.25 + floor(4 * uniform(trial, k + 2));
    }
}

/* sum_k c (f - y)^2 / 2 + beta R(f) in doubles. */
static double objective(const fathom_exact_line *line, const double *f, double beta)
{
    double loss = 0, tv = 0, before = 0, first = 0;
    for (int64_t k = 0; k < line->count; k++)
        loss += mpq_get_d(line->c[k]) * pow(f[k] - mpq_get_d(line->y[k]), 2) / 2;
    for (int64_t k = 0; k + 1 < line->count; k++) {
        const double slope = (f[k + 1] - f[k]) / (line->place[k + 1] - line->place[k]);
        tv += k > 0 ? fabs(slope - before) : 0;
        first = k > 0 ? first : slope;
        before = slope;
    }
    return loss + beta * fmax(tv, (tv + fabs(first + before)) / 2);
}

static void values(double *f, const fathom_line_piece *piece, double beta)
{
    for (int64_t k = 0; k < piece->line->count; k++)
        f[k] = mpq_get_d(piece->f0[k]) + beta * mpq_get_d(piece->f1[k]);
}

/* No direction descends: the objective is convex, so that this is optimality along it. */
static void assert_optimal(const fathom_line_piece *piece, double beta, uint64_t trial)
{
    const fathom_exact_line *line = piece->line;
    double f[ROWS], g[ROWS];
    values(f, piece, beta);
    const double least = objective(line, f, beta);
    for (int64_t k = 0; k < 6 * line->count; k++) {
        const double step = ldexp(k % 2 ? 1 : -1, -(int)(k % 20));
        const int64_t at = k % line->count;
        for (int64_t i = 0; i < line->count; i++) {
            const double away = line->place[i] - line->place[at];
            g[i] = f[i] + step * (k % 3 == 0   ? fmax(away, 0)
                                  : k % 3 == 1 ? fmax(-away, 0)
                                               : uniform(trial, (uint64_t)(1000 + 20 * k + i)) - 0.5);
        }
        assert_true(objective(line, g, beta) >= least - 1e4 * UNIT_ROUNDOFF * (1 + least));
    }
}

static void optimum_is_one(void **state)
{
    (void)state;
    for (int64_t trial = 0; trial < test_trials(40); trial++) {
        double x[ROWS], y[ROWS], c[ROWS];
        const int64_t n = 2 + trial % (ROWS - 1);
        draw(x, y, c, n, (uint64_t)trial);
        fathom_exact_line line;
        assert_ok(context, fathom_exact_line_open(&line, context, x, y, c, n));
        for (int power = 4; power >= -12 && line.count > 1; power -= 4) {
            fathom_line_piece piece;
            mpq_t beta;
            bool found;
            mpq_init(beta);
            mpq_set_d(beta, ldexp(1, power));
            assert_ok(context, fathom_line_piece_open(&piece, &line));
            assert_ok(context, fathom_line_piece_find(&found, &piece, beta));
            assert_true(found);
            assert_optimal(&piece, ldexp(1, power), (uint64_t)trial);
            fathom_line_piece_close(&piece);
            mpq_clear(beta);
        }
        fathom_exact_line_close(&line);
    }
}

/* Just below the largest useful penalty, where the first knot enters with a tilt of either sign. */
static void first_knot_is_found(void **state)
{
    (void)state;
    for (int64_t trial = 0; trial < test_trials(60); trial++) {
        double x[ROWS], y[ROWS], c[ROWS];
        const int64_t n = 3 + trial % (ROWS - 2);
        draw(x, y, c, n, (uint64_t)trial);
        fathom_exact_line line;
        fathom_line_piece piece;
        mpq_t beta, below;
        bool found;
        mpq_inits(beta, below, NULL);
        assert_ok(context, fathom_exact_line_open(&line, context, x, y, c, n));
        assert_ok(context, fathom_line_piece_open(&piece, &line));
        mpq_set_d(beta, 0x1p40);
        if (line.count > 1) {
            assert_ok(context, fathom_line_piece_find(&found, &piece, beta));
            assert_true(found && piece.knots == 0);
            mpq_set_d(below, 1 - 0x1p-20);
            mpq_mul(beta, piece.low, below);
        }
        if (line.count > 1 && mpq_sgn(beta) > 0) {
            assert_ok(context, fathom_line_piece_find(&found, &piece, beta));
            assert_true(found);
            assert_optimal(&piece, mpq_get_d(beta), (uint64_t)trial);
        }
        fathom_line_piece_close(&piece);
        fathom_exact_line_close(&line);
        mpq_clears(beta, below, NULL);
    }
}

/* f of a piece at its end is f of the next one, to the last digit. */
static void pieces_meet(void **state)
{
    (void)state;
    for (int64_t trial = 0; trial < test_trials(12); trial++) {
        double x[ROWS], y[ROWS], c[ROWS];
        draw(x, y, c, ROWS, (uint64_t)trial);
        fathom_exact_line line;
        fathom_line_piece above, below;
        mpq_t beta, one, other;
        bool found;
        mpq_inits(beta, one, other, NULL);
        assert_ok(context, fathom_exact_line_open(&line, context, x, y, c, ROWS));
        assert_ok(context, fathom_line_piece_open(&above, &line));
        assert_ok(context, fathom_line_piece_open(&below, &line));
        mpq_set_d(beta, 0.01);
        assert_ok(context, fathom_line_piece_find(&found, &above, beta));
        assert_true(found && mpq_cmp(above.low, beta) <= 0);
        mpq_set_d(one, 1 - 0x1p-40);
        mpq_mul(beta, above.low, one);
        if (mpq_sgn(beta) > 0)
            assert_ok(context, fathom_line_piece_find(&found, &below, beta));
        assert_true(found);
        for (int64_t k = 0; k < line.count && mpq_sgn(beta) > 0 && mpq_equal(below.high, above.low); k++) {
            mpq_mul(one, above.f1[k], above.low);
            mpq_add(one, one, above.f0[k]);
            mpq_mul(other, below.f1[k], above.low);
            mpq_add(other, other, below.f0[k]);
            assert_true(mpq_equal(one, other));
        }
        fathom_line_piece_close(&above);
        fathom_line_piece_close(&below);
        fathom_exact_line_close(&line);
        mpq_clears(beta, one, other, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(optimum_is_one),
                                       cmocka_unit_test(first_knot_is_found), cmocka_unit_test(pieces_meet)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
