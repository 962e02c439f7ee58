/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks that the papers give by formulas.
 *
 * The cube {-1, 1}^3 with y = x_1 x_2 x_3 [000, Thm F.5]: for signs (a, b) take the orientations +-(1, a/2, b/2), each
 * open on three points, and the weights w = -a b e_1 for both. A point is open for two orientations with inner product
 * 1, where y <x, w> = 1, and for one with inner product 2, where y <x, w> = -1: y f = (2 - 1) / 8. The paper's v_6 lacks
 * its minus sign and its w_5 .. w_8 have the wrong one (docs/explanation/errata.md).
 */
#include "fathom/equivalence.h"

fathom_status fathom_net_create_cube(fathom_net **net, fathom_context *context)
{
    static const double orientation[4][3] = {{1, 0.5, 0.5}, {1, 0.5, -0.5}, {1, -0.5, 0.5}, {1, -0.5, -0.5}};
    const fathom_net_shape shape = {
        .kind = FATHOM_NET_GATED, .d = 3, .m = 8, .outputs = 1, .scale = FATHOM_SCALE_MEAN};
    FATHOM_TRY(fathom_net_create(net, context, &shape));
    const fathom_net_weights to = fathom_net_lend(*net);
    for (int j = 0; j < 8; j++) {
        const double *v = orientation[j % 4];
        for (int k = 0; k < 3; k++)
            to.v[3 * j + k] = j < 4 ? v[k] : -v[k];
        to.w[3 * j] = v[1] * v[2] > 0 ? -1 : 1;
    }
    return FATHOM_OK;
}
