/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one command line once per allocation that it makes, and fails that allocation.
 *
 *     fail_allocation [--planted|--at=N] WORD...     (the words of `fathom WORD...`; files that it writes are
 *       named out*)
 *
 * Allocations are all calls of malloc and its kin from cli_main on, those of libraries and of the C library
 * included: this program's malloc stands before the C library's (glibc; elsewhere the context's allocations
 * alone). For n = 1, 2, ..., K (K allocations in an undisturbed run) a child process runs the command with
 * the n-th answer NULL; then again with every answer from the n-th on NULL. Accepted: exit code 6 with a
 * message on standard error (the runtime of OpenMP ends the program itself), or all as in the undisturbed run
 * (libraries may do without); no block of the context left unreleased; and every file that is new holds the
 * same bytes as after the undisturbed run: written whole or not at all. Above MOST allocations, the first
 * MOST/2 and as many evenly spaced ones are tried; FATHOM_TEST_EFFORT multiplies MOST. A child that takes
 * LONGEST seconds hangs. --planted keeps one block after a failure. --at=N fails the N-th alone, in this
 * process: for a debugger that stops at `refused`.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

enum { MOST = 100, LONGEST = 60 };

/* What a child tells its parent, in shared memory. */
typedef struct tally {
    atomic_long allocations, blocks;
    long fail_at;      /* 0: never */
    bool onwards;      /* fail all from fail_at on */
    atomic_bool begun; /* allocations count */
    bool returned;     /* from cli_main: no library ended the program */
    int64_t own_code;  /* exit code of the undisturbed run */
} tally;

static tally *counts;

/* A place for breakpoints. */
static __attribute__((noinline)) bool refused(void)
{
    __asm__ volatile(""); /* else the call is dropped */
    return true;
}

static bool refuse(void)
{
    if (!counts || !atomic_load(&counts->begun))
        return false;
    const long number = atomic_fetch_add(&counts->allocations, 1) + 1;
    const bool due = counts->onwards ? number >= counts->fail_at : number == counts->fail_at;
    return counts->fail_at && due && refused();
}

#ifdef __has_feature /* Clang's names for what gcc calls __SANITIZE_... */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)
enum { EVERY = true };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void *none(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) { return refuse() ? none() : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return refuse() ? none() : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return refuse() ? none() : __libc_realloc(block, size); }
void *aligned_alloc(size_t alignment, size_t size)
{
    return refuse() ? none() : __libc_memalign(alignment, size);
}
int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = refuse() ? NULL : __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
#else
enum { EVERY = false };
#endif

static void *allocate(void *user, size_t size)
{
    tally *c = user;
    void *block = !EVERY && refuse() ? NULL : malloc(size ? size : 1);
    if (block)
        atomic_fetch_add(&c->blocks, 1);
    return block;
}

static void *resize(void *user, void *block, size_t size)
{
    tally *c = user;
    void *moved = !EVERY && refuse() ? NULL : realloc(block, size ? size : 1);
    if (moved && !block)
        atomic_fetch_add(&c->blocks, 1);
    return moved;
}

static void release(void *user, void *block)
{
    if (block)
        atomic_fetch_sub(&((tally *)user)->blocks, 1);
    free(block);
}

/* Calls `visit` for every entry of the working directory that is named out*. */
static int for_outputs(int visit(const char *name))
{
    int total = 0;
    const struct dirent *entry;
    DIR *directory = opendir(".");
    while (directory && (entry = readdir(directory)))
        if (strncmp(entry->d_name, "out", 3) == 0)
            total += visit(entry->d_name);
    if (directory)
        closedir(directory);
    return total;
}

static void expected_name(char *path, size_t size, const char *name)
{
    snprintf(path, size, "expected-%s", name);
}

/* Keeps a file of the undisturbed run for comparison. */
static int keep_expected(const char *name)
{
    char expected[PATH_MAX];
    expected_name(expected, sizeof expected, name);
    return rename(name, expected) != 0;
}

/* 1 where the file differs from that of the undisturbed run, or there was none; removes it. */
static int differs(const char *name)
{
    char expected[PATH_MAX];
    expected_name(expected, sizeof expected, name);
    FILE *a = fopen(name, "rb"), *b = fopen(expected, "rb");
    int left = a ? getc(a) : EOF, right = b ? getc(b) : EOF;
    while (left == right && left != EOF) {
        left = getc(a);
        right = getc(b);
    }
    const int different = !a || !b || left != right;
    if (a)
        fclose(a);
    if (b)
        fclose(b);
    unlink(name);
    return different;
}

/* Where the streams of a child go. */
typedef struct streams {
    FILE *messages, *output, *expected; /* stderr, stdout, stdout of the undisturbed run */
    bool steady;                        /* two of those print the same: nothing that is measured */
} streams;

static bool empty(FILE *file)
{
    rewind(file);
    return ftruncate(fileno(file), 0) == 0;
}

/* Runs the command in a child. Returns its wait status. */
static int run_child(const streams *to, FILE *output, int argc, char **argv)
{
    counts->allocations = 0;
    counts->blocks = 0;
    counts->returned = false;
    if (!empty(to->messages) || !empty(output))
        return -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const fathom_allocator allocator = {allocate, resize, release, counts};
        dup2(fileno(to->messages), STDERR_FILENO);
        dup2(fileno(output), STDOUT_FILENO);
        signal(SIGALRM, SIG_DFL);
        alarm(LONGEST);
        atomic_store(&counts->begun, true);
        const int code = cli_main(argc, argv, &allocator);
        counts->returned = true;
        atomic_store(&counts->begun, false);
        exit(code);
    }
    int status = -1;
    const bool ended = child > 0 && waitpid(child, &status, 0) == child;
    atomic_store(&counts->begun, false);
    return ended ? status : -1;
}

/* Whether two streams hold the same bytes. */
static bool same(FILE *a, FILE *b)
{
    int left, right;
    rewind(a);
    rewind(b);
    do {
        left = getc(a);
        right = getc(b);
    } while (left == right && left != EOF);
    return left == right;
}

static const char *judge(const streams *to, int status)
{
    if (!WIFEXITED(status))
        return "the command crashed or hung";
    const bool memory = WEXITSTATUS(status) == EXIT_MEMORY;
    if (!memory && WEXITSTATUS(status) != counts->own_code)
        return "the exit code is neither 6 nor that of the undisturbed run";
    if (!memory && to->steady && !same(to->output, to->expected))
        return "another result";
    if (counts->returned && counts->blocks != 0)
        return "blocks were not released";
    if (for_outputs(differs))
        return "a file is not whole";
    if (memory && lseek(fileno(to->messages), 0, SEEK_END) == 0)
        return "no message was printed";
    return NULL;
}

/* Prints what is wrong with a run whose n-th allocation failed; true where nothing is. */
static bool accept_run(const streams *to, int status)
{
    const char *what = judge(to, status);
    for_outputs(differs);
    if (!what)
        return true;
    printf("allocation %ld fails%s: %s (wait status %#x, %ld blocks left)\n", counts->fail_at,
           counts->onwards ? " and all later ones" : "", what, (unsigned)status, (long)counts->blocks);
    char line[300];
    rewind(to->messages);
    while (fgets(line, sizeof line, to->messages))
        printf("    %s", line);
    return false;
}

/* The next n to try: all of the first half of the budget, then evenly spaced ones. */
static long next_number(long n, long total, long budget)
{
    if (total <= budget || n < budget / 2)
        return n + 1;
    return n + (total - budget / 2) / (budget / 2) + 1;
}

/* Fails every allocation in turn; returns the number of runs that were not accepted. */
static long fail_each(const streams *to, bool planted, int argc, char **argv)
{
    const char *effort = getenv("FATHOM_TEST_EFFORT");
    const long budget = (long)(MOST * (effort ? atof(effort) : 1)) + 2;
    const long total = counts->allocations;
    long tried = 0, rejected = 0;
    for (long n = 1; n <= total && rejected < 5; n = next_number(n, total, budget), tried++)
        for (int onwards = 0; onwards < 2; onwards++) {
            counts->fail_at = n;
            counts->onwards = onwards;
            const int status = run_child(to, to->output, argc, argv);
            counts->blocks += planted;
            rejected += !accept_run(to, status);
        }
    printf("%ld allocations, %ld of them failed in turn, %ld runs rejected\n", total, tried, rejected);
    return rejected;
}

int main(int argc, char **argv)
{
    const bool planted = argc > 1 && strcmp(argv[1], "--planted") == 0;
    const bool at = argc > 1 && strncmp(argv[1], "--at=", 5) == 0;
    static tally one;
    one.fail_at = at ? atol(argv[1] + 5) : 0;
    argc -= planted || at;
    argv += planted || at;
    argv[0] = "fathom";
    if (at) {
        counts = &one;
        one.begun = true;
        return cli_main(argc, argv, &(fathom_allocator){allocate, resize, release, &one});
    }
    void *shared = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    streams to = {tmpfile(), tmpfile(), tmpfile(), true};
    if (shared == MAP_FAILED || !to.messages || !to.output || !to.expected)
        return 1;
    counts = shared;
    const int status = run_child(&to, to.expected, argc, argv);
    for_outputs(keep_expected);
    counts->own_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if ((counts->own_code != 0 && counts->own_code != EXIT_LIMIT) || counts->blocks != 0) {
        printf("undisturbed run: wait status %#x, %ld blocks left\n", (unsigned)status, (long)counts->blocks);
        return 1;
    }
    run_child(&to, to.output, argc, argv);
    for_outputs(differs);
    to.steady = same(to.output, to.expected);
    return fail_each(&to, planted, argc, argv) != 0;
}
