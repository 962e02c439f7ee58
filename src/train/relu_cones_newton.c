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
 *
 * Cost, N = sum_j r_j: N^2 n + N^3 / 3 where N <= n. Otherwise the Hessian is C + W W' - U S U' with C = diag(gamma_j), gamma_j =
 * beta/|xi_j|, W = M diag(sqrt l'') and one column of U per side, and is inverted by Woodbury's formula twice: T = I + W' C^{-1} W
 * (n x n), and Y T^{-1} Y' with Y = U' C^{-1} W (sides x n), because S^{-1} - U' C^{-1} U = 0: n^2 N + n^3 / 3. Nothing is done where
 * both N and n exceed LARGEST or W has more than ENTRIES numbers.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "memory.h"
#include "relu_cones.h"

enum { LARGEST = 3000, ENTRIES = 50000000, STRIP = 64 };

typedef struct faces {
    int64_t count;   /* sides in use */
    int64_t *atom;   /* count: their atoms */
    int64_t *start;  /* count + 1: first row of each side in the N rows */
    double *basis;   /* N x d */
    int64_t size;    /* outputs n */
    double *matrix;  /* N x size: M R */
    double *xi;      /* N */
    double *slope;   /* N: gradient, then minus the step */
    double *hessian; /* N x N, or size x size: T */
    double *radial;  /* count x size: Y, where N > size */
    double *small;   /* count x count: Y T^{-1} Y', where N > size */
    double *work;    /* size + count */
} faces;

static int64_t side_rows(const faces *s, int64_t t) { return s->start[t + 1] - s->start[t]; }

/* |xi_j|, kept off zero. */
static double side_size(const faces *s, const fathom_relu_cones *run, int64_t t)
{
    return fmax(fathom_blas_norm(s->xi + s->start[t], side_rows(s, t)), 1e-6 * run->atoms.a[s->atom[t]]);
}

static void faces_close(faces *s, fathom_context *context)
{
    void *blocks[] = {s->atom,  s->start,   s->basis,  s->matrix, s->xi,
                      s->slope, s->hessian, s->radial, s->small,  s->work};
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
    const fathom_objective *p = run->problem;
    fathom_context *context = p->context;
    *s = (faces){.size = p->outputs * p->n};
    s->atom = fathom_memory_alloc(context, run->atoms.count, sizeof *s->atom);
    s->start = fathom_memory_alloc(context, run->atoms.count + 1, sizeof *s->start);
    if (!s->atom || !s->start)
        return FATHOM_ERROR_MEMORY;
    const int64_t rows = list_faces(s, run), size = s->size, side = rows < size ? rows : size;
    const int64_t wide = rows > size;
    if (side > LARGEST || rows > ENTRIES / size) {
        s->count = 0;
        return FATHOM_OK;
    }
    s->basis = fathom_memory_alloc(context, rows * p->d, sizeof *s->basis);
    s->matrix = fathom_memory_alloc(context, rows * size, sizeof *s->matrix);
    s->xi = fathom_memory_alloc(context, rows, sizeof *s->xi);
    s->slope = fathom_memory_alloc(context, rows, sizeof *s->slope);
    s->hessian = fathom_memory_alloc(context, side * side, sizeof *s->hessian);
    s->radial = fathom_memory_alloc(context, wide * s->count * size, sizeof *s->radial);
    s->small = fathom_memory_alloc(context, wide * s->count * s->count, sizeof *s->small);
    s->work = fathom_memory_alloc(context, size + s->count, sizeof *s->work);
    return s->basis && s->matrix && s->xi && s->slope && s->hessian && s->radial && s->small && s->work
               ? FATHOM_OK
               : FATHOM_ERROR_MEMORY;
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

/* Rows of side number t: xi, gradient, M R; g and R (root) at the present f. */
static void fill_side(faces *s, const fathom_relu_cones *run, int64_t t, const double *root,
                      fathom_gate_cone *cone)
{
    const fathom_objective *p = run->problem;
    const int64_t n = p->n, d = p->d, top = s->start[t], rank = side_rows(s, t), k = s->atom[t];
    const int64_t side = run->atoms.side[k];
    const int64_t at = fathom_side_output(run, side) * n, length = s->size;
    const uint64_t *open = fathom_side_open(run, side);
    double *basis = s->basis + top * d, *xi = s->xi + top;
    make_basis(basis, rank, run, side, cone);
    fathom_blas_gemv(xi, rank, d, run->atoms.a[k], fathom_plain(basis, d), run->atoms.u + k * d, 0);
    const double size = side_size(s, run, t);
    memset(s->matrix + top * length, 0, (size_t)(rank * length) * sizeof *s->matrix);
    fathom_blas_gemm(s->matrix + top * length + at, length, rank, n, d, side % 2 ? -1 : 1,
                     fathom_plain(basis, d), fathom_transposed(p->x, d), 0);
    for (int64_t a = 0; a < rank; a++) {
        double *row = s->matrix + (top + a) * length, sum = 0;
        for (int64_t i = 0; i < n; i++) {
            row[at + i] = (open[i / 64] >> (i % 64)) & 1 ? row[at + i] : 0;
            sum += row[at + i] * run->g[at + i];
        }
        fathom_objective_root_transposed(row, p, root);
        s->slope[top + a] = p->beta * (xi[a] / size) - sum;
    }
}

/* out (rows x rows) = op(A) op(A)', strips in parallel. */
static void gram(double *out, int64_t rows, int64_t inner, const double *a, int64_t ld, bool transposed,
                 int threads)
{
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t top = 0; top < rows; top += STRIP) {
        const fathom_operand left =
            transposed ? fathom_transposed(a + top, ld) : fathom_plain(a + top * ld, ld);
        const fathom_operand right = transposed ? fathom_plain(a, ld) : fathom_transposed(a, ld);
        fathom_blas_gemm(out + top * rows, rows, rows - top < STRIP ? rows - top : STRIP, rows, inner, 1,
                         left, right, 0);
    }
}

/* Factorises a after adding `share` of its trace (and `more`) to the diagonal; *regular = false where it cannot be. */
static fathom_status factor(bool *regular, double *a, int64_t rows, double share, double more,
                            fathom_context *context)
{
    double trace = 0;
    int64_t minor = 0;
    for (int64_t k = 0; k < rows; k++)
        trace += a[k * rows + k];
    for (int64_t k = 0; k < rows; k++)
        a[k * rows + k] += share * trace + more;
    const fathom_status status = fathom_cholesky_factor(&minor, a, rows, rows, context);
    *regular = status == FATHOM_OK && minor == 0;
    return status;
}

/* slope = H^{-1} slope, H assembled. */
static fathom_status solve_tall(bool *regular, faces *s, const fathom_relu_cones *run)
{
    fathom_context *context = run->problem->context;
    const int64_t rows = s->start[s->count];
    gram(s->hessian, rows, s->size, s->matrix, s->size, false, run->threads);
    for (int64_t t = 0; t < s->count; t++) {
        const int64_t top = s->start[t], rank = side_rows(s, t);
        const double *xi = s->xi + top, size = side_size(s, run, t);
        for (int64_t a = 0; a < rank; a++)
            for (int64_t b = 0; b < rank; b++)
                s->hessian[(top + a) * rows + top + b] +=
                    run->problem->beta / size * ((a == b) - xi[a] / size * (xi[b] / size));
    }
    const fathom_status status = factor(regular, s->hessian, rows, 1e-14, 0, context);
    if (*regular)
        fathom_cholesky_apply(s->slope, 1, 1, s->hessian, rows, rows, context);
    return status;
}

/* The rows of side t and its slope times gamma^{-1/2}; with a matrix also Y_t = W_t' xi_t / |xi_t| gamma^{-1/2}. */
static void scale_side(faces *s, const fathom_relu_cones *run, int64_t t, bool matrix)
{
    const int64_t n = s->size, top = s->start[t], rank = side_rows(s, t);
    const double size = side_size(s, run, t), scale = sqrt(size / run->problem->beta);
    fathom_blas_scale(s->slope + top, scale, rank);
    if (!matrix)
        return;
    fathom_blas_scale(s->matrix + top * n, scale, rank * n);
    fathom_blas_gemv(s->radial + t * n, n, rank, scale / size, fathom_transposed(s->matrix + top * n, n),
                     s->xi + top, 0);
}

/* work = T^{-1} W' b, b = slope. */
static void narrow(faces *s, const fathom_relu_cones *run)
{
    const int64_t n = s->size, rows = s->start[s->count];
    fathom_blas_gemv(s->work, n, rows, 1, fathom_transposed(s->matrix, n), s->slope, 0);
    fathom_cholesky_apply(s->work, 1, 1, s->hessian, n, n, run->problem->context);
}

/* The sides' multipliers: b += U alpha with Y T^{-1} Y' alpha = U' b - Y T^{-1} W' b, everything times gamma^{-1/2}. */
static fathom_status add_radial(bool *regular, faces *s, const fathom_relu_cones *run)
{
    const int64_t n = s->size;
    double *alpha = s->work + n;
    narrow(s, run);
    fathom_blas_gemv(alpha, s->count, n, -1, fathom_plain(s->radial, n), s->work, 0);
    for (int64_t t = 0; t < s->count; t++) {
        const double size = side_size(s, run, t), scale = sqrt(size / run->problem->beta) / size;
        alpha[t] += scale * fathom_blas_dot(s->xi + s->start[t], s->slope + s->start[t], side_rows(s, t));
    }
    fathom_blas_triangular_solve_right(s->radial, n, fathom_transposed(s->hessian, n), true, n, s->count);
    gram(s->small, s->count, n, s->radial, n, false, run->threads);
    const fathom_status status = factor(regular, s->small, s->count, 1e-14, 0, run->problem->context);
    if (!*regular)
        return status;
    fathom_cholesky_apply(alpha, 1, 1, s->small, s->count, s->count, run->problem->context);
    for (int64_t t = 0; t < s->count; t++) {
        const double size = side_size(s, run, t);
        fathom_blas_axpy(s->slope + s->start[t], alpha[t] * sqrt(size / run->problem->beta) / size,
                         s->xi + s->start[t], side_rows(s, t));
    }
    return FATHOM_OK;
}

/* slope = H^{-1} slope by Woodbury's formula. */
static fathom_status solve_wide(bool *regular, faces *s, const fathom_relu_cones *run)
{
    const int64_t n = s->size, rows = s->start[s->count];
    for (int64_t t = 0; t < s->count; t++)
        scale_side(s, run, t, true);
    gram(s->hessian, n, rows, s->matrix, n, true, run->threads);
    fathom_status status = factor(regular, s->hessian, n, 0, 1, run->problem->context);
    if (*regular)
        status = add_radial(regular, s, run);
    if (!*regular)
        return status;
    narrow(s, run);
    fathom_blas_gemv(s->slope, rows, n, -1, fathom_plain(s->matrix, n), s->work, 1);
    for (int64_t t = 0; t < s->count; t++)
        scale_side(s, run, t, false);
    return FATHOM_OK;
}

/* The stepped xi of side t, back in R^d and projected on the cone, as a new atom. */
static fathom_status add_stepped(fathom_relu_cones *run, const faces *s, int64_t t)
{
    const fathom_objective *p = run->problem;
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
    fathom_gate_cone_project(cone, fathom_side_open(run, side), u, NULL);
    return cone->exact ? fathom_cone_atoms_add(run, side, cone->u, 0) : FATHOM_OK;
}

fathom_status fathom_cone_atoms_newton(fathom_relu_cones *run)
{
    const fathom_objective *p = run->problem;
    fathom_context *context = p->context;
    faces s;
    double *root = fathom_memory_alloc(context, p->outputs * p->n, sizeof *root);
    fathom_status status = faces_open(&s, run);
    if (!root)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && s.count > 0) {
        bool regular = false;
        fathom_objective_residual(run->g, p, run->f, run->smoothing);
        fathom_objective_curvature(root, p, run->f, run->smoothing);
        for (int64_t t = 0; t < s.count; t++)
            fill_side(&s, run, t, root, run->cone);
        status = s.start[s.count] > s.size ? solve_wide(&regular, &s, run) : solve_tall(&regular, &s, run);
        for (int64_t t = 0; t < s.count && regular && status == FATHOM_OK; t++)
            status = add_stepped(run, &s, t);
    }
    faces_close(&s, context);
    fathom_memory_free(context, root);
    return status;
}
