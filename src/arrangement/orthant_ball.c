/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orthant probabilities and solid angles as balls, and Gauss-Legendre rules: the one file of this layer over Arb. Formulas,
 * panels and the remainder of the quadrature are those of orthant.h; precision doubles until the ball is small enough.
 */
#include "orthant.h"

#include <math.h>

#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#if __has_include(<flint/arb_hypgeom.h>)
#include <flint/arb.h> /* FLINT 3 has Arb inside */
#include <flint/arb_hypgeom.h>
#else
#include <arb.h>
#include <arb_hypgeom.h>
#endif

#include "memory.h"

enum { FIRST = 128, LAST = 1 << 14, ORTHANT = 54, REMAINDER = 66, FLATTEST = 2 * ORTHANT + 10 }; /* bits */
enum { NODES = 170 }; /* enough for panels of length 2^-FLATTEST */

/* The correlation of up to five variables at this precision, and room for what is computed on the way. */
typedef struct balls {
    const fmpz *h;
    int k;
    slong precision;
    arb_struct r[25], minor[32], node[2 * NODES]; /* node: 1 - node and weight of the rule */
    arb_struct t, s, det, small, n, part, term, weight, sum, two_pi;
} balls;

static void each(balls *b, void (*act)(arb_t))
{
    arb_struct *one[] = {&b->t,    &b->s,    &b->det,    &b->small, &b->n,
                         &b->part, &b->term, &b->weight, &b->sum,   &b->two_pi};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        act(one[i]);
    for (int i = 0; i < 25; i++)
        act(b->r + i);
    for (int i = 0; i < 32; i++)
        act(b->minor + i);
    for (int i = 0; i < 2 * NODES; i++)
        act(b->node + i);
}

static void set_zero(arb_t x) { arb_init(x); }
static void release(arb_t x) { arb_clear(x); }

/* out = det of the rows in `set` over the product of their diagonal entries. */
static void principal_minor(arb_t out, const fmpz *h, int k, unsigned set, slong precision)
{
    fmpz_mat_t part;
    fmpz_t determinant, product;
    int size = 0, index[5];
    for (int i = 0; i < k; i++)
        if (set >> i & 1)
            index[size++] = i;
    fmpz_mat_init(part, size, size);
    fmpz_init(determinant);
    fmpz_init_set_ui(product, 1);
    for (int i = 0; i < size; i++) {
        fmpz_mul(product, product, h + index[i] * (k + 1));
        for (int j = 0; j < size; j++)
            fmpz_set(fmpz_mat_entry(part, i, j), h + index[i] * k + index[j]);
    }
    fmpz_mat_det(determinant, part);
    arb_fmpz_div_fmpz(out, determinant, product, precision);
    fmpz_mat_clear(part);
    fmpz_clear(determinant);
    fmpz_clear(product);
}

/* out = h_ij / sqrt(h_ii h_jj). */
static void quotient(arb_t out, const fmpz *h, int k, int i, int j, slong precision)
{
    fmpz_t product;
    fmpz_init(product);
    fmpz_mul(product, h + i * (k + 1), h + j * (k + 1));
    arb_set_fmpz(out, product);
    arb_rsqrt(out, out, precision);
    arb_mul_fmpz(out, out, h + i * k + j, precision);
    fmpz_clear(product);
}

static void balls_fill(balls *b)
{
    for (unsigned set = 1; set < 1u << b->k; set++)
        principal_minor(b->minor + set, b->h, b->k, set, b->precision);
    for (int i = 0; i < b->k; i++)
        for (int j = 0; j < b->k; j++)
            quotient(b->r + i * b->k + j, b->h, b->k, i, j, b->precision);
    arb_const_pi(&b->two_pi, b->precision);
    arb_mul_2exp_si(&b->two_pi, &b->two_pi, 1);
}

/* out += asin(r_ij) / (2 pi). */
static void add_arcsine(arb_t out, balls *b, int i, int j)
{
    arb_sqrt(&b->part, b->minor + (1u << i | 1u << j), b->precision);
    arb_atan2(&b->part, b->r + i * b->k + j, &b->part, b->precision);
    arb_div(&b->part, &b->part, &b->two_pi, b->precision);
    arb_add(out, out, &b->part, b->precision);
}

/* b->n = the minor of rows i, j, k and columns i, j, l of R(t). */
static void mixed_minor(balls *b, const arb_struct *ij, const arb_struct *kl, const arb_struct *ki,
                        const arb_struct *kj, const arb_struct *li, const arb_struct *lj)
{
    const slong p = b->precision;
    arb_mul(&b->part, ki, lj, p); /* t^3 ij (ki lj + kj li) - t^3 kl ij^2 */
    arb_addmul(&b->part, kj, li, p);
    arb_submul(&b->part, kl, ij, p);
    arb_mul(&b->part, &b->part, ij, p);
    arb_mul(&b->n, &b->part, &b->t, p);
    arb_mul(&b->part, ki, li, p); /* - t^2 (ki li + kj lj) */
    arb_addmul(&b->part, kj, lj, p);
    arb_sub(&b->n, &b->n, &b->part, p);
    arb_mul(&b->n, &b->n, &b->t, p);
    arb_add(&b->n, &b->n, kl, p);
    arb_mul(&b->n, &b->n, &b->t, p);
}

/* b->sum += weight times one pair's part of the integrand, det = det R(t). */
static void add_pair(balls *b, const int *index, int pair, const arb_t weight)
{
    const slong p = b->precision;
    int v[4];
    for (int q = 0; q < 4; q++)
        v[q] = index[fathom_orthant_pair[pair][q]];
    const arb_struct *r = b->r, *ij = r + v[0] * b->k + v[1];
    mixed_minor(b, ij, r + v[2] * b->k + v[3], r + v[2] * b->k + v[0], r + v[2] * b->k + v[1],
                r + v[3] * b->k + v[0], r + v[3] * b->k + v[1]);
    arb_mul(&b->small, &b->t, b->minor + (1u << v[0] | 1u << v[1]), p); /* s^2 + 2 s t + minor t^2 */
    arb_addmul_si(&b->small, &b->s, 2, p);
    arb_mul(&b->small, &b->small, &b->t, p);
    arb_addmul(&b->small, &b->s, &b->s, p);
    arb_mul(&b->part, &b->small, &b->det, p);
    arb_sqrt(&b->part, &b->part, p);
    arb_atan2(&b->part, &b->n, &b->part, p);
    arb_div(&b->part, &b->part, &b->two_pi, p);
    arb_set_d(&b->n, 0.25);
    arb_add(&b->part, &b->part, &b->n, p);
    arb_mul(&b->part, &b->part, ij, p);
    arb_rsqrt(&b->small, &b->small, p);
    arb_mul(&b->part, &b->part, &b->small, p);
    arb_addmul(&b->sum, &b->part, weight, p);
}

/* b->det = sum_k s^(4 - k) t^k E_k of four variables, by Horner's rule in t with growing powers of s. */
static void set_det(balls *b, unsigned all)
{
    const slong p = b->precision;
    arb_mul(&b->det, b->minor + all, &b->t, p);
    for (int k = 3; k >= 0; k--) {
        arb_zero(&b->part); /* E_k */
        for (unsigned set = 0; set < 1u << b->k; set++)
            if ((set & ~all) == 0 && __builtin_popcount(set) == k && k > 1)
                arb_add(&b->part, &b->part, b->minor + set, p);
        if (k < 2)
            arb_set_si(&b->part, k == 1 ? 4 : 1);
        arb_pow_ui(&b->term, &b->s, (ulong)(4 - k), p);
        arb_addmul(&b->det, &b->part, &b->term, p);
        if (k > 0)
            arb_mul(&b->det, &b->det, &b->t, p);
    }
}

/* b->sum += the integral over s in [low, low + 2] 2^e (low 0 or 2), with `nodes` nodes. */
static void add_panel(balls *b, const int *index, unsigned all, int low, slong e, int nodes)
{
    for (int at = 0; at < nodes; at++) {
        arb_add_si(&b->s, b->node + 2 * at, low, b->precision);
        arb_mul_2exp_si(&b->s, &b->s, e);
        arb_sub_si(&b->t, &b->s, 1, b->precision);
        arb_neg(&b->t, &b->t);
        set_det(b, all);
        arb_mul_2exp_si(&b->weight, b->node + 2 * at + 1, e);
        for (int pair = 0; pair < 6; pair++)
            add_pair(b, index, pair, &b->weight);
    }
}

/* out += the integral of four variables. */
static void add_integral(arb_t out, balls *b, const int *index)
{
    unsigned all = 0;
    arf_t least;
    for (int i = 0; i < 4; i++)
        all |= 1u << index[i];
    arb_zero(&b->sum);
    for (int i = 0; i < 4; i++)
        arb_add(&b->sum, &b->sum, b->minor + (all & ~(1u << index[i])), b->precision);
    arb_div(&b->sum, b->minor + all, &b->sum, b->precision); /* delta */
    arf_init(least);
    arb_get_lbound_arf(least, &b->sum, 30);
    slong top = arf_sgn(least) > 0 ? arf_abs_bound_lt_2exp_si(least) - 1 : -FLATTEST; /* delta >= 2^top */
    arf_clear(least);
    const bool flat = top <= -FLATTEST;
    top = flat ? -FLATTEST : top;
    const int nodes = fathom_orthant_nodes((double)top - 2, REMAINDER);
    for (int at = 0; at < nodes; at++) { /* 1 - node */
        arb_hypgeom_legendre_p_ui_root(b->node + 2 * at, b->node + 2 * at + 1, (ulong)nodes, (ulong)at,
                                       b->precision);
        arb_sub_si(b->node + 2 * at, b->node + 2 * at, 1, b->precision);
        arb_neg(b->node + 2 * at, b->node + 2 * at);
    }
    arb_zero(&b->sum);
    slong e = -2;
    do
        add_panel(b, index, all, 2, e--, nodes);
    while (e + 2 > top);
    if (!flat)
        add_panel(b, index, all, 0, e + 1, nodes);
    else /* up to 1 - 2^top: the rest is at most 1.07 sqrt(2^top) */
        arb_add_error_2exp_si(&b->sum, top / 2 + 4);
    arb_div(&b->sum, &b->sum, &b->two_pi, b->precision);
    arb_add_error_2exp_si(&b->sum, -REMAINDER + 7); /* of at most 128 panels */
    arb_add(out, out, &b->sum, b->precision);
}

/* out = the probability that the variables in `set` are positive. */
static void orthant_of(arb_t out, balls *b, unsigned set)
{
    int size = 0, index[5] = {0};
    for (int i = 0; i < b->k; i++)
        if (set >> i & 1)
            index[size++] = i;
    arb_zero(out);
    for (int i = 0; i < size && (size == 2 || size == 3); i++)
        for (int j = i + 1; j < size; j++)
            add_arcsine(out, b, index[i], index[j]);
    if (size == 3)
        arb_mul_2exp_si(out, out, -1);
    if (size == 4)
        add_integral(out, b, index);
    arb_set_si(&b->term, 1);
    arb_mul_2exp_si(&b->term, &b->term, -size);
    arb_add(out, out, &b->term, b->precision);
}

static void orthant5(arb_t out, balls *b)
{
    arb_t one, sum;
    arb_init(one);
    arb_init(sum);
    arb_set_si(sum, 1);
    for (unsigned set = 1; set < 31; set++) {
        orthant_of(one, b, set);
        (__builtin_popcount(set) % 2 ? arb_sub : arb_add)(sum, sum, one, b->precision);
    }
    arb_mul_2exp_si(out, sum, -1);
    arb_clear(one);
    arb_clear(sum);
}

/* out = atan2(volume, 1 + ab + bc + ca) / (2 pi) of three unit rays; relative. */
static bool solid_angle(arb_t out, balls *b)
{
    arb_sqrt(&b->part, b->minor + 7, b->precision);
    arb_add_si(&b->sum, b->r + 1, 1, b->precision);
    arb_add(&b->sum, &b->sum, b->r + 2, b->precision);
    arb_add(&b->sum, &b->sum, b->r + 5, b->precision);
    arb_atan2(out, &b->part, &b->sum, b->precision);
    arb_div(out, out, &b->two_pi, b->precision);
    return arb_rel_accuracy_bits(out) >= ORTHANT;
}

static bool compute(arb_t out, balls *b, bool angle)
{
    arb_zero(out);
    balls_fill(b);
    if (angle)
        return solid_angle(out, b);
    if (b->k == 5)
        orthant5(out, b);
    else
        orthant_of(out, b, (1u << b->k) - 1);
    return mag_cmp_2exp_si(arb_radref(out), -ORTHANT) <= 0;
}

/* The middle of a small enough ball, its radius and the rounding of the middle. */
static double enclose(double *error, const fathom_integer *h, int k, bool angle)
{
    arb_t out;
    balls b = {.h = h, .k = k, .precision = FIRST};
    arb_init(out);
    each(&b, set_zero);
    while (!compute(out, &b, angle) && b.precision < LAST)
        b.precision *= 2;
    each(&b, release);
    const double value = fmax(0, arf_get_d(arb_midref(out), ARF_RND_NEAR));
    *error = b.precision < LAST ? mag_get_d(arb_radref(out)) + 0x1p-53 * value + 0x1p-1070 : 1;
    arb_clear(out);
    return value;
}

double fathom_orthant_ball(double *error, const fathom_integer *h, int k)
{
    return enclose(error, h, k, false);
}

double fathom_solid_angle_ball(double *error, const fathom_integer *gram)
{
    return enclose(error, gram, 3, true);
}

/* Rule number k: node, 1 - node, weight. */
static void fill_rule(double *out, int nodes)
{
    arb_t node, weight;
    arb_init(node);
    arb_init(weight);
    for (int at = 0; at < nodes / 2; at++) { /* the number of nodes is even, the positive ones come first */
        double *mine = out + 3 * at, *other = out + 3 * (nodes - 1 - at);
        arb_hypgeom_legendre_p_ui_root(node, weight, (ulong)nodes, (ulong)at, FIRST);
        mine[0] = arf_get_d(arb_midref(node), ARF_RND_NEAR);
        other[0] = -mine[0];
        mine[2] = other[2] = arf_get_d(arb_midref(weight), ARF_RND_NEAR);
        arb_add_si(weight, node, 1, FIRST);
        other[1] = arf_get_d(arb_midref(weight), ARF_RND_NEAR);
        arb_sub_si(weight, node, 1, FIRST);
        mine[1] = -arf_get_d(arb_midref(weight), ARF_RND_NEAR);
    }
    arb_clear(node);
    arb_clear(weight);
}

fathom_status fathom_orthant_rules_init(fathom_orthant_rules *rules, fathom_context *context)
{
    *rules = (fathom_orthant_rules){0};
    for (int k = 0; k < FATHOM_ORTHANT_RULES; k++) {
        const int nodes = FATHOM_ORTHANT_FEWEST + k * FATHOM_ORTHANT_MORE;
        rules->node[k] = fathom_memory_alloc(context, 3 * nodes, sizeof(double));
        if (!rules->node[k])
            return FATHOM_ERROR_MEMORY;
        fill_rule(rules->node[k], nodes);
    }
    return FATHOM_OK;
}

void fathom_orthant_rules_free(fathom_orthant_rules *rules, fathom_context *context)
{
    for (int k = 0; k < FATHOM_ORTHANT_RULES; k++)
        fathom_memory_free(context, rules->node[k]);
}
