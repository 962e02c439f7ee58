/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two-layer networks of every family in the papers.
 *
 *   relu, leaky, huber:  f_k(x) = c_k + s sum_j rho_j W_jk sigma(<u_j, x> + b_j)
 *   gated:               f_k(x) = c_k + s sum_j rho_j 1[<v_j, x> > 0] <W_jk, x>            [000, Sec. 2]
 *   scalar:              f_k(x) = c_k + s sum_j rho_j W_jk relu(b_j <u_j, x>), |u_j| = 1   [003, Sec. 3.2]
 *
 * sigma(t) = max(t, 0); leaky: max(t, alpha t); huber: 0, t^2/(2h), t - h/2 on t <= 0, [0, h], t >= h [002, eq. 1].
 * The scale s is 1, 1/m or 1/sqrt(m); rho defaults to 1.
 */
#ifndef FATHOM_NET_H
#define FATHOM_NET_H

#include "fathom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fathom_net_kind {
    FATHOM_NET_RELU,
    FATHOM_NET_LEAKY,
    FATHOM_NET_HUBER,
    FATHOM_NET_GATED,
    FATHOM_NET_SCALAR
} fathom_net_kind;

typedef enum fathom_net_scale { FATHOM_SCALE_ONE, FATHOM_SCALE_MEAN, FATHOM_SCALE_SQRT } fathom_net_scale;

typedef enum fathom_loss {
    FATHOM_LOSS_SQUARED,     /* (f - y)^2 / 2, summed over outputs */
    FATHOM_LOSS_LOGISTIC,    /* ln(1 + e^{-y f}), y = -1 or +1 */
    FATHOM_LOSS_EXPONENTIAL, /* e^{-y f} */
    FATHOM_LOSS_HINGE,       /* max(0, 1 - y f) */
    FATHOM_LOSS_SOFTMAX      /* -sum_k y_k ln softmax(f)_k, y one-hot */
} fathom_loss;

typedef struct fathom_net fathom_net;

typedef struct fathom_net_shape {
    fathom_net_kind kind;
    int64_t d, m, outputs;
    double parameter; /* alpha of leaky, h of huber; otherwise 0 */
    fathom_net_scale scale;
    bool hidden_bias;  /* b is used (relu, leaky, huber); scalar always has b */
    bool output_fixed; /* W is not trained */
} fathom_net_shape;

/* The parameters, all row-major and lent by the network: read and write them in place.
 * U: m x d (NULL for gated). V: m x d, gated only. b: m or NULL. W: m x outputs (gated: m x outputs x d).
 * c: outputs. rho: m. */
typedef struct fathom_net_weights {
    double *u, *v, *b, *w, *c, *rho;
} fathom_net_weights;

/* Gives a network whose parameters are zero and whose rho is one. */
FATHOM_API fathom_status fathom_net_create(fathom_net **net, fathom_context *context,
                                           const fathom_net_shape *shape);
FATHOM_API void fathom_net_free(fathom_net *net);
FATHOM_API fathom_net_shape fathom_net_look(const fathom_net *net);
FATHOM_API fathom_net_weights fathom_net_lend(fathom_net *net);

/* out (n x outputs) = f(x_i) for every row of the data, which must have d columns. */
FATHOM_API fathom_status fathom_net_forward(double *out, const fathom_net *net, const fathom_data *data);

#ifdef __cplusplus
}
#endif
#endif
