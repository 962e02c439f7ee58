/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Target and weights of text tables as they are.
 *
 * "-" and "None" are usual words for a missing cell, and usual names of classes. In a target of texts they are classes
 * where one row in twenty or more has them, "-" also beside "+"; for other data where the model knows such a
 * class; never where --missing-text names them.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "schema_internal.h"

enum { WORDS = 2, SHARE = 20 };
static const char *const word[WORDS] = {"-", "None"};

/* The words that are classes. */
typedef struct class_words {
    bool is[WORDS];
} class_words;

static int word_of(const char *text)
{
    for (int k = 0; k < WORDS; k++)
        if (strcmp(text, word[k]) == 0)
            return k;
    return -1;
}

/* Whether a list "A,B" or "=A,B" has the text. */
static bool is_listed(const char *list, const char *text)
{
    const size_t length = strlen(text);
    list += *list == '=';
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == length && strncmp(list, text, length) == 0)
            return true;
    return false;
}

static bool is_known(const fathom_classes *classes, const char *text)
{
    for (int64_t k = 0; classes && k < classes->count; k++)
        if (strcmp(classes->name[k], text) == 0)
            return true;
    return false;
}

/* Looks for classes of these names in the target; says so where they are found. */
static class_words find_class_words(const fathom_data *data, const fathom_cell_view *view, int64_t target,
                                    const fathom_data_options *options, const data_likeness *like)
{
    class_words found = {{false}};
    int64_t count[WORDS] = {0};
    bool plus = false;
    for (int64_t i = 0; i < data->n && !like; i++) {
        const char *text = fathom_sheet_at(view->sheet, i, target);
        const int k = word_of(text);
        plus = plus || strcmp(text, "+") == 0;
        if (k >= 0)
            count[k]++;
    }
    for (int k = 0; k < WORDS; k++) {
        if (like) {
            found.is[k] = is_known(like->classes, word[k]);
            continue;
        }
        found.is[k] = count[k] > 0 && (SHARE * count[k] >= data->n || (plus && k == 0)) &&
                      !(options->missing_text && is_listed(options->missing_text, word[k]));
        if (found.is[k])
            fathom_log(data->context, FATHOM_LOG_INFO,
                       "the target is '%s' in %lld rows: read as a class (--missing-text %s: as missing)",
                       word[k], (long long)count[k], word[k]);
    }
    return found;
}

/* The label of a row; NULL where it is missing. */
static const char *label_at(const fathom_cell_view *view, int64_t i, int64_t target, class_words words)
{
    const char *text = fathom_sheet_at(view->sheet, i, target);
    const int k = word_of(text);
    return k >= 0 && words.is[k] ? text : fathom_cell_view_at(view, i, target);
}

/* Labels numbered by bytes; y is NaN where there is none. */
static fathom_status take_labels(fathom_data *data, const fathom_cell_view *view, int64_t target,
                                 class_words words)
{
    fathom_context *context = data->context;
    fathom_dictionary labels = {0};
    int64_t number, *rank = NULL;
    fathom_status status = FATHOM_OK;
    for (int64_t i = 0; i < data->n && status == FATHOM_OK; i++) {
        const char *text = label_at(view, i, target, words);
        data->y[i] = NAN;
        if (text)
            status = fathom_dictionary_add(&labels, context, &number, text, strlen(text));
        if (text && status == FATHOM_OK)
            data->y[i] = (double)number;
    }
    if (status == FATHOM_OK) {
        rank = fathom_memory_alloc(context, 2 * labels.count, sizeof *rank);
        data->class_name = fathom_memory_zero(context, labels.count, sizeof *data->class_name);
        status = rank && data->class_name ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK) {
        fathom_dictionary_rank(rank, rank + labels.count, &labels);
        data->classes = labels.count;
        data->text = true;
    }
    for (int64_t k = 0; status == FATHOM_OK && k < labels.count; k++) {
        data->class_name[k] =
            fathom_memory_text(context, fathom_dictionary_text(&labels, rank[labels.count + k]));
        status = data->class_name[k] ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    for (int64_t i = 0; status == FATHOM_OK && i < data->n; i++)
        if (!isnan(data->y[i]))
            data->y[i] = (double)rank[(int64_t)data->y[i]];
    fathom_memory_free(context, rank);
    fathom_dictionary_free(context, &labels);
    return status;
}

/* The targets as numbers, with or without the unit; true and false are none. */
static bool read_numbers(double *y, const fathom_cell_view *view, int64_t n, int64_t target, const char *unit)
{
    for (int64_t i = 0; i < n; i++) {
        const char *text = fathom_cell_view_at(view, i, target);
        y[i] = NAN;
        if (text &&
            ((isalpha((unsigned char)*text) && fathom_sheet_number(&y[i], text, view->sheet->decimal)) ||
             !fathom_sheet_quantity(&y[i], text, view->sheet->decimal, unit)))
            return false;
    }
    return true;
}

/* The unit of the first target that is there. */
static bool find_unit(char unit[FATHOM_UNIT_SIZE], const fathom_cell_view *view, int64_t n, int64_t target)
{
    const char *text = NULL;
    double value;
    for (int64_t i = 0; i < n && !text; i++)
        text = fathom_cell_view_at(view, i, target);
    return text && fathom_sheet_unit(unit, &value, text, view->sheet->decimal);
}

/* Numbers where all cells that are there are numbers, also with one unit, else labels; true and false
 * are labels. */
fathom_status fathom_data_take_target(fathom_data *data, const fathom_cell_view *view,
                                      const fathom_data_options *options, const data_likeness *like)
{
    const int64_t target = data->origin.target;
    char unit[FATHOM_UNIT_SIZE];
    data->y = fathom_memory_alloc(data->context, data->n, sizeof *data->y);
    if (!data->y)
        return FATHOM_ERROR_MEMORY;
    data->outputs = 1;
    const bool plain = read_numbers(data->y, view, data->n, target, NULL);
    const bool numbers = plain || (find_unit(unit, view, data->n, target) &&
                                   read_numbers(data->y, view, data->n, target, unit));
    if (numbers && !plain)
        fathom_log(data->context, FATHOM_LOG_INFO, "the target is a number in %s", unit);
    if (data->sheet->header) {
        data->target_name = fathom_memory_text(data->context, fathom_sheet_name(data->sheet, target));
        if (!data->target_name)
            return FATHOM_ERROR_MEMORY;
    }
    return numbers ? FATHOM_OK
                   : take_labels(data, view, target, find_class_words(data, view, target, options, like));
}

fathom_status fathom_data_take_weights(fathom_data *data, const fathom_cell_view *view)
{
    const int64_t column = data->origin.weight;
    data->weight = fathom_memory_alloc(data->context, data->n, sizeof *data->weight);
    if (!data->weight)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < data->n; i++) {
        const char *text = fathom_cell_view_at(view, i, column);
        if (!text || !fathom_sheet_number(&data->weight[i], text, view->sheet->decimal) ||
            !(data->weight[i] >= 0))
            return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, data->sheet->line[i],
                                       0, "expected a weight of 0 or more in column '%.80s', found '%.40s'",
                                       fathom_sheet_name(data->sheet, column),
                                       fathom_sheet_at(data->sheet, i, column));
    }
    return FATHOM_OK;
}
