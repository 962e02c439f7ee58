/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets to files: the data as it stands, after all steps, lent to src/io as a table. */
#include "data_internal.h"
#include "memory.h"
#include "table.h"

/* Names of all columns, that of the bias included: pointers into the data, or NULL where it has none. */
static fathom_status column_names(char ***name, const fathom_data *data)
{
    static char bias[] = "bias";
    *name = NULL;
    if (!data->name)
        return FATHOM_OK;
    *name = fathom_memory_alloc(data->context, data->d, sizeof **name);
    if (!*name)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < data->d; j++)
        (*name)[j] = j < data->names ? data->name[j] : bias;
    return FATHOM_OK;
}

fathom_status fathom_data_write(const fathom_data *data, const char *path)
{
    fathom_table table = {
        .n = data->n,
        .d = data->d,
        .x = data->x,
        .row_start = data->row_start,
        .column = data->column,
        .value = data->value,
        .outputs = data->outputs,
        .y = data->y,
        .labels = data->text ? data->classes : 0,
        .label = data->text ? data->class_name : NULL,
        .weight = data->weight,
        .target_name = data->target_name,
    };
    fathom_status status = column_names(&table.name, data);
    FATHOM_THEN(status, fathom_table_write(&table, data->context, path));
    fathom_memory_free(data->context, table.name);
    return status;
}
