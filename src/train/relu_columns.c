/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of column generation: growth, faces, interpolation, selection; the method stands in
 * train_columns.c. */
#include "relu_columns.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "loss_row.h"
#include "memory.h"
#include "relu_select.h"
#include "train_relu.h"

enum { STARTS = 64, MORE_STARTS = 512, ADDED = 16, STEPS = 60 };
enum {
    FACE_ROUNDS = 60,
    COARSE_ROUNDS = 2,
    FACE_STARTS = 64,
    FACES_ADDED = 300,
    FEW_ROUNDS = 4,
    SMALL_ROWS = 1500,
    PENALTIES = 14
};

/* Newton steps over faces that cost more multiplications than this are not tried. */
static const double face_work = 2e8;

/* Interpolation counts as reached where |f_i - y_i| is at most this times the largest |y_i|; below the
 * second number nothing is left to be done. */
static const double rounding_level = 1e-12;

fathom_status fathom_columns_open(fathom_columns *a, const fathom_train_problem *problem)
{
    const int64_t size = problem->n * problem->outputs;
    *a = (fathom_columns){.problem = problem,
                          .inner = *problem,
                          .net.problem = problem,
                          .trial.problem = problem,
                          .kept.problem = problem};
    if (problem->equality) {
        a->shifted = fathom_memory_alloc(problem->context, size, sizeof *a->shifted);
        a->multiplier = fathom_memory_zero(problem->context, size, sizeof *a->multiplier);
        a->weight = fathom_memory_alloc(problem->context, problem->n, sizeof *a->weight);
        if (!a->shifted || !a->weight || !a->multiplier)
            return FATHOM_ERROR_MEMORY;
        memcpy(a->shifted, problem->y, (size_t)size * sizeof *a->shifted);
        for (int64_t i = 0; i < problem->n; i++)
            a->weight[i] = 1;
        a->inner.y = a->shifted;
        a->inner.weight = a->weight;
        a->inner.equality = false;
    }
    fathom_pricing_open(&a->pricing, &a->inner);
    fathom_status status = fathom_relu_network_open(&a->net, &a->inner, 1);
    FATHOM_THEN(status, fathom_relu_network_open(&a->trial, &a->inner, 1));
    FATHOM_THEN(status, fathom_relu_network_open(&a->kept, &a->inner, 1));
    FATHOM_THEN(status, fathom_faces_open(&a->faces, &a->inner));
    a->v = fathom_memory_alloc(problem->context, size, sizeof *a->v);
    a->best_v = fathom_memory_alloc(problem->context, size, sizeof *a->best_v);
    a->neuron = fathom_memory_alloc(problem->context, problem->d + 1 + problem->outputs, sizeof *a->neuron);
    return status != FATHOM_OK ? status : a->v && a->best_v && a->neuron ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_columns_close(fathom_columns *a)
{
    fathom_pricing_close(&a->pricing);
    fathom_relu_network_close(&a->net);
    fathom_relu_network_close(&a->trial);
    fathom_relu_network_close(&a->kept);
    fathom_faces_close(&a->faces);
    fathom_global_bound_close(&a->below);
    fathom_global_bound_close(&a->floor);
    FATHOM_FREE(a->problem->context, a->shifted, a->multiplier, a->weight, a->v, a->best_v, a->early,
                a->neuron);
}

/* The residual of the network as a dual point. Where the hinge has a kink any subgradient serves: that of
 * the smoothed loss, as 0 and 1 alone say little. */
void fathom_columns_residual(fathom_columns *a)
{
    if (a->net.m == 0) {
        fathom_relu_first_dual(a->v, &a->loss, a->net.f);
        return;
    }
    fathom_objective_residual(a->v, &a->loss, a->net.f, fathom_objective_smoothing(&a->loss, 0.05));
    fathom_objective_balance(a->v, &a->loss);
    if (fathom_loss_row_of(a->loss.loss)->boxed)
        fathom_objective_wake_dual(a->v, &a->loss);
}

/* v = a dual point (balanced where the constant is free). */
static void set_dual(fathom_columns *a, const double *v)
{
    memcpy(a->v, v, (size_t)(a->problem->n * a->problem->outputs) * sizeof *a->v);
    fathom_objective_balance(a->v, &a->loss);
}

void fathom_columns_measure(fathom_columns *a)
{
    double loss, norm;
    a->value = fathom_relu_network_objective(&a->net, &loss, &norm);
}

bool fathom_columns_small(const fathom_columns *a)
{
    return a->problem->n * a->problem->outputs <= SMALL_ROWS;
}

bool fathom_columns_too_many_faces(const fathom_columns *a)
{
    return fathom_faces_work(&a->faces) > face_work;
}

/* The best of the neurons that the lower side met, as a start. */
static fathom_status start_met(fathom_columns *a)
{
    if (!(a->below.met_price > a->net.beta))
        return FATHOM_OK;
    return fathom_pricing_start(&a->pricing, a->below.met, a->below.met_sign);
}

fathom_status fathom_columns_price(fathom_columns *a, int64_t starts)
{
    fathom_columns_residual(a);
    fathom_pricing_clear(&a->pricing);
    FATHOM_TRY(fathom_pricing_draw(&a->pricing, starts));
    FATHOM_TRY(start_met(a));
    return fathom_pricing_run(&a->pricing, a->v);
}

/* Adds the best few candidates of a price above beta to the network; *added says how many. */
static fathom_status add_candidates(int64_t *added, fathom_columns *a)
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

/* One round of growth: price, add, reweight, descend. A network that is none the better for it (new
 * neurons are as large as a smooth loss has them, and descent stops at corners of the hinge) is given back
 * as it was. */
static fathom_status grow_once(fathom_columns *a, int64_t starts)
{
    int64_t added;
    const double before = a->value;
    fathom_status status = fathom_relu_network_copy(&a->trial, &a->net);
    FATHOM_THEN(status, fathom_columns_price(a, starts));
    FATHOM_THEN(status, add_candidates(&added, a));
    FATHOM_THEN(status, fathom_relu_network_reweight(&a->net));
    FATHOM_THEN(status, fathom_relu_network_descend(&a->net, STEPS));
    fathom_columns_measure(a);
    if (status == FATHOM_OK && !(a->value <= before)) {
        status = fathom_relu_network_copy(&a->net, &a->trial);
        a->value = before;
    }
    return status;
}

bool fathom_columns_stopped(const fathom_columns *a, const char *stage, int64_t iteration)
{
    const double divisor = a->problem->divisor;
    return fathom_context_poll(a->problem->context, stage, iteration, a->value / divisor,
                               a->below.lower / divisor) != FATHOM_STOP_NONE;
}

fathom_status fathom_columns_grow(fathom_columns *a, int64_t *rounds, int64_t *idle, int64_t most,
                                  int64_t idlest, double least)
{
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < most && *idle < idlest && status == FATHOM_OK; k++, (*rounds)++) {
        const double before = a->value;
        status = grow_once(a, *idle ? MORE_STARTS : STARTS); /* look harder before giving up */
        *idle = before - a->value > least * a->value ? 0 : *idle + 1;
        if (fathom_columns_stopped(a, "network", *rounds + 1))
            return status;
    }
    return status;
}

/* Prices at v from drawn starts, from the network and from the faces. */
static fathom_status price_faces(fathom_columns *a, int64_t starts)
{
    fathom_pricing_clear(&a->pricing);
    fathom_status status = fathom_pricing_draw(&a->pricing, starts);
    FATHOM_THEN(status, fathom_pricing_start_network(&a->pricing, &a->net));
    for (int64_t k = 0; k < a->faces.count && status == FATHOM_OK; k++) {
        const double *neuron = a->faces.neuron + k * (a->problem->d + 1);
        status = fathom_pricing_start(&a->pricing, neuron, a->faces.sign[k]);
    }
    FATHOM_THEN(status, start_met(a));
    return status == FATHOM_OK ? fathom_pricing_run(&a->pricing, a->v) : status;
}

/* Faces of the candidates whose price is close to beta or above; where there is no face at all, of the
 * best. */
static fathom_status add_faces(int64_t *added, fathom_columns *a)
{
    fathom_status status = FATHOM_OK;
    const double least = fmin(a->net.beta, a->faces.count > 0 ? a->net.beta : a->pricing.best) * (1 - 1e-3);
    *added = 0;
    for (int64_t k = 0; k < a->pricing.count && *added < FACES_ADDED && status == FATHOM_OK; k++) {
        bool fresh;
        if (!(a->pricing.value[k] > least))
            break;
        fathom_pricing_neuron(a->neuron, &a->pricing, k);
        status = fathom_faces_add(&fresh, &a->faces, a->neuron, a->pricing.sign[k]);
        *added += fresh ? 1 : 0;
    }
    return status;
}

/* The master over the faces; the network moves towards its solution, the dual point to its own. `open` is
 * about how far the value is from the optimum. */
static fathom_status solve_faces(fathom_columns *a, double open, double gap)
{
    fathom_status status = fathom_faces_solve(&a->faces, &a->net, open, gap);
    a->trial.beta = a->net.beta;
    FATHOM_THEN(status, fathom_faces_network(&a->trial, &a->faces));
    FATHOM_THEN(status, fathom_relu_network_blend(&a->net, &a->trial));
    fathom_columns_measure(a);
    set_dual(a, a->faces.v);
    fathom_faces_prune(&a->faces, 2);
    return status;
}

/* The distance of the value from the bound that the prices found at v suggest; keeps the best v. */
static double open_gap(fathom_columns *a)
{
    const double bound = fathom_objective_bound(&a->loss, a->v, a->pricing.best);
    if (bound > a->likely) {
        a->likely = bound;
        memcpy(a->best_v, a->v, (size_t)(a->problem->n * a->problem->outputs) * sizeof *a->v);
    }
    return a->value - bound;
}

/* Masters are solved a little further than the prices allow, no more: their exact dual points jump about
 * while faces are few. */
fathom_status fathom_columns_polish(fathom_columns *a, int64_t *rounds, double gap)
{
    int64_t starts = FACE_STARTS, idle = 0, added;
    fathom_status status = FATHOM_OK;
    memcpy(a->faces.c, a->net.theta, (size_t)a->problem->outputs * sizeof *a->faces.c);
    fathom_columns_residual(a);
    a->likely = -INFINITY;
    double least = INFINITY; /* open so far */
    const int64_t most = gap >= 1e-3 && !fathom_global_bound_begun(&a->below)
                             ? COARSE_ROUNDS
                             : FACE_ROUNDS; /* while the gap is wide, the bound comes first */
    for (int64_t k = 0; k < most && idle < 4 && status == FATHOM_OK; k++, (*rounds)++) {
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
        if (status != FATHOM_OK || fathom_columns_too_many_faces(a))
            break;
        status = solve_faces(a, fmin(open, a->value), fmax(0.1 * gap * a->value, 0.05 * open));
        if (before - a->value > 0.1 * open) /* prices missed so far may have made earlier bounds too good */
            a->likely = -INFINITY;
        idle = before - a->value > 0.1 * gap * a->value || added > 0 || open < 0.5 * least ? 0 : idle + 1;
        least = fmin(least, open);
        starts = idle > 0 && starts < MORE_STARTS ? 2 * starts : starts;
        if (fathom_columns_stopped(a, "faces", *rounds + 1))
            break;
    }
    if (a->likely > -INFINITY)
        memcpy(a->v, a->best_v, (size_t)(a->problem->n * a->problem->outputs) * sizeof *a->v);
    return status;
}

/* Takes the trial network where it is at least as good to a small part of the gap, and interpolates where
 * it has to. */
static fathom_status offer_trial(fathom_columns *a)
{
    double loss, norm, most = 0, cost = 0;
    double value = fathom_relu_network_objective(&a->trial, &loss, &norm);
    if (a->problem->equality) {
        for (int64_t i = 0; i < a->problem->n * a->problem->outputs; i++) {
            const double left = fabs(a->trial.f[i] - a->problem->y[i]);
            most = fmax(most, left);
            cost += left * fabs(a->multiplier[i]); /* about what it would take to fit the rest */
        }
        value = most <= fathom_relu_target_room(a->problem, norm) ? norm * (1 + 0x1p-40) + cost : INFINITY;
    }
    if (!(value <= a->value * (1 + 1e-3 * a->problem->options->gap)) || a->trial.m > a->net.m)
        return FATHOM_OK;
    a->value = value;
    return fathom_relu_network_copy(&a->net, &a->trial);
}

/* Faces that the barrier keeps alive leave, and the master is solved once more over the rest. */
static fathom_status drop_idle_faces(fathom_columns *a)
{
    fathom_status status = FATHOM_OK;
    fathom_faces_prune(&a->faces, -1);
    if (a->faces.count == 0)
        return FATHOM_OK;
    const double open = fmax(a->problem->options->gap, 1e-9) * a->value;
    status = fathom_faces_solve(&a->faces, &a->net, open, 1e-3 * open);
    a->trial.beta = a->net.beta;
    FATHOM_THEN(status, fathom_faces_network(&a->trial, &a->faces));
    return status == FATHOM_OK ? offer_trial(a) : status;
}

fathom_status fathom_columns_select(fathom_columns *a)
{
    const fathom_train_problem *p = a->problem;
    const int wish = p->options->select;
    /* to interpolate, the master's solution stays as it is */
    fathom_status status = a->faces.count > 0 && !p->equality ? drop_idle_faces(a) : FATHOM_OK;
    if (status != FATHOM_OK || !fathom_columns_small(a))
        return status;
    if (wish != FATHOM_SELECT_SPARSE && wish != FATHOM_SELECT_MIN_NORM && a->net.m <= p->n * p->outputs + 1)
        return FATHOM_OK;
    status = fathom_relu_network_copy(&a->trial, &a->net);
    FATHOM_THEN(status, wish == FATHOM_SELECT_MIN_NORM ? fathom_relu_network_spread(&a->trial)
                                                       : fathom_relu_network_sparsify(&a->trial));
    if (status == FATHOM_OK && p->equality && a->trial.m > 0) /* what rounding has moved */
        status = fathom_relu_network_interpolate(&a->trial, p->y, 0);
    return status == FATHOM_OK ? offer_trial(a) : status;
}

/* The inner problem for the multiplier v and the penalty k: targets y + v / k, weights k. */
static fathom_status penalise(fathom_columns *a, const double *v)
{
    const int64_t n = a->problem->n;
    for (int64_t i = 0; i < n * a->problem->outputs; i++)
        a->shifted[i] = a->problem->y[i] + v[i] / a->penalty;
    for (int64_t i = 0; i < n; i++)
        a->weight[i] = a->penalty;
    const fathom_status status = fathom_relu_network_refresh(&a->net);
    fathom_columns_measure(a);
    return status;
}

/* The largest |f_i - y_i|, */
static double missed(const fathom_columns *a)
{
    double most = 0;
    for (int64_t i = 0; i < a->problem->n * a->problem->outputs; i++)
        most = fmax(most, fabs(a->net.f[i] - a->problem->y[i]));
    return most;
}

/* and relative to the largest |y_i|. */
double fathom_columns_misfit(const fathom_columns *a)
{
    double size = 0;
    for (int64_t i = 0; i < a->problem->n * a->problem->outputs; i++)
        size = fmax(size, fabs(a->problem->y[i]));
    return size > 0 ? missed(a) / size : missed(a);
}

/* About what it takes to fit what is left of y - f: <v, y - f>. */
static double cost_of_rest(const fathom_columns *a)
{
    double sum = 0;
    for (int64_t i = 0; i < a->problem->n * a->problem->outputs; i++)
        sum += fabs(a->multiplier[i] * (a->problem->y[i] - a->net.f[i]));
    return sum;
}

/* The network's norm where its outputs are the targets, infinite elsewhere. */
static double interpolating_norm(const fathom_columns *a)
{
    double loss, norm;
    fathom_relu_network_objective(&a->net, &loss, &norm);
    return missed(a) <= fathom_relu_target_room(a->problem, norm) ? norm * (1 + 0x1p-40) + cost_of_rest(a)
                                                                  : INFINITY;
}

/* Moves the weights, those of `drawn` more neurons too; undone where the norm would double: the atoms do
 * not span the rest. */
static fathom_status interpolate_network(fathom_columns *a, int64_t drawn)
{
    double loss, before, after;
    fathom_relu_network_objective(&a->net, &loss, &before);
    fathom_status status = fathom_relu_network_copy(&a->trial, &a->net);
    FATHOM_THEN(status, fathom_relu_network_interpolate(&a->net, a->problem->y, drawn));
    fathom_relu_network_objective(&a->net, &loss, &after);
    return status == FATHOM_OK && !(after <= 2 * before) ? fathom_relu_network_copy(&a->net, &a->trial)
                                                         : status;
}

/* Makes the outputs the targets by the weights alone, then with drawn neurons; takes over where the norm
 * is the least so far, which a->kept and a->value keep. */
static fathom_status offer_interpolation(fathom_columns *a)
{
    fathom_status status = FATHOM_OK;
    for (int drawn = 0; drawn <= 8 && status == FATHOM_OK && fathom_columns_misfit(a) > rounding_level;
         drawn = drawn > 0 ? 8 * drawn : 1)
        status = interpolate_network(a, drawn * a->problem->n);
    const double value = interpolating_norm(a);
    if (status != FATHOM_OK || !(value < a->value))
        return status;
    a->value = value;
    return fathom_relu_network_copy(&a->kept, &a->net);
}

fathom_status fathom_columns_fit(fathom_columns *a, double before)
{
    double left;
    a->value = before;
    fathom_status status = offer_interpolation(a);
    if (status == FATHOM_OK && a->faces.count > 0)
        status = fathom_faces_interpolate(&left, &a->faces, a->problem->y);
    if (status == FATHOM_OK && a->faces.count > 0)
        status = fathom_faces_network(&a->net, &a->faces);
    if (status == FATHOM_OK && a->faces.count > 0)
        status = offer_interpolation(a);
    return status == FATHOM_OK && isfinite(a->value) ? fathom_relu_network_copy(&a->net, &a->kept) : status;
}

/* The inner problem with multipliers for the present penalty: its dual point is the next multiplier. */
static fathom_status solve_penalised(fathom_columns *a, int64_t *rounds, bool first, double gap)
{
    const size_t size = (size_t)(a->problem->n * a->problem->outputs);
    fathom_status status = penalise(a, a->multiplier);
    int64_t idle = 0;
    if (status == FATHOM_OK && first)
        status = fathom_columns_grow(a, rounds, &idle, FEW_ROUNDS, 3, 1e-3);
    FATHOM_THEN(status, fathom_columns_polish(a, rounds, gap));
    if (a->value - a->likely <= 0.1 * a->value) /* otherwise it was not solved, and the multiplier stays */
        memcpy(a->multiplier, a->v, size * sizeof *a->v);
    return status;
}

/*
 * min sum |w_j||u_j| subject to f = y, by multipliers: with penalty k the problem
 *
 *     min  sum_j |w_j||u_j| + k/2 |y + v/k - f|^2
 *
 * is one with the squared loss; its residual k (y + v/k - f) is the next multiplier v, and k grows tenfold
 * while what is left of y - f falls slowly.
 */
fathom_status fathom_columns_interpolate(fathom_columns *a, int64_t *rounds, double gap, bool again)
{
    const int64_t size = a->problem->n * a->problem->outputs;
    const double value = a->interpolates ? a->value : INFINITY;
    fathom_status status = a->interpolates ? fathom_relu_network_copy(&a->kept, &a->net) : FATHOM_OK;
    double before = INFINITY, loss, norm;
    int idle = 0;
    const bool several = a->problem->outputs > 1;
    if (status == FATHOM_OK && fathom_columns_may_cut(a) && (!several || (again && a->interpolates))) {
        bool optimal;
        status = fathom_columns_cut(&optimal, a, rounds, fmax(gap, several ? 1e-7 : 0));
        memcpy(a->v, a->multiplier, (size_t)size * sizeof *a->v);
        if (status != FATHOM_OK || optimal)
            return status;
    }
    gap = fmax(gap, several ? 1e-5 : 0); /* several outputs: directions are no finer */
    for (int k = 0; k < PENALTIES && idle < 3 && status == FATHOM_OK; k++) {
        status = solve_penalised(a, rounds, k == 0, gap);
        const double now = cost_of_rest(a);
        fathom_relu_network_objective(&a->net, &loss, &norm);
        if ((now <= 5 * gap * norm && fathom_columns_misfit(a) <= 1e-6) ||
            fathom_context_stop_reason(a->problem->context) != FATHOM_STOP_NONE)
            break;
        idle = now < 0.9 * before || fathom_columns_misfit(a) > 1e-4
                   ? 0
                   : idle + 1; /* at first multipliers grow, and cost with them */
        if (!(now < 0.2 * before) && a->penalty < a->most_penalty) /* larger ones are ill-conditioned */
            a->penalty *= 10;
        before = fmin(before, now);
    }
    FATHOM_THEN(status, fathom_columns_fit(a, value));
    a->interpolates = isfinite(a->value);
    memcpy(a->v, a->multiplier, (size_t)size * sizeof *a->v);
    if (status != FATHOM_OK || isfinite(a->value) ||
        fathom_context_stop_reason(a->problem->context) != FATHOM_STOP_NONE)
        return status;
    if (fathom_columns_misfit(a) > 1) { /* 0 is nearer */
        memset(a->net.theta, 0, (size_t)a->problem->outputs * sizeof *a->net.theta);
        a->net.m = 0;
        status = fathom_relu_network_refresh(&a->net);
    }
    return status;
}
