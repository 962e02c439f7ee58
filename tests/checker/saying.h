/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates written by hand, what is asked of them, and what must be said. */
#ifndef FATHOM_TEST_SAYING_H
#define FATHOM_TEST_SAYING_H

#include "checking.h"

/* A certificate with a part replaced, what is asked, the code, and words of what is said. */
typedef struct saying {
    const base *b;
    const char *from, *to;
    question asked;
    int code;
    const char *words, *never; /* never: words that must not be there, or NULL */
} saying;

/* All that is said, or the message. */
static inline char *say(const saying *s, int *code)
{
    static check c;
    const variation v = {s->from, s->to, 0, NULL};
    char *text = text_with(s->b, &v), *said = calloc(20000, 1);
    const inputs in = {text,
                       s->b->data,
                       s->b->labels,
                       (int64_t)strlen(text),
                       s->b->size ? s->b->size : (int64_t)strlen(s->b->data),
                       s->b->labels_size};
    question asked = s->asked;
    asked.out = tmpfile();
    asked.model_size = asked.model ? (int64_t)strlen(asked.model) : 0;
    asked.expect_size = asked.expect ? (int64_t)strlen(asked.expect) : 0;
    *code = check_run(&c, &in, &asked, &check_limits);
    rewind(asked.out);
    if (fread(said, 1, 19999, asked.out) == 0)
        strcpy(said, c.message);
    for (char *at = said; *at && !asked.json; at++)
        *at = *at == '\n' ? ' ' : *at;
    fclose(asked.out);
    free(text);
    return said;
}

static inline void check_sayings(const saying *list, size_t count)
{
    size_t wrong = 0;
    for (size_t k = 0; k < count; k++) {
        int code;
        char *said = say(list + k, &code);
        const bool good = code == list[k].code && strstr(said, list[k].words) &&
                          !(list[k].never && strstr(said, list[k].never));
        if (!good)
            print_error("%zu: '%s' -> '%s', expect %s: code %d: %s\n  instead of %d, '%s'\n", k, list[k].from,
                        list[k].to, list[k].asked.expect ? list[k].asked.expect : "-", code, said,
                        list[k].code, list[k].words);
        wrong += !good;
        free(said);
    }
    assert_int_equal(wrong, 0);
}
#define SAY(list) check_sayings(list, sizeof(list) / sizeof(list)[0])

/* f = 0 is optimal: F = 3. */
static const base squared = {"csv",
                             "1,0,1\n0,1,-1\n1,1,2\n",
                             0,
                             NULL,
                             0,
                             " 0 2 -1\n" PLAIN("3", "2", "none") NO_GATES
                             "claim train\nproblem relu squared 1 4\nbound plane 3 3\n"
                             "network 0\nconstant 0\ndual 1 1 -1 2\nend\n"};

/* One neuron with free biases; no lower bound. */
static const base biased = {"csv",
                            "1,1\n2,-1\n",
                            0,
                            NULL,
                            0,
                            " 0 1 -1\n" PLAIN("2", "1", "free") NO_GATES
                            "claim train\nproblem relu squared 1 1\nbound none 100 0\n"
                            "network 1\nneuron 3 1p-1 -1p-2\nconstant 1p-1\nend\n"};

#endif
