/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of the gated program with its points, dense or sparse: the one place that knows which.
 *
 * Dense points: w_j = A_j' v of every gate (outputs x d) are stored, and terms are those of stored weights.
 * Sparse points: weights are never stored for more than a few gates at a time; what is asked for is made
 * from v (outputs x n) and dropped.
 */
#ifndef FATHOM_GATED_POINTS_H
#define FATHOM_GATED_POINTS_H

#include "objective.h"

/* Gates of a problem: index[0..count), or first .. first + count where there is no index. */
typedef struct fathom_gated_list {
    int64_t count, first;
    const int64_t *index;
} fathom_gated_list;

fathom_sparse_gates fathom_gated_sparse_set(const fathom_objective *p, fathom_gated_list list);

/* Doubles of workspace of the products below. */
int64_t fathom_gated_workspace(const fathom_objective *p, int threads);

/* g (count x outputs x d) = F*(V), v outputs x n; f (outputs x n) = F(W). `outputs` may be others than the
 * problem's. */
void fathom_gated_adjoint(double *g, const fathom_objective *p, fathom_gated_list list, const double *v,
                          int64_t outputs, int threads, double *workspace);
void fathom_gated_forward(double *f, const fathom_objective *p, fathom_gated_list list, const double *w,
                          int64_t outputs, int threads, double *workspace);

/* norm (count) = |A_j' v|; sparse points. */
void fathom_gated_norms(double *norm, const fathom_objective *p, fathom_gated_list list, const double *v,
                        int threads, double *workspace);

/* t (count x outputs x n): scale_i D_ij <x_i, A_j' v>. `adjoint` holds A_j' v (count x outputs x d), for
 * sparse points v itself. */
void fathom_gated_terms(double *t, const fathom_objective *p, fathom_gated_list list, const double *adjoint,
                        const double *scale, int threads, double *workspace);

#endif
