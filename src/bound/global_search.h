/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Global bounds where exact prices are out of reach: the joint relaxation, then branching on signs while the dual point moves.
 *
 * The joint relaxation ends at v_J, for which its price is nearly exact but which is not the dual optimum; the residual v* of a good
 * network nearly is, but its price is hard to prove. The search walks from v_J to v* with ONE tree (sign_tree.h): whenever the price
 * of v(t) = (1 - t) v_J + t c v* is proved to within a few percent of what local ascent finds, t grows, as far as the multipliers can
 * follow. Every v(t) with the price
 * proved so far is a bound, and the best one is kept: more time, better bound.
 */
#ifndef FATHOM_GLOBAL_SEARCH_H
#define FATHOM_GLOBAL_SEARCH_H

#include "global_bound.h"
#include "sign_tree.h"

struct fathom_global_search {
    const fathom_objective *problem; /* borrowed: as bounds take it */
    const fathom_objective *plain;   /* borrowed: as it was given */
    fathom_joint *joint;
    fathom_sign_tree tree;
    double *v_joint;  /* n: v_J */
    double *residual; /* n: v*, as last given */
    double *v;        /* n: v(t) */
    double *origin;   /* n: the residual that the joint relaxation began with; these four are one block */
    bool joined;      /* the joint relaxation has been run, not only begun */
    double t;
    double even;  /* c of v(t) */
    bool last;    /* no larger t promises more: v(t) is proved as sharply as is asked */
    double found; /* best price found at v(t) by ascent */
    /* the bound of v* with the price found there: what the network can still gain, as far as ascent tells
     * */
    double ideal;
    double work; /* operations spent so far, an estimate that is the same on every machine */
};

/* `proof` (or NULL) receives the evidence for the best bound of this call where that exceeds *lower.
 * `search` is made at the first call. `problem` is as bounds take it (global_lift.h), `plain` as it was given. `residual` (n) lies in the dual domain. offer(user, v, price, method) receives every dual point
 * with its price. Returns through *exhausted whether more work would gain nothing. */
typedef void fathom_global_offer(void *user, const double *v, double price, const char *method);
fathom_status fathom_global_search_run(bool *exhausted, fathom_global_search **search,
                                       const fathom_objective *problem, const fathom_objective *plain,
                                       const double *residual, const fathom_global_effort *effort,
                                       const double *lower, fathom_global_offer *offer, void *user,
                                       fathom_proof *proof);
/* A search whose joint relaxation is begun: its first stage, where points are many. The run above goes on
 * from there. */
fathom_status fathom_global_search_glance(fathom_global_search **search, const fathom_objective *problem,
                                          const fathom_objective *plain, const double *residual, double value,
                                          fathom_joint_result *result, fathom_proof *proof);

/* An empty search, and the joint relaxation at its origin (not yet run): for searches that are resumed. */
fathom_status fathom_global_search_create(fathom_global_search **search, const fathom_objective *problem,
                                          const fathom_objective *plain);
fathom_status fathom_global_search_join(fathom_global_search *search);

void fathom_global_search_free(fathom_global_search *search);

/* Nodes of the tree that `seconds` of effort improve. */
int64_t fathom_global_search_nodes(const fathom_objective *problem, double seconds);

/* The largest price that ascent finds at v (outputs x n) from random directions and data points. */
fathom_status fathom_global_search_price(double *found, const fathom_objective *problem, const double *v);

#endif
