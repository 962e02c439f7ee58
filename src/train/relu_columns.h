/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The upper side of global training: what column generation works on, and its rounds. See train_columns.c.
 */
#ifndef FATHOM_RELU_COLUMNS_H
#define FATHOM_RELU_COLUMNS_H

#include "global_bound.h"
#include "relu_faces.h"
#include "relu_network.h"
#include "relu_pricing.h"

typedef struct fathom_columns {
    const fathom_train_problem *problem;
    /* the problem that networks are trained on: itself, or one of those for --loss equality */
    fathom_train_problem inner;
    double *multiplier; /* --loss equality: v (outputs x n) */
    double *shifted,
        *weight; /* --loss equality: y + v / k (outputs x n) and k (n), see fathom_columns_interpolate */
    fathom_relu_network net, trial;
    fathom_relu_network kept; /* --loss equality: the best network that interpolates */
    bool interpolates;        /* and whether `net` is one, of norm `value` */
    fathom_pricing pricing;
    fathom_faces faces;
    fathom_global_bound below;
    fathom_objective loss; /* of the inner problem, with beta */
    fathom_objective goal; /* what is bounded: the same, or interpolation */
    double *v;             /* outputs x n: the dual point that pricing and bound start from */
    double *best_v;        /* outputs x n: the one whose bound by the prices found was best, */
    double likely;         /* and that bound, which proves nothing */
    double *early;         /* outputs x n: the dual point at the start while a first bound waits, else NULL */
    double *neuron;        /* d + 1, then room for the weights of one (outputs) */
    double value;          /* objective of the network */
    /* from the part of a resumed run that a limit had cut short, proved anew; without search */
    fathom_global_bound floor;
    double penalty;      /* --loss equality: k, */
    double most_penalty; /* and the largest to try */
} fathom_columns;

fathom_status fathom_columns_open(fathom_columns *a, const fathom_train_problem *problem);
void fathom_columns_close(fathom_columns *a);

/* Outputs of a problem that relu_start.c takes. */
enum { FATHOM_START_OUTPUTS = 64 };

/* Starts from the network of a neighbouring problem where cones are few (relu_start.c). */
fathom_status fathom_columns_start(fathom_columns *a);

/* v = the residual of the network, balanced. */
void fathom_columns_residual(fathom_columns *a);

/* Prices at the network's own residual from `starts` drawn starts; what is found stays in a->pricing. */
fathom_status fathom_columns_price(fathom_columns *a, int64_t starts);

/* Reports where the run stands; whether the context asks to stop. */
bool fathom_columns_stopped(const fathom_columns *a, const char *stage, int64_t iteration);

/* Rounds of growth, at most `most`, until `idlest` in a row gain too little (`least`, relative);
 * *rounds and *idle count on. */
fathom_status fathom_columns_grow(fathom_columns *a, int64_t *rounds, int64_t *idle, int64_t most,
                                  int64_t idlest, double least);

/* Rounds over faces until the value is within `gap` (relative) of what the prices found allow, or nothing
 * moves. */
fathom_status fathom_columns_polish(fathom_columns *a, int64_t *rounds, double gap);

/* --loss equality: both, for a sequence of penalised problems, until the network interpolates.
 * ERROR_RUNTIME where none was found. `again`: what this has found before left a gap; with several outputs
 * cutting planes come first then. */
fathom_status fathom_columns_interpolate(fathom_columns *a, int64_t *rounds, double gap, bool again);

/* Interpolation or the hinge, few numbers in Y: by cutting planes in the dual (relu_cuts.c). *optimal:
 * whether `net` is optimal to `gap` as far as the prices found tell, and a->multiplier (the hinge: a->v)
 * its dual point. */
bool fathom_columns_may_cut(const fathom_columns *a);
fathom_status fathom_columns_cut(bool *optimal, fathom_columns *a, int64_t *rounds, double gap);

/* --loss equality: the largest |f_i - y_i| relative to the largest |y_i|. */
double fathom_columns_misfit(const fathom_columns *a);

/* --loss equality: the network, and that of the faces, are made to interpolate; the better becomes the
 * network where its norm is below `before`. a->value is infinite where none does. */
fathom_status fathom_columns_fit(fathom_columns *a, double before);

/* The network among those of the same objective that --select asks for; at most n + 1 neurons in any case. */
fathom_status fathom_columns_select(fathom_columns *a);

/* a->value from the network; one that has to interpolate and does not is worth nothing. */
void fathom_columns_measure(fathom_columns *a);

/* Whether rounds over faces can be afforded, by the number of points; and whether those found turned out
 * too many. */
bool fathom_columns_small(const fathom_columns *a);
bool fathom_columns_too_many_faces(const fathom_columns *a);

#endif
