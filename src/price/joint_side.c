/* SPDX-License-Identifier: Apache-2.0 */
/* One side of the joint relaxation: neighbour lists and starting values; symbols in joint.h. */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "joint_internal.h"
#include "memory.h"

/* Rows are the points of negative weight, neighbours come from those of positive weight. */
static bool side_allocate(fathom_joint_side *a, const fathom_gated_problem *p)
{
    fathom_context *context = p->context;
    const int64_t n = p->n, d = p->d, pairs = a->rows * a->k;
    a->point = fathom_memory_alloc(context, n, sizeof *a->point);
    a->row_of = fathom_memory_alloc(context, n, sizeof *a->row_of);
    a->column = fathom_memory_alloc(context, pairs, sizeof *a->column);
    a->sign = fathom_memory_alloc(context, pairs, sizeof *a->sign);
    a->cosine = fathom_memory_alloc(context, pairs, sizeof *a->cosine);
    a->start = fathom_memory_zero(context, n + 1, sizeof *a->start);
    a->entry = fathom_memory_alloc(context, pairs, sizeof *a->entry);
    a->psi = fathom_memory_alloc(context, n, sizeof *a->psi);
    a->psi_slope = fathom_memory_alloc(context, n, sizeof *a->psi_slope);
    a->c = fathom_memory_alloc(context, (n + 1) * d, sizeof *a->c);
    a->gradient = fathom_memory_alloc(context, (n + 1) * d, sizeof *a->gradient);
    a->moment = fathom_memory_alloc(context, d * d, sizeof *a->moment);
    a->filtered = fathom_memory_alloc(context, d * d, sizeof *a->filtered);
    a->value = fathom_memory_alloc(context, d, sizeof *a->value);
    return a->point && a->row_of && a->column && a->sign && a->cosine && a->start && a->entry && a->psi &&
           a->psi_slope && a->c && a->gradient && a->moment && a->filtered && a->value;
}

void fathom_joint_side_close(fathom_joint_side *a, fathom_context *context)
{
    void *const blocks[] = {a->point, a->row_of,    a->column, a->sign,     a->cosine, a->start,    a->entry,
                            a->psi,   a->psi_slope, a->c,      a->gradient, a->moment, a->filtered, a->value};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
    *a = (fathom_joint_side){0};
}

/* Keeps the k largest |cos| of a row in a min-heap over (cosine, column). */
static void heap_offer(fathom_joint_side *a, int64_t r, int64_t *count, double cosine, int32_t column)
{
    double *value = a->cosine + r * a->k;
    int32_t *name = a->column + r * a->k;
    int64_t at;
    if (*count < a->k) {
        at = (*count)++;
        for (; at > 0 && value[(at - 1) / 2] > cosine; at = (at - 1) / 2) {
            value[at] = value[(at - 1) / 2];
            name[at] = name[(at - 1) / 2];
        }
    } else {
        if (!(cosine > value[0]))
            return;
        for (at = 0; 2 * at + 1 < a->k;) {
            int64_t child = 2 * at + 1;
            if (child + 1 < a->k && value[child + 1] < value[child])
                child++;
            if (value[child] >= cosine)
                break;
            value[at] = value[child];
            name[at] = name[child];
            at = child;
        }
    }
    value[at] = cosine;
    name[at] = column;
}

/* The nearest points of the other sign for row r. */
static void find_neighbours(fathom_joint_side *a, const fathom_gated_problem *p, const double *v, int64_t r)
{
    const int64_t i = a->point[r];
    const double *x = p->x + i * p->d;
    int64_t count = 0;
    for (int64_t j = 0; j < p->n; j++) {
        if (!(a->sigma * v[j] > 0))
            continue;
        const double dot = fathom_blas_dot(x, p->x + j * p->d, p->d);
        const double size = p->reach[i] * p->reach[j];
        heap_offer(a, r, &count, size > 0 ? fabs(dot) / size : 0, (int32_t)j);
    }
    for (int64_t l = 0; l < a->k; l++)
        a->sign[r * a->k + l] = fathom_blas_dot(x, p->x + a->column[r * a->k + l] * p->d, p->d) < 0 ? -1 : 1;
}

/* The pairs by neighbour, so that C_j is gathered and not scattered: the same sum in every thread count. */
static void index_neighbours(fathom_joint_side *a, int64_t n)
{
    const int64_t pairs = a->rows * a->k;
    for (int64_t e = 0; e < pairs; e++)
        a->start[a->column[e] + 1]++;
    for (int64_t j = 0; j < n; j++)
        a->start[j + 1] += a->start[j];
    for (int64_t e = pairs - 1; e >= 0; e--) /* backwards, so that entries of a neighbour ascend */
        a->entry[--a->start[a->column[e] + 1]] = e;
    /* now start[j + 1] is where neighbour j begins */
    memmove(a->start, a->start + 1, (size_t)n * sizeof *a->start);
    a->start[n] = pairs;
}

fathom_status fathom_joint_side_open(fathom_joint_side *side, const fathom_gated_problem *problem,
                                     double sigma, const double *v, int64_t neighbours)
{
    const int64_t n = problem->n;
    int64_t positive = 0;
    *side = (fathom_joint_side){.sigma = sigma};
    for (int64_t i = 0; i < n; i++) {
        positive += sigma * v[i] > 0;
        side->rows += sigma * v[i] < 0;
    }
    side->k = neighbours < positive ? neighbours : positive;
    if (!side_allocate(side, problem))
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0, r = 0; i < n; i++) {
        side->row_of[i] = sigma * v[i] < 0 ? r : -1;
        if (sigma * v[i] < 0)
            side->point[r++] = i;
    }
#pragma omp parallel for schedule(dynamic, 16) num_threads(fathom_context_threads(problem->context))
    for (int64_t r = 0; r < side->rows; r++)
        find_neighbours(side, problem, v, r);
    index_neighbours(side, n);
    return FATHOM_OK;
}

int64_t fathom_joint_side_size(const fathom_joint_side *side, const fathom_gated_problem *problem)
{
    return side->rows * (side->k + 2) + problem->n + 1 + (problem->constant ? 1 : 0);
}

/* |Theta_ij| = |v_i| softmax_j(8 |cos_ij|): the whole weight of a point goes to its neighbours. */
static void start_row(double *theta, const fathom_joint_side *a, const double *v, int64_t r)
{
    const double *cosine = a->cosine + r * a->k;
    double sum = 0;
    for (int64_t l = 0; l < a->k; l++)
        sum += exp(8 * (cosine[l] - 1));
    for (int64_t l = 0; l < a->k; l++)
        theta[l] = fabs(v[a->point[r]]) * exp(8 * (cosine[l] - 1)) / sum;
    theta[a->k] = theta[a->k + 1] = 0;
}

void fathom_joint_side_start(double *x, fathom_joint_side *side, const fathom_gated_problem *problem,
                             const double *v)
{
    const int64_t n = problem->n, d = problem->d;
    double *log_alpha = x + side->rows * (side->k + 2);
    for (int64_t r = 0; r < side->rows; r++)
        start_row(x + r * (side->k + 2), side, v, r);
    for (int64_t j = 0; j <= n; j++)
        log_alpha[j] = 0;
    if (problem->constant)
        log_alpha[n + 1] = 0; /* tau = 1/2 */
    fathom_joint_side_value(side, problem, v, x, 0, 1);
    double mean = 0;
    for (int64_t j = 0; j <= n; j++) {
        log_alpha[j] = fathom_blas_norm(side->c + j * d, d);
        mean += log_alpha[j] / (double)(n + 1);
    }
    for (int64_t j = 0; j <= n; j++)
        log_alpha[j] = log(log_alpha[j] + 0.02 * mean + 1e-300);
}
