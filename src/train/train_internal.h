/* SPDX-License-Identifier: Apache-2.0 */
/* What the training methods share: the problem read off data and options. */
#ifndef FATHOM_TRAIN_INTERNAL_H
#define FATHOM_TRAIN_INTERNAL_H

#include "fathom/train.h"
#include "gated_newton.h"
#include "gated_subset.h"
#include "proof.h"

/* minimise (1/divisor) (sum_i c_i l(f_i, y_i) + divisor beta R). Freed by fathom_train_problem_clear. */
typedef struct fathom_train_problem {
    fathom_context *context;
    fathom_data *data;                   /* borrowed */
    const fathom_train_options *options; /* borrowed */
    const fathom_gates *gates;           /* borrowed; NULL: by options->gates */
    fathom_net *start;                   /* borrowed; NULL, or a network to start from */
    int64_t n, d, outputs;
    const double
        *x; /* n x d, leading dimension d: the data's own, or `dense`; NULL where the rows stay sparse */
    double *dense;            /* NULL, or a dense copy of sparse rows */
    fathom_gated_rows sparse; /* the data's own sparse rows, and their columns; where x is NULL */
    double *reach;            /* n, |x_i| rounded up */
    double *y;                /* outputs x n, coded for the loss */
    const double *weight;     /* n, or NULL; borrowed from the data */
    fathom_loss loss;
    fathom_loss_box box; /* of a boxed loss */
    bool equality;       /* f = y in place of a loss */
    bool constant;       /* free bias: unpenalised output constant (relu: and hidden biases) */
    double divisor;      /* 1, or n for --scale mean; the equality has no sum to divide */
    bool dependent; /* rows stand for others to rounding, and depend on each other: their cones may be more */
    bool silent;    /* the choice of the method is not logged */
    bool brief;     /* one turn of column generation, no more: a point of a path to be chosen from */
} fathom_train_problem;

/* Fails with ERROR_INPUT or ERROR_USAGE where data and options make no problem. */
fathom_status fathom_train_problem_create(fathom_train_problem *problem, fathom_context *context,
                                          fathom_data *data, const fathom_train_options *options);

/* The same, with rows that stay sparse where the options ask for a program on gates that are not all cones
 * and do not grow, and where at most a quarter of the numbers are there. */
fathom_status fathom_train_problem_create_sparse(fathom_train_problem *problem, fathom_context *context,
                                                 fathom_data *data, const fathom_train_options *options);

/* row (d) = x_i. */
void fathom_train_row(double *row, const fathom_train_problem *problem, int64_t i);
void fathom_train_problem_clear(fathom_train_problem *problem);

/* Whether evidence for the lower bound is kept, and with it the dual point. */
static inline bool fathom_train_proves(const fathom_train_options *options)
{
    return options->certificate || options->verify || options->save_dual;
}

/* Whether targets are classes to be fitted one column each, though the loss is that of numbers. */
bool fathom_train_fits_classes(const fathom_data *data, const fathom_train_options *options);

/* beta of the sum problem from --beta, or --beta-rel and the largest useful beta; ERROR_USAGE where not
 * positive. */
fathom_status fathom_train_beta(double *beta, const fathom_train_problem *problem, double beta_max);

/* Fills gap and status from objective, lower_bound, bound and end. */
void fathom_train_judge(fathom_train_result *result, double gap);

/* The same, with `end` from what has stopped the context. */
void fathom_train_conclude(fathom_train_result *result, const fathom_train_problem *problem);

/* Says about how much memory training on these gates takes; ERROR_MEMORY where it is not there. */
fathom_status fathom_train_gates_memory(const fathom_objective *p);

/* The problem in the form of its solvers and bounds, without gates; beta is that of the sum of losses. */
static inline fathom_objective fathom_train_objective(const fathom_train_problem *p, double beta)
{
    return (fathom_objective){.context = p->context,
                              .n = p->n,
                              .d = p->d,
                              .outputs = p->outputs,
                              .x = p->x,
                              .sparse = p->x ? NULL : &p->sparse.points,
                              .reach = p->reach,
                              .loss = p->loss,
                              .box = p->box,
                              .y = p->y,
                              .weight = p->weight,
                              .beta = beta,
                              .constant = p->constant,
                              .divisor = p->divisor};
}

/* The gated program of a problem on gates, with beta = 1. */
fathom_objective fathom_train_on_gates(const fathom_train_problem *problem, const fathom_gates_view *gates);

/* The run's numbers and network in the problem's own scale; `complete`: the gates are all there are. */
fathom_status fathom_train_fill(fathom_train_result *result, const fathom_train_problem *problem,
                                fathom_gated_run *run, const fathom_gates_view *gates, bool complete);

/* Trains on gates; `residual` (outputs x n) receives -l'(f) of the last iterate where it is not NULL. */
fathom_status fathom_train_on(fathom_train_result *result, double *residual,
                              const fathom_train_problem *problem, const fathom_gates_view *gates,
                              bool complete);
fathom_status fathom_train_grow(fathom_train_result *result, const fathom_train_problem *problem);

/* Loss, norm and objective of the result's relu, gated or linear network, rounded up, and the status that
 * follows; see train_measure.c. */
fathom_status fathom_train_measure(fathom_train_result *result, const fathom_train_problem *problem);

/* Evidence for a certificate from the network of a result that has none. */
fathom_status fathom_train_prove(fathom_train_result *result, const fathom_train_problem *problem);

/* The methods; each fills the result. */
fathom_status fathom_train_gated(fathom_train_result *result, const fathom_train_problem *problem);

/* Filters from patches of images, then output weights; see train_convex_rf.c. */
fathom_status fathom_train_convex_rf(fathom_train_result *result, const fathom_train_problem *problem);

/* Linear functions, to compare with; see train_linear.c. */
fathom_status fathom_train_linear(fathom_train_result *result, const fathom_train_problem *problem);

/* Over all ReLU networks of any width; see train_relu.c. */
fathom_status fathom_train_relu(fathom_train_result *result, const fathom_train_problem *problem);

#endif
