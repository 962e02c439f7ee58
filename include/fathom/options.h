/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options: one table yields struct, defaults, validation, command-line flags and documentation.
 *
 * A stage writes its options once, as a list of rows
 *
 *     #define FATHOM_THING_OPTIONS(X)                                                        \
 *         X(REAL, gap, "gap", "1e-6", 0, 1, "REL", "relative gap to reach")                  \
 *         X(CHOICE, loss, "loss", "squared", 0, 0, "squared|hinge", "loss function")
 *
 *     X(type, field, flag, default text or NULL, low, high, values, doc)
 *
 * and gets the struct with FATHOM_OPTIONS_STRUCT(fathom_thing_options, FATHOM_THING_OPTIONS) in its header
 * and the run-time table fathom_thing_option_table in its source. The run-time table drives the command
 * line, the Python keywords, the manual pages and the shell completions.
 */
#ifndef FATHOM_OPTIONS_H
#define FATHOM_OPTIONS_H

#include "fathom/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fathom_option_type {
    FATHOM_OPTION_FLAG,     /* bool; takes no value */
    FATHOM_OPTION_INTEGER,  /* int64_t in [low, high] */
    FATHOM_OPTION_UNSIGNED, /* uint64_t, all 64 bits */
    FATHOM_OPTION_REAL, /* double in [low, high]; never NaN from the command line; NaN by default where unset */
    FATHOM_OPTION_CHOICE, /* int, the index of one of `values`, separated by |; of a:name the text a:5 also
                           * sets the option `name`, whose row stands behind this one, to 5 */
    FATHOM_OPTION_TEXT,   /* const char *, borrowed; NULL where unset */
    FATHOM_OPTION_INPUT,  /* a TEXT that may name a file to read */
    FATHOM_OPTION_OUTPUT  /* a TEXT that names a file to write */
} fathom_option_type;

typedef bool fathom_option_field_FLAG;
typedef int64_t fathom_option_field_INTEGER;
typedef uint64_t fathom_option_field_UNSIGNED;
typedef double fathom_option_field_REAL;
typedef int fathom_option_field_CHOICE;
typedef const char *fathom_option_field_TEXT;
typedef const char *fathom_option_field_INPUT;
typedef const char *fathom_option_field_OUTPUT;

typedef struct fathom_option {
    const char *name; /* "beta-rel": the flag is --beta-rel, the Python keyword beta_rel */
    fathom_option_type type;
    size_t offset;      /* of the field in its struct */
    const char *preset; /* the default as text; NULL: unset (0, NaN, first choice, NULL) */
    double low, high;   /* closed range of INTEGER and REAL */
    const char *values; /* CHOICE: "a|b|c:name"; otherwise the word shown for the value, as "N" or "FILE" */
    const char *doc;    /* one phrase */
} fathom_option;

typedef struct fathom_option_table {
    const char *title; /* heading in help and manual pages */
    const fathom_option *rows;
    int64_t count;
    size_t size; /* of the options struct */
} fathom_option_table;

#define FATHOM_OPTION_FIELD(type, field, flag, preset, low, high, values, doc) \
    fathom_option_field_##type field;

#define FATHOM_OPTIONS_STRUCT(name, LIST) \
    typedef struct name {                 \
        LIST(FATHOM_OPTION_FIELD)         \
    } name;

/* In the source that owns the options:
 *
 *     #define OWNER fathom_thing_options
 *     static const fathom_option rows[] = {FATHOM_THING_OPTIONS(FATHOM_OPTION_ROW)};
 *     #undef OWNER
 *     const fathom_option_table fathom_thing_option_table =
 *         FATHOM_OPTION_TABLE("Thing options", rows, fathom_thing_options);
 */
#define FATHOM_OPTION_ROW(type, field, flag, preset, low, high, values, doc) \
    {flag, FATHOM_OPTION_##type, offsetof(OWNER, field), preset, low, high, values, doc},

#define FATHOM_OPTION_TABLE(title, rows, owner)                                 \
    {                                                                           \
        title, rows, (int64_t)(sizeof(rows) / sizeof((rows)[0])), sizeof(owner) \
    }

/* Sets every field to its default. */
FATHOM_API void fathom_options_init(void *options, const fathom_option_table *table);

/* The row with this name, or NULL. */
FATHOM_API const fathom_option *fathom_options_find(const fathom_option_table *table, const char *name);

/* Parses and range-checks `text` into the row's field. TEXT borrows the string. ERROR_USAGE says what was
 * expected. For a FLAG, text is NULL (set), "true" or "false". */
FATHOM_API fathom_status fathom_options_set(fathom_context *context, void *options, const fathom_option *row,
                                            const char *text);

/* Checks every field of a struct that a program filled in by itself against the table's ranges. */
FATHOM_API fathom_status fathom_options_check(fathom_context *context, const void *options,
                                              const fathom_option_table *table);

#ifdef __cplusplus
}
#endif
#endif
