/* SPDX-License-Identifier: Apache-2.0 */
/* Filters for images, from patches and without labels; see rf_filters.c. */
#ifndef FATHOM_RF_FILTERS_H
#define FATHOM_RF_FILTERS_H

#include "convex_rf.h"
#include "train_internal.h"

typedef struct fathom_rf_filters {
    double *u;      /* m x size, the whitening folded in: to be applied to normalised patches */
    int64_t m;      /* filters made */
    int64_t drawn;  /* different patches drawn that were not constant */
    int64_t inside; /* patches without a filter: inside the hull of the others */
} fathom_rf_filters;

/* Fills filters and image->epsilon; the rest of the image is given. u is freed with fathom_memory_free. ERROR_INPUT
 * where no patch has any contrast or none makes a filter. */
fathom_status fathom_rf_filters_make(fathom_rf_filters *filters, fathom_net_image *image,
                                     const fathom_train_problem *problem);

#endif
