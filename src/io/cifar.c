/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CIFAR-10 batches: records of 1 label byte (0..9) and 3072 = 3 x 32 x 32 pixel bytes (red, green, blue planes).
 *
 * x = n x 3072 pixels 0..255, y = label. Memory grows with the records that arrive.
 */
#include "cifar.h"

#include "context_internal.h"
#include "memory.h"

enum { PIXELS = 3072, RECORD = PIXELS + 1, CLASSES = 10 };

/* ERROR_INPUT with the number of the record and its first byte. */
static fathom_status bad(const fathom_table *table, const fathom_bytes *bytes, const char *what)
{
    return fathom_error_set_at(fathom_bytes_context(bytes), FATHOM_ERROR_INPUT, fathom_bytes_name(bytes), 0,
                               0, "expected %s in record %lld (byte %lld)", what, (long long)table->n,
                               (long long)table->n * RECORD);
}

/* Room for `rows` records; x and y share one capacity. */
static fathom_status reserve(fathom_table *table, fathom_context *context, int64_t *capacity, int64_t rows)
{
    int64_t other = *capacity;
    void *x = table->x, *y = table->y;
    fathom_status status = fathom_context_require(context, 8.0 * RECORD * (double)rows, "the data matrix");
    FATHOM_THEN(status, fathom_memory_grow(context, &x, capacity, rows, PIXELS * sizeof(double)));
    FATHOM_THEN(status, fathom_memory_grow(context, &y, &other, *capacity, sizeof(double)));
    table->x = x;
    table->y = y;
    return status;
}

fathom_status fathom_cifar_read(fathom_table *table, fathom_bytes *bytes)
{
    fathom_context *context = fathom_bytes_context(bytes);
    const int64_t total = fathom_bytes_total(bytes);
    int64_t capacity = 0;
    fathom_status status = total > 0 ? reserve(table, context, &capacity, total / RECORD) : FATHOM_OK;
    table->d = PIXELS;
    table->outputs = 1;
    while (status == FATHOM_OK) {
        unsigned char record[RECORD];
        size_t got;
        status = fathom_bytes_read(bytes, record, RECORD, &got);
        if (status != FATHOM_OK || got == 0)
            break;
        if (got < RECORD)
            return bad(table, bytes, "3073 bytes");
        if (record[0] >= CLASSES)
            return bad(table, bytes, "a label byte from 0 to 9");
        status = reserve(table, context, &capacity, table->n + 1);
        if (status != FATHOM_OK)
            break;
        double *x = table->x + table->n * PIXELS;
        for (int k = 0; k < PIXELS; k++)
            x[k] = record[k + 1];
        table->y[table->n++] = record[0];
    }
    return status == FATHOM_OK && table->n == 0 ? bad(table, bytes, "3073 bytes") : status;
}
