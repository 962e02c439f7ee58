/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices of several outputs in the positive orthant: t_i = relu(<x_i, u>) >= 0, so that with B_ij =
 * max(0, <V_i, V_j>), G = XX' and any weights w > 0
 *
 *     |sum_i t_i V_i|^2 <= sum_ij B_ij t_i t_j <= max_i (B |G| w)_i / w_i        for |u| <= 1
 *
 * [docs/reference/certificate.md, Sec. 5]. The least such bound is the spectral radius of B |G| [Collatz
 * and Wielandt], which power steps from w_i = |V_i| come near to: these weights are the best where rows
 * are orthogonal and equally long and every <V_i, V_j> is 0, negative, or |V_i||V_j|. Nothing is lost
 * there; rows at other angles lose what |G| has more than G. Cost: n^2 (d + outputs) and n^2 a step.
 */
#include "orthant_price.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "gemm.h"
#include "memory.h"

enum { STEPS = 100 };
static const double MOST_PRODUCTS = 3e8, FLOOR = 0x1p-40, SAME = 1e-13;

bool fathom_orthant_fits(int64_t n, int64_t d, int64_t outputs)
{
    return (double)n * (double)n * (double)(d + outputs) <= MOST_PRODUCTS;
}

/* |G| and B, whose entries are at least the exact ones. */
static fathom_status make_products(double *g, double *b, fathom_context *context, const double *x, int64_t n,
                                   int64_t d, const double *v, int64_t o)
{
    FATHOM_TRY(fathom_gemm(g, n, n, n, d, 1, fathom_plain(x, d), fathom_transposed(x, d), 0, context));
    FATHOM_TRY(fathom_gemm(b, n, n, n, o, 1, fathom_transposed(v, n), fathom_plain(v, n), 0, context));
    double *length = fathom_memory_alloc(context, 2 * n, sizeof *length);
    if (!length)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        length[i] = sqrt(g[i * n + i]);
        length[n + i] = sqrt(b[i * n + i]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const double rows = (double)(d + 4) * DBL_EPSILON * length[i] * length[j];
            const double duals = (double)(o + 4) * DBL_EPSILON * length[n + i] * length[n + j];
            g[i * n + j] = fabs(g[i * n + j]) + rows;
            b[i * n + j] = fmax(0, b[i * n + j] + duals);
        }
    fathom_memory_free(context, length);
    return FATHOM_OK;
}

static void multiply(double *y, const double *a, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        y[i] = 0;
        for (int64_t j = 0; j < n; j++)
            y[i] += a[i * n + j] * x[j];
    }
}

/* |V_i|, none of them far below the largest. */
static void start(double *w, const double *b, int64_t n)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        w[i] = sqrt(b[i * n + i]);
        largest = fmax(largest, w[i]);
    }
    for (int64_t i = 0; i < n; i++)
        w[i] = largest > 0 ? fmax(w[i] / largest, FLOOR) : 1;
}

/* The largest and the least (B |G| w)_i / w_i, with B |G| w in y; `room` holds n. */
static double largest_quotient(double *least, double *y, const double *w, const double *g, const double *b,
                               double *room, int64_t n)
{
    double most = 0;
    *least = INFINITY;
    multiply(room, g, w, n);
    multiply(y, b, room, n);
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, y[i] / w[i]);
        *least = fmin(*least, y[i] / w[i]);
    }
    return most;
}

/* Power steps from w, which becomes the best weights met; returns their bound on the squared price. */
static double improve(double *w, const double *g, const double *b, double *room, int64_t n)
{
    double *now = room, *next = room + n, best = INFINITY, least;
    memcpy(now, w, (size_t)n * sizeof *w);
    for (int step = 0; step < STEPS; step++) {
        const double most = largest_quotient(&least, next, now, g, b, room + 2 * n, n);
        if (most < best) {
            best = most;
            memcpy(w, now, (size_t)n * sizeof *w);
        }
        if (!(most > 0) || least >= most * (1 - SAME))
            break;
        double largest = 0;
        for (int64_t i = 0; i < n; i++)
            largest = fmax(largest, next[i]);
        for (int64_t i = 0; i < n; i++)
            now[i] = fmax(next[i] / largest, FLOOR);
    }
    return best;
}

fathom_status fathom_orthant_price(double *w, double *price, fathom_context *context, const double *x,
                                   int64_t n, int64_t d, const double *v, int64_t outputs)
{
    double *g = fathom_memory_alloc(context, n * (2 * n + 3), sizeof *g);
    *price = INFINITY;
    if (!g)
        return FATHOM_ERROR_MEMORY;
    double *b = g + n * n;
    const fathom_status status = make_products(g, b, context, x, n, d, v, outputs);
    if (status == FATHOM_OK) {
        start(w, b, n);
        *price = sqrt(improve(w, g, b, b + n * n, n)) * (1 + (double)(2 * n + 16) * DBL_EPSILON);
    }
    fathom_memory_free(context, g);
    return status;
}
