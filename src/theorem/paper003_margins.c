/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [003]: assumptions over distributions, estimates of margins, and what follows from a margin at a time.
 *
 *   1.2, 1.4  the margins of Assumptions 1.1 and 1.3 for the distribution: at most those of any sample of it,
 *     so that a sample can refute
 *             them and cannot prove them.
 *   1.5       linearly separable data with margin g: gamma_ntk >= g / 32, gamma_ntk >= g / (16 sqrt d),
 *     gamma_gl >= g / 2.
 *   1.6       parity of two coordinates on {+-1/sqrt d}^d: gamma_ntk >= 1 / (50 d), gamma_gl >= 1 / sqrt(8
 *     d).
 *   2.3       flow, m >= (640 ln(t/delta)/gamma)^2, t >= n: R(W_t) <= 1 / (5t), |W_s - W_0| <= gamma sqrt(m)
 *     / 80 for s <= t.
 *   2.5       any W with gamma_s > 0: error <= C (ln(n)^3 / (n gamma_s^2) + ln(1/delta) / n), C left open.
 *   2.6       examples of one label in two narrow cones and one more: the best linear predictor, of margin g,
 *     is a KKT point, and wide networks
 *             end with a margin above g / 2, which is that of the linear predictor as a network.
 */
#include <math.h>
#include <stdio.h>

#include "blas.h"
#include "theorem_internal.h"

static const double rough = 0.05; /* relative width of the margins */

static theorem_range times(theorem_range g, double factor)
{
    return (theorem_range){factor * g.lower, factor * g.upper};
}

/* A margin of the sample is at least that of the distribution. */
static fathom_status check_distribution(theorem_run *run, const char *name, fathom_margin_kind kind)
{
    theorem_range g;
    const char *note;
    FATHOM_TRY(theorem_margin(&g, &note, run, kind, 0, rough));
    theorem_assume_range(run, name, (theorem_range){0, g.upper}, ">", theorem_exact(0));
    theorem_note(run, g.upper > 0 ? "at most that of the sample, which proves nothing" : note);
    return FATHOM_OK;
}

fathom_status theorem_check_003_1_2(theorem_run *run)
{
    return check_distribution(run, "gamma_gl of the distribution", FATHOM_MARGIN_GLOBAL);
}

fathom_status theorem_check_003_1_4(theorem_run *run)
{
    return check_distribution(run, "gamma_ntk of the distribution", FATHOM_MARGIN_NTK_FULL);
}

/* Both margins of the sample beside lower bounds of them. */
static fathom_status compare_margins(theorem_run *run, theorem_range ntk, theorem_range global)
{
    theorem_range g;
    const char *note;
    FATHOM_TRY(theorem_margin(&g, &note, run, FATHOM_MARGIN_NTK_FULL, 0, rough));
    theorem_compare_range(run, "gamma_ntk", g, ">=", ntk);
    theorem_note(run, note);
    FATHOM_TRY(theorem_margin(&g, &note, run, FATHOM_MARGIN_GLOBAL, 0, 1e-3));
    theorem_compare_range(run, "gamma_gl", g, ">=", global);
    theorem_note(run, note);
    return FATHOM_OK;
}

fathom_status theorem_check_003_1_5(theorem_run *run)
{
    theorem_range linear;
    FATHOM_TRY(theorem_linear_margin(&linear, run));
    theorem_assume_range(run, "linear margin", linear, ">", theorem_exact(0));
    const double best = fmax(1.0 / 32, 1 / (16 * sqrt((double)run->d)));
    return linear.lower > 0 ? compare_margins(run, times(linear, best), times(linear, 0.5)) : FATHOM_OK;
}

/* max_ij ||x_ij| sqrt d - 1|. */
static double cube_error(const theorem_run *run)
{
    double worst = 0;
    for (int64_t k = 0; k < run->n * run->d; k++)
        worst = fmax(worst, fabs(fabs(run->x[k]) * sqrt((double)run->d) - 1));
    return worst;
}

/* Whether y is the sign of x_a x_b on all examples. */
static bool is_parity(const theorem_run *run, int64_t a, int64_t b)
{
    for (int64_t i = 0; i < run->n; i++)
        if (!(run->y[i] * run->x[i * run->d + a] * run->x[i * run->d + b] > 0))
            return false;
    return true;
}

fathom_status theorem_check_003_1_6(theorem_run *run)
{
    const double d = (double)run->d, error = cube_error(run);
    bool found = false;
    for (int64_t a = 0; a < run->d && !found; a++)
        for (int64_t b = 0; b < a && !found; b++) {
            found = is_parity(run, a, b);
            if (found)
                theorem_say(run, "the label is the product of coordinates %lld and %lld", (long long)b + 1,
                            (long long)a + 1);
        }
    theorem_assume(run, "largest ||x_ij| sqrt(d) - 1|", error, "<=", 1e-12);
    theorem_assume(run, "labels are the product of two coordinates (1: yes)", found, "=", 1);
    return found && error <= 1e-12
               ? compare_margins(run, theorem_exact(1 / (50 * d)), theorem_exact((1 - 1e-9) / sqrt(8 * d)))
               : FATHOM_OK;
}

/* The largest |W_s - W_0| at the steps of a flow. */
static void observe_reach(void *user, const fathom_flow_record *r)
{
    double *farthest = user;
    *farthest = fmax(*farthest, r->distance);
}

fathom_status theorem_check_003_2_3(theorem_run *run)
{
    const double t = theorem_constant(run, "t", (double)run->n);
    char until[64];
    snprintf(until, sizeof until, "time=%.17g", t);
    fathom_flow_options options = theorem_flow_options(run, "relu", 256, until);
    fathom_flow_result result;
    const double m = (double)options.width, l = 640 * log(t / run->options->delta);
    double farthest = 0;
    theorem_range g;
    const char *note;
    FATHOM_TRY(theorem_output_margin(&g, &note, run));
    theorem_assume_range(run, "gamma_ntk", g, ">", theorem_exact(0));
    theorem_note(run, note);
    theorem_assume(run, "time t", t, ">=", (double)run->n);
    theorem_assume_range(run, "width m", theorem_exact(m),
                         ">=", (theorem_range){pow(l / g.upper, 2), pow(l / g.lower, 2)});
    theorem_chance(run, 7 * run->options->delta);
    options.method = FATHOM_FLOW_FLOW, options.loss = run->options->loss, options.every = 1;
    FATHOM_TRY(theorem_flow(&result, run, &options, NULL, observe_reach, &farthest));
    theorem_compare(run, "R(W_t)", exp(result.end.log_loss), "<=", 1 / (5 * t));
    theorem_compare_range(run, "largest |W_s - W_0|, s <= t", theorem_exact(farthest),
                          "<=", times(g, sqrt(m) / 80));
    theorem_note(run, "at the steps of the integrator");
    fathom_flow_result_clear(&result);
    return FATHOM_OK;
}

/* paper003_margins.c: the error on --test of a network with this accuracy there, at 99 %; everything
 * without --test. */
static fathom_status test_error(theorem_range *error, theorem_run *run, double accuracy)
{
    double count;
    *error = (theorem_range){0, 1};
    if (!run->options->test)
        return FATHOM_OK;
    FATHOM_TRY(theorem_count_examples(&count, run));
    const double wrong = round((1 - accuracy) * count);
    *error = theorem_share(wrong, wrong, count, 0.005);
    return FATHOM_OK;
}

fathom_status theorem_compare_error(theorem_run *run, const char *name, double accuracy, theorem_range g)
{
    const double n = (double)run->n, c = theorem_constant(run, "C", 1),
                 rest = log(1 / run->options->delta) / n;
    const theorem_range bound = {c * (pow(log(n), 3) / (n * g.upper * g.upper) + rest),
                                 c * (pow(log(n), 3) / (n * g.lower * g.lower) + rest)};
    theorem_range error;
    if (!run->options->test)
        return FATHOM_OK;
    FATHOM_TRY(test_error(&error, run, accuracy));
    theorem_compare_range(run, name, isnan(accuracy) ? theorem_exact(NAN) : error, "<=", bound);
    theorem_note(run, "99 % confidence from the test data; C is left open by the paper (default 1)");
    theorem_vacuous(run, bound.lower >= 1, "the bound on a probability is at least 1");
    return FATHOM_OK;
}

/* gamma_s of (a/sqrt g, V sqrt g) where W = (a, V) has smoothed margin `smoothed`. */
static double rebalanced(fathom_net *net, double smoothed, double g)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    const double a = fathom_blas_norm(w.w, shape.m), v = fathom_blas_norm(w.u, shape.m * shape.d);
    return smoothed / (a * a / g + v * v * g);
}

fathom_status theorem_compare_rebalanced(theorem_run *run, const fathom_flow_options *options,
                                         theorem_range g, theorem_range radius)
{
    theorem_range seen = {NAN, NAN};
    double accuracy = NAN;
    fathom_status status = FATHOM_OK;
    for (int side = 0; side < 2 && status == FATHOM_OK && radius.lower > 0; side++) {
        fathom_flow_options o = *options;
        fathom_flow_result result;
        char until[64];
        snprintf(until, sizeof until, "distance=%.17g", side ? radius.upper : radius.lower);
        o.until = until, o.every = 0, o.mark = NULL;
        status = theorem_flow(&result, run, &o, NULL, NULL, NULL);
        if (status != FATHOM_OK)
            break;
        const double value = rebalanced(result.net, result.end.smoothed_margin, side ? g.upper : g.lower);
        seen =
            side ? (theorem_range){fmin(seen.lower, value), fmax(seen.lower, value)} : theorem_exact(value);
        accuracy = result.end.test_accuracy;
        fathom_flow_result_clear(&result);
    }
    if (status != FATHOM_OK)
        return status;
    const theorem_range margin = times(g, 1.0 / 4096);
    theorem_compare_range(run, "gamma_s of the rebalanced W_t, |W_t - W_0| = R", seen, ">=", margin);
    theorem_note(run, "at both ends of the interval of gamma");
    return theorem_compare_error(run, "test error of W_t", accuracy, margin);
}

fathom_status theorem_check_003_2_5(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "relu", 256, "log_loss=-10");
    fathom_flow_result result;
    const double n = (double)run->n, c = theorem_constant(run, "C", 1);
    theorem_range error = {0, 1};
    options.method = FATHOM_FLOW_FLOW, options.loss = run->options->loss, options.test = run->options->test;
    FATHOM_TRY(theorem_flow(&result, run, &options, NULL, NULL, NULL));
    const double gamma = result.end.smoothed_normalized_margin;
    const double bound = c * (pow(log(n), 3) / (n * gamma * gamma) + log(1 / run->options->delta) / n);
    theorem_assume_seen(run, "gamma_s of the network at the end of a flow", gamma, ">", 0);
    theorem_chance(run, run->options->delta);
    fathom_status status = test_error(&error, run, result.end.test_accuracy);
    theorem_compare_range(run, "test error", error, "<=", theorem_exact(gamma > 0 ? bound : NAN));
    theorem_note(run, run->options->test ? "99 % confidence from the test data" : "no --test DATA");
    theorem_vacuous(run, bound >= 1, "the bound on a probability is at least 1");
    fathom_flow_result_clear(&result);
    return status;
}

/* The largest <x_i, x_j> between two parts of the examples without `left`: those in front of the first of
 * them, and the rest. */
static double largest_product(const theorem_run *run, int64_t left)
{
    const int64_t n = run->n, d = run->d, first = left == 0 ? 1 : 0;
    const double *head = run->x + first * d;
    double worst = -INFINITY;
    int64_t behind = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const double *x = run->x + i * d, *z = run->x + j * d;
            if (i == left || j == left || fathom_blas_dot(x, head, d) <= 0 || fathom_blas_dot(z, head, d) > 0)
                continue;
            behind++;
            worst = fmax(worst, fathom_blas_dot(x, z, d));
        }
    return behind > 0 ? worst : INFINITY;
}

fathom_status theorem_check_003_2_6(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "relu", 64, "log_loss=-300");
    fathom_flow_result result;
    theorem_range linear;
    double product = INFINITY;
    int64_t positive = 0;
    for (int64_t i = 0; i < run->n; i++) {
        positive += run->y[i] > 0;
        product = run->n > 2 ? fmin(product, largest_product(run, i)) : product;
    }
    FATHOM_TRY(theorem_linear_margin(&linear, run));
    theorem_assume(run, "share of examples with label +1", (double)positive / (double)run->n, "=", 1);
    theorem_assume(run, "least largest <x_i, x_j> between two parts without one example", product,
                   "<=", -sqrt(0.5));
    theorem_note(run, isinf(product) ? "no two such parts" : NULL);
    theorem_assume_range(run, "linear margin", linear, ">", theorem_exact(0));
    options.method = FATHOM_FLOW_FLOW;
    FATHOM_TRY(theorem_flow(&result, run, &options, NULL, NULL, NULL));
    theorem_compare_limit(run, "gamma_s at the end, beside half the linear margin",
                          theorem_exact(result.end.smoothed_normalized_margin), ">", times(linear, 0.5));
    fathom_flow_result_clear(&result);
    return FATHOM_OK;
}
