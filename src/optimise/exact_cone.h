/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is 0 a nonnegative combination of given vectors? Decided exactly (Gordan's alternative).
 *
 * For vectors p_1..p_k in R^d, whose coordinates are doubles and hence rational numbers, exactly one holds:
 *     (a) lambda >= 0, sum lambda = 1, sum_j lambda_j p_j = 0 has a solution;
 *     (b) some h has <h, p_j> > 0 for all j.
 */
#ifndef FATHOM_EXACT_CONE_H
#define FATHOM_EXACT_CONE_H

#include "fathom/context.h"

/* Decides; p k x d with leading dimension d. In case (a) *zero is true and lambda (k) holds the solution, each number
 * rounded once, and integer (k texts, NULL before; or NULL) its least multiple in integers, hexadecimal, where they are
 * positive: sum_j integer_j p_j = 0 exactly. The caller frees them, also after a failure. In case (b) *zero is false and h (d) is a witness that holds as the doubles stand, or 0 where the one
 * found needs more digits than a double has. A linear program in floating point proposes, rational arithmetic
 * disposes; where the proposal fails, a rational simplex decides.
 * ERROR_STOPPED where a time limit ends that simplex. */
fathom_status fathom_exact_cone(bool *zero, double *lambda, char **integer, double *h,
                                fathom_context *context, int64_t k, int64_t d, const double *p);

/* True where sum_j integer_j value_j = 0 exactly, over the k texts as above that are not NULL. */
bool fathom_exact_sum_is_zero(char *const *integer, const double *value, int64_t k);

/* The sign of a b - c d for finite numbers, exactly. */
int fathom_exact_compare(double a, double b, double c, double d);

/* True where a and b (d numbers each) are parallel in exact arithmetic, in the same or the opposite direction. */
bool fathom_exact_parallel(const double *a, const double *b, int64_t d);

#endif
