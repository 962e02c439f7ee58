/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claim that a network is a KKT point of the largest margin, where gradient flows end
 * (docs/reference/certificate.md, Sec. 6): p_i = y_i sum_j w_j s(<u_j, x_i>), s(t) = max(t, a t), 0 <= a < 1,
 * and W the u_j, or both the u_j and the w_j; with m = min_i p_i > 0, multipliers l >= 0, not all 0, and
 * slopes c_ji, which are 1 where <u_j, x_i> > 0 and a where it is < 0,
 *
 *     |W - sum_i l_i g_i| <= R |W|,    sum_i l_i (p_i - m) <= S m sum_i l_i,
 *     g_i: w_j y_i c_ji x_i for u_j and y_i s(<u_j, x_i>) for w_j, a Clarke gradient of p_i
 *
 * At a kink, |<u_j, x_i>| <= K |u_j||x_i|, the certificate may list c_ji in [a, 1]. All of it is exact but
 * for the margin, m / |W|, or m / |W|^2 of both layers, which is enclosed. Cost: 2 n m d products.
 */
#include <string.h>

#include "checker.h"

typedef struct limit {
    bool both;
    num slope;            /* a */
    const num *bound;     /* R, S, K */
    const num *dual;      /* n: l */
    int64_t kinks, next;  /* pairs whose slope is listed, and the first that was not met so far */
    int64_t *place;       /* kinks: j n + i, in order */
    const num **in_force; /* kinks: c_ji */
    num size, rest;       /* |W|^2, and that of what is left of it */
} limit;

/* s(t). */
static num activate(const limit *t, num h) { return num_sign(h) < 0 ? num_mul(t->slope, h) : h; }

/* p (n) of the network. */
static num *outputs(check *c)
{
    const dataset *a = &c->data;
    const claim *q = c->claim;
    num *p = check_alloc(c, a->n, sizeof *p), h = {0};
    for (int64_t j = 0; j < q->neurons; j++)
        for (int64_t i = 0; i < a->n; i++) {
            num_dot(&h, a->point + i * (a->d + 1), q->neuron[j] + 1, a->d);
            num_mul_to(p + i, num_mul(*q->neuron[j], a->y[i]), num_sign(h) < 0 ? num_mul(q->slope, h) : h);
        }
    return p;
}

static void read_neurons(check *c)
{
    claim *q = c->claim;
    q->neurons = check_integer(c, "network", 1, (int64_t)strlen(c->rest) / 9); /* "neuron 0\n" */
    q->neuron = check_alloc(c, q->neurons, sizeof *q->neuron);
    for (int64_t j = 0; j < q->neurons; j++)
        q->neuron[j] = check_numbers(c, "neuron", 1 + c->data.d);
    q->constant = check_alloc(c, 1, sizeof *q->constant);
}

/* "kinks K j i c..": in the order of neurons and rows. */
static void read_kinks(check *c, limit *t)
{
    const int64_t n = c->data.n;
    int64_t last = -1;
    t->kinks = check_count(c, "kinks");
    t->place = check_alloc(c, t->kinks, sizeof *t->place);
    t->in_force = check_alloc(c, t->kinks, sizeof *t->in_force);
    for (int64_t k = 0; k < t->kinks; k++) {
        const int64_t j = check_integer(c, NULL, 0, c->claim->neurons - 1),
                      i = check_integer(c, NULL, 0, n - 1);
        t->in_force[k] = check_numbers(c, NULL, 1);
        t->place[k] = j * n + i;
        need(c, t->place[k] > last, "kinks are not in order");
        need(c, num_at_most(t->slope, *t->in_force[k]) && num_at_most(*t->in_force[k], num_real(1)),
             "the slope of a kink is none of the function");
        last = t->place[k];
    }
}

/* c_ji, where h = <u_j, x_i>. */
static num slope_of(check *c, limit *t, int64_t j, int64_t i, num h)
{
    const dataset *a = &c->data;
    const num *u = c->claim->neuron[j] + 1, *x = a->point + i * (a->d + 1);
    if (t->next == t->kinks || t->place[t->next] != j * a->n + i)
        return num_sign(h) > 0 ? num_real(1) : t->slope;
    num uu = {0}, xx = {0};
    num_dot(&uu, u, u, a->d);
    num_dot(&xx, x, x, a->d);
    const num most = num_mul(num_mul(t->bound[2], t->bound[2]), num_mul(uu, xx));
    need(c, num_at_most(num_mul(h, h), most), "neuron %lld is not on its kink at row %lld (from 0)",
         (long long)j, (long long)i);
    return *t->in_force[t->next++];
}

/* What neuron j adds to |W|^2 and to the square of W - sum_i l_i g_i. */
static void add_neuron(check *c, limit *t, int64_t j)
{
    const int64_t d = c->data.d;
    const num *w = c->claim->neuron[j], *u = w + 1;
    num *left = check_alloc(c, d, sizeof *left), over = *w, h = {0}, part = {0};
    memcpy(left, u, (size_t)d * sizeof *left);
    for (int64_t i = 0; i < c->data.n; i++) {
        const num *x = c->data.point + i * (d + 1);
        const num force = num_mul(t->dual[i], c->data.y[i]);
        num_dot(&h, x, u, d);
        const num pull = num_times(num_mul(num_mul(*w, force), slope_of(c, t, j, i, h)), -1);
        for (int64_t k = 0; k < d; k++)
            left[k] = num_add(left[k], num_mul(pull, x[k]));
        over = num_sub(over, num_mul(force, activate(t, h)));
    }
    num_dot(&part, left, left, d);
    t->rest = num_add(t->rest, part);
    num_dot(&part, u, u, d);
    t->size = num_add(t->size, part);
    if (t->both) {
        t->rest = num_add(t->rest, num_mul(over, over));
        t->size = num_add(t->size, num_mul(*w, *w));
    }
}

/* The least p_i, and complementary slackness. */
static num check_slack(check *c, const limit *t, const num *p)
{
    num least = *p, total = {0}, waste = {0};
    for (int64_t i = 1; i < c->data.n; i++)
        least = num_at_most(least, p[i]) ? least : p[i];
    need(c, num_sign(least) > 0, "not every y_i f(x_i) is positive");
    for (int64_t i = 0; i < c->data.n; i++) {
        need(c, num_sign(t->dual[i]) >= 0, "multiplier %lld (from 0) is negative", (long long)i);
        num_add_to(&total, t->dual[i]);
        num_mul_to(&waste, t->dual[i], num_sub(p[i], least));
    }
    need(c, num_sign(total) > 0, "all multipliers are 0");
    need(c, num_at_most(waste, num_mul(num_mul(t->bound[1], least), total)),
         "multipliers of rows beyond the margin are too large");
    return least;
}

void check_claim_limit(check *c)
{
    claim *q = c->claim;
    limit t = {0};
    const bool leaky = check_choice(c, "problem", "relu leaky");
    t.both = check_choice(c, NULL, "first both");
    t.slope = leaky ? *check_numbers(c, NULL, 1) : num_real(0);
    need(c, num_sign(t.slope) >= 0 && num_sign(num_sub(num_real(1), t.slope)) > 0,
         "the slope is not in [0, 1)");
    t.bound = check_numbers(c, "bound", 3);
    for (int k = 0; k < 3; k++)
        need(c, num_sign(t.bound[k]) >= 0, "a bound is negative");
    check_said(c, t.slope);
    need(c, num_nearest(t.slope) < 1, "the slope cannot be told from 1");
    q->slope = t.slope, q->gated = t.both, q->evidence = leaky;
    need(c, c->data.bias != BIAS_FREE, "this claim is one of networks without free biases");
    check_signs(c);
    read_neurons(c);
    t.dual = check_numbers(c, "multipliers", c->data.n);
    read_kinks(c, &t);
    for (int k = 0; k < 2 + (t.kinks > 0); k++)
        check_said(c, t.bound[k]);
    const num least = check_slack(c, &t, outputs(c));
    for (int64_t j = 0; j < q->neurons; j++)
        add_neuron(c, &t, j);
    need(c, num_at_most(t.rest, num_mul(num_mul(t.bound[0], t.bound[0]), t.size)),
         "the multipliers miss the network by more than what is claimed");
    const num margin = num_div(least, t.both ? t.size : num_root(t.size));
    c->verdict.upper = num_end(margin, 1);
    c->verdict.lower = num_end(margin, -1);
    q->residual = num_end(t.bound[0], 1), q->loss_part = num_end(t.bound[1], 1);
    q->norm = t.kinks > 0 ? num_end(t.bound[2], 1) : 0;
    q->weak = q->residual > 1e-6 || q->loss_part > 1e-6 || q->norm > 1e-6 ? WEAK_LIMIT : 0;
}
