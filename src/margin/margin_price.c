/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pricing for the global margin: the maximum of |F_q| over the sphere, from the flats of margin_flats.c.
 *
 * S_C of all cones of a flat along its gate tree, d additions per cone; arcs of a plane in their order. A cone whose |proj_L(S_C)|
 * is below what has been found holds no maximum: F_q(b) = <S_C, b> there. The others are evaluated as they stand, so
 * that a misplaced one does no harm. Where flats are too many, local ascent gives neurons, and the upper bound is
 *
 *     |F_q(b)| <= (|sum_i q_i z_i| + sqrt(lambda_max(sum_i q_i z_i z_i'))) / 2,
 *
 * with free biases on the points (x_i - centre, R), on which a best neuron is at most sqrt 2 long (global_lift.c).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ascent.h"
#include "blas.h"
#include "context_internal.h"
#include "margin_global.h"
#include "memory.h"
#include "random.h"

enum {
    KEPT = 24,   /* directions that are remembered */
    STARTS = 32, /* of the ascent, for each sign */
};

static const double MOST_CELLS = 1e6; /* of all flats: about 100 bytes each */

/* A list that cannot be made is no failure, unless memory is short. */
static fathom_status list_flats(fathom_flat_search *s)
{
    const fathom_margin_run *run = s->run;
    const fathom_margin_points *p = run->points;
    const double cells = fathom_flats_cells(p->n, run->lines, p->d, p->bias);
    s->all = (p->d <= 2 && !p->bias) || (p->d <= FATHOM_FLATS_DEEPEST && cells <= MOST_CELLS);
    if (!s->all)
        return FATHOM_OK;
    FATHOM_TRY(fathom_context_require(run->context, fathom_flats_bytes(p->n, run->lines, p->d, p->bias),
                                      "the cones of all flats of this arrangement"));
    const fathom_status status = fathom_flats_create(&s->flats, run->context, p->n, p->d, p->x, p->bias);
    s->all = status == FATHOM_OK;
    if (!s->all)
        fathom_flats_free(&s->flats);
    return status == FATHOM_ERROR_MEMORY ? status : FATHOM_OK;
}

fathom_status fathom_flat_search_create(fathom_flat_search *s, fathom_margin_run *run)
{
    const fathom_margin_points *p = run->points;
    *s = (fathom_flat_search){.run = run, .width = p->d + p->bias, .flats = {.context = run->context}};
    FATHOM_TRY(list_flats(s));
    s->value = fathom_memory_alloc(run->context, KEPT, sizeof *s->value);
    s->direction = fathom_memory_alloc(run->context, KEPT * s->width, sizeof *s->direction);
    s->pull = fathom_memory_alloc(run->context, p->n * p->d, sizeof *s->pull);
    s->sum = fathom_memory_alloc(run->context, (s->flats.most_cones + 1) * p->d, sizeof *s->sum);
    s->work = fathom_memory_alloc(run->context, 4 * s->width, sizeof *s->work);
    return s->value && s->direction && s->pull && s->sum && s->work ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_flat_search_free(fathom_flat_search *s)
{
    fathom_context *context = s->run->context;
    fathom_flats_free(&s->flats);
    FATHOM_FREE(context, s->value, s->direction, s->pull, s->sum, s->work);
}

/* Moves to a centre: pull and reach. */
static void set_centre(fathom_flat_search *s, int64_t centre)
{
    const fathom_margin_points *p = s->run->points;
    const int64_t d = p->d;
    s->centre = centre;
    s->reach = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double *pull = s->pull + i * d;
        for (int64_t k = 0; k < d; k++)
            pull[k] = s->q[i] * p->y[i] * (p->x[i * d + k] - (centre >= 0 ? p->x[centre * d + k] : 0));
        s->reach += fathom_blas_norm(pull, d);
    }
    s->reach *= 1 + (double)(p->n + d + 4) * DBL_EPSILON;
}

/* |F_q(b)| around the centre: pull_i counts where x_i - centre is on b's side. */
static double evaluate(const fathom_flat_search *s, const double *b)
{
    const fathom_margin_points *p = s->run->points;
    double total = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double inner = fathom_blas_dot(s->pull + i * p->d, b, p->d);
        total += p->y[i] * inner > 0 ? inner : 0;
    }
    return fabs(total);
}

/* The least value that is remembered, once there are enough. */
static double threshold(const fathom_flat_search *s) { return s->found == KEPT ? s->value[KEPT - 1] : 0; }

static void insert(fathom_flat_search *s, const double *b, double value)
{
    const int64_t w = s->width, d = s->run->points->d;
    int64_t at = s->found;
    while (at > 0 && s->value[at - 1] < value)
        at--;
    for (int64_t k = at > 0 ? at - 1 : 0; k < s->found && k <= at; k++)
        if (fathom_blas_dot(s->direction + k * w, b, d) > 1 - 1e-14 &&
            fabs(s->direction[k * w + w - 1] - b[w - 1]) <= 1e-14 * fabs(b[w - 1]))
            return;
    if (at == KEPT)
        return;
    const int64_t last = s->found < KEPT ? s->found++ : KEPT - 1;
    memmove(s->value + at + 1, s->value + at, (size_t)(last - at) * sizeof *s->value);
    memmove(s->direction + (at + 1) * w, s->direction + at * w, (size_t)((last - at) * w) * sizeof *b);
    s->value[at] = value;
    memcpy(s->direction + at * w, b, (size_t)w * sizeof *b);
}

/* Considers the direction of v (d) around the centre; its flat is known to `error`. */
static void consider(fathom_flat_search *s, const double *v, double error)
{
    const fathom_margin_points *p = s->run->points;
    const int64_t d = p->d;
    const double norm = fathom_blas_norm(v, d);
    double *b = s->work + 3 * s->width;
    if (!(norm > 0))
        return;
    for (int64_t k = 0; k < d; k++)
        b[k] = v[k] / norm;
    if (p->bias)
        b[d] = s->centre >= 0 ? -fathom_blas_dot(b, p->x + s->centre * d, d) : 0;
    const double value = evaluate(s, b);
    s->upper = fmax(s->upper, value + error * s->reach);
    if (value > threshold(s))
        insert(s, b, value);
}

/* Considers +-(projection of v to the flat), where that is long enough to matter. */
static void consider_projection(fathom_flat_search *s, const fathom_flat *flat, const double *v)
{
    const int64_t d = s->run->points->d;
    double *b = s->work + 2 * s->width;
    memset(b, 0, (size_t)d * sizeof *b);
    for (int64_t k = 0; k < flat->r; k++)
        fathom_blas_axpy(b, fathom_blas_dot(v, flat->basis + k * d, d), flat->basis + k * d, d);
    const double slack = (flat->error + 16 * (double)(s->run->points->n + d) * DBL_EPSILON) * s->reach;
    if (fathom_blas_norm(b, d) + slack < threshold(s))
        return;
    consider(s, b, flat->error);
    fathom_blas_scale(b, -1, d);
    consider(s, b, flat->error);
}

/* The arcs of a plane with basis e, f and their ends. */
static void walk_plane(fathom_flat_search *s, const fathom_flat *flat)
{
    const int64_t d = s->run->points->d;
    double *sum = s->work, *other = s->work + s->width, *b = s->work + 2 * s->width;
    memset(sum, 0, (size_t)d * sizeof *sum);
    memset(other, 0, (size_t)d * sizeof *other);
    for (int64_t c = 0; c < flat->crossings; c++)
        fathom_blas_axpy(flat->crossing[c].turned ? sum : other, 1, s->pull + flat->crossing[c].point * d, d);
    for (int64_t c = 0; c < flat->crossings; c++) { /* sum: the arc in hand; other: the opposite one */
        const fathom_flat_crossing *x = flat->crossing + c;
        const double weight = x->turned ? -1 : 1;
        fathom_blas_axpy(sum, weight, s->pull + x->point * d, d);
        fathom_blas_axpy(other, -weight, s->pull + x->point * d, d);
        consider_projection(s, flat, sum);
        consider_projection(s, flat, other);
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int64_t k = 0; k < d; k++)
                b[k] = sign * (x->end[0] * flat->basis[k] + x->end[1] * flat->basis[d + k]);
            consider(s, b, flat->error);
        }
    }
}

/* sum (d) = S_C of cone j from the one it differs least from. */
static void sum_cone(double *sum, const fathom_flat_search *s, const fathom_gates_view *cones, int64_t j)
{
    const int64_t n = cones->n, d = s->run->points->d, parent = cones->parent[j];
    const uint64_t *bits = cones->bits + j * cones->words;
    if (parent < 0) {
        memset(sum, 0, (size_t)d * sizeof *sum);
        for (int64_t i = 0; i < n; i++)
            if (bits[i / 64] >> i % 64 & 1)
                fathom_blas_axpy(sum, 1, s->pull + i * d, d);
        return;
    }
    memcpy(sum, s->sum + parent * d, (size_t)d * sizeof *sum);
    for (int64_t f = cones->flip_start[j]; f < cones->flip_start[j + 1]; f++) {
        const int64_t i = cones->flip[f];
        fathom_blas_axpy(sum, bits[i / 64] >> i % 64 & 1 ? 1 : -1, s->pull + i * d, d);
    }
}

static void price_flat(fathom_flat_search *s, const fathom_flat *flat)
{
    const int64_t d = s->run->points->d;
    if (s->centre != flat->centre)
        set_centre(s, flat->centre);
    if (flat->r == 1) {
        consider(s, flat->basis, 0);
        s->work[0] = -flat->basis[0];
        consider(s, s->work, 0);
    }
    if (flat->r == 2)
        walk_plane(s, flat);
    if (flat->r < 3)
        return;
    const fathom_gates_view cones = fathom_gates_look(flat->cones);
    for (int64_t j = 0; j < cones.m; j++) {
        sum_cone(s->sum + j * d, s, &cones, j);
        consider_projection(s, flat, s->sum + j * d);
    }
}

/* Local ascent on both sides from random starts; a new set of starts for every call. */
static fathom_status ascend(fathom_flat_search *s)
{
    const fathom_margin_points *p = s->run->points;
    fathom_context *context = s->run->context;
    const int64_t n = p->n, w = s->width, count = 2 * STARTS;
    double *u = fathom_memory_alloc(context, count * (w + 2) + n, sizeof *u);
    if (!u)
        return FATHOM_ERROR_MEMORY;
    double *sign = u + count * w, *value = sign + count, *v = value + count;
    for (int64_t i = 0; i < n; i++)
        v[i] = s->q[i] * p->y[i];
    fathom_random_normals(u, STARTS * w, fathom_context_seed(context), FATHOM_STREAM_START, 1 + s->calls++,
                          0);
    memcpy(u + STARTS * w, u, (size_t)(STARTS * w) * sizeof *u);
    for (int64_t k = 0; k < count; k++)
        sign[k] = k < STARTS ? 1 : -1;
    const fathom_ascent problem = {.n = n, .d = p->d, .outputs = 1, .x = p->x, .v = v, .bias = p->bias};
    const fathom_status status = fathom_ascent_run(u, value, sign, count, &problem, context);
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++)
        if (value[k] > threshold(s))
            insert(s, u + k * w, value[k]);
    fathom_memory_free(context, u);
    return status;
}

/* out (d + 1) = the point z_i of the bound of this file's head; with free biases around `mean`, `radius` beside it. */
static void bound_point(double *out, const fathom_margin_points *p, int64_t i, const double *mean,
                        double radius)
{
    for (int64_t k = 0; k < p->d; k++)
        out[k] = p->y[i] * (p->x[i * p->d + k] - (p->bias ? mean[k] : 0));
    out[p->d] = p->y[i] * radius;
}

/* That bound. */
static fathom_status bound_above(double *upper, const fathom_flat_search *s)
{
    const fathom_margin_points *p = s->run->points;
    const int64_t n = p->n, w = p->d + 1;
    double *moment = fathom_memory_zero(s->run->context, w * w + 4 * w, sizeof *moment), radius = 0;
    if (!moment)
        return FATHOM_ERROR_MEMORY;
    double *total = moment + w * w, *value = total + w, *z = value + w, *mean = z + w;
    for (int64_t i = 0; i < n && p->bias; i++)
        fathom_blas_axpy(mean, 1 / (double)n, p->x + i * p->d, p->d);
    for (int64_t i = 0; i < n && p->bias; i++) {
        bound_point(z, p, i, mean, 0);
        radius = fmax(radius, fathom_blas_norm(z, w));
    }
    for (int64_t i = 0; i < n; i++) {
        bound_point(z, p, i, mean, radius);
        fathom_blas_ger(moment, w, w, w, s->q[i], z, z);
        fathom_blas_axpy(total, s->q[i], z, w);
    }
    const fathom_status status = fathom_blas_eigen(value, moment, w, w, false, s->run->context);
    if (status == FATHOM_OK)
        *upper = (fathom_blas_norm(total, w) + sqrt(value[w - 1])) / 2 * (p->bias ? sqrt(2) : 1) *
                     (1 + 1e-10 * (double)(n + w)) +
                 (p->bias ? 16 * (double)n * DBL_EPSILON * p->radius : 0);
    fathom_memory_free(s->run->context, moment);
    return status;
}

fathom_status fathom_flat_price(fathom_flat_search *s, const double *q)
{
    enum { LOOKS = 64 };
    const fathom_margin_points *p = s->run->points;
    s->q = q;
    s->found = 0;
    s->upper = 0;
    s->centre = -2;
    if (!s->all) {
        const fathom_status status = ascend(s);
        return status == FATHOM_OK ? bound_above(&s->upper, s) : status;
    }
    for (int64_t k = 0; k < s->flats.count; k++) {
        price_flat(s, s->flats.flat + k);
        if (k % LOOKS == LOOKS - 1 && fathom_context_stop_reason(s->run->context) != FATHOM_STOP_NONE) {
            s->upper = INFINITY;
            return FATHOM_OK;
        }
    }
    /* sums and products; with free biases q is balanced to n u, a neuron is worth 2 R per unit of it */
    const double length = p->bias ? 4 * p->radius : fathom_margin_mass(p, q);
    s->upper += 64 * (double)(p->n + p->d) * DBL_EPSILON * length;
    return FATHOM_OK;
}
