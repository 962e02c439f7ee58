/* SPDX-License-Identifier: Apache-2.0 */
/* The margins that are known in closed form or to many digits, through the public entry and the generators. */
#include "testing.h"

#include <string.h>

#include "fathom/margin.h"

/* A run that stays open, so that its arrays can be looked at. */
typedef struct session {
    fathom_context *context;
    fathom_data *data;
    fathom_margin_result *result;
    fathom_margin_view view;
} session;

static session margin_of(const char *name, const fathom_margin_options *options)
{
    session s;
    fathom_data_options standard;
    fathom_options_init(&standard, &fathom_data_option_table);
    assert_int_equal(fathom_context_create(&s.context, NULL), FATHOM_OK);
    assert_ok(s.context, fathom_data_open(&s.data, s.context, name, &standard));
    assert_ok(s.context, fathom_margin(&s.result, s.context, s.data, options));
    s.view = fathom_margin_look(s.result);
    return s;
}

static void session_free(session *s)
{
    fathom_margin_free(s->result);
    fathom_data_free(s->data);
    fathom_context_free(s->context);
}

/* The interval is deterministic, contains truth +- error and is as narrow as asked. */
static void check_exact(const char *name, const fathom_margin_view *view, double truth, double error,
                        double gap)
{
    if (view->exact && view->reached && view->lower <= truth + error && truth - error <= view->upper &&
        view->upper - view->lower <= gap * view->upper)
        return;
    print_error("%s: [%.17g, %.17g], truth %.17g, exact %d, reached %d\n", name, view->lower, view->upper,
                truth, view->exact, view->reached);
    fail();
}

/* Every alternating circle with n = 0 mod 4 from 4 to 400, and n = 2: 1 / (n cos(pi / n)), 1/2, to 1e-9. */
static void circles(void **state)
{
    (void)state;
    for (int n = 2; n <= 400; n += n == 2 ? 2 : 4) {
        char name[40];
        snprintf(name, sizeof name, "gen:circle,n=%d", n);
        session s = margin_of(name, NULL);
        const double truth = n == 2 ? 0.5 : 1 / (n * cos(acos(-1) / n));
        check_exact(name, &s.view, truth, 4 * UNIT_ROUNDOFF * truth, 1e-9);
        session_free(&s);
    }
}

/* n = 2 mod 4, n >= 6: exactly 0, with q in the simplex such that all sums over the points of a half plane vanish. The
 * entries of q are rounded, and each of the sums has n terms. */
static void zero_circles(void **state)
{
    (void)state;
    for (int n = 6; n <= 398; n += 4) {
        char name[40];
        snprintf(name, sizeof name, "gen:circle,n=%d", n);
        session s = margin_of(name, NULL);
        const fathom_data_view data = fathom_data_look(s.data);
        assert_true(s.view.lower == 0 && s.view.upper == 0 && s.view.exact && s.view.reached);
        assert_string_equal(s.view.method, "zero");
        assert_non_null(strstr(s.view.statement, "no ReLU network"));
        for (int k = 0; k < n; k++) { /* a direction between two boundaries */
            const double angle = 2 * acos(-1) * (k + 0.37) / n;
            double sum[2] = {0, 0}, mass = 0;
            for (int i = 0; i < n; i++) {
                const double *x = data.x + i * data.ld;
                mass += s.view.q[i];
                for (int c = 0; c < 2 && x[0] * cos(angle) + x[1] * sin(angle) > 0; c++)
                    sum[c] += s.view.q[i] * (data.y[i] > 0 ? 1 : -1) * x[c];
            }
            assert_close(mass, 1, n * UNIT_ROUNDOFF);
            assert_close(hypot(sum[0], sum[1]), 0, 2 * n * UNIT_ROUNDOFF);
        }
        session_free(&s);
    }
}

/* Odd circles; reference values (tests/README.md), certified to about 1e-13. */
static void odd_circles(void **state)
{
    (void)state;
    const struct {
        int n;
        double truth, error;
    } cases[] = {
        {3, 0.40957118462605635, 1e-16}, {5, 0.23410146390213141, 1e-16}, {7, 0.08996521645457686, 1e-16},
        {9, 0.0687713757811, 1e-13},     {11, 0.0525425940552, 1e-13},    {13, 0.0441455133383, 1e-13},
        {15, 0.0369528470125, 1e-13},    {17, 0.0325672452736, 1e-13},    {33, 0.0159279338949, 1e-13}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char name[40];
        snprintf(name, sizeof name, "gen:circle,n=%d", cases[k].n);
        session s = margin_of(name, NULL);
        check_exact(name, &s.view, cases[k].truth, cases[k].error, 1e-9);
        session_free(&s);
    }
}

/* Full parity on cubes: 0 for odd d >= 3, of every kind, with S_q = 0 as certificate; 1/(2 sqrt 2) and 1/12 for unit norms in
 * R^2 and R^4, so sqrt(d) times as much on {-1, 1}^d. */
static void cubes(void **state)
{
    (void)state;
    for (int d = 2; d <= 7; d++) {
        char name[40];
        snprintf(name, sizeof name, "gen:cube,d=%d", d);
        for (int kind = FATHOM_MARGIN_NTK;
             kind <= (d % 2 ? FATHOM_MARGIN_GLOBAL : FATHOM_MARGIN_NTK) && d != 6; kind++) {
            fathom_margin_options options;
            fathom_options_init(&options, &fathom_margin_option_table);
            options.kind = kind;
            session s = margin_of(name, &options);
            if (d % 2 == 0)
                check_exact(name, &s.view, d == 2 ? 0.5 : 1.0 / 6, 1e-15, d == 2 ? 1e-9 : 1e-6);
            else
                assert_true(s.view.lower == 0 && s.view.upper == 0 && s.view.exact && s.view.reached);
            session_free(&s);
        }
    }
}

/* Parity of two bits on the cube of unit vectors: gamma_gl = 1 / sqrt(8 d); gamma and gamma_ntk as in
 * reference values (tests/README.md), whose sampled values carry four of their standard errors here. Intervals at confidence
 * 1 - 1e-10. R^7 and R^8 take longer: tests/margin/test_margin_coverage.c has them; with less than the usual effort
 * (under sanitizers) R^4 is the last. */
static void parity(void **state)
{
    (void)state;
    const double s3 = asin(1.0 / 3), pi = acos(-1);
    const double gamma[] = {1 / (2 * sqrt(2)), 4 * s3 / (2 * sqrt(3) * pi) + (1 - 6 * s3 / pi) / 4,
                            (2 + sqrt(3)) / 24, 0.120761, 0.097394};
    const double gamma_error[] = {1e-15, 1e-15, 1e-15, 6e-5, 5e-5};
    const double full[] = {0.25076348262972, 0.14639853861699, 0.104908, 0.080547, 0.064498};
    const double full_error[] = {1e-14, 1e-14, 3e-5, 4e-5, 4e-5};
    const int last = test_trials(2) < 2 ? 4 : 6;
    for (int d = 2; d <= last; d++) {
        char name[40];
        fathom_margin_options options;
        snprintf(name, sizeof name, "gen:parity,d=%d,all=1", d);
        fathom_options_init(&options, &fathom_margin_option_table);
        options.confidence = 1 - 1e-10;
        options.gap = d <= 3 ? 1e-9 : d <= 5 ? 1e-6 : 0.1;
        session ntk = margin_of(name, &options);
        if (d <= 5)
            check_exact(name, &ntk.view, gamma[d - 2], gamma_error[d - 2], options.gap);
        assert_true(ntk.view.lower <= gamma[d - 2] + gamma_error[d - 2] &&
                    gamma[d - 2] - gamma_error[d - 2] <= ntk.view.upper && ntk.view.reached);
        session_free(&ntk);
        options.kind = FATHOM_MARGIN_NTK_FULL;
        options.gap = d <= 5 ? 0.05 : 0.1;
        session both = margin_of(name, &options);
        assert_true(both.view.lower <= full[d - 2] + full_error[d - 2] &&
                    full[d - 2] - full_error[d - 2] <= both.view.upper && both.view.reached);
        assert_true(both.view.first_lower <= full[d - 2] && full[d - 2] <= both.view.first_upper);
        session_free(&both);
        options.kind = FATHOM_MARGIN_GLOBAL;
        options.gap = d <= 5 ? 1e-9 : 1e-3;
        session global = margin_of(name, &options);
        check_exact(name, &global.view, 1 / sqrt(8.0 * d), 8 * UNIT_ROUNDOFF, options.gap);
        session_free(&global);
    }
}

/* The separator of every kind is a network whose margins are those of the result, at least `lower` of the finite ones. */
static void separators(void **state)
{
    (void)state;
    const struct {
        int kind;
        const char *width;
        int method;
    } cases[] = {{FATHOM_MARGIN_NTK, "inf", FATHOM_MARGIN_CELLS},
                 {FATHOM_MARGIN_NTK, "inf", FATHOM_MARGIN_SAMPLE},
                 {FATHOM_MARGIN_NTK, "60", FATHOM_MARGIN_AUTO},
                 {FATHOM_MARGIN_NTK_FULL, "inf", FATHOM_MARGIN_AUTO},
                 {FATHOM_MARGIN_NTK_FULL, "80", FATHOM_MARGIN_AUTO},
                 {FATHOM_MARGIN_GLOBAL, "inf", FATHOM_MARGIN_AUTO}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fathom_margin_options options;
        fathom_net *net;
        double out[16];
        fathom_options_init(&options, &fathom_margin_option_table);
        options.kind = cases[k].kind;
        options.width = cases[k].width;
        options.method = cases[k].method;
        options.samples = 4000;
        session s = margin_of("gen:parity,d=4,all=1", &options);
        const fathom_data_view data = fathom_data_look(s.data);
        assert_ok(s.context, fathom_margin_separator(&net, s.result));
        assert_ok(s.context, fathom_net_forward(out, net, s.data));
        for (int64_t i = 0; i < 16; i++) {
            const double margin = (data.y[i] > 0 ? 1 : -1) * out[i];
            assert_close(margin, s.view.margin[i],
                         1e-12); /* sums over at most 2,000 gates, no term above 1/m */
            assert_true(margin > 0);
            assert_true(!s.view.exact || margin >= s.view.lower - 1e-12);
        }
        fathom_net_free(net);
        session_free(&s);
    }
}

/* More columns than points: 4 points of R^4 turned into R^11 have the margins that they had, of every kind that the row space
 * decides, and their separators work in R^11. */
static void wide_data(void **state)
{
    (void)state;
    enum { N = 4, D = 11 };
    const double x[N][N] = {{1, 0.5, 0, 0.25}, {-0.5, 1, 0.75, 0}, {0.5, -0.25, 1, 1}, {1, 1, -0.5, 0.5}};
    const double y[N] = {1, -1, -1, 1};
    double wide[N][D];
    for (int i = 0; i < N; i++)
        for (int k = 0; k < D; k++) { /* rows of the cosine transform: orthonormal up to rounding */
            wide[i][k] = 0;
            for (int c = 0; c < N; c++)
                wide[i][k] += x[i][c] * sqrt(2.0 / D) * cos(acos(-1) * (2 * k + 1) * (c + 1) / (2.0 * D));
        }
    for (int kind = FATHOM_MARGIN_NTK; kind <= FATHOM_MARGIN_GLOBAL; kind += FATHOM_MARGIN_GLOBAL) {
        fathom_context *context;
        fathom_data *data[2];
        fathom_margin_result *result[2];
        fathom_margin_view view[2];
        fathom_margin_options options;
        fathom_options_init(&options, &fathom_margin_option_table);
        options.kind = kind;
        options.gap = kind == FATHOM_MARGIN_NTK ? 1e-7 : 1e-5; /* measures in R^4 carry 1e-9 */
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        assert_ok(context, fathom_data_create(data, context, N, N, &x[0][0], N, 1, y, NULL, NULL));
        assert_ok(context, fathom_data_create(data + 1, context, N, D, &wide[0][0], D, 1, y, NULL, NULL));
        for (int k = 0; k < 2; k++) {
            fathom_net *net;
            double out[N];
            assert_ok(context, fathom_margin(result + k, context, data[k], &options));
            view[k] = fathom_margin_look(result[k]);
            assert_true(view[k].exact && view[k].reached);
            assert_ok(context, fathom_margin_separator(&net, result[k]));
            assert_ok(context, fathom_net_forward(out, net, data[k]));
            for (int i = 0; i < N; i++)
                assert_true(y[i] * out[i] >= view[k].lower - 1e-12);
            fathom_net_free(net);
        }
        assert_true(view[0].lower <= view[1].upper && view[1].lower <= view[0].upper);
        for (int k = 0; k < 2; k++) {
            fathom_margin_free(result[k]);
            fathom_data_free(data[k]);
        }
        fathom_context_free(context);
    }
}

/* Theorem 7.2 on the circle of 16 points, against reference values (tests/README.md), whose shares are those of many draws. By Hoeffding
 * a share of 400 draws is off by more than 0.16 with probability below 2 exp(-2 * 400 * 0.16^2) = 3e-9 each, and the seed is fixed. */
static void random_gates(void **state)
{
    (void)state;
    skip_if_brief();
    const struct {
        double kappa, point, some, zero, ratio;
    } cases[] = {
        {1.0 / 16, 0.310, 0.998, 0.103, 0.36}, {1.0 / 4, 0.155, 0.892, 0, 0.71}, {1, 0.022, 0.258, 0, 0.85}};
    session s = margin_of("gen:circle,n=16", NULL);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fathom_margin_experiment_row row;
        assert_ok(s.context, fathom_margin_experiment(&row, s.result, s.data, cases[k].kappa, 400));
        assert_int_equal(row.trials, 400);
        assert_int_equal(row.width, (int64_t)ceil(cases[k].kappa * 256 * pow(cos(acos(-1) / 16), 2)));
        assert_close(row.point_wrong, cases[k].point, 0.16);
        assert_close(row.some_wrong, cases[k].some, 0.16);
        assert_close(row.adaptive_zero, cases[k].zero, 0.16);
        assert_close(row.adaptive_ratio, cases[k].ratio, 0.16);
    }
    session_free(&s);
}

/* Linear margins: two points of norm 1 alone support that of [003, Prop. 2.6], at 161 and -13.26 degrees; XOR
 * has none. */
static void test_linear(void **state)
{
    fathom_margin_options options;
    fathom_options_init(&options, &fathom_margin_option_table);
    options.kind = FATHOM_MARGIN_LINEAR;
    session s = margin_of("gen:badkkt", &options);
    check_exact("badkkt", &s.view, cos((161 + 13.2608295) / 2 * 3.14159265358979323846 / 180), 1e-9, 1e-9);
    session_free(&s);
    s = margin_of("gen:xor,n=24", &options);
    assert_true(s.view.lower == 0 && s.view.upper == 0 && s.view.decided);
    session_free(&s);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear), cmocka_unit_test(circles),      cmocka_unit_test(zero_circles),
        cmocka_unit_test(odd_circles), cmocka_unit_test(cubes),        cmocka_unit_test(parity),
        cmocka_unit_test(separators),  cmocka_unit_test(random_gates), cmocka_unit_test(wide_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
