/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The central arrangement that data cut out of R^d: its distinct hyperplanes {z : <x_i, z> = 0}.
 *
 * Zero rows belong to no hyperplane (such points are never active), parallel rows share one, and where the rank r of X
 * is below d, only r independent columns are kept: X = X_C B for those columns C, so {sign(X z)} = {sign(X_C w)}, and
 * a witness w in R^r becomes z with z_C = w and zeros elsewhere. All of it is decided exactly.
 */
#ifndef FATHOM_HYPERPLANES_H
#define FATHOM_HYPERPLANES_H

#include "exact.h"
#include "fathom/data.h"

typedef struct fathom_hyperplanes {
    fathom_context *context;
    int64_t n, d;           /* of the data */
    int64_t p, r;           /* distinct hyperplanes, rank */
    int64_t words;          /* 64-bit words of a pattern of n bits */
    int64_t *column;        /* d; the first r: the kept columns, ascending */
    fathom_integer *normal; /* p x r, primitive integer normals */
    fathom_integer *basis;  /* r x d: a basis of the row space */
    double *scaled; /* p x r: rows times powers of two, entries at most 1; columns equilibrated as well */
    bool scaled_exactly;   /* no entry was lost to underflow in `scaled` */
    double *column_scale;  /* r: witness entry c in data coordinates = column_scale[c] * entry for `scaled` */
    int64_t *member_start; /* p + 1; points of hyperplane h: member[member_start[h] .. member_start[h+1]] */
    int32_t *member;
    int8_t *side; /* aligned with member: 1 where x_i is a positive multiple of the normal, -1 negative */
    uint64_t *nonzero; /* words: points whose row is not zero */
    bool opposed;      /* some hyperplane has members on both sides */
} fathom_hyperplanes;

fathom_status fathom_hyperplanes_create(fathom_hyperplanes **planes, fathom_context *context,
                                        const fathom_data *data);
void fathom_hyperplanes_free(fathom_hyperplanes *planes);

/* Flips all points of hyperplane h in a pattern over points. */
static inline void fathom_hyperplanes_toggle(const fathom_hyperplanes *planes, uint64_t *bits, int64_t h)
{
    for (int64_t k = planes->member_start[h]; k < planes->member_start[h + 1]; k++)
        bits[planes->member[k] / 64] ^= (uint64_t)1 << (planes->member[k] % 64);
}

/* The side of hyperplane h on which a full-dimensional pattern lies: true where <normal, z> > 0. */
static inline bool fathom_hyperplanes_side(const fathom_hyperplanes *planes, const uint64_t *bits, int64_t h)
{
    const int64_t k = planes->member_start[h];
    return (bits[planes->member[k] / 64] >> (planes->member[k] % 64) & 1) == (planes->side[k] > 0);
}

/* Number of full-dimensional cones of p hyperplanes in general position in R^r [Cover 1965]:
 * 2 sum_{k < r} C(p - 1, k), 1 where p = 0. Exact up to 2^53, else within a relative 1e-13; may be infinite. */
double fathom_cover_count(int64_t p, int64_t r);

#endif
