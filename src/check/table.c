/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain CSV and LIBSVM text to numbers (strtod in the C locale, which rounds correctly).
 *
 *     CSV:    field *( "," field ) LF       no quotes; white space around fields; blank lines at the end only.
 *             A stated header is skipped; its first data row must then have a number below a text, or the header no
 *             number at all: the rule by which the file was read.
 *     LIBSVM: label *( SP index ":" value ) [ "#" ... ] LF, indices from 1 ascending.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

static const int64_t CELLS = INT64_C(1) << 24; /* of the dense matrix */

static bool blank(char ch) { return ch == ' ' || ch == '\t' || ch == '\r'; }

/* The number in text[0..length), all of it; decimal digits only. */
static bool number(double *value, const char *text, size_t length)
{
    char copy[400], *end;
    if (length == 0 || length >= sizeof copy || strspn(text, "+-0123456789.eE") < length)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    *value = strtod(copy, &end);
    return *end == 0 && isfinite(*value);
}

/* A field of a line: trimmed text. */
typedef struct field {
    const char *text;
    size_t length;
} field;

/* Takes the field at *at, which moves behind its comma, or to the line's end. */
static field next_field(const char **at)
{
    const char *from = *at, *to = from + strcspn(from, ",\n");
    *at = *to == ',' ? to + 1 : to;
    while (from < to && blank(*from))
        from++;
    while (to > from && blank(to[-1]))
        to--;
    return (field){from, (size_t)(to - from)};
}

static bool empty_line(const char *at)
{
    while (blank(*at))
        at++;
    return *at == '\n' || *at == 0;
}

static const char *line_end(const char *at) { return at + strcspn(at, "\n"); }

/* Lines with something on them; after a blank one only blank ones may follow. */
static int64_t count_lines(check *c, const char *text)
{
    int64_t lines = 0;
    bool ended = false;
    for (const char *at = text; *at; at = *line_end(at) ? line_end(at) + 1 : line_end(at)) {
        if (empty_line(at)) {
            ended = true;
            continue;
        }
        if (ended)
            check_fail(c, 5, "the data has a blank line before its line %lld", (long long)lines + 2);
        lines++;
    }
    return lines;
}

static int64_t count_fields(const char *line)
{
    int64_t fields = 1;
    for (const char *at = line; *at && *at != '\n'; at++)
        fields += *at == ',';
    return fields;
}

/* The rule of the head comment. */
static bool is_header(const char *first, const char *second)
{
    double value;
    bool numbers = false, above = false;
    while (*first && *first != '\n') {
        const field a = next_field(&first);
        field b = {"", 0};
        if (*second && *second != '\n')
            b = next_field(&second);
        const bool text = a.length > 0 && !number(&value, a.text, a.length);
        above = above || (text && number(&value, b.text, b.length));
        numbers = numbers || !text;
    }
    return above || !numbers;
}

/* A text label, copied. */
static char *label(check *c, const field *f)
{
    char *copy = check_alloc(c, (int64_t)f->length + 1, 1);
    memcpy(copy, f->text, f->length);
    return copy;
}

static void read_row(check *c, const source *from, const char *at, int64_t i, int64_t columns)
{
    dataset *a = &c->data;
    int64_t j = 0, k = 0;
    for (; k < columns; k++) {
        const field f = next_field(&at);
        double value = 0;
        const bool is_number = number(&value, f.text, f.length);
        if (k == from->target && a->text)
            a->text[i] = label(c, &f);
        else if (!is_number || (f.length > 0 && *f.text == '"'))
            check_fail(c, 5, "row %lld (from 0), field %lld of the data is not a plain finite number",
                       (long long)i, (long long)k);
        if (k == from->target)
            a->y[i] = value;
        else if (k == from->weights)
            a->weight[i] = value;
        else
            a->x[i * a->d + j++] = value;
    }
}

static void set_shape(check *c, int64_t n, int64_t d)
{
    if (n < 1 || d < 1 || n > CELLS / d)
        check_fail(c, n < 1 || d < 1 ? 5 : 6, "the data has %lld rows and %lld columns", (long long)n,
                   (long long)d);
    c->data.n = n;
    c->data.d = d;
    c->data.outputs = 1;
    c->data.x = check_alloc(c, n * d, sizeof(double));
    c->data.y = check_alloc(c, n, sizeof(double));
}

void check_read_csv(check *c, const source *from, const char *text)
{
    const int64_t lines = count_lines(c, text), columns = count_fields(text);
    const char *second = *line_end(text) ? line_end(text) + 1 : "";
    if (strchr(text, '"'))
        check_fail(c, 5, "the data has quotes: only plain CSV is read here");
    if (is_header(text, second) != (from->header != 0))
        check_fail(c, 4, "line %lld: the data's first line is %sa header", (long long)c->line,
                   from->header ? "not " : "");
    if (from->target < 0 || from->target >= columns || from->weights >= columns ||
        from->weights == from->target)
        check_fail(c, 4, "line %lld: no such column", (long long)c->line);
    set_shape(c, lines - from->header, columns - 1 - (from->weights >= 0));
    if (from->weights >= 0)
        c->data.weight = check_alloc(c, c->data.n, sizeof(double));
    const char *at = from->header ? second : text;
    for (int64_t i = 0; i < c->data.n; i++, at = line_end(at) + 1) {
        if (count_fields(at) != columns)
            check_fail(c, 5, "row %lld (from 0) of the data has another number of fields", (long long)i);
        if (i == 0) { /* text below the target: labels */
            const char *f = at;
            double value;
            for (int64_t k = 0; k < from->target; k++)
                next_field(&f);
            const field target = next_field(&f);
            if (!number(&value, target.text, target.length))
                c->data.text = check_alloc(c, c->data.n, sizeof(char *));
        }
        read_row(c, from, at, i, columns);
    }
}

/* Calls for the entries of one line: writes them where x is there; returns the largest index. */
static int64_t svm_line(check *c, const char *at, double *y, double *x, int64_t d)
{
    int64_t last = 0;
    size_t size = strcspn(at, " \t\r\n#");
    if (!number(y, at, size))
        check_fail(c, 5, "a label of the data is not a number");
    for (at += size;; at += size) {
        while (blank(*at))
            at++;
        if (*at == '\n' || *at == 0 || *at == '#')
            return last;
        const size_t digits = strspn(at, "0123456789");
        int64_t index = 0;
        double value;
        for (size_t k = 0; k < digits && k < 10; k++)
            index = 10 * index + (at[k] - '0');
        size = strcspn(at, " \t\r\n#");
        if (digits == 0 || digits > 10 || at[digits] != ':' || index <= last || index > INT32_MAX ||
            (x && index > d) || !number(&value, at + digits + 1, size - digits - 1))
            check_fail(c, 5, "the data has an entry that is not index:value with ascending indices");
        last = index;
        if (x)
            x[index - 1] = value;
    }
}

void check_read_libsvm(check *c, const source *from, const char *text)
{
    int64_t n = 0, d = from->columns > 0 ? from->columns : 0;
    double y;
    count_lines(c, text);
    for (int pass = 0; pass < 2; pass++) {
        int64_t i = 0;
        for (const char *at = text; *at; at = *line_end(at) ? line_end(at) + 1 : line_end(at)) {
            const char *start = at;
            while (blank(*start))
                start++;
            if (*start == '#' || empty_line(start))
                continue;
            const int64_t last =
                svm_line(c, start, pass ? c->data.y + i : &y, pass ? c->data.x + i * d : NULL, d);
            if (pass == 0 && from->columns < 1 && last > d)
                d = last;
            i++;
        }
        n = i;
        if (pass == 0)
            set_shape(c, n, d);
    }
}
