/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Are the gates all sets of active points U = {i : <x_i, z> > 0}, z on hyperplanes included?
 *
 * The sign vectors of all z are the compositions of those of rays: (X o Y)_i = X_i where that is not 0,
 * else Y_i, is the sign vector of z + e w for small e > 0. Conversely z lies in the relative interior of
 * its face, whose closure, modulo the space orthogonal to all rows, is the hull of its rays; so z is a
 * positive combination of rays none of which has a sign opposite to its own, and its signs are the
 * composition of theirs in any order. Rays are the lines orthogonal to r - 1 independent rows, r the rank,
 * both directions. They are composed from 0 on until nothing new appears. Work is limited.
 */
#include <stdlib.h>
#include <string.h>

#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>

#include "checker.h"

/* Distinct vectors of n signs. */
typedef struct signs {
    int64_t n, count, room; /* room: a power of two, vectors and twice as many slots */
    signed char *vector;
    int64_t *slot; /* numbers from 1 on, 0 where free */
} signs;

static void signs_room(check *c, signs *s, int64_t room)
{
    signs wider = {.n = s->n, .count = s->count, .room = room};
    wider.vector = check_alloc(c, room, (size_t)s->n);
    wider.slot = check_alloc(c, 2 * room, sizeof *wider.slot);
    if (s->count > 0)
        memcpy(wider.vector, s->vector, (size_t)(s->count * s->n));
    *s = wider;
}

static uint64_t hash_of(const signed char *v, int64_t n)
{
    uint64_t h = 14695981039346656037u;
    for (int64_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)v[i]) * 1099511628211u;
    return h ^ h >> 29;
}

/* The free slot for a vector, or that of its equal. */
static int64_t *find(const signs *s, const signed char *v)
{
    uint64_t at = hash_of(v, s->n);
    for (;; at++) {
        int64_t *slot = s->slot + (at & (uint64_t)(2 * s->room - 1));
        if (!*slot || memcmp(s->vector + (*slot - 1) * s->n, v, (size_t)s->n) == 0)
            return slot;
    }
}

static void enter(check *c, signs *s, const signed char *v)
{
    if (*find(s, v))
        return;
    if (s->count == s->room) {
        signs_room(c, s, 2 * s->room);
        for (int64_t k = 0; k < s->count; k++)
            *find(s, s->vector + k * s->n) = k + 1;
    }
    memcpy(s->vector + s->count * s->n, v, (size_t)s->n);
    *find(s, v) = ++s->count;
}

double check_words(const fmpz_mat_t x)
{
    const slong bits = fmpz_mat_max_bits(x);
    return 1 + (double)(bits < 0 ? -bits : bits) / 64;
}

/* The rows in r independent columns (n x r); gives r. */
static int64_t reduce(check *c, fmpz_mat_t kept)
{
    const dataset *a = &c->data;
    fmpz_mat_t all, form;
    fmpz_t factor;
    fmpz_init(factor);
    fmpz_mat_init(all, a->n, a->d);
    fmpz_mat_init(form, a->n, a->d);
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t k = 0; k < a->d; k++)
            arf_get_fmpz_fixed_si(fmpz_mat_entry(all, i, k), arb_midref(a->point + i * (a->d + 1) + k),
                                  LEAST);
    const double least = (double)(a->n < a->d ? a->n : a->d);
    check_work(c,
               (double)(a->n * a->d) * least * least * check_words(all)); /* minors of up to that many rows */
    const int64_t r = fmpz_mat_rref(form, factor, all);
    fmpz_mat_init(kept, a->n, r);
    for (int64_t p = 0, k = 0; p < r; p++, k++) {
        while (fmpz_is_zero(fmpz_mat_entry(form, p, k)))
            k++;
        for (int64_t i = 0; i < a->n; i++)
            fmpz_set(fmpz_mat_entry(kept, i, p), fmpz_mat_entry(all, i, k));
    }
    fmpz_mat_clear(all);
    fmpz_mat_clear(form);
    fmpz_clear(factor);
    return r;
}

/* Enters both sign vectors of the ray orthogonal to rows set[0..r-1) of x (n x r), where these are
 * independent. */
static void enter_ray(check *c, signs *rays, const fmpz_mat_t x, const int64_t *set, signed char *v)
{
    const int64_t r = fmpz_mat_ncols(x), n = fmpz_mat_nrows(x);
    fmpz_mat_t minor, ray, product;
    bool zero = true;
    fmpz_mat_init(minor, r - 1, r - 1);
    fmpz_mat_init(ray, r, 1);
    fmpz_mat_init(product, n, 1);
    for (int64_t skip = 0; skip < r; skip++) {
        for (int64_t i = 0; i < r - 1; i++)
            for (int64_t k = 0, to = 0; k < r; k++)
                if (k != skip)
                    fmpz_set(fmpz_mat_entry(minor, i, to++), fmpz_mat_entry(x, set[i], k));
        fmpz_mat_det(fmpz_mat_entry(ray, skip, 0), minor);
        if (skip % 2)
            fmpz_neg(fmpz_mat_entry(ray, skip, 0), fmpz_mat_entry(ray, skip, 0));
        zero &= fmpz_is_zero(fmpz_mat_entry(ray, skip, 0));
    }
    fmpz_mat_mul(product, x, ray);
    for (int side = -1; side <= 1 && !zero; side += 2) {
        for (int64_t i = 0; i < n; i++)
            v[i] = (signed char)(side * fmpz_sgn(fmpz_mat_entry(product, i, 0)));
        enter(c, rays, v);
    }
    fmpz_mat_clear(minor);
    fmpz_mat_clear(ray);
    fmpz_mat_clear(product);
}

/* The next set of `size` numbers below n; false after the last. */
static bool next_set(int64_t *set, int64_t size, int64_t n)
{
    int64_t i = size - 1;
    while (i >= 0 && set[i] == n - size + i)
        i--;
    if (i < 0)
        return false;
    set[i]++;
    for (int64_t k = i + 1; k < size; k++)
        set[k] = set[k - 1] + 1;
    return true;
}

static void find_rays(check *c, signs *rays, signed char *v, int64_t *work)
{
    fmpz_mat_t x;
    const int64_t r = reduce(c, x), n = rays->n;
    const double size = (double)(r * r * r + n) * check_words(x);
    int64_t *set = check_alloc(c, r + 1, sizeof *set);
    for (int64_t k = 0; k < r; k++)
        set[k] = k;
    if (r > 0)
        do {
            *work += n * r;
            check_work(c, size * (double)(r * r)); /* minors, and their products with the rows */
            check_that(c, 6, *work <= c->limits->steps, "the rays are too many to be counted here");
            enter_ray(c, rays, x, set, v);
        } while (next_set(set, r - 1, n));
    fmpz_mat_clear(x);
}

void check_claim_faces(check *c)
{
    const gates *g = &c->gates;
    const int64_t n = c->data.n;
    int64_t work = 0;
    signs rays = {.n = n}, all = {.n = n}, sets = {.n = n};
    signed char *v = check_alloc(c, n, 1);
    need(c, g->orientation || g->m == 0, "the gates have no points");
    signs_room(c, &rays, 64);
    signs_room(c, &all, 64);
    signs_room(c, &sets, 64);
    enter(c, &all, v);
    find_rays(c, &rays, v, &work);
    for (int64_t k = 0; k < all.count; k++)
        for (int64_t l = 0; l < rays.count; l++) {
            work += n;
            check_work(c, (double)n / 8);
            check_that(c, 6, work <= 100 * c->limits->steps, "the faces are too many to be counted here");
            for (int64_t i = 0; i < n; i++) {
                const signed char own = all.vector[k * n + i];
                v[i] = own ? own : rays.vector[l * n + i];
            }
            enter(c, &all, v);
        }
    for (int64_t k = 0; k < all.count; k++) {
        for (int64_t i = 0; i < n; i++)
            v[i] = all.vector[k * n + i] > 0;
        enter(c, &sets, v);
    }
    const int64_t count = sets.count;
    all.count = 0;
    signs_room(c, &all, 64);
    for (int64_t j = 0; j < g->m; j++)
        enter(c, &all, (const signed char *)g->open + j * n);
    need(c, all.count == g->m, "a set is listed twice");
    need(c, count == g->m, "%lld sets are listed, there are %lld", (long long)g->m, (long long)count);
    c->verdict.upper = c->verdict.lower = (double)count;
}
