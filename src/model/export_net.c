/* SPDX-License-Identifier: Apache-2.0 */
/* Networks with scales, constant columns and scalar factors folded into their weights, as in export_net.h. */
#include "export_net.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "model_internal.h"
#include "net_internal.h"

#define OWNER fathom_export_options
static const fathom_option rows[] = {FATHOM_EXPORT_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_export_option_table =
    FATHOM_OPTION_TABLE("Options of exported code", rows, fathom_export_options);

/* Splits rows of length `from` into d leading entries and the last one, which stands for the constant column. */
static void split(double *out, double *shift, const double *in, int64_t count, int64_t d, int64_t from,
                  double factor)
{
    for (int64_t k = 0; k < count; k++) {
        for (int64_t j = 0; j < d; j++)
            out[k * d + j] = factor * in[k * from + j];
        shift[k] += from > d ? factor * in[k * from + d] : 0;
    }
}

static void fold_gated(fathom_export_net *e, const fathom_net *net)
{
    const fathom_net_weights *w = &net->weights;
    const int64_t d = net->shape.d;
    const double scale = fathom_net_scale_value(&net->shape);
    split(e->hidden, e->hidden_shift, w->v, e->m, e->d, d, 1);
    for (int64_t j = 0; j < e->m; j++)
        split(e->output + j * e->outputs * e->d, e->output_shift + j * e->outputs, w->w + j * e->outputs * d,
              e->outputs, e->d, d, scale * w->rho[j]);
}

/* scalar: relu(b <u, x>) has b inside the hidden weights; the others have it as a shift. */
static void fold_plain(fathom_export_net *e, const fathom_net *net)
{
    const fathom_net_weights *w = &net->weights;
    const bool scalar = net->shape.kind == FATHOM_NET_SCALAR;
    for (int64_t j = 0; j < e->m; j++) {
        e->hidden_shift[j] = w->b && !scalar ? w->b[j] : 0;
        split(e->hidden + j * e->d, e->hidden_shift + j, w->u + j * net->shape.d, 1, e->d, net->shape.d,
              scalar ? w->b[j] : 1);
    }
    fathom_net_output_weights(e->output, net);
}

/* Products of parameters may leave the range of the numbers that are written, though they are finite themselves. */
static fathom_status check_range(const fathom_export_net *e, int64_t count,
                                 const fathom_export_options *options, fathom_context *context)
{
    const bool narrow = options->precision == 1;
    const double most = narrow ? FLT_MAX : DBL_MAX;
    for (int64_t k = 0; k < count; k++)
        if (!(fabs(e->block[k]) <= most))
            return fathom_error_set(context, FATHOM_ERROR_USAGE, "a weight is outside the range of %s",
                                    narrow ? "float: --precision double holds it" : "double");
    return FATHOM_OK;
}

fathom_status fathom_export_net_open(fathom_export_net *e, const fathom_model *model,
                                     const fathom_export_options *options)
{
    const fathom_net *net = model->net;
    const fathom_net_shape *s = &net->shape;
    const bool gated = s->kind == FATHOM_NET_GATED;
    *e = (fathom_export_net){.kind = s->kind == FATHOM_NET_SCALAR ? FATHOM_NET_RELU : s->kind,
                             .parameter = s->parameter,
                             .d = model->columns,
                             .m = s->m,
                             .outputs = s->outputs,
                             .width = gated ? model->columns : 1,
                             .constant = net->weights.c};
    if (s->kind > FATHOM_NET_SCALAR)
        return fathom_error_set(model->context, FATHOM_ERROR_USAGE, "a model of kind %s has no exported form",
                                fathom_net_kind_name(s->kind));
    if (s->kind == FATHOM_NET_CONVEX_RF)
        return fathom_error_set(model->context, FATHOM_ERROR_USAGE,
                                "a convex-rf model has no exported form in this version");
    const int64_t outs = e->m * e->outputs, count = e->m * (e->d + 1) + outs * e->width + (gated ? outs : 0);
    e->block = fathom_memory_zero(model->context, count, sizeof *e->block);
    if (!e->block)
        return FATHOM_ERROR_MEMORY;
    e->hidden = e->block;
    e->hidden_shift = e->hidden + e->m * e->d;
    e->output = e->hidden_shift + e->m;
    e->output_shift = gated ? e->output + outs * e->width : NULL;
    if (gated)
        fold_gated(e, net);
    else
        fold_plain(e, net);
    const fathom_status status = check_range(e, count, options, model->context);
    if (status != FATHOM_OK)
        fathom_export_net_close(e, model->context);
    return status;
}

void fathom_export_net_close(fathom_export_net *net, fathom_context *context)
{
    fathom_memory_free(context, net->block);
    net->block = NULL;
}
