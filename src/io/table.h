/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table: what a data file holds, before any mathematics.
 *
 * Readers fill the final layout directly (features apart from target and weights), so that memory stays
 * within twice the final matrix. Every reader treats its bytes as hostile: a fault gives ERROR_INPUT with
 * file, line and column (binary formats: byte offset in the text).
 */
#ifndef FATHOM_TABLE_H
#define FATHOM_TABLE_H

#include "bytes.h"
#include "mapped.h"
#include "fathom/schema.h"

typedef enum fathom_format {
    FATHOM_FORMAT_AUTO, /* the order is that of --format in fathom/data.h */
    FATHOM_FORMAT_CSV,
    FATHOM_FORMAT_TSV,
    FATHOM_FORMAT_LIBSVM,
    FATHOM_FORMAT_NPY,
    FATHOM_FORMAT_NPZ,
    FATHOM_FORMAT_IDX,
    FATHOM_FORMAT_CIFAR
} fathom_format;

/* Columns that a model was trained on, for files with a header: others are left out, and none may be
 * missing. */
typedef struct fathom_table_known {
    int64_t count;
    const char *const *name;
    bool one_hot;       /* names "column=text" stand for text columns */
    const char *target; /* where the file has it; or NULL */
} fathom_table_known;

/* What the caller wants of a file; all strings borrowed, NULL or 0 where unset. */
typedef struct fathom_table_request {
    fathom_format format;
    const char *target;  /* CSV: column name or 0-based index; NULL: the last */
    const char *weights; /* CSV: column name or 0-based index */
    bool categorical;    /* CSV: one-hot code text columns instead of refusing them */
    int64_t columns;     /* LIBSVM: width; 0: the largest index */
    const char *labels;  /* NPY, IDX: file of labels */
    int map; /* NPY: rows stay in their file: 0 where they would take half of the memory, 1 always, 2 never */
    const char *path; /* of the file, for that; NULL: it has none */
    char separator;   /* CSV: between fields; ' ': runs of spaces; 0: by the first lines */
    char decimal;     /* CSV: '.' or ','; 0: by the first lines */
    int header;       /* CSV: whether the first line has names: +1 yes, -1 no, 0 by the first two lines */
    const fathom_table_known *known; /* CSV, or NULL */
    /* CSV: cells as texts in `sheet`, and nothing else; known, target and weights are the caller's */
    bool as_is;
    const fathom_schema *likely; /* as_is: of its names half make the first line a header; or NULL */
    const char *exclude[2];      /* CSV: columns to leave out, "A,B" */
    bool no_target;   /* the file may have no target (prediction): CSV with exactly `features` columns */
    int64_t features; /* with no_target: the number of feature columns that the caller expects; 0: unknown */
} fathom_table_request;

/* Where the values of a table stand in its file. */
typedef struct fathom_table_origin {
    fathom_format format; /* AUTO: not from a file */
    bool compressed;      /* or not a file with a known size */
    bool header;          /* CSV: the first line has names */
    bool
        other_dialect; /* CSV: lines left out, other separators or decimal commas, another encoding or line end */
    int64_t target, weight; /* CSV: columns from 0; -1: none */
    bool decimal;           /* text, every number the shortest decimal of the double it was read as */
} fathom_table_origin;

typedef struct fathom_sheet fathom_sheet; /* sheet.h */

typedef struct fathom_table {
    fathom_table_origin origin;
    fathom_sheet *sheet; /* or NULL; x and y are not there then */
    int64_t n, d;
    double *x;             /* n x d dense, or NULL where sparse */
    fathom_mapped *mapped; /* NULL, or what x is in: only to be read, and not to be freed */
    int64_t *row_start;    /* n + 1 */
    int32_t *column;       /* 0-based, ascending in a row */
    double *value;
    int64_t outputs;   /* 0: no target */
    double *y;         /* n x outputs; text labels as their number in `label` */
    int64_t labels;    /* 0 where the target is numeric */
    char **label;      /* distinct text labels, sorted by byte value */
    double *weight;    /* n, or NULL */
    char **name;       /* d column names, or NULL */
    char *target_name; /* or NULL */
} fathom_table;

/* Gives the table in the file `path` ("-": CSV on standard input), decompressing gz, xz and bz2 on the
 * way. */
fathom_status fathom_table_read(fathom_table **table, fathom_context *context, const char *path,
                                const fathom_table_request *request);

/* The same from a stream, whose name tells the format where the request does not. */
fathom_status fathom_table_read_bytes(fathom_table **table, fathom_bytes *bytes,
                                      const fathom_table_request *request);
void fathom_table_free(fathom_context *context, fathom_table *table);

/* Writes the table by the extension of `path`: .csv or .tsv (a header; weights before the target, which is
 * last), .svm or .libsvm, .npy (targets in NAME.labels.npy beside it) or .npz (X, y). Numbers read back as
 * the same doubles. ERROR_USAGE where the format cannot hold the table. */
fathom_status fathom_table_write(const fathom_table *table, fathom_context *context, const char *path);

#endif
