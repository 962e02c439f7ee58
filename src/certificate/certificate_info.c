/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a certificate says, for people: its claims and sizes. Nothing is verified here; that is what fathom-check is for.
 *
 * One pass over the lines; a line whose keyword stands in the table below becomes a member, lines that only hold numbers
 * are counted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "context_internal.h"
#include "fathom/certificate.h"
#include "memory.h"

static const char FIRST[] = "fathom-certificate 1\n";

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

/* Members that are words, and members that are numbers m 2^e; `claim` ones belong to the claim at hand. */
static const struct {
    const char *key;
    bool claim;
    char kind; /* t: text up to the line's end, w: first word, n: number, i: integer */
} members[] = {
    {"data", false, 't'},    {"rows", false, 't'},   {"classes", false, 't'}, {"normalize", false, 'w'},
    {"bias", false, 'w'},    {"gates", false, 't'},  {"claim", true, 'w'},    {"model", true, 'w'},
    {"loss", true, 'w'},     {"scale", true, 'w'},   {"beta", true, 'n'},     {"bound", true, 'w'},
    {"upper", true, 'n'},    {"lower", true, 'n'},   {"network", true, 'i'},  {"residual", true, 'n'},
    {"evidence", true, 'w'}, {"measure", true, 'w'}, {"count", true, 'i'},    {"combination", true, 't'},
};

/* One line "key rest", cut at 200 bytes, as a member of `to`. */
static fathom_status set_member(fathom_json *to, const char *key, char *rest, char kind)
{
    if (kind == 'n')
        return fathom_json_set_real(to, key, number(rest));
    if (kind == 'i')
        return fathom_json_set_integer(to, key, strtoll(rest, NULL, 10));
    if (kind == 'w')
        rest[strcspn(rest, " ")] = 0;
    return fathom_json_set_text(to, key, rest);
}

/* The lines that only count. */
typedef struct tally {
    int64_t leaves, entries;
} tally;

static fathom_status finish_claim(fathom_json *claim, tally *t)
{
    fathom_status status = FATHOM_OK;
    if (claim && t->leaves > 0) {
        status = fathom_json_set_integer(claim, "leaves", t->leaves);
        if (status == FATHOM_OK)
            status = fathom_json_set_integer(claim, "entries", t->entries);
    }
    *t = (tally){0, 0};
    return status;
}

/* A line without its end. */
static fathom_status take_line(fathom_json *result, fathom_json *claims, fathom_json **claim, tally *t,
                               char *line)
{
    fathom_status status = FATHOM_OK;
    const size_t length = strcspn(line, " ");
    char *rest = line[length] ? line + length + 1 : line + length, text[200];
    line[length] = 0;
    if (strcmp(line, "claim") == 0) {
        status = finish_claim(*claim, t);
        if (status == FATHOM_OK)
            status = fathom_json_append_object(claims, claim);
    }
    if (strcmp(line, "leaf") == 0) {
        t->leaves++;
        t->entries += strtoll(rest, NULL, 10);
    }
    if (strcmp(line, "shape") == 0) {
        char *end;
        status = fathom_json_set_integer(result, "n", strtoll(rest, &end, 10));
        if (status == FATHOM_OK)
            status = fathom_json_set_integer(result, "d", strtoll(end, NULL, 10));
    }
    snprintf(text, sizeof text, "%s", rest);
    for (size_t k = 0; k < sizeof members / sizeof members[0] && status == FATHOM_OK; k++)
        if (strcmp(line, members[k].key) == 0 && (*claim || !members[k].claim))
            status = set_member(members[k].claim ? *claim : result, line, text, members[k].kind);
    return status;
}

fathom_status fathom_certificate_describe(fathom_json *result, fathom_context *context, const char *path)
{
    fathom_bytes *bytes;
    unsigned char *text = NULL;
    int64_t size = 0;
    fathom_json *claims, *claim = NULL;
    tally t = {0, 0};
    fathom_status status = fathom_bytes_open(&bytes, context, path);
    if (status != FATHOM_OK)
        return status;
    status = fathom_bytes_read_all(bytes, &text, &size, INT64_C(1) << 31);
    if (status == FATHOM_OK && (size < (int64_t)sizeof FIRST || memcmp(text, FIRST, sizeof FIRST - 1) != 0))
        status = fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 1, 1,
                                     "expected a certificate of version 1; a newer one needs a newer fathom");
    if (status == FATHOM_OK)
        status = fathom_json_set_text(result, "kind", "certificate");
    if (status == FATHOM_OK)
        status = fathom_json_set_list(result, "claims", &claims);
    for (int64_t at = 0; at < size && status == FATHOM_OK;) {
        char *line = (char *)text + at, *end = memchr(line, '\n', (size_t)(size - at));
        if (!end)
            break;
        *end = 0;
        at += end - line + 1;
        status = take_line(result, claims, &claim, &t, line);
    }
    if (status == FATHOM_OK)
        status = finish_claim(claim, &t);
    if (status == FATHOM_OK)
        status = fathom_json_set_integer(result, "bytes", size);
    fathom_memory_free(context, text);
    fathom_bytes_close(bytes);
    return status;
}
