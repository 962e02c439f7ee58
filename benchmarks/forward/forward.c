/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forward pass against the machine's own matrix product, and that against the peak of its fused operations.
 *
 *     bench_forward [repeats]
 *
 * For each shape, interleaved in one run: fathom_net_forward_view, a single-threaded dgemm of the same size,
 * n x d by d x m, and a spell of operations in registers with the instructions of the product (FATHOM_KERNELS
 * asks for others). Rates in Gflop/s of the 2 n m d + 2 n m outputs flops of a forward pass and the 2 n m d
 * of a product, the latter times the number of threads. The aim is a ratio of 0.8 or more for n, m, d >= 256,
 * of forward to dgemm by the clock, the best of `repeats`, and of dgemm to the peak in processor time of the
 * thread, so that other programs matter little; the third best of `repeats`, as that clock jumps now and then
 * on virtual machines. The gradient of the squared loss by all weights is timed too; it has two such products
 * and more passes over memory, 4 n m d + 6 n m outputs flops.
 */
#include <stdio.h>
#include <stdlib.h>

#include "blas.h"
#include "clock.h"
#include "net_internal.h"
#include "platform.h"
#include "product_kernels.h"
#include "random.h"

typedef struct shape {
    int64_t n, m, d, outputs;
} shape;

static double best(double a, double b) { return a < b ? a : b; }

enum { PLACES = 3, SPELL = 20000 };

/* Keeps the PLACES largest rates seen, in descending order. */
static void rank_rate(double rates[PLACES], double rate)
{
    for (int k = 0; k < PLACES; k++)
        if (rate > rates[k]) {
            const double next = rates[k];
            rates[k] = rate;
            rate = next;
        }
}

/* The rate of the operations of a product in registers, by the time of this thread. */
static double peak_rate(void)
{
    const double start = fathom_platform_thread_seconds(), done = fathom_product_kernel_chosen()->spin(SPELL);
    return 1e-9 * done / (fathom_platform_thread_seconds() - start);
}

/* The best forward and product times of one shape; the ratio of their rates, and of the product's to the
 * peak. */
static double measure(double *of_peak, const shape *s, fathom_context *context, int repeats, int threads)
{
    double peaks[PLACES] = {0}, products[PLACES] = {0};
    fathom_context_set_threads(context, threads);
    const fathom_net_shape net_shape = {.kind = FATHOM_NET_RELU, .d = s->d, .m = s->m, .outputs = s->outputs};
    fathom_net *net;
    double *x = malloc((size_t)(s->n * s->d) * sizeof *x), *z = malloc((size_t)(s->n * s->m) * sizeof *z);
    double *out = malloc((size_t)(s->n * s->outputs) * sizeof *out);
    if (!x || !z || !out || fathom_net_create(&net, context, &net_shape) != FATHOM_OK)
        exit(1);
    const fathom_net_weights w = fathom_net_lend(net);
    fathom_random_normals(x, s->n * s->d, 1, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(w.u, s->m * s->d, 1, FATHOM_STREAM_HIDDEN, 0, 0);
    fathom_random_normals(w.w, s->m * s->outputs, 1, FATHOM_STREAM_OUTPUT, 0, 0);
    const fathom_data_view view = {.n = s->n, .d = s->d, .x = x, .ld = s->d};
    double forward = 1e9, product = 1e9, gradient = 1e9;
    double *y = calloc((size_t)(s->n * s->outputs), sizeof *y);
    double *du = malloc((size_t)(s->m * s->d) * sizeof *du),
           *dw = malloc((size_t)(s->m * s->outputs) * sizeof *dw);
    const fathom_net_weights into = {.u = du, .w = dw};
    if (!y || !du || !dw)
        exit(1);
    for (int r = 0; r < repeats; r++) {
        const double start = fathom_clock_seconds();
        if (fathom_net_forward_view(out, net, &view) != FATHOM_OK)
            exit(1);
        forward = best(forward, fathom_clock_seconds() - start);
        rank_rate(peaks, peak_rate());
        const double middle = fathom_clock_seconds(), used = fathom_platform_thread_seconds();
        fathom_blas_gemm(z, s->m, s->n, s->m, s->d, 1, fathom_plain(x, s->d), fathom_transposed(w.u, s->d),
                         0);
        const double spent = fathom_platform_thread_seconds() - used, end = fathom_clock_seconds();
        rank_rate(products, 2e-9 * (double)s->n * (double)s->m * (double)s->d / spent);
        product = best(product, end - middle);
        if (fathom_net_gradient_view(NULL, &into, net, &view, y, FATHOM_LOSS_SQUARED, true) != FATHOM_OK)
            exit(1);
        gradient = best(gradient, fathom_clock_seconds() - end);
    }
    const double nm = (double)s->n * (double)s->m;
    const double forward_rate = 2e-9 * nm * (double)(s->d + s->outputs) / forward;
    const double product_rate = 2e-9 * nm * (double)s->d / product * threads;
    const double gradient_rate = 2e-9 * nm * (double)(2 * s->d + 3 * s->outputs) / gradient;
    const int place = repeats < PLACES ? 0 : PLACES - 1;
    *of_peak = products[place] / peaks[place];
    printf("%6lld %6lld %6lld %7lld %7d %10.2f %10.2f %10.2f %6.2f %8.2f %8.2f\n", (long long)s->n,
           (long long)s->m, (long long)s->d, (long long)s->outputs, threads, gradient_rate, forward_rate,
           product_rate, forward_rate / product_rate, peaks[place], *of_peak);
    fathom_net_free(net);
    free(x), free(z), free(out), free(y), free(du), free(dw);
    return forward_rate / product_rate;
}

enum { SIDE = 1024 };

/* A million rows of ten columns through a thousand neurons, one thread: beside dgemm's rate on large matrices, and beside a pass
 * that does nothing but read the rows. 220 operations for every 8 bytes: the arithmetic decides, not memory. */
static void predict_many(fathom_context *context)
{
    const int64_t n = 1000000, m = 1000, d = 10;
    const fathom_net_shape wide = {.kind = FATHOM_NET_RELU, .d = d, .m = m, .outputs = 1};
    fathom_net *net;
    double *x = malloc((size_t)(n * d) * sizeof *x), *out = malloc((size_t)n * sizeof *out);
    double *a = malloc(2 * SIDE * SIDE * sizeof *a), sum = 0;
    fathom_context_set_threads(context, 1);
    if (!x || !out || !a || fathom_net_create(&net, context, &wide) != FATHOM_OK)
        exit(1);
    const fathom_net_weights w = fathom_net_lend(net);
    fathom_random_normals(x, n * d, 1, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(a, SIDE * SIDE, 1, FATHOM_STREAM_DATA, 1, 0);
    fathom_random_normals(w.u, m * d, 1, FATHOM_STREAM_HIDDEN, 0, 0);
    fathom_random_normals(w.w, m, 1, FATHOM_STREAM_OUTPUT, 0, 0);
    const fathom_data_view view = {.n = n, .d = d, .x = x, .ld = d};
    double forward = 1e9, product = 1e9, read = 1e9;
    for (int r = 0; r < 5; r++) {
        const double start = fathom_clock_seconds();
        if (fathom_net_forward_view(out, net, &view) != FATHOM_OK)
            exit(1);
        const double done = fathom_clock_seconds();
        fathom_blas_gemm(a + SIDE * SIDE, SIDE, SIDE, SIDE, SIDE, 1, fathom_plain(a, SIDE),
                         fathom_plain(a, SIDE), 0);
        const double multiplied = fathom_clock_seconds();
        sum += fathom_blas_sum_abs(x, n * d);
        forward = best(forward, done - start);
        product = best(product, multiplied - done);
        read = best(read, fathom_clock_seconds() - multiplied);
    }
    const double rate = 2e-9 * (double)(n * m) * (double)(d + 1) / forward;
    const double dgemm = 2e-9 * SIDE * SIDE * SIDE / product;
    printf("%lld rows, %lld columns, %lld neurons: %.3f s, %.1f Gflop/s, %.0f%% of dgemm's %.1f; reading the "
           "rows alone %.4f s\n",
           (long long)n, (long long)d, (long long)m, forward, rate, 100 * rate / dgemm, dgemm,
           sum > 0 ? read : 0);
    fathom_net_free(net);
    free(x), free(out), free(a);
}

int main(int count, char **arguments)
{
    const shape shapes[] = {{256, 256, 256, 1},    {256, 256, 256, 10},   {256, 1024, 256, 1},
                            {1024, 256, 256, 1},   {1024, 1024, 256, 10}, {2048, 1024, 512, 1},
                            {2048, 1024, 512, 64}, {4096, 512, 784, 10},  {300, 2000, 1000, 1}};
    const int repeats = count > 1 ? atoi(arguments[1]) : 20;
    fathom_context *context;
    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return 1;
    const int cores = fathom_context_threads(context);
    double worst = 1e9, worst_of_peak = 1e9, of_peak;
    printf("kernels %s\n", fathom_product_kernel_chosen()->name);
    printf("%6s %6s %6s %7s %7s %10s %10s %10s %6s %8s %8s\n", "n", "m", "d", "outputs", "threads",
           "gradient", "forward", "dgemm", "ratio", "peak", "of peak");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        worst = best(worst, measure(&of_peak, &shapes[k], context, repeats, 1));
        worst_of_peak = best(worst_of_peak, of_peak);
        if (cores > 1)
            worst = best(worst, measure(&of_peak, &shapes[k], context, repeats, cores));
    }
    printf("worst ratio %.2f, dgemm's worst share of the peak %.2f (aim: 0.80)\n", worst, worst_of_peak);
    predict_many(context);
    fathom_context_free(context);
    return 0;
}
