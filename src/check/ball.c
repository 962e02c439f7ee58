/* SPDX-License-Identifier: Apache-2.0 */
/* The few functions of ball.h. */
#include "ball.h"

void ball_set(arb_t out, const mpz_t z, int64_t e)
{
    arf_set_mpz(arb_midref(out), z);
    mag_zero(arb_radref(out));
    arb_mul_2exp_si(out, out, (slong)e);
}

void ball_set_dyadic(arb_t out, const dyadic *a)
{
    arb_set_si(out, (slong)a->m);
    arb_mul_2exp_si(out, out, (slong)a->e);
}

double ball_upper(const arb_t x)
{
    arf_t end;
    arf_init(end);
    arb_get_ubound_arf(end, x, PRECISION);
    const double value = arf_get_d(end, ARF_RND_CEIL);
    arf_clear(end);
    return value;
}

double ball_lower(const arb_t x)
{
    arf_t end;
    arf_init(end);
    arb_get_lbound_arf(end, x, PRECISION);
    const double value = arf_get_d(end, ARF_RND_FLOOR);
    arf_clear(end);
    return value;
}

bool ball_at_most(const arb_t x, const dyadic *bound)
{
    arb_t b;
    arb_init(b);
    ball_set_dyadic(b, bound);
    const bool holds = arb_is_finite(x) && arb_le(x, b);
    arb_clear(b);
    return holds;
}

bool ball_at_least(const arb_t x, const dyadic *bound)
{
    arb_t b;
    arb_init(b);
    ball_set_dyadic(b, bound);
    const bool holds = arb_is_finite(x) && arb_ge(x, b);
    arb_clear(b);
    return holds;
}
