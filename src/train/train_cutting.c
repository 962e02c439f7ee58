/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --method cutting: paper 001's algorithms on the spike-free restriction (cutting.c), then the bound over ALL networks
 * (none with --effort 0).
 *
 * What the restriction loses is the distance of its objective to the optimum over all networks, hence at most the gap that
 * is reported. Two sources of the bound:
 *
 *  - independent rows: prices over all neurons are at most rho(X) times those of the restriction (geometry.c), 1 where X
 *    is spike-free [001, Prop. 3.2];
 *  - --method auto on the same problem, whose network also says how much was lost at least. Where that has no method for
 *    interpolation: a squared loss with a small penalty; none for several outputs: |w_j| >= sum_k |w_jk| / sqrt(o), so the
 *    optimum is at least the sum over outputs of the optima with the penalty beta / sqrt(o).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "cutting.h"
#include "fathom/geometry.h"
#include "loss_row.h"
#include "memory.h"
#include "train_relu.h"

enum { ROWS = 2000 }; /* most for which rho is looked at */

static const double SMALL_PENALTY = 1e-4; /* of interpolation, in units of beta_max */

fathom_status fathom_cutting_applies(bool *yes, const char **why, const fathom_train_problem *problem)
{
    *yes = problem->equality || fathom_loss_row_of(problem->loss)->quadratic;
    *why = *yes ? "it was asked for" : "the cutting planes of 001 take --loss squared or equality";
    return FATHOM_OK;
}

/* What is known of the optimum over all networks, in the scale of the sum problem. */
typedef struct knowledge {
    double lower, upper; /* upper: of a network that was found; INFINITY where none was */
    const char *method;  /* where `lower` came from */
    fathom_proof *proof; /* of `lower`, owned; NULL where none was asked for or there is none */
} knowledge;

/* The same problem for --method auto: `outputs` outputs from number q on, penalty beta, or --beta-rel `share` where beta is
 * NaN. */
typedef struct relaxed {
    fathom_train_problem problem;
    fathom_train_options options;
} relaxed;

static void relax(relaxed *a, const fathom_train_problem *p, int64_t q, int64_t outputs, double beta,
                  double share)
{
    *a = (relaxed){*p, *p->options};
    a->problem.options = &a->options;
    a->problem.outputs = outputs;
    a->problem.y = p->y + q * p->n;
    a->options.method = FATHOM_TRAIN_AUTO;
    a->options.beta = beta / p->divisor;
    a->options.beta_rel = share;
}

/* A squared loss in the place of interpolation; no proof, as it is another problem. */
static void soften(relaxed *a)
{
    a->problem.equality = false;
    a->options.loss = FATHOM_TRAIN_SQUARED;
    a->options.certificate = NULL;
    a->options.verify = false;
}

/* Optimum of a problem over all networks, both sides; *beta the penalty that was used. */
static fathom_status search(knowledge *found, double *beta, const relaxed *a)
{
    const double divisor = a->problem.divisor;
    fathom_train_result result = {0};
    const fathom_status status = fathom_train_relu(&result, &a->problem);
    *found = (knowledge){result.lower_bound * divisor * (1 - 4 * DBL_EPSILON), result.objective * divisor,
                         result.bound_method, result.proof};
    result.proof = NULL;
    *beta = result.beta * divisor;
    fathom_train_result_clear(&result);
    return status;
}

/* Squared loss, several outputs: output by output with the penalty beta / sqrt(o). */
static fathom_status search_apart(knowledge *found, const fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    const double o = (double)p->outputs;
    knowledge one = {0, INFINITY, NULL, NULL};
    fathom_status status = FATHOM_OK;
    double sum = 0, beta;
    for (int64_t k = 0; k < p->outputs && status == FATHOM_OK; k++) {
        relaxed a;
        relax(&a, p, k, 1, cut->beta / sqrt(o) * (1 - 4 * DBL_EPSILON), NAN);
        soften(&a);
        status = search(&one, &beta, &a);
        sum += one.lower;
    }
    *found = (knowledge){sum * (1 - o * DBL_EPSILON), INFINITY, one.method, NULL};
    return status;
}

/* Interpolation by a small penalty e: a network that interpolates has the squared problem's objective e |norm|, so norm >=
 * optimum / e, and the two tend to each other as e -> 0. Several outputs: the norm is at least that of each output, and at
 * least their sum over sqrt(o). */
static fathom_status search_norm(knowledge *found, const fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    const double o = (double)p->outputs;
    knowledge one = {0, INFINITY, NULL, NULL};
    fathom_status status = FATHOM_OK;
    double sum = 0, most = 0, beta;
    for (int64_t k = 0; k < p->outputs && status == FATHOM_OK; k++) {
        relaxed a;
        relax(&a, p, k, 1, NAN, SMALL_PENALTY);
        soften(&a);
        status = search(&one, &beta, &a);
        const double norm = status == FATHOM_OK && beta > 0 ? one.lower / beta * (1 - 4 * DBL_EPSILON) : 0;
        most = fmax(most, norm);
        sum += norm;
    }
    *found = (knowledge){fmax(most, sum / sqrt(o) * (1 - (o + 4) * DBL_EPSILON)), INFINITY, one.method, NULL};
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
static void bound_by_rho(knowledge *known, fathom_cutting *cut, double rho, bool spike_free)
{
    const fathom_train_problem *p = cut->problem;
    double value;
    if (!(rho < INFINITY))
        return;
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
        const fathom_objective problem = fathom_train_objective(p, cut->beta);
        value = fathom_objective_bound(&problem, cut->v, price);
    }
    if (value > known->lower) {
        known->lower = value;
        known->method = spike_free ? "spike-free data: the restriction is exact"
                                   : "the restriction's bound divided by rho";
    }
}

/* --effort 0: the algorithm alone. */
static bool bound_wanted(const fathom_train_problem *p) { return !(p->options->effort == 0); }

/* The search over all networks, as far as there is one for the problem. */
static fathom_status search_all(knowledge *found, const fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    relaxed whole, single;
    double beta;
    relax(&whole, p, 0, p->outputs, cut->beta, NAN);
    if (!isnan(p->options->beta))
        whole.options.beta = p->options->beta; /* not through the divisor and back */
    relax(&single, p, 0, 1, cut->beta, NAN);
    soften(&single);
    *found = (knowledge){0, INFINITY, NULL, NULL};
    if (fathom_relu_covers(&whole.problem))
        return search(found, &beta, &whole);
    if (fathom_relu_covers(&single.problem))
        return p->equality ? search_norm(found, cut) : search_apart(found, cut);
    fathom_log(p->context, FATHOM_LOG_INFO,
               "no bound over all networks is known for this problem in this version");
    return FATHOM_OK;
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
    FATHOM_TRY(fathom_net_create(&result->net, p->context, &shape));
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
                   "them, and the restriction leaves nothing but %s",
                   p->options->extreme > 0 ? "the extreme points" : "f = 0");
    else if (p->constant && p->options->extreme == 0)
        fathom_log(p->context, FATHOM_LOG_INFO,
                   "with free biases a neuron that is active on all points is affine there: the restriction "
                   "is an affine fit");
    if (cut->end == FATHOM_CUTTING_INFEASIBLE)
        fathom_log(p->context, FATHOM_LOG_INFO,
                   "the restriction is infeasible: no network of neurons that are active on all points "
                   "interpolates");
    else if (cut->end == FATHOM_CUTTING_OPTIMAL)
        fathom_log(p->context, FATHOM_LOG_INFO, "the restriction is solved: %lld rounds, %lld neurons tried",
                   (long long)cut->rounds, (long long)cut->m);
    else if (cut->end == FATHOM_CUTTING_FULL)
        fathom_log(p->context, FATHOM_LOG_INFO, "as many neurons as asked for after %lld rounds",
                   (long long)cut->rounds);
    else
        fathom_log(p->context, FATHOM_LOG_INFO,
                   "the restriction stopped after %lld rounds; a neuron still has %.9g beta",
                   (long long)cut->rounds, cut->violation);
    return status;
}

/* What the restriction lost, from both sides. */
static void say_loss(const fathom_train_problem *p, const knowledge *known, double value)
{
    const double most = 100 * fmin(fmax(1 - known->lower / value, 0), 1);
    const double least = 100 * fmax(1 - known->upper / value, 0);
    if (known->upper < value)
        fathom_log(p->context, FATHOM_LOG_INFO,
                   "the restriction lost between %.4g and %.4g %% of its objective: a network that is not "
                   "active on all points "
                   "has %.12g",
                   least, most, known->upper / p->divisor);
    else
        fathom_log(p->context, FATHOM_LOG_INFO, "the restriction lost at most %.4g %% of its objective",
                   most);
}

/* The numbers of the result, from those of the sum problem. */
static void fill_result(fathom_train_result *result, const fathom_cutting *cut, const knowledge *known,
                        double value)
{
    const fathom_train_problem *p = cut->problem;
    const double divisor = p->divisor;
    result->loss /= divisor;
    result->objective = value * (1 + 4 * DBL_EPSILON) / divisor;
    result->lower_bound = known->lower / divisor;
    result->bound = FATHOM_TRAIN_BOUND_GLOBAL;
    result->bound_method = known->method;
    result->method = "cutting";
    result->kind = FATHOM_LOSS_SQUARED;
    result->iterations = cut->rounds;
    fathom_train_conclude(result, p);
}

static fathom_status choose_beta(fathom_train_result *result, fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    double beta_max;
    FATHOM_TRY(fathom_relu_beta_max(&beta_max, p));
    result->beta_max = beta_max / p->divisor;
    return fathom_train_beta(&cut->beta, p, beta_max);
}

/* Objective and bound; a network unless the restriction is infeasible. */
static fathom_status conclude(fathom_train_result *result, fathom_cutting *cut, knowledge *found, double rho,
                              bool spike_free)
{
    const fathom_train_problem *p = cut->problem;
    const bool none = p->equality && (cut->end == FATHOM_CUTTING_INFEASIBLE || !(cut->value < INFINITY));
    knowledge known = {0, INFINITY, p->equality ? "no norm is negative" : "no loss is negative", NULL};
    double residual;
    fathom_status status = FATHOM_OK;
    result->norm = none ? INFINITY : norm_above(cut);
    result->loss = loss_above(&residual, cut);
    if (p->equality) {
        result->loss = 0;
        if (!none)
            fathom_log(p->context, FATHOM_LOG_INFO, "interpolates to within %.3g", residual);
    }
    const double value = result->loss + cut->beta * result->norm;
    bound_by_rho(&known, cut, rho, spike_free);
    if (bound_wanted(p) && !(known.lower >= value * (1 - p->options->gap)))
        status = search_all(found, cut);
    if (status != FATHOM_OK)
        return status;
    known.upper = found->upper;
    if (found->lower > known.lower) {
        known = *found;
        result->proof = found->proof; /* the result's from here on */
        found->proof = NULL;
    }
    fill_result(result, cut, &known, value);
    if (none)
        return FATHOM_OK;
    if (bound_wanted(p))
        say_loss(p, &known, value);
    else
        fathom_log(p->context, FATHOM_LOG_INFO, "no bound over all networks was looked for (--effort 0)");
    return make_net(result, cut);
}

fathom_status fathom_cutting_train(fathom_train_result *result, const fathom_train_problem *problem)
{
    fathom_cutting cut;
    knowledge found = {0, INFINITY, NULL, NULL};
    bool spike_free = false;
    double rho = INFINITY;
    fathom_status status = fathom_cutting_open(&cut, problem);
    FATHOM_THEN(status, fathom_cutting_add_extreme(&cut, problem->options->extreme));
    if (status == FATHOM_OK && bound_wanted(problem))
        status = measure_rho(&rho, &spike_free, problem);
    if (status == FATHOM_OK && !problem->equality)
        status = choose_beta(result, &cut);
    if (problem->equality)
        result->beta_max = NAN;
    result->beta = problem->equality ? 1 : cut.beta / problem->divisor; /* equality: the weight of the norm */
    FATHOM_THEN(status, fathom_cutting_run(&cut, problem->options->gap));
    FATHOM_THEN(status, explain(&cut));
    FATHOM_THEN(status, conclude(result, &cut, &found, rho, spike_free));
    fathom_proof_free(found.proof);
    fathom_cutting_close(&cut);
    return status;
}
