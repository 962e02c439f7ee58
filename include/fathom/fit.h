/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fit: from a table to a network, its penalty chosen by cross-validation, refitted on all rows with a
 * bound, and what to expect of it.
 *
 * Candidates are networks of small width, ReLU and where rows are many also on sampled gates, trained by local descent along a path of penalties on the rows
 * outside each fold (docs/howto/fit.md); nothing is proved about them. The candidate with the best score on the
 * rows left out names the penalty; at that penalty the network is trained on all rows by
 * fathom_train_from, which also gives the bound.
 */
#ifndef FATHOM_FIT_H
#define FATHOM_FIT_H

#include "fathom/train.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fathom_fit_task {
    FATHOM_FIT_BINARY,
    FATHOM_FIT_MULTICLASS,
    FATHOM_FIT_REGRESSION
} fathom_fit_task;

/* In the order of the choices of --score, which begin with auto. Undefined ones are NaN. */
typedef enum fathom_fit_score {
    FATHOM_FIT_LOG_LOSS, /* mean of -ln probability of the right class */
    FATHOM_FIT_ACCURACY,
    FATHOM_FIT_AUC, /* area under the ROC curve; several classes: mean over each against the rest */
    FATHOM_FIT_MSE,
    FATHOM_FIT_R2,
    FATHOM_FIT_MAE,
    FATHOM_FIT_SCORES
} fathom_fit_score;

typedef enum fathom_fit_choose { FATHOM_FIT_BEST, FATHOM_FIT_ONE_SE, FATHOM_FIT_SPARSE } fathom_fit_choose;

#define FATHOM_FIT_OPTIONS(X)                                                                             \
    X(CHOICE, task, "task", "auto", 0, 0, "auto|classify|regress",                                        \
      "what the target is (default: by content)")                                                         \
    X(CHOICE, score, "score", "auto", 0, 0, "auto|log-loss|accuracy|auc|mse|r2|mae",                      \
      "what the choice goes by (auto: log-loss, or mse for numbers)")                                     \
    X(CHOICE, choose, "choose", "best", 0, 0, "best|one-se|sparse",                                       \
      "best score; the largest penalty within one standard error of it; that one with few neurons")       \
    X(CHOICE, model, "model", "auto", 0, 0, "auto|relu|gated",                                            \
      "networks to choose among (auto: relu, and from 5,000 rows on gated too)")                          \
    X(INTEGER, width, "width", NULL, 1, 4096, "N",                                                        \
      "neurons or gates of a candidate (default 32 neurons, from 5,000 rows on also 128)")                \
    X(FLAG, average, "average", NULL, 0, 0, "", "the mean of the network and those of the folds")         \
    X(INTEGER, folds, "folds", "5", 2, 1000000, "K", "folds of cross-validation")                         \
    X(INTEGER, repeats, "repeats", "1", 1, 1000, "R", "cross-validations, each with its own folds")       \
    X(REAL, time, "time", "30", 0, 1e9, "SECONDS",                                                        \
      "for the last network and its bound; 0: neither, the network of the path stands")                   \
    X(REAL, gap, "gap", NULL, 0, 1, "REL", "relative gap to reach (default 0.01, and no need)")           \
    X(FLAG, balance, "balance", NULL, 0, 0, "", "every class weighs the same, in training and in scores") \
    X(REAL, prune, "prune", NULL, 0, 1, "SHARE",                                                          \
      "drop neurons while the objective grows by less than this share (sparse: 0.01)")                    \
    X(INPUT, test, "test", NULL, 0, 0, "DATA", "second data set, scored at the end")                      \
    X(INPUT, test_rows, "test-rows", NULL, 0, 0, "A:B|FILE", "rows of the test data, as --rows")          \
    X(OUTPUT, certificate, "certificate", NULL, 0, 0, "FILE", "write a proof of the bounds")              \
    X(FLAG, verify, "verify", NULL, 0, 0, "", "check the proof at the end")                               \
    X(OUTPUT, checkpoint, "checkpoint", NULL, 0, 0, "FILE", "write the state here, also at the end")      \
    X(INPUT, resume, "resume", NULL, 0, 0, "FILE", "continue from a checkpoint; limits may be new")

FATHOM_OPTIONS_STRUCT(fathom_fit_options, FATHOM_FIT_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_fit_option_table;

/* A mean over folds and its standard error (over folds; repeats do not make it smaller). NaN where
 * undefined. */
typedef struct fathom_fit_estimate {
    double mean, se;
} fathom_fit_estimate;

/* One penalty. */
typedef struct fathom_fit_candidate {
    double beta;
    bool dropped; /* after two folds, as hopeless: its scores are of those */
    bool gated;   /* weights on `width` sampled gates; else `width` neurons */
    int64_t width;
    fathom_fit_estimate score[FATHOM_FIT_SCORES];
} fathom_fit_candidate;

/* Something simple on the same folds: "constant" (class shares, mean) or "linear" (ridge penalty chosen
 * likewise). */
typedef struct fathom_fit_rival {
    const char *name; /* static text */
    fathom_fit_estimate score[FATHOM_FIT_SCORES];
} fathom_fit_rival;

/* What a column is worth: how much the loss (log-loss, or mse) on rows left out grows when its values are
 * permuted among them. */
typedef struct fathom_fit_column {
    char *name;
    double value, se; /* over folds */
} fathom_fit_column;

/* Rows left out by what was predicted: probability of the second class (several classes: of the predicted
 * one) against its share. */
typedef struct fathom_fit_bin {
    double predicted, observed;
    int64_t count;
} fathom_fit_bin;

/* A point of a curve. */
typedef struct fathom_fit_point {
    double x, y;
} fathom_fit_point;

/* FATHOM_FIT_POINTS: penalties of each kind of network. */
enum { FATHOM_FIT_POINTS = 8, FATHOM_FIT_BINS = 10, FATHOM_FIT_RIVALS = 2, FATHOM_FIT_WARNINGS = 16 };

/* Owned by the result; cleared by the function below. */
typedef struct fathom_fit_result {
    fathom_fit_task task;
    fathom_fit_score score; /* that decided */
    int64_t folds, repeats, count, chosen;
    fathom_fit_candidate *candidate; /* count, kind by kind, by penalty, ascending */
    fathom_fit_rival rival[FATHOM_FIT_RIVALS];
    int64_t rivals;
    fathom_fit_column *column; /* columns, the most important first */
    int64_t columns;
    fathom_fit_bin bin[FATHOM_FIT_BINS];
    int64_t bins;
    /* rows left out. Two classes: ROC, shares of the first and of the second class above a threshold.
     * Numbers: predicted and observed. Several classes: NULL */
    fathom_fit_point *curve;
    int64_t curve_points;
    int64_t classes;
    int64_t *confusion; /* classes x classes: rows left out by true and predicted class; NULL for numbers */
    int64_t *seen;      /* classes: examples of each */
    char *warning[FATHOM_FIT_WARNINGS];
    int64_t warnings;
    fathom_train_result train; /* the network; its bound NONE with --time 0 */
    bool averaged;             /* the network is the mean of several: its objective is not the least */
    fathom_end end;            /* TIME or INTERRUPTED: a limit cut the choice, and the best so far stands */
    double choosing, explaining, refitting; /* seconds */
    int64_t pruned;                         /* neurons that --prune dropped */
    double
        growth; /* the share by which the objective grew then: of the pruned network over that before, less 1; else 0 */
} fathom_fit_result;

/* Chooses, refits, proves. The data is as --normalize and --bias made it; with --balance its weights
 * change. NULL options mean the defaults. A limit is an outcome, not a failure: the network is then the
 * best so far. */
FATHOM_API fathom_status fathom_fit(fathom_fit_result *result, fathom_context *context, fathom_data *data,
                                    const fathom_fit_options *options);
FATHOM_API void fathom_fit_result_clear(fathom_fit_result *result, fathom_context *context);

/* Gives data without a constant column the bias that suits its task: augment for classes, free for
 * numbers. */
FATHOM_API fathom_status fathom_fit_set_bias(fathom_context *context, fathom_data *data,
                                             const fathom_fit_options *options);

#ifdef __cplusplus
}
#endif
#endif
