/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the rectified ellipsoid Q_A = {(Au)_+ : |u| <= 1} of a data matrix A (n x d) [001, Sec. 2].
 *
 * Spike-free: Q_A is inside A B_2, so that neurons active on all points suffice. The restriction to such neurons costs at
 * most the factor rho(A) = max_{|u| = 1} |A^+ (Au)_+| in the norm, which is 1 exactly where A is spike-free with
 * independent rows. docs/explanation/geometry.md has the mathematics.
 */
#ifndef FATHOM_GEOMETRY_H
#define FATHOM_GEOMETRY_H

#include "fathom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FATHOM_GEOMETRY_OPTIONS(X)                                                                     \
    X(REAL, tolerance, "tolerance", "1e-10", 0, 1, "T",                                                \
      "largest |AA' - I| of a matrix that counts as whitened")                                         \
    X(FLAG, skip_hull, "skip-hull", NULL, 0, 0, "", "do not look for the vertices of the convex hull") \
    X(INPUT, extreme, "extreme", NULL, 0, 0, "basis|targets|ROW|FILE.npy",                             \
      "extreme points along these directions; -o writes them as NPY")                                  \
    X(FLAG, polar, "polar", NULL, 0, 0, "",                                                            \
      "boundaries of the rectified ellipsoid, its hull and its polar set (two rows); -o writes CSV")   \
    X(FLAG, as_doubles, "as-doubles", NULL, 0, 0, "",                                                  \
      "exact rank and spike-freeness of the doubles nearest to a file's decimals, not the decimals")   \
    X(OUTPUT, whiten, "whiten", NULL, 0, 0, "FILE.npy", "write the whitening transform")

FATHOM_OPTIONS_STRUCT(fathom_geometry_options, FATHOM_GEOMETRY_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_geometry_option_table;

/* A decision. */
typedef enum fathom_verdict { FATHOM_NO, FATHOM_YES, FATHOM_UNKNOWN } fathom_verdict;

typedef struct fathom_geometry {
    int64_t n, d;
    int64_t rank; /* singular values above rank_tolerance */
    /* of the numbers as rationals, read as `reading` says; -1 where that was too much work */
    int64_t rank_exact;
    double rank_tolerance, sigma_max, sigma_min; /* of the min(n, d) singular values */
    bool rank_one;
    bool whitened;         /* n <= d and |AA' - I| within the tolerance */
    double whitened_error; /* largest entry of |AA' - I|; NaN where n > d */
    fathom_verdict spike_free;
    const char *spike_method; /* static text: what decided */
    int64_t directions;       /* rows left without zero rows and positive multiples */
    int64_t pair[2];          /* rows with a positive entry of the inverse Gram matrix, or -1 */
    double inverse_gram; /* the largest off-diagonal entry of (RR')^{-1}, unit rows R, computed; NaN: none */
    double rho_lower; /* attained, to rounding; infinite where (Au)_+ leaves the range of A; NaN: unknown */
    double rho_upper; /* (k + 1/k)/2, k the condition of R from its computed spectrum */
    bool hull_known;
    int64_t hull_vertices, hull_undecided;
    const char *reading; /* of rank_exact and spike_free: "decimals" (fathom_data_decimals) or "doubles" */
} fathom_geometry;

/* NULL options mean the defaults. */
FATHOM_API fathom_status fathom_geometry_compute(fathom_geometry *result, fathom_context *context,
                                                 const fathom_data *data,
                                                 const fathom_geometry_options *options);

#ifdef __cplusplus
}
#endif
#endif
