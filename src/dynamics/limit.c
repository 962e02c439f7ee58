/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the flow of two groups of neurons goes: directions of w (output weights +v) and u (-v), both fixed
 * [004, Thm 6.2].
 *
 * With slopes s_i of the units at example i the margin problem of two mean neurons is
 *
 *     minimise |w|^2 + |u|^2  over  y_i (s^w_i <w, x_i> - s^u_i <u, x_i>) >= 1,  i = 1..n.
 *
 *   PAR program   s^w_i = 1 and s^u_i = alpha where y_i > 0, and the other way round where y_i < 0 [004, eq.
 *     7]. It is the limit
 *                 of the flow only where it is consistent: y_i <w, x_i> > 0 and -y_i <u, x_i> > 0 for all i.
 *   pattern       for any data: slopes by the sides S^w_i, S^u_i on which w and u see x_i, and the sides as
 *     constraints
 *                 S^w_i <w, x_i> >= 0. With multipliers l_i of the margins and m_i of the sides the slope in
 *                   force on a
 *                 side that is tight is c_i = s_i + m_i S_i y_i / l_i (for u: minus); sides with c_i outside
 *                   [alpha, 1] flip.
 *
 * Output weights a_j: the flow makes w_j = a_j w, so that a group acts as A sigma(<w, x>) with norm^2 A
 * |w|^2, A the sum of its a_j^2. x_i enters the first block times sqrt(A), the second times sqrt(A') (equal
 * weights v on k neurons: A = k v^2). Both are least-norm problems with certificates, nonnegative.c. Cost: (n
 * + d) n d at worst, usually a few dozen passes over the data.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "dynamics_internal.h"
#include "memory.h"
#include "nonnegative.h"

enum { ROUNDS = 50 };
static const double pi = 3.14159265358979323846;
static const double largest = 4e7; /* n d beyond which it is not tried */

typedef struct limit_problem {
    const dynamics_problem *problem;
    double alpha, factor[2]; /* sqrt(A) of the groups, relative to the first */
    double *z, *c;           /* 3n x 2d, 3n: margins, sides of w, sides of u */
    double *x, *multiplier;  /* 2d: (w, u); 3n */
    signed char *side;       /* 2n: sides of w, then of u */
} limit_problem;

static fathom_status create(limit_problem *l, const dynamics_problem *problem)
{
    const int64_t n = problem->n, d = problem->d;
    fathom_context *context = problem->context;
    *l = (limit_problem){.problem = problem, .alpha = problem->plan.parameter};
    l->z = fathom_memory_zero(context, 3 * n * 2 * d, sizeof(double));
    l->c = fathom_memory_zero(context, 3 * n, sizeof(double));
    l->x = fathom_memory_zero(context, 2 * d, sizeof(double));
    l->multiplier = fathom_memory_zero(context, 3 * n, sizeof(double));
    l->side = fathom_memory_zero(context, 2 * n, 1);
    return l->z && l->c && l->x && l->multiplier && l->side ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static void clear(limit_problem *l)
{
    fathom_context *context = l->problem->context;
    fathom_memory_free(context, l->z);
    fathom_memory_free(context, l->c);
    fathom_memory_free(context, l->x);
    fathom_memory_free(context, l->multiplier);
    fathom_memory_free(context, l->side);
}

static double slope_of(const limit_problem *l, int group, int64_t i)
{
    return l->side[group * l->problem->n + i] > 0 ? 1 : l->alpha;
}

/* Rows for the sides at hand. */
static void fill(limit_problem *l)
{
    const int64_t n = l->problem->n, d = l->problem->d;
    memset(l->z, 0, (size_t)(6 * n * d) * sizeof(double));
    for (int64_t i = 0; i < n; i++)
        for (int group = 0; group < 2; group++) {
            const double sign = group ? -1 : 1;
            const double *x = l->problem->x + i * d;
            double *margin = l->z + i * 2 * d + group * d,
                   *side = l->z + ((1 + group) * n + i) * 2 * d + group * d;
            fathom_blas_axpy(margin, sign * l->problem->y[i] * slope_of(l, group, i) * l->factor[group], x,
                             d);
            fathom_blas_axpy(side, l->side[group * n + i], x, d);
            l->c[i] = 1;
        }
}

static double project(const limit_problem *l, int group, int64_t i)
{
    const int64_t d = l->problem->d;
    return fathom_blas_dot(l->x + group * d, l->problem->x + i * d, d);
}

/* The PAR program: margins alone. */
static fathom_status solve_par(fathom_flow_limit *limit, limit_problem *l)
{
    const int64_t n = l->problem->n, d = l->problem->d;
    fathom_least_norm result;
    for (int64_t i = 0; i < n; i++) {
        l->side[i] = l->problem->y[i] > 0 ? 1 : -1;
        l->side[n + i] = l->problem->y[i] > 0 ? -1 : 1;
    }
    fill(l);
    const fathom_status status =
        fathom_least_norm_solve(&result, l->x, l->multiplier, l->z, n, 2 * d, l->c, l->problem->context);
    if (status != FATHOM_OK)
        return status;
    limit->par_lower = 1 / result.upper;
    limit->par_upper = result.lower > 0 ? 1 / result.lower : INFINITY;
    limit->par_beta = INFINITY;
    for (int group = 0; group < 2; group++)
        for (int64_t i = 0; i < n; i++)
            limit->par_beta = fmin(limit->par_beta, l->side[group * n + i] * project(l, group, i) /
                                                        fathom_blas_norm(l->x + group * d, d));
    limit->par_consistent = result.settled ? limit->par_beta > 1e-9 * l->problem->reach : -1;
    return FATHOM_OK;
}

/* Flips sides whose slope in force leaves [alpha, 1]; returns how many. */
static int64_t flip(limit_problem *l)
{
    const int64_t n = l->problem->n;
    int64_t flips = 0;
    for (int group = 0; group < 2; group++)
        for (int64_t i = 0; i < n; i++) {
            const double m = l->multiplier[(1 + group) * n + i], force = l->multiplier[i] * l->factor[group];
            signed char *side = l->side + group * n + i;
            if (!(m > 0))
                continue;
            const double c = slope_of(l, group, i) * force + (group ? -1 : 1) * m * *side * l->problem->y[i];
            if (c < (l->alpha - 1e-9) * force || c > (1 + 1e-9) * force) {
                *side = (signed char)-*side;
                flips++;
            }
        }
    return flips;
}

/* The pattern program from the sides of two mean neurons. */
static fathom_status solve_pattern(fathom_flow_limit *limit, limit_problem *l, const double *const mean[2])
{
    const int64_t n = l->problem->n, d = l->problem->d;
    fathom_least_norm result = {0};
    int64_t flips = 1;
    for (int group = 0; group < 2; group++)
        for (int64_t i = 0; i < n; i++)
            l->side[group * n + i] = fathom_blas_dot(mean[group], l->problem->x + i * d, d) > 0 ? 1 : -1;
    for (limit->rounds = 0; flips > 0 && limit->rounds < ROUNDS; limit->rounds++) {
        fill(l);
        const fathom_status status = fathom_least_norm_solve(&result, l->x, l->multiplier, l->z, 3 * n, 2 * d,
                                                             l->c, l->problem->context);
        if (status != FATHOM_OK)
            return status;
        if (!result.settled)
            return FATHOM_OK;
        flips = flip(l);
    }
    if (flips > 0)
        return FATHOM_OK;
    limit->lower = 1 / result.upper;
    limit->upper = 1 / result.lower;
    limit->kinks = 0;
    for (int64_t k = n; k < 3 * n; k++)
        limit->kinks += l->multiplier[k] > 0;
    return FATHOM_OK;
}

static double angle(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    const double na = fathom_blas_norm(a, d), nb = fathom_blas_norm(b, d);
    for (int64_t k = 0; k < d; k++) {
        const double e = a[k] / na - b[k] / nb;
        sum += e * e;
    }
    return 2 * asin(fmin(1, sqrt(sum) / 2)) * 180 / pi;
}

fathom_status fathom_dynamics_limit(fathom_flow_limit *limit, const dynamics_problem *problem,
                                    const double *w, double w_squares, const double *u, double u_squares)
{
    limit_problem l;
    const double *const mean[2] = {w, u};
    *limit = (fathom_flow_limit){NAN, NAN, NAN, -1, NAN, NAN, -1, 0, {NAN, NAN}, -1};
    if ((double)problem->n * (double)problem->d > largest)
        return FATHOM_OK;
    fathom_status status = create(&l, problem);
    l.factor[0] = 1;
    l.factor[1] = sqrt(u_squares / w_squares);
    if (status == FATHOM_OK)
        status = solve_par(limit, &l);
    if (status == FATHOM_OK && limit->par_upper < INFINITY)
        status = solve_pattern(limit, &l, mean);
    if (status == FATHOM_OK && !isnan(limit->lower))
        for (int group = 0; group < 2; group++)
            limit->angle[group] = angle(mean[group], l.x + group * problem->d, problem->d);
    clear(&l);
    return status;
}
