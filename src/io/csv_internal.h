/* SPDX-License-Identifier: Apache-2.0 */
/* What the three parts of the CSV reader share: fields, the head of a file, its rows, the finished table. */
#ifndef FATHOM_CSV_INTERNAL_H
#define FATHOM_CSV_INTERNAL_H

#include "dictionary.h"
#include "table.h"
#include "text.h"

/* What a column is for, decided by the request and by the first row of data. */
typedef enum csv_kind {
    CSV_FEATURE,
    CSV_TARGET,
    CSV_WEIGHT,
    CSV_LABEL,    /* text target */
    CSV_CATEGORY, /* text feature, to be one-hot coded */
    CSV_END       /* the place after the last column */
} csv_kind;

typedef struct csv_reader {
    fathom_context *context;
    const fathom_table_request *request;
    fathom_text text;
    char separator;
    int64_t columns;
    unsigned char *kind; /* columns + 1 csv_kinds */
    bool header;
    fathom_dictionary names; /* of the header's columns, in order */
    fathom_dictionary labels;
    fathom_dictionary *categories; /* columns, or NULL where there are none */
    char *scratch;                 /* a quoted field without its quotes */
    int64_t scratch_capacity;
    int64_t capacity;     /* rows that the table has room for */
    int64_t blank_line;   /* a blank line before the current row, or 0 */
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

/* Reads the header, if there is one, and decides about the columns; the window then stands on the first row. */
fathom_status csv_head_read(csv_reader *csv);

/* Name of a column for messages: 'age', or its number from 0. */
const char *csv_column_text(char text[96], const csv_reader *csv, int64_t column);

/* Renumbers labels, one-hot codes categories and names the columns. */
fathom_status csv_finish(csv_reader *csv);

#endif
