/* SPDX-License-Identifier: Apache-2.0 */
/* What platform.h and platform_program.h promise, on a system where nothing else runs; started with words it is its
 * own child. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fathom/interrupt.h"
#include "platform.h"
#include "platform_program.h"

static int failures;

#define EXPECT(what) ((what) ? (void)0 : (void)(printf("line %d: %s\n", __LINE__, #what), failures++))

static void try_clocks(void)
{
    const double start = fathom_platform_seconds(), used = fathom_platform_thread_seconds();
    volatile double sum = 0;
    for (int k = 0; k < 30000000; k++)
        sum += k;
    EXPECT(fathom_platform_seconds() > start);
    EXPECT(fathom_platform_thread_seconds() >= used);
    EXPECT(fathom_platform_memory() > 0 && fathom_platform_cache() > 0 && fathom_platform_processors() > 0);
}

/* As file_write.c does: a new file beside the old one, renamed over it while it is open. */
static void try_replacing(void)
{
    char text[16] = "";
    const int old = fathom_platform_open("old.txt", FATHOM_PLATFORM_NEW);
    EXPECT(old >= 0 && fathom_platform_write(old, "old", 3) == 3 && fathom_platform_close(old));
    EXPECT(fathom_platform_open("old.txt", FATHOM_PLATFORM_NEW) < 0 && errno == EEXIST);
    const int made = fathom_platform_open("new.txt", FATHOM_PLATFORM_NEW);
    EXPECT(fathom_platform_write(made, "newer\n", 6) == 6 && fathom_platform_sync(made));
    EXPECT(fathom_platform_read_at(made, text, 5, 0) == 5 && strcmp(text, "newer") == 0);
    EXPECT(fathom_platform_write(made, "!", 1) == 1); /* where the writing stood, not the reading */
    EXPECT(fathom_platform_rename("new.txt", "old.txt"));
    EXPECT(fathom_platform_close(made));
    EXPECT(!fathom_platform_exists("new.txt") && fathom_platform_readable("old.txt"));
}

static void try_looking(void)
{
    fathom_platform_file file, other, folder;
    char whole[FATHOM_PLATFORM_PATH];
    EXPECT(fathom_platform_look(&file, "old.txt") && file.kind == FATHOM_PLATFORM_REGULAR && file.size == 7);
    EXPECT(fathom_platform_look(&folder, ".") && folder.kind == FATHOM_PLATFORM_FOLDER);
    EXPECT(!fathom_platform_look(&other, "missing.txt") && errno == ENOENT);
    EXPECT(fathom_platform_link("old.txt", "second.txt") && !fathom_platform_link("old.txt", "second.txt"));
    EXPECT(fathom_platform_look(&other, "second.txt"));
    EXPECT(file.device == other.device && file.number == other.number && file.number != folder.number);
    EXPECT(fathom_platform_resolve(whole, "./old.txt") && fathom_platform_look(&other, whole));
    EXPECT(file.number == other.number && strcmp(fathom_platform_name(whole), "old.txt") == 0);
}

static void try_appending(void)
{
    char text[32] = "";
    for (int k = 0; k < 2; k++) {
        const int log = fathom_platform_open("second.txt", FATHOM_PLATFORM_APPEND);
        EXPECT(fathom_platform_write(log, "end\n", 4) == 4 && fathom_platform_close(log));
    }
    const int file = fathom_platform_open("old.txt", FATHOM_PLATFORM_READ);
    EXPECT(fathom_platform_read(file, text, sizeof text - 1) == 15 &&
           strcmp(text, "newer\n!end\nend\n") == 0);
    EXPECT(fathom_platform_close(file));
    EXPECT(fathom_platform_remove("old.txt") && fathom_platform_remove("second.txt"));
    EXPECT(!fathom_platform_remove("old.txt") && errno == ENOENT);
}

static void count(void) { failures += 1000; }

static void try_once_and_locks(void)
{
    static fathom_platform_once_flag flag = FATHOM_PLATFORM_ONCE;
    static fathom_platform_mutex mutex = FATHOM_PLATFORM_MUTEX;
    const int before = failures;
    fathom_platform_once(&flag, count);
    fathom_platform_once(&flag, count);
    fathom_platform_mutex_lock(&mutex);
    EXPECT(failures == before + 1000);
    failures -= 1000;
    fathom_platform_mutex_unlock(&mutex);
    EXPECT(fathom_platform_thread_memory(100) != NULL && fathom_platform_try_threads(4) == 4);
}

/* A child with words that need quotes: its output, its exit code. */
static void try_child(void)
{
    static const char expected[] = "<a b><c\"d><e\\><\\\"f\\\\><>";
    char *words[] = {"child", "say", "a b", "c\"d", "e\\", "\\\"f\\\\", "", NULL};
    char text[100] = "";
    int pipe = -1, code = -1;
    fathom_platform_child child = 0;
    EXPECT(fathom_platform_child_start(&child, NULL, words, true, NULL, &pipe) == 0);
    size_t used = 0;
    for (int64_t got = 1; got != 0 && used + 1 < sizeof text;) {
        got = fathom_platform_child_read(pipe, text + used, sizeof text - 1 - used, 0.02);
        used += got > 0 ? (size_t)got : 0;
    }
    fathom_platform_child_close(pipe);
    EXPECT(fathom_platform_child_ended(&code, child, true) && code == 7);
    EXPECT(strcmp(text, expected) == 0);
}

/* One that would not end is ended; one goes to a file. */
static void try_children(void)
{
    char *sleeps[] = {"child", "sleep", NULL}, *says[] = {"child", "say", "x", NULL};
    int code = 0;
    fathom_platform_child child = 0;
    fathom_platform_file file;
    fathom_platform_children_adopt();
    EXPECT(fathom_platform_child_start(&child, NULL, sleeps, true, "out.txt", NULL) == 0);
    EXPECT(!fathom_platform_child_ended(&code, child, false));
    fathom_platform_child_kill(child);
    EXPECT(fathom_platform_child_ended(&code, child, true) && code != 0);
    EXPECT(fathom_platform_child_start(&child, NULL, says, true, "out.txt", NULL) == 0);
    EXPECT(fathom_platform_child_ended(&code, child, true) && code == 7);
    EXPECT(fathom_platform_look(&file, "out.txt") && file.size == 3 && fathom_platform_remove("out.txt"));
}

static volatile int rings;
static void ring(void) { rings++; }
static void ignore(void) {}

static void try_the_rest(void)
{
    char folder[FATHOM_CHILD_PATH];
    platform_listen(ignore, ring);
    platform_set_alarm(0.05);
    for (int k = 0; k < 200 && !rings; k++)
        platform_pause(0.01);
    EXPECT(rings == 1);
    EXPECT(fathom_platform_make_temporary(folder, sizeof folder) && platform_make_folder(folder));
    fathom_platform_remove_folder(folder);
    EXPECT(!fathom_platform_exists(folder));
    EXPECT(platform_set_variable("FATHOM_TRIED", "1") && strcmp(getenv("FATHOM_TRIED"), "1") == 0);
    EXPECT(platform_set_variable("FATHOM_TRIED", NULL) && !getenv("FATHOM_TRIED"));
}

/* In place of context.c's: only how often it is called counts here. */
static volatile int interrupts, own_calls;
void fathom_context_interrupt(fathom_context *context) { interrupts += context != NULL; }
static void own(int number)
{
    own_calls++;
    signal(number, own);
}

/* Ctrl-C reaches the context and the program's own handler, every time; then that handler alone. */
static void try_interrupting(void)
{
    char stands_for_context;
    signal(SIGINT, own);
    fathom_context_listen((fathom_context *)(void *)&stands_for_context);
    for (int k = 1; k <= 3; k++) {
        raise(SIGINT);
        EXPECT(interrupts == k && own_calls == k);
    }
    fathom_context_listen(NULL);
    raise(SIGINT);
    EXPECT(interrupts == 3 && own_calls == 4);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "sleep") == 0)
        platform_pause(60);
    for (int k = 2; k < argc; k++)
        printf("<%s>", argv[k]);
    if (argc > 1)
        return 7;
    try_clocks();
    try_replacing();
    try_looking();
    try_appending();
    try_once_and_locks();
    try_child();
    try_children();
    try_the_rest();
    try_interrupting();
    printf("%d failures\n", failures);
    return failures != 0;
}
