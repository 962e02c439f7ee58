/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lower side of a claim about training: the value D(s v) of the dual point, and that s v is feasible.
 *
 *     loss       domain, exactly checked                    - c l*(-w / c)
 *     squared    any w                                      y w - w^2 / (2 c)
 *     equality   any w                                      y w
 *     logistic   a = y w / c in [0, 1]                      c (-a ln a - (1 - a) ln(1 - a))
 *     hinge      a = y w / c in [0, 1]                      c a
 *     softmax    p = y - w / c >= 0, sum of a row of w = 0  - c sum_k p_k ln p_k
 *
 * Only D is enclosed in a ball; every condition is decided in integers.
 */
#include "train_claim.h"

int64_t train_limit(mpz_t z, const check *c, const train *t)
{
    mpz_init_set_si(z, t->loss == LOSS_EQUALITY ? 1 : t->beta.m);
    if (t->mean)
        mpz_mul_si(z, z, (long)c->data.n);
    return t->loss == LOSS_EQUALITY ? 0 : t->beta.e;
}

bool train_square_fits(const mpz_t z, int64_t e, const check *c, const train *t)
{
    mpz_t left, limit;
    const int64_t right_e = 2 * train_limit(limit, c, t), left_e = e + 2 * t->scale.e;
    mpz_init(left);
    mpz_mul_si(left, z, t->scale.m);
    mpz_mul_si(left, left, t->scale.m);
    mpz_mul(limit, limit, limit);
    if (left_e > right_e)
        mpz_mul_2exp(left, left, (mp_bitcnt_t)(left_e - right_e));
    else
        mpz_mul_2exp(limit, limit, (mp_bitcnt_t)(right_e - left_e));
    const bool fits = mpz_cmp(left, limit) <= 0;
    mpz_clear(left);
    mpz_clear(limit);
    return fits;
}

/* - t ln t where t = z 2^e / c >= 0; c is a ball. */
static void add_entropy(arb_t out, const arb_t t)
{
    arb_t one;
    if (arb_is_zero(t))
        return;
    arb_init(one);
    arb_log(one, t, PRECISION);
    arb_mul(one, one, t, PRECISION);
    arb_sub(out, out, one, PRECISION);
    arb_clear(one);
}

/* w = s v_ki as a ball that is exact. */
static void scaled(arb_t w, const train *t, int64_t n, int64_t i, int64_t k)
{
    arb_t s;
    arb_init(s);
    ball_set(w, t->v.z[k * n + i], t->v.e);
    ball_set_dyadic(s, &t->scale);
    arb_mul(w, w, s, ARF_PREC_EXACT);
    arb_clear(s);
}

/* The term of point i and output k, which may be 0 but for its entropies; *inside: w is in the domain. */
static void add_term(arb_t out, bool *inside, const train *t, double weight, int64_t n, int64_t i, int64_t k)
{
    arb_t w, c, y, a, b;
    arb_init(w), arb_init(c), arb_init(y), arb_init(a), arb_init(b);
    scaled(w, t, n, i, k);
    arb_set_d(c, weight);
    arb_set_d(y, t->y[i * t->outputs + k]);
    if (t->loss == LOSS_SOFTMAX) {
        arb_mul(a, c, y, ARF_PREC_EXACT);
        arb_sub(a, a, w, ARF_PREC_EXACT); /* c p */
        *inside = *inside && arb_is_nonnegative(a);
        arb_div(a, a, c, PRECISION);
        add_entropy(b, a);
        arb_mul(b, b, c, PRECISION);
    } else {
        arb_mul(b, y, w, ARF_PREC_EXACT); /* c a for the losses of classes */
        arb_sub(a, c, b, ARF_PREC_EXACT);
        if (t->loss == LOSS_LOGISTIC || t->loss == LOSS_HINGE)
            *inside = *inside && arb_is_nonnegative(a) && arb_is_nonnegative(b);
        if (t->loss == LOSS_LOGISTIC) {
            arb_div(a, a, c, PRECISION);
            arb_div(y, b, c, PRECISION);
            arb_zero(b);
            add_entropy(b, a);
            add_entropy(b, y);
            arb_mul(b, b, c, PRECISION);
        }
        if (t->loss == LOSS_SQUARED) {
            arb_mul(a, w, w, ARF_PREC_EXACT);
            arb_div(a, a, c, PRECISION);
            arb_mul_2exp_si(a, a, -1);
            arb_sub(b, b, a, PRECISION);
        }
    }
    arb_add(out, out, b, PRECISION);
    arb_clear(w), arb_clear(c), arb_clear(y), arb_clear(a), arb_clear(b);
}

/* D(s v) / N. */
static void lower_value(arb_t out, check *c, const train *t)
{
    arb_zero(out);
    for (int64_t i = 0; i < c->data.n; i++)
        for (int64_t k = 0; k < t->outputs; k++) {
            bool inside = true;
            add_term(out, &inside, t, c->data.weight ? c->data.weight[i] : 1, c->data.n, i, k);
            if (!inside)
                check_fail(c, 4,
                           "line %lld: entry %lld of the dual point is outside the domain of the conjugate",
                           (long long)c->line, (long long)(k * c->data.n + i));
        }
    if (t->mean)
        arb_div_si(out, out, (slong)c->data.n, PRECISION);
}

/* Sums that must vanish: over outputs for softmax, over points where the constant is free. */
static void check_sums(check *c, const train *t)
{
    const int64_t n = c->data.n;
    mpz_t sum;
    mpz_init(sum);
    for (int64_t i = 0; t->loss == LOSS_SOFTMAX && i < n; i++) {
        mpz_set_ui(sum, 0);
        for (int64_t k = 0; k < t->outputs; k++)
            mpz_add(sum, sum, t->v.z[k * n + i]);
        if (mpz_sgn(sum) != 0)
            check_fail(c, 4, "line %lld: the dual point of row %lld (from 0) does not sum to 0",
                       (long long)c->line, (long long)i);
    }
    for (int64_t k = 0; c->data.bias == BIAS_FREE && k < t->outputs; k++) {
        mpz_set_ui(sum, 0);
        for (int64_t i = 0; i < n; i++)
            mpz_add(sum, sum, t->v.z[k * n + i]);
        if (mpz_sgn(sum) != 0)
            check_fail(c, 4, "line %lld: the dual point does not sum to 0, as a free constant asks for",
                       (long long)c->line);
    }
    mpz_clear(sum);
}

/* The value of the dual point against the claim. */
static void check_value(check *c, const train *t, int64_t line)
{
    arb_t value;
    arb_init(value);
    lower_value(value, c, t);
    const bool holds = ball_at_least(value, &t->lower);
    c->verdict.lower = ball_lower(value);
    arb_clear(value);
    if (!holds)
        check_fail(c, 4, "line %lld: the dual point gives %.17g, below what is claimed", (long long)line,
                   c->verdict.lower);
}

static void read_dual(check *c, train *t)
{
    check_next_line(c, "dual");
    t->scale = check_number(c);
    t->dual = check_numbers(c, t->outputs * c->data.n);
    check_line_end(c);
    if (t->scale.m < 0)
        check_fail(c, 4, "line %lld: the scale of the dual point is negative", (long long)c->line);
    grid_from(c, &t->v, t->dual, t->outputs * c->data.n);
}

void check_dual(check *c, train *t, int64_t line)
{
    static const char *const kinds[] = {"none", "gates", "trees", "plane", NULL};
    static void (*const prove[])(check *, const train *) = {NULL, check_gate_norms, check_trees, check_plane};
    check_next_line(c, "evidence");
    const int kind = check_choice(c, kinds);
    check_line_end(c);
    if (kind == 0) { /* no loss and no norm is negative */
        if (t->lower.m > 0 || t->bound != BOUND_NONE)
            check_fail(c, 4, "line %lld: nothing proves a positive lower bound", (long long)c->line);
        c->verdict.lower = 0;
        return;
    }
    if ((kind == 1) != (t->model == MODEL_GATED) || t->bound == BOUND_NONE ||
        (t->model == MODEL_RELU && t->bound != BOUND_GLOBAL))
        check_fail(c, 4, "line %lld: this evidence is not for that bound", (long long)c->line);
    if (t->model == MODEL_GATED && t->bound == BOUND_GLOBAL)
        check_all_cones(c, c->gates.m);
    read_dual(c, t);
    check_sums(c, t);
    check_value(c, t, line);
    prove[kind](c, t);
    grid_clear(c, &t->v);
    check_free(c, t->dual);
}
