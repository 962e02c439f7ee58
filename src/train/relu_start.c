/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A start for column generation where cones are few: the network of a neighbouring problem that all cones
 * solve.
 *
 * Growth by local search misses neurons in thin cones (data far from 0, penalties near 0); all cones miss
 * none, but have neither free biases nor neurons that several outputs share, nor f = y for a loss. So the
 * neighbour is
 *
 *     free biases:      rows (x_i - m, M) in place of (x_i, 1), m the mean, M = 10^3 max_i |x_i - m|: a bias costs 1/M of what it is worth,
 *     several outputs:  every neuron feeds one of them,
 *     interpolation:    the squared loss with a small penalty, rows weighted to be equally long; its residual over the penalty is a multiplier.
 *
 * Its network, rewritten, is a network of the problem, and its objective there an upper bound like that of
 * every other; from there on growth, faces and bound go their way (interpolation with free biases begins
 * without a start). The rounds begin as if nothing had been where there are more than START_CONES cones.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "hyperplanes.h"
#include "memory.h"
#include "relu_columns.h"
#include "train_relu.h"

static const double START_CONES = 2e4;
static const double FAR = 1e3;            /* M */
static const double INTERPOLATING = 1e-6; /* first penalty for f = y, in units of beta_max */

/* The neighbouring problem; x and centre are its own. */
typedef struct neighbour {
    fathom_train_problem problem;
    fathom_train_options options;
    double *x;      /* n x width, then reach (n) and centre (d) */
    double *centre; /* d */
    double far;     /* M; 0 where biases are not free */
} neighbour;

/* m and M = FAR max_i |x_i - m|. */
static void find_centre(neighbour *a, const fathom_train_problem *p)
{
    double most = 0;
    memset(a->centre, 0, (size_t)p->d * sizeof *a->centre);
    for (int64_t i = 0; i < p->n && p->constant; i++)
        fathom_blas_axpy(a->centre, 1 / (double)p->n, p->x + i * p->d, p->d);
    for (int64_t i = 0; i < p->n && p->constant; i++) {
        double square = 0;
        for (int64_t l = 0; l < p->d; l++)
            square += (p->x[i * p->d + l] - a->centre[l]) * (p->x[i * p->d + l] - a->centre[l]);
        most = fmax(most, sqrt(square));
    }
    a->far = FAR * (most > 0 ? most : 1);
}

static void fill_rows(neighbour *a, const fathom_train_problem *p, int64_t width, double *reach)
{
    for (int64_t i = 0; i < p->n; i++) {
        double *row = a->x + i * width;
        for (int64_t l = 0; l < p->d; l++)
            row[l] = p->x[i * p->d + l] - a->centre[l];
        if (p->constant)
            row[p->d] = a->far;
        reach[i] = fathom_blas_norm_up(row, width, 4);
    }
}

static fathom_status neighbour_open(neighbour *a, const fathom_train_problem *p, double beta, double gap)
{
    const int64_t width = p->d + (p->constant ? 1 : 0);
    *a = (neighbour){.problem = *p, .options = *p->options};
    a->x = fathom_memory_alloc(p->context, p->n * (width + 1) + p->d, sizeof *a->x);
    if (!a->x)
        return FATHOM_ERROR_MEMORY;
    a->centre = a->x + p->n * (width + 1);
    find_centre(a, p);
    fill_rows(a, p, width, a->x + p->n * width);
    a->problem.x = a->x;
    a->problem.reach = a->x + p->n * width;
    a->problem.d = width;
    a->problem.constant = a->problem.equality = false;
    a->problem.silent = true;
    a->problem.divisor = 1;
    a->problem.options = &a->options;
    a->options.method = FATHOM_TRAIN_CELLS;
    a->options.beta = beta;
    a->options.gap = fmax(gap, 1e-9);
    a->options.select = FATHOM_SELECT_ANY;
    a->options.certificate = a->options.checkpoint = a->options.resume = NULL;
    a->options.verify = false;
    return FATHOM_OK;
}

/* The neuron (u, w) of the neighbour as one of the problem; one that does not turn is a constant. */
static fathom_status take_neuron(fathom_columns *a, const neighbour *from, const double *u, const double *w)
{
    const fathom_train_problem *p = a->problem;
    const double norm = fathom_blas_norm(u, p->d);
    const double b = p->constant ? u[p->d] * from->far - fathom_blas_dot(u, from->centre, p->d) : 0;
    double weight[FATHOM_START_OUTPUTS];
    if (p->constant && norm < 1e-9 / FAR) {
        fathom_blas_axpy(a->net.theta, fmax(b, 0), w, p->outputs);
        return FATHOM_OK;
    }
    for (int64_t l = 0; l < p->d; l++)
        a->neuron[l] = u[l] / norm;
    for (int64_t k = 0; k < p->outputs; k++)
        weight[k] = w[k] * norm;
    return norm > 0 ? fathom_relu_network_add(&a->net, a->neuron, b / norm, weight) : FATHOM_OK;
}

/* The whole network, unless it is worse than the constant that is there. */
static fathom_status take_network(fathom_columns *a, const neighbour *from, const fathom_train_result *result)
{
    const int64_t width = from->problem.d, outputs = a->problem->outputs;
    const fathom_net_weights net = fathom_net_lend(result->net);
    double loss, norm;
    const double before = fathom_relu_network_objective(&a->net, &loss, &norm);
    fathom_status status = fathom_relu_network_copy(&a->trial, &a->net);
    memset(a->net.theta, 0, (size_t)outputs * sizeof *a->net.theta);
    for (int64_t j = 0; j < result->neurons && status == FATHOM_OK; j++)
        status = take_neuron(a, from, net.u + j * width, net.w + j * outputs);
    FATHOM_THEN(status, fathom_relu_network_refresh(&a->net));
    if (status != FATHOM_OK || a->problem->equality ||
        fathom_relu_network_objective(&a->net, &loss, &norm) < before)
        return status;
    return fathom_relu_network_copy(&a->net, &a->trial);
}

/* Weights that make rows equally long, for f = y; all 1 with a free bias. */
static void weigh_rows(double *weight, const fathom_train_problem *p)
{
    double most = 0;
    for (int64_t i = 0; i < p->n; i++)
        most = fmax(most, p->reach[i]);
    for (int64_t i = 0; i < p->n; i++) {
        const double ratio = p->reach[i] > 0 ? most / p->reach[i] : 1;
        weight[i] = p->constant ? 1 : ratio * ratio;
    }
}

/* The faces of the network's neurons, and the network as the solution over them. */
static fathom_status take_faces(fathom_columns *a)
{
    const int64_t d = a->problem->d;
    fathom_status status = FATHOM_OK;
    fathom_faces_prune(&a->faces, -1);
    memcpy(a->faces.c, a->net.theta, (size_t)a->problem->outputs * sizeof *a->faces.c);
    for (int64_t j = 0; j < a->net.m && a->problem->outputs == 1 && status == FATHOM_OK; j++) {
        const double *neuron = fathom_relu_neuron(&a->net, j), norm = fathom_blas_norm(neuron, d);
        bool fresh;
        if (!(norm > 0))
            continue;
        for (int64_t l = 0; l <= d; l++)
            a->neuron[l] = neuron[l] / norm;
        status = fathom_faces_add(&fresh, &a->faces, a->neuron, neuron[d + 1] < 0 ? -1 : 1);
        if (status == FATHOM_OK && fresh) /* the neuron is the first vector of its face */
            a->faces.p[a->faces.start[a->faces.count - 1]] = norm * fabs(neuron[d + 1]);
    }
    return status;
}

/* f = y: the network of the squared loss with a small penalty, moved so that it interpolates; its residual
 * over the penalty is the multiplier. What is there stays where the norm is no less. */
static fathom_status take_interpolation(fathom_columns *a, const neighbour *from,
                                        const fathom_train_result *result)
{
    const double before = a->interpolates ? a->value : INFINITY;
    fathom_status status = a->interpolates ? fathom_relu_network_copy(&a->kept, &a->net) : FATHOM_OK;
    a->net.m = 0;
    FATHOM_THEN(status, take_network(a, from, result));
    if (status != FATHOM_OK)
        return status;
    for (int64_t i = 0; i < a->problem->n * a->problem->outputs; i++)
        a->trial.f[i] =
            from->problem.weight[i % a->problem->n] * (a->problem->y[i] - a->net.f[i]) / from->options.beta;
    double *v = a->trial.f;
    status = take_faces(a);
    if (status == FATHOM_OK) { /* v outlives the moves of `trial` in best_v */
        memcpy(a->best_v, v, (size_t)(a->problem->n * a->problem->outputs) * sizeof *v);
        if (!a->interpolates)
            memcpy(a->multiplier, v, (size_t)(a->problem->n * a->problem->outputs) * sizeof *v);
        status = fathom_columns_fit(a, before);
    }
    if (status == FATHOM_OK && a->value < before * (1 - 1e-4)) /* smaller penalties leave noisier residuals */
        memcpy(a->multiplier, a->best_v, (size_t)(a->problem->n * a->problem->outputs) * sizeof *v);
    a->interpolates = isfinite(a->value);
    fathom_faces_prune(&a->faces, -1);
    return status;
}

/* Penalties from small to smaller until the norm no longer falls. */
static fathom_status start_interpolation(fathom_columns *a, neighbour *near)
{
    double scale, *weight = fathom_memory_alloc(a->problem->context, a->problem->n, sizeof *weight);
    fathom_status status = weight ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        weigh_rows(weight, a->problem);
        near->problem.weight = weight;
        status = fathom_relu_beta_max(&scale, &near->problem);
    }
    for (double part = INTERPOLATING; status == FATHOM_OK && scale > 0 && part > 1e-12; part *= 1e-2) {
        const double before = a->interpolates ? a->value : INFINITY;
        fathom_train_result result = {0};
        near->options.beta = part * scale;
        status = fathom_cells_run(&result, &near->problem);
        FATHOM_THEN(status, take_interpolation(a, near, &result));
        fathom_train_result_clear(&result);
        if (a->interpolates && !(a->value < before * (1 - 1e-7)))
            break;
    }
    fathom_memory_free(a->problem->context, weight);
    return status;
}

static fathom_status start_training(fathom_columns *a, neighbour *near)
{
    fathom_train_result result = {0};
    fathom_status status = fathom_cells_run(&result, &near->problem);
    FATHOM_THEN(status, take_network(a, near, &result));
    fathom_train_result_clear(&result);
    return status;
}

/* The network that the caller knows, where it is better than what is there. */
static fathom_status take_given(fathom_columns *a)
{
    const fathom_train_problem *p = a->problem;
    const fathom_net_shape shape = p->start ? fathom_net_look(p->start) : (fathom_net_shape){0};
    if (!p->start || shape.kind != FATHOM_NET_RELU || shape.d != p->d || shape.outputs != p->outputs ||
        p->equality || (shape.hidden_bias && !p->constant))
        return FATHOM_OK;
    const fathom_net_weights net = fathom_net_lend(p->start);
    double loss, norm;
    const double before = fathom_relu_network_objective(&a->net, &loss, &norm);
    fathom_status status = fathom_relu_network_copy(&a->trial, &a->net);
    a->net.m = 0;
    memset(a->net.theta, 0, (size_t)p->outputs * sizeof *a->net.theta);
    if (p->constant)
        memcpy(a->net.theta, net.c, (size_t)p->outputs * sizeof *a->net.theta);
    for (int64_t j = 0; j < shape.m && status == FATHOM_OK; j++) {
        const double size = fathom_blas_norm(net.u + j * p->d, p->d);
        for (int64_t l = 0; l < p->d; l++)
            a->neuron[l] = net.u[j * p->d + l] / size;
        for (int64_t k = 0; k < p->outputs; k++)
            a->neuron[p->d + 1 + k] = net.w[j * p->outputs + k] * size;
        if (size > 0)
            status = fathom_relu_network_add(&a->net, a->neuron, (net.b ? net.b[j] : 0) / size,
                                             a->neuron + p->d + 1);
    }
    FATHOM_THEN(status, fathom_relu_network_refresh(&a->net));
    if (status != FATHOM_OK || fathom_relu_network_objective(&a->net, &loss, &norm) < before)
        return status;
    return fathom_relu_network_copy(&a->net, &a->trial);
}

/* The network of the neighbouring problem, where its cones are few. */
static fathom_status start_near(fathom_columns *a)
{
    const fathom_train_problem *p = a->problem;
    const int64_t width = p->d + (p->constant ? 1 : 0);
    neighbour near;
    if (p->equality ? p->constant : !(p->constant || p->outputs > 1))
        return FATHOM_OK;
    if (p->options->resume || p->outputs > FATHOM_START_OUTPUTS ||
        !(fathom_cover_count(p->n, width < p->n ? width : p->n) * (double)p->outputs <= START_CONES))
        return FATHOM_OK;
    fathom_status status = neighbour_open(&near, p, a->net.beta, 0.1 * p->options->gap);
    FATHOM_THEN(status, p->equality ? start_interpolation(a, &near) : start_training(a, &near));
    fathom_memory_free(p->context, near.x);
    /* cones too thin to list, or a limit: a start is no need */
    return status == FATHOM_ERROR_RUNTIME || status == FATHOM_ERROR_STOPPED ? FATHOM_OK : status;
}

fathom_status fathom_columns_start(fathom_columns *a)
{
    FATHOM_TRY(start_near(a));
    return take_given(a);
}
