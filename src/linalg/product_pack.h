/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of matrices copied so that the kernels of product_kernels.h read them in order. */
#ifndef FATHOM_PRODUCT_PACK_H
#define FATHOM_PRODUCT_PACK_H

#include <stdint.h>

/* Panels of `width` columns, one after the other: entry (k, j) of panel p at to[p width depth + k width + j]
 * is from[k ld + p width + j], k < depth, p < panels. */
void fathom_product_pack(double *restrict to, const double *restrict from, int64_t ld, int64_t depth,
                         int64_t width, int64_t panels);

/* The same with from[(p width + j) ld + k]: the panels of a matrix stored by columns. */
void fathom_product_pack_turned(double *restrict to, const double *restrict from, int64_t ld, int64_t depth,
                                int64_t width, int64_t panels);

/* One panel of which only `count` columns are there; the others are 0. */
void fathom_product_pack_part(double *restrict to, const double *restrict from, int64_t down, int64_t across,
                              int64_t depth, int64_t width, int64_t count);

#endif
