/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What columns of sparse rows are worth on rows left out.
 *
 * As of dense rows (fit_explain.c): the values of one column are permuted among the rows of a fold, before the network that was
 * trained without it. With h = U x known, a permutation touches only the rows that have an entry of the column or receive one,
 *
 *     growth = 1/n sum over those of l(f(h_i + (x'_il - x_il) u_l)) - l(f(h_i)),
 *
 * so that a column costs as much as its entries. MOST columns are looked at, those of the largest sum_i |x_il||u_l|; the worth
 * of a column that is in no row of any fold is not known, and it is none of them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "fit_internal.h"
#include "float_rows.h"
#include "memory.h"
#include "random.h"

enum { ROWS = 2000, MOST = 1000 }; /* of a fold; columns */

/* A column, and what it could matter. */
typedef struct weighed {
    int64_t column;
    double size, sum, square; /* sum_i |x_il||u_l|; of the growths over folds */
} weighed;

/* Rows of one fold. */
typedef struct sparse_view {
    const fit_candidates *c;
    fathom_local_problem local;
    const float *network;
    int64_t count, *row, *order;
    int64_t inner, gates; /* of h: width, gates by outputs; gates */
    float *h, *s;         /* count x inner, count x gates: U x and <g_j, x> */
    float *gate;          /* columns x gates */
    float *moved, *shut;  /* one row of each */
    float *value, *f;     /* count: of the column that is looked at; outputs */
    double *loss;         /* count */
} sparse_view;

/* Entry of row i in a column: entries of a row lie in ascending columns. */
static float entry(const fit_problem *p, int64_t i, int64_t column)
{
    int64_t low = p->sparse.row_start[i], high = p->sparse.row_start[i + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (p->sparse.column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->sparse.row_start[i + 1] && p->sparse.column[low] == column ? p->sparse.value[low] : 0;
}

/* Loss of row a for preactivations h, and s of gates. */
static double loss_at(const sparse_view *v, const float *h, const float *s, int64_t a)
{
    const fit_candidates *c = v->c;
    const int64_t width = c->width;
    const float *outer = fathom_local_outer(&v->local, v->network),
                *constant = fathom_local_constant(&v->local, v->network);
    for (int64_t k = 0; k < c->problem->outputs; k++) {
        float f = constant[k];
        for (int64_t j = 0; j < width && c->gated; j++)
            f += s[j] > 0 ? outer[j] * h[k * width + j] : 0;
        for (int64_t j = 0; j < width && !c->gated; j++)
            f += h[j] > 0 ? h[j] * outer[k * width + j] : 0;
        v->f[k] = f;
    }
    return fit_row_loss(c->problem, v->f, v->row[a]);
}

/* U x, <g_j, x> and losses of the rows of a fold. */
static void look(sparse_view *v, int64_t part)
{
    const fit_problem *p = v->c->problem;
    const int64_t columns = fit_columns(v->c);
    v->count = 0;
    v->network = fit_network(v->c, part, v->c->chosen);
    for (int64_t i = 0; i < p->n && v->count < ROWS; i++)
        if (p->fold[part / p->folds * p->n + i] == part % p->folds)
            v->row[v->count++] = i;
    memset(v->h, 0, (size_t)(v->count * v->inner) * sizeof *v->h);
    memset(v->s, 0, (size_t)(v->count * v->gates) * sizeof *v->s);
    for (int64_t a = 0; a < v->count; a++) {
        float *h = v->h + a * v->inner, *s = v->s + a * v->gates;
        for (int64_t e = p->sparse.row_start[v->row[a]]; e < p->sparse.row_start[v->row[a] + 1]; e++) {
            const int64_t l = p->sparse.column[e];
            if (l >= columns) /* the free bias of gates, which is none */
                continue;
            fathom_float_axpy(h, p->sparse.value[e], v->network + l * v->inner, v->inner);
            fathom_float_axpy(s, p->sparse.value[e], v->gate + l * v->gates, v->gates);
        }
        v->loss[a] = loss_at(v, h, s, a);
    }
}

/* How much the mean loss grows when the values of a column are permuted. */
static double growth_of(sparse_view *v, int64_t column, uint32_t draw)
{
    const fit_problem *p = v->c->problem;
    double growth = 0;
    fathom_random_permutation(v->order, v->count, fathom_context_seed(p->context), FATHOM_STREAM_SAMPLE,
                              draw);
    for (int64_t a = 0; a < v->count; a++)
        v->value[a] = entry(p, v->row[a], column);
    for (int64_t a = 0; a < v->count; a++) {
        const float change = v->value[v->order[a]] - v->value[a];
        if (change == 0)
            continue;
        memcpy(v->moved, v->h + a * v->inner, (size_t)v->inner * sizeof *v->moved);
        memcpy(v->shut, v->s + a * v->gates, (size_t)v->gates * sizeof *v->shut);
        fathom_float_axpy(v->moved, change, v->network + column * v->inner, v->inner);
        fathom_float_axpy(v->shut, change, v->gate + column * v->gates, v->gates);
        growth += loss_at(v, v->moved, v->shut, a) - v->loss[a];
    }
    return growth / (double)v->count;
}

static int by_size(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size)
                              : (x->column > y->column) - (x->column < y->column);
}

static int by_value(const void *a, const void *b)
{
    const double x = ((const fathom_fit_column *)a)->value, y = ((const fathom_fit_column *)b)->value;
    return (x < y) - (x > y);
}

/* The columns that could matter most, by the network on all rows; returns how many. */
static int64_t select_columns(weighed *item, const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const float *network = fit_network(c, -1, c->chosen);
    const int64_t inner = c->width * (c->gated ? p->outputs : 1);
    int64_t count = 0;
    for (int64_t l = 0; l < p->moving; l++) {
        const float *u = network + l * inner;
        item[l] = (weighed){.column = l, .size = sqrt(fathom_float_dot(u, u, inner))};
        item[l].sum = 0;
    }
    for (int64_t e = 0; e < p->sparse.row_start[p->n]; e++)
        if (p->sparse.column[e] < p->moving)
            item[p->sparse.column[e]].sum += fabs((double)p->sparse.value[e]);
    for (int64_t l = 0; l < p->moving; l++) {
        item[l].size *= item[l].sum;
        item[l].sum = 0;
    }
    qsort(item, (size_t)p->moving, sizeof *item, by_size);
    while (count < p->moving && count < MOST && item[count].size > 0)
        count++;
    return count;
}

static fathom_status open_view(sparse_view *v, const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const int64_t rows = p->n < ROWS ? p->n : ROWS, columns = fit_columns(c);
    *v = (sparse_view){.c = c,
                       .local = fit_local_problem(c),
                       .inner = c->width * (c->gated ? p->outputs : 1),
                       .gates = c->gated ? c->width : 0};
    v->row = fathom_memory_alloc(p->context, 2 * rows, sizeof *v->row);
    v->loss = fathom_memory_alloc(p->context, rows, sizeof *v->loss);
    v->h = fathom_memory_zero(p->context,
                              (rows + 1) * (v->inner + v->gates) + columns * v->gates + rows + p->outputs,
                              sizeof *v->h);
    if (!v->row || !v->loss || !v->h)
        return FATHOM_ERROR_MEMORY;
    v->order = v->row + rows;
    v->s = v->h + rows * v->inner;
    v->gate = v->s + rows * v->gates;
    v->moved = v->gate + columns * v->gates;
    v->shut = v->moved + v->inner;
    v->value = v->shut + v->gates;
    v->f = v->value + rows;
    for (int64_t j = 0; v->gates > 0 && j < fathom_gates_look(c->gates).m; j++)
        for (int64_t l = 0; l < columns; l++)
            v->gate[l * v->gates + j] = (float)fathom_gates_look(c->gates).orientation[j * columns + l];
    return FATHOM_OK;
}

/* Mean and error over folds, by name, the most important first. */
static fathom_status tell(fathom_fit_result *result, const fit_problem *p, const weighed *item, int64_t count)
{
    const fathom_preprocess preprocess = fathom_data_preprocess(p->data);
    const double folds = (double)p->folds;
    char number[32];
    result->column = fathom_memory_zero(p->context, count, sizeof *result->column);
    if (!result->column)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        fathom_fit_column *one = result->column + result->columns;
        const double mean = item[k].sum / folds;
        snprintf(number, sizeof number, "%lld", (long long)item[k].column);
        one->name =
            fathom_memory_text(p->context, preprocess.name ? preprocess.name[item[k].column] : number);
        if (!one->name)
            return FATHOM_ERROR_MEMORY;
        one->value = mean;
        one->se = sqrt(fmax(0, item[k].square / folds - mean * mean) / (folds - 1));
        result->columns++;
    }
    qsort(result->column, (size_t)result->columns, sizeof *result->column, by_value);
    return FATHOM_OK;
}

fathom_status fit_weigh_sparse(fathom_fit_result *result, const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    sparse_view v;
    bool cut = false;
    int64_t count = 0;
    fathom_status status = open_view(&v, c);
    weighed *item = fathom_memory_alloc(p->context, p->moving, sizeof *item);
    if (status == FATHOM_OK && !item)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK)
        count = select_columns(item, c);
    for (int64_t a = 0; a < p->folds && status == FATHOM_OK && !cut; a++) {
        look(&v, a);
        for (int64_t k = 0; k < count && !cut; k++) {
            const double growth = growth_of(&v, item[k].column, (uint32_t)(a * p->moving + item[k].column));
            item[k].sum += growth;
            item[k].square += growth * growth;
            cut = fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE;
        }
        cut = fathom_context_poll(p->context, "columns", a + 1, NAN, NAN) != FATHOM_STOP_NONE || cut;
    }
    if (status == FATHOM_OK && !cut)
        status = tell(result, p, item, count);
    FATHOM_FREE(p->context, item, v.row, v.loss, v.h);
    return status;
}
