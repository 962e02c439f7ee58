/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks with one neuron per occupied cone, see equivalence.c [000, Lemmas 3.3 and 3.4; T_2 and T_3 of App. D].
 *
 * Neurons are put into classes by their pattern on the data, decided exactly, and for standard networks by the sign
 * of their output weight as well; classes are numbered in order of first appearance. Cost: one matrix product, O(m d).
 */
#include <math.h>
#include <string.h>

#include "fathom/equivalence.h"
#include "fathom/gates.h"

#include "context_internal.h"
#include "memory.h"
#include "net_internal.h"

static bool negative(const fathom_net *net, int64_t j)
{
    return net->shape.kind != FATHOM_NET_GATED && net->weights.w[j] * net->weights.rho[j] < 0;
}

/* class_of (m): from gates to classes, gates of a standard network being split by sign; *count classes. `number` (2 m) is
 * workspace. */
static void split_by_sign(int64_t *class_of, int64_t *count, int64_t *number, const fathom_net *net)
{
    *count = 0;
    for (int64_t k = 0; k < 2 * net->shape.m; k++)
        number[k] = -1;
    for (int64_t j = 0; j < net->shape.m; j++) {
        int64_t *at = number + 2 * class_of[j] + negative(net, j);
        if (*at < 0)
            *at = (*count)++;
        class_of[j] = *at;
    }
}

/* Gives the class of every neuron. */
static fathom_status classify(int64_t *class_of, int64_t *count, fathom_context *context,
                              const fathom_net *net, const fathom_data *data)
{
    const int64_t m = net->shape.m, d = net->shape.d;
    const double *v = net->shape.kind == FATHOM_NET_GATED ? net->weights.v : net->weights.u;
    fathom_gates *gates = NULL;
    int64_t *number = fathom_memory_alloc(context, 2 * m, sizeof *number);
    fathom_status status = number ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *count = 0;
    if (status == FATHOM_OK && m > 0)
        status = fathom_gates_from_orientations(&gates, context, data, m, v, d, class_of);
    if (status == FATHOM_OK && m > 0)
        split_by_sign(class_of, count, number, net);
    fathom_gates_free(gates);
    fathom_memory_free(context, number);
    return status;
}

/* Adds gate j to its class: rho' += s rho_j, W' += s rho_j W_j; the first one lends its orientation. */
static void add_gate(fathom_net *small, const fathom_net *net, int64_t j, int64_t class, bool first)
{
    const int64_t d = net->shape.d, columns = fathom_net_w_columns(&net->shape);
    const double share = fathom_net_scale_value(&net->shape) * net->weights.rho[j];
    if (first)
        memcpy(small->weights.v + class * d, net->weights.v + j * d, (size_t)d * sizeof(double));
    for (int64_t k = 0; k < columns; k++)
        small->weights.w[class * columns + k] += share * net->weights.w[j * columns + k];
    small->weights.rho[class] += share;
}

/* Adds standard neuron j to its class: rho' += s |rho_j|, u' += |t_j| u_j. */
static void add_neuron(fathom_net *small, const fathom_net *net, int64_t j, int64_t class)
{
    const int64_t d = net->shape.d;
    const double share = fathom_net_scale_value(&net->shape) * fabs(net->weights.rho[j]);
    const double part = share * fabs(net->weights.w[j]);
    for (int64_t k = 0; k < d; k++)
        small->weights.u[class * d + k] += part * net->weights.u[j * d + k];
    small->weights.rho[class] += share;
    small->weights.w[class] = negative(net, j) ? -1 : 1;
}

/* Sums to means: divides by rho', which stays 1 where the shares of a class cancel or vanish. */
static void finish(fathom_net *small)
{
    const bool gated = small->shape.kind == FATHOM_NET_GATED;
    const int64_t columns = gated ? fathom_net_w_columns(&small->shape) : small->shape.d;
    double *sum = gated ? small->weights.w : small->weights.u;
    for (int64_t j = 0; j < small->shape.m; j++) {
        if (small->weights.rho[j] == 0)
            small->weights.rho[j] = 1;
        for (int64_t k = 0; k < columns; k++)
            sum[j * columns + k] /= small->weights.rho[j];
    }
}

static void gather(fathom_net *small, const fathom_net *net, const int64_t *class_of)
{
    int64_t seen = 0; /* classes appear in order of their numbers */
    memset(small->weights.rho, 0, (size_t)small->shape.m * sizeof(double));
    for (int64_t j = 0; j < net->shape.m; j++) {
        const bool first = class_of[j] == seen;
        seen += first;
        if (net->shape.kind == FATHOM_NET_GATED)
            add_gate(small, net, j, class_of[j], first);
        else
            add_neuron(small, net, j, class_of[j]);
    }
    finish(small);
    memcpy(small->weights.c, net->weights.c, (size_t)net->shape.outputs * sizeof(double));
}

static fathom_status check_kind(fathom_context *context, const fathom_net_shape *shape)
{
    if (shape->kind == FATHOM_NET_GATED)
        return FATHOM_OK;
    if (shape->kind != FATHOM_NET_RELU)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "only relu and gated networks can be compressed");
    if (shape->outputs > 1)
        return fathom_error_set(
            context, FATHOM_ERROR_USAGE,
            "a relu network with several outputs has no one neuron per cone: convert it to gated "
            "first");
    if (shape->hidden_bias)
        return fathom_error_set(
            context, FATHOM_ERROR_USAGE,
            "compression needs cones, that is, no hidden biases: train with --bias augment");
    return FATHOM_OK;
}

fathom_status fathom_net_compress(fathom_net **small, fathom_context *context, const fathom_net *net,
                                  const fathom_data *data)
{
    int64_t count = 0;
    *small = NULL;
    fathom_status status = check_kind(context, &net->shape);
    if (status == FATHOM_OK && fathom_data_look(data).d != net->shape.d)
        status = fathom_error_set(context, FATHOM_ERROR_INPUT, "the data has %lld columns, the network %lld",
                                  (long long)fathom_data_look(data).d, (long long)net->shape.d);
    if (status != FATHOM_OK)
        return status;
    int64_t *class_of = fathom_memory_alloc(context, net->shape.m, sizeof *class_of);
    status = class_of ? classify(class_of, &count, context, net, data) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        fathom_net_shape shape = net->shape;
        shape.m = count;
        shape.scale = FATHOM_SCALE_ONE;
        status = fathom_net_create(small, context, &shape);
    }
    if (status == FATHOM_OK)
        gather(*small, net, class_of);
    fathom_memory_free(context, class_of);
    return status;
}
