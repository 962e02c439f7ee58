/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate as lines of words.
 *
 *     line   = keyword *( SP word ) LF
 *     number = [ "-" ] 1*16 HEX [ "p" [ "-" ] 1*4 DIGIT ]        m 2^e: "-1a3p-12" is -419 / 4096
 *
 * Lines come in one order only, so that no key can be missing, doubled or unknown. Counts that a line states are compared
 * with its length before memory is taken.
 */
#include <stdlib.h>
#include <string.h>

#include "checker.h"

void check_text(check *c, const char *bytes, int64_t size)
{
    if (size == 0 || bytes[size - 1] != '\n' || memchr(bytes, 0, (size_t)size))
        check_fail(c, 4, "line 1: a certificate is text whose last line is whole");
    c->rest = memcpy(check_alloc(c, size + 1, 1), bytes, (size_t)size);
}

bool check_line_is(const check *c, const char *keyword)
{
    const size_t length = strlen(keyword);
    return strncmp(c->rest, keyword, length) == 0 && strchr(" \n", c->rest[length]);
}

void check_line(check *c, const char *keyword)
{
    c->line++;
    if (!check_line_is(c, keyword))
        check_reject(c, "'%s' was expected", keyword);
    char *line = c->rest, *end = strchr(line, '\n'); /* the last line is whole */
    *end = 0;
    c->rest = end + 1;
    c->next = strchr(line, ' ');
    if (c->next)
        c->next++;
}

/* The next word, ended by a zero byte; a line that ends first is an error. */
char *check_word(check *c)
{
    char *word = c->next;
    if (!word)
        check_reject(c, "more words were expected");
    c->next = strchr(word, ' ');
    if (c->next)
        *c->next++ = 0;
    if (!*word)
        check_reject(c, "one space between words was expected");
    return word;
}

void check_end(check *c)
{
    if (c->next)
        check_reject(c, "the line should have ended");
}

int check_choice(check *c, const char *words)
{
    const char *word = check_word(c);
    const size_t length = strlen(word);
    for (int k = 0;; k++) {
        const size_t size = strcspn(words, " ");
        if (size == length && memcmp(words, word, length) == 0)
            return k;
        if (!words[size])
            check_reject(c, "'%.40s' is not among the words that may stand here", word);
        words += size + 1;
    }
}

int64_t check_integer(check *c, int64_t low, int64_t high)
{
    const char *word = check_word(c), *digits = word + (*word == '-');
    const size_t size = strspn(digits, "0123456789");
    const int64_t value = strtoll(word, NULL, 10); /* saturates */
    if (size == 0 || digits[size] || value < low || value > high)
        check_reject(c, "an integer from %lld to %lld was expected", (long long)low, (long long)high);
    return value;
}

int check_hex(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = memchr(digits, digit, 16);
    return at ? (int)(at - digits) : -1;
}

static void read_number(num *out, check *c)
{
    const char *word = check_word(c), *m = word + (*word == '-');
    const size_t size = strspn(m, "0123456789abcdef");
    const uint64_t value = size < 17 ? strtoull(m, NULL, 16) : UINT64_MAX;
    const char *p = m + size, *e = p + (*p == 'p'), *digits = e + (e > p && *e == '-');
    const size_t places = strspn(digits, "0123456789");
    const long power = places < 5 ? strtol(e, NULL, 10) : 9999;
    if (size == 0 || value > INT64_MAX || digits[places] || (e > p) != (places > 0) || labs(power) > 4000)
        check_reject(c, "'%.40s' is not a number m 2^e", word);
    arf_set_si(out, *word == '-' ? -(slong)value : (slong)value);
    arf_mul_2exp_si(out, out, power);
}

int64_t check_room(const check *c) { return c->next ? (int64_t)(strlen(c->next) + 1) / 2 : 0; }

num *check_numbers(check *c, int64_t count)
{
    if (count > check_room(c))
        check_reject(c, "%lld numbers were expected", (long long)count);
    num *numbers = check_alloc(c, count, sizeof *numbers);
    for (int64_t k = 0; k < count; k++)
        read_number(numbers + k, c);
    return numbers;
}

int check_line_choice(check *c, const char *keyword, const char *words)
{
    check_line(c, keyword);
    const int choice = check_choice(c, words);
    check_end(c);
    return choice;
}

int64_t check_line_integer(check *c, const char *keyword, int64_t low, int64_t high)
{
    check_line(c, keyword);
    const int64_t value = check_integer(c, low, high);
    check_end(c);
    return value;
}

num *check_line_numbers(check *c, const char *keyword, int64_t count)
{
    check_line(c, keyword);
    num *numbers = check_numbers(c, count);
    check_end(c);
    return numbers;
}
