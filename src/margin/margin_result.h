/* SPDX-License-Identifier: Apache-2.0 */
/* A margin in the making: the points, what is known so far, and the stages that improve it. */
#ifndef FATHOM_MARGIN_RESULT_H
#define FATHOM_MARGIN_RESULT_H

#include "fathom/margin.h"
#include "margin_full.h"
#include "margin_internal.h"
#include "margin_points.h"

struct fathom_margin_result {
    fathom_context *context; /* borrowed */
    fathom_margin_view view;
    double *q, *margin; /* n, behind the view */
    char **q_exact;     /* n texts or NULL, behind the view */
    fathom_net *net;    /* the separator, or NULL */
    /* For proofs of finite programs; NULL elsewhere. */
    fathom_margin_gates gates; /* a copy, without parents */
    double *w;                 /* gates.m x d, with gain gates.m x (d + 1): |w_j| <= 1 */
    bool weighted;             /* weights rho were given: they need not be multiples of 1 / width */
    double *gain;              /* gates.m: a_j where both layers are trained, else NULL */
    fathom_proof *proof;       /* of the upper end of a global margin; NULL before it is sought */
    int64_t pairs;             /* what makes the margin 0, as in fathom_margin_evidence */
    int64_t *pair;
    char **weight;
    int point;  /* it was found for X 2^-point */
    bool drawn; /* of a look: q_drawn (n) and mu, on X 2^-point; gap and seed of the run */
    double *q_drawn, mu, gap;
    uint64_t seed;
    double solved_lower, solved_upper; /* the interval that q and w give by themselves */
};

/* One run: borrowed inputs and the result they fill. */
typedef struct fathom_margin_run {
    fathom_context *context;
    fathom_data *data;
    fathom_data *inner; /* the points as data: `data`, or their coordinates in the row space */
    const fathom_margin_points *points;
    const fathom_margin_options *options;
    fathom_margin_result *result;
    fathom_margin_kernel kernel; /* once the kernel bounds have been made; owned */
    fathom_full_table table;     /* both layers at infinite width; owned */
    int64_t lines;               /* distinct lines through the points */
} fathom_margin_run;

/* The gap asked for, or a default. */
double fathom_margin_gap(const fathom_margin_options *options, double preset);

/* Improves the result's interval by [lower, upper]; true where it now is as narrow as `gap`. */
bool fathom_margin_narrow(fathom_margin_result *result, double lower, double upper, double gap);

/* Keeps the separator w (m x D) of gates with orientations as a gated network; with `gain` (D = d + 1)
 * both layers are trained and the orientations are the v_j: theta_0 relu(<v_j, x>) + a_j 1[..] <theta_1,
 * x> = 1[..] <theta_0 v_j + a_j theta_1, x>. */
fathom_status fathom_margin_keep_gated(fathom_margin_run *run, const fathom_margin_gates *gates,
                                       const double *gain, const double *w);

/* Finite programs: all arcs of the plane; all cones with their measures; gates drawn or read as the
 * options say. */
fathom_status fathom_margin_by_arcs(fathom_margin_run *run);
fathom_status fathom_margin_by_cones(fathom_margin_run *run);
fathom_status fathom_margin_by_gates(fathom_margin_run *run);
fathom_status fathom_margin_linear(fathom_margin_run *run);

/* The best margin over the directions of a file. */
fathom_status fathom_margin_by_directions(fathom_margin_run *run);

/* The margin of both layers of points in the plane, arc by arc. */
fathom_status fathom_margin_full_plane(fathom_margin_run *run, double gap);

/* The same in R^3, cell by cell. */
fathom_status fathom_margin_full_space(fathom_margin_run *run, double gap);

/* The margin of the map theta that the options name. */
fathom_status fathom_margin_of_theta(fathom_margin_run *run);

/* The infinite-width margin of the first layer or of both by sampling great circles, to a relative width
 * of `gap`. */
fathom_status fathom_margin_sample(fathom_margin_run *run, double gap);

#endif
