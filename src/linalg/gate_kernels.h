/* SPDX-License-Identifier: Apache-2.0 */
/* Masked products over gates: sums over the points on which each gate is open; see gate_kernels.c. */
#ifndef FATHOM_GATE_KERNELS_H
#define FATHOM_GATE_KERNELS_H

#include <stdint.h>

/* Some gates over some points; everything is borrowed. */
typedef struct fathom_gate_set {
    int64_t n, d;    /* points, dimension */
    const double *x; /* n x d, leading dimension ldx */
    int64_t ldx;     /* */
    int64_t count;   /* gates in the set */
    int64_t words;   /* 64-bit words per pattern, (n + 63) / 64 */
    int64_t pitch;   /* words from one pattern to the next */
    int64_t ldv;     /* numbers from one output's vector over the points to the next: v, f and p */
    const uint64_t
        *bits; /* patterns, `words` each; bit i % 64 of word i / 64 is point i; unused bits are 0 */
    const int64_t *index; /* count numbers of patterns in `bits`, or NULL: the first `count` of them */
} fathom_gate_set;

/* The pattern of gate number `position` of the set. */
static inline const uint64_t *fathom_gate_pattern(const fathom_gate_set *set, int64_t position)
{
    return set->bits + (set->index ? set->index[position] : position) * set->pitch;
}

/* Doubles of workspace that the products below need. */
int64_t fathom_gate_workspace(int64_t outputs, int threads);

/* f (outputs x n, leading dimension ldv) = F(W): f_ci = sum_j D_ij <x_i, w_jc>, w count x outputs x d. */
void fathom_gate_forward(double *f, const fathom_gate_set *set, const double *w, int64_t outputs, int threads,
                         double *workspace);

/* g (count x outputs x d) = F*(V): g_jc = sum_i D_ij v_ci x_i, v outputs x n with that leading dimension. */
void fathom_gate_adjoint(double *g, const fathom_gate_set *set, const double *v, int64_t outputs, int threads,
                         double *workspace);

/* p (count x outputs x n, leading dimension ldv): p_jci = scale_i D_ij <x_i, w_jc>, the terms of F(W) one by one; `scale` (n) may be NULL. */
void fathom_gate_terms(double *p, const fathom_gate_set *set, const double *w, int64_t outputs,
                       const double *scale, int threads);

#endif
