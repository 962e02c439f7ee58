/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All flats of an arrangement, with their cones: listed once, priced many times (margin_price.c).
 *
 * A flat L of dimension r is an intersection of hyperplanes x_i^perp, R^d itself included, given by an orthonormal basis
 * (r x d). F_q(b) = sum_i q_i y_i relu(<b, x_i>) is linear on every cone C of the arrangement within L, F_q(b) = <S_C, b>, so
 * that a maximum of |F_q| over the sphere of L inside C lies at +-proj_L(S_C) / |..|: every maximum over the sphere of R^d is
 * of this form for some L. Planes (r = 2) keep the order in which their points turn on and off, larger flats their
 * cones. The flats below L are L cut with x_i^perp, i beyond the last one cut with. With free biases and sum_i q_i y_i = 0 a
 * best bias has some x_k on its kink: the same around every x_k, with x_i - x_k for x_i.
 *
 * Rounding: cutting L with a point whose projection to L has the length s |x_i| turns the flat by about u / s. Directions are
 * evaluated as they stand, and |F_q(b) - F_q(b')| <= |b - b'| sum_i q_i |x_i|: `error` is the sum of these turns.
 */
#include "margin_flats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "cones_internal.h"
#include "context_internal.h"
#include "memory.h"
#include "patterns.h"

enum { DEEPEST = FATHOM_FLATS_DEEPEST };

/* Below this share of its length a point does not leave the flat's complement. */
static const double FLAT = 1e-13;

double fathom_flats_cells(int64_t n, int64_t lines, int64_t d, bool bias)
{
    const double p = (double)(bias ? n - 1 : lines);
    double cells = 0, flats = 1; /* flats of dimension d - j: C(p, j); their cones: Cover's count */
    for (int64_t j = 0; j <= d - 2; j++) {
        double cones = 0, binomial = 1;
        for (int64_t k = 0; k < d - j && binomial > 0; k++) {
            cones += 2 * binomial;
            binomial *= (p - (double)(j + 1 + k)) / (double)(k + 1);
        }
        cells += flats * fmax(cones, 0);
        flats *= fmax(0, p - (double)j) / (double)(j + 1);
    }
    return (bias ? (double)n : 1) * fmax(cells, 2);
}

void fathom_flats_free(fathom_flats *flats)
{
    for (int64_t k = 0; k < flats->count; k++) {
        fathom_gates_free(flats->flat[k].cones);
        FATHOM_FREE(flats->context, flats->flat[k].crossing, flats->flat[k].basis);
    }
    fathom_memory_free(flats->context, flats->flat);
    *flats = (fathom_flats){.context = flats->context};
}

/* The arrangement around one centre; rows of x are relative to it. */
typedef struct place {
    fathom_flats *flats;
    const double *x; /* n x d */
    int64_t centre;
} place;

typedef struct turn {
    double angle;
    fathom_flat_crossing crossing;
} turn;

static int by_angle(const void *left, const void *right)
{
    const turn *a = left, *b = right;
    return a->angle < b->angle ? -1
           : a->angle > b->angle
               ? 1
               : (a->crossing.point > b->crossing.point) - (a->crossing.point < b->crossing.point);
}

/* The first flat is listed before all others, and while it is, more is in use than stays. */
double fathom_flats_bytes(int64_t n, int64_t lines, int64_t d, bool bias)
{
    const int64_t p = bias ? n - 1 : lines, words = fathom_pattern_words(n);
    const double slack = 1.25; /* of a list that grows by halves */
    double flats = 1, bytes = (double)n * sizeof(turn);
    for (int64_t r = d; r >= 2 || r == d; r--) {
        const int64_t cuts = d - r;
        double kept = r == 2 ? (double)n * sizeof(fathom_flat_crossing) : 0;
        if (r >= 3) /* pattern, witness, parent, where its flips start, one flip */
            kept = fathom_cover_count(p - cuts, r) * (double)(8 * words + 8 * r + 20);
        bytes += flats * (kept + slack * sizeof(fathom_flat) + 8 * (double)(r * d));
        flats *= fmax(0, (double)(p - cuts)) / (double)(cuts + 1);
    }
    return fmax((bias ? (double)n : 1) * bytes, d >= 3 ? fathom_gates_need(p, d, words, d) : 0);
}

/* The order in which points turn on and off in a plane. */
static fathom_status order_plane(fathom_flat *flat, const place *p)
{
    fathom_context *context = p->flats->context;
    const int64_t n = p->flats->n, d = p->flats->d;
    turn *turns = fathom_memory_alloc(context, n, sizeof *turns);
    flat->crossing = fathom_memory_alloc(context, n, sizeof *flat->crossing);
    for (int64_t i = 0; i < n && turns && flat->crossing; i++) {
        const double *x = p->x + i * d, a = fathom_blas_dot(x, flat->basis, d),
                     b = fathom_blas_dot(x, flat->basis + d, d), length = hypot(a, b);
        if (length <= FLAT * fathom_blas_norm(x, d)) /* orthogonal to the plane: open nowhere on it */
            continue;
        const bool turned = b < 0 || (b == 0 && a < 0);
        const double side = turned ? -1 : 1;
        turns[flat->crossings++] =
            (turn){atan2(side * b, side * a), {i, turned, {side * b / length, -side * a / length}}};
    }
    const bool made = turns && flat->crossing;
    if (made)
        qsort(turns, (size_t)flat->crossings, sizeof *turns, by_angle);
    for (int64_t k = 0; k < flat->crossings; k++)
        flat->crossing[k] = turns[k].crossing;
    fathom_memory_free(context, turns);
    return made ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* The cones of the arrangement within a flat of dimension r >= 3; rows (n x r) are the points as functionals on it. */
static fathom_status list_cones(fathom_flat *flat, const place *p, const double *rows)
{
    fathom_context *context = p->flats->context;
    fathom_data *data = NULL;
    fathom_status status =
        fathom_data_create(&data, context, p->flats->n, flat->r, rows, flat->r, 0, NULL, NULL, NULL);
    FATHOM_THEN(status, fathom_gates_enumerate(&flat->cones, context, data));
    if (status == FATHOM_OK && fathom_gates_look(flat->cones).m > p->flats->most_cones)
        p->flats->most_cones = fathom_gates_look(flat->cones).m;
    fathom_data_free(data);
    return status;
}

/* Appends a flat and lists what lies in it. */
static fathom_status add_flat(const place *p, const double *basis, const double *rows, int64_t r,
                              double error)
{
    fathom_flats *flats = p->flats;
    const int64_t size = r * flats->d;
    FATHOM_TRY(fathom_memory_grow(flats->context, (void **)&flats->flat, &flats->capacity, flats->count + 1,
                                  sizeof *flats->flat));
    fathom_flat *flat = flats->flat + flats->count++;
    *flat = (fathom_flat){.r = r, .centre = p->centre, .error = error};
    flat->basis = fathom_memory_alloc(flats->context, size, sizeof *flat->basis);
    if (!flat->basis)
        return FATHOM_ERROR_MEMORY;
    memcpy(flat->basis, basis, (size_t)size * sizeof *basis);
    return r == 1 ? FATHOM_OK : r == 2 ? order_plane(flat, p) : list_cones(flat, p, rows);
}

/* below (n x (r-1)) = the functionals on the flat cut with row `cut`, by eliminating its largest coordinate: small whole
 * numbers stay exact, so that degenerate arrangements stay degenerate. */
static void cut_rows(double *below, const double *rows, int64_t n, int64_t r, int64_t cut)
{
    const double *h = rows + cut * r;
    int64_t m = 0;
    for (int64_t k = 1; k < r; k++)
        m = fabs(h[k]) > fabs(h[m]) ? k : m;
    for (int64_t i = 0; i < n; i++) {
        const double *row = rows + i * r, ratio = row[m] / h[m];
        for (int64_t k = 0, to = 0; k < r; k++) {
            if (k == m)
                continue;
            const double value = row[k] - ratio * h[k];
            below[i * (r - 1) + to++] = fabs(value) <= FLAT * fmax(fabs(row[k]), fabs(row[m])) ? 0 : value;
        }
    }
}

/* below ((r-1) x d) = an orthonormal basis of the flat cut with x^perp. Returns |proj x| / |x|, or 0 where x is
 * orthogonal to the flat and nothing is cut. */
static double cut_basis(double *below, const double *basis, int64_t r, const double *x, int64_t d)
{
    double along[DEEPEST] = {0};
    int64_t kept = 0;
    for (int64_t k = 0; k < r; k++)
        along[k] = fathom_blas_dot(x, basis + k * d, d);
    const double norm = fathom_blas_norm(along, r), length = fathom_blas_norm(x, d);
    if (!(norm > FLAT * length))
        return 0;
    /* Householder: the reflection that takes along / |along| to +-e_m, m its largest entry; the others span the cut. */
    int64_t m = 0;
    for (int64_t k = 1; k < r; k++)
        m = fabs(along[k]) > fabs(along[m]) ? k : m;
    for (int64_t k = 0; k < r; k++)
        along[k] /= norm;
    along[m] += along[m] > 0 ? 1 : -1;
    const double factor = 2 / fathom_blas_dot(along, along, r);
    for (int64_t k = 0; k < r; k++) {
        if (k == m)
            continue;
        memcpy(below + kept * d, basis + k * d, (size_t)d * sizeof *below);
        for (int64_t l = 0; l < r; l++)
            fathom_blas_axpy(below + kept * d, -factor * along[k] * along[l], basis + l * d, d);
        kept++;
    }
    return norm / length;
}

/* Lists the flat and those below it that are cut with points from `first` on. */
static fathom_status visit(const place *p, const double *basis, const double *rows, int64_t r, int64_t first,
                           double error)
{
    fathom_context *context = p->flats->context;
    const int64_t n = p->flats->n, d = p->flats->d;
    double below[DEEPEST * DEEPEST];
    fathom_status status = add_flat(p, basis, rows, r, error);
    if (r <= 2 || status != FATHOM_OK)
        return status;
    double *fewer = fathom_memory_alloc(context, n * (r - 1), sizeof *fewer);
    if (!fewer)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = first; i < n && status == FATHOM_OK; i++) {
        const double share = cut_basis(below, basis, r, p->x + i * d, d);
        if (!(share > 0))
            continue;
        cut_rows(fewer, rows, n, r, i);
        status = visit(p, below, fewer, r - 1, i + 1, error + 8 * (double)d * DBL_EPSILON / share);
        if (status == FATHOM_OK && fathom_context_stop_reason(context) != FATHOM_STOP_NONE)
            status = fathom_error_set(context, FATHOM_ERROR_STOPPED, "stopped before all flats were listed");
    }
    fathom_memory_free(context, fewer);
    return status;
}

/* True where row k of x equals an earlier one: the same place. */
static bool comes_again(const double *x, int64_t k, int64_t d)
{
    for (int64_t i = 0; i < k; i++)
        if (memcmp(x + i * d, x + k * d, (size_t)d * sizeof *x) == 0)
            return true;
    return false;
}

fathom_status fathom_flats_create(fathom_flats *flats, fathom_context *context, int64_t n, int64_t d,
                                  const double *x, bool bias)
{
    double basis[DEEPEST * DEEPEST] = {0};
    *flats = (fathom_flats){.context = context, .n = n, .d = d};
    for (int64_t k = 0; k < d; k++)
        basis[k * d + k] = 1;
    if (!bias) {
        const place origin = {flats, x, -1};
        return visit(&origin, basis, x, d, 0, 0);
    }
    double *around = fathom_memory_alloc(context, n * d, sizeof *around);
    fathom_status status = around ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < n && status == FATHOM_OK; k++) {
        if (comes_again(x, k, d))
            continue;
        for (int64_t i = 0; i < n * d; i++)
            around[i] = x[i] - x[k * d + i % d];
        const place here = {flats, around, k};
        status = visit(&here, basis, around, d, 0, 0);
    }
    fathom_memory_free(context, around);
    return status;
}
