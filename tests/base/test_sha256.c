/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256: the examples of FIPS 180-4, and the same hash however the bytes are handed over. */
#include <string.h>

#include "sha256.h"
#include "testing.h"

static void hash_of(char hex[65], const char *bytes, size_t size, size_t piece)
{
    fathom_sha256 hash;
    fathom_sha256_init(&hash);
    for (size_t at = 0; at < size; at += piece)
        fathom_sha256_update(&hash, bytes + at, size - at < piece ? size - at : piece);
    fathom_sha256_finish(hex, &hash);
}

static void test_examples(void **state)
{
    (void)state;
    static const struct {
        const char *text, *hash;
    } examples[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    char hex[65];
    for (size_t k = 0; k < sizeof examples / sizeof examples[0]; k++) {
        hash_of(hex, examples[k].text, strlen(examples[k].text), 64);
        assert_string_equal(hex, examples[k].hash);
    }
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    hash_of(hex, million, 1000000, 999);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

/* Every length around the end of a block, in pieces of every size. */
static void test_pieces(void **state)
{
    (void)state;
    char text[200], whole[65], pieces[65];
    for (size_t k = 0; k < sizeof text; k++)
        text[k] = (char)(k * 7 + 1);
    for (size_t size = 50; size < 140; size++) {
        hash_of(whole, text, size, size);
        for (size_t piece = 1; piece < size; piece += 5) {
            hash_of(pieces, text, size, piece);
            assert_string_equal(whole, pieces);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples), cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
