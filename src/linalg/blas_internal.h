/* SPDX-License-Identifier: Apache-2.0 */
/* What blas.c and lapack.c, the two halves of the adapter, share. */
#ifndef FATHOM_BLAS_INTERNAL_H
#define FATHOM_BLAS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

/* Sets the library to one thread, once per process. */
void fathom_blas_start(void);

/* narrowed[k] = size[k] for k < count; false where one is negative or exceeds INT_MAX. */
bool fathom_blas_narrow(int *narrowed, const int64_t *size, int count);

#endif
