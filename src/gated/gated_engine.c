/* SPDX-License-Identifier: Apache-2.0 */
/* The Newton systems' owner: copies of support and curvature, products with K, and the choice between the forms. */
#include "gated_engine.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"

/* FEW points are dense, unless that costs LIGHT times the wide form. SIDE: of the largest matrix that is factorised for the sake of hard systems, 1.2 GB. K of few
 * gates, EXACT columns and ENTRIES numbers, enters the preconditioner as a whole. Hard systems are expected to cost
 * as much as a factorisation, but conjugate gradients always get LEAST and never more than MOST steps per preparation. */
enum { FEW = 2048, SIDE = 12288, EXACT = 1024, ENTRIES = 50000000, LEAST = 30, MOST = 2000, LIGHT = 8 };

bool fathom_gated_few(const fathom_objective *problem)
{
    return problem->n * (fathom_objective_scalar_root(problem) ? 1 : problem->outputs) <= FEW;
}

double fathom_gated_hard_bytes(const fathom_objective *problem, double k)
{
    const double n = (double)problem->n, width = k * (double)problem->d;
    const bool whole =
        !problem->sparse || fathom_gated_kernel_pays(problem); /* a system of size n is at hand */
    const double side = !fathom_objective_scalar_root(problem) ? n * (double)problem->outputs
                        : whole                                ? fmin(n, width)
                                                               : width;
    return side <= SIDE && !fathom_gated_few(problem) ? 8 * side * side : 0;
}

static fathom_status make_dense(fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    const int64_t size = engine->coupled ? p->n * p->outputs : p->n; /* of the matrix */
    engine->row = fathom_memory_alloc(p->context, p->n, sizeof(int64_t));
    engine->border =
        fathom_memory_alloc(p->context, engine->coupled ? size * p->outputs : p->n, sizeof(double));
    engine->factor = fathom_memory_alloc(p->context, size * size, sizeof(double));
    return engine->row && engine->border && engine->factor ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fathom_gated_engine_create(fathom_gated_engine *engine, const fathom_objective *problem)
{
    fathom_context *context = problem->context;
    const int64_t n = problem->n, m = problem->m;
    const int threads = fathom_context_threads(context);
    *engine = (fathom_gated_engine){.problem = problem, .threads = threads, .forcing = 0.25};
    engine->few = engine->dense = fathom_gated_few(problem);
    engine->coupled = engine->few && !fathom_objective_scalar_root(problem);
    engine->workspace =
        fathom_memory_alloc(context, fathom_gated_workspace(problem, threads), sizeof(double));
    engine->support.gate = fathom_memory_alloc(context, m, sizeof(int64_t));
    engine->support.eta = fathom_memory_alloc(context, m, sizeof(double));
    engine->root = fathom_memory_alloc(context, n * problem->outputs, sizeof(double));
    engine->scale = fathom_memory_alloc(context, n, sizeof(double));
    engine->low = fathom_memory_alloc(context, n, sizeof(double));
    const bool complete = engine->workspace && engine->support.gate && engine->support.eta && engine->root &&
                          engine->scale && engine->low;
    fathom_status status =
        complete && (!engine->few || make_dense(engine) == FATHOM_OK) ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && problem->sparse && (engine->few || fathom_gated_kernel_pays(problem)))
        status = fathom_gated_kernel_create(&engine->kernel, problem, threads);
    if (status == FATHOM_OK && problem->sparse)
        status = fathom_gated_heavy_create(&engine->heavy, problem);
    if (status != FATHOM_OK)
        fathom_gated_engine_clear(engine);
    return status;
}

void fathom_gated_engine_clear(fathom_gated_engine *engine)
{
    if (!engine->problem)
        return;
    fathom_context *context = engine->problem->context;
    void *blocks[] = {engine->workspace, engine->support.gate, engine->support.eta, engine->root,
                      engine->row,       engine->factor,       engine->border,      engine->scale,
                      engine->low,       engine->inner};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
    fathom_gated_kernel_clear(&engine->kernel, context);
    fathom_gated_heavy_clear(&engine->heavy, context);
    *engine = (fathom_gated_engine){0};
}

void fathom_gated_engine_rest(fathom_gated_engine *engine)
{
    fathom_context *context = engine->problem->context;
    FATHOM_FREE(context, engine->factor, engine->border, engine->inner);
    engine->factor = engine->border = engine->inner = NULL;
    fathom_gated_kernel_clear(&engine->kernel, context);
    fathom_gated_heavy_clear(&engine->heavy, context);
}

fathom_status fathom_gated_engine_prepare(fathom_gated_engine *engine, const fathom_gated_support *support,
                                          const double *f, double smoothing)
{
    fathom_objective_curvature(engine->root, engine->problem, f, smoothing);
    return fathom_gated_engine_restore(engine, support);
}

/* What the forms would cost for the engine's support, in operations; INFINITY where they do not fit, by their
 * size or by the memory that is left. */
typedef struct form_work {
    double dense, wide; /* to factorise once */
    double product;     /* one step of conjugate gradients: 4 n k d operations at twice the rate */
} form_work;

/* A matrix in the place of `inner`, and tiles and products of its side. */
static bool fits(const fathom_gated_engine *engine, double side)
{
    const double held = engine->inner ? (double)engine->width * (double)engine->width : 0;
    const double products = 512 + (double)(engine->support.count * engine->problem->outputs);
    return side <= SIDE &&
           fathom_context_fits(engine->problem->context, 8 * (side * (side + products) - held));
}

static form_work estimate(const fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    const double n = (double)p->n, d = (double)p->d, k = (double)engine->support.count, width = k * d;
    const bool scalar = fathom_objective_scalar_root(p);
    const double side = scalar ? n : n * (double)p->outputs;
    const bool kernel = engine->kernel.matrix, whole = !p->sparse || kernel;
    const double entries = p->sparse ? (double)p->sparse->row.row_start[p->n] : n * d;
    const double inner = p->sparse ? 0 : d; /* products of rows are there */
    return (form_work){.dense = whole && (engine->factor || fits(engine, side))
                                    ? side * side * side / 3 + n * n * (k + inner)
                                    : INFINITY,
                       .wide = scalar && fits(engine, width) ? width * width * (width / 3 + n) : INFINITY,
                       .product =
                           (kernel ? n * n / 2 : (p->sparse ? 8 : 2) * k * entries) * (double)p->outputs};
}

/* K of the engine's support, as a matrix. */
static fathom_status fill_kernel(fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    const fathom_gated_support *s = &engine->support;
    double *size = fathom_memory_alloc(p->context, s->count, sizeof *size);
    if (!size)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < s->count; j++)
        size[j] = s->eta[j] / p->beta;
    const fathom_status status =
        fathom_gated_kernel_fill(&engine->kernel, p, s->count, s->gate, size, engine->threads);
    fathom_memory_free(p->context, size);
    return status;
}

fathom_status fathom_gated_engine_restore(fathom_gated_engine *engine, const fathom_gated_support *support)
{
    const fathom_objective *p = engine->problem;
    engine->support.count = 0;
    for (int64_t j = 0; j < support->count; j++)
        if (support->eta[j] > 0) {
            engine->support.gate[engine->support.count] = support->gate[j];
            engine->support.eta[engine->support.count++] = support->eta[j];
        }
    engine->cut = false;
    if (engine->kernel.matrix)
        FATHOM_TRY(fill_kernel(engine));
    const form_work work = estimate(engine);
    const int64_t width = engine->support.count * p->d;
    const bool slight = width > 0 && width <= EXACT && width <= ENTRIES / p->n && isfinite(work.wide);
    const double steps = fmin(work.dense, work.wide) / fmax(work.product, 1);
    /* Dense systems are the more accurate ones: few points leave them where the other form costs far less and is no trouble. */
    const bool light = slight && !engine->hard && LIGHT * work.wide < work.dense;
    engine->dense =
        (engine->few && !light) || (engine->hard && isfinite(work.dense) && work.dense <= 2 * work.wide);
    engine->patience = engine->hard ? MOST : (int64_t)fmin(fmax(steps, LEAST), MOST);
    engine->coupled = engine->dense && !fathom_objective_scalar_root(p);
    if (!engine->dense)
        return fathom_gated_iterative_prepare(engine, slight || (engine->hard && isfinite(work.wide)));
    fathom_memory_free(p->context, engine->inner);
    engine->inner = NULL;
    FATHOM_TRY(engine->factor ? FATHOM_OK : make_dense(engine));
    return engine->coupled ? fathom_gated_softmax_prepare(engine) : fathom_gated_dense_prepare(engine);
}

void fathom_gated_engine_tire(fathom_gated_engine *engine)
{
    const form_work work = estimate(engine);
    engine->hard = engine->hard || isfinite(work.dense) || isfinite(work.wide);
}

/* K v over sparse rows, gate by gate: K is 1 / beta times that with eta in the place of eta / beta. */
static void sparse_gram(double *kv, fathom_gated_engine *engine, const double *v)
{
    const fathom_objective *p = engine->problem;
    const fathom_gated_support *s = &engine->support;
    const fathom_sparse_gates gates = fathom_gated_sparse_set(p, (fathom_gated_list){s->count, 0, s->gate});
    fathom_sparse_gate_through(kv, &gates, &gates, s->eta, v, p->outputs, engine->threads, engine->workspace);
    fathom_blas_scale(kv, 1 / p->beta, p->outputs * p->n);
}

void fathom_gated_engine_gram_own(double *kv, double *w, fathom_gated_engine *engine, const double *v)
{
    const fathom_objective *p = engine->problem;
    const fathom_gated_support *support = &engine->support;
    const int64_t block = p->outputs * p->d;
    const fathom_gated_list list = {support->count, 0, support->gate};
    engine->products++;
    if (engine->kernel.matrix) {
        fathom_gated_kernel_times(kv, &engine->kernel, v, p->outputs, engine->threads);
        return;
    }
    if (p->sparse) {
        sparse_gram(kv, engine, v);
        return;
    }
    fathom_gated_adjoint(w, p, list, v, p->outputs, engine->threads, engine->workspace);
    for (int64_t j = 0; j < support->count; j++)
        for (int64_t k = 0; k < block; k++)
            w[j * block + k] *= support->eta[j] / p->beta;
    fathom_gated_forward_own(kv, p, list, w, p->outputs, engine->threads, engine->workspace);
}

void fathom_gated_engine_gram(double *kv, double *w, fathom_gated_engine *engine, const double *v)
{
    const fathom_objective *p = engine->problem;
    do
        fathom_gated_engine_gram_own(kv, w, engine, v);
    while (!fathom_rows_gather(kv, p->outputs, p->context, fathom_gated_dealt(p)));
}

/* The iterative form; should the systems turn out to be hard, again by the form that they get then. */
static fathom_status solve_or_harden(double *t, double *c, fathom_gated_engine *engine, const double *total,
                                     double tolerance)
{
    const int64_t size = engine->problem->outputs * engine->problem->n;
    const bool hard = engine->hard;
    double *right = fathom_memory_alloc(engine->problem->context, size, sizeof *right);
    if (!right)
        return FATHOM_ERROR_MEMORY;
    memcpy(right, t, (size_t)size * sizeof *right);
    fathom_status status = fathom_gated_iterative_solve(t, c, engine, total, tolerance);
    if (status == FATHOM_OK && engine->hard && !hard) {
        memcpy(t, right, (size_t)size * sizeof *right);
        status = fathom_gated_engine_restore(engine, &engine->support);
        if (status == FATHOM_OK && !engine->cut)
            status = fathom_gated_engine_solve(t, c, engine, total, tolerance);
    }
    fathom_memory_free(engine->problem->context, right);
    return status;
}

fathom_status fathom_gated_engine_solve(double *t, double *c, fathom_gated_engine *engine,
                                        const double *total, double tolerance)
{
    memset(c, 0, (size_t)engine->problem->outputs * sizeof *c);
    if (engine->coupled)
        return fathom_gated_softmax_solve(t, c, engine, total);
    if (engine->dense)
        return fathom_gated_dense_solve(t, c, engine, total);
    return solve_or_harden(t, c, engine, total, tolerance);
}

/* Diagonal of M; gates not in use count as of the mean size, half of it where none is. */
static void fill_majoriser(fathom_gated_model *model)
{
    const fathom_gated_support *set = model->candidates;
    const double beta = model->engine->problem->beta;
    double sum = 0;
    int64_t used = 0;
    for (int64_t j = 0; j < set->count; j++) {
        sum += set->eta[j];
        used += set->eta[j] > 0;
    }
    const double mean = used > 0 ? sum / (double)used : 1;
    for (int64_t j = 0; j < set->count; j++) {
        const double square = fmax(beta - 2 * model->slope[j], 0); /* |A_j' g|^2 / beta */
        model->majoriser[j] = square / fmax(set->eta[j], 1e-3 * mean);
    }
}

fathom_status fathom_gated_model_create(fathom_gated_model *model, fathom_gated_engine *engine,
                                        const fathom_gated_support *candidates, const double *adjoint,
                                        const double *slope)
{
    fathom_context *context = engine->problem->context;
    const int64_t count = candidates->count;
    *model = (fathom_gated_model){.engine = engine, .candidates = candidates, .slope = slope};
    model->hessian = fathom_memory_alloc(context, count * count, sizeof *model->hessian);
    model->majoriser = fathom_memory_alloc(context, count, sizeof *model->majoriser);
    fathom_status status = model->hessian && model->majoriser ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        fill_majoriser(model);
        status = engine->coupled ? fathom_gated_softmax_model(model, adjoint)
                 : engine->dense ? fathom_gated_dense_model(model, adjoint)
                                 : fathom_gated_iterative_model(model, adjoint);
    }
    if (status != FATHOM_OK)
        fathom_gated_model_clear(model);
    return status;
}

void fathom_gated_model_clear(fathom_gated_model *model)
{
    if (!model->engine)
        return;
    fathom_context *context = model->engine->problem->context;
    FATHOM_FREE(context, model->hessian, model->majoriser, model->matrix, model->gram, model->shift);
    *model = (fathom_gated_model){0};
}

/* slope' (x - eta) + (x - eta)' H (x - eta) / 2. */
static fathom_status model_value(double *value, const fathom_gated_model *model, const double *x)
{
    const int64_t count = model->candidates->count;
    fathom_context *context = model->engine->problem->context;
    double *step = fathom_memory_alloc(context, 2 * count, sizeof *step);
    if (!step)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < count; j++)
        step[j] = x[j] - model->candidates->eta[j];
    fathom_blas_gemv(step + count, count, count, 0.5, fathom_plain(model->hessian, count), step, 0);
    fathom_blas_axpy(step + count, 1, model->slope, count);
    *value = fathom_blas_dot(step, step + count, count);
    fathom_memory_free(context, step);
    return FATHOM_OK;
}

fathom_status fathom_gated_model_target(double *target, double *change, fathom_gated_model *model,
                                        const double *slope, double damping)
{
    const int64_t count = model->candidates->count;
    fathom_context *context = model->engine->problem->context;
    for (int64_t j = 0; j < count; j++)
        model->hessian[j * count + j] += damping * model->majoriser[j];
    fathom_status status =
        fathom_gated_box(target, context, count, model->hessian, slope, model->candidates->eta);
    for (int64_t j = 0; j < count; j++)
        model->hessian[j * count + j] -= damping * model->majoriser[j];
    /* The rows serve one undamped step; damped ones do with the approximate model. */
    if (status == FATHOM_OK && damping == 0 && model->matrix) {
        status = fathom_gated_iterative_refine(target, model, slope);
        fathom_memory_free(context, model->matrix);
        model->matrix = NULL;
    }
    return status == FATHOM_OK ? model_value(change, model, target) : status;
}
