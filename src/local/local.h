/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local descent in single precision: small networks and linear functions, for choosing penalties.
 *
 *     network  minimise  sum_i w_i l(f(x_i), y_i) + beta/2 sum_j (|u_j|^2 + |w_j|^2),   f(x) = c + sum_j w_j relu(<u_j, x>)
 *     linear   minimise  sum_i w_i l(f(x_i), y_i) + beta/2 |V|^2,                       f(x) = c + V x
 *
 * A neuron (t u, w/t), t > 0, is the same function for every t; the least of (|u|^2 + |w|^2)/2 over t is
 * |u||w|, so both forms of the network problem have the same minima: weight decay is the path norm
 * (docs/howto/fit.md). Nothing here is proved.
 */
#ifndef FATHOM_LOCAL_H
#define FATHOM_LOCAL_H

#include "fathom/context.h"
#include "fathom/loss.h"

/* Told after steps of a descent, on the thread that makes them. */
typedef struct fathom_local_listener {
    void (*heard)(void *user, int64_t steps);
    void *user;
} fathom_local_listener;

/* Borrows everything. Rows have FATHOM_FLOAT_ROOM numbers behind them. */
typedef struct fathom_local_problem {
    int64_t n, d, outputs;
    const float *x;      /* n x d */
    const float *y;      /* n x outputs: -1 and +1 (logistic), one-hot (softmax), numbers (squared) */
    const float *weight; /* n, or NULL */
    fathom_loss loss;    /* logistic, softmax or squared */
    int64_t width;       /* neurons, a multiple of 8; 0: linear */
    bool free_last;      /* the last column is not penalised: hidden biases */
    bool constant;       /* c is there */
    double beta;
    const fathom_local_listener *listener; /* or NULL */
} fathom_local_problem;

/* Parameters: U' (d x width) or V' (d x outputs rounded up to lanes), W (outputs x width; networks only),
 * c (outputs). */
int64_t fathom_local_size(const fathom_local_problem *problem);
const float *fathom_local_outer(const fathom_local_problem *problem, const float *theta);    /* W */
const float *fathom_local_constant(const fathom_local_problem *problem, const float *theta); /* c */

/* Floats of workspace for the functions below. */
int64_t fathom_local_room(const fathom_local_problem *problem);

/* The objective; gradient receives its derivatives where it is not NULL. */
double fathom_local_value(float *gradient, const fathom_local_problem *problem, const float *theta,
                          float *work);

/* f (rows x outputs) = outputs at other rows x (rows x d). */
void fathom_local_outputs(float *f, const fathom_local_problem *problem, const float *theta, const float *x,
                          int64_t rows, float *work);

/* A start: directions by (seed, `draw`), small weights; linear: 0. c: the best constant of the losses. */
void fathom_local_start(float *theta, const fathom_local_problem *problem, uint64_t seed, uint32_t draw);

/* At most `steps` steps of L-BFGS (two-loop recursion, weak Wolfe search [Lewis, Overton 2013]); theta is
 * improved in place. Ends early where the context, read from any thread, is to stop. Returns the value. */
double fathom_local_descend(float *theta, const fathom_local_problem *problem, const fathom_context *context,
                            int64_t steps, float *work);

/* Small to large penalties: theta[k] (size each, `stride` apart) are the parameters at beta[k], ascending,
 * each started from the one before; points without `keep` are passed over (NULL: all are kept). The first
 * point takes `first` steps, each other `next`. Returns the number of points reached before the context
 * stopped it; the last of those may be unfinished. */
int64_t fathom_local_path(float *theta, const fathom_local_problem *problem, const fathom_context *context,
                          const double *beta, const bool *keep, int64_t points, int64_t first, int64_t next,
                          uint64_t seed, uint32_t draw, float *work);

#endif
