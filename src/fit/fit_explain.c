/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the chosen networks say on rows left out: confusion of classes, calibration, and what columns are
 * worth.
 *
 * The worth of a column is how much the mean loss on the rows of a fold grows when its values are permuted
 * among them, by the network trained without the fold; the columns that one column of the table became
 * move together. With h = U x known, a permuted column l changes it by (x'_l - x_l) u_l alone: all columns
 * cost about as much as one pass over the network.
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

enum { ROWS = 2000 }; /* of a fold that columns are permuted on, at most */

/* Columns of the data by columns of the table. */
typedef struct groups {
    int64_t count;
    int64_t *of; /* moving: group of each */
    char **name; /* count */
} groups;

/* The part of a name before "=", where texts became columns. */
static size_t stem(const char *name, bool one_hot)
{
    const char *equals = one_hot ? strchr(name, '=') : NULL;
    return equals ? (size_t)(equals - name) : strlen(name);
}

static char *copy_name(fathom_context *context, const fathom_preprocess *preprocess, int64_t l)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)l);
    char *name = fathom_memory_text(context, preprocess->name ? preprocess->name[l] : number);
    if (name && preprocess->name)
        name[stem(name, preprocess->one_hot)] = 0;
    return name;
}

static void close_groups(groups *g, fathom_context *context)
{
    for (int64_t k = 0; g->name && k < g->count; k++)
        fathom_memory_free(context, g->name[k]);
    FATHOM_FREE(context, g->name, g->of);
}

/* What a column of the table became belongs together. */
static fathom_status group_by_schema(groups *g, const fit_problem *p, const fathom_schema *schema)
{
    int64_t l = 0;
    for (int64_t k = 0; k < schema->columns; k++) {
        const fathom_column *column = schema->column + k;
        for (int64_t t = 0; t < column->width && l < p->moving; t++)
            g->of[l++] = g->count;
        if (column->width > 0 && g->count < p->moving)
            g->name[g->count] = fathom_memory_text(p->context, column->name);
        if (column->width > 0 && !g->name[g->count++])
            return FATHOM_ERROR_MEMORY;
    }
    return FATHOM_OK;
}

/* By the schema; without one neighbours of one stem belong together. */
static fathom_status open_groups(groups *g, const fit_problem *p)
{
    const fathom_preprocess preprocess = fathom_data_preprocess(p->data);
    *g = (groups){.of = fathom_memory_alloc(p->context, p->moving, sizeof *g->of),
                  .name = fathom_memory_zero(p->context, p->moving, sizeof *g->name)};
    if (!g->of || !g->name)
        return FATHOM_ERROR_MEMORY;
    if (preprocess.schema)
        return group_by_schema(g, p, preprocess.schema);
    for (int64_t l = 0; l < p->moving; l++) {
        char *name = copy_name(p->context, &preprocess, l);
        if (!name)
            return FATHOM_ERROR_MEMORY;
        const bool same = preprocess.one_hot && preprocess.name && g->count > 0 &&
                          strcmp(name, g->name[g->count - 1]) == 0 && strchr(preprocess.name[l], '=');
        if (same)
            fathom_memory_free(p->context, name);
        else
            g->name[g->count++] = name;
        g->of[l] = g->count - 1;
    }
    return FATHOM_OK;
}

/* Rows of one fold before the network that was trained without it. */
typedef struct fold_view {
    const fit_candidates *c;
    fathom_local_problem local;
    const float *network;
    int64_t count, *row, *order;
    int64_t inner, columns; /* of h: width, gates by outputs; of x */
    float *x, *h, *moved;   /* count x columns, count x inner twice */
    float *gate, *s, *shut; /* gated: orientations, columns x width; <g_j, x>, count x width twice */
    float *f;               /* outputs */
} fold_view;

/* h = U x for all rows, x as the network of all rows sees it. */
static void look(fold_view *v, int64_t part)
{
    const fit_problem *p = v->c->problem;
    v->count = 0;
    for (int64_t i = 0; i < p->n && v->count < ROWS; i++)
        if (p->fold[part / p->folds * p->n + i] == part % p->folds)
            v->row[v->count++] = i;
    fit_rows(v->x, v->c, v->row, v->count);
    fathom_float_multiply(v->h, v->x, v->network, v->count, v->columns, v->inner);
    if (v->c->gated)
        fathom_float_multiply(v->s, v->x, v->gate, v->count, v->columns, v->c->width);
}

/* Output k of a row from preactivations h, and s of gates. */
static float output(const fold_view *v, const float *h, const float *s, int64_t k)
{
    const int64_t width = v->c->width;
    const float *outer = fathom_local_outer(&v->local, v->network);
    float f = fathom_local_constant(&v->local, v->network)[k];
    for (int64_t j = 0; j < width && v->c->gated; j++)
        f += s[j] > 0 ? outer[j] * h[k * width + j] : 0;
    for (int64_t j = 0; j < width && !v->c->gated; j++)
        f += h[j] > 0 ? h[j] * outer[k * width + j] : 0;
    return f;
}

/* Mean loss for preactivations h and s. */
static double mean_loss(fold_view *v, const float *h, const float *s)
{
    const fit_problem *p = v->c->problem;
    double sum = 0;
    for (int64_t a = 0; a < v->count; a++) {
        for (int64_t k = 0; k < p->outputs; k++)
            v->f[k] = output(v, h + a * v->inner, s + (v->c->gated ? a * v->c->width : 0), k);
        sum += fit_row_loss(p, v->f, v->row[a]);
    }
    return sum / (double)v->count;
}

/* h with the columns of a group permuted. */
static void move_group(fold_view *v, const groups *g, int64_t group)
{
    const fit_problem *p = v->c->problem;
    const int64_t width = v->c->width, inner = v->inner;
    memcpy(v->moved, v->h, (size_t)(v->count * inner) * sizeof *v->moved);
    if (v->c->gated)
        memcpy(v->shut, v->s, (size_t)(v->count * width) * sizeof *v->shut);
    for (int64_t l = 0; l < p->moving; l++)
        for (int64_t a = 0; a < v->count && g->of[l] == group; a++) {
            const float change = v->x[v->order[a] * v->columns + l] - v->x[a * v->columns + l];
            fathom_float_axpy(v->moved + a * inner, change, v->network + l * inner, inner);
            if (v->c->gated)
                fathom_float_axpy(v->shut + a * width, change, v->gate + l * width, width);
        }
}

static fathom_status open_view(fold_view *v, const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const int64_t rows = p->n < ROWS ? p->n : ROWS;
    *v = (fold_view){.c = c,
                     .local = fit_local_problem(c),
                     .columns = fit_columns(c),
                     .inner = c->width * (c->gated ? p->outputs : 1)};
    const int64_t gates = c->gated ? c->width : 0;
    v->row = fathom_memory_alloc(p->context, 2 * rows, sizeof *v->row);
    v->x = fathom_memory_zero(p->context, rows * p->columns + FATHOM_FLOAT_ROOM, sizeof *v->x);
    v->h = fathom_memory_zero(
        p->context, 2 * rows * (v->inner + gates) + v->columns * gates + p->outputs + FATHOM_FLOAT_ROOM,
        sizeof *v->h);
    if (!v->row || !v->x || !v->h)
        return FATHOM_ERROR_MEMORY;
    v->order = v->row + rows;
    v->moved = v->h + rows * v->inner;
    v->s = v->moved + rows * v->inner;
    v->shut = v->s + rows * gates;
    v->gate = v->shut + rows * gates;
    v->f = v->gate + v->columns * gates;
    for (int64_t j = 0; gates > 0 && j < fathom_gates_look(c->gates).m; j++)
        for (int64_t l = 0; l < v->columns; l++)
            v->gate[l * gates + j] = (float)fathom_gates_look(c->gates).orientation[j * v->columns + l];
    return FATHOM_OK;
}

static void close_view(fold_view *v, fathom_context *context) { FATHOM_FREE(context, v->row, v->x, v->h); }

static int by_value(const void *a, const void *b)
{
    const double x = ((const fathom_fit_column *)a)->value, y = ((const fathom_fit_column *)b)->value;
    return (x < y) - (x > y);
}

/* Growth of the loss by group, mean and error over the folds of the first repeat. */
static fathom_status weigh_columns(fathom_fit_result *result, const fit_candidates *c, groups *g)
{
    const fit_problem *p = c->problem;
    fold_view v;
    fathom_status status = open_view(&v, c);
    result->column = fathom_memory_zero(p->context, g->count, sizeof *result->column);
    if (status == FATHOM_OK && !result->column)
        status = FATHOM_ERROR_MEMORY;
    for (int64_t a = 0; a < p->folds && status == FATHOM_OK; a++) {
        v.network = fit_network(c, a, c->chosen);
        look(&v, a);
        const double base = mean_loss(&v, v.h, v.s);
        for (int64_t k = 0; k < g->count && fathom_context_stop_reason(p->context) == FATHOM_STOP_NONE; k++) {
            fathom_random_permutation(v.order, v.count, fathom_context_seed(p->context), FATHOM_STREAM_SAMPLE,
                                      (uint32_t)(a * g->count + k));
            move_group(&v, g, k);
            const double growth = mean_loss(&v, v.moved, v.shut) - base;
            result->column[k].value += growth;
            result->column[k].se += growth * growth;
        }
        if (fathom_context_poll(p->context, "columns", a + 1, NAN, NAN) != FATHOM_STOP_NONE) {
            close_view(&v, p->context);
            fathom_memory_free(p->context, result->column);
            result->column = NULL;
            return FATHOM_OK;
        }
    }
    const double folds = (double)p->folds;
    for (int64_t k = 0; k < g->count && status == FATHOM_OK; k++) {
        fathom_fit_column *one = result->column + k;
        one->value /= folds;
        one->se = sqrt(fmax(0, one->se / folds - one->value * one->value) / (folds - 1));
        one->name = g->name[k];
        g->name[k] = NULL;
    }
    result->columns = status == FATHOM_OK ? g->count : 0;
    if (result->columns > 0)
        qsort(result->column, (size_t)result->columns, sizeof *result->column, by_value);
    close_view(&v, p->context);
    return status;
}

/* Classes as predicted on rows left out, and how often what was predicted with probability q came true. */
static fathom_status tabulate(fathom_fit_result *result, const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const float *f = fit_outputs(c, 0, c->chosen);
    if (p->classes == 0)
        return FATHOM_OK;
    result->confusion = fathom_memory_zero(p->context, p->classes * p->classes, sizeof *result->confusion);
    if (!result->confusion)
        return FATHOM_ERROR_MEMORY;
    result->bins = FATHOM_FIT_BINS;
    for (int64_t i = 0; i < p->n; i++) {
        const float *row = f + i * p->outputs;
        const int64_t said = fit_class(p, row), right = (int64_t)p->target[i];
        const double q = fit_probability(p, row, said);
        fathom_fit_bin *bin = result->bin + (int)fmin(FATHOM_FIT_BINS - 1, floor(q * FATHOM_FIT_BINS));
        result->confusion[right * p->classes + said]++;
        bin->predicted += q;
        bin->observed += p->task == FATHOM_FIT_BINARY ? right == 1 : said == right;
        bin->count++;
    }
    for (int64_t k = 0; k < result->bins; k++)
        if (result->bin[k].count > 0) {
            result->bin[k].predicted /= (double)result->bin[k].count;
            result->bin[k].observed /= (double)result->bin[k].count;
        }
    return FATHOM_OK;
}

fathom_status fit_explain(fathom_fit_result *result, const fit_candidates *c)
{
    groups g;
    FATHOM_TRY(tabulate(result, c));
    FATHOM_TRY(fit_curve(result, c));
    if (fit_is_sparse(c->problem)) /* columns by the ten thousand, each in few rows */
        return fit_weigh_sparse(result, c);
    fathom_status status = open_groups(&g, c->problem);
    FATHOM_THEN(status, weigh_columns(result, c, &g));
    close_groups(&g, c->problem->context);
    return status;
}
