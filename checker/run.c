/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate from its first line to its last. */
#include <math.h>
#include <string.h>

#include "checker.h"

/* A certificate of C bytes about data of D bytes may take LEAST + 10 C D products of words: a leaf of a
 * tree, whose line has about as many numbers as the data has rows, takes a product per row and pair of
 * columns. */
static const double LEAST_WORK = 1e8, WORK_PER_BYTES = 10;

/* The hash that stands in the certificate against that of the bytes. */
static void check_hash(check *c, char hex[65], const char *bytes, int64_t size, const char *what)
{
    check_sha256(hex, (const unsigned char *)bytes, size);
    need(c, strcmp(check_word(c, NULL), hex) == 0, "the certificate is not about this %s (its SHA-256 is %s)",
         what, hex);
}

/* ".. bytes N [M]" at the end of the line `data`: the lengths of the files, which are compared before all
 * else. */
static void check_sizes(check *c, const inputs *in, bool labels)
{
    char *rest = c->next, *mark = rest ? strstr(rest, " bytes ") : NULL;
    if (!mark)
        return;
    *mark = 0;
    c->next = mark + strlen(" bytes ");
    const int64_t size = check_integer(c, NULL, 0, INT64_MAX),
                  more = labels ? check_integer(c, NULL, 0, INT64_MAX) : 0;
    check_end(c);
    need(c, size == in->data_size && (!labels || !in->labels || more == in->labels_size),
         "the certificate is about data of %lld bytes, not of %lld", (long long)(size + more),
         (long long)(in->data_size + in->labels_size));
    c->next = rest;
}

static void read_data(check *c, const inputs *in)
{
    dataset *a = &c->data;
    const int format = a->format = check_choice(c, "data", "csv libsvm npy");
    a->target = a->mass_at = -1;
    check_sizes(c, in, format == 2);
    check_hash(c, a->sha, in->data, in->data_size, "data");
    if (format < 2) {
        (format ? check_read_libsvm : check_read_csv)(c, in->data, in->data_size);
        return;
    }
    need(c, in->labels, "--labels FILE is needed");
    check_hash(c, a->labels_sha, in->labels, in->labels_size, "file of labels");
    check_read_npy(c, in->data, in->data_size, in->labels, in->labels_size);
}

int check_bounds(check *c, const char *kinds)
{
    const int kind = check_choice(c, "bound", kinds);
    c->claimed = check_numbers(c, NULL, 2);
    c->bound = c->line;
    return kind;
}

void check_bound(check *c, int side, num value, const char *what)
{
    verdict *v = &c->verdict;
    const double end = num_end(value, side);
    const int64_t line = c->line;
    *(side > 0 ? &v->upper : &v->lower) = side > 0 ? fmax(v->upper, end) : fmin(v->lower, end);
    c->line = c->bound;
    need(c, side > 0 ? num_at_most(value, c->claimed[0]) : num_at_most(c->claimed[1], value),
         "%s %.17g, %s what is claimed", what, end, side > 0 ? "above" : "below");
    c->line = line;
}

static void check_claim_cones(check *c)
{
    check_all_cones(c);
    c->verdict.upper = c->verdict.lower = (double)c->gates.m;
}

/* Reads a claim; its record goes to `last`. Gives where the next one goes. */
static claim **read_claim(check *c, claim **last)
{
    static void (*const read[])(check *) = {
        check_claim_train, check_claim_margin, check_claim_spectrum, check_claim_zero,  check_claim_cones,
        check_claim_faces, check_claim_cone,   check_claim_spike,    check_claim_limit, check_claim_sampled};
    verdict *v = &c->verdict;
    claim *q = c->claim = *last = check_alloc(c, 1, sizeof *q);
    v->upper = -INFINITY;
    v->lower = INFINITY;
    q->kind = check_choice(c, "claim", "train margin spectrum zero cones faces cone spike limit sampled");
    q->gates = c->gates.m;
    need(c, !c->data.decimals || (q->kind >= CLAIM_ZERO && q->kind < CLAIM_LIMIT),
         "this claim is about doubles, not about decimals");
    read[q->kind](c);
    check_end(c);
    v->claims++;
    q->upper = v->upper;
    q->lower = v->lower;
    const bool open = q->kind == CLAIM_TRAIN && q->loss == LOSS_MARGIN; /* a margin may have no upper side */
    need(c, isfinite(q->lower) && (open || isfinite(q->upper)), "a bound is beyond the range of doubles");
    return &q->next;
}

static void read_certificate(check *c, const inputs *in)
{
    claim **last = &c->claims;
    check_text(c, in->certificate, in->certificate_size);
    need(c, strcmp(check_word(c, "fathom-certificate"), "2") == 0,
         "this program reads format 2 of certificates");
    read_data(c, in);
    check_prepare(c);
    check_gates(c);
    do
        last = read_claim(c, last);
    while (check_line_is(c, "claim"));
    check_line(c, "end");
    check_end(c);
    need(c, !*c->rest, "nothing should follow");
}

/* What was verified, against what was expected of it. */
static void answer(check *c, const question *asked)
{
    c->line = 0;
    if (asked->model)
        check_model(c, asked->model, asked->model_size);
    check_state(c, asked->model_name);
    if (asked->expect)
        check_expect(c, asked->expect, asked->expect_size);
    if (asked->out)
        (asked->json ? check_print_json : check_print)(c, asked->out, asked->explain);
}

int check_run(check *c, const inputs *in, const question *asked, const limits *most)
{
    memset(c, 0, sizeof *c);
    c->limits = most;
    c->budget = LEAST_WORK +
                WORK_PER_BYTES * (double)in->certificate_size * (double)(in->data_size + in->labels_size);
    check_open(c);
    if (setjmp(c->end) == 0) {
        read_certificate(c, in);
        if (asked)
            answer(c, asked);
    }
    check_close(c);
    return c->code;
}
