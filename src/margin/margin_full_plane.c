/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The margin of both layers in the plane, without sampling.
 *
 * On an arc C of directions u = (cos t, sin t), from < t < to, S = |S| (cos t_S, sin t_S) is constant, and
 * (margin_full.c)
 *
 *     phi_C(S) = |S| f,   f = 1 / 2 pi int_a^b h(t) dt,   h(t) = g(|cos t|),   a = from - t_S,  b = to - t_S,
 *     grad phi = f s + f' s_perp,   Hess phi = (f + f'') / |S| s_perp s_perp',   s = S / |S|,
 *     f' = (h(a) - h(b)) / 2 pi,   f'' = (h'(b) - h'(a)) / 2 pi.   [003, Assumption 1.3]
 */
#include <math.h>
#include <string.h>

#include "margin_full_cells.h"
#include "memory.h"

typedef struct plane {
    fathom_margin_gates arcs;
    const fathom_full_table *table;
} plane;

/* 2 pi f. */
static double integrate(const plane *p, double from, double to)
{
    double node[FATHOM_FULL_NODES], weight[FATHOM_FULL_NODES], sum = 0, slope;
    const int count = fathom_full_nodes(node, weight, from, to);
    for (int k = 0; k < count; k++)
        sum += weight[k] * fathom_full_height(&slope, p->table, fabs(cos(node[k])));
    return sum;
}

/* h and h' at t. */
static double height(double *derivative, const plane *p, double t)
{
    double slope;
    const double c = cos(t), h = fathom_full_height(&slope, p->table, fabs(c));
    *derivative = -copysign(slope, c) * sin(t);
    return h;
}

static double price_arc(double *gradient, double *hessian, const void *shape, int64_t j, const double *S)
{
    const plane *p = shape;
    const double pi = acos(-1), length = hypot(S[0], S[1]), half = pi * p->arcs.rho[j];
    const double *orientation = p->arcs.orientation + 2 * j;
    memset(gradient, 0, 2 * sizeof *gradient);
    memset(hessian, 0, 4 * sizeof *hessian);
    if (!(length > 0))
        return 0;
    const double s[2] = {S[0] / length, S[1] / length}, perp[2] = {-s[1], s[0]};
    const double middle =
        atan2(s[0] * orientation[1] - s[1] * orientation[0], s[0] * orientation[0] + s[1] * orientation[1]);
    double bend_a, bend_b;
    const double a = middle - half, b = middle + half, h_a = height(&bend_a, p, a),
                 h_b = height(&bend_b, p, b);
    const double f = integrate(p, a, b) / (2 * pi), f1 = (h_a - h_b) / (2 * pi),
                 f2 = (bend_b - bend_a) / (2 * pi);
    for (int k = 0; k < 2; k++) {
        gradient[k] = f * s[k] + f1 * perp[k];
        for (int l = 0; l < 2; l++)
            hessian[2 * k + l] = fmax(0, f + f2) / length * perp[k] * perp[l];
    }
    return length * f;
}

/* sum_C of the errors of f and f' (docs/explanation/margins.md, "The quadrature"): of h everywhere and at the 2 m ends,
 * of at most two
 * singularities per arc, of ends that are off by 8 roundings. */
static double find_slack(const plane *p)
{
    const double each = p->table->error_g + 1e-14 + 8 * 0x1p-52;
    return p->arcs.doubt * p->table->whole + (1 + 2 * (double)p->arcs.m) * each;
}

fathom_status fathom_margin_full_plane(fathom_margin_run *run, double gap)
{
    plane p = {.table = &run->table};
    FATHOM_TRY(fathom_margin_arcs(&p.arcs, run->context, run->points->n, run->points->x));
    const fathom_full_cells cells = {.d = 2,
                                     .m = p.arcs.m,
                                     .words = p.arcs.words,
                                     .bits = p.arcs.bits,
                                     .rho = p.arcs.rho,
                                     .shape = &p,
                                     .price = price_arc,
                                     .slack = find_slack(&p),
                                     .method = "arcs"};
    fathom_status status = fathom_full_solve(run, &cells, gap);
    fathom_margin_gates_free(run->context, &p.arcs);
    return status;
}
