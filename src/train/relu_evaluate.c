/* SPDX-License-Identifier: Apache-2.0 */
/* Loss and norm of a result's network on the rows of a problem, and its objective rounded up; whether it
 * meets the targets. O(n m d). */
#include <float.h>
#include <math.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "sum.h"
#include "train_relu.h"

/* Errors of outputs beside the largest target within which a network interpolates; where that is below the
 * rounding of its terms w_j relu(<u_j, x>), a few units of it, as long as these are far below the targets. */
static const double MET = 1e-9, MOST_MISSED = 1e-6;
enum { ROUNDINGS = 8 };

/* f (outputs x n) and the norm. */
static double forward(double *f, const fathom_train_problem *p, fathom_net *net)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    double norm = 0;
    for (int64_t i = 0; i < p->n * p->outputs; i++)
        f[i] = w.c[i / p->n];
    for (int64_t j = 0; j < shape.m; j++) {
        const double *u = w.u + j * p->d, *out = w.w + j * p->outputs;
        norm += fathom_blas_norm(u, p->d) * fathom_blas_norm(out, p->outputs);
        for (int64_t i = 0; i < p->n; i++) {
            const double t = fathom_blas_dot(p->x + i * p->d, u, p->d) + (shape.hidden_bias ? w.b[j] : 0);
            for (int64_t k = 0; k < p->outputs && t > 0; k++)
                f[k * p->n + i] += out[k] * t;
        }
    }
    return norm;
}

fathom_status fathom_relu_evaluate(fathom_train_result *result, const fathom_train_problem *p)
{
    const fathom_objective loss = {
        .n = p->n, .outputs = p->outputs, .loss = p->loss, .box = p->box, .y = p->y, .weight = p->weight};
    const double terms = (double)(p->n + p->d + fathom_net_look(result->net).m + 16);
    double *f = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *f);
    if (!f)
        return FATHOM_ERROR_MEMORY;
    result->norm = forward(f, p, result->net);
    result->loss = p->equality ? 0 : fathom_objective_loss(&loss, f, 0) / p->divisor;
    const double beta = p->equality ? 1 : result->beta;
    const double value = (result->loss + beta * result->norm) * (1 + 4 * terms * DBL_EPSILON);
    if (isfinite(result->objective)) /* not of a network that fails to interpolate */
        result->objective = fmax(p->equality ? result->objective : 0, value);
    fathom_memory_free(p->context, f);
    return FATHOM_OK;
}

/* f_ik of a network, without rounding of its terms, minus y. */
static double miss_of(const fathom_train_problem *p, const fathom_net_shape *shape,
                      const fathom_net_weights *w, int64_t i, int64_t k)
{
    double high = w->c[k] - p->y[k * p->n + i], low = (w->c[k] - high) - p->y[k * p->n + i];
    for (int64_t j = 0; j < shape->m; j++) {
        double rest;
        const double t =
            fathom_dot_long(&rest, p->x + i * p->d, w->u + j * p->d, p->d, shape->hidden_bias ? w->b[j] : 0);
        if (t > 0)
            fathom_add_long(&high, &low, w->w[j * p->outputs + k], t, rest);
    }
    return high + low;
}

double fathom_relu_cost_of_misses(const fathom_train_problem *p, fathom_net *net, const double *v)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    double cost = 0;
    for (int64_t i = 0; i < p->n * p->outputs; i++)
        cost += fabs(v[i] * miss_of(p, &shape, &w, i % p->n, i / p->n));
    return cost * (1 + (double)(p->n + 4) * DBL_EPSILON);
}

double fathom_relu_target_room(const fathom_train_problem *p, double norm)
{
    double largest = 0, reach = 0;
    for (int64_t i = 0; i < p->n * p->outputs; i++)
        largest = fmax(largest, fabs(p->y[i]));
    for (int64_t i = 0; i < p->n; i++)
        reach = fmax(reach, p->reach[i]);
    const double rounding = ROUNDINGS * DBL_EPSILON * norm * reach;
    return fmax(MET * largest, fmin(rounding, MOST_MISSED * largest));
}

fathom_status fathom_relu_check_targets(fathom_train_result *result, const fathom_train_problem *p)
{
    double *f = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *f), most = 0;
    int64_t worst = 0;
    if (!f)
        return FATHOM_ERROR_MEMORY;
    const double room = fathom_relu_target_room(p, forward(f, p, result->net));
    for (int64_t i = 0; i < p->n * p->outputs; i++) {
        const double missed = fabs(f[i] - p->y[i]);
        worst = missed > most ? i % p->n : worst;
        most = fmax(most, missed);
    }
    fathom_memory_free(p->context, f);
    if (most <= room || !isfinite(result->objective))
        return FATHOM_OK;
    fathom_log(p->context, FATHOM_LOG_WARNING,
               "the network does not interpolate: it misses the target of row %lld by %.3g", (long long)worst,
               most);
    result->objective = INFINITY;
    fathom_train_conclude(result, p);
    return FATHOM_OK;
}
