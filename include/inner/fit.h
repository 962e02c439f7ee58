/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: a fit as members of JSON. */
#ifndef FATHOM_INNER_FIT_H
#define FATHOM_INNER_FIT_H

#include "fathom/fit.h"
#include "fathom/json.h"
#include "inner/program.h"

/* The training problem of the last network, for certificates (fathom_job_prove_train). */
FATHOM_PROGRAM void fathom_fit_train_options(fathom_train_options *train, const fathom_fit_result *result,
                                             const fathom_fit_options *options);

/* Sets the members of docs/howto/fit.md in an object; before fathom_train_make_model takes the network. */
FATHOM_PROGRAM fathom_status fathom_fit_set(fathom_json *object, const fathom_fit_result *result,
                                            const fathom_data *data);

/* "binary", "multiclass", "regression"; "log-loss", ... */
const char *fathom_fit_task_text(fathom_fit_task task);
FATHOM_PROGRAM const char *fathom_fit_score_text(fathom_fit_score score);

#endif
