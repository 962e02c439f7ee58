/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps from raw values to the matrix of the claim, in their order: rows, classes, normalisation, bias
 * (docs/reference/data.md). Each is a sequence of IEEE double operations, rounded to nearest and never
 * fused, from left to right.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

/* "rows K a b..": the rows of K ranges, in their order. */
static int64_t *read_rows(check *c)
{
    dataset *a = &c->data;
    const int64_t ranges = check_count(c, "rows");
    int64_t *end = check_alloc(c, 2 * ranges, sizeof *end), total = 0;
    for (int64_t k = 0; k < 2 * ranges; k += 2) {
        end[k] = check_integer(c, NULL, 0, a->n);
        end[k + 1] = check_integer(c, NULL, end[k], a->n);
        total += end[k + 1] - end[k];
    }
    int64_t *keep = check_alloc(c, total, sizeof *keep);
    a->n = 0;
    for (int64_t k = 0; k < 2 * ranges; k += 2)
        for (int64_t i = end[k]; i < end[k + 1]; i++)
            keep[a->n++] = i;
    return keep;
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

/* The name of a class for the statement: a text as it is, or as hexadecimal digits where it could be
 * misread, as such digits themselves and ".." could be; a number in the fewest digits. */
static void show_class(char *out, size_t size, const char *text, const num *value)
{
    bool plain = text && *text != ' ' && text[strlen(text) - 1] != ' ' && /* no label is empty */
                 strncmp(text, "0x", 2) != 0 && strcmp(text, "..") != 0;
    for (const char *at = text; plain && *at; at++)
        plain = *at >= ' ' && *at <= '~' && !strchr("\"\\,()", *at);
    if (!text)
        check_shortest(out, size, num_nearest(*value));
    else if (plain)
        snprintf(out, size, "%s", text);
    else
        for (size_t used = (size_t)snprintf(out, size, "0x"); *text && used + 2 < size; text++)
            used += (size_t)snprintf(out + used, size - used, "%02x", (unsigned char)*text);
}

/* The names of all classes in their order, those that do not fit as "..". */
static void show_classes(dataset *a, int64_t classes, const char *const *text, const num *value)
{
    char name[sizeof a->names];
    size_t used = 0;
    for (int64_t k = 0; k < classes && used < sizeof a->names - 50; k++) {
        show_class(name, sizeof name, text ? text[k] : NULL, text ? NULL : value + k);
        const bool fits = used + strlen(name) + 1 < sizeof a->names - 50;
        used += (size_t)snprintf(a->names + used, sizeof a->names - used, "%s%s", k ? "," : "",
                                 fits ? name : "..");
        used = fits ? used : sizeof a->names;
    }
}

/* "numbers|texts K a..": of the rows those of K classes. Returns K; *label is the class of each. */
static int64_t pick_classes(check *c, int64_t *keep, int64_t **label)
{
    dataset *a = &c->data;
    const bool texts = check_choice(c, NULL, "numbers texts");
    const int64_t n = a->n, classes = check_count(c, NULL);
    need(c, texts == (a->text != NULL) && a->outputs == 1, "the targets are not of this kind");
    const char **name = check_alloc(c, classes, sizeof *name);
    for (int64_t k = 0; texts && k < classes; k++)
        name[k] = hex_label(c);
    const num *value = texts ? NULL : check_numbers(c, NULL, classes);
    show_classes(a, classes, texts ? name : NULL, value);
    *label = check_alloc(c, n, sizeof **label);
    a->n = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = keep[i];
        int64_t k = 0;
        while (k < classes &&
               (texts ? strcmp(a->text[row], name[k]) : arf_cmp_d(arb_midref(value + k), a->raw[row])))
            k++;
        keep[a->n] = row;
        (*label)[a->n] = k;
        a->n += k < classes;
    }
    return classes;
}

/* "classes none | index | signs | columns ..": targets as they are, or k, -1 and +1, or unit vectors for
 * classes. */
static void read_targets(check *c, int64_t *keep)
{
    enum { NONE, INDEX, SIGNS, COLUMNS };
    dataset *a = &c->data;
    int64_t *label = NULL;
    const int code = a->coding = check_choice(c, "classes", "none index signs columns");
    const int64_t classes = code ? pick_classes(c, keep, &label) : 0,
                  o = code == COLUMNS ? classes : a->outputs;
    need(c, code || !a->text, "targets that are texts are classes");
    need(c, code != SIGNS || classes == 2, "signs are for two classes");
    need(c, a->n > 0, "no row is kept");
    a->y = check_alloc(c, a->n, (size_t)o * sizeof *a->y);
    for (int64_t k = 0; k < a->n * o; k++)
        a->y[k] = num_real(code == NONE      ? a->raw[keep[k / o] * o + k % o]
                           : code == COLUMNS ? label[k / o] == k % o
                           : code == SIGNS   ? 2 * (double)label[k] - 1
                                             : (double)label[k]);
    a->outputs = o;
}

/* A row over its length, or a column around its mean over its deviation (divisor n); what is constantly 0
 * stays 0. */
static void scale(double *x, int64_t count, int64_t step, bool centred)
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
        x[k * step] = isfinite(length) ? x[k * step] / length : length;
}

/* The number written in `word` as *m 10^e, m without factors of ten; gives e, 0 for 0. The word is a plain
 * finite number. */
static int64_t read_decimal(check *c, fmpz_t m, const char *word)
{
    const char *mark = word + strcspn(word, "eE");
    char *digits = check_alloc(c, mark - word + 2, 1), *to = digits;
    int64_t e = *mark ? strtoll(mark + 1, NULL, 10) : 0;
    bool fraction = false;
    for (const char *at = word; at < mark; at++) {
        fraction |= *at == '.';
        e -= fraction && *at != '.';
        if (*at != '+' && *at != '.')
            *to++ = *at;
    }
    *to = 0;
    fmpz_set_str(m, digits, 10);
    for (; !fmpz_is_zero(m) && fmpz_divisible_si(m, 10); e++)
        fmpz_divexact_ui(m, m, 10);
    return fmpz_is_zero(m) ? 0 : e;
}

/* Row `from` as it is written, with `ones` columns of ones, times the least power of ten that makes all of
 * it integers. */
static void make_whole(check *c, num *out, int64_t from, int64_t ones)
{
    const dataset *a = &c->data;
    int64_t *e = check_alloc(c, a->d + ones, sizeof *e), least = INT64_MAX;
    fmpz *m = check_alloc(c, a->d + ones, sizeof *m), *power = check_alloc(c, 1, sizeof *power);
    for (int64_t j = 0; j < a->d + ones; j++) {
        const char *word = j < a->d ? a->word[from * a->d + j] : "1";
        e[j] = word ? read_decimal(c, m + j, word) : 0;
        if (!fmpz_is_zero(m + j))
            least = e[j] < least ? e[j] : least;
    }
    for (int64_t j = 0; j < a->d + ones; j++) {
        if (fmpz_is_zero(m + j))
            continue;
        check_that(c, 6, e[j] - least < 3000, "the sizes of a row's numbers are too different");
        fmpz_set_ui(power, 10);
        fmpz_pow_ui(power, power, (ulong)(e[j] - least));
        fmpz_mul(m + j, m + j, power);
        arb_set_fmpz(out + j, m + j);
    }
}

/* The data as exact numbers with a column of ones, which becomes one of the data where the bias is
 * augmented. */
static void make_points(check *c, const double *x, const int64_t *keep)
{
    dataset *a = &c->data;
    const int64_t d = a->d, width = d + 1 + (a->bias == BIAS_AUGMENT);
    a->point = check_alloc(c, a->n, (size_t)width * sizeof *a->point);
    a->weight = check_alloc(c, a->n, sizeof *a->weight);
    for (int64_t i = 0; i < a->n; i++) {
        need_data(c, a->mass[keep[i]] > 0, "the weight of a row is not positive");
        a->weight[i] = num_real(a->mass[keep[i]]);
        for (int64_t j = 0; j < width; j++) {
            const double value = j < d ? x[i * d + j] : 1;
            need_data(c, isfinite(value), "row %lld (from 0) of the normalised data is not finite",
                      (long long)i);
            a->point[i * width + j] = num_real(value);
        }
        if (a->decimals)
            make_whole(c, a->point + i * width, keep[i], a->bias == BIAS_AUGMENT);
    }
    a->d = width - 1;
}

void check_prepare(check *c)
{
    dataset *a = &c->data;
    a->rows = a->n;
    int64_t *keep = a->kept = read_rows(c);
    read_targets(c, keep);
    double *x = check_alloc(c, a->n, (size_t)a->d * sizeof *x);
    for (int64_t i = 0; i < a->n; i++)
        memcpy(x + i * a->d, a->x + keep[i] * a->d, (size_t)a->d * sizeof *x);
    const int kind = a->normalize = check_choice(c, "steps", "none unit standardize");
    for (int64_t i = 0; kind == 1 && i < a->n; i++)
        scale(x + i * a->d, a->d, 1, false);
    for (int64_t j = 0; kind == 2 && j < a->d; j++)
        scale(x + j, a->n, a->d, true);
    a->bias = check_choice(c, NULL, "none augment free");
    const int64_t d = a->d + (a->bias == BIAS_AUGMENT);
    check_integer(c, NULL, a->n, a->n);
    check_integer(c, NULL, d, d);
    a->decimals = c->next && strcmp(c->next, "decimals") == 0;
    if (a->decimals)
        check_word(c, NULL);
    need(c, !a->decimals || (kind == 0 && a->word), "decimals are those of a text that is not normalised");
    make_points(c, x, keep);
}

void check_signs(check *c)
{
    for (int64_t i = 0; i < c->data.n; i++)
        need(c, c->data.outputs == 1 && arf_cmpabs_ui(arb_midref(c->data.y + i), 1) == 0,
             "the targets are not -1 and +1 in one column");
}
