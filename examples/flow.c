/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient flow with a listener that watches the loss and stops the run when it is small enough. */
#include <fathom/fathom.h>
#include <math.h>
#include <stdio.h>

/* Called at every step; returning true asks the run to stop. */
static bool listen(void *user, const fathom_progress *progress)
{
    int64_t *calls = user;
    ++*calls;
    return progress->iteration >= 2000;
}

int main(void)
{
    fathom_context *context;
    fathom_data *data = NULL;
    fathom_flow_options options;
    fathom_flow_result result = {0};
    int64_t calls = 0;
    int failed = 1;

    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return 1;
    fathom_context_set_progress(context, listen, &calls);
    fathom_options_init(&options, &fathom_flow_option_table);
    options.method = FATHOM_FLOW_FLOW;
    options.width = 32;
    options.until = "loss=1e-6";
    if (fathom_data_open(&data, context, "gen:xor,n=32", NULL) == FATHOM_OK &&
        fathom_flow_run(&result, context, data, &options) == FATHOM_OK) {
        printf("%s: loss e^%.3f after %lld steps, %lld kinks met, normalised margin %.4f\n",
               fathom_flow_status_text(result.status), result.end.log_loss, (long long)result.end.steps,
               (long long)result.events, result.end.normalized_margin);
        failed = !(calls > 0 && exp(result.end.log_loss) < 0.1);
    } else {
        fprintf(stderr, "flow: %s\n", fathom_context_error(context)->text);
    }
    fathom_flow_result_clear(&result);
    fathom_data_free(data);
    fathom_context_free(context);
    return failed;
}
