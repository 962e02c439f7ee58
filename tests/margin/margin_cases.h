/* SPDX-License-Identifier: Apache-2.0 */
/* Data of known margin: the portable instances of the reference values, the alternating circle, parity cubes. */
#ifndef FATHOM_MARGIN_CASES_H
#define FATHOM_MARGIN_CASES_H

#include "testing.h"

#include <string.h>

#include "margin_internal.h"

/* splitmix64 and Box-Muller, so that the reference values can be recomputed in any language. */
typedef struct portable {
    uint64_t state;
    double spare;
    bool has_spare;
} portable;

static inline double portable_uniform(portable *g)
{
    uint64_t z = g->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

static inline double portable_normal(portable *g)
{
    if (g->has_spare) {
        g->has_spare = false;
        return g->spare;
    }
    const double u = portable_uniform(g), v = portable_uniform(g);
    const double radius = sqrt(-2 * log(u)), angle = 2 * acos(-1) * v;
    g->spare = radius * sin(angle);
    g->has_spare = true;
    return radius * cos(angle);
}

/* n points on the unit sphere of R^d and fair labels. */
typedef struct margin_case {
    int64_t n, d;
    double *x, *y, *z; /* z_i = y_i x_i */
} margin_case;

static inline margin_case case_create(int64_t n, int64_t d)
{
    const size_t size = (size_t)(n * d) * sizeof(double);
    return (margin_case){n, d, malloc(size), malloc((size_t)n * sizeof(double)), malloc(size)};
}

static inline void case_free(margin_case *c)
{
    free(c->x);
    free(c->y);
    free(c->z);
}

static inline void case_sign(margin_case *c)
{
    for (int64_t i = 0; i < c->n * c->d; i++)
        c->z[i] = c->y[i / c->d] * c->x[i];
}

static inline margin_case case_portable(int64_t n, int64_t d, uint64_t seed)
{
    margin_case c = case_create(n, d);
    portable g = {.state = seed}, labels = {.state = seed ^ 0xA5A5A5A5u};
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t k = 0; k < d; k++) {
            c.x[i * d + k] = portable_normal(&g);
            square += c.x[i * d + k] * c.x[i * d + k];
        }
        for (int64_t k = 0; k < d; k++)
            c.x[i * d + k] /= sqrt(square);
        c.y[i] = portable_uniform(&labels) < 0.5 ? 1 : -1;
    }
    case_sign(&c);
    return c;
}

/* x_k = (cos 2 pi k / n, sin 2 pi k / n), y_k = (-1)^k, antipodes exact. */
static inline margin_case case_circle(int64_t n)
{
    margin_case c = case_create(n, 2);
    for (int64_t k = 0; k < n; k++) {
        const int64_t number = k + 1;
        const bool turn = n % 2 == 0 && number > n / 2;
        const double angle = 2 * acos(-1) * (double)(turn ? number - n / 2 : number) / (double)n;
        c.x[2 * k] = turn ? -cos(angle) : cos(angle);
        c.x[2 * k + 1] = turn ? -sin(angle) : sin(angle);
        c.y[k] = number % 2 == 0 ? 1 : -1;
    }
    case_sign(&c);
    return c;
}

/* All of {-c, c}^d; label: product of the signs of the first `bits` coordinates. */
static inline margin_case case_parity(int64_t d, int64_t bits, double scale)
{
    margin_case c = case_create((int64_t)1 << d, d);
    for (int64_t i = 0; i < c.n; i++) {
        c.y[i] = 1;
        for (int64_t k = 0; k < d; k++) {
            const double s = i >> k & 1 ? -1 : 1;
            c.x[i * d + k] = s * scale;
            c.y[i] *= k < bits ? s : 1;
        }
    }
    case_sign(&c);
    return c;
}

/* The patterns of m portable Gaussian orientations, one gate each of weight 1/m (repeats and empty ones included). */
static inline fathom_margin_problem case_problem(const margin_case *c, int64_t m, uint64_t seed)
{
    const int64_t words = (c->n + 63) / 64;
    uint64_t *bits = calloc((size_t)(m * words), sizeof *bits);
    double *rho = malloc((size_t)m * sizeof *rho), *v = malloc((size_t)c->d * sizeof *v);
    portable g = {.state = seed};
    for (int64_t j = 0; j < m; j++) {
        rho[j] = 1 / (double)m;
        for (int64_t k = 0; k < c->d; k++)
            v[k] = portable_normal(&g);
        for (int64_t i = 0; i < c->n; i++) {
            double inner = 0;
            for (int64_t k = 0; k < c->d; k++)
                inner += c->x[i * c->d + k] * v[k];
            bits[j * words + i / 64] |= (uint64_t)(inner > 0) << i % 64;
        }
    }
    free(v);
    return (fathom_margin_problem){c->n, c->d, m, words, c->z, bits, rho, NULL, NULL};
}

static inline void problem_free(fathom_margin_problem *p)
{
    free((void *)p->bits);
    free((void *)p->rho);
}

/* Both sides of gamma_V recomputed by plain loops: least margin of W (m x d) and G(q). */
static inline void plain_sides(double *least, double *value, const fathom_margin_problem *p, const double *q,
                               const double *w)
{
    *least = INFINITY;
    *value = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double margin = 0;
        for (int64_t j = 0; j < p->m; j++)
            for (int64_t k = 0; k < p->d && p->bits[j * p->words + i / 64] >> i % 64 & 1; k++)
                margin += p->rho[j] * p->z[i * p->d + k] * w[j * p->d + k];
        *least = fmin(*least, margin);
    }
    for (int64_t j = 0; j < p->m; j++) {
        double square = 0;
        for (int64_t k = 0; k < p->d; k++) {
            double s = 0;
            for (int64_t i = 0; i < p->n; i++)
                if (p->bits[j * p->words + i / 64] >> i % 64 & 1)
                    s += q[i] * p->z[i * p->d + k];
            square += s * s;
        }
        *value += p->rho[j] * sqrt(square);
    }
}

#endif
