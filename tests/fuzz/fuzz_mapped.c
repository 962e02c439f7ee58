/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an NPY array whose rows stay in their file: taken or refused as one that is read, with the same bits. The last
 * byte says where the file is cut afterwards: reading on finds zeros or what was there, and the context knows of it. */
#include "fuzzing.h"

#include <fcntl.h>
#include <string.h>

static fathom_status read_file(fathom_table **table, fathom_context *context, const char *path, int map)
{
    const fathom_table_request request = {.format = FATHOM_FORMAT_NPY, .path = path, .map = map};
    fathom_bytes *bytes;
    *table = NULL;
    fathom_status status = fathom_bytes_open(&bytes, context, path);
    if (status == FATHOM_OK)
        status = fathom_table_read_bytes(table, bytes, &request);
    if (status != FATHOM_OK)
        check_failure(context, status);
    fathom_bytes_close(bytes);
    return status;
}

/* A read of every number; volatile, so that it takes place. */
static double touch(const fathom_table *table)
{
    volatile double sum = 0;
    for (int64_t k = 0; k < table->n * table->d; k++)
        sum = sum + table->x[k];
    return sum;
}

/* Converted rows are in another file by then, and stay. */
static void cut(fathom_context *context, const fathom_table *table, const fathom_table *read,
                const char *path, size_t size, unsigned char where)
{
    const int descriptor = open(path, O_RDWR | O_CLOEXEC);
    const size_t left = size * where / 256;
    must_hold(descriptor >= 0 && left < size);
    must_hold(ftruncate(descriptor, (off_t)left) == 0);
    touch(table);
    must_hold(fathom_context_settle(context, FATHOM_OK) == FATHOM_ERROR_INPUT ||
              memcmp(read->x, table->x, (size_t)(read->n * read->d) * sizeof *read->x) == 0);
    close(descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fathom_context *context = fuzz_context();
    fathom_table *read, *mapped;
    if (size < 2)
        return 0;
    fathom_context_start_clock(context);
    const char *path = fuzz_file(data, size - 1);
    const fathom_status first = read_file(&read, context, path, 2);
    const fathom_status second = read_file(&mapped, context, path, 1);
    must_hold(first == second);
    if (first == FATHOM_OK) {
        check_table(mapped);
        must_hold(read->n == mapped->n && read->d == mapped->d && read->outputs == mapped->outputs);
        must_hold(memcmp(read->x, mapped->x, (size_t)(read->n * read->d) * sizeof *read->x) == 0);
        must_hold(fathom_context_settle(context, FATHOM_OK) == FATHOM_OK);
        cut(context, mapped, read, path, size - 1, data[size - 1]);
    }
    fathom_table_free(context, read);
    fathom_table_free(context, mapped);
    return 0;
}
