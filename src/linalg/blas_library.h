/* SPDX-License-Identifier: Apache-2.0 */
/* The BLAS under LAPACK: whose kernels it has chosen, and its threads, which belong to the whole process. */
#ifndef FATHOM_BLAS_LIBRARY_H
#define FATHOM_BLAS_LIBRARY_H

/* The core whose kernels it runs, in OpenBLAS's words; "": it does not say (another library). */
const char *fathom_blas_core(void);

/* The best core of OpenBLAS that this processor can run; NULL: not known. */
const char *fathom_blas_core_fitting(void);

/* Whether a core runs on at least the instructions of another one; a core that is not known does. */
int fathom_blas_core_reaches(const char *core, const char *other);

/* Between begin and end, calls of the BLAS run on the calling thread alone. Any number of threads may be in
 * between at once; the last one out gives the library back the number of threads that it had, unless somebody
 * has changed it meanwhile. */
void fathom_blas_begin(void);
void fathom_blas_end(void);

#endif
