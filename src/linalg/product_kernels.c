/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles of products in registers: height x width sums, one row of B and one entry of A at a time.
 *
 *     instructions   tile     sums      operations per step
 *     AVX-512        8 x 24   24 of 8   24 fused, 3 loads, 8 broadcasts
 *     AVX2 and FMA   4 x 12   12 of 4   12 fused, 3 loads, 4 broadcasts
 *     plain          4 x 4    as the compiler does
 *
 * The first two keep both fused units of their processors busy, and give the same bits: a sum is one chain over k.
 */
#include "product_kernels.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86
#include <immintrin.h>
#endif

#ifdef HAVE_X86
__attribute__((target("avx512f"))) static void tile_avx512(double *out, int64_t ld, double alpha, bool add,
                                                           const double *a, int64_t row, int64_t step,
                                                           const double *b, int64_t inner)
{
    enum { H = 8, W = 3, AHEAD = 384 };
    const double *low = a, *high = a + 4 * row;
    const int64_t row2 = 2 * row, row3 = 3 * row;
    __m512d c[H][W];
#pragma GCC unroll 8
    for (int i = 0; i < H; i++)
#pragma GCC unroll 3
        for (int j = 0; j < W; j++)
            c[i][j] = _mm512_setzero_pd();
    for (int64_t k = 0; k < inner; k++, b += 8 * W, low += step, high += step) {
        const double *at[H] = {low,  low + row,  low + row2,  low + row3,
                               high, high + row, high + row2, high + row3};
        _mm_prefetch((const char *)(b + AHEAD), _MM_HINT_T0);
        _mm_prefetch((const char *)(b + AHEAD + 8), _MM_HINT_T0);
        _mm_prefetch((const char *)(b + AHEAD + 16), _MM_HINT_T0);
        const __m512d b0 = _mm512_loadu_pd(b), b1 = _mm512_loadu_pd(b + 8), b2 = _mm512_loadu_pd(b + 16);
#pragma GCC unroll 8
        for (int i = 0; i < H; i++) {
            const __m512d x = _mm512_set1_pd(*at[i]);
            c[i][0] = _mm512_fmadd_pd(x, b0, c[i][0]);
            c[i][1] = _mm512_fmadd_pd(x, b1, c[i][1]);
            c[i][2] = _mm512_fmadd_pd(x, b2, c[i][2]);
        }
    }
    const __m512d scale = _mm512_set1_pd(alpha);
#pragma GCC unroll 8
    for (int i = 0; i < H; i++)
#pragma GCC unroll 3
        for (int j = 0; j < W; j++) {
            double *at = out + i * ld + 8 * j;
            const __m512d t = _mm512_mul_pd(scale, c[i][j]);
            _mm512_storeu_pd(at, add ? _mm512_add_pd(_mm512_loadu_pd(at), t) : t);
        }
}

__attribute__((target("avx512f"))) static double spin_avx512(int64_t rounds)
{
    enum { CHAINS = 24 };
    __m512d c[CHAINS], x = _mm512_set1_pd(0.5);
#pragma GCC unroll 24
    for (int i = 0; i < CHAINS; i++)
        c[i] = _mm512_set1_pd(i);
    for (int64_t k = 0; k < rounds; k++) {
        __asm__ volatile("" : "+v"(x));
#pragma GCC unroll 24
        for (int i = 0; i < CHAINS; i++)
            c[i] = _mm512_fmadd_pd(c[i], x, x);
    }
#pragma GCC unroll 24
    for (int i = 0; i < CHAINS; i++)
        __asm__ volatile("" : "+v"(c[i]));
    return 2.0 * 8 * CHAINS * (double)rounds;
}

__attribute__((target("avx2,fma"))) static double spin_avx2(int64_t rounds)
{
    enum { CHAINS = 12 };
    __m256d c[CHAINS], x = _mm256_set1_pd(0.5);
#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; i++)
        c[i] = _mm256_set1_pd(i);
    for (int64_t k = 0; k < rounds; k++) {
        __asm__ volatile("" : "+x"(x));
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            c[i] = _mm256_fmadd_pd(c[i], x, x);
    }
#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; i++)
        __asm__ volatile("" : "+x"(c[i]));
    return 2.0 * 4 * CHAINS * (double)rounds;
}

__attribute__((target("avx2,fma"))) static void tile_avx2(double *out, int64_t ld, double alpha, bool add,
                                                          const double *a, int64_t row, int64_t step,
                                                          const double *b, int64_t inner)
{
    enum { H = 4, W = 3, AHEAD = 192 };
    const int64_t row2 = 2 * row, row3 = 3 * row;
    __m256d c[H][W];
#pragma GCC unroll 4
    for (int i = 0; i < H; i++)
#pragma GCC unroll 3
        for (int j = 0; j < W; j++)
            c[i][j] = _mm256_setzero_pd();
    for (int64_t k = 0; k < inner; k++, b += 4 * W, a += step) {
        const double *at[H] = {a, a + row, a + row2, a + row3};
        _mm_prefetch((const char *)(b + AHEAD), _MM_HINT_T0);
        _mm_prefetch((const char *)(b + AHEAD + 8), _MM_HINT_T0);
        const __m256d b0 = _mm256_loadu_pd(b), b1 = _mm256_loadu_pd(b + 4), b2 = _mm256_loadu_pd(b + 8);
#pragma GCC unroll 4
        for (int i = 0; i < H; i++) {
            const __m256d x = _mm256_broadcast_sd(at[i]);
            c[i][0] = _mm256_fmadd_pd(x, b0, c[i][0]);
            c[i][1] = _mm256_fmadd_pd(x, b1, c[i][1]);
            c[i][2] = _mm256_fmadd_pd(x, b2, c[i][2]);
        }
    }
    const __m256d scale = _mm256_set1_pd(alpha);
#pragma GCC unroll 4
    for (int i = 0; i < H; i++)
#pragma GCC unroll 3
        for (int j = 0; j < W; j++) {
            double *at = out + i * ld + 4 * j;
            const __m256d t = _mm256_mul_pd(scale, c[i][j]);
            _mm256_storeu_pd(at, add ? _mm256_add_pd(_mm256_loadu_pd(at), t) : t);
        }
}
#endif

#ifdef __FP_FAST_FMA
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

enum { PLAIN = 4 };

static void tile_plain(double *restrict out, int64_t ld, double alpha, bool add, const double *restrict a,
                       int64_t row, int64_t step, const double *restrict b, int64_t inner)
{
    double c[PLAIN][PLAIN] = {{0}};
    for (int64_t k = 0; k < inner; k++, b += PLAIN, a += step)
        for (int i = 0; i < PLAIN; i++)
            for (int j = 0; j < PLAIN; j++)
                c[i][j] = MULTIPLY_ADD(a[i * row], b[j], c[i][j]);
    for (int i = 0; i < PLAIN; i++)
        for (int j = 0; j < PLAIN; j++)
            out[i * ld + j] = alpha * c[i][j] + (add ? out[i * ld + j] : 0);
}

/* On one tile that stays in the nearest cache: the compiler's own best. */
static double spin_plain(int64_t rounds)
{
    enum { DEPTH = 64 };
    double out[PLAIN * PLAIN], a[PLAIN * DEPTH], b[PLAIN * DEPTH];
    for (int k = 0; k < PLAIN * DEPTH; k++)
        a[k] = b[k] = 0.5;
    for (int64_t k = 0; k < rounds; k += DEPTH)
        tile_plain(out, PLAIN, 1, false, a, 1, PLAIN, b, DEPTH);
    return 2.0 * PLAIN * PLAIN * (double)((rounds + DEPTH - 1) / DEPTH * DEPTH);
}

static const fathom_product_kernel kernels[] = {
#ifdef HAVE_X86
    {"avx512", 8, 24, tile_avx512, spin_avx512},
    {"avx2", 4, 12, tile_avx2, spin_avx2},
#endif
    {"plain", PLAIN, PLAIN, tile_plain, spin_plain},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static int supported(const fathom_product_kernel *kernel)
{
#ifdef HAVE_X86
    __builtin_cpu_init();
    if (kernel->tile == tile_avx512)
        return __builtin_cpu_supports("avx512f");
    if (kernel->tile == tile_avx2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return kernel->tile == tile_plain;
}

const fathom_product_kernel *fathom_product_kernel_number(int k)
{
    for (int at = 0; at < KERNELS; at++)
        if (supported(kernels + at) && k-- == 0)
            return kernels + at;
    return NULL;
}

static const fathom_product_kernel *chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose(void)
{
    const char *wanted = getenv("FATHOM_KERNELS");
    chosen = fathom_product_kernel_number(0);
    for (int k = 0; wanted && fathom_product_kernel_number(k); k++)
        if (strcmp(fathom_product_kernel_number(k)->name, wanted) == 0)
            chosen = fathom_product_kernel_number(k);
}

const fathom_product_kernel *fathom_product_kernel_chosen(void)
{
    pthread_once(&once, choose);
    return chosen;
}

double fathom_product_kernel_peak(const fathom_product_kernel *kernel)
{
    enum { ROUNDS = 100000, TRIES = 9 };
    double best = 0;
    for (int k = 0; k < TRIES; k++) {
        const double start = fathom_clock_seconds(), done = kernel->spin(ROUNDS);
        best = fmax(best, done / (fathom_clock_seconds() - start));
    }
    return best;
}
