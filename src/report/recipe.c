/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of recipes: holes filled, runs made or found, rows taken from what they print. */
#include "recipe.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "context_internal.h"
#include "json_internal.h"
#include "memory.h"
#include "number.h"

enum { LOG_LIMIT = 1 << 30, LIST = 64 };

/* The loops of a step, and where each stands. */
typedef struct loops {
    int64_t count, at[FATHOM_RECIPE_LOOPS], length[FATHOM_RECIPE_LOOPS];
    const char *name[FATHOM_RECIPE_LOOPS], *list[FATHOM_RECIPE_LOOPS];
    fathom_json *loop[FATHOM_RECIPE_LOOPS];
} loops;

/* One run of a step: its number, loop values, words (pointing into `text`) and output file. */
typedef struct one_run {
    const char *value[FATHOM_RECIPE_LOOPS], *word[FATHOM_RECIPE_WORDS];
    int64_t number, words;
    char text[FATHOM_RECIPE_TEXT], output[FATHOM_RECIPE_TEXT], log[FATHOM_RECIPE_TEXT];
} one_run;

static fathom_status open_loops(loops *a, fathom_json *step, bool quick)
{
    fathom_json *list;
    *a = (loops){0};
    if (!fathom_json_has(step, "for"))
        return FATHOM_OK;
    fathom_status status = fathom_json_get_list(&list, step, "for");
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(list) && k < FATHOM_RECIPE_LOOPS; k++) {
        status = fathom_json_get_item(&a->loop[k], list, k);
        if (status == FATHOM_OK)
            status = fathom_json_get_text(&a->name[k], a->loop[k], "name");
        a->list[k] =
            status == FATHOM_OK && quick && fathom_json_has(a->loop[k], "quick") ? "quick" : "values";
        if (status == FATHOM_OK)
            status = fathom_json_get_count(&a->length[k], a->loop[k], a->list[k]);
        a->count++;
    }
    return status;
}

/* The next combination; false where there is none. */
static bool next(loops *a)
{
    for (int64_t k = a->count - 1; k >= 0; k--) {
        if (++a->at[k] < a->length[k])
            return true;
        a->at[k] = 0;
    }
    return false;
}

const char *fathom_recipe_shared(void)
{
    const char *folder = getenv("FATHOM_SHARED");
    return folder && *folder ? folder : "../shared";
}

/* The text that stands for a hole of the length `size`, or NULL. */
static const char *fill(const loops *a, const one_run *r, const fathom_recipe_run *run, const char *hole,
                        size_t size)
{
    if (size == 6 && memcmp(hole, "folder", 6) == 0)
        return run->folder;
    if (size == 6 && memcmp(hole, "shared", 6) == 0)
        return fathom_recipe_shared();
    for (int64_t k = 0; k < a->count; k++)
        if (strlen(a->name[k]) == size && memcmp(a->name[k], hole, size) == 0)
            return r->value[k];
    return NULL;
}

/* r->text = the line with its holes filled. */
static fathom_status fill_line(one_run *r, const loops *a, const fathom_recipe_run *run, const char *line)
{
    size_t length = 0;
    for (const char *at = line; *at;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        const char *text = end ? fill(a, r, run, at + 1, (size_t)(end - at - 1)) : at;
        const size_t size = end && text ? strlen(text) : 1;
        if (!text || length + size >= sizeof r->text)
            return fathom_error_set(run->context, FATHOM_ERROR_INPUT,
                                    "no value for a hole of the line %.200s", line);
        memcpy(r->text + length, text, size);
        length += size;
        at = end ? end + 1 : at + 1;
    }
    r->text[length] = '\0';
    return FATHOM_OK;
}

/* Words of the line, and the switches that make its output a file. */
static fathom_status split_words(one_run *r, const fathom_recipe_run *run, bool log)
{
    char *rest = NULL;
    r->words = 0;
    for (char *word = strtok_r(r->text, " ", &rest); word && r->words < FATHOM_RECIPE_WORDS - 4;
         word = strtok_r(NULL, " ", &rest))
        r->word[r->words++] = word;
    if (log) {
        r->word[r->words++] = "--log";
        r->word[r->words++] = r->log;
    }
    r->word[r->words++] = "--json";
    r->word[r->words++] = "--quiet";
    return rest && *rest
               ? fathom_error_set(run->context, FATHOM_ERROR_INPUT, "a line of a recipe is too long")
               : FATHOM_OK;
}

/* Whether the output of a run with the same words is there. */
static bool is_there(const one_run *r, const fathom_recipe_run *run)
{
    fathom_json *old;
    int64_t count;
    if (access(r->output, R_OK) != 0 || fathom_json_read(&old, run->context, r->output) != FATHOM_OK)
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

/* Loop values as numbers where they are, else as texts. */
static fathom_status put_loops(fathom_json *row, const loops *a, const one_run *r)
{
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < a->count && status == FATHOM_OK; k++) {
        double value;
        size_t end;
        const size_t length = strlen(r->value[k]);
        if (fathom_number_parse(&value, &end, r->value[k], length) == FATHOM_NUMBER_OK && end == length)
            status = fathom_json_set_real(row, a->name[k], value);
        else
            status = fathom_json_set_text(row, a->name[k], r->value[k]);
    }
    return status;
}

/* Number `index` of a list of numbers, NaN where there is none. */
static double list_item(const fathom_json *result, const char *key, int64_t index)
{
    double value[LIST];
    int64_t count;
    if (!fathom_json_has(result, key) || fathom_json_get_count(&count, result, key) != FATHOM_OK ||
        index >= count || count > LIST || fathom_json_get_vector(value, count, result, key) != FATHOM_OK)
        return NAN;
    return value[index];
}

/* Copies the number, truth value or text under a path such as score.accuracy or rotation.3; null where there is none. */
static fathom_status put_member(fathom_json *row, fathom_json *result, const char *path)
{
    char name[256];
    fathom_json *inner = result;
    snprintf(name, sizeof name, "%s", path);
    char *dot = strchr(name, '.');
    const char *key = dot ? dot + 1 : name, *text;
    double value;
    bool flag;
    if (dot) {
        *dot = '\0';
        if (isdigit((unsigned char)*key)) {
            value = list_item(result, name, atoi(key));
            *dot = '_';
            return fathom_json_set_real(row, name, value);
        }
        if (!fathom_json_has(result, name) || fathom_json_get_object(&inner, result, name) != FATHOM_OK)
            inner = NULL;
        *dot = '_';
    }
    if (!inner || !fathom_json_has(inner, key) || fathom_json_is_null(inner, key))
        return fathom_json_set_null(row, name);
    if (fathom_json_get_real(&value, inner, key) == FATHOM_OK)
        return fathom_json_set_real(row, name, value);
    if (fathom_json_get_bool(&flag, inner, key) == FATHOM_OK)
        return fathom_json_set_bool(row, name, flag);
    if (fathom_json_get_text(&text, inner, key) == FATHOM_OK)
        return fathom_json_set_text(row, name, text);
    return fathom_json_set_null(row, name);
}

/* One row of the table: loop values, and the members that the list `keys` of the step names. */
static fathom_status put_row(fathom_json *table, fathom_json *step, const char *keys, const loops *a,
                             const one_run *r, fathom_json *values)
{
    fathom_json *row;
    int64_t count = 0;
    fathom_status status = fathom_json_append_object(table, &row);
    if (status == FATHOM_OK)
        status = put_loops(row, a, r);
    if (status == FATHOM_OK)
        status = fathom_json_get_count(&count, step, keys);
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        const char *path;
        status = fathom_json_get_text_item(&path, step, keys, k);
        if (status == FATHOM_OK)
            status = put_member(row, values, path);
    }
    return status;
}

/* One row per line of the log. */
static fathom_status put_log(fathom_json *table, fathom_json *step, const loops *a, const one_run *r,
                             fathom_context *context)
{
    fathom_bytes *bytes;
    unsigned char *data = NULL;
    int64_t size = 0;
    fathom_status status = fathom_bytes_open(&bytes, context, r->log);
    if (status != FATHOM_OK)
        return status;
    status = fathom_bytes_read_all(bytes, &data, &size, LOG_LIMIT);
    fathom_bytes_close(bytes);
    for (int64_t start = 0; start < size && status == FATHOM_OK;) {
        const unsigned char *end = memchr(data + start, '\n', (size_t)(size - start));
        const int64_t length = end ? end - (data + start) : size - start;
        fathom_json *line;
        status = fathom_json_parse(&line, context, (const char *)data + start, (size_t)length, r->log);
        if (status == FATHOM_OK) {
            if (fathom_json_has(line, "steps"))
                status = put_row(table, step, "log", a, r, line);
            fathom_json_free(line);
        }
        start += length + 1;
    }
    fathom_memory_free(context, data);
    return status;
}

static fathom_status prepare(one_run *r, const loops *a, fathom_json *step, const fathom_recipe_run *run)
{
    const char *line, *name;
    fathom_status status = fathom_json_get_text(&line, step, "run");
    if (status == FATHOM_OK)
        status = fathom_json_get_text(&name, step, "name");
    for (int64_t k = 0; k < a->count && status == FATHOM_OK; k++)
        status = fathom_json_get_text_item(&r->value[k], a->loop[k], a->list[k], a->at[k]);
    if (status != FATHOM_OK)
        return status;
    snprintf(r->output, sizeof r->output, "%s/%s-%lld.json", run->folder, name, (long long)r->number);
    snprintf(r->log, sizeof r->log, "%s/%s-%lld.jsonl", run->folder, name, (long long)r->number);
    status = fill_line(r, a, run, line);
    return status == FATHOM_OK ? split_words(r, run, fathom_json_has(step, "log")) : status;
}

/* Runs one combination, unless its output is there, and adds its rows. */
static fathom_status run_one(fathom_json *table, one_run *r, const loops *a, fathom_json *step,
                             const fathom_recipe_run *run)
{
    fathom_json *result = NULL;
    fathom_status status = prepare(r, a, step, run);
    if (status == FATHOM_OK && !is_there(r, run))
        status = run->runner(run->user, r->word, r->words, r->output);
    if (status == FATHOM_OK && fathom_json_has(step, "log"))
        return put_log(table, step, a, r, run->context);
    if (status == FATHOM_OK)
        status = fathom_json_read(&result, run->context, r->output);
    if (status == FATHOM_OK)
        status = put_row(table, step, "keep", a, r, result);
    fathom_json_free(result);
    return status;
}

fathom_status fathom_recipe_step(fathom_json *tables, fathom_json *step, const fathom_recipe_run *run)
{
    loops a;
    const char *name;
    fathom_json *table = NULL;
    one_run *r = fathom_memory_zero(run->context, 1, sizeof *r);
    fathom_status status = r ? open_loops(&a, step, run->quick) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK)
        status = fathom_json_get_text(&name, step, "name");
    if (status == FATHOM_OK)
        status = fathom_json_set_list(tables, name, &table);
    bool more = status == FATHOM_OK;
    for (; more; more = status == FATHOM_OK && next(&a)) {
        status = run_one(table, r, &a, step, run);
        r->number++;
        if (status == FATHOM_OK && fathom_context_interrupted(run->context))
            status =
                fathom_error_set(run->context, FATHOM_ERROR_STOPPED, "interrupted; what was run is kept");
    }
    fathom_memory_free(run->context, r);
    return status;
}
