/* SPDX-License-Identifier: Apache-2.0 */
/* What [003] and [004] assume throughout fails in turn for every statement: the line says no, the verdict names it, and the
 * statement is neither applied nor refuted. */
#include "inner/check.h"
#include "theorem_testing.h"

#include <stdio.h>
#include <string.h>

/* A statement, and the shortest run that it takes. */
typedef struct statement {
    const char *theorem, *until;
    int64_t width;
    bool ball, probability, ntk; /* |x| <= 1; a probability of failure below 1; gamma_ntk > 0 */
} statement;

static const statement statements[] = {
    {"003:1.1", NULL, 0, true, false, false},       {"003:1.2", NULL, 0, true, false, false},
    {"003:1.3", NULL, 0, true, false, false},       {"003:1.4", NULL, 0, true, false, false},
    {"003:1.5", NULL, 0, true, false, false},       {"003:1.6", NULL, 0, true, false, false},
    {"003:2.1", NULL, 4, true, true, true},         {"003:2.2", "steps=1", 4, true, true, true},
    {"003:2.3", NULL, 4, true, true, true},         {"003:2.4", "steps=1", 4, true, true, true},
    {"003:2.5", "steps=1", 4, true, false, false},  {"003:2.6", "steps=1", 4, true, false, false},
    {"003:3.1", NULL, 0, true, false, false},       {"003:3.2", "steps=1", 4, true, false, false},
    {"003:3.3", "steps=1", 4, true, true, false},   {"003:a.1", NULL, 0, false, false, false},
    {"004:4.1", "steps=1", 4, false, false, false}, {"004:5.1", "steps=1", 4, false, false, false},
    {"004:6.1", "steps=1", 4, false, false, false}, {"004:6.2", "steps=1", 4, false, false, false}};

/* The corners of a square with the labels of parity. */
typedef struct points {
    double radius;
    bool torn;        /* the first corner with both labels */
    const char *spec; /* other data */
    int bias;
} points;

static void open_points(fathom_data **data, fathom_context *context, points p)
{
    const double c = p.radius * sqrt(0.5);
    const double x[] = {c, c, -c, -c, c, -c, -c, c, c, c}, y[] = {1, 1, -1, -1, -1};
    fathom_data_options source;
    fathom_options_init(&source, &fathom_data_option_table);
    source.bias = p.bias;
    if (p.spec) {
        assert_ok(context, fathom_data_open(data, context, p.spec, &source));
        return;
    }
    assert_ok(context, fathom_data_create(data, context, p.torn ? 5 : 4, 2, x, 2, 1, y, NULL, &source));
}

/* Runs the check; fails unless a hypothesis whose name begins with `line` is false, named by the conclusion if it is the first. */
static void expect(fathom_context *context, const statement *s, points p, const fathom_check_options *options,
                   const char *line)
{
    static fathom_check_result result;
    fathom_data *data;
    int failed = 0;
    const char *first = NULL;
    open_points(&data, context, p);
    assert_ok(context, fathom_check_run(&result, context, data, options));
    fathom_data_free(data);
    for (int64_t k = 0; k < result.hypotheses; k++) {
        const fathom_check_item *h = result.hypothesis + k;
        failed += h->holds == 0 && strncmp(h->name, line, strlen(line)) == 0;
        first = !first && h->holds == 0 ? h->name : first;
    }
    if (!failed || result.applies != 0 || !first || !strstr(result.conclusion, first))
        fail_msg("%s: '%s' should fail: %s", s->theorem, line, result.conclusion);
}

static fathom_check_options options_of(const statement *s)
{
    fathom_check_options options;
    fathom_options_init(&options, &fathom_check_option_table);
    options.theorem = s->theorem, options.until = s->until, options.width = s->width;
    return options;
}

static void test_standing(void **state)
{
    const points plain = {.radius = 1}, large = {.radius = 1.01}, torn = {.radius = 1, .torn = true},
                 biased = {.radius = 1, .bias = FATHOM_BIAS_FREE};
    for (size_t k = 0; k < sizeof statements / sizeof *statements; k++) {
        const statement *s = statements + k;
        const fathom_check_options options = options_of(s);
        expect(*state, s, biased, &options, "free hidden biases");
        if (s->ball)
            expect(*state, s, large, &options, "largest |x_i|");
        if (s->ntk)
            expect(*state, s, torn, &options, "gamma_ntk");
        if (!s->probability)
            continue;
        fathom_check_options unsafe = options;
        unsafe.delta = 0.4;
        expect(*state, s, plain, &unsafe, "probability of failure");
    }
}

/* Networks of [004] have output weights +-v, half of each sign: files with others. */
static void test_networks(void **state)
{
    static const struct {
        const char *line;
        double a[4];
    } change[] = {{"output weights +-v", {0.1, 0.2, -0.1, -0.1}},
                  {"units with positive output weight", {0.1, 0.1, 0.1, -0.1}}};
    const char *path = "turns-net.json";
    for (size_t k = 0; k < sizeof change / sizeof *change; k++) {
        const fathom_net_shape shape = {
            .kind = FATHOM_NET_LEAKY, .d = 2, .m = 4, .outputs = 1, .parameter = 0.1, .output_fixed = true};
        fathom_net *net;
        fathom_model *model;
        assert_ok(*state, fathom_net_create(&net, *state, &shape));
        const fathom_net_weights w = fathom_net_lend(net);
        for (int j = 0; j < 4; j++) {
            w.u[2 * j] = cos(j) / 100, w.u[2 * j + 1] = sin(j) / 100;
            w.w[j] = change[k].a[j];
        }
        assert_ok(*state, fathom_model_create(&model, *state, net, FATHOM_LOSS_LOGISTIC, NULL, NULL));
        assert_ok(*state, fathom_model_write(model, path));
        for (size_t t = 0; t < sizeof statements / sizeof *statements; t++) {
            const statement *s = statements + t;
            fathom_check_options options = options_of(s);
            options.init = path;
            if (strncmp(s->theorem, "004:", 4) == 0)
                expect(*state, s, (points){.radius = 1}, &options, change[k].line);
        }
        remove(path);
        fathom_model_free(model);
    }
}

/* Further lines of single statements. */
static void test_others(void **state)
{
    static const struct {
        statement s;
        const char *line;
        double radius, slope;
        bool torn;
        const char *spec;
        double delta;
    } row[] = {
        {{.theorem = "003:2.4", .until = "log_loss=-3", .width = 32},
         "least |W - W_0| with n R(W) <= l(0)",
         1,
         0.1,
         false,
         NULL,
         0.1},
        {{.theorem = "003:3.2", .until = "steps=1", .width = 4},
         "cones of Assumption 3.1 as printed",
         1,
         0.1,
         true,
         NULL,
         0.1},
        {{.theorem = "003:3.2", .until = "steps=1", .width = 4},
         "cones with the polar",
         1,
         0.1,
         true,
         NULL,
         0.1},
        {{.theorem = "003:3.1"}, "cones with the polar", 1, 0.1, true, NULL, 0.1},
        {{.theorem = "003:a.1"}, "gamma_gl", 1, 0.1, true, NULL, 0.1},
        {{.theorem = "004:5.1", .until = "steps=1", .width = 4}, "slope alpha", 1, 0, false, NULL, 0.1},
        {{.theorem = "004:6.1", .until = "steps=1", .width = 4}, "slope alpha", 1, 0, false, NULL, 0.1},
        {{.theorem = "004:6.2", .until = "steps=1", .width = 4}, "slope alpha", 1, 1, false, NULL, 0.1},
        {{.theorem = "003:3.2", .until = "steps=1", .width = 4},
         "probability of failure",
         1,
         0.1,
         false,
         "gen:collapse,r=3,d=4,n=12",
         0.4}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fathom_check_options options = options_of(&row[k].s);
        options.slope = row[k].slope, options.delta = row[k].delta;
        expect(*state, &row[k].s, (points){.radius = row[k].radius, .torn = row[k].torn, .spec = row[k].spec},
               &options, row[k].line);
    }
}

/* Which options a statement reads; --solve reads those of its formulas alone; unknown statements are refused elsewhere. */
static void test_uses(void **state)
{
    (void)state;
    fathom_check_options options = options_of(&(statement){.theorem = "003:3.2"});
    assert_true(fathom_check_uses(&options, "width") && fathom_check_uses(&options, "theorem"));
    assert_false(fathom_check_uses(&options, "epsilon") || fathom_check_uses(&options, "trials"));
    options.solve = true;
    assert_true(fathom_check_uses(&options, "epsilon") && fathom_check_uses(&options, "directions"));
    assert_false(fathom_check_uses(&options, "width") || fathom_check_uses(&options, "until"));
    options.theorem = "003:2.4";
    assert_true(fathom_check_uses(&options, "delta") && !fathom_check_uses(&options, "epsilon"));
    options.theorem = "003:nosuch";
    assert_true(fathom_check_uses(&options, "trials"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_standing), cmocka_unit_test(test_networks),
                                       cmocka_unit_test(test_others), cmocka_unit_test(test_uses)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
