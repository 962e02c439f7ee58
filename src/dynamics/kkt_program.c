/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The margin problem on one activation pattern [004, eq. 7; docs/explanation/dynamics.md].
 *
 * G groups of neurons with output weights of sign t_g, which see example i on side S_gi with slope s_gi (1 or
 * alpha):
 *
 *     minimise sum_g |w_g|^2   over   y_i sum_g t_g f_g s_gi <w_g, x_i> >= 1,   S_gi <w_g, x_i> >= 0.
 *
 * With multipliers l_i of the margins and m_gi of the sides, w_g = sum_i (t_g f_g y_i s_gi l_i + m_gi S_gi)
 * x_i: the slope in force is
 * c_gi = s_gi + t_g m_gi S_gi y_i / (f_g l_i). Where all c_gi lie in [alpha, 1] the w_g are a KKT point over
 * all networks, with Clarke slopes
 * c_gi; a side with c_gi outside flips, and the program is solved again. Sides become constraints when they
 * are violated.
 *
 * Both layers trained: minimise sum_g |u_g| over the same constraints on u_g = f_g w_g. For fixed f the
 * minimum of sum_g |u_g|^2 / f_g^2
 * is the program above, and f_g <- sqrt(|u_g|) makes sum_g (|u_g|^2 / f_g^2 + f_g^2), an upper bound of 2
 * sum_g |u_g|, fall: the
 * dual l / max_g |w_g| / f_g bounds the minimum from below.
 *
 * Least-norm problems with certificates, nonnegative.c. Cost of one: (n + k) G d times its steps, k sides
 * that are constraints.
 */
#include "kkt.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"

enum { FLIPS = 50, BALANCES = 400 };
static const double largest = 4e7;    /* entries of the matrix of one program beyond which it is not tried */
static const double rounding = 1e-10; /* of a side, relative to |w_g| |x_i| */

fathom_status fathom_kkt_program_create(kkt_program *p, const dynamics_problem *problem, int64_t groups)
{
    const int64_t n = problem->n, d = problem->d;
    fathom_context *context = problem->context;
    *p = (kkt_program){.problem = problem, .groups = groups, .kinks = -1};
    p->alpha = problem->plan.kind == FATHOM_NET_LEAKY ? problem->plan.parameter : 0;
    p->sign = fathom_memory_zero(context, 2 * groups + groups * d + n + groups * n, sizeof(double));
    p->side = fathom_memory_zero(context, 2 * groups * n, 1);
    p->pair = fathom_memory_zero(context, groups * n, sizeof *p->pair);
    if (!p->sign || !p->side || !p->pair)
        return FATHOM_ERROR_MEMORY;
    p->factor = p->sign + groups, p->w = p->factor + groups, p->dual = p->w + groups * d;
    p->hold = p->dual + n;
    p->listed = (uint8_t *)p->side + groups * n;
    return FATHOM_OK;
}

void fathom_kkt_program_free(kkt_program *p)
{
    if (!p->problem)
        return;
    FATHOM_FREE(p->problem->context, p->sign, p->side, p->pair);
    *p = (kkt_program){0};
}

static double slope_of(const kkt_program *p, int64_t g, int64_t i)
{
    return p->side[g * p->problem->n + i] > 0 ? 1 : p->alpha;
}

/* Rows of the margins, then of the sides that are constraints. */
static void fill(double *z, double *c, const kkt_program *p)
{
    const int64_t n = p->problem->n, d = p->problem->d, columns = p->groups * d;
    for (int64_t i = 0; i < n; i++) {
        c[i] = 1;
        for (int64_t g = 0; g < p->groups; g++)
            fathom_blas_axpy(z + i * columns + g * d,
                             p->sign[g] * p->problem->y[i] * slope_of(p, g, i) * p->factor[g],
                             p->problem->x + i * d, d);
    }
    for (int64_t k = 0; k < p->pairs; k++) {
        const int64_t g = p->pair[k] / n, i = p->pair[k] % n;
        fathom_blas_axpy(z + (n + k) * columns + g * d, p->side[p->pair[k]], p->problem->x + i * d, d);
    }
}

/* The program with the sides that are listed. */
static fathom_status solve_listed(kkt_program *p)
{
    const int64_t n = p->problem->n, columns = p->groups * p->problem->d, rows = n + p->pairs;
    fathom_context *context = p->problem->context;
    p->result = (fathom_least_norm){false, 0, INFINITY, 0};
    if ((double)rows * (double)columns > largest)
        return FATHOM_OK;
    double *z = fathom_memory_zero(context, rows * columns, sizeof *z);
    double *c = fathom_memory_zero(context, 2 * rows, sizeof *c), *multiplier = c ? c + rows : NULL;
    fathom_status status = z && c ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        fill(z, c, p);
        memcpy(multiplier, p->dual, (size_t)n * sizeof *c);
        for (int64_t k = 0; k < p->pairs; k++)
            multiplier[n + k] = p->hold[p->pair[k]];
        status = fathom_least_norm_continue(&p->result, p->w, multiplier, z, rows, columns, c, context);
    }
    if (status == FATHOM_OK) {
        memcpy(p->dual, multiplier, (size_t)n * sizeof *c);
        memset(p->hold, 0, (size_t)(p->groups * n) * sizeof *p->hold);
        for (int64_t k = 0; k < p->pairs; k++)
            p->hold[p->pair[k]] = multiplier[n + k];
    }
    FATHOM_FREE(context, z, c);
    return status;
}

/* Lists the sides that w violates; false where there are none. */
static bool list_violated(kkt_program *p)
{
    const int64_t n = p->problem->n, d = p->problem->d, before = p->pairs;
    for (int64_t g = 0; g < p->groups; g++) {
        const double tolerance = rounding * fathom_blas_norm(p->w + g * d, d) * p->problem->reach;
        for (int64_t i = 0; i < n; i++) {
            const int64_t k = g * n + i;
            if (p->listed[k] ||
                !(p->side[k] * fathom_blas_dot(p->w + g * d, p->problem->x + i * d, d) < -tolerance))
                continue;
            p->listed[k] = 1;
            p->pair[p->pairs++] = k;
        }
    }
    return p->pairs > before;
}

static void forget_sides(kkt_program *p)
{
    const int64_t n = p->problem->n;
    p->pairs = 0;
    memset(p->listed, 0, (size_t)(p->groups * n));
    memset(p->dual, 0, (size_t)n * sizeof *p->dual);
    memset(p->hold, 0, (size_t)(p->groups * n) * sizeof *p->hold);
}

/* All sides as constraints, listed as they are violated. */
static fathom_status solve_sides(kkt_program *p)
{
    fathom_status status;
    do
        status = solve_listed(p);
    while (status == FATHOM_OK && p->result.settled && list_violated(p) &&
           fathom_context_stop_reason(p->problem->context) == FATHOM_STOP_NONE);
    return status;
}

/* sum_g f_g |w_g| against its lower bound from the dual: the relative gap. */
static double balance_gap(const kkt_program *p)
{
    double primal = 0, price = 0, mass = 0;
    for (int64_t g = 0; g < p->groups; g++) {
        const double norm = fathom_blas_norm(p->w + g * p->problem->d, p->problem->d);
        primal += p->factor[g] * norm;
        if (p->factor[g] > 0)
            price = fmax(price, norm / p->factor[g]);
    }
    for (int64_t i = 0; i < p->problem->n; i++)
        mass += p->dual[i];
    return primal * price / mass - 1;
}

/* f_g <- sqrt(f_g |w_g|); groups that have died out stay at 0. */
static void balance_factors(kkt_program *p)
{
    double most = 0;
    for (int64_t g = 0; g < p->groups; g++) {
        p->factor[g] = sqrt(p->factor[g] * fathom_blas_norm(p->w + g * p->problem->d, p->problem->d));
        most = fmax(most, p->factor[g]);
    }
    for (int64_t g = 0; g < p->groups; g++)
        if (p->factor[g] < 1e-7 * most)
            p->factor[g] = 0;
}

/* All |w_g| / f_g are one number at the end, which the same u_g make 1. */
static void level_factors(kkt_program *p)
{
    const int64_t n = p->problem->n, d = p->problem->d;
    double price = 0;
    for (int64_t g = 0; g < p->groups; g++)
        if (p->factor[g] > 0)
            price = fmax(price, fathom_blas_norm(p->w + g * d, d) / p->factor[g]);
    if (!(price > 0))
        return;
    fathom_blas_scale(p->dual, 1 / price, n);
    fathom_blas_scale(p->hold, 1 / sqrt(price), p->groups * n);
    fathom_blas_scale(p->factor, sqrt(price), p->groups);
    fathom_blas_scale(p->w, 1 / sqrt(price), p->groups * d);
}

/* The balanced program on the sides at hand. */
static fathom_status solve_balanced(kkt_program *p)
{
    fathom_status status = solve_sides(p);
    for (int k = 0; k < BALANCES && status == FATHOM_OK && p->result.settled && balance_gap(p) > 1e-12 &&
                    fathom_context_stop_reason(p->problem->context) == FATHOM_STOP_NONE;
         k++) {
        balance_factors(p);
        status = solve_sides(p);
    }
    level_factors(p);
    return status;
}

/* Flips sides whose slope in force leaves [alpha, 1]; returns how many, and counts the others that hold a
 * neuron. */
static int64_t flip(kkt_program *p)
{
    const int64_t n = p->problem->n;
    int64_t flips = 0;
    p->kinks = 0;
    for (int64_t g = 0; g < p->groups; g++)
        for (int64_t i = 0; i < n; i++) {
            const double m = p->hold[g * n + i], force = p->dual[i] * p->factor[g];
            signed char *side = p->side + g * n + i;
            if (!(m > 0))
                continue;
            const double c = slope_of(p, g, i) * force + p->sign[g] * m * *side * p->problem->y[i];
            p->kinks++;
            if (c < (p->alpha - 1e-9) * force || c > (1 + 1e-9) * force) {
                *side = (signed char)-*side;
                flips++;
            }
        }
    return flips;
}

static fathom_status solve_flipping(kkt_program *p, fathom_status (*solve)(kkt_program *))
{
    int64_t flips = 1;
    fathom_status status = FATHOM_OK;
    p->found = false;
    for (p->rounds = 0; flips > 0 && p->rounds < FLIPS && status == FATHOM_OK; p->rounds++) {
        forget_sides(p);
        status = solve(p);
        if (status != FATHOM_OK || !p->result.settled ||
            fathom_context_stop_reason(p->problem->context) != FATHOM_STOP_NONE)
            return status;
        flips = flip(p);
    }
    p->found = status == FATHOM_OK && flips == 0;
    return status;
}

fathom_status fathom_kkt_program_margins(kkt_program *p)
{
    forget_sides(p);
    return solve_listed(p);
}

fathom_status fathom_kkt_program_solve(kkt_program *p) { return solve_flipping(p, solve_sides); }

fathom_status fathom_kkt_program_balance(kkt_program *p) { return solve_flipping(p, solve_balanced); }

fathom_status fathom_kkt_program_pattern(kkt_program *p)
{
    forget_sides(p);
    return p->problem->plan.output ? solve_balanced(p) : solve_sides(p);
}
