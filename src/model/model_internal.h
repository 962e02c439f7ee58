/* SPDX-License-Identifier: Apache-2.0 */
/* The model as its own layer sees it, and the two forms of its file. */
#ifndef FATHOM_MODEL_INTERNAL_H
#define FATHOM_MODEL_INTERNAL_H

#include "fathom/model.h"
#include "bytes.h"

struct fathom_model {
    fathom_context *context; /* borrowed */
    fathom_net *net;
    fathom_loss loss;
    fathom_normalize normalize;
    fathom_bias bias;
    int64_t columns;
    double *mean, *scale;  /* columns, or NULL */
    char **column_name;    /* columns, or NULL */
    bool one_hot;          /* names "column=text" are those of text columns */
    char *target_name;     /* or NULL */
    fathom_schema *schema; /* or NULL */
    int64_t classes;
    char **class_name;
    double *class_value;
    fathom_json *training;
};

/* Reads from a stream: the format follows from its first bytes. */
fathom_status fathom_model_read_bytes(fathom_model **model, fathom_bytes *bytes);

/* Copies of texts, freed by the second function also where some are missing. */
void fathom_model_free_texts(fathom_context *context, char **text, int64_t count);

#endif
