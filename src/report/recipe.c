/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of recipes: holes filled, runs made or found, rows taken from what they print. */
#include "recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "file_write.h"
#include "inner/json.h"
#include "json_internal.h"
#include "memory.h"
#include "recipe_loops.h"
#include "platform.h"
#include "recipe_rows.h"

/* One run of a step: its number, loop values, words (pointing into `text`) and output file. */
typedef struct one_run {
    char value[FATHOM_RECIPE_LOOPS][FATHOM_RECIPE_VALUE], seed[FATHOM_RECIPE_VALUE];
    const char *name[FATHOM_RECIPE_LOOPS], *text_of[FATHOM_RECIPE_LOOPS], *word[FATHOM_RECIPE_WORDS];
    int64_t number, words;
    size_t length; /* of text */
    char text[FATHOM_RECIPE_TEXT], output[FATHOM_RECIPE_TEXT], log[FATHOM_RECIPE_TEXT];
} one_run;

const char *fathom_recipe_shared(void)
{
    const char *folder = getenv("FATHOM_SHARED");
    return folder && *folder ? folder : ".";
}

static bool is_hole(const char *hole, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(hole, name, size) == 0;
}

/* Whether the hole stands for a path, whose blanks are its own. */
static bool is_place(const char *hole, size_t size)
{
    return is_hole(hole, size, "folder") || is_hole(hole, size, "shared");
}

/* The text that stands for a hole of the length `size`, or NULL. */
static const char *fill(one_run *r, const fathom_recipe_course *course, const fathom_recipe_run *run,
                        const char *hole, size_t size)
{
    if (is_hole(hole, size, "folder"))
        return run->folder;
    if (is_hole(hole, size, "shared"))
        return fathom_recipe_shared();
    for (int64_t k = 0; k < course->count; k++)
        if (is_hole(hole, size, course->loop[k].name))
            return r->value[k];
    return is_hole(hole, size, "seed") && fathom_recipe_seed(r->seed, run->seed, "1") ? r->seed : NULL;
}

/* Copies part of a line; blanks become ends of words, but for those of a path. */
static void copy_words(char *to, const char *from, size_t size, bool path)
{
    for (size_t k = 0; k < size; k++)
        to[k] = from[k] == ' ' && !path ? '\0' : from[k];
}

/* r->text = the line with its holes filled: one path, or words with a zero byte behind each. */
static fathom_status fill_line(one_run *r, const fathom_recipe_course *course, const fathom_recipe_run *run,
                               const char *line, bool path)
{
    size_t length = 0;
    for (const char *at = line; *at;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        const char *text = end ? fill(r, course, run, at + 1, (size_t)(end - at - 1)) : at;
        const size_t size = end && text ? strlen(text) : 1;
        if (!text || length + size >= sizeof r->text)
            return fathom_error_set(run->context, FATHOM_ERROR_INPUT, "%s the line %.200s",
                                    text ? "too much text in" : "no value for a hole of", line);
        copy_words(r->text + length, text, size, path || (end && is_place(at + 1, (size_t)(end - at - 1))));
        length += size;
        at = end ? end + 1 : at + 1;
    }
    r->text[length] = '\0';
    r->length = length;
    return FATHOM_OK;
}

/* Seeds of the line itself move as those of loops do; a line without one gets the seed where it is not the
 * default. */
static fathom_status heed_seed(one_run *r, const fathom_recipe_run *run, const char *line)
{
    const bool filled = strstr(line, "--seed {") != NULL;
    for (int64_t k = 0; k < r->words; k++) {
        if (strcmp(r->word[k], "--seed") != 0)
            continue;
        if (filled || k + 1 == r->words)
            return FATHOM_OK;
        if (!fathom_recipe_seed(r->seed, run->seed, r->word[k + 1]))
            return fathom_error_set(run->context, FATHOM_ERROR_INPUT, "--seed takes a number, not %.60s",
                                    r->word[k + 1]);
        r->word[k + 1] = r->seed;
        return FATHOM_OK;
    }
    if (run->seed == 1)
        return FATHOM_OK;
    fathom_recipe_seed(r->seed, run->seed, "1");
    r->word[r->words++] = "--seed";
    r->word[r->words++] = r->seed;
    return FATHOM_OK;
}

/* Words of the line, its seed, and the switches that make its output a file. */
static fathom_status split_words(one_run *r, const fathom_recipe_run *run, const char *line, bool log)
{
    r->words = 0;
    const char *word = r->text, *end = r->text + r->length;
    for (; word < end && r->words < FATHOM_RECIPE_WORDS - 6; word += strlen(word) + 1)
        if (*word)
            r->word[r->words++] = word;
    if (word < end)
        return fathom_error_set(run->context, FATHOM_ERROR_INPUT, "a line has more than %d words: %.200s",
                                FATHOM_RECIPE_WORDS - 6, line);
    const fathom_status status = heed_seed(r, run, line);
    if (log) {
        r->word[r->words++] = "--log";
        r->word[r->words++] = r->log;
    }
    r->word[r->words++] = "--json";
    r->word[r->words++] = "--quiet";
    return status;
}

/* Whether the output of a run with the same words is there. */
static bool is_there(const one_run *r, const fathom_recipe_run *run)
{
    fathom_json *old;
    int64_t count;
    if (!fathom_platform_readable(r->output) || fathom_json_read(&old, run->context, r->output) != FATHOM_OK)
        return false;
    bool same = fathom_json_get_count(&count, old, "arguments") == FATHOM_OK && count == r->words;
    for (int64_t k = 0; k < r->words && same; k++) {
        const char *word;
        same = fathom_json_get_text_item(&word, old, "arguments", k) == FATHOM_OK &&
               strcmp(word, r->word[k]) == 0;
    }
    fathom_json_free(old);
    return same;
}

/* Whether the step, or a table beside it, takes rows from the log. */
static bool takes_log(fathom_json *step)
{
    fathom_json *list, *rule;
    bool found = fathom_json_has(step, "log");
    if (found || !fathom_json_has(step, "also") || fathom_json_get_list(&list, step, "also") != FATHOM_OK)
        return found;
    for (int64_t k = 0; k < fathom_json_count(list) && !found; k++)
        found = fathom_json_get_item(&rule, list, k) == FATHOM_OK && fathom_json_has(rule, "log");
    return found;
}

static fathom_status prepare(one_run *r, const fathom_recipe_course *course, fathom_json *step,
                             const fathom_recipe_run *run)
{
    const char *line, *name;
    const bool read = fathom_json_has(step, "read");
    fathom_status status = fathom_json_get_text(&line, step, read ? "read" : "run");
    FATHOM_THEN(status, fathom_json_get_text(&name, step, "name"));
    for (int64_t k = 0; k < course->count && status == FATHOM_OK; k++) {
        r->name[k] = course->loop[k].name;
        r->text_of[k] = r->value[k];
        status = fathom_recipe_course_value(r->value[k], course, k);
    }
    FATHOM_THEN(status, fill_line(r, course, run, line, read));
    if (status != FATHOM_OK)
        return status;
    if (read) {
        memcpy(r->output, r->text, sizeof r->output);
        return FATHOM_OK;
    }
    snprintf(r->output, sizeof r->output, "%.3000s/%.64s-%lld.json", run->folder, name, (long long)r->number);
    snprintf(r->log, sizeof r->log, "%.3000s/%.64s-%lld.jsonl", run->folder, name, (long long)r->number);
    return split_words(r, run, line, takes_log(step));
}

/* The table of a step, made where it is not there. */
static fathom_status find_table(fathom_json **table, fathom_json *tables, fathom_json *step)
{
    const char *name;
    FATHOM_TRY(fathom_json_get_text(&name, step, "name"));
    return fathom_json_has(tables, name) ? fathom_json_get_list(table, tables, name)
                                         : fathom_json_set_list(tables, name, table);
}

/* Rule `index` of a step: its own (0), or one of the tables beside it. */
static fathom_status get_rule(fathom_json **rule, fathom_json *step, int64_t index)
{
    fathom_json *list;
    *rule = step;
    if (index == 0)
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_get_list(&list, step, "also"));
    return fathom_json_get_item(rule, list, index - 1);
}

static fathom_status count_rules(int64_t *count, fathom_json *step)
{
    *count = 0;
    FATHOM_TRY(fathom_json_has(step, "also") ? fathom_json_get_count(count, step, "also") : FATHOM_OK);
    ++*count;
    return FATHOM_OK;
}

/* Rows of the step's own table and of those beside it. */
static fathom_status put_tables(fathom_json *tables, fathom_recipe_found *found, fathom_json *step,
                                const fathom_recipe_loops *values, fathom_json *result, const char *log)
{
    fathom_json *rule, *table;
    int64_t count = 0;
    fathom_status status = count_rules(&count, step);
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        status = get_rule(&rule, step, k);
        FATHOM_THEN(status, find_table(&table, tables, rule));
        FATHOM_THEN(status, fathom_recipe_rows(table, found + k, rule, values, result, log));
    }
    return status;
}

/* What no run had is refused; releases what the rules found. */
static fathom_status check_found(fathom_recipe_found *found, fathom_json *step, int64_t count,
                                 fathom_status status)
{
    fathom_json *rule;
    for (int64_t k = 0; k < count; k++) {
        FATHOM_THEN(status, get_rule(&rule, step, k));
        FATHOM_THEN(status, fathom_recipe_found_check(found + k, rule));
        fathom_recipe_found_clear(found + k);
    }
    return status;
}

/* A text as a file. */
static fathom_status write_text(const char *path, const char *text, fathom_context *context)
{
    fathom_file *file;
    FATHOM_TRY(fathom_file_create(&file, context, path));
    fathom_file_write(file, text, strlen(text));
    return fathom_file_commit(file);
}

/* {"write": "two.json", "json": OBJECT} or {"write": "two.csv", "text": TEXT}: a file in the item's
 * folder. */
static fathom_status write_file(fathom_json *step, const fathom_recipe_run *run)
{
    char path[FATHOM_RECIPE_TEXT];
    const char *name, *text;
    fathom_json *value;
    FATHOM_TRY(fathom_json_get_text(&name, step, "write"));
    fathom_status status = FATHOM_OK;
    snprintf(path, sizeof path, "%.3000s/%.200s", run->folder, name);
    if (fathom_json_has(step, "text")) {
        status = fathom_json_get_text(&text, step, "text");
        return status == FATHOM_OK ? write_text(path, text, run->context) : status;
    }
    status = fathom_json_get_object(&value, step, "json");
    return status == FATHOM_OK ? fathom_json_write(value, path, false) : status;
}

/* The command line in the list of those that the item made, so that each can be repeated. */
static fathom_status note_line(fathom_json *tables, const one_run *r)
{
    fathom_json *list, *item;
    char line[FATHOM_RECIPE_TEXT] = "fathom";
    size_t length = strlen(line);
    for (int64_t k = 0; k < r->words && length < sizeof line; k++)
        length += (size_t)snprintf(line + length, sizeof line - length, " %s", r->word[k]);
    FATHOM_TRY(fathom_json_has(tables, "command_lines")
                   ? fathom_json_get_list(&list, tables, "command_lines")
                   : fathom_json_set_list(tables, "command_lines", &list));
    FATHOM_TRY(fathom_json_append_object(list, &item));
    return fathom_json_set_text(item, "line", line);
}

/* Runs one combination, unless its output is there, and adds its rows. A log is appended to: what an
 * interrupted run left of it goes first. */
static fathom_status run_one(fathom_json *tables, fathom_recipe_found *found, one_run *r,
                             const fathom_recipe_course *course, fathom_json *step,
                             const fathom_recipe_run *run)
{
    const fathom_recipe_loops values = {course->count, r->name, r->text_of};
    fathom_json *result = NULL, *table;
    fathom_status status = prepare(r, course, step, run);
    const char *dot = strrchr(r->output, '.');
    if (status == FATHOM_OK && fathom_json_has(step, "read") && dot && strcmp(dot, ".csv") == 0) {
        status = find_table(&table, tables, step);
        return status == FATHOM_OK ? fathom_recipe_rows_csv(table, found, step, &values, r->output) : status;
    }
    if (status == FATHOM_OK && !fathom_json_has(step, "read") && !is_there(r, run)) {
        remove(r->log);
        status = run->runner(run->user, r->word, r->words, r->output);
    }
    if (status == FATHOM_OK && !fathom_json_has(step, "read"))
        status = note_line(tables, r);
    FATHOM_THEN(status, fathom_json_read(&result, run->context, r->output));
    FATHOM_THEN(status, put_tables(tables, found, step, &values, result, r->log));
    fathom_json_free(result);
    return status;
}

/* Whether to go on after a run. */
static fathom_status look_up(const fathom_recipe_run *run)
{
    const fathom_stop stop = fathom_context_stop_reason(run->context);
    return stop == FATHOM_STOP_NONE
               ? FATHOM_OK
               : fathom_error_set(run->context, FATHOM_ERROR_STOPPED, "%s; what was run is kept",
                                  stop == FATHOM_STOP_TIME ? "the time limit has passed" : "interrupted");
}

fathom_status fathom_recipe_step(fathom_json *tables, fathom_json *step, const fathom_recipe_run *run)
{
    fathom_recipe_course course;
    if (fathom_json_has(step, "write"))
        return write_file(step, run);
    int64_t rules = 0;
    FATHOM_TRY(count_rules(&rules, step));
    one_run *r = fathom_memory_zero(run->context, 1, sizeof *r);
    fathom_recipe_found *found = fathom_memory_zero(run->context, rules, sizeof *found);
    fathom_status status = r && found ? fathom_recipe_course_open(&course, run, step) : FATHOM_ERROR_MEMORY;
    for (bool more = status == FATHOM_OK; more;
         more = status == FATHOM_OK && fathom_recipe_course_next(&course)) {
        status = look_up(run);
        FATHOM_THEN(status, run_one(tables, found, r, &course, step, run));
        r->number++;
    }
    if (found)
        status = check_found(found, step, rules, status);
    fathom_memory_free(run->context, found);
    fathom_memory_free(run->context, r);
    return status;
}

/* Whether a path is where step `name` keeps the output or the log of a run: folder/NAME-K.json,
 * folder/NAME-K.jsonl. */
static bool is_kept_at(const char *path, const char *folder, const char *name)
{
    const size_t place = strlen(folder), length = strlen(name);
    if (strncmp(path, folder, place) != 0 || path[place] != '/')
        return false;
    const char *file = path + place + 1;
    if (strncmp(file, name, length) != 0 || file[length] != '-')
        return false;
    const char *end = file + length + 1 + strspn(file + length + 1, "0123456789");
    return strcmp(end, ".json") == 0 || strcmp(end, ".jsonl") == 0;
}

/* Words that name such files would have a run overwrite the result of another. */
static fathom_status find_clash(const one_run *r, const fathom_recipe_run *run)
{
    fathom_json *step;
    const char *name;
    for (int64_t k = 0; run->steps && k < fathom_json_count(run->steps); k++) {
        fathom_status status = fathom_json_get_item(&step, run->steps, k);
        if (status != FATHOM_OK || !fathom_json_has(step, "name"))
            continue;
        status = fathom_json_get_text(&name, step, "name");
        for (int64_t w = 0; status == FATHOM_OK && w < r->words; w++)
            if (r->word[w] != r->log && is_kept_at(r->word[w], run->folder, name))
                return fathom_error_set(run->context, FATHOM_ERROR_INPUT,
                                        "%.200s is where the step %s keeps its results", r->word[w], name);
    }
    return FATHOM_OK;
}

fathom_status fathom_recipe_try(fathom_json *step, const fathom_recipe_run *run)
{
    fathom_recipe_course course;
    one_run *r = fathom_memory_zero(run->context, 1, sizeof *r);
    fathom_status status = r ? fathom_recipe_course_open(&course, run, step) : FATHOM_ERROR_MEMORY;
    for (bool more = status == FATHOM_OK; more;
         more = status == FATHOM_OK && fathom_recipe_course_next(&course)) {
        status = prepare(r, &course, step, run);
        if (status == FATHOM_OK && fathom_json_has(step, "run"))
            status = find_clash(r, run);
        if (status == FATHOM_OK && run->runner && fathom_json_has(step, "run"))
            status = run->runner(run->user, r->word, r->words, NULL);
        r->number++;
    }
    fathom_memory_free(run->context, r);
    return status;
}
