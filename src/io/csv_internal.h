/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the CSV reader share: fields, the head of a file, its rows, the finished table. */
#ifndef FATHOM_CSV_INTERNAL_H
#define FATHOM_CSV_INTERNAL_H

#include "dictionary.h"
#include "number.h"
#include "table.h"
#include "text.h"

/* What a column is for, decided by the request and by the first row of data. */
typedef enum csv_kind {
    CSV_FEATURE,
    CSV_TARGET,
    CSV_WEIGHT,
    CSV_LABEL,    /* text target */
    CSV_CATEGORY, /* text feature, to be one-hot coded */
    CSV_SKIP,     /* left out */
    CSV_END       /* the place after the last column */
} csv_kind;

typedef struct csv_reader {
    fathom_context *context;
    const fathom_table_request *request;
    fathom_text text;
    char separator; /* ' ' stands for runs of spaces and tabs */
    char decimal;   /* '.' or ',' */
    char quote;     /* around texts */
    bool comments;  /* lines that begin with # or % are */
    bool passed;    /* lines before the first record were left out: titles, sep=; */
    int64_t columns;
    unsigned char *kind; /* columns + 1 csv_kinds */
    bool header;
    fathom_dictionary names; /* of the header's columns, in order */
    char *head;              /* the line of names without its end, where some name is no number */
    size_t head_size;
    fathom_dictionary labels;
    fathom_dictionary *categories; /* columns, or NULL where there are none */
    char *scratch;                 /* a quoted field without its quotes */
    int64_t scratch_capacity;
    int64_t capacity;     /* rows that the table has room for */
    int64_t idle_lines;   /* comments, and blank lines before rows, that were left out */
    int64_t blank_lines;  /* since the last row */
    int64_t head_lines;   /* rows that repeat the names */
    int64_t trailing;     /* rows with a separator behind their last field */
    int64_t long_numbers; /* numbers of more than 15 characters so far */
    fathom_table *table;  /* d counts the columns before one-hot coding while rows are read */
} csv_reader;

/* A field without quotes and white space around it. */
typedef struct csv_field {
    const char *text;
    size_t size;
    size_t offset; /* in the window */
    size_t next;   /* offset after the byte that ended the field */
    bool row_end;
} csv_field;

/* Reads the field at `offset` of the window. *more: the window ends before the field does. */
fathom_status csv_field_read(csv_reader *csv, size_t offset, csv_field *field, bool *more);

/* Whether a field behind the last column is nothing but a separator at the end of the line; then it is counted. */
bool csv_is_trailing(csv_reader *csv, const csv_field *field);

/* Decides what the request leaves open about the dialect by the first lines; `preset`: the separator that
 * the format has, or 0. */
fathom_status csv_dialect_choose(csv_reader *csv, char preset);

/* A whole field as a number: decimal commas, percent signs. */
fathom_number_outcome csv_number_parse(double *value, const csv_reader *csv, const char *text, size_t size);

/* Whether the digits before the decimal mark stand in groups of three: 1,234 or, with a decimal comma,
 * 1.234; 1'234. Spaces must be respelled. */
bool csv_has_thousands(const char *text, size_t size, char decimal);

/* Copies a number with U+2212 as -, spaces of all kinds between its digits as ' and none before a percent sign at its
 * end; returns its length, 0 where it is too long. csv_is_spelled: whether that can change anything. */
enum { CSV_SPELLED = 64 };
size_t csv_respell(char plain[CSV_SPELLED], const char *text, size_t size);
bool csv_is_spelled(const char *text, size_t size);

/* A time of day, 8:30, 17:05:59 or 5:05 pm, in hours. */
bool csv_clock_parse(double *hours, const char *text);

/* true and false in three spellings, as 1 and 0. */
bool csv_truth_parse(double *value, const char *text, size_t size);

/* Whether the line at `offset` is blank or a comment; *next is behind it. *more: it cannot be said yet. */
bool csv_line_is_idle(const csv_reader *csv, size_t offset, size_t *next, bool *more);

/* Whether the line at `offset` repeats the line of names: files one behind the other; *next is behind it. */
bool csv_line_is_head(const csv_reader *csv, size_t offset, size_t *next);

/* Takes the row at the window's start; *next is behind it. *more: the window ended first, nothing was taken. */
typedef fathom_status csv_take(void *reader, size_t *next, bool *more);

/* All rows to the end of the file, in order; blank lines, comments and names that come again are left out,
 * with a word. */
fathom_status csv_records_read(csv_reader *csv, csv_take *take, void *reader);

/* Says how many rows that repeat the names were left out. */
void csv_say_head_lines(const csv_reader *csv);

/* Reads the header, if there is one, and decides about the columns; the window then stands on the first
 * row. */
fathom_status csv_head_read(csv_reader *csv);

/* Kinds of the features by the names that the request knows; ERROR_INPUT where one of those is not in the
 * file. */
fathom_status csv_columns_match(csv_reader *csv, int64_t target, int64_t weights);

/* Name of a column for messages: 'age', or its number from 0. */
const char *csv_column_text(char text[96], const csv_reader *csv, int64_t column);

/* Renumbers labels, one-hot codes categories and names the columns. */
fathom_status csv_finish(csv_reader *csv);

#endif
