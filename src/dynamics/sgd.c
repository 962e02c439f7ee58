/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stochastic gradient descent, one example a step: W <- W - eta w_i grad l(f(x_i), y_i), w_i the sample
 * weights of mean 1.
 *
 *   epochs   i runs through a new permutation of the rows in every epoch, permutation = f(seed, epoch)
 *     [004, Sec. 3]
 *   fresh    i = t: every row once, in the order in which they stand
 *     [003, Sec. 2]
 *
 * A loss that is waited for is looked at once an epoch and at records, and located by bisection: the run ends
 * after a step that brings the mean loss from above the level to it or below. The last step before --until
 * time=T is what is left to T. With --decay B the weights shrink by 1 - eta B before every step; biases do
 * not. H and A are kept transposed (h x m, o x m, rows padded), so that both passes over H, z = H x and H +=
 * x c', run along neurons without horizontal sums: about 2 m (d + o) multiply-adds per step from the
 * first-level cache. A step allocates nothing. Gates of gated and scalar networks are kept, or, where all pairs
 * are too many, made of the fixed rows for the example of the step: m d multiply-adds more. With --precision single
 * weights, H x and the update are in single precision, loss and slope of an example in double.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dispatch.h"
#include "dynamics_internal.h"
#include "float_panels.h"
#include "float_rows.h"
#include "gemm.h"
#include "memory.h"
#include "random.h"

enum { LANES = 8, STRETCH = 4096 };

/* --precision single: the same in single precision; all NULL otherwise. */
typedef struct sgd_single {
    float *x;               /* n x d */
    float *hidden, *output; /* h x ld, o x ld */
    float *z, *force;       /* ld each */
    float low;              /* slope below the kink */
    const fathom_float_kernel *kernel;
} sgd_single;

/* Weights and clocks at a step. */
typedef struct sgd_look {
    double *hidden, *output; /* h x ld, o x ld; numbers of single precision where those are used */
    int64_t steps;           /* -1: none yet */
    double time, log_time;
} sgd_look;

typedef struct sgd {
    const dynamics_problem *problem;
    int64_t ld;        /* m rounded up to whole registers */
    double *hidden;    /* h x ld, transposed; scalar: 1 x ld; in single precision a copy at looks */
    double *output;    /* o x ld, transposed */
    double *z, *force; /* ld each */
    double *gates;     /* ld: those of one example, where the pairs are too many to keep; else NULL */
    double *f, *slope; /* o each */
    int64_t *order;    /* n */
    int64_t epoch;     /* of `order`; -1: none yet */
    double eta;
    sgd_single single;
    sgd_look last; /* --until loss=L: the last state at which the loss was above L */
} sgd;

/* z = sum_l x_l H_l over rows of length ld, four rows at a time. */
FATHOM_DISPATCH
static void project(double *restrict z, const double *restrict h, const double *restrict x, int64_t d,
                    int64_t ld)
{
    int64_t l = 0;
    for (int64_t j = 0; j < ld; j++)
        z[j] = 0;
    for (; l + 4 <= d; l += 4) {
        const double x0 = x[l], x1 = x[l + 1], x2 = x[l + 2], x3 = x[l + 3];
        const double *restrict h0 = h + l * ld, *restrict h1 = h0 + ld, *restrict h2 = h1 + ld,
                               *restrict h3 = h2 + ld;
        for (int64_t j = 0; j < ld; j++)
            z[j] += (x0 * h0[j] + x1 * h1[j]) + (x2 * h2[j] + x3 * h3[j]);
    }
    for (; l < d; l++)
        for (int64_t j = 0; j < ld; j++)
            z[j] += x[l] * h[l * ld + j];
}

/* H_l += x_l force. */
FATHOM_DISPATCH
static void push(double *restrict h, const double *restrict force, const double *restrict x, int64_t d,
                 int64_t ld)
{
    for (int64_t l = 0; l < d; l++) {
        const double xl = x[l];
        double *restrict row = h + l * ld;
        for (int64_t j = 0; j < ld; j++)
            row[j] += xl * force[j];
    }
}

/* sum_j a_j sigma(z_j) with slopes beta below the kink: relu (0), leaky, scalar; LANES partial sums. */
FATHOM_DISPATCH
static double respond(const double *restrict z, const double *restrict a, double beta, int64_t ld)
{
    double sum[LANES] = {0};
    for (int64_t j = 0; j < ld; j += LANES)
        for (int64_t k = 0; k < LANES; k++)
            sum[k] += a[j + k] * (z[j + k] > 0 ? z[j + k] : beta * z[j + k]);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* force_j = pull a_j sigma'(z_j), added up over outputs (`more`); then, where both, a_j += pull sigma(z_j). */
FATHOM_DISPATCH
static void react(double *restrict force, double *restrict a, const double *restrict z, double beta,
                  double pull, bool more, bool both, int64_t ld)
{
    if (more)
        for (int64_t j = 0; j < ld; j++)
            force[j] += pull * a[j] * (z[j] > 0 ? 1 : beta);
    else
        for (int64_t j = 0; j < ld; j++)
            force[j] = pull * a[j] * (z[j] > 0 ? 1 : beta);
    if (both)
        for (int64_t j = 0; j < ld; j++)
            a[j] += pull * (z[j] > 0 ? z[j] : beta * z[j]);
}

/* The same two passes for the other families, unit by unit. */
static double respond_slowly(const sgd *s, const double *a, const double *gate)
{
    double f = 0;
    for (int64_t j = 0; j < s->problem->m; j++)
        f += a[j] * fathom_dynamics_unit(s->problem, gate ? gate[j] : 1, s->z[j]);
    return f;
}

/* Scalar networks: steps of a_j and b_j are pull b_j G and pull a_j G. Where |a_j| = |b_j| they are taken as equal in size
 * to the last bit, or rounding would part a_j and b_j on their way to 0, and one of them would pass it. */
static bool balanced(const sgd *s, const double *a, int64_t j)
{
    return s->problem->plan.kind == FATHOM_NET_SCALAR && s->problem->plan.first && s->problem->o == 1 &&
           fabs(a[j]) == fabs(s->hidden[j]);
}

static void react_slowly(sgd *s, double *a, const double *gate, double pull, bool more)
{
    for (int64_t j = 0; j < s->problem->m; j++) {
        const double g = gate ? gate[j] : 1;
        const double force = pull * a[j] * fathom_dynamics_unit_slope(s->problem, g, s->z[j]);
        s->force[j] = more ? s->force[j] + force : force;
        if (s->problem->plan.output)
            a[j] += balanced(s, a, j) ? (a[j] == s->hidden[j] ? force : -force)
                                      : pull * fathom_dynamics_unit(s->problem, g, s->z[j]);
    }
}

/* Outputs on example i, forces on the units, and the step of A where it is trained; z and the gates are
 * known. */
static void answer(sgd *s, int64_t i, const double *gate)
{
    const dynamics_problem *problem = s->problem;
    const dynamics_plan *plan = &problem->plan;
    const int64_t o = problem->o;
    const bool plain = plan->kind == FATHOM_NET_RELU || plan->kind == FATHOM_NET_LEAKY;
    const double beta = plan->kind == FATHOM_NET_LEAKY ? plan->parameter : 0;
    for (int64_t k = 0; k < o; k++) {
        const double *a = s->output + k * s->ld;
        s->f[k] = plain ? respond(s->z, a, beta, s->ld) : respond_slowly(s, a, gate);
    }
    fathom_loss_derivative(s->slope, plan->loss, s->f, problem->y + i * o, o);
    for (int64_t k = 0; k < o; k++) {
        double *a = s->output + k * s->ld;
        const double pull = -s->eta * s->slope[k] * (problem->weight ? problem->weight[i] : 1);
        if (plain)
            react(s->force, a, s->z, beta, pull, k > 0, plan->output, s->ld);
        else
            react_slowly(s, a, gate, pull, k > 0);
    }
}

/* W <- (1 - eta B) W; the biases are the last row of the transposed H. */
static void decay(sgd *s)
{
    const dynamics_problem *problem = s->problem;
    const double keep = 1 - s->eta * problem->options->decay;
    if (problem->plan.first)
        fathom_blas_scale(s->hidden, keep, (problem->h - problem->bias) * s->ld);
    if (problem->plan.output)
        fathom_blas_scale(s->output, keep, problem->o * s->ld);
}

/* The same with one rounding to single precision. */
static void decay_single(sgd *s)
{
    const dynamics_problem *problem = s->problem;
    const double keep = 1 - s->eta * problem->options->decay;
    for (int64_t t = 0; problem->plan.first && t < (problem->h - problem->bias) * s->ld; t++)
        s->single.hidden[t] = (float)(keep * (double)s->single.hidden[t]);
    for (int64_t t = 0; problem->plan.output && t < problem->o * s->ld; t++)
        s->single.output[t] = (float)(keep * (double)s->single.output[t]);
}

/* G of example i; NULL in networks that have no gates. */
static const double *gates_of(sgd *s, int64_t i)
{
    const dynamics_problem *problem = s->problem;
    if (!s->gates)
        return problem->gate ? problem->gate + i * problem->m : NULL;
    fathom_blas_gemv(s->gates, problem->m, problem->d, 1, fathom_plain(problem->fixed, problem->d),
                     problem->x + i * problem->d, 0);
    for (int64_t j = 0; j < problem->m && problem->plan.kind == FATHOM_NET_GATED; j++)
        s->gates[j] = s->gates[j] > 0;
    return s->gates;
}

/* The same step in single precision, loss and slope in double. */
static void step_single(sgd *s, int64_t i)
{
    const dynamics_problem *problem = s->problem;
    const sgd_single *single = &s->single;
    const int64_t o = problem->o, ld = s->ld;
    const float *x = single->x + i * problem->d;
    if (problem->options->decay > 0)
        decay_single(s);
    fathom_float_project(single->z, single->hidden, x, problem->d, ld);
    for (int64_t k = 0; k < o; k++) {
        float sums[FATHOM_PANEL_LANES] = {0};
        single->kernel->respond(sums, single->z, single->output + k * ld, single->low, ld);
        s->f[k] = 0;
        for (int l = 0; l < FATHOM_PANEL_LANES; l++)
            s->f[k] += (double)sums[l];
    }
    fathom_loss_derivative(s->slope, problem->plan.loss, s->f, problem->y + i * o, o);
    for (int64_t k = 0; k < o; k++) {
        float *a = single->output + k * ld;
        const double pull = -s->eta * s->slope[k] * (problem->weight ? problem->weight[i] : 1);
        single->kernel->react(single->force, problem->plan.output ? a : NULL, single->z, a, (float)pull,
                              single->low, k > 0, ld);
    }
    if (problem->plan.first)
        fathom_float_push(single->hidden, single->force, x, problem->d, ld);
}

/* One step on example i. */
static void step(sgd *s, int64_t i)
{
    if (s->single.x) {
        step_single(s, i);
        return;
    }
    const dynamics_problem *problem = s->problem;
    const dynamics_plan *plan = &problem->plan;
    const double *x = problem->x + i * problem->d, *gate = gates_of(s, i);
    if (problem->options->decay > 0)
        decay(s);
    if (plan->kind == FATHOM_NET_SCALAR)
        for (int64_t j = 0; j < problem->m; j++)
            s->z[j] = s->hidden[j] * gate[j];
    else
        project(s->z, s->hidden, x, problem->d, s->ld);
    answer(s, i, gate);
    if (!plan->first)
        return;
    if (plan->kind == FATHOM_NET_SCALAR)
        for (int64_t j = 0; j < problem->m; j++)
            s->hidden[j] += s->force[j];
    else
        push(s->hidden, s->force, x, problem->d, s->ld);
}

static fathom_status create_single(sgd *s, const dynamics_problem *problem)
{
    fathom_context *context = problem->context;
    sgd_single *single = &s->single;
    single->x = fathom_memory_alloc(context, problem->n * problem->d, sizeof(float));
    single->hidden = fathom_memory_zero(context, problem->h * s->ld, sizeof(float));
    single->output = fathom_memory_zero(context, problem->o * s->ld, sizeof(float));
    single->z = fathom_memory_zero(context, s->ld, sizeof(float));
    single->force = fathom_memory_zero(context, s->ld, sizeof(float));
    if (!single->x || !single->hidden || !single->output || !single->z || !single->force)
        return FATHOM_ERROR_MEMORY;
    for (int64_t t = 0; t < problem->n * problem->d; t++)
        single->x[t] = (float)problem->x[t];
    single->low = problem->plan.kind == FATHOM_NET_LEAKY ? (float)problem->plan.parameter : 0;
    single->kernel = fathom_float_kernel_chosen();
    return FATHOM_OK;
}

static fathom_status create(sgd *s, const dynamics_problem *problem)
{
    fathom_context *context = problem->context;
    const int64_t ld = problem->options->precision ? fathom_panels_columns(problem->m)
                                                   : (problem->m + LANES - 1) / LANES * LANES;
    *s = (sgd){.problem = problem, .ld = ld, .epoch = -1, .eta = problem->plan.step.value};
    s->hidden = fathom_memory_zero(context, problem->h * ld, sizeof(double));
    s->output = fathom_memory_zero(context, problem->o * ld, sizeof(double));
    s->z = fathom_memory_zero(context, ld, sizeof(double));
    s->force = fathom_memory_zero(context, ld, sizeof(double));
    if (problem->fixed && problem->tiled && !(s->gates = fathom_memory_zero(context, ld, sizeof(double))))
        return FATHOM_ERROR_MEMORY;
    s->f = fathom_memory_alloc(context, problem->o, sizeof(double));
    s->slope = fathom_memory_alloc(context, problem->o, sizeof(double));
    s->order = fathom_memory_alloc(context, problem->n, sizeof *s->order);
    const bool waits = !isnan(problem->plan.until.log_loss);
    s->last.steps = -1;
    s->last.hidden = fathom_memory_zero(context, waits ? problem->h * ld : 1, sizeof(double));
    s->last.output = fathom_memory_zero(context, waits ? problem->o * ld : 1, sizeof(double));
    const bool ok = s->hidden && s->output && s->z && s->force && s->f && s->slope && s->order &&
                    s->last.hidden && s->last.output;
    if (!ok)
        return FATHOM_ERROR_MEMORY;
    return problem->options->precision ? create_single(s, problem) : FATHOM_OK;
}

static void clear(sgd *s)
{
    fathom_context *context = s->problem->context;
    FATHOM_FREE(context, s->single.x, s->single.hidden, s->single.output, s->single.z, s->single.force);
    FATHOM_FREE(context, s->hidden, s->output, s->z, s->force, s->gates, s->f, s->slope, s->order,
                s->last.hidden, s->last.output);
}

/* Weights of single precision from their copy in double, or into it. */
static void convert(sgd *s, bool load)
{
    const int64_t count[] = {s->problem->h * s->ld, s->problem->o * s->ld};
    float *const single[] = {s->single.hidden, s->single.output};
    double *const copy[] = {s->hidden, s->output};
    for (int k = 0; k < 2 && s->single.x; k++)
        for (int64_t t = 0; t < count[k]; t++)
            if (load)
                single[k][t] = (float)copy[k][t];
            else
                copy[k][t] = (double)single[k][t];
}

/* Weights into the run's state, or out of it. */
static void exchange(sgd *s, dynamics_state *state, bool load)
{
    const int64_t m = s->problem->m, h = s->problem->h, o = s->problem->o;
    if (load) {
        fathom_transpose(s->output, s->ld, state->output, o, m, o);
        fathom_transpose(s->hidden, s->ld, state->hidden, h, m, h);
        convert(s, true);
    } else {
        convert(s, false);
        fathom_transpose(state->output, o, s->output, s->ld, o, m);
        fathom_transpose(state->hidden, h, s->hidden, s->ld, h, m);
    }
}

/* The example of step number t. */
static int64_t example(sgd *s, int64_t t)
{
    const int64_t n = s->problem->n;
    if (s->problem->options->sample == 1)
        return t;
    if (t / n != s->epoch) {
        s->epoch = t / n;
        fathom_random_permutation(s->order, n, s->problem->seed, FATHOM_STREAM_ORDER, (uint32_t)s->epoch);
    }
    return s->order[t % n];
}

/* Steps of about 6e7 multiply-adds together. */
static int64_t steps_between_looks(const dynamics_problem *problem)
{
    const int64_t gates = problem->fixed && problem->tiled ? problem->d : 0;
    const double steps = 3e7 / ((double)problem->m * (double)(problem->h + problem->o + gates));
    return steps < 1 ? 1 : steps > STRETCH ? STRETCH : (int64_t)steps;
}

/* Steps until somebody has to look: a record, the end, a stretch to be interruptible, an epoch where a loss
 * is waited for. Steps that --until time=T would cut short are left out. */
static int64_t stretch(const dynamics_run *run, double eta)
{
    const dynamics_state *state = &run->state;
    const dynamics_until *until = &run->problem->plan.until;
    const int64_t n = run->problem->n, epoch = state->steps + n - state->steps % n;
    int64_t last = state->steps + steps_between_looks(run->problem);
    last = state->next_record < last ? state->next_record : last;
    if (!isnan(until->log_loss) && epoch < last)
        last = epoch;
    if (until->steps >= 0 && until->steps < last)
        last = until->steps;
    if (!isnan(until->time)) {
        const double whole = fathom_dynamics_steps_whole(run, eta);
        if (whole < (double)(last - state->steps))
            last = state->steps + (int64_t)whole;
    }
    if (run->problem->options->sample == 1 && n < last)
        last = n;
    return last;
}

/* Whole steps up to number `last`, into the run's state. */
static void run_to(sgd *s, dynamics_state *state, int64_t last)
{
    for (int64_t t = state->steps; t < last; t++)
        step(s, example(s, t));
    for (; state->steps < last; state->steps++)
        fathom_dynamics_clock_add(state, log(s->eta));
    state->evaluations = state->steps;
    exchange(s, state, false);
}

/* The step that --until time=T cuts short. */
static void step_last(sgd *s, dynamics_run *run)
{
    const double eta = s->eta;
    bool last;
    const double left = fathom_dynamics_step_cut(&last, run, log(eta));
    fathom_dynamics_keep(run);
    s->eta = exp(left);
    step(s, example(s, run->state.steps));
    s->eta = eta;
    fathom_dynamics_clock_end(run, left);
    run->state.evaluations = ++run->state.steps;
    exchange(s, &run->state, false);
}

/* Keeps the state at hand as the last one above the loss that was asked for, or goes back to it. */
static void keep_look(sgd *s, const dynamics_state *state)
{
    memcpy(s->last.hidden, s->hidden, (size_t)(s->problem->h * s->ld) * sizeof(double));
    memcpy(s->last.output, s->output, (size_t)(s->problem->o * s->ld) * sizeof(double));
    s->last.steps = state->steps, s->last.time = state->time, s->last.log_time = state->log_time;
}

static void go_back(sgd *s, dynamics_state *state)
{
    memcpy(s->hidden, s->last.hidden, (size_t)(s->problem->h * s->ld) * sizeof(double));
    memcpy(s->output, s->last.output, (size_t)(s->problem->o * s->ld) * sizeof(double));
    convert(s, true);
    state->steps = s->last.steps, state->time = s->last.time, state->log_time = s->last.log_time;
}

static fathom_status find_loss(double *log_loss, dynamics_run *run)
{
    const fathom_status status =
        fathom_dynamics_forward(&run->batch, run->problem, &run->state, FATHOM_SLOPE_MEAN);
    *log_loss = run->batch.summary.log_mean;
    return status;
}

/* The mean loss where one is waited for (else NaN). Where it has come down to the level since the last look,
 * bisection over the steps since then goes back to one after which it is at the level or below and before
 * which it was above. */
static fathom_status look(double *log_loss, sgd *s, dynamics_run *run)
{
    const double level = run->problem->plan.until.log_loss;
    dynamics_state *state = &run->state;
    *log_loss = NAN;
    if (isnan(level))
        return FATHOM_OK;
    FATHOM_TRY(find_loss(log_loss, run));
    fathom_status status = FATHOM_OK;
    if (*log_loss > level)
        keep_look(s, state);
    if (!(*log_loss <= level) || s->last.steps < 0)
        return FATHOM_OK;
    for (int64_t high = state->steps; high - s->last.steps > 1 && status == FATHOM_OK;) {
        const int64_t middle = s->last.steps + (high - s->last.steps) / 2;
        go_back(s, state);
        run_to(s, state, middle);
        status = find_loss(log_loss, run);
        if (*log_loss <= level)
            high = middle;
        else
            keep_look(s, state);
    }
    if (status == FATHOM_OK && state->steps != s->last.steps + 1) {
        go_back(s, state);
        run_to(s, state, s->last.steps + 1);
        status = find_loss(log_loss, run);
    }
    return status;
}

static fathom_status loop(dynamics_run *run, sgd *s)
{
    dynamics_state *state = &run->state;
    for (;;) {
        dynamics_verdict verdict;
        double log_loss;
        fathom_status status = look(&log_loss, s, run);
        FATHOM_THEN(status, fathom_dynamics_course(&verdict, run, log_loss));
        if (status != FATHOM_OK || verdict == DYNAMICS_STOP)
            return status;
        if (run->problem->options->sample == 1 && state->steps >= run->problem->n)
            return fathom_dynamics_end_here(
                run, isnan(run->problem->plan.until.log_loss) ? FATHOM_FLOW_REACHED : FATHOM_FLOW_LIMIT,
                "every example was used once");
        const int64_t last = stretch(run, s->eta);
        if (last > state->steps) {
            run_to(s, state, last);
            fathom_dynamics_clock_round(run);
        } else
            step_last(s, run);
    }
}

fathom_status fathom_dynamics_sgd(dynamics_run *run)
{
    sgd s;
    fathom_status status = create(&s, run->problem);
    if (status == FATHOM_OK) {
        exchange(&s, &run->state, true);
        status = loop(run, &s);
    }
    clear(&s);
    return status;
}
