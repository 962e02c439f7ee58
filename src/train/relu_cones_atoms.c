/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directions in cones and their best weights.
 *
 *     minimise  sum_i c_i l(f_i, y_i) + beta sum_k a_k   over a >= 0,   f = sum_k a_k z_k,   z_k = sigma_k relu(X u_k), |u_k| = 1
 *
 * Newton steps, each a quadratic program in a >= 0 (nonneg.c) with the Hessian Z diag(l'') Z', K^2 n operations for K
 * atoms; exact in one step for the squared loss, with a line search for the others. A network of atoms is feasible as it
 * stands, so that its objective is an upper bound at any time.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "nonneg.h"
#include "relu_cones.h"

enum { STEPS = 30, IDLE = 3, STRIP = 64 };

/* Room for `count` atoms. */
static fathom_status make_room(fathom_cone_atoms *atoms, const fathom_gated_problem *p, int64_t count)
{
    if (count <= atoms->capacity)
        return FATHOM_OK;
    const int64_t room = count + count / 2 + 16;
    fathom_context *context = p->context;
    fathom_status status = fathom_memory_resize(context, (void **)&atoms->side, room, sizeof *atoms->side);
    if (status == FATHOM_OK)
        status = fathom_memory_resize(context, (void **)&atoms->idle, room, sizeof *atoms->idle);
    if (status == FATHOM_OK)
        status = fathom_memory_resize(context, (void **)&atoms->a, room, sizeof *atoms->a);
    if (status == FATHOM_OK)
        status = fathom_memory_resize(context, (void **)&atoms->u, room * p->d, sizeof *atoms->u);
    if (status == FATHOM_OK)
        status = fathom_memory_resize(context, (void **)&atoms->z, room * p->n, sizeof *atoms->z);
    if (status == FATHOM_OK)
        atoms->capacity = room;
    return status;
}

fathom_status fathom_cone_atoms_add(fathom_relu_cones *run, int64_t side, const double *u, double weight)
{
    const fathom_gated_problem *p = run->problem;
    const double size = fathom_blas_norm(u, p->d), sign = side % 2 ? -1 : 1;
    if (!(size > 0))
        return FATHOM_OK;
    fathom_cone_atoms *atoms = &run->atoms;
    const fathom_status status = make_room(atoms, p, atoms->count + 1);
    if (status != FATHOM_OK)
        return status;
    const int64_t k = atoms->count++;
    double *unit = atoms->u + k * p->d, *z = atoms->z + k * p->n;
    atoms->side[k] = side;
    atoms->idle[k] = 0;
    atoms->a[k] = weight;
    for (int64_t l = 0; l < p->d; l++)
        unit[l] = u[l] / size;
    fathom_blas_gemv(z, p->n, p->d, 1, fathom_plain(p->x, p->d), unit, 0);
    for (int64_t i = 0; i < p->n; i++)
        z[i] = z[i] > 0 ? sign * z[i] : 0;
    return FATHOM_OK;
}

/* f = sum_k a_k z_k. */
static void forward(double *f, const fathom_relu_cones *run, const double *a)
{
    const int64_t n = run->problem->n, count = run->atoms.count;
    if (count == 0)
        memset(f, 0, (size_t)n * sizeof *f);
    else
        fathom_blas_gemv(f, n, count, 1, fathom_transposed(run->atoms.z, n), a, 0);
}

/* The objective, smoothed. */
static double value(const fathom_relu_cones *run)
{
    double sum = 0;
    for (int64_t k = 0; k < run->atoms.count; k++)
        sum += run->atoms.a[k];
    return fathom_gated_loss(run->problem, run->f, run->smoothing) + run->problem->beta * sum;
}

double fathom_cone_atoms_objective(fathom_relu_cones *run, double *loss, double *norm)
{
    forward(run->f, run, run->atoms.a);
    *loss = fathom_gated_loss(run->problem, run->f, 0);
    *norm = 0;
    for (int64_t k = 0; k < run->atoms.count; k++)
        *norm += run->atoms.a[k];
    return *loss + run->problem->beta * *norm;
}

/* Arrays of the Newton steps, K atoms. */
typedef struct master {
    double *hessian; /* K x K */
    double *scaled;  /* K x n: Z diag(r) */
    double *slope;   /* K */
    double *target;  /* K */
    double *root;    /* n */
    double *f;       /* n: step of the outputs */
    double *trial;   /* n: -l'(f) and */
    double *trial_f; /* n: f on the way */
} master;

/* slope_k = beta - <g, z_k>, hessian = Z diag(l'') Z', strips of rows in parallel. */
static void linearize(master *m, fathom_relu_cones *run)
{
    const fathom_gated_problem *p = run->problem;
    const int64_t count = run->atoms.count, n = p->n;
    fathom_gated_residual(run->g, p, run->f, run->smoothing);
    fathom_gated_curvature(m->root, p, run->f, run->smoothing);
#pragma omp parallel for schedule(static) num_threads(run->threads)
    for (int64_t k = 0; k < count; k++) {
        m->slope[k] = p->beta - fathom_blas_dot(run->g, run->atoms.z + k * n, n);
        for (int64_t i = 0; i < n; i++)
            m->scaled[k * n + i] = m->root[i] * run->atoms.z[k * n + i];
    }
#pragma omp parallel for schedule(dynamic) num_threads(run->threads)
    for (int64_t top = 0; top < count; top += STRIP)
        fathom_blas_gemm(m->hessian + top * count, count, count - top < STRIP ? count - top : STRIP, count, n,
                         1, fathom_plain(m->scaled + top * n, n), fathom_transposed(m->scaled, n), 0);
}

/* Derivative of the objective along the step: beta sum_k (target - a)_k - <-l'(f), step of f>; m->trial receives -l'(f). */
static double slope_along(master *m, const fathom_relu_cones *run, const double *f, double grows)
{
    fathom_gated_residual(m->trial, run->problem, f, run->smoothing);
    return run->problem->beta * grows - fathom_blas_dot(m->trial, m->f, run->problem->n);
}

/* Moves a and f towards the target; returns minus the derivative at the start. A step is good where the derivative at
 * its end is no longer steep, up or down: unlike values, derivatives tell steps apart down to rounding. */
static double advance(master *m, fathom_relu_cones *run)
{
    const int64_t count = run->atoms.count, n = run->problem->n;
    double *a = run->atoms.a, grows = 0, t = 1;
    forward(m->f, run, m->target);
    fathom_blas_axpy(m->f, -1, run->f, n);
    for (int64_t k = 0; k < count; k++)
        grows += m->target[k] - a[k];
    const double start = slope_along(m, run, run->f, grows);
    if (!(start < 0))
        return 0;
    for (; t > 1e-6; t /= 2) {
        memcpy(m->trial_f, run->f, (size_t)n * sizeof *m->trial_f);
        fathom_blas_axpy(m->trial_f, t, m->f, n);
        if (slope_along(m, run, m->trial_f, grows) <= -0.3 * start)
            break;
    }
    for (int64_t k = 0; k < count; k++)
        a[k] = t == 1 ? m->target[k] : a[k] + t * (m->target[k] - a[k]);
    forward(run->f, run, a);
    return -start;
}

/* One Newton step; *expected = minus the derivative along it. Where rounding leaves no descent (the smoothed hinge has
 * curvatures of all sizes), the diagonal is raised by a growing share of itself. */
static fathom_status newton_step(double *expected, master *m, fathom_relu_cones *run)
{
    const int64_t count = run->atoms.count;
    fathom_status status = FATHOM_OK;
    *expected = 0;
    linearize(m, run);
    for (double share = 0; status == FATHOM_OK && *expected == 0 && share < 1e-3;
         share = fmax(100 * share, 1e-11)) {
        for (int64_t k = 0; k < count; k++)
            m->hessian[k * count + k] *= 1 + share;
        status =
            fathom_nonneg_solve(m->target, run->problem->context, count, m->hessian, m->slope, run->atoms.a);
        if (status == FATHOM_OK)
            *expected = advance(m, run);
        if (run->smoothing == 0)
            break;
    }
    return status;
}

static fathom_status iterate(master *m, fathom_relu_cones *run)
{
    fathom_status status = FATHOM_OK;
    for (int step = 0; step < STEPS && status == FATHOM_OK; step++) {
        double expected;
        status = newton_step(&expected, m, run);
        if (!(expected > 1e-13 * value(run)) || run->problem->loss == FATHOM_LOSS_SQUARED ||
            fathom_context_stop_reason(run->problem->context) != FATHOM_STOP_NONE)
            break;
    }
    return status;
}

fathom_status fathom_cone_atoms_solve(fathom_relu_cones *run)
{
    const fathom_gated_problem *p = run->problem;
    const int64_t count = run->atoms.count, n = p->n;
    fathom_context *context = p->context;
    forward(run->f, run, run->atoms.a);
    if (count == 0)
        return FATHOM_OK;
    double *block = fathom_memory_alloc(context, count * (count + n + 2) + 4 * n, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
    master m = {.hessian = block, .scaled = block + count * count};
    m.slope = m.scaled + count * n;
    m.target = m.slope + count;
    m.root = m.target + count;
    m.f = m.root + n;
    m.trial = m.f + n;
    m.trial_f = m.trial + n;
    const fathom_status status = iterate(&m, run);
    fathom_memory_free(context, block);
    return status;
}

/* sum (d) = sum of the side's atoms from number k on, whose weights become 0. */
static void collect_side(double *sum, fathom_cone_atoms *atoms, int64_t k, int64_t d)
{
    const int64_t side = atoms->side[k], count = atoms->count;
    memset(sum, 0, (size_t)d * sizeof *sum);
    for (; k < count; k++)
        if (atoms->side[k] == side && atoms->a[k] > 0) {
            fathom_blas_axpy(sum, atoms->a[k], atoms->u + k * d, d);
            atoms->a[k] = 0;
        }
}

/* Atoms that have been idle too long leave. */
static void prune(fathom_cone_atoms *atoms, int64_t n, int64_t d)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < atoms->count; k++) {
        atoms->idle[k] = atoms->a[k] > 0 ? 0 : atoms->idle[k] + 1;
        if (atoms->idle[k] > IDLE)
            continue;
        atoms->side[kept] = atoms->side[k];
        atoms->idle[kept] = atoms->idle[k];
        atoms->a[kept] = atoms->a[k];
        memmove(atoms->u + kept * d, atoms->u + k * d, (size_t)d * sizeof *atoms->u);
        memmove(atoms->z + kept * n, atoms->z + k * n, (size_t)n * sizeof *atoms->z);
        kept++;
    }
    atoms->count = kept;
}

fathom_status fathom_cone_atoms_merge(fathom_relu_cones *run)
{
    fathom_cone_atoms *atoms = &run->atoms;
    const int64_t d = run->problem->d, before = atoms->count;
    double *sum = fathom_memory_alloc(run->problem->context, d, sizeof *sum);
    fathom_status status = sum ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < before && status == FATHOM_OK; k++) {
        int64_t more = 0;
        for (int64_t l = k + 1; l < before && atoms->a[k] > 0; l++)
            more += atoms->side[l] == atoms->side[k] && atoms->a[l] > 0;
        if (more == 0)
            continue;
        collect_side(sum, atoms, k, d);
        status = fathom_cone_atoms_add(run, atoms->side[k], sum, fathom_blas_norm(sum, d));
    }
    fathom_memory_free(run->problem->context, sum);
    if (status == FATHOM_OK) {
        prune(atoms, run->problem->n, d);
        forward(run->f, run, atoms->a);
    }
    return status;
}
