/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lower side of training over all networks: one place from which every method takes its global bound.
 *
 *     optimum >= D(s v)   for every v of the dual domain, 0 <= s <= beta / P, and P >= p(v) = max |v'(Xu)_+| over |u| <= 1
 *
 * An upper side (train_columns.c and others) and this one take turns: the upper side hands over the
 * residual of its network, this side improves its bound for a while and hands back neurons that it met on
 * the way and that the network lacks. Bounds never get worse, are valid whenever the work is stopped, and
 * know nothing of the network but what they are given. [001, eq. 16-19; docs/explanation/global.md]
 */
#ifndef FATHOM_GLOBAL_BOUND_H
#define FATHOM_GLOBAL_BOUND_H

#include "objective.h"
#include "proof.h"

/* The work done so far (global_bound.c). */
typedef struct fathom_global_search fathom_global_search;

typedef struct fathom_global_bound {
    const fathom_objective *problem; /* borrowed: points, loss, penalty, constant; no gates */
    double lower;                    /* best bound on the optimum of the sum problem; never below 0 */
    double proved; /* the same, but only as far as this process has seen the proof: a state may say more */
    const char *method; /* static text: where it came from */
    double *v;          /* outputs x n: the dual point that gave it, not scaled */
    double price;       /* P >= p(v); INFINITY before the first bound */
    double fine, total; /* several outputs: accuracy and effort of the search that gave P */
    double
        *origin; /* outputs x n: where the relaxation on rays began, then the objective; NULL: it did not */
    bool exhausted; /* more time would gain nothing unless the residual changes (set by improve) */
    /* The best neuron met in the last call, of a price above beta at the residual given; |u| = 1. */
    double met_price; /* 0: none */
    double met_sign;  /* sigma: sigma v'(Xu + b)_+ = met_price (one output) */
    double *met;      /* d + 1: u, then b, which is 0 without a free bias */
    bool glanced;     /* the bound may be that of fathom_global_bound_glance, which begins nothing */
    fathom_global_search *search;
    fathom_global_search
        *ahead;          /* what a glance at many points has begun, taken over by the first search; or NULL */
    fathom_proof *proof; /* borrowed: where evidence for the best bound goes; NULL: none is kept */
    /* the evidence may not be a list of cones: certificates of margins have no place for one */
    bool without_cones;
    /* with a free bias: points (x_i - centre, R), see global_lift.c; else NULL */
    fathom_objective *lifted;
} fathom_global_bound;

/* What an improvement may cost and when it is enough. */
typedef struct fathom_global_effort {
    double value;   /* best objective known (of the sum problem): for reports, and to know when to stop */
    double enough;  /* stop once the bound is at least this */
    double seconds; /* of effort, for this call: operations over a fixed rate, the same on every machine */
    double total;   /* of effort, for all calls together; INFINITY: until it no longer pays */
} fathom_global_effort;

/* The problem must outlive the bound. Evidence goes to `proof` unless it is NULL. */
fathom_status fathom_global_bound_open(fathom_global_bound *bound, const fathom_objective *problem,
                                       fathom_proof *proof);
/* Room for the origin. */
fathom_status fathom_global_bound_reserve(fathom_global_bound *bound);
void fathom_global_bound_close(fathom_global_bound *bound);

/* For a bound that was read from a file: its dual point priced anew in `price` (INFINITY: by exact methods,
 * where these apply; a bound by rays is found again from their origin), and `proved` set to what that proves, at most `lower`. */
fathom_status fathom_global_bound_confirm(fathom_global_bound *bound, double price);

/* A first bound soon: the joint relaxation with few neighbours and few steps, or its first stage where
 * points are many (joint_swift.c), which
 * the search then goes on from. One output where prices are not found exactly; elsewhere, and between the
 * two sizes, nothing happens. */
fathom_status fathom_global_bound_glance(fathom_global_bound *bound, const double *residual, double value);

/* Whether that takes seconds rather than less: points are many, and the network had better begin. */
bool fathom_global_bound_glances_late(const fathom_global_bound *bound);

/* Whether the bound has been improved beyond a glance. */
bool fathom_global_bound_begun(const fathom_global_bound *bound);

/* The bound of the last residual with the price that ascent found there, an estimate of the optimum from below; 0 where there is none. */
double fathom_global_bound_ideal(const fathom_global_bound *bound);

/* What the joint relaxation cannot pass, however long it runs; 0 where that is not known. */
double fathom_global_bound_limit(const fathom_global_bound *bound);

/* Improves the bound from `residual` (outputs x n, -l'(f) of a network). Ends early where the context asks
 * to stop; the bound is valid all the same. */
fathom_status fathom_global_bound_improve(fathom_global_bound *bound, const double *residual,
                                          const fathom_global_effort *effort);

#endif
