/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The group-sparse convex program on gates, its losses and its dual bound.
 *
 *     minimise  P(W, c) = sum_i l_i(f_i) + beta sum_j |w_j|,   f = F(W) + c 1',   F(W)_ki = sum_j D_ij <x_i, w_jk>
 *
 * over W (m gates x o outputs x d; |w_j| is the norm of the o x d block) and, where asked for, an unpenalised
 * constant c (o). Vectors over the data are o x n, output by output. See objective_loss.c, objective_bound.c.
 */
#ifndef FATHOM_OBJECTIVE_H
#define FATHOM_OBJECTIVE_H

#include "fathom/gates.h"
#include "fathom/net.h"
#include "gate_kernels.h"
#include "gate_sparse.h"
#include "loss_row.h"

/* Everything is borrowed. */
struct fathom_objective {
    fathom_context *context;
    int64_t n, d, m, outputs;
    const double *x;                    /* n x d, leading dimension d; NULL where the points are sparse */
    const fathom_sparse_points *sparse; /* the points of a program on gates, or NULL */
    const double *reach;                /* n, |x_i| rounded up */
    int64_t words;                      /* per pattern */
    const uint64_t *bits;               /* m x words */
    const fathom_gates_view *tree;      /* the gates where they form a tree, else NULL */
    fathom_loss loss;                   /* one with a dual, see loss_row.h */
    fathom_loss_box box;                /* of a boxed loss, which takes one output */
    const double *y;                    /* outputs x n: numbers; -1, +1; or one-hot */
    const double *weight;               /* n sample weights > 0, or NULL: all 1 */
    double beta;                        /* > 0, for the sum of losses */
    bool constant;                      /* c is free; otherwise c = 0 */
    bool equality;                      /* f = y in place of a loss; bounds over all networks alone use it */
    double divisor; /* of the values in reports: n where losses are averaged; 0 stands for 1 */
};

/* l_i(f_i) without its weight. */
double fathom_objective_point_loss(const fathom_objective *problem, const double *f, int64_t i,
                                   double smoothing);

/* sum_i c_i l_i(f_i); `smoothing` > 0 replaces kinked losses by their barrier form, see objective_loss.c. */
double fathom_objective_loss(const fathom_objective *problem, const double *f, double smoothing);

/* g (outputs x n) = -l'(f), the natural dual point. */
void fathom_objective_residual(double *g, const fathom_objective *problem, const double *f, double smoothing);

/* Curvature l'' = R R' point by point, in the form that the two products below take: root is n numbers r_i, or
 * outputs x n probabilities for softmax. */
void fathom_objective_curvature(double *root, const fathom_objective *problem, const double *f,
                                double smoothing);

/* t = R t and t = R' t in place, t outputs x n. */
void fathom_objective_root(double *t, const fathom_objective *problem, const double *root);
void fathom_objective_root_transposed(double *t, const fathom_objective *problem, const double *root);

/* The same for the points first .. end alone. */
void fathom_objective_root_range(double *t, const fathom_objective *problem, const double *root,
                                 bool transposed, int64_t first, int64_t end);

/* Whether R is one number per point. */
static inline bool fathom_objective_scalar_root(const fathom_objective *problem)
{
    return !fathom_loss_row_of(problem->loss)->simplex;
}

static inline double fathom_objective_weight(const fathom_objective *problem, int64_t i)
{
    return problem->weight ? problem->weight[i] : 1;
}

/* sum_i c_i. */
double fathom_objective_mass(const fathom_objective *problem);

/* The problem of one direction w (n) of the outputs alone: any dual point, a price of 1; no distributions: w is not theirs. */
fathom_objective fathom_objective_one_output(const fathom_objective *problem, const double *w);

/* With a free constant, moves g to a nearby point with sum_i g_ki = 0 (to rounding) that stays in the domain of the
 * conjugates; otherwise leaves it. Call before the adjoint that fathom_objective_bound is given. */
void fathom_objective_balance(double *g, const fathom_objective *problem);

/* A lower bound on P over all W and c, from g in the domain of the conjugates (balanced) and `norm`, the largest
 * computed |F*(g)_j| over ALL gates. Rounding is accounted for; -inf where nothing can be said. */
double fathom_objective_bound(const fathom_objective *problem, const double *g, double norm);

/* The same over all networks whose neurons have a price of at most `price` at g, rounding of the price included; g is
 * exactly balanced where the constant is free. x and reach of the problem are not used. */
double fathom_objective_bound_priced(const fathom_objective *problem, const double *g, double price);

/* The largest s that keeps s g, g in the domain of the conjugates, in their box even where every g_i is moved by
 * shift c_i; infinite where the loss has no box of its own. */
double fathom_objective_box_limit(const fathom_objective *problem, const double *g, double shift);

/* g moved into the box, where the loss has one of its own. */
void fathom_objective_enter_box(double *g, const fathom_objective *problem);

/* Where g = 0, as of a network that meets its targets or whose balance left nothing: the dual point of no network at all
 * (one output; other losses keep g). */
void fathom_objective_wake_dual(double *g, const fathom_objective *problem);

/* g = the dual point at the outputs f of fathom_objective_start: where f sits on kinks, a slope that balances. */
void fathom_objective_first_dual(double *g, const fathom_objective *problem, const double *f);

/* Output k of the best constant for W = 0. */
double fathom_objective_constant(const fathom_objective *problem, int64_t k);

/* Smoothing to start from, `share` of the loss of one point without neurons; 0 where none is needed. */
double fathom_objective_smoothing(const fathom_objective *problem, double share);

/* c (outputs) = the best constant for W = 0 (zero where the problem has none), f = c 1'. */
void fathom_objective_start(double *f, double *c, const fathom_objective *problem);

#endif
