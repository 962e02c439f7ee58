/* SPDX-License-Identifier: Apache-2.0 */
/* The two sides of the joint relaxation; symbols and method in joint.h. */
#ifndef FATHOM_JOINT_INTERNAL_H
#define FATHOM_JOINT_INTERNAL_H

#include "joint.h"

/*
 * With a free bias (problem->constant) the last coordinate of every point is R, the radius of the data about its centre, and the
 * neuron is w = (u, b/R) with |u| <= 1, |b/R| <= 1: a best b lies on a kink, b = -x_k'u. For every 0 < tau < 1 that is inside the
 * ellipsoid tau |u|^2 + (1 - tau) (b/R)^2 <= 1, so S is scaled by D = diag(tau^-1/2, .., (1 - tau)^-1/2) on both sides before its largest
 * eigenvalue is taken; tau = 1/(1 + exp(-t)), and t is one more variable. [bounds.md 6]
 *
 * Side sigma. Theta_ij is kept for the points i with sigma v_i < 0 ("rows"), for their `k` nearest points j of the
 * other sign by |cos(x_i, x_j)|, with the sign of x_i'x_j, and for j = 0 with both signs. The variables of row r are
 * k + 2 numbers >= 0: |Theta| of its neighbours, then the positive and negative part of Theta_i0.
 */
typedef struct fathom_joint_side {
    double sigma;
    int64_t rows, k;
    int64_t *point;  /* rows: the point i of row r */
    int64_t *row_of; /* n: the row of a point, -1 where it has none */
    int32_t *column; /* rows x k: the neighbour j */
    double *sign;    /* rows x k: -1 or +1 */
    double *cosine;  /* rows x k: |cos| */
    int64_t ld;      /* of padded rows, short_rows.h */
    double *padded;  /* n x ld: the points */
    /* variables at work are Theta and unit times log alpha, unit times t: so that both move alike */
    double unit;
    /* The entries of Theta at work, row by row, Theta_i0 included; the others are 0 (fathom_joint_side_pack). */
    int64_t entries;
    int64_t *first;    /* rows + 1: where those of a row begin */
    int32_t *to;       /* entries: row of C, j + 1 or 0 */
    double *turn;      /* entries: sign of Theta */
    int64_t *slot;     /* entries: place among the variables of the side */
    double *psi;       /* n */
    double *psi_slope; /* n: its derivative */
    double *own;       /* n: derivative of log P by psi_i, times that */
    double *alpha;     /* n + 1 */
    double *c;         /* (n + 1) x ld: C_0 in row 0 */
    double *gradient;  /* (n + 1) x ld: of log P by C, also workspace for C_j / sqrt(alpha_j) */
    double *moment;    /* ld x ld: S */
    double *filtered;  /* ld x ld: W */
    double *spare;     /* ld x ld */
    double ball[2];    /* D: of u, of b; 1 without a free bias */
} fathom_joint_side;

/* Smoothing of one phase: order 2^doublings + 1 of the Schatten norm, width of the hyperbola (times mean |v|), sharpness of the
 * maximum over the two sides; and its number of steps. */
typedef struct fathom_joint_phase {
    int doublings;
    double bend, sharpness;
    int64_t steps;
} fathom_joint_phase;

struct fathom_joint {
    const fathom_objective *p; /* borrowed */
    fathom_joint_side side[2];
    int64_t offset[2]; /* of each side's variables; those of v come first */
    int64_t size;      /* of all variables */
    double scale;      /* mean |v| at the start */
    fathom_joint_phase now;
    double *orient;    /* n: v_i = orient_i times its variable, +-1 */
    double *v, *slope; /* n: the dual point and derivatives by it */
    double *x;         /* size: variables */
    double *lower;     /* size: their bounds */
    double *upper;     /* size */
    double *best;      /* size: those of the best bound */
    int64_t at[2];     /* of each side's variables at work; those of v come first */
    double *side_v;    /* 2 n: derivatives by v, side by side */
    int64_t stage;     /* of joint_swift.c that comes next */
    double limit;      /* what no bound with these lists passes (joint_limit.c); 0: not known */
};

/* The numbers whose signs decide which side a point is on: the labels of a classification, else v. */
const double *fathom_joint_signs(const fathom_objective *problem, const double *v);

/* Variables and bounds of v at the start: the labels' signs for a classification, 0 <= y v <= c for the hinge. */
void fathom_joint_orient(fathom_joint *joint, const double *v);

/* a->v from the variables x, balanced where the bias is free; and derivatives by v turned into those by x, in place. */
void fathom_joint_place(fathom_joint *joint, const double *x);
void fathom_joint_pull_back(double *gradient, const fathom_joint *joint, const double *x);

/* Logistic: no y v / c above `limit` (a little less); whether that changed v. Sums that must vanish still do. */
bool fathom_joint_cut_off(fathom_joint *joint, double limit);

/* D(s v) with the best s <= beta / P, smoothed for the hinge; slope = derivatives by v for fixed P, *by_log_price by log P. */
double fathom_joint_dual(fathom_joint *joint, double log_price, double *by_log_price);

/* The bound of a->v with the multipliers of a->x, with rounding; kept where it is the best (best_v: n, its
 * dual point), with its evidence in
 * `proof` unless that is NULL. *price: of a->v. */
fathom_status fathom_joint_consider(double *price, fathom_joint_result *result, double *best_v,
                                    fathom_joint *joint, fathom_proof *proof);

/* The search in single precision with alpha eliminated (joint_swift.c); *ended: the bound is good enough, or
 * the context asks to stop. */
fathom_status fathom_joint_swift(bool *ended, fathom_joint_result *result, double *v, fathom_joint *joint,
                                 const fathom_joint_options *options);

/* Finds rows and neighbours for the signs of v. Fails where there is no memory; close it in any case. */
fathom_status fathom_joint_side_open(fathom_joint_side *side, const fathom_objective *problem, double sigma,
                                     const double *v, int64_t neighbours);
void fathom_joint_side_close(fathom_joint_side *side, fathom_context *context);

/* Offers a point to the list of row r, which keeps the k largest |cos| in a min-heap over (cosine, column);
 * *count: points in it. */
void fathom_joint_side_offer(fathom_joint_side *side, int64_t r, int64_t *count, double cosine,
                             int32_t column);
/* The lists of all rows where points are many (joint_near.c). */
fathom_status fathom_joint_side_near(fathom_joint_side *side, const fathom_objective *problem,
                                     const double *v);

/* Number of variables: rows (k + 2), then n + 1 logarithms of alpha, then t where the bias is free. */
int64_t fathom_joint_side_size(const fathom_joint_side *side, const fathom_objective *problem);

/* Starting values of the variables x of this side at v. */
void fathom_joint_side_start(double *x, fathom_joint_side *side, const fathom_objective *problem,
                             const double *v);

/* Takes entries of Theta to work: all, those above 0, or also a few in each row that would grow most at the point of the last
 * slope. Theta_i0 always. */
typedef enum fathom_joint_choice {
    FATHOM_JOINT_ALL,
    FATHOM_JOINT_POSITIVE,
    FATHOM_JOINT_USEFUL
} fathom_joint_choice;
void fathom_joint_side_pack(fathom_joint_side *side, const double *x, fathom_joint_choice choice);

/* psi and C at z, the variables at work: `entries` of Theta, then log alpha (n + 1), then t. psi by a hyperbola of width `bend`. */
void fathom_joint_side_columns(fathom_joint_side *side, const fathom_objective *problem, const double *v,
                               const double *z, double bend);

/* Moves log alpha among the variables x of this side towards the best for its C; what there is otherwise stays. `lower` and
 * `upper`: bounds of x. */
fathom_status fathom_joint_side_weigh(double *x, fathom_joint_side *side, const fathom_objective *problem,
                                      const double *v, const double *lower, const double *upper);

/* log P_sigma, smoothed: psi by a hyperbola of width `bend`, lambda_max by the Schatten norm of order 2^doublings + 1. */
double fathom_joint_side_value(fathom_joint_side *side, const fathom_objective *problem, const double *v,
                               const double *z, double bend, int doublings);

/* After that: share times the derivatives by v in gv (n), and by z in gz. */
void fathom_joint_side_slope(double *gv, double *gz, fathom_joint_side *side, const fathom_objective *problem,
                             double share);

/* After that: by how much log P falls with |Theta| of neighbour l of row r. */
double fathom_joint_side_growth(const fathom_joint_side *side, int64_t r, int64_t l);

/* P_sigma itself, rounded up: a number that the exact P_sigma does not exceed. */
fathom_status fathom_joint_side_price(double *price, fathom_joint_side *side, const fathom_objective *problem,
                                      const double *v, const double *x);

/* Adds the side's multipliers to the proof as a leaf of depth 0, and their price. */
fathom_status fathom_joint_prove(fathom_proof *proof, fathom_joint_side *side,
                                 const fathom_objective *problem, const double *v, const double *x);

#endif
