/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cells of a text table as they are written, for readers who have to see a whole column before they
 * know what it is.
 *
 * Quotes, white space around fields and the dialect are gone; a cell is a text ended by a zero byte.
 */
#ifndef FATHOM_SHEET_H
#define FATHOM_SHEET_H

#include "dictionary.h"
#include "table.h"

struct fathom_sheet {
    int64_t rows, columns;
    /* of the columns in order: the header's, "column K" for an empty one, or K (from 0) */
    fathom_dictionary names;
    bool header;    /* they stood in the file */
    char *text;     /* all cells, one after the other */
    int64_t *start; /* rows x columns: where each begins */
    int64_t *line;  /* rows: of the file, from 1 */
    char decimal;   /* '.' or ',' */
};

/* Reads a text table; `table` takes its origin. The request says separator, decimal, header and `likely`. */
fathom_status fathom_sheet_read(fathom_table *table, fathom_bytes *bytes, char separator,
                                const fathom_table_request *request);
void fathom_sheet_free(fathom_context *context, fathom_sheet *sheet);

static inline const char *fathom_sheet_at(const fathom_sheet *sheet, int64_t row, int64_t column)
{
    return sheet->text + sheet->start[row * sheet->columns + column];
}

static inline const char *fathom_sheet_name(const fathom_sheet *sheet, int64_t column)
{
    return fathom_dictionary_text(&sheet->names, column);
}

/* A whole cell as a finite number: decimal commas, percent signs, separators of thousands, true and false. */
bool fathom_sheet_number(double *value, const char *text, char decimal);

/* A number with a unit, such as 12 kg or $1,200: its value, and the unit as it is written. */
enum { FATHOM_UNIT_SIZE = 24 };
bool fathom_sheet_unit(char unit[FATHOM_UNIT_SIZE], double *value, const char *text, char decimal);

/* A number, with or without the unit; NULL: none is known. */
bool fathom_sheet_quantity(double *value, const char *text, char decimal, const char *unit);

/* The column that `text` names, by its name or by its number from 0; -1 where there is none. */
int64_t fathom_sheet_find(const fathom_sheet *sheet, const char *text);

#endif
