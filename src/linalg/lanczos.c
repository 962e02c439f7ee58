/* SPDX-License-Identifier: Apache-2.0 */
/* The largest eigenvalue of a symmetric operator; see lanczos.h. */
#include "lanczos.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "random.h"

/* The Krylov basis and its tridiagonal matrix, T = Q A Q'. */
typedef struct krylov {
    int64_t n, steps, used;
    double *basis;    /* (steps + 1) x n, orthonormal rows */
    double *diagonal; /* steps */
    double *side;     /* steps: side[k] = |component of A q_k outside the first k + 1 rows| */
    double *small;    /* steps x steps: T, then its eigenvectors */
    double *value;    /* steps */
} krylov;

static void krylov_free(krylov *k, fathom_context *context)
{
    FATHOM_FREE(context, k->basis, k->diagonal, k->side, k->small, k->value);
}

static fathom_status krylov_init(krylov *k, fathom_context *context, int64_t n, int64_t steps)
{
    *k = (krylov){.n = n, .steps = steps};
    k->basis = fathom_memory_alloc(context, (steps + 1) * n, sizeof *k->basis);
    k->diagonal = fathom_memory_alloc(context, steps, sizeof *k->diagonal);
    k->side = fathom_memory_alloc(context, steps, sizeof *k->side);
    k->small = fathom_memory_alloc(context, steps * steps, sizeof *k->small);
    k->value = fathom_memory_alloc(context, steps, sizeof *k->value);
    if (!k->basis || !k->diagonal || !k->side || !k->small || !k->value)
        return FATHOM_ERROR_MEMORY;
    fathom_random_normals(k->basis, n, fathom_context_seed(context), FATHOM_STREAM_START, 0, 0);
    fathom_blas_scale(k->basis, 1 / fathom_blas_norm(k->basis, n), n);
    return FATHOM_OK;
}

/* One application: the next row of the basis, orthogonalised twice. False where the space is exhausted. */
static bool extend(krylov *k, fathom_operator apply, void *user)
{
    const int64_t j = k->used++, n = k->n;
    double *next = k->basis + (j + 1) * n;
    apply(next, k->basis + j * n, user);
    const double size = fathom_blas_norm(next, n);
    k->diagonal[j] = fathom_blas_dot(next, k->basis + j * n, n);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i <= j; i++)
            fathom_blas_axpy(next, -fathom_blas_dot(next, k->basis + i * n, n), k->basis + i * n, n);
    k->side[j] = fathom_blas_norm(next, n);
    if (!(k->side[j] > 16 * 0x1p-52 * size))
        return false;
    fathom_blas_scale(next, 1 / k->side[j], n);
    return true;
}

/* Largest eigenpair of T: *theta, its vector in row used - 1 of `small`. Returns the residual. */
static fathom_status ritz(double *theta, double *residual, krylov *k, fathom_context *context)
{
    const int64_t m = k->used;
    memset(k->small, 0, (size_t)(m * m) * sizeof *k->small);
    for (int64_t i = 0; i < m; i++) {
        k->small[i * m + i] = k->diagonal[i];
        if (i + 1 < m)
            k->small[i * m + i + 1] = k->small[(i + 1) * m + i] = k->side[i];
    }
    FATHOM_TRY(fathom_blas_eigen(k->value, k->small, m, m, true, context));
    *theta = k->value[m - 1];
    *residual = fabs(k->side[m - 1] * k->small[(m - 1) * m + m - 1]);
    return FATHOM_OK;
}

/* vector = Q' s, normalised. */
static void assemble(double *vector, const krylov *k)
{
    const int64_t m = k->used;
    memset(vector, 0, (size_t)k->n * sizeof *vector);
    for (int64_t i = 0; i < m; i++)
        fathom_blas_axpy(vector, k->small[(m - 1) * m + i], k->basis + i * k->n, k->n);
    fathom_blas_scale(vector, 1 / fathom_blas_norm(vector, k->n), k->n);
}

fathom_status fathom_lanczos_largest(double *theta, double *vector, fathom_operator apply, void *user,
                                     int64_t n, int64_t steps, double tolerance, fathom_context *context)
{
    krylov k;
    const int64_t most = steps < n ? steps : n;
    fathom_status status = krylov_init(&k, context, n, most);
    bool going = true;
    while (status == FATHOM_OK && going && k.used < most) {
        going = extend(&k, apply, user);
        if (going && k.used % 5 != 0 && k.used < most)
            continue;
        double residual = INFINITY;
        status = ritz(theta, &residual, &k, context);
        going = going && residual > tolerance * fabs(*theta) &&
                fathom_context_poll(context, "eigenvalues", k.used, *theta, NAN) == FATHOM_STOP_NONE;
    }
    if (status == FATHOM_OK)
        assemble(vector, &k);
    krylov_free(&k, context);
    return status;
}
