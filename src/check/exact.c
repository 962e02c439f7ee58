/* SPDX-License-Identifier: Apache-2.0 */
/* Exact numbers m 2^e, and balls around what is not such a number. */
#include "checker.h"

void num_dot(num *out, const num *a, const num *b, int64_t count)
{
    arf_zero(out);
    for (int64_t k = 0; k < count; k++)
        arf_addmul(out, a + k, b + k, EXACT);
}

void num_mul(num *out, const num *a, const num *b) { arf_mul(out, a, b, ARF_PREC_EXACT, ARF_RND_DOWN); }

void num_add(num *out, const num *a, int sign)
{
    if (sign > 0)
        arf_add(out, out, a, EXACT);
    else
        arf_sub(out, out, a, EXACT);
}

void num_addmul(num *out, const num *a, const num *b, int sign)
{
    if (sign > 0)
        arf_addmul(out, a, b, EXACT);
    else
        arf_submul(out, a, b, EXACT);
}

void num_norm(arb_t out, const num *a, int64_t count)
{
    mag_zero(arb_radref(out));
    num_dot(arb_midref(out), a, a, count);
    arb_sqrt(out, out, PRECISION);
}

double ball_end(const arb_t x, int side)
{
    arf_t end;
    arf_init(end);
    if (side > 0)
        arb_get_ubound_arf(end, x, PRECISION);
    else
        arb_get_lbound_arf(end, x, PRECISION);
    const double value = arf_get_d(end, side > 0 ? ARF_RND_CEIL : ARF_RND_FLOOR);
    arf_clear(end);
    return value;
}

/* A ball that is not finite satisfies nothing. */
bool ball_at_most(const arb_t x, const num *bound)
{
    arb_t b;
    arb_init(b);
    arb_set_arf(b, bound);
    const bool holds = arb_is_finite(x) & arb_le(x, b);
    arb_clear(b);
    return holds;
}

bool ball_at_least(const arb_t x, const num *bound)
{
    arb_t b;
    arb_init(b);
    arb_set_arf(b, bound);
    const bool holds = arb_is_finite(x) & arb_ge(x, b);
    arb_clear(b);
    return holds;
}
