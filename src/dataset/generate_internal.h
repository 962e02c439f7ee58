/* SPDX-License-Identifier: Apache-2.0 */
/* What a generator is: a row of one table that drives parsing, the list of sources and the documentation. */
#ifndef FATHOM_GENERATE_INTERNAL_H
#define FATHOM_GENERATE_INTERNAL_H

#include "context_internal.h"
#include "data_internal.h"
#include "inner/data.h"
#include "random.h"

enum { GENERATOR_KEYS = 8 };

/* A key of a specification. INTEGER and REAL lie in [low, high]; a CHOICE is the index of one of "a|b|c". */
typedef struct generator_key {
    const char *name;
    fathom_option_type type;
    const char *preset;
    double low, high;
    const char *values;
} generator_key;

/* What a generator works from: values in the order of its keys, and its streams of random numbers. */
typedef struct generator_input {
    double value[GENERATOR_KEYS];
    bool given[GENERATOR_KEYS];
    uint64_t seed;
    fathom_stream noise; /* DATA or TEST_DATA */
    fathom_stream label; /* LABEL or TEST_LABEL */
} generator_input;

typedef fathom_status generator_function(fathom_data *data, const generator_input *input);

typedef struct generator {
    fathom_data_source source; /* "gen:circle,n=8" with all keys and defaults, and the definition */
    generator_function *make;
    generator_key key[GENERATOR_KEYS]; /* up to the first without a name */
} generator;

/* Row `index` of the table of generators; NULL at the end. */
const fathom_data_source *fathom_generate_source(int64_t index);

/* Whether a stop is so long ago that the rows of a large set, from i on, are left out: fathom_data_generate then says that
 * there is none. Small sets are always whole. */
bool fathom_generate_late(const fathom_data *data, int64_t i);

/* 1 / sqrt(d) to the nearest double. */
double fathom_generate_inverse_root(double d);

/* generate_exact.c */
generator_function fathom_generate_circle, fathom_generate_cube, fathom_generate_parity, fathom_generate_grid,
    fathom_generate_line1d, fathom_generate_badkkt;

/* generate_random.c */
generator_function fathom_generate_xor, fathom_generate_shoulders, fathom_generate_gauss,
    fathom_generate_twogauss, fathom_generate_outlier, fathom_generate_mixture1d;

/* generate_matrix.c */
generator_function fathom_generate_whitened, fathom_generate_rankone, fathom_generate_collapse;

#endif
