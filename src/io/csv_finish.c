/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a CSV file: texts were numbered as they appeared; now that all are known they get their place in byte
 * order. y[i] becomes the rank of label i, and a category column with c distinct texts becomes c columns,
 * x[i][j + rank] = 1, named column=text.
 */
#include "csv_internal.h"

#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"

/* Gives rank and order of a dictionary's texts as one block: rank first. */
static int64_t *rank_texts(csv_reader *csv, const fathom_dictionary *texts)
{
    int64_t *rank = fathom_memory_alloc(csv->context, 2 * texts->count, sizeof *rank);
    if (rank)
        fathom_dictionary_rank(rank, rank + texts->count, texts);
    return rank;
}

/* label[rank] = text, y[i] = rank of its text: two files with the same labels agree whatever the order of rows. */
static fathom_status finish_labels(csv_reader *csv)
{
    fathom_table *table = csv->table;
    const int64_t count = csv->labels.count;
    if (count == 0)
        return FATHOM_OK;
    int64_t *rank = rank_texts(csv, &csv->labels);
    table->label = fathom_memory_zero(csv->context, count, sizeof *table->label);
    if (!rank || !table->label) {
        fathom_memory_free(csv->context, rank);
        return FATHOM_ERROR_MEMORY;
    }
    table->labels = count;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        table->label[k] =
            fathom_memory_text(csv->context, fathom_dictionary_text(&csv->labels, rank[count + k]));
        if (!table->label[k])
            status = FATHOM_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < table->n; i++)
        table->y[i] = (double)rank[(int64_t)table->y[i]];
    fathom_memory_free(csv->context, rank);
    return status;
}

/* Columns that a feature column becomes. */
static int64_t width(const csv_reader *csv, int64_t column)
{
    if (csv->kind[column] == CSV_CATEGORY)
        return csv->categories[column].count;
    return csv->kind[column] == CSV_FEATURE;
}

/* Spreads feature column `from` of the old matrix (n x old_d) over the new one from column `to` on. */
static fathom_status spread(csv_reader *csv, double *x, int64_t d, int64_t to, int64_t from, int64_t column)
{
    const fathom_table *table = csv->table;
    if (csv->kind[column] == CSV_FEATURE) {
        for (int64_t i = 0; i < table->n; i++)
            x[i * d + to] = table->x[i * table->d + from];
        return FATHOM_OK;
    }
    int64_t *rank = rank_texts(csv, &csv->categories[column]);
    if (!rank)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < table->n; i++)
        x[i * d + to + rank[(int64_t)table->x[i * table->d + from]]] = 1;
    fathom_memory_free(csv->context, rank);
    return FATHOM_OK;
}

/* Replaces x (n x columns, texts as numbers) by the one-hot coded matrix; both exist for a moment. */
static fathom_status finish_categories(csv_reader *csv)
{
    fathom_table *table = csv->table;
    int64_t d = 0, cells;
    for (int64_t k = 0; k < csv->columns; k++)
        d += width(csv, k);
    /* unreachable: 2^63 cells take a file beyond every disk */
    if (__builtin_mul_overflow(table->n, d, &cells))
        cells = INT64_MAX;
    FATHOM_TRY(
        fathom_context_require(csv->context, 8.0 * (double)table->n * (double)d, "the one-hot coded matrix"));
    fathom_status status = FATHOM_OK;
    double *x = fathom_memory_zero(csv->context, cells, sizeof *x);
    if (!x)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0, to = 0, from = 0; k < csv->columns && status == FATHOM_OK; k++)
        if (csv->kind[k] == CSV_FEATURE || csv->kind[k] == CSV_CATEGORY) {
            status = spread(csv, x, d, to, from++, k);
            to += width(csv, k);
        }
    fathom_memory_free(csv->context, table->x);
    table->x = x;
    table->d = d;
    return status;
}

/* Gives "column" or "column=text". */
static char *join(csv_reader *csv, int64_t column, const char *text)
{
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)column);
    const char *name = csv->header ? fathom_dictionary_text(&csv->names, column) : number;
    const size_t size = strlen(name) + (text ? strlen(text) + 1 : 0) + 1;
    char *joined = fathom_memory_alloc(csv->context, (int64_t)size, 1);
    if (joined)
        snprintf(joined, size, "%s%s%s", name, text ? "=" : "", text ? text : "");
    return joined;
}

/* Names of the columns that one column of the file became, from name[to] on. */
static fathom_status name_column(csv_reader *csv, char **name, int64_t column)
{
    const int64_t count = width(csv, column);
    if (csv->kind[column] == CSV_FEATURE) {
        *name = join(csv, column, NULL);
        return *name ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    int64_t *rank = rank_texts(csv, &csv->categories[column]);
    if (!rank)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        name[k] = join(csv, column, fathom_dictionary_text(&csv->categories[column], rank[count + k]));
        if (!name[k])
            status = FATHOM_ERROR_MEMORY;
    }
    fathom_memory_free(csv->context, rank);
    return status;
}

/* Names of the features in order, and of the target. */
static fathom_status finish_names(csv_reader *csv)
{
    fathom_table *table = csv->table;
    fathom_status status = FATHOM_OK;
    table->name = fathom_memory_zero(csv->context, table->d, sizeof *table->name);
    if (!table->name)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0, to = 0; k < csv->columns && status == FATHOM_OK; k++) {
        if (csv->kind[k] == CSV_FEATURE || csv->kind[k] == CSV_CATEGORY) {
            status = name_column(csv, table->name + to, k);
            to += width(csv, k);
        } else if ((csv->kind[k] == CSV_TARGET || csv->kind[k] == CSV_LABEL) && csv->header) {
            table->target_name = join(csv, k, NULL);
            if (!table->target_name)
                status = FATHOM_ERROR_MEMORY;
        }
    }
    return status;
}

fathom_status csv_finish(csv_reader *csv)
{
    FATHOM_TRY(finish_labels(csv));
    if (csv->categories)
        FATHOM_TRY(finish_categories(csv));
    if ((csv->header || csv->categories))
        FATHOM_TRY(finish_names(csv));
    return FATHOM_OK;
}
