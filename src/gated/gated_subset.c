/* SPDX-License-Identifier: Apache-2.0 */
/* The gated program on some of the rows: points, targets, weights and gate bits copied, beta in proportion. */
#include "gated_subset.h"

#include <string.h>

#include "context_internal.h"
#include "memory.h"

void fathom_gated_rows_clear(fathom_gated_rows *r, fathom_context *context)
{
    FATHOM_FREE(context, r->row_start, r->column_start, r->column, r->row, r->value, r->by_column);
    *r = (fathom_gated_rows){0};
}

/* The columns of the rows that are there. */
static fathom_status make_columns(fathom_gated_rows *r, fathom_context *context)
{
    const fathom_csr *rows = &r->points.row;
    const int64_t entries = rows->row_start[rows->n];
    r->column_start = fathom_memory_alloc(context, rows->d + 1, sizeof *r->column_start);
    r->row = fathom_memory_alloc(context, entries, sizeof *r->row);
    r->by_column = fathom_memory_alloc(context, entries, sizeof *r->by_column);
    if (!r->column_start || !r->row || !r->by_column) {
        fathom_gated_rows_clear(r, context);
        return FATHOM_ERROR_MEMORY;
    }
    fathom_csr_transpose(r->column_start, r->row, r->by_column, *rows);
    r->points.column = (fathom_csr){rows->d, rows->n, r->column_start, r->row, r->by_column};
    return FATHOM_OK;
}

fathom_status fathom_gated_rows_open(fathom_gated_rows *r, fathom_context *context, fathom_csr from)
{
    *r = (fathom_gated_rows){.points = {.row = from}};
    return make_columns(r, context);
}

fathom_status fathom_gated_rows_copy(fathom_gated_rows *r, fathom_context *context, fathom_csr from,
                                     const int64_t *row, int64_t count)
{
    int64_t entries = 0;
    *r = (fathom_gated_rows){0};
    for (int64_t a = 0; a < count; a++)
        entries += from.row_start[row[a] + 1] - from.row_start[row[a]];
    r->row_start = fathom_memory_alloc(context, count + 1, sizeof *r->row_start);
    r->column = fathom_memory_alloc(context, entries, sizeof *r->column);
    r->value = fathom_memory_alloc(context, entries, sizeof *r->value);
    if (!r->row_start || !r->column || !r->value) {
        fathom_gated_rows_clear(r, context);
        return FATHOM_ERROR_MEMORY;
    }
    r->row_start[0] = 0;
    for (int64_t a = 0; a < count; a++) {
        const int64_t start = from.row_start[row[a]], length = from.row_start[row[a] + 1] - start;
        memcpy(r->column + r->row_start[a], from.column + start, (size_t)length * sizeof *r->column);
        memcpy(r->value + r->row_start[a], from.value + start, (size_t)length * sizeof *r->value);
        r->row_start[a + 1] = r->row_start[a] + length;
    }
    r->points.row = (fathom_csr){count, from.d, r->row_start, r->column, r->value};
    return make_columns(r, context);
}

void fathom_gated_subset_clear(fathom_gated_subset *s, fathom_context *context)
{
    void *blocks[] = {s->row, s->x, s->reach, s->y, s->weight, s->bits};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
    fathom_gated_rows_clear(&s->own, context);
}

/* The chosen rows of x, y, reach and weight; the new total weight over the old one is returned. */
static double copy_rows(fathom_gated_subset *s, const fathom_objective *p, int64_t count)
{
    double kept = 0, all = 0;
    for (int64_t i = 0; i < p->n; i++)
        all += fathom_objective_weight(p, i);
    for (int64_t a = 0; a < count; a++) {
        const int64_t i = s->row[a];
        fathom_context_passed_row(p->context, a);
        if (!p->sparse)
            memcpy(s->x + a * p->d, p->x + i * p->d, (size_t)p->d * sizeof(double));
        s->reach[a] = p->reach[i];
        s->weight[a] = fathom_objective_weight(p, i);
        kept += s->weight[a];
        for (int64_t k = 0; k < p->outputs; k++)
            s->y[k * count + a] = p->y[k * p->n + i];
    }
    return kept / all;
}

static void copy_bits(fathom_gated_subset *s, const fathom_objective *p, int64_t count, int64_t words,
                      int threads)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t j = 0; j < p->m; j++) {
        const uint64_t *from = p->bits + j * p->words;
        uint64_t *to = s->bits + j * words;
        memset(to, 0, (size_t)words * sizeof *to);
        for (int64_t a = 0; a < count; a++)
            to[a / 64] |= ((from[s->row[a] / 64] >> (s->row[a] % 64)) & 1) << (a % 64);
    }
}

fathom_status fathom_gated_subset_create(fathom_gated_subset *s, const fathom_objective *p,
                                         const int64_t *row, int64_t count)
{
    fathom_context *context = p->context;
    const int64_t words = (count + 63) / 64;
    *s = (fathom_gated_subset){.problem = *p};
    s->row = fathom_memory_alloc(context, count, sizeof(int64_t));
    s->x = fathom_memory_alloc(context, p->sparse ? 0 : count * p->d, sizeof(double));
    s->reach = fathom_memory_alloc(context, count, sizeof(double));
    s->weight = fathom_memory_alloc(context, count, sizeof(double));
    s->y = fathom_memory_alloc(context, count * p->outputs, sizeof(double));
    s->bits = fathom_memory_alloc(context, p->m * words, sizeof(uint64_t));
    fathom_status status =
        s->row && s->x && s->reach && s->weight && s->y && s->bits ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && p->sparse)
        status = fathom_gated_rows_copy(&s->own, context, p->sparse->row, row, count);
    if (status != FATHOM_OK) {
        fathom_gated_subset_clear(s, context);
        return status;
    }
    memcpy(s->row, row, (size_t)count * sizeof *row);
    s->problem.beta = p->beta * copy_rows(s, p, count);
    copy_bits(s, p, count, words, fathom_context_threads(context));
    s->problem.n = count;
    s->problem.words = words;
    s->problem.x = p->sparse ? NULL : s->x;
    s->problem.sparse = p->sparse ? &s->own.points : NULL;
    s->problem.reach = s->reach;
    s->problem.y = s->y;
    s->problem.weight = p->weight ? s->weight : NULL;
    s->problem.bits = s->bits;
    s->problem.tree = NULL;
    return FATHOM_OK;
}
