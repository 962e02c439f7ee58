/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths over all ReLU networks: beta = beta_max ratio^{k/(N-1)}, each point by the method that `train`
 * would take.
 *
 * K-fold cross-validation as in train_path.c: for every fold the path is solved on the other rows, beta in
 * proportion to their weight, and judged by the loss of its networks on the rows left out: by local
 * descent (path_folds.c) where no closed form applies.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "train_path.h"

/* Effort of a point that is there to be chosen, where none was asked for. */
static const double BRIEF_EFFORT = 0.3;

/* Points of a path under cross-validation are looked at briefly, each from the network before: what is asked
 * for is the penalty. An effort or a time limit asks for more. */
static bool is_brief(const fathom_train_problem *p, const fathom_path_options *path)
{
    return path->cv > 0 && isnan(p->options->effort) && !fathom_context_has_time_limit(p->context) &&
           !fathom_train_proves(p->options);
}

/* Point k of a path without one fold (0: on all rows) at `beta` (NaN: beta_max times the ratio) of the
 * problem as it was asked for. */
static fathom_status solve_point(fathom_train_result *point, const fathom_train_problem *problem,
                                 int64_t fold, int64_t k, double beta, double ratio, double gap)
{
    fathom_train_options options = *problem->options;
    fathom_train_problem one = *problem;
    options.beta = beta;
    options.beta_rel = ratio;
    options.gap = gap;
    if (problem->brief)
        options.effort = BRIEF_EFFORT;
    one.options = &options;
    one.silent = true;
    FATHOM_TRY(fathom_path_state_enter(&options.resume, problem->context, problem->options, fold, k));
    return fathom_train_relu(point, &one);
}

/* The rows outside (or in) fold `number` as a problem of its own; freed by drop_rows. */
static fathom_status keep_rows(fathom_train_problem *part, const fathom_train_problem *p, const int64_t *fold,
                               int64_t number)
{
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i++)
        count += fold[i] != number;
    *part = *p;
    part->n = count;
    part->divisor = p->divisor == 1 ? 1 : (double)count;
    part->dense = fathom_memory_alloc(p->context, count * p->d, sizeof *part->dense);
    part->reach = fathom_memory_alloc(p->context, 2 * count, sizeof *part->reach);
    part->y = fathom_memory_alloc(p->context, count * p->outputs, sizeof *part->y);
    if (!part->dense || !part->reach || !part->y)
        return FATHOM_ERROR_MEMORY;
    double *weight = part->reach + count;
    part->x = part->dense;
    part->weight = p->weight ? weight : NULL;
    for (int64_t i = 0, at = 0; i < p->n; i++) {
        if (fold[i] == number)
            continue;
        memcpy(part->dense + at * p->d, p->x + i * p->d, (size_t)p->d * sizeof *part->dense);
        part->reach[at] = p->reach[i];
        weight[at] = p->weight ? p->weight[i] : 1;
        for (int64_t k = 0; k < p->outputs; k++)
            part->y[k * count + at] = p->y[k * p->n + i];
        at++;
    }
    return FATHOM_OK;
}

static void drop_rows(fathom_train_problem *part)
{
    FATHOM_FREE(part->context, part->dense, part->reach, part->y);
}

/* Outputs f (outputs, n apart) of a network at row i. */
static void outputs_at(double *f, const fathom_train_problem *p, fathom_net *net, int64_t i)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    for (int64_t k = 0; k < p->outputs; k++)
        f[k * p->n + i] = w.c[k];
    for (int64_t j = 0; j < shape.m; j++) {
        const double t = fathom_blas_dot(w.u + j * p->d, p->x + i * p->d, p->d) + (w.b ? w.b[j] : 0);
        for (int64_t k = 0; k < p->outputs && t > 0; k++)
            f[k * p->n + i] += w.rho[j] * w.w[j * p->outputs + k] * t;
    }
}

/* Loss of a network on the rows of fold `number`; f is room for outputs x n. */
static double held_out_loss(const fathom_train_problem *p, fathom_net *net, const int64_t *fold,
                            int64_t number, double *f)
{
    const fathom_objective problem = fathom_train_objective(p, 1);
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (fold[i] == number) {
            outputs_at(f, p, net, i);
            sum += fathom_objective_weight(&problem, i) * fathom_objective_point_loss(&problem, f, i, 0);
        }
    return sum;
}

/* The path without one fold: losses (points) on the rows left out, at the betas of the full path. */
static fathom_status solve_fold(double *loss, fathom_path_result *full, const fathom_train_problem *p,
                                int64_t number, double share)
{
    const int64_t *fold = full->fold;
    fathom_train_problem part;
    double *f = fathom_memory_alloc(p->context, p->outputs * p->n, sizeof *f);
    fathom_status status = keep_rows(&part, p, fold, number);
    if (status == FATHOM_OK && !f)
        status = FATHOM_ERROR_MEMORY;
    /* with the mean of the losses the share of the weight is in the divisor */
    const double factor = p->divisor == 1 ? share : share * (double)p->n / (double)part.n;
    for (int64_t k = 0; k < full->count && status == FATHOM_OK; k++) {
        fathom_train_result point = {0};
        status = solve_point(&point, &part, number + 1, k, full->point[k].beta * factor, 1,
                             fmax(p->options->gap, FATHOM_PATH_FOLD_GAP));
        if (status == FATHOM_OK) {
            loss[k] = held_out_loss(p, point.net, fold, number, f);
            fathom_path_keep_outputs(full, number, k, f);
        }
        fathom_train_result_clear(&point);
    }
    drop_rows(&part);
    fathom_memory_free(p->context, f);
    return status;
}

static fathom_status cross_validate(fathom_path_result *result, const fathom_train_problem *p,
                                    const fathom_path_options *path)
{
    fathom_context *context = p->context;
    const int64_t folds = path->cv, points = path->points;
    const bool local = fathom_path_folds_apply(result, p);
    double *loss = fathom_memory_zero(context, folds * points + folds, sizeof *loss);
    double *mass = loss ? loss + folds * points : NULL, total = 0;
    fathom_status status = loss ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_path_cut_folds(result->fold, mass, context, p->weight, p->n, folds));
    for (int64_t a = 0; a < folds && status == FATHOM_OK; a++)
        total += mass[a];
    fathom_path_fold_results folded = {result, loss, points};
    const fathom_task_results results = fathom_path_deal_folds(&folded);
    fathom_tasks tasks = fathom_tasks_deal(context, folds);
    while (fathom_tasks_next(&tasks)) {
        for (int64_t a = 0; a < folds && status == FATHOM_OK; a++) {
            if (!fathom_tasks_mine(&tasks, a))
                continue;
            status =
                (local ? fathom_path_fold : solve_fold)(loss + a * points, result, p, a, 1 - mass[a] / total);
            fathom_context_poll(context, "folds", a + 1, NAN, NAN);
            if (fathom_context_stop_reason(context) != FATHOM_STOP_NONE)
                break;
        }
        status = fathom_tasks_share(&tasks, status, &results);
    }
    const fathom_stop stop = fathom_context_stop_reason(context);
    if (status == FATHOM_OK && stop == FATHOM_STOP_NONE)
        fathom_path_summarize(result, loss, mass, folds, points);
    else if (status == FATHOM_OK) /* half a cross-validation says nothing about the best point */
        result->end = fathom_stop_end(stop, FATHOM_END_REACHED);
    fathom_memory_free(context, loss);
    return status;
}

fathom_status fathom_path_relu(fathom_path_result *result, const fathom_train_problem *problem,
                               const fathom_path_options *path)
{
    fathom_status status = FATHOM_OK;
    double beta_max = NAN;
    fathom_train_problem all = *problem;
    all.brief = is_brief(problem, path);
    result->end = FATHOM_END_REACHED;
    for (int64_t k = 0; k < path->points && status == FATHOM_OK; k++) {
        fathom_train_result *point = result->point + k;
        const double ratio = fathom_path_ratio(path, k);
        all.start = all.brief && k > 0 ? result->point[k - 1].net : NULL;
        status = solve_point(point, &all, 0, k, beta_max * ratio, ratio, problem->options->gap);
        if (status != FATHOM_OK)
            break;
        if (k == 0 && point->beta_max > 0)
            beta_max = point->beta_max;
        result->count = k + 1;
        if (point->end != FATHOM_END_REACHED)
            result->end = point->end;
        if (point->end == FATHOM_END_TIME || point->end == FATHOM_END_INTERRUPTED)
            return FATHOM_OK;
    }
    if (status == FATHOM_OK && path->cv > 0)
        status = cross_validate(result, problem, path);
    return status;
}
