/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursive descent, one function per level:
 *
 *     comparison := sum [("<" | "<=" | "==" | ">=" | ">") sum]
 *     sum        := product {("+" | "-") product}
 *     product    := power {("*" | "/") power}
 *     power      := ["-"] atom ["^" power]
 *     atom       := number | "pi" | name "." name | name "(" comparison {"," comparison} ")" | "(" comparison ")"
 */
#include "expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "json_internal.h"
#include "memory.h"
#include "number.h"

enum { DEPTH = 100, NAME = 64 };

/* A column of numbers, or one number (count 1). */
typedef struct column {
    double *value;
    int64_t count;
} column;

typedef struct parser {
    fathom_context *context;
    fathom_json *tables;
    const char *text, *at;
    int depth;
} parser;

static fathom_status comparison(column *out, parser *p);

static fathom_status fail(parser *p, const char *what)
{
    return fathom_error_set(p->context, FATHOM_ERROR_INPUT, "%s at letter %lld of the expression %.200s",
                            what, (long long)(p->at - p->text) + 1, p->text);
}

static void clear(column *c, parser *p)
{
    fathom_memory_free(p->context, c->value);
    c->value = NULL;
}

static fathom_status create(column *c, parser *p, int64_t count)
{
    c->count = count;
    c->value = fathom_memory_alloc(p->context, count ? count : 1, sizeof *c->value);
    return c->value ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static void skip_space(parser *p)
{
    while (*p->at == ' ')
        p->at++;
}

/* Takes the word where it stands next. */
static bool take(parser *p, const char *word)
{
    const size_t length = strlen(word);
    skip_space(p);
    if (strncmp(p->at, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

static double apply(int operator, double a, double b)
{
    switch (operator) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    case '^':
        return pow(a, b);
    case '<':
        return a < b;
    case 'l':
        return a <= b;
    case '=':
        return a == b;
    case 'g':
        return a >= b;
    default:
        return a > b;
    }
}

/* left = left op right, number by number. Both are used up. */
static fathom_status combine(column *left, int operator, column * right, parser *p)
{
    fathom_status status = FATHOM_OK;
    column out = {NULL, 0};
    const int64_t count = left->count == 1 ? right->count : left->count;
    if ((left->count != 1 && left->count != count) || (right->count != 1 && right->count != count))
        status = fail(p, "columns of different lengths");
    if (status == FATHOM_OK)
        status = create(&out, p, count);
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++)
        out.value[k] =
            apply(operator, left->value[left->count == 1 ? 0 : k], right->value[right->count == 1 ? 0 : k]);
    clear(left, p);
    clear(right, p);
    *left = out;
    return status;
}

/* The numbers of one key in the rows of a table. */
static fathom_status take_column(column *out, parser *p, const char *table, const char *key)
{
    fathom_json *rows, *row;
    if (!fathom_json_has(p->tables, table))
        return fail(p, "an unknown table");
    fathom_status status = fathom_json_get_list(&rows, p->tables, table);
    if (status == FATHOM_OK)
        status = create(out, p, fathom_json_count(rows));
    int64_t known = 0;
    for (int64_t k = 0; status == FATHOM_OK && k < out->count; k++) {
        status = fathom_json_get_item(&row, rows, k);
        bool flag;
        out->value[k] = NAN;
        if (status != FATHOM_OK || !fathom_json_has(row, key))
            continue;
        known++;
        if (!fathom_json_is_null(row, key) && fathom_json_get_real(&out->value[k], row, key) != FATHOM_OK)
            out->value[k] = fathom_json_get_bool(&flag, row, key) == FATHOM_OK ? flag : NAN;
    }
    return status == FATHOM_OK && !known && out->count ? fail(p, "an unknown column") : status;
}

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

static double reduce(const char *name, column *c)
{
    const int64_t n = compact(c);
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += c->value[k];
    if (strcmp(name, "count") == 0)
        return (double)n;
    if (strcmp(name, "sum") == 0)
        return sum;
    if (n == 0)
        return NAN;
    if (strcmp(name, "mean") == 0)
        return sum / (double)n;
    if (strcmp(name, "sd") == 0)
        return spread(c->value, n, sum / (double)n);
    if (strcmp(name, "first") == 0)
        return c->value[0];
    if (strcmp(name, "last") == 0)
        return c->value[n - 1];
    qsort(c->value, (size_t)n, sizeof *c->value, compare_numbers);
    if (strcmp(name, "median") == 0)
        return (c->value[(n - 1) / 2] + c->value[n / 2]) / 2;
    return strcmp(name, "max") == 0 ? c->value[n - 1] : c->value[0];
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

/* The correlation of the points that are numbers on both axes: the geometric mean of the two slopes, with their sign. */
static double correlation(const column *x, const column *y)
{
    const double there = slope(x, y), back = slope(y, x);
    return there < 0 ? -sqrt(there * back) : sqrt(there * back);
}

/* a_k becomes a_{k + by}, around the end. */
static fathom_status shift(column *a, parser *p, double by)
{
    column out;
    const fathom_status status = create(&out, p, a->count);
    if (status != FATHOM_OK)
        return status;
    for (int64_t k = 0; k < a->count; k++) {
        const int64_t at = (k + (int64_t)by) % a->count;
        out.value[k] = a->value[at < 0 ? at + a->count : at];
    }
    clear(a, p);
    *a = out;
    return FATHOM_OK;
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

static const struct {
    const char *name;
    double (*map)(double);
} maps[] = {{"abs", fabs}, {"sqrt", sqrt}, {"exp", exp},     {"log", log},  {"log10", log10},
            {"cos", cos},  {"sin", sin},   {"floor", floor}, {"sign", sign}};
static const char *const reductions[] = {"max",   "min",   "sum",  "mean", "median",
                                         "count", "first", "last", "sd"};

/* out = name(first, second); the second argument may be missing (count -1). */
static fathom_status call(column *out, parser *p, const char *name, column *second)
{
    for (size_t k = 0; k < sizeof maps / sizeof *maps && second->count < 0; k++)
        if (strcmp(name, maps[k].name) == 0) {
            for (int64_t i = 0; i < out->count; i++)
                out->value[i] = maps[k].map(out->value[i]);
            return FATHOM_OK;
        }
    for (size_t k = 0; k < sizeof reductions / sizeof *reductions && second->count < 0; k++)
        if (strcmp(name, reductions[k]) == 0) {
            const double value = reduce(name, out);
            clear(out, p);
            const fathom_status status = create(out, p, 1);
            if (status == FATHOM_OK)
                out->value[0] = value;
            return status;
        }
    if (strcmp(name, "change") == 0 && second->count < 0) {
        change(out);
        return FATHOM_OK;
    }
    if (second->count < 0 || (second->count != out->count && second->count != 1))
        return fail(p, "an unknown function, or arguments that do not fit it,");
    if (strcmp(name, "pick") == 0) {
        pick(out, second);
        return FATHOM_OK;
    }
    if (strcmp(name, "shift") == 0 && second->count == 1)
        return out->count > 0 ? shift(out, p, second->value[0]) : FATHOM_OK;
    if ((strcmp(name, "slope") == 0 || strcmp(name, "corr") == 0) && out->count > 0) {
        out->value[0] = *name == 's' ? slope(out, second) : correlation(out, second);
        out->count = 1;
        return FATHOM_OK;
    }
    if (strcmp(name, "quantile") == 0 && out->count > 0 && second->count == 1) {
        out->value[0] = quantile(out, second->value[0]);
        out->count = 1;
        return FATHOM_OK;
    }
    return fail(p, "an unknown function, or arguments that do not fit it,");
}

static fathom_status take_call(column *out, parser *p, const char *name)
{
    column second = {NULL, -1};
    fathom_status status = comparison(out, p);
    if (status == FATHOM_OK && take(p, ","))
        status = comparison(&second, p);
    if (status == FATHOM_OK && !take(p, ")"))
        status = fail(p, "a missing )");
    if (status == FATHOM_OK)
        status = call(out, p, name, &second);
    clear(&second, p);
    return status;
}

/* A word of letters, digits and underscores. */
static fathom_status take_name(char name[NAME], parser *p)
{
    size_t length = 0;
    while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_')
        length++;
    if (length == 0 || length >= NAME)
        return fail(p, "no name");
    memcpy(name, p->at, length);
    name[length] = '\0';
    p->at += length;
    return FATHOM_OK;
}

static fathom_status take_word(column *out, parser *p)
{
    char name[NAME], key[NAME];
    fathom_status status = take_name(name, p);
    if (status != FATHOM_OK)
        return status;
    if (take(p, "("))
        return take_call(out, p, name);
    if (*p->at == '.') {
        p->at++;
        status = take_name(key, p);
        return status == FATHOM_OK ? take_column(out, p, name, key) : status;
    }
    if (strcmp(name, "pi") != 0)
        return fail(p, "an unknown name");
    status = create(out, p, 1);
    if (status == FATHOM_OK)
        out->value[0] = acos(-1);
    return status;
}

static fathom_status take_number(column *out, parser *p)
{
    double value;
    size_t end;
    if (fathom_number_parse(&value, &end, p->at, strlen(p->at)) != FATHOM_NUMBER_OK)
        return fail(p, "no number");
    p->at += end;
    const fathom_status status = create(out, p, 1);
    if (status == FATHOM_OK)
        out->value[0] = value;
    return status;
}

static fathom_status atom(column *out, parser *p)
{
    skip_space(p);
    if (isdigit((unsigned char)*p->at))
        return take_number(out, p);
    if (!take(p, "("))
        return take_word(out, p);
    const fathom_status status = comparison(out, p);
    return status == FATHOM_OK && !take(p, ")") ? fail(p, "a missing )") : status;
}

static fathom_status power(column *out, parser *p)
{
    column right = {NULL, 0};
    if (++p->depth > DEPTH)
        return fail(p, "too deep an expression");
    const bool negative = take(p, "-");
    fathom_status status = negative ? power(out, p) : atom(out, p);
    if (status == FATHOM_OK && !negative && take(p, "^")) {
        status = power(&right, p);
        if (status == FATHOM_OK)
            status = combine(out, '^', &right, p);
        clear(&right, p);
    }
    for (int64_t k = 0; k < out->count && status == FATHOM_OK && negative; k++)
        out->value[k] = -out->value[k];
    p->depth--;
    return status;
}

static fathom_status product(column *out, parser *p)
{
    fathom_status status = power(out, p);
    while (status == FATHOM_OK) {
        const int operator= take(p, "*") ? '*' : take(p, "/") ? '/' : 0;
        column right = {NULL, 0};
        if (!operator)
            break;
        status = power(&right, p);
        if (status == FATHOM_OK)
            status = combine(out, operator, & right, p);
        clear(&right, p);
    }
    return status;
}

static fathom_status sum(column *out, parser *p)
{
    fathom_status status = product(out, p);
    while (status == FATHOM_OK) {
        const int operator= take(p, "+") ? '+' : take(p, "-") ? '-' : 0;
        column right = {NULL, 0};
        if (!operator)
            break;
        status = product(&right, p);
        if (status == FATHOM_OK)
            status = combine(out, operator, & right, p);
        clear(&right, p);
    }
    return status;
}

static fathom_status comparison(column *out, parser *p)
{
    column right = {NULL, 0};
    fathom_status status = sum(out, p);
    if (status != FATHOM_OK)
        return status;
    const int operator= take(p, "<=") ? 'l'
    : take(p, ">=")                   ? 'g'
    : take(p, "==")                   ? '='
    : take(p, "<")                    ? '<'
    : take(p, ">")                    ? '>'
                                      : 0;
    if (!operator)
        return FATHOM_OK;
    status = sum(&right, p);
    if (status == FATHOM_OK)
        status = combine(out, operator, & right, p);
    clear(&right, p);
    return status;
}

fathom_status fathom_expression_evaluate(double **values, int64_t *count, fathom_json *tables,
                                         const char *text)
{
    parser p = {fathom_json_context(tables), tables, text, text, 0};
    column out = {NULL, 0};
    fathom_status status = comparison(&out, &p);
    skip_space(&p);
    if (status == FATHOM_OK && *p.at)
        status = fail(&p, "something unexpected");
    if (status != FATHOM_OK)
        clear(&out, &p);
    *values = out.value;
    *count = out.count;
    return status;
}

fathom_status fathom_expression_number(double *value, fathom_json *tables, const char *text)
{
    double *values;
    int64_t count;
    fathom_status status = fathom_expression_evaluate(&values, &count, tables, text);
    if (status != FATHOM_OK)
        return status;
    if (count == 1)
        *value = values[0];
    else
        status = fathom_error_set(fathom_json_context(tables), FATHOM_ERROR_INPUT,
                                  "one number expected, not %lld, from %.200s", (long long)count, text);
    fathom_memory_free(fathom_json_context(tables), values);
    return status;
}
