/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An interval for gamma_V that survives rounding.
 *
 * For W in the unit balls and q in the simplex, min_i margin_i(W) <= gamma_V <= G(q) exactly. With unit
 * roundoff u and g_k = k u / (1 - k u), a sum of products of depth k, in whatever order and with or without
 * fused operations, is off by at most g_k times the sum of the absolute values [Higham, Accuracy and
 * Stability of Numerical Algorithms, Sec. 3.1]. Let R = max |z_i|, Q = sum q_i, |l_j| <= L_j (1 without lift,
 * else sqrt(a_j^2 + |v_j|^2)), P = sum_j rho_j L_j. Then
 *
 *     |fl(l_j(s_j)) - l_j(s_j)| <= g_{n+d+4} L_j R Q        so  G(q) <= fl(G) (1 + g) + g_{n+d+4} R P Q
 *     |fl(margin_i) - margin_i| <= g_{depth+2d+6} |z_i| P   for |w_j| <= 1
 *
 * and errors of the rho_j themselves that add up to `doubt` move G(q) by at most max_j |l_j(s_j)| doubt and
 * margin_i by at most |z_i| max_j L_j doubt.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "margin_internal.h"

static const double UNIT = DBL_EPSILON / 2;

/* g_k, rounded up. */
static double rounding(int64_t k)
{
    const double ku = (double)k * UNIT;
    return ku / (1 - ku) * (1 + 4 * UNIT);
}

/* max |z_i|, rounded up. */
static double radius(const fathom_margin_problem *p)
{
    double r = 0;
    for (int64_t i = 0; i < p->n; i++)
        r = fmax(r, fathom_blas_norm(p->z + i * p->d, p->d));
    return r * (1 + rounding(p->d + 4));
}

/* L_j. */
static double lift(const fathom_margin_problem *p, int64_t j)
{
    return p->aim ? hypot(p->gain[j], fathom_blas_norm(p->aim + j * p->d, p->d)) : 1;
}

/* sum_j rho_j L_j, rounded up. */
static double lifted_mass(const fathom_margin_problem *p)
{
    double total = 0;
    for (int64_t j = 0; j < p->m; j++)
        total += p->rho[j] * lift(p, j);
    return total * (1 + rounding(p->m + p->d + 8));
}

/* max_j L_j, rounded up. */
static double longest_lift(const fathom_margin_problem *p)
{
    double most = 0;
    for (int64_t j = 0; j < p->m; j++)
        most = fmax(most, lift(p, j));
    return most * (1 + rounding(p->d + 8));
}

/* Cuts q to q >= 0 and gives its sum. */
static double simplex_sum(double *q, int64_t n)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++) {
        q[i] = q[i] > 0 && isfinite(q[i]) ? q[i] : 0;
        total += q[i];
    }
    return total;
}

/* Makes |w_j| <= 1 in exact arithmetic. */
static void into_ball(double *w, int64_t dimension)
{
    const double norm = fathom_blas_norm(w, dimension);
    const double scale = (1 - (double)(dimension + 8) * UNIT) / fmax(1, norm);
    for (int64_t k = 0; k < dimension; k++)
        w[k] = isfinite(norm) ? w[k] * scale : 0;
}

/* max_j |s_j|, rounded up. */
static double longest(const fathom_margin_problem *p, const double *s)
{
    const int64_t dimension = fathom_margin_dimension(p);
    double most = 0;
    for (int64_t j = 0; j < p->m; j++)
        most = fmax(most, fathom_blas_norm(s + j * dimension, dimension));
    return most * (1 + rounding(dimension + 4));
}

/* sum_j rho_j |s_j| in blocks, so that its depth is small; rounded up. */
static double weighted_norms(const fathom_margin_problem *p, const double *s)
{
    enum { BLOCK = 256 };
    const int64_t dimension = fathom_margin_dimension(p);
    double total = 0;
    for (int64_t first = 0; first < p->m; first += BLOCK) {
        double block = 0;
        for (int64_t j = first; j < p->m && j < first + BLOCK; j++)
            block += p->rho[j] * fathom_blas_norm(s + j * dimension, dimension);
        total += block;
    }
    return total * (1 + rounding(BLOCK + p->m / BLOCK + dimension + 8));
}

void fathom_margin_certify(double *lower, double *upper, double *s, double *margin,
                           const fathom_margin_problem *p, double *q, double *w, double doubt,
                           fathom_margin_work *work)
{
    const int64_t n = p->n, dimension = fathom_margin_dimension(p);
    const double r = radius(p), mass = lifted_mass(p);
    double sum = simplex_sum(q, n);
    if (!(sum > 0))
        for (int64_t i = 0; i < n; i++)
            q[i] = 1;
    sum = simplex_sum(q, n);
    for (int64_t i = 0; i < n; i++)
        q[i] /= sum;
    const double total = simplex_sum(q, n);
    fathom_margin_sums(s, p, q, work);
    const double error =
        rounding(n + p->d + 4) * r * total; /* of one sum; gates that are all shut have none */
    *upper = (weighted_norms(p, s) + error * mass) / (total * (1 - rounding(n))) * (1 + 8 * UNIT) +
             (longest(p, s) + error) * doubt;

    for (int64_t j = 0; j < p->m; j++)
        into_ball(w + j * dimension, dimension);
    fathom_margin_scores(margin, p, p->rho, w, work);
    const double share =
        (rounding(fathom_margin_depth(p, work) + 2 * p->d + 6) * mass + longest_lift(p) * doubt) *
        (1 + rounding(p->d + 8));
    double least = INFINITY;
    for (int64_t i = 0; i < n; i++)
        least = fmin(least, margin[i] - share * fathom_blas_norm(p->z + i * p->d, p->d));
    *lower = fmax(0, least - 4 * UNIT * fabs(least));
}

double fathom_margin_slack(const fathom_margin_problem *p, const fathom_margin_target *target,
                           const fathom_margin_work *work)
{
    const int64_t depth = fathom_margin_depth(p, work) + p->n + 3 * p->d + 10;
    return radius(p) * (rounding(depth) * lifted_mass(p) + 2 * longest_lift(p) * target->doubt);
}

bool fathom_margin_is_reached(double lower, double upper, double slack, const fathom_margin_target *target)
{
    return upper - lower <= fmax(0.9 * target->gap * upper - slack, 0.1 * target->gap * upper);
}

void fathom_margin_finish(fathom_margin_pair *pair, double *s, double *margin, const fathom_margin_problem *p,
                          const fathom_margin_target *target, fathom_margin_work *work)
{
    fathom_margin_certify(&pair->lower, &pair->upper, s, margin, p, pair->q, pair->w, target->doubt, work);
    if (pair->margin)
        memcpy(pair->margin, margin, (size_t)p->n * sizeof *margin);
    if (pair->outcome == FATHOM_MARGIN_REACHED && pair->upper - pair->lower > target->gap * pair->upper)
        pair->outcome = FATHOM_MARGIN_STALLED;
}
