/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fathom reproduce ID|all|FILE [ID] -o FOLDER: figures and tables of the papers, or of recipes in a file, by
 * running this program as the recipes say.
 *
 * A recipe of a file may come from anyone. It runs commands of this program and nothing else, with standard
 * input closed; whatever they write lies in the item's folder; and all command lines are looked at before the
 * first is run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inner/context.h"
#include "inner/files.h"
#include "inner/json.h"
#include "inner/options.h"
#include "reproduce.h"
#include "reproduce_all.h"
#include "stop.h"

#define REPRODUCE_OPTIONS(X)                                                         \
    X(FLAG, list, "list", NULL, 0, 0, "", "list the items; nothing is run")          \
    X(FLAG, quick, "quick", NULL, 0, 0, "", "smaller sizes, where an item has them") \
    X(REAL, minutes, "minutes", "1e9", 0, 1e9, "M", "all: leave out items that take more processor time")

FATHOM_OPTIONS_STRUCT(reproduce_options, REPRODUCE_OPTIONS)

#define OWNER reproduce_options
static const fathom_option rows[] = {REPRODUCE_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_reproduce_option_table =
    FATHOM_OPTION_TABLE("Options of reproduce", rows, reproduce_options);

enum { PATH = 4096, WORDS = 80, FILES = 16 };

/* Whose runs are made, and the folder of their item. */
typedef struct spawning {
    cli_invocation *invocation;
    const char *folder;
} spawning;

static fathom_status fail(cli_invocation *invocation, const char *what, const char *name)
{
    char text[PATH];
    snprintf(text, sizeof text, "%s %.3000s", what, name);
    return fathom_context_fail(invocation->context, FATHOM_ERROR_RUNTIME, text);
}

static fathom_status fail_usage(cli_invocation *invocation, const char *what, const char *name)
{
    char text[PATH];
    snprintf(text, sizeof text, "%s %.100s", what, name);
    return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, text);
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
    return fathom_context_fail(invocation->context,
                               exit_code == EXIT_MEMORY ? FATHOM_ERROR_MEMORY : FATHOM_ERROR_RUNTIME, text);
}

/* Commands that a recipe cannot run: this one, and those that give no result. */
static bool is_barred(const cli_command *command)
{
    static const char *const barred[] = {"reproduce", "completion", "manual", "doctor"};
    bool found = !command->run;
    for (size_t k = 0; k < sizeof barred / sizeof *barred; k++)
        found = found || strcmp(command->name, barred[k]) == 0;
    return found;
}

/* Whether a file lies directly in the item's folder. */
static bool is_inside(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/' && path[length + 1] &&
           path[length + 1] != '.' && !strchr(path + length + 1, '/');
}

/* What the command line writes lies in the folder. */
static fathom_status check_outputs(const cli_invocation *trial, const char *folder)
{
    fathom_file_use use[FILES];
    for (int k = 0; k <= CLI_TABLES; k++) {
        const bool last = k == CLI_TABLES;
        if (!last && !trial->options[k])
            continue;
        const int64_t count =
            last ? fathom_options_files(use, FILES, &trial->run, &cli_run_option_table)
                 : fathom_options_files(use, FILES, trial->options[k], trial->command->tables[k]);
        for (int64_t f = 0; f < count; f++) {
            char text[PATH];
            if (use[f].purpose == FATHOM_FILE_READ || use[f].purpose == FATHOM_FILE_RESUME ||
                is_inside(use[f].path, folder))
                continue;
            snprintf(text, sizeof text, "--%.60s writes inside {folder}, not to %.300s", use[f].name,
                     use[f].path);
            return fathom_context_fail(trial->context, FATHOM_ERROR_USAGE, text);
        }
    }
    return FATHOM_OK;
}

/* Whether a recipe of a file can run these words: a command, its options, where it writes. */
static fathom_status look_at(const spawning *s, const char *const *words, int64_t count)
{
    const cli_command *command = count > 0 ? cli_command_find(words[0]) : NULL;
    char *copy[WORDS];
    if (!command || is_barred(command))
        return fail_usage(s->invocation, "a recipe cannot run the command", count > 0 ? words[0] : "");
    for (int64_t k = 1; k < count && k < WORDS; k++)
        copy[k - 1] = (char *)words[k];
    cli_invocation trial = {.context = s->invocation->context, .command = command};
    fathom_status status = cli_parse(&trial, (int)count - 1, copy);
    if (status == FATHOM_OK && trial.run.help)
        status = fail_usage(s->invocation, "a recipe cannot ask for", "--help");
    FATHOM_THEN(status, check_outputs(&trial, s->folder));
    cli_invocation_clear(&trial);
    return status;
}

/* Starts the child: standard output in a file, nothing to read. 0, or why not. */
static int start(fathom_platform_child *child, const cli_invocation *invocation, const char *const *words,
                 int64_t count, const char *output)
{
    char *arguments[WORDS], threads[32];
    arguments[0] = "fathom";
    for (int64_t k = 0; k < count && k + 2 < WORDS; k++)
        arguments[k + 1] = (char *)words[k];
    arguments[count + 1 < WORDS ? count + 1 : WORDS - 1] = NULL;
    snprintf(threads, sizeof threads, "%lld", (long long)invocation->run.threads);
    if (invocation->run.threads > 0)
        platform_set_variable("FATHOM_THREADS", threads);
    fathom_platform_children_adopt();
    return fathom_platform_child_start(child, NULL, arguments, true, output, NULL);
}

/* A fathom_reproduce_runner: this program with standard output in a file that gets its name at the end; a run
 * that stopped at a limit of its own (exit code 3) has a result like any other, one that failed or was cut
 * leaves no file. */
static fathom_status spawn(void *user, const char *const *words, int64_t count, const char *output)
{
    const spawning *s = user;
    cli_invocation *invocation = s->invocation;
    char unfinished[PATH + 8];
    fathom_platform_child child;
    bool cut;
    if (!output)
        return look_at(s, words, count);
    snprintf(unfinished, sizeof unfinished, "%s.part", output);
    const int started = start(&child, invocation, words, count, unfinished);
    if (started != 0)
        return fail(invocation, "cannot start a run:", strerror(started));
    const int exit_code = cli_stop_wait(&cut, child, invocation->context, invocation->run.time_limit);
    const bool stopped = cut || exit_code == EXIT_INTERRUPTED;
    const bool done = !stopped && (exit_code == 0 || exit_code == EXIT_LIMIT);
    if (done && rename(unfinished, output) == 0)
        return FATHOM_OK;
    remove(unfinished);
    if (done)
        return fail(invocation, "cannot write", output);
    return stopped ? fathom_context_fail(invocation->context, FATHOM_ERROR_STOPPED,
                                         "stopped before the end; what was run is kept")
                   : fail_run(invocation, exit_code, words, count);
}

static fathom_status make_folder(cli_invocation *invocation, const char *path)
{
    return platform_make_folder(path) ? FATHOM_OK : fail(invocation, "cannot make the folder", path);
}

/* --list: items with paper, one line and the processor time that they took, or may take. */
static fathom_status list_items(cli_invocation *invocation, const fathom_reproduce *list)
{
    fathom_json *items, *member;
    fathom_reproduce_item item;
    fathom_status status = fathom_json_set_list(invocation->result, "items", &items);
    cli_say(invocation,
            "Seconds are processor time of one thread, all runs together: measured, or estimated (~).");
    for (int64_t k = 0; k < fathom_reproduce_count(list) && status == FATHOM_OK; k++) {
        status = fathom_reproduce_get(&item, list, k);
        FATHOM_THEN(status, fathom_json_append_object(items, &member));
        FATHOM_THEN(status, CLI_SET(member, cli_text("id", item.id), cli_text("paper", item.paper),
                                    cli_text("what", item.what), cli_real("minutes", item.seconds / 60),
                                    cli_real("quick_minutes", item.quick_seconds / 60),
                                    cli_real("processor_seconds", item.seconds),
                                    cli_real("quick_processor_seconds", item.quick_seconds),
                                    cli_bool("quick", item.quick),
                                    cli_bool("measured", item.seconds >= 0 && !item.estimated),
                                    cli_text("estimated_from", item.estimated_from)));
        char seconds[32] = "?";
        if (item.seconds >= 0)
            snprintf(seconds, sizeof seconds, "%s%.3g", item.estimated ? "~" : "", item.seconds);
        if (status == FATHOM_OK)
            cli_say(invocation, "%-21s %6s s  %s", item.id, seconds, item.what);
        if (status == FATHOM_OK && item.estimated && item.estimated_from[0])
            cli_say(invocation, "%-21s          (~: %s)", "", item.estimated_from);
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

static const char *answer(bool holds, bool undecided) { return undecided ? "?" : holds ? "yes" : "no"; }

/* One criterion: its value over all rows and, where there are draws, on how many of them it is met. */
static void say_criterion(const cli_invocation *invocation, const fathom_reproduce_criterion *c)
{
    char asked[64] = "", name[224];
    snprintf(name, sizeof name, "%s%s%s", c->reading, c->reading[0] ? ": " : "", c->name);
    if (c->draws == 0) {
        cli_say(invocation, "    %-4s %s: %.6g %s %.6g", answer(c->holds, c->undecided), name, c->value,
                c->relation, c->limit);
        return;
    }
    if (!isnan(c->share))
        snprintf(asked, sizeof asked, " (asked: %g)", c->share);
    cli_say(invocation,
            "    %-4s %s: %.6g %s %.6g; %lld of %lld draws meet it, of all draws a share of %.3g to %.3g%s",
            answer(c->holds, c->undecided), name, c->value, c->relation, c->limit, (long long)c->met,
            (long long)c->draws, c->low, c->high, asked);
}

/* How many draws meet all criteria, and how often a fresh one does not. */
static void say_draws(const cli_invocation *invocation, const char *before, int64_t met, int64_t draws,
                      double low, double high, double confidence)
{
    cli_say(invocation,
            "    %s%lld of %lld draws meet all criteria; a fresh draw misses one with probability %.3g to "
            "%.3g (each end at confidence %g)",
            before, (long long)met, (long long)draws, 1 - high, 1 - low, confidence);
}

static void say_reading(const cli_invocation *invocation, const fathom_reproduce_reading *r,
                        double confidence)
{
    char before[128];
    snprintf(before, sizeof before, "reading \"%s\": %s", r->name,
             r->undecided ? "undecided"
             : r->match   ? "match"
                          : "differs");
    if (r->draws == 0) {
        cli_say(invocation, "    %s", before);
        return;
    }
    strcat(before, "; ");
    say_draws(invocation, before, r->draws_met, r->draws, r->low, r->high, confidence);
}

static void say_outcome(const cli_invocation *invocation, const fathom_reproduce_item *item,
                        const char *place, const fathom_reproduce_outcome *outcome)
{
    cli_progress_end();
    const char *verdict = outcome->skipped      ? "skipped"
                          : outcome->undecided  ? "undecided"
                          : outcome->count == 0 ? "none"
                          : outcome->match      ? "match"
                                                : "differs";
    cli_say(invocation, "%-16s %-8s %s%s", item->id, verdict, item->what,
            outcome->kept ? " (kept: the result was there)" : "");
    if (outcome->skipped)
        cli_say(invocation, "    its data are not there: %s (FATHOM_SHARED names the folder of shared data)",
                outcome->missing);
    if (outcome->stopped)
        cli_say(invocation, "    stopped by the time limit before all runs were made; nothing was judged");
    for (int64_t k = 0; k < outcome->count; k++)
        say_criterion(invocation, &outcome->criterion[k]);
    if (outcome->draws > 0)
        say_draws(invocation, "", outcome->draws_met, outcome->draws, outcome->low, outcome->high,
                  outcome->confidence);
    for (int64_t k = 0; k < outcome->readings; k++)
        say_reading(invocation, &outcome->reading[k], outcome->confidence);
    cli_say(invocation, "    page %s/page.html", place);
}

fathom_status cli_reproduce_item(bool *stopped, fathom_json *result, cli_invocation *invocation,
                                 const fathom_reproduce *list, int64_t k, const char *folder)
{
    const reproduce_options *options = cli_options(invocation, &cli_reproduce_option_table);
    char place[PATH];
    spawning s = {invocation, place};
    fathom_reproduce_item item;
    fathom_reproduce_outcome outcome;
    fathom_status status = fathom_reproduce_get(&item, list, k);
    *stopped = false;
    if (status != FATHOM_OK)
        return status;
    cli_reproduce_place(place, sizeof place, folder, item.id);
    status = make_folder(invocation, place);
    FATHOM_THEN(status, fathom_reproduce_run(&outcome, result, list, k, place, options->quick, spawn, &s));
    if (status == FATHOM_OK)
        say_outcome(invocation, &item, place, &outcome);
    *stopped = status == FATHOM_OK && outcome.stopped;
    return status;
}

static fathom_status find_item(int64_t *index, cli_invocation *invocation, const fathom_reproduce *list,
                               const char *wanted)
{
    const char *names[258] = {NULL};
    fathom_reproduce_item item;
    char text[300];
    for (int64_t k = 0; k < fathom_reproduce_count(list) && k < 257; k++) {
        FATHOM_TRY(fathom_reproduce_get(&item, list, k));
        names[k] = item.id;
        *index = k;
        if (strcmp(item.id, wanted) == 0)
            return FATHOM_OK;
    }
    const char *near = fathom_word_nearest(wanted, names);
    snprintf(text, sizeof text, "no item %.100s%s%.100s; fathom reproduce --list names all", wanted,
             near ? "; did you mean " : "", near ? near : "");
    return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE, text);
}

/* Whether an argument is a file of recipes: no item's name ends so. */
static bool is_file(const char *word)
{
    const char *slash = strrchr(word, '/'), *end = strstr(slash ? slash : word, ".json");
    return end && (!end[5] || end[5] == '.');
}

/* Recipes of a file, looked at before anything is made: item `index`, or all of them (-1). */
static fathom_status try_items(cli_invocation *invocation, const fathom_reproduce *list, int64_t index,
                               const char *folder)
{
    const reproduce_options *options = cli_options(invocation, &cli_reproduce_option_table);
    fathom_reproduce_item item;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < fathom_reproduce_count(list) && status == FATHOM_OK; k++) {
        char place[PATH];
        spawning s = {invocation, place};
        if (index >= 0 && k != index)
            continue;
        status = fathom_reproduce_get(&item, list, k);
        if (status != FATHOM_OK)
            break;
        cli_reproduce_place(place, sizeof place, folder, item.id);
        status = fathom_reproduce_try(list, k, place, options->quick, spawn, &s);
    }
    return status;
}

/* Lists, or runs, what the arguments name: `wanted` is an item, "all" or NULL for all of a file. */
static fathom_status serve(cli_invocation *invocation, const fathom_reproduce *list, const char *wanted,
                           bool file, int *exit_code)
{
    const reproduce_options *options = cli_options(invocation, &cli_reproduce_option_table);
    const char *folder = invocation->run.output ? invocation->run.output : "reproduce";
    int64_t index = 0;
    bool stopped = false;
    fathom_status status = FATHOM_OK;
    if (options->list)
        return list_items(invocation, list);
    const bool alone = !wanted && fathom_reproduce_count(list) == 1;
    const bool all = !alone && (!wanted || strcmp(wanted, "all") == 0);
    if (!all && !alone)
        status = find_item(&index, invocation, list, wanted);
    if (status == FATHOM_OK && file)
        status = try_items(invocation, list, all ? -1 : index, folder);
    FATHOM_THEN(status, make_folder(invocation, folder));
    if (status == FATHOM_OK && all)
        status = cli_reproduce_all(&stopped, invocation, list, folder, options->quick, options->minutes);
    else if (status == FATHOM_OK)
        status = cli_reproduce_item(&stopped, invocation->result, invocation, list, index, folder);
    if (stopped)
        *exit_code = EXIT_LIMIT;
    return status;
}

fathom_status cli_run_reproduce(cli_invocation *invocation, int *exit_code)
{
    const reproduce_options *options = cli_options(invocation, &cli_reproduce_option_table);
    const char *first = invocation->argument_count > 0 ? invocation->argument[0] : NULL;
    const char *second = invocation->argument_count > 1 ? invocation->argument[1] : NULL;
    const bool file = first && is_file(first);
    fathom_reproduce *list;
    if (!options->list && !first)
        return fathom_context_fail(invocation->context, FATHOM_ERROR_USAGE,
                                   "reproduce needs an ID, all, a file of recipes or --list");
    if (second && !file)
        return fail_usage(invocation,
                          "a second argument is an item of a file of recipes; this is none:", first);
    FATHOM_TRY(file ? fathom_reproduce_read(&list, invocation->context, first)
                    : fathom_reproduce_create(&list, invocation->context));
    fathom_status status = serve(invocation, list, file ? second : first, file, exit_code);
    fathom_reproduce_free(list);
    return status;
}
