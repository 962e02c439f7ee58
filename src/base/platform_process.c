/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, files and sorting as the system has them. */
#include "platform.h"

#include <stdlib.h>

enum { LINE = 64 };

static size_t whole_lines(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

#ifdef _WIN32

#include <io.h>
#include <malloc.h>
#include <process.h>
#include <windows.h>

static BOOL CALLBACK call(PINIT_ONCE once, PVOID function, PVOID *context)
{
    (void)once, (void)context;
    (*(void (**)(void))function)();
    return TRUE;
}

void fathom_platform_once(fathom_platform_once_flag *flag, void (*function)(void))
{
    InitOnceExecuteOnce((PINIT_ONCE)flag, call, &function, NULL);
}

static DWORD slot;
static fathom_platform_once_flag slot_once = FATHOM_PLATFORM_ONCE;

static void CALLBACK free_lines(PVOID memory) { _aligned_free(memory); }
static void make_slot(void) { slot = FlsAlloc(free_lines); }

void *fathom_platform_thread_memory(size_t bytes)
{
    fathom_platform_once(&slot_once, make_slot);
    void *memory = slot == FLS_OUT_OF_INDEXES ? NULL : _aligned_malloc(whole_lines(bytes), LINE);
    if (memory && !FlsSetValue(slot, memory)) {
        _aligned_free(memory);
        return NULL;
    }
    return memory;
}

long fathom_platform_process(void) { return (long)_getpid(); }
bool fathom_platform_exists(const char *path) { return _access(path, 0) == 0; }
bool fathom_platform_readable(const char *path) { return _access(path, 4) == 0; }

#else

#include <unistd.h>

void fathom_platform_once(fathom_platform_once_flag *flag, void (*function)(void))
{
    pthread_once(flag, function);
}

static pthread_key_t key;
static fathom_platform_once_flag key_once = FATHOM_PLATFORM_ONCE;

static void make_key(void) { pthread_key_create(&key, free); }

void *fathom_platform_thread_memory(size_t bytes)
{
    fathom_platform_once(&key_once, make_key);
    void *memory = aligned_alloc(LINE, whole_lines(bytes));
    if (memory)
        pthread_setspecific(key, memory);
    return memory;
}

long fathom_platform_process(void) { return (long)getpid(); }
bool fathom_platform_exists(const char *path) { return access(path, F_OK) == 0; }
bool fathom_platform_readable(const char *path) { return access(path, R_OK) == 0; }

#endif

#if defined(_WIN32) || defined(__APPLE__)

/* Their sorts hand the context over first. */
typedef struct turned {
    fathom_platform_compare *compare;
    void *context;
} turned;

static int compare_turned(void *both, const void *left, const void *right)
{
    const turned *t = both;
    return t->compare(left, right, t->context);
}

void fathom_platform_sort(void *base, size_t count, size_t size, fathom_platform_compare *compare,
                          void *context)
{
    turned t = {compare, context};
#ifdef _WIN32
    qsort_s(base, count, size, compare_turned, &t);
#else
    qsort_r(base, count, size, &t, compare_turned);
#endif
}

#else

void fathom_platform_sort(void *base, size_t count, size_t size, fathom_platform_compare *compare,
                          void *context)
{
    qsort_r(base, count, size, compare, context);
}

#endif
