/* SPDX-License-Identifier: Apache-2.0 */
/* A growing ReLU network: storage, objective, combination; the objective stands in relu_network.h. */
#include "relu_network.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "gemm.h"
#include "memory.h"
#include "net_internal.h"

/* A neuron smaller than this part of the whole is nothing. */
static const double negligible = 1e-13;

fathom_status fathom_relu_network_open(fathom_relu_network *net, const fathom_train_problem *problem,
                                       double beta)
{
    const int64_t size = problem->n * problem->outputs;
    *net =
        (fathom_relu_network){.problem = problem, .beta = beta, .stride = problem->d + 1 + problem->outputs};
    net->f = fathom_memory_zero(problem->context, size, sizeof *net->f);
    net->residual = fathom_memory_alloc(problem->context, size, sizeof *net->residual);
    net->theta = fathom_memory_zero(problem->context, problem->outputs, sizeof *net->theta);
    net->capacity = net->theta ? problem->outputs : 0;
    if (!net->f || !net->residual || !net->theta)
        return FATHOM_ERROR_MEMORY;
    const fathom_objective loss = fathom_relu_network_problem(net);
    fathom_objective_start(net->f, net->theta, &loss);
    fathom_objective_residual(net->residual, &loss, net->f, 0);
    return FATHOM_OK;
}

void fathom_relu_network_close(fathom_relu_network *net)
{
    fathom_context *context = net->problem->context;
    FATHOM_FREE(context, net->theta, net->f, net->residual);
    *net = (fathom_relu_network){.problem = net->problem};
}

fathom_objective fathom_relu_network_problem(const fathom_relu_network *net)
{
    return fathom_train_objective(net->problem, net->beta);
}

fathom_status fathom_relu_network_add(fathom_relu_network *net, const double *u, double b, const double *w)
{
    const fathom_train_problem *p = net->problem;
    FATHOM_TRY(fathom_memory_grow(p->context, (void **)&net->theta, &net->capacity,
                                  p->outputs + (net->m + 1) * net->stride, sizeof *net->theta));
    double *neuron = fathom_relu_neuron(net, net->m++);
    const double root = sqrt(fathom_blas_norm(w, p->outputs));
    for (int64_t l = 0; l < p->d; l++)
        neuron[l] = root * u[l];
    neuron[p->d] = root * b;
    for (int64_t k = 0; k < p->outputs; k++)
        neuron[p->d + 1 + k] = root > 0 ? w[k] / root : 0;
    return FATHOM_OK;
}

fathom_status fathom_relu_network_add_priced(fathom_relu_network *net, const double *u, double b, double sign,
                                             double price)
{
    const fathom_train_problem *p = net->problem;
    double *w = fathom_memory_zero(p->context, p->outputs, sizeof *w), square = 0;
    if (!w)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n; i++) {
        const double t = fathom_blas_dot(p->x + i * p->d, u, p->d) + b;
        if (!(t > 0))
            continue;
        square += t * t;
        for (int64_t k = 0; k < p->outputs; k++)
            w[k] += net->residual[k * p->n + i] * t;
    }
    /* the minimiser of beta a - price a + square a^2 / 2, halved: several neurons are added together */
    const double a = square > 0 ? fmax(price - net->beta, 0) / square / 2 : 0;
    const double norm = fathom_blas_norm(w, p->outputs);
    for (int64_t k = 0; k < p->outputs; k++)
        w[k] = p->outputs == 1 ? sign * a : norm > 0 ? a * w[k] / norm : 0;
    const fathom_status status = fathom_relu_network_add(net, u, b, w);
    fathom_memory_free(p->context, w);
    return status;
}

fathom_status fathom_relu_network_refresh(fathom_relu_network *net)
{
    const fathom_train_problem *p = net->problem;
    const int64_t n = p->n, m = net->m, outputs = p->outputs;
    const fathom_objective loss = fathom_relu_network_problem(net);
    for (int64_t i = 0; i < n * outputs; i++)
        net->f[i] = net->theta[i / n];
    if (m > 0) {
        double *t = fathom_memory_alloc(p->context, n * m, sizeof *t);
        if (!t)
            return FATHOM_ERROR_MEMORY;
        const double *first = fathom_relu_neuron(net, 0);
        fathom_status status = fathom_gemm(t, m, n, m, p->d, 1, fathom_plain(p->x, p->d),
                                           fathom_transposed(first, net->stride), 0, p->context);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++)
                t[i * m + j] = fmax(t[i * m + j] + first[j * net->stride + p->d], 0);
        if (status == FATHOM_OK)
            status =
                fathom_gemm(net->f, n, outputs, n, m, 1, fathom_transposed(first + p->d + 1, net->stride),
                            fathom_transposed(t, m), 1, p->context);
        fathom_memory_free(p->context, t);
        if (status != FATHOM_OK)
            return status;
    }
    fathom_objective_residual(net->residual, &loss, net->f, 0);
    return FATHOM_OK;
}

double fathom_relu_network_objective(const fathom_relu_network *net, double *loss, double *norm)
{
    const fathom_train_problem *p = net->problem;
    const fathom_objective problem = fathom_relu_network_problem(net);
    *loss = fathom_objective_loss(&problem, net->f, 0);
    *norm = 0;
    for (int64_t j = 0; j < net->m; j++) {
        const double *neuron = fathom_relu_neuron(net, j);
        *norm += fathom_blas_norm(neuron, p->d) * fathom_blas_norm(neuron + p->d + 1, p->outputs);
    }
    const double terms = (double)(p->n + net->m + p->d + 16);
    return (*loss + net->beta * *norm) * (1 + 4 * terms * 0x1p-53);
}

fathom_status fathom_relu_network_copy(fathom_relu_network *into, const fathom_relu_network *from)
{
    const int64_t outputs = from->problem->outputs, size = outputs + from->m * from->stride;
    FATHOM_TRY(fathom_memory_grow(from->problem->context, (void **)&into->theta, &into->capacity, size,
                                  sizeof *into->theta));
    into->m = from->m;
    into->beta = from->beta;
    memcpy(into->theta, from->theta, (size_t)size * sizeof *into->theta);
    memcpy(into->f, from->f, (size_t)(from->problem->n * outputs) * sizeof *into->f);
    memcpy(into->residual, from->residual, (size_t)(from->problem->n * outputs) * sizeof *into->residual);
    return FATHOM_OK;
}

/* Every product |u_j||w_j| times `factor`. */
static void scale_neurons(fathom_relu_network *net, double factor)
{
    for (int64_t j = 0; j < net->m; j++)
        fathom_blas_scale(fathom_relu_neuron(net, j), sqrt(factor), net->stride);
    fathom_blas_scale(net->theta, factor, net->problem->outputs);
}

/* The objective of (1 - t) f + t g with norms r and s. */
static double blend_value(double *work, const fathom_objective *loss, const fathom_relu_network *net,
                          const fathom_relu_network *other, const double *norm, double t)
{
    for (int64_t i = 0; i < loss->n * loss->outputs; i++)
        work[i] = (1 - t) * net->f[i] + t * other->f[i];
    return fathom_objective_loss(loss, work, 0) + net->beta * ((1 - t) * norm[0] + t * norm[1]);
}

/* The best t by golden section: the function is convex. */
static double best_blend(double *work, const fathom_objective *loss, const fathom_relu_network *net,
                         const fathom_relu_network *other, const double *norm)
{
    const double golden = 0.5 * (sqrt(5) - 1);
    double low = 0, high = 1, a = 1 - golden, b = golden;
    double at_a = blend_value(work, loss, net, other, norm, a);
    double at_b = blend_value(work, loss, net, other, norm, b);
    for (int k = 0; k < 40; k++) {
        if (at_a <= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - golden * (high - low);
            at_a = blend_value(work, loss, net, other, norm, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + golden * (high - low);
            at_b = blend_value(work, loss, net, other, norm, b);
        }
    }
    const double t = (low + high) / 2;
    const double inside = blend_value(work, loss, net, other, norm, t);
    if (blend_value(work, loss, net, other, norm, 1) <= inside)
        return 1;
    return blend_value(work, loss, net, other, norm, 0) <= inside ? 0 : t;
}

fathom_status fathom_relu_network_blend(fathom_relu_network *net, const fathom_relu_network *other)
{
    const fathom_train_problem *p = net->problem;
    const fathom_objective loss = fathom_relu_network_problem(net);
    double unused, norm[2], *work = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *work);
    if (!work)
        return FATHOM_ERROR_MEMORY;
    fathom_relu_network_objective(net, &unused, norm);
    fathom_relu_network_objective(other, &unused, norm + 1);
    const double t = best_blend(work, &loss, net, other, norm);
    fathom_memory_free(p->context, work);
    if (t == 0)
        return FATHOM_OK;
    if (t == 1)
        return fathom_relu_network_copy(net, other);
    const int64_t before = net->m, size = p->outputs + (net->m + other->m) * net->stride;
    FATHOM_TRY(
        fathom_memory_grow(p->context, (void **)&net->theta, &net->capacity, size, sizeof *net->theta));
    scale_neurons(net, 1 - t);
    memcpy(fathom_relu_neuron(net, before), fathom_relu_neuron(other, 0),
           (size_t)(other->m * net->stride) * sizeof *net->theta);
    net->m += other->m;
    for (int64_t j = before; j < net->m; j++)
        fathom_blas_scale(fathom_relu_neuron(net, j), sqrt(t), net->stride);
    fathom_blas_axpy(net->theta, t, other->theta, p->outputs);
    return fathom_relu_network_descend(net, 0);
}

/* Numbers of neurons by falling |w_j||u_j|; those that are nothing are left out. Returns how many there are. */
static int64_t order_neurons(int64_t *order, double *size, const fathom_relu_network *net)
{
    const fathom_train_problem *p = net->problem;
    const double least =
        p->options->loss == FATHOM_TRAIN_EQUALITY ? 0 : negligible; /* long rows need small ones */
    double total = 0;
    int64_t kept = 0;
    for (int64_t j = 0; j < net->m; j++) {
        const double *neuron = fathom_relu_neuron(net, j);
        size[j] = fathom_blas_norm(neuron, p->d) * fathom_blas_norm(neuron + p->d + 1, p->outputs);
        total += size[j];
    }
    for (int64_t j = 0; j < net->m; j++) {
        if (!(size[j] > least * total))
            continue;
        int64_t place = kept++;
        for (; place > 0 && size[order[place - 1]] < size[j]; place--)
            order[place] = order[place - 1];
        order[place] = j;
    }
    return kept;
}

fathom_status fathom_relu_network_give(fathom_net **given, const fathom_relu_network *net)
{
    const fathom_train_problem *p = net->problem;
    const int64_t d = p->d, outputs = p->outputs;
    int64_t *order = fathom_memory_alloc(p->context, net->m, sizeof *order);
    double *size = fathom_memory_alloc(p->context, net->m, sizeof *size);
    fathom_status status = order && size ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    const int64_t m = status == FATHOM_OK ? order_neurons(order, size, net) : 0;
    const fathom_net_shape shape = {
        .kind = FATHOM_NET_RELU, .d = d, .m = m, .outputs = outputs, .hidden_bias = p->constant};
    FATHOM_THEN(status, fathom_net_create(given, p->context, &shape));
    if (status == FATHOM_OK) {
        const fathom_net_weights weights = fathom_net_lend(*given);
        for (int64_t j = 0; j < m; j++) {
            const double *neuron = fathom_relu_neuron(net, order[j]);
            const double norm = fathom_blas_norm(neuron, d);
            for (int64_t l = 0; l < d; l++)
                weights.u[j * d + l] = neuron[l] / norm;
            if (p->constant)
                weights.b[j] = neuron[d] / norm;
            for (int64_t k = 0; k < outputs; k++)
                weights.w[j * outputs + k] = neuron[d + 1 + k] * norm;
        }
        for (int64_t k = 0; k < outputs && p->constant; k++)
            weights.c[k] = net->theta[k];
    }
    FATHOM_FREE(p->context, order, size);
    return status;
}
