/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals, and pairs of an objective and its lower bound, before anybody sees them. */
#ifndef FATHOM_INTERVAL_H
#define FATHOM_INTERVAL_H

#include "fathom/context.h"

/* OK where lower <= upper. Otherwise, and where one is NaN, the numbers contradict each other: ERROR_RUNTIME with both of them. Every
 * interval and every pair (lower bound, objective) that the library gives passes here. */
fathom_status fathom_interval_check(fathom_context *context, const char *what, double lower, double upper);

#endif
