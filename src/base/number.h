/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal text to double: correctly rounded, independent of the locale, fast.
 *
 * Guarantee: the nearest double, ties to even, for every decimal text. Cost: about 10 ns for up to 19 digits.
 */
#ifndef FATHOM_NUMBER_H
#define FATHOM_NUMBER_H

#include <stddef.h>

#include "inner/program.h"

typedef enum fathom_number_outcome {
    FATHOM_NUMBER_OK,
    FATHOM_NUMBER_INVALID,  /* no number starts here */
    FATHOM_NUMBER_OVERFLOW, /* finite in decimal, infinite as a double */
    FATHOM_NUMBER_SPECIAL   /* nan or inf in any spelling that strtod takes; *value holds it */
} fathom_number_outcome;

/* Parses the longest number [+-]digits[.digits][(e|E)[+-]digits] at the start of text[0..length); *end is the
 * first byte after it. No white space is skipped and text need not be terminated. */
FATHOM_PROGRAM fathom_number_outcome fathom_number_parse(double *value, size_t *end, const char *text,
                                                         size_t length);

#endif
