/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descent for  minimise 1/2 tr(W'GW) - tr(C'W) + beta sum_j |w_j|  over W (p x o), G = B'B (p x p), C = B'Y.
 *
 * Method. A round is: one sweep of coordinate descent over the support and the rows whose price exceeds beta most, a few over
 * the support, and with one output a
 * Newton step on the support A with signs s,
 *
 *     G_AA d = C_A - G_AA w_A - beta s,
 *
 * taken in full with the weights whose sign changes set to 0 where that descends, otherwise up to the first change
 * (feature-sign search, Lee et al. 2007). The sweeps choose the support, the Newton step finishes on it.
 * slope = C - G W is carried along; |slope_j| <= beta for all j is dual feasibility.
 * Cost: a changed row costs p o multiplications, a Newton step |A|^3 / 3 + p |A|.
 */
#include "lasso_descent.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "blas.h"

enum { INNER = 8 };

/* Multiplications of the Newton steps of one round. */
#define WORK 3e9

/* Rows without weight join a sweep where their price is above beta by this share of the largest excess. */
#define SHARE 0.5

void fathom_lasso_refresh(fathom_lasso_task *task)
{
    const int64_t o = task->width;
    memcpy(task->slope, task->cross, (size_t)(task->p * o) * sizeof *task->slope);
    for (int64_t j = 0; j < task->p; j++)
        for (int64_t k = 0; k < o; k++) {
            const double w = task->w[j * o + k];
            for (int64_t l = 0; w != 0 && l < task->p; l++)
                task->slope[l * o + k] -= w * task->gram[j * task->p + l];
        }
}

/* Moves row j to its minimiser: w_j = (1 - beta/|z|)_+ z / G_jj, z = slope_j + G_jj w_j. Returns |change| sqrt(G_jj). */
static double move(fathom_lasso_task *task, int64_t j)
{
    const int64_t o = task->width;
    const double *row = task->gram + j * task->p, curve = row[j];
    double *w = task->w + j * o, size = 0, moved = 0;
    if (!(curve > 0))
        return 0;
    for (int64_t k = 0; k < o; k++)
        size = hypot(size, task->slope[j * o + k] + curve * w[k]);
    const double keep = size > task->beta ? (1 - task->beta / size) / curve : 0;
    for (int64_t k = 0; k < o; k++) {
        const double next = keep * (task->slope[j * o + k] + curve * w[k]), change = next - w[k];
        w[k] = next;
        if (change == 0)
            continue;
        if (o == 1)
            fathom_blas_axpy(task->slope, -change, row, task->p);
        for (int64_t l = 0; o > 1 && l < task->p; l++)
            task->slope[l * o + k] -= change * row[l];
        moved = hypot(moved, change);
    }
    return moved * sqrt(curve);
}

static double norm_of(const double *x, int64_t o) { return o == 1 ? fabs(*x) : fathom_blas_norm(x, o); }

/* The rows with weight. */
static int64_t support(fathom_lasso_task *task)
{
    int64_t count = 0;
    for (int64_t j = 0; j < task->p; j++)
        if (norm_of(task->w + j * task->width, task->width) > 0)
            task->member[count++] = j;
    return count;
}

/* Objective from the Gram matrix: 1/2 |y|^2 - 1/2 <w, cross + slope> + beta sum |w_j|; *gap receives its distance to the
 * dual value of the scaled residual. */
static double value(const fathom_lasso_task *task, double *gap)
{
    const int64_t o = task->width;
    double fitted = 0, crossed = 0, norm = 0, price = 0;
    for (int64_t j = 0; j < task->p; j++) {
        const double *w = task->w + j * o;
        price = fmax(price, norm_of(task->slope + j * o, o));
        for (int64_t k = 0; k < o; k++) {
            fitted += w[k] * task->slope[j * o + k];
            crossed += w[k] * task->cross[j * o + k];
        }
        norm += norm_of(w, o);
    }
    const double residual = fmax(task->square - crossed - fitted, 0); /* |y - f|^2 */
    const double aligned = task->square - crossed;                    /* <y - f, y> */
    const double most = price > 0 ? task->beta / price : INFINITY;    /* feasible: |s| <= most */
    const double s = residual > 0 ? fmax(-most, fmin(most, aligned / residual)) : 0;
    const double objective = residual / 2 + task->beta * norm;
    *gap = residual > 0 ? objective - (s * aligned - s * s * residual / 2) : objective;
    return objective;
}

/* trial (count) = G_AA^{-1} (slope_A - beta s), false where the factorisation fails. */
static bool newton_direction(fathom_lasso_task *task, int64_t count)
{
    double trace = 0;
    for (int64_t a = 0; a < count; a++) {
        const int64_t j = task->member[a];
        for (int64_t b = 0; b <= a; b++)
            task->factor[a * count + b] = task->gram[j * task->p + task->member[b]];
        trace += task->gram[j * task->p + j];
        task->trial[a] = task->slope[j] - copysign(task->beta, task->w[j]);
    }
    /* Equal features make G_AA singular: the least shift that lets the factorisation run. */
    for (int64_t a = 0; a < count; a++)
        task->factor[a * count + a] += 4 * (double)count * 0x1p-53 * trace;
    if (fathom_blas_cholesky(task->factor, count, count) != 0)
        return false;
    fathom_blas_cholesky_solve(task->trial, 1, task->factor, count, count, 1);
    return true;
}

/* w_A += t trial_A, weights that change sign set to 0. */
static void take_step(fathom_lasso_task *task, const double *from, int64_t count, double t)
{
    for (int64_t a = 0; a < count; a++) {
        const double next = from[a] + t * task->trial[a];
        task->w[task->member[a]] = next * from[a] > 0 ? next : 0;
    }
    fathom_lasso_refresh(task);
}

/* A step on the support, never upwards; whether a weight became 0 on the way, so that another step may follow. */
static bool newton(fathom_lasso_task *task)
{
    const int64_t count = support(task);
    double *from = task->trial + task->p, gap, first = 1;
    if (count == 0 || count > task->room || !newton_direction(task, count))
        return false;
    const double before = value(task, &gap);
    for (int64_t a = 0; a < count; a++) {
        from[a] = task->w[task->member[a]];
        if (from[a] * task->trial[a] < 0)
            first = fmin(first, -from[a] / task->trial[a]);
    }
    take_step(task, from, count, 1);
    if (value(task, &gap) <= before)
        return false;
    take_step(task, from, count, first);
    if (value(task, &gap) <= before * (1 + 0x1p-40))
        return first < 1;
    take_step(task, from, count, 0);
    return false;
}

/* Steps until none meets a change of sign, as many as WORK allows: more features than examples, or equal ones, leave a
 * support on which only the weights' lengths change, and each step takes one of them out. */
static void newton_steps(fathom_lasso_task *task)
{
    for (double work = 0; work < WORK;) {
        const double count = (double)support(task);
        work += count * count * (count / 3 + (double)task->p) + 1;
        if (!newton(task))
            return;
    }
}

/* The largest price of all rows. */
static double steepest(const fathom_lasso_task *task)
{
    double most = task->beta;
    for (int64_t j = 0; j < task->p; j++)
        most = fmax(most, norm_of(task->slope + j * task->width, task->width));
    return most;
}

int64_t fathom_lasso_descend(fathom_lasso_task *task, double gap, int64_t rounds)
{
    double distance;
    for (int64_t round = 0; round < rounds; round++) {
        const double objective = value(task, &distance);
        if (distance <= gap * objective)
            return round;
        double largest = 0, change = INFINITY;
        const double least = task->beta + SHARE * (steepest(task) - task->beta);
        for (int64_t j = 0; j < task->p; j++)
            if (norm_of(task->w + j * task->width, task->width) > 0 ||
                norm_of(task->slope + j * task->width, task->width) > least)
                largest = fmax(largest, move(task, j));
        const int64_t count = support(task);
        for (int64_t k = 0; k < INNER && change > 0.1 * largest; k++) {
            change = 0;
            for (int64_t a = 0; a < count; a++)
                change = fmax(change, move(task, task->member[a]));
        }
        if (task->width == 1)
            newton_steps(task);
        else
            fathom_lasso_refresh(task);
    }
    return rounds;
}
