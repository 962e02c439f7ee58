/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cutting-plane algorithms of 001 on the spike-free restriction; see cutting.c.
 */
#ifndef FATHOM_CUTTING_H
#define FATHOM_CUTTING_H

#include "gate_cone.h"
#include "train_internal.h"

/* How a run ended. */
typedef enum fathom_cutting_end {
    FATHOM_CUTTING_OPTIMAL, /* no neuron violates its constraint: the restriction is solved */
    FATHOM_CUTTING_STALLED, /* neurons still violate, but the value no longer moves, or the rounds are over */
    FATHOM_CUTTING_FULL,    /* there are as many neurons as --neurons allows */
    FATHOM_CUTTING_INFEASIBLE, /* equality: no network of the restriction interpolates */
    FATHOM_CUTTING_STOPPED     /* a limit */
} fathom_cutting_end;

/* The neurons found so far and the best network on them. */
typedef struct fathom_cutting {
    const fathom_train_problem *problem; /* borrowed */
    double beta;                         /* 1 for equality */
    fathom_gate_cone cone;               /* {u : Xu >= 0}; unused with free biases */
    uint64_t *all;                       /* the gate that is open on all points */
    int64_t m, capacity;
    double *u;        /* capacity x (d + 1): a unit vector, then the bias */
    double *z;        /* capacity x n: (Xu + b)_+ */
    double *w;        /* m x outputs: weights of the last restricted problem */
    double *constant; /* outputs */
    double *v;        /* outputs x n: its dual point */
    double *work;     /* 3 (d + n) + outputs */
    double value;     /* of the last restricted problem */
    double violation; /* largest price of the last round, relative to beta */
    int64_t rounds;
    fathom_cutting_end end;
} fathom_cutting;

/* Needs beta only where there is a loss; the price at f = 0 (fathom_cutting_price at v) gives beta_max. */
fathom_status fathom_cutting_open(fathom_cutting *cut, const fathom_train_problem *problem);
void fathom_cutting_close(fathom_cutting *cut);

/* Adds a neuron (d + 1) with its activations and no weight. */
fathom_status fathom_cutting_add(fathom_cutting *cut, const double *u);

/* Adds the extreme points of `wanted` rows drawn (cutting_extreme.c); before the run. */
fathom_status fathom_cutting_add_extreme(fathom_cutting *cut, int64_t wanted);

/* The two best neurons (15) at v, or (50) with several outputs: u (2 x (d + 1)), prices (2), 0 where there is none. */
void fathom_cutting_price(double *u, double *price, fathom_cutting *cut);

/* Runs the algorithm on the neurons that are there: w, constant and the neurons are its network where end is not INFEASIBLE. */
fathom_status fathom_cutting_run(fathom_cutting *cut, double gap);

/* P >= max |V'Xu| over Xu >= 0, |u| <= 1 (no free bias), rounding included: after one output it is the price of (15) to
 * rounding, after several the root of the sum of their squares. */
double fathom_cutting_price_above(fathom_cutting *cut);

/* Whether some neuron with a bias of 0 is active on all points without being 0 on all (a linear program in floating
 * point). */
fathom_status fathom_cutting_has_neuron(bool *some, const fathom_cutting *cut);

#endif
