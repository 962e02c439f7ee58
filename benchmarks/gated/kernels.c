/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_gate_kernels: rate of the masked products over gates beside that of dgemm, one thread, in one run.
 *
 * Then the same adjoint over all cones of n points in three dimensions, along the gate tree and by the masked product.
 * Every number is the best of several repetitions in processor time; operations are counted as
 * 2 n m d outputs, those that closed gates and tables of subset sums save included: rates above dgemm's are possible.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "blas.h"
#include "fathom/gates.h"
#include "gate_kernels.h"
#include "gate_tree.h"
#include "random.h"

enum { REPEATS = 7, SIDE = 1024 };

/* Processor time: other programs on the machine do not count. */
static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static double *normals(int64_t count, uint32_t sub)
{
    double *a = malloc((size_t)count * sizeof *a);
    if (!a)
        exit(6);
    fathom_random_normals(a, count, 1, FATHOM_STREAM_SAMPLE, sub, 0);
    return a;
}

static double dgemm_seconds(double *c, const double *a)
{
    const double start = seconds();
    fathom_blas_gemm(c, SIDE, SIDE, SIDE, SIDE, 1, fathom_plain(a, SIDE), fathom_plain(a, SIDE), 0);
    return seconds() - start;
}

static void compare(int64_t n, int64_t d, int64_t m, int64_t outputs)
{
    const int64_t words = (n + 63) / 64;
    double *x = normals(n * d, 1), *w = normals(m * outputs * d, 2), *v = normals(outputs * n, 3);
    double *f = normals(outputs * n, 4), *g = normals(m * outputs * d, 5), *c = normals(SIDE * SIDE, 6);
    double *a = normals(SIDE * SIDE, 7), *work = normals(fathom_gate_workspace(outputs, 1), 8);
    uint64_t *bits = calloc((size_t)(m * words), sizeof *bits);
    double forward = INFINITY, adjoint = INFINITY, plain = INFINITY;
    for (int64_t k = 0; bits && k < m * n; k++)
        if (fathom_random_uniform(1, FATHOM_STREAM_GATE, 0, (uint64_t)k) < 0.5)
            bits[k / n * words + k % n / 64] |= (uint64_t)1 << (k % n % 64);
    const fathom_gate_set set = {n, d, x, d, m, words, words, n, bits, NULL};
    const double work_done = 2e-9 * (double)(n * m) * (double)(d * outputs);
    const int times = (int)fmax(1, 0.1 / work_done); /* small ones as often as a solver calls them */
    for (int k = 0; bits && k < REPEATS; k++) {
        double start = seconds();
        for (int t = 0; t < times; t++)
            fathom_gate_forward(f, &set, w, outputs, 1, work);
        forward = fmin(forward, (seconds() - start) / times);
        start = seconds();
        for (int t = 0; t < times; t++)
            fathom_gate_adjoint(g, &set, v, outputs, 1, work);
        adjoint = fmin(adjoint, (seconds() - start) / times);
        plain = fmin(plain, dgemm_seconds(c, a));
    }
    const double rate = 2e-9 * pow(SIDE, 3) / plain;
    printf("%6lld %5lld %5lld %3lld   %7.1f (%3.0f%%)   %7.1f (%3.0f%%)   %7.1f\n", (long long)n,
           (long long)d, (long long)m, (long long)outputs, work_done / forward,
           100 * work_done / forward / rate, work_done / adjoint, 100 * work_done / adjoint / rate, rate);
    double *blocks[] = {x, w, v, f, g, c, a, work};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
    free(bits);
}

/* The adjoint over all cones: O((n + m) d) along the tree against O(n m d) by the masked product. */
static void compare_tree(int64_t n, int64_t d)
{
    fathom_context *context;
    fathom_data *data;
    fathom_gates *gates;
    double *x = normals(n * d, 1), *v = normals(n, 3);
    if (fathom_context_create(&context, NULL) != FATHOM_OK ||
        fathom_data_create(&data, context, n, d, x, d, 1, v, NULL, NULL) != FATHOM_OK ||
        fathom_gates_enumerate(&gates, context, data) != FATHOM_OK)
        exit(6);
    fathom_gate_tree *tree;
    const fathom_gates_view view = fathom_gates_look(gates);
    fathom_context_set_threads(context, 1);
    if (fathom_gate_tree_create(&tree, context, &view) != FATHOM_OK)
        exit(6);
    const fathom_data_view points = fathom_data_look(data);
    const fathom_gate_set set = {n,          d,          points.x, points.ld, view.m,
                                 view.words, view.words, n,        view.bits, NULL};
    double *sums = normals(view.m * d, 4), *dense = normals(view.m * d, 5), *norm = normals(view.m, 6);
    double *work = normals(fathom_gate_workspace(1, 1), 8), *f = normals(n, 9);
    double *c = normals(SIDE * SIDE, 10), *a = normals(SIDE * SIDE, 11);
    double along = INFINITY, norms = INFINITY, back = INFINITY, product = INFINITY, plain = INFINITY,
           difference = 0;
    for (int k = 0; k < REPEATS; k++) {
        double start = seconds();
        fathom_gate_tree_sums(sums, NULL, tree, &points, v);
        along = fmin(along, seconds() - start);
        start = seconds();
        fathom_gate_tree_sums(NULL, norm, tree, &points, v);
        norms = fmin(norms, seconds() - start);
        start = seconds();
        fathom_gate_tree_adjoint(f, tree, &points, sums);
        back = fmin(back, seconds() - start);
        start = seconds();
        fathom_gate_adjoint(dense, &set, v, 1, 1, work);
        product = fmin(product, seconds() - start);
        plain = fmin(plain, dgemm_seconds(c, a));
    }
    for (int64_t k = 0; k < view.m * d; k++)
        difference = fmax(difference, fabs(sums[k] - dense[k]));
    const double dgemm = (double)(n * view.m) * (double)d * plain / pow(SIDE, 3);
    printf("all %lld cones of %lld points, d = %lld\n", (long long)view.m, (long long)n, (long long)d);
    printf("  sums along the tree %.2f ms, their norms alone %.2f ms, the adjoint of the sums %.2f ms\n",
           1e3 * along, 1e3 * norms, 1e3 * back);
    printf("  masked product %.1f ms: %.0f and %.0f times; the same operations at dgemm's rate %.1f ms: %.0f "
           "and %.0f times\n",
           1e3 * product, product / along, product / norms, 1e3 * dgemm, dgemm / along, dgemm / norms);
    printf("  tree and masked product differ by %.1e\n", difference);
    double *blocks[] = {x, v, sums, dense, norm, work, f, c, a};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
    fathom_gate_tree_free(tree);
    fathom_gates_free(gates);
    fathom_data_free(data);
    fathom_context_free(context);
}

int main(void)
{
    /* n, d, m, outputs: small and large in every direction, problem families of the training benchmark, few gates */
    static const int64_t shapes[][4] = {{500, 10, 100, 1},     {60000, 10, 100, 1},   {2000, 10, 10000, 1},
                                        {569, 30, 500, 1},     {1000, 50, 500, 1},    {1797, 64, 500, 1},
                                        {5000, 100, 1000, 1},  {20000, 200, 1000, 1}, {500, 1000, 100, 1},
                                        {2000, 1000, 1000, 1}, {4000, 784, 100, 10},  {20000, 100, 32, 1},
                                        {20000, 100, 16, 1},   {20000, 100, 8, 1},    {4000, 784, 8, 10}};
    puts("     n     d     m   o   forward GFlop/s   adjoint GFlop/s   dgemm GFlop/s");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        compare(shapes[k][0], shapes[k][1], shapes[k][2], shapes[k][3]);
    compare_tree(1000, 3);
    return 0;
}
