/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extreme points of the rectified ellipsoid, and its sets for two rows as pieces that a page can draw.
 *
 * Along a basis direction e_i, with a free bias [001, Lemma 2.7]: the neuron that is active on row i alone
 * with the largest output; u_i points from the nearest point of the other rows' convex hull to a_i, and the
 * output is their distance. Along any direction v [001, Lemma 2.8]: the neuron with the largest |v'(Au)_+|,
 * |u| = 1, or with a free bias the largest |v'(Au + b)_+|, which is finite where the v_i add to 0.
 */
#ifndef FATHOM_EXTREME_H
#define FATHOM_EXTREME_H

#include "fathom/data.h"
#include "fathom/train.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fathom_extreme {
    int64_t row;         /* of a basis direction, or -1 */
    double lower, upper; /* of the largest output: attained, and not exceeded */
    double sign;         /* of v'(Au + b)_+ there; 1 for basis directions */
    double bias;
    int64_t tight; /* rows on the kink of the neuron: a_i'u + b = 0 to rounding */
    /* static text; "inside" where row i is in the hull of the others and no neuron exists */
    const char *method;
} fathom_extreme;

typedef struct fathom_extremes fathom_extremes;

/* The directions that a text names: "basis" (every row), a row number, "targets" (the data's own, less their
 * mean with a free bias), or a .npy file with n rows. The data's bias option says whether b is free; basis
 * directions have one always. A limit of the context leaves out what was not reached. */
FATHOM_API fathom_status fathom_extremes_compute(fathom_extremes **extremes, fathom_context *context,
                                                 const fathom_data *data, const char *directions);
FATHOM_API void fathom_extremes_free(fathom_extremes *extremes);
FATHOM_API int64_t fathom_extremes_count(const fathom_extremes *extremes);
FATHOM_API bool fathom_extremes_complete(const fathom_extremes *extremes);
/* Number k; *u (d) is lent by the list. */
FATHOM_API fathom_extreme fathom_extremes_get(const double **u, const fathom_extremes *extremes, int64_t k);
/* All neurons as an NPY array, count x (d + 1): u, then b. */
FATHOM_API fathom_status fathom_extremes_write(const fathom_extremes *extremes, const char *path);

/* All networks of least norm through data of one dimension or rank one, with a free bias [001, Prop. 3.1,
 * Cor. 3.4]. */
typedef struct fathom_minimisers {
    bool applies;           /* one output, one dimension or rank one */
    bool exists;            /* no equal rows with different targets */
    double norm, lower;     /* the least norm, computed, and a proven lower bound */
    double variation, ends; /* TV of the slopes, s_1 + s_{n-1}: norm = max(TV, (TV + |ends|) / 2) */
    bool unique;            /* as functions on the whole line */
    bool outside;           /* kinks outside the data can be moved: |ends| > TV */
    int64_t free_count;     /* intervals between neighbouring points on which minimisers differ */
    int64_t free_kept;
    double *free; /* free_kept x 4: its ends, and the apex (x, f) of the triangle that minimisers fill */
    /* The hinge: distinct places (else 0), and whether all minimisers have the same outputs there; where
     * they do not, of the numbers above only `unique` is there. */
    int64_t places;
    bool fixed;
    double *values; /* places x 3: place, least and largest output of a minimiser (infinite: no limit) */
} fathom_minimisers;

/* Keeps at most `most` intervals. */
FATHOM_API fathom_status fathom_minimisers_compute(fathom_minimisers *minimisers, fathom_context *context,
                                                   fathom_data *data, int64_t most);

/* The same of all optimal networks of the squared loss or the hinge at a penalty (of the problem as asked
 * for), in rational arithmetic: one column, a free bias. exists: the search for the optimum ended (the
 * hinge: for up to 60 places). */
FATHOM_API fathom_status fathom_minimisers_compute_at(fathom_minimisers *minimisers, fathom_context *context,
                                                      fathom_data *data, const fathom_train_options *options,
                                                      double beta, int64_t most);
FATHOM_API void fathom_minimisers_clear(fathom_minimisers *minimisers, fathom_context *context);

#ifdef __cplusplus
}
#endif
#endif
