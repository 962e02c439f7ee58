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
    check_line(c, "labels");
    need(c, in->labels, "--labels FILE is needed");
    check_hash(c, in->labels, in->labels_size, "file of labels");
    check_read_npy(c, in->data, in->data_size, in->labels, in->labels_size);
}

void check_read_bounds(check *c)
{
    c->upper = *check_numbers(c, "upper", 1);
    c->lower = *check_numbers(c, "lower", 1);
    c->claimed = c->line;
}

void check_bound(check *c, int side, num value, const char *what)
{
    const double end = num_end(value, side);
    const int64_t line = c->line;
    c->verdict.upper = side > 0 ? fmax(c->verdict.upper, end) : c->verdict.upper;
    c->verdict.lower = side < 0 ? fmin(c->verdict.lower, end) : c->verdict.lower;
    c->line = side > 0 ? c->claimed - 1 : c->claimed;
    need(c, side > 0 ? num_at_most(value, c->upper) : num_at_most(c->lower, value),
         "%s %.17g, %s what is claimed", what, end, side > 0 ? "above" : "below");
    c->line = line;
}

static void check_claim_cones(check *c)
{
    c->verdict.upper = c->verdict.lower = (double)check_integer(c, "count", c->gates.m, c->gates.m);
    check_all_cones(c);
}

static void read_claim(check *c, FILE *out)
{
    static void (*const claim[])(check *) = {check_claim_train, check_claim_margin, check_claim_zero,
                                             check_claim_cones, check_claim_global};
    verdict *v = &c->verdict;
    v->upper = -INFINITY;
    v->lower = INFINITY;
    claim[check_choice(c, "claim", "train margin zero cones global")](c);
    check_end(c);
    v->claims++;
    if (out)
        fprintf(out, "accepted upper=%.17g lower=%.17g gap=%.17g\n", v->upper, v->lower, v->upper - v->lower);
}

static void read_certificate(check *c, const inputs *in, FILE *out)
{
    check_text(c, in->certificate, in->certificate_size);
    check_integer(c, "fathom-certificate", 1, 1);
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
