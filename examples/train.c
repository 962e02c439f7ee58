/* SPDX-License-Identifier: Apache-2.0 */
/* Trains a network on a built-in data set, prints what is proven about it, and writes the model that embed.c uses. */
#include <fathom/fathom.h>
#include <stdio.h>

static int fail(const fathom_context *context)
{
    fprintf(stderr, "train: %s\n", fathom_context_error(context)->text);
    return 1;
}

int main(int argc, char **argv)
{
    fathom_context *context;
    fathom_data *data = NULL;
    fathom_model *model = NULL;
    fathom_data_options preparation;
    fathom_train_options options;
    fathom_train_result result = {0};
    int failed = 1;

    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return 1;
    fathom_options_init(&preparation, &fathom_data_option_table);
    preparation.normalize = FATHOM_NORMALIZE_STANDARDIZE;
    preparation.bias = FATHOM_BIAS_AUGMENT;
    fathom_options_init(&options, &fathom_train_option_table);
    options.model = FATHOM_TRAIN_GATED;
    options.loss = FATHOM_TRAIN_LOGISTIC;
    options.gates = "100";

    if (fathom_data_open(&data, context, argc > 1 ? argv[1] : "builtin:wdbc", &preparation) == FATHOM_OK &&
        fathom_train(&result, context, data, NULL, &options) == FATHOM_OK) {
        printf("objective %.9g, at least %.9g on these gates; %lld neurons\n", result.objective,
               result.lower_bound, (long long)result.neurons);
        if (fathom_train_make_model(&model, context, &result, data) == FATHOM_OK &&
            fathom_model_write(model, "model.json") == FATHOM_OK)
            failed = fathom_model_export_c(model, "model.c", NULL) != FATHOM_OK;
    }
    if (failed)
        fail(context);
    fathom_model_free(model);
    fathom_train_result_clear(&result);
    fathom_data_free(data);
    fathom_context_free(context);
    return failed;
}
