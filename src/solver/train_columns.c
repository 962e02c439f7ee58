/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training over ALL ReLU networks by column generation: a network from above, fathom_global_bound from below, in turns.
 *
 *     minimise  sum_i c_i l(f_i, y_i) + beta sum_j |w_j||u_j|,   f_i = sum_j w_j relu(<u_j, x_i>)
 *
 * Above: neurons whose price |v'(Xu)_+| at the residual v exceeds beta are found by local ascent and added; the weights
 * are solved for, then all parameters descended together, until nothing is gained. Below: fathom_global_bound_improve
 * from the last residual; a neuron met there that the network lacks is added and the turn goes back.
 * The search from above is local and proves nothing; the bound from below holds for every network. [001, eq. 16-19]
 */
#include <math.h>
#include <string.h>

#include "ascent.h"
#include "blas.h"
#include "context_internal.h"
#include "global_bound.h"
#include "memory.h"
#include "random.h"
#include "relu_network.h"
#include "train_relu.h"

enum { STARTS = 64, MORE_STARTS = 512, ROUNDS = 100, ADDED = 16, STEPS = 60, TURNS = 1000 };

/* Share of the asked gap that is aimed at, so that rounding cannot miss it. */
static const double AIM = 0.999;

/* A round of pricing: candidates u (count x d) with their sides and prices. */
typedef struct pricing {
    int64_t count, d;
    double *u, *sign, *value;
} pricing;

static fathom_status pricing_open(pricing *a, const fathom_train_problem *p, int64_t count)
{
    *a = (pricing){.count = count, .d = p->d};
    a->u = fathom_memory_alloc(p->context, count * p->d, sizeof *a->u);
    a->sign = fathom_memory_alloc(p->context, 2 * count, sizeof *a->sign);
    a->value = a->sign ? a->sign + count : NULL;
    return a->u && a->sign ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static void pricing_close(pricing *a, fathom_context *context)
{
    fathom_memory_free(context, a->u);
    fathom_memory_free(context, a->sign);
}

/* Starts: points of the data and Gaussian directions in turn, on both sides. */
static void draw_starts(pricing *a, const fathom_train_problem *p, uint32_t round)
{
    const uint64_t seed = fathom_context_seed(p->context);
    for (int64_t k = 0; k < a->count; k++) {
        double *u = a->u + k * p->d;
        a->sign[k] = k % 2 ? -1 : 1;
        if (k % 4 < 2) {
            fathom_random_normals(u, p->d, seed, FATHOM_STREAM_START, round,
                                  (uint64_t)((a->count + k) * p->d));
            continue;
        }
        const double pick = fathom_random_uniform(seed, FATHOM_STREAM_START, round, (uint64_t)k);
        memcpy(u, p->x + (int64_t)(pick * (double)p->n) * p->d, (size_t)p->d * sizeof *u);
        if (k % 8 >= 4)
            fathom_blas_scale(u, -1, p->d);
    }
}

/* Whether candidate k repeats an earlier one that is at least as good. */
static bool repeats(const pricing *a, int64_t k)
{
    for (int64_t l = 0; l < a->count; l++) {
        if (l == k || a->sign[l] != a->sign[k] || !(a->value[l] > 0))
            continue;
        const bool better = a->value[l] > a->value[k] || (a->value[l] == a->value[k] && l < k);
        if (better && fathom_blas_dot(a->u + l * a->d, a->u + k * a->d, a->d) > 0.999)
            return true;
    }
    return false;
}

/* Adds the best few candidates that exceed beta; returns how many through *added. */
static fathom_status add_candidates(int64_t *added, fathom_relu_network *net, const pricing *a)
{
    fathom_status status = FATHOM_OK;
    bool used[MORE_STARTS] = {false};
    for (*added = 0; *added < ADDED && status == FATHOM_OK; (*added)++) {
        int64_t best = -1;
        for (int64_t k = 0; k < a->count; k++)
            if (!used[k] && a->value[k] > net->beta * (1 + 1e-6) &&
                (best < 0 || a->value[k] > a->value[best]) && !repeats(a, k))
                best = k;
        if (best < 0)
            break;
        used[best] = true;
        status = fathom_relu_network_add(net, a->u + best * a->d, a->sign[best], a->value[best]);
    }
    return status;
}

/* The largest price found at v; candidates stay in `a`. */
static fathom_status price(double *best, pricing *a, const fathom_train_problem *p, const double *v,
                           uint32_t round)
{
    const fathom_ascent ascent = {p->n, p->d, p->x, v};
    draw_starts(a, p, round);
    const fathom_status status = fathom_ascent_run(a->u, a->value, a->sign, a->count, &ascent, p->context);
    *best = 0;
    for (int64_t k = 0; k < a->count && status == FATHOM_OK; k++)
        *best = fmax(*best, a->value[k]);
    return status;
}

/* Rounds of pricing and descent until no neuron is worth adding or nothing is gained. */
static fathom_status grow(fathom_relu_network *net, pricing *a, int64_t *rounds, double divisor)
{
    const fathom_train_problem *p = net->problem;
    double loss, norm, before = INFINITY, best;
    int64_t added = 1, idle = 0;
    fathom_status status = FATHOM_OK;
    for (*rounds = 0; *rounds < ROUNDS && idle < 3; (*rounds)++) {
        a->count = idle ? MORE_STARTS : STARTS; /* look harder before giving up */
        status = price(&best, a, p, net->residual, (uint32_t)*rounds);
        if (status == FATHOM_OK)
            status = add_candidates(&added, net, a);
        if (status == FATHOM_OK)
            status = fathom_relu_network_reweight(net);
        if (status == FATHOM_OK)
            status = fathom_relu_network_descend(net, STEPS);
        if (status != FATHOM_OK)
            return status;
        const double now = fathom_relu_network_objective(net, &loss, &norm);
        idle = before - now > fmax(1e-6, 0.01 * p->options->gap) * now ? 0 : idle + 1;
        before = now;
        if (fathom_context_poll(p->context, "network", *rounds + 1, now / divisor, NAN) != FATHOM_STOP_NONE)
            return FATHOM_OK;
    }
    return fathom_relu_network_descend(net, 10 * STEPS);
}

/* Upper and lower side in turns until the gap is reached or neither moves. */
static fathom_status alternate(fathom_train_result *result, fathom_relu_network *net, pricing *a)
{
    const fathom_train_problem *p = net->problem;
    const fathom_gated_problem problem = fathom_relu_network_problem(net);
    fathom_global_bound below;
    double loss, norm, seconds = 1, before = INFINITY;
    fathom_status status = fathom_global_bound_open(&below, &problem);
    for (int64_t turn = 0; turn < TURNS && status == FATHOM_OK; turn++, seconds *= 2) {
        int64_t rounds;
        status = grow(net, a, &rounds, p->divisor);
        result->iterations += rounds;
        const double value = fathom_relu_network_objective(net, &loss, &norm);
        const fathom_global_effort effort = {value, value * (1 - AIM * p->options->gap), seconds};
        if (status == FATHOM_OK)
            status = fathom_global_bound_improve(&below, net->residual, &effort);
        const fathom_stop stop = fathom_context_poll(p->context, below.method, turn + 1, value / p->divisor,
                                                     below.lower / p->divisor);
        if (stop != FATHOM_STOP_NONE || below.lower >= effort.enough ||
            (below.exhausted && !(below.met_price > net->beta)) || !(before - value > 1e-4 * value))
            break;
        before = value;
        if (status == FATHOM_OK && below.met_price > net->beta)
            status = fathom_relu_network_add(net, below.met, below.met_sign, below.met_price);
    }
    result->lower_bound = below.lower / p->divisor;
    result->bound = FATHOM_TRAIN_BOUND_GLOBAL;
    result->bound_method = below.method;
    fathom_global_bound_close(&below);
    return status;
}

/* beta and beta_max: the best price found at f = 0. */
static fathom_status choose_beta(double *beta, fathom_train_result *result, pricing *a,
                                 fathom_relu_network *net)
{
    const fathom_train_problem *p = net->problem;
    double best;
    fathom_status status = fathom_relu_network_descend(net, 0);
    if (status == FATHOM_OK)
        status = price(&best, a, p, net->residual, ROUNDS);
    if (status == FATHOM_OK)
        status = fathom_train_beta(beta, p, best);
    if (status != FATHOM_OK)
        return status;
    net->beta = *beta;
    result->beta = *beta / p->divisor;
    result->beta_max = best / p->divisor;
    return FATHOM_OK;
}

static void fill_result(fathom_train_result *result, const fathom_relu_network *net)
{
    const fathom_train_problem *p = net->problem;
    result->objective = fathom_relu_network_objective(net, &result->loss, &result->norm) / p->divisor;
    result->loss /= p->divisor;
    result->neurons = net->m;
    result->method = "columns";
    result->kind = p->loss;
    const fathom_stop stop = fathom_context_stop_reason(p->context);
    result->end = stop == FATHOM_STOP_TIME        ? FATHOM_TRAIN_END_TIME
                  : stop == FATHOM_STOP_INTERRUPT ? FATHOM_TRAIN_END_INTERRUPTED
                                                  : FATHOM_TRAIN_END_STALLED;
    fathom_train_judge(result, p->options->gap);
    if (result->status != FATHOM_TRAIN_LIMIT)
        result->end = FATHOM_TRAIN_END_REACHED;
}

fathom_status fathom_columns_applies(bool *yes, const char **why, const fathom_train_problem *problem)
{
    *yes = problem->outputs == 1 && !problem->equality && !problem->constant;
    *why = problem->outputs > 1 ? "several outputs are not in this version"
           : problem->equality  ? "--loss equality is not in this version"
           : problem->constant  ? "--bias free is not in this version"
                                : "no closed form applies";
    return FATHOM_OK;
}

fathom_status fathom_columns_run(fathom_train_result *result, const fathom_train_problem *problem)
{
    fathom_relu_network net = {.problem = problem};
    pricing candidates = {0};
    double beta;
    fathom_status status = fathom_relu_network_open(&net, problem, 1);
    if (status == FATHOM_OK)
        status = pricing_open(&candidates, problem, MORE_STARTS);
    if (status == FATHOM_OK)
        status = choose_beta(&beta, result, &candidates, &net);
    if (status == FATHOM_OK)
        status = alternate(result, &net, &candidates);
    if (status == FATHOM_OK)
        fill_result(result, &net);
    if (status == FATHOM_OK)
        status = fathom_relu_network_give(&result->net, &net);
    pricing_close(&candidates, problem->context);
    fathom_relu_network_close(&net);
    return status;
}
