/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of the joint relaxation: sigma v'(X u)_+ <= P for all |u| <= 1, side by side (docs/reference/certificate.md,
 * Sec. 5).
 *
 * Inner nodes split on the sign of <x_j, u>. In a leaf the signs e_j of the rows j in F are fixed; with
 * any numbers Theta_ij (j = 0..n), nu_j >= 0 (j in F) and gamma_j > 0,
 *
 *     psi_i = max(0, sigma v_i + sum_j |Theta_ij|)
 *     C_0   = sigma X'v - sum_i Theta_i0 x_i + sum_{j in F} e_j ((psi_j + nu_j) x_j - sum_i Theta_ij x_i)
 *     C_j   = psi_j x_j - sum_i Theta_ij x_i                                               (j not in F)
 *     S     = sum_j gamma_j C_j C_j',  a = sum_j 1 / gamma_j  (over C_j != 0 with gamma_j > 0),
 *     T     = sum_j |C_j|  (over those with gamma_j = 0),  Q = 2 P - T >= 0
 *
 * and Q^2 I - a S positive definite proves the leaf. With free hidden biases x_j stands for (x_j, 1), and the
 * matrix is diag((Q^2 - a l R^2) I, a l) - a S, and all gamma_j > 0, with R = max |x_i| and any l >= 0.
 * C and S are exact, T and a balls; the pivots of L D L' are balls that must be positive.
 * Cost per leaf: (entries + n d) d products, d^3 / 3 for the last test.
 */
#include "checker.h"

/* Bytes that the leaves of a tree may leave behind before they are released: with them go the caches of the
 * libraries, which take longer to fill than a small leaf takes to check. */
enum { SPARE = 1 << 19 };

typedef struct side {
    const train *t;
    const num *v; /* n: the dual point in this direction of the outputs */
    int sign;     /* sigma */
    num price;    /* P */
    num radius;   /* R^2 */
    int64_t depth;
    int64_t *row; /* n: rows row[0..depth) are fixed */
    int *fixed;   /* n: their signs, else 0 */
} side;

/* C_j += weight x_i; a fixed column goes with its sign to column 0. */
static void add_point(check *c, num *column, const side *s, int64_t j, num weight, int64_t i)
{
    const int fixed = j > 0 ? s->fixed[j - 1] : 0;
    const num *x = s->t->point + i * (c->data.d + 1), signed_weight = num_times(weight, fixed < 0 ? -1 : 1);
    for (int64_t k = 0; k < s->t->width; k++)
        num_mul_to(column + (fixed ? 0 : j) * s->t->width + k, signed_weight, x[k]);
}

/* Reads a leaf up to its weights; the columns C, (n + 1) x width. */
static num *read_columns(check *c, const side *s)
{
    const int64_t n = c->data.n;
    num *psi = check_alloc(c, n, sizeof *psi),
        *column = check_alloc(c, (n + 1) * s->t->width, sizeof *column);
    for (int64_t i = 0; i < n; i++) {
        psi[i] = num_times(s->v[i], s->sign);
        add_point(c, column, s, 0, psi[i], i);
    }
    for (int64_t k = check_count(c, "leaf"); k > 0; k--) {
        const int64_t i = check_integer(c, NULL, 0, n - 1), j = check_integer(c, NULL, 0, n);
        const num theta = *check_numbers(c, NULL, 1);
        psi[i] = num_add(psi[i], num_times(theta, num_sign(theta)));
        add_point(c, column, s, j, num_times(theta, -1), i);
    }
    for (int64_t j = 0; j < n; j++)
        if (num_sign(psi[j]) > 0)
            add_point(c, column, s, j + 1, psi[j], j);
    return column;
}

/* S (width x width, added to `matrix`), a and T. */
static void add_moments(check *c, arb_mat_t matrix, num *sum, num *rest, const num *column, const num *gamma,
                        const side *s)
{
    const int64_t d = s->t->width;
    num square = {0};
    for (int64_t j = 0; j <= c->data.n; j++, column += d) {
        num_dot(&square, column, column, d);
        if (num_sign(square) == 0)
            continue;
        need(c, num_sign(gamma[j]) > 0 || (num_sign(gamma[j]) == 0 && d == c->data.d),
             "weight %lld is not positive", (long long)j);
        if (num_sign(gamma[j]) == 0) {
            num_add_to(rest, num_root(square));
            continue;
        }
        num_add_to(sum, num_div(num_real(1), gamma[j]));
        for (int64_t k = 0; k < d; k++) {
            const num weighted = num_mul(gamma[j], column[k]);
            for (int64_t r = 0; r <= k; r++)
                num_mul_to(arb_mat_entry(matrix, k, r), weighted, column[r]);
        }
    }
}

static void check_leaf(check *c, const side *s)
{
    const int64_t n = c->data.n, d = s->t->width, lifted = d - c->data.d;
    num *column = read_columns(c, s), sum = {0}, rest = {0};
    const num *gamma = check_numbers(c, "weights", n + 1 + s->depth + lifted), *nu = gamma + n + 1;
    for (int64_t k = 0; k < s->depth + lifted; k++)
        need(c, num_sign(nu[k]) >= 0, "a multiplier is negative");
    for (int64_t k = 0; k < s->depth; k++)
        add_point(c, column, s, s->row[k] + 1, nu[k], s->row[k]);
    const num lift = lifted ? nu[s->depth] : num_real(0);
    arb_mat_t m;
    arb_mat_init(m, d, d);
    add_moments(c, m, &sum, &rest, column, gamma, s);
    const num q = num_sub(num_times(s->price, 2), rest), last = num_mul(sum, lift);
    const num top = num_sub(num_mul(q, q), num_mul(last, s->radius));
    for (int64_t k = 0; k < d; k++)
        for (int64_t r = 0; r <= k; r++) {
            num *entry = arb_mat_entry(m, k, r), diagonal = r < k ? num_real(0) : k < c->data.d ? top : last;
            *entry = num_sub(diagonal, num_mul(sum, *entry));
            arb_set(arb_mat_entry(m, r, k), entry);
        }
    check_work(c, (double)d * (double)d * (double)d);
    need(c, num_at_most(num_real(0), q) && (num_sign(sum) == 0 || arb_mat_ldl(m, m, PRECISION)),
         "the matrix of this leaf is not positive definite: its price is not proved");
}

/* Nodes in preorder, the positive half-space first: the tree is complete when the last open split is
 * closed. */
static void check_tree(check *c, side *s)
{
    const int64_t mark = c->serial, before = c->bytes;
    do {
        while (check_line_is(c, "split")) {
            const int64_t j = check_integer(c, "split", 0, c->data.n - 1);
            need(c, !s->fixed[j], "row %lld was split before", (long long)j);
            s->row[s->depth++] = j;
            s->fixed[j] = 1;
        }
        check_leaf(c, s);
        if (c->bytes - before > SPARE)
            check_release(c, mark);
        while (s->depth > 0 && s->fixed[s->row[s->depth - 1]] < 0)
            s->fixed[s->row[--s->depth]] = 0;
        if (s->depth > 0)
            s->fixed[s->row[s->depth - 1]] = -1;
    } while (s->depth > 0);
    check_release(c, mark);
}

/* "exact P": a price that is found here. */
static num exact_price(check *c, const train *t, const num *v)
{
    const num one = num_real(1), price = *check_numbers(c, "exact", 1);
    train alone = *t;
    need(c, num_sign(price) >= 0, "a price is negative");
    alone.v = v;
    alone.most = NULL;
    alone.scale = &one;
    alone.edge = price;
    alone.limit = num_mul(price, price);
    check_exactly(c, &alone);
    return price;
}

/* The points less number k. */
static num *points_less(check *c, int64_t k)
{
    const int64_t width = c->data.d + 1;
    num *point = check_alloc(c, c->data.n, (size_t)width * sizeof *point);
    for (int64_t at = 0; at < c->data.n * width; at++)
        point[at] = num_sub(c->data.point[at], c->data.point[k * width + at % width]);
    return point;
}

/* "kinks P": with free biases a best one is at a kink b = -<x_k, u>; for every k two trees without biases on
 * the points less x_k. */
static num kinked_price(check *c, const train *t, side *s)
{
    train plain = *t;
    s->price = *check_numbers(c, "kinks", 1);
    s->t = &plain;
    plain.width = c->data.d;
    need(c, t->width > c->data.d && num_sign(s->price) >= 0, "kinks are for free biases");
    for (int64_t k = 0; k < c->data.n; k++) {
        plain.point = points_less(c, k);
        for (s->sign = 1; s->sign >= -1; s->sign -= 2)
            check_tree(c, s);
    }
    return s->price;
}

void check_direction(num price[2], check *c, const train *t, const num *direction)
{
    const int64_t n = c->data.n;
    num *v = check_alloc(c, n, sizeof *v);
    side s = {
        .t = t, .v = v, .row = check_alloc(c, n, sizeof *s.row), .fixed = check_alloc(c, n, sizeof *s.fixed)};
    for (int64_t i = 0; i < n; i++) {
        const num *x = t->point + i * (c->data.d + 1);
        num square = {0};
        num_dot(&square, x, x, c->data.d);
        s.radius = num_at_most(s.radius, square) ? square : s.radius;
        for (int64_t k = 0; k < c->data.outputs; k++)
            num_mul_to(v + i, direction[k], t->v[k * n + i]);
    }
    if (check_line_is(c, "exact") || check_line_is(c, "kinks")) {
        price[0] = price[1] = check_line_is(c, "exact") ? exact_price(c, t, v) : kinked_price(c, t, &s);
        return;
    }
    for (s.sign = 1; s.sign >= -1; s.sign -= 2) {
        s.price = price[s.sign < 0] = *check_numbers(c, "side", 1);
        need(c, num_sign(s.price) >= 0, "a price is negative");
        check_tree(c, &s);
    }
}
