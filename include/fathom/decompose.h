/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cone decompositions: a gated network as a ReLU network with the same outputs on the data.
 *
 *     1[<v, x_i> > 0] <w, x_i> = relu(<u, x_i>) - relu(<u', x_i>),   w = u - u',   u, u' in the cone of the gate v
 *
 * What the second form pays is sum |u| + |u'| over sum |w|, the norm inflation. [000, Thm 3.1; Mishkin, Sahiner, Pilanci 2022]
 */
#ifndef FATHOM_DECOMPOSE_H
#define FATHOM_DECOMPOSE_H

#include "fathom/net.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fathom_decompose {
    FATHOM_DECOMPOSE_THEOREM, /* u = w + a v, u' = a v with the a of fathom_net_to_relu */
    FATHOM_DECOMPOSE_SPARSE, /* one neuron where w or -w is in the cone; else u' = a v with the least a, shared by outputs */
    FATHOM_DECOMPOSE_MIN_NORM, /* the least |u| + |u'| for every gate and output */
} fathom_decompose;

/* Gives the ReLU network; *inflation = sum_j |W_j||u_j| of it over sum_j |w_j| of the gated one (1 where that is 0). ERROR_INPUT
 * where an orientation lies on the hyperplane of a point and no decomposition is found. */
FATHOM_API fathom_status fathom_net_decompose(fathom_net **relu, double *inflation, fathom_context *context,
                                              const fathom_net *gated, const fathom_data *data,
                                              fathom_decompose how);

#ifdef __cplusplus
}
#endif
#endif
