/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best spline: knots come where the price exceeds beta, until the certified gap is as small as asked.
 *
 * A round solves the problem on the knots at hand (spline_ipm.c), prices the residual v = -l'(f) at ALL places in O(n),
 * takes the bound D(s v) from it and adds, between any two knots, the places of the largest and least price beyond beta.
 * A kink of the solution is found to the place itself in a few rounds, so that n = 10^6 costs some ten passes over the data
 * and small systems. Where the solution has kinks nearly everywhere the knots soon are all places: one large system, the
 * bordered band of l1 trend filtering.
 *
 * The norm is TV first; where its solution has |s_1 + s_{N-1}| > TV that side of the border is added, which gives the optimum
 * of the whole norm.
 * Cost O(n) per round and O(K) per step; guarantee: `lower` holds whatever happened before.
 */
#include "spline_solve.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "spline_ipm.h"

enum { FIRST_KNOTS = 512, ROUNDS = 60, IDLE = 5 };

typedef struct search {
    fathom_spline_run *run;
    const fathom_spline_points *points;
    fathom_objective problem;
    fathom_spline now; /* the spline of this round */
    fathom_spline_dual dual;
    double side;   /* of the border; see spline_ipm.h */
    double enough; /* tolerance of the next system */
    double *f;     /* n: its values */
} search;

static fathom_status open(search *a)
{
    fathom_context *context = a->points->context;
    a->f = fathom_memory_alloc(context, a->points->n, sizeof *a->f);
    if (!a->f)
        return FATHOM_ERROR_MEMORY;
    return fathom_spline_dual_open(&a->dual, a->points);
}

static void close(search *a)
{
    fathom_context *context = a->points->context;
    fathom_memory_free(context, a->f);
    fathom_spline_dual_close(&a->dual, context);
    fathom_spline_free(&a->now, context);
}

static fathom_status copy_spline(fathom_spline *to, const fathom_spline *from, fathom_context *context)
{
    FATHOM_TRY(fathom_spline_reserve(to, context, from->count));
    to->count = from->count;
    memcpy(to->knot, from->knot, (size_t)from->count * sizeof *to->knot);
    memcpy(to->z, from->z, (size_t)from->count * sizeof *to->z);
    memcpy(to->s, from->s, (size_t)(from->count - 1) * sizeof *to->s);
    memcpy(to->jump, from->jump, (size_t)from->count * sizeof *to->jump);
    return FATHOM_OK;
}

/* Evenly many places, or the knots of a spline given; the best constant as the first spline. */
static fathom_status start(search *a)
{
    const int64_t places = a->points->count;
    fathom_spline *best = &a->run->best;
    double constant;
    if (best->count == 0) {
        const int64_t count = places < FIRST_KNOTS ? places : FIRST_KNOTS;
        FATHOM_TRY(fathom_spline_reserve(best, a->points->context, count));
        best->count = count;
        for (int64_t k = 0; k < count; k++)
            best->knot[k] = k * (places - 1) / (count - 1);
    }
    fathom_objective_start(a->f, &constant, &a->problem);
    for (int64_t k = 0; k < best->count; k++) {
        best->z[k] = constant;
        best->s[k] = best->jump[k] = 0;
    }
    a->run->objective = fathom_objective_loss(&a->problem, a->f, 0) + a->points->rest;
    a->enough = 0.01 * a->run->objective;
    return copy_spline(&a->now, best, a->points->context);
}

/* loss + beta R, f being the values of `now`. */
static double objective(const search *a)
{
    double tv, ends;
    const double norm = fathom_spline_norm(&tv, &ends, &a->now) * a->points->scale;
    return fathom_objective_loss(&a->problem, a->f, 0) + a->points->rest + a->run->beta * norm;
}

double fathom_spline_bound(fathom_spline_dual *dual, const fathom_spline_run *run)
{
    const fathom_spline_points *p = run->points;
    const fathom_objective problem = fathom_spline_problem(p, run->beta);
    double mass = 0;
    fathom_spline_dual_price(dual, p);
    for (int64_t i = 0; i < p->n; i++)
        mass += fabs(dual->v[i]);
    const double price = dual->price + run->excess * mass * (1 + 0x1p-20);
    return fathom_objective_bound_priced(&problem, dual->v, price) + p->rest * (1 - 0x1p-40);
}

/* The places between knots k and k + 1 with the largest and the least price. */
static void find_extremes(int64_t place[2], const search *a, int64_t k)
{
    const double *g = a->dual.g;
    place[0] = place[1] = a->now.knot[k];
    for (int64_t i = a->now.knot[k] + 1; i < a->now.knot[k + 1]; i++) {
        place[0] = g[i] > g[place[0]] ? i : place[0];
        place[1] = g[i] < g[place[1]] ? i : place[1];
    }
}

/* Adds the places whose price exceeds beta by more than a share of the gap; *added counts them. */
static fathom_status exchange(int64_t *added, search *a)
{
    const double limit = a->run->beta * (1 + 0.02 * a->run->gap) - a->dual.half;
    const int64_t count = a->now.count;
    fathom_spline next = {0};
    fathom_status status = fathom_spline_reserve(&next, a->points->context, 3 * count);
    if (status != FATHOM_OK) {
        fathom_spline_free(&next, a->points->context);
        return status;
    }
    *added = 0;
    for (int64_t k = 0; k + 1 < count; k++) {
        int64_t place[2];
        find_extremes(place, a, k);
        next.knot[next.count++] = a->now.knot[k];
        const bool swap = place[0] > place[1];
        for (int side = 0; side < 2; side++) {
            const int64_t at = place[swap ? 1 - side : side];
            if (at > next.knot[next.count - 1] && fabs(a->dual.g[at]) > limit) {
                next.knot[next.count++] = at;
                ++*added;
            }
        }
    }
    next.knot[next.count++] = a->points->count - 1;
    fathom_spline_free(&a->now, a->points->context);
    a->now = next;
    return FATHOM_OK;
}

/* Which side of the border is needed next. */
static bool turn_border(search *a)
{
    double tv, ends;
    const double before = a->side;
    fathom_spline_norm(&tv, &ends, &a->now);
    if (fabs(ends) > tv * (1 + 1e-9) && (a->side == 0 || a->side * ends < 0))
        a->side = ends > 0 ? 1 : -1;
    return a->side != before;
}

/* Solves on the knots at hand; keeps the spline and the bound where they are better. */
static fathom_status solve_round(search *a)
{
    fathom_spline_run *run = a->run;
    const fathom_spline_task task = {a->points, run->beta * a->points->scale, a->side, a->enough, a->dual.v};
    FATHOM_TRY(fathom_spline_ipm(&a->now, &run->steps, &task));
    fathom_status status = FATHOM_OK;
    fathom_spline_values(a->f, &a->now, a->points);
    const double value = objective(a);
    if (value <= run->objective) {
        run->objective = value;
        status = copy_spline(&run->best, &a->now, a->points->context);
    }
    if (a->points->loss == FATHOM_LOSS_SQUARED)
        fathom_objective_residual(a->dual.v, &a->problem, a->f, 0);
    const double lower = fathom_spline_bound(&a->dual, run);
    if (lower > run->lower && run->v)
        memcpy(run->v, a->dual.v, (size_t)a->points->n * sizeof *run->v);
    run->lower = fmax(run->lower, lower);
    return status;
}

/* Leaves out knots whose jumps are nothing, where the rest reaches the gap without them. */
static fathom_status tidy(search *a)
{
    fathom_spline_run *run = a->run;
    fathom_spline *best = &run->best, *now = &a->now;
    double tv, ends;
    fathom_spline_norm(&tv, &ends, best);
    for (double least = 1e-3; least > 1e-10; least *= 1e-2) {
        int64_t count = 1;
        FATHOM_TRY(copy_spline(now, best, a->points->context));
        for (int64_t k = 1; k < best->count; k++)
            if (k + 1 == best->count || fabs(best->jump[k]) > least * tv)
                now->knot[count++] = best->knot[k];
        if (count == best->count)
            return FATHOM_OK;
        now->count = count;
        a->enough = 0.02 * run->gap * run->objective;
        const double before = run->objective;
        run->objective = fmax(before * (1 + 0.1 * run->gap), run->lower + 0.8 * run->gap * before);
        const fathom_status solved = solve_round(a);
        if (solved != FATHOM_OK || best->count == count)
            return solved;
        run->objective = before;
    }
    return FATHOM_OK;
}

/* `now` from its values at the knots. */
static void draw_slopes(search *a)
{
    fathom_spline *now = &a->now;
    const fathom_spline_points *points = a->points;
    for (int64_t k = 0; k + 1 < now->count; k++) {
        const double from = points->t[points->first[now->knot[k]]],
                     to = points->t[points->first[now->knot[k + 1]]];
        now->s[k] = (now->z[k + 1] - now->z[k]) / (to - from);
        now->jump[k] = k > 0 ? now->s[k] - now->s[k - 1] : 0;
    }
    now->jump[now->count - 1] = 0;
}

/* Values of knots that are nearly -1 or 1 become so, where that costs nothing: the hinge has its kinks there, and
 * vertices of its linear program meet them. */
static fathom_status meet_margins(search *a)
{
    fathom_spline_run *run = a->run;
    for (double room = 1e-2; room > 1e-12; room *= 0.1) {
        FATHOM_TRY(copy_spline(&a->now, &run->best, a->points->context));
        for (int64_t k = 0; k < a->now.count; k++)
            if (fabs(fabs(a->now.z[k]) - 1) <= room)
                a->now.z[k] = copysign(1, a->now.z[k]);
        draw_slopes(a);
        fathom_spline_values(a->f, &a->now, a->points);
        const double value = objective(a);
        if (value > run->objective)
            continue;
        run->objective = value;
        return copy_spline(&run->best, &a->now, a->points->context);
    }
    return FATHOM_OK;
}

fathom_status fathom_spline_solve(fathom_spline_run *run)
{
    search a = {.run = run, .points = run->points, .problem = fathom_spline_problem(run->points, run->beta)};
    int64_t idle = 0, added = 0;
    fathom_status status = open(&a);
    run->lower = 0;
    FATHOM_THEN(status, start(&a));
    for (run->rounds = 0; run->rounds < ROUNDS && idle < IDLE && status == FATHOM_OK; run->rounds++) {
        const double before = run->objective - run->lower;
        status = solve_round(&a);
        if (status != FATHOM_OK)
            break;
        const double left = run->objective - run->lower;
        if (fathom_context_poll(a.points->context, "spline", run->rounds + 1, run->objective / run->divisor,
                                run->lower / run->divisor) != FATHOM_STOP_NONE ||
            left <= run->gap * run->objective)
            break;
        const bool turned = turn_border(&a);
        status = exchange(&added, &a);
        a.enough = fmax(fmin(0.2 * left, 0.1 * a.enough), 0.01 * run->gap * run->objective);
        idle = turned || left < 0.9 * before ? 0 : idle + 1;
    }
    if (status == FATHOM_OK && fathom_context_stop_reason(a.points->context) == FATHOM_STOP_NONE)
        status = tidy(&a);
    if (status == FATHOM_OK && a.points->loss == FATHOM_LOSS_HINGE)
        status = meet_margins(&a);
    close(&a);
    return status;
}

void fathom_spline_run_clear(fathom_spline_run *run)
{
    if (run->points)
        fathom_spline_free(&run->best, run->points->context);
}
