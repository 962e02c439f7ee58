/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a call: every way to name one file twice, what is allowed, outputs that cannot be written. */
#include "io_testing.h"

#include <sys/stat.h>

#include "inner/files.h"
#include "file_write.h"
#include "leftovers.h"

static char folder[256];

static const char *inside(const char *name)
{
    static char path[4][512];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static int make_folder(void **state)
{
    snprintf(folder, sizeof folder, "%s", scratch_path("-files"));
    if (mkdir(folder, 0777) != 0 || make_context(state) != 0)
        return -1;
    return fathom_file_write_all(context, inside("data.csv"), "1,2\n", 4) == FATHOM_OK &&
                   symlink(inside("data.csv"), inside("soft")) == 0 &&
                   link(inside("data.csv"), inside("hard")) == 0
               ? 0
               : -1;
}

static int remove_folder(void **state)
{
    unlink(inside("data.csv"));
    unlink(inside("soft"));
    unlink(inside("hard"));
    return rmdir(folder) == 0 ? free_context(state) : -1; /* fails where anything was left behind */
}

static fathom_status check(const char *a, fathom_file_purpose as, const char *b, fathom_file_purpose bs)
{
    const fathom_file_use use[] = {{a, "one", as}, {b, "other", bs}};
    return fathom_files_check(context, use, 2);
}

static void an_input_is_never_an_output(void **state)
{
    (void)state;
    const char *const names[] = {"data.csv", "soft", "hard", "./data.csv", "../data.csv"};
    const char *data = inside("data.csv");
    char twice[600];
    snprintf(twice, sizeof twice, "%s/.//data.csv", folder);
    for (int k = 0; k < 4; k++)
        assert_int_equal(check(data, FATHOM_FILE_READ, inside(names[k]), FATHOM_FILE_WRITE),
                         FATHOM_ERROR_USAGE);
    assert_int_equal(check(twice, FATHOM_FILE_WRITE, data, FATHOM_FILE_READ), FATHOM_ERROR_USAGE);
    snprintf(twice, sizeof twice, "%s/data.csv:0:1", folder);
    assert_int_equal(check(twice, FATHOM_FILE_READ, data, FATHOM_FILE_CHECKPOINT), FATHOM_ERROR_USAGE);
    assert_non_null(strstr(fathom_context_error(context)->text, "one and other"));
}

static void outputs_differ(void **state)
{
    (void)state;
    char other[600];
    snprintf(other, sizeof other, "%s/./new", folder);
    assert_int_equal(check(inside("new"), FATHOM_FILE_WRITE, other, FATHOM_FILE_WRITE), FATHOM_ERROR_USAGE);
    assert_int_equal(check(inside("new"), FATHOM_FILE_BESIDE, other, FATHOM_FILE_WRITE), FATHOM_ERROR_USAGE);
    assert_ok(context, check(inside("new"), FATHOM_FILE_WRITE, inside("newer"), FATHOM_FILE_WRITE));
}

static void what_is_allowed(void **state)
{
    (void)state;
    assert_ok(context, check(inside("data.csv"), FATHOM_FILE_READ, inside("soft"), FATHOM_FILE_READ));
    assert_ok(context,
              check(inside("data.csv"), FATHOM_FILE_RESUME, inside("data.csv"), FATHOM_FILE_CHECKPOINT));
    assert_ok(context, check("gen:circle,n=8", FATHOM_FILE_READ, inside("new"), FATHOM_FILE_WRITE));
    assert_ok(context, check("-", FATHOM_FILE_READ, "-", FATHOM_FILE_WRITE));
    assert_ok(context, check(inside("data.csv"), FATHOM_FILE_READ, inside("data.csv"), FATHOM_FILE_BESIDE));
    assert_ok(context, check("/dev/null", FATHOM_FILE_WRITE, "/dev/null", FATHOM_FILE_WRITE));
}

static void outputs_are_tried(void **state)
{
    (void)state;
    const fathom_file_use lost[] = {{inside("no/such/folder"), "output", FATHOM_FILE_WRITE}};
    const fathom_file_use directory[] = {{folder, "output", FATHOM_FILE_WRITE}};
    assert_int_equal(fathom_files_check(context, lost, 1), FATHOM_ERROR_RUNTIME);
    assert_int_equal(fathom_files_check(context, directory, 1), FATHOM_ERROR_RUNTIME);
}

/* A folder that goes after it was tried: the bytes are in a file that the text names. */
static void a_failure_after_the_check_is_rescued(void **state)
{
    (void)state;
    char path[600], rescue[600], data[16] = "";
    fathom_file *file;
    snprintf(path, sizeof path, "%s/sub", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/sub/model", folder);
    const fathom_file_use use[] = {{path, "output", FATHOM_FILE_WRITE}};
    assert_ok(context, fathom_files_check(context, use, 1));
    assert_int_equal(rmdir(inside("sub")), 0);
    assert_ok(context, fathom_file_create(&file, context, path));
    fathom_file_write(file, "weights", 7);
    assert_int_equal(fathom_file_commit(file), FATHOM_ERROR_RUNTIME);
    const char *named = strstr(fathom_context_error(context)->text, "is in ");
    assert_non_null(named);
    assert_int_equal(sscanf(named, "is in %599s", rescue), 1);
    FILE *found = fopen(rescue, "rb");
    assert_non_null(found);
    assert_int_equal(fread(data, 1, sizeof data, found), 7);
    fclose(found);
    assert_string_equal(data, "weights");
    assert_int_equal(unlink(rescue), 0);
}

static void settling(void **state)
{
    (void)state;
    bool made;
    int leftover;
    assert_ok(context, fathom_file_write_all(context, inside("tmp"), "a", 1));
    assert_ok(context, fathom_file_settle(&made, &leftover, context, inside("tmp"), inside("new")));
    assert_true(made && leftover > 0);
    fathom_leftover_drop(leftover);
    assert_ok(context, fathom_file_write_all(context, inside("tmp"), "a", 1));
    assert_ok(context, fathom_file_settle(&made, &leftover, context, inside("tmp"), inside("new")));
    assert_false(made || leftover);
    assert_ok(context, fathom_file_write_all(context, inside("tmp"), "b", 1));
    assert_int_equal(fathom_file_settle(&made, &leftover, context, inside("tmp"), inside("new")),
                     FATHOM_ERROR_USAGE);
    assert_false(made);
    unlink(inside("tmp"));
    assert_int_equal(unlink(inside("new")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_is_never_an_output),
        cmocka_unit_test(outputs_differ),
        cmocka_unit_test(what_is_allowed),
        cmocka_unit_test(outputs_are_tried),
        cmocka_unit_test(a_failure_after_the_check_is_rescued),
        cmocka_unit_test(settling),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
