/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the gated Newton method starts.
 *
 * On many points: from the solution, to a gap of 2%, of the same problem on a quarter of them (beta reduced in
 * proportion to the weight), recursively; each level costs a fraction of the next. On few points: equal eta for the
 * gates with the largest |F*(g)_j|, on the best of a geometric grid of sizes below the largest that can pay,
 * sum eta <= loss(0) / beta.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "gated_step.h"
#include "memory.h"
#include "random.h"

enum { COARSEST = 512, POOL = 512, SIZES = 10 };
static const double COARSE_GAP = 0.02;

/* A problem on some rows, with its own arrays. */
typedef struct subsample {
    fathom_gated_problem problem;
    int64_t *row;
    double *x, *reach, *y, *weight;
    uint64_t *bits;
} subsample;

static void subsample_clear(subsample *s, fathom_context *context)
{
    void *blocks[] = {s->row, s->x, s->reach, s->y, s->weight, s->bits};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
}

static int compare_rows(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* The chosen rows of x, y, reach and weight; the new total weight over the old one is returned. */
static double copy_rows(subsample *s, const fathom_gated_problem *p, int64_t count)
{
    double kept = 0, all = 0;
    for (int64_t i = 0; i < p->n; i++)
        all += fathom_gated_weight(p, i);
    for (int64_t a = 0; a < count; a++) {
        const int64_t i = s->row[a];
        memcpy(s->x + a * p->d, p->x + i * p->d, (size_t)p->d * sizeof(double));
        s->reach[a] = p->reach[i];
        s->weight[a] = fathom_gated_weight(p, i);
        kept += s->weight[a];
        for (int64_t k = 0; k < p->outputs; k++)
            s->y[k * count + a] = p->y[k * p->n + i];
    }
    return kept / all;
}

static void copy_bits(subsample *s, const fathom_gated_problem *p, int64_t count, int64_t words, int threads)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t j = 0; j < p->m; j++) {
        const uint64_t *from = p->bits + j * p->words;
        uint64_t *to = s->bits + j * words;
        memset(to, 0, (size_t)words * sizeof *to);
        for (int64_t a = 0; a < count; a++)
            to[a / 64] |= ((from[s->row[a] / 64] >> (s->row[a] % 64)) & 1) << (a % 64);
    }
}

/* A quarter of the rows, drawn without repetition by the context's seed. */
static fathom_status subsample_create(subsample *s, const fathom_gated_problem *p)
{
    fathom_context *context = p->context;
    const int64_t count = p->n / 4 < COARSEST ? COARSEST : p->n / 4, words = (count + 63) / 64;
    *s = (subsample){.problem = *p};
    s->row = fathom_memory_alloc(context, p->n, sizeof(int64_t));
    s->x = fathom_memory_alloc(context, count * p->d, sizeof(double));
    s->reach = fathom_memory_alloc(context, count, sizeof(double));
    s->weight = fathom_memory_alloc(context, count, sizeof(double));
    s->y = fathom_memory_alloc(context, count * p->outputs, sizeof(double));
    s->bits = fathom_memory_alloc(context, p->m * words, sizeof(uint64_t));
    if (!s->row || !s->x || !s->reach || !s->weight || !s->y || !s->bits) {
        subsample_clear(s, context);
        return FATHOM_ERROR_MEMORY;
    }
    fathom_random_permutation(s->row, p->n, fathom_context_seed(context), FATHOM_STREAM_START,
                              (uint32_t)p->n);
    qsort(s->row, (size_t)count, sizeof *s->row, compare_rows);
    s->problem.beta = p->beta * copy_rows(s, p, count);
    copy_bits(s, p, count, words, fathom_context_threads(context));
    s->problem.n = count;
    s->problem.words = words;
    s->problem.x = s->x;
    s->problem.reach = s->reach;
    s->problem.y = s->y;
    s->problem.weight = p->weight ? s->weight : NULL;
    s->problem.bits = s->bits;
    s->problem.tree = NULL;
    return FATHOM_OK;
}

static void copy_support(fathom_gated_support *to, const fathom_gated_support *from)
{
    to->count = from->count;
    memcpy(to->gate, from->gate, (size_t)from->count * sizeof(int64_t));
    memcpy(to->eta, from->eta, (size_t)from->count * sizeof(double));
}

static fathom_status start_from_subsample(fathom_gated_run *run)
{
    subsample s;
    fathom_gated_run coarse = {0};
    fathom_status status = subsample_create(&s, run->problem);
    if (status != FATHOM_OK)
        return status;
    status = fathom_gated_run_create(&coarse, &s.problem);
    if (status == FATHOM_OK) {
        coarse.silent = true;
        status = fathom_gated_run_start(&coarse, NULL);
        if (status == FATHOM_OK)
            status = fathom_gated_run_solve(&coarse, COARSE_GAP);
        if (status == FATHOM_OK)
            copy_support(&run->support, &coarse.support);
    }
    fathom_gated_run_clear(&coarse);
    subsample_clear(&s, run->problem->context);
    return status;
}

/* The gates above the level of the POOL-th largest norm (all where there are fewer), each with eta = 0. */
static void choose_pool(fathom_gated_run *run)
{
    const int64_t m = run->problem->m;
    double low = 0, high = run->residual_norm;
    for (int step = 0; m > POOL && step < 60; step++) {
        const double level = (low + high) / 2;
        int64_t count = 0;
        for (int64_t j = 0; j < m; j++)
            count += run->norm[j] > level;
        *(count > POOL ? &low : &high) = level;
    }
    run->support.count = 0;
    for (int64_t j = 0; j < m; j++)
        if (m <= POOL || run->norm[j] > high || (run->support.count == 0 && run->norm[j] >= high))
            run->support.gate[run->support.count++] = j;
}

static fathom_status start_equal(fathom_gated_run *run)
{
    const fathom_gated_problem *p = run->problem;
    fathom_gated_beta_max(run); /* prices the constant predictor */
    choose_pool(run);
    const int64_t count = run->support.count;
    const double loss = fathom_gated_loss(p, run->f, 0);
    double best = INFINITY, size = loss / p->beta / (double)count, chosen = size;
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < SIZES && status == FATHOM_OK; k++, size /= 4) {
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
    const fathom_gated_problem *p = run->problem;
    run->smoothing = p->loss == FATHOM_LOSS_HINGE ? 0.5 : 0;
    if (warm) {
        copy_support(&run->support, warm);
        return FATHOM_OK;
    }
    if (fathom_gated_beta_max(run) <= p->beta) {
        run->support.count = 0;
        return FATHOM_OK;
    }
    return p->n > COARSEST + COARSEST / 2 ? start_from_subsample(run) : start_equal(run);
}
