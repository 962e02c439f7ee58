/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results to one self-contained HTML page.
 *
 * The page is page.html with three holes filled: the charting libraries, the results, and page.js, which turns the
 * results into words, charts and tables. Which charts a result has is decided here: every kind in charts.json whose
 * `needs` is a member of the result.
 */
#include "fathom/certificate.h"
#include "fathom/report.h"

#include <string.h>

#include "context_internal.h"
#include "file_write.h"
#include "json_internal.h"

extern const unsigned char fathom_report_page[], fathom_report_script[], fathom_report_charts[];
extern const unsigned char fathom_report_vega[], fathom_report_vega_lite[], fathom_report_vega_embed[];
extern const unsigned char fathom_report_licence[];
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
    const fathom_status status = fathom_json_text(&text, value, false);
    if (status != FATHOM_OK)
        return status;
    write_json_text(file, text);
    fathom_json_text_free(value, text);
    return FATHOM_OK;
}

/* ["kind", ...] of the chart kinds that this result can fill. */
static fathom_status write_charts(fathom_file *file, fathom_json *kinds, const fathom_json *result,
                                  int64_t *charts)
{
    bool first = true;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < fathom_json_count(kinds) && status == FATHOM_OK; k++) {
        fathom_json *kind;
        const char *needs;
        status = fathom_json_get_item(&kind, kinds, k);
        if (status == FATHOM_OK)
            status = fathom_json_get_text(&needs, kind, "needs");
        if (status != FATHOM_OK || !fathom_json_has(result, needs) || fathom_json_is_null(result, needs))
            continue;
        write_text(file, first ? "" : ",");
        first = false;
        status = write_json(file, kind);
        (*charts)++;
    }
    return status;
}

/* A recipe's result brings charts of its own, of the same form. */
static fathom_status write_own_charts(fathom_file *file, fathom_json *kinds, fathom_json *result,
                                      int64_t *charts)
{
    fathom_json *own;
    const int64_t before = *charts;
    fathom_status status = write_charts(file, kinds, result, charts);
    if (status != FATHOM_OK || !fathom_json_has(result, "charts"))
        return status;
    status = fathom_json_get_list(&own, result, "charts");
    if (status == FATHOM_OK && *charts > before && fathom_json_count(own) > 0)
        write_text(file, ",");
    return status == FATHOM_OK ? write_charts(file, own, result, charts) : status;
}

/* {"file": name, "result": {...}, "charts": [...]} */
static fathom_status write_result(fathom_file *file, fathom_context *context, const char *path,
                                  fathom_json *kinds, int64_t *charts)
{
    fathom_json *result = NULL, *head = NULL;
    fathom_status status;
    if (fathom_certificate_recognize(context, path)) { /* what it claims, as a result */
        status = fathom_json_create(&result, context);
        if (status == FATHOM_OK)
            status = fathom_json_set_text(result, "command", "certificate");
        if (status == FATHOM_OK)
            status = fathom_certificate_describe(result, context, path);
    } else if (fathom_context_error(context)->status == FATHOM_ERROR_MEMORY) {
        return FATHOM_ERROR_MEMORY; /* it may be one */
    } else {
        status = fathom_json_read(&result, context, path);
    }
    if (status == FATHOM_OK)
        status = fathom_json_create(&head, context);
    if (status == FATHOM_OK)
        status = fathom_json_set_text(head, "file", path);
    if (status != FATHOM_OK)
        goto end;
    write_text(file, "{\"result\":");
    status = write_json(file, result);
    write_text(file, ",\"charts\":[");
    if (status == FATHOM_OK)
        status = write_own_charts(file, kinds, result, charts);
    write_text(file, "],");
    char *text;
    if (status == FATHOM_OK)
        status = fathom_json_text(&text, head, false);
    if (status == FATHOM_OK) {
        write_json_text(file, strchr(text, '{') + 1); /* the head's own closing brace closes the item */
        fathom_json_text_free(head, text);
    }
end:
    fathom_json_free(head);
    fathom_json_free(result);
    return status;
}

static void write_libraries(fathom_file *file)
{
    write_text(file, "/*\n");
    write_text(file, fathom_report_licence);
    write_text(file, "*/\n");
    write_text(file, fathom_report_vega);
    write_text(file, "\n");
    write_text(file, fathom_report_vega_lite);
    write_text(file, "\n");
    write_text(file, fathom_report_vega_embed);
}

static fathom_status write_results(fathom_file *file, fathom_context *context, const char *const *files,
                                   int64_t count, fathom_report_result *result)
{
    fathom_json *kinds;
    fathom_status status = fathom_json_parse(&kinds, context, (const char *)fathom_report_charts,
                                             fathom_report_charts_size, "charts.json");
    if (status != FATHOM_OK)
        return status;
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

/* Copies the template, filling each hole as it comes. */
static fathom_status write_page(fathom_file *file, fathom_context *context, const char *const *files,
                                int64_t count, fathom_report_result *result)
{
    static const char *const holes[] = {"/*LIBRARIES*/", "/*RESULTS*/", "/*SCRIPT*/"};
    const char *at = (const char *)fathom_report_page;
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < 3 && status == FATHOM_OK; k++) {
        const char *hole = strstr(at, holes[k]);
        fathom_file_write(file, at, (size_t)(hole - at));
        at = hole + strlen(holes[k]);
        if (k == 0)
            write_libraries(file);
        else if (k == 1)
            status = write_results(file, context, files, count, result);
        else
            write_text(file, fathom_report_script);
    }
    write_text(file, at);
    return status;
}

fathom_status fathom_report_write(fathom_report_result *result, fathom_context *context, const char *output,
                                  const char *const *files, int64_t count)
{
    fathom_file *file;
    memset(result, 0, sizeof *result);
    fathom_status status = fathom_file_create(&file, context, output);
    if (status != FATHOM_OK)
        return status;
    status = write_page(file, context, files, count, result);
    if (status == FATHOM_OK)
        return fathom_file_commit(file);
    fathom_file_abort(file);
    return status;
}
