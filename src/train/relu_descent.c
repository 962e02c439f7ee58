/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descent in all parameters of a growing network by L-BFGS, then merging and pruning; the energy stands in relu_network.h.
 *
 * With T = X U' + b, Z = relu(T) (n x m) and the residual V = -l'(f) (outputs x n),
 *
 *     dE/dW = beta W - Z' V',   dE/dU = beta U - A' X,   dE/db = -A' 1,   dE/dc = -V 1,   A = (V' W') o [T > 0].
 *
 * Cost per step: n m (2 d + 2 outputs) multiplications as matrix products on all threads; memory 2 n m numbers.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "gemm.h"
#include "lbfgs.h"
#include "memory.h"
#include "relu_network.h"

typedef struct descent {
    fathom_relu_network *net;
    fathom_objective loss;
    int threads;
    double *z, *a;        /* n x m: relu(T); the open gates times V'W' */
    fathom_status status; /* a product without memory stops the descent as an infinite value does */
} descent;

/* Z = relu(X U' + b) and f = Z W + c. */
static fathom_status forward(descent *s, const double *theta)
{
    const fathom_train_problem *p = s->net->problem;
    const int64_t n = p->n, d = p->d, m = s->net->m, stride = s->net->stride, outputs = p->outputs;
    const double *first = theta + outputs;
    fathom_status status = fathom_gemm(s->z, m, n, m, d, 1, fathom_plain(p->x, d),
                                       fathom_transposed(first, stride), 0, p->context);
    if (status != FATHOM_OK)
        return status;
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            const double t = s->z[i * m + j] + first[j * stride + d];
            s->z[i * m + j] = t > 0 ? t : 0;
        }
    for (int64_t i = 0; i < n * outputs; i++)
        s->net->f[i] = theta[i / n];
    return fathom_gemm(s->net->f, n, outputs, n, m, 1, fathom_transposed(first + d + 1, stride),
                       fathom_transposed(s->z, m), 1, p->context);
}

/* A = (V' W') o [T > 0]. */
static fathom_status backward(descent *s, const double *first)
{
    const fathom_train_problem *p = s->net->problem;
    const int64_t n = p->n, m = s->net->m, stride = s->net->stride;
    fathom_status status = fathom_gemm(s->a, m, n, m, p->outputs, 1, fathom_transposed(s->net->residual, n),
                                       fathom_transposed(first + p->d + 1, stride), 0, p->context);
    if (status != FATHOM_OK)
        return status;
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (int64_t i = 0; i < n * m; i++)
        s->a[i] = s->z[i] > 0 ? s->a[i] : 0;
    return FATHOM_OK;
}

/* gradient of biases and constant where they are free, else 0. */
static void bias_slopes(double *gradient, const descent *s)
{
    const fathom_train_problem *p = s->net->problem;
    const int64_t n = p->n, m = s->net->m, stride = s->net->stride;
    double *first = gradient + p->outputs;
    memset(gradient, 0, (size_t)p->outputs * sizeof *gradient);
    for (int64_t j = 0; j < m; j++)
        first[j * stride + p->d] = 0;
    if (!p->constant)
        return;
    for (int64_t i = 0; i < n * p->outputs; i++)
        gradient[i / n] -= s->net->residual[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            first[j * stride + p->d] -= s->a[i * m + j];
}

/* E and its gradient. */
static double energy(void *user, double *gradient, const double *theta)
{
    descent *s = user;
    const fathom_train_problem *p = s->net->problem;
    const int64_t n = p->n, d = p->d, m = s->net->m, stride = s->net->stride;
    const double *first = theta + p->outputs;
    double *slope = gradient + p->outputs, penalty = 0;
    s->status = forward(s, theta);
    if (s->status != FATHOM_OK)
        return INFINITY;
    fathom_objective_residual(s->net->residual, &s->loss, s->net->f, 0);
    s->status = backward(s, first);
    if (s->status == FATHOM_OK)
        s->status = fathom_gemm(slope, stride, m, d, n, -1, fathom_transposed(s->a, m), fathom_plain(p->x, d),
                                0, p->context);
    if (s->status == FATHOM_OK)
        s->status = fathom_gemm(slope + d + 1, stride, m, p->outputs, n, -1, fathom_transposed(s->z, m),
                                fathom_transposed(s->net->residual, n), 0, p->context);
    if (s->status != FATHOM_OK)
        return INFINITY;
    bias_slopes(gradient, s);
    for (int64_t j = 0; j < m; j++)
        for (int64_t l = 0; l < stride; l++) {
            const double t = first[j * stride + l];
            if (l == d)
                continue;
            slope[j * stride + l] += s->net->beta * t;
            penalty += t * t;
        }
    return fathom_objective_loss(&s->loss, s->net->f, 0) + s->net->beta / 2 * penalty;
}

/* |u_j| = |w_j| with the same product; returns that product. */
static double balance(double *neuron, int64_t d, int64_t outputs)
{
    const double inner = fathom_blas_norm(neuron, d), outer = fathom_blas_norm(neuron + d + 1, outputs);
    if (inner * outer > 0) {
        fathom_blas_scale(neuron, sqrt(outer / inner), d + 1);
        fathom_blas_scale(neuron + d + 1, sqrt(inner / outer), outputs);
    }
    return inner * outer;
}

/* Whether two neurons are open on the same points. */
static bool same_pattern(const fathom_train_problem *p, const double *a, const double *b)
{
    for (int64_t i = 0; i < p->n; i++) {
        const double *x = p->x + i * p->d;
        if ((fathom_blas_dot(x, a, p->d) + a[p->d] > 0) != (fathom_blas_dot(x, b, p->d) + b[p->d] > 0))
            return false;
    }
    return true;
}

/* Whether the weights of two neurons are positive multiples of each other. */
static bool same_side(const double *a, const double *b, int64_t outputs)
{
    if (outputs == 1)
        return *a * *b > 0;
    const double product = fathom_blas_dot(a, b, outputs);
    return product >= (1 - 1e-15) * fathom_blas_norm(a, outputs) * fathom_blas_norm(b, outputs);
}

/* The two as one, (|w| u + |w'| u') with the direction of w: the same function and no longer. */
static void merge(double *into, const double *from, int64_t d, int64_t outputs)
{
    const double here = fathom_blas_norm(into + d + 1, outputs),
                 there = fathom_blas_norm(from + d + 1, outputs);
    for (int64_t l = 0; l <= d; l++)
        into[l] = here * into[l] + there * from[l];
    fathom_blas_scale(into + d + 1, 1 / here, outputs);
    balance(into, d, outputs);
}

/* Drops neurons that are nothing and merges those that are the same in all but length. */
static void tidy(fathom_relu_network *net, double nothing)
{
    const fathom_train_problem *p = net->problem;
    const int64_t d = p->d, stride = net->stride;
    double total = 0;
    int64_t kept = 0;
    for (int64_t j = 0; j < net->m; j++)
        total += balance(fathom_relu_neuron(net, j), d, p->outputs);
    for (int64_t j = 0; j < net->m; j++) {
        double *neuron = fathom_relu_neuron(net, j);
        const double size = fathom_blas_dot(neuron, neuron, d);
        if (!(size > nothing * total))
            continue;
        int64_t k = 0;
        while (k < kept && !(same_side(fathom_relu_neuron(net, k) + d + 1, neuron + d + 1, p->outputs) &&
                             same_pattern(p, fathom_relu_neuron(net, k), neuron)))
            k++;
        if (k < kept)
            merge(fathom_relu_neuron(net, k), neuron, d, p->outputs);
        else
            memmove(fathom_relu_neuron(net, kept++), neuron, (size_t)stride * sizeof *neuron);
    }
    net->m = kept;
}

fathom_status fathom_relu_network_descend(fathom_relu_network *net, int64_t steps)
{
    const fathom_train_problem *p = net->problem;
    descent s = {.net = net, .loss = fathom_relu_network_problem(net)};
    const fathom_lbfgs_options options = {steps, 20, 1e-9, NULL, NULL, NULL};
    double value;
    s.threads = p->n * net->m > 100000 ? fathom_context_threads(p->context) : 1;
    if (net->m > 0 && steps > 0) {
        s.z = fathom_memory_alloc(p->context, p->n * net->m, sizeof *s.z);
        s.a = fathom_memory_alloc(p->context, p->n * net->m, sizeof *s.a);
        fathom_status status = s.z && s.a ? FATHOM_OK : FATHOM_ERROR_MEMORY;
        FATHOM_THEN(status, fathom_lbfgs_minimize(net->theta, &value, p->context,
                                                  p->outputs + net->m * net->stride, energy, &s, &options));
        FATHOM_THEN(status, s.status);
        FATHOM_FREE(p->context, s.z, s.a);
        if (status != FATHOM_OK)
            return status;
    }
    tidy(net, steps > 0 ? 1e-9 : 1e-14);
    return fathom_relu_network_refresh(net);
}
