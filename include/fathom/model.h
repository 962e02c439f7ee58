/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models: a network with all that is needed to apply it to new data, its file, its predictions and their
 * score.
 *
 * A model file is JSON or NPZ (by the extension .npz; read: by its first bytes) with the members of
 * docs/reference/networks.md. Numbers survive writing and reading bit for bit.
 */
#ifndef FATHOM_MODEL_H
#define FATHOM_MODEL_H

#include "fathom/json.h"
#include "fathom/net.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fathom_model fathom_model;

/* Gives a model that takes over `net` (on failure it stays the caller's) and copies the rest. `preprocess`
 * NULL: the network's d columns as they are; `classes` NULL or empty: no classes. The loss says how
 * outputs are read: squared as numbers, the others as scores of classes. */
FATHOM_API fathom_status fathom_model_create(fathom_model **model, fathom_context *context, fathom_net *net,
                                             fathom_loss loss, const fathom_preprocess *preprocess,
                                             const fathom_classes *classes);
FATHOM_API void fathom_model_free(fathom_model *model);

/* Borrowed; valid until the model is freed. */
typedef struct fathom_model_view {
    fathom_net *net;
    fathom_loss loss;
    fathom_preprocess preprocess;
    fathom_classes classes; /* value is never NULL where count > 0 */
    fathom_json *training; /* an object for whatever is worth remembering: objective, lower_bound, seed ... */
} fathom_model_view;
FATHOM_API fathom_model_view fathom_model_look(const fathom_model *model);

/* Writes the whole file or nothing; ERROR_INPUT where a parameter is not finite. */
FATHOM_API fathom_status fathom_model_write(const fathom_model *model, const char *path);

/* Gives the model in a file. Every fault is ERROR_INPUT with file and member; a file of a newer format is
 * refused with a message that says so. */
FATHOM_API fathom_status fathom_model_read(fathom_model **model, fathom_context *context, const char *path);

/* Opens data for this model: fathom_data_open_like with its preprocessing and classes. */
FATHOM_API fathom_status fathom_model_open_data(fathom_data **data, const fathom_model *model,
                                                fathom_context *context, const char *spec,
                                                const fathom_data_options *options);

/* What a model says about n examples; all memory owned by the prediction. */
typedef struct fathom_prediction {
    int64_t n, outputs;
    double *output;      /* n x outputs, f(x_i) */
    int64_t classes;     /* 0 where the model does not classify */
    int64_t *label;      /* n: number of the class, -1 where an output is NaN; NULL where classes = 0 */
    double *probability; /* n x classes; NULL where the loss gives none (squared, hinge) */
    fathom_context *context;
} fathom_prediction;

/* One output and two classes: logistic or hinge models choose by the sign (0: the first class), squared
 * ones by the midpoint of the two class values. As many outputs as classes: the largest output, the first
 * of equals. Probabilities: logistic 1/(1+e^{-f}), exponential 1/(1+e^{-2f}) for the second class; softmax
 * for many. */
FATHOM_API fathom_status fathom_model_predict(fathom_prediction **prediction, const fathom_model *model,
                                              const fathom_data *data);
FATHOM_API void fathom_prediction_free(fathom_prediction *prediction);

/* out (rows x outputs) = f(x) for plain rows: x has the model's columns (preprocess.columns) `ld` doubles
 * apart. Allocates nothing, changes nothing, starts no threads: any number of threads may call it on one
 * model. ERROR_USAGE, without a text: a network of infinite width or of images, or ld < columns. */
FATHOM_API fathom_status fathom_model_apply(const fathom_model *model, int64_t rows, const double *x,
                                            int64_t ld, double *out);

/* Writes the predictions as CSV, one line per example: outputs, class, probabilities; "-" is standard
 * output. */
FATHOM_API fathom_status fathom_prediction_write(const fathom_prediction *prediction,
                                                 const fathom_model *model, const char *path);

/* Weighted by the data's weights; NaN where a number does not apply or is not defined.
 *   accuracy       share of right classes (an undefined output is wrong)
 *   mse            mean over examples of |f - y|^2 / outputs, squared loss only
 *   r2             1 - sum (f - y)^2 / sum (y - mean y)^2, columns pooled; NaN where y is constant; squared loss only
 *   cross_entropy  mean of -ln probability of the right class; probabilities only */
typedef struct fathom_score {
    double accuracy, r2, mse, cross_entropy;
} fathom_score;

/* ERROR_INPUT where the data has no targets; with targets that do not compare with the outputs all parts
 * are NaN, and a warning is logged. */
FATHOM_API fathom_status fathom_model_score(fathom_score *score, const fathom_model *model,
                                            const fathom_data *data, const fathom_prediction *prediction);

#ifdef __cplusplus
}
#endif
#endif
