/* SPDX-License-Identifier: Apache-2.0 */
/* The Newton systems' owner: copies of support and curvature, products with K, and the choice between the forms. */
#include "gated_engine.h"

#include <string.h>

#include "context_internal.h"
#include "memory.h"

fathom_status fathom_gated_engine_create(fathom_gated_engine *engine, const fathom_gated_problem *problem,
                                         bool dense)
{
    fathom_context *context = problem->context;
    const int64_t n = problem->n, m = problem->m;
    const int threads = fathom_context_threads(context);
    *engine = (fathom_gated_engine){.problem = problem, .threads = threads, .forcing = 0.25};
    engine->dense = dense && fathom_gated_scalar_root(problem);
    engine->workspace =
        fathom_memory_alloc(context, fathom_gate_workspace(problem->outputs, threads), sizeof(double));
    engine->support.gate = fathom_memory_alloc(context, m, sizeof(int64_t));
    engine->support.eta = fathom_memory_alloc(context, m, sizeof(double));
    engine->root = fathom_memory_alloc(context, n * problem->outputs, sizeof(double));
    bool complete = engine->workspace && engine->support.gate && engine->support.eta && engine->root;
    if (engine->dense) {
        engine->row = fathom_memory_alloc(context, n, sizeof(int64_t));
        engine->border = fathom_memory_alloc(context, n, sizeof(double));
        engine->factor = fathom_memory_alloc(context, n * n, sizeof(double));
        complete = complete && engine->row && engine->border && engine->factor;
    } else {
        engine->scale = fathom_memory_alloc(context, n, sizeof(double));
        engine->low = fathom_memory_alloc(context, n, sizeof(double));
        engine->inner = fathom_memory_alloc(context, problem->d * problem->d, sizeof(double));
        complete = complete && engine->scale && engine->low && engine->inner;
    }
    if (complete)
        return FATHOM_OK;
    fathom_gated_engine_clear(engine);
    return FATHOM_ERROR_MEMORY;
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
    *engine = (fathom_gated_engine){0};
}

fathom_status fathom_gated_engine_prepare(fathom_gated_engine *engine, const fathom_gated_support *support,
                                          const double *f, double smoothing)
{
    engine->support.count = 0;
    for (int64_t j = 0; j < support->count; j++)
        if (support->eta[j] > 0) {
            engine->support.gate[engine->support.count] = support->gate[j];
            engine->support.eta[engine->support.count++] = support->eta[j];
        }
    fathom_gated_curvature(engine->root, engine->problem, f, smoothing);
    return engine->dense ? fathom_gated_dense_prepare(engine) : fathom_gated_iterative_prepare(engine);
}

void fathom_gated_engine_gram(double *kv, double *w, fathom_gated_engine *engine, const double *v)
{
    const fathom_gated_problem *p = engine->problem;
    const fathom_gated_support *support = &engine->support;
    const int64_t block = p->outputs * p->d;
    const fathom_gate_set set = {p->n, p->d, p->x, p->d, support->count, p->words, p->bits, support->gate};
    fathom_gate_adjoint(w, &set, v, p->outputs, engine->threads, engine->workspace);
    for (int64_t j = 0; j < support->count; j++)
        for (int64_t k = 0; k < block; k++)
            w[j * block + k] *= support->eta[j] / p->beta;
    fathom_gate_forward(kv, &set, w, p->outputs, engine->threads, engine->workspace);
    engine->products++;
}

fathom_status fathom_gated_engine_solve(double *t, double *c, fathom_gated_engine *engine,
                                        const double *total, double tolerance)
{
    memset(c, 0, (size_t)engine->problem->outputs * sizeof *c);
    if (engine->dense)
        return fathom_gated_dense_solve(t, c, engine, total);
    return fathom_gated_iterative_solve(t, c, engine, total, tolerance);
}

fathom_status fathom_gated_engine_target(double *target, fathom_gated_engine *engine,
                                         const fathom_gated_support *candidates, const double *adjoint,
                                         const double *slope)
{
    if (engine->dense)
        return fathom_gated_dense_target(target, engine, candidates, adjoint, slope);
    return fathom_gated_iterative_target(target, engine, candidates, adjoint, slope);
}
