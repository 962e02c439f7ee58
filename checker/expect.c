/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --expect 'key=value ..', or a JSON object: what the reader asked, against what was verified. Every claim
 * must be so; a list beta=a,b,.. is one value for each claim. A number is meant to as many digits as it
 * has, but at least six.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

/* Where this does not hold the certificate is rejected. */
#define expect(c, holds, key, format, ...) \
    check_that(c, 4, holds, "%s is " format ", which was not expected", key, __VA_ARGS__)

static double number(check *c, const char *key, const char *text, size_t size)
{
    char *end;
    const double value = strtod(text, &end);
    check_that(c, 2, size > 0 && end == text + size && isfinite(value), "--expect: %s needs a number", key);
    return value;
}

/* Whether a value is one that is written so. */
static bool agrees(double value, double written, const char *text, size_t size)
{
    int64_t count = 0;
    for (size_t k = 0; k < size && text[k] != 'e' && text[k] != 'E'; k++)
        count += text[k] >= '0' && text[k] <= '9' && (count > 0 || text[k] != '0');
    const double place = floor(log10(fabs(written))) - (double)(count < 6 ? 5 : count - 1);
    return value == written || fabs(value - written) <= 0.5 * pow(10, place) * (1 + 1e-9);
}

/* "all", or ranges a:b,c:d,.. of the file's rows. */
static bool same_rows(const dataset *a, const char *text)
{
    int64_t at = 0;
    long long from = 0, to = a->rows;
    int used = (int)strlen(text);
    if (strcmp(text, "all") == 0)
        return strcmp(a->ranges, "all") == 0;
    for (; *text; text += used + (text[used] == ',')) {
        if (sscanf(text, "%18lld:%18lld%n", &from, &to, &used) < 2 || !strchr(",", text[used]))
            return false;
        for (; from < to; from++, at++)
            if (at >= a->n || a->kept[at] != from)
                return false;
    }
    return at == a->n;
}

static void expect_word(check *c, const claim *q, const char *key, const char *value)
{
    static const char *const normalizations[] = {"none", "unit", "standardize"};
    static const char *const biases[] = {"none", "augment", "free"};
    const char *const words[][2] = {
        {"class", q->class},
        {"bound", q->bound},
        {"kind", q->type},
        {"loss", q->loss_name},
        {"bias", biases[c->data.bias]},
        {"normalize", normalizations[c->data.normalize]},
        {"data_sha256", c->data.sha},
        {"labels_sha256", c->data.labels_sha},
        {"pattern", q->pattern},
        {"classes", c->data.coding ? c->data.names : NULL},
    };
    enum { WORDS = sizeof words / sizeof words[0] };
    size_t k = 0;
    while (k < WORDS && strcmp(words[k][0], key) != 0)
        k++;
    check_that(c, 2, k < WORDS, "--expect: there is no '%.40s'", key);
    const char *is = words[k][1] ? words[k][1] : "none";
    const bool several =
        strcmp(is, "softmax") == 0 && strcmp(value, "logistic") == 0; /* of several classes */
    const bool always = k == 2 && q->kind == CLAIM_ZERO;              /* true of every kind */
    expect(c, several || always || strcmp(is, value) == 0, key, "%s", is);
}

/* Entry `number` of a list, or its only one. */
static void expect_beta(check *c, const claim *q, const char *value, int64_t place)
{
    const bool list = strchr(value, ',');
    size_t size = strcspn(value, ",");
    for (; list && place > 0; place--) {
        value += size;
        check_that(c, 4, *value, "more claims are there than was expected");
        size = strcspn(++value, ",");
    }
    const double written = number(c, "beta", value, size);
    expect(c, q->kind == CLAIM_TRAIN && agrees(num_nearest(q->beta), written, value, size), "beta", "%.17g",
           num_nearest(q->beta));
    check_that(c, 4, !list || q->next || !value[size], "fewer claims are there than was expected");
}

/* "sum", "mean" or N. */
static void expect_scale(check *c, const claim *q, const char *value)
{
    const size_t size = strlen(value);
    const double written = strcmp(value, "sum") == 0    ? 1
                           : strcmp(value, "mean") == 0 ? (double)c->data.n
                                                        : number(c, "scale", value, size);
    expect(c, q->scale && agrees(num_nearest(q->divisor), written, value, size), "scale", "%s",
           q->scale ? q->scale : "none");
}

/* lower>=, and what is at most so much: false where there is no such key. */
static bool expect_bound(check *c, const claim *q, const char *key, const char *value)
{
    static const char *const keys[] = {"lower>",    "gap<",     "relative_gap<", "upper<",
                                       "residual<", "unclear<", "weak<"};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    const double gap = q->upper - q->lower;
    int k = 0, weak = 0;
    while (q->weakness[weak])
        weak++;
    const double is[KEYS] = {
        q->lower, gap, gap > 0 ? gap / fabs(q->upper) : 0, q->upper, q->residual, (double)q->unclear, weak};
    while (k < KEYS && strcmp(key, keys[k]) != 0)
        k++;
    if (k == KEYS)
        return false;
    const double end = number(c, key, value, strlen(value));
    expect(c, k > 0 ? is[k] <= end : is[k] >= end, key, "%.17g", is[k]);
    return true;
}

/* How many there are: false where there is no such key. */
static bool expect_count(check *c, const claim *q, const char *key, const char *value)
{
    const struct {
        const char *key;
        int64_t is;
    } counts[] = {{"n", c->data.n},
                  {"d", c->data.d},
                  {"gates", q->gates},
                  {"neurons", q->neurons},
                  {"draws", q->kind == CLAIM_SAMPLED ? q->units : 0}};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    size_t k = 0;
    while (k < COUNTS && strcmp(key, counts[k].key) != 0)
        k++;
    if (k == COUNTS)
        return false;
    const double asked = number(c, key, value, strlen(value));
    expect(c, asked == (double)counts[k].is, key, "%lld", (long long)counts[k].is);
    return true;
}

/* What is not drawn holds always. */
static void expect_confidence(check *c, const claim *q, const char *value)
{
    const double is = q->kind == CLAIM_SAMPLED ? q->confidence : 1;
    expect(c, number(c, "confidence", value, strlen(value)) == is, "confidence", "%.17g", is);
}

static void expect_one(check *c, const claim *q, int64_t place, const char *key, const char *value)
{
    const bool drawn = q->kind == CLAIM_SAMPLED;
    if (strcmp(key, "beta") == 0)
        expect_beta(c, q, value, place);
    else if (strcmp(key, "scale") == 0)
        expect_scale(c, q, value);
    else if (strcmp(key, "rows") == 0)
        expect(c, same_rows(&c->data, value), key, "%s", c->data.ranges);
    else if (strcmp(key, "confidence") == 0)
        expect_confidence(c, q, value);
    else if (strcmp(key, "seed") == 0)
        expect(c, drawn && number(c, key, value, strlen(value)) == (double)q->seed, key, "%s",
               drawn ? "another" : "none");
    else if (!expect_bound(c, q, key, value) && !expect_count(c, q, key, value))
        expect_word(c, q, key, value);
}

/* "key=value": the key without its "=". */
static member *read_words(check *c, char *text, int64_t size, int64_t *count)
{
    member *list = check_alloc(c, size + 1, sizeof *list);
    *count = 0;
    for (char *word = strtok(text, " \t\r\n"); word; word = strtok(NULL, " \t\r\n")) {
        char *mark = strchr(word, '=');
        check_that(c, 2, mark, "--expect: '%.40s' is not key=value", word);
        *mark = 0;
        list[(*count)++] = (member){word, mark + 1, 0};
    }
    return list;
}

void check_expect(check *c, const char *bytes, int64_t size)
{
    int64_t count, place = 0;
    char *text = memcpy(check_alloc(c, size + 1, 1), bytes, (size_t)size);
    const bool object = text[strspn(text, " \t\r\n")] == '{';
    const member *list =
        object ? check_json(c, text, size, &count, "--expect") : read_words(c, text, size, &count);
    check_that(c, 2, count > 0, "--expect: nothing is expected");
    for (const claim *q = c->claims; q; q = q->next, place++)
        for (int64_t k = 0; k < count; k++) {
            char key[40];
            snprintf(key, sizeof key, "%s", list[k].key);
            key[strcspn(key, "=")] = 0; /* "gap<=" of an object */
            expect_one(c, q, place, key, list[k].value);
        }
}
