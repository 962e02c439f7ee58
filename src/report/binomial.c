/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clopper and Pearson: the upper bound is the p with P(X <= k) = 1 - confidence, the lower one the p with P(X
 * >= k) = 1 - confidence; both by bisection, which ends on the outer side. Terms are summed upwards from exp
 * of their logarithms; cost: n terms per look, about 60 looks.
 */
#include "binomial.h"

#include <math.h>
#include <stdbool.h>

enum { HALVINGS = 60 };

/* ln of C(n, j) p^j (1 - p)^(n - j), 0 < p < 1. */
static double log_term(int64_t j, int64_t n, double p)
{
    const double a = (double)j, b = (double)(n - j);
    return lgamma(a + b + 1) - lgamma(a + 1) - lgamma(b + 1) + a * log(p) + b * log1p(-p);
}

double fathom_binomial_below(int64_t k, int64_t n, double p)
{
    double sum = 0;
    if (k < 0)
        return 0;
    if (k >= n || p <= 0)
        return 1;
    if (p >= 1)
        return 0;
    for (int64_t j = 0; j <= k; j++)
        sum += exp(log_term(j, n, p));
    return fmin(sum, 1);
}

/* The p with P(X <= k) = alpha, from above: the probability falls as p rises. */
static double upper(int64_t k, int64_t n, double alpha)
{
    double inside = 0, outside = 1;
    for (int step = 0; step < HALVINGS && k < n; step++) {
        const double p = (inside + outside) / 2;
        *(fathom_binomial_below(k, n, p) > alpha ? &inside : &outside) = p;
    }
    return outside;
}

void fathom_binomial_bounds(double *low, double *high, int64_t k, int64_t n, double confidence)
{
    *high = n > 0 ? upper(k, n, 1 - confidence) : 1;
    *low = n > 0 ? 1 - upper(n - k, n, 1 - confidence) : 0;
}

int64_t fathom_binomial_median_rank(int64_t n, double confidence)
{
    int64_t r = 0;
    while (r < n && fathom_binomial_below(r, n, 0.5) <= 1 - confidence)
        r++;
    return r;
}
