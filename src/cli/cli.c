/* SPDX-License-Identifier: Apache-2.0 */
/* One command line from its words to its exit code. */
#include "commands.h"
#include "inner/context.h"
#include "inner/files.h"
#include "inner/json.h"
#include "inner/options.h"
#include "picture.h"
#include "ranks.h"
#include "stop.h"

#include <stdio.h>
#include <string.h>

/* Sizes of the list of a command line's files: options of one table, files beside a certificate, a path. */
enum { CLI_FILES = 16, CLI_BESIDE = 4, CLI_PATH = 4096 };

/* A stop that leaves no result says so: the data were not read, or nothing is known without the step that was
 * cut. Runs of reproduce are kept. */
static const char *ending(const cli_invocation *invocation, fathom_status status)
{
    return status == FATHOM_ERROR_STOPPED && invocation->command->run != cli_run_reproduce
               ? "; there is no result"
               : "";
}

/* "fathom: FILE:LINE:COLUMN: text" with as much of the position as is known. */
static void print_error(const cli_invocation *invocation, fathom_status status)
{
    const fathom_error *error = fathom_context_error(invocation->context);
    cli_progress_end();
    cli_error_begin();
    if (error->file) {
        cli_print(stderr, error->file);
        putc(':', stderr);
    }
    if (error->file && error->line > 0)
        fprintf(stderr, "%lld:", (long long)error->line);
    if (error->file && error->line > 0 && error->column > 0)
        fprintf(stderr, "%lld:", (long long)error->column);
    fprintf(stderr, "%s", error->file ? " " : "");
    cli_print(stderr, error->text);
    fprintf(stderr, "%s\n", ending(invocation, status));
}

/* On a rank that prints nothing: for rank 0. */
static void note_failure(const cli_invocation *invocation)
{
    const fathom_error *error = fathom_context_error(invocation->context);
    char text[CLI_PATH];
    snprintf(text, sizeof text, "%s%s%s", error->file ? error->file : "", error->file ? ": " : "",
             error->text);
    fathom_ranks_note(text);
}

/* JSON as it is, but for the controls that terminals obey and JSON lets stand as they are: DEL and those of two bytes
 * become \\u00NN, which is the same text. */
static void print_json(const char *text)
{
    for (const char *at = text; *at; at++) {
        const unsigned char byte = (unsigned char)*at, next = (unsigned char)at[1];
        if (byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0))
            printf("\\u%04x", byte == 0x7f ? byte : next);
        else
            putchar(byte);
        at += byte == 0xc2 && next >= 0x80 && next < 0xa0;
    }
    putchar('\n');
}

static int exit_code_of(const cli_invocation *invocation, fathom_status status)
{
    const int code = fathom_status_exit_code(status);
    return code == EXIT_LIMIT && fathom_context_interrupted(invocation->context) ? EXIT_INTERRUPTED : code;
}

/* With --json a failure is an object too: {"command", "error", "code"} and the place in a file where there
 * is one. Its memory is that of a new context, for the one that failed may have none. */
static void print_error_json(const cli_invocation *invocation, fathom_status status)
{
    const fathom_error *error = fathom_context_error(invocation->context);
    fathom_context *context;
    fathom_json *object = NULL;
    char *text = NULL, words[CLI_PATH];
    snprintf(words, sizeof words, "%s%s", error->text, ending(invocation, status));
    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return;
    fathom_status made = fathom_json_create(&object, context);
    if (made == FATHOM_OK)
        made = CLI_SET(object, cli_text("command", invocation->command->name), cli_text("error", words),
                       cli_integer("code", exit_code_of(invocation, status)));
    if (made == FATHOM_OK && error->file)
        made = fathom_json_set_text(object, "file", error->file);
    if (made == FATHOM_OK && error->file && error->line > 0)
        made = fathom_json_set_integer(object, "line", error->line);
    if (made == FATHOM_OK && error->file && error->line > 0 && error->column > 0)
        made = fathom_json_set_integer(object, "column", error->column);
    if (made == FATHOM_OK && fathom_json_text(&text, object, true) == FATHOM_OK) {
        print_json(text);
        fathom_json_text_free(object, text);
    }
    fathom_json_free(object);
    fathom_context_free(context);
}

fathom_status cli_set_shape(cli_invocation *invocation, const fathom_data_view *view)
{
    cli_picture_keep(view);
    return CLI_SET(invocation->result, cli_integer("n", view->n), cli_integer("d", view->d));
}

/* Standard output can fail late (a full disk, a closed pipe): that is a run-time failure too. */
static int flush_output(int exit_code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return exit_code;
    cli_error_begin();
    fprintf(stderr, "standard output could not be written\n");
    return exit_code == 0 || exit_code == EXIT_LIMIT ? fathom_status_exit_code(FATHOM_ERROR_RUNTIME)
                                                     : exit_code;
}

/* How to repeat it: version, seed and the words of the command line. */
static fathom_status record_origin(cli_invocation *invocation)
{
    fathom_json *result = invocation->result;
    const uint64_t seed = fathom_context_seed(invocation->context); /* of a resumed run: its own */
    fathom_status status = fathom_json_set_text(result, "version", fathom_version());
    if (status == FATHOM_OK && seed <= INT64_MAX)
        status = fathom_json_set_integer(result, "seed", (int64_t)seed);
    if (status == FATHOM_OK)
        status = fathom_json_set_texts(result, "arguments", (const char *const *)invocation->words,
                                       invocation->word_count);
    return status;
}

/* Whether -o is for the object of --json. */
static bool keeps_result(const cli_invocation *invocation)
{
    return invocation->run.output && invocation->command->output == CLI_OUTPUT_RESULT &&
           !invocation->output_taken;
}

/* The result to where it was asked for: the file of -o, standard output, both or none. */
static fathom_status put_result(cli_invocation *invocation)
{
    char *text;
    cli_stop_say(NULL);
    if (!invocation->run.json && !keeps_result(invocation))
        return FATHOM_OK;
    fathom_status status =
        fathom_json_set_real(invocation->result, "seconds", fathom_context_seconds(invocation->context));
    if (status == FATHOM_OK)
        status = record_origin(invocation);
    if (status == FATHOM_OK && keeps_result(invocation))
        status = fathom_json_write(invocation->result, invocation->run.output, true);
    if (status != FATHOM_OK || !invocation->run.json)
        return status;
    status = fathom_json_text(&text, invocation->result, true);
    if (status != FATHOM_OK)
        return status;
    print_json(text);
    fathom_json_text_free(invocation->result, text);
    return FATHOM_OK;
}

/* The files of an invocation, all inputs before all outputs: arguments, options, and what stands beside a
 * certificate. */
static int64_t list_files(fathom_file_use *use, char (*beside)[CLI_PATH], const cli_invocation *invocation)
{
    static const char *const endings[CLI_BESIDE] = {".csv", ".svm", ".npy", ".labels.npy"};
    int64_t count = 0;
    for (int k = 0; k < invocation->argument_count; k++)
        use[count++] = (fathom_file_use){invocation->argument[k], "the argument", FATHOM_FILE_READ};
    for (int k = 0; k < CLI_TABLES && invocation->command->tables[k]; k++)
        count += fathom_options_files(use + count, CLI_FILES, invocation->options[k],
                                      invocation->command->tables[k]);
    if (invocation->command->run != cli_run_reproduce) /* its -o is a folder */
        count += fathom_options_files(use + count, 1, &invocation->run, &cli_run_option_table);
    const int64_t named = count;
    /* Where the shell sends standard output to a file, that is no output of this program's too. */
    use[count++] = (fathom_file_use){"/dev/fd/1", "standard output", FATHOM_FILE_READ};
    for (int64_t k = 0; k < named; k++)
        for (int e = 0; e < CLI_BESIDE && strcmp(use[k].name, "certificate") == 0; e++)
            if (snprintf(beside[e], CLI_PATH, "%s%s", use[k].path, endings[e]) < CLI_PATH)
                use[count++] =
                    (fathom_file_use){beside[e], "the data beside the certificate", FATHOM_FILE_BESIDE};
    return count;
}

/* Inputs are never outputs, and every output can be written. */
static fathom_status check_files(const cli_invocation *invocation)
{
    fathom_file_use use[CLI_ARGUMENTS + (CLI_TABLES + 1) * CLI_FILES + CLI_BESIDE + 1];
    if (invocation->run.output && invocation->command->output == CLI_OUTPUT_NONE)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "its text goes to standard output: leave -o out");
    char beside[CLI_BESIDE][CLI_PATH];
    const int64_t count = list_files(use, beside, invocation);
    FATHOM_TRY(fathom_files_check(invocation->context, use, count));
    return invocation->command->run == cli_run_flow ? cli_check_flow_files(invocation, use, count)
                                                    : FATHOM_OK;
}

/* Applies the run options, runs the command, prints its result. */
static fathom_status run_command(cli_invocation *invocation, int *exit_code)
{
    fathom_context *context = invocation->context;
    fathom_context_set_seed(context, invocation->run.seed);
    fathom_context_set_threads(context, (int)invocation->run.threads);
    if (invocation->run.memory >= 0)
        fathom_context_set_memory_limit(context, 1e9 * invocation->run.memory);
    if (invocation->run.time_limit >= 0)
        fathom_context_set_time_limit(context, invocation->run.time_limit);
    if (invocation->run.time_limit >= 0)
        cli_stop_at(invocation->run.time_limit);
    cli_stop_say(invocation->run.json ? invocation->command->name : NULL);
    cli_listen(invocation);
    fathom_status status = check_files(invocation);
    if (status == FATHOM_OK)
        status = cli_settle_states(invocation);
    if (status == FATHOM_OK)
        status = fathom_json_create(&invocation->result, context);
    if (status == FATHOM_OK)
        status = fathom_json_set_text(invocation->result, "command", invocation->command->name);
    if (status == FATHOM_OK)
        status = fathom_context_settle(context, invocation->command->run(invocation, exit_code));
    if (status == FATHOM_OK && *exit_code == 0 && invocation->cut)
        *exit_code = EXIT_LIMIT;
    const fathom_status ended = cli_listen_end(invocation);
    if (status == FATHOM_OK)
        status = ended;
    if (status == FATHOM_OK)
        status = put_result(invocation);
    return status;
}

/* Parses and runs; returns the exit code. */
static int dispatch(cli_invocation *invocation, int count, char **words)
{
    int exit_code = 0;
    fathom_status status = cli_parse(invocation, count, words);
    if (status == FATHOM_OK && invocation->run.help) {
        cli_help_command(invocation->command);
    } else if (status == FATHOM_OK && !invocation->command->run) {
        cli_error_begin();
        fprintf(stderr, "%s is not in this version\n", invocation->command->name);
        return fathom_status_exit_code(FATHOM_ERROR_USAGE);
    } else if (status == FATHOM_OK) {
        status = run_command(invocation, &exit_code);
    }
    if (status == FATHOM_OK)
        return exit_code;
    cli_stop_say(NULL);
    note_failure(invocation);
    print_error(invocation, status);
    if (cli_is_given(invocation, "json")) /* parsed or not */
        print_error_json(invocation, status);
    if (status == FATHOM_ERROR_USAGE)
        fprintf(stderr, "fathom %s --help shows how it is used\n", invocation->command->name);
    return fathom_status_exit_code(status);
}

/* Words that are not a command's name: --version, --help, nothing, or a mistake. */
static int without_command(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "--help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0 || strcmp(word, "-v") == 0 ||
        strcmp(word, "-V") == 0) {
        printf("fathom %s\n", fathom_version());
        return 0;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        const cli_command *command = argc > 2 ? cli_command_find(argv[2]) : NULL;
        if (command)
            cli_help_command(command);
        else
            cli_help_program();
        return argc > 1 ? 0 : fathom_status_exit_code(FATHOM_ERROR_USAGE);
    }
    const char *names[CLI_ARGUMENTS] = {"--version", "--help", "version", "help"};
    for (int k = 0; k + 5 < CLI_ARGUMENTS && cli_command_get(k); k++)
        names[k + 4] = cli_command_get(k)->name;
    const char *near = fathom_word_nearest(word, names);
    cli_error_begin();
    fprintf(stderr, "there is no command '");
    cli_print(stderr, word);
    fprintf(stderr, "'%s%s%s\n", near ? "; did you mean " : "", near ? near : "",
            near ? "?" : "; fathom --help lists them");
    return fathom_status_exit_code(FATHOM_ERROR_USAGE);
}

int cli_main(int argc, char **argv, const fathom_allocator *allocator)
{
    const cli_command *command = argc > 1 ? cli_command_find(argv[1]) : NULL;
    cli_colours_begin(argc, argv);
    if (!command)
        return flush_output(without_command(argc, argv));
    cli_invocation invocation = {.command = command, .word_count = argc - 1, .words = argv + 1};
    if (fathom_context_create(&invocation.context, allocator) != FATHOM_OK) {
        cli_error_begin();
        fprintf(stderr, "out of memory\n");
        return fathom_status_exit_code(FATHOM_ERROR_MEMORY);
    }
    cli_stop_watch(invocation.context);
    int exit_code = dispatch(&invocation, argc - 2, argv + 2);
    if (exit_code == EXIT_LIMIT && fathom_context_interrupted(invocation.context))
        exit_code = EXIT_INTERRUPTED;
    cli_invocation_clear(&invocation);
    cli_stop_end();
    fathom_context_free(invocation.context);
    return flush_output(exit_code);
}
