/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner problem at fixed eta: minimise J(v, c) = sum_i l_i(f_i) + v' K v / 2, f = K v + c 1'.
 *
 * Newton: with g0 = -l'(f0), l'' = R R' at f0, the step's v = g0 + R t where
 *
 *     T t + R' 1 c' = R' (f0 - K g0),   T = I + R' K R,   sum_i v_ki = 0 (free constant)
 *
 * (no division by l'', which may vanish). Squared loss: exact in one step, linearised at f0 = y where g0 = 0. Others: a
 * few steps with a line search along v (f is linear in v). The distance from the optimum of the inner problem is at
 * most (v - g)' K (v - g) / 2 - c' (sum_i g_i): by Fenchel's inequality with the dual point g = -l'(f).
 */
#include "gated_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "loss_row.h"
#include "memory.h"

enum {
    INNER_STEPS = 30,
    SHORTEN_STEPS = 10,
    NEWCOMERS = 128,
    CANDIDATE_NUMBERS = 75000000 /* 600 MB of candidates */
};

/* Vectors of the inner iteration, outputs x n each. */
typedef struct inner_work {
    double *g, *kg, *v, *f; /* g0, K g0; trial v and f */
    double *c, *total;      /* outputs: trial constant; -sum_i g0 */
} inner_work;

static fathom_status inner_create(inner_work *work, fathom_context *context, int64_t size, int64_t outputs)
{
    double *block = fathom_memory_alloc(context, 4 * size + 2 * outputs, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
    *work = (inner_work){block,
                         block + size,
                         block + 2 * size,
                         block + 3 * size,
                         block + 4 * size,
                         block + 4 * size + outputs};
    return FATHOM_OK;
}

static void add_constant(double *f, const double *c, const fathom_objective *p)
{
    for (int64_t k = 0; k < p->outputs; k++)
        for (int64_t i = 0; i < p->n; i++)
            f[k * p->n + i] += c[k];
}

/* sum over outputs and points of v (f - c). */
static double product(const double *v, const double *f, const double *c, const fathom_objective *p)
{
    double sum = 0;
    for (int64_t k = 0; k < p->outputs; k++)
        for (int64_t i = 0; i < p->n; i++)
            sum += v[k * p->n + i] * (f[k * p->n + i] - c[k]);
    return sum;
}

/* J at the current v, f, c. */
static double inner_value(const fathom_gated_run *run, const double *v, const double *f, const double *c)
{
    return fathom_objective_loss(run->problem, f, run->smoothing) + product(v, f, c, run->problem) / 2;
}

/* g0, K g0 and the bound on the distance from the inner optimum at the run's v, f, c. */
static double inner_error(fathom_gated_run *run, inner_work *work, double *w)
{
    const fathom_objective *p = run->problem;
    double error = 0;
    fathom_objective_residual(work->g, p, run->f, run->smoothing);
    fathom_gated_engine_gram(work->kg, w, &run->engine, work->g);
    for (int64_t k = 0; k < p->outputs; k++) {
        double sum = 0;
        for (int64_t i = 0; i < p->n; i++) {
            const int64_t at = k * p->n + i;
            error += (run->v[at] - work->g[at]) * (run->f[at] - run->c[k] - work->kg[at]) / 2;
            sum += work->g[at];
        }
        work->total[k] = -sum;
        if (p->constant)
            error += fabs(run->c[k] * sum);
    }
    return error;
}

/* Trial v, f, c of one Newton step from f0 with work->g = g0 and work->kg = K g0 (NULL: both zero). */
static fathom_status inner_newton(fathom_gated_run *run, inner_work *work, const double *f0, bool from_zero,
                                  double *w, double tolerance)
{
    const fathom_objective *p = run->problem;
    const int64_t size = p->outputs * p->n;
    for (int64_t i = 0; i < size; i++)
        work->v[i] = from_zero ? f0[i] : f0[i] - work->kg[i];
    fathom_objective_root_transposed(work->v, p, run->engine.root);
    if (from_zero)
        memset(work->total, 0, (size_t)p->outputs * sizeof(double));
    FATHOM_TRY(fathom_gated_engine_solve(work->v, work->c, &run->engine, work->total, tolerance));
    fathom_objective_root(work->v, p, run->engine.root);
    if (!from_zero)
        fathom_blas_axpy(work->v, 1, work->g, size);
    fathom_gated_engine_gram(work->f, w, &run->engine, work->v);
    add_constant(work->f, work->c, p);
    return FATHOM_OK;
}

/* x = (1 - t) x + t y */
static void mix(double *x, double t, const double *y, int64_t count)
{
    if (t == 1)
        memcpy(x, y, (size_t)count * sizeof *x);
    else
        for (int64_t i = 0; i < count; i++)
            x[i] += t * (y[i] - x[i]);
}

/* Moves v, f, c towards the trial point as far as J decreases; false where it does not. */
static bool inner_advance(fathom_gated_run *run, inner_work *work)
{
    const fathom_objective *p = run->problem;
    const int64_t size = p->outputs * p->n;
    const double start = inner_value(run, run->v, run->f, run->c);
    double *v = work->g, *f = work->kg; /* g0 and K g0 are not needed any more */
    for (double t = 1; t > 1e-6; t /= 2) {
        memcpy(v, run->v, (size_t)size * sizeof *v);
        memcpy(f, run->f, (size_t)size * sizeof *f);
        memcpy(work->total, run->c, (size_t)p->outputs * sizeof(double));
        mix(v, t, work->v, size);
        mix(f, t, work->f, size);
        mix(work->total, t, work->c, p->outputs);
        if (inner_value(run, v, f, work->total) <= start + 1e-13 * fabs(start)) {
            memcpy(run->v, v, (size_t)size * sizeof *v);
            memcpy(run->f, f, (size_t)size * sizeof *f);
            memcpy(run->c, work->total, (size_t)p->outputs * sizeof(double));
            return true;
        }
    }
    return false;
}

/* d/ds J(s v, c) with f = s K v + c: s v' K v - <g, K v>; work->f receives f, work->g g. */
static double slope_of_scale(const fathom_gated_run *run, inner_work *work, double s, double square)
{
    const fathom_objective *p = run->problem;
    for (int64_t k = 0; k < p->outputs; k++)
        for (int64_t i = 0; i < p->n; i++)
            work->f[k * p->n + i] = run->c[k] + s * (run->f[k * p->n + i] - run->c[k]);
    fathom_objective_residual(work->g, p, work->f, run->smoothing);
    return s * square - product(work->g, run->f, run->c, p);
}

/* A v that belongs to smaller eta overshoots, up to where the curvature of the loss vanishes and Newton's method is
 * lost: v and f are scaled down to where J(s v) no longer falls towards 0. */
static void shorten(fathom_gated_run *run, inner_work *work)
{
    const int64_t size = run->problem->outputs * run->problem->n;
    const double square = product(run->v, run->f, run->c, run->problem);
    if (slope_of_scale(run, work, 1, square) <= 0)
        return;
    double low = 0, high = 1;
    for (int step = 0; step < SHORTEN_STEPS; step++) {
        const double s = (low + high) / 2;
        *(slope_of_scale(run, work, s, square) > 0 ? &high : &low) = s;
    }
    slope_of_scale(run, work, high, square);
    memcpy(run->f, work->f, (size_t)size * sizeof *run->f);
    fathom_blas_scale(run->v, high, size);
    /* the best constant alone may do better than constants of another eta */
    fathom_objective_start(work->f, work->c, run->problem);
    if (!(inner_value(run, run->v, run->f, run->c) <=
          fathom_objective_loss(run->problem, work->f, run->smoothing))) {
        memcpy(run->f, work->f, (size_t)size * sizeof *run->f);
        memcpy(run->c, work->c, (size_t)run->problem->outputs * sizeof *run->c);
        memset(run->v, 0, (size_t)size * sizeof *run->v);
    }
}

/* J at the trial point by its quadratic model at the run's f (g0 = work->g): l(f0) - <g0, h> + |R' h|^2 / 2 + v' K v / 2,
 * h = f - f0. work->kg is overwritten. */
static double model_value(const fathom_gated_run *run, inner_work *work)
{
    const fathom_objective *p = run->problem;
    const int64_t size = p->outputs * p->n;
    double *h = work->kg;
    for (int64_t i = 0; i < size; i++)
        h[i] = work->f[i] - run->f[i];
    const double linear = fathom_blas_dot(work->g, h, size);
    fathom_objective_root_transposed(h, p, run->engine.root);
    return fathom_objective_loss(p, run->f, run->smoothing) - linear + fathom_blas_dot(h, h, size) / 2 +
           product(work->v, work->f, work->c, p) / 2;
}

/* A Newton step decreases the model unless its system was not solved well enough: then the next one is solved ten times
 * better, and the engine learns that its systems are hard; those of softmax cost too much to factorise for a first hint. */
static fathom_status learn(fathom_gated_run *run, inner_work *work, double *accuracy, bool *poor)
{
    const double start = inner_value(run, run->v, run->f, run->c);
    const bool hard = run->engine.hard;
    *poor = !run->engine.dense && !(model_value(run, work) <= start + 1e-13 * fabs(start));
    if (!*poor)
        return FATHOM_OK;
    *accuracy /= 10;
    if (fathom_objective_scalar_root(run->problem))
        fathom_gated_engine_tire(&run->engine);
    return run->engine.hard && !hard ? fathom_gated_engine_restore(&run->engine, &run->support) : FATHOM_OK;
}

/* Newton steps until the inner error is within the tolerance, or no longer falls. */
static fathom_status inner_loop(fathom_gated_run *run, inner_work *work, double *w, double tolerance)
{
    const fathom_objective *p = run->problem;
    double before = INFINITY, accuracy = 1e-2;
    fathom_status status = FATHOM_OK;
    /* f belongs to another eta: bring it to this one. */
    fathom_gated_engine_gram(run->f, w, &run->engine, run->v);
    add_constant(run->f, run->c, p);
    if (!fathom_loss_row_of(p->loss)->quadratic)
        shorten(run, work);
    for (int step = 0; step < INNER_STEPS; step++) {
        const double error = inner_error(run, work, w);
        if (run->engine.cut || error <= tolerance || (error > before / 2 && error < 1e-12 * fabs(run->phi)))
            break;
        before = error;
        bool poor = false;
        if (!fathom_loss_row_of(p->loss)->quadratic) /* which has the same curvature everywhere */
            status = fathom_gated_engine_prepare(&run->engine, &run->support, run->f, run->smoothing);
        if (status == FATHOM_OK && !run->engine.cut)
            status = inner_newton(run, work, run->f, false, w, accuracy);
        if (status == FATHOM_OK && !run->engine.cut)
            status = learn(run, work, &accuracy, &poor);
        if (status != FATHOM_OK || fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE ||
            (!poor && !inner_advance(run, work)))
            break;
    }
    return status;
}

void fathom_gated_measure(fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    const fathom_gated_support *s = &run->support;
    const int64_t block = p->outputs * p->d;
    if (p->sparse)
        fathom_gated_norms(run->size, p, (fathom_gated_list){s->count, 0, s->gate}, run->v,
                           run->engine.threads, run->engine.workspace);
    for (int64_t j = 0; j < s->count; j++)
        run->size[j] =
            p->sparse ? run->size[j] * (s->eta[j] / p->beta) : fathom_blas_norm(run->w + j * block, block);
}

fathom_status fathom_gated_evaluate(fathom_gated_run *run, double tolerance)
{
    const fathom_objective *p = run->problem;
    const int64_t block = p->outputs * p->d, size = p->outputs * p->n;
    inner_work work = {0};
    fathom_status status = fathom_gated_engine_prepare(&run->engine, &run->support, run->f, run->smoothing);
    FATHOM_THEN(status,
                fathom_memory_resize(p->context, (void **)&run->w,
                                     (p->sparse ? 0 : run->support.count * block) + 1, sizeof(double)));
    FATHOM_THEN(status, inner_create(&work, p->context, size, p->outputs));
    if (status == FATHOM_OK && fathom_loss_row_of(p->loss)->quadratic && run->engine.dense &&
        !run->engine.cut) {
        status = inner_newton(run, &work, p->y, true, run->w, 0);
        memcpy(run->v, work.v, (size_t)size * sizeof(double));
        memcpy(run->f, work.f, (size_t)size * sizeof(double));
        memcpy(run->c, work.c, (size_t)p->outputs * sizeof(double));
    } else if (status == FATHOM_OK) {
        status = inner_loop(run, &work, run->w, tolerance);
        if (!p->sparse)
            fathom_gated_engine_gram(work.f, run->w, &run->engine, run->v); /* weights of the final v */
    }
    double sum = 0;
    for (int64_t j = 0; j < run->support.count; j++)
        sum += run->support.eta[j];
    if (status == FATHOM_OK) {
        run->phi = p->beta / 2 * sum + inner_value(run, run->v, run->f, run->c);
        fathom_gated_measure(run);
    }
    fathom_memory_free(p->context, work.g);
    return status;
}

/* Orders gates by descending norm, then by number. */
typedef struct ranked_gate {
    double norm;
    int64_t gate;
} ranked_gate;

static int compare_norms(const void *a, const void *b)
{
    const ranked_gate *left = a, *right = b;
    if (left->norm != right->norm)
        return left->norm < right->norm ? 1 : -1;
    return (left->gate > right->gate) - (left->gate < right->gate);
}

/* Marks in `chosen` the gates in use and at most `limit` violators with the largest norms. */
static void choose_gates(double *chosen, ranked_gate *ranked, const fathom_gated_run *run, int64_t limit)
{
    const fathom_objective *p = run->problem;
    int64_t count = 0;
    for (int64_t j = 0; j < p->m; j++)
        chosen[j] = -1; /* not a candidate */
    for (int64_t j = 0; j < run->support.count; j++)
        chosen[run->support.gate[j]] = run->support.eta[j];
    for (int64_t j = 0; j < p->m; j++)
        if (chosen[j] < 0 && run->norm[j] > p->beta)
            ranked[count++] = (ranked_gate){run->norm[j], j};
    qsort(ranked, (size_t)count, sizeof *ranked, compare_norms);
    for (int64_t k = 0; k < count && k < limit; k++)
        chosen[ranked[k].gate] = 0;
}

fathom_status fathom_gated_candidates_create(fathom_gated_candidates *set, const fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    fathom_context *context = p->context;
    const int64_t block = p->outputs * p->d;
    const int64_t room = CANDIDATE_NUMBERS / (p->outputs * p->n) - run->support.count;
    const int64_t wanted = run->support.count > NEWCOMERS ? run->support.count : NEWCOMERS;
    const int64_t limit = room < 16 ? 16 : room < wanted ? room : wanted;
    double *chosen = fathom_memory_alloc(context, p->m, sizeof *chosen);
    ranked_gate *ranked = fathom_memory_alloc(context, p->m, sizeof *ranked);
    *set = (fathom_gated_candidates){0};
    if (chosen && ranked)
        choose_gates(chosen, ranked, run, limit);
    int64_t count = 0;
    for (int64_t j = 0; chosen && ranked && j < p->m; j++)
        count += chosen[j] >= 0;
    set->support.gate = fathom_memory_alloc(context, count, sizeof(int64_t));
    set->support.eta = fathom_memory_alloc(context, count, sizeof(double));
    set->slope = fathom_memory_alloc(context, count, sizeof(double));
    set->bent = fathom_memory_alloc(context, count, sizeof(double));
    const int64_t numbers = p->sparse ? p->outputs * p->n : count * block;
    set->adjoint = fathom_memory_alloc(context, numbers, sizeof(double));
    const bool complete =
        chosen && ranked && set->support.gate && set->support.eta && set->slope && set->bent && set->adjoint;
    for (int64_t j = 0; complete && j < p->m; j++) {
        if (chosen[j] < 0)
            continue;
        const int64_t at = set->support.count++;
        set->support.gate[at] = j;
        set->support.eta[at] = chosen[j];
        const double ratio = run->norm[j] / p->beta;
        set->slope[at] = (p->beta - ratio * run->norm[j]) / 2;
        set->bent[at] = ratio * run->norm[j] * (1 - ratio);
        if (!p->sparse)
            memcpy(set->adjoint + at * block, run->adjoint + j * block, (size_t)block * sizeof(double));
    }
    if (complete && p->sparse)
        memcpy(set->adjoint, run->g, (size_t)numbers * sizeof(double));
    FATHOM_FREE(context, chosen, ranked);
    if (complete)
        return FATHOM_OK;
    fathom_gated_candidates_clear(set, context);
    return FATHOM_ERROR_MEMORY;
}

void fathom_gated_candidates_clear(fathom_gated_candidates *set, fathom_context *context)
{
    FATHOM_FREE(context, set->support.gate, set->support.eta, set->slope, set->bent, set->adjoint);
    *set = (fathom_gated_candidates){0};
}
