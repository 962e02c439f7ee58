/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks on the line: f(x) = c + sum_j w_j relu(u_j x + b_j), u_j = 1 or -1, free biases b_j and constant c.
 *
 * On data x_1 < ... < x_N such an f is a linear spline with kinks at data points [001, Lemma 2.6, Cor. 3.2 with a free
 * constant]. With slopes s_1 .. s_{N-1} and TV = sum_k |s_{k+1} - s_k| the least norm sum_j |w_j| of a spline is
 *
 *     R(s) = max(TV, (TV + |s_1 + s_{N-1}|) / 2),
 *
 * because a kink may open to either side at the same cost, and only what the kinks leave of s_1 + s_{N-1} is paid for by
 * neurons that are active everywhere. Training is  minimise sum_i c_i l(f_i, y_i) + beta R.  Dual point v (one number per
 * data point, 1'v = 0): G_j = sum_i v_i (x_j - x_i)_+ prices the kink at x_j that opens to the right, G_j - G_N the one
 * that opens to the left, and p(v) = max_j max(|G_j|, |G_j - G_N|) is exact.
 *
 * Inside the solver places are t = (x - x_1) scale in [0, 2), slopes those in t, and beta stands for beta scale.
 */
#ifndef FATHOM_SPLINE_H
#define FATHOM_SPLINE_H

#include "objective.h"

/* The data in order; owned. */
typedef struct fathom_spline_points {
    fathom_context *context;
    fathom_loss loss;
    int64_t n;           /* points; one per place for the squared loss, where equal x are merged */
    int64_t count;       /* N: distinct places */
    double *place;       /* count: x of the places, increasing */
    int64_t *first;      /* count + 1: first point of each place; n at the end */
    double *t;           /* n: scaled place of each point */
    double *y, *c;       /* n: targets (squared: less `shift`) and sample weights */
    int64_t *order;      /* n: which row is point i (squared: the first of those merged) */
    double scale;        /* a power of two */
    double shift;        /* squared: about the mean target */
    double rest;         /* squared: loss within places, which no network avoids */
    int64_t conflict[2]; /* squared: two rows of one place with different targets, or -1 */
} fathom_spline_points;

/* From x, y and sample weights (NULL: ones), n each. `exact`: targets stay as they are, for interpolation. */
fathom_status fathom_spline_points_open(fathom_spline_points *points, fathom_context *context,
                                        const double *x, const double *y, const double *weight, int64_t n,
                                        fathom_loss loss, bool exact);
void fathom_spline_points_close(fathom_spline_points *points);

/* The points as the problem that losses and dual bounds take; its x are not to be used. */
fathom_objective fathom_spline_problem(const fathom_spline_points *points, double beta);

/* A spline by its knots. */
typedef struct fathom_spline {
    int64_t count, capacity; /* K knots, 2 at least */
    int64_t *knot;           /* K places, increasing; the first and the last are 0 and N - 1 */
    double *z;               /* K: values at the knots */
    double *s;               /* K - 1: slopes */
    double *jump;            /* K: s_k - s_{k-1} at knots 1 .. K-2; 0 at the ends */
} fathom_spline;

fathom_status fathom_spline_reserve(fathom_spline *spline, fathom_context *context, int64_t count);
void fathom_spline_free(fathom_spline *spline, fathom_context *context);

/* f (n) = the spline at the points. */
void fathom_spline_values(double *f, const fathom_spline *spline, const fathom_spline_points *points);

/* R of the spline; *tv and *ends receive TV and s_1 + s_{N-1}. */
double fathom_spline_norm(double *tv, double *ends, const fathom_spline *spline);

/* A dual point that is balanced exactly (spline_dual.c). */
typedef struct fathom_spline_dual {
    int64_t *q; /* n: whole multiples of `unit`, a power of two, adding to 0 */
    double unit;
    double *v;    /* n: unit q_i, exactly */
    double *g;    /* count: G_j - G_N / 2 in units of x, rounded */
    double half;  /* |G_N| / 2, rounded: the price of place j is |g_j| + half */
    double price; /* at least p(v) in units of x, rounding included */
} fathom_spline_dual;

fathom_status fathom_spline_dual_open(fathom_spline_dual *dual, const fathom_spline_points *points);
void fathom_spline_dual_close(fathom_spline_dual *dual, fathom_context *context);

/* Balances dual->v, which is in the domain of the conjugates, exactly, and prices it. */
void fathom_spline_dual_price(fathom_spline_dual *dual, const fathom_spline_points *points);

/* A network on the line (spline_network.c): c + sum_j w_j relu(u_j (x - t_j)), by increasing t_j. */
typedef struct fathom_spline_net {
    int64_t count;
    double *t, *u, *w; /* u_j = 1 opens to the right, -1 to the left */
    double constant;
} fathom_spline_net;

/* The network of least norm with the values of a spline at the points; kinks that are 0 are left out. */
fathom_status fathom_spline_net_open(fathom_spline_net *net, const fathom_spline *spline,
                                     const fathom_spline_points *points);
void fathom_spline_net_close(fathom_spline_net *net, fathom_context *context);

/* Upper bounds of loss and norm of the network, rounding included, where outputs may be off by another `slack` times the
 * norm; `f` (n) is room. */
void fathom_spline_net_measure(double *loss, double *norm, double *f, const fathom_spline_net *net,
                               const fathom_spline_points *points, double slack);

#endif
