/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a certificate says, for people: its claims and sizes. Nothing is verified here; that is what
 * fathom-check is for. But what is shown is what that program would read: words and numbers of other
 * forms, lines that are doubled or unknown and whatever follows `end` are refused.
 *
 * One pass over the lines; the words of a line whose keyword stands in the table below become members,
 * lines that only hold numbers are counted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "context_internal.h"
#include "fathom/certificate.h"
#include "inner/certificate.h"
#include "inner/json.h"
#include "memory.h"
#include "loss_row.h"

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

/* "m", "mpe": m 2^e to the nearest double; false where the word is none. */
static bool number(double *value, const char *word)
{
    const char *m = word + (*word == '-'), *end = m + strspn(m, "0123456789abcdef");
    const char *e = end + (*end == 'p'), *digits = e + (e > end && *e == '-');
    const size_t places = strspn(digits, "0123456789");
    const long power = strtol(e, NULL, 10); /* saturates */
    uint64_t head = 0;
    int64_t rest = 0;
    if (end == m || digits[places] || (e > end) != (places > 0) || power < -4000 || power > 4000)
        return false;
    for (; m < end; m++) { /* 60 bits and more decide with a last one for all that is cut */
        const uint64_t digit = (uint64_t)(*m <= '9' ? *m - '0' : *m - 'a' + 10);
        rest += head >> 60 ? 4 : 0;
        head = head >> 60 ? head | (digit != 0) : head << 4 | digit;
    }
    const double size =
        rest < 100000 ? ldexp((double)head, (int)(rest + (*end == 'p' ? power : 0))) : INFINITY;
    *value = *word == '-' ? -size : size;
    return true;
}

/* A decimal integer; false where the word is none, or too long. */
static bool integer(int64_t *value, const char *word)
{
    const size_t size = strspn(word, "0123456789");
    *value = strtoll(word, NULL, 10);
    return size > 0 && size <= 18 && !word[size];
}

/* What has been read so far. */
typedef struct reading {
    fathom_context *context;
    const char *path;
    int64_t size;                         /* bytes of the file: more entries than these are none */
    int64_t line;                         /* from 1 */
    fathom_json *result, *claims, *claim; /* claim: the one at hand, or NULL */
    bool train, limit, ended;             /* it is about training, about where a flow ends; `end` was read */
    int64_t rows, gates;                  /* of the file */
    int64_t leaves, entries;              /* of the claim's trees */
    unsigned seen;                        /* lines of the table: bit k, those of a claim anew for each */
} reading;

/* The line at hand is not one of a certificate. */
static fathom_status refuse(const reading *r, const char *what)
{
    return fathom_error_set_at(r->context, FATHOM_ERROR_INPUT, r->path, r->line, 1, "%s", what);
}

/* Lines whose words are members, in this order: of the claim at hand, or of the file. A letter stands
 * before each name: w a word, t all that is left, i an integer, n a number, s the divisor N as sum or
 * mean, b what proves the bound. */
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
    {"kernel", true, {"wlayers", "wwidth", "nfactor"}},
    {"cone", true, {"wcone", "wpattern"}},
    {"spike", true, {"wspike"}},
    {"draws", true, {"iseed", "nconfidence", "idraws"}},
};
enum { LINES = sizeof lines / sizeof lines[0], HEAD = 5 }; /* the head of the file stands before its claims */

/* Lines of numbers, which are passed over. */
static const char *const numbers[] = {"gate",   "neuron",      "constant", "dual",        "along",   "push",
                                      "centre", "side",        "split",    "leaf",        "weights", "exact",
                                      "kinks",  "cover",       "corner",   "bisect",      "piece",   "counts",
                                      "gains",  "vector",      "point",    "combination", "fan",     "origin",
                                      "equal",  "multipliers", "slopes",   "stakes",      "orthant"};

/* What proves a bound: for training the evidence, and what the bound is on; for a margin its measure. */
static fathom_status set_bound(const reading *r, const char *kind)
{
    const bool few = strcmp(kind, "none") == 0 || strcmp(kind, "gates") == 0;
    if (!r->train)
        return fathom_json_set_text(r->claim, "measure", kind);
    FATHOM_TRY(fathom_json_set_text(r->claim, "bound", few ? kind : "global"));
    return fathom_json_set_text(r->claim, "evidence", kind);
}

static fathom_status set_member(reading *r, fathom_json *to, const char *member, const char *word)
{
    const char *name = member + 1;
    int64_t count = 0;
    double value = 0;
    if (!*word || (*member == 'i' && !integer(&count, word)) ||
        (strchr("ns", *member) && !number(&value, word)))
        return refuse(r, "expected words and numbers as a certificate has them");
    switch (*member) {
    case 'i':
        r->rows = strcmp(name, "n") == 0 ? count : r->rows;
        return fathom_json_set_integer(to, name, count);
    case 'n':
        return fathom_json_set_real(to, name, value);
    case 's':
        if (value != 1 && value != (double)r->rows)
            return fathom_json_set_real(to, name, value);
        return fathom_json_set_text(to, name, value == 1 ? "sum" : "mean");
    case 'b':
        return set_bound(r, word);
    default:
        return fathom_json_set_text(to, name, word);
    }
}

/* The next word of a line, or all that is left, as a member. */
static fathom_status set_word(reading *r, fathom_json *to, const char *member, char **at)
{
    char *word = *at, *end = word + (*member == 't' ? strlen(word) : strcspn(word, " "));
    *at = *end ? end + 1 : end;
    *end = 0;
    return set_member(r, to, member, word);
}

/* Whether this is a loss whose parameter follows. */
static bool has_parameter(const char *member, const char *word)
{
    for (int k = 0; k < FATHOM_LOSSES && strcmp(member, "wloss") == 0; k++) {
        const fathom_loss_row *row = fathom_loss_row_of((fathom_loss)k);
        if (row->preset > 0 && strcmp(row->name, word) == 0)
            return true;
    }
    return false;
}

/* The words of a line after its keyword as members k of the table. */
static fathom_status set_members(reading *r, size_t k, char *at)
{
    fathom_json *to = lines[k].claim ? r->claim : r->result;
    fathom_status status = FATHOM_OK;
    for (int j = 0; j < 4 && lines[k].member[j] && status == FATHOM_OK; j++) {
        const char *word = at;
        status = set_word(r, to, lines[k].member[j], &at);
        if (status == FATHOM_OK && has_parameter(lines[k].member[j], word))
            status = set_word(r, to, "nparameter", &at);
    }
    const bool steps = strcmp(lines[k].key, "steps") == 0 && strcmp(at, "decimals") == 0;
    return status == FATHOM_OK && *at && !steps ? refuse(r, "the line should have ended") : status;
}

/* The members that are counts, at the end of a claim. */
static fathom_status finish_claim(reading *r)
{
    fathom_status status = FATHOM_OK;
    if (r->leaves > 0) {
        status = fathom_json_set_integer(r->claim, "leaves", r->leaves);
        FATHOM_THEN(status, fathom_json_set_integer(r->claim, "entries", r->entries));
    }
    r->leaves = r->entries = 0;
    return status;
}

static fathom_status begin_claim(reading *r, const char *name)
{
    fathom_status status = finish_claim(r);
    FATHOM_THEN(status, fathom_json_append_object(r->claims, &r->claim));
    r->train = strcmp(name, "train") == 0;
    r->limit = strcmp(name, "limit") == 0;
    return status;
}

/* A line of the table: each once, those of the file before all claims. */
static fathom_status take_members(reading *r, size_t k, char *rest)
{
    const bool claim = strcmp(lines[k].key, "claim") == 0;
    if (!claim && (r->seen >> k & 1 || lines[k].claim == !r->claim))
        return refuse(r, "the line is doubled, or out of its order");
    r->seen |= 1U << k;
    fathom_status status = FATHOM_OK;
    if (claim) {
        r->seen = (1U << HEAD) - 1;
        status = begin_claim(r, rest);
    }
    if (strcmp(lines[k].key, "gates") == 0 &&
        !integer(&r->gates, rest + strcspn(rest, " ") + (strchr(rest, ' ') != NULL)))
        return refuse(r, "expected gates and their number");
    const bool cones = claim && (strcmp(rest, "cones") == 0 || strcmp(rest, "faces") == 0);
    FATHOM_THEN(status, set_members(r, k, rest));
    return status == FATHOM_OK && cones ? fathom_json_set_integer(r->claim, "count", r->gates) : status;
}

static fathom_status take_leaf(reading *r, const char *rest)
{
    char count[24];
    int64_t entries;
    snprintf(count, sizeof count, "%.*s", (int)strcspn(rest, " "), rest);
    if (!integer(&entries, count) || entries > r->size)
        return refuse(r, "the number of entries of a leaf is not one");
    r->leaves++;
    r->entries += entries;
    return FATHOM_OK;
}

/* A line without its end. */
static fathom_status take_line(reading *r, char *line)
{
    const size_t length = strcspn(line, " ");
    char *rest = line[length] ? line + length + 1 : line + length;
    line[length] = 0;
    r->line++;
    if (r->ended)
        return refuse(r, "nothing should follow");
    if (r->limit && (strcmp(line, "problem") == 0 || strcmp(line, "bound") == 0))
        return FATHOM_OK; /* other words than those of training */
    for (size_t k = 0; k < LINES; k++)
        if (strcmp(line, lines[k].key) == 0)
            return take_members(r, k, rest);
    if (strcmp(line, "leaf") == 0 && r->claim)
        return take_leaf(r, rest);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        if (strcmp(line, numbers[k]) == 0)
            return FATHOM_OK;
    r->ended = strcmp(line, "end") == 0 && r->claim && !*rest;
    return r->ended ? FATHOM_OK : refuse(r, "this is no line of a certificate");
}

/* All lines behind the first. */
static fathom_status take_lines(reading *r, char *text, int64_t size)
{
    fathom_status status =
        memchr(text, 0, (size_t)size) ? refuse(r, "the certificate has a zero byte") : FATHOM_OK;
    for (int64_t at = (int64_t)strlen(FIRST); at < size && status == FATHOM_OK;) {
        char *line = text + at, *end = memchr(line, '\n', (size_t)(size - at));
        if (!end)
            return refuse(r, "the last line is not whole");
        *end = 0;
        at += end - line + 1;
        status = take_line(r, line);
    }
    if (status == FATHOM_OK && !r->ended)
        status = refuse(r, "the certificate does not end");
    return status == FATHOM_OK ? finish_claim(r) : status;
}

fathom_status fathom_certificate_describe(fathom_json *result, fathom_context *context, const char *path)
{
    fathom_bytes *bytes;
    unsigned char *text = NULL;
    int64_t size = 0;
    reading r = {.context = context, .path = path, .line = 1, .result = result};
    FATHOM_TRY(fathom_bytes_open(&bytes, context, path));
    fathom_status status = fathom_bytes_read_all(bytes, &text, &size, INT64_C(1) << 31);
    if (status == FATHOM_OK && (size < (int64_t)sizeof FIRST || memcmp(text, FIRST, sizeof FIRST - 1) != 0))
        status = fathom_error_set_at(
            context, FATHOM_ERROR_INPUT, path, 1, 1,
            "expected a certificate of version 2; one of another version is for another fathom");
    r.size = size;
    FATHOM_THEN(status, fathom_json_set_text(result, "kind", "certificate"));
    FATHOM_THEN(status, fathom_json_set_list(result, "claims", &r.claims));
    FATHOM_THEN(status, fathom_json_set_bool(result, "verified", false));
    FATHOM_THEN(status, take_lines(&r, (char *)text, size));
    FATHOM_THEN(status, fathom_json_set_integer(result, "bytes", size));
    fathom_memory_free(context, text);
    fathom_bytes_close(bytes);
    return status;
}
