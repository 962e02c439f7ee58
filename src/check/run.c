/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate from its first line to its last. */
#include <math.h>
#include <string.h>

#include "checker.h"

/* The hash that stands in the certificate against that of the bytes. */
static void check_hash(check *c, const char *bytes, int64_t size, const char *what)
{
    char hex[65];
    check_sha256(hex, (const unsigned char *)bytes, size);
    need(c, strcmp(check_word(c, NULL), hex) == 0, "the certificate is not about this %s (its SHA-256 is %s)",
         what, hex);
}

static void read_data(check *c, const inputs *in)
{
    const int format = check_choice(c, "data", "csv libsvm npy");
    check_hash(c, in->data, in->data_size, "data");
    if (format < 2) {
        (format ? check_read_libsvm : check_read_csv)(c, in->data, in->data_size);
        return;
    }
    need(c, in->labels, "--labels FILE is needed");
    check_hash(c, in->labels, in->labels_size, "file of labels");
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

static void read_claim(check *c, FILE *out)
{
    static void (*const claim[])(check *) = {check_claim_train, check_claim_margin, check_claim_zero,
                                             check_claim_cones, check_claim_faces};
    verdict *v = &c->verdict;
    v->upper = -INFINITY;
    v->lower = INFINITY;
    const int kind = check_choice(c, "claim", "train margin zero cones faces");
    need(c, !c->data.decimals || kind >= 2, "this claim is about doubles, not about decimals");
    claim[kind](c);
    check_end(c);
    v->claims++;
    if (out)
        fprintf(out, "accepted upper=%.17g lower=%.17g gap=%.17g\n", v->upper, v->lower, v->upper - v->lower);
}

static void read_certificate(check *c, const inputs *in, FILE *out)
{
    check_text(c, in->certificate, in->certificate_size);
    need(c, check_integer(c, "fathom-certificate", 0, INT64_MAX) == 2,
         "this program reads format 2 of certificates");
    read_data(c, in);
    check_prepare(c);
    check_gates(c);
    do
        read_claim(c, out);
    while (check_line_is(c, "claim"));
    check_line(c, "end");
    check_end(c);
    need(c, !*c->rest, "nothing should follow");
}

int check_run(check *c, const inputs *in, FILE *out, const limits *most)
{
    memset(c, 0, sizeof *c);
    c->limits = most;
    check_open(c);
    if (setjmp(c->end) == 0)
        read_certificate(c, in, out);
    check_close(c);
    return c->code;
}
