/* SPDX-License-Identifier: Apache-2.0 */
/* Files written whole or not at all: contents, permissions, links, failures, nothing left behind. */
#include "io_testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "file_write.h"

static char folder[256];

static int make_folder(void **state)
{
    snprintf(folder, sizeof folder, "%s", scratch_path("-folder"));
    return mkdir(folder, 0777) == 0 ? make_context(state) : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder) == 0 ? free_context(state) : -1; /* fails where anything was left behind */
}

static const char *inside(const char *name)
{
    static char path[3][512];
    static int turn;
    turn = (turn + 1) % 3;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static void holds(const char *path, const char *text)
{
    char data[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(data, 1, sizeof data - 1, file);
    fclose(file);
    data[size] = 0;
    assert_string_equal(data, text);
}

static int entries(void)
{
    DIR *directory = opendir(folder);
    int count = 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static void whole_or_nothing(void **state)
{
    (void)state;
    fathom_file *file;
    const char *path = inside("file");
    assert_ok(context, fathom_file_write_all(context, path, "old", 3));
    assert_ok(context, fathom_file_create(&file, context, path));
    assert_ok(context, fathom_file_print(file, "%s %d", "new", 7));
    holds(path, "old");
    assert_int_equal(entries(), 2);
    fathom_file_abort(file);
    holds(path, "old");
    assert_int_equal(entries(), 1);
    assert_ok(context, fathom_file_create(&file, context, path));
    assert_ok(context, fathom_file_print(file, "%s %d ", "new", 7));
    assert_ok(context, fathom_file_write_number(file, 0.1));
    assert_ok(context, fathom_file_commit(file));
    holds(path, "new 7 0.1");
    assert_int_equal(entries(), 1);
    unlink(path);
}

/* Text of any length is written whole. */
static void long_text(void **state)
{
    (void)state;
    const char *path = inside("text");
    char expected[3100];
    fathom_file *file;
    assert_ok(context, fathom_file_create(&file, context, path));
    assert_ok(context, fathom_file_print(file, "%1022d%1023d%1024d", 1, 2, 3));
    assert_ok(context, fathom_file_commit(file));
    snprintf(expected, sizeof expected, "%1022d%1023d%1024d", 1, 2, 3);
    holds(path, expected);
    unlink(path);
}

static void large(void **state)
{
    (void)state;
    enum { COUNT = 300000 };
    const char *path = inside("large");
    fathom_file *file;
    assert_ok(context, fathom_file_create(&file, context, path));
    for (int k = 0; k < COUNT; k++)
        fathom_file_write(file, &k, sizeof k);
    assert_ok(context, fathom_file_commit(file));
    FILE *back = fopen(path, "rb");
    for (int k = 0; k < COUNT; k++) {
        int value;
        assert_int_equal(fread(&value, sizeof value, 1, back), 1);
        assert_int_equal(value, k);
    }
    assert_int_equal(fgetc(back), EOF);
    fclose(back);
    unlink(path);
}

static void permissions_and_links(void **state)
{
    (void)state;
    struct stat information;
    const char *path = inside("target"), *link = inside("link");
    assert_ok(context, fathom_file_write_all(context, path, "1", 1));
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("target", link), 0);
    assert_ok(context, fathom_file_write_all(context, link, "2", 1));
    holds(path, "2");
    assert_int_equal(lstat(link, &information), 0);
    assert_true(S_ISLNK(information.st_mode));
    assert_int_equal(stat(path, &information), 0);
    assert_int_equal(information.st_mode & 0777, 0640);
    unlink(link);
    unlink(path);
    assert_ok(context, fathom_file_write_all(context, "/dev/null", "3", 1));
}

static void fails_with(const char *path, const char *words)
{
    assert_int_equal(fathom_file_write_all(context, path, "text", 4), FATHOM_ERROR_RUNTIME);
    const fathom_error *error = fathom_context_error(context);
    assert_non_null(strstr(error->text, words));
    assert_non_null(error->file);
}

static void failures(void **state)
{
    (void)state;
    fails_with(inside("missing/file"), "No such file");
    fails_with(folder, "Is a directory");
    if (access("/dev/full", W_OK) == 0)
        fails_with("/dev/full", "No space left");
    char path[6000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    fails_with(path, "too long");
}

/* Standard output is written and stays open. */
static void standard_output(void **state)
{
    (void)state;
    const char *path = inside("out");
    fflush(stdout);
    const int saved = dup(STDOUT_FILENO), redirected = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(redirected, STDOUT_FILENO);
    close(redirected);
    const fathom_status first = fathom_file_write_all(context, "-", "one ", 4);
    const fathom_status second = fathom_file_write_all(context, "/dev/stdout", "two", 3);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_ok(context, first);
    assert_ok(context, second);
    holds(path, "one two");
    unlink(path);
}

static void *read_later(void *path)
{
    static char text[16];
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    FILE *file = fopen(path, "r");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = 0;
    if (file)
        fclose(file);
    return text;
}

/* A named pipe: its reader is waited for, but not beyond the limit. */
static void named_pipe(void **state)
{
    (void)state;
    char path[300];
    pthread_t thread;
    void *text;
    fathom_file *file;
    snprintf(path, sizeof path, "%s", scratch_path(".fifo"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&thread, NULL, read_later, path), 0);
    assert_ok(context, fathom_file_create(&file, context, path));
    assert_ok(context, fathom_file_write(file, "hello", 5));
    assert_ok(context, fathom_file_commit(file));
    pthread_join(thread, &text);
    assert_string_equal(text, "hello");
    fathom_context_set_time_limit(context, -100);
    assert_int_equal(fathom_file_create(&file, context, path), FATHOM_ERROR_RUNTIME);
    fathom_context_set_time_limit(context, INFINITY);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_or_nothing),
        cmocka_unit_test(long_text),
        cmocka_unit_test(large),
        cmocka_unit_test(permissions_and_links),
        cmocka_unit_test(failures),
        cmocka_unit_test(standard_output),
        cmocka_unit_test(named_pipe),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
