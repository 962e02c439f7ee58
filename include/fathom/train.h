/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training by convex optimisation: a two-layer network with a bound on how far it can be from the optimum.
 *
 *     minimise  sum_i l_i(f(x_i)) + beta R(network)
 *
 *     relu     f(x) = sum_j w_j relu(<u_j, x>),            R = sum_j |w_j| |u_j|
 *     gated    f(x) = sum_j 1[<v_j, x> > 0] <w_j, x>,      R = sum_j |w_j|, gates v_j given   [000, Sec. 2 and 6]
 *     convex-rf  f(x) = sum_jq w_jq max_t relu(<u_j, x_t>), R = sum |w_jqk|, filters u_j from patches   [001, Alg. 2]
 *     linear   f(x) = <w, x>,                               R = |w|_1, to compare networks with
 *
 * With --scale mean the losses are averaged. The result carries objective, lower bound and their gap; the
 * bound says of which problem it is: global (all networks of the model), gates (those on the given gates)
 * or filters (those on the filters drawn).
 */
#ifndef FATHOM_TRAIN_H
#define FATHOM_TRAIN_H

#include "fathom/certificate.h"
#include "fathom/gates.h"
#include "fathom/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the choices below. */
typedef enum fathom_filter_source {
    FATHOM_FILTER_EXTREME, /* extreme points: patches seen from the hull of the others [001, eq. 10] */
    FATHOM_FILTER_PATCHES, /* the patches themselves */
    FATHOM_FILTER_RANDOM   /* Gaussian directions */
} fathom_filter_source;
typedef enum fathom_train_loss {
    FATHOM_TRAIN_SQUARED,
    FATHOM_TRAIN_LOGISTIC, /* softmax where there are more than two classes */
    FATHOM_TRAIN_HINGE,
    FATHOM_TRAIN_EQUALITY, /* interpolate; beta unused */
    FATHOM_TRAIN_HUBER,    /* the next three: robust regression of one target */
    FATHOM_TRAIN_ABSOLUTE,
    FATHOM_TRAIN_QUANTILE,
    FATHOM_TRAIN_LOSS_AUTO /* logistic where labels are texts, else squared */
} fathom_train_loss;
typedef enum fathom_train_model {
    FATHOM_TRAIN_RELU,
    FATHOM_TRAIN_GATED,
    FATHOM_TRAIN_CONVEX_RF,
    FATHOM_TRAIN_LINEAR
} fathom_train_model;
typedef enum fathom_train_method {
    FATHOM_TRAIN_AUTO,
    FATHOM_TRAIN_CELLS,
    FATHOM_TRAIN_COLUMNS,
    FATHOM_TRAIN_CUTTING,
    FATHOM_TRAIN_GATES,
    FATHOM_TRAIN_CLOSED
} fathom_train_method;
typedef enum fathom_train_select {
    FATHOM_SELECT_ANY,
    FATHOM_SELECT_SPARSE,
    FATHOM_SELECT_MIN_NORM
} fathom_train_select;

#define FATHOM_TRAIN_OPTIONS(X)                                                                              \
    X(CHOICE, loss, "loss", "squared", 0, 0,                                                                 \
      "squared|logistic|hinge|equality|huber:delta|absolute|quantile:tau|auto",                              \
      "loss; auto: logistic where labels are texts, else squared; logistic is softmax for more than two "    \
      "classes; huber:D is huber with --delta D")                                                            \
    X(REAL, delta, "delta", "1", 1e-300, 1e300, "D", "huber: where the square becomes a line")               \
    X(REAL, tau, "tau", "0.5", 1e-9, 0.999999999, "T", "quantile: which one")                                \
    X(REAL, beta, "beta", NULL, 0, 1e300, "B", "weight of the penalty (default: --beta-rel times beta_max)") \
    X(REAL, beta_rel, "beta-rel", "0.1", 0, 1e300, "R", "penalty relative to the largest useful one")        \
    X(CHOICE, scale, "scale", "sum", 0, 0, "sum|mean", "sum or mean of the losses")                          \
    X(CHOICE, model, "model", "relu", 0, 0, "relu|gated|convex-rf|linear", "kind of network")                \
    X(CHOICE, method, "method", "auto", 0, 0, "auto|cells|columns|cutting|gates|closed", "how to solve")     \
    X(INPUT, gates, "gates", NULL, 0, 0, "all|N|grow|FILE.npy",                                              \
      "all cones, N sampled orientations, growing, or from a file (gated: default 1000)")                    \
    X(CHOICE, gates_as, "gates-as", "auto", 0, 0, FATHOM_GATES_FORMS,                                        \
      "how that file is read: d x N orientations, n x N of 0 and 1, N x d orientations")                     \
    X(INTEGER, extreme, "extreme", "0", 0, 1e6, "N",                                                         \
      "cutting: rows drawn, one extreme point each, beside the cutting planes")                              \
    X(INTEGER, neurons, "neurons", "0", 0, 1e9, "M",                                                         \
      "cutting: no rounds beyond M neurons, those of --extreme included; 0: no such limit")                  \
    X(CHOICE, targets, "targets", "raw", 0, 0, "raw|classes",                                                \
      "squared: targets as numbers, or one-hot where they are more than two classes")                        \
    X(REAL, gap, "gap", "1e-6", 0, 1, "REL", "relative gap to reach")                                        \
    X(REAL, effort, "effort", NULL, 0, 1e9, "E",                                                             \
      "relu: most work on the lower bound, about seconds of one core, the same work on every machine "       \
      "(default 60 without a time limit; cutting: 0 looks for none)")                                        \
    X(CHOICE, select, "select", "any", 0, 0, "any|sparse|min-norm", "which of several optimal networks")     \
    X(INPUT, test, "test", NULL, 0, 0, "DATA", "second data set, scored at the end")                         \
    X(INPUT, test_rows, "test-rows", NULL, 0, 0, "A:B|FILE", "rows of the test data, as --rows")             \
    X(OUTPUT, certificate, "certificate", NULL, 0, 0, "FILE", "write a proof of the bounds")                 \
    X(REAL, certificate_size, "certificate-size", NULL, 0, 1e9, "MB", "largest proof to write")              \
    X(OUTPUT, save_dual, "save-dual", NULL, 0, 0, "FILE.npy",                                                \
      "write the dual point of the lower bound; the table of its conditions is printed")                     \
    X(FLAG, verify, "verify", NULL, 0, 0, "", "check the proof at the end")                                  \
    X(OUTPUT, checkpoint, "checkpoint", NULL, 0, 0, "FILE", "write the state here, also at the end")         \
    X(INPUT, resume, "resume", NULL, 0, 0, "FILE", "continue from a checkpoint")                             \
    X(TEXT, image, "image", NULL, 0, 0, "HxW[xC]",                                                           \
      "convex-rf: size of the images (default: square, of one plane or three)")                              \
    X(INTEGER, patch, "patch", "6", 1, 1e6, "N", "convex-rf: side of a patch")                               \
    X(INTEGER, stride, "stride", "1", 1, 1e6, "N", "convex-rf: pixels from patch to patch")                  \
    X(INTEGER, filters, "filters", "400", 1, 1e6, "N", "convex-rf: patches drawn, one filter each")          \
    X(CHOICE, filter_source, "filter-source", "extreme", 0, 0, "extreme|patches|random",                     \
      "convex-rf: filters are extreme points, the patches themselves, or random")                            \
    X(INTEGER, pool, "pool", "2", 1, 1e6, "N", "convex-rf: N x N cells of places are pooled")                \
    X(CHOICE, pooling, "pooling", "max", 0, 0, "max|mean", "convex-rf: what a cell takes from its places")   \
    X(REAL, contrast, "contrast", "0.01", 1e-300, 1e300, "E",                                                \
      "convex-rf: added to a patch's variance, in units of the mean variance")                               \
    X(REAL, whiten, "whiten", "0.1", 0, 1e300, "E",                                                          \
      "convex-rf: added to the eigenvalues of the patches; 0: not whitened")

FATHOM_OPTIONS_STRUCT(fathom_train_options, FATHOM_TRAIN_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_train_option_table;

typedef enum fathom_train_status {
    FATHOM_TRAIN_CERTIFIED, /* gap reached, bound global */
    FATHOM_TRAIN_ON_GATES,  /* gap reached, bound valid for the given gates */
    FATHOM_TRAIN_LIMIT,     /* stopped before */
    FATHOM_TRAIN_ON_FILTERS /* gap reached, bound valid for the filters drawn (convex-rf) */
} fathom_train_status;

typedef enum fathom_train_bound {
    FATHOM_TRAIN_BOUND_GLOBAL,
    FATHOM_TRAIN_BOUND_GATES,
    FATHOM_TRAIN_BOUND_NONE,
    FATHOM_TRAIN_BOUND_FILTERS
} fathom_train_bound;

/* Settles --loss auto by the data, and says in the log what was assumed; other losses stay. Training does the
 * same with a copy of its options: callers who use them afterwards (a proof, a dual point) settle them first. */
FATHOM_API void fathom_train_settle(fathom_train_options *options, fathom_context *context,
                                    const fathom_data *data);

/* Values are those of the problem as asked for (with --scale mean: of the mean). Cleared by the function
 * below. */
typedef struct fathom_train_result {
    fathom_train_status status;
    fathom_end end;
    double objective, lower_bound, gap, relative_gap; /* gap / objective; 0 where the objective is 0 */
    fathom_train_bound bound;
    const char *bound_method; /* static text */
    double beta, beta_max;
    double loss, norm; /* objective = loss + beta norm */
    int64_t neurons, iterations;
    int64_t gates; /* distinct gates of the problem; 0 where it has none */
    /* relu on gates: norm over that of the gated network with the same outputs; else 0 */
    double norm_inflation;
    const char *method; /* static text */
    fathom_loss kind;   /* of the outputs: as asked for, or softmax */
    fathom_net *net;    /* NULL where gates without orientations make no network */
    /* end STALLED: which side stands still and what would decide (static text), or NULL */
    const char *stalled;
    fathom_proof *proof; /* of the lower bound, where --certificate or --verify asks for it; else NULL */
} fathom_train_result;

/* Trains. `gates` NULL: by options->gates. NULL options mean the defaults. A limit is an outcome, not a
 * failure. */
FATHOM_API fathom_status fathom_train(fathom_train_result *result, fathom_context *context, fathom_data *data,
                                      const fathom_gates *gates, const fathom_train_options *options);

/* The same, from a ReLU network on the data's columns (borrowed): the result is at least as good, where
 * column generation is the method; the others have no use for a start. */
FATHOM_API fathom_status fathom_train_from(fathom_train_result *result, fathom_context *context,
                                           fathom_data *data, fathom_net *start,
                                           const fathom_train_options *options);
FATHOM_API void fathom_train_result_clear(fathom_train_result *result);

/* Gives the model of a result, which loses its network to it, with the data's preprocessing and classes.
 * ERROR_USAGE where there is none. */
FATHOM_API fathom_status fathom_train_make_model(fathom_model **model, fathom_context *context,
                                                 fathom_train_result *result, const fathom_data *data);

/* "certified", "gates", "limit", "filters"; "global", "gates", "none", "filters". */
FATHOM_API const char *fathom_train_status_text(fathom_train_status status);
FATHOM_API const char *fathom_train_bound_text(fathom_train_bound bound);

/* The dual point v of the lower bound (n x outputs, of the problem as asked for: prices are at most beta),
 * where --save-dual, --certificate or --verify keeps one; ERROR_USAGE elsewhere. Written as NPY, one or two
 * dimensions. */
FATHOM_API fathom_status fathom_train_get_dual(double *v, fathom_context *context,
                                               const fathom_train_result *result,
                                               const fathom_train_options *options);
FATHOM_API fathom_status fathom_train_write_dual(const fathom_train_result *result, fathom_context *context,
                                                 const fathom_train_options *options, const char *path);

/* A path: beta on a geometric grid from beta_max down to `ratio` beta_max, each point started from the one
 * before. */
#define FATHOM_PATH_OPTIONS(X)                                                           \
    X(INTEGER, points, "points", "20", 1, 100000, "N", "points of the grid")             \
    X(REAL, ratio, "ratio", "1e-3", 0, 1, "R", "smallest beta, relative to beta_max")    \
    X(FLAG, knots, "knots", NULL, 0, 0, "",                                              \
      "squared loss on the line: also every penalty at which the knots change, exactly") \
    X(INTEGER, cv, "cv", "0", 0, 1000000, "K", "folds of cross-validation; 0: none; n: leave one out")

FATHOM_OPTIONS_STRUCT(fathom_path_options, FATHOM_PATH_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_path_option_table;

/* Owned by the result. */
typedef struct fathom_path_result {
    int64_t count;              /* points solved: fewer than asked for where a limit stopped the path */
    fathom_train_result *point; /* each with its network, on all data */
    double *cv_loss;            /* weighted mean loss on held-out rows; NULL without cross-validation */
    double *cv_error;           /* standard error of cv_loss over folds */
    int64_t best;               /* the point with the least cv_loss; -1 without cross-validation */
    fathom_end end;             /* of the whole path */
    int64_t rows, outputs;      /* of what follows */
    int64_t *fold;              /* rows: the fold of each; NULL without cross-validation */
    double *held_out; /* points x rows x outputs: what the network without a row's fold says of it */
} fathom_path_result;

/* Trains along a path (--model relu or gated). `gates` NULL: by train->gates. --beta is not used. */
FATHOM_API fathom_status fathom_path(fathom_path_result *result, fathom_context *context, fathom_data *data,
                                     const fathom_gates *gates, const fathom_train_options *train,
                                     const fathom_path_options *path);
FATHOM_API void fathom_path_result_clear(fathom_path_result *result, fathom_context *context);

#ifdef __cplusplus
}
#endif
#endif
