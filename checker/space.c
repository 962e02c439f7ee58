/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The measures of all cones of at most three columns: solid angles over 4 pi (docs/reference/certificate.md,
 * Sec. 6).
 *
 * The planes orthogonal to the rows cut the unit sphere into cells, which are convex, and each has the
 * orientation v of its gate inside. On the circle of a plane with normal h the other planes cut rays; two
 * more lines are added, so that neighbouring rays a, b are less than 180 degrees apart. The arc between them
 * is an edge of two cells, one on either side of h, whose patterns are those of a + b with the rows parallel
 * to h open on that side. A cell is the union of the triangles of v with its edges, and a triangle has the
 * solid angle W,
 *
 *     tan(W / 2) = |det(v, a, b)| / (|v||a||b| + <v, a>|b| + <v, b>|a| + <a, b>|v|)
 *
 * [van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 1983].
 *
 * Rays and patterns are exact, W is a ball. Cost: for N distinct planes 2 N (N + 1) arcs, each with n inner
 * products.
 */
#include <stdlib.h>
#include <string.h>

#include "checker.h"

/* A circle of the sphere: points with <h, u> = 0, and the coordinates a, b that tell them apart, h[p] not
 * being 0. */
typedef struct circle {
    const num *h;
    int p, a, b;
} circle;

static int64_t compared; /* bytes of a pattern: bsearch passes nothing along */

static int by_pattern(const void *left, const void *right) { return memcmp(left, right, (size_t)compared); }

/* The cell of a pattern: records of patterns with the number of their gate behind them, sorted. */
static unsigned char *index_gates(check *c, int64_t record)
{
    const int64_t n = c->data.n, m = c->gates.m;
    unsigned char *index = check_alloc(c, m, (size_t)record);
    for (int64_t j = 0; j < m; j++) {
        memcpy(index + j * record, c->gates.open + j * n, (size_t)n);
        memcpy(index + j * record + n, &j, sizeof j);
    }
    compared = n;
    qsort(index, (size_t)m, (size_t)record, by_pattern);
    return index;
}

/* The rows that are not 0, one of each set of parallel ones, with zeros for missing columns: N x 3. */
static num *distinct_rows(check *c, int64_t *count)
{
    const dataset *a = &c->data;
    num *row = check_alloc(c, 3 * a->n, sizeof *row);
    *count = 0;
    for (int64_t i = 0; i < a->n; i++) {
        bool taken = !check_parallel(c, i, i);
        for (int64_t k = 0; k < i && !taken; k++)
            taken = check_parallel(c, i, k) != 0;
        for (int64_t l = 0; l < a->d && !taken; l++)
            row[3 * *count + l] = a->point[i * (a->d + 1) + l];
        *count += !taken;
    }
    return row;
}

/* u = the point of the circle with the coordinates t, times |h[p]|. */
static void lift(num *u, const circle *o, const num *t)
{
    const int side = num_sign(o->h[o->p]);
    num sum = {0};
    num_mul_to(&sum, o->h[o->a], t[0]);
    num_mul_to(&sum, o->h[o->b], t[1]);
    u[o->a] = num_times(num_mul(o->h[o->p], t[0]), side);
    u[o->b] = num_times(num_mul(o->h[o->p], t[1]), side);
    u[o->p] = num_times(sum, -side);
}

/* The other planes on the circle, as normals of the coordinates, and the two lines that are added: (count
 * + 1) x 2. */
static num *restrict_rows(check *c, const circle *o, const num *row, int64_t count)
{
    num *point = check_alloc(c, 2 * (count + 1), sizeof *point), *next = point;
    for (int64_t k = 0; k < count; k++) {
        const num *g = row + 3 * k;
        if (g == o->h)
            continue;
        next[0] = num_sub(num_mul(g[o->a], o->h[o->p]), num_mul(g[o->p], o->h[o->a]));
        next[1] = num_sub(num_mul(g[o->b], o->h[o->p]), num_mul(g[o->p], o->h[o->b]));
        next += 2;
    }
    next[0] = next[3] = num_real(1);
    return point;
}

/* *share += W / 2 of the triangle v, a, b. */
static void add_triangle(num *share, const num *v, const num *a, const num *b)
{
    const num *corner[] = {v, a, b};
    num height = {0}, base = {0}, t = {0}, s = {0}, length[3] = {0};
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        num_dot(&t, corner[k], corner[k], 3);
        arb_sqrt(length + k, &t, PRECISION);
        num_dot(&s, a + p, b + q, 1);
        num_dot(&t, a + q, b + p, 1);
        arb_sub(&s, &s, &t, ARF_PREC_EXACT); /* of a x b */
        num_mul_to(&height, v[k], s);
    }
    arb_mul(&base, length, length + 1, PRECISION);
    arb_mul(&base, &base, length + 2, PRECISION);
    for (int k = 0; k < 3; k++) {
        num_dot(&t, corner[(k + 1) % 3], corner[(k + 2) % 3], 3);
        arb_addmul(&base, &t, length + k, PRECISION);
    }
    arb_abs(&height, &height);
    arb_atan2(&t, &height, &base, PRECISION);
    arb_add(share, share, &t, PRECISION);
    arb_clear(&height), arb_clear(&t), arb_clear(&s);
}

/* The arc from a to b of a circle, whose middle is `middle`, to the cells on both sides. */
static void add_arc(check *c, num *share, const circle *o, const num end[][3], const unsigned char *index,
                    int64_t record)
{
    const dataset *a = &c->data;
    unsigned char *open = check_alloc(c, a->n, 1);
    num t = {0}, s = {0}, v[3] = {0};
    for (int side = 1; side >= -1; side -= 2) {
        for (int64_t i = 0; i < a->n; i++) {
            const num *x = a->point + i * (a->d + 1);
            num_dot(&t, x, end[2], a->d);
            num_dot(&s, x, o->h, a->d);
            const int at = num_sign(t);
            open[i] = at > 0 || (at == 0 && side * num_sign(s) > 0);
        }
        const unsigned char *found = bsearch(open, index, (size_t)c->gates.m, (size_t)record, by_pattern);
        int64_t j;
        memcpy(&j, found + a->n, sizeof j); /* the gates are all cones */
        memcpy(v, c->gates.orientation + j * a->d, (size_t)a->d * sizeof *v);
        add_triangle(share + j, v, end[0], end[1]);
    }
    check_work(c, 1000); /* of roots and arctangents */
}

void check_cells(check *c, num *share)
{
    const int64_t n = c->data.n, record = n + (int64_t)sizeof(int64_t);
    int64_t planes, rays;
    const num *row = distinct_rows(c, &planes);
    const unsigned char *index = index_gates(c, record);
    num pi = {0};
    for (int64_t k = 0; k < planes; k++) {
        circle o = {.h = row + 3 * k};
        while (num_sign(o.h[o.p]) == 0)
            o.p++;
        o.a = o.p == 0, o.b = 2 - (o.p == 2);
        const plane_ray *list = check_rays(c, restrict_rows(c, &o, row, planes), planes + 1, &rays);
        for (int64_t first = 0, next; first < rays; first = next) {
            num middle[2], end[3][3] = {0};
            for (next = first; next < rays && check_order(list + first, list + next) == 0;)
                next++;
            const num *a = list[first].at, *b = list[next % rays].at;
            for (int l = 0; l < 2; l++)
                middle[l] = num_add(a[l], b[l]);
            lift(end[0], &o, a);
            lift(end[1], &o, b);
            lift(end[2], &o, middle);
            add_arc(c, share, &o, (const num(*)[3])end, index, record);
        }
    }
    arb_const_pi(&pi, PRECISION);
    for (int64_t j = 0; j < c->gates.m; j++)
        share[j] = num_div(share[j], num_times(pi, 2));
}
