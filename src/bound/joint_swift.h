/* SPDX-License-Identifier: Apache-2.0 */
/* One side of the joint relaxation in single precision, alpha eliminated; symbols and method in
 * joint_swift.c. */
#ifndef FATHOM_JOINT_SWIFT_H
#define FATHOM_JOINT_SWIFT_H

#include "joint_internal.h"

typedef struct fathom_swift_side {
    const fathom_joint_side *lists; /* rows, neighbours, signs */
    int64_t n, d, ld;
    const double *length; /* n: |x_i| over its mean; variables of a row are in units of 1 / length */
    float *x;             /* n x ld: the points */
    float *c, *cw, *cv;   /* (n + 1) x ld: C, C DWD, C DVD; then the derivatives by C in cv */
    float *alpha;         /* n + 1 */
    float *psi_slope;     /* n */
    float *w, *v;         /* ld x ld: DWD, DVD */
    double *log_w;        /* ld x ld: log W */
    double *moment;       /* ld x ld: DSD */
    double *filter;       /* ld x ld: V */
    double *spare;        /* 2 ld x ld */
    double *kept;         /* ld x ld: log W of the search while a bound is taken */
    double *eigen;        /* work: d eigenvalues and what they take */
    double e, norm;       /* |DSD|_q is exp(norm) */
    double ball[2];       /* D */
    int doublings;
} fathom_swift_side;

/* Memory for a side; length (n, borrowed): |x_i| over its mean. Close it in any case. */
fathom_status fathom_swift_open(fathom_swift_side *side, const fathom_joint_side *lists,
                                const fathom_objective *problem, const double *length);
void fathom_swift_close(fathom_swift_side *side, fathom_context *context);

/* From one order of the norm to the next: W^((q' - 1) / (q - 1)), or the unit matrix at first. */
void fathom_swift_order(fathom_swift_side *side, int doublings);
/* W from log W. */
bool fathom_swift_weights(fathom_swift_side *side);
/* The ball of t, where the bias is free. */
void fathom_swift_ball(fathom_swift_side *side, bool constant, double t);
/* Steps of W to its fixed point at the C of v (n) and the multipliers z. */
void fathom_swift_settle(fathom_swift_side *side, const double *v, const float *z, float bend, int64_t steps,
                         const fathom_context *context);
/* One such step from the last S. */
bool fathom_swift_follow(fathom_swift_side *side);

/* log P at v, z with W as it is; then share times its derivatives by v (gv), z (gz) and t (by_ball, unless
 * NULL). */
double fathom_swift_value(fathom_swift_side *side, const double *v, const float *z, float bend,
                          const fathom_context *context);
void fathom_swift_slope(double *gv, float *gz, float *by_ball, fathom_swift_side *side, double share);

/* A point of the relaxation's primal (joint_limit.c), after steps of W: f (n) of this side; and the least
 * objective over its multiples, f holding
 * those of both sides and room for n more: no bound with these lists passes it. */
void fathom_swift_primal(double *f, fathom_swift_side *side);
double fathom_swift_limit(const fathom_objective *problem, double *f);

#endif
