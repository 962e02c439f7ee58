/* SPDX-License-Identifier: Apache-2.0 */
/* Patches of images, and the features that a convex-rf network pools from them; see convex_rf.c. */
#ifndef FATHOM_CONVEX_RF_H
#define FATHOM_CONVEX_RF_H

#include "fathom/net.h"

/* What is wrong with an image of d inputs, or NULL. All other functions need one without a fault. */
const char *fathom_rf_image_fault(const fathom_net_image *image, int64_t d);

/* Numbers of a patch, cells, places down and across. */
int64_t fathom_rf_size(const fathom_net_image *image);
int64_t fathom_rf_cells(const fathom_net_image *image);
int64_t fathom_rf_down(const fathom_net_image *image);
int64_t fathom_rf_across(const fathom_net_image *image);

/* patch (size) = the pixels at place (row, column) of the image x minus their mean, plane after plane; returns their
 * variance (divisor size). The caller divides by sqrt(variance + epsilon). */
double fathom_rf_patch(double *patch, const double *x, const fathom_net_image *image, int64_t row,
                       int64_t column);

/* Filters on images; borrows. */
typedef struct fathom_rf {
    fathom_net_image image;
    int64_t m;       /* filters */
    const double *u; /* m x size */
} fathom_rf;

/* h (last - first x m cells, leading dimension ldh): features of rows first .. last of the view, that of filter j and cell
 * q in column j cells + q. */
fathom_status fathom_rf_features(double *h, int64_t ldh, const fathom_rf *rf, const fathom_data_view *view,
                                 int64_t first, int64_t last, fathom_context *context);

/* fathom_net_forward_view of a network of kind convex-rf. */
fathom_status fathom_rf_forward(double *out, const fathom_net *net, const fathom_data_view *view);

#endif
