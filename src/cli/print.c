/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for a terminal. Names of columns, classes and files come from whoever made them: control characters (escape
 * sequences, also as C1 codes) and bytes that are no UTF-8 are shown as \xNN and do nothing.
 */
#include "cli.h"

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
    cli_print(stdout, text ? text : line); /* without memory, what fits */
    putchar('\n');
    if (text != line)
        free(text);
}
