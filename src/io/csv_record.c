/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a CSV file one after the other: rows, which a function takes, and lines that are none. */
#include <string.h>

#include "context_internal.h"
#include "csv_internal.h"

/* Moves behind the record, counting its lines (quoted texts may hold line ends). */
static void advance(fathom_text *text, size_t next)
{
    const char *from = text->data + text->start, *to = text->data + next;
    const char *line = memchr(from, '\n', (size_t)(to - from));
    while (line) {
        text->line++;
        line = line + 1 < to ? memchr(line + 1, '\n', (size_t)(to - line - 1)) : NULL;
    }
    text->start = next;
}

static fathom_status read_record(csv_reader *csv, csv_take *take, void *reader)
{
    size_t next;
    bool more = false;
    if (csv_line_is_idle(csv, csv->text.start, &next, &more)) {
        csv->blank_lines++;
        advance(&csv->text, next);
        return FATHOM_OK;
    }
    if (more)
        return fathom_text_more(&csv->text);
    if (csv_line_is_head(csv, csv->text.start, &next)) {
        csv->head_lines++;
        advance(&csv->text, next);
        return FATHOM_OK;
    }
    csv->idle_lines += csv->blank_lines;
    csv->blank_lines = 0;
    FATHOM_TRY(take(reader, &next, &more));
    if (more)
        return fathom_text_more(&csv->text);
    advance(&csv->text, next);
    return FATHOM_OK;
}

/* Lines that were left out before rows are no accident that may pass unsaid. */
static void say_idle_lines(const csv_reader *csv)
{
    if (csv->idle_lines == 0)
        return;
    csv->table->origin.other_dialect = true;
    fathom_log(csv->context, FATHOM_LOG_INFO, "%lld blank or comment line%s left out",
               (long long)csv->idle_lines, csv->idle_lines == 1 ? " is" : "s are");
}

void csv_say_head_lines(const csv_reader *csv)
{
    if (csv->head_lines == 0)
        return;
    csv->table->origin.other_dialect = true;
    fathom_log(csv->context, FATHOM_LOG_INFO, "%lld line%s left out that repeat%s the names of the columns",
               (long long)csv->head_lines, csv->head_lines == 1 ? " is" : "s are",
               csv->head_lines == 1 ? "s" : "");
}

bool csv_is_trailing(csv_reader *csv, const csv_field *field)
{
    const bool trailing = field->size == 0 && field->row_end && csv->separator != ' ';
    csv->trailing += trailing;
    return trailing;
}

/* Likewise what was behind the last column, though it was nothing. */
static void say_trailing(const csv_reader *csv)
{
    if (csv->trailing == 0)
        return;
    csv->table->origin.other_dialect = true;
    fathom_log(csv->context, FATHOM_LOG_INFO, "%lld line%s: the separator at the end is left out",
               (long long)csv->trailing, csv->trailing == 1 ? "" : "s");
}

fathom_status csv_records_read(csv_reader *csv, csv_take *take, void *reader)
{
    fathom_status status = FATHOM_OK;
    while (status == FATHOM_OK) {
        if (csv->text.start < csv->text.end)
            status = read_record(csv, take, reader);
        else if (csv->text.last)
            break;
        else
            status = fathom_text_more(&csv->text);
        if (status == FATHOM_OK && fathom_context_interrupted(csv->context))
            status = fathom_error_set(csv->context, FATHOM_ERROR_STOPPED, "interrupted while reading");
    }
    say_idle_lines(csv);
    csv_say_head_lines(csv);
    say_trailing(csv);
    return status;
}
