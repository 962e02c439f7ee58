/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of matrices copied into panels. The widths of the kernels are constants here, so that a row of a
 * panel is a few registers; reading goes along rows as they are stored, writing to all panels at once.
 */
#include "product_pack.h"

#include <string.h>

#include "dispatch.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

enum {
    SIDE = 4,    /* entries each way that are turned at once */
    AHEAD = 16,  /* how far ahead along a row memory is asked for */
    BELOW = 8,   /* and how many rows below */
    TOGETHER = 8 /* panels written at once: more would fight for places in the cache */
};

static inline __attribute__((always_inline)) void copy_rows(double *restrict to, const double *restrict from,
                                                            int64_t ld, int64_t depth, const int64_t width,
                                                            int64_t panels)
{
    const int64_t most = width >= 32 ? 1 : width >= 4 ? 32 / width : TOGETHER;
    for (int64_t p = 0; p < panels; p += most) {
        const int64_t count = panels - p < most ? panels - p : most;
        double *panel = to + p * width * depth;
        for (int64_t k = 0; k < depth; k++)
            for (int64_t q = 0; q < count; q++) {
                const double *row = from + k * ld + (p + q) * width;
                __builtin_prefetch(row + BELOW * ld);
                memcpy(panel + q * width * depth + k * width, row, (size_t)width * sizeof *to);
            }
    }
}

FATHOM_DISPATCH static void pack_straight(double *restrict to, const double *restrict from, int64_t ld,
                                          int64_t depth, int64_t width, int64_t panels)
{
    switch (width) {
    case 2:
        copy_rows(to, from, ld, depth, 2, panels);
        break;
    case 4:
        copy_rows(to, from, ld, depth, 4, panels);
        break;
    case 8:
        copy_rows(to, from, ld, depth, 8, panels);
        break;
    case 12:
        copy_rows(to, from, ld, depth, 12, panels);
        break;
    case 24:
        copy_rows(to, from, ld, depth, 24, panels);
        break;
    default:
        copy_rows(to, from, ld, depth, width, panels);
    }
}

void fathom_product_pack(double *restrict to, const double *restrict from, int64_t ld, int64_t depth,
                         int64_t width, int64_t panels)
{
    pack_straight(to, from, ld, depth, width, panels);
}

/* to[l width + j] = from[j ld + l] for j, l < SIDE. */
static inline __attribute__((always_inline)) void turn_plain(double *restrict to, int64_t width,
                                                             const double *restrict from, int64_t ld)
{
    for (int l = 0; l < SIDE; l++)
        for (int j = 0; j < SIDE; j++)
            to[l * width + j] = from[j * ld + l];
}

#if defined(__x86_64__) && defined(__GNUC__)
/* Two entries of rows j and j + 2 meet in a register as they are loaded; then pairs of registers are
 * mixed. */
__attribute__((target("avx"))) static inline __attribute__((always_inline)) void
turn_avx(double *restrict to, int64_t width, const double *restrict from, int64_t ld)
{
    __m256d half[SIDE];
#pragma GCC unroll 4
    for (int k = 0; k < SIDE; k++) { /* columns k / 2 * 2 and the next of rows k % 2 and k % 2 + 2 */
        const double *at = from + (k & 1) * ld + (k & 2);
        half[k] =
            _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(at)), _mm_loadu_pd(at + 2 * ld), 1);
    }
    _mm256_storeu_pd(to, _mm256_unpacklo_pd(half[0], half[1]));
    _mm256_storeu_pd(to + width, _mm256_unpackhi_pd(half[0], half[1]));
    _mm256_storeu_pd(to + 2 * width, _mm256_unpacklo_pd(half[2], half[3]));
    _mm256_storeu_pd(to + 3 * width, _mm256_unpackhi_pd(half[2], half[3]));
}
#endif

typedef void turn_panel(double *restrict to, const double *restrict from, int64_t ld, int64_t depth,
                        int64_t width);

/* One panel, two blocks deep at a time: a line of the cache of every row. */
#define TURN_PANEL(turn)                                                                \
    const int64_t even = depth / (2 * SIDE) * (2 * SIDE), across = width / SIDE * SIDE; \
    for (int64_t k = 0; k < even; k += 2 * SIDE)                                        \
        for (int64_t j = 0; j < across; j += SIDE) {                                    \
            for (int64_t l = 0; l < SIDE; l++)                                          \
                __builtin_prefetch(from + (j + l) * ld + k + AHEAD);                    \
            turn(to + k * width + j, width, from + j * ld + k, ld);                     \
            turn(to + (k + SIDE) * width + j, width, from + j * ld + k + SIDE, ld);     \
        }                                                                               \
    for (int64_t k = 0; k < depth; k++)                                                 \
        for (int64_t j = k < even ? across : 0; j < width; j++)                         \
    to[k * width + j] = from[j * ld + k]

static void turn_panel_plain(double *restrict to, const double *restrict from, int64_t ld, int64_t depth,
                             int64_t width)
{
    TURN_PANEL(turn_plain);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx"))) static void turn_panel_avx(double *restrict to, const double *restrict from,
                                                          int64_t ld, int64_t depth, int64_t width)
{
    TURN_PANEL(turn_avx);
}

static turn_panel *fitting(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx") ? turn_panel_avx : turn_panel_plain;
}
#else
static turn_panel *fitting(void) { return turn_panel_plain; }
#endif

void fathom_product_pack_turned(double *restrict to, const double *restrict from, int64_t ld, int64_t depth,
                                int64_t width, int64_t panels)
{
    turn_panel *turn = fitting();
    for (int64_t p = 0; p < panels; p++)
        turn(to + p * width * depth, from + p * width * ld, ld, depth, width);
}

void fathom_product_pack_part(double *restrict to, const double *restrict from, int64_t down, int64_t across,
                              int64_t depth, int64_t width, int64_t count)
{
    for (int64_t k = 0; k < depth; k++)
        for (int64_t j = 0; j < width; j++)
            to[k * width + j] = j < count ? from[k * down + j * across] : 0;
}
