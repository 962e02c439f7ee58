/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a certificate says, for people: its claims and sizes. Nothing is verified here; that is what fathom-check is for.
 *
 * One pass over the lines; the words of a line whose keyword stands in the table below become members, lines that only hold
 * numbers are counted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "context_internal.h"
#include "fathom/certificate.h"
#include "memory.h"

static const char FIRST[] = "fathom-certificate 2\n";

bool fathom_certificate_recognize(fathom_context *context, const char *path)
{
    fathom_bytes *bytes;
    const unsigned char *data;
    size_t size;
    if (fathom_bytes_open(&bytes, context, path) != FATHOM_OK)
        return false;
    const bool found = fathom_bytes_peek(bytes, &data, &size) == FATHOM_OK &&
                       size >= strlen("fathom-certificate") &&
                       memcmp(data, FIRST, strlen("fathom-certificate")) == 0;
    fathom_bytes_close(bytes);
    return found;
}

/* "m", "mpe": m 2^e. */
static double number(const char *word)
{
    char *end;
    const double m = (double)strtoll(word, &end, 16);
    return *end == 'p' ? ldexp(m, (int)strtol(end + 1, NULL, 10)) : m;
}

/* What has been read so far. */
typedef struct reading {
    fathom_context *context;
    int64_t size;                         /* bytes of the file: more entries than these are none */
    fathom_json *result, *claims, *claim; /* claim: the one at hand, or NULL */
    bool train;                           /* it is about training */
    int64_t gates;                        /* of the file */
    int64_t leaves, entries;              /* of the claim's trees */
} reading;

/* Lines whose words are members, in this order: of the claim at hand, or of the file. A letter stands before each name: w a
 * word, t all that is left, i an integer, n a number, s the divisor N as sum or mean, b what proves the bound. */
static const struct {
    const char *key;
    bool claim;
    const char *member[4];
} lines[] = {
    {"data", false, {"tdata"}},
    {"rows", false, {"trows"}},
    {"classes", false, {"tclasses"}},
    {"steps", false, {"wnormalize", "wbias", "in", "id"}},
    {"gates", false, {"tgates"}},
    {"claim", true, {"wclaim"}},
    {"problem", true, {"wmodel", "wloss", "sscale", "nbeta"}},
    {"bound", true, {"bbound", "nupper", "nlower"}},
    {"network", true, {"inetwork"}},
    {"residual", true, {"nresidual"}},
    {"pairs", true, {"tcombination"}},
};

/* What proves a bound: for training the evidence, and what the bound is on; for a margin its measure. */
static fathom_status set_bound(const reading *r, const char *kind)
{
    const bool few = strcmp(kind, "none") == 0 || strcmp(kind, "gates") == 0;
    if (!r->train)
        return fathom_json_set_text(r->claim, "measure", kind);
    const fathom_status status = fathom_json_set_text(r->claim, "bound", few ? kind : "global");
    return status == FATHOM_OK ? fathom_json_set_text(r->claim, "evidence", kind) : status;
}

static fathom_status set_member(const reading *r, fathom_json *to, const char *member, const char *word)
{
    const char *name = member + 1;
    switch (*member) {
    case 'i':
        return fathom_json_set_integer(to, name, strtoll(word, NULL, 10));
    case 'n':
        return fathom_json_set_real(to, name, number(word));
    case 's':
        return fathom_json_set_text(to, name, number(word) == 1 ? "sum" : "mean");
    case 'b':
        return set_bound(r, word);
    default:
        return fathom_json_set_text(to, name, word);
    }
}

/* The words of a line after its keyword, cut at 200 bytes, as members k of the table. */
static fathom_status set_members(const reading *r, size_t k, const char *rest)
{
    char text[200], *at = text;
    fathom_json *to = lines[k].claim ? r->claim : r->result;
    fathom_status status = FATHOM_OK;
    snprintf(text, sizeof text, "%s", rest);
    for (int j = 0; j < 4 && lines[k].member[j] && status == FATHOM_OK; j++) {
        char *end = at + (*lines[k].member[j] == 't' ? strlen(at) : strcspn(at, " "));
        char *next = *end ? end + 1 : end;
        *end = 0;
        status = set_member(r, to, lines[k].member[j], at);
        at = next;
    }
    return status;
}

/* The members that are counts, at the end of a claim. */
static fathom_status finish_claim(reading *r)
{
    fathom_status status = FATHOM_OK;
    if (r->leaves > 0) {
        status = fathom_json_set_integer(r->claim, "leaves", r->leaves);
        if (status == FATHOM_OK)
            status = fathom_json_set_integer(r->claim, "entries", r->entries);
    }
    r->leaves = r->entries = 0;
    return status;
}

static fathom_status begin_claim(reading *r, const char *name)
{
    fathom_status status = finish_claim(r);
    if (status == FATHOM_OK)
        status = fathom_json_append_object(r->claims, &r->claim);
    r->train = strcmp(name, "train") == 0;
    return status;
}

/* A line without its end. */
static fathom_status take_line(reading *r, char *line)
{
    fathom_status status = FATHOM_OK;
    const size_t length = strcspn(line, " ");
    const char *rest = line[length] ? line + length + 1 : line + length;
    line[length] = 0;
    if (strcmp(line, "claim") == 0)
        status = begin_claim(r, rest);
    if (strcmp(line, "gates") == 0)
        r->gates = strtoll(rest + strcspn(rest, " "), NULL, 10);
    if (strcmp(line, "leaf") == 0 && r->claim) {
        r->leaves++;
        const long long count = strtoll(rest, NULL, 10);
        if (count < 0 || count > r->size)
            return fathom_error_set(r->context, FATHOM_ERROR_INPUT,
                                    "the certificate has a leaf with %lld entries in %lld bytes", count,
                                    (long long)r->size);
        r->entries += count;
    }
    for (size_t k = 0; k < sizeof lines / sizeof lines[0] && status == FATHOM_OK; k++)
        if (strcmp(line, lines[k].key) == 0 && (r->claim || !lines[k].claim))
            status = set_members(r, k, rest);
    if (status == FATHOM_OK && strcmp(line, "claim") == 0 && strcmp(rest, "cones") == 0)
        status = fathom_json_set_integer(r->claim, "count", r->gates);
    return status;
}

fathom_status fathom_certificate_describe(fathom_json *result, fathom_context *context, const char *path)
{
    fathom_bytes *bytes;
    unsigned char *text = NULL;
    int64_t size = 0;
    reading r = {.context = context, .result = result};
    fathom_status status = fathom_bytes_open(&bytes, context, path);
    if (status != FATHOM_OK)
        return status;
    status = fathom_bytes_read_all(bytes, &text, &size, INT64_C(1) << 31);
    if (status == FATHOM_OK && (size < (int64_t)sizeof FIRST || memcmp(text, FIRST, sizeof FIRST - 1) != 0))
        status = fathom_error_set_at(
            context, FATHOM_ERROR_INPUT, path, 1, 1,
            "expected a certificate of version 2; one of another version is for another fathom");
    if (status == FATHOM_OK)
        status = fathom_json_set_text(result, "kind", "certificate");
    if (status == FATHOM_OK)
        status = fathom_json_set_list(result, "claims", &r.claims);
    for (int64_t at = 0; at < size && status == FATHOM_OK;) {
        r.size = size;
        char *line = (char *)text + at, *end = memchr(line, '\n', (size_t)(size - at));
        if (!end)
            break;
        *end = 0;
        at += end - line + 1;
        status = take_line(&r, line);
    }
    if (status == FATHOM_OK)
        status = finish_claim(&r);
    if (status == FATHOM_OK)
        status = fathom_json_set_integer(result, "bytes", size);
    fathom_memory_free(context, text);
    fathom_bytes_close(bytes);
    return status;
}
