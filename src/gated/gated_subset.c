/* SPDX-License-Identifier: Apache-2.0 */
/* The gated program on some of the rows: points, targets, weights and gate bits copied, beta in proportion. */
#include "gated_subset.h"

#include <string.h>

#include "memory.h"

void fathom_gated_subset_clear(fathom_gated_subset *s, fathom_context *context)
{
    void *blocks[] = {s->row, s->x, s->reach, s->y, s->weight, s->bits};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
}

/* The chosen rows of x, y, reach and weight; the new total weight over the old one is returned. */
static double copy_rows(fathom_gated_subset *s, const fathom_gated_problem *p, int64_t count)
{
    double kept = 0, all = 0;
    for (int64_t i = 0; i < p->n; i++)
        all += fathom_gated_weight(p, i);
    for (int64_t a = 0; a < count; a++) {
        const int64_t i = s->row[a];
        memcpy(s->x + a * p->d, p->x + i * p->d, (size_t)p->d * sizeof(double));
        s->reach[a] = p->reach[i];
        s->weight[a] = fathom_gated_weight(p, i);
        kept += s->weight[a];
        for (int64_t k = 0; k < p->outputs; k++)
            s->y[k * count + a] = p->y[k * p->n + i];
    }
    return kept / all;
}

static void copy_bits(fathom_gated_subset *s, const fathom_gated_problem *p, int64_t count, int64_t words,
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

fathom_status fathom_gated_subset_create(fathom_gated_subset *s, const fathom_gated_problem *p,
                                         const int64_t *row, int64_t count)
{
    fathom_context *context = p->context;
    const int64_t words = (count + 63) / 64;
    *s = (fathom_gated_subset){.problem = *p};
    s->row = fathom_memory_alloc(context, count, sizeof(int64_t));
    s->x = fathom_memory_alloc(context, count * p->d, sizeof(double));
    s->reach = fathom_memory_alloc(context, count, sizeof(double));
    s->weight = fathom_memory_alloc(context, count, sizeof(double));
    s->y = fathom_memory_alloc(context, count * p->outputs, sizeof(double));
    s->bits = fathom_memory_alloc(context, p->m * words, sizeof(uint64_t));
    if (!s->row || !s->x || !s->reach || !s->weight || !s->y || !s->bits) {
        fathom_gated_subset_clear(s, context);
        return FATHOM_ERROR_MEMORY;
    }
    memcpy(s->row, row, (size_t)count * sizeof *row);
    s->problem.beta = p->beta * copy_rows(s, p, count);
    copy_bits(s, p, count, words, fathom_context_threads(context));
    s->problem.n = count;
    s->problem.words = words;
    s->problem.x = s->x;
    s->problem.reach = s->reach;
    s->problem.y = s->y;
    s->problem.weight = p->weight ? s->weight : NULL;
    s->problem.bits = s->bits;
    s->problem.tree = NULL;
    return FATHOM_OK;
}
