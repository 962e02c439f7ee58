/* SPDX-License-Identifier: Apache-2.0 */
/* Newton's method in the sizes of the groups for the gated program; see gated_newton.c. */
#ifndef FATHOM_GATED_NEWTON_H
#define FATHOM_GATED_NEWTON_H

#include "gate_tree.h"
#include "gated_engine.h"
#include "gated_screen.h"

/* A run: the iterate, the best primal point, the best bound. Owned arrays; freed by
 * fathom_gated_run_clear. */
typedef struct fathom_gated_run {
    const fathom_objective *problem;
    fathom_gated_engine engine;
    fathom_gated_support support; /* iterate: gates with eta > 0 (room for m) */
    double *v, *f, *c;            /* iterate: outputs x n, outputs x n, outputs */
    double *g;                    /* -l'(f), balanced */
    double *w;                    /* weights of the iterate, support.count x outputs x d; dense points */
    double *size;                 /* m: |w_j| of the iterate, support.count of them */
    double *adjoint;              /* m x outputs x d: F*(g) over all gates; sparse points: m of workspace */
    fathom_gate_tree *tree;       /* of all gates where they form one, else NULL */
    double *norm;                 /* m: |F*(g)_j| */
    fathom_gated_screen screen;   /* gates that need no look */
    bool *used;                   /* m: workspace of pricing */
    double start_norm;            /* max_j |F*(g)_j| at the best constant, NAN before it was taken */
    double phi;                   /* value of the reduced objective at eta */
    double smoothing;             /* of the hinge; 0 for smooth losses */
    double damping;               /* of Newton steps; 0 as long as phi follows its quadratic model */
    int64_t iteration;
    int64_t priced;            /* gates looked at, over all steps of this run */
    double objective, bound;   /* best of all iterates */
    double *best_g;            /* the dual point of the best bound that this run has seen, */
    double best_g_bound;       /* and that bound */
    double residual_norm;      /* max_j norm_j */
    fathom_gated_support best; /* of the best objective: gates */
    double *best_w, *best_c;   /* and weights (best.count x outputs x d; dense points), constant */
    double *best_size;         /* m: |w_j|, best.count of them */
    double *best_v;            /* outputs x n: w_j = eta_j / beta A_j' v; sparse points */
    fathom_end end;
    double mark;            /* the gap that has to be halved, */
    int64_t marked;         /* the step in which it was reached, */
    bool stuck;             /* and whether the last step found no decrease */
    const char *checkpoint; /* borrowed: file for states, or NULL */
    double due;             /* the clock before which no other state is written, where it is one of many */
    bool resumed;           /* the iterate comes from such a file */
    int64_t first;          /* step with which this run began */
    bool silent;            /* a subsample: its values are not those of the problem and are not reported */
} fathom_gated_run;

/* Room for the problem's size. */
fathom_status fathom_gated_run_create(fathom_gated_run *run, const fathom_objective *problem);
void fathom_gated_run_clear(fathom_gated_run *run);

/* w (outputs x d) = the weights of gate number j of the best support. */
void fathom_gated_run_weights(double *w, fathom_gated_run *run, int64_t j);

/* f (outputs x p->n) = the outputs of the best network, without its constant, on the rows of `p`, which has
 * the gates and columns of the run's problem; `workspace` as for the products of `p`. */
void fathom_gated_run_outputs(double *f, fathom_gated_run *run, const fathom_objective *p, double *workspace);

/* eta of the iterate from a solution of a similar problem on the same gates, or (NULL) from a subsample. */
fathom_status fathom_gated_run_start(fathom_gated_run *run, const fathom_gated_support *warm);

/* Rows of the subsample that it starts from, where there are many. */
int64_t fathom_gated_coarse_rows(const fathom_objective *problem);

/* Few dense points: bytes of a run with k gates in use, with those of the runs on subsamples that it starts from. */
double fathom_gated_few_bytes(const fathom_objective *problem, double k);

/* And the least that does: without those, where they would take more than the start on all points. */
double fathom_gated_few_least(const fathom_objective *problem);

/* Lowers the bound of a state that was read to what its dual point proves over all gates. */
void fathom_gated_run_prove(fathom_gated_run *run);

/* Iterates until objective - bound <= gap * objective or a limit. Needs a start. */
fathom_status fathom_gated_run_solve(fathom_gated_run *run, double gap);

/* Largest |F*(g)_j| at the best constant predictor: no gate is used where beta is at least that. INFINITY
 * where a limit was overdue. */
double fathom_gated_beta_max(fathom_gated_run *run);

#endif
