/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel matrices against the machine's own matrix product.
 *
 *     bench_kernel [n] [repeats] [spectrum]
 *
 * For several d: the best wall time of fathom_kernel_fill (n x n, first layer, infinite width) on all cores, its
 * processor time (all threads added, which a busy machine distorts less), and the processor time that a symmetric
 * product of the same size, n^2 d flops, takes at the rate of dgemm on tiles of the size that kernel.c uses. The ratio
 * of the last two is what the angles and the memory cost. With `spectrum`, the time of the proven ends of the last
 * matrix.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fathom/kernel.h"

#include "blas.h"
#include "clock.h"
#include "random.h"

enum { TILE = 256 };

/* Processor seconds of this process. */
static double processor_seconds(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static double best(double a, double b) { return a < b ? a : b; }

/* Seconds of one tile product with inner dimension d: c = a b', best of many. */
static double tile_seconds(int64_t d)
{
    double *a = calloc((size_t)(TILE * d), sizeof *a), *c = calloc(TILE * TILE, sizeof *c), seconds = 1e9;
    if (!a || !c)
        exit(1);
    fathom_random_normals(a, TILE * d, 2, FATHOM_STREAM_DATA, 0, 0);
    for (int repeat = 0; repeat < 200; repeat++) {
        const double start = processor_seconds();
        fathom_blas_gemm(c, TILE, TILE, TILE, d, 1, fathom_plain(a, d), fathom_transposed(a, d), 0);
        seconds = best(seconds, processor_seconds() - start);
    }
    free(a);
    free(c);
    return seconds;
}

static void measure(double *k, int64_t n, int64_t d, int repeats, fathom_context *context)
{
    double *x = malloc((size_t)(n * d) * sizeof *x), fill = 1e9, work = 1e9;
    fathom_data *data;
    fathom_kernel *kernel;
    if (!x)
        exit(1);
    fathom_random_normals(x, n * d, 1, FATHOM_STREAM_DATA, 0, 0);
    if (fathom_data_create(&data, context, n, d, x, d, 0, NULL, NULL, NULL) != FATHOM_OK ||
        fathom_kernel_create(&kernel, context, data, NULL) != FATHOM_OK)
        exit(1);
    for (int repeat = 0; repeat < repeats; repeat++) {
        const double start = fathom_clock_seconds(), spent = processor_seconds();
        if (fathom_kernel_fill(k, n, kernel) != FATHOM_OK)
            exit(1);
        fill = best(fill, fathom_clock_seconds() - start);
        work = best(work, processor_seconds() - spent);
    }
    const double tiles = (double)n / TILE * ((double)n / TILE + 1) / 2;
    const double product = tiles * tile_seconds(d);
    printf("%7lld %6lld %10.3f %12.3f %12.3f %6.2f\n", (long long)n, (long long)d, fill, work, product,
           product / work);
    fathom_kernel_free(kernel);
    fathom_data_free(data);
    free(x);
}

int main(int count, char **arguments)
{
    const int64_t n = count > 1 ? atoll(arguments[1]) : 10000;
    const int repeats = count > 2 ? atoi(arguments[2]) : 3;
    const int64_t d[] = {3, 30, 100, 784, 3072};
    fathom_context *context;
    double *k = malloc((size_t)(n * n) * sizeof *k);
    if (!k || fathom_context_create(&context, NULL) != FATHOM_OK)
        return 1;
    printf("%7s %6s %10s %12s %12s %6s\n", "n", "d", "wall s", "processor s", "dgemm s", "ratio");
    for (size_t j = 0; j < sizeof d / sizeof *d; j++)
        measure(k, n, d[j], repeats, context);
    if (count > 3) {
        fathom_spectrum s;
        const double start = fathom_clock_seconds();
        if (fathom_spectrum_compute(&s, k, n, n, context) != FATHOM_OK)
            return 1;
        printf("spectrum %.1f s: lambda_min in [%.9g, %.9g], lambda_max in [%.9g, %.9g]\n",
               fathom_clock_seconds() - start, s.lambda_min_lower, s.lambda_min_upper, s.lambda_max_lower,
               s.lambda_max_upper);
    }
    fathom_context_free(context);
    free(k);
    return 0;
}
