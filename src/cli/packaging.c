/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages and shell completions, written from the command and option tables. */
#include "cli.h"
#include "inner/context.h"
#include "inner/data.h"

#include <stdio.h>
#include <string.h>

/* Prints text for troff: backslashes and hyphens escaped, no line starts with a control character. */
static void roff(const char *text)
{
    for (; *text; text++) {
        if (*text == '\\' || *text == '-')
            putchar('\\');
        putchar(*text);
    }
}

static void roff_option(const cli_command *command, const fathom_option *row)
{
    const char *preset = cli_preset(command, row);
    printf(".TP\n.B \\-\\-");
    roff(row->name);
    if (row->type != FATHOM_OPTION_FLAG) {
        printf(" \\fI");
        roff(row->values);
        printf("\\fR");
    }
    printf("\n");
    roff(cli_option_doc(row));
    if (preset) {
        printf(" (default ");
        roff(preset);
        printf(")");
    }
    printf("\n");
}

static void roff_exit_codes(void)
{
    printf(".SH EXIT STATUS\n");
#define ROW(name, value, exit_code, meaning) printf(".TP\n.B %d\n%s\n", exit_code, meaning);
    FATHOM_STATUSES(ROW)
#undef ROW
    printf(".RS\nWhere there is a result by then, it is written, with its bound.\n.RE\n");
    printf(".TP\n.B %d\ninterrupted\n", EXIT_INTERRUPTED);
}

/* The name of a command's page behind fathom-: fathom-check is a program of its own, with its own page (checker/fathom-check.1). */
static const char *page_name(const cli_command *command)
{
    return strcmp(command->name, "check") == 0 ? "theorems" : command->name;
}

static void manual_command(const cli_command *command)
{
    const fathom_option_table *table;
    char own[256];
    printf(".TH FATHOM\\-");
    roff(page_name(command));
    printf(" 1 \"\" \"fathom %s\"\n.SH NAME\nfathom\\-", fathom_version());
    roff(page_name(command));
    printf(" \\- ");
    roff(command->summary);
    printf("\n.SH SYNOPSIS\n.B fathom ");
    roff(command->name);
    printf("\n.I ");
    roff(command->arguments);
    printf("\n[options]\n");
    for (int t = 0; (table = cli_table_get(command, t)); t++) {
        const int sections = cli_table_has_section(table) ? 2 : 1;
        for (int s = 0; s < sections; s++) {
            printf(".SH ");
            roff(s ? CLI_SECTION_TITLE : table->title);
            printf("\n");
            for (int64_t k = 0; k < table->count; k++)
                if (cli_option_has_section(table->rows + k) == (s > 0))
                    roff_option(command, table->rows + k);
        }
    }
    if (command->example) {
        printf(".SH EXAMPLE\n.EX\n");
        roff(command->example);
        printf("\n.EE\n");
        if (cli_own_example(own, sizeof own, command)) {
            printf("On a table of your own:\n.EX\n");
            roff(own);
            printf("\n.EE\n");
        }
    }
    roff_exit_codes();
    printf(".SH SEE ALSO\n.BR fathom (1)\n");
}

static void manual_program(void)
{
    const cli_command *command;
    printf(".TH FATHOM 1 \"\" \"fathom %s\"\n.SH NAME\nfathom \\- two\\-layer ReLU networks, solved\n",
           fathom_version());
    printf(".SH SYNOPSIS\n.B fathom\n.I COMMAND\n[arguments] [options]\n.SH COMMANDS\n");
    for (int k = 0; (command = cli_command_get(k)); k++) {
        printf(".TP\n.BR fathom\\-");
        roff(page_name(command));
        printf(" (1)\n");
        roff(command->summary);
        printf("\n");
    }
    roff_exit_codes();
}

fathom_status cli_run_manual(cli_invocation *invocation, int *exit_code)
{
    (void)exit_code;
    if (invocation->argument_count == 0) {
        manual_program();
        return FATHOM_OK;
    }
    const cli_command *command = cli_command_find(invocation->argument[0]);
    if (!command)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, "manual takes a command's name");
    manual_command(command);
    return FATHOM_OK;
}

/* The options of a command as one line of words, each behind `prefix`. */
static void option_words(const cli_command *command, const char *prefix)
{
    const fathom_option_table *table;
    for (int t = 0; (table = cli_table_get(command, t)); t++)
        for (int64_t k = 0; k < table->count; k++)
            printf("%s%s ", prefix, table->rows[k].name);
}

/* The words of a choice, without the options that some of them name. */
static void put_words(const char *values)
{
    for (const char *at = values; *at; at++) {
        if (*at == ':')
            at += strcspn(at, "|");
        if (!*at)
            return;
        putchar(*at == '|' ? ' ' : *at);
    }
}

/* One shell case per option that takes one of a few words. */
static void bash_choices(void)
{
    const cli_command *command;
    const fathom_option_table *table;
    for (int c = 0; (command = cli_command_get(c)); c++)
        for (int t = 0; (table = cli_table_get(command, t)); t++)
            for (int64_t k = 0; k < table->count; k++)
                if (table->rows[k].type == FATHOM_OPTION_CHOICE) {
                    printf("    '%s --%s') words='", command->name, table->rows[k].name);
                    put_words(table->rows[k].values);
                    printf("' ;;\n");
                }
}

/* Names of generated and built-in data as words; keys of generators are left out. */
static void source_words(void)
{
    const fathom_data_source *source;
    for (int64_t k = 0; (source = fathom_data_source_get(k)); k++)
        printf("%s%.*s", k ? " " : "", (int)strcspn(source->spec, ","), source->spec);
}

/* Whether an option takes names of columns. */
static bool takes_columns(const fathom_option *row)
{
    return strcmp(row->values, "NAME|INDEX") == 0 || strcmp(row->values, "NAME,...") == 0 ||
           strcmp(row->values, "COLUMN") == 0;
}

/* The options of DATA that take names of columns, between separators, each behind `prefix`. */
static void column_options(const char *prefix, const char *between)
{
    const char *before = "";
    for (int64_t k = 0; k < fathom_data_option_table.count; k++)
        if (takes_columns(fathom_data_option_table.rows + k)) {
            printf("%s%s%s", before, prefix, fathom_data_option_table.rows[k].name);
            before = between;
        }
}

/* Names are read line by line and never expanded: they are the file's, and may hold anything. The first
 * lines of a text are enough. In a list of names the last one is completed. */
static void bash_columns(void)
{
    printf(
        "_fathom_columns() {\n  case \"$1\" in\n"
        "  *.csv|*.tsv|*.txt) head -n 50 -- \"$1\" 2>/dev/null | fathom completion columns - 2>/dev/null ;;\n"
        "  *) fathom completion columns \"$1\" 2>/dev/null </dev/null ;;\n  esac\n}\n");
}

static void completion_bash(void)
{
    const cli_command *command;
    bash_columns();
    printf("_fathom() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='--help --version");
    for (int k = 0; (command = cli_command_get(k)); k++)
        printf(" %s", command->name);
    printf("'\n  else\n    case \"${COMP_WORDS[1]} $before\" in\n");
    bash_choices();
    printf("    esac\n    if [ -z \"$words\" ]; then case \"$word\" in -*) case \"${COMP_WORDS[1]}\" in\n");
    for (int k = 0; (command = cli_command_get(k)); k++) {
        printf("    %s) words='", command->name);
        option_words(command, "--");
        printf("' ;;\n");
    }
    printf("    esac ;; esac; fi\n    case \"$before\" in ");
    column_options("--", "|");
    printf(") local name list=\n"
           "      case \"$word\" in *,*) list=${word%%,*}, ;; esac\n"
           "      while IFS= read -r name; do case \"$list$name\" in \"$word\"*) COMPREPLY+=(\"$(printf %%q "
           "\"$list$name\")\") ;; esac\n"
           "      done < <(_fathom_columns \"${COMP_WORDS[2]}\"); return ;; esac\n");
    /* a colon ends a word of bash: what stands before it is not part of what is completed */
    printf("    local line=${COMP_LINE:0:COMP_POINT}; line=${line##* }\n"
           "    case \"$line\" in bu*|ge*) local name prefix=${line%%\"${word#:}\"}\n"
           "      words=; for name in ");
    source_words();
    printf("; do\n        case \"$name\" in \"$line\"*) words=\"$words ${name#\"$prefix\"}\" ;; esac; done\n"
           "      COMPREPLY=($words); return ;; esac\n  fi\n"
           "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
           "complete -o default -F _fathom fathom\n");
}

static void completion_zsh(void)
{
    printf("#compdef fathom\nautoload -U +X bashcompinit && bashcompinit\n");
    completion_bash();
}

/* Text inside fish's single quotes. */
static void fish_quote(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

static void completion_fish(void)
{
    const cli_command *command;
    const fathom_option_table *table;
    printf(
        "function _fathom_columns\n  set -l words (commandline -opc)\n"
        "  test (count $words) -ge 3; and fathom completion columns $words[3] 2>/dev/null </dev/null\nend\n");
    printf("complete -c fathom -n 'not __fish_use_subcommand' -a '");
    source_words();
    printf("'\n");
    for (int c = 0; (command = cli_command_get(c)); c++) {
        printf("complete -c fathom -n __fish_use_subcommand -a %s -d '", command->name);
        fish_quote(command->summary);
        printf("'\n");
        for (int t = 0; (table = cli_table_get(command, t)); t++)
            for (int64_t k = 0; k < table->count; k++) {
                const fathom_option *row = table->rows + k;
                printf("complete -c fathom -n '__fish_seen_subcommand_from %s' -l %s%s", command->name,
                       row->name, row->type == FATHOM_OPTION_FLAG ? "" : " -r");
                if (row->type == FATHOM_OPTION_CHOICE) {
                    printf(" -f -a '");
                    put_words(row->values);
                    printf("'");
                }
                if (takes_columns(row))
                    printf(" -f -a '(_fathom_columns)'");
                printf(" -d '");
                fish_quote(row->doc);
                printf("'\n");
            }
    }
}

/* The names of the columns of DATA, one a line: those of the table, the target last. */
static fathom_status print_columns(cli_invocation *invocation, const char *spec)
{
    fathom_data_options options;
    fathom_data *data = NULL;
    fathom_options_init(&options, &fathom_data_option_table);
    options.missing = 1; /* impute: tables as they are */
    FATHOM_TRY(fathom_data_open(&data, invocation->context, spec, &options));
    const fathom_preprocess how = fathom_data_preprocess(data);
    const fathom_schema *schema = fathom_data_schema(data);
    for (int64_t k = 0; schema && k < schema->columns; k++)
        printf("%s\n", schema->column[k].name);
    for (int64_t k = 0; !schema && how.name && k < how.columns; k++)
        printf("%s\n", how.name[k]);
    if (how.target)
        printf("%s\n", how.target);
    fathom_data_free(data);
    return FATHOM_OK;
}

fathom_status cli_run_completion(cli_invocation *invocation, int *exit_code)
{
    const char *shell = invocation->argument[0];
    (void)exit_code;
    if (strcmp(shell, "columns") == 0 && invocation->argument_count == 2)
        return print_columns(invocation, invocation->argument[1]);
    if (invocation->argument_count == 2)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, "completion takes one shell");
    if (strcmp(shell, "bash") == 0)
        completion_bash();
    else if (strcmp(shell, "zsh") == 0)
        completion_zsh();
    else if (strcmp(shell, "fish") == 0)
        completion_fish();
    else
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "completion takes one of bash, zsh, fish, or columns and DATA");
    return FATHOM_OK;
}
