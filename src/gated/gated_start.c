/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the gated Newton method starts.
 *
 * On many points: from the solution, to a gap of 2%, of the same problem on a quarter of them (beta reduced in
 * proportion to the weight), recursively; each level costs a fraction of the next. Dense rows of a quarter are copied, so
 * that it has no more of them than 2^23 numbers hold: 64 MB, whatever the size of the data. On few points: equal eta for the
 * gates with the largest |F*(g)_j|, at the best of a geometric grid of sizes up to the largest that can pay,
 * sum eta = loss(0) / beta, tried from below while phi decreases.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "gated_step.h"
#include "gated_subset.h"
#include "loss_row.h"
#include "memory.h"
#include "random.h"

enum { COARSEST = 256, POOL = 160, SIZES = 8, COPIED = 1 << 23 };
static const double COARSE_GAP = 0.02, POOL_COST = 2e8;

static int compare_rows(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

int64_t fathom_gated_coarse_rows(const fathom_objective *p)
{
    const int64_t quarter = p->n / 4, most = p->sparse ? quarter : COPIED / p->d;
    const int64_t count = quarter < most ? quarter : most;
    return count < COARSEST ? COARSEST : count;
}

/* A quarter of the rows, drawn without repetition by the context's seed. */
static fathom_status choose_quarter(fathom_gated_subset *s, const fathom_objective *p)
{
    const int64_t count = fathom_gated_coarse_rows(p);
    int64_t *row = fathom_memory_alloc(p->context, p->n, sizeof *row);
    if (!row)
        return FATHOM_ERROR_MEMORY;
    fathom_random_permutation(row, p->n, fathom_context_seed(p->context), FATHOM_STREAM_START,
                              (uint32_t)p->n);
    qsort(row, (size_t)count, sizeof *row, compare_rows);
    const fathom_status status = fathom_gated_subset_create(s, p, row, count);
    fathom_memory_free(p->context, row);
    return status;
}

static void copy_support(fathom_gated_support *to, const fathom_gated_support *from)
{
    to->count = from->count;
    memcpy(to->gate, from->gate, (size_t)from->count * sizeof(int64_t));
    memcpy(to->eta, from->eta, (size_t)from->count * sizeof(double));
}

static fathom_status start_from_subsample(fathom_gated_run *run)
{
    fathom_gated_subset s;
    fathom_gated_run coarse = {0};
    FATHOM_TRY(choose_quarter(&s, run->problem));
    fathom_status status = fathom_gated_run_create(&coarse, &s.problem);
    if (status == FATHOM_OK) {
        coarse.silent = true;
        status = fathom_gated_run_start(&coarse, NULL);
        FATHOM_THEN(status, fathom_gated_run_solve(&coarse, COARSE_GAP));
        if (status == FATHOM_OK)
            copy_support(&run->support, &coarse.support);
    }
    fathom_gated_run_clear(&coarse);
    fathom_gated_subset_clear(&s, run->problem->context);
    return status;
}

/* Gates to start from: fewer where each costs more. */
static int64_t pool_size(const fathom_objective *p)
{
    const double entries = p->sparse ? (double)p->sparse->row.row_start[p->n] : (double)(p->n * p->d);
    const double cost = entries * (double)p->outputs, pool = POOL_COST / cost;
    return pool > POOL ? POOL : pool < 32 ? 32 : (int64_t)pool;
}

/* A run of few dense points while no system is prepared. */
static double resting_bytes(const fathom_objective *p, double k)
{
    const double n = (double)p->n, o = (double)p->outputs, m = (double)p->m;
    const double side = fathom_objective_scalar_root(p) ? n : n * o,
                 workspace = (double)fathom_gated_workspace(p, fathom_context_threads(p->context));
    return 8 * (side * side + workspace + 12 * n * o + m * (o * (double)p->d + 8) + 3 * k * o * (double)p->d);
}

/* The same with what a system, or the Hessian in the sizes, takes besides. */
static double working_bytes(const fathom_objective *p, double k)
{
    const double reduced = 8 * (((double)p->outputs + 1) * (double)p->n * k + 3 * k * k);
    return resting_bytes(p, k) + fmax(reduced, fathom_gated_prepare_bytes(p, k));
}

double fathom_gated_few_bytes(const fathom_objective *p, double k)
{
    fathom_objective level = *p;
    double held = resting_bytes(p, k);
    while (level.n > COARSEST + COARSEST / 2) {
        level.n = fathom_gated_coarse_rows(&level);
        held += resting_bytes(&level, 0) + (double)level.n * (8 * (double)p->d + (double)p->m / 8);
    }
    const double pool = fmin((double)p->m, (double)pool_size(p));
    return fmax(working_bytes(p, k), held + fathom_gated_prepare_bytes(&level, pool));
}

double fathom_gated_few_least(const fathom_objective *p)
{
    const double pool = fmin((double)p->m, (double)pool_size(p));
    return fmin(fathom_gated_few_bytes(p, 1), working_bytes(p, pool));
}

/* The gates above the level of the pool-th largest norm (all where there are fewer), each with eta = 0. */
static void choose_pool(fathom_gated_run *run)
{
    const int64_t m = run->problem->m, pool = pool_size(run->problem);
    double low = 0, high = run->residual_norm;
    for (int step = 0; m > pool && step < 60; step++) {
        const double level = (low + high) / 2;
        int64_t count = 0;
        for (int64_t j = 0; j < m; j++)
            count += run->norm[j] > level;
        *(count > pool ? &low : &high) = level;
    }
    run->support.count = 0;
    for (int64_t j = 0; j < m; j++)
        if (m <= pool || run->norm[j] > high || (run->support.count == 0 && run->norm[j] >= high))
            run->support.gate[run->support.count++] = j;
}

static fathom_status start_equal(fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    fathom_gated_beta_max(run); /* prices the constant predictor */
    choose_pool(run);
    const int64_t count = run->support.count;
    const double loss = fathom_objective_loss(p, run->f, 0);
    double best = INFINITY, size = loss / p->beta / (double)count * pow(4, 1 - SIZES), chosen = size;
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < SIZES && status == FATHOM_OK; k++, size *= 4) {
        for (int64_t j = 0; j < count; j++)
            run->support.eta[j] = size;
        run->phi = loss;
        status = fathom_gated_evaluate(run, 1e-2 * loss);
        if (status == FATHOM_OK && run->phi > best)
            break;
        best = run->phi;
        chosen = size;
    }
    for (int64_t j = 0; j < count; j++)
        run->support.eta[j] = chosen;
    return status;
}

fathom_status fathom_gated_run_start(fathom_gated_run *run, const fathom_gated_support *warm)
{
    const fathom_objective *p = run->problem;
    run->smoothing = fathom_objective_smoothing(p, 0.1);
    if (warm) {
        copy_support(&run->support, warm);
        return FATHOM_OK;
    }
    if ((isnan(run->start_norm) ? fathom_gated_beta_max(run) : run->start_norm) <= p->beta) {
        run->support.count = 0;
        return FATHOM_OK;
    }
    if (p->n <= COARSEST + COARSEST / 2)
        return start_equal(run);
    const fathom_status status = start_from_subsample(run);
    /* A run on a quarter of the rows may take more memory than that on all of them, which goes other ways. */
    return status == FATHOM_ERROR_MEMORY && fathom_context_counts_memory(p->context) ? start_equal(run)
                                                                                     : status;
}
