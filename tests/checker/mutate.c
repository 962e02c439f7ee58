/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutate COUNT SEED FOLDER (CERTIFICATE DATA LABELS|-)...: COUNT damaged certificates, spread over the given ones.
 *
 * Every one must be rejected, or accepted with a claim that is still true. Where the lines that state the problem are as
 * they were, truth is known: the optimum lies in the interval that the undamaged certificate proves, so an accepted
 * interval must meet it. Otherwise (another penalty, other data under its true hash, ...) the certificate is written to
 * FOLDER with its data, for the second checker to judge. Prints the counts; exit code 1 where a claim is false.
 *
 * With - as FOLDER all of them go to standard output, each as a line "CODE SAMPLE A B C" and A bytes of
 * certificate, B of data and C of what the checker says of it as JSON: for a reader that compares.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

typedef struct text {
    char *bytes;
    int64_t size;
} text;

typedef struct sample {
    text certificate, data, labels;
    double lower, upper; /* proved */
    const char *data_name;
} sample;

enum { KINDS = 12, KEPT = 60 };
static const char *const names[KINDS] = {
    "bit",          "byte", "field replaced", "fields swapped", "lines swapped",   "line dropped",
    "line doubled", "sign", "exponent",       "infinity",       "data, true hash", "network exchanged"};

static uint64_t state;

static uint64_t draw(uint64_t below) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % below;
}

static text read_file(const char *path)
{
    text out = {NULL, 0};
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");
    if (!file)
        return out;
    fseek(file, 0, SEEK_END);
    out.size = ftell(file);
    fseek(file, 0, SEEK_SET);
    out.bytes = calloc((size_t)out.size + 1, 1);
    if (fread(out.bytes, 1, (size_t)out.size, file) != (size_t)out.size)
        exit(2);
    fclose(file);
    return out;
}

static text copy(const text *from, int64_t room)
{
    text out = {calloc((size_t)(from->size + room + 1), 1), from->size};
    memcpy(out.bytes, from->bytes, (size_t)from->size);
    return out;
}

/* Replaces bytes from..to by those of `with`. */
static void splice(text *t, int64_t from, int64_t to, const char *with, int64_t size)
{
    char *bytes = calloc((size_t)(t->size - (to - from) + size + 1), 1);
    memcpy(bytes, t->bytes, (size_t)from);
    memcpy(bytes + from, with, (size_t)size);
    memcpy(bytes + from + size, t->bytes + to, (size_t)(t->size - to));
    free(t->bytes);
    t->size += size - (to - from);
    t->bytes = bytes;
}

/* A random word or line: from..to. Long lines are not preferred: first a line is drawn, then a word of it. */
static void draw_line(const text *t, int64_t *from, int64_t *to)
{
    int64_t lines = 0, pick, k = 0;
    for (int64_t i = 0; i < t->size; i++)
        lines += t->bytes[i] == '\n';
    pick = (int64_t)draw((uint64_t)(lines > 0 ? lines : 1));
    for (; pick > 0 && k < t->size; k++)
        pick -= t->bytes[k] == '\n';
    *from = k;
    while (k < t->size && t->bytes[k] != '\n')
        k++;
    *to = k;
}

static void draw_word(const text *t, int64_t *from, int64_t *to)
{
    int64_t start, end, words = 1, pick;
    draw_line(t, &start, &end);
    for (int64_t k = start; k < end; k++)
        words += t->bytes[k] == ' ';
    pick = (int64_t)draw((uint64_t)words);
    for (; pick > 0; start++)
        pick -= t->bytes[start] == ' ';
    *from = start;
    while (start < end && t->bytes[start] != ' ')
        start++;
    *to = start;
}

static void swap_parts(text *t, void (*pick)(const text *, int64_t *, int64_t *))
{
    int64_t a, b, c, d;
    pick(t, &a, &b);
    pick(t, &c, &d);
    if (a > c) {
        const int64_t e = a, f = b;
        a = c, b = d, c = e, d = f;
    }
    if (b > c)
        return;
    char *first = calloc((size_t)(b - a + 1), 1), *second = calloc((size_t)(d - c + 1), 1);
    memcpy(first, t->bytes + a, (size_t)(b - a));
    memcpy(second, t->bytes + c, (size_t)(d - c));
    splice(t, c, d, first, b - a);
    splice(t, a, b, second, d - c);
    free(first);
    free(second);
}

/* Changes a digit of the data and states the hash of what it has become. */
static void change_data(text *t, text *data)
{
    char hex[65];
    int64_t k = (int64_t)draw((uint64_t)data->size);
    for (int64_t tries = 0; tries < data->size && (data->bytes[k] < '0' || data->bytes[k] > '9'); tries++)
        k = (k + 1) % data->size;
    data->bytes[k] = (char)('0' + draw(10));
    check_sha256(hex, (unsigned char *)data->bytes, data->size);
    char *at = strstr(t->bytes, "\ndata ");
    at = at ? strchr(at + 6, ' ') : NULL;
    if (at)
        memcpy(at + 1, hex, 64);
}

/* A line of another certificate in place of the line of the same keyword. */
static void exchange(text *t, const text *other)
{
    int64_t from, to, a, b;
    for (int tries = 0; tries < 20; tries++) {
        draw_line(t, &from, &to);
        draw_line(other, &a, &b);
        const size_t key = strcspn(t->bytes + from, " \n");
        if (strncmp(t->bytes + from, other->bytes + a, key + 1) == 0) {
            splice(t, from, to, other->bytes + a, b - a);
            return;
        }
    }
}

static void mutate(text *t, text *data, const text *other, int kind)
{
    static const char *const words[] = {
        "inf", "nan", "-inf", "1p9999", "1e999",
        "",    "-",   "p",    "0",      "ffffffffffffffffffffffffffffffffffffffff"};
    int64_t from, to;
    draw_word(t, &from, &to);
    if (kind == 0) {
        t->bytes[draw((uint64_t)t->size)] ^= (char)(1 << draw(8));
    } else if (kind == 1) {
        t->bytes[draw((uint64_t)t->size)] = (char)draw(128);
    } else if (kind == 2) {
        int64_t a, b;
        draw_word(other, &a, &b);
        splice(t, from, to, other->bytes + a, b - a);
    } else if (kind == 3) {
        swap_parts(t, draw_word);
    } else if (kind == 4) {
        swap_parts(t, draw_line);
    } else if (kind == 5) {
        draw_line(t, &from, &to);
        splice(t, from, to + 1 < t->size ? to + 1 : to, "", 0);
    } else if (kind == 6) {
        draw_line(t, &from, &to);
        char *line = calloc((size_t)(to - from + 2), 1);
        memcpy(line, t->bytes + from, (size_t)(to - from));
        line[to - from] = '\n';
        splice(t, from, from, line, to - from + 1);
        free(line);
    } else if (kind == 7) {
        if (t->bytes[from] == '-')
            splice(t, from, from + 1, "", 0);
        else
            splice(t, from, from, "-", 1);
    } else if (kind == 8) {
        char *p = memchr(t->bytes + from, 'p', (size_t)(to - from));
        if (p)
            p[1 + (p[1] == '-')] = (char)('0' + draw(10));
    } else if (kind == 9) {
        const char *word = words[draw(sizeof words / sizeof words[0])];
        splice(t, from, to, word, (int64_t)strlen(word));
    } else if (kind == 10) {
        change_data(t, data);
    } else {
        exchange(t, other);
    }
}

/* The next line of at that states the problem, and not bounds, network, dual point or evidence; at the end "". A stated
 * residual is part of the claim: with a larger one less is minimised. */
static const char *next_line(const char *at)
{
    static const char *const evidence[] = {"network", "neuron",      "constant", "dual",    "push",
                                           "side",    "split",       "leaf",     "weights", "cover",
                                           "corner",  "bisect",      "piece",    "vector",  "pairs",
                                           "point",   "combination", "origin",   "equal",   "end"};
    for (bool skip = true; skip && *at;) {
        const size_t key = strcspn(at, " \n");
        skip = false;
        for (size_t k = 0; k < sizeof evidence / sizeof evidence[0]; k++)
            skip = skip || (strlen(evidence[k]) == key && strncmp(at, evidence[k], key) == 0);
        if (skip)
            at += strcspn(at, "\n");
        at += skip && *at; /* the end of the line */
    }
    return at;
}

/* How much of a line states the problem: of `bound KIND U L` the kind alone, and nothing of it for cones, trees and plane,
 * which are three proofs of one statement about all networks. (A margin's `plane` has no other kind that it could become.) */
static size_t stated(const char *line)
{
    static const char *const global[] = {"bound cones ", "bound trees ", "bound plane "};
    if (strncmp(line, "bound ", 6) != 0)
        return strcspn(line, "\n");
    for (int k = 0; k < 3; k++)
        if (strncmp(line, global[k], strlen(global[k])) == 0)
            return 6;
    return 6 + strcspn(line + 6, " \n");
}

/* Whether the lines that state the problem are the same. */
static bool same_problem(const text *a, const text *b)
{
    const char *p = next_line(a->bytes), *q = next_line(b->bytes);
    if (strstr(b->bytes, "claim limit")) /* its margin is that of the network which is listed */
        return false;
    while (*p && *q) {
        const size_t size = stated(p);
        if (size != stated(q) || memcmp(p, q, size) != 0)
            return false;
        p += strcspn(p, "\n"), q += strcspn(q, "\n");
        p = next_line(p + (*p != 0)), q = next_line(q + (*q != 0));
    }
    return *p == *q;
}

static bool unchanged(const text *a, const text *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, (size_t)a->size) == 0;
}

static int run(check *c, const text *certificate, const text *data, const text *labels)
{
    const inputs in = {certificate->bytes, data->bytes, labels->bytes,
                       certificate->size,  data->size,  labels->size};
    return check_run(c, &in, NULL, &check_limits);
}

/* Writes a damaged certificate with what is said of it. */
static void pass_on(check *c, int64_t sample_number, const text *certificate, const text *data,
                    const text *labels)
{
    char *said = NULL;
    size_t size = 0;
    const inputs in = {certificate->bytes, data->bytes, labels->bytes,
                       certificate->size,  data->size,  labels->size};
    FILE *out = open_memstream(&said, &size);
    const int code = check_run(c, &in, &(question){.out = out, .json = true}, &check_limits);
    fclose(out);
    printf("%d %" PRId64 " %" PRId64 " %" PRId64 " %zu\n", code, sample_number, certificate->size, data->size,
           size);
    fwrite(certificate->bytes, 1, (size_t)certificate->size, stdout);
    fwrite(data->bytes, 1, (size_t)data->size, stdout);
    fwrite(said, 1, size, stdout);
    free(said);
}

static void keep(const char *folder, int64_t number, const text *certificate, const text *data,
                 const text *labels)
{
    const text *parts[] = {certificate, data, labels};
    static const char *const endings[] = {"cert", "data", "labels"};
    for (int k = 0; k < 3; k++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%" PRId64 ".%s", folder, number, endings[k]);
        FILE *file = parts[k]->bytes ? fopen(path, "wb") : NULL;
        if (file) {
            fwrite(parts[k]->bytes, 1, (size_t)parts[k]->size, file);
            fclose(file);
        }
    }
}

int main(int argc, char **argv)
{
    static check c;
    static int64_t count[KINDS][3]; /* rejected, accepted and true, accepted and another problem */
    const int64_t total = argc > 3 ? strtoll(argv[1], NULL, 10) : 0, samples = (argc - 4) / 3;
    int64_t kept = 0, lies = 0;
    sample *s = calloc((size_t)(samples > 0 ? samples : 1), sizeof *s);
    state = argc > 3 ? strtoull(argv[2], NULL, 10) : 1;
    for (int64_t k = 0; k < samples; k++) {
        s[k].certificate = read_file(argv[4 + 3 * k]);
        s[k].data = read_file(argv[5 + 3 * k]);
        s[k].labels = read_file(argv[6 + 3 * k]);
        if (run(&c, &s[k].certificate, &s[k].data, &s[k].labels) != 0)
            return printf("%s is rejected as it is: %s\n", argv[4 + 3 * k], c.message) * 0 + 1;
        s[k].lower = c.verdict.lower;
        s[k].upper = c.verdict.upper;
    }
    for (int64_t k = 0; k < total && samples > 0; k++) {
        const sample *one = s + k % samples;
        const int kind = (int)(k / samples % KINDS);
        text certificate = copy(&one->certificate, 0), data = copy(&one->data, 0);
        for (int tries = 0;
             tries < 50 && unchanged(&certificate, &one->certificate) && unchanged(&data, &one->data);
             tries++)
            mutate(&certificate, &data, &s[draw((uint64_t)samples)].certificate, kind);
        if (strcmp(argv[3], "-") == 0) {
            pass_on(&c, k % samples, &certificate, &data, &one->labels);
            free(certificate.bytes);
            free(data.bytes);
            continue;
        }
        const int code = run(&c, &certificate, &data, &one->labels);
        if (code != 0) {
            count[kind][0]++;
        } else if (kind != 10 && same_problem(&certificate, &one->certificate)) {
            const bool meets = c.verdict.lower <= one->upper && c.verdict.upper >= one->lower;
            count[kind][1]++;
            lies += !meets;
            if (!meets)
                printf("FALSE: accepted [%.17g, %.17g], the truth is in [%.17g, %.17g]\n", c.verdict.lower,
                       c.verdict.upper, one->lower, one->upper);
        } else {
            count[kind][2]++;
            if (kept < KEPT)
                keep(argv[3], kept++, &certificate, &data, &one->labels);
        }
        free(certificate.bytes);
        free(data.bytes);
    }
    int64_t sum[3] = {0, 0, 0};
    for (int kind = 0; kind < KINDS && strcmp(argv[3], "-") != 0; kind++) {
        printf("%-18s %8" PRId64 " rejected %6" PRId64 " accepted and true %6" PRId64
               " true of another problem\n",
               names[kind], count[kind][0], count[kind][1], count[kind][2]);
        for (int k = 0; k < 3; k++)
            sum[k] += count[kind][k];
    }
    if (strcmp(argv[3], "-") != 0)
        printf("%" PRId64 " damaged certificates: %" PRId64 " rejected, %" PRId64
               " accepted with a true claim, %" PRId64 " about another problem, %" PRId64 " false\n",
               total, sum[0], sum[1], sum[2], lies);
    for (int64_t k = 0; k < samples; k++) {
        free(s[k].certificate.bytes);
        free(s[k].data.bytes);
        free(s[k].labels.bytes);
    }
    free(s);
    return lies > 0;
}
