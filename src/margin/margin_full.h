/* SPDX-License-Identifier: Apache-2.0 */
/* The margin of both layers: what remains of w = (a, v) once the direction u of v is known; see margin_full.c. */
#ifndef FATHOM_MARGIN_FULL_H
#define FATHOM_MARGIN_FULL_H

#include "margin_internal.h"
#include "margin_points.h"

/* Tables of A and B over ln c. */
typedef struct fathom_full_table {
    int64_t count;
    double first, step; /* ln c of entry 0 (to entry count - 1 at c = 1), spacing */
    double *a, *b;      /* count */
    double rr, aa;      /* E r^2 1[..], E a^2 1[..] */
    double whole;       /* g(1) = E sqrt(r^2 + a^2) 1[..]: no average over (r, a) is larger */
    double error; /* bound on c |error of A| + |error of B|, from the middles of the table's intervals */
    double doubt; /* bound on |error of rr| + |error of aa| */
} fathom_full_table;

fathom_status fathom_full_table_create(fathom_full_table *table, fathom_context *context, int64_t d);
void fathom_full_table_free(fathom_full_table *table, fathom_context *context);

/* A(c) and B(c), 0 < c <= 1, to rounding. */
void fathom_full_integrate(double *a, double *b, int64_t d, double c);

/* A(c) and B(c), 0 <= c <= 1. */
void fathom_full_look_up(double *a, double *b, const fathom_full_table *table, double c);

/* Draws m neurons (a_j, v_j), v_j ~ N(0, I/d), from the context's seed and keeps those shorter than 2, each of weight 1/m:
 * patterns and rho in `gates`, whose orientations are the v_j, and a_j in *gain (owned by the caller). */
fathom_status fathom_full_draw(fathom_margin_gates *gates, double **gain, fathom_context *context,
                               const fathom_data *data, int64_t m);

#endif
