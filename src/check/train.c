/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claim  lower <= min over networks of  F = (1/N) sum_i c_i l(f_i, y_i) + beta R  <= upper,  N = 1 or n, R = sum |w||u|.
 *
 * Above: F of the network that is listed, its outputs f_i exact. Below, with the dual point w = s v:
 *
 *     D(w) = - sum_i c_i l*(-w_i / c_i),   price of w <= N beta,   sum_i w_i = 0 where the output constant is free
 *
 * gives D(w) / N [weak duality; docs/certificate.md, Sec. 3]; the price is what the evidence bounds.
 *
 *     loss       domain, exactly checked                    - c l*(-w / c)
 *     squared    any w                                      y w - w^2 / (2 c)
 *     equality   any w; 1 in place of N beta, F = R         y w
 *     logistic   a = y w / c in [0, 1]                      c (-a ln a - (1 - a) ln(1 - a))
 *     hinge      a = y w / c in [0, 1]                      c a
 *     softmax    p = y - w / c >= 0, sum of a row of w = 0  - c sum_k p_k ln p_k
 *
 * The claim  lower <= max over networks with R <= 1 of min_i y_i f_i <= upper.  Below: the network that is listed. Above: for
 * v with y_i v_i >= 0, min_i y_i f_i <= sum_i v_i f_i / sum_i |v_i| <= price of v / sum_i |v_i|.
 *
 * Vectors over the data are outputs x n. Cost: n m d products for the network, n logarithms.
 */
#include "checker.h"

/* Whether points with these signs of <x_i, u> leave u in the closed cone of some gate. */
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
static void read_neuron(check *c, train *t)
{
    const dataset *a = &c->data;
    const num *w = check_numbers(c, "neuron", t->outputs + t->width), *u = w + t->outputs;
    num h = {0};
    num_mul_to(&t->norm, num_norm(w, t->outputs), num_norm(u, a->d));
    for (int64_t i = 0; i < a->n; i++) {
        num_dot(&h, a->point + i * (a->d + 1), u, t->width);
        t->sign[i] = num_sign(h);
        for (int64_t k = 0; t->sign[i] > 0 && k < t->outputs; k++)
            num_mul_to(t->f + k * a->n + i, w[k], h);
    }
    need(c, t->bound != BOUND_GATES || in_some_cone(c, t->sign), "the neuron lies in the cone of no gate");
}

/* f += D_g X w', R += |w|. Words: the gate g, then w (outputs x d). */
static void read_gated(check *c, train *t)
{
    const dataset *a = &c->data;
    const int64_t g = check_integer(c, "neuron", 0, c->gates.m - 1);
    const num *w = check_numbers(c, NULL, t->outputs * a->d);
    num h = {0};
    num_add_to(&t->norm, num_norm(w, t->outputs * a->d));
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t k = 0; c->gates.open[g * a->n + i] && k < t->outputs; k++) {
            num_dot(&h, a->point + i * (a->d + 1), w + k * a->d, a->d);
            num_add_to(t->f + k * a->n + i, h);
        }
}

static void read_network(check *c, train *t)
{
    const int64_t n = c->data.n;
    t->f = check_alloc(c, t->outputs * n, sizeof *t->f);
    t->sign = check_alloc(c, n, sizeof *t->sign);
    t->width = c->data.d + (t->model == MODEL_RELU && c->data.bias == BIAS_FREE);
    for (int64_t m = check_integer(c, "network", 0, INT64_C(1) << 40); m > 0; m--)
        (t->model == MODEL_GATED ? read_gated : read_neuron)(c, t);
    const num *constant = check_numbers(c, "constant", t->outputs);
    for (int64_t k = 0; k < t->outputs * n; k++) {
        need(c, num_sign(constant[k / n]) == 0 || c->data.bias == BIAS_FREE,
             "the problem has no output constant");
        num_add_to(t->f + k, constant[k / n]);
    }
}

static double target_of(const check *c, const train *t, int64_t k)
{
    return t->y[k % c->data.n * t->outputs + k / c->data.n];
}

/* l(f_i, y_i); softmax: log sum_k exp(f_k - f_label). */
static num loss_of(const check *c, const train *t, int64_t i)
{
    const int64_t n = c->data.n;
    const double *y = t->y + i * t->outputs;
    const num *f = t->f + i, one = num_real(1);
    int64_t label = 0;
    num sum = {0};
    if (t->loss == LOSS_LOGISTIC)
        return num_log(num_add(one, num_exp(num_times(*f, (int)-*y))));
    if (t->loss == LOSS_HINGE) {
        const num rest = num_sub(one, num_times(*f, (int)*y));
        return num_sign(rest) > 0 ? rest : sum;
    }
    while (t->loss == LOSS_SOFTMAX && y[label] == 0)
        label++;
    for (int64_t k = 0; k < t->outputs; k++) {
        const num miss = num_sub(f[k * n], t->loss == LOSS_SOFTMAX ? f[label * n] : num_real(y[k]));
        num_add_to(&sum, t->loss == LOSS_SOFTMAX ? num_exp(miss) : num_mul(miss, miss));
    }
    return t->loss == LOSS_SOFTMAX ? num_log(sum) : num_mul(sum, num_real(0.5));
}

static void check_objective(check *c, const train *t, num beta, num divisor)
{
    num sum = {0};
    for (int64_t i = 0; t->loss != LOSS_EQUALITY && i < c->data.n; i++)
        num_mul_to(&sum, c->data.weight[i], loss_of(c, t, i));
    sum = t->loss == LOSS_EQUALITY ? t->norm : num_add(num_div(sum, divisor), num_mul(beta, t->norm));
    check_bound(c, 1, sum, "the network's objective is");
}

/* For equality: |f_ki - y_ki| <= the residual that is stated. */
static void check_residual(check *c, const train *t)
{
    const num most = *check_numbers(c, "residual", 1);
    for (int64_t k = 0; k < t->outputs * c->data.n; k++) {
        const num rest = num_sub(t->f[k], num_real(target_of(c, t, k)));
        need(c, num_at_most(num_times(rest, num_sign(rest)), most),
             "an output misses its target by more than the stated residual");
    }
}

/* - z ln(z / weight), z >= 0. */
static num entropy(num z, num weight) { return num_sign(z) ? num_mul(z, num_log(num_div(weight, z))) : z; }

/* - c l*(-w / c) of entry k. */
static num dual_term(check *c, const train *t, int64_t k)
{
    const num w = num_mul(t->scale, t->v[k]), y = num_real(target_of(c, t, k)),
              weight = c->data.weight[k % c->data.n];
    if (t->loss == LOSS_EQUALITY)
        return num_mul(y, w);
    if (t->loss == LOSS_SQUARED)
        return num_sub(num_mul(y, w), num_div(num_mul(w, w), num_times(weight, 2)));
    const bool softmax = t->loss == LOSS_SOFTMAX;
    const num p = softmax ? num_sub(num_mul(y, weight), w) : num_mul(y, w),
              rest = num_sub(weight, p); /* c p, c - c p */
    need(c, num_sign(p) >= 0 && (softmax || num_sign(rest) >= 0),
         "entry %lld of the dual point is outside the domain of the conjugate", (long long)k);
    if (t->loss == LOSS_HINGE)
        return p;
    return softmax ? entropy(p, weight) : num_add(entropy(p, weight), entropy(rest, weight));
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
static void check_dual(check *c, train *t, num divisor)
{
    const int64_t n = c->data.n;
    num sum = {0};
    t->scale = *check_numbers(c, "dual", 1);
    t->v = check_numbers(c, NULL, t->outputs * n);
    need(c, num_sign(t->scale) >= 0, "the scale of the dual point is negative");
    for (int64_t i = 0; t->loss == LOSS_SOFTMAX && i < n; i++)
        check_sum(c, t->v + i, t->outputs, n, "the outputs of a row");
    for (int64_t k = 0; c->data.bias == BIAS_FREE && k < t->outputs; k++)
        check_sum(c, t->v + k * n, n, 1, "the rows, as a free constant asks for");
    for (int64_t k = 0; k < t->outputs * n; k++)
        num_add_to(&sum, dual_term(c, t, k));
    check_bound(c, -1, num_div(sum, divisor), "the dual point gives");
}

void check_price(check *c, const train *t, num square, num length)
{
    const num price = num_mul(num_mul(t->scale, t->scale), square);
    need(c, num_at_most(price, num_mul(t->limit, length)), "the dual point is priced above beta");
}

/* |sum_i D_ij v_i x_i'| for every gate j. */
static void check_gate_norms(check *c, const train *t)
{
    const int64_t block = t->outputs * c->data.d;
    num *sum = check_alloc(c, block, sizeof *sum), square = {0};
    for (int64_t j = 0; j < c->gates.m; j++) {
        check_gate_sum(sum, c, t->v, t->outputs, j);
        num_dot(&square, sum, sum, block);
        check_price(c, t, square, num_real(1));
    }
}

/* Within the cone of gate j, where e_i <x_i, u> >= 0 with e_i = +1 or -1 as it is open or closed on point i: for both signs
 * and any mu >= 0 the price is at most |+-sum_i D_ij v_i x_i + sum_i mu_i e_i x_i|. */
static void check_cone_norms(check *c, const train *t)
{
    const dataset *a = &c->data;
    num *sum = check_alloc(c, a->d, sizeof *sum), square = {0};
    need(c, t->outputs == 1 && t->width == a->d, "this evidence is for one output without biases");
    for (int64_t side = 0; side < 2 * c->gates.m; side++) {
        check_gate_sum(sum, c, t->v, 1, side / 2);
        check_line(c, "push");
        for (int64_t k = check_count(c); k > 0; k--) {
            const int64_t i = check_integer(c, NULL, 0, a->n - 1);
            const num mu = *check_numbers(c, NULL, 1);
            need(c, num_sign(mu) >= 0, "a multiplier is negative");
            const bool same =
                c->gates.open[side / 2 * a->n + i] == (side % 2 == 0); /* for -: the sum turned */
            for (int64_t l = 0; l < a->d; l++)
                num_mul_to(sum + l, num_times(mu, same ? 1 : -1), a->point[i * (a->d + 1) + l]);
        }
        num_dot(&square, sum, sum, a->d);
        check_price(c, t, square, num_real(1));
    }
}

/* From `evidence` on. */
static void check_evidence(check *c, train *t, num divisor)
{
    static void (*const prove[])(check *, const train *) = {NULL, check_gate_norms, check_cone_norms,
                                                            check_trees, check_plane};
    enum { NONE, GATES, CONES };
    const int kind = check_choice(c, "evidence", "none gates cones trees plane");
    if (kind == NONE) { /* no loss and no norm is negative */
        need(c, num_sign(c->lower) <= 0 && t->bound == BOUND_NONE, "nothing proves a positive lower bound");
        c->verdict.lower = 0;
        return;
    }
    need(c,
         (kind == GATES) == (t->model == MODEL_GATED) &&
             t->bound >= (kind <= CONES ? BOUND_GATES : BOUND_GLOBAL),
         "this evidence is not for that bound");
    if (kind <= CONES && t->bound == BOUND_GLOBAL)
        check_all_cones(c);
    check_dual(c, t, divisor);
    prove[kind](c, t);
}

void check_claim_train(check *c)
{
    train t = {0};
    t.model = check_choice(c, "model", "relu gated");
    t.loss = check_choice(c, "loss", "squared equality logistic hinge softmax");
    const bool mean = check_choice(c, "scale", "sum mean"), equality = t.loss == LOSS_EQUALITY;
    const num beta = *check_numbers(c, "beta", 1), divisor = num_real(mean ? (double)c->data.n : 1);
    need(c, num_sign(beta) > 0 && !(equality && mean),
         "this is not a problem: beta > 0; equality has no scale");
    t.bound = check_choice(c, "bound", "none gates global");
    check_read_bounds(c);
    t.y = check_targets(c, t.loss > LOSS_EQUALITY, &t.outputs);
    need(c, t.loss <= LOSS_EQUALITY || (t.loss == LOSS_SOFTMAX) == (t.outputs > 1),
         "the targets have %lld columns", (long long)t.outputs);
    const num edge = equality ? divisor : num_mul(divisor, beta);
    t.limit = num_mul(edge, edge);
    read_network(c, &t);
    if (equality)
        check_residual(c, &t);
    check_objective(c, &t, beta, divisor);
    check_evidence(c, &t, divisor);
}

void check_claim_global(check *c)
{
    train t = {.scale = num_real(1)};
    num mass = {0};
    check_read_bounds(c);
    t.y = check_targets(c, true, &t.outputs);
    need(c, t.outputs == 1 && c->data.bias != BIAS_FREE && num_sign(c->upper) >= 0,
         "a global margin is about two classes, without free biases, and not negative");
    read_network(c, &t);
    for (int64_t i = 0; i < c->data.n; i++)
        check_bound(c, -1, num_div(num_times(t.f[i], (int)t.y[i]), t.norm), "the network has the margin");
    t.v = check_numbers(c, "dual", c->data.n);
    for (int64_t i = 0; i < c->data.n; i++) {
        const num size = num_times(t.v[i], (int)t.y[i]);
        need(c, num_sign(size) >= 0, "entry %lld of the dual point has the wrong sign", (long long)i);
        num_add_to(&mass, size);
    }
    need(c, num_sign(mass) > 0, "the dual point is 0");
    t.limit = num_mul(num_mul(mass, c->upper), num_mul(mass, c->upper));
    (check_choice(c, "evidence", "trees plane") ? check_plane : check_trees)(c, &t);
    check_bound(c, 1, c->upper, "");
}
