/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient descent, stochastic gradient descent and gradient flow of two-layer networks, with monitors.
 *
 *     minimise  R(W) = (1/n) sum_i l(y_i f(x_i)),   f(x) = sum_j a_j sigma(<v_j, x>)          [002, 003, 004]
 *
 * With more than two classes f has an output for each and l is softmax (gd and sgd); vectors are fitted with
 * the squared loss.
 * The conventions of the papers are the defaults by network: relu [003], huber [002], leaky [004];
 * docs/explanation/dynamics.md
 * states them. Losses are kept as logarithms: a mean loss of e^-1000 is as good as one of 1/2.
 */
#ifndef FATHOM_FLOW_H
#define FATHOM_FLOW_H

#include "fathom/net.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the choices below. */
typedef enum fathom_flow_train {
    FATHOM_FLOW_TRAIN_DEFAULT,
    FATHOM_FLOW_TRAIN_FIRST,
    FATHOM_FLOW_TRAIN_BOTH,
    FATHOM_FLOW_TRAIN_OUTPUT
} fathom_flow_train;
typedef enum fathom_flow_method {
    FATHOM_FLOW_GD,  /* full batches */
    FATHOM_FLOW_SGD, /* one example a step */
    FATHOM_FLOW_FLOW /* the limit of small steps */
} fathom_flow_method;

#define FATHOM_FLOW_OPTIONS(X)                                                                               \
    X(TEXT, net, "net", NULL, 0, 0, "relu|leaky:A|huber:H|scalar|gated", "kind of network (default relu)")   \
    X(INTEGER, width, "width", NULL, 1, 1e9, "M", "hidden units (default 100; huber 200)")                   \
    X(CHOICE, train, "train", "default", 0, 0, "default|first|both|output",                                  \
      "layers to train (default: relu and scalar both, the others the first)")                               \
    X(CHOICE, hidden_bias, "hidden-bias", "auto", 0, 0, "auto|none",                                         \
      "none: huber networks without the hidden biases that they have by default")                            \
    X(TEXT, output_weights, "output-weights", NULL, 0, 0, "fixed:V|gaussian[:SD]",                           \
      "output weights: +V on the first half and -V on the rest (more classes: V on a part each), or N(0, "   \
      "SD^2) (default SD^2 = 1/M)")                                                                          \
    X(INPUT, init, "init", NULL, 0, 0, "normal:SD|pytorch|balanced|FILE",                                    \
      "initial hidden weights: SD times N(0, I), N(0, I/d), with |a_j| = |v_j|, or a model file")            \
    X(CHOICE, method, "method", "gd", 0, 0, "gd|sgd|flow", "gradient descent, SGD or gradient flow")         \
    X(CHOICE, precision, "precision", "double", 0, 0, "double|single",                                       \
      "gd, sgd of relu and leaky networks: single keeps weights and makes products in single precision; "    \
      "what is watched is found in double")                                                                  \
    X(CHOICE, sample, "sample", "epochs", 0, 0, "epochs|fresh",                                              \
      "order of SGD: every epoch a new permutation, or each row once as they stand")                         \
    X(CHOICE, accuracy, "accuracy", "default", 0, 0, "fast|default|reference", "error control of the flow")  \
    X(CHOICE, branches, "branches", "both", 0, 0, "both|one",                                                \
      "flow that is not unique: to the inactive sides, then to the active ones as well, or the first alone") \
    X(TEXT, step, "step", NULL, 0, 0, "const:E|log2:Q|theory[:Q]|lemma8",                                    \
      "step sizes (default const:0.01; huber log2 with Q = 1/p; theory: the largest Q of [002, Thm 1])")     \
    X(CHOICE, loss, "loss", "logistic", 0, 0, "logistic|exponential|squared|hinge", "loss function")         \
    X(REAL, decay, "decay", "0", 0, 1e300, "B",                                                              \
      "gd, sgd: weight decay, (B/2) |W|^2 of the trained weights without biases is added to the loss")       \
    X(CHOICE, targets, "targets", "raw", 0, 0, "raw|standardize",                                            \
      "squared loss: targets as they are, or to mean 0 and variance 1 (the network is scaled back)")         \
    X(TEXT, until, "until", NULL, 0, 0, "steps=N,...",                                                       \
      "when to stop: steps=N, epochs=N, loss=L, log_loss=L, time=T, distance=D (of |W - W(0)|), "            \
      "wall=SECONDS (default: flow loss=1e-6, gd steps=1000, sgd epochs=100 or every row once)")             \
    X(TEXT, mark, "mark", NULL, 0, 0, "loss=L,...",                                                          \
      "flow: records exactly where loss=L, log_loss=L, time=T or distance=D is crossed; several of a kind")  \
    X(CHOICE, monitors, "monitors", "auto", 0, 0, "auto|all|basic",                                          \
      "basic: loss, margins, norms; all: groups, limit, Hessian, activations as well; auto: all that are "   \
      "cheap at this size")                                                                                  \
    X(INTEGER, every, "every", NULL, 1, 1e18, "K", "monitor every K steps (default: log-spaced)")            \
    X(OUTPUT, log, "log", NULL, 0, 0, "FILE",                                                                \
      "append one JSON line per monitored step; - is standard output")                                       \
    X(FLAG, trace, "trace", NULL, 0, 0, "", "the log holds the neurons, too")                                \
    X(TEXT, trace_of, "trace-of", NULL, 0, 0, "NAME,...",                                                    \
      "the log holds these: a, size, cosine, coordinates x1, x2, ... or all (x), margins p, duals q, "       \
      "weights W (--trace: a,size,cosine,x1,x2,x3)")                                                         \
    X(FLAG, ending, "ending", NULL, 0, 0, "",                                                                \
      "the KKT point of the margin problem in whose pattern the run ends, with its residuals: whether it "   \
      "is "                                                                                                  \
      "a local maximum, and where a larger margin lies")                                                     \
    X(INPUT, test, "test", NULL, 0, 0, "DATA", "second data set, watched as well")                           \
    X(INPUT, test_rows, "test-rows", NULL, 0, 0, "A:B|FILE", "rows of the test data, as --rows")             \
    X(OUTPUT, checkpoint, "checkpoint", NULL, 0, 0, "FILE", "keep the state here, also at the end")          \
    X(INPUT, resume, "resume", NULL, 0, 0, "FILE", "continue from a checkpoint; --until may be new")

FATHOM_OPTIONS_STRUCT(fathom_flow_options, FATHOM_FLOW_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_flow_option_table;

typedef enum fathom_flow_status {
    FATHOM_FLOW_REACHED,     /* what was asked for */
    FATHOM_FLOW_LIMIT,       /* a limit came before the loss that was asked for */
    FATHOM_FLOW_STUCK,       /* the gradient vanished before */
    FATHOM_FLOW_PRECISION,   /* rounding ends the run: margins no longer carry their error */
    FATHOM_FLOW_INTERRUPTED, /* by the caller */
    FATHOM_FLOW_DIVERGED     /* the numbers overflowed or the loss exploded; the last good state is kept */
} fathom_flow_status;

enum { FATHOM_FLOW_QUANTILES = 7 }; /* 0, 0.1, 0.25, 0.5, 0.75, 0.9, 1 */

/* What is watched; keys of logs and results have these names. NaN (or -1 for counts) where it does not apply.
 * */
typedef struct fathom_flow_record {
    int64_t steps, evaluations; /* updates; evaluations of outputs or duals on all examples (SGD: on one) */
    double time;                /* sum of the steps, or t of the flow; infinite beyond 1e300 */
    double log_time;            /* ln(1 + time) */
    double step;                /* the last one */
    double log_loss;            /* ln R */
    double objective;           /* R + (B/2) |W|^2 with --decay B, biases apart */
    double accuracy;            /* share of p_i > 0 */
    double norm;                /* |W| of the trained weights */
    double distance;            /* |W - W(0)| */
    double margin;              /* min_i p_i, p_i = y_i f(x_i); more classes: f_y - max_{k != y} f_k */
    double normalized_margin;   /* margin / |W|^L, L = 2 where both layers are trained, else 1 */
    double smoothed_margin;     /* l^{-1}(sum_i l(p_i)) */
    double smoothed_normalized_margin;
    double log_gradient;        /* ln |grad R| of the trained weights */
    int64_t activation_changes; /* pairs (neuron, example) whose gate is not that of the beginning */
    int64_t sliding_pairs;      /* pairs held on their kink by the flow; -1 for gd and sgd */
    double rotation[FATHOM_FLOW_QUANTILES];    /* of cos(v_j(0), v_j) over neurons */
    double neuron_norm[FATHOM_FLOW_QUANTILES]; /* of |a_j| |v_j| relative to the largest */
    double balance;                            /* both layers: largest drift of |a_j|^2 - |v_j|^2 */
    double cluster_ratio;         /* r / |w - u|, w and u the mean neurons of the two signs [004, Sec. 5] */
    double max_angle;             /* degrees, within a group; of large groups a lower bound ... */
    double max_angle_upper;       /* ... and an upper one */
    double linear_fraction;       /* share of examples with |<w - u, x>| >= 2 r |x| [004, Thm 5.1] */
    double linear_fraction_sharp; /* the same with (1 - alpha) / (1 + alpha) in place of 2 */
    double par_share_w, par_share_u; /* share of the neurons of a group that see every example as in a PAR */
    int64_t disagreements_w,
        disagreements_u; /* largest number of examples that two neurons of a group see differently ... */
    int64_t disagreements_w_upper, disagreements_u_upper; /* ... of large groups between these two bounds */
    double test_accuracy, test_linear_fraction;           /* on the data of --test */
    int nar, par;        /* [004, Def. 6.2, 6.3] with beta = 1e-6 max |x|; -1: not defined */
    double group_margin; /* the largest beta of a NAR that holds the neurons; not positive: none does */
    double limit_angle;  /* degrees, the larger of w and u, from the limit that is predicted */
    double kkt_residual; /* 1 - cos(W, D), D the gradient of the smoothed margin: 0 at a KKT point [003] */
    double kkt_slack;    /* sum_i q_i p_i / (sum_i q_i min p) - 1: 0 where only the least margins push */
    /* First layer trained by gradient descent, output weights fixed [002]; X = max |x_i|, p = sum_j a_j^2 /
     * 2. */
    double rho;    /* |grad R| |V| / (R ln(1/R)): at least 5/6 where Lemma 10 applies */
    double lemma6; /* |Hess R| / (p X^2 R), estimated from below: at most 5 (3 by a sharper proof) */
    double lemma7; /* |grad R| / (X sqrt(2p) min(R, 1)): at most 1 */
    double lemma8; /* 30 p X^2 times step times R, (I2): where at most 1 the loss falls as the lemma says */
    double i1;     /* R_t (Q_2 (t - 1) + 1) / R_1, steps of Theorem 1 alone: at most 1 */
    double i3;     /* ln^2(1/R_t) / |V_t|, relative to t = 1: at least 1 */
    /* squared loss, inputs on the line: max |f - linear interpolation of the data| between them */
    double spline_deviation;
    int64_t increases; /* gd: steps after which the loss was larger; -1 otherwise */
} fathom_flow_record;

/* Where two groups of neurons with fixed output weights should go; margins of the mean neurons per sqrt of
 * the sum of squares of the positive output weights (v sqrt(k) for k weights v). NaN where the program has no
 * solution or was not solved [004, Thm 6.2; docs/explanation/dynamics.md]. */
typedef struct fathom_flow_limit {
    double par_lower, par_upper; /* margin of the PAR program, bracketed */
    double par_beta;     /* the least distance at which its solution sees an example on the right side */
    int par_consistent;  /* whether that is positive: only then it is a limit; -1: not known */
    double lower, upper; /* margin of the program of the pattern that the flow ends in */
    int64_t kinks;       /* sides of it that hold a neuron on its kink; -1: not known */
    int64_t rounds;      /* patterns tried */
    double angle[2];     /* degrees between the mean neurons w, u and that limit */
    int claimed; /* 1: neurons of a group are within a degree of each other, and two means stand for them; 0: they are not,
                    and the programs say nothing about where this flow goes; -1: not known */
} fathom_flow_limit;

/* The KKT point of the margin problem, minimise |W| over p_i(W) >= 1, in whose activation pattern a run ends:
 * relu and leaky networks of
 * one output, margin losses, all examples right [docs/explanation/dynamics.md]. */
typedef struct fathom_flow_ending {
    int found; /* 1: a network with the residuals below; 0: none was found, and nothing is claimed; -1: not looked for */
    const char *reason; /* static text where there is none */
    double margin;      /* min_i p_i / |W|^L of it */
    double residual;    /* |W - sum_i l_i g_i| / |W| where min p = 1, g_i Clarke gradients of p_i */
    double slack;       /* sum_i l_i (p_i - 1) / sum_i l_i */
    double angle;       /* degrees between the end of the run and it */
    int64_t patterns;   /* tried: 1 where it is that of the run itself */
    int64_t neurons;    /* of it that are not 0 */
    int64_t supports;   /* examples with l_i > 0 */
    int64_t kinks;      /* pairs of neuron and example on a kink with l_i > 0 */
    int maximum;        /* 1: a local maximum of min_i p_i / |W|^L; 0: not; -1: not decided */
    const char *why;    /* static text: what decided that */
    /* both layers: the largest |sum_i l_i y_i relu(<v, x_i>)| over |v| = 1 that was found; above 1 a new
     * neuron helps */
    double price;
    double escape_margin; /* of a network that a segment of increasing margin leads to; NaN: none was found */
    fathom_net *net;      /* the KKT point, and ... */
    fathom_net *escape;   /* ... that network; NULL: none */
    double *dual;         /* n: l_i; NULL: none */
} fathom_flow_ending;

typedef struct fathom_flow_result {
    fathom_flow_status status;
    const char *reason;       /* static text: what ended the run */
    const char *method;       /* static text */
    fathom_flow_record end;   /* of the last good state */
    int64_t events;           /* flow: kinks met; -1 for gd and sgd */
    int64_t nonunique;        /* flow: moments with more than one continuation: to the inactive side */
    int branches;             /* 2 where a second one was followed, to the other side at those moments */
    fathom_flow_record other; /* its end */
    double apart;             /* |W - W'| / |W| of the two ends */
    fathom_flow_limit limit;  /* leaky networks with fixed output weights; else NaN and -1 */
    /* where --ending asks for it, and where two means do not stand for the neurons */
    fathom_flow_ending ending;
    fathom_loss loss;
    fathom_net *net;         /* the last good state; NULL where a limit came before the start was made */
    fathom_context *context; /* of what it owns */
} fathom_flow_result;

/* Runs. NULL options mean the defaults. A limit is an outcome, not a failure; so is divergence. */
FATHOM_API fathom_status fathom_flow_run(fathom_flow_result *result, fathom_context *context,
                                         fathom_data *data, const fathom_flow_options *options);
FATHOM_API void fathom_flow_result_clear(fathom_flow_result *result);

/* Called at every record, which is lent. */
typedef void (*fathom_flow_observer)(void *user, const fathom_flow_record *record);

/* The same from the weights of `start` (NULL: as the options say), with an observer (NULL: none). */
FATHOM_API fathom_status fathom_flow_watch(fathom_flow_result *result, fathom_context *context,
                                           fathom_data *data, const fathom_flow_options *options,
                                           fathom_net *start, fathom_flow_observer observer, void *user);

/* Gives the data of a checkpoint: sets the context's seed to that of the run, and opens `spec` with
 * `options`, or, where spec is
 * NULL, what the run was made of. A run resumed from a file takes network, loss, method and accuracy from it;
 * --until, --every, --log and
 * --checkpoint are those of the options, and so is --step where it is given. */
FATHOM_API fathom_status fathom_flow_open_data(fathom_data **data, fathom_context *context, const char *path,
                                               const char *spec, const fathom_data_options *options);

/* "reached", "limit", ... */
FATHOM_API const char *fathom_flow_status_text(fathom_flow_status status);

#ifdef __cplusplus
}
#endif
#endif
