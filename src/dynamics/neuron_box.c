/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which way a neuron goes that stands on kinks: the Filippov solution, in force variables.
 *
 * Let B be the examples with z_i = <v, x_i> = 0, e_i their effects, between above_i and below_i; z_i' = a <g, x_i>.
 * Where a (above_i - below_i) < 0 (a valley: both sides push towards the kink) the effects solve the box problem
 *
 *     min  |g|^2 / 2,   g = g_0 + sum_{k in valley} e_k x_k,   e_k between below_k and above_k.
 *
 * (Where only valleys meet, the function is locally concave along the motion, and the Clarke differential is
 * the sum of theirs, dependent planes or not.)
 *
 * Its optimality conditions are those of the motion: e_k at the active end needs z_k' >= 0, at the inactive
 * end z_k' <= 0, and in between z_k' = 0: the pair slides. Where a (above_i - below_i) > 0 (a ridge) the neuron crosses:
 * active where that moves it up. Both may be consistent, tried one after the other: the flow is not unique
 * there, the case is counted, and field->open says which side is taken.
 *
 * Method: projected Gauss-Seidel, then Newton on the effects between their bounds, up to the first bound.
 * Dependent examples have many solutions; the one that is kept is basic: along a null vector one of the
 * effects is moved to a bound, until those between their bounds belong to independent examples and are
 * determined by the motion. Forces, not slopes: they do not underflow into 0/0.  [003, App. C]
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "neuron_flow.h"

enum { SWEEPS = 6, ROUNDS = 170 };
static const double exact = 1e-13, slack = 1e-11, dependent = 1e-14, /* relative to |x_k| sum_i |e_i| |x_i| */
    still = 0x1p-50;

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
    return sign * (field->above[k] - field->below[k]) < 0;
}

static bool is_free(const neuron_field *field, const neuron_work *work, int64_t k)
{
    return work->effect[k] != field->above[k] && work->effect[k] != field->below[k];
}

static void sweep(const neuron_field *field, double sign, neuron_work *work)
{
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        if (!is_valley(field, k, sign) || !(field->squares[k] > 0))
            continue;
        const double e = clip(work->effect[k] - slope_of(field, work, k) / field->squares[k], field->below[k],
                              field->above[k]);
        if (e != work->effect[k])
            set_effect(field, work, k, e);
    }
}

/* One more row of the Cholesky factor of the Gram matrix of the free examples, for example k; false where k
 * depends on them: then solution holds the coefficients of x_k in them. */
static bool append_free(const neuron_field *field, neuron_work *work, int64_t k)
{
    const int64_t d = field->d, m = work->frees;
    const double *x = field->x + k * d;
    double *row = work->solution, rest = field->squares[k];
    for (int64_t r = 0; r < m; r++) {
        double sum = fathom_blas_dot(x, field->x + work->free[r] * d, d);
        for (int64_t c = 0; c < r; c++)
            sum -= work->factor[r * d + c] * row[c];
        row[r] = sum / work->factor[r * d + r];
        rest -= row[r] * row[r];
    }
    if (m < d && rest > dependent * field->squares[k]) {
        for (int64_t c = 0; c < m; c++)
            work->factor[m * d + c] = row[c];
        work->factor[m * d + m] = sqrt(rest);
        work->free[work->frees++] = k;
        return true;
    }
    for (int64_t r = m - 1; r >= 0; r--) {
        for (int64_t c = r + 1; c < m; c++)
            row[r] -= work->factor[c * d + r] * row[c];
        row[r] /= work->factor[r * d + r];
    }
    return false;
}

/* The largest t in [0, most] for which e_k + t rate stays in its box. */
static double reach_of(const neuron_field *field, const neuron_work *work, int64_t k, double rate,
                       double most)
{
    const double low = fmin(field->above[k], field->below[k]), high = fmax(field->above[k], field->below[k]);
    const double e = work->effect[k];
    if (rate == 0)
        return most;
    return fmin(most, fmax(0, (rate > 0 ? high - e : low - e) / rate));
}

/* e_k += t rate; exactly to its bound where that is as far as it goes. */
static void move_effect(const neuron_field *field, neuron_work *work, int64_t k, double rate, double t)
{
    const double low = fmin(field->above[k], field->below[k]), high = fmax(field->above[k], field->below[k]);
    double e = work->effect[k] + t * rate;
    if (rate != 0 && reach_of(field, work, k, rate, INFINITY) <= t)
        e = rate > 0 ? high : low;
    set_effect(field, work, k, fmin(high, fmax(low, e)));
}

/* Moves the effects of the free examples and of k along rate (the coefficients in solution, -1 for k) to the
 * first bound. */
static void move_along_null(const neuron_field *field, neuron_work *work, int64_t k)
{
    double t = reach_of(field, work, k, -1, INFINITY);
    for (int64_t r = 0; r < work->frees; r++)
        t = reach_of(field, work, work->free[r], work->solution[r], t);
    for (int64_t r = 0; r < work->frees; r++)
        move_effect(field, work, work->free[r], work->solution[r], t);
    move_effect(field, work, k, -1, t);
}

/* Makes the examples between their bounds independent, and factorises their Gram matrix. */
static void reduce(const neuron_field *field, double sign, neuron_work *work)
{
    for (int64_t round = 0; round <= work->count; round++) {
        bool independent = true;
        work->frees = 0;
        for (int64_t b = 0; b < work->count && independent; b++) {
            const int64_t k = work->boundary[b];
            if (!is_valley(field, k, sign) || !is_free(field, work, k) || append_free(field, work, k))
                continue;
            move_along_null(field, work, k);
            independent = false;
        }
        if (independent)
            return;
    }
    work->frees = 0;
}

/* solution = -(X X^T)^-1 X g, X the free examples. */
static void solve_free(const neuron_field *field, neuron_work *work)
{
    const int64_t d = field->d, m = work->frees;
    for (int64_t r = 0; r < m; r++) {
        double sum = -fathom_blas_dot(field->x + work->free[r] * d, work->g, d);
        for (int64_t c = 0; c < r; c++)
            sum -= work->factor[r * d + c] * work->solution[c];
        work->solution[r] = sum / work->factor[r * d + r];
    }
    for (int64_t r = m - 1; r >= 0; r--) {
        for (int64_t c = r + 1; c < m; c++)
            work->solution[r] -= work->factor[c * d + r] * work->solution[c];
        work->solution[r] /= work->factor[r * d + r];
    }
}

/* Newton on the free effects, up to the first bound; false where it was met. */
static bool polish(const neuron_field *field, neuron_work *work)
{
    const int64_t m = work->frees;
    double t = 1;
    solve_free(field, work);
    for (int64_t r = 0; r < m; r++)
        t = reach_of(field, work, work->free[r], work->solution[r], t);
    for (int64_t r = 0; r < m; r++)
        move_effect(field, work, work->free[r], work->solution[r], t);
    return t == 1;
}

/* Whether the conditions of the box problem hold up to `tolerance` |x_k|. The active end needs sign <x_k, g> >= 0. */
static bool is_optimal(const neuron_field *field, double sign, const neuron_work *work, double tolerance)
{
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        if (!is_valley(field, k, sign))
            continue;
        const double up = sign * slope_of(field, work, k), room = tolerance * sqrt(field->squares[k]);
        const bool active = work->effect[k] == field->above[k];
        if (is_free(field, work, k) ? fabs(up) > room : active ? up < -room : up > room)
            return false;
    }
    return true;
}

static void sum_effects(const neuron_field *field, neuron_work *work, const double *effect)
{
    fathom_blas_gemv(work->g, field->d, field->n, 1, fathom_transposed(field->x, field->d), effect, 0);
}

/* g of the effects. Small steps add up its rounding errors, which are those of the largest effects on the way. */
static void refresh(const neuron_field *field, neuron_work *work) { sum_effects(field, work, work->effect); }

static void solve_box(const neuron_field *field, double sign, neuron_work *work, double tolerance)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < SWEEPS; k++) {
            sweep(field, sign, work);
            if (k == SWEEPS / 2)
                refresh(field, work);
        }
        for (int64_t k = 0; k <= work->count; k++) {
            reduce(field, sign, work);
            if (polish(field, work))
                break;
        }
        refresh(field, work);
        if (is_optimal(field, sign, work, tolerance))
            return;
    }
}

/* Effects before the decision, and g. */
static void start(const neuron_field *field, double sign, neuron_work *work)
{
    for (int64_t i = 0; i < field->n; i++)
        work->effect[i] = work->z[i] > 0 ? field->above[i] : field->below[i];
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        if (is_valley(field, k, sign))
            work->effect[k] = (field->above[k] + field->below[k]) / 2;
    }
    refresh(field, work);
}

/* Opens ridges that rise; true where one was opened. */
static bool open_ridges(const neuron_field *field, double sign, neuron_work *work, double tolerance)
{
    bool opened = false;
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        if (is_valley(field, k, sign) || work->effect[k] == field->above[k])
            continue;
        if (sign * slope_of(field, work, k) > tolerance * sqrt(field->squares[k])) {
            set_effect(field, work, k, field->above[k]);
            opened = true;
        }
    }
    return opened;
}

/* Valleys by the box problem, ridges opened while they rise. */
static void settle_forces(const neuron_field *field, double sign, neuron_work *work)
{
    const double tolerance = exact * field->size;
    for (int64_t round = 0; round <= work->count; round++) {
        solve_box(field, sign, work, tolerance);
        if (!open_ridges(field, sign, work, tolerance))
            return;
    }
}

/* Whether a closed ridge that does not rise would rise if it were open. Left so where the field says so; else
 * everything is as before. */
static bool try_open(const neuron_field *field, double sign, neuron_work *work, int64_t k)
{
    const double norm = sqrt(field->squares[k]), room = slack * field->size * norm;
    const double jump = fabs(field->above[k] - field->below[k]) * field->squares[k];
    if (!(sign * slope_of(field, work, k) + jump > room)) /* it rises by at most that */
        return false;
    memcpy(work->keep, work->effect, (size_t)field->n * sizeof(double));
    memcpy(work->keep + field->n, work->g, (size_t)field->d * sizeof(double));
    set_effect(field, work, k, field->above[k]);
    settle_forces(field, sign, work);
    const bool rises = sign * slope_of(field, work, k) > room;
    if (rises && field->open)
        return true;
    memcpy(work->effect, work->keep, (size_t)field->n * sizeof(double));
    memcpy(work->g, work->keep + field->n, (size_t)field->d * sizeof(double));
    return rises;
}

/* g <- g - X^T (X X^T)^-1 X g, X the free examples. */
static void project_off(const neuron_field *field, neuron_work *work)
{
    const int64_t d = field->d, m = work->frees;
    solve_free(field, work);
    for (int64_t r = 0; r < m; r++)
        fathom_blas_axpy(work->g, work->solution[r], field->x + work->free[r] * d, d);
}

/* g once more, from the effects that are not between their bounds: those that are take away the part of g in the span of
 * their examples, and nothing else. Taken with their own values, which may be far larger than g, they would leave their
 * rounding in it. g = 0 where it is no more than the rounding of what it is the sum of: a neuron that is held stays where
 * it is, however long. */
static void finish(const neuron_field *field, neuron_work *work)
{
    double size = 0, *held = work->keep;
    memcpy(held, work->effect, (size_t)field->n * sizeof(double));
    for (int64_t r = 0; r < work->frees; r++)
        held[work->free[r]] = 0;
    for (int64_t i = 0; i < field->n; i++)
        size += fabs(held[i]) * sqrt(field->squares[i]);
    sum_effects(field, work, held);
    project_off(field, work);
    project_off(field, work);
    if (fathom_blas_norm(work->g, field->d) <= still * size)
        memset(work->g, 0, (size_t)field->d * sizeof(double));
}

int64_t fathom_neuron_decide(neuron_state *neuron, const neuron_field *field, double sign, neuron_work *work)
{
    int64_t nonunique = 0;
    start(field, sign, work);
    if (work->count == 0)
        return 0;
    settle_forces(field, sign, work);
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        if (sign * (field->above[k] - field->below[k]) > 0 && work->effect[k] != field->above[k])
            nonunique += try_open(field, sign, work, k);
    }
    reduce(field, sign, work);
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t k = work->boundary[b];
        neuron->slides[k] = is_valley(field, k, sign) && is_free(field, work, k);
    }
    finish(field, work);
    return nonunique;
}
