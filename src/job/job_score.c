/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of a model on data, and on a test set beside its training data. */
#include "fathom/job.h"
#include "inner/data.h"

fathom_status fathom_job_score(fathom_score *score, const fathom_model *model, const fathom_data *data)
{
    fathom_prediction *prediction;
    FATHOM_TRY(fathom_model_predict(&prediction, model, data));
    fathom_status status = fathom_model_score(score, model, data, prediction);
    fathom_prediction_free(prediction);
    return status;
}

fathom_status fathom_job_score_test(fathom_score *score, fathom_context *context, const fathom_model *model,
                                    const char *spec, const char *rows, const fathom_data_options *options)
{
    const fathom_model_view view = fathom_model_look(model);
    fathom_data *test = NULL;
    fathom_status status =
        fathom_data_open_test(&test, context, spec, rows, options, &view.preprocess, &view.classes);
    FATHOM_THEN(status, fathom_job_score(score, model, test));
    fathom_data_free(test);
    return status;
}
