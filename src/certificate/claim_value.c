/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a claim about training as the checker will find them, in balls: the dual function at the dual point, and what the
 * listed network attains (docs/reference/certificate.md, Sec. 3). */
#include "claim_exact.h"

#include "balls.h"
#include "loss_exact.h"

static double weight_of(const fathom_claim *c, int64_t i) { return c->weight ? c->weight[i] : 1; }

/* Whether count numbers, `step` apart, sum to 0. */
static bool vanishes(const double *v, int64_t count, int64_t step)
{
    arb_t sum, term;
    arb_init(sum), arb_init(term);
    for (int64_t k = 0; k < count; k++) {
        arb_set_d(term, v[k * step]);
        arb_add(sum, sum, term, ARF_PREC_EXACT);
    }
    const bool zero = arb_is_zero(sum);
    arb_clear(sum), arb_clear(term);
    return zero;
}

bool fathom_exact_balanced(const fathom_claim *c)
{
    bool all = true;
    for (int64_t k = 0; k < c->outputs && c->constant; k++)
        all = all && vanishes(c->v + k * c->n, c->n, 1);
    for (int64_t i = 0; i < c->n && fathom_loss_row_of(c->loss)->simplex; i++)
        all = all && vanishes(c->v + i, c->outputs, c->n);
    return all;
}

/* out += -c l*(-w / c) of output k and point i, w = s v, or y w for equality; false outside the domain. */
static bool add_dual(arb_t out, const fathom_claim *c, double s, int64_t k, int64_t i)
{
    const fathom_loss_row *row = fathom_loss_row_of(c->loss);
    const double y = c->y[i * c->outputs + k];
    bool inside = true;
    arb_t w, t;
    arb_init(w), arb_init(t);
    arb_set_d(w, s);
    arb_set_d(t, c->v[k * c->n + i]);
    arb_mul(w, w, t, ARF_PREC_EXACT);
    arb_set_d(t, y);
    if (c->equality)
        arb_addmul(out, t, w, BITS);
    else
        inside = row->exact->add_dual(out, row, &c->box, w, y, weight_of(c, i));
    arb_clear(w), arb_clear(t);
    return inside;
}

double fathom_exact_dual(const fathom_claim *c, double s)
{
    bool inside = true;
    arb_t sum, divisor;
    arb_init(sum), arb_init(divisor);
    for (int64_t k = 0; k < c->outputs * c->n && inside; k++)
        inside = add_dual(sum, c, s, k / c->n, k % c->n);
    arb_set_d(divisor, c->divisor);
    arb_div(sum, sum, divisor, BITS);
    const double lower = inside ? end_of(sum, -1) : -INFINITY;
    arb_clear(sum), arb_clear(divisor);
    return lower;
}

/* f (n x outputs) += w relu(<x, u> + b), norm += |w||u|. */
static void add_neuron(arb_ptr f, arb_t norm, const fathom_claim *c, const fathom_net_weights *net, int64_t j)
{
    const int64_t n = c->n, d = c->d, o = c->outputs;
    arb_ptr u = _arb_vec_init(2 * d + o), x = u + d, w = x + d;
    arb_t h, length;
    arb_init(h), arb_init(length);
    set_all(u, net->u + j * d, d);
    set_all(w, net->w + j * o, o);
    for (int64_t i = 0; i < n; i++) {
        set_all(x, c->x + i * d, d);
        arb_set_d(h, net->b ? net->b[j] : 0);
        arb_dot(h, h, 0, x, 1, u, 1, d, 4 * BITS); /* exact where numbers are of one size: its sign decides */
        if (arb_is_positive(h) || arb_contains_zero(h))
            for (int64_t k = 0; k < o; k++) {
                if (!arb_is_positive(h))
                    arb_nonnegative_part(h, h);
                arb_addmul(f + i * o + k, w + k, h, BITS);
            }
    }
    arb_dot(h, NULL, 0, u, 1, u, 1, d, BITS);
    arb_dot(length, NULL, 0, w, 1, w, 1, o, BITS);
    arb_mul(h, h, length, BITS);
    arb_sqrtpos(h, h, BITS);
    arb_add(norm, norm, h, BITS);
    arb_clear(h), arb_clear(length);
    _arb_vec_clear(u, 2 * d + o);
}

/* f += D_g X w', norm += |w|. */
static void add_gated(arb_ptr f, arb_t norm, const fathom_claim *c, const fathom_proof *proof, int64_t j)
{
    const int64_t n = c->n, d = c->d, o = c->outputs;
    const uint64_t *bits = proof->bits + proof->gate[j] * proof->words;
    arb_ptr w = _arb_vec_init(o * d + d), x = w + o * d;
    arb_t h;
    arb_init(h);
    set_all(w, proof->w + j * o * d, o * d);
    for (int64_t i = 0; i < n; i++) {
        set_all(x, c->x + i * d, d);
        for (int64_t k = 0; k < o && bits[i / 64] >> (i % 64) & 1; k++)
            arb_dot(f + i * o + k, f + i * o + k, 0, x, 1, w + k * d, 1, d, BITS);
    }
    arb_dot(h, NULL, 0, w, 1, w, 1, o * d, BITS);
    arb_sqrtpos(h, h, BITS);
    arb_add(norm, norm, h, BITS);
    arb_clear(h);
    _arb_vec_clear(w, o * d + d);
}

/* out += c l(f_i, y_i). */
static void add_loss(arb_t out, const fathom_claim *c, arb_srcptr f, int64_t i)
{
    const fathom_loss_row *row = fathom_loss_row_of(c->loss);
    arb_t value, weight;
    arb_init(value), arb_init(weight);
    row->exact->value(value, row, &c->box, f, c->y + i * c->outputs, c->outputs);
    arb_set_d(weight, weight_of(c, i));
    arb_addmul(out, weight, value, BITS);
    arb_clear(value), arb_clear(weight);
}

/* The largest |f - y|, rounded up. */
static double largest_miss(const fathom_claim *c, arb_srcptr f)
{
    double largest = 0;
    arb_t t;
    arb_init(t);
    for (int64_t k = 0; k < c->n * c->outputs; k++) {
        arb_set_d(t, c->y[k]);
        arb_sub(t, f + k, t, BITS);
        arb_abs(t, t);
        largest = fmax(largest, end_of(t, 1));
    }
    arb_clear(t);
    return largest;
}

double fathom_exact_objective(double *residual, const fathom_claim *c, const fathom_net_weights *net,
                              int64_t m, const fathom_proof *gated)
{
    const int64_t n = c->n, o = c->outputs;
    const double *constant = gated ? gated->c : net->c;
    arb_ptr f = _arb_vec_init(n * o);
    arb_t norm, sum, t;
    arb_init(norm), arb_init(sum), arb_init(t);
    for (int64_t k = 0; k < n * o; k++)
        arb_set_d(f + k, constant[k % o]);
    for (int64_t j = 0; j < (gated ? gated->used : m); j++)
        if (gated)
            add_gated(f, norm, c, gated, j);
        else
            add_neuron(f, norm, c, net, j);
    for (int64_t i = 0; i < n && !c->equality; i++)
        add_loss(sum, c, f + i * o, i);
    arb_set_d(t, c->divisor);
    arb_div(sum, sum, t, BITS);
    arb_set_d(t, c->beta);
    arb_addmul(sum, t, norm, BITS);
    const double upper = end_of(sum, 1);
    *residual = c->equality ? largest_miss(c, f) : 0;
    arb_clear(norm), arb_clear(sum), arb_clear(t);
    _arb_vec_clear(f, n * o);
    return upper;
}
