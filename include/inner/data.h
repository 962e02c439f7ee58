/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: data for front ends and for the layers above. */
#ifndef FATHOM_INNER_DATA_H
#define FATHOM_INNER_DATA_H

#include "fathom/data.h"
#include "inner/program.h"

/* The least and the largest number of every column (d each) as the data is now; infinite where there are
 * no rows. */
FATHOM_PROGRAM void fathom_data_ranges(double *low, double *high, const fathom_data *data);

/* Targets for a classification loss: two values become -1 and +1 (the larger, or the later text, is +1),
 * more become one-hot columns. *coded (n x *outputs) is lent by the data. ERROR_INPUT where there is
 * nothing to classify. */
fathom_status fathom_data_code_classes(const double **coded, int64_t *outputs, fathom_data *data);

/* Rows that are sparse and worth it: at most a quarter of the numbers is there. */
bool fathom_data_is_sparse(const fathom_data *data);

/* Data without a constant column changes its --bias; augment appends the column. ERROR_USAGE where it has
 * one. */
fathom_status fathom_data_set_bias(fathom_data *data, fathom_bias bias);

/* What the columns of the table were and what was made of them, borrowed; NULL unless it was read as it is
 * (--missing impute). */
FATHOM_PROGRAM const fathom_schema *fathom_data_schema(const fathom_data *data);

/* Data read as fathom_data_open_like does, from a CSV file in memory, called `name` in messages; `preprocess` NULL: data that stands for
 * itself. */
FATHOM_PROGRAM fathom_status fathom_data_open_text(fathom_data **data, fathom_context *context,
                                                   const char *name, const char *text, int64_t size,
                                                   const fathom_data_options *options,
                                                   const fathom_preprocess *preprocess,
                                                   const fathom_classes *classes);

/* A test set beside training data: fathom_data_open_like with the options of the training data, but its
 * own rows (NULL: all), and the labels that belong to a file of images (images-idx3 -> labels-idx1) or an
 * array (NAME.npy -> NAME.labels.npy). */
fathom_status fathom_data_open_test(fathom_data **data, fathom_context *context, const char *spec,
                                    const char *rows, const fathom_data_options *options,
                                    const fathom_preprocess *preprocess, const fathom_classes *classes);

/* One line per generator and built-in set: name, keys with defaults, what it is. `index` from 0; NULL at
 * the end. */
typedef struct fathom_data_source {
    const char *spec; /* "gen:circle,n=8" or "builtin:wdbc" */
    const char *doc;
} fathom_data_source;
FATHOM_PROGRAM const fathom_data_source *fathom_data_source_get(int64_t index);

#endif
