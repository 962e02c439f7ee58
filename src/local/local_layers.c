/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last layers of small networks, for the rows of a chunk.
 *
 *     neurons  f = c + W relu(h),                  dW += g'relu(h),                   dh = (g W) 1[h > 0]
 *     gates    f_k = c_k + sum_j 1[open] a_j h_kj, da_j += 1[open] sum_k g_k h_kj,    dh_kj = 1[open] g_k a_j
 *
 * Where columns are few this is half of the work. Every number is a sum in a fixed order: inner products by lanes, gradients row by row.
 */
#include "local_layers.h"

#include <stdbool.h>

#include "dispatch.h"
#include "float_rows.h"

enum { LANES = FATHOM_FLOAT_LANES };

FATHOM_DISPATCH static void rectify_forward(float *restrict f, float *restrict h, const float *restrict w,
                                            const float *restrict c, int64_t rows, int64_t width,
                                            int64_t outputs)
{
    for (int64_t i = 0; i < rows; i++) {
        float *row = h + i * width;
        for (int64_t j = 0; j < width; j++)
            row[j] = row[j] > 0 ? row[j] : 0;
        for (int64_t k = 0; k < outputs; k++)
            f[i * outputs + k] = c[k] + fathom_float_dot_lanes(row, w + k * width, width);
    }
}

void fathom_local_rectify(float *f, float *h, const fathom_local_layer *layer, int64_t rows)
{
    rectify_forward(f, h, layer->w, layer->c, rows, layer->width, layer->outputs);
}

/* One row: W's gradient goes on from what is there. */
static inline __attribute__((always_inline)) void back_row(float *restrict w_gradient, float *restrict back,
                                                           const float *restrict h, const float *restrict g,
                                                           const float *restrict w, int64_t width,
                                                           int64_t outputs)
{
    for (int64_t j = 0; j < width; j++)
        back[j] = 0;
    for (int64_t k = 0; k < outputs; k++) {
        const float slope = g[k];
        for (int64_t j = 0; j < width; j++) {
            w_gradient[k * width + j] += slope * h[j];
            back[j] += slope * w[k * width + j];
        }
    }
    for (int64_t j = 0; j < width; j++)
        back[j] = h[j] > 0 ? back[j] : 0;
}

FATHOM_DISPATCH static void rectify_backward(float *restrict w_gradient, float *restrict back,
                                             const float *restrict h, const float *restrict g,
                                             const float *restrict w, int64_t rows, int64_t width,
                                             int64_t outputs)
{
    for (int64_t i = 0; i < rows; i++)
        back_row(w_gradient, back + i * width, h + i * width, g + i * outputs, w, width, outputs);
}

void fathom_local_rectify_back(float *w_gradient, float *back, const float *h, const float *g,
                               const fathom_local_layer *layer, int64_t rows)
{
    rectify_backward(w_gradient, back, h, g, layer->w, rows, layer->width, layer->outputs);
}

FATHOM_DISPATCH static void gate_forward(float *restrict f, const float *restrict h,
                                         const unsigned char *restrict open, const float *restrict a,
                                         const float *restrict c, int64_t rows, int64_t width,
                                         int64_t outputs)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < outputs; k++) {
            const float *row = h + (i * outputs + k) * width;
            float sum[LANES] = {0};
            for (int64_t j = 0; j < width; j += LANES)
                for (int l = 0; l < LANES; l++)
                    sum[l] += row[j + l] * (open[i * width + j + l] ? a[j + l] : 0);
            f[i * outputs + k] =
                c[k] + (((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])));
        }
}

void fathom_local_gate(float *f, const float *h, const unsigned char *open, const fathom_local_layer *layer,
                       int64_t rows)
{
    gate_forward(f, h, open, layer->w, layer->c, rows, layer->width, layer->outputs);
}

FATHOM_DISPATCH static void gate_backward(float *restrict a_gradient, float *restrict back,
                                          const float *restrict h, const float *restrict g,
                                          const unsigned char *restrict open, const float *restrict a,
                                          int64_t rows, int64_t width, int64_t outputs)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < outputs; k++) {
            const int64_t at = (i * outputs + k) * width;
            const float slope = g[i * outputs + k];
            for (int64_t j = 0; j < width; j++) {
                const bool through = open[i * width + j];
                back[at + j] = slope * (through ? a[j] : 0);
                a_gradient[j] += through ? slope * h[at + j] : 0;
            }
        }
}

void fathom_local_gate_back(float *a_gradient, float *back, const float *h, const float *g,
                            const unsigned char *open, const fathom_local_layer *layer, int64_t rows)
{
    gate_backward(a_gradient, back, h, g, open, layer->w, rows, layer->width, layer->outputs);
}
