/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel Cholesky factorisation A = L L' by fixed tiles, and what its success proves.
 *
 * Tiles of 256 x 256, right-looking: factor the diagonal tile, solve the panel below it, update the rest; panel and
 * update run in parallel over tiles. Same bits for every number of threads. Cost n^3 / 3 flops at GEMM rate.
 *
 * Guarantee [Higham, Accuracy and Stability, Thm 10.3; Rump, BIT 46 (2006)]: whatever the order of the sums, a
 * factorisation that runs to its end satisfies L L' = A + E with |E|_2 <= g / (1 - g) trace(A), g = (n + 4) u /
 * (1 - (n + 4) u), u = 2^-53 (n + 4 instead of n + 1: kernels may multiply by reciprocals). Hence
 * lambda_min(A) >= -fathom_cholesky_slack(n, trace(A)): a proof from one successful run.
 */
#ifndef FATHOM_CHOLESKY_H
#define FATHOM_CHOLESKY_H

#include "fathom/context.h"

/* The lower triangle of a (n x n, row-major, leading dimension ld) becomes L; the strict upper triangle is neither read
 * nor written. *minor receives 0, or the order of a leading minor that was not positive (L is then undefined). */
fathom_status fathom_cholesky_factor(int64_t *minor, double *a, int64_t ld, int64_t n,
                                     fathom_context *context);

/* Doubles that a factorisation takes while it runs. */
int64_t fathom_cholesky_workspace(const fathom_context *context);

/* The same, given up with *cut = true, L undefined, once the context asks to stop; looked for before every 256 columns. */
fathom_status fathom_cholesky_factor_until(int64_t *minor, bool *cut, double *a, int64_t ld, int64_t n,
                                           fathom_context *context);

/* x (n x columns, leading dimension ldx) = (L L')^{-1} x. */
void fathom_cholesky_apply(double *x, int64_t ldx, int64_t columns, const double *l, int64_t ld, int64_t n,
                           const fathom_context *context);

/* The bound of the head comment, rounded up; infinite where n is too large for it. */
double fathom_cholesky_slack(int64_t n, double trace);

#endif
