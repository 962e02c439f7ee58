/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The margin of both layers in the plane and in R^3 against its definition,
 *
 *     gamma_ntk = min_q G(q),   G(q) = E sqrt(<v,S>^2 + a^2 |S|^2) 1[a^2 + |v|^2 < 4],
 *
 * by quadrature that shares nothing with the library: midpoints in polar coordinates of (|v|, a) and over
 * directions. A point's
 * great circle meets a known share of the pieces of the sphere, which bounds what midpoints miss.
 */
#include "testing.h"

#include <string.h>

#include "awkward.h"
#include "fathom/margin.h"

enum { GRID = 160, HEIGHTS = 256, ARCS = 50000, ROWS = 300, COLUMNS = 600, N = 6 };

typedef struct margin_case {
    int64_t n, d;
    double *x, y[N];
} margin_case;

/* g(k / HEIGHTS) by midpoints, k <= HEIGHTS; their error is below 1e-4 at this size. */
static void make_heights(double *g, int d)
{
    static double weight[GRID * GRID];
    const double pi = acos(-1), half = d / 2.0, step = 2.0 / GRID, turn = pi / 2 / GRID;
    const double k = 2 * pow(half, half) / tgamma(half) * sqrt(2 / pi);
    memset(g, 0, (HEIGHTS + 1) * sizeof *g);
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) {
            const double p = step * (i + 0.5), psi = turn * (j + 0.5), r = p * cos(psi), a = p * sin(psi);
            weight[i * GRID + j] = k * pow(r, d - 1) * exp(-half * r * r - a * a / 2) * p * step * turn;
            for (int l = 0; l <= HEIGHTS; l++)
                g[l] += weight[i * GRID + j] * hypot(r * l / HEIGHTS, a);
        }
}

/* |S| g(|<u, S>| / |S|) at direction u. */
static double integrand(const double *g, const margin_case *c, const double *q, const double *u)
{
    double S[3] = {0}, square = 0, along = 0;
    for (int64_t i = 0; i < c->n; i++) {
        double product = 0;
        for (int64_t k = 0; k < c->d; k++)
            product += c->x[i * c->d + k] * u[k];
        for (int64_t k = 0; k < c->d && product > 0; k++)
            S[k] += q[i] * c->y[i] * c->x[i * c->d + k];
    }
    for (int64_t k = 0; k < c->d; k++) {
        square += S[k] * S[k];
        along += S[k] * u[k];
    }
    const double length = sqrt(square), at = length > 0 ? HEIGHTS * fmin(1, fabs(along) / length) : 0;
    const int k = at < HEIGHTS ? (int)at : HEIGHTS - 1;
    return length * (g[k] + (at - k) * (g[k + 1] - g[k]));
}

static double defined(const double *g, const margin_case *c, const double *q)
{
    const double pi = acos(-1);
    double sum = 0;
    for (int i = 0; i < ARCS && c->d == 2; i++) {
        const double u[2] = {cos(2 * pi * (i + 0.5) / ARCS), sin(2 * pi * (i + 0.5) / ARCS)};
        sum += integrand(g, c, q, u) / ARCS;
    }
    for (int i = 0; i < ROWS && c->d == 3; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const double z = 2 * (i + 0.5) / ROWS - 1, r = sqrt(1 - z * z), t = 2 * pi * (j + 0.5) / COLUMNS;
            const double u[3] = {r * cos(t), r * sin(t), z};
            sum += integrand(g, c, q, u) / ((double)ROWS * COLUMNS);
        }
    return sum;
}

/* What `defined` is off by: 1e-4 for g, and pieces that circles cut, two in every row and column, or two
 * arcs. */
static double tolerance(const double *g, const margin_case *c, const double *q)
{
    const double cut = c->d == 2 ? 2.0 / ARCS : 2.0 * (ROWS + COLUMNS) / ((double)ROWS * COLUMNS);
    double mass = 0;
    for (int64_t i = 0; i < c->n; i++) {
        double square = 0;
        for (int64_t k = 0; k < c->d; k++)
            square += c->x[i * c->d + k] * c->x[i * c->d + k];
        mass += q[i] * sqrt(square);
    }
    return mass * (1e-4 + cut * g[HEIGHTS]);
}

static fathom_margin_result *margin_of(fathom_context *context, const margin_case *c, double gap)
{
    fathom_margin_options options;
    fathom_margin_result *result;
    fathom_data *data;
    fathom_options_init(&options, &fathom_margin_option_table);
    options.kind = FATHOM_MARGIN_NTK_FULL;
    options.gap = gap;
    assert_ok(context, fathom_data_create(&data, context, c->n, c->d, c->x, c->d, 1, c->y, NULL, NULL));
    assert_ok(context, fathom_margin(&result, context, data, &options));
    fathom_data_free(data);
    return result;
}

/* Upper is G at its q; no q near it or far away goes below lower. */
static void check_against_definition(const double *g, const margin_case *c, const fathom_margin_view *view)
{
    const double doubt = tolerance(g, c, view->q);
    assert_close(defined(g, c, view->q), view->upper, doubt);
    for (int64_t i = 0; i < c->n; i += 3) {
        double q[N];
        for (int64_t k = 0; k < c->n; k++)
            q[k] = 0.7 * view->q[k] + (k == i ? 0.3 : 0);
        assert_true(defined(g, c, q) >= view->lower - tolerance(g, c, q));
    }
}

/* Families of points: Gaussian, a thin column, dependent columns, near pairs, near opposite pairs, rank 2,
 * one point. */
static margin_case family(int kind, int64_t d, uint64_t seed)
{
    const int64_t n = kind == 6 ? 1 : N;
    margin_case c = {.n = n, .d = d};
    c.x = kind == 1             ? awkward_scaled(n, d, seed, 1e-6)
          : kind == 2 && d == 3 ? awkward_dependent(n, d, seed)
          : kind == 3           ? awkward_pairs(n, d, seed, 1e-8, false)
          : kind == 4           ? awkward_pairs(n, d, seed, 1e-8, true)
                                : portable_points(n, d, seed);
    for (int64_t i = 0; i < n; i++)
        c.y[i] = i % 2 == 0 ? 1 : -1;
    for (int64_t i = 1; i < n && kind == 3; i += 2) /* pairs on nearly one ray agree */
        c.y[i] = c.y[i - 1];
    for (int64_t i = 0; i < n && kind == 5 && d == 3; i++)
        c.x[3 * i + 2] = 0;
    return c;
}

static void definition(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_context_set_threads(context, 1);
    for (int d = 2; d <= 3; d++) {
        double g[HEIGHTS + 1];
        make_heights(g, d);
        for (int64_t trial = 0; trial < test_trials(7); trial++) {
            margin_case c = family((int)(trial % 7), d, (uint64_t)trial + 1);
            fathom_margin_result *result = margin_of(context, &c, 1e-4);
            const fathom_margin_view view = fathom_margin_look(result);
            const bool tiny = view.upper < 1e-4; /* points of length 1: absolute digits are spent first */
            if (!view.exact || !(view.reached || tiny))
                print_error("family %d in R^%d: [%.17g, %.17g] by %s\n", (int)(trial % 7), d, view.lower,
                            view.upper, view.method);
            assert_true(view.exact && (view.reached || tiny));
            if (view.upper > 0)
                check_against_definition(g, &c, &view);
            fathom_margin_free(result);
            free(c.x);
        }
    }
    fathom_context_free(context);
}

/* Turns the points by 1.1 in the plane of the last two axes, then by 1.1 in that of the first two. */
static void turn(margin_case *c)
{
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t axis = c->d - 2; axis >= 0; axis--) {
            double *x = c->x + i * c->d + axis;
            const double first = cos(1.1) * x[0] - sin(1.1) * x[1];
            x[1] = sin(1.1) * x[0] + cos(1.1) * x[1];
            x[0] = first;
        }
}

/* Turned and scaled points have the scaled margin: intervals meet, and are as narrow as asked. */
static void invariance(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_context_set_threads(context, 1);
    for (uint64_t seed = 1; seed <= (uint64_t)test_trials(3); seed++)
        for (int d = 2; d <= 3; d++) {
            margin_case c = family(0, d, 20 + seed);
            fathom_margin_result *one = margin_of(context, &c, 1e-7);
            turn(&c);
            fathom_margin_result *turned = margin_of(context, &c, 1e-7);
            for (int64_t k = 0; k < c.n * d; k++)
                c.x[k] *= 3;
            fathom_margin_result *scaled = margin_of(context, &c, 1e-7);
            const fathom_margin_view a = fathom_margin_look(one), b = fathom_margin_look(turned),
                                     s = fathom_margin_look(scaled);
            assert_true(a.reached && b.reached && s.reached);
            /* the turn moves points by some 4 roundings, and the margin by no more than that times 2 */
            const double moved = 16 * UNIT_ROUNDOFF * 3;
            assert_true(a.lower <= b.upper + moved && b.lower <= a.upper + moved);
            assert_true(3 * b.lower <= s.upper + 3 * moved && s.lower <= 3 * b.upper + 3 * moved);
            fathom_margin_free(one);
            fathom_margin_free(turned);
            fathom_margin_free(scaled);
            free(c.x);
        }
    fathom_context_free(context);
}

/* Given maps: parity has sqrt(2/d) asin(sqrt(2/d)) / 2 pi E|a|, ubar half the linear margin times E|a|; none
 * exceeds the best one. */
static void given_theta(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_context_set_threads(context, 1);
    for (int d = 2; d <= 3; d++)
        for (int kind = 0; kind < 2; kind++) {
            double g[HEIGHTS + 1], expected[2];
            const char *const source[] = {"parity,all=1", "gauss,n=2,target=sign"};
            char name[64];
            fathom_data_options standard;
            fathom_margin_options options;
            fathom_margin_result *given, *best, *linear;
            fathom_data *data;
            make_heights(g, d);
            snprintf(name, sizeof name, "gen:%s,d=%d", source[kind], d);
            fathom_options_init(&standard, &fathom_data_option_table);
            fathom_options_init(&options, &fathom_margin_option_table);
            assert_ok(context, fathom_data_open(&data, context, name, &standard));
            options.kind = FATHOM_MARGIN_LINEAR;
            assert_ok(context, fathom_margin(&linear, context, data, &options));
            options.kind = FATHOM_MARGIN_NTK_FULL;
            assert_ok(context, fathom_margin(&best, context, data, &options));
            options.theta = kind == 0 ? 3 : 1;
            assert_ok(context, fathom_margin(&given, context, data, &options));
            const fathom_margin_view theta = fathom_margin_look(given), all = fathom_margin_look(best);
            expected[0] = sqrt(2.0 / d) * asin(sqrt(2.0 / d)) / (2 * acos(-1)) * g[0];
            expected[1] = fathom_margin_look(linear).upper / 2 * g[0];
            assert_close(theta.upper, expected[kind], 1e-4 * theta.upper);
            assert_true(theta.lower > 0 && theta.lower <= all.upper);
            assert_true(theta.upper - theta.lower <= 1e-9 * theta.upper);
            fathom_margin_free(given);
            fathom_margin_free(best);
            fathom_margin_free(linear);
            fathom_data_free(data);
        }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(definition), cmocka_unit_test(invariance),
                                       cmocka_unit_test(given_theta)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
