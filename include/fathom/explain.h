/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictions as sums: over columns, over neurons, and the nearest input that is classified otherwise,
 * with bounds.
 *
 * At one input a two-layer ReLU network is linear: f_k(z) = base_k + sum_l g_kl z_l with the neurons that
 * are open there. The part of column l is g_kl z_l, that of neuron j what it adds to f_k. z are the
 * columns as the network sees them (standardised where the model does so). docs/reference/networks.md has the proof
 * of the distances.
 */
#ifndef FATHOM_EXPLAIN_H
#define FATHOM_EXPLAIN_H

#include "fathom/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fathom_explanation {
    int64_t n, columns, neurons, outputs;
    double *output; /* n x outputs: f_k(z_i) */
    double *base;   /* n x outputs: what is left without any column, biases and constants */
    double *column; /* n x outputs x columns */
    double *neuron; /* n x outputs x neurons */
    double *
        rounding; /* n x outputs: |output - base - sum of columns| and |output - c - sum of neurons| are at most this */
    int64_t *label; /* n: the class, -1 where the model has none or an output is not a number */
    int64_t *other; /* n: the class of the nearest input that was found; -1: none */
    double *lower,
        *upper; /* n: no input of another class is nearer than lower (0 where nothing is known); one is at the
                              distance upper (infinite: none was found). Euclidean, in the coordinates z */
    fathom_context *context;
} fathom_explanation;

/* Rows first .. first + n of the data, fewer at its end or where a limit or an interrupt cut it. For relu, leaky, scalar and gated models (gated ones
 * without distances); others are ERROR_USAGE. Memory: n x outputs x (columns + neurons) doubles. */
FATHOM_API fathom_status fathom_model_explain(fathom_explanation **explanation, const fathom_model *model,
                                              const fathom_data *data, int64_t first, int64_t n);
FATHOM_API void fathom_explanation_free(fathom_explanation *explanation);

#ifdef __cplusplus
}
#endif
#endif
