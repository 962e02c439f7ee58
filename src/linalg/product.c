/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C (rows x columns) = alpha op(A) op(B) + beta C on one thread.
 *
 * Method [Goto and van de Geijn 2008]: the inner dimension is cut into pieces of DEPTH; of each, a block of op(B) and a block of op(A) are
 * packed so that the kernel reads both in order, and the kernel makes C tile by tile in registers. Packing pads with
 * zeros, so that every tile is whole; what lies outside of C is dropped. Where C is narrower than a tile its transpose is made.
 *
 * Guarantee: an entry of C is ((beta c + alpha s_0) + alpha s_1) + .., s_p the chain of fused operations over piece p of the inner
 * dimension (product_kernels.h): its bits depend on its row of op(A) and its column of op(B) alone, not on where they
 * are stored, how they are aligned, or how C is cut, and are the same for all processors with fused operations.
 * Cost: 2 rows columns inner operations at 80 % or more of the processor's peak from sides of 256 on (benchmarks/forward); BUFFER
 * doubles per thread, which end with it; where there is no memory for them the packed blocks are as small as one tile.
 */
#include "product.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch.h"

enum {
    DEPTH = 256,
    ROW =
        DEPTH +
        8, /* distance of packed rows of A: no power of 2, whose addresses would share a place in the cache */
    HIGH = 96,  /* rows of a packed block of A */
    WIDE = 240, /* columns of a packed block of B */
    BUFFER = HIGH * ROW + DEPTH * WIDE,
    LITTLE = FATHOM_TILE_HEIGHT * ROW + DEPTH * FATHOM_TILE_WIDTH, /* on the stack */
    LEAST = 8 /* columns below which the transpose is made */
};

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t whole(int64_t count, int64_t piece) { return (count + piece - 1) / piece * piece; }

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void) { pthread_key_create(&key, free); }

/* The buffer of this thread, or NULL. */
static double *thread_buffer(void)
{
    static _Thread_local double *buffer;
    if (buffer)
        return buffer;
    pthread_once(&once, make_key);
    buffer = aligned_alloc(64, (size_t)whole(BUFFER, 8) * sizeof *buffer);
    if (buffer)
        pthread_setspecific(key, buffer);
    return buffer;
}

/* A product in hand. C is entered by c[i down + j across]. */
typedef struct product {
    double *c;
    int64_t down, across, rows, columns, inner;
    double alpha, beta;
    fathom_operand a, b;
    const fathom_product_kernel *kernel;
    int64_t high, wide;        /* of packed blocks */
    double *block_a, *block_b; /* packed */
} product;

/* to[k width + j] = entry (k, j) of op(B)' as stored by columns: from[j ld + k], for k < depth, j < count. */
FATHOM_DISPATCH static void pack_turned(double *restrict to, const double *restrict from, int64_t ld,
                                        int64_t depth, int64_t count, int64_t width)
{
    enum { SIDE = 8 };
    int64_t k = 0;
    for (; k + SIDE <= depth; k += SIDE)
        for (int64_t j = 0; j < count; j++)
            for (int l = 0; l < SIDE; l++)
                to[(k + l) * width + j] = from[j * ld + k + l];
    for (; k < depth; k++)
        for (int64_t j = 0; j < count; j++)
            to[k * width + j] = from[j * ld + k];
}

/* to[k width + j] = from[k ld + j]. */
FATHOM_DISPATCH static void pack_straight(double *restrict to, const double *restrict from, int64_t ld,
                                          int64_t depth, int64_t count, int64_t width)
{
    for (int64_t k = 0; k < depth; k++)
        for (int64_t j = 0; j < count; j++)
            to[k * width + j] = from[k * ld + j];
}

/* Rows first.. of op(B), `depth` of them, columns `left`.., `count` of them, in panels of the kernel's width. */
static void pack_b(const product *p, int64_t first, int64_t depth, int64_t left, int64_t count)
{
    const int64_t width = p->kernel->width;
    for (int64_t j = 0; j < count; j += width) {
        double *panel = p->block_b + j * depth;
        const int64_t here = smaller(width, count - j);
        if (here < width)
            memset(panel, 0, (size_t)(depth * width) * sizeof *panel);
        if (p->b.transposed)
            pack_turned(panel, p->b.a + (left + j) * p->b.ld + first, p->b.ld, depth, here, width);
        else
            pack_straight(panel, p->b.a + first * p->b.ld + left + j, p->b.ld, depth, here, width);
    }
}

/* Rows top.., `count` of them, of op(A), columns first.., `depth` of them: as rows of length ROW, or where A is transposed in panels of the
 * kernel's height. */
static void pack_a(const product *p, int64_t first, int64_t depth, int64_t top, int64_t count)
{
    const int64_t height = p->kernel->height;
    for (int64_t i = 0; i < count; i += height) {
        double *panel = p->block_a + i * ROW;
        const int64_t here = smaller(height, count - i);
        if (here < height)
            memset(panel, 0, (size_t)(height * ROW) * sizeof *panel);
        if (p->a.transposed)
            pack_straight(panel, p->a.a + first * p->a.ld + top + i, p->a.ld, depth, here, height);
        else
            for (int64_t r = 0; r < here; r++)
                memcpy(panel + r * ROW, p->a.a + (top + i + r) * p->a.ld + first,
                       (size_t)depth * sizeof *panel);
    }
}

/* c (height x width) += tile, or = tile; rows of the tile are ld apart. */
static void add_part(double *c, int64_t down, int64_t across, const double *tile, int64_t height,
                     int64_t width, int64_t ld, bool add)
{
    for (int64_t i = 0; i < height; i++)
        for (int64_t j = 0; j < width; j++) {
            double *at = c + i * down + j * across;
            *at = add ? *at + tile[i * ld + j] : tile[i * ld + j];
        }
}

/* One tile of C: where it is whole the kernel writes it, else it goes beside. */
static void make_tile(const product *p, int64_t i, int64_t j, int64_t height, int64_t width, const double *a,
                      const double *b, int64_t depth, bool add)
{
    const fathom_product_kernel *kernel = p->kernel;
    const int64_t row = p->a.transposed ? 1 : ROW, step = p->a.transposed ? kernel->height : 1;
    double *c = p->c + i * p->down + j * p->across, beside[FATHOM_TILE_HEIGHT * FATHOM_TILE_WIDTH];
    if (height == kernel->height && width == kernel->width && p->across == 1) {
        kernel->tile(c, p->down, p->alpha, add, a, row, step, b, depth);
        return;
    }
    kernel->tile(beside, kernel->width, p->alpha, false, a, row, step, b, depth);
    add_part(c, p->down, p->across, beside, height, width, kernel->width, add);
}

/* All tiles of the blocks packed: rows top.., columns left.. of C. */
static void multiply_blocks(const product *p, int64_t depth, int64_t top, int64_t rows, int64_t left,
                            int64_t columns, bool add)
{
    const int64_t height = p->kernel->height, width = p->kernel->width;
    for (int64_t i = 0; i < rows; i += height)
        for (int64_t j = 0; j < columns; j += width)
            make_tile(p, top + i, left + j, smaller(height, rows - i), smaller(width, columns - j),
                      p->block_a + i * ROW, p->block_b + j * depth, depth, add);
}

static void run(const product *p)
{
    for (int64_t left = 0; left < p->columns; left += p->wide) {
        const int64_t columns = smaller(p->wide, p->columns - left);
        for (int64_t first = 0; first < p->inner; first += DEPTH) {
            const int64_t depth = smaller(DEPTH, p->inner - first);
            pack_b(p, first, depth, left, columns);
            for (int64_t top = 0; top < p->rows; top += p->high) {
                const int64_t rows = smaller(p->high, p->rows - top);
                pack_a(p, first, depth, top, rows);
                multiply_blocks(p, depth, top, rows, left, columns, first > 0 || p->beta != 0);
            }
        }
    }
}

/* C = beta C. */
static void scale_only(const product *p)
{
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = 0; j < p->columns; j++) {
            double *at = p->c + i * p->down + j * p->across;
            *at = p->beta == 0 ? 0 : p->beta * *at;
        }
}

/* C' = alpha op(B)' op(A)' + beta C'. */
static void turn(product *p)
{
    const fathom_operand a = p->a;
    const int64_t rows = p->rows, down = p->down;
    p->a = (fathom_operand){p->b.a, p->b.ld, !p->b.transposed};
    p->b = (fathom_operand){a.a, a.ld, !a.transposed};
    p->rows = p->columns;
    p->columns = rows;
    p->down = p->across;
    p->across = down;
}

void fathom_product(double *c, int64_t ldc, int64_t rows, int64_t columns, int64_t inner, double alpha,
                    fathom_operand a, fathom_operand b, double beta, const fathom_product_kernel *kernel)
{
    product p = {c, ldc, 1, rows, columns, inner, alpha, beta, a, b, kernel, HIGH, WIDE, NULL, NULL};
    double little[LITTLE];
    if (inner <= 0 || alpha == 0) {
        scale_only(&p);
        return;
    }
    if (beta != 0 && beta != 1)
        scale_only(&p);
    if (columns < LEAST && columns < rows)
        turn(&p);
    const int64_t all_rows = whole(p.rows, kernel->height), all_columns = whole(p.columns, kernel->width);
    const bool fits = all_rows * ROW + all_columns * smaller(inner, DEPTH) <= LITTLE;
    double *buffer = fits ? NULL : thread_buffer();
    if (!buffer) {
        buffer = little;
        p.high = fits ? all_rows : kernel->height;
        p.wide = fits ? all_columns : kernel->width;
    }
    p.block_a = buffer;
    p.block_b = buffer + p.high * ROW;
    run(&p);
}
