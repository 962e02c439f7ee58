/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Before the libraries are loaded. OpenBLAS takes 2^27 bytes of address space for each of its threads in a
 * constructor, before main, and where there are none tries for ever, or in newer versions ends the program as if it had
 * failed: so where the address space is limited it is told to use one thread, and where even that takes a second of
 * processor time (a start takes a fiftieth) or ends the program, the exit code is that of memory.
 *
 * Functions in .preinit_array run before the constructors of all libraries; the C library itself can make
 * system calls by then, and has no environment yet but the one that it hands over. Other systems: nothing
 * happens here.
 */
#include "platform_program.h"

#if defined(__linux__) && defined(__ELF__)

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { OUT_OF_MEMORY = 6, VARIABLES = 4096 };

static const char one_thread[] = "OPENBLAS_NUM_THREADS=1";

static bool loaded; /* main has begun */

static void end_unloaded(void)
{
    if (!loaded)
        platform_end(OUT_OF_MEMORY,
                     "fathom: out of memory: the libraries find too little address space (ulimit -v)\n");
}

static void on_patience(int number)
{
    (void)number;
    end_unloaded();
}

static void set_patience(time_t seconds, void (*handler)(int))
{
    const struct itimerval timer = {.it_value = {seconds, 0}};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* Starts this program again with one thread for the BLAS; comes back where it cannot. */
static void start_again(char **words, char **environment)
{
    static char *variables[VARIABLES];
    char path[FATHOM_CHILD_PATH];
    const size_t name = strcspn(one_thread, "=") + 1;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    size_t count = 0;
    for (; *environment && count < VARIABLES - 2; environment++)
        if (strncmp(*environment, one_thread, name) != 0)
            variables[count++] = *environment;
    if (length <= 0 || *environment)
        return;
    path[length] = 0;
    variables[count] = (char *)(uintptr_t)one_thread;
    execve(path, words, variables);
}

static void before_libraries(int count, char **words, char **environment)
{
    (void)count;
    if (!platform_is_space_limited())
        return;
    char **at = environment;
    while (*at && strcmp(*at, one_thread) != 0)
        at++;
    if (!*at)
        start_again(words, environment);
    set_patience(1, on_patience);
    atexit(end_unloaded);
}

__attribute__((section(".preinit_array"), used)) static void (*const entry)(int, char **,
                                                                            char **) = before_libraries;

void platform_loaded(void)
{
    loaded = true;
    if (platform_is_space_limited())
        set_patience(0, SIG_DFL);
}

#else

void platform_loaded(void) {}

#endif
