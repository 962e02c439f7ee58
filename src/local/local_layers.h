/* SPDX-License-Identifier: Apache-2.0 */
/* What follows the first matrix, for the rows of a chunk; see local_layers.c. */
#ifndef FATHOM_LOCAL_LAYERS_H
#define FATHOM_LOCAL_LAYERS_H

#include <stdint.h>

/* The last layer: W (outputs x width), c (outputs); width a multiple of FATHOM_FLOAT_LANES. */
typedef struct fathom_local_layer {
    int64_t outputs, width;
    const float *w, *c;
} fathom_local_layer;

/* h (rows x width) becomes relu(h), and f (rows x outputs) = c + W h. */
void fathom_local_rectify(float *f, float *h, const fathom_local_layer *layer, int64_t rows);

/* From slopes g (rows x outputs) of f: w_gradient (outputs x width) += g'h, back (rows x width) = g W where h > 0. */
void fathom_local_rectify_back(float *w_gradient, float *back, const float *h, const float *g,
                               const fathom_local_layer *layer, int64_t rows);

/* Gates (open: rows x width, 0 and 1): W is a alone, h rows x outputs x width; f_k = c_k + <h_k, a where open>. */
void fathom_local_gate(float *f, const float *h, const unsigned char *open, const fathom_local_layer *layer,
                       int64_t rows);

/* a_gradient_j += g_k h_kj where gate j is open, output by output and row by row; back_kj = g_k a_j there, else 0. */
void fathom_local_gate_back(float *a_gradient, float *back, const float *h, const float *g,
                            const unsigned char *open, const fathom_local_layer *layer, int64_t rows);

#endif
