/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of the gated program with its points, dense or sparse: the one place that knows which.
 *
 * Dense points: w_j = A_j' v of every gate (outputs x d) are stored, and terms are those of stored weights.
 * Sparse points: weights are never stored for more than a few gates at a time; what is asked for is made
 * from v (outputs x n) and dropped.
 *
 * The rows of many dense points are dealt to ranks (rows.h): sums over points are those of blocks added up, and vectors over the
 * points may be those of a rank's own rows where a function says so.
 */
#ifndef FATHOM_GATED_POINTS_H
#define FATHOM_GATED_POINTS_H

#include "objective.h"
#include "rows.h"

/* Gates of a problem: index[0..count), or first .. first + count where there is no index. */
typedef struct fathom_gated_list {
    int64_t count, first;
    const int64_t *index;
} fathom_gated_list;

fathom_sparse_gates fathom_gated_sparse_set(const fathom_objective *p, fathom_gated_list list);

/* How the points are dealt; sparse ones are not. */
fathom_rows fathom_gated_dealt(const fathom_objective *p);

/* Doubles of workspace of the products below, and of that what sums of up to fathom_gated_sum_most numbers over the points
 * take (rows.h). */
int64_t fathom_gated_workspace(const fathom_objective *p, int threads);
double *fathom_gated_sum_room(const fathom_objective *p, int threads, double *workspace);
int64_t fathom_gated_sum_most(const fathom_objective *p);

/* g (count x outputs x d) = F*(V), v outputs x n, of which a rank's own rows are read. `outputs` may be others than the
 * problem's. */
void fathom_gated_adjoint(double *g, const fathom_objective *p, fathom_gated_list list, const double *v,
                          int64_t outputs, int threads, double *workspace);

/* f (outputs x n) = F(W), on every rank; `own`: in a rank's own rows alone. */
void fathom_gated_forward(double *f, const fathom_objective *p, fathom_gated_list list, const double *w,
                          int64_t outputs, int threads, double *workspace);
void fathom_gated_forward_own(double *f, const fathom_objective *p, fathom_gated_list list, const double *w,
                              int64_t outputs, int threads, double *workspace);

/* x' y, vectors outputs x n of which a rank has its own rows. */
double fathom_gated_dot(const double *x, const double *y, const fathom_objective *p, double *room);

/* norm (count) = |A_j' v|; sparse points. */
void fathom_gated_norms(double *norm, const fathom_objective *p, fathom_gated_list list, const double *v,
                        int threads, double *workspace);

/* t (count x outputs x n): scale_i D_ij <x_i, A_j' v>, in the rows of `range`. `adjoint` holds A_j' v (count x outputs x d), for
 * sparse points v itself; those have all rows. */
void fathom_gated_terms(double *t, const fathom_objective *p, fathom_gated_list list, const double *adjoint,
                        const double *scale, fathom_row_range range, int threads, double *workspace);

#endif
