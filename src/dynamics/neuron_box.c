/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which way a neuron goes that stands on kinks: the Filippov solution, in force variables.
 *
 * Let B be the examples with z_i = <v, x_i> = 0 and e_i = s_i f_i, s_i in [alpha, 1]; z_i' = a <g, x_i>. Where a f_i < 0
 * (a valley: both sides push towards the kink) the effects solve the box problem
 *
 *     min  |g|^2 / 2,   g = g_0 + sum_{k in valley} e_k x_k,   e_k between alpha f_k and f_k.
 *
 * Its optimality conditions are those of the motion: e_k at the active end needs z_k' >= 0, at the inactive end
 * z_k' <= 0, and in between z_k' = 0: the pair slides. Where a f_i > 0 (a ridge) the neuron crosses: active where that
 * moves it up. Both may be consistent; the rule is then the inactive side, and the case is counted.
 *
 * Method: projected Gauss-Seidel (duplicate and antipodal examples make the Gram matrix singular), then Newton on the
 * effects between their bounds. Forces, not slopes: they do not underflow into 0/0.                       [003, App. C]
 */
#include <math.h>

#include "blas.h"
#include "neuron_flow.h"

enum { SWEEPS = 6, ROUNDS = 170 };
static const double exact = 1e-13, slack = 1e-11; /* relative to |x_k| sum_i |e_i| |x_i| */

static double clip(double value, double one, double other)
{
    return fmax(fmin(one, other), fmin(fmax(one, other), value));
}

/* e_k <- value, and g with it. */
static void set_effect(const neuron_field *field, neuron_work *work, int64_t k, double value)
{
    fathom_blas_axpy(work->g, value - work->effect[k], field->x + k * field->d, field->d);
    work->effect[k] = value;
}

static double slope_of(const neuron_field *field, const neuron_work *work, int64_t k)
{
    return fathom_blas_dot(field->x + k * field->d, work->g, field->d);
}

static bool is_valley(const neuron_field *field, int64_t k, double sign)
{
    return sign * field->force[k] < 0;
}

static bool is_free(const neuron_field *field, const neuron_work *work, int64_t k)
{
    const double e = work->effect[k], f = field->force[k], low = field->alpha * f;
    return e != f && e != low;
}

static void sweep(const neuron_field *field, double sign, neuron_work *work)
{
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        if (!is_valley(field, k, sign) || !(field->squares[k] > 0))
            continue;
        const double f = field->force[k];
        const double e =
            clip(work->effect[k] - slope_of(field, work, k) / field->squares[k], field->alpha * f, f);
        if (e != work->effect[k])
            set_effect(field, work, k, e);
    }
}

/* Newton on the free effects: Gram delta = -<x, g>; taken where it stays in the box. */
static void polish(const neuron_field *field, double sign, neuron_work *work)
{
    const int64_t d = field->d;
    int64_t count = 0;
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        if (!is_valley(field, k, sign) || !is_free(field, work, k))
            continue;
        if (count == d)
            return;
        work->free[count++] = k;
    }
    for (int64_t r = 0; r < count; r++) {
        const double *x = field->x + work->free[r] * d;
        work->solution[r] = -fathom_blas_dot(x, work->g, d);
        for (int64_t c = 0; c <= r; c++)
            work->gram[r * count + c] = fathom_blas_dot(x, field->x + work->free[c] * d, d);
    }
    if (count == 0 || fathom_blas_cholesky(work->gram, count, count) != 0)
        return;
    fathom_blas_cholesky_solve(work->solution, 1, work->gram, count, count, 1);
    for (int64_t r = 0; r < count; r++) {
        const double e = work->effect[work->free[r]] + work->solution[r], f = field->force[work->free[r]];
        if (!(e == clip(e, field->alpha * f, f)))
            return;
    }
    for (int64_t r = 0; r < count; r++)
        set_effect(field, work, work->free[r], work->effect[work->free[r]] + work->solution[r]);
}

/* Whether the conditions of the box problem hold up to `tolerance` |x_k|. The active end needs sign <x_k, g> >= 0. */
static bool is_optimal(const neuron_field *field, double sign, const neuron_work *work, double tolerance)
{
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        if (!is_valley(field, k, sign))
            continue;
        const double up = sign * slope_of(field, work, k), room = tolerance * sqrt(field->squares[k]);
        const bool active = work->effect[k] == field->force[k];
        if (is_free(field, work, k) ? fabs(up) > room : active ? up < -room : up > room)
            return false;
    }
    return true;
}

static void solve_box(const neuron_field *field, double sign, neuron_work *work, double tolerance)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < SWEEPS; k++)
            sweep(field, sign, work);
        polish(field, sign, work);
        if (is_optimal(field, sign, work, tolerance))
            return;
    }
}

/* Effects before the decision, and g; returns sum_i |e_i| |x_i|, the size of what is added up. */
static double start(const neuron_field *field, double sign, neuron_work *work)
{
    double size = 0;
    for (int64_t i = 0; i < field->n; i++)
        work->effect[i] = field->force[i] * (work->z[i] > 0 ? 1 : field->alpha);
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        if (is_valley(field, k, sign))
            work->effect[k] = field->force[k] * (1 + field->alpha) / 2;
    }
    for (int64_t i = 0; i < field->n; i++)
        size += fabs(field->force[i]) * sqrt(field->squares[i]);
    fathom_blas_gemv(work->g, field->d, field->n, 1, fathom_transposed(field->x, field->d), work->effect, 0);
    return size;
}

/* Opens ridges that rise; true where one was opened. */
static bool open_ridges(const neuron_field *field, double sign, neuron_work *work, double tolerance)
{
    bool opened = false;
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        if (is_valley(field, k, sign) || work->effect[k] == field->force[k])
            continue;
        if (sign * slope_of(field, work, k) > tolerance * sqrt(field->squares[k])) {
            set_effect(field, work, k, field->force[k]);
            opened = true;
        }
    }
    return opened;
}

int64_t fathom_neuron_decide(neuron_state *neuron, const neuron_field *field, double sign, neuron_work *work)
{
    int64_t nonunique = 0;
    const double size = start(field, sign, work);
    if (work->count == 0)
        return 0;
    for (int64_t round = 0; round <= work->count; round++) {
        solve_box(field, sign, work, exact * size);
        if (!open_ridges(field, sign, work, exact * size))
            break;
    }
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        const double up = sign * slope_of(field, work, k), room = slack * size * sqrt(field->squares[k]);
        const bool valley = is_valley(field, k, sign);
        neuron->slides[k] = valley && is_free(field, work, k);
        nonunique += !valley && up < 0 &&
                     up + (1 - field->alpha) * fabs(field->force[k]) * field->squares[k] > room &&
                     work->effect[k] != field->force[k];
    }
    return nonunique;
}
