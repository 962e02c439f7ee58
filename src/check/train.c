/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claim  lower <= min over networks of  (1/N) sum_i c_i l(f_i, y_i) + beta R  <= upper,  N = 1 or n.
 *
 * Above: the objective of the network that is listed, its outputs f_i exact. Below: dual.c.
 * Vectors over the data are outputs x n. Cost: n m d products for the network, n logarithms.
 */
#include <math.h>

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
    const num *w = check_numbers(c, t->outputs + t->width), *u = w + t->outputs;
    int *sign = check_alloc(c, a->n, sizeof *sign);
    arb_t size, length;
    arf_t h;
    arf_init(h), arb_init(size), arb_init(length);
    num_norm(size, w, t->outputs);
    num_norm(length, u, a->d);
    arb_addmul(t->norm, size, length, PRECISION);
    for (int64_t i = 0; i < a->n; i++) {
        num_dot(h, a->point + i * (a->d + 1), u, t->width);
        sign[i] = arf_sgn(h);
        for (int64_t k = 0; sign[i] > 0 && k < t->outputs; k++)
            arf_addmul(t->f + k * a->n + i, w + k, h, EXACT);
    }
    if (t->bound == BOUND_GATES && !in_some_cone(c, sign))
        check_reject(c, "the neuron lies in the cone of no gate");
}

/* f += D_g X w', R += |w|. Words: the gate g, then w (outputs x d). */
static void read_gated(check *c, train *t)
{
    const dataset *a = &c->data;
    const int64_t g = check_integer(c, 0, c->gates.m - 1);
    const num *w = check_numbers(c, t->outputs * a->d);
    arb_t size;
    arf_t h;
    arf_init(h), arb_init(size);
    num_norm(size, w, t->outputs * a->d);
    arb_add(t->norm, t->norm, size, PRECISION);
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t k = 0; c->gates.open[g * a->n + i] && k < t->outputs; k++) {
            num_dot(h, a->point + i * (a->d + 1), w + k * a->d, a->d);
            num_add(t->f + k * a->n + i, h, 1);
        }
}

static void read_network(check *c, train *t)
{
    const int64_t m = check_line_integer(c, "network", 0, INT64_C(1) << 40);
    for (int64_t j = 0; j < m; j++) {
        check_line(c, "neuron");
        if (t->model == MODEL_GATED)
            read_gated(c, t);
        else
            read_neuron(c, t);
        check_end(c);
    }
    const num *constant = check_line_numbers(c, "constant", t->outputs);
    for (int64_t k = 0; k < t->outputs; k++) {
        if (!arf_is_zero(constant + k) && c->data.bias != BIAS_FREE)
            check_reject(c, "the problem has no output constant");
        for (int64_t i = 0; i < c->data.n; i++)
            num_add(t->f + k * c->data.n + i, constant + k, 1);
    }
}

/* l(f_i, y_i), y one-hot for softmax: log sum_k exp(f_k - f_label). */
static void loss_of(arb_t out, const check *c, const train *t, int64_t i)
{
    const double *y = t->y + i * t->outputs;
    const num *f = t->f + i;
    int64_t label = 0;
    arb_t one;
    arb_init(one);
    arb_zero(out);
    for (int64_t k = 0; k < t->outputs; k++)
        label = y[k] == 1 ? k : label;
    for (int64_t k = 0; k < t->outputs; k++) {
        arb_set_d(one, y[k]);
        if (t->loss == LOSS_SQUARED) { /* (f - y)^2 */
            arb_sub_arf(one, one, f + k * c->data.n, PRECISION);
            arb_addmul(out, one, one, PRECISION);
        } else if (t->loss == LOSS_SOFTMAX) {
            arb_set_arf(one, f + k * c->data.n);
            arb_sub_arf(one, one, f + label * c->data.n, PRECISION);
            arb_exp(one, one, PRECISION);
            arb_add(out, out, one, PRECISION);
        } else { /* - y f */
            arb_mul_arf(out, one, f, PRECISION);
            arb_neg(out, out);
        }
    }
    if (t->loss == LOSS_SQUARED)
        arb_mul_2exp_si(out, out, -1);
    if (t->loss == LOSS_LOGISTIC)
        arb_exp(out, out, PRECISION);
    if (t->loss == LOSS_LOGISTIC || t->loss == LOSS_HINGE)
        arb_add_ui(out, out, 1, PRECISION);
    if (t->loss == LOSS_LOGISTIC || t->loss == LOSS_SOFTMAX)
        arb_log(out, out, PRECISION);
    arb_zero(one);
    if (t->loss == LOSS_HINGE)
        arb_max(out, out, one, PRECISION);
    arb_clear(one);
}

/* (1/N) sum_i c_i l_i + beta R, R alone for equality. */
static void check_upper(check *c, train *t, int64_t line)
{
    arb_t sum, one;
    arb_init(sum), arb_init(one);
    for (int64_t i = 0; t->loss != LOSS_EQUALITY && i < c->data.n; i++) {
        loss_of(one, c, t, i);
        if (c->data.weight) {
            arf_t weight;
            arf_init_set_ui(weight, 0);
            arf_set_d(weight, c->data.weight[i]);
            arb_mul_arf(one, one, weight, PRECISION);
        }
        arb_add(sum, sum, one, PRECISION);
    }
    if (t->mean)
        arb_div_si(sum, sum, (slong)c->data.n, PRECISION);
    if (t->loss == LOSS_EQUALITY)
        arb_set(sum, t->norm);
    else
        arb_addmul_arf(sum, t->norm, t->beta, PRECISION);
    c->verdict.upper = ball_end(sum, 1);
    if (!ball_at_most(sum, t->upper))
        check_fail(c, 4, "line %lld: the network's objective is %.17g, above what is claimed",
                   (long long)line, c->verdict.upper);
}

/* For equality: |f_ki - y_ki| <= the residual that is stated. */
static void check_residual(check *c, const train *t)
{
    const num *most = check_line_numbers(c, "residual", 1);
    arf_t rest, y;
    arf_init(rest), arf_init(y);
    for (int64_t k = 0; k < t->outputs * c->data.n; k++) {
        arf_set_d(y, t->y[k % c->data.n * t->outputs + k / c->data.n]);
        arf_sub(rest, t->f + k, y, EXACT);
        if (arf_cmpabs(rest, most) > 0 || arf_sgn(most) < 0)
            check_reject(c, "an output misses its target by more than the stated residual");
    }
}

void check_claim_train(check *c)
{
    train t = {0};
    arf_t one;
    t.model = check_line_choice(c, "model", "relu gated");
    t.loss = check_line_choice(c, "loss", "squared logistic hinge softmax equality");
    t.mean = check_line_choice(c, "scale", "sum mean") == 1;
    t.beta = check_line_numbers(c, "beta", 1);
    if (arf_sgn(t.beta) <= 0 || (t.loss == LOSS_EQUALITY && t.mean))
        check_reject(c, "this is not a problem: beta > 0; equality has no scale");
    t.bound = check_line_choice(c, "bound", "none gates global");
    t.upper = check_line_numbers(c, "upper", 1);
    t.lower = check_line_numbers(c, "lower", 1);
    const int64_t line = c->line;
    check_code_targets(c, t.loss, &t.y, &t.outputs);
    if ((t.loss == LOSS_SOFTMAX) != (t.outputs > 1 && t.loss != LOSS_SQUARED && t.loss != LOSS_EQUALITY))
        check_reject(c, "the targets have %lld columns", (long long)t.outputs);
    t.hidden_bias = t.model == MODEL_RELU && c->data.bias == BIAS_FREE;
    t.width = c->data.d + t.hidden_bias;
    t.f = check_alloc(c, t.outputs * c->data.n, sizeof *t.f);
    arb_init(t.norm);
    arf_init(&t.limit), arf_init_set_si(one, t.mean ? (slong)c->data.n : 1);
    num_mul(&t.limit, one, t.beta); /* N beta, or 1 for equality, squared */
    arf_set(&t.limit, t.loss == LOSS_EQUALITY ? one : &t.limit);
    num_mul(&t.limit, &t.limit, &t.limit);
    read_network(c, &t);
    if (t.loss == LOSS_EQUALITY)
        check_residual(c, &t);
    check_upper(c, &t, line - 1);
    check_dual(c, &t, line);
}

/* The least y_i f_i / R of the network is as claimed. */
static void check_least(check *c, const train *t, int64_t line)
{
    arb_t one;
    arb_init(one);
    c->verdict.lower = INFINITY;
    for (int64_t i = 0; i < c->data.n; i++) {
        arb_set_arf(one, t->f + i);
        arb_mul_si(one, one, (slong)t->y[i], PRECISION);
        arb_div(one, one, t->norm, PRECISION);
        c->verdict.lower = fmin(c->verdict.lower, ball_end(one, -1));
        if (!ball_at_least(one, t->lower))
            check_fail(c, 4, "line %lld: the network has the margin %.17g, below what is claimed",
                       (long long)line, c->verdict.lower);
    }
}

/* The claim  lower <= max over networks with R <= 1 of min_i y_i f_i <= upper.  Below: the network that is listed. Above: for v with
 * y_i v_i >= 0, min_i y_i f_i <= sum_i v_i f_i / sum_i |v_i| <= p(v) / sum_i |v_i|. */
void check_claim_global(check *c)
{
    arf_t mass, one;
    train t = {.upper = check_line_numbers(c, "upper", 1), .lower = check_line_numbers(c, "lower", 1)};
    const int64_t line = c->line;
    check_code_targets(c, LOSS_HINGE, &t.y, &t.outputs);
    if (t.outputs != 1 || c->data.bias == BIAS_FREE || arf_sgn(t.upper) < 0)
        check_reject(c, "a global margin is about two classes, without free biases, and not negative");
    t.width = c->data.d;
    t.f = check_alloc(c, c->data.n, sizeof *t.f);
    arb_init(t.norm), arf_init(&t.limit), arf_init(mass), arf_init_set_ui(one, 1);
    read_network(c, &t);
    check_least(c, &t, line);
    t.v = t.w = check_line_numbers(c, "dual", c->data.n);
    t.scale = one;
    for (int64_t i = 0; i < c->data.n; i++) {
        if (arf_sgn(t.v + i) * t.y[i] < 0)
            check_reject(c, "entry %lld of the dual point has the wrong sign", (long long)i);
        num_add(mass, t.v + i, arf_sgn(t.v + i));
    }
    if (arf_is_zero(mass))
        check_reject(c, "the dual point is 0");
    num_mul(&t.limit, mass, t.upper);
    num_mul(&t.limit, &t.limit, &t.limit);
    if (check_line_choice(c, "evidence", "trees plane") == 0)
        check_trees(c, &t);
    else
        check_plane(c, &t);
    c->verdict.upper = arf_get_d(t.upper, ARF_RND_CEIL);
}
