/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums whose order is fixed by the number of terms alone.
 *
 * Pairwise: halves are summed apart down to BLOCK terms, which eight interleaved accumulators add.
 * Compensated: the rounding error of every addition is recovered exactly (Neumaier 1974) and added at the
 * end. Inner products: those of the products too, by a fused multiply-add (Ogita, Rump, Oishi 2005).
 */
#include "sum.h"

#include <math.h>

enum { BLOCK = 64, LANES = 8 };

static double sum_block(const double *x, int64_t count)
{
    double lane[LANES] = {0};
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += x[k + l];
    for (; k < count; k++)
        lane[k % LANES] += x[k];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

double fathom_sum(const double *x, int64_t count)
{
    if (count <= BLOCK)
        return sum_block(x, count);
    const int64_t half = (count / 2 + BLOCK - 1) / BLOCK * BLOCK;
    return fathom_sum(x, half) + fathom_sum(x + half, count - half);
}

/* e^{x_k - top} w_k, without calling exp on -inf - -inf. */
static double term(double x, double top, double weight) { return weight > 0 ? weight * exp(x - top) : 0; }

double fathom_sum_log(const double *x, const double *weight, int64_t count)
{
    double top = -INFINITY;
    for (int64_t k = 0; k < count; k++) {
        if (isnan(x[k]))
            return NAN;
        if (x[k] > top && (!weight || weight[k] > 0))
            top = x[k];
    }
    if (isinf(top))
        return top;
    double sum = 0, lost = 0; /* positive terms: Neumaier's test of sizes still decides */
    for (int64_t k = 0; k < count; k++) {
        const double t = term(x[k], top, weight ? weight[k] : 1), next = sum + t;
        lost += sum >= t ? (sum - next) + t : (t - next) + sum;
        sum = next;
    }
    return top + log(sum + lost);
}

void fathom_add_long(double *high, double *low, double a, double b, double b_low)
{
    const double product = a * b, next = *high + product, back = next - *high;
    *low += (*high - (next - back)) + (product - back) + fma(a, b, -product) + a * b_low;
    *high = next;
}

double fathom_dot_long(double *low, const double *x, const double *y, int64_t count, double start)
{
    double high = start;
    *low = 0;
    for (int64_t k = 0; k < count; k++)
        fathom_add_long(&high, low, x[k], y[k], 0);
    const double value = high + *low;
    *low = (high - value) + *low;
    return value;
}
