/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates on folds: paths of penalties on the rows outside each fold, and what they say on the rows
 * inside.
 *
 * A part is one path, on one thread, with numbers of its own: threads take parts in any order, and the
 * bits are the same. Columns are standardised by the rows that a part is trained on; its networks are then
 * rewritten for the columns of all rows,
 *
 *     <u, (x - m)/s> = <u/s, x> - <u/s, m>,   the last term going to the constant column or the bias,
 *
 * so that they can be compared, averaged and asked about columns.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "fit_internal.h"
#include "float_rows.h"
#include "memory.h"
#include "tasks.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* The grid in units of the scale of the problem: networks, and ridge penalties of linear functions per
 * row. */
static const double LEAST = 0.003, LEAST_OF_MANY = 0.0003, MOST = 0.4, LINEAR_LEAST = 1e-3, LINEAR_MOST = 1e3;

/* Many rows bear smaller penalties, whose networks need more steps. */
bool fit_is_large(const fit_candidates *c) { return c->width > 0 && c->problem->n > FIT_LARGE; }

static void set_grid(fit_candidates *c)
{
    const double least = fit_is_large(c) ? LEAST_OF_MANY : LEAST;
    const double low = c->width > 0 ? least * c->problem->largest : LINEAR_LEAST;
    const double high = c->width > 0 ? MOST * c->problem->largest : LINEAR_MOST;
    for (int64_t k = 0; k < c->points; k++) {
        c->beta[k] = low * pow(high / low, (double)k / (double)(c->points - 1));
        c->keep[k] = true;
    }
}

fathom_local_problem fit_local_problem(const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const bool linear = c->width == 0;
    return (fathom_local_problem){.d = fit_columns(c),
                                  .outputs = p->outputs,
                                  .loss = p->loss,
                                  .width = c->width,
                                  .gated = c->gated,
                                  .free_last = p->free_bias && !c->gated,
                                  .constant = linear || p->free_bias};
}

fathom_status fit_candidates_open(fit_candidates *c, fit_problem *p, int64_t width, bool gated)
{
    *c = (fit_candidates){
        .problem = p, .width = width, .gated = gated, .points = width > 0 ? FIT_POINTS : FIT_LINEAR_POINTS};
    const fathom_local_problem local = fit_local_problem(c);
    c->size = fathom_local_size(&local);
    set_grid(c);
    const int64_t networks = (1 + p->parts) * c->points * c->size;
    const int64_t outputs = p->repeats * c->points * p->n * p->outputs;
    FATHOM_TRY(fathom_context_require(p->context, 4 * ((double)networks + (double)outputs),
                                      "the networks of all folds"));
    c->network = fathom_memory_zero(p->context, networks, sizeof *c->network);
    c->output = fathom_memory_zero(p->context, outputs, sizeof *c->output);
    c->done = fathom_memory_zero(p->context, 2 * (1 + p->parts), sizeof *c->done);
    c->ran = c->done ? c->done + 1 + p->parts : NULL;
    return c->network && c->output && c->done ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fit_candidates_close(fit_candidates *c)
{
    if (!c->problem)
        return;
    FATHOM_FREE(c->problem->context, c->network, c->output, c->trained, c->done, c->open);
    fathom_gates_free(c->gates);
}

void fit_rows(float *x, const fit_candidates *c, const int64_t *row, int64_t count)
{
    const fit_problem *p = c->problem;
    const int64_t columns = fit_columns(c);
    for (int64_t a = 0; a < count; a++) {
        const double *from = p->rows + row[a] * p->d;
        for (int64_t l = 0; l < p->d; l++)
            x[a * columns + l] = (float)from[l];
        if (columns > p->d)
            x[a * columns + p->d] = 1;
    }
}

enum { OUTPUTS_OF = 1024 }; /* rows at a time, between which a limit is heard */

/* What one thread works with. */
typedef struct workspace {
    int64_t *row;           /* n: trained on first, then left out */
    float *x, *y, *weight;  /* of those */
    double *centre, *scale; /* d: m and s */
    unsigned char *open;    /* n x gates */
    float *f;               /* OUTPUTS_OF x outputs */
    float *work;
} workspace;

static fathom_status workspace_open(workspace *w, const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const fathom_local_problem local = fit_local_problem(c);
    w->row = fathom_memory_alloc(p->context, p->n, sizeof *w->row);
    w->x = fathom_memory_zero(p->context, (fit_is_sparse(p) ? 0 : p->n * p->columns) + FATHOM_FLOAT_ROOM,
                              sizeof *w->x);
    w->open = fathom_memory_alloc(p->context, c->gated ? p->n * c->width : 0, sizeof *w->open);
    w->y = fathom_memory_alloc(p->context, p->n * (p->outputs + 1), sizeof *w->y);
    w->centre = fathom_memory_alloc(p->context, 2 * p->columns, sizeof *w->centre);
    w->f = fathom_memory_alloc(p->context, OUTPUTS_OF * p->outputs, sizeof *w->f);
    w->work = fathom_memory_zero(p->context, fathom_local_room(&local), sizeof *w->work);
    if (!w->row || !w->x || !w->y || !w->open || !w->centre || !w->f || !w->work)
        return FATHOM_ERROR_MEMORY;
    w->weight = w->y + p->n * p->outputs;
    w->scale = w->centre + p->columns;
    return FATHOM_OK;
}

static void workspace_close(workspace *w, fathom_context *context)
{
    FATHOM_FREE(context, w->row, w->x, w->y, w->open, w->centre, w->f, w->work);
}

/* Rows outside the fold first; returns how many. */
static int64_t order_rows(workspace *w, const fit_problem *p, int64_t part)
{
    const int32_t *fold = part < 0 ? NULL : p->fold + part / p->folds * p->n;
    int64_t count = 0, behind = p->n;
    for (int64_t i = 0; i < p->n; i++)
        if (!fold || fold[i] != part % p->folds)
            w->row[count++] = i;
    for (int64_t i = p->n - 1; i >= 0; i--)
        if (fold && fold[i] == part % p->folds)
            w->row[--behind] = i;
    return count;
}

/* m and s of the first `count` rows, row by row; 0 and 1 where columns stay as they are. */
static void measure_columns(workspace *w, const fit_problem *p, int64_t count, bool moves)
{
    const int64_t moving = moves ? p->moving : 0;
    double *mean = w->centre, *square = w->scale;
    for (int64_t l = 0; l < p->columns; l++) {
        mean[l] = 0;
        square[l] = l < moving ? 0 : 1;
    }
    for (int64_t a = 0; a < count; a++)
        for (int64_t l = 0; l < moving; l++)
            mean[l] += p->rows[w->row[a] * p->d + l];
    for (int64_t l = 0; l < moving; l++)
        mean[l] /= (double)count;
    for (int64_t a = 0; a < count; a++)
        for (int64_t l = 0; l < moving; l++) {
            const double left = p->rows[w->row[a] * p->d + l] - mean[l];
            square[l] += left * left;
        }
    for (int64_t l = 0; l < moving; l++) {
        const double deviation = sqrt(square[l] / (double)count);
        const bool varies = deviation > 1e-9 * fmax(1, fabs(mean[l]));
        mean[l] = varies ? mean[l] : 0;
        square[l] = varies ? deviation : 1;
    }
}

static void fill_rows(workspace *w, const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const int64_t columns = fit_columns(c);
    for (int64_t a = 0; a < p->n; a++) {
        const int64_t i = w->row[a];
        float *x = w->x + a * columns;
        for (int64_t l = 0; l < p->d && !fit_is_sparse(p); l++)
            x[l] = (float)((p->rows[i * p->d + l] - w->centre[l]) / w->scale[l]);
        if (columns > p->d && !fit_is_sparse(p))
            x[p->d] = 1;
        if (c->gated)
            memcpy(w->open + a * c->width, c->open + i * c->width, (size_t)c->width);
        memcpy(w->y + a * p->outputs, p->y + i * p->outputs, (size_t)p->outputs * sizeof *w->y);
        w->weight[a] = p->weight ? (float)p->weight[i] : 1;
    }
}

/* The network for the columns of all rows. */
static void rewrite(float *theta, const fathom_local_problem *local, const fit_problem *p, const workspace *w)
{
    const int64_t width = local->gated       ? local->width * local->outputs
                          : local->width > 0 ? local->width
                                             : fathom_float_width(local->outputs);
    for (int64_t j = 0; j < width; j++) {
        double shift = 0;
        for (int64_t l = 0; l < p->moving; l++) {
            const double u = (double)theta[l * width + j] / w->scale[l];
            shift += u * w->centre[l];
            theta[l * width + j] = (float)u;
        }
        theta[(local->d - 1) * width + j] -= (float)shift;
    }
}

/* Who listens to the descent of one part. */
typedef struct part_listener {
    fit_problem *problem;
    const char *stage;
    int64_t part;
    double work; /* of a step */
    bool speaks; /* one thread does */
} part_listener;

static void hear(void *user, int64_t steps)
{
    const part_listener *l = user;
    const double work = (double)steps * l->work;
#pragma omp atomic
    l->problem->progress.finished += work;
    if (l->speaks)
        fit_progress_tell(l->problem, l->stage, l->part + 1);
}

/* Outputs of the part's networks on the rows left out, `first` and on in its order; those of points that the race dropped are
 * nobody's. False: a limit came first. */
static bool predict_left(fit_candidates *c, int64_t part, workspace *w, const fathom_local_problem *trained,
                         int64_t first)
{
    const fit_problem *p = c->problem;
    const float *network = c->network + (part + 1) * c->points * c->size;
    fathom_local_problem local = *trained;
    fathom_local_sparse sparse = trained->sparse ? *trained->sparse : (fathom_local_sparse){0};
    local.sparse = trained->sparse ? &sparse : NULL;
    for (int64_t a = first; a < p->n; a += OUTPUTS_OF) {
        const int64_t rows = p->n - a < OUTPUTS_OF ? p->n - a : OUTPUTS_OF;
        local.n = rows;
        local.x = local.sparse ? NULL : w->x + a * local.d;
        local.open = w->open + (c->gated ? a * c->width : 0);
        sparse.row = w->row + a;
        for (int64_t k = 0; k < c->points; k++) {
            float *f = c->output + (part / p->folds * c->points + k) * p->n * p->outputs;
            if (!c->keep[k])
                continue;
            if (fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE)
                return false;
            fathom_local_outputs(w->f, &local, network + k * c->size, NULL, rows, w->work);
            for (int64_t i = 0; i < rows; i++)
                memcpy(f + w->row[a + i] * p->outputs, w->f + i * p->outputs, (size_t)p->outputs * sizeof *f);
        }
    }
    return true;
}

static void run_part(fit_candidates *c, int64_t part, workspace *w, part_listener *listener)
{
    const fit_problem *p = c->problem;
    const int64_t count = order_rows(w, p, part);
    fathom_local_problem local = fit_local_problem(c);
    double beta[FIT_POINTS];
    float *network = c->network + (part + 1) * c->points * c->size;
    /* on gates there is no free bias that a shift could go to */
    const bool moves = part >= 0 && p->standard && !(c->gated && p->free_bias);
    fathom_local_sparse sparse = p->sparse;
    sparse.row = w->row;
    sparse.trim = p->free_bias && c->gated;
    if (!fit_is_sparse(p))
        measure_columns(w, p, count, moves);
    fill_rows(w, c);
    listener->work = fit_step_work(c, count);
    const fathom_local_listener ear = {hear, listener};
    local.listener = &ear;
    local.n = count;
    local.x = w->x;
    local.sparse = fit_is_sparse(p) ? &sparse : NULL;
    local.open = w->open;
    local.y = w->y;
    local.weight = p->weight ? w->weight : NULL;
    const double share = part < 0 ? 1 : (p->total - p->mass[part]) / p->total;
    for (int64_t k = 0; k < c->points; k++)
        beta[k] = c->beta[k] * (c->width > 0 ? share : 1);
    int64_t reached = c->points;
    const int many = fit_is_large(c) ? FIT_MANY : 1;
    if (!fit_state_take(c, part)) {
        reached = fathom_local_path(network, &local, p->context, beta, c->keep, c->points, many * FIT_FIRST,
                                    many * FIT_NEXT, fathom_context_seed(p->context), (uint32_t)(part + 1),
                                    w->work);
#pragma omp critical(fathom_fit_state)
        fit_state_keep(c, part);
    } else {
        fit_progress_skip(c, count);
    }
    if (part < 0)
        c->reached = reached;
    c->ran[part + 1] = fathom_context_stop_reason(p->context) == FATHOM_STOP_NONE;
    /* of a part that was cut the rows left out are not looked at */
    c->ran[part + 1] = c->ran[part + 1] && predict_left(c, part, w, &local, count);
    for (int64_t k = 0; k < c->points && moves; k++)
        rewrite(network + k * c->size, &local, p, w);
}

/* Threads that have work, each with its room. */
static int thread_count(const fit_candidates *c, int64_t parts)
{
    const fit_problem *p = c->problem;
    const double operations = (double)parts * (double)p->n * (double)p->columns * 3e4;
    const int threads = fathom_threads_worth(operations, fathom_context_threads(p->context));
    return threads < parts ? threads : (int)parts;
}

/* A dealt part's networks, then its outputs on the rows left out, point by point; of the path on all rows also how far
 * it came. */
typedef struct dealt {
    fit_candidates *c;
    int64_t first;
} dealt;

/* Copies all that between a part's own places and bytes; returns how many. NULL: only counts. */
static int64_t move_part(char *bytes, const dealt *d, int64_t task, bool put)
{
    const fit_problem *p = d->c->problem;
    const int64_t part = d->first + task, networks = d->c->points * d->c->size;
    const int32_t *fold = part < 0 ? NULL : p->fold + part / p->folds * p->n;
    const size_t row = (size_t)p->outputs * sizeof(float);
    float *network = d->c->network + (part + 1) * networks;
    int64_t at = networks * (int64_t)sizeof(float);
    if (bytes)
        memcpy(put ? (void *)bytes : network, put ? (void *)network : bytes, (size_t)at);
    for (int64_t k = 0; k < d->c->points && fold; k++)
        for (int64_t i = 0; i < p->n; i++) {
            float *f = d->c->output + ((part / p->folds * d->c->points + k) * p->n + i) * p->outputs;
            if (fold[i] != part % p->folds)
                continue;
            if (bytes)
                memcpy(put ? (void *)(bytes + at) : f, put ? (void *)f : bytes + at, row);
            at += (int64_t)row;
        }
    if (bytes && !fold)
        memcpy(put ? (void *)(bytes + at) : &d->c->reached, put ? (void *)&d->c->reached : bytes + at,
               sizeof d->c->reached);
    return at + (fold ? 0 : (int64_t)sizeof d->c->reached);
}

static int64_t part_size(void *user, int64_t task) { return move_part(NULL, user, task, true); }

static void part_put(void *bytes, void *user, int64_t task) { move_part(bytes, user, task, true); }

static fathom_status part_take(void *user, int64_t task, const void *bytes, int64_t size)
{
    (void)size;
    move_part((char *)(uintptr_t)bytes, user, task, false);
    return FATHOM_OK;
}

/* One part on the calling thread, unless a limit has come; part -1 always gives something. */
static void run_one(fit_candidates *c, workspace *w, int64_t part, const char *stage)
{
    fathom_context *context = c->problem->context;
#ifdef _OPENMP
    const int thread = omp_get_thread_num();
#else
    const int thread = 0;
#endif
    part_listener listener = {c->problem, stage, part, 0, thread == 0};
    if (c->ran[part + 1])
        return;
    if ((part < 0 && c->number == 0) || fathom_context_stop_reason(context) == FATHOM_STOP_NONE)
        run_part(c, part, w + thread, &listener);
}

static fathom_status deal_parts(fit_candidates *c, workspace *w, int threads, int64_t first, int64_t last,
                                const char *stage)
{
    fathom_status status = FATHOM_OK;
    dealt d = {c, first};
    const fathom_task_results results = {part_size, part_put, part_take, &d};
    fathom_tasks tasks = fathom_tasks_deal(c->problem->context, last - first);
    while (fathom_tasks_next(&tasks)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
        for (int64_t part = first; part < last; part++) {
            if (!fathom_tasks_mine(&tasks, part - first))
                continue;
            run_one(c, w, part, stage);
#pragma omp critical(fathom_fit_state)
            FATHOM_THEN(status, fit_state_write(c, false));
        }
        status = fathom_tasks_share(&tasks, status, &results);
    }
    return status;
}

fathom_status fit_run_parts(fit_candidates *c, int64_t first, int64_t last, const char *stage)
{
    fathom_context *context = c->problem->context;
    const int threads = thread_count(c, last - first);
    fathom_status status = FATHOM_OK;
    workspace *w = fathom_memory_zero(context, threads, sizeof *w);
    for (int t = 0; w && t < threads && status == FATHOM_OK; t++)
        status = workspace_open(w + t, c);
    if (w && status == FATHOM_OK) {
        status = deal_parts(c, w, threads, first, last, stage);
        fathom_context_poll(context, stage, last, NAN, NAN);
        FATHOM_THEN(status, fit_state_write(c, true));
    }
    for (int t = 0; w && t < threads; t++)
        workspace_close(w + t, context);
    fathom_memory_free(context, w);
    return w ? status : FATHOM_ERROR_MEMORY;
}
