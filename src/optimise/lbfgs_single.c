/* SPDX-License-Identifier: Apache-2.0 */
/* Limited-memory BFGS with bounds in single precision; the problem and the method stand in lbfgs_single.h. */
#include "lbfgs_single.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "dispatch.h"

enum { SEARCH_STEPS = 20, PATIENCE = 10, LANES = 16, MOST = 16 };

typedef struct single_state {
    int64_t size, memory;
    int64_t pairs, newest;                    /* stored steps; row of the last one */
    float *s, *y;                             /* memory x size: steps and changes of the gradient */
    float *x, *g, *trial, *slope, *direction; /* size */
    unsigned char *held;                      /* size: at a bound that it would leave */
} single_state;

int64_t fathom_lbfgs_single_work(int64_t size, int64_t memory) { return (2 * memory + 5) * size; }

/* <x, y>, summed in double in a fixed order. */
FATHOM_DISPATCH static double single_dot(const float *restrict x, const float *restrict y, int64_t size)
{
    double sum[LANES] = {0}, total = 0;
    int64_t i = 0;
    for (; i + LANES <= size; i += LANES)
        for (int k = 0; k < LANES; k++)
            sum[k] += (double)x[i + k] * (double)y[i + k];
    for (; i < size; i++)
        sum[0] += (double)x[i] * (double)y[i];
    for (int k = 0; k < LANES; k++)
        total += sum[k];
    return total;
}

/* r += alpha t; returns <z, r>. */
FATHOM_DISPATCH static double single_add_dot(float *restrict r, float alpha, const float *restrict t,
                                             const float *restrict z, int64_t size)
{
    double sum[LANES] = {0}, total = 0;
    int64_t i = 0;
    for (; i + LANES <= size; i += LANES)
        for (int k = 0; k < LANES; k++) {
            r[i + k] += alpha * t[i + k];
            sum[k] += (double)z[i + k] * (double)r[i + k];
        }
    for (; i < size; i++) {
        r[i] += alpha * t[i];
        sum[0] += (double)z[i] * (double)r[i];
    }
    for (int k = 0; k < LANES; k++)
        total += sum[k];
    return total;
}

/* r = scale r + alpha t. */
FATHOM_DISPATCH static void single_scale_add(float *restrict r, float scale, float alpha,
                                             const float *restrict t, int64_t size)
{
    for (int64_t i = 0; i < size; i++)
        r[i] = scale * (r[i] + alpha * t[i]);
}

/* r += alpha t; then s'y, y'y and s'r. */
FATHOM_DISPATCH static void single_add_sums(double sums[3], float *restrict r, float alpha,
                                            const float *restrict t, const float *restrict s, const float *y,
                                            int64_t size)
{
    double sy[LANES] = {0}, yy[LANES] = {0}, sr[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= size; i += LANES)
        for (int k = 0; k < LANES; k++) {
            r[i + k] += alpha * t[i + k];
            sy[k] += (double)s[i + k] * (double)y[i + k];
            yy[k] += (double)y[i + k] * (double)y[i + k];
            sr[k] += (double)s[i + k] * (double)r[i + k];
        }
    for (; i < size; i++) {
        r[i] += alpha * t[i];
        sy[0] += (double)s[i] * (double)y[i];
        yy[0] += (double)y[i] * (double)y[i];
        sr[0] += (double)s[i] * (double)r[i];
    }
    memset(sums, 0, 3 * sizeof *sums);
    for (int k = 0; k < LANES; k++) {
        sums[0] += sy[k];
        sums[1] += yy[k];
        sums[2] += sr[k];
    }
}

/* Variables at a bound with the gradient pointing outwards are held; steps forget them. */
static void hold(single_state *a, const fathom_lbfgs_single_options *o)
{
    for (int64_t i = 0; i < a->size; i++) {
        const bool held = (a->x[i] <= o->lower[i] && a->g[i] > 0) || (a->x[i] >= o->upper[i] && a->g[i] < 0);
        a->direction[i] = held ? 0 : -a->g[i];
        for (int64_t k = 0; held && !a->held[i] && k < a->memory; k++)
            a->s[k * a->size + i] = a->y[k * a->size + i] = 0;
        a->held[i] = held;
    }
}

/* trial = the projection of x + t direction. */
FATHOM_DISPATCH static void single_place(float *restrict trial, const float *restrict x,
                                         const float *restrict direction, float t,
                                         const float *restrict lower, const float *restrict upper,
                                         int64_t size)
{
    for (int64_t i = 0; i < size; i++) {
        const float moved = x[i] + t * direction[i], low = moved < lower[i] ? lower[i] : moved;
        trial[i] = low > upper[i] ? upper[i] : low;
    }
}

static int64_t row_of(const single_state *a, int64_t k) { return (a->newest - k + a->memory) % a->memory; }

/* direction = -H g, H built from the steps restricted to the free variables (two-loop recursion). */
static void two_loop(single_state *a, const fathom_lbfgs_single_options *o)
{
    const int64_t size = a->size;
    float *r = a->direction;
    double coefficient[MOST], rho[MOST], alpha = 0, scale = 0;
    hold(a, o);
    for (int64_t k = 0; k < a->pairs; k++) {
        const int64_t row = row_of(a, k);
        double sums[3];
        single_add_sums(sums, r, (float)alpha, a->y + row_of(a, k > 0 ? k - 1 : 0) * size, a->s + row * size,
                        a->y + row * size, size);
        rho[k] = sums[0] > 1e-8 * sums[1] ? 1 / sums[0] : 0;
        if (scale == 0 && rho[k] > 0)
            scale = sums[0] / sums[1];
        coefficient[k] = rho[k] * sums[2];
        alpha = -coefficient[k];
    }
    if (a->pairs == 0)
        return;
    single_scale_add(r, scale > 0 ? (float)scale : 1, (float)alpha, a->y + row_of(a, a->pairs - 1) * size,
                     size);
    alpha = 0;
    for (int64_t k = a->pairs - 1; k >= 0; k--) {
        const int64_t last = row_of(a, k + 1 < a->pairs ? k + 1 : k);
        const double dot =
            single_add_dot(r, (float)alpha, a->s + last * size, a->y + row_of(a, k) * size, size);
        alpha = coefficient[k] - rho[k] * dot;
    }
    single_scale_add(r, 1, (float)alpha, a->s + a->newest * size, size);
}

/* A descent direction; steepest descent where the memory gives none. Returns its slope, 0 at a stationary
 * point. */
static double choose_direction(single_state *a, const fathom_lbfgs_single_options *o)
{
    two_loop(a, o);
    const double slope = single_dot(a->direction, a->g, a->size);
    if (slope < 0 || a->pairs == 0)
        return slope;
    a->pairs = 0;
    two_loop(a, o);
    return single_dot(a->direction, a->g, a->size);
}

/* Weak Wolfe by bisection, as in lbfgs.c. Returns the value at the trial point, INFINITY where no decrease
 * was found. */
static double search(single_state *a, double value, double slope, const fathom_lbfgs_single_options *o,
                     fathom_lbfgs_single_function *function, void *user)
{
    double low = 0, high = INFINITY, best = INFINITY;
    double t = a->pairs > 0 ? 1 : 1 / (1e-300 + sqrt(single_dot(a->g, a->g, a->size)));
    for (int k = 0; k < SEARCH_STEPS; k++) {
        single_place(a->trial, a->x, a->direction, (float)t, o->lower, o->upper, a->size);
        const double f = function(user, a->slope, a->trial);
        if (!(f <= value + 1e-4 * t * slope)) {
            high = t;
        } else {
            best = f;
            if (single_dot(a->slope, a->direction, a->size) >= 0.9 * slope)
                return f;
            low = t;
        }
        t = high < INFINITY ? (low + high) / 2 : 2 * t;
    }
    if (best < INFINITY) {
        single_place(a->trial, a->x, a->direction, (float)low, o->lower, o->upper, a->size);
        best = function(user, a->slope, a->trial);
    }
    return best;
}

/* Takes the step to the trial point and remembers it where its curvature is positive. */
static void accept(single_state *a)
{
    const int64_t row = (a->newest + 1) % a->memory, size = a->size;
    float *s = a->s + row * size, *y = a->y + row * size;
    for (int64_t i = 0; i < size; i++) {
        s[i] = a->held[i] ? 0 : a->trial[i] - a->x[i];
        y[i] = a->held[i] ? 0 : a->slope[i] - a->g[i];
    }
    if (single_dot(s, y, size) > 1e-8 * single_dot(y, y, size)) {
        a->newest = row;
        a->pairs = a->pairs < a->memory ? a->pairs + 1 : a->memory;
    }
    memcpy(a->x, a->trial, (size_t)size * sizeof *a->x);
    memcpy(a->g, a->slope, (size_t)size * sizeof *a->g);
}

double fathom_lbfgs_single_run(float *x, const fathom_context *context, int64_t size,
                               fathom_lbfgs_single_function *function, void *user,
                               const fathom_lbfgs_single_options *o, float *work)
{
    const int64_t memory = o->memory < MOST ? o->memory : MOST;
    single_state a = {.size = size, .memory = memory, .x = x, .s = work};
    a.y = a.s + memory * size;
    a.g = a.y + memory * size;
    a.trial = a.g + size;
    a.slope = a.trial + size;
    a.direction = a.slope + size;
    a.held = memset(a.direction + size, 0, (size_t)size);
    double value = function(user, a.g, x), before = value;
    for (int64_t k = 1; k <= o->iterations && isfinite(value); k++) {
        const double slope = choose_direction(&a, o);
        if (!(slope < 0) || fathom_context_stop_reason(context) != FATHOM_STOP_NONE)
            break;
        const double f = search(&a, value, slope, o, function, user);
        if (!(f < value) && a.pairs == 0)
            break;
        if (f < value) {
            accept(&a);
            value = f;
            if (o->taken)
                o->taken(user);
        } else {
            a.pairs = 0; /* the memory misleads: begin again with the gradient */
        }
        if (k % PATIENCE == 0) {
            if (before - value <= o->decrease * fabs(value))
                break;
            before = value;
        }
    }
    return value;
}
