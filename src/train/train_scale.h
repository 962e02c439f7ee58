/* SPDX-License-Identifier: Apache-2.0 */
/* Training problems in the middle of the range of double; see train_scale.c. */
#ifndef FATHOM_TRAIN_SCALE_H
#define FATHOM_TRAIN_SCALE_H

#include "data_scale.h"
#include "train_internal.h"

/* A training problem that was scaled, or the one that was given. */
typedef struct fathom_train_range {
    fathom_context *context;
    fathom_data *data;            /* scaled: owned; else as given */
    fathom_train_options options; /* with beta scaled */
    fathom_data_scale scale;
    double beta; /* as asked for, or NAN */
    bool scaled;
} fathom_train_range;

/* fathom_train and fathom_path for data and penalties in range. */
fathom_status fathom_train_in_range(fathom_train_result *result, fathom_context *context, fathom_data *data,
                                    const fathom_gates *gates, fathom_net *start,
                                    const fathom_train_options *options);
fathom_status fathom_path_in_range(fathom_path_result *result, fathom_context *context, fathom_data *data,
                                   const fathom_gates *gates, const fathom_train_options *train,
                                   const fathom_path_options *path);

#endif
