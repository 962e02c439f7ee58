/* SPDX-License-Identifier: Apache-2.0 */
/*
 * f_i += sum_j a_j sigma(<x_i, u_j> + b_j) over few columns (d <= 32), sigma(z) = max(z, 0) + slope min(z, 0).
 *
 * A matrix product of inner dimension d writes and reads rows x units numbers for 2 d operations on each, which costs more than
 * the operations where d is small. Here 16 rows against two units are kept in registers from the product to the sum over units. X is
 * packed column by column, so that a vector holds one column of four rows.
 *
 * Cost: 2 d + 4 operations per row and unit. Rounding: products are added in the order of columns, units in ascending pairs; an output
 * passes at most d + units + 3 roundings. The order depends on nothing but d and the units.
 */
#include "narrow.h"

#include <stdbool.h>

#include "dispatch.h"

enum { LANES = 4, VECTORS = 4, ROWS = LANES * VECTORS };

typedef double lane __attribute__((vector_size(32), may_alias));
typedef int64_t bits_lane __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

/* sum += a sigma(z + b); NaN passes. */
INLINE void add_unit(lane *restrict sum, const lane *restrict z, double b, double a, double slope,
                     const bool leaky)
{
    for (int q = 0; q < VECTORS; q++) {
        const lane shifted = z[q] + b;
        const bits_lane closed = shifted <= 0.0;
        bits_lane value = (bits_lane)shifted & ~closed;
        if (leaky)
            value |= (bits_lane)(shifted * slope) & closed;
        sum[q] += a * (lane)value;
    }
}

/* z = <x_i, u> over 16 rows, `count` (one or two) units. */
INLINE void multiply(lane (*restrict z)[VECTORS], const lane *restrict x, int64_t d, const double *restrict u,
                     int64_t ldu, const int count)
{
    for (int c = 0; c < count; c++)
        for (int q = 0; q < VECTORS; q++)
            z[c][q] = (lane){0, 0, 0, 0};
    for (int64_t k = 0; k < d; k++)
        for (int c = 0; c < count; c++)
            for (int q = 0; q < VECTORS; q++)
                z[c][q] += x[k * VECTORS + q] * u[c * ldu + k];
}

/* 16 rows, packed column by column, against all units. */
INLINE void add_all(double *restrict out, const lane *restrict x, int64_t d, const double *restrict u,
                    int64_t ldu, const double *restrict b, const double *restrict a, int64_t units,
                    double slope, const bool leaky)
{
    lane sum[VECTORS] = {{0}}, z[2][VECTORS];
    int64_t j = 0;
    for (; j + 2 <= units; j += 2) {
        multiply(z, x, d, u + j * ldu, ldu, 2);
        add_unit(sum, z[0], b ? b[j] : 0, a[j], slope, leaky);
        add_unit(sum, z[1], b ? b[j + 1] : 0, a[j + 1], slope, leaky);
    }
    if (j < units) {
        multiply(z, x, d, u + j * ldu, ldu, 1);
        add_unit(sum, z[0], b ? b[j] : 0, a[j], slope, leaky);
    }
    for (int q = 0; q < VECTORS; q++)
        for (int l = 0; l < LANES; l++)
            out[q * LANES + l] = sum[q][l];
}

FATHOM_DISPATCH
static void add_units(double *out, const double *x, int64_t d, const double *u, int64_t ldu, const double *b,
                      const double *a, int64_t units, double slope)
{
    if (slope == 0)
        add_all(out, (const lane *)x, d, u, ldu, b, a, units, 0, false);
    else
        add_all(out, (const lane *)x, d, u, ldu, b, a, units, slope, true);
}

void fathom_narrow_add(double *out, const double *x, int64_t ldx, int64_t rows, int64_t d, const double *u,
                       int64_t ldu, const double *b, const double *a, int64_t units, double slope,
                       double *packed)
{
    const int64_t padded = (rows + ROWS - 1) / ROWS * ROWS;
    double *at = (double *)(((uintptr_t)packed + 63) & ~(uintptr_t)63);
    for (int64_t k = 0; k < d; k++)
        for (int64_t i = 0; i < padded; i++)
            at[i / ROWS * ROWS * d + k * ROWS + i % ROWS] = i < rows ? x[i * ldx + k] : 0;
    for (int64_t i = 0; i < padded; i += ROWS) {
        double sum[ROWS];
        add_units(sum, at + i * d, d, u, ldu, b, a, units, slope);
        for (int64_t r = 0; r < ROWS && i + r < rows; r++)
            out[i + r] += sum[r];
    }
}
