/* SPDX-License-Identifier: Apache-2.0 */
/* The innermost loops of matrix products, one for each set of instructions, and the choice among them. */
#ifndef FATHOM_PRODUCT_KERNELS_H
#define FATHOM_PRODUCT_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

enum { FATHOM_TILE_HEIGHT = 8, FATHOM_TILE_WIDTH = 24 }; /* the largest tile of any of them */

/* Memory that will be read soon: at[0], at[step], at[2 step], .., asked for one at a time while a tile is
 * made. Nothing is read there, so it need not be valid. */
typedef struct fathom_product_soon {
    const double *at;
    int64_t step;
} fathom_product_soon;

typedef struct fathom_product_kernel {
    const char *name;         /* as FATHOM_KERNELS takes it */
    int height, width, lanes; /* of a tile; of a register */
    /* out (height x width, leading dimension ld) = alpha A B, or out + alpha A B; A height x inner with entry
     * (i, k) at a[i row + k step], B inner x width, packed, width that of the tile or one or two registers.
     * An entry of A B is the chain .. fma(a_i1, b_1j, fma(a_i0, b_0j, 0)) (products rounded before they are
     * added where the processor has no fused operation); alpha times it is rounded, then the sum. */
    void (*tile)(double *out, int64_t ld, double alpha, bool add, const double *a, int64_t row, int64_t step,
                 const double *b, int64_t inner, fathom_product_soon soon, int64_t width);
    /* Operations of a tile with nothing loaded or stored, `rounds` for each of its sums: their number. */
    double (*spin)(int64_t rounds);
} fathom_product_kernel;

/* The best for this processor, chosen at the first call; the environment variable FATHOM_KERNELS = avx512, avx2 or plain asks for
 * another one, which is taken where the processor has it. */
const fathom_product_kernel *fathom_product_kernel_chosen(void);

/* Kernel number k of those that this processor can run, the best one first; NULL beyond the last. */
const fathom_product_kernel *fathom_product_kernel_number(int k);

/* Operations (a product and a sum are two) per second that this processor can do with a kernel's instructions: the best of a few
 * runs of about a millisecond. */
double fathom_product_kernel_peak(const fathom_product_kernel *kernel);

#endif
