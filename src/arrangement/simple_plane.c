/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Witnesses in ranks 2 and 3 at O(1) each.
 *
 * In the chart h_0 = 1 the cell above the cut v of lines t and s has an edge on either line, from v to the next cut above
 * (or to infinity). With the three corners as rays of R^3,
 *     z = v/|v| + a/|a| + b/|b|,    a on t, b on s,
 * lies in the open cone of (v, a, b), which is part of the cell. z is proved to lie there when it is on the cell's side of
 * t (the plane of v, a) and of s (the plane of v, b) beyond rounding, and when det(a, b, v)/(|a||b||v|), its
 * distance from the third plane, exceeds what rounding can have done to the rays. No other hyperplane is looked at.
 * The price is a table of the next cuts on all lines: 4 p^2 bytes. In rank 2 the cell is the open cone of two neighbouring
 * cuts v, a, and z = v/|v| + a/|a| only needs to be on the right sides of these two.
 */
#include "simple.h"

#include <math.h>

void fathom_plane_above(int32_t *above, const fathom_line *line)
{
    for (int64_t k = 0; k < line->cuts; k++)
        above[line->order[k]] = k + 1 < line->cuts ? line->order[k + 1] : -1;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(double c[3], const double a[3], const double b[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/*
 * The unit ray of hyperplanes i and j where h_0 > 0, or for j < 0 the unit direction in which line i rises. Entries are
 * at most 1, so each entry of the cross product is within 2^-51 of exact; *error receives a bound on the error of the
 * unit ray. False where the sign of h_0 or g on it is not certain.
 */
static bool corner(double ray[3], double *error, const fathom_line *line, int64_t i, int64_t j)
{
    const double *h = line->frame->planes->scaled, *up = j < 0 ? line->level->direction : h;
    cross(ray, h + 3 * i, j < 0 ? h : h + 3 * j);
    const double length = sqrt(dot(ray, ray)), side = dot(ray, up);
    if (!(fabs(side) > 0x1p-46))
        return false;
    for (int c = 0; c < 3; c++)
        ray[c] = side > 0 ? ray[c] / length : -(ray[c] / length);
    *error = 0x1p-48 / length;
    return true;
}

bool fathom_plane_witness(double point[3], const fathom_cell_maker *maker, int64_t k)
{
    const fathom_line *line = &maker->line;
    const fathom_hyperplanes *planes = line->frame->planes;
    const int64_t t = line->t_set[0], s = line->order[k];
    const int64_t next = k + 1 < line->cuts ? line->order[k + 1] : -1;
    double v[3], a[3], b[3], normal[3], ev, ea, eb;
    if (!corner(v, &ev, line, t, s) || !corner(a, &ea, line, t, next) ||
        !corner(b, &eb, line, s, maker->above[s * planes->p + t]))
        return false;
    for (int c = 0; c < 3; c++)
        point[c] = v[c] + a[c] + b[c];
    cross(normal, a, b);
    const double rounding =
        0x1p-48; /* of a product of a row of entries at most 1 with |point| <= 3, generously */
    return dot(planes->scaled + 3 * t, point) * maker->sign[t] > rounding &&
           dot(planes->scaled + 3 * s, point) * maker->sign[s] > rounding &&
           fabs(dot(normal, v)) > 2 * (ev + ea + eb) + rounding;
}

bool fathom_sector_witness(double point[2], const fathom_cell_maker *maker, int64_t k)
{
    const fathom_line *line = &maker->line;
    const double *h = line->frame->planes->scaled, *g = line->level->direction;
    const int64_t s = line->order[k], next = k + 1 < line->cuts ? line->order[k + 1] : 0;
    const double *a = h + 2 * s, *b = h + 2 * next,
                 *up = next > 0 ? h : g; /* beyond the highest cut: towards g */
    const double la = hypot(a[0], a[1]), lb = hypot(b[0], b[1]);
    const double first = -a[1] * h[0] + a[0] * h[1] > 0 ? 1 / la : -1 / la;
    const double second = -b[1] * up[0] + b[0] * up[1] > 0 ? 1 / lb : -1 / lb;
    point[0] = -first * a[1] - second * b[1];
    point[1] = first * a[0] + second * b[0];
    const double rounding = 0x1p-50;
    return (a[0] * point[0] + a[1] * point[1]) * maker->sign[s] > rounding &&
           (b[0] * point[0] + b[1] * point[1]) * maker->sign[next] > rounding;
}
