/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a recipe's tables, taken from what a run printed: its members, a list among them, or the records of its log. */
#include "recipe_rows.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "context_internal.h"
#include "inner/json.h"
#include "json_internal.h"
#include "memory.h"
#include "number.h"

enum { LOG_LIMIT = 1 << 30, LIST = 64, NAME = 256 };

/* A number where the text is one, else the text; so are integers that a double does not hold, such as large
 * seeds. */
static fathom_status put_text(fathom_json *row, const char *key, const char *text)
{
    double value;
    size_t end;
    if (strspn(text, "0123456789") == strlen(text) && strlen(text) > 15)
        return fathom_json_set_text(row, key, text);
    if (fathom_number_parse(&value, &end, text, strlen(text)) == FATHOM_NUMBER_OK && !text[end])
        return fathom_json_set_real(row, key, value);
    return fathom_json_set_text(row, key, text);
}

static fathom_status put_loops(fathom_json *row, const fathom_recipe_loops *loops)
{
    for (int64_t k = 0; k < loops->count; k++)
        FATHOM_TRY(put_text(row, loops->name[k], loops->value[k]));
    return FATHOM_OK;
}

static fathom_status new_row(fathom_json **row, fathom_json *table, const fathom_recipe_loops *loops)
{
    FATHOM_TRY(fathom_json_append_object(table, row));
    return put_loops(*row, loops);
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

/* The object in which a path ends, and its last word there; NULL where the way is no object. A dot of `name` becomes _. */
static const char *walk(fathom_json **inner, char name[NAME], fathom_json *result, const char *path)
{
    snprintf(name, NAME, "%s", path);
    char *dot = strchr(name, '.');
    *inner = result;
    if (!dot)
        return path;
    *dot = '\0';
    if (!fathom_json_has(result, name) || fathom_json_get_object(inner, result, name) != FATHOM_OK)
        *inner = NULL;
    *dot = '_';
    return path + (dot - name) + 1;
}

/* Copies what stands under a path such as score.accuracy or rotation.3; null where there is nothing. */
static fathom_status put_member(fathom_json *row, fathom_json *result, const char *path)
{
    char name[NAME], list[NAME / 2];
    fathom_json *inner;
    const char *dot = strchr(path, '.');
    if (dot && isdigit((unsigned char)dot[1])) {
        snprintf(list, sizeof list, "%.*s", (int)(dot - path), path);
        snprintf(name, sizeof name, "%s_%.20s", list, dot + 1);
        return fathom_json_set_real(row, name, list_item(result, list, atoi(dot + 1)));
    }
    const char *key = walk(&inner, name, result, path);
    return inner ? fathom_json_set_member(row, name, inner, key) : fathom_json_set_null(row, name);
}

/* The members of `values` that the list `keys` of the rule names. */
static fathom_status put_members(fathom_json *row, fathom_json *rule, const char *keys, fathom_json *values)
{
    int64_t count = 0;
    const char *path;
    fathom_status status = fathom_json_get_count(&count, rule, keys);
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        status = fathom_json_get_text_item(&path, rule, keys, k);
        FATHOM_THEN(status, put_member(row, values, path));
    }
    return status;
}

/* A list of numbers under a path, to be freed; count 0 where there is none. */
typedef struct unrolled {
    char name[NAME];
    double *value;
    int64_t count;
} unrolled;

static fathom_status unroll(unrolled *u, fathom_json *record, const char *path)
{
    fathom_json *inner;
    const char *key = walk(&inner, u->name, record, path);
    u->value = NULL, u->count = 0;
    if (!inner || !fathom_json_has(inner, key) || fathom_json_is_null(inner, key))
        return FATHOM_OK;
    fathom_status status = fathom_json_get_count(&u->count, inner, key);
    if (status == FATHOM_OK)
        u->value = fathom_memory_alloc(fathom_json_context(record), u->count + 1, sizeof *u->value);
    if (status != FATHOM_OK)
        return status;
    return u->value ? fathom_json_get_vector(u->value, u->count, inner, key) : FATHOM_ERROR_MEMORY;
}

/* "each": a row per number of these lists of a record. */
static fathom_status put_each(fathom_json *table, fathom_json *rule, const fathom_recipe_loops *loops,
                              fathom_json *record)
{
    unrolled list[LIST];
    int64_t lists = 0, made = 0, longest = 0;
    fathom_json *row;
    const char *path;
    fathom_status status = fathom_json_get_count(&lists, rule, "each");
    for (; made < lists && made < LIST && status == FATHOM_OK; made++) {
        list[made] = (unrolled){.count = 0};
        status = fathom_json_get_text_item(&path, rule, "each", made);
        FATHOM_THEN(status, unroll(&list[made], record, path));
        longest = list[made].count > longest ? list[made].count : longest;
    }
    for (int64_t k = 0; k < longest && status == FATHOM_OK; k++) {
        status = new_row(&row, table, loops);
        FATHOM_THEN(status, put_members(row, rule, "log", record));
        FATHOM_THEN(status, fathom_json_set_integer(row, "index", k));
        for (int64_t l = 0; l < made && status == FATHOM_OK; l++)
            status = fathom_json_set_real(row, list[l].name, k < list[l].count ? list[l].value[k] : NAN);
    }
    for (int64_t l = 0; l < made; l++)
        fathom_memory_free(fathom_json_context(record), list[l].value);
    return status;
}

/* The rows of one line of the log; other lines than records give none. */
static fathom_status put_record(fathom_json *table, fathom_recipe_found *found, fathom_json *rule,
                                const fathom_recipe_loops *loops, fathom_json *record)
{
    fathom_json *row;
    if (!fathom_json_has(record, "steps"))
        return FATHOM_OK;
    FATHOM_TRY(fathom_recipe_found_look(found, rule, FATHOM_RECIPE_LOG, record));
    FATHOM_TRY(fathom_recipe_found_look(found, rule, FATHOM_RECIPE_EACH, record));
    if (fathom_json_has(rule, "each"))
        return put_each(table, rule, loops, record);
    FATHOM_TRY(new_row(&row, table, loops));
    return put_members(row, rule, "log", record);
}

/* The whole file, ended by a zero byte; to be freed. */
static fathom_status read_text(char **text, fathom_context *context, const char *path)
{
    fathom_bytes *bytes;
    unsigned char *data = NULL;
    int64_t size = 0;
    *text = NULL;
    FATHOM_TRY(fathom_bytes_open(&bytes, context, path));
    fathom_status status = fathom_bytes_read_all(bytes, &data, &size, LOG_LIMIT);
    fathom_bytes_close(bytes);
    if (status == FATHOM_OK)
        *text = fathom_memory_alloc(context, size + 1, 1);
    if (*text) {
        memcpy(*text, data, (size_t)size);
        (*text)[size] = '\0';
    } else if (status == FATHOM_OK)
        status = FATHOM_ERROR_MEMORY;
    fathom_memory_free(context, data);
    return status;
}

/* Rows of all records of the log, or with "last": true of the last. */
static fathom_status put_log(fathom_json *table, fathom_recipe_found *found, fathom_json *rule,
                             const fathom_recipe_loops *loops, const char *log, fathom_context *context)
{
    char *text, *rest = NULL;
    const bool last = fathom_json_has(rule, "last");
    fathom_status status = read_text(&text, context, log);
    for (char *line = status == FATHOM_OK ? strtok_r(text, "\n", &rest) : NULL;
         line && status == FATHOM_OK;) {
        char *following = strtok_r(NULL, "\n", &rest);
        fathom_json *record;
        if (!last || !following) {
            status = fathom_json_parse(&record, context, line, strlen(line), log);
            if (status == FATHOM_OK) {
                status = put_record(table, found, rule, loops, record);
                fathom_json_free(record);
            }
        }
        line = following;
    }
    fathom_memory_free(context, text);
    return status;
}

/* Cells of a line, separated by commas, in place. */
static int64_t split_cells(char *cell[LIST], char *line)
{
    int64_t count = 0;
    while (line && count < LIST) {
        cell[count++] = line;
        line = strchr(line, ',');
        if (line)
            *line++ = '\0';
    }
    return count;
}

/* Whether the list `keep` of a rule names the column; all are kept without it. */
static bool is_kept(fathom_json *rule, const char *name)
{
    int64_t count;
    const char *kept;
    if (!fathom_json_has(rule, "keep") || fathom_json_get_count(&count, rule, "keep") != FATHOM_OK)
        return true;
    for (int64_t k = 0; k < count; k++)
        if (fathom_json_get_text_item(&kept, rule, "keep", k) == FATHOM_OK && strcmp(kept, name) == 0)
            return true;
    return false;
}

/* The names of columns as members of an object, among which those of `keep` are looked for. */
static fathom_status look_at_header(fathom_recipe_found *found, fathom_json *rule, char *const name[LIST],
                                    int64_t columns)
{
    fathom_json *header;
    fathom_status status = fathom_json_create(&header, fathom_json_context(rule));
    for (int64_t k = 0; k < columns && status == FATHOM_OK; k++)
        status = fathom_json_set_null(header, name[k]);
    FATHOM_THEN(status, fathom_recipe_found_look(found, rule, FATHOM_RECIPE_KEEP, header));
    fathom_json_free(header);
    return status;
}

fathom_status fathom_recipe_rows_csv(fathom_json *table, fathom_recipe_found *found, fathom_json *rule,
                                     const fathom_recipe_loops *loops, const char *path)
{
    fathom_context *context = fathom_json_context(table);
    char *text, *rest = NULL, *name[LIST], *cell[LIST];
    int64_t columns = 0, index = 0;
    fathom_status status = read_text(&text, context, path);
    for (char *line = status == FATHOM_OK ? strtok_r(text, "\r\n", &rest) : NULL; line && status == FATHOM_OK;
         line = strtok_r(NULL, "\r\n", &rest)) {
        fathom_json *row;
        if (columns == 0) {
            columns = split_cells(name, line);
            status = look_at_header(found, rule, name, columns);
            continue;
        }
        const int64_t cells = split_cells(cell, line);
        status = new_row(&row, table, loops);
        FATHOM_THEN(status, fathom_json_set_integer(row, "index", index++));
        for (int64_t k = 0; k < cells && k < columns && status == FATHOM_OK; k++)
            if (is_kept(rule, name[k]))
                status = put_text(row, name[k], cell[k]);
    }
    fathom_memory_free(context, text);
    return status;
}

/* Numbers of a list as rows {index, value}. */
static fathom_status put_numbers(fathom_json *table, const fathom_recipe_loops *loops, fathom_json *inner,
                                 const char *key, int64_t count)
{
    fathom_context *context = fathom_json_context(table);
    fathom_json *row;
    double *value = fathom_memory_alloc(context, count ? count : 1, sizeof *value);
    fathom_status status = value ? fathom_json_get_vector(value, count, inner, key) : FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        status = new_row(&row, table, loops);
        FATHOM_THEN(status, fathom_json_set_integer(row, "index", k));
        FATHOM_THEN(status, fathom_json_set_real(row, "value", value[k]));
    }
    fathom_memory_free(context, value);
    return status;
}

/* Lists of numbers as rows {index, x1, x2, ...}. */
static fathom_status put_vectors(fathom_json *table, const fathom_recipe_loops *loops, fathom_json *inner,
                                 const char *key, int64_t count, int64_t width)
{
    fathom_context *context = fathom_json_context(table);
    fathom_json *row;
    char name[NAME];
    double *value = fathom_memory_alloc(context, count * width > 0 ? count * width : 1, sizeof *value);
    fathom_status status =
        value ? fathom_json_get_matrix(value, count, width, width, inner, key) : FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        status = new_row(&row, table, loops);
        FATHOM_THEN(status, fathom_json_set_integer(row, "index", k));
        for (int64_t j = 0; j < width && status == FATHOM_OK; j++) {
            snprintf(name, sizeof name, "x%lld", (long long)(j + 1));
            status = fathom_json_set_real(row, name, value[k * width + j]);
        }
    }
    fathom_memory_free(context, value);
    return status;
}

/* The objects of a list as rows: what `keep` names of each, or all. */
static fathom_status put_objects(fathom_json *table, fathom_recipe_found *found, fathom_json *rule,
                                 const fathom_recipe_loops *loops, fathom_json *list)
{
    fathom_json *item, *row;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < fathom_json_count(list) && status == FATHOM_OK; k++) {
        status = fathom_json_get_item(&item, list, k);
        FATHOM_THEN(status, fathom_recipe_found_look(found, rule, FATHOM_RECIPE_KEEP, item));
        FATHOM_THEN(status, new_row(&row, table, loops));
        FATHOM_THEN(status, fathom_json_has(rule, "keep") ? put_members(row, rule, "keep", item)
                                                          : fathom_json_set_all(row, item));
    }
    return status;
}

/* "rows": a list of the result, of whatever items; nothing where the result has none. */
static fathom_status put_list(fathom_json *table, fathom_recipe_found *found, fathom_json *rule,
                              const fathom_recipe_loops *loops, fathom_json *result, const char *path)
{
    char name[NAME];
    fathom_json *inner, *list, *item;
    int64_t count, rows, columns;
    const char *key = walk(&inner, name, result, path);
    FATHOM_TRY(fathom_recipe_found_rows(found, result, path));
    if (!inner || !fathom_json_has(inner, key) || fathom_json_is_null(inner, key))
        return FATHOM_OK;
    fathom_status status = fathom_json_get_list(&list, inner, key);
    FATHOM_THEN(status, fathom_json_get_count(&count, inner, key));
    if (status != FATHOM_OK || count == 0)
        return status;
    if (fathom_json_get_item(&item, list, 0) != FATHOM_OK)
        return put_numbers(table, loops, inner, key, count);
    return fathom_json_get_shape(&rows, &columns, inner, key) == FATHOM_OK
               ? put_vectors(table, loops, inner, key, rows, columns)
               : put_objects(table, found, rule, loops, list);
}

fathom_status fathom_recipe_rows(fathom_json *table, fathom_recipe_found *found, fathom_json *rule,
                                 const fathom_recipe_loops *loops, fathom_json *result, const char *log)
{
    const char *path;
    fathom_json *row;
    if (fathom_json_has(rule, "log"))
        return put_log(table, found, rule, loops, log, fathom_json_context(table));
    if (fathom_json_has(rule, "rows")) {
        const fathom_status status = fathom_json_get_text(&path, rule, "rows");
        return status == FATHOM_OK ? put_list(table, found, rule, loops, result, path) : status;
    }
    FATHOM_TRY(fathom_recipe_found_look(found, rule, FATHOM_RECIPE_KEEP, result));
    FATHOM_TRY(new_row(&row, table, loops));
    return fathom_json_has(rule, "keep") ? put_members(row, rule, "keep", result)
                                         : fathom_json_set_copy(row, "model", result);
}
