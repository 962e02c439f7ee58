/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quadrature for g(rho |cos t|), whose singularities lie on Re t = pi/2 + k pi.
 *
 * An interval is cut at these and then halved until no panel is longer than its distance to them. On such a
 * panel the integrand is
 * analytic within the ellipse of parameter 5, |g(c) - g(0)| <= |c|^2 A(|c|) / sqrt(cos 58 degrees) there,
 * and N nodes leave
 * at most 64/15 M 5^{2 - 2N} / (1 - 1/25) times half its length [Trefethen 2013, Thm 19.3]. M falls with the
 * square of the
 * distance, so shorter panels need fewer nodes. Panels below 2^-18 are off by no more than the function
 * varies there.
 * Proof and constants: docs/explanation/margins.md, "The quadrature".
 */
#include <math.h>

#include "margin_full_cells.h"

/* Positive halves of the rules of 12, 8 and 4 nodes [Abramowitz, Stegun, Table 25.4]. */
static const double NODE[3][6] = {
    {0.1252334085114689, 0.3678314989981802, 0.5873179542866175, 0.7699026741943047, 0.9041172563704749,
     0.9815606342467192},
    {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363},
    {0.3399810435848563, 0.8611363115940526},
};
static const double WEIGHT[3][6] = {
    {0.2491470458134028, 0.2334925365383548, 0.2031674267230659, 0.1600783285433462, 0.1069393259953184,
     0.0471753363865118},
    {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763},
    {0.6521451548625461, 0.3478548451374538},
};
static const int HALF[3] = {6, 4, 2};
static const double MEDIUM = 0x1p-6, SHORT = 0x1p-13, LEAST = 0x1p-18;

static int apply(int rule, double *node, double *weight, double from, double to)
{
    const double length = to - from;
    int count = 0;
    for (int k = 0; k < HALF[rule]; k++)
        for (int side = -1; side <= 1; side += 2) {
            node[count] = (from + to) / 2 + side * length / 2 * NODE[rule][k];
            weight[count++] = length / 2 * WEIGHT[rule][k];
        }
    return count;
}

int fathom_full_panel(double *node, double *weight, double from, double to)
{
    return apply(0, node, weight, from, to);
}

/* Panels of [from, to], which lies between the singularities `left` and left + pi. */
static int cut(double *node, double *weight, double from, double to, double left)
{
    const double length = to - from, distance = fmin(from - left, left + acos(-1) - to);
    if (!(length > 0))
        return 0;
    if (length <= distance || length <= LEAST)
        return apply(length >= MEDIUM ? 0 : length >= SHORT ? 1 : 2, node, weight, from, to);
    const double middle = (from + to) / 2;
    const int count = cut(node, weight, from, middle, left);
    return count + cut(node + count, weight + count, middle, to, left);
}

int fathom_full_nodes(double *node, double *weight, double from, double to)
{
    const double pi = acos(-1);
    int count = 0;
    for (double k = floor((from - pi / 2) / pi); pi / 2 + k * pi < to; k++) {
        const double left = pi / 2 + k * pi;
        count += cut(node + count, weight + count, fmax(from, left), fmin(to, left + pi), left);
    }
    return count;
}

double fathom_full_height(double *slope, const fathom_full_table *table, double c)
{
    double x;
    const int64_t octave = fathom_full_octave(&x, c);
    const double a = fathom_full_sum(table->a, octave, x), b = fathom_full_sum(table->b, octave, x);
    *slope = c * a;
    return c * c * a + b;
}
