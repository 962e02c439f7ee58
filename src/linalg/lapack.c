/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factorisations over LAPACKE, without transposing copies.
 *
 * LAPACK is column-major: the row-major A (rows x columns) is its A' (columns x rows). So
 *   QR         A' = L Q (dgelqf)  gives A = Q' L', with Q' and R = L' already row-major;
 *   SVD        A' = U1 S V1'      gives A = V1 S U1', with V1 and U1' already row-major;
 *   eigen      column-major eigenvectors are the rows of the row-major result.
 * The _work entry points take their workspace from here, that is, from the context's allocator.
 * The BLAS below runs on the calling thread while they are at work (blas_library.h).
 * Sizes are narrowed to the int of LAPACK in one place, checked.
 */
#include "blas.h"

#include <limits.h>

#include <lapacke.h>

#include "context_internal.h"
#include "lapack_room.h"
#include "library_memory.h"
#include "memory.h"

/* narrowed[k] = size[k] for k < count; false where one is negative or exceeds INT_MAX. */
static bool narrow(int *narrowed, const int64_t *size, int count)
{
    for (int k = 0; k < count; k++) {
        if (size[k] < 0 || size[k] > INT_MAX)
            return false;
        narrowed[k] = (int)size[k];
    }
    return true;
}

static fathom_status refuse_size(fathom_context *context, int64_t rows, int64_t columns)
{
    return fathom_error_set(context, FATHOM_ERROR_MEMORY, "a matrix of %lld x %lld is too large to factorise",
                            (long long)rows, (long long)columns);
}

static fathom_status judge(fathom_context *context, int info, const char *what)
{
    if (info == 0)
        return FATHOM_OK;
    return fathom_error_set(context, FATHOM_ERROR_RUNTIME, "%s did not converge (LAPACK info %d)", what,
                            info);
}

static fathom_status eigen_inside(double *value, double *a, int64_t ld, int64_t n, bool vectors,
                                  fathom_context *context)
{
    if (n <= 0)
        return FATHOM_OK;
    const int64_t size[] = {n, ld, vectors ? 1 + 6 * n + 2 * n * n : 1 + 2 * n, vectors ? 3 + 5 * n : 1};
    int s[4];
    if (n > INT32_MAX || !narrow(s, size, 4))
        return refuse_size(context, n, n);
    double *work = fathom_memory_alloc(context, size[2], sizeof(double));
    lapack_int *integers = fathom_memory_alloc(context, size[3], sizeof(lapack_int));
    fathom_status status = FATHOM_ERROR_MEMORY;
    if (work && integers)
        status = judge(context,
                       LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, vectors ? 'V' : 'N', 'U', s[0], a, s[1], value,
                                           work, s[2], integers, s[3]),
                       "the symmetric eigenvalue iteration");
    fathom_memory_free(context, work);
    fathom_memory_free(context, integers);
    return status;
}

fathom_status fathom_blas_eigen(double *value, double *a, int64_t ld, int64_t n, bool vectors,
                                fathom_context *context)
{
    if (!fathom_lapack_enter())
        return fathom_lapack_refuse(context);
    const fathom_status status = eigen_inside(value, a, ld, n, vectors, context);
    fathom_lapack_leave();
    return status;
}

int64_t fathom_blas_eigen_work(int64_t n) { return 34 * n; }

bool fathom_blas_eigen_run(double *value, double *a, int64_t ld, int64_t n, double *work)
{
    const int64_t size[] = {n, ld, fathom_blas_eigen_work(n)};
    int s[3];
    if (!narrow(s, size, 3))
        return false;
    if (!fathom_lapack_enter()) {
        fathom_library_memory_refuse();
        return false;
    }
    const int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', s[0], a, s[1], value, work, s[2]);
    fathom_lapack_leave();
    return info == 0;
}

/* R (n x n upper, packed) = the lower triangle that dgelqf left in column-major A', read row-major. */
static void copy_upper(double *r, const double *a, int64_t ld, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            r[i * n + j] = j >= i ? a[i * ld + j] : 0;
}

static fathom_status qr_inside(double *a, int64_t ld, double *r, int64_t rows, int64_t columns,
                               fathom_context *context)
{
    if (rows < columns)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "QR needs at least as many rows as columns");
    if (columns <= 0)
        return FATHOM_OK;
    const int64_t block = 64; /* columns handled together; LAPACK uses 32 or 64 */
    const int64_t size[] = {rows, columns, ld, columns * block};
    int s[4];
    if (!narrow(s, size, 4))
        return refuse_size(context, rows, columns);
    double *tau = fathom_memory_alloc(context, columns, sizeof(double));
    double *work = fathom_memory_alloc(context, size[3], sizeof(double));
    fathom_status status = FATHOM_ERROR_MEMORY;
    if (!tau || !work)
        goto done;
    status =
        judge(context, LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, s[1], s[0], a, s[2], tau, work, s[3]), "QR");
    if (status != FATHOM_OK)
        goto done;
    if (r)
        copy_upper(r, a, ld, columns);
    status = judge(context, LAPACKE_dorglq_work(LAPACK_COL_MAJOR, s[1], s[0], s[1], a, s[2], tau, work, s[3]),
                   "QR");
done:
    fathom_memory_free(context, tau);
    fathom_memory_free(context, work);
    return status;
}

fathom_status fathom_blas_qr(double *a, int64_t ld, double *r, int64_t rows, int64_t columns,
                             fathom_context *context)
{
    if (!fathom_lapack_enter())
        return fathom_lapack_refuse(context);
    const fathom_status status = qr_inside(a, ld, r, rows, columns, context);
    fathom_lapack_leave();
    return status;
}

static fathom_status svd_inside(double *s, double *u, double *vt, double *a, int64_t ld, int64_t rows,
                                int64_t columns, fathom_context *context)
{
    const int64_t k = rows < columns ? rows : columns;
    if (k <= 0)
        return FATHOM_OK;
    const int64_t size[] = {rows, columns, ld, k};
    int t[4], length;
    if (!narrow(t, size, 4))
        return refuse_size(context, rows, columns);
    const char job = u && vt ? 'S' : 'N';
    double best = 0; /* the workspace that dgesdd asks for */
    LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, t[1], t[0], a, t[2], s, vt, t[1], u, t[3], &best, -1, NULL);
    const int64_t wanted = (int64_t)best;
    if (!narrow(&length, &wanted, 1))
        return refuse_size(context, rows, columns);
    double *work = fathom_memory_alloc(context, wanted, sizeof(double));
    lapack_int *integers = fathom_memory_alloc(context, 8 * k, sizeof(lapack_int));
    fathom_status status = FATHOM_ERROR_MEMORY;
    if (work && integers)
        status = judge(context,
                       LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, t[1], t[0], a, t[2], s, vt, t[1], u, t[3],
                                           work, length, integers),
                       "the singular value iteration");
    fathom_memory_free(context, work);
    fathom_memory_free(context, integers);
    return status;
}

fathom_status fathom_blas_svd(double *s, double *u, double *vt, double *a, int64_t ld, int64_t rows,
                              int64_t columns, fathom_context *context)
{
    if (!fathom_lapack_enter())
        return fathom_lapack_refuse(context);
    const fathom_status status = svd_inside(s, u, vt, a, ld, rows, columns, context);
    fathom_lapack_leave();
    return status;
}
