/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Margins of labelled data, bracketed from both sides.
 *
 *   ntk       gamma = max over maps v(z) in the unit ball of min_i y_i E <v(z), x_i> 1[<x_i, z> > 0], z ~ N(0, I)
 *                   = min over q in the simplex of E |sum_i q_i y_i 1[<x_i, z> > 0] x_i|                   [000, Def. 4.1]
 *             and gamma_V, the same with an average over m gates in place of E                            [000, eq. 1]
 *   ntk-full  both layers trained: maps of w = (a, v), a ~ N(0, 1), v ~ N(0, I/d), into the unit ball of R^{d+1}, 0 where
 *             |w| >= 2                                                                                    [003, Ass. 1.3]
 *   global    max over networks sum_k alpha_k relu(<b_k, x>), |alpha|_1 = 1, |b_k| = 1, of the least y_i f(x_i)
 *                                                                                                         [003, Ass. 1.1]
 *             with --directions: the b_k are rows of a file, the limit of networks without rotation       [003, Thm 3.3]
 *             and, for data with free biases, sum_k alpha_k relu(<b_k, x> + c_k) + c, c_k and c free, as in training
 *
 * Every interval is proven: deterministic (`exact`), rounding included, or right with at least the asked
 * confidence.
 */
#ifndef FATHOM_MARGIN_H
#define FATHOM_MARGIN_H

#include "fathom/certificate.h"
#include "fathom/gates.h"
#include "fathom/net.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fathom_margin_kind {
    FATHOM_MARGIN_NTK,
    FATHOM_MARGIN_NTK_FULL,
    FATHOM_MARGIN_GLOBAL,
    FATHOM_MARGIN_LINEAR /* max over |w| = 1 of min_i y_i <w, x_i> */
} fathom_margin_kind;

typedef enum fathom_margin_method {
    FATHOM_MARGIN_AUTO,
    FATHOM_MARGIN_CELLS,
    FATHOM_MARGIN_SAMPLE,
    FATHOM_MARGIN_PAPER_GD
} fathom_margin_method;

#define FATHOM_MARGIN_OPTIONS(X)                                                                          \
    X(CHOICE, kind, "kind", "ntk", 0, 0, "ntk|ntk-full|global|linear", "which margin")                    \
    X(TEXT, width, "width", "inf", 0, 0, "inf|M", "infinite width, or M gates sampled from the seed")     \
    X(INPUT, gates, "gates", NULL, 0, 0, "FILE",                                                          \
      "gates from a .npy file, or those of a gated or relu model with its weights rho")                   \
    X(CHOICE, gates_as, "gates-as", "auto", 0, 0, FATHOM_GATES_FORMS,                                     \
      "how the .npy file is read: d x N orientations, n x N of 0 and 1, N x d orientations")              \
    X(INPUT, gates_weights, "gates-weights", NULL, 0, 0, "FILE.npy",                                      \
      "weights rho of these gates, N numbers >= 0, scaled to sum 1")                                      \
    X(INPUT, directions, "directions", NULL, 0, 0, "FILE",                                                \
      "global: neurons along these directions alone, rows of a .npy matrix, or the neurons of a relu or " \
      "scalar model with the signs of their output weights")                                              \
    X(CHOICE, method, "method", "auto", 0, 0, "auto|cells|sample|paper-gd",                               \
      "all cones, sampling, or the gradient descent of [000, Lemma 6.1]")                                 \
    X(CHOICE, theta, "theta", "best", 0, 0, "best|hidden|output|parity",                                  \
      "ntk-full: the best map theta, or the margin of one of [003, Prop. 1.5 (1), (2), 1.6]")             \
    X(INPUT, theta_model, "theta-model", NULL, 0, 0, "MODEL",                                             \
      "ntk-full: the margin of theta = (0, sgn(a) U(v)), U the weights of a gated model")                 \
    X(FLAG, as_doubles, "as-doubles", NULL, 0, 0, "",                                                     \
      "decide whether the margin is 0 on the doubles nearest to a file's decimals, not on the decimals")  \
    X(REAL, gap, "gap", NULL, 1e-15, 1, "REL",                                                            \
      "relative width (default 1e-9; global 1e-5, ntk-full in R^2 and R^3 1e-6, sampled 1e-2)")           \
    X(INTEGER, samples, "samples", NULL, 1, 1000000000000, "N", "stop sampling after N Gaussian vectors") \
    X(REAL, confidence, "confidence", "0.99", 0.5, 0.999999999999, "C",                                   \
      "probability that a sampled interval holds the margin")                                             \
    X(OUTPUT, checkpoint, "checkpoint", NULL, 0, 0, "FILE",                                               \
      "keep the state here; of both layers that of sampled margins")                                      \
    X(INPUT, resume, "resume", NULL, 0, 0, "FILE", "continue from a checkpoint; limits may be new")

FATHOM_OPTIONS_STRUCT(fathom_margin_options, FATHOM_MARGIN_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_margin_option_table;

typedef struct fathom_margin_result fathom_margin_result;

/* Borrowed; valid until the result is freed. Numbers that do not apply are NAN, pointers NULL, counts 0. */
typedef struct fathom_margin_view {
    fathom_margin_kind kind;
    int64_t n, d;
    double lower, upper;
    bool exact;           /* deterministic bounds; else they hold with probability `confidence` */
    double confidence;    /* 1 where exact */
    bool decided;         /* whether the margin is 0 is known exactly: it is iff upper = 0 */
    bool reached;         /* the interval is as narrow as asked */
    const char *method;   /* what gave the interval, one word: zero, kernel, arcs, ... */
    int64_t width;        /* gates of a finite network; 0: infinite */
    const char *gates_as; /* how the file of gates was read: orientations, patterns, rows, model; NULL */
    int64_t gates;        /* distinct gates of the program that was solved */
    int64_t iterations;   /* of the solver, in total */
    int64_t samples;      /* Gaussian vectors drawn for the interval */
    double first_lower, first_upper;           /* from the closed-form kernel alone, infinite width */
    double asymptotic_lower, asymptotic_upper; /* by the central limit theorem: not proven */
    double theorem_width; /* 2 (eps gamma)^-2 ln(2 n / delta) of the corrected [000, Thm 6.2], eps = 1/10 */
    const double *q;      /* n: the dual point of the upper bound */
    const char *const *
        q_exact; /* n: where gamma_V = 0 for given gates, a multiple of q in integers, hexadecimal, NULL for 0 */
    const double *margin;  /* n: y_i f(x_i) of the separator behind the lower bound */
    int64_t origin;        /* a point at 0, whose label no network without bias gives, or -1 */
    int64_t first, second; /* two points of opposite label on one ray, or -1 */
    int64_t opposite;      /* lines with opposite labels on their two rays */
    /* one sentence: can a ReLU network without bias classify the data? NULL: not decided */
    const char *statement;
    const char *
        reading; /* of the decision whether the margin is 0: "decimals" (fathom_data_decimals) or "doubles" */
} fathom_margin_view;

/* Gives the margin of the data, whose targets must take two values (or one). NULL options mean the
 * defaults. Stops early on the context's time limit or interruption, with `reached` false. */
FATHOM_API fathom_status fathom_margin(fathom_margin_result **result, fathom_context *context,
                                       fathom_data *data, const fathom_margin_options *options);
FATHOM_API void fathom_margin_free(fathom_margin_result *result);
FATHOM_API fathom_margin_view fathom_margin_look(const fathom_margin_result *result);

/* Writes q, the dual point behind the upper bound, as an NPY vector. */
FATHOM_API fathom_status fathom_margin_write_dual(const fathom_margin_result *result, const char *path);

/* Gives the separator as a network with y_i f(x_i) = margin_i: gated, over cones or gates (sampled
 * margins: the training gates), or a ReLU network for the global margin. ERROR_USAGE where there is none:
 * margin 0, gates without orientations. */
FATHOM_API fathom_status fathom_margin_separator(fathom_net **net, const fathom_margin_result *result);

/* Gives a gated network with y_i f(x_i) > 0 for all points, in exact arithmetic, for any data without
 * contradictory rays, also where the margin is 0 and no ReLU network classifies [000, Thm 7.3 (3)]: two
 * gates for every line, or for either side of one with opposite labels, one of these on a hyperplane.
 * ERROR_INPUT where a point is 0 or a ray has both labels; ERROR_RUNTIME where no doubles make such gates. */
FATHOM_API fathom_status fathom_margin_convex(fathom_net **net, fathom_context *context, fathom_data *data);

/* One row of the experiment of [000, Thm 7.2]: shares among `trials` draws of `width` = kappa / gamma^2
 * Gaussian gates, each an estimate with the standard error sqrt(p (1 - p) / trials). */
typedef struct fathom_margin_experiment_row {
    double kappa;
    int64_t width, trials;
    double point_wrong;    /* points with margin <= 0 under the fixed optimal map */
    double some_wrong;     /* draws with such a point */
    double adaptive_zero;  /* draws with gamma_V = 0 */
    double adaptive_ratio; /* mean of gamma_V / gamma */
} fathom_margin_experiment_row;

/* Runs `trials` draws for one kappa from the context's seed. The result is that of the data: kind ntk,
 * infinite width, through all cones, positive; ERROR_USAGE otherwise. Stops early on the context's limits
 * (row->trials tells). */
FATHOM_API fathom_status fathom_margin_experiment(fathom_margin_experiment_row *row,
                                                  const fathom_margin_result *result, fathom_data *data,
                                                  double kappa, int64_t trials);

/* Margins p_i = y_i f(x_i) of a network with one output on labelled data. */
typedef struct fathom_net_margin {
    double margin; /* min_i p_i */
    /* l^{-1}(sum_i l(p_i)), l logistic                                 [003, Sec. 1.2; 004, eq. 4] */
    double smoothed;
    double norm_first; /* |U| of the hidden layer (gated: |W|) */
    double norm_both;  /* |(U, W)| of both layers (gated: |W|) */
    /* max_j |w_j| of a gated network times the sum of its weights rho, the norm of [000, eq. 1] with
     * weights of sum 1; otherwise NAN */
    double longest;
    bool constant; /* f has a constant c, which no norm here counts */
    int degree;    /* of homogeneity in both layers: 2 (gated: 1) */
} fathom_net_margin;

/* p (n) and q (n) receive the margins and the dual variables q_i = l'(p_i) / l'(smoothed)         [003,
 * Sec. 1.2]. */
FATHOM_API fathom_status fathom_net_margins(fathom_net_margin *margins, double *p, double *q,
                                            fathom_context *context, const fathom_net *net,
                                            fathom_data *data);

#ifdef __cplusplus
}
#endif
#endif
