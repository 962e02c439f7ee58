/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of a JSON object: keys without escapes, each once, and their values as texts. What is nested
 * is passed over with a count of brackets, not by recursion; whoever reads a value judges what stands in
 * it.
 */
#include <string.h>

#include "checker.h"

static const char BLANKS[] = " \t\r\n";

static char *skip(char *at) { return at + strspn(at, BLANKS); }

/* Behind the quote that ends a text; NULL where none does. */
static char *text_end(char *at)
{
    while (*at && *at != '"')
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : NULL;
}

/* Behind a value; NULL where it does not end. */
static char *value_end(char *at)
{
    int64_t open = 0;
    if (*at == '"')
        return text_end(at + 1);
    while (at && *at && (open > 0 || !strchr(",}", *at))) {
        open += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
        at = *at == '"' ? text_end(at + 1) : at + 1;
    }
    return open == 0 ? at : NULL;
}

/* Cuts the value from..to, without blanks behind it and without the quotes of a text. */
static void cut_value(member *m, char *from, char *to)
{
    const bool text = *from == '"';
    while (strchr(BLANKS, to[-1]))
        to--;
    to -= text;
    *to = 0;
    m->value = from + text;
    m->size = to - m->value;
}

member *check_json(check *c, const char *bytes, int64_t size, int64_t *count, const char *what)
{
    need_data(c, !memchr(bytes, 0, (size_t)size), "%s has a zero byte", what);
    char *at = skip(memcpy(check_alloc(c, size + 1, 1), bytes, (size_t)size));
    member *list = check_alloc(c, size / 4 + 1, sizeof *list); /* "":0 */
    bool more = *at == '{';
    need_data(c, more, "%s is not a JSON object", what);
    for (*count = 0; more; ++*count) {
        member *m = list + *count;
        char *key = skip(at + 1), *colon = *key == '"' ? text_end(key + 1) : NULL;
        need_data(c, colon && *skip(colon) == ':', "%s: member %lld has no name", what, (long long)*count);
        key[colon - key - 1] = 0; /* its closing quote */
        m->key = key + 1;
        char *value = skip(skip(colon) + 1), *end = value_end(value);
        need_data(c, end && end > value && strchr(",}", *skip(end)) && *skip(end),
                  "%s: member '%.40s' has no value", what, m->key);
        at = skip(end);
        more = *at == ',';
        cut_value(m, value, end);
        for (int64_t k = 0; k < *count; k++)
            need_data(c, strcmp(list[k].key, m->key) != 0, "%s has '%.40s' twice", what, m->key);
    }
    need_data(c, !*skip(at + 1), "%s: nothing should follow", what);
    return list;
}
