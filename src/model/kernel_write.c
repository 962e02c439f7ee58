/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel matrix to an NPY file by blocks of rows.
 *
 * Block rows of 512 points, each computed whole (tiles left of the diagonal again, mirrored: twice the work of
 * fathom_kernel_fill, the same bits) and appended. Memory: the points and 8 * 512 n bytes.
 */
#include <math.h>

#include "context_internal.h"
#include "inner/kernel.h"
#include "kernel_internal.h"
#include "memory.h"
#include "npy_internal.h"

enum { BLOCK_ROWS = 2 * KERNEL_TILE };

/* Takes rows first .. first + count into the summary; lambda_max_lower gathers 1'K1. */
static void summarize(fathom_kernel_summary *summary, const double *rows, int64_t first, int64_t count,
                      int64_t n)
{
    for (int64_t i = 0; i < count; i++) {
        double sum = 0, size = 0;
        for (int64_t j = 0; j < n; j++) {
            sum += rows[i * n + j];
            size += fabs(rows[i * n + j]);
        }
        const double own = rows[i * n + first + i];
        summary->trace += own;
        summary->lambda_min_upper = fmin(summary->lambda_min_upper, own);
        summary->lambda_max_lower += sum;
        summary->lambda_max_upper = fmax(summary->lambda_max_upper, size);
    }
}

/* Ends that hold for the stored matrix whatever the rounding of the sums. */
static void widen(fathom_kernel_summary *summary, int64_t n)
{
    const double slack = (double)(n + 4) * 0x1p-51;
    summary->lambda_max_upper *= 1 + slack;
    summary->lambda_max_lower = summary->lambda_max_lower / (double)n - slack * summary->lambda_max_upper;
}

static fathom_status write_blocks(fathom_file *file, double *block, const fathom_kernel *kernel,
                                  fathom_kernel_summary *summary)
{
    const int64_t n = kernel->points.n;
    fathom_status status = FATHOM_OK;
    for (int64_t first = 0; first < n && status == FATHOM_OK; first += BLOCK_ROWS) {
        const int64_t count = n - first < BLOCK_ROWS ? n - first : BLOCK_ROWS;
        status = fathom_kernel_fill_rows(block, n, kernel, first, count);
        FATHOM_THEN(status, fathom_file_write_doubles(file, block, n * count));
        if (status == FATHOM_OK && summary)
            summarize(summary, block, first, count, n);
        fathom_context_poll(kernel->context, "kernel rows", first + count, NAN, NAN);
    }
    return status;
}

fathom_status fathom_kernel_write(const fathom_kernel *kernel, const char *path,
                                  fathom_kernel_summary *summary)
{
    fathom_context *context = kernel->context;
    const int64_t n = kernel->points.n, shape[] = {n, n};
    char header[FATHOM_NPY_HEADER];
    fathom_file *file = NULL;
    if (summary)
        *summary = (fathom_kernel_summary){.lambda_min_upper = INFINITY};
    double *block = fathom_memory_alloc(context, BLOCK_ROWS * n, sizeof *block);
    fathom_status status = block ? fathom_file_create(&file, context, path) : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_file_write(file, header, fathom_npy_format_header(header, "<f8", 2, shape)));
    FATHOM_THEN(status, write_blocks(file, block, kernel, summary));
    if (status == FATHOM_OK)
        status = fathom_file_commit(file);
    else
        fathom_file_abort(file);
    if (summary && status == FATHOM_OK)
        widen(summary, n);
    fathom_memory_free(context, block);
    return status;
}

fathom_status fathom_kernel_write_matrix(const fathom_kernel *kernel, const char *path, const double *matrix,
                                         int64_t ld)
{
    const int64_t shape[] = {kernel->points.n, kernel->points.n};
    fathom_file *file = NULL;
    FATHOM_TRY(fathom_file_create(&file, kernel->context, path));
    fathom_status status = fathom_npy_append(file, matrix, 2, shape, ld);
    if (status == FATHOM_OK)
        return fathom_file_commit(file);
    fathom_file_abort(file);
    return status;
}
