/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of many short rows with small matrices, and Schatten norms of small symmetric matrices.
 *
 *     Y = A M,   S = A'A,   |S|_q = (tr S^q)^(1/q)  with  W = d|S|_q / dS = (S / |S|_q)^(q - 1)
 *
 * A n x d with d from 2 to about 100: too narrow for a general matrix product to pay. Rows are padded with
 * zeros to a multiple of 8 numbers, so that every loop runs over whole vectors: blocks of 4 x 8
 * accumulators stay in registers. Sums run in a fixed order.
 *
 * The order q = 2^m + 1 makes W one matrix squared m times: S^(2^k) = exp(l_k) B_k with |B_k|_F = 1,
 * B_(k+1) = B_k^2 / f, l_(k+1) = 2 l_k + log f. Rounding is magnified by 2^m. Cost m d^3, a tenth of that
 * of the eigenvectors for d below 50.
 */
#include "short_rows.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "dispatch.h"

enum { LANES = FATHOM_SHORT_LANES, HEIGHT = 4, CHUNK = 128, LOOK = 1 << 16 };

FATHOM_DISPATCH static void multiply(double *restrict y, const double *restrict a, const double *restrict m,
                                     int64_t rows, int64_t d, int64_t ld)
{
    int64_t r = 0;
    for (; r + HEIGHT <= rows; r += HEIGHT)
        for (int64_t j = 0; j < ld; j += LANES) {
            double sum[HEIGHT][LANES] = {{0}};
            for (int64_t k = 0; k < d; k++)
                for (int h = 0; h < HEIGHT; h++)
                    for (int l = 0; l < LANES; l++)
                        sum[h][l] += a[(r + h) * ld + k] * m[k * ld + j + l];
            for (int h = 0; h < HEIGHT; h++)
                for (int l = 0; l < LANES; l++)
                    y[(r + h) * ld + j + l] = sum[h][l];
        }
    for (; r < rows; r++)
        for (int64_t j = 0; j < ld; j += LANES) {
            double sum[LANES] = {0};
            for (int64_t k = 0; k < d; k++)
                for (int l = 0; l < LANES; l++)
                    sum[l] += a[r * ld + k] * m[k * ld + j + l];
            for (int l = 0; l < LANES; l++)
                y[r * ld + j + l] = sum[l];
        }
}

/* Whether a product of so many operations is worth a look at the clock, and the clock says enough. */
static bool is_late(const fathom_context *context, int64_t d, int64_t ld)
{
    return context && d * ld > LOOK && fathom_context_overdue(context);
}

void fathom_short_multiply(double *y, const double *a, const double *m, int64_t rows, int64_t d, int64_t ld,
                           const fathom_context *context)
{
    for (int64_t r = 0; r < rows && !is_late(context, d, ld); r += CHUNK)
        multiply(y + r * ld, a + r * ld, m, rows - r < CHUNK ? rows - r : CHUNK, d, ld);
}

/* One number, read by itself. GCC 12 takes the HEIGHT factors of two rows with one load, those of the row
 * after the last one among them, which may lie behind the end of the memory. */
static inline double alone(const double *x)
{
    double value = *x;
#if defined(__SSE2__)
    __asm__("" : "+x"(value));
#else
    __asm__("" : "+m"(value));
#endif
    return value;
}

/* Adds the rows of one chunk: blocks on and above the diagonal. */
FATHOM_DISPATCH static void gram(double *restrict s, const double *restrict a, int64_t rows, int64_t ld)
{
    for (int64_t i = 0; i < ld; i += HEIGHT)
        for (int64_t j = i / LANES * LANES; j < ld; j += LANES) {
            double sum[HEIGHT][LANES];
            for (int h = 0; h < HEIGHT; h++)
                for (int l = 0; l < LANES; l++)
                    sum[h][l] = s[(i + h) * ld + j + l];
            for (int64_t r = 0; r < rows; r++)
                for (int h = 0; h < HEIGHT; h++) {
                    const double factor = alone(a + r * ld + i + h);
                    for (int l = 0; l < LANES; l++)
                        sum[h][l] += factor * a[r * ld + j + l];
                }
            for (int h = 0; h < HEIGHT; h++)
                for (int l = 0; l < LANES; l++)
                    s[(i + h) * ld + j + l] = sum[h][l];
        }
}

void fathom_short_gram(double *s, const double *a, int64_t rows, int64_t d, int64_t ld,
                       const fathom_context *context)
{
    memset(s, 0, (size_t)(ld * ld) * sizeof *s);
    for (int64_t r = 0; r < rows && !is_late(context, d, ld); r += CHUNK)
        gram(s, a + r * ld, rows - r < CHUNK ? rows - r : CHUNK, ld);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < i; j++)
            s[i * ld + j] = s[j * ld + i];
}

/* Frobenius norm of `count` numbers, a multiple of LANES, that are neither huge nor tiny; scales them to
 * norm 1. */
FATHOM_DISPATCH static double to_unit(double *b, int64_t count)
{
    double square[LANES] = {0}, sum = 0;
    for (int64_t t = 0; t < count; t += LANES)
        for (int l = 0; l < LANES; l++)
            square[l] += b[t + l] * b[t + l];
    for (int l = 0; l < LANES; l++)
        sum += square[l];
    const double norm = sqrt(sum), scale = 1 / norm;
    for (int64_t t = 0; t < count; t++)
        b[t] *= scale;
    return norm;
}

/* The same for numbers of any size; returns the logarithm of the norm. */
static double normalise(double *b, int64_t count)
{
    double most = 0;
    for (int64_t t = 0; t < count; t++)
        most = fmax(most, fabs(b[t]));
    if (!(most > 0) || !isfinite(most))
        return most > 0 ? INFINITY : -INFINITY;
    for (int64_t t = 0; t < count; t++)
        b[t] /= most;
    return log(most) + log(to_unit(b, count));
}

double fathom_short_schatten(double *w, const double *s, int64_t d, int64_t ld, int doublings, double *work,
                             const fathom_context *context)
{
    const int64_t count = d * ld;
    const double order = ldexp(1, doublings) + 1;
    double *b = doublings % 2 ? work : w, *next = doublings % 2 ? w : work;
    memcpy(b, s, (size_t)count * sizeof *b);
    double scale = normalise(b, count), trace = 0;
    if (!isfinite(scale))
        return scale;
    for (int k = 0; k < doublings; k++) {
        fathom_short_multiply(next, b, b, d, d, ld, context);
        double *swap = b;
        b = next;
        next = swap;
        scale = 2 * scale + log(to_unit(b, count));
    }
    for (int64_t t = 0; t < count; t++)
        trace += w[t] * s[t];
    const double norm = (scale + log(trace)) / order, factor = exp(scale - (order - 1) * norm);
    for (int64_t t = 0; t < count; t++)
        w[t] *= factor;
    return norm;
}
