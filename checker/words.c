/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The certificate as lines of words.
 *
 *     line   = keyword *( SP word ) LF
 *     number = [ "-" ] 1*HEX [ "p" [ "-" ] 1*DIGIT ]        m 2^e: "-1a3p-12" is -419 / 4096
 *
 * Lines come in one order only, so that no key can be missing, doubled or unknown. Counts that a line
 * states are compared with its length before memory is taken.
 */
#include <stdlib.h>
#include <string.h>

#include "checker.h"

void check_text(check *c, const char *bytes, int64_t size)
{
    c->line = 1;
    need(c, size > 0 && bytes[size - 1] == '\n' && !memchr(bytes, 0, (size_t)size),
         "a certificate is text whose last line is whole");
    c->line = 0;
    c->original = bytes;
    c->text = c->rest = memcpy(check_alloc(c, size + 1, 1), bytes, (size_t)size);
}

void check_end(check *c) { need(c, !c->next, "the line should have ended"); }

bool check_line_is(const check *c, const char *keyword)
{
    const size_t length = strlen(keyword);
    return strncmp(c->rest, keyword, length) == 0 && strchr(" \n", c->rest[length]);
}

void check_line(check *c, const char *keyword)
{
    check_end(c);
    c->line++;
    need(c, check_line_is(c, keyword), "'%s' was expected", keyword);
    char *line = c->rest, *end = strchr(line, '\n'); /* the last line is whole */
    *end = 0;
    c->rest = end + 1;
    c->next = strchr(line, ' ');
    if (c->next)
        c->next++;
}

/* The next word, of the line that begins with the keyword where there is one, ended by a zero byte. */
char *check_word(check *c, const char *keyword)
{
    if (keyword)
        check_line(c, keyword);
    char *word = c->next;
    check_work(c, 1);
    need(c, word, "more words were expected");
    c->next = strchr(word, ' ');
    if (c->next)
        *c->next++ = 0;
    need(c, *word, "one space between words was expected");
    return word;
}

int check_choice(check *c, const char *keyword, const char *words)
{
    const char *word = check_word(c, keyword);
    const size_t length = strlen(word);
    for (int k = 0;; k++) {
        const size_t size = strcspn(words, " ");
        if (size == length && memcmp(words, word, length) == 0)
            return k;
        need(c, words[size], "'%.40s' is not among the words that may stand here", word);
        words += size + 1;
    }
}

int64_t check_integer(check *c, const char *keyword, int64_t low, int64_t high)
{
    const char *word = check_word(c, keyword);
    const bool minus = strcmp(word, "-1") == 0; /* the one that is below 0 */
    const size_t size = strspn(word + minus, "0123456789");
    const int64_t value = strtoll(word, NULL, 10);
    need(c, size > 0 && size <= 18 && !word[minus + size] && value >= low && value <= high,
         "an integer from %lld to %lld was expected", (long long)low, (long long)high);
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
    char *word = check_word(c, NULL), *m = word + (*word == '-'), *end = m + strspn(m, "0123456789abcdef");
    const char *e = end + (*end == 'p'), *digits = e + (e > end && *e == '-');
    const size_t places = strspn(digits, "0123456789");
    const long power = strtol(e, NULL, 10);
    need(c,
         end > m && places <= 4 && !digits[places] && (e > end) == (places > 0) && power >= -4000 &&
             power <= 4000,
         "'%.40s' is not a number m 2^e", word);
    *end = 0;
    fmpz_t value;
    fmpz_init(value);
    fmpz_set_str(value, word, 16);
    arb_set_fmpz(out, value);
    arb_mul_2exp_si(out, out, power);
    fmpz_clear(value);
}

int64_t check_count(check *c, const char *keyword)
{
    if (keyword)
        check_line(c, keyword);
    return check_integer(c, NULL, 0, c->next ? (int64_t)strlen(c->next) : 0);
}

num *check_numbers(check *c, const char *keyword, int64_t count)
{
    if (keyword)
        check_line(c, keyword);
    need(c, count <= (c->next ? (int64_t)(strlen(c->next) + 1) / 2 : 0), "%lld numbers were expected",
         (long long)count);
    num *numbers = check_alloc(c, count, sizeof *numbers);
    for (int64_t k = 0; k < count; k++)
        read_number(numbers + k, c);
    return numbers;
}
