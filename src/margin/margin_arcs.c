/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plane: all cones of an arrangement of lines and their Gaussian measures.
 *
 * Each point gives the line orthogonal to it. Let u_1, ..., u_p be the normals of the distinct lines, turned into the
 * upper half plane and sorted by angle psi_k in [0, pi). A vector z at angle phi has <u_k, z> > 0 iff phi lies within
 * (psi_k - pi/2, psi_k + pi/2), so as phi runs from -pi/2 the normals turn positive in order, and half a turn later
 * negative in the same order: arc k (k = 1..p) and its opposite have the length psi_{k+1} - psi_k, psi_{p+1} = psi_1 + pi.
 * The order is decided by exact cross products, so patterns are exact; measures carry one rounding to double.
 * Cost n log n + (2 p) n / 64. [000, Sec. 7]
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact_cone.h"
#include "margin_internal.h"
#include "memory.h"

typedef struct normal {
    double u[2];
    int64_t point;
    bool turned; /* the point is -u */
} normal;

/* By angle, exactly: a before b where the cross product a0 b1 - a1 b0 is positive. */
static int by_angle(const void *left, const void *right)
{
    const normal *a = left, *b = right;
    const int cross = fathom_exact_compare(a->u[0], b->u[1], a->u[1], b->u[0]);
    return cross != 0 ? -cross : (a->point > b->point) - (a->point < b->point);
}

static void make_normals(normal *normals, int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++) {
        const double *row = x + 2 * i;
        const bool turned = row[1] < 0 || (row[1] == 0 && row[0] < 0);
        normals[i] = (normal){{turned ? -row[0] : row[0], turned ? -row[1] : row[1]}, i, turned};
    }
    qsort(normals, (size_t)n, sizeof *normals, by_angle);
}

static void flip(uint64_t *bits, int64_t i) { bits[i / 64] ^= (uint64_t)1 << i % 64; }

/* Writes arc number gates->m with this pattern, length and middle angle, unless it is empty or has no length. */
static void add_arc(fathom_margin_gates *gates, const uint64_t *pattern, long double length,
                    long double middle)
{
    const long double turn = 2 * acosl(-1.0L);
    const double rho = (double)(length / turn);
    uint64_t any = 0;
    for (int64_t k = 0; k < gates->words; k++)
        any |= pattern[k];
    gates->doubt += rho * DBL_EPSILON + 4 * (double)LDBL_EPSILON;
    if (any == 0 || !(rho > 0))
        return;
    memcpy(gates->bits + gates->m * gates->words, pattern, (size_t)gates->words * sizeof *pattern);
    gates->orientation[2 * gates->m] = (double)cosl(middle);
    gates->orientation[2 * gates->m + 1] = (double)sinl(middle);
    gates->rho[gates->m++] = rho;
}

/* Walks once around. pattern holds the points of the arc in hand. */
static void walk(fathom_margin_gates *gates, uint64_t *pattern, const normal *normals, int64_t n)
{
    const long double half = acosl(-1.0L);
    for (int64_t k = 0; k < n;
         k++) /* before the first line all <u, z> are negative: the turned points are open */
        if (normals[k].turned)
            flip(pattern, normals[k].point);
    for (int round = 0; round < 2; round++)
        for (int64_t k = 0, next; k < n; k = next) {
            for (next = k; next < n && fathom_exact_parallel(normals[k].u, normals[next].u, 2); next++)
                flip(pattern, normals[next].point);
            const double *a = normals[k].u, *b = normals[next % n].u;
            const long double from = atan2l(a[1], a[0]);
            const long double to = atan2l(b[1], b[0]) + (next == n ? half : 0);
            add_arc(gates, pattern, to - from, (from + to - half) / 2 + (round == 1 ? half : 0));
        }
}

fathom_status fathom_margin_arcs(fathom_margin_gates *gates, fathom_context *context, int64_t n,
                                 const double *x)
{
    fathom_status status = FATHOM_ERROR_MEMORY;
    *gates = (fathom_margin_gates){.words = (n + 63) / 64, .d = 2};
    normal *normals = fathom_memory_alloc(context, n, sizeof *normals);
    uint64_t *pattern = fathom_memory_zero(context, gates->words, sizeof *pattern);
    gates->bits = fathom_memory_alloc(context, 2 * n * gates->words, sizeof *gates->bits);
    gates->rho = fathom_memory_alloc(context, 2 * n, sizeof *gates->rho);
    gates->orientation = fathom_memory_alloc(context, 4 * n, sizeof *gates->orientation);
    if (normals && pattern && gates->bits && gates->rho && gates->orientation) {
        make_normals(normals, n, x);
        walk(gates, pattern, normals, n);
        status = FATHOM_OK;
    } else {
        fathom_margin_gates_free(context, gates);
    }
    FATHOM_FREE(context, normals, pattern);
    return status;
}
