/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates written by hand, and what must become of them when a part is replaced. */
#ifndef FATHOM_TEST_CHECKING_H
#define FATHOM_TEST_CHECKING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checker.h"

/* The first `from` becomes `to` ("" and "": nothing changes); then the code, and words of the message, must be these. */
typedef struct variation {
    const char *from, *to;
    int code;
    const char *message;
} variation;

/* A certificate from behind the hashes of its second line, about data of this format. */
typedef struct base {
    const char *format, *data;
    int64_t size; /* 0: data is text */
    const char *labels;
    int64_t labels_size;
    const char *text;
} base;

/* All n rows of d columns as they stand, and no gates. */
#define PLAIN(n, d, bias) "rows 1 0 " n "\nclasses none\nsteps none " bias " " n " " d "\n"
#define NO_GATES "gates patterns 0\n"

/* Numbers of this many bytes each as a file holds them, least byte first, whatever the order of this
 * machine. */
static inline void put_little_endian(char *out, const void *numbers, size_t size, size_t width)
{
    const uint16_t one = 1;
    const bool little = *(const char *)&one == 1;
    for (size_t k = 0; k < size; k++)
        out[k] = ((const char *)numbers)[little ? k : k - k % width + width - 1 - k % width];
}

static inline char *text_with(const base *b, const variation *v)
{
    char hex[65];
    const int64_t size = b->size ? b->size : (int64_t)strlen(b->data);
    const size_t room = strlen(b->text) + strlen(v->to) + 300;
    char *text = calloc(room, 1);
    check_sha256(hex, (const unsigned char *)b->data, size);
    const int head = snprintf(text, room, "fathom-certificate 2\ndata %s %s", b->format, hex);
    if (b->labels) {
        check_sha256(hex, (const unsigned char *)b->labels, b->labels_size);
        sprintf(text + head, " %s", hex);
    }
    const char *at = strstr(b->text, v->from), *tail = at ? at + strlen(v->from) : NULL;
    if (!at)
        fail_msg("'%s' is not in the certificate", v->from);
    sprintf(text + strlen(text), "%.*s%s%s", (int)(at - b->text), b->text, v->to, tail);
    return text;
}

static inline bool vary_within(const base *b, const variation *v, const limits *most)
{
    static check c;
    char *text = text_with(b, v);
    const inputs in = {text,
                       b->data,
                       b->labels,
                       (int64_t)strlen(text),
                       b->size ? b->size : (int64_t)strlen(b->data),
                       b->labels_size};
    const int code = check_run(&c, &in, NULL, most);
    const bool good = code == v->code && (!code || strstr(c.message, v->message ? v->message : ""));
    if (!good)
        print_error("'%s' -> '%s': code %d, '%s' instead of %d, '%s'\n", v->from, v->to, code, c.message,
                    v->code, v->message ? v->message : "");
    assert_null(c.blocks);
    free(text);
    return good;
}

static inline void vary(const base *b, const variation *v, size_t count)
{
    size_t wrong = 0;
    for (size_t k = 0; k < count; k++)
        wrong += !vary_within(b, v + k, &check_limits);
    assert_int_equal(wrong, 0);
}
#define VARY(b, list) vary(b, list, sizeof(list) / sizeof(list)[0])

#endif
