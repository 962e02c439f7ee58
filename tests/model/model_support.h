/* SPDX-License-Identifier: Apache-2.0 */
/* Random networks and data of every family, and the naive twin of the forward pass. */
#ifndef FATHOM_MODEL_SUPPORT_H
#define FATHOM_MODEL_SUPPORT_H

#include "testing.h"

#include <string.h>

#include "net_internal.h"
#include "random.h"

static const fathom_net_kind model_kinds[] = {FATHOM_NET_RELU, FATHOM_NET_LEAKY, FATHOM_NET_HUBER,
                                              FATHOM_NET_GATED, FATHOM_NET_SCALAR};
enum { MODEL_KINDS = 5 };

static inline double *model_draw(int64_t count, fathom_stream stream, uint32_t sub)
{
    double *x = malloc((size_t)(count + 1) * sizeof *x);
    assert_non_null(x);
    fathom_random_normals(x, count, 7, stream, sub, 0);
    return x;
}

/* A network with every parameter drawn from N(0, 1); leaky slope 0.2, bandwidth 0.5. */
static inline fathom_net *model_net(fathom_context *context, fathom_net_kind kind, int64_t d, int64_t m,
                                    int64_t outputs, bool bias, fathom_net_scale scale)
{
    fathom_net_shape shape = {.kind = kind,
                              .d = d,
                              .m = m,
                              .outputs = outputs,
                              .scale = scale,
                              .hidden_bias = bias && kind != FATHOM_NET_GATED};
    if (kind == FATHOM_NET_LEAKY)
        shape.parameter = 0.2;
    if (kind == FATHOM_NET_HUBER)
        shape.parameter = 0.5;
    fathom_net *net;
    assert_ok(context, fathom_net_create(&net, context, &shape));
    fathom_random_normals(net->block, net->parameters, 3, FATHOM_STREAM_HIDDEN, (uint32_t)kind, 0);
    return net;
}

/* Dense data, or the same matrix as sparse rows after model_sparsify. Owns its arrays. */
typedef struct model_data {
    fathom_data_view view;
    double *x, *value;
    int64_t *row_start;
    int32_t *column;
} model_data;

/* n x d normals of which a fraction `filled` is kept, leading dimension d + 2. */
static inline model_data model_data_make(int64_t n, int64_t d, double filled, uint32_t sub)
{
    const int64_t ld = d + 2;
    model_data data = {.x = model_draw(n * ld, FATHOM_STREAM_DATA, sub)};
    for (int64_t k = 0; k < n * ld; k++)
        if (fathom_random_uniform(7, FATHOM_STREAM_LABEL, sub, (uint64_t)k) >= filled)
            data.x[k] = 0;
    data.view = (fathom_data_view){.n = n, .d = d, .x = data.x, .ld = ld};
    return data;
}

/* The view of the same matrix as sparse rows. */
static inline fathom_data_view model_sparsify(model_data *data)
{
    const fathom_data_view *v = &data->view;
    data->row_start = malloc((size_t)(v->n + 1) * sizeof *data->row_start);
    data->column = malloc((size_t)(v->n * v->d + 1) * sizeof *data->column);
    data->value = malloc((size_t)(v->n * v->d + 1) * sizeof *data->value);
    assert_true(data->row_start && data->column && data->value);
    int64_t entries = 0;
    for (int64_t i = 0; i < v->n; i++) {
        data->row_start[i] = entries;
        for (int64_t l = 0; l < v->d; l++)
            if (v->x[i * v->ld + l] != 0) {
                data->value[entries] = v->x[i * v->ld + l];
                data->column[entries++] = (int32_t)l;
            }
    }
    data->row_start[v->n] = entries;
    return (fathom_data_view){
        .n = v->n, .d = v->d, .row_start = data->row_start, .column = data->column, .value = data->value};
}

static inline void model_data_free(model_data *data)
{
    free(data->x), free(data->value), free(data->row_start), free(data->column);
}

/* <a, x> and, in *size, sum |a_l x_l|. */
static inline double naive_dot(const double *a, const double *x, int64_t d, double *size)
{
    double sum = 0;
    *size = 0;
    for (int64_t l = 0; l < d; l++) {
        sum += a[l] * x[l];
        *size += fabs(a[l] * x[l]);
    }
    return sum;
}

/* sigma written from the definition in fathom/net.h. */
static inline double naive_sigma(const fathom_net_shape *shape, double t)
{
    const double a = shape->parameter;
    if (shape->kind == FATHOM_NET_LEAKY)
        return fmax(t, a * t);
    if (shape->kind == FATHOM_NET_HUBER)
        return t <= 0 ? 0 : t <= a ? t * t / (2 * a) : t - a / 2;
    return fmax(t, 0);
}

/* f_k(x), and in *size the sum of the absolute values of all that was added. Gates within rounding of zero would make
 * the gated family ambiguous; random data has none. */
static inline double naive_forward(const fathom_net *net, const double *x, int64_t k, double *size)
{
    const fathom_net_shape *s = &net->shape;
    const fathom_net_weights *p = &net->weights;
    double f = p->c[k], term, part;
    *size = fabs(f);
    for (int64_t j = 0; j < s->m; j++) {
        const double factor = p->rho[j] * (s->scale == FATHOM_SCALE_ONE    ? 1
                                           : s->scale == FATHOM_SCALE_MEAN ? 1 / (double)s->m
                                                                           : 1 / sqrt((double)s->m));
        if (s->kind == FATHOM_NET_GATED) {
            const bool open = naive_dot(p->v + j * s->d, x, s->d, &part) > 0;
            term = open ? naive_dot(p->w + (j * s->outputs + k) * s->d, x, s->d, &part) : (part = 0);
            f += factor * term;
            *size += fabs(factor) * part;
            continue;
        }
        double t = naive_dot(p->u + j * s->d, x, s->d, &part);
        t = s->kind == FATHOM_NET_SCALAR ? p->b[j] * t : t + (p->b ? p->b[j] : 0);
        part = s->kind == FATHOM_NET_SCALAR ? fabs(p->b[j]) * part : part + (p->b ? fabs(p->b[j]) : 0);
        f += factor * p->w[j * s->outputs + k] * naive_sigma(s, t);
        *size += fabs(factor * p->w[j * s->outputs + k]) * part;
    }
    return f;
}

static inline int model_setup(void **state)
{
    return fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK;
}

static inline int model_teardown(void **state)
{
    fathom_context_free(*state);
    return 0;
}

#endif
