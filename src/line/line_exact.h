/* SPDX-License-Identifier: Apache-2.0 */
/* The squared loss on the line in rational arithmetic: see line_exact.c. */
#ifndef FATHOM_LINE_EXACT_H
#define FATHOM_LINE_EXACT_H

#include <gmp.h>

#include "fathom/context.h"

/* The distinct places with their weights and mean targets, exactly. */
typedef struct fathom_exact_line {
    fathom_context *context;
    int64_t count;
    double *place; /* count, increasing */
    mpq_t *x;      /* count: the same */
    mpq_t *c, *y;  /* count: sum of the weights, weighted mean of the targets */
} fathom_exact_line;

/* From n rows; weight NULL: ones. */
fathom_status fathom_exact_line_open(fathom_exact_line *line, fathom_context *context, const double *x,
                                     const double *y, const double *weight, int64_t n);
void fathom_exact_line_close(fathom_exact_line *line);

/* How e relates to its bounds: 0, strictly between, beta/2 (docs/explanation/line.md). */
typedef enum fathom_line_regime {
    FATHOM_LINE_BALANCED, /* e = 0, |E| <= TV */
    FATHOM_LINE_BETWEEN,  /* |E| = TV; without knots: a constant */
    FATHOM_LINE_TILTED    /* |e| = beta/2, |E| >= TV */
} fathom_line_regime;

/* A stretch of penalties low <= beta <= high on which the knots of the optimal spline and their signs stay,
 * and f is linear in beta. */
typedef struct fathom_line_piece {
    const fathom_exact_line *line; /* borrowed */
    fathom_line_regime regime;
    int tilt;          /* sign of E outside BALANCED */
    int64_t knots;     /* inner ones */
    int64_t *knot;     /* count: places, increasing */
    signed char *sign; /* count, by place: of the jump at a knot; 0 elsewhere */
    mpq_t low, high;   /* high < 0: no limit */
    mpq_t *f0, *f1;    /* count: f = f0 + beta f1 at the places */
} fathom_line_piece;

fathom_status fathom_line_piece_open(fathom_line_piece *piece, const fathom_exact_line *line);
void fathom_line_piece_close(fathom_line_piece *piece);

/* Finds the piece that holds beta > 0, from the knots, signs and regime that `piece` has (at first none).
 * *found is false where the search took too many steps. ERROR_STOPPED on the context's limits. */
fathom_status fathom_line_piece_find(bool *found, fathom_line_piece *piece, const mpq_t beta);

/* Slopes (count - 1) of the optimal f at a beta of the piece. */
void fathom_line_piece_slopes(mpq_t *slope, const fathom_line_piece *piece, const mpq_t beta);

/* Room for rational numbers, all 0; NULL where memory is short. */
mpq_t *fathom_rationals_create(fathom_context *context, int64_t count);
void fathom_rationals_free(fathom_context *context, mpq_t *q, int64_t count);

#endif
