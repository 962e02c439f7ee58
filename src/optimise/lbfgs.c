/* SPDX-License-Identifier: Apache-2.0 */
/* Limited-memory BFGS with bounds; the problem and the method stand in lbfgs.h. */
#include "lbfgs.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dispatch.h"
#include "memory.h"

enum { SEARCH_STEPS = 25, PATIENCE = 10, LANES = 32 };

typedef struct state {
    int64_t size, memory;
    int64_t pairs, newest; /* stored steps; row of the last one */
    double *s, *y;         /* memory x size: steps and changes of the gradient */
    double *rho, *coefficient;
    double *x, *g;         /* size */
    double *trial, *slope; /* size: the point tried and its gradient */
    double *direction;     /* size */
    double *mask;          /* size: 1 where a variable may move */
} state;

int64_t fathom_lbfgs_work(int64_t size, int64_t memory) { return (2 * memory + 5) * size + 2 * memory; }

static state cut_up(double *work, int64_t size, int64_t memory)
{
    state a = {.size = size, .memory = memory};
    a.s = work;
    a.y = a.s + memory * size;
    a.g = a.y + memory * size;
    a.trial = a.g + size;
    a.slope = a.trial + size;
    a.direction = a.slope + size;
    a.mask = a.direction + size;
    a.rho = a.mask + size;
    a.coefficient = a.rho + memory;
    return a;
}

/* Marks the variables that are free to move: mask_i = 0 at a bound with the gradient pointing outwards, else 1. Steps forget the
 * variables that are held, so that H is built on the free ones alone without a look at the mask. */
static void mark_free(state *a, const fathom_lbfgs_options *o)
{
    for (int64_t i = 0; i < a->size; i++) {
        const bool low = o->lower && a->x[i] <= o->lower[i] && a->g[i] > 0;
        const bool high = o->upper && a->x[i] >= o->upper[i] && a->g[i] < 0;
        const double before = a->mask[i];
        a->mask[i] = low || high ? 0 : 1;
        for (int64_t k = 0; a->mask[i] < before && k < a->pairs; k++) {
            const int64_t row = (a->newest - k + a->memory) % a->memory;
            a->s[row * a->size + i] = a->y[row * a->size + i] = 0;
        }
    }
}

/* r += alpha t; then s'y, y'y and s'r. Partial sums in a fixed order. */
FATHOM_DISPATCH static void add_and_sum(double sums[3], double *restrict r, double alpha, const double *t,
                                        const double *s, const double *y, int64_t size)
{
    double sy[LANES] = {0}, yy[LANES] = {0}, sr[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= size; i += LANES)
        for (int k = 0; k < LANES; k++) {
            r[i + k] += alpha * t[i + k];
            sy[k] += s[i + k] * y[i + k];
            yy[k] += y[i + k] * y[i + k];
            sr[k] += s[i + k] * r[i + k];
        }
    for (; i < size; i++) {
        r[i] += alpha * t[i];
        sy[0] += s[i] * y[i];
        yy[0] += y[i] * y[i];
        sr[0] += s[i] * r[i];
    }
    memset(sums, 0, 3 * sizeof *sums);
    for (int k = 0; k < LANES; k++) {
        sums[0] += sy[k];
        sums[1] += yy[k];
        sums[2] += sr[k];
    }
}

/* r += alpha t; returns y'r. */
FATHOM_DISPATCH static double add_and_dot(double *restrict r, double alpha, const double *t, const double *y,
                                          int64_t size)
{
    double sum[LANES] = {0}, total = 0;
    int64_t i = 0;
    for (; i + LANES <= size; i += LANES)
        for (int k = 0; k < LANES; k++) {
            r[i + k] += alpha * t[i + k];
            sum[k] += y[i + k] * r[i + k];
        }
    for (; i < size; i++) {
        r[i] += alpha * t[i];
        sum[0] += y[i] * r[i];
    }
    for (int k = 0; k < LANES; k++)
        total += sum[k];
    return total;
}

static int64_t row_of(const state *a, int64_t k) { return (a->newest - k + a->memory) % a->memory; }

/* direction = -H g, H built from the steps restricted to the free variables (two-loop recursion). Each pass over the vectors ends
 * one step of the recursion and begins the next. */
static void two_loop(state *a, const fathom_lbfgs_options *o)
{
    const int64_t size = a->size;
    double *r = a->direction, scale = 0, alpha = 0;
    mark_free(a, o);
    for (int64_t i = 0; i < size; i++)
        r[i] = -a->g[i] * a->mask[i];
    for (int64_t k = 0; k < a->pairs; k++) {
        const int64_t row = row_of(a, k);
        double sums[3];
        add_and_sum(sums, r, alpha, a->y + row_of(a, k > 0 ? k - 1 : 0) * size, a->s + row * size,
                    a->y + row * size, size);
        const double curvature = sums[0], square = sums[1];
        a->rho[row] = curvature > 1e-10 * square ? 1 / curvature : 0;
        if (scale == 0 && a->rho[row] > 0)
            scale = curvature / square;
        a->coefficient[row] = a->rho[row] * sums[2];
        alpha = -a->coefficient[row];
    }
    if (a->pairs == 0)
        return;
    fathom_blas_axpy(r, alpha, a->y + row_of(a, a->pairs - 1) * size, size);
    if (scale > 0)
        fathom_blas_scale(r, scale, size);
    alpha = 0;
    for (int64_t k = a->pairs - 1; k >= 0; k--) {
        const int64_t row = row_of(a, k), last = row_of(a, k + 1 < a->pairs ? k + 1 : k);
        const double dot = add_and_dot(r, alpha, a->s + last * size, a->y + row * size, size);
        alpha = a->coefficient[row] - a->rho[row] * dot;
    }
    fathom_blas_axpy(r, alpha, a->s + a->newest * size, size);
}

/* A descent direction; steepest descent where the memory gives none. Returns its slope, 0 at a stationary point. */
static double choose_direction(state *a, const fathom_lbfgs_options *o)
{
    two_loop(a, o);
    double slope = fathom_blas_dot(a->direction, a->g, a->size);
    if (slope < 0)
        return slope;
    a->pairs = 0;
    two_loop(a, o);
    return fathom_blas_dot(a->direction, a->g, a->size);
}

/* trial = the projection of x + t direction. */
static void place_trial(state *a, const fathom_lbfgs_options *o, double t)
{
    for (int64_t i = 0; i < a->size; i++) {
        const double moved = a->x[i] + t * a->direction[i];
        a->trial[i] = o->lower && moved < o->lower[i] ? o->lower[i] : moved;
        if (o->upper && a->trial[i] > o->upper[i])
            a->trial[i] = o->upper[i];
    }
}

/* Weak Wolfe by bisection: enough decrease, and a slope that has flattened. Returns the value at the trial point;
 * INFINITY where no decrease was found. */
static double search(state *a, double value, double slope, const fathom_lbfgs_options *o,
                     fathom_lbfgs_function *function, void *user)
{
    double low = 0, high = INFINITY, best = INFINITY;
    double t = a->pairs > 0 ? 1 : 1 / (1e-300 + fathom_blas_norm(a->g, a->size));
    for (int k = 0; k < SEARCH_STEPS; k++) {
        place_trial(a, o, t);
        const double f = function(user, a->slope, a->trial);
        if (!(f <= value + 1e-4 * t * slope)) {
            high = t;
        } else {
            best = f;
            if (fathom_blas_dot(a->slope, a->direction, a->size) >= 0.9 * slope)
                return f;
            low = t;
        }
        if (high < INFINITY)
            t = (low + high) / 2;
        else
            t *= 2;
    }
    if (best < INFINITY) {
        place_trial(a, o, low);
        best = function(user, a->slope, a->trial);
    }
    return best;
}

/* Takes the step to the trial point and remembers it where its curvature is positive. */
static void accept(state *a)
{
    const int64_t row = (a->newest + 1) % a->memory;
    double *s = a->s + row * a->size, *y = a->y + row * a->size;
    for (int64_t i = 0; i < a->size; i++) {
        s[i] = (a->trial[i] - a->x[i]) * a->mask[i];
        y[i] = (a->slope[i] - a->g[i]) * a->mask[i];
    }
    const double curvature = fathom_blas_dot(s, y, a->size);
    if (curvature > 1e-12 * fathom_blas_norm(s, a->size) * fathom_blas_norm(y, a->size)) {
        a->newest = row;
        a->pairs = a->pairs < a->memory ? a->pairs + 1 : a->memory;
    }
    memcpy(a->x, a->trial, (size_t)a->size * sizeof *a->x);
    memcpy(a->g, a->slope, (size_t)a->size * sizeof *a->g);
}

double fathom_lbfgs_run(double *x, const fathom_context *context, int64_t size,
                        fathom_lbfgs_function *function, void *user, const fathom_lbfgs_options *options,
                        double *work)
{
    state a = cut_up(work, size, options->memory);
    a.x = x;
    for (int64_t i = 0; i < size; i++)
        a.mask[i] = 1;
    double value = function(user, a.g, x), before = value;
    for (int64_t k = 1; k <= options->iterations && isfinite(value); k++) {
        const double slope = choose_direction(&a, options);
        if (!(slope < 0) || fathom_context_stop_reason(context) != FATHOM_STOP_NONE ||
            (options->aim && value <= *options->aim))
            break;
        const double f = search(&a, value, slope, options, function, user);
        if (!(f < value) && a.pairs == 0)
            break;
        if (f < value) {
            accept(&a);
            value = f;
        } else {
            a.pairs = 0; /* the memory misleads: begin again with the gradient */
        }
        if (k % PATIENCE == 0) {
            if (before - value <= options->decrease * fabs(value))
                break;
            before = value;
        }
    }
    return value;
}

fathom_status fathom_lbfgs_minimize(double *x, double *value, fathom_context *context, int64_t size,
                                    fathom_lbfgs_function *function, void *user,
                                    const fathom_lbfgs_options *options)
{
    double *work = fathom_memory_alloc(context, fathom_lbfgs_work(size, options->memory), sizeof *work);
    if (!work)
        return FATHOM_ERROR_MEMORY;
    *value = fathom_lbfgs_run(x, context, size, function, user, options, work);
    fathom_memory_free(context, work);
    return FATHOM_OK;
}
