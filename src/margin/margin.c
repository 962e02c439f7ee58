/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The margin of a data set: which stage runs when.
 *
 * Infinite width: decide whether the margin is 0 (exact), bound it by the closed-form kernel, then narrow
 * the interval
 * through all cones where they can be listed, else by sampling. Finite width: the gates are drawn or read,
 * merged,
 * and the finite program is solved.
 */
#include "fathom/margin.h"
#include "inner/margin.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "data_scale.h"
#include "interval.h"
#include "margin_global.h"
#include "margin_result.h"
#include "margin_zero.h"
#include "memory.h"
#include "number.h"

#define OWNER fathom_margin_options
static const fathom_option rows[] = {FATHOM_MARGIN_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_margin_option_table =
    FATHOM_OPTION_TABLE("Margin", rows, fathom_margin_options);

static const char *const CLASSIFIABLE =
    "The margin is positive: some ReLU network without bias classifies this data.";
static const char *const NOT_CLASSIFIABLE =
    "The margin is 0: no ReLU network without bias, of whatever width, classifies this data.";

static const char *const POINT_AT_ZERO =
    "The margin is 0: a network without bias is 0 at the point 0, which has a label.";
static const char *const SEPARABLE =
    "The margin is positive: some ReLU network with free biases classifies this data.";
static const char *const EQUAL_POINTS =
    "The margin is 0: two equal points have opposite labels, and no function classifies them.";

bool fathom_margin_narrow(fathom_margin_result *result, double lower, double upper, double gap)
{
    fathom_margin_view *view = &result->view;
    view->lower = fmax(view->lower, lower);
    view->upper = fmin(view->upper, upper);
    view->reached = view->upper - view->lower <= gap * view->upper;
    return view->reached;
}

/* "inf" or a number of gates; 0 stands for infinite. */
static fathom_status parse_width(int64_t *width, fathom_context *context, const char *text)
{
    double number;
    size_t end;
    *width = 0;
    if (!text || strcmp(text, "inf") == 0)
        return FATHOM_OK;
    const size_t length = strlen(text);
    if (fathom_number_parse(&number, &end, text, length) == FATHOM_NUMBER_OK && end == length &&
        number >= 1 && number <= 1e12 && number == floor(number)) {
        *width = (int64_t)number;
        return FATHOM_OK;
    }
    return fathom_error_set(context, FATHOM_ERROR_USAGE,
                            "--width takes inf or a number of gates from 1 to 1e12, not %s", text);
}

/* The margin is 0: q is its proof. */
static void settle_zero(fathom_margin_run *run, const char *statement)
{
    fathom_margin_view *view = &run->result->view;
    view->statement = statement;
    view->lower = view->upper = 0;
    view->method = "zero";
    view->reached = true;
}

/* With free biases: equal points of opposite labels; one label alone has no largest margin, constants being
 * free. */
static fathom_status decide_with_biases(bool *done, fathom_margin_run *run)
{
    const fathom_margin_points *points = run->points;
    fathom_margin_view *view = &run->result->view;
    bool both = false;
    for (int64_t i = 1; i < points->n; i++)
        both |= points->y[i] != points->y[0];
    if (!both)
        return fathom_error_set(run->context, FATHOM_ERROR_INPUT,
                                "all labels are equal: with free biases a constant has every margin");
    FATHOM_TRY(fathom_margin_find_equal(&view->first, &view->second, run->context, points->n, points->d,
                                        points->x, points->y));
    *done = view->first >= 0;
    view->statement = SEPARABLE;
    if (*done) {
        run->result->q[view->first] = run->result->q[view->second] = 0.5;
        settle_zero(run, EQUAL_POINTS);
    }
    return FATHOM_OK;
}

/* The decision on the decimals of the data's text where these can be had, else on its doubles; rows of other
 * sizes have the same
 * answer. */
static fathom_status decide_reading(fathom_margin_decision *decision, double *witness, fathom_margin_run *run)
{
    const fathom_margin_points *points = run->points;
    fathom_data *decimals = NULL;
    fathom_status status = run->options->as_doubles ? FATHOM_OK : fathom_data_decimals(&decimals, run->data);
    const bool whole = decimals && fathom_data_look(decimals).d == points->d;
    run->result->view.reading = whole ? "decimals" : "doubles";
    FATHOM_THEN(status,
                fathom_margin_decide(decision, run->result->q, witness, run->context, points->n, points->d,
                                     whole ? fathom_data_look(decimals).x : points->x, points->y));
    fathom_data_free(decimals);
    return status;
}

/* Whether the margin is 0; true in *done where that settles the answer. At finite width only a point at 0 or
 * a ray with both
 * labels does: other gates may open what Gaussian ones almost never do. Where the time is up it stays
 * undecided. */
static fathom_status decide_zero(bool *done, fathom_margin_run *run, bool finite)
{
    const fathom_margin_points *points = run->points;
    fathom_margin_view *view = &run->result->view;
    fathom_margin_decision decision;
    if (points->bias)
        return decide_with_biases(done, run);
    if (points->zero >= 0) {
        *done = true;
        view->origin = points->zero;
        run->result->q[points->zero] = 1;
        settle_zero(run, POINT_AT_ZERO);
        return FATHOM_OK;
    }
    double *witness = fathom_memory_alloc(run->context, points->d, sizeof *witness);
    if (!witness)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status = decide_reading(&decision, witness, run);
    fathom_memory_free(run->context, witness);
    run->lines = status == FATHOM_OK ? decision.lines : points->n;
    if (status != FATHOM_OK)
        return status == FATHOM_ERROR_STOPPED ? FATHOM_OK : status;
    view->first = decision.first;
    view->second = decision.second;
    view->opposite = decision.opposite;
    view->statement = decision.zero ? NOT_CLASSIFIABLE : CLASSIFIABLE;
    *done = decision.zero && (!finite || decision.first >= 0);
    if (*done) {
        run->result->pairs = decision.pairs;
        run->result->pair = decision.pair;
        run->result->weight = decision.weight;
        settle_zero(run, NOT_CLASSIFIABLE);
    } else {
        fathom_margin_pairs_free(run->context, decision.pairs, decision.pair, decision.weight);
    }
    return FATHOM_OK;
}

/* The interval of the closed-form kernel. The kernel matrix stays with the run. */
static fathom_status bound_by_kernel(fathom_margin_run *run)
{
    fathom_margin_view *view = &run->result->view;
    const bool full = view->kind == FATHOM_MARGIN_NTK_FULL;
    const int64_t d = run->points->d;
    fathom_status status = full ? fathom_full_table_create(&run->table, run->context, d) : FATHOM_OK;
    if (status == FATHOM_OK) /* E <u,x> <u,x'> over directions is 1/d of that over Gaussian vectors */
        status = fathom_margin_kernel_create(&run->kernel, run->context, run->points, run->data,
                                             run->table.aa, run->table.rr / (double)d, run->table.doubt);
    FATHOM_THEN(status, fathom_margin_kernel_bounds(&view->first_lower, &view->first_upper, run->result->q,
                                                    run->context, run->points, &run->kernel));
    if (status != FATHOM_OK)
        return status;
    view->method = "kernel";
    fathom_margin_narrow(run->result, view->first_lower, view->first_upper,
                         fathom_margin_gap(run->options, 1e-9));
    fathom_context_poll(run->context, "kernel bounds", 0, view->upper, view->lower);
    return FATHOM_OK;
}

/* Cones are listed where all of them can be measured to rounding and the program stays small. */
static bool cells_are_few(const fathom_margin_run *run)
{
    const int64_t d = run->points->d;
    double count = 0, binomial = 1; /* C(lines - 1, k) [Cover 1965] */
    for (int64_t k = 0; k < d; k++) {
        count += 2 * binomial;
        binomial *= (double)(run->lines - 1 - k) / (double)(k + 1);
        if (binomial <= 0)
            break;
    }
    return d <= 2 || (d == 3 && count <= 2e5) || (d <= 5 && count <= 1e4);
}

/* Distinct lines in R^3 up to which the margin of both layers goes through all their cells. */
enum { FULL_LINES = 40 };

/* Whether the margin is sampled. */
static bool is_sampled(const fathom_margin_run *run)
{
    const int method = run->options->method, kind = run->options->kind;
    if (run->result->view.width > 0 || run->options->gates || kind == FATHOM_MARGIN_GLOBAL ||
        kind == FATHOM_MARGIN_LINEAR)
        return false;
    if (kind == FATHOM_MARGIN_NTK_FULL)
        return method == FATHOM_MARGIN_SAMPLE || run->points->d < 2 || run->points->d > 3 ||
               (method == FATHOM_MARGIN_AUTO && run->points->d == 3 &&
                (run->lines > FULL_LINES || run->options->samples > 0 || run->options->checkpoint ||
                 run->options->resume));
    return method == FATHOM_MARGIN_SAMPLE || (method == FATHOM_MARGIN_AUTO && !cells_are_few(run));
}

/* Both layers without sampling; where the time is up, the interval so far stands. Where no gap was asked for
 * a thousandth will
 * do. */
static fathom_status of_both_layers(fathom_margin_run *run, double gap)
{
    fathom_margin_view *view = &run->result->view;
    const fathom_status status =
        run->points->d == 2 ? fathom_margin_full_plane(run, gap) : fathom_margin_full_space(run, gap);
    view->reached |= isnan(run->options->gap) && view->upper - view->lower <= 1e-3 * view->upper;
    return status == FATHOM_ERROR_STOPPED ? FATHOM_OK : status;
}

static fathom_status at_infinite_width(fathom_margin_run *run)
{
    FATHOM_TRY(bound_by_kernel(run));
    if (is_sampled(run))
        return fathom_margin_sample(run, fathom_margin_gap(run->options, 1e-2));
    if (run->options->kind == FATHOM_MARGIN_NTK_FULL && (run->options->checkpoint || run->options->resume))
        return fathom_error_set(run->context, FATHOM_ERROR_USAGE,
                                "--checkpoint and --resume: the margin of both layers has states where it is "
                                "sampled (--method sample)");
    if (run->options->kind == FATHOM_MARGIN_NTK_FULL)
        return of_both_layers(run, fathom_margin_gap(run->options, 1e-6));
    return run->points->d == 2 ? fathom_margin_by_arcs(run) : fathom_margin_by_cones(run);
}

/* The width after which gamma_V is within a tenth of gamma with the asked confidence, by the corrected
 * Theorem 6.2:
 * m >= 2 (eps gamma / R)^-2 ln(2 n / delta), eps = 1/10; the lower end of gamma's interval suffices for all
 * of it. */
static void set_theorem_width(fathom_margin_run *run)
{
    fathom_margin_view *view = &run->result->view;
    const double gamma = view->lower, ratio = 0.1 * gamma / run->points->radius;
    if (view->kind == FATHOM_MARGIN_NTK && view->width == 0 && gamma > 0)
        view->theorem_width =
            ceil(2 / (ratio * ratio) * log(2 * (double)view->n / (1 - run->options->confidence)));
}

/* Where there are more columns than points, goes on in the row space: gates and networks see products alone.
 * Both layers
 * do not: their neurons are cut off by their length in all of R^d. */
static fathom_status reduce(fathom_margin_run *run, fathom_margin_points *points)
{
    if (run->options->kind == FATHOM_MARGIN_NTK_FULL || points->d <= points->n || points->d <= 2)
        return FATHOM_OK;
    FATHOM_TRY(fathom_margin_points_reduce(points, run->context));
    return fathom_data_create(&run->inner, run->context, points->n, points->d, points->x, points->d, 1,
                              points->y, NULL, NULL);
}

/* Points that move by at most `slack` turn by an angle of at most slack pi / (2 |x|), so that E |S_q| moves
 * by at most
 * sum_i q_i (slack + |x_i| angle / pi), and so does every side. */
static void add_slack(fathom_margin_run *run)
{
    fathom_margin_view *view = &run->result->view;
    const double slack = 2 * run->points->slack;
    if (!(slack > 0) || view->upper == 0)
        return;
    view->lower = fmax(0, view->lower - slack);
    view->upper += slack;
    if (isnan(view->first_lower)) /* not by the kernel */
        return;
    view->first_lower = fmax(0, view->first_lower - slack);
    view->first_upper += slack;
}

/* Of finitely many gates the interval speaks of gamma_V; what was decided before speaks of gamma, of all
 * widths. */
static void state_finite(fathom_margin_view *view)
{
    const bool none = view->statement == NOT_CLASSIFIABLE;
    const bool positive = view->lower > 0 || (view->decided && view->upper > 0);
    if (view->kind == FATHOM_MARGIN_LINEAR)
        view->statement = positive ? "The margin is positive: a linear function classifies this data."
                          : view->upper > 0 ? "Whether a linear function classifies this data is not decided."
                                            : "The margin is 0: no linear function classifies this data.";
    else if (view->kind == FATHOM_MARGIN_NTK_FULL)
        view->statement = positive          ? "The margin of these neurons is positive."
                          : view->upper > 0 ? "Whether the margin of these neurons is 0 is not decided."
                                            : "The margin of these neurons is 0.";
    else if (positive)
        view->statement =
            none ? "The margin of these gates is positive: a convex network on them classifies this "
                   "data, though no ReLU network without bias does."
                 : "The margin of these gates is positive: a convex network on them classifies this "
                   "data.";
    else if (view->upper > 0)
        view->statement = "Whether the margin of these gates is 0 is not decided.";
    else
        view->statement = "The margin of these gates is 0: no convex network on them classifies this data.";
}

static fathom_status run_margin(fathom_margin_run *run, fathom_margin_points *points)
{
    bool done = false;
    fathom_margin_view *view = &run->result->view;
    fathom_status status = parse_width(&view->width, run->context, run->options->width);
    const bool linear = view->kind == FATHOM_MARGIN_LINEAR;
    const bool finite = view->width > 0 || run->options->gates || linear;
    if (status == FATHOM_OK && linear && (view->width > 0 || run->options->gates))
        return fathom_error_set(run->context, FATHOM_ERROR_USAGE,
                                "--kind linear has no neurons: --width and --gates do not go with it");
    if (status == FATHOM_OK && (run->options->theta || run->options->theta_model)) {
        if (view->kind != FATHOM_MARGIN_NTK_FULL || finite ||
            (run->options->theta && run->options->theta_model))
            return fathom_error_set(run->context, FATHOM_ERROR_USAGE,
                                    "--theta or --theta-model goes with --kind ntk-full at infinite width");
        return fathom_margin_of_theta(run);
    }
    if (status == FATHOM_OK && run->options->directions) {
        if (view->kind != FATHOM_MARGIN_GLOBAL || finite || run->points->bias)
            return fathom_error_set(
                run->context, FATHOM_ERROR_USAGE,
                "--directions goes with --kind global, without --width, --gates and free biases");
        return fathom_margin_by_directions(run);
    }
    FATHOM_THEN(status, decide_zero(&done, run, finite));
    if (status == FATHOM_OK && !done)
        status = reduce(run, points);
    if (status != FATHOM_OK || done)
        return status;
    if (view->kind == FATHOM_MARGIN_GLOBAL && finite)
        return fathom_error_set(
            run->context, FATHOM_ERROR_USAGE,
            "--kind global is about networks of every width: --width and --gates do not go "
            "with it");
    if (view->kind == FATHOM_MARGIN_GLOBAL)
        return fathom_margin_global(run);
    if (!finite)
        return at_infinite_width(run);
    status = linear ? fathom_margin_linear(run) : fathom_margin_by_gates(run);
    state_finite(view);
    return status;
}

static fathom_status result_create(fathom_margin_result **result, fathom_context *context,
                                   const fathom_margin_points *points, const fathom_margin_options *options)
{
    fathom_margin_result *r = fathom_memory_zero(context, 1, sizeof *r);
    *result = r;
    if (!r)
        return FATHOM_ERROR_MEMORY;
    r->context = context;
    r->q = fathom_memory_zero(context, points->n, sizeof *r->q);
    r->margin = fathom_memory_zero(context, points->n, sizeof *r->margin);
    r->view = (fathom_margin_view){.kind = (fathom_margin_kind)options->kind,
                                   .n = points->n,
                                   .d = points->d,
                                   .upper = 2 * points->radius, /* gradients are never longer */
                                   .exact = true,
                                   .confidence = 1,
                                   .method = "none",
                                   .reading = "doubles",
                                   .first_lower = NAN,
                                   .first_upper = NAN,
                                   .asymptotic_lower = NAN,
                                   .asymptotic_upper = NAN,
                                   .theorem_width = NAN,
                                   .origin = -1,
                                   .first = -1,
                                   .second = -1};
    return r->q && r->margin ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* The margin of data in range. */
static fathom_status margin_in_range(fathom_margin_result **result, fathom_context *context,
                                     fathom_data *data, const fathom_margin_options *options)
{
    fathom_margin_points points = {0};
    fathom_status status =
        fathom_margin_points_create(&points, context, data, options->kind == FATHOM_MARGIN_GLOBAL);
    FATHOM_THEN(status, result_create(result, context, &points, options));
    if (status == FATHOM_OK) {
        fathom_margin_run run = {.context = context,
                                 .data = data,
                                 .inner = data,
                                 .points = &points,
                                 .options = options,
                                 .result = *result};
        status = run_margin(&run, &points);
        fathom_context_wind_up(context);
        if (status == FATHOM_ERROR_STOPPED) /* the interval so far stands */
            status = FATHOM_OK;
        add_slack(&run);
        set_theorem_width(&run);
        fathom_memory_free(context, run.kernel.k);
        if (run.inner != data)
            fathom_data_free(run.inner);
        fathom_full_table_free(&run.table, context);
    }
    fathom_margin_points_free(context, &points);
    if (status != FATHOM_OK) {
        fathom_margin_free(*result);
        *result = NULL;
    }
    return status;
}

/* The margin of X 2^e is 2^e times that of X, and so are both its ends; networks, gates and q are the same.
 * */
static fathom_status scale_back(fathom_margin_result *r, int e)
{
    fathom_margin_view *view = &r->view;
    double *const number[] = {
        &view->lower,     &view->upper,     &view->first_lower,      &view->first_upper,
        &r->solved_lower, &r->solved_upper, &view->asymptotic_lower, &view->asymptotic_upper};
    bool exact = true;
    r->point = e;
    for (size_t k = 0; k < sizeof number / sizeof *number; k++)
        *number[k] = fathom_scale_exactly(*number[k], e, &exact);
    for (int64_t i = 0; i < view->n; i++)
        r->margin[i] = fathom_scale_exactly(r->margin[i], e, &exact);
    if (r->net && fathom_net_look(r->net).hidden_bias) { /* of 2^e x: 2^e times as long */
        const fathom_net_weights weights = fathom_net_lend(r->net);
        for (int64_t j = 0; j < fathom_net_look(r->net).m; j++)
            weights.b[j] = fathom_scale_exactly(weights.b[j], e, &exact);
        weights.c[0] = fathom_scale_exactly(weights.c[0], e, &exact);
    }
    if (exact)
        return FATHOM_OK;
    return fathom_error_set(r->context, FATHOM_ERROR_INPUT, "the margin is out of range: near 2^%d", e);
}

/* What is known of the margin must not contradict itself. */
static fathom_status check_intervals(const fathom_margin_result *r)
{
    const fathom_margin_view *view = &r->view;
    FATHOM_TRY(fathom_interval_check(r->context, "the margin", view->lower, view->upper));
    if (!isnan(view->first_lower))
        FATHOM_TRY(fathom_interval_check(r->context, "the margin by its kernel", view->first_lower,
                                         view->first_upper));
    return FATHOM_OK;
}

fathom_status fathom_margin(fathom_margin_result **result, fathom_context *context, fathom_data *data,
                            const fathom_margin_options *options)
{
    fathom_margin_options standard;
    fathom_data_scale scale = {0};
    fathom_data *scaled = NULL;
    *result = NULL;
    fathom_options_init(&standard, &fathom_margin_option_table);
    options = options ? options : &standard;
    fathom_status status = fathom_options_check(context, options, &fathom_margin_option_table);
    FATHOM_THEN(status, fathom_data_find_scale(&scale, data, false));
    if (status == FATHOM_OK && scale.point)
        status = fathom_data_scaled(&scaled, data, &scale);
    FATHOM_THEN(status, margin_in_range(result, context, scaled ? scaled : data, options));
    if (status == FATHOM_OK && scaled)
        status = scale_back(*result, scale.point);
    FATHOM_THEN(status, check_intervals(*result));
    if (status != FATHOM_OK) {
        fathom_margin_free(*result);
        *result = NULL;
    }
    fathom_data_free(scaled);
    return status;
}

void fathom_margin_free(fathom_margin_result *result)
{
    if (!result)
        return;
    fathom_context *context = result->context;
    fathom_net_free(result->net);
    fathom_proof_free(result->proof);
    fathom_margin_gates_free(context, &result->gates);
    fathom_margin_pairs_free(context, result->pairs, result->pair, result->weight);
    FATHOM_FREE(context, result->w, result->gain);
    for (int64_t i = 0; i < result->view.n && result->q_exact; i++)
        fathom_memory_free(context, result->q_exact[i]);
    FATHOM_FREE(context, result->q_exact, result->q, result->q_drawn, result->margin, result);
}

fathom_margin_evidence fathom_margin_prove(const fathom_margin_result *result)
{
    const fathom_margin_view *view = &result->view;
    const fathom_margin_gates *gates = &result->gates;
    const bool finite = result->pairs == 0 && result->w && view->exact && !result->weighted &&
                        (view->width > 0 || view->d <= 3 || view->kind == FATHOM_MARGIN_LINEAR);
    const bool sampled = result->drawn && view->upper > 0 && view->confidence < 1;
    const bool equal = view->upper == 0 && strcmp(view->method, "zero") == 0 && result->pairs == 0;
    return (fathom_margin_evidence){
        .n = view->n,
        .d = view->d,
        .m = finite ? gates->m : 0,
        .words = gates->words,
        .lower = result->solved_lower,
        .upper = result->solved_upper,
        .q = sampled ? result->q_drawn : result->q,
        .q_exact = view->decided && view->upper == 0 ? (const char *const *)result->q_exact : NULL,
        .linear = view->kind == FATHOM_MARGIN_LINEAR,
        .bits = finite ? gates->bits : NULL,
        .orientation = finite ? gates->orientation : NULL,
        .rho = finite ? gates->rho : NULL,
        .w = finite ? result->w : NULL,
        .gain = finite ? result->gain : NULL,
        .width = view->width,
        .net = result->proof ? result->net : NULL,
        .proof = result->proof,
        .pairs = result->pairs,
        .pair = result->pair,
        .weight = (const char *const *)result->weight,
        .origin = view->origin,
        .equal = {equal ? view->first : -1, equal ? view->second : -1},
        .decimals = strcmp(view->reading, "decimals") == 0,
        .sampled = sampled,
        .mu = result->mu,
        .point = result->point,
        .confidence = view->confidence,
        .gap = result->gap,
        .seed = result->seed};
}

void fathom_margin_replace(fathom_margin_result *result, double lower, double upper, int64_t samples)
{
    fathom_margin_view *view = &result->view;
    view->lower = lower;
    view->upper = upper;
    view->reached = upper - lower <= result->gap * upper;
    view->samples += samples;
    view->asymptotic_lower = view->asymptotic_upper = NAN;
    if (result->q_drawn)
        memcpy(result->q, result->q_drawn, (size_t)view->n * sizeof *result->q);
}

fathom_margin_view fathom_margin_look(const fathom_margin_result *result)
{
    fathom_margin_view view = result->view;
    view.q = result->q;
    view.margin = result->margin;
    if (view.decided && view.upper == 0)
        view.q_exact = (const char *const *)result->q_exact;
    return view;
}
