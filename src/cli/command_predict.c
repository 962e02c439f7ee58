/* SPDX-License-Identifier: Apache-2.0 */
/* fathom predict MODEL DATA: outputs, classes and probabilities as CSV; the score where the data has labels. */
#include "commands.h"
#include "inner/json.h"

#include <math.h>
#include <stdio.h>

/* The parts of a score that apply, each as a member of the object `key`. */
fathom_status cli_set_score(cli_invocation *invocation, const char *key, const fathom_score *score)
{
    fathom_json *object;
    FATHOM_TRY(fathom_json_set_object(invocation->result, key, &object));
    return CLI_SET(object, cli_when(!isnan(score->accuracy), cli_real("accuracy", score->accuracy)),
                   cli_when(!isnan(score->r2), cli_real("r2", score->r2)),
                   cli_when(!isnan(score->mse), cli_real("mse", score->mse)),
                   cli_when(!isnan(score->cross_entropy), cli_real("cross_entropy", score->cross_entropy)));
}

static const char *score_text(char *text, size_t size, const fathom_score *score)
{
    int used = 0;
    text[0] = 0;
    if (!isnan(score->accuracy))
        used = snprintf(text, size, "accuracy %.4g %%", 100 * score->accuracy);
    else if (!isnan(score->mse))
        used = snprintf(text, size, "R^2 %.4g, mean squared error %.4g", score->r2, score->mse);
    if (!isnan(score->cross_entropy) && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", cross-entropy %.4g", score->cross_entropy);
    return text;
}

/* The predictions themselves in the result, where no file takes them. */
static fathom_status set_predictions(cli_invocation *invocation, const fathom_model *model,
                                     const fathom_prediction *p)
{
    fathom_json *result = invocation->result;
    const fathom_classes classes = fathom_model_look(model).classes;
    fathom_status status = fathom_json_set_matrix(result, "outputs", p->output, p->n, p->outputs, p->outputs);
    if (status == FATHOM_OK && p->probability)
        status =
            fathom_json_set_matrix(result, "probabilities", p->probability, p->n, p->classes, p->classes);
    if (status != FATHOM_OK || !p->label)
        return status;
    const char **names = fathom_context_allocate(invocation->context, p->n, sizeof *names);
    if (!names)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n; i++)
        names[i] = p->label[i] < 0 ? NULL : classes.name[p->label[i]];
    status = fathom_json_set_texts(result, "labels", names, p->n);
    fathom_context_release(invocation->context, names);
    return status;
}

/* Where the predictions go: a file, the JSON result, or standard output. */
static fathom_status write_predictions(cli_invocation *invocation, const fathom_model *model,
                                       const fathom_prediction *prediction)
{
    if (invocation->run.output)
        return fathom_prediction_write(prediction, model, invocation->run.output);
    if (invocation->run.json)
        return set_predictions(invocation, model, prediction);
    return invocation->run.quiet ? FATHOM_OK : fathom_prediction_write(prediction, model, "-");
}

/* The score goes to standard error, so that standard output holds the predictions alone. */
static fathom_status report_score(cli_invocation *invocation, const fathom_model *model,
                                  const fathom_data *data, const fathom_prediction *prediction)
{
    fathom_score score;
    char text[128];
    FATHOM_TRY(fathom_model_score(&score, model, data, prediction));
    if (!invocation->run.json && !invocation->run.quiet)
        fprintf(stderr, "%s\n", score_text(text, sizeof text, &score));
    return cli_set_score(invocation, "score", &score);
}

static fathom_status predict(cli_invocation *invocation, const fathom_model *model, const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    fathom_prediction *prediction;
    FATHOM_TRY(fathom_model_predict(&prediction, model, data));
    fathom_status status = cli_set_shape(invocation, &view);
    FATHOM_THEN(status, write_predictions(invocation, model, prediction));
    if (status == FATHOM_OK && view.outputs > 0)
        status = report_score(invocation, model, data, prediction);
    fathom_prediction_free(prediction);
    return status;
}

fathom_status cli_run_predict(cli_invocation *invocation, int *exit_code)
{
    const fathom_data_options *options = cli_options(invocation, &fathom_data_option_table);
    fathom_model *model;
    fathom_data *data = NULL;
    (void)exit_code;
    FATHOM_TRY(fathom_model_read(&model, invocation->context, invocation->argument[0]));
    fathom_status status =
        fathom_model_open_data(&data, model, invocation->context, invocation->argument[1], options);
    FATHOM_THEN(status, predict(invocation, model, data));
    fathom_data_free(data);
    fathom_model_free(model);
    return status;
}
