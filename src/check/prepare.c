/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps from raw values to the matrix of the claim, in their order: rows, classes, weights, normalisation, bias
 * (docs/data.md). Each is a sequence of IEEE double operations, rounded to nearest and never fused, from left to right.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

/* Rows row[0..count) in that order. */
static void take_rows(check *c, const int64_t *row, int64_t count)
{
    dataset *a = &c->data;
    double *x = check_alloc(c, count * a->d, sizeof *x), *y = check_alloc(c, count * a->outputs, sizeof *y);
    double *weight = a->weight ? check_alloc(c, count, sizeof *weight) : NULL;
    char **text = a->text ? check_alloc(c, count, sizeof *text) : NULL;
    for (int64_t i = 0; i < count; i++) {
        memcpy(x + i * a->d, a->x + row[i] * a->d, (size_t)a->d * sizeof *x);
        memcpy(y + i * a->outputs, a->y + row[i] * a->outputs, (size_t)a->outputs * sizeof *y);
        if (weight)
            weight[i] = a->weight[row[i]];
        if (text)
            text[i] = a->text[row[i]];
    }
    a->n = count;
    a->x = x;
    a->y = y;
    a->weight = weight;
    a->text = text;
}

static void select_rows(check *c)
{
    static const char *const kinds[] = {"all", "range", "list", NULL};
    check_next_line(c, "rows");
    const int kind = check_choice(c, kinds);
    if (kind > 0) {
        int64_t first = 0, count = check_integer(c, 0, c->data.n);
        if (kind == 1) {
            first = count;
            count = check_integer(c, first + 1, c->data.n) - first;
        } else if (count == 0 || count > (int64_t)strlen(c->word) / 2) {
            check_fail(c, 4, "line %lld: that many rows do not follow", (long long)c->line);
        }
        int64_t *row = check_alloc(c, count, sizeof *row);
        for (int64_t i = 0; i < count; i++)
            row[i] = kind == 1 ? first + i : check_integer(c, 0, c->data.n - 1);
        take_rows(c, row, count);
    }
    check_line_end(c);
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Text labels become their numbers in the order of bytes. */
static void number_labels(check *c)
{
    dataset *a = &c->data;
    char **sorted = check_alloc(c, a->n, sizeof *sorted);
    int64_t count = 0;
    memcpy(sorted, a->text, (size_t)a->n * sizeof *sorted);
    qsort(sorted, (size_t)a->n, sizeof *sorted, by_text);
    for (int64_t i = 0; i < a->n; i++)
        if (count == 0 || strcmp(sorted[i], sorted[count - 1]) != 0)
            sorted[count++] = sorted[i];
    for (int64_t i = 0; i < a->n; i++) {
        char **at = bsearch(a->text + i, sorted, (size_t)count, sizeof *sorted, by_text);
        a->y[i] = (double)(at - sorted);
    }
}

/* The distinct targets, where the rule of docs/data.md calls them classes. */
static void find_classes(check *c)
{
    dataset *a = &c->data;
    const int64_t tenth = a->n / 10 < 1000 ? a->n / 10 : 1000, most = tenth > 20 ? tenth : 20;
    bool whole = true;
    int64_t count = 0;
    if (a->outputs != 1)
        return;
    a->text_classes = a->text != NULL;
    if (a->text)
        number_labels(c);
    double *values = check_alloc(c, a->n, sizeof *values);
    for (int64_t i = 0; i < a->n; i++)
        values[i] = a->y[i] + 0.0;
    qsort(values, (size_t)a->n, sizeof *values, by_value);
    for (int64_t i = 0; i < a->n; i++)
        if (count == 0 || values[i] != values[count - 1])
            values[count++] = values[i];
    for (int64_t k = 0; k < count; k++)
        whole = whole && values[k] == floor(values[k]);
    if (a->text || count <= 2 || (whole && count <= most)) {
        a->class_value = values;
        a->classes = count;
    }
}

/* A label written as the hexadecimal values of its bytes. */
static char *hex_label(check *c)
{
    const char *word = check_word(c);
    const int64_t length = (c->word - word) / 2;
    char *label = check_alloc(c, length + 1, 1);
    for (int64_t k = 0; k < length; k++) {
        unsigned byte = 0;
        if (sscanf(word + 2 * k, "%2x", &byte) != 1 || byte == 0)
            check_fail(c, 4, "line %lld: a label in hexadecimal bytes was expected", (long long)c->line);
        label[k] = (char)byte;
    }
    return label;
}

/* Keeps two classes as +1 and -1. */
static void pick_classes(check *c)
{
    static const char *const kinds[] = {"all", "texts", "numbers", NULL};
    dataset *a = &c->data;
    check_next_line(c, "classes");
    const int kind = check_choice(c, kinds);
    if (kind > 0) {
        double value[2];
        int64_t count = 0, *row = check_alloc(c, a->n, sizeof *row);
        if ((kind == 1) != (a->text != NULL) || a->outputs != 1)
            check_fail(c, 4, "line %lld: the targets are not of this kind", (long long)c->line);
        double *y = check_alloc(c, a->n, sizeof *y);
        for (int side = 0; side < 2; side++) {
            const char *label = kind == 1 ? hex_label(c) : NULL;
            const dyadic number = kind == 2 ? check_number(c) : (dyadic){0, 0};
            value[side] = ldexp((double)number.m, number.e < -2000 ? -2000 : (int)number.e);
            for (int64_t i = 0; i < a->n; i++)
                if (label ? strcmp(a->text[i], label) == 0 : a->y[i] == value[side])
                    y[i] = side ? -1 : 1;
        }
        for (int64_t i = 0; i < a->n; i++)
            if (y[i] != 0)
                row[count++] = i;
        if (count == 0)
            check_fail(c, 4, "line %lld: no row has one of these classes", (long long)c->line);
        memcpy(a->y, y, (size_t)a->n * sizeof *y);
        a->text = NULL;
        take_rows(c, row, count);
        a->classes = 0;
        find_classes(c);
    }
    check_line_end(c);
}

/* The mean over rows of x_ij, or of (x_ij - shift)^2. */
static double column_mean(const dataset *a, int64_t j, const double *shift)
{
    double sum = 0;
    for (int64_t i = 0; i < a->n; i++) {
        const double value = a->x[i * a->d + j], centred = shift ? value - *shift : 0;
        sum += shift ? centred * centred : value;
    }
    return sum / (double)a->n;
}

static void standardize(check *c)
{
    dataset *a = &c->data;
    for (int64_t j = 0; j < a->d; j++) {
        bool constant = true;
        for (int64_t i = 1; i < a->n; i++)
            constant = constant && a->x[i * a->d + j] == a->x[j];
        const double mean = constant ? a->x[j] : column_mean(a, j, NULL);
        const double scale = constant ? 1 : sqrt(column_mean(a, j, &mean));
        if (!isfinite(mean) || !isfinite(scale) || !(scale > 0))
            check_fail(c, 5, "column %lld (from 0) of the data cannot be standardized", (long long)j);
        for (int64_t i = 0; i < a->n; i++)
            a->x[i * a->d + j] = (a->x[i * a->d + j] - mean) / scale;
    }
}

static void normalize_rows(check *c)
{
    dataset *a = &c->data;
    for (int64_t i = 0; i < a->n; i++) {
        double *x = a->x + i * a->d, sum = 0;
        bool zero = true;
        for (int64_t j = 0; j < a->d; j++) {
            sum += x[j] * x[j];
            zero = zero && x[j] == 0;
        }
        const double norm = sqrt(sum);
        if (!zero && (!(norm > 0) || !isfinite(norm)))
            check_fail(c, 5, "row %lld (from 0) of the data has a norm outside the range of double",
                       (long long)i);
        for (int64_t j = 0; !zero && j < a->d; j++)
            x[j] /= norm;
    }
}

/* A last column of ones. */
static void augment(check *c)
{
    dataset *a = &c->data;
    double *x = check_alloc(c, a->n * (a->d + 1), sizeof *x);
    for (int64_t i = 0; i < a->n; i++) {
        memcpy(x + i * (a->d + 1), a->x + i * a->d, (size_t)a->d * sizeof *x);
        x[i * (a->d + 1) + a->d] = 1;
    }
    a->x = x;
    a->d++;
}

void check_prepare(check *c)
{
    static const char *const normalizations[] = {"none", "unit", "standardize", NULL};
    static const char *const biases[] = {"none", "augment", "free", NULL};
    dataset *a = &c->data;
    select_rows(c);
    find_classes(c);
    pick_classes(c);
    for (int64_t i = 0; a->weight && i < a->n; i++)
        if (!(a->weight[i] > 0))
            check_fail(c, 5, "the weight of row %lld (from 0) is not positive", (long long)i);
    check_next_line(c, "normalize");
    const int kind = check_choice(c, normalizations);
    check_line_end(c);
    if (kind == NORMALIZE_UNIT)
        normalize_rows(c);
    if (kind == NORMALIZE_STANDARDIZE)
        standardize(c);
    check_next_line(c, "bias");
    a->bias = check_choice(c, biases);
    check_line_end(c);
    if (a->bias == BIAS_AUGMENT)
        augment(c);
    for (int64_t k = 0; k < a->n * a->d; k++)
        if (!isfinite(a->x[k]))
            check_fail(c, 5, "the normalised data is not finite");
}

/* Two classes become -1 and +1 (one alone: +1, or -1 where it is a number <= 0), more become one-hot. */
void check_code_targets(check *c, int loss, double **y, int64_t *outputs)
{
    const dataset *a = &c->data;
    *y = a->y;
    *outputs = a->outputs;
    if (loss == LOSS_SQUARED || loss == LOSS_EQUALITY)
        return;
    if (a->outputs > 1) {
        for (int64_t i = 0; i < a->n; i++) {
            int64_t ones = 0, zeros = 0;
            for (int64_t k = 0; k < a->outputs; k++) {
                ones += a->y[i * a->outputs + k] == 1;
                zeros += a->y[i * a->outputs + k] == 0;
            }
            if (ones != 1 || zeros != a->outputs - 1)
                check_fail(c, 5, "the targets are not one-hot");
        }
        return;
    }
    if (a->classes == 0)
        check_fail(c, 5, "the targets are no classes");
    *outputs = a->classes > 2 ? a->classes : 1;
    *y = check_alloc(c, a->n * *outputs, sizeof **y);
    for (int64_t i = 0; i < a->n; i++) {
        const double *at = bsearch(a->y + i, a->class_value, (size_t)a->classes, sizeof *at, by_value);
        const int64_t k = at - a->class_value;
        if (a->classes > 2)
            (*y)[i * a->classes + k] = 1;
        else if (a->classes == 1)
            (*y)[i] = a->text_classes || a->class_value[0] > 0 ? 1 : -1;
        else
            (*y)[i] = k == 1 ? 1 : -1;
    }
}
