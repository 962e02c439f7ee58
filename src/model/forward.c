/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out (n x outputs) = f(x_i), the families of fathom/net.h.
 *
 * Symbols: X n x d (dense or sparse rows), U m x d, A = s diag(rho) W, m x outputs.
 * Method: X is cut into row tiles, the hidden units into blocks. For each pair
 *     Z = X_tile U_block'   (matrix product),   H = sigma(Z)   (while Z is in cache),   out_tile += H A_block.
 * One output of relu or leaky units over few columns is summed without storing Z (narrow.c). Gated networks replace H A by the sum of the products X_tile W_jk' over open gates. Where there are few row
 * tiles, the hidden units are also cut into strips, each with outputs of its own, added in ascending order.
 * A gated network on sparse rows takes its outputs a few at a time: their weights are copied transposed,
 * ROOM numbers at the most where one output has fewer.
 * Guarantee: tiles, blocks and strips follow from the shape alone: same bits for every number of threads. Error of
 * each output: (d + m + 8) u s sum_j |rho_j W_jk| (sum_l |u_jl x_l| + |b_j|) to first order.
 * Cost: 2 n m (d + outputs) flops, nearly all in matrix products; per thread ROWS x BLOCK doubles (gated: twice).
 */
#include "net_internal.h"

#include <omp.h>
#include <string.h>

#include "activation.h"
#include "blas.h"
#include "context_internal.h"
#include "convex_rf.h"
#include "hidden.h"
#include "kernel_internal.h"
#include "memory.h"
#include "narrow.h"

enum { ROWS = 256, FEW_ROWS = 128, BLOCK = 256, STRIP = 1024, MANY = 1024, ROOM = 1 << 23 };

static int64_t pieces(int64_t whole, int64_t piece) { return (whole + piece - 1) / piece; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

typedef struct sweep {
    const fathom_net *net;
    const fathom_data_view *view;
    fathom_hidden first;   /* U, or V of a gated network */
    fathom_hidden *second; /* the W of outputs first_output .. last_output of a gated network */
    int64_t first_output, last_output;
    double *a;           /* m x outputs: s rho_j W_jk; gated: m: s rho_j */
    double *partial;     /* strips x n x outputs */
    double *tiles;       /* threads x tile_size */
    int64_t rows, strip; /* of a row tile; hidden units of a strip */
    int64_t width;       /* hidden units of a block, the leading dimension of a tile */
    int64_t tile_size;   /* rows x width, twice that for gated networks */
} sweep;

/* out_ik += sum over j of a_j 1[gate_ij > 0] value_ij, for one output k: column k of out. */
static void add_gated(double *out, int64_t ldo, const double *gate, const double *value, const double *a,
                      int64_t rows, int64_t columns, int64_t ld)
{
    for (int64_t i = 0; i < rows; i++) {
        const double *open = gate + i * ld, *v = value + i * ld;
        double sum = 0;
        for (int64_t j = 0; j < columns; j++)
            sum += open[j] > 0 ? a[j] * v[j] : 0;
        out[i * ldo] += sum;
    }
}

static void block_gated(double *out, const sweep *s, double *tile, int64_t i0, int64_t i1, int64_t j0,
                        int64_t j1)
{
    const int64_t outputs = s->net->shape.outputs;
    double *value = tile + s->rows * s->width;
    fathom_hidden_tile(tile, s->width, &s->first, i0, i1, j0, j1);
    for (int64_t k = s->first_output; k < s->last_output; k++) {
        fathom_hidden_tile(value, s->width, &s->second[k - s->first_output], i0, i1, j0, j1);
        add_gated(out + k, outputs, tile, value, s->a + j0, i1 - i0, j1 - j0, s->width);
    }
}

/* Whether units need not be stored: few columns, one output, and room in a tile for the packed rows. */
static bool is_narrow(const sweep *s)
{
    const fathom_net_shape *shape = &s->net->shape;
    return s->view->x && shape->d > 0 && shape->d <= FATHOM_NARROW && shape->outputs == 1 &&
           (shape->kind == FATHOM_NET_RELU || shape->kind == FATHOM_NET_LEAKY) &&
           s->rows * s->width >= (s->rows + 16) * shape->d + 8;
}

static void block_dense(double *out, const sweep *s, double *tile, int64_t i0, int64_t i1, int64_t j0,
                        int64_t j1)
{
    const fathom_net *net = s->net;
    const int64_t outputs = net->shape.outputs, rows = i1 - i0, columns = j1 - j0;
    if (is_narrow(s)) {
        fathom_narrow_add(out, s->view->x + i0 * s->view->ld, s->view->ld, rows, net->shape.d,
                          net->weights.u + j0 * net->shape.d, net->shape.d,
                          net->weights.b ? net->weights.b + j0 : NULL, s->a + j0, columns,
                          net->shape.kind == FATHOM_NET_LEAKY ? net->shape.parameter : 0, tile);
        return;
    }
    fathom_hidden_tile(tile, s->width, &s->first, i0, i1, j0, j1);
    fathom_activation_apply(tile, s->width, rows, columns, net->shape.kind, net->shape.parameter,
                            net->weights.b ? net->weights.b + j0 : NULL);
    if (outputs == 1)
        fathom_blas_gemv(out, rows, columns, 1, fathom_plain(tile, s->width), s->a + j0, 1);
    else
        fathom_blas_gemm(out, outputs, rows, outputs, columns, 1, fathom_plain(tile, s->width),
                         fathom_plain(s->a + j0 * outputs, outputs), 1);
}

/* The outputs of row tile t from the units of strip q. */
static void run_tile(const sweep *s, double *tile, int64_t t, int64_t q)
{
    const int64_t i0 = t * s->rows, i1 = smaller(i0 + s->rows, s->view->n);
    const int64_t last = smaller((q + 1) * s->strip, s->net->shape.m), outputs = s->net->shape.outputs;
    double *out = s->partial + (q * s->view->n + i0) * outputs;
    if (s->first_output == 0)
        memset(out, 0, (size_t)((i1 - i0) * outputs) * sizeof(double));
    for (int64_t j = q * s->strip; j < last; j += s->width) {
        const int64_t j1 = smaller(j + s->width, last);
        if (s->net->shape.kind == FATHOM_NET_GATED)
            block_gated(out, s, tile, i0, i1, j, j1);
        else
            block_dense(out, s, tile, i0, i1, j, j1);
    }
    fathom_context_passed(s->net->context);
}

/* out = c + the strips in ascending order. */
static void gather(double *out, const sweep *s, int64_t strips)
{
    const int64_t n = s->view->n, outputs = s->net->shape.outputs;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < outputs; k++) {
            double sum = s->net->weights.c[k];
            for (int64_t q = 0; q < strips; q++)
                sum += s->partial[(q * n + i) * outputs + k];
            out[i * outputs + k] = sum;
        }
}

/* How many outputs are taken at a time. */
static int64_t outputs_at_once(const sweep *s)
{
    const fathom_net_shape *shape = &s->net->shape;
    const int64_t size = shape->d * shape->m, fit = size > 0 ? ROOM / size : 1;
    if (shape->kind != FATHOM_NET_GATED || !fathom_view_is_sparse(s->view))
        return shape->outputs;
    return fit < 1 ? 1 : smaller(fit, shape->outputs);
}

/* The rows W_jk, j = 0.., of one output k are outputs x d apart. */
static fathom_status open_outputs(sweep *s, int64_t first)
{
    const fathom_net_shape *shape = &s->net->shape;
    s->first_output = first;
    s->last_output = smaller(first + outputs_at_once(s), shape->outputs);
    for (int64_t k = first; s->second && k < s->last_output; k++)
        FATHOM_TRY(fathom_hidden_open(&s->second[k - first], s->net->context, s->view,
                                      s->net->weights.w + k * shape->d, shape->outputs * shape->d, shape->m));
    return FATHOM_OK;
}

static void close_outputs(sweep *s)
{
    for (int64_t k = s->first_output; s->second && k < s->last_output; k++)
        fathom_hidden_close(&s->second[k - s->first_output], s->net->context);
}

static fathom_status prepare(sweep *s, int64_t strips, int threads)
{
    const fathom_net *net = s->net;
    const fathom_net_shape *shape = &net->shape;
    const bool gated = shape->kind == FATHOM_NET_GATED;
    fathom_context *context = net->context;
    fathom_status status = fathom_hidden_open(&s->first, context, s->view,
                                              gated ? net->weights.v : net->weights.u, shape->d, shape->m);
    s->second = gated
                    ? fathom_memory_zero(context, shape->outputs > 0 ? shape->outputs : 1, sizeof *s->second)
                    : NULL;
    if (status != FATHOM_OK)
        return status;
    s->a = fathom_memory_alloc(context, shape->m * (gated ? 1 : shape->outputs), sizeof(double));
    s->partial = fathom_memory_alloc(context, strips * s->view->n * shape->outputs, sizeof(double));
    s->tiles = fathom_memory_alloc(context, threads * s->tile_size, sizeof(double));
    if (!s->a || !s->partial || !s->tiles || (gated && !s->second))
        return FATHOM_ERROR_MEMORY;
    fathom_net_output_weights(s->a, net);
    return FATHOM_OK;
}

static void finish(sweep *s)
{
    fathom_context *context = s->net->context;
    fathom_hidden_close(&s->first, context);
    FATHOM_FREE(context, s->second, s->a, s->partial, s->tiles);
}

/* The piece length that cuts `whole` into as many pieces as `piece` would, but evenly; a multiple of 8. */
static int64_t even(int64_t whole, int64_t piece)
{
    return whole > 0 ? pieces(pieces(whole, pieces(whole, piece)), 8) * 8 : piece;
}

fathom_status fathom_net_forward_view(double *out, const fathom_net *net, const fathom_data_view *view)
{
    if (view->d != net->shape.d)
        return fathom_error_set(net->context, FATHOM_ERROR_INPUT,
                                "the network takes %lld columns, the data has %lld", (long long)net->shape.d,
                                (long long)view->d);
    if (net->shape.kind == FATHOM_NET_NTK)
        return fathom_kernel_forward(out, net, view);
    if (net->shape.kind == FATHOM_NET_CONVEX_RF)
        return fathom_rf_forward(out, net, view);
    const bool few = view->n < MANY;
    sweep s = {.net = net,
               .view = view,
               .rows = even(view->n, few ? FEW_ROWS : ROWS),
               .strip = few ? even(net->shape.m, STRIP) : net->shape.m};
    s.width = smaller(BLOCK, net->shape.m);
    s.tile_size = s.rows * s.width * (net->shape.kind == FATHOM_NET_GATED ? 2 : 1);
    const int threads = fathom_context_threads(net->context);
    const int64_t strips = net->shape.m ? pieces(net->shape.m, s.strip) : 0;
    const int64_t tiles = pieces(view->n, s.rows);
    fathom_status status = prepare(&s, strips, threads);
    do {
        FATHOM_THEN(status, open_outputs(&s, s.last_output));
        if (status == FATHOM_OK) {
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (tiles * strips > 1)
            for (int64_t t = 0; t < tiles * strips; t++)
                run_tile(&s, s.tiles + omp_get_thread_num() * s.tile_size, t % tiles, t / tiles);
        }
        close_outputs(&s);
    } while (status == FATHOM_OK && s.last_output < net->shape.outputs);
    if (status == FATHOM_OK)
        gather(out, &s, strips);
    finish(&s);
    return status;
}

fathom_status fathom_net_forward(double *out, const fathom_net *net, const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    return fathom_net_forward_view(out, net, &view);
}
