/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal text to double.
 *
 * A text is w 10^q with an integer w (its first 19 significant digits) and perhaps more digits, so that the value lies
 * in [w, w + 1) 10^q. In this order:
 *   1. w <= 2^53 and |q| <= 22: w and 10^|q| are exact, one rounded operation is correctly rounded [Clinger 1990];
 *   2. w times the 128 leading bits of 5^q decides the 53 bits and the rounding in all but rare cases
 *      [Lemire, Number parsing at a gigabyte per second, 2021]; with further digits, w and w + 1 must agree;
 *   3. otherwise the C library, on a text without a decimal point (hence independent of the locale) of at most
 *      800 digits and a 1 for a non-zero rest: a double and its midpoints have no more than 767 digits.
 * Assumes round to nearest. Cost: about 10 ns in cases 1 and 2.
 */
#include "number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "powers_of_five.h"

enum { WORD_DIGITS = 19, EXACT_DIGITS = 800, EXPONENT_LIMIT = 1000000000 };

/* [sign] digits[0..length) with perhaps a dot in it, times 10^exponent. */
typedef struct {
    uint64_t w; /* the digits as an integer, or the first 19 significant ones */
    int64_t q;
    bool negative, truncated;
    const char *digits; /* integer and fraction digits, the dot included */
    size_t length;
    int64_t exponent; /* as written */
} decimal;

static inline bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Length of nan, inf or infinity (any case, after the sign) at the start of text; 0 where there is none. */
static size_t special_length(const char *text, size_t length)
{
    static const char *const names[] = {"infinity", "inf", "nan"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const size_t size = strlen(names[k]);
        if (length >= size && strncasecmp(text, names[k], size) == 0)
            return size;
    }
    return 0;
}

/* --- scanning --------------------------------------------------------------------------------------------- */

/* Eight bytes are digits where neither adding 0x46 nor subtracting 0x30 reaches a byte's top bit. */
static inline bool eight_digits(uint64_t bytes)
{
    return (((bytes + 0x4646464646464646) | (bytes - 0x3030303030303030)) & 0x8080808080808080) == 0;
}

/* Their value by three multiplications: pairs, quadruples, all (little-endian: first digit in the low byte). */
static inline uint64_t eight_value(uint64_t bytes)
{
    bytes -= 0x3030303030303030;
    bytes = 10 * bytes + (bytes >> 8);
    const uint64_t mask = 0x000000FF000000FF;
    return ((bytes & mask) * 0x000F424000000064 + ((bytes >> 16) & mask) * 0x0000271000000001) >> 32;
}

static inline uint64_t load_eight(const char *p)
{
    uint64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

/* Appends the digits at p to *w, modulo 2^64; gives the first other byte. */
static inline const char *scan_digits(uint64_t *w, const char *p, const char *end)
{
    while (end - p >= 8) {
        const uint64_t bytes = load_eight(p);
        if (!eight_digits(bytes))
            break;
        *w = *w * 100000000 + eight_value(bytes);
        p += 8;
    }
    for (; p < end && is_digit(*p); p++)
        *w = 10 * *w + (uint64_t)(*p - '0');
    return p;
}

/* An exponent part at p, or nothing. */
static const char *scan_exponent(int64_t *exponent, const char *p, const char *end)
{
    const char *k = p + 1;
    *exponent = 0;
    const bool negative = k < end && *k == '-';
    if (k < end && (*k == '-' || *k == '+'))
        k++;
    if (k >= end || !is_digit(*k))
        return p;
    for (; k < end && is_digit(*k); k++)
        if (*exponent < EXPONENT_LIMIT)
            *exponent = 10 * *exponent + (*k - '0');
    if (negative)
        *exponent = -*exponent;
    return k;
}

/* More than 19 digits were scanned, so w may have wrapped: leading zeros do not count, and beyond 19 significant
 * digits w restarts with the first 19, q counting the integer digits left out or the fraction digits taken in. */
static void limit_digits(decimal *d)
{
    const char *p = d->digits, *end = p + d->length;
    int64_t significant = 0, after_dot = 0;
    bool dot = false;
    d->w = 0;
    d->q = d->exponent;
    for (; p < end; p++) {
        if (*p == '.') {
            dot = true;
            continue;
        }
        if (significant < WORD_DIGITS) {
            d->w = 10 * d->w + (uint64_t)(*p - '0');
            significant += d->w > 0;
            after_dot += dot;
        } else {
            d->truncated = d->truncated || *p != '0';
            d->q += !dot;
        }
    }
    d->q -= after_dot;
}

/* The longest decimal at text; its length, or 0. */
static size_t scan(decimal *d, const char *text, const char *end)
{
    const char *p = text;
    d->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    d->w = 0;
    d->truncated = false;
    d->exponent = 0;
    d->digits = p;
    p = scan_digits(&d->w, p, end);
    size_t count = (size_t)(p - d->digits);
    d->q = 0;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = scan_digits(&d->w, p, end);
        d->q = fraction - p;
        count += (size_t)(p - fraction);
    }
    if (count == 0)
        return 0;
    d->length = (size_t)(p - d->digits);
    if (p < end && (*p == 'e' || *p == 'E')) {
        p = scan_exponent(&d->exponent, p, end);
        d->q += d->exponent;
    }
    if (count > WORD_DIGITS)
        limit_digits(d);
    return (size_t)(p - text);
}

/* --- rounding --------------------------------------------------------------------------------------------- */

/* Case 2: *value = w 10^q correctly rounded, or false where the product does not decide. */
static bool round_product(double *value, uint64_t w, int64_t q)
{
    if (w == 0 || q < POWER_FIRST) {
        *value = 0;
        return true;
    }
    if (q > POWER_LAST) {
        *value = INFINITY;
        return true;
    }
    const int zeros = __builtin_clzll(w);
    const uint64_t *power = power_of_five[q - POWER_FIRST];
    w <<= zeros;
    /* The 128 high bits of w times 5^q's 128 leading bits; the second half only where it could matter. */
    const unsigned __int128 first = (unsigned __int128)w * power[0];
    uint64_t high = (uint64_t)(first >> 64), low = (uint64_t)first;
    if ((high & 0x1FF) == 0x1FF) {
        const uint64_t carry = (uint64_t)(((unsigned __int128)w * power[1]) >> 64);
        low += carry;
        high += low < carry;
    }
    /* unreachable: never needed for 64-bit w: Mushtak, Lemire, Fast number parsing without fallback, 2023 */
    if (low == UINT64_MAX && (q < -27 || q > 55))
        return false;
    const int top = (int)(high >> 63);
    uint64_t mantissa = high >> (top + 9); /* 54 bits: one more than a double has */
    /* floor(q log2 10) + 63, and the bias of doubles */
    int64_t exponent = ((INT64_C(217706) * q) >> 16) + 63 + top - zeros + 1023;
    if (exponent <= 0) { /* subnormal */
        if (exponent <= -63) {
            *value = 0;
            return true;
        }
        mantissa >>= 1 - exponent;
        mantissa = (mantissa + (mantissa & 1)) >> 1;
        memcpy(value, &mantissa, sizeof mantissa); /* a carry into bit 52 is the smallest normal number */
        return true;
    }
    /* Exactly half-way happens only for small q, where 5^q divides: then to even. */
    if (q >= -4 && q <= 23 && low <= 1 && (mantissa & 3) == 1 && mantissa << (top + 9) == high)
        mantissa &= ~UINT64_C(1);
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> 53) {
        mantissa >>= 1;
        exponent++;
    }
    const uint64_t bits = exponent >= 2047 ? UINT64_C(2047) << 52
                                           : (mantissa & ~(UINT64_C(1) << 52)) | (uint64_t)exponent << 52;
    memcpy(value, &bits, sizeof bits);
    return true;
}

/* Case 3; w > 0, so some digit is not 0. */
static double round_exactly(const decimal *d)
{
    char text[EXACT_DIGITS + 32];
    size_t used = 0;
    int64_t exponent = d->exponent;
    bool dot = false, rest = false;
    for (size_t k = 0; k < d->length; k++) {
        const char c = d->digits[k];
        if (c == '.') {
            dot = true;
            continue;
        }
        exponent -= dot;
        if (used == 0 && c == '0')
            continue;
        if (used < EXACT_DIGITS) {
            text[used++] = c;
        } else {
            rest = rest || c != '0';
            exponent++;
        }
    }
    if (rest) {
        text[used++] = '1';
        exponent--;
    }
    snprintf(text + used, sizeof text - used, "e%lld", (long long)exponent);
    return strtod(text, NULL);
}

static double round_decimal(const decimal *d)
{
    static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double value, above;
    if (d->q >= -22 && d->q <= 22 && d->w <= UINT64_C(1) << 53) { /* all digits: 19 of them make a larger w */
        value = (double)d->w;
        return d->q < 0 ? value / power_of_ten[-d->q] : value * power_of_ten[d->q];
    }
    /* unreachable: the same */
    if (!round_product(&value, d->w, d->q))
        return round_exactly(d);
    /* unreachable: the same */
    if (d->truncated && (!round_product(&above, d->w + 1, d->q) || above != value))
        return round_exactly(d);
    return value;
}

fathom_number_outcome fathom_number_parse(double *value, size_t *end, const char *text, size_t length)
{
    decimal d;
    *end = scan(&d, text, text + length);
    if (*end > 0) {
        const double magnitude = round_decimal(&d);
        *value = d.negative ? -magnitude : magnitude;
        return isinf(magnitude) ? FATHOM_NUMBER_OVERFLOW : FATHOM_NUMBER_OK;
    }
    const size_t sign = length > 0 && (text[0] == '+' || text[0] == '-');
    const size_t special = special_length(text + sign, length - sign);
    if (special == 0)
        return FATHOM_NUMBER_INVALID;
    *end = sign + special;
    *value = (text[sign] | 0x20) == 'n' ? NAN : INFINITY;
    if (text[0] == '-')
        *value = -*value;
    return FATHOM_NUMBER_SPECIAL;
}
