/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The convex master of a growing network: the best weights for fixed directions.
 *
 *     minimise  sum_i c_i l(f_i, y_i) + beta sum_j |a_j|,   f = sum_j a_j z_j,   z_j = relu(X u_j), |u_j| = 1
 *
 * Newton steps with the penalty as it is: with r = -l'(f), curvatures h = l''(f) and G = Z diag(h) Z', the move t minimises
 *
 *     -<Z r, t> + t'G t / 2 + beta sum_j |a_j + t_j|
 *
 * by coordinate descent on G, which touches no point, and is halved until the objective falls by a part of what this model
 * says. For the squared loss the model is exact and one step is all. Curvatures are not taken below a small part of their
 * largest value, so that points that are classified well leave G definite enough. The objective never rises.
 * Losses with kinks, several outputs and free biases are left as they are.
 * Directions whose weight becomes 0 leave the network. Cost of a step: n m^2 multiply-adds in one product, then m^2 a sweep.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "gemm.h"
#include "loss_row.h"
#include "memory.h"
#include "relu_network.h"

enum { STEPS = 30, SWEEPS = 300, HALVINGS = 20 };

static const double FLATTEST =
    0.01; /* of a root curvature beside its largest value, 1/2 for the logistic loss */
static const double ARMIJO = 1e-4;  /* of the model's decrease that a move must bring */
static const double SETTLED = 1e-9; /* times 1 + |y|: the change of outputs below which weights stand */

typedef struct master {
    const fathom_relu_network *net;
    fathom_gated_problem loss;
    int64_t n, m;
    double *z, *scaled;                 /* m x n: outputs of the directions, and times root curvatures */
    double *gram;                       /* m x m */
    double *a, *move, *slope, *pull;    /* m: weights, t, Z r, G t */
    double *f, *root, *residual, *next; /* n: outputs, root curvatures, r; outputs of a try */
    double value;                       /* the objective of a */
} master;

static bool master_allocate(master *a)
{
    fathom_context *context = a->net->problem->context;
    a->z = fathom_memory_alloc(context, 2 * a->m * a->n, sizeof *a->z);
    a->gram = fathom_memory_alloc(context, a->m * (a->m + 4), sizeof *a->gram);
    a->f = fathom_memory_alloc(context, 4 * a->n, sizeof *a->f);
    if (!a->z || !a->gram || !a->f)
        return false;
    a->scaled = a->z + a->m * a->n;
    a->a = a->gram + a->m * a->m;
    a->move = a->a + a->m;
    a->slope = a->move + a->m;
    a->pull = a->slope + a->m;
    a->root = a->f + a->n;
    a->residual = a->root + a->n;
    a->next = a->residual + a->n;
    return true;
}

static double objective(const master *a, const double *f, double times)
{
    double norm = 0;
    for (int64_t j = 0; j < a->m; j++)
        norm += fabs(a->a[j] + times * a->move[j]);
    return fathom_gated_loss(&a->loss, f, 0) + a->net->beta * norm;
}

/* z_j and weights, read off the network, and what they give. */
static void read_neurons(master *a)
{
    const fathom_train_problem *p = a->net->problem;
    for (int64_t j = 0; j < a->m; j++) {
        const double *neuron = fathom_relu_neuron(a->net, j);
        const double norm = fathom_blas_norm(neuron, p->d);
        double *z = a->z + j * a->n;
        a->a[j] = neuron[p->d + 1] * norm;
        fathom_blas_gemv(z, a->n, p->d, norm > 0 ? 1 / norm : 0, fathom_plain(p->x, p->d), neuron, 0);
        for (int64_t i = 0; i < a->n; i++)
            z[i] = z[i] > 0 ? z[i] : 0;
        a->move[j] = 0;
    }
    fathom_blas_gemv(a->f, a->n, a->m, 1, fathom_transposed(a->z, a->n), a->a, 0);
    a->value = objective(a, a->f, 0);
}

/* Z r and G at f. */
static fathom_status make_model(master *a)
{
    double largest = 0;
    fathom_gated_residual(a->residual, &a->loss, a->f, 0);
    fathom_gated_curvature(a->root, &a->loss, a->f, 0);
    for (int64_t i = 0; i < a->n; i++)
        largest = fmax(largest, a->root[i]);
    for (int64_t i = 0; i < a->n; i++)
        a->root[i] = fmax(a->root[i], FLATTEST * largest);
    for (int64_t j = 0; j < a->m; j++)
        for (int64_t i = 0; i < a->n; i++)
            a->scaled[j * a->n + i] = a->root[i] * a->z[j * a->n + i];
    fathom_blas_gemv(a->slope, a->m, a->n, 1, fathom_plain(a->z, a->n), a->residual, 0);
    return fathom_gemm(a->gram, a->m, a->m, a->m, a->n, 1, fathom_plain(a->scaled, a->n),
                       fathom_transposed(a->scaled, a->n), 0, a->net->problem->context);
}

/* Moves one coordinate to its minimiser of the model; returns the size of the change in outputs. */
static double settle_weight(master *a, int64_t j)
{
    const double curvature = a->gram[j * a->m + j], at = a->a[j] + a->move[j];
    if (!(curvature > 0))
        return 0;
    const double wanted = at * curvature + a->slope[j] - a->pull[j];
    const double change = copysign(fmax(fabs(wanted) - a->net->beta, 0), wanted) / curvature - at;
    if (change != 0)
        fathom_blas_axpy(a->pull, change, a->gram + j * a->m, a->m);
    a->move[j] += change;
    return fabs(change) * sqrt(curvature);
}

/* The minimiser t of the model. */
static void solve_model(master *a, double small)
{
    double largest = INFINITY;
    memset(a->move, 0, (size_t)a->m * sizeof *a->move);
    memset(a->pull, 0, (size_t)a->m * sizeof *a->pull);
    for (int k = 0; k < SWEEPS && largest > small; k++) {
        largest = 0;
        for (int64_t j = 0; j < a->m; j++)
            largest = fmax(largest, settle_weight(a, j));
    }
}

/* What the model says that t changes, to first order; not above 0 at its minimiser. */
static double promised_change(const master *a)
{
    double change = 0;
    for (int64_t j = 0; j < a->m; j++)
        change += a->net->beta * (fabs(a->a[j] + a->move[j]) - fabs(a->a[j])) - a->slope[j] * a->move[j];
    return change;
}

/* Takes as much of t as lowers the objective. False: nothing of it does. */
static bool take_move(master *a)
{
    const double promised = promised_change(a);
    double times = 1;
    for (int k = 0; k < HALVINGS && promised < 0; k++, times /= 2) {
        memcpy(a->next, a->f, (size_t)a->n * sizeof *a->next);
        fathom_blas_gemv(a->next, a->n, a->m, times, fathom_transposed(a->z, a->n), a->move, 1);
        const double value = objective(a, a->next, times);
        if (!(value <= a->value + ARMIJO * times * promised))
            continue;
        memcpy(a->f, a->next, (size_t)a->n * sizeof *a->f);
        for (int64_t j = 0; j < a->m; j++) /* what the model brings to 0 is 0 */
            a->a[j] = times == 1 && a->move[j] == -a->a[j] ? 0 : a->a[j] + times * a->move[j];
        a->value = value;
        return true;
    }
    return false;
}

/* How far t changes outputs, in the model's metric. */
static double move_size(const master *a)
{
    double largest = 0;
    for (int64_t j = 0; j < a->m; j++)
        largest = fmax(largest, fabs(a->move[j]) * sqrt(a->gram[j * a->m + j]));
    return largest;
}

static fathom_status solve_master(master *a)
{
    const fathom_train_problem *p = a->net->problem;
    const double small = SETTLED * (1 + fathom_blas_norm(p->y, a->n));
    const int most = fathom_loss_row_of(p->loss)->quadratic ? 1 : STEPS;
    for (int k = 0; k < most && fathom_context_stop_reason(p->context) == FATHOM_STOP_NONE; k++) {
        FATHOM_TRY(make_model(a));
        solve_model(a, small);
        if (!take_move(a) || move_size(a) <= small)
            break;
    }
    return FATHOM_OK;
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
    if (net->m == 0 || fathom_loss_row_of(p->loss)->kinked || p->constant || p->outputs > 1)
        return FATHOM_OK;
    master a = {.net = net, .loss = fathom_relu_network_problem(net), .n = p->n, .m = net->m};
    fathom_status status = master_allocate(&a) ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        read_neurons(&a);
        status = solve_master(&a);
    }
    if (status == FATHOM_OK) {
        net->m = write_back(&a);
        memcpy(net->f, a.f, (size_t)a.n * sizeof *net->f);
    }
    FATHOM_FREE(p->context, a.z, a.gram, a.f);
    return status;
}
