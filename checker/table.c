/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain CSV and LIBSVM text and NPY arrays to numbers (strtod in the C locale, which rounds correctly).
 *
 *     CSV:    field *( "," field ) LF       no quotes; white space around fields; blank lines at the end only.
 *             A line that is stated to be a header must hold a word that is no number.
 *     LIBSVM: label *( SP index ":" value ) [ "#" ... ] LF, indices from 1 ascending.
 *     NPY:    version 1 or 2, f4, f8, integers and bool, little-endian, either order of indices.
 *
 * Text is copied and cut into words in place; text labels stay there.
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
    need_data(c, !memchr(bytes, 0, (size_t)size), "the data has a zero byte");
    return memcpy(check_alloc(c, size + 1, 1), bytes, (size_t)size);
}

/* n rows of these points and targets (NULL: zeros in one column), with weights 1. */
static void set_data(check *c, int64_t n, int64_t d, int64_t outputs, double *x, double *y)
{
    need_data(c, d > 0, "the data has %lld rows and %lld columns", (long long)n, (long long)d);
    dataset *a = &c->data;
    a->n = n, a->d = d, a->outputs = outputs;
    a->x = x ? x : check_alloc(c, n, (size_t)d * sizeof *x); /* fails before n d could overflow */
    a->raw = y ? y : check_alloc(c, n, sizeof *y);
    a->mass = check_alloc(c, n, sizeof *a->mass);
    a->word = x ? NULL : check_alloc(c, n, (size_t)d * sizeof *a->word);
    for (int64_t i = 0; i < n; i++)
        a->mass[i] = 1;
}

/* Row i from its line; the first row tells whether targets are text. */
static void read_row(check *c, char *line, int64_t i, int64_t columns, int64_t target, int64_t weights)
{
    dataset *a = &c->data;
    double *x = a->x + i * a->d, value;
    for (int64_t k = 0; k < columns; k++) {
        need_data(c, line, "row %lld (from 0) of the data has too few fields", (long long)i);
        char *field = cut(&line, ',');
        const bool good = number(&value, field);
        if (k == target && i == 0 && !good)
            a->text = check_alloc(c, a->n, sizeof *a->text);
        const bool text = k == target && a->text;
        need_data(c, good || text, "row %lld (from 0), field %lld of the data is not a plain finite number",
                  (long long)i, (long long)k);
        if (text)
            a->text[i] = field;
        if (k != target && k != weights)
            a->word[x - a->x] = field;
        *(k == target ? a->raw + i : k == weights ? a->mass + i : x++) = value;
    }
    need_data(c, !line, "row %lld (from 0) of the data has too many fields", (long long)i);
}

void check_read_csv(check *c, const char *bytes, int64_t size)
{
    double value;
    char *at = copy_text(c, bytes, size);
    const int64_t columns = count_of(at, ',', '\n'), header = check_choice(c, NULL, "0 1");
    const int64_t target = check_integer(c, NULL, 0, columns - 1),
                  weights = check_integer(c, NULL, -1, columns - 1);
    need(c, weights != target, "the targets are no weights");
    c->data.target = target, c->data.mass_at = weights;
    need_data(c, !strchr(at, '"'), "the data has quotes: only plain CSV is read here");
    for (size_t end = strlen(at); end > 0 && strchr(" \t\r\n", at[end - 1]); end--)
        at[end - 1] = 0;
    if (header) {
        bool text = false;
        for (char *line = cut(&at, '\n'); line;)
            text |= !number(&value, cut(&line, ','));
        need(c, text && at, "the data's first line is not a header");
    }
    set_data(c, count_of(at, '\n', 0), columns - 1 - (weights >= 0), 1, NULL, NULL);
    for (int64_t i = 0; i < c->data.n; i++)
        read_row(c, cut(&at, '\n'), i, columns, target, weights);
}

/* "index:value" into its place of the row; returns the index, or -1 where it is none from low to d. */
static int64_t read_entry(double *row, const char **text, const char *word, int64_t low, int64_t d)
{
    double value;
    const size_t digits = strspn(word, "0123456789");
    const int64_t index = strtoll(word, NULL, 10);
    if (digits == 0 || word[digits] != ':' || index < low || index > d || !number(&value, word + digits + 1))
        return -1;
    row[index - 1] = value;
    text[index - 1] = word + digits + 1;
    return index;
}

void check_read_libsvm(check *c, const char *bytes, int64_t size)
{
    const int64_t d = check_integer(c, NULL, 1, INT32_MAX);
    char *at = copy_text(c, bytes, size);
    int64_t n = 0;
    set_data(c, count_of(at, '\n', 0), d, 1, NULL, NULL); /* as many rows as lines, at most */
    while (at) {
        char *line = cut(&at, '\n'), *word = strtok(cut(&line, '#'), BLANK);
        double *row = c->data.x + n * d;
        bool good = word && number(c->data.raw + n, word);
        for (int64_t index = 0; good && (word = strtok(NULL, BLANK)); good = index > 0)
            index = read_entry(row, c->data.word + n * d, word, index + 1, d);
        need_data(c, good || !word,
                  "row %lld (from 0) of the data: '%.40s' is not index:value, ascending up to %lld",
                  (long long)n, word, (long long)d);
        n += good;
    }
    need_data(c, n > 0, "the data has no rows");
    c->data.n = n;
}

/* The element of an NPY array at `at` as a double. */
static double element(char kind, int64_t size, const unsigned char *at)
{
    uint64_t bits = 0;
    double value;
    float single;
    for (int64_t k = size - 1; k >= 0; k--)
        bits = bits << 8 | at[k];
    if (kind == 'i') /* the sign bit to the top and back */
        return (double)((int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size));
    if (kind != 'f')
        return (double)bits;
    const uint32_t low = (uint32_t)bits;
    memcpy(&value, &bits, sizeof value);
    memcpy(&single, &low, sizeof single);
    return size == 8 ? value : (double)single;
}

/* The text after "'key':" in the header, without blanks. Other spellings, and a key that is there twice,
 * could be read in two ways. */
static const char *value_of(check *c, const char *header, const char *key)
{
    const char *at = strstr(header, key);
    need_data(c, at && !strstr(at + 1, key) && at[strlen(key)] == ':' && !strpbrk(header, "\"\\"),
              "the NPY file's header does not have %s once", key);
    at += strlen(key) + 1;
    return at + strspn(at, " ");
}

static double *read_array(check *c, const char *bytes, int64_t size, int64_t shape[2])
{
    const unsigned char *b = (const unsigned char *)bytes;
    need_data(c, size >= 12 && memcmp(b, "\x93NUMPY", 6) == 0 && (b[6] == 1 || b[6] == 2),
              "this is no NPY file of version 1 or 2");
    const int64_t wide = 2 * b[6]; /* bytes of the header's length */
    const int64_t length = b[8] | b[9] << 8 | (wide == 4 ? b[10] << 16 | (int64_t)b[11] << 24 : 0);
    const int64_t left = size - 8 - wide - length;
    need_data(c, left >= 0, "the NPY file's header is not whole");
    char *header = memcpy(check_alloc(c, length + 1, 1), b + 8 + wide, (size_t)length), name[3] = "?", end[2];
    const char *order = value_of(c, header, "'fortran_order'");
    const bool columns = strncmp(order, "True", 4) == 0;
    long long n = 0, d = 1;
    sscanf(value_of(c, header, "'descr'"), "'%*[<|]%2[fiub1248]'", name);
    const int sizes = sscanf(value_of(c, header, "'shape'"), "(%10lld ,%10lld%1[)]", &n, &d, end);
    need_data(c,
              strstr("f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1", name) && name[1] && sizes >= 1 && sizes != 2 &&
                  (columns || strncmp(order, "False", 5) == 0),
              "the NPY file holds something other than a matrix or vector of numbers");
    const int64_t each = name[1] - '0';
    need_data(c, n > 0 && d > 0 && n <= left / each / d && n * d * each == left,
              "the NPY file's size does not agree with its shape");
    double *out = check_alloc(c, n * d, sizeof *out);
    for (int64_t k = 0; k < n * d; k++) {
        const int64_t at = columns ? k % d * n + k / d : k;
        out[k] = element(name[0], each, b + size - left + at * each);
        need_data(c, isfinite(out[k]), "row %lld (from 0) of the NPY file is not finite", (long long)(k / d));
    }
    shape[0] = n;
    shape[1] = d;
    return out;
}

void check_read_npy(check *c, const char *bytes, int64_t size, const char *labels, int64_t labels_size)
{
    int64_t shape[2], targets[2];
    double *x = read_array(c, bytes, size, shape), *y = read_array(c, labels, labels_size, targets);
    need_data(c, targets[0] == shape[0], "there are %lld labels for %lld rows", (long long)targets[0],
              (long long)shape[0]);
    set_data(c, shape[0], shape[1], targets[1], x, y);
}
