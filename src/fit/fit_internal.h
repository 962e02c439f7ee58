/* SPDX-License-Identifier: Apache-2.0 */
/* What the stages of a fit share: the problem in single precision, its folds, what was predicted on rows
 * left out. */
#ifndef FATHOM_FIT_INTERNAL_H
#define FATHOM_FIT_INTERNAL_H

#include "fathom/fit.h"
#include "local.h"

/* The recipe (docs/howto/fit.md). */
enum {
    FIT_WIDTH = 32,
    FIT_WIDE = 128,
    FIT_GATES = 64, /* by outputs */
    FIT_KINDS = 3,
    FIT_POINTS = FATHOM_FIT_POINTS,
    FIT_FIRST = 50,
    FIT_NEXT = 15,
    FIT_RACE = 2,
    FIT_LINEAR_POINTS = 8,
    FIT_LARGE = 5000,
    FIT_MANY = 3
};

/* Work of descent, all of it and what is done (fit_progress.c). */
typedef struct fit_progress {
    double work, finished, start, told; /* products, seconds */
    double score;                       /* the least loss that the race saw; NAN before it */
} fit_progress;

/* Data and options as the local descent sees them. Targets that are numbers are y = centre + unit y', so
 * that y' has variance 1; penalties are those of y'. */
typedef struct fit_problem {
    fathom_context *context;
    fathom_data *data;
    const fathom_fit_options *options;
    fathom_fit_task task;
    fathom_loss loss;
    int64_t n, d, columns, outputs,
        classes;                /* d of the data, columns of rows in float: hidden biases are one */
    double *x;                  /* n x d, owned where `owned` */
    const double *rows;         /* x, or the data's own; NULL where the rows are sparse */
    fathom_local_sparse sparse; /* then their entries, that of a free bias at the end of each row */
    float *value;               /* what it borrows, owned */
    int64_t *row_start;
    int32_t *column;
    float *y;             /* n x outputs: y' */
    double *target;       /* n: number as given, or number of the class */
    const double *weight; /* n, or NULL */
    double centre, unit;
    bool free_bias,
        standard;   /* standard: columns are brought to mean 0 and variance 1 on the rows trained on */
    int64_t moving; /* columns that are; those behind it are constant */
    int64_t folds, repeats, parts;
    int32_t *fold; /* repeats x n */
    double *mass;  /* parts: weight of the rows left out */
    double total;  /* weight of all rows */
    /* by how much the chosen candidate's loss is below that of each rival, row by row */
    fathom_fit_estimate lead[FATHOM_FIT_RIVALS];
    fit_progress progress;
    double largest; /* about the largest useful penalty: the scale of the grid */
} fit_problem;

fathom_status fit_problem_open(fit_problem *p, fathom_context *context, fathom_data *data,
                               const fathom_fit_options *options);
void fit_problem_close(fit_problem *p);

/* Whether rows are sparse. */
static inline bool fit_is_sparse(const fit_problem *p) { return !p->rows; }

/* Candidates of one kind on all folds, and on all rows. Parameters are in the coordinates of all rows. */
typedef struct fit_candidates {
    fit_problem *problem;
    int64_t number;              /* of the kind */
    int64_t width, points, size; /* 0: linear */
    bool gated;
    fathom_gates *gates;     /* gated: owned, with */
    unsigned char *open;     /* n x width */
    bool dropped;            /* by the race, all points */
    int64_t chosen;          /* point */
    double beta[FIT_POINTS]; /* of all rows, ascending */
    bool keep[FIT_POINTS];
    int64_t parts;   /* that are done, all points */
    float *network;  /* (1 + parts) x points x size: on all rows, then without each fold */
    float *output;   /* repeats x points x n x outputs: on the row when it was left out, in y' */
    int64_t reached; /* points of the path on all rows */
    /* as network, before it was rewritten for the columns of all rows; NULL without a state */
    float *trained;
    bool *done;   /* 1 + parts: trained to the end, in the state */
    bool *ran;    /* 1 + parts: there */
    double saved; /* when the state was written last */
} fit_candidates;

fathom_status fit_candidates_open(fit_candidates *c, fit_problem *problem, int64_t width, bool gated);
void fit_candidates_close(fit_candidates *c);

/* The kinds that data and options ask for, at most FIT_KINDS, the first one to fall back on. */
fathom_status fit_kinds_open(fit_candidates *kind, int64_t *kinds, fit_problem *problem);
void fit_kinds_close(fit_candidates *kind, int64_t kinds);
/* Draws the gates of a kind on gates, unless they are there; before its parts are run. */
fathom_status fit_open_gates(fit_candidates *c);
/* All of them on all folds, with the race where `race`. *cut: a limit came first. */
fathom_status fit_kinds_validate(fit_candidates *kind, int64_t kinds, bool race, bool *cut);

/* Columns of their rows: the free biases of gates are none. */
static inline int64_t fit_columns(const fit_candidates *c)
{
    return c->gated ? c->problem->d : c->problem->columns;
}

/* The local problem of the candidates, without rows. */
fathom_local_problem fit_local_problem(const fit_candidates *c);

/* Trains parts first .. last-1 that are not there; part -1 is all rows. The same bits for any number of threads. */
fathom_status fit_run_parts(fit_candidates *c, int64_t first, int64_t last, const char *stage);

/* Whether rows are many: smaller penalties, more steps. */
bool fit_is_large(const fit_candidates *c);

/* Reports with the time left (fit_progress.c): begun with all work, told by one thread at a time, corrected after the race. */
void fit_progress_begin(const fit_candidates *kind, int64_t kinds, bool race);
void fit_progress_race(const fit_candidates *kind, int64_t kinds);
void fit_progress_skip(const fit_candidates *c, int64_t rows); /* a path on so many rows is there */
void fit_progress_tell(fit_problem *p, const char *stage, int64_t part);
void fit_progress_last(fit_problem *p); /* the last network begins */
void fit_progress_end(fit_problem *p);
/* Products of one step on so many rows. */
double fit_step_work(const fit_candidates *c, int64_t rows);

/* Outputs of a candidate on rows left out, in repeat r: n x outputs. */
static inline const float *fit_outputs(const fit_candidates *c, int64_t repeat, int64_t point)
{
    const fit_problem *p = c->problem;
    return c->output + (repeat * c->points + point) * p->n * p->outputs;
}

static inline const float *fit_network(const fit_candidates *c, int64_t part, int64_t point)
{
    return c->network + ((part + 1) * c->points + point) * c->size;
}

/* Rows of a part in single precision. x (count x columns) as the network of all rows sees them. */
void fit_rows(float *x, const fit_candidates *c, const int64_t *row, int64_t count);

/* Loss of row i for outputs f: log-loss, or the squared error in the units given. */
double fit_row_loss(const fit_problem *p, const float *f, int64_t i);
/* Probability of class k, or of the second of two. */
double fit_probability(const fit_problem *p, const float *f, int64_t k);
int64_t fit_class(const fit_problem *p, const float *f);

/* Scores of outputs (repeat by repeat, `stride` apart) over the first `folds` folds of each; areas under curves, which are
 * dear, where `areas`. */
fathom_status fit_score(fathom_fit_estimate *score, const fit_problem *p, const float *output, int64_t stride,
                        int64_t folds, int64_t repeats, bool areas);
bool fit_higher_is_better(fathom_fit_score score);

/* Points that are worse than the best of all kinds by more than chance, after the first folds, are dropped. */
fathom_status fit_race(fit_candidates *kind, int64_t kinds);

/* Fills the candidates of the result and chooses among them. */
fathom_status fit_choose(fathom_fit_result *result, fit_candidates *kind, int64_t kinds);
/* The point of a table that --choose names; a larger penalty is one of the same kind. */
int64_t fit_pick(const fathom_fit_candidate *candidate, int64_t count, fathom_fit_score score, int rule);

fathom_status fit_rivals(fathom_fit_result *result, const fit_candidates *c);
fathom_status fit_explain(fathom_fit_result *result, const fit_candidates *c);
/* What columns of sparse rows are worth, of those that could matter most. */
fathom_status fit_weigh_sparse(fathom_fit_result *result, const fit_candidates *c);
/* The curve of the result. */
fathom_status fit_curve(fathom_fit_result *result, const fit_candidates *c);
fathom_status fit_warn_of_data(fathom_fit_result *result, const fit_problem *p);
void fit_warn_of_choice(fathom_fit_result *result, const fit_problem *p);
FATHOM_PRINTF(3, 4)
void fit_warn(fathom_fit_result *result, fathom_context *context, const char *format, ...);

/* Whether there was memory for all warnings. */
fathom_status fit_warned(const fathom_fit_result *result);

/* States (fit_state.c). Where there is one: begun for the candidates, the parts of a resumed run read; a part
 * that was trained to its end is kept, one that is there is taken; written where that is some time ago, or
 * `last`. */
fathom_status fit_state_begin(fit_candidates *kind, int64_t kinds);
void fit_state_keep(fit_candidates *c, int64_t part);
bool fit_state_take(fit_candidates *c, int64_t part);
fathom_status fit_state_write(fit_candidates *c, bool last);
/* The last network's part of the file; the context is in that part until it is set to none. */
fathom_status fit_state_refit(fathom_train_options *train, const fit_problem *p);

/* The network of a candidate in double, in the units given. */
fathom_status fit_make_net(fathom_net **net, const fit_candidates *c, const float *network);
fathom_status fit_refit(fathom_fit_result *result, const fit_candidates *c);

#endif
