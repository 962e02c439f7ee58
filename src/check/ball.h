/* SPDX-License-Identifier: Apache-2.0 */
/* Balls around real numbers (Arb) from exact ones, and their ends as doubles. Only irrational values need them. */
#ifndef FATHOM_CHECK_BALL_H
#define FATHOM_CHECK_BALL_H

#include <arb.h>

#include "checker.h"

enum { PRECISION = 256 };

void ball_set(arb_t out, const mpz_t z, int64_t e);     /* z 2^e exactly */
void ball_set_dyadic(arb_t out, const dyadic *a);       /* exactly */
double ball_upper(const arb_t x);                       /* a double not below the ball */
double ball_lower(const arb_t x);                       /* a double not above the ball */
bool ball_at_most(const arb_t x, const dyadic *bound);  /* the whole ball */
bool ball_at_least(const arb_t x, const dyadic *bound); /* the whole ball */

#endif
