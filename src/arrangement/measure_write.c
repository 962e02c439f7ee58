/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of cones as CSV: pattern,measure,lower,upper,log_measure; character i of a pattern is 1 where point i is open. */
#include <math.h>
#include <string.h>

#include "file_write.h"
#include "gates_internal.h"
#include "measure_internal.h"
#include "memory.h"

/* One row; `text` has room for n characters. The logarithm of 0 is left empty. */
static fathom_status write_row(fathom_file *file, const fathom_measure_view *view, const fathom_gates *gates,
                               int64_t j, char *text)
{
    const double number[] = {view->value[j], view->lower[j], view->upper[j], view->log_value[j]};
    for (int64_t i = 0; i < gates->n; i++)
        text[i] = fathom_pattern_bit(gates->bits + j * gates->words, i) ? '1' : '0';
    fathom_status status = fathom_file_write(file, text, (size_t)gates->n);
    for (int k = 0; k < 4 && status == FATHOM_OK; k++) {
        status = fathom_file_write(file, ",", 1);
        if (status == FATHOM_OK && isfinite(number[k]))
            status = fathom_file_write_number(file, number[k]);
    }
    return status == FATHOM_OK ? fathom_file_write(file, "\n", 1) : status;
}

fathom_status fathom_measure_write(const fathom_measure *measure, const fathom_gates *gates, const char *path)
{
    const fathom_measure_view view = fathom_measure_look(measure);
    fathom_context *context = gates->context;
    fathom_file *file = NULL;
    char *text = fathom_memory_alloc(context, gates->n, 1);
    fathom_status status = text ? fathom_file_create(&file, context, path) : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_file_print(file, "pattern,measure,lower,upper,log_measure\n"));
    for (int64_t j = 0; j < view.m && status == FATHOM_OK; j++)
        status = write_row(file, &view, gates, j, text);
    if (status == FATHOM_OK)
        status = fathom_file_commit(file);
    else
        fathom_file_abort(file);
    fathom_memory_free(context, text);
    return status;
}
