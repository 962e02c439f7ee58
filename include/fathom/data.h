/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data: n examples x_i in R^d with targets, from a file, a generator or a built-in set.
 *
 * fathom_data_open understands the DATA specifications of the command line (FILE, -, builtin:NAME,
 * gen:NAME,key=value,...). The matrix is dense and row-major, or, for LIBSVM files, compressed sparse rows.
 */
#ifndef FATHOM_DATA_H
#define FATHOM_DATA_H

#include "fathom/options.h"
#include "fathom/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fathom_normalize {
    FATHOM_NORMALIZE_NONE,
    FATHOM_NORMALIZE_UNIT,
    FATHOM_NORMALIZE_STANDARDIZE,
    FATHOM_NORMALIZE_AUTO /* an option only: data and models have one of the others */
} fathom_normalize;
typedef enum fathom_bias { FATHOM_BIAS_NONE, FATHOM_BIAS_AUGMENT, FATHOM_BIAS_FREE } fathom_bias;

#define FATHOM_DATA_OPTIONS(X)                                                                            \
    X(CHOICE, format, "format", "auto", 0, 0, "auto|csv|tsv|libsvm|npy|npz|idx|cifar",                    \
      "file format, where the name does not tell")                                                        \
    X(TEXT, separator, "separator", NULL, 0, 0, "auto|tab|space|BYTE",                                    \
      "what separates the fields of a text table (default: by its first lines)")                          \
    X(CHOICE, decimal, "decimal", "auto", 0, 0, "auto|point|comma", "how its numbers are written")        \
    X(CHOICE, header, "header", "auto", 0, 0, "auto|yes|no", "whether its first line has names")          \
    X(TEXT, target, "target", NULL, 0, 0, "NAME|INDEX",                                                   \
      "target column of a CSV or TSV file (default: the last)")                                           \
    X(CHOICE, missing, "missing", "refuse", 0, 0, "refuse|impute",                                        \
      "a missing cell is an error, or the table is read as it is: kinds of columns by content, medians "  \
      "and categories for missing cells")                                                                 \
    X(TEXT, missing_text, "missing-text", NULL, 0, 0, "TEXT,...",                                         \
      "further texts that stand for a missing cell (=TEXT,...: no others)")                               \
    X(TEXT, as_category, "as-category", NULL, 0, 0, "NAME,...",                                           \
      "columns that are categories though they look like numbers")                                        \
    X(TEXT, keep, "keep", NULL, 0, 0, "NAME,...",                                                         \
      "columns to keep though they look like identifiers or are constant")                                \
    X(TEXT, exclude, "exclude", NULL, 0, 0, "NAME,...", "columns of a CSV or TSV file to leave out")      \
    X(TEXT, drop, "drop", NULL, 0, 0, "NAME,...", "the same as --exclude")                                \
    X(FLAG, categorical, "categorical", NULL, 0, 0, "", "one-hot code text columns of a CSV or TSV file") \
    X(INTEGER, columns, "columns", NULL, 1, 2147483647, "N", "number of columns of a LIBSVM file")        \
    X(INTEGER, features, "features", NULL, 1, 2147483647, "N", "keep the first N columns of the data")    \
    X(INPUT, labels, "labels", NULL, 0, 0, "FILE", "labels that belong to an NPY or IDX file")            \
    X(INPUT, rows, "rows", NULL, 0, 0, "A:B|FILE",                                                        \
      "rows to keep: 0-based half-open range, or a file of row numbers (FILE:A:B: its numbers A to B; "   \
      "FILE!A:B: all but those)")                                                                         \
    X(TEXT, weights, "weights", NULL, 0, 0, "COLUMN", "column with sample weights")                       \
    X(CHOICE, map, "map", "auto", 0, 0, "auto|always|never",                                              \
      "rows of an NPY file stay in it and pass through memory as they are needed (auto: where they take " \
      "more than half of the memory)")                                                                    \
    X(TEXT, classes, "classes", NULL, 0, 0, "A,B", "two classes to keep, as +1 and -1")                   \
    X(CHOICE, normalize, "normalize", "none", 0, 0, "none|unit|standardize|auto",                         \
      "rows to norm 1 (unit), or columns to mean 0 and variance 1 (standardize); auto: unit where rows "  \
      "are sparse and a dense copy would be large, else standardize")                                     \
    X(CHOICE, bias, "bias", "none", 0, 0, "none|augment|free",                                            \
      "augment: a constant column, penalised with the rest; free: unpenalised biases")

FATHOM_OPTIONS_STRUCT(fathom_data_options, FATHOM_DATA_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_data_option_table;

typedef struct fathom_data fathom_data;

/* A borrowed view; pointers stay valid until the data is changed or freed. Exactly one of `x` and `value`
 * is set (both may be NULL where n = 0). */
typedef struct fathom_data_view {
    int64_t n, d;    /* rows; columns, the constant column of --bias augment included */
    const double *x; /* n x d, leading dimension ld; NULL where sparse */
    int64_t ld;
    const int64_t *row_start; /* n + 1; entries of row i are row_start[i] .. row_start[i+1] */
    const int32_t *column;    /* 0-based, ascending within a row */
    const double *value;
    int64_t outputs; /* columns of y; 0 where there are no targets */
    const double *y; /* n x outputs as given: numbers, or class numbers 0..classes-1 of text labels */
    int64_t classes; /* distinct targets where outputs = 1 and they are class-like, else 0 */
    const char *const
        *class_name; /* their names: ascending numbers as text, or texts in the order of the alphabet */
    const double *class_value; /* the value in y that stands for each class */
    const double *weight;      /* n sample weights, or NULL */
    fathom_bias bias;          /* as asked for */
} fathom_data_view;

/* Gives the data set that `spec` names, with all options applied. NULL options mean the defaults. */
FATHOM_API fathom_status fathom_data_open(fathom_data **data, fathom_context *context, const char *spec,
                                          const fathom_data_options *options);

/* Gives a data set from arrays, which it copies. `y` (n x outputs) and `weight` (n) may be NULL. */
FATHOM_API fathom_status fathom_data_create(fathom_data **data, fathom_context *context, int64_t n, int64_t d,
                                            const double *x, int64_t ld, int64_t outputs, const double *y,
                                            const double *weight, const fathom_data_options *options);
FATHOM_API void fathom_data_free(fathom_data *data);

/* Compressed sparse rows: entries of row i are row_start[i] .. row_start[i+1] - 1, columns (from 0) ascend
 * within a row. */
typedef struct fathom_sparse_rows {
    int64_t n, d;
    const int64_t *row_start; /* n + 1, from 0 */
    const int32_t *column;
    const double *value;
} fathom_sparse_rows;

/* The same from sparse rows, which stay sparse unless columns are standardised. */
FATHOM_API fathom_status fathom_data_create_sparse(fathom_data **data, fathom_context *context,
                                                   const fathom_sparse_rows *rows, int64_t outputs,
                                                   const double *y, const double *weight,
                                                   const fathom_data_options *options);

FATHOM_API fathom_data_view fathom_data_look(const fathom_data *data);

/* Gives points without targets whose rows are those of the file as they are written there, in decimals,
 * times powers of ten, so that they are integers: for questions that the size of rows does not change
 * (cones, rank, parallel rows). *decimals = NULL where that cannot be: data not from a text file,
 * normalised, or with too many digits in a row (beyond 2^53, or beyond 15 and not the shortest decimal of
 * a double). */
FATHOM_API fathom_status fathom_data_decimals(fathom_data **decimals, const fathom_data *data);

/* How raw columns became those of the data. Models keep it, so that other data can be treated in the same
 * way. standardize: x' = (x - mean) / scale; scale is 1 for a constant column. docs/reference/data.md states the
 * operations. */
typedef struct fathom_preprocess {
    fathom_normalize normalize;
    fathom_bias bias;
    int64_t columns;     /* raw columns, without that of --bias augment */
    const double *mean;  /* columns; NULL unless standardize */
    const double *scale; /* columns; NULL unless standardize */
    const char *const
        *name;          /* columns; NULL where they have none. Other data that has names is matched by them */
    bool one_hot;       /* names "column=text" are those of text columns */
    const char *target; /* name of the target's column, or NULL */
    /* of a table that was read as it is, or NULL: raw columns are then those that it makes */
    const fathom_schema *schema;
} fathom_preprocess;

/* Classes of a target: value[k] (ascending) stands for name[k] in y. Models keep them. */
typedef struct fathom_classes {
    int64_t count;
    const char *const *name;
    const double *value; /* NULL: the numbers that the names spell, or 0, 1, ... where one is no number */
} fathom_classes;

/* What was done to the data, and its classes; both borrowed from it. */
FATHOM_API fathom_preprocess fathom_data_preprocess(const fathom_data *data);
FATHOM_API fathom_classes fathom_data_classes(const fathom_data *data);

/* As fathom_data_open and fathom_data_create for data to be predicted or scored: treated by `preprocess`
 * (in place of the options normalize and bias), with labels matched to `classes` (NULL or empty: as
 * found). Targets may be missing. A LIBSVM file may be narrower or wider than preprocess->columns: unknown
 * columns are dropped with a warning. */
FATHOM_API fathom_status fathom_data_open_like(fathom_data **data, fathom_context *context, const char *spec,
                                               const fathom_data_options *options,
                                               const fathom_preprocess *preprocess,
                                               const fathom_classes *classes);

/* The same from arrays. */
FATHOM_API fathom_status fathom_data_create_like(fathom_data **data, fathom_context *context, int64_t n,
                                                 int64_t d, const double *x, int64_t ld, int64_t outputs,
                                                 const double *y, const double *weight,
                                                 const fathom_preprocess *preprocess,
                                                 const fathom_classes *classes);
FATHOM_API fathom_status fathom_data_create_sparse_like(fathom_data **data, fathom_context *context,
                                                        const fathom_sparse_rows *rows, int64_t outputs,
                                                        const double *y, const double *weight,
                                                        const fathom_preprocess *preprocess,
                                                        const fathom_classes *classes);

/* Writes the data set as CSV, LIBSVM, NPY (with a .labels.npy beside it) or NPZ, by the extension of
 * `path`. */
FATHOM_API fathom_status fathom_data_write(const fathom_data *data, const char *path);

#ifdef __cplusplus
}
#endif
#endif
