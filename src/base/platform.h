/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between Linux, macOS and Windows below the C library: clocks, memory, limits, threads, files,
 * sorting. No other file of the library includes a header of one of these systems. */
#ifndef FATHOM_PLATFORM_H
#define FATHOM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Static values: flags of "once", locks, and what threads wait for. Those of Windows begin as zeros. */
#ifdef _WIN32
typedef void *fathom_platform_once_flag;
typedef void *fathom_platform_mutex;
typedef void *fathom_platform_condition;
#define FATHOM_PLATFORM_ONCE NULL
#define FATHOM_PLATFORM_MUTEX NULL
#define FATHOM_PLATFORM_CONDITION NULL
#else
#include <pthread.h>

#include "inner/program.h"
typedef pthread_once_t fathom_platform_once_flag;
typedef pthread_mutex_t fathom_platform_mutex;
typedef pthread_cond_t fathom_platform_condition;
#define FATHOM_PLATFORM_ONCE PTHREAD_ONCE_INIT
#define FATHOM_PLATFORM_MUTEX PTHREAD_MUTEX_INITIALIZER
#define FATHOM_PLATFORM_CONDITION PTHREAD_COND_INITIALIZER
#endif

/* Bytes of a path and of a name in a folder, with the zero at the end; standard input and output. */
enum {
    FATHOM_PLATFORM_PATH = 4096,
    FATHOM_PLATFORM_NAME = 256,
    FATHOM_PLATFORM_INPUT = 0,
    FATHOM_PLATFORM_OUTPUT = 1
};

/* Seconds of a clock that never goes back; its zero is arbitrary. */
double fathom_platform_seconds(void);

/* Seconds of processor time that the calling thread has used. */
double fathom_platform_thread_seconds(void);

/* Bytes that this process can have without swapping: the least of what the system estimates, of what the limits of its
 * control groups leave, and of the limit on its address space. */
double fathom_platform_memory(void);

/* Bytes of a block of malloc, at least those asked for; 0 where the system does not say. */
size_t fathom_platform_block_size(const void *block);

/* Address space that costs no memory until it is written; NULL where there is none. It is kept until the
 * process ends. */
void *fathom_platform_reserve(size_t size);

/* Whether `size` bytes of address space could be had now. */
bool fathom_platform_has_space(size_t size);

/* Seconds of processor time that the children which have ended took. */
FATHOM_PROGRAM double fathom_platform_children_seconds(void);

/* Bytes of memory of the machine, its processors in use. */
double fathom_platform_physical_memory(void);
int fathom_platform_processors(void);

/* Bytes of the second cache of a processor; half a megabyte where the system does not say. */
double fathom_platform_cache(void);

/* Limits of this process: bytes of address space, bytes of stack, open files. INFINITY where there is
 * none. */
double fathom_platform_limit_space(void);
double fathom_platform_limit_stack(void);
double fathom_platform_limit_files(void);

/* Calls a function once per flag (static, FATHOM_PLATFORM_ONCE); whoever comes meanwhile waits until it is
 * done. */
void fathom_platform_once(fathom_platform_once_flag *flag, void (*function)(void));

/* Memory on lines of the cache that ends with the calling thread, one for each thread; NULL where there is
 * none. */
void *fathom_platform_thread_memory(size_t bytes);

/* Locks, and waiting for what another thread says. Those that are not static are begun and ended. */
void fathom_platform_mutex_begin(fathom_platform_mutex *mutex);
void fathom_platform_mutex_lock(fathom_platform_mutex *mutex);
void fathom_platform_mutex_unlock(fathom_platform_mutex *mutex);
void fathom_platform_mutex_end(fathom_platform_mutex *mutex);
void fathom_platform_condition_begin(fathom_platform_condition *condition);
void fathom_platform_condition_wait(fathom_platform_condition *condition, fathom_platform_mutex *mutex);
void fathom_platform_condition_wake_one(fathom_platform_condition *condition);
void fathom_platform_condition_wake_all(fathom_platform_condition *condition);
void fathom_platform_condition_end(fathom_platform_condition *condition);

/* How many of `count` more threads can live at the same time, tried; at most 256. */
int fathom_platform_try_threads(int count);

/* Calls a function before each fork of this process, where processes fork. */
void fathom_platform_before_fork(void (*function)(void));

/* The file of the library that a function of this process is in, as it was loaded; NULL where nobody knows. */
const char *fathom_platform_library(const void *function);

/* A function of a library that is loaded for it, and stays; NULL where there is none such, or no way to load
 * one. */
typedef void fathom_platform_function(void);
fathom_platform_function *fathom_platform_load(const char *path, const char *name);

/* Why this thread's last try loaded nothing, in the words of the system. */
const char *fathom_platform_load_failure(void);

/* A block of whole lines of the cache, for free and realloc; on Windows, where these take no other blocks, it begins
 * where those of malloc do. */
void *fathom_platform_lines(size_t bytes);

/* A block that begins at a multiple of `alignment`, a power of two that divides its size. */
void *fathom_platform_aligned(size_t alignment, size_t size);
void fathom_platform_aligned_free(void *block);

/* The number of this process. */
long fathom_platform_process(void);

/* Keeps the signals that end a program (Ctrl-C, an alarm) off the calling thread until they are let in again; where
 * handlers have threads of their own, nothing. Not nested. */
void fathom_platform_hold_signals(bool hold);

/* A millisecond, also in a handler. */
void fathom_platform_nap(void);

/* Ends the process with a line on standard error, nothing else: safe wherever memory or locks are gone. */
_Noreturn void fathom_platform_end(int exit_code, const char *text);

/* Whether a file is there; whether it can be read; whether it may be written to. */
bool fathom_platform_exists(const char *path);
FATHOM_PROGRAM bool fathom_platform_readable(const char *path);
bool fathom_platform_writable(const char *path);

/* What a path or an open file is. Two are one file where device and number are the same. */
typedef struct fathom_platform_file {
    enum { FATHOM_PLATFORM_REGULAR, FATHOM_PLATFORM_FOLDER, FATHOM_PLATFORM_STREAM } kind;
    uint64_t device, number;
    int64_t size;
    int64_t changed; /* when its bytes were, in a unit of the system's */
    unsigned rights;
} fathom_platform_file;

/* False, with errno, where there is none. */
bool fathom_platform_look(fathom_platform_file *file, const char *path);
bool fathom_platform_look_open(fathom_platform_file *file, int descriptor);

/* Opens a file: to read it; to write into what is there; to add at its end, made where it is missing; a new one
 * to read and write, which must not be there yet. Children do not see it. -1 with errno where it fails. */
typedef enum {
    FATHOM_PLATFORM_READ,
    FATHOM_PLATFORM_WRITE,
    FATHOM_PLATFORM_APPEND,
    FATHOM_PLATFORM_NEW
} fathom_platform_purpose;
int fathom_platform_open(const char *path, fathom_platform_purpose purpose);
int fathom_platform_duplicate(int descriptor);
bool fathom_platform_close(int descriptor);

/* Whether there is something to read, an end or an error included, within `seconds`; a signal ends the wait with false. */
bool fathom_platform_await(int descriptor, double seconds);

/* Bytes read or written, fewer than asked for at an end; negative with errno where it fails. read_at leaves
 * alone where the file's reading or writing stands. */
int64_t fathom_platform_read(int descriptor, void *data, size_t size);
int64_t fathom_platform_read_at(int descriptor, void *data, size_t size, int64_t offset);
int64_t fathom_platform_write(int descriptor, const void *data, size_t size);

/* Bytes are on the disk; the names of the folder that a path lies in are, where its file system can do so. */
bool fathom_platform_sync(int descriptor);
void fathom_platform_sync_folder(const char *path);

/* Gives a file, open or not, a name, in place of the file of that name; a second name that must be free; the
 * rights of another. False with errno. */
bool fathom_platform_rename(const char *from, const char *to);
bool fathom_platform_link(const char *from, const char *to);
bool fathom_platform_give_rights(int descriptor, const fathom_platform_file *from);
bool fathom_platform_remove(const char *path);

/* The path of a file without links, whole where it is there; of FATHOM_PLATFORM_PATH bytes. A link may lead to none. */
bool fathom_platform_resolve(char *resolved, const char *path);

/* The name at the end of a path. */
const char *fathom_platform_name(const char *path);

/* The k-th folder where a file may be saved that its own has refused, "" where there is none of that number, NULL
 * after the last. */
const char *fathom_platform_refuge(size_t k);

bool fathom_platform_is_terminal(int descriptor);

/* As qsort; `context` goes to every comparison. */
typedef int fathom_platform_compare(const void *left, const void *right, void *context);
void fathom_platform_sort(void *base, size_t count, size_t size, fathom_platform_compare *compare,
                          void *context);

#endif
