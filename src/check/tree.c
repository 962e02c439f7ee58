/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of the joint relaxation: sigma v'(X u)_+ <= P for all |u| <= 1, side by side (docs/certificate.md, Sec. 5).
 *
 * Inner nodes split on the sign of <x_j, u>. In a leaf the signs e_j of the rows j in F are fixed; with any numbers
 * Theta_ij (j = 0..n), nu_j >= 0 (j in F) and gamma_j > 0,
 *
 *     psi_i = max(0, sigma v_i + sum_j |Theta_ij|)
 *     C_0   = sigma X'v - sum_i Theta_i0 x_i + sum_{j in F} e_j ((psi_j + nu_j) x_j - sum_i Theta_ij x_i)
 *     C_j   = psi_j x_j - sum_i Theta_ij x_i                                               (j not in F)
 *     S     = sum_j gamma_j C_j C_j',  a >= sum_j 1 / gamma_j  (over C_j != 0 with gamma_j > 0),
 *     T     >= sum_j |C_j|  (over those with gamma_j = 0),  Q = 2 P - T >= 0
 *
 * and Q^2 I - a S positive definite proves the leaf. With free hidden biases x_j stands for (x_j, 1), and the
 * matrix is diag((Q^2 - a l R^2) I, a l) - a S, and all gamma_j > 0, with R = max |x_i| and any l >= 0.
 * Numbers are exact; T and a are rounded up; the pivots of L D L' are balls that must be positive.
 * Cost per leaf: (entries + n d) d products, d^3 / 3 for the last test.
 */
#include <string.h>

#include <arb_mat.h>

#include "checker.h"

typedef struct side {
    const train *t;
    const num *v; /* n: the dual point of this output */
    int sign;     /* sigma */
    num price;    /* 2 P */
    num radius;   /* R^2 */
    int64_t depth;
    int64_t *row; /* n: rows row[0..depth) are fixed */
    int *fixed;   /* n: their signs, else 0 */
} side;

typedef struct leaf {
    num *column;                  /* (n + 1) x width: C */
    const num *gamma, *nu, *lift; /* n + 1, depth, 1 */
    num *moment;                  /* width x width: S, lower triangle */
    num sum, rest;                /* a, T */
} leaf;

/* C_j += sign weight x_i; a fixed column goes with its sign to column 0. */
static void add_point(check *c, leaf *l, const side *s, int64_t j, const num *weight, int64_t i, int sign)
{
    const int fixed = j > 0 ? s->fixed[j - 1] : 0;
    num *column = l->column + (fixed ? 0 : j) * s->t->width;
    const num *x = c->data.point + i * (c->data.d + 1);
    for (int64_t k = 0; k < s->t->width; k++)
        num_addmul(column + k, weight, x + k, fixed < 0 ? -sign : sign);
}

/* Reads a leaf and makes its columns. */
static void read_leaf(check *c, leaf *l, const side *s)
{
    const int64_t n = c->data.n;
    num *psi = check_alloc(c, n, sizeof *psi);
    l->column = check_alloc(c, (n + 1) * s->t->width, sizeof *l->column);
    for (int64_t i = 0; i < n; i++) {
        add_point(c, l, s, 0, s->v + i, i, s->sign);
        num_add(psi + i, s->v + i, s->sign);
    }
    check_line(c, "leaf");
    for (int64_t k = check_integer(c, 0, check_room(c)); k > 0; k--) {
        const int64_t i = check_integer(c, 0, n - 1), j = check_integer(c, 0, n);
        const num *theta = check_numbers(c, 1);
        num_add(psi + i, theta, arf_sgn(theta));
        add_point(c, l, s, j, theta, i, -1);
    }
    check_end(c);
    for (int64_t j = 0; j < n; j++)
        if (arf_sgn(psi + j) > 0)
            add_point(c, l, s, j + 1, psi + j, j, 1);
    l->gamma = check_line_numbers(c, "weights", n + 1);
    l->nu = s->depth > 0 ? check_line_numbers(c, "multipliers", s->depth) : NULL;
    for (int64_t k = 0; k < s->depth; k++) {
        if (arf_sgn(l->nu + k) < 0)
            check_reject(c, "a multiplier is negative");
        add_point(c, l, s, s->row[k] + 1, l->nu + k, s->row[k], 1);
    }
    l->lift = s->t->hidden_bias ? check_line_numbers(c, "lift", 1) : NULL;
    if (l->lift && arf_sgn(l->lift) < 0)
        check_reject(c, "the lift is negative");
}

/* S, a and T. */
static void make_moment(check *c, leaf *l, const side *s)
{
    const int64_t d = s->t->width;
    arf_t t;
    arf_init(t);
    l->moment = check_alloc(c, d * d, sizeof *l->moment);
    for (int64_t j = 0; j <= c->data.n; j++) {
        const num *gamma = l->gamma + j, *column = l->column + j * d;
        num_dot(t, column, column, d);
        if (arf_is_zero(t))
            continue;
        if (arf_sgn(gamma) < (s->t->hidden_bias ? 1 : 0))
            check_reject(c, "weight %lld is not positive", (long long)j);
        if (arf_is_zero(gamma)) {
            arf_sqrt(t, t, PRECISION, ARF_RND_CEIL);
            num_add(&l->rest, t, 1);
            continue;
        }
        arf_ui_div(t, 1, gamma, PRECISION, ARF_RND_CEIL);
        num_add(&l->sum, t, 1);
        for (int64_t k = 0; k < d; k++) {
            num_mul(t, gamma, column + k);
            for (int64_t r = 0; r <= k; r++)
                arf_addmul(l->moment + k * d + r, t, column + r, EXACT);
        }
    }
}

/* Whether diag(...) - a S is positive definite. */
static bool is_positive(const leaf *l, const side *s, const num *top, const num *last)
{
    const int64_t d = s->t->width;
    arb_mat_t m;
    arf_t t;
    arb_mat_init(m, d, d);
    arf_init(t);
    for (int64_t k = 0; k < d; k++)
        for (int64_t r = 0; r <= k; r++) {
            num_mul(t, l->moment + k * d + r, &l->sum);
            arf_neg(t, t);
            if (r == k)
                num_add(t, last && k == d - 1 ? last : top, 1);
            arb_set_arf(arb_mat_entry(m, k, r), t);
            arb_set_arf(arb_mat_entry(m, r, k), t);
        }
    return arb_mat_ldl(m, m, PRECISION); /* memory goes with the leaf */
}

static void check_leaf(check *c, const side *s)
{
    const int64_t mark = check_mark(c);
    leaf l = {0};
    arf_t top, last, t;
    arf_init(top), arf_init(last), arf_init(t);
    read_leaf(c, &l, s);
    make_moment(c, &l, s);
    arf_sub(t, &s->price, &l.rest, EXACT); /* Q */
    num_mul(top, t, t);
    if (l.lift) {
        num_mul(last, &l.sum, l.lift);
        arf_submul(top, last, &s->radius, EXACT);
    }
    if (arf_sgn(t) < 0 || (!arf_is_zero(&l.sum) && !is_positive(&l, s, top, l.lift ? last : NULL)))
        check_reject(c, "the matrix of this leaf is not positive definite: its price is not proved");
    check_release(c, mark);
}

/* Nodes in preorder, the positive half-space first: the tree is complete when the last open split is closed. */
static void check_tree(check *c, side *s)
{
    do {
        while (check_line_is(c, "split")) {
            const int64_t j = check_line_integer(c, "split", 0, c->data.n - 1);
            if (s->fixed[j])
                check_reject(c, "row %lld was split before", (long long)j);
            s->row[s->depth++] = j;
            s->fixed[j] = 1;
        }
        check_leaf(c, s);
        while (s->depth > 0 && s->fixed[s->row[s->depth - 1]] < 0)
            s->fixed[s->row[--s->depth]] = 0;
        if (s->depth > 0)
            s->fixed[s->row[s->depth - 1]] = -1;
    } while (s->depth > 0);
}

/* s^2 sum_k max_sigma P_{k,sigma}^2 <= (N beta)^2. */
void check_trees(check *c, const train *t)
{
    const int64_t n = c->data.n;
    side s = {.t = t, .row = check_alloc(c, n, sizeof *s.row), .fixed = check_alloc(c, n, sizeof *s.fixed)};
    arf_t sum, largest, one;
    arf_init(sum), arf_init(largest), arf_init(one);
    for (int64_t i = 0; i < n; i++) {
        num_dot(one, c->data.point + i * (c->data.d + 1), c->data.point + i * (c->data.d + 1), c->data.d);
        arf_max(&s.radius, &s.radius, one);
    }
    for (int64_t k = 0; k < 2 * t->outputs; k++) {
        check_line(c, "side");
        check_choice(c, k % 2 ? "-" : "+");
        s.sign = k % 2 ? -1 : 1;
        s.v = t->v + k / 2 * n;
        const num *price = check_numbers(c, 1);
        check_end(c);
        if (arf_sgn(price) < 0)
            check_reject(c, "a price is negative");
        arf_mul_2exp_si(&s.price, price, 1);
        check_tree(c, &s);
        arf_max(largest, largest, price);
        if (k % 2) {
            num_mul(one, largest, t->scale);
            arf_addmul(sum, one, one, EXACT);
            arf_zero(largest);
        }
    }
    if (arf_cmp(sum, &t->limit) > 0)
        check_reject(c, "the dual point is priced above beta");
}
