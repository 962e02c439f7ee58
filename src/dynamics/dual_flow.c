/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient flow by frozen duals: dW/dtau = D(W), the gradient of the smoothed margin; dt = (n/Q) dtau.      [003, App. C]
 *
 * Neurons meet only in the n duals q(W). With q frozen each of them is solved exactly, kinks and sliding included
 * (neuron_flow.c). One step of length h in tau:
 *
 *     W_half = Flow(W, q(W), h/2),   W <- Flow(W, q(W_half), h):
 *
 * order 2, two evaluations of duals however many kinks are met; late, implicit steps (dual_newton.c). Error control: Simpson's rule minus the midpoint rule
 * for the impulse of the duals, e = sum_i |q_0 - 2 q_half + q_1| / (6 sum_i q_half), which both the curvature of q and the
 * error of W_half enter, is held at or below a tolerance; steps change by sqrt(tolerance / e). t is kept as ln(1 + t), by
 * Simpson's rule in log space. Neurons are independent: the same bits for every number of threads.
 *
 * Steps end at the loss, the time or the distance that was asked for, and at marks (regula falsi). The precision guard ends a run where margins of
 * size ln(1/R) no longer carry an absolute error of 1e-8.
 */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dual_flow.h"
#include "memory.h"

enum { REJECTIONS = 60, WATCH = 16, PLATEAU = 500, ENDS = 3, LOOK = 4096 };
static const double first_step = 1e-4, precision = 1e-8;

fathom_status fathom_dual_find(dual_flow *flow, const dynamics_state *state, int k)
{
    const dynamics_problem *problem = flow->run->problem;
    dynamics_batch *batch = &flow->run->batch;
    const fathom_status status = fathom_dynamics_forward(batch, problem, state, FATHOM_SLOPE_DUAL);
    flow->run->state.evaluations++;
    for (int64_t i = 0; i < problem->n; i++)
        flow->force[k][i] = -batch->slope[i];
    flow->log_loss[k] = batch->summary.log_mean;
    flow->log_rate[k] = log((double)problem->n) - batch->summary.log_q;
    return status;
}

/* Units whose gates do not move, or whose hidden weights do not: linear in the forces. */
static void move_linear(dual_flow *flow, dynamics_state *state, const double *force, int64_t j, double h)
{
    const dynamics_problem *problem = flow->run->problem;
    const int64_t n = problem->n, d = problem->d, width = problem->h;
    if (problem->plan.kind == FATHOM_NET_GATED) {
        for (int64_t i = 0; i < n; i++)
            if (flow->gates[j * n + i] != 0)
                fathom_blas_axpy(state->hidden + j * d, h * force[i], problem->x + i * d, d);
        return;
    }
    double rate = 0;
    const double *points = flow->gates ? flow->gates + j * n : problem->x;
    for (int64_t i = 0; i < n; i++) {
        const double z = fathom_blas_dot(points + i * width, state->hidden + j * width, width);
        rate += force[i] * (z > 0 ? z : flow->alpha * z);
    }
    state->output[j] += h * rate;
}

/* Scalar networks: b_j = 0 is the only plane of unit j. Its effects for gates G_ij, the slope below being 0;
 * returns their size. */
static double gather_scalar(double *above, double *below, const double *gate, const double *force, int64_t n)
{
    double size = 0;
    *above = *below = 0;
    for (int64_t i = 0; i < n; i++) {
        *(gate[i] > 0 ? above : below) += force[i] * gate[i];
        size += fabs(force[i] * gate[i]);
    }
    return size;
}

/* One neuron of a relu or leaky network: what slides is kept by examples and moves by planes. */
static bool move_neuron(dual_flow *flow, neuron_state *one, uint8_t *sliding, const neuron_field *field,
                        double h, neuron_work *work)
{
    const fathom_planes *planes = &flow->run->problem->planes;
    const int64_t n = flow->run->problem->n;
    memset(work->slides, 0, (size_t)field->n);
    for (int64_t i = 0; i < n; i++)
        if (sliding[i] && planes->of[i] >= 0)
            work->slides[planes->of[i]] = 1;
    one->slides = work->slides;
    const bool done = fathom_neuron_flow(one, field, h, work);
    for (int64_t i = 0; i < n; i++)
        sliding[i] = planes->of[i] >= 0 && work->slides[planes->of[i]];
    return done;
}

bool fathom_dual_move(dual_flow *flow, dynamics_state *state, const double *force, double h)
{
    const dynamics_problem *problem = flow->run->problem;
    const int64_t n = problem->n, width = problem->h;
    const bool linear = problem->plan.kind == FATHOM_NET_GATED || !problem->plan.first;
    const bool scalar = problem->plan.kind == FATHOM_NET_SCALAR;
    int64_t events = 0, nonunique = 0, failures = 0; /* a move that a limit cut has failed */
    if (!linear && !scalar)
        flow->field.size =
            fathom_planes_gather(flow->above, flow->below, &problem->planes, force, n, flow->alpha);
#pragma omp parallel for schedule(dynamic, 4) num_threads(flow->threads) reduction(+ : events, nonunique, failures)
    for (int64_t j = 0; j < problem->m; j++) {
        neuron_work *work = flow->work + omp_get_thread_num();
        neuron_field field = flow->field;
        neuron_state one = {state->hidden + j * width, state->output + j, state->sliding + j * n, 0, 0};
        double above, below;
        if (fathom_context_stop_reason(problem->context) != FATHOM_STOP_NONE)
            failures++;
        else if (linear)
            move_linear(flow, state, force, j, h);
        else if (scalar) {
            field.size = gather_scalar(&above, &below, flow->gates + j * n, force, n);
            field.above = &above, field.below = &below;
            failures += !fathom_neuron_flow(&one, &field, h, work);
            memset(state->sliding + j * n, state->sliding[j * n], (size_t)n);
        } else
            failures += !move_neuron(flow, &one, state->sliding + j * n, &field, h, work);
        events += one.events;
        nonunique += one.nonunique;
    }
    state->events += events;
    state->nonunique += nonunique;
    return failures == 0;
}

/* The explicit step from run->state to flow->next; *error is infinite where it failed. */
static fathom_status try_explicit(double *error, dual_flow *flow, double h)
{
    dynamics_run *run = flow->run;
    double difference = 0, size = 0;
    *error = INFINITY;
    fathom_dynamics_state_copy(&flow->half, &run->state, run->problem);
    fathom_dynamics_state_copy(&flow->next, &run->state, run->problem);
    if (!fathom_dual_move(flow, &flow->half, flow->force[0], h / 2))
        return FATHOM_OK;
    fathom_status status = fathom_dual_find(flow, &flow->half, 1);
    if (status != FATHOM_OK || !fathom_dual_move(flow, &flow->next, flow->force[1], h))
        return status;
    status = fathom_dual_find(flow, &flow->next, 2);
    if (status != FATHOM_OK)
        return status;
    for (int64_t i = 0; i < run->problem->n; i++) {
        difference += fabs(flow->force[0][i] - 2 * flow->force[1][i] + flow->force[2][i]);
        size += fabs(flow->force[1][i]);
    }
    *error = difference / (6 * size);
    if (isnan(*error))
        *error = INFINITY;
    return FATHOM_OK;
}

/* Explicit or implicit. Steps are implicit once h times the rate at which duals relax exceeds 2, until it is below 1/2. */
static fathom_status try_step(double *error, dual_flow *flow, double h)
{
    flow->middle = flow->run->state.stiff ? 1 - sqrt(0.5) : 0.5;
    return flow->run->state.stiff ? fathom_dual_newton_step(error, flow, h) : try_explicit(error, flow, h);
}

/* The length of the next step, and its method. The first one: e is about (h rate)^2 / 10 or less, the rate that of a
 * linear relaxation; in wide networks it is of the order of their width. */
static fathom_status choose_method(double *h, dual_flow *flow)
{
    dynamics_state *state = &flow->run->state;
    const bool first = isnan(state->controller);
    double rate;
    *h = first ? first_step : state->controller;
    if (!first && !state->stiff && state->steps % WATCH != 0)
        return FATHOM_OK;
    FATHOM_TRY(fathom_dual_newton_kernel(&rate, flow));
    if (first && *h * rate > 1) /* else the error control finds it in a try or two */
        *h = sqrt(10 * flow->tolerance) / rate;
    state->stiff = *h * rate > (state->stiff ? 0.5 : 2);
    return FATHOM_OK;
}

/* ln of the time that the step took, the integral of e^l, l the parabola through the logarithms of dt/dtau at the
 * beginning, the middle and the end. l may rise by thousands: panels halve towards the end until it rises by less than 1. */
static double log_duration(const dual_flow *flow, double h)
{
    static const double node[5] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842,
                                   0.953089922969332};
    static const double weight[5] = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                     0.239314335249683, 0.118463442528095};
    const double *l = flow->log_rate, c = flow->middle;
    const double first = (l[1] - l[0]) / c, second = ((l[2] - l[1]) / (1 - c) - first);
    const double rise = fabs(first + second * (2 - c)) + fabs(second); /* at most |l'| near the end */
    const int panels = rise > 1 ? 1 + (int)ceil(log2(rise)) : 1;
    double sum = 0, low = 0;
    for (int k = 1; k <= panels; k++) {
        const double high = k == panels ? 1 : 1 - ldexp(1, -k);
        for (int g = 0; g < 5; g++) {
            const double s = low + (high - low) * node[g];
            const double value = l[0] + s * (first + second * (s - c));
            sum += (high - low) * weight[g] * exp(value - l[2]);
        }
        low = high;
    }
    return log(h) + l[2] + log(sum);
}

/* What the levels are compared with, before the step (k = 0) and after it: ln R, ln(1 + t), |W - W(0)|. Their signs make them rise. */
static void find_values(double *value, const dual_flow *flow, const dynamics_state *state, int k)
{
    value[LEVEL_LOSS] = -flow->log_loss[k];
    value[LEVEL_TIME] = state->log_time;
    value[LEVEL_DISTANCE] = NAN;
    for (int mark = 0; mark < flow->levels; mark++)
        if (flow->level[mark].kind == LEVEL_DISTANCE && !isnan(flow->level[mark].level))
            value[LEVEL_DISTANCE] = fathom_dynamics_distance(flow->run->problem, state);
}

/* The levels of --mark and of --until as a list that rises; those that nobody asked for are NaN. */
static void set_levels(dual_flow *flow)
{
    const dynamics_plan *plan = &flow->run->problem->plan;
    const dynamics_until *until = &plan->until;
    flow->levels = 0;
    for (int k = 0; k < plan->marks; k++)
        flow->level[flow->levels++] = plan->mark[k];
    flow->level[flow->levels++] = (dynamics_mark){LEVEL_LOSS, until->log_loss};
    flow->level[flow->levels++] = (dynamics_mark){LEVEL_TIME, log1p(until->time)};
    flow->level[flow->levels++] = (dynamics_mark){LEVEL_DISTANCE, until->distance};
    for (int k = 0; k < flow->levels; k++)
        if (flow->level[k].kind == LEVEL_LOSS)
            flow->level[k].level = -flow->level[k].level;
}

/* What counts as the level: the flow ends a step this near to it, and course.c ends the run there. Times and
 * distances begin at 0 and may be of any size. */
static double nearness(const dynamics_mark *mark)
{
    return 5e-12 * fmax(mark->kind == LEVEL_LOSS, fabs(mark->level));
}

/* The part of the step after which the first level is met, by linear interpolation of its value; above 1:
 * none is. *met: the end of the step is at a level; *last: one that ends the run is met or passed. A level
 * that is 0 at the beginning counts as past. */
static double first_level(bool *met, bool *last, const dual_flow *flow, const double *before,
                          const double *after)
{
    double part = INFINITY;
    *met = *last = false;
    for (int k = 0; k < flow->levels; k++) {
        const dynamics_mark *mark = flow->level + k;
        const double here = before[mark->kind], there = after[mark->kind], near = nearness(mark);
        if (!(here < mark->level - near) || !(there >= mark->level - near))
            continue;
        *met = *met || there <= mark->level + near;
        *last = *last || k >= flow->levels - ENDS;
        if (there > mark->level + near)
            part = fmin(part, (mark->level - here) / (there - here));
    }
    return part;
}

/* Whether the weights after a step of length h are others than before, by more than what the rounding of the forces
 * alone would make of them. Steps double where duals stand still: only there are they that long. */
static bool has_moved(const dual_flow *flow, double h)
{
    const dynamics_problem *problem = flow->run->problem;
    const dynamics_state *before = &flow->run->state, *after = &flow->next;
    const size_t weights = (size_t)(problem->m * problem->h) * sizeof(double);
    double force = 0;
    for (int64_t i = 0; i < problem->n; i++)
        force += fabs(flow->force[1][i]);
    if (DBL_EPSILON * h * force * problem->reach > fathom_dynamics_norm(problem, after))
        return false;
    return memcmp(before->hidden, after->hidden, weights) != 0 ||
           memcmp(before->output, after->output, (size_t)problem->m * sizeof(double)) != 0;
}

/* One accepted step; false in *moved where none can be made or nothing moves. */
static fathom_status advance(bool *moved, dual_flow *flow)
{
    dynamics_run *run = flow->run;
    const dynamics_problem *problem = run->problem;
    double h, error = INFINITY, wanted = 0, before[LEVELS], after[LEVELS];
    bool met, last;
    const int64_t evaluations = run->state.evaluations;
    *moved = false;
    find_values(before, flow, &run->state, 0);
    FATHOM_TRY(choose_method(&h, flow));
    for (int rejected = 0; rejected < REJECTIONS; rejected++) {
        FATHOM_TRY(try_step(&error, flow, h));
        const double ratio = sqrt(flow->tolerance / fmax(error, 1e-300));
        if (!(error <= flow->tolerance) && fathom_context_stop_reason(problem->context) != FATHOM_STOP_NONE) {
            *moved = true; /* nowhere: the run ends here */
            return FATHOM_OK;
        }
        if (!(error <= flow->tolerance)) {
            h *= fmax(0.1, fmin(0.7, 0.9 * ratio));
            continue;
        }
        fathom_dynamics_clock_add(&flow->next, log_duration(flow, h));
        find_values(after, flow, &flow->next, 2);
        const double part = first_level(&met, &last, flow, before, after);
        if (last && !run->kept) { /* the way to an end may take several steps */
            fathom_dynamics_keep(run);
            run->before.evaluations = evaluations;
        }
        if (part < 1) { /* a level was passed: the step is taken again up to it */
            wanted = fmax(wanted, h);
            h *= fmax(part, 1e-3);
            continue;
        }
        if (met) /* a record is due here */
            flow->next.next_record = run->state.steps + 1;
        flow->next.evaluations = run->state.evaluations;
        flow->next.controller = fmax(wanted, h * fmin(2, 0.9 * ratio));
        flow->next.steps++;
        *moved = has_moved(flow, h);
        fathom_dynamics_state_copy(&run->state, &flow->next, problem);
        memcpy(flow->force[0], flow->force[2], (size_t)problem->n * sizeof(double));
        flow->log_loss[0] = flow->log_loss[2];
        flow->log_rate[0] = flow->log_rate[2];
        return FATHOM_OK;
    }
    return FATHOM_OK;
}

/* Gates by neuron, and the examples as neurons see them: planes, or for scalar networks the line. */
static fathom_status prepare_points(dual_flow *flow)
{
    static const double one = 1;
    const dynamics_problem *problem = flow->run->problem;
    const int64_t n = problem->n, m = problem->m;
    const bool scalar = problem->plan.kind == FATHOM_NET_SCALAR;
    if (problem->gate)
        flow->gates = fathom_memory_zero(problem->context, n * m, sizeof(double));
    flow->above = fathom_memory_zero(problem->context, 2 * n, sizeof(double));
    if (!flow->above || (problem->gate && !flow->gates))
        return FATHOM_ERROR_MEMORY;
    flow->below = flow->above + n;
    flow->alpha = problem->plan.kind == FATHOM_NET_LEAKY ? problem->plan.parameter : 0;
    for (int64_t j = 0; j < m && problem->gate; j++) {
        if (j % LOOK == LOOK - 1 && fathom_context_overdue(problem->context))
            return fathom_context_late(problem->context, "the gates of a flow");
        for (int64_t i = 0; i < n; i++)
            flow->gates[j * n + i] = problem->gate[i * m + j];
    }
    flow->field = (neuron_field){.n = scalar ? 1 : problem->planes.count,
                                 .d = problem->h,
                                 .x = scalar ? &one : problem->planes.unit,
                                 .squares = scalar ? &one : problem->planes.squares,
                                 .above = flow->above,
                                 .below = flow->below,
                                 .both = problem->plan.output,
                                 .open = problem->plan.open};
    return FATHOM_OK;
}

static fathom_status create(dual_flow *flow, dynamics_run *run)
{
    static const double tolerance[] = {1e-3, 1e-5, 1e-7}; /* --accuracy fast, default, reference */
    const dynamics_problem *problem = run->problem;
    fathom_context *context = problem->context;
    *flow = (dual_flow){.run = run,
                        .tolerance = tolerance[problem->options->accuracy],
                        .threads = fathom_context_threads(context)};
    set_levels(flow);
    fathom_status status = prepare_points(flow);
    FATHOM_THEN(status, fathom_dynamics_state_create(&flow->half, problem));
    FATHOM_THEN(status, fathom_dynamics_state_create(&flow->next, problem));
    if (status == FATHOM_OK) { /* distances are those from the beginning */
        memcpy(flow->next.hidden0, run->state.hidden0, (size_t)(problem->m * problem->h) * sizeof(double));
        memcpy(flow->next.output0, run->state.output0, (size_t)(problem->m * problem->o) * sizeof(double));
    }
    for (int k = 0; k < 3 && status == FATHOM_OK; k++) {
        flow->force[k] = fathom_memory_zero(context, problem->n, sizeof(double));
        status = flow->force[k] ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK)
        flow->work = fathom_memory_zero(context, flow->threads, sizeof *flow->work);
    if (status == FATHOM_OK && !flow->work)
        status = FATHOM_ERROR_MEMORY;
    for (int k = 0; k < flow->threads && status == FATHOM_OK; k++)
        status = fathom_neuron_work_create(flow->work + k, context, problem->n, problem->h);
    return status;
}

static void clear(dual_flow *flow)
{
    fathom_context *context = flow->run->problem->context;
    for (int k = 0; k < flow->threads && flow->work; k++)
        fathom_neuron_work_free(flow->work + k, context);
    fathom_memory_free(context, flow->work);
    for (int k = 0; k < 3; k++)
        fathom_memory_free(context, flow->force[k]);
    fathom_dual_newton_free(flow);
    fathom_dynamics_state_free(&flow->half, context);
    fathom_dynamics_state_free(&flow->next, context);
    FATHOM_FREE(context, flow->above, flow->gates);
}

static fathom_status loop(dual_flow *flow)
{
    dynamics_run *run = flow->run;
    fathom_status status = fathom_dual_find(flow, &run->state, 0);
    run->state.evaluations -= run->state.steps > 0; /* a resumed run has counted it */
    while (status == FATHOM_OK) {
        dynamics_verdict verdict;
        bool moved;
        status = fathom_dynamics_course(&verdict, run, flow->log_loss[0]);
        if (status != FATHOM_OK || verdict == DYNAMICS_STOP)
            return status;
        if (-flow->log_loss[0] * 0x1p-52 > precision)
            return fathom_dynamics_end_here(run, FATHOM_FLOW_PRECISION,
                                            "margins are too large for double precision");
        if (fathom_dynamics_stands(run, flow->log_loss[0], PLATEAU))
            return fathom_dynamics_end_here(run, FATHOM_FLOW_STUCK, "the loss no longer falls");
        status = advance(&moved, flow);
        if (status == FATHOM_OK && !moved)
            return fathom_dynamics_end_here(run, FATHOM_FLOW_STUCK, "nothing moves");
    }
    return status;
}

/* Whether the run is event-locked (reference_flow.c). */
static bool is_reference(const dynamics_problem *problem)
{
    const fathom_net_kind kind = problem->plan.kind;
    return problem->options->accuracy == 2 && problem->plan.first &&
           (kind == FATHOM_NET_RELU || kind == FATHOM_NET_LEAKY);
}

fathom_status fathom_dynamics_flow_check(const dynamics_problem *problem)
{
    if (!fathom_dynamics_log_space(problem))
        return fathom_error_set(problem->context, FATHOM_ERROR_USAGE,
                                "--method flow takes the logistic or the exponential loss");
    if (problem->plan.kind == FATHOM_NET_HUBER)
        return fathom_error_set(
            problem->context, FATHOM_ERROR_USAGE,
            "--method flow takes relu, leaky, scalar and gated networks; huber: gd with small steps");
    if (is_reference(problem) && problem->plan.marks > 0)
        return fathom_error_set(problem->context, FATHOM_ERROR_USAGE,
                                "--mark takes --accuracy fast or default");
    return FATHOM_OK;
}

fathom_status fathom_dynamics_flow(dynamics_run *run)
{
    dual_flow flow;
    if (is_reference(run->problem)) {
        run->result->method = "gradient flow, event-locked Runge-Kutta";
        return fathom_dynamics_reference(run);
    }
    fathom_status status = create(&flow, run);
    FATHOM_THEN(status, loop(&flow));
    clear(&flow);
    return status;
}
