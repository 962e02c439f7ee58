/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claim  lower <= min over networks of  F = (1/N) sum_i c_i l(f_i, y_i) + beta R  <= upper,  R = sum
 * |w||u|.
 *
 * Above: F of the network that is listed, its outputs f_i exact. Below, with the dual point w = s v:
 *
 *     D(w) = - sum_i c_i l*(-w_i / c_i),   price of w <= N beta,   sum_i w_i = 0 where the output constant is free
 *
 * gives D(w) / N [weak duality; docs/reference/certificate.md, Sec. 3]; the price is what the evidence bounds.
 *
 *     loss       domain, exactly checked                    - c l*(-w / c)
 *     squared    any w                                      y w - w^2 / (2 c)
 *     equality   any w                                      y w                   l = 0 where f = y, to a stated residual
 *     margin     a = y w >= 0                               a                     l = 0 where y f >= 1
 *     hinge      a = y w / c in [0, 1]                      c a
 *     logistic   a = y w / c in [0, 1]                      c (-a ln a - (1 - a) ln(1 - a))
 *     softmax    p = y - w / c >= 0, sum of a row of w = 0  - c sum_k p_k ln p_k
 *     huber D, absolute, quantile T: boxed.c
 *
 * Cost: n m d products for the network, n logarithms.
 */
#include <math.h>
#include <string.h>

#include "checker.h"

/* Classes are -1 and +1, or rows y >= 0 that sum to 1. */
static void check_targets(check *c, int loss)
{
    const dataset *a = &c->data;
    if (loss > LOSS_EQUALITY && loss < LOSS_SOFTMAX)
        check_signs(c);
    for (int64_t i = 0; loss == LOSS_SOFTMAX && i < a->n; i++) {
        num sum = num_real(-1);
        for (int64_t k = i * a->outputs; k < (i + 1) * a->outputs; k++) {
            need(c, num_sign(a->y[k]) >= 0, "a target of softmax is negative");
            num_add_to(&sum, a->y[k]);
        }
        need(c, num_sign(sum) == 0, "the targets of row %lld (from 0) do not sum to 1", (long long)i);
    }
}

/* Whether some gate's closed cone holds u, of which the signs of <x_i, u> are given. */
static bool in_some_cone(const check *c, const int *sign)
{
    bool inside = false;
    for (int64_t j = 0; j < c->gates.m && !inside; j++) {
        inside = true;
        for (int64_t i = 0; i < c->data.n; i++)
            inside = inside && sign[i] != (c->gates.open[j * c->data.n + i] ? -1 : 1);
    }
    return inside;
}

/* f += w relu(X u), R += |w||u|. Words: w (outputs), u (d), and b where biases are free. */
static const num *read_neuron(check *c, train *t, int64_t *gate)
{
    const dataset *a = &c->data;
    const num *w = check_numbers(c, "neuron", a->outputs + t->width), *u = w + a->outputs;
    num h = {0};
    *gate = -1;
    num_mul_to(&t->norm, num_norm(w, a->outputs), num_norm(u, a->d));
    for (int64_t i = 0; i < a->n; i++) {
        num_dot(&h, a->point + i * (a->d + 1), u, t->width);
        t->sign[i] = num_sign(h);
        for (int64_t k = 0; t->sign[i] > 0 && k < a->outputs; k++)
            num_mul_to(t->f + i * a->outputs + k, w[k], h);
    }
    need(c, t->bound != BOUND_GATES || in_some_cone(c, t->sign), "the neuron lies in the cone of no gate");
    return w;
}

/* f += D_g X w', R += |w|. Words: g, w (outputs x d). */
static const num *read_gated(check *c, train *t, int64_t *gate)
{
    const dataset *a = &c->data;
    const int64_t g = *gate = check_integer(c, "neuron", 0, c->gates.m - 1);
    const num *w = check_numbers(c, NULL, a->outputs * a->d);
    num h = {0};
    num_add_to(&t->norm, num_norm(w, a->outputs * a->d));
    for (int64_t k = 0; k < a->n * a->outputs; k++)
        if (c->gates.open[g * a->n + k / a->outputs]) {
            num_dot(&h, a->point + k / a->outputs * (a->d + 1), w + k % a->outputs * a->d, a->d);
            num_add_to(t->f + k, h);
        }
    return w;
}

static void read_network(check *c, train *t)
{
    const dataset *a = &c->data;
    t->f = check_alloc(c, a->n, (size_t)a->outputs * sizeof *t->f);
    t->sign = check_alloc(c, a->n, sizeof *t->sign);
    t->width = a->d + (!t->gated && a->bias == BIAS_FREE);
    claim *q = c->claim;
    q->neurons = check_integer(c, "network", 0, (int64_t)strlen(c->rest) / 9); /* "neuron 0\n" */
    q->neuron = check_alloc(c, q->neurons, sizeof *q->neuron);
    q->gate = check_alloc(c, q->neurons, sizeof *q->gate);
    for (int64_t m = 0; m < q->neurons; m++)
        q->neuron[m] = (t->gated ? read_gated : read_neuron)(c, t, q->gate + m);
    const num *constant = q->constant = check_numbers(c, "constant", a->outputs);
    for (int64_t k = 0; k < a->n * a->outputs; k++) {
        need(c, a->bias == BIAS_FREE || num_sign(constant[k % a->outputs]) == 0,
             "the problem has no output constant");
        num_add_to(t->f + k, constant[k % a->outputs]);
    }
}

/* equality: |f - y| <= the residual that is stated; margin: y f >= 1. */
static void check_constraints(check *c, train *t)
{
    const dataset *a = &c->data;
    double largest = 0;
    if (t->loss == LOSS_EQUALITY)
        t->miss = *check_numbers(c, "residual", 1);
    check_said(c, t->miss);
    for (int64_t k = 0; k < a->n * a->outputs; k++) {
        const num miss = num_sub(t->f[k], a->y[k]), rest = num_sub(num_real(1), num_mul(t->f[k], a->y[k]));
        need(c, num_at_most(t->loss == LOSS_EQUALITY ? num_times(miss, num_sign(miss)) : rest, t->miss),
             "output %lld (from 0) of the network does not satisfy its constraint", (long long)k);
        largest = fmax(largest, fabs(num_end(a->y[k], 1)));
    }
    c->claim->residual = num_end(t->miss, 1);
    c->claim->weak |= c->claim->residual > 1e-6 * largest ? WEAK_RESIDUAL : 0;
}

/* l(f_i, y_i); softmax: ln sum_k exp(f_k - <y, f>). Exponentials are added in balls: their exact sum can
 * be of any length. */
static num loss_of(const check *c, const train *t, int64_t i)
{
    const int64_t o = c->data.outputs;
    const num *y = c->data.y + i * o, *f = t->f + i * o;
    num sum = num_real(t->loss == LOSS_LOGISTIC), yf = {0};
    if (t->loss > LOSS_SOFTMAX)
        return check_box_loss(t, num_sub(*y, *f));
    num_dot(&yf, y, f, o);
    if (t->loss == LOSS_HINGE)
        return num_at_most(yf, num_real(1)) ? num_sub(num_real(1), yf) : sum;
    for (int64_t k = 0; k < o; k++) {
        const num other = t->loss == LOSS_LOGISTIC ? num_real(0) : f[k], miss = num_sub(f[k], y[k]);
        const num term = t->loss == LOSS_SQUARED ? num_mul(miss, miss) : num_exp(num_sub(other, yf));
        arb_add(&sum, &sum, &term, t->loss == LOSS_SQUARED ? ARF_PREC_EXACT : PRECISION);
    }
    return t->loss == LOSS_SQUARED ? num_mul(sum, num_real(0.5)) : num_log(sum);
}

static void check_objective(check *c, train *t)
{
    const bool constrained = t->loss == LOSS_EQUALITY || t->loss == LOSS_MARGIN;
    num sum = {0};
    if (constrained)
        check_constraints(c, t);
    for (int64_t i = 0; !constrained && i < c->data.n; i++)
        num_mul_to(&sum, c->data.weight[i], loss_of(c, t, i));
    sum = num_div(sum, t->problem[0]);
    c->claim->loss_part = num_end(sum, 1);
    c->claim->norm = num_end(t->norm, 1);
    check_bound(c, 1, num_add(sum, num_mul(t->problem[1], t->norm)), "the network's objective is");
}

/* - z ln(z / weight), z >= 0. */
static num entropy(num z, num weight) { return num_sign(z) ? num_mul(z, num_log(num_div(weight, z))) : z; }

/* The least sum_i c_i l(f, y_i) over constants f, or of f = 0 where the constant is not free. With W =
 * sum_i c_i, W_k = sum_i c_i y_ik and classes of weight (W +- W_1) / 2: squared (sum c y^2 - sum_k W_k^2 /
 * W) / 2, hinge 2 min(W_+, W_-), logistic and softmax the entropy. Not finite: no constant satisfies the
 * constraints. */
static num without_neurons(const check *c, int loss)
{
    const dataset *a = &c->data;
    const bool free = a->bias == BIAS_FREE;
    num total = {0}, square = {0}, explained = {0}, chaos = {0}, sum = {0};
    for (int64_t i = 0; i < a->n; i++)
        num_add_to(&total, a->weight[i]);
    for (int64_t k = 0; k < a->outputs; k++) {
        sum = num_real(0);
        for (int64_t i = 0; i < a->n; i++) {
            const num y = a->y[i * a->outputs + k], weighted = num_mul(a->weight[i], y);
            num_add_to(&sum, weighted);
            num_mul_to(&square, weighted, y);
        }
        num_mul_to(&explained, sum, num_times(sum, free));
        if (loss == LOSS_SOFTMAX)
            num_add_to(&chaos, entropy(sum, total));
    }
    const num rest = num_sub(num_mul(square, total), explained), half = num_real(0.5);
    const num up = num_mul(num_add(total, sum), half), down = num_mul(num_sub(total, sum), half);
    const double outputs = loss == LOSS_SOFTMAX ? (double)a->outputs : 2;
    if (loss == LOSS_SQUARED)
        return num_div(num_mul(rest, half), total);
    if (loss == LOSS_EQUALITY || loss == LOSS_MARGIN)
        return loss == LOSS_EQUALITY && num_sign(rest) == 0 ? rest : num_real(INFINITY);
    if (loss == LOSS_HINGE)
        return !free ? total : num_times(num_at_most(up, down) ? up : down, 2);
    if (!free)
        return num_mul(total, num_log(num_real(outputs)));
    return loss == LOSS_SOFTMAX ? chaos : num_add(entropy(up, total), entropy(down, total));
}

/* - c l*(-w / c) of output k and point i. */
static num dual_term(check *c, const train *t, int64_t k, int64_t i)
{
    const dataset *a = &c->data;
    const num w = num_mul(*t->scale, t->v[k * a->n + i]), y = a->y[i * a->outputs + k], weight = a->weight[i];
    if (t->loss > LOSS_SOFTMAX)
        return check_box_dual(c, t, w, i);
    if (t->loss == LOSS_SQUARED)
        return num_sub(num_mul(y, w), num_div(num_mul(w, w), num_times(weight, 2)));
    const num p = t->loss == LOSS_SOFTMAX ? num_sub(num_mul(y, weight), w) : num_mul(y, w), /* c a or c p */
        rest = num_sub(weight, p);
    need(c, t->loss == LOSS_EQUALITY || (num_sign(p) >= 0 && (t->loss == LOSS_MARGIN || num_sign(rest) >= 0)),
         "the dual point is outside the domain of the conjugate at point %lld (from 0)", (long long)i);
    if (t->loss <= LOSS_HINGE)
        return p;
    return t->loss == LOSS_SOFTMAX ? entropy(p, weight) : num_add(entropy(p, weight), entropy(rest, weight));
}

/* count entries of v, `step` apart, sum to 0. */
static void check_sum(check *c, const num *v, int64_t count, int64_t step, const char *what)
{
    num sum = {0};
    for (int64_t k = 0; k < count; k++)
        num_add_to(&sum, v[k * step]);
    need(c, num_sign(sum) == 0, "the dual point does not sum to 0 over %s", what);
}

/* The line `dual`, its conditions, and D(w) / N. */
static void check_dual(check *c, train *t)
{
    const int64_t n = c->data.n, o = c->data.outputs;
    num sum = {0}, size = {0};
    t->scale = check_numbers(c, "dual", 1);
    t->v = check_numbers(c, NULL, o * n);
    need(c, num_sign(*t->scale) >= 0, "the scale of the dual point is negative");
    for (int64_t i = 0; t->loss == LOSS_SOFTMAX && i < n; i++)
        check_sum(c, t->v + i, o, n, "the outputs of a row");
    for (int64_t k = 0; c->data.bias == BIAS_FREE && k < o; k++)
        check_sum(c, t->v + k * n, n, 1, "the rows, as a free constant asks for");
    for (int64_t k = 0; k < o * n; k++) {
        num_add_to(&sum, dual_term(c, t, k / n, k % n));
        num_add_to(&size, num_times(t->v[k], num_sign(t->v[k])));
    }
    check_bound(c, -1, num_div(sum, t->problem[0]), "the dual point gives");
    /* of networks that miss targets by no more than r: sum_i w_i f_i >= sum_i w_i y_i - r sum_i |w_i| */
    sum = num_sub(sum, num_mul(num_mul(t->miss, size), *t->scale));
    c->claim->dual = c->verdict.lower = num_end(num_div(sum, t->problem[0]), -1);
    c->verdict.lower = fmax(c->verdict.lower, 0); /* as that of every network */
}

void check_price(check *c, const train *t, num square, num length)
{
    const num price = num_mul(num_mul(*t->scale, *t->scale), square), most = num_mul(t->limit, length);
    need(c, num_at_most(price, most), "the dual point is priced above beta");
    if (t->most)
        *t->most = fmax(*t->most, num_end(num_root(num_div(price, most)), 1)); /* 0 / 0 is not a number */
}

/* Where gates prove prices output by output, every neuron feeds one of them. */
static void check_single(check *c, const num *w)
{
    int64_t fed = 0;
    for (int64_t k = 0; k < c->data.outputs; k++)
        fed += num_sign(w[k]) != 0;
    need(c, fed <= 1, "the neuron feeds more than one output");
}

/* "push K i mu..": within the cone of gate j, where e_i <x_i, u> >= 0 with e_i = +1 or -1 as it is open or
 * closed on point i, any mu >= 0 may be added: +-sum becomes +-sum + sum_i mu_i e_i x_i. */
static void read_push(check *c, num *sum, int64_t j, int side)
{
    const dataset *a = &c->data;
    for (int64_t k = check_count(c, "push"); k > 0; k--) {
        const int64_t i = check_integer(c, NULL, 0, a->n - 1);
        const num mu = *check_numbers(c, NULL, 1);
        need(c, num_sign(mu) >= 0, "a multiplier is negative");
        const int sign = c->gates.open[j * a->n + i] ? side : -side; /* for -: the sum turned */
        for (int64_t l = 0; l < a->d; l++)
            num_mul_to(sum + l, num_times(mu, sign), a->point[i * (a->d + 1) + l]);
    }
}

/* |sum_i D_ij v_i x_i'| for every gate j; relu: with multipliers, output by output, for both signs. */
static void check_gate_prices(check *c, const train *t)
{
    const int64_t o = c->data.outputs, d = c->data.d, blocks = t->gated ? 1 : o, block = o * d / blocks;
    num *sum = check_alloc(c, o * d, sizeof *sum), square = {0};
    need(c, t->gated || t->width == d, "this evidence is for networks without biases");
    for (int64_t m = 0; !t->gated && m < c->claim->neurons; m++)
        check_single(c, c->claim->neuron[m]);
    for (int64_t j = 0; j < blocks * c->gates.m; j++)
        for (int side = t->gated ? -1 : 1; side >= -1; side -= 2) {
            num *part = sum + j % blocks * block;
            check_gate_sum(sum, c, t->v, j / blocks);
            if (!t->gated)
                read_push(c, part, j / blocks, side);
            num_dot(&square, part, part, block);
            check_price(c, t, square, num_real(1));
        }
}

/* "centre m": as sum_i v_i = 0 and b is free, points may be moved: x_i - m. */
static const num *read_centred(check *c)
{
    const int64_t width = c->data.d + 1;
    const num *centre = check_numbers(c, "centre", c->data.d);
    num *point = check_alloc(c, c->data.n, (size_t)width * sizeof *point);
    for (int64_t k = 0; k < c->data.n * width; k++)
        point[k] = k % width < c->data.d ? num_sub(c->data.point[k], centre[k % width]) : c->data.point[k];
    return point;
}

/* The lower side, where there is one. */
static void check_lower(check *c, train *t)
{
    static void (*const prove[])(check *, const train *) = {NULL,        check_gate_prices, check_gate_prices,
                                                            check_trees, check_plane,       check_orthant};
    if (t->bound == BOUND_NONE) { /* no loss and no norm is negative */
        check_bound(c, -1, num_real(0), "the bound is");
        return;
    }
    need(c, !t->gated || t->bound < BOUND_TREES, "this evidence is for relu networks");
    if (t->bound == BOUND_CONES)
        check_all_cones(c);
    check_dual(c, t);
    if (check_line_is(c, "along"))
        t->along = check_numbers(c, "along", c->data.d + c->data.n);
    t->point = t->bound == BOUND_TREES && t->width > c->data.d ? read_centred(c) : c->data.point;
    prove[t->bound](c, t);
}

/* What there is less to a claim than its bounds say. */
static void weigh(check *c, const train *t)
{
    claim *q = c->claim;
    const verdict *v = &c->verdict;
    q->none = num_end(
        num_div(t->loss > LOSS_SOFTMAX ? check_box_none(c, t) : without_neurons(c, t->loss), t->problem[0]),
        1);
    q->weak |= t->bound == BOUND_NONE ? WEAK_BOUND : 0;
    q->weak |= t->bound == BOUND_GATES && c->gates.m == 0 ? WEAK_GATES : 0;
    if (q->none <= v->upper * (1 + 1e-6) && !(q->weak & WEAK_GATES))
        q->weak |= v->lower >= q->none * (1 - 1e-6) ? WEAK_PENALTY : WEAK_NETWORK;
}

/* The largest margin of networks with R <= 1 is 1 / min R: the bounds are on beta min R. */
static void turn_margin(check *c, num beta)
{
    verdict *v = &c->verdict;
    const double upper = v->lower > 0 ? num_end(num_div(beta, num_real(v->lower)), 1) : INFINITY;
    v->lower = num_end(num_div(beta, num_real(v->upper)), -1);
    v->upper = upper;
}

void check_claim_train(check *c)
{
    claim *q = c->claim;
    train t = {.gated = check_choice(c, "problem", "relu gated")};
    t.loss = check_choice(c, NULL, "squared equality margin hinge logistic softmax huber absolute quantile");
    if (t.loss > LOSS_SOFTMAX)
        check_box(c, &t);
    t.problem = check_numbers(c, NULL, 2);
    need(c, num_sign(t.problem[0]) > 0 && num_sign(t.problem[1]) > 0, "N and beta are not positive");
    check_said(c, t.problem[0]);
    check_said(c, t.problem[1]);
    t.edge = num_mul(t.problem[0], t.problem[1]);
    t.limit = num_mul(t.edge, t.edge);
    t.bound = check_bounds(c, "none gates cones trees plane orthant");
    t.most = &q->price;
    q->gated = t.gated, q->loss = t.loss, q->evidence = t.bound;
    q->single = !t.gated && c->data.outputs > 1 && (t.bound == BOUND_GATES || t.bound == BOUND_CONES);
    q->divisor = t.problem[0], q->beta = t.problem[1];
    check_targets(c, t.loss);
    read_network(c, &t);
    check_objective(c, &t);
    q->objective = c->verdict.upper;
    check_lower(c, &t);
    weigh(c, &t);
    if (t.loss == LOSS_MARGIN)
        turn_margin(c, t.problem[1]);
}
