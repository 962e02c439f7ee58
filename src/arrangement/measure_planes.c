/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planes to be measured against: distinct hyperplanes of the points in coordinates that keep the Gaussian measure.
 *
 * Which points share a hyperplane, and the rank, are decided exactly (hyperplanes.h). Where the rank r is d, a
 * hyperplane's normal is its point's row times a power of two: exact. Otherwise rows are taken in an orthonormal basis
 * of the row space (Gram-Schmidt with pivoting, twice, in long double): z is standard Gaussian there too.
 */
#include <math.h>
#include <string.h>

#include "hyperplanes.h"
#include "measure_internal.h"
#include "memory.h"

/* Row i of the data, dense, into x (d), scaled by a power of two to entries of at most 1. */
static void read_scaled(long double *x, const fathom_data_view *view, int64_t i)
{
    for (int64_t k = 0; k < view->d; k++)
        x[k] = view->x ? view->x[i * view->ld + k] : 0;
    for (int64_t k = view->x ? 0 : view->row_start[i]; !view->x && k < view->row_start[i + 1]; k++)
        x[view->column[k]] = view->value[k];
    long double largest = 0;
    for (int64_t k = 0; k < view->d; k++)
        largest = fmaxl(largest, fabsl(x[k]));
    const int exponent = largest > 0 ? ilogbl(largest) + 1 : 0;
    for (int64_t k = 0; k < view->d; k++)
        x[k] = ldexpl(x[k], -exponent);
}

static long double dot(const long double *a, const long double *b, int64_t d)
{
    long double sum = 0;
    for (int64_t k = 0; k < d; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Takes out of x its parts along the first `count` rows of the basis, twice; returns what is left of its length. */
static long double orthogonalize(long double *x, const long double *basis, int64_t count, int64_t d)
{
    for (int pass = 0; pass < 2; pass++)
        for (int64_t j = 0; j < count; j++) {
            const long double part = dot(x, basis + j * d, d);
            for (int64_t k = 0; k < d; k++)
                x[k] -= part * basis[j * d + k];
        }
    return sqrtl(dot(x, x, d));
}

/* An orthonormal basis (r x d) of the span of the p rows of x: always the row that is farthest from the span so far. */
static void find_basis(long double *basis, long double *rest, const long double *x, int64_t p, int64_t d,
                       int64_t r)
{
    memcpy(rest, x, (size_t)(p * d) * sizeof *x);
    for (int64_t j = 0; j < r; j++) {
        int64_t best = 0;
        long double most = -1;
        for (int64_t i = 0; i < p; i++) {
            const long double left = orthogonalize(rest + i * d, basis + (j > 0 ? j - 1 : 0) * d, j > 0, d);
            if (left > most) {
                most = left;
                best = i;
            }
        }
        long double *b = basis + j * d;
        memcpy(b, x + best * d, (size_t)d * sizeof *b);
        const long double length = orthogonalize(b, basis, j, d);
        for (int64_t k = 0; k < d; k++)
            b[k] /= length;
    }
}

/* normal (p x r): the rows of the planes' first points in the basis of their span. */
static fathom_status find_normals(measure_planes *planes, const fathom_data_view *view,
                                  const fathom_hyperplanes *h)
{
    const int64_t p = planes->p, d = view->d, r = planes->r;
    long double *x = fathom_memory_alloc(planes->context, p * d, sizeof *x);
    long double *rest = fathom_memory_alloc(planes->context, p * d, sizeof *rest);
    long double *basis = fathom_memory_alloc(planes->context, r * d, sizeof *basis);
    const bool good = x && rest && basis;
    for (int64_t i = 0; i < p && good; i++)
        read_scaled(x + i * d, view, h->member[h->member_start[i]]);
    if (good && r < d)
        find_basis(basis, rest, x, p, d, r);
    for (int64_t i = 0; i < p && good; i++)
        for (int64_t j = 0; j < r; j++)
            planes->normal[i * r + j] = (double)(r < d ? dot(x + i * d, basis + j * d, d) : x[i * d + j]);
    fathom_memory_free(planes->context, x);
    fathom_memory_free(planes->context, rest);
    fathom_memory_free(planes->context, basis);
    return good ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* The gate's pattern over hyperplanes into own (words, zeroed); false where no point off all hyperplanes has the gate's
 * pattern: parallel points must agree, antiparallel ones differ, zero points be closed. */
static bool reduce(uint64_t *own, const uint64_t *bits, const fathom_hyperplanes *h)
{
    for (int64_t w = 0; w < h->words; w++)
        if (bits[w] & ~h->nonzero[w])
            return false;
    for (int64_t k = 0; k < h->p; k++) {
        const int64_t first = h->member_start[k];
        const bool open = fathom_pattern_bit(bits, h->member[first]);
        for (int64_t q = first; q < h->member_start[k + 1]; q++)
            if (fathom_pattern_bit(bits, h->member[q]) != (open == (h->side[q] == h->side[first])))
                return false;
        if (open)
            own[k / 64] |= (uint64_t)1 << (k % 64);
    }
    return true;
}

/* Patterns over hyperplanes, and their index. */
static fathom_status find_patterns(measure_planes *planes, const fathom_gates_view *gates,
                                   const fathom_hyperplanes *h)
{
    fathom_status status = FATHOM_OK;
    for (int64_t j = 0; j < gates->m && status == FATHOM_OK; j++) {
        uint64_t *own = planes->bits + planes->m * planes->words;
        memset(own, 0, (size_t)planes->words * sizeof *own);
        planes->cell[j] = -1;
        if (!reduce(own, gates->bits + j * gates->words, h) ||
            fathom_pattern_index_find(&planes->index, planes->bits, own) >= 0)
            continue;
        status = fathom_pattern_index_add(&planes->index, planes->bits);
        planes->cell[j] = planes->m++;
    }
    return status;
}

static fathom_status fill(measure_planes *planes, const fathom_data_view *view,
                          const fathom_gates_view *gates, const fathom_hyperplanes *h)
{
    planes->p = h->p;
    planes->r = h->r;
    planes->words = fathom_pattern_words(h->p);
    planes->normal = fathom_memory_alloc(planes->context, h->p * h->r, sizeof *planes->normal);
    planes->cell = fathom_memory_alloc(planes->context, gates->m, sizeof *planes->cell);
    planes->bits = fathom_memory_alloc(planes->context, gates->m * planes->words, sizeof *planes->bits);
    if (!planes->normal || !planes->cell || !planes->bits)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = fathom_pattern_index_init(&planes->index, planes->context, planes->words);
    if (status == FATHOM_OK)
        status = find_normals(planes, view, h);
    return status == FATHOM_OK ? find_patterns(planes, gates, h) : status;
}

fathom_status fathom_measure_planes_init(measure_planes *planes, fathom_context *context,
                                         const fathom_data *data, const fathom_gates *gates)
{
    const fathom_data_view view = fathom_data_look(data);
    const fathom_gates_view gates_view = fathom_gates_look(gates);
    fathom_hyperplanes *h = NULL;
    *planes = (measure_planes){.context = context};
    fathom_status status = fathom_hyperplanes_create(&h, context, data);
    if (status == FATHOM_OK)
        status = fill(planes, &view, &gates_view, h);
    fathom_hyperplanes_free(h);
    return status;
}

void fathom_measure_planes_free(measure_planes *planes)
{
    fathom_pattern_index_free(&planes->index);
    fathom_memory_free(planes->context, planes->normal);
    fathom_memory_free(planes->context, planes->cell);
    fathom_memory_free(planes->context, planes->bits);
}
