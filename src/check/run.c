/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate from its first line to its last. */
#include <string.h>

#include "checker.h"

/* The hash that stands in the certificate against that of the bytes. */
static void check_hash(check *c, const char *bytes, int64_t size, const char *what)
{
    char hex[65];
    check_sha256(hex, (const unsigned char *)bytes, size);
    if (strcmp(check_word(c), hex) != 0)
        check_reject(c, "the certificate is not about this %s (its SHA-256 is %s)", what, hex);
    check_end(c);
}

static void read_data(check *c, const inputs *in)
{
    check_line(c, "data");
    const int format = check_choice(c, "csv libsvm npy");
    check_hash(c, in->data, in->data_size, "data");
    if (format == 0) {
        check_read_csv(c, in->data, in->data_size);
    } else if (format == 1) {
        check_read_libsvm(c, in->data, in->data_size);
    } else {
        int64_t shape[2], targets[2];
        check_line(c, "labels");
        if (!in->labels)
            check_reject(c, "--labels FILE is needed");
        check_hash(c, in->labels, in->labels_size, "file of labels");
        double *x = check_read_npy(c, in->data, in->data_size, shape);
        double *y = check_read_npy(c, in->labels, in->labels_size, targets);
        if (targets[0] != shape[0])
            check_fail(c, 5, "there are %lld labels for %lld rows", (long long)targets[0],
                       (long long)shape[0]);
        c->data = (dataset){.n = shape[0], .d = shape[1], .outputs = targets[1], .x = x, .y = y};
    }
}

static void read_claim(check *c)
{
    static void (*const run[])(check *) = {check_claim_train, check_claim_margin, check_claim_zero,
                                           check_claim_cones, check_claim_global};
    run[check_line_choice(c, "claim", "train margin zero cones global")](c);
    c->verdict.claims++;
    if (c->out)
        fprintf(c->out, "accepted upper=%.17g lower=%.17g gap=%.17g\n", c->verdict.upper, c->verdict.lower,
                c->verdict.upper - c->verdict.lower);
}

static void read_certificate(check *c, const inputs *in)
{
    check_text(c, in->certificate, in->certificate_size);
    check_line_integer(c, "fathom-certificate", 1, 1);
    read_data(c, in);
    check_prepare(c);
    check_line(c, "shape");
    check_integer(c, c->data.n, c->data.n);
    check_integer(c, c->data.d, c->data.d);
    check_end(c);
    check_gates(c);
    do
        read_claim(c);
    while (check_line_is(c, "claim"));
    check_line(c, "end");
    check_end(c);
    if (*c->rest)
        check_reject(c, "nothing should follow");
}

int check_run(check *c, const inputs *in, FILE *out, const limits *most)
{
    memset(c, 0, sizeof *c);
    c->out = out;
    c->limits = most;
    check_open(c);
    if (setjmp(c->end) == 0)
        read_certificate(c, in);
    check_close(c);
    return c->code;
}
