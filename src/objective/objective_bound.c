/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lower bounds from dual points, rounding included.
 *
 * Weak duality: for every g with |F*(g)_j| <= beta for all gates (and sum_i g_ki = 0 where the constant is free),
 *
 *     P(W, c) >= D(g) = - sum_i l_i*(-g_i)      for all W, c
 *
 *     squared    <y, g> - sum g^2 / (2 c)
 *     logistic   sum_i c_i H(a_i), a = y g / c in [0, 1], H(a) = -a ln a - (1-a) ln(1-a)
 *     hinge      sum_i c_i a_i,    a = y g / c in [0, 1]
 *     softmax    sum_i c_i H(p_i), p = y - g / c a distribution, H its entropy
 *     huber      as squared, |g| <= c delta
 *     absolute   <y, g>, |g| <= c;      quantile   <y, g>, tau - 1 <= g / c <= tau
 *
 * Any g of the domain is scaled by s <= beta / max_j |F*(g)_j| and s is chosen best. [convex duality; 000, Sec. 6]
 *
 * Rounding. With u = 2^-53 and q = N u / (1 - N u), N = 2 n + d + o + 32 (an upper bound on the length of every chain
 * of roundings), a computed |F*(g)_j| is off by at most q sum_i |g_i| |x_i|, sums by q times the sum of absolute
 * terms. Where the real g should satisfy an equality that the stored one meets only to rounding (column sums, row
 * sums of distributions), the bound is that of the nearby real point: its distance, measured here, enters through
 * the same two sums. The result holds in real arithmetic for the numbers stored in memory.
 */
#include <float.h>

#include "loss_internal.h"

static double chain_error(const fathom_objective *problem)
{
    const double u = DBL_EPSILON / 2;
    const double length = 2 * (double)problem->n + (double)(problem->d + problem->outputs) + 32;
    return length * u / (1 - length * u);
}

/* The largest |sum_i g_ki| over outputs, rounding included. */
static double imbalance(const fathom_objective *problem, const double *g, double q)
{
    double largest = 0;
    for (int64_t k = 0; k < problem->outputs; k++) {
        double sum = 0, size = 0;
        for (int64_t i = 0; i < problem->n; i++) {
            sum += g[k * problem->n + i];
            size += fabs(g[k * problem->n + i]);
        }
        largest = fmax(largest, fabs(sum) + q * size);
    }
    return largest;
}

/* The weight over which an imbalance can be spread: the rarest class of softmax, else all points. */
static double smallest_class(const fathom_objective *problem)
{
    const int64_t n = problem->n;
    double smallest = INFINITY;
    if (!fathom_loss_row_of(problem->loss)->simplex)
        return fathom_objective_mass(problem);
    for (int64_t k = 0; k < problem->outputs; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += fathom_objective_weight(problem, i) * problem->y[k * n + i];
        if (sum > 0)
            smallest = fmin(smallest, sum);
    }
    return smallest;
}

static fathom_dual_sums collect_sums(const fathom_objective *problem, const double *g, bool balanced)
{
    fathom_dual_sums sums = {.q = chain_error(problem)};
    for (int64_t i = 0; i < problem->n; i++) {
        const double c = fathom_objective_weight(problem, i);
        double square = 0;
        for (int64_t k = 0; k < problem->outputs; k++)
            square += g[k * problem->n + i] * g[k * problem->n + i];
        if (problem->reach) {
            sums.reach += sqrt(square) * problem->reach[i];
            sums.shifted += c * problem->reach[i];
        }
        sums.mass += c;
        sums.largest = fmax(sums.largest, sqrt(square) / c);
    }
    if (problem->constant && !balanced)
        sums.shift = sqrt((double)problem->outputs) * imbalance(problem, g, sums.q) / smallest_class(problem);
    if (fathom_loss_row_of(problem->loss)->simplex)
        sums.shift += (double)(problem->outputs + 2) * DBL_EPSILON;
    return sums;
}

/* Largest s that keeps s g feasible for the gates. */
static double scale_limit(const fathom_objective *problem, const fathom_dual_sums *sums, double norm)
{
    const double widened = norm * (1 + sums->q) + 2 * sums->q * sums->reach + sums->shift * sums->shifted;
    return widened > 0 ? problem->beta / widened * (1 - 4 * DBL_EPSILON) : INFINITY;
}

double fathom_bound_quadratic(const fathom_objective *problem, const double *g, const fathom_dual_sums *sums,
                              double limit)
{
    double product = 0, size = 0, square = 0, target = 0, length = 0;
    for (int64_t k = 0; k < problem->outputs; k++)
        for (int64_t i = 0; i < problem->n; i++) {
            const double c = fathom_objective_weight(problem, i), v = g[k * problem->n + i];
            const double y = problem->y[k * problem->n + i];
            product += y * v;
            size += fabs(y * v);
            square += v * v / c;
            target += c * fabs(y);
            length += fabs(v);
        }
    if (!(square > 0) || !(product > 0))
        return 0;
    const double s = fmin(product / square, limit);
    const double slack = s * (sums->q * size + sums->shift * target) +
                         s * s *
                             (sums->q * square + sums->shift * length +
                              sums->shift * sums->shift * sums->mass * (double)problem->outputs);
    return s * product - s * s / 2 * square - slack;
}

/* f = y in place of a loss: D = <y, g>, and s is as large as the penalty allows. */
double fathom_bound_linear(const fathom_objective *problem, const double *g, const fathom_dual_sums *sums,
                           double limit)
{
    double product = 0, size = 0, target = 0;
    for (int64_t k = 0; k < problem->outputs; k++)
        for (int64_t i = 0; i < problem->n; i++) {
            const double y = problem->y[k * problem->n + i], v = g[k * problem->n + i];
            product += y * v;
            size += fabs(y * v);
            target += fathom_objective_weight(problem, i) * fabs(y);
        }
    const double sure = product - sums->q * size - sums->shift * target;
    return sure > 0 ? limit * sure : 0;
}

/* sum_i c_i H and its derivative in s. */
static double entropies(double *slope, const fathom_objective *problem, const double *g, double s,
                        fathom_entropy *entropy)
{
    double sum = 0, derivative = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        double one;
        sum += fathom_objective_weight(problem, i) * entropy(&one, problem, g, i, s);
        derivative += fathom_objective_weight(problem, i) * one;
    }
    *slope = derivative;
    return sum;
}

/* The concave 1-D problem in s by bisection on its slope; any s in [0, end] is valid. An entropy's argument is off by
 * at most a few u, its value by 64 u; a shift of a probability by t costs at most 64 t while t > 1e-27. */
double fathom_bound_entropy(const fathom_objective *problem, const double *g, const fathom_dual_sums *sums,
                            double end, fathom_entropy *entropy)
{
    double slope, low = 0, high = end, best = entropies(&slope, problem, g, end, entropy);
    for (int step = 0; step < 30 && slope < 0 && low < high; step++) {
        const double s = (low + high) / 2;
        double at;
        const double value = entropies(&at, problem, g, s, entropy);
        best = fmax(best, value);
        if (at > 0)
            low = s;
        else
            high = s;
    }
    return best * (1 - sums->q) -
           (64 * DBL_EPSILON * (double)problem->outputs + 64 * sums->shift) * sums->mass -
           (problem->constant ? 64 * sums->q * sums->mass : 0);
}

/* D(s g) for the best s <= limit, rounded down. */
static double dual_value(const fathom_objective *problem, const double *g, const fathom_dual_sums *sums,
                         double limit)
{
    if (problem->equality)
        return fathom_bound_linear(problem, g, sums, limit);
    const double bound = fathom_loss_row_of(problem->loss)->bound(problem, g, sums, limit);
    return bound == bound ? bound : -INFINITY;
}

double fathom_objective_bound(const fathom_objective *problem, const double *g, double norm)
{
    const fathom_dual_sums sums = collect_sums(problem, g, false);
    return dual_value(problem, g, &sums, scale_limit(problem, &sums, norm));
}

double fathom_objective_bound_priced(const fathom_objective *problem, const double *g, double price)
{
    const fathom_dual_sums sums = collect_sums(problem, g, true);
    return dual_value(problem, g, &sums,
                      price > 0 ? problem->beta / price * (1 - 4 * DBL_EPSILON) : INFINITY);
}
