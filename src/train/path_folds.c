/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path without one fold, by local descent (src/local): networks of WIDTH neurons from the smallest
 * penalty to the largest.
 *
 * Cross-validation compares penalties by losses on rows left out, which the last per mille of an objective
 * does not change; bounds are for the path on all rows. Weight decay has the minima of the path norm
 * (docs/howto/fit.md), so a point is one of the same problem. Targets that are numbers are y = m + s y' with
 * free biases (else m = 0): losses are s^2 times, penalties s times those of y'.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "float_rows.h"
#include "local.h"
#include "loss_row.h"
#include "memory.h"
#include "train_path.h"

enum { WIDTH = 32, FIRST = 50, NEXT = 15 };

/* Rows in single precision: those trained on first. */
typedef struct fold_rows {
    const fathom_train_problem *p;
    int64_t count, columns, *row;
    float *x, *y, *weight;
    double *centre; /* outputs: m */
    double unit;    /* s */
} fold_rows;

bool fathom_path_folds_apply(const fathom_path_result *full, const fathom_train_problem *p)
{
    bool columns = false;
    for (int64_t k = 0; k < full->count; k++)
        columns = columns || strcmp(full->point[k].method, "columns") == 0;
    return columns && !fathom_loss_row_of(p->loss)->kinked;
}

static void order_rows(fold_rows *r, const int64_t *fold, int64_t number)
{
    int64_t last = r->p->n;
    for (int64_t i = 0; i < r->p->n; i++)
        if (fold[i] != number)
            r->row[r->count++] = i;
    for (int64_t i = 0; i < r->p->n; i++)
        if (fold[i] == number)
            r->row[--last] = i;
}

/* m and s of the rows trained on. */
static void measure_targets(fold_rows *r)
{
    const fathom_train_problem *p = r->p;
    double square = 0;
    r->unit = 1;
    memset(r->centre, 0, (size_t)p->outputs * sizeof *r->centre);
    if (!fathom_loss_row_of(p->loss)->numbers)
        return;
    for (int64_t k = 0; k < p->outputs; k++) {
        double sum = 0;
        for (int64_t a = 0; a < r->count; a++)
            sum += p->y[k * p->n + r->row[a]];
        r->centre[k] = p->constant ? sum / (double)r->count : 0;
        for (int64_t a = 0; a < r->count; a++) {
            const double left = p->y[k * p->n + r->row[a]] - r->centre[k];
            square += left * left / (double)(r->count * p->outputs);
        }
    }
    r->unit = square > 0 ? sqrt(square) : 1;
}

static void fill_rows(fold_rows *r)
{
    const fathom_train_problem *p = r->p;
    for (int64_t a = 0; a < p->n; a++) {
        const int64_t i = r->row[a];
        for (int64_t l = 0; l < p->d; l++)
            r->x[a * r->columns + l] = (float)p->x[i * p->d + l];
        if (p->constant)
            r->x[a * r->columns + p->d] = 1;
        for (int64_t k = 0; k < p->outputs; k++)
            r->y[a * p->outputs + k] = (float)((p->y[k * p->n + i] - r->centre[k]) / r->unit);
        r->weight[a] = p->weight ? (float)p->weight[i] : 1;
    }
}

static fathom_status open_rows(fold_rows *r, const fathom_train_problem *p, const int64_t *fold,
                               int64_t number)
{
    *r = (fold_rows){.p = p, .columns = p->d + (p->constant ? 1 : 0)};
    r->row = fathom_memory_alloc(p->context, p->n, sizeof *r->row);
    r->x = fathom_memory_zero(p->context, p->n * r->columns + FATHOM_FLOAT_ROOM, sizeof *r->x);
    r->y = fathom_memory_alloc(p->context, p->n * (p->outputs + 1), sizeof *r->y);
    r->centre = fathom_memory_alloc(p->context, p->outputs, sizeof *r->centre);
    if (!r->row || !r->x || !r->y || !r->centre)
        return FATHOM_ERROR_MEMORY;
    r->weight = r->y + p->n * p->outputs;
    order_rows(r, fold, number);
    measure_targets(r);
    fill_rows(r);
    return FATHOM_OK;
}

static void close_rows(fold_rows *r) { FATHOM_FREE(r->p->context, r->row, r->x, r->y, r->centre); }

/* Loss on the rows left out; f is room for outputs x n, out for outputs. */
static double held_out(const fold_rows *r, const fathom_local_problem *local, const float *theta, double *f,
                       float *out, float *work)
{
    const fathom_train_problem *p = r->p;
    const fathom_objective losses = {
        .n = p->n, .outputs = p->outputs, .loss = p->loss, .box = p->box, .y = p->y, .weight = p->weight};
    double sum = 0;
    for (int64_t a = r->count; a < p->n; a++) {
        const int64_t i = r->row[a];
        fathom_local_outputs(out, local, theta, r->x + a * r->columns, 1, work);
        for (int64_t k = 0; k < p->outputs; k++)
            f[k * p->n + i] = r->centre[k] + r->unit * (double)out[k];
        sum += fathom_objective_weight(&losses, i) * fathom_objective_point_loss(&losses, f, i, 0);
    }
    return sum;
}

/* The path of the penalties (ascending) and its losses, by point of the full path: those descend. */
static fathom_status run_path(double *loss, fathom_path_result *full, const fold_rows *r, const double *beta,
                              int64_t number)
{
    const fathom_train_problem *p = r->p;
    const int64_t points = full->count;
    const fathom_local_problem local = {.n = r->count,
                                        .d = r->columns,
                                        .outputs = p->outputs,
                                        .x = r->x,
                                        .y = r->y,
                                        .weight = p->weight ? r->weight : NULL,
                                        .loss = p->loss,
                                        .width = WIDTH,
                                        .free_last = p->constant,
                                        .constant = p->constant};
    const int64_t size = fathom_local_size(&local);
    float *theta = fathom_memory_alloc(p->context, points * size + p->outputs, sizeof *theta);
    float *work = fathom_memory_zero(p->context, fathom_local_room(&local), sizeof *work);
    double *f = fathom_memory_alloc(p->context, p->outputs * p->n, sizeof *f);
    const bool enough = theta && work && f;
    if (enough) {
        const int64_t reached =
            fathom_local_path(theta, &local, p->context, beta, NULL, points, FIRST, NEXT,
                              fathom_context_seed(p->context), (uint32_t)(number + 1), work);
        for (int64_t k = 0; k < reached; k++) {
            loss[points - 1 - k] = held_out(r, &local, theta + k * size, f, theta + points * size, work);
            fathom_path_keep_outputs(full, number, points - 1 - k, f);
        }
    }
    FATHOM_FREE(p->context, theta, work, f);
    return enough ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fathom_path_fold(double *loss, fathom_path_result *full, const fathom_train_problem *p,
                               int64_t number, double share)
{
    fold_rows r;
    double *beta = fathom_memory_alloc(p->context, full->count, sizeof *beta);
    fathom_status status = beta ? open_rows(&r, p, full->fold, number) : FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < full->count && status == FATHOM_OK; k++)
        beta[full->count - 1 - k] = full->point[k].beta * p->divisor * share / r.unit;
    FATHOM_THEN(status, run_path(loss, full, &r, beta, number));
    if (beta)
        close_rows(&r);
    fathom_memory_free(p->context, beta);
    return status;
}
