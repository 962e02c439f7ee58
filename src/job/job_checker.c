/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fathom-check as a process of its own, which shares nothing with this one.
 *
 * Its answer is its exit code (0 accepted, 4 rejected), its first line, and the statement behind it. A
 * limit or an interruption of the context leaves it GRACE seconds.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "inner/context.h"
#include "job_internal.h"
#include "platform_child.h"
#include "ranks.h"

static const double GRACE = 1, LOOK = 0.02;
enum { REJECTED = 4 };

/* Reads what the child prints until it ends; what does not fit is dropped. Returns whether it was cut
 * short. */
static bool listen_to(int output, char *text, size_t size, const fathom_context *context)
{
    size_t used = 0;
    double asked = INFINITY;
    bool cut = false;
    for (int64_t got = 1; got != 0 && !cut;) {
        char rest[512];
        const bool fits = used + 1 < size;
        got = fathom_platform_child_read(output, fits ? text + used : rest,
                                         fits ? size - used - 1 : sizeof rest, LOOK);
        used += fits && got > 0 ? (size_t)got : 0;
        const double now = fathom_context_seconds(context);
        if (fathom_context_stop_reason(context) != FATHOM_STOP_NONE && isinf(asked))
            asked = now;
        cut = got != 0 && now > asked + GRACE;
    }
    text[used] = 0;
    return cut;
}

/* The first line of what was said, and the paragraphs behind it as one line. */
static void take_answer(fathom_job_verdict *verdict, const char *said)
{
    const size_t first = strcspn(said, "\n");
    snprintf(verdict->text, sizeof verdict->text, "%.*s", (int)first, said);
    snprintf(verdict->statement, sizeof verdict->statement, "%s", said + first + strspn(said + first, "\n"));
    for (char *at = verdict->statement; *at; at++)
        *at = *at != '\n' ? *at : ' ';
    const size_t length = strlen(verdict->statement);
    if (length > 0 && verdict->statement[length - 1] == ' ')
        verdict->statement[length - 1] = 0;
}

fathom_status fathom_job_verify(fathom_job_verdict *verdict, fathom_job *job, const char *checker)
{
    fathom_platform_child child;
    int output, code;
    *verdict = (fathom_job_verdict){.answer = FATHOM_JOB_NOT_ASKED};
    if (!job->verify || !job->written || !fathom_ranks_lead())
        return FATHOM_OK;
    char *words[] = {(char *)checker,
                     (char *)job->certificate,
                     job->path,
                     (char *)"--expect",
                     job->expect,
                     (char *)(job->options.labels ? "--labels" : NULL),
                     (char *)job->options.labels,
                     NULL};
    if (fathom_platform_child_start(&child, checker, words, false, NULL, &output) != 0)
        return fathom_context_fail(job->context, FATHOM_ERROR_RUNTIME, "fathom-check could not be run");
    char said[sizeof verdict->text + sizeof verdict->statement];
    const bool cut = listen_to(output, said, sizeof said, job->context);
    if (cut)
        fathom_platform_child_kill(child);
    fathom_platform_child_close(output);
    fathom_platform_child_ended(&code, child, true);
    take_answer(verdict, said);
    if (!cut && code != 0 && code != REJECTED)
        return fathom_context_fail(job->context, FATHOM_ERROR_RUNTIME,
                                   *verdict->text ? verdict->text : "fathom-check could not be run");
    verdict->answer = cut ? FATHOM_JOB_CUT : code == 0 ? FATHOM_JOB_ACCEPTED : FATHOM_JOB_REJECTED;
    return FATHOM_OK;
}
