/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours on a terminal: words that say how a run ended, names of commands, the beginning of an error.
 * There are none where standard output is no terminal, with --json, where NO_COLOR has a value and where TERM
 * is dumb or not known; and on standard error none where that is no terminal.
 */
#include "cli.h"
#include "platform_program.h"

#include <stdlib.h>
#include <string.h>

#define GREEN "32"
#define YELLOW "33"
#define RED "31"
#define BOLD "1"

/* The two streams, as they were when the program began. */
static struct {
    bool output, error;
} shown;

/* Lines that begin so have the word behind in this colour. */
static const struct {
    const char *before, *word, *colour;
} words[] = {
    {"status       ", "certified", GREEN},  {"status       ", "reached", GREEN},
    {"status       ", "limit", YELLOW},     {"status       ", "stuck", YELLOW},
    {"status       ", "precision", YELLOW}, {"status       ", "interrupted", YELLOW},
    {"status       ", "diverged", RED},     {"fathom-check ", "accepted", GREEN},
    {"fathom-check ", "rejected", RED},     {"", "warning", YELLOW},
};

void cli_colours_begin(int argc, char **argv)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool wanted = !(none && *none) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
    for (int k = 1; k < argc; k++)
        wanted = wanted && strcmp(argv[k], "--json") != 0;
    shown.output = wanted && platform_has_colours(false);
    shown.error = shown.output && platform_has_colours(true);
}

/* A word in its colour. */
static void paint(FILE *file, bool painted, const char *colour, const char *word)
{
    if (painted)
        fprintf(file, "\033[%sm%s\033[0m", colour, word);
    else
        fputs(word, file);
}

/* What was accepted though it says less than its numbers seem to (weak=K) is no plain success. */
static const char *colour_of(const char *colour, const char *rest)
{
    const char *weak = strstr(rest, " weak=");
    return weak && weak < rest + strcspn(rest, "\n") ? YELLOW : colour;
}

void cli_print_line(const char *text)
{
    for (size_t k = 0; shown.output && k < sizeof words / sizeof *words; k++) {
        const size_t before = strlen(words[k].before), word = strlen(words[k].word);
        if (strncmp(text, words[k].before, before) != 0 || strncmp(text + before, words[k].word, word) != 0 ||
            (text[before + word] && text[before + word] != ' '))
            continue;
        fputs(words[k].before, stdout);
        text += before + word;
        paint(stdout, true, colour_of(words[k].colour, text), words[k].word);
        break;
    }
    cli_print(stdout, text);
    putchar('\n');
}

void cli_print_name(const char *name) { paint(stdout, shown.output, BOLD, name); }

void cli_error_begin(void)
{
    paint(stderr, shown.error, RED, "fathom:");
    putc(' ', stderr);
}
