/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Step sizes of gradient descent, as logarithms: 1 / R overflows where R = e^-1000.
 *
 * [002] has inputs of norm 1 and output weights +-1 on 2p units. For reach X = max |x_i| (hidden biases as a constant
 * column of x) the substitution x = X x', V = V' / X turns a step alpha' of the paper into alpha = alpha' / X^2; with
 * |(x, 1)| = sqrt 2 this is the factor 2 of its reduction of biases. p is sum_j a_j^2 / 2.
 * For more classes p is sum_jk a_jk^2: the derivatives s of softmax have |s| <= sqrt 2 l, its Hessian norm <= 2 l, so that
 * |grad R| <= X sqrt(2p) R and |Hess R| <= 4 p X^2 R (h >= 1/p, |a_j| <= 1) as in Lemmas 6 and 7; Theorem 1 itself is about two classes.
 *
 *   theory   alpha_t = Q_1 ln^2(1/R_t),  Q_1 = min{ 1 / (30 p X^2 R_1 ln^2(1/R_1)),  108 |V_1|^2 / (125 R_1 ln^4(1/R_1)),
 *            e^2 / (120 p X^2) }, or given by theory:Q                                              [002, Thm 1, eq. 6]
 *   lemma8   alpha_t = 1 / (30 p X^2 R_t)                                                           [002, Lemma 8]
 */
#include <math.h>

#include "blas.h"
#include "context_internal.h"
#include "dynamics_internal.h"

fathom_status fathom_dynamics_step_start(dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    dynamics_step *step = &run->problem->plan.step;
    const dynamics_state *start = &run->state;
    const double norm = fathom_blas_norm(start->hidden0, problem->m * problem->h);
    const double outputs = fathom_blas_norm(start->output0, problem->m * problem->o);
    step->p = outputs * outputs / (problem->o == 1 ? 2 : 1);
    step->reach = problem->reach;
    if (step->kind != DYNAMICS_STEP_THEORY)
        return FATHOM_OK;
    const double log_inverse = -start->start_log_loss; /* ln(1/R_1) */
    if (!(log_inverse > 0))
        return fathom_error_set(problem->context, FATHOM_ERROR_USAGE,
                                "--step theory needs a mean loss below 1 to begin with; it is e^%.3g",
                                -log_inverse);
    if (!isnan(step->value)) /* given */
        return FATHOM_OK;
    const double scale = step->p * step->reach * step->reach, inverse = exp(log_inverse);
    const double square = log_inverse * log_inverse;
    step->value =
        fmin(fmin(inverse / (30 * scale * square), 108 * norm * norm * inverse / (125 * square * square)),
             exp(2) / (120 * scale));
    return FATHOM_OK;
}

double fathom_dynamics_step_log(const dynamics_step *step, int64_t t, double log_loss)
{
    switch (step->kind) {
    case DYNAMICS_STEP_LOG2:
        return t == 0 ? log(step->first) : log(step->value) + 2 * log(fabs(log_loss));
    case DYNAMICS_STEP_THEORY:
        return log(step->value) + 2 * log(fabs(log_loss));
    case DYNAMICS_STEP_LEMMA8:
        return -log(30 * step->p * step->reach * step->reach) - log_loss;
    default:
        return log(step->value);
    }
}
