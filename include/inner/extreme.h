/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: sets of two rows, whitening, and the line as members of JSON. */
#ifndef FATHOM_INNER_EXTREME_H
#define FATHOM_INNER_EXTREME_H

#include "fathom/extreme.h"
#include "fathom/json.h"
#include "inner/program.h"

/* A piece of a boundary in the plane. */
typedef enum fathom_piece_kind {
    FATHOM_PIECE_SEGMENT, /* from `from` to `to` */
    FATHOM_PIECE_ARC,     /* of the ellipse {x : x'M x = 1}, from `from` to `to` the short way */
    FATHOM_PIECE_RAY      /* from `from` in the direction `to` */
} fathom_piece_kind;

typedef struct fathom_piece {
    fathom_piece_kind kind;
    double from[2], to[2];
    double matrix[3]; /* M_11, M_12, M_22 of an arc */
} fathom_piece;

/* The sets of two rows a_1, a_2 [001, Fig. 2-4]: Q = {(Au)_+ : |u| <= 1}, its convex hull with 0, and the
 * polar set of Q, whose boundary begins and ends with rays. Pieces follow each other along the boundary. */
typedef struct fathom_plane_sets {
    double gram[3]; /* |a_1|^2, a_1'a_2, |a_2|^2 */
    int rectified_count, hull_count, polar_count;
    fathom_piece rectified[8], hull[8], polar[8];
} fathom_plane_sets;

/* ERROR_USAGE where the data has not two rows. */
FATHOM_PROGRAM fathom_status fathom_plane_sets_compute(fathom_plane_sets *sets, fathom_context *context,
                                                       const fathom_data *data);

/* All boundaries as points: CSV with the columns set, piece, x, y. */
FATHOM_PROGRAM fathom_status fathom_plane_sets_write(const fathom_plane_sets *sets, fathom_context *context,
                                                     const char *path);

/* Points along a piece, `count` of them (2 each); a ray is followed for `reach`. */
void fathom_piece_trace(double *points, int64_t count, const fathom_piece *piece, double reach);

/* Writes the whitening transform W = V S^{-1} (d x rank, from A = U S V') as NPY: A W has orthonormal
 * columns, and is a whitened matrix, AA' = I, where the rows of A are independent [001, Sec. 2.2, n <= d].
 * *error: largest |AW (AW)' - I|, NaN where n > rank. */
FATHOM_PROGRAM fathom_status fathom_whitening_write(double *error, fathom_context *context,
                                                    const fathom_data *data, const char *path);

/* A network of one column as a classifier: members `kinks`, `crossings` (where f changes sign, computed) and,
 * for the hinge, `support` (rows with y f <= 1, to 1e-6) of an object; places are those of the column as
 * prepared. */
typedef struct fathom_line_classifier {
    bool applies; /* a relu network of one column and one output */
    int64_t kinks, crossings, support;
    double first; /* crossing; NaN: none */
} fathom_line_classifier;

FATHOM_PROGRAM fathom_status fathom_line_classifier_set(fathom_line_classifier *facts, fathom_json *object,
                                                        fathom_context *context, fathom_net *net,
                                                        fathom_data *data, fathom_loss loss);

/* The path of the squared loss on the line: between two penalties of the list the knots of the optimal
 * network stay. */
typedef struct fathom_line_path {
    int64_t pieces;
    double beta_max;
    bool complete; /* down to the ratio asked for, without gaps */
} fathom_line_path;

/* Sets `pieces` (from, to, kinks; penalties to the last digit but one, by falling penalty) and `complete` of
 * an object, in rational arithmetic, from the largest useful penalty down to `ratio` times it (0: all).
 * ERROR_USAGE for other problems than the squared loss of one column with a free bias. */
FATHOM_PROGRAM fathom_status fathom_line_path_set(fathom_line_path *path, fathom_json *object,
                                                  fathom_context *context, fathom_data *data,
                                                  const fathom_train_options *options, double ratio);

#endif
