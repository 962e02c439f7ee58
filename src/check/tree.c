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
 * and Q^2 I - a S positive semidefinite proves the leaf. With free hidden biases x_j stands for (x_j, 1), and the
 * matrix is diag((Q^2 - a l R^2) I, a l) - a S, and all gamma_j > 0, with R = max |x_i| and any l >= 0.
 * Everything is an integer on some grid. Cost per leaf: (entries + n d) d products, d^3 / 6 for the last test.
 */
#include <string.h>

#include "positive.h"
#include "train_claim.h"

typedef struct side {
    const train *t;
    int64_t n, d; /* d counts the column of ones */
    int64_t output;
    int sign;      /* sigma */
    dyadic price;  /* P */
    int64_t depth; /* of the node: rows row[0..depth) are fixed */
    int64_t *row;  /* n */
    int *state;    /* n: the sign of row[k] */
    int *fixed;    /* n: 0, or that sign */
} side;

typedef struct leaf {
    int64_t entries;
    int64_t *i, *j; /* of each entry; j = 0 is the constant sign */
    grid number;    /* v (n), Theta (entries), nu (depth) on one grid */
    grid c;         /* (n + 1) x d */
    dyadic *gamma;  /* n + 1 */
    dyadic lift;    /* l */
} leaf;

/* C_target += weight x_i, on the grid number.e + x.e. */
static void add_point(leaf *l, const side *s, int64_t target, const mpz_t weight, int64_t i, int sign)
{
    for (int64_t k = 0; k < s->d; k++) {
        mpz_t *out = l->c.z + target * s->d + k;
        if (sign > 0)
            mpz_addmul(*out, weight, s->t->x.z[i * s->d + k]);
        else
            mpz_submul(*out, weight, s->t->x.z[i * s->d + k]);
    }
}

/* Column j >= 1 goes to itself, or with its sign to column 0 where it is fixed. */
static int64_t target_of(const side *s, int64_t j, int *sign)
{
    *sign = j > 0 && s->fixed[j - 1] ? s->fixed[j - 1] : 1;
    return j > 0 && s->fixed[j - 1] ? 0 : j;
}

static void make_columns(check *c, leaf *l, const side *s)
{
    const mpz_t *v = (const mpz_t *)l->number.z, *theta = v + s->n, *nu = theta + l->entries;
    grid psi;
    mpz_t size;
    int sign;
    grid_init(c, &psi, s->n, 0);
    grid_init(c, &l->c, (s->n + 1) * s->d, l->number.e + s->t->x.e);
    mpz_init(size);
    for (int64_t i = 0; i < s->n; i++) {
        add_point(l, s, 0, v[i], i, s->sign);
        if (s->sign > 0)
            mpz_set(psi.z[i], v[i]);
        else
            mpz_neg(psi.z[i], v[i]);
    }
    for (int64_t k = 0; k < l->entries; k++) {
        const int64_t target = target_of(s, l->j[k], &sign);
        mpz_abs(size, theta[k]);
        mpz_add(psi.z[l->i[k]], psi.z[l->i[k]], size);
        add_point(l, s, target, theta[k], l->i[k], -sign);
    }
    for (int64_t j = 0; j < s->n; j++) {
        const int64_t target = target_of(s, j + 1, &sign);
        if (mpz_sgn(psi.z[j]) > 0)
            add_point(l, s, target, psi.z[j], j, sign);
    }
    for (int64_t k = 0; k < s->depth; k++)
        add_point(l, s, 0, nu[k], s->row[k], s->state[k]);
    mpz_clear(size);
    grid_clear(c, &psi);
}

static bool column_is_zero(const leaf *l, int64_t j, int64_t d)
{
    for (int64_t k = 0; k < d; k++)
        if (mpz_sgn(l->c.z[j * d + k]) != 0)
            return false;
    return true;
}

/* sum += ceil(2^126 / m) 2^(-e - 126) >= 1 / gamma, the sum on the grid *sum_e. */
static void add_reciprocal(mpz_t sum, int64_t *sum_e, const dyadic *gamma)
{
    mpz_t one, m;
    const int64_t e = -gamma->e - 126;
    mpz_init_set_ui(one, 1);
    mpz_init_set_si(m, gamma->m);
    mpz_mul_2exp(one, one, 126);
    mpz_cdiv_q(one, one, m);
    if (mpz_sgn(sum) == 0)
        *sum_e = e;
    if (e < *sum_e) {
        mpz_mul_2exp(sum, sum, (mp_bitcnt_t)(*sum_e - e));
        *sum_e = e;
    }
    mpz_mul_2exp(one, one, (mp_bitcnt_t)(e - *sum_e));
    mpz_add(sum, sum, one);
    mpz_clear(one);
    mpz_clear(m);
}

/* sum += |C_j|, rounded up to the grid c.e. */
static void add_length(mpz_t sum, const leaf *l, int64_t j, int64_t d)
{
    mpz_t square;
    mpz_init(square);
    for (int64_t k = 0; k < d; k++)
        mpz_addmul(square, l->c.z[j * d + k], l->c.z[j * d + k]);
    mpz_sqrt(square, square);
    mpz_add(sum, sum, square);
    mpz_add_ui(sum, sum, 1);
    mpz_clear(square);
}

/* S, on the grid 2 c.e + gamma.e, a, on *a_e, and T, on the grid c.e. */
static void make_moment(check *c, grid *moment, mpz_t a, int64_t *a_e, mpz_t rest, const leaf *l,
                        const side *s)
{
    grid gamma;
    mpz_t left;
    grid_from(c, &gamma, l->gamma, s->n + 1);
    grid_init(c, moment, s->d * s->d, 2 * l->c.e + gamma.e);
    mpz_init(left);
    for (int64_t j = 0; j <= s->n; j++) {
        if (column_is_zero(l, j, s->d))
            continue;
        if (l->gamma[j].m < 0 || (l->gamma[j].m == 0 && s->d > c->data.d))
            check_fail(c, 4, "line %lld: weight %lld is not positive", (long long)c->line, (long long)j);
        if (l->gamma[j].m == 0) {
            add_length(rest, l, j, s->d);
            continue;
        }
        add_reciprocal(a, a_e, l->gamma + j);
        for (int64_t k = 0; k < s->d; k++) {
            mpz_mul(left, gamma.z[j], l->c.z[j * s->d + k]);
            for (int64_t r = 0; r <= k; r++)
                mpz_addmul(moment->z[k * s->d + r], left, l->c.z[j * s->d + r]);
        }
    }
    mpz_clear(left);
    grid_clear(c, &gamma);
}

/* max_i |x_i|^2 without the column of ones, on the grid 2 x.e. */
static void largest_square(mpz_t out, const side *s)
{
    mpz_t sum;
    mpz_init(sum);
    mpz_set_ui(out, 0);
    for (int64_t i = 0; i < s->n; i++) {
        mpz_set_ui(sum, 0);
        for (int64_t k = 0; k < s->d - 1; k++)
            mpz_addmul(sum, s->t->x.z[i * s->d + k], s->t->x.z[i * s->d + k]);
        if (mpz_cmp(sum, out) > 0)
            mpz_set(out, sum);
    }
    mpz_clear(sum);
}

/* Q = 2 P - T, or false where it is negative. */
static bool make_margin(exact_sum *q, const mpz_t rest, const leaf *l, const side *s)
{
    mpz_t price;
    mpz_init_set_si(price, s->price.m);
    exact_add(q, price, s->price.e + 1, 1);
    exact_add(q, rest, l->c.e, -1);
    mpz_clear(price);
    return mpz_sgn(q->z) >= 0;
}

/* The last row and column times 2^q, q whole, so that their diagonal is about as large as the others': M >= 0 stays what it is. */
static void balance_last(grid *matrix, const exact_sum *others, const exact_sum *last, int64_t d)
{
    if (mpz_sgn(others->z) <= 0 || mpz_sgn(last->z) <= 0)
        return;
    const int64_t q = ((int64_t)mpz_sizeinbase(others->z, 2) - (int64_t)mpz_sizeinbase(last->z, 2)) / 2;
    for (int64_t k = 0; k < d; k++)
        for (int64_t r = 0; r <= k; r++) {
            const int64_t times = (k == d - 1) + (r == d - 1), shift = q >= 0 ? times * q : (times - 2) * q;
            mpz_mul_2exp(matrix->z[k * d + r], matrix->z[k * d + r], (mp_bitcnt_t)shift);
        }
}

/* diag(...) - a S on a common grid, in place of S. */
static void make_matrix(grid *moment, const exact_sum *q, const mpz_t a, int64_t a_e, const leaf *l,
                        const side *s, bool free_bias)
{
    const int64_t e = moment->e + a_e;
    mpz_t top, last, radius;
    exact_sum sum, lifted;
    mpz_init(top), mpz_init(last), mpz_init(radius);
    exact_init(&sum), exact_init(&lifted);
    mpz_mul(top, q->z, q->z); /* Q^2 - a l R^2 */
    exact_add(&sum, top, 2 * q->e, 1);
    if (free_bias) {
        largest_square(radius, s);
        mpz_mul_si(last, a, l->lift.m);
        mpz_mul(radius, radius, last);
        exact_add(&sum, radius, 2 * s->t->x.e + a_e + l->lift.e, -1);
        exact_add(&lifted, last, a_e + l->lift.e, 1);
    }
    int64_t finest = sum.e < e ? sum.e : e; /* all on the finest of the three grids */
    finest = lifted.e < finest ? lifted.e : finest;
    exact_refine(&sum, finest);
    exact_refine(&lifted, finest);
    for (int64_t k = 0; k < s->d; k++)
        for (int64_t r = 0; r <= k; r++) {
            mpz_t *m = moment->z + k * s->d + r;
            mpz_mul(*m, *m, a);
            mpz_mul_2exp(*m, *m, (mp_bitcnt_t)(e - finest));
            mpz_neg(*m, *m);
            if (r == k)
                mpz_add(*m, *m, free_bias && k == s->d - 1 ? lifted.z : sum.z);
        }
    if (free_bias)
        balance_last(moment, &sum, &lifted, s->d);
    exact_clear(&lifted), exact_clear(&sum);
    mpz_clear(top), mpz_clear(last), mpz_clear(radius);
}

static void read_leaf(check *c, leaf *l, const side *s)
{
    check_next_line(c, "leaf");
    l->entries = check_integer(c, 0, (int64_t)strlen(c->word) / 6 + 1); /* three words each */
    l->i = check_alloc(c, l->entries, sizeof *l->i);
    l->j = check_alloc(c, l->entries, sizeof *l->j);
    const int64_t count = s->n + l->entries + s->depth;
    dyadic *numbers = check_alloc(c, count, sizeof *numbers);
    const dyadic *v = s->t->dual + s->output * s->n;
    memcpy(numbers, v, (size_t)s->n * sizeof *numbers);
    for (int64_t k = 0; k < l->entries; k++) {
        l->i[k] = check_integer(c, 0, s->n - 1);
        l->j[k] = check_integer(c, 0, s->n);
        numbers[s->n + k] = check_number(c);
    }
    check_line_end(c);
    check_next_line(c, "weights");
    l->gamma = check_numbers(c, s->n + 1);
    check_line_end(c);
    if (s->depth > 0) {
        check_next_line(c, "multipliers");
        for (int64_t k = 0; k < s->depth; k++) {
            numbers[s->n + l->entries + k] = check_number(c);
            if (numbers[s->n + l->entries + k].m < 0)
                check_fail(c, 4, "line %lld: a multiplier is negative", (long long)c->line);
        }
        check_line_end(c);
    }
    if (s->d > c->data.d) {
        check_next_line(c, "lift");
        l->lift = check_number(c);
        check_line_end(c);
        if (l->lift.m < 0)
            check_fail(c, 4, "line %lld: the lift is negative", (long long)c->line);
    }
    grid_from(c, &l->number, numbers, count);
    check_free(c, numbers);
}

static void check_leaf(check *c, const side *s)
{
    leaf l = {0};
    grid moment;
    mpz_t a, rest;
    exact_sum q;
    int64_t a_e = 0;
    read_leaf(c, &l, s);
    make_columns(c, &l, s);
    mpz_init(a);
    mpz_init(rest);
    exact_init(&q);
    make_moment(c, &moment, a, &a_e, rest, &l, s);
    bool good = make_margin(&q, rest, &l, s);
    make_matrix(&moment, &q, a, a_e, &l, s, s->d > c->data.d);
    good =
        good && (mpz_sgn(a) == 0 || matrix_is_positive(c, &moment, s->d)); /* no column: nothing to bound */
    if (!good)
        check_fail(c, 4,
                   "line %lld: the matrix of this leaf is not positive semidefinite: its price is not proved",
                   (long long)c->line);
    mpz_clear(a);
    mpz_clear(rest);
    exact_clear(&q);
    grid_clear(c, &moment);
    grid_clear(c, &l.c);
    grid_clear(c, &l.number);
    check_free(c, l.i);
    check_free(c, l.j);
    check_free(c, l.gamma);
}

/* Nodes in preorder, the positive half-space first: the tree is complete when the last open split is closed. */
static void check_tree(check *c, side *s)
{
    for (;;) {
        while (check_line_is(c, "split")) {
            check_next_line(c, "split");
            const int64_t j = check_integer(c, 0, s->n - 1);
            check_line_end(c);
            if (s->fixed[j])
                check_fail(c, 4, "line %lld: row %lld was split before", (long long)c->line, (long long)j);
            s->row[s->depth] = j;
            s->state[s->depth] = s->fixed[j] = 1;
            s->depth++;
        }
        check_leaf(c, s);
        while (s->depth > 0 && s->state[s->depth - 1] < 0)
            s->fixed[s->row[--s->depth]] = 0;
        if (s->depth == 0)
            return;
        s->state[s->depth - 1] = s->fixed[s->row[s->depth - 1]] = -1;
    }
}

/* Both sides of one output; P^2 of the larger price is added to the sum. */
static void check_output(check *c, const train *t, int64_t output, exact_sum *sum)
{
    static const char *const signs[] = {"+", "-", NULL};
    side s = {.t = t, .n = c->data.n, .d = t->width, .output = output};
    mpz_t square[2];
    int64_t e[2];
    s.row = check_alloc(c, s.n, sizeof *s.row);
    s.state = check_alloc(c, s.n, sizeof *s.state);
    s.fixed = check_alloc(c, s.n, sizeof *s.fixed);
    for (int k = 0; k < 2; k++) {
        check_next_line(c, "side");
        if (check_choice(c, signs) != k)
            check_fail(c, 4, "line %lld: the other side was expected", (long long)c->line);
        s.sign = k ? -1 : 1;
        s.price = check_number(c);
        check_line_end(c);
        mpz_init_set_si(square[k], s.price.m);
        mpz_mul(square[k], square[k], square[k]);
        e[k] = 2 * s.price.e;
        if (s.price.m < 0)
            check_fail(c, 4, "line %lld: a price is negative", (long long)c->line);
        check_tree(c, &s);
    }
    exact_sum other = {0};
    exact_init(&other);
    exact_add(&other, square[0], e[0], 1);
    exact_add(&other, square[1], e[1], -1);
    exact_add(sum, square[mpz_sgn(other.z) < 0], e[mpz_sgn(other.z) < 0], 1);
    exact_clear(&other);
    mpz_clear(square[0]);
    mpz_clear(square[1]);
    check_free(c, s.row);
    check_free(c, s.state);
    check_free(c, s.fixed);
}

void check_trees(check *c, const train *t)
{
    exact_sum sum = {0};
    exact_init(&sum);
    for (int64_t k = 0; k < t->outputs; k++)
        check_output(c, t, k, &sum);
    if (!train_square_fits(sum.z, sum.e, c, t))
        check_fail(c, 4, "line %lld: the dual point is priced above beta", (long long)c->line);
    exact_clear(&sum);
}
