/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutional features with given filters, and networks that are linear in them [001, Alg. 2, lines 12 and 13].
 *
 *     H_jq(x) = pool_{t in cell q} relu(<u_j, N(x_t)>),   N(p) = (p - mean p) / sqrt(var p + epsilon)
 *
 * Symbols: x an image of channels x height x width, x_t its patch at place t (size = channels patch^2 numbers), u_j (size)
 * the filters j < m, the whitening of the patches included (<u, M p> = <M'u, p>). Places form a grid of down x across,
 * place (r, c) lies in cell (r pool / down, c pool / across), whole numbers. Pool is the largest or the mean.
 * Method: PLACES patches at a time are normalised into rows and multiplied by U'; images in parallel.
 * Guarantee: images are independent of each other: same bits for every number of threads and every cut of the rows.
 * Cost: 2 down across size m flops per image in matrix products; per thread PLACES (size + m) + cells m + d doubles.
 */
#include "convex_rf.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dense.h"
#include "gemm.h"
#include "kernel_internal.h"
#include "memory.h"
#include "net_internal.h"

enum { PLACES = 128, IMAGES = 256 };

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Sizes come from files: no product is trusted before it is known to fit. */
const char *fathom_rf_image_fault(const fathom_net_image *image, int64_t d)
{
    int64_t pixels;
    if (image->height < 1 || image->width < 1 || image->channels < 1 ||
        __builtin_mul_overflow(image->height, image->width, &pixels) ||
        __builtin_mul_overflow(pixels, image->channels, &pixels) || pixels != d)
        return "channels x height x width of the image must be the number of columns";
    if (image->patch < 1 || image->patch > smaller(image->height, image->width))
        return "the patch must fit into the image";
    if (image->stride < 1)
        return "the stride must be positive";
    if (image->pool < 1 || image->pool > smaller(fathom_rf_down(image), fathom_rf_across(image)))
        return "the pool x pool cells must have a place each";
    if (!(image->epsilon > 0 && image->epsilon < INFINITY))
        return "the epsilon of the contrast must be positive";
    return NULL;
}

int64_t fathom_rf_size(const fathom_net_image *image)
{
    return image->channels * image->patch * image->patch;
}

int64_t fathom_rf_cells(const fathom_net_image *image) { return image->pool * image->pool; }

int64_t fathom_rf_down(const fathom_net_image *image)
{
    return (image->height - image->patch) / image->stride + 1;
}

int64_t fathom_rf_across(const fathom_net_image *image)
{
    return (image->width - image->patch) / image->stride + 1;
}

double fathom_rf_patch(double *patch, const double *x, const fathom_net_image *image, int64_t row,
                       int64_t column)
{
    const int64_t size = fathom_rf_size(image), side = image->patch;
    const double *from = x + (row * image->width + column) * image->stride;
    double *to = patch, sum = 0, square = 0;
    for (int64_t plane = 0; plane < image->channels; plane++, from += image->height * image->width)
        for (int64_t r = 0; r < side; r++, to += side)
            memcpy(to, from + r * image->width, (size_t)side * sizeof *to);
    for (int64_t k = 0; k < size; k++)
        sum += patch[k];
    const double mean = sum / (double)size;
    for (int64_t k = 0; k < size; k++) {
        patch[k] -= mean;
        square += patch[k] * patch[k];
    }
    return square / (double)size;
}

/* One thread's room. */
typedef struct room {
    double *x;      /* d: an image with sparse rows written out */
    double *patch;  /* PLACES x size */
    double *z;      /* PLACES x m: <u_j, N(x_t)> */
    double *pooled; /* cells x m */
} room;

static int64_t room_size(const fathom_rf *rf, int64_t d)
{
    return d + PLACES * (fathom_rf_size(&rf->image) + rf->m) + fathom_rf_cells(&rf->image) * rf->m;
}

static room room_in(double *block, const fathom_rf *rf, int64_t d)
{
    room a = {.x = block, .patch = block + d};
    a.z = a.patch + PLACES * fathom_rf_size(&rf->image);
    a.pooled = a.z + PLACES * rf->m;
    return a;
}

/* The cell of place number t. */
static int64_t cell_of(const fathom_net_image *image, int64_t t)
{
    const int64_t down = fathom_rf_down(image), across = fathom_rf_across(image);
    return t / across * image->pool / down * image->pool + t % across * image->pool / across;
}

/* pooled = the larger of both, or their sum; z below 0 never counts. */
static void pool(double *restrict pooled, const double *restrict z, int64_t m, bool average)
{
    if (average)
        for (int64_t j = 0; j < m; j++)
            pooled[j] += z[j] > 0 ? z[j] : 0;
    else
        for (int64_t j = 0; j < m; j++)
            pooled[j] = z[j] > pooled[j] ? z[j] : pooled[j];
}

/* Places first .. last of the image into the pools. */
static void add_places(const room *a, const fathom_rf *rf, const double *x, int64_t first, int64_t last)
{
    const int64_t size = fathom_rf_size(&rf->image), across = fathom_rf_across(&rf->image);
    for (int64_t t = first; t < last; t++) {
        double *patch = a->patch + (t - first) * size;
        const double variance = fathom_rf_patch(patch, x, &rf->image, t / across, t % across);
        fathom_blas_scale(patch, 1 / sqrt(variance + rf->image.epsilon), size);
    }
    fathom_blas_gemm(a->z, rf->m, last - first, rf->m, size, 1, fathom_plain(a->patch, size),
                     fathom_transposed(rf->u, size), 0);
    for (int64_t t = first; t < last; t++)
        pool(a->pooled + cell_of(&rf->image, t) * rf->m, a->z + (t - first) * rf->m, rf->m,
             rf->image.average);
}

/* Row i of the view: h (m cells). */
static void image_features(double *h, const room *a, const fathom_rf *rf, const fathom_data_view *view,
                           int64_t i)
{
    const int64_t cells = fathom_rf_cells(&rf->image), m = rf->m;
    const int64_t places = fathom_rf_down(&rf->image) * fathom_rf_across(&rf->image);
    const double *x = view->x ? view->x + i * view->ld : a->x;
    if (!view->x)
        fathom_dense_row(a->x, view, i);
    memset(a->pooled, 0, (size_t)(cells * m) * sizeof *a->pooled);
    for (int64_t t = 0; t < places; t += PLACES)
        add_places(a, rf, x, t, smaller(t + PLACES, places));
    for (int64_t t = 0; t < cells && rf->image.average; t++) {
        int64_t count = 0;
        for (int64_t place = 0; place < places; place++)
            count += cell_of(&rf->image, place) == t;
        fathom_blas_scale(a->pooled + t * m, 1 / (double)count, m);
    }
    fathom_transpose(h, cells, a->pooled, m, cells, m);
}

fathom_status fathom_rf_features(double *h, int64_t ldh, const fathom_rf *rf, const fathom_data_view *view,
                                 int64_t first, int64_t last, fathom_context *context)
{
    const int64_t size = room_size(rf, view->d);
    const int threads = fathom_context_threads(context);
    double *block = fathom_memory_alloc(context, threads * size, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (last - first > 1)
    for (int64_t i = first; i < last; i++) {
        const room a = room_in(block + omp_get_thread_num() * size, rf, view->d);
        image_features(h + (i - first) * ldh, &a, rf, view, i);
    }
    fathom_memory_free(context, block);
    return FATHOM_OK;
}

fathom_status fathom_rf_forward(double *out, const fathom_net *net, const fathom_data_view *view)
{
    const fathom_net_shape *shape = &net->shape;
    const fathom_rf rf = {shape->image, shape->m, net->weights.u};
    const int64_t width = shape->m * fathom_rf_cells(&shape->image), outputs = shape->outputs;
    const int64_t rows = smaller(IMAGES, view->n);
    double *h = fathom_memory_alloc(net->context, rows * width, sizeof *h);
    double *a = fathom_memory_alloc(net->context, width * outputs, sizeof *a);
    fathom_status status = h && a ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK)
        fathom_net_output_weights(a, net);
    for (int64_t i = 0; i < view->n * outputs; i++)
        out[i] = net->weights.c[i % outputs];
    for (int64_t i = 0; i < view->n && status == FATHOM_OK; i += IMAGES) {
        const int64_t last = smaller(i + IMAGES, view->n);
        status = fathom_rf_features(h, width, &rf, view, i, last, net->context);
        FATHOM_THEN(status, fathom_gemm(out + i * outputs, outputs, last - i, outputs, width, 1,
                                        fathom_plain(h, width), fathom_plain(a, outputs), 1, net->context));
    }
    FATHOM_FREE(net->context, h, a);
    return status;
}
