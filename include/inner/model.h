/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: models as members of JSON. */
#ifndef FATHOM_INNER_MODEL_H
#define FATHOM_INNER_MODEL_H

#include "fathom/json.h"
#include "fathom/model.h"
#include "inner/program.h"

/* Sets the members of a model file in an object. */
FATHOM_PROGRAM fathom_status fathom_model_set(fathom_json *object, const fathom_model *model);

/* Sets `neurons_in_words`: of the `most` largest neurons where each `opens`, in the columns' names and units, what it `adds`
 * to the outputs for each unit beyond, and its `share` of the sum of |W_j| |u_j|. Nothing for models that are not relu or
 * leaky, or that normalise rows. */
FATHOM_PROGRAM fathom_status fathom_model_set_neurons(fathom_json *object, const fathom_model *model,
                                                      int64_t most);

/* Sets `dependence`: along each of these columns (names of the table), the others at their means, the `output` at both ends, 3
 * standard deviations from the mean, and at every `kink` between them; `value` in the column's unit, `deviations`. The
 * function is linear from row to row. Columns that are not one number are left out; nothing for models of several outputs, other
 * than relu, or without standardised columns. */
FATHOM_PROGRAM fathom_status fathom_model_set_dependence(fathom_json *object, const fathom_model *model,
                                                         const char *const *name, int64_t names);

#endif
