/* SPDX-License-Identifier: Apache-2.0 */
/* Fans of simplicial cones; the mathematics stands in fan.h. */
#include "fan.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "memory.h"

enum { MOST = FATHOM_FAN_MOST, ALL = FATHOM_FAN_ALL };

static double dot(const double *a, const double *b, int64_t k)
{
    double sum = 0;
    for (int64_t l = 0; l < k; l++)
        sum += a[l] * b[l];
    return sum;
}

/* <g_a, g_b> of two rays. */
static double cosine_of(const fathom_fan *fan, int32_t a, int32_t b)
{
    const double t = dot(fan->c + a / 2 * fan->k, fan->c + b / 2 * fan->k, fan->k);
    return (a ^ b) & 1 ? -t : t;
}

/* gram (k x k) and behind it its inverse, by elimination: it is positive definite. */
static void invert(double *gram, const fathom_fan *fan, const fathom_fan_cone *cone)
{
    const int64_t k = cone->k;
    double m[MOST][2 * MOST] = {{0}};
    for (int64_t a = 0; a < k; a++) {
        for (int64_t b = 0; b < k; b++)
            m[a][b] = gram[a * k + b] = cosine_of(fan, cone->ray[a], cone->ray[b]);
        m[a][k + a] = 1;
    }
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++) {
            const double times = m[b][a] / m[a][a];
            for (int64_t e = 0; e < 2 * k && b != a; e++)
                m[b][e] -= times * m[a][e];
        }
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b < k; b++)
            gram[(k + a) * k + b] = m[a][k + b] / m[a][a];
}

/* lambda on the rays of `set` alone, G_set lambda = P_set, by elimination; the others 0. */
static void solve_on(double *lambda, int k, const double *gram, const double *p, unsigned set)
{
    double g[MOST][MOST], t[MOST];
    int at[MOST], m = 0;
    for (int a = 0; a < k; a++) {
        lambda[a] = 0;
        if (set >> a & 1)
            at[m++] = a;
    }
    for (int a = 0; a < m; a++) {
        t[a] = p[at[a]];
        for (int b = 0; b < m; b++)
            g[a][b] = gram[at[a] * k + at[b]];
    }
    for (int a = 0; a < m; a++)
        for (int b = a + 1; b < m; b++) {
            const double times = g[b][a] / g[a][a];
            for (int e = a; e < m; e++)
                g[b][e] -= times * g[a][e];
            t[b] -= times * t[a];
        }
    for (int a = m - 1; a >= 0; a--) {
        for (int e = a + 1; e < m; e++)
            t[a] -= g[a][e] * t[e];
        t[a] /= g[a][a];
        lambda[at[a]] = t[a];
    }
}

/* The least of lambda'G lambda / 2 - <P, lambda> over lambda >= 0 by active sets [Lawson, Hanson 1974, ch. 23]. */
static void solve_cone(double *lambda, int k, const double *gram, const double *p)
{
    unsigned set = 0;
    double trial[MOST], top = 0;
    memset(lambda, 0, (size_t)k * sizeof *lambda);
    for (int a = 0; a < k; a++)
        top = fmax(top, p[a]);
    for (int step = 0; step < 4 * k; step++) {
        int enters = -1;
        double most = 1e-14 * top;
        for (int a = 0; a < k; a++) {
            double slope = p[a];
            for (int b = 0; b < k; b++)
                slope -= gram[a * k + b] * lambda[b];
            if (!(set >> a & 1) && slope > most) {
                most = slope;
                enters = a;
            }
        }
        if (enters < 0)
            return;
        set |= 1U << enters;
        for (;;) { /* towards the solution on the set, until one of it reaches 0 and leaves */
            double reach = 1;
            int leaves = -1;
            solve_on(trial, k, gram, p, set);
            for (int a = 0; a < k; a++)
                if (set >> a & 1 && !(trial[a] > 0) && lambda[a] < reach * (lambda[a] - trial[a])) {
                    reach = lambda[a] / (lambda[a] - trial[a]);
                    leaves = a;
                }
            for (int a = 0; a < k; a++)
                lambda[a] = a == leaves ? 0 : lambda[a] + reach * (trial[a] - lambda[a]);
            if (leaves < 0)
                break;
            set &= ~(1U << leaves);
        }
    }
}

/* No less than the value of a cone: l that meets all prices with equality. */
static double value_at_most(const fathom_fan_cone *cone, const double *price)
{
    const int64_t k = cone->k;
    double p[MOST] = {0}, square = 0;
    for (int64_t a = 0; a < k; a++)
        p[a] = price[cone->ray[a]];
    for (int64_t a = 0; a < k; a++)
        square += p[a] * dot(cone->gram + (k + a) * k, p, k);
    return sqrt(fmax(square, 0));
}

double fathom_fan_cone_value(double *lambda, const fathom_fan_cone *cone, const double *price)
{
    const int64_t k = cone->k;
    double p[MOST] = {0}, square = 0;
    bool inside = true;
    for (int64_t a = 0; a < k; a++)
        p[a] = price[cone->ray[a]];
    for (int64_t a = 0; a < k && inside; a++) { /* all rays count, as a rule */
        lambda[a] = dot(cone->gram + (k + a) * k, p, k);
        inside = lambda[a] >= 0; /* NaN, where rays are too close, is not */
    }
    if (!inside)
        solve_cone(lambda, (int)k, cone->gram, p);
    for (int64_t a = 0; a < k; a++)
        square += p[a] * lambda[a];
    return sqrt(fmax(square, 0));
}

/* The largest M of a block, smoothed as below; share of its rays: its derivatives by log P. */
static double smooth_block(double *share, const fathom_fan *fan, int64_t block, const double *price,
                           double sharpness)
{
    double lambda[MOST], top = 0, sum = 0;
    for (int64_t a = 0; a < 2 * fan->directions; a++)
        top = fan->within[a / 2] == block ? fmax(top, price[a]) : top;
    const double least = top * exp(-40 / sharpness); /* what is below adds nothing to the largest */
    for (int64_t c = 0; c < fan->cones && top > 0; c++) {
        const fathom_fan_cone *cone = fan->cone + c;
        if (cone->block != block || cone->middle >= 0 || value_at_most(cone, price) < least)
            continue;
        const double value = fathom_fan_cone_value(lambda, cone, price);
        const double weight = exp(sharpness * (log(value) - log(top)));
        sum += weight;
        for (int64_t a = 0; a < cone->k && weight > 0; a++)
            share[cone->ray[a]] += weight * lambda[a] * price[cone->ray[a]] / (value * value);
    }
    for (int64_t a = 0; a < 2 * fan->directions; a++)
        if (fan->within[a / 2] == block)
            share[a] = sum > 0 ? share[a] / sum : 0;
    return log(top) + log(sum) / sharpness;
}

double fathom_fan_smooth(double *share, const fathom_fan *fan, const double *price, double sharpness)
{
    double value[ALL], top = -INFINITY, sum = 0;
    memset(share, 0, (size_t)(2 * fan->directions) * sizeof *share);
    for (int64_t b = 0; b < fan->blocks; b++) {
        value[b] = smooth_block(share, fan, b, price, sharpness);
        top = fmax(top, value[b]);
    }
    if (fan->blocks == 1 || !(top > -INFINITY))
        return value[0];
    /* M^2 = sum_b M_b^2: d log M / d log M_b = M_b^2 / M^2 */
    for (int64_t b = 0; b < fan->blocks; b++)
        sum += exp(2 * (value[b] - top));
    for (int64_t a = 0; a < 2 * fan->directions; a++)
        share[a] *= exp(2 * (value[fan->within[a / 2]] - top)) / sum;
    return top + log(sum) / 2;
}

/* l (k) of a cone, <l, g> >= P_g on its rays with rounding, and its length, rounded up. */
static double majorant(double *l, const fathom_fan *fan, const fathom_fan_cone *cone, const double *price)
{
    const int64_t k = fan->k;
    double lambda[MOST], times = 1, top = 0;
    fathom_fan_cone_value(lambda, cone, price);
    memset(l, 0, (size_t)k * sizeof *l);
    for (int64_t a = 0; a < cone->k; a++) {
        const double sign = cone->ray[a] & 1 ? -1 : 1;
        top = fmax(top, price[cone->ray[a]]);
        for (int64_t e = 0; e < k; e++)
            l[e] += sign * lambda[a] * fan->c[cone->ray[a] / 2 * k + e];
    }
    for (int64_t a = 0; a < cone->k;
         a++) { /* prices next to nothing count as a little: products are rounded */
        const double sign = cone->ray[a] & 1 ? -1 : 1, least = fmax(price[cone->ray[a]], 1e-12 * top);
        const double product = sign * dot(l, fan->c + cone->ray[a] / 2 * k, k);
        times = least > 0 ? (product > 0 ? fmax(times, least / product) : INFINITY) : times;
    }
    for (int64_t e = 0; e < k; e++)
        l[e] *= times * (1 + 1e-12);
    return sqrt(dot(l, l, k)) * (1 + 64 * DBL_EPSILON);
}

double fathom_fan_bound(const fathom_fan *fan, const double *price)
{
    double l[ALL], most[ALL] = {0}, square = 0;
    for (int64_t c = 0; c < fan->cones; c++)
        if (fan->cone[c].middle < 0)
            most[fan->cone[c].block] = fmax(most[fan->cone[c].block], majorant(l, fan, fan->cone + c, price));
    for (int64_t b = 0; b < fan->blocks; b++)
        square += most[b] * most[b];
    return fan->blocks == 1 ? most[0] : sqrt(square) * (1 + 64 * DBL_EPSILON);
}

static fathom_status reserve(fathom_fan *fan, int64_t cones)
{
    const int64_t k = fan->k;
    if (fan->directions + 1 > fan->direction_room) {
        const int64_t room = 2 * fan->direction_room + 16;
        double *c = fathom_memory_alloc(fan->context, room * (k + 1), sizeof *c);
        int64_t *parent = fathom_memory_zero(fan->context, 3 * room, sizeof *parent);
        if (!c || !parent) {
            FATHOM_FREE(fan->context, c, parent);
            return FATHOM_ERROR_MEMORY;
        }
        for (int64_t a = 0; a < fan->directions; a++) {
            memcpy(c + a * k, fan->c + a * k, (size_t)k * sizeof *c);
            c[room * k + a] = fan->share[a];
            parent[2 * a] = fan->parent[2 * a];
            parent[2 * a + 1] = fan->parent[2 * a + 1];
            parent[2 * room + a] = fan->within[a];
        }
        FATHOM_FREE(fan->context, fan->c, fan->parent);
        fan->c = c;
        fan->share = c + room * k;
        fan->parent = parent;
        fan->within = parent + 2 * room;
        fan->direction_room = room;
    }
    void *block = fan->cone;
    const fathom_status status =
        fathom_memory_grow(fan->context, &block, &fan->cone_room, fan->cones + cones, sizeof *fan->cone);
    fan->cone = block;
    return status;
}

/* The widest edge of all cones; its cosine. */
static double widest(int32_t edge[2], const fathom_fan *fan)
{
    double least = 2;
    for (int64_t c = 0; c < fan->cones; c++) {
        const fathom_fan_cone *cone = fan->cone + c;
        for (int64_t a = 0; a < cone->k && cone->middle < 0; a++)
            for (int64_t b = a + 1; b < cone->k; b++) {
                const double cosine = cosine_of(fan, cone->ray[a], cone->ray[b]);
                if (cosine < least - 1e-9) { /* the first of equals, whatever rounding does */
                    least = cosine;
                    edge[0] = cone->ray[a];
                    edge[1] = cone->ray[b];
                }
            }
    }
    return least;
}

/* Splits a cone whose rays `at` are the edge, at ray `middle`. */
static void split(fathom_fan *fan, int64_t c, const int at[2], int32_t middle)
{
    const fathom_fan_cone parent = fan->cone[c];
    fan->cone[c].middle = middle / 2;
    fan->cone[c].part = (int32_t)fan->cones;
    for (int half = 0; half < 2; half++) {
        fathom_fan_cone *part = fan->cone + fan->cones++;
        *part = parent;
        part->ray[at[half]] = middle;
    }
}

/* Halves an edge in every cone that has it, and its opposite. */
static fathom_status halve(fathom_fan *fan, const int32_t edge[2])
{
    const int64_t k = fan->k, before = fan->cones;
    FATHOM_TRY(reserve(fan, 2 * fan->cones));
    double *c = fan->c + fan->directions * k;
    for (int64_t e = 0; e < k; e++) {
        c[e] = 0;
        for (int half = 0; half < 2; half++)
            c[e] += (edge[half] & 1 ? -1 : 1) * fan->c[edge[half] / 2 * k + e];
    }
    fan->share[fan->directions] = 1 / sqrt(dot(c, c, k));
    for (int64_t e = 0; e < k; e++)
        c[e] *= fan->share[fan->directions];
    for (int half = 0; half < 2; half++)
        fan->parent[2 * fan->directions + half] = edge[half];
    fan->within[fan->directions] = fan->within[edge[0] / 2];
    const int32_t middle = (int32_t)(2 * fan->directions++);
    for (int64_t t = 0; t < before; t++)
        for (int turn = 0; turn < 2 && fan->cone[t].middle < 0; turn++) {
            int at[2] = {-1, -1};
            for (int a = 0; a < 2 * fan->cone[t].k; a++)
                at[a % 2] = fan->cone[t].ray[a / 2] == (edge[a % 2] ^ turn) ? a / 2 : at[a % 2];
            if (at[0] >= 0 && at[1] >= 0)
                split(fan, t, at, middle ^ turn);
        }
    return FATHOM_OK;
}

static fathom_status finish(fathom_fan *fan)
{
    for (int64_t c = 0; c < fan->cones; c++) {
        fathom_fan_cone *cone = fan->cone + c;
        if (cone->middle >= 0)
            continue;
        cone->gram = fathom_memory_alloc(fan->context, 2 * cone->k * cone->k, sizeof *cone->gram);
        if (!cone->gram)
            return FATHOM_ERROR_MEMORY;
        invert(cone->gram, fan, cone);
    }
    return FATHOM_OK;
}

/* The axes, and the cones of those of each block. */
static fathom_status add_axes(fathom_fan *fan, const double *axis, const int64_t *block)
{
    const int64_t k = fan->k;
    for (int64_t a = 0; a < k; a++) {
        const int64_t b = block ? block[a] : 0;
        FATHOM_TRY(reserve(fan, 0));
        memcpy(fan->c + a * k, axis + a * k, (size_t)k * sizeof *axis);
        fan->share[a] = 1;
        fan->within[a] = b;
        fan->directions++;
        fan->blocks = b + 1 > fan->blocks ? b + 1 : fan->blocks;
        fan->block[b].axis[fan->block[b].k++] = a;
    }
    for (int64_t b = 0; b < fan->blocks; b++) {
        fathom_fan_block *one = fan->block + b;
        one->first = fan->cones;
        FATHOM_TRY(reserve(fan, INT64_C(1) << one->k));
        for (int64_t signs = 0; signs < INT64_C(1) << one->k; signs++) {
            fathom_fan_cone *cone = fan->cone + fan->cones++;
            *cone = (fathom_fan_cone){.block = (int32_t)b, .k = (int32_t)one->k, .middle = -1};
            for (int64_t a = 0; a < one->k; a++)
                cone->ray[a] = (int32_t)(2 * one->axis[a] + (signs >> a & 1));
        }
    }
    return FATHOM_OK;
}

fathom_status fathom_fan_create(fathom_fan **out, fathom_context *context, int64_t k, const double *axis,
                                const int64_t *block, int64_t directions, double cosine)
{
    fathom_fan *fan = *out = fathom_memory_zero(context, 1, sizeof *fan);
    if (!fan)
        return FATHOM_ERROR_MEMORY;
    fan->context = context;
    fan->k = fan->axes = k;
    int32_t edge[2] = {0, 0};
    fathom_status status = add_axes(fan, axis, block);
    while (status == FATHOM_OK && fan->directions < directions && k > 1 && widest(edge, fan) < cosine)
        status = halve(fan, edge);
    return status == FATHOM_OK ? finish(fan) : status;
}

void fathom_fan_free(fathom_fan *fan)
{
    if (!fan)
        return;
    for (int64_t c = 0; c < fan->cones; c++)
        fathom_memory_free(fan->context, fan->cone[c].gram);
    FATHOM_FREE(fan->context, fan->cone, fan->c, fan->parent, fan);
}

/* Pieces and bisections of the tree of a cone whose leaves are each continued by `below` of them. */
static double count_tree(const fathom_fan *fan, int64_t at, double below)
{
    const fathom_fan_cone *cone = fan->cone + at;
    return cone->middle < 0 ? below
                            : 1 + count_tree(fan, cone->part, below) + count_tree(fan, cone->part + 1, below);
}

/* The cone of a block's axes with the signs of all axes. */
static int64_t first_cone(const fathom_fan *fan, int64_t block, int64_t signs)
{
    const fathom_fan_block *one = fan->block + block;
    int64_t at = one->first;
    for (int64_t a = 0; a < one->k; a++)
        at += (signs >> one->axis[a] & 1) << a;
    return at;
}

double fathom_fan_pieces(const fathom_fan *fan)
{
    double all = 0;
    for (int64_t signs = 0; signs < INT64_C(1) << fan->k; signs++) {
        double below = 1;
        for (int64_t b = fan->blocks - 1; b >= 0; b--)
            below = count_tree(fan, first_cone(fan, b, signs), below);
        all += below;
    }
    return all;
}

/* Where a cover is told: cones of the blocks before `block` were chosen, and l is the sum of their
 * majorants. */
typedef struct telling {
    fathom_proof *proof;
    const fathom_fan *fan;
    const double *price;
    int64_t signs;
} telling;

/* A cone of a block and its parts, in preorder, at the end of the cover; below a cone that is not split
 * those of the next block, and a piece below those of the last. l (k): the sum of the majorants of earlier
 * blocks. */
static void tell_cone(const telling *t, int64_t block, int64_t at, const double *l)
{
    fathom_proof *proof = t->proof;
    const fathom_fan_cone *cone = t->fan->cone + at;
    if (cone->middle >= 0) {
        proof->bisect[proof->pieces++] = cone->middle;
        tell_cone(t, block, cone->part, l);
        tell_cone(t, block, cone->part + 1, l);
        return;
    }
    double sum[ALL];
    majorant(sum, t->fan, cone, t->price);
    for (int64_t e = 0; e < t->fan->k; e++)
        sum[e] += l[e];
    if (block + 1 < t->fan->blocks) {
        tell_cone(t, block + 1, first_cone(t->fan, block + 1, t->signs), sum);
        return;
    }
    const int64_t piece = proof->pieces++;
    proof->bisect[piece] = -1;
    memcpy(proof->majorant + piece * proof->outputs, sum, (size_t)t->fan->k * sizeof *sum);
}

fathom_status fathom_fan_tell(fathom_proof *proof, const fathom_fan *fan, const double *price)
{
    const int64_t corners = fan->directions - fan->axes;
    const double none[ALL] = {0};
    fathom_status status = fathom_proof_set_cover(proof, corners, (int64_t)fathom_fan_pieces(fan));
    for (int64_t a = 0; a < 2 * corners && status == FATHOM_OK; a++) {
        const int64_t ray = fan->parent[2 * fan->axes + a];
        proof->parent[a] = ray / 2;
        proof->share[a] = (ray & 1 ? -1 : 1) * fan->share[fan->axes + a / 2];
    }
    proof->pieces = 0;
    proof->fan = true;
    for (int64_t signs = 0; signs < INT64_C(1) << fan->k && status == FATHOM_OK; signs++)
        tell_cone(&(telling){proof, fan, price, signs}, 0, first_cone(fan, 0, signs), none);
    return status;
}
