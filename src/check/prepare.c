/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps from raw values to the matrix of the claim, in their order: rows, classes, weights, normalisation, bias
 * (docs/data.md). Each is a sequence of IEEE double operations, rounded to nearest and never fused, from left to right.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

/* "rows all | range A B | list K i..": the rows kept, in their order. */
static int64_t *select_rows(check *c, int64_t *count)
{
    const int64_t n = c->data.n;
    int64_t first = 0;
    check_line(c, "rows");
    const int kind = check_choice(c, "all range list");
    *count = n;
    if (kind == 1) {
        first = check_integer(c, 0, n - 1);
        *count = check_integer(c, first + 1, n) - first;
    } else if (kind == 2) {
        *count = check_integer(c, 1, check_room(c));
    }
    int64_t *row = check_alloc(c, *count, sizeof *row);
    for (int64_t i = 0; i < *count; i++)
        row[i] = kind == 2 ? check_integer(c, 0, n - 1) : first + i;
    check_end(c);
    return row;
}

/* A label written as the hexadecimal values of its bytes, decoded in place. */
static const char *hex_label(check *c)
{
    char *word = check_word(c), *out = word;
    for (const char *at = word; *at; at += 2, out++) {
        const int high = check_hex(at[0]), low = check_hex(at[1]);
        if (high < 0 || low < 0 || high + low == 0)
            check_reject(c, "a label in hexadecimal bytes was expected");
        *out = (char)(16 * high + low);
    }
    *out = 0;
    return word;
}

/* "classes all | texts A B | numbers A B": of the rows those of two classes, as +1 and -1. */
static void pick_classes(check *c, int64_t *row, int64_t *count)
{
    dataset *a = &c->data;
    int64_t kept = 0;
    check_line(c, "classes");
    const int kind = check_choice(c, "all texts numbers");
    if (kind > 0) {
        if ((kind == 1) != (a->text != NULL) || a->outputs != 1)
            check_reject(c, "the targets are not of this kind");
        double *side = check_alloc(c, a->n, sizeof *side);
        for (int k = 0; k < 2; k++) {
            const char *label = kind == 1 ? hex_label(c) : NULL;
            const num *value = kind == 2 ? check_numbers(c, 1) : NULL;
            for (int64_t i = 0; i < a->n; i++)
                if (label ? strcmp(a->text[i], label) == 0 : arf_cmp_d(value, a->y[i]) == 0)
                    side[i] = 1 - 2 * k;
        }
        for (int64_t i = 0; i < *count; i++)
            if (side[row[i]] != 0)
                row[kept++] = row[i];
        a->y = side;
        a->text = NULL;
        *count = kept;
        if (kept == 0)
            check_reject(c, "no row has one of these classes");
    }
    check_end(c);
}

static void take_rows(check *c, const int64_t *row, int64_t count)
{
    dataset *a = &c->data, b = *a;
    b.n = count;
    b.x = check_alloc(c, count * a->d, sizeof *b.x);
    b.y = check_alloc(c, count * a->outputs, sizeof *b.y);
    b.weight = a->weight ? check_alloc(c, count, sizeof *b.weight) : NULL;
    b.text = a->text ? check_alloc(c, count, sizeof *b.text) : NULL;
    for (int64_t i = 0; i < count; i++) {
        memcpy(b.x + i * a->d, a->x + row[i] * a->d, (size_t)a->d * sizeof *b.x);
        memcpy(b.y + i * a->outputs, a->y + row[i] * a->outputs, (size_t)a->outputs * sizeof *b.y);
        if (b.text)
            b.text[i] = a->text[row[i]];
        if (b.weight)
            b.weight[i] = a->weight[row[i]];
        if (b.weight && !(b.weight[i] > 0))
            check_fail(c, 5, "the weight of row %lld (from 0) is not positive", (long long)i);
    }
    *a = b;
}

/* A target of row i: a text or a number. */
typedef struct target {
    const char *text;
    double value;
    int64_t row;
} target;

static int by_target(const void *left, const void *right)
{
    const target *a = left, *b = right;
    return a->text ? strcmp(a->text, b->text) : (a->value > b->value) - (a->value < b->value);
}

/* Distinct targets are classes where the rule of docs/data.md calls them so. Text labels become their numbers. */
static void find_classes(check *c)
{
    dataset *a = &c->data;
    const int64_t tenth = a->n / 10 < 1000 ? a->n / 10 : 1000, most = tenth > 20 ? tenth : 20;
    bool whole = true;
    int64_t count = 0;
    target *t = check_alloc(c, a->n, sizeof *t);
    a->label = check_alloc(c, a->n, sizeof *a->label);
    for (int64_t i = 0; i < a->n; i++)
        t[i] = (target){a->text ? a->text[i] : NULL, a->y[i], i};
    qsort(t, (size_t)a->n, sizeof *t, by_target);
    for (int64_t i = 0; i < a->n; i++) {
        count += i == 0 || by_target(t + i, t + i - 1) != 0;
        whole = whole && t[i].value == floor(t[i].value);
        a->label[t[i].row] = count - 1;
        if (a->text)
            a->y[t[i].row] = (double)(count - 1);
    }
    a->one_is_plus = a->text || t[0].value > 0;
    a->classes = a->text || count <= 2 || (whole && count <= most) ? count : 0;
}

/* Columns to mean 0 and variance 1 (divisor n); a constant column becomes 0. */
static void standardize(check *c)
{
    dataset *a = &c->data;
    for (int64_t j = 0; j < a->d; j++) {
        double mean = 0, variance = 0, *x = a->x + j;
        bool constant = true;
        for (int64_t i = 0; i < a->n; i++) {
            mean += x[i * a->d];
            constant = constant && x[i * a->d] == x[0];
        }
        mean = constant ? x[0] : mean / (double)a->n;
        for (int64_t i = 0; i < a->n; i++)
            variance += (x[i * a->d] - mean) * (x[i * a->d] - mean);
        const double scale = constant ? 1 : sqrt(variance / (double)a->n);
        if (isinf(scale))
            check_fail(c, 5, "column %lld (from 0) of the data is too large", (long long)j);
        for (int64_t i = 0; i < a->n; i++)
            x[i * a->d] = (x[i * a->d] - mean) / scale;
    }
}

/* Rows to norm 1; a row of zeros stays. */
static void normalize_rows(check *c)
{
    dataset *a = &c->data;
    for (int64_t i = 0; i < a->n; i++) {
        double *x = a->x + i * a->d, sum = 0, largest = 0;
        for (int64_t j = 0; j < a->d; j++) {
            sum += x[j] * x[j];
            largest = fmax(largest, fabs(x[j]));
        }
        if (isinf(sum))
            check_fail(c, 5, "row %lld (from 0) of the data is too large", (long long)i);
        for (int64_t j = 0; largest > 0 && j < a->d; j++)
            x[j] /= sqrt(sum);
    }
}

/* The data as exact numbers with a column of ones, which becomes one of the data where the bias is augmented. */
static void make_points(check *c)
{
    dataset *a = &c->data;
    const int64_t d = a->d, width = d + 1 + (a->bias == BIAS_AUGMENT);
    a->point = check_alloc(c, a->n * width, sizeof *a->point);
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t j = 0; j < width; j++) {
            const double value = j < d ? a->x[i * d + j] : 1;
            if (!isfinite(value))
                check_fail(c, 5, "row %lld (from 0) of the normalised data is not finite", (long long)i);
            arf_set_d(a->point + i * width + j, value);
        }
    a->d = width - 1;
}

void check_prepare(check *c)
{
    dataset *a = &c->data;
    int64_t count, *row = select_rows(c, &count);
    pick_classes(c, row, &count);
    take_rows(c, row, count);
    if (a->outputs == 1)
        find_classes(c);
    const int kind = check_line_choice(c, "normalize", "none unit standardize");
    if (kind == 1)
        normalize_rows(c);
    if (kind == 2)
        standardize(c);
    a->bias = check_line_choice(c, "bias", "none augment free");
    make_points(c);
}

/* Two classes become -1 and +1 (one alone: +1, or -1 where it is a number <= 0), more become one-hot. */
void check_code_targets(check *c, int loss, double **y, int64_t *outputs)
{
    const dataset *a = &c->data;
    *y = a->y;
    *outputs = a->outputs;
    if (loss == LOSS_SQUARED || loss == LOSS_EQUALITY)
        return;
    for (int64_t i = 0; a->outputs > 1 && i < a->n; i++) {
        int64_t ones = 0, zeros = 0;
        for (int64_t k = 0; k < a->outputs; k++) {
            ones += a->y[i * a->outputs + k] == 1;
            zeros += a->y[i * a->outputs + k] == 0;
        }
        if (ones != 1 || zeros != a->outputs - 1)
            check_fail(c, 5, "the targets are not one-hot");
    }
    if (a->outputs > 1)
        return;
    if (a->classes == 0)
        check_fail(c, 5, "the targets are no classes");
    *outputs = a->classes > 2 ? a->classes : 1;
    *y = check_alloc(c, a->n * *outputs, sizeof **y);
    for (int64_t i = 0; i < a->n; i++) {
        if (a->classes > 2)
            (*y)[i * a->classes + a->label[i]] = 1;
        else
            (*y)[i] = (a->classes == 1 ? a->one_is_plus : a->label[i] == 1) ? 1 : -1;
    }
}
