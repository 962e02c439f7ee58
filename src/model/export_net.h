/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network on raw columns with everything folded in: what exporters write.
 *
 *     relu, leaky, huber, scalar   f_k = c_k + sum_j A_jk sigma(<H_j, x> + h_j)
 *     gated                        f_k = c_k + sum_j 1[<H_j, x> + h_j > 0] (<A_jk, x> + g_jk)
 *
 * x after normalisation. The constant column of --bias augment is in h and g, scale and rho in A and g.
 */
#ifndef FATHOM_EXPORT_NET_H
#define FATHOM_EXPORT_NET_H

#include "fathom/export.h"

typedef struct fathom_export_net {
    fathom_net_kind kind; /* scalar has become relu */
    double parameter;
    int64_t d, m, outputs;
    int64_t width;          /* numbers of A per neuron and output: d for gated, otherwise 1 */
    double *hidden;         /* H, m x d */
    double *hidden_shift;   /* h, m */
    double *output;         /* A, m x outputs x width */
    double *output_shift;   /* g, m x outputs; NULL unless gated */
    const double *constant; /* c, outputs; borrowed from the network */
    double *block;          /* holds what is not borrowed */
} fathom_export_net;

/* ERROR_USAGE for kernel models and for `precision` float where a number leaves its range. */
fathom_status fathom_export_net_open(fathom_export_net *net, const fathom_model *model,
                                     const fathom_export_options *options);
void fathom_export_net_close(fathom_export_net *net, fathom_context *context);

#endif
