/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training over ALL ReLU networks by column generation: a network from above, fathom_global_bound from below, in turns.
 *
 *     minimise  sum_i c_i l(f_i, y_i) + beta sum_j |w_j||u_j|,   f_i = c + sum_j w_j relu(<u_j, x_i> + b_j)
 *
 * Above, two ways. Rounds of growth: neurons whose price |V'(Xu + b)_+| at the residual V exceeds beta are found by local
 * ascent and added, weights are solved for with the directions fixed, and all parameters descended together. Where the
 * problem is small enough, rounds over faces (relu_faces.h) follow: local maximisers of the price at the master's dual
 * point give the faces, the master over their spans gives the next network and dual point; this reaches relative
 * accuracies of 1e-8 to 1e-10, where descent stalls at 1e-4 to 1e-6.
 * Below: fathom_global_bound_improve from the last dual point; a neuron met there that the network lacks is added and
 * the turn goes back. The search from above is local and proves nothing; the bound from below holds for every
 * network. [001, eq. 16-19]
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "global_bound.h"
#include "memory.h"
#include "relu_faces.h"
#include "relu_network.h"
#include "relu_pricing.h"
#include "relu_select.h"
#include "train_relu.h"

enum { STARTS = 64, MORE_STARTS = 512, ROUNDS = 100, ADDED = 16, STEPS = 60, TURNS = 1000 };
enum { FACE_ROUNDS = 60, FACE_STARTS = 64, FACES_ADDED = 300, FEW_ROUNDS = 4, SMALL_ROWS = 1500 };

/* Newton steps over faces that cost more multiplications than this are not tried. */
static const double face_work = 2e9;

typedef struct columns {
    const fathom_train_problem *problem;
    fathom_relu_network net, trial;
    fathom_pricing pricing;
    fathom_faces faces;
    fathom_global_bound below;
    fathom_gated_problem loss; /* of the bound: with beta */
    double *v;                 /* outputs x n: the dual point that pricing and bound start from */
    double *best_v;            /* outputs x n: the one whose bound by the prices found was best, */
    double likely;             /* and that bound, which proves nothing */
    double *neuron;            /* d + 1 */
    double value;              /* objective of the network */
} columns;

static fathom_status columns_open(columns *a, const fathom_train_problem *problem)
{
    *a = (columns){.problem = problem, .net.problem = problem, .trial.problem = problem};
    fathom_pricing_open(&a->pricing, problem);
    fathom_status status = fathom_relu_network_open(&a->net, problem, 1);
    if (status == FATHOM_OK)
        status = fathom_relu_network_open(&a->trial, problem, 1);
    if (status == FATHOM_OK)
        status = fathom_faces_open(&a->faces, problem);
    a->v = fathom_memory_alloc(problem->context, problem->n * problem->outputs, sizeof *a->v);
    a->best_v = fathom_memory_alloc(problem->context, problem->n * problem->outputs, sizeof *a->best_v);
    a->neuron = fathom_memory_alloc(problem->context, problem->d + 1, sizeof *a->neuron);
    return status != FATHOM_OK ? status : a->v && a->best_v && a->neuron ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static void columns_close(columns *a)
{
    fathom_pricing_close(&a->pricing);
    fathom_relu_network_close(&a->net);
    fathom_relu_network_close(&a->trial);
    fathom_faces_close(&a->faces);
    fathom_global_bound_close(&a->below);
    fathom_memory_free(a->problem->context, a->v);
    fathom_memory_free(a->problem->context, a->best_v);
    fathom_memory_free(a->problem->context, a->neuron);
}

/* v = a dual point (balanced where the constant is free). */
static void set_dual(columns *a, const double *v)
{
    memcpy(a->v, v, (size_t)(a->problem->n * a->problem->outputs) * sizeof *a->v);
    fathom_gated_balance(a->v, &a->loss);
}

static void measure(columns *a)
{
    double loss, norm;
    a->value = fathom_relu_network_objective(&a->net, &loss, &norm);
}

/* Adds the best few candidates of a price above beta to the network; *added says how many. */
static fathom_status add_candidates(int64_t *added, columns *a)
{
    fathom_status status = FATHOM_OK;
    for (*added = 0; *added < ADDED && *added < a->pricing.count && status == FATHOM_OK; (*added)++) {
        const int64_t k = *added;
        if (!(a->pricing.value[k] > a->net.beta * (1 + 1e-6)))
            break;
        fathom_pricing_neuron(a->neuron, &a->pricing, k);
        status = fathom_relu_network_add_priced(&a->net, a->neuron, a->neuron[a->problem->d],
                                                a->pricing.sign[k], a->pricing.value[k]);
    }
    return status;
}

/* One round of growth: price, add, reweight, descend. */
static fathom_status grow_once(columns *a, int64_t starts)
{
    int64_t added;
    set_dual(a, a->net.residual);
    fathom_pricing_clear(&a->pricing);
    fathom_status status = fathom_pricing_draw(&a->pricing, starts);
    if (status == FATHOM_OK && a->below.met_price > a->net.beta)
        status = fathom_pricing_start(&a->pricing, a->below.met, a->below.met_sign);
    if (status == FATHOM_OK)
        status = fathom_pricing_run(&a->pricing, a->v);
    if (status == FATHOM_OK)
        status = add_candidates(&added, a);
    if (status == FATHOM_OK)
        status = fathom_relu_network_reweight(&a->net);
    if (status == FATHOM_OK)
        status = fathom_relu_network_descend(&a->net, STEPS);
    measure(a);
    return status;
}

/* Whether the context asks to stop; reports where the run stands. */
static bool stopped(const columns *a, const char *stage, int64_t iteration)
{
    const double divisor = a->problem->divisor;
    return fathom_context_poll(a->problem->context, stage, iteration, a->value / divisor,
                               a->below.lower / divisor) != FATHOM_STOP_NONE;
}

/* Rounds of growth until no neuron is worth adding or too little is gained: `least`, relative. */
static fathom_status grow(columns *a, int64_t *rounds, int64_t most, double least)
{
    int64_t idle = 0;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < most && idle < 3 && status == FATHOM_OK; k++, (*rounds)++) {
        const double before = a->value;
        status = grow_once(a, idle ? MORE_STARTS : STARTS); /* look harder before giving up */
        idle = before - a->value > least * a->value ? 0 : idle + 1;
        if (stopped(a, "network", *rounds + 1))
            return status;
    }
    return status;
}

/* Prices at v from drawn starts, from the network and from the faces. */
static fathom_status price_faces(columns *a, int64_t starts)
{
    fathom_pricing_clear(&a->pricing);
    fathom_status status = fathom_pricing_draw(&a->pricing, starts);
    if (status == FATHOM_OK)
        status = fathom_pricing_start_network(&a->pricing, &a->net);
    for (int64_t k = 0; k < a->faces.count && status == FATHOM_OK; k++) {
        const double *neuron = a->faces.neuron + k * (a->problem->d + 1);
        status = fathom_pricing_start(&a->pricing, neuron, a->faces.sign[k]);
    }
    if (status == FATHOM_OK && a->below.met_price > a->net.beta)
        status = fathom_pricing_start(&a->pricing, a->below.met, a->below.met_sign);
    return status == FATHOM_OK ? fathom_pricing_run(&a->pricing, a->v) : status;
}

/* Faces of the candidates whose price is close to beta or above. */
static fathom_status add_faces(int64_t *added, columns *a)
{
    fathom_status status = FATHOM_OK;
    *added = 0;
    for (int64_t k = 0; k < a->pricing.count && *added < FACES_ADDED && status == FATHOM_OK; k++) {
        bool fresh;
        if (!(a->pricing.value[k] > a->net.beta * (1 - 1e-3)))
            break;
        fathom_pricing_neuron(a->neuron, &a->pricing, k);
        status = fathom_faces_add(&fresh, &a->faces, a->neuron, a->pricing.sign[k]);
        *added += fresh ? 1 : 0;
    }
    return status;
}

/* The master over the faces; the network moves towards its solution, the dual point to its own. `open` is about how far
 * the value is from the optimum. */
static fathom_status solve_faces(columns *a, double open, double gap)
{
    fathom_status status = fathom_faces_solve(&a->faces, &a->net, open, gap);
    a->trial.beta = a->net.beta;
    if (status == FATHOM_OK)
        status = fathom_faces_network(&a->trial, &a->faces);
    if (status == FATHOM_OK)
        status = fathom_relu_network_blend(&a->net, &a->trial);
    measure(a);
    set_dual(a, a->faces.v);
    fathom_faces_prune(&a->faces, 2);
    return status;
}

/* The distance of the value from the bound that the prices found at v suggest; keeps the best v. */
static double open_gap(columns *a)
{
    const double bound = fathom_gated_bound(&a->loss, a->v, a->pricing.best);
    if (bound > a->likely) {
        a->likely = bound;
        memcpy(a->best_v, a->v, (size_t)(a->problem->n * a->problem->outputs) * sizeof *a->v);
    }
    return a->value - bound;
}

/* Rounds over faces until the value is within `gap` (relative) of what the prices found allow, or nothing moves. Masters are
 * solved a little further than the prices allow, no more: their exact dual points jump about while faces are few. */
static fathom_status polish(columns *a, int64_t *rounds, double gap)
{
    int64_t starts = FACE_STARTS, idle = 0, added;
    fathom_status status = FATHOM_OK;
    memcpy(a->faces.c, a->net.theta, (size_t)a->problem->outputs * sizeof *a->faces.c);
    set_dual(a, a->net.residual);
    a->likely = -INFINITY;
    for (int64_t k = 0; k < FACE_ROUNDS && idle < 4 && status == FATHOM_OK; k++, (*rounds)++) {
        const double before = a->value;
        status = price_faces(a, starts);
        if (status != FATHOM_OK)
            break;
        const double open = open_gap(a);
        if (open <= gap * a->value && starts >= MORE_STARTS)
            break;
        if (open <= gap * a->value) { /* look harder before giving up */
            starts = MORE_STARTS;
            continue;
        }
        status = add_faces(&added, a);
        if (status != FATHOM_OK || fathom_faces_work(&a->faces) > face_work)
            break;
        status = solve_faces(a, fmin(open, a->value), fmax(0.1 * gap * a->value, 0.05 * open));
        if (before > a->value) /* prices missed so far may have made earlier bounds too good */
            a->likely = -INFINITY;
        idle = before - a->value > 0.1 * gap * a->value || added > 0 ? 0 : idle + 1;
        starts = idle > 0 && starts < MORE_STARTS ? 2 * starts : starts;
        if (stopped(a, "faces", *rounds + 1))
            break;
    }
    if (a->likely > -INFINITY)
        memcpy(a->v, a->best_v, (size_t)(a->problem->n * a->problem->outputs) * sizeof *a->v);
    return status;
}

/* Takes the trial network where it is at least as good to a small part of the gap. */
static fathom_status offer_trial(columns *a)
{
    double loss, norm;
    const double value = fathom_relu_network_objective(&a->trial, &loss, &norm);
    if (!(value <= a->value * (1 + 1e-3 * a->problem->options->gap)) || a->trial.m > a->net.m)
        return FATHOM_OK;
    a->value = value;
    return fathom_relu_network_copy(&a->net, &a->trial);
}

/* Faces that the barrier keeps alive leave, and the master is solved once more over the rest. */
static fathom_status drop_idle_faces(columns *a)
{
    fathom_status status = FATHOM_OK;
    fathom_faces_prune(&a->faces, -1);
    if (a->faces.count == 0)
        return FATHOM_OK;
    const double open = fmax(a->problem->options->gap, 1e-9) * a->value;
    status = fathom_faces_solve(&a->faces, &a->net, open, 1e-3 * open);
    a->trial.beta = a->net.beta;
    if (status == FATHOM_OK)
        status = fathom_faces_network(&a->trial, &a->faces);
    return status == FATHOM_OK ? offer_trial(a) : status;
}

/* The network among those of the same objective that --select asks for; at most n + 1 neurons in any case. */
static fathom_status select_network(columns *a)
{
    const fathom_train_problem *p = a->problem;
    const int wish = p->options->select;
    fathom_status status = a->faces.count > 0 ? drop_idle_faces(a) : FATHOM_OK;
    if (status != FATHOM_OK || p->outputs > 1 || p->n > SMALL_ROWS)
        return status;
    if (wish != FATHOM_SELECT_SPARSE && wish != FATHOM_SELECT_MIN_NORM && a->net.m <= p->n + 1)
        return FATHOM_OK;
    status = fathom_relu_network_copy(&a->trial, &a->net);
    if (status == FATHOM_OK)
        status = wish == FATHOM_SELECT_MIN_NORM ? fathom_relu_network_spread(&a->trial)
                                                : fathom_relu_network_sparsify(&a->trial);
    return status == FATHOM_OK ? offer_trial(a) : status;
}

/* Upper and lower side in turns until the gap is reached or neither moves. */
static fathom_status alternate(fathom_train_result *result, columns *a)
{
    const fathom_train_problem *p = a->problem;
    const double gap = p->options->gap;
    /* growth only prepares the ground where faces can be afforded */
    const bool small = p->n * p->outputs <= SMALL_ROWS;
    double seconds = 1, before = INFINITY;
    fathom_status status = fathom_global_bound_open(&a->below, &a->loss);
    for (int64_t turn = 0; turn < TURNS && status == FATHOM_OK; turn++, seconds *= 2) {
        status = grow(a, &result->iterations, small ? FEW_ROUNDS : ROUNDS, fmax(1e-6, 0.1 * gap));
        if (status == FATHOM_OK && small && fathom_context_stop_reason(p->context) == FATHOM_STOP_NONE)
            status = polish(a, &result->iterations, fmax(0.1 * gap, 1e-11));
        /* a little more than asked for: rounding must not decide */
        const fathom_global_effort effort = {a->value, a->value * (1 - 0.9 * gap), seconds};
        if (status == FATHOM_OK)
            status = fathom_global_bound_improve(&a->below, a->v, &effort);
        if (stopped(a, a->below.method, turn + 1) || a->below.lower >= a->value * (1 - gap))
            break;
        if (a->below.exhausted && !(a->below.met_price > a->net.beta && before > a->value))
            break;
        before = a->value;
    }
    result->lower_bound = a->below.lower / p->divisor;
    result->bound = FATHOM_TRAIN_BOUND_GLOBAL;
    result->bound_method = a->below.method;
    return status;
}

/* beta and beta_max: the best price found at the best constant. */
static fathom_status choose_beta(fathom_train_result *result, columns *a)
{
    const fathom_train_problem *p = a->problem;
    double beta;
    a->loss = fathom_relu_network_problem(&a->net);
    set_dual(a, a->net.residual);
    fathom_status status = fathom_pricing_draw(&a->pricing, MORE_STARTS);
    if (status == FATHOM_OK)
        status = fathom_pricing_run(&a->pricing, a->v);
    if (status == FATHOM_OK)
        status = fathom_train_beta(&beta, p, a->pricing.best);
    if (status != FATHOM_OK)
        return status;
    a->net.beta = beta;
    a->loss.beta = beta;
    result->beta = beta / p->divisor;
    result->beta_max = a->pricing.best / p->divisor;
    measure(a);
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
    *yes = !problem->equality;
    *why = problem->equality ? "--loss equality is not in this version" : "no closed form applies";
    return FATHOM_OK;
}

fathom_status fathom_columns_run(fathom_train_result *result, const fathom_train_problem *problem)
{
    columns a;
    fathom_status status = columns_open(&a, problem);
    if (status == FATHOM_OK)
        status = choose_beta(result, &a);
    if (status == FATHOM_OK)
        status = alternate(result, &a);
    if (status == FATHOM_OK)
        status = select_network(&a);
    if (status == FATHOM_OK)
        fill_result(result, &a.net);
    if (status == FATHOM_OK)
        status = fathom_relu_network_give(&result->net, &a.net);
    columns_close(&a);
    return status;
}
