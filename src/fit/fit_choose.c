/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The choice among penalties: a race after the first folds, then the rule of --choose.
 *
 * The race drops a point whose mean loss over the rows of the first folds exceeds that of the best by more
 * than RACE standard errors of the row-by-row differences. Where a limit comes first, what it had not judged stays.
 */
#include <math.h>

#include "context_internal.h"
#include "fit_internal.h"
#include "memory.h"

static const double RACE = 1.5;

/* Loss of a point on row i, left out by one of the first folds of the first repeat. */
static double loss_of(const fit_candidates *c, int64_t point, int64_t i)
{
    const fit_problem *p = c->problem;
    return fit_row_loss(p, fit_outputs(c, 0, point) + i * p->outputs, i);
}

/* Losses of a point on the rows of the first folds, in the order of the rows; returns their weighted mean. */
static double find_losses(double *loss, const fit_candidates *c, int64_t point)
{
    const fit_problem *p = c->problem;
    double sum = 0, total = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->fold[i] < FIT_RACE) {
            const double weight = p->weight ? p->weight[i] : 1;
            loss[count] = loss_of(c, point, i);
            sum += weight * loss[count++];
            total += weight;
        }
    return sum / total;
}

/* Whether losses are worse than the best ones by more than chance. */
static bool hopeless(const fit_problem *p, const double *loss, const double *best)
{
    double sum = 0, square = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (p->fold[i] < FIT_RACE) {
            const double difference = (p->weight ? p->weight[i] : 1) * (loss[count] - best[count]);
            sum += difference;
            square += difference * difference;
            count++;
        }
    const double mean = sum / (double)count;
    return mean > RACE * sqrt(fmax(0, square / (double)count - mean * mean) / (double)count);
}

static bool stopped(const fit_problem *p)
{
    return fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE;
}

/* The point of least mean loss, and its losses; false: stopped before that. */
static bool find_best(double *best, double *loss, const fit_candidates **first, int64_t *point,
                      const fit_candidates *kind, int64_t kinds)
{
    double least = INFINITY;
    *first = kind;
    *point = 0;
    for (int64_t a = 0; a < kinds; a++)
        for (int64_t k = 0; k < kind[a].points; k++) {
            if (stopped(kind->problem))
                return false;
            const double mean = find_losses(loss, kind + a, k);
            if (mean < least) {
                least = mean;
                *first = kind + a;
                *point = k;
            }
        }
    kind->problem->progress.score = find_losses(best, *first, *point);
    return true;
}

fathom_status fit_race(fit_candidates *kind, int64_t kinds)
{
    const fit_problem *p = kind->problem;
    const fit_candidates *first;
    int64_t point;
    double *best = fathom_memory_alloc(p->context, 2 * p->n, sizeof *best), *loss = best ? best + p->n : NULL;
    if (!best)
        return FATHOM_ERROR_MEMORY;
    bool goes_on = find_best(best, loss, &first, &point, kind, kinds);
    for (int64_t a = 0; a < kinds && goes_on; a++) {
        int64_t kept = 0;
        for (int64_t k = 0; k < kind[a].points && goes_on; k++) {
            find_losses(loss, kind + a, k);
            kind[a].keep[k] = (kind + a == first && k == point) || !hopeless(p, loss, best);
            kept += kind[a].keep[k];
            goes_on = !stopped(p);
        }
        kind[a].dropped = kept == 0;
    }
    fathom_memory_free(p->context, best);
    return FATHOM_OK;
}

/* How much better a than b: positive where it is. */
static double lead(const fathom_fit_candidate *a, const fathom_fit_candidate *b, fathom_fit_score score)
{
    const double difference = a->score[score].mean - b->score[score].mean;
    return fit_higher_is_better(score) ? difference : -difference;
}

int64_t fit_pick(const fathom_fit_candidate *candidate, int64_t count, fathom_fit_score score, int rule)
{
    int64_t best = -1;
    for (int64_t k = 0; k < count; k++)
        if (!candidate[k].dropped && !isnan(candidate[k].score[score].mean) &&
            (best < 0 || lead(candidate + k, candidate + best, score) > 0))
            best = k;
    if (best < 0 || rule == FATHOM_FIT_BEST)
        return best < 0 ? count / 2 : best;
    int64_t end = best + 1;
    while (end < count && candidate[end].gated == candidate[best].gated &&
           candidate[end].width == candidate[best].width)
        end++;
    for (int64_t k = end - 1; k > best; k--)
        if (lead(candidate + k, candidate + best, score) >= -candidate[best].score[score].se)
            return k;
    return best;
}

/* The points of one kind, with scores where `scored`; with areas, which are dear, unless they are not asked for and a limit
 * has come. */
static fathom_status fill(fathom_fit_candidate *into, const fit_candidates *c, bool scored, bool areas)
{
    const fit_problem *p = c->problem;
    fathom_status status = FATHOM_OK;
    const int64_t stride = c->points * p->n * p->outputs;
    for (int64_t k = 0; k < c->points && status == FATHOM_OK; k++) {
        fathom_fit_candidate *one = into + k;
        const bool all = c->keep[k] && c->parts == p->parts;
        one->beta = c->beta[k] * p->unit;
        one->dropped = !c->keep[k];
        one->gated = c->gated;
        one->width = c->width;
        for (int s = 0; s < FATHOM_FIT_SCORES; s++)
            one->score[s] = (fathom_fit_estimate){NAN, NAN};
        if (scored && (all || c->parts >= FIT_RACE))
            status = fit_score(one->score, p, fit_outputs(c, 0, k), stride, all ? p->folds : FIT_RACE,
                               all ? p->repeats : 1, areas);
    }
    return status;
}

fathom_status fit_choose(fathom_fit_result *result, fit_candidates *kind, int64_t kinds)
{
    const fit_problem *p = kind->problem;
    fathom_status status = FATHOM_OK;
    result->count = kinds * FIT_POINTS;
    /* where a limit came first, kinds are compared only if all have a network on all rows and the same folds */
    bool level = true;
    for (int64_t a = 1; a < kinds; a++)
        level = level && (kind[a].dropped || (kind[a].reached > 0 && kind[a].parts == kind->parts));
    for (int64_t a = 0; a < kinds && status == FATHOM_OK; a++)
        status = fill(result->candidate + a * FIT_POINTS, kind + a, a == 0 || level || !stopped(p),
                      result->score == FATHOM_FIT_AUC || !stopped(p));
    const int64_t among = level ? result->count : FIT_POINTS;
    result->chosen = fit_pick(result->candidate, among, result->score, p->options->choose);
    return status;
}
