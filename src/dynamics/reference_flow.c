/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference: gradient flow by an event-locked Runge-Kutta method, dW/dtau = D(W) with ln(1 + t) as one
 * more unknown.
 *
 * Between events the field is analytic (reference_field.c), and the pair of Dormand and Prince, order 5
 * with an error estimate of order 4, integrates it at a tolerance of 1e-12 per step, relative to each
 * neuron. Where a step ends with events violated, the earliest is located by the Illinois method on the
 * length of the step, which is taken again from its beginning: nothing is interpolated. Modes change
 * there, sliding neurons are put back on their kinks, and the integration starts anew. Records are made
 * between events, so that a resumed run finds the same modes.
 *
 * Guarantee: none beyond the local tolerance; relative errors of 1e-10 are seen on the reference problems.
 * Cost: 6 evaluations a step, about 40 an event, and steps in proportion to ln(1/R) late, where the duals
 * are stiff.                                 [003, App. C]
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "memory.h"
#include "reference.h"

enum { STAGES = 7, LOCATE = 60, AT_ONCE = 64, PLATEAU = 5000, CALM = 100 };
static const double local_tolerance = 1e-12, precision = 1e-8, smallest = 1e-14;

typedef struct integrator {
    reference r;
    double *w, *trial, *k[STAGES]; /* size each */
    double *best;                  /* size: the end of the step that is kept */
    reference_event first;         /* the earliest event of a search ... */
    double when;                   /* ... estimated in [0, 1] of the step; infinite: none */
    double h;                      /* next step */
} integrator;

/* The pair of Dormand and Prince [Hairer, Norsett, Wanner, Table II.5.2]. */
static const double nodes[STAGES][6] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double error_weight[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                            -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* trial = the end of a step of length h from w, whose field is k[0]; k[6] is the field there. */
static fathom_status try_step(integrator *s, double h)
{
    fathom_status status = FATHOM_OK;
    for (int stage = 1; stage < STAGES && status == FATHOM_OK; stage++) {
        memcpy(s->trial, s->w, (size_t)s->r.size * sizeof(double));
        for (int l = 0; l < stage; l++)
            if (nodes[stage][l] != 0)
                fathom_blas_axpy(s->trial, h * nodes[stage][l], s->k[l], s->r.size);
        status = fathom_reference_field(s->k[stage], &s->r, s->trial);
    }
    return status;
}

/* The largest error of a neuron relative to its size; that of ln(1 + t) absolute. */
static double error_of(const integrator *s, double h)
{
    const int64_t m = s->r.m, d = s->r.d;
    double worst = 0;
    for (int64_t j = 0; j < m; j++) {
        double error = 0, size = 0;
        for (int64_t l = 0; l <= d; l++) {
            const int64_t at = l < d ? j * d + l : m * d + j;
            double e = 0;
            for (int k = 0; k < STAGES; k++)
                e += error_weight[k] * s->k[k][at];
            error += e * e;
            size += s->w[at] * s->w[at];
        }
        worst = fmax(worst, h * sqrt(error / size));
    }
    double clock = 0;
    for (int k = 0; k < STAGES; k++)
        clock += error_weight[k] * s->k[k][s->r.size - 1];
    return isnan(worst) ? INFINITY : fmax(worst, 1e-2 * fabs(h * clock));
}

/* Keeps the earliest event, by linear interpolation between its values at the beginning and, event->value,
 * at the end. */
static void visit(void *user, const reference_event *event)
{
    integrator *s = user;
    const int64_t m = s->r.m, d = s->r.d;
    double start = 0;
    if (event->kind == EVENT_SIDE) {
        start = fathom_blas_dot(s->w + event->j * d, s->r.planes->unit + event->i * d, d);
        start = s->r.mode[event->j * s->r.count + event->i] == REFERENCE_OPEN ? start : -start;
    } else if (event->kind == EVENT_SIGN)
        start = fabs(s->w[m * d + event->j]);
    else
        start = -event->value; /* not known without an evaluation: the middle */
    const double when = start > 0 ? start / (start - event->value) : 0;
    if (when < s->when) {
        s->when = when;
        s->first = *event;
    }
}

/* Looks for violated events at the trial state. */
static bool find_first(integrator *s)
{
    s->when = INFINITY;
    fathom_reference_search(&s->r, s->trial, visit, s);
    return s->when < INFINITY;
}

/* Shortens *h to where the event s->first has the value 0, from above: Illinois method; the trial state is
 * that of *h. */
static fathom_status locate(integrator *s, double *h)
{
    reference_event event = s->first;
    double low = 0, high = *h, low_value, high_value = event.value;
    fathom_status status = fathom_reference_field(s->k[6], &s->r, s->w);
    low_value = fathom_reference_value(&s->r, s->w, &event);
    int same = 0;
    if (!(low_value > 0))
        low_value = 0;
    for (int step = 0; step < LOCATE && status == FATHOM_OK; step++) {
        double x = low_value > 0 ? high - high_value * (high - low) / (high_value - low_value) : low;
        if (!(x > low && x < high) && low_value > 0)
            x = (low + high) / 2;
        status = x > 0 ? try_step(s, x) : FATHOM_OK;
        if (x == 0)
            memcpy(s->trial, s->w, (size_t)s->r.size * sizeof(double));
        if (status != FATHOM_OK)
            return status;
        const double value = x > 0 ? fathom_reference_value(&s->r, s->trial, &event) : 0;
        *h = x;
        if (fabs(value) <= event.tolerance || high - low <= 1e-15 * high || x == 0)
            return FATHOM_OK;
        if (value < 0) {
            high = x, high_value = value;
            low_value = same < 0 ? low_value / 2 : low_value;
            same = -1;
        } else {
            low = x, low_value = value;
            high_value = same > 0 ? high_value / 2 : high_value;
            same = 1;
        }
    }
    return status;
}

/* The step of length *h, or up to its first event; *event tells which of the two. */
static fathom_status lock(integrator *s, double *h, bool *event)
{
    *event = false;
    for (int round = 0; round < AT_ONCE; round++) {
        if (!find_first(s))
            return FATHOM_OK;
        *event = true;
        const reference_event found = s->first;
        const double before = *h;
        FATHOM_TRY(locate(s, h));
        memcpy(s->best, s->trial, (size_t)s->r.size * sizeof(double));
        /* Others may be violated still: they came first. */
        reference_event keep = found;
        if (*h == 0 || !find_first(s) ||
            (s->first.kind == keep.kind && s->first.j == keep.j && s->first.i == keep.i) || !(*h < before)) {
            s->first = keep;
            return FATHOM_OK;
        }
    }
    return FATHOM_OK;
}

/* Scalar networks: |a_j| = |b_j| stays so, and neither changes its sign (neuron_flow.c); what rounding
 * parted is put together. */
static void keep_pairs(integrator *s)
{
    const int64_t m = s->r.m;
    for (int64_t j = 0; j < m && s->r.run->problem->plan.kind == FATHOM_NET_SCALAR; j++)
        if (fabs(s->w[j]) == fabs(s->w[m + j])) {
            const double size = sqrt(fabs(s->trial[j] * s->trial[m + j]));
            s->trial[j] = copysign(size, s->w[j]);
            s->trial[m + j] = copysign(size, s->w[m + j]);
        }
}

/* One step without or with an event; `restart` where the field must be evaluated anew. */
static fathom_status advance(integrator *s, bool *event, bool *stuck)
{
    double h = s->h, error = INFINITY;
    fathom_status status = FATHOM_OK;
    *stuck = false;
    for (;;) {
        status = try_step(s, h);
        if (status != FATHOM_OK)
            return status;
        error = error_of(s, h);
        if (error <= local_tolerance)
            break;
        h *= fmax(0.1, fmin(0.8, 0.9 * pow(local_tolerance / error, 0.2)));
        if (!(h > smallest)) {
            *stuck = true;
            return FATHOM_OK;
        }
    }
    const double grown = h * fmin(3, 0.9 * pow(local_tolerance / fmax(error, 1e-30), 0.2));
    status = lock(s, &h, event);
    if (status != FATHOM_OK)
        return status;
    s->h = *event ? fmin(s->h, grown) : grown;
    keep_pairs(s);
    memcpy(s->w, s->trial, (size_t)s->r.size * sizeof(double));
    if (*event) {
        status = fathom_reference_switch(&s->r, s->w, &s->first);
        FATHOM_THEN(status, fathom_reference_field(s->k[0], &s->r, s->w));
    } else
        memcpy(s->k[0], s->k[6], (size_t)s->r.size * sizeof(double));
    return status;
}

/* Weights and clocks into the run's state. */
static void store(integrator *s)
{
    dynamics_state *state = &s->r.run->state;
    const int64_t m = s->r.m, d = s->r.d;
    memcpy(state->hidden, s->w, (size_t)(m * d) * sizeof(double));
    memcpy(state->output, s->w + m * d, (size_t)m * sizeof(double));
    memcpy(state->modes, s->r.mode, (size_t)(m * s->r.count));
    const double last = state->time;
    state->log_time = s->w[s->r.size - 1];
    state->time = state->log_time < 690 ? expm1(state->log_time) : INFINITY;
    state->last_step = state->time - last;
    state->controller = s->h;
}

/* Late, with fixed output weights, and CALM steps after the last event (counted in `stiff`): a chunk by
 * CVODE. After a chunk that met an event four times as many steps pass before the next. */
static fathom_status try_late(bool *moved, integrator *s, double log_loss)
{
    dynamics_state *state = &s->r.run->state;
    *moved = false;
    if (s->r.both || log_loss > -20 || state->stiff < CALM || !isnan(s->r.run->problem->plan.until.distance))
        return FATHOM_OK;
    fathom_status status = fathom_reference_late(moved, &s->r, s->w);
    if (!*moved)
        state->stiff = -3 * CALM;
    FATHOM_THEN(status, fathom_reference_field(s->k[0], &s->r, s->w));
    return status;
}

static fathom_status loop(integrator *s)
{
    dynamics_run *run = s->r.run;
    int64_t rush = 0;
    fathom_status status = fathom_reference_field(s->k[0], &s->r, s->w);
    run->state.evaluations -= run->state.steps > 0; /* a resumed run has counted it */
    while (status == FATHOM_OK) {
        dynamics_verdict verdict;
        bool event = false, stuck;
        const double log_loss = s->r.log_loss;
        if (rush == 0) {
            status = fathom_dynamics_course(&verdict, run, log_loss);
            if (status != FATHOM_OK || verdict == DYNAMICS_STOP)
                return status;
            if (-log_loss * 0x1p-52 > precision)
                return fathom_dynamics_end_here(run, FATHOM_FLOW_PRECISION,
                                                "margins are too large for double precision");
            if (fathom_dynamics_stands(run, log_loss, PLATEAU))
                return fathom_dynamics_end_here(run, FATHOM_FLOW_STUCK, "the loss no longer falls");
            fathom_dynamics_keep(run);
        }
        bool late = false;
        stuck = false;
        status = try_late(&late, s, log_loss);
        if (status == FATHOM_OK && !late)
            status = advance(s, &event, &stuck);
        store(s);
        run->state.stiff = event ? 0 : run->state.stiff + 1;
        const bool target = event && s->first.kind >= EVENT_LOSS;
        rush = event && !target ? rush + 1 : 0;
        s->r.patience =
            rush > 20 ? pow(10, fmin(8, (double)(rush - 20) / 10)) : 1; /* ties: dependent examples */
        run->state.steps += !event || target;
        run->kept = run->kept &&
                    (target || (event && rush > 0) || (late && fathom_dynamics_reached(run, s->r.log_loss)));
        if (status == FATHOM_OK && (stuck || rush > 100 * (s->r.n + s->r.m)))
            return fathom_dynamics_end_here(run, FATHOM_FLOW_STUCK, "events without end");
    }
    return status;
}

fathom_status fathom_dynamics_reference(dynamics_run *run)
{
    integrator s = {.h = isnan(run->state.controller) ? 1e-4 : run->state.controller};
    fathom_context *context = run->problem->context;
    fathom_status status = fathom_reference_create(&s.r, run);
    double *block =
        status == FATHOM_OK ? fathom_memory_zero(context, (STAGES + 3) * s.r.size, sizeof *block) : NULL;
    if (status == FATHOM_OK && !block)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        const int64_t size = s.r.size, weights = s.r.m * s.r.d;
        s.w = block, s.trial = s.w + size, s.best = s.trial + size;
        for (int k = 0; k < STAGES; k++)
            s.k[k] = s.best + (k + 1) * size;
        memcpy(s.w, run->state.hidden, (size_t)weights * sizeof(double));
        memcpy(s.w + weights, run->state.output, (size_t)s.r.m * sizeof(double));
        s.w[size - 1] = run->state.log_time;
        status = fathom_reference_begin(&s.r, s.w);
    }
    FATHOM_THEN(status, loop(&s));
    fathom_memory_free(context, block);
    fathom_reference_free(&s.r);
    return status;
}
