/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one command line once per allocation that it makes, and fails that allocation.
 *
 *     fail_allocation [--planted|--at=N] WORD...     (the words of `fathom WORD...`; files that it writes are named out*)
 *
 * For n = 1, 2, ..., K (K allocations in an undisturbed run) a child process runs the command with an allocator
 * whose n-th answer is NULL; then again with one whose every answer from the n-th on is NULL. Accepted: exit code 6, a
 * message on standard error, no block left unreleased, and every file that is new holds the same bytes as after the
 * undisturbed run: written whole or not at all. Above MOST allocations, the first MOST/2
 * and as many evenly spaced ones are tried; FATHOM_TEST_EFFORT multiplies MOST.
 * --planted keeps one block after a failure. --at=N fails the N-th alone, in this process: for a debugger that stops
 * at `refused`.
 */
#include <dirent.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

enum { MOST = 240, EXIT_MEMORY = 6 };

/* What a child tells its parent, in shared memory. */
typedef struct tally {
    atomic_long allocations, blocks;
    long fail_at; /* 0: never */
    bool onwards; /* fail all from fail_at on */
} tally;

/* A place for breakpoints. */
static __attribute__((noinline)) bool refused(void)
{
    __asm__ volatile(""); /* else the call is dropped */
    return true;
}

static bool refuse(tally *counts)
{
    const long number = atomic_fetch_add(&counts->allocations, 1) + 1;
    const bool due = counts->onwards ? number >= counts->fail_at : number == counts->fail_at;
    return counts->fail_at && due && refused();
}

static void *allocate(void *user, size_t size)
{
    tally *counts = user;
    void *block = refuse(counts) ? NULL : malloc(size ? size : 1);
    if (block)
        atomic_fetch_add(&counts->blocks, 1);
    return block;
}

static void *resize(void *user, void *block, size_t size)
{
    tally *counts = user;
    void *moved = refuse(counts) ? NULL : realloc(block, size ? size : 1);
    if (moved && !block)
        atomic_fetch_add(&counts->blocks, 1);
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

/* Runs the command in a child, its streams into `messages` (stderr) and nowhere (stdout). Returns its wait status. */
static int run_child(tally *counts, FILE *messages, int argc, char **argv)
{
    counts->allocations = 0;
    counts->blocks = 0;
    rewind(messages);
    if (ftruncate(fileno(messages), 0))
        return -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const fathom_allocator allocator = {allocate, resize, release, counts};
        dup2(fileno(messages), STDERR_FILENO);
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        exit(cli_main(argc, argv, &allocator));
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

/* Prints what is wrong with a run whose n-th allocation failed; true where nothing is. */
static bool accept_run(const tally *counts, int status, FILE *messages)
{
    const char *what = NULL;
    if (!WIFEXITED(status))
        what = "the command crashed";
    else if (WEXITSTATUS(status) != EXIT_MEMORY)
        what = "the exit code is not 6";
    else if (counts->blocks != 0)
        what = "blocks were not released";
    else if (for_outputs(differs))
        what = "a file is not whole";
    else if (lseek(fileno(messages), 0, SEEK_END) == 0)
        what = "no message was printed";
    if (!what)
        return true;
    printf("allocation %ld fails%s: %s (wait status %#x, %ld blocks left)\n", counts->fail_at,
           counts->onwards ? " and all later ones" : "", what, (unsigned)status, (long)counts->blocks);
    char line[300];
    rewind(messages);
    while (fgets(line, sizeof line, messages))
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
static long fail_each(tally *counts, FILE *messages, bool planted, int argc, char **argv)
{
    const char *effort = getenv("FATHOM_TEST_EFFORT");
    const long budget = (long)(MOST * (effort ? atof(effort) : 1)) + 2;
    const long total = counts->allocations;
    long tried = 0, rejected = 0;
    for (long n = 1; n <= total && rejected < 5; n = next_number(n, total, budget), tried++)
        for (int onwards = 0; onwards < 2; onwards++) {
            counts->fail_at = n;
            counts->onwards = onwards;
            const int status = run_child(counts, messages, argc, argv);
            counts->blocks += planted;
            rejected += !accept_run(counts, status, messages);
        }
    printf("%ld allocations, %ld of them failed in turn, %ld runs rejected\n", total, tried, rejected);
    return rejected;
}

int main(int argc, char **argv)
{
    const bool planted = argc > 1 && strcmp(argv[1], "--planted") == 0;
    const bool at = argc > 1 && strncmp(argv[1], "--at=", 5) == 0;
    tally one = {.fail_at = at ? atol(argv[1] + 5) : 0};
    argc -= planted || at;
    argv += planted || at;
    argv[0] = "fathom";
    if (at)
        return cli_main(argc, argv, &(fathom_allocator){allocate, resize, release, &one});
    tally *counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    FILE *messages = tmpfile();
    if (counts == MAP_FAILED || !messages)
        return 1;
    const int status = run_child(counts, messages, argc, argv);
    for_outputs(keep_expected);
    const bool done = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == EXIT_LIMIT);
    if (!done || counts->blocks != 0) {
        printf("undisturbed run: wait status %#x, %ld blocks left\n", (unsigned)status, (long)counts->blocks);
        return 1;
    }
    return fail_each(counts, messages, planted, argc, argv) != 0;
}
