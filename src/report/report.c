/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results to one self-contained HTML page.
 *
 * The page is page.html with its scripts, which turn results into words, charts and tables (tools/page.py packs them), and the results in
 * its one hole. Which charts a result has is decided here: every one of charts.json, and of the result's own list `charts`,
 * whose `needs` are members of the result with something in them.
 */
#include "report.h"

#include <string.h>

#include "context_internal.h"
#include "file_write.h"
#include "inner/json.h"
#include "json_internal.h"
#include "source.h"

extern const unsigned char fathom_report_page[], fathom_report_charts[];
extern const size_t fathom_report_charts_size;

static void write_text(fathom_file *file, const void *text) { fathom_file_write(file, text, strlen(text)); }

/* JSON text inside a script element: "<" only occurs in strings, where \u003c means the same and ends no element. */
static void write_json_text(fathom_file *file, const char *text)
{
    while (*text) {
        const size_t plain = strcspn(text, "<");
        fathom_file_write(file, text, plain);
        text += plain;
        if (*text == '<') {
            write_text(file, "\\u003c");
            text++;
        }
    }
}

static fathom_status write_json(fathom_file *file, const fathom_json *value)
{
    char *text;
    FATHOM_TRY(fathom_json_text(&text, value, false));
    write_json_text(file, text);
    fathom_json_text_free(value, text);
    return FATHOM_OK;
}

/* Whether the result has a member of this name with something in it. */
static bool is_filled(const fathom_json *result, const char *name)
{
    int64_t count;
    if (!fathom_json_has(result, name) || fathom_json_is_null(result, name))
        return false;
    return fathom_json_get_count(&count, result, name) != FATHOM_OK || count > 0;
}

/* Raw columns of what a picture of this result shows: of its network (-1: images) or of its points; 0 where it
 * has neither. */
static int64_t dimension(fathom_json *result)
{
    static const char *const names[] = {"x1", "x2", "x3"};
    fathom_json *network, *preprocess, *points, *first;
    const char *bias;
    int64_t d = 0;
    if (is_filled(result, "network") && fathom_json_get_object(&network, result, "network") == FATHOM_OK &&
        fathom_json_get_integer(&d, network, "d") == FATHOM_OK) {
        if (fathom_json_has(network, "patch"))
            return -1; /* images */
        const bool known = fathom_json_get_object(&preprocess, network, "preprocess") == FATHOM_OK &&
                           fathom_json_get_text(&bias, preprocess, "bias") == FATHOM_OK;
        return known && strcmp(bias, "augment") == 0 ? d - 1 : d;
    }
    if (is_filled(result, "points") && fathom_json_get_list(&points, result, "points") == FATHOM_OK &&
        fathom_json_get_item(&first, points, 0) == FATHOM_OK)
        while (d < 3 && fathom_json_has(first, names[d]))
            d++;
    return d;
}

/* Whether the result is of the command and of the dimension that the chart is for, where it names them, and without what
 * would confuse it. */
static bool is_meant(const fathom_json *chart, fathom_json *result)
{
    const char *wanted, *command;
    int64_t d;
    if (fathom_json_has(chart, "command") &&
        (fathom_json_get_text(&wanted, chart, "command") != FATHOM_OK ||
         fathom_json_get_text(&command, result, "command") != FATHOM_OK || strcmp(wanted, command) != 0))
        return false;
    if (fathom_json_get_text(&wanted, chart, "without") == FATHOM_OK && is_filled(result, wanted))
        return false;
    return !fathom_json_has(chart, "columns") ||
           (fathom_json_get_integer(&d, chart, "columns") == FATHOM_OK && d == dimension(result));
}

/* Whether the first row of a table has the column that the chart names under `column`, where it names one. */
static bool has_column(const fathom_json *chart, fathom_json *result, const char *table)
{
    fathom_json *rows, *first;
    const char *column;
    if (!fathom_json_has(chart, "column"))
        return true;
    return fathom_json_get_text(&column, chart, "column") == FATHOM_OK &&
           fathom_json_get_list(&rows, result, table) == FATHOM_OK &&
           fathom_json_get_item(&first, rows, 0) == FATHOM_OK && fathom_json_has(first, column);
}

/* Whether the result can fill this chart: `needs` is a name or a list of names, and all of them are there. */
static bool is_drawable(const fathom_json *chart, fathom_json *result)
{
    const char *name;
    int64_t count;
    if (!is_meant(chart, result))
        return false;
    if (fathom_json_get_text(&name, chart, "needs") == FATHOM_OK)
        return is_filled(result, name) && has_column(chart, result, name);
    if (fathom_json_get_count(&count, chart, "needs") != FATHOM_OK)
        return false;
    for (int64_t k = 0; k < count; k++)
        if (fathom_json_get_text_item(&name, chart, "needs", k) != FATHOM_OK || !is_filled(result, name))
            return false;
    return true;
}

/* Those charts of a list that this result can fill; `count` of the result's charts are written already. */
static fathom_status write_charts(fathom_file *file, fathom_context *context, fathom_json *kinds,
                                  fathom_json *result, int64_t *count)
{
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < fathom_json_count(kinds) && status == FATHOM_OK; k++) {
        fathom_json *kind;
        status = fathom_json_get_item(&kind, kinds, k);
        if (status != FATHOM_OK)
            break;
        if (!is_drawable(kind, result)) { /* what memory does not suffice to look at is no verdict */
            status = fathom_context_error(context)->status == FATHOM_ERROR_MEMORY ? FATHOM_ERROR_MEMORY
                                                                                  : FATHOM_OK;
            continue;
        }
        write_text(file, *count > 0 ? "," : "");
        status = write_json(file, kind);
        (*count)++;
    }
    return status;
}

/* The charts of every result, and those that this one brings: a recipe's, of the same form. */
static fathom_status write_own_charts(fathom_file *file, fathom_context *context, fathom_json *kinds,
                                      fathom_json *result, int64_t *charts)
{
    fathom_json *own;
    int64_t count = 0;
    fathom_status status = write_charts(file, context, kinds, result, &count);
    if (status == FATHOM_OK && fathom_json_has(result, "charts")) {
        status = fathom_json_get_list(&own, result, "charts");
        FATHOM_THEN(status, write_charts(file, context, own, result, &count));
    }
    *charts += count;
    return status;
}

/* {"file": name, "result": {...}, "charts": [...]} */
static fathom_status write_result(fathom_file *file, fathom_context *context, const char *path,
                                  fathom_json *kinds, int64_t *charts)
{
    fathom_json *result = NULL, *head = NULL;
    fathom_status status = fathom_report_open(&result, context, path);
    FATHOM_THEN(status, fathom_json_create(&head, context));
    FATHOM_THEN(status, fathom_json_set_text(head, "file", path));
    if (status != FATHOM_OK)
        goto end;
    write_text(file, "{\"result\":");
    status = write_json(file, result);
    write_text(file, ",\"charts\":[");
    FATHOM_THEN(status, write_own_charts(file, context, kinds, result, charts));
    write_text(file, "],");
    char *text;
    FATHOM_THEN(status, fathom_json_text(&text, head, false));
    if (status == FATHOM_OK) {
        write_json_text(file, strchr(text, '{') + 1); /* the head's own closing brace closes the item */
        fathom_json_text_free(head, text);
    }
end:
    fathom_json_free(head);
    fathom_json_free(result);
    return status;
}

static fathom_status write_results(fathom_file *file, fathom_context *context, const char *const *files,
                                   int64_t count, fathom_report_result *result)
{
    fathom_json *kinds;
    FATHOM_TRY(fathom_json_parse(&kinds, context, (const char *)fathom_report_charts,
                                 fathom_report_charts_size, "charts.json"));
    fathom_status status = FATHOM_OK;
    write_text(file, "[");
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        write_text(file, k ? "," : "");
        status = write_result(file, context, files[k], kinds, &result->charts);
        result->pages++;
    }
    write_text(file, "]");
    fathom_json_free(kinds);
    return status;
}

/* The template with the results in its hole. */
static fathom_status write_page(fathom_file *file, fathom_context *context, const char *const *files,
                                int64_t count, fathom_report_result *result)
{
    static const char hole[] = "/*RESULTS*/";
    const char *page = (const char *)fathom_report_page, *at = strstr(page, hole);
    fathom_file_write(file, page, (size_t)(at - page));
    FATHOM_TRY(write_results(file, context, files, count, result));
    write_text(file, at + strlen(hole));
    return FATHOM_OK;
}

fathom_status fathom_report_write(fathom_report_result *result, fathom_context *context, const char *output,
                                  const char *const *files, int64_t count)
{
    fathom_file *file;
    memset(result, 0, sizeof *result);
    FATHOM_TRY(fathom_file_create(&file, context, output));
    fathom_status status = write_page(file, context, files, count, result);
    if (status == FATHOM_OK)
        return fathom_file_commit(file);
    fathom_file_abort(file);
    return status;
}
