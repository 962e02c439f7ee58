/* SPDX-License-Identifier: Apache-2.0 */
/* Sums in a fixed order, with error bounds that hardly grow or do not grow with the number of terms. */
#ifndef FATHOM_SUM_H
#define FATHOM_SUM_H

#include <stdint.h>

/* Pairwise sum: error at most (log2(count) + 8) u sum |x_k| to first order. */
double fathom_sum(const double *x, int64_t count);

/* ln sum_k e^{x_k}, no overflow: -inf for count = 0 or all -inf, +inf where a term is; NaN where a term is.
 * With weights w_k >= 0 (or NULL for ones): ln sum_k w_k e^{x_k}. */
double fathom_sum_log(const double *x, const double *weight, int64_t count);

/* start + sum_k x_k y_k: the value, and in *low what rounding leaves of it; both together within about
 * count^2 2^-105 of the sum of the terms' sizes. */
double fathom_dot_long(double *low, const double *x, const double *y, int64_t count, double start);

/* Adds the product of a and b + b_low to *high + *low, with the same accuracy. */
void fathom_add_long(double *high, double *low, double a, double b, double b_low);

#endif
