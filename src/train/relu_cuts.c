/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpolation, and losses without curvature, by cutting planes in the dual:
 *
 *     min sum_j |a_j|  over  sum_j a_j z_j + c = y        =        max <y, v>  over  |<v, z>| <= 1 for all
 *       neurons z = (Xu + b)_+, |u| = 1,
 *     min sum_i c_i (1 - y_i f_i)_+ + beta sum_j |a_j|    =   beta max <y, v>  over  |<v, z>| <= 1,
 *       0 <= y_i v_i <= c_i / beta
 *
 *     absolute and quantile: the same, -below c_i <= beta v_i <= above c_i [loss_boxed.c]
 *
 * (1'v = 0 where biases are free). Several outputs: |V'z| <= 1 is <V, z c'> <= 1 for all unit c, and a neuron
 * is met together with the c = V'z / |V'z| at which it is overpriced. The program on the right with the
 * neurons met so far (interpolation: and a box around v) is linear; its solution v is priced, neurons with
 * |<v, z>| > 1 become rows, and so on; where none is found the multipliers of the rows are the weights of an
 * optimal network, if the box does not hold v back: then it grows. The vertex v is what smoothed losses come
 * near to and never meet. Rows are found by local ascent and, at small rank, by the certified price. Outputs
 * are taken in the coordinates T of near_rows.h, v = T'w: rows of every length and near-copies, whose v are
 * large, are told apart (a loss bounds v itself: there T is diagonal). What is found is checked by whoever
 * takes it: outputs are evaluated, v is priced anew.
 *
 * A linear program of (neurons met) x n per round; observed: 10 to 80 rounds for up to 40 points.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "loss_row.h"
#include "lp.h"
#include "memory.h"
#include "near_rows.h"
#include "price.h"
#include "relu_columns.h"
#include "train_relu.h"

enum {
    MOST_POINTS = 48,
    MOST_ROUNDS = 120,
    STARTS = 24,
    PER_ROUND = 12,
    MOST_NODES = 4000,
    MOST_RATIONAL = 250,
    MOST_TIMES = 6
};

static const double FIRST_BOX = 1e3, LAST_BOX = 1e13, BOX_GROWTH = 1e2, LOOSE = 0.9, TURNING = 20,
                    SOLVED = 1e-7, FALLEN = 1e-7;

typedef struct cuts {
    const fathom_train_problem *p;
    int64_t count, room;
    int64_t rational; /* programs solved in rational arithmetic, which takes its time */
    int64_t size;     /* n outputs */
    int64_t first;    /* rows of the constants, where they are free */
    double *u, *c;    /* room x (d + 1), room x outputs: u and b; c */
    double *z;        /* room x size: (T z_j)_i c_jk, output by output */
    double *dual;     /* room */
    double *low, *high;
    double pruned;                            /* the value when rows last left */
    double excess;                            /* by which the last price exceeded 1 */
    double unit;                              /* the dual point is this times v: 1, or beta */
    fathom_near_rows near;                    /* T */
    double *v, *scaled, *cost, *left, *right; /* size: v = T' scaled; the box */
    double *direction, *out, *image;          /* d + 1, outputs, n: a neuron, and T z of it */
} cuts;

static void cuts_close(cuts *c)
{
    double *block[] = {c->u, c->c, c->z, c->dual, c->low, c->high, c->v};
    for (size_t k = 0; k < sizeof block / sizeof block[0]; k++)
        fathom_memory_free(c->p->context, block[k]);
    fathom_near_rows_close(&c->near);
}

static fathom_status grow(cuts *c)
{
    const int64_t wanted = c->room > 0 ? 2 * c->room : 64;
    double **block[] = {&c->u, &c->c, &c->z, &c->dual, &c->low, &c->high};
    const int64_t width[] = {c->p->d + 1, c->p->outputs, c->size, 1, 1, 1};
    for (int k = 0; k < 6; k++) {
        double *more = fathom_memory_zero(c->p->context, wanted * width[k], sizeof *more);
        if (!more)
            return FATHOM_ERROR_MEMORY;
        if (c->count > 0)
            memcpy(more, *block[k], (size_t)(c->count * width[k]) * sizeof *more);
        fathom_memory_free(c->p->context, *block[k]);
        *block[k] = more;
    }
    c->room = wanted;
    return FATHOM_OK;
}

/* image = T z of a neuron; c = V'z / |V'z|, 1 for one output. Returns |V'z|. */
static double aim_neuron(cuts *c, const double *neuron)
{
    const fathom_train_problem *p = c->p;
    fathom_near_rows_neuron(c->image, &c->near, neuron);
    for (int64_t k = 0; k < p->outputs; k++)
        c->out[k] = fathom_blas_dot(c->image, c->scaled + k * p->n, p->n);
    const double norm = fathom_blas_norm(c->out, p->outputs);
    if (p->outputs == 1 || !(norm > 0))
        c->out[0] = 1;
    else
        fathom_blas_scale(c->out, 1 / norm, p->outputs);
    return norm;
}

/* A neuron becomes a row: -1 <= <V, z c'> <= 1. */
static fathom_status add(cuts *c, const double *neuron)
{
    const fathom_train_problem *p = c->p;
    FATHOM_TRY(c->count == c->room ? grow(c) : FATHOM_OK);
    const int64_t j = c->count++;
    aim_neuron(c, neuron);
    memcpy(c->u + j * (p->d + 1), neuron, (size_t)(p->d + 1) * sizeof *neuron);
    memcpy(c->c + j * p->outputs, c->out, (size_t)p->outputs * sizeof *c->out);
    for (int64_t i = 0; i < c->size; i++)
        c->z[j * c->size + i] = c->image[i % p->n] * c->out[i / p->n];
    c->low[j] = -1;
    c->high[j] = 1;
    return FATHOM_OK;
}

static fathom_status cuts_open(cuts *c, const fathom_train_problem *p, double beta)
{
    *c = (cuts){
        .p = p, .unit = p->equality ? 1 : beta, .size = p->n * p->outputs, .excess = 1, .pruned = INFINITY};
    c->first = p->constant ? p->outputs : 0;
    c->v = fathom_memory_zero(p->context, 5 * c->size + p->d + 1 + p->outputs + p->n, sizeof *c->v);
    FATHOM_TRY(fathom_near_rows_open(&c->near, p, p->equality && p->outputs == 1));
    FATHOM_TRY(c->v ? grow(c) : FATHOM_ERROR_MEMORY);
    c->scaled = c->v + c->size;
    c->cost = c->scaled + c->size;
    c->left = c->cost + c->size;
    c->right = c->left + c->size;
    c->direction = c->right + c->size;
    c->out = c->direction + p->d + 1;
    c->image = c->out + p->outputs;
    for (int64_t i = 0; i < p->n; i++)
        c->image[i] = 1;
    for (int64_t k = 0; k < c->first; k++) /* 1'v = 0 */
        fathom_near_rows_apply(c->z + k * c->size + k * p->n, &c->near, c->image);
    for (int64_t k = 0; k < p->outputs; k++)
        fathom_near_rows_apply(c->cost + k * p->n, &c->near, p->y + k * p->n);
    fathom_blas_scale(c->cost, -1, c->size);
    c->count = c->first;
    return FATHOM_OK;
}

/* Where v may lie: the box, or beta v_i / c_i among the slopes of the loss. */
static void set_range(cuts *c, double box)
{
    const fathom_train_problem *p = c->p;
    const bool boxed = fathom_loss_row_of(p->loss)->boxed;
    for (int64_t i = 0; i < c->size; i++) {
        const double unit = (p->weight ? p->weight[i % p->n] : 1) * c->near.length[i % p->n] / c->unit;
        const double below = p->equality ? box : unit * (boxed ? p->box.below : p->y[i] < 0 ? 1 : 0);
        c->left[i] = -below;
        c->right[i] = p->equality ? box : unit * (boxed ? p->box.above : p->y[i] > 0 ? 1 : 0);
    }
}

/* Whether scaled and dual are feasible and of one value: <y, v> = sum_j |dual_j| - sum_i min over the range
 * of (cost_i - (Z'dual)_i) v_i. */
static bool is_optimal(const cuts *c)
{
    const int64_t n = c->size;
    double dual = 0, value = 0, most = 0, reach = 0;
    for (int64_t i = 0; i < n; i++) {
        double left = c->cost[i];
        for (int64_t j = 0; j < c->count; j++)
            left -= c->dual[j] * c->z[j * n + i];
        dual -= fmin(left * c->left[i], left * c->right[i]);
        value -= c->cost[i] * c->scaled[i];
        reach = fmax(reach, fmax(-c->left[i], c->right[i]));
    }
    for (int64_t j = 0; j < c->count; j++) {
        dual += c->high[j] * fabs(c->dual[j]);
        most = fmax(most, fabs(fathom_blas_dot(c->z + j * n, c->scaled, n)) - c->high[j]);
    }
    return fabs(dual - value) <= SOLVED * fabs(dual) && most <= SOLVED + 1e-15 * (double)n * reach;
}

/* v of the rows at hand within the box; *held: whether the box holds it back. */
static fathom_status solve(bool *optimal, bool *held, cuts *c, double box)
{
    const fathom_train_problem *p = c->p;
    double value;
    set_range(c, box);
    const fathom_lp lp = {.rows = c->count,
                          .columns = c->size,
                          .a = c->z,
                          .cost = c->cost,
                          .column_low = c->left,
                          .column_high = c->right,
                          .row_low = c->low,
                          .row_high = c->high,
                          .tolerance = 1e-9};
    fathom_status status = FATHOM_OK;
    *optimal = false;
    static const fathom_lp_way all[] = {FATHOM_LP_DUAL, FATHOM_LP_PRIMAL, FATHOM_LP_SCALED, FATHOM_LP_EXACT};
    const fathom_lp_way *way = all;
    for (bool last = false; !last && !*optimal && status == FATHOM_OK; way++) {
        last = *way == FATHOM_LP_EXACT;
        if (last && (c->count * c->size > MOST_RATIONAL || ++c->rational > MOST_TIMES))
            break;
        fathom_lp_answer answer;
        status = fathom_lp_try(&answer, &value, c->scaled, c->dual, p->context, &lp, *way);
        *optimal = status == FATHOM_OK && answer == FATHOM_LP_OPTIMAL && is_optimal(c);
    }
    *held = false;
    for (int64_t i = 0; i < c->size && status == FATHOM_OK && *optimal; i++)
        *held = *held || (p->equality && fabs(c->scaled[i]) > 0.999 * box && c->cost[i] != 0);
    for (int64_t k = 0; k < p->outputs && status == FATHOM_OK && *optimal; k++)
        fathom_near_rows_transpose(c->v + k * p->n, &c->near, c->scaled + k * p->n);
    return status;
}

/* <y, v>, which falls as rows come in. */
static double value_of(const cuts *c) { return -fathom_blas_dot(c->cost, c->scaled, c->size); }

/* Rows that are far from tight leave, once the value has fallen since the last did, so that none comes and
 * goes for ever: small programs can be solved in rational arithmetic. */
static void prune(cuts *c)
{
    const double value = value_of(c);
    if (!(value < c->pruned - FALLEN * fabs(value)))
        return;
    c->pruned = value;
    const int64_t n = c->size, d = c->p->d, o = c->p->outputs;
    int64_t kept = c->first;
    /* several outputs: rows gather all over the caps where c turns, and only the nearest matter in the end */
    const double loose = o > 1 ? 1 - fmin(1 - LOOSE, TURNING * c->excess) : LOOSE;
    for (int64_t j = kept; j < c->count; j++) {
        if (c->dual[j] == 0 && fabs(fathom_blas_dot(c->z + j * n, c->scaled, n)) < loose)
            continue;
        memmove(c->z + kept * n, c->z + j * n, (size_t)n * sizeof *c->z);
        memmove(c->u + kept * (d + 1), c->u + j * (d + 1), (size_t)(d + 1) * sizeof *c->u);
        memmove(c->c + kept * o, c->c + j * o, (size_t)o * sizeof *c->c);
        c->dual[kept++] = c->dual[j];
    }
    c->count = kept;
}

/* The certified price where the rank is small; its neuron becomes a row. */
static fathom_status price_exactly(int64_t *added, cuts *c, double most)
{
    const fathom_train_problem *p = c->p;
    const fathom_objective objective = fathom_train_objective(p, 1);
    const fathom_price_problem price = fathom_price_at(&objective, c->v, p->outputs);
    const fathom_price_options options = {.method = FATHOM_PRICE_AUTO,
                                          .gap = 0.3 * (most - 1),
                                          .enough = most,
                                          .excess = 1,
                                          .nodes = MOST_NODES};
    fathom_price_result result;
    bool small;
    fathom_status status = fathom_price_is_small(&small, &price);
    if (status != FATHOM_OK || !small)
        return status;
    status = fathom_price_bound(&result, c->direction, &price, &options);
    if (!p->constant)
        c->direction[p->d] = 0;
    if (status != FATHOM_OK || !(result.lower > most))
        return status;
    ++*added;
    return add(c, c->direction);
}

/* Neurons with |<v, z>| > most become rows; *added: how many. */
static fathom_status price(int64_t *added, cuts *c, fathom_pricing *pricing, double most)
{
    const fathom_train_problem *p = c->p;
    fathom_pricing_clear(pricing);
    fathom_status status = fathom_pricing_draw(pricing, STARTS);
    for (int64_t j = c->first; j < c->count && status == FATHOM_OK; j++)
        if (c->dual[j] != 0)
            status = fathom_pricing_start(pricing, c->u + j * (p->d + 1), c->dual[j] < 0 ? 1 : -1);
    FATHOM_THEN(status, fathom_pricing_run(pricing, c->v));
    *added = 0;
    c->excess = pricing->count > 0 ? fmax(0, pricing->value[0] - 1) : 0;
    for (int64_t k = 0; k < pricing->count && *added < PER_ROUND && status == FATHOM_OK; k++) {
        fathom_pricing_neuron(c->direction, pricing, k);
        if (!(aim_neuron(c, c->direction) > most))
            continue;
        status = add(c, c->direction);
        ++*added;
    }
    if (status != FATHOM_OK || *added > 0)
        return status;
    return price_exactly(added, c, most + fathom_relu_price_noise(p, c->v));
}

/* The network of the multipliers: y, or f, = - sum_j dual_j z_j. */
static fathom_status take_network(fathom_columns *a, cuts *c)
{
    const fathom_train_problem *p = c->p;
    fathom_status status = FATHOM_OK;
    a->net.m = 0;
    for (int64_t k = 0; k < p->outputs; k++)
        a->net.theta[k] = p->constant ? -c->dual[k] : 0;
    for (int64_t j = c->first; j < c->count && status == FATHOM_OK; j++) {
        const double *u = c->u + j * (p->d + 1);
        if (c->dual[j] == 0)
            continue;
        for (int64_t k = 0; k < p->outputs; k++)
            c->out[k] = -c->dual[j] * c->c[j * p->outputs + k];
        status = fathom_relu_network_add(&a->net, u, u[p->d], c->out);
    }
    return status == FATHOM_OK ? fathom_relu_network_refresh(&a->net) : status;
}

/* The neurons of the network at hand are the first rows. */
static fathom_status add_network(cuts *c, const fathom_relu_network *net)
{
    const int64_t d = c->p->d;
    fathom_status status = FATHOM_OK;
    for (int64_t j = 0; j < net->m && status == FATHOM_OK; j++) {
        memcpy(c->direction, fathom_relu_neuron(net, j), (size_t)(d + 1) * sizeof *c->direction);
        const double norm = fathom_blas_norm(c->direction, d);
        if (!(norm > 0))
            continue;
        fathom_blas_scale(c->direction, 1 / norm, d + 1);
        status = add(c, c->direction);
    }
    return status;
}

/* What rounding makes of the price of a neuron in these coordinates. */
static double noise_of(const cuts *c)
{
    double mass = 0;
    for (int64_t i = 0; i < c->size; i++)
        mass += fabs(c->scaled[i]);
    return (double)(c->p->n + c->p->d + 16) * DBL_EPSILON * mass;
}

/* Rounds until no neuron is met that v overprices and the box is out of the way; *optimal: whether that was
 * reached. */
static fathom_status run_rounds(bool *optimal, cuts *c, fathom_pricing *pricing, int64_t *rounds, double gap)
{
    double box = FIRST_BOX;
    fathom_status status = FATHOM_OK;
    bool solved = true, held = true;
    *optimal = false;
    for (int64_t k = 0; k < MOST_ROUNDS && solved && !*optimal && status == FATHOM_OK; k++) {
        int64_t added = 0;
        status = solve(&solved, &held, c, box);
        if (status == FATHOM_OK && solved)
            prune(c);
        if (status == FATHOM_OK && solved)
            status = price(&added, c, pricing, 1 + gap + noise_of(c));
        ++*rounds;
        if (fathom_context_stop_reason(c->p->context) != FATHOM_STOP_NONE)
            break;
        if (added == 0 && held && box < LAST_BOX)
            box *= BOX_GROWTH;
        else
            *optimal = solved && !held && added == 0;
    }
    return status;
}

bool fathom_columns_may_cut(const fathom_columns *a)
{
    const fathom_train_problem *p = a->problem;
    return (p->equality || fathom_loss_row_of(p->loss)->dual == FATHOM_DUAL_LINEAR) &&
           p->n * p->outputs <= MOST_POINTS;
}

/* Interpolation: the network is made to interpolate, and is kept where its norm is below `before`. */
static fathom_status settle_interpolation(bool *optimal, fathom_columns *a, cuts *c, double before)
{
    fathom_status status = take_network(a, c);
    memcpy(a->multiplier, c->v, (size_t)c->size * sizeof *c->v);
    fathom_faces_leave(&a->faces);
    FATHOM_THEN(status, fathom_columns_fit(a, before));
    a->interpolates = isfinite(a->value);
    *optimal = a->interpolates;
    return status;
}

/* A loss: the network is kept where its objective is below `before`; v is the dual point. */
static fathom_status settle_loss(fathom_columns *a, cuts *c, double before, double gap)
{
    double value = 0;
    fathom_status status = fathom_relu_network_copy(&a->trial, &a->net);
    FATHOM_THEN(status, take_network(a, c));
    fathom_columns_measure(a);
    if (status == FATHOM_OK && !(a->value < before)) {
        status = fathom_relu_network_copy(&a->net, &a->trial);
        a->value = before;
    }
    for (int64_t i = 0; i < c->p->n; i++) {
        a->v[i] = c->unit * c->v[i];
        value += a->v[i] * c->p->y[i];
    }
    fathom_objective_balance(a->v, &a->loss);
    a->likely = value / (1 + gap);
    return status;
}

fathom_status fathom_columns_cut(bool *optimal, fathom_columns *a, int64_t *rounds, double gap)
{
    const bool equality = a->problem->equality;
    const double before = !equality || a->interpolates ? a->value : INFINITY;
    cuts c;
    fathom_pricing pricing;
    fathom_status status = cuts_open(&c, a->problem, a->loss.beta);
    fathom_pricing_open(&pricing, a->problem);
    *optimal = false;
    if (status == FATHOM_OK &&
        c.size > a->problem->n) /* the c of neurons at hand are those of the dual point at hand */
        for (int64_t i = 0; i < c.size; i++)
            c.scaled[i] = a->multiplier[i] * c.near.length[i % a->problem->n];
    if (status == FATHOM_OK && (!equality || c.size > a->problem->n))
        status = add_network(&c, &a->net);
    FATHOM_THEN(status, run_rounds(optimal, &c, &pricing, rounds, gap));
    if (status == FATHOM_OK && *optimal)
        status = equality ? settle_interpolation(optimal, a, &c, before) : settle_loss(a, &c, before, gap);
    fathom_pricing_close(&pricing);
    cuts_close(&c);
    return status;
}
