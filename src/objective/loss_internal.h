/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this layer share: rows of losses, and pieces of their formulas. */
#ifndef FATHOM_LOSS_INTERNAL_H
#define FATHOM_LOSS_INTERNAL_H

#include <float.h>
#include <math.h>

#include "objective.h"

extern const fathom_loss_row fathom_loss_squared_row, fathom_loss_logistic_row, fathom_loss_exponential_row,
    fathom_loss_hinge_row, fathom_loss_softmax_row, fathom_loss_huber_row, fathom_loss_absolute_row,
    fathom_loss_quantile_row;

/* ln(1 + e^t) without overflow. */
static inline double fathom_softplus(double t) { return t > 0 ? t + log1p(exp(-t)) : log1p(exp(t)); }

/* The class of a one-hot row: the first of its largest entries. */
int64_t fathom_loss_class(const double *y, int64_t outputs);

/* The logistic loss of a margin: ln l(p), ln |l'(p)|, and the p of a value. */
double fathom_logistic_log(double p);
double fathom_logistic_log_slope(double p);
double fathom_logistic_inverse(double log_value);

/* The hinge of z = 1 - p with the barrier mu, max over 0 < a < 1 of a z + mu (ln a + ln(1 - a)): its maximiser. */
double fathom_hinge_share(double z, double mu);

/* What a bound is made of; see objective_bound.c. */
struct fathom_dual_sums {
    double q;       /* relative rounding of every sum below */
    double reach;   /* sum_i |g_i| |x_i| */
    double shift;   /* distance to the nearby real point, per unit of sample weight */
    double shifted; /* sum_i c_i |x_i|: what a shift costs in |F*(g)_j| */
    double mass;    /* sum_i c_i */
    double largest; /* max_i |g_i| / c_i */
};

/* Bounds of the three forms of a dual, the last with the entropy of one point at s g and its derivative in s. */
typedef double fathom_entropy(double *slope, const fathom_objective *p, const double *g, int64_t i, double s);
double fathom_bound_quadratic(const fathom_objective *p, const double *g, const fathom_dual_sums *sums,
                              double limit);
double fathom_bound_linear(const fathom_objective *p, const double *g, const fathom_dual_sums *sums,
                           double limit);
double fathom_bound_entropy(const fathom_objective *p, const double *g, const fathom_dual_sums *sums,
                            double end, fathom_entropy *entropy);

/* The unit of rounding. */
#define FATHOM_UNIT (DBL_EPSILON / 2)

/* What rounds up sums and products over the outputs, and these with exponentials and logarithms. */
static inline double fathom_few_above(int64_t outputs) { return 1 + (double)(outputs + 8) * FATHOM_UNIT; }
static inline double fathom_functions_above(int64_t outputs)
{
    return 1 + (double)(outputs + 32) * DBL_EPSILON;
}

/* -t ln t, 0 at 0. */
static inline double fathom_plogp(double t) { return t > 0 ? -t * log(t) : 0; }

/* Ways to balance g: the weighted mean of every output taken off; the side of larger mass scaled down. */
void fathom_balance_means(double *g, const fathom_objective *p);
void fathom_balance_sides(double *g, const fathom_objective *p);

/* Sums over the targets of output k. */
typedef struct fathom_target_masses {
    double sum;      /* sum_i c_i y_i */
    double positive; /* sum_i c_i over y_i > 0 */
    double mass;     /* sum_i c_i */
} fathom_target_masses;
fathom_target_masses fathom_targets_weigh(const fathom_objective *p, int64_t k);

/* The share of a class, kept off 0 and 1 so that its logarithm is finite. */
double fathom_targets_share(const fathom_target_masses *masses);

#endif
