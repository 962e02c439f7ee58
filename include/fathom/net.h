/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two-layer networks of every family in the papers.
 *
 *   relu, leaky, huber:  f_k(x) = c_k + s sum_j rho_j W_jk sigma(<u_j, x> + b_j)
 *   gated:               f_k(x) = c_k + s sum_j rho_j 1[<v_j, x> > 0] <W_jk, x>            [000, Sec. 2]
 *   scalar:              f_k(x) = c_k + s sum_j rho_j W_jk relu(b_j <u_j, x>), |u_j| = 1   [003, Sec. 3.2]
 *   ntk:                 f_k(x) = c_k + s sum_j rho_j W_jk k(x, u_j), k the tangent kernel      [fathom/kernel.h]
 *   convex-rf:           f_k(x) = c_k + s sum_j rho_j sum_q W_jqk max_{t in cell q} relu(<u_j, N(x_t)>) [001, Alg. 2]
 *
 * sigma(t) = max(t, 0); leaky: max(t, alpha t); huber: 0, t^2/(2h), t - h/2 on t <= 0, [0, h], t >= h [002, eq. 1].
 * The scale s is 1, 1/m or 1/sqrt(m); rho defaults to 1. x_t are the patches of an image x, N(p) = (p - mean p) /
 * sqrt(var p + epsilon) normalises their contrast, cells are the squares of a grid laid over the places t.
 */
#ifndef FATHOM_NET_H
#define FATHOM_NET_H

#include "fathom/data.h"
#include "fathom/loss.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fathom_net_kind {
    FATHOM_NET_RELU,
    FATHOM_NET_LEAKY,
    FATHOM_NET_HUBER,
    FATHOM_NET_GATED,
    FATHOM_NET_SCALAR,
    FATHOM_NET_NTK,
    FATHOM_NET_CONVEX_RF
} fathom_net_kind;

typedef enum fathom_net_scale { FATHOM_SCALE_ONE, FATHOM_SCALE_MEAN, FATHOM_SCALE_SQRT } fathom_net_scale;

typedef struct fathom_net fathom_net;

/* How a convex-rf network sees its d = channels x height x width inputs: planes one after the other, each row-major.
 * Places: patches of patch x patch pixels of all planes, every `stride` pixels; cells: a pool x pool grid of places. */
typedef struct fathom_net_image {
    int64_t height, width, channels;
    int64_t patch, stride, pool;
    bool average;   /* a cell averages over its places; otherwise it takes the largest */
    double epsilon; /* of the contrast, > 0 */
} fathom_net_image;

typedef struct fathom_net_shape {
    fathom_net_kind kind;
    int64_t d, m, outputs;
    double parameter; /* alpha of leaky, h of huber, ntk: 0 first layer, 1 both; otherwise 0 */
    fathom_net_scale scale;
    bool hidden_bias;       /* b is used (relu, leaky, huber); scalar always has b */
    bool output_fixed;      /* W is not trained */
    fathom_net_image image; /* convex-rf only; otherwise zero */
} fathom_net_shape;

/* The parameters, all row-major and lent by the network: read and write them in place.
 * U: m x d (NULL for gated; convex-rf: m x channels patch^2). V: m x d, gated only. b: m or NULL. W: m x outputs
 * (gated: m x outputs x d; convex-rf: m x pool^2 x outputs). c: outputs. rho: m. */
typedef struct fathom_net_weights {
    double *u, *v, *b, *w, *c, *rho;
} fathom_net_weights;

/* Gives a network whose parameters are zero and whose rho is one. */
FATHOM_API fathom_status fathom_net_create(fathom_net **net, fathom_context *context,
                                           const fathom_net_shape *shape);
FATHOM_API void fathom_net_free(fathom_net *net);
FATHOM_API fathom_net_shape fathom_net_look(const fathom_net *net);
FATHOM_API fathom_net_weights fathom_net_lend(fathom_net *net);

/* Copies arrays of the layouts above into the network; NULL members are left alone. ERROR_INPUT where a number is not
 * finite, or where the family does not have the parameter; the network is then as it was. */
FATHOM_API fathom_status fathom_net_assign(fathom_net *net, const fathom_net_weights *values);

/* "relu", "leaky", ... as in model files; "1", "1/m", "1/sqrt(m)". */
FATHOM_API const char *fathom_net_kind_name(fathom_net_kind kind);
FATHOM_API const char *fathom_net_scale_name(fathom_net_scale scale);

/* out (n x outputs) = f(x_i) for every row of the data, which must have d columns. */
FATHOM_API fathom_status fathom_net_forward(double *out, const fathom_net *net, const fathom_data *data);

/* Gradients by U, b, W and c, into the members of `gradient` that are not NULL (rho and the gates V are not
 * differentiated; v and rho must be NULL). At kinks sigma' is that of the inactive side: relu 0, leaky alpha.
 *
 * Of L = sum_i w_i l(f(x_i), y_i), or of L / sum_i w_i where `mean`, w_i being the data's weights or 1; *value
 * receives it where not NULL. `y` is n x outputs, coded for the loss (fathom_data_code_classes). */
FATHOM_API fathom_status fathom_net_gradient(double *value, const fathom_net_weights *gradient,
                                             const fathom_net *net, const fathom_data *data, const double *y,
                                             fathom_loss loss, bool mean);

/* The same for any function of the outputs, given its derivatives by them (n x outputs): with the slopes of
 * fathom_loss_summarize this is the gradient of ln R, or of minus the smoothed margin, where R underflows. */
FATHOM_API fathom_status fathom_net_backward(const fathom_net_weights *gradient, const fathom_net *net,
                                             const fathom_data *data, const double *slope);

#ifdef __cplusplus
}
#endif
#endif
