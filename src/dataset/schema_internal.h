/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas made, copied, written and applied. */
#ifndef FATHOM_SCHEMA_INTERNAL_H
#define FATHOM_SCHEMA_INTERNAL_H

#include "data_internal.h"
#include "decimal.h"
#include "fathom/json.h"
#include "fathom/schema.h"
#include "sheet.h"

/* Gives a schema of so many columns, all zero but for the names (copied), to be freed also where this
 * fails. */
fathom_status fathom_schema_create(fathom_schema **schema, fathom_context *context, int64_t columns);
fathom_status fathom_schema_copy(fathom_schema **copy, fathom_context *context, const fathom_schema *schema);
void fathom_schema_free(fathom_context *context, fathom_schema *schema);

/* The members of a column that is being made: the same memory, without const. */
static inline fathom_column *fathom_schema_column(const fathom_schema *schema, int64_t k)
{
    return (fathom_column *)&schema->column[k];
}

/* Copies of texts for a member; freed with the schema also where this fails. */
fathom_status fathom_schema_set_text(const char **member, fathom_context *context, const char *text);
fathom_status fathom_schema_set_texts(const char *const **member, int64_t *count, fathom_context *context,
                                      const char *const *text, int64_t texts);

/* Numbers that all columns become. */
int64_t fathom_schema_width(const fathom_schema *schema);

/* Gives the names of those numbers. */
fathom_status fathom_schema_names(char ***name, fathom_context *context, const fathom_schema *schema);

/* A model's member "schema" in JSON and back; ERROR_INPUT where it does not hold together or not for
 * `width` numbers. */
fathom_status fathom_schema_write(fathom_json *object, const fathom_schema *schema);
fathom_status fathom_schema_read(fathom_schema **schema, fathom_context *context, fathom_json *object,
                                 int64_t width);

/* Texts for missing cells: the usual ones and those of --missing-text A,B, or only those of "=A,B". */
fathom_status fathom_schema_set_missing(fathom_schema *schema, fathom_context *context, const char *more);

/* Cells of a column as the schema sees them. */
typedef struct fathom_cell_view {
    const fathom_sheet *sheet;
    const int64_t *row; /* n rows of the sheet */
    int64_t n;
    fathom_dictionary missing; /* texts */
} fathom_cell_view;
fathom_status fathom_cell_view_open(fathom_cell_view *view, fathom_context *context,
                                    const fathom_schema *schema, const fathom_sheet *sheet);

/* Cell i of a column of the sheet; NULL where it is missing. */
const char *fathom_cell_view_at(const fathom_cell_view *view, int64_t i, int64_t column);

/* How one column is to be treated, whatever it looks like. */
typedef struct fathom_column_wish {
    bool category, keep, exclude;
} fathom_column_wish;

/* A cell as the text of a category: the shortest decimal of a number where the texts are numbers. */
const char *fathom_category_text(char number[FATHOM_DECIMAL_SIZE], const fathom_column *column,
                                 const char *text, char decimal);

/* Decides about column k of the schema by the cells of a column of the sheet (schema_kinds.c). */
fathom_status fathom_schema_judge(fathom_schema *schema, fathom_context *context, int64_t k,
                                  const fathom_cell_view *view, int64_t column, fathom_column_wish wish);

/* A line in the log about each column that is not a plain number, up to a limit. */
void fathom_schema_say(const fathom_schema *schema, fathom_context *context);

/* As fathom_schema_judge by numbers, NaN where missing. */
fathom_status fathom_schema_judge_numbers(fathom_schema *schema, fathom_context *context, int64_t k,
                                          const double *value, int64_t n, int64_t stride);

/* Writes what column k becomes to x[i * d + 0..width), i < n (schema_design.c); words where the model has
 * not seen such cells. */
fathom_status fathom_schema_fill(double *x, int64_t d, fathom_context *context, const fathom_schema *schema,
                                 int64_t k, const fathom_cell_view *view, int64_t column, bool known);
void fathom_schema_fill_numbers(double *x, int64_t d, const fathom_column *column, const double *value,
                                int64_t n, int64_t stride);

/* y and weights of the columns that origin names, NaN where a target is missing (schema_target.c). */
fathom_status fathom_data_take_target(fathom_data *data, const fathom_cell_view *view,
                                      const fathom_data_options *options, const data_likeness *like);
fathom_status fathom_data_take_weights(fathom_data *data, const fathom_cell_view *view);

/* The data behind a sheet: roles of its columns found, y and weights taken, X = row numbers until the
 * design replaces it. */
fathom_status fathom_data_take_sheet(fathom_data *data, fathom_table *table,
                                     const fathom_data_options *options, const data_likeness *like);
fathom_status fathom_data_design(fathom_data *data, const fathom_data_options *options,
                                 const data_likeness *like);

/* Whether cells may be missing until the design is made. */
bool fathom_data_may_miss(const fathom_data *data, const fathom_data_options *options,
                          const data_likeness *like);

/* Whether the options ask for tables as they are. */
bool fathom_data_is_as_is(const fathom_data_options *options);

#endif
