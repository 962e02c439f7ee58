/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles of products in registers: height x width sums, one row of B and one entry of A at a time
 * (product_tile.inc).
 *
 *     instructions   tile     sums      operations per step
 *     AVX-512        8 x 24   24 of 8   24 fused, 3 loads, 8 broadcasts
 *     AVX2 and FMA   4 x 12   12 of 4   12 fused, 3 loads, 4 broadcasts
 *     plain          2 x 8    8 of 2    8 products, 8 sums (fused on arm64), 4 loads, 2 broadcasts
 *
 * All keep the units of their processors busy; those that are fused give the same bits: a sum is one chain
 * over k.
 */
#include "product_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "platform.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86
#include <immintrin.h>
#endif

#ifdef HAVE_X86
#define NAME(x) x##_avx512
#define TARGET __attribute__((target("avx512f")))
#define VECTOR __m512d
#define LANES 8
#define HEIGHT 8
#define VECTORS 3
#define ASKS 1
#define ZERO _mm512_setzero_pd()
#define LOAD(p) _mm512_loadu_pd(p)
#define STORE(p, v) _mm512_storeu_pd(p, v)
#define SPREAD(p) _mm512_set1_pd(*(p))
#define FUSED(a, b, c) _mm512_fmadd_pd(a, b, c)
#define TIMES(a, b) _mm512_mul_pd(a, b)
#define PLUS(a, b) _mm512_add_pd(a, b)
#define KEEP(v) __asm__ volatile("" : "+v"(v))
#include "product_tile.inc"

#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define VECTOR __m256d
#define LANES 4
#define HEIGHT 4
#define VECTORS 3
#define ASKS 1
#define ZERO _mm256_setzero_pd()
#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, v) _mm256_storeu_pd(p, v)
#define SPREAD(p) _mm256_broadcast_sd(p)
#define FUSED(a, b, c) _mm256_fmadd_pd(a, b, c)
#define TIMES(a, b) _mm256_mul_pd(a, b)
#define PLUS(a, b) _mm256_add_pd(a, b)
#define KEEP(v) __asm__ volatile("" : "+x"(v))
#include "product_tile.inc"
#endif

/* Pairs of doubles, which every processor of 64 bits has; elsewhere the compiler takes them apart. */
typedef double pair __attribute__((vector_size(16)));

static inline pair pair_load(const double *p)
{
    pair v;
    memcpy(&v, p, sizeof v);
    return v;
}

#if defined(__aarch64__)
#include <arm_neon.h>
#define FUSED(a, b, c) ((pair)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b)))
#elif defined(__FP_FAST_FMA)
#define FUSED(a, b, c) ((pair){fma((a)[0], (b)[0], (c)[0]), fma((a)[1], (b)[1], (c)[1])})
#else
#define FUSED(a, b, c) ((a) * (b) + (c))
#endif
#define NAME(x) x##_plain
#define TARGET
#define VECTOR pair
#define LANES 2
#define HEIGHT 2
#define VECTORS 4
#define ASKS 0
#define ZERO ((pair){0, 0})
#define LOAD(p) pair_load(p)
#define STORE(p, v) memcpy(p, &(pair){(v)[0], (v)[1]}, sizeof(pair))
#define SPREAD(p) ((pair){*(p), *(p)})
#define TIMES(a, b) ((a) * (b))
#define PLUS(a, b) ((a) + (b))
#ifdef __x86_64__
#define KEEP(v) __asm__ volatile("" : "+x"(v))
#else
#define KEEP(v) __asm__ volatile("" : "+m"(v))
#endif
#include "product_tile.inc"

static const fathom_product_kernel kernels[] = {
#ifdef HAVE_X86
    {"avx512", 8, 24, 8, tile_avx512, spin_avx512},
    {"avx2", 4, 12, 4, tile_avx2, spin_avx2},
#endif
    {"plain", 2, 8, 2, tile_plain, spin_plain},
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
static fathom_platform_once_flag once = FATHOM_PLATFORM_ONCE;

static void choose_kernels(void)
{
    const char *wanted = getenv("FATHOM_KERNELS");
    chosen = fathom_product_kernel_number(0);
    for (int k = 0; wanted && fathom_product_kernel_number(k); k++)
        if (strcmp(fathom_product_kernel_number(k)->name, wanted) == 0)
            chosen = fathom_product_kernel_number(k);
}

const fathom_product_kernel *fathom_product_kernel_chosen(void)
{
    fathom_platform_once(&once, choose_kernels);
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
