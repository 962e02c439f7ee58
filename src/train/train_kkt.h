/* SPDX-License-Identifier: Apache-2.0 */
/* The optimality conditions of a result, row by row and neuron by neuron; see train_kkt.c. */
#ifndef FATHOM_TRAIN_KKT_H
#define FATHOM_TRAIN_KKT_H

#include "certificate_internal.h"
#include "fathom/train.h"
#include "inner/train.h"

/* A result beside its dual point, both of the problem as asked for. */
typedef struct fathom_kkt {
    fathom_claim claim; /* the problem; claim.divisor is in v already */
    const fathom_train_result *result;
    double *v; /* outputs x n: (1/N) s v of the proof */
    double gap;
    fathom_train_kkt *summary;
} fathom_kkt;

/* The neurons of largest price at v, and whether the network is the only optimal one (kkt_maximisers.c):
 * members `maximisers`, `unique`, `because` of the object. */
fathom_status fathom_kkt_set_maximisers(fathom_json *object, const fathom_kkt *kkt, fathom_data *data);

#endif
