/* SPDX-License-Identifier: Apache-2.0 */
/* Orthant probabilities in doubles with errors carried along: see orthant.h. u = 2^-53 below. */
#include "orthant.h"

#include <float.h>
#include <math.h>

#define PI 3.14159265358979323846
#define U 0x1p-53

/* Above this error balls decide; the integral ends this near to t = 1 where the correlation matrix is
 * flatter. */
static const double ENOUGH = 0x1p-44;
static const double FLATTEST = 0x1p-108;

const int fathom_orthant_pair[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                       {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};

/* Units of u by which, with r, minors and nodes rounded once (otherwise: a few times), the terms of N are
 * off, relative to their size; the root of det_ij det R(t); and a pair's factor. Counted term by term: t 1, s
 * 3, det_ij 9, det R(t) 22. */
static const bool LONG = LDBL_MANT_DIG >= 64;
#define OFF ((LONG ? 16 : 40) * U)
#define ROOT ((LONG ? 17 : 40) * U)
#define FACTOR ((LONG ? 14 : 32) * U)

/* A correlation matrix: r (k x k), each within 1.01 u |r_ij| (8 u without long doubles), and its principal
 * minors by sets of rows, each within a relative 1.1 u (32 u). */
typedef struct correlation {
    int k;
    double r[25], minor[32];
} correlation;

static void correlation_init(correlation *c, const fathom_integer *h, int k)
{
    c->k = k;
    for (unsigned set = 1; set < 1u << k; set++)
        c->minor[set] = fathom_integers_minor(h, k, set);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            c->r[i * k + j] =
                i == j ? 1 : fathom_integers_quotient(h + i * k + j, h + i * k + i, h + j * k + j);
}

/* asin(r_ij); the error of sum or product is a few roundings of the whole. */
static double arcsine(const correlation *c, int i, int j)
{
    return atan2(c->r[i * c->k + j], sqrt(c->minor[1u << i | 1u << j]));
}

/* Four of the variables: E_2, E_3, E_4, the pairs' correlations and minors. */
typedef struct quadruple {
    double r[16], minor[6], e2, e3, e4;
} quadruple;

static void quadruple_init(quadruple *q, const correlation *c, const int *index)
{
    unsigned all = 0;
    for (int i = 0; i < 4; i++)
        all |= 1u << index[i];
    *q = (quadruple){.e4 = c->minor[all]};
    for (int i = 0; i < 4; i++) {
        q->e3 += c->minor[all & ~(1u << index[i])];
        for (int j = 0; j < 4; j++)
            q->r[4 * i + j] = c->r[index[i] * c->k + index[j]];
    }
    for (int p = 0; p < 6; p++) {
        const int i = index[fathom_orthant_pair[p][0]], j = index[fathom_orthant_pair[p][1]];
        q->e2 += q->minor[p] = c->minor[1u << i | 1u << j];
    }
}

/* One pair's part of the integrand at t = 1 - s, det = det R(t); adds its error to *error. */
static double plackett(double *error, const quadruple *q, int p, double t, double s, double det)
{
    const int i = fathom_orthant_pair[p][0], j = fathom_orthant_pair[p][1], k = fathom_orthant_pair[p][2],
              l = fathom_orthant_pair[p][3];
    const double *r = q->r, ij = r[4 * i + j], ki = r[4 * k + i], kj = r[4 * k + j], li = r[4 * l + i],
                 lj = r[4 * l + j];
    if (ij == 0)
        return 0;
    const double small = s * s + 2 * s * t + q->minor[p] * t * t; /* 1 - t^2 ij^2 */
    const double a = t * r[4 * k + l] * small, b = t * t * (ki * li + kj * lj),
                 c = t * t * t * ij * (ki * lj + kj * li), n = a - b + c;
    const double size = fabs(a) + t * t * (fabs(ki * li) + fabs(kj * lj)) +
                        t * t * t * fabs(ij) * (fabs(ki * lj) + fabs(kj * li));
    const double root = sqrt(small * det), square = n * n + small * det;
    /* |dA| <= (|dN| root + |N| |d root|) / (N^2 + root^2) to first order */
    const double off = OFF * size, turn = (off + ROOT * fabs(n)) * root / square + 4 * U;
    const double factor = fabs(ij) / (2 * PI * sqrt(small)), share = 0.25 + atan2(n, root) / (2 * PI);
    *error += factor * (off * off > 0x1p-40 * square ? 1 : turn / (2 * PI) + FACTOR * share);
    return copysign(factor, ij) * share;
}

static double integrand(double *error, const quadruple *q, double t, double s)
{
    const double det = s * s * s * s + 4 * s * s * s * t + q->e2 * s * s * t * t + q->e3 * s * t * t * t +
                       q->e4 * t * t * t * t;
    double sum = 0;
    for (int p = 0; p < 6; p++)
        sum += plackett(error, q, p, t, s, det);
    return sum;
}

int fathom_orthant_nodes(double log2_h, int bits)
{
    /* 3.5e5 < 2^18.5; log2((2 + sqrt 3)^2) = 3.8 */
    return 1 + (int)ceil((18.5 - 4.5 * log2_h + bits) / 3.799);
}

/* The panel with s from `low` to `low` + 2 h. */
static double panel(double *error, const quadruple *q, double low, double h,
                    const fathom_orthant_rules *rules)
{
    const int wanted = fathom_orthant_nodes(log2(h), 62);
    int k = (wanted - FATHOM_ORTHANT_FEWEST + FATHOM_ORTHANT_MORE - 1) / FATHOM_ORTHANT_MORE;
    k = k < 0 ? 0 : k;
    const int nodes = FATHOM_ORTHANT_FEWEST + k * FATHOM_ORTHANT_MORE;
    double sum = 0, part = 0;
    for (int at = 0; at < nodes; at++) {
        const double *node = rules->node[k] + 3 * at, s = low + h * node[1];
        double own = 0;
        const double value = integrand(&own, q, 1 - s, s);
        sum += node[2] * value;
        part += node[2] * (own + 4 * U * fabs(value));
    }
    *error += h * part + 0x1p-62;
    return h * sum;
}

static double orthant4(double *error, const quadruple *q, const fathom_orthant_rules *rules)
{
    const double delta = 0.999999 * q->e4 / q->e3;
    const bool flat = !(delta > FLATTEST);
    double value = 0.0625, h = 0.25;
    *error = 4 * U;
    do { /* s in [2h, 4h] */
        value += panel(error, q, 2 * h, h, rules);
        h /= 2;
    } while (4 * h > (flat ? FLATTEST : delta));
    if (!flat)
        return value + panel(error, q, 0, 2 * h, rules);
    *error += 1.07 * sqrt(4 * h);
    return value;
}

/* The probability that the variables in `set` are positive. */
static double orthant_of(double *error, const correlation *c, unsigned set, const fathom_orthant_rules *rules)
{
    int size = 0, index[5] = {0};
    for (int i = 0; i < c->k; i++)
        if (set >> i & 1)
            index[size++] = i;
    *error = size == 1 ? 0 : 8 * U;
    if (size == 1)
        return 0.5;
    if (size == 2)
        return 0.25 + arcsine(c, index[0], index[1]) / (2 * PI);
    if (size == 3)
        return 0.125 + (arcsine(c, index[0], index[1]) + arcsine(c, index[0], index[2]) +
                        arcsine(c, index[1], index[2])) /
                           (4 * PI);
    quadruple q;
    quadruple_init(&q, c, index);
    return orthant4(error, &q, rules);
}

/* Half the alternating sum over proper subsets: the complement of an odd orthant is its mirror image. */
static double orthant5(double *error, const correlation *c, const fathom_orthant_rules *rules)
{
    double sum = 1;
    *error = 16 * U;
    for (unsigned set = 1; set < 31; set++) {
        double part;
        const double p = orthant_of(&part, c, set, rules);
        sum += __builtin_popcount(set) % 2 ? -p : p;
        *error += 0.5 * part + 2 * U;
    }
    return 0.5 * sum;
}

double fathom_orthant(double *error, const fathom_integer *h, int k, const fathom_orthant_rules *rules)
{
    correlation c;
    correlation_init(&c, h, k);
    const double value = k == 5 ? orthant5(error, &c, rules) : orthant_of(error, &c, (1u << k) - 1, rules);
    return *error <= ENOUGH ? value : fathom_orthant_ball(error, h, k);
}

double fathom_solid_angle(double *error, const fathom_integer *gram)
{
    /* tan(Omega / 2) = sqrt(det) / (1 + ab + bc + ca) for unit rays [Van Oosterom and Strackee 1983]; the squared sum of
     * both is 2 (1 + ab)(1 + bc)(1 + ca). The denominator is off by 32 u: that matters where two rays are nearly opposite. */
    const double volume = sqrt(fathom_integers_minor(gram, 3, 7));
    const double sum = 1 + fathom_integers_quotient(gram + 1, gram, gram + 4) +
                       fathom_integers_quotient(gram + 2, gram, gram + 8) +
                       fathom_integers_quotient(gram + 5, gram + 4, gram + 8);
    const double value = atan2(volume, sum) / (2 * PI), square = volume * volume + sum * sum;
    *error = 8 * U * value + 2 * (32 * U + 32 * U * fabs(sum)) * volume / (2 * PI * square);
    const bool fine = square > 0x1p-80 && *error <= fmin(ENOUGH, 0x1p-44 * value);
    return fine ? value : fathom_solid_angle_ball(error, gram);
}

double fathom_plane_angle(double *error, const fathom_integer *aa, const fathom_integer *ab,
                          const fathom_integer *bb)
{
    const fathom_integer gram[] = {*aa, *ab, *ab, *bb}; /* borrowed */
    const double value =
        atan2(sqrt(fathom_integers_minor(gram, 2, 3)), fathom_integers_quotient(ab, aa, bb)) / (2 * PI);
    *error = 32 * U * fmin(value, 0.5 - value) + 2 * U * value;
    return value;
}
