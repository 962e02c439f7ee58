/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain CSV and LIBSVM text to numbers (strtod in the C locale, which rounds correctly).
 *
 *     CSV:    field *( "," field ) LF       no quotes; white space around fields; blank lines at the end only.
 *             A line that is stated to be a header must hold a word that is no number.
 *     LIBSVM: label *( SP index ":" value ) [ "#" ... ] LF, indices from 1 ascending.
 *
 * The text is copied and cut into words in place; text labels stay there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

static const char BLANK[] = " \t\r";

/* The number that is all of a word: decimal digits, finite. */
static bool number(double *value, const char *word)
{
    char *end;
    *value = strtod(word, &end);
    return *word && !*end && isfinite(*value) && !word[strspn(word, "+-0123456789.eE")];
}

/* Takes what stands before the mark, without blanks around it; *at moves behind the mark, or becomes NULL. */
static char *cut(char **at, char mark)
{
    char *from = *at, *to = strchr(from, mark);
    *at = to ? to + 1 : NULL;
    to = to ? to : from + strlen(from);
    from += strspn(from, BLANK);
    while (to > from && strchr(BLANK, to[-1]))
        to--;
    *to = 0;
    return from;
}

static int64_t count_of(const char *text, char mark, char stop)
{
    int64_t count = 1;
    for (; *text && *text != stop; text++)
        count += *text == mark;
    return count;
}

static char *copy_text(check *c, const char *bytes, int64_t size)
{
    if (memchr(bytes, 0, (size_t)size))
        check_fail(c, 5, "the data has a zero byte");
    return memcpy(check_alloc(c, size + 1, 1), bytes, (size_t)size);
}

static void set_shape(check *c, int64_t n, int64_t d)
{
    dataset *a = &c->data;
    if (n < 1 || d < 1)
        check_fail(c, 5, "the data has %lld rows and %lld columns", (long long)n, (long long)d);
    *a = (dataset){.n = n, .d = d, .outputs = 1};
    a->x = check_alloc(c, n, (size_t)d * sizeof *a->x); /* fails before n d could overflow */
    a->y = check_alloc(c, n, sizeof *a->y);
}

/* Row i from its line; the first row tells whether targets are text. */
static void read_row(check *c, char *line, int64_t i, int64_t columns, int64_t target, int64_t weights)
{
    dataset *a = &c->data;
    double *x = a->x + i * a->d, value;
    for (int64_t k = 0; k < columns; k++) {
        if (!line)
            check_fail(c, 5, "row %lld (from 0) of the data has too few fields", (long long)i);
        char *field = cut(&line, ',');
        const bool good = number(&value, field);
        if (k == target && i == 0 && !good)
            a->text = check_alloc(c, a->n, sizeof *a->text);
        if (k == target && a->text)
            a->text[i] = field;
        else if (!good)
            check_fail(c, 5, "row %lld (from 0), field %lld of the data is not a plain finite number",
                       (long long)i, (long long)k);
        *(k == target ? a->y + i : k == weights ? a->weight + i : x++) = value;
    }
    if (line)
        check_fail(c, 5, "row %lld (from 0) of the data has too many fields", (long long)i);
}

void check_read_csv(check *c, const char *bytes, int64_t size)
{
    double value;
    check_line(c, "table");
    const bool header = check_integer(c, 0, 1);
    char *at = copy_text(c, bytes, size);
    const int64_t columns = count_of(at, ',', '\n');
    const int64_t target = check_integer(c, 0, columns - 1), weights = check_integer(c, -1, columns - 1);
    check_end(c);
    if (weights == target)
        check_reject(c, "the targets are no weights");
    if (strchr(at, '"'))
        check_fail(c, 5, "the data has quotes: only plain CSV is read here");
    for (size_t end = strlen(at); end > 0 && strchr(" \t\r\n", at[end - 1]); end--)
        at[end - 1] = 0;
    if (header) {
        bool text = false;
        for (char *line = cut(&at, '\n'); line;)
            text |= !number(&value, cut(&line, ','));
        if (!text || !at)
            check_reject(c, "the data's first line is not a header");
    }
    set_shape(c, count_of(at, '\n', 0), columns - 1 - (weights >= 0));
    c->data.weight = weights >= 0 ? check_alloc(c, c->data.n, sizeof(double)) : NULL;
    for (int64_t i = 0; i < c->data.n; i++)
        read_row(c, cut(&at, '\n'), i, columns, target, weights);
}

/* An entry of a LIBSVM file. */
typedef struct entry {
    int64_t row, index;
    double value;
} entry;

static bool read_entry(entry *e, const char *word, int64_t last)
{
    const size_t digits = strspn(word, "0123456789");
    e->index = strtoll(word, NULL, 10);
    return digits > 0 && word[digits] == ':' && e->index > last && e->index <= INT32_MAX &&
           number(&e->value, word + digits + 1);
}

void check_read_libsvm(check *c, const char *bytes, int64_t size)
{
    int64_t d = check_line_integer(c, "table", -1, INT32_MAX), n = 0, count = 0, widest = 0;
    char *at = copy_text(c, bytes, size);
    entry *entries = check_alloc(c, size / 4 + 1, sizeof *entries); /* " 1:0" */
    double *y = check_alloc(c, count_of(at, '\n', 0), sizeof *y);
    while (at) {
        char *line = cut(&at, '\n');
        line = cut(&line, '#');
        if (!*line)
            continue;
        char *word = line, *rest = line + strcspn(line, BLANK);
        for (int64_t last = -1; *word; last = last < 0 ? 0 : entries[count++].index) {
            if (*rest)
                *rest++ = 0;
            if (last < 0 ? !number(y + n, word) : !read_entry(entries + count, word, last))
                check_fail(c, 5, "row %lld (from 0) of the data: '%.40s' is not index:value, ascending",
                           (long long)n, word);
            entries[count].row = n;
            word = rest + strspn(rest, BLANK);
            rest = word + strcspn(word, BLANK);
        }
        n++;
    }
    for (int64_t k = 0; k < count; k++)
        widest = entries[k].index > widest ? entries[k].index : widest;
    d = d > 0 ? d : widest;
    if (widest > d)
        check_fail(c, 5, "the data has an index above %lld", (long long)d);
    set_shape(c, n, d);
    memcpy(c->data.y, y, (size_t)n * sizeof *y);
    for (int64_t k = 0; k < count; k++)
        c->data.x[entries[k].row * d + entries[k].index - 1] = entries[k].value;
}
