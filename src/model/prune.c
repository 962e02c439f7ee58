/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network without the neurons that hardly move its outputs.
 *
 * Symbols: n rows of data, p_jk(x) what neuron j adds to output k, a_jk its mean over the rows.
 *
 *     f_k(x) = c_k + sum_j p_jk(x),      g_k(x) = c_k + sum_{j dropped} a_jk + sum_{j kept} p_jk(x).
 *
 * A dropped neuron leaves its mean behind. Neurons go in the order of max_ik |p_jk(x_i) - a_jk|, the least
 * first; how many, bisection decides: the largest |f_k(x_i) - g_k(x_i)| over the rows, recomputed from both
 * networks, stays within the share of the spread max_k (max_i f_k(x_i) - min_i f_k(x_i)).
 *
 * Beyond the rows: over the box of the columns' ranges every <u, x> has its ends at two corners, the
 * activations are monotone, so that p_jk lies in an interval, and f_k - g_k in the sum of those of dropped
 * neurons less their means. Rounding: sums of at most N = d + m + 8 terms of a total size T are off by less
 * than 2 N u T, which is added; T also counts the kept neurons where their rho change with the scale.
 * Kernels and networks on images have no such bound here.
 *
 * Cost: 2 + log2 m passes over the data.
 */
#include <math.h>
#include <string.h>

#include "fathom/equivalence.h"
#include "inner/data.h"

#include "activation.h"
#include "context_internal.h"
#include "memory.h"
#include "net_internal.h"

typedef struct plan {
    fathom_context *context;
    const fathom_net *net;
    const fathom_data *data;
    int64_t *order;           /* m: the least first */
    double *move, *mean;      /* m: max_ik |p_jk - a_jk|; m x outputs */
    double *out, *low, *high; /* n x outputs; d each */
} plan;

/* Copies neuron `from` of a network to the place `to` of another of the same family; its rho takes the
 * scale over. */
static void copy_neuron(fathom_net *target, int64_t to, const fathom_net *net, int64_t from, double ratio)
{
    const fathom_net_weights *a = &target->weights, *b = &net->weights;
    const int64_t u = fathom_net_u_columns(&net->shape), w = fathom_net_w_columns(&net->shape);
    if (b->u)
        memcpy(a->u + to * u, b->u + from * u, (size_t)u * sizeof *a->u);
    if (b->v)
        memcpy(a->v + to * net->shape.d, b->v + from * net->shape.d, (size_t)net->shape.d * sizeof *a->v);
    if (b->b)
        a->b[to] = b->b[from];
    memcpy(a->w + to * w, b->w + from * w, (size_t)w * sizeof *a->w);
    a->rho[to] = ratio * b->rho[from];
}

/* The ratio of the scales of a network of m neurons and of one of `kept`, which are powers of 1/m. */
static double scale_ratio(const fathom_net *net, int64_t kept)
{
    fathom_net_shape shape = net->shape;
    shape.m = kept;
    return fathom_net_scale_value(&net->shape) / fathom_net_scale_value(&shape);
}

/* *small: the network without the first `drop` neurons of the order, the others as they stood. */
static fathom_status without(fathom_net **small, const plan *p, int64_t drop)
{
    fathom_net_shape shape = p->net->shape;
    bool *gone = fathom_memory_zero(p->context, shape.m + 1, sizeof *gone);
    if (!gone)
        return FATHOM_ERROR_MEMORY;
    shape.m -= drop;
    fathom_status status = fathom_net_create(small, p->context, &shape);
    if (status == FATHOM_OK) {
        const double ratio = scale_ratio(p->net, shape.m);
        memcpy((*small)->weights.c, p->net->weights.c, (size_t)shape.outputs * sizeof(double));
        for (int64_t a = 0; a < drop; a++) {
            gone[p->order[a]] = true;
            for (int64_t k = 0; k < shape.outputs; k++)
                (*small)->weights.c[k] += p->mean[p->order[a] * shape.outputs + k];
        }
        for (int64_t j = 0, at = 0; j < p->net->shape.m; j++)
            if (!gone[j])
                copy_neuron(*small, at++, p->net, j, ratio);
    }
    fathom_memory_free(p->context, gone);
    return status;
}

/* Means and moves of every neuron: each as a network of its own over the data. */
static fathom_status look_at_neurons(const plan *p)
{
    const int64_t n = fathom_data_look(p->data).n, outputs = p->net->shape.outputs;
    fathom_net_shape shape = p->net->shape;
    fathom_net *one = NULL;
    shape.m = 1;
    fathom_status status = fathom_net_create(&one, p->context, &shape);
    for (int64_t j = 0; j < p->net->shape.m && status == FATHOM_OK; j++) {
        copy_neuron(one, 0, p->net, j, scale_ratio(p->net, 1));
        status = fathom_net_forward(p->out, one, p->data);
        p->move[j] = 0;
        for (int64_t k = 0; k < outputs && status == FATHOM_OK; k++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++)
                sum += p->out[i * outputs + k];
            p->mean[j * outputs + k] = sum / (double)n;
            for (int64_t i = 0; i < n; i++)
                p->move[j] = fmax(p->move[j], fabs(p->out[i * outputs + k] - sum / (double)n));
        }
    }
    fathom_net_free(one);
    return status;
}

/* By move, then by number. */
static void order_neurons(const plan *p)
{
    const int64_t m = p->net->shape.m;
    for (int64_t j = 0; j < m; j++)
        p->order[j] = j;
    for (int64_t gap = m / 2; gap > 0; gap /= 2) /* Shell's order: a comparison needs `move` */
        for (int64_t a = gap; a < m; a++) {
            const int64_t j = p->order[a];
            int64_t at = a;
            for (; at >= gap; at -= gap) {
                const int64_t i = p->order[at - gap];
                if (p->move[i] < p->move[j] || (!(p->move[i] > p->move[j]) && i < j))
                    break;
                p->order[at] = i;
            }
            p->order[at] = j;
        }
}

static fathom_status find_spread(double *spread, const plan *p)
{
    const int64_t n = fathom_data_look(p->data).n, outputs = p->net->shape.outputs;
    *spread = 0;
    FATHOM_TRY(fathom_net_forward(p->out, p->net, p->data));
    for (int64_t k = 0; k < outputs; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < n; i++) {
            low = fmin(low, p->out[i * outputs + k]);
            high = fmax(high, p->out[i * outputs + k]);
        }
        *spread = fmax(*spread, high - low);
    }
    return FATHOM_OK;
}

/* The ends of <v, x> + shift over the box; *size: the sum of absolute values that bounds all of it. */
static void range_of(double end[2], double *size, const plan *p, const double *v, double shift)
{
    end[0] = end[1] = shift;
    *size = fabs(shift);
    for (int64_t i = 0; i < p->net->shape.d; i++) {
        const double a = v[i] * p->low[i], b = v[i] * p->high[i];
        end[0] += fmin(a, b), end[1] += fmax(a, b);
        *size += fmax(fabs(a), fabs(b));
    }
}

/* The interval of p_jk over the box, and its size. */
static void part_of(double end[2], double *size, const plan *p, int64_t j, int64_t k)
{
    const fathom_net_shape *s = &p->net->shape;
    const fathom_net_weights *w = &p->net->weights;
    const double scale = fathom_net_scale_value(s) * w->rho[j];
    double t[2], factor = scale;
    if (s->kind == FATHOM_NET_GATED) { /* 0 where the gate is shut, which it may be */
        range_of(t, size, p, w->w + (j * s->outputs + k) * s->d, 0);
        t[0] = fmin(t[0], 0), t[1] = fmax(t[1], 0);
    } else {
        const bool scalar = s->kind == FATHOM_NET_SCALAR;
        range_of(t, size, p, w->u + j * s->d, scalar || !w->b ? 0 : w->b[j]);
        if (scalar) {
            const double a = w->b[j] * t[0], b = w->b[j] * t[1];
            t[0] = fmin(a, b), t[1] = fmax(a, b), *size *= fabs(w->b[j]);
        }
        t[0] = fathom_activation(s->kind, s->parameter, t[0]);
        t[1] = fathom_activation(s->kind, s->parameter, t[1]);
        factor *= w->w[j * s->outputs + k];
    }
    end[0] = fmin(factor * t[0], factor * t[1]), end[1] = fmax(factor * t[0], factor * t[1]);
    *size *= fabs(factor);
}

/* How far the network and the one without the first `drop` neurons of the order can be apart over the box. */
static double bound_of(const plan *p, int64_t drop)
{
    const fathom_net_shape *s = &p->net->shape;
    const bool rescaled = scale_ratio(p->net, s->m - drop) != 1;
    double most = 0;
    if (s->kind == FATHOM_NET_NTK || s->kind == FATHOM_NET_CONVEX_RF)
        return NAN;
    for (int64_t k = 0; k < s->outputs; k++) {
        double up = 0, down = 0, total = 0, end[2], size;
        for (int64_t a = 0; a < s->m; a++) {
            const double mean = p->mean[p->order[a] * s->outputs + k];
            part_of(end, &size, p, p->order[a], k);
            total += a < drop ? size + fabs(mean) : rescaled ? size : 0;
            up += a < drop ? end[1] - mean : 0, down += a < drop ? mean - end[0] : 0;
        }
        total += total > 0 ? fabs(p->net->weights.c[k]) : 0; /* the sum c + means is rounded */
        most = fmax(most, fmax(up, down) + 2 * (double)(s->d + s->m + 8) * 0x1p-53 * total);
    }
    return most;
}

/* Bisection for the number of neurons that may go; *attained is the difference on the data then. */
static fathom_status find_drop(int64_t *drop, double *attained, const plan *p, double most)
{
    int64_t high = p->net->shape.m;
    fathom_status status = FATHOM_OK;
    *drop = 0, *attained = 0;
    while (*drop < high && status == FATHOM_OK) {
        const int64_t middle = *drop + (high - *drop + 1) / 2;
        double apart = 0;
        fathom_net *small = NULL;
        status = without(&small, p, middle);
        FATHOM_THEN(status, fathom_net_difference(&apart, p->net, small, p->data));
        fathom_net_free(small);
        if (apart <= most)
            *drop = middle, *attained = apart;
        else
            high = middle - 1;
    }
    return status;
}

fathom_status fathom_net_prune(fathom_net **small, fathom_prune_report *report, fathom_context *context,
                               const fathom_net *net, const fathom_data *data, double share)
{
    const fathom_net_shape shape = net->shape;
    const fathom_data_view view = fathom_data_look(data);
    *small = NULL;
    *report = (fathom_prune_report){0};
    if (!(share >= 0 && share <= 1))
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "the share to prune is from 0 to 1");
    if (view.d != shape.d)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "the data has %lld columns, the network %lld",
                                (long long)view.d, (long long)shape.d);
    plan p = {.context = context, .net = net, .data = data};
    p.order = fathom_memory_alloc(context, shape.m + 1, sizeof *p.order);
    p.move = fathom_memory_alloc(context, shape.m + 1, sizeof *p.move);
    p.mean = fathom_memory_alloc(context, shape.m * shape.outputs + 1, sizeof *p.mean);
    p.out = fathom_memory_alloc(context, view.n * shape.outputs, sizeof *p.out);
    p.low = fathom_memory_alloc(context, 2 * shape.d, sizeof *p.low);
    p.high = p.low ? p.low + shape.d : NULL;
    fathom_status status = p.order && p.move && p.mean && p.out && p.low ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, look_at_neurons(&p));
    FATHOM_THEN(status, find_spread(&report->spread, &p));
    if (status == FATHOM_OK) {
        order_neurons(&p);
        fathom_data_ranges(p.low, p.high, data);
    }
    FATHOM_THEN(status, find_drop(&report->dropped, &report->lower, &p, share * report->spread));
    FATHOM_THEN(status, without(small, &p, report->dropped));
    if (status == FATHOM_OK)
        report->upper = bound_of(&p, report->dropped);
    FATHOM_FREE(context, p.order, p.move, p.mean, p.out, p.low);
    return status;
}
