/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers are balls m +- r of Arb, m = k 2^e. What comes from files has r = 0. Sums and products are never
 * rounded, so that they are exact where their operands are; quotients, roots, logarithms and exponentials
 * are enclosed to 128 bits.
 */
#include <math.h>

#include "checker.h"

double num_work;

/* Counts a product. */
static void count(const num *a, const num *b)
{
    num_work += (double)(1 + arb_bits(a) / 64) * (double)(1 + arb_bits(b) / 64);
}

typedef void binary(arb_t, const arb_t, const arb_t, slong);
typedef void unary(arb_t, const arb_t, slong);

static num apply2(binary *operation, num a, num b, slong precision)
{
    num out = {0};
    operation(&out, &a, &b, precision);
    return out;
}

static num apply(unary *function, num a)
{
    num out = {0};
    function(&out, &a, PRECISION);
    return out;
}

num num_add(num a, num b) { return apply2(arb_add, a, b, ARF_PREC_EXACT); }
num num_sub(num a, num b) { return apply2(arb_sub, a, b, ARF_PREC_EXACT); }
num num_mul(num a, num b)
{
    count(&a, &b);
    return apply2(arb_mul, a, b, ARF_PREC_EXACT);
}
num num_root(num a) { return apply(arb_sqrt, a); }
num num_log(num a) { return apply(arb_log, a); }
num num_exp(num a) { return apply(arb_exp, a); }
void num_add_to(num *out, num a) { arb_add(out, out, &a, ARF_PREC_EXACT); }
void num_mul_to(num *out, num a, num b)
{
    count(&a, &b);
    arb_addmul(out, &a, &b, ARF_PREC_EXACT);
}
/* Beyond the normal range of doubles a statement would not say what the number is: 0, or infinity. */
void check_said(check *c, num a)
{
    need(c, num_sign(a) == 0 || isnormal(num_nearest(a)), "a number is beyond the range of doubles");
}
double num_nearest(num a) { return arf_get_d(arb_midref(&a), ARF_RND_NEAR); }
int num_sign(num a) { return arf_sgn(arb_midref(&a)); }

/* By a power of two exactly. */
num num_div(num a, num b)
{
    num out = {0};
    fmpz_t m, e;
    fmpz_init(m), fmpz_init(e);
    arf_get_fmpz_2exp(m, e, arb_midref(&b)); /* m is odd */
    if (arb_is_exact(&b) && fmpz_is_one(m)) {
        fmpz_neg(e, e);
        arb_mul_2exp_fmpz(&out, &a, e);
    } else {
        arb_div(&out, &a, &b, PRECISION);
    }
    fmpz_clear(m), fmpz_clear(e);
    return out;
}

num num_real(double value)
{
    num out = {0};
    arb_set_d(&out, value);
    return out;
}

num num_times(num a, int k)
{
    num out = {0};
    arb_mul_si(&out, &a, k, ARF_PREC_EXACT);
    return out;
}

void num_dot(num *out, const num *a, const num *b, int64_t count)
{
    arb_zero(out);
    for (int64_t k = 0; k < count; k++)
        num_mul_to(out, a[k], b[k]);
}

num num_norm(const num *a, int64_t count)
{
    num square = {0};
    num_dot(&square, a, a, count);
    return num_root(square);
}

/* A ball that is not finite satisfies nothing. */
bool num_at_most(num a, num b) { return arb_is_finite(&a) & arb_is_finite(&b) & arb_le(&a, &b); }

double num_end(num a, int side)
{
    arf_t low, high;
    arf_init(low), arf_init(high);
    arb_get_interval_arf(low, high, &a, PRECISION);
    return side > 0 ? arf_get_d(high, ARF_RND_CEIL) : arf_get_d(low, ARF_RND_FLOOR);
}
