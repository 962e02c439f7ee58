/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ReLU networks in integers, for processors without floating point, over a box of inputs.
 *
 *     x_i = middle_i + step_i q_i,  |q_i| <= Q = 2^(bits-1) - 1,      g_k(q) = scale (C_k + sum_j M_jk relu(<K_j, q> + B_j)).
 *
 * K has entries of `bits` bits, M of 16, B of 32; sums are exact in 32 bits (bits = 8) or 64, out in 64.
 * Both networks are kept in the coordinates q, where the box is [-Q, Q]^d:  f_k = c_k + sum_j a_jk
 * relu(<h_j, q> + s_j).
 */
#ifndef FATHOM_FIXED_H
#define FATHOM_FIXED_H

#include "export_net.h"

typedef struct fathom_fixed {
    int bits;
    int64_t most; /* Q */
    int64_t d, m, outputs;
    double *middle, *step; /* d */
    double *h, *s, *a;     /* m x d, m, m x outputs: f in the coordinates q */
    const double *c;       /* outputs, borrowed */
    double *unit;          /* m: h_j = unit_j K_j, s_j = unit_j B_j up to rounding */
    double *
        size; /* m: sum of the absolute values of all that was added for <h_j, q> + s_j, a bound over the box */
    int32_t *k, *b, *w; /* K m x d, B m, M m x outputs */
    int64_t *constant;  /* C, outputs */
    double scale;
    double *block;
    int32_t *integers;
} fathom_fixed;

/* The integers of a folded network on low <= x <= high. ERROR_USAGE where the network is no ReLU network
 * of this form, or numbers do not fit. */
fathom_status fathom_fixed_open(fathom_fixed *fixed, const fathom_model *model, const fathom_export_net *net,
                                int bits, const double *low, const double *high);
void fathom_fixed_close(fathom_fixed *fixed, fathom_context *context);

/* f_k at q, which need not be whole, and g_k at the nearest whole numbers. */
double fathom_fixed_exact(const fathom_fixed *fixed, const double *q, int64_t output);
double fathom_fixed_rounded(const fathom_fixed *fixed, const double *q, int64_t output);

/* How far f_k(q) and g_k(round(q)) can be apart for |q_i| <= Q: at most *upper, rounding included; *lower
 * is attained. `boxes` bounds the work. */
fathom_status fathom_fixed_deviation(double *lower, double *upper, const fathom_fixed *fixed,
                                     fathom_context *context, int64_t output, int64_t boxes);

#endif
