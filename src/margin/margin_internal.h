/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The finite max-min margin problem that every margin reduces to, and the pieces that solve it.
 *
 * Symbols: z_i = y_i x_i in R^d (i < n); gate j (j < m) is open on point i when M_ji = 1 and has weight
 * rho_j > 0,
 *
 *     s_j(q) = sum_i q_i M_ji z_i,       l_j(s) = s,   or (<v_j, s>, a_j s) in R^{d+1}   [003, Assumption 1.3]
 *     G(q) = sum_j rho_j |l_j(s_j(q))|,  margin_i(W) = sum_j rho_j M_ji <z_i, l_j'(w_j)>
 *     gamma_V = max_{|w_j| <= 1} min_i margin_i(W) = min_{q in simplex} G(q)             [000, eq. 1; minimax]
 *
 * so that every W in the unit balls and every q in the simplex bracket gamma_V from below and from above.
 * D = d, or d + 1 with the lift l_j; vectors that belong to gates are stored m x D.
 */
#ifndef FATHOM_MARGIN_INTERNAL_H
#define FATHOM_MARGIN_INTERNAL_H

#include "fathom/gates.h"
#include "proof.h"

/* Borrows all its arrays. */
typedef struct fathom_margin_problem {
    int64_t n, d, m;
    int64_t words;        /* 64-bit words per pattern, (n + 63) / 64 */
    const double *z;      /* n x d, packed */
    const uint64_t *bits; /* m x words; bits n and above are 0 */
    const double *rho;    /* m, positive */
    const double *gain;   /* m, a_j; NULL where there is no lift */
    const double *aim;    /* m x d, v_j; NULL where there is no lift */
} fathom_margin_problem;

static inline int64_t fathom_margin_dimension(const fathom_margin_problem *p)
{
    return p->aim ? p->d + 1 : p->d;
}

/* Gates that the library made itself: distinct, not empty, with positive weight. */
typedef struct fathom_margin_gates {
    int64_t m, words;
    uint64_t *bits;      /* m x words */
    double *rho;         /* m */
    double *orientation; /* m x d, one vector of each cone; NULL where unknown */
    int64_t d;           /* of the orientations */
    double doubt;        /* bound on sum_j |error of rho_j| */
} fathom_margin_gates;

/* Copies the gates of a view without the empty ones, equal ones merged; without weights each counts 1/m. */
fathom_status fathom_margin_gates_take(fathom_margin_gates *gates, fathom_context *context,
                                       const fathom_gates_view *view);
void fathom_margin_gates_free(fathom_context *context, fathom_margin_gates *gates);

/* All arcs of the plane (d = 2) with their Gaussian measures; x n x 2, no zero row. Patterns are exact. */
fathom_status fathom_margin_arcs(fathom_margin_gates *gates, fathom_context *context, int64_t n,
                                 const double *x);

/* Whether gamma_V = 0, exactly; where it is, q (n) receives the solution, each number rounded once, and
 * integer (n texts, NULL before) its multiple in integers, hexadecimal, where they are positive; the caller
 * frees them, also after a failure. Cost: Gordan's alternative for n vectors of n numbers or more in rational
 * arithmetic, where a linear program does not exclude it. */
fathom_status fathom_margin_gates_decide(bool *zero, double *q, char **integer, fathom_context *context,
                                         const fathom_margin_problem *problem);

/* Buffers of the passes over the gates: partial sums of fixed tiles and one tile of workspace per thread. */
typedef struct fathom_margin_work fathom_margin_work;

/* Bytes of the workspace below, but for its tables of bytes. */
double fathom_margin_work_bytes(const fathom_context *context, const fathom_margin_problem *problem,
                                bool normal);

/* `normal`: with what fathom_margin_normal needs, n^2 numbers and more. */
fathom_status fathom_margin_work_create(fathom_margin_work **work, fathom_context *context,
                                        const fathom_margin_problem *problem, bool normal);
void fathom_margin_work_free(fathom_margin_work *work);

/* s (m x D) = l_j(s_j(q)) for every gate; q is any vector of n numbers. */
void fathom_margin_sums(double *s, const fathom_margin_problem *problem, const double *q,
                        fathom_margin_work *work);

/* score (n) = sum_j weight_j M_ji <z_i, l_j'(w_j)>, w m x D; NULL weights mean 1. With weight = rho: the
 * margins. */
void fathom_margin_scores(double *score, const fathom_margin_problem *problem, const double *weight,
                          const double *w, fathom_margin_work *work);

/* Roundings that an addend of fathom_margin_scores passes through at most, before the product with z_i. */
int64_t fathom_margin_depth(const fathom_margin_problem *problem, const fathom_margin_work *work);

/* K (n x n) = sum_j A_j' (alpha_j I - beta_j u_j u_j') A_j, A_j q = l_j(s_j(q)), for u m x D. */
fathom_status fathom_margin_normal(double *k, const fathom_margin_problem *problem, const double *alpha,
                                   const double *beta, const double *u, fathom_margin_work *work);

/* An interval that contains gamma_V for certain, from any q and W: what is negative or not a number in q
 * is set to 0 and its sum to 1, rows of W are scaled into the unit ball (both in place), and all rounding
 * is accounted for. `doubt` is a bound on sum_j |error of rho_j|, 0 where rho is exact. `s` (m x D) and
 * `margin` (n) are outputs too: l_j(s_j(q)) and margin_i(W). */
void fathom_margin_certify(double *lower, double *upper, double *s, double *margin,
                           const fathom_margin_problem *problem, double *q, double *w, double doubt,
                           fathom_margin_work *work);

typedef struct fathom_margin_target {
    double gap;      /* stop when upper - lower <= gap * upper */
    double absolute; /* or when upper <= absolute */
    double doubt;    /* bound on sum_j |error of rho_j| */
    int64_t limit;   /* iterations at most */
} fathom_margin_target;

typedef enum fathom_margin_outcome {
    FATHOM_MARGIN_REACHED, /* the asked gap */
    FATHOM_MARGIN_ZERO,    /* upper <= absolute: indistinguishable from 0 */
    FATHOM_MARGIN_STALLED, /* the interval no longer shrinks, or the iterations are spent */
    FATHOM_MARGIN_STOPPED  /* time limit or interruption */
} fathom_margin_outcome;

/* Where states of a program are kept: margin_program_state.c. */
typedef struct fathom_margin_keeper {
    fathom_context *context;
    const char *checkpoint, *resume; /* or NULL */
    double pause;                    /* seconds between two files */
    double saved;                    /* when the last one was written */
} fathom_margin_keeper;

/* A certified pair; q (n), w (m x D) and margin (n, of w; may be NULL) are the caller's arrays. */
typedef struct fathom_margin_pair {
    double lower, upper;
    double *q, *w, *margin;
    int64_t iterations;
    fathom_margin_outcome outcome;
    fathom_margin_keeper *keeper; /* NULL: no states */
} fathom_margin_pair;

typedef enum fathom_margin_solver {
    FATHOM_MARGIN_INTERIOR,
    FATHOM_MARGIN_FIRST_ORDER,
    FATHOM_MARGIN_WORKING_SET,
    FATHOM_MARGIN_DESCENT
} fathom_margin_solver;

/* A part of a method's state. */
typedef struct fathom_margin_piece {
    const char *name;
    double *values;
    int64_t count;
} fathom_margin_piece;

/* Writes a state where one is asked for, the last one is some time ago and the run is not about to stop. */
fathom_status fathom_margin_keep(fathom_margin_keeper *keeper, fathom_margin_solver method,
                                 const fathom_margin_problem *problem, const fathom_margin_piece *piece,
                                 int count);

/* Fills the pieces from the file of --resume, where there is one: finite numbers. ERROR_INPUT where it belongs to
 * another method or problem. */
fathom_status fathom_margin_resume(bool *resumed, const fathom_margin_keeper *keeper,
                                   fathom_margin_solver method, const fathom_margin_problem *problem,
                                   const fathom_margin_piece *piece, int count);

/* ERROR_INPUT: the state makes no sense; and the same where q and w of the pair do not have the values lower and upper
 * that the state says. s (m x D), margin (n): workspace. */
fathom_status fathom_margin_refuse(const fathom_margin_keeper *keeper);
fathom_status fathom_margin_believe(const fathom_margin_keeper *keeper, const fathom_margin_pair *pair,
                                    double lower, double upper, double *s, double *margin,
                                    const fathom_margin_problem *problem, fathom_margin_work *work);

/* Whether a number of a state is one of 0 .. most. */
bool fathom_margin_is_count(double value, double most);

/* By how much fathom_margin_certify widens an interval, at most; and whether an interval that does not
 * account for rounding is so narrow that the certified one will be as narrow as asked, or cannot be and is
 * near enough. */
double fathom_margin_slack(const fathom_margin_problem *problem, const fathom_margin_target *target,
                           const fathom_margin_work *work);
bool fathom_margin_is_reached(double lower, double upper, double slack, const fathom_margin_target *target);

/* How every method ends: the pair's q and w certified, its margins filled in, and a gap that rounding has
 * opened again told. `s` and `margin` as for fathom_margin_certify. */
void fathom_margin_finish(fathom_margin_pair *pair, double *s, double *margin,
                          const fathom_margin_problem *problem, const fathom_margin_target *target,
                          fathom_margin_work *work);

/* Interior point: 8 to 30 iterations of m n^2 + n^3 / 6 multiplications. */
fathom_status fathom_margin_interior(fathom_margin_pair *pair, fathom_context *context,
                                     const fathom_margin_problem *problem,
                                     const fathom_margin_target *target);

/* The interior point on a set of points that grows: for n much larger than m D. */
fathom_status fathom_margin_by_working_set(fathom_margin_pair *pair, fathom_context *context,
                                           const fathom_margin_problem *problem,
                                           const fathom_margin_target *target);

/* Restarted primal-dual method: 2 passes of m n d / 2 per step, 5 m D numbers. */
fathom_status fathom_margin_first_order(fathom_margin_pair *pair, fathom_context *context,
                                        const fathom_margin_problem *problem,
                                        const fathom_margin_target *target);

/* The paper's own algorithm [000, Lemma 6.1] with target->gap as its epsilon. */
fathom_status fathom_margin_descent(fathom_margin_pair *pair, fathom_context *context,
                                    const fathom_margin_problem *problem, const fathom_margin_target *target);

#endif
