/* SPDX-License-Identifier: Apache-2.0 */
/* A growing ReLU network, descended by L-BFGS; the objective stands in relu_network.h. */
#include "relu_network.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "lbfgs.h"
#include "memory.h"
#include "net_internal.h"

fathom_status fathom_relu_network_open(fathom_relu_network *net, const fathom_train_problem *problem,
                                       double beta)
{
    *net = (fathom_relu_network){.problem = problem, .beta = beta};
    net->f = fathom_memory_zero(problem->context, problem->n, sizeof *net->f);
    net->residual = fathom_memory_alloc(problem->context, problem->n, sizeof *net->residual);
    return net->f && net->residual ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_relu_network_close(fathom_relu_network *net)
{
    fathom_context *context = net->problem->context;
    fathom_memory_free(context, net->theta);
    fathom_memory_free(context, net->f);
    fathom_memory_free(context, net->residual);
    *net = (fathom_relu_network){.problem = net->problem};
}

fathom_gated_problem fathom_relu_network_problem(const fathom_relu_network *net)
{
    const fathom_train_problem *p = net->problem;
    return (fathom_gated_problem){.context = p->context,
                                  .n = p->n,
                                  .d = p->d,
                                  .outputs = 1,
                                  .x = p->x,
                                  .reach = p->reach,
                                  .loss = p->loss,
                                  .y = p->y,
                                  .weight = p->weight,
                                  .beta = net->beta,
                                  .divisor = p->divisor};
}

/* Workspace of one descent: t = X U' in blocks of points, both n x m. */
typedef struct descent {
    const fathom_relu_network *net;
    fathom_gated_problem loss;
    double *t; /* n x m: X U', then the open gates times w_j v_i */
    double *f, *residual;
} descent;

/* f = relu(T) w, T = X U'. */
static void forward(descent *a, const double *theta)
{
    const fathom_train_problem *p = a->net->problem;
    const int64_t n = p->n, d = p->d, m = a->net->m;
    fathom_blas_gemm(a->t, m, n, m, d, 1, fathom_plain(p->x, d), fathom_transposed(theta, d + 1), 0);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < m; j++)
            sum += a->t[i * m + j] > 0 ? a->t[i * m + j] * theta[j * (d + 1) + d] : 0;
        a->f[i] = sum;
    }
}

/* E and its gradient; see relu_network.h. */
static double energy(void *user, double *gradient, const double *theta)
{
    descent *a = user;
    const fathom_train_problem *p = a->net->problem;
    const int64_t n = p->n, d = p->d, m = a->net->m, size = m * (d + 1);
    const double beta = a->net->beta;
    forward(a, theta);
    fathom_gated_residual(a->residual, &a->loss, a->f, 0);
    for (int64_t j = 0; j < m; j++)
        gradient[j * (d + 1) + d] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            double *t = a->t + i * m + j;
            gradient[j * (d + 1) + d] -= *t > 0 ? a->residual[i] * *t : 0;
            *t = *t > 0 ? a->residual[i] * theta[j * (d + 1) + d] : 0;
        }
    fathom_blas_gemm(gradient, d + 1, m, d, n, -1, fathom_transposed(a->t, m), fathom_plain(p->x, d), 0);
    fathom_blas_axpy(gradient, beta, theta, size);
    return fathom_gated_loss(&a->loss, a->f, 0) + beta / 2 * fathom_blas_dot(theta, theta, size);
}

/* |u_j| = |w_j| with the same product; returns that product. */
static double balance(double *theta, int64_t d)
{
    const double norm = fathom_blas_norm(theta, d), product = norm * fabs(theta[d]);
    if (product > 0) {
        fathom_blas_scale(theta, sqrt(fabs(theta[d]) / norm), d);
        theta[d] = copysign(sqrt(product), theta[d]);
    }
    return product;
}

/* Whether two neurons are open on the same points. */
static bool same_pattern(const fathom_train_problem *p, const double *a, const double *b)
{
    for (int64_t i = 0; i < p->n; i++) {
        const double *x = p->x + i * p->d;
        if ((fathom_blas_dot(x, a, p->d) > 0) != (fathom_blas_dot(x, b, p->d) > 0))
            return false;
    }
    return true;
}

/* The two as one: w u + w' u' with the weight's sign, which is the same function and no longer. */
static void merge(double *into, const double *from, int64_t d)
{
    const double sign = into[d] > 0 ? 1 : -1;
    for (int64_t l = 0; l < d; l++)
        into[l] = fabs(into[d]) * into[l] + fabs(from[d]) * from[l];
    into[d] = sign;
    balance(into, d);
}

/* Drops neurons that are nothing and merges those that are the same in all but length. */
static void tidy(fathom_relu_network *net)
{
    const int64_t d = net->problem->d, stride = d + 1;
    double total = 0;
    int64_t kept = 0;
    for (int64_t j = 0; j < net->m; j++)
        total += balance(net->theta + j * stride, d);
    for (int64_t j = 0; j < net->m; j++) {
        double *neuron = net->theta + j * stride;
        if (!(neuron[d] * neuron[d] > 1e-9 * total))
            continue;
        int64_t k = 0;
        while (k < kept && !(net->theta[k * stride + d] * neuron[d] > 0 &&
                             same_pattern(net->problem, net->theta + k * stride, neuron)))
            k++;
        if (k < kept)
            merge(net->theta + k * stride, neuron, d);
        else
            memmove(net->theta + stride * kept++, neuron, (size_t)stride * sizeof *neuron);
    }
    net->m = kept;
}

fathom_status fathom_relu_network_add(fathom_relu_network *net, const double *u, double sign, double price)
{
    const fathom_train_problem *p = net->problem;
    const int64_t d = p->d;
    const fathom_status status = fathom_memory_grow(p->context, (void **)&net->theta, &net->capacity,
                                                    (net->m + 1) * (d + 1), sizeof *net->theta);
    if (status != FATHOM_OK)
        return status;
    double square = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double t = fathom_blas_dot(p->x + i * d, u, d);
        square += t > 0 ? t * t : 0;
    }
    /* the minimiser of beta a - price a + square a^2 / 2, halved: several neurons are added together */
    const double a = square > 0 ? (price - net->beta) / square / 2 : 0;
    double *neuron = net->theta + net->m++ * (d + 1);
    for (int64_t l = 0; l < d; l++)
        neuron[l] = sqrt(a) * u[l];
    neuron[d] = sign * sqrt(a);
    return FATHOM_OK;
}

fathom_status fathom_relu_network_descend(fathom_relu_network *net, int64_t steps)
{
    const fathom_train_problem *p = net->problem;
    descent a = {net, fathom_relu_network_problem(net), NULL, net->f, net->residual};
    const fathom_lbfgs_options options = {steps, 20, 1e-9, NULL, NULL, NULL};
    double value;
    a.t = fathom_memory_alloc(p->context, p->n * (net->m > 0 ? net->m : 1), sizeof *a.t);
    if (!a.t)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = FATHOM_OK;
    if (net->m > 0 && steps > 0)
        status =
            fathom_lbfgs_minimize(net->theta, &value, p->context, net->m * (p->d + 1), energy, &a, &options);
    if (status == FATHOM_OK) {
        tidy(net);
        memset(net->f, 0, (size_t)p->n * sizeof *net->f);
        if (net->m > 0)
            forward(&a, net->theta);
        fathom_gated_residual(net->residual, &a.loss, net->f, 0);
    }
    fathom_memory_free(p->context, a.t);
    return status;
}

double fathom_relu_network_objective(const fathom_relu_network *net, double *loss, double *norm)
{
    const int64_t d = net->problem->d;
    const fathom_gated_problem problem = fathom_relu_network_problem(net);
    *loss = fathom_gated_loss(&problem, net->f, 0);
    *norm = 0;
    for (int64_t j = 0; j < net->m; j++)
        *norm += fathom_blas_norm(net->theta + j * (d + 1), d) * fabs(net->theta[j * (d + 1) + d]);
    const double terms = (double)(net->problem->n + net->m + d + 16);
    return (*loss + net->beta * *norm) * (1 + 4 * terms * 0x1p-53);
}

fathom_status fathom_relu_network_give(fathom_net **given, const fathom_relu_network *net)
{
    const int64_t d = net->problem->d, m = net->m;
    const fathom_net_shape shape = {.kind = FATHOM_NET_RELU, .d = d, .m = m, .outputs = 1};
    const fathom_status status = fathom_net_create(given, net->problem->context, &shape);
    if (status != FATHOM_OK)
        return status;
    const fathom_net_weights weights = fathom_net_lend(*given);
    for (int64_t j = 0; j < m; j++) {
        const double *neuron = net->theta + j * (d + 1);
        const double norm = fathom_blas_norm(neuron, d);
        int64_t place = j; /* insertion by falling |w_j| */
        const double w = neuron[d] * norm;
        for (; place > 0 && fabs(weights.w[place - 1]) < fabs(w); place--) {
            weights.w[place] = weights.w[place - 1];
            memcpy(weights.u + place * d, weights.u + (place - 1) * d, (size_t)d * sizeof *weights.u);
        }
        weights.w[place] = w;
        for (int64_t l = 0; l < d; l++)
            weights.u[place * d + l] = neuron[l] / norm;
    }
    return FATHOM_OK;
}
