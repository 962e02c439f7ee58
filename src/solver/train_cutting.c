/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --method cutting: paper 001's algorithms on the spike-free restriction (cutting.c), then the bound over ALL networks.
 *
 * What the restriction loses is the distance of its objective to the optimum over all networks, hence at most the gap that
 * is reported. The bound is that of fathom_global_bound where it covers the problem. Beside it:
 *
 *  - interpolation: norm >= v'y / P for every v and P >= p(v); v and P come from the bound of a squared loss whose penalty is
 *    so small that its dual is nearly that of interpolation;
 *  - independent rows: prices over all neurons are at most rho(X) times those of the restriction (geometry.c), 1 where X
 *    is spike-free;
 *  - several outputs: |w_j| >= sum_k |w_jk| / sqrt(o), so the optimum is at least the sum over outputs of the optima with
 *    the penalty beta / sqrt(o).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "cutting.h"
#include "fathom/geometry.h"
#include "global_bound.h"
#include "memory.h"
#include "train_relu.h"

enum {
    TURNS = 5, /* of the bound, twice as long each time, from one second on */
    ROWS = 2000
}; /* most for which rho is looked at */

fathom_status fathom_cutting_applies(bool *yes, const char **why, const fathom_train_problem *problem)
{
    *yes = problem->equality || problem->loss == FATHOM_LOSS_SQUARED;
    *why = *yes ? "it was asked for" : "the cutting planes of 001 take --loss squared or equality";
    return FATHOM_OK;
}

/* The problem in the form that bounds take. */
static fathom_gated_problem as_problem(const fathom_train_problem *p, double beta)
{
    return (fathom_gated_problem){.context = p->context,
                                  .n = p->n,
                                  .d = p->d,
                                  .outputs = p->outputs,
                                  .x = p->x,
                                  .reach = p->reach,
                                  .loss = FATHOM_LOSS_SQUARED,
                                  .y = p->y,
                                  .weight = p->weight,
                                  .beta = beta,
                                  .constant = p->constant,
                                  .divisor = p->divisor};
}

/* Whether fathom_global_bound covers it: where column generation does, which has its bound from there. */
static bool covered(const fathom_train_problem *p, int64_t outputs)
{
    fathom_train_problem plain = *p;
    const char *why;
    bool yes = false;
    plain.equality = false;
    plain.loss = FATHOM_LOSS_SQUARED;
    plain.outputs = outputs;
    return fathom_columns_applies(&yes, &why, &plain) == FATHOM_OK && yes;
}

/* A bound and where it came from. */
typedef struct lower_side {
    double value;
    const char *method;
} lower_side;

/* The bound on a squared problem from a dual point v, `value` being an objective attained; v and *price that of the best. */
static fathom_status improve(lower_side *lower, double *v, double *price, const fathom_gated_problem *problem,
                             double value, double gap)
{
    fathom_global_bound bound;
    fathom_status status = fathom_global_bound_open(&bound, problem);
    double seconds = 1;
    for (int turn = 0; turn < TURNS && status == FATHOM_OK; turn++, seconds *= 2) {
        const fathom_global_effort effort = {value, value * (1 - gap), seconds};
        status = fathom_global_bound_improve(&bound, v, &effort);
        if (bound.exhausted || bound.lower >= effort.enough ||
            fathom_context_stop_reason(problem->context) != FATHOM_STOP_NONE)
            break;
    }
    if (status == FATHOM_OK) {
        *lower = (lower_side){bound.lower, bound.method};
        *price = bound.price;
        if (bound.price < INFINITY)
            memcpy(v, bound.v, (size_t)(problem->n * problem->outputs) * sizeof *v);
    }
    fathom_global_bound_close(&bound);
    return status;
}

/* Squared loss, several outputs: output by output with the penalty beta / sqrt(o). */
static fathom_status bound_apart(lower_side *lower, const fathom_cutting *cut, double *v, double value)
{
    const fathom_train_problem *p = cut->problem;
    const double o = (double)p->outputs;
    double sum = 0, price;
    fathom_status status = FATHOM_OK;
    lower_side one = {0, "no loss is negative"};
    for (int64_t k = 0; k < p->outputs && status == FATHOM_OK; k++) {
        fathom_gated_problem problem = as_problem(p, cut->beta / sqrt(o) * (1 - 4 * DBL_EPSILON));
        problem.outputs = 1;
        problem.y = p->y + k * p->n;
        status = improve(&one, v + k * p->n, &price, &problem, value, p->options->gap);
        sum += one.value;
    }
    *lower = (lower_side){sum * (1 - o * DBL_EPSILON), one.method};
    return status;
}

/* v'y / P, rounded down, for each output on its own: the norm of a network is at least the largest of them, and at least
 * sum_k (v_k'y_k / P_k) / sqrt(o). */
static fathom_status bound_equality(lower_side *lower, const fathom_cutting *cut, double *v)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t n = p->n;
    double sum = 0, most = 0, price = INFINITY;
    fathom_status status = FATHOM_OK;
    lower_side one = {0, "no norm is negative"};
    *lower = one;
    for (int64_t k = 0; k < p->outputs && status == FATHOM_OK; k++) {
        double *vk = v + k * n;
        const double *y = p->y + k * n;
        double size = fathom_blas_dot(vk, vk, n), aligned = fathom_blas_dot(vk, y, n);
        if (!(size > 0 && aligned > 0))
            continue;
        /* the quadratic term of the dual is 1e-6 of the linear one at v */
        fathom_gated_problem problem = as_problem(p, 1e-6 * aligned / size);
        problem.outputs = 1;
        problem.y = y;
        fathom_blas_scale(vk, 1e-6 * aligned / size, n);
        status = improve(&one, vk, &price, &problem, fathom_blas_dot(y, y, n) / 2, p->options->gap);
        double absolute = 0;
        aligned = fathom_blas_dot(vk, y, n);
        for (int64_t i = 0; i < n; i++)
            absolute += fabs(vk[i] * y[i]);
        const double bound =
            (aligned - (double)(n + 8) * DBL_EPSILON * absolute) / price * (1 - 4 * DBL_EPSILON);
        most = fmax(most, price < INFINITY ? bound : 0);
        sum += price < INFINITY ? fmax(bound, 0) : 0;
    }
    *lower = (lower_side){fmax(most, sum / sqrt((double)p->outputs) * (1 - 8 * DBL_EPSILON)), one.method};
    return status;
}

/* The factor by which the restriction underestimates prices, at most: 1 for spike-free X, rho(X) for independent rows, else
 * infinite. (Xu)_+ = Xz with z = X^+ (Xu)_+, |z| <= rho and Xz >= 0. */
static fathom_status measure_rho(double *rho, bool *spike_free, const fathom_train_problem *p)
{
    fathom_geometry_options options;
    fathom_geometry geometry;
    *rho = INFINITY;
    *spike_free = false;
    if (p->constant || p->n > p->d || p->n > ROWS)
        return FATHOM_OK;
    fathom_options_init(&options, &fathom_geometry_option_table);
    options.skip_hull = true;
    const fathom_status status = fathom_geometry_compute(&geometry, p->context, p->data, &options);
    if (status != FATHOM_OK || geometry.rank < p->n)
        return status;
    *spike_free = geometry.spike_free == FATHOM_YES;
    *rho = *spike_free && !geometry.whitened ? 1 : geometry.rho_upper * (1 + (double)(p->n + p->d) * 0x1p-48);
    return FATHOM_OK;
}

/* The bound from the restriction's own dual point with its price times rho. */
static fathom_status bound_by_rho(lower_side *lower, fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    double rho, value;
    bool spike_free;
    const fathom_status status = measure_rho(&rho, &spike_free, p);
    if (status != FATHOM_OK || !(rho < INFINITY))
        return status;
    const double price = rho * fathom_cutting_price_above(cut) * (1 + 4 * DBL_EPSILON);
    if (p->equality) {
        double aligned = 0, absolute = 0;
        for (int64_t i = 0; i < p->n * p->outputs; i++) {
            aligned += cut->v[i] * p->y[i];
            absolute += fabs(cut->v[i] * p->y[i]);
        }
        aligned -= (double)(p->n * p->outputs + 8) * DBL_EPSILON * absolute;
        value = price > 0 ? aligned / price * (1 - 4 * DBL_EPSILON) : 0;
    } else {
        const fathom_gated_problem problem = as_problem(p, cut->beta);
        value = fathom_gated_bound(&problem, cut->v, price);
    }
    if (value > lower->value)
        *lower = (lower_side){value, spike_free ? "spike-free data: the restriction is exact"
                                                : "the restriction's bound divided by rho"};
    return FATHOM_OK;
}

/* The larger of what rho and the search over all neurons give. */
static fathom_status bound_below(lower_side *best, fathom_cutting *cut, double value)
{
    const fathom_train_problem *p = cut->problem;
    const bool whole = !p->equality && covered(p, p->outputs);
    lower_side found = {0, NULL}, *lower = &found;
    double price;
    *best = (lower_side){0, p->equality ? "no norm is negative" : "no loss is negative"};
    const fathom_status first = bound_by_rho(best, cut);
    if (first != FATHOM_OK || best->value >= value * (1 - p->options->gap))
        return first;
    if (!whole && !covered(p, 1)) {
        fathom_log(p->context, FATHOM_LOG_INFO,
                   "no bound over all networks is known for this problem in this version");
        return FATHOM_OK;
    }
    double *v = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *v);
    if (!v)
        return FATHOM_ERROR_MEMORY;
    memcpy(v, cut->v, (size_t)(p->n * p->outputs) * sizeof *v);
    fathom_status status;
    if (whole) {
        const fathom_gated_problem problem = as_problem(p, cut->beta);
        status = improve(lower, v, &price, &problem, value, p->options->gap);
    } else
        status = p->equality ? bound_equality(lower, cut, v) : bound_apart(lower, cut, v, value);
    fathom_memory_free(p->context, v);
    if (lower->value > best->value)
        *best = *lower;
    return status;
}

/* sum_j |w_j|, rounded up; the u_j have norm 1 to rounding. */
static double norm_above(const fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    double sum = 0;
    for (int64_t j = 0; j < cut->m; j++)
        sum += fathom_blas_norm(cut->w + j * p->outputs, p->outputs) *
               fathom_blas_norm(cut->u + j * (p->d + 1), p->d);
    return sum * (1 + (double)(cut->m + p->d + p->outputs + 8) * DBL_EPSILON);
}

/* The loss of the network, rounded up: with |u_j| <= 2 and e = (d + m + 8) u an output of point i errs by at most
 * e (|c| + sum_j |w_j| (2 |x_i| + |b_j|)). *residual receives the largest |f - y|. */
static double loss_above(double *residual, const fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t n = p->n, o = p->outputs;
    const double e = (double)(p->d + cut->m + 8) * DBL_EPSILON;
    double sum = 0;
    *residual = 0;
    for (int64_t q = 0; q < o; q++) {
        double length = 0, shift = fabs(cut->constant[q]);
        for (int64_t j = 0; j < cut->m; j++) {
            length += 2 * fabs(cut->w[j * o + q]);
            shift += fabs(cut->w[j * o + q] * cut->u[j * (p->d + 1) + p->d]);
        }
        for (int64_t i = 0; i < n; i++) {
            double f = cut->constant[q];
            for (int64_t j = 0; j < cut->m; j++)
                f += cut->w[j * o + q] * cut->z[j * n + i];
            const double r =
                fabs(f - p->y[q * n + i]) * (1 + DBL_EPSILON) + e * (shift + length * p->reach[i]);
            sum += (p->weight ? p->weight[i] : 1) * r * r / 2;
            *residual = fmax(*residual, r);
        }
    }
    return sum * (1 + (double)(n * o + 8) * DBL_EPSILON);
}

/* The network without the neurons that have no weight. */
static fathom_status make_net(fathom_train_result *result, const fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t d = p->d, o = p->outputs;
    fathom_net_shape shape = {.kind = FATHOM_NET_RELU, .d = d, .outputs = o, .hidden_bias = p->constant};
    for (int64_t j = 0; j < cut->m; j++)
        shape.m += fathom_blas_norm(cut->w + j * o, o) > 0;
    const fathom_status status = fathom_net_create(&result->net, p->context, &shape);
    if (status != FATHOM_OK)
        return status;
    const fathom_net_weights weights = fathom_net_lend(result->net);
    int64_t m = 0;
    for (int64_t j = 0; j < cut->m; j++) {
        if (!(fathom_blas_norm(cut->w + j * o, o) > 0))
            continue;
        memcpy(weights.u + m * d, cut->u + j * (d + 1), (size_t)d * sizeof *weights.u);
        memcpy(weights.w + m * o, cut->w + j * o, (size_t)o * sizeof *weights.w);
        if (p->constant)
            weights.b[m] = cut->u[j * (d + 1) + d];
        m++;
    }
    memcpy(weights.c, cut->constant, (size_t)o * sizeof *weights.c);
    result->neurons = m;
    return FATHOM_OK;
}

/* Says in words what the restriction could do. */
static fathom_status explain(const fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    bool some = true;
    fathom_status status = FATHOM_OK;
    if (!p->constant)
        status = fathom_cutting_has_neuron(&some, cut);
    if (!some)
        fathom_log(p->context, FATHOM_LOG_INFO,
                   "no neuron is active on all points: {u : Xu >= 0} holds nothing that is not 0 on all of "
                   "them, and the "
                   "restriction leaves no network but the constant one");
    else if (p->constant)
        fathom_log(p->context, FATHOM_LOG_INFO,
                   "with free biases a neuron that is active on all points is affine there: the restriction "
                   "is an affine fit");
    if (cut->end == FATHOM_CUTTING_INFEASIBLE)
        fathom_log(p->context, FATHOM_LOG_INFO,
                   "the restriction is infeasible: no network of neurons that are active on all points "
                   "interpolates");
    else if (cut->end == FATHOM_CUTTING_OPTIMAL)
        fathom_log(p->context, FATHOM_LOG_INFO,
                   "the restriction is solved after %lld rounds with %lld neurons", (long long)cut->rounds,
                   (long long)cut->m);
    else
        fathom_log(p->context, FATHOM_LOG_INFO,
                   "the restriction stopped after %lld rounds; a neuron still has %.9g beta",
                   (long long)cut->rounds, cut->violation);
    return status;
}

static fathom_status fill_result(fathom_train_result *result, fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    const bool none = cut->end == FATHOM_CUTTING_INFEASIBLE || (p->equality && !(cut->value < INFINITY));
    lower_side lower;
    double residual;
    result->norm = none ? INFINITY : norm_above(cut);
    result->loss = p->equality ? 0 : loss_above(&residual, cut);
    double value = result->loss + cut->beta * result->norm;
    if (p->equality && !none) {
        loss_above(&residual, cut);
        fathom_log(p->context, FATHOM_LOG_INFO, "interpolates to within %.3g", residual);
    }
    fathom_status status = bound_below(&lower, cut, none ? fathom_blas_dot(p->y, p->y, p->n) : value);
    const double divisor = p->equality ? 1 : p->divisor;
    result->loss /= divisor;
    result->objective = value * (1 + 4 * DBL_EPSILON) / divisor;
    result->lower_bound = lower.value / divisor;
    result->bound = FATHOM_TRAIN_BOUND_GLOBAL;
    result->bound_method = lower.method;
    result->method = "cutting";
    result->kind = FATHOM_LOSS_SQUARED;
    result->iterations = cut->rounds;
    const fathom_stop stop = fathom_context_stop_reason(p->context);
    result->end = stop == FATHOM_STOP_TIME        ? FATHOM_TRAIN_END_TIME
                  : stop == FATHOM_STOP_INTERRUPT ? FATHOM_TRAIN_END_INTERRUPTED
                                                  : FATHOM_TRAIN_END_STALLED;
    fathom_train_judge(result, p->options->gap);
    if (result->status != FATHOM_TRAIN_LIMIT)
        result->end = FATHOM_TRAIN_END_REACHED;
    if (status == FATHOM_OK && !none) {
        fathom_log(p->context, FATHOM_LOG_INFO, "the restriction lost at most %.3g %% of its objective",
                   100 * fmin(result->relative_gap, 1));
        status = make_net(result, cut);
    }
    return status;
}

fathom_status fathom_cutting_train(fathom_train_result *result, const fathom_train_problem *problem)
{
    fathom_cutting cut;
    fathom_status status = fathom_cutting_open(&cut, problem);
    if (status == FATHOM_OK && !problem->equality) {
        /* beta_max of the restriction: the price at f = 0 or at the best constant */
        double *u = fathom_memory_alloc(problem->context, 2 * (problem->d + 1), sizeof *u), price[2] = {0, 0};
        status = u ? FATHOM_OK : FATHOM_ERROR_MEMORY;
        if (status == FATHOM_OK)
            fathom_cutting_price(u, price, &cut);
        if (status == FATHOM_OK)
            status = fathom_train_beta(&cut.beta, problem, price[0]);
        result->beta_max = price[0] / problem->divisor;
        fathom_memory_free(problem->context, u);
    }
    result->beta = problem->equality ? 1 : cut.beta / problem->divisor;
    if (status == FATHOM_OK)
        status = fathom_cutting_run(&cut, problem->options->gap);
    if (status == FATHOM_OK)
        status = explain(&cut);
    if (status == FATHOM_OK)
        status = fill_result(result, &cut);
    fathom_cutting_close(&cut);
    return status;
}
