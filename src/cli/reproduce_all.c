/* SPDX-License-Identifier: Apache-2.0 */
/* fathom reproduce all: item after item, the time left by their expected minutes, and one page that sums up. */
#include "reproduce_all.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "inner/context.h"
#include "inner/json.h"

enum { PATH = 4096, FAILURES = 1024 };

/* How far `all` is: expected minutes of all items and of those that are done, and how long the latter took. */
typedef struct course {
    int64_t count, number, failed;
    double expected, done, started;
    bool stopped; /* by the time limit */
    char failures[FAILURES];
} course;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* 0 where nothing is known. */
static double minutes_of(const fathom_reproduce_item *item, bool quick)
{
    const double seconds = quick ? item->quick_seconds : item->seconds;
    return seconds >= 0 ? seconds / 60 : 0;
}

static bool is_wanted(const fathom_reproduce_item *item, bool quick, double minutes)
{
    return minutes_of(item, quick) <= minutes && (!quick || item->quick);
}

static fathom_status plan(course *c, const fathom_reproduce *list, bool quick, double minutes)
{
    fathom_reproduce_item item;
    fathom_status status = FATHOM_OK;
    *c = (course){.started = now()};
    for (int64_t k = 0; k < fathom_reproduce_count(list) && status == FATHOM_OK; k++) {
        status = fathom_reproduce_get(&item, list, k);
        if (status == FATHOM_OK && is_wanted(&item, quick, minutes)) {
            c->count++;
            c->expected += minutes_of(&item, quick);
        }
    }
    return status;
}

/* Time left: what is expected, stretched as what is done was; as expected while too little is done to tell. */
static double minutes_left(const course *c)
{
    const double taken = (now() - c->started) / 60, left = c->expected - c->done;
    return c->done > 0.1 * c->expected && taken > 0.1 ? left * taken / c->done : left;
}

/* An item that failed is part of the summary; being interrupted or out of memory ends all. */
static fathom_status note_failure(course *c, fathom_json *result, cli_invocation *invocation,
                                  const fathom_reproduce_item *item, fathom_status status)
{
    char text[1024];
    if (status == FATHOM_ERROR_STOPPED || status == FATHOM_ERROR_MEMORY)
        return status;
    snprintf(text, sizeof text, "%s", fathom_context_error(invocation->context)->text);
    fprintf(stderr, "%s failed: %s\n", item->id, text);
    const size_t used = strlen(c->failures);
    snprintf(c->failures + used, sizeof c->failures - used, " %s", item->id);
    c->failed++;
    return CLI_SET(result, cli_text("id", item->id), cli_text("what", item->what),
                   cli_text("paper", item->paper), cli_text("verdict", "failed"), cli_text("error", text));
}

/* One item, with what comes of it in the summary. */
static fathom_status run_one(course *c, fathom_json *rows, cli_invocation *invocation,
                             const fathom_reproduce *list, int64_t k, const char *folder)
{
    fathom_json *result;
    fathom_reproduce_item item;
    FATHOM_TRY(fathom_reproduce_get(&item, list, k));
    FATHOM_TRY(fathom_json_create(&result, invocation->context));
    fathom_status status = cli_reproduce_item(&c->stopped, result, invocation, list, k, folder);
    if (status != FATHOM_OK)
        status = note_failure(c, result, invocation, &item, status);
    if (status == FATHOM_OK) {
        char page[PATH];
        cli_reproduce_place(page, sizeof page, "", item.id);
        strncat(page, "/page.html", sizeof page - strlen(page) - 1);
        status = fathom_reproduce_summary_add(rows, result, page + 1);
    }
    fathom_json_free(result);
    return status;
}

static void say_place(const cli_invocation *invocation, const course *c, const char *id)
{
    char stage[200];
    snprintf(stage, sizeof stage, "%lld of %lld: %s, about %.0f min left", (long long)c->number + 1,
             (long long)c->count, id, minutes_left(c));
    cli_progress(invocation, stage);
}

static fathom_status run_items(course *c, fathom_json *rows, cli_invocation *invocation,
                               const fathom_reproduce *list, const char *folder, bool quick, double minutes)
{
    fathom_reproduce_item item;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < fathom_reproduce_count(list) && status == FATHOM_OK && !c->stopped; k++) {
        status = fathom_reproduce_get(&item, list, k);
        if (status != FATHOM_OK || !is_wanted(&item, quick, minutes))
            continue;
        say_place(invocation, c, item.id);
        status = run_one(c, rows, invocation, list, k, folder);
        c->done += minutes_of(&item, quick);
        c->number++;
    }
    return status;
}

fathom_status cli_reproduce_all(bool *stopped, cli_invocation *invocation, const fathom_reproduce *list,
                                const char *folder, bool quick, double minutes)
{
    course c;
    fathom_json *summary = invocation->result, *rows;
    fathom_status status = plan(&c, list, quick, minutes);
    FATHOM_THEN(status, fathom_json_set_bool(summary, "quick", quick));
    FATHOM_THEN(status, fathom_json_set_list(summary, "items", &rows));
    FATHOM_THEN(status, run_items(&c, rows, invocation, list, folder, quick, minutes));
    *stopped = c.stopped;
    if (status == FATHOM_OK || (status == FATHOM_ERROR_STOPPED && c.number > 1)) {
        const fathom_status written = fathom_reproduce_summary_write(summary, folder);
        if (written == FATHOM_OK)
            cli_say(invocation, "summary      %s/index.html: %lld items", folder, (long long)c.number);
        status = status == FATHOM_OK ? written : status;
    }
    if (status == FATHOM_OK && c.failed > 0) {
        char text[FAILURES + 100];
        snprintf(text, sizeof text, "%lld items failed:%s", (long long)c.failed, c.failures);
        status = fathom_context_fail(invocation->context, FATHOM_ERROR_RUNTIME, text);
    }
    return status;
}
