/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of an explanation share. */
#ifndef FATHOM_EXPLAIN_INTERNAL_H
#define FATHOM_EXPLAIN_INTERNAL_H

#include "fathom/explain.h"
#include "net_internal.h"

typedef struct explain {
    const fathom_model *model;
    const fathom_net *net;
    const fathom_data_view *view;
    int64_t d, m, outputs, columns;
    double leak;                         /* the slope below 0 */
    double *z, *moved, *gradient, *best; /* d each: the row, a point on the way, a slope, the nearest found */
    double *norm, *reach, *weight; /* m each: |u_j| over the columns, |t_j| / |u_j|, weight in a difference */
    double *a;                     /* m x outputs: s rho_j W_jk; gated: m */
    int64_t *order;                /* m: neurons by reach */
} explain;

/* t_j at z. */
double fathom_explain_pre(const explain *x, const double *z, int64_t j);

/* Class, and distance to the nearest input of another one, for row i, which is in x->z. */
void fathom_explain_nearest(explain *x, fathom_explanation *e, int64_t i);

#endif
