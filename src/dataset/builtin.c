/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin:NAME: small real data sets, compiled in as the CSV text of src/dataset/builtin/ (docs/reference/data.md
 * states where each comes from) and read as any other CSV file, so that --target and --weights work on
 * them.
 */
#include "builtin_internal.h"

#include <string.h>

#include "context_internal.h"
#include "inner/data.h"
#include "nearest.h"
#include "source_internal.h"

#define SYMBOL(name)                             \
    extern const unsigned char builtin_##name[]; \
    extern const size_t builtin_##name##_size;
SYMBOL(digits)
SYMBOL(iris)
SYMBOL(monks1)
SYMBOL(wdbc)
SYMBOL(wine)

typedef struct builtin {
    fathom_data_source source;
    const unsigned char *text;
    const size_t *size;
} builtin;

static const builtin sets[] = {
    {{"builtin:wdbc", "breast cancer Wisconsin (diagnostic): 569 x 30, classes benign and malignant"},
     builtin_wdbc,
     &builtin_wdbc_size},
    {{"builtin:iris", "Fisher's irises: 150 x 4, classes setosa, versicolor and virginica"},
     builtin_iris,
     &builtin_iris_size},
    {{"builtin:wine", "wines of three cultivars: 178 x 13, classes 1, 2 and 3"},
     builtin_wine,
     &builtin_wine_size},
    {{"builtin:digits", "handwritten digits, 8 x 8 pixels of 0..16: 1797 x 64, classes 0..9"},
     builtin_digits,
     &builtin_digits_size},
    {{"builtin:monks1", "first MONK's problem, training part: 124 x 6, classes 0 and 1"},
     builtin_monks1,
     &builtin_monks1_size},
};
enum { SETS = sizeof sets / sizeof sets[0], PREFIX = sizeof "builtin:" - 1 };

const fathom_data_source *fathom_builtin_source(int64_t index)
{
    return index >= 0 && index < SETS ? &sets[index].source : NULL;
}

/* The table in a compiled-in CSV text. */
static fathom_status load(fathom_data *data, const builtin *set, const fathom_table_request *request,
                          const fathom_data_options *options, const data_likeness *like)
{
    fathom_context *context = data->context;
    fathom_bytes *bytes;
    FATHOM_TRY(fathom_bytes_open_memory(&bytes, context, set->text, *set->size, set->source.spec));
    fathom_table *table;
    fathom_status status = fathom_table_read_bytes(&table, bytes, request);
    fathom_bytes_close(bytes);
    if (status != FATHOM_OK)
        return status;
    status = fathom_source_take(data, table, options, like);
    fathom_table_free(context, table);
    return status;
}

/* `name` is what stands behind "builtin:". */
static fathom_status no_set(fathom_context *context, const char *name)
{
    char hint[FATHOM_HINT_SIZE];
    fathom_nearest nearest = fathom_nearest_begin(name, strlen(name));
    for (int64_t k = 0; k < SETS; k++)
        fathom_nearest_try(&nearest, sets[k].source.spec + PREFIX, strlen(sets[k].source.spec + PREFIX));
    return fathom_error_set(context, FATHOM_ERROR_USAGE, "no built-in data set is called '%.60s'%s", name,
                            fathom_nearest_hint(hint, &nearest, "; `fathom gen --list` names them"));
}

fathom_status fathom_data_load_builtin(fathom_data *data, const fathom_data_options *options,
                                       const data_likeness *like)
{
    fathom_table_request request = fathom_source_request(options, like);
    request.format = FATHOM_FORMAT_CSV; /* and plain, whatever the options say of files */
    request.separator = ',';
    request.decimal = '.';
    request.header = 0;
    for (int64_t k = 0; k < SETS; k++)
        if (strcmp(sets[k].source.spec, data->source) == 0)
            return load(data, sets + k, &request, options, like);
    return no_set(data->context, data->source + PREFIX);
}
