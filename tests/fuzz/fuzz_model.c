/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a model file, JSON or NPZ: what is accepted has finite weights and sizes that agree, and can be used. */
#include "fuzzing.h"

#include "model_internal.h"
#include "net_internal.h"

enum { COLUMNS = 64, UNITS = 256, OUTPUTS = 16 };

static void use(const fathom_model *model)
{
    const fathom_model_view view = fathom_model_look(model);
    const fathom_net_shape shape = fathom_net_look(view.net);
    for (int64_t k = 0; k < view.net->parameters; k++)
        must_hold(isfinite(view.net->block[k]));
    must_hold(view.preprocess.columns + (view.preprocess.bias == FATHOM_BIAS_AUGMENT) == shape.d);
    must_hold((view.preprocess.normalize == FATHOM_NORMALIZE_STANDARDIZE) == (view.preprocess.mean != NULL));
    for (int64_t k = 1; k < view.classes.count; k++)
        must_hold(view.classes.value[k] > view.classes.value[k - 1] && view.classes.name[k]);
    if (shape.d > COLUMNS || shape.m > UNITS || shape.outputs > OUTPUTS)
        return;
    double x[2 * COLUMNS], out[2 * OUTPUTS];
    for (int64_t k = 0; k < 2 * shape.d; k++)
        x[k] = (double)(k % 5) - 2;
    const fathom_data_view rows = {.n = 2, .d = shape.d, .x = x, .ld = shape.d};
    must_hold(fathom_net_forward_view(out, view.net, &rows) == FATHOM_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fathom_context *context = fuzz_context();
    fathom_bytes *bytes;
    fathom_model *model = NULL;
    fathom_context_set_threads(context, 1);
    fathom_status status = fathom_bytes_open_memory(&bytes, context, data, size, "input");
    if (status == FATHOM_OK)
        status = fathom_model_read_bytes(&model, bytes);
    if (status == FATHOM_OK)
        use(model);
    else
        check_failure(context, status);
    fathom_model_free(model);
    fathom_bytes_close(bytes);
    return 0;
}
