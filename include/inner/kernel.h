/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: kernels in blocks and in files. */
#ifndef FATHOM_INNER_KERNEL_H
#define FATHOM_INNER_KERNEL_H

#include "fathom/kernel.h"
#include "inner/certificate.h"
#include "inner/program.h"

/* Whether the whole matrix is within the context's memory limit; otherwise it can be written by rows. */
FATHOM_PROGRAM bool fathom_kernel_fits(const fathom_kernel *kernel);

/* Gives room for the whole matrix (8 n^2 bytes), or ERROR_MEMORY with "would need N GB"; free it with the
 * other. */
FATHOM_PROGRAM fathom_status fathom_kernel_allocate(double **matrix, const fathom_kernel *kernel);
FATHOM_PROGRAM void fathom_kernel_release(double *matrix, const fathom_kernel *kernel);

/* Fills rows first .. first + count of the same matrix, bit for bit. */
fathom_status fathom_kernel_fill_rows(double *rows, int64_t ld, const fathom_kernel *kernel, int64_t first,
                                      int64_t count);

/* Proven bounds that need no more than one pass over the matrix. */
typedef struct fathom_kernel_summary {
    double trace;
    double lambda_min_upper; /* smallest diagonal entry */
    double lambda_max_lower; /* 1'K1 / n */
    double lambda_max_upper; /* largest sum of absolute values of a row */
} fathom_kernel_summary;

/* Writes the matrix to an NPY file by blocks of rows: memory for the points and one block. `summary` may be
 * NULL. */
FATHOM_PROGRAM fathom_status fathom_kernel_write(const fathom_kernel *kernel, const char *path,
                                                 fathom_kernel_summary *summary);

/* The same by the diagonal alone, in O(n d): the exact matrix is positive semidefinite, so that its largest
 * eigenvalue is at most its trace. For where there was no time for more; looks at no limit. */
FATHOM_PROGRAM fathom_status fathom_kernel_summarize(fathom_kernel_summary *summary,
                                                     const fathom_kernel *kernel);

/* Writes a matrix that was filled already. */
FATHOM_PROGRAM fathom_status fathom_kernel_write_matrix(const fathom_kernel *kernel, const char *path,
                                                        const double *matrix, int64_t ld);

/* Adds both ends of the spectrum, as claims about the exact kernel of the data's points: the intervals are
 * wider than those of the stored matrix by its rounding. ERROR_USAGE for both layers of finite width. */
fathom_status fathom_certificate_add_spectrum(fathom_certificate *certificate,
                                              const fathom_kernel_claim *claim);

#endif
