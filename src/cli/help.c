/* SPDX-License-Identifier: Apache-2.0 */
/* Help in 80 columns, read off the command and option tables. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 24 };

void cli_wrap(const char *text, int from, int indent)
{
    int column = from;
    bool first = true;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (!first && column + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
        first = false;
    }
    putchar('\n');
}

/* Options of one model say so in front; they have a section of their own, where nothing need be said. */
static const char *const SECTION = "convex-rf: ";

bool cli_option_has_section(const fathom_option *row)
{
    return strncmp(row->doc, SECTION, strlen(SECTION)) == 0;
}

const char *cli_option_doc(const fathom_option *row)
{
    return cli_option_has_section(row) ? row->doc + strlen(SECTION) : row->doc;
}

bool cli_table_has_section(const fathom_option_table *table)
{
    for (int64_t k = 0; k < table->count; k++)
        if (cli_option_has_section(table->rows + k))
            return true;
    return false;
}

static void print_option(const cli_command *command, const fathom_option *row)
{
    const char *preset = cli_preset(command, row);
    const bool flag = row->type == FATHOM_OPTION_FLAG;
    char head[160], doc[640];
    snprintf(head, sizeof head, "  --%s%s%s", row->name, flag ? "" : " ", flag ? "" : row->values);
    snprintf(doc, sizeof doc, "%s%s%s%s", cli_option_doc(row), preset ? " (default " : "",
             preset ? preset : "", preset ? ")" : "");
    const int length = (int)strlen(head);
    if (length + 2 > INDENT)
        printf("%s\n%*s", head, INDENT, "");
    else
        printf("%-*s", INDENT, head);
    cli_wrap(doc, INDENT, INDENT);
}

bool cli_own_example(char *text, size_t size, const cli_command *command)
{
    const char *example = command->example ? command->example : "", *at = strstr(example, "builtin:");
    const fathom_option_table *table;
    bool target = false; /* a model knows its own */
    for (int t = 0; (table = cli_table_get(command, t)); t++)
        target = target || table == &fathom_data_option_table;
    at = at ? at : strstr(example, "gen:");
    if (!at || strncmp(example, "fathom gen", 10) == 0)
        return false;
    snprintf(text, size, "%.*sdata.csv%s%s", (int)(at - example), example, target ? " --target NAME" : "",
             at + strcspn(at, " "));
    return true;
}

void cli_help_command(const cli_command *command)
{
    const fathom_option_table *table;
    char own[256];
    printf("usage: fathom ");
    cli_print_name(command->name);
    printf(" %s [options]\n\n", command->arguments);
    cli_wrap(command->summary, 0, 0);
    if (!command->run)
        printf("\nThis command is not in this version.\n");
    for (int t = 0; (table = cli_table_get(command, t)); t++) {
        const int sections = cli_table_has_section(table) ? 2 : 1;
        for (int s = 0; s < sections; s++) {
            printf("\n%s:\n", s ? CLI_SECTION_TITLE : table->title);
            for (int64_t k = 0; k < table->count; k++)
                if (cli_option_has_section(table->rows + k) == (s > 0))
                    print_option(command, table->rows + k);
        }
    }
    if (command->example) {
        printf("\nExample:\n  %s\n", command->example);
        if (cli_own_example(own, sizeof own, command))
            printf("On a table of your own:\n  %s\n", own);
    }
}

/* Programs of their own that are installed with this one. */
static const struct {
    const char *name, *summary;
} beside[] = {
    {"fathom-check", "verifies a certificate in exact arithmetic, without code of fathom"},
    {"fathom-check-verified", "the same, extracted from a proof in Coq; where OCaml was there to build it"},
    {"fathom-mpi", "mpirun -n P fathom-mpi COMMAND ...: a command by P processes; where MPI was there"},
};

void cli_help_program(void)
{
    const cli_command *command;
    printf("usage: fathom COMMAND [arguments] [options]\n\n");
    cli_wrap(
        "fathom solves two-layer ReLU networks: it trains them with a bound on the distance to the global "
        "optimum, measures their margins and kernels, and follows gradient descent and gradient flow.",
        0, 0);
    printf("\nCommands:\n");
    for (int k = 0; (command = cli_command_get(k)); k++) {
        printf("  ");
        cli_print_name(command->name);
        printf("%*s", 12 - (int)strlen(command->name), "");
        cli_wrap(command->summary, 14, 14);
    }
    printf("\nPrograms beside it:\n");
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
        printf("  ");
        cli_print_name(beside[k].name);
        printf("\n%*s", 14, "");
        cli_wrap(beside[k].summary, 14, 14);
    }
    printf("\nfathom COMMAND --help shows a command's options and an example.\n"
           "fathom --version prints the version.\n");
}
