/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The network's storage: shape checked once, all parameters in one block.
 *
 * Symbols as in fathom/net.h: U m x d (convex-rf: m x channels patch^2), V m x d, b m, W m x outputs (gated: m x outputs
 * x d; convex-rf: m x pool^2 x outputs), c outputs, rho m.
 */
#include "model_names.h"
#include "net_internal.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "convex_rf.h"
#include "memory.h"

static fathom_status refuse(fathom_context *context, const char *what)
{
    return fathom_error_set(context, FATHOM_ERROR_USAGE, "network: %s", what);
}

/* Comparisons are written so that NaN fails them. */
fathom_status fathom_net_shape_check(fathom_context *context, const fathom_net_shape *shape)
{
    if ((int)shape->kind < FATHOM_NET_RELU || shape->kind > FATHOM_NET_CONVEX_RF)
        return refuse(context, "unknown kind");
    if ((int)shape->scale < FATHOM_SCALE_ONE || shape->scale > FATHOM_SCALE_SQRT)
        return refuse(context, "unknown scale");
    if (shape->d < 1 || shape->m < 0 || shape->outputs < 1)
        return refuse(context, "needs d >= 1, m >= 0 and outputs >= 1");
    const bool leaky = shape->kind == FATHOM_NET_LEAKY, huber = shape->kind == FATHOM_NET_HUBER;
    if (leaky && !(shape->parameter >= 0 && shape->parameter <= 1))
        return refuse(context, "the slope of leaky must be in [0, 1]");
    if (huber && !(shape->parameter > 0 && shape->parameter < INFINITY))
        return refuse(context, "the bandwidth of huber must be positive");
    const bool ntk = shape->kind == FATHOM_NET_NTK;
    if (ntk && !(shape->parameter == 0 || shape->parameter == 1))
        return refuse(context, "the kernel of ntk is 0 (first layer) or 1 (both)");
    if (ntk && shape->hidden_bias)
        return refuse(context, "kernels have no hidden biases");
    if (!leaky && !huber && !ntk && !(shape->parameter == 0))
        return refuse(context, "only leaky, huber and ntk take a parameter");
    const bool patches = shape->kind == FATHOM_NET_CONVEX_RF;
    if ((shape->kind == FATHOM_NET_GATED || patches) && shape->hidden_bias)
        return refuse(context, "gated and convex-rf networks have no hidden biases");
    const char *wrong = patches ? fathom_rf_image_fault(&shape->image, shape->d) : NULL;
    return wrong ? refuse(context, wrong) : FATHOM_OK;
}

double fathom_net_scale_value(const fathom_net_shape *shape)
{
    if (shape->m == 0 || shape->scale == FATHOM_SCALE_ONE)
        return 1;
    return shape->scale == FATHOM_SCALE_MEAN ? 1 / (double)shape->m : 1 / sqrt((double)shape->m);
}

int64_t fathom_net_u_columns(const fathom_net_shape *shape)
{
    return shape->kind == FATHOM_NET_CONVEX_RF ? fathom_rf_size(&shape->image) : shape->d;
}

/* What each output has of W per hidden unit. */
static int64_t output_columns(const fathom_net_shape *shape)
{
    return shape->kind == FATHOM_NET_GATED       ? shape->d
           : shape->kind == FATHOM_NET_CONVEX_RF ? fathom_rf_cells(&shape->image)
                                                 : 1;
}

int64_t fathom_net_w_columns(const fathom_net_shape *shape) { return shape->outputs * output_columns(shape); }

/* Doubles of each parameter, in the order u, v, b, w, c, rho; false where they overflow. */
static bool count_parameters(int64_t count[6], const fathom_net_shape *shape)
{
    const bool gated = shape->kind == FATHOM_NET_GATED;
    const bool biased = shape->hidden_bias || shape->kind == FATHOM_NET_SCALAR;
    int64_t md, mo, modd, total;
    if (__builtin_mul_overflow(shape->m, fathom_net_u_columns(shape), &md) ||
        __builtin_mul_overflow(shape->m, shape->outputs, &mo))
        return false;
    if (__builtin_mul_overflow(mo, output_columns(shape), &modd))
        return false;
    count[0] = gated ? 0 : md;
    count[1] = gated ? md : 0;
    count[2] = biased ? shape->m : 0;
    count[3] = modd;
    count[4] = shape->outputs;
    count[5] = shape->m;
    total = 0;
    for (int k = 0; k < 6; k++)
        if (__builtin_add_overflow(total, count[k], &total))
            return false;
    return total < INT64_MAX / (int64_t)sizeof(double);
}

/* Hands out the pieces of the block; what the family does not have stays NULL, an empty piece does not. */
static void assign(fathom_net *net, const int64_t count[6])
{
    double **piece[6] = {&net->weights.u, &net->weights.v, &net->weights.b,
                         &net->weights.w, &net->weights.c, &net->weights.rho};
    const bool gated = net->shape.kind == FATHOM_NET_GATED;
    const bool biased = net->shape.hidden_bias || net->shape.kind == FATHOM_NET_SCALAR;
    const bool has[6] = {!gated, gated, biased, true, true, true};
    double *next = net->block;
    for (int k = 0; k < 6; k++) {
        *piece[k] = has[k] ? next : NULL;
        next += count[k];
    }
    net->parameters = next - net->block;
    for (int64_t j = 0; j < net->shape.m; j++)
        net->weights.rho[j] = 1;
}

fathom_status fathom_net_create(fathom_net **net, fathom_context *context, const fathom_net_shape *shape)
{
    *net = NULL;
    FATHOM_TRY(fathom_net_shape_check(context, shape));
    int64_t count[6], total = 0;
    if (!count_parameters(count, shape))
        return fathom_error_set(context, FATHOM_ERROR_MEMORY,
                                "network: %lld x %lld hidden weights are too many", (long long)shape->m,
                                (long long)shape->d);
    for (int k = 0; k < 6; k++)
        total += count[k];
    FATHOM_TRY(fathom_context_require(context, (double)total * sizeof(double), "the network"));
    fathom_net *made = fathom_memory_zero(context, 1, sizeof *made);
    if (!made)
        return FATHOM_ERROR_MEMORY;
    made->context = context;
    made->shape = *shape;
    made->shape.hidden_bias = shape->hidden_bias || shape->kind == FATHOM_NET_SCALAR;
    made->block = fathom_memory_zero(context, total, sizeof(double));
    if (!made->block) {
        fathom_memory_free(context, made);
        return FATHOM_ERROR_MEMORY;
    }
    assign(made, count);
    *net = made;
    return FATHOM_OK;
}

void fathom_net_free(fathom_net *net)
{
    if (!net)
        return;
    FATHOM_FREE(net->context, net->block, net);
}

fathom_net_shape fathom_net_look(const fathom_net *net) { return net->shape; }

fathom_net_weights fathom_net_lend(fathom_net *net) { return net->weights; }

void fathom_net_output_weights(double *a, const fathom_net *net)
{
    const double scale = fathom_net_scale_value(&net->shape);
    const bool gated = net->shape.kind == FATHOM_NET_GATED;
    const int64_t columns = gated ? 1 : fathom_net_w_columns(&net->shape);
    for (int64_t j = 0; j < net->shape.m; j++)
        for (int64_t k = 0; k < columns; k++)
            a[j * columns + k] = scale * net->weights.rho[j] * (gated ? 1 : net->weights.w[j * columns + k]);
}

static bool all_finite(const double *x, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
}

fathom_status fathom_net_assign(fathom_net *net, const fathom_net_weights *values)
{
    static const char *const name[6] = {"U", "V", "b", "W", "c", "rho"};
    const double *from[6] = {values->u, values->v, values->b, values->w, values->c, values->rho};
    double *to[6] = {net->weights.u, net->weights.v, net->weights.b,
                     net->weights.w, net->weights.c, net->weights.rho};
    int64_t count[6];
    count_parameters(count, &net->shape);
    for (int k = 0; k < 6; k++) {
        if (from[k] && !to[k])
            return fathom_error_set(net->context, FATHOM_ERROR_INPUT, "this network has no %s", name[k]);
        if (from[k] && !all_finite(from[k], count[k]))
            return fathom_error_set(net->context, FATHOM_ERROR_INPUT, "%s: expected finite numbers", name[k]);
    }
    for (int k = 0; k < 6; k++)
        if (from[k])
            memmove(to[k], from[k], (size_t)count[k] * sizeof(double));
    return FATHOM_OK;
}

const char *fathom_net_kind_name(fathom_net_kind kind) { return fathom_kind_names[kind]; }

const char *fathom_net_scale_name(fathom_net_scale scale)
{
    static const char *const names[] = {"1", "1/m", "1/sqrt(m)"};
    return names[scale];
}
