/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scores of what was predicted on rows left out.
 *
 * Means over rows (log-loss, accuracy, mse, mae) have the standard error of the fold means, s/sqrt(K). AUC
 * and r2 are means over the folds that have one (a fold may lack a class), else of all rows of a repeat together. With
 * repeats the estimate is the mean over them, and the variance the mean of theirs: repeats tell more of
 * the folds, nothing more of the rows.
 *
 * For an area rows are put in the order of their outputs, as bits that ascend with the number, byte by byte: O(n) a class,
 * and with the softmax's denominators at hand one exponential a row.
 */
#include <math.h>
#include <string.h>

#include "fit_internal.h"
#include "inner/fit.h"
#include "memory.h"

const char *fathom_fit_task_text(fathom_fit_task task)
{
    static const char *const text[] = {"binary", "multiclass", "regression"};
    return text[task];
}

const char *fathom_fit_score_text(fathom_fit_score score)
{
    static const char *const text[] = {"log-loss", "accuracy", "auc", "mse", "r2", "mae"};
    return text[score];
}

bool fit_higher_is_better(fathom_fit_score score)
{
    return score == FATHOM_FIT_ACCURACY || score == FATHOM_FIT_AUC || score == FATHOM_FIT_R2;
}

static double weight_of(const fit_problem *p, int64_t i) { return p->weight ? p->weight[i] : 1; }

double fit_probability(const fit_problem *p, const float *f, int64_t k)
{
    double most = -INFINITY, total = 0;
    if (p->outputs == 1)
        return 1 / (1 + exp(-(double)f[0]));
    for (int64_t o = 0; o < p->outputs; o++)
        most = fmax(most, (double)f[o]);
    for (int64_t o = 0; o < p->outputs; o++)
        total += exp((double)f[o] - most);
    return exp((double)f[k] - most) / total;
}

int64_t fit_class(const fit_problem *p, const float *f)
{
    int64_t best = 0;
    if (p->outputs == 1)
        return f[0] > 0 ? 1 : 0;
    for (int64_t o = 1; o < p->outputs; o++)
        best = f[o] > f[best] ? o : best;
    return best;
}

double fit_row_loss(const fit_problem *p, const float *f, int64_t i)
{
    if (p->task == FATHOM_FIT_REGRESSION) {
        const double left = p->centre + p->unit * (double)f[0] - p->target[i];
        return left * left;
    }
    if (p->task == FATHOM_FIT_BINARY) {
        const double margin = (p->target[i] > 0 ? 1 : -1) * (double)f[0];
        return log1p(exp(-fabs(margin))) + (margin > 0 ? 0 : -margin);
    }
    double most = -INFINITY, total = 0;
    for (int64_t o = 0; o < p->outputs; o++)
        most = fmax(most, (double)f[o]);
    for (int64_t o = 0; o < p->outputs; o++)
        total += exp((double)f[o] - most);
    return most + log(total) - (double)f[(int64_t)p->target[i]];
}

/* One row for the area under a curve; `key` ascends with its output. */
typedef struct ranked {
    uint64_t key;
    double weight;
    bool positive;
} ranked;

/* The bits of a number, turned so that they ascend with it; -0 is 0. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Sorts by the key: eight passes over a byte each, those where all agree left out. `other` has the same room. */
static void sort_ranked(ranked *item, ranked *other, int64_t count)
{
    enum { BYTES = 8, VALUES = 256 };
    ranked *from = item, *to = other;
    for (int byte = 0; byte < BYTES; byte++) {
        int64_t start[VALUES + 1] = {0};
        for (int64_t a = 0; a < count; a++)
            start[(from[a].key >> (8 * byte) & 0xff) + 1]++;
        if (count == 0 || start[(from[0].key >> (8 * byte) & 0xff) + 1] == count)
            continue;
        for (int v = 0; v < VALUES; v++)
            start[v + 1] += start[v];
        for (int64_t a = 0; a < count; a++)
            to[start[from[a].key >> (8 * byte) & 0xff]++] = from[a];
        ranked *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != item)
        memcpy(item, from, (size_t)count * sizeof *item);
}

/* Share of pairs (positive, negative) in order, ties a half; NaN where one side is missing. */
static double area(ranked *item, ranked *other, int64_t count)
{
    double below = 0, area = 0, positives = 0;
    sort_ranked(item, other, count);
    for (int64_t start = 0, end; start < count; start = end) {
        double positive = 0, negative = 0;
        for (end = start; end < count && item[end].key == item[start].key; end++)
            *(item[end].positive ? &positive : &negative) += item[end].weight;
        area += positive * (below + 0.5 * negative);
        below += negative;
        positives += positive;
    }
    return positives > 0 && below > 0 ? area / (positives * below) : NAN;
}

/* Rows of fold `fold` of a repeat; -1: all. */
typedef struct selection {
    const fit_problem *p;
    const int32_t *fold;
    int64_t number, folds;
    const float *f;     /* n x outputs */
    const double *most; /* n, several classes: the largest output of the row, and sum_k e^(f_k - most) */
    const double *total;
    ranked *item, *other; /* n each */
} selection;

static bool selected(const selection *s, int64_t i)
{
    return s->number >= 0 ? s->fold[i] == s->number : s->fold[i] < s->folds;
}

/* What rows are put in order by: the probability of class k, or the only output. */
static double score_of(const selection *s, int64_t i, int64_t k)
{
    const int64_t outputs = s->p->outputs;
    return outputs > 1 ? exp((double)s->f[i * outputs + k] - s->most[i]) / s->total[i] : (double)s->f[i];
}

/* Each class that is there against the rest, and their mean; two classes: the second. */
static double area_of(const selection *s)
{
    const fit_problem *p = s->p;
    double sum = 0, known = 0;
    const int64_t curves = p->outputs > 1 ? p->classes : 1;
    for (int64_t k = 0; k < curves; k++) {
        int64_t count = 0;
        for (int64_t i = 0; i < p->n; i++)
            if (selected(s, i))
                s->item[count++] = (ranked){key_of(score_of(s, i, k)), weight_of(p, i),
                                            (int64_t)p->target[i] == (p->outputs > 1 ? k : 1)};
        const double one = area(s->item, s->other, count);
        sum += isnan(one) ? 0 : one;
        known += !isnan(one);
    }
    return known > 0 ? sum / known : NAN;
}

/* The loss of row i, by its denominator where that is at hand. */
static double loss_of(const selection *s, int64_t i)
{
    const fit_problem *p = s->p;
    const float *f = s->f + i * p->outputs;
    return p->task == FATHOM_FIT_MULTICLASS ? s->most[i] + log(s->total[i]) - (double)f[(int64_t)p->target[i]]
                                            : fit_row_loss(p, f, i);
}

/* All scores of a selection; *mass: its weight. */
static void score_rows(double *score, double *mass, const selection *s, bool areas)
{
    const fit_problem *p = s->p;
    double loss = 0, right = 0, absolute = 0, total = 0, mean = 0, square = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (selected(s, i)) {
            const float *f = s->f + i * p->outputs;
            const double weight = weight_of(p, i), one = loss_of(s, i);
            loss += weight * one;
            absolute += weight * sqrt(one);
            right += p->classes > 0 && fit_class(p, f) == (int64_t)p->target[i] ? weight : 0;
            total += weight;
            mean += weight * p->target[i];
        }
    mean /= total;
    for (int64_t i = 0; i < p->n; i++)
        if (selected(s, i))
            square += weight_of(p, i) * (p->target[i] - mean) * (p->target[i] - mean);
    for (int k = 0; k < FATHOM_FIT_SCORES; k++)
        score[k] = NAN;
    *mass = total;
    if (p->classes > 0) {
        score[FATHOM_FIT_LOG_LOSS] = loss / total;
        score[FATHOM_FIT_ACCURACY] = right / total;
        score[FATHOM_FIT_AUC] = areas ? area_of(s) : NAN;
    } else {
        score[FATHOM_FIT_MSE] = loss / total;
        score[FATHOM_FIT_MAE] = absolute / total;
        score[FATHOM_FIT_R2] = square > 0 ? 1 - loss / square : NAN;
    }
}

static const double ROUNDING = 1e-13; /* of a mean over rows, relative */

/* Adds the estimate of one repeat: mean and variance from the fold values. */
static void add_repeat(fathom_fit_estimate *into, const double *value, const double *mass, int64_t folds,
                       double together, bool of_rows)
{
    double mean = 0, square = 0, total = 0, known = 0;
    for (int64_t a = 0; a < folds; a++)
        if (!isnan(value[a * FATHOM_FIT_SCORES])) {
            mean += (of_rows ? mass[a] : 1) * value[a * FATHOM_FIT_SCORES];
            total += of_rows ? mass[a] : 1;
            known++;
        }
    mean /= total;
    for (int64_t a = 0; a < folds; a++)
        if (!isnan(value[a * FATHOM_FIT_SCORES]))
            square += (value[a * FATHOM_FIT_SCORES] - mean) * (value[a * FATHOM_FIT_SCORES] - mean);
    if (square <= known * ROUNDING * ROUNDING * mean * mean) /* equal values */
        square = 0;
    into->mean += known > 0 ? mean : together;
    into->se += known > 1 ? square / (known * (known - 1)) : NAN;
}

/* The softmax's denominators of all rows. */
static void find_totals(double *most, double *total, const fit_problem *p, const float *f)
{
    for (int64_t i = 0; i < p->n && p->outputs > 1; i++) {
        const float *row = f + i * p->outputs;
        most[i] = -INFINITY;
        total[i] = 0;
        for (int64_t k = 0; k < p->outputs; k++)
            most[i] = fmax(most[i], (double)row[k]);
        for (int64_t k = 0; k < p->outputs; k++)
            total[i] += exp((double)row[k] - most[i]);
    }
}

/* One repeat: fold by fold, and all rows together where a fold lacks a score. */
static void score_repeat(fathom_fit_estimate *score, selection *s, double *value, double *mass, bool areas)
{
    double together[FATHOM_FIT_SCORES], all;
    bool lacks = true;
    for (s->number = 0; s->number < s->folds; s->number++) {
        double *one = value + s->number * FATHOM_FIT_SCORES;
        score_rows(one, mass + s->number, s, areas);
        lacks = lacks && isnan(one[FATHOM_FIT_AUC]);
    }
    s->number = -1; /* areas of all rows are asked for only where no fold has one */
    score_rows(together, &all, s, areas && lacks);
    for (int k = 0; k < FATHOM_FIT_SCORES; k++)
        add_repeat(score + k, value + k, mass, s->folds, together[k],
                   k != FATHOM_FIT_AUC && k != FATHOM_FIT_R2);
}

fathom_status fit_score(fathom_fit_estimate *score, const fit_problem *p, const float *output, int64_t stride,
                        int64_t folds, int64_t repeats, bool areas)
{
    double *value = fathom_memory_alloc(p->context, folds * (FATHOM_FIT_SCORES + 1), sizeof *value);
    ranked *item = fathom_memory_alloc(p->context, areas && p->classes > 0 ? 2 * p->n : 0, sizeof *item);
    double *most = fathom_memory_alloc(p->context, p->outputs > 1 ? 2 * p->n : 0, sizeof *most);
    if (!value || !item || !most) {
        FATHOM_FREE(p->context, value, item, most);
        return FATHOM_ERROR_MEMORY;
    }
    for (int k = 0; k < FATHOM_FIT_SCORES; k++)
        score[k] = (fathom_fit_estimate){0, 0};
    for (int64_t r = 0; r < repeats; r++) {
        double *total = p->outputs > 1 ? most + p->n : most;
        ranked *other = areas && p->classes > 0 ? item + p->n : item;
        selection s = {p, p->fold + r * p->n, 0, folds, output + r * stride, most, total, item, other};
        find_totals(most, total, p, s.f);
        score_repeat(score, &s, value, value + folds * FATHOM_FIT_SCORES, areas);
    }
    for (int k = 0; k < FATHOM_FIT_SCORES; k++) {
        score[k].mean /= (double)repeats;
        score[k].se = sqrt(score[k].se / (double)repeats);
    }
    FATHOM_FREE(p->context, value, item, most);
    return FATHOM_OK;
}
