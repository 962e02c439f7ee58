/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates: patterns D_ij = 1[<x_i, v_j> > 0] of listed orientations, decided exactly, or listed themselves.
 *
 * An inner product whose long double value exceeds its rounding error, at most (d + 4) eps sum |x_ik v_jk|, has that
 * sign; every other is computed in integers.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "train_claim.h"

/* The sign of <x_i, v>; v both as doubles and as integers. */
static int sign_of(const check *c, int64_t i, const long double *v, const grid *exact)
{
    const int64_t d = c->data.d;
    const double *x = c->data.x + i * d;
    long double sum = 0, size = 0;
    for (int64_t k = 0; k < d; k++) {
        const long double term = x[k] * v[k];
        sum += term;
        size += fabsl(term);
    }
    if (fabsl(sum) > (long double)(d + 4) * LDBL_EPSILON * size && size > 1e-300L && size < 1e300L)
        return sum > 0 ? 1 : -1;
    mpz_t dot;
    mpz_init(dot);
    for (int64_t k = 0; k < d; k++)
        mpz_addmul(dot, c->x.z[i * d + k], exact->z[k]);
    const int sign = mpz_sgn(dot);
    mpz_clear(dot);
    return sign;
}

static void read_orientation(check *c, uint64_t *bits, int64_t j)
{
    const int64_t d = c->data.d;
    grid exact;
    dyadic *numbers = check_numbers(c, d);
    long double *v = check_alloc(c, d, sizeof *v);
    for (int64_t k = 0; k < d; k++)
        v[k] = ldexpl((long double)numbers[k].m, (int)numbers[k].e);
    grid_from(c, &exact, numbers, d);
    for (int64_t i = 0; i < c->data.n; i++) {
        bool zero = true;
        for (int64_t k = 0; k < d; k++)
            zero = zero && c->data.x[i * d + k] == 0;
        const int sign = zero ? -1 : sign_of(c, i, v, &exact);
        if (sign > 0)
            bits[i / 64] |= UINT64_C(1) << (i % 64);
        if (sign == 0)
            c->gates.full = false; /* on a hyperplane: not inside a cone */
    }
    for (int64_t k = 0; d == 2 && k < d; k++)
        mpz_set(c->gates.orientation.z[2 * j + k], exact.z[k]);
    grid_clear(c, &exact);
    check_free(c, v);
    check_free(c, numbers);
}

/* One hexadecimal digit for four points, the first in its lowest bit. */
static void read_pattern(check *c, uint64_t *bits)
{
    const char *word = check_word(c);
    const int64_t n = c->data.n;
    if (c->word - word != (n + 3) / 4)
        check_fail(c, 4, "line %lld: a pattern of %lld digits was expected", (long long)c->line,
                   (long long)(n + 3) / 4);
    for (int64_t i = 0; i < 4 * (c->word - word); i++) {
        const char digit = word[i / 4];
        const int value = digit >= '0' && digit <= '9'   ? digit - '0'
                          : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                                         : -1;
        if (value < 0 || (i >= n && value >> (i % 4) & 1))
            check_fail(c, 4, "line %lld: a pattern of 0-9, a-f was expected", (long long)c->line);
        if (value >> (i % 4) & 1)
            bits[i / 64] |= UINT64_C(1) << (i % 64);
    }
}

void check_gates(check *c)
{
    static const char *const kinds[] = {"none", "orientations", "patterns", NULL};
    check_next_line(c, "gates");
    const int kind = check_choice(c, kinds);
    const int64_t m = kind ? check_integer(c, 1, (int64_t)strlen(c->rest) / 7 + 1) : 0; /* "gate 0\n" */
    check_line_end(c);
    c->gates = (gates){.m = m, .words = (c->data.n + 63) / 64, .full = kind == 1};
    c->gates.bits = check_alloc(c, m, (size_t)c->gates.words * sizeof(uint64_t));
    grid_init(c, &c->gates.orientation, c->data.d == 2 ? 2 * m : 0, 0);
    for (int64_t j = 0; j < m; j++) {
        check_next_line(c, "gate");
        if (kind == 1)
            read_orientation(c, c->gates.bits + j * c->gates.words, j);
        else
            read_pattern(c, c->gates.bits + j * c->gates.words);
        check_line_end(c);
    }
}

/* |F*(v)_j|^2 in units of 2^(2 (x.e + v.e)); products v_ki x_i are in `term` (outputs x n x d). */
static void gate_norm(mpz_t out, check *c, const grid *term, int64_t outputs, int64_t j)
{
    const int64_t n = c->data.n, d = c->data.d;
    const uint64_t *bits = c->gates.bits + j * c->gates.words;
    grid sum;
    grid_init(c, &sum, d, 0);
    mpz_set_ui(out, 0);
    for (int64_t k = 0; k < outputs; k++) {
        for (int64_t l = 0; l < d; l++)
            mpz_set_ui(sum.z[l], 0);
        for (int64_t i = 0; i < n; i++)
            for (int64_t l = 0; (bits[i / 64] >> (i % 64) & 1) && l < d; l++)
                mpz_add(sum.z[l], sum.z[l], term->z[(k * n + i) * d + l]);
        for (int64_t l = 0; l < d; l++)
            mpz_addmul(out, sum.z[l], sum.z[l]);
    }
    grid_clear(c, &sum);
}

void check_gate_norms(check *c, const train *t)
{
    const int64_t n = c->data.n, d = c->data.d, e = c->x.e + t->v.e;
    grid term;
    mpz_t norm;
    grid_init(c, &term, t->outputs * n * d, e);
    for (int64_t k = 0; k < t->outputs * n; k++)
        for (int64_t l = 0; l < d; l++)
            mpz_mul(term.z[k * d + l], t->v.z[k], c->x.z[k % n * d + l]);
    mpz_init(norm);
    for (int64_t j = 0; j < c->gates.m; j++) {
        gate_norm(norm, c, &term, t->outputs, j);
        if (!train_square_fits(norm, 2 * e, c, t))
            check_fail(c, 4, "line %lld: the dual point violates the constraint of gate %lld (from 0)",
                       (long long)c->line, (long long)j);
    }
    mpz_clear(norm);
    grid_clear(c, &term);
}
