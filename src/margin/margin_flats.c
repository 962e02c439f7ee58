/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pricing for the global margin: the maximum of |F_q| over the sphere, flat by flat.
 *
 * A flat L of dimension r is given by an orthonormal basis (r x d). Within L the points are their projections; on a cone C
 * of that arrangement F_q(b) = <S_C, b>, S_C the sum of q_i z_i over the points that are open on C, so a maximum of |F_q| over
 * the sphere of L inside C lies at +-proj_L(S_C) / |..|. Planes (r = 2) are walked arc by arc, arc ends included; larger
 * flats have their cones listed. The flats below L are L cut with x_i^perp, i beyond the last one cut with. Every candidate is
 * evaluated as it stands, so a misplaced one does no harm; missing the true one by rounding costs at most the slack,
 * because |F_q(b) - F_q(b')| <= |b - b'| sum_i q_i |x_i|.
 */
#include "margin_global.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ascent.h"
#include "blas.h"
#include "context_internal.h"
#include "fathom/gates.h"
#include "memory.h"
#include "random.h"

enum {
    KEPT = 24,   /* directions that are remembered */
    STARTS = 32, /* of the ascent, for each sign */
    DEEPEST = 5, /* dimension up to which all flats are visited */
    MOST_FLATS = 20000
};

typedef struct crossing {
    double angle;
    int64_t point;
    bool turned;
} crossing;

static int by_angle(const void *left, const void *right)
{
    const crossing *a = left, *b = right;
    return a->angle < b->angle ? -1 : a->angle > b->angle ? 1 : (a->point > b->point) - (a->point < b->point);
}

/* Number of flats of dimension 2 and more under n hyperplanes in R^d, from above. */
static double flat_count(int64_t n, int64_t d)
{
    double count = 1, binomial = 1;
    for (int64_t k = 1; k <= d - 2; k++) {
        binomial *= (double)(n - k + 1) / (double)k;
        count += binomial;
    }
    return count;
}

fathom_status fathom_flat_search_create(fathom_flat_search *s, fathom_margin_run *run)
{
    const int64_t n = run->points->n, d = run->points->d;
    *s = (fathom_flat_search){.run = run};
    s->all = d <= 2 || (d <= DEEPEST && flat_count(run->lines, d) <= MOST_FLATS);
    s->value = fathom_memory_alloc(run->context, KEPT, sizeof *s->value);
    s->direction = fathom_memory_alloc(run->context, KEPT * d, sizeof *s->direction);
    s->work = fathom_memory_alloc(run->context, 4 * d, sizeof *s->work);
    s->crossing = fathom_memory_alloc(run->context, n + 1, sizeof(crossing));
    return s->value && s->direction && s->work && s->crossing ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_flat_search_free(fathom_flat_search *s)
{
    fathom_memory_free(s->run->context, s->value);
    fathom_memory_free(s->run->context, s->direction);
    fathom_memory_free(s->run->context, s->work);
    fathom_memory_free(s->run->context, s->crossing);
}

/* |F_q(b)| */
static double evaluate(const fathom_flat_search *s, const double *b)
{
    const fathom_margin_points *p = s->run->points;
    double total = 0;
    for (int64_t i = 0; i < p->n; i++)
        total += s->q[i] > 0 ? s->q[i] * p->y[i] * fmax(0, fathom_blas_dot(p->x + i * p->d, b, p->d)) : 0;
    return fabs(total);
}

/* Considers the direction of v (d): keeps it where it is among the best, unless it is there already. */
static void consider(fathom_flat_search *s, const double *v)
{
    const int64_t d = s->run->points->d;
    const double norm = fathom_blas_norm(v, d);
    double *b = s->work + 3 * d;
    if (!(norm > 0))
        return;
    for (int64_t k = 0; k < d; k++)
        b[k] = v[k] / norm;
    const double value = evaluate(s, b);
    int64_t at = s->found;
    while (at > 0 && s->value[at - 1] < value)
        at--;
    for (int64_t k = at > 0 ? at - 1 : 0; k < s->found && k <= at; k++)
        if (fathom_blas_dot(s->direction + k * d, b, d) > 1 - 1e-14)
            return;
    if (at == KEPT)
        return;
    const int64_t last = s->found < KEPT ? s->found++ : KEPT - 1;
    memmove(s->value + at + 1, s->value + at, (size_t)(last - at) * sizeof *s->value);
    memmove(s->direction + (at + 1) * d, s->direction + at * d, (size_t)((last - at) * d) * sizeof *b);
    s->value[at] = value;
    memcpy(s->direction + at * d, b, (size_t)d * sizeof *b);
}

/* Considers +-(projection of v to the flat). */
static void consider_projection(fathom_flat_search *s, const double *basis, int64_t r, const double *v)
{
    const int64_t d = s->run->points->d;
    double *b = s->work + 2 * d;
    memset(b, 0, (size_t)d * sizeof *b);
    for (int64_t k = 0; k < r; k++)
        fathom_blas_axpy(b, fathom_blas_dot(v, basis + k * d, d), basis + k * d, d);
    consider(s, b);
    fathom_blas_scale(b, -1, d);
    consider(s, b);
}

/* The arcs of a plane with basis e, f and their ends. */
static void walk_plane(fathom_flat_search *s, const double *basis)
{
    const fathom_margin_points *p = s->run->points;
    const int64_t d = p->d;
    double *sum = s->work, *other = s->work + d;
    crossing *x = s->crossing;
    int64_t count = 0;
    memset(sum, 0, (size_t)d * sizeof *sum);
    memset(other, 0, (size_t)d * sizeof *other);
    for (int64_t i = 0; i < p->n; i++) {
        const double a = fathom_blas_dot(p->x + i * d, basis, d),
                     b = fathom_blas_dot(p->x + i * d, basis + d, d);
        if (hypot(a, b) <= 1e-13 * p->radius) /* orthogonal to the plane: open nowhere on it */
            continue;
        const bool turned = b < 0 || (b == 0 && a < 0);
        x[count++] = (crossing){turned ? atan2(-b, -a) : atan2(b, a), i, turned};
        fathom_blas_axpy(turned ? sum : other, s->q[i], p->z + i * d, d);
    }
    qsort(x, (size_t)count, sizeof *x, by_angle);
    for (int64_t c = 0; c < count; c++) { /* sum: the arc in hand; other: the opposite one */
        const double weight = (x[c].turned ? -1 : 1) * s->q[x[c].point];
        double end[2] = {sin(x[c].angle), -cos(x[c].angle)}, *b = s->work + 2 * d;
        fathom_blas_axpy(sum, weight, p->z + x[c].point * d, d);
        fathom_blas_axpy(other, -weight, p->z + x[c].point * d, d);
        consider_projection(s, basis, 2, sum);
        consider_projection(s, basis, 2, other);
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int64_t k = 0; k < d; k++)
                b[k] = sign * (end[0] * basis[k] + end[1] * basis[d + k]);
            consider(s, b);
        }
    }
}

/* The cones of the arrangement within a flat of dimension r >= 3; rows (n x r) are the points as functionals on it. */
static fathom_status list_cones(fathom_flat_search *s, const double *basis, const double *rows, int64_t r)
{
    const fathom_margin_points *p = s->run->points;
    const int64_t n = p->n, d = p->d;
    fathom_context *context = s->run->context;
    fathom_data *data = NULL;
    fathom_gates *gates = NULL;
    fathom_status status = fathom_data_create(&data, context, n, r, rows, r, 0, NULL, NULL, NULL);
    if (status == FATHOM_OK)
        status = fathom_gates_enumerate(&gates, context, data);
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(gates);
        double *sum = s->work;
        for (int64_t j = 0; j < view.m; j++) {
            memset(sum, 0, (size_t)d * sizeof *sum);
            for (int64_t i = 0; i < n; i++)
                if (view.bits[j * view.words + i / 64] >> i % 64 & 1)
                    fathom_blas_axpy(sum, s->q[i], p->z + i * d, d);
            consider_projection(s, basis, r, sum);
        }
    }
    fathom_gates_free(gates);
    fathom_data_free(data);
    return status;
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
            below[i * (r - 1) + to++] = fabs(value) <= 1e-13 * fabs(h[m]) ? 0 : value;
        }
    }
}

/* below ((r-1) x d) = an orthonormal basis of the flat cut with x^perp; false where x is orthogonal to the flat. */
static bool cut_basis(double *below, const double *basis, int64_t r, const double *x, double radius,
                      int64_t d)
{
    double along[DEEPEST] = {0};
    int64_t kept = 0;
    for (int64_t k = 0; k < r; k++)
        along[k] = fathom_blas_dot(x, basis + k * d, d);
    const double norm = fathom_blas_norm(along, r);
    if (norm <= 1e-13 * radius)
        return false;
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
    return true;
}

/* Visits the flat and those below it that are cut with points from `first` on. */
static fathom_status visit(fathom_flat_search *s, const double *basis, const double *rows, int64_t r,
                           int64_t first)
{
    const fathom_margin_points *p = s->run->points;
    const int64_t n = p->n;
    double below[DEEPEST * DEEPEST];
    if (r == 2) {
        walk_plane(s, basis);
        return FATHOM_OK;
    }
    fathom_status status = list_cones(s, basis, rows, r);
    double *fewer = fathom_memory_alloc(s->run->context, n * (r - 1), sizeof *fewer);
    if (!fewer)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = first; i < n && status == FATHOM_OK; i++)
        if (cut_basis(below, basis, r, p->x + i * p->d, p->radius, p->d)) {
            cut_rows(fewer, rows, n, r, i);
            status = visit(s, below, fewer, r - 1, i + 1);
        }
    fathom_memory_free(s->run->context, fewer);
    return status;
}

/* Local ascent on both sides from random starts; a new set of starts for every call. */
static fathom_status ascend(fathom_flat_search *s)
{
    const fathom_margin_points *p = s->run->points;
    fathom_context *context = s->run->context;
    const int64_t n = p->n, d = p->d, count = 2 * STARTS;
    double *u = fathom_memory_alloc(context, count * (d + 2) + n, sizeof *u);
    if (!u)
        return FATHOM_ERROR_MEMORY;
    double *sign = u + count * d, *value = sign + count, *v = value + count;
    for (int64_t i = 0; i < n; i++)
        v[i] = s->q[i] * p->y[i];
    fathom_random_normals(u, STARTS * d, fathom_context_seed(context), FATHOM_STREAM_START, 1 + s->calls++,
                          0);
    memcpy(u + STARTS * d, u, (size_t)(STARTS * d) * sizeof *u);
    for (int64_t k = 0; k < count; k++)
        sign[k] = k < STARTS ? 1 : -1;
    const fathom_ascent problem = {.n = n, .d = d, .outputs = 1, .x = p->x, .v = v};
    const fathom_status status = fathom_ascent_run(u, value, sign, count, &problem, context);
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++)
        consider(s, u + k * d);
    fathom_memory_free(context, u);
    return status;
}

/* The bound of the head of margin_global.c. */
static fathom_status bound_above(double *upper, const fathom_flat_search *s)
{
    const fathom_margin_points *p = s->run->points;
    const int64_t n = p->n, d = p->d;
    double *moment = fathom_memory_zero(s->run->context, d * d + 2 * d, sizeof *moment);
    if (!moment)
        return FATHOM_ERROR_MEMORY;
    double *total = moment + d * d, *value = total + d;
    for (int64_t i = 0; i < n; i++) {
        fathom_blas_ger(moment, d, d, d, s->q[i], p->z + i * d, p->z + i * d);
        fathom_blas_axpy(total, s->q[i], p->z + i * d, d);
    }
    const fathom_status status = fathom_blas_eigen(value, moment, d, d, false, s->run->context);
    if (status == FATHOM_OK)
        *upper = (fathom_blas_norm(total, d) + sqrt(value[d - 1])) / 2 * (1 + 1e-10 * (double)(n + d));
    fathom_memory_free(s->run->context, moment);
    return status;
}

fathom_status fathom_flat_price(fathom_flat_search *s, const double *q)
{
    const fathom_margin_points *p = s->run->points;
    const int64_t d = p->d;
    fathom_status status = FATHOM_OK;
    s->q = q;
    s->found = 0;
    if (!s->all) {
        status = ascend(s);
        return status == FATHOM_OK ? bound_above(&s->upper, s) : status;
    }
    double basis[DEEPEST * DEEPEST] = {0};
    for (int64_t k = 0; k < d; k++)
        basis[k * d + k] = 1;
    if (d == 1) {
        consider(s, basis);
        basis[0] = -1;
        consider(s, basis);
    } else {
        status = visit(s, basis, p->x, d, 0);
    }
    const double slack = 64 * (double)(p->n + d) * DBL_EPSILON * fathom_margin_mass(p, q);
    s->upper = (s->found > 0 ? s->value[0] : 0) * (1 + slack) + slack;
    return status;
}
