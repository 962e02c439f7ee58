/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lower side of a claim about training: with w = s v,
 *
 *     D(w) = - sum_i c_i l*(-w_i / c_i),   |Lambda(w)| <= N beta,   sum_i w_i = 0 where the output constant is free
 *
 * gives D(w) / N [weak duality; docs/certificate.md, Sec. 3]; |Lambda(w)| <= N beta is what the evidence proves.
 *
 *     loss       domain, exactly checked                    - c l*(-w / c)
 *     squared    any w                                      y w - w^2 / (2 c)
 *     equality   any w                                      y w
 *     logistic   a = y w / c in [0, 1]                      c (-a ln a - (1 - a) ln(1 - a))
 *     hinge      a = y w / c in [0, 1]                      c a
 *     softmax    p = y - w / c >= 0, sum of a row of w = 0  - c sum_k p_k ln p_k
 *
 * Only D is enclosed in a ball; every condition is decided exactly.
 */
#include "checker.h"

/* out += - c t ln t with t = z / c, z >= 0. */
static void add_entropy(arb_t out, const num *z, const num *weight)
{
    arb_t t;
    arb_init(t);
    arb_set_arf(t, z);
    arb_div_arf(t, t, weight, PRECISION);
    if (arf_sgn(z) > 0)
        arb_log(t, t, PRECISION);
    arb_mul_arf(t, t, z, PRECISION);
    arb_sub(out, out, t, PRECISION);
    arb_clear(t);
}

/* The term of one point and output; *inside: w is in the domain. */
static void add_term(arb_t out, bool *inside, int loss, const num *w, double target, const num *weight)
{
    arf_t y, product, rest;
    arb_t one;
    arf_init(y), arf_init(product), arf_init(rest), arb_init(one);
    arf_set_d(y, target);
    num_mul(product, y, w); /* y w = c a for the losses of classes */
    if (loss == LOSS_SOFTMAX) {
        num_mul(rest, y, weight); /* c p */
        arf_sub(rest, rest, w, EXACT);
        *inside = arf_sgn(rest) >= 0;
        add_entropy(out, rest, weight);
    } else if (loss == LOSS_LOGISTIC || loss == LOSS_HINGE) {
        arf_sub(rest, weight, product, EXACT);
        *inside = arf_sgn(product) >= 0 && arf_sgn(rest) >= 0;
    }
    if (loss == LOSS_LOGISTIC) {
        add_entropy(out, product, weight);
        add_entropy(out, rest, weight);
    } else if (loss != LOSS_SOFTMAX) {
        arb_add_arf(out, out, product, PRECISION);
    }
    if (loss == LOSS_SQUARED) {
        arb_set_arf(one, w);
        arb_mul(one, one, one, PRECISION);
        arb_div_arf(one, one, weight, PRECISION);
        arb_mul_2exp_si(one, one, -1);
        arb_sub(out, out, one, PRECISION);
    }
    arf_clear(y), arf_clear(product), arf_clear(rest), arb_clear(one);
}

/* D(w) / N against the claim. */
static void check_value(check *c, const train *t, int64_t line)
{
    const int64_t n = c->data.n;
    bool inside = true;
    arf_t weight;
    arb_t sum;
    arf_init_set_ui(weight, 1), arb_init(sum);
    for (int64_t k = 0; k < t->outputs * n; k++) {
        if (c->data.weight)
            arf_set_d(weight, c->data.weight[k % n]);
        add_term(sum, &inside, t->loss, t->w + k, t->y[k % n * t->outputs + k / n], weight);
        if (!inside)
            check_reject(c, "entry %lld of the dual point is outside the domain of the conjugate",
                         (long long)k);
    }
    if (t->mean)
        arb_div_si(sum, sum, (slong)n, PRECISION);
    c->verdict.lower = ball_end(sum, -1);
    if (!ball_at_least(sum, t->lower))
        check_fail(c, 4, "line %lld: the dual point gives %.17g, below what is claimed", (long long)line,
                   c->verdict.lower);
}

/* count entries of v, `step` apart, sum to 0. */
static void check_sum(check *c, const num *v, int64_t count, int64_t step, const char *what)
{
    arf_t sum;
    arf_init(sum);
    for (int64_t k = 0; k < count; k++)
        num_add(sum, v + k * step, 1);
    if (!arf_is_zero(sum))
        check_reject(c, "the dual point does not sum to 0 over %s", what);
}

static void read_dual(check *c, train *t)
{
    const int64_t n = c->data.n, size = t->outputs * n;
    check_line(c, "dual");
    t->scale = check_numbers(c, 1);
    t->v = check_numbers(c, size);
    check_end(c);
    if (arf_sgn(t->scale) < 0)
        check_reject(c, "the scale of the dual point is negative");
    t->w = check_alloc(c, size, sizeof *t->w);
    for (int64_t k = 0; k < size; k++)
        num_mul(t->w + k, t->v + k, t->scale);
    for (int64_t i = 0; t->loss == LOSS_SOFTMAX && i < n; i++)
        check_sum(c, t->v + i, t->outputs, n, "the outputs of a row");
    for (int64_t k = 0; c->data.bias == BIAS_FREE && k < t->outputs; k++)
        check_sum(c, t->v + k * n, n, 1, "the rows, as a free constant asks for");
}

/* sum (outputs x d) = sum_i D_ij v_i x_i'. */
void check_gate_sum(num *sum, const check *c, const num *v, int64_t outputs, int64_t j)
{
    const dataset *a = &c->data;
    for (int64_t l = 0; l < outputs * a->d; l++)
        arf_zero(sum + l);
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t l = 0; c->gates.open[j * a->n + i] && l < outputs * a->d; l++)
            arf_addmul(sum + l, v + l / a->d * a->n + i, a->point + i * (a->d + 1) + l % a->d, EXACT);
}

/* |sum_i D_ij w_i x_i'|^2 <= (N beta)^2 for every gate j. */
static void check_gate_norms(check *c, const train *t)
{
    const int64_t block = t->outputs * c->data.d;
    num *sum = check_alloc(c, block, sizeof *sum);
    arf_t square;
    arf_init(square);
    for (int64_t j = 0; j < c->gates.m; j++) {
        check_gate_sum(sum, c, t->w, t->outputs, j);
        num_dot(square, sum, sum, block);
        if (arf_cmp(square, &t->limit) > 0)
            check_reject(c, "the dual point violates the constraint of gate %lld (from 0)", (long long)j);
    }
}

/* Within the cone of gate j, where e_i <x_i, u> >= 0 with e_i = +1 or -1 as it is open or closed on point i: for both signs
 * and any mu >= 0 the price is at most s |+-sum_i D_ij v_i x_i + sum_i mu_i e_i x_i|. */
static void check_cone_norms(check *c, const train *t)
{
    const dataset *a = &c->data;
    num *sum = check_alloc(c, a->d, sizeof *sum);
    arf_t square;
    arf_init(square);
    if (t->outputs != 1 || t->hidden_bias)
        check_reject(c, "this evidence is for one output without biases");
    for (int64_t side = 0; side < 2 * c->gates.m; side++) {
        check_gate_sum(sum, c, t->v, 1, side / 2);
        for (int64_t l = 0; side % 2 && l < a->d; l++)
            arf_neg(sum + l, sum + l);
        check_line(c, "push");
        for (int64_t k = check_integer(c, 0, check_room(c)); k > 0; k--) {
            const int64_t i = check_integer(c, 0, a->n - 1);
            const num *mu = check_numbers(c, 1);
            if (arf_sgn(mu) < 0)
                check_reject(c, "a multiplier is negative");
            for (int64_t l = 0; l < a->d; l++)
                num_addmul(sum + l, mu, a->point + i * (a->d + 1) + l,
                           c->gates.open[side / 2 * a->n + i] ? 1 : -1);
        }
        check_end(c);
        num_dot(square, sum, sum, a->d);
        num_mul(square, square, t->scale);
        num_mul(square, square, t->scale);
        if (arf_cmp(square, &t->limit) > 0)
            check_reject(c, "a neuron in the cone of gate %lld (from 0) is priced above beta",
                         (long long)(side / 2));
    }
}

void check_dual(check *c, train *t, int64_t line)
{
    static void (*const prove[])(check *, const train *) = {NULL, check_gate_norms, check_cone_norms,
                                                            check_trees, check_plane};
    enum { NONE, GATES, CONES };
    const int kind = check_line_choice(c, "evidence", "none gates cones trees plane");
    if (kind == NONE) { /* no loss and no norm is negative */
        if (arf_sgn(t->lower) > 0 || t->bound != BOUND_NONE)
            check_reject(c, "nothing proves a positive lower bound");
        c->verdict.lower = 0;
        return;
    }
    if ((kind == GATES) != (t->model == MODEL_GATED) ||
        t->bound < (kind <= CONES ? BOUND_GATES : BOUND_GLOBAL))
        check_reject(c, "this evidence is not for that bound");
    if (kind <= CONES && t->bound == BOUND_GLOBAL)
        check_all_cones(c);
    read_dual(c, t);
    check_value(c, t, line);
    prove[kind](c, t);
}
