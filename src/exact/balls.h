/* SPDX-License-Identifier: Apache-2.0 */
/* Balls of certificates: Arb, the precision, and the way from and to doubles. */
#ifndef FATHOM_BALLS_H
#define FATHOM_BALLS_H

#include <math.h>
#include <stdint.h>

#if __has_include(<flint/arb_mat.h>)
#include <flint/arb.h> /* FLINT 3 has Arb inside */
#include <flint/arb_mat.h>
#else
#include <arb.h>
#include <arb_mat.h>
#endif

enum { BITS = 160 };

/* The upper (side > 0) or lower end as a double. */
static inline double end_of(const arb_t a, int side)
{
    arf_t low, high;
    if (!arb_is_finite(a))
        return side > 0 ? INFINITY : -INFINITY;
    arf_init(low), arf_init(high);
    arb_get_interval_arf(low, high, a, BITS);
    const double end = side > 0 ? arf_get_d(high, ARF_RND_CEIL) : arf_get_d(low, ARF_RND_FLOOR);
    arf_clear(low), arf_clear(high);
    return end;
}

static inline void set_all(arb_ptr out, const double *from, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        arb_set_d(out + k, from[k]);
}

#endif
