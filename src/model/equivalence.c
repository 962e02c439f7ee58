/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equivalent networks [000, Sec. 3, App. A, B and D, with the corrections of docs/explanation/errata.md].
 *
 * Symbols: s the scale, t_jk = s rho_j W_jk, M_ij = 1[<x_i, v_j> > 0].
 *
 *   standard -> convex   t_jk relu(<u_j, x>) = <t_jk u_j, x> 1[<u_j, x> > 0].
 *   convex -> standard   <w, x> 1[<v, x> > 0] = relu(<w + a v, x>) - relu(<a v, x>) at every point where w + a v has the
 *                        sign of v: a >= 2 max_i |<w, x_i>| / |<v, x_i>|. The price is cancellation: an absolute error of
 *                        about 2^-53 a |v||x|.
 *   compression          gates with equal patterns on the data: rho' = sum s rho_j, W' = sum s rho_j W_j / rho'; standard
 *                        neurons with equal patterns and signs of t: u' = sum |t_j| u_j / rho', W' = sign: the mean of
 *                        vectors in a convex cone stays there.
 */
#include <math.h>
#include <string.h>

#include "fathom/equivalence.h"
#include "fathom/gates.h"

#include "context_internal.h"
#include "memory.h"
#include "net_internal.h"

static fathom_status refuse(fathom_context *context, const char *what)
{
    return fathom_error_set(context, FATHOM_ERROR_USAGE, "%s", what);
}

/* Only relu and scalar networks without hidden biases are sums of t relu(<u, x>). */
static fathom_status require_standard(fathom_context *context, const fathom_net_shape *shape)
{
    if (shape->kind != FATHOM_NET_RELU && shape->kind != FATHOM_NET_SCALAR)
        return refuse(context, "only a relu network can be made gated");
    if (shape->hidden_bias && shape->kind == FATHOM_NET_RELU)
        return refuse(context, "hidden biases have no gated form: train with --bias augment instead of free");
    return FATHOM_OK;
}

/* The hidden vector of neuron j into u (d): scalar networks carry a factor b_j. */
static void hidden_vector(double *u, const fathom_net *net, int64_t j)
{
    const int64_t d = net->shape.d;
    const double factor = net->shape.kind == FATHOM_NET_SCALAR ? net->weights.b[j] : 1;
    for (int64_t k = 0; k < d; k++)
        u[k] = factor * net->weights.u[j * d + k];
}

static void copy_constants(fathom_net *to, const fathom_net *from)
{
    memcpy(to->weights.c, from->weights.c, (size_t)from->shape.outputs * sizeof *to->weights.c);
}

fathom_status fathom_net_to_gated(fathom_net **gated, fathom_context *context, const fathom_net *net)
{
    *gated = NULL;
    FATHOM_TRY(require_standard(context, &net->shape));
    fathom_net_shape shape = net->shape;
    shape.kind = FATHOM_NET_GATED;
    shape.hidden_bias = false;
    shape.output_fixed = false;
    FATHOM_TRY(fathom_net_create(gated, context, &shape));
    const fathom_net_weights *to = &(*gated)->weights;
    const int64_t d = shape.d, outputs = shape.outputs;
    for (int64_t j = 0; j < shape.m; j++) {
        double *v = to->v + j * d;
        hidden_vector(v, net, j);
        for (int64_t o = 0; o < outputs; o++)
            for (int64_t k = 0; k < d; k++)
                to->w[(j * outputs + o) * d + k] = net->weights.w[j * outputs + o] * v[k];
        to->rho[j] = net->weights.rho[j];
    }
    copy_constants(*gated, net);
    return FATHOM_OK;
}

/* <x_i, v> of a dense or sparse row; *size receives sum |x_ik v_k|. */
static double row_dot(const fathom_data_view *view, int64_t i, const double *v, double *size)
{
    double sum = 0;
    *size = 0;
    const int64_t first = view->x ? 0 : view->row_start[i], last = view->x ? view->d : view->row_start[i + 1];
    for (int64_t k = first; k < last; k++) {
        const double term = view->x ? view->x[i * view->ld + k] * v[k] : view->value[k] * v[view->column[k]];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

static bool is_zero_row(const fathom_data_view *view, int64_t i)
{
    const int64_t first = view->x ? i * view->ld : view->row_start[i];
    const int64_t last = view->x ? first + view->d : view->row_start[i + 1];
    for (int64_t k = first; k < last; k++)
        if ((view->x ? view->x[k] : view->value[k]) != 0)
            return false;
    return true;
}

/* The factor a of gate j, 2 max |<w_jk, x_i>| / |<v_j, x_i>| over points and outputs; 1 where all of those are 0. An
 * inner product <v_j, x_i> that rounding cannot tell from 0 is an error. */
static fathom_status gate_factor(double *factor, const fathom_net *gated, int64_t j,
                                 const fathom_data_view *view)
{
    const int64_t d = gated->shape.d, outputs = gated->shape.outputs;
    const double *v = gated->weights.v + j * d;
    *factor = 0;
    for (int64_t i = 0; i < view->n; i++) {
        double size, other;
        const double inner = row_dot(view, i, v, &size);
        if (fabs(inner) <= (double)(d + 2) * 0x1p-53 * size && !is_zero_row(view, i))
            return fathom_error_set(
                gated->context, FATHOM_ERROR_INPUT,
                "no standard network of this form: orientation %lld lies on the hyperplane of "
                "point %lld (i = %lld, j = %lld, <x_i, v_j> = %.3g)",
                (long long)j, (long long)i, (long long)i, (long long)j, inner);
        for (int64_t o = 0; o < outputs && inner != 0; o++) {
            const double need =
                fabs(row_dot(view, i, gated->weights.w + (j * outputs + o) * d, &other) / inner);
            *factor = fmax(*factor, 2 * need);
        }
    }
    *factor = *factor > 0 ? *factor : 1;
    return FATHOM_OK;
}

/* Neurons of gate j: relu(<w_jk + a v, x>) to output k for every k, and -relu(<a v, x>) to all. */
static void write_pair(fathom_net *relu, const fathom_net *gated, int64_t j, double factor, double ratio)
{
    const int64_t d = gated->shape.d, outputs = gated->shape.outputs;
    const double *v = gated->weights.v + j * d;
    for (int64_t o = 0; o <= outputs; o++) {
        const int64_t neuron = j * (outputs + 1) + o;
        double *u = relu->weights.u + neuron * d, *w = relu->weights.w + neuron * outputs;
        for (int64_t k = 0; k < d; k++)
            u[k] = factor * v[k] + (o < outputs ? gated->weights.w[(j * outputs + o) * d + k] : 0);
        for (int64_t q = 0; q < outputs; q++)
            w[q] = o == outputs ? -ratio : q == o ? ratio : 0;
        relu->weights.rho[neuron] = gated->weights.rho[j];
    }
}

/* The shape of the standard network: outputs + 1 neurons per gate. */
static fathom_net_shape relu_shape(const fathom_net_shape *gated)
{
    fathom_net_shape shape = *gated;
    shape.kind = FATHOM_NET_RELU;
    shape.m = gated->m * (gated->outputs + 1);
    return shape;
}

fathom_status fathom_net_to_relu(fathom_net **relu, fathom_context *context, const fathom_net *gated,
                                 const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    *relu = NULL;
    if (gated->shape.kind != FATHOM_NET_GATED)
        return refuse(context, "only a gated network can be made a relu network");
    if (view.d != gated->shape.d)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "the data has %lld columns, the network %lld",
                                (long long)view.d, (long long)gated->shape.d);
    const fathom_net_shape shape = relu_shape(&gated->shape);
    fathom_status status = fathom_net_create(relu, context, &shape);
    /* erratum: 2m neurons carry 1/(2m), so that the weights have to be doubled; in general by the ratio of scales */
    const double ratio = fathom_net_scale_value(&gated->shape) / fathom_net_scale_value(&shape);
    for (int64_t j = 0; j < gated->shape.m && status == FATHOM_OK; j++) {
        double factor = 1;
        status = gate_factor(&factor, gated, j, &view);
        if (status == FATHOM_OK)
            write_pair(*relu, gated, j, factor, ratio);
    }
    if (status == FATHOM_OK) {
        copy_constants(*relu, gated);
    } else {
        fathom_net_free(*relu);
        *relu = NULL;
    }
    return status;
}

fathom_status fathom_net_rescale(fathom_net *net, fathom_net_scale scale)
{
    fathom_net_shape shape = net->shape;
    shape.scale = scale;
    FATHOM_TRY(fathom_net_shape_check(net->context, &shape));
    const double ratio = fathom_net_scale_value(&net->shape) / fathom_net_scale_value(&shape);
    const fathom_net_weights *w = &net->weights;
    const bool outer = shape.kind == FATHOM_NET_GATED || shape.kind == FATHOM_NET_HUBER ||
                       shape.kind == FATHOM_NET_CONVEX_RF;
    const bool scalar = shape.kind == FATHOM_NET_SCALAR;
    for (int64_t k = 0; k < shape.m * fathom_net_w_columns(&shape) && outer; k++)
        w->w[k] *= ratio;
    for (int64_t k = 0; k < shape.m * shape.d && !outer && !scalar; k++)
        w->u[k] *= ratio;
    for (int64_t j = 0; j < shape.m && !outer && w->b; j++)
        w->b[j] *= ratio;
    net->shape.scale = scale;
    return FATHOM_OK;
}

fathom_status fathom_net_difference(double *difference, const fathom_net *a, const fathom_net *b,
                                    const fathom_data *data)
{
    const int64_t n = fathom_data_look(data).n, count = n * a->shape.outputs;
    if (a->shape.outputs != b->shape.outputs)
        return refuse(a->context, "the networks have different numbers of outputs");
    double *f = fathom_memory_alloc(a->context, count, sizeof *f);
    double *g = fathom_memory_alloc(a->context, count, sizeof *g);
    fathom_status status = f && g ? fathom_net_forward(f, a, data) : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_net_forward(g, b, data));
    *difference = 0;
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++)
        *difference = fabs(f[k] - g[k]) <= *difference ? *difference : fabs(f[k] - g[k]);
    FATHOM_FREE(a->context, f, g);
    return status;
}
