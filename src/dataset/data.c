/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data sets: made, looked at and freed.
 *
 * open and create fill raw values and run the steps of data_internal.h in their fixed order, so that X and
 * y are a function of (raw values, options) alone; docs/reference/data.md states each step as a sequence of IEEE
 * operations.
 */
#include <stdio.h>
#include <string.h>

#include "builtin_internal.h"
#include "columns_internal.h"
#include "context_internal.h"
#include "generate_internal.h"
#include "inner/data.h"
#include "memory.h"
#include "option_lines.h"
#include "ranks.h"
#include "schema_internal.h"

#define OWNER fathom_data_options
static const fathom_option option_rows[] = {FATHOM_DATA_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_data_option_table =
    FATHOM_OPTION_TABLE("Data", option_rows, fathom_data_options);

fathom_status fathom_data_begin(fathom_data **data, fathom_context *context, const char *source)
{
    *data = fathom_memory_zero(context, 1, sizeof **data);
    if (!*data)
        return FATHOM_ERROR_MEMORY;
    (*data)->context = context;
    if (!source || fathom_data_rename(*data, source) == FATHOM_OK)
        return FATHOM_OK;
    fathom_data_free(*data);
    *data = NULL;
    return FATHOM_ERROR_MEMORY;
}

fathom_status fathom_data_rename(fathom_data *data, const char *source)
{
    char *name = source ? fathom_memory_text(data->context, source) : NULL;
    if (source && !name)
        return FATHOM_ERROR_MEMORY;
    fathom_memory_free(data->context, data->source);
    data->source = name;
    return FATHOM_OK;
}

/* Sizes are checked as doubles first, so that products of absurd sizes cannot overflow before they are
 * refused. */
fathom_status fathom_data_shape(fathom_data *data, int64_t n, int64_t d, int64_t outputs)
{
    fathom_context *context = data->context;
    const double bytes = 8 * (double)n * ((double)d + (double)outputs);
    FATHOM_TRY(fathom_context_require(context, bytes, "the data set"));
    data->x = fathom_memory_alloc(context, n * d, sizeof *data->x);
    data->y = outputs > 0 ? fathom_memory_alloc(context, n * outputs, sizeof *data->y) : NULL;
    if (!data->x || (outputs > 0 && !data->y))
        return FATHOM_ERROR_MEMORY;
    data->n = n;
    data->d = d;
    data->outputs = outputs;
    return FATHOM_OK;
}

void fathom_data_drop_targets(fathom_data *data)
{
    for (int64_t k = 0; k < data->classes; k++)
        fathom_memory_free(data->context, data->class_name[k]);
    data->classes = 0;
    data->outputs = 0;
}

void fathom_data_free(fathom_data *data)
{
    if (!data)
        return;
    fathom_context *context = data->context;
    fathom_data_drop_targets(data);
    fathom_data_drop_names(data);
    fathom_sheet_free(context, data->sheet);
    fathom_schema_free(context, data->schema);
    if (data->mapped)
        data->x = NULL;
    fathom_mapped_close(data->mapped);
    void *blocks[] = {data->name,  data->target_name, data->source,     data->options,
                      data->x,     data->row_start,   data->column,     data->value,
                      data->y,     data->weight,      data->class_name, data->class_value,
                      data->coded, data->mean,        data->scale,      data->counts};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
    fathom_memory_free(context, data);
}

fathom_data_view fathom_data_look(const fathom_data *data)
{
    return (fathom_data_view){
        .n = data->n,
        .d = data->d,
        .x = data->x,
        .ld = data->d,
        .row_start = data->row_start,
        .column = data->column,
        .value = data->value,
        .outputs = data->outputs,
        .y = data->y,
        .classes = data->classes,
        .class_name = (const char *const *)data->class_name,
        .class_value = data->class_value,
        .weight = data->weight,
        .bias = data->bias,
    };
}

/* The steps after reading, in their order; `like` is NULL for data that stands for itself. */
static fathom_status apply_steps(fathom_data *data, const fathom_data_options *options,
                                 const data_likeness *like)
{
    fathom_status status = fathom_options_check(data->context, options, &fathom_data_option_table);
    data->raw_rows = data->n;
    data->text_labels = data->text;
    if (status == FATHOM_OK && data->weight && !like)
        status = fathom_data_count_rows(data);
    if (status == FATHOM_OK && options->rows)
        status = fathom_data_select_rows(data, options->rows);
    if (status == FATHOM_OK && data->counts)
        status = fathom_data_leave_out(data);
    FATHOM_THEN(status, fathom_data_design(data, options, like));
    if (status == FATHOM_OK && options->features > 0)
        status = fathom_data_keep_columns(data, options->features);
    FATHOM_THEN(status, fathom_data_find_classes(data));
    if (status == FATHOM_OK && options->classes)
        status = fathom_data_pick_classes(data, options->classes);
    if (status == FATHOM_OK && like && like->classes)
        status = fathom_data_adopt_classes(data, like->classes);
    if (status == FATHOM_OK && data->weight)
        status = fathom_data_check_weights(data);
    if (status != FATHOM_OK)
        return status;
    if (like)
        return fathom_data_prepare_like(data, like->preprocess);
    return fathom_data_prepare(data, (fathom_normalize)options->normalize, (fathom_bias)options->bias);
}

/* Generated data has one target and no other columns to choose from. */
static fathom_status refuse_columns(const fathom_data *data, const fathom_data_options *options)
{
    const char *name = options->target ? "target" : options->weights ? "weights" : NULL;
    if (!name)
        return FATHOM_OK;
    return fathom_error_set(data->context, FATHOM_ERROR_USAGE, "--%s does not apply to generated data", name);
}

/* Fills raw values from where the specification points, or from a text of that name. */
static fathom_status read_source(fathom_data *data, const fathom_data_options *options,
                                 const data_likeness *like, const data_text *text)
{
    if (text)
        return fathom_data_read_text(data, options, like, text);
    if (strncmp(data->source, "builtin:", 8) == 0)
        return fathom_data_load_builtin(data, options, like);
    if (strncmp(data->source, "gen:", 4) != 0)
        return fathom_data_read_file(data, options, like);
    FATHOM_TRY(fathom_data_generate(data));
    return refuse_columns(data, options);
}

static uint64_t mix(uint64_t hash, const double *values, int64_t count)
{
    for (int64_t k = 0; k < count && values; k++) {
        uint64_t bits;
        memcpy(&bits, values + k, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Several ranks must have read the same rows. */
static fathom_status agree(const fathom_data *data)
{
    if (!fathom_ranks_several())
        return FATHOM_OK;
    const double shape[] = {(double)data->n, (double)data->d, (double)data->outputs};
    uint64_t hash = mix(mix(1, shape, 3), data->x, data->n * data->d);
    for (int64_t i = 0; i < data->n && !data->x; i++)
        for (int64_t k = data->row_start[i]; k < data->row_start[i + 1]; k++)
            hash = mix(hash, (const double[]){(double)i, data->column[k], data->value[k]}, 3);
    hash = mix(mix(hash, data->y, data->n * data->outputs), data->weight, data->n);
    return fathom_ranks_agree(data->context, hash, "data");
}

/* Reads, checks, and runs the steps; options are judged after the data proved readable, so that a bad file
 * is reported before a bad option. */
static fathom_status open_source(fathom_data **data, fathom_context *context, const char *spec,
                                 const fathom_data_options *options, const data_likeness *like,
                                 const data_text *text)
{
    fathom_data_options defaults;
    fathom_options_init(&defaults, &fathom_data_option_table);
    options = options ? options : &defaults;
    fathom_data_options kept = *options; /* where rows are is no part of what they are */
    fathom_data *made;
    *data = NULL;
    kept.map = defaults.map;
    FATHOM_TRY(fathom_data_begin(&made, context, spec));
    fathom_status status = read_source(made, options, like, text);
    if (status == FATHOM_OK && !fathom_data_may_miss(made, options, like))
        status = fathom_data_check(made);
    FATHOM_THEN(status, apply_steps(made, options, like));
    FATHOM_THEN(status, agree(made));
    FATHOM_THEN(status, fathom_option_lines_write(&made->options, context, &kept, &fathom_data_option_table));
    if (status == FATHOM_OK)
        *data = made;
    else
        fathom_data_free(made);
    return status;
}

static data_likeness likeness(const fathom_preprocess *preprocess, const fathom_classes *classes)
{
    return (data_likeness){preprocess,
                           classes,
                           {preprocess->columns, preprocess->name, preprocess->one_hot, preprocess->target}};
}

fathom_status fathom_data_open(fathom_data **data, fathom_context *context, const char *spec,
                               const fathom_data_options *options)
{
    return open_source(data, context, spec, options, NULL, NULL);
}

fathom_status fathom_data_open_like(fathom_data **data, fathom_context *context, const char *spec,
                                    const fathom_data_options *options, const fathom_preprocess *preprocess,
                                    const fathom_classes *classes)
{
    const data_likeness like = likeness(preprocess, classes);
    return open_source(data, context, spec, options, &like, NULL);
}

fathom_status fathom_data_open_text(fathom_data **data, fathom_context *context, const char *name,
                                    const char *text, int64_t size, const fathom_data_options *options,
                                    const fathom_preprocess *preprocess, const fathom_classes *classes)
{
    const data_text given = {text, size};
    if (!preprocess)
        return open_source(data, context, name, options, NULL, &given);
    const data_likeness like = likeness(preprocess, classes);
    return open_source(data, context, name, options, &like, &given);
}

/* The label file that belongs to a test file of the same kind as the training file. False where there is
 * no rule for its name; `text` holds `size` bytes. */
static bool test_labels(char *text, size_t size, const char *spec)
{
    static const char *const rule[][2] = {{"images-idx3", "labels-idx1"}, {".npy", ".labels.npy"}};
    for (size_t k = 0; k < sizeof rule / sizeof *rule; k++) {
        const char *at = strstr(spec, rule[k][0]);
        if (at)
            return (size_t)snprintf(text, size, "%.*s%s%s", (int)(at - spec), spec, rule[k][1],
                                    at + strlen(rule[k][0])) < size;
    }
    return false;
}

fathom_status fathom_data_open_test(fathom_data **data, fathom_context *context, const char *spec,
                                    const char *rows, const fathom_data_options *options,
                                    const fathom_preprocess *preprocess, const fathom_classes *classes)
{
    char labels[4096];
    fathom_data_options chosen;
    fathom_options_init(&chosen, &fathom_data_option_table);
    if (options)
        chosen = *options;
    chosen.rows = rows; /* its own ones choose among the training rows */
    if (chosen.labels)
        chosen.labels = test_labels(labels, sizeof labels, spec) ? labels : NULL;
    return fathom_data_open_like(data, context, spec, &chosen, preprocess, classes);
}

/* Copies an n x d matrix with leading dimension ld. */
static void copy_rows(double *out, int64_t n, int64_t d, const double *x, int64_t ld)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(out + i * d, x + i * ld, (size_t)d * sizeof *out);
}

/* What the caller's arrays hold: dense rows, or sparse ones. */
typedef struct given_arrays {
    int64_t n, d, ld, outputs;
    const double *x, *y, *weight;
    const fathom_sparse_rows *sparse;
} given_arrays;

/* Row i where entries or columns of sparse rows are out of order, -1 where none is. */
static int64_t disorder(const fathom_sparse_rows *rows)
{
    if (rows->row_start[0] != 0)
        return 0;
    for (int64_t i = 0; i < rows->n; i++) {
        const int64_t from = rows->row_start[i], to = rows->row_start[i + 1];
        for (int64_t k = from; k < to; k++)
            if (rows->column[k] < (k > from ? rows->column[k - 1] + 1 : 0) || rows->column[k] >= rows->d)
                return i;
        if (to < from)
            return i;
    }
    return -1;
}

/* A copy of `count` values. */
static fathom_status copy_block(void **out, fathom_context *context, const void *from, int64_t count,
                                size_t size)
{
    *out = fathom_memory_alloc(context, count > 0 ? count : 1, size);
    if (!*out)
        return FATHOM_ERROR_MEMORY;
    if (count > 0)
        memcpy(*out, from, (size_t)count * size);
    return FATHOM_OK;
}

static fathom_status copy_sparse(fathom_data *data, const fathom_sparse_rows *rows)
{
    fathom_context *context = data->context;
    const int64_t bad = disorder(rows);
    if (bad >= 0)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "columns of sparse rows ascend from 0 to %lld: row %lld does not",
                                (long long)rows->d - 1, (long long)bad + 1);
    const int64_t entries = rows->row_start[rows->n];
    FATHOM_TRY(fathom_context_require(context, 12 * (double)entries, "the data set"));
    FATHOM_TRY(copy_block((void **)&data->row_start, context, rows->row_start, rows->n + 1, sizeof(int64_t)));
    FATHOM_TRY(copy_block((void **)&data->column, context, rows->column, entries, sizeof(int32_t)));
    FATHOM_TRY(copy_block((void **)&data->value, context, rows->value, entries, sizeof(double)));
    data->n = rows->n;
    data->d = rows->d;
    return FATHOM_OK;
}

static fathom_status copy_dense(fathom_data *data, const given_arrays *from)
{
    FATHOM_TRY(fathom_data_shape(data, from->n, from->d, 0));
    copy_rows(data->x, from->n, from->d, from->x, from->ld);
    return FATHOM_OK;
}

/* Raw values from the caller's arrays. */
static fathom_status copy_arrays(fathom_data *data, const given_arrays *from)
{
    const bool rows = from->sparse ? from->sparse->row_start != NULL && from->d <= INT32_MAX
                                   : from->x != NULL && from->ld >= from->d;
    if (from->n < 1 || from->d < 1 || !rows || from->outputs < 0 || (from->outputs > 0 && !from->y))
        return fathom_error_set(
            data->context, FATHOM_ERROR_USAGE,
            "data needs n >= 1, d >= 1, ld >= d and outputs >= 0, not %lld, %lld, %lld, %lld",
            (long long)from->n, (long long)from->d, (long long)from->ld, (long long)from->outputs);
    const double targets = 8 * (double)from->n * (double)from->outputs;
    FATHOM_TRY(fathom_context_require(data->context, targets, "the data set"));
    FATHOM_TRY(from->sparse ? copy_sparse(data, from->sparse) : copy_dense(data, from));
    if (from->y && from->outputs > 0) {
        FATHOM_TRY(
            copy_block((void **)&data->y, data->context, from->y, from->n * from->outputs, sizeof(double)));
        data->outputs = from->outputs;
    }
    return from->weight
               ? copy_block((void **)&data->weight, data->context, from->weight, from->n, sizeof(double))
               : FATHOM_OK;
}

/* The same from arrays. */
static fathom_status create_from(fathom_data **data, fathom_context *context, const given_arrays *from,
                                 const fathom_data_options *options, const data_likeness *like)
{
    fathom_data_options defaults;
    fathom_options_init(&defaults, &fathom_data_option_table);
    fathom_data *made;
    *data = NULL;
    FATHOM_TRY(fathom_data_begin(&made, context, NULL));
    options = options ? options : &defaults;
    fathom_status status = copy_arrays(made, from);
    if (status == FATHOM_OK && !fathom_data_may_miss(made, options, like))
        status = fathom_data_check(made);
    FATHOM_THEN(status, apply_steps(made, options, like));
    if (status == FATHOM_OK)
        *data = made;
    else
        fathom_data_free(made);
    return status;
}

fathom_status fathom_data_create(fathom_data **data, fathom_context *context, int64_t n, int64_t d,
                                 const double *x, int64_t ld, int64_t outputs, const double *y,
                                 const double *weight, const fathom_data_options *options)
{
    const given_arrays from = {n, d, ld, outputs, x, y, weight, NULL};
    return create_from(data, context, &from, options, NULL);
}

fathom_status fathom_data_create_sparse(fathom_data **data, fathom_context *context,
                                        const fathom_sparse_rows *rows, int64_t outputs, const double *y,
                                        const double *weight, const fathom_data_options *options)
{
    const given_arrays from = {rows->n, rows->d, rows->d, outputs, NULL, y, weight, rows};
    return create_from(data, context, &from, options, NULL);
}

fathom_status fathom_data_create_like(fathom_data **data, fathom_context *context, int64_t n, int64_t d,
                                      const double *x, int64_t ld, int64_t outputs, const double *y,
                                      const double *weight, const fathom_preprocess *preprocess,
                                      const fathom_classes *classes)
{
    const data_likeness like = likeness(preprocess, classes);
    const given_arrays from = {n, d, ld, outputs, x, y, weight, NULL};
    return create_from(data, context, &from, NULL, &like);
}

fathom_status fathom_data_create_sparse_like(fathom_data **data, fathom_context *context,
                                             const fathom_sparse_rows *rows, int64_t outputs, const double *y,
                                             const double *weight, const fathom_preprocess *preprocess,
                                             const fathom_classes *classes)
{
    const data_likeness like = likeness(preprocess, classes);
    const given_arrays from = {rows->n, rows->d, rows->d, outputs, NULL, y, weight, rows};
    return create_from(data, context, &from, NULL, &like);
}

/* Generators first, then built-in sets. */
const fathom_data_source *fathom_data_source_get(int64_t index)
{
    int64_t generators = 0;
    while (fathom_generate_source(generators))
        generators++;
    return index < generators ? fathom_generate_source(index) : fathom_builtin_source(index - generators);
}
