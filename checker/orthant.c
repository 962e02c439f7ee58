/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices of several outputs in the positive orthant, where all t_i = relu(<x_i, u>) are: with any weights
 * w > 0,
 *
 *     sum_j max(0, <V_i, V_j>) g_j <= P^2 w_i for every i,        g_j = sum_l |<x_j, x_l>| w_l,
 *
 * proves |sum_i t_i V_i| <= P for all |u| <= 1 (docs/reference/certificate.md, Sec. 5). The line "orthant
 * w.." has the weights, and P = N beta / s is what the price may be. Everything is exact. Cost: n^2 (d +
 * outputs) products.
 */
#include "checker.h"

/* g (n). */
static num *add_masses(check *c, const num *w)
{
    const int64_t n = c->data.n, d = c->data.d;
    num *mass = check_alloc(c, n, sizeof *mass), product = {0};
    for (int64_t j = 0; j < n; j++) {
        for (int64_t l = 0; l < n; l++) {
            num_dot(&product, c->data.point + j * (d + 1), c->data.point + l * (d + 1), d);
            arb_abs(&product, &product);
            num_mul_to(mass + j, product, w[l]);
        }
    }
    return mass;
}

void check_orthant(check *c, const train *t)
{
    const int64_t n = c->data.n, o = c->data.outputs;
    const num *w = check_numbers(c, "orthant", n);
    need(c, t->width == c->data.d, "this evidence is for networks without biases");
    for (int64_t i = 0; i < n; i++)
        need(c, num_sign(w[i]) > 0, "weight %lld of the orthant is not positive", (long long)i);
    check_work(c, (double)n * (double)n * (double)(c->data.d + o)); /* the zeros too */
    const num *mass = add_masses(c, w);
    num product = {0};
    for (int64_t i = 0; i < n; i++) {
        num sum = {0};
        for (int64_t j = 0; j < n; j++) {
            arb_zero(&product);
            for (int64_t k = 0; k < o; k++)
                num_mul_to(&product, t->v[k * n + i], t->v[k * n + j]);
            if (num_sign(product) > 0)
                num_mul_to(&sum, product, mass[j]);
        }
        check_price(c, t, sum, w[i]);
    }
}
