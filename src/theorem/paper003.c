/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [003]: ReLU networks with both layers trained; margins normalised by |W|^2, gamma_s the smoothed one.
 *
 *   1.1  the global margin gamma_gl is positive.          1.3  the tangent margin gamma_ntk is positive (maps of norm at most 1).
 *   2.1  SGD, one fresh example a step: m >= (64 ln(t/delta)/gamma)^2 and >= (640/gamma)^2, step in [gamma/(10 sqrt m), gamma^2/6400]:
 *        test error <= 8 ln(1/delta)/t + 2560/(t gamma^2), |W_s - W_0| <= 80 step sqrt(m)/gamma.
 *   2.2  flow, m >= (640 ln(n/delta)/gamma)^2: from the time when |W - W_0| = R = gamma sqrt(m)/32 on, gamma_s >= gamma^2/4096.
 *   2.4  flow, m >= 256 ln(n/delta)/gamma^2, and some W_tau with |W_tau - W_0| <= R/2 and n R(W_tau) < l(0): the same.
 *   3.1  collapsed data: cones around beta_k, everything else in their polars.
 *   3.2  collapsed data, exponential loss, m >= 2 (2/eps)^d ln(r/delta): gamma_s >= (gamma_nc - eps)/(2r) at last.
 *   3.3  no rotation, exponential loss, m >= 2 (4/gamma_gl)^d ln(r/delta): gamma_s >= gamma_gl/4 at last.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blas.h"
#include "memory.h"
#include "theorem_internal.h"

static const double rough = 0.05; /* relative width of the margins that enter hypotheses */

/* What is watched along a flow. */
typedef struct watch {
    double radius, level;   /* R; ln(l(0)/n) */
    double warm;            /* least |W - W_0| at which n R(W) < l(0) */
    bool left;              /* |W - W_0| >= R was reached */
    double least, distance; /* since then: least gamma_s, least |W - W_0| */
    double farthest;        /* largest |W - W_0| of all */
    double top, fall;       /* largest gamma_s since n R < l(0), and the largest fall below it */
    double last;            /* gamma_s at the end */
} watch;

static void observe(void *user, const fathom_flow_record *r)
{
    watch *w = user;
    const double margin = r->smoothed_normalized_margin;
    w->farthest = fmax(w->farthest, r->distance);
    if (r->log_loss < w->level) {
        w->warm = fmin(w->warm, r->distance);
        w->fall = fmax(w->fall, w->top - margin);
        w->top = fmax(w->top, margin);
    }
    w->left = w->left || r->distance >= w->radius;
    if (w->left) {
        w->least = fmin(w->least, margin);
        w->distance = fmin(w->distance, r->distance);
    }
    w->last = margin;
}

static watch fresh(const theorem_run *run, double radius, double zero)
{
    return (watch){.radius = radius,
                   .level = log(zero / (double)run->n),
                   .warm = INFINITY,
                   .least = INFINITY,
                   .distance = INFINITY,
                   .top = -INFINITY,
                   .last = NAN};
}

static double seen(double value) { return isinf(value) ? NAN : value; }

static fathom_status check_1_1(theorem_run *run)
{
    double lower, upper;
    const fathom_status status = theorem_margin(&lower, &upper, run, FATHOM_MARGIN_GLOBAL, 0, 1e-3);
    if (status == FATHOM_OK) {
        theorem_assume_between(run, "gamma_gl", lower, upper, ">", 0);
        theorem_compare(run, "gamma_gl, at least", lower > 0 || upper == 0 ? lower : NAN, ">", 0);
    }
    return status;
}

static fathom_status check_1_3(theorem_run *run)
{
    double lower, upper;
    const fathom_status status = theorem_margin(&lower, &upper, run, FATHOM_MARGIN_NTK_FULL, 0, rough);
    if (status == FATHOM_OK) {
        theorem_assume_between(run, "gamma_ntk", lower, upper, ">", 0);
        theorem_compare(run, "gamma_ntk, at least", lower > 0 || upper == 0 ? lower : NAN, ">", 0);
    }
    return status;
}

/* Share of examples of --test that a network gets wrong; NaN without --test. */
static fathom_status test_error(double *error, theorem_run *run, const fathom_net *net)
{
    fathom_data *data;
    const double *y;
    int64_t outputs, wrong = 0;
    *error = NAN;
    if (!run->options->test)
        return FATHOM_OK;
    const fathom_preprocess preprocess = fathom_data_preprocess(run->data);
    const fathom_classes classes = fathom_data_classes(run->data);
    fathom_status status =
        fathom_data_open_like(&data, run->context, run->options->test, NULL, &preprocess, &classes);
    if (status != FATHOM_OK)
        return status;
    const int64_t n = fathom_data_look(data).n;
    double *f = fathom_memory_alloc(run->context, n, sizeof *f);
    status = f ? fathom_data_code_classes(&y, &outputs, data) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK)
        status = fathom_net_forward(f, net, data);
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++)
        wrong += !(y[i] * f[i] > 0);
    *error = (double)wrong / (double)n;
    fathom_memory_free(run->context, f);
    fathom_data_free(data);
    return status;
}

static fathom_status check_2_1(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "relu", 256, NULL);
    fathom_flow_result result;
    const double t = (double)run->n, delta = run->options->delta, m = (double)options.width;
    double lower, upper, error = NAN;
    char step[64];
    fathom_status status = theorem_margin(&lower, &upper, run, FATHOM_MARGIN_NTK_FULL, 0, rough);
    if (status != FATHOM_OK)
        return status;
    const double gamma = lower, most = gamma * gamma / 6400;
    const double eta = isnan(run->options->step) ? (most > 0 ? most : 0.01) : run->options->step;
    theorem_assume_between(run, "gamma_ntk", lower, upper, ">", 0);
    theorem_assume(run, "width m, first condition", m, ">=", pow(64 * log(t / delta) / gamma, 2));
    theorem_assume(run, "width m, second condition", m, ">=", pow(640 / gamma, 2));
    theorem_assume(run, "step", eta, ">=", gamma / (10 * sqrt(m)));
    theorem_assume(run, "step", eta, "<=", most);
    watch w = fresh(run, INFINITY, log(2));
    snprintf(step, sizeof step, "const:%.17g", eta);
    options.method = FATHOM_FLOW_SGD;
    options.sample = 1;
    options.step = step;
    status = fathom_flow_watch(&result, run->context, run->data, &options, NULL, observe, &w);
    if (status != FATHOM_OK)
        return status;
    status = test_error(&error, run, result.net);
    if (run->options->test)
        theorem_compare(run, "test error of the last iterate", error,
                        "<=", 8 * log(1 / delta) / t + 2560 / (t * gamma * gamma));
    theorem_compare(run, "largest |W_s - W_0|", w.farthest, "<=", 80 * eta * sqrt(m) / gamma);
    fathom_flow_result_clear(&result);
    return status;
}

/* Theorem 2.2 and Lemma 2.4 differ in their hypotheses alone. */
static fathom_status check_flow(theorem_run *run, bool lemma)
{
    fathom_flow_options options = theorem_flow_options(run, "relu", 256, "log_loss=-20");
    fathom_flow_result result;
    const double m = (double)options.width, l = log((double)run->n / run->options->delta);
    double lower, upper;
    fathom_status status = theorem_margin(&lower, &upper, run, FATHOM_MARGIN_NTK_FULL, 0, rough);
    if (status != FATHOM_OK)
        return status;
    const double radius = lower * sqrt(m) / 32;
    watch w = fresh(run, radius, log(2));
    theorem_assume_between(run, "gamma_ntk", lower, upper, ">", 0);
    theorem_assume(run, "width m", m, ">=", lemma ? 256 * l / (lower * lower) : pow(640 * l / lower, 2));
    options.method = FATHOM_FLOW_FLOW;
    status = fathom_flow_watch(&result, run->context, run->data, &options, NULL, observe, &w);
    if (status != FATHOM_OK)
        return status;
    fathom_flow_result_clear(&result);
    if (lemma)
        theorem_assume(run, "least |W - W_0| seen with n R(W) < l(0)", w.warm, "<=", radius / 2);
    theorem_compare(run, "least gamma_s once |W - W_0| reached R", seen(w.least), ">=", lower * lower / 4096);
    theorem_compare(run, "least |W - W_0| after that", seen(w.distance), ">=", radius * (1 - 1e-12));
    theorem_compare(run, "largest fall of gamma_s once n R < l(0)", w.top > -INFINITY ? w.fall : NAN,
                    "<=", 1e-6 * fmax(w.top, 0));
    return FATHOM_OK;
}

static fathom_status check_2_2(theorem_run *run) { return check_flow(run, false); }

static fathom_status check_2_4(theorem_run *run) { return check_flow(run, true); }

/* Cones of collapsed data. */
typedef struct cones {
    int64_t count;
    double margin; /* gamma_nc: least <beta_k, x_i> of the examples of cone k */
    double across; /* largest |x_i - <beta_k, x_i> beta_k| of them */
    double polar;  /* least -<beta_k, x_i> of the others */
    double trap;   /* least of: polar / (sqrt(|x|^2 - polar^2)), for the corrected condition */
} cones;

/* Components of {y_i = y_j, <x_i, x_j> > 0}: label[i] = number of the cone of example i. */
static int64_t connect(int64_t *label, int64_t *stack, const theorem_run *run)
{
    const int64_t n = run->n, d = run->d;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        label[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t depth = 0;
        if (label[i] >= 0)
            continue;
        label[stack[depth++] = i] = count;
        while (depth > 0) {
            const int64_t k = stack[--depth];
            for (int64_t j = 0; j < n; j++)
                if (label[j] < 0 && run->y[j] == run->y[k] &&
                    fathom_blas_dot(run->x + j * d, run->x + k * d, d) > 0)
                    label[stack[depth++] = j] = count;
        }
        count++;
    }
    return count;
}

/* One cone: its direction is the mean of its examples, scaled to norm 1. */
static void measure_cone(cones *c, const theorem_run *run, const int64_t *label, int64_t k, double *beta)
{
    const int64_t n = run->n, d = run->d;
    memset(beta, 0, (size_t)d * sizeof *beta);
    for (int64_t i = 0; i < n; i++)
        if (label[i] == k)
            fathom_blas_axpy(beta, 1 / fathom_blas_norm(run->x + i * d, d), run->x + i * d, d);
    fathom_blas_scale(beta, 1 / fathom_blas_norm(beta, d), d);
    for (int64_t i = 0; i < n; i++) {
        const double along = fathom_blas_dot(beta, run->x + i * d, d),
                     norm = fathom_blas_norm(run->x + i * d, d);
        const double across = sqrt(fmax(0, (norm - along) * (norm + along)));
        if (label[i] == k) {
            c->margin = fmin(c->margin, along);
            c->across = fmax(c->across, across);
        } else {
            c->polar = fmin(c->polar, -along);
            c->trap = fmin(c->trap, -along / fmax(across, 1e-300));
        }
    }
}

static fathom_status find_cones(cones *c, theorem_run *run)
{
    int64_t *label = fathom_memory_alloc(run->context, 2 * run->n, sizeof *label);
    double *beta = fathom_memory_alloc(run->context, run->d, sizeof *beta);
    const bool ok = label && beta;
    *c = (cones){.margin = INFINITY, .polar = INFINITY, .trap = INFINITY};
    if (ok) {
        c->count = connect(label, label + run->n, run);
        for (int64_t k = 0; k < c->count; k++)
            measure_cone(c, run, label, k, beta);
    }
    fathom_memory_free(run->context, label);
    fathom_memory_free(run->context, beta);
    return ok ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* The least epsilon that the widths of the cones allow: across <= gamma_nc sqrt(eps/2). */
static double assume_cones(theorem_run *run, const cones *c)
{
    const double epsilon = 2 * pow(c->across / c->margin, 2);
    theorem_assume(run, "gamma_nc", c->margin, ">", 0);
    theorem_assume(run, "epsilon, the least that holds the cones", epsilon, "<", c->margin);
    theorem_assume(run, "least -<beta_k, x_i> outside the cones", c->polar, ">=", epsilon);
    theorem_assume(run, "least polar / across outside, corrected", c->trap,
                   ">=", sqrt(fmax(0, 2 * epsilon - epsilon * epsilon)) / (1 - epsilon));
    return epsilon;
}

static fathom_status check_3_1(theorem_run *run)
{
    cones c;
    const fathom_status status = find_cones(&c, run);
    if (status == FATHOM_OK)
        theorem_compare(run, "epsilon, beside gamma_nc", assume_cones(run, &c), "<", c.margin);
    return status;
}

/* gamma_s at the end of an exponential-loss flow. */
static fathom_status last_margin(watch *w, theorem_run *run, const char *net, int64_t width)
{
    fathom_flow_options options = theorem_flow_options(run, net, width, "log_loss=-3000");
    fathom_flow_result result;
    options.method = FATHOM_FLOW_FLOW;
    options.loss = 1; /* exponential */
    const fathom_status status =
        fathom_flow_watch(&result, run->context, run->data, &options, NULL, observe, w);
    if (status != FATHOM_OK)
        return status;
    if (!theorem_whole(&result)) /* a margin on the way is not the last one */
        w->last = NAN;
    fathom_flow_result_clear(&result);
    return FATHOM_OK;
}

static fathom_status check_3_2(theorem_run *run)
{
    const double m = run->options->width > 0 ? (double)run->options->width : 64;
    cones c;
    fathom_status status = find_cones(&c, run);
    if (status != FATHOM_OK)
        return status;
    const double epsilon = assume_cones(run, &c), r = (double)c.count;
    watch w = fresh(run, INFINITY, 1);
    theorem_assume(run, "width m", m,
                   ">=", 2 * pow(2 / epsilon, (double)run->d) * log(r / run->options->delta));
    if (!(c.margin > epsilon)) /* no cones: there is no bound */
        return FATHOM_OK;
    status = last_margin(&w, run, "relu", (int64_t)m);
    theorem_compare(run, "gamma_s at the end", w.last, ">=", (c.margin - epsilon) / (2 * r));
    theorem_compare(run, "gamma_s at the end, with the paper's constant", w.last,
                    ">=", (c.margin - epsilon) / (8 * r));
    return status;
}

static fathom_status check_3_3(theorem_run *run)
{
    const double m = run->options->width > 0 ? (double)run->options->width : 256;
    double lower, upper;
    fathom_status status = theorem_margin(&lower, &upper, run, FATHOM_MARGIN_GLOBAL, 0, 1e-3);
    if (status != FATHOM_OK)
        return status;
    const double r = theorem_constant(run, "r", (double)run->n);
    watch w = fresh(run, INFINITY, 1);
    theorem_assume_between(run, "gamma_gl", lower, upper, ">", 0);
    theorem_assume(run, "width m", m,
                   ">=", 2 * pow(4 / lower, (double)run->d) * log(r / run->options->delta));
    status = last_margin(&w, run, "scalar", (int64_t)m);
    theorem_compare(run, "gamma_s at the end", w.last, ">=", lower / 4);
    theorem_compare(run, "gamma_s at the end, at most half the global margin", w.last, "<=", upper / 2);
    return status;
}

const theorem_row theorem_rows_003[] = {
    {"003:1.1", false, check_1_1,
     "Assumption 1.1: some network sum_k alpha_k relu(<beta_k, x>), |alpha|_1 = |beta_k| = 1, has a positive "
     "margin.",
     NULL},
    {"003:1.3", false, check_1_3,
     "Assumption 1.3: some map theta of the initial weights has a positive margin with the tangent features.",
     "|theta(w)| <= 1, which the paper uses and does not write"},
    {"003:2.1", false, check_2_1,
     "SGD with one fresh example a step on m >= (64 ln(t/delta)/gamma)^2 units has test error <= 8 "
     "ln(1/delta)/t + 2560/(t gamma^2).",
     "m >= (640/gamma)^2 as well, or there is no step; gamma is that of the sample, at least that of the "
     "distribution"},
    {"003:2.2", false, check_2_2,
     "Flow on m >= (640 ln(n/delta)/gamma)^2 units: from |W - W_0| = gamma sqrt(m)/32 on the smoothed margin "
     "is at least gamma^2/4096.",
     "gamma^2/4096, not gamma/4096 as in the introduction; gamma is that of the sample"},
    {"003:2.4", false, check_2_4,
     "Lemma 2.4: flow on m >= 256 ln(n/delta)/gamma^2 units from a W with n R(W) < l(0) near the start keeps "
     "a margin of gamma^2/4096.",
     NULL},
    {"003:3.1", false, check_3_1,
     "Assumption 3.1: the examples lie in narrow cones, each in the polar of the others.",
     "cones of examples with label sgn(alpha_k) and <beta_k, x> >= gamma_nc; the polar needs the margin "
     "sqrt(2 eps - eps^2) |across| / (1 - "
     "eps) to trap what points at beta_k"},
    {"003:3.2", false, check_3_2,
     "Collapsed data, exponential loss, m >= 2 (2/eps)^d ln(r/delta): at last the smoothed margin is at "
     "least (gamma_nc - eps)/(2r).",
     "2r, which the proof gives, instead of 8r"},
    {"003:3.3", false, check_3_3,
     "Networks without rotation, exponential loss, m >= 2 (4/gamma_gl)^d ln(r/delta): at last the smoothed "
     "margin is at least gamma_gl/4.",
     "r, the number of reference units, is at most n (the default)"},
    {NULL, false, NULL, NULL, NULL}};
