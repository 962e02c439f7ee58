/* SPDX-License-Identifier: Apache-2.0 */
#include "testing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "platform_child.h"

/* All that a child says until it closes the pipe. */
static void hear(char *text, size_t size, int pipe)
{
    size_t used = 0;
    for (int64_t got = 1; got != 0 && used + 1 < size;) {
        got = fathom_platform_child_read(pipe, text + used, size - 1 - used, 0.02);
        used += got > 0 ? (size_t)got : 0;
    }
    text[used] = 0;
    fathom_platform_child_close(pipe);
}

static void words_output_and_exit_code(void **state)
{
    (void)state;
    char *words[] = {"sh", "-c", "sleep 0.1; printf '<%s>' \"$@\"; exit 7", "sh", "a b", "c\"d", "e\\",
                     "",   NULL};
    char text[100];
    int pipe, code = -1;
    fathom_platform_child child;
    assert_int_equal(fathom_platform_child_start(&child, "sh", words, true, NULL, &pipe), 0);
    hear(text, sizeof text, pipe);
    assert_true(fathom_platform_child_ended(&code, child, true));
    assert_int_equal(code, 7);
    assert_string_equal(text, "<a b><c\"d><e\\><>");
}

static void a_child_without_words_is_silent_for_a_while(void **state)
{
    (void)state;
    char *words[] = {"sleep", "60", NULL}, byte;
    int pipe, code = 0;
    fathom_platform_child child;
    assert_int_equal(fathom_platform_child_start(&child, "sleep", words, true, NULL, &pipe), 0);
    assert_int_equal(fathom_platform_child_read(pipe, &byte, 1, 0.01), -1);
    assert_false(fathom_platform_child_ended(&code, child, false));
    fathom_platform_child_kill(child);
    assert_true(fathom_platform_child_ended(&code, child, true));
    assert_int_equal(code, -1); /* it has none */
    assert_int_equal(fathom_platform_child_read(pipe, &byte, 1, 1), 0);
    fathom_platform_child_close(pipe);
}

static void output_goes_to_a_file(void **state)
{
    (void)state;
    char folder[FATHOM_CHILD_PATH], path[FATHOM_CHILD_PATH + 8];
    char *words[] = {"sh", "-c", "read line || echo nothing to read", NULL};
    int code;
    fathom_platform_child child;
    struct stat found;
    assert_true(fathom_platform_make_temporary(folder, sizeof folder));
    assert_int_equal(stat(folder, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0700);
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(fathom_platform_child_start(&child, "sh", words, true, path, NULL), 0);
    assert_true(fathom_platform_child_ended(&code, child, true));
    assert_int_equal(code, 0);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_size, strlen("nothing to read\n"));
    remove(path);
    fathom_platform_remove_folder(folder);
    assert_int_not_equal(stat(folder, &found), 0);
}

static void what_cannot_be_started_says_why(void **state)
{
    (void)state;
    char *words[] = {"no-such-program-of-fathom", NULL};
    int pipe;
    fathom_platform_child child;
    assert_int_equal(fathom_platform_child_start(&child, words[0], words, true, NULL, &pipe), ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_output_and_exit_code),
        cmocka_unit_test(a_child_without_words_is_silent_for_a_while),
        cmocka_unit_test(output_goes_to_a_file),
        cmocka_unit_test(what_cannot_be_started_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
