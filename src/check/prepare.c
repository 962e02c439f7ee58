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
static void take_rows(check *c)
{
    dataset *a = &c->data;
    const double *all = a->table;
    const int kind = check_choice(c, "rows", "all range list");
    const int64_t n = a->n, first = kind == 1 ? check_integer(c, NULL, 0, n - 1) : 0;
    a->n = kind == 0 ? n : kind == 1 ? check_integer(c, NULL, first + 1, n) - first : check_count(c);
    a->table = check_alloc(c, a->n, (size_t)a->stride * sizeof *all);
    for (int64_t i = 0; i < a->n; i++) {
        const int64_t row = kind == 2 ? check_integer(c, NULL, 0, n - 1) : first + i;
        memcpy(a->table + i * a->stride, all + row * a->stride, (size_t)a->stride * sizeof *all);
    }
}

/* A label written as the hexadecimal values of its bytes, decoded in place. */
static const char *hex_label(check *c)
{
    char *word = check_word(c, NULL), *out = word;
    for (const char *at = word; *at; at += 2, out++) {
        const int high = check_hex(at[0]), low = check_hex(at[1]);
        need(c, high >= 0 && low >= 0 && high + low > 0, "a label in hexadecimal bytes was expected");
        *out = (char)(16 * high + low);
    }
    *out = 0;
    return word;
}

/* "classes all | texts A B | numbers A B": of the rows those of two classes, as +1 and -1. */
static void pick_classes(check *c)
{
    dataset *a = &c->data;
    const int kind = check_choice(c, "classes", "all texts numbers");
    const int64_t n = a->n;
    need(c, kind == 0 || ((kind == 1) == (a->text != NULL) && a->outputs == 1),
         "the targets are not of this kind");
    const char *first = kind == 1 ? hex_label(c) : NULL, *second = kind == 1 ? hex_label(c) : NULL;
    const num *value = kind == 2 ? check_numbers(c, NULL, 2) : NULL;
    a->n = kind == 0 ? n : 0;
    for (int64_t i = 0; kind > 0 && i < n; i++) {
        double *row = a->table + i * a->stride, *y = row + a->d;
        const char *text = kind == 1 ? a->text[(int64_t)*y] : NULL;
        const bool plus = text ? strcmp(text, first) == 0 : arf_cmp_d(arb_midref(value), *y) == 0;
        const bool minus = text ? strcmp(text, second) == 0 : arf_cmp_d(arb_midref(value + 1), *y) == 0;
        *y = minus ? -1 : 1;
        if (plus || minus)
            memmove(a->table + a->n++ * a->stride, row, (size_t)a->stride * sizeof *row);
    }
    a->text = kind == 0 ? a->text : NULL;
    need(c, a->n > 0, "no row is kept");
}

/* A target of row i: a text or a number. */
typedef struct target {
    const char *text;
    double *value;
    int64_t row;
} target;

static int by_target(const void *left, const void *right)
{
    const target *a = left, *b = right;
    return a->text ? strcmp(a->text, b->text) : (*a->value > *b->value) - (*a->value < *b->value);
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
    for (int64_t i = 0; i < a->n; i++) {
        double *y = a->table + i * a->stride + a->d;
        t[i] = (target){a->text ? a->text[(int64_t)*y] : NULL, y, i};
    }
    qsort(t, (size_t)a->n, sizeof *t, by_target);
    for (int64_t i = 0; i < a->n; i++) {
        count += i == 0 || by_target(t + i, t + i - 1) != 0;
        whole = whole && *t[i].value == floor(*t[i].value);
        a->label[t[i].row] = count - 1;
    }
    a->classes = a->text || count <= 2 || (whole && count <= most) ? count : 0;
    for (int64_t i = 0; a->text && i < a->n; i++)
        *t[i].value = (double)a->label[t[i].row];
    for (int64_t i = 0; count == 1 && i < a->n;
         i++) /* one class alone: +1, or -1 where it is a number <= 0 */
        a->label[i] = a->text || *t->value > 0;
}

/* A row over its length, or a column around its mean over its deviation (divisor n); what is constantly 0 stays 0. */
static bool scale(double *x, int64_t count, int64_t step, bool centred)
{
    double mean = 0, square = 0;
    bool constant = true, zero = true;
    for (int64_t k = 0; k < count; k++) {
        mean += x[k * step];
        constant = constant && x[k * step] == x[0];
    }
    mean = !centred ? 0 : constant ? x[0] : mean / (double)count;
    for (int64_t k = 0; k < count; k++) {
        x[k * step] -= mean;
        square += x[k * step] * x[k * step];
        zero = zero && x[k * step] == 0;
    }
    const double length = sqrt(centred ? square / (double)count : square);
    for (int64_t k = 0; k < count && !zero; k++)
        x[k * step] /= length;
    return isfinite(length);
}

/* The data as exact numbers with a column of ones, which becomes one of the data where the bias is augmented. */
static void make_points(check *c)
{
    dataset *a = &c->data;
    const int64_t d = a->d, width = d + 1 + (a->bias == BIAS_AUGMENT);
    a->point = check_alloc(c, a->n * width, sizeof *a->point);
    a->weight = check_alloc(c, a->n, sizeof *a->weight);
    for (int64_t i = 0; i < a->n; i++) {
        const double *row = a->table + i * a->stride, weight = row[a->stride - 1];
        need_data(c, weight > 0, "the weight of row %lld (from 0) is not positive", (long long)i);
        a->weight[i] = num_real(weight);
        for (int64_t j = 0; j < width; j++) {
            const double value = j < d ? row[j] : 1;
            need_data(c, isfinite(value), "row %lld (from 0) of the normalised data is not finite",
                      (long long)i);
            a->point[i * width + j] = num_real(value);
        }
    }
    a->d = width - 1;
}

void check_prepare(check *c)
{
    dataset *a = &c->data;
    take_rows(c);
    pick_classes(c);
    if (a->outputs == 1)
        find_classes(c);
    const int kind = check_choice(c, "normalize", "none unit standardize");
    for (int64_t i = 0; kind == 1 && i < a->n; i++)
        need_data(c, scale(a->table + i * a->stride, a->d, 1, false),
                  "row %lld (from 0) of the data is too large", (long long)i);
    for (int64_t j = 0; kind == 2 && j < a->d; j++)
        need_data(c, scale(a->table + j, a->n, a->stride, true),
                  "column %lld (from 0) of the data is too large", (long long)j);
    a->bias = check_choice(c, "bias", "none augment free");
    make_points(c);
    check_integer(c, "shape", a->n, a->n);
    check_integer(c, NULL, a->d, a->d);
}

/* Several columns as they are, one-hot where they must be classes. One column: two classes as -1 and +1, more as one-hot. */
double *check_targets(check *c, bool classes, int64_t *outputs)
{
    const dataset *a = &c->data;
    const bool coded = classes && a->outputs == 1;
    need_data(c, !coded || a->classes > 0, "the targets are no classes");
    *outputs = !coded ? a->outputs : a->classes > 2 ? a->classes : 1;
    double *out = check_alloc(c, a->n * *outputs, sizeof *out), *y = out;
    for (int64_t i = 0; i < a->n; i++, y += *outputs) {
        int64_t ones = 0, zeros = 0;
        for (int64_t k = 0; k < *outputs; k++) {
            y[k] = !coded         ? a->table[i * a->stride + a->stride - 1 - a->outputs + k]
                   : *outputs > 1 ? a->label[i] == k
                                  : 2 * (double)a->label[i] - 1;
            ones += y[k] == 1;
            zeros += y[k] == 0;
        }
        need_data(c, coded || !classes || (ones == 1 && zeros == *outputs - 1),
                  "the targets are not one-hot");
    }
    return out;
}
