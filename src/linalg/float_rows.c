/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of many rows with narrow matrices in single precision.
 *
 *     H = X U,   G += X'H,   X n x d, U and G d x m, H n x m, m a multiple of 8
 *
 * What a network of a few dozen neurons costs, forward and backward: too narrow for a general product to
 * pay. Blocks of HEIGHT rows by WIDE or LANES columns stay in registers while the sum runs over d (over
 * the rows of a chunk). Every number is a sum in a fixed order, whatever the threads: 2 n d m operations
 * each.
 */
#include "float_rows.h"

#include "dispatch.h"

enum { LANES = FATHOM_FLOAT_LANES, WIDE = 16, HEIGHT = 4 };

/* `height` rows of h from column j on, `wide` columns: both are constants where this is used. */
static inline __attribute__((always_inline)) void multiply_block(float *restrict h, const float *restrict x,
                                                                 const float *restrict u, int64_t d,
                                                                 int64_t width, int height, int wide)
{
    float sum[HEIGHT][WIDE] = {{0}};
    for (int64_t k = 0; k < d; k++)
        for (int r = 0; r < height; r++)
            for (int l = 0; l < wide; l++)
                sum[r][l] += x[r * d + k] * u[k * width + l];
    for (int r = 0; r < height; r++)
        for (int l = 0; l < wide; l++)
            h[r * width + l] = sum[r][l];
}

FATHOM_DISPATCH static void float_multiply(float *restrict h, const float *restrict x,
                                           const float *restrict u, int64_t rows, int64_t d, int64_t width)
{
    int64_t r = 0;
    for (; r + HEIGHT <= rows; r += HEIGHT) {
        int64_t j = 0;
        for (; j + WIDE <= width; j += WIDE)
            multiply_block(h + r * width + j, x + r * d, u + j, d, width, HEIGHT, WIDE);
        for (; j < width; j += LANES)
            multiply_block(h + r * width + j, x + r * d, u + j, d, width, HEIGHT, LANES);
    }
    for (; r < rows; r++)
        for (int64_t j = 0; j < width; j += LANES)
            multiply_block(h + r * width + j, x + r * d, u + j, d, width, 1, LANES);
}

void fathom_float_multiply(float *h, const float *x, const float *u, int64_t rows, int64_t d, int64_t width)
{
    float_multiply(h, x, u, rows, d, width);
}

/* `height` rows of g, `wide` columns. */
static inline __attribute__((always_inline)) void transposed_block(float *restrict g, const float *restrict x,
                                                                   const float *restrict h, int64_t rows,
                                                                   int64_t d, int64_t width, int height,
                                                                   int wide)
{
    float sum[HEIGHT][WIDE] = {{0}};
    for (int64_t i = 0; i < rows; i++)
        for (int r = 0; r < height; r++)
            for (int l = 0; l < wide; l++)
                sum[r][l] += x[i * d + r] * h[i * width + l];
    for (int r = 0; r < height; r++)
        for (int l = 0; l < wide; l++)
            g[r * width + l] += sum[r][l];
}

FATHOM_DISPATCH static void float_multiply_transposed(float *restrict g, const float *restrict x,
                                                      const float *restrict h, int64_t rows, int64_t d,
                                                      int64_t width)
{
    int64_t k = 0;
    for (; k + HEIGHT <= d; k += HEIGHT) {
        int64_t j = 0;
        for (; j + WIDE <= width; j += WIDE)
            transposed_block(g + k * width + j, x + k, h + j, rows, d, width, HEIGHT, WIDE);
        for (; j < width; j += LANES)
            transposed_block(g + k * width + j, x + k, h + j, rows, d, width, HEIGHT, LANES);
    }
    for (; k < d; k++)
        for (int64_t j = 0; j < width; j += LANES)
            transposed_block(g + k * width + j, x + k, h + j, rows, d, width, 1, LANES);
}

void fathom_float_multiply_transposed(float *g, const float *x, const float *h, int64_t rows, int64_t d,
                                      int64_t width)
{
    float_multiply_transposed(g, x, h, rows, d, width);
}

FATHOM_DISPATCH static void float_project(float *restrict z, const float *restrict h, const float *restrict x,
                                          int64_t d, int64_t width)
{
    int64_t k = 0;
    for (int64_t j = 0; j < width; j++)
        z[j] = 0;
    for (; k + 4 <= d; k += 4) {
        const float x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
        const float *restrict h0 = h + k * width, *restrict h1 = h0 + width, *restrict h2 = h1 + width,
                              *restrict h3 = h2 + width;
        for (int64_t j = 0; j < width; j++)
            z[j] += (x0 * h0[j] + x1 * h1[j]) + (x2 * h2[j] + x3 * h3[j]);
    }
    for (; k < d; k++)
        for (int64_t j = 0; j < width; j++)
            z[j] += x[k] * h[k * width + j];
}

void fathom_float_project(float *z, const float *h, const float *x, int64_t d, int64_t width)
{
    float_project(z, h, x, d, width);
}

FATHOM_DISPATCH static void float_push(float *restrict h, const float *restrict force,
                                       const float *restrict x, int64_t d, int64_t width)
{
    for (int64_t k = 0; k < d; k++) {
        const float at = x[k];
        float *restrict row = h + k * width;
        for (int64_t j = 0; j < width; j++)
            row[j] += at * force[j];
    }
}

void fathom_float_push(float *h, const float *force, const float *x, int64_t d, int64_t width)
{
    float_push(h, force, x, d, width);
}

FATHOM_DISPATCH static double float_dot(const float *restrict x, const float *restrict y, int64_t count)
{
    double sum[LANES] = {0}, rest = 0;
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += (double)x[k + l] * (double)y[k + l];
    for (; k < count; k++)
        rest += (double)x[k] * (double)y[k];
    return (((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]))) + rest;
}

double fathom_float_dot(const float *x, const float *y, int64_t count) { return float_dot(x, y, count); }

float fathom_float_dot_lanes(const float *x, const float *y, int64_t width)
{
    float sum[LANES] = {0};
    for (int64_t k = 0; k < width; k += LANES)
        for (int l = 0; l < LANES; l++)
            sum[l] += x[k + l] * y[k + l];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

void fathom_float_axpy(float *y, float a, const float *x, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        y[k] += a * x[k];
}
