/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema of a table: what its columns are and what was made of them, so that other tables can be
 * treated in the same way.
 *
 * With --missing impute a text table is read as it is: kinds of columns by their content, texts as one-hot
 * columns, dates as their parts, missing cells as the median with an indicator beside it or as a category
 * of their own; identifiers and constants are dropped. Models keep the schema. docs/reference/data.md states the
 * rules.
 */
#ifndef FATHOM_SCHEMA_H
#define FATHOM_SCHEMA_H

#include "fathom/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fathom_column_kind {
    FATHOM_COLUMN_NUMBER,
    FATHOM_COLUMN_CATEGORY,
    FATHOM_COLUMN_DATE,
    FATHOM_COLUMN_IDENTIFIER,
    FATHOM_COLUMN_CONSTANT
} fathom_column_kind;

/* Order of day and month in dates such as 3/4/2020; years of four digits in front and points (3.4.2020)
 * leave no choice. */
typedef enum fathom_date_order { FATHOM_DATE_MONTH_FIRST, FATHOM_DATE_DAY_FIRST } fathom_date_order;

/* Parts of a date, added up: a number each, in this order. */
typedef enum fathom_date_part {
    FATHOM_DATE_YEAR = 1,    /* with the share of the year that has passed: 2020.5 */
    FATHOM_DATE_MONTH = 2,   /* 1 to 12 */
    FATHOM_DATE_WEEKDAY = 4, /* 1 (Monday) to 7 */
    FATHOM_DATE_HOUR = 8     /* with its share: 13.5 */
} fathom_date_part;

/* One column of the table. It becomes `width` numbers: none where it is dropped. */
typedef struct fathom_column {
    const char *name;
    fathom_column_kind kind; /* by content, whatever became of it */
    fathom_column_kind as;   /* how it is used: number, category or date */
    const char *use;         /* what was made of it, in words */
    int64_t missing;         /* cells of the training table */
    int64_t width;
    bool indicator;     /* the last of the numbers is 1 where the cell is missing, else 0 */
    double median;      /* numbers, dates (seconds since 1970): stands for missing cells */
    int64_t categories; /* category: those that have a number of their own, 1 where the cell is that text */
    const char *const *category; /* in the order of their bytes */
    bool spelled;                /* category: its texts are numbers; 1.0 and 1 are the same */
    int64_t parts;               /* date: fathom_date_part added up */
    fathom_date_order order;     /* date */
    const char *unit;            /* number: what may stand beside it (kg, $); NULL: nothing */
} fathom_column;

typedef struct fathom_schema {
    int64_t columns; /* of the table without target and weights */
    const fathom_column *column;
    bool named;     /* the table had a header: columns of others are found by name, else by their place */
    int64_t target; /* place of the target among all columns of the table, from 0; -1: none */
    int64_t missing_texts;
    const char *const *missing_text; /* what stands for a missing cell, beside nothing at all */
} fathom_schema;

#ifdef __cplusplus
}
#endif
#endif
