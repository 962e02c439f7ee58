/* SPDX-License-Identifier: Apache-2.0 */
/* A run from options to result: problem, initial weights or checkpoint, the method, and the network at its
 * end. */
#include "fathom/flow.h"

#include <math.h>

#include "clock.h"
#include "context_internal.h"
#include "dynamics_internal.h"
#include "memory.h"

#define OWNER fathom_flow_options
static const fathom_option rows[] = {FATHOM_FLOW_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_flow_option_table =
    FATHOM_OPTION_TABLE("Dynamics", rows, fathom_flow_options);

const char *fathom_flow_status_text(fathom_flow_status status)
{
    static const char *const text[] = {"reached", "limit", "stuck", "precision", "interrupted", "diverged"};
    return text[status];
}

/* max |v_k|. */
static double largest(const double *v, int64_t count)
{
    double most = 0;
    for (int64_t k = 0; k < count; k++)
        most = fmax(most, fabs(v[k]));
    return most;
}

/* Products of weights, slopes and examples stay within single precision, 2^+-126. */
static fathom_status check_single(const dynamics_run *run)
{
    enum { POINTS = 30, WEIGHTS = 60 };
    const dynamics_problem *problem = run->problem;
    const struct {
        const char *name;
        double most;
        int deep;
    } all[] = {
        {"the longest example has norm", problem->reach, POINTS},
        {"the largest hidden weight is", largest(run->state.hidden, problem->m * problem->h), WEIGHTS},
        {"the largest output weight is", largest(run->state.output, problem->m * problem->o), WEIGHTS}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].most > 0 &&
            !(all[k].most >= ldexp(1, -all[k].deep) && all[k].most <= ldexp(1, all[k].deep)))
            return fathom_error_set(problem->context, FATHOM_ERROR_USAGE,
                                    "--precision single: %s %.3g, and products in single precision want it "
                                    "within 2^+-%d; scale it, or take double",
                                    all[k].name, all[k].most, all[k].deep);
    return FATHOM_OK;
}

/* --precision single begins with weights that single precision has. */
static fathom_status round_start(dynamics_run *run)
{
    FATHOM_TRY(check_single(run));
    const dynamics_problem *problem = run->problem;
    dynamics_state *state = &run->state;
    double *const hidden[] = {state->hidden, state->hidden0}, *const output[] = {state->output,
                                                                                 state->output0};
    for (int k = 0; k < 2; k++) {
        fathom_dynamics_single_round(hidden[k], problem->m * problem->h);
        fathom_dynamics_single_round(output[k], problem->m * problem->o);
    }
    return FATHOM_OK;
}

/* The loss at the beginning is known before the first step, whether a record is due or not. */
static fathom_status begin(dynamics_run *run)
{
    dynamics_problem *problem = run->problem;
    fathom_status status = fathom_dynamics_init(problem, &run->state);
    if (status == FATHOM_OK && problem->options->resume)
        status = fathom_dynamics_checkpoint_read(run);
    if (status == FATHOM_OK && problem->options->precision && !problem->options->resume)
        status = round_start(run);
    if (status == FATHOM_OK) {
        fathom_dynamics_state_copy(&run->good, &run->state, problem);
        run->begun = true;
    }
    if (status == FATHOM_OK && !problem->options->resume) {
        status = fathom_dynamics_forward(&run->batch, problem, &run->state, FATHOM_SLOPE_MEAN);
        if (status == FATHOM_OK)
            run->state.start_log_loss = run->known = run->batch.summary.log_mean, run->known_at = 0;
    }
    FATHOM_THEN(status, fathom_dynamics_step_start(run));
    if (status == FATHOM_OK)
        fathom_dynamics_state_copy(&run->good, &run->state, problem);
    return status == FATHOM_OK ? fathom_dynamics_log_open(run) : status;
}

/* Where the run ends: asked for, or where two mean neurons say nothing about it and the program is small. */
static fathom_status find_ending(dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    const fathom_flow_result *result = run->result;
    const double size = (double)problem->n * (double)problem->m * (double)problem->m * (double)problem->d;
    const bool asked = problem->options->ending, instead = result->limit.claimed == 0 && size <= 1e7;
    if ((!asked && !instead) || fathom_context_stop_reason(problem->context) != FATHOM_STOP_NONE)
        return FATHOM_OK;
    return fathom_dynamics_ending(&run->result->ending, problem, &run->good, &result->end);
}

/* The last good state as result, network and checkpoint. */
static fathom_status finish(dynamics_run *run)
{
    fathom_flow_result *result = run->result;
    fathom_status status = FATHOM_OK;
    if (result->end.steps < 0) { /* a resumed run that had nothing to do, or broke down at once */
        fathom_dynamics_state_copy(&run->state, &run->good, run->problem);
        status = fathom_dynamics_monitor(&result->end, run);
    }
    result->events = run->good.events;
    result->nonunique = run->good.nonunique;
    result->loss = run->problem->plan.loss;
    if (status == FATHOM_OK && run->problem->options->checkpoint)
        status = fathom_dynamics_checkpoint_write(run);
    FATHOM_THEN(status, fathom_dynamics_net(&result->net, run->problem, &run->good));
    return status == FATHOM_OK ? find_ending(run) : status;
}

/* Refuses before the first allocation of the run: weights four times over (now and at the beginning, in the
 * state and in the last good one; the flow has two states more), their gradients, the network,
 * pre-activations and gates of all pairs (the flow has the gates by neuron too). The flow's late steps take
 * the tangent kernel twice: counted where it is no larger than the rest; beyond that it is asked for when a
 * run comes so far. */
static fathom_status require(const dynamics_problem *problem)
{
    const double n = (double)problem->n, m = (double)problem->m, o = (double)problem->o;
    const double weights = m * ((double)problem->h + o), kept = problem->tiled ? m : n * m;
    const bool flow = problem->options->method == FATHOM_FLOW_FLOW,
               gates = problem->plan.kind == FATHOM_NET_SCALAR || problem->plan.kind == FATHOM_NET_GATED;
    const double copies = (flow ? 10 : 6) + (problem->options->checkpoint ? 2 : 0);
    const double pairs = problem->tiled ? fathom_dynamics_tiles_bytes(problem) : 16 * n * m;
    const double bytes =
        8 * (copies * weights + (gates ? m * (double)problem->d + (flow ? 2 : 1) * kept : 0)) + pairs +
        (flow ? 4 * n * m : 0);
    const double single = problem->options->precision ? fathom_dynamics_single_bytes(problem) : 0;
    const double kernel = flow && 16 * n * n <= bytes ? 16 * n * n : 0;
    return fathom_context_require(problem->context, bytes + kernel + single, "a run of this width");
}

/* A step was given up. */
static fathom_status stand(dynamics_run *run)
{
    fathom_dynamics_settle(run);
    const bool time = fathom_context_stop_reason(run->problem->context) == FATHOM_STOP_TIME;
    run->result->status = time ? FATHOM_FLOW_LIMIT : FATHOM_FLOW_INTERRUPTED;
    run->result->reason = time ? "time limit" : "interrupted";
    return FATHOM_OK;
}

/* The limit came before anything was measured: the start is the result, and its record says nothing but
 * where it stands. */
static fathom_status stand_at_start(dynamics_run *run)
{
    const dynamics_state *state = &run->good;
    run->result->end = fathom_dynamics_unmeasured(state);
    const fathom_status status = stand(run);
    run->result->reason = run->result->status == FATHOM_FLOW_LIMIT
                              ? "time limit before the first measurement"
                              : "interrupted before the first measurement";
    return status;
}

/* The limit came before the start was there: the result says so and has no network. */
static fathom_status stand_before_start(dynamics_run *run)
{
    run->result->end = fathom_dynamics_unmeasured(&run->state);
    const fathom_status status = stand(run);
    run->result->reason = run->result->status == FATHOM_FLOW_LIMIT ? "time limit before the start was made"
                                                                   : "interrupted before the start was made";
    return status;
}

static fathom_status run_method(dynamics_run *run)
{
    static fathom_status (*const method[])(dynamics_run *) = {fathom_dynamics_gd, fathom_dynamics_sgd,
                                                              fathom_dynamics_flow};
    static const char *const name[] = {"gradient descent", "SGD", "gradient flow, frozen duals"};
    const int chosen = run->problem->options->method;
    run->result->method = name[chosen];
    fathom_status status = fathom_dynamics_trace_check(run->problem);
    if (status == FATHOM_OK && chosen == FATHOM_FLOW_FLOW)
        status = fathom_dynamics_flow_check(run->problem);
    FATHOM_THEN(status, require(run->problem));
    FATHOM_THEN(status, fathom_dynamics_state_create(&run->state, run->problem));
    FATHOM_THEN(status, fathom_dynamics_state_create(&run->good, run->problem));
    if (status == FATHOM_OK && run->problem->options->checkpoint)
        status = fathom_dynamics_state_create(&run->before, run->problem);
    FATHOM_THEN(status, fathom_dynamics_batch_create(&run->batch, run->problem));
    if (status == FATHOM_OK && run->problem->options->precision && chosen == FATHOM_FLOW_GD)
        status = fathom_dynamics_single_create(&run->single, run->problem);
    FATHOM_THEN(status, begin(run));
    FATHOM_THEN(status, method[chosen](run));
    fathom_context_wind_up(run->problem->context);
    if (status == FATHOM_ERROR_STOPPED && (run->result->end.steps >= 0 || run->known_at == run->state.steps))
        status = stand(run);
    if (status == FATHOM_ERROR_STOPPED && run->begun)
        status = stand_at_start(run);
    if (status == FATHOM_ERROR_STOPPED)
        return stand_before_start(run);
    return status == FATHOM_OK ? finish(run) : status;
}

fathom_status fathom_flow_run(fathom_flow_result *result, fathom_context *context, fathom_data *data,
                              const fathom_flow_options *options)
{
    return fathom_flow_watch(result, context, data, options, NULL, NULL, NULL);
}

/* The run once its options are known. */
static fathom_status run_with(fathom_flow_result *result, fathom_context *context, fathom_data *data,
                              const fathom_flow_options *options, fathom_net *start,
                              fathom_flow_observer observer, void *user, bool open)
{
    dynamics_problem problem;
    FATHOM_TRY(fathom_dynamics_problem_create(&problem, context, data, options));
    const double now = fathom_clock_seconds();
    dynamics_run run = {.problem = &problem,
                        .result = result,
                        .observer = observer,
                        .user = user,
                        .log = -1,
                        .known_at = -1,
                        .started = now,
                        .checkpointed = now};
    problem.start = start;
    problem.plan.open = open;
    fathom_status status = run_method(&run);
    fathom_dynamics_log_close(&run);
    fathom_dynamics_batch_free(&run.batch, context);
    fathom_dynamics_single_free(&run.single, context);
    fathom_dynamics_state_free(&run.before, context);
    fathom_dynamics_state_free(&run.good, context);
    fathom_dynamics_state_free(&run.state, context);
    fathom_dynamics_problem_clear(&problem);
    return status;
}

static const fathom_flow_result nothing = {.reason = "",
                                           .method = "",
                                           .end = {.steps = -1},
                                           .limit = {NAN, NAN, NAN, -1, NAN, NAN, -1, 0, {NAN, NAN}, -1},
                                           .ending = {.found = -1,
                                                      .reason = "",
                                                      .margin = NAN,
                                                      .residual = NAN,
                                                      .slack = NAN,
                                                      .angle = NAN,
                                                      .patterns = -1,
                                                      .neurons = -1,
                                                      .supports = -1,
                                                      .kinks = -1,
                                                      .maximum = -1,
                                                      .why = "",
                                                      .price = NAN,
                                                      .escape_margin = NAN},
                                           .branches = 1,
                                           .apart = NAN};

/* |W - W'| / |W| of two networks of one shape. */
static double apart(fathom_net *one, fathom_net *other)
{
    const fathom_net_shape shape = fathom_net_look(one);
    const fathom_net_weights w = fathom_net_lend(one), v = fathom_net_lend(other);
    const bool scalar = shape.kind == FATHOM_NET_SCALAR;
    const int64_t hidden = scalar ? shape.m : shape.m * shape.d;
    const double *a = scalar ? w.b : w.u, *b = scalar ? v.b : v.u;
    double sum = 0, size = 0;
    for (int64_t k = 0; k < hidden; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]), size += a[k] * a[k];
    for (int64_t k = 0; k < shape.m * shape.outputs; k++)
        sum += (w.w[k] - v.w[k]) * (w.w[k] - v.w[k]), size += w.w[k] * w.w[k];
    return sqrt(sum / size);
}

/* The branch that goes to the active side wherever the first could have. It is not recorded, and a resumed
 * run has none: it would have to start at the beginning. */
static fathom_status follow_other(fathom_flow_result *result, fathom_context *context, fathom_data *data,
                                  const fathom_flow_options *options, fathom_net *start)
{
    fathom_flow_options quiet = *options;
    fathom_flow_result other = nothing;
    enum { ONE = 1 };
    if (result->nonunique < 1 || options->resume || options->branches == ONE ||
        result->status == FATHOM_FLOW_INTERRUPTED || fathom_context_stop_reason(context) != FATHOM_STOP_NONE)
        return FATHOM_OK;
    quiet.log = quiet.checkpoint = NULL, quiet.ending = false;
    const fathom_status status = run_with(&other, context, data, &quiet, start, NULL, NULL, true);
    if (status == FATHOM_OK) {
        result->branches = 2;
        result->other = other.end;
        result->apart = apart(result->net, other.net);
    }
    other.context = context;
    fathom_flow_result_clear(&other);
    return status;
}

fathom_status fathom_flow_watch(fathom_flow_result *result, fathom_context *context, fathom_data *data,
                                const fathom_flow_options *options, fathom_net *start,
                                fathom_flow_observer observer, void *user)
{
    fathom_flow_options chosen;
    char *lines = NULL;
    *result = nothing;
    result->context = context;
    fathom_options_init(&chosen, &fathom_flow_option_table);
    if (options)
        chosen = *options;
    fathom_status status = FATHOM_OK;
    if (chosen.resume)
        status = fathom_dynamics_resume_options(&chosen, &lines, context);
    FATHOM_THEN(status, fathom_options_check(context, &chosen, &fathom_flow_option_table));
    FATHOM_THEN(status, run_with(result, context, data, &chosen, start, observer, user, false));
    FATHOM_THEN(status, follow_other(result, context, data, &chosen, start));
    fathom_memory_free(context, lines);
    if (status != FATHOM_OK)
        fathom_flow_result_clear(result);
    return status;
}

void fathom_flow_result_clear(fathom_flow_result *result)
{
    fathom_net_free(result->net);
    fathom_net_free(result->ending.net);
    fathom_net_free(result->ending.escape);
    if (result->context)
        fathom_memory_free(result->context, result->ending.dual);
    *result = (fathom_flow_result){0};
}
