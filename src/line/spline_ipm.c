/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splines on given knots by a primal-dual interior point.
 *
 *     minimise  L(f) + beta max(TV, (TV + side (s_0 + s_{K-2})) / 2)
 *
 * Dual variables: g_j of the jump J_j at knot j, and theta in [0, beta/2] of the two end slopes (0 where side = 0), with
 *     |g_j| <= beta - theta,   J_j = up_j - down_j,   side (s_0 + s_{K-2}) = sum_j (up_j + down_j) + high - low
 *     up (beta - theta - g) = down (beta - theta + g) = low theta = high (beta/2 - theta) = mu.
 * A Newton step for g_j in terms of J_j is g_j = kappa_j + r_j J_j, so that the step is one solve of spline_band.h, and a
 * second one with other right-hand sides for the border theta.
 *
 * Hinge: c max(0, 1 - y f) = max_a c a (1 - y f); logistic: c ln(1 + e^{-y f}) = max_a c (H(a) - a y f), both over 0 <= a <= 1.
 * A point carries a with  over - under = 1 - y f, or ln((1-a)/a) - y f,  c over (1 - a) = c under a = mu. (The logistic
 * loss keeps its a inside by itself, but so slowly that Newton's method loses its way without the two multipliers.)
 * After elimination of a either loss is a quadratic in f, new at every step.
 */
#include "spline_ipm.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "spline_band.h"

enum { STEPS = 100 };

/* What a knot carries: g, the multipliers of its two bounds, and the room left to them. */
typedef struct knot_state {
    double g, up, down, above, below;
} knot_state;

/* What a point carries, but for the squared loss: its dual a, rest = 1 - a, their multipliers, f. */
typedef struct point_state {
    double a, rest, over, under, f;
} point_state;

typedef struct interior {
    const fathom_spline_task *task;
    const fathom_spline_points *points;
    fathom_spline *spline;
    int64_t count; /* K */
    bool dual;     /* points carry a state: hinge and logistic */
    bool hinge;
    double mu;
    double theta, low, high, theta_step;
    fathom_spline_form *cell, *left, *work; /* losses of the cells, the same as seen from the spline, room */
    double *room;                           /* of the arrays below */
    double *h, *r, *kappa, *lean;           /* distances; costs of the jumps; the step of g */
    double *z, *s, *jump;                   /* the Newton step of the spline */
    double *tilt, *z1, *s1, *jump1;         /* the border: its kappa and its solution */
    knot_state *knot;
    point_state *point;
    double *f, *a; /* n each: the Newton step of the values and of the points' a */
    const double *weight, *target;
    /* n: losses weight (f - target)^2 / 2; the data's own for the squared loss */
    double *model; /* 2 n: otherwise */
} interior;

static fathom_status open(interior *a)
{
    fathom_context *context = a->points->context;
    const int64_t k = a->count;
    a->cell = fathom_memory_alloc(context, 3 * k, sizeof *a->cell);
    a->room = fathom_memory_alloc(context, 11 * k, sizeof *a->room);
    a->knot = fathom_memory_alloc(context, k, sizeof *a->knot);
    if (!a->cell || !a->room || !a->knot)
        return FATHOM_ERROR_MEMORY;
    a->left = a->cell + k;
    a->work = a->left + k;
    double **const part[] = {&a->h,    &a->r,    &a->kappa, &a->lean, &a->z,    &a->s,
                             &a->jump, &a->tilt, &a->z1,    &a->s1,   &a->jump1};
    for (int64_t j = 0; j < 11; j++)
        *part[j] = a->room + j * k;
    a->weight = a->points->c;
    a->target = a->points->y;
    if (!a->dual)
        return FATHOM_OK;
    a->model = fathom_memory_alloc(context, 2 * a->points->n, sizeof *a->model);
    a->weight = a->model;
    a->target = a->model ? a->model + a->points->n : NULL;
    a->point = fathom_memory_alloc(context, a->points->n, sizeof *a->point);
    a->f = fathom_memory_alloc(context, 2 * a->points->n, sizeof *a->f);
    a->a = a->f ? a->f + a->points->n : NULL;
    return a->point && a->f && a->model ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static void close(interior *a)
{
    void *const block[] = {a->cell, a->room, a->knot, a->point, a->f, a->model};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(a->points->context, block[k]);
}

/* The losses of the points in [first, last) as a form in height and slope at t0: mean first, then centred sums. */
static fathom_spline_form sum_cell(const interior *b, int64_t first, int64_t last, double t0)
{
    const double *t = b->points->t, *w = b->weight, *y = b->target;
    double a = 0, m = 0, alpha = 0, c = 0, l = 0;
    for (int64_t i = first; i < last; i++) {
        a += w[i];
        m += w[i] * (t[i] - t0);
        alpha += w[i] * y[i];
    }
    m /= a;
    alpha /= a;
    for (int64_t i = first; i < last; i++) {
        const double ahead = t[i] - t0 - m;
        c += w[i] * ahead * ahead;
        l += w[i] * ahead * (y[i] - alpha);
    }
    return (fathom_spline_form){a, m, c, alpha, l};
}

static void sum_cells(interior *a)
{
    const fathom_spline_points *p = a->points;
    for (int64_t k = 0; k < a->count - 1; k++) {
        const int64_t first = p->first[a->spline->knot[k]];
        const int64_t last = k + 2 < a->count ? p->first[a->spline->knot[k + 1]] : p->n;
        a->cell[k] = sum_cell(a, first, last, p->t[first]);
    }
}

/* The losses in terms of a step from the spline. */
static void shift_cells(interior *a)
{
    for (int64_t k = 0; k < a->count - 1; k++) {
        fathom_spline_form q = a->cell[k];
        if (!a->dual) { /* otherwise the targets are as seen from the spline already */
            q.alpha -= a->spline->z[k] + q.m * a->spline->s[k];
            q.l -= q.c * a->spline->s[k];
        }
        a->left[k] = q;
    }
}

/* -l' of point i, which is in the cell of knot k. */
static inline double point_dual(const interior *a, int64_t i, int64_t k, double t0)
{
    const fathom_spline_points *p = a->points;
    if (a->dual)
        return p->c[i] * p->y[i] * a->point[i].a;
    return p->c[i] * (p->y[i] - a->spline->z[k] - (p->t[i] - t0) * a->spline->s[k]);
}

/* The largest |G_j - g_j| over the knots, G_j being the price of v: how far the equations are from holding. Its effect on
 * the bound is in proportion to the norm. */
static double imbalance(const interior *a)
{
    const fathom_spline_points *p = a->points;
    double price = 0, mass = 0, largest = 0;
    for (int64_t k = 0; k + 2 < a->count; k++) {
        const int64_t first = p->first[a->spline->knot[k]], last = p->first[a->spline->knot[k + 1]];
        const double here = p->t[first], next = p->t[last];
        price += mass * a->h[k];
        for (int64_t i = first; i < last; i++) {
            const double v = point_dual(a, i, k, here);
            mass += v;
            price += v * (next - p->t[i]);
        }
        largest = fmax(largest, fabs(price + a->task->side * a->theta - a->knot[k + 1].g));
    }
    return largest;
}

/* Points start with balanced duals, 1/2 for the smaller class; f = 0. */
static void start_points(interior *a)
{
    const fathom_spline_points *p = a->points;
    double mass[2] = {0, 0};
    for (int64_t i = 0; i < p->n; i++)
        mass[p->y[i] > 0] += p->c[i];
    const double least = fmin(mass[0], mass[1]);
    for (int64_t i = 0; i < p->n; i++) {
        const double share = least > 0 ? 0.5 * least / mass[p->y[i] > 0] : 0.5;
        a->point[i] = (point_state){share, 1 - share, 1.5, 0.5, 0};
    }
}

/* The line of least squares would do; a constant does as well, and its jumps are 0. */
static void start(interior *a)
{
    const fathom_spline_points *p = a->points;
    const double beta = a->task->beta;
    fathom_spline *spline = a->spline;
    long double sum = 0, square = 0, mass = 0;
    for (int64_t i = 0; i < p->n && !a->dual; i++) {
        mass += a->weight[i];
        sum += (long double)a->weight[i] * a->target[i];
        square += (long double)a->weight[i] * a->target[i] * a->target[i];
    }
    const double mean = a->dual ? 0 : (double)(sum / mass);
    const double spread = a->dual ? (double)p->n : (double)(square - sum * sum / mass) / 2;
    a->mu = fmax(spread, 1e-300) / (2 * (double)a->count);
    for (int64_t k = 0; k < a->count; k++) {
        spline->z[k] = mean;
        spline->s[k] = spline->jump[k] = 0;
        const double room = a->task->side != 0 ? 0.75 * beta : beta;
        a->knot[k] = (knot_state){0, a->mu / room, a->mu / room, room, room};
    }
    for (int64_t k = 0; k + 1 < a->count; k++)
        a->h[k] = p->t[p->first[spline->knot[k + 1]]] - p->t[p->first[spline->knot[k]]];
    if (a->task->side != 0) {
        a->theta = beta / 4;
        a->low = a->high = a->mu / a->theta;
    }
    if (a->dual)
        start_points(a);
}

/* The sum of all products that mu stands for, and their number. */
static double total(double *number, const interior *a)
{
    double sum = 0;
    *number = 2 * (double)(a->count - 2);
    for (int64_t j = 1; j < a->count - 1; j++)
        sum += a->knot[j].up * a->knot[j].above + a->knot[j].down * a->knot[j].below;
    if (a->task->side != 0) {
        sum += a->low * a->theta + a->high * (a->task->beta / 2 - a->theta);
        *number += 2;
    }
    for (int64_t i = 0; i < a->points->n && a->dual; i++) {
        const point_state *q = a->point + i;
        sum += a->points->c[i] * (q->over * q->rest + q->under * q->a);
    }
    if (a->dual)
        *number += 2 * (double)a->points->n;
    return sum;
}

/* sum_i c_i (ln(1 + e^{-y f}) + a y f - H(a)) >= 0: what f and a of the logistic loss miss of each other. */
static double mismatch(const interior *a)
{
    double sum = 0;
    for (int64_t i = 0; i < a->points->n && a->dual && !a->hinge; i++) {
        const point_state *q = a->point + i;
        const double margin = a->points->y[i] * q->f;
        const double loss = margin < 0 ? log1p(exp(margin)) - margin : log1p(exp(-margin));
        sum += a->points->c[i] * (loss + q->a * margin + q->a * log(q->a) + q->rest * log(q->rest));
    }
    return sum;
}

/* Newton's equation of a point: its a changes by (miss - y df) / w. The hinge starts with 1 - y f = over - under and
 * keeps it, so that the difference of the two sides need not be formed. */
static inline void point_equation(double *miss, double *w, const interior *a, int64_t i)
{
    const point_state q = a->point[i];
    const double mu = a->mu / a->points->c[i];
    *w = q.over / q.rest + q.under / q.a + (a->hinge ? 0 : 1 / (q.a * q.rest));
    *miss = (mu / q.a - q.under) + (q.over - mu / q.rest);
    if (!a->hinge)
        *miss += log(q.rest / q.a) - a->points->y[i] * q.f - (q.over - q.under);
}

/* Weight and target of the quadratic that stands for the loss of a point in this step, as seen from its f. */
static void point_model(interior *a)
{
    double miss, w;
    for (int64_t i = 0; i < a->points->n; i++) {
        point_equation(&miss, &w, a, i);
        a->model[i] = a->points->c[i] / w;
        a->model[a->points->n + i] = a->points->y[i] * (miss + a->point[i].a * w);
    }
}

/* r, kappa and the border's tilt: g = kappa + r dJ after a step dJ. */
static void knot_model(interior *a)
{
    for (int64_t j = 1; j < a->count - 1; j++) {
        const knot_state q = a->knot[j];
        const double up = q.up / q.above, down = q.down / q.below;
        a->r[j] = 1 / (up + down);
        a->lean[j] = a->r[j] * (a->spline->jump[j] - a->mu / q.above + a->mu / q.below);
        a->kappa[j] = q.g + a->lean[j];
        a->tilt[j] = -a->r[j] * (up - down);
    }
}

/* The border: solves for the step in theta and adds its share to the solution. */
static void solve_border(interior *a)
{
    const double side = a->task->side, half = a->task->beta / 2 - a->theta;
    const int64_t last = a->count - 2;
    fathom_spline_band_solve(a->z1, a->s1, a->jump1, a->count, a->left, a->h, a->r, a->tilt, side, true,
                             a->work);
    double value = side * (a->spline->s[0] + a->s[0] + a->spline->s[last] + a->s[last]) + a->mu / a->theta -
                   a->mu / half;
    double slope = side * (a->s1[0] + a->s1[last]) - a->low / a->theta - a->high / half;
    for (int64_t j = 1; j < a->count - 1; j++) {
        const knot_state q = a->knot[j];
        const double up = q.up / q.above, down = q.down / q.below;
        value -= a->mu / q.above + a->mu / q.below + (up - down) * (a->lean[j] + a->r[j] * a->jump[j]);
        slope -= up + down + (up - down) * (a->tilt[j] + a->r[j] * a->jump1[j]);
    }
    a->theta_step = -value / slope;
    for (int64_t k = 0; k < a->count; k++) {
        a->z[k] += a->theta_step * a->z1[k];
        a->jump[k] += a->theta_step * a->jump1[k];
        a->lean[k] += a->theta_step * a->tilt[k];
        if (k <= last)
            a->s[k] += a->theta_step * a->s1[k];
    }
}

/* The steps of f, a and g from that of the spline. */
static void follow_spline(interior *a)
{
    const fathom_spline step = {.count = a->count, .knot = a->spline->knot, .z = a->z, .s = a->s};
    double miss, w;
    for (int64_t j = 1; j < a->count - 1; j++)
        a->lean[j] += a->r[j] * a->jump[j];
    if (!a->dual)
        return;
    fathom_spline_values(a->f, &step, a->points);
    for (int64_t i = 0; i < a->points->n; i++) {
        point_equation(&miss, &w, a, i);
        a->a[i] = (miss - a->points->y[i] * a->f[i]) / w;
    }
}

/* One step of iterative refinement. The small differences of f on which the a of points at the margin depend are lost in
 * the rounding of z and s; what the equations miss at the end of the step, formed from a and g themselves, is solved for
 * again with the same matrix. */
static void refine(interior *a)
{
    const fathom_spline_points *p = a->points;
    const fathom_spline step = {.count = a->count, .knot = a->spline->knot, .z = a->z1, .s = a->s1};
    double *f = a->model + p->n;
    for (int64_t k = 0; k < a->count - 1; k++) {
        const int64_t first = p->first[a->spline->knot[k]];
        const int64_t last = k + 2 < a->count ? p->first[a->spline->knot[k + 1]] : p->n;
        double mass = 0, moment = 0;
        for (int64_t i = first; i < last; i++) {
            const double v = p->c[i] * p->y[i] * (a->point[i].a + a->a[i]);
            mass += v;
            moment += v * (p->t[i] - p->t[first] - a->left[k].m);
        }
        a->left[k].alpha = mass / a->left[k].a;
        a->left[k].l = moment;
        a->kappa[k] = a->knot[k].g + a->lean[k];
    }
    fathom_spline_band_solve(a->z1, a->s1, a->jump1, a->count, a->left, a->h, a->r, a->kappa,
                             a->task->side * (a->theta + a->theta_step), false, a->work);
    fathom_spline_values(f, &step, p);
    for (int64_t i = 0; i < p->n; i++) {
        a->f[i] += f[i];
        a->a[i] -= p->y[i] * f[i] * a->model[i] / p->c[i];
    }
    for (int64_t k = 0; k < a->count; k++) {
        a->z[k] += a->z1[k];
        a->jump[k] += a->jump1[k];
        a->lean[k] += a->r[k] * a->jump1[k];
        if (k + 1 < a->count)
            a->s[k] += a->s1[k];
    }
}

/* The solution of the Newton system. */
static void solve_system(interior *a)
{
    knot_model(a);
    if (a->dual) {
        point_model(a);
        sum_cells(a);
    }
    shift_cells(a);
    a->lean[0] = a->lean[a->count - 1] = a->tilt[0] = a->tilt[a->count - 1] = 0;
    a->r[0] = a->r[a->count - 1] = 0;
    fathom_spline_band_solve(a->z, a->s, a->jump, a->count, a->left, a->h, a->r, a->kappa,
                             a->task->side * a->theta, false, a->work);
    a->theta_step = 0;
    if (a->task->side != 0)
        solve_border(a);
    follow_spline(a);
    if (a->hinge)
        refine(a);
}

/* Shortens *step so that value + step change stays positive. */
static inline void keep_positive(double *step, double value, double change)
{
    if (change < 0 && value < -*step * change)
        *step = -value / change;
}

/* The Newton step of a knot's state. */
static inline knot_state knot_step(const interior *a, int64_t j)
{
    const knot_state q = a->knot[j];
    const double g = a->lean[j], theta = a->theta_step;
    return (knot_state){g, (a->mu + q.up * (theta + g)) / q.above - q.up,
                        (a->mu + q.down * (theta - g)) / q.below - q.down, -theta - g, -theta + g};
}

static inline point_state point_step(const interior *a, int64_t i)
{
    const point_state q = a->point[i];
    const double mu = a->mu / a->points->c[i], step = a->a[i];
    return (point_state){step, -step, (mu + q.over * step) / q.rest - q.over,
                         (mu - q.under * step) / q.a - q.under, a->f[i]};
}

static double longest_step(const interior *a)
{
    double step = 1 / 0.995;
    for (int64_t j = 1; j < a->count - 1; j++) {
        const knot_state q = a->knot[j], d = knot_step(a, j);
        keep_positive(&step, q.up, d.up);
        keep_positive(&step, q.down, d.down);
        keep_positive(&step, q.above, d.above);
        keep_positive(&step, q.below, d.below);
    }
    for (int64_t i = 0; i < a->points->n && a->dual; i++) {
        const point_state q = a->point[i], d = point_step(a, i);
        keep_positive(&step, q.a, d.a);
        keep_positive(&step, q.rest, d.rest);
        keep_positive(&step, q.over, d.over);
        keep_positive(&step, q.under, d.under);
    }
    if (a->task->side != 0) {
        const double half = a->task->beta / 2 - a->theta;
        keep_positive(&step, a->theta, a->theta_step);
        keep_positive(&step, half, -a->theta_step);
        keep_positive(&step, a->low, (a->mu - a->low * a->theta_step) / a->theta - a->low);
        keep_positive(&step, a->high, (a->mu + a->high * a->theta_step) / half - a->high);
    }
    return fmin(1, 0.995 * step);
}

static void move_border(interior *a, double step)
{
    const double half = a->task->beta / 2 - a->theta;
    a->low += step * ((a->mu - a->low * a->theta_step) / a->theta - a->low);
    a->high += step * ((a->mu + a->high * a->theta_step) / half - a->high);
    a->theta += step * a->theta_step;
}

/* Moves everything by `step` of the Newton step. */
static void move(interior *a, double step)
{
    fathom_spline *spline = a->spline;
    for (int64_t j = 1; j < a->count - 1; j++) {
        const knot_state d = knot_step(a, j);
        knot_state *q = a->knot + j;
        q->g += step * d.g;
        q->up += step * d.up;
        q->down += step * d.down;
        q->above += step * d.above;
        q->below += step * d.below;
    }
    for (int64_t i = 0; i < a->points->n && a->dual; i++) {
        const point_state d = point_step(a, i);
        point_state *q = a->point + i;
        q->a += step * d.a;
        q->rest += step * d.rest;
        q->over += step * d.over;
        q->under += step * d.under;
        q->f += step * d.f;
    }
    for (int64_t k = 0; k < a->count; k++) {
        spline->z[k] += step * a->z[k];
        spline->jump[k] += step * a->jump[k];
        if (k + 1 < a->count)
            spline->s[k] += step * a->s[k];
    }
    if (a->task->side != 0)
        move_border(a, step);
}

/* Whether the equations hold as well as the products are small, or no longer get better. */
static bool settled(const interior *a, double *before)
{
    double tv, ends;
    const double left = mismatch(a) + imbalance(a) * fathom_spline_norm(&tv, &ends, a->spline);
    const bool stalled = left > 0.5 * *before;
    *before = left;
    return left <= a->task->enough || stalled;
}

/* Steps until the products are small and the equations hold, or rounding ends it. */
static void iterate(interior *a, int64_t *steps)
{
    double centring = 0.2, number, before = INFINITY;
    for (int64_t k = 0; k < STEPS; k++, (*steps)++) {
        const double sum = total(&number, a);
        if (k > 0 && sum <= a->task->enough && settled(a, &before))
            return;
        if (!isfinite(sum) || fathom_context_stop_reason(a->points->context) != FATHOM_STOP_NONE)
            return;
        a->mu = number > 0 ? centring * sum / number : 0;
        solve_system(a);
        const double step = longest_step(a);
        if (!(step > 1e-8) || !isfinite(a->z[a->count - 1]))
            return;
        move(a, step);
        centring = fmin(fmax((1 - step) * (1 - step), 0.02), 0.5);
    }
}

fathom_status fathom_spline_ipm(fathom_spline *spline, int64_t *steps, const fathom_spline_task *task)
{
    interior a = {.task = task, .points = task->points, .spline = spline, .count = spline->count};
    a.hinge = task->points->loss == FATHOM_LOSS_HINGE;
    a.dual = task->points->loss != FATHOM_LOSS_SQUARED;
    const fathom_status status = open(&a);
    if (status == FATHOM_OK) {
        start(&a);
        if (!a.dual)
            sum_cells(&a);
        iterate(&a, steps);
        for (int64_t i = 0; i < task->points->n && a.dual; i++)
            task->dual[i] = task->points->c[i] * task->points->y[i] * a.point[i].a;
    }
    close(&a);
    return status;
}
