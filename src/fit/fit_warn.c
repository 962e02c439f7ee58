/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings that matter: what makes a score better than it will be, or a choice worse than it could be. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "context_internal.h"
#include "fit_internal.h"
#include "inner/fit.h"
#include "memory.h"
#include "platform.h"
#include "state_file.h"

enum {
    FEW = 10,
    NAMED = 3,
    SCARCE = 20,
    GLANCE = 2048
}; /* GLANCE: rows that say whether a column is worth sorting */

static const double TELLS_ALL = 0.999, TELLS_MUCH = 0.95, SAME = 0.9999, MOSTLY = 0.9;

void fit_warn(fathom_fit_result *result, fathom_context *context, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (result->warnings == FATHOM_FIT_WARNINGS)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    result->warning[result->warnings++] = fathom_memory_text(context, text); /* or NULL: fit_warned */
}

fathom_status fit_warned(const fathom_fit_result *result)
{
    for (int64_t k = 0; k < result->warnings; k++)
        if (!result->warning[k])
            return FATHOM_ERROR_MEMORY;
    return FATHOM_OK;
}

static const char *name_of(const fathom_preprocess *preprocess, int64_t l, char *room, size_t size)
{
    if (preprocess->name)
        return preprocess->name[l];
    snprintf(room, size, "%lld", (long long)l);
    return room;
}

static void count_classes(fathom_fit_result *result, const fit_problem *p)
{
    const fathom_classes classes = fathom_data_classes(p->data);
    for (int64_t i = 0; i < p->n; i++)
        result->seen[(int64_t)p->target[i]]++;
    int64_t rare = 0;
    for (int64_t k = 0; k < p->classes; k++)
        rare += result->seen[k] < FEW;
    for (int64_t k = 0; k < p->classes && rare <= NAMED; k++)
        if (result->seen[k] < FEW)
            fit_warn(result, p->context, "class %s has %lld example%s only: its scores say little",
                     classes.name[k], (long long)result->seen[k], result->seen[k] == 1 ? "" : "s");
    if (rare > NAMED)
        fit_warn(result, p->context,
                 "%lld of %lld classes have fewer than %d examples: their scores say little", (long long)rare,
                 (long long)p->classes, FEW);
}

/* Where nearly all rows are of one class, being right says little. */
static void judge_balance(fathom_fit_result *result, const fit_problem *p)
{
    const fathom_classes classes = fathom_data_classes(p->data);
    int64_t most = 0;
    for (int64_t k = 0; k < p->classes; k++)
        most = result->seen[k] > result->seen[most] ? k : most;
    const double share = (double)result->seen[most] / (double)p->n;
    if (share > MOSTLY && !p->options->balance)
        fit_warn(
            result, p->context,
            "%.1f %% of the rows are %s: accuracy says little, auc and log-loss say more (--balance gives "
            "classes the same weight)",
            100 * share, classes.name[most]);
}

/* Classes that a careless hand may have written in two ways. */
static void compare_names(fathom_fit_result *result, const fit_problem *p)
{
    enum { COMPARED = 200 };
    const fathom_classes classes = fathom_data_classes(p->data);
    for (int64_t k = 0; k < p->classes && k < COMPARED; k++)
        for (int64_t j = 0; j < k; j++)
            if (strcasecmp(classes.name[j], classes.name[k]) == 0) {
                fit_warn(result, p->context, "classes %s and %s differ in case alone: are they one?",
                         classes.name[j], classes.name[k]);
                return;
            }
}

static int by_value(const void *a, const void *b, void *context)
{
    const double *value = context, x = value[*(const int64_t *)a], y = value[*(const int64_t *)b];
    return (x > y) - (x < y);
}

/* Rows step, 2 step, .. in the order of a column's values; returns how many. value: room for the column, which lies close there. */
static int64_t sort_rows(const fit_problem *p, int64_t column, int64_t step, int64_t *order, double *value)
{
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i += step) {
        order[count++] = i;
        value[i] = p->rows[i * p->d + column];
    }
    fathom_platform_sort(order, (size_t)count, sizeof *order, by_value, value);
    return count;
}

/* Area under the curve of one column as a score, on every step-th row, ties a half. */
static double column_area(const fit_problem *p, int64_t column, int64_t step, int64_t *order, double *value)
{
    double below = 0, sum = 0, positives = 0;
    const int64_t count = sort_rows(p, column, step, order, value);
    for (int64_t start = 0, end; start < count; start = end) {
        double positive = 0, negative = 0;
        for (end = start; end < count && value[order[end]] == value[order[start]]; end++)
            *(p->target[order[end]] > 0 ? &positive : &negative) += 1;
        sum += positive * (below + 0.5 * negative);
        below += negative;
        positives += positive;
    }
    return positives > 0 && below > 0 ? sum / (positives * below) : 0.5;
}

/* How well one column tells two classes: its area, or that on some of many rows where that is far from telling them all. */
static double telling(const fit_problem *p, int64_t column, int64_t *order, double *value)
{
    const int64_t step = p->n / GLANCE;
    const double some = step > 1 ? column_area(p, column, step, order, value) : 1;
    return fmax(some, 1 - some) > TELLS_MUCH ? column_area(p, column, 1, order, value) : some;
}

/* Several classes: whether each has an interval of the column's values to itself, on every step-th row. */
static bool may_have_intervals(const fit_problem *p, int64_t column, int64_t step, int64_t *order,
                               double *value)
{
    const int64_t count = sort_rows(p, column, step, order, value);
    int64_t changes = 0;
    for (int64_t k = 1; k < count; k++) {
        const bool other = p->target[order[k]] != p->target[order[k - 1]];
        if (other && value[order[k]] == value[order[k - 1]])
            return false;
        changes += other;
    }
    return step > 1 ? changes < p->classes : changes == p->classes - 1;
}

/* On all rows; where some of many refuse it the others need no look. */
static bool has_intervals(const fit_problem *p, int64_t column, int64_t *order, double *value)
{
    const int64_t step = p->n / GLANCE;
    return (step <= 1 || may_have_intervals(p, column, step, order, value)) &&
           may_have_intervals(p, column, 1, order, value);
}

static double correlation(const fit_problem *p, int64_t l)
{
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    const double n = (double)p->n;
    for (int64_t i = 0; i < p->n; i++) {
        x += p->rows[i * p->d + l] / n;
        y += p->target[i] / n;
    }
    for (int64_t i = 0; i < p->n; i++) {
        const double a = p->rows[i * p->d + l] - x, b = p->target[i] - y;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* Columns that give the target away. */
static void find_leaks(fathom_fit_result *result, const fit_problem *p, int64_t *order, double *value)
{
    const fathom_preprocess preprocess = fathom_data_preprocess(p->data);
    char room[32];
    int64_t named = 0;
    for (int64_t l = 0; l < p->moving && named < NAMED; l++) {
        if (fathom_context_poll(p->context, "looking", l, NAN, NAN) != FATHOM_STOP_NONE)
            return;
        const bool numbers = p->task == FATHOM_FIT_REGRESSION;
        if (p->task == FATHOM_FIT_MULTICLASS) {
            if (!has_intervals(p, l, order, value))
                continue;
            named++;
            fit_warn(result, p->context,
                     "column %s alone tells all classes apart: each has an interval of its own. Is it known "
                     "before the "
                     "target is?",
                     name_of(&preprocess, l, room, sizeof room));
            continue;
        }
        const double tells = numbers ? fabs(correlation(p, l)) : telling(p, l, order, value);
        if (!(numbers ? tells > SAME : fmax(tells, 1 - tells) > TELLS_ALL))
            continue;
        named++;
        fit_warn(result, p->context,
                 numbers ? "column %s alone is the target, nearly: correlation %.6f. Is it known "
                           "before the target is?"
                         : "column %s alone tells the classes apart: AUC %.6f. Is it known before "
                           "the target is?",
                 name_of(&preprocess, l, room, sizeof room), numbers ? tells : fmax(tells, 1 - tells));
    }
}

/* A row's number, the same for equal rows, and where it stands. */
typedef struct marked {
    uint64_t mark;
    int64_t row;
} marked;

static int by_mark(const void *left, const void *right)
{
    const marked *a = left, *b = right;
    return a->mark != b->mark ? (a->mark > b->mark) - (a->mark < b->mark)
                              : (a->row > b->row) - (a->row < b->row);
}

static bool equal_rows(const fit_problem *p, int64_t a, int64_t b)
{
    return memcmp(p->rows + a * p->d, p->rows + b * p->d, (size_t)p->d * sizeof *p->rows) == 0;
}

/* Rows start .. end-1 have one mark: each is brought to the first unlike those before it. How many of them also stand in another
 * fold. */
static int64_t count_copies(const fit_problem *p, marked *item, int64_t start, int64_t end)
{
    int64_t copies = 0;
    while (start < end) {
        bool apart = false;
        int64_t same = start + 1;
        for (int64_t k = start + 1; k < end; k++)
            if (equal_rows(p, item[k].row, item[start].row)) {
                const marked other = item[same];
                apart = apart || p->fold[item[k].row] != p->fold[item[start].row];
                item[same++] = item[k];
                item[k] = other;
            }
        copies += apart ? same - start : 0;
        start = same;
    }
    return copies;
}

/* Rows that also stand in another fold: rows of one mark lie together, so that each is compared with its likes alone. */
static fathom_status find_copies(fathom_fit_result *result, const fit_problem *p)
{
    int64_t copies = 0;
    marked *item = fathom_memory_alloc(p->context, p->n, sizeof *item);
    if (!item)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n; i++)
        item[i] = (marked){fathom_state_hash(FATHOM_STATE_HASH, p->rows + i * p->d, p->d), i};
    if (fathom_context_poll(p->context, "looking", p->d, NAN, NAN) == FATHOM_STOP_NONE) {
        qsort(item, (size_t)p->n, sizeof *item, by_mark);
        for (int64_t start = 0, end; start < p->n; start = end) {
            for (end = start; end < p->n && item[end].mark == item[start].mark;)
                end++;
            copies += count_copies(p, item, start, end);
        }
    }
    fathom_memory_free(p->context, item);
    if (copies > 0)
        fit_warn(result, p->context,
                 "%lld of %lld rows have equal rows in other folds: on new rows scores may be lower",
                 (long long)copies, (long long)p->n);
    return FATHOM_OK;
}

fathom_status fit_warn_of_data(fathom_fit_result *result, const fit_problem *p)
{
    int64_t *order = fathom_memory_alloc(p->context, p->n, sizeof *order);
    double *value = fathom_memory_alloc(p->context, p->n, sizeof *value);
    result->seen = p->classes > 0 ? fathom_memory_zero(p->context, p->classes, sizeof *result->seen) : NULL;
    if (!order || !value || (p->classes > 0 && !result->seen)) {
        FATHOM_FREE(p->context, order, value);
        return FATHOM_ERROR_MEMORY;
    }
    result->classes = p->classes;
    if (p->classes > 0) {
        count_classes(result, p);
        judge_balance(result, p);
        compare_names(result, p);
    }
    if (p->n < SCARCE)
        fit_warn(result, p->context, "%lld rows are few: expected scores and their errors say little",
                 (long long)p->n);
    fathom_status status = FATHOM_OK;
    if (!fit_is_sparse(p)) {
        find_leaks(result, p, order, value);
        status = find_copies(result, p);
    }
    FATHOM_FREE(p->context, order, value);
    return status;
}

/* Whether the network is better than a rival by more than chance; says so where it is not. */
static bool leads(fathom_fit_result *result, const fit_problem *p, int rival, const char *words)
{
    const char *loss = fathom_fit_score_text(p->classes > 0 ? FATHOM_FIT_LOG_LOSS : FATHOM_FIT_MSE);
    const fathom_fit_estimate lead = p->lead[rival];
    if (lead.mean > 2 * lead.se)
        return true;
    if (lead.mean <= 0)
        fit_warn(result, p->context, "the network is %s: its %s is higher by %.2g +- %.2g", words, loss,
                 -lead.mean, lead.se);
    else
        fit_warn(result, p->context, "the network may be %s: its %s is lower by %.2g +- %.2g", words, loss,
                 lead.mean, lead.se);
    return false;
}

void fit_warn_of_choice(fathom_fit_result *result, const fit_problem *p)
{
    const int64_t points = FIT_POINTS, chosen = result->chosen % points;
    if (chosen == 0)
        fit_warn(result, p->context,
                 "the smallest penalty of the grid is chosen: a smaller one may be better");
    if (chosen == points - 1)
        fit_warn(result, p->context, "the largest penalty of the grid is chosen: a larger one may be better");
    if (result->rivals > 0 && !leads(result, p, 0, "no better than a constant"))
        return;
    if (result->rivals > 1)
        leads(result, p, 1, "no better than a linear function");
}
