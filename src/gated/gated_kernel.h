/* SPDX-License-Identifier: Apache-2.0 */
/* K of sparse points as a matrix, for few points of many columns; see gated_kernel.c. */
#ifndef FATHOM_GATED_KERNEL_H
#define FATHOM_GATED_KERNEL_H

#include "objective.h"

enum { FATHOM_KERNEL_SIDE = 256 };

/* Tiles of SIDE x SIDE numbers: right of the diagonal and on it those of X X', left of it those of K, whose
 * own diagonal tiles are beside. Owned. */
typedef struct fathom_gated_kernel {
    int64_t n;
    double *matrix;   /* n x n; NULL: there is none */
    double *diagonal; /* n x SIDE: row i of its tile of K */
} fathom_gated_kernel;

/* Whether products with K as a matrix cost less than those with sparse rows, gate by gate. */
bool fathom_gated_kernel_pays(const fathom_objective *p);
double fathom_gated_kernel_bytes(const fathom_objective *p);

/* X X'; ERROR_STOPPED where a limit is overdue meanwhile. */
fathom_status fathom_gated_kernel_create(fathom_gated_kernel *kernel, const fathom_objective *p, int threads);
void fathom_gated_kernel_clear(fathom_gated_kernel *kernel, fathom_context *context);

/* K = sum_j size_j D_j X X' D_j over gate[0..count). */
fathom_status fathom_gated_kernel_fill(fathom_gated_kernel *kernel, const fathom_objective *p, int64_t count,
                                       const int64_t *gate, const double *size, int threads);

/* out (outputs x n) = v K. */
void fathom_gated_kernel_times(double *out, const fathom_gated_kernel *kernel, const double *v,
                               int64_t outputs, int threads);

/* K_il. */
static inline double fathom_gated_kernel_at(const fathom_gated_kernel *kernel, int64_t i, int64_t l)
{
    if (i / FATHOM_KERNEL_SIDE == l / FATHOM_KERNEL_SIDE)
        return kernel->diagonal[i * FATHOM_KERNEL_SIDE + l % FATHOM_KERNEL_SIDE];
    return i > l ? kernel->matrix[i * kernel->n + l] : kernel->matrix[l * kernel->n + i];
}

#endif
