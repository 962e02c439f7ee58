/* SPDX-License-Identifier: Apache-2.0 */
/* The price of several outputs in the positive orthant as the checker will find it, in balls: the root of the
 * largest sum_j max(0, <V_i, V_j>) sum_l |<x_j, x_l>| w_l / w_i (docs/reference/certificate.md, Sec. 5).
 * O(n^2 (d + outputs)). */
#include <math.h>

#include "balls.h"
#include "claim_exact.h"

/* sum_l |<x_j, x_l>| w_l; x is n x d. */
static void add_masses(arb_ptr mass, arb_srcptr x, const fathom_claim *c, const double *w)
{
    arb_t product, weight;
    arb_init(product), arb_init(weight);
    for (int64_t j = 0; j < c->n; j++)
        for (int64_t l = 0; l < c->n; l++) {
            arb_dot(product, NULL, 0, x + j * c->d, 1, x + l * c->d, 1, c->d, BITS);
            arb_abs(product, product);
            arb_set_d(weight, w[l]);
            arb_addmul(mass + j, product, weight, BITS);
        }
    arb_clear(product), arb_clear(weight);
}

/* sum_j max(0, <V_i, V_j>) mass_j; v is outputs x n. */
static void add_products(arb_t sum, arb_srcptr mass, arb_srcptr v, const fathom_claim *c, int64_t i)
{
    arb_t product;
    arb_init(product);
    arb_zero(sum);
    for (int64_t j = 0; j < c->n; j++) {
        arb_dot(product, NULL, 0, v + i, c->n, v + j, c->n, c->outputs, BITS);
        if (!arb_is_nonpositive(product))
            arb_addmul(sum, product, mass + j, BITS);
    }
    arb_clear(product);
}

double fathom_exact_orthant(const fathom_proof *proof, const fathom_claim *c)
{
    double largest = 0;
    arb_t sum, weight;
    arb_ptr x = _arb_vec_init(c->n * c->d), v = _arb_vec_init(c->outputs * c->n), mass = _arb_vec_init(c->n);
    arb_init(sum), arb_init(weight);
    set_all(x, c->x, c->n * c->d);
    set_all(v, c->v, c->outputs * c->n);
    add_masses(mass, x, c, proof->orthant);
    for (int64_t i = 0; i < c->n; i++) {
        add_products(sum, mass, v, c, i);
        arb_set_d(weight, proof->orthant[i]);
        arb_div(sum, sum, weight, BITS);
        arb_sqrtpos(sum, sum, BITS);
        largest = fmax(largest, end_of(sum, 1));
    }
    arb_clear(sum), arb_clear(weight);
    _arb_vec_clear(x, c->n * c->d);
    _arb_vec_clear(v, c->outputs * c->n);
    _arb_vec_clear(mass, c->n);
    return largest * (1 + 0x1p-50);
}
