/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local descent in single precision: small networks and linear functions, for choosing penalties.
 *
 *     network  minimise  sum_i w_i l(f(x_i), y_i) + beta/2 sum_j (|u_j|^2 + |w_j|^2),   f(x) = c + sum_j w_j relu(<u_j, x>)
 *     gated    minimise  sum_i w_i l(f(x_i), y_i) + beta/2 sum_j (|V_j|^2 + a_j^2),     f(x) = c + sum_j a_j 1[gate j open at x] V_j x
 *     linear   minimise  sum_i w_i l(f(x_i), y_i) + beta/2 |V|^2,                       f(x) = c + V x
 *
 * A neuron (t u, w/t), t > 0, is the same function for every t; the least of (|u|^2 + |w|^2)/2 over t is
 * |u||w|, so both forms of the network problem have the same minima: weight decay is the path norm
 * (docs/howto/fit.md). In the same way (t V_j, a_j/t) makes beta sum_j |a_j V_j| of the gated problem, the penalty of
 * training on gates. Nothing here is proved.
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

/* Compressed rows, borrowed: row i of a problem is row[i], entries row_start[r] .. row_start[r+1] - 1 - trim. */
typedef struct fathom_local_sparse {
    const int64_t *row_start, *row;
    const int32_t *column;
    const float *value;
    int64_t trim; /* entries at the end of every row that are passed over */
} fathom_local_sparse;

/* Borrows everything. Rows have FATHOM_FLOAT_ROOM numbers behind them. */
typedef struct fathom_local_problem {
    int64_t n, d, outputs;
    const float *x;                    /* n x d; not read where the rows are sparse */
    const fathom_local_sparse *sparse; /* or NULL */
    const float *y;      /* n x outputs: -1 and +1 (logistic), one-hot (softmax), numbers (squared) */
    const float *weight; /* n, or NULL */
    fathom_loss loss;    /* logistic, softmax or squared */
    int64_t width;       /* neurons or gates, a multiple of 8; 0: linear */
    bool gated;          /* on gates: `open` (n x width) says which are, by 0 and 1 */
    const unsigned char *open;
    bool free_last; /* the last column is not penalised: hidden biases */
    bool constant;  /* c is there */
    double beta;
    const fathom_local_listener *listener; /* or NULL */
    const fathom_context *context;         /* asked between chunks of rows whether to stop; NULL: nobody is */
} fathom_local_problem;

/* Parameters: U' (d x width) or V' (d x outputs rounded up to lanes; gated: d x outputs width, output by output),
 * W (outputs x width; gated: a, width; linear: none), c (outputs). */
int64_t fathom_local_size(const fathom_local_problem *problem);
const float *fathom_local_outer(const fathom_local_problem *problem, const float *theta);    /* W */
const float *fathom_local_constant(const fathom_local_problem *problem, const float *theta); /* c */

/* Floats of workspace for the functions below. */
int64_t fathom_local_room(const fathom_local_problem *problem);

/* The objective; gradient receives its derivatives where it is not NULL. Infinite, the gradient not whole, where the
 * context said to stop before all rows were seen. */
double fathom_local_value(float *gradient, const fathom_local_problem *problem, const float *theta,
                          float *work);

/* f (rows x outputs) = outputs at other rows x (rows x d); NULL: at the first rows of the problem itself, sparse ones
 * and those of gates among them. */
void fathom_local_outputs(float *f, const fathom_local_problem *problem, const float *theta, const float *x,
                          int64_t rows, float *work);

/* A start: directions by (seed, `draw`), small weights; linear: 0. c: the best constant of the losses. */
void fathom_local_start(float *theta, const fathom_local_problem *problem, uint64_t seed, uint32_t draw);

/* At most `steps` steps of L-BFGS (two-loop recursion, weak Wolfe search [Lewis, Overton 2013]); theta is
 * improved in place. Ends early where the context, read from any thread, is to stop. Returns the value; infinite:
 * stopped before one was known, and theta is as it was. */
double fathom_local_descend(float *theta, const fathom_local_problem *problem, const fathom_context *context,
                            int64_t steps, float *work);

/* Small to large penalties: theta[k] (size each, `stride` apart) are the parameters at beta[k], ascending,
 * each started from the one before; points without `keep` are passed over (NULL: all are kept). The first
 * point takes `first` steps, each other `next`. Returns the number of points reached before the context
 * stopped it; the last of those may be unfinished. A first point of which no value was known is the best constant. */
int64_t fathom_local_path(float *theta, const fathom_local_problem *problem, const fathom_context *context,
                          const double *beta, const bool *keep, int64_t points, int64_t first, int64_t next,
                          uint64_t seed, uint32_t draw, float *work);

#endif
