/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factorisations over LAPACKE, without transposing copies.
 *
 * LAPACK is column-major: the row-major A (rows x columns) is its A' (columns x rows). So
 *   QR         A' = L Q (dgelqf)  gives A = Q' L', with Q' and R = L' already row-major;
 *   SVD        A' = U1 S V1'      gives A = V1 S U1', with V1 and U1' already row-major;
 *   eigen      column-major eigenvectors are the rows of the row-major result.
 * The _work entry points take their workspace from here, that is, from the context's allocator.
 * The BLAS below runs on one thread while they are at work (blas_library.h); long calls are given up where a
 * limit is overdue (lapack_call.h).
 * Sizes are narrowed to the int of LAPACK in one place, checked.
 */
#include "blas.h"

#include <limits.h>

#include <lapacke.h>

#include "context_internal.h"
#include "lapack_call.h"
#include "lapack_room.h"
#include "library_memory.h"

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

/* Doubles between the first and the last entry of a matrix, and those that hold so many integers. */
static int64_t span(int64_t rows, int64_t columns, int64_t ld)
{
    return rows > 0 ? (rows - 1) * ld + columns : 0;
}
static int64_t integers(int64_t count) { return (count * (int64_t)sizeof(lapack_int) + 7) / 8; }

static double cube(int64_t n) { return (double)n * (double)n * (double)n; }

static int run_eigen(fathom_lapack_call *call)
{
    const fathom_lapack_block *b = call->block;
    const int *s = call->size;
    return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, call->job, 'U', s[0], b[0].at, s[1], b[1].at, b[2].at, s[2],
                               (lapack_int *)b[3].at, s[3]);
}

fathom_status fathom_blas_eigen(double *value, double *a, int64_t ld, int64_t n, bool vectors,
                                fathom_context *context)
{
    if (n <= 0)
        return FATHOM_OK;
    const int64_t size[] = {n, ld, vectors ? 1 + 6 * n + 2 * n * n : 1 + 2 * n, vectors ? 3 + 5 * n : 1};
    fathom_lapack_call call = {
        .run = run_eigen,
        .job = vectors ? 'V' : 'N',
        .block = {{a, span(n, n, ld), true, true},
                  {value, n, false, true},
                  {NULL, size[2], false, false},
                  {NULL, integers(size[3]), false, false}},
    };
    if (n > INT32_MAX || !narrow(call.size, size, 4))
        return refuse_size(context, n, n);
    return fathom_lapack_run(&call, cube(n) * (vectors ? 9 : 4. / 3), "the symmetric eigenvalue iteration",
                             context);
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

static int run_qr(fathom_lapack_call *call)
{
    const fathom_lapack_block *b = call->block; /* A, R, tau, workspace */
    const int *s = call->size;                  /* rows, columns, ld, length of the workspace */
    int info = LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, s[1], s[0], b[0].at, s[2], b[2].at, b[3].at, s[3]);
    if (info != 0)
        return info;
    if (b[1].at)
        copy_upper(b[1].at, b[0].at, s[2], s[1]);
    return LAPACKE_dorglq_work(LAPACK_COL_MAJOR, s[1], s[0], s[1], b[0].at, s[2], b[2].at, b[3].at, s[3]);
}

fathom_status fathom_blas_qr(double *a, int64_t ld, double *r, int64_t rows, int64_t columns,
                             fathom_context *context)
{
    const int64_t panel = 64; /* columns handled together; LAPACK uses 32 or 64 */
    const int64_t size[] = {rows, columns, ld, columns * panel};
    if (rows < columns)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "QR needs at least as many rows as columns");
    if (columns <= 0)
        return FATHOM_OK;
    fathom_lapack_call call = {
        .run = run_qr,
        .block = {{a, span(rows, columns, ld), true, true},
                  {r, r ? columns * columns : 0, false, true},
                  {NULL, columns, false, false},
                  {NULL, size[3], false, false}},
    };
    if (!narrow(call.size, size, 4))
        return refuse_size(context, rows, columns);
    return fathom_lapack_run(&call, 4. * (double)rows * (double)columns * (double)columns, "QR", context);
}

static int run_svd(fathom_lapack_call *call)
{
    const fathom_lapack_block *b = call->block; /* A, S, U, V', workspace, integers */
    const int *t = call->size;                  /* rows, columns, ld, the smaller, length of the workspace */
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, call->job, t[1], t[0], b[0].at, t[2], b[1].at, b[3].at, t[1],
                               b[2].at, t[3], b[4].at, t[4], (lapack_int *)b[5].at);
}

/* The length of the workspace that dgesdd asks for. */
static int64_t svd_length(const fathom_lapack_call *call)
{
    const int *t = call->size;
    double best = 0;
    LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, call->job, t[1], t[0], call->block[0].at, t[2], call->block[1].at,
                        call->block[3].at, t[1], call->block[2].at, t[3], &best, -1, NULL);
    return (int64_t)best;
}

fathom_status fathom_blas_svd(double *s, double *u, double *vt, double *a, int64_t ld, int64_t rows,
                              int64_t columns, fathom_context *context)
{
    const int64_t k = rows < columns ? rows : columns;
    const int64_t size[] = {rows, columns, ld, k};
    const bool vectors = u && vt;
    if (k <= 0)
        return FATHOM_OK;
    fathom_lapack_call call = {
        .run = run_svd,
        .job = vectors ? 'S' : 'N',
        .block = {{a, span(rows, columns, ld), true, true},
                  {s, k, false, true},
                  {u, u ? rows * k : 0, false, true},
                  {vt, vt ? k * columns : 0, false, true},
                  {NULL, 0, false, false},
                  {NULL, integers(8 * k), false, false}},
    };
    if (!narrow(call.size, size, 4))
        return refuse_size(context, rows, columns);
    const int64_t wanted = svd_length(&call);
    if (!narrow(call.size + 4, &wanted, 1))
        return refuse_size(context, rows, columns);
    call.block[4].count = wanted;
    return fathom_lapack_run(&call, (double)rows * (double)columns * (double)k * (vectors ? 8 : 4),
                             "the singular value iteration", context);
}
