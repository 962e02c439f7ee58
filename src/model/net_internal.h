/* SPDX-License-Identifier: Apache-2.0 */
/* The network as its own layer sees it, and its kernels on borrowed views of data. */
#ifndef FATHOM_NET_INTERNAL_H
#define FATHOM_NET_INTERNAL_H

#include "fathom/net.h"

struct fathom_net {
    fathom_context *context; /* borrowed */
    fathom_net_shape shape;
    fathom_net_weights weights; /* pieces of `block` */
    double *block;
    int64_t parameters; /* doubles in `block` */
};

/* Checks a shape: ERROR_USAGE says which entry is wrong. */
fathom_status fathom_net_shape_check(fathom_context *context, const fathom_net_shape *shape);

/* The number s: 1, 1/m or 1/sqrt(m); 1 for an empty network. */
double fathom_net_scale_value(const fathom_net_shape *shape);

/* Columns of U: d, or channels patch^2 for convex-rf networks. */
int64_t fathom_net_u_columns(const fathom_net_shape *shape);

/* Columns of W: outputs, outputs x d for gated networks, pool^2 x outputs for convex-rf networks. */
int64_t fathom_net_w_columns(const fathom_net_shape *shape);

/* fathom_net_forward on a view; only n, d and the matrix of the view are used. */
fathom_status fathom_net_forward_view(double *out, const fathom_net *net, const fathom_data_view *view);

/* fathom_net_gradient and fathom_net_backward on a view; n, d, the matrix and the weights of the view are used. */
fathom_status fathom_net_gradient_view(double *value, const fathom_net_weights *gradient,
                                       const fathom_net *net, const fathom_data_view *view, const double *y,
                                       fathom_loss loss, bool mean);
fathom_status fathom_net_backward_view(const fathom_net_weights *gradient, const fathom_net *net,
                                       const fathom_data_view *view, const double *slope);

/* a_jk = s rho_j W_jk (m x outputs; convex-rf: m x pool^2 x outputs); gated: a_j = s rho_j. */
void fathom_net_output_weights(double *a, const fathom_net *net);

#endif
