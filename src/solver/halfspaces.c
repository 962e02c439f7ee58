/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Projection on a polyhedral cone K = {x in R^d : Ax >= 0}, A n x d.
 *
 * Moreau: the projection of g is x = g + A'lambda, lambda = argmin_{lambda >= 0} |g + A'lambda|, with Ax >= 0 and
 * lambda_i (Ax)_i = 0. Method: Lawson and Hanson's active set; the row that is violated most, relative to its length, joins
 * the working set S, least squares on S by Cholesky of A_S A_S', members whose multiplier would be negative leave.
 * Guarantee: (Ax)_i >= -TOLERANCE (d + 8) u |a_i||g| at the end, unless the steps run out (n of them are never seen).
 * Cost: n d + |S|^3 per step, |S| <= d, about twice |S| steps.
 */
#include "halfspaces.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "memory.h"

#define TOLERANCE 16.0

fathom_status fathom_halfspaces_open(fathom_halfspaces *cone, fathom_context *context, const double *a,
                                     int64_t n, int64_t d)
{
    *cone = (fathom_halfspaces){.context = context, .n = n, .d = d, .a = a};
    cone->norm = fathom_memory_alloc(context, 3 * n, sizeof *cone->norm);
    cone->next = fathom_memory_alloc(context, d + 1, sizeof *cone->next);
    cone->factor = fathom_memory_alloc(context, (d + 1) * (d + 1), sizeof *cone->factor);
    cone->member = fathom_memory_alloc(context, d + 1, sizeof *cone->member);
    cone->barred = fathom_memory_alloc(context, n, sizeof *cone->barred);
    if (!cone->norm || !cone->next || !cone->factor || !cone->member || !cone->barred)
        return FATHOM_ERROR_MEMORY;
    cone->lambda = cone->norm + n;
    cone->slack = cone->lambda + n;
    for (int64_t i = 0; i < n; i++)
        cone->norm[i] = fathom_blas_norm(a + i * d, d);
    return FATHOM_OK;
}

void fathom_halfspaces_close(fathom_halfspaces *cone)
{
    if (!cone->context)
        return;
    fathom_memory_free(cone->context, cone->norm);
    fathom_memory_free(cone->context, cone->next);
    fathom_memory_free(cone->context, cone->factor);
    fathom_memory_free(cone->context, cone->member);
    fathom_memory_free(cone->context, cone->barred);
    *cone = (fathom_halfspaces){0};
}

/* next = argmin |g + A_S'next|; false where the rows of S are dependent to rounding. */
static bool solve(fathom_halfspaces *cone, int64_t count, const double *g)
{
    const int64_t d = cone->d;
    for (int64_t k = 0; k < count; k++) {
        const double *row = cone->a + cone->member[k] * d;
        for (int64_t l = 0; l <= k; l++)
            cone->factor[k * count + l] = fathom_blas_dot(row, cone->a + cone->member[l] * d, d);
        cone->next[k] = -fathom_blas_dot(row, g, d);
    }
    if (count > d || fathom_blas_cholesky(cone->factor, count, count) != 0)
        return false;
    for (int64_t k = 0; k < count; k++) /* sin of the angle to the span of those before */
        if (!(cone->factor[k * count + k] > 1e-7 * cone->norm[cone->member[k]]))
            return false;
    fathom_blas_cholesky_solve(cone->next, 1, cone->factor, count, count, 1);
    return true;
}

/* Moves lambda towards `next` until the first member reaches 0; it leaves, the order of the others stays. */
static int64_t shrink(fathom_halfspaces *cone, int64_t count)
{
    double t = INFINITY;
    int64_t leaves = 0;
    for (int64_t k = 0; k < count; k++) {
        const double now = cone->lambda[cone->member[k]], step = now / (now - cone->next[k]);
        if (!(cone->next[k] > 0) && (step < t || !(step >= 0))) {
            t = step >= 0 ? step : 0; /* 0/0: it is at 0 already */
            leaves = k;
        }
    }
    for (int64_t k = 0; k < count; k++)
        cone->lambda[cone->member[k]] += t * (cone->next[k] - cone->lambda[cone->member[k]]);
    cone->lambda[cone->member[leaves]] = 0;
    cone->barred[cone->member[leaves]] = false;
    memmove(cone->member + leaves, cone->member + leaves + 1,
            (size_t)(count - 1 - leaves) * sizeof *cone->member);
    return count - 1;
}

/* x = g + A_S'lambda_S. */
static void place(double *x, const fathom_halfspaces *cone, int64_t count, const double *g)
{
    memcpy(x, g, (size_t)cone->d * sizeof *x);
    for (int64_t k = 0; k < count; k++)
        fathom_blas_axpy(x, cone->lambda[cone->member[k]], cone->a + cone->member[k] * cone->d, cone->d);
}

/* The row outside S that is violated most; -1 where none is. */
static int64_t find_violated(fathom_halfspaces *cone, const double *x, double size)
{
    const double small = TOLERANCE * (double)(cone->d + 8) * 0x1p-53 * size;
    double worst = -small;
    int64_t found = -1;
    fathom_blas_gemv(cone->slack, cone->n, cone->d, 1, fathom_plain(cone->a, cone->d), x, 0);
    for (int64_t i = 0; i < cone->n; i++)
        if (!cone->barred[i] && cone->slack[i] < worst * cone->norm[i]) {
            worst = cone->slack[i] / cone->norm[i];
            found = i;
        }
    return found;
}

/* Least squares on S with all multipliers positive; false where the newest member depends on the others. */
static bool settle(fathom_halfspaces *cone, int64_t *count, const double *g)
{
    while (*count > 0) {
        bool positive = true;
        if (!solve(cone, *count, g))
            return false;
        for (int64_t k = 0; k < *count; k++)
            positive = positive && cone->next[k] > 0;
        if (positive) {
            for (int64_t k = 0; k < *count; k++)
                cone->lambda[cone->member[k]] = cone->next[k];
            return true;
        }
        *count = shrink(cone, *count);
    }
    return true;
}

double fathom_halfspaces_project(double *x, fathom_halfspaces *cone, const double *g)
{
    const double size = fathom_blas_norm(g, cone->d);
    int64_t count = 0;
    memset(cone->lambda, 0, (size_t)cone->n * sizeof *cone->lambda);
    for (int64_t i = 0; i < cone->n; i++)
        cone->barred[i] = !(cone->norm[i] > 0);
    place(x, cone, 0, g);
    const int64_t most = 10 * (cone->n + cone->d);
    for (cone->steps = 0; cone->steps < most; cone->steps++) {
        const int64_t found = find_violated(cone, x, size);
        if (found < 0)
            break;
        cone->member[count++] = found;
        const double before = fathom_blas_norm(x, cone->d);
        if (!settle(cone, &count, g)) { /* it depends on the others; it is still the last */
            cone->lambda[found] = 0;
            count--;
            settle(cone, &count, g);
        }
        place(x, cone, count, g);
        /* A row without which nothing gets nearer to the cone would come back for ever. */
        cone->barred[found] = cone->lambda[found] > 0 || !(fathom_blas_norm(x, cone->d) < before);
    }
    const double norm = fathom_blas_norm(x, cone->d);
    return norm > TOLERANCE * (double)(cone->d + 8) * 0x1p-53 * size ? norm : 0;
}

double fathom_halfspaces_bound(const fathom_halfspaces *cone, const double *x, const double *g)
{
    double size = fathom_blas_norm(g, cone->d);
    int64_t count = 0;
    for (int64_t i = 0; i < cone->n; i++) {
        size += cone->lambda[i] * cone->norm[i];
        count += cone->lambda[i] > 0;
    }
    return fathom_blas_norm(x, cone->d) + (double)(count + cone->d + 8) * 0x1p-52 * size;
}
