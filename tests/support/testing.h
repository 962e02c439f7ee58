/* SPDX-License-Identifier: Apache-2.0 */
/* What every test starts with: cmocka, a comparison in double, the effort switch. */
#ifndef FATHOM_TESTING_H
#define FATHOM_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Unit roundoff of double. */
#define UNIT_ROUNDOFF 0x1p-53

/* |a - b| <= tolerance; NaN fails. cmocka 1.1.5 compares in float, so this one is ours. */
#define assert_close(a, b, tolerance) assert_close_at(__FILE__, __LINE__, #a, #b, (a), (b), (tolerance))

static inline void assert_close_at(const char *file, int line, const char *left, const char *right, double a,
                                   double b, double tolerance)
{
    if (fabs(a - b) <= tolerance || a == b)
        return;
    print_error("%s = %.17g\n%s = %.17g\ndiffer by %.3g, allowed %.3g\n", left, a, right, b, fabs(a - b),
                tolerance);
    _fail(file, line);
}

#ifdef __has_feature /* Clang's name for what gcc calls __SANITIZE_ADDRESS__ */
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* The address space of a sanitized program cannot be limited. */
static inline void skip_if_sanitized(void)
{
#ifdef __SANITIZE_ADDRESS__
    print_message("the address space of a sanitized program cannot be limited: skipped\n");
    skip();
#endif
}

/* FATHOM_TEST_EFFORT multiplies the number of random trials (default 1). */
static inline int64_t test_trials(int64_t base)
{
    const char *text = getenv("FATHOM_TEST_EFFORT");
    const double effort = text ? atof(text) : 1;
    const double trials = effort * (double)base;
    return trials < 1 ? 1 : (int64_t)trials;
}

/* Less than the ordinary effort, as variants of the build have it: every form once is enough, its last digits are tested elsewhere. */
static inline bool test_briefly(void) { return test_trials(2) < 2; }

/* For tests that take most of a variant's time; the row sanitize/long of the matrix runs them there. */
static inline void skip_if_brief(void)
{
    if (test_briefly())
        skip();
}

/* Fails with the context's error text where a status is not OK. */
#define assert_ok(context, status) assert_ok_at(__FILE__, __LINE__, (context), (status))

#include "fathom/context.h"

static inline void assert_ok_at(const char *file, int line, const fathom_context *context,
                                fathom_status status)
{
    if (status == FATHOM_OK)
        return;
    const fathom_error *error = context ? fathom_context_error(context) : NULL;
    print_error("status %d: %s\n", (int)status, error ? error->text : "no context");
    _fail(file, line);
}

#endif
