/* SPDX-License-Identifier: Apache-2.0 */
/* Products of many rows with narrow matrices in single precision; see float_rows.c. */
#ifndef FATHOM_FLOAT_ROWS_H
#define FATHOM_FLOAT_ROWS_H

#include <stdint.h>

/* Widths are multiples of this many numbers. */
#define FATHOM_FLOAT_LANES 8

/* So many numbers behind the last of x, h and u may be read (and not used): room to allocate. */
#define FATHOM_FLOAT_ROOM 64

static inline int64_t fathom_float_width(int64_t columns)
{
    return (columns + FATHOM_FLOAT_LANES - 1) / FATHOM_FLOAT_LANES * FATHOM_FLOAT_LANES;
}

/* h (rows x width) = x (rows x d) u, u d x width. h is none of the others. */
void fathom_float_multiply(float *h, const float *x, const float *u, int64_t rows, int64_t d, int64_t width);

/* g (d x width) += x' h, x rows x d, h rows x width: the rows' sum is formed first, then added. */
void fathom_float_multiply_transposed(float *g, const float *x, const float *h, int64_t rows, int64_t d,
                                      int64_t width);

/* <x, y> of `count` numbers, products and partial sums in double, in a fixed order. */
double fathom_float_dot(const float *x, const float *y, int64_t count);

/* <x, y> of a multiple of FATHOM_FLOAT_LANES numbers, in single precision and in a fixed order. */
float fathom_float_dot_lanes(const float *x, const float *y, int64_t width);

/* y += a x. */
void fathom_float_axpy(float *y, float a, const float *x, int64_t count);

/* z_j = sum_k x_k h_kj, four rows of h (d x width) at a time: ((x0 h0 + x1 h1) + (x2 h2 + x3 h3)), each sum added to z. */
void fathom_float_project(float *z, const float *h, const float *x, int64_t d, int64_t width);

/* h_kj += x_k force_j. */
void fathom_float_push(float *h, const float *force, const float *x, int64_t d, int64_t width);

#endif
