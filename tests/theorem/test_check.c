/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of theorems: measured hypotheses against reference values, verdicts that change with the data, refusals. */
#include "testing.h"

#include <string.h>

#include "fathom/fathom.h"
#include "inner/check.h"

static int setup(void **state) { return fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK; }

static int teardown(void **state)
{
    fathom_context_free(*state);
    return 0;
}

static fathom_check_options defaults(const char *theorem)
{
    fathom_check_options options;
    fathom_options_init(&options, &fathom_check_option_table);
    options.theorem = theorem;
    return options;
}

static fathom_status run_on(fathom_check_result *result, fathom_context *context, const char *spec, bool unit,
                            const fathom_check_options *options)
{
    fathom_data_options data_options;
    fathom_data *data;
    fathom_options_init(&data_options, &fathom_data_option_table);
    data_options.normalize = unit ? FATHOM_NORMALIZE_UNIT : FATHOM_NORMALIZE_NONE;
    assert_ok(context, fathom_data_open(&data, context, spec, &data_options));
    const fathom_status status = fathom_check_run(result, context, data, options);
    fathom_data_free(data);
    return status;
}

/* The line with this name. */
static const fathom_check_item *line(const fathom_check_result *result, const char *name)
{
    for (int64_t k = 0; k < result->hypotheses; k++)
        if (strcmp(result->hypothesis[k].name, name) == 0)
            return result->hypothesis + k;
    for (int64_t k = 0; k < result->comparisons; k++)
        if (strcmp(result->comparison[k].name, name) == 0)
            return result->comparison + k;
    fail_msg("no line %s", name);
    return NULL;
}

static void test_refused(void **state)
{
    static const char *const bad[] = {"002", "002:99", "9:1", "", "lemma"};
    fathom_check_result result;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const fathom_check_options options = defaults(bad[k]);
        assert_int_equal(run_on(&result, *state, "gen:circle,n=8", false, &options), FATHOM_ERROR_USAGE);
    }
    fathom_check_options options = defaults(NULL);
    assert_int_equal(run_on(&result, *state, "gen:circle,n=8", false, &options), FATHOM_ERROR_USAGE);
    static const char *const constants[] = {"C1", "C1=", "C1=x", "=3", "C1=1,,", "C1=1e999"};
    options = defaults("002:1");
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++) {
        options.constants = constants[k];
        assert_int_equal(run_on(&result, *state, "gen:circle,n=8", false, &options), FATHOM_ERROR_USAGE);
    }
    options = defaults("004:4.1");
    assert_int_equal(run_on(&result, *state, "builtin:iris", false, &options), FATHOM_ERROR_USAGE);
}

/* Every constant that any statement reads: negative, 0 where it is not a probability or the half width of a
 * strip, and
 * given twice it is refused. */
static void test_constants(void **state)
{
    static const char *const names[] = {"c0", "P",  "c",  "V",    "C1",    "C2",       "C3",
                                        "C4", "C6", "Q1", "Q2",   "o",     "eps",      "r",
                                        "t",  "C",  "v",  "beta", "angle", "clustered"};
    fathom_check_result result;
    const char *id;
    int64_t read = 0;
    for (int64_t k = 0; (id = fathom_check_get(k, NULL)); k++)
        for (size_t c = 0; c < sizeof names / sizeof *names; c++) {
            char text[3][32];
            fathom_check_options options = defaults(id);
            snprintf(text[0], sizeof text[0], "%s=-1", names[c]);
            snprintf(text[1], sizeof text[1], "%s=0.5,%s=0.5", names[c], names[c]);
            snprintf(text[2], sizeof text[2], "%s=%s", names[c], *names[c] == 'P' ? "1.5" : "0");
            for (int bad = 0; bad < (strcmp(names[c], "beta") == 0 ? 2 : 3); bad++) {
                options.constants = text[bad];
                assert_int_equal(run_on(&result, *state, "gen:circle,n=8", false, &options),
                                 FATHOM_ERROR_USAGE);
            }
            read += strstr(fathom_context_error(*state)->text, "expected a ") != NULL ||
                    strstr(fathom_context_error(*state)->text, "twice");
        }
    assert_true(read >= 20); /* the others are unknown to a statement */
}

/* Every theorem that the table names has a statement and is found by its own id, however it is written. */
static void test_table(void **state)
{
    const char *statement, *id;
    int64_t count = 0;
    for (; (id = fathom_check_get(count, &statement)); count++)
        assert_true(strlen(statement) > 20);
    assert_int_equal(count, 45);
    fathom_check_result result;
    const fathom_check_options options = defaults("001: Theorem 3.5");
    assert_ok(*state, run_on(&result, *state, "gen:cube,d=3", false, &options));
    assert_string_equal(result.theorem, "001:3.5");
    assert_int_equal(result.applies, 1);
    assert_int_equal(result.holds, 1);
}

/* [000]: the circle with 4 | n, and one that is not it. */
static void test_circle(void **state)
{
    fathom_check_result result;
    const fathom_check_options options = defaults("000:7.2");
    assert_ok(*state, run_on(&result, *state, "gen:circle,n=16", false, &options));
    assert_int_equal(result.applies, 1);
    assert_int_equal(result.holds, 1);
    assert_ok(*state, run_on(&result, *state, "gen:circle,n=18", false, &options));
    assert_int_equal(result.applies, 0);
    assert_ok(*state, run_on(&result, *state, "gen:xor,n=16", false, &options));
    assert_int_equal(result.applies, 0);
    const fathom_check_options lemma = defaults("000:6.1");
    assert_ok(*state, run_on(&result, *state, "gen:circle,n=8", false, &lemma));
    assert_int_equal(result.applies, 1);
    assert_int_equal(result.holds, 1);
}

/* [001]: whitened rows are spike-free and l0-l1 equivalent; a row inside the hull is no vertex. */
static void test_geometry(void **state)
{
    fathom_check_result result;
    fathom_check_options options = defaults("001:l0-l1");
    assert_ok(*state, run_on(&result, *state, "gen:whitened,n=8,d=12", false, &options));
    assert_int_equal(result.applies, 1);
    assert_int_equal(result.holds, 1);
    options = defaults("001:spike-free");
    assert_ok(*state, run_on(&result, *state, "gen:whitened,n=8,d=12", false, &options));
    assert_int_equal(result.applies, 1);
    assert_ok(*state, run_on(&result, *state, "gen:gauss,n=8,d=12", false, &options));
    assert_int_equal(result.applies, 0);
    assert_int_equal(result.holds, 0);
    options = defaults("001:3.5");
    assert_ok(*state, run_on(&result, *state, "gen:gauss,n=40,d=2", false, &options));
    assert_int_equal(result.applies, 0);
}

/* [002]: clusters of the unit-norm XOR data, seed 1, and the threshold of Lemma 10, from dynamics-oracles.json (D1). */
static void test_clusters(void **state)
{
    fathom_check_result result;
    fathom_check_options options = defaults("002:15");
    options.trials = 1;
    assert_ok(*state, run_on(&result, *state, "gen:xor,n=128", true, &options));
    assert_close(line(&result, "radius r of the clusters")->upper, 0.22309940184668184, 1e-12);
    assert_close(line(&result, "overlap Delta of opposite centers")->value, 0.02889370228108923, 1e-12);
    assert_close(line(&result, "imbalance epsilon of the clusters")->value, 0.09375, 0);
    assert_int_equal(result.applies, -1); /* C2 is open */
    options.constants = "C2=0.1";
    assert_ok(*state, run_on(&result, *state, "gen:xor,n=128", true, &options));
    assert_int_equal(result.applies, 0);
}

/* From a start at the threshold the bound of Theorem 1 holds; from a random one its hypothesis fails. */
static void test_descent(void **state)
{
    fathom_check_result result;
    fathom_check_options options = defaults("002:1");
    options.width = 8;
    options.until = "steps=300";
    assert_ok(*state, run_on(&result, *state, "gen:xor,n=4", true, &options));
    assert_close(line(&result, "R_1")->required, 6.051028901224765e-07, 1e-9 * 6.051028901224765e-07);
    assert_int_equal(result.applies, 1);
    assert_int_equal(result.holds, 1);
    options.init = "normal:0.1";
    assert_ok(*state, run_on(&result, *state, "gen:xor,n=4", true, &options));
    assert_int_equal(result.applies, 0);
    assert_true(strncmp(result.because, "R_1: ", 5) == 0);
}

/* [003]: collapsed data is, parity is not; both have positive margins; the global one of the full cube is 1/sqrt(8 d). */
static void test_margins(void **state)
{
    fathom_check_result result;
    fathom_check_options options = defaults("003:3.1");
    assert_ok(*state, run_on(&result, *state, "gen:collapse,r=3,d=4,n=30", false, &options));
    assert_int_equal(result.applies, 1);
    assert_ok(*state, run_on(&result, *state, "gen:parity,d=4,all=1", false, &options));
    assert_int_equal(result.applies, 0);
    options = defaults("003:1.1");
    assert_ok(*state, run_on(&result, *state, "gen:parity,d=4,all=1", false, &options));
    assert_int_equal(result.applies, 1);
    assert_close(line(&result, "gamma_gl")->value, 1 / sqrt(32), 1e-3 / sqrt(32));
    options = defaults("003:3.3");
    options.width = 64;
    options.until = "log_loss=-100";
    assert_ok(*state, run_on(&result, *state, "gen:parity,d=4,all=1", false, &options));
    assert_int_equal(result.applies, 0); /* the width */
    assert_true(line(&result, "gamma_s at the end, at most half the global margin")->holds == 1);
}

/* Pairs x, -x around (1.5, 1): all conditions of Theorem 6.2 hold, and so does its conclusion. */
static void test_agreement(void **state)
{
    enum { N = 24 };
    double x[2 * N], y[N];
    for (int i = 0; i < N; i += 2) {
        x[2 * i] = 1.5 + 0.4 * cos(i), x[2 * i + 1] = 1 + 0.3 * sin(2 * i);
        x[2 * i + 2] = -x[2 * i], x[2 * i + 3] = -x[2 * i + 1];
        y[i] = 1, y[i + 1] = -1;
    }
    fathom_check_options options = defaults("004:6.2");
    fathom_check_result result;
    fathom_data *data;
    options.slope = 0.05;
    options.width = 20;
    assert_ok(*state, fathom_data_create(&data, *state, N, 2, x, 2, 1, y, NULL, NULL));
    assert_ok(*state, fathom_check_run(&result, *state, data, &options));
    fathom_data_free(data);
    assert_int_equal(result.applies, 1);
    assert_int_equal(result.holds, 1);
    options.slope = 0.1;
    assert_ok(*state, run_on(&result, *state, "gen:twogauss,n=100,d=2,mean=1.8,gap=0.3", false, &options));
    assert_int_equal(result.applies, -1); /* outside the regimes so far, which a finite run does not settle */
}

/* Separable or not decides Theorem 4.1; Theorem 5.1 has no exception with either constant. */
static void test_linear(void **state)
{
    fathom_check_result result;
    fathom_check_options options = defaults("004:4.1");
    options.epsilon = 0.5;
    assert_ok(*state, run_on(&result, *state, "gen:twogauss,n=60,d=2,mean=1.8,gap=0.3", false, &options));
    assert_int_equal(result.applies, 1);
    assert_int_equal(result.holds, 1);
    assert_ok(*state, run_on(&result, *state, "gen:xor,n=16", false, &options));
    assert_int_equal(result.applies, 0);
    assert_int_equal(result.holds, -1);
    options = defaults("004:5.1");
    options.until = "epochs=5";
    options.init = "normal:0.001";
    options.trials = 2;
    assert_ok(*state, run_on(&result, *state, "gen:twogauss,n=60,d=2,mean=1.8,gap=0.3", false, &options));
    assert_int_equal(result.applies, 1);
    assert_int_equal(result.holds, 1);
    options.init = "normal:0.3"; /* neurons so far apart that no point is in the region: nothing is shown */
    assert_ok(*state, run_on(&result, *state, "gen:twogauss,n=60,d=2,mean=1.8,gap=0.3", false, &options));
    assert_int_equal(result.applies, 1);
    assert_int_equal(result.holds, -1);
}

/* Each hypothesis of the statements about margins fails on data made for it: `line` is the first that
 * does. */
static void test_hypotheses(void **state)
{
    static const struct {
        const char *theorem, *spec, *line; /* NULL: none fails */
        bool unit;
    } row[] = {{"003:1.5", "gen:twogauss,n=20,d=2,mean=1.8,gap=0.3", NULL, true},
               {"003:1.5", "gen:xor,n=12", "linear margin: ", true},
               {"003:1.5", "gen:twogauss,n=20,d=2,mean=1.8,gap=0.3", "largest |x_i|: ", false},
               {"003:1.6", "gen:parity,d=4,all=1", NULL, false},
               {"003:1.6", "gen:parity,d=4,n=12,bits=3", "labels are the product", false},
               {"003:1.6", "gen:gauss,n=12,d=4,target=sign", "largest ||x_ij| sqrt(d) - 1|: ", true},
               {"003:2.6", "gen:badkkt", NULL, false},
               {"003:2.6", "gen:collapse,r=2,d=3,n=8", "least |x_i|: ", false},
               {"003:2.6", "gen:collapse,r=2,d=3,n=8", "share of examples with label +1: ", true},
               {"003:3.1", "gen:collapse,r=3,d=4,n=12", NULL, false},
               {"003:3.1", "gen:xor,n=12", "largest |x_i|: ", false},
               {"000:7.2", "gen:circle,n=18", "n modulo 4: ", false},
               {"002:15", "gen:xor,n=32", "radius r", true},
               {"002:15", "gen:xor,n=32", "largest |x_i|: ", false}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fathom_check_result result;
        fathom_check_options options = defaults(row[k].theorem);
        if (strcmp(row[k].theorem, "003:2.6") == 0)
            options.until = "log_loss=-20";
        if (strcmp(row[k].theorem, "002:15") == 0)
            options.constants = "C2=0.1";
        assert_ok(*state, run_on(&result, *state, row[k].spec, row[k].unit, &options));
        if (result.applies != !row[k].line || strncmp(result.because, row[k].line ? row[k].line : "",
                                                      row[k].line ? strlen(row[k].line) : 1) != 0)
            fail_msg("%s on %s: %s", row[k].theorem, row[k].spec, result.conclusion);
        assert_true(result.holds != 0 || !row[k].line || strcmp(row[k].theorem, "003:3.1") == 0);
    }
}

/* Two equal examples of different labels. */
static void open_conflict(fathom_data **data, fathom_context *context)
{
    static const double x[] = {0.6, 0.8, 0.6, 0.8, -0.6, 0.8}, y[] = {1, -1, 1};
    assert_ok(context, fathom_data_create(data, context, 3, 2, x, 2, 1, y, NULL, NULL));
}

/* One label, three examples around the origin. */
static void open_star(fathom_data **data, fathom_context *context)
{
    static const double x[] = {1, 0, -0.5, 0.8660254037844386, -0.5, -0.8660254037844386}, y[] = {1, 1, 1};
    assert_ok(context, fathom_data_create(data, context, 3, 2, x, 2, 1, y, NULL, NULL));
}

/* Whether some hypothesis of this name fails. */
static bool has_failed(const fathom_check_result *result, const char *name)
{
    for (int64_t k = 0; k < result->hypotheses; k++)
        if (strcmp(result->hypothesis[k].name, name) == 0 && result->hypothesis[k].holds == 0)
            return true;
    return false;
}

/* The hypotheses of [003] and [004] fail in turn, on data, widths, steps and constants made for it; a theorem with one that fails does
 * not apply, and is not refuted. */
static void test_turns(void **state)
{
    static const char conflict[] = "conflict", star[] = "star", parity[] = "gen:parity,d=2,all=1",
                      two[] = "gen:twogauss,n=12,d=2,mean=1.8,gap=0.3", cones[] = "gen:collapse,r=3,d=4,n=12";
    static const struct {
        const char *theorem, *spec, *line, *until, *constants;
        int64_t width;
        double slope, step;
        bool bias;
    } row[] = {
        {"003:1.1", conflict, "gamma_gl", NULL, NULL, 0, 0.1, NAN, false},
        {"003:1.1", two, "largest |x_i|", NULL, NULL, 0, 0.1, NAN, false},
        {"003:1.1", parity, "free hidden biases (1: yes)", NULL, NULL, 0, 0.1, NAN, true},
        {"003:1.3", conflict, "gamma_ntk", NULL, NULL, 0, 0.1, NAN, false},
        {"003:1.2", conflict, "gamma_gl of the distribution", NULL, NULL, 0, 0.1, NAN, false},
        {"003:1.4", conflict, "gamma_ntk of the distribution", NULL, NULL, 0, 0.1, NAN, false},
        {"003:2.1", conflict, "gamma_ntk", NULL, NULL, 4, 0.1, NAN, false},
        {"003:2.1", parity, "width m, first condition", NULL, NULL, 4, 0.1, NAN, false},
        {"003:2.1", parity, "width m, second condition", NULL, NULL, 4, 0.1, NAN, false},
        {"003:2.1", parity, "step", NULL, NULL, 4, 0.1, 1e-9, false},
        {"003:2.1", parity, "step", NULL, NULL, 4, 0.1, 0.5, false},
        {"003:2.2", parity, "width m", "log_loss=-3", NULL, 4, 0.1, NAN, false},
        {"003:2.2", parity, "probability of failure that is allowed", "log_loss=-3", NULL, 4, 0.1, NAN,
         false},
        {"003:2.3", parity, "time t", NULL, "t=1", 4, 0.1, NAN, false},
        {"003:2.3", parity, "width m", NULL, NULL, 4, 0.1, NAN, false},
        {"003:2.4", parity, "width m", "log_loss=-3", NULL, 4, 0.1, NAN, false},
        {"003:2.5", two, "gamma_s of the network at the end of a flow", "steps=1", NULL, 4, 0.1, NAN, false},
        {"003:2.6", star, "least largest <x_i, x_j> between two parts without one example", "steps=1", NULL,
         4, 0.1, NAN, false},
        {"003:2.6", star, "linear margin", "steps=1", NULL, 4, 0.1, NAN, false},
        {"003:3.1", conflict, "cones of Assumption 3.1 as printed (1: found)", NULL, NULL, 0, 0.1, NAN,
         false},
        {"003:3.2", cones, "width m", "log_loss=-3", NULL, 4, 0.1, NAN, false},
        {"003:3.3", conflict, "gamma_gl", "steps=1", NULL, 4, 0.1, NAN, false},
        {"003:3.3", parity, "width m", "log_loss=-3", NULL, 4, 0.1, NAN, false},
        {"004:4.1", two, "slope alpha", "epochs=2", NULL, 4, 0, NAN, false},
        {"004:4.1", two, "slope alpha", "epochs=2", NULL, 4, 1, NAN, false},
        {"004:4.1", "gen:xor,n=12", "linear margin", "epochs=2", NULL, 4, 0.1, NAN, false},
        {"004:5.1", two, "slope alpha", "epochs=2", NULL, 4, 1, NAN, false},
        {"004:6.1", two, "slope alpha", "log_loss=-5", NULL, 4, 1, NAN, false},
        {"004:6.2", two, "smoothed margin in the regime, sqrt(k) alpha v max |x|", "log_loss=-300", NULL, 4,
         0.9, NAN, false},
        {"004:6.2", "gen:twogauss,n=12,d=8,mean=1.8,gap=0.3",
         "beta, beside the largest with V_beta^+ not empty", "log_loss=-300", "beta=1e-9", 4, 0.1, NAN,
         false},
        {"004:6.2", two, "beta, beside the largest with V_beta^- not empty", "log_loss=-300", "beta=1e-9", 4,
         0.1, NAN, false},
    };
    int faults = 0;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fathom_check_result result;
        fathom_check_options options = defaults(row[k].theorem);
        fathom_data_options source;
        fathom_data *data;
        fathom_options_init(&source, &fathom_data_option_table);
        source.bias = row[k].bias ? 2 : 0;
        options.width = row[k].width, options.slope = row[k].slope, options.step = row[k].step;
        options.until = row[k].until, options.constants = row[k].constants;
        if (row[k].spec == conflict)
            open_conflict(&data, *state);
        else if (row[k].spec == star)
            open_star(&data, *state);
        else
            assert_ok(*state, fathom_data_open(&data, *state, row[k].spec, &source));
        assert_ok(*state, fathom_check_run(&result, *state, data, &options));
        fathom_data_free(data);
        const bool wrong = result.applies != 0 || !has_failed(&result, row[k].line);
        faults += wrong;
        if (wrong)
            print_message("%s on %s: '%s' should fail: %s\n", row[k].theorem, row[k].spec, row[k].line,
                          result.conclusion);
    }
    assert_int_equal(faults, 0);
}

/* What a run of one step has not met may come later: undecided, and never "does not apply". */
static void test_finite_runs(void **state)
{
    static const char two[] = "gen:twogauss,n=12,d=2,mean=1.8,gap=0.3";
    static const struct {
        const char *theorem, *line;
    } row[] = {{"003:a.4", "least ln R on the run, beside ln(l(0)/n)"},
               {"003:b.2", "examples with |l'(p_i)| <= 1/8 at the end of a flow"},
               {"004:6.1", "R < ln 2 / n was reached (1: yes)"},
               {"004:6.1", "in an agreement regime at the end of the run (1: yes)"},
               {"004:6.2", "R < ln 2 / n was reached (1: yes)"},
               {"004:6.2", "in an agreement regime at the end of the run (1: yes)"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fathom_check_result result;
        fathom_check_options options = defaults(row[k].theorem);
        fathom_data *data;
        bool found = false;
        options.width = 4, options.until = "steps=1";
        assert_ok(*state, fathom_data_open(&data, *state, two, NULL));
        assert_ok(*state, fathom_check_run(&result, *state, data, &options));
        fathom_data_free(data);
        for (int64_t j = 0; j < result.hypotheses; j++) {
            const fathom_check_item *line = &result.hypothesis[j];
            if (strcmp(line->name, row[k].line) != 0)
                continue;
            found = true;
            assert_int_equal(line->holds, -1);
            assert_non_null(strstr(line->note, "finite run"));
        }
        assert_true(found);
        assert_int_equal(result.applies, -1);
    }
}

/* Limits are followed until they are met: collapsed data whose bound is near the limit of the margin. */
static void test_limit_met(void **state)
{
    static const char *const spec[] = {"gen:collapse,r=3,d=8,n=40", "gen:collapse,r=4,d=6,n=24"};
    const uint64_t seed = fathom_context_seed(*state);
    for (int k = 0; k < (test_briefly() ? 2 : 8); k++) {
        fathom_check_result result;
        fathom_check_options options = defaults("003:3.2");
        fathom_context_set_seed(*state, (uint64_t)(1 + k / 2));
        options.width = 32;
        assert_ok(*state, run_on(&result, *state, spec[k % 2], false, &options));
        const fathom_check_item *margin = line(&result, "gamma_s at the end");
        if (margin->holds != 1)
            fail_msg("%s, seed %d: %g of %g", spec[k % 2], 1 + k / 2, margin->value, margin->required);
        options.until = "log_loss=-3"; /* what is given is not gone beyond, and refutes nothing */
        assert_ok(*state, run_on(&result, *state, spec[k % 2], false, &options));
        assert_int_equal(line(&result, "gamma_s at the end")->holds, -1);
    }
    fathom_context_set_seed(*state, seed);
}

/* --solve: the least width is what the check itself requires; more examples and time where less may fail; --widths has them all. */
static void test_solve(void **state)
{
    static const struct {
        const char *theorem, *spec, *until;
    } row[] = {{"003:2.2", "gen:parity,d=2,all=1", "steps=1"},
               {"003:2.4", "gen:parity,d=2,all=1", "steps=1"},
               {"003:2.3", "gen:parity,d=2,all=1", NULL},
               {"003:3.2", "gen:collapse,r=3,d=4,n=12", "steps=1"},
               {"003:3.3", "gen:parity,d=2,all=1", "steps=1"}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fathom_check_result solved, run;
        fathom_check_options options = defaults(row[k].theorem);
        options.solve = true;
        assert_ok(*state, run_on(&solved, *state, row[k].spec, false, &options));
        options.solve = false, options.until = row[k].until, options.width = 4;
        assert_ok(*state, run_on(&run, *state, row[k].spec, false, &options));
        bool found = false;
        for (int64_t i = 0; i < solved.needs; i++)
            for (int64_t j = 0; j < run.hypotheses && *solved.need[i].what == 'm'; j++)
                if (strcmp(run.hypothesis[j].name, "width m") == 0) {
                    found = true;
                    assert_true(solved.need[i].lower == ceil(run.hypothesis[j].required_lower));
                    assert_true(solved.need[i].upper == ceil(run.hypothesis[j].required_upper));
                }
        assert_true(found);
    }
    fathom_check_result result;
    fathom_check_options options = defaults(NULL);
    options.widths = true;
    assert_ok(*state, run_on(&result, *state, "gen:collapse,r=3,d=3,n=6", false, &options));
    assert_int_equal(result.needs, 11);
    for (int k = 9; k < 11; k++) /* gates, flow */
        assert_true(result.need[k].lower == result.need[k].upper && result.need[k].lower <= 64);
    options = defaults("003:1.1"), options.solve = true;
    assert_int_equal(run_on(&result, *state, "gen:parity,d=2,all=1", false, &options), FATHOM_ERROR_USAGE);
    options = defaults("003:2.2"), options.epsilon = 0.01;
    assert_int_equal(run_on(&result, *state, "gen:parity,d=2,all=1", false, &options), FATHOM_ERROR_USAGE);
}

/* What does not enter the formulas of --solve is refused, whatever the check itself reads: what is given has an effect, on some
 * number or on some line, or is an error. */
static void test_solve_reads(void **state)
{
    static const struct {
        const char *theorem;
        bool width, until, step, epsilon, delta;
        const char *constants;
        fathom_status status;
    } row[] = {{"003:2.2", true, .status = FATHOM_ERROR_USAGE},
               {"003:2.3", .until = true, .status = FATHOM_ERROR_USAGE},
               {"003:2.1", .step = true, .status = FATHOM_ERROR_USAGE},
               {"003:2.4", .epsilon = true, .status = FATHOM_ERROR_USAGE},
               {"003:2.4", .delta = true, .status = FATHOM_OK},
               {"004:4.1", .delta = true, .status = FATHOM_ERROR_USAGE},
               {"004:4.1", .width = true, .step = true, .status = FATHOM_OK},
               {"003:2.3", .constants = "t=9", .status = FATHOM_ERROR_USAGE},
               {"003:2.2", .constants = "C=2", .status = FATHOM_OK},
               {"widths", .constants = "C=2", .status = FATHOM_ERROR_USAGE},
               {"003:3.1", .status = FATHOM_ERROR_USAGE}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const bool widths = strcmp(row[k].theorem, "widths") == 0;
        fathom_check_options options = defaults(widths ? NULL : row[k].theorem);
        fathom_check_result result;
        options.solve = !widths, options.widths = widths, options.constants = row[k].constants;
        options.width = row[k].width ? 6 : options.width, options.until = row[k].until ? "steps=3" : NULL;
        options.step = row[k].step ? 0.5 : options.step;
        options.epsilon = row[k].epsilon ? 0.3 : options.epsilon;
        options.delta = row[k].delta ? 0.03 : options.delta;
        assert_int_equal(run_on(&result, *state, "gen:parity,d=2,all=1", false, &options), row[k].status);
    }
}

/* Shares of draws are within [0, 1], whatever the size of the examples: few gates on a large circle do not
 * refute [000, Thm 6.2]. */
static void test_large_circle(void **state)
{
    double x[16], y[8];
    fathom_check_options options = defaults("000:6.2");
    fathom_check_result result;
    fathom_data *data;
    for (int k = 0; k < 8; k++) {
        x[2 * k] = 100 * cos(k * 0.78539816339744831), x[2 * k + 1] = 100 * sin(k * 0.78539816339744831);
        y[k] = k % 2 ? -1 : 1;
    }
    options.width = 6;
    assert_ok(*state, fathom_data_create(&data, *state, 8, 2, x, 2, 1, y, NULL, NULL));
    assert_ok(*state, fathom_check_run(&result, *state, data, &options));
    fathom_data_free(data);
    assert_int_equal(result.applies, 0);
    assert_true(result.comparison[0].lower >= 0 && result.comparison[0].upper <= 1);
    assert_true(result.comparison[0].lower < result.comparison[0].upper);
}

static void test_json(void **state)
{
    static const char *const key[] = {"\"hypotheses\"", "\"comparisons\"", "\"verdict\"", "\"because\"",
                                      "\"conclusion\"", "\"holds\"",       "\"name\"",    "\"required\""};
    const fathom_check_options options = defaults("003:3.1");
    fathom_check_result result;
    fathom_json *json;
    char *text;
    assert_ok(*state, run_on(&result, *state, "gen:collapse,r=3,d=4,n=12", false, &options));
    assert_ok(*state, fathom_json_create(&json, *state));
    assert_ok(*state, fathom_check_set(json, &result));
    assert_ok(*state, fathom_json_text(&text, json, false));
    for (size_t k = 0; k < sizeof key / sizeof *key; k++)
        assert_non_null(strstr(text, key[k]));
    fathom_json_text_free(json, text);
    fathom_json_free(json);
}

/* Printed intervals hold the ones they stand for, and are at most one unit of the sixth digit wider on either side. */
static void intervals_round_outward(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int trial = 0; trial < 2000; trial++) {
        double number[2];
        for (int k = 0; k < 2; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const double mantissa = (double)(random >> 11) * 0x1p-53;
            number[k] = (trial % 2 ? -1 : 1) * pow(10, trial % 40 - 20) * (1 + mantissa);
        }
        const double lower = fmin(number[0], number[1]), upper = fmax(number[0], number[1]);
        const fathom_check_item item = {
            .lower = lower, .upper = upper, .relation = "<=", .required_lower = 1, .required_upper = 1};
        char text[200];
        double low, high;
        fathom_check_item_format(text, sizeof text, &item);
        assert_int_equal(sscanf(text, "[%lf, %lf]", &low, &high), 2);
        assert_true(low <= lower && lower - low <= 1.1e-5 * fabs(lower));
        assert_true(high >= upper && high - upper <= 1.1e-5 * fabs(upper));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_constants),
                                       cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_circle),
                                       cmocka_unit_test(test_geometry),
                                       cmocka_unit_test(test_clusters),
                                       cmocka_unit_test(test_descent),
                                       cmocka_unit_test(test_margins),
                                       cmocka_unit_test(test_agreement),
                                       cmocka_unit_test(test_linear),
                                       cmocka_unit_test(test_hypotheses),
                                       cmocka_unit_test(test_turns),
                                       cmocka_unit_test(test_finite_runs),
                                       cmocka_unit_test(test_solve),
                                       cmocka_unit_test(test_solve_reads),
                                       cmocka_unit_test(test_limit_met),
                                       cmocka_unit_test(test_large_circle),
                                       cmocka_unit_test(test_json),
                                       cmocka_unit_test(intervals_round_outward)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
