/* SPDX-License-Identifier: Apache-2.0 */
/* Simple rivals on the same folds: the constant of the rows trained on, and a linear function by the same
 * descent. */
#include <math.h>

#include "context_internal.h"
#include "fit_internal.h"
#include "memory.h"

/* The best constant without the rows of one fold: logits of the class shares (one example added to each),
 * or the mean. */
static void constant_outputs(float *f, const fit_problem *p, const int32_t *fold, int64_t number)
{
    double total = 0;
    for (int64_t i = 0; i < p->n; i++)
        total += fold[i] != number ? (p->weight ? p->weight[i] : 1) : 0;
    for (int64_t k = 0; k < p->outputs; k++) {
        double sum = 0;
        for (int64_t i = 0; i < p->n; i++)
            if (fold[i] != number)
                sum += (p->weight ? p->weight[i] : 1) * (double)p->y[i * p->outputs + k];
        if (p->task == FATHOM_FIT_BINARY)
            f[k] = (float)log((total + sum + 2) / (total - sum + 2));
        else
            f[k] = (float)(p->task == FATHOM_FIT_MULTICLASS ? log((sum + 1) / total) : sum / total);
    }
}

/* The mean difference of two losses over rows of the first repeat, and its standard error. */
static fathom_fit_estimate compare_losses(const fit_problem *p, const float *worse, const float *better)
{
    double sum = 0, square = 0, total = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double weight = p->weight ? p->weight[i] : 1, one = fit_row_loss(p, worse + i * p->outputs, i) -
                                                                  fit_row_loss(p, better + i * p->outputs, i);
        sum += weight * one;
        square += weight * one * one;
        total += weight;
    }
    const double mean = sum / total;
    return (fathom_fit_estimate){mean, sqrt(fmax(0, square / total - mean * mean) / (double)p->n)};
}

static fathom_status constant_rival(fathom_fit_rival *rival, const fit_candidates *c, int64_t chosen)
{
    fit_problem *p = c->problem;
    const int64_t stride = p->n * p->outputs;
    float *output = fathom_memory_alloc(p->context, p->repeats * stride + p->outputs, sizeof *output);
    if (!output)
        return FATHOM_ERROR_MEMORY;
    float *f = output + p->repeats * stride;
    for (int64_t part = 0; part < p->parts; part++) {
        const int64_t repeat = part / p->folds, number = part % p->folds;
        const int32_t *fold = p->fold + repeat * p->n;
        constant_outputs(f, p, fold, number);
        for (int64_t i = 0; i < p->n; i++)
            for (int64_t k = 0; k < p->outputs && fold[i] == number; k++)
                output[repeat * stride + i * p->outputs + k] = f[k];
    }
    rival->name = "constant";
    p->lead[0] = compare_losses(p, output, fit_outputs(c, 0, chosen));
    const fathom_status status = fit_score(rival->score, p, output, stride, p->folds, p->repeats, true);
    fathom_memory_free(p->context, output);
    return status;
}

/* Its ridge penalty is chosen on the folds as that of the networks is. */
static fathom_status linear_rival(fathom_fit_rival *rival, bool *cut, const fit_candidates *networks,
                                  const fathom_fit_result *result)
{
    fit_problem *p = networks->problem;
    fit_candidates c;
    fathom_fit_candidate table[FIT_LINEAR_POINTS];
    fathom_status status = fit_candidates_open(&c, p, 0, false);
    FATHOM_THEN(status, fit_run_parts(&c, 0, p->parts, "linear"));
    *cut = fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE;
    for (int64_t k = 0; k < c.points && status == FATHOM_OK && !*cut; k++) {
        table[k].dropped = false;
        *cut = fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE;
        status = fit_score(table[k].score, p, fit_outputs(&c, 0, k), c.points * p->n * p->outputs, p->folds,
                           p->repeats, true);
    }
    if (status == FATHOM_OK && !*cut) {
        const int64_t best = fit_pick(table, c.points, result->score, FATHOM_FIT_BEST);
        p->lead[1] = compare_losses(p, fit_outputs(&c, 0, best), fit_outputs(networks, 0, networks->chosen));
        rival->name = "linear";
        for (int s = 0; s < FATHOM_FIT_SCORES; s++)
            rival->score[s] = table[best].score[s];
    }
    fit_candidates_close(&c);
    return status;
}

fathom_status fit_rivals(fathom_fit_result *result, const fit_candidates *c)
{
    bool cut = false;
    FATHOM_TRY(constant_rival(result->rival, c, c->chosen));
    result->rivals = 1;
    FATHOM_TRY(linear_rival(result->rival + 1, &cut, c, result));
    if (!cut)
        result->rivals = 2;
    return FATHOM_OK;
}
