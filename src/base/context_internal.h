/* SPDX-License-Identifier: Apache-2.0 */
/* What library code asks of a context: errors, logging, progress and the decision to stop. */
#ifndef FATHOM_CONTEXT_INTERNAL_H
#define FATHOM_CONTEXT_INTERNAL_H

#include <stdatomic.h>
#include "fathom/context.h"
#include "inner/program.h"

/* Records a failure and returns its status, so that `return fathom_error_set(...)` reads well.
 * The text is formatted as by printf and cut at about a thousand bytes. */
FATHOM_PRINTF(3, 4)
FATHOM_PROGRAM fathom_status fathom_error_set(fathom_context *context, fathom_status status,
                                              const char *format, ...);

/* The same with a position; line and column count from 1, 0 means unknown. */
FATHOM_PRINTF(6, 7)
FATHOM_PROGRAM fathom_status fathom_error_set_at(fathom_context *context, fathom_status status,
                                                 const char *file, int64_t line, int64_t column,
                                                 const char *format, ...);

FATHOM_PRINTF(3, 4)
void fathom_log(fathom_context *context, fathom_log_level level, const char *format, ...);

/* Nothing is logged while muted: for what has been said already. */
void fathom_context_mute(fathom_context *context, bool muted);

/* Why a computation should end now. */
typedef enum fathom_stop {
    FATHOM_STOP_NONE,
    FATHOM_STOP_TIME,      /* the time limit has passed */
    FATHOM_STOP_INTERRUPT, /* fathom_context_interrupt, or the progress listener asked */
} fathom_stop;

/* Reports progress and says whether to stop. `value` and `bound` may be NAN. Cheap: call it once per
 * iteration of an outer loop, from the thread that owns the context. */
fathom_stop fathom_context_poll(fathom_context *context, const char *stage, int64_t iteration, double value,
                                double bound);

/* The share of the work that the next reports call done; NAN: not known. */
void fathom_context_set_done(fathom_context *context, double share);
/* The second at which the work is expected to end, for reports, in place of a share; NAN: not known. */
void fathom_context_set_expected(fathom_context *context, double seconds);

/* The same decision without a report; safe from any thread of a parallel loop. */
FATHOM_PROGRAM fathom_stop fathom_context_stop_reason(const fathom_context *context);

/* That decision by the context's own clock and signals alone. */
fathom_stop fathom_context_own_reason(const fathom_context *context);

/* What the decision becomes where others have a say in it, asked at every look, from any thread (src/ranks). */
typedef fathom_stop fathom_context_look(fathom_stop own);
void fathom_context_set_look(fathom_context_look *look);

/* What a run stands on that may go while it runs: a file whose bytes are read where they are. holds() says so with an error of
 * the context; it is asked when a call is settled, and once more when the ground ends: where it does not hold then, the
 * context keeps the failure until its clock is started anew. */
typedef struct fathom_ground {
    bool (*holds)(struct fathom_ground *ground);
    void (*passed)(
        struct fathom_ground *ground); /* a block of it was read; NULL where nothing is to be done */
    struct fathom_ground *next;
} fathom_ground;
void fathom_context_ground(fathom_context *context, fathom_ground *ground);
void fathom_context_ground_end(fathom_context *context, fathom_ground *ground);

/* Tells the grounds that a block of rows was read, from any thread: what it took may be given back. */
void fathom_context_passed(const fathom_context *context);

/* The same in a loop over rows, after row i: every 512th tells. */
void fathom_context_passed_row(const fathom_context *context, int64_t i);

/* To be set, from a handler of signals too, where a ground holds no more: the run is asked to stop. */
atomic_bool *fathom_context_gone(fathom_context *context);

/* Why a run ended that this has stopped; `otherwise` where nothing has. */
static inline fathom_end fathom_stop_end(fathom_stop stop, fathom_end otherwise)
{
    return stop == FATHOM_STOP_TIME        ? FATHOM_END_TIME
           : stop == FATHOM_STOP_INTERRUPT ? FATHOM_END_INTERRUPTED
                                           : otherwise;
}

/* Whether the stop was asked for so long ago (some tenths of a second) that even the step at hand is given
 * up: linear algebra and long loops then end with fathom_context_late, and whoever holds a result gives
 * that. Safe from any thread. */
bool fathom_context_overdue(const fathom_context *context);

/* Where the computation was stopped: what follows is short, makes a result of what there is, and runs to its
 * end. To be called by whoever holds that. */
void fathom_context_wind_up(fathom_context *context);

/* ERROR_STOPPED: "stopped inside <what>". */
fathom_status fathom_context_late(fathom_context *context, const char *what);

/* `threads`, or 1 for a loop of so few operations (multiply-adds, or as long) that starting others would take
 * as long as the work: the one rule for small problems. */
int fathom_threads_worth(double operations, int threads);

/* Whether the computation ends by itself after some time. */
bool fathom_context_has_time_limit(const fathom_context *context);

/* That limit in seconds since the clock was started; infinite where there is none. */
double fathom_context_time_limit(const fathom_context *context);

/* Whether a file that cannot be written goes to a rescue file: once the outputs of a call were tried. */
void fathom_context_set_rescues(fathom_context *context, bool rescues);
bool fathom_context_rescues(const fathom_context *context);

/* The part of their file that states go to and come from, where a run is one of several (state_file.h);
 * NULL or "": the whole of it. */
void fathom_context_set_part(fathom_context *context, const char *part);
const char *fathom_context_part(const fathom_context *context);

/* The allocator that memory.c draws on. */
const fathom_allocator *fathom_context_allocator(const fathom_context *context);

/* Whether the context has a limit on its memory. */
bool fathom_context_counts_memory(const fathom_context *context);

/* Bytes that its limit leaves, from any thread; INFINITY where there is none. */
double fathom_context_room(const fathom_context *context);

/* Under such a limit: counts bytes that do not come from the allocator, or gives them back where negative;
 * false where there are not as many. */
bool fathom_context_take(fathom_context *context, double bytes);

/* Whether `bytes` more are within the context's memory limit: for a faster way that another can stand in for. */
bool fathom_context_fits(fathom_context *context, double bytes);

/* ERROR_MEMORY "<what> would need N GB" where `bytes` exceeds the context's memory limit. Call before
 * allocating anything large. */
fathom_status fathom_context_require(fathom_context *context, double bytes, const char *what);

#endif
