/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of expressions, in place: number by number, of one column, of two. */
#include "expression_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "binomial.h"

typedef fathom_expression_column column;

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Leaves NaN out; returns how many are left. */
static int64_t compact(column *c)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < c->count; k++)
        if (!isnan(c->value[k]))
            c->value[kept++] = c->value[k];
    return c->count = kept;
}

/* The standard deviation of a sample (divisor n - 1); NaN for one number. */
static double spread(const double *value, int64_t n, double mean)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += (value[k] - mean) * (value[k] - mean);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : NAN;
}

/* The point below which the share q of the numbers lies, linear between neighbours. */
static double quantile(column *c, double q)
{
    const int64_t n = compact(c);
    if (n == 0 || !(q >= 0 && q <= 1))
        return NAN;
    qsort(c->value, (size_t)n, sizeof *c->value, compare_numbers);
    const double place = q * (double)(n - 1);
    const int64_t k = (int64_t)place < n - 1 ? (int64_t)place : n - 1;
    const double next = c->value[k + 1 < n ? k + 1 : k];
    return c->value[k] + (place - (double)k) * (next - c->value[k]);
}

static void sort(column *c)
{
    compact(c);
    qsort(c->value, (size_t)c->count, sizeof *c->value, compare_numbers);
}

static double total(column *c)
{
    double sum = 0;
    compact(c);
    for (int64_t k = 0; k < c->count; k++)
        sum += c->value[k];
    return sum;
}

static double count(column *c) { return (double)compact(c); }

static double mean(column *c) { return total(c) / (double)c->count; }

static double deviation(column *c)
{
    const double middle = mean(c);
    return spread(c->value, c->count, middle);
}

static double first(column *c) { return compact(c) ? c->value[0] : NAN; }

static double last(column *c) { return compact(c) ? c->value[c->count - 1] : NAN; }

static double most(column *c)
{
    sort(c);
    return c->count ? c->value[c->count - 1] : NAN;
}

static double least(column *c)
{
    sort(c);
    return c->count ? c->value[0] : NAN;
}

static double median(column *c)
{
    sort(c);
    return c->count ? (c->value[(c->count - 1) / 2] + c->value[c->count / 2]) / 2 : NAN;
}

/* The slope of the least-squares line through the points that are numbers on both axes. */
static double slope(const column *x, const column *y)
{
    double n = 0, sx = 0, sy = 0, xx = 0, xy = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < x->count && k < y->count; k++) {
            if (isnan(x->value[k]) || isnan(y->value[k]))
                continue;
            if (pass == 0) {
                n += 1;
                sx += x->value[k];
                sy += y->value[k];
            } else {
                xx += (x->value[k] - sx / n) * (x->value[k] - sx / n);
                xy += (x->value[k] - sx / n) * (y->value[k] - sy / n);
            }
        }
    return xy / xx;
}

/* The correlation of the points that are numbers on both axes: the geometric mean of the two slopes, with
 * their sign. */
static double correlation(const column *x, const column *y)
{
    const double there = slope(x, y), back = slope(y, x);
    return there < 0 ? -sqrt(there * back) : sqrt(there * back);
}

static void reverse(double *value, int64_t count)
{
    for (int64_t k = 0; k < count / 2; k++) {
        const double kept = value[k];
        value[k] = value[count - 1 - k];
        value[count - 1 - k] = kept;
    }
}

/* a_k becomes a_{k + by}, around the end. */
static void shift(column *a, double by)
{
    if (a->count == 0 || !(fabs(by) < 1e15))
        return;
    const int64_t turn = (int64_t)by % a->count, first_part = turn < 0 ? turn + a->count : turn;
    reverse(a->value, first_part);
    reverse(a->value + first_part, a->count - first_part);
    reverse(a->value, a->count);
}

/* a_k becomes a_k - a_{k-1}; NaN at first. */
static void change(column *a)
{
    for (int64_t k = a->count - 1; k >= 0; k--)
        a->value[k] -= k > 0 ? a->value[k - 1] : NAN;
}

static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

static void pick(column *a, const column *chosen)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < a->count; k++)
        if (chosen->value[chosen->count == 1 ? 0 : k] != 0 &&
            !isnan(chosen->value[chosen->count == 1 ? 0 : k]))
            a->value[kept++] = a->value[k];
    a->count = kept;
}

/* Bounds at this confidence, each by itself: of the probability that a number is not 0, ... */
static double share_bound(column *c, double confidence, bool upper)
{
    double low, high;
    int64_t met = 0;
    compact(c);
    for (int64_t k = 0; k < c->count; k++)
        met += c->value[k] != 0;
    fathom_binomial_bounds(&low, &high, met, c->count, confidence);
    return upper ? high : low;
}

/* ... and of the median of the distribution; NaN where the numbers are too few for it. */
static double median_bound(column *c, double confidence, bool upper)
{
    sort(c);
    const int64_t rank = fathom_binomial_median_rank(c->count, confidence);
    return rank == 0 ? NAN : c->value[upper ? c->count - rank : rank - 1];
}

static double share_low(column *c, double confidence) { return share_bound(c, confidence, false); }
static double share_high(column *c, double confidence) { return share_bound(c, confidence, true); }
static double median_low(column *c, double confidence) { return median_bound(c, confidence, false); }
static double median_high(column *c, double confidence) { return median_bound(c, confidence, true); }

static const struct {
    const char *name;
    double (*map)(double);
} maps[] = {{"abs", fabs}, {"sqrt", sqrt}, {"exp", exp},     {"log", log},  {"log10", log10},
            {"cos", cos},  {"sin", sin},   {"floor", floor}, {"sign", sign}};

static const struct {
    const char *name;
    double (*of)(column *);
} reductions[] = {{"max", most},    {"min", least},   {"sum", total}, {"mean", mean},   {"median", median},
                  {"count", count}, {"first", first}, {"last", last}, {"sd", deviation}};

/* Of a column and a number. */
static const struct {
    const char *name;
    double (*of)(column *, double);
} levels[] = {{"quantile", quantile},
              {"share_low", share_low},
              {"share_high", share_high},
              {"median_low", median_low},
              {"median_high", median_high}};

/* Of two columns of the same length. */
static const struct {
    const char *name;
    double (*of)(const column *, const column *);
} pairs[] = {{"slope", slope}, {"corr", correlation}};

static bool put_number(column *out, double value)
{
    out->value[0] = value;
    out->count = 1;
    return true;
}

static bool call_one(column *a, const char *name)
{
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++)
        if (strcmp(name, maps[k].name) == 0) {
            for (int64_t i = 0; i < a->count; i++)
                a->value[i] = maps[k].map(a->value[i]);
            return true;
        }
    for (size_t k = 0; k < sizeof reductions / sizeof *reductions; k++)
        if (strcmp(name, reductions[k].name) == 0)
            return put_number(a, reductions[k].of(a));
    if (strcmp(name, "change") != 0)
        return false;
    change(a);
    return true;
}

static bool call_two(column *a, const char *name, column *b)
{
    if (strcmp(name, "pick") == 0)
        pick(a, b);
    else if (strcmp(name, "shift") == 0 && b->count == 1)
        shift(a, b->value[0]);
    else {
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            if (strcmp(name, pairs[k].name) == 0)
                return put_number(a, pairs[k].of(a, b));
        for (size_t k = 0; k < sizeof levels / sizeof *levels && b->count == 1; k++)
            if (strcmp(name, levels[k].name) == 0)
                return put_number(a, levels[k].of(a, b->value[0]));
        return false;
    }
    return true;
}

bool fathom_expression_call(column *first_one, const char *name, column *second)
{
    if (second->count < 0)
        return call_one(first_one, name);
    return (second->count == first_one->count || second->count == 1) && call_two(first_one, name, second);
}
