/* SPDX-License-Identifier: Apache-2.0 */
/* Local ascent on the price of a neuron; problem and method in ascent.h. */
#include "ascent.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "blas.h"
#include "memory.h"

enum { STEPS = 60, SWEEPS = 30 };

/* Of one thread: t = Xu (n), lambda (n), w (d), next (d). */
typedef struct workspace {
    double *t, *lambda, *w;
} workspace;

static double price_of(const fathom_ascent *p, const double *t, double sign)
{
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++)
        sum += t[i] > 0 ? p->v[i] * t[i] : 0;
    return sign * sum;
}

double fathom_ascent_value(const fathom_ascent *problem, const double *u, double sign)
{
    double sum = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const double t = fathom_blas_dot(problem->x + i * problem->d, u, problem->d);
        sum += t > 0 ? problem->v[i] * t : 0;
    }
    return sign * sum;
}

/* w = c - sum lambda_i |v_i| x_i with c and the start lambda_i = 1[x_i'u > 0] read off t = Xu. */
static void linearise(const fathom_ascent *p, workspace *a, double sign)
{
    memset(a->w, 0, (size_t)p->d * sizeof *a->w);
    for (int64_t i = 0; i < p->n; i++) {
        const double weight = sign * p->v[i];
        a->lambda[i] = weight < 0 && a->t[i] > 0 ? 1 : 0;
        if (a->t[i] > 0)
            fathom_blas_axpy(a->w, weight, p->x + i * p->d, p->d);
    }
}

/* One sweep of exact coordinate minimisation of |w| over lambda in the box; returns the largest change of |w|^2. */
static double sweep(const fathom_ascent *p, workspace *a, double sign)
{
    double largest = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double weight = -sign * p->v[i];
        if (!(weight > 0))
            continue;
        const double *x = p->x + i * p->d;
        const double square = weight * weight * fathom_blas_dot(x, x, p->d);
        if (!(square > 0))
            continue;
        const double wanted = a->lambda[i] + weight * fathom_blas_dot(x, a->w, p->d) / square;
        const double next = fmin(1, fmax(0, wanted));
        const double change = next - a->lambda[i];
        if (change == 0)
            continue;
        fathom_blas_axpy(a->w, -change * weight, x, p->d);
        a->lambda[i] = next;
        largest = fmax(largest, change * change * square);
    }
    return largest;
}

/* Ascends from u in place; returns F there, 0 (and u = 0) where no positive value was found. */
static double ascend(double *u, const fathom_ascent *p, workspace *a, double sign)
{
    double value = 0;
    for (int k = 0; k < STEPS; k++) {
        fathom_blas_gemv(a->t, p->n, p->d, 1, fathom_plain(p->x, p->d), u, 0);
        const double now = price_of(p, a->t, sign);
        if (k > 0 && !(now > value + 1e-13 * fabs(value)))
            break;
        value = now;
        linearise(p, a, sign);
        for (int s = 0; s < SWEEPS; s++)
            if (sweep(p, a, sign) <= 1e-18 * fathom_blas_dot(a->w, a->w, p->d))
                break;
        const double norm = fathom_blas_norm(a->w, p->d);
        if (!(norm > 0))
            break;
        for (int64_t l = 0; l < p->d; l++)
            u[l] = a->w[l] / norm;
    }
    value = fathom_ascent_value(p, u, sign);
    if (value > 0)
        return value;
    memset(u, 0, (size_t)p->d * sizeof *u);
    return 0;
}

fathom_status fathom_ascent_run(double *u, double *value, const double *sign, int64_t count,
                                const fathom_ascent *problem, fathom_context *context)
{
    const int64_t n = problem->n, d = problem->d, room = 2 * n + d;
    /* waking threads costs more than a small round takes */
    const int threads = count * n * d > 10000 ? fathom_context_threads(context) : 1;
    double *block = fathom_memory_alloc(context, threads * room, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t k = 0; k < count; k++) {
        double *mine = block + omp_get_thread_num() * room;
        workspace a = {mine, mine + n, mine + 2 * n};
        const double norm = fathom_blas_norm(u + k * d, d);
        if (norm > 0)
            fathom_blas_scale(u + k * d, 1 / norm, d);
        value[k] = ascend(u + k * d, problem, &a, sign[k]);
    }
    fathom_memory_free(context, block);
    return FATHOM_OK;
}
