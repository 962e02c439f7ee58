/* SPDX-License-Identifier: Apache-2.0 */
/* CIFAR batches: labels and pixels; records cut short and labels out of range. */
#include "io_testing.h"

enum { PIXELS = 3072, RECORD = PIXELS + 1, N = 5 };

static const fathom_table_request plain;
static unsigned char batch[N * RECORD];

static void make_batch(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < RECORD; k++)
            batch[i * RECORD + k] = (unsigned char)(k == 0 ? 2 * i : 7 * i + k);
}

static void records(void **state)
{
    (void)state;
    fathom_table *table;
    make_batch();
    assert_ok(context, read_bytes_as(&table, ".bin", batch, sizeof batch, &plain));
    assert_true(table->n == N && table->d == PIXELS && table->outputs == 1);
    for (int i = 0; i < N; i++) {
        assert_true(table->y[i] == 2 * i);
        for (int k = 0; k < PIXELS; k++)
            assert_true(table->x[i * PIXELS + k] == (7 * i + k + 1) % 256);
    }
    fathom_table_free(context, table);
}

static void faults(void **state)
{
    (void)state;
    make_batch();
    refuses_bytes(".bin", batch, 0, &plain, 0, 0, "3073 bytes in record 0");
    refuses_bytes(".bin", batch, RECORD - 1, &plain, 0, 0, "3073 bytes in record 0");
    refuses_bytes(".bin", batch, sizeof batch - 1, &plain, 0, 0, "3073 bytes in record 4 (byte 12292)");
    batch[3 * RECORD] = 10;
    refuses_bytes(".bin", batch, sizeof batch, &plain, 0, 0, "label byte from 0 to 9 in record 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records), cmocka_unit_test(faults)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
