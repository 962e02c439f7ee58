/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the flow of two groups of neurons goes: directions of w (output weights +v) and u (-v), both fixed
 * [004, Thm 6.2].
 *
 *   PAR program   margins with slopes 1 of w and alpha of u where y_i > 0, and the other way round where y_i
 *     < 0 [004, eq. 7]. It is the
 *                 limit of the flow only where it is consistent: y_i <w, x_i> > 0 and -y_i <u, x_i> > 0 for
 *                   all i.
 *   pattern       for any data: slopes by the sides on which w and u see x_i, kkt_program.c.
 *
 * Output weights a_j: the flow makes w_j = a_j w, so that a group acts as A sigma(<w, x>) with norm^2 A
 * |w|^2, A the sum of its a_j^2: the
 * factors of the program are sqrt(A), relative to that of w (equal weights v on k neurons: A = k v^2).
 */
#include <math.h>

#include "blas.h"
#include "kkt.h"

static const double largest = 1e7; /* n d beyond which it is not tried */
static const double pi = 3.14159265358979323846;

/* The PAR program: margins alone. */
static fathom_status solve_par(fathom_flow_limit *limit, kkt_program *p)
{
    const int64_t n = p->problem->n, d = p->problem->d;
    for (int64_t i = 0; i < n; i++) {
        p->side[i] = p->problem->y[i] > 0 ? 1 : -1;
        p->side[n + i] = p->problem->y[i] > 0 ? -1 : 1;
    }
    FATHOM_TRY(fathom_kkt_program_margins(p));
    limit->par_lower = 1 / p->result.upper;
    limit->par_upper = p->result.lower > 0 ? 1 / p->result.lower : INFINITY;
    limit->par_beta = INFINITY;
    for (int group = 0; group < 2; group++)
        for (int64_t i = 0; i < n; i++)
            limit->par_beta =
                fmin(limit->par_beta, p->side[group * n + i] *
                                          fathom_blas_dot(p->w + group * d, p->problem->x + i * d, d) /
                                          fathom_blas_norm(p->w + group * d, d));
    limit->par_consistent = p->result.settled ? limit->par_beta > 1e-9 * p->problem->reach : -1;
    return FATHOM_OK;
}

/* The pattern program from the sides of two mean neurons. */
static fathom_status solve_pattern(fathom_flow_limit *limit, kkt_program *p, const double *const mean[2])
{
    const int64_t n = p->problem->n, d = p->problem->d;
    for (int group = 0; group < 2; group++)
        for (int64_t i = 0; i < n; i++)
            p->side[group * n + i] = fathom_blas_dot(mean[group], p->problem->x + i * d, d) > 0 ? 1 : -1;
    const fathom_status status = fathom_kkt_program_solve(p);
    limit->rounds = p->rounds;
    if (status != FATHOM_OK || !p->found)
        return status;
    limit->lower = 1 / p->result.upper;
    limit->upper = 1 / p->result.lower;
    limit->kinks = p->kinks;
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
    kkt_program p;
    const double *const mean[2] = {w, u};
    *limit = (fathom_flow_limit){NAN, NAN, NAN, -1, NAN, NAN, -1, 0, {NAN, NAN}, -1};
    if ((double)problem->n * (double)problem->d > largest)
        return FATHOM_OK;
    fathom_status status = fathom_kkt_program_create(&p, problem, 2);
    if (status == FATHOM_OK) {
        p.sign[0] = p.factor[0] = 1;
        p.sign[1] = -1, p.factor[1] = sqrt(u_squares / w_squares);
        status = solve_par(limit, &p);
    }
    if (status == FATHOM_OK && limit->par_upper < INFINITY)
        status = solve_pattern(limit, &p, mean);
    if (status == FATHOM_OK && !isnan(limit->lower))
        for (int group = 0; group < 2; group++)
            limit->angle[group] = angle(mean[group], p.w + group * problem->d, problem->d);
    fathom_kkt_program_free(&p);
    return status;
}
