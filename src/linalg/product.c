/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C (rows x columns) = alpha op(A) op(B) + beta C on one thread.
 *
 * Method [Goto and van de Geijn 2008]: the inner dimension is cut into even pieces of at most DEPTH; of each,
 * a block of op(B) that half fills the second cache is packed so that the kernel reads it in order, and C is
 * made strip by strip, tile by tile in registers. Rows of A are read where they are; where A is transposed,
 * or rows are missing in the last tile, a block of it is packed too. Panels are padded with zeros to whole
 * registers; what lies outside of C is dropped. While a tile is made, memory that comes next is asked for.
 * Where C is narrower than a tile its transpose is made.
 *
 * Guarantee: an entry of C is ((beta c + alpha s_0) + alpha s_1) + .., s_p the chain of fused operations over
 * piece p of the inner dimension (product_kernels.h): its bits depend on its row of op(A) and its column of
 * op(B) alone, not on where they are stored, how they are aligned, or how C is cut, and are the same for all
 * processors with fused operations. Cost: 2 rows columns inner operations at 80 % or more of the processor's
 * peak from sides of 256 on, A as it is (benchmarks/forward); BUFFER doubles per thread, which end with it;
 * where there is no memory for them the packed blocks are as small as one tile.
 */
#include "product.h"

#include <stdlib.h>
#include <string.h>

#include "platform.h"
#include "product_pack.h"

enum {
    DEPTH = 512,     /* the longest piece of the inner dimension */
    ROW = DEPTH + 8, /* distance of packed rows of A: at a power of 2 they would share a place in the cache */
    HIGH = 48,       /* rows of a packed block of A */
    WIDE = 288,      /* columns of a packed block of B, at most */
    NARROW = 48,     /* and at least */
    BUFFER = HIGH * ROW + DEPTH * WIDE,
    LITTLE = FATHOM_TILE_HEIGHT * ROW + DEPTH * FATHOM_TILE_WIDTH, /* on the stack */
    LEAST = 8 /* columns below which the transpose is made */
};

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t whole(int64_t count, int64_t piece) { return (count + piece - 1) / piece * piece; }

/* The buffer of this thread, or NULL. */
static double *thread_buffer(void)
{
    static _Thread_local double *buffer;
    if (!buffer)
        buffer = fathom_platform_thread_memory(BUFFER * sizeof *buffer);
    return buffer;
}

/* Columns of a packed block of B that leave the second cache some room. Bits do not depend on it. */
static int64_t fitting_columns(void)
{
    static _Atomic int64_t columns;
    if (columns == 0) {
        const double fit = 5.0 / 8 * fathom_platform_cache() / (DEPTH * sizeof(double));
        columns = fit < NARROW ? NARROW : fit > WIDE ? WIDE : (int64_t)fit / NARROW * NARROW;
    }
    return columns;
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

/* The part of a tile's width that is made for `columns` of them: one register, two, or all. */
static int64_t part_width(const fathom_product_kernel *kernel, int64_t columns)
{
    return columns > 2 * kernel->lanes ? kernel->width : whole(columns, kernel->lanes);
}

/* Rows first.. of op(B), `depth` of them, columns `left`.., `count` of them, in panels of the kernel's width. */
static void pack_b(const product *p, int64_t first, int64_t depth, int64_t left, int64_t count)
{
    const int64_t width = p->kernel->width, panels = count / width, rest = count - panels * width;
    const int64_t down = p->b.transposed ? 1 : p->b.ld, across = p->b.transposed ? p->b.ld : 1;
    const double *from = p->b.a + first * down + left * across;
    if (p->b.transposed)
        fathom_product_pack_turned(p->block_b, from, across, depth, width, panels);
    else
        fathom_product_pack(p->block_b, from, down, depth, width, panels);
    if (rest > 0)
        fathom_product_pack_part(p->block_b + panels * width * depth, from + panels * width * across, down,
                                 across, depth, part_width(p->kernel, rest), rest);
}

/* Rows top.., `count` of them, of op(A), columns first.., `depth` of them, as far as they are not read in
 * place: in panels of the kernel's height where A is transposed, else the rows of the last tile if some are
 * missing, ROW apart. */
static void pack_a(const product *p, int64_t first, int64_t depth, int64_t top, int64_t count)
{
    const int64_t height = p->kernel->height, panels = count / height, rest = count - panels * height;
    const double *from = p->a.a + (p->a.transposed ? first * p->a.ld + top : top * p->a.ld + first);
    if (p->a.transposed)
        fathom_product_pack(p->block_a, from, p->a.ld, depth, height, panels);
    if (rest > 0 && p->a.transposed)
        fathom_product_pack_part(p->block_a + panels * height * depth, from + panels * height, p->a.ld, 1,
                                 depth, height, rest);
    for (int64_t i = 0; rest > 0 && !p->a.transposed && i < height; i++) {
        double *row = p->block_a + i * ROW;
        if (i < rest)
            memcpy(row, from + (panels * height + i) * p->a.ld, (size_t)depth * sizeof *row);
        else
            memset(row, 0, (size_t)depth * sizeof *row);
    }
}

/* A tile's rows of A: entry (i, k) at a[i row + k step]. */
typedef struct strip {
    const double *a;
    int64_t row, step;
} strip;

static strip strip_at(const product *p, int64_t first, int64_t depth, int64_t top, int64_t i, int64_t height)
{
    if (p->a.transposed)
        return (strip){p->block_a + i * depth, 1, p->kernel->height};
    if (height == p->kernel->height)
        return (strip){p->a.a + (top + i) * p->a.ld + first, p->a.ld, 1};
    return (strip){p->block_a, ROW, 1};
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
static void make_tile(const product *p, int64_t i, int64_t j, int64_t height, int64_t width, strip a,
                      const double *b, int64_t depth, bool add, fathom_product_soon soon)
{
    const fathom_product_kernel *kernel = p->kernel;
    const int64_t part = part_width(kernel, width);
    double *c = p->c + i * p->down + j * p->across, beside[FATHOM_TILE_HEIGHT * FATHOM_TILE_WIDTH];
    if (height == kernel->height && width == part && p->across == 1) {
        kernel->tile(c, p->down, p->alpha, add, a.a, a.row, a.step, b, depth, soon, part);
        return;
    }
    kernel->tile(beside, part, p->alpha, false, a.a, a.row, a.step, b, depth, soon, part);
    add_part(c, p->down, p->across, beside, height, width, part, add);
}

/* A block of C in hand, for a piece of the inner dimension, and which block of B is next. */
typedef struct block {
    int64_t first, depth, top, rows, left, columns;
    int64_t next_first, next_left,
        next_rows; /* of B, and how many of its rows (as stored) have been asked for */
} block;

/* What tile number n along the strip of rows i.. of a block asks for meanwhile: first the next strip of A,
 * then the next block of B. */
static fathom_product_soon look_ahead(const product *p, block *at, int64_t i, int64_t n)
{
    const int64_t height = p->kernel->height, next = at->top + i + (p->a.transposed ? p->high : height + n);
    const int64_t down = p->b.transposed ? 1 : p->b.ld, across = p->b.transposed ? p->b.ld : 1;
    if (n < (p->a.transposed ? 1 : height) && next < p->rows)
        return p->a.transposed ? (fathom_product_soon){p->a.a + at->first * p->a.ld + next, p->a.ld}
                               : (fathom_product_soon){p->a.a + next * p->a.ld + at->first, 1};
    const double *b = p->b.a + at->next_first * down + at->next_left * across;
    if (at->next_left < p->columns && at->next_rows < (p->b.transposed ? at->columns : at->depth))
        b += p->b.ld * at->next_rows++;
    return (fathom_product_soon){b, 1};
}

/* All tiles of a block. */
static void multiply_block(const product *p, block *at)
{
    const int64_t height = p->kernel->height, width = p->kernel->width;
    const bool add = at->first > 0 || p->beta != 0;
    for (int64_t i = 0; i < at->rows; i += height) {
        const int64_t here = smaller(height, at->rows - i);
        const strip a = strip_at(p, at->first, at->depth, at->top, i, here);
        for (int64_t j = 0; j < at->columns; j += width)
            make_tile(p, at->top + i, at->left + j, here, smaller(width, at->columns - j), a,
                      p->block_b + j * at->depth, at->depth, add, look_ahead(p, at, i, j / width));
    }
}

/* The length of all parts of `all` but the last, at most `most`, as even as multiples of `step` allow. */
static int64_t even_part(int64_t all, int64_t most, int64_t step)
{
    const int64_t parts = (all + most - 1) / most;
    return whole((all + parts - 1) / parts, step);
}

static void multiply_blocks(const product *p)
{
    const int64_t length = even_part(p->inner, DEPTH, 8),
                  wide = even_part(p->columns, p->wide, p->kernel->width);
    for (int64_t left = 0; left < p->columns; left += wide)
        for (int64_t first = 0; first < p->inner; first += length) {
            const bool last = first + length >= p->inner;
            block at = {.first = first,
                        .depth = smaller(length, p->inner - first),
                        .left = left,
                        .columns = smaller(wide, p->columns - left),
                        .next_first = last ? 0 : first + length,
                        .next_left = last ? left + wide : left};
            pack_b(p, first, at.depth, left, at.columns);
            for (; at.top < p->rows; at.top += p->high) {
                at.rows = smaller(p->high, p->rows - at.top);
                pack_a(p, first, at.depth, at.top, at.rows);
                multiply_block(p, &at);
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
    product p = {c, ldc, 1,      rows, columns,           inner, alpha, beta,
                 a, b,   kernel, HIGH, fitting_columns(), NULL,  NULL};
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
    const bool fits = all_rows * ROW + all_columns * even_part(inner, DEPTH, 8) <= LITTLE;
    double *buffer = fits ? NULL : thread_buffer();
    if (!buffer) {
        buffer = little;
        p.high = fits ? all_rows : kernel->height;
        p.wide = fits ? all_columns : kernel->width;
    }
    p.block_a = buffer;
    p.block_b = buffer + p.high * ROW;
    multiply_blocks(&p);
}
