/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin:NAME: small real data sets, compiled in as the CSV text of src/dataset/builtin/ (docs/data.md states where
 * each comes from). The texts are our own: a header line, numbers, and the target in the last column, which is a
 * number or one of the labels listed here.
 */
#include <string.h>

#include "builtin_internal.h"
#include "context_internal.h"
#include "memory.h"
#include "number.h"

#define SYMBOL(name)                             \
    extern const unsigned char builtin_##name[]; \
    extern const size_t builtin_##name##_size;
SYMBOL(digits)
SYMBOL(iris)
SYMBOL(monks1)
SYMBOL(wdbc)
SYMBOL(wine)

enum { LABELS = 3 };

typedef struct builtin {
    fathom_data_source source;
    const unsigned char *text;
    const size_t *size;
    const char *label[LABELS]; /* text labels in the order of the alphabet; none: the target is numeric */
} builtin;

static const builtin sets[] = {
    {{"builtin:wdbc", "breast cancer Wisconsin (diagnostic): 569 x 30, classes benign and malignant"},
     builtin_wdbc,
     &builtin_wdbc_size,
     {"benign", "malignant"}},
    {{"builtin:iris", "Fisher's irises: 150 x 4, classes setosa, versicolor and virginica"},
     builtin_iris,
     &builtin_iris_size,
     {"setosa", "versicolor", "virginica"}},
    {{"builtin:wine", "wines of three cultivars: 178 x 13, classes 1, 2 and 3"},
     builtin_wine,
     &builtin_wine_size,
     {0}},
    {{"builtin:digits", "handwritten digits, 8 x 8 pixels of 0..16: 1797 x 64, classes 0..9"},
     builtin_digits,
     &builtin_digits_size,
     {0}},
    {{"builtin:monks1", "first MONK's problem, training part: 124 x 6, classes 0 and 1"},
     builtin_monks1,
     &builtin_monks1_size,
     {0}},
};
enum { SETS = sizeof sets / sizeof sets[0] };

const fathom_data_source *fathom_builtin_source(int64_t index)
{
    return index >= 0 && index < SETS ? &sets[index].source : NULL;
}

static int64_t label_count(const builtin *set)
{
    int64_t count = 0;
    while (count < LABELS && set->label[count])
        count++;
    return count;
}

static int64_t count_bytes(const char *text, size_t size, char byte)
{
    int64_t count = 0;
    for (size_t k = 0; k < size; k++)
        count += text[k] == byte;
    return count;
}

/* The next field as a number or as the number of its label; moves *text past it and the byte behind it. */
static double read_field(const char **text, const builtin *set)
{
    const size_t length = strcspn(*text, ",\n");
    double value = 0;
    size_t end;
    if (fathom_number_parse(&value, &end, *text, length) != FATHOM_NUMBER_OK)
        for (int64_t k = 0; k < label_count(set); k++)
            if (strlen(set->label[k]) == length && memcmp(set->label[k], *text, length) == 0)
                value = (double)k;
    *text += length + 1;
    return value;
}

/* The list of text labels, as a reader would leave it. */
static fathom_status set_labels(fathom_data *data, const builtin *set)
{
    const int64_t count = label_count(set);
    if (count == 0)
        return FATHOM_OK;
    data->class_name = fathom_memory_zero(data->context, count, sizeof *data->class_name);
    if (!data->class_name)
        return FATHOM_ERROR_MEMORY;
    data->text = true;
    data->classes = count;
    for (int64_t k = 0; k < count; k++) {
        data->class_name[k] = fathom_memory_text(data->context, set->label[k]);
        if (!data->class_name[k])
            return FATHOM_ERROR_MEMORY;
    }
    return FATHOM_OK;
}

static fathom_status load(fathom_data *data, const builtin *set)
{
    const char *text = (const char *)set->text;
    const size_t header = strcspn(text, "\n");
    const int64_t n = count_bytes(text, *set->size, '\n') - 1, d = count_bytes(text, header, ',');
    const fathom_status status = fathom_data_shape(data, n, d, 1);
    if (status != FATHOM_OK)
        return status;
    text += header + 1;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++)
            data->x[i * d + j] = read_field(&text, set);
        data->y[i] = read_field(&text, set);
    }
    return set_labels(data, set);
}

fathom_status fathom_data_load_builtin(fathom_data *data, const char *spec)
{
    for (int64_t k = 0; k < SETS; k++)
        if (strcmp(sets[k].source.spec, spec) == 0)
            return load(data, sets + k);
    return fathom_error_set(data->context, FATHOM_ERROR_USAGE,
                            "no built-in data set is called '%.60s'; `fathom gen --list` names them",
                            spec + 8);
}
