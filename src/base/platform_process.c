/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, processes and sorting as the system has them. */
#include "platform.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64, TRIED = 256, STANDARD_ERROR = 2 };

static size_t whole_lines(size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

#ifdef _WIN32

#include <io.h>
#include <limits.h>
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

void fathom_platform_mutex_begin(fathom_platform_mutex *mutex) { InitializeSRWLock((PSRWLOCK)mutex); }
void fathom_platform_mutex_lock(fathom_platform_mutex *mutex) { AcquireSRWLockExclusive((PSRWLOCK)mutex); }
void fathom_platform_mutex_unlock(fathom_platform_mutex *mutex) { ReleaseSRWLockExclusive((PSRWLOCK)mutex); }
void fathom_platform_mutex_end(fathom_platform_mutex *mutex) { (void)mutex; }

void fathom_platform_condition_begin(fathom_platform_condition *condition)
{
    InitializeConditionVariable((PCONDITION_VARIABLE)condition);
}

void fathom_platform_condition_wait(fathom_platform_condition *condition, fathom_platform_mutex *mutex)
{
    SleepConditionVariableSRW((PCONDITION_VARIABLE)condition, (PSRWLOCK)mutex, INFINITE, 0);
}

void fathom_platform_condition_wake_one(fathom_platform_condition *condition)
{
    WakeConditionVariable((PCONDITION_VARIABLE)condition);
}

void fathom_platform_condition_wake_all(fathom_platform_condition *condition)
{
    WakeAllConditionVariable((PCONDITION_VARIABLE)condition);
}

void fathom_platform_condition_end(fathom_platform_condition *condition) { (void)condition; }

int fathom_platform_try_threads(int count) { return count < TRIED ? count : TRIED; } /* nothing limits them */
void fathom_platform_before_fork(void (*function)(void)) { (void)function; }

const char *fathom_platform_library(const void *function)
{
    (void)function;
    return NULL;
}

fathom_platform_function *fathom_platform_load(const char *path, const char *name)
{
    HMODULE library = LoadLibraryA(path);
    return library ? (fathom_platform_function *)(void *)GetProcAddress(library, name) : NULL;
}

const char *fathom_platform_load_failure(void) { return "the system does not say why"; }

void *fathom_platform_lines(size_t bytes) { return malloc(bytes); }
void *fathom_platform_aligned(size_t alignment, size_t size) { return _aligned_malloc(size, alignment); }
void fathom_platform_aligned_free(void *block) { _aligned_free(block); }

long fathom_platform_process(void) { return (long)_getpid(); }

void fathom_platform_hold_signals(bool hold) { (void)hold; }

void fathom_platform_nap(void) { Sleep(1); }

#else

#include <dlfcn.h>
#include <signal.h>
#include <time.h>
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
    void *memory = fathom_platform_lines(whole_lines(bytes));
    if (memory)
        pthread_setspecific(key, memory);
    return memory;
}

void fathom_platform_mutex_begin(fathom_platform_mutex *mutex) { pthread_mutex_init(mutex, NULL); }
void fathom_platform_mutex_lock(fathom_platform_mutex *mutex) { pthread_mutex_lock(mutex); }
void fathom_platform_mutex_unlock(fathom_platform_mutex *mutex) { pthread_mutex_unlock(mutex); }
void fathom_platform_mutex_end(fathom_platform_mutex *mutex) { pthread_mutex_destroy(mutex); }

void fathom_platform_condition_begin(fathom_platform_condition *condition)
{
    pthread_cond_init(condition, NULL);
}

void fathom_platform_condition_wait(fathom_platform_condition *condition, fathom_platform_mutex *mutex)
{
    pthread_cond_wait(condition, mutex);
}

void fathom_platform_condition_wake_one(fathom_platform_condition *condition)
{
    pthread_cond_signal(condition);
}

void fathom_platform_condition_wake_all(fathom_platform_condition *condition)
{
    pthread_cond_broadcast(condition);
}

void fathom_platform_condition_end(fathom_platform_condition *condition) { pthread_cond_destroy(condition); }

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* holds the threads that are tried */

static void *pass(void *user)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return user;
}

int fathom_platform_try_threads(int count)
{
    pthread_t thread[TRIED];
    int started = 0;
    pthread_mutex_lock(&gate);
    while (started < count && started < TRIED && pthread_create(thread + started, NULL, pass, NULL) == 0)
        started++;
    pthread_mutex_unlock(&gate);
    for (int k = 0; k < started; k++)
        pthread_join(thread[k], NULL);
    return started;
}

void fathom_platform_before_fork(void (*function)(void)) { pthread_atfork(function, NULL, NULL); }

const char *fathom_platform_library(const void *function)
{
    Dl_info found;
    return dladdr(function, &found) ? found.dli_fname : NULL;
}

fathom_platform_function *fathom_platform_load(const char *path, const char *name)
{
    fathom_platform_function *function = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *found = library ? dlsym(library, name) : NULL;
    memcpy(&function, &found, sizeof function); /* what POSIX promises, and ISO C has no cast for */
    return function;
}

const char *fathom_platform_load_failure(void)
{
    const char *text = dlerror();
    return text ? text : "the system does not say why";
}

void *fathom_platform_lines(size_t bytes) { return aligned_alloc(LINE, bytes); }
void *fathom_platform_aligned(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
void fathom_platform_aligned_free(void *block) { free(block); }

long fathom_platform_process(void) { return (long)getpid(); }

void fathom_platform_hold_signals(bool hold)
{
    static _Thread_local sigset_t before;
    sigset_t ends;
    if (!hold) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return;
    }
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &ends, &before);
}

void fathom_platform_nap(void)
{
    const struct timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, NULL);
}

#endif

void fathom_platform_end(int exit_code, const char *text)
{
    if (fathom_platform_write(STANDARD_ERROR, text, strlen(text)) < 0)
        _exit(exit_code);
    _exit(exit_code);
}

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
