/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gamma_V by a restarted primal-dual method, where n and m are too large for the interior point.
 *
 *     q+ = Proj_simplex(q - 0.99 / (k omega) margin(W)),   w_j+ = Proj_ball(w_j + 0.99 omega / k s_j(2 q+ - q))
 *
 * in the metric sum_j rho_j <w_j, w_j'>, with k^2 the largest eigenvalue of q -> margin(s(q)) (power iteration). Every CHECK steps
 * the current pair and the average since the last restart are evaluated; the method restarts from the better one when its gap has
 * fallen to a fifth of the gap at the last restart, or to 0.8 of it and grows again, or when the average has become long, and
 * then moves the weight omega towards |dW| / |dq|. Every pair brackets gamma_V, so the interval of the best ones is certified as
 * that of any method (margin_certify.c). Two passes of m n d / 2 multiplications per step, 5 m D numbers; hundreds of steps
 * to 1e-6 on generic data. [Chambolle, Pock 2011; Applegate, Hinder, Lu, Lubin 2023]
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "margin_internal.h"
#include "margin_points.h"
#include "memory.h"

enum { CHECK = 20, POWER = 20, NUMBERS = 7, PIECES = 9 };

typedef struct method {
    const fathom_margin_problem *p;
    fathom_context *context;
    fathom_margin_work *work;
    int64_t n, size;                                       /* size = m D */
    double *w, *s, *mean_w, *start_w;                      /* m x D */
    double *q, *mean_q, *start_q, *margin, *trial, *order; /* n */
    double norm, omega;
    int64_t length; /* of the average */
    double lower, upper;
    double reference, last; /* gaps at the last restart, at the last look */
    double state[NUMBERS];  /* as in a file */
} method;

static void method_free(method *a)
{
    double *blocks[] = {a->w, a->s, a->mean_w, a->start_w, a->q};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(a->context, blocks[k]);
    fathom_margin_work_free(a->work);
}

static fathom_status method_create(method *a, fathom_context *context, const fathom_margin_problem *p)
{
    const int64_t dimension = fathom_margin_dimension(p);
    *a = (method){.p = p, .context = context, .n = p->n, .size = p->m * dimension, .upper = INFINITY};
    FATHOM_TRY(fathom_context_require(context, 40.0 * (double)a->size, "the separator of this margin"));
    FATHOM_TRY(fathom_margin_work_create(&a->work, context, p, false));
    a->w = fathom_memory_zero(context, a->size, sizeof(double));
    a->s = fathom_memory_alloc(context, a->size, sizeof(double));
    a->mean_w = fathom_memory_zero(context, a->size, sizeof(double));
    a->start_w = fathom_memory_zero(context, a->size, sizeof(double));
    a->q = fathom_memory_zero(context, 6 * p->n, sizeof(double));
    if (!a->w || !a->s || !a->mean_w || !a->start_w || !a->q)
        return FATHOM_ERROR_MEMORY;
    a->mean_q = a->q + p->n;
    a->start_q = a->q + 2 * p->n;
    a->margin = a->q + 3 * p->n;
    a->trial = a->q + 4 * p->n;
    a->order = a->q + 5 * p->n;
    return FATHOM_OK;
}

/* k by power iteration, with a twentieth to spare. */
static double operator_norm(method *a)
{
    double value = 1;
    for (int64_t i = 0; i < a->n; i++)
        a->trial[i] = 1 + 0.01 * (double)(i % 7);
    for (int k = 0; k < POWER && fathom_context_stop_reason(a->context) == FATHOM_STOP_NONE; k++) {
        const double length = fathom_blas_norm(a->trial, a->n);
        fathom_blas_scale(a->trial, 1 / length, a->n);
        fathom_margin_sums(a->s, a->p, a->trial, a->work);
        fathom_margin_scores(a->margin, a->p, a->p->rho, a->s, a->work);
        value = fathom_blas_norm(a->margin, a->n);
        if (!(value > 0))
            return 1;
        memcpy(a->trial, a->margin, (size_t)a->n * sizeof *a->trial);
    }
    return 1.05 * sqrt(value);
}

/* One step; the average grows by the new pair. */
static void step(method *a)
{
    const int64_t dimension = fathom_margin_dimension(a->p);
    fathom_margin_scores(a->margin, a->p, a->p->rho, a->w, a->work);
    for (int64_t i = 0; i < a->n; i++)
        a->trial[i] = a->q[i] - 0.99 / (a->norm * a->omega) * a->margin[i];
    fathom_margin_project(a->trial, a->n, a->order);
    for (int64_t i = 0; i < a->n; i++) {
        const double next = a->trial[i];
        a->trial[i] = 2 * next - a->q[i];
        a->q[i] = next;
        a->mean_q[i] += next;
    }
    fathom_margin_sums(a->s, a->p, a->trial, a->work);
    const double length = 0.99 * a->omega / a->norm;
#pragma omp parallel for schedule(static) num_threads(fathom_context_threads(a->context))
    for (int64_t j = 0; j < a->p->m; j++) {
        double *w = a->w + j * dimension, square = 0;
        for (int64_t k = 0; k < dimension; k++) {
            w[k] += length * a->s[j * dimension + k];
            square += w[k] * w[k];
        }
        const double scale = square > 1 ? 1 / sqrt(square) : 1;
        for (int64_t k = 0; k < dimension; k++)
            a->mean_w[j * dimension + k] += w[k] *= scale;
    }
    a->length++;
}

/* The gap of the pair (q, w) / count; keeps whichever side is the best so far. */
static double evaluate(method *a, fathom_margin_pair *pair, const double *q, const double *w, double count)
{
    const int64_t dimension = fathom_margin_dimension(a->p);
    double upper = 0, lower = INFINITY;
    fathom_margin_sums(a->s, a->p, q, a->work);
    fathom_margin_scores(a->margin, a->p, a->p->rho, w, a->work);
    for (int64_t j = 0; j < a->p->m; j++)
        upper += a->p->rho[j] * fathom_blas_norm(a->s + j * dimension, dimension) / count;
    for (int64_t i = 0; i < a->n; i++)
        lower = fmin(lower, a->margin[i] / count);
    if (upper < a->upper) {
        a->upper = upper;
        for (int64_t i = 0; i < a->n; i++)
            pair->q[i] = q[i] / count;
    }
    if (lower > a->lower) {
        a->lower = lower;
        for (int64_t k = 0; k < a->size; k++)
            pair->w[k] = w[k] / count;
    }
    return upper - fmax(0, lower);
}

/* Starts anew from the current pair, or from the average; omega follows the ratio of the distances moved. */
static void restart(method *a, bool from_average)
{
    double dq = 0, dw = 0;
    const int64_t dimension = fathom_margin_dimension(a->p);
    const double count = (double)a->length;
    for (int64_t i = 0; i < a->n && from_average; i++)
        a->q[i] = a->mean_q[i] / count;
    for (int64_t k = 0; k < a->size && from_average; k++)
        a->w[k] = a->mean_w[k] / count;
    for (int64_t i = 0; i < a->n; i++)
        dq += (a->q[i] - a->start_q[i]) * (a->q[i] - a->start_q[i]);
    for (int64_t k = 0; k < a->size; k++)
        dw += a->p->rho[k / dimension] * (a->w[k] - a->start_w[k]) * (a->w[k] - a->start_w[k]);
    if (dq > 0 && dw > 0)
        a->omega = sqrt(a->omega * sqrt(dw / dq));
    memcpy(a->start_q, a->q, (size_t)a->n * sizeof *a->q);
    memcpy(a->start_w, a->w, (size_t)a->size * sizeof *a->w);
    memset(a->mean_q, 0, (size_t)a->n * sizeof *a->q);
    memset(a->mean_w, 0, (size_t)a->size * sizeof *a->w);
    a->length = 0;
}

static void list_pieces(fathom_margin_piece piece[PIECES], method *a, const fathom_margin_pair *pair)
{
    const fathom_margin_piece pieces[PIECES] = {
        {"numbers", a->state, NUMBERS}, {"q", a->q, a->n},
        {"mean_q", a->mean_q, a->n},    {"start_q", a->start_q, a->n},
        {"best_q", pair->q, a->n},      {"w", a->w, a->size},
        {"mean_w", a->mean_w, a->size}, {"start_w", a->start_w, a->size},
        {"best_w", pair->w, a->size}};
    memcpy(piece, pieces, sizeof pieces);
}

/* The state between two looks; what is infinite is -1 in it. */
static fathom_status write_state(const fathom_margin_pair *pair, method *a)
{
    fathom_margin_piece piece[PIECES];
    const double number[NUMBERS] = {(double)pair->iterations,
                                    a->omega,
                                    (double)a->length,
                                    a->lower,
                                    a->upper,
                                    isfinite(a->reference) ? a->reference : -1,
                                    isfinite(a->last) ? a->last : -1};
    memcpy(a->state, number, sizeof number);
    list_pieces(piece, a, pair);
    return fathom_margin_keep(pair->keeper, FATHOM_MARGIN_FIRST_ORDER, a->p, piece, PIECES);
}

/* From a state, where there is one; iterations is that of the last step made. */
static fathom_status begin(fathom_margin_pair *pair, method *a)
{
    fathom_margin_piece piece[PIECES];
    const double *number = a->state;
    bool resumed;
    list_pieces(piece, a, pair);
    FATHOM_TRY(fathom_margin_resume(&resumed, pair->keeper, FATHOM_MARGIN_FIRST_ORDER, a->p, piece, PIECES));
    if (!resumed)
        return FATHOM_OK;
    if (!(fathom_margin_is_count(number[0], 1e15) && number[1] > 0 &&
          fathom_margin_is_count(number[2], number[0])))
        return fathom_margin_refuse(pair->keeper);
    pair->iterations = (int64_t)number[0];
    a->omega = number[1];
    a->length = (int64_t)number[2];
    a->lower = number[3];
    a->upper = number[4];
    a->reference = number[5] < 0 ? INFINITY : number[5];
    a->last = number[6] < 0 ? INFINITY : number[6];
    return fathom_margin_believe(pair->keeper, pair, a->lower, a->upper, a->s, a->margin, a->p, a->work);
}

static fathom_status run_looks(fathom_margin_pair *pair, method *a, const fathom_margin_target *target)
{
    const double slack = fathom_margin_slack(a->p, target, a->work);
    pair->outcome = FATHOM_MARGIN_STALLED;
    a->reference = a->last = INFINITY;
    pair->iterations = 0;
    FATHOM_TRY(begin(pair, a));
    for (pair->iterations++; pair->iterations <= target->limit; pair->iterations++) {
        step(a);
        if (pair->iterations % CHECK != 0 && fathom_context_stop_reason(a->context) == FATHOM_STOP_NONE)
            continue;
        const double now = evaluate(a, pair, a->q, a->w, 1);
        const double mean = evaluate(a, pair, a->mean_q, a->mean_w, (double)a->length), gap = fmin(now, mean);
        if (a->upper <= target->absolute || fathom_margin_is_reached(a->lower, a->upper, slack, target)) {
            pair->outcome = a->upper <= target->absolute ? FATHOM_MARGIN_ZERO : FATHOM_MARGIN_REACHED;
            return FATHOM_OK;
        }
        if (gap <= 0.2 * a->reference || (gap <= 0.8 * a->reference && gap > a->last) ||
            (double)a->length > 0.36 * (double)pair->iterations) {
            restart(a, mean < now);
            a->reference = gap;
            a->last = INFINITY;
        } else {
            a->last = gap;
        }
        if (pair->iterations % CHECK == 0)
            FATHOM_TRY(write_state(pair, a));
        if (fathom_context_poll(a->context, "primal-dual", pair->iterations, a->upper, a->lower)) {
            pair->outcome = FATHOM_MARGIN_STOPPED;
            return FATHOM_OK;
        }
    }
    return FATHOM_OK;
}

fathom_status fathom_margin_first_order(fathom_margin_pair *pair, fathom_context *context,
                                        const fathom_margin_problem *p, const fathom_margin_target *target)
{
    method a;
    fathom_status status = method_create(&a, context, p);
    if (status == FATHOM_OK) {
        memset(pair->w, 0, (size_t)a.size * sizeof *pair->w);
        for (int64_t i = 0; i < p->n; i++)
            a.q[i] = a.start_q[i] = pair->q[i] = 1 / (double)p->n;
        a.norm = operator_norm(&a);
        a.omega = sqrt((double)p->n);
        status = run_looks(pair, &a, target);
    }
    if (status == FATHOM_OK)
        fathom_margin_finish(pair, a.s, a.margin, p, target, a.work);
    method_free(&a);
    return status;
}
