/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks of least norm from splines, and what they really attain.
 *
 * A jump J_k = r_k + l_k of the slope is a neuron r_k (x - t_k)_+, or l_k (t_k - x)_+, or both; s_1 = r_1 - l_N - sum_k l_k.
 * The jumps are turned to the left one after the other until sum l_k = -s_1, the last of them in part; what they cannot
 * give is a neuron that is active everywhere, from x_1 to the right. The norm is R of spline.h, with at most one neuron
 * more than kinks, and one more for the last case. [001, Cor. 3.2]
 *
 * Since u_j is 1 or -1 the bias -u_j t_j is exact, however far from 0 the data lie. Values are sums in long double along
 * the places; N + 2 m roundings of at most norm (x_N - x_1) bound their error.
 */
#include <float.h>
#include <math.h>

#include "memory.h"
#include "spline.h"

static void add_kink(fathom_spline_net *net, double t, double u, double w)
{
    if (w == 0)
        return;
    net->t[net->count] = t;
    net->u[net->count] = u;
    net->w[net->count++] = w;
}

/* The part of jump j that a need of the same sign takes. */
static double turned(double jump, double need)
{
    if (jump > 0 && need > 0)
        return fmin(jump, need);
    return jump < 0 && need < 0 ? fmax(jump, need) : 0;
}

fathom_status fathom_spline_net_open(fathom_spline_net *net, const fathom_spline *spline,
                                     const fathom_spline_points *points)
{
    const int64_t most = 2 * spline->count + 1;
    *net = (fathom_spline_net){0};
    net->t = fathom_memory_alloc(points->context, 3 * most, sizeof *net->t);
    if (!net->t)
        return FATHOM_ERROR_MEMORY;
    net->u = net->t + most;
    net->w = net->u + most;
    const double scale = points->scale, start = points->place[0];
    double need = -spline->s[0] * scale;
    for (int64_t k = 1; k + 1 < spline->count; k++)
        need -= turned(spline->jump[k] * scale, need);
    add_kink(net, start, 1, -need);
    long double constant = (long double)spline->z[0] + points->shift;
    need = -spline->s[0] * scale;
    for (int64_t k = 1; k + 1 < spline->count; k++) {
        const double t = points->place[spline->knot[k]], jump = spline->jump[k] * scale;
        const double left = turned(jump, need);
        need -= left;
        constant -= (long double)left * ((long double)t - start);
        add_kink(net, t, -1, left);
        add_kink(net, t, 1, jump - left);
    }
    net->constant = (double)constant;
    return FATHOM_OK;
}

void fathom_spline_net_close(fathom_spline_net *net, fathom_context *context)
{
    fathom_memory_free(context, net->t);
    *net = (fathom_spline_net){0};
}

/* f at the points, less the shift of the targets. */
static void net_values(double *f, const fathom_spline_net *net, const fathom_spline_points *points)
{
    const double *place = points->place;
    long double value = (long double)net->constant - points->shift, slope = 0;
    int64_t next = 0;
    for (int64_t j = 0; j < net->count; j++)
        if (net->u[j] < 0) {
            value += (long double)net->w[j] * ((long double)net->t[j] - place[0]);
            slope -= net->w[j];
        }
    for (int64_t k = 0; k < points->count; k++) {
        if (k > 0)
            value += slope * ((long double)place[k] - place[k - 1]);
        for (; next < net->count && net->t[next] <= place[k]; next++)
            slope += net->w[next];
        for (int64_t i = points->first[k]; i < points->first[k + 1]; i++)
            f[i] = (double)value;
    }
}

/* How much more than computed the loss of point i can be where f_i may be off by `error`. */
static double loss_error(const fathom_spline_points *points, int64_t i, double f, double error)
{
    const double y = points->y[i], margin = y * f;
    switch (points->loss) {
    case FATHOM_LOSS_SQUARED:
        return (fabs(f - y) + error / 2) * error;
    case FATHOM_LOSS_HINGE:
        return margin < 1 + error ? error : 0;
    default: /* |l'| <= min(1, e^{-margin}) at the worst end */
        return fmin(1, exp(error - margin)) * error;
    }
}

void fathom_spline_net_measure(double *loss, double *norm, double *f, const fathom_spline_net *net,
                               const fathom_spline_points *points, double slack)
{
    const fathom_objective problem = fathom_spline_problem(points, 1);
    const double range = points->place[points->count - 1] - points->place[0];
    const double terms = (double)(points->count + 2 * net->count + 8);
    long double sum = 0;
    double largest = 0;
    for (int64_t j = 0; j < net->count; j++)
        sum += fabs(net->w[j]);
    *norm = (double)sum * (1 + 4 * DBL_EPSILON);
    net_values(f, net, points);
    for (int64_t i = 0; i < points->n; i++)
        largest = fmax(largest, fabs(f[i]));
    /* of the sums; then the rounding of f_i and of the centred y_i to double */
    const double error =
        (terms * (double)LDBL_EPSILON * range + slack) * *norm + 2 * (double)LDBL_EPSILON * largest;
    sum = 0;
    for (int64_t i = 0; i < points->n; i++) {
        const double each = error + DBL_EPSILON * (fabs(f[i]) + fabs(points->y[i]));
        sum += (long double)points->c[i] *
               (fathom_objective_point_loss(&problem, f, i, 0) * (1 + 4 * DBL_EPSILON) +
                loss_error(points, i, f[i], each));
    }
    *loss = (double)sum * (1 + 8 * DBL_EPSILON) + points->rest * (1 + 0x1p-40);
}
