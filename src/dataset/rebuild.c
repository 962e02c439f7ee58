/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that stay in a file, changed: written block by block to a scratch file that takes the place of the first.
 *
 * What is done to a row is what is done to one in memory, in the same operations (preprocess.c), so that its bits are the
 * same. A range of rows needs no new file. Cost: one pass, and as much room on the disk as the rows take.
 */
#include <string.h>

#include "context_internal.h"
#include "data_internal.h"
#include "memory.h"

enum { BLOCK = 1 << 15 }; /* numbers at a time, at least a row of them */

/* What becomes of the rows: row[0..count), or the first `count`; columns, and the change. */
typedef struct plan {
    const int64_t *row;
    int64_t count, columns;
    const fathom_data_change *change;
} plan;

static fathom_status fill(fathom_scratch *scratch, const fathom_data *data, const plan *p, double *block,
                          int64_t step)
{
    const int64_t kept = p->columns < data->d ? p->columns : data->d;
    fathom_status status = FATHOM_OK;
    for (int64_t first = 0; first < p->count && status == FATHOM_OK; first += step) {
        const int64_t rows = p->count - first < step ? p->count - first : step;
        bool good = true;
        for (int64_t i = 0; i < rows && good; i++) {
            double *to = block + i * p->columns;
            const int64_t from = p->row ? p->row[first + i] : first + i;
            memcpy(to, data->x + from * data->d, (size_t)kept * sizeof *to);
            good = !p->change || !p->change->f || p->change->f(to, p->change->user, first + i);
            for (int64_t j = kept; j < p->columns; j++)
                to[j] = 1;
        }
        if (!good)
            return FATHOM_ERROR_INPUT; /* and its words are those of the change */
        status = fathom_scratch_write(scratch, block, rows * p->columns);
        fathom_context_passed(data->context);
        if (status == FATHOM_OK && fathom_context_stop_reason(data->context) != FATHOM_STOP_NONE)
            status = fathom_error_set(data->context, FATHOM_ERROR_STOPPED, "stopped while preparing rows");
    }
    return status;
}

static fathom_status rebuild(fathom_data *data, const plan *p)
{
    const int64_t step = p->columns < BLOCK ? BLOCK / p->columns : 1;
    double *block = fathom_memory_alloc(data->context, step * p->columns, sizeof *block);
    fathom_scratch scratch = {.descriptor = -1};
    fathom_mapped *made = NULL;
    fathom_status status = block ? fathom_scratch_open(&scratch, data->context) : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fill(&scratch, data, p, block, step));
    FATHOM_THEN(status, fathom_mapped_check(data->mapped));
    FATHOM_THEN(status, fathom_scratch_map(&made, &scratch));
    fathom_scratch_close(&scratch);
    fathom_memory_free(data->context, block);
    if (status != FATHOM_OK)
        return status;
    fathom_mapped_close(data->mapped);
    data->mapped = made;
    data->x = fathom_mapped_numbers(made);
    return FATHOM_OK;
}

fathom_status fathom_data_rebuild(fathom_data *data, int64_t columns, const fathom_data_change *change)
{
    return rebuild(data, &(plan){NULL, data->n, columns, change});
}

fathom_status fathom_data_rebuild_rows(fathom_data *data, const int64_t *row, int64_t count)
{
    bool range = count > 0;
    for (int64_t k = 1; k < count && range; k++)
        range = row[k] == row[0] + k;
    if (!range)
        return rebuild(data, &(plan){row, count, data->d, NULL});
    data->x += row[0] * data->d;
    return FATHOM_OK;
}
