/* SPDX-License-Identifier: Apache-2.0 */
/* Data on which rounding matters: columns of other sizes, rows that are dependent or parallel up to their last bits. */
#ifndef FATHOM_TEST_AWKWARD_H
#define FATHOM_TEST_AWKWARD_H

#include "portable.h"

/* Points whose last column is `scale` times smaller than the others. */
static inline double *awkward_scaled(int64_t n, int64_t d, uint64_t seed, double scale)
{
    double *x = portable_points(n, d, seed);
    for (int64_t i = 0; i < n; i++)
        x[i * d + d - 1] *= scale;
    return x;
}

/* Points whose last column is the sum of the first two up to rounding: rank d - 1 on paper, d in doubles. */
static inline double *awkward_dependent(int64_t n, int64_t d, uint64_t seed)
{
    double *x = portable_points(n, d, seed);
    for (int64_t i = 0; i < n; i++)
        x[i * d + d - 1] = 0.1 * x[i * d] + 0.3 * x[i * d + 1];
    return x;
}

/* Pairs of points `distance` apart; with `opposite`, the second of each pair is the negative of such a point. */
static inline double *awkward_pairs(int64_t n, int64_t d, uint64_t seed, double distance, bool opposite)
{
    double *x = portable_points(n, d, seed);
    for (int64_t i = 1; i < n; i += 2)
        for (int64_t k = 0; k < d; k++)
            x[i * d + k] = (opposite ? -1 : 1) * (x[(i - 1) * d + k] + distance * x[i * d + k]);
    return x;
}

/* The grid {0, 1/(size-1), ..}^2 with a column of ones, in doubles: size^2 points in R^3. */
static inline double *awkward_grid(int64_t size)
{
    double *x = malloc((size_t)(3 * size * size) * sizeof *x);
    for (int64_t i = 0; i < size * size; i++) {
        x[3 * i] = (double)(i / size) / (double)(size - 1);
        x[3 * i + 1] = (double)(i % size) / (double)(size - 1);
        x[3 * i + 2] = 1;
    }
    return x;
}

#endif
