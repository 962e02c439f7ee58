/* SPDX-License-Identifier: Apache-2.0 */
/* fathom reproduce ID|all -o FOLDER: figures and tables of the papers, by running this program as its recipes say. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"

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

/* Starts this program with standard output in a file that gets its name at the end; a run that stopped at a limit
 * (exit code 3) has a result like any other. */
static fathom_status spawn(void *user, const char *const *words, int64_t count, const char *output)
{
    cli_invocation *invocation = user;
    char unfinished[PATH + 8], *arguments[WORDS];
    posix_spawn_file_actions_t actions;
    pid_t child;
    int code = 0;
    snprintf(unfinished, sizeof unfinished, "%s.part", output);
    arguments[0] = "fathom";
    for (int64_t k = 0; k < count && k + 2 < WORDS; k++)
        arguments[k + 1] = (char *)words[k];
    arguments[count + 1 < WORDS ? count + 1 : WORDS - 1] = NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, unfinished, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int started = posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (started != 0)
        return fail(invocation, "cannot start a run:", strerror(started));
    while (waitpid(child, &code, 0) < 0 && errno == EINTR)
        continue;
    const int exit_code = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
    if (exit_code == EXIT_INTERRUPTED || fathom_context_interrupted(invocation->context))
        return fathom_context_fail(invocation->context, FATHOM_ERROR_STOPPED,
                                   "interrupted; what was run is kept");
    if (exit_code != 0 && exit_code != EXIT_LIMIT)
        return fail(invocation, "a run failed: fathom", words[0]);
    return rename(unfinished, output) == 0 ? FATHOM_OK : fail(invocation, "cannot write", output);
}

static fathom_status make_folder(cli_invocation *invocation, const char *path)
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
            status = fathom_json_set_real(member, "minutes", item.minutes);
        if (status == FATHOM_OK)
            cli_say(invocation, "%-16s %5.1f min  %s", item.id, item.minutes, item.what);
    }
    return status;
}

/* folder/002-figure1, and the result in it. */
static void item_place(char place[PATH], const char *folder, const char *id)
{
    snprintf(place, PATH, "%.3000s/%.100s", folder, id);
    for (char *at = place + strlen(folder); *at; at++)
        if (*at == ':')
            *at = '-';
}

static void item_file(char file[PATH], const char *folder, const char *id)
{
    char place[PATH];
    item_place(place, folder, id);
    snprintf(file, PATH, "%.4000s/result.json", place);
}

static void say_outcome(const cli_invocation *invocation, const fathom_reproduce_item *item,
                        const char *place, const fathom_reproduce_outcome *outcome)
{
    const char *verdict = outcome->skipped ? "skipped" : outcome->match ? "match" : "differs";
    cli_say(invocation, "%-16s %-8s %s", item->id, verdict, item->what);
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

/* Runs one item in a folder of its own, into `result`. */
static fathom_status run_item(fathom_json *result, cli_invocation *invocation, const fathom_reproduce *list,
                              int64_t k, const char *folder)
{
    const reproduce_options *options = cli_options(invocation, &cli_reproduce_option_table);
    char place[PATH];
    fathom_reproduce_item item;
    fathom_reproduce_outcome outcome;
    fathom_status status = fathom_reproduce_get(&item, list, k);
    if (status != FATHOM_OK)
        return status;
    item_place(place, folder, item.id);
    status = make_folder(invocation, place);
    if (status == FATHOM_OK)
        status = fathom_reproduce_run(&outcome, result, list, k, place, options->quick, spawn, invocation);
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

/* One page with the results of all items that were run. */
static fathom_status write_summary(cli_invocation *invocation, const char *folder, const char (*file)[PATH],
                                   int64_t count)
{
    const char *names[256];
    char page[PATH];
    fathom_report_result report;
    for (int64_t k = 0; k < count; k++)
        names[k] = file[k];
    snprintf(page, sizeof page, "%.3000s/index.html", folder);
    const fathom_status status = fathom_report_write(&report, invocation->context, page, names, count);
    if (status == FATHOM_OK)
        cli_say(invocation, "%s: %lld items", page, (long long)count);
    return status;
}

/* Every item that is short enough; what is there already is not run again. */
static fathom_status run_all(cli_invocation *invocation, const fathom_reproduce *list, const char *folder)
{
    const reproduce_options *options = cli_options(invocation, &cli_reproduce_option_table);
    static char file[256][PATH];
    int64_t count = 0;
    fathom_json *items, *member;
    fathom_reproduce_item item;
    fathom_status status = fathom_json_set_list(invocation->result, "items", &items);
    for (int64_t k = 0; k < fathom_reproduce_count(list) && count < 256 && status == FATHOM_OK; k++) {
        status = fathom_reproduce_get(&item, list, k);
        if (status != FATHOM_OK || item.minutes > options->minutes)
            continue;
        status = fathom_json_append_object(items, &member);
        if (status == FATHOM_OK)
            status = run_item(member, invocation, list, k, folder);
        if (status == FATHOM_OK)
            item_file(file[count++], folder, item.id);
    }
    return status == FATHOM_OK ? write_summary(invocation, folder, (const char(*)[PATH])file, count) : status;
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
        status = make_folder(invocation, folder);
        if (status == FATHOM_OK)
            status = run_all(invocation, list, folder);
    } else {
        status = find_item(&index, invocation, list);
        if (status == FATHOM_OK)
            status = make_folder(invocation, folder);
        if (status == FATHOM_OK)
            status = run_item(invocation->result, invocation, list, index, folder);
    }
    fathom_reproduce_free(list);
    return status;
}
