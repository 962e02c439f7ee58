/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictions as sums over columns and neurons (fathom/explain.h).
 *
 * With a_jk = s rho_j W_jk, t_j = <u_j, z> + b_j (scalar: b_j <u_j, z>) and sigma(t) = m t, m the slope on
 * t's side of 0,
 *     f_k = c_k + sum_j a_jk m_j t_j = [c_k + sum_j a_jk m_j b_j] + sum_l z_l sum_j a_jk m_j u_jl,
 * gated: f_k = c_k + sum over open gates of s rho_j <w_jk, z>. The column of ones of a bias belongs to the
 * base. Every sum has at most N = d + m + 8 terms of a total size T: rounding is below 2 N u T.
 */
#include "explain_internal.h"

#include <math.h>

#include "context_internal.h"
#include "dense.h"
#include "memory.h"
#include "model_internal.h"

static double inner_product(const double *u, const double *z, int64_t d)
{
    double sum = 0;
    for (int64_t l = 0; l < d; l++)
        sum += u[l] * z[l];
    return sum;
}

double fathom_explain_pre(const explain *x, const double *z, int64_t j)
{
    const double *b = x->net->weights.b;
    const double t = inner_product(x->net->weights.u + j * x->d, z, x->d);
    return !b ? t : x->net->shape.kind == FATHOM_NET_SCALAR ? b[j] * t : t + b[j];
}

/* Adds factor u_l z_l to the parts of the columns, the rest to the base; *total takes the sizes. */
static void add_columns(const explain *x, double *column, double *base, double factor, const double *u,
                        double *total)
{
    for (int64_t l = 0; l < x->d; l++) {
        const double part = factor * u[l] * x->z[l];
        *(l < x->columns ? column + l : base) += part;
        *total += fabs(part);
    }
}

/* The parts of one neuron for all outputs. */
static void add_neuron(const explain *x, fathom_explanation *e, int64_t i, int64_t j)
{
    const fathom_net *net = x->net;
    const bool gated = net->shape.kind == FATHOM_NET_GATED, scalar = net->shape.kind == FATHOM_NET_SCALAR;
    const double t =
        gated ? inner_product(net->weights.v + j * x->d, x->z, x->d) : fathom_explain_pre(x, x->z, j);
    const double slope = t > 0 ? 1 : gated ? 0 : x->leak;
    for (int64_t k = 0; k < x->outputs && slope != 0; k++) {
        const int64_t at = i * x->outputs + k;
        const double a = gated ? x->a[j] : x->a[j * x->outputs + k] * slope;
        const double *u = gated ? net->weights.w + (j * x->outputs + k) * x->d : net->weights.u + j * x->d;
        const double b = net->weights.b && !gated ? net->weights.b[j] : 0;
        add_columns(x, e->column + at * x->columns, e->base + at, scalar ? a * b : a, u, e->rounding + at);
        if (!scalar) {
            e->base[at] += a * b;
            e->rounding[at] += fabs(a * b);
        }
        e->neuron[at * x->m + j] = gated ? a * inner_product(u, x->z, x->d) : a * t;
    }
}

static void explain_row(const explain *x, fathom_explanation *e, int64_t i)
{
    for (int64_t k = 0; k < x->outputs; k++) {
        e->base[i * x->outputs + k] = x->net->weights.c[k];
        e->rounding[i * x->outputs + k] = fabs(x->net->weights.c[k]);
    }
    for (int64_t j = 0; j < x->m; j++)
        add_neuron(x, e, i, j);
    for (int64_t k = 0; k < x->outputs; k++) {
        const int64_t at = i * x->outputs + k;
        e->output[at] = x->net->weights.c[k];
        for (int64_t j = 0; j < x->m; j++)
            e->output[at] += e->neuron[at * x->m + j];
        e->rounding[at] *= 2 * (double)(x->d + x->m + 8) * 0x1p-53;
    }
}

static fathom_status allocate(fathom_explanation *e)
{
    const int64_t cells = e->n * e->outputs;
    e->output = fathom_memory_zero(e->context, cells + 1, sizeof *e->output);
    e->base = fathom_memory_zero(e->context, cells + 1, sizeof *e->base);
    e->rounding = fathom_memory_zero(e->context, cells + 1, sizeof *e->rounding);
    e->column = fathom_memory_zero(e->context, cells * e->columns + 1, sizeof *e->column);
    e->neuron = fathom_memory_zero(e->context, cells * e->neurons + 1, sizeof *e->neuron);
    e->label = fathom_memory_zero(e->context, e->n + 1, sizeof *e->label);
    e->other = fathom_memory_zero(e->context, e->n + 1, sizeof *e->other);
    e->lower = fathom_memory_zero(e->context, e->n + 1, sizeof *e->lower);
    e->upper = fathom_memory_zero(e->context, e->n + 1, sizeof *e->upper);
    return e->output && e->base && e->rounding && e->column && e->neuron && e->label && e->other &&
                   e->lower && e->upper
               ? FATHOM_OK
               : FATHOM_ERROR_MEMORY;
}

/* Work space, and the weights with all scales inside. */
static fathom_status open_work(explain *x, const fathom_model *model, const fathom_data_view *view)
{
    const fathom_net *net = model->net;
    const fathom_net_shape *shape = &net->shape;
    *x = (explain){.model = model,
                   .net = net,
                   .view = view,
                   .d = shape->d,
                   .m = shape->m,
                   .outputs = shape->outputs,
                   .columns = model->columns,
                   .leak = shape->kind == FATHOM_NET_LEAKY ? shape->parameter : 0};
    const int64_t weights = shape->kind == FATHOM_NET_GATED ? shape->m : shape->m * shape->outputs;
    x->z = fathom_memory_zero(model->context, 4 * x->d + weights + 3 * x->m + 1, sizeof *x->z);
    x->order = fathom_memory_zero(model->context, x->m + 1, sizeof *x->order);
    if (!x->z || !x->order)
        return FATHOM_ERROR_MEMORY;
    x->moved = x->z + x->d, x->gradient = x->moved + x->d, x->best = x->gradient + x->d;
    x->norm = x->best + x->d, x->reach = x->norm + x->m, x->weight = x->reach + x->m;
    x->a = x->weight + x->m;
    fathom_net_output_weights(x->a, net);
    return FATHOM_OK;
}

static fathom_status check_question(const fathom_model *model, const fathom_data_view *view, int64_t first,
                                    int64_t n)
{
    const fathom_net_kind kind = model->net->shape.kind;
    if (kind != FATHOM_NET_RELU && kind != FATHOM_NET_LEAKY && kind != FATHOM_NET_SCALAR &&
        kind != FATHOM_NET_GATED)
        return fathom_error_set(model->context, FATHOM_ERROR_USAGE,
                                "a model of kind %s is no sum of linear pieces", fathom_net_kind_name(kind));
    if (first < 0 || first > view->n || n < 0)
        return fathom_error_set(model->context, FATHOM_ERROR_USAGE, "rows %lld on: the data has %lld",
                                (long long)first, (long long)view->n);
    if (view->d != model->net->shape.d)
        return fathom_error_set(model->context, FATHOM_ERROR_INPUT,
                                "the data has %lld columns, the network %lld", (long long)view->d,
                                (long long)model->net->shape.d);
    return FATHOM_OK;
}

fathom_status fathom_model_explain(fathom_explanation **explanation, const fathom_model *model,
                                   const fathom_data *data, int64_t first, int64_t n)
{
    const fathom_data_view view = fathom_data_look(data);
    fathom_context *context = model->context;
    explain x = {0};
    *explanation = NULL;
    FATHOM_TRY(check_question(model, &view, first, n));
    fathom_explanation *e = fathom_memory_zero(context, 1, sizeof *e);
    if (!e)
        return FATHOM_ERROR_MEMORY;
    *e = (fathom_explanation){.n = n < view.n - first ? n : view.n - first,
                              .columns = model->columns,
                              .neurons = model->net->shape.m,
                              .outputs = model->net->shape.outputs,
                              .context = context};
    fathom_status status = allocate(e);
    FATHOM_THEN(status, open_work(&x, model, &view));
    int64_t done = 0;
    for (; done < e->n && status == FATHOM_OK && !(done > 0 && fathom_context_overdue(context)); done++) {
        fathom_dense_row(x.z, x.view, first + done);
        explain_row(&x, e, done);
        fathom_explain_nearest(&x, e, done);
    }
    e->n = done;
    FATHOM_FREE(context, x.z, x.order);
    if (status != FATHOM_OK)
        fathom_explanation_free(e);
    else
        *explanation = e;
    return status;
}

void fathom_explanation_free(fathom_explanation *e)
{
    if (!e)
        return;
    double *const reals[] = {e->output, e->base, e->rounding, e->column, e->neuron, e->lower, e->upper};
    for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++)
        fathom_memory_free(e->context, reals[k]);
    FATHOM_FREE(e->context, e->label, e->other, e);
}
