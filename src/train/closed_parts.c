/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets on rays that see each other under right or obtuse angles.
 *
 * Let row i of the targets (softmax: of the gradient at 0) be r_i c_k, r_i > 0, with unit vectors c_k, k =
 * k(i), <c_k, c_l> <= 0 for k != l: the two signs of one output; classes in columns of their own; softmax,
 * c_k = tau (e_k - 1/K), tau = sqrt(K / (K - 1)). Over t >= 0, |t| <= 1 a dual point V_i = a_i c_k(i), a >=
 * 0, has the price
 *     |V't|^2 = |sum_k <a_k, t_k> c_k|^2 <= sum_k <a_k, t_k>^2 <= max_k |a_k|^2,      a_k: the a_i of part k,
 * as the products <a_k, t_k> are not negative. So the problem with F_i = f_i c_k(i) falls into one for each
 * ray,
 *     minimise sum_i c_i l_i(f_i) + b |f_k|:   -c_i l_i'(f_i) = lambda f_i,  lambda |f_k| = b,
 * l_i being the loss along the ray: -l' stays on it. lambda f_i(lambda) grows with lambda, which is found by
 * bisection. Whatever rounding does to V, with N_ij = max(0, <V_i, V_j>) and any w > 0 (here w_i = |V_i|)
 * Collatz and Wielandt give
 *     |V't|^2 <= t'N t <= max_i (N w)_i / w_i.
 */
#include "closed_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "loss_row.h"
#include "memory.h"

/* Rows count as on one ray, and rays as not under an acute angle, to this; the price sees what is left. */
static const double SAME_RAY = 1e-12;

static double weight_of(const fathom_train_problem *p, int64_t i) { return p->weight ? p->weight[i] : 1; }

static double softmax_scale(const fathom_train_problem *p)
{
    return sqrt((double)p->outputs / (double)(p->outputs - 1));
}

/* Classes: the axes of softmax. false where a row is not that of one class. */
static bool class_rays(fathom_closed_parts *a)
{
    const fathom_train_problem *p = a->problem;
    const int64_t o = p->outputs;
    const double tau = softmax_scale(p);
    a->count = o;
    for (int64_t k = 0; k < o; k++)
        for (int64_t l = 0; l < o; l++)
            a->axis[k * o + l] = tau * ((k == l) - 1 / (double)o);
    for (int64_t i = 0; i < p->n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < o; k++) {
            sum += fabs(p->y[k * p->n + i]);
            if (p->y[k * p->n + i] == 1)
                a->part[i] = k;
        }
        a->size[i] = 1;
        if (a->part[i] < 0 || sum != 1)
            return false;
    }
    return true;
}

/* One output: the parts are the signs. */
static void sign_rays(fathom_closed_parts *a)
{
    const fathom_train_problem *p = a->problem;
    a->count = 2;
    a->axis[0] = 1;
    a->axis[1] = -1;
    for (int64_t i = 0; i < p->n; i++) {
        a->size[i] = fabs(p->y[i]);
        a->part[i] = p->y[i] > 0 ? 0 : p->y[i] < 0 ? 1 : -1;
    }
}

/* Row i, scaled to length 1, among the axes; a new one where it is none of them. */
static int64_t find_ray(fathom_closed_parts *a, const double *ray)
{
    const int64_t o = a->problem->outputs;
    for (int64_t k = 0; k < a->count; k++) {
        double far = 0;
        for (int64_t l = 0; l < o; l++)
            far = fmax(far, fabs(ray[l] - a->axis[k * o + l]));
        if (far <= SAME_RAY)
            return k;
    }
    memcpy(a->axis + a->count * o, ray, (size_t)o * sizeof *ray);
    return a->count++;
}

/* The rays of several columns; false where two are under an acute angle. No more than 2 o vectors of R^o are
 * not. `room` holds o. */
static bool target_rays(fathom_closed_parts *a, double *room)
{
    const fathom_train_problem *p = a->problem;
    const int64_t o = p->outputs;
    for (int64_t i = 0; i < p->n; i++) {
        for (int64_t l = 0; l < o; l++)
            room[l] = p->y[l * p->n + i];
        a->size[i] = fathom_blas_norm(room, o);
        if (!(a->size[i] > 0))
            continue;
        fathom_blas_scale(room, 1 / a->size[i], o);
        a->part[i] = find_ray(a, room);
        if (a->count > 2 * o)
            return false;
    }
    for (int64_t k = 0; k < a->count; k++)
        for (int64_t l = 0; l < k; l++)
            if (fathom_blas_dot(a->axis + k * o, a->axis + l * o, o) > SAME_RAY)
                return false;
    return true;
}

fathom_status fathom_closed_parts_open(fathom_closed_parts *a, bool *yes, const fathom_train_problem *p)
{
    const int64_t n = p->n, o = p->outputs;
    *a = (fathom_closed_parts){.problem = p};
    *yes = false;
    a->part = fathom_memory_alloc(p->context, n, sizeof *a->part);
    a->size = fathom_memory_zero(p->context, n, sizeof *a->size);
    a->axis = fathom_memory_zero(p->context, (2 * o + 2) * o, sizeof *a->axis);
    if (!a->part || !a->size || !a->axis)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        a->part[i] = -1;
    *yes = true;
    if (o == 1)
        sign_rays(a);
    else
        *yes =
            fathom_loss_row_of(p->loss)->simplex ? class_rays(a) : target_rays(a, a->axis + (2 * o + 1) * o);
    return FATHOM_OK;
}

void fathom_closed_parts_close(fathom_closed_parts *a)
{
    FATHOM_FREE(a->problem->context, a->part, a->size, a->axis);
}

/* -l'(t) of row i along its ray. */
static double slope(const fathom_train_problem *p, double size, double t)
{
    const double others = (double)(p->outputs - 1);
    switch (p->loss) {
    case FATHOM_LOSS_SQUARED:
        return size - t;
    case FATHOM_LOSS_HINGE:
        return t < 1;
    case FATHOM_LOSS_SOFTMAX:
        return softmax_scale(p) * others / (others + exp(softmax_scale(p) * t));
    default:
        return 1 / (1 + exp(t));
    }
}

/* The t with -c l'(t) = lambda t; c, size, lambda > 0. */
static double point_value(const fathom_train_problem *p, double c, double size, double lambda)
{
    if (p->loss == FATHOM_LOSS_SQUARED)
        return c * size / (c + lambda);
    if (p->loss == FATHOM_LOSS_HINGE)
        return fmin(1, c / lambda);
    double low = 0, high = c * slope(p, size, 0) / lambda; /* the slope falls with t */
    for (int step = 0; step < 200 && low < high; step++) {
        const double t = low + (high - low) / 2;
        if (t == low || t == high)
            break;
        *(c * slope(p, size, t) > lambda * t ? &low : &high) = t;
    }
    return low;
}

double fathom_closed_parts_slope(const fathom_closed_parts *a, int64_t k)
{
    const fathom_train_problem *p = a->problem;
    double square = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (a->part[i] == k)
            square += pow(weight_of(p, i) * slope(p, a->size[i], 0), 2);
    return sqrt(square);
}

/* f of part k at multiplier lambda; lambda |f|. */
static double part_values(double *f, const fathom_closed_parts *a, int64_t k, double lambda)
{
    double norm = 0;
    for (int64_t i = 0; i < a->problem->n; i++)
        if (a->part[i] == k) {
            f[i] = point_value(a->problem, weight_of(a->problem, i), a->size[i], lambda);
            norm = hypot(norm, f[i]);
        }
    return lambda * norm;
}

double fathom_closed_parts_solve(double *f, double *v, const fathom_closed_parts *a, int64_t k, double b)
{
    const fathom_train_problem *p = a->problem;
    double low = -700, high = 700; /* of ln lambda */
    const bool zero = fathom_closed_parts_slope(a, k) <= b;
    for (int step = 0; step < 200 && !zero; step++) {
        const double at = low + (high - low) / 2;
        if (at == low || at == high)
            break;
        *(part_values(f, a, k, exp(at)) < b ? &low : &high) = at;
    }
    const double lambda = exp(low), norm = zero ? 0 : part_values(f, a, k, lambda) / lambda;
    for (int64_t i = 0; i < p->n; i++) {
        if (a->part[i] != k)
            continue;
        const double most = weight_of(p, i) * slope(p, a->size[i], 0);
        f[i] = zero ? 0 : f[i];
        v[i] = zero ? most : fmin(lambda * f[i], most);
    }
    return norm;
}

double fathom_closed_parts_price(const double *v, const fathom_train_problem *p, double *room)
{
    const int64_t n = p->n, o = p->outputs;
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        room[i] = 0;
        for (int64_t k = 0; k < o; k++)
            room[i] = hypot(room[i], v[k * n + i]);
    }
    for (int64_t i = 0; i < n; i++) {
        double row = 0;
        if (room[i] == 0)
            continue;
        for (int64_t j = 0; j < n; j++) {
            double product = 0;
            for (int64_t k = 0; k < o; k++)
                product += v[k * n + i] / room[i] * v[k * n + j];
            /* its rounding, o + 2 terms of a sum of at most |V_j| */
            row += fmax(0, product + (double)(o + 4) * DBL_EPSILON * room[j]) * room[j];
        }
        largest = fmax(largest, row);
    }
    return sqrt(largest) * (1 + (double)(n + o + 16) * DBL_EPSILON);
}
