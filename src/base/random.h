/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers by counter: draw = f(seed, stream, sub, index), philox4x32-10 of Random123.
 *
 * Neither order nor threads matter. Block b of (seed, stream, sub) is
 *     philox(counter = (b low, b high, stream, sub), key = (seed low, seed high)) = (w0, w1, w2, w3),
 * its two uniforms are ((w1:w0 >> 11) + 1/2) 2^-53 and ((w3:w2 >> 11) + 1/2) 2^-53, in (0, 1), and its two
 * normals are Box-Muller's of those two.
 */
#ifndef FATHOM_RANDOM_H
#define FATHOM_RANDOM_H

#include <stdint.h>

/* One named stream per use, so that no two uses ever share a number. */
typedef enum fathom_stream {
    FATHOM_STREAM_DATA = 0,       /* noise of generated data */
    FATHOM_STREAM_LABEL = 1,      /* labels and mixture components of generated data */
    FATHOM_STREAM_HIDDEN = 2,     /* initial hidden weights */
    FATHOM_STREAM_OUTPUT = 3,     /* initial output weights */
    FATHOM_STREAM_ORDER = 4,      /* order of examples; sub = epoch */
    FATHOM_STREAM_SAMPLE = 5,     /* Monte-Carlo samples */
    FATHOM_STREAM_TEST_DATA = 6,  /* noise of generated test data */
    FATHOM_STREAM_TEST_LABEL = 7, /* labels of generated test data */
    FATHOM_STREAM_TEACHER = 8,    /* weights of a generated teacher network */
    FATHOM_STREAM_GATE = 9,       /* gate orientations */
    FATHOM_STREAM_START = 10,     /* starting points of searches */
    FATHOM_STREAM_FOLD = 11,      /* cross-validation folds */
    FATHOM_STREAM_PATCH = 12,     /* patches of images; sub 0: which, sub 1: random filters in their place */
} fathom_stream;

/* The two words w1:w0 and w3:w2 of any counter and key. */
void fathom_random_words(uint64_t word[2], const uint32_t key[2], const uint32_t counter[4]);

/* Uniform number `index` in (0, 1). */
double fathom_random_uniform(uint64_t seed, fathom_stream stream, uint32_t sub, uint64_t index);

/* Standard normal number `index`. */
double fathom_random_normal(uint64_t seed, fathom_stream stream, uint32_t sub, uint64_t index);

/* out[k] = number first + k, for k < count: the same numbers as one by one, in half the time. */
void fathom_random_uniforms(double *out, int64_t count, uint64_t seed, fathom_stream stream, uint32_t sub,
                            uint64_t first);
void fathom_random_normals(double *out, int64_t count, uint64_t seed, fathom_stream stream, uint32_t sub,
                           uint64_t first);

/* -1 or +1, each with probability 1/2. */
double fathom_random_sign(uint64_t seed, fathom_stream stream, uint32_t sub, uint64_t index);

/* order[0..n) = a uniformly random permutation of 0..n-1 (Fisher-Yates). */
void fathom_random_permutation(int64_t *order, int64_t n, uint64_t seed, fathom_stream stream, uint32_t sub);

#endif
