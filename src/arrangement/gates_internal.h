/* SPDX-License-Identifier: Apache-2.0 */
/* Storage behind fathom_gates, for the files of this layer that build gates. */
#ifndef FATHOM_GATES_INTERNAL_H
#define FATHOM_GATES_INTERNAL_H

#include "fathom/gates.h"

/* Arrays as in fathom_gates_view, owned; NULL where unknown. */
struct fathom_gates {
    fathom_context *context;
    int64_t n, d, m, words;
    uint64_t *bits;
    double *orientation;
    int64_t *parent;
    int64_t *flip_start;
    int32_t *flip;
    double *weight;
    int64_t *exact_at;
    char *exact_text;
    int64_t exact_size;                                           /* bytes of exact_text in use */
    int64_t bits_capacity, orientation_capacity, weight_capacity; /* in items */
    int64_t exact_capacity, text_capacity;
};

/* Gives gates without any gate, for data of n points in R^d. */
fathom_status fathom_gates_create(fathom_gates **gates, fathom_context *context, int64_t n, int64_t d);

#endif
