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
#include <math.h>

#include "objective.h"

/* What the bound is made of. */
typedef struct dual_sums {
    double q;       /* relative rounding of every sum below */
    double reach;   /* sum_i |g_i| |x_i| */
    double shift;   /* distance to the nearby real point, per unit of sample weight */
    double shifted; /* sum_i c_i |x_i|: what a shift costs in |F*(g)_j| */
    double mass;    /* sum_i c_i */
    double largest; /* max_i a_i (logistic, hinge) */
} dual_sums;

static double chain(const fathom_gated_problem *problem)
{
    const double u = DBL_EPSILON / 2;
    const double length = 2 * (double)problem->n + (double)(problem->d + problem->outputs) + 32;
    return length * u / (1 - length * u);
}

/* The largest |sum_i g_ki| over outputs, rounding included. */
static double imbalance(const fathom_gated_problem *problem, const double *g, double q)
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
static double smallest_class(const fathom_gated_problem *problem)
{
    const int64_t n = problem->n;
    double smallest = INFINITY, mass = 0;
    for (int64_t i = 0; i < n; i++)
        mass += fathom_gated_weight(problem, i);
    if (!fathom_loss_row_of(problem->loss)->simplex)
        return mass;
    for (int64_t k = 0; k < problem->outputs; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += fathom_gated_weight(problem, i) * problem->y[k * n + i];
        if (sum > 0)
            smallest = fmin(smallest, sum);
    }
    return smallest;
}

static dual_sums collect(const fathom_gated_problem *problem, const double *g, bool balanced)
{
    dual_sums sums = {.q = chain(problem)};
    for (int64_t i = 0; i < problem->n; i++) {
        const double c = fathom_gated_weight(problem, i);
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
static double scale_limit(const fathom_gated_problem *problem, const dual_sums *sums, double norm)
{
    const double widened = norm * (1 + sums->q) + 2 * sums->q * sums->reach + sums->shift * sums->shifted;
    return widened > 0 ? problem->beta / widened * (1 - 4 * DBL_EPSILON) : INFINITY;
}

static double squared_bound(const fathom_gated_problem *problem, const double *g, const dual_sums *sums,
                            double limit)
{
    double product = 0, size = 0, square = 0, target = 0, length = 0;
    for (int64_t k = 0; k < problem->outputs; k++)
        for (int64_t i = 0; i < problem->n; i++) {
            const double c = fathom_gated_weight(problem, i), v = g[k * problem->n + i];
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
static double equality_bound(const fathom_gated_problem *problem, const double *g, const dual_sums *sums,
                             double limit)
{
    double product = 0, size = 0, target = 0;
    for (int64_t k = 0; k < problem->outputs; k++)
        for (int64_t i = 0; i < problem->n; i++) {
            const double y = problem->y[k * problem->n + i], v = g[k * problem->n + i];
            product += y * v;
            size += fabs(y * v);
            target += fathom_gated_weight(problem, i) * fabs(y);
        }
    const double sure = product - sums->q * size - sums->shift * target;
    return sure > 0 ? limit * sure : 0;
}

static double hinge_bound(const fathom_gated_problem *problem, const double *g, const dual_sums *sums,
                          double limit)
{
    double total = 0;
    for (int64_t i = 0; i < problem->n; i++)
        total += problem->y[i] * g[i];
    if (!(sums->largest > 0))
        return 0;
    const double s = fmin(limit, (1 - 4 * sums->q) / sums->largest);
    return s * total * (1 - 2 * sums->q) - s * sums->shift * sums->mass;
}

double fathom_gated_box_limit(const fathom_gated_problem *problem, const double *g, double shift)
{
    const fathom_loss_box *box = &problem->box;
    double limit = INFINITY;
    for (int64_t i = 0; fathom_loss_row_of(problem->loss)->boxed && i < problem->n; i++) {
        const double size = fabs(g[i]) / fathom_gated_weight(problem, i) + shift;
        const double end = g[i] > 0 ? box->above : g[i] < 0 ? box->below : fmin(box->below, box->above);
        if (size > 0)
            limit = fmin(limit, end / size);
    }
    return limit;
}

/* Boxed losses: that of the squared loss or of equality, with s g in the box. */
static double box_bound(const fathom_gated_problem *problem, const double *g, const dual_sums *sums,
                        double limit)
{
    const double end = fmin(limit, fathom_gated_box_limit(problem, g, sums->shift) * (1 - 16 * DBL_EPSILON));
    if (!isfinite(end)) /* g = 0 */
        return 0;
    return fathom_loss_row_of(problem->loss)->dual == FATHOM_DUAL_LINEAR
               ? equality_bound(problem, g, sums, end)
               : squared_bound(problem, g, sums, end);
}

/* -t ln t, 0 at 0. */
static double plogp(double t) { return t > 0 ? -t * log(t) : 0; }

/* Entropy of point i at s g, and its derivative in s. */
static double entropy(double *slope, const fathom_gated_problem *problem, const double *g, int64_t i,
                      double s)
{
    const double c = fathom_gated_weight(problem, i);
    const int64_t n = problem->n;
    double sum = 0;
    *slope = 0;
    if (fathom_loss_row_of(problem->loss)->signs) {
        const double a = problem->y[i] * g[i] / c, t = fmin(s * a, 1);
        if (t > 0)
            *slope = a * (log1p(-t) - log(t));
        return plogp(t) + (t < 1 ? -(1 - t) * log1p(-t) : 0);
    }
    for (int64_t k = 0; k < problem->outputs; k++) {
        const double a = g[k * n + i] / c, t = fmin(fmax(problem->y[k * n + i] - s * a, 0), 1);
        if (t > 0)
            *slope += a * (1 + log(t));
        sum += plogp(t);
    }
    return sum;
}

/* sum_i c_i H and its derivative in s. */
static double entropies(double *slope, const fathom_gated_problem *problem, const double *g, double s)
{
    double sum = 0, derivative = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        double one;
        sum += fathom_gated_weight(problem, i) * entropy(&one, problem, g, i, s);
        derivative += fathom_gated_weight(problem, i) * one;
    }
    *slope = derivative;
    return sum;
}

/* The concave 1-D problem in s by bisection on its slope; any s in [0, end] is valid. An entropy's argument is off by
 * at most a few u, its value by 64 u; a shift of a probability by t costs at most 64 t while t > 1e-27. */
static double entropy_bound(const fathom_gated_problem *problem, const double *g, const dual_sums *sums,
                            double limit)
{
    const bool logistic = fathom_loss_row_of(problem->loss)->signs;
    if (!(sums->largest > 0) &&
        logistic) /* targets of softmax may be distributions with an entropy of their own */
        return 0;
    const double end = fmin(limit, logistic ? (1 - 4 * sums->q) / sums->largest : 1);
    double slope, low = 0, high = end, best = entropies(&slope, problem, g, end);
    for (int step = 0; step < 30 && slope < 0 && low < high; step++) {
        const double s = (low + high) / 2;
        double at;
        const double value = entropies(&at, problem, g, s);
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
static double dual_value(const fathom_gated_problem *problem, const double *g, const dual_sums *sums,
                         double limit)
{
    double bound;
    if (problem->equality)
        return equality_bound(problem, g, sums, limit);
    if (fathom_loss_row_of(problem->loss)->boxed) {
        bound = box_bound(problem, g, sums, limit);
        return bound == bound ? bound : -INFINITY;
    }
    switch (fathom_loss_row_of(problem->loss)->dual) {
    case FATHOM_DUAL_ENTROPY:
        bound = entropy_bound(problem, g, sums, limit);
        break;
    case FATHOM_DUAL_LINEAR:
        bound = hinge_bound(problem, g, sums, limit);
        break;
    default:
        bound = squared_bound(problem, g, sums, limit);
    }
    return bound == bound ? bound : -INFINITY;
}

double fathom_gated_bound(const fathom_gated_problem *problem, const double *g, double norm)
{
    const dual_sums sums = collect(problem, g, false);
    return dual_value(problem, g, &sums, scale_limit(problem, &sums, norm));
}

double fathom_gated_bound_priced(const fathom_gated_problem *problem, const double *g, double price)
{
    const dual_sums sums = collect(problem, g, true);
    return dual_value(problem, g, &sums,
                      price > 0 ? problem->beta / price * (1 - 4 * DBL_EPSILON) : INFINITY);
}

/* Scales down the class of larger mass: signs and [0, 1] survive. */
static void balance_classes(double *g, const fathom_gated_problem *problem)
{
    double positive = 0, negative = 0;
    for (int64_t i = 0; i < problem->n; i++)
        *(g[i] > 0 ? &positive : &negative) += fabs(g[i]);
    if (positive == 0 && negative == 0)
        return;
    const double up = fmin(1, negative / positive), down = fmin(1, positive / negative);
    for (int64_t i = 0; i < problem->n; i++)
        g[i] *= g[i] > 0 ? up : down;
}

/* Subtracts the weighted mean of every output; a second pass removes what the first one rounded. */
static void balance_means(double *g, const fathom_gated_problem *problem)
{
    double mass = 0;
    for (int64_t i = 0; i < problem->n; i++)
        mass += fathom_gated_weight(problem, i);
    for (int64_t k = 0; k < 2 * problem->outputs; k++) {
        double *line = g + k / 2 * problem->n, sum = 0;
        for (int64_t i = 0; i < problem->n; i++)
            sum += line[i];
        for (int64_t i = 0; i < problem->n; i++)
            line[i] -= fathom_gated_weight(problem, i) * (sum / mass);
    }
}

/* P' = (1 - e) P + e Q with one distribution Q for all points, chosen so that the column sums become those of Y:
 * Q_k = (N_k - (1 - e) S_k) / (e mass), S = column sums of c P, N those of c Y, and e the least that keeps Q >= 0.
 * In g = c (Y - P): g' = (1 - e) g + e c (Y - Q), and e mass Q_k = G_k + e S_k where G = N - S is the imbalance. */
static void balance_distributions(double *g, const fathom_gated_problem *problem)
{
    const int64_t n = problem->n;
    double mass = 0, e = 0;
    for (int64_t i = 0; i < n; i++)
        mass += fathom_gated_weight(problem, i);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < problem->outputs; k++) {
            double gap = 0, target = 0;
            for (int64_t i = 0; i < n; i++) {
                gap += g[k * n + i];
                target += fathom_gated_weight(problem, i) * problem->y[k * n + i];
            }
            const double sum = target - gap;
            if (pass == 0 && sum > 0)
                e = fmax(e, -gap / sum);
            for (int64_t i = 0; pass == 1 && i < n; i++) {
                const double c = fathom_gated_weight(problem, i);
                g[k * n + i] =
                    (1 - e) * g[k * n + i] + c * (e * problem->y[k * n + i] - (gap + e * sum) / mass);
            }
        }
}

void fathom_gated_balance(double *g, const fathom_gated_problem *problem)
{
    if (!problem->constant)
        return;
    if (fathom_loss_row_of(problem->loss)->quadratic || problem->equality)
        balance_means(g, problem);
    else if (fathom_loss_row_of(problem->loss)->simplex)
        balance_distributions(g, problem);
    else
        balance_classes(g, problem);
}

void fathom_gated_enter_box(double *g, const fathom_gated_problem *problem)
{
    for (int64_t i = 0; fathom_loss_row_of(problem->loss)->boxed && i < problem->n; i++) {
        const double c = fathom_gated_weight(problem, i);
        g[i] = fmin(fmax(g[i], -c * problem->box.below), c * problem->box.above);
    }
}

/* Points on the kink share what the others leave of the balance, each as much of its box as the others. */
static void balance_kinks(double *g, const fathom_gated_problem *problem, double f)
{
    double rest = 0, room = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const bool kink = fabs(problem->y[i] - f) <= 0x1p-40 * fabs(f);
        rest -= kink ? 0 : g[i];
        room += kink ? fathom_gated_weight(problem, i) : 0;
    }
    for (int64_t i = 0; i < problem->n && room > 0; i++)
        if (fabs(problem->y[i] - f) <= 0x1p-40 * fabs(f))
            g[i] = fathom_gated_weight(problem, i) * (rest / room);
    fathom_gated_enter_box(g, problem);
}

/* Slopes of uncurved losses are at the ends of the box but for points on kinks: where all are below this share of an
 * end, what is left is rounding. */
static const double LEAST_SLOPE = 0x1p-20;

void fathom_gated_wake_dual(double *g, const fathom_gated_problem *problem)
{
    const fathom_loss_row *row = fathom_loss_row_of(problem->loss);
    const double constant = row->boxed && problem->constant ? fathom_gated_constant(problem, 0) : 0;
    const double least = row->boxed && row->dual == FATHOM_DUAL_LINEAR ? LEAST_SLOPE : 0;
    const double end = fmin(problem->box.below, problem->box.above);
    for (int64_t i = 0; (row->signs || row->boxed) && i < problem->n; i++)
        if (!(fabs(g[i]) <= least * end * fathom_gated_weight(problem, i)))
            return;
    for (int64_t i = 0; (row->signs || row->boxed) && i < problem->n; i++) {
        const double c = fathom_gated_weight(problem, i), y = problem->y[i];
        g[i] = row->signs ? c * y : c * (y > constant ? problem->box.above : -problem->box.below);
    }
    if (row->boxed && problem->constant)
        balance_kinks(g, problem, constant);
    fathom_gated_balance(g, problem);
}

void fathom_gated_first_dual(double *g, const fathom_gated_problem *problem, const double *f)
{
    const fathom_loss_row *row = fathom_loss_row_of(problem->loss);
    fathom_gated_residual(g, problem, f, 0);
    /* at its kink any slope of the hinge serves: all of one class and as much of the other */
    for (int64_t i = 0; row->kinked && row->signs && i < problem->n; i++)
        g[i] = fathom_gated_weight(problem, i) * problem->y[i];
    if (row->boxed && row->dual == FATHOM_DUAL_LINEAR && problem->constant)
        balance_kinks(g, problem, *f);
    fathom_gated_balance(g, problem);
}

/* Boxed losses: where the slope of sum_i c_i l(y_i - t), which falls with t, changes its sign. */
static double balanced_constant(const fathom_gated_problem *problem)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < problem->n; i++) {
        low = fmin(low, problem->y[i]);
        high = fmax(high, problem->y[i]);
    }
    while (low < high) {
        const double t = low / 2 + high / 2;
        double slope = 0;
        if (!(t > low && t < high))
            break;
        for (int64_t i = 0; i < problem->n; i++) {
            const double r = problem->y[i] - t, c = fathom_gated_weight(problem, i);
            slope += fathom_loss_row_of(problem->loss)->dual == FATHOM_DUAL_QUADRATIC
                         ? c * fmin(fmax(r, -problem->box.below), problem->box.above)
                         : c * (r > 0 ? problem->box.above : -problem->box.below);
        }
        *(slope > 0 ? &low : &high) = t;
    }
    return high;
}

/* Output k of the best constant: weighted mean, log odds, or log frequency; hinge: the larger class. */
double fathom_gated_constant(const fathom_gated_problem *problem, int64_t k)
{
    double sum = 0, positive = 0, mass = 0;
    if (fathom_loss_row_of(problem->loss)->boxed)
        return balanced_constant(problem);
    for (int64_t i = 0; i < problem->n; i++) {
        const double c = fathom_gated_weight(problem, i), y = problem->y[k * problem->n + i];
        sum += c * y;
        positive += y > 0 ? c : 0;
        mass += c;
    }
    if (problem->loss == FATHOM_LOSS_SQUARED)
        return sum / mass;
    if (problem->loss == FATHOM_LOSS_HINGE)
        return sum >= 0 ? 1 : -1;
    /* One class only: the logistic loss has its infimum 0 at infinity; these constants reach it to rounding. */
    if (problem->loss == FATHOM_LOSS_LOGISTIC && (positive == 0 || positive == mass))
        return positive > 0 ? 800 : -800;
    const double share = fmin(fmax(positive / mass, 1e-12), 1 - 1e-12);
    return problem->loss == FATHOM_LOSS_LOGISTIC ? log(share / (1 - share)) : log(share);
}

void fathom_gated_start(double *f, double *c, const fathom_gated_problem *problem)
{
    for (int64_t k = 0; k < problem->outputs; k++) {
        c[k] = problem->constant ? fathom_gated_constant(problem, k) : 0;
        for (int64_t i = 0; i < problem->n; i++)
            f[k * problem->n + i] = c[k];
    }
}
