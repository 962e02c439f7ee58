/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cone-constrained program on given gates: ReLU networks whose neurons open as the gates say.
 *
 *     minimise  P = sum_i c_i l(f_i, y_i) + beta sum_j (|u_j| + |u'_j|),   f_i = sum_j D_ij <x_i, u_j - u'_j>
 *     over u_j, u'_j in K_j = {u : <x_i, u> >= 0 where D_ij = 1, <= 0 where D_ij = 0}
 *
 * On K_j D_ij <x_i, u> = relu(<x_i, u>), so that (u_j, +1), (u'_j, -1) are neurons of a network. With several outputs every
 * neuron feeds one of them: u_jk, u'_jk in K_j for each output k, penalised one by one [001, A.7.3]. A "side" is a gate with an
 * output and a sign, numbered 2 (j outputs + k) for + and one more for -. See train_cones.c for the method.
 */
#ifndef FATHOM_RELU_CONES_H
#define FATHOM_RELU_CONES_H

#include "gate_cone.h"
#include "gate_tree.h"
#include "objective.h"

/* Directions in cones with weights: f = sum_k a_k z_k. */
typedef struct fathom_cone_atoms {
    int64_t count, capacity;
    int64_t *side; /* capacity */
    int64_t *idle; /* capacity: rounds since the weight was positive */
    double *a;     /* capacity: weights >= 0 */
    double *u;     /* capacity x d: unit vectors */
    double *z;     /* capacity x outputs x n: sign relu(<x_i, u>) for the side's output, 0 for others */
} fathom_cone_atoms;

typedef struct fathom_ranked_side {
    double norm;
    int64_t side;
} fathom_ranked_side;

typedef struct fathom_relu_cones {
    const fathom_objective *problem; /* borrowed; no constant */
    int64_t sides;                   /* 2 m outputs */
    int threads;
    fathom_gate_cone *cone; /* threads */
    double *workspace;      /* of the masked kernels */
    fathom_gate_tree *tree; /* of the gates where they form one and there is one output, else NULL */
    double *f, *g, *best;   /* outputs x n: outputs, -l'(f), and the one whose bound was best */
    double *adjoint;        /* m x outputs x d: F*(g) */
    double *price;     /* sides: |projection of +-F*(g)_jk on K_j|; 0 where |F*(g)_jk| <= beta rules it out */
    double *upper;     /* sides: at least that */
    double *direction; /* sides x d: the projections, where price > 0 */
    int32_t *tight;    /* sides x d: tight rows of the last projection, */
    int32_t *tight_count;      /* sides: how many */
    fathom_ranked_side *order; /* sides: workspace */
    int64_t projections;       /* so far, for the log */
    fathom_cone_atoms atoms;
    double smoothing; /* of the hinge; 0 for smooth losses */
} fathom_relu_cones;

/* The pattern and the output of a side. */
static inline const uint64_t *fathom_side_open(const fathom_relu_cones *run, int64_t side)
{
    return run->problem->bits + side / 2 / run->problem->outputs * run->problem->words;
}

static inline int64_t fathom_side_output(const fathom_relu_cones *run, int64_t side)
{
    return side / 2 % run->problem->outputs;
}

fathom_status fathom_relu_cones_open(fathom_relu_cones *run, const fathom_objective *problem);
void fathom_relu_cones_close(fathom_relu_cones *run);

/* Bytes that a run on this problem needs. */
double fathom_relu_cones_bytes(const fathom_objective *problem);

/* g from f, and prices by falling |F*(g)_j|: of the sides in use and those with |F*(g)_j| > screen, until `enough` prices
 * above it were found and no larger one can follow. Returns the largest; *upper is a number that no side's exceeds. */
double fathom_relu_cones_price(fathom_relu_cones *run, double screen, int64_t enough, double *upper);

/* The sides with prices above beta, at most `limit`: the first entries of run->order by falling price; how many. */
int64_t fathom_relu_cones_violators(fathom_relu_cones *run, int64_t limit);

/* Adds the direction u (need not be a unit vector; 0 is ignored) of a side. */
fathom_status fathom_cone_atoms_add(fathom_relu_cones *run, int64_t side, const double *u, double weight);

/* z of atom k from its side and u. */
void fathom_cone_atoms_outputs(fathom_relu_cones *run, int64_t k);

/* The best weights for the atoms at hand; f follows. */
fathom_status fathom_cone_atoms_solve(fathom_relu_cones *run);

/* One atom per side in use: the sum of a cone's vectors is in the cone and no longer than they are together. Atoms
 * that have been idle for a while leave. */
fathom_status fathom_cone_atoms_merge(fathom_relu_cones *run);

/* Adds, for every side in use, the direction of Newton's step on the face of its cone that the pricing found. Nothing
 * is added where the system would be too large. */
fathom_status fathom_cone_atoms_newton(fathom_relu_cones *run);

/* Room for `count` atoms. */
fathom_status fathom_cone_atoms_reserve(fathom_relu_cones *run, int64_t count);

/* States in files (relu_cones_state.c): the atoms, the starts of the projections, and the caller's numbers. ERROR_INPUT where
 * the file belongs to another problem; f follows. */
enum { FATHOM_CONES_NUMBERS = 5 };
fathom_status fathom_relu_cones_write(const fathom_relu_cones *run, const double number[FATHOM_CONES_NUMBERS],
                                      const char *path);
fathom_status fathom_relu_cones_read(fathom_relu_cones *run, double number[FATHOM_CONES_NUMBERS],
                                     const char *path);

/* f from the atoms, and the objective: loss + beta sum a_k. */
double fathom_cone_atoms_objective(fathom_relu_cones *run, double *loss, double *norm);

#endif
