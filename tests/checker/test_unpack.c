/* SPDX-License-Identifier: Apache-2.0 */
/* gzip files: whole, cut at every byte, of several members, and followed by what does not belong to them. */
#include "checking.h"

/* "fathom\n" as gzip writes it. */
static const char packed[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\x4b\x2c\xc9\xc8\xcf\xe5\x02\x00"
                             "\x54\x93\x6f\x37\x07\x00\x00\x00";
enum { SIZE = sizeof packed - 1 };

static bool unpacks(const char *bytes, int64_t size, const char *to)
{
    int64_t length;
    char *text = check_unpack(bytes, size, 1000, &length);
    const bool good = to ? text && length == (int64_t)strlen(to) && memcmp(text, to, strlen(to)) == 0 : !text;
    free(text);
    return good;
}

static void test_members(void **state)
{
    (void)state;
    char both[2 * SIZE];
    memcpy(both, packed, SIZE);
    memcpy(both + SIZE, packed, SIZE);
    assert_true(check_packed(packed, SIZE));
    assert_false(check_packed(packed, 1));
    assert_false(check_packed("\x1f\x8c", 2));
    assert_false(check_packed("fathom", 6));
    assert_true(unpacks(packed, SIZE, "fathom\n"));
    assert_true(unpacks(both, sizeof both, "fathom\nfathom\n"));
    for (int64_t cut = 0; cut < SIZE; cut++) {
        assert_true(unpacks(packed, cut, NULL));
        if (cut > 0)
            assert_true(unpacks(both, SIZE + cut, NULL));
    }
}

static void test_behind(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        int64_t size;
        bool good;
    } list[] = {{"\0", 1, true},           {"\0\0\0\0\0", 5, true}, {"a", 1, false},
                {"\0a", 2, false},         {"\x1f", 1, false},      {"\x1f\x8b", 2, false},
                {"\x1fgarbage", 8, false}, {"\0\x1f\x8b", 3, false}};
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        char bytes[SIZE + 8];
        memcpy(bytes, packed, SIZE);
        memcpy(bytes + SIZE, list[k].bytes, (size_t)list[k].size);
        assert_true(unpacks(bytes, SIZE + list[k].size, list[k].good ? "fathom\n" : NULL));
    }
}

/* A few bytes that become millions: refused once they are more than they may be. */
static void test_large(void **state)
{
    (void)state;
    int64_t length;
    assert_null(check_unpack(packed, SIZE, -1, &length));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_members), cmocka_unit_test(test_behind),
                                       cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
