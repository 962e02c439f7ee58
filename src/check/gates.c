/* SPDX-License-Identifier: Apache-2.0 */
/* Gates: patterns D_ij = 1[<x_i, v_j> > 0] of listed orientations v_j, decided exactly, or listed themselves. */
#include <string.h>

#include "checker.h"

static void read_orientation(check *c, int64_t j)
{
    const dataset *a = &c->data;
    num *v = c->gates.orientation + j * a->d;
    arf_t t;
    arf_init(t);
    memcpy(v, check_numbers(c, a->d), (size_t)a->d * sizeof *v);
    for (int64_t i = 0; i < a->n; i++) {
        const num *x = a->point + i * (a->d + 1);
        bool zero = true; /* a row of zeros is no hyperplane */
        for (int64_t k = 0; k < a->d; k++)
            zero = zero && arf_is_zero(x + k);
        num_dot(t, x, v, a->d);
        c->gates.open[j * a->n + i] = arf_sgn(t) > 0;
        c->gates.inside &= zero || arf_sgn(t) != 0;
    }
}

/* One hexadecimal digit for four points, the first in its lowest bit. */
static void read_pattern(check *c, int64_t j)
{
    const char *word = check_word(c);
    const int64_t n = c->data.n, digits = (int64_t)strlen(word);
    if (digits != (n + 3) / 4)
        check_reject(c, "a pattern of %lld digits was expected", (long long)(n + 3) / 4);
    for (int64_t i = 0; i < 4 * digits; i++) {
        const int value = check_hex(word[i / 4]), bit = value >> (i % 4) & 1;
        if (value < 0 || (i >= n && bit))
            check_reject(c, "a pattern of 0-9, a-f was expected");
        if (bit)
            c->gates.open[j * n + i] = 1;
    }
}

void check_gates(check *c)
{
    gates *g = &c->gates;
    check_line(c, "gates");
    const int kind = check_choice(c, "none orientations patterns");
    g->m = kind ? check_integer(c, 1, (int64_t)strlen(c->rest) / 7 + 1) : 0; /* "gate 0\n" */
    check_end(c);
    g->open = check_alloc(c, g->m, (size_t)c->data.n);
    g->inside = kind == 1;
    g->orientation = g->inside ? check_alloc(c, g->m, (size_t)c->data.d * sizeof(num)) : NULL;
    for (int64_t j = 0; j < g->m; j++) {
        check_line(c, "gate");
        if (kind == 1)
            read_orientation(c, j);
        else
            read_pattern(c, j);
        check_end(c);
    }
}
