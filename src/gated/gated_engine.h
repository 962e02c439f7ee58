/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linear algebra of the gated Newton method: systems with T = I + R' K R and reduced Hessians.
 *
 *     K v = sum_j (eta_j / beta) A_j A_j' v,   A_j = D_j X      (K acts on every output alike)
 *
 * Three forms: dense (T assembled and factorised, gated_dense.c; for softmax gated_softmax.c) and iterative (preconditioned
 * conjugate gradients on the masked kernels, gated_iterative.c). All are set up by fathom_gated_engine_prepare. Few points:
 * dense, unless gates in use and columns are so few that a preconditioner with all of K costs far less. Many: iterative, until
 * the systems are too ill-conditioned for it (small beta: K grows like 1 / beta); from then on dense, or with all of K in the
 * preconditioner, whichever takes less work and fits.
 */
#ifndef FATHOM_GATED_ENGINE_H
#define FATHOM_GATED_ENGINE_H

#include "gated_kernel.h"
#include "gated_points.h"
#include "objective.h"

/* Gates with their eta; `gate` ascends. */
typedef struct fathom_gated_support {
    int64_t count;
    int64_t *gate;
    double *eta;
} fathom_gated_support;

/* The columns of sparse points that hold most of their squares, as rows of their own; what is left of each
 * row. Owned. */
typedef struct fathom_gated_heavy {
    fathom_csr rows; /* n x width */
    int64_t *row_start;
    int32_t *column;
    double *value;
    double *light; /* n: the squares that the other columns hold */
} fathom_gated_heavy;

typedef struct fathom_gated_engine {
    const fathom_objective *problem;
    int threads;
    bool few;     /* points: dense unless light */
    bool hard;    /* conjugate gradients cost more than a factorisation: see fathom_gated_engine_restore */
    bool dense;   /* the form that the systems have now */
    bool coupled; /* dense, with outputs that the curvature couples: softmax */
    bool cut;     /* the context asked to stop during the factorisation, which is not there */
    int64_t patience;             /* steps of conjugate gradients left before the systems count as hard */
    double *workspace;            /* of the masked kernels */
    fathom_gated_kernel kernel;   /* sparse points: K as a matrix, where that pays */
    fathom_gated_support support; /* copies, eta > 0 */
    double *root;                 /* n, or outputs x n for softmax: see fathom_objective_curvature */
    int64_t products;             /* applications of K and T, for the log */
    double forcing;               /* relative accuracy of Newton directions (iterative) */
    /* dense: rows with r_i > 0 and the factor of T on them */
    int64_t rows;
    int64_t *row;   /* rows */
    double *factor; /* rows x rows; coupled: outputs n x outputs n */
    double *border; /* rows: L^{-1} r / |L^{-1} r|, where the constant is free; coupled: one row per output */
    /* iterative: T ~ diag + Y Y', symmetrically scaled by diag^{-1/2} */
    double *scale;            /* n: diag^{-1/2}, the same for all outputs */
    double *low;              /* n: row i of Y is low_i y_i / scale_i */
    int64_t width;            /* of y: d, or d per gate where T = I + Y Y' exactly */
    bool wide;                /* y_i = (sqrt(eta_j / beta) D_ij x_i)_j, never stored; otherwise x_i */
    double *inner;            /* width x width: Cholesky factor of I + Y' diag^{-1} Y */
    fathom_gated_heavy heavy; /* sparse points: y_i holds these columns alone */
} fathom_gated_engine;

/* Whether there are few points (softmax: times outputs), so that a dense Newton system is always at hand. */
bool fathom_gated_few(const fathom_objective *problem);

/* The most bytes that the systems may come to take beyond the iterative form's with k gates in use, should they turn out
 * to be hard. */
double fathom_gated_hard_bytes(const fathom_objective *problem, double k);

/* Bytes that a dense system of dense points with k gates takes only while it is made. */
double fathom_gated_prepare_bytes(const fathom_objective *problem, double k);

fathom_status fathom_gated_engine_create(fathom_gated_engine *engine, const fathom_objective *problem);
void fathom_gated_engine_clear(fathom_gated_engine *engine);

/* Releases what only steps need; products with the points stay possible. */
void fathom_gated_engine_rest(fathom_gated_engine *engine);

/* Takes the gates with eta > 0 of `support`, and the curvature at f. */
fathom_status fathom_gated_engine_prepare(fathom_gated_engine *engine, const fathom_gated_support *support,
                                          const double *f, double smoothing);

/* The same with the curvature that engine->root holds. Sets `cut` where the context asked to stop meanwhile: the systems
 * can then not be solved. */
fathom_status fathom_gated_engine_restore(fathom_gated_engine *engine, const fathom_gated_support *support);

/* Conjugate gradients did not reach their tolerance with the engine's patience: the systems are hard from the next
 * preparation on, where another form is at hand. */
void fathom_gated_engine_tire(fathom_gated_engine *engine);

/* kv = K v (outputs x n), w (count x outputs x d) = eta_j / beta A_j' v of the support's gates, in its
 * order; sparse points: w is left. `own`: v and kv in a rank's own rows alone. */
void fathom_gated_engine_gram(double *kv, double *w, fathom_gated_engine *engine, const double *v);
void fathom_gated_engine_gram_own(double *kv, double *w, fathom_gated_engine *engine, const double *v);

/* t, c: T t + R' 1 c' = t (on entry the right-hand side), and sum_i (R t)_ki = total_k where the constant is free.
 * Relative accuracy `tolerance` (iterative). */
fathom_status fathom_gated_engine_solve(double *t, double *c, fathom_gated_engine *engine,
                                        const double *total, double tolerance);

/* The quadratic model of phi over the candidates at the engine's eta: slope' (x - eta) + (x - eta)' (H + damping M) (x -
 * eta) / 2, H_jk = b_j' R T^{-1} R' b_k (projected where the constant is free), b_j = A_j A_j' g / beta. M = diag(|A_j' g|^2 /
 * (beta eta_j)) is the Hessian of the majoriser at fixed W and hence above H; it keeps damped steps local where H is
 * singular. Freed by fathom_gated_model_clear. */
typedef struct fathom_gated_model {
    fathom_gated_engine *engine;
    const fathom_gated_support *candidates; /* borrowed */
    const double *slope;                    /* count; borrowed */
    double *hessian;                        /* count x count: H, or its approximation where iterative */
    double *majoriser;                      /* count: diagonal of M */
    int64_t rows;                           /* iterative: candidates and constants */
    double *matrix;                         /* iterative: rows x outputs n */
    double *gram;                           /* iterative: rows x rows */
    double *shift; /* iterative, after an undamped target: outputs x n and outputs, the */
                   /* change of v and c that goes with it to first order; else NULL */
} fathom_gated_model;

/* `adjoint` (count x outputs x d) holds A_j' g; sparse points: g (outputs x n) itself. */
fathom_status fathom_gated_model_create(fathom_gated_model *model, fathom_gated_engine *engine,
                                        const fathom_gated_support *candidates, const double *adjoint,
                                        const double *slope);
void fathom_gated_model_clear(fathom_gated_model *model);

/* target (count) = the model's minimiser over x >= 0, with `slope` (count) in the place of the model's own; *change = the
 * model's value there, without damping. */
fathom_status fathom_gated_model_target(double *target, double *change, fathom_gated_model *model,
                                        const double *slope, double damping);

/* The pieces, one per form. */
fathom_status fathom_gated_dense_prepare(fathom_gated_engine *engine);
fathom_status fathom_gated_dense_solve(double *t, double *c, fathom_gated_engine *engine,
                                       const double *total);
fathom_status fathom_gated_dense_model(fathom_gated_model *model, const double *adjoint);
fathom_status fathom_gated_softmax_prepare(fathom_gated_engine *engine);
fathom_status fathom_gated_softmax_solve(double *t, double *c, fathom_gated_engine *engine,
                                         const double *total);
fathom_status fathom_gated_softmax_model(fathom_gated_model *model, const double *adjoint);
/* `wide`: with all of K in the preconditioner. */
fathom_status fathom_gated_iterative_prepare(fathom_gated_engine *engine, bool wide);
/* The heavy columns of sparse points (gated_precondition.c). */
fathom_status fathom_gated_heavy_create(fathom_gated_heavy *heavy, const fathom_objective *problem);
void fathom_gated_heavy_clear(fathom_gated_heavy *heavy, fathom_context *context);
/* How many there are at the most. */
int64_t fathom_gated_heavy_width(const fathom_objective *problem);
/* x (outputs x n) *= diag^{-1/2} in the rows of `range`; x = P^^{-1} x in a rank's own rows, with the workspace that goes with
 * it (gated_precondition.c). */
int64_t fathom_gated_precondition_room(const fathom_gated_engine *engine);
void fathom_gated_scale_lines(double *x, const fathom_gated_engine *engine, fathom_row_range range);
void fathom_gated_precondition(double *x, const fathom_gated_engine *engine, double *work);
/* tile (points x width): the rows low_i y_i from point `first` on. */
void fathom_gated_factor_rows(double *tile, const fathom_gated_engine *engine, int64_t first, int64_t points);
fathom_status fathom_gated_iterative_solve(double *t, double *c, fathom_gated_engine *engine,
                                           const double *total, double tolerance);
fathom_status fathom_gated_iterative_model(fathom_gated_model *model, const double *adjoint);

/* Improves the target of the approximate model by conjugate gradients. */
fathom_status fathom_gated_iterative_refine(double *target, fathom_gated_model *model, const double *slope);

/* x (k) = argmin over x >= 0 of slope' (x - e) + (x - e)' H (x - e) / 2, H k x k positive semidefinite. */
fathom_status fathom_gated_box(double *x, fathom_context *context, int64_t k, const double *h,
                               const double *slope, const double *e);

#endif
