/* SPDX-License-Identifier: Apache-2.0 */
/* The binomial distribution, and what k of n draws say about the share of all draws. */
#ifndef FATHOM_BINOMIAL_H
#define FATHOM_BINOMIAL_H

#include <stdint.h>

/* P(X <= k) for X ~ Bin(n, p). */
double fathom_binomial_below(int64_t k, int64_t n, double p);

/* Where k of n independent draws succeeded, bounds of the probability of success: each is wrong with a
 * probability of at most 1 - confidence, whatever that probability is [Clopper and Pearson 1934]. No draws: 0
 * and 1. */
void fathom_binomial_bounds(double *low, double *high, int64_t k, int64_t n, double confidence);

/* The largest r >= 0 with P(X < r) <= 1 - confidence for X ~ Bin(n, 1/2): the r-th smallest and the r-th
 * largest of n draws are bounds of the median of their distribution at that confidence; 0: there is none. */
int64_t fathom_binomial_median_rank(int64_t n, double confidence);

#endif
