/* SPDX-License-Identifier: Apache-2.0 */
/* What a checkpoint knows beside the state: the options of its run, the data and the seed, so that --resume FILE is enough. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "dynamics_internal.h"
#include "inner/flow.h"
#include "json_internal.h"
#include "memory.h"
#include "option_lines.h"

/* Gives a copy of a text member; *copy stays NULL where the file has none or null. */
static fathom_status copy_text(char **copy, fathom_context *context, const fathom_json *json, const char *key)
{
    const char *text;
    *copy = NULL;
    if (!fathom_json_has(json, key) || fathom_json_is_null(json, key))
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_get_text(&text, json, key));
    *copy = fathom_memory_text(context, text);
    return *copy ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* Whether `lines` has this line, of this length. */
static bool has_line(const char *lines, const char *line, size_t length)
{
    for (const char *at = lines; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (strcspn(at, "\n") == length && strncmp(at, line, length) == 0)
            return true;
    return false;
}

/* ERROR_USAGE for options that a resumed run takes from its file, unless they are those of the file. */
static fathom_status refuse_others(fathom_context *context, const fathom_flow_options *asked,
                                   const char *file)
{
    static const char open[] =
        ",until,every,log,checkpoint,resume,trace,trace-of,ending,monitors,test,test-rows,step,";
    char *lines, name[32];
    fathom_status status = fathom_option_lines_write(&lines, context, asked, &fathom_flow_option_table);
    for (const char *at = lines; status == FATHOM_OK && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const int length = (int)strcspn(at, " ");
        snprintf(name, sizeof name, ",%.*s,", length, at);
        if (!strstr(open, name) && !has_line(file, at, strcspn(at, "\n")))
            status =
                fathom_error_set(context, FATHOM_ERROR_USAGE, "--%.*s: a resumed run goes on with that of %s",
                                 length, at, asked->resume);
    }
    fathom_memory_free(context, lines);
    return status;
}

fathom_status fathom_dynamics_resume_options(fathom_flow_options *options, char **lines,
                                             fathom_context *context)
{
    const fathom_flow_options asked = *options;
    fathom_json *json;
    FATHOM_TRY(fathom_json_read(&json, context, asked.resume));
    fathom_status status = copy_text(lines, context, json, "options");
    fathom_json_free(json);
    if (status != FATHOM_OK || !*lines)
        return status;
    status = refuse_others(context, &asked, *lines);
    if (status != FATHOM_OK)
        return status;
    fathom_options_init(options, &fathom_flow_option_table);
    status = fathom_option_lines_read(context, options, &fathom_flow_option_table, *lines);
    if (status != FATHOM_OK)
        return fathom_error_set_at(context, FATHOM_ERROR_INPUT, asked.resume, 0, 0,
                                   "options that cannot be read");
    options->until = asked.until, options->every = asked.every, options->log = asked.log;
    options->checkpoint = asked.checkpoint, options->resume = asked.resume;
    options->ending = asked.ending, options->trace = asked.trace, options->trace_of = asked.trace_of;
    options->init = NULL; /* the weights are in the file */
    if (asked.monitors)
        options->monitors = asked.monitors;
    if (asked.test)
        options->test = asked.test, options->test_rows = asked.test_rows;
    if (asked.step)
        options->step = asked.step;
    return FATHOM_OK;
}

/* Opens what the run was made of. */
static fathom_status open_origin(fathom_data **data, fathom_context *context, const char *path,
                                 const fathom_json *json)
{
    fathom_data_options options;
    char *source = NULL, *lines = NULL;
    fathom_options_init(&options, &fathom_data_option_table);
    fathom_status status = copy_text(&source, context, json, "source");
    FATHOM_THEN(status, copy_text(&lines, context, json, "data_options"));
    if (status == FATHOM_OK && !source)
        status = fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 0, 0,
                                     "does not say where its data came from: give DATA");
    if (status == FATHOM_OK && lines)
        status = fathom_option_lines_read(context, &options, &fathom_data_option_table, lines);
    FATHOM_THEN(status, fathom_data_open(data, context, source, &options));
    FATHOM_FREE(context, source, lines);
    return status;
}

fathom_status fathom_flow_open_data(fathom_data **data, fathom_context *context, const char *path,
                                    const char *spec, const fathom_data_options *options)
{
    fathom_json *json;
    const char *seed;
    *data = NULL;
    FATHOM_TRY(fathom_json_read(&json, context, path));
    fathom_status status = fathom_json_get_text(&seed, json, "seed");
    if (status == FATHOM_OK)
        fathom_context_set_seed(context, strtoull(seed, NULL, 10));
    if (status == FATHOM_OK)
        status =
            spec ? fathom_data_open(data, context, spec, options) : open_origin(data, context, path, json);
    fathom_json_free(json);
    return status;
}

/* The texts of a state that name files: where its data came from, and the options of data and run. */
typedef struct origin {
    char *source, *data_lines, *lines;
    fathom_data_options data;
    fathom_flow_options run;
} origin;

static fathom_status read_origin(origin *o, fathom_context *context, const char *state)
{
    fathom_json *json;
    *o = (origin){0};
    fathom_options_init(&o->data, &fathom_data_option_table);
    fathom_options_init(&o->run, &fathom_flow_option_table);
    FATHOM_TRY(fathom_json_read(&json, context, state));
    fathom_status status = copy_text(&o->source, context, json, "source");
    FATHOM_THEN(status, copy_text(&o->data_lines, context, json, "data_options"));
    FATHOM_THEN(status, copy_text(&o->lines, context, json, "options"));
    fathom_json_free(json);
    if (status == FATHOM_OK && o->data_lines)
        status = fathom_option_lines_read(context, &o->data, &fathom_data_option_table, o->data_lines);
    if (status == FATHOM_OK && o->lines)
        status = fathom_option_lines_read(context, &o->run, &fathom_flow_option_table, o->lines);
    return status;
}

fathom_status fathom_flow_check_origin(fathom_context *context, const char *state, const char *data,
                                       const char *test, const fathom_file_use *use, int64_t count)
{
    enum { MOST = 16 };
    origin o;
    fathom_file_use *all = fathom_memory_alloc(context, count + MOST, sizeof *all);
    fathom_status status = all ? read_origin(&o, context, state) : FATHOM_ERROR_MEMORY;
    int64_t known = count;
    if (status == FATHOM_OK) {
        memcpy(all, use, (size_t)count * sizeof *all);
        if (!data) {
            all[known++] =
                (fathom_file_use){o.source, "the data of the run that is resumed", FATHOM_FILE_READ};
            known += fathom_options_files(all + known, MOST - 3, &o.data, &fathom_data_option_table);
        }
        if (!test) {
            all[known++] =
                (fathom_file_use){o.run.test, "the test data of the run that is resumed", FATHOM_FILE_READ};
            all[known++] = (fathom_file_use){o.run.test_rows, "the test rows of the run that is resumed",
                                             FATHOM_FILE_READ};
        }
        status = fathom_files_check(context, all, known);
    }
    if (all)
        FATHOM_FREE(context, o.source, o.data_lines, o.lines, all);
    return status;
}
