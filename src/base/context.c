/* SPDX-License-Identifier: Apache-2.0 */
/* The context: allocator, log, progress, seed, threads, limits, last error. */
#include "context_internal.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "fork.h"
#include "inner/context.h"
#include "library_memory.h"
#include "machine.h"
#include "platform.h"

enum { TEXT_SIZE = 1024, FILE_SIZE = 512, LOG_SIZE = 1024 };

struct fathom_context {
    fathom_allocator allocator;
    fathom_log_function log;
    void *log_user;
    bool muted;
    fathom_progress_function progress;
    void *progress_user;
    uint64_t seed;
    int threads;
    double memory_limit; /* infinite: what is available at the time of asking */
    atomic_llong memory; /* bytes taken of it */
    double time_limit;
    double start;
    double done, expected; /* share of the work, or the second of its end, for reports */
    volatile sig_atomic_t interrupted;
    bool winding_up;    /* nothing is given up any more */
    atomic_llong asked; /* when it was, in microseconds of the clock */
    long refusals;      /* of memory to libraries that know no failure, before the clock started */
    atomic_bool gone;   /* what a ground is for */
    fathom_ground *grounds;
    bool spoilt;   /* a ground that has ended did not hold; the error is `spoil` */
    bool rescues;  /* outputs were tried: later failures leave a rescue file */
    char part[32]; /* of the file of states */
    fathom_error error;
    /* The error's strings live here so that "out of memory" needs no memory. */
    char error_text[TEXT_SIZE];
    char error_file[FILE_SIZE];
    char spoil[TEXT_SIZE];
    char spoil_file[FILE_SIZE];
};

enum { LINE = 64, LARGE = 512 };

static const double PATIENCE = 0.8; /* seconds from a stop until steps are given up */

/* Under a limit on memory: takes `bytes` of it, or gives them back where negative; false where it has not as
 * much. */
static bool take_memory(fathom_context *context, double bytes)
{
    if (isinf(context->memory_limit) || bytes == 0)
        return true;
    const long long change = (long long)bytes;
    const double after = (double)(atomic_fetch_add(&context->memory, change) + change);
    if (bytes <= 0 || after <= context->memory_limit)
        return true;
    atomic_fetch_sub(&context->memory, change);
    return false;
}

bool fathom_context_take(fathom_context *context, double bytes) { return take_memory(context, bytes); }

/* What a block counts for. */
static double weight(const fathom_context *context, const void *block)
{
    return block && !isinf(context->memory_limit) ? (double)fathom_platform_block_size(block) : 0;
}

/* Blocks of some size begin on a line of the cache: what LAPACK makes of them may depend on their
 * alignment, and must not depend on what was allocated before, which is another matter for another number
 * of threads. */
static void *allocate_aligned(size_t size)
{
    if (size < LARGE || size > SIZE_MAX - LINE)
        return malloc(size);
    return fathom_platform_lines((size + LINE - 1) / LINE * LINE);
}

static void *default_allocate(void *user, size_t size)
{
    fathom_context *context = user;
    if (!take_memory(context, (double)size))
        return NULL;
    void *block = allocate_aligned(size);
    take_memory(context, weight(context, block) - (double)size);
    return block;
}

static void default_release(void *user, void *block)
{
    take_memory(user, -weight(user, block));
    free(block);
}

static void *default_resize(void *user, void *block, size_t size)
{
    fathom_context *context = user;
    const double before = weight(context, block), more = (double)size - before;
    if (more > 0 && !take_memory(context, more))
        return NULL;
    void *resized = realloc(block, size);
    if (!resized) {
        take_memory(context, more > 0 ? -more : 0);
        return NULL;
    }
    take_memory(context, weight(context, resized) - before - fmax(more, 0));
    if (size < LARGE || (uintptr_t)resized % LINE == 0)
        return resized;
    void *aligned = default_allocate(user, size);
    if (!aligned) /* rather a block that begins anywhere than none */
        return resized;
    memcpy(aligned, resized, size);
    default_release(user, resized);
    return aligned;
}

fathom_status fathom_context_create(fathom_context **context, const fathom_allocator *allocator)
{
    fathom_context *c = allocator ? allocator->allocate(allocator->user, sizeof *c) : malloc(sizeof *c);
    *context = c;
    if (!c)
        return FATHOM_ERROR_MEMORY;
    memset(c, 0, sizeof *c);
    c->allocator =
        allocator ? *allocator : (fathom_allocator){default_allocate, default_resize, default_release, c};
    c->seed = 1;
    c->threads = fathom_machine_startable(fathom_machine_threads());
    c->memory_limit = fathom_machine_memory_asked();
    c->time_limit = INFINITY;
    c->done = c->expected = NAN;
    c->error.text = c->error_text;
    fathom_fork_prepare();
    fathom_library_memory_take_over();
    fathom_context_start_clock(c);
    return FATHOM_OK;
}

void fathom_context_free(fathom_context *context)
{
    if (!context)
        return;
    const fathom_allocator allocator = context->allocator;
    if (allocator.user == context)
        free(context);
    else
        allocator.release(allocator.user, context);
}

void fathom_context_set_log(fathom_context *context, fathom_log_function log, void *user)
{
    context->log = log;
    context->log_user = user;
}

void fathom_context_set_progress(fathom_context *context, fathom_progress_function progress, void *user)
{
    context->progress = progress;
    context->progress_user = user;
}

void fathom_context_set_seed(fathom_context *context, uint64_t seed) { context->seed = seed; }

uint64_t fathom_context_seed(const fathom_context *context) { return context->seed; }

void fathom_context_set_threads(fathom_context *context, int threads)
{
    context->threads = fathom_machine_startable(threads > 0 ? threads : fathom_machine_threads());
}

int fathom_context_threads(const fathom_context *context) { return context->threads; }

int fathom_threads_worth(double operations, int threads)
{
    const double worth = 262144; /* some 20 microseconds of one core */
    return operations < worth ? 1 : threads;
}

void fathom_context_set_memory_limit(fathom_context *context, double bytes)
{
    context->memory_limit = isnan(bytes) ? fathom_machine_memory_asked() : bytes;
}

void fathom_context_set_time_limit(fathom_context *context, double seconds) { context->time_limit = seconds; }

void fathom_context_set_rescues(fathom_context *context, bool rescues) { context->rescues = rescues; }

bool fathom_context_rescues(const fathom_context *context) { return context->rescues; }

void fathom_context_set_part(fathom_context *context, const char *part)
{
    snprintf(context->part, sizeof context->part, "%s", part ? part : "");
}

const char *fathom_context_part(const fathom_context *context) { return context->part; }

bool fathom_context_has_time_limit(const fathom_context *context) { return isfinite(context->time_limit); }

double fathom_context_time_limit(const fathom_context *context) { return context->time_limit; }

void fathom_context_start_clock(fathom_context *context)
{
    context->start = fathom_clock_seconds();
    context->refusals = fathom_library_memory_failures();
    context->winding_up = false;
    context->interrupted = 0;
    if (!context->grounds)
        atomic_store(&context->gone, false);
    context->spoilt = false;
}

double fathom_context_seconds(const fathom_context *context)
{
    return fathom_clock_seconds() - context->start;
}

void fathom_context_interrupt(fathom_context *context)
{
    if (!context->interrupted)
        atomic_store(&context->asked, (long long)(1e6 * fathom_clock_seconds()));
    context->interrupted = 1;
}

bool fathom_context_interrupted(const fathom_context *context) { return context->interrupted != 0; }

const fathom_error *fathom_context_error(const fathom_context *context) { return &context->error; }

const fathom_allocator *fathom_context_allocator(const fathom_context *context)
{
    return &context->allocator;
}

const char *fathom_version(void) { return FATHOM_VERSION; }

/* Stores code and position; the caller formats the text into error_text. */
static void error_record(fathom_context *context, fathom_status status, const char *file, int64_t line,
                         int64_t column)
{
    context->error.status = status;
    context->error.file = NULL;
    if (file) {
        snprintf(context->error_file, sizeof context->error_file, "%s", file);
        context->error.file = context->error_file;
    }
    context->error.line = line;
    context->error.column = column;
}

fathom_status fathom_error_set(fathom_context *context, fathom_status status, const char *format, ...)
{
    va_list arguments;
    error_record(context, status, NULL, 0, 0);
    va_start(arguments, format);
    vsnprintf(context->error_text, sizeof context->error_text, format, arguments);
    va_end(arguments);
    return status;
}

fathom_status fathom_error_set_at(fathom_context *context, fathom_status status, const char *file,
                                  int64_t line, int64_t column, const char *format, ...)
{
    va_list arguments;
    error_record(context, status, file, line, column);
    va_start(arguments, format);
    vsnprintf(context->error_text, sizeof context->error_text, format, arguments);
    va_end(arguments);
    return status;
}

fathom_status fathom_context_fail(fathom_context *context, fathom_status status, const char *text)
{
    return fathom_error_set(context, status, "%s", text);
}

void fathom_context_mute(fathom_context *context, bool muted) { context->muted = muted; }

void fathom_log(fathom_context *context, fathom_log_level level, const char *format, ...)
{
    if (!context->log || context->muted)
        return;
    char text[LOG_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    context->log(context->log_user, level, text);
}

/* Whether a library was refused memory since the clock started and lives on a reserve. */
static bool is_short(const fathom_context *context)
{
    return fathom_library_memory_failures() != context->refusals;
}

void fathom_context_ground(fathom_context *context, fathom_ground *ground)
{
    ground->next = context->grounds;
    context->grounds = ground;
}

void fathom_context_ground_end(fathom_context *context, fathom_ground *ground)
{
    fathom_ground **at = &context->grounds;
    while (*at && *at != ground)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = ground->next;
    if (context->spoilt || ground->holds(ground))
        return;
    context->spoilt = true;
    memcpy(context->spoil, context->error_text, sizeof context->spoil);
    memcpy(context->spoil_file, context->error_file, sizeof context->spoil_file);
}

atomic_bool *fathom_context_gone(fathom_context *context) { return &context->gone; }

/* Whether all that the run stands on is still there; the error says what is not. */
void fathom_context_passed(const fathom_context *context)
{
    for (fathom_ground *ground = context->grounds; ground; ground = ground->next)
        if (ground->passed)
            ground->passed(ground);
}

void fathom_context_passed_row(const fathom_context *context, int64_t i)
{
    if (i % 512 == 511)
        fathom_context_passed(context);
}

static bool grounds_hold(fathom_context *context)
{
    if (context->spoilt) {
        fathom_error_set_at(context, FATHOM_ERROR_INPUT, context->spoil_file, 0, 0, "%s", context->spoil);
        return false;
    }
    for (fathom_ground *ground = context->grounds; ground; ground = ground->next)
        if (!ground->holds(ground))
            return false;
    return true;
}

fathom_status fathom_context_settle(fathom_context *context, fathom_status status)
{
    if ((context->grounds || context->spoilt) && !grounds_hold(context))
        return FATHOM_ERROR_INPUT; /* whatever has come of it */
    if (!is_short(context) || (status != FATHOM_OK && status != FATHOM_ERROR_STOPPED))
        return status;
    return fathom_error_set(context, FATHOM_ERROR_MEMORY,
                            "no memory for a library (exact arithmetic or linear algebra)");
}

static fathom_context_look *others; /* who have a say in every decision to stop, or NULL */

void fathom_context_set_look(fathom_context_look *look) { others = look; }

fathom_stop fathom_context_own_reason(const fathom_context *context)
{
    if (context->interrupted || is_short(context) || atomic_load(&context->gone))
        return FATHOM_STOP_INTERRUPT;
    return fathom_context_seconds(context) > context->time_limit ? FATHOM_STOP_TIME : FATHOM_STOP_NONE;
}

fathom_stop fathom_context_stop_reason(const fathom_context *context)
{
    const fathom_stop own = fathom_context_own_reason(context);
    return others ? others(own) : own;
}

bool fathom_context_overdue(const fathom_context *context)
{
    const double now = fathom_clock_seconds();
    if (context->winding_up)
        return false;
    return now - context->start > context->time_limit + PATIENCE ||
           (context->interrupted && now > 1e-6 * (double)atomic_load(&context->asked) + PATIENCE);
}

void fathom_context_wind_up(fathom_context *context)
{
    context->winding_up = fathom_context_stop_reason(context) != FATHOM_STOP_NONE;
}

fathom_status fathom_context_late(fathom_context *context, const char *what)
{
    return fathom_error_set(context, FATHOM_ERROR_STOPPED, "stopped inside %s", what);
}

void fathom_context_set_done(fathom_context *context, double share) { context->done = share; }

void fathom_context_set_expected(fathom_context *context, double seconds) { context->expected = seconds; }

/* An end that has passed without one is no longer expected. */
static double share_done(const fathom_context *context, double seconds)
{
    if (isnan(context->expected))
        return context->done;
    return seconds < context->expected ? seconds / context->expected : NAN;
}

fathom_stop fathom_context_poll(fathom_context *context, const char *stage, int64_t iteration, double value,
                                double bound)
{
    if (context->progress) {
        const double now = fathom_context_seconds(context);
        const fathom_progress progress = {stage, iteration, value, bound, now, share_done(context, now)};
        if (context->progress(context->progress_user, &progress))
            fathom_context_interrupt(context);
    }
    return fathom_context_stop_reason(context);
}

bool fathom_context_counts_memory(const fathom_context *context) { return !isinf(context->memory_limit); }

/* What `bytes` may be at most. */
static double memory_left(fathom_context *context, double bytes)
{
    const double small = 0x1p24; /* not worth a look at the machine */
    if (bytes <= small && isinf(context->memory_limit))
        return INFINITY;
    const double left = context->memory_limit - (double)atomic_load(&context->memory);
    return isinf(left) ? fathom_platform_memory() : fmax(0, left);
}

double fathom_context_room(const fathom_context *context)
{
    return fmax(0, context->memory_limit - (double)atomic_load(&context->memory));
}

bool fathom_context_fits(fathom_context *context, double bytes)
{
    return bytes <= memory_left(context, bytes);
}

fathom_status fathom_context_require(fathom_context *context, double bytes, const char *what)
{
    const double limit = memory_left(context, bytes);
    if (bytes <= limit)
        return FATHOM_OK;
    return fathom_error_set(context, FATHOM_ERROR_MEMORY, "%s would need %.3g GB; %.3g GB are available",
                            what, bytes / 1e9, limit / 1e9);
}
