/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradient descent on all examples: W <- W - alpha_t (grad R(W) + B W), B of --decay; biases do not decay.
 *
 * For the margin losses grad R = R grad ln R, and the factor alpha_t R is formed as e^{ln alpha_t + ln R}:
 * with the steps of Lemma 8 it is constant while R falls below the smallest double. Cost per step: 4 n m (d +
 * o) flops. The last step before --until time=T is what is left to T. With --precision single outputs and
 * gradients are found in single precision (batch_single.c), R and the step in double, and W is rounded to
 * single precision once a step.
 */
#include <math.h>

#include "blas.h"
#include "dynamics_internal.h"

/* W <- W - factor gradient. */
static void descend(dynamics_run *run, double factor)
{
    const dynamics_problem *problem = run->problem;
    if (problem->plan.first)
        fathom_blas_axpy(run->state.hidden, -factor, run->batch.hidden, problem->m * problem->h);
    if (problem->plan.output)
        fathom_blas_axpy(run->state.output, -factor, run->batch.output, problem->m * problem->o);
    if (problem->options->precision) {
        fathom_dynamics_single_round(run->state.hidden, problem->m * problem->h);
        fathom_dynamics_single_round(run->state.output, problem->m * problem->o);
    }
}

/* W <- (1 - step B) W without the biases, which are the last entries of their rows. */
static void decay(dynamics_run *run, double step)
{
    const dynamics_problem *problem = run->problem;
    const double keep = 1 - step * problem->options->decay;
    for (int64_t j = 0; j < problem->m && problem->plan.first; j++)
        fathom_blas_scale(run->state.hidden + j * problem->h, keep, problem->h - problem->bias);
    if (problem->plan.output)
        fathom_blas_scale(run->state.output, keep, problem->m * problem->o);
}

static fathom_status forward(dynamics_run *run, fathom_slope slope)
{
    return run->single.x
               ? fathom_dynamics_single_forward(&run->batch, &run->single, run->problem, &run->state, slope)
               : fathom_dynamics_forward(&run->batch, run->problem, &run->state, slope);
}

static fathom_status backward(dynamics_run *run)
{
    return run->single.x ? fathom_dynamics_single_backward(&run->batch, &run->single, run->problem)
                         : fathom_dynamics_backward(&run->batch, run->problem, &run->state);
}

fathom_status fathom_dynamics_gd(dynamics_run *run)
{
    dynamics_problem *problem = run->problem;
    dynamics_state *state = &run->state;
    const bool log_space = fathom_dynamics_log_space(problem);
    const fathom_slope slope = log_space ? FATHOM_SLOPE_LOG : FATHOM_SLOPE_MEAN;
    for (;;) {
        fathom_status status = forward(run, slope);
        if (status != FATHOM_OK)
            return status;
        const double log_loss = run->batch.summary.log_mean;
        run->known = log_loss, run->known_at = state->steps;
        dynamics_verdict verdict;
        const int64_t due = state->next_record;
        status = fathom_dynamics_course(&verdict, run, log_loss);
        if (status != FATHOM_OK || verdict == DYNAMICS_STOP || fathom_dynamics_cut(run))
            return status;
        if (due != state->next_record) /* a record was made with the workspace */
            status = forward(run, slope);
        FATHOM_THEN(status, backward(run));
        if (status != FATHOM_OK)
            return status;
        bool last;
        const double log_step = fathom_dynamics_step_cut(
            &last, run, fathom_dynamics_step_log(&problem->plan.step, state->steps, log_loss));
        if (last)
            fathom_dynamics_keep(run);
        if (problem->options->decay > 0)
            decay(run, exp(log_step));
        run->known_at = -1; /* the weights move before the count does */
        descend(run, exp(log_space ? log_step + log_loss : log_step));
        if (last)
            fathom_dynamics_clock_end(run, log_step);
        else
            fathom_dynamics_clock_add(state, log_step);
        state->steps++;
        state->evaluations++;
    }
}
