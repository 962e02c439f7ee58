/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fathom-check as a process of its own, which shares nothing with this one.
 *
 * Its answer is its exit code (0 accepted, 4 rejected) and its first line. A limit or an interruption of the
 * context leaves it GRACE seconds.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "context_internal.h"
#include "job_internal.h"

extern char **environ;

static const double GRACE = 1;
enum { LOOK_MILLISECONDS = 20, REJECTED = 4 };

/* A process whose standard output comes through `output`. */
typedef struct child {
    pid_t pid;
    int output;
} child;

static bool start(child *c, char **words)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const int failed = posix_spawnp(&c->pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    c->output = ends[0];
    if (failed)
        close(ends[0]);
    return !failed;
}

/* Reads what the child prints until it ends; what does not fit is dropped. Returns whether it was cut short. */
static bool listen_to(const child *c, char *text, size_t size, const fathom_context *context)
{
    size_t used = 0;
    double asked = INFINITY;
    for (;;) {
        char rest[512];
        struct pollfd wait = {.fd = c->output, .events = POLLIN};
        const int ready = poll(&wait, 1, LOOK_MILLISECONDS);
        const double now = fathom_context_seconds(context);
        if (fathom_context_stop_reason(context) != FATHOM_STOP_NONE && isinf(asked))
            asked = now;
        if (now > asked + GRACE)
            break;
        if (ready <= 0)
            continue;
        const bool fits = used + 1 < size;
        const ssize_t got = read(c->output, fits ? text + used : rest, fits ? size - used - 1 : sizeof rest);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            text[used] = 0;
            return false;
        }
        used += fits ? (size_t)got : 0;
    }
    text[used] = 0;
    return true;
}

/* Its exit code, or -1 where it did not end by itself. */
static int wait_for(const child *c)
{
    int status = -1;
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

fathom_status fathom_job_verify(fathom_job_verdict *verdict, fathom_job *job, const char *checker)
{
    child c;
    *verdict = (fathom_job_verdict){.answer = FATHOM_JOB_NOT_ASKED};
    if (!job->verify || !job->written)
        return FATHOM_OK;
    char *words[] = {(char *)checker,
                     (char *)job->certificate,
                     job->path,
                     (char *)(job->options.labels ? "--labels" : NULL),
                     (char *)job->options.labels,
                     NULL};
    if (!start(&c, words))
        return fathom_context_fail(job->context, FATHOM_ERROR_RUNTIME, "fathom-check could not be run");
    const bool cut = listen_to(&c, verdict->text, sizeof verdict->text, job->context);
    if (cut)
        kill(c.pid, SIGKILL);
    close(c.output);
    const int code = wait_for(&c);
    verdict->text[strcspn(verdict->text, "\n")] = 0;
    if (!cut && code != 0 && code != REJECTED)
        return fathom_context_fail(job->context, FATHOM_ERROR_RUNTIME,
                                   *verdict->text ? verdict->text : "fathom-check could not be run");
    verdict->answer = cut ? FATHOM_JOB_CUT : code == 0 ? FATHOM_JOB_ACCEPTED : FATHOM_JOB_REJECTED;
    return FATHOM_OK;
}
