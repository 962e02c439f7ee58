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
#include "loss_row.h"
#include "memory.h"
#include "nonneg.h"
#include "relu_cones.h"

enum { STEPS = 30, IDLE = 3, STRIP = 64 };

fathom_status fathom_cone_atoms_reserve(fathom_relu_cones *run, int64_t count)
{
    fathom_cone_atoms *atoms = &run->atoms;
    const fathom_objective *p = run->problem;
    if (count <= atoms->capacity)
        return FATHOM_OK;
    const int64_t room = count + count / 2 + 16;
    fathom_context *context = p->context;
    fathom_status status = fathom_memory_resize(context, (void **)&atoms->side, room, sizeof *atoms->side);
    FATHOM_THEN(status, fathom_memory_resize(context, (void **)&atoms->idle, room, sizeof *atoms->idle));
    FATHOM_THEN(status, fathom_memory_resize(context, (void **)&atoms->a, room, sizeof *atoms->a));
    FATHOM_THEN(status, fathom_memory_resize(context, (void **)&atoms->u, room * p->d, sizeof *atoms->u));
    if (status == FATHOM_OK)
        status =
            fathom_memory_resize(context, (void **)&atoms->z, room * p->n * p->outputs, sizeof *atoms->z);
    if (status == FATHOM_OK)
        atoms->capacity = room;
    return status;
}

void fathom_cone_atoms_outputs(fathom_relu_cones *run, int64_t k)
{
    const fathom_objective *p = run->problem;
    const int64_t side = run->atoms.side[k], size = p->outputs * p->n;
    double *z = run->atoms.z + k * size;
    memset(z, 0, (size_t)size * sizeof *z);
    z += fathom_side_output(run, side) * p->n;
    fathom_blas_gemv(z, p->n, p->d, 1, fathom_plain(p->x, p->d), run->atoms.u + k * p->d, 0);
    for (int64_t i = 0; i < p->n; i++)
        z[i] = z[i] > 0 ? (side % 2 ? -z[i] : z[i]) : 0;
}

fathom_status fathom_cone_atoms_add(fathom_relu_cones *run, int64_t side, const double *u, double weight)
{
    const fathom_objective *p = run->problem;
    const double size = fathom_blas_norm(u, p->d);
    if (!(size > 0))
        return FATHOM_OK;
    fathom_cone_atoms *atoms = &run->atoms;
    FATHOM_TRY(fathom_cone_atoms_reserve(run, atoms->count + 1));
    const int64_t k = atoms->count++;
    double *unit = atoms->u + k * p->d;
    atoms->side[k] = side;
    atoms->idle[k] = 0;
    atoms->a[k] = weight;
    for (int64_t l = 0; l < p->d; l++)
        unit[l] = u[l] / size;
    fathom_cone_atoms_outputs(run, k);
    return FATHOM_OK;
}

/* Numbers in f: one per output and point. */
static int64_t length(const fathom_relu_cones *run) { return run->problem->outputs * run->problem->n; }

/* f = sum_k a_k z_k. */
static void forward(double *f, const fathom_relu_cones *run, const double *a)
{
    const int64_t size = length(run), count = run->atoms.count;
    if (count == 0)
        memset(f, 0, (size_t)size * sizeof *f);
    else
        fathom_blas_gemv(f, size, count, 1, fathom_transposed(run->atoms.z, size), a, 0);
}

/* The objective, smoothed. */
static double value(const fathom_relu_cones *run)
{
    double sum = 0;
    for (int64_t k = 0; k < run->atoms.count; k++)
        sum += run->atoms.a[k];
    return fathom_objective_loss(run->problem, run->f, run->smoothing) + run->problem->beta * sum;
}

double fathom_cone_atoms_objective(fathom_relu_cones *run, double *loss, double *norm)
{
    forward(run->f, run, run->atoms.a);
    *loss = fathom_objective_loss(run->problem, run->f, 0);
    *norm = 0;
    for (int64_t k = 0; k < run->atoms.count; k++)
        *norm += run->atoms.a[k];
    return *loss + run->problem->beta * *norm;
}

/* Arrays of the Newton steps, K atoms. */
typedef struct master {
    double *hessian; /* K x K */
    double *scaled;  /* K x size: rows R' z_k, size = outputs n */
    double *slope;   /* K */
    double *target;  /* K */
    double *root;    /* size */
    double *f;       /* size: step of the outputs */
    double *trial;   /* size: -l'(f) and */
    double *trial_f; /* size: f on the way */
} master;

/* slope_k = beta - <g, z_k>, hessian = Z l'' Z', strips of rows in parallel. */
static void linearize(master *m, fathom_relu_cones *run)
{
    const fathom_objective *p = run->problem;
    const int64_t count = run->atoms.count, size = length(run);
    fathom_objective_residual(run->g, p, run->f, run->smoothing);
    fathom_objective_curvature(m->root, p, run->f, run->smoothing);
#pragma omp parallel for schedule(static) num_threads(run->threads)
    for (int64_t k = 0; k < count; k++) {
        m->slope[k] = p->beta - fathom_blas_dot(run->g, run->atoms.z + k * size, size);
        memcpy(m->scaled + k * size, run->atoms.z + k * size, (size_t)size * sizeof *m->scaled);
        fathom_objective_root_transposed(m->scaled + k * size, p, m->root);
    }
#pragma omp parallel for schedule(dynamic) num_threads(run->threads)
    for (int64_t top = 0; top < count; top += STRIP)
        fathom_blas_gemm(m->hessian + top * count, count, count - top < STRIP ? count - top : STRIP, count,
                         size, 1, fathom_plain(m->scaled + top * size, size),
                         fathom_transposed(m->scaled, size), 0);
}

/* Derivative of the objective along the step: beta sum_k (target - a)_k - <-l'(f), step of f>; m->trial receives -l'(f). */
static double slope_along(master *m, const fathom_relu_cones *run, const double *f, double grows)
{
    fathom_objective_residual(m->trial, run->problem, f, run->smoothing);
    return run->problem->beta * grows - fathom_blas_dot(m->trial, m->f, length(run));
}

/* Moves a and f towards the target; returns minus the derivative at the start. A step is good where the derivative at
 * its end is no longer steep, up or down: unlike values, derivatives tell steps apart down to rounding. */
static double advance(master *m, fathom_relu_cones *run)
{
    const int64_t count = run->atoms.count, size = length(run);
    double *a = run->atoms.a, grows = 0, t = 1;
    forward(m->f, run, m->target);
    fathom_blas_axpy(m->f, -1, run->f, size);
    for (int64_t k = 0; k < count; k++)
        grows += m->target[k] - a[k];
    const double start = slope_along(m, run, run->f, grows);
    if (!(start < 0))
        return 0;
    for (; t > 1e-6; t /= 2) {
        memcpy(m->trial_f, run->f, (size_t)size * sizeof *m->trial_f);
        fathom_blas_axpy(m->trial_f, t, m->f, size);
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
        if (!(expected > 1e-13 * value(run)) || fathom_loss_row_of(run->problem->loss)->quadratic ||
            fathom_context_stop_reason(run->problem->context) != FATHOM_STOP_NONE)
            break;
    }
    return status;
}

fathom_status fathom_cone_atoms_solve(fathom_relu_cones *run)
{
    const fathom_objective *p = run->problem;
    const int64_t count = run->atoms.count, size = length(run);
    fathom_context *context = p->context;
    forward(run->f, run, run->atoms.a);
    if (count == 0)
        return FATHOM_OK;
    double *block = fathom_memory_alloc(context, count * (count + size + 2) + 4 * size, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
    master m = {.hessian = block, .scaled = block + count * count};
    m.slope = m.scaled + count * size;
    m.target = m.slope + count;
    m.root = m.target + count;
    m.f = m.root + size;
    m.trial = m.f + size;
    m.trial_f = m.trial + size;
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
static void prune(fathom_cone_atoms *atoms, int64_t size, int64_t d)
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
        memmove(atoms->z + kept * size, atoms->z + k * size, (size_t)size * sizeof *atoms->z);
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
        prune(atoms, length(run), d);
        forward(run->f, run, atoms->a);
    }
    return status;
}
