/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [003]: ReLU networks with both layers trained, |x_i| <= 1; margins normalised by |W|^2, gamma_s the
 * smoothed one.
 *
 *   1.1  the global margin gamma_gl is positive.          1.3  the tangent margin gamma_ntk is positive (maps of norm at most 1).
 *   2.1  SGD, one fresh example a step, t of them: m >= (64 ln(t/delta)/gamma)^2 and >= (640/gamma)^2, step in [gamma/(10 sqrt m),
 *        gamma^2/6400]: least test error of W_s, s < t, <= 8 ln(1/delta)/t + 2560/(t gamma^2), |W_s - W_0| <= 80 step sqrt(m)/gamma.
 *   2.2  flow, m >= (640 ln(n/delta)/gamma)^2: from some time with |W - W_0| = R = gamma sqrt(m)/32 on, gamma_s >= gamma^2/4096.
 *   2.4  flow, m >= 256 ln(n/delta)/gamma^2, and some W_tau with |W_tau - W_0| <= R/2 and n R(W_tau) < l(0): the same.
 *   3.1  collapsed data: cones around beta_k, everything else in their polars (collapse.c).
 *   3.2  collapsed data, exponential loss, m >= 2 (2/eps)^d ln(r/delta): gamma_s >= (gamma_nc - eps)/(2r) at last.
 *   3.3  no rotation, exponential loss, m >= 2 (4/gamma_gl)^d ln(r/delta): gamma_s >= gamma_gl/4 at last.
 *
 * gamma is known as an interval, and so is everything made of it. Once n R(W) < l(0) gamma_s does not
 * decrease [003, Lemma A.6]: a bound that is met then is met for ever, and one that is not met yet is
 * undecided. The flow of 3.2 keeps |V|^2 - |a|^2 = |W_0|^2 up to 2 |a_0|^2: that costs less than a part in
 * HORIZON once ln(1/R) > HORIZON |W_0|^2 times the bound, which is how long it runs.
 */
#include <math.h>
#include <stdio.h>

#include "context_internal.h"
#include "memory.h"
#include "theorem_internal.h"

static const double rough = 0.05; /* relative width of the margins that enter hypotheses */
enum { HORIZON = 100 };

/* What is watched along a flow, for a radius known to lie in [near, far]. */
typedef struct watch {
    double near, far, level; /* of R; ln(l(0)/n) */
    double warm;             /* least |W - W_0| at which n R(W) < l(0) */
    theorem_range least;     /* least gamma_s since |W - W_0| was below `near` last, and below `far` */
    bool left;               /* |W - W_0| >= far at the end */
    double top, fall;        /* largest gamma_s since n R < l(0), and the largest fall below it */
    double last;             /* gamma_s at the end */
    bool rising;             /* n R < l(0) at the end */
    double accuracy;         /* on the data of --test, at the end */
} watch;

static void observe(void *user, const fathom_flow_record *r)
{
    watch *w = user;
    const double margin = r->smoothed_normalized_margin;
    w->rising = r->log_loss <= w->level;
    if (w->rising) {
        w->warm = fmin(w->warm, r->distance);
        w->fall = fmax(w->fall, w->top - margin);
        w->top = fmax(w->top, margin);
    }
    w->least.lower = r->distance < w->near ? INFINITY : fmin(w->least.lower, margin);
    w->least.upper = r->distance < w->far ? INFINITY : fmin(w->least.upper, margin);
    w->left = r->distance >= w->far;
    w->last = margin;
    w->accuracy = r->test_accuracy;
}

static watch fresh(const theorem_run *run, theorem_range radius, double zero)
{
    return (watch){.near = radius.lower,
                   .far = radius.upper,
                   .level = log(zero / (double)run->n),
                   .warm = INFINITY,
                   .least = {INFINITY, INFINITY},
                   .top = -INFINITY,
                   .last = NAN,
                   .accuracy = NAN};
}

/* The interval {f(gamma)}, f monotone: at its ends, in order. */
static theorem_range between(double one, double other)
{
    return (theorem_range){fmin(one, other), fmax(one, other)};
}

static fathom_status assume_margin(theorem_range *gamma, theorem_run *run, const char *name,
                                   fathom_margin_kind kind, double gap)
{
    const char *note;
    FATHOM_TRY(theorem_margin(gamma, &note, run, kind, 0, gap));
    theorem_assume_range(run, name, *gamma, ">", theorem_exact(0));
    theorem_note(run, note);
    return FATHOM_OK;
}

/* gamma_ntk as the proofs need it (docs/reference/theorems.md, "Lemma A.3 and the scale of a"). */
static fathom_status assume_output_margin(theorem_range *gamma, theorem_run *run)
{
    const char *note;
    FATHOM_TRY(theorem_output_margin(gamma, &note, run));
    theorem_assume_range(run, "gamma_ntk", *gamma, ">", theorem_exact(0));
    theorem_note(run, note);
    return FATHOM_OK;
}

/* An assumption is its own conclusion. */
static fathom_status check_margin(theorem_run *run, const char *name, fathom_margin_kind kind, double gap)
{
    theorem_range gamma;
    FATHOM_TRY(assume_margin(&gamma, run, name, kind, gap));
    theorem_compare_range(run, name, gamma, ">", theorem_exact(0));
    return FATHOM_OK;
}

static fathom_status check_1_1(theorem_run *run)
{
    return check_margin(run, "gamma_gl", FATHOM_MARGIN_GLOBAL, 1e-3);
}

static fathom_status check_1_3(theorem_run *run)
{
    return check_margin(run, "gamma_ntk", FATHOM_MARGIN_NTK_FULL, rough);
}

/* What is watched along SGD: every update is looked at, or one in `every`. */
typedef struct walk {
    double eta, reach, every;
    theorem_range farthest; /* largest |W_s - W_0|: seen, and possible between records */
    double error;           /* least error on the test data seen */
} walk;

/* Between records W moves by at most eta |x| |W| an update, |W| grows by the factor 1 + eta |x|. */
static void observe_walk(void *user, const fathom_flow_record *r)
{
    walk *w = user;
    const double drift = w->every > 1 ? expm1(w->every * w->eta * w->reach) * r->norm : 0;
    w->farthest.lower = fmax(w->farthest.lower, r->distance);
    w->farthest.upper = fmax(w->farthest.upper, r->distance + drift);
    w->error = fmin(w->error, 1 - r->test_accuracy);
}

/* The least test error over n iterates: seen on N examples, up to a deviation that any of them has with
 * probability 1 % [Hoeffding]. */
static fathom_status compare_error(theorem_run *run, const walk *w, theorem_range bound)
{
    double examples;
    FATHOM_TRY(theorem_count_examples(&examples, run));
    const double spread = sqrt(log(200 * (double)run->n) / (2 * examples));
    const theorem_range error = {w->every > 1 ? 0 : fmax(0, w->error - spread), fmin(1, w->error + spread)};
    theorem_compare_range(run, "least test error of W_s, s < t", error, "<=", bound);
    theorem_note(run, "99 % confidence from the test data");
    theorem_vacuous(run, bound.lower >= 1, "the bound on a probability is at least 1");
    return FATHOM_OK;
}

static fathom_status check_2_1(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "relu", 256, NULL);
    fathom_flow_result result;
    const double t = (double)run->n, delta = run->options->delta, m = (double)options.width,
                 l = 64 * log(t / delta);
    theorem_range g;
    char step[64], until[64];
    FATHOM_TRY(assume_output_margin(&g, run));
    const double most = g.lower * g.lower / 6400;
    const double eta = isnan(run->options->step) ? (most > 0 ? most : 0.01) : run->options->step;
    if (isnan(run->options->step))
        theorem_say(run, "step %.6g%s", eta, most > 0 ? ", the largest that the theorem allows" : "");
    theorem_assume_range(run, "width m, first condition", theorem_exact(m),
                         ">=", between(pow(l / g.upper, 2), pow(l / g.lower, 2)));
    theorem_assume_range(run, "width m, second condition", theorem_exact(m),
                         ">=", between(pow(640 / g.upper, 2), pow(640 / g.lower, 2)));
    theorem_assume_range(run, "step", theorem_exact(eta),
                         ">=", between(g.lower / (10 * sqrt(m)), g.upper / (10 * sqrt(m))));
    theorem_assume_range(run, "step", theorem_exact(eta), "<=", between(most, g.upper * g.upper / 6400));
    theorem_chance(run, 7 * delta);
    walk w = {eta, run->reach, run->n > 2000 ? ceil(t / 2000) : 1, {0, 0}, INFINITY};
    snprintf(step, sizeof step, "const:%.17g", eta);
    snprintf(until, sizeof until, "steps=%lld", (long long)run->n - 1); /* W_s, s < t */
    options.method = FATHOM_FLOW_SGD;
    options.sample = 1;
    options.step = step, options.until = until, options.test = run->options->test;
    options.every = (int64_t)w.every;
    FATHOM_TRY(theorem_flow(&result, run, &options, NULL, observe_walk, &w));
    fathom_status status = FATHOM_OK;
    const double first = 8 * log(1 / delta) / t, second = 2560 / t, far = 80 * eta * sqrt(m);
    if (run->options->test)
        status = compare_error(
            run, &w, between(first + second / (g.upper * g.upper), first + second / (g.lower * g.lower)));
    theorem_compare_range(run, "largest |W_s - W_0|", w.farthest,
                          "<=", between(far / g.upper, far / g.lower));
    fathom_flow_result_clear(&result);
    return status;
}

/* The flow until n R(W) < e^-10 l(0), and where that is not far enough once more until |W - W_0| is twice
 * R. */
static fathom_status leave_ball(watch *w, theorem_run *run, fathom_flow_options *options)
{
    const watch start = *w;
    fathom_flow_result result;
    fathom_status status = FATHOM_OK;
    char until[64], mark[128];
    snprintf(mark, sizeof mark, "log_loss=%.17g,distance=%.17g,distance=%.17g", w->level, w->near, w->far);
    options->method = FATHOM_FLOW_FLOW;
    options->loss = run->options->loss;
    options->test = run->options->test;
    options->every = 1;
    options->mark = w->near > 0 ? mark : NULL;
    for (int round = 0; round < (run->options->until ? 1 : 2) && status == FATHOM_OK && !w->left; round++) {
        *w = start;
        if (round == 0)
            snprintf(until, sizeof until, "log_loss=%.17g", w->level - 10);
        else
            snprintf(until, sizeof until, "distance=%.17g", 2 * w->far);
        options->until = run->options->until ? run->options->until : until;
        status = theorem_flow(&result, run, options, NULL, observe, w);
        if (status == FATHOM_OK)
            fathom_flow_result_clear(&result);
    }
    return status;
}

/* Theorem 2.2 and Lemma 2.4 differ in their hypotheses alone. */
static fathom_status check_flow(theorem_run *run, bool lemma)
{
    fathom_flow_options options = theorem_flow_options(run, "relu", 256, NULL);
    const double m = (double)options.width, l = log((double)run->n / run->options->delta), rounding = 1e-9;
    theorem_range g;
    FATHOM_TRY(assume_output_margin(&g, run));
    const theorem_range radius = {g.lower * sqrt(m) / 32, g.upper * sqrt(m) / 32};
    watch w = fresh(run, radius, run->options->loss ? 1 : log(2)); /* l(0) */
    theorem_assume_range(run, "width m", theorem_exact(m), ">=",
                         lemma ? between(256 * l / (g.upper * g.upper), 256 * l / (g.lower * g.lower))
                               : between(pow(640 * l / g.upper, 2), pow(640 * l / g.lower, 2)));
    theorem_chance(run, (lemma ? 7 : 15) * run->options->delta);
    FATHOM_TRY(leave_ball(&w, run, &options));
    fathom_status status = FATHOM_OK;
    if (lemma) {
        theorem_assume_range(
            run, "least |W - W_0| with n R(W) <= l(0)", theorem_exact(isinf(w.warm) ? NAN : w.warm),
            "<=", between(radius.lower / 2 * (1 + rounding), radius.upper / 2 * (1 + rounding)));
        theorem_note(run, run->broken);
    }
    const bool known = w.left && w.rising; /* from here on gamma_s rises */
    theorem_compare_range(run, "least gamma_s once |W - W_0| stays above R",
                          known ? w.least : theorem_exact(NAN),
                          ">=", between(g.lower * g.lower / 4096, g.upper * g.upper / 4096));
    theorem_note(run, known ? NULL : "the run ended before |W - W_0| = R with n R(W) < l(0)");
    theorem_compare(run, "largest fall of gamma_s once n R < l(0)", w.top > -INFINITY ? w.fall : NAN,
                    "<=", 1e-6 * fmax(w.top, 0));
    const theorem_range margin = {g.lower * g.lower / 4096, g.upper * g.upper / 4096};
    if (!lemma)
        status = theorem_compare_error(run, "test error at the end", known ? w.accuracy : NAN, margin);
    return status == FATHOM_OK ? theorem_compare_rebalanced(run, &options, g, radius) : status;
}

static fathom_status check_2_2(theorem_run *run) { return check_flow(run, false); }

static fathom_status check_2_4(theorem_run *run) { return check_flow(run, true); }

/* Assumption 3.1 as printed, and with the polar that the proof needs, as one line each. */
static fathom_status assume_cones(theorem_cones *c, theorem_run *run)
{
    const double given = theorem_constant(run, "eps", NAN);
    theorem_cones printed;
    double *beta = NULL;
    int64_t count = 0;
    fathom_status status = run->options->directions ? theorem_read_directions(&beta, &count, run) : FATHOM_OK;
    FATHOM_THEN(status, theorem_cones_by(&printed, run, beta, count, given, false));
    FATHOM_THEN(status, theorem_cones_by(c, run, beta, count, given, true));
    fathom_memory_free(run->context, beta);
    if (status != FATHOM_OK)
        return status;
    theorem_assume(run, "cones of Assumption 3.1 as printed (1: found)", theorem_truth(printed.decided), "=",
                   1);
    theorem_note(run, printed.reason);
    theorem_assume(run, "cones with the polar that the proof needs (1: found)", theorem_truth(c->decided),
                   "=", 1);
    theorem_note(run, c->reason);
    if (c->decided != 1)
        return FATHOM_OK;
    theorem_say(run, "%lld cones, gamma_nc %.6g, epsilon %.6g%s", (long long)c->count, c->margin, c->epsilon,
                run->options->directions ? " (of the directions that are given)" : "");
    if (c->most < INFINITY)
        theorem_say(run, "no cones on the same examples have gamma_nc - epsilon above %.6g", c->most);
    theorem_assume(run, "gamma_nc", c->margin, ">", 0);
    theorem_assume(run, "epsilon", c->epsilon, "<", c->margin);
    return FATHOM_OK;
}

static fathom_status check_3_1(theorem_run *run)
{
    theorem_cones c;
    FATHOM_TRY(assume_cones(&c, run));
    theorem_compare(run, "cones with the polar that the proof needs (1: found)", theorem_truth(c.decided),
                    "=", 1);
    return FATHOM_OK;
}

/* gamma_s rises towards its limit like 1 - c/ln(1/R): a longer run from the same start, kept where it
 * arrives. */
static fathom_status go_on(bool *arrived, watch *w, const watch *begun, theorem_run *run,
                           const fathom_flow_options *options)
{
    fathom_flow_result result;
    watch longer = *begun;
    FATHOM_TRY(fathom_flow_watch(&result, run->context, run->data, options, NULL, observe, &longer));
    *arrived = result.status == FATHOM_FLOW_REACHED;
    if (*arrived)
        *w = longer;
    fathom_flow_result_clear(&result);
    return FATHOM_OK;
}

/* gamma_s at the end of an exponential-loss flow that should attain `bound` at last: from where the
 * imbalance of the start has died out it goes on, 30 times as deep, while it has not. */
static fathom_status last_margin(watch *w, theorem_run *run, fathom_flow_options *options, double bound)
{
    const double deepest = 1e6, m = (double)options->width;
    const bool own = !options->until;
    const watch begun = *w;
    double depth = fmax(300, HORIZON * (m + 1) * bound);
    fathom_flow_result result;
    char until[64];
    snprintf(until, sizeof until, "log_loss=%.17g", -depth);
    options->until = own ? until : options->until;
    options->method = FATHOM_FLOW_FLOW;
    options->loss = 1; /* exponential */
    options->test = run->options->test;
    fathom_status status = theorem_flow(&result, run, options, NULL, observe, w);
    bool arrived = status == FATHOM_OK && result.status == FATHOM_FLOW_REACHED;
    if (status == FATHOM_OK)
        fathom_flow_result_clear(&result);
    const double first = depth;
    while (own && arrived && status == FATHOM_OK && w->last < bound && depth < deepest &&
           fathom_context_stop_reason(run->context) == FATHOM_STOP_NONE) {
        const double before = depth;
        depth = fmin(30 * depth, deepest);
        snprintf(until, sizeof until, "log_loss=%.17g", -depth);
        status = go_on(&arrived, w, &begun, run, options);
        depth = arrived ? depth : before;
    }
    options->until = own ? NULL : options->until; /* the text ends with this function */
    if (own)
        theorem_say(run,
                    "the flow runs until log_loss=%.17g, where the imbalance of the start has died out%s",
                    -depth, depth > first ? "; before that the bound was not met" : "");
    return status;
}

static fathom_status check_3_2(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "relu", 64, NULL);
    theorem_cones c;
    fathom_status status = assume_cones(&c, run);
    if (status != FATHOM_OK || c.decided != 1) /* no cones: there is no bound */
        return status;
    const double r = (double)c.count, bound = (c.margin - c.epsilon) / (2 * r);
    watch w = fresh(run, theorem_exact(INFINITY), 1);
    theorem_assume(run, "width m", (double)options.width,
                   ">=", 2 * pow(2 / c.epsilon, (double)run->d) * log(r / run->options->delta));
    theorem_chance(run, 3 * run->options->delta);
    status = last_margin(&w, run, &options, bound);
    theorem_compare_limit(run, "gamma_s at the end", theorem_exact(w.last), ">=", theorem_exact(bound));
    theorem_compare_limit(run, "gamma_s at the end, with the paper's constant", theorem_exact(w.last),
                          ">=", theorem_exact(bound / 4));
    FATHOM_THEN(status,
                theorem_compare_error(run, "test error at the end", w.accuracy, theorem_exact(bound)));
    return status;
}

static fathom_status check_3_3(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "scalar", 256, NULL);
    const double d = (double)run->d, r = theorem_constant(run, "r", (double)run->n);
    theorem_range g;
    FATHOM_TRY(assume_margin(&g, run, "gamma_gl", FATHOM_MARGIN_GLOBAL, 1e-3));
    const double l = 2 * log(r / run->options->delta);
    watch w = fresh(run, theorem_exact(INFINITY), 1);
    theorem_assume_range(run, "width m", theorem_exact((double)options.width),
                         ">=", between(l * pow(4 / g.upper, d), l * pow(4 / g.lower, d)));
    theorem_chance(run, 3 * run->options->delta);
    fathom_status status = last_margin(&w, run, &options, g.upper / 4);
    theorem_compare_limit(run, "gamma_s at the end", theorem_exact(w.last),
                          ">=", (theorem_range){g.lower / 4, g.upper / 4});
    theorem_compare_range(run, "gamma_s at the end, at most half the global margin", theorem_exact(w.last),
                          "<=", (theorem_range){g.lower / 2, g.upper / 2});
    FATHOM_THEN(status, theorem_compare_error(run, "test error at the end", w.accuracy,
                                              (theorem_range){g.lower / 4, g.upper / 4}));
    return status;
}

const theorem_row theorem_rows_003[] = {
    {"003:1.1", false, check_1_1,
     "Assumption 1.1: some network sum_k alpha_k relu(<beta_k, x>), |alpha|_1 = |beta_k| = 1, has a positive "
     "margin.",
     NULL, THEOREM_UNIT_BALL | THEOREM_NO_BIAS, NULL, NULL},
    {"003:1.3", false, check_1_3,
     "Assumption 1.3: some map theta of the initial weights has a positive margin with the tangent features.",
     "|theta(w)| <= 1, which the paper uses and does not write", THEOREM_UNIT_BALL | THEOREM_NO_BIAS, NULL,
     NULL},
    {"003:1.2", false, theorem_check_003_1_2,
     "Assumption 1.2: Assumption 1.1 holds for every sample of the distribution with the same network.", NULL,
     THEOREM_UNIT_BALL | THEOREM_NO_BIAS, NULL, NULL},
    {"003:1.4", false, theorem_check_003_1_4,
     "Assumption 1.4: Assumption 1.3 holds for every sample of the distribution with the same map.",
     "|theta(w)| <= 1, which the paper uses and does not write", THEOREM_UNIT_BALL | THEOREM_NO_BIAS, NULL,
     NULL},
    {"003:1.5", false, theorem_check_003_1_5,
     "Proposition 1.5: linear margin g > 0 gives gamma_ntk >= max(g/32, g/(16 sqrt d)) and gamma_gl >= g/2.",
     NULL, THEOREM_UNIT_BALL | THEOREM_NO_BIAS, NULL, NULL},
    {"003:1.6", false, theorem_check_003_1_6,
     "Proposition 1.6: parity of two coordinates has gamma_ntk >= 1/(50 d) and gamma_gl >= 1/sqrt(8 d).",
     "of the sample, whose margins are at least those of the distribution",
     THEOREM_UNIT_BALL | THEOREM_NO_BIAS, NULL, NULL},
    {"003:2.1", false, check_2_1,
     "SGD with one fresh example a step on m >= (64 ln(t/delta)/gamma)^2 units has some iterate with test "
     "error <= 8 "
     "ln(1/delta)/t + 2560/(t gamma^2), with probability 1 - 7 delta.",
     "m >= (640/gamma)^2 as well, or there is no step; gamma is that of maps of the output layer, since "
     "a_j ~ N(0, 1/m), and of the sample, at least that of the distribution",
     THEOREM_UNIT_BALL | THEOREM_NO_BIAS, "width,delta,step,test", NULL},
    {"003:2.2", false, check_2_2,
     "Flow on m >= (640 ln(n/delta)/gamma)^2 units: from a time with |W - W_0| = gamma sqrt(m)/32 on the "
     "smoothed "
     "margin is at least gamma^2/4096, with probability 1 - 15 delta.",
     "gamma^2/4096, not gamma/4096 as in the introduction; gamma is that of maps of the output layer, since "
     "a_j ~ N(0, 1/m), and of the sample",
     THEOREM_UNIT_BALL | THEOREM_NO_BIAS, "width,delta,loss,until,test", "C"},
    {"003:2.4", false, check_2_4,
     "Lemma 2.4: flow on m >= 256 ln(n/delta)/gamma^2 units from a W with n R(W) < l(0) near the start keeps "
     "a margin of gamma^2/4096, with probability 1 - 7 delta.",
     "gamma is that of maps of the output layer, since a_j ~ N(0, 1/m), and of the sample",
     THEOREM_UNIT_BALL | THEOREM_NO_BIAS, "width,delta,loss,until", NULL},
    {"003:2.3", false, theorem_check_003_2_3,
     "Lemma 2.3: flow on m >= (640 ln(t/delta)/gamma)^2 units: R(W_t) <= 1/(5t) and |W_s - W_0| <= gamma "
     "sqrt(m)/80 until t, with probability 1 - 7 delta.",
     "t >= n, which its proof needs; t is n or --constants t=T; gamma is that of maps of the output layer, "
     "since "
     "a_j ~ N(0, 1/m), and of the sample",
     THEOREM_UNIT_BALL | THEOREM_NO_BIAS, "width,delta,loss", "t"},
    {"003:2.5", false, theorem_check_003_2_5,
     "Lemma 2.5: a network with smoothed margin gamma > 0 has test error <= C (ln(n)^3/(n gamma^2) + "
     "ln(1/delta)/n), with probability 1 - delta.",
     "C (default 1) is left open by the paper", THEOREM_UNIT_BALL | THEOREM_NO_BIAS,
     "width,delta,loss,until,test", "C"},
    {"003:2.6", false, theorem_check_003_2_6,
     "Proposition 2.6: one label, two narrow cones and one more example: wide networks end with a larger "
     "margin than the best linear predictor, which is a KKT point.",
     "the linear predictor with margin g is a network with margin g/2", THEOREM_UNIT_SPHERE | THEOREM_NO_BIAS,
     "width,until", NULL},
    {"003:3.1", false, check_3_1,
     "Assumption 3.1: the examples lie in narrow cones, each in the polar of the others.",
     "cones of examples with label sgn(alpha_k) and <beta_k, x> >= gamma_nc; the polar needs the margin "
     "|x| sin t, cos t = 1 - eps, to trap what points at beta_k",
     THEOREM_UNIT_BALL | THEOREM_NO_BIAS, "directions", "eps"},
    {"003:3.2", false, check_3_2,
     "Collapsed data, exponential loss, m >= 2 (2/eps)^d ln(r/delta): at last the smoothed margin is at "
     "least (gamma_nc - eps)/(2r), with probability 1 - 3 delta.",
     "2r, which the proof gives, instead of 8r", THEOREM_UNIT_BALL | THEOREM_NO_BIAS,
     "width,delta,until,test,directions", "eps,C"},
    {"003:3.3", false, check_3_3,
     "Networks without rotation, exponential loss, m >= 2 (4/gamma_gl)^d ln(r/delta): at last the smoothed "
     "margin is at least gamma_gl/4, with probability 1 - 3 delta.",
     "r, the number of reference units, is at most n (the default)", THEOREM_UNIT_BALL | THEOREM_NO_BIAS,
     "width,delta,until,test", "r,C"},
    {"003:a.1", false, theorem_check_003_a_1,
     "Lemma A.1: examples of one label and norm 1 have gamma_ntk >= gamma_gl/(8 sqrt d).", NULL,
     THEOREM_UNIT_SPHERE | THEOREM_NO_BIAS, NULL, NULL},
    {"003:a.2", false, theorem_check_003_a_2,
     "Lemma A.2: random starts have |a| <= 1 + sqrt(2 ln(1/delta)/m) and |V| <= sqrt m + sqrt(2 "
     "ln(1/delta)/d) with probability 1 - delta each, and |f(x_i)| <= 4 ln(n/delta) for all i with "
     "probability 1 - 4 delta.",
     NULL, THEOREM_UNIT_BALL | THEOREM_NO_BIAS, "width,delta,trials", NULL},
    {"003:a.3", false, theorem_check_003_a_3,
     "Lemma A.3: a map with margin gamma > 0 gives directions near W_0 along which every margin grows by "
     "gamma sqrt m - sqrt(32 ln(n/delta)), up to 4R + 4 at distance R, with probability 1 - 7 delta.",
     "the constants 4R + 4 and 4R + R^2 of its proof; for maps of the output layer: those of the hidden "
     "layer "
     "gain nothing times sqrt m where a_j ~ N(0, 1/m)",
     THEOREM_UNIT_BALL | THEOREM_NO_BIAS, "width,delta,loss,until", NULL},
    {"003:a.4", false, theorem_check_003_a_4,
     "Lemma A.4: once n R < l(0) the norm grows along the flow, d|W|/dt > 0 and <W, dW/dt> > 0, without "
     "bound.",
     "|x_i| <= 1, which [003] assumes throughout, is not needed", THEOREM_NO_BIAS, "width,loss,until,init",
     NULL},
    {"003:a.5", false, theorem_check_003_a_5,
     "Lemma A.5: exponential loss, any W: <W, -n dR>/(2|W|^2) <= Q (gamma_s + ln(n)/|W|^2) <= Q (gamma + "
     "ln(n)/|W|^2).",
     "|x_i| <= 1, which [003] assumes throughout, is not needed", THEOREM_NO_BIAS, "width,until,init", NULL},
    {"003:a.6", false, theorem_check_003_a_6,
     "Lemma A.6: a potential with Phi <= ln|W|/2 and dPhi/dt >= Q g, g > 0, makes R tend to 0, |W| to "
     "infinity and the margin to at least g.",
     "R tends to 0; here for networks without rotation, with the potential of Theorem 3.3 and the best "
     "margin "
     "2 g/(1 - epsilon) over their directions",
     THEOREM_UNIT_BALL | THEOREM_NO_BIAS, "width,epsilon,until,init", NULL},
    {"003:b.1", false, theorem_check_003_b_1,
     "Lemma B.1: SGD on fresh examples has sum of Q(W_s) <= 4 sum of |l'_s(W_s)| + 4 ln(1/delta) with "
     "probability 1 - delta, Q the mean of |l'|.",
     "|x_i| <= 1, which [003] assumes throughout, is not needed", THEOREM_NO_BIAS, "width,delta,step,test",
     NULL},
    {"003:b.2", false, theorem_check_003_b_2, "Lemma B.2: |l'(z)| <= 1/8 implies l(z) <= 2 |l'(z)|.",
     "logistic: z >= ln 7, and l <= 8 ln(8/7) |l'|; |x_i| <= 1, which [003] assumes throughout, is not "
     "needed",
     THEOREM_NO_BIAS, "width,loss,until,init", NULL},
    {"003:c.1", false, theorem_check_003_c_1,
     "Lemma C.1: m >= 2 (2/eps)^d ln(r/delta) random directions come within eps of all of r given ones, with "
     "probability 1 - delta.",
     "|x_i| <= 1, which [003] assumes throughout, is not needed", THEOREM_NO_BIAS,
     "width,epsilon,delta,trials", NULL},
    {NULL, false, NULL, NULL, NULL, 0, NULL, NULL}};
