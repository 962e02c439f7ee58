/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"
#include "testing.h"

#include <string.h>
#include <unistd.h>

#include "exact_dot.h"
#include "fathom/cones.h"
#include "patterns.h"

static char path[64];

/* Lists the cones of a generated data set and counts them. */
static int64_t write_list(fathom_context *context, const fathom_data *data, int witness)
{
    fathom_cones_options options;
    fathom_cones_result result;
    fathom_options_init(&options, &fathom_cones_option_table);
    options.list = path;
    options.witness = witness;
    assert_ok(context, fathom_cones_run(&result, context, data, &options));
    return result.cones;
}

/* The number of the gate with this pattern, or -1. */
static int64_t find_gate(const fathom_gates_view *g, const uint64_t *bits)
{
    for (int64_t j = 0; j < g->m; j++)
        if (memcmp(g->bits + j * g->words, bits, (size_t)g->words * sizeof *bits) == 0)
            return j;
    return -1;
}

/* What is read back: every gate of the enumeration once, witnesses exactly inside. */
static void check_list(fathom_context *context, const fathom_data *data, int64_t cones, bool witnesses)
{
    const fathom_data_view x = fathom_data_look(data);
    fathom_gates *gates;
    fathom_cones_reader *reader;
    const uint64_t *bits;
    const double *z;
    assert_ok(context, fathom_gates_enumerate(&gates, context, data));
    const fathom_gates_view g = fathom_gates_look(gates);
    uint8_t *seen = calloc((size_t)g.m, 1);
    assert_ok(context, fathom_cones_reader_open(&reader, context, path));
    const fathom_cones_header header = fathom_cones_reader_look(reader);
    assert_true(header.n == x.n && header.d == x.d && header.witnesses == witnesses);
    int64_t count = 0;
    for (;; count++) {
        assert_ok(context, fathom_cones_reader_next(reader, &bits, &z));
        if (!bits)
            break;
        const int64_t j = find_gate(&g, bits);
        assert_true(j >= 0 && !seen[j]);
        seen[j] = 1;
        assert_true((z != NULL) == witnesses);
        for (int64_t i = 0; z && i < x.n; i++)
            assert_int_equal(fathom_exact_dot_sign(x.d, x.x + i * x.ld, z) > 0, fathom_pattern_bit(bits, i));
    }
    assert_int_equal(count, cones);
    assert_int_equal(count, g.m);
    assert_ok(context, fathom_cones_reader_next(reader, &bits, &z)); /* the end stays the end */
    assert_null(bits);
    free(seen);
    fathom_cones_reader_free(reader);
    fathom_gates_free(gates);
}

static void test_round_trip(void **state)
{
    (void)state;
    fathom_context *context;
    assert_ok(NULL, fathom_context_create(&context, NULL));
    const char *spec[] = {"gen:gauss,n=20,d=3", "gen:gauss,n=9,d=5", "gen:gauss,n=70,d=2",
                          "gen:cube,d=4",       "gen:circle,n=8",    "gen:parity,d=3,all=1"};
    for (size_t k = 0; k < sizeof spec / sizeof *spec; k++)
        for (int witness = 0; witness < 2; witness++) { /* choices: yes, no */
            fathom_data *data;
            assert_ok(context, fathom_data_open(&data, context, spec[k], NULL));
            const int64_t cones = write_list(context, data, witness);
            check_list(context, data, cones, witness == 0);
            fathom_data_free(data);
        }
    fathom_context_free(context);
}

/* Reads the whole list; the first failure. */
static fathom_status read_all(fathom_context *context)
{
    fathom_cones_reader *reader;
    const uint64_t *bits;
    const double *z;
    fathom_status status = fathom_cones_reader_open(&reader, context, path);
    for (bits = (const uint64_t *)path; status == FATHOM_OK && bits;)
        status = fathom_cones_reader_next(reader, &bits, &z);
    fathom_cones_reader_free(reader);
    return status;
}

/* Whatever byte is changed or cut off outside the witnesses, the reader notices. */
static void test_damage(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_data *data;
    unsigned char bytes[4096];
    assert_ok(NULL, fathom_context_create(&context, NULL));
    assert_ok(context, fathom_data_open(&data, context, "gen:gauss,n=6,d=3", NULL));
    write_list(context, data, 1);
    FILE *file = fopen(path, "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 32 && size < sizeof bytes);
    assert_ok(context, read_all(context));
    for (size_t k = 0; k < size; k++)
        for (int cut = 0; cut < 2; cut++) {
            if (!cut && k >= 24 && k < 32)
                continue; /* the dimension says nothing about a list without witnesses */
            file = fopen(path, "wb");
            bytes[k] ^= 5;
            fwrite(bytes, 1, cut ? k : size, file);
            bytes[k] ^= 5;
            fclose(file);
            assert_int_equal(read_all(context), FATHOM_ERROR_INPUT);
        }
    fathom_data_free(data);
    fathom_context_free(context);
}

static fathom_status list_and_read(fathom_context *context, void *user)
{
    fathom_data *data = NULL;
    fathom_cones_options options;
    fathom_cones_result result;
    fathom_gates *gates = NULL;
    fathom_options_init(&options, &fathom_cones_option_table);
    options.list = path;
    options.faces = true;
    fathom_status status = fathom_data_open(&data, context, user, NULL);
    if (status == FATHOM_OK)
        status = fathom_cones_run(&result, context, data, &options);
    if (status == FATHOM_OK)
        status = read_all(context);
    if (status == FATHOM_OK)
        status = fathom_gates_enumerate(&gates, context, data);
    fathom_gates_free(gates);
    fathom_data_free(data);
    return status;
}

/* Every allocation may fail, in general position and out of it. */
static void test_memory(void **state)
{
    (void)state;
    assert_true(faults_run(list_and_read, "gen:gauss,n=5,d=3") > 20);
    assert_true(faults_run(list_and_read, "gen:parity,d=3,all=1") > 20);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/fathom-cones-%ld.bin", (long)getpid());
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
