/* SPDX-License-Identifier: Apache-2.0 */
/* Masked products over gates for sparse points; see gate_sparse.c. The dense ones are in gate_kernels.h. */
#ifndef FATHOM_GATE_SPARSE_H
#define FATHOM_GATE_SPARSE_H

#include "sparse.h"

/* Points as sparse rows (n x d), and the same by columns (d x n). Borrowed. */
typedef struct fathom_sparse_points {
    fathom_csr row, column;
} fathom_sparse_points;

/* Some gates over sparse points, as fathom_gate_set; everything is borrowed. */
typedef struct fathom_sparse_gates {
    const fathom_sparse_points *points;
    int64_t count;
    int64_t words;
    const uint64_t *bits;
    const int64_t *index;
} fathom_sparse_gates;

/* Doubles of workspace that the products below need, for points of which there are at most n. */
int64_t fathom_sparse_gate_workspace(int64_t n, int64_t d);

/* norm (count): |F*(V)_j|, F*(V)_jc = sum_i D_ij v_ci x_i over all outputs c; v outputs x n. */
void fathom_sparse_gate_norms(double *norm, const fathom_sparse_gates *gates, const double *v,
                              int64_t outputs, int threads, double *workspace);

/* g (count x outputs x d) = F*(V). */
void fathom_sparse_gate_adjoint(double *g, const fathom_sparse_gates *gates, const double *v, int64_t outputs,
                                int threads, double *workspace);

/* f (outputs x n) = F(W): f_ci = sum_j D_ij <x_i, w_jc>, w count x outputs x d. */
void fathom_sparse_gate_forward(double *f, const fathom_sparse_gates *gates, const double *w, int64_t outputs,
                                int threads, double *workspace);

/* f = F(W) for w_j = scale_j F*(V)_j of the gates `from`, which may be over other points of the same
 * columns (`gates` itself for K V); the weights are never stored, but those of a few gates at a time. */
void fathom_sparse_gate_through(double *f, const fathom_sparse_gates *gates, const fathom_sparse_gates *from,
                                const double *scale, const double *v, int64_t outputs, int threads,
                                double *workspace);

/* p (count x outputs x n): p_jci = scale_i D_ij <x_i, F*(V)_jc>; `scale` (n) may be NULL. */
void fathom_sparse_gate_terms(double *p, const fathom_sparse_gates *gates, const double *v, int64_t outputs,
                              const double *scale, int threads, double *workspace);

/* gram (n x n, leading dimension ld): <x_i, x_l> for i <= l alone, the rows first <= i < last, which are at
 * most 8. `table` (8 d) is zero before and after. */
void fathom_sparse_gram_rows(double *gram, int64_t ld, fathom_csr rows, int64_t first, int64_t last,
                             double *table);

#endif
