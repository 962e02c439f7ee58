/* SPDX-License-Identifier: Apache-2.0 */
/* Files of results told apart by what they hold: a certificate's first bytes, lines, the member "format"
 * of models. */
#include "source.h"

#include <string.h>

#include "bytes.h"
#include "context_internal.h"
#include "fathom/certificate.h"
#include "fathom/model.h"
#include "inner/certificate.h"
#include "inner/json.h"
#include "inner/model.h"
#include "json_internal.h"
#include "memory.h"

enum { RECORDS = 1000 };
static const int64_t size_limit = (int64_t)1 << 31;

static fathom_status new_result(fathom_json **result, fathom_context *context, const char *command)
{
    FATHOM_TRY(fathom_json_create(result, context));
    return fathom_json_set_text(*result, "command", command);
}

static fathom_status open_certificate(fathom_json **result, fathom_context *context, const char *path)
{
    FATHOM_TRY(new_result(result, context, "certificate"));
    return fathom_certificate_describe(*result, context, path);
}

/* The network with its sizes beside it. */
static fathom_status open_model(fathom_json **result, fathom_context *context, const char *path)
{
    static const char *const heads[] = {"kind", "activation", "d", "m", "outputs", "training"};
    fathom_model *model;
    fathom_json *network = NULL;
    FATHOM_TRY(fathom_model_read(&model, context, path));
    fathom_status status = new_result(result, context, "model");
    FATHOM_THEN(status, fathom_json_set_object(*result, "network", &network));
    FATHOM_THEN(status, fathom_model_set(network, model));
    for (size_t k = 0; k < sizeof heads / sizeof *heads && status == FATHOM_OK; k++)
        status = fathom_json_set_member(*result, heads[k], network, heads[k]);
    fathom_model_free(model);
    return status;
}

/* Lines of a log, at most RECORDS of them, evenly chosen, the last among them. */
static fathom_status add_lines(fathom_json *list, const char *text, int64_t size, const char *path)
{
    fathom_json *line, *record;
    int64_t lines = 0, number = 0;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < size; k++)
        lines += text[k] == '\n' || k + 1 == size;
    const int64_t stride = lines > RECORDS ? (lines + RECORDS - 1) / RECORDS : 1;
    for (int64_t start = 0; start < size && status == FATHOM_OK; number++) {
        const char *end = memchr(text + start, '\n', (size_t)(size - start));
        const int64_t length = end ? end - (text + start) : size - start;
        if (length > 0 && ((lines - 1 - number) % stride == 0 || number == 0)) {
            status = fathom_json_parse(&line, fathom_json_context(list), text + start, (size_t)length, path);
            if (status != FATHOM_OK)
                return status;
            if (!fathom_json_has(line, "steps"))
                status = fathom_error_set_at(fathom_json_context(list), FATHOM_ERROR_INPUT, path, number + 1,
                                             1, "no record of a flow: it has no member steps");
            FATHOM_THEN(status, fathom_json_append_object(list, &record));
            FATHOM_THEN(status, fathom_json_set_all(record, line));
            fathom_json_free(line);
        }
        start += length + 1;
    }
    return status;
}

static fathom_status open_log(fathom_json **result, fathom_context *context, const char *text, int64_t size,
                              const char *path)
{
    fathom_json *list;
    FATHOM_TRY(new_result(result, context, "log"));
    FATHOM_TRY(fathom_json_set_list(*result, "log", &list));
    return add_lines(list, text, size, path);
}

/* JSON lines: the first line is an object by itself, and a second one follows. */
static bool is_log(fathom_context *context, const char *text, int64_t size)
{
    fathom_json *line;
    const char *end = size > 0 ? memchr(text, '\n', (size_t)size) : NULL;
    if (!end || end + 1 >= text + size || end[1] != '{' || end == text || end[-1] != '}')
        return false;
    if (fathom_json_parse(&line, context, text, (size_t)(end - text), "log") != FATHOM_OK)
        return false;
    fathom_json_free(line);
    return true;
}

static fathom_status open_text(fathom_json **result, fathom_context *context, const char *path)
{
    fathom_bytes *bytes;
    unsigned char *text = NULL;
    int64_t size = 0;
    FATHOM_TRY(fathom_bytes_open(&bytes, context, path));
    fathom_status status = fathom_bytes_read_all(bytes, &text, &size, size_limit);
    fathom_bytes_close(bytes);
    if (status == FATHOM_OK && size >= 2 && memcmp(text, "PK", 2) == 0)
        status = open_model(result, context, path);
    else if (status == FATHOM_OK && is_log(context, (const char *)text, size))
        status = open_log(result, context, (const char *)text, size, path);
    else if (status == FATHOM_OK)
        status = fathom_json_parse(result, context, (const char *)text, (size_t)size, path);
    fathom_memory_free(context, text);
    return status;
}

/* Of JSON, what a command printed or what brings charts of its own; all else is refused. */
static fathom_status refuse_foreign(fathom_json *result, fathom_context *context, const char *path)
{
    static const char *const commands[] = {"gen",     "fit",         "explain", "train",    "path",
                                           "predict", "info",        "convert", "cones",    "geometry",
                                           "margin",  "kernel",      "flow",    "check",    "log",
                                           "model",   "certificate", "report",  "reproduce"};
    fathom_json *charts;
    const char *command = NULL;
    if (fathom_json_has(result, "charts"))
        return fathom_json_get_list(&charts, result, "charts");
    if (!fathom_json_has(result, "command"))
        return fathom_error_set_at(
            context, FATHOM_ERROR_INPUT, path, 1, 1,
            "no result of fathom: expected one JSON object with the member command, as "
            "--json prints it, a log or a model");
    const fathom_status status = fathom_json_get_text(&command, result, "command");
    for (size_t k = 0; k < sizeof commands / sizeof *commands && status == FATHOM_OK; k++)
        if (strcmp(command, commands[k]) == 0)
            return FATHOM_OK;
    return status != FATHOM_OK ? status
                               : fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 1, 1,
                                                     "no result of fathom: its command is %.100s", command);
}

fathom_status fathom_report_open(fathom_json **result, fathom_context *context, const char *path)
{
    fathom_status status;
    *result = NULL;
    if (fathom_certificate_recognize(context, path))
        status = open_certificate(result, context, path);
    else if (fathom_context_error(context)->status == FATHOM_ERROR_MEMORY)
        return FATHOM_ERROR_MEMORY; /* it may be one */
    else
        status = open_text(result, context, path);
    if (status == FATHOM_OK && fathom_json_has(*result, "format") && fathom_json_has(*result, "W")) {
        fathom_json_free(*result);
        *result = NULL;
        status = open_model(result, context, path);
    }
    FATHOM_THEN(status, refuse_foreign(*result, context, path));
    if (status != FATHOM_OK) {
        fathom_json_free(*result);
        *result = NULL;
    }
    return status;
}
