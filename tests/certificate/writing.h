/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for the files of a test, data read from text, certificates read back as text. */
#ifndef FATHOM_TEST_WRITING_H
#define FATHOM_TEST_WRITING_H

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "certificate_internal.h"
#include "with_context.h"

static char folder[256];

/* The path of a file in the folder; valid for three further calls. */
static inline const char *inside(const char *name)
{
    static char path[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static inline int make_folder(void **state)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/fathom-test-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) ? set_up(state) : -1;
}

/* How many files there are; they are removed. */
static inline int clear_folder(void)
{
    int count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += unlink(inside(entry->d_name)) == 0;
    closedir(directory);
    return count;
}

static inline int remove_folder(void **state)
{
    clear_folder();
    return rmdir(folder) == 0 ? tear_down(state) : -1;
}

static inline const char *put_file(const char *name, const char *text)
{
    const char *path = inside(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* All of a file as text; the caller frees it. */
static inline char *text_of(const char *path, long *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    rewind(file);
    char *text = calloc((size_t)length + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)length, file), length);
    fclose(file);
    if (size)
        *size = length;
    return text;
}

/* Opens data; options as "name value name value", cut in place by the caller's copy. */
static inline fathom_status open_data(fathom_data **data, fathom_data_options *options, fathom_context *c,
                                      const char *spec, const char *const *words)
{
    fathom_options_init(options, &fathom_data_option_table);
    for (; words && *words; words += 2)
        assert_ok(c, fathom_options_set(c, options, fathom_options_find(&fathom_data_option_table, words[0]),
                                        words[1]));
    return fathom_data_open(data, c, spec, options);
}

#endif
