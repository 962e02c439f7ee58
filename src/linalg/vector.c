/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors, and matrices times vectors.
 *
 * Sums run over sixteen lanes, lane l taking the terms l, l + 16, .., and the lanes are added in a fixed order; products are
 * rounded before they are added. So the bits do not depend on how the arrays are aligned (those of some BLAS do, and with
 * them on which thread a workspace belongs to), nor on the processor. All of it is bound by memory.
 */
#include "blas.h"

#include <float.h>
#include <math.h>

#include "dispatch.h"

enum { LANES = 8, COLUMNS = 256 };

/* Eight numbers that may lie anywhere. */
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* x'y, written out in every caller so that it is compiled for the caller's instructions. */
__attribute__((always_inline)) static inline double inner(const double *x, const double *y, int64_t count)
{
    double sum = 0;
    int64_t k = 0;
    if (count >= LANES) {
        lanes s = {0}, t = {0};
        for (; k + 2 * LANES <= count; k += 2 * LANES) {
            s += *(const lanes *)(x + k) * *(const lanes *)(y + k);
            t += *(const lanes *)(x + k + LANES) * *(const lanes *)(y + k + LANES);
        }
        if (k + LANES <= count) {
            s += *(const lanes *)(x + k) * *(const lanes *)(y + k);
            k += LANES;
        }
        s += t;
        sum = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    }
    for (; k < count; k++)
        sum += x[k] * y[k];
    return sum;
}

FATHOM_DISPATCH static double vector_dot(const double *x, const double *y, int64_t count)
{
    return inner(x, y, count);
}

double fathom_blas_dot(const double *x, const double *y, int64_t count)
{
    if (count >= LANES)
        return vector_dot(x, y, count);
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += x[k] * y[k];
    return sum;
}

/* sqrt(sum x_i^2) where squares leave the range of doubles: scaled by the power of 2 of the largest entry. */
static double scaled_norm(const double *x, int64_t count)
{
    double most = 0, sum = 0;
    int exponent;
    for (int64_t k = 0; k < count; k++) {
        if (isnan(x[k]))
            return NAN;
        most = fmax(most, fabs(x[k]));
    }
    if (most == 0 || isinf(most))
        return most;
    frexp(most, &exponent);
    for (int64_t k = 0; k < count; k++) {
        const double entry = ldexp(x[k], -exponent);
        sum += entry * entry;
    }
    return ldexp(sqrt(sum), exponent);
}

double fathom_blas_norm(const double *x, int64_t count)
{
    const double square = fathom_blas_dot(x, x, count);
    return square > 1e-280 && square < 1e300 ? sqrt(square) : scaled_norm(x, count);
}

double fathom_blas_norm_up(const double *x, int64_t count, int64_t spare)
{
    return fathom_blas_norm(x, count) * (1 + (double)(count + spare) * DBL_EPSILON);
}

FATHOM_DISPATCH static void vector_add(double *restrict y, double alpha, const double *restrict x,
                                       int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        y[k] += alpha * x[k];
}

void fathom_blas_axpy(double *y, double alpha, const double *x, int64_t count)
{
    if (alpha != 0)
        vector_add(y, alpha, x, count);
}

void fathom_blas_scale(double *x, double alpha, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        x[k] *= alpha;
}

FATHOM_DISPATCH static double vector_sum_abs(const double *x, int64_t count)
{
    double lane[LANES] = {0}, sum = 0;
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += fabs(x[k + l]);
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    for (; k < count; k++)
        sum += fabs(x[k]);
    return sum;
}

double fathom_blas_sum_abs(const double *x, int64_t count) { return vector_sum_abs(x, count); }

/* alpha s + beta y, y not read where beta = 0. */
static inline double update(double alpha, double s, double beta, double y)
{
    return alpha * s + (beta == 0 ? 0 : beta * y);
}

/* y = alpha A x + beta y, row by row. */
FATHOM_DISPATCH static void vector_rows(double *y, int64_t rows, int64_t columns, double alpha,
                                        const double *a, int64_t ld, const double *x, double beta)
{
    for (int64_t i = 0; i < rows; i++)
        y[i] = update(alpha, inner(a + i * ld, x, columns), beta, y[i]);
}

/* y = alpha A'x + beta y, A stored columns x rows: COLUMNS sums at a time, over the rows as stored in their order. */
FATHOM_DISPATCH static void vector_columns(double *restrict y, int64_t rows, int64_t columns, double alpha,
                                           const double *restrict a, int64_t ld, const double *restrict x,
                                           double beta)
{
    for (int64_t first = 0; first < rows; first += COLUMNS) {
        double sum[COLUMNS] = {0};
        const int64_t count = rows - first < COLUMNS ? rows - first : COLUMNS;
        for (int64_t k = 0; k < columns; k++) {
            const double *row = a + k * ld + first, weight = x[k];
            for (int64_t j = 0; j < count; j++)
                sum[j] += weight * row[j];
        }
        for (int64_t j = 0; j < count; j++)
            y[first + j] = update(alpha, sum[j], beta, y[first + j]);
    }
}

void fathom_blas_gemv(double *y, int64_t rows, int64_t columns, double alpha, fathom_operand a,
                      const double *x, double beta)
{
    if (a.transposed)
        vector_columns(y, rows, columns, alpha, a.a, a.ld, x, beta);
    else
        vector_rows(y, rows, columns, alpha, a.a, a.ld, x, beta);
}

void fathom_blas_ger(double *a, int64_t lda, int64_t rows, int64_t columns, double alpha, const double *x,
                     const double *y)
{
    for (int64_t i = 0; i < rows; i++)
        fathom_blas_axpy(a + i * lda, alpha * x[i], y, columns);
}
