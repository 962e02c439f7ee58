/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's storage and the tile that fills matrices, for the files of this layer. */
#ifndef FATHOM_KERNEL_INTERNAL_H
#define FATHOM_KERNEL_INTERNAL_H

#include "fathom/kernel.h"
#include "fathom/net.h"

enum { KERNEL_TILE = 256 };

/* Points as unit vectors and norms; a zero point has the zero vector. */
typedef struct kernel_points {
    int64_t n, d;
    double *unit; /* n x d */
    double *norm; /* n */
} kernel_points;

struct fathom_kernel {
    fathom_context *context;
    kernel_points points;
    fathom_kernel_options options;
    /* Finite width: openness of gates by point, so that sums over gates are population counts or products. */
    int64_t gates;   /* columns of `open` or bits of `bits` per point; 0: infinite width */
    int64_t words;   /* 64-bit words per point */
    uint64_t *bits;  /* n x words, equal weights 1/gates; NULL where `open` is used */
    double *open;    /* n x gates: 1[..] sqrt(rho_j); NULL where `bits` is used */
    double *feature; /* n x gates: relu(<v_j, x_i>) / sqrt(gates); NULL unless both layers are trained */
};

/* Reads points from data or a view of it, dense or sparse. */
fathom_status fathom_kernel_points_view(kernel_points *points, fathom_context *context,
                                        const fathom_data_view *view);
void fathom_kernel_points_free(kernel_points *points, fathom_context *context);

/* Fills the finite-width parts. */
fathom_status fathom_kernel_sample_gates(fathom_kernel *kernel, const fathom_data *data);
fathom_status fathom_kernel_take_gates(fathom_kernel *kernel, const fathom_gates *gates, int64_t draws);

/* tile (rows x columns, leading dimension KERNEL_TILE) = kernel of rows a0.. of `a` against rows b0.. of the kernel's
 * own points; `cosine` is workspace of the same shape. At finite width `a` must be the kernel's points. */
void fathom_kernel_tile(double *tile, double *cosine, const fathom_kernel *kernel, const kernel_points *a,
                        int64_t a0, int64_t rows, int64_t b0, int64_t columns);

/* fathom_net_forward_view of a network of kind ntk. */
fathom_status fathom_kernel_forward(double *out, const fathom_net *net, const fathom_data_view *view);

#endif
