/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line: argument text to library calls.
 *
 * A command is a row of the table in commands.c: its name, its options tables and a function that runs it
 * on an invocation. Parsing, help, manual pages and shell completions are all read off those rows.
 */
#ifndef FATHOM_CLI_H
#define FATHOM_CLI_H

#include <stdio.h>

#include "fathom/fathom.h"
#include "members.h"

/* Exit codes beside those of the status table. */
enum { EXIT_LIMIT = 3, EXIT_REJECTED = 4, EXIT_MEMORY = 6, EXIT_INTERRUPTED = 130 };

#define CLI_RUN_OPTIONS(X)                                                                                \
    X(FLAG, json, "json", NULL, 0, 0, "", "print one JSON object on standard output and nothing else")    \
    X(OUTPUT, output, "output", NULL, 0, 0, "FILE",                                                       \
      "file to write (-o FILE): what the command makes, else the object of --json")                       \
    X(UNSIGNED, seed, "seed", "1", 0, 0, "N", "seed of every random number")                              \
    X(INTEGER, threads, "threads", "0", 0, 4096, "N",                                                     \
      "threads; 0: FATHOM_THREADS, or the cores and quota at hand")                                       \
    X(REAL, time_limit, "time-limit", NULL, 0, 1e18, "SECONDS", "stop then, with the best result so far") \
    X(REAL, memory, "memory", NULL, 0, 1e9, "GB",                                                         \
      "most memory to take; else FATHOM_MEMORY_GB, or what the machine has")                              \
    X(CHOICE, progress, "progress", "auto", 0, 0, "auto|always|never", "progress line on the terminal")   \
    X(FLAG, quiet, "quiet", NULL, 0, 0, "", "print nothing but errors (-q)")                              \
    X(FLAG, verbose, "verbose", NULL, 0, 0, "", "print what solvers do, line by line")                    \
    X(FLAG, help, "help", NULL, 0, 0, "", "show this help (-h)")

FATHOM_OPTIONS_STRUCT(cli_run_options, CLI_RUN_OPTIONS)
extern const fathom_option_table cli_run_option_table;

typedef struct cli_invocation cli_invocation;

/* Runs the command. A failure is left in the context; *exit_code is set only for outcomes (limit,
 * interrupted). */
typedef fathom_status cli_command_function(cli_invocation *invocation, int *exit_code);

enum { CLI_TABLES = 6, CLI_ARGUMENTS = 64 };

/* What -o FILE holds: the object that --json prints, where the command took no file of its own; what the command
 * makes; or nothing, and it is refused. */
typedef enum cli_output { CLI_OUTPUT_RESULT, CLI_OUTPUT_OWN, CLI_OUTPUT_NONE } cli_output;

typedef struct cli_command {
    const char *name;
    const char *summary;
    const char *arguments;                         /* as shown in the usage line, "MODEL DATA" */
    int least, most;                               /* number of arguments */
    const fathom_option_table *tables[CLI_TABLES]; /* beside the run options; NULL at the end */
    const char *example;                           /* a command line that works as it stands, or NULL */
    cli_command_function *run;                     /* NULL: not in this version */
    cli_output output;
} cli_command;

/* Defaults that a command has of its own: name, value, as shown, ..., NULL; NULL: none. */
const char *const *cli_presets(const cli_command *command);

/* The default of an option as this command has it, or NULL. */
const char *cli_preset(const cli_command *command, const fathom_option *row);

/* One call of a command, parsed. */
struct cli_invocation {
    fathom_context *context;
    const cli_command *command;
    cli_run_options run;
    void *options[CLI_TABLES]; /* one filled struct per table of the command */
    int argument_count;
    const char *argument[CLI_ARGUMENTS];
    int word_count; /* the words as typed, command first */
    char **words;
    fathom_json *result; /* what --json prints; begins with `command` */
    bool output_taken;   /* the command has written -o itself */
    bool cut;            /* a limit left something out: exit code 3 */
};

/* The commands, in the order of the help; NULL at the end. */
const cli_command *cli_command_get(int index);
const cli_command *cli_command_find(const char *name);

/* The filled options of one of the command's tables. */
void *cli_options(const cli_invocation *invocation, const fathom_option_table *table);

/* Fills an invocation from the words after the command's name; ERROR_USAGE says what is wrong. */
fathom_status cli_parse(cli_invocation *invocation, int count, char **words);

/* Whether the words have this option, with its value behind it or behind an equals sign. */
bool cli_is_given(const cli_invocation *invocation, const char *name);

void cli_invocation_clear(cli_invocation *invocation);

/* A number as text of so many digits: the nearest, one that is not below it (upper bounds), one that is not
 * above (lower bounds), each as the double that it reads back as. What is not finite is said in words: none,
 * infinite, not known. */
typedef struct cli_number {
    char text[32];
} cli_number;
cli_number cli_near(double value, int digits);
cli_number cli_above(double value, int digits);
cli_number cli_below(double value, int digits);

/* Prints text with control characters and broken UTF-8 shown as \\xNN; new lines and tabs stay. */
void cli_print(FILE *file, const char *text);

/* Colours are for terminals, by what the words of the command line and the environment say: to be called before
 * anything is printed. */
void cli_colours_begin(int argc, char **argv);

/* Prints a line of standard output as cli_print does, the word in colour that says how a run ended. */
void cli_print_line(const char *text);

/* Prints a command's name. */
void cli_print_name(const char *name);

/* Begins a line of standard error with "fathom: ". */
void cli_error_begin(void);

/* Prints a line of the result for people: not with --json or --quiet. Escapes as cli_print does. */
FATHOM_PRINTF(2, 3) void cli_say(const cli_invocation *invocation, const char *format, ...);

/* The same in lines of at most 80 characters, broken at spaces; what comes after the first is indented as values are. */
FATHOM_PRINTF(2, 3) void cli_say_block(const cli_invocation *invocation, const char *format, ...);

/* The k-th table of a command, the run options last; NULL at the end. */
const fathom_option_table *cli_table_get(const cli_command *command, int index);

/* Prints text from column `from` on, wrapped at 80 columns, further lines indented by `indent`. */
void cli_wrap(const char *text, int from, int indent);

/* Text for people and packagers, all read off the tables. */
void cli_help_program(void);
void cli_help_command(const cli_command *command);

/* The example of a command with a table of the user's own in place of a data set that comes with fathom;
 * false where it has none. */
bool cli_own_example(char *text, size_t size, const cli_command *command);

/* Options of convex-rf stand in a section of their own in help and manual pages. */
#define CLI_SECTION_TITLE "With --model convex-rf"
bool cli_option_has_section(const fathom_option *row);
bool cli_table_has_section(const fathom_option_table *table);
const char *cli_option_doc(const fathom_option *row); /* without the word of the section */
fathom_status cli_run_completion(cli_invocation *invocation, int *exit_code);
fathom_status cli_run_manual(cli_invocation *invocation, int *exit_code);

/* Listeners: log lines and the progress line on standard error, and the course of values and bounds, which
 * cli_listen_end writes to the result as `progress`. */
void cli_listen(cli_invocation *invocation);
fathom_status cli_listen_end(cli_invocation *invocation);

/* Shows where a command is that runs others, in place of the progress line. */
void cli_progress(const cli_invocation *invocation, const char *stage);
void cli_progress_end(void);

/* Sets `n` and `d` of the result. */
fathom_status cli_set_shape(cli_invocation *invocation, const fathom_data_view *view);

/* To be called first by main: streams, the environment that libraries look at, and the parent. */
void cli_start(char **argv);

/* Where several ranks run the command: states of earlier runs are those that rank 0 reads, and it alone writes new ones. */
fathom_status cli_settle_states(cli_invocation *invocation);

/* Runs one command line and returns its exit code. `allocator` may be NULL. */
int cli_main(int argc, char **argv, const fathom_allocator *allocator);

#endif
