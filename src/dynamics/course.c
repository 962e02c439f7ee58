/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The course of a run: clocks, records when they are due, checkpoints, and when to stop.
 *
 * Records are made at steps 0, 1, 2, ... spaced by a fifth (log-spaced), or every K steps, and at the end. A run diverges
 * where the loss is not finite, where it has grown a millionfold, or where descent at a constant step has raised it CLIMB
 * times in a row to above that of the beginning; it ends with the state of the last record before that.
 */
#include <math.h>

#include "clock.h"
#include "context_internal.h"
#include "dynamics_internal.h"

static const double explosion = 13.8155105579642741; /* ln 1e6 */
static const double checkpoint_seconds = 5;
static const double patience = 0.3; /* seconds of a record that may follow a limit */
enum { CLIMB = 30 };

void fathom_dynamics_clock_add(dynamics_state *state, double log_step)
{
    const double step = exp(log_step);
    state->last_step = step;
    state->time += step;
    if (state->time < 1e300) {
        state->log_time = log1p(state->time);
        return;
    }
    const double big = fmax(state->log_time, log_step), small = fmin(state->log_time, log_step);
    state->time = INFINITY;
    state->log_time = big + log1p(exp(small - big));
}

void fathom_dynamics_keep(dynamics_run *run)
{
    if (!run->problem->options->checkpoint)
        return;
    fathom_dynamics_state_copy(&run->before, &run->state, run->problem);
    run->kept = true;
}

/* Times nearer than this to each other are one: a part of a step, and what a sum of steps may have been
 * rounded by. Both are of the size of the steps: a run at another scale counts the same steps. */
static double time_rounding(const dynamics_run *run, double step)
{
    return 1e-9 * step + (double)run->state.steps * 0x1p-53 * run->problem->plan.until.time;
}

double fathom_dynamics_step_cut(bool *last, const dynamics_run *run, double log_step)
{
    const double left = run->problem->plan.until.time - run->state.time, step = exp(log_step),
                 near = time_rounding(run, step);
    *last = step > left - near;
    return step > left + near ? log(left) : log_step;
}

void fathom_dynamics_clock_round(dynamics_run *run)
{
    const double end = run->problem->plan.until.time, left = end - run->state.time;
    if (isnan(end) || isnan(run->state.last_step) || fabs(left) > time_rounding(run, run->state.last_step))
        return;
    run->state.time = end;
    run->state.log_time = log1p(end);
}

double fathom_dynamics_steps_whole(const dynamics_run *run, double step)
{
    const double left = run->problem->plan.until.time - run->state.time;
    return fmax(0, floor((left + time_rounding(run, step)) / step));
}

void fathom_dynamics_clock_end(dynamics_run *run, double log_step)
{
    fathom_dynamics_clock_add(&run->state, log_step);
    run->state.time = run->problem->plan.until.time;
    run->state.log_time = log1p(run->state.time);
}

static void end_with(dynamics_run *run, fathom_flow_status status, const char *reason)
{
    run->result->status = status;
    run->result->reason = reason;
}

bool fathom_dynamics_stands(dynamics_run *run, double log_loss, int64_t window)
{
    dynamics_state *state = &run->state;
    if (state->steps % window != 0)
        return false;
    const bool still = state->steps > 0 && state->last_log_loss - log_loss < 1e-4;
    state->last_log_loss = log_loss;
    return still;
}

static void end_stopped(dynamics_run *run, fathom_stop stop)
{
    end_with(run, stop == FATHOM_STOP_TIME ? FATHOM_FLOW_LIMIT : FATHOM_FLOW_INTERRUPTED,
             stop == FATHOM_STOP_TIME ? "time limit" : "interrupted");
}

/* Whether another record would take longer than a command may take to end. */
static bool is_slow(const dynamics_run *run)
{
    return run->result->end.steps >= 0 && run->record_seconds > patience;
}

bool fathom_dynamics_cut(dynamics_run *run)
{
    const fathom_stop stop =
        is_slow(run) ? fathom_context_stop_reason(run->problem->context) : FATHOM_STOP_NONE;
    if (stop == FATHOM_STOP_NONE)
        return false;
    end_stopped(run, stop);
    return true;
}

void fathom_dynamics_settle(dynamics_run *run)
{
    if (run->known_at != run->state.steps || run->state.steps <= run->result->end.steps)
        return;
    fathom_dynamics_state_copy(&run->good, &run->state, run->problem);
    fathom_flow_record end = fathom_dynamics_unmeasured(&run->state);
    end.log_loss = run->known;
    end.norm = fathom_dynamics_norm(run->problem, &run->state);
    end.distance = fathom_dynamics_distance(run->problem, &run->state);
    run->result->end = end;
}

/* A limit is what was asked for, unless a loss was asked for too. */
static void end_at_limit(dynamics_run *run, const char *reason)
{
    const bool goal = !isnan(run->problem->plan.until.log_loss);
    end_with(run, goal ? FATHOM_FLOW_LIMIT : FATHOM_FLOW_REACHED, reason);
}

static bool exploded(const dynamics_run *run, double log_loss)
{
    const double start = run->state.start_log_loss;
    return isnan(log_loss) || log_loss == INFINITY || log_loss > fmax(start, 0) + explosion;
}

/* Counts steps that raised the loss; true where a constant step climbs for ever. */
static bool climbs(dynamics_run *run, double log_loss)
{
    dynamics_state *state = &run->state;
    if (state->increases < 0 || isnan(log_loss))
        return false;
    if (log_loss == state->last_log_loss) /* a resumed run has counted it */
        return false;
    const bool up = log_loss > state->last_log_loss;
    state->increases += up;
    state->climb = up ? state->climb + 1 : 0;
    state->last_log_loss = log_loss;
    return state->climb >= CLIMB && log_loss > state->start_log_loss &&
           run->problem->plan.step.kind == DYNAMICS_STEP_CONST;
}

/* Makes the record that is due, and keeps the state where it is in order or the last one. `told`: the log has it already. */
static fathom_status make_record(dynamics_run *run, double *log_loss, bool last, bool told)
{
    dynamics_state *state = &run->state;
    fathom_flow_record record;
    const double began = fathom_clock_seconds();
    fathom_status status = fathom_dynamics_monitor(&record, run);
    run->record_seconds = fathom_clock_seconds() - began;
    if (status != FATHOM_OK)
        return status;
    *log_loss = record.log_loss;
    if (isnan(state->start_log_loss))
        state->start_log_loss = record.log_loss;
    const int64_t every = run->problem->options->every;
    state->next_record = every > 0 ? state->steps + every : state->steps + 1 + state->steps / 5;
    if (exploded(run, record.log_loss))
        return FATHOM_OK;
    if (!told)
        status = fathom_dynamics_log_write(run, &record);
    if (run->observer && !told)
        run->observer(run->user, &record);
    if (state->climb == 0 || last) {
        fathom_dynamics_state_copy(&run->good, state, run->problem);
        run->result->end = record;
    }
    if (status == FATHOM_OK && run->problem->options->checkpoint &&
        fathom_clock_seconds() - run->checkpointed > checkpoint_seconds) {
        status = fathom_dynamics_checkpoint_write(run);
        run->checkpointed = fathom_clock_seconds();
    }
    return status;
}

static fathom_status end_diverged(dynamics_run *run, const char *reason)
{
    end_with(run, FATHOM_FLOW_DIVERGED, reason);
    return FATHOM_OK;
}

/* The end is always recorded, without shifting the records of a longer run. `told`: the log has it already. */
static fathom_status record_end(dynamics_run *run, bool told)
{
    const int64_t next = run->state.next_record;
    double log_loss;
    if (run->result->end.steps == run->state.steps)
        return FATHOM_OK;
    const fathom_status status = make_record(run, &log_loss, true, told);
    run->state.next_record = next;
    if (status == FATHOM_OK && exploded(run, log_loss))
        return end_diverged(run, "the loss exploded");
    run->good.next_record = next;
    return status;
}

fathom_status fathom_dynamics_end_here(dynamics_run *run, fathom_flow_status status, const char *reason)
{
    end_with(run, status, reason);
    return record_end(run, false);
}

/* The flow locates its ends to rounding. */
static bool loss_reached(const dynamics_until *until, double log_loss)
{
    return log_loss <= until->log_loss + 1e-11 * fmax(1, fabs(until->log_loss));
}

/* Of the flow in its own clock, ln(1 + t), relative to it; where steps are given, by what is left of one. */
static bool time_reached(const dynamics_run *run)
{
    const dynamics_state *state = &run->state;
    const double end = run->problem->plan.until.time;
    if (isnan(end) || run->problem->options->method == FATHOM_FLOW_FLOW)
        return state->log_time >= log1p(end) * (1 - 1e-11);
    return end - state->time <= (isnan(state->last_step) ? 0 : time_rounding(run, state->last_step));
}

static bool distance_reached(const dynamics_run *run)
{
    const double distance = run->problem->plan.until.distance;
    return !isnan(distance) && fathom_dynamics_distance(run->problem, &run->state) >= distance * (1 - 1e-9);
}

bool fathom_dynamics_reached(const dynamics_run *run, double log_loss)
{
    const dynamics_until *until = &run->problem->plan.until;
    return loss_reached(until, log_loss) || time_reached(run) || distance_reached(run);
}

/* The tests in the order of their importance; false: go on. */
static bool should_end(dynamics_run *run, double log_loss)
{
    const dynamics_until *until = &run->problem->plan.until;
    const dynamics_state *state = &run->state;
    if (loss_reached(until, log_loss))
        end_with(run, FATHOM_FLOW_REACHED, "loss reached");
    else if (until->steps >= 0 && state->steps >= until->steps)
        end_at_limit(run, "steps done");
    else if (time_reached(run))
        end_at_limit(run, "time reached");
    else if (distance_reached(run))
        end_at_limit(run, "distance reached");
    else if (fathom_clock_seconds() - run->started >= until->wall)
        end_at_limit(run, "wall clock");
    else {
        const fathom_stop stop =
            fathom_context_poll(run->problem->context, "steps", state->steps, log_loss, NAN);
        if (stop == FATHOM_STOP_NONE)
            return false;
        end_stopped(run, stop);
    }
    return true;
}

fathom_status fathom_dynamics_course(dynamics_verdict *verdict, dynamics_run *run, double log_loss)
{
    fathom_status status = FATHOM_OK;
    const bool known = !isnan(log_loss) || run->problem->options->method != FATHOM_FLOW_SGD;
    *verdict = DYNAMICS_STOP;
    if (known && run->state.steps > 0 && exploded(run, log_loss))
        return end_diverged(run, "the loss exploded");
    if (climbs(run, log_loss))
        return end_diverged(run, "the loss grows at a constant step");
    const bool due = run->state.steps >= run->state.next_record;
    if (due) {
        status = make_record(run, &log_loss, false, false);
        if (status == FATHOM_OK && exploded(run, log_loss))
            return end_diverged(run, "the loss exploded");
    }
    if (status != FATHOM_OK)
        return status;
    if (!should_end(run, log_loss)) {
        *verdict = DYNAMICS_GO;
        return FATHOM_OK;
    }
    if (fathom_context_stop_reason(run->problem->context) != FATHOM_STOP_NONE && is_slow(run)) {
        fathom_dynamics_settle(run);
        return FATHOM_OK;
    }
    return record_end(run, due);
}
