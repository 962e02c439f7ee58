/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The joint relaxation: a lower bound on the optimum over ALL two-layer ReLU networks, at every size.
 *
 * The dual of training is max D(v) over p(v) = max_{|u|<=1} |v'(Xu)_+| <= beta, and any P >= p(v) scales v
 * into it. For a side sigma = -1, +1 and ANY numbers Theta_ij (j = 0..n, j != i) and alpha_j > 0,
 *
 *     psi_i = max(0, sigma v_i + sum_j |Theta_ij|),  C_0 = sigma X'v - sum_i Theta_i0 x_i,
 *     C_j = psi_j x_j - sum_i Theta_ij x_i,          P_sigma = 1/2 sqrt(sum_j alpha_j lambda_max(sum_j C_j C_j' / alpha_j))
 *
 * bound sigma v'(Xu)_+ from above: write (t)_+ = (t + |t|)/2 and, with s_j the signs of x_j'u and s_0 = 1,
 * use (psi_i - sigma v_i)|x_i'u| >= sum_j Theta_ij s_j x_i'u; what is left is 1/2 sum_j |C_j'u|, and 2|c|
 * <= a + c^2/a. A point of negative weight cancels against points of positive weight in nearly the same
 * direction.
 *
 * P = max(P_+, P_-) is convex in (v, Theta, alpha) together, so v is improved with the multipliers: L-BFGS
 * on -log D(beta v / P), smoothed less and less. Whatever it returns is valid; only the last evaluation is
 * rounded with care. Cost per step O(n k d + n d^2 + d^3), k neighbours per point, after one neighbour
 * search of O(n^2 d).
 */
#ifndef FATHOM_JOINT_H
#define FATHOM_JOINT_H

#include "objective.h"
#include "proof.h"

typedef struct fathom_joint_result {
    double lower; /* bound on the optimum of the sum problem; -INFINITY where nothing can be said */
    double price; /* P of the best v */
} fathom_joint_result;

typedef struct fathom_joint_options {
    int64_t neighbours;  /* k */
    double enough;       /* end once the bound is at least this */
    double value;        /* best objective known, for progress reports */
    double divisor;      /* of objective and bound in progress reports */
    fathom_proof *proof; /* where evidence for the best bound goes, or NULL */
    bool held;           /* v stays as it is: only its price is improved */
    bool start;          /* nor are multipliers: the price is that of the first ones */
    bool brief;          /* the first phases only: a bound soon, not the best */
} fathom_joint_options;

/* The relaxation at work: neighbours, variables, and those of the best bound so far (joint_internal.h). */
typedef struct fathom_joint fathom_joint;

/* Whether points are so many, columns so few and the loss one of labels that a search in single precision serves
 * (joint_swift.c): few digits of the bound, soon. */
bool fathom_joint_is_large(const fathom_objective *problem);

/* v (n) is a dual point such as the residual of a trained network: its signs decide which pairs may
 * cancel. Of the problem n, d, x, reach, loss (squared, logistic or hinge), y, weight and beta are used. */
fathom_status fathom_joint_create(fathom_joint **joint, const fathom_objective *problem, const double *v,
                                  int64_t neighbours);
void fathom_joint_free(fathom_joint *joint);

/* Improves dual point and multipliers; the result is that of the best, v (n) its dual point. `result` and
 * v are kept where they are better than what is found. */
fathom_status fathom_joint_run(fathom_joint_result *result, double *v, fathom_joint *joint,
                               const fathom_joint_options *options);

/* The price P of v (n) with the multipliers of the best bound, or of a file: *valid is false where these
 * are none. */
fathom_status fathom_joint_price(bool *valid, double *price, fathom_joint *joint, const double *v);

/* All of it at once: on entry v is the start, on exit the best found. */
fathom_status fathom_joint_improve(fathom_joint_result *result, double *v, const fathom_objective *problem,
                                   const fathom_joint_options *options);

/* |t| of the ball of a free bias (joint_internal.h) is at most this: a flatter one gains 1e-7 and
 * magnifies what is rounded. */
#define FATHOM_JOINT_FLATTEST 16.0

/* For proofs: eight times what settling v (count) on a grid of 2^-51 sum |v| (src/certificate/claim.c) may
 * add to a price: sum |dv_i| reach_i with sum |dv_i| at most 2 n units. 0 where no sums must vanish. The
 * ball of t (0: none) magnifies it. */
double fathom_joint_settling(const fathom_objective *problem, const double *v, int64_t count, double t);
/* For proofs with a free bias: the multiplier of b^2 <= R^2 that goes with weights (n + 1, 0: none), price
 * and t of the ball. */
double fathom_joint_lift(const double *weight, const fathom_objective *problem, double price, double t);

#endif
