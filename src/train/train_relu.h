/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods of training over all ReLU networks: each one row of the table in train_relu.c.
 *
 * A method fills the whole result, network included, in the scale that was asked for; its bound is global
 * unless it says otherwise. To add one: write its two functions in a file of its own, declare them here,
 * and add its row where `auto` should try it.
 */
#ifndef FATHOM_TRAIN_RELU_H
#define FATHOM_TRAIN_RELU_H

#include "train_internal.h"

/* Whether a method solves this problem as it is; *why (static text) completes "chosen because ..." or
 * "refused because ...". */
typedef fathom_status fathom_relu_applies(bool *yes, const char **why, const fathom_train_problem *problem);
typedef fathom_status fathom_relu_run(fathom_train_result *result, const fathom_train_problem *problem);

typedef struct fathom_relu_method {
    fathom_train_method option;   /* --method that forces it */
    const char *name;             /* as the option and the result spell it */
    bool automatic;               /* `auto` takes the first such row that applies */
    fathom_relu_applies *applies; /* cheap: at most a small multiple of reading the data */
    fathom_relu_run *run;
} fathom_relu_method;

/* Whether `auto` has a method for the problem. */
bool fathom_relu_covers(const fathom_train_problem *problem);

/* The largest useful penalty of the sum problem, one number whatever the method: the best price known of
 * the constant's residual; 0 where rounding alone makes it (relu_beta.c). */
fathom_status fathom_relu_beta_max(double *beta_max, const fathom_train_problem *problem);

/* Interpolation: ERROR_INPUT where rows (named) exclude every network (targets_fit.c). */
fathom_status fathom_targets_fit(const fathom_train_problem *problem);

/* Loss, norm and objective (rounded up) of the result's network on the rows of the problem; result->beta is
 * there (relu_evaluate.c). */
fathom_status fathom_relu_evaluate(fathom_train_result *result, const fathom_train_problem *problem);

/* Interpolation: by how much a network of this norm may miss a target: 1e-9 of the largest, or what the
 * rounding of its terms leaves, up to 1e-6 of it. */
double fathom_relu_target_room(const fathom_train_problem *problem, double norm);

/* Interpolation: sum_i |v_i (y_i - f_i)| with exact f, by which bounds from v (outputs x n) can be above
 * the norm of a network that misses targets a little. */
double fathom_relu_cost_of_misses(const fathom_train_problem *problem, fathom_net *net, const double *v);

/* Interpolation: a network that misses a target by more is not one of it: its objective becomes infinite,
 * and a warning names the row. */
fathom_status fathom_relu_check_targets(fathom_train_result *result, const fathom_train_problem *problem);

/* What rounding alone can make of the price of v (outputs x n). */
double fathom_relu_price_noise(const fathom_train_problem *problem, const double *v);

/* One dimension or rank one with a free bias (train_line.c). */
fathom_relu_applies fathom_line_applies;
fathom_relu_run fathom_line_run;
/* The cutting planes of 001 on neurons that are active on all points, and the bound over all networks
 * (train_cutting.c). */
fathom_relu_applies fathom_cutting_applies;
fathom_relu_run fathom_cutting_train;

/* Orthogonal rows of equal length, and interpolation with independent rows (train_closed.c). */
fathom_relu_applies fathom_closed_applies;
fathom_relu_run fathom_closed_run;

/* Column generation with local pricing, bounded by fathom_global_bound (train_columns.c). */
fathom_relu_applies fathom_columns_applies;
fathom_relu_run fathom_columns_run;

/* The cone-constrained program on given gates, bounded by cone projections (train_cones.c). */
fathom_relu_applies fathom_cells_applies, fathom_on_gates_applies;
fathom_relu_run fathom_cells_run, fathom_on_gates_run;

/* At most so many cones has the arrangement of the rows; infinite where all of them do not make up the
 * problem. */
double fathom_cells_count(const fathom_train_problem *problem);
/* Whether a proof by all cones would be longer than --certificate-size. */
bool fathom_cells_too_long(const fathom_train_problem *problem);

#endif
