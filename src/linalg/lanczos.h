/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest eigenvalue of a symmetric operator by Lanczos' method with full reorthogonalisation.
 *
 * From a Gaussian start vector, at most `steps` applications; ends when the residual |A q - theta q| falls below
 * tolerance * |theta|, or when the Krylov space is exhausted (all distinct eigenvalues were then seen). theta is a
 * Rayleigh quotient, hence a lower bound of the largest eigenvalue up to rounding; its error is about residual^2 / gap.
 * Memory: steps vectors. Cost: steps applications and 4 n steps^2 flops.
 */
#ifndef FATHOM_LANCZOS_H
#define FATHOM_LANCZOS_H

#include "fathom/context.h"

/* y = A x. */
typedef void (*fathom_operator)(double *y, const double *x, void *user);

/* Gives the Ritz pair: *theta and vector (n, norm 1). */
fathom_status fathom_lanczos_largest(double *theta, double *vector, fathom_operator apply, void *user,
                                     int64_t n, int64_t steps, double tolerance, fathom_context *context);

#endif
