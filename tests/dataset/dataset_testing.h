/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of data sets share: a context per test, sets opened with options, refusals, temporary files. */
#ifndef FATHOM_DATASET_TESTING_H
#define FATHOM_DATASET_TESTING_H

#include "testing.h"

#include <string.h>
#include <unistd.h>

#include "fathom/data.h"

static inline int make_context(void **state)
{
    return fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK;
}

static inline int free_context(void **state)
{
    fathom_context_free(*state);
    return 0;
}

#define data_test(function) cmocka_unit_test_setup_teardown(function, make_context, free_context)

/* Options from "name", "value" pairs that end in NULL. */
static inline fathom_data_options options_of(fathom_context *context, const char *const *pair)
{
    fathom_data_options options;
    fathom_options_init(&options, &fathom_data_option_table);
    for (; *pair; pair += 2) {
        const fathom_option *row = fathom_options_find(&fathom_data_option_table, pair[0]);
        assert_non_null(row);
        assert_ok(context, fathom_options_set(context, &options, row, pair[1]));
    }
    return options;
}

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline fathom_data *open_with(fathom_context *context, const char *spec, const char *const *pair)
{
    fathom_data *data;
    const fathom_data_options options = options_of(context, pair);
    assert_ok(context, fathom_data_open(&data, context, spec, &options));
    return data;
}

static inline fathom_data *open_plain(fathom_context *context, const char *spec)
{
    fathom_data *data;
    assert_ok(context, fathom_data_open(&data, context, spec, NULL));
    return data;
}

/* The set is refused with `status` and a text that holds `words`. */
static inline void assert_refused(fathom_context *context, const char *spec, const char *const *pair,
                                  fathom_status status, const char *words)
{
    fathom_data *data = (fathom_data *)1;
    const fathom_data_options options = options_of(context, pair);
    const fathom_status got = fathom_data_open(&data, context, spec, &options);
    const char *text = fathom_context_error(context)->text;
    if (got != status || !strstr(text, words) || data)
        print_error("%s: status %d, '%s'; expected %d with '%s'\n", spec, (int)got, text, (int)status, words);
    assert_true(got == status && strstr(text, words) && !data);
}

/* A file with this text; the caller unlinks it. */
static inline const char *write_temporary(char path[64], const char *ending, const char *text)
{
    snprintf(path, 64, "/tmp/fathom-test-XXXXXX%s", ending);
    const int file = mkstemps(path, (int)strlen(ending));
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    return path;
}

#endif
