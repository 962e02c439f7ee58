/* SPDX-License-Identifier: Apache-2.0 */
/* KKT points of the margin problem: the convex program of an activation pattern, and the networks it gives.
 * */
#ifndef FATHOM_DYNAMICS_KKT_H
#define FATHOM_DYNAMICS_KKT_H

#include "dynamics_internal.h"
#include "nonnegative.h"

/* kkt_program.c. Groups of neurons that see every example on the same side; unknowns w_g, sides S_gi of -1
 * and +1. */
typedef struct kkt_program {
    const dynamics_problem *problem;
    double alpha;      /* slope below the kink */
    int64_t groups;    /* G */
    double *sign;      /* G: of the output weights */
    double *factor;    /* G: f_g > 0 */
    signed char *side; /* G x n */
    double *w;         /* G x d, the solution */
    double *dual;      /* n, of the margins */
    double *hold;      /* G x n, of the sides */
    fathom_least_norm result;
    bool found;      /* no side wants to flip, and the bounds of the least norm meet */
    int64_t kinks;   /* sides that hold a neuron on its kink */
    int64_t rounds;  /* patterns tried */
    int64_t pairs;   /* sides that are constraints at hand ... */
    int64_t *pair;   /* ... as g n + i, room for G n */
    uint8_t *listed; /* G x n: whether it is one of them */
} kkt_program;

fathom_status fathom_kkt_program_create(kkt_program *program, const dynamics_problem *problem,
                                        int64_t groups);
void fathom_kkt_program_free(kkt_program *program);

/* Margins alone, the sides give the slopes but are no constraints. */
fathom_status fathom_kkt_program_margins(kkt_program *program);

/* With the sides as constraints, which flip where their slope in force leaves [alpha, 1]. */
fathom_status fathom_kkt_program_solve(kkt_program *program);

/* The same for minimise sum_g |u_g|, u_g = f_g w_g: factors move until f_g = |w_g|. */
fathom_status fathom_kkt_program_balance(kkt_program *program);

/* The program of the first layer or of both, as they are trained, on the sides at hand: none flips. */
fathom_status fathom_kkt_program_pattern(kkt_program *program);

/* kkt_point.c. A network with multipliers: whether it is a KKT point is measured on it, not taken from the
 * program. */
typedef struct kkt_point {
    double *hidden, *output; /* m x d, m */
    double *dual;            /* n */
    double *row;             /* d: workspace */
    double *slope;           /* m x n: c_ji, in force at kinks, else those of the sides */
    uint8_t *kink;           /* m x n */
    double margin;           /* min_i p_i / |W|^L */
    double residual;         /* |W - sum_i l_i dp_i| / |W|, with min_i p_i = 1 */
    double slack;            /* sum_i l_i (p_i - 1) / sum_i l_i */
} kkt_point;

/* The group of every neuron in a state; -1: it is 0 or dead. */
typedef struct kkt_groups {
    int64_t count;
    int64_t *of;   /* m */
    double *total; /* room for m + 1: sums over a group of what fathom_kkt_share gives */
} kkt_groups;

/* What a neuron has of its group: a_j^2 where the first layer is trained, |a_j| |v_j| where both are. */
double fathom_kkt_share(const dynamics_problem *problem, const dynamics_state *state, int64_t j);

fathom_status fathom_kkt_point_create(kkt_point *point, const dynamics_problem *problem);
void fathom_kkt_point_free(kkt_point *point, const dynamics_problem *problem);

/* The network that a program's solution is, for neurons in these groups; shares within a group as in the
 * state. Measures it. */
void fathom_kkt_point_fill(kkt_point *point, const kkt_program *program, const kkt_groups *groups,
                           const dynamics_state *state);

/* kkt_escape.c: whether a KKT point is a local maximum of the normalized margin, and else a network with a
 * larger one that a
 * segment of increasing margin leads to. */
fathom_status fathom_kkt_escape(fathom_flow_ending *ending, const kkt_program *program,
                                const kkt_groups *groups, const kkt_point *point,
                                const dynamics_state *state);

/* The solution of a program of either kind. */
static inline fathom_status fathom_kkt_solve(kkt_program *program)
{
    return program->problem->plan.output ? fathom_kkt_program_balance(program)
                                         : fathom_kkt_program_solve(program);
}

#endif
