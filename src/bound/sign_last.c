/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last nodes of the branching on signs, without open points of positive weight: v'(Xu)_+ is concave on such a part of the ball,
 * C_0 is its only column, and its bound is a least-norm problem over |Theta_i0| <= |w_i| and nu >= 0, solved here to rounding. With a free
 * bias the ball is |u| <= 1, |b| <= 1 and the norm |c_u| + |c_b| = min over t of sqrt((1 + e^-t) |c_u|^2 + (1 + e^t) c_b^2).
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "box_norm.h"
#include "joint.h"
#include "sign_internal.h"

enum { BALLS = 6 };

static const double MOST_FLATTENED = 24,
                    FLATTER = 4; /* t; where c_b = 0 is best, e^-t / 2 of the price is lost */

/* |c_u| + |c_b| of a free bias, |c| without one; *t = the flattening of the ball at which that is its price. */
static double ball_norm(double *t, const fathom_sign_work *a, const double *c)
{
    const int64_t bias = fathom_sign_extra(a), d = a->side->p->d;
    const double u = fathom_blas_norm(c, d - bias), b = bias ? fabs(c[d - 1]) : 0;
    *t = !bias      ? 0
         : !(b > 0) ? FATHOM_JOINT_FLATTEST
         : !(u > 0) ? -FATHOM_JOINT_FLATTEST
                    : fmin(fmax(log(u / b), -FATHOM_JOINT_FLATTEST), FATHOM_JOINT_FLATTEST);
    return u + b;
}

/* The least-norm problem of a last node: g, and the vectors and bounds of its variables x, which are those of the node. Vectors of
 * rows stand in a->g behind g, those of half-spaces in a->base. Returns the number of variables. */
static int64_t set_last(double *x, double *upper, fathom_sign_work *a, const fathom_sign_node *node)
{
    const fathom_sign_side *side = a->side;
    const int64_t d = side->p->d, ld = side->ld;
    double *copy = a->g + ld, *turned = a->base + ld; /* x_i, e_j x_j */
    int64_t count = 0;
    memcpy(a->g, a->base, (size_t)d * sizeof *a->g);
    /* Theta_i0 = |w_i| - x_i, 0 <= x_i <= 2 |w_i|, of the rows of negative weight */
    for (int64_t r = 0; r < side->rows; r++) {
        const int64_t i = side->point[r];
        const double size = fmax(-side->w[i], 0), *theta = node->theta + r * (side->k + 2) + side->k;
        if (!(size > 0)) { /* fixed: psi_i = w_i */
            fathom_blas_axpy(a->g, a->fixed[i] * side->w[i], side->p->x + i * d, d);
            continue;
        }
        fathom_blas_axpy(a->g, -size, side->p->x + i * d, d);
        memcpy(copy, side->p->x + i * d, (size_t)d * sizeof *copy);
        a->vectors[count] = copy;
        copy += ld;
        upper[count] = 2 * size;
        x[count] = fmin(fmax(size - (theta[0] - theta[1]), 0), upper[count]);
        count++;
    }
    for (int64_t t = 0; t < a->nus; t++, count++, turned += ld) {
        const int64_t j = a->bound[t];
        for (int64_t l = 0; l < d; l++)
            turned[l] = a->fixed[j] * side->p->x[j * d + l];
        a->vectors[count] = turned;
        upper[count] = INFINITY;
        x[count] = node->nu[j];
    }
    return count;
}

/* The multipliers x of set_last in the node, cut as leaves keep them, and C_0 = c with them. */
static void store_last(fathom_sign_node *node, double *c, const fathom_sign_work *a, const double *x)
{
    const fathom_sign_side *side = a->side;
    const int64_t d = side->p->d;
    int64_t count = 0;
    memset(node->theta, 0, (size_t)fathom_sign_theta_size(side) * sizeof *node->theta);
    memcpy(c, a->g, (size_t)d * sizeof *c);
    for (int64_t r = 0; r < side->rows; r++) {
        double *theta = node->theta + r * (side->k + 2) + side->k;
        const double size = fmax(-side->w[side->point[r]], 0);
        if (!(size > 0))
            continue;
        theta[0] = fathom_sign_cut(size - x[count], side);
        theta[1] = fathom_sign_cut(x[count] - size, side);
        fathom_blas_axpy(c, size - (theta[0] - theta[1]), a->vectors[count], d);
        count++;
    }
    for (int64_t t = 0; t < a->nus; t++, count++) {
        node->nu[a->bound[t]] = fathom_sign_cut(x[count], side);
        fathom_blas_axpy(c, node->nu[a->bound[t]], a->vectors[count], d);
    }
}

/* The last coordinate of g and of all vectors times `factor`. */
static void weigh_bias(fathom_sign_work *a, int64_t rows, double factor)
{
    const int64_t ld = a->side->ld, last = a->side->p->d - 1;
    for (int64_t k = 0; k <= rows; k++)
        a->g[k * ld + last] *= factor;
    for (int64_t k = 1; k <= a->nus; k++)
        a->base[k * ld + last] *= factor;
}

/* min |C_0| over the box; with a free bias min |c_u| + |c_b| by balls of flattening e^(t/2), a power of two here: first those that
 * the last solution asks for, and twice as far; then, as t has no end where c_b = 0 is best, ever flatter ones. The best x stays. */
static void least_last(double *x, fathom_sign_work *a, const fathom_box_norm *box, double *work, double *best)
{
    const int64_t rows = box->count - a->nus, rounds = fathom_sign_extra(a) ? 2 * BALLS : 1;
    double least = INFINITY, t = 0, asked = 0;
    memcpy(best, x, (size_t)box->count * sizeof *x);
    for (int64_t k = 0; k < rounds && least > box->enough; k++) {
        const double factor = rounds > 1 ? exp2(nearbyint(t / (2 * log(2)))) : 1, before = t;
        weigh_bias(a, rows, factor);
        fathom_box_norm_solve(x, a->c, box, work);
        weigh_bias(a, rows, 1 / factor);
        memcpy(a->c, a->g, (size_t)box->r * sizeof *a->c);
        for (int64_t j = 0; j < box->count; j++)
            fathom_blas_axpy(a->c, x[j], box->q[j], box->r);
        const double value = ball_norm(&asked, a, a->c);
        t = k + 1 < BALLS ? asked + (asked - before) : FLATTER * (double)(k + 2 - BALLS);
        t = fmin(fmax(t, -MOST_FLATTENED), MOST_FLATTENED);
        if (value < least)
            memcpy(best, x, (size_t)box->count * sizeof *x);
        least = fmin(least, value);
    }
    memcpy(x, best, (size_t)box->count * sizeof *x);
}

void fathom_sign_solve_last(fathom_sign_node *node, fathom_sign_work *a, double aim)
{
    const fathom_sign_side *side = a->side;
    double *x = a->box, *upper = x + a->size, *best = upper + a->size, *work = best + a->size;
    const int64_t count = set_last(x, upper, a, node);
    const fathom_box_norm box = {side->p->d, count, a->g, a->vectors, upper, 2 * aim, 2000, true};
    least_last(x, a, &box, work, best);
    store_last(node, a->c, a, x);
    for (int64_t j = 0; j < side->p->n; j++)
        node->log_alpha[j + 1] = -INFINITY;
    node->log_alpha[0] = 0;
    ball_norm(node->log_alpha + side->p->n + 1, a, a->c);
}
