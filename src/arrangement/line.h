/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of an affine chart of a central arrangement, and the order in which the hyperplanes cut it.
 *
 * Rows h_0 .. h_{p-1} in R^r in general position. A level (F, a, g) consists of j fixed rows F, a chart row a and a
 * direction g; the chart is {z : F z = 0, a(z) = 1}, of dimension r - 1 - j. A set T of r - 2 - j hyperplanes cuts the
 * line {w + t u} out of it: F, T vanish on u and w, a(u) = 0, a(w) > 0, g(u) > 0. On it
 *     h_i = beta_i + t alpha_i,    t_i = -beta_i / alpha_i,
 * with alpha_i = +-det[F, T, a, h_i]. Every sign is decided exactly: rounding bounds first, then determinants of
 * integers. A vanishing determinant means that the arrangement is not in general position (or that g is unlucky).
 */
#ifndef FATHOM_LINE_H
#define FATHOM_LINE_H

#include "hyperplanes.h"
#include "minors.h"

/* Rows of the whole computation: the hyperplanes and r generic directions g_1 .. g_r. */
typedef struct fathom_line_frame {
    const fathom_hyperplanes *planes;
    fathom_minor_sets sets;
    double *column;    /* r x p: the scaled normals by columns */
    double *direction; /* r x r: g_1 .. g_r, small dyadic numbers */
} fathom_line_frame;

/* A level: j fixed rows, chart row a (negated where `negative`), direction g. */
typedef struct fathom_line_level {
    int64_t j;
    const double *fixed[FATHOM_MINORS_LARGEST];
    const double *chart; /* the row a or -a */
    double chart_sign;   /* 1 or -1 */
    const double *direction;
} fathom_line_level;

/* One line; arrays are the thread's own. */
typedef struct fathom_line {
    const fathom_line_frame *frame;
    const fathom_line_level *level;
    int64_t size;                         /* of T: r - 2 - j */
    int64_t t_set[FATHOM_MINORS_LARGEST]; /* T, ascending */
    int orientation;                      /* sign with u = orientation * (D(a, .) as a vector) */
    double u[FATHOM_MINORS_LARGEST], w[FATHOM_MINORS_LARGEST];
    double q[FATHOM_MINORS_LARGEST][FATHOM_MINORS_LARGEST]; /* see fathom_line_side */
    double u_error, w_error, q_error[FATHOM_MINORS_LARGEST];
    double *value, *bound;  /* 2^r minors */
    double *alpha, *beta;   /* p */
    double *t, *t_error;    /* p */
    int8_t *alpha_sign;     /* p: exact signs */
    int32_t *order, *spare; /* p: the hyperplanes cut by the line, by ascending t */
    uint64_t *key, *spare_key;
    int64_t cuts; /* p - 1 - size */
} fathom_line;

fathom_status fathom_line_frame_init(fathom_line_frame *frame, const fathom_hyperplanes *planes);
void fathom_line_frame_free(fathom_line_frame *frame);
fathom_status fathom_line_init(fathom_line *line, const fathom_line_frame *frame);
void fathom_line_free(fathom_line *line);

/* Level j of the frame: F = (h_0, g_1, .., g_{j-1}), a = h_0 for j = 0 and -g_j after, g = g_{j+1}. */
void fathom_line_level_set(fathom_line_level *level, const fathom_line_frame *frame, int64_t j);

/* Places the line of T (line->t_set) in `level` and sorts its cuts. False where a determinant vanishes. */
bool fathom_line_place(fathom_line *line, const fathom_line_level *level);

/* Prepares fathom_line_side for this line. */
void fathom_line_prepare_sides(fathom_line *line);

/* The side of hyperplane T_k on which the cell lies whose lowest point in direction g is the line's cut with s: 1 or
 * -1; 0 where a determinant vanishes. */
int fathom_line_side(const fathom_line *line, int64_t k, int64_t s);

/* out_i = sum_c frame->column[c][i] v_c for all hyperplanes i. */
void fathom_line_products(double *out, const fathom_line_frame *frame, const double *v);

#endif
