/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of all papers share: lines of a result, labelled points, margins and runs. */
#ifndef FATHOM_THEOREM_INTERNAL_H
#define FATHOM_THEOREM_INTERNAL_H

#include "fathom/check.h"
#include "fathom/flow.h"
#include "fathom/margin.h"

typedef struct theorem_run {
    fathom_context *context;
    fathom_data *data;
    const fathom_check_options *options;
    fathom_check_result *result;
    int64_t n, d;
    double *x;    /* n x d */
    double *y;    /* n: -1 and +1, or numbers where the theorem takes them */
    double reach; /* max |x_i| */
} theorem_run;

typedef fathom_status theorem_function(theorem_run *run);

typedef struct theorem_row {
    const char *id;
    bool numbers; /* targets are numbers, not labels */
    theorem_function *check;
    const char *statement, *correction;
} theorem_row;

/* A hypothesis or a comparison; holds by the relation, undecided where the value is NaN. The interval form is decided where
 * both of its ends agree. */
void theorem_assume(theorem_run *run, const char *name, double value, const char *relation, double required);
void theorem_assume_between(theorem_run *run, const char *name, double lower, double upper,
                            const char *relation, double required);
void theorem_compare(theorem_run *run, const char *name, double value, const char *relation, double required);

/* ERROR_USAGE where --constants cannot be read. */
fathom_status theorem_constants_check(const theorem_run *run);

/* A constant by name: that of --constants, or the default. */
double theorem_constant(const theorem_run *run, const char *name, double preset);

/* A margin by these options, on `width` gates where that is positive; the view's arrays are gone. */
fathom_status theorem_margin_by(fathom_margin_view *view, theorem_run *run, fathom_margin_options *options,
                                int64_t width);

/* An interval that holds the margin of this kind; width 0: infinite. NaN where there is none before a limit. */
fathom_status theorem_margin(double *lower, double *upper, theorem_run *run, fathom_margin_kind kind,
                             int64_t width, double gap);

/* max over |w| = 1 of min_i y_i <w, x_i>, bracketed; lower = upper = 0 where the data is not separable by w. */
fathom_status theorem_linear_margin(double *lower, double *upper, theorem_run *run);

/* Options of a run with the defaults; its width and --init, --until of the check where given. */
fathom_flow_options theorem_flow_options(const theorem_run *run, const char *net, int64_t width,
                                         const char *until);

/* Whether a run came to an end of its own: no time limit, no interruption. */
static inline bool theorem_whole(const fathom_flow_result *result)
{
    return result->status != FATHOM_FLOW_LIMIT && result->status != FATHOM_FLOW_INTERRUPTED;
}

/* The papers' theorems; rows end with an id of NULL. */
extern const theorem_row theorem_rows_000[], theorem_rows_001[], theorem_rows_002[], theorem_rows_003[],
    theorem_rows_004[];

/* Clusters of [002, Sec. 2.4]: two per class. */
typedef struct theorem_clusters {
    int *cluster;    /* n: 0, 1 of label +1; 2, 3 of label -1 */
    int64_t size[4]; /* examples */
    double *center;  /* 4 x d, of norm 1 */
    double radius;   /* max |x_i - center| */
    double overlap;  /* max <center_k, center_l> over opposite labels */
    double balance;  /* max |size / n - 1/4| */
    double norm;     /* max ||x_i| - 1| */
} theorem_clusters;

/* Fits them: spherical 2-means per class from several starts, then the smallest cap around each cluster. */
fathom_status theorem_clusters_fit(theorem_clusters *clusters, theorem_run *run);
void theorem_clusters_free(theorem_clusters *clusters, fathom_context *context);

#endif
