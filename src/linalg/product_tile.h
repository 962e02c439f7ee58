/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The innermost loops of a product for one set of instructions; no guard: product_kernels.c includes it once for each, with
 *
 *     NAME(x)            the name of function x              TARGET             attributes of all of them
 *     VECTOR, LANES      a register and its doubles          HEIGHT, VECTORS    a tile: rows, registers in a row
 *     LOAD(p) STORE(p, v) SPREAD(p)   p[0], p[1], ..; *p in every lane
 *     FUSED(a, b, c) TIMES(a, b) PLUS(a, b)   a b + c rounded once where the processor can; a b; a + b
 *     KEEP(v)            the compiler may assume nothing about v
 *
 * and HEIGHT x VECTORS sums, VECTORS registers of B and one of A at most as many as there are registers.
 */

/* fathom_product_kernel.tile for `vectors` registers in a row: a constant where it is called, so that sums stay in registers. */
TARGET static inline __attribute__((always_inline)) void
NAME(tile_of)(double *out, int64_t ld, double alpha, bool add, const double *a, int64_t row, int64_t step,
              const double *b, int64_t inner, fathom_product_soon soon, const int vectors)
{
    enum { AHEAD = 16 }; /* rows of B */
    VECTOR c[HEIGHT][VECTORS], x[VECTORS];
    const double *low = a, *high = a + HEIGHT / 2 * row;
#pragma GCC unroll 8
    for (int i = 0; i < HEIGHT; i++)
#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++) {
            if (j < vectors)
                __builtin_prefetch(out + i * ld + j * LANES, 1);
            c[i][j] = ZERO;
        }
    for (int64_t k = 0; k < inner;
         k++, b += LANES * vectors, low += step, high += step, soon.at += soon.step) {
        __builtin_prefetch(soon.at, 0, 2);
#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++)
            if (j < vectors) {
                if (j * LANES % 8 == 0) /* once a line of the cache */
                    __builtin_prefetch(b + AHEAD * LANES * vectors + j * LANES);
                x[j] = LOAD(b + j * LANES);
            }
#pragma GCC unroll 8
        for (int i = 0; i < HEIGHT; i++) {
            const VECTOR at = SPREAD(i < HEIGHT / 2 ? low + i * row : high + (i - HEIGHT / 2) * row);
#pragma GCC unroll 4
            for (int j = 0; j < VECTORS; j++)
                if (j < vectors)
                    c[i][j] = FUSED(at, x[j], c[i][j]);
        }
    }
    const double scale[1] = {alpha};
#pragma GCC unroll 8
    for (int i = 0; i < HEIGHT; i++)
#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++)
            if (j < vectors) {
                double *at = out + i * ld + j * LANES;
                const VECTOR t = TIMES(SPREAD(scale), c[i][j]);
                STORE(at, add ? PLUS(LOAD(at), t) : t);
            }
}

TARGET static void NAME(tile)(double *out, int64_t ld, double alpha, bool add, const double *a, int64_t row,
                              int64_t step, const double *b, int64_t inner, fathom_product_soon soon,
                              int64_t width)
{
    if (width > 2 * LANES)
        NAME(tile_of)(out, ld, alpha, add, a, row, step, b, inner, soon, VECTORS);
    else if (width > LANES)
        NAME(tile_of)(out, ld, alpha, add, a, row, step, b, inner, soon, 2);
    else
        NAME(tile_of)(out, ld, alpha, add, a, row, step, b, inner, soon, 1);
}

/* As many sums as in a tile, with nothing loaded or stored. */
TARGET static double NAME(spin)(int64_t rounds)
{
    enum { SUMS = HEIGHT * VECTORS };
    const double start[1] = {0.5};
    VECTOR c[SUMS], x = SPREAD(start);
#pragma GCC unroll 32
    for (int i = 0; i < SUMS; i++) { /* every sum for itself */
        c[i] = x;
        KEEP(c[i]);
    }
    for (int64_t k = 0; k < rounds; k++)
#pragma GCC unroll 32
        for (int i = 0; i < SUMS; i++) {
            KEEP(x); /* every product too */
            c[i] = FUSED(x, x, c[i]);
        }
#pragma GCC unroll 32
    for (int i = 0; i < SUMS; i++)
        KEEP(c[i]);
    return 2.0 * LANES * SUMS * (double)rounds;
}

#undef NAME
#undef TARGET
#undef VECTOR
#undef LANES
#undef HEIGHT
#undef VECTORS
#undef ZERO
#undef LOAD
#undef STORE
#undef SPREAD
#undef FUSED
#undef TIMES
#undef PLUS
#undef KEEP
