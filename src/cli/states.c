/* SPDX-License-Identifier: Apache-2.0 */
/* Files of states (--resume, --checkpoint) where several ranks run one command. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "inner/context.h"
#include "ranks.h"

/* The place of an option's text, or NULL where the command has no such option. */
static const char **find_text(cli_invocation *invocation, const char *name)
{
    for (int t = 0; t < CLI_TABLES && invocation->command->tables[t]; t++) {
        const fathom_option_table *table = invocation->command->tables[t];
        for (int64_t k = 0; k < table->count; k++)
            if (strcmp(table->rows[k].name, name) == 0)
                return (const char **)((char *)invocation->options[t] + table->rows[k].offset);
    }
    return NULL;
}

/* Rank 0 may soon replace the file: the others read a copy without a name, which ends with them. */
static fathom_status copy_state(const char **path, fathom_context *context)
{
    static char name[64];
    void *bytes = NULL;
    int64_t size = 0;
    fathom_status status = fathom_ranks_share(&bytes, &size, context, *path);
    if (status == FATHOM_OK && !fathom_ranks_lead()) {
        FILE *copy = tmpfile();
        if (!copy || fwrite(bytes, 1, (size_t)size, copy) != (size_t)size || fflush(copy) != 0)
            status = fathom_context_fail(context, FATHOM_ERROR_RUNTIME, "no room for a copy of the state");
        else
            snprintf(name, sizeof name, "/dev/fd/%d", fileno(copy));
        *path = name;
    }
    fathom_context_release(context, bytes);
    return status;
}

fathom_status cli_settle_states(cli_invocation *invocation)
{
    const char **resume = find_text(invocation, "resume"), **checkpoint = find_text(invocation, "checkpoint");
    fathom_status status = FATHOM_OK;
    if (fathom_ranks_several() && resume && *resume)
        status = copy_state(resume, invocation->context);
    if (!fathom_ranks_lead() && checkpoint)
        *checkpoint = NULL;
    return status;
}
