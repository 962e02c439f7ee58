/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the methods of this layer share: the problem, the moving weights, the plan of a run.
 *
 * Every family is written with one hidden block H (m x h) and output weights A (m x o), a_j its row j:
 *
 *   relu, leaky, huber   f(x_i) = sum_j a_j sigma(z_ij),        z_ij = <H_j, x_i>,     h = d
 *   gated                f(x_i) = sum_j a_j G_ij z_ij,          z_ij = <H_j, x_i>,     h = d, G_ij = 1[<v_j, x_i> > 0]
 *   scalar               f(x_i) = sum_j a_j relu(z_ij),         z_ij = H_j G_ij,       h = 1, G_ij = <u_j, x_i>
 *
 * Hidden biases are a last constant column of x, so that d counts it. One output (o = 1) serves two
 * classes, more classes have one each. A gate of a gated network has a linear part for every output: m is
 * o times its width, units j o, .., j o + o - 1 share gate j, and a_{j o + k} is the k-th unit vector,
 * never trained. The flow has o = 1.
 */
#ifndef FATHOM_DYNAMICS_INTERNAL_H
#define FATHOM_DYNAMICS_INTERNAL_H

#include "fathom/flow.h"
#include "fathom/json.h"
#include "planes.h"
#include "loss_row.h"

/* The step sizes; p = sum_j a_j^2 / 2 (that of [002]: its output weights are +-1), X = max_i |x_i|^2. */
typedef enum dynamics_step_kind {
    DYNAMICS_STEP_CONST,  /* E */
    DYNAMICS_STEP_LOG2,   /* first, then Q ln^2(1/R) [002, Sec. 5] */
    DYNAMICS_STEP_THEORY, /* Q_1 ln^2(1/R), Q_1 the largest of [002, Thm 1] */
    DYNAMICS_STEP_LEMMA8  /* 1 / (30 p R X) [002, Lemma 8] */
} dynamics_step_kind;

typedef struct dynamics_step {
    dynamics_step_kind kind;
    double value; /* E or Q */
    double first; /* LOG2: step number 0 */
    double p, reach;
} dynamics_step;

/* When to stop; NaN and -1 where not asked for. */
typedef struct dynamics_until {
    int64_t steps;
    double log_loss, time, wall, distance;
} dynamics_until;

/* What the flow locates along its way: ln R falls to a level, ln(1 + t) or |W - W(0)| rises to one. */
typedef enum dynamics_level { LEVEL_LOSS, LEVEL_TIME, LEVEL_DISTANCE, LEVELS } dynamics_level;
enum { DYNAMICS_MARKS = 16 };
typedef struct dynamics_mark {
    dynamics_level kind;
    double level;
} dynamics_mark;

/* The options, read. */
typedef struct dynamics_plan {
    fathom_net_kind kind;
    double parameter;   /* alpha of leaky, h of huber (NaN: 1/p) */
    int64_t m;          /* width */
    bool first, output; /* layers to train */
    double fixed;       /* output weights +-fixed; NaN: Gaussian */
    double output_sd;   /* of Gaussian output weights; NaN: 1/sqrt(m) */
    double sd;          /* of the hidden weights; NaN: 1/sqrt(d) */
    bool balanced;
    const char *file; /* initial network, or NULL */
    fathom_loss loss;
    dynamics_step step;
    dynamics_until until;
    dynamics_mark mark[DYNAMICS_MARKS]; /* where records are made besides */
    int marks;
    bool open; /* flow: the branch that is followed where there are two */
} dynamics_plan;

typedef struct dynamics_problem {
    fathom_context *context;
    const fathom_flow_options *options;
    const char *source, *data_options; /* of the data, borrowed; NULL for arrays */
    fathom_net *start;                 /* weights to begin with, or NULL */
    dynamics_plan plan;
    int64_t n, d, m, h, o;
    bool bias;                  /* the last column of x is the constant of the hidden biases */
    fathom_normalize normalize; /* how the rows of x were made */
    double *x;                  /* n x d */
    bool lent;                  /* by the data, whose rows stay in their file */
    double *y;                  /* n x o */
    double *weight;             /* n, of mean 1; NULL: all equal */
    double *target;       /* 2 x o: mean and scale of targets that were standardised; NULL: they were not */
    double *fixed;        /* m x d: u_j of scalar, v_j of gated; NULL otherwise */
    double *gate;         /* n x m: G; NULL otherwise */
    fathom_planes planes; /* flow of relu and leaky networks: examples by hyperplanes; else empty */
    double reach;         /* max_i |x_i| */
    bool tiled;           /* activations of all pairs are too many to keep: batches go by tiles of neurons */
    fathom_data *test;    /* that of --test, or NULL */
    uint64_t seed;
    uint64_t hash; /* of the data */
} dynamics_problem;

enum { DYNAMICS_UNKNOWN = 255 };
enum { DYNAMICS_MONITORS_AUTO, DYNAMICS_MONITORS_ALL }; /* --monitors */

/* What moves; a checkpoint is this. */
typedef struct dynamics_state {
    double *hidden, *output;   /* m x h; m x o */
    double *hidden0, *output0; /* at the beginning */
    uint8_t *sliding;          /* m x n, flow only; else NULL */
    uint8_t *
        modes; /* --accuracy reference: m x planes, 0 closed, 1 open, 2 slides, DYNAMICS_UNKNOWN; else NULL */
    int64_t steps, evaluations, events, nonunique;
    int64_t increases;     /* gd: steps after which the loss was larger; -1 for other methods */
    int64_t stiff;         /* flow: 1 where steps are implicit */
    int64_t climb;         /* gd: how many of them in a row at last */
    double time, log_time; /* t (infinite where it is not representable), ln(1 + t) */
    double last_step;
    double controller;     /* flow: the next step to try; NaN: none yet */
    double start_log_loss; /* of the beginning */
    double last_log_loss;  /* gd: of the step before; NaN: none */
    int64_t next_record;   /* step of the next monitor */
} dynamics_state;

/* Workspace of evaluations on all examples; of length n x m (NULL where it goes by tiles), n x o, m x h and
 * m x o. */
typedef struct dynamics_batch {
    double *z, *work;
    double *tile, *part; /* of all threads (batch_tiles.c), or NULL */
    double *f, *slope;
    double *hidden, *output; /* gradients */
    fathom_loss_summary summary;
} dynamics_batch;

/* --precision single: what products are made of. Weights of the state are numbers of single precision, kept
 * as doubles. */
typedef struct dynamics_single {
    float *x;      /* n x d */
    float *u, *a;  /* weights by panels (float_panels.h) */
    float *z;      /* n x columns of all panels; NULL where they are too many to keep */
    float *slope;  /* n x o */
    float *room;   /* of all threads */
    int64_t apart; /* of it for one */
    float low;     /* slope below the kink */
} dynamics_single;

/* A run: everything at hand. */
typedef struct dynamics_run {
    dynamics_problem *problem;
    dynamics_state state;
    dynamics_state good; /* weights and counters of the last record that was in order */
    dynamics_state
        before;       /* that before a last step which was cut short; only where a checkpoint is written */
    bool kept;        /* whether `before` is what a checkpoint holds */
    bool begun;       /* the start is there, in `good` */
    double known;     /* ln R of `state` where it has made known_at steps */
    int64_t known_at; /* -1: no loss is known yet */
    dynamics_batch batch;
    dynamics_single single; /* empty unless --precision single */
    fathom_flow_result *result;
    fathom_flow_observer observer;
    void *user;
    int log;                      /* file descriptor of the log, -1: none */
    double record_seconds;        /* that the last record took */
    double started, checkpointed; /* wall clock of the start and of the last checkpoint */
} dynamics_run;

/* flow_options.c: reads the texts of the options. */
fathom_status fathom_dynamics_plan(dynamics_plan *plan, fathom_context *context,
                                   const fathom_flow_options *options, int64_t n);

/* flow_problem.c: data and network into the form above, and back into a network. */
fathom_status fathom_dynamics_problem_create(dynamics_problem *problem, fathom_context *context,
                                             fathom_data *data, const fathom_flow_options *options);
void fathom_dynamics_problem_clear(dynamics_problem *problem);
fathom_status fathom_dynamics_net(fathom_net **net, const dynamics_problem *problem,
                                  const dynamics_state *state);

/* flow_init.c: gives the state at the beginning; the copy takes weights and counters, not hidden0 and
 * output0. */
fathom_status fathom_dynamics_state_create(dynamics_state *state, const dynamics_problem *problem);
void fathom_dynamics_state_free(dynamics_state *state, fathom_context *context);
void fathom_dynamics_state_copy(dynamics_state *to, const dynamics_state *from,
                                const dynamics_problem *problem);
fathom_status fathom_dynamics_init(dynamics_problem *problem, dynamics_state *state);

/* batch.c: outputs and summary; gradients by H and a of the function whose derivatives by f are
 * batch->slope. */
fathom_status fathom_dynamics_batch_create(dynamics_batch *batch, const dynamics_problem *problem);
void fathom_dynamics_batch_free(dynamics_batch *batch, fathom_context *context);
fathom_status fathom_dynamics_forward(dynamics_batch *batch, const dynamics_problem *problem,
                                      const dynamics_state *state, fathom_slope slope);
fathom_status fathom_dynamics_backward(dynamics_batch *batch, const dynamics_problem *problem,
                                       const dynamics_state *state);

/* batch_single.c: the same for --precision single, gradients rounded to doubles; and weights that single
 * precision has. */
fathom_status fathom_dynamics_single_create(dynamics_single *single, const dynamics_problem *problem);
void fathom_dynamics_single_free(dynamics_single *single, fathom_context *context);
double fathom_dynamics_single_bytes(const dynamics_problem *problem);
fathom_status fathom_dynamics_single_forward(dynamics_batch *batch, dynamics_single *single,
                                             const dynamics_problem *problem, const dynamics_state *state,
                                             fathom_slope slope);
fathom_status fathom_dynamics_single_backward(dynamics_batch *batch, dynamics_single *single,
                                              const dynamics_problem *problem);
void fathom_dynamics_single_round(double *weights, int64_t count);

/* batch_tiles.c: the same without activations of all pairs; outputs f alone, and pairs whose gate has changed. */
fathom_status fathom_dynamics_tiles_create(dynamics_batch *batch, const dynamics_problem *problem);
double fathom_dynamics_tiles_bytes(const dynamics_problem *problem);
fathom_status fathom_dynamics_tiles_outputs(dynamics_batch *batch, const dynamics_problem *problem,
                                            const dynamics_state *state);
fathom_status fathom_dynamics_tiles_gradients(dynamics_batch *batch, const dynamics_problem *problem,
                                              const dynamics_state *state);
fathom_status fathom_dynamics_tiles_changes(int64_t *count, const dynamics_batch *batch,
                                            const dynamics_problem *problem, const dynamics_state *state);

/* Where gates of all pairs are kept: that of unit j on example i; 1 in networks that have none. */
static inline double fathom_dynamics_gate(const dynamics_problem *problem, int64_t i, int64_t j)
{
    return problem->gate ? problem->gate[i * problem->m + j] : 1;
}

/* Whether the margin losses' log-space slopes apply. */
static inline bool fathom_dynamics_log_space(const dynamics_problem *problem)
{
    return fathom_loss_row_of(problem->plan.loss)->probabilities;
}

/* Value and slope of a hidden unit with this gate, z its pre-activation: the one place that knows the
 * families. */
double fathom_dynamics_unit(const dynamics_problem *problem, double gate, double z);
double fathom_dynamics_unit_slope(const dynamics_problem *problem, double gate, double z);

/* schedule.c: ln of step number t at mean loss e^log_loss; completes a schedule once the first loss is
 * known. */
fathom_status fathom_dynamics_step_start(dynamics_run *run);
double fathom_dynamics_step_log(const dynamics_step *step, int64_t t, double log_loss);

/* flow_resume.c: the options of the run in options->resume, with what may be new taken from `options`,
 * which receives them. *lines is what their texts are borrowed from, to be freed after the run. */
fathom_status fathom_dynamics_resume_options(fathom_flow_options *options, char **lines,
                                             fathom_context *context);

/* The methods: run until the plan says stop; the result's status and reason are set. */
fathom_status fathom_dynamics_gd(dynamics_run *run);
fathom_status fathom_dynamics_sgd(dynamics_run *run);
fathom_status fathom_dynamics_flow(dynamics_run *run);

/* Networks and losses that --method flow does not take are refused; called before anything is allocated. */
fathom_status fathom_dynamics_flow_check(const dynamics_problem *problem);

/* reference_flow.c: the flow with --accuracy reference, for relu and leaky networks whose first layer is
 * trained. */
fathom_status fathom_dynamics_reference(dynamics_run *run);

/* Whether a monitor of this many operations is made: with --monitors auto where they are few. */
static inline bool fathom_dynamics_watches(const dynamics_problem *problem, double operations)
{
    const int monitors = problem->options->monitors;
    return monitors == DYNAMICS_MONITORS_ALL || (monitors == DYNAMICS_MONITORS_AUTO && operations <= 1e9);
}

/* monitor.c: everything that is watched, at the current state; fills the batch as well. */
double fathom_dynamics_norm(const dynamics_problem *problem, const dynamics_state *state);
fathom_status fathom_dynamics_monitor(fathom_flow_record *record, dynamics_run *run);

/* A record of a state of which nothing is known but its clocks. */
fathom_flow_record fathom_dynamics_unmeasured(const dynamics_state *state);

/* monitor_groups.c: cluster_ratio, max_angle, linear fractions, nar, par [004]; fills the limit, too. */
fathom_status fathom_dynamics_groups(fathom_flow_record *record, dynamics_run *run);

/* monitor_test.c: opens the data of --test; test_accuracy; test_linear_fraction for w - u (d) and the
 * radius r. */
fathom_status fathom_dynamics_test_open(dynamics_problem *problem, const fathom_data *data);
fathom_status fathom_dynamics_test(fathom_flow_record *record, const dynamics_run *run);
double fathom_dynamics_test_linear(const dynamics_problem *problem, const double *difference, double r);

/* limit.c: the predicted limit, and the angles to it, for mean neurons w and u (d) of two groups, and
 * the sums of squares of their output weights. */
fathom_status fathom_dynamics_limit(fathom_flow_limit *limit, const dynamics_problem *problem,
                                    const double *w, double w_squares, const double *u, double u_squares);

/* kkt_point.c: the KKT point in whose activation pattern the state is; `end` is its record. */
fathom_status fathom_dynamics_ending(fathom_flow_ending *ending, const dynamics_problem *problem,
                                     const dynamics_state *state, const fathom_flow_record *end);

/* monitor_line.c: max |f - s| between the least and the largest input, s the linear interpolation of the
 * data; NaN where there is none. */
fathom_status fathom_dynamics_line(double *deviation, const dynamics_problem *problem,
                                   const dynamics_state *state);

/* monitor_descent.c: the quantities of the proof of [002, Thm 1]; after the rest of the record. */
fathom_status fathom_dynamics_descent(fathom_flow_record *record, dynamics_run *run);

/* course.c: records when they are due; whether to stop. Called before every step with ln R of the current
 * state (NaN: not known, no test of the loss). */
typedef enum dynamics_verdict { DYNAMICS_GO, DYNAMICS_STOP } dynamics_verdict;
fathom_status fathom_dynamics_course(dynamics_verdict *verdict, dynamics_run *run, double log_loss);

/* The run ends here where it was stopped: with the state before the step that was given up, of which loss and norms are
 * known, or else with the last record. */
void fathom_dynamics_settle(dynamics_run *run);

/* Whether a loss, a time or a distance that was asked for is reached. */
bool fathom_dynamics_reached(const dynamics_run *run, double log_loss);

/* |W - W(0)| over the trained layers. */
double fathom_dynamics_distance(const dynamics_problem *problem, const dynamics_state *state);

/* Adds a step of length e^log_step to the clocks. */
void fathom_dynamics_clock_add(dynamics_state *state, double log_step);

/* The step to come is cut short by --until: a checkpoint holds the state before it, from which a longer run
 * takes the whole step. */
void fathom_dynamics_keep(dynamics_run *run);

/* gd, sgd: ln of a step that does not go beyond --until time=T: the step itself, or what is left where
 * that is less by more than rounding. *last: it ends at T. */
double fathom_dynamics_step_cut(bool *last, const dynamics_run *run, double log_step);

/* The number of whole steps that are left until T, to rounding. */
double fathom_dynamics_steps_whole(const dynamics_run *run, double step);

/* Clocks that are T but for rounding show T. */
void fathom_dynamics_clock_round(dynamics_run *run);

/* Adds the step that ends at T to the clocks: they show T. */
void fathom_dynamics_clock_end(dynamics_run *run, double log_step);

/* Flow: whether `window` steps brought less than 1e-4 in ln R: a stationary point, or a limit that is none. */
bool fathom_dynamics_stands(dynamics_run *run, double log_loss, int64_t window);

/* Whether a limit or a signal ends a run in the midst of a step, where steps and records are long and there
 * is a record to end with. */
bool fathom_dynamics_cut(dynamics_run *run);

/* Ends a run for a reason of its own, with the state as it is: it is recorded. */
fathom_status fathom_dynamics_end_here(dynamics_run *run, fathom_flow_status status, const char *reason);

/* trace.c: what --trace and --trace-of add to a line of the log; ERROR_USAGE for names that there are not. */
fathom_status fathom_dynamics_trace(fathom_json *object, dynamics_run *run);
fathom_status fathom_dynamics_trace_check(const dynamics_problem *problem);

/* record.c: one line per record. */
fathom_status fathom_dynamics_log_open(dynamics_run *run);
fathom_status fathom_dynamics_log_write(dynamics_run *run, const fathom_flow_record *record);
void fathom_dynamics_log_close(dynamics_run *run);

/* In builds for fuzzing a harness sets it: nothing random has the digest of its content. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
extern bool fathom_dynamics_any_digest;
#else
enum { fathom_dynamics_any_digest = false };
#endif

/* checkpoint.c: the state to a file and back, bit for bit. */
fathom_status fathom_dynamics_checkpoint_write(const dynamics_run *run);
fathom_status fathom_dynamics_checkpoint_read(dynamics_run *run);

#endif
