/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cones of the data's central hyperplane arrangement {z : <x_i, z> = 0}, i = 1..n.
 *
 * Full-dimensional cones are counted, listed to a file as they are found, or kept as gates (fathom_gates_enumerate in
 * gates.h). Every decision is exact: on the decimals of a text file where these can be had, else on the stored doubles.
 * The file format is described in docs/explanation/arrangement.md.
 */
#ifndef FATHOM_CONES_H
#define FATHOM_CONES_H

#include "fathom/certificate.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FATHOM_CONES_OPTIONS(X)                                                                          \
    X(FLAG, faces, "faces", NULL, 0, 0, "",                                                              \
      "all sets of active points, cones of measure zero included: counted, listed, measured, certified") \
    X(OUTPUT, list, "list", NULL, 0, 0, "FILE", "write sign vectors and witnesses as they are found")    \
    X(CHOICE, witness, "witness", "yes", 0, 0, "yes|no",                                                 \
      "whether --list writes a point inside each cone as well")                                          \
    X(FLAG, as_doubles, "as-doubles", NULL, 0, 0, "",                                                    \
      "read the doubles nearest to a file's decimals, not the decimals")                                 \
    X(FLAG, count, "count", NULL, 0, 0, "", "count only: by formula where general position is proved")   \
    X(REAL, limit, "limit", "2e9", 1, 1e18, "N", "refuse arrangements with more than about N cones")

FATHOM_OPTIONS_STRUCT(fathom_cones_options, FATHOM_CONES_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_cones_option_table;

typedef struct fathom_cones_result {
    int64_t cones;         /* full-dimensional; -1: stopped before all were found */
    int64_t faces;         /* |S_0(X)|, all sets {i : <x_i, z> > 0}; -1 where not asked for */
    int64_t hyperplanes;   /* distinct ones */
    int64_t rank;          /* of X */
    bool general_position; /* every min(n, d) rows are linearly independent */
    double cover_count;    /* 2 sum_{k<d} C(n-1, k): the number of cones in general position [Cover 1965] */
    const char *method;    /* "angles", "vertices", "restriction" or "formula" */
    const char *reading;   /* "decimals" (fathom_data_decimals) or "doubles" */
} fathom_cones_result;

/* Counts, and where asked lists, the cones of `data`. NULL options mean the defaults. ERROR_STOPPED: `result`
 * has what is known by then, -1 for the rest; there are at least 2 `hyperplanes` cones and at most
 * cover_count of them. */
FATHOM_API fathom_status fathom_cones_run(fathom_cones_result *result, fathom_context *context,
                                          const fathom_data *data, const fathom_cones_options *options);

/* One cone {z : <x_i, z> > 0 for the active points, <= 0 for the others}, asked for without enumeration. */
typedef struct fathom_cone fathom_cone;

/* Borrowed; valid until the cone is freed. Integers are decimal texts without common factor. */
typedef struct fathom_cone_view {
    int64_t n, d;
    bool empty;
    int64_t dimension;          /* of the cone; -1 where it is empty */
    const char *const *witness; /* d integers: a point of its relative interior; NULL where it is empty */
    const double *point;        /* d: the same over its largest entry, rounded; NULL where it is empty */
    const bool *forced;         /* n: <x_i, z> = 0 on all of the cone, x_i != 0 */
    const char *const *
        weight; /* n integers l_i >= 0. Empty: sum over active points of l_i x_i = sum over others, some active l_i > 0
                                   [Motzkin]. Otherwise sum l_i x_i = 0, l_i > 0 exactly where forced [000, Lemma B.4] */
} fathom_cone_view;

/* Decides in rational arithmetic on the doubles of the data; active (n). ERROR_STOPPED on the context's
 * limits. */
FATHOM_API fathom_status fathom_cone_ask(fathom_cone **cone, fathom_context *context, const fathom_data *data,
                                         const bool *active);
FATHOM_API fathom_cone_view fathom_cone_look(const fathom_cone *cone);
FATHOM_API void fathom_cone_free(fathom_cone *cone);

/* Reads a list back, one cone at a time, in constant memory. */
typedef struct fathom_cones_reader fathom_cones_reader;

typedef struct fathom_cones_header {
    int64_t n, d, words; /* points, dimension, 64-bit words per pattern */
    bool witnesses;      /* whether each cone has one */
} fathom_cones_header;

FATHOM_API fathom_status fathom_cones_reader_open(fathom_cones_reader **reader, fathom_context *context,
                                                  const char *path);
FATHOM_API fathom_cones_header fathom_cones_reader_look(const fathom_cones_reader *reader);

/* Lends the next cone: its pattern (words) and witness (d; NULL where there are none, NaN for a cone too thin for doubles). *bits =
 * NULL at the end, which was then verified: number of cones and checksum. ERROR_INPUT where the file is damaged. */
FATHOM_API fathom_status fathom_cones_reader_next(fathom_cones_reader *reader, const uint64_t **bits,
                                                  const double **witness);
/* Lends the witness of a cone too thin for doubles: d integers in hexadecimal, separated by spaces; NULL for other cones. */
FATHOM_API const char *fathom_cones_reader_exact(const fathom_cones_reader *reader);
FATHOM_API void fathom_cones_reader_free(fathom_cones_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
