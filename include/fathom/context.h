/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The context: everything a computation shares with its surroundings.
 *
 * Allocator, logger, progress listener, seed, thread count, limits, and the last error. Library code
 * neither prints, exits nor aborts; it speaks through the context it was given. One context serves one
 * thread of the caller at a time; only fathom_context_interrupt may be called from elsewhere.
 */
#ifndef FATHOM_CONTEXT_H
#define FATHOM_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fathom/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fathom_context fathom_context;

/* Where memory comes from. `resize` and `release` accept NULL blocks, as realloc and free do. */
typedef struct fathom_allocator {
    void *(*allocate)(void *user, size_t size);
    void *(*resize)(void *user, void *block, size_t size);
    void (*release)(void *user, void *block);
    void *user;
} fathom_allocator;

typedef enum fathom_log_level { FATHOM_LOG_WARNING, FATHOM_LOG_INFO, FATHOM_LOG_DEBUG } fathom_log_level;

/* Receives one line of text without its line end. */
typedef void (*fathom_log_function)(void *user, fathom_log_level level, const char *text);

/* Where a computation stands; NAN where a number does not apply. */
typedef struct fathom_progress {
    const char *stage;
    int64_t iteration;
    double value;   /* best value so far (an upper bound when minimising) */
    double bound;   /* best proven bound so far */
    double seconds; /* since fathom_context_start_clock */
    double done;    /* share of the work that is done, in [0, 1]: an estimate, NAN where there is none */
} fathom_progress;

/* Returns true to ask the computation to stop; it then returns its best result so far. */
typedef bool (*fathom_progress_function)(void *user, const fathom_progress *progress);

/* The last failure. Text and file stay valid until the next failing call on the same context. */
typedef struct fathom_error {
    fathom_status status;
    const char *text; /* what was expected or what went wrong; never NULL */
    const char *file; /* NULL where no file is concerned */
    int64_t line;     /* from 1; 0 where unknown */
    int64_t column;   /* from 1, in bytes; 0 where unknown */
} fathom_error;

/* Gives a new context; `allocator` is copied, NULL means malloc, realloc and free. */
FATHOM_API fathom_status fathom_context_create(fathom_context **context, const fathom_allocator *allocator);
FATHOM_API void fathom_context_free(fathom_context *context);

FATHOM_API void fathom_context_set_log(fathom_context *context, fathom_log_function log, void *user);
FATHOM_API void fathom_context_set_progress(fathom_context *context, fathom_progress_function progress,
                                            void *user);

/* Every random number is a function of (seed, named stream, index): default 1. */
FATHOM_API void fathom_context_set_seed(fathom_context *context, uint64_t seed);
FATHOM_API uint64_t fathom_context_seed(const fathom_context *context);

/* Threads used by parallel loops; 0 or less: FATHOM_THREADS, else the processors that this process may use
 * (affinity, quota of its control group, OMP_NUM_THREADS). Results do not depend on it. */
FATHOM_API void fathom_context_set_threads(fathom_context *context, int threads);
FATHOM_API int fathom_context_threads(const fathom_context *context);

/* What a computation announces, or allocates on top of what it has, beyond this many bytes is refused with
 * "would need N GB". Counted are blocks of the context taken since, not the few megabytes of the program
 * itself. Default, or NAN: FATHOM_MEMORY_GB, else the memory that the machine has available then. */
FATHOM_API void fathom_context_set_memory_limit(fathom_context *context, double bytes);

/* Seconds, infinite by default, counted from start_clock, which also forgets an earlier interruption. */
FATHOM_API void fathom_context_set_time_limit(fathom_context *context, double seconds);
FATHOM_API void fathom_context_start_clock(fathom_context *context);
FATHOM_API double fathom_context_seconds(const fathom_context *context);

/* Asks a running computation to stop soon. Async-signal-safe. */
FATHOM_API void fathom_context_interrupt(fathom_context *context);
FATHOM_API bool fathom_context_interrupted(const fathom_context *context);

/* The last failure on this context (borrowed). */
FATHOM_API const fathom_error *fathom_context_error(const fathom_context *context);

/* The status of a call that ended with `status`: ERROR_MEMORY where a library below was refused memory since
 * the clock was started, so that the call ended early; ERROR_INPUT where a file whose rows are read in place
 * (fathom_data_options, map) was changed meanwhile. To be asked for before a result is used; files are not put
 * in place without. */
FATHOM_API fathom_status fathom_context_settle(fathom_context *context, fathom_status status);

/* Memory from the context's allocator for callers of the library; NULL and ERROR_MEMORY where there is none. */
FATHOM_API void *fathom_context_allocate(fathom_context *context, int64_t count, size_t size);
FATHOM_API void fathom_context_release(fathom_context *context, void *block);

/* Version of the library, "major.minor.patch". */
FATHOM_API const char *fathom_version(void);

#ifdef __cplusplus
}
#endif
#endif
