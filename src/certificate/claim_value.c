/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a claim about training as the checker will find them, in balls: the dual function at the dual point, and what the
 * listed network attains (docs/reference/certificate.md, Sec. 3). */
#include "claim_exact.h"

#include "claim_balls.h"
#include "loss_row.h"

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

/* out += z ln(weight / z), z >= 0. */
static void add_entropy(arb_t out, const arb_t z, double weight)
{
    arb_t t;
    if (arb_is_zero(z))
        return;
    arb_init(t);
    arb_set_d(t, weight);
    arb_div(t, t, z, BITS);
    arb_log(t, t, BITS);
    arb_addmul(out, z, t, BITS);
    arb_clear(t);
}

/* The ends of the box, exactly: the least and the largest slope by r = y - f. */
static void set_ends(arb_t low, arb_t high, const fathom_claim *c)
{
    arb_set_d(high, c->box.above);
    arb_neg(low, high);
    if (c->loss == FATHOM_LOSS_QUANTILE)
        arb_sub_si(low, high, 1, ARF_PREC_EXACT);
}

/* Whether weight low <= w <= weight high. */
static bool in_box(const fathom_claim *c, const arb_t w, double weight)
{
    arb_t low, high, t;
    arb_init(low), arb_init(high), arb_init(t);
    set_ends(low, high, c);
    arb_set_d(t, weight);
    arb_mul(low, low, t, ARF_PREC_EXACT);
    arb_mul(high, high, t, ARF_PREC_EXACT);
    const bool inside = arb_le(low, w) && arb_le(w, high);
    arb_clear(low), arb_clear(high), arb_clear(t);
    return inside;
}

/* sum = l(r), r = y - f: with its ends low and high for slopes, max(low r, high r), or the square between them. */
static void boxed_loss(arb_t sum, const fathom_claim *c, const arb_t f, double y)
{
    arb_t r, low, high, t;
    arb_init(r), arb_init(low), arb_init(high), arb_init(t);
    set_ends(low, high, c);
    arb_set_d(r, y);
    arb_sub(r, r, f, BITS);
    if (fathom_loss_row_of(c->loss)->dual == FATHOM_DUAL_LINEAR) {
        arb_mul(low, low, r, BITS);
        arb_mul(high, high, r, BITS);
        arb_max(sum, low, high, BITS);
    } else { /* with v = r kept between the ends: v (r - v / 2) */
        arb_max(t, r, low, BITS);
        arb_min(t, t, high, BITS);
        arb_mul_2exp_si(sum, t, -1);
        arb_sub(sum, r, sum, BITS);
        arb_mul(sum, sum, t, BITS);
    }
    arb_clear(r), arb_clear(low), arb_clear(high), arb_clear(t);
}

/* out += -c l*(-w / c) of output k and point i, w = s v; false outside the domain. */
static bool add_dual(arb_t out, const fathom_claim *c, double s, int64_t k, int64_t i)
{
    const fathom_loss_row *row = fathom_loss_row_of(c->loss);
    const double weight = weight_of(c, i), y = c->y[i * c->outputs + k];
    arb_t w, p, rest;
    bool inside = true;
    arb_init(w), arb_init(p), arb_init(rest);
    arb_set_d(w, s);
    arb_set_d(p, c->v[k * c->n + i]);
    arb_mul(w, w, p, ARF_PREC_EXACT);
    arb_set_d(p, y);
    if (row->boxed && !c->equality)
        inside = in_box(c, w, weight);
    if (c->equality || row->numbers) {
        arb_addmul(out, p, w, BITS);
        arb_mul(w, w, w, BITS);
        arb_set_d(p, weight);
        arb_mul_2exp_si(p, p, 1);
        arb_div(w, w, p, BITS);
        if (!c->equality && row->dual == FATHOM_DUAL_QUADRATIC)
            arb_sub(out, out, w, BITS);
    } else {
        arb_set_d(rest, weight);
        arb_mul(p, p, row->simplex ? rest : w, ARF_PREC_EXACT);
        if (row->simplex)
            arb_sub(p, p, w, ARF_PREC_EXACT);
        arb_sub(rest, rest, p, ARF_PREC_EXACT);
        inside = arb_is_nonnegative(p) && arb_is_nonnegative(rest);
        if (inside && row->dual == FATHOM_DUAL_LINEAR)
            arb_add(out, out, p, BITS);
        else if (inside)
            add_entropy(out, p, weight);
        if (inside && row->dual == FATHOM_DUAL_ENTROPY && row->signs)
            add_entropy(out, rest, weight);
    }
    arb_clear(w), arb_clear(p), arb_clear(rest);
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
    const int64_t o = c->outputs;
    arb_t sum, yf, t;
    arb_init(sum), arb_init(yf), arb_init(t);
    for (int64_t k = 0; k < o; k++) {
        arb_set_d(t, c->y[i * o + k]);
        arb_addmul(yf, t, f + k, BITS);
        arb_sub(t, f + k, t, BITS);
        arb_addmul(sum, t, t, BITS);
    }
    if (fathom_loss_row_of(c->loss)->boxed)
        boxed_loss(sum, c, f, c->y[i]);
    else if (c->loss == FATHOM_LOSS_SQUARED)
        arb_mul_2exp_si(sum, sum, -1);
    else if (c->loss == FATHOM_LOSS_HINGE) {
        arb_sub_si(sum, yf, 1, BITS);
        arb_neg(sum, sum);
        arb_nonnegative_part(sum, sum);
    } else {
        const bool logistic = c->loss == FATHOM_LOSS_LOGISTIC;
        bool one = logistic; /* a term that is 1: left to log1p */
        arb_zero(sum);
        for (int64_t k = 0; k < o; k++) {
            if (!logistic && !one && c->y[i * o + k] == 1) {
                one = true; /* y is a unit vector: f_k - yf = 0 */
                continue;
            }
            if (logistic)
                arb_neg(t, yf);
            else
                arb_sub(t, f + k, yf, BITS);
            arb_exp(t, t, BITS);
            arb_add(sum, sum, t, BITS);
        }
        if (one)
            arb_log1p(sum, sum, BITS);
        else
            arb_log(sum, sum, BITS);
    }
    arb_set_d(t, weight_of(c, i));
    arb_addmul(out, t, sum, BITS);
    arb_clear(sum), arb_clear(yf), arb_clear(t);
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
