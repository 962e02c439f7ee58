/* SPDX-License-Identifier: Apache-2.0 */
/* Every statement of the list is true as it is checked: on awkward data, with runs that end anywhere, diverge or
 * stand still, none may be called refuted. Data, options and seeds are drawn; FATHOM_TEST_EFFORT draws more. Then the
 * cases that were refuted once. */
#include "inner/check.h"
#include "theorem_testing.h"

#include <string.h>

#include "random.h"

enum { MOST = 96, DIMENSIONS = 4 };

/* A stream of draws. */
typedef struct dice {
    uint64_t seed, at;
} dice;

static double uniform(dice *d) { return fathom_random_uniform(d->seed, FATHOM_STREAM_SAMPLE, 0, d->at++); }
static int64_t below(dice *d, int64_t count) { return (int64_t)(uniform(d) * (double)count); }
static double normal(dice *d)
{
    double z[2];
    fathom_random_normals(z, 2, d->seed, FATHOM_STREAM_SAMPLE, 1, 2 * d->at++);
    return z[0];
}
static double sign(dice *d) { return uniform(d) < 0.5 ? -1 : 1; }

typedef struct points {
    int64_t n, d;
    double x[MOST * DIMENSIONS], y[MOST];
} points;

static double norm_of(const points *p, int64_t i)
{
    double sum = 0;
    for (int64_t k = 0; k < p->d; k++)
        sum += p->x[i * p->d + k] * p->x[i * p->d + k];
    return sqrt(sum);
}

/* Gaussian rows of a given size, or rows +-1/sqrt d with the labels of parity. */
static void make_rows(points *p, dice *d, double size, bool parity)
{
    for (int64_t k = 0; k < p->n * p->d; k++)
        p->x[k] = parity ? sign(d) / sqrt((double)p->d) : size * normal(d);
    for (int64_t i = 0; i < p->n; i++)
        p->y[i] = parity ? (p->x[i * p->d] * p->x[i * p->d + 1] > 0 ? 1 : -1) : sign(d);
}

/* Every second row is the one before it: as it is, or its negative with the other label. */
static void repeat(points *p, bool negative)
{
    for (int64_t i = 1; i < p->n; i += 2) {
        for (int64_t k = 0; k < p->d; k++)
            p->x[i * p->d + k] = (negative ? -1 : 1) * p->x[(i - 1) * p->d + k];
        p->y[i] = (negative ? -1 : 1) * p->y[i - 1];
    }
}

static void make_circle(points *p, double radius)
{
    const double turn = 6.283185307179586476925287;
    p->d = 2, p->n = p->n / 4 * 4 + 4;
    for (int64_t i = 0; i < p->n; i++) {
        p->x[2 * i] = radius * cos(turn * (double)i / (double)p->n);
        p->x[2 * i + 1] = radius * sin(turn * (double)i / (double)p->n);
        p->y[i] = i % 2 ? -1 : 1;
    }
}

/* All rows of norm 1, or none above it. */
static void shrink(points *p, bool all)
{
    double most = 0;
    for (int64_t i = 0; i < p->n; i++)
        most = fmax(most, norm_of(p, i));
    for (int64_t i = 0; i < p->n; i++) {
        const double by = all ? norm_of(p, i) : most;
        for (int64_t k = 0; k < p->d && by > 0; k++)
            p->x[i * p->d + k] /= by;
    }
}

static void make_points(points *p, dice *d, const char *theorem)
{
    memset(p, 0, sizeof *p);
    p->n = 1 + below(d, 12), p->d = 1 + below(d, DIMENSIONS);
    const int64_t family = below(d, 11);
    if (family == 0)
        make_circle(p, 1);
    else if (family == 1)
        make_circle(p, 100);
    else
        make_rows(p, d,
                  family == 2   ? 3000
                  : family == 7 ? 1e-9
                  : family == 8 ? 1e9
                                : 1,
                  family == 3 && p->d > 1);
    if (family == 4 || family == 5)
        repeat(p, family == 5);
    for (int64_t i = 0; i < p->n && family == 6; i++)
        p->y[i] = 1;
    for (int64_t i = 0; i < p->n && family == 9; i++) /* on a line through the origin */
        for (int64_t k = 0; k < p->d; k++)
            p->x[i * p->d + k] = k == 0 ? normal(d) : p->x[i * p->d] * (double)k;
    if (strncmp(theorem, "004", 3) != 0 && uniform(d) < 0.8)
        shrink(p, strncmp(theorem, "002", 3) == 0);
}

/* Options of those that the statement reads, drawn. */
static fathom_check_options make_options(dice *d, const char *theorem)
{
    static const char *const until[] = {"steps=0",      "steps=1",   "steps=7", "log_loss=-0.8",
                                        "log_loss=-20", "time=0.01", "time=1",  "distance=0.5",
                                        "steps=40",     NULL};
    static const char *const init[] = {"normal:0.3", "normal:1e-6", "normal:5", "pytorch", NULL};
    static const double step[] = {1e-4, 0.01, 0.3, 3, 1e3, 1e8};
    fathom_check_options o;
    fathom_options_init(&o, &fathom_check_option_table);
    o.theorem = theorem;
    if (fathom_check_uses(&o, "until"))
        o.until = until[below(d, 10)];
    if (fathom_check_uses(&o, "init"))
        o.init = init[below(d, 5)];
    if (fathom_check_uses(&o, "width"))
        o.width = uniform(d) < 0.8 ? 2 * (1 + below(d, 12)) : 1 + below(d, 5);
    if (fathom_check_uses(&o, "step") && uniform(d) < 0.7)
        o.step = step[below(d, 6)];
    if (fathom_check_uses(&o, "loss"))
        o.loss = uniform(d) < 0.5;
    if (fathom_check_uses(&o, "slope"))
        o.slope = 0.01 + 0.98 * uniform(d);
    if (fathom_check_uses(&o, "trials"))
        o.trials = 1 + below(d, 4);
    if (fathom_check_uses(&o, "epsilon"))
        o.epsilon = 0.1 + 0.8 * uniform(d);
    if (fathom_check_uses(&o, "delta"))
        o.delta = pow(10, -3 * uniform(d));
    if (fathom_check_uses(&o, "beta"))
        o.beta = 0.01 + 0.48 * uniform(d);
    return o;
}

/* Lines of a check: what was measured is a number, or not known, or infinite for a reason that stands behind
 * it, and intervals have
 * their ends in order. */
static void look_at_lines(const fathom_check_result *result, int64_t round)
{
    for (int64_t k = 0; k < result->hypotheses + result->comparisons; k++) {
        const fathom_check_item *l =
            k < result->hypotheses ? result->hypothesis + k : result->comparison + k - result->hypotheses;
        /* suprema: where no cone has Z_i < 0 (four points), and where (A u)_+ leaves the range of A */
        const bool endless =
            strncmp(l->name, "(2) least E Z_i", 15) == 0 || strncmp(l->name, "rho(A)", 6) == 0 || l->note;
        if ((isinf(l->value) && !endless) || (isinf(l->lower) && !endless) || l->lower > l->upper ||
            l->required_lower > l->required_upper || (l->holds >= 0 && (isnan(l->lower) || isnan(l->upper))))
            fail_msg("round %d, %s, %s: %g in [%g, %g] beside [%g, %g]: %d", (int)round, result->theorem,
                     l->name, l->value, l->lower, l->upper, l->required_lower, l->required_upper, l->holds);
    }
}

/* Comparisons of a run that was cut are not decided, and no line is without a reason. */
static void test_drawn(void **state)
{
    skip_if_brief();
    static points p;
    static fathom_check_result result;
    const char *id;
    for (int64_t round = 0; round < test_trials(3); round++)
        for (int64_t k = 0; (id = fathom_check_get(k, NULL)); k++) {
            dice d = {(uint64_t)(1000 * round + k), 0};
            fathom_data *data;
            make_points(&p, &d, id);
            const fathom_check_options o = make_options(&d, id);
            fathom_context_set_seed(*state, d.seed);
            fathom_context_set_time_limit(*state, fathom_context_seconds(*state) + 2);
            assert_ok(*state, fathom_data_create(&data, *state, p.n, p.d, p.x, p.d, 1, p.y, NULL, NULL));
            const fathom_status status = fathom_check_run(&result, *state, data, &o);
            fathom_data_free(data);
            if (status == FATHOM_ERROR_USAGE || status == FATHOM_ERROR_INPUT) /* said so before anything */
                continue;
            assert_ok(*state, status);
            look_at_lines(&result, round);
            if (result.applies == 1 && result.holds == 0)
                fail_msg("round %d, %s", (int)round, result.conclusion);
        }
    fathom_context_set_time_limit(*state, INFINITY);
}

static fathom_check_options defaults(const char *theorem)
{
    fathom_check_options o;
    fathom_options_init(&o, &fathom_check_option_table);
    o.theorem = theorem;
    return o;
}

static void run_on(fathom_check_result *result, fathom_context *context, const points *p,
                   const fathom_check_options *o)
{
    fathom_data *data;
    assert_ok(context, fathom_data_create(&data, context, p->n, p->d, p->x, p->d, 1, p->y, NULL, NULL));
    assert_ok(context, fathom_check_run(result, context, data, o));
    fathom_data_free(data);
}

static const fathom_check_item *line_of(const fathom_check_result *result, const char *name)
{
    for (int64_t k = 0; k < result->hypotheses + result->comparisons; k++) {
        const fathom_check_item *item =
            k < result->hypotheses ? result->hypothesis + k : result->comparison + k - result->hypotheses;
        if (strncmp(item->name, name, strlen(name)) == 0)
            return item;
    }
    fail_msg("%s has no line %s", result->theorem, name);
    return NULL;
}

static void write_net(fathom_context *context, const char *path, const fathom_net_shape *shape,
                      const double *hidden, const double *output)
{
    fathom_net *net;
    fathom_model *model;
    assert_ok(context, fathom_net_create(&net, context, shape));
    memcpy(fathom_net_lend(net).u, hidden, (size_t)(shape->m * shape->d) * sizeof *hidden);
    memcpy(fathom_net_lend(net).w, output, (size_t)shape->m * sizeof *output);
    assert_ok(context, fathom_model_create(&model, context, net, FATHOM_LOSS_LOGISTIC, NULL, NULL));
    assert_ok(context, fathom_model_write(model, path));
    fathom_model_free(model);
}

/* A run of no step from a network that has learned shows no growth, and refutes none. */
static void test_no_step(void **state)
{
    static fathom_check_result result;
    for (uint64_t seed = 0; seed < 5; seed++) {
        dice d = {seed, 0};
        points p = {.n = 2, .d = 2};
        double u[8], a[4];
        make_rows(&p, &d, 1, false);
        for (int j = 0; j < 4; j++) { /* a unit along each example with its label, and once more */
            a[j] = 9 * p.y[j % 2];
            for (int k = 0; k < 2; k++)
                u[2 * j + k] = 9 * p.x[2 * (j % 2) + k];
        }
        write_net(*state, "refuted-relu.json",
                  &(fathom_net_shape){.kind = FATHOM_NET_RELU, .d = 2, .m = 4, .outputs = 1}, u, a);
        fathom_check_options o = defaults("003:a.4");
        o.until = "steps=0", o.width = 4, o.init = "refuted-relu.json";
        run_on(&result, *state, &p, &o);
        assert_int_not_equal(result.holds, 0);
        assert_int_equal(line_of(&result, "|W| at the end")->holds, -1);
        remove("refuted-relu.json");
    }
}

/* Two neurons whose difference is orthogonal to the examples but for rounding: no sign of the network is
 * known there. */
static void test_rounding(void **state)
{
    static fathom_check_result result;
    for (uint64_t seed = 0; seed < (uint64_t)test_trials(30); seed++) {
        dice d = {seed, 0};
        const double w[3] = {normal(&d), normal(&d), normal(&d)}, c[2] = {normal(&d), normal(&d)};
        const double u[6] = {w[0], w[1], w[2], w[0] + c[0], w[1] + c[1], w[2] - c[0] - c[1]};
        const points p = {.n = 3, .d = 3, .x = {1, 1, 1, -3, -3, -3, 1, 2, 4}, .y = {1, -1, 1}};
        write_net(*state, "refuted-leaky.json",
                  &(fathom_net_shape){.kind = FATHOM_NET_LEAKY,
                                      .d = 3,
                                      .m = 2,
                                      .outputs = 1,
                                      .parameter = 0.1,
                                      .output_fixed = true},
                  u, (double[]){0.1, -0.1});
        fathom_check_options o = defaults("004:5.1");
        o.until = "steps=0", o.width = 2, o.init = "refuted-leaky.json", o.slope = 0.1, o.trials = 1;
        run_on(&result, *state, &p, &o);
        if (result.applies != 1 || result.holds == 0)
            fail_msg("seed %d: %s", (int)seed, result.conclusion);
        remove("refuted-leaky.json");
    }
}

/* The reduced run has its own clock and distances, and steps so large that rounding decides where both go. */
static void test_reduced(void **state)
{
    static const char *const until[] = {"time=1", "time=7.5,steps=90", "distance=0.7", "steps=60",
                                        "log_loss=-1"};
    static const double step[] = {0.3, 3, 1e8};
    static fathom_check_result result;
    static points p;
    int64_t held = 0, runs = 0;
    for (uint64_t seed = 0; seed < (uint64_t)test_trials(3); seed++)
        for (int k = 0; k < 15; k++) {
            dice d = {seed, 0};
            fathom_check_options o = defaults("002:a");
            p = (points){.n = 2 + below(&d, 9), .d = 2 + below(&d, 3)};
            make_rows(&p, &d, 1, false);
            shrink(&p, true);
            o.until = until[k % 5], o.step = step[k / 5], o.width = 8;
            fathom_context_set_seed(*state, seed);
            run_on(&result, *state, &p, &o);
            if (result.applies != 1 || result.holds == 0)
                fail_msg("seed %d, %s, step %g: %s", (int)seed, o.until, o.step, result.conclusion);
            held += result.holds == 1, runs++;
        }
    assert_true(3 * held >= runs); /* many runs are tame */
}

/* A run that is to end at a time takes a part of its last step: none that Theorem 1 of [002] counts. */
static void test_shortened(void **state)
{
    static const points p = {.n = 3, .d = 2, .x = {0.8, -0.6, -0.8, 0.6, 0.96, 0.28}, .y = {1, -1, 1}};
    static const char *const until[] = {"time=0.01", "time=0.3", "time=1", "time=2.5", "time=7"};
    fathom_check_options o = defaults("002:1");
    fathom_check_result result;
    for (size_t k = 0; k < sizeof until / sizeof *until; k++) {
        o.width = 8 + 6 * (int64_t)k, o.until = until[k];
        fathom_context_set_seed(*state, 1); /* whether it applies depends on the start */
        run_on(&result, *state, &p, &o);
        assert_int_equal(result.applies, 1);
        assert_true(result.holds != 0);
    }
}

/* --until time=T counts the whole steps until T, also where the sum of steps is rounded: what is said
 * of a run that ends at T is what is said of that number of steps. A part of a step is none, and leaves
 * open what rests on it. */
static void test_whole_steps(void **state)
{
    static const points p = {
        .n = 4, .d = 2, .x = {0.8, -0.6, -0.8, 0.6, 0.96, 0.28, -1, 0}, .y = {1, -1, 1, -1}};
    static fathom_check_result by_time, by_steps;
    int64_t reached = 0;
    for (int k = 0; k < 20; k++)
        for (int64_t steps = 1; steps < 32; steps += 5)
            for (int more = 0; more < 2; more++) {
                fathom_check_options o = defaults("004:4.1");
                char until[64];
                o.step = 0.1, o.width = 4, o.epsilon = 0.69 * pow(0.95, k), o.slope = 0.5;
                o.init = "normal:0.01", o.constants = "v=1";
                snprintf(until, sizeof until, "steps=%lld", (long long)steps);
                o.until = until;
                run_on(&by_steps, *state, &p, &o);
                snprintf(until, sizeof until, "time=%.17g", ((double)steps + 0.4 * more) * o.step);
                run_on(&by_time, *state, &p, &o);
                const fathom_check_item *one = line_of(&by_time, "updates to loss epsilon"),
                                        *other = line_of(&by_steps, "updates to loss epsilon");
                if (one->holds != other->holds || (one->holds >= 0 && one->value != other->value))
                    fail_msg("%s, epsilon %g: %g updates, %g by steps", until, o.epsilon, one->value,
                             other->value);
                reached += one->holds == 1;
            }
    assert_true(reached > 20 && reached < 270); /* of 280 */
}

/* W_s, s < t: the last example is not used, so whatever its label is, the iterates are the same. */
static void test_iterates(void **state)
{
    static fathom_check_result result[2];
    points p = {.n = 3, .d = 2, .x = {0.8, -0.6, -0.8, 0.6, 0.96, 0.28}, .y = {1, -1, 1}};
    for (int k = 0; k < 2; k++) {
        fathom_check_options o = defaults("003:2.1");
        o.step = 0.5, o.width = 4;
        p.y[2] = k ? -1 : 1;
        run_on(result + k, *state, &p, &o);
    }
    assert_true(line_of(result, "largest |W_s - W_0|")->upper ==
                line_of(result + 1, "largest |W_s - W_0|")->upper);
}

/* Updates are counted to the loss that the theorem is about, however long the run was asked to be. */
static void test_updates(void **state)
{
    static const char *const until[] = {"steps=2000", "epochs=900", "log_loss=-9,epochs=500", "time=20"};
    static fathom_check_result result;
    for (uint64_t seed = 0; seed < 4; seed++) {
        dice d = {seed, 0};
        points p = {.n = 1 + (int64_t)seed, .d = 2};
        make_rows(&p, &d, 1, false);
        for (int64_t i = 0; i < p.n; i++) /* separated, the margin not small */
            p.x[2 * i] = p.y[i] * (0.5 + fabs(p.x[2 * i]));
        fathom_check_options o = defaults("004:4.1");
        o.until = until[seed], o.width = 40, o.epsilon = 0.6, o.slope = 0.5, o.init = "normal:1e-6";
        run_on(&result, *state, &p, &o);
        if (result.applies != 1 || result.holds != 1)
            fail_msg("%s: %s", o.until, result.conclusion);
    }
}

/* One example: both sides of Lemma A.5 are the same number, whatever the size of ln R. */
static void test_deep(void **state)
{
    static const double size[] = {1, 1e3, 1e5, 1e7, 1e9};
    static fathom_check_result result;
    for (uint64_t seed = 0; seed < 60; seed++) {
        dice d = {seed, 0};
        points p = {.n = 1, .d = 1 + below(&d, 3)};
        make_rows(&p, &d, size[seed % 5], false);
        p.y[0] = 1;
        fathom_check_options o = defaults("003:a.5");
        o.until = "steps=40", o.width = 2 + 2 * below(&d, 9), o.init = seed % 2 ? "normal:5" : "normal:0.3";
        fathom_context_set_seed(*state, seed);
        run_on(&result, *state, &p, &o);
        if (result.holds == 0)
            fail_msg("seed %d: %s", (int)seed, result.conclusion);
    }
}

/* Flows far from 0: what grows grows by less than the rounding of W, and <W, dW/dt> is a sum of large terms that cancel. A line
 * is open there, and is decided where the weights are of the size of the data. */
static void test_far(void **state)
{
    static const char *const theorem[] = {"003:a.4", "003:a.5"};
    static const double size[] = {1, 1e-3, 1e3}, far[] = {0.3, 1e2, 1e5, 1e7, 1e9, 1e12};
    static fathom_check_result result;
    int64_t decided = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        dice d = {seed, 0};
        char init[40];
        points p = {.n = 1 + below(&d, 5), .d = 1 + below(&d, 4)};
        make_rows(&p, &d, size[seed / 12 % 3], p.d > 1 && uniform(&d) < 0.3);
        fathom_check_options o = defaults(theorem[seed % 2]);
        const int64_t at = (int64_t)(seed / 2 % 6);
        snprintf(init, sizeof init, "normal:%g", far[at] / size[seed / 12 % 3]);
        o.until = "steps=80", o.width = 2 + 2 * below(&d, 40), o.init = init;
        fathom_context_set_seed(*state, seed);
        run_on(&result, *state, &p, &o);
        if (result.holds == 0)
            fail_msg("seed %d, %s: %s", (int)seed, init, result.conclusion);
        decided += at == 0 && result.holds == 1;
    }
    assert_true(decided >= 10);
}

/* Means of few draws, and draws that a limit cuts. */
static void test_draws(void **state)
{
    static fathom_check_result result;
    static points p;
    p = (points){.n = 4};
    make_circle(&p, 1);
    for (int64_t trials = 1; trials < 4; trials++) {
        fathom_check_options o = defaults("000:6.2");
        o.trials = trials, o.width = 60, o.epsilon = 0.9;
        run_on(&result, *state, &p, &o);
        const fathom_check_item *mean = line_of(&result, "E gamma_V");
        assert_int_not_equal(mean->holds, 0);
        assert_true(trials > 1 || mean->holds == -1);
    }
    p = (points){.n = 60};
    make_circle(&p, 1);
    fathom_check_options o = defaults("000:7.2");
    o.trials = 100000, o.width = 4000;
    fathom_context_set_time_limit(*state, fathom_context_seconds(*state) + 0.2);
    run_on(&result, *state, &p, &o);
    fathom_context_set_time_limit(*state, INFINITY);
    assert_false(result.complete);
    assert_int_equal(line_of(&result, "probability that the worst example")->holds, -1);
    const double limit[] = {0, 0.02, 0.1,
                            0.3}; /* what was not compared may say something: no word that all is vacuous */
    for (int k = 0; k < 4; k++) {
        p = (points){.n = 4, .d = 2, .x = {1, 0, -1, 0, 0, 1, 0, -1}, .y = {1, 1, -1, -1}};
        o = defaults("002:2"), o.width = 200000;
        fathom_context_set_time_limit(*state, fathom_context_seconds(*state) + limit[k]);
        run_on(&result, *state, &p, &o);
        fathom_context_set_time_limit(*state, INFINITY);
        assert_true(result.complete || !strstr(result.conclusion, "vacuous"));
    }
}

/* The smallest arc around those of count angles (ascending) that are in the set: its middle and half its
 * length; empty: infinite. */
static void find_arc(double *middle, double *half, const double *angle, int64_t count, unsigned set)
{
    const double turn = 6.283185307179586476925287;
    double in[16];
    int64_t size = 0;
    *half = INFINITY, *middle = 0;
    for (int64_t i = 0; i < count; i++)
        if (set >> i & 1)
            in[size++] = angle[i];
    for (int64_t i = 0; i < size; i++) { /* from in[i] all the way round to the one before it */
        const double length = i > 0 ? in[i - 1] + turn - in[i] : in[size - 1] - in[0];
        if (length / 2 < *half)
            *half = length / 2, *middle = in[i] + length / 2;
    }
}

/* Whether some partition of each class into two has radii, overlap and imbalance below c2: all of them are
 * tried. */
static bool has_clusters(const double angle[2][16], const int64_t count[2], double c2)
{
    const double n = (double)(count[0] + count[1]);
    for (unsigned one = 1; one + 1 < 1u << count[0]; one++)
        for (unsigned other = 1; other + 1 < 1u << count[1]; other++) {
            const unsigned set[4] = {one, (1u << count[0]) - 1 - one, other, (1u << count[1]) - 1 - other};
            double middle[4], half, worst = 0, overlap = -1;
            for (int k = 0; k < 4; k++) {
                find_arc(middle + k, &half, angle[k / 2], count[k / 2], set[k]);
                worst = fmax(worst,
                             fmax(2 * sin(fmin(half, 1.5) / 2), fabs(__builtin_popcount(set[k]) / n - 0.25)));
            }
            for (int k = 0; k < 4; k++)
                overlap = fmax(overlap, cos(middle[k / 2] - middle[2 + k % 2]));
            if (worst < c2 * (1 - 1e-9) && overlap < c2 * (1 - 1e-9))
                return true;
        }
    return false;
}

static int ascending(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Clusters are sought: where there are some, none of their lines may fail; where the check says that there
 * are none, there are none. */
static void test_partitions(void **state)
{
    static fathom_check_result result;
    static points p;
    int64_t refused = 0, there = 0;
    for (uint64_t seed = 0; seed < (uint64_t)test_trials(60); seed++) {
        dice d = {seed, 0};
        double angle[2][16];
        const double spread = seed % 3 ? 0.4 : 0.05;
        const int64_t count[2] = {2 + below(&d, 4), 2 + below(&d, 4)};
        p = (points){.n = count[0] + count[1], .d = 2};
        for (int k = 0; k < 2; k++) {
            for (int64_t i = 0; i < count[k]; i++)
                angle[k][i] = 1.5707963267948966 * (double)(k + 2 * (i % 2)) + spread * (uniform(&d) - 0.5);
            qsort(angle[k], (size_t)count[k], sizeof(double), ascending);
        }
        for (int64_t i = 0; i < p.n; i++) {
            const double a = i < count[0] ? angle[0][i] : angle[1][i - count[0]];
            p.x[2 * i] = cos(a), p.x[2 * i + 1] = sin(a), p.y[i] = i < count[0] ? 1 : -1;
        }
        fathom_check_options o = defaults("002:19");
        o.width = 8, o.constants = "C2=0.1,C3=1,o=0.4";
        run_on(&result, *state, &p, &o);
        const int holds[3] = {line_of(&result, "radius r")->holds, line_of(&result, "overlap")->holds,
                              line_of(&result, "imbalance")->holds};
        const bool refuted = holds[0] == 0 || holds[1] == 0 || holds[2] == 0,
                   found = holds[0] == 1 && holds[1] == 1 && holds[2] == 1,
                   has = has_clusters(angle, count, 0.1);
        if ((has && refuted) || (found && !has))
            fail_msg("seed %d: clusters %s, %s", (int)seed, has ? "are there" : "are not there",
                     result.conclusion);
        refused += refuted, there += has;
    }
    assert_true(6 * refused >= test_trials(60) && 20 * there >= test_trials(60));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn),       cmocka_unit_test(test_no_step),
                                       cmocka_unit_test(test_rounding),    cmocka_unit_test(test_reduced),
                                       cmocka_unit_test(test_updates),     cmocka_unit_test(test_shortened),
                                       cmocka_unit_test(test_whole_steps), cmocka_unit_test(test_iterates),
                                       cmocka_unit_test(test_deep),        cmocka_unit_test(test_far),
                                       cmocka_unit_test(test_draws),       cmocka_unit_test(test_partitions)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
