/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gordan's alternative in rational arithmetic.
 *
 * Proposal: max g over <h, p_j> >= g |p_j|_inf, |h|_inf <= 1 by floating-point simplex. Its primal solution is an h to be
 * checked exactly; its dual solution has a support of at most d + 1 vectors, on which a rational simplex (phase one,
 * rational_tableau.h) decides exactly. Where neither settles it the rational simplex runs on all vectors.
 * Cost: the floating-point program, then (d + 1) (k + d + 2) rational operations per pivot.
 * [Gordan 1873; Bland 1977]
 */
#include "exact_cone.h"

#include <math.h>

#include "context_internal.h"
#include "exact_dot.h"
#include "lp.h"
#include "memory.h"
#include "rational_tableau.h"

/* A product as significand in [1/2, 1), its rounding error and exponent: exact (error-free by fma). */
typedef struct product {
    double high, low;
    int exponent;
} product;

static product multiply(double a, double b)
{
    int ea, eb;
    const double ma = frexp(a, &ea), mb = frexp(b, &eb);
    product r = {ma * mb, 0, ea + eb};
    r.low = fma(ma, mb, -r.high);
    if (fabs(r.high) < 0.5) {
        r.high *= 2;
        r.low *= 2;
        r.exponent--;
    }
    return r;
}

static int sign(double a) { return (a > 0) - (a < 0); }

int fathom_exact_compare(double a, double b, double c, double d)
{
    const product left = multiply(a, b), right = multiply(c, d);
    if (sign(left.high) != sign(right.high))
        return sign(left.high) > sign(right.high) ? 1 : -1;
    if (left.high == 0)
        return 0;
    if (left.exponent != right.exponent)
        return left.exponent > right.exponent ? sign(left.high) : -sign(left.high);
    return left.high != right.high ? sign(left.high - right.high) : sign(left.low - right.low);
}

bool fathom_exact_parallel(const double *a, const double *b, int64_t d)
{
    int64_t pivot = 0;
    while (pivot < d && a[pivot] == 0 && b[pivot] == 0)
        pivot++;
    for (int64_t c = pivot; c < d; c++)
        if (fathom_exact_compare(a[c], b[pivot], b[c], a[pivot]) != 0)
            return false;
    return true;
}

#define at fathom_tableau_at

/* The tableau of the phase-one program: rows 0..d (the last is sum lambda = 1), columns: k lambdas, d + 1 artificials,
 * right side; the reduced costs are those of min sum of artificials. */
typedef struct program {
    fathom_tableau t;
    int64_t k;
} program;

/* The program of the vectors p[chosen[j]], at the basis of artificials. */
static fathom_status program_create(program *created, fathom_context *context, const double *p, int64_t d,
                                    const int64_t *chosen, int64_t k)
{
    fathom_tableau *t = &created->t;
    created->k = k;
    FATHOM_TRY(fathom_tableau_create(t, context, d + 1, k + d + 2));
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < d; i++)
            mpq_set_d(*at(t, i, j), p[chosen[j] * d + i]);
        mpq_set_ui(*at(t, d, j), 1, 1);
    }
    fathom_tableau_begin(t, k);
    return FATHOM_OK;
}

/* True where <h, p_j> > 0 for all j in exact arithmetic. */
static bool is_witness(const double *h, const double *p, int64_t k, int64_t d)
{
    for (int64_t j = 0; j < k; j++)
        if (fathom_exact_dot_sign(d, h, p + j * d) <= 0)
            return false;
    return true;
}

/* h = -y of the finished tableau in doubles, scaled to |h|_inf <= 1. */
static void read_witness(double *h, const program *p, int64_t d)
{
    const fathom_tableau *t = &p->t;
    mpq_t y, largest;
    mpq_inits(y, largest, NULL);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < d; i++) {
            mpq_set_ui(y, 1, 1); /* reduced cost of artificial i is 1 - y_i */
            mpq_sub(y, *at(t, t->rows, p->k + i), y);
            if (pass == 1) {
                mpq_div(y, y, largest);
                h[i] = mpq_get_d(y);
                continue;
            }
            mpq_abs(y, y);
            if (mpq_cmp(y, largest) > 0)
                mpq_set(largest, y);
        }
    mpq_clears(y, largest, NULL);
}

/* Decides for the chosen vectors alone. *zero as in the header; the solution is set only where it is true. */
static fathom_status decide(bool *zero, double *lambda, char **integer, double *h, fathom_context *context,
                            const double *p, int64_t d, const int64_t *chosen, int64_t k)
{
    program phase_one;
    fathom_tableau *t = &phase_one.t;
    bool bounded; /* the least sum of artificials is */
    fathom_status status = program_create(&phase_one, context, p, d, chosen, k);
    if (status == FATHOM_OK)
        status =
            fathom_tableau_run(&bounded, t, t->columns - 1, "the exact decision whether the margin is 0");
    if (status == FATHOM_OK) {
        *zero = mpq_sgn(*at(t, t->rows, t->columns - 1)) == 0;
        if (*zero)
            status = fathom_tableau_solution(lambda, integer, t, k, chosen);
        else
            read_witness(h, &phase_one, d);
    }
    fathom_tableau_free(t);
    return status;
}

/* The floating-point proposal: h (d), and the vectors with positive dual in chosen (at most k), counted in *count. */
static fathom_status propose(double *h, int64_t *chosen, int64_t *count, fathom_context *context, int64_t k,
                             int64_t d, const double *p)
{
    fathom_status status = FATHOM_ERROR_MEMORY;
    bool optimal = false;
    double value;
    const int64_t columns = d + 1;
    double *a = fathom_memory_alloc(context, k * columns, sizeof *a);
    double *bound = fathom_memory_alloc(context, 4 * columns + 3 * k, sizeof *bound);
    *count = 0;
    if (a && bound) {
        double *cost = bound, *low = cost + columns, *high = low + columns, *x = high + columns;
        double *row_low = x + columns, *row_high = row_low + k, *dual = row_high + k;
        for (int64_t c = 0; c < columns; c++) {
            cost[c] = c == d ? -1 : 0;
            low[c] = c == d ? 0 : -1;
            high[c] = c == d ? INFINITY : 1;
        }
        for (int64_t j = 0; j < k; j++) {
            double largest = 0;
            for (int64_t i = 0; i < d; i++)
                largest = fmax(largest, fabs(p[j * d + i]));
            for (int64_t i = 0; i < d; i++)
                a[j * columns + i] = p[j * d + i] / largest;
            a[j * columns + d] = -1;
            row_low[j] = 0;
            row_high[j] = INFINITY;
        }
        const fathom_lp lp = {k, columns, a, cost, low, high, row_low, row_high, 1e-9};
        status = fathom_lp_solve(&value, x, dual, &optimal, context, &lp);
        for (int64_t i = 0; i < d; i++)
            h[i] = optimal ? x[i] : 0;
        for (int64_t j = 0; j < k && optimal; j++)
            if (fabs(dual[j]) > 1e-9)
                chosen[(*count)++] = j;
    }
    FATHOM_FREE(context, a, bound);
    return status;
}

fathom_status fathom_exact_cone(bool *zero, double *lambda, char **integer, double *h,
                                fathom_context *context, int64_t k, int64_t d, const double *p)
{
    int64_t count = 0;
    int64_t *chosen = fathom_memory_alloc(context, k, sizeof *chosen);
    if (!chosen)
        return FATHOM_ERROR_MEMORY;
    *zero = false;
    for (int64_t j = 0; j < k; j++)
        lambda[j] = 0;
    fathom_status status = propose(h, chosen, &count, context, k, d, p);
    if (status != FATHOM_OK || is_witness(h, p, k, d))
        goto done;
    if (count > 0)
        status = decide(zero, lambda, integer, h, context, p, d, chosen, count);
    if (status != FATHOM_OK || *zero || is_witness(h, p, k, d))
        goto done;
    for (int64_t j = 0; j < k; j++)
        chosen[j] = j;
    status = decide(zero, lambda, integer, h, context, p, d, chosen, k);
    if (status == FATHOM_OK && !*zero && !is_witness(h, p, k, d))
        for (int64_t i = 0; i < d; i++)
            h[i] = 0;
done:
    fathom_memory_free(context, chosen);
    return status;
}

bool fathom_exact_sum_is_zero(char *const *integer, const double *value, int64_t k)
{
    mpq_t sum, term;
    mpz_t factor;
    mpq_inits(sum, term, NULL);
    mpz_init(factor);
    for (int64_t j = 0; j < k; j++) {
        if (!integer[j] || value[j] == 0)
            continue;
        mpz_set_str(factor, integer[j], 16);
        mpq_set_d(term, value[j]);
        mpz_mul(mpq_numref(term), mpq_numref(term), factor);
        mpq_canonicalize(term);
        mpq_add(sum, sum, term);
    }
    const bool zero = mpq_sgn(sum) == 0;
    mpz_clear(factor);
    mpq_clears(sum, term, NULL);
    return zero;
}
