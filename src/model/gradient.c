/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradients of a function of the outputs by the parameters of a network.
 *
 * Symbols: X n x d, A = s diag(rho) W (m x outputs), T = X U' + b (scalar: T = b X U'), H = sigma(T), F = c + H A,
 * G = dL/dF (n x outputs), D = (G A') o sigma'(T). Then
 *     dc = G' 1,   dW = s diag(rho) H' G,   dU = D' X,   db = D' 1;
 *     scalar:  dU_j = b_j (D' X)_j,   db_j = sum_i D_ij <u_j, x_i> = sum_k A_jk (H' G)_jk / b_j, 0 where b_j = 0;
 *     gated:   dW_jk = s rho_j sum_i 1[<v_j, x_i> > 0] G_ik x_i.
 * Method: batches of rows for which the pre-activations Z = X U' and H (batch x m each) are kept; every product runs
 * over fixed tiles, batches are added in ascending order: same bits for every number of threads.
 * Cost: 4 n m d + O(n m outputs) flops (gated: 2 n m d (2 + 2 outputs) with the loss); memory 2 BATCH_DOUBLES.
 */
#include "net_internal.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "activation.h"
#include "blas.h"
#include "context_internal.h"
#include "gemm.h"
#include "hidden.h"
#include "loss_internal.h"
#include "memory.h"
#include "sum.h"

/* A batch holds about BATCH_DOUBLES pre-activations, and between MIN_BATCH and MAX_BATCH rows. */
enum { BATCH_DOUBLES = 1 << 19, MIN_BATCH = 256, MAX_BATCH = 4096, ROWS = 128, BLOCK = 256 };

static int64_t pieces(int64_t whole, int64_t piece) { return (whole + piece - 1) / piece; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* One pass over the data. Either `slope` is given, or `y` and `loss`, and the slopes follow batch by batch. */
typedef struct pass {
    const fathom_net *net;
    const fathom_data_view *view;
    fathom_net_weights into; /* what is asked for */
    const double *slope;     /* n x outputs, or NULL */
    const double *y;         /* n x outputs where slope is NULL */
    fathom_loss loss;
    double factor;           /* of every loss: 1, or 1 / sum of weights */
    double *value;           /* n weighted losses */
    int64_t batch;           /* rows */
    fathom_hidden hidden;    /* U, or V of a gated network */
    fathom_adjoint *adjoint; /* of U; gated: of each output's W; NULL where not asked for */
    int64_t adjoints;
    double *a;     /* m x outputs: s rho_j W_jk; gated: m: s rho_j */
    double *z, *h; /* batch x m */
    double *g, *f; /* batch x outputs */
    double *hg;    /* m x outputs: H' G */
    double *ones;  /* batch */
} pass;

static bool is_gated(const pass *p) { return p->net->shape.kind == FATHOM_NET_GATED; }
static bool is_scalar(const pass *p) { return p->net->shape.kind == FATHOM_NET_SCALAR; }

/* Z, and H = sigma(T), of rows i0 .. i1, one tile at a time. */
static void fill_hidden(pass *p, int64_t i0, int64_t i1)
{
    const fathom_net_shape *shape = &p->net->shape;
    const double *b = p->net->weights.b;
    const int64_t m = shape->m, down = pieces(i1 - i0, ROWS), across = pieces(m, BLOCK);
    const int threads = fathom_context_threads(p->net->context);
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (down * across > 1)
    for (int64_t t = 0; t < down * across; t++) {
        const int64_t r = t / across * ROWS, rows = smaller(ROWS, i1 - i0 - r);
        const int64_t j = t % across * BLOCK, columns = smaller(BLOCK, m - j);
        double *z = p->z + r * m + j, *h = p->h + r * m + j;
        fathom_hidden_tile(z, m, &p->hidden, i0 + r, i0 + r + rows, j, j + columns);
        if (is_gated(p))
            continue;
        for (int64_t i = 0; i < rows; i++)
            memcpy(h + i * m, z + i * m, (size_t)columns * sizeof(double));
        fathom_activation_apply(h, m, rows, columns, shape->kind, shape->parameter, b ? b + j : NULL);
    }
}

/* D = (G A') o sigma'(T) on the rows of the batch, in the room of H, which has been used by then. */
static void fill_backward(pass *p, int64_t rows_in_batch, const double *g)
{
    const fathom_net_shape *shape = &p->net->shape;
    const double *b = p->net->weights.b;
    const int64_t m = shape->m, o = shape->outputs, down = pieces(rows_in_batch, ROWS),
                  across = pieces(m, BLOCK);
    const int threads = fathom_context_threads(p->net->context);
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (down * across > 1)
    for (int64_t t = 0; t < down * across; t++) {
        const int64_t r = t / across * ROWS, rows = smaller(ROWS, rows_in_batch - r);
        const int64_t j = t % across * BLOCK, columns = smaller(BLOCK, m - j);
        double *z = p->z + r * m + j, *d = p->h + r * m + j;
        fathom_blas_gemm(d, m, rows, columns, o, 1, fathom_plain(g + r * o, o),
                         fathom_transposed(p->a + j * o, o), 0);
        fathom_activation_apply_slope(d, m, z, m, rows, columns, shape->kind, shape->parameter,
                                      b ? b + j : NULL);
    }
}

/* H <- s rho_j 1[z_ij > 0] G_ik for output k of a gated network. */
static void fill_gated(pass *p, int64_t rows, const double *g, int64_t k)
{
    const int64_t m = p->net->shape.m, o = p->net->shape.outputs;
    const int threads = fathom_context_threads(p->net->context);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < m; j++)
            p->h[i * m + j] = p->z[i * m + j] > 0 ? p->a[j] * g[i * o + k] : 0;
}

/* F of the batch: c + H A, or a forward pass of its own for gated networks. */
static fathom_status fill_outputs(pass *p, int64_t i0, int64_t i1)
{
    const fathom_net *net = p->net;
    const int64_t o = net->shape.outputs, m = net->shape.m;
    if (is_gated(p)) {
        const fathom_data_view rows = fathom_view_rows(p->view, i0, i1);
        return fathom_net_forward_view(p->f, net, &rows);
    }
    for (int64_t i = 0; i < i1 - i0; i++)
        memcpy(p->f + i * o, net->weights.c, (size_t)o * sizeof(double));
    return fathom_gemm(p->f, o, i1 - i0, o, m, 1, fathom_plain(p->h, m), fathom_plain(p->a, o), 1,
                       net->context);
}

/* G and the weighted losses of the batch from F. */
static void fill_slopes(pass *p, int64_t i0, int64_t i1)
{
    const int64_t o = p->net->shape.outputs;
    for (int64_t i = i0; i < i1; i++) {
        double *g = p->g + (i - i0) * o;
        const double *f = p->f + (i - i0) * o, *y = p->y + i * o;
        const double weight = p->factor * (p->view->weight ? p->view->weight[i] : 1);
        p->value[i] = weight * fathom_loss_value(p->loss, f, y, o);
        fathom_loss_derivative(g, p->loss, f, y, o);
        for (int64_t k = 0; k < o; k++)
            g[k] *= weight;
    }
}

static fathom_status add_gated(pass *p, int64_t i0, int64_t i1, const double *g)
{
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < p->adjoints && status == FATHOM_OK; k++) {
        fill_gated(p, i1 - i0, g, k);
        status = fathom_adjoint_add(&p->adjoint[k], p->net->context, p->h, p->net->shape.m, i0, i1);
    }
    return status;
}

/* Adds the batch's share to H' G, dU and db. */
static fathom_status add_dense(pass *p, int64_t i0, int64_t i1, const double *g)
{
    fathom_context *context = p->net->context;
    const int64_t m = p->net->shape.m, o = p->net->shape.outputs, rows = i1 - i0;
    fathom_status status = FATHOM_OK;
    if (p->into.w || (p->into.b && is_scalar(p)))
        status =
            fathom_gemm(p->hg, o, m, o, rows, 1, fathom_transposed(p->h, m), fathom_plain(g, o), 1, context);
    const bool sums = p->into.b && !is_scalar(p);
    if (status != FATHOM_OK || (!p->adjoints && !sums))
        return status;
    fill_backward(p, rows, g);
    if (sums)
        status = fathom_gemm(p->into.b, 1, m, 1, rows, 1, fathom_transposed(p->h, m),
                             fathom_plain(p->ones, 1), 1, context);
    if (status == FATHOM_OK && p->adjoints)
        status = fathom_adjoint_add(p->adjoint, context, p->h, m, i0, i1);
    return status;
}

static fathom_status run_batch(pass *p, int64_t i0, int64_t i1)
{
    const int64_t o = p->net->shape.outputs;
    const double *g = p->slope ? p->slope + i0 * o : p->g;
    fathom_status status = FATHOM_OK;
    fill_hidden(p, i0, i1);
    if (!p->slope) {
        status = fill_outputs(p, i0, i1);
        if (status != FATHOM_OK)
            return status;
        fill_slopes(p, i0, i1);
    }
    for (int64_t i = 0; p->into.c && i < i1 - i0; i++)
        for (int64_t k = 0; k < o; k++)
            p->into.c[k] += g[i * o + k];
    return is_gated(p) ? add_gated(p, i0, i1, g) : add_dense(p, i0, i1, g);
}

/* Turns the sums into gradients: dW = s rho H' G, and the two parts of a scalar network. */
static void complete(pass *p)
{
    const fathom_net *net = p->net;
    const int64_t m = net->shape.m, o = net->shape.outputs, d = net->shape.d;
    const double scale = fathom_net_scale_value(&net->shape);
    if (is_gated(p))
        return;
    for (int64_t j = 0; j < m; j++) {
        double along = 0;
        for (int64_t k = 0; k < o; k++) {
            along += p->a[j * o + k] * p->hg[j * o + k];
            if (p->into.w)
                p->into.w[j * o + k] = scale * net->weights.rho[j] * p->hg[j * o + k];
        }
        if (!is_scalar(p))
            continue;
        const double b = net->weights.b[j];
        if (p->into.b)
            p->into.b[j] = b == 0 ? 0 : along / b;
        if (p->into.u)
            fathom_blas_scale(p->into.u + j * d, b, d);
    }
}

static fathom_status open_adjoints(pass *p)
{
    const fathom_net_shape *shape = &p->net->shape;
    fathom_context *context = p->net->context;
    double *target = is_gated(p) ? p->into.w : p->into.u;
    if (!target)
        return FATHOM_OK;
    const int64_t wanted = is_gated(p) ? shape->outputs : 1;
    p->adjoint = fathom_memory_zero(context, wanted, sizeof *p->adjoint);
    if (!p->adjoint)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = FATHOM_OK;
    while (p->adjoints < wanted && status == FATHOM_OK) {
        const int64_t k = p->adjoints++;
        status = fathom_adjoint_open(&p->adjoint[k], context, p->view, target + k * shape->d,
                                     wanted * shape->d, shape->m);
    }
    return status;
}

static fathom_status open_pass(pass *p)
{
    const fathom_net_shape *shape = &p->net->shape;
    fathom_context *context = p->net->context;
    const int64_t m = shape->m, o = shape->outputs;
    FATHOM_TRY(fathom_hidden_open(&p->hidden, context, p->view,
                                  is_gated(p) ? p->net->weights.v : p->net->weights.u, shape->d, m));
    FATHOM_TRY(open_adjoints(p));
    p->a = fathom_memory_alloc(context, is_gated(p) ? m : m * o, sizeof(double));
    p->z = fathom_memory_alloc(context, p->batch * m, sizeof(double));
    p->h = fathom_memory_alloc(context, p->batch * m, sizeof(double));
    p->g = fathom_memory_alloc(context, p->batch * o, sizeof(double));
    p->f = fathom_memory_alloc(context, p->batch * o, sizeof(double));
    p->hg = fathom_memory_zero(context, m * o, sizeof(double));
    p->ones = fathom_memory_alloc(context, p->batch, sizeof(double));
    p->value = p->slope ? NULL : fathom_memory_alloc(context, p->view->n, sizeof(double));
    if (!p->a || !p->z || !p->h || !p->g || !p->f || !p->hg || !p->ones || (!p->slope && !p->value))
        return FATHOM_ERROR_MEMORY;
    fathom_net_output_weights(p->a, p->net);
    for (int64_t i = 0; i < p->batch; i++)
        p->ones[i] = 1;
    for (int64_t j = 0; p->into.b && j < m; j++)
        p->into.b[j] = 0;
    for (int64_t k = 0; p->into.c && k < o; k++)
        p->into.c[k] = 0;
    return FATHOM_OK;
}

static void close_pass(pass *p)
{
    fathom_context *context = p->net->context;
    for (int64_t k = 0; k < p->adjoints; k++)
        fathom_adjoint_close(&p->adjoint[k], context);
    fathom_hidden_close(&p->hidden, context);
    double *const block[] = {p->a, p->z, p->h, p->g, p->f, p->hg, p->ones, p->value};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(context, block[k]);
    fathom_memory_free(context, p->adjoint);
}

static fathom_status check(const pass *p)
{
    const fathom_net_shape *shape = &p->net->shape;
    fathom_context *context = p->net->context;
    if (p->view->d != shape->d)
        return fathom_error_set(context, FATHOM_ERROR_INPUT,
                                "the network takes %lld columns, the data has %lld", (long long)shape->d,
                                (long long)p->view->d);
    if (shape->kind == FATHOM_NET_NTK || shape->kind == FATHOM_NET_CONVEX_RF)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "%s networks are fitted, not trained by gradients",
                                fathom_net_kind_name(shape->kind));
    if (p->into.v || p->into.rho || (p->into.b && !p->net->weights.b) || (p->into.u && is_gated(p)))
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "a gradient was asked for that the network does not have");
    return p->slope ? FATHOM_OK : fathom_loss_check(context, p->loss, p->y, p->view->n, shape->outputs);
}

static fathom_status run_pass(double *value, pass *p)
{
    FATHOM_TRY(check(p));
    const int64_t n = p->view->n, m = p->net->shape.m;
    int64_t batch = m > 0 ? BATCH_DOUBLES / m / ROWS * ROWS : MAX_BATCH;
    batch = batch < MIN_BATCH ? MIN_BATCH : smaller(batch, MAX_BATCH);
    p->batch = smaller(batch, n);
    fathom_status status = open_pass(p);
    for (int64_t i = 0; i < n && status == FATHOM_OK; i += p->batch)
        status = run_batch(p, i, smaller(i + p->batch, n));
    if (status == FATHOM_OK && value)
        *value = fathom_sum(p->value, n);
    for (int64_t k = 0; k < p->adjoints; k++)
        fathom_adjoint_close(&p->adjoint[k], p->net->context);
    if (status == FATHOM_OK)
        complete(p);
    close_pass(p);
    return status;
}

fathom_status fathom_net_gradient_view(double *value, const fathom_net_weights *gradient,
                                       const fathom_net *net, const fathom_data_view *view, const double *y,
                                       fathom_loss loss, bool mean)
{
    const double total = view->weight ? fathom_sum(view->weight, view->n) : (double)view->n;
    pass p = {
        .net = net, .view = view, .into = *gradient, .y = y, .loss = loss, .factor = mean ? 1 / total : 1};
    return run_pass(value, &p);
}

fathom_status fathom_net_backward_view(const fathom_net_weights *gradient, const fathom_net *net,
                                       const fathom_data_view *view, const double *slope)
{
    pass p = {.net = net, .view = view, .into = *gradient, .slope = slope};
    return run_pass(NULL, &p);
}

fathom_status fathom_net_gradient(double *value, const fathom_net_weights *gradient, const fathom_net *net,
                                  const fathom_data *data, const double *y, fathom_loss loss, bool mean)
{
    const fathom_data_view view = fathom_data_look(data);
    return fathom_net_gradient_view(value, gradient, net, &view, y, loss, mean);
}

fathom_status fathom_net_backward(const fathom_net_weights *gradient, const fathom_net *net,
                                  const fathom_data *data, const double *slope)
{
    const fathom_data_view view = fathom_data_look(data);
    return fathom_net_backward_view(gradient, net, &view, slope);
}
