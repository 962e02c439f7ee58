/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates for a margin: empty ones dropped, equal ones merged.
 *
 * A gate that is open nowhere adds nothing to either side of the program, and gates with equal patterns can share
 * one w_j without loss, with the sum of their weights [000, Lemma 3.3]: exact, and often a large saving.
 */
#include <float.h>
#include <string.h>

#include "margin_internal.h"
#include "memory.h"
#include "patterns.h"

static const double UNIT = DBL_EPSILON / 2 * (1 + 0x1p-20); /* unit roundoff, with room for its own sums */

static bool is_empty(const uint64_t *pattern, int64_t words)
{
    uint64_t any = 0;
    for (int64_t k = 0; k < words; k++)
        any |= pattern[k];
    return any == 0;
}

/* Appends gate j of the view, or adds its weight to that of an equal gate. */
static fathom_status take_one(fathom_margin_gates *gates, fathom_pattern_index *index,
                              const fathom_gates_view *view, int64_t j)
{
    const int64_t words = view->words, d = view->d;
    const uint64_t *pattern = view->bits + j * words;
    const double weight = view->weight ? view->weight[j] : 1 / (double)view->m;
    if (!(weight > 0) || is_empty(pattern, words))
        return FATHOM_OK;
    const int64_t known = fathom_pattern_index_find(index, gates->bits, pattern);
    gates->doubt += UNIT * weight;
    if (known >= 0) {
        gates->rho[known] += weight;
        gates->doubt += UNIT * gates->rho[known];
        return FATHOM_OK;
    }
    memcpy(gates->bits + gates->m * words, pattern, (size_t)words * sizeof *pattern);
    if (gates->orientation)
        memcpy(gates->orientation + gates->m * d, view->orientation + j * d, (size_t)d * sizeof(double));
    gates->rho[gates->m++] = weight;
    return fathom_pattern_index_add(index, gates->bits);
}

fathom_status fathom_margin_gates_take(fathom_margin_gates *gates, fathom_context *context,
                                       const fathom_gates_view *view)
{
    fathom_pattern_index index = {0};
    *gates = (fathom_margin_gates){.words = view->words, .d = view->d};
    gates->bits = fathom_memory_alloc(context, view->m * view->words, sizeof *gates->bits);
    gates->rho = fathom_memory_alloc(context, view->m, sizeof *gates->rho);
    if (view->orientation)
        gates->orientation = fathom_memory_alloc(context, view->m * view->d, sizeof *gates->orientation);
    fathom_status status = FATHOM_ERROR_MEMORY;
    if (gates->bits && gates->rho && (gates->orientation || !view->orientation))
        status = fathom_pattern_index_init(&index, context, view->words);
    if (status == FATHOM_OK) {
        for (int64_t j = 0; j < view->m && status == FATHOM_OK; j++)
            status = take_one(gates, &index, view, j);
        fathom_pattern_index_free(&index);
    }
    if (status != FATHOM_OK)
        fathom_margin_gates_free(context, gates);
    return status;
}

void fathom_margin_gates_free(fathom_context *context, fathom_margin_gates *gates)
{
    FATHOM_FREE(context, gates->bits, gates->rho, gates->orientation);
    *gates = (fathom_margin_gates){0};
}
