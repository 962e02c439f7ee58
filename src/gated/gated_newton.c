/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Newton's method in the sizes of the groups.
 *
 * beta |w_j| = min over eta_j >= 0 of beta/2 (|w_j|^2 / eta_j + eta_j), attained at eta_j = |w_j|.
 * Minimising over W for fixed eta leaves a smooth convex problem in the m numbers eta >= 0:
 *
 *     phi(eta) = beta/2 sum_j eta_j + min_{v, c} { sum_i l_i(f_i) + v' K v / 2 },  f = K v + c 1',
 *     K = sum_j (eta_j / beta) A_j A_j',  A_j = D_j X,   w_j = (eta_j / beta) A_j' v
 *
 * At the inner optimum v = g = -l'(f), and
 *
 *     d phi / d eta_j  = (beta - |A_j' g|^2 / beta) / 2
 *     d^2 phi / d eta^2 = B' (H^{-1} + K)^{-1} B,   B_j = A_j A_j' g / beta,   H = diag(l'')
 *
 * phi is analytic up to the boundary for smooth losses, gates at eta_j = 0 with |A_j' g| <= beta stay
 * there, and a projected Newton step (a small quadratic program over the candidates: gates in use and
 * gates that violate the dual constraint) needs one factorisation of size n or a few dozen products.
 * Observed: 4 to 10 steps from a start on a quarter of the points to 1e-6, the last ones quadratic.
 *
 * Every iteration bounds the adjoint over ALL gates, most of them by what is known already
 * (gated_screen.c), hence a valid lower bound (objective_bound.c), and stops by the gap. Objective and bound
 * are those of the best iterates so far; the bound never comes from an infeasible point. Cost:
 * gated_dense.c, gated_iterative.c; plus 2 n m d outputs for the adjoint. Memory: see
 * fathom_gated_run_create.
 */
#include "gated_newton.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "clock.h"
#include "context_internal.h"
#include "gated_checkpoint.h"
#include "gated_step.h"
#include "loss_row.h"
#include "memory.h"

enum {
    STALL = 25,
    TRIALS = 12,
    GATES = 512,
    SPARSE_GATES = 64
};                                /* of these between two looks at the clock */
static const double APART = 20;   /* times what writing took: until the next of many states */
static const double RELAX = 0.25; /* of the gap, to be gained by better sizes alone */

static double *reals(fathom_context *context, int64_t count)
{
    return fathom_memory_alloc(context, count, sizeof(double));
}

fathom_status fathom_gated_run_create(fathom_gated_run *run, const fathom_objective *problem)
{
    fathom_context *context = problem->context;
    const int64_t m = problem->m, size = problem->outputs * problem->n, block = problem->outputs * problem->d;
    *run = (fathom_gated_run){.problem = problem,
                              .objective = INFINITY,
                              .bound = -INFINITY,
                              .best_g_bound = -INFINITY,
                              .mark = INFINITY,
                              .start_norm = NAN};
    FATHOM_TRY(fathom_gated_engine_create(&run->engine, problem));
    run->support.gate = fathom_memory_alloc(context, m, sizeof(int64_t));
    run->best.gate = fathom_memory_alloc(context, m, sizeof(int64_t));
    run->support.eta = reals(context, m);
    run->best.eta = reals(context, m);
    run->norm = reals(context, m);
    run->v = reals(context, size);
    run->f = reals(context, size);
    run->g = reals(context, size);
    run->best_g = reals(context, size);
    run->c = reals(context, problem->outputs);
    run->best_c = reals(context, problem->outputs);
    run->size = reals(context, m);
    run->best_size = reals(context, m);
    run->best_v = reals(context, problem->sparse ? size : 0);
    run->adjoint = reals(context, problem->sparse ? m : m * block);
    run->used = fathom_memory_alloc(context, m, sizeof *run->used);
    fathom_status status = fathom_gated_screen_create(&run->screen, problem);
    if (status == FATHOM_OK && problem->tree && problem->outputs == 1)
        status = fathom_gate_tree_create(&run->tree, context, problem->tree);
    if (status == FATHOM_OK && run->used && run->support.gate && run->best.gate && run->support.eta &&
        run->best.eta && run->norm && run->v && run->f && run->g && run->best_g && run->c && run->best_c &&
        run->adjoint && run->size && run->best_size && run->best_v) {
        memset(run->v, 0, (size_t)size * sizeof *run->v);
        fathom_objective_start(run->f, run->c, problem);
        return FATHOM_OK;
    }
    fathom_gated_run_clear(run);
    return status == FATHOM_OK ? FATHOM_ERROR_MEMORY : status;
}

void fathom_gated_run_clear(fathom_gated_run *run)
{
    if (!run->problem)
        return;
    void *blocks[] = {run->support.gate, run->support.eta, run->best.gate, run->best.eta,
                      run->norm,         run->v,           run->f,         run->g,
                      run->best_g,       run->c,           run->best_c,    run->adjoint,
                      run->best_w,       run->w,           run->used,      run->size,
                      run->best_size,    run->best_v};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(run->problem->context, blocks[k]);
    fathom_gate_tree_free(run->tree);
    fathom_gated_screen_clear(&run->screen, run->problem->context);
    fathom_gated_engine_clear(&run->engine);
    *run = (fathom_gated_run){0};
}

/* The norms alone, for sparse points. */
static bool norms_of_all(fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    bool late = false;
    for (int64_t first = 0, count; first < p->m; first += count) {
        count = p->m - first < SPARSE_GATES ? p->m - first : SPARSE_GATES;
        late = late || fathom_context_overdue(p->context);
        if (!late)
            fathom_gated_norms(run->norm + first, p, (fathom_gated_list){count, first, NULL}, run->g,
                               run->engine.threads, run->engine.workspace);
        for (int64_t j = first; late && j < first + count; j++)
            run->norm[j] = INFINITY;
    }
    return !late;
}

/* adjoint = F*(g) and its norms over all gates: along the gate tree, O((n + m) d), where there is one.
 * False where a limit is overdue before all of them are there: norms that are not are INFINITY, with which
 * nothing can be wrong. */
static bool adjoint_of_all(fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    const int64_t block = p->outputs * p->d;
    if (run->tree) {
        const fathom_data_view data = {.n = p->n, .d = p->d, .x = p->x, .ld = p->d};
        fathom_gate_tree_sums(run->adjoint, run->norm, run->tree, &data, run->g);
        return true;
    }
    bool late = false;
    if (p->sparse)
        return norms_of_all(run);
    for (int64_t first = 0, count; first < p->m; first += count) {
        count = p->m - first < 2 * GATES ? p->m - first : GATES;
        const fathom_gated_list list = {count, first, NULL};
        late = late || fathom_context_overdue(p->context);
        if (!late)
            fathom_gated_adjoint(run->adjoint + first * block, p, list, run->g, p->outputs,
                                 run->engine.threads, run->engine.workspace);
        for (int64_t j = first; j < first + count; j++)
            run->norm[j] = late ? INFINITY : fathom_blas_norm(run->adjoint + j * block, block);
    }
    return !late;
}

/* F*(g) with its norms over all gates; g is balanced. */
static void price_all(fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    adjoint_of_all(run);
    run->residual_norm = 0;
    for (int64_t j = 0; j < p->m; j++)
        run->residual_norm = fmax(run->residual_norm, run->norm[j]);
    if (run->screen.upper)
        fathom_gated_screen_take(&run->screen, p, run->g, run->norm, p->m, true);
}

/* F*(g) and norms of `count` listed gates; rows are computed side by side, then moved to their places from
 * the last on. */
static void price_listed(fathom_gated_run *run, int64_t count)
{
    const fathom_objective *p = run->problem;
    const int64_t block = p->outputs * p->d, *index = run->screen.index;
    const fathom_gated_list list = {count, 0, index};
    double *computed = run->adjoint;
    if (p->sparse)
        fathom_gated_norms(computed, p, list, run->g, run->engine.threads, run->engine.workspace);
    else
        fathom_gated_adjoint(run->adjoint, p, list, run->g, p->outputs, run->engine.threads,
                             run->engine.workspace);
    for (int64_t j = 0; j < p->m; j++)
        run->norm[j] = 0; /* at most beta, which is all that matters */
    for (int64_t k = 0; p->sparse && k < count; k++) {
        run->norm[index[k]] = computed[k];
        run->residual_norm = fmax(run->residual_norm, computed[k]);
    }
    for (int64_t k = count - 1; !p->sparse && k >= 0; k--) {
        double *row = run->adjoint + index[k] * block;
        if (index[k] != k)
            memcpy(row, run->adjoint + k * block, (size_t)block * sizeof *row);
        run->norm[index[k]] = fathom_blas_norm(row, block);
        run->residual_norm = fmax(run->residual_norm, run->norm[index[k]]);
    }
    fathom_gated_screen_take(&run->screen, p, run->g, run->norm, count, false);
}

/* The same for the gates that may exceed beta and those in use. residual_norm is at least beta, whether or
 * not gates were left out: what they contribute is not known, but not more. */
static void price(fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    int64_t count = p->m;
    fathom_objective_balance(run->g, p);
    if (run->screen.upper) {
        memset(run->used, 0, (size_t)p->m * sizeof *run->used);
        for (int64_t j = 0; j < run->support.count; j++)
            run->used[run->support.gate[j]] = true;
        count = fathom_gated_screen_list(&run->screen, p, run->g, run->used);
    }
    run->residual_norm = p->beta;
    if (count < p->m)
        price_listed(run, count);
    else
        price_all(run);
    run->residual_norm = fmax(run->residual_norm, p->beta);
    run->priced += count;
}

double fathom_gated_beta_max(fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    fathom_objective_start(run->f, run->c, p);
    fathom_objective_first_dual(run->g, p, run->f);
    price_all(run);
    run->start_norm = run->residual_norm;
    return run->residual_norm;
}

/* Keeps objective, weights and constant of the iterate where they are the best so far; raises the bound. */
static fathom_status keep_best(fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    const int64_t block = p->outputs * p->d, count = run->support.count;
    double norm = 0;
    for (int64_t j = 0; j < count; j++)
        norm += run->size[j];
    const double objective = fathom_objective_loss(p, run->f, 0) + p->beta * norm;
    const double bound = fathom_objective_bound(p, run->g, run->residual_norm);
    run->bound = fmax(run->bound, bound);
    if (bound > run->best_g_bound) {
        run->best_g_bound = bound;
        memcpy(run->best_g, run->g, (size_t)(p->n * p->outputs) * sizeof(double));
    }
    if (!(objective < run->objective))
        return FATHOM_OK;
    if (!p->sparse) {
        FATHOM_TRY(
            fathom_memory_resize(p->context, (void **)&run->best_w, count * block + 1, sizeof(double)));
        memcpy(run->best_w, run->w, (size_t)(count * block) * sizeof(double));
    } else {
        memcpy(run->best_v, run->v, (size_t)(p->n * p->outputs) * sizeof(double));
    }
    run->objective = objective;
    run->best.count = count;
    memcpy(run->best.gate, run->support.gate, (size_t)count * sizeof(int64_t));
    memcpy(run->best.eta, run->support.eta, (size_t)count * sizeof(double));
    memcpy(run->best_size, run->size, (size_t)count * sizeof(double));
    memcpy(run->best_c, run->c, (size_t)p->outputs * sizeof(double));
    return FATHOM_OK;
}

void fathom_gated_run_weights(double *w, fathom_gated_run *run, int64_t j)
{
    const fathom_objective *p = run->problem;
    const int64_t block = p->outputs * p->d;
    if (!p->sparse) {
        memcpy(w, run->best_w + j * block, (size_t)block * sizeof *w);
        return;
    }
    fathom_gated_adjoint(w, p, (fathom_gated_list){1, run->best.gate[j], NULL}, run->best_v, p->outputs,
                         run->engine.threads, run->engine.workspace);
    fathom_blas_scale(w, run->best.eta[j] / p->beta, block);
}

void fathom_gated_run_outputs(double *f, fathom_gated_run *run, const fathom_objective *p, double *workspace)
{
    const fathom_gated_list list = {run->best.count, 0, run->best.gate};
    if (!p->sparse) {
        fathom_gated_forward(f, p, list, run->best_w, p->outputs, run->engine.threads, workspace);
        return;
    }
    const fathom_sparse_gates to = fathom_gated_sparse_set(p, list),
                              from = fathom_gated_sparse_set(run->problem, list);
    fathom_sparse_gate_through(f, &to, &from, run->best.eta, run->best_v, p->outputs, run->engine.threads,
                               workspace);
    fathom_blas_scale(f, 1 / run->problem->beta, p->outputs * p->n);
}

static double relative_gap(const fathom_gated_run *run)
{
    return run->objective == 0 ? 0 : (run->objective - run->bound) / run->objective;
}

/* Tells the listener where the run stands; true where it must end. */
static bool report(fathom_gated_run *run, double gap)
{
    fathom_context *context = run->problem->context;
    fathom_stop stop = fathom_context_stop_reason(context);
    const double divisor = run->problem->divisor > 0 ? run->problem->divisor : 1;
    const double objective = run->objective / divisor, bound = run->bound / divisor;
    if (!run->silent) {
        fathom_log(context, FATHOM_LOG_DEBUG,
                   "step %lld: objective %.10g, lower bound %.10g, relative gap %.3g, %lld gates of %lld, "
                   "%lld products, %lld of %lld gates looked at",
                   (long long)run->iteration, objective, bound, relative_gap(run),
                   (long long)run->support.count, (long long)run->problem->m, (long long)run->engine.products,
                   (long long)run->priced, (long long)(run->problem->m * (run->iteration - run->first + 1)));
        stop = fathom_context_poll(context, "gated", run->iteration, objective, bound);
    }
    if (relative_gap(run) <= gap || run->objective == 0)
        run->end = FATHOM_END_REACHED;
    else if (stop != FATHOM_STOP_NONE)
        run->end = fathom_stop_end(stop, FATHOM_END_STALLED);
    else
        return false;
    return true;
}

/* The error of the inner problem that leaves the gap unharmed: an error e in g moves the bound by about
 * sqrt(2 e / objective) relatively. */
static double inner_tolerance(const fathom_gated_run *run, double gap)
{
    const double relative = isfinite(run->objective) ? relative_gap(run) : 1;
    const double wanted = fmax(gap / 4, fmin(relative, 1) / 32);
    return wanted * wanted * fabs(run->phi) / 8;
}

/* eta of the run = target over the candidates, none larger than any optimum has: beta |w_j| <= P. */
static void set_support(fathom_gated_run *run, const fathom_gated_support *candidates, const double *target)
{
    const double most = run->objective / run->problem->beta;
    run->support.count = 0;
    for (int64_t j = 0; j < candidates->count; j++)
        if (target[j] > 0) {
            run->support.gate[run->support.count] = candidates->gate[j];
            run->support.eta[run->support.count++] = fmin(target[j], most);
        }
}

/* The inner problem at the target starts from where the model expects its solution. */
static void take_shift(fathom_gated_run *run, fathom_gated_model *model)
{
    const fathom_objective *p = run->problem;
    const int64_t size = p->outputs * p->n;
    if (!model->shift)
        return;
    fathom_blas_axpy(run->v, 1, model->shift, size);
    fathom_blas_axpy(run->c, 1, model->shift + size, p->outputs);
    fathom_memory_free(p->context, model->shift);
    model->shift = NULL;
}

/* Moves to where the bent slope leads, or else to the minimiser of the model, damped more and more until
 * phi follows the model: by at least a tenth of the predicted decrease. */
static fathom_status advance(fathom_gated_run *run, fathom_gated_model *model,
                             const fathom_gated_candidates *set, double *target, double tolerance,
                             bool *moved)
{
    const double start = run->phi;
    fathom_status status = FATHOM_OK;
    *moved = false;
    for (int trial = 0; trial < TRIALS && !*moved && status == FATHOM_OK; trial++) {
        const bool bent = trial == 0 && run->damping == 0;
        double change = 0;
        status =
            fathom_gated_model_target(target, &change, model, bent ? set->bent : set->slope, run->damping);
        if (status != FATHOM_OK)
            break;
        set_support(run, model->candidates, target);
        take_shift(run, model);
        status = fathom_gated_evaluate(run, tolerance);
        const double excess = run->phi - start, noise = 1e-12 * fabs(start) + 2 * tolerance;
        *moved = excess <= 0.1 * fmin(change, 0) + noise;
        if (!*moved && !bent)
            run->damping = fmax(8 * run->damping, 1e-3);
        else if (*moved && excess <= 0.7 * fmin(change, 0) + noise)
            run->damping = run->damping > 1e-4 ? run->damping / 8 : 0;
    }
    return status;
}

/* One Newton step; *moved is false where no step decreases phi, although its systems were solved. */
static fathom_status step(fathom_gated_run *run, double gap, bool *moved)
{
    fathom_context *context = run->problem->context;
    fathom_gated_candidates set;
    fathom_gated_model model = {0};
    /* The barrier of the hinge costs about 2 mu per point, a gap that steps cannot close. */
    const bool sharpen =
        run->objective - run->bound < 8 * run->smoothing * fathom_objective_mass(run->problem);
    FATHOM_TRY(fathom_gated_candidates_create(&set, run));
    const bool hard = run->engine.hard;
    double *target = reals(context, set.support.count);
    fathom_status status =
        target ? fathom_gated_model_create(&model, &run->engine, &set.support, set.adjoint, set.slope)
               : FATHOM_ERROR_MEMORY;
    *moved = true;
    if (status == FATHOM_OK && fathom_context_stop_reason(context) == FATHOM_STOP_NONE)
        status = advance(run, &model, &set, target, inner_tolerance(run, gap), moved);
    if (run->engine.hard && !hard) { /* the step was one of systems that conjugate gradients had not solved */
        run->damping = 0;
        *moved = true;
    }
    if (sharpen && status == FATHOM_OK) {
        run->smoothing /= 8;
        status = fathom_gated_evaluate(run, inner_tolerance(run, gap));
        *moved = true;
    }
    fathom_gated_model_clear(&model);
    fathom_memory_free(context, target);
    fathom_gated_candidates_clear(&set, context);
    return status;
}

/* By how much phi exceeds the objective at the iterate's weights: sum_j beta (|w_j| - eta_j)^2 / (2
 * eta_j). */
static double excess_of_sizes(const fathom_gated_run *run)
{
    double sum = 0;
    for (int64_t j = 0; j < run->support.count; j++) {
        const double eta = run->support.eta[j], more = run->size[j] - eta;
        sum += more * more / eta;
    }
    return run->problem->beta / 2 * sum;
}

/* eta_j = |w_j|, the best sizes for the iterate's weights: phi decreases by that excess at least. Where
 * the weights hardly depend on eta (small beta, more points than weights) this ends what would take
 * Newton's method many steps: it grows sizes by half at a time, and sends those that are too large to 0. */
static fathom_status relax(fathom_gated_run *run, double gap)
{
    const int64_t count = run->support.count;
    run->support.count = 0;
    for (int64_t j = 0; j < count; j++) {
        const double size = run->size[j];
        if (size > 0) {
            run->support.gate[run->support.count] = run->support.gate[j];
            run->support.eta[run->support.count++] = size;
        }
    }
    return fathom_gated_evaluate(run, inner_tolerance(run, gap));
}

/* Progress is a gap halved within STALL steps. */
static bool stalled(fathom_gated_run *run)
{
    if (relative_gap(run) < run->mark / 2) {
        run->mark = relative_gap(run);
        run->marked = run->iteration;
    }
    return run->stuck || run->iteration - run->marked >= STALL;
}

/* States are written before the step that they lead to, and never once a limit may have cut something
 * short: what is resumed then goes on as if nothing had happened. One of many states in a file is written
 * at its end, and before only for a small share of the time: the file is written whole. */
static fathom_status keep_state(fathom_gated_run *run, bool last)
{
    fathom_context *context = run->problem->context;
    const double now = fathom_clock_seconds();
    const bool cut = fathom_context_stop_reason(context) != FATHOM_STOP_NONE;
    if (!run->checkpoint || cut || (*fathom_context_part(context) && !last && now < run->due))
        return FATHOM_OK;
    const fathom_status status = fathom_gated_run_write(run, run->checkpoint);
    run->due = now + APART * (fathom_clock_seconds() - now);
    return status;
}

void fathom_gated_run_prove(fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    double norm = p->beta;
    memcpy(run->g, run->best_g, (size_t)(p->n * p->outputs) * sizeof(double));
    adjoint_of_all(run);
    for (int64_t j = 0; j < p->m; j++)
        norm = fmax(norm, run->norm[j]);
    run->best_g_bound = fathom_objective_bound(p, run->g, norm);
    run->bound = fmin(run->bound, run->best_g_bound);
}

fathom_status fathom_gated_run_solve(fathom_gated_run *run, double gap)
{
    fathom_status status = FATHOM_OK;
    if (!run->resumed && run->checkpoint && !*fathom_context_part(run->problem->context))
        status = fathom_gated_run_write_start(run, run->checkpoint);
    if (!run->resumed && status == FATHOM_OK) {
        run->phi = fathom_objective_loss(run->problem, run->f, run->smoothing);
        status = fathom_gated_evaluate(run, inner_tolerance(run, gap));
    }
    for (bool kept = run->resumed; status == FATHOM_OK; kept = false) {
        fathom_objective_residual(run->g, run->problem, run->f, run->smoothing);
        price(run);
        if (!kept) /* of a state: priced without what screening knew, its bound would be another to rounding */
            status = keep_best(run);
        if (status != FATHOM_OK)
            break;
        bool ended = report(run, gap);
        if (!ended && stalled(run)) {
            run->end = FATHOM_END_STALLED;
            ended = true;
        }
        status = keep_state(run, ended);
        if (ended || status != FATHOM_OK)
            break;
        bool moved = true;
        run->engine.forcing = fmin(0.1, fmax(1e-2, sqrt(relative_gap(run))));
        status = excess_of_sizes(run) > RELAX * (run->objective - run->bound) ? relax(run, gap)
                                                                              : step(run, gap, &moved);
        run->stuck = !moved;
        run->iteration++;
        FATHOM_THEN(status, fathom_rows_failure());
    }
    const fathom_stop stop = fathom_context_stop_reason(run->problem->context);
    if (status == FATHOM_ERROR_STOPPED && isfinite(run->objective)) { /* the best network so far stands */
        run->end = fathom_stop_end(stop, FATHOM_END_STALLED);
        status = FATHOM_OK;
    }
    return status;
}
