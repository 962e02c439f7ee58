/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claim  lower <= min over networks of  (1/N) sum_i c_i l(f_i, y_i) + beta R  <= upper,  N = 1 or n.
 *
 * Above: the objective of the network that is listed, its outputs f_i as exact integers. Below: with w = s v,
 *
 *     D(w) = - sum_i c_i l*(-w_i / c_i),   |Lambda(w)| <= N beta,   sum_i w_i = 0 where the output constant is free
 *
 * gives D(w) / N [weak duality; docs/certificate.md, Sec. 3]; |Lambda(w)| <= N beta is what the evidence proves.
 * Vectors over the data are outputs x n. Cost: n m d products of integers for the network, n logarithms.
 */
#include <string.h>

#include "ball.h"
#include "train_claim.h"

static const char *const losses[] = {"squared", "logistic", "hinge", "softmax", "equality", NULL};

/* --- the network --- */

/* Column by column the data as integers, with a last column of ones where hidden units have free biases. */
static void make_points(check *c, train *t)
{
    const dataset *a = &c->data;
    t->width = a->d + (t->model == MODEL_RELU && a->bias == BIAS_FREE);
    double *x = check_alloc(c, a->n * t->width, sizeof *x);
    for (int64_t i = 0; i < a->n; i++) {
        x[i * t->width + t->width - 1] = 1;
        memcpy(x + i * t->width, a->x + i * a->d, (size_t)a->d * sizeof *x);
    }
    grid_from_doubles(c, &t->x, x, a->n * t->width);
    check_free(c, x);
}

/* out += sqrt(sum of the squares of count integers 2^e), and the same with a factor before. */
static void add_norm(arb_t out, const mpz_t *z, int64_t count, int64_t e, const arb_t factor)
{
    mpz_t sum;
    arb_t ball;
    mpz_init(sum);
    arb_init(ball);
    for (int64_t k = 0; k < count; k++)
        mpz_addmul(sum, z[k], z[k]);
    ball_set(ball, sum, 2 * e);
    arb_sqrt(ball, ball, PRECISION);
    if (factor)
        arb_mul(ball, ball, factor, PRECISION);
    arb_add(out, out, ball, PRECISION);
    arb_clear(ball);
    mpz_clear(sum);
}

/* <row i of the data, u>. */
static void product(mpz_t out, const train *t, int64_t i, const mpz_t *u)
{
    mpz_set_ui(out, 0);
    for (int64_t k = 0; k < t->width; k++)
        mpz_addmul(out, t->x.z[i * t->width + k], u[k]);
}

/* f += w relu(X u), R += |w||u|. Words: w (outputs), u (d), and b where biases are free. */
static void read_neuron(check *c, train *t, int64_t j)
{
    grid w, u;
    arb_t size;
    mpz_t h;
    arb_t zero;
    dyadic *numbers = check_numbers(c, t->outputs + t->width);
    grid_from(c, &w, numbers, t->outputs);
    grid_from(c, &u, numbers + t->outputs, t->width);
    check_free(c, numbers);
    (void)j;
    arb_init(size);
    arb_init(zero);
    mpz_init(h);
    add_norm(size, (const mpz_t *)w.z, t->outputs, w.e, NULL);
    add_norm(t->norm, (const mpz_t *)u.z, c->data.d, u.e, size);
    for (int64_t i = 0; i < c->data.n; i++) {
        product(h, t, i, (const mpz_t *)u.z);
        if (mpz_sgn(h) <= 0)
            continue;
        for (int64_t k = 0; k < t->outputs; k++) {
            mpz_t one;
            mpz_init(one);
            mpz_mul(one, h, w.z[k]);
            ball_set(zero, one, t->x.e + u.e + w.e);
            arb_add(t->f + k * c->data.n + i, t->f + k * c->data.n + i, zero, PRECISION);
            mpz_clear(one);
        }
    }
    mpz_clear(h);
    arb_clear(zero);
    arb_clear(size);
    grid_clear(c, &u);
    grid_clear(c, &w);
}

/* f += D_g X w', R += |w|. Words: the gate g, then w (outputs x d). */
static void read_gated(check *c, train *t)
{
    grid w;
    arb_t ball;
    mpz_t h;
    if (c->gates.m == 0)
        check_fail(c, 4, "line %lld: there are no gates", (long long)c->line);
    const int64_t g = check_integer(c, 0, c->gates.m - 1), block = t->outputs * c->data.d;
    const uint64_t *bits = c->gates.bits + g * c->gates.words;
    dyadic *numbers = check_numbers(c, block);
    grid_from(c, &w, numbers, block);
    check_free(c, numbers);
    arb_init(ball);
    mpz_init(h);
    add_norm(t->norm, (const mpz_t *)w.z, block, w.e, NULL);
    for (int64_t i = 0; i < c->data.n; i++)
        for (int64_t k = 0; (bits[i / 64] >> (i % 64) & 1) && k < t->outputs; k++) {
            product(h, t, i, (const mpz_t *)w.z + k * c->data.d);
            ball_set(ball, h, t->x.e + w.e);
            arb_add(t->f + k * c->data.n + i, t->f + k * c->data.n + i, ball, PRECISION);
        }
    mpz_clear(h);
    arb_clear(ball);
    grid_clear(c, &w);
}

static void read_network(check *c, train *t)
{
    arb_t ball;
    check_next_line(c, "network");
    const int64_t m = check_integer(c, 0, INT64_C(1) << 40);
    check_line_end(c);
    for (int64_t j = 0; j < m; j++) {
        check_next_line(c, "neuron");
        if (t->model == MODEL_GATED)
            read_gated(c, t);
        else
            read_neuron(c, t, j);
        check_line_end(c);
    }
    check_next_line(c, "constant");
    arb_init(ball);
    for (int64_t k = 0; k < t->outputs; k++) {
        const dyadic constant = check_number(c);
        if (constant.m != 0 && c->data.bias != BIAS_FREE) {
            arb_clear(ball);
            check_fail(c, 4, "line %lld: the problem has no output constant", (long long)c->line);
        }
        ball_set_dyadic(ball, &constant);
        for (int64_t i = 0; i < c->data.n; i++)
            arb_add(t->f + k * c->data.n + i, t->f + k * c->data.n + i, ball, PRECISION);
    }
    arb_clear(ball);
    check_line_end(c);
}

/* --- values --- */

/* l(f_i, y_i), y one-hot for softmax. */
static void loss_of(arb_t out, const train *t, int64_t n, int64_t i)
{
    arb_t one;
    arb_init(one);
    arb_zero(out);
    for (int64_t k = 0; k < t->outputs; k++) {
        arb_set_d(one, t->y[i * t->outputs + k]); /* exact */
        if (t->loss == LOSS_SQUARED) {
            arb_sub(one, t->f + k * n + i, one, PRECISION);
            arb_mul(one, one, one, PRECISION);
            arb_mul_2exp_si(one, one, -1);
            arb_add(out, out, one, PRECISION);
        } else if (t->loss == LOSS_SOFTMAX) {
            arb_set(one, t->f + k * n + i);
            arb_sub(one, one, t->f + t->label[i] * n + i, PRECISION);
            arb_exp(one, one, PRECISION);
            arb_add(out, out, one, PRECISION);
        } else {
            arb_mul(one, one, t->f + i, PRECISION);
            arb_neg(one, one);
            if (t->loss == LOSS_LOGISTIC)
                arb_exp(one, one, PRECISION);
            arb_add_ui(out, one, 1, PRECISION);
        }
    }
    if (t->loss == LOSS_LOGISTIC || t->loss == LOSS_SOFTMAX)
        arb_log(out, out, PRECISION);
    arb_zero(one);
    if (t->loss == LOSS_HINGE)
        arb_max(out, out, one, PRECISION);
    arb_clear(one);
}

/* (1/N) sum_i c_i l_i + beta R, R alone for equality. */
static void upper_value(arb_t out, check *c, train *t)
{
    arb_t one;
    arb_init(one);
    arb_zero(out);
    for (int64_t i = 0; t->loss != LOSS_EQUALITY && i < c->data.n; i++) {
        loss_of(one, t, c->data.n, i);
        if (c->data.weight) {
            arb_t weight;
            arb_init(weight);
            arb_set_d(weight, c->data.weight[i]);
            arb_mul(one, one, weight, PRECISION);
            arb_clear(weight);
        }
        arb_add(out, out, one, PRECISION);
    }
    if (t->mean)
        arb_div_si(out, out, (slong)c->data.n, PRECISION);
    ball_set_dyadic(one, &t->beta);
    if (t->loss != LOSS_EQUALITY)
        arb_mul(one, one, t->norm, PRECISION);
    else
        arb_set(one, t->norm);
    arb_add(out, out, one, PRECISION);
    arb_clear(one);
}

/* For equality: |f_ki - y_ki| <= the residual that is stated. */
static void check_residual(check *c, train *t)
{
    arb_t one;
    bool good = true;
    check_next_line(c, "residual");
    const dyadic most = check_number(c);
    check_line_end(c);
    arb_init(one);
    for (int64_t i = 0; i < c->data.n; i++)
        for (int64_t k = 0; k < t->outputs; k++) {
            arb_set_d(one, t->y[i * t->outputs + k]);
            arb_sub(one, t->f + k * c->data.n + i, one, PRECISION);
            arb_abs(one, one);
            good = good && ball_at_most(one, &most);
        }
    arb_clear(one);
    if (!good)
        check_fail(c, 4, "line %lld: an output misses its target by more than the stated residual",
                   (long long)c->line);
}

/* --- one claim --- */

static void train_open(check *c, train *t)
{
    t->f = check_alloc(c, t->outputs * c->data.n, sizeof *t->f); /* zeroed memory is a ball of 0 */
    t->label = check_alloc(c, c->data.n, sizeof *t->label);
    for (int64_t i = 0; i < c->data.n; i++)
        for (int64_t k = 0; k < t->outputs; k++)
            if (t->y[i * t->outputs + k] == 1)
                t->label[i] = k;
    arb_init(t->norm);
    make_points(c, t);
}

static void train_close(check *c, train *t)
{
    for (int64_t k = 0; k < t->outputs * c->data.n; k++)
        arb_clear(t->f + k);
    arb_clear(t->norm);
    check_free(c, t->f);
    check_free(c, t->label);
    grid_clear(c, &t->x);
}

static void read_head(check *c, train *t)
{
    static const char *const models[] = {"relu", "gated", NULL}, *const scales[] = {"sum", "mean", NULL};
    static const char *const bounds[] = {"none", "gates", "global", NULL};
    check_next_line(c, "model");
    t->model = check_choice(c, models);
    check_line_end(c);
    check_next_line(c, "loss");
    t->loss = check_choice(c, losses);
    check_line_end(c);
    check_next_line(c, "scale");
    t->mean = check_choice(c, scales) == 1;
    check_line_end(c);
    check_next_line(c, "beta");
    t->beta = check_number(c);
    check_line_end(c);
    check_next_line(c, "bound");
    t->bound = check_choice(c, bounds);
    check_line_end(c);
    if (t->beta.m <= 0 || (t->loss == LOSS_EQUALITY && t->mean))
        check_fail(c, 4, "line %lld: this is not a problem: beta > 0; equality has no scale",
                   (long long)c->line);
    check_next_line(c, "upper");
    t->upper = check_number(c);
    check_line_end(c);
    check_next_line(c, "lower");
    t->lower = check_number(c);
    check_line_end(c);
}

void check_claim_train(check *c)
{
    train t = {0};
    arb_t value;
    read_head(c, &t);
    const int64_t line = c->line;
    check_code_targets(c, t.loss, &t.y, &t.outputs);
    if ((t.loss == LOSS_SOFTMAX) != (t.outputs > 1 && t.loss != LOSS_SQUARED && t.loss != LOSS_EQUALITY))
        check_fail(c, 4, "line %lld: the targets have %lld columns", (long long)line, (long long)t.outputs);
    train_open(c, &t);
    read_network(c, &t);
    if (t.loss == LOSS_EQUALITY)
        check_residual(c, &t);
    arb_init(value);
    upper_value(value, c, &t);
    const bool above = ball_at_most(value, &t.upper);
    c->verdict.upper = ball_upper(value);
    arb_clear(value);
    if (!above)
        check_fail(c, 4, "line %lld: the network's objective is %.17g, above what is claimed",
                   (long long)line - 1, c->verdict.upper);
    check_dual(c, &t, line);
    train_close(c, &t);
}
