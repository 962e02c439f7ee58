/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates: activation patterns of the data, bit-packed, with orientations and, where known, the gate tree.
 *
 * Gate j is open on point i when bit i of its pattern is set: 1[<x_i, v_j> > 0], strictly [000, Sec. 2]. In a gate
 * tree each gate differs from its parent in few points (one, in general position), so that sums over open points
 * cost O(d) per gate instead of O(nd).
 */
#ifndef FATHOM_GATES_H
#define FATHOM_GATES_H

#include "fathom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fathom_gates fathom_gates;

/* Borrowed; valid until the gates are freed. */
typedef struct fathom_gates_view {
    int64_t n, d, m;           /* points, dimension, gates */
    int64_t words;             /* 64-bit words per pattern, (n + 63) / 64; unused bits are 0 */
    const uint64_t *bits;      /* m x words; bit i % 64 of word i / 64 */
    const double *orientation; /* m x d, v_j strictly inside its cone; NULL where only patterns are known */
    const int64_t *parent; /* m, parent[j] < j, never falling, -1 at the root; NULL where there is no tree */
    const int64_t *flip_start; /* m + 1; NULL where there is no tree */
    const int32_t
        *flip; /* points in which gate j differs from its parent: flip_start[j] .. flip_start[j+1] */
    /* m, multiplicity or Gaussian measure of each gate, sums to 1; NULL where unknown */
    const double *weight;
    const int64_t *
        exact_at; /* m: where in exact_text a witness stands, for cones too thin for doubles, whose orientation
                                  is its rounding; -1 for others. NULL where there are none */
    const char *exact_text; /* d integers in hexadecimal, separated by spaces, zero byte */
} fathom_gates_view;

FATHOM_API void fathom_gates_free(fathom_gates *gates);
FATHOM_API fathom_gates_view fathom_gates_look(const fathom_gates *gates);

/* Gives the distinct patterns of `count` standard Gaussian orientations (context's seed, stream GATE), in order of
 * first appearance, each with its first orientation and its share of the draws as weight. */
FATHOM_API fathom_status fathom_gates_sample(fathom_gates **gates, fathom_context *context,
                                             const fathom_data *data, int64_t count);

/* Gives the distinct patterns of m given orientations (m x d, leading dimension ld), in order of first appearance, each
 * with its first orientation and its share of the m as weight. Where `gate_of` is not NULL,
 * gate_of[k] receives the number of the gate that orientation k fell into. */
FATHOM_API fathom_status fathom_gates_from_orientations(fathom_gates **gates, fathom_context *context,
                                                        const fathom_data *data, int64_t m,
                                                        const double *orientation, int64_t ld,
                                                        int64_t *gate_of);

/* Gives the m gates of an m x n matrix of zeros and ones (leading dimension ld), equal rows kept, each of weight 1/m;
 * they have no orientations. */
FATHOM_API fathom_status fathom_gates_from_patterns(fathom_gates **gates, fathom_context *context,
                                                    const fathom_data *data, int64_t m, const double *pattern,
                                                    int64_t ld);

/* How a matrix of gates is read: the form that alone fits; d x N orientations; n x N zeros and ones; N x d
 * orientations. */
typedef enum fathom_gates_form {
    FATHOM_GATES_AUTO,
    FATHOM_GATES_ORIENTATIONS,
    FATHOM_GATES_PATTERNS,
    FATHOM_GATES_ROWS
} fathom_gates_form;
#define FATHOM_GATES_FORMS "auto|orientations|patterns|rows"

/* Gives the gates in an NPY file. *form says how to read it and receives how it was read; ERROR_USAGE, with
 * the forms named, where it is AUTO and several fit. `weights`, or NULL, is an NPY file of one number >= 0
 * for each of the N gates of the file (*count, unless NULL; equal ones among orientations are merged), scaled
 * to sum 1. */
FATHOM_API fathom_status fathom_gates_read_as(fathom_gates **gates, int64_t *count, fathom_gates_form *form,
                                              fathom_context *context, const fathom_data *data,
                                              const char *path, const char *weights);

/* Gives all full-dimensional cones of the arrangement as a gate tree. ERROR_MEMORY with the expected number of
 * cones where there would be too many. */
FATHOM_API fathom_status fathom_gates_enumerate(fathom_gates **gates, fathom_context *context,
                                                const fathom_data *data);

/* Gives all sets of active points {i : <x_i, z> > 0}, those of measure zero included [000, Sec. 2], each with a point z that has
 * it as its orientation, on hyperplanes where need be; without a tree. */
FATHOM_API fathom_status fathom_gates_enumerate_faces(fathom_gates **gates, fathom_context *context,
                                                      const fathom_data *data);

#ifdef __cplusplus
}
#endif
#endif
