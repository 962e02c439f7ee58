/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The convex master of a growing network: the best weights for fixed directions.
 *
 *     minimise  sum_i c_i l(f_i, y_i) + beta sum_j |a_j|,   f = sum_j a_j z_j,   z_j = relu(X u_j), |u_j| = 1
 *
 * Coordinate descent with the curvature bound c_i (squared) or c_i / 4 (logistic): each step is exact for the squared
 * loss and never raises the objective for the logistic one. The hinge loss has no curvature and is left as it is, as are
 * several outputs and free biases.
 * Directions whose weight becomes 0 leave the network. Cost: n multiplications per direction and sweep.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "loss_row.h"
#include "memory.h"
#include "relu_network.h"

enum { SWEEPS = 300 };

typedef struct master {
    const fathom_relu_network *net;
    int64_t n, m;
    double *z;      /* m x n */
    double *square; /* m: curvature along z_j */
    double *a;      /* m */
} master;

static double weight_of(const master *a, int64_t i)
{
    return a->net->problem->weight ? a->net->problem->weight[i] : 1;
}

/* z_j, its curvature and its weight, read off the network. */
static void read_neuron(master *a, int64_t j)
{
    const fathom_train_problem *p = a->net->problem;
    const double *neuron = fathom_relu_neuron(a->net, j);
    const double norm = fathom_blas_norm(neuron, p->d);
    const double bound = fathom_loss_row_of(p->loss)->quadratic ? 1 : 0.25;
    double *z = a->z + j * a->n;
    a->a[j] = neuron[p->d + 1] * norm;
    a->square[j] = 0;
    fathom_blas_gemv(z, a->n, p->d, norm > 0 ? 1 / norm : 0, fathom_plain(p->x, p->d), neuron, 0);
    for (int64_t i = 0; i < a->n; i++) {
        z[i] = z[i] > 0 ? z[i] : 0;
        a->square[j] += bound * weight_of(a, i) * z[i] * z[i];
    }
}

/* -l'(f) of one point. */
static double residual(const master *a, const double *f, int64_t i)
{
    const double y = a->net->problem->y[i], c = weight_of(a, i);
    if (fathom_loss_row_of(a->net->problem->loss)->quadratic)
        return c * (y - f[i]);
    return c * y / (1 + exp(y * f[i]));
}

/* Moves a_j to its minimiser; returns the size of the step times the root of its curvature. */
static double step(master *a, int64_t j)
{
    double *f = a->net->f, *z = a->z + j * a->n, slope = 0;
    if (!(a->square[j] > 0))
        return 0;
    for (int64_t i = 0; i < a->n; i++)
        if (z[i] > 0)
            slope += z[i] * residual(a, f, i);
    const double wanted = a->a[j] * a->square[j] + slope;
    const double next = copysign(fmax(fabs(wanted) - a->net->beta, 0), wanted) / a->square[j];
    const double change = next - a->a[j];
    if (change != 0)
        fathom_blas_axpy(f, change, z, a->n);
    a->a[j] = next;
    return fabs(change) * sqrt(a->square[j]);
}

/* Writes the weights back, |u_j| = |w_j|, and drops the neurons without one. */
static int64_t write_back(const master *a)
{
    const int64_t d = a->net->problem->d;
    int64_t kept = 0;
    for (int64_t j = 0; j < a->m; j++) {
        const double *from = fathom_relu_neuron(a->net, j);
        double *into = fathom_relu_neuron(a->net, kept);
        if (a->a[j] == 0)
            continue;
        const double norm = fathom_blas_norm(from, d), root = sqrt(fabs(a->a[j]));
        for (int64_t l = 0; l < d; l++)
            into[l] = from[l] / norm * root;
        into[d] = 0;
        into[d + 1] = copysign(root, a->a[j]);
        kept++;
    }
    return kept;
}

fathom_status fathom_relu_network_reweight(fathom_relu_network *net)
{
    const fathom_train_problem *p = net->problem;
    master a = {.net = net, .n = p->n, .m = net->m};
    if (net->m == 0 || fathom_loss_row_of(p->loss)->kinked || p->constant || p->outputs > 1)
        return FATHOM_OK;
    a.z = fathom_memory_alloc(p->context, a.m * a.n, sizeof *a.z);
    a.square = fathom_memory_alloc(p->context, 2 * a.m, sizeof *a.square);
    fathom_status status = a.z && a.square ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        a.a = a.square + a.m;
        memset(net->f, 0, (size_t)a.n * sizeof *net->f);
        for (int64_t j = 0; j < a.m; j++) {
            read_neuron(&a, j);
            fathom_blas_axpy(net->f, a.a[j], a.z + j * a.n, a.n);
        }
        const double small = 1e-9 * (1 + fathom_blas_norm(p->y, a.n));
        double largest = INFINITY;
        for (int k = 0; k < SWEEPS && largest > small; k++) {
            largest = 0;
            for (int64_t j = 0; j < a.m; j++)
                largest = fmax(largest, step(&a, j));
        }
        net->m = write_back(&a);
    }
    FATHOM_FREE(p->context, a.z, a.square);
    return status;
}
