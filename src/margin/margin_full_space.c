/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The margin of both layers in R^3, without sampling.
 *
 * A cell C is a polygon of the sphere on which S is constant; s = S / |S|, c = <u, s>, and (margin_full.c)
 *
 *     phi_C(S) = |S| f,   f = 1 / 4 pi int_C g(|c|) du.
 *
 * With k = int_0^1 g, H(c) = int_0^c g, the form (k c - H(c)) dangle about s is regular at both poles and
 * has the derivative
 * (g - k) du, so that by the theorem of Stokes an integral over C becomes one along its edges, arcs of great
 * circles with
 * inner normals N, counterclockwise, u' = du / dt:
 *
 *     4 pi f = k |C| + sum_edges <N, s> int D(c) dt,   D(c) = (k c - H(c)) / (1 - c^2)
 *     grad phi = f s + V x s,   V = -1 / 4 pi sum_edges int g(|c|) u' dt    (C turned against s: only its
 *     edges count)
 *     Hess phi = (f P + P [s]_x' (dV/ds) P) / |S|,   dV/ds = -1 / 4 pi sum_edges int g'(c) u' <u, .> dt,   P
 *     = I - s s'.
 *
 * On an edge c = r cos t. g and D are tables of one variable, |C| is the measured cell, corners are integer
 * vectors rounded once:
 * the error is that of the tables and of the quadrature along edges (docs/explanation/margins.md). Where the points do
 * not span R^3
 * the coordinate planes join the arrangement. [003, Assumption 1.3]
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "margin_full_cells.h"
#include "measure_internal.h"
#include "memory.h"

enum { TABLE = FATHOM_FULL_OCTAVES * FATHOM_FULL_ORDER };

/* Cells below this measure are left out: integrals along their edges cancel to rounding. */
static const double THIN = 1e-14;

typedef struct space {
    fathom_context *context;
    const fathom_full_table *table;
    double *d;               /* OCTAVES x ORDER: D */
    double mean;             /* k */
    int64_t m, words, edges; /* cells, words of their patterns, edges of all of them */
    uint64_t *bits;          /* m x words */
    double *rho;             /* m */
    int64_t *start;          /* m + 1: edges of cell j are start[j] .. start[j + 1] */
    double *corner;          /* edges x 6: from, to */
    int64_t capacity;        /* of corner */
    double doubt, perimeter; /* of all measures together; of all cells */
} space;

/* int of g over [from, to], an octave or a part of one. */
static double integrate(const fathom_full_table *table, double from, double to)
{
    double node[FATHOM_FULL_PANEL], weight[FATHOM_FULL_PANEL], sum = 0, slope;
    const int count = fathom_full_panel(node, weight, from, to);
    for (int k = 0; k < count; k++)
        sum += weight[k] * fathom_full_height(&slope, table, node[k]);
    return sum;
}

/* The table of D. On the first octave, up to c = 1, k c - H(c) = int_c^1 g - k (1 - c). */
static void tabulate(space *s)
{
    double below[FATHOM_FULL_OCTAVES + 1], slope; /* H(2^-k) */
    const fathom_full_table *table = s->table;
    below[FATHOM_FULL_OCTAVES] = ldexp(fathom_full_height(&slope, table, 0), -FATHOM_FULL_OCTAVES);
    for (int k = FATHOM_FULL_OCTAVES - 1; k >= 0; k--)
        below[k] = below[k + 1] + integrate(table, ldexp(1, -k - 1), ldexp(1, -k));
    s->mean = below[0];
    for (int k = 0; k < FATHOM_FULL_OCTAVES; k++) {
        double value[FATHOM_FULL_ORDER];
        for (int l = 0; l < FATHOM_FULL_ORDER; l++) {
            const double c = fathom_full_point(k, l), low = ldexp(1, -k - 1);
            value[l] = k == 0 ? (integrate(table, c, 1) / (1 - c) - s->mean) / (1 + c)
                              : (s->mean * c - below[k + 1] - integrate(table, low, c)) / ((1 - c) * (1 + c));
        }
        fathom_full_interpolate(s->d + k * FATHOM_FULL_ORDER, value);
    }
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(double *out, const double *a, const double *b)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Integrals along one edge in the frame in which c = r cos t. */
typedef struct edge_sums {
    double form;    /* of D(c) */
    double flux[2]; /* of g(|c|) (-sin t, cos t) */
    double bend[4]; /* of g'(c) (-sin t, cos t)' (cos t, sin t) */
} edge_sums;

static edge_sums integrate_edge(const space *s, double r, double from, double to)
{
    double node[FATHOM_FULL_NODES], weight[FATHOM_FULL_NODES];
    const int count = fathom_full_nodes(node, weight, from, to);
    edge_sums sums = {0};
    for (int k = 0; k < count; k++) {
        const double cosine = cos(node[k]), sine = sin(node[k]), c = r * cosine, size = fmin(fabs(c), 1);
        double x;
        const int64_t octave = fathom_full_octave(&x, size);
        const double a = fathom_full_sum(s->table->a, octave, x), b = fathom_full_sum(s->table->b, octave, x);
        const double low = ldexp(1, -FATHOM_FULL_OCTAVES),
                     odd = fathom_full_sum(s->d, octave, x) * fmin(1, size / low);
        const double height = weight[k] * (size * size * a + b), bend = weight[k] * c * a;
        sums.form += weight[k] * copysign(odd, c * odd);
        sums.flux[0] -= height * sine;
        sums.flux[1] += height * cosine;
        sums.bend[0] -= bend * sine * cosine;
        sums.bend[1] -= bend * sine * sine;
        sums.bend[2] += bend * cosine * cosine;
        sums.bend[3] += bend * cosine * sine;
    }
    return sums;
}

/* Adds the edge between two corners to the sums of the head: 4 pi (f - k rho), -4 pi V, -4 pi dV/ds. */
static void add_edge(double *form, double *flux, double *bend, const space *own, const double *corner,
                     const double *s)
{
    const double *a = corner, *b = corner + 3;
    double normal[3], side[3], frame[2][3];
    cross(normal, a, b);
    const double sine = sqrt(dot(normal, normal)), length = atan2(sine, dot(a, b));
    if (!(sine > 0))
        return;
    for (int k = 0; k < 3; k++)
        normal[k] /= sine;
    cross(side, normal, a);
    const double ca = dot(a, s), cb = dot(side, s), r = hypot(ca, cb), turn = atan2(cb, ca);
    for (int k = 0; k < 3; k++) {
        frame[0][k] = a[k] * cos(turn) + side[k] * sin(turn);
        frame[1][k] = side[k] * cos(turn) - a[k] * sin(turn);
    }
    const edge_sums sums = integrate_edge(own, r, -turn, length - turn);
    *form += dot(normal, s) * sums.form;
    for (int k = 0; k < 3; k++) {
        flux[k] += sums.flux[0] * frame[0][k] + sums.flux[1] * frame[1][k];
        for (int l = 0; l < 3; l++)
            for (int i = 0; i < 4; i++)
                bend[3 * k + l] += sums.bend[i] * frame[i / 2][k] * frame[i % 2][l];
    }
}

/* Two unit vectors that are orthogonal to s and to each other. */
static void make_tangents(double tangent[2][3], const double *s)
{
    const int k = fabs(s[0]) < fabs(s[1])   ? (fabs(s[0]) < fabs(s[2]) ? 0 : 2)
                  : fabs(s[1]) < fabs(s[2]) ? 1
                                            : 2;
    double axis[3] = {0};
    axis[k] = 1;
    cross(tangent[0], s, axis);
    const double length = sqrt(dot(tangent[0], tangent[0]));
    for (int i = 0; i < 3; i++)
        tangent[0][i] /= length;
    cross(tangent[1], s, tangent[0]);
}

/* The Hessian: <t_a, Hess t_b> = (f [a = b] + <s x t_a, dV/ds t_b>) / |S|, its symmetric part. */
static void make_hessian(double *hessian, double f, const double *bend, const double *s, double length)
{
    double tangent[2][3], turned[2][3], part[2][2];
    make_tangents(tangent, s);
    for (int a = 0; a < 2; a++)
        cross(turned[a], s, tangent[a]);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            part[a][b] = a == b ? f : 0;
            for (int k = 0; k < 3; k++)
                part[a][b] += turned[a][k] * dot(bend + 3 * k, tangent[b]);
        }
    part[0][1] = part[1][0] = (part[0][1] + part[1][0]) / 2;
    for (int k = 0; k < 9; k++)
        hessian[k] = 0;
    for (int k = 0; k < 9; k++)
        for (int i = 0; i < 4; i++)
            hessian[k] += part[i / 2][i % 2] / length * tangent[i / 2][k / 3] * tangent[i % 2][k % 3];
}

static double price_polygon(double *gradient, double *hessian, const void *shape, int64_t j, const double *S)
{
    const space *p = shape;
    const double four = 4 * acos(-1), length = sqrt(dot(S, S));
    double form = 0, flux[3] = {0}, bend[9] = {0}, turn[3];
    memset(gradient, 0, 3 * sizeof *gradient);
    memset(hessian, 0, 9 * sizeof *hessian);
    if (!(length > 0))
        return 0;
    const double s[3] = {S[0] / length, S[1] / length, S[2] / length};
    for (int64_t e = p->start[j]; e < p->start[j + 1]; e++)
        add_edge(&form, flux, bend, p, p->corner + 6 * e, s);
    const double f = p->mean * p->rho[j] + form / four;
    for (int k = 0; k < 3; k++)
        flux[k] /= -four;
    for (int k = 0; k < 9; k++)
        bend[k] /= -four;
    cross(turn, flux, s);
    for (int k = 0; k < 3; k++)
        gradient[k] = f * s[k] + turn[k];
    make_hessian(hessian, f, bend, s, length);
    return length * fmax(f, 0);
}

/* Ray number `ray` as a unit vector. */
static void make_corner(double *out, const measure_rays *rays, int64_t ray)
{
    const double *v = rays->approximate + ray / 2 * 3, length = sqrt(dot(v, v)) * (ray % 2 ? -1 : 1);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] / length;
}

static bool lies_on(const measure_rays *rays, int64_t ray, int32_t plane)
{
    for (int64_t q = rays->plane_start[ray]; q < rays->plane_start[ray + 1]; q++)
        if (rays->plane[q] == plane)
            return true;
    return false;
}

/* Enters the edge from ray a to ray b of a cell on `plane`, or from b to a: counterclockwise. */
static fathom_status add_corners(space *s, const measure_planes *planes, const measure_rays *rays,
                                 int64_t cell, int32_t plane, int64_t a, int64_t b)
{
    FATHOM_TRY(fathom_memory_grow(s->context, (void **)&s->corner, &s->capacity, 6 * (s->edges + 1),
                                  sizeof *s->corner));
    double *corner = s->corner + 6 * s->edges++, normal[3], other[3];
    make_corner(corner, rays, a);
    make_corner(corner + 3, rays, b);
    cross(normal, corner, corner + 3);
    s->perimeter += atan2(sqrt(dot(normal, normal)), dot(corner, corner + 3));
    const bool positive = fathom_pattern_bit(planes->bits + cell * planes->words, plane);
    if ((dot(normal, planes->approximate + 3 * plane) > 0) != positive) {
        memcpy(other, corner, sizeof other);
        memmove(corner, corner + 3, sizeof other);
        memcpy(corner + 3, other, sizeof other);
    }
    return FATHOM_OK;
}

/* The edges of a cell: two of its rays on one plane. */
static fathom_status add_edges(space *s, const measure_planes *planes, const measure_rays *rays, int64_t cell)
{
    fathom_status status = FATHOM_OK;
    const int64_t last = rays->cell_start[cell + 1];
    for (int64_t k = rays->cell_start[cell]; k < last; k++) {
        const int64_t a = rays->cell_ray[k];
        for (int64_t l = k + 1; l < last; l++)
            for (int64_t q = rays->plane_start[a]; q < rays->plane_start[a + 1] && status == FATHOM_OK; q++)
                if (lies_on(rays, rays->cell_ray[l], rays->plane[q]))
                    status = add_corners(s, planes, rays, cell, rays->plane[q], a, rays->cell_ray[l]);
    }
    return status;
}

/* The cells on which some of the first n points are open: patterns, measures, edges. */
static fathom_status take_cells(space *s, const fathom_gates_view *gates, const fathom_measure_view *measure,
                                const measure_planes *planes, const measure_rays *rays, int64_t n)
{
    fathom_status status = FATHOM_OK;
    s->words = fathom_pattern_words(n);
    s->bits = fathom_memory_alloc(s->context, gates->m * s->words, sizeof *s->bits);
    s->rho = fathom_memory_alloc(s->context, gates->m, sizeof *s->rho);
    s->start = fathom_memory_zero(s->context, gates->m + 1, sizeof *s->start);
    if (!s->bits || !s->rho || !s->start)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < gates->m && status == FATHOM_OK; j++) {
        uint64_t *bits = s->bits + s->m * s->words, any = 0;
        s->doubt += fmax(measure->upper[j] - measure->value[j], measure->value[j] - measure->lower[j]);
        memcpy(bits, gates->bits + j * gates->words, (size_t)s->words * sizeof *bits);
        if (n % 64)
            bits[s->words - 1] &= ((uint64_t)1 << (n % 64)) - 1;
        for (int64_t w = 0; w < s->words; w++)
            any |= bits[w];
        if (!any || planes->cell[j] < 0)
            continue;
        if (measure->upper[j] < THIN) { /* theta is 0 there, and all that it weighs is doubt */
            s->doubt += measure->upper[j];
            continue;
        }
        s->rho[s->m] = measure->value[j];
        status = add_edges(s, planes, rays, planes->cell[j]);
        s->start[++s->m] = s->edges;
    }
    return status;
}

/* All cells of the data's arrangement, of which the first n points are open or not. */
static fathom_status find_cells(space *s, const fathom_data *data, int64_t n)
{
    fathom_context *context = s->context;
    fathom_gates *gates = NULL;
    fathom_measure *measure = NULL;
    fathom_measure_options options;
    measure_planes planes = {.context = context};
    measure_rays rays = {0};
    fathom_options_init(&options, &fathom_measure_option_table);
    options.measure_method = 1; /* exact */
    fathom_status status = fathom_gates_enumerate(&gates, context, data);
    FATHOM_THEN(status, fathom_gates_measure(&measure, gates, context, data, &options));
    FATHOM_THEN(status, fathom_measure_planes_init(&planes, context, data, gates));
    FATHOM_THEN(status, fathom_measure_rays_init(&rays, &planes));
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(gates);
        const fathom_measure_view measures = fathom_measure_look(measure);
        status = take_cells(s, &view, &measures, &planes, &rays, n);
    }
    fathom_measure_rays_free(&rays, planes.r, context);
    if (planes.data)
        fathom_measure_planes_free(&planes);
    fathom_measure_free(measure);
    fathom_gates_free(gates);
    return status;
}

/* Gives the points and the three coordinate vectors. */
static fathom_status with_axes(fathom_data **data, fathom_context *context,
                               const fathom_margin_points *points)
{
    const int64_t n = points->n;
    double *x = fathom_memory_zero(context, (n + 3) * 3, sizeof *x);
    if (!x)
        return FATHOM_ERROR_MEMORY;
    memcpy(x, points->x, (size_t)(3 * n) * sizeof *x);
    for (int k = 0; k < 3; k++)
        x[(n + k) * 3 + k] = 1;
    const fathom_status status = fathom_data_create(data, context, n + 3, 3, x, 3, 0, NULL, NULL, NULL);
    fathom_memory_free(context, x);
    return status;
}

static fathom_status space_create(space *s, fathom_margin_run *run)
{
    fathom_hyperplanes *planes = NULL;
    fathom_data *more = NULL;
    *s = (space){.context = run->context, .table = &run->table};
    s->d = fathom_memory_alloc(run->context, TABLE, sizeof *s->d);
    if (!s->d)
        return FATHOM_ERROR_MEMORY;
    tabulate(s);
    fathom_status status = fathom_hyperplanes_create(&planes, run->context, run->inner);
    if (status == FATHOM_OK && planes->r < 3)
        status = with_axes(&more, run->context, run->points);
    fathom_hyperplanes_free(planes);
    FATHOM_THEN(status, find_cells(s, more ? more : run->inner, run->points->n));
    fathom_data_free(more);
    return status;
}

static void space_free(space *s) { FATHOM_FREE(s->context, s->d, s->bits, s->rho, s->start, s->corner); }

/* sum_C of the errors of f and V (docs/explanation/margins.md, "The quadrature"): measures; tables of D (8 times that of
 * g) and g and sums of up
 * to 2048 nodes along all edges; what short panels and corners, off by 4 roundings, leave on each edge. */
static double find_slack(const space *s)
{
    const double along = 9 * s->table->error_g + 2 * 2048 * 0x1p-53 * s->table->whole + 1e-14;
    return s->doubt * s->table->whole * (1 + 0x1p-40) + s->perimeter / (4 * acos(-1)) * along +
           (double)s->edges * 2e-14;
}

fathom_status fathom_margin_full_space(fathom_margin_run *run, double gap)
{
    space s;
    fathom_status status = space_create(&s, run);
    if (status == FATHOM_OK) {
        const fathom_full_cells cells = {.d = 3,
                                         .m = s.m,
                                         .words = s.words,
                                         .bits = s.bits,
                                         .rho = s.rho,
                                         .shape = &s,
                                         .price = price_polygon,
                                         .slack = find_slack(&s),
                                         .method = "cells"};
        status = fathom_full_solve(run, &cells, gap);
    }
    space_free(&s);
    return status;
}
