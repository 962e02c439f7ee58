/* SPDX-License-Identifier: Apache-2.0 */
/* fathom convert MODEL --to KIND -o FILE: the same function in another form. */
#include "commands.h"

#include <string.h>

#define CONVERT_OPTIONS(X)                                                        \
    X(CHOICE, to, "to", NULL, 0, 0, "same|relu|gated|compressed|json|npz|c|onnx", \
      "what to write; same: only the file's format changes, by its extension")    \
    X(TEXT, data, "data", NULL, 0, 0, "DATA", "data on which the two forms must agree")

FATHOM_OPTIONS_STRUCT(convert_options, CONVERT_OPTIONS)

#define OWNER convert_options
static const fathom_option convert_rows[] = {CONVERT_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_convert_option_table =
    FATHOM_OPTION_TABLE("Options of convert", convert_rows, convert_options);

enum { TO_SAME, TO_RELU, TO_GATED, TO_COMPRESSED, TO_JSON, TO_NPZ, TO_C, TO_ONNX };

static bool ends_with(const char *text, const char *tail)
{
    const size_t length = strlen(text), size = strlen(tail);
    return length >= size && strcmp(text + length - size, tail) == 0;
}

/* JSON and NPZ go by the extension, so the two must not contradict each other. */
static fathom_status check_target(cli_invocation *invocation, int to)
{
    const char *output = invocation->run.output;
    const char *text = NULL;
    if (!output)
        text = "convert needs -o FILE";
    else if (to == TO_NPZ && !ends_with(output, ".npz"))
        text = "--to npz needs a file that ends in .npz";
    else if (to == TO_JSON && ends_with(output, ".npz"))
        text = "--to json needs a file that does not end in .npz";
    else if (to != TO_SAME && to != TO_JSON && to != TO_NPZ)
        text = "this form is not in this version";
    return text ? fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, text) : FATHOM_OK;
}

fathom_status cli_run_convert(cli_invocation *invocation, int *exit_code)
{
    const convert_options *options = cli_options(invocation, &cli_convert_option_table);
    fathom_model *model;
    (void)exit_code;
    fathom_status status = fathom_model_read(&model, invocation->context, invocation->argument[0]);
    if (status != FATHOM_OK)
        return status;
    const int64_t neurons = fathom_net_look(fathom_model_look(model).net).m;
    status = check_target(invocation, options->to);
    if (status == FATHOM_OK)
        status = fathom_model_write(model, invocation->run.output);
    if (status == FATHOM_OK)
        status = fathom_json_set_integer(invocation->result, "neurons", neurons);
    if (status == FATHOM_OK)
        status = fathom_json_set_real(invocation->result, "max_difference", 0);
    if (status == FATHOM_OK)
        cli_say(invocation, "%s: %lld neurons, the same function", invocation->run.output,
                (long long)neurons);
    fathom_model_free(model);
    return status;
}
