/* SPDX-License-Identifier: Apache-2.0 */
/* fathom gen SPEC [-o FILE]: writes a generated or built-in data set; --list names them all. */
#include "commands.h"
#include "inner/context.h"
#include "inner/data.h"
#include "inner/json.h"

#include <stdio.h>

#define GEN_OPTIONS(X) X(FLAG, list, "list", NULL, 0, 0, "", "name every generator and built-in set")

FATHOM_OPTIONS_STRUCT(gen_options, GEN_OPTIONS)

#define OWNER gen_options
static const fathom_option gen_rows[] = {GEN_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_gen_option_table = FATHOM_OPTION_TABLE("Options of gen", gen_rows, gen_options);

static fathom_status list_sources(cli_invocation *invocation)
{
    const fathom_data_source *source;
    fathom_json *list, *item;
    fathom_status status = fathom_json_set_list(invocation->result, "sources", &list);
    for (int64_t k = 0; status == FATHOM_OK && (source = fathom_data_source_get(k)); k++) {
        cli_say(invocation, "%s", source->spec);
        if (!invocation->run.json && !invocation->run.quiet) {
            printf("    ");
            cli_wrap(source->doc, 4, 4);
        }
        status = fathom_json_append_object(list, &item);
        FATHOM_THEN(status, CLI_SET(item, cli_text("spec", source->spec), cli_text("what", source->doc)));
    }
    return status;
}

static fathom_status describe(cli_invocation *invocation, const fathom_data_view *view)
{
    fathom_json *result = invocation->result;
    fathom_status status = cli_set_shape(invocation, view);
    if (status == FATHOM_OK)
        status =
            CLI_SET(result, cli_integer("rows", view->n), cli_integer("columns", view->d + view->outputs));
    if (invocation->run.output)
        cli_say(invocation, "%s: %lld rows, %lld columns", invocation->run.output, (long long)view->n,
                (long long)(view->d + view->outputs));
    return status;
}

fathom_status cli_run_gen(cli_invocation *invocation, int *exit_code)
{
    const gen_options *options = cli_options(invocation, &cli_gen_option_table);
    (void)exit_code;
    if (options->list && invocation->run.output)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "gen --list prints names and writes no file: leave -o out");
    if (options->list)
        return list_sources(invocation);
    if (invocation->argument_count == 0)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, "gen takes SPEC, or --list");
    fathom_data *data;
    FATHOM_TRY(fathom_data_open(&data, invocation->context, invocation->argument[0], NULL));
    fathom_status status = FATHOM_OK;
    if (!invocation->run.output && invocation->run.json)
        status = fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                     "gen --json needs -o FILE (.csv, .tsv, .svm, .npy or .npz)");
    FATHOM_THEN(status, fathom_data_write(data, invocation->run.output ? invocation->run.output : "-"));
    const fathom_data_view view = fathom_data_look(data);
    FATHOM_THEN(status, describe(invocation, &view));
    fathom_data_free(data);
    return status;
}
