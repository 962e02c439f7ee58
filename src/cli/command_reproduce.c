/* SPDX-License-Identifier: Apache-2.0 */
/* fathom reproduce ID|all -o FOLDER: figures and tables of the papers, by running this program as its recipes say. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "reproduce_all.h"
#include "stop.h"

#define REPRODUCE_OPTIONS(X)                                                         \
    X(FLAG, list, "list", NULL, 0, 0, "", "list the items; nothing is run")          \
    X(FLAG, quick, "quick", NULL, 0, 0, "", "smaller sizes, where an item has them") \
    X(REAL, minutes, "minutes", "1e9", 0, 1e9, "M", "all: leave out items that are expected to take longer")

FATHOM_OPTIONS_STRUCT(reproduce_options, REPRODUCE_OPTIONS)

#define OWNER reproduce_options
static const fathom_option rows[] = {REPRODUCE_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_reproduce_option_table =
    FATHOM_OPTION_TABLE("Options of reproduce", rows, reproduce_options);

enum { PATH = 4096, WORDS = 80 };
extern char **environ;

static fathom_status fail(cli_invocation *invocation, const char *what, const char *name)
{
    char text[PATH];
    snprintf(text, sizeof text, "%s %.3000s", what, name);
    return fathom_context_fail(invocation->context, FATHOM_ERROR_RUNTIME, text);
}

/* Why a run failed, with its whole command line: its own message was printed before. */
static fathom_status fail_run(cli_invocation *invocation, int exit_code, const char *const *words,
                              int64_t count)
{
    char line[PATH] = "";
    size_t length = 0;
    for (int64_t k = 0; k < count && length < sizeof line; k++)
        length += (size_t)snprintf(line + length, sizeof line - length, " %s", words[k]);
    char text[PATH + 100];
    snprintf(text, sizeof text, "a run failed with exit code %d: fathom%s", exit_code, line);
    return fathom_context_fail(invocation->context, FATHOM_ERROR_RUNTIME, text);
}

/* Starts this program with standard output in a file that gets its name at the end; a run that stopped at a limit
 * (exit code 3) has a result like any other, one that failed leaves no file. */
fathom_status cli_reproduce_spawn(void *user, const char *const *words, int64_t count, const char *output)
{
    cli_invocation *invocation = user;
    char unfinished[PATH + 8], *arguments[WORDS];
    posix_spawn_file_actions_t actions;
    pid_t child;
    snprintf(unfinished, sizeof unfinished, "%s.part", output);
    arguments[0] = "fathom";
    for (int64_t k = 0; k < count && k + 2 < WORDS; k++)
        arguments[k + 1] = (char *)words[k];
    arguments[count + 1 < WORDS ? count + 1 : WORDS - 1] = NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, unfinished, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (invocation->run.threads > 0) {
        char threads[32];
        snprintf(threads, sizeof threads, "%lld", (long long)invocation->run.threads);
        setenv("FATHOM_THREADS", threads, 1);
    }
    cli_stop_adopt();
    const int started = posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (started != 0)
        return fail(invocation, "cannot start a run:", strerror(started));
    bool cut;
    const int code = cli_stop_wait(&cut, child, invocation->context, invocation->run.time_limit);
    const int exit_code = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
    const bool stopped = cut || exit_code == EXIT_INTERRUPTED;
    const bool done = !stopped && (exit_code == 0 || exit_code == EXIT_LIMIT);
    if (done && rename(unfinished, output) == 0)
        return FATHOM_OK;
    unlink(unfinished);
    if (done)
        return fail(invocation, "cannot write", output);
    return stopped ? fathom_context_fail(invocation->context, FATHOM_ERROR_STOPPED,
                                         "stopped before the end; what was run is kept")
                   : fail_run(invocation, exit_code, words, count);
}

fathom_status cli_reproduce_folder(cli_invocation *invocation, const char *path)
{
    return mkdir(path, 0755) == 0 || errno == EEXIST ? FATHOM_OK
                                                     : fail(invocation, "cannot make the folder", path);
}

/* --list: items with paper, one line and expected time. */
static fathom_status list_items(cli_invocation *invocation, const fathom_reproduce *list)
{
    fathom_json *items, *member;
    fathom_reproduce_item item;
    fathom_status status = fathom_json_set_list(invocation->result, "items", &items);
    for (int64_t k = 0; k < fathom_reproduce_count(list) && status == FATHOM_OK; k++) {
        status = fathom_reproduce_get(&item, list, k);
        if (status == FATHOM_OK)
            status = fathom_json_append_object(items, &member);
        if (status == FATHOM_OK)
            status = fathom_json_set_text(member, "id", item.id);
        if (status == FATHOM_OK)
            status = fathom_json_set_text(member, "paper", item.paper);
        if (status == FATHOM_OK)
            status = fathom_json_set_text(member, "what", item.what);
        if (status == FATHOM_OK)
            status = CLI_SET(member, cli_real("minutes", item.minutes),
                             cli_real("quick_minutes", item.quick_minutes), cli_bool("quick", item.quick));
        if (status == FATHOM_OK)
            cli_say(invocation, "%-16s %5.1f min  %s", item.id, item.minutes, item.what);
    }
    return status;
}

void cli_reproduce_place(char *place, size_t size, const char *folder, const char *id)
{
    snprintf(place, size, "%.3000s/%.100s", folder, id);
    for (char *at = place + strlen(folder); *at; at++)
        if (*at == ':')
            *at = '-';
}

static void say_outcome(const cli_invocation *invocation, const fathom_reproduce_item *item,
                        const char *place, const fathom_reproduce_outcome *outcome)
{
    cli_progress_end();
    const char *verdict = outcome->skipped ? "skipped" : outcome->match ? "match" : "differs";
    cli_say(invocation, "%-16s %-8s %s%s", item->id, verdict, item->what,
            outcome->kept ? " (kept: the result was there)" : "");
    if (outcome->skipped)
        cli_say(invocation, "    its data are not there: %s (FATHOM_SHARED names the folder of shared data)",
                outcome->missing);
    for (int64_t k = 0; k < outcome->count; k++) {
        const fathom_reproduce_criterion *c = &outcome->criterion[k];
        cli_say(invocation, "    %-4s %s: %.6g %s %.6g", c->holds ? "yes" : "no", c->name, c->value,
                c->relation, c->limit);
    }
    cli_say(invocation, "    page %s/page.html", place);
}

fathom_status cli_reproduce_item(fathom_json *result, cli_invocation *invocation,
                                 const fathom_reproduce *list, int64_t k, const char *folder)
{
    const reproduce_options *options = cli_options(invocation, &cli_reproduce_option_table);
    char place[PATH];
    fathom_reproduce_item item;
    fathom_reproduce_outcome outcome;
    fathom_status status = fathom_reproduce_get(&item, list, k);
    if (status != FATHOM_OK)
        return status;
    cli_reproduce_place(place, sizeof place, folder, item.id);
    status = cli_reproduce_folder(invocation, place);
    if (status == FATHOM_OK)
        status = fathom_reproduce_run(&outcome, result, list, k, place, options->quick, cli_reproduce_spawn,
                                      invocation);
    if (status == FATHOM_OK)
        say_outcome(invocation, &item, place, &outcome);
    return status;
}

static fathom_status find_item(int64_t *index, cli_invocation *invocation, const fathom_reproduce *list)
{
    const char *names[256] = {NULL};
    const char *wanted = invocation->argument[0];
    fathom_reproduce_item item;
    char text[300];
    for (int64_t k = 0; k < fathom_reproduce_count(list) && k < 255; k++) {
        const fathom_status status = fathom_reproduce_get(&item, list, k);
        if (status != FATHOM_OK)
            return status;
        names[k] = item.id;
        *index = k;
        if (strcmp(item.id, wanted) == 0)
            return FATHOM_OK;
    }
    const char *near = cli_nearest(wanted, names);
    snprintf(text, sizeof text, "no item %.100s%s%.100s; fathom reproduce --list names all", wanted,
             near ? "; did you mean " : "", near ? near : "");
    return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, text);
}

fathom_status cli_run_reproduce(cli_invocation *invocation, int *exit_code)
{
    const reproduce_options *options = cli_options(invocation, &cli_reproduce_option_table);
    const char *folder = invocation->run.output ? invocation->run.output : "reproduce";
    fathom_reproduce *list;
    int64_t index = 0;
    (void)exit_code;
    if (!options->list && invocation->argument_count == 0)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "reproduce needs an ID, all or --list");
    fathom_status status = fathom_reproduce_create(&list, invocation->context);
    if (status != FATHOM_OK)
        return status;
    if (options->list) {
        status = list_items(invocation, list);
    } else if (strcmp(invocation->argument[0], "all") == 0) {
        status = cli_reproduce_folder(invocation, folder);
        if (status == FATHOM_OK)
            status = cli_reproduce_all(invocation, list, folder, options->quick, options->minutes);
    } else {
        status = find_item(&index, invocation, list);
        if (status == FATHOM_OK)
            status = cli_reproduce_folder(invocation, folder);
        if (status == FATHOM_OK)
            status = cli_reproduce_item(invocation->result, invocation, list, index, folder);
    }
    fathom_reproduce_free(list);
    return status;
}
