/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training along a path of penalties, and cross-validation.
 *
 * beta_k = beta_max ratio^{k / (N - 1)}, k = 0 .. N-1, each point started from the sizes |w_j| of the one
 * before and certified by its own gap. K-fold cross-validation: the rows are cut into K parts by the
 * context's seed (stream FOLD); for each part the path is solved on the other rows, with the same gates
 * and with beta in proportion to their weight, to a gap of at most FATHOM_PATH_FOLD_GAP, and judged by the
 * loss on the part. The best point minimises the weighted mean of those losses; its network is the one
 * trained on all rows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "gated_checkpoint.h"
#include "gated_newton.h"
#include "gated_subset.h"
#include "inner/train.h"
#include "memory.h"
#include "random.h"
#include "train_path.h"
#include "train_scale.h"

#define OWNER fathom_path_options
static const fathom_option rows[] = {FATHOM_PATH_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_path_option_table = FATHOM_OPTION_TABLE("Path", rows, fathom_path_options);

/* One path of several: all rows (0), which reports its values, or those without fold number - 1. */
typedef struct path_part {
    const fathom_path_options *path;
    const fathom_train_options *train;
    double gap;
    int64_t number;
} path_part;

/* What to do with the solution at point k. */
typedef fathom_status path_visit(void *user, int64_t k, fathom_gated_run *run);

double fathom_path_ratio(const fathom_path_options *path, int64_t k)
{
    return path->points == 1 ? path->ratio : pow(path->ratio, (double)k / (double)(path->points - 1));
}

static void keep_support(fathom_gated_support *warm, const fathom_gated_support *from)
{
    warm->count = from->count;
    memcpy(warm->gate, from->gate, (size_t)from->count * sizeof(int64_t));
    memcpy(warm->eta, from->eta, (size_t)from->count * sizeof(double));
}

/* Solves the problem at point k from `warm`, which receives the solution's support. */
static fathom_status solve_point(fathom_end *end, fathom_objective *problem, fathom_gated_support *warm,
                                 const path_part *part, int64_t k, path_visit *visit, void *user)
{
    fathom_gated_run run;
    const char *resume;
    FATHOM_TRY(fathom_gated_run_create(&run, problem));
    run.silent = part->number > 0;
    run.checkpoint = part->train->checkpoint;
    fathom_status status = fathom_path_state_enter(&resume, problem->context, part->train, part->number, k);
    FATHOM_THEN(status, resume ? fathom_gated_run_read(&run, resume)
                               : fathom_gated_run_start(&run, k > 0 && warm->count > 0 ? warm : NULL));
    FATHOM_THEN(status, fathom_gated_run_solve(&run, part->gap));
    if (status == FATHOM_OK) {
        *end = run.end;
        keep_support(warm, &run.support);
        status = visit(user, k, &run);
    }
    fathom_gated_run_clear(&run);
    return status;
}

/* Tells reports how much of the work is done at point k of part `part`: all rows, then the folds. Smaller
 * penalties cost more; point k counts k + 1 times. */
static void tell_share(fathom_context *context, const fathom_path_options *path, int64_t part, int64_t k)
{
    const double points = (double)path->points, parts = 1 + (double)path->cv;
    const double within = (double)k * (double)(k + 1) / (points * (points + 1));
    fathom_context_set_done(context, ((double)part + within) / parts);
}

/* Visits the solutions for beta = beta_max ratio_k while no limit stops the path. */
static fathom_status solve_path(fathom_end *end, fathom_objective *problem, double beta_max,
                                const path_part *part, path_visit *visit, void *user)
{
    const fathom_path_options *path = part->path;
    fathom_context *context = problem->context;
    fathom_gated_support warm = {0, fathom_memory_alloc(context, problem->m, sizeof(int64_t)),
                                 fathom_memory_alloc(context, problem->m, sizeof(double))};
    fathom_status status = warm.gate && warm.eta ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *end = FATHOM_END_REACHED;
    for (int64_t k = 0; k < path->points && status == FATHOM_OK; k++) {
        problem->beta = beta_max * fathom_path_ratio(path, k);
        fathom_end one = FATHOM_END_REACHED;
        tell_share(context, path, part->number, k);
        if (part->number > 0)
            fathom_context_poll(context, "fold", part->number, NAN, NAN);
        status = solve_point(&one, problem, &warm, part, k, visit, user);
        if (one != FATHOM_END_REACHED)
            *end = one;
        if (one == FATHOM_END_TIME || one == FATHOM_END_INTERRUPTED)
            break;
    }
    FATHOM_FREE(context, warm.gate, warm.eta);
    return status;
}

/* The path on all rows. */
typedef struct full_path {
    fathom_path_result *result;
    const fathom_train_problem *problem;
    const fathom_gates_view *gates;
    double beta_max;
    bool complete;
} full_path;

static fathom_status visit_full(void *user, int64_t k, fathom_gated_run *run)
{
    full_path *full = user;
    fathom_train_result *point = full->result->point + k;
    full->result->count = k + 1;
    point->beta_max = full->beta_max / full->problem->divisor;
    return fathom_train_fill(point, full->problem, run, full->gates, full->complete);
}

/* The path without one fold: losses on the rows left out. */
typedef struct fold_path {
    fathom_path_result *result; /* which keeps the outputs */
    const fathom_objective *all;
    const int64_t *fold; /* n: number of the fold of each row */
    int64_t number;
    double *f;     /* outputs x n */
    double *work;  /* of the kernels */
    double *loss;  /* points: sum over the rows left out */
    int64_t count; /* points visited */
} fold_path;

/* Loss of the outputs on the rows of the fold. */
static double held_out_loss(const fold_path *fold)
{
    const fathom_objective *p = fold->all;
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (fold->fold[i] == fold->number)
            sum += fathom_objective_weight(p, i) * fathom_objective_point_loss(p, fold->f, i, 0);
    return sum;
}

static fathom_status visit_fold(void *user, int64_t k, fathom_gated_run *run)
{
    fold_path *fold = user;
    const fathom_objective *p = fold->all;
    fathom_gated_run_outputs(fold->f, run, p, fold->work);
    for (int64_t c = 0; c < p->outputs; c++)
        for (int64_t i = 0; i < p->n; i++)
            fold->f[c * p->n + i] += run->best_c[c];
    fold->loss[k] = held_out_loss(fold);
    fathom_path_keep_outputs(fold->result, fold->number, k, fold->f);
    fold->count = k + 1;
    return FATHOM_OK;
}

/* Solves the path without fold number `fold->number`; beta_max is that of all rows. */
static fathom_status solve_fold(fathom_end *end, fold_path *fold, double beta_max, const path_part *part,
                                int64_t *row)
{
    const fathom_objective *p = fold->all;
    fathom_gated_subset subset;
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (fold->fold[i] != fold->number)
            row[count++] = i;
    fathom_objective unit = *p;
    unit.beta = 1;
    FATHOM_TRY(fathom_gated_subset_create(&subset, &unit, row, count));
    const double share = subset.problem.beta; /* of the sample weight */
    fathom_status status = solve_path(end, &subset.problem, beta_max * share, part, visit_fold, fold);
    fathom_gated_subset_clear(&subset, p->context);
    return status;
}

void fathom_path_keep_outputs(fathom_path_result *result, int64_t number, int64_t k, const double *f)
{
    const int64_t n = result->rows, outputs = result->outputs;
    double *to = result->held_out + k * n * outputs;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < outputs && result->fold[i] == number; c++)
            to[i * outputs + c] = f[c * n + i];
}

void fathom_path_summarize(fathom_path_result *result, const double *loss, const double *mass, int64_t folds,
                           int64_t points)
{
    for (int64_t k = 0; k < result->count; k++) {
        double sum = 0, weight = 0, square = 0;
        for (int64_t a = 0; a < folds; a++) {
            sum += loss[a * points + k];
            weight += mass[a];
        }
        result->cv_loss[k] = sum / weight;
        for (int64_t a = 0; a < folds; a++) {
            const double difference = loss[a * points + k] / mass[a] - result->cv_loss[k];
            square += difference * difference;
        }
        result->cv_error[k] = sqrt(square / (double)(folds * (folds - 1)));
        if (result->best < 0 || result->cv_loss[k] < result->cv_loss[result->best])
            result->best = k;
    }
}

fathom_status fathom_path_cut_folds(int64_t *fold, double *mass, fathom_context *context,
                                    const double *weight, int64_t n, int64_t folds)
{
    int64_t *order = fathom_memory_alloc(context, n, sizeof *order);
    if (!order)
        return FATHOM_ERROR_MEMORY;
    fathom_random_permutation(order, n, fathom_context_seed(context), FATHOM_STREAM_FOLD, 0);
    memset(mass, 0, (size_t)folds * sizeof *mass);
    for (int64_t i = 0; i < n; i++) {
        fold[order[i]] = i % folds;
        mass[i % folds] += weight ? weight[order[i]] : 1;
    }
    fathom_memory_free(context, order);
    return FATHOM_OK;
}

static fathom_status cross_validate(fathom_path_result *result, const fathom_objective *p, double beta_max,
                                    const path_part *all)
{
    fathom_context *context = p->context;
    const int64_t folds = all->path->cv, points = all->path->points;
    path_part part = {all->path, all->train, fmax(all->gap, FATHOM_PATH_FOLD_GAP), 0};
    int64_t *fold = result->fold, *row = fathom_memory_alloc(context, p->n, sizeof *row);
    double *loss = fathom_memory_zero(context, folds * points + folds, sizeof *loss);
    fold_path one = {.result = result, .all = p, .fold = fold};
    one.f = fathom_memory_alloc(context, p->outputs * p->n, sizeof *one.f);
    one.work = fathom_memory_alloc(context, fathom_gated_workspace(p, fathom_context_threads(context)),
                                   sizeof *one.work);
    fathom_status status = row && loss && one.f && one.work ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    double *mass = loss ? loss + folds * points : NULL;
    FATHOM_THEN(status, fathom_path_cut_folds(fold, mass, context, p->weight, p->n, folds));
    fathom_end end = FATHOM_END_REACHED;
    fathom_path_fold_results folded = {result, loss, points};
    const fathom_task_results results = fathom_path_deal_folds(&folded);
    fathom_tasks tasks = fathom_tasks_deal(context, folds);
    while (fathom_tasks_next(&tasks)) {
        for (int64_t a = 0;
             a < folds && status == FATHOM_OK && end != FATHOM_END_TIME && end != FATHOM_END_INTERRUPTED;
             a++) {
            if (!fathom_tasks_mine(&tasks, a))
                continue;
            one.number = a;
            one.loss = loss + a * points;
            part.number = a + 1;
            status = solve_fold(&end, &one, beta_max, &part, row);
            fathom_log(context, FATHOM_LOG_DEBUG, "fold %lld of %lld", (long long)a + 1, (long long)folds);
        }
        status = fathom_tasks_share(&tasks, status, &results);
    }
    if (tasks.ranks > 1) /* folds of others may have been cut */
        end = fathom_stop_end(fathom_context_stop_reason(context), end);
    /* Half a cross-validation says nothing about the best point. */
    if (status == FATHOM_OK && end != FATHOM_END_TIME && end != FATHOM_END_INTERRUPTED)
        fathom_path_summarize(result, loss, mass, folds, points);
    else if (status == FATHOM_OK)
        result->end = end;
    FATHOM_FREE(context, row, loss, one.f, one.work);
    return status;
}

static fathom_status path_on(fathom_path_result *result, const fathom_train_problem *problem,
                             const fathom_gates_view *gates, bool complete, const fathom_path_options *path)
{
    fathom_objective gated = fathom_train_on_gates(problem, gates);
    fathom_gated_run run;
    FATHOM_TRY(fathom_train_gates_memory(&gated));
    FATHOM_TRY(fathom_gated_run_create(&run, &gated));
    const double beta_max = fathom_gated_beta_max(&run);
    fathom_gated_run_clear(&run);
    if (isinf(beta_max))
        return fathom_context_late(problem->context, "the largest penalty");
    full_path full = {result, problem, gates, beta_max, complete};
    fathom_end end;
    const path_part all = {path, problem->options, problem->options->gap, 0};
    fathom_status status = solve_path(&end, &gated, beta_max > 0 ? beta_max : 1, &all, visit_full, &full);
    result->end = end;
    if (status == FATHOM_OK && path->cv > 0 && end != FATHOM_END_TIME && end != FATHOM_END_INTERRUPTED)
        status = cross_validate(result, &gated, beta_max > 0 ? beta_max : 1, &all);
    fathom_context_set_done(problem->context, NAN);
    return status;
}

static fathom_status path_check(const fathom_train_problem *problem, const fathom_path_options *path)
{
    fathom_context *context = problem->context;
    if (problem->options->model >= FATHOM_TRAIN_CONVEX_RF || problem->equality)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "a path takes --model relu or gated and --loss squared, logistic or hinge");
    if (problem->options->save_dual)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "--save-dual is for train: a path has many dual points");
    if (!(path->ratio > 0))
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "--ratio must be positive");
    if (path->cv == 1 || path->cv > problem->n)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "--cv takes 2 to %lld folds for these rows, not %lld", (long long)problem->n,
                                (long long)path->cv);
    return FATHOM_OK;
}

/* Room for all points. */
static fathom_status path_allocate(fathom_path_result *result, const fathom_train_problem *problem,
                                   const fathom_path_options *path)
{
    fathom_context *context = problem->context;
    *result = (fathom_path_result){.best = -1, .rows = problem->n, .outputs = problem->outputs};
    result->point = fathom_memory_zero(context, path->points, sizeof *result->point);
    if (path->cv > 0) {
        const int64_t numbers = path->points * problem->n * problem->outputs;
        result->cv_loss = fathom_memory_zero(context, path->points, sizeof(double));
        result->cv_error = fathom_memory_zero(context, path->points, sizeof(double));
        result->fold = fathom_memory_zero(context, problem->n, sizeof *result->fold);
        result->held_out = fathom_memory_zero(context, numbers, sizeof(double));
    }
    if (result->point &&
        (path->cv == 0 || (result->cv_loss && result->cv_error && result->fold && result->held_out)))
        return FATHOM_OK;
    fathom_path_result_clear(result, context);
    return FATHOM_ERROR_MEMORY;
}

fathom_status fathom_path_in_range(fathom_path_result *result, fathom_context *context, fathom_data *data,
                                   const fathom_gates *gates, const fathom_train_options *train,
                                   const fathom_path_options *path)
{
    fathom_train_problem problem;
    fathom_gates *own = NULL;
    *result = (fathom_path_result){.best = -1};
    FATHOM_TRY(fathom_train_problem_create_sparse(&problem, context, data, train));
    fathom_status status = path_check(&problem, path);
    const bool relu = train->model == FATHOM_TRAIN_RELU;
    if (status == FATHOM_OK && !gates && !relu)
        status = fathom_gates_open_as(&own, context, data, train->gates, (fathom_gates_form)train->gates_as);
    FATHOM_THEN(status, path_allocate(result, &problem, path));
    FATHOM_THEN(status, fathom_path_state_begin(&problem, path));
    if (status == FATHOM_OK && relu) {
        status = fathom_path_relu(result, &problem, path);
    } else if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(gates ? gates : own);
        status = path_on(result, &problem, &view, !gates && train->gates && strcmp(train->gates, "all") == 0,
                         path);
    }
    fathom_context_set_part(context, NULL);
    fathom_context_wind_up(context);
    if (status == FATHOM_ERROR_STOPPED) { /* a step was given up: the points so far stand */
        result->end = fathom_stop_end(fathom_context_stop_reason(context), FATHOM_END_INTERRUPTED);
        result->best = -1;
        status = FATHOM_OK;
    }
    for (int64_t k = 0; k < result->count && status == FATHOM_OK; k++)
        status = fathom_train_measure(result->point + k, &problem);
    if (status != FATHOM_OK)
        fathom_path_result_clear(result, context);
    fathom_gates_free(own);
    fathom_train_problem_clear(&problem);
    return status;
}

void fathom_path_result_clear(fathom_path_result *result, fathom_context *context)
{
    for (int64_t k = 0; k < result->count; k++)
        fathom_train_result_clear(result->point + k);
    FATHOM_FREE(context, result->point, result->cv_loss, result->cv_error, result->fold, result->held_out);
    *result = (fathom_path_result){.best = -1};
}
