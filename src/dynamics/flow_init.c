/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights at the beginning of a run: drawn, or from a model file.
 *
 * Draws are functions of (seed, stream, index): hidden weights from stream HIDDEN row by row (the bias
 * last in its row), output weights from OUTPUT, gates from GATE. The flow's sliding pairs start empty.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dynamics_internal.h"
#include "fathom/model.h"
#include "gemm.h"
#include "loss_row.h"
#include "memory.h"
#include "random.h"

fathom_status fathom_dynamics_state_create(dynamics_state *state, const dynamics_problem *problem)
{
    fathom_context *context = problem->context;
    const int64_t m = problem->m, weights = m * problem->h;
    const bool flow = problem->options->method == FATHOM_FLOW_FLOW;
    *state = (dynamics_state){.last_step = NAN,
                              .controller = NAN,
                              .start_log_loss = NAN,
                              .last_log_loss = NAN,
                              .events = flow ? 0 : -1,
                              .increases = problem->options->method == FATHOM_FLOW_GD ? 0 : -1};
    /* what is written before it is read is not touched here: a limit may come first */
    state->hidden = fathom_memory_alloc(context, weights, sizeof(double));
    state->hidden0 = fathom_memory_alloc(context, weights, sizeof(double));
    state->output = problem->o > 1 ? fathom_memory_zero(context, m * problem->o, sizeof(double))
                                   : fathom_memory_alloc(context, m, sizeof(double));
    state->output0 = fathom_memory_alloc(context, m * problem->o, sizeof(double));
    if (flow)
        state->sliding = fathom_memory_alloc(context, m * problem->n, 1);
    const bool modes = flow && problem->options->accuracy == 2;
    if (modes)
        state->modes = fathom_memory_alloc(context, m * problem->n, 1);
    if (state->modes)
        memset(state->modes, DYNAMICS_UNKNOWN, (size_t)(m * problem->n));
    const bool ok = state->hidden && state->hidden0 && state->output && state->output0 &&
                    (!flow || state->sliding) && (!modes || state->modes);
    return ok ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_dynamics_state_free(dynamics_state *state, fathom_context *context)
{
    FATHOM_FREE(context, state->hidden, state->hidden0, state->output, state->output0, state->sliding,
                state->modes);
    *state = (dynamics_state){0};
}

void fathom_dynamics_state_copy(dynamics_state *to, const dynamics_state *from,
                                const dynamics_problem *problem)
{
    dynamics_state copy = *from;
    copy.hidden = to->hidden, copy.output = to->output, copy.sliding = to->sliding;
    copy.modes = to->modes;
    copy.hidden0 = to->hidden0, copy.output0 = to->output0;
    memcpy(copy.hidden, from->hidden, (size_t)(problem->m * problem->h) * sizeof(double));
    memcpy(copy.output, from->output, (size_t)(problem->m * problem->o) * sizeof(double));
    if (copy.sliding)
        memcpy(copy.sliding, from->sliding, (size_t)(problem->m * problem->n));
    if (copy.modes)
        memcpy(copy.modes, from->modes, (size_t)(problem->m * problem->n));
    *to = copy;
}

enum {
    BLOCK = 1 << 16
}; /* numbers between two looks at the clock; even, since normal numbers come in pairs */

/* out = scale / by times normal numbers (one of the two is 1), in blocks on all threads. Ends early where
 * the limit is overdue: the first block is always there, so that small networks have a start. */
static fathom_status draw_normals(double *out, int64_t count, const dynamics_problem *problem,
                                  fathom_stream stream, double scale, double by)
{
    fathom_context *context = problem->context;
    const int threads = fathom_threads_worth(40.0 * (double)count, fathom_context_threads(context));
    bool late = false;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(|| : late)
    for (int64_t first = 0; first < count; first += BLOCK) {
        const int64_t size = count - first < BLOCK ? count - first : BLOCK;
        if (late || (first > 0 && fathom_context_overdue(context))) {
            late = true;
            continue;
        }
        fathom_random_normals(out + first, size, problem->seed, stream, 0, (uint64_t)first);
        for (int64_t k = first; k < first + size; k++)
            out[k] = scale * out[k] / by;
    }
    return late ? fathom_context_late(context, "the start of a run") : FATHOM_OK;
}

/* A look at the clock once in a while. */
static bool is_late(const dynamics_problem *problem, int64_t j)
{
    return j % BLOCK == BLOCK - 1 && fathom_context_overdue(problem->context);
}

/* Rows u_j of norm 1 (scalar) or gates v_j (gated, once for every output), drawn once. */
static fathom_status draw_fixed(dynamics_problem *problem)
{
    const int64_t m = problem->m, d = problem->d, width = problem->plan.m;
    const bool scalar = problem->plan.kind == FATHOM_NET_SCALAR;
    problem->fixed = fathom_memory_alloc(problem->context, m * d, sizeof(double));
    if (!problem->fixed)
        return FATHOM_ERROR_MEMORY;
    FATHOM_TRY(draw_normals(problem->fixed, width * d, problem,
                            scalar ? FATHOM_STREAM_HIDDEN : FATHOM_STREAM_GATE, 1, 1));
    for (int64_t j = m - 1; j >= 0 && m > width; j--) /* from the last: sources are still there */
        memmove(problem->fixed + j * d, problem->fixed + j / problem->o * d, (size_t)d * sizeof(double));
    for (int64_t j = 0; j < m; j++) {
        if (is_late(problem, j))
            return fathom_context_late(problem->context, "the start of a run");
        double *row = problem->fixed + j * d;
        const double norm = fathom_blas_norm(row, d);
        if (norm > 0)
            fathom_blas_scale(row, 1 / norm, d);
    }
    return FATHOM_OK;
}

/* G of the fixed rows: inner products, or 1 where they are positive. */
static fathom_status fill_gates(dynamics_problem *problem)
{
    const int64_t n = problem->n, m = problem->m, d = problem->d;
    problem->gate = fathom_memory_alloc(problem->context, n * m, sizeof(double));
    if (!problem->gate)
        return FATHOM_ERROR_MEMORY;
    FATHOM_TRY(fathom_gemm(problem->gate, m, n, m, d, 1, fathom_plain(problem->x, d),
                           fathom_transposed(problem->fixed, d), 0, problem->context));
    for (int64_t i = 0; i < n && problem->plan.kind == FATHOM_NET_GATED; i++) {
        if (n * m > BLOCK && fathom_context_overdue(problem->context))
            return fathom_context_late(problem->context, "the gates of a run");
        for (int64_t j = 0; j < m; j++)
            problem->gate[i * m + j] = problem->gate[i * m + j] > 0;
    }
    return FATHOM_OK;
}

static fathom_status draw_hidden(const dynamics_problem *problem, dynamics_state *state)
{
    const int64_t m = problem->m, h = problem->h;
    const dynamics_plan *plan = &problem->plan;
    if (plan->kind == FATHOM_NET_SCALAR) {
        const double size = isnan(plan->sd) ? pow((double)m, -0.25) : plan->sd;
        for (int64_t j = 0; j < m; j++)
            state->hidden[j] = size * fathom_random_sign(problem->seed, FATHOM_STREAM_OUTPUT, 1, (uint64_t)j);
        return FATHOM_OK;
    }
    return draw_normals(state->hidden, m * h, problem, FATHOM_STREAM_HIDDEN, isnan(plan->sd) ? 1 : plan->sd,
                        isnan(plan->sd) ? sqrt((double)h) : 1);
}

/* Gated networks: the k-th linear part of a gate answers for output k alone. */
static void set_units(const dynamics_problem *problem, double *a)
{
    const int64_t o = problem->o;
    for (int64_t j = 0; j < problem->m; j++)
        a[j * o + j % o] = 1;
}

/* Fixed output weights: +V on the first half of the units and -V on the rest. With more outputs than one a
 * block of units each, with weight V for softmax, whose outputs compete (for two classes this is the
 * network above), else +-V. */
static void set_fixed(const dynamics_problem *problem, double *a)
{
    const int64_t m = problem->m, o = problem->o;
    for (int64_t j = 0; j < m; j++) {
        const int64_t k = j * o / m, begin = (k * m + o - 1) / o, end = ((k + 1) * m + o - 1) / o;
        const bool positive =
            fathom_loss_row_of(problem->plan.loss)->simplex || 2 * (j - begin) < end - begin;
        a[j * o + k] = positive ? problem->plan.fixed : -problem->plan.fixed;
    }
}

/* a_j of norm |v_j|: a random sign, or direction. */
static fathom_status set_balanced(const dynamics_problem *problem, const dynamics_state *state)
{
    const int64_t m = problem->m, h = problem->h, o = problem->o;
    if (o > 1)
        FATHOM_TRY(draw_normals(state->output, m * o, problem, FATHOM_STREAM_OUTPUT, 1, 1));
    for (int64_t j = 0; j < m; j++) {
        if (is_late(problem, j))
            return fathom_context_late(problem->context, "the start of a run");
        double *a = state->output + j * o;
        const double norm = h == 1 ? fabs(state->hidden[j]) : fathom_blas_norm(state->hidden + j * h, h);
        if (o == 1)
            *a = fathom_random_sign(problem->seed, FATHOM_STREAM_OUTPUT, 0, (uint64_t)j) * norm;
        else
            fathom_blas_scale(a, norm / fathom_blas_norm(a, o), o);
    }
    return FATHOM_OK;
}

static fathom_status draw_output(const dynamics_problem *problem, dynamics_state *state)
{
    const int64_t m = problem->m, o = problem->o;
    const dynamics_plan *plan = &problem->plan;
    if (plan->kind == FATHOM_NET_GATED)
        set_units(problem, state->output);
    else if (plan->balanced || plan->kind == FATHOM_NET_SCALAR)
        return set_balanced(problem, state);
    else if (!isnan(plan->fixed))
        set_fixed(problem, state->output);
    else
        return draw_normals(state->output, m * o, problem, FATHOM_STREAM_OUTPUT,
                            isnan(plan->output_sd) ? 1 : plan->output_sd,
                            isnan(plan->output_sd) ? sqrt((double)m) : 1);
    return FATHOM_OK;
}

/* Whether the network of a file is one that this run could have made. */
static fathom_status check_shape(const dynamics_problem *problem, const fathom_net_shape *shape)
{
    const int64_t d = problem->d - problem->bias;
    if (shape->kind != problem->plan.kind || shape->d != d || shape->outputs != problem->o ||
        shape->scale != FATHOM_SCALE_ONE || shape->m < 1 ||
        (shape->hidden_bias != problem->bias && shape->kind != FATHOM_NET_SCALAR))
        return fathom_error_set_at(
            problem->context, FATHOM_ERROR_INPUT, problem->plan.file, 0, 0,
            "expected a %s network of %lld inputs and %lld output%s, %s hidden biases, of scale 1",
            fathom_net_kind_name(problem->plan.kind), (long long)d, (long long)problem->o,
            problem->o == 1 ? "" : "s", problem->bias ? "with" : "without");
    if (shape->m != problem->plan.m)
        return fathom_error_set_at(problem->context, FATHOM_ERROR_INPUT, problem->plan.file, 0, 0,
                                   "this network has %lld hidden units: --width %lld", (long long)shape->m,
                                   (long long)shape->m);
    return FATHOM_OK;
}

/* The linear parts and gates of a gated network, its factors rho folded in. */
static void take_gated(dynamics_problem *problem, dynamics_state *state, fathom_net_weights from)
{
    const int64_t d = problem->d, o = problem->o;
    set_units(problem, state->output);
    for (int64_t j = 0; j < problem->m; j++) {
        memcpy(problem->fixed + j * d, from.v + j / o * d, (size_t)d * sizeof(double));
        for (int64_t l = 0; l < d; l++)
            state->hidden[j * d + l] = from.rho[j / o] * from.w[j * d + l];
    }
}

/* The weights of a file's network; its factors rho are folded into the output weights. */
static void take_weights(dynamics_problem *problem, dynamics_state *state, fathom_net_weights from)
{
    const int64_t m = problem->m, d = problem->d, o = problem->o, width = d - problem->bias;
    for (int64_t j = 0; j < m; j++) {
        for (int64_t k = 0; k < o; k++)
            state->output[j * o + k] = from.rho[j] * from.w[j * o + k];
        if (problem->plan.kind == FATHOM_NET_SCALAR) {
            memcpy(problem->fixed + j * d, from.u + j * d, (size_t)d * sizeof(double));
            state->hidden[j] = from.b[j];
        } else
            memcpy(state->hidden + j * d, from.u + j * width, (size_t)width * sizeof(double));
        if (problem->bias)
            state->hidden[j * d + width] = from.b[j];
    }
}

/* The networks of a run have no output constant. */
static fathom_status check_constant(const dynamics_problem *problem, fathom_net *net)
{
    const double *c = fathom_net_lend(net).c;
    for (int64_t k = 0; k < problem->o && c; k++)
        if (c[k] != 0)
            return fathom_error_set_at(problem->context, FATHOM_ERROR_INPUT, problem->plan.file, 0, 0,
                                       "this network has the output constant %.17g, and a run has none: its "
                                       "outputs would be others from the beginning",
                                       c[k]);
    return FATHOM_OK;
}

/* Rows that the file's network takes are those of the run: it may say nothing, not something else. */
static fathom_status check_rows(const dynamics_problem *problem, fathom_normalize normalize)
{
    static const char *const word[] = {"none", "unit", "standardize"};
    if (normalize == FATHOM_NORMALIZE_NONE || normalize == problem->normalize)
        return FATHOM_OK;
    return fathom_error_set_at(problem->context, FATHOM_ERROR_INPUT, problem->plan.file, 0, 0,
                               "this network takes rows as --normalize %s leaves them, and those of this run "
                               "are as --normalize %s does",
                               word[normalize], word[problem->normalize]);
}

/* The slope of a leaky network or h of a huber one is the file's, unless another was asked for. */
static fathom_status take_parameter(dynamics_problem *problem, const fathom_net_shape *shape)
{
    dynamics_plan *plan = &problem->plan;
    const char *net = problem->options->net;
    const bool leaky = plan->kind == FATHOM_NET_LEAKY, huber = plan->kind == FATHOM_NET_HUBER;
    if ((!leaky && !huber) || shape->parameter == plan->parameter)
        return FATHOM_OK;
    if (net && strchr(net, ':'))
        return fathom_error_set_at(problem->context, FATHOM_ERROR_INPUT, plan->file, 0, 0,
                                   "this network has %s %.17g, not %.17g", leaky ? "slope" : "h",
                                   shape->parameter, plan->parameter);
    plan->parameter = shape->parameter;
    return FATHOM_OK;
}

static fathom_status take_net(dynamics_problem *problem, dynamics_state *state, fathom_net *net)
{
    const fathom_net_shape shape = fathom_net_look(net);
    fathom_status status = check_shape(problem, &shape);
    FATHOM_THEN(status, check_constant(problem, net));
    FATHOM_THEN(status, take_parameter(problem, &shape));
    if (status == FATHOM_OK && problem->plan.kind == FATHOM_NET_GATED)
        take_gated(problem, state, fathom_net_lend(net));
    else if (status == FATHOM_OK)
        take_weights(problem, state, fathom_net_lend(net));
    return status;
}

static fathom_status read_file(dynamics_problem *problem, dynamics_state *state)
{
    fathom_model *model;
    FATHOM_TRY(fathom_model_read(&model, problem->context, problem->plan.file));
    const fathom_model_view view = fathom_model_look(model);
    fathom_status status = check_rows(problem, view.preprocess.normalize);
    FATHOM_THEN(status, take_net(problem, state, view.net));
    fathom_model_free(model);
    return status;
}

/* No pair slides at the beginning. */
static fathom_status clear_sliding(const dynamics_problem *problem, dynamics_state *state)
{
    for (int64_t j = 0; j < problem->m && state->sliding; j++) {
        if (is_late(problem, j))
            return fathom_context_late(problem->context, "the start of a run");
        memset(state->sliding + j * problem->n, 0, (size_t)problem->n);
    }
    return FATHOM_OK;
}

fathom_status fathom_dynamics_init(dynamics_problem *problem, dynamics_state *state)
{
    const bool fixed = problem->plan.kind == FATHOM_NET_SCALAR || problem->plan.kind == FATHOM_NET_GATED;
    FATHOM_TRY(fixed ? draw_fixed(problem) : FATHOM_OK);
    fathom_status status = FATHOM_OK;
    if (problem->start)
        status = take_net(problem, state, problem->start);
    else if (problem->plan.file)
        status = read_file(problem, state);
    else {
        status = draw_hidden(problem, state);
        FATHOM_THEN(status, draw_output(problem, state));
    }
    if (status == FATHOM_OK && fixed && !problem->tiled)
        status = fill_gates(problem);
    FATHOM_THEN(status, clear_sliding(problem, state));
    if (status != FATHOM_OK)
        return status;
    memcpy(state->hidden0, state->hidden, (size_t)(problem->m * problem->h) * sizeof(double));
    memcpy(state->output0, state->output, (size_t)(problem->m * problem->o) * sizeof(double));
    return FATHOM_OK;
}
