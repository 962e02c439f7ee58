/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The margin of both layers over cells, by a primal-dual method on a path.
 *
 * phi_C is convex and of degree 1. Its gradient at S_C(q) is what the optimal theta at q adds up to on the
 * cell, so that
 * sum_C phi_C(S_C(q)) is an upper and min_i sum_{C open at i} <grad phi_C, z_i> a lower bound for every q of
 * the simplex.
 * S_C may vanish at the optimum: phi is replaced by r = sqrt(phi^2 + (m rho_C)^2), whose gradient phi / r
 * grad phi is that of a
 * shorter theta, still admissible, and -m sum_i ln q_i keeps q inside. At the minimum for m the two bounds
 * are at most
 * m (1 + n) apart. Newton's method for
 *
 *     sum_{C open at i} l_C <grad phi_C, z_i> - t_i = const,   l_C r_C = phi_C,   t_i q_i = m,   sum_i q_i =
 *     1
 *
 * in (q, l, t): the lengths l_C and the t_i are variables of their own, as in [Andersen, Christiansen, Conn,
 * Overton 2000], and
 * not eliminated before they are linearised, which would allow short steps only. With l and t eliminated
 * after it, the matrix
 * is sum_C A_C' (l Hess phi + (1 - l phi / r) / r grad phi grad phi') A_C + diag(t / q). q moves as far as
 * the derivative of the
 * smoothed sum stays negative, which needs no values and so no digits that values do not have. Where S_C
 * tends to 0 its
 * direction counts: q is carried as a sum of two doubles, and S_C is summed up in such.
 * Cost: m_cells (price + open^2 d) + n^3 / 6 per step.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "margin_full_cells.h"
#include "memory.h"

enum { R = FATHOM_FULL_RANK, LEVELS = 60, STEPS = 50, POLISH = 5 };

/* By the square of Newton's step per m: from where on steps are whole and double the digits, and where a
 * level ends; how much m
 * falls by. */
static const double CENTRED = 1e-2, SETTLED = 1e-8, FACTOR = 10;

typedef struct path {
    fathom_context *context;
    const fathom_margin_points *points;
    const fathom_full_cells *cells;
    double whole;           /* g(1): no gradient of all phi_C together is longer */
    double least;           /* g(0), from below */
    double *phi;            /* m_cells: phi_C */
    double *local;          /* m_cells x (R + R x R): gradient and Hessian of phi_C */
    double *length;         /* m_cells: l_C */
    double *room;           /* m_cells: what fathom_full_repair may use */
    double *q, *trial;      /* n x 2: high and low parts */
    double *t;              /* n */
    double *gradient;       /* n: of the smoothed sum */
    double *margin;         /* n: that of the theta behind the lower bound */
    double *step, *other;   /* n */
    double *hessian, *work; /* n x n */
    double *repair;         /* of fathom_full_repair */
    double value;           /* sum_C phi_C, not smoothed */
} path;

static bool is_open(const path *p, int64_t j, int64_t i)
{
    return p->cells->bits[j * p->cells->words + i / 64] >> i % 64 & 1;
}

static fathom_status path_create(path *p, const fathom_margin_run *run, const fathom_full_cells *cells)
{
    const int64_t n = run->points->n, m = cells->m;
    *p = (path){.context = run->context, .points = run->points, .cells = cells, .whole = run->table.whole};
    double slope_at_0;
    p->least = fathom_full_height(&slope_at_0, &run->table, 0) - run->table.error_g;
    double *memory = fathom_memory_alloc(
        run->context, (3 + R + R * R) * m + 9 * n + 2 * n * n + fathom_full_repair_size(n, m),
        sizeof *memory);
    if (!memory)
        return FATHOM_ERROR_MEMORY;
    p->phi = memory;
    p->local = p->phi + m;
    p->length = p->local + (R + R * R) * m;
    p->room = p->length + m;
    p->q = p->room + m;
    p->trial = p->q + 2 * n;
    p->t = p->trial + 2 * n;
    p->gradient = p->t + n;
    p->margin = p->gradient + n;
    p->step = p->margin + n;
    p->other = p->step + n;
    p->hessian = p->other + n;
    p->work = p->hessian + n * n;
    p->repair = p->work + n * n;
    for (int64_t i = 0; i < n; i++) {
        p->q[i] = 1 / (double)n;
        p->q[n + i] = 0;
    }
    return FATHOM_OK;
}

/* (high, low) += a; the sum of the two loses no more than 2^-105 of the largest [Knuth, TAOCP 2, 4.2.2]. */
static void add_twofold(double *high, double *low, double a)
{
    const double sum = *high + a, part = sum - *high;
    *low += (*high - (sum - part)) + (a - part);
    *high = sum;
}

/* S of cell j. */
static void sum_cell(double *S, const path *p, int64_t j, const double *q)
{
    const int64_t n = p->points->n, d = p->cells->d;
    const double *z = p->points->z, *low = q + n;
    double rest[R] = {0};
    memset(S, 0, (size_t)d * sizeof *S);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < d && is_open(p, j, i); k++) {
            const double product = q[i] * z[i * d + k];
            add_twofold(S + k, rest + k, product);
            rest[k] += fma(q[i], z[i * d + k], -product) + low[i] * z[i * d + k];
        }
    for (int64_t k = 0; k < d; k++)
        S[k] += rest[k];
}

/* phi, gradient and Hessian of every cell at q. */
static void price_cells(path *p, const double *q)
{
    const fathom_full_cells *cells = p->cells;
#pragma omp parallel for schedule(dynamic, 4) \
    num_threads(fathom_context_threads(p->context)) if (cells->m > 64)
    for (int64_t j = 0; j < cells->m; j++) {
        double S[R], *local = p->local + j * (R + R * R);
        sum_cell(S, p, j, q);
        p->phi[j] = cells->price(local, local + R, cells->shape, j, S);
    }
}

/* r_C for the smoothing m. */
static double root_of(const path *p, int64_t j, double m) { return hypot(p->phi[j], m * p->cells->rho[j]); }

/* Adds what cell j has to the gradient and, where `second`, to the lower half of the matrix. */
static void add_cell(path *p, int64_t j, double m, bool second)
{
    const int64_t n = p->points->n, d = p->cells->d;
    const double *z = p->points->z, *gradient = p->local + j * (R + R * R), *hessian = gradient + R;
    const double root = root_of(p, j, m), share = root > 0 ? p->phi[j] / root : 0;
    const double bend = root > 0 ? (1 - p->length[j] * share) / root : 0;
    for (int64_t i = 0; i < n; i++) {
        double row[R] = {0}, along = 0;
        if (!is_open(p, j, i))
            continue;
        for (int64_t k = 0; k < d; k++)
            along += gradient[k] * z[i * d + k];
        p->gradient[i] += share * along;
        for (int64_t l = 0; l < d && second; l++) {
            for (int64_t k = 0; k < d; k++)
                row[l] += hessian[l * d + k] * z[i * d + k];
            row[l] = p->length[j] * row[l] + bend * along * gradient[l];
        }
        for (int64_t l = 0; l <= i && second; l++)
            for (int64_t k = 0; k < d && is_open(p, j, l); k++)
                p->hessian[i * n + l] += row[k] * z[l * d + k];
    }
}

/* Value, gradient of the smoothed sum and, where `second`, the matrix at q for the smoothing m. */
static void evaluate(path *p, const double *q, double m, bool second)
{
    const fathom_full_cells *cells = p->cells;
    const int64_t n = p->points->n;
    p->value = 0;
    memset(p->gradient, 0, (size_t)n * sizeof *p->gradient);
    if (second)
        memset(p->hessian, 0, (size_t)(n * n) * sizeof *p->hessian);
    price_cells(p, q);
    for (int64_t j = 0; j < cells->m; j++) {
        p->value += p->phi[j];
        add_cell(p, j, m, second);
    }
}

/* What theta leaves on every cell: (1 - phi / r) rho g(0). */
static void find_room(path *p, double m)
{
    for (int64_t j = 0; j < p->cells->m; j++) {
        const double root = root_of(p, j, m), soft = m * p->cells->rho[j];
        p->room[j] = root > 0 ? soft / root * (soft / (root + p->phi[j])) * p->cells->rho[j] * p->least : 0;
    }
}

/* Both bounds at q, into the result where they are better. Sums over points and cells are rounded n and
 * m_cells times. */
static void judge(path *p, fathom_margin_result *result, double m, double gap)
{
    const int64_t n = p->points->n, d = p->cells->d;
    const double slack = p->cells->slack + 2 * (double)(n + p->cells->m + 16) * 0x1p-52 * fmax(1, p->whole);
    double total = 0, lower = INFINITY;
    for (int64_t i = 0; i < n; i++)
        total += p->q[i];
    const double upper =
        (p->value + slack * fathom_margin_mass(p->points, p->q)) / total * (1 + (double)n * 0x1p-52);
    find_room(p, m);
    if (m * (double)n < upper) /* worth its cost */
        fathom_full_repair(p->margin, p->repair, p->points, p->cells, p->room, p->gradient, p->q);
    else
        memcpy(p->margin, p->gradient, (size_t)n * sizeof *p->margin);
    for (int64_t i = 0; i < n; i++) {
        const double least = p->margin[i] - slack * fathom_blas_norm(p->points->x + i * d, d) * (1 + 0x1p-50);
        lower = least >= lower ? lower : isnan(least) ? -INFINITY : least;
    }
    if (lower > result->view.lower)
        memcpy(result->margin, p->margin, (size_t)n * sizeof *p->margin);
    if (upper < result->view.upper)
        memcpy(result->q, p->q, (size_t)n * sizeof *p->q);
    fathom_margin_narrow(result, lower, upper, gap);
}

/* The step of q. Returns the square of its length in the matrix's norm per m, NAN where the matrix is not
 * positive
 * definite. */
static double newton(path *p, double m)
{
    const int64_t n = p->points->n;
    double up = 0, down = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t l = 0; l <= i; l++)
            p->work[i * n + l] = p->work[l * n + i] = p->hessian[i * n + l] * p->q[i] * p->q[l] / m;
        p->work[i * n + i] = (p->work[i * n + i] + p->t[i] * p->q[i] / m) * (1 + 1e-13); /* in units of q_i */
        p->step[i] = 1 - p->gradient[i] * p->q[i] / m;
        p->other[i] = p->q[i];
    }
    if (fathom_blas_cholesky(p->work, n, n) != 0)
        return NAN;
    fathom_blas_cholesky_solve(p->step, 1, p->work, n, n, 1);
    fathom_blas_cholesky_solve(p->other, 1, p->work, n, n, 1);
    for (int64_t i = 0; i < n; i++) {
        up += p->q[i] * p->step[i];
        down += p->q[i] * p->other[i];
    }
    for (int64_t i = 0; i < n; i++) {
        p->step[i] = (p->step[i] - up / down * p->other[i]) * p->q[i];
        square += (1 / p->q[i] - p->gradient[i] / m) * p->step[i];
    }
    return square;
}

/* The derivative of the smoothed sum less m sum ln q_i along the step, at the trial point. */
static double slope(const path *p, double m)
{
    double total = 0;
    for (int64_t i = 0; i < p->points->n; i++)
        total += (p->gradient[i] - m / p->trial[i]) * p->step[i];
    return total;
}

/* l and t move with q, by `share` of their step; both stay inside. */
static void move_duals(path *p, double m, double share)
{
    const int64_t n = p->points->n, d = p->cells->d;
    for (int64_t i = 0; i < n; i++) {
        const double whole = m / p->q[i] - p->t[i] / p->q[i] * p->step[i], least = m / p->q[i];
        p->t[i] = fmin(fmax((1 - share) * p->t[i] + share * whole, 1e-3 * least), 1e3 * least);
    }
    for (int64_t j = 0; j < p->cells->m; j++) {
        const double *gradient = p->local + j * (R + R * R), root = root_of(p, j, m);
        double along = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < d && is_open(p, j, i); k++)
                along += p->step[i] * p->points->z[i * d + k] * gradient[k];
        if (!(root > 0))
            continue;
        const double now = p->phi[j] / root, whole = now + (1 - p->length[j] * now) * along / root;
        p->length[j] = fmin(fmax((1 - share) * p->length[j] + share * whole, 0), 1);
    }
}

/* The trial point q + length step. */
static void try_step(path *p, double length)
{
    const int64_t n = p->points->n;
    memcpy(p->trial, p->q, (size_t)(2 * n) * sizeof *p->q);
    for (int64_t i = 0; i < n; i++)
        add_twofold(p->trial + i, p->trial + n + i, length * p->step[i]);
}

/* How much of the step, at most 1, keeps q positive. */
static double longest_step(const path *p)
{
    double length = 1;
    for (int64_t i = 0; i < p->points->n; i++)
        if (p->step[i] < 0)
            length = fmin(length, -0.98 * p->q[i] / p->step[i]);
    return length;
}

/* q moves along the step to a place where the derivative has not become positive, or no more than a tenth of
 * what it was
 * before, -square m: by the secant; near the path all the way. False where there is none. */
static bool move(path *p, double m, double square)
{
    const double before = square * m;
    double length = longest_step(p), after = 0;
    move_duals(p, m, length);
    for (int tries = 0; tries < 40; tries++) {
        try_step(p, length);
        if (square > CENTRED) {
            evaluate(p, p->trial, m, false);
            after = slope(p, m);
        }
        if (after <= 0.1 * before || square <= CENTRED) {
            memcpy(p->q, p->trial, (size_t)(2 * p->points->n) * sizeof *p->q);
            return true;
        }
        length *= fmin(0.7, fmax(0.1, before / (before + after)));
    }
    return false;
}

/* Steps for one m. False where the run should end: at its gap, or stopped. */
static bool centre(path *p, fathom_margin_run *run, double m, double gap)
{
    fathom_margin_view *view = &run->result->view;
    const bool late = m * (double)p->points->n < 1e-2 * view->upper;
    for (int k = 0, near = 0; k < STEPS && near < (late ? POLISH : 1); k++) {
        evaluate(p, p->q, m, true);
        judge(p, run->result, m, gap);
        view->iterations++;
        if (view->reached || fathom_context_poll(run->context, p->cells->method, view->iterations,
                                                 view->upper, view->lower) != FATHOM_STOP_NONE)
            return false;
        const double square = newton(p, m);
        near += square <= CENTRED;
        if (isnan(square) || !move(p, m, square) || square <= SETTLED)
            break;
    }
    return true;
}

fathom_status fathom_full_solve(fathom_margin_run *run, const fathom_full_cells *cells, double gap)
{
    fathom_margin_view *view = &run->result->view;
    path p;
    FATHOM_TRY(path_create(&p, run, cells));
    double m = view->upper;
    view->method = cells->method;
    view->gates = cells->m;
    for (int64_t i = 0; i < run->points->n; i++)
        p.t[i] = m / p.q[i];
    for (int64_t j = 0; j < cells->m; j++)
        p.length[j] = 0.5;
    for (int level = 0; level < LEVELS && m > cells->slack * 0x1p-10 && centre(&p, run, m, gap); level++)
        m /= FACTOR;
    fathom_memory_free(run->context, p.phi);
    return FATHOM_OK;
}
