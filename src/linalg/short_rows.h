/* SPDX-License-Identifier: Apache-2.0 */
/* Many short rows against small matrices, and Schatten norms of these; see short_rows.c. */
#ifndef FATHOM_SHORT_ROWS_H
#define FATHOM_SHORT_ROWS_H

#include <stdint.h>

#include "fathom/context.h"

#define FATHOM_SHORT_LANES 8

/* Rows of d numbers stand `ld` apart, the smallest multiple of 8 that is at least d; what is beyond d is
 * 0. */
static inline int64_t fathom_short_stride(int64_t d) { return (d + 7) / 8 * 8; }

/* Inner product of padded rows: partial sums in a fixed order. */
static inline double fathom_short_dot(const double *x, const double *y, int64_t ld)
{
    double sum[FATHOM_SHORT_LANES] = {0};
    for (int64_t t = 0; t < ld; t += FATHOM_SHORT_LANES)
        for (int l = 0; l < FATHOM_SHORT_LANES; l++)
            sum[l] += x[t + l] * y[t + l];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* Where a context is given these end early, with anything in their results, once it is overdue
 * (fathom_context_overdue): callers look at that before they use them. NULL: never. */

/* y (rows x ld) = a (rows x ld) m, m d x ld. y is none of the others. */
void fathom_short_multiply(double *y, const double *a, const double *m, int64_t rows, int64_t d, int64_t ld,
                           const fathom_context *context);

/* s (ld x ld) = sum over rows of a_r a_r'; entries beyond d are 0. */
void fathom_short_gram(double *s, const double *a, int64_t rows, int64_t d, int64_t ld,
                       const fathom_context *context);

/* Schatten norm of order q = 2^doublings + 1 of a positive semidefinite s (ld x ld, d used): returns log
 * |s|_q, and fills w (ld x ld) = (s / |s|_q)^(q - 1), its derivative by s. work: ld x ld, may not overlap.
 * -INFINITY where s = 0, INFINITY or NaN where it is not finite; w is then undefined. */
double fathom_short_schatten(double *w, const double *s, int64_t d, int64_t ld, int doublings, double *work,
                             const fathom_context *context);

#endif
