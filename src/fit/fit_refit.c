/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last network: that of the path on all rows at the chosen penalty, improved and bounded by column
 * generation in the time given, then pruned or averaged where asked for.
 *
 * Work is counted (--effort), half the seconds of one core, so that the same network comes out on every
 * machine; the clock ends what takes longer.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "fit_internal.h"
#include "inner/fit.h"
#include "memory.h"
#include "train_internal.h"

static const double DEFAULT_GAP = 0.01, SPARSE_PRUNE = 0.01;
static const double NOTHING = 1e-7; /* neurons of this share of the largest are none */

void fathom_fit_train_options(fathom_train_options *train, const fathom_fit_result *result,
                              const fathom_fit_options *options)
{
    fathom_options_init(train, &fathom_train_option_table);
    const fathom_fit_candidate *chosen = result->candidate ? result->candidate + result->chosen : NULL;
    train->model = chosen && chosen->gated ? FATHOM_TRAIN_GATED : FATHOM_TRAIN_RELU;
    train->loss = result->task == FATHOM_FIT_REGRESSION ? FATHOM_TRAIN_SQUARED : FATHOM_TRAIN_LOGISTIC;
    train->beta = chosen ? chosen->beta : NAN;
    train->gap = isnan(options->gap) ? DEFAULT_GAP : options->gap;
    train->effort = 0.5 * options->time;
    train->certificate = options->certificate;
    train->verify = options->verify;
    train->select = options->choose == FATHOM_FIT_SPARSE ? FATHOM_SELECT_SPARSE : FATHOM_SELECT_ANY;
}

/* |a_j V_j| of gate j. */
static double gate_size(const fit_candidates *c, const float *network, int64_t j)
{
    const fathom_local_problem local = fit_local_problem(c);
    const fit_problem *p = c->problem;
    double square = 0;
    for (int64_t l = 0; l < p->d; l++)
        for (int64_t k = 0; k < p->outputs; k++) {
            const double v = (double)network[(l * p->outputs + k) * c->width + j];
            square += v * v;
        }
    return fabs((double)fathom_local_outer(&local, network)[j]) * sqrt(square);
}

/* |u_j||w_j|. */
static double neuron_size(const fit_candidates *c, const float *network, int64_t j)
{
    const fathom_local_problem local = fit_local_problem(c);
    const fit_problem *p = c->problem;
    const float *outer = fathom_local_outer(&local, network);
    double inner = 0, out = 0;
    if (c->gated)
        return gate_size(c, network, j);
    for (int64_t l = 0; l < p->d; l++)
        inner += (double)network[l * c->width + j] * (double)network[l * c->width + j];
    for (int64_t k = 0; k < p->outputs; k++)
        out += (double)outer[k * c->width + j] * (double)outer[k * c->width + j];
    return sqrt(inner * out);
}

/* The same on gate j. */
static void copy_gate(const fathom_net_weights *w, int64_t at, const fit_candidates *c, const float *network,
                      int64_t j)
{
    const fathom_local_problem local = fit_local_problem(c);
    const fit_problem *p = c->problem;
    const double a = p->unit * (double)fathom_local_outer(&local, network)[j];
    memcpy(w->v + at * p->d, fathom_gates_look(c->gates).orientation + j * p->d, (size_t)p->d * sizeof *w->v);
    for (int64_t k = 0; k < p->outputs; k++)
        for (int64_t l = 0; l < p->d; l++)
            w->w[(at * p->outputs + k) * p->d + l] = a * (double)network[(l * p->outputs + k) * c->width + j];
}

/* Neuron j of a candidate as number `at` of a network. */
static void copy_neuron(const fathom_net_weights *w, int64_t at, const fit_candidates *c,
                        const float *network, int64_t j)
{
    const fathom_local_problem local = fit_local_problem(c);
    const fit_problem *p = c->problem;
    const float *outer = fathom_local_outer(&local, network);
    if (c->gated) {
        copy_gate(w, at, c, network, j);
        return;
    }
    for (int64_t l = 0; l < p->d; l++)
        w->u[at * p->d + l] = (double)network[l * c->width + j];
    if (p->free_bias)
        w->b[at] = (double)network[p->d * c->width + j];
    for (int64_t k = 0; k < p->outputs; k++)
        w->w[at * p->outputs + k] = p->unit * (double)outer[k * c->width + j];
}

fathom_status fit_make_net(fathom_net **net, const fit_candidates *c, const float *network)
{
    const fit_problem *p = c->problem;
    const fathom_local_problem local = fit_local_problem(c);
    const float *constant = fathom_local_constant(&local, network);
    double most = 0;
    /* gates that are there: patterns that were drawn twice are one */
    const int64_t there = c->gated ? fathom_gates_look(c->gates).m : c->width;
    int64_t count = 0, at = 0;
    for (int64_t j = 0; j < there; j++)
        most = fmax(most, neuron_size(c, network, j));
    for (int64_t j = 0; j < there; j++)
        count += neuron_size(c, network, j) > NOTHING * most;
    const fathom_net_shape shape = {.kind = c->gated ? FATHOM_NET_GATED : FATHOM_NET_RELU,
                                    .d = p->d,
                                    .m = count,
                                    .outputs = p->outputs,
                                    .hidden_bias = p->free_bias && !c->gated};
    FATHOM_TRY(fathom_net_create(net, p->context, &shape));
    const fathom_net_weights w = fathom_net_lend(*net);
    for (int64_t j = 0; j < there; j++)
        if (neuron_size(c, network, j) > NOTHING * most)
            copy_neuron(&w, at++, c, network, j);
    for (int64_t k = 0; k < p->outputs && p->free_bias; k++)
        w.c[k] = p->centre + p->unit * (double)constant[k];
    return FATHOM_OK;
}

/* Loss, norm and objective of the result's network as it is. */
static fathom_status measure(fathom_fit_result *result, const fit_problem *p,
                             const fathom_train_options *options)
{
    fathom_train_problem problem;
    fathom_train_options on_rows = *options;
    if (fit_is_sparse(p)) /* which stay so where the options name gates; what is measured is the network */
        on_rows.model = FATHOM_TRAIN_GATED;
    FATHOM_TRY(fathom_train_problem_create_sparse(&problem, p->context, p->data, &on_rows));
    result->train.neurons = fathom_net_look(result->train.net).m;
    fathom_status status = fathom_train_measure(&result->train, &problem);
    fathom_train_problem_clear(&problem);
    return status;
}

/* The network of the path, without a bound. */
static fathom_status stand(fathom_fit_result *result, const fit_problem *p, fathom_net *net,
                           const fathom_train_options *options)
{
    fathom_train_result *r = &result->train;
    *r = (fathom_train_result){.status = FATHOM_TRAIN_LIMIT,
                               .end = FATHOM_END_STALLED,
                               .bound = FATHOM_TRAIN_BOUND_NONE,
                               .bound_method = "none",
                               .method = "descent",
                               .beta = options->beta,
                               .beta_max = NAN,
                               .kind = p->loss,
                               .net = net};
    return measure(result, p, options);
}

/* Column generation from the network, or the program on its gates, under a clock of its own. */
static fathom_status improve(fathom_fit_result *result, const fit_candidates *c, fathom_net *net,
                             const fathom_train_options *options)
{
    const fit_problem *p = c->problem;
    fathom_context *context = p->context;
    const double limit = fathom_context_time_limit(context),
                 own = fathom_context_seconds(context) + p->options->time;
    fathom_context_set_time_limit(context, fmin(limit, own));
    const fathom_status status = c->gated ? fathom_train(&result->train, context, p->data, c->gates, options)
                                          : fathom_train_from(&result->train, context, p->data, net, options);
    fathom_context_set_time_limit(context, limit);
    fathom_net_free(net);
    return status;
}

/* Numbers of W that belong to one neuron or gate, and the neurons' directions or the gates' orientations. */
static int64_t block_of(const fathom_net_shape *shape)
{
    return shape->outputs * (shape->kind == FATHOM_NET_GATED ? shape->d : 1);
}

static double *first_of(const fathom_net_weights *w) { return w->u ? w->u : w->v; }

/* The network without its `drop` smallest neurons (order: smallest first). */
static fathom_status without(fathom_net **less, fathom_context *context, fathom_net *net,
                             const int64_t *order, int64_t drop)
{
    fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights from = fathom_net_lend(net);
    const int64_t m = shape.m;
    shape.m = m - drop;
    FATHOM_TRY(fathom_net_create(less, context, &shape));
    const fathom_net_weights to = fathom_net_lend(*less);
    const int64_t block = block_of(&shape);
    memcpy(to.c, from.c, (size_t)shape.outputs * sizeof *to.c);
    for (int64_t a = drop; a < m; a++) { /* the largest first */
        const int64_t j = order[m - 1 - (a - drop)], at = a - drop;
        memcpy(first_of(&to) + at * shape.d, first_of(&from) + j * shape.d, (size_t)shape.d * sizeof *to.u);
        memcpy(to.w + at * block, from.w + j * block, (size_t)block * sizeof *to.w);
        if (to.b)
            to.b[at] = from.b[j];
    }
    return FATHOM_OK;
}

/* Neurons by |u_j||w_j|, gates by |W_j|, ascending. */
static void order_neurons(int64_t *order, double *size, fathom_net *net)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    const int64_t block = block_of(&shape);
    for (int64_t j = 0; j < shape.m; j++) {
        int64_t at = j;
        size[j] = (w.u ? fathom_blas_norm(w.u + j * shape.d, shape.d) : 1) *
                  fathom_blas_norm(w.w + j * block, block);
        for (; at > 0 && size[order[at - 1]] > size[j]; at--)
            order[at] = order[at - 1];
        order[at] = j;
    }
}

/* Drops as many of the smallest neurons as the share allows, by bisection. */
static fathom_status prune(fathom_fit_result *result, const fit_problem *p,
                           const fathom_train_options *options, double share)
{
    fathom_net *full = result->train.net;
    const int64_t m = fathom_net_look(full).m;
    const double before = result->train.objective, most = before * (1 + share);
    int64_t low = 0, high = m, *order = fathom_memory_alloc(p->context, m, sizeof *order);
    double *size = fathom_memory_alloc(p->context, m, sizeof *size);
    fathom_status status = order && size ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK)
        order_neurons(order, size, full);
    while (status == FATHOM_OK && low < high) {
        const int64_t drop = (low + high + 1) / 2;
        status = without(&result->train.net, p->context, full, order, drop);
        if (status != FATHOM_OK)
            break;
        status = measure(result, p, options);
        fathom_net_free(result->train.net);
        result->train.net = NULL;
        if (result->train.objective <= most)
            low = drop;
        else
            high = drop - 1;
    }
    result->train.net = NULL;
    FATHOM_THEN(status, without(&result->train.net, p->context, full, order, low));
    FATHOM_THEN(status, measure(result, p, options));
    result->pruned = low;
    result->growth = low > 0 && before > 0 ? result->train.objective / before - 1 : 0;
    fathom_net_free(full);
    FATHOM_FREE(p->context, order, size);
    return status;
}

/* Adds `share` times a network to another, neuron by neuron, from number *at on. */
static void add_share(const fathom_net_weights *to, int64_t *at, fathom_net *net, double share)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights from = fathom_net_lend(net);
    const int64_t block = block_of(&shape);
    memcpy(first_of(to) + *at * shape.d, first_of(&from), (size_t)(shape.m * shape.d) * sizeof *to->u);
    if (to->b)
        memcpy(to->b + *at, from.b, (size_t)shape.m * sizeof *to->b);
    for (int64_t t = 0; t < shape.m * block; t++)
        to->w[*at * block + t] = share * from.w[t];
    for (int64_t k = 0; k < shape.outputs; k++)
        to->c[k] += share * from.c[k];
    *at += shape.m;
}

/* The mean of the network and those of the folds: one network of all their neurons. */
static fathom_status average(fathom_fit_result *result, const fit_candidates *c,
                             const fathom_train_options *options)
{
    const fit_problem *p = c->problem;
    fathom_net_shape shape = fathom_net_look(result->train.net);
    fathom_net **one = fathom_memory_zero(p->context, p->parts, sizeof *one), *mean = NULL;
    fathom_status status = one ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t a = 0; a < p->parts && status == FATHOM_OK; a++) {
        status = fit_make_net(one + a, c, fit_network(c, a, c->chosen));
        shape.m += status == FATHOM_OK ? fathom_net_look(one[a]).m : 0;
    }
    shape.hidden_bias = p->free_bias && !c->gated;
    FATHOM_THEN(status, fathom_net_create(&mean, p->context, &shape));
    if (status == FATHOM_OK) {
        const fathom_net_weights to = fathom_net_lend(mean);
        const double share = 1 / (double)(p->parts + 1);
        int64_t at = 0;
        add_share(&to, &at, result->train.net, share);
        for (int64_t a = 0; a < p->parts; a++)
            add_share(&to, &at, one[a], share);
        fathom_net_free(result->train.net);
        result->train.net = mean;
        result->averaged = true;
        status = measure(result, p, options);
    }
    for (int64_t a = 0; one && a < p->parts; a++)
        fathom_net_free(one[a]);
    fathom_memory_free(p->context, one);
    return status;
}

fathom_status fit_refit(fathom_fit_result *result, const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const fathom_fit_options *o = p->options;
    fathom_train_options options;
    fathom_net *net;
    fathom_fit_train_options(&options, result, o);
    FATHOM_TRY(fit_make_net(&net, c, fit_network(c, -1, result->chosen)));
    const bool stopped = fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE;
    if (stopped)
        fathom_context_wind_up(p->context);
    fathom_status status = fit_state_refit(&options, p);
    if (status == FATHOM_OK)
        status = o->time > 0 && !stopped && (c->gated || !fit_is_sparse(p))
                     ? improve(result, c, net, &options)
                     : stand(result, p, net, &options);
    else
        fathom_net_free(net);
    fathom_context_set_part(p->context, NULL);
    options.checkpoint = options.resume = NULL;
    const double share = isnan(o->prune) && o->choose == FATHOM_FIT_SPARSE ? SPARSE_PRUNE : o->prune;
    if (status == FATHOM_OK && share > 0)
        status = prune(result, p, &options, share);
    if (status == FATHOM_OK && o->average && c->parts == p->parts)
        status = average(result, c, &options);
    return status;
}
