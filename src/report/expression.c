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
#include <string.h>

#include "context_internal.h"
#include "expression_functions.h"
#include "json_internal.h"
#include "memory.h"
#include "number.h"

enum { DEPTH = 100, NAME = FATHOM_EXPRESSION_NAME };

typedef struct parser {
    fathom_context *context;
    fathom_json *tables;
    const fathom_expression_scope *scope; /* NULL: all rows */
    const char *text, *at;
    int depth;
} parser;

typedef fathom_expression_column column;

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
    FATHOM_THEN(status, create(&out, p, count));
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++)
        out.value[k] =
            apply(operator, left->value[left->count == 1 ? 0 : k], right->value[right->count == 1 ? 0 : k]);
    clear(left, p);
    clear(right, p);
    *left = out;
    return status;
}

/* The groups of a table's rows where the scope knows them. */
static const int64_t *groups_of(const parser *p, const char *table)
{
    for (int64_t k = 0; p->scope && k < p->scope->tables; k++)
        if (strcmp(p->scope->table[k], table) == 0)
            return p->scope->group[k];
    return NULL;
}

/* A number, a truth value as 1 or 0, NaN for whatever else. */
static double cell(const fathom_json *row, const char *key)
{
    double value;
    bool flag;
    if (fathom_json_is_null(row, key))
        return NAN;
    if (fathom_json_get_real(&value, row, key) == FATHOM_OK)
        return value;
    return fathom_json_get_bool(&flag, row, key) == FATHOM_OK ? flag : NAN;
}

/* The numbers of one key in the rows of a table, those of the scope's group. */
static fathom_status take_column(column *out, parser *p, const char *table, const char *key)
{
    fathom_json *rows, *row;
    if (!fathom_json_has(p->tables, table))
        return fail(p, "an unknown table");
    const int64_t *group = groups_of(p, table);
    fathom_status status = fathom_json_get_list(&rows, p->tables, table);
    const int64_t count = status == FATHOM_OK ? fathom_json_count(rows) : 0;
    FATHOM_THEN(status, create(out, p, count));
    int64_t known = 0, taken = 0;
    for (int64_t k = 0; status == FATHOM_OK && k < count; k++) {
        if (group && group[k] != p->scope->at)
            continue;
        status = fathom_json_get_item(&row, rows, k);
        if (status != FATHOM_OK)
            break;
        const bool there = fathom_json_has(row, key);
        known += there;
        out->value[taken++] = there ? cell(row, key) : NAN;
    }
    out->count = taken;
    return status == FATHOM_OK && !known && taken ? fail(p, "an unknown column") : status;
}

static fathom_status take_call(column *out, parser *p, const char *name)
{
    column second = {NULL, -1};
    fathom_status status = comparison(out, p);
    if (status == FATHOM_OK && take(p, ","))
        status = comparison(&second, p);
    if (status == FATHOM_OK && !take(p, ")"))
        status = fail(p, "a missing )");
    FATHOM_THEN(status, fathom_expression_call(out, name, &second)
                            ? FATHOM_OK
                            : fail(p, "an unknown function, or arguments that do not fit it,"));
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
    FATHOM_TRY(take_name(name, p));
    fathom_status status = FATHOM_OK;
    if (take(p, "("))
        return take_call(out, p, name);
    if (*p->at == '.') {
        p->at++;
        status = take_name(key, p);
        if (status == FATHOM_OK && *p->at == '.')
            return fail(p, "a second dot (the member a.b of a result is the column a_b)");
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
    FATHOM_TRY(create(out, p, 1));
    out->value[0] = value;
    return FATHOM_OK;
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
        FATHOM_THEN(status, combine(out, '^', &right, p));
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
        FATHOM_THEN(status, combine(out, operator, & right, p));
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
        FATHOM_THEN(status, combine(out, operator, & right, p));
        clear(&right, p);
    }
    return status;
}

static fathom_status comparison(column *out, parser *p)
{
    column right = {NULL, 0};
    FATHOM_TRY(sum(out, p));
    const int operator= take(p, "<=") ? 'l'
    : take(p, ">=")                   ? 'g'
    : take(p, "==")                   ? '='
    : take(p, "<")                    ? '<'
    : take(p, ">")                    ? '>'
                                      : 0;
    if (!operator)
        return FATHOM_OK;
    fathom_status status = sum(&right, p);
    FATHOM_THEN(status, combine(out, operator, & right, p));
    clear(&right, p);
    return status;
}

fathom_status fathom_expression_evaluate(double **values, int64_t *count, fathom_json *tables,
                                         const fathom_expression_scope *scope, const char *text)
{
    parser p = {fathom_json_context(tables), tables, scope, text, text, 0};
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

fathom_status fathom_expression_number(double *value, fathom_json *tables,
                                       const fathom_expression_scope *scope, const char *text)
{
    double *values;
    int64_t count;
    FATHOM_TRY(fathom_expression_evaluate(&values, &count, tables, scope, text));
    fathom_status status = FATHOM_OK;
    if (count == 1)
        *value = values[0];
    else
        status = fathom_error_set(fathom_json_context(tables), FATHOM_ERROR_INPUT,
                                  "one number expected, not %lld, from %.200s", (long long)count, text);
    fathom_memory_free(fathom_json_context(tables), values);
    return status;
}

/* Names before a dot are tables, whatever stands around them. */
bool fathom_expression_table(char name[FATHOM_EXPRESSION_NAME], const char **at)
{
    const char *text = *at;
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        const bool table = length > 0 && text[length] == '.' && isalpha((unsigned char)*text) &&
                           length < FATHOM_EXPRESSION_NAME;
        if (table) {
            memcpy(name, text, length);
            name[length] = '\0';
        }
        text += length ? length : 1;
        if (table) {
            *at = text;
            return true;
        }
    }
    *at = text;
    return false;
}
