/* SPDX-License-Identifier: Apache-2.0 */
/* The global margin and its pricing: max over |b| = 1 of |F_q(b)|, F_q(b) = sum_i q_i y_i relu(<b, x_i>). */
#ifndef FATHOM_MARGIN_GLOBAL_H
#define FATHOM_MARGIN_GLOBAL_H

#include "margin_result.h"

/* Pricing; `found` directions with the largest |F_q|, in descending order. */
typedef struct fathom_flat_search {
    fathom_margin_run *run; /* borrowed */
    bool all;               /* all flats are visited: upper is the maximum, up to rounding */
    const double *q;        /* of the last call */
    double upper;           /* max_b |F_q(b)| is at most this */
    int64_t found;
    double *value;     /* found */
    double *direction; /* found x d */
    double *work;      /* see margin_flats.c */
    void *crossing;
    uint32_t calls; /* of the ascent */
} fathom_flat_search;

fathom_status fathom_flat_search_create(fathom_flat_search *search, fathom_margin_run *run);
void fathom_flat_search_free(fathom_flat_search *search);

/* Prices q (n, in the simplex). */
fathom_status fathom_flat_price(fathom_flat_search *search, const double *q);

/* gamma_gl to the relative width asked for, else 1e-5, or 1e-2 where flats are too many to visit. */
fathom_status fathom_margin_global(fathom_margin_run *run);

#endif
