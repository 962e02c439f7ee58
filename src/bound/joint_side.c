/* SPDX-License-Identifier: Apache-2.0 */
/* One side of the joint relaxation: neighbour lists and starting values; symbols in joint.h. */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "joint_internal.h"
#include "memory.h"
#include "short_rows.h"

enum { FIRST = 8, NEWEST = 6 };

/* Rows are the points of negative weight, neighbours come from those of positive weight. */
static bool side_allocate(fathom_joint_side *a, const fathom_objective *p)
{
    fathom_context *context = p->context;
    const int64_t n = p->n, ld = a->ld, pairs = a->rows * a->k, entries = a->rows * (a->k + 2);
    a->point = fathom_memory_alloc(context, n, sizeof *a->point);
    a->row_of = fathom_memory_alloc(context, n, sizeof *a->row_of);
    a->column = fathom_memory_alloc(context, pairs, sizeof *a->column);
    a->sign = fathom_memory_alloc(context, pairs, sizeof *a->sign);
    a->cosine = fathom_memory_alloc(context, pairs, sizeof *a->cosine);
    a->first = fathom_memory_alloc(context, a->rows + 1, sizeof *a->first);
    a->to = fathom_memory_alloc(context, entries, sizeof *a->to);
    a->turn = fathom_memory_alloc(context, entries, sizeof *a->turn);
    a->slot = fathom_memory_alloc(context, entries, sizeof *a->slot);
    a->psi = fathom_memory_alloc(context, 4 * n + 1, sizeof *a->psi);
    a->padded = fathom_memory_zero(context, (3 * n + 2) * ld, sizeof *a->padded);
    a->moment = fathom_memory_zero(context, 3 * ld * ld, sizeof *a->moment);
    if (!a->point || !a->row_of || !a->column || !a->sign || !a->cosine || !a->first || !a->to || !a->turn ||
        !a->slot || !a->psi || !a->padded || !a->moment)
        return false;
    a->psi_slope = a->psi + n;
    a->own = a->psi_slope + n;
    a->alpha = a->own + n;
    a->c = a->padded + n * ld;
    a->gradient = a->c + (n + 1) * ld;
    a->filtered = a->moment + ld * ld;
    a->spare = a->filtered + ld * ld;
    return true;
}

void fathom_joint_side_close(fathom_joint_side *a, fathom_context *context)
{
    void *const blocks[] = {a->point, a->row_of, a->column, a->sign, a->cosine, a->first,
                            a->to,    a->turn,   a->slot,   a->psi,  a->padded, a->moment};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
    *a = (fathom_joint_side){0};
}

void fathom_joint_side_offer(fathom_joint_side *a, int64_t r, int64_t *count, double cosine, int32_t column)
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
static void find_neighbours(fathom_joint_side *a, const fathom_objective *p, const double *v, int64_t r)
{
    const int64_t i = a->point[r];
    const double *x = p->x + i * p->d;
    int64_t count = 0;
    for (int64_t j = 0; j < p->n; j++) {
        if (!(a->sigma * v[j] > 0))
            continue;
        const double dot = fathom_blas_dot(x, p->x + j * p->d, p->d);
        const double size = p->reach[i] * p->reach[j];
        fathom_joint_side_offer(a, r, &count, size > 0 ? fabs(dot) / size : 0, (int32_t)j);
    }
}

/* The signs of x_i'x_j for row r and its neighbours. */
static void find_signs(fathom_joint_side *a, const fathom_objective *p, int64_t r)
{
    const double *x = p->x + a->point[r] * p->d;
    for (int64_t l = 0; l < a->k; l++)
        a->sign[r * a->k + l] = fathom_blas_dot(x, p->x + a->column[r * a->k + l] * p->d, p->d) < 0 ? -1 : 1;
}

/* The growth above which an entry of row r that is 0 comes to work: that of the NEWEST-th, at least 0. */
static double growth_wanted(const fathom_joint_side *a, const double *x, int64_t r)
{
    double top[NEWEST] = {0};
    for (int64_t l = 0; l < a->k; l++) {
        if (x[r * (a->k + 2) + l] > 0)
            continue;
        double value = fathom_joint_side_growth(a, r, l);
        for (int t = 0; t < NEWEST && value > 0; t++)
            if (value > top[t]) {
                const double swap = top[t];
                top[t] = value;
                value = swap;
            }
    }
    return top[NEWEST - 1];
}

void fathom_joint_side_pack(fathom_joint_side *a, const double *x, fathom_joint_choice choice)
{
    const int64_t k = a->k;
    a->entries = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        const double least = choice == FATHOM_JOINT_USEFUL ? growth_wanted(a, x, r) : INFINITY;
        a->first[r] = a->entries;
        for (int64_t l = 0; l < k + 2; l++) {
            const int64_t slot = r * (k + 2) + l;
            if (l < k && choice != FATHOM_JOINT_ALL && !(x[slot] > 0) &&
                !(least < INFINITY && fathom_joint_side_growth(a, r, l) > least))
                continue;
            a->to[a->entries] = l < k ? a->column[r * k + l] + 1 : 0;
            a->turn[a->entries] = l < k ? a->sign[r * k + l] : l == k ? 1 : -1;
            a->slot[a->entries++] = slot;
        }
    }
    a->first[a->rows] = a->entries;
}

fathom_status fathom_joint_side_open(fathom_joint_side *side, const fathom_objective *problem, double sigma,
                                     const double *v, int64_t neighbours)
{
    const int64_t n = problem->n;
    int64_t positive = 0;
    *side = (fathom_joint_side){.sigma = sigma, .unit = 1, .ld = fathom_short_stride(problem->d)};
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
    const bool many = fathom_joint_is_large(problem);
    if (many)
        FATHOM_TRY(fathom_joint_side_near(side, problem, v));
#pragma omp parallel for schedule(dynamic, 16) num_threads(fathom_context_threads(problem->context))
    for (int64_t r = 0; r < side->rows; r++)
        if (!fathom_context_overdue(problem->context)) {
            if (!many)
                find_neighbours(side, problem, v, r);
            find_signs(side, problem, r);
        }
    if (fathom_context_overdue(problem->context))
        return fathom_context_late(problem->context, "the search for neighbours");
    for (int64_t i = 0; i < n; i++)
        memcpy(side->padded + i * side->ld, problem->x + i * problem->d,
               (size_t)problem->d * sizeof *side->padded);
    return FATHOM_OK;
}

int64_t fathom_joint_side_size(const fathom_joint_side *side, const fathom_objective *problem)
{
    return side->rows * (side->k + 2) + problem->n + 1 + (problem->constant ? 1 : 0);
}

/* The cosine that FIRST neighbours of row r reach: those begin above 0. */
static double near_enough(const fathom_joint_side *a, int64_t r)
{
    double top[FIRST] = {0};
    for (int64_t l = 0; l < a->k; l++) {
        double value = a->cosine[r * a->k + l];
        for (int t = 0; t < FIRST && value > 0; t++)
            if (value > top[t]) {
                const double swap = top[t];
                top[t] = value;
                value = swap;
            }
    }
    return top[FIRST - 1];
}

/* |Theta_ij| = |v_i| softmax_j(8 |cos_ij|): the whole weight of a point goes to its nearest neighbours. */
static void start_row(double *theta, const fathom_joint_side *a, const double *v, int64_t r)
{
    const double *cosine = a->cosine + r * a->k, least = near_enough(a, r);
    double sum = 0;
    for (int64_t l = 0; l < a->k; l++)
        sum += cosine[l] >= least ? exp(8 * (cosine[l] - 1)) : 0;
    for (int64_t l = 0; l < a->k; l++)
        theta[l] = cosine[l] >= least ? fabs(v[a->point[r]]) * exp(8 * (cosine[l] - 1)) / sum : 0;
    theta[a->k] = theta[a->k + 1] = 0;
}

void fathom_joint_side_start(double *x, fathom_joint_side *side, const fathom_objective *problem,
                             const double *v)
{
    const int64_t n = problem->n, ld = side->ld, free_from = side->rows * (side->k + 2);
    double *log_alpha = x + free_from;
    for (int64_t r = 0; r < side->rows; r++)
        start_row(x + r * (side->k + 2), side, v, r);
    if (problem->constant)
        log_alpha[n + 1] = 0;                          /* tau = 1/2 */
    fathom_joint_side_pack(side, x, FATHOM_JOINT_ALL); /* all: the variables at work are x itself */
    fathom_joint_side_columns(side, problem, v, x, 0);
    double mean = 0;
    for (int64_t j = 0; j <= n; j++) {
        log_alpha[j] = fathom_blas_norm(side->c + j * ld, ld);
        mean += log_alpha[j] / (double)(n + 1);
    }
    for (int64_t j = 0; j <= n; j++)
        log_alpha[j] = log(log_alpha[j] + 0.02 * mean + 1e-300);
}
