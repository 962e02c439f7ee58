/* SPDX-License-Identifier: Apache-2.0 */
/* Subset tables against plain sums; transposed bits. */
#include "gate_tables.h"
#include "random.h"
#include "testing.h"

enum { ROWS = 37 };

/* All widths and numbers of lines. Integers, so that every sum is exact whatever its order. */
static void test_sums_of_chosen_lines(void **state)
{
    (void)state;
    double *room = aligned_alloc(64, FATHOM_TABLE_ROOM * sizeof *room);
    double *line = aligned_alloc(64, FATHOM_TABLE_LINES * FATHOM_TABLE_COLUMNS * sizeof *line);
    double *sum = aligned_alloc(64, 64 * FATHOM_TABLE_COLUMNS * sizeof *sum);
    uint32_t bits[ROWS];
    for (int64_t columns = 4; columns <= FATHOM_TABLE_COLUMNS; columns += 4)
        for (int64_t count = 0; count <= FATHOM_TABLE_LINES; count++) {
            for (int64_t k = 0; k < FATHOM_TABLE_LINES * columns; k++)
                line[k] = k < count * columns ? (double)((k * k + 7 * count) % 1001) : 0;
            for (int64_t r = 0; r < ROWS; r++) {
                const double share =
                    fathom_random_uniform(5, FATHOM_STREAM_GATE, (uint32_t)count, (uint64_t)r);
                bits[r] = (uint32_t)(share * 0x1p32) & (uint32_t)(((uint64_t)1 << count) - 1);
            }
            for (int64_t k = 0; k < ROWS * columns; k++)
                sum[k] = (double)k;
            fathom_table_add(sum, ROWS, columns, bits, line, count, room);
            for (int64_t r = 0; r < ROWS; r++)
                for (int64_t k = 0; k < columns; k++) {
                    double expected = (double)(r * columns + k);
                    for (int64_t b = 0; b < count; b++)
                        expected += (bits[r] >> b) & 1 ? line[b * columns + k] : 0;
                    assert_true(sum[r * columns + k] == expected);
                }
        }
    free(room);
    free(line);
    free(sum);
}

static void test_transposed_bits(void **state)
{
    (void)state;
    uint64_t in[FATHOM_TABLE_LINES][8];
    const uint64_t *line[FATHOM_TABLE_LINES];
    uint32_t out[512];
    for (int64_t b = 0; b < FATHOM_TABLE_LINES; b++) {
        line[b] = in[b];
        for (int64_t w = 0; w < 8; w++)
            in[b][w] =
                (uint64_t)(fathom_random_uniform(5, FATHOM_STREAM_GATE, (uint32_t)b, (uint64_t)w) * 0x1p53) *
                0x9e3779b97f4a7c15;
    }
    for (int64_t words = 1; words <= 8; words += 7)
        for (int64_t lines = 1; lines <= FATHOM_TABLE_LINES; lines++) {
            fathom_bits_transpose(out, line, lines, words);
            for (int64_t r = 0; r < 64 * words; r++)
                for (int64_t b = 0; b < FATHOM_TABLE_LINES; b++)
                    assert_int_equal((out[r] >> b) & 1, b < lines ? (in[b][r / 64] >> (r % 64)) & 1 : 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_of_chosen_lines),
        cmocka_unit_test(test_transposed_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
