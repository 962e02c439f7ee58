/* SPDX-License-Identifier: Apache-2.0 */
/* Specifications: what the list shows can be opened, and what is wrong is refused by name. */
#include "dataset_testing.h"
#include "inner/data.h"

static void every_listed_source_opens(void **state)
{
    int64_t generators = 0, builtin = 0;
    for (int64_t k = 0; fathom_data_source_get(k); k++) {
        const fathom_data_source *source = fathom_data_source_get(k);
        fathom_data *data = open_plain(*state, source->spec);
        assert_true(fathom_data_look(data).n > 0 && strlen(source->doc) > 0);
        generators += strncmp(source->spec, "gen:", 4) == 0;
        builtin += strncmp(source->spec, "builtin:", 8) == 0;
        fathom_data_free(data);
    }
    assert_int_equal(generators, 15);
    assert_int_equal(builtin, 5);
    assert_null(fathom_data_source_get(generators + builtin));
    assert_null(fathom_data_source_get(-1));
}

/* docs/reference/data.md names every source as the list does. */
static void every_listed_source_is_documented(void **state)
{
    (void)state;
    static char text[1 << 16];
    FILE *file = fopen(FATHOM_SOURCE_ROOT "/docs/reference/data.md", "r");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof text - 1);
    for (int64_t k = 0; fathom_data_source_get(k); k++) {
        char quoted[128];
        snprintf(quoted, sizeof quoted, "`%s`", fathom_data_source_get(k)->spec);
        if (!strstr(text, quoted))
            print_error("docs/reference/data.md lacks %s\n", quoted);
        assert_non_null(strstr(text, quoted));
    }
}

static bool same_values(const fathom_data *a, const fathom_data *b)
{
    const fathom_data_view u = fathom_data_look(a), v = fathom_data_look(b);
    return u.n == v.n && u.d == v.d && memcmp(u.x, v.x, (size_t)(u.n * u.d) * sizeof(double)) == 0 &&
           memcmp(u.y, v.y, (size_t)u.n * sizeof(double)) == 0;
}

/* The listed specification states the defaults: leaving all keys out gives the same bits. */
static void listed_keys_are_the_defaults(void **state)
{
    for (int64_t k = 0; fathom_data_source_get(k); k++) {
        char name[64] = "";
        const char *spec = fathom_data_source_get(k)->spec;
        strncat(name, spec, strcspn(spec, ","));
        fathom_data *full = open_plain(*state, spec), *bare = open_plain(*state, name);
        assert_true(same_values(full, bare));
        fathom_data_free(full);
        fathom_data_free(bare);
    }
}

/* Random families: two seeds differ, test=1 differs, two threads give the bits of one. */
static void seeds_streams_and_threads(void **state)
{
    static const char *const spec[] = {
        "gen:parity,n=301,d=7",
        "gen:xor",
        "gen:shoulders",
        "gen:gauss,n=333,d=3",
        "gen:gauss,n=333,target=teacher",
        "gen:gauss,target=sign",
        "gen:twogauss",
        "gen:outlier",
        "gen:mixture1d",
        "gen:whitened",
        "gen:rankone",
        "gen:collapse",
    };
    for (size_t k = 0; k < sizeof spec / sizeof spec[0]; k++) {
        char test[64];
        snprintf(test, sizeof test, "%s,test=1", spec[k]);
        fathom_context_set_threads(*state, 1);
        fathom_data *one = open_plain(*state, spec[k]), *other = open_plain(*state, test);
        fathom_context_set_threads(*state, 2);
        fathom_data *two = open_plain(*state, spec[k]);
        fathom_context_set_seed(*state, 2);
        fathom_data *seed = open_plain(*state, spec[k]);
        fathom_context_set_seed(*state, 1);
        assert_true(same_values(one, two));
        assert_false(same_values(one, seed));
        assert_false(same_values(one, other));
        fathom_data_free(one);
        fathom_data_free(two);
        fathom_data_free(other);
        fathom_data_free(seed);
    }
}

static void bad_specifications(void **state)
{
    static const struct {
        const char *spec;
        fathom_status status;
        const char *words;
    } bad[] = {
        {"gen:", FATHOM_ERROR_USAGE, "no generator is called ''"},
        {"gen:spiral", FATHOM_ERROR_USAGE, "'spiral'"},
        {"gen:circle,", FATHOM_ERROR_USAGE, "unknown key ''"},
        {"gen:circle,m=3", FATHOM_ERROR_USAGE, "unknown key 'm'"},
        {"gen:circle,n", FATHOM_ERROR_USAGE, "n needs one value"},
        {"gen:circle,n=", FATHOM_ERROR_USAGE, "n takes a whole number from 1"},
        {"gen:circle,n=2.5", FATHOM_ERROR_USAGE, "n takes a whole number"},
        {"gen:circle,n=0", FATHOM_ERROR_USAGE, "n takes a whole number"},
        {"gen:circle,n=-4", FATHOM_ERROR_USAGE, "n takes a whole number"},
        {"gen:circle,n=nan", FATHOM_ERROR_USAGE, "n takes a whole number"},
        {"gen:circle,n=4x", FATHOM_ERROR_USAGE, "n takes a whole number"},
        {"gen:circle,n=4,n=6", FATHOM_ERROR_USAGE, "n needs one value"},
        {"gen:line1d,n=4", FATHOM_ERROR_USAGE, "unknown key 'n'"},
        {"gen:gauss,target=cubic", FATHOM_ERROR_USAGE, "target takes one of normal|teacher|sign"},
        {"gen:xor,sd=-1", FATHOM_ERROR_USAGE, "sd takes a number from 0"},
        {"gen:parity,d=3,bits=4", FATHOM_ERROR_USAGE, "bits takes at most d = 3"},
        {"gen:parity,d=3,n=4,all=1", FATHOM_ERROR_USAGE, "not both"},
        {"gen:twogauss,gap=30", FATHOM_ERROR_USAGE, "gap"},
        {"gen:twogauss,mean=1,gap=2,sd=0", FATHOM_ERROR_USAGE, "gap"},
        {"gen:whitened,n=5,d=4", FATHOM_ERROR_USAGE, "n takes at most d = 4"},
        {"gen:collapse,r=5,d=3", FATHOM_ERROR_USAGE, "r takes at most d + 1 = 4"},
        {"gen:cube,d=64", FATHOM_ERROR_MEMORY, "would need"},
        {"gen:cube,d=1000000", FATHOM_ERROR_MEMORY, "would need"},
        {"gen:gauss,n=1000000000000,d=1000000000", FATHOM_ERROR_MEMORY, "would need"},
        {"builtin:", FATHOM_ERROR_USAGE, "no built-in data set"},
        {"builtin:titanic", FATHOM_ERROR_USAGE, "'titanic'"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        assert_refused(*state, bad[k].spec, (const char *const[]){NULL}, bad[k].status, bad[k].words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(every_listed_source_opens),    data_test(every_listed_source_is_documented),
        data_test(listed_keys_are_the_defaults), data_test(seeds_streams_and_threads),
        data_test(bad_specifications),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
