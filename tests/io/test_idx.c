/* SPDX-License-Identifier: Apache-2.0 */
/* IDX: images with labels, every element type, hostile headers. */
#include "io_testing.h"

#include "array.h"

static const fathom_table_request plain;
static const char images[] = "\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x03\1\2\3\4\5\6\7\x08\x09\x0a\x0b\xff";
static const char labels[] = "\0\0\x08\x01\0\0\0\x02\x05\x09";

static void images_with_labels(void **state)
{
    (void)state;
    fathom_table *table;
    const char *path = scratch_file("-labels-idx1-ubyte", labels, sizeof labels - 1);
    const fathom_table_request request = {.labels = path};
    assert_ok(context, read_bytes_as(&table, "-images-idx3-ubyte", images, sizeof images - 1, &request));
    assert_true(table->n == 2 && table->d == 6 && table->outputs == 1);
    for (int k = 0; k < 12; k++)
        assert_true(table->x[k] == (k == 11 ? 255 : k + 1));
    assert_true(table->y[0] == 5 && table->y[1] == 9);
    fathom_table_free(context, table);
    assert_ok(context, read_bytes_as(&table, ".unknown", images, sizeof images - 1, &plain));
    assert_true(table->n == 2 && table->outputs == 0);
    fathom_table_free(context, table);
    refuses_bytes("-idx1-ubyte", labels, sizeof labels - 2, &request, 0, 0, "found fewer");
    unlink(path);
}

static void types(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        size_t size;
        double value;
    } cases[] = {{"\0\0\x09\x01\0\0\0\x01\xfe", 9, -2},
                 {"\0\0\x0b\x01\0\0\0\x01\xff\xfe", 10, -2},
                 {"\0\0\x0c\x01\0\0\0\x01\xff\xff\xff\xfe", 12, -2},
                 {"\0\0\x0d\x01\0\0\0\x01\xc0\0\0\0", 12, -2},
                 {"\0\0\x0e\x01\0\0\0\x01\xc0\0\0\0\0\0\0\0", 16, -2}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fathom_table *table;
        assert_ok(context, read_bytes_as(&table, "-ubyte", cases[k].file, cases[k].size, &plain));
        assert_true(table->n == 1 && table->x[0] == cases[k].value);
        fathom_table_free(context, table);
    }
}

static void hostile(void **state)
{
    (void)state;
    refuses_bytes("-ubyte", "", 0, &plain, 0, 0, "IDX header");
    refuses_bytes("-ubyte", "\0\0\x08", 3, &plain, 0, 0, "IDX header");
    refuses_bytes("-ubyte", "\0\0\x07\x01\0\0\0\1\1", 9, &plain, 0, 0, "IDX header");
    refuses_bytes("-ubyte", "\0\0\x08\x00\0\0\0\1\1", 9, &plain, 0, 0, "IDX header");
    refuses_bytes("-ubyte", "\0\0\x08\x09\0\0\0\1\1", 9, &plain, 0, 0, "IDX header");
    refuses_bytes("-ubyte", "\0\0\x08\x03\0\0\0\1", 8, &plain, 0, 0, "3 sizes");
    refuses_bytes("-ubyte", "\0\0\x08\x01\xff\xff\xff\xff\1", 9, &plain, 0, 0, "sensible sizes");
    refuses_bytes("-ubyte", "\0\0\x08\x02\x7f\xff\xff\xff\x7f\xff\xff\xff\1", 13, &plain, 0, 0,
                  "sensible sizes");
    refuses_bytes("-ubyte", "\0\0\x08\x02\0\0\xff\xff\0\0\xff\xff\1", 13, &plain, 0, 0, "found fewer");
    refuses_bytes("-ubyte", "\0\0\x08\x01\0\0\0\x01\x01\x02", 10, &plain, 0, 0, "found more");
    refuses_bytes("-ubyte", "\0\0\x08\x01\0\0\0\0", 8, &plain, 0, 0, "non-empty");
    refuses_bytes("-ubyte", "\0\0\x0e\x01\0\0\0\x01\x7f\xf0\0\0\0\0\0\0", 16, &plain, 0, 0, "finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_with_labels),
        cmocka_unit_test(types),
        cmocka_unit_test(hostile),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
