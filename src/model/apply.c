/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out (rows x outputs) = f(x_i) for rows in the columns of the training data, with nothing but the stack.
 *
 * z_l = (x_l - mean_l) / scale_l, or x_l / |x|, or x_l, made anew wherever it is needed; z_d = 1 for a
 * bias that is a column. Then
 *     f_k = c_k + s sum_j rho_j W_jk sigma(<u_j, z> + b_j),
 *     gated: c_k + s sum_j rho_j 1[<v_j, z> > 0] <w_jk, z>.
 * Written from the definitions, in ascending order of j and l: the naive twin of forward.c, for one row as
 * fast as it. Error of each output: (d + m + 8) u s sum_j |rho_j W_jk| (sum_l |u_jl| Z_l + |b_j|) to first
 * order, Z_l = (|x_l| + |mean_l|) / scale_l.
 */
#include <math.h>

#include "activation.h"
#include "model_internal.h"
#include "net_internal.h"

/* One row, and how the network sees it. */
typedef struct row {
    const fathom_model *model;
    const double *x;
    double norm;
} row;

static double seen(const row *r, int64_t l)
{
    const fathom_model *model = r->model;
    if (l == model->columns)
        return 1;
    return model->mean ? (r->x[l] - model->mean[l]) / model->scale[l] : r->x[l] / r->norm;
}

static double product(const row *r, const double *u, int64_t d)
{
    double sum = 0;
    for (int64_t l = 0; l < d; l++)
        sum += u[l] * seen(r, l);
    return sum;
}

/* |x| without overflow, 1 where it does not matter. */
static double norm_of(const fathom_model *model, const double *x)
{
    double most = 0, sum = 0;
    if (model->normalize != FATHOM_NORMALIZE_UNIT)
        return 1;
    for (int64_t l = 0; l < model->columns; l++)
        most = fmax(most, fabs(x[l]));
    if (!(most > 0))
        return 1;
    for (int64_t l = 0; l < model->columns; l++)
        sum += (x[l] / most) * (x[l] / most);
    return most * sqrt(sum);
}

static void add_gate(double *out, const row *r, int64_t j, double factor)
{
    const fathom_net *net = r->model->net;
    const int64_t d = net->shape.d, outputs = net->shape.outputs;
    if (!(product(r, net->weights.v + j * d, d) > 0))
        return;
    for (int64_t k = 0; k < outputs; k++)
        out[k] += factor * product(r, net->weights.w + (j * outputs + k) * d, d);
}

static void add_neuron(double *out, const row *r, int64_t j, double factor)
{
    const fathom_net *net = r->model->net;
    const fathom_net_shape *shape = &net->shape;
    double t = product(r, net->weights.u + j * shape->d, shape->d);
    if (net->weights.b)
        t = shape->kind == FATHOM_NET_SCALAR ? net->weights.b[j] * t : t + net->weights.b[j];
    const double h = factor * fathom_activation(shape->kind, shape->parameter, t);
    for (int64_t k = 0; k < shape->outputs; k++)
        out[k] += net->weights.w[j * shape->outputs + k] * h;
}

fathom_status fathom_model_apply(const fathom_model *model, int64_t rows, const double *x, int64_t ld,
                                 double *out)
{
    const fathom_net *net = model->net;
    const fathom_net_shape *shape = &net->shape;
    if (shape->kind == FATHOM_NET_NTK || shape->kind == FATHOM_NET_CONVEX_RF || rows < 0 ||
        ld < model->columns)
        return FATHOM_ERROR_USAGE;
    const double scale = fathom_net_scale_value(shape);
    for (int64_t i = 0; i < rows; i++) {
        const row r = {model, x + i * ld, norm_of(model, x + i * ld)};
        double *f = out + i * shape->outputs;
        for (int64_t k = 0; k < shape->outputs; k++)
            f[k] = net->weights.c[k];
        for (int64_t j = 0; j < shape->m; j++)
            (shape->kind == FATHOM_NET_GATED ? add_gate : add_neuron)(f, &r, j, scale * net->weights.rho[j]);
    }
    return FATHOM_OK;
}
