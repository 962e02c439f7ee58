/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least width m, time t or number n of examples for which a theorem of [003] or [004] applies to the data
 * at hand, at accuracy
 * epsilon and failure delta; and all width bounds in one table beside the smallest width whose flow
 * classifies the examples.
 *
 * gamma (tangent margin) and gamma_gl (global margin) are those of this data, intervals; every number below
 * falls with them, so that it is an interval, too:
 *
 *   000:6.2  m >= 2 (max |x| / (epsilon gamma))^2 ln(2n/delta) gates, gamma of the first layer
 *   003:2.1  t >= (8 ln(1/delta) + 2560/gamma^2)/epsilon fresh examples,  m >= max((64 ln(t/delta)/gamma)^2,
 *     (640/gamma)^2)
 *   003:2.2  m >= (640 ln(n/delta)/gamma)^2; n with C (ln(n)^3/(n g^2) + ln(1/delta)/n) <= epsilon, g =
 *     gamma^2/4096 the margin it gives [Lemma 2.5]
 *   003:2.3  t >= max(n, 1/(5 epsilon)),  m >= (640 ln(t/delta)/gamma)^2          003:2.4  m >= 256
 *     ln(n/delta)/gamma^2
 *   003:3.2  m >= 2 (2/eps)^d ln(r/delta), eps and r of the cones;  n as in 2.2 with g = (gamma_nc -
 *     eps)/(2r)
 *   003:3.3  m >= 2 (4/gamma_gl)^d ln(r/delta);  n as in 2.2 with g = gamma_gl/4
 *   004:4.1  t = M(n, epsilon) updates
 *
 * Nothing is run but, for the table, flows of growing width.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "theorem_internal.h"

static const double rough = 0.05; /* relative width of the margins */
enum { WIDEST = 1024 };

static void add(theorem_run *run, const char *theorem, const char *what, theorem_range least,
                const char *note)
{
    fathom_check_result *result = run->result;
    if (result->needs < FATHOM_CHECK_NEEDS)
        result->need[result->needs++] = (fathom_check_need){theorem, what, fmin(least.lower, least.upper),
                                                            fmax(least.lower, least.upper), note};
}

/* The least n with C (ln(n)^3/(n g^2) + ln(1/delta)/n) <= epsilon: ln(n)^3/n falls beyond e^3. */
static double least_examples(const theorem_run *run, double g)
{
    const double c = theorem_constant(run, "C", 1), l = log(1 / run->options->delta),
                 epsilon = run->options->epsilon;
    double low = 3, high = 690; /* ln n */
    if (!(g > 0))
        return INFINITY;
    for (int k = 0; k < 100; k++) {
        const double x = (low + high) / 2;
        *(log(c) + log(x * x * x / (g * g) + l) - x > log(epsilon) ? &low : &high) = x;
    }
    return high < 689 ? ceil(exp(high)) : INFINITY;
}

/* Numbers that follow from the tangent margin. */
typedef double of_margin(const theorem_run *run, double gamma);

static double steps_2_1(const theorem_run *run, double g)
{
    return ceil((8 * log(1 / run->options->delta) + 2560 / (g * g)) / run->options->epsilon);
}

static double width_2_1(const theorem_run *run, double g)
{
    return ceil(fmax(pow(64 * log(steps_2_1(run, g) / run->options->delta) / g, 2), pow(640 / g, 2)));
}

static double width_2_2(const theorem_run *run, double g)
{
    return ceil(pow(640 * log((double)run->n / run->options->delta) / g, 2));
}

static double examples_2_2(const theorem_run *run, double g) { return least_examples(run, g * g / 4096); }

static double time_2_3(const theorem_run *run, double g)
{
    (void)g;
    return fmax((double)run->n, 1 / (5 * run->options->epsilon));
}

static double width_2_3(const theorem_run *run, double g)
{
    return ceil(pow(640 * log(time_2_3(run, g) / run->options->delta) / g, 2));
}

static double width_2_4(const theorem_run *run, double g)
{
    return ceil(256 * log((double)run->n / run->options->delta) / (g * g));
}

static double width_3_3(const theorem_run *run, double g)
{
    return ceil(2 * pow(4 / g, (double)run->d) *
                log(theorem_constant(run, "r", (double)run->n) / run->options->delta));
}

static double width_6_2(const theorem_run *run, double g)
{
    const double ratio = run->options->epsilon * g / run->reach;
    return ceil(2 / (ratio * ratio) * log(2 * (double)run->n / run->options->delta));
}

static double examples_3_3(const theorem_run *run, double g) { return least_examples(run, g / 4); }

static const struct {
    const char *theorem, *what;
    double failures; /* the theorem fails with probability at most this times delta */
    fathom_margin_kind kind;
    of_margin *least;
    const char *note;
} numbers[] = {
    {"000:6.2", "m", 1, FATHOM_MARGIN_NTK, width_6_2, "gates: their margin is within epsilon of gamma"},
    {"003:2.1", "t", 7, FATHOM_MARGIN_NTK_FULL, steps_2_1, "fresh examples, one a step: n as well"},
    {"003:2.1", "m", 7, FATHOM_MARGIN_NTK_FULL, width_2_1, "for that t"},
    {"003:2.2", "m", 15, FATHOM_MARGIN_NTK_FULL, width_2_2, "for this n"},
    {"003:2.2", "n", 15, FATHOM_MARGIN_NTK_FULL, examples_2_2,
     "for test error epsilon, at the margin of this sample and the constant C"},
    {"003:2.3", "t", 7, FATHOM_MARGIN_NTK_FULL, time_2_3, "for loss epsilon"},
    {"003:2.3", "m", 7, FATHOM_MARGIN_NTK_FULL, width_2_3, "for that t"},
    {"003:2.4", "m", 7, FATHOM_MARGIN_NTK_FULL, width_2_4, "for this n"},
    {"003:3.3", "m", 3, FATHOM_MARGIN_GLOBAL, width_3_3, "r reference units, n unless given"},
    {"003:3.3", "n", 3, FATHOM_MARGIN_GLOBAL, examples_3_3,
     "for test error epsilon, at the margin of this sample and the constant C"},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* The numbers of one theorem, or (NULL) the widths of all. The margins are measured once. */
static fathom_status add_numbers(theorem_run *run, const char *theorem)
{
    static const char *const name[] = {"gamma", "gamma_ntk", "gamma_gl"};
    theorem_range margin[] = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
    for (int k = 0; k < NUMBERS; k++) {
        const int kind = (int)numbers[k].kind;
        const bool wanted = theorem ? strcmp(theorem, numbers[k].theorem) == 0 : *numbers[k].what == 'm';
        const char *note;
        if (!wanted)
            continue;
        if (theorem && run->result->needs == 0)
            theorem_chance(run, numbers[k].failures * run->options->delta);
        if (isnan(margin[kind].lower)) {
            FATHOM_TRY(kind == FATHOM_MARGIN_NTK_FULL
                           ? theorem_output_margin(margin + kind, &note, run)
                           : theorem_margin(margin + kind, &note, run, numbers[k].kind, 0,
                                            kind == FATHOM_MARGIN_GLOBAL ? 1e-3 : rough));
            theorem_assume_range(run, name[kind], margin[kind], ">", theorem_exact(0));
            theorem_note(run, note);
        }
        const theorem_range g = margin[kind];
        add(run, numbers[k].theorem, numbers[k].what,
            (theorem_range){numbers[k].least(run, g.upper),
                            g.lower > 0 ? numbers[k].least(run, g.lower) : INFINITY},
            numbers[k].note);
    }
    return FATHOM_OK;
}

/* What --solve reads: nothing is run but, for the number of units and the norm of the start, that of 4.1. */
theorem_reads theorem_reads_of(const theorem_row *row, bool solve)
{
    static const theorem_reads reads[] = {
        {"000:6.2", "epsilon,delta", NULL},  {"003:2.1", "epsilon,delta", NULL},
        {"003:2.2", "epsilon,delta", "C"},   {"003:2.3", "epsilon,delta", NULL},
        {"003:2.4", "delta", NULL},          {"003:3.2", "epsilon,delta,directions", "eps,C"},
        {"003:3.3", "epsilon,delta", "r,C"}, {"004:4.1", "width,epsilon,slope,step,init", "v"}};
    if (!solve)
        return (theorem_reads){row->id, row->uses, row->constants};
    for (size_t k = 0; k < sizeof reads / sizeof *reads; k++)
        if (strcmp(reads[k].theorem, row->id) == 0)
            return reads[k];
    return (theorem_reads){row->id, NULL, NULL};
}

/* Theorem 3.2: the cones that were found have the eps that enters, others may have a larger one. */
static fathom_status add_cones(theorem_run *run, bool alone)
{
    theorem_cones c;
    double *beta = NULL;
    int64_t count = 0;
    fathom_status status = run->options->directions ? theorem_read_directions(&beta, &count, run) : FATHOM_OK;
    FATHOM_THEN(status, theorem_cones_by(&c, run, beta, count, theorem_constant(run, "eps", NAN), true));
    fathom_memory_free(run->context, beta);
    if (status != FATHOM_OK)
        return status;
    const double r = (double)c.count, d = (double)run->d;
    if (alone) {
        theorem_chance(run, 3 * run->options->delta);
        theorem_assume(run, "cones of Assumption 3.1 (1: found)", theorem_truth(c.decided), "=", 1);
        theorem_note(run, c.reason);
    } else if (c.decided != 1)
        theorem_say(run, "003:3.2 has no bound: %s", c.reason);
    if (c.decided != 1)
        return FATHOM_OK;
    add(run, "003:3.2", "m", theorem_exact(ceil(2 * pow(2 / c.epsilon, d) * log(r / run->options->delta))),
        run->options->directions ? "for the cones of the directions that are given"
                                 : "for the cones that were found");
    if (alone)
        add(run, "003:3.2", "n", theorem_exact(least_examples(run, (c.margin - c.epsilon) / (2 * r))),
            "for test error epsilon and the constant C");
    return FATHOM_OK;
}

fathom_status theorem_solve(theorem_run *run)
{
    const char *id = run->row->id;
    fathom_status status = FATHOM_OK;
    if (strcmp(id, "003:3.2") == 0)
        return add_cones(run, true);
    if (strcmp(id, "004:4.1") == 0) {
        double updates;
        status = theorem_updates(&updates, run);
        if (status == FATHOM_OK)
            add(run, id, "t", theorem_exact(ceil(updates)),
                "updates M(n, epsilon) at this width, step and start");
        return status;
    }
    return add_numbers(run, id);
}

/* Whether the flow of this width gets n R < ln 2: all examples right; -1: it was cut. */
static fathom_status try_width(int *works, theorem_run *run, int64_t width)
{
    char until[64];
    fathom_flow_options options;
    fathom_flow_result result;
    snprintf(until, sizeof until, "log_loss=%.17g,steps=20000", log(log(2) / (double)run->n));
    fathom_options_init(&options, &fathom_flow_option_table);
    options.width = width, options.until = until, options.method = FATHOM_FLOW_FLOW;
    options.branches = 1, options.monitors = 2; /* one, basic */
    FATHOM_TRY(theorem_flow_plain(&result, run, &options, NULL, NULL, NULL));
    const bool cut =
        result.status == FATHOM_FLOW_INTERRUPTED ||
        (result.status == FATHOM_FLOW_LIMIT && fathom_context_stop_reason(run->context) != FATHOM_STOP_NONE);
    *works = cut ? -1 : result.status == FATHOM_FLOW_REACHED;
    fathom_flow_result_clear(&result);
    return FATHOM_OK;
}

/* Whether so many gates of this seed have a positive margin; -1: not decided. */
static fathom_status try_gates(int *works, theorem_run *run, int64_t width)
{
    theorem_range g;
    const char *note;
    const fathom_status status = theorem_margin(&g, &note, run, FATHOM_MARGIN_NTK, width, rough);
    *works = g.lower > 0 ? 1 : fathom_context_stop_reason(run->context) != FATHOM_STOP_NONE ? -1 : 0;
    return status;
}

/* [000, Lemma 3.3]: one gate in each cone is as good as infinitely many; at most 1 + 2 sum_{k < d} C(n -
 * 1, k) cones [Cover 1965]. [002, Thm 2]: 2p units, p >= ln^C3(n d/delta). */
static void add_counts(theorem_run *run)
{
    const double n = (double)run->n, d = (double)run->d, c3 = theorem_constant(run, "C3", 2);
    double cones = 1, binomial = 1;
    for (int64_t k = 0; k < run->d && binomial > 0; k++) {
        cones += 2 * binomial;
        binomial *= (n - 1 - (double)k) / (double)(k + 1);
    }
    add(run, "000:3.3", "m", theorem_exact(cones),
        "gates: one in each cone has the margin of infinitely many");
    add(run, "002:2", "m", theorem_exact(2 * ceil(pow(log(n * (d + 1) / run->options->delta), c3))),
        "huber units on four clusters of norm 1; C3 (2) is left open by the paper");
}

/* The smallest of the widths 1, 2, 3, 4, 6, 8, 12, ... that works, with the seed at hand. */
static fathom_status add_smallest(theorem_run *run, const char *name, const char *note,
                                  fathom_status (*attempt)(int *, theorem_run *, int64_t))
{
    int64_t last = 0, width = 1;
    int works = 0;
    fathom_status status = FATHOM_OK;
    while (width <= WIDEST && works == 0) {
        status = attempt(&works, run, width);
        if (status != FATHOM_OK)
            return status;
        if (works != 1) {
            last = works == 0 ? width : last;
            width += width < 4 ? 1 : (width & (width - 1)) == 0 ? width / 2 : width / 3;
        }
    }
    if (works < 0)
        theorem_break(run, "time limit");
    add(run, name, "m",
        works == 1 ? theorem_exact((double)width) : (theorem_range){(double)last + 1, INFINITY}, note);
    return FATHOM_OK;
}

static fathom_status tabulate(theorem_run *run)
{
    fathom_status status = add_numbers(run, NULL);
    FATHOM_THEN(status, add_cones(run, false));
    if (status == FATHOM_OK) {
        add_counts(run);
        status =
            add_smallest(run, "gates",
                         "smallest of 1, 2, 3, 4, 6, ... with gamma_V > 0 for gates of this seed", try_gates);
    }
    return status == FATHOM_OK
               ? add_smallest(
                     run, "flow",
                     "smallest of 1, 2, 3, 4, 6, 8, 12, ... whose flow from this seed has n R < ln 2",
                     try_width)
               : status;
}

const theorem_row theorem_row_widths = {"widths",
                                        false,
                                        tabulate,
                                        "Every width bound of [000], [002] and [003] on this data, beside "
                                        "the smallest numbers of gates and of units that work.",
                                        NULL,
                                        THEOREM_UNIT_BALL | THEOREM_NO_BIAS,
                                        "epsilon,delta",
                                        "r,eps,C3"};
