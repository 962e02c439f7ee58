/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for a terminal. Names of columns, classes and files come from whoever made them: control characters (escape
 * sequences, also as C1 codes) and bytes that are no UTF-8 are shown as \xNN and do nothing.
 * A bound stays one when it is shortened: upper ones are rounded up, lower ones down.
 */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the printable character that begins at `text`; 0 where there is none. */
static size_t printable(const unsigned char *text)
{
    if (*text < 0x80)
        return *text >= 0x20 && *text != 0x7f;
    const size_t size = *text >= 0xf0 && *text < 0xf5 ? 4 : *text >= 0xe0 ? 3 : *text >= 0xc2 ? 2 : 0;
    if (size == 0 || *text >= 0xf5)
        return 0;
    for (size_t k = 1; k < size; k++)
        if ((text[k] & 0xc0) != 0x80)
            return 0;
    const bool control = *text == 0xc2 && text[1] < 0xa0;
    const bool overlong = (*text == 0xe0 && text[1] < 0xa0) || (*text == 0xf0 && text[1] < 0x90);
    const bool outside = (*text == 0xed && text[1] >= 0xa0) || (*text == 0xf4 && text[1] >= 0x90);
    return control || overlong || outside ? 0 : size;
}

void cli_print(FILE *file, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        const size_t size = *at == '\n' || *at == '\t' ? 1 : printable(at);
        if (size > 0)
            fwrite(at, 1, size, file);
        else
            fprintf(file, "\\x%02x", *at);
        at += size > 0 ? size : 1;
    }
}

/* In words where it is not finite: `most` is what an infinite bound says. */
static bool in_words(cli_number *number, double value, const char *most)
{
    const char *word = isnan(value) ? "not known" : isinf(value) ? most : NULL;
    if (word)
        snprintf(number->text, sizeof number->text, "%s", word);
    return word;
}

cli_number cli_near(double value, int digits)
{
    cli_number number;
    if (!in_words(&number, value, value > 0 ? "infinite" : "minus infinite"))
        snprintf(number.text, sizeof number.text, "%.*g", digits, value);
    return number;
}

/* The nearest decimal, or where it lies on the wrong side the next one: its digits are a whole number m, and
 * m + 1 is next. */
static cli_number beside(double value, int digits, bool above)
{
    char text[64];
    cli_number number = cli_near(value, digits);
    const double back = strtod(number.text, NULL);
    if (above ? back >= value : back <= value)
        return number;
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    const char *mark = strchr(text, 'e');
    long long m = 0;
    for (const char *at = text; at < mark; at++)
        m = *at >= '0' && *at <= '9' ? 10 * m + (*at - '0') : m;
    m = (signbit(value) ? -m : m) + (above ? 1 : -1);
    snprintf(text, sizeof text, "%llde%ld", m, strtol(mark + 1, NULL, 10) - digits + 1);
    return cli_near(strtod(text, NULL), digits);
}

cli_number cli_above(double value, int digits)
{
    cli_number number;
    return in_words(&number, value, value > 0 ? "none" : "minus infinite") ? number
                                                                           : beside(value, digits, true);
}

cli_number cli_below(double value, int digits)
{
    cli_number number;
    return in_words(&number, value, value > 0 ? "infinite" : "none") ? number : beside(value, digits, false);
}

void cli_say(const cli_invocation *invocation, const char *format, ...)
{
    char line[4096], *text = line;
    va_list arguments, again;
    if (invocation->run.json || invocation->run.quiet)
        return;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    if (length >= (int)sizeof line && (text = malloc((size_t)length + 1)))
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    cli_progress_end();
    cli_print_line(text ? text : line); /* without memory, what fits */
    if (text != line)
        free(text);
}

enum { WIDTH = 80, INDENT = 13 };

/* Characters of a text in UTF-8. */
static int characters(const char *text, size_t size)
{
    int count = 0;
    for (size_t k = 0; k < size; k++)
        count += ((unsigned char)text[k] & 0xc0) != 0x80;
    return count;
}

/* A number, or the percent sign behind one. */
static bool begins_number(const char *text)
{
    text += *text == '(';
    return (*text >= '0' && *text <= '9') || *text == '%';
}

/* Bytes of the word at `text`; a number stays with its name and its error. */
static size_t word_size(const char *text)
{
    size_t size = strcspn(text, " ");
    while (text[size] == ' ' && (begins_number(text + size + 1) || strncmp(text + size, " +- ", 4) == 0 ||
                                 (size >= 2 && memcmp(text + size - 2, "+-", 2) == 0)))
        size += 1 + strcspn(text + size + 1, " ");
    return size;
}

/* Replaces spaces at which a line would be too long by line ends with an indent behind them; `block` has
 * room. */
static void break_lines(char *block, size_t room, const char *text)
{
    size_t used = 0;
    int column = 0;
    for (bool first = true; *text; first = false) {
        const size_t space = strspn(text, " "), word = word_size(text + space);
        const int length = (int)space + characters(text + space, word);
        const bool wraps = !first && column + length > WIDTH && column > INDENT;
        const int wrote =
            wraps ? snprintf(block + used, room - used, "\n%*s%.*s", INDENT, "", (int)word, text + space)
                  : snprintf(block + used, room - used, "%.*s", (int)(space + word), text);
        used += (size_t)wrote < room - used ? (size_t)wrote : room - used - 1;
        column = wraps ? INDENT + length - (int)space : column + length;
        text += space + word;
    }
    block[used] = 0;
}

void cli_say_block(const cli_invocation *invocation, const char *format, ...)
{
    char line[2048], block[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    break_lines(block, sizeof block, line);
    cli_say(invocation, "%s", block);
}
