/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse least squares on given features, with a certified gap; the problem is that of lasso.h.
 *
 * Symbols: B n x p features, Y o x n targets, W p x o weights, G = B'CB (p x p), C = diag(c) the sample weights; with a
 * free constant all means are taken out first, which is the elimination of the constant.
 * Method: descent in terms of G and B'CY (lasso_descent.c), tasks in parallel; then residual and prices from B itself.
 * Guarantee: objective is rounded up and `lower` down, the latter by weak duality at the residual scaled until all its
 * prices are at most beta (fathom_objective_bound with one feature per gate); neither trusts G. Where rounding in G keeps the
 * gap from closing, the fit says that it stalled. Same bits for every number of threads.
 * Cost: n p^2 multiplications for G, 2 n p o per certificate.
 */
#include "lasso.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "objective.h"
#include "gemm.h"
#include "lasso_descent.h"
#include "memory.h"

enum { ROUNDS = 50, CERTIFICATES = 40 };

static double weight_of(const fathom_lasso *lasso, int64_t i) { return lasso->weight ? lasso->weight[i] : 1; }

/* mean, reach and mass. */
static void scan(fathom_lasso *lasso)
{
    const int64_t n = lasso->n, p = lasso->p;
    memset(lasso->mean, 0, (size_t)p * sizeof *lasso->mean);
    for (int64_t i = 0; i < n; i++) {
        const double *row = lasso->b + i * p;
        lasso->mass += weight_of(lasso, i);
        lasso->reach[i] = 0;
        for (int64_t j = 0; j < p; j++) {
            lasso->reach[i] = fmax(lasso->reach[i], fabs(row[j]));
            lasso->mean[j] += lasso->constant ? weight_of(lasso, i) * row[j] : 0;
        }
    }
    fathom_blas_scale(lasso->mean, 1 / lasso->mass, p);
}

/* G = B'CB - mass mean mean'. */
static fathom_status build_gram(fathom_lasso *lasso)
{
    const int64_t n = lasso->n, p = lasso->p;
    double *scaled = NULL;
    if (lasso->weight) {
        scaled = fathom_memory_alloc(lasso->context, n * p, sizeof *scaled);
        if (!scaled)
            return FATHOM_ERROR_MEMORY;
        memcpy(scaled, lasso->b, (size_t)(n * p) * sizeof *scaled);
        for (int64_t i = 0; i < n; i++)
            fathom_blas_scale(scaled + i * p, lasso->weight[i], p);
    }
    const fathom_status status = fathom_gemm(lasso->gram, p, p, p, n, 1, fathom_transposed(lasso->b, p),
                                             fathom_plain(scaled ? scaled : lasso->b, p), 0, lasso->context);
    fathom_memory_free(lasso->context, scaled);
    if (lasso->constant && status == FATHOM_OK)
        fathom_blas_ger(lasso->gram, p, p, p, -lasso->mass, lasso->mean, lasso->mean);
    /* A column that is 0 after centring has rounding for its variance: it takes no part. */
    for (int64_t j = 0; j < p && status == FATHOM_OK; j++) {
        const double level = lasso->mass * lasso->mean[j] * lasso->mean[j];
        if (!(lasso->gram[j * p + j] > 64 * (double)n * DBL_EPSILON * level))
            lasso->gram[j * p + j] = 0;
    }
    return status;
}

fathom_status fathom_lasso_open(fathom_lasso *lasso, fathom_context *context, const double *b, int64_t n,
                                int64_t p, const double *weight, bool constant)
{
    *lasso = (fathom_lasso){context, n, p, b, weight, constant, NULL, NULL, NULL, 0};
    FATHOM_TRY(fathom_context_require(
        context, 8.0 * (double)p * (double)p + (weight ? 8.0 * (double)n * (double)p : 0),
        "the Gram matrix of the features"));
    lasso->gram = fathom_memory_alloc(context, p * p, sizeof *lasso->gram);
    lasso->mean = fathom_memory_alloc(context, p, sizeof *lasso->mean);
    lasso->reach = fathom_memory_alloc(context, n, sizeof *lasso->reach);
    if (!lasso->gram || !lasso->mean || !lasso->reach)
        return FATHOM_ERROR_MEMORY;
    scan(lasso);
    return build_gram(lasso);
}

void fathom_lasso_close(fathom_lasso *lasso)
{
    if (!lasso->context)
        return;
    FATHOM_FREE(lasso->context, lasso->gram, lasso->mean, lasso->reach);
    *lasso = (fathom_lasso){0};
}

/* The targets of output q around their mean, times the weights, into `centred` (n); returns their mean. */
static double centre(double *centred, const fathom_lasso_fit *fit, int64_t q)
{
    const fathom_lasso *lasso = fit->lasso;
    const double *y = fit->y + q * lasso->n;
    double mean = 0;
    for (int64_t i = 0; i < lasso->n && lasso->constant; i++)
        mean += weight_of(lasso, i) * y[i];
    mean /= lasso->mass;
    for (int64_t i = 0; i < lasso->n; i++) {
        centred[i] = weight_of(lasso, i) * (y[i] - mean);
        fit->square[q / fit->width] += centred[i] * (y[i] - mean);
    }
    return mean;
}

/* cross, square and beta_max; `residual` serves as workspace. */
static fathom_status prepare(fathom_lasso_fit *fit)
{
    const fathom_lasso *lasso = fit->lasso;
    const int64_t n = lasso->n, p = lasso->p, o = fit->outputs, width = fit->width;
    for (int64_t q = 0; q < o; q++)
        fit->k[q] = centre(fit->residual + q * n, fit, q);
    /* task by task: p x width = B' (n x width, read from outputs x n) */
    fathom_status status = FATHOM_OK;
    for (int64_t t = 0; t < fit->tasks && status == FATHOM_OK; t++)
        status =
            fathom_gemm(fit->cross + t * p * width, width, p, width, n, 1, fathom_transposed(lasso->b, p),
                        fathom_transposed(fit->residual + t * width * n, n), 0, lasso->context);
    for (int64_t t = 0; t < fit->tasks * p && status == FATHOM_OK; t++)
        fit->beta_max = fmax(fit->beta_max, fathom_blas_norm(fit->cross + t * width, width));
    return status;
}

fathom_status fathom_lasso_fit_open(fathom_lasso_fit *fit, const fathom_lasso *lasso, const double *y,
                                    int64_t outputs, bool separate)
{
    fathom_context *context = lasso->context;
    *fit = (fathom_lasso_fit){.lasso = lasso, .y = y, .outputs = outputs, .divisor = 1};
    fit->tasks = separate ? outputs : 1;
    fit->width = outputs / fit->tasks;
    fit->w = fathom_memory_zero(context, lasso->p * outputs, sizeof *fit->w);
    fit->k = fathom_memory_zero(context, outputs, sizeof *fit->k);
    fit->cross = fathom_memory_alloc(context, lasso->p * outputs, sizeof *fit->cross);
    fit->residual = fathom_memory_alloc(context, lasso->n * outputs, sizeof *fit->residual);
    fit->square = fathom_memory_zero(context, fit->tasks, sizeof *fit->square);
    if (!fit->w || !fit->k || !fit->cross || !fit->residual || !fit->square)
        return FATHOM_ERROR_MEMORY;
    return prepare(fit);
}

void fathom_lasso_fit_close(fathom_lasso_fit *fit)
{
    if (!fit->lasso)
        return;
    void *const block[] = {fit->w, fit->k, fit->cross, fit->residual, fit->square};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(fit->lasso->context, block[k]);
    *fit = (fathom_lasso_fit){0};
}

/* Room for the certificate and for one descent per thread. */
typedef struct room {
    double *f, *prices; /* n x outputs; p x outputs */
    double *slope;      /* tasks x p x width */
    double *trial;      /* threads x 2 p */
    double *factor;     /* threads x newton^2 */
    int64_t *member;    /* threads x p */
    int64_t *rounds;    /* tasks */
    int64_t newton;     /* largest support of a Newton step */
    int threads;
} room;

static fathom_status room_open(room *a, const fathom_lasso_fit *fit)
{
    const fathom_lasso *lasso = fit->lasso;
    fathom_context *context = lasso->context;
    const int threads = fathom_context_threads(context);
    *a = (room){.threads = threads < fit->tasks ? threads : (int)fit->tasks};
    a->newton = fit->width > 1 ? 0 : lasso->p < FATHOM_LASSO_NEWTON ? lasso->p : FATHOM_LASSO_NEWTON;
    a->f = fathom_memory_alloc(context, lasso->n * fit->outputs, sizeof *a->f);
    a->prices = fathom_memory_alloc(context, lasso->p * fit->outputs, sizeof *a->prices);
    a->slope = fathom_memory_alloc(context, lasso->p * fit->outputs, sizeof *a->slope);
    a->trial = fathom_memory_alloc(context, a->threads * 2 * lasso->p, sizeof *a->trial);
    a->factor = fathom_memory_alloc(context, a->threads * a->newton * a->newton, sizeof *a->factor);
    a->member = fathom_memory_alloc(context, a->threads * lasso->p, sizeof *a->member);
    a->rounds = fathom_memory_zero(context, fit->tasks, sizeof *a->rounds);
    const bool complete = a->f && a->prices && a->slope && a->trial && a->factor && a->member && a->rounds;
    return complete ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static void room_close(room *a, fathom_context *context)
{
    void *const block[] = {a->f, a->prices, a->slope, a->trial, a->factor, a->member, a->rounds};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(context, block[k]);
}

/* Descent on all tasks to the relative gap, as the Gram matrix shows it. */
static void descend(fathom_lasso_fit *fit, const room *a, double gap)
{
    const fathom_lasso *lasso = fit->lasso;
    const int64_t size = lasso->p * fit->width;
#pragma omp parallel for schedule(dynamic) num_threads(a->threads)
    for (int64_t t = 0; t < fit->tasks; t++) {
        const int thread = omp_get_thread_num();
        fathom_lasso_task task = {.p = lasso->p,
                                  .width = fit->width,
                                  .gram = lasso->gram,
                                  .cross = fit->cross + t * size,
                                  .beta = fit->beta,
                                  .square = fit->square[t],
                                  .w = fit->w + t * size,
                                  .slope = a->slope + t * size,
                                  .trial = a->trial + thread * 2 * lasso->p,
                                  .factor = a->factor + thread * a->newton * a->newton,
                                  .member = a->member + thread * lasso->p,
                                  .room = a->newton};
        fathom_lasso_refresh(&task);
        for (int64_t k = 0; k < ROUNDS && fathom_context_stop_reason(lasso->context) == FATHOM_STOP_NONE;
             k++) {
            const int64_t run = fathom_lasso_descend(&task, gap, 1);
            a->rounds[t] += run;
            if (run == 0)
                break;
        }
    }
}

/* The constant of output q, and f (column q) with it. */
static void add_constant(fathom_lasso_fit *fit, double *f, int64_t q)
{
    const fathom_lasso *lasso = fit->lasso;
    const int64_t o = fit->outputs;
    double sum = 0;
    for (int64_t i = 0; i < lasso->n; i++)
        sum += weight_of(lasso, i) * (fit->y[q * lasso->n + i] - f[i * o + q]);
    fit->k[q] = lasso->constant ? sum / lasso->mass : 0;
    for (int64_t i = 0; i < lasso->n; i++)
        f[i * o + q] += fit->k[q];
}

/* f (n x outputs) = k + B W. */
static fathom_status forward(fathom_lasso_fit *fit, double *f)
{
    const fathom_lasso *lasso = fit->lasso;
    const int64_t p = lasso->p, o = fit->outputs;
    fathom_status status;
    if (fit->width > 1)
        status = fathom_gemm(f, o, lasso->n, o, p, 1, fathom_plain(lasso->b, p), fathom_plain(fit->w, o), 0,
                             lasso->context);
    else
        status = fathom_gemm(f, o, lasso->n, o, p, 1, fathom_plain(lasso->b, p), fathom_transposed(fit->w, p),
                             0, lasso->context);
    for (int64_t q = 0; q < o && status == FATHOM_OK; q++)
        add_constant(fit, f, q);
    return status;
}

/* Loss of one task at f, rounded up: an output f_i is off by at most (p + 4) u (|k| + reach_i sum_j |w_j|). */
static double loss_above(const fathom_lasso_fit *fit, const double *f, int64_t t)
{
    const fathom_lasso *lasso = fit->lasso;
    const int64_t o = fit->outputs, width = fit->width, size = lasso->p * width;
    const double u = DBL_EPSILON, chain = (double)(lasso->p + 4) * u;
    const double spread = fathom_blas_sum_abs(fit->w + t * size, size) * (1 + chain);
    double sum = 0;
    for (int64_t i = 0; i < lasso->n; i++)
        for (int64_t q = t * width; q < (t + 1) * width; q++) {
            const double error = chain * (fabs(fit->k[q]) + lasso->reach[i] * spread);
            const double r = fabs(fit->y[q * lasso->n + i] - f[i * o + q]) * (1 + u) + error;
            sum += weight_of(lasso, i) * r * r / 2;
        }
    return sum * (1 + (double)(lasso->n * width + 8) * u);
}

static double norm_above(const fathom_lasso_fit *fit, int64_t t)
{
    const int64_t p = fit->lasso->p;
    double sum = 0;
    for (int64_t j = t * p; j < (t + 1) * p; j++)
        sum += fathom_blas_norm(fit->w + j * fit->width, fit->width);
    return sum * (1 + (double)(p + fit->width + 8) * DBL_EPSILON);
}

/* Bound of one task from its residual and the computed prices B'g (p x outputs). */
static double bound_below(const fathom_lasso_fit *fit, const fathom_objective *whole, const double *prices,
                          int64_t t)
{
    const int64_t o = fit->outputs, width = fit->width;
    fathom_objective problem = *whole;
    double norm = 0;
    problem.outputs = width;
    problem.y = fit->y + t * width * fit->lasso->n;
    for (int64_t j = 0; j < fit->lasso->p; j++)
        norm = fmax(norm, fathom_blas_norm(prices + j * o + t * width, width));
    const double bound = fathom_objective_bound(&problem, fit->residual + t * width * fit->lasso->n, norm);
    return fmax(bound, 0); /* nothing here is negative */
}

/* The features as gates of dimension 1, for the bound. */
static fathom_objective as_gates(const fathom_lasso_fit *fit)
{
    const fathom_lasso *lasso = fit->lasso;
    return (fathom_objective){.context = lasso->context,
                              .n = lasso->n,
                              .d = 1,
                              .m = lasso->p,
                              .outputs = fit->outputs,
                              .reach = lasso->reach,
                              .loss = FATHOM_LOSS_SQUARED,
                              .y = fit->y,
                              .weight = lasso->weight,
                              .beta = fit->beta,
                              .constant = lasso->constant,
                              .divisor = fit->divisor};
}

/* Objective and bound from the features themselves; what is worse than before is not kept. */
static fathom_status certify(fathom_lasso_fit *fit, const room *a)
{
    const fathom_lasso *lasso = fit->lasso;
    const int64_t n = lasso->n, o = fit->outputs;
    const fathom_objective problem = as_gates(fit);
    FATHOM_TRY(forward(fit, a->f));
    for (int64_t q = 0; q < o; q++)
        for (int64_t i = 0; i < n; i++)
            fit->residual[q * n + i] = weight_of(lasso, i) * (fit->y[q * n + i] - a->f[i * o + q]);
    fathom_objective_balance(fit->residual, &problem);
    fathom_status status = fathom_gemm(a->prices, o, lasso->p, o, n, 1, fathom_transposed(lasso->b, lasso->p),
                                       fathom_transposed(fit->residual, n), 0, lasso->context);
    double lower = 0;
    fit->loss = fit->norm = 0;
    for (int64_t t = 0; t < fit->tasks && status == FATHOM_OK; t++) {
        fit->loss += loss_above(fit, a->f, t);
        fit->norm += norm_above(fit, t);
        lower += bound_below(fit, &problem, a->prices, t);
    }
    fit->objective = (fit->loss + fit->beta * fit->norm) * (1 + (double)(fit->tasks + 4) * DBL_EPSILON);
    fit->lower = fmax(fit->lower, lower * (1 - (double)(fit->tasks + 4) * DBL_EPSILON));
    return status;
}

fathom_status fathom_lasso_fit_run(fathom_lasso_fit *fit, double gap)
{
    fathom_context *context = fit->lasso->context;
    room a;
    double aim = gap / 2, before = INFINITY;
    int64_t idle = 0;
    fathom_status status = room_open(&a, fit);
    fit->end = FATHOM_END_STALLED;
    fit->lower = 0;
    for (int64_t k = 0; k < CERTIFICATES && idle < 3 && status == FATHOM_OK; k++) {
        descend(fit, &a, aim);
        status = certify(fit, &a);
        const double distance = fit->objective - fit->lower;
        if (status != FATHOM_OK || distance <= gap * fit->objective) {
            fit->end = FATHOM_END_REACHED;
            break;
        }
        const fathom_stop stop = fathom_context_poll(
            context, "output layer", k + 1, fit->objective / fit->divisor, fit->lower / fit->divisor);
        if (stop != FATHOM_STOP_NONE) {
            fit->end = fathom_stop_end(stop, FATHOM_END_STALLED);
            break;
        }
        idle = distance < 0.9 * before ? 0 : idle + 1;
        before = fmin(before, distance);
        aim = fmax(aim / 4, DBL_EPSILON);
    }
    for (int64_t t = 0; t < fit->tasks && status == FATHOM_OK; t++)
        fit->iterations += a.rounds[t];
    room_close(&a, context);
    return status;
}
