/* SPDX-License-Identifier: Apache-2.0 */
/* Points that other programs can reproduce: the instances behind the reference values of margins and cones. */
#ifndef FATHOM_PORTABLE_H
#define FATHOM_PORTABLE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Uniform numbers in (0, 1) of splitmix64. */
static inline double portable_uniform(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

/* out[0..count) by Box-Muller, cosine first. */
static inline void portable_normals(double *out, int64_t count, uint64_t seed)
{
    uint64_t state = seed;
    for (int64_t k = 0; k < count; k += 2) {
        const double r = sqrt(-2 * log(portable_uniform(&state)));
        const double t = 2 * acos(-1) * portable_uniform(&state);
        out[k] = r * cos(t);
        if (k + 1 < count)
            out[k + 1] = r * sin(t);
    }
}

/* Gives n x d Gaussian points, row-major, with rows of norm 1; to be freed. */
static inline double *portable_points(int64_t n, int64_t d, uint64_t seed)
{
    double *x = malloc((size_t)(n * d) * sizeof *x);
    portable_normals(x, n * d, seed);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < d; k++)
            sum += x[i * d + k] * x[i * d + k];
        for (int64_t k = 0; k < d; k++)
            x[i * d + k] /= sqrt(sum);
    }
    return x;
}

/* Gives the circle x_k = (cos 2 pi k / n, sin 2 pi k / n), k = 1..n, with exact antipodes for even n; to be freed. */
static inline double *circle_points(int64_t n)
{
    double *x = malloc((size_t)(2 * n) * sizeof *x);
    for (int64_t k = 1; k <= n; k++) {
        const int64_t half = n / 2;
        double *point = x + 2 * (k - 1);
        if (n % 2 == 0 && k > half) {
            point[0] = -x[2 * (k - 1 - half)];
            point[1] = -x[2 * (k - 1 - half) + 1];
        } else {
            point[0] = 4 * k == n ? 0 : cos(2 * acos(-1) * (double)k / (double)n);
            point[1] = 2 * k == n ? 0 : sin(2 * acos(-1) * (double)k / (double)n);
        }
    }
    return x;
}

#endif
