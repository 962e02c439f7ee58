/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of a single target: listed, picked, matched to those of a model, and coded for a loss.
 *
 * A target is class-like when its labels are texts; or it takes at most two values; or its values are whole numbers
 * and at most max(20, min(1000, n / 10)) of them differ. Coding: two classes become -1 and +1 (the later in the list
 * is +1), more become one-hot columns in the order of the list. Listing costs one sort, O(n log n).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "data_internal.h"
#include "decimal.h"
#include "inner/data.h"
#include "memory.h"
#include "number.h"

/* Order for qsort and bsearch; values are finite, and -0 equals 0. */
static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* values[0..count) = the distinct numbers of y in ascending order; -0 counts as 0. */
static int64_t sort_distinct(double *values, const double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        values[i] = y[i] + 0.0;
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (count == 0 || values[i] != values[count - 1])
            values[count++] = values[i];
    return count;
}

/* The rule at the top of the file, for distinct values in ascending order. It decides between accuracy and r^2 where a
 * loss does not, so that a count of years is a regression target and a digit is a class. */
static bool class_like(const double *values, int64_t count, int64_t n)
{
    if (count <= 2)
        return true;
    const int64_t tenth = n / 10 < 1000 ? n / 10 : 1000;
    if (count > (tenth > 20 ? tenth : 20))
        return false;
    for (int64_t k = 0; k < count; k++)
        if (values[k] != nearbyint(values[k]))
            return false;
    return true;
}

/* The whole of `text` as a number. */
static bool parse_number(double *value, const char *text)
{
    size_t end;
    const size_t length = strlen(text);
    return fathom_number_parse(value, &end, text, length) == FATHOM_NUMBER_OK && end == length;
}

/* Forgets the list; y stays. */
static void drop_classes(fathom_data *data)
{
    for (int64_t k = 0; k < data->classes; k++)
        fathom_memory_free(data->context, data->class_name[k]);
    FATHOM_FREE(data->context, data->class_name, data->class_value);
    data->class_name = NULL;
    data->class_value = NULL;
    data->classes = 0;
}

/* Replaces the list of classes; names are copied. */
static fathom_status set_classes(fathom_data *data, int64_t count, const char *const *name,
                                 const double *value)
{
    fathom_context *context = data->context;
    char **names = fathom_memory_zero(context, count, sizeof *names);
    double *values = fathom_memory_alloc(context, count, sizeof *values);
    bool complete = names && values;
    for (int64_t k = 0; complete && k < count; k++) {
        values[k] = value[k];
        names[k] = fathom_memory_text(context, name[k]);
        complete = names[k] != NULL;
    }
    if (complete) {
        drop_classes(data);
        data->classes = count;
        data->class_name = names;
        data->class_value = values;
        return FATHOM_OK;
    }
    for (int64_t k = 0; names && k < count; k++)
        fathom_memory_free(context, names[k]);
    FATHOM_FREE(context, names, values);
    return FATHOM_ERROR_MEMORY;
}

/* Text labels: keeps those that occur and renumbers y to 0..classes-1. */
static fathom_status renumber_labels(fathom_data *data, const double *values, int64_t count)
{
    fathom_context *context = data->context;
    const char **name = fathom_memory_alloc(context, count, sizeof *name);
    double *value = fathom_memory_alloc(context, count, sizeof *value);
    fathom_status status = FATHOM_ERROR_MEMORY;
    if (name && value) {
        for (int64_t k = 0; k < count; k++) {
            name[k] = data->class_name[(int64_t)values[k]];
            value[k] = (double)k;
        }
        for (int64_t i = 0; i < data->n; i++) {
            const double *at = bsearch(data->y + i, values, (size_t)count, sizeof *values, compare_doubles);
            data->y[i] = (double)(at - values);
        }
        status = set_classes(data, count, name, value);
    }
    FATHOM_FREE(context, name, value);
    return status;
}

/* Numbers: each is its own name. */
static fathom_status name_numbers(fathom_data *data, const double *values, int64_t count)
{
    fathom_context *context = data->context;
    char *texts = fathom_memory_alloc(context, count * FATHOM_DECIMAL_SIZE, 1);
    const char **name = fathom_memory_alloc(context, count, sizeof *name);
    fathom_status status = FATHOM_ERROR_MEMORY;
    if (texts && name) {
        for (int64_t k = 0; k < count; k++) {
            fathom_decimal_format(texts + k * FATHOM_DECIMAL_SIZE, values[k]);
            name[k] = texts + k * FATHOM_DECIMAL_SIZE;
        }
        status = set_classes(data, count, name, values);
    }
    FATHOM_FREE(context, texts, name);
    return status;
}

/* Lists what occurs, after rows were picked: a label that only dropped rows had is no class. */
fathom_status fathom_data_find_classes(fathom_data *data)
{
    if (data->outputs != 1)
        return FATHOM_OK;
    double *values = fathom_memory_alloc(data->context, data->n, sizeof *values);
    if (!values)
        return FATHOM_ERROR_MEMORY;
    const int64_t count = sort_distinct(values, data->y, data->n);
    fathom_status status = FATHOM_OK;
    if (data->text)
        status = renumber_labels(data, values, count);
    else if (class_like(values, count, data->n))
        status = name_numbers(data, values, count);
    fathom_memory_free(data->context, values);
    return status;
}

/* Number of the class called text[0..length), by name or by value; -1 where there is none. */
static int64_t find_class(const fathom_data *data, const char *text, size_t length)
{
    char copy[256];
    double number;
    for (int64_t k = 0; k < data->classes; k++)
        if (strlen(data->class_name[k]) == length && memcmp(data->class_name[k], text, length) == 0)
            return k;
    if (data->text || length >= sizeof copy)
        return -1;
    memcpy(copy, text, length);
    copy[length] = 0;
    if (parse_number(&number, copy))
        for (int64_t k = 0; k < data->classes; k++)
            if (data->class_value[k] == number)
                return k;
    return -1;
}

/* ERROR_INPUT with the names of the classes that do exist (the first few). */
static fathom_status refuse_classes(const fathom_data *data, const char *classes)
{
    char known[400] = "";
    size_t used = 0;
    for (int64_t k = 0; k < data->classes && used < sizeof known - 1; k++) {
        const int size =
            snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", data->class_name[k]);
        used += size > 0 ? (size_t)size : 0;
    }
    return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                               "--classes '%s': two of the data's classes were expected (%s)", classes,
                               data->classes ? known : "it has none");
}

/* Keeps the rows of classes `plus` and `minus` as +1 and -1. */
static fathom_status keep_pair(fathom_data *data, int64_t plus, int64_t minus)
{
    const double high = data->class_value[plus], low = data->class_value[minus];
    int64_t *row = fathom_memory_alloc(data->context, data->n, sizeof *row);
    if (!row)
        return FATHOM_ERROR_MEMORY;
    int64_t count = 0;
    for (int64_t i = 0; i < data->n; i++)
        if (data->y[i] == high || data->y[i] == low)
            row[count++] = i;
    fathom_status status = fathom_data_take_rows(data, row, count);
    fathom_memory_free(data->context, row);
    if (status != FATHOM_OK)
        return status;
    for (int64_t i = 0; i < count; i++)
        data->y[i] = data->y[i] == high ? 1 : -1;
    data->text = false;
    const char *const name[2] = {data->class_name[minus], data->class_name[plus]};
    return set_classes(data, 2, name, (const double[2]){-1, 1});
}

fathom_status fathom_data_pick_classes(fathom_data *data, const char *classes)
{
    if (data->outputs == 0)
        return fathom_error_set(data->context, FATHOM_ERROR_USAGE, "--classes needs data with a target");
    /* A name may hold a comma itself: the first comma that leaves two classes splits the text. */
    for (const char *comma = strchr(classes, ','); comma; comma = strchr(comma + 1, ',')) {
        const int64_t plus = find_class(data, classes, (size_t)(comma - classes));
        const int64_t minus = find_class(data, comma + 1, strlen(comma + 1));
        if (plus >= 0 && minus >= 0 && plus != minus)
            return keep_pair(data, plus, minus);
    }
    return refuse_classes(data, classes);
}

fathom_classes fathom_data_classes(const fathom_data *data)
{
    return (fathom_classes){data->classes, (const char *const *)data->class_name, data->class_value};
}

/* The value that stands for class k of `classes` in y, and whether every name spells its value. */
static double class_number(bool *spelled, const fathom_classes *classes, int64_t k)
{
    double number = 0;
    *spelled = true;
    for (int64_t j = 0; j < classes->count && *spelled; j++) {
        double each;
        *spelled = parse_number(&each, classes->name[j]) && (!classes->value || classes->value[j] == each);
        if (j == k)
            number = each;
    }
    if (classes->value)
        return classes->value[k];
    return *spelled ? number : (double)k;
}

/* The model's class with the name of own class k, or else one whose name spells its value (of the pair 0,1 picked as +1 and -1
 * the class 0 has the value of the name 1: names come first); -1: none. */
static int64_t match_class(const fathom_data *data, const fathom_classes *classes, int64_t k)
{
    for (int64_t j = 0; j < classes->count; j++)
        if (strcmp(classes->name[j], data->class_name[k]) == 0)
            return j;
    for (int64_t j = 0; j < classes->count && !data->text; j++) {
        double number;
        if (parse_number(&number, classes->name[j]) && number == data->class_value[k])
            return j;
    }
    return -1;
}

/* target[k] = the value of the model's class with the name (or number) of own class k. */
static fathom_status match_classes(double *target, const fathom_data *data, const fathom_classes *classes,
                                   const double *value, bool spelled)
{
    for (int64_t k = 0; k < data->classes; k++) {
        const int64_t match = match_class(data, classes, k);
        if (match < 0 && (!spelled || data->text))
            return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                       "label '%s' is none of the %lld classes of the model",
                                       data->class_name[k], (long long)classes->count);
        target[k] = match < 0 ? data->class_value[k] : value[match];
    }
    return FATHOM_OK;
}

/* y moves from own class values to target[], and the list becomes the model's. */
static fathom_status move_classes(fathom_data *data, const double *target, const fathom_classes *classes,
                                  const double *value)
{
    for (int64_t i = 0; i < data->n && data->classes > 0; i++) {
        const double *at =
            bsearch(data->y + i, data->class_value, (size_t)data->classes, sizeof *target, compare_doubles);
        data->y[i] = target[at - data->class_value];
    }
    data->text = false;
    return set_classes(data, classes->count, classes->name, value);
}

/*
 * Own class k moves to value target[k] of the model's class of the same name. A number that the model has not seen stays
 * as it is where the model's names are its values (then y is as good as a regression target, and scores by squares make
 * sense); everywhere else it is an error.
 */
fathom_status fathom_data_adopt_classes(fathom_data *data, const fathom_classes *classes)
{
    if (classes->count == 0 || data->outputs != 1)
        return FATHOM_OK;
    fathom_context *context = data->context;
    double *value = fathom_memory_alloc(context, classes->count, sizeof *value);
    double *target = fathom_memory_alloc(context, data->classes, sizeof *target);
    fathom_status status = value && target ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    bool spelled = true;
    for (int64_t k = 0; status == FATHOM_OK && k < classes->count; k++) {
        value[k] = class_number(&spelled, classes, k);
        if (k > 0 && !(value[k] > value[k - 1]))
            status = fathom_error_set(context, FATHOM_ERROR_USAGE, "class values must ascend");
    }
    if (status == FATHOM_OK && data->classes == 0 && !spelled)
        status = fathom_error_set_at(context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                     "the targets are not classes, as those of the model are");
    FATHOM_THEN(status, match_classes(target, data, classes, value, spelled));
    FATHOM_THEN(status, move_classes(data, target, classes, value));
    FATHOM_FREE(context, value, target);
    return status;
}

/* Whether every row of the n x outputs targets is 0 but for one 1. */
static bool one_hot(const fathom_data *data)
{
    for (int64_t i = 0; i < data->n; i++) {
        int64_t ones = 0, zeros = 0;
        for (int64_t k = 0; k < data->outputs; k++) {
            ones += data->y[i * data->outputs + k] == 1;
            zeros += data->y[i * data->outputs + k] == 0;
        }
        if (ones != 1 || zeros != data->outputs - 1)
            return false;
    }
    return true;
}

/* One class alone: +1, or -1 where its number is 0 or negative. */
static double sign_of_single(const fathom_data *data)
{
    return data->text || data->class_value[0] > 0 ? 1 : -1;
}

/* coded = the targets in the columns described at the top of the file. */
static fathom_status fill_coded(const fathom_data *data)
{
    for (int64_t i = 0; i < data->n; i++) {
        const double *at =
            bsearch(data->y + i, data->class_value, (size_t)data->classes, sizeof *data->y, compare_doubles);
        if (!at)
            return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                       "the target %.17g in row %lld (from 0) is none of the %lld classes",
                                       data->y[i], (long long)i, (long long)data->classes);
        const int64_t k = at - data->class_value;
        if (data->classes > 2)
            data->coded[i * data->classes + k] = 1;
        else
            data->coded[i] = data->classes == 1 ? sign_of_single(data) : (k == 1 ? 1 : -1);
    }
    return FATHOM_OK;
}

/* ERROR_INPUT where the targets are no classes. */
static fathom_status refuse_targets(const fathom_data *data)
{
    const char *why = "its target takes too many different values for classes";
    if (data->outputs == 0)
        why = "it has no target";
    else if (data->outputs > 1)
        why = "its target columns are not one-hot";
    return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                               "the data has nothing to classify: %s", why);
}

/* The coding is made once and lent; a one-hot matrix is lent as it is. */
fathom_status fathom_data_code_classes(const double **coded, int64_t *outputs, fathom_data *data)
{
    if (data->outputs > 1 && one_hot(data)) {
        *coded = data->y;
        *outputs = data->outputs;
        return FATHOM_OK;
    }
    if (data->classes == 0)
        return refuse_targets(data);
    if (!data->coded) {
        data->coded_outputs = data->classes > 2 ? data->classes : 1;
        const double bytes = 8 * (double)data->n * (double)data->coded_outputs;
        fathom_status status = fathom_context_require(data->context, bytes, "one-hot targets");
        if (status != FATHOM_OK)
            return status;
        data->coded = fathom_memory_zero(data->context, data->n * data->coded_outputs, sizeof *data->coded);
        status = data->coded ? fill_coded(data) : FATHOM_ERROR_MEMORY;
        if (status != FATHOM_OK) {
            fathom_memory_free(data->context, data->coded);
            data->coded = NULL;
            return status;
        }
        if (data->classes == 1)
            fathom_log(data->context, FATHOM_LOG_WARNING, "the data has one class only (%s)",
                       data->class_name[0]);
    }
    *coded = data->coded;
    *outputs = data->coded_outputs;
    return FATHOM_OK;
}
