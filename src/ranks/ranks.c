/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How ranks stay together: see the header.
 *
 * At a meeting every follower sends READY with the number of the meeting and waits. Rank 0 waits for all of them and
 * answers GO, or FAIL with the first failure. A follower that has ended tells ENDED instead, one that was stopped
 * outside a task STOPPED. PART, at any time, sends followers home: rank 0 goes on alone, or has ended. So a
 * follower only ever ends after a word of rank 0, and whatever happens to it meanwhile is found at the next meeting.
 *
 * Inside tasks followers look for that word every LOOK seconds, and cut their tasks short as for Ctrl-C.
 */
#include "ranks.h"

#include <errno.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "context_internal.h"
#include "inner/context.h"
#include "memory.h"
#include "platform.h"
#include "ranks_internal.h"

enum { READY = 1, ENDED, STOPPED, GO, FAIL, PART };

/* Seconds between two looks for a word of rank 0; that rank 0 waits at a stop for tasks that end early; that it waits for
 * its own clock where that of another has run out. */
static const double LOOK = 0.005, PATIENCE = 0.5, SKEW = 2;

static const fathom_ranks *back;       /* NULL: one rank */
static bool alone;                     /* rank 0 goes on by itself */
static int64_t sequence;               /* meetings so far */
static atomic_int inside;              /* tasks are being run */
static atomic_bool sent_home;          /* PART has come */
static _Atomic double looked;          /* when a follower looked last */
static char failure[480];              /* what this rank has to say about its end */
static _Thread_local bool main_thread; /* the one that the program began with */

bool fathom_ranks_lead(void) { return !back || back->rank == 0; }

int fathom_ranks_count(void) { return back && !alone ? back->count : 1; }

int fathom_ranks_rank(void) { return back ? back->rank : 0; }

bool fathom_ranks_several(void)
{
    return back && !alone && main_thread && omp_get_level() == 0 && atomic_load(&inside) == 0;
}

void fathom_ranks_enter(bool tasks) { atomic_fetch_add(&inside, tasks ? 1 : -1); }

/* The next message of a rank; naps get longer while there is none. */
static bool try_receive(fathom_ranks_message *message, int from, int64_t *tries)
{
    if (back->receive(message, from))
        return true;
    if (++*tries > 200)
        fathom_platform_nap();
    return false;
}

/* Waits for rank 0's next word. */
static fathom_ranks_message hear(void)
{
    fathom_ranks_message message;
    int64_t tries = 0;
    while (!try_receive(&message, 0, &tries))
        continue;
    return message;
}

/* A follower's end, after rank 0 has sent it home. */
static void go_home(void)
{
    while (!atomic_load(&sent_home))
        atomic_store(&sent_home, hear().kind == PART);
    back->leave();
}

/* Whether rank 0 has sent this follower home; looks now and then. */
static bool is_sent_home(void)
{
    fathom_ranks_message message;
    const double now = fathom_clock_seconds();
    if (!atomic_load(&sent_home) && now - atomic_load(&looked) > LOOK) {
        atomic_store(&looked, now);
        if (back->receive(&message, 0) && message.kind == PART)
            atomic_store(&sent_home, true);
    }
    return atomic_load(&sent_home);
}

static void say(int to, int kind, fathom_status status, fathom_stop stop, const char *text)
{
    fathom_ranks_message message = {.kind = kind, .status = (int32_t)status, .stop = (int32_t)stop};
    snprintf(message.text, sizeof message.text, "%s", text ? text : "");
    back->send(to, &message);
}

static void say_to_all(int kind, fathom_status status, const char *text)
{
    for (int r = 1; r < back->count; r++)
        say(r, kind, status, FATHOM_STOP_NONE, text);
}

void fathom_ranks_part(void)
{
    if (!back || alone)
        return;
    if (back->rank > 0)
        go_home();
    alone = true;
    say_to_all(PART, FATHOM_OK, NULL);
}

void fathom_ranks_note(const char *text)
{
    if (back)
        snprintf(failure, sizeof failure, "rank %d on %s: %s", back->rank, back->place, text);
}

void fathom_ranks_end(int exit_code)
{
    fathom_status status = FATHOM_ERROR_RUNTIME;
    for (int s = FATHOM_OK; s <= FATHOM_ERROR_STOPPED; s++)
        status = exit_code != 0 && fathom_status_exit_code((fathom_status)s) == exit_code ? (fathom_status)s
                                                                                          : status;
    if (back && back->rank > 0)
        say(0, ENDED, status, FATHOM_STOP_NONE, *failure ? failure : "a rank has ended before the others");
    fathom_ranks_part();
}

/* What a look of the context at its limits becomes: see the head. */
static fathom_stop look(fathom_stop own)
{
    if (alone)
        return own;
    if (back->rank > 0 && is_sent_home() && own == FATHOM_STOP_NONE)
        own = FATHOM_STOP_INTERRUPT;
    if (own == FATHOM_STOP_NONE || !fathom_ranks_several())
        return own;
    if (back->rank > 0)
        say(0, STOPPED, FATHOM_OK, own, NULL);
    fathom_ranks_part();
    return own;
}

void fathom_ranks_use(const fathom_ranks *ranks)
{
    if (ranks->count == 1)
        return;
    back = ranks;
    main_thread = true;
    fathom_context_set_look(look);
}

/* Another rank was stopped: so is this one, by its own clock where that was the reason. */
static void follow_stop(fathom_context *context, fathom_stop stop)
{
    const double since = fathom_clock_seconds();
    while (stop == FATHOM_STOP_TIME && fathom_context_own_reason(context) == FATHOM_STOP_NONE &&
           fathom_clock_seconds() - since < SKEW)
        fathom_platform_nap();
    if (stop != FATHOM_STOP_NONE && fathom_context_own_reason(context) == FATHOM_STOP_NONE)
        fathom_context_interrupt(context);
}

/* Rank 0: the word of rank r; false where it was stopped and has waited long enough. */
static bool await(fathom_ranks_message *message, const fathom_context *context, int r)
{
    double stopped = 0;
    for (int64_t tries = 0; !try_receive(message, r, &tries);) {
        const bool stop = tries % 64 == 0 && fathom_context_own_reason(context) != FATHOM_STOP_NONE;
        if (stop && stopped == 0)
            stopped = fathom_clock_seconds();
        if (stopped > 0 && fathom_clock_seconds() - stopped > PATIENCE)
            return false;
    }
    return true;
}

/* Rank 0: one follower's word judged; *status is the first failure so far. False: all part. */
static bool judge(fathom_status *status, fathom_context *context, const fathom_ranks_message *message, int r,
                  int64_t count)
{
    if (message->kind == READY && message->sequence == sequence && message->count == count) {
        if (*status == FATHOM_OK && message->status != FATHOM_OK)
            *status = fathom_context_fail(context, (fathom_status)message->status, message->text);
        follow_stop(context, (fathom_stop)message->stop);
        return true;
    }
    follow_stop(context, (fathom_stop)message->stop);
    if (message->kind == ENDED)
        *status = fathom_context_fail(context, (fathom_status)message->status, message->text);
    else if (message->kind == READY)
        *status = fathom_error_set(context, FATHOM_ERROR_RUNTIME,
                                   "rank %d is at step %lld of %lld tasks, rank 0 at step %lld of %lld", r,
                                   (long long)message->sequence, (long long)message->count,
                                   (long long)sequence, (long long)count);
    return false;
}

static fathom_status lead(bool *parted, fathom_context *context, int64_t count, fathom_status status)
{
    bool together = true;
    char text[480] = "";
    if (status != FATHOM_OK)
        snprintf(text, sizeof text, "%s", fathom_context_error(context)->text);
    for (int r = 1; r < back->count && together; r++) {
        fathom_ranks_message message;
        together = await(&message, context, r) && judge(&status, context, &message, r, count);
    }
    if (!together) {
        fathom_ranks_part();
        *parted = true;
        return status;
    }
    if (status != FATHOM_OK && !*text)
        snprintf(text, sizeof text, "%s", fathom_context_error(context)->text);
    say_to_all(status == FATHOM_OK ? GO : FAIL, status, text);
    return status;
}

static fathom_status follow(fathom_context *context, int64_t count, fathom_status status)
{
    fathom_ranks_message message = {.kind = READY,
                                    .status = (int32_t)status,
                                    .stop = (int32_t)fathom_context_own_reason(context),
                                    .sequence = sequence,
                                    .count = count};
    if (status != FATHOM_OK)
        snprintf(message.text, sizeof message.text, "%s", fathom_context_error(context)->text);
    if (!atomic_load(&sent_home)) {
        back->send(0, &message);
        message = hear();
    }
    if (atomic_load(&sent_home) || message.kind == PART) {
        atomic_store(&sent_home, true);
        go_home();
    }
    return message.kind == FAIL ? fathom_context_fail(context, (fathom_status)message.status, message.text)
                                : FATHOM_OK;
}

fathom_status fathom_ranks_meet(bool *parted, fathom_context *context, int64_t count, fathom_status status)
{
    *parted = false;
    if (!fathom_ranks_several())
        return status;
    sequence++;
    return back->rank == 0 ? lead(parted, context, count, status) : follow(context, count, status);
}

void fathom_ranks_spread(void *bytes, int64_t size, int from)
{
    if (size > 0)
        back->spread(bytes, size, from);
}

fathom_status fathom_ranks_agree(fathom_context *context, uint64_t hash, const char *what)
{
    bool parted;
    uint64_t first = hash;
    FATHOM_TRY(fathom_ranks_meet(&parted, context, 1, FATHOM_OK));
    if (!fathom_ranks_several())
        return FATHOM_OK;
    fathom_ranks_spread(&first, sizeof first, 0);
    return fathom_ranks_meet(&parted, context, 1,
                             first == hash ? FATHOM_OK
                                           : fathom_error_set(context, FATHOM_ERROR_INPUT,
                                                              "rank %d has %s other than those of rank 0",
                                                              back->rank, what));
}

/* Reads a whole file, or standard input. */
static fathom_status read_all(void **bytes, int64_t *size, fathom_context *context, const char *path)
{
    const bool standard = strcmp(path, "-") == 0;
    const int from = standard ? FATHOM_PLATFORM_INPUT : fathom_platform_open(path, FATHOM_PLATFORM_READ);
    int64_t capacity = 0, got = from < 0 ? -1 : 1;
    fathom_status status = FATHOM_OK;
    while (got > 0 && status == FATHOM_OK) {
        status = fathom_memory_grow(context, bytes, &capacity, *size + 65536, 1);
        got = status == FATHOM_OK ? fathom_platform_read(from, (char *)*bytes + *size, 65536) : 0;
        *size += got > 0 ? got : 0;
    }
    if (from >= 0 && !standard)
        fathom_platform_close(from);
    if (status == FATHOM_OK && got < 0)
        status =
            fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 0, 0, "cannot read: %s", strerror(errno));
    return status;
}

fathom_status fathom_ranks_share(void **bytes, int64_t *size, fathom_context *context, const char *path)
{
    bool parted;
    fathom_status status = FATHOM_OK;
    *bytes = NULL;
    *size = 0;
    if (fathom_ranks_lead())
        status = read_all(bytes, size, context, path);
    status = fathom_ranks_meet(&parted, context, 0, status);
    if (status == FATHOM_OK && fathom_ranks_several()) {
        fathom_ranks_spread(size, sizeof *size, 0);
        if (!fathom_ranks_lead())
            *bytes = fathom_memory_alloc(context, *size, 1);
        status = fathom_ranks_meet(&parted, context, 0, *bytes ? FATHOM_OK : FATHOM_ERROR_MEMORY);
    }
    if (status == FATHOM_OK && fathom_ranks_several())
        fathom_ranks_spread(*bytes, *size, 0);
    if (status != FATHOM_OK) {
        fathom_memory_free(context, *bytes);
        *bytes = NULL;
    }
    return status;
}
