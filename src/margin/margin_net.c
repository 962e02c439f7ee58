/* SPDX-License-Identifier: Apache-2.0 */
/* Networks and margins: those of a given network, and the separator of a margin as a network. */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "fathom/loss.h"
#include "inner/data.h"
#include "margin_global.h"
#include "memory.h"
#include "net_internal.h"
#include "npy_internal.h"

fathom_status fathom_margin_write_dual(const fathom_margin_result *result, const char *path)
{
    fathom_file *file;
    FATHOM_TRY(fathom_file_create(&file, result->context, path));
    fathom_status status = fathom_npy_append(file, result->q, 1, &result->view.n, result->view.n);
    if (status == FATHOM_OK)
        return fathom_file_commit(file);
    fathom_file_abort(file);
    return status;
}

/* The same network with weights 0. */
static fathom_status make_gated(fathom_margin_run *run, const fathom_margin_gates *gates)
{
    const int64_t m = gates->m, columns = run->points->columns;
    const fathom_net_shape shape = {
        .kind = FATHOM_NET_GATED, .d = columns, .m = m, .outputs = 1, .scale = FATHOM_SCALE_ONE};
    FATHOM_TRY(fathom_net_create(&run->result->net, run->context, &shape));
    const fathom_net_weights weights = fathom_net_lend(run->result->net);
    memcpy(weights.rho, gates->rho, (size_t)m * sizeof(double));
    for (int64_t j = 0; j < m; j++)
        if (gates->d == columns)
            memcpy(weights.v + j * columns, gates->orientation + j * columns,
                   (size_t)columns * sizeof(double));
        else
            fathom_margin_points_lift(weights.v + j * columns, run->points,
                                      gates->orientation + j * gates->d);
    return FATHOM_OK;
}

fathom_status fathom_margin_keep_gated(fathom_margin_run *run, const fathom_margin_gates *gates,
                                       const double *gain, const double *w)
{
    const int64_t m = gates->m, d = run->points->d, columns = run->points->columns;
    if (!gates->orientation || m == 0)
        return FATHOM_OK;
    FATHOM_TRY(make_gated(run, gates));
    const fathom_net_weights weights = fathom_net_lend(run->result->net);
    for (int64_t j = 0; j < m; j++)
        if (!gain)
            fathom_margin_points_lift(weights.w + j * columns, run->points, w + j * d);
        else /* never reduced */
            for (int64_t k = 0; k < d; k++)
                weights.w[j * d + k] =
                    w[j * (d + 1)] * gates->orientation[j * d + k] + gain[j] * w[j * (d + 1) + 1 + k];
    return FATHOM_OK;
}

fathom_status fathom_margin_keep_relu(fathom_margin_run *run, const fathom_margin_cuts *cuts)
{
    const int64_t d = run->points->d, columns = run->points->columns;
    fathom_net_shape shape = {.kind = FATHOM_NET_RELU,
                              .d = columns,
                              .outputs = 1,
                              .scale = FATHOM_SCALE_ONE,
                              .hidden_bias = run->points->bias};
    for (int64_t k = 0; k < cuts->used; k++)
        shape.m += cuts->best[k] != 0;
    if (shape.m == 0)
        return FATHOM_OK;
    FATHOM_TRY(fathom_net_create(&run->result->net, run->context, &shape));
    const fathom_net_weights weights = fathom_net_lend(run->result->net);
    for (int64_t k = 0, j = 0; k < cuts->used; k++) {
        const double *b = cuts->b + k * cuts->width;
        if (cuts->best[k] == 0)
            continue;
        fathom_margin_points_lift(weights.u + j * columns, run->points, b);
        if (run->points->bias)
            weights.b[j] = b[d];
        weights.w[j++] = cuts->best[k];
    }
    weights.c[0] = cuts->constant;
    return FATHOM_OK;
}

fathom_status fathom_margin_separator(fathom_net **net, const fathom_margin_result *result)
{
    *net = NULL;
    if (!result->net)
        return fathom_error_set(result->context, FATHOM_ERROR_USAGE,
                                "there is no separator to save: the margin is 0, the gates of --gates are "
                                "patterns without orientations, or both layers are trained in the plane "
                                "(--method sample has one)");
    const fathom_net_shape shape = fathom_net_look(result->net);
    const fathom_net_weights weights = fathom_net_lend(result->net);
    fathom_status status = fathom_net_create(net, result->context, &shape);
    FATHOM_THEN(status, fathom_net_assign(*net, &weights));
    if (status != FATHOM_OK) {
        fathom_net_free(*net);
        *net = NULL;
    }
    return status;
}

/* The norms by which margins are normalised. */
static void norms(fathom_net_margin *margins, const fathom_net *net)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights weights = fathom_net_lend((fathom_net *)net); /* read only */
    const bool gated = shape.kind == FATHOM_NET_GATED;
    margins->degree = gated ? 1 : 2;
    margins->constant = weights.c[0] != 0;
    margins->longest = NAN;
    if (gated) {
        margins->norm_first = margins->norm_both = fathom_blas_norm(weights.w, shape.m * shape.d);
        double weight =
            0; /* f = sum_j r_j 1[..] <w_j, x>: to weights r_j / sum r belong the vectors sum r w_j */
        for (int64_t j = 0; j < shape.m; j++)
            weight += fathom_net_scale_value(&shape) * weights.rho[j];
        margins->longest = 0;
        for (int64_t j = 0; j < shape.m; j++)
            margins->longest =
                fmax(margins->longest, weight * fathom_blas_norm(weights.w + j * shape.d, shape.d));
        return;
    }
    margins->norm_first = fathom_blas_norm(weights.u, shape.m * shape.d);
    if (weights.b)
        margins->norm_first = hypot(margins->norm_first, fathom_blas_norm(weights.b, shape.m));
    margins->norm_both = hypot(margins->norm_first, fathom_blas_norm(weights.w, shape.m));
}

fathom_status fathom_net_margins(fathom_net_margin *margins, double *p, double *q, fathom_context *context,
                                 const fathom_net *net, fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    const double *label;
    int64_t outputs;
    fathom_loss_summary summary;
    if (fathom_net_look(net).kind == FATHOM_NET_CONVEX_RF)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "convex-rf networks have no margins here");
    if (fathom_net_look(net).outputs != 1)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "margins need a network with one output");
    fathom_status status = fathom_data_code_classes(&label, &outputs, data);
    if (status == FATHOM_OK && outputs != 1)
        status = fathom_error_set(context, FATHOM_ERROR_INPUT, "margins need two classes");
    FATHOM_THEN(status, fathom_net_forward(p, net, data));
    FATHOM_THEN(status, fathom_loss_summarize(&summary, q, FATHOM_SLOPE_DUAL, context, FATHOM_LOSS_LOGISTIC,
                                              p, label, NULL, view.n, 1));
    if (status != FATHOM_OK)
        return status;
    for (int64_t i = 0; i < view.n; i++) {
        p[i] *= label[i];
        q[i] *= -label[i];
    }
    margins->margin = summary.margin;
    margins->smoothed = summary.smoothed_margin;
    norms(margins, net);
    return FATHOM_OK;
}
