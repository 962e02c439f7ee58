/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaussian measures of cones: P(C_j) = P(z in C_j), z ~ N(0, I), for the cones that the patterns of gates name.
 *
 * With r the rank of the points: r = 1, 2 exact arcs; r = 3 spherical polygons; r = 4, 5 sums of simplicial cones, each
 * an orthant probability by Plackett's formula; otherwise, or where that would be too many rays, random great circles
 * with a confidence interval for each cone.
 */
#ifndef FATHOM_MEASURE_H
#define FATHOM_MEASURE_H

#include "fathom/gates.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FATHOM_MEASURE_OPTIONS(X)                                                    \
    X(CHOICE, measure_method, "measure-method", "auto", 0, 0, "auto|exact|sample",   \
      "how cones are measured: exact refuses where it would sample")                 \
    X(INTEGER, samples, "samples", "20000", 1, 4000000, "N", "random great circles") \
    X(REAL, confidence, "confidence", "0.99", 0.5, 0.999999999999, "C",              \
      "of the interval of each cone, two-sided")

FATHOM_OPTIONS_STRUCT(fathom_measure_options, FATHOM_MEASURE_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_measure_option_table;

typedef struct fathom_measure fathom_measure;

/* Borrowed; valid until the measures are freed. */
typedef struct fathom_measure_view {
    int64_t m, rank;    /* cones; rank of the points */
    const char *method; /* "arcs", "polygons", "simplices" or "circles" */
    bool exact; /* deterministic: lower and upper are bounds, rounding included; false: confidence interval */
    double confidence;                   /* of each interval, where sampled; otherwise 1 */
    const double *value, *lower, *upper; /* m each */
    const double *log_value;             /* m: ln of value; -infinity where no circle met the cone */
    /* What the measures say of themselves. */
    double sum; /* 1 where the cones are all of them, less where they are a part */
    /* largest |P(C) - P(-C)| over pairs that are both there; 0 where there are none */
    double antipodal_difference;
    int64_t antipodal_pairs;
    /* largest |sum_j P(C_j) 1[i in C_j] 1[k in C_j] - (pi - angle_ik) / (2 pi)| over */
    double kernel_difference;
    int64_t kernel_pairs; /* this many pairs of points; meaningful where the cones are all of them */
} fathom_measure_view;

/* Gives the measures of the gates' cones, and makes them the gates' weights. NULL options mean the defaults. */
FATHOM_API fathom_status fathom_gates_measure(fathom_measure **measure, fathom_gates *gates,
                                              fathom_context *context, const fathom_data *data,
                                              const fathom_measure_options *options);
/* Writes pattern, measure, lower, upper and log_measure of every cone as CSV. */
FATHOM_API fathom_status fathom_measure_write(const fathom_measure *measure, const fathom_gates *gates,
                                              const char *path);
FATHOM_API void fathom_measure_free(fathom_measure *measure);
FATHOM_API fathom_measure_view fathom_measure_look(const fathom_measure *measure);

#ifdef __cplusplus
}
#endif
#endif
