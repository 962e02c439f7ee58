/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The convex master of a growing network: the best weights for fixed directions.
 *
 *     minimise  sum_i c_i l(f_i, y_i) + beta sum_j |a_j|,   f = sum_j a_j z_j,   z_j = relu(X u_j), |u_j| = 1
 *
 * Newton steps with the penalty as it is: with r = -l'(f) and curvatures h = l''(f) the next weights w minimise
 *
 *     sum_i h_i (f_i + r_i / h_i - (Z'w)_i)^2 / 2 + beta sum_j |w_j|,
 *
 * a sparse least-squares fit in terms of G = Z diag(h) Z' (lasso_descent.h), which touches no point; the step from a to w is
 * halved until the objective falls by a part of what the model promises. For the squared loss the model is exact and one step
 * is all. Curvatures are not taken below a small part of what the logistic loss has, 1/4 at most, so that points far from the
 * boundary leave G definite enough, and are raised where a step does not descend. The objective never rises. Losses with kinks, several outputs and free biases are left as they are.
 * Directions whose weight becomes 0 leave the network. Cost of a step: n m^2 multiply-adds in one product.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "gemm.h"
#include "lasso_descent.h"
#include "loss_row.h"
#include "memory.h"
#include "relu_network.h"

enum { STEPS = 60, ROUNDS = 500, HALVINGS = 6 };

/* Least root curvatures of unit weight: in all, at first, and where the model of the logistic loss lies above the objective. */
static const double FLATTEST = 5e-5, FIRST = 5e-3, STEEPEST = 0.5;
/* Of the model's decrease that a step must bring. */
static const double ARMIJO = 1e-4;
/* Gap of the model, and decrease of the objective, at which weights stand; relative. */
static const double SETTLED = 1e-10;

typedef struct master {
    const fathom_relu_network *net;
    fathom_objective loss;
    int64_t n, m;
    double *z, *scaled;               /* m x n: outputs of the directions, and times root curvatures */
    double *a, *move;                 /* m: weights, the step */
    double *f, *root, *right, *tried; /* n: outputs, root curvatures, r or h f + r; outputs of a try */
    fathom_lasso_task model;
    double value;    /* the objective of a */
    double flattest; /* root curvature of unit weight at this step */
} master;

static bool master_allocate(master *a)
{
    fathom_context *context = a->net->problem->context;
    const int64_t m = a->m, room = m < FATHOM_LASSO_NEWTON ? m : FATHOM_LASSO_NEWTON;
    a->z = fathom_memory_alloc(context, 2 * m * a->n, sizeof *a->z);
    a->a = fathom_memory_alloc(context, m * (m + 7) + room * room, sizeof *a->a);
    a->f = fathom_memory_alloc(context, 4 * a->n, sizeof *a->f);
    a->model.member = fathom_memory_alloc(context, m, sizeof *a->model.member);
    if (!a->z || !a->a || !a->f || !a->model.member)
        return false;
    a->scaled = a->z + m * a->n;
    a->move = a->a + m;
    a->root = a->f + a->n;
    a->right = a->root + a->n;
    a->tried = a->right + a->n;
    a->model = (fathom_lasso_task){.p = m,
                                   .width = 1,
                                   .beta = a->net->beta,
                                   .room = room,
                                   .member = a->model.member,
                                   .w = a->a + 2 * m,
                                   .slope = a->a + 3 * m,
                                   .cross = a->a + 4 * m,
                                   .trial = a->a + 5 * m,
                                   .gram = a->a + 7 * m,
                                   .factor = a->a + 7 * m + m * m};
    return true;
}

static double objective(const master *a, const double *f, double times)
{
    double norm = 0;
    for (int64_t j = 0; j < a->m; j++)
        norm += fabs(a->a[j] + times * a->move[j]);
    return fathom_objective_loss(&a->loss, f, 0) + a->net->beta * norm;
}

/* No weights at all, where that is better than those there are: far away the model says little. */
static void start_from_nothing(master *a)
{
    memset(a->tried, 0, (size_t)a->n * sizeof *a->tried);
    const double value = fathom_objective_loss(&a->loss, a->tried, 0);
    if (!(value < a->value))
        return;
    memset(a->f, 0, (size_t)a->n * sizeof *a->f);
    memset(a->a, 0, (size_t)a->m * sizeof *a->a);
    a->value = value;
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

/* The model at f: G, Z (h f + r), sum_i (h_i f_i + r_i)^2 / h_i. */
static fathom_status make_model(master *a)
{
    double *gram = a->a + 7 * a->m, *cross = a->a + 4 * a->m;
    fathom_objective_residual(a->right, &a->loss, a->f, 0);
    fathom_objective_curvature(a->root, &a->loss, a->f, 0);
    a->model.square = 0;
    for (int64_t i = 0; i < a->n; i++) {
        a->root[i] = fmax(a->root[i], a->flattest * sqrt(fathom_objective_weight(&a->loss, i)));
        a->right[i] += a->root[i] * a->root[i] * a->f[i];
        a->model.square += a->right[i] * a->right[i] / (a->root[i] * a->root[i]);
    }
    for (int64_t j = 0; j < a->m; j++)
        for (int64_t i = 0; i < a->n; i++)
            a->scaled[j * a->n + i] = a->root[i] * a->z[j * a->n + i];
    fathom_blas_gemv(cross, a->m, a->n, 1, fathom_plain(a->z, a->n), a->right, 0);
    return fathom_gemm(gram, a->m, a->m, a->m, a->n, 1, fathom_plain(a->scaled, a->n),
                       fathom_transposed(a->scaled, a->n), 0, a->net->problem->context);
}

/* The step to the minimiser of the model; returns what it promises to first order, not above 0 there. */
static double solve_model(master *a)
{
    double promised = 0;
    memcpy(a->model.w, a->a, (size_t)a->m * sizeof *a->a);
    fathom_lasso_refresh(&a->model);
    memcpy(a->move, a->model.slope, (size_t)a->m * sizeof *a->move); /* Z r */
    /* the model's own value is larger where curvatures were raised */
    fathom_lasso_descend(&a->model, SETTLED * fmin(1, a->value / (a->model.square + a->value)), ROUNDS);
    for (int64_t j = 0; j < a->m; j++) {
        const double slope = a->move[j], next = a->model.w[j];
        a->move[j] = next - a->a[j];
        promised += a->net->beta * (fabs(next) - fabs(a->a[j])) - slope * a->move[j];
    }
    return promised;
}

/* Takes as much of the step as lowers the objective; returns by how much, 0 where nothing of it does. */
static double take_step(master *a, double promised)
{
    double times = 1;
    for (int k = 0; k < HALVINGS && promised < 0; k++, times /= 2) {
        memcpy(a->tried, a->f, (size_t)a->n * sizeof *a->tried);
        fathom_blas_gemv(a->tried, a->n, a->m, times, fathom_transposed(a->z, a->n), a->move, 1);
        const double value = objective(a, a->tried, times), before = a->value;
        if (!(value <= before + ARMIJO * times * promised))
            continue;
        memcpy(a->f, a->tried, (size_t)a->n * sizeof *a->f);
        for (int64_t j = 0; j < a->m; j++) /* in full: what the model has at 0 is 0 */
            a->a[j] = times == 1 ? a->model.w[j] : a->a[j] + times * a->move[j];
        a->value = value;
        return before - value;
    }
    return 0;
}

/* Where a step does not descend, the model is made steeper, and flatter again where one does. */
static fathom_status solve_master(master *a)
{
    const fathom_train_problem *p = a->net->problem;
    a->flattest = FIRST;
    for (int k = 0; k < STEPS && fathom_context_stop_reason(p->context) == FATHOM_STOP_NONE; k++) {
        FATHOM_TRY(make_model(a));
        const double promised = solve_model(a);
        const bool gained = take_step(a, promised) > SETTLED * a->value;
        if (gained && !fathom_loss_row_of(p->loss)->quadratic) {
            a->flattest = fmax(a->flattest / 10, FLATTEST);
            continue;
        }
        /* a model so flat that rounding hides it promises nothing: that is no optimum yet */
        const bool settled = promised < 0 && !(promised < -SETTLED * a->value);
        if (gained || settled || a->flattest >= STEEPEST)
            break;
        a->flattest *= 10;
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
        start_from_nothing(&a);
        status = solve_master(&a);
    }
    if (status == FATHOM_OK) {
        net->m = write_back(&a);
        memcpy(net->f, a.f, (size_t)a.n * sizeof *net->f);
    }
    FATHOM_FREE(p->context, a.z, a.a, a.f, a.model.member);
    return status;
}
