/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [003, App. A.3]: what is true of gradient flow of homogeneous networks, here of degree 2.
 *
 *   A.4  once n R < l(0): d|W|/dt > 0, <W, dW/dt> > 0, and |W| tends to infinity.
 *   A.5  exponential loss, Q = n R, every W: <W, -n dR>/(2 |W|^2) <= Q (gamma_s + ln n/|W|^2) <= Q (gamma + ln n/|W|^2).
 *   A.6  Phi <= (1/2) ln|W| and dPhi/dt >= Q g > 0 for all later times: R -> 0, |W| -> infinity, liminf gamma >= g.
 *
 * A.5 at records: <W, -n dR>/(2 |W|^2 Q) = |dR| cos(W, -dR)/(2 |W| R), from the gradient itself and not
 * from Euler's identity.
 *
 * What rounding leaves of these, u = 2^-53, N weights, X = max |x_i|: a dot product of length N is known to N u |W||dR|, a
 * neuron's gradient (1/n) sum_i |l'_i| y_i (..) x_i to n u times the sum of its terms' sizes, all of them to n u |W| X R in all
 * (|l'| <= l, to rounding, for both losses), margins p_i to (m + d + 2) u X |W|^2/2. So cos(W, -dR) is known to
 * N u + n u |W| X R/|dR|. Far from 0 it is smaller than that, and |W| grows by less than its last digit: open, not refuted.
 *
 * A.6 for f = sum_j a_j relu(b_j <v_j, x>), v_j fixed, a_j^2 = b_j^2: with |alpha|_1 <= 1 on these units,
 * Phi = (1/4) sum_j |alpha_j| ln(a_j^2 + b_j^2) <= (1/4) ln|W|^2 by Jensen, and
 *     dPhi/dt = sum_j |alpha_j| sum_i |l'_i| y_i a_j relu(b_j <v_j, x_i>)/(a_j^2 + b_j^2) = (Q/2) sum_i q_i y_i f_alpha(x_i) >= Q G/2
 * where f_alpha has margin G over the directions sgn(b_j) v_j with the signs of a_j, neither of which ever
 * changes. Hence gamma tends to at least G/2 for the best alpha, and no network on these units has more:
 * G/2 is the limit.
 */
#include <math.h>
#include <stdio.h>

#include "blas.h"
#include "context_internal.h"
#include "margin_directions.h"
#include "memory.h"
#include "theorem_internal.h"

/* What is watched along a flow, once n R < l(0) (A.4) or always (A.5). */
typedef struct growth {
    double level;             /* ln(l(0)/n) */
    double least;             /* ln R */
    int64_t seen;             /* states since the level was met */
    double first, last, fall; /* |W| then, now, and its largest relative fall */
    theorem_range cosine;     /* least cos(W, dW/dt) */
    double logarithm;         /* ln n */
    theorem_range excess;     /* A.5: largest left - middle, relative to their sizes */
    double gap;               /* and middle - right */
    double weights, sums;     /* N; n X */
    double outputs;           /* (m + d + 2) X/2 */
} growth;

static const double unit = 0x1p-52; /* 2 u: the first order of all of the above, and more */

static void observe_growth(void *user, const fathom_flow_record *r)
{
    growth *g = user;
    g->least = fmin(g->least, r->log_loss);
    if (!(r->log_loss < g->level))
        return;
    if (g->seen++ == 0)
        g->first = g->last = r->norm;
    g->fall = fmax(g->fall, (g->last - r->norm) / r->norm);
    g->last = r->norm;
    const double cosine = 1 - r->kkt_residual,
                 rounding = unit * (g->weights + g->sums * r->norm * exp(r->log_loss - r->log_gradient));
    g->cosine.lower = fmin(g->cosine.lower, cosine - rounding);
    g->cosine.upper = fmin(g->cosine.upper, cosine + rounding);
}

static void observe_dual(void *user, const fathom_flow_record *r)
{
    growth *g = user;
    const double square = r->norm * r->norm, share = g->logarithm / square;
    const double steepness = exp(r->log_gradient - r->log_loss) / (2 * r->norm);
    const double left = steepness * (1 - r->kkt_residual);
    const double middle = r->smoothed_normalized_margin + share, right = r->normalized_margin + share;
    const double size = fabs(left) + fabs(middle) + share;
    /* ln |dR| and ln R are known to their last digit, however large: their difference is known to as much */
    const double last = fabs(left) * (fabs(r->log_gradient) + fabs(r->log_loss));
    const double rounding = unit * (last + steepness * g->weights + g->sums / 2 + g->outputs);
    if (isnan(left)) /* a gradient of 0: both sides are what they are at the records around */
        return;
    g->excess.lower = fmax(g->excess.lower, (left - rounding - middle) / size);
    g->excess.upper = fmax(g->excess.upper, (left + rounding - middle) / size);
    g->gap = fmax(g->gap, (middle - right) / size);
}

static growth fresh(const theorem_run *run, double zero, int64_t width)
{
    const double n = (double)run->n, m = (double)width, d = (double)run->d;
    return (growth){.level = log(zero / n),
                    .least = INFINITY,
                    .first = NAN,
                    .cosine = theorem_exact(INFINITY),
                    .logarithm = log(n),
                    .excess = theorem_exact(-INFINITY),
                    .gap = -INFINITY,
                    .weights = m * (d + 1),
                    .sums = n * run->reach,
                    .outputs = (m + d + 2) * run->reach / 2};
}

/* A number as close as the sum of its rounding errors. */
static theorem_range around(double value, double rounding)
{
    return (theorem_range){value * (1 - rounding), value * (1 + rounding)};
}

fathom_status theorem_check_003_a_4(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "relu", 64, "log_loss=-50");
    growth g = fresh(run, run->options->loss ? 1 : log(2), options.width);
    fathom_flow_result result;
    options.method = FATHOM_FLOW_FLOW, options.loss = run->options->loss, options.every = 1;
    FATHOM_TRY(theorem_flow(&result, run, &options, NULL, observe_growth, &g));
    fathom_flow_result_clear(&result);
    const double rounding = 1e-12;
    const bool known = g.seen > 0, later = g.seen > 1;
    theorem_assume_seen(run, "least ln R on the run, beside ln(l(0)/n)", g.least, "<", g.level);
    theorem_soften(run, true, theorem_finite_text);
    theorem_compare_range(run, "least cos(W, dW/dt) since", known ? g.cosine : theorem_exact(NAN), ">",
                          theorem_exact(0));
    theorem_compare(run, "largest relative fall of |W| between records since", later ? g.fall : NAN,
                    "<=", rounding);
    theorem_compare_range(run, "|W| at the end, beside its value then",
                          later ? around(g.last, rounding) : theorem_exact(NAN), ">", theorem_exact(g.first));
    theorem_note(run, !later ? "the run has no two states since then"
                      : fabs(g.last - g.first) <= rounding * fabs(g.last)
                          ? "it grows by less than its rounding"
                          : "a run shows growth, not the limit");
    return FATHOM_OK;
}

fathom_status theorem_check_003_a_5(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "relu", 64, "log_loss=-50");
    growth g = fresh(run, 1, options.width);
    fathom_flow_result result;
    const double rounding = 1e-9; /* of log_gradient and of a cosine kept as its distance from 1 */
    options.method = FATHOM_FLOW_FLOW, options.loss = 1 /* exponential */, options.every = 1;
    FATHOM_TRY(theorem_flow(&result, run, &options, NULL, observe_dual, &g));
    fathom_flow_result_clear(&result);
    theorem_compare_range(run, "largest <W, -n dR>/(2 |W|^2 Q) - gamma_s - ln(n)/|W|^2, relative",
                          isfinite(g.excess.lower) ? g.excess : theorem_exact(NAN),
                          "<=", theorem_exact(rounding));
    theorem_compare(run, "largest gamma_s - gamma, relative", isfinite(g.gap) ? g.gap : NAN, "<=", rounding);
    return FATHOM_OK;
}

/* The best margin over the units of a network without rotation: alpha (m) and an interval. */
static fathom_status best_margin(theorem_range *best, double *alpha, theorem_run *run, fathom_net *net)
{
    const int64_t m = fathom_net_look(net).m, d = run->d;
    const fathom_net_weights w = fathom_net_lend(net);
    fathom_directions_margin margin;
    double *b = fathom_memory_alloc(run->context, m * d + run->n, sizeof *b);
    if (!b)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < m; j++)
        for (int64_t l = 0; l < d; l++)
            b[j * d + l] = (w.b[j] < 0 ? -1 : 1) * w.u[j * d + l];
    const fathom_directions problem = {run->n, d, m, run->x, run->y, b, w.w};
    const fathom_status status =
        fathom_directions_solve(&margin, alpha, b + m * d, run->context, &problem, 1e-9);
    *best = (theorem_range){margin.lower, margin.upper};
    fathom_memory_free(run->context, b);
    return status;
}

/* Phi - (1/2) ln|W| and (dPhi/dt)/Q at one network. */
typedef struct potential {
    double room, rate;
} potential;

static fathom_status potential_at(potential *at, theorem_run *run, fathom_net *net, const double *alpha)
{
    const int64_t m = fathom_net_look(net).m, n = run->n;
    const fathom_net_weights w = fathom_net_lend(net);
    double *p = fathom_memory_zero(run->context, 2 * n, sizeof *p), least = INFINITY, sum = 0;
    if (!p)
        return FATHOM_ERROR_MEMORY;
    double *part = p + n, phi = 0, square = 0; /* p_i; sum_j |alpha_j| y_i a_j relu(.)/(a_j^2 + b_j^2) */
    for (int64_t j = 0; j < m; j++) {
        const double size = w.w[j] * w.w[j] + w.b[j] * w.b[j];
        square += size;
        phi += alpha[j] != 0 ? fabs(alpha[j]) * log(size) / 4 : 0;
        for (int64_t i = 0; i < n; i++) {
            const double z = fathom_blas_dot(w.u + j * run->d, run->x + i * run->d, run->d);
            const double one = run->y[i] * w.w[j] * fmax(0, w.b[j] * z);
            p[i] += one;
            part[i] += alpha[j] != 0 ? fabs(alpha[j]) * one / size : 0;
        }
    }
    for (int64_t i = 0; i < n; i++)
        least = fmin(least, p[i]);
    at->rate = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += exp(least - p[i]);
        at->rate += exp(least - p[i]) * part[i];
    }
    at->rate /= sum;
    at->room = phi - log(square) / 4;
    fathom_memory_free(run->context, p);
    return FATHOM_OK;
}

/* The flow from `start` on in stages, at whose ends Phi is measured; *end is the last record. */
enum { STAGES = 4 };
static fathom_status follow_stages(potential *worst, fathom_flow_record *end, theorem_run *run,
                                   fathom_net *start, const double *alpha, const fathom_flow_options *options)
{
    static const double level[STAGES] = {-1, -30, -300, -3000};
    fathom_net *net = start;
    fathom_status status = potential_at(worst, run, start, alpha);
    for (int k = 0; k < (options->until ? 1 : STAGES) && status == FATHOM_OK && !run->broken; k++) {
        fathom_flow_options o = *options;
        fathom_flow_result result;
        potential at;
        char until[64];
        snprintf(until, sizeof until, "log_loss=%.17g", level[k]);
        o.until = options->until ? options->until : until;
        o.method = FATHOM_FLOW_FLOW, o.loss = 1; /* exponential */
        status = theorem_flow(&result, run, &o, net, NULL, NULL);
        if (net != start)
            fathom_net_free(net);
        net = start;
        if (status != FATHOM_OK)
            break;
        *end = result.end;
        status = potential_at(&at, run, result.net, alpha);
        worst->room = fmax(worst->room, at.room);
        worst->rate = fmin(worst->rate, at.rate);
        net = result.net;
        result.net = NULL;
        fathom_flow_result_clear(&result);
    }
    if (net != start)
        fathom_net_free(net);
    return status;
}

static void compare_potential(theorem_run *run, const fathom_flow_record *end, theorem_range best, double g)
{
    theorem_compare_limit(run, "ln R at the end (its limit is -infinity)", theorem_exact(end->log_loss), "<",
                          theorem_exact(-log((double)run->n)));
    theorem_compare_limit(run, "gamma_s at the end", theorem_exact(end->smoothed_normalized_margin),
                          ">=", theorem_exact(g));
    theorem_compare_range(run, "gamma at the end, at most half the best margin over the directions",
                          theorem_exact(end->normalized_margin),
                          "<=", (theorem_range){best.lower / 2 * (1 + 1e-9), best.upper / 2 * (1 + 1e-9)});
}

fathom_status theorem_check_003_a_6(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "scalar", 64, NULL);
    fathom_flow_record end = {0};
    fathom_net *start = NULL;
    potential worst;
    theorem_range best;
    fathom_status status = theorem_start(&start, run, &options);
    double *alpha = status == FATHOM_OK
                        ? fathom_memory_zero(run->context, fathom_net_look(start).m, sizeof *alpha)
                        : NULL;
    if (status == FATHOM_OK && !alpha)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && fathom_net_look(start).kind != FATHOM_NET_SCALAR)
        status = fathom_error_set(run->context, FATHOM_ERROR_USAGE,
                                  "--init: 003:a.6 is checked on scalar networks (fathom flow --net scalar)");
    FATHOM_THEN(status, best_margin(&best, alpha, run, start));
    if (status == FATHOM_OK) {
        const double g = (1 - run->options->epsilon) * best.lower / 2;
        theorem_say(run, "g = (1 - epsilon) G/2, G = %.6g the best margin over the directions of the start",
                    best.lower);
        theorem_assume_range(run, "g", (theorem_range){g, (1 - run->options->epsilon) * best.upper / 2}, ">",
                             theorem_exact(0));
        status = g > 0 ? follow_stages(&worst, &end, run, start, alpha, &options) : FATHOM_OK;
        if (status == FATHOM_OK && g > 0) {
            theorem_assume_seen(run, "largest Phi - ln|W|/2 at the states seen", worst.room, "<=", 1e-12);
            theorem_assume_seen(run, "least (dPhi/dt)/Q at the states seen", worst.rate, ">=", g);
            compare_potential(run, &end, best, g);
        }
    }
    fathom_net_free(start);
    fathom_memory_free(run->context, alpha);
    return status;
}
