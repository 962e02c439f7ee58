/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate as lines of words.
 *
 *     line   = keyword *( SP word ) LF
 *     number = [ "-" ] 1*16 HEX [ "p" [ "-" ] 1*4 DIGIT ]        m 2^e: "-1a3p-12" is -419 / 4096
 *
 * Lines come in one order only, so that no key can be missing, doubled or unknown.
 * Memory: the text and 16 bytes per number of the line at hand, whatever counts the file states.
 */
#include <string.h>

#include "checker.h"

void check_open_text(check *c, const char *bytes, int64_t size)
{
    if (size == 0 || bytes[size - 1] != '\n' || memchr(bytes, 0, (size_t)size))
        check_fail(c, 4, "line 1: a certificate is text whose last line is whole");
    char *text = check_alloc(c, size + 1, 1);
    memcpy(text, bytes, (size_t)size);
    c->rest = text;
}

/* Whether the text at `at` is the keyword and nothing more of a word. */
static bool begins(const char *at, const char *keyword)
{
    const size_t length = strlen(keyword);
    return strncmp(at, keyword, length) == 0 && (at[length] == ' ' || at[length] == '\n' || at[length] == 0);
}

bool check_line_is(const check *c, const char *keyword) { return begins(c->rest, keyword); }

void check_next_line(check *c, const char *keyword)
{
    char *line = c->rest;
    c->line++;
    if (!begins(line, keyword))
        check_fail(c, 4, "line %lld: '%s' was expected", (long long)c->line, keyword);
    char *end = strchr(line, '\n'); /* the last line is whole */
    *end = 0;
    c->rest = end + 1;
    c->word = line + strlen(keyword);
}

/* The next word, ended by a zero byte; a line that ends first is an error. */
const char *check_word(check *c)
{
    if (*c->word != ' ')
        check_fail(c, 4, "line %lld: more words were expected", (long long)c->line);
    char *word = c->word + 1, *end = word + strcspn(word, " ");
    if (end == word)
        check_fail(c, 4, "line %lld: one space between words was expected", (long long)c->line);
    c->word = end;
    return word;
}

/* Words are compared up to the blank that ends them. */
static bool same(const check *c, const char *word, const char *other)
{
    const size_t length = (size_t)(c->word - word);
    return strlen(other) == length && memcmp(word, other, length) == 0;
}

int check_choice(check *c, const char *const *words)
{
    const char *word = check_word(c);
    for (int k = 0; words[k]; k++)
        if (same(c, word, words[k]))
            return k;
    check_fail(c, 4, "line %lld: '%.*s' is not among the words that may stand here", (long long)c->line,
               (int)(c->word - word < 40 ? c->word - word : 40), word);
}

int64_t check_integer(check *c, int64_t low, int64_t high)
{
    const char *word = check_word(c);
    const bool minus = *word == '-';
    int64_t value = 0;
    const char *digit = word + minus;
    for (; digit < c->word && *digit >= '0' && *digit <= '9' && digit - word < 18; digit++)
        value = 10 * value + (*digit - '0');
    if (minus)
        value = -value;
    if (digit != c->word || digit == word + minus || value < low || value > high)
        check_fail(c, 4, "line %lld: an integer from %lld to %lld was expected", (long long)c->line,
                   (long long)low, (long long)high);
    return value;
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

dyadic check_number(check *c)
{
    const char *word = check_word(c), *at = word + (*word == '-');
    const char *first = at;
    uint64_t m = 0;
    int64_t e = 0;
    bool good = true, down = false;
    for (; hex_value(*at) >= 0 && at - first < 16; at++)
        m = m << 4 | (uint64_t)hex_value(*at);
    good = at > first && m <= INT64_MAX;
    if (*at == 'p') {
        down = at[1] == '-';
        at += 1 + down;
        const char *digits = at;
        for (; *at >= '0' && *at <= '9' && at - digits < 4; at++)
            e = 10 * e + (*at - '0');
        good = good && at > digits && e <= 4000;
    }
    if (!good || at != c->word)
        check_fail(c, 4, "line %lld: '%.*s' is not a number m 2^e", (long long)c->line,
                   (int)(c->word - word < 40 ? c->word - word : 40), word);
    for (; m != 0 && m % 2 == 0; m /= 2)
        e += down ? -1 : 1;
    return (dyadic){*word == '-' ? -(int64_t)m : (int64_t)m, m == 0 ? 0 : down ? -e : e};
}

dyadic *check_numbers(check *c, int64_t count)
{
    if (count > (int64_t)(strlen(c->word) / 2)) /* each takes a space and a digit */
        check_fail(c, 4, "line %lld: %lld numbers were expected", (long long)c->line, (long long)count);
    dyadic *numbers = check_alloc(c, count, sizeof *numbers);
    for (int64_t k = 0; k < count; k++)
        numbers[k] = check_number(c);
    return numbers;
}

void check_line_end(check *c)
{
    if (*c->word)
        check_fail(c, 4, "line %lld: the line should have ended", (long long)c->line);
}
