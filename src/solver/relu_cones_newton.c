/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Newton's step on faces: second-order directions for the sides in use.
 *
 * At the optimum u_j is a multiple of the projection of sigma F*(g)_j on K_j and lies on the same face, the one on which the
 * rows T_j with positive multipliers are tight. On the face's span, u_j = B_j' xi_j with B_j (r_j x d) orthonormal,
 *
 *     P = sum_i c_i l(f_i, y_i) + beta sum_j |xi_j|,   f = sum_j M_j' xi_j,   M_j = sigma_j B_j X' D_j  (r_j x n)
 *
 * is smooth where xi_j != 0: gradient -M g + beta xi/|xi|, Hessian M diag(l'') M' + beta/|xi_j| (I - xi_j xi_j'/|xi_j|^2) block by
 * block. The new u_j are projected on their cones and join the atoms: the weights found next decide how far to go, so that
 * the step needs no safeguard, and the last rounds converge quadratically.
 * Cost: N^2 n + N^3 / 3 for N = sum_j r_j; nothing is done for N beyond LARGEST.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "memory.h"
#include "relu_cones.h"

enum { LARGEST = 3000, STRIP = 64 };

typedef struct faces {
    int64_t count;   /* sides in use */
    int64_t *atom;   /* count: their atoms */
    int64_t *start;  /* count + 1: first row of each side in the N rows */
    double *basis;   /* N x d */
    double *matrix;  /* N x n: M diag(r) */
    double *xi;      /* N */
    double *slope;   /* N: gradient, then minus the step */
    double *hessian; /* N x N */
} faces;

static void faces_close(faces *s, fathom_context *context)
{
    void *blocks[] = {s->atom, s->start, s->basis, s->matrix, s->xi, s->slope, s->hessian};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
}

/* Lists the sides in use and the dimensions of their faces; returns N. */
static int64_t list_faces(faces *s, const fathom_relu_cones *run)
{
    const fathom_cone_atoms *atoms = &run->atoms;
    int64_t rows = 0;
    s->count = 0;
    for (int64_t k = 0; k < atoms->count; k++) {
        const int64_t rank = run->problem->d - run->tight_count[atoms->side[k]];
        if (!(atoms->a[k] > 0) || rank <= 0)
            continue;
        s->atom[s->count] = k;
        s->start[s->count++] = rows;
        rows += rank;
    }
    s->start[s->count] = rows;
    return rows;
}

static fathom_status faces_open(faces *s, const fathom_relu_cones *run)
{
    const fathom_gated_problem *p = run->problem;
    fathom_context *context = p->context;
    *s = (faces){0};
    s->atom = fathom_memory_alloc(context, run->atoms.count, sizeof *s->atom);
    s->start = fathom_memory_alloc(context, run->atoms.count + 1, sizeof *s->start);
    if (!s->atom || !s->start)
        return FATHOM_ERROR_MEMORY;
    const int64_t rows = list_faces(s, run);
    if (rows > LARGEST) {
        s->count = 0;
        return FATHOM_OK;
    }
    s->basis = fathom_memory_alloc(context, rows * p->d, sizeof *s->basis);
    s->matrix = fathom_memory_alloc(context, rows * p->n, sizeof *s->matrix);
    s->xi = fathom_memory_alloc(context, rows, sizeof *s->xi);
    s->slope = fathom_memory_alloc(context, rows, sizeof *s->slope);
    s->hessian = fathom_memory_alloc(context, rows * rows, sizeof *s->hessian);
    return s->basis && s->matrix && s->xi && s->slope && s->hessian ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* q (k x d, orthonormal rows so far) gains the unit vector that is farthest from its span, made orthogonal. */
static void extend(double *q, int64_t k, int64_t d, double *work)
{
    int64_t best = 0;
    double far = -1;
    for (int64_t l = 0; l < d; l++) {
        double left = 1;
        for (int64_t a = 0; a < k; a++)
            left -= q[a * d + l] * q[a * d + l];
        if (left > far) {
            far = left;
            best = l;
        }
    }
    double *row = q + k * d;
    memset(row, 0, (size_t)d * sizeof *row);
    row[best] = 1;
    for (int pass = 0; pass < 2 && k > 0; pass++) {
        fathom_blas_gemv(work, k, d, 1, fathom_plain(q, d), row, 0);
        fathom_blas_gemv(row, d, k, -1, fathom_transposed(q, d), work, 1);
    }
    fathom_blas_scale(row, 1 / fathom_blas_norm(row, d), d);
}

/* basis (rank x d) = orthonormal rows that complete those of the side's tight rows. */
static void make_basis(double *basis, int64_t rank, const fathom_relu_cones *run, int64_t side,
                       fathom_gate_cone *cone)
{
    const int64_t d = run->problem->d, first = d - rank;
    double *q = cone->q, *work = cone->trial;
    int64_t k = 0;
    for (int64_t a = 0; a < first; a++) { /* tight rows, made orthonormal; they are independent */
        double *row = q + k * d;
        memcpy(row, run->problem->x + run->tight[side * d + a] * d, (size_t)d * sizeof *row);
        for (int pass = 0; pass < 2 && k > 0; pass++) {
            fathom_blas_gemv(work, k, d, 1, fathom_plain(q, d), row, 0);
            fathom_blas_gemv(row, d, k, -1, fathom_transposed(q, d), work, 1);
        }
        fathom_blas_scale(row, 1 / fathom_blas_norm(row, d), d);
        k++;
    }
    for (; k < d; k++)
        extend(q, k, d, work);
    memcpy(basis, q + first * d, (size_t)(rank * d) * sizeof *basis);
}

/* Rows of side number t: xi, gradient, M diag(r); g and r (root) at the present f. */
static void fill_side(faces *s, const fathom_relu_cones *run, int64_t t, const double *root,
                      fathom_gate_cone *cone)
{
    const fathom_gated_problem *p = run->problem;
    const int64_t n = p->n, d = p->d, top = s->start[t], rank = s->start[t + 1] - top, k = s->atom[t];
    const int64_t side = run->atoms.side[k];
    const uint64_t *open = p->bits + side / 2 * p->words;
    double *basis = s->basis + top * d, *xi = s->xi + top;
    make_basis(basis, rank, run, side, cone);
    fathom_blas_gemv(xi, rank, d, run->atoms.a[k], fathom_plain(basis, d), run->atoms.u + k * d, 0);
    const double size = fathom_blas_norm(xi, rank);
    fathom_blas_gemm(s->matrix + top * n, n, rank, n, d, side % 2 ? -1 : 1, fathom_plain(basis, d),
                     fathom_transposed(p->x, d), 0);
    for (int64_t a = 0; a < rank; a++) {
        double *row = s->matrix + (top + a) * n, sum = 0;
        for (int64_t i = 0; i < n; i++) {
            const double entry = (open[i / 64] >> (i % 64)) & 1 ? row[i] : 0;
            sum += entry * run->g[i];
            row[i] = entry * root[i];
        }
        s->slope[top + a] = (size > 0 ? p->beta * xi[a] / size : 0) - sum;
    }
}

/* Hessian: products of the rows, and the curvature of the norms. */
static void fill_hessian(faces *s, const fathom_relu_cones *run)
{
    const int64_t n = run->problem->n, rows = s->start[s->count];
    double trace = 0;
#pragma omp parallel for schedule(dynamic) num_threads(run->threads)
    for (int64_t top = 0; top < rows; top += STRIP)
        fathom_blas_gemm(s->hessian + top * rows, rows, rows - top < STRIP ? rows - top : STRIP, rows, n, 1,
                         fathom_plain(s->matrix + top * n, n), fathom_transposed(s->matrix, n), 0);
    for (int64_t t = 0; t < s->count; t++) {
        const int64_t top = s->start[t], rank = s->start[t + 1] - top;
        const double *xi = s->xi + top, size = fathom_blas_norm(xi, rank);
        for (int64_t a = 0; a < rank && size > 0; a++)
            for (int64_t b = 0; b < rank; b++)
                s->hessian[(top + a) * rows + top + b] +=
                    run->problem->beta / size * ((a == b) - xi[a] / size * (xi[b] / size));
    }
    for (int64_t a = 0; a < rows; a++)
        trace += s->hessian[a * rows + a];
    for (int64_t a = 0; a < rows; a++)
        s->hessian[a * rows + a] += 1e-14 * trace;
}

/* The stepped xi of side t, back in R^d and projected on the cone, as a new atom. */
static fathom_status add_stepped(fathom_relu_cones *run, const faces *s, int64_t t)
{
    const fathom_gated_problem *p = run->problem;
    fathom_gate_cone *cone = run->cone;
    const int64_t d = p->d, top = s->start[t], rank = s->start[t + 1] - top;
    const int64_t side = run->atoms.side[s->atom[t]];
    double *u = run->direction + side * d;
    double along = 0;
    for (int64_t a = 0; a < rank; a++)
        along += s->xi[top + a] * (s->xi[top + a] - s->slope[top + a]);
    if (!(along > 0))
        return FATHOM_OK;
    for (int64_t a = 0; a < rank; a++)
        s->slope[top + a] = s->xi[top + a] - s->slope[top + a];
    fathom_blas_gemv(u, d, rank, 1, fathom_transposed(s->basis + top * d, d), s->slope + top, 0);
    cone->count = run->tight_count[side];
    for (int64_t k = 0; k < cone->count; k++)
        cone->tight[k] = run->tight[side * d + k];
    fathom_gate_cone_project(cone, p->bits + side / 2 * p->words, u, NULL);
    return cone->exact ? fathom_cone_atoms_add(run, side, cone->u, 0) : FATHOM_OK;
}

fathom_status fathom_cone_atoms_newton(fathom_relu_cones *run)
{
    const fathom_gated_problem *p = run->problem;
    fathom_context *context = p->context;
    faces s;
    double *root = fathom_memory_alloc(context, p->n, sizeof *root);
    fathom_status status = faces_open(&s, run);
    if (!root)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && s.count > 0) {
        int64_t minor = 0;
        const int64_t rows = s.start[s.count];
        fathom_gated_residual(run->g, p, run->f, run->smoothing);
        fathom_gated_curvature(root, p, run->f, run->smoothing);
        for (int64_t t = 0; t < s.count; t++)
            fill_side(&s, run, t, root, run->cone);
        fill_hessian(&s, run);
        status = fathom_cholesky_factor(&minor, s.hessian, rows, rows, context);
        if (status == FATHOM_OK && minor == 0) {
            fathom_cholesky_apply(s.slope, 1, 1, s.hessian, rows, rows, context);
            for (int64_t t = 0; t < s.count && status == FATHOM_OK; t++)
                status = add_stepped(run, &s, t);
        }
    }
    faces_close(&s, context);
    fathom_memory_free(context, root);
    return status;
}
