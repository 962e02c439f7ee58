/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [003, App. A to C]: lemmas about random starts, maps and one step of SGD. N_m are m independent normal
 * numbers.
 *
 *   A.1  one label, |x_i| = 1: gamma_ntk >= gamma_gl / (8 sqrt d). For one label alpha_k > 0 costs nothing: without the
 *        negative ones f is no smaller, and |alpha|_1 is.
 *   A.2  a = N_m/sqrt m, V = N/sqrt d: |a| <= 1 + sqrt(2 ln(1/delta)/m), |V| <= sqrt m + sqrt(2 ln(1/delta)/d) with
 *        probability 1 - delta each, max_i |f(x_i)| <= 4 ln(n/delta) with probability 1 - 4 delta.
 *   B.1  SGD on fresh examples: sum_s Q(W_s) <= 4 sum_s Q_s(W_s) + 4 ln(1/delta), Q_s = |l'(p_s)|, Q its mean.
 *   B.2  |l'(z)| <= 1/8 implies l(z) <= 2 |l'(z)|: logistic l/|l'| = (1 + e^z) ln(1 + e^-z) falls, and is 8 ln(8/7) there.
 *   C.1  m >= 2 (2/eps)^d ln(r/delta) random directions come within eps of all of r given ones.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "inner/data.h"
#include "memory.h"
#include "random.h"
#include "theorem_internal.h"

static const double sure = 0.005; /* each end of an interval is wrong with this probability */

fathom_status theorem_check_003_a_1(theorem_run *run)
{
    theorem_range global, ntk;
    const char *note, *other;
    double positive = 0;
    for (int64_t i = 0; i < run->n; i++)
        positive += run->y[i] > 0;
    theorem_assume(run, "share of examples with label +1", positive / (double)run->n, "=", 1);
    FATHOM_TRY(theorem_margin(&global, &note, run, FATHOM_MARGIN_GLOBAL, 0, 1e-3));
    theorem_assume_range(run, "gamma_gl", global, ">", theorem_exact(0));
    theorem_note(run, note);
    FATHOM_TRY(theorem_margin(&ntk, &other, run, FATHOM_MARGIN_NTK_FULL, 0, 0.05));
    const double factor = 1 / (8 * sqrt((double)run->d));
    theorem_compare_range(run, "gamma_ntk, beside gamma_gl / (8 sqrt d)", ntk,
                          ">=", (theorem_range){factor * global.lower, factor * global.upper});
    theorem_note(run, other);
    return FATHOM_OK;
}

/* max_i |f(x_i)|. */
static fathom_status largest_output(double *largest, theorem_run *run, const fathom_net *net)
{
    double *f = fathom_memory_alloc(run->context, run->n, sizeof *f);
    const fathom_status status = f ? fathom_net_forward(f, net, run->data) : FATHOM_ERROR_MEMORY;
    *largest = 0;
    for (int64_t i = 0; i < run->n && status == FATHOM_OK; i++)
        *largest = fmax(*largest, fabs(f[i]));
    fathom_memory_free(run->context, f);
    return status;
}

/* Which of the three bounds of A.2 a draw meets. */
static fathom_status judge_start(bool met[3], theorem_run *run, const fathom_flow_options *options)
{
    const double m = (double)options->width, d = (double)run->d, l = log(1 / run->options->delta);
    fathom_net *net = NULL;
    double largest = 0;
    fathom_status status = theorem_start(&net, run, options);
    FATHOM_THEN(status, largest_output(&largest, run, net));
    if (status == FATHOM_OK) {
        const fathom_net_weights w = fathom_net_lend(net);
        met[0] = fathom_blas_norm(w.w, options->width) <= 1 + sqrt(2 * l / m);
        met[1] = fathom_blas_norm(w.u, options->width * run->d) <= sqrt(m) + sqrt(2 * l / d);
        met[2] = largest <= 4 * log((double)run->n / run->options->delta);
    }
    fathom_net_free(net);
    return status;
}

/* Draws of the seed and those after it, until the trials are done or the context asks to stop. */
typedef fathom_status draw_function(bool *met, theorem_run *run, const fathom_flow_options *options);

static fathom_status count_draws(int64_t *done, int64_t *met, int kinds, theorem_run *run,
                                 const fathom_flow_options *options, draw_function *draw)
{
    const uint64_t seed = fathom_context_seed(run->context);
    fathom_status status = FATHOM_OK;
    for (*done = 0; *done < run->options->trials && status == FATHOM_OK && !run->broken;) {
        bool yes[3] = {false, false, false};
        if (fathom_context_stop_reason(run->context) != FATHOM_STOP_NONE)
            theorem_break(run, "the draws were cut");
        fathom_context_set_seed(run->context, seed + (uint64_t)*done);
        status = run->broken ? FATHOM_OK : draw(yes, run, options);
        for (int k = 0; k < kinds && !run->broken; k++)
            met[k] += yes[k];
        *done += !run->broken;
    }
    fathom_context_set_seed(run->context, seed);
    run->chance = 0; /* a share of draws is what is compared */
    return status;
}

/* A probability seen in draws beside 1 - failure. */
static void compare_share(theorem_run *run, const char *name, int64_t met, int64_t done, double failure)
{
    theorem_compare_range(run, name, theorem_share((double)met, (double)met, (double)done, sure),
                          ">=", theorem_exact(1 - failure));
    theorem_note(run, "99 % confidence from the draws");
    theorem_vacuous(run, failure >= 1, "the bound on a probability is at most 0");
}

fathom_status theorem_check_003_a_2(theorem_run *run)
{
    static const char *const name[3] = {"probability of |a| <= 1 + sqrt(2 ln(1/delta)/m)",
                                        "probability of |V| <= sqrt m + sqrt(2 ln(1/delta)/d)",
                                        "probability of max |f(x_i)| <= 4 ln(n/delta)"};
    const fathom_flow_options options = theorem_flow_options(run, "relu", 256, NULL);
    const double delta = run->options->delta;
    int64_t done, met[3] = {0, 0, 0};
    theorem_chance(run, 4 * delta);
    const fathom_status status = count_draws(&done, met, 3, run, &options, judge_start);
    for (int k = 0; k < 3 && status == FATHOM_OK; k++)
        compare_share(run, name[k], met[k], done, k < 2 ? delta : 4 * delta);
    return status;
}

/* |l'(z)| of the logistic loss. */
static double logistic_slope(double z) { return z > 0 ? exp(-z) / (1 + exp(-z)) : 1 / (1 + exp(z)); }

/* One example for SGD on (a, V), and |l'| before. */
static double take_step(fathom_net *net, const theorem_run *run, double *z, int64_t m, int64_t i, double eta)
{
    const fathom_net_weights w = fathom_net_lend(net);
    const int64_t d = run->d;
    const double *x = run->x + i * d;
    double f = 0;
    for (int64_t j = 0; j < m; j++) {
        z[j] = fathom_blas_dot(w.u + j * d, x, d);
        f += w.w[j] * fmax(0, z[j]);
    }
    const double slope = logistic_slope(run->y[i] * f), move = eta * slope * run->y[i];
    for (int64_t j = 0; j < m; j++) {
        const double a = w.w[j];
        if (!(z[j] > 0))
            continue;
        w.w[j] += move * z[j];
        for (int64_t l = 0; l < d; l++)
            w.u[j * d + l] += move * a * x[l];
    }
    return slope;
}

/* Adds |l'| on every test example to total (count). */
static fathom_status add_pulls(double *total, double *f, const fathom_net *net, const fathom_data *test,
                               const double *y, int64_t count)
{
    const fathom_status status = fathom_net_forward(f, net, test);
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++)
        total[k] += logistic_slope(y[k] * f[k]);
    return status;
}

/* SGD over the rows as they stand: seen = sum_s |l'_s|, total (count) the sums on test examples. */
static fathom_status walk_through(double *seen, double *total, theorem_run *run, fathom_net *net, double eta,
                                  const fathom_data *test, const double *y, int64_t count)
{
    const int64_t m = fathom_net_look(net).m;
    double *block = fathom_memory_alloc(run->context, m + count + 1, sizeof *block);
    fathom_status status = block ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *seen = 0;
    for (int64_t i = 0; i < run->n && status == FATHOM_OK; i++) {
        if (fathom_context_stop_reason(run->context) != FATHOM_STOP_NONE) {
            theorem_break(run, "the run was cut before its end");
            break;
        }
        status = test ? add_pulls(total, block + m, net, test, y, count) : FATHOM_OK;
        *seen += take_step(net, run, block, m, i, eta);
    }
    fathom_memory_free(run->context, block);
    return status;
}

/* The mean of numbers in [0, most], from a sample of them. */
static theorem_range mean_of(const double *value, int64_t count, double most)
{
    const double c = (double)count, l = log(2 / sure);
    double mean = 0, variance = 0;
    for (int64_t k = 0; k < count; k++)
        mean += value[k] / c;
    for (int64_t k = 0; k < count; k++)
        variance += (value[k] - mean) * (value[k] - mean) / (c - 1);
    const double spread = count > 1 ? sqrt(2 * variance * l / c) + 7 * most * l / (3 * (c - 1)) : INFINITY;
    return (theorem_range){fmax(0, mean - spread), fmin(most, mean + spread)};
}

/* sum_s Q(W_s) from the test data, beside the sum that SGD saw. */
static fathom_status compare_walk(theorem_run *run, fathom_net *net, double eta, fathom_data *test)
{
    const double t = (double)run->n, bound = 4 * log(1 / run->options->delta);
    const double *y = NULL;
    int64_t outputs = 1;
    const int64_t count = test ? fathom_data_look(test).n : 0;
    double *total = fathom_memory_zero(run->context, count + 1, sizeof *total), seen;
    fathom_status status = total ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && test)
        status = fathom_data_code_classes(&y, &outputs, test);
    FATHOM_THEN(status, walk_through(&seen, total, run, net, eta, test, y, count));
    if (status == FATHOM_OK) {
        theorem_compare_range(run, "sum of Q(W_s), s < t, beside 4 sum of |l'_s(W_s)| + 4 ln(1/delta)",
                              test ? mean_of(total, count, t) : theorem_exact(NAN),
                              "<=", theorem_exact(4 * seen + bound));
        theorem_note(run, test ? "99 % confidence from the test data" : "no --test DATA");
        theorem_vacuous(run, 4 * seen + bound >= t, "Q is at most 1");
    }
    fathom_memory_free(run->context, total);
    return status;
}

fathom_status theorem_check_003_b_1(theorem_run *run)
{
    const fathom_flow_options options = theorem_flow_options(run, "relu", 64, NULL);
    const fathom_preprocess preprocess = fathom_data_preprocess(run->data);
    const fathom_classes classes = fathom_data_classes(run->data);
    const double eta = isnan(run->options->step) ? 0.3 : run->options->step;
    fathom_data *test = NULL;
    fathom_net *net = NULL;
    fathom_status status = run->options->test ? fathom_data_open_like(&test, run->context, run->options->test,
                                                                      NULL, &preprocess, &classes)
                                              : FATHOM_OK;
    theorem_say(run, "the rows are taken as fresh draws, each once as they stand%s",
                isnan(run->options->step) ? "; step 0.3" : "");
    theorem_chance(run, run->options->delta);
    FATHOM_THEN(status, theorem_start(&net, run, &options));
    FATHOM_THEN(status, compare_walk(run, net, eta, test));
    fathom_net_free(net);
    fathom_data_free(test);
    return status;
}

fathom_status theorem_check_003_b_2(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "relu", 64, "log_loss=-3");
    fathom_flow_result result;
    fathom_net_margin margins;
    double *p = fathom_memory_alloc(run->context, 2 * run->n, sizeof *p), ratio = 0, small = 0;
    options.method = FATHOM_FLOW_FLOW, options.loss = run->options->loss;
    fathom_status status = p ? theorem_flow(&result, run, &options, NULL, NULL, NULL) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        status = fathom_net_margins(&margins, p, p + run->n, run->context, result.net, run->data);
        fathom_flow_result_clear(&result);
    }
    for (int64_t i = 0; i < run->n && status == FATHOM_OK; i++) {
        const bool logistic = run->options->loss == 0;
        const double slope = logistic ? logistic_slope(p[i]) : exp(-p[i]);
        small += slope <= 0.125;
        if (slope <= 0.125)
            ratio = fmax(ratio,
                         logistic ? (1 + exp(-p[i])) * (p[i] > 30 ? 1 : exp(p[i]) * log1p(exp(-p[i]))) : 1);
    }
    if (status == FATHOM_OK) {
        theorem_assume_seen(run, "examples with |l'(p_i)| <= 1/8 at the end of a flow", small, ">=", 1);
        theorem_soften(run, true, theorem_finite_text);
        theorem_compare(run, "largest l(p_i) / |l'(p_i)| of them", small > 0 ? ratio : NAN, "<=", 2);
        theorem_compare(run, "the same, beside 8 ln(8/7), which is sharp", small > 0 ? ratio : NAN,
                        "<=", 8 * log(8.0 / 7) * (1 + 1e-12));
    }
    fathom_memory_free(run->context, p);
    return status;
}

/* Whether every given direction has a drawn one within epsilon: cosines of at least 1 - epsilon^2/2. */
static fathom_status judge_cover(bool *met, theorem_run *run, const fathom_flow_options *options)
{
    const int64_t m = options->width, d = run->d;
    const double level = 1 - run->options->epsilon * run->options->epsilon / 2;
    double *best = fathom_memory_alloc(run->context, run->n + d, sizeof *best),
           *v = best ? best + run->n : NULL;
    if (!best)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < run->n; i++)
        best[i] = -1;
    for (int64_t j = 0; j < m; j++) {
        if (j % 4096 == 0 && fathom_context_stop_reason(run->context) != FATHOM_STOP_NONE) {
            theorem_break(run, "the draws were cut");
            break;
        }
        fathom_random_normals(v, d, fathom_context_seed(run->context), FATHOM_STREAM_HIDDEN, 0,
                              (uint64_t)(j * d));
        const double norm = fathom_blas_norm(v, d);
        for (int64_t i = 0; i < run->n; i++)
            best[i] = fmax(best[i], fathom_blas_dot(run->x + i * d, v, d) / norm);
    }
    *met = true;
    for (int64_t i = 0; i < run->n; i++)
        *met &= best[i] >= level * fathom_blas_norm(run->x + i * d, d) * (1 - 1e-15);
    fathom_memory_free(run->context, best);
    return FATHOM_OK;
}

fathom_status theorem_check_003_c_1(theorem_run *run)
{
    const double epsilon = run->options->epsilon, delta = run->options->delta,
                 need = ceil(2 * pow(2 / epsilon, (double)run->d) * log((double)run->n / delta));
    fathom_flow_options options =
        theorem_flow_options(run, "relu", need < 1e5 ? (int64_t)need : 100000, NULL);
    int64_t done, met = 0;
    double least = INFINITY;
    for (int64_t i = 0; i < run->n; i++)
        least = fmin(least, fathom_blas_norm(run->x + i * run->d, run->d));
    theorem_say(run, "beta_k: the directions of the examples, r = n");
    theorem_assume(run, "least |x_i|", least, ">", 0);
    theorem_assume(run, "width m", (double)options.width, ">=", need);
    theorem_chance(run, delta);
    FATHOM_TRY(count_draws(&done, &met, 1, run, &options, judge_cover));
    compare_share(run, "probability that every beta_k has some v_j/|v_j| within epsilon", met, done, delta);
    return FATHOM_OK;
}
