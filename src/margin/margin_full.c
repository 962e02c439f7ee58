/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The margin of both layers, conditioned on directions.
 *
 *     gamma_ntk = min_q E sqrt(<v,S>^2 + a^2 |S|^2) 1[a^2 + |v|^2 < 4],  S = S_q(v),  a ~ N(0,1), v ~ N(0,
 *     I/d)
 *
 * [003, Assumption 1.3, with |theta| <= 1]. Gates depend on the direction u of v alone, so with v = r u, r =
 * chi_d / sqrt(d)
 * independent of u, c = |cos(u, S)|, the conditional expectations given u are functions of c (Rao-Blackwell):
 *
 *     E[value | u] = |S| g(c),   g = c^2 A + B,   A(c) = E r^2 / sqrt(r^2 c^2 + a^2) 1[..],  B(c) = E a^2 /
 *     sqrt(r^2 c^2 + a^2) 1[..]
 *     E[<theta, grad_i> | u] = 1[<u,x_i> > 0] (A <u,S><u,z_i> + B <S,z_i>) / |S|   for the optimal theta at
 *     q.
 *
 * In polar coordinates r = p cos(psi), a = p sin(psi), tan(psi) = c sinh(t) the integrals become
 *     A = 2 k int_0^inf cos^{d+2}(psi) J dt,   B = 2 k int_0^inf cos^d(psi) sin^2(psi) J dt,
 *     J = int_0^2 p^{d+1} exp(-p^2 (d cos^2 psi + sin^2 psi) / 2) dp,   k = 2 (d/2)^{d/2} / (Gamma(d/2)
 *     sqrt(2 pi)),
 * analytic and even in t, so the trapezoidal rule converges like exp(-pi^2 / h). Without the square root the
 * moments
 * rr = E r^2 1[..], aa = E a^2 1[..] take the place of A and B, and
 *     E_u 1[<u,x> > 0] 1[<u,x'> > 0] (rr <u,x><u,x'> + aa <x,x'>)
 * is the kernel of both layers, truncated: closed forms of fathom/kernel.h with these two factors.
 */
#include "margin_full.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "patterns.h"
#include "random.h"

enum { NODES = 8, BLOCK = 32 };

/* Gauss-Legendre of 8 nodes on [-1, 1]: the positive half [Abramowitz, Stegun, Table 25.4]. */
static const double NODE[NODES / 2] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                       0.9602898564975363};
static const double WEIGHT[NODES / 2] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                         0.1012285362903763};

/* ln k of the head. */
static double log_constant(int64_t d)
{
    const double half = (double)d / 2;
    return log(2) + half * log(half) - lgamma(half) - log(2 * acos(-1)) / 2;
}

/* The regularised incomplete gamma function P(a, x): its series below the mode, a continued fraction beyond
 * [Abramowitz, Stegun, 6.5.29 and 6.5.31, the latter by the method of Lentz]. */
static double lower_gamma(double a, double x, double log_gamma)
{
    const double front = exp(a * log(x) - x - log_gamma);
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (double k = a + 1; term > 1e-17 * sum; k++)
            sum += term *= x / k;
        return front * sum;
    }
    double b = x + 1 - a, c = 1e300, t = 1 / b, fraction = t;
    for (int k = 1; k < 1000; k++) {
        const double coefficient = -k * (k - a);
        b += 2;
        t = 1 / (coefficient * t + b);
        c = b + coefficient / c;
        fraction *= c * t;
        if (fabs(c * t - 1) < 1e-16)
            break;
    }
    return 1 - front * fraction;
}

/* k cos^d(psi) J with J = P(a, 4 rate) Gamma(a) / (2 rate^a), a = d / 2 + 1, in logarithms so that large d
 * does not
 * overflow. */
static double radial(int64_t d, double log_k, double log_gamma, double log_cos, double cos2)
{
    const double rate = ((double)d * cos2 + 1 - cos2) / 2, a = (double)d / 2 + 1;
    return exp(log_k + (double)d * log_cos + log_gamma - a * log(rate)) / 2 *
           lower_gamma(a, 4 * rate, log_gamma);
}

/* A(c) and B(c) by the trapezoidal rule. */
static void integrate(double *a, double *b, int64_t d, double log_k, double c)
{
    /* in high dimension r is nearly 1 and the truncation becomes a step of width 1 / sqrt(d) */
    const double h = 0.1 * fmin(1, 8 / sqrt((double)d)), log_gamma = lgamma((double)d / 2 + 1);
    /* beyond, r < 2 cos(psi) = 4 e^{-end} / c has probability below 1e-16: P(r < s) <= (s^2 e^{1 -
     * s^2})^{d/2} */
    const double end = log(2 / c) + 45 / (double)d + 2;
    *a = *b = 0;
    for (double start = 0; start <= end;
         start += BLOCK * h) { /* 32 + terms / 32 roundings, not one for every term */
        double part_a = 0, part_b = 0;
        for (int k = 0; k < BLOCK; k++) {
            const double t = start + k * h, tangent = c * sinh(t), square = tangent * tangent,
                         cos2 = 1 / (1 + square);
            const double value = radial(d, log_k, log_gamma, -log1p(square) / 2, cos2) * (t == 0 ? 0.5 : 1);
            part_a += value * cos2;
            part_b += value * square * cos2;
        }
        *a += part_a;
        *b += part_b;
    }
    *a *= 2 * h;
    *b *= 2 * h;
}

/* rr, aa and E r 1[..] by Gauss-Legendre on r = 2 sin(angle): a is integrated in closed form up to 2 cos(angle). */
static void truncated_moments(double *rr, double *aa, double *first, int64_t d, int panels)
{
    const double half = (double)d / 2, pi = acos(-1), width = pi / 2 / panels;
    const double log_k = log(2) + half * log(half) - lgamma(half); /* of the density of r */
    *rr = *aa = *first = 0;
    for (int panel = 0; panel < panels; panel++)
        for (int k = 0; k < NODES; k++) {
            const double x = k < NODES / 2 ? NODE[k] : -NODE[k - NODES / 2];
            const double angle = width * (panel + 0.5 + 0.5 * x), r = 2 * sin(angle), end = 2 * cos(angle);
            const double share = WEIGHT[k % (NODES / 2)] * width / 2 * end *
                                 exp(log_k + (double)(d - 1) * log(r) - half * r * r);
            const double inside = erf(end / sqrt(2));
            *rr += share * r * r * inside;
            *first += share * r * inside;
            *aa += share * (inside - end * sqrt(2 / pi) * exp(-end * end / 2));
        }
}

/* Octave k holds c = 2^-k (3 + x) / 4, |x| <= 1. */
static double octave_entry(int64_t k, double x) { return ldexp(3 + x, (int)-k - 2); }

/* Sums of Chebyshev polynomials with these coefficients at x [Clenshaw 1955]. */
static double chebyshev(const double *coefficient, double x)
{
    double now = 0, before = 0;
    for (int64_t k = FATHOM_FULL_ORDER - 1; k > 0; k--) {
        const double next = 2 * x * now - before + coefficient[k];
        before = now;
        now = next;
    }
    return x * now - before + coefficient[0];
}

int64_t fathom_full_octave(double *x, double c)
{
    int exponent;
    const double least = octave_entry(FATHOM_FULL_OCTAVES - 1, -1);
    const double mantissa = frexp(fmin(fmax(c, least), 1), &exponent); /* in [1/2, 1) */
    if (exponent > 0) {                                                /* c = 1 */
        *x = 1;
        return 0;
    }
    *x = 4 * mantissa - 3;
    return -exponent < FATHOM_FULL_OCTAVES ? -exponent : FATHOM_FULL_OCTAVES - 1;
}

double fathom_full_sum(const double *coefficient, int64_t octave, double x)
{
    return chebyshev(coefficient + octave * FATHOM_FULL_ORDER, x);
}

void fathom_full_look_up(double *a, double *b, const fathom_full_table *t, double c)
{
    double x;
    const int64_t octave = fathom_full_octave(&x, c);
    *a = fathom_full_sum(t->a, octave, x);
    *b = fathom_full_sum(t->b, octave, x);
}

double fathom_full_point(int64_t octave, int64_t k)
{
    return octave_entry(octave, cos(acos(-1) * ((double)k + 0.5) / FATHOM_FULL_ORDER));
}

void fathom_full_interpolate(double *coefficient, const double *value)
{
    for (int64_t k = 0; k < FATHOM_FULL_ORDER; k++) {
        double sum = 0;
        for (int64_t l = 0; l < FATHOM_FULL_ORDER; l++)
            sum += value[l] * cos(acos(-1) * (double)k * ((double)l + 0.5) / FATHOM_FULL_ORDER);
        coefficient[k] = sum * (k == 0 ? 1 : 2) / FATHOM_FULL_ORDER;
    }
}

/* A and B on one octave. */
static void tabulate(double *a, double *b, int64_t d, double log_k, int64_t octave)
{
    double value_a[FATHOM_FULL_ORDER], value_b[FATHOM_FULL_ORDER];
    for (int64_t k = 0; k < FATHOM_FULL_ORDER; k++)
        integrate(value_a + k, value_b + k, d, log_k, fathom_full_point(octave, k));
    fathom_full_interpolate(a + octave * FATHOM_FULL_ORDER, value_a);
    fathom_full_interpolate(b + octave * FATHOM_FULL_ORDER, value_b);
}

/* What the table's entries are off by, at most (docs/explanation/margins.md, "The table"): polynomials through 22 points
 * of an
 * octave on the ellipse of parameter 5, 4 M 5^-21 / (5 - 1), M <= 10 E r / c and E|a| over sqrt(cos 58
 * degrees); the
 * points themselves, at most 128 roundings, times the Lebesgue constant 3; and what lies below the table. */
static void bound_errors(fathom_full_table *t)
{
    const double least = octave_entry(FATHOM_FULL_OCTAVES - 1, -1), between = 5e-14;
    const double points = 3 * 128 * 0x1p-53 * t->whole;
    const double below = least * fathom_full_sum(t->a, FATHOM_FULL_OCTAVES - 1, -1);
    t->error = between + points + 2 * below;
    t->error_g = between + points + 2 * least * below;
}

fathom_status fathom_full_table_create(fathom_full_table *t, fathom_context *context, int64_t d)
{
    enum { ENTRIES = FATHOM_FULL_OCTAVES * FATHOM_FULL_ORDER };
    const double log_k = log_constant(d);
    *t = (fathom_full_table){.a = fathom_memory_alloc(context, 2 * ENTRIES, sizeof *t->a)};
    if (!t->a)
        return FATHOM_ERROR_MEMORY;
    t->b = t->a + ENTRIES;
#pragma omp parallel for num_threads(fathom_context_threads(context))
    for (int64_t k = 0; k < FATHOM_FULL_OCTAVES; k++)
        tabulate(t->a, t->b, d, log_k, k);
    const int panels = (int)fmax(32, 4 * sqrt((double)d));
    double rr, aa, first;
    truncated_moments(&rr, &aa, &first, d, panels);
    truncated_moments(&t->rr, &t->aa, &t->r, d, 2 * panels);
    t->doubt = fabs(rr - t->rr) + fabs(aa - t->aa) + fabs(first - t->r) + 1e-14;
    t->whole = fathom_full_sum(t->a, 0, 1) + fathom_full_sum(t->b, 0, 1);
    bound_errors(t);
    return FATHOM_OK;
}

void fathom_full_table_free(fathom_full_table *table, fathom_context *context)
{
    fathom_memory_free(context, table->a);
    *table = (fathom_full_table){0};
}

/* Keeps of m rows (a, sqrt(d) v) those shorter than 2; returns their number. */
static int64_t keep_short(double *v, double *gain, const double *row, int64_t m, int64_t d)
{
    int64_t kept = 0;
    for (int64_t j = 0; j < m; j++, row += d + 1) {
        double square = row[0] * row[0];
        for (int64_t k = 0; k < d; k++) {
            v[kept * d + k] = row[1 + k] / sqrt((double)d);
            square += v[kept * d + k] * v[kept * d + k];
        }
        if (square < 4)
            gain[kept++] = row[0];
    }
    return kept;
}

fathom_status fathom_full_draw(fathom_margin_gates *gates, double **gain, fathom_context *context,
                               const fathom_data *data, int64_t m)
{
    const fathom_data_view view = fathom_data_look(data);
    const int64_t d = view.d, words = fathom_pattern_words(view.n);
    *gates = (fathom_margin_gates){.words = words, .d = d, .doubt = 0x1p-52};
    double *row = fathom_memory_alloc(context, m * (d + 1), sizeof *row);
    double *norm = fathom_memory_alloc(context, view.n, sizeof *norm);
    *gain = fathom_memory_alloc(context, m, sizeof **gain);
    gates->orientation = fathom_memory_alloc(context, m * d, sizeof(double));
    gates->bits = fathom_memory_alloc(context, m * words, sizeof *gates->bits);
    gates->rho = fathom_memory_alloc(context, m, sizeof *gates->rho);
    fathom_status status = FATHOM_ERROR_MEMORY;
    if (row && norm && *gain && gates->orientation && gates->bits && gates->rho) {
        fathom_random_normals(row, m * (d + 1), fathom_context_seed(context), FATHOM_STREAM_GATE, 1, 0);
        gates->m = keep_short(gates->orientation, *gain, row, m, d);
        fathom_patterns_norms(norm, &view, context);
        status = fathom_patterns_compute(gates->bits, context, &view, norm, gates->m, gates->orientation, d);
        for (int64_t j = 0; j < gates->m; j++)
            gates->rho[j] = 1 / (double)m;
    }
    FATHOM_FREE(context, row, norm);
    if (status != FATHOM_OK) {
        fathom_margin_gates_free(context, gates);
        fathom_memory_free(context, *gain);
        *gain = NULL;
    }
    return status;
}
