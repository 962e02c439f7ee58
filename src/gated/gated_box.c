/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small quadratic program with nonnegative variables:
 *
 *     minimise q(x) = slope' (x - e) + (x - e)' H (x - e) / 2   over x >= 0,   H k x k positive semidefinite.
 *
 * Method: guess the free set, solve on it (Cholesky, k^3/3), drop variables that turn negative, add fixed ones whose
 * gradient points inwards; usually a handful of rounds. Where that has not settled, coordinate descent, which cannot
 * fail, finishes from the best point. The result always satisfies x >= 0 and q(x) <= q(e).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "context_internal.h"
#include "gated_engine.h"
#include "memory.h"

enum { ROUNDS = 40, EXCHANGES = 20, SWEEPS = 200 };

/* y = H (x - e) + slope, the gradient of q at x. */
static void gradient_at(double *y, int64_t k, const double *h, const double *slope, const double *e,
                        const double *x, double *difference)
{
    for (int64_t j = 0; j < k; j++)
        difference[j] = x[j] - e[j];
    memcpy(y, slope, (size_t)k * sizeof *y);
    fathom_blas_gemv(y, k, k, 1, fathom_plain(h, k), difference, 1);
}

/* x = the minimiser with x_j = 0 outside the free set; *solved = false where H is singular there. */
static fathom_status solve_free(bool *solved, double *x, int64_t k, const double *h, const double *slope,
                                const double *e, const int64_t *free, int64_t count, double ridge,
                                double *matrix, double *y, double *difference, fathom_context *context)
{
    memset(x, 0, (size_t)k * sizeof *x);
    gradient_at(y, k, h, slope, e, x, difference); /* gradient at 0: H_FF x_F = -y_F */
    for (int64_t a = 0; a < count; a++)
        for (int64_t b = 0; b <= a; b++)
            matrix[a * count + b] = h[free[a] * k + free[b]] + (a == b ? ridge : 0);
    int64_t minor;
    const fathom_status status = fathom_cholesky_factor(&minor, matrix, count, count, context);
    *solved = status == FATHOM_OK && minor == 0;
    if (!*solved)
        return status;
    for (int64_t a = 0; a < count; a++)
        difference[a] = -y[free[a]];
    fathom_cholesky_apply(difference, 1, 1, matrix, count, count, context);
    for (int64_t a = 0; a < count; a++)
        x[free[a]] = difference[a];
    return FATHOM_OK;
}

/* Coordinate descent from x >= 0 until it stands still. */
static void descend(double *x, int64_t k, const double *h, const double *slope, const double *e, double ridge,
                    double *y, double *difference)
{
    gradient_at(y, k, h, slope, e, x, difference);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0, size = 0;
        for (int64_t j = 0; j < k; j++) {
            const double next = fmax(0, x[j] - y[j] / (h[j * k + j] + ridge)), step = next - x[j];
            if (step == 0)
                continue;
            x[j] = next;
            fathom_blas_axpy(y, step, h + j * k, k);
            change += fabs(step);
            size += fabs(next);
        }
        if (change <= 1e-12 * size)
            return;
    }
}

/* One round of the active-set method: free variables that turned negative leave, and where `admit` fixed ones with a
 * gradient below -tolerance enter. False where nothing had to change. */
static bool exchange(bool *inside, const double *x, const double *y, int64_t k, bool admit, double tolerance)
{
    bool changed = false;
    for (int64_t j = 0; j < k; j++) {
        const bool stays = inside[j] ? x[j] > 0 : admit && y[j] < -tolerance;
        changed = changed || stays != inside[j];
        inside[j] = stays;
    }
    return changed;
}

static int64_t list_free(int64_t *free, const bool *inside, int64_t k)
{
    int64_t count = 0;
    for (int64_t j = 0; j < k; j++)
        if (inside[j])
            free[count++] = j;
    return count;
}

fathom_status fathom_gated_box(double *x, fathom_context *context, int64_t k, const double *h,
                               const double *slope, const double *e)
{
    double *matrix = fathom_memory_alloc(context, k * k, sizeof *matrix);
    double *y = fathom_memory_alloc(context, 2 * k, sizeof *y);
    int64_t *free = fathom_memory_alloc(context, k, sizeof *free);
    bool *inside = fathom_memory_alloc(context, k, sizeof *inside);
    fathom_status status = matrix && y && free && inside ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    bool settled = false;
    double trace = 0, steepest = 0;
    for (int64_t j = 0; status == FATHOM_OK && j < k; j++) {
        inside[j] = true;
        trace += h[j * k + j];
        steepest = fmax(steepest, fabs(slope[j]));
    }
    const double ridge = 64 * DBL_EPSILON * trace + DBL_MIN, tolerance = 1e-14 * steepest;
    for (int round = 0; status == FATHOM_OK && !settled && round < ROUNDS; round++) {
        const int64_t count = list_free(free, inside, k);
        bool solved;
        status = solve_free(&solved, x, k, h, slope, e, free, count, ridge, matrix, y, y + k, context);
        if (!solved)
            break;
        gradient_at(y, k, h, slope, e, x, y + k);
        settled = !exchange(inside, x, y, k, round < EXCHANGES, tolerance);
    }
    if (status == FATHOM_OK && !settled) {
        for (int64_t j = 0; j < k; j++)
            x[j] = e[j];
        descend(x, k, h, slope, e, ridge, y, y + k);
    }
    FATHOM_FREE(context, matrix, y, free, inside);
    return status;
}
