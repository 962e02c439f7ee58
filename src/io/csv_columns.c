/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of a file with a header matched with those that a model knows, by name.
 *
 * A text column that the model has one-hot coded stands among its names once for every text, "column=text". Columns that it does
 * not know are left out, whatever they hold, with a word; one that is missing is an error, which names it and what was left over.
 */
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "csv_internal.h"

enum { LISTED = 5, LIST = 256 }; /* LISTED names of up to 40 bytes fit */

/* The part of a known name that is a column of the file: all of it, or what stands before "=text". */
static size_t column_size(const fathom_table_known *known, int64_t k, bool *text)
{
    const char *equals = known->one_hot ? strchr(known->name[k], '=') : NULL;
    *text = equals != NULL;
    return equals ? (size_t)(equals - known->name[k]) : strlen(known->name[k]);
}

/* All known names are columns of the file: their kinds, with everything else left out. *missing: the first that is none, else -1. */
static void place_known(csv_reader *csv, int64_t *missing)
{
    const fathom_table_known *known = csv->request->known;
    *missing = -1;
    memset(csv->kind, CSV_SKIP, (size_t)csv->columns);
    for (int64_t k = 0; k < known->count; k++) {
        bool text;
        const size_t size = column_size(known, k, &text);
        const int64_t column = fathom_dictionary_find(&csv->names, known->name[k], size);
        if (column >= 0)
            csv->kind[column] = text ? CSV_CATEGORY : CSV_FEATURE;
        else if (*missing < 0)
            *missing = k;
    }
}

/* "'a', 'b', ..." of the columns that are left out, but for target and weights; how many there are. */
static int64_t list_left_out(char list[LIST], const csv_reader *csv, int64_t target, int64_t weights)
{
    int64_t count = 0;
    size_t used = 0;
    list[0] = 0;
    for (int64_t k = 0; k < csv->columns; k++) {
        if (csv->kind[k] != CSV_SKIP || k == target || k == weights)
            continue;
        if (count < LISTED)
            used += (size_t)snprintf(list + used, LIST - used, "%s'%.40s'", count > 0 ? ", " : "",
                                     fathom_dictionary_text(&csv->names, k));
        if (count == LISTED)
            used += (size_t)snprintf(list + used, LIST - used, ", ...");
        count++;
    }
    return count;
}

fathom_status csv_columns_match(csv_reader *csv, int64_t target, int64_t weights)
{
    char list[LIST];
    int64_t missing;
    bool text;
    place_known(csv, &missing);
    const int64_t left = list_left_out(list, csv, target, weights);
    if (missing < 0) {
        if (left > 0)
            fathom_log(csv->context, FATHOM_LOG_INFO, "columns that the model does not know are left out: %s",
                       list);
        return FATHOM_OK;
    }
    const char *name = csv->request->known->name[missing];
    const int size = (int)column_size(csv->request->known, missing, &text);
    return fathom_error_set_at(csv->context, FATHOM_ERROR_INPUT, fathom_bytes_name(csv->text.bytes), 1, 1,
                               "the model's column '%.*s' is missing%s%s", size < 100 ? size : 100, name,
                               left > 0 ? "; columns that it does not know: " : "", list);
}
