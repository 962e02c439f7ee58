/* SPDX-License-Identifier: Apache-2.0 */
/* Prices of tiny problems by trying every face: the reference for certified prices. */
#ifndef PRICE_BRUTE_H
#define PRICE_BRUTE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BRUTE_POINTS = 12, BRUTE_DIM = 5 };

/* v'(Xu)_+ */
static inline double brute_value(int64_t n, int64_t d, const double *x, const double *v, const double *u)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double t = 0;
        for (int64_t l = 0; l < d; l++)
            t += x[i * d + l] * u[l];
        sum += t > 0 ? v[i] * t : 0;
    }
    return sum;
}

/* |value| at g projected on the complement of `tight` orthonormal vectors q, both signs. */
static inline double brute_candidate(int64_t n, int64_t d, const double *x, const double *v, const double *g,
                                     double q[BRUTE_DIM][BRUTE_DIM], int64_t tight)
{
    double u[BRUTE_DIM], norm = 0, best = 0;
    memcpy(u, g, (size_t)d * sizeof *u);
    for (int64_t k = 0; k < 2 * tight; k++) {
        double dot = 0;
        for (int64_t l = 0; l < d; l++)
            dot += u[l] * q[k % tight][l];
        for (int64_t l = 0; l < d; l++)
            u[l] -= dot * q[k % tight][l];
    }
    for (int64_t l = 0; l < d; l++)
        norm += u[l] * u[l];
    if (!(norm > 1e-24))
        return 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        double w[BRUTE_DIM];
        for (int64_t l = 0; l < d; l++)
            w[l] = sign * u[l] / sqrt(norm);
        best = fmax(best, fabs(brute_value(n, d, x, v, w)));
    }
    return best;
}

/* max |v'(Xu)_+|: a maximiser has some open rows D and some tight rows T, |T| < d, and is the projection of X'Dv on the
 * complement of T. All D and T are tried, every candidate is evaluated as it stands. */
static inline double brute_price(int64_t n, int64_t d, const double *x, const double *v)
{
    double best = 0;
    for (int64_t tight = 0; tight < (INT64_C(1) << n); tight++) {
        double q[BRUTE_DIM][BRUTE_DIM];
        int64_t count = 0;
        if (__builtin_popcountll((unsigned long long)tight) >= d)
            continue;
        for (int64_t i = 0; i < n; i++) {
            if (!(tight >> i & 1))
                continue;
            double norm = 0;
            memcpy(q[count], x + i * d, (size_t)d * sizeof **q);
            for (int64_t k = 0; k < 2 * count; k++) {
                double dot = 0;
                for (int64_t l = 0; l < d; l++)
                    dot += q[count][l] * q[k % count][l];
                for (int64_t l = 0; l < d; l++)
                    q[count][l] -= dot * q[k % count][l];
            }
            for (int64_t l = 0; l < d; l++)
                norm += q[count][l] * q[count][l];
            if (!(norm > 1e-18))
                continue;
            for (int64_t l = 0; l < d; l++)
                q[count][l] /= sqrt(norm);
            count++;
        }
        for (int64_t open = 0; open < (INT64_C(1) << n); open++) {
            double g[BRUTE_DIM] = {0};
            if (open & tight)
                continue;
            for (int64_t i = 0; i < n; i++)
                for (int64_t l = 0; (open >> i & 1) && l < d; l++)
                    g[l] += v[i] * x[i * d + l];
            best = fmax(best, brute_candidate(n, d, x, v, g, q, count));
        }
    }
    return best;
}

#endif
