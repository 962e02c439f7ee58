/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dual points as a certificate needs them: feasible exactly, not to rounding.
 *
 * Sums that must vanish are settled on a grid: entries become multiples of h = 2^(ceil(log2 sum |v|) - 52), whose sums are
 * exact doubles, and the few units that are missing go where there is room. A multiple s v is then feasible where
 * s price <= N beta and s a_i <= 1; s is rounded down by more than the rounding of these tests. None of this is trusted
 * by the checker: a mistake here can only make a certificate that is rejected.
 */
#include <float.h>
#include <math.h>

#include "certificate_internal.h"
#include "loss_row.h"

static double weight_of(const fathom_claim *c, int64_t i) { return c->weight ? c->weight[i] : 1; }

/* The grid on which sums of v are exact. */
static double grid_of(const fathom_claim *c)
{
    double total = 0;
    int e;
    for (int64_t k = 0; k < c->n * c->outputs; k++)
        total += fabs(c->v[k]);
    frexp(total, &e);
    return total > 0 ? ldexp(1, e - 51) : 1;
}

/* Output by output for one output or squared losses: rounded towards 0, then the sum is taken from the largest entries of
 * its sign, which are shortened: signs and upper ends survive. */
static void settle_column(double *v, int64_t n, double h)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        v[i] = trunc(v[i] / h) * h;
        sum += v[i];
    }
    while (sum != 0) {
        int64_t at = -1;
        for (int64_t i = 0; i < n; i++)
            if (v[i] * sum > 0 && (at < 0 || fabs(v[i]) > fabs(v[at])))
                at = i;
        if (at < 0) /* not numbers: there is nothing to settle */
            return;
        const double part = fabs(v[at]) < fabs(sum) ? v[at] : sum;
        v[at] -= part;
        sum -= part;
    }
}

/* Rows of V = c (Y - P): the entries beside the label, -c P <= 0, are rounded towards 0 and the label's is their sum. */
static void settle_rows(const fathom_claim *c, double h)
{
    for (int64_t i = 0; i < c->n; i++) {
        double sum = 0;
        int64_t label = 0;
        for (int64_t k = 0; k < c->outputs; k++) {
            if (c->y[i * c->outputs + k] == 1) {
                label = k;
                continue;
            }
            double *v = c->v + k * c->n + i;
            *v = fmin(trunc(*v / h) * h, 0);
            sum += *v;
        }
        c->v[label * c->n + i] = -sum;
    }
}

/* Columns, rows kept: units move from a column with a positive sum to one with a negative sum within rows that have room,
 * c P_k = -V_k (or c - V_k at the label) being what can be taken from P. */
static void settle_columns_of_rows(const fathom_claim *c, double h)
{
    for (int64_t pass = 0; pass < 2 * c->outputs; pass++) {
        int64_t high = 0, low = 0;
        double most = 0, least = 0;
        for (int64_t k = 0; k < c->outputs; k++) {
            double sum = 0;
            for (int64_t i = 0; i < c->n; i++)
                sum += c->v[k * c->n + i];
            if (sum > most)
                most = sum, high = k;
            if (sum < least)
                least = sum, low = k;
        }
        double part = fmin(most, -least); /* V_high -= part, V_low += part: P_low falls */
        for (int64_t i = 0; i < c->n && part > 0; i++) {
            double *from = c->v + high * c->n + i, *to = c->v + low * c->n + i;
            const double room = weight_of(c, i) * (c->y[i * c->outputs + low] == 1) - *to;
            const double move = fmin(part, floor(room * 0.5 / h) * h);
            if (move > 0) {
                *from -= move;
                *to += move;
                part -= move;
            }
        }
    }
}

void fathom_claim_settle(fathom_claim *claim)
{
    const double h = grid_of(claim);
    if (fathom_loss_row_of(claim->loss)->simplex) {
        settle_rows(claim, h);
        if (claim->constant)
            settle_columns_of_rows(claim, h);
        return;
    }
    for (int64_t k = 0; claim->constant && k < claim->outputs; k++)
        settle_column(claim->v + k * claim->n, claim->n, h);
}

/* c H at s for point i, or its derivative by s. */
static double entropy_slope(const fathom_claim *c, int64_t i, double s)
{
    double slope = 0;
    if (fathom_loss_row_of(c->loss)->signs) {
        const double v = c->y[i] * c->v[i], a = s * v / weight_of(c, i);
        return a > 0 ? v * (log1p(-fmin(a, 1)) - log(a)) : 0;
    }
    for (int64_t k = 0; k < c->outputs; k++) {
        const double v = c->v[k * c->n + i], p = c->y[i * c->outputs + k] - s * v / weight_of(c, i);
        slope += p > 0 ? v * (1 + log(p)) : 0;
    }
    return slope;
}

/* The largest s that keeps s v in the domain of the conjugates. */
static double domain_end(const fathom_claim *c)
{
    double end = INFINITY;
    if (fathom_loss_row_of(c->loss)->quadratic)
        return end;
    for (int64_t i = 0; fathom_loss_row_of(c->loss)->boxed && i < c->n; i++)
        if (c->v[i] != 0)
            end = fmin(end, weight_of(c, i) * (c->v[i] > 0 ? c->box.above : c->box.below) / fabs(c->v[i]) *
                                (1 - 8 * DBL_EPSILON));
    if (fathom_loss_row_of(c->loss)->boxed)
        return end;
    for (int64_t k = 0; k < c->outputs * c->n; k++) {
        const double v = fabs(c->v[k]), w = weight_of(c, k % c->n);
        if (v > 0 && (!fathom_loss_row_of(c->loss)->simplex || c->v[k] > 0))
            end = fmin(end, w / v * (1 - 4 * DBL_EPSILON));
    }
    return end;
}

double fathom_claim_scale(const fathom_claim *c, double price)
{
    double end = price > 0 ? c->beta * c->divisor / price * (1 - 8 * DBL_EPSILON) : DBL_MAX;
    end = fmin(end, domain_end(c));
    if (c->equality || fathom_loss_row_of(c->loss)->dual == FATHOM_DUAL_LINEAR)
        return end < DBL_MAX ? end : 0;
    if (fathom_loss_row_of(c->loss)->dual == FATHOM_DUAL_QUADRATIC) {
        double product = 0, square = 0;
        for (int64_t k = 0; k < c->outputs * c->n; k++) {
            const int64_t i = k % c->n;
            product += c->y[i * c->outputs + k / c->n] * c->v[k];
            square += c->v[k] * c->v[k] / weight_of(c, i);
        }
        return square > 0 && product > 0 ? fmin(end, product / square) : 0;
    }
    double low = 0, high = end < DBL_MAX ? end : 0;
    for (int step = 0; step < 80; step++) { /* concave in s */
        const double s = step == 0 ? high : (low + high) / 2;
        double slope = 0;
        for (int64_t i = 0; i < c->n; i++)
            slope += entropy_slope(c, i, s);
        if (slope >= 0)
            low = s;
        else
            high = s;
    }
    return low;
}

/* First order: sum_i |l_i'| times the rounding of f_i, which is relative to |y_i| + norm |x_i|. */
double fathom_claim_rounding(const fathom_claim *c, double objective, double loss, double norm,
                             int64_t neurons)
{
    const double u = (double)(c->n + c->d + neurons + 64) * DBL_EPSILON;
    double square = 0, sum = 0;
    for (int64_t i = 0; i < c->n; i++) {
        double size = 0, reach = 0;
        for (int64_t l = 0; l < c->d; l++)
            size += c->x[i * c->d + l] * c->x[i * c->d + l];
        for (int64_t k = 0; k < c->outputs; k++)
            reach += fabs(c->y[i * c->outputs + k]) + norm * (1 + sqrt(size));
        square += weight_of(c, i) * reach * reach;
        sum += weight_of(c, i) * reach;
    }
    const double steepest = fmax(fmax(c->box.below, c->box.above), 1);
    const double slope =
        fathom_loss_row_of(c->loss)->quadratic ? sqrt(2 * fabs(loss) * c->divisor * square) : steepest * sum;
    return u * (fabs(objective) + slope / c->divisor + u * square / c->divisor);
}

/* The least e_i <x_i, u> over the points, e_i = 1 where the gate is open and -1 where it is closed, less its rounding. */
static double least_inside(const fathom_claim *c, const uint64_t *bits, const double *u)
{
    double least = INFINITY;
    for (int64_t i = 0; i < c->n; i++) {
        double sum = 0, size = 0;
        for (int64_t l = 0; l < c->d; l++) {
            sum += c->x[i * c->d + l] * u[l];
            size += fabs(c->x[i * c->d + l] * u[l]);
        }
        sum = bits[i / 64] >> (i % 64) & 1 ? sum : -sum;
        least = fmin(least, sum - 2 * (double)(c->d + 4) * DBL_EPSILON * size);
    }
    return least;
}

double fathom_claim_enter_cones(double *u, const fathom_claim *c, int64_t m, const fathom_proof *proof,
                                double *trial)
{
    const double most = 0x1p-20;
    double largest = 0;
    for (int64_t j = 0; j < m; j++, u += c->d) {
        int64_t nearest = 0;
        double best = -INFINITY, length = 0, reach = 0, move = 0;
        for (int64_t g = 0; g < proof->gates; g++) {
            const double inside = least_inside(c, proof->bits + g * proof->words, u);
            nearest = inside > best ? g : nearest;
            best = fmax(best, inside);
        }
        const double *v = proof->orientation + nearest * c->d;
        for (int64_t l = 0; l < c->d; l++) {
            length = hypot(length, u[l]);
            reach = hypot(reach, v[l]);
            trial[l] = u[l];
        }
        while (best < 0 && move < most) {
            move = fmax(4 * move, 0x1p-50);
            for (int64_t l = 0; l < c->d; l++)
                trial[l] = u[l] + move * length / reach * v[l];
            best = least_inside(c, proof->bits + nearest * proof->words, trial);
        }
        for (int64_t l = 0; l < c->d; l++)
            u[l] = trial[l];
        largest = fmax(largest, move);
    }
    return largest;
}
