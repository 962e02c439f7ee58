/* SPDX-License-Identifier: Apache-2.0 */
/* What paths over gates and over all ReLU networks share: the grid, the folds, their summary. */
#ifndef FATHOM_TRAIN_PATH_H
#define FATHOM_TRAIN_PATH_H

#include "tasks.h"
#include "train_internal.h"

/* The gap to which a path without one fold is solved, at least. */
#define FATHOM_PATH_FOLD_GAP 1e-4

/* beta over beta_max at point k. */
double fathom_path_ratio(const fathom_path_options *path, int64_t k);

/* fold (n) = numbers 0 .. folds-1 in equal shares at random; mass (folds) = their sample weights. */
fathom_status fathom_path_cut_folds(int64_t *fold, double *mass, fathom_context *context,
                                    const double *weight, int64_t n, int64_t folds);

/* Keeps the outputs f (outputs x n) of point k without fold `number` for the rows of that fold. */
void fathom_path_keep_outputs(fathom_path_result *result, int64_t number, int64_t k, const double *f);

/* Mean and standard error over folds of the losses (folds x points), and the best point. */
void fathom_path_summarize(fathom_path_result *result, const double *loss, const double *mass, int64_t folds,
                           int64_t points);

/* What the paths without one fold leave, for ranks that did not run them (path_deal.c): folds are numbered tasks. */
typedef struct fathom_path_fold_results {
    fathom_path_result *result;
    double *loss; /* folds x points */
    int64_t points;
} fathom_path_fold_results;

fathom_task_results fathom_path_deal_folds(fathom_path_fold_results *folds);

/* Begins or goes on with the file of --checkpoint; ERROR_INPUT where that of --resume belongs to another
 * path. */
fathom_status fathom_path_state_begin(const fathom_train_problem *problem, const fathom_path_options *path);

/* States are those of point k without fold `fold` (0: all rows) from here on; *resume: where it has one,
 * or NULL. */
fathom_status fathom_path_state_enter(const char **resume, fathom_context *context,
                                      const fathom_train_options *options, int64_t fold, int64_t k);

/* Whether folds of a path over all ReLU networks go by local descent: where the path itself is one of
 * searches, not of closed forms, and the loss is smooth (path_folds.c). */
bool fathom_path_folds_apply(const fathom_path_result *full, const fathom_train_problem *problem);

/* loss (points of the full path, which keeps the outputs) on the rows of fold `number` of networks trained on
 * the others, whose share of the weight it is. */
fathom_status fathom_path_fold(double *loss, fathom_path_result *full, const fathom_train_problem *problem,
                               int64_t number, double share);

/* The path of a problem over all ReLU networks; the result has its room. */
fathom_status fathom_path_relu(fathom_path_result *result, const fathom_train_problem *problem,
                               const fathom_path_options *path);

#endif
