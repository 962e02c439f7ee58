/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data set behind fathom_data, and the steps that make one.
 *
 * Every source (file, generator, built-in set, arrays) fills the same struct with raw values; the steps then
 * run in the order rows, rows of weight 0 left out, classes, weights, normalisation, bias. X is n x d, dense
 * (x, leading dimension d) or compressed sparse rows (row_start, column, value).
 */
#ifndef FATHOM_DATA_INTERNAL_H
#define FATHOM_DATA_INTERNAL_H

#include "bytes.h"
#include "fathom/data.h"
#include "table.h"

struct fathom_data {
    fathom_context *context;    /* borrowed: outlives the data */
    char *source;               /* the specification, for messages; NULL for arrays */
    char *options;              /* those it was opened with, as lines; NULL for arrays */
    fathom_table_origin origin; /* of files */
    int64_t raw_rows;           /* before --rows */
    double *counts;             /* raw_rows: 0 for weight 0, else 1; NULL where no such row was left out */
    bool text_labels;           /* the target was text, before --classes */
    int64_t n, d;
    double *x; /* n x d, or NULL where sparse */
    fathom_mapped
        *mapped;        /* NULL, or what x is in: x is then only read, and rows are made anew by rebuild.c */
    int64_t *row_start; /* n + 1 */
    int32_t *column;
    double *value;
    int64_t outputs;
    double *y;      /* n x outputs */
    double *weight; /* n or NULL */
    bool text;      /* y holds numbers of text labels */
    int64_t names;
    char **name;           /* of the raw columns, or NULL */
    char *target_name;     /* or NULL */
    bool categorical;      /* text columns were one-hot coded */
    fathom_sheet *sheet;   /* of a table as it is, until its design is made */
    fathom_schema *schema; /* what was made of its columns; or NULL */
    int64_t classes;
    char **class_name;
    double *class_value; /* ascending */
    double *coded;       /* n x coded_outputs, made on request */
    int64_t coded_outputs;
    fathom_normalize normalize;
    fathom_bias bias;
    int64_t raw_columns; /* columns before the bias column */
    double *mean;        /* raw_columns, standardize only */
    double *scale;
};

/* How data must fit what a model was trained on; NULL members where free. */
typedef struct data_likeness {
    const fathom_preprocess *preprocess;
    const fathom_classes *classes;
    fathom_table_known known; /* the columns of `preprocess`, where they have names */
} data_likeness;

/* A CSV file in memory. */
typedef struct data_text {
    const char *text;
    int64_t size;
} data_text;

/* Gives an empty data set named `source` (copied; may be NULL). */
fathom_status fathom_data_begin(fathom_data **data, fathom_context *context, const char *source);

/* Makes room for n x d dense values and n x outputs targets, uninitialised; refuses what does not fit in
 * memory. */
fathom_status fathom_data_shape(fathom_data *data, int64_t n, int64_t d, int64_t outputs);

/* Another name for messages (copied), or NULL. */
fathom_status fathom_data_rename(fathom_data *data, const char *source);

/* The data without its targets and classes. */
void fathom_data_drop_targets(fathom_data *data);

/* Fills an empty data set from its source: "gen:...", "builtin:..." or a file; `like` NULL for data that
 * stands for itself (generate.c, builtin.c, source.c). */
fathom_status fathom_data_generate(fathom_data *data);
fathom_status fathom_data_load_builtin(fathom_data *data, const fathom_data_options *options,
                                       const data_likeness *like);
fathom_status fathom_data_read_file(fathom_data *data, const fathom_data_options *options,
                                    const data_likeness *like);

fathom_status fathom_data_read_text(fathom_data *data, const fathom_data_options *options,
                                    const data_likeness *like, const data_text *text);

/* ERROR_INPUT where a value or target is not finite (check.c). */
fathom_status fathom_data_check(const fathom_data *data);

/* ERROR_INPUT unless the weights are finite, none is negative and one is positive (check.c). */
fathom_status fathom_data_check_weights(const fathom_data *data);

/* Before --rows: data->counts, where some weight is 0 (rows.c). After: rows of weight 0 are left out, unless
 * all are. */
fathom_status fathom_data_count_rows(fathom_data *data);
fathom_status fathom_data_leave_out(fathom_data *data);

/* Keeps the rows that --rows names (rows.c). */
fathom_status fathom_data_select_rows(fathom_data *data, const char *rows);

/* Keeps the rows whose numbers stand in a stream of text, in that order (rows.c). */
fathom_status fathom_data_select_listed(fathom_data *data, fathom_bytes *bytes);

/* Mapped rows: the first `columns` of each (those beyond the data's own are 1), with f(row, user) done to each, in a
 * scratch file; d is left. f may be NULL, and says whether all goes well (rebuild.c). */
typedef struct fathom_data_change {
    bool (*f)(double *row, void *user, int64_t i);
    void *user;
} fathom_data_change;
fathom_status fathom_data_rebuild(fathom_data *data, int64_t columns, const fathom_data_change *change);

/* Mapped rows row[0..count), in that order; n is left. */
fathom_status fathom_data_rebuild_rows(fathom_data *data, const int64_t *row, int64_t count);

/* Keeps rows row[0..count) in that order; entries are valid row numbers (rows.c). */
fathom_status fathom_data_take_rows(fathom_data *data, const int64_t *row, int64_t count);

/* Lists the classes; with "A,B" keeps those two as +1 and -1; with `like` takes over its classes
 * (classes.c). */
fathom_status fathom_data_find_classes(fathom_data *data);
fathom_status fathom_data_pick_classes(fathom_data *data, const char *classes);
fathom_status fathom_data_adopt_classes(fathom_data *data, const fathom_classes *classes);

/* Normalises and adds the bias column: by own statistics, or by those given (preprocess.c). */
fathom_status fathom_data_prepare(fathom_data *data, fathom_normalize normalize, fathom_bias bias);
fathom_status fathom_data_prepare_like(fathom_data *data, const fathom_preprocess *preprocess);

#endif
