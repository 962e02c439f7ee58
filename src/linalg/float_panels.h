/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A two-layer network in single precision, forward and backward, by panels of neurons.
 *
 *     f_i = sum_j a_j s(z_ij),  z = X U,   X n x d, U d x m, A o x m;   s(t) = t for t > 0, else low t
 *
 * U is kept in panels of FATHOM_PANEL columns, the last one of 16, 32 or 48: panel p is d x width, packed, at
 * u + FATHOM_PANEL p d; what lies beyond column m is 0. A has rows of fathom_panels_columns(m).
 */
#ifndef FATHOM_FLOAT_PANELS_H
#define FATHOM_FLOAT_PANELS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    FATHOM_PANEL = 48, /* neurons of a panel */
    FATHOM_PANEL_ROWS =
        64, /* examples of a chunk: sums of gradients over one are chains in single precision */
    FATHOM_PANEL_SUMS = 4096, /* examples after which such sums go over to doubles */
    FATHOM_PANEL_LANES = 16   /* partial sums of an output */
};

typedef struct fathom_float_kernel {
    const char *name; /* as FATHOM_KERNELS takes it */
    bool fused;       /* a b + c is rounded once */
    /* C (height <= 8 x vectors of 16) = A B, or C + A B; entry (i, k) of A at a[i row + k step], B packed:
     * an entry of A B is one chain over k. */
    void (*tile)(float *c, int64_t ld, bool add, const float *a, int64_t row, int64_t step, const float *b,
                 int64_t inner, int height, int vectors);
    /* sums[l] += a_j s(z_j) over j = l, l + 16, .. */
    void (*respond)(float *sums, const float *z, const float *a, float low, int64_t width);
    /* pull_j = slope a_j s'(z_j), or added to it; output_j += slope s(z_j) unless output is NULL. */
    void (*react)(float *pull, float *output, const float *z, const float *a, float slope, float low,
                  bool more, int64_t width);
} fathom_float_kernel;

/* Kernel number k of those that this processor can run, the best one first; NULL beyond the last. */
const fathom_float_kernel *fathom_float_kernel_number(int k);

/* The one that goes with the kernels chosen for products of doubles. */
const fathom_float_kernel *fathom_float_kernel_chosen(void);

/* Columns of all panels of m neurons, and of panel p. */
int64_t fathom_panels_columns(int64_t m);
int64_t fathom_panels_width(int64_t m, int64_t p);
int64_t fathom_panels_count(int64_t m);

/* U in panels from the rows of H (m x d). */
void fathom_panels_pack(float *u, const double *h, int64_t m, int64_t d);

/* Outputs f (n x o) of the examples top.., FATHOM_PANEL_ROWS of them at most, of n (x n x d). Their z are
 * left in `z`, where panel p (n x width) begins at FATHOM_PANEL p n; NULL: nowhere. `room`: FATHOM_PANEL_ROWS
 * x (FATHOM_PANEL + FATHOM_PANEL_LANES o). */
void fathom_panels_forward(double *f, float *z, float *room, const float *x, const float *u, const float *a,
                           int64_t top, int64_t n, int64_t d, int64_t m, int64_t o, float low,
                           const fathom_float_kernel *kernel);

/* Gradients by the neurons of panel p: their rows of `hidden` (m x d) and of `output` (m x o), either of
 * which may be NULL, over all n examples; z as above, made anew where it is NULL; `slope` n x o. `room`: (2
 * FATHOM_PANEL_ROWS + d + o) x FATHOM_PANEL. */
void fathom_panels_backward(double *hidden, double *output, float *room, const float *z, const float *x,
                            const float *u, const float *a, const float *slope, int64_t n, int64_t d,
                            int64_t m, int64_t o, int64_t p, float low, const fathom_float_kernel *kernel);

#endif
