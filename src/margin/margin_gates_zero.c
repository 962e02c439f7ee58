/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is gamma_V = 0? Decided exactly.
 *
 * gamma_V = min_q sum_j rho_j |l_j(s_j(q))| is 0 iff s_j(q) = sum_i q_i M_ji z_i = 0 for all gates j at some
 * q in the simplex (l_j is injective: a_j != 0): a system of m d equations in q >= 0, sum q = 1, whose
 * coefficients are doubles. Gordan's alternative on some of the equations (exact_cone.c) either excludes a
 * solution, or gives one in integers, which is put into all others exactly; those that it violates join. At
 * most n rounds, since each adds an equation independent of the ones before. The vectors of Gordan's
 * alternative are the points: p_i = (M_ji z_ic) over the equations (j, c).
 */
#include <math.h>
#include <string.h>

#include "exact_cone.h"
#include "margin_internal.h"
#include "memory.h"

typedef struct equations {
    fathom_context *context;
    const fathom_margin_problem *p;
    int64_t *equation; /* count: j d + c */
    int64_t count;
    double *column; /* n: one equation */
    double *point;  /* n x count */
    double *lambda, *h;
    char **integer; /* n: the caller's */
} equations;

static void fill_column(double *column, const fathom_margin_problem *p, int64_t equation)
{
    const int64_t j = equation / p->d, c = equation % p->d;
    for (int64_t i = 0; i < p->n; i++)
        column[i] = p->bits[j * p->words + i / 64] >> i % 64 & 1 ? p->z[i * p->d + c] : 0;
}

static void forget(equations *s)
{
    for (int64_t i = 0; i < s->p->n; i++) {
        fathom_memory_free(s->context, s->integer[i]);
        s->integer[i] = NULL;
    }
}

/* A point that no gate opens, in *at: alone it solves everything. */
static bool find_closed(int64_t *at, const fathom_margin_problem *p)
{
    for (*at = 0; *at < p->n; ++*at) {
        uint64_t open = 0;
        for (int64_t j = 0; j < p->m; j++)
            open |= p->bits[j * p->words + *at / 64] >> *at % 64 & 1;
        if (!open)
            return true;
    }
    return false;
}

/* Gordan's alternative on the equations so far. */
static fathom_status solve(bool *zero, equations *s)
{
    const int64_t n = s->p->n, k = s->count;
    for (int64_t e = 0; e < k; e++) {
        fill_column(s->column, s->p, s->equation[e]);
        for (int64_t i = 0; i < n; i++)
            s->point[i * k + e] = s->column[i];
    }
    forget(s);
    for (int64_t i = 0; i < n; i++) {
        bool none = true;
        for (int64_t e = 0; e < k; e++)
            none &= s->point[i * k + e] == 0;
        if (!none)
            continue;
        memset(s->lambda, 0, (size_t)n * sizeof *s->lambda); /* these equations do not see point i */
        s->lambda[i] = 1;
        s->integer[i] = fathom_memory_text(s->context, "1");
        *zero = true;
        return s->integer[i] ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    return fathom_exact_cone(zero, s->lambda, s->integer, s->h, s->context, n, k, s->point);
}

/* Adds equations that the solution violates, `room` at most; their number. */
static int64_t add_violated(equations *s, int64_t room)
{
    const fathom_margin_problem *p = s->p;
    const int64_t before = s->count;
    for (int64_t e = 0; e < p->m * p->d && s->count - before < room; e++) {
        fill_column(s->column, p, e);
        if (!fathom_exact_sum_is_zero(s->integer, s->column, p->n))
            s->equation[s->count++] = e;
    }
    return s->count - before;
}

fathom_status fathom_margin_gates_decide(bool *zero, double *q, char **integer, fathom_context *context,
                                         const fathom_margin_problem *p)
{
    const int64_t n = p->n, all = p->m * p->d, step = n < all ? n : all;
    int64_t at;
    *zero = find_closed(&at, p);
    if (*zero) {
        memset(q, 0, (size_t)n * sizeof *q);
        q[at] = 1;
        integer[at] = fathom_memory_text(context, "1");
        return integer[at] ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    equations s = {.context = context, .p = p, .integer = integer};
    s.equation = fathom_memory_alloc(context, all, sizeof *s.equation);
    s.column = fathom_memory_alloc(context, 2 * n + all, sizeof *s.column);
    s.point = fathom_memory_alloc(context, n * all, sizeof *s.point);
    fathom_status status = s.equation && s.column && s.point ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        s.lambda = s.column + n;
        s.h = s.lambda + n;
        for (; s.count < step; s.count++)
            s.equation[s.count] = s.count * (all / step);
        do
            status = solve(zero, &s);
        while (status == FATHOM_OK && *zero && add_violated(&s, step) > 0);
        if (status == FATHOM_OK && *zero)
            memcpy(q, s.lambda, (size_t)n * sizeof *q);
        else
            forget(&s);
    }
    FATHOM_FREE(context, s.equation, s.column, s.point);
    return status;
}
