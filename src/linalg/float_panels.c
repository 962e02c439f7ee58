/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A two-layer network in single precision, forward and backward, by panels of neurons (float_panels.h).
 *
 * Method: tiles of 8 rows by 48 columns stay in registers while a sum runs (float_tile.inc); a chunk of
 * examples by a panel stays in the first cache between the product and what is done to it. Rows of X are read
 * where they are, for X'M as well: eight neighbours of a row at a time. Where nobody keeps z, the backward
 * pass makes it again: 6 n m d operations in place of 4 n m d, and no memory of n m.
 *
 * Guarantee: an entry of z is one chain over d; an output is 16 chains over neurons j = l, l + 16, .., added
 * in doubles; an entry of the gradient by U is a chain over each chunk of FATHOM_PANEL_ROWS examples, chunks
 * are added in single precision; one of the gradient by A is a chain; both go over to doubles after
 * FATHOM_PANEL_SUMS examples. So bits depend on the numbers alone, and are the same for all processors with
 * fused operations.
 */
#include "float_panels.h"

#include <string.h>

#include "product_kernels.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86
#include <immintrin.h>
#endif

enum { LANES_16 = FATHOM_PANEL_LANES };

#ifdef HAVE_X86
#define NAME(x) float_##x##_avx512
#define TARGET __attribute__((target("avx512f")))
#define VECTOR __m512
#define LANES 16
#define HEIGHT 8
#define ACROSS 3
#define PARTS 1
#define ZERO _mm512_setzero_ps()
#define LOAD(p) _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define SPREAD(p) _mm512_set1_ps(*(p))
#define FUSED(a, b, c) _mm512_fmadd_ps(a, b, c)
#define TIMES(a, b) _mm512_mul_ps(a, b)
#define PLUS(a, b) _mm512_add_ps(a, b)
#define SELECT(z, x, y) _mm512_mask_blend_ps(_mm512_cmp_ps_mask(z, ZERO, _CMP_GT_OQ), y, x)
#include "float_tile.inc"

#define NAME(x) float_##x##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define VECTOR __m256
#define LANES 8
#define HEIGHT 4
#define ACROSS 3
#define PARTS 2
#define ZERO _mm256_setzero_ps()
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define SPREAD(p) _mm256_broadcast_ss(p)
#define FUSED(a, b, c) _mm256_fmadd_ps(a, b, c)
#define TIMES(a, b) _mm256_mul_ps(a, b)
#define PLUS(a, b) _mm256_add_ps(a, b)
#define SELECT(z, x, y) _mm256_blendv_ps(y, x, _mm256_cmp_ps(z, ZERO, _CMP_GT_OQ))
#include "float_tile.inc"
#endif

/* Fours of floats, which every processor of 64 bits has; elsewhere the compiler takes them apart. */
typedef float four __attribute__((vector_size(16)));
typedef int32_t four_signs __attribute__((vector_size(16)));

static inline four four_load(const float *p)
{
    four v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void four_store(float *p, four v) { memcpy(p, &v, sizeof v); }

static inline four four_select(four z, four x, four y)
{
    const four_signs open = z > (four){0, 0, 0, 0};
    return (four)(((four_signs)x & open) | ((four_signs)y & ~open));
}

#if defined(__aarch64__)
#include <arm_neon.h>
#define FUSED(a, b, c) ((four)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b)))
enum { PLAIN_FUSED = 1 };
#else
#define FUSED(a, b, c) ((a) * (b) + (c))
enum { PLAIN_FUSED = 0 };
#endif
#define NAME(x) float_##x##_plain
#define TARGET
#define VECTOR four
#define LANES 4
#define HEIGHT 2
#define ACROSS 4
#define PARTS 4
#define ZERO ((four){0, 0, 0, 0})
#define LOAD(p) four_load(p)
#define STORE(p, v) four_store(p, v)
#define SPREAD(p) ((four){*(p), *(p), *(p), *(p)})
#define TIMES(a, b) ((a) * (b))
#define PLUS(a, b) ((a) + (b))
#define SELECT(z, x, y) four_select(z, x, y)
#include "float_tile.inc"

static const fathom_float_kernel kernels[] = {
#ifdef HAVE_X86
    {"avx512", true, float_tile_avx512, float_respond_avx512, float_react_avx512},
    {"avx2", true, float_tile_avx2, float_respond_avx2, float_react_avx2},
#endif
    {"plain", PLAIN_FUSED, float_tile_plain, float_respond_plain, float_react_plain},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static const fathom_float_kernel *named(const char *name)
{
    int k = 0;
    while (k < KERNELS - 1 && strcmp(kernels[k].name, name) != 0)
        k++;
    return kernels + k;
}

const fathom_float_kernel *fathom_float_kernel_number(int k)
{
    const fathom_product_kernel *twin = fathom_product_kernel_number(k);
    return twin ? named(twin->name) : NULL;
}

const fathom_float_kernel *fathom_float_kernel_chosen(void)
{
    return named(fathom_product_kernel_chosen()->name);
}

int64_t fathom_panels_count(int64_t m) { return (m + FATHOM_PANEL - 1) / FATHOM_PANEL; }

int64_t fathom_panels_columns(int64_t m) { return (m + LANES_16 - 1) / LANES_16 * LANES_16; }

int64_t fathom_panels_width(int64_t m, int64_t p)
{
    const int64_t left = fathom_panels_columns(m) - p * FATHOM_PANEL;
    return left < FATHOM_PANEL ? left : FATHOM_PANEL;
}

void fathom_panels_pack(float *u, const double *h, int64_t m, int64_t d)
{
    for (int64_t p = 0; p < fathom_panels_count(m); p++) {
        const int64_t first = p * FATHOM_PANEL, width = fathom_panels_width(m, p);
        float *panel = u + first * d;
        for (int64_t j = 0; j < width; j++)
            for (int64_t k = 0; k < d; k++)
                panel[k * width + j] = first + j < m ? (float)h[(first + j) * d + k] : 0;
    }
}

/* z (rows x width) = X U of one panel. */
static void multiply(float *z, const float *x, const float *u, int64_t rows, int64_t d, int64_t width,
                     const fathom_float_kernel *kernel)
{
    for (int64_t i = 0; i < rows; i += 8)
        kernel->tile(z + i * width, width, false, x + i * d, d, 1, u, d, rows - i < 8 ? (int)(rows - i) : 8,
                     (int)(width / LANES_16));
}

void fathom_panels_forward(double *f, float *z, float *room, const float *x, const float *u, const float *a,
                           int64_t top, int64_t n, int64_t d, int64_t m, int64_t o, float low,
                           const fathom_float_kernel *kernel)
{
    const int64_t columns = fathom_panels_columns(m),
                  rows = n - top < FATHOM_PANEL_ROWS ? n - top : FATHOM_PANEL_ROWS;
    float *sums = room + FATHOM_PANEL_ROWS * FATHOM_PANEL;
    memset(sums, 0, (size_t)(rows * o * LANES_16) * sizeof *sums);
    for (int64_t p = 0; p < fathom_panels_count(m); p++) {
        const int64_t width = fathom_panels_width(m, p), first = p * FATHOM_PANEL;
        float *here = z ? z + first * n + top * width : room;
        multiply(here, x + top * d, u + first * d, rows, d, width, kernel);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = 0; k < o; k++)
                kernel->respond(sums + (i * o + k) * LANES_16, here + i * width, a + k * columns + first, low,
                                width);
    }
    for (int64_t t = 0; t < rows * o; t++) {
        double sum = 0;
        for (int l = 0; l < LANES_16; l++)
            sum += (double)sums[t * LANES_16 + l];
        f[top * o + t] = sum;
    }
}

/* to_j (h apart) += from (depth x width) transposed, which becomes 0. */
static void hand_over(double *to, int64_t h, float *from, int64_t depth, int64_t width, int64_t count)
{
    for (int64_t k = 0; k < depth; k++)
        for (int64_t j = 0; j < count; j++)
            to[j * h + k] += (double)from[k * width + j];
    memset(from, 0, (size_t)(depth * width) * sizeof *from);
}

void fathom_panels_backward(double *hidden, double *output, float *room, const float *z, const float *x,
                            const float *u, const float *a, const float *slope, int64_t n, int64_t d,
                            int64_t m, int64_t o, int64_t p, float low, const fathom_float_kernel *kernel)
{
    const int64_t columns = fathom_panels_columns(m), first = p * FATHOM_PANEL,
                  width = fathom_panels_width(m, p), count = m - first < width ? m - first : width;
    float *pull = room, *anew = pull + FATHOM_PANEL_ROWS * width, *g = anew + FATHOM_PANEL_ROWS * width,
          *ga = g + d * width;
    double *to = hidden ? hidden + first * d : NULL, *to_output = output ? output + first * o : NULL;
    memset(g, 0, (size_t)((d + o) * width) * sizeof *g);
    if (hidden)
        memset(to, 0, (size_t)(count * d) * sizeof *to);
    if (output)
        memset(to_output, 0, (size_t)(count * o) * sizeof *to_output);
    for (int64_t top = 0; top < n; top += FATHOM_PANEL_ROWS) {
        const int64_t rows = n - top < FATHOM_PANEL_ROWS ? n - top : FATHOM_PANEL_ROWS;
        const float *here = z ? z + first * n + top * width : anew;
        if (!z)
            multiply(anew, x + top * d, u + first * d, rows, d, width, kernel);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = 0; k < o; k++)
                kernel->react(pull + i * width, output ? ga + k * width : NULL, here + i * width,
                              a + k * columns + first, slope[(top + i) * o + k], low, k > 0, width);
        for (int64_t k = 0; hidden && k < d; k += 8)
            kernel->tile(g + k * width, width, true, x + top * d + k, 1, d, pull, rows,
                         d - k < 8 ? (int)(d - k) : 8, (int)(width / LANES_16));
        if ((top + rows) % FATHOM_PANEL_SUMS != 0 && top + rows < n)
            continue;
        if (hidden)
            hand_over(to, d, g, d, width, count);
        if (output)
            hand_over(to_output, o, ga, o, width, count);
    }
}
