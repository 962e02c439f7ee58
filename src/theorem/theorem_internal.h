/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of all papers share: lines of a result, labelled points, margins and runs. */
#ifndef FATHOM_THEOREM_INTERNAL_H
#define FATHOM_THEOREM_INTERNAL_H

#include <math.h>

#include "fathom/check.h"
#include "fathom/flow.h"
#include "fathom/margin.h"

typedef struct theorem_run {
    fathom_context *context;
    fathom_data *data;
    const fathom_check_options *options;
    fathom_check_result *result;
    const struct theorem_row *row;
    int64_t n, d;
    double *x;       /* n x d */
    double *y;       /* n: -1 and +1, or numbers where the theorem takes them */
    double reach;    /* max |x_i| */
    double chance;   /* probability with which the theorem lets one draw fail; 0: never */
    bool comparison; /* whether the line made last is one */
    const char *
        broken; /* static text: why what is measured from here on is not what the theorem speaks of; NULL: it is */
} theorem_run;

typedef fathom_status theorem_function(theorem_run *run);

/* Standing assumptions of a paper, measured before the statement's own; theorem_lines.c has their lines. */
enum {
    THEOREM_UNIT_BALL = 1,   /* |x_i| <= 1 */
    THEOREM_UNIT_SPHERE = 2, /* |x_i| = 1 */
    THEOREM_NO_BIAS = 4,     /* no free hidden biases (--bias free) */
    THEOREM_EVEN = 8         /* --width is even: refused otherwise */
};

/* A statement is one row and one function. */
typedef struct theorem_row {
    const char *id;
    bool numbers; /* targets are numbers, not labels */
    theorem_function *check;
    const char *statement, *correction;
    unsigned standing;     /* assumptions above */
    const char *uses;      /* options that it reads, separated by commas; others are refused. NULL: none */
    const char *constants; /* constants of --constants that it reads, likewise */
} theorem_row;

/* theorem_lines.c. A number that is known to lie in an interval; NaN: not known on that side. */
typedef struct theorem_range {
    double lower, upper;
} theorem_range;
static inline theorem_range theorem_exact(double value) { return (theorem_range){value, value}; }

/* A truth value as a number; NaN where it is not known (-1). */
static inline double theorem_truth(int value) { return value < 0 ? (double)NAN : (double)value; }

/* 1, 0, or -1 where the intervals leave both open. */
int theorem_relate(theorem_range value, const char *relation, theorem_range required);

/* A hypothesis; the same of a run, which is undecided where the run broke (run->broken). */
void theorem_assume(theorem_run *run, const char *name, double value, const char *relation, double required);
void theorem_assume_range(theorem_run *run, const char *name, theorem_range value, const char *relation,
                          theorem_range required);
void theorem_assume_seen(theorem_run *run, const char *name, double value, const char *relation,
                         double required);

/* A comparison of a bound with a run, undecided where the run broke. */
void theorem_compare(theorem_run *run, const char *name, double value, const char *relation, double required);
void theorem_compare_range(theorem_run *run, const char *name, theorem_range value, const char *relation,
                           theorem_range required);

/* The same of a limit: a finite run that does not meet it yet leaves it undecided. */
void theorem_compare_limit(theorem_run *run, const char *name, theorem_range value, const char *relation,
                           theorem_range required);

/* The theorem holds with probability 1 - failure over draws: a hypothesis that this says something, and
 * from here on one draw that fails a comparison leaves it undecided. */
void theorem_chance(theorem_run *run, double failure);

/* The interval of a probability of which at least `few` and at most `many` of `count` draws were seen: each
 * end is wrong with probability `risk` at most [Clopper and Pearson 1934]. */
theorem_range theorem_share(double few, double many, double count, double risk);

/* How many examples --test has, read as the data is. */
fathom_status theorem_count_examples(double *count, const theorem_run *run);

/* Words about the line made last, and whether it says nothing: what every run meets is not compared. */
void theorem_note(theorem_run *run, const char *text);
void theorem_vacuous(theorem_run *run, bool vacuous, const char *text);

/* The line made last, where it fails, refutes a constant that the check chose, or what a run has not met so far
 * (theorem_finite_text), not the theorem: undecided. */
void theorem_soften(theorem_run *run, bool open, const char *text);
extern const char *const theorem_finite_text;

/* Says what the check chose by itself, a line. */
void theorem_say(theorem_run *run, const char *format, ...);

/* Breaks what follows: a limit, a run that diverged or stands still. The first reason is kept. */
void theorem_break(theorem_run *run, const char *reason);

/* The lines of the row's standing assumptions; ERROR_USAGE for an odd width. */
fathom_status theorem_standing(theorem_run *run);

/* Lists, separated by commas, of what is read: those of the row, or where `solve` those of --solve, whose `uses` is NULL
 * where the statement has nothing to solve for. */
typedef struct theorem_reads {
    const char *theorem, *uses, *constants;
} theorem_reads;
theorem_reads theorem_reads_of(const theorem_row *row, bool solve);

/* ERROR_USAGE for options and constants that the row (or --solve) does not read, and for constants that cannot be read. */
fathom_status theorem_options_check(theorem_run *run);
bool theorem_uses(const theorem_row *row, bool solve, const char *name, size_t length);

/* One "NAME=VALUE" of a list: how long the name is, and the value; false where it is bad. The next one. */
bool theorem_constant_read(const char *text, size_t *name, double *value);
const char *theorem_constant_next(const char *text);

/* theorem_support.c. A constant by name: that of --constants, or the default. */
double theorem_constant(const theorem_run *run, const char *name, double preset);

/* A run of the dynamics that has a network at its end, or FATHOM_ERROR_STOPPED. */
fathom_status theorem_flow_plain(fathom_flow_result *result, theorem_run *run,
                                 const fathom_flow_options *options, fathom_net *start,
                                 fathom_flow_observer observer, void *user);

/* Whether the step before a record is one of the schedule, which would have been `nominal` long:
 * --until time=T shortens the last one, and statements about steps speak of whole ones, those that end
 * at T to rounding among them. */
bool theorem_is_whole(const fathom_flow_record *r, double nominal);

/* The same; breaks the check where it was cut, diverged or stands still before its end. */
fathom_status theorem_flow(fathom_flow_result *result, theorem_run *run, const fathom_flow_options *options,
                           fathom_net *start, fathom_flow_observer observer, void *user);

/* The network that a run would start from, to be freed. */
fathom_status theorem_start(fathom_net **net, theorem_run *run, const fathom_flow_options *options);

/* A margin by these options, on `width` gates where that is positive; the view's arrays are gone. */
fathom_status theorem_margin_by(fathom_margin_view *view, theorem_run *run, fathom_margin_options *options,
                                int64_t width);

/* An interval that holds the margin of this kind, and the note for lines with it (how sure that is, or
 * NULL); width 0: infinite. */
fathom_status theorem_margin(theorem_range *range, const char **note, theorem_run *run,
                             fathom_margin_kind kind, int64_t width, double gap);

/* max over |w| = 1 of min_i y_i <w, x_i>, bracketed; 0 where the data is not separable by w. */
fathom_status theorem_linear_margin(theorem_range *range, theorem_run *run);

/* Options of a run with the defaults; its width and --init, --until of the check where given. */
fathom_flow_options theorem_flow_options(const theorem_run *run, const char *net, int64_t width,
                                         const char *until);

/* collapse.c: cones of [003, Assumption 3.1], found or refuted. */
typedef struct theorem_cones {
    int64_t count;  /* r */
    int decided;    /* 1: cones were found; 0: there are none; -1: neither */
    double margin;  /* gamma_nc */
    double epsilon; /* of the assumption, less than gamma_nc */
    double slack;   /* 1 - the largest least norm of a direction: not negative where found */
    double most;    /* no cones on the same examples have a larger gamma_nc - epsilon; infinite: not known */
    const char *reason; /* static text where there are none, or none were found */
} theorem_cones;

/* The cones with the largest gamma_nc - epsilon, or with the epsilon that is given (NaN: not).
 * `corrected`: with the polar that the proof needs. */
fathom_status theorem_cones_find(theorem_cones *cones, theorem_run *run, double epsilon, bool corrected);

/* The same for directions that are given (count x d, of any length but 0). */
fathom_status theorem_cones_given(theorem_cones *cones, theorem_run *run, const double *beta, int64_t count,
                                  double epsilon, bool corrected);

/* The one or the other: beta is NULL where directions are to be found. */
fathom_status theorem_cones_by(theorem_cones *cones, theorem_run *run, const double *beta, int64_t count,
                               double epsilon, bool corrected);

/* Reads --directions: count x d, to be freed. */
fathom_status theorem_read_directions(double **beta, int64_t *count, theorem_run *run);

/* solve.c: what --solve adds to a check in place of a run, and the row of --widths. */
fathom_status theorem_solve(theorem_run *run);
extern const theorem_row theorem_row_widths;

/* paper004.c: M(n, epsilon) of Theorem 4.1 for the network that the check would run; infinite where the
 * data is not separable. */
fathom_status theorem_updates(double *updates, theorem_run *run);

/* A test error beside C (ln(n)^3/(n g^2) + ln(1/delta)/n) [003, Lemma 2.5], for a margin g; no line
 * without --test. */
fathom_status theorem_compare_error(theorem_run *run, const char *name, double accuracy, theorem_range g);

/* [003, Lemma 2.4]: the network W_t at |W_t - W_0| = R, rebalanced to (a/sqrt gamma, V sqrt gamma), has
 * gamma_s >= gamma/4096; and with --test its error, for that margin. */
fathom_status theorem_compare_rebalanced(theorem_run *run, const fathom_flow_options *options,
                                         theorem_range g, theorem_range radius);

/* paper003_margins.c: statements of [003] about margins. */
fathom_status theorem_check_003_1_2(theorem_run *run);
fathom_status theorem_check_003_1_4(theorem_run *run);
fathom_status theorem_check_003_1_5(theorem_run *run);
fathom_status theorem_check_003_1_6(theorem_run *run);
fathom_status theorem_check_003_2_3(theorem_run *run);
fathom_status theorem_check_003_2_5(theorem_run *run);
fathom_status theorem_check_003_2_6(theorem_run *run);

/* paper003_lemmas.c, paper003_map.c, paper003_potential.c: lemmas of its appendices. */
fathom_status theorem_check_003_a_1(theorem_run *run);
fathom_status theorem_check_003_a_2(theorem_run *run);
fathom_status theorem_check_003_a_3(theorem_run *run);

/* paper003_map.c: the margin that Theorems 2.1 and 2.2 and Lemmas 2.3 and 2.4 need, that of maps of the output layer: from that
 * of one such map to that of maps of both layers. */
fathom_status theorem_output_margin(theorem_range *gamma, const char **note, theorem_run *run);
fathom_status theorem_check_003_a_4(theorem_run *run);
fathom_status theorem_check_003_a_5(theorem_run *run);
fathom_status theorem_check_003_a_6(theorem_run *run);
fathom_status theorem_check_003_b_1(theorem_run *run);
fathom_status theorem_check_003_b_2(theorem_run *run);
fathom_status theorem_check_003_c_1(theorem_run *run);

/* paper002.c: a huber network as [002] has it, h = 1/p and output weights +-1. */
void theorem_assume_huber(theorem_run *run, fathom_net *net);

/* The largest Q_1 of eq. (6) in the reduced coordinates, X = `reach` there, where ln R_1 and |V_1| are
 * those of the record. */
double theorem_rate_most(const fathom_flow_record *first, double p, double reach);

/* paper002_good.c: statements of [002] about good runs. */
fathom_status theorem_check_002_15(theorem_run *run);
fathom_status theorem_check_002_17(theorem_run *run);
fathom_status theorem_check_002_18(theorem_run *run);
fathom_status theorem_check_002_19(theorem_run *run);
fathom_status theorem_check_002_21(theorem_run *run);

/* The papers' theorems; rows end with an id of NULL. */
extern const theorem_row theorem_rows_000[], theorem_rows_001[], theorem_rows_002[], theorem_rows_003[],
    theorem_rows_004[];

/* Clusters of [002, Sec. 2.4]: two per class. */
typedef struct theorem_clusters {
    int *cluster;    /* n: 0, 1 of label +1; 2, 3 of label -1 */
    int64_t size[4]; /* examples */
    double *center;  /* 4 x d, of norm 1 */
    double radius;   /* max |x_i - center| */
    double overlap;  /* max <center_k, center_l> over opposite labels */
    double balance;  /* max |size / n - 1/4| */
    double norm;     /* max ||x_i| - 1| */
    double near[4];  /* distance of 0 from the hull of the cluster's examples, scaled to norm 1 */
} theorem_clusters;

/* What no other clusters of the same examples have less of, where their radii are to be below `limit`. */
typedef struct theorem_clusters_least {
    double radius, overlap, balance;
} theorem_clusters_least;

/* Fits them: spherical 2-means per class from several starts, then the smallest cap around each cluster. */
fathom_status theorem_clusters_fit(theorem_clusters *clusters, theorem_run *run);
fathom_status theorem_clusters_bound(theorem_clusters_least *least, const theorem_clusters *clusters,
                                     theorem_run *run, double limit);
void theorem_clusters_free(theorem_clusters *clusters, fathom_context *context);

/* paper002_clusters.c: [002, Thm 2]. Hypotheses of all statements about the first step; clusters are to be
 * freed. */
fathom_status theorem_assume_clusters(theorem_clusters *clusters, theorem_run *run, double p);

/* The start V ~ N(0, sigma^2), sigma = p^-(1/2 + beta/2), and one step of p^-(1/2 + beta) from it: two
 * networks. */
fathom_status theorem_first_step(fathom_net **before, fathom_net **after, double *log_loss, theorem_run *run,
                                 const fathom_flow_options *options, double p);
fathom_status theorem_check_002_2(theorem_run *run);

/* paper002_reduced.c: [002, App. A]. */
fathom_status theorem_check_002_a(theorem_run *run);

/* Whether one of these constants (the second may be NULL) is the check's choice, and what a line that
 * fails with it then is. */
bool theorem_is_open(const theorem_run *run, const char *first, const char *second);
extern const char *const theorem_open_text;

#endif
