/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bound on one simplicial cone K = {sum_k mu_k r_k, mu >= 0}, unit rays r_k (r of them):
 *
 *     F = hP - hN,   hP(u) = sum over P of (a_i'u)_+,  hN likewise,
 *     hP(u) <= sum_k mu_k hP(r_k)   (convex and homogeneous),      hN(u) >= sum_N lambda_i a_i'u   for all 0 <= lambda <= 1.
 *
 * With b_k = hP(r_k) - sum_N lambda_i a_i'r_k, every w with w'r_k >= b_k for all k gives F(u) <= sum_k mu_k b_k <= w'u <= |w|. The
 * least such |w| over lambda and the slacks nu_k = w'r_k - b_k >= 0 is a least-norm problem over a box: w = g + sum lambda_i (-a_i)
 * + sum nu_k q_k, R g = h, q_k the columns of R^-1.
 *
 * Leaves. A point u of K with F(u) > c lies in the cap w'u > c. Where at most MOST_OPEN rows of P have both signs there, all
 * their patterns are tried: with the open rows known hP is linear, z'u, and the same problem with R g = R z bounds each. Thin
 * cones make that problem ill-conditioned; what it does not settle is bounded without the cone, by |z - sum_N lambda_i a_i|.
 *
 * Rounding. Nothing rests on R^-1: the inequalities w'r_k >= b_k are checked, and a violation e costs at most sqrt(r) e since
 * rays of one orthant have products >= 0, hence sum mu <= sqrt(r) |u|. What remains (units for exact rays, sums) is the same for
 * all cones and is added once, in price_subdivide.c.  [convex.md a (iii), b: S]
 */
#include "price_cone.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "box_norm.h"

enum { MOST_OPEN = 4, ROUNDS = 12 };

/* Sum of products; r is small. */
static double dot(const double *a, const double *b, int64_t r)
{
    double sum = 0;
    for (int64_t l = 0; l < r; l++)
        sum += a[l] * b[l];
    return sum;
}

void fathom_ray_fill(fathom_rays *rays, int64_t k, const fathom_price_rows *rows)
{
    const int64_t r = rows->r, words = rays->words;
    uint64_t *negative = rays->bits + 2 * words * k, *positive = negative + words;
    double *u = rays->unit[k];
    const double norm = sqrt(dot(rays->exact[k], rays->exact[k], r));
    for (int64_t l = 0; l < r; l++)
        u[l] = rays->exact[k][l] / norm;
    memset(negative, 0, (size_t)(2 * words) * sizeof *negative);
    rays->h[k][0] = rays->h[k][1] = 0;
    for (int64_t i = 0; i < rows->m; i++) {
        const double *a = rows->a + i * r, t = dot(a, u, r);
        double margin = 0;
        for (int64_t l = 0; l < r; l++)
            margin += fabs(a[l]);
        margin *= 16 * (double)r * DBL_EPSILON;
        if (t < -margin)
            negative[i / 64] |= UINT64_C(1) << (i % 64);
        if (t > margin)
            positive[i / 64] |= UINT64_C(1) << (i % 64);
        if (t > 0)
            rays->h[k][i < rows->positive ? 0 : 1] += t;
    }
}

/* What is known of a cone while it is bounded. */
typedef struct view {
    const fathom_price_rows *rows;
    int64_t r;
    double ray[FATHOM_CONE_RANK][FATHOM_CONE_RANK];     /* r_k */
    double inverse[FATHOM_CONE_RANK][FATHOM_CONE_RANK]; /* row k: q_k, q_k'r_l = 1[k = l] */
    double h[FATHOM_CONE_RANK];                         /* hP(r_k) */
    double fixed[FATHOM_CONE_RANK];  /* sum of the N rows that are open on the whole cone */
    double open[FATHOM_CONE_RANK];   /* sum of the P rows that are */
    double middle[FATHOM_CONE_RANK]; /* the unit vector along sum_k r_k */
    double narrow;                   /* the least middle'r_k */
    bool regular;                    /* the inverse exists */
    int64_t loose;                   /* N rows of both signs: columns of the box problem */
    int64_t both;                    /* P rows of both signs */
    int64_t first, last;             /* the N rows */
    const double **column;           /* loose + r */
    const double **kink;             /* both */
    double *x, *upper;               /* loose + r */
    double *all, *one;               /* last - first: lambda of all N rows, and its bounds */
    const double **minus;            /* last - first: -a_i */
    double *work;
} view;

/* q_k by Gauss-Jordan elimination with row exchanges; false where the cone is flat to rounding. */
static bool invert(view *v)
{
    const int64_t r = v->r;
    double a[FATHOM_CONE_RANK][2 * FATHOM_CONE_RANK];
    for (int64_t k = 0; k < r; k++)
        for (int64_t l = 0; l < r; l++) {
            a[k][l] = v->ray[k][l];
            a[k][r + l] = k == l;
        }
    for (int64_t c = 0; c < r; c++) {
        int64_t pivot = c;
        for (int64_t k = c + 1; k < r; k++)
            if (fabs(a[k][c]) > fabs(a[pivot][c]))
                pivot = k;
        if (!(fabs(a[pivot][c]) > 1e-13))
            return false;
        for (int64_t l = 0; l < 2 * r; l++) {
            const double swap = a[c][l];
            a[c][l] = a[pivot][l];
            a[pivot][l] = swap;
        }
        const double scale = 1 / a[c][c];
        for (int64_t l = 0; l < 2 * r; l++)
            a[c][l] *= scale;
        for (int64_t k = 0; k < r; k++) {
            const double times = k == c ? 0 : a[k][c];
            for (int64_t l = 0; times != 0 && l < 2 * r; l++)
                a[k][l] -= times * a[c][l];
        }
    }
    for (int64_t k = 0; k < r; k++)
        for (int64_t l = 0; l < r; l++)
            v->inverse[k][l] = a[l][r + k];
    return true;
}

static void find_middle(view *v)
{
    const int64_t r = v->r;
    for (int64_t k = 0; k < r; k++)
        for (int64_t l = 0; l < r; l++)
            v->middle[l] += v->ray[k][l];
    const double norm = sqrt(dot(v->middle, v->middle, r));
    for (int64_t l = 0; l < r; l++)
        v->middle[l] /= norm;
    v->narrow = INFINITY;
    for (int64_t k = 0; k < r; k++)
        v->narrow = fmin(v->narrow, dot(v->middle, v->ray[k], r));
}

/* Sorts the rows by their signs on the rays; side 1 exchanges P and N. */
static void sort_rows(view *v, const fathom_cone *cone, const fathom_rays *rays)
{
    const fathom_price_rows *rows = v->rows;
    const int64_t r = v->r, words = rays->words;
    for (int64_t t = 0; t < words; t++) {
        uint64_t negative = 0, positive = 0;
        for (int64_t k = 0; k < r; k++) {
            negative |= rays->bits[2 * words * cone->ray[k] + t];
            positive |= rays->bits[2 * words * cone->ray[k] + words + t];
        }
        for (uint64_t left = positive; left; left &= left - 1) {
            const int64_t i = 64 * t + __builtin_ctzll(left);
            const double *a = rows->a + i * r;
            const bool in_p = (i < rows->positive) == (cone->side == 0);
            if (!(negative >> (i % 64) & 1)) {
                double *sum = in_p ? v->open : v->fixed;
                if (!in_p)
                    v->all[i - v->first] = 1;
                for (int64_t l = 0; l < r; l++)
                    sum[l] += a[l];
            } else if (in_p) {
                v->kink[v->both++] = a;
            } else {
                v->column[v->loose] = rows->minus + i * r;
                v->x[v->loose] = v->all[i - v->first] = 0.5;
                v->upper[v->loose++] = 1;
            }
        }
    }
    for (int64_t k = 0; k < r; k++) {
        v->column[v->loose + k] = v->inverse[k];
        v->upper[v->loose + k] = INFINITY;
    }
}

/* The least |w| for the numbers b0_k = hP(r_k) or z'r_k, and g with R g = b0, less the fixed rows of N; checked. Where R is
 * nearly singular a multiple of the middle ray serves better: it need only reach the largest b_k. */
static double least(double *w, view *v, const double *b0, double enough)
{
    const int64_t r = v->r;
    double g[FATHOM_CONE_RANK], lambda[FATHOM_CONE_RANK], worst = 0, top = 0;
    for (int64_t l = 0; l < r; l++) {
        g[l] = -v->fixed[l];
        for (int64_t k = 0; k < r; k++)
            g[l] += b0[k] * v->inverse[k][l];
    }
    for (int64_t j = 0; j < v->loose + r; j++)
        v->x[j] = j < v->loose ? fmin(fmax(v->x[j], 0), 1) : 0;
    const fathom_box_norm box = {r, v->loose + r, g, v->column, v->upper, enough, ROUNDS, false};
    const double norm = fathom_box_norm_solve(v->x, w, &box, v->work);
    memcpy(lambda, v->fixed, sizeof lambda);
    for (int64_t j = 0; j < v->loose; j++)
        for (int64_t l = 0; l < r; l++)
            lambda[l] -= v->x[j] * v->column[j][l];
    for (int64_t k = 0; k < r; k++) {
        const double b = b0[k] - dot(lambda, v->ray[k], r);
        worst = fmax(worst, b - dot(w, v->ray[k], r));
        top = fmax(top, b);
    }
    const double found = norm + sqrt((double)r) * worst, middle = top / v->narrow;
    if (v->regular && found <= middle)
        return found;
    for (int64_t l = 0; l < r; l++)
        w[l] = middle * v->middle[l];
    return middle;
}

/* Rows of P that have both signs in the cap are kept at the front of `kink`; the others go into z where they are open.
 * The cap: |u| <= 1, w'u >= c |w|. */
static int64_t open_in_cap(double *z, view *v, const double *w, double norm, double c)
{
    const int64_t r = v->r;
    const double s = sqrt(fmax(0, 1 - c * c) + 8 * DBL_EPSILON);
    int64_t count = 0;
    memcpy(z, v->open, (size_t)r * sizeof *z);
    for (int64_t i = 0; i < v->both; i++) {
        const double *a = v->kink[i];
        const double along = dot(a, w, r) / norm, square = dot(a, a, r);
        const double across = sqrt(fmax(0, square - along * along) + 16 * (double)r * DBL_EPSILON * square);
        /* least |a'u| of that sign in the cap */
        if (fabs(along) * c - across * s > 1e-12 * sqrt(square)) {
            for (int64_t l = 0; along > 0 && l < r; l++)
                z[l] += a[l];
            continue;
        }
        v->kink[i] = v->kink[count];
        v->kink[count++] = a;
    }
    return count;
}

/* The largest z'u - hN(u) over all |u| <= 1, or an upper bound of it. */
static double anywhere(view *v, const double *z, double enough)
{
    double w[FATHOM_CONE_RANK];
    const fathom_box_norm box = {v->r, v->last - v->first, z, v->minus, v->one, enough, ROUNDS, false};
    return fathom_box_norm_solve(v->all, w, &box, v->work);
}

/* Tries all patterns of the open rows; true where each is at most `enough`. */
static bool close_patterns(view *v, const double *z, int64_t count, double enough)
{
    const int64_t r = v->r;
    double sum[FATHOM_CONE_RANK], b0[FATHOM_CONE_RANK], w[FATHOM_CONE_RANK];
    for (int64_t pattern = 0; pattern < (INT64_C(1) << count); pattern++) {
        memcpy(sum, z, (size_t)r * sizeof *sum);
        for (int64_t i = 0; i < count; i++)
            for (int64_t l = 0; (pattern >> i & 1) && l < r; l++)
                sum[l] += v->kink[i][l];
        for (int64_t k = 0; k < r; k++)
            b0[k] = dot(sum, v->ray[k], r);
        if (!(least(w, v, b0, enough) <= enough) && !(anywhere(v, sum, enough) <= enough))
            return false;
    }
    return true;
}

/* The edge along which hP bends most below its chord, at the weights that w suggests. */
static void choose_edge(fathom_cone *cone, const view *v, const double *w)
{
    const int64_t r = v->r;
    double mu[FATHOM_CONE_RANK], total = 0, most = -1;
    for (int64_t k = 0; k < r; k++) {
        mu[k] = v->regular ? fmax(0, dot(v->inverse[k], w, r)) : 1;
        total += mu[k];
    }
    cone->split[0] = 1;
    cone->split[1] = 0;
    for (int64_t k = 0; k < r; k++)
        for (int64_t l = 0; l < k; l++) {
            const double p = mu[k] + 0.02 * total, q = mu[l] + 0.02 * total;
            double defect =
                1e-9 * total * (1 - dot(v->ray[k], v->ray[l], r)); /* the longest edge, failing others */
            for (int64_t i = 0; i < v->both; i++) {
                const double s = p * dot(v->kink[i], v->ray[k], r), t = q * dot(v->kink[i], v->ray[l], r);
                defect += fmax(s, 0) + fmax(t, 0) - fmax(s + t, 0);
            }
            if (defect > most) {
                most = defect;
                cone->split[0] = (int32_t)k;
                cone->split[1] = (int32_t)l;
            }
        }
}

int64_t fathom_cone_work(const fathom_price_rows *rows)
{
    const int64_t m = rows->m + rows->r;
    return 7 * m + fathom_box_norm_work(rows->r, m);
}

/* Cuts the workspace up; lambda = 0 everywhere. */
static view open_view(const fathom_price_rows *rows, int side, double *work)
{
    const int64_t m = rows->m + rows->r;
    view v = {.rows = rows, .r = rows->r};
    v.first = side ? 0 : rows->positive;
    v.last = side ? rows->positive : rows->m;
    v.x = work;
    v.upper = v.x + m;
    v.all = v.upper + m;
    v.one = v.all + m;
    v.work = v.one + m;
    v.column = (const double **)(void *)(v.work + fathom_box_norm_work(rows->r, m));
    v.kink = v.column + m;
    v.minus = v.kink + m;
    for (int64_t i = v.first; i < v.last; i++) {
        v.minus[i - v.first] = rows->minus + i * rows->r;
        v.all[i - v.first] = 0;
        v.one[i - v.first] = 1;
    }
    return v;
}

void fathom_cone_bound(fathom_cone *cone, double *u, const fathom_rays *rays, const fathom_price_rows *rows,
                       double enough, double *work)
{
    const int64_t r = rows->r;
    double w[FATHOM_CONE_RANK], z[FATHOM_CONE_RANK];
    view v = open_view(rows, cone->side, work);
    for (int64_t k = 0; k < r; k++) {
        memcpy(v.ray[k], rays->unit[cone->ray[k]], (size_t)r * sizeof **v.ray);
        v.h[k] = rays->h[cone->ray[k]][cone->side];
    }
    find_middle(&v);
    v.regular = invert(&v);
    sort_rows(&v, cone, rays);
    const double norm = least(w, &v, v.h, enough);
    cone->bound = fmin(cone->bound, norm);
    memset(u, 0, (size_t)r * sizeof *u);
    if (!(norm > enough))
        return;
    choose_edge(cone, &v, w);
    const double length = sqrt(dot(w, w, r));
    for (int64_t l = 0; l < r; l++)
        u[l] = w[l] / length;
    const double c =
        (enough - (norm - length)) / length * (1 - 4 * DBL_EPSILON); /* F > enough needs w'u > c |w| */
    if (c > 0) {
        const int64_t count = open_in_cap(z, &v, w, length, c);
        if (count <= MOST_OPEN && close_patterns(&v, z, count, enough))
            cone->bound = fmin(cone->bound, enough);
    }
}
