/* SPDX-License-Identifier: Apache-2.0 */
/* The margin of both layers: what remains of w = (a, v) once the direction u of v is known; see
 * margin_full.c. */
#ifndef FATHOM_MARGIN_FULL_H
#define FATHOM_MARGIN_FULL_H

#include "margin_internal.h"
#include "margin_points.h"

/* Octaves of c, 2^-k / 2 < c <= 2^-k, each with a polynomial through its Chebyshev points. */
enum { FATHOM_FULL_OCTAVES = 27, FATHOM_FULL_ORDER = 22 };

/* Tables of A and B. */
typedef struct fathom_full_table {
    double *a, *b;  /* OCTAVES x ORDER: Chebyshev coefficients */
    double rr, aa;  /* E r^2 1[..], E a^2 1[..] */
    double r;       /* E r 1[..] */
    double whole;   /* g(1) = E sqrt(r^2 + a^2) 1[..]: no average over (r, a) is larger */
    double error;   /* bound on c |error of A| + |error of B| */
    double error_g; /* bound on the error of g = c^2 A + B */
    double doubt;   /* bound on |error of rr| + |error of aa| */
} fathom_full_table;

fathom_status fathom_full_table_create(fathom_full_table *table, fathom_context *context, int64_t d);
void fathom_full_table_free(fathom_full_table *table, fathom_context *context);

/* The octave of c, 0 <= c <= 1, and the place x in it, -1 <= x <= 1; what lies below the last octave is
 * moved to its end. */
int64_t fathom_full_octave(double *x, double c);

/* The polynomial of an octave (of an array OCTAVES x ORDER) at x. */
double fathom_full_sum(const double *coefficient, int64_t octave, double x);

/* Point k of an octave, k < ORDER, and the polynomial (ORDER) through values (ORDER) there. */
double fathom_full_point(int64_t octave, int64_t k);
void fathom_full_interpolate(double *coefficient, const double *value);

/* A(c) and B(c), 0 <= c <= 1. */
void fathom_full_look_up(double *a, double *b, const fathom_full_table *table, double c);

/* Draws m neurons (a_j, v_j), v_j ~ N(0, I/d), from the context's seed and keeps those shorter than 2, each
 * of weight 1/m:
 * patterns and rho in `gates`, whose orientations are the v_j, and a_j in *gain (owned by the caller). */
fathom_status fathom_full_draw(fathom_margin_gates *gates, double **gain, fathom_context *context,
                               const fathom_data *data, int64_t m);

#endif
