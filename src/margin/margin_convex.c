/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A convex (gated) network that classifies any data without contradictory rays [000, Thm 7.3 (3), for all
 * data].
 *
 * Theorem. Let no x_i be 0 and no ray carry both labels. Then some convex network without bias has y_i
 * f(x_i) > 0
 * for all i, also where no ReLU network has.
 * Proof. Take a line of the points, x on it, and v orthogonal to x and to no other line of the points; e > 0
 * so
 * small that <v +- e x, x_k> has the sign of <v, x_k> off the line. Let f_R = <w, .> 1[<v + e x, .> > 0]
 * - <w, .> 1[<v - e x, .> > 0], w = y x / |x|^2: it vanishes off the line, is y t at t x and y t at -t x, t
 * > 0. That
 * suits a line with points on one side, or with one label on both. Where +x has the label y and -x the label
 * -y,
 * with the gate v in place of v - e x it is y t at t x and 0 at -t x, and one such term for each side does.
 * Add up
 * over all lines. []
 *
 * Only lines with opposite labels need a v on a hyperplane, a cone of measure zero; these lines are what
 * makes
 * margins 0 (margin_zero.c). v is sought among vectors of doubles: two entries (x_b, -x_a), orthogonal
 * exactly, and
 * small integer combinations of such; every sign is decided by exact inner products. What is returned
 * therefore
 * classifies exactly; in double arithmetic <v, x> = 0 may round to something else where x has many digits.
 * Cost: rays (d^2 + tries) n d.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "exact_cone.h"
#include "exact_dot.h"
#include "margin_points.h"
#include "memory.h"
#include "net_internal.h"
#include "random.h"

#include "fathom/margin.h"

enum { TRIES = 400, SMALL = 8 };

static bool on_line(const fathom_margin_points *points, int64_t i, int64_t k)
{
    return fathom_exact_parallel(points->x + i * points->d, points->x + k * points->d, points->d);
}

static bool on_ray(const fathom_margin_points *points, int64_t i, int64_t k)
{
    const int64_t d = points->d;
    return on_line(points, i, k) && fathom_blas_dot(points->x + i * d, points->x + k * d, d) > 0;
}

/* Whether v is orthogonal to no line but that of point i, and to that one, exactly where asked. */
static bool cuts_alone(const fathom_margin_points *points, int64_t i, const double *v, bool exactly)
{
    const int64_t d = points->d;
    if (exactly && fathom_exact_dot_sign(d, v, points->x + i * d) != 0)
        return false;
    for (int64_t k = 0; k < points->n; k++)
        if (fathom_exact_dot_sign(d, v, points->x + k * d) == 0 && !on_line(points, i, k))
            return false;
    return true;
}

/* (x_b, -x_a) in the coordinates a < b; the unit vector where both are 0. */
static void make_pair(double *v, const double *x, int64_t d, int64_t a, int64_t b)
{
    memset(v, 0, (size_t)d * sizeof *v);
    v[a] = x[a] == 0 && x[b] == 0 ? 1 : x[b];
    v[b] = -x[a];
}

/* v_k = c_k x_p, v_p = -sum_k c_k x_k for small integers c, p a coordinate of largest size: orthogonal where
 * sums are exact. */
static void make_combination(double *v, const double *x, int64_t d, uint64_t seed, int64_t i, int64_t attempt)
{
    int64_t p = 0;
    double sum = 0;
    for (int64_t k = 1; k < d; k++)
        p = fabs(x[k]) > fabs(x[p]) ? k : p;
    fathom_random_normals(v, d, seed, FATHOM_STREAM_GATE, (uint32_t)(i * TRIES + attempt), 0);
    for (int64_t k = 0; k < d; k++) {
        const double c = round(SMALL * v[k]);
        v[k] = c * x[p];
        sum += k == p ? 0 : c * x[k];
    }
    v[p] = -sum;
}

/* Whether the gates agree off the line of i, and on its ray only the first is open; where `alone`, neither
 * is on the other ray. */
static bool isolates(const fathom_margin_points *points, int64_t i, const double *gate, bool alone)
{
    const int64_t d = points->d;
    for (int64_t k = 0; k < points->n; k++) {
        const double *x = points->x + k * d;
        const bool first = fathom_exact_dot_sign(d, gate, x) > 0,
                   second = fathom_exact_dot_sign(d, gate + d, x) > 0;
        const bool right = on_ray(points, i, k)     ? first && !second
                           : !on_line(points, i, k) ? first == second
                                                    : !first && second != alone;
        if (!right)
            return false;
    }
    return true;
}

/* The two gates of a ray: v + e x, and v or v - e x, e the first power of two that does. */
static bool find_gates(double *gate, const fathom_margin_points *points, int64_t i, const double *v,
                       bool alone)
{
    const int64_t d = points->d;
    const double *x = points->x + i * d;
    const double size = d == 1 ? 1 : fathom_blas_norm(v, d) / fathom_blas_norm(x, d);
    for (int e = 2; e < 60; e++) {
        for (int64_t k = 0; k < d; k++) {
            gate[k] = v[k] + ldexp(size, -e) * x[k];
            gate[d + k] = alone ? v[k] : v[k] - ldexp(size, -e) * x[k];
        }
        if (isolates(points, i, gate, alone))
            return true;
    }
    return false;
}

/* The gates of the ray of point i, around a v that cuts alone: v may leave other lines on one side by less
 * than doubles can follow (near-copies), so that the next is tried. False where none was found. */
static bool find_cut(double *gate, double *v, const fathom_margin_points *points, int64_t i, bool alone,
                     uint64_t seed)
{
    const int64_t d = points->d;
    const double *x = points->x + i * d;
    memset(v, 0, (size_t)d * sizeof *v);
    if (d == 1)
        return find_gates(gate, points, i, v, alone);
    for (int64_t a = 0; a < d; a++)
        for (int64_t b = a + 1; b < d; b++) {
            make_pair(v, x, d, a, b);
            if (cuts_alone(points, i, v, alone) && find_gates(gate, points, i, v, alone))
                return true;
        }
    for (int64_t attempt = 0; attempt < TRIES; attempt++) {
        make_combination(v, x, d, seed, i, attempt);
        if (cuts_alone(points, i, v, alone) && find_gates(gate, points, i, v, alone))
            return true;
    }
    return false;
}

/* One term of the sum: a ray, whether alone, or together with the opposite one. */
typedef struct term {
    int64_t point;
    bool alone;
} term;

/* The terms (n at most); their number, or -1 where points contradict each other: *first, *second. */
static int64_t find_terms(term *terms, const fathom_margin_points *points, int64_t *first, int64_t *second)
{
    int64_t count = 0;
    for (int64_t i = 0; i < points->n; i++) {
        bool covered = false;
        for (int64_t k = 0; k < count && !covered; k++) {
            const int64_t other = terms[k].point;
            const bool same = points->y[other] == points->y[i];
            if (!on_line(points, other, i))
                continue;
            if (on_ray(points, other, i) && !same) {
                *first = other;
                *second = i;
                return -1;
            }
            covered = on_ray(points, other, i) || (same && !terms[k].alone);
            terms[k].alone |= !same;
        }
        if (!covered)
            terms[count++] = (term){i, false};
    }
    for (int64_t k = 0; k < count; k++) /* both sides of a line with opposite labels */
        for (int64_t l = 0; l < count; l++)
            terms[k].alone |= l != k && on_line(points, terms[k].point, terms[l].point);
    return count;
}

/* The two neurons of term number k. */
static fathom_status add_term(fathom_net *net, double *v, fathom_context *context,
                              const fathom_margin_points *points, int64_t k, term t)
{
    const int64_t d = points->d, i = t.point;
    const fathom_net_weights weights = fathom_net_lend(net);
    double *w = weights.w + 2 * k * d;
    const double *x = points->x + i * d, square = fathom_blas_dot(x, x, d);
    if (!find_cut(weights.v + 2 * k * d, v, points, i, t.alone, fathom_context_seed(context)))
        return fathom_error_set(
            context, FATHOM_ERROR_RUNTIME,
            "no doubles were found that are orthogonal to example %lld and to no other line", (long long)i);
    for (int64_t c = 0; c < d; c++) {
        w[c] = points->y[i] * x[c] / square;
        w[d + c] = -w[c];
    }
    weights.rho[2 * k] = weights.rho[2 * k + 1] = 1;
    return FATHOM_OK;
}

static fathom_status build(fathom_net **net, fathom_context *context, const fathom_margin_points *points,
                           term *terms, double *v)
{
    int64_t first = -1, second = -1;
    if (points->zero >= 0)
        return fathom_error_set(context, FATHOM_ERROR_INPUT,
                                "example %lld is 0, where a network without bias is 0",
                                (long long)points->zero);
    const int64_t count = find_terms(terms, points, &first, &second);
    if (count < 0)
        return fathom_error_set(context, FATHOM_ERROR_INPUT,
                                "examples %lld and %lld lie on one ray with opposite labels",
                                (long long)first, (long long)second);
    const fathom_net_shape shape = {
        .kind = FATHOM_NET_GATED, .d = points->d, .m = 2 * count, .outputs = 1, .scale = FATHOM_SCALE_ONE};
    FATHOM_TRY(fathom_net_create(net, context, &shape));
    for (int64_t k = 0; k < count; k++)
        FATHOM_TRY(add_term(*net, v, context, points, k, terms[k]));
    return FATHOM_OK;
}

fathom_status fathom_margin_convex(fathom_net **net, fathom_context *context, fathom_data *data)
{
    fathom_margin_points points = {0};
    *net = NULL;
    fathom_status status = fathom_margin_points_create(&points, context, data, false);
    term *terms = status == FATHOM_OK ? fathom_memory_alloc(context, points.n, sizeof *terms) : NULL;
    double *v = status == FATHOM_OK ? fathom_memory_alloc(context, points.d, sizeof *v) : NULL;
    FATHOM_THEN(status, terms && v ? build(net, context, &points, terms, v) : FATHOM_ERROR_MEMORY);
    if (status != FATHOM_OK) {
        fathom_net_free(*net);
        *net = NULL;
    }
    FATHOM_FREE(context, terms, v);
    fathom_margin_points_free(context, &points);
    return status;
}
