/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cone decompositions w = u - u', u and u' in the cone K = {u : s_i <x_i, u> >= 0} of a gate: see fathom/decompose.h.
 *
 * u in K and u - w in K together are s_i <x_i, u> >= b_i = max(0, s_i <x_i, w>), a polyhedron P that is not empty where the
 * orientation is off the hyperplanes [000, Thm 3.1].
 *
 * Least norm: (|u| + |u'|)^2 = min over 0 < a < 1 of |u|^2 / a + |u'|^2 / (1 - a), and for fixed a the sum is
 * |u - a w|^2 / (a (1 - a)) + |w|^2: the best u is the projection of a w on P (gate_cone.c). The minimum over u is convex in a
 * with derivative |u'|^2 / (1 - a)^2 - |u|^2 / a^2, whose sign is bisected: 50 projections, each started from the last.
 * Where w or -w is in K, one neuron does and |u| + |u'| = |w|.
 *
 * Sparse: one neuron for each output with w or -w in K; the other outputs share u' = a v, a the least number with w + a v
 * in K for all of them.
 */
#include "fathom/decompose.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "fathom/equivalence.h"
#include "fathom/gates.h"
#include "dense.h"
#include "gate_cone.h"
#include "memory.h"
#include "net_internal.h"

enum { BISECTIONS = 50 };

/* Rows missed by less than this share of |x_i| |w| count as held. */
static const double HELD = 1e-14;

/* Neurons of the new network as they come: u (d), then its output weights. */
typedef struct neurons {
    int64_t count, capacity, stride;
    double *rows; /* count x (d + outputs) */
} neurons;

typedef struct work {
    fathom_context *context;
    const fathom_net *gated;
    fathom_data_view view;
    double *x, *reach; /* n x d dense, n */
    uint64_t *open;    /* pattern of the gate at hand */
    double *inner;     /* n: <x_i, v>, then <x_i, w> */
    double *least;     /* n */
    double *w, *p;     /* d each: s rho_j W_jk; a w */
    fathom_gate_cone cone;
    neurons out;
} work;

static void close_work(work *a)
{
    void *blocks[] = {a->x, a->reach, a->open, a->inner, a->least, a->w, a->p, a->out.rows};
    fathom_gate_cone_close(&a->cone);
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(a->context, blocks[k]);
}

static void fill_points(work *a)
{
    const int64_t d = a->view.d;
    for (int64_t i = 0; i < a->view.n; i++) {
        double *row = a->x + i * d;
        fathom_dense_row(row, &a->view, i);
        a->reach[i] = fathom_blas_norm_up(row, d, 4);
    }
}

static fathom_status open_work(work *a, fathom_context *context, const fathom_net *gated,
                               const fathom_data *data)
{
    *a = (work){.context = context, .gated = gated, .view = fathom_data_look(data)};
    const int64_t n = a->view.n, d = a->view.d;
    a->out.stride = d + gated->shape.outputs;
    a->x = fathom_memory_alloc(context, n * d, sizeof *a->x);
    a->reach = fathom_memory_alloc(context, n, sizeof *a->reach);
    a->open = fathom_memory_alloc(context, n / 64 + 1, sizeof *a->open);
    a->inner = fathom_memory_alloc(context, 2 * n, sizeof *a->inner);
    a->least = fathom_memory_alloc(context, n, sizeof *a->least);
    a->w = fathom_memory_alloc(context, d, sizeof *a->w);
    a->p = fathom_memory_alloc(context, d, sizeof *a->p);
    if (!a->x || !a->reach || !a->open || !a->inner || !a->least || !a->w || !a->p)
        return FATHOM_ERROR_MEMORY;
    fill_points(a);
    return fathom_gate_cone_open(&a->cone, context, n, d, a->x, a->reach);
}

/* Appends the neuron relu(<u, x>) with weight `weight` to one output, or to those marked in `shared`. */
static fathom_status append(work *a, const double *u, double weight, int64_t output, const bool *shared)
{
    const int64_t d = a->view.d, outputs = a->gated->shape.outputs;
    FATHOM_TRY(fathom_memory_grow(a->context, (void **)&a->out.rows, &a->out.capacity,
                                  (a->out.count + 1) * a->out.stride, sizeof *a->out.rows));
    double *row = a->out.rows + a->out.count++ * a->out.stride;
    memcpy(row, u, (size_t)d * sizeof *u);
    for (int64_t k = 0; k < outputs; k++)
        row[d + k] = (shared ? shared[k] : k == output) ? weight : 0;
    return FATHOM_OK;
}

/* w = s rho_j W_jk, and inner_i = <x_i, w>. */
static void load_weight(work *a, int64_t j, int64_t output, double *inner)
{
    const int64_t d = a->view.d;
    const double factor = fathom_net_scale_value(&a->gated->shape) * a->gated->weights.rho[j];
    const double *from = a->gated->weights.w + (j * a->gated->shape.outputs + output) * d;
    for (int64_t k = 0; k < d; k++)
        a->w[k] = factor * from[k];
    fathom_blas_gemv(inner, a->view.n, d, 1, fathom_plain(a->x, d), a->w, 0);
}

/* Sets the pattern of gate j, inner_i = <x_i, v_j>. */
static void load_gate(work *a, int64_t j)
{
    const int64_t n = a->view.n, d = a->view.d;
    fathom_blas_gemv(a->inner, n, d, 1, fathom_plain(a->x, d), a->gated->weights.v + j * d, 0);
    memset(a->open, 0, (size_t)(n / 64 + 1) * sizeof *a->open);
    for (int64_t i = 0; i < n; i++)
        a->open[i / 64] |= (uint64_t)(a->inner[i] > 0) << (i % 64);
}

/* +1 where w is in the cone, -1 where -w is, 0 where neither, 2 where w = 0. */
static int cone_sign(const work *a, const double *inner)
{
    const double size = HELD * fathom_blas_norm(a->w, a->view.d);
    bool plus = true, minus = true;
    if (size == 0)
        return 2;
    for (int64_t i = 0; i < a->view.n; i++) {
        const double side = fathom_gate_side(a->open, i) * inner[i], zero = size * a->reach[i];
        plus = plus && side >= -zero;
        minus = minus && side <= zero;
    }
    return plus ? 1 : minus ? -1 : 0;
}

static fathom_status refuse_gate(const work *a, int64_t j)
{
    return fathom_error_set(
        a->context, FATHOM_ERROR_INPUT,
        "no decomposition found for gate %lld: its orientation lies on the hyperplane of a point, "
        "or too close to one",
        (long long)j);
}

/* One neuron where one does; *done says whether. */
static fathom_status append_single(bool *done, work *a, int64_t output, const double *inner)
{
    const int sign = cone_sign(a, inner);
    *done = sign != 0;
    if (sign == 0 || sign == 2)
        return FATHOM_OK;
    fathom_blas_scale(a->w, sign, a->view.d);
    return append(a, a->w, sign, output, NULL);
}

/* The least-norm pair for w, inner its products with the points. */
static fathom_status append_pair(work *a, int64_t j, int64_t output, const double *inner)
{
    const int64_t d = a->view.d;
    double low = 0, high = 1;
    for (int64_t i = 0; i < a->view.n; i++)
        a->least[i] = fmax(0, fathom_gate_side(a->open, i) * inner[i]);
    a->cone.count = 0;
    for (int step = 0; step < BISECTIONS; step++) {
        const double share = (low + high) / 2;
        for (int64_t k = 0; k < d; k++)
            a->p[k] = share * a->w[k];
        fathom_gate_cone_project(&a->cone, a->open, a->p, a->least);
        if (!a->cone.exact)
            return refuse_gate(a, j);
        for (int64_t k = 0; k < d; k++)
            a->p[k] = a->cone.u[k] - a->w[k];
        const double left = fathom_blas_norm(a->cone.u, d) / share,
                     right = fathom_blas_norm(a->p, d) / (1 - share);
        *(left > right ? &low : &high) = share;
    }
    FATHOM_TRY(append(a, a->cone.u, 1, output, NULL));
    return append(a, a->p, -1, output, NULL);
}

static fathom_status min_norm_gate(work *a, int64_t j)
{
    double *inner = a->inner + a->view.n;
    fathom_status status = FATHOM_OK;
    load_gate(a, j);
    for (int64_t k = 0; k < a->gated->shape.outputs && status == FATHOM_OK; k++) {
        bool done;
        load_weight(a, j, k, inner);
        status = append_single(&done, a, k, inner);
        if (status == FATHOM_OK && !done)
            status = append_pair(a, j, k, inner);
    }
    return status;
}

/* The least a with s_i (<x_i, w> + a <x_i, v>) >= 0 for all points; false where there is none. */
static bool raise_factor(double *factor, const work *a, const double *inner)
{
    for (int64_t i = 0; i < a->view.n; i++) {
        const double side = fathom_gate_side(a->open, i) * inner[i];
        if (side >= 0)
            continue;
        if (a->inner[i] == 0)
            return false;
        *factor = fmax(*factor, -side / fabs(a->inner[i]) * (1 + 0x1p-50));
    }
    return true;
}

static fathom_status sparse_gate(work *a, int64_t j, bool *shared)
{
    const int64_t d = a->view.d, outputs = a->gated->shape.outputs;
    const double *v = a->gated->weights.v + j * d;
    double factor = 0, *inner = a->inner + a->view.n;
    fathom_status status = FATHOM_OK;
    load_gate(a, j);
    for (int64_t k = 0; k < outputs && status == FATHOM_OK; k++) {
        bool done;
        load_weight(a, j, k, inner);
        status = append_single(&done, a, k, inner);
        shared[k] = !done;
        if (status == FATHOM_OK && !done && !raise_factor(&factor, a, inner))
            status = refuse_gate(a, j);
    }
    bool any = false;
    for (int64_t k = 0; k < outputs && status == FATHOM_OK; k++) {
        if (!shared[k])
            continue;
        any = true;
        load_weight(a, j, k, inner);
        fathom_blas_axpy(a->w, factor, v, d);
        status = append(a, a->w, 1, k, NULL);
    }
    memcpy(a->p, v, (size_t)d * sizeof *v);
    fathom_blas_scale(a->p, factor, d);
    return status == FATHOM_OK && any ? append(a, a->p, -1, 0, shared) : status;
}

/* The network of the neurons, rho = 1 and no scale. */
static fathom_status make_net(fathom_net **relu, const work *a)
{
    const int64_t d = a->view.d, outputs = a->gated->shape.outputs;
    const fathom_net_shape shape = {.kind = FATHOM_NET_RELU, .d = d, .m = a->out.count, .outputs = outputs};
    FATHOM_TRY(fathom_net_create(relu, a->context, &shape));
    const fathom_net_weights *to = &(*relu)->weights;
    for (int64_t j = 0; j < a->out.count; j++) {
        memcpy(to->u + j * d, a->out.rows + j * a->out.stride, (size_t)d * sizeof *to->u);
        memcpy(to->w + j * outputs, a->out.rows + j * a->out.stride + d, (size_t)outputs * sizeof *to->w);
    }
    memcpy(to->c, a->gated->weights.c, (size_t)outputs * sizeof *to->c);
    return FATHOM_OK;
}

/* sum_j s rho_j |W_j| |u_j|; |w_j| in place of the product for gated networks. */
static double path_norm(const fathom_net *net)
{
    const int64_t d = net->shape.d, outputs = net->shape.outputs;
    const bool gated = net->shape.kind == FATHOM_NET_GATED;
    const int64_t wide = gated ? outputs * d : outputs;
    double sum = 0;
    for (int64_t j = 0; j < net->shape.m; j++)
        sum += fabs(net->weights.rho[j]) * fathom_blas_norm(net->weights.w + j * wide, wide) *
               (gated ? 1 : fathom_blas_norm(net->weights.u + j * d, d));
    return fathom_net_scale_value(&net->shape) * sum;
}

static fathom_status decompose(fathom_net **relu, fathom_context *context, const fathom_net *gated,
                               const fathom_data *data, fathom_decompose how)
{
    work a;
    fathom_status status = open_work(&a, context, gated, data);
    bool *shared = fathom_memory_alloc(context, gated->shape.outputs, sizeof *shared);
    if (!shared)
        status = FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < gated->shape.m && status == FATHOM_OK; j++)
        status = how == FATHOM_DECOMPOSE_SPARSE ? sparse_gate(&a, j, shared) : min_norm_gate(&a, j);
    FATHOM_THEN(status, make_net(relu, &a));
    fathom_memory_free(context, shared);
    close_work(&a);
    return status;
}

fathom_status fathom_net_decompose(fathom_net **relu, double *inflation, fathom_context *context,
                                   const fathom_net *gated, const fathom_data *data, fathom_decompose how)
{
    *relu = NULL;
    fathom_status status;
    if (how == FATHOM_DECOMPOSE_THEOREM || gated->shape.kind != FATHOM_NET_GATED ||
        fathom_data_look(data).d != gated->shape.d)
        status = fathom_net_to_relu(relu, context, gated, data); /* which also words the refusals */
    else
        status = decompose(relu, context, gated, data, how);
    if (status != FATHOM_OK)
        return status;
    const double before = path_norm(gated), after = path_norm(*relu);
    *inflation = before > 0 ? after / before : 1;
    return FATHOM_OK;
}
