/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L-BFGS with vectors in single precision, inner products in double.
 *
 * Directions by the two-loop recursion over the last MEMORY pairs (s, y); a weak Wolfe search by bisection
 * [Lewis, Overton 2013] serves the kinks of ReLU. Cost per step: one to a few evaluations and 4 MEMORY
 * multiplications per parameter.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "float_rows.h"
#include "local.h"

enum { MEMORY = 8, TRIALS = 12 };

static const double ARMIJO = 1e-4, WOLFE = 0.9;
static const double LITTLE = 1e-7; /* relative decrease of a step at which descent ends */

typedef struct descent {
    const fathom_local_problem *problem;
    int64_t size, pairs, next; /* pairs known, and the slot of the next one */
    double rho[MEMORY];        /* 1 / <s, y> */
    float *s, *y;              /* MEMORY x size */
    float *direction, *gradient, *trial, *trial_gradient, *theta;
    float *work; /* of the evaluations */
} descent;

static void open_descent(descent *a, const fathom_local_problem *problem, float *theta, float *work)
{
    const int64_t size = fathom_local_size(problem);
    *a = (descent){.problem = problem, .size = size, .theta = theta};
    a->s = work;
    a->y = a->s + MEMORY * size;
    a->direction = a->y + MEMORY * size;
    a->gradient = a->direction + size;
    a->trial = a->gradient + size;
    a->trial_gradient = a->trial + size;
    a->work = a->trial_gradient + 2 * size;
}

/* direction = -H gradient. */
static void find_direction(descent *a)
{
    double alpha[MEMORY];
    const int64_t size = a->size;
    for (int64_t t = 0; t < size; t++)
        a->direction[t] = -a->gradient[t];
    for (int64_t k = 1; k <= a->pairs; k++) {
        const int64_t slot = (a->next - k + MEMORY) % MEMORY;
        alpha[slot] = a->rho[slot] * fathom_float_dot(a->s + slot * size, a->direction, size);
        fathom_float_axpy(a->direction, (float)-alpha[slot], a->y + slot * size, size);
    }
    if (a->pairs > 0) {
        const int64_t last = (a->next - 1 + MEMORY) % MEMORY;
        const float *y = a->y + last * size;
        const float scale = (float)(1 / (a->rho[last] * fathom_float_dot(y, y, size)));
        for (int64_t t = 0; t < size; t++)
            a->direction[t] *= scale;
    }
    for (int64_t k = a->pairs; k >= 1; k--) {
        const int64_t slot = (a->next - k + MEMORY) % MEMORY;
        const double beta = a->rho[slot] * fathom_float_dot(a->y + slot * size, a->direction, size);
        fathom_float_axpy(a->direction, (float)(alpha[slot] - beta), a->s + slot * size, size);
    }
}

/* Takes the trial point over and keeps its pair where it has curvature. */
static void accept(descent *a)
{
    float *s = a->s + a->next * a->size, *y = a->y + a->next * a->size;
    for (int64_t t = 0; t < a->size; t++) {
        s[t] = a->trial[t] - a->theta[t];
        y[t] = a->trial_gradient[t] - a->gradient[t];
    }
    memcpy(a->theta, a->trial, (size_t)a->size * sizeof *a->theta);
    memcpy(a->gradient, a->trial_gradient, (size_t)a->size * sizeof *a->gradient);
    const double curvature = fathom_float_dot(s, y, a->size);
    if (!(curvature > 1e-10 * fathom_float_dot(y, y, a->size)))
        return;
    a->rho[a->next] = 1 / curvature;
    a->next = (a->next + 1) % MEMORY;
    a->pairs += a->pairs < MEMORY;
}

/* A step along the direction of slope `slope` < 0; the new value, or the old one where no step helps or the context is to stop. */
static double search(descent *a, const fathom_context *context, double value, double slope, double step)
{
    double low = 0, high = INFINITY;
    for (int k = 0; k < TRIALS && fathom_context_stop_reason(context) == FATHOM_STOP_NONE; k++) {
        memcpy(a->trial, a->theta, (size_t)a->size * sizeof *a->trial);
        fathom_float_axpy(a->trial, (float)step, a->direction, a->size);
        const double now = fathom_local_value(a->trial_gradient, a->problem, a->trial, a->work);
        if (!(now <= value + ARMIJO * step * slope)) {
            high = step;
        } else if (fathom_float_dot(a->trial_gradient, a->direction, a->size) < WOLFE * slope &&
                   k + 1 < TRIALS) {
            low = step;
        } else {
            accept(a);
            return now;
        }
        step = isinf(high) ? 2 * step : 0.5 * (low + high);
    }
    return value;
}

static void tell(const fathom_local_problem *problem, int64_t steps)
{
    if (problem->listener && steps > 0)
        problem->listener->heard(problem->listener->user, steps);
}

double fathom_local_descend(float *theta, const fathom_local_problem *problem, const fathom_context *context,
                            int64_t steps, float *work)
{
    descent a;
    fathom_local_problem asking = *problem;
    asking.context = context;
    open_descent(&a, &asking, theta, work);
    double value = fathom_local_value(a.gradient, &asking, theta, a.work);
    int64_t k = 0;
    for (; k < steps && fathom_context_stop_reason(context) == FATHOM_STOP_NONE; k++) {
        tell(problem, k > 0);
        find_direction(&a);
        double slope = fathom_float_dot(a.gradient, a.direction, a.size);
        if (!(slope < 0)) { /* rounding: begin anew */
            a.pairs = 0;
            find_direction(&a);
            slope = fathom_float_dot(a.gradient, a.direction, a.size);
        }
        if (!(slope < 0))
            break;
        const double before = value, first = fmin(1, 1 / sqrt(-slope));
        value = search(&a, context, value, slope, a.pairs > 0 ? 1 : first);
        if (value < before) {
            if (before - value <= LITTLE * fabs(before))
                break;
        } else if (a.pairs == 0) {
            break;
        } else {
            a.pairs = 0;
        }
    }
    tell(problem, k > 0 ? steps - k + 1 : steps); /* those that were not needed count */
    return value;
}
