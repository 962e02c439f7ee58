/* SPDX-License-Identifier: Apache-2.0 */
/* A margin in the making: the points, what is known so far, and the stages that improve it. */
#ifndef FATHOM_MARGIN_RESULT_H
#define FATHOM_MARGIN_RESULT_H

#include "fathom/margin.h"
#include "margin_internal.h"
#include "margin_points.h"

struct fathom_margin_result {
    fathom_context *context; /* borrowed */
    fathom_margin_view view;
    double *q, *margin;        /* n, behind the view */
    fathom_margin_gates gates; /* of the separator; m = 0 where there is none */
    double *w;                 /* gates.m x D: the separator, |w_j| <= 1 */
    bool lifted;               /* D = d + 1: both layers */
};

/* One run: borrowed inputs and the result they fill. */
typedef struct fathom_margin_run {
    fathom_context *context;
    fathom_data *data;
    const fathom_margin_points *points;
    const fathom_margin_options *options;
    fathom_margin_result *result;
    double *kernel; /* n x n: H o yy', once the kernel bounds have been made; owned */
    int64_t lines;  /* distinct lines through the points */
} fathom_margin_run;

/* The gap asked for, or a default. */
double fathom_margin_gap(const fathom_margin_options *options, double preset);

/* Improves the result's interval by [lower, upper]; true where it now is as narrow as `gap`. */
bool fathom_margin_narrow(fathom_margin_result *result, double lower, double upper, double gap);

/* Finite programs: all arcs of the plane; all cones with their measures; gates drawn or read as the options say. */
fathom_status fathom_margin_by_arcs(fathom_margin_run *run);
fathom_status fathom_margin_by_cones(fathom_margin_run *run);
fathom_status fathom_margin_by_gates(fathom_margin_run *run);

/* The infinite-width margin of the first layer by sampling great circles, to a relative width of `gap`. */
fathom_status fathom_margin_sample(fathom_margin_run *run, double gap);

#endif
