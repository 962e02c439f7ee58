/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regression with tangent kernels: f(x) = sum_j alpha_j k(x, x_j), a network of kind ntk.
 *
 * * ridge R > 0: (K + R W^-1) alpha = y by Cholesky, W the weights of the examples (1 where there are
 * none): the minimum of sum_i w_i |f(x_i) - y_i|^2 + R alpha' K alpha (data have no rows of weight 0). R =
 * 0, without weights: [001, (20)], min |alpha|^2 subject to K alpha = y, by alpha = K^+ y from the
 * eigenvalues above n 2^-52 lambda_max; where K alpha = y has no solution this is the least-squares one,
 * and the residual says so. As R -> 0 the former tends to the latter wherever y lies in the range of K.
 * Cost: n^2 d, and n^3 / 3 flops (R > 0) or about 9 n^3 (R = 0). Memory: n^2 doubles, 4 n^2 for R = 0.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "context_internal.h"
#include "dense.h"
#include "inner/kernel.h"
#include "kernel_internal.h"
#include "memory.h"
#include "net_internal.h"

/* A network's points as a kernel of infinite width, borrowed pieces apart. */
static fathom_status kernel_of_net(fathom_kernel *kernel, const fathom_net *net)
{
    const fathom_data_view view = {
        .n = net->shape.m, .d = net->shape.d, .x = net->weights.u, .ld = net->shape.d};
    *kernel = (fathom_kernel){.context = net->context,
                              .options = {.layers = net->shape.parameter == 1, .factor = 1}};
    return fathom_kernel_points_view(&kernel->points, net->context, &view);
}

/* Rows of block b: out += K(block, points) A, tile by tile in ascending order. */
static void forward_block(double *out, const fathom_kernel *kernel, const kernel_points *x, const double *a,
                          int64_t outputs, int64_t b, double *tile)
{
    const int64_t i0 = b * KERNEL_TILE, rows = x->n - i0 < KERNEL_TILE ? x->n - i0 : KERNEL_TILE;
    const int64_t m = kernel->points.n;
    for (int64_t j0 = 0; j0 < m; j0 += KERNEL_TILE) {
        const int64_t columns = m - j0 < KERNEL_TILE ? m - j0 : KERNEL_TILE;
        fathom_kernel_tile(tile, tile + KERNEL_TILE * KERNEL_TILE, kernel, x, i0, rows, j0, columns);
        fathom_blas_gemm(out + i0 * outputs, outputs, rows, outputs, columns, 1,
                         fathom_plain(tile, KERNEL_TILE), fathom_plain(a + j0 * outputs, outputs), 1);
    }
}

/* All rows, points and weights at hand; `tiles` has two tiles per thread. */
static void forward_blocks(double *out, const fathom_net *net, const fathom_kernel *kernel,
                           const kernel_points *x, const double *a, double *tiles)
{
    const int64_t outputs = net->shape.outputs;
    for (int64_t k = 0; k < x->n * outputs; k++)
        out[k] = net->weights.c[k % outputs];
#pragma omp parallel for schedule(dynamic) num_threads(fathom_context_threads(net->context))
    for (int64_t b = 0; b < (x->n + KERNEL_TILE - 1) / KERNEL_TILE; b++)
        forward_block(out, kernel, x, a, outputs, b,
                      tiles + (int64_t)omp_get_thread_num() * 2 * KERNEL_TILE * KERNEL_TILE);
}

fathom_status fathom_kernel_forward(double *out, const fathom_net *net, const fathom_data_view *view)
{
    fathom_context *context = net->context;
    fathom_kernel kernel;
    kernel_points x = {0};
    double *a = fathom_memory_alloc(context, net->shape.m * net->shape.outputs, sizeof *a);
    double *tiles = fathom_memory_alloc(
        context, (int64_t)fathom_context_threads(context) * 2 * KERNEL_TILE * KERNEL_TILE, sizeof *tiles);
    fathom_status status = kernel_of_net(&kernel, net);
    FATHOM_THEN(status, fathom_kernel_points_view(&x, context, view));
    if (status == FATHOM_OK && !(a && tiles))
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        fathom_net_output_weights(a, net);
        forward_blocks(out, net, &kernel, &x, a, tiles);
    }
    fathom_kernel_points_free(&kernel.points, context);
    fathom_kernel_points_free(&x, context);
    FATHOM_FREE(context, a, tiles);
    return status;
}

/* alpha = (K + R W^-1)^{-1} y in place of y; K is destroyed. weight NULL: all 1. */
static fathom_status solve_ridge(double *alpha, int64_t outputs, double *k, int64_t n, double ridge,
                                 const double *weight, fathom_context *context)
{
    int64_t minor = 0;
    for (int64_t i = 0; i < n; i++)
        k[i * (n + 1)] += ridge / (weight ? weight[i] : 1);
    FATHOM_TRY(fathom_cholesky_factor(&minor, k, n, n, context));
    if (minor > 0)
        return fathom_error_set(
            context, FATHOM_ERROR_RUNTIME,
            "the kernel matrix with ridge %g is not positive definite: take a larger ridge, or 0 "
            "for the solution of least norm",
            ridge);
    fathom_cholesky_apply(alpha, outputs, outputs, k, n, n, context);
    return FATHOM_OK;
}

/* alpha = K^+ y in place of y, *rank its rank; K is destroyed. `part` (n x outputs) is workspace. */
static fathom_status solve_least(double *alpha, int64_t *rank, double *part, int64_t outputs, double *k,
                                 int64_t n, fathom_context *context)
{
    double *value = fathom_memory_alloc(context, n, sizeof *value);
    fathom_status status = value ? fathom_blas_eigen(value, k, n, n, true, context) : FATHOM_ERROR_MEMORY;
    *rank = 0;
    if (status == FATHOM_OK) {
        const double floor = (double)n * 0x1p-52 * fmax(value[n - 1], 0);
        fathom_blas_gemm(part, outputs, n, outputs, n, 1, fathom_plain(k, n), fathom_plain(alpha, outputs),
                         0);
        for (int64_t i = 0; i < n; i++) {
            *rank += value[i] > floor;
            for (int64_t o = 0; o < outputs; o++)
                part[i * outputs + o] = value[i] > floor ? part[i * outputs + o] / value[i] : 0;
        }
        fathom_blas_gemm(alpha, outputs, n, outputs, n, 1, fathom_transposed(k, n),
                         fathom_plain(part, outputs), 0);
    }
    fathom_memory_free(context, value);
    return status;
}

/* Fills K and solves for alpha, which holds y on entry. */
static fathom_status solve(fathom_regression *result, double *alpha, const fathom_kernel *kernel,
                           int64_t outputs, double ridge, const double *weight)
{
    const int64_t n = kernel->points.n;
    double *k = NULL, *part = NULL;
    fathom_status status = FATHOM_OK;
    result->rank = n;
    if (ridge == 0)
        status =
            fathom_context_require(kernel->context, 32 * (double)n * (double)n, "eigenvectors of the kernel");
    FATHOM_THEN(status, fathom_kernel_allocate(&k, kernel));
    FATHOM_THEN(status, fathom_kernel_fill(k, n, kernel));
    if (status == FATHOM_OK && ridge > 0) {
        status = solve_ridge(alpha, outputs, k, n, ridge, weight, kernel->context);
    } else if (status == FATHOM_OK) {
        part = fathom_memory_alloc(kernel->context, n * outputs, sizeof *part);
        status = part ? solve_least(alpha, &result->rank, part, outputs, k, n, kernel->context)
                      : FATHOM_ERROR_MEMORY;
    }
    fathom_memory_free(kernel->context, part);
    fathom_kernel_release(k, kernel);
    return status;
}

/* Whether all points but 0 are multiples of one another, to rounding. On such a line theta is 0 or pi, k(x, x') = k_0 |x||x'|
 * for points on the same side of 0 and 0 otherwise, so that K = k_0 (p p' + q q') with p, q the parts of the line's
 * coordinate: rank two, however many points there are. It is the kernel of [001, Sec. 7] for one-dimensional data. */
static bool on_a_line(const kernel_points *x)
{
    int64_t first = 0;
    while (first < x->n && x->norm[first] == 0)
        first++;
    for (int64_t i = first + 1; i < x->n; i++) {
        const double c = fathom_blas_dot(x->unit + i * x->d, x->unit + first * x->d, x->d);
        if (x->norm[i] > 0 && fabs(c) < 1 - 4 * (double)(x->d + 4) * 0x1p-53)
            return false;
    }
    return true;
}

static const char *explain(const fathom_kernel *kernel, int64_t rank)
{
    if (rank >= kernel->points.n)
        return NULL;
    if (on_a_line(&kernel->points))
        return "without biases all points on a line through 0 see only its two sides: the kernel has rank "
               "two at most "
               "(--bias augment has no such limit)";
    return "some points give the kernel no direction of their own: equal or opposite ones, or more points "
           "than it tells apart";
}

/* Largest |f(x_i) + R alpha_i / w_i - y_i| (alpha = w / factor): 0 but for rounding where the
 * equations have a solution. */
static fathom_status measure_residual(fathom_regression *result, const fathom_net *net,
                                      const fathom_data *data, const double *y, double ridge,
                                      const double *weight)
{
    const int64_t count = net->shape.m * net->shape.outputs;
    double *f = fathom_memory_alloc(net->context, count, sizeof *f);
    const fathom_status status = f ? fathom_net_forward(f, net, data) : FATHOM_ERROR_MEMORY;
    result->residual = 0;
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        const double share = weight ? weight[k / net->shape.outputs] : 1;
        result->residual = fmax(result->residual, fabs(f[k] + ridge / share * net->weights.w[k] - y[k]));
    }
    fathom_memory_free(net->context, f);
    return status;
}

/* The network with the data's points and zero weights. */
static fathom_status create_net(fathom_net **net, const fathom_kernel *kernel, const fathom_data_view *view)
{
    const fathom_net_shape shape = {.kind = FATHOM_NET_NTK,
                                    .d = view->d,
                                    .m = view->n,
                                    .outputs = view->outputs,
                                    .parameter = kernel->options.layers == 1};
    const fathom_status status = fathom_net_create(net, kernel->context, &shape);
    for (int64_t i = 0; i < view->n && status == FATHOM_OK; i++)
        fathom_dense_row((*net)->weights.u + i * view->d, view, i);
    return status;
}

fathom_status fathom_kernel_fit(fathom_net **net, fathom_regression *result, const fathom_kernel *kernel,
                                const fathom_data *data, double ridge)
{
    const fathom_data_view view = fathom_data_look(data);
    fathom_context *context = kernel->context;
    *net = NULL;
    *result = (fathom_regression){0};
    if (kernel->gates > 0)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "regression takes a kernel of infinite width");
    if (!(ridge >= 0 && ridge < INFINITY))
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "the ridge must be 0 or positive");
    if (view.weight && ridge == 0)
        return fathom_error_set(
            context, FATHOM_ERROR_USAGE,
            "weights of examples need a ridge above 0: at 0 the regression goes through all points");
    if (view.outputs < 1 || view.n != kernel->points.n || view.d != kernel->points.d)
        return fathom_error_set(context, FATHOM_ERROR_INPUT,
                                "regression needs targets for the kernel's points");
    fathom_status status = create_net(net, kernel, &view);
    if (status == FATHOM_OK) {
        memcpy((*net)->weights.w, view.y, (size_t)(view.n * view.outputs) * sizeof(double));
        status = solve(result, (*net)->weights.w, kernel, view.outputs, ridge, view.weight);
        result->reason = explain(kernel, result->rank);
    }
    /* f = factor K_1 alpha with K_1 the kernel of factor 1, in which networks compute */
    for (int64_t k = 0; k < view.n * view.outputs && status == FATHOM_OK; k++)
        (*net)->weights.w[k] *= kernel->options.factor;
    FATHOM_THEN(status,
                measure_residual(result, *net, data, view.y, ridge / kernel->options.factor, view.weight));
    if (status != FATHOM_OK) {
        fathom_net_free(*net);
        *net = NULL;
    }
    return status;
}
