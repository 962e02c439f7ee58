/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate from its first line to its last. */
#include <arb.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

/* The hash that stands in the certificate against that of the bytes. */
static void check_hash(check *c, const char *bytes, int64_t size, const char *what)
{
    char hex[65];
    const char *word = check_word(c);
    check_sha256(hex, (const unsigned char *)bytes, size);
    if (c->word - word != 64 || memcmp(word, hex, 64) != 0)
        check_fail(c, 4, "line %lld: the certificate is not about this %s (its SHA-256 is %s)",
                   (long long)c->line, what, hex);
}

static void read_data(check *c, const inputs *in)
{
    static const char *const formats[] = {"csv", "npy", "libsvm", NULL};
    source from;
    check_next_line(c, "data");
    from.format = check_choice(c, formats);
    check_hash(c, in->data, in->data_size, "data");
    check_line_end(c);
    if (from.format == 1) {
        check_next_line(c, "labels");
        if (!in->labels)
            check_fail(c, 4, "line %lld: --labels FILE is needed", (long long)c->line);
        check_hash(c, in->labels, in->labels_size, "file of labels");
        check_line_end(c);
        check_read_npy(c, (const unsigned char *)in->data, in->data_size, false);
        check_read_npy(c, (const unsigned char *)in->labels, in->labels_size, true);
        return;
    }
    if (memchr(in->data, 0, (size_t)in->data_size))
        check_fail(c, 5, "the data has a zero byte");
    check_next_line(c, "table");
    if (from.format == 0) {
        from.header = check_integer(c, 0, 1);
        from.target = check_integer(c, 0, INT32_MAX);
        from.weights = check_integer(c, -1, INT32_MAX);
        check_line_end(c);
        check_read_csv(c, &from, in->data);
    } else {
        from.columns = check_integer(c, -1, INT32_MAX);
        check_line_end(c);
        check_read_libsvm(c, &from, in->data);
    }
}

static void read_claim(check *c)
{
    static const char *const kinds[] = {"train", "margin", "zero", "cones", NULL};
    static void (*const run[])(check *) = {check_claim_train, check_claim_margin, check_claim_zero,
                                           check_claim_cones};
    check_next_line(c, "claim");
    const int kind = check_choice(c, kinds);
    check_line_end(c);
    run[kind](c);
    c->verdict.claims++;
    if (c->out)
        fprintf(c->out, "accepted upper=%.17g lower=%.17g gap=%.17g\n", c->verdict.upper, c->verdict.lower,
                c->verdict.upper - c->verdict.lower);
}

static void read_certificate(check *c, const inputs *in)
{
    check_open_text(c, in->certificate, in->certificate_size);
    check_next_line(c, "fathom-certificate");
    check_integer(c, 1, 1);
    check_line_end(c);
    read_data(c, in);
    check_prepare(c);
    check_next_line(c, "shape");
    check_integer(c, c->data.n, c->data.n);
    check_integer(c, c->data.d, c->data.d);
    check_line_end(c);
    grid_from_doubles(c, &c->x, c->data.x, c->data.n * c->data.d);
    check_gates(c);
    do
        read_claim(c);
    while (check_line_is(c, "claim"));
    check_next_line(c, "end");
    check_line_end(c);
    if (*c->rest)
        check_fail(c, 4, "line %lld: nothing should follow", (long long)c->line + 1);
}

/* For Arb's own memory. */
static check *current;
static void *arb_alloc(size_t size) { return check_alloc(current, (int64_t)size, 1); }
static void *arb_zeroed(size_t count, size_t size) { return check_alloc(current, (int64_t)count, size); }
static void arb_free(void *block) { check_free(current, block); }
static void *arb_resize(void *block, size_t size)
{
    return block ? check_resize(current, block, size) : arb_alloc(size);
}

int check_run(check *c, const inputs *in, FILE *out)
{
    memset(c, 0, sizeof *c);
    c->out = out;
    current = c;
    check_gmp(c);
    __flint_set_memory_functions(arb_alloc, arb_zeroed, arb_resize, arb_free);
    if (setjmp(c->end) == 0)
        read_certificate(c, in);
    flint_cleanup_master();
    check_release(c);
    __flint_set_memory_functions(malloc, calloc, realloc, free);
    return c->code;
}
