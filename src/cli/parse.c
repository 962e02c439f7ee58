/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a command line to filled options and arguments, through the option tables. */
#include "cli.h"
#include "inner/context.h"
#include "inner/options.h"

#include <stdio.h>
#include <string.h>

#define OWNER cli_run_options
static const fathom_option run_rows[] = {CLI_RUN_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_run_option_table =
    FATHOM_OPTION_TABLE("Options of every command", run_rows, cli_run_options);

enum { NAME_SIZE = 64 };

/* Number of the option tables of a command itself. */
static int table_count(const cli_command *command)
{
    int count = 0;
    while (count < CLI_TABLES && command->tables[count])
        count++;
    return count;
}

const fathom_option_table *cli_table_get(const cli_command *command, int index)
{
    const int own = table_count(command);
    if (index < own)
        return command->tables[index];
    return index == own ? &cli_run_option_table : NULL;
}

/* The option with this flag among all tables of a command and the run options, and the struct it lives in. */
static const fathom_option *find_option(const cli_command *command, const char *name, int *table)
{
    const fathom_option_table *rows;
    for (*table = 0; (rows = cli_table_get(command, *table)); (*table)++) {
        const fathom_option *row = fathom_options_find(rows, name);
        if (row)
            return row;
    }
    return NULL;
}

void *cli_options(const cli_invocation *invocation, const fathom_option_table *table)
{
    for (int k = 0; k < table_count(invocation->command); k++)
        if (invocation->command->tables[k] == table)
            return invocation->options[k];
    return NULL;
}

/* A usage error of the command line itself; the library's texts come from its option tables. */
static fathom_status complain(cli_invocation *invocation, const char *what, const char *word,
                              const char *hint)
{
    char text[256];
    snprintf(text, sizeof text, "%s '%.100s'%s%.100s", what, word, hint ? "; did you mean --" : "",
             hint ? hint : "");
    return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, text);
}

static fathom_status unknown_option(cli_invocation *invocation, const char *name)
{
    const char *names[256] = {NULL};
    int count = 0;
    const fathom_option_table *table;
    for (int t = 0; (table = cli_table_get(invocation->command, t)); t++)
        for (int64_t k = 0; k < table->count && count < 255; k++)
            names[count++] = table->rows[k].name;
    return complain(invocation, "there is no option", name, fathom_word_nearest(name, names));
}

/* Handles words[*at], an option; takes its value from the same or the next word and moves *at past it. */
static fathom_status parse_option(cli_invocation *invocation, int count, char **words, int *at)
{
    const char *word = words[(*at)++];
    const char *body = strcmp(word, "-o") == 0   ? "output"
                       : strcmp(word, "-q") == 0 ? "quiet"
                       : strcmp(word, "-h") == 0 ? "help"
                                                 : word + 2;
    if (word[1] != '-' && body == word + 2)
        return complain(invocation, "there is no option", word, NULL);
    const char *equals = strchr(body, '=');
    const size_t length = equals ? (size_t)(equals - body) : strlen(body);
    char name[NAME_SIZE];
    if (length >= sizeof name)
        return unknown_option(invocation, body);
    memcpy(name, body, length);
    name[length] = 0;
    int table;
    const fathom_option *row = find_option(invocation->command, name, &table);
    if (!row)
        return unknown_option(invocation, name);
    const char *value = equals ? equals + 1 : NULL;
    if (!value && row->type != FATHOM_OPTION_FLAG && *at < count)
        value = words[(*at)++];
    void *options = table < table_count(invocation->command) ? invocation->options[table] : &invocation->run;
    return fathom_options_set(invocation->context, options, row, value);
}

const char *cli_preset(const cli_command *command, const fathom_option *row)
{
    for (const char *const *own = cli_presets(command); own && *own; own += 3)
        if (strcmp(own[0], row->name) == 0)
            return own[2];
    return row->preset;
}

bool cli_is_given(const cli_invocation *invocation, const char *name)
{
    const size_t length = strlen(name);
    for (int k = 1; k < invocation->word_count && strcmp(invocation->words[k], "--") != 0; k++) {
        const char *word = invocation->words[k];
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, length) == 0 &&
            (word[2 + length] == 0 || word[2 + length] == '='))
            return true;
    }
    return false;
}

/* Two options that say the same in two ways. */
static fathom_status check_pairs(const cli_invocation *invocation)
{
    if (cli_is_given(invocation, "beta") && cli_is_given(invocation, "beta-rel"))
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "--beta and --beta-rel both say what the penalty is: give one of them");
    return FATHOM_OK;
}

/* The command's own defaults. */
static fathom_status preset(cli_invocation *invocation)
{
    fathom_status status = FATHOM_OK;
    for (const char *const *own = cli_presets(invocation->command); own && *own && status == FATHOM_OK;
         own += 3) {
        int table;
        const fathom_option *row = find_option(invocation->command, own[0], &table);
        status = fathom_options_set(invocation->context, invocation->options[table], row, own[1]);
    }
    return status;
}

/* Allocates and defaults one options struct per table. */
static fathom_status prepare(cli_invocation *invocation)
{
    fathom_options_init(&invocation->run, &cli_run_option_table);
    for (int k = 0; k < table_count(invocation->command); k++) {
        const fathom_option_table *table = invocation->command->tables[k];
        invocation->options[k] = fathom_context_allocate(invocation->context, 1, table->size);
        if (!invocation->options[k])
            return FATHOM_ERROR_MEMORY;
        fathom_options_init(invocation->options[k], table);
    }
    return preset(invocation);
}

static fathom_status check_arguments(cli_invocation *invocation)
{
    const cli_command *command = invocation->command;
    char text[256];
    if (invocation->argument_count > command->most)
        return complain(invocation, "one argument too many:", invocation->argument[command->most], NULL);
    if (invocation->argument_count >= command->least)
        return FATHOM_OK;
    snprintf(text, sizeof text, "%s takes %s", command->name, command->arguments);
    return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, text);
}

fathom_status cli_parse(cli_invocation *invocation, int count, char **words)
{
    bool options_ended = false;
    fathom_status status = prepare(invocation);
    for (int at = 0; at < count && status == FATHOM_OK;) {
        const char *word = words[at];
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
            at++;
        } else if (!options_ended && word[0] == '-' && word[1]) {
            status = parse_option(invocation, count, words, &at);
        } else if (invocation->argument_count == CLI_ARGUMENTS) {
            status = complain(invocation, "one argument too many:", word, NULL);
        } else {
            invocation->argument[invocation->argument_count++] = words[at++];
        }
    }
    FATHOM_THEN(status, check_pairs(invocation));
    if (status == FATHOM_OK && !invocation->run.help)
        status = check_arguments(invocation);
    return status;
}

void cli_invocation_clear(cli_invocation *invocation)
{
    for (int k = 0; k < CLI_TABLES; k++)
        fathom_context_release(invocation->context, invocation->options[k]);
    fathom_json_free(invocation->result);
}
