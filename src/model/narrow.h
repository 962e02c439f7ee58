/* SPDX-License-Identifier: Apache-2.0 */
/* Hidden units over few columns, in one pass: see narrow.c. */
#ifndef FATHOM_NARROW_H
#define FATHOM_NARROW_H

#include <stdint.h>

enum { FATHOM_NARROW = 32 }; /* columns at most */

/* out_i += sum_j a_j sigma(<x_i, u_j> + b_j), sigma(z) = z where z > 0, else slope z: x rows x d (leading dimension ldx), u units x d
 * (leading dimension ldu), d <= FATHOM_NARROW; b (units) may be NULL. `packed` holds d (rows rounded up to 16) + 8 doubles of workspace. */
void fathom_narrow_add(double *out, const double *x, int64_t ldx, int64_t rows, int64_t d, const double *u,
                       int64_t ldu, const double *b, const double *a, int64_t units, double slope,
                       double *packed);

#endif
