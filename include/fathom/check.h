/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theorems of the papers, checked on data: every hypothesis measured, every bound evaluated with its
 * constants and compared with a run.
 *
 * Where the errata of docs/reference/theorems.md correct a statement, the correct one is checked and the result says
 * so. Constants that a paper leaves open are parameters with stated defaults.
 */
#ifndef FATHOM_CHECK_H
#define FATHOM_CHECK_H

#include "fathom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FATHOM_CHECK_OPTIONS(X)                                                                             \
    X(TEXT, theorem, "theorem", NULL, 0, 0, "PAPER:ID", "which theorem; --list names them")                 \
    X(FLAG, list, "list", NULL, 0, 0, "", "list the theorems; no data is read")                             \
    X(INTEGER, width, "width", NULL, 1, 1e9, "M", "hidden units of the run (default: by theorem)")          \
    X(REAL, epsilon, "epsilon", "0.1", 1e-12, 1, "E", "accuracy, in statements that have one")              \
    X(REAL, delta, "delta", "0.1", 1e-300, 0.5, "D", "probability of failure, in statements that have one") \
    X(REAL, beta, "beta", "0.25", 1e-6, 0.4999, "B", "exponent of [002, Thm 2]")                            \
    X(REAL, slope, "slope", "0.1", 0, 1, "A", "slope of leaky units below their kink [004]")                \
    X(REAL, step, "step", NULL, 1e-300, 1e300, "E", "step of SGD (default: by theorem)")                    \
    X(CHOICE, loss, "loss", "logistic", 0, 0, "logistic|exponential", "loss of the flow, where both do")    \
    X(INPUT, init, "init", NULL, 0, 0, "normal:SD|pytorch|balanced|FILE", "as fathom flow --init")          \
    X(TEXT, until, "until", NULL, 0, 0, "steps=N,...", "as fathom flow --until (default: by theorem)")      \
    X(INPUT, test, "test", NULL, 0, 0, "DATA", "second data set, for bounds of the test error")             \
    X(INTEGER, trials, "trials", "20", 1, 100000, "N", "random draws, in statements about probabilities")   \
    X(INPUT, directions, "directions", NULL, 0, 0, "FILE.npy",                                              \
      "beta_k of the cones of [003, Assumption 3.1], in the rows of a matrix (default: sought)")            \
    X(FLAG, solve, "solve", NULL, 0, 0, "",                                                                 \
      "in place of a run: the least width m, time t, number n of examples for which the theorem applies")   \
    X(FLAG, widths, "widths", NULL, 0, 0, "",                                                               \
      "no theorem: every width bound of [000], [002], [003] on this data, beside the smallest that works")  \
    X(TEXT, constants, "constants", NULL, 0, 0, "NAME=VALUE,...", "constants that the papers leave open")

FATHOM_OPTIONS_STRUCT(fathom_check_options, FATHOM_CHECK_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_check_option_table;

/* One line of a check: a measured number beside what it should be. Both are intervals where they are not
 * known exactly; a line is decided where every pair of their points agrees. */
typedef struct fathom_check_item {
    const char *name;     /* static text */
    double value;         /* the middle of [lower, upper]; NaN: could not be measured */
    const char *relation; /* "<", "<=", ">", ">=" or "=" */
    double required;      /* the middle of [required_lower, required_upper] */
    int holds;            /* 1, 0; -1: undecided */
    double lower, upper, required_lower, required_upper;
    int vacuous; /* 1: every run meets it, so that it says nothing; it does not count */
    const char *
        note; /* static text: how the value is known ("99 % confidence"), or why it is undecided; NULL: nothing to say */
} fathom_check_item;

/* What --solve and --widths find: `what` is m, t or n. */
typedef struct fathom_check_need {
    const char *theorem, *what; /* static texts; theorem "flow", "gates": what a flow, what a margin needs */
    double lower, upper;        /* the least one lies between */
    const char *note;           /* static text */
} fathom_check_need;

enum { FATHOM_CHECK_ITEMS = 32, FATHOM_CHECK_NEEDS = 16 };

typedef struct fathom_check_result {
    const char *theorem;    /* "002:1" */
    const char *statement;  /* in one sentence */
    const char *correction; /* how it differs from the paper; NULL: it does not */
    int64_t hypotheses, comparisons;
    fathom_check_item hypothesis[FATHOM_CHECK_ITEMS];
    fathom_check_item comparison[FATHOM_CHECK_ITEMS]; /* bounds beside the run */
    int64_t needs;
    fathom_check_need need[FATHOM_CHECK_NEEDS]; /* of --solve and --widths */
    int applies;                                /* whether all hypotheses hold: 1, 0; -1: undecided */
    int holds;              /* whether all comparisons do: 1, 0; -1: nothing was compared, or undecided */
    int complete;           /* 0: a limit or a failed run left lines undecided */
    const char *incomplete; /* static text: what did; NULL where complete */
    char because[300];      /* the first hypothesis that fails or is undecided; "" */
    char conclusion[600];
    char choices[1200]; /* what the check chose by itself, a line each */
} fathom_check_result;

/* Checks options->theorem. Unknown ids, and options and constants that the theorem does not read, are
 * ERROR_USAGE. */
FATHOM_API fathom_status fathom_check_run(fathom_check_result *result, fathom_context *context,
                                          fathom_data *data, const fathom_check_options *options);

/* The k-th theorem, from 0: its id and statement; NULL at the end. */
FATHOM_API const char *fathom_check_get(int64_t index, const char **statement);

/* "applies", "does not apply", "undecided". */
FATHOM_API const char *fathom_check_verdict(const fathom_check_result *result);

#ifdef __cplusplus
}
#endif
#endif
