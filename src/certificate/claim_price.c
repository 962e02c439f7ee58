/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices of a claim about training as the checker will find them: its conditions (docs/reference/certificate.md, Sec. 3 to 5) evaluated in
 * balls before anything is written, so that what is claimed is what is accepted.
 *
 * Trees. Solvers price a leaf in doubles, at a dual point that is then settled. Here every leaf is tested at the settled one, in balls
 * of BITS bits, at a price lower by SHY; where it is not proved the price of its side rises, first by 2^-46 of it, then by four times
 * more each time. The dual point is scaled by what results. Cost: as the checker's, (entries + n d) d products per leaf and d^3 / 3.
 */
#include "claim_exact.h"

#include <stdlib.h>

#include "balls.h"

static const double SHY = 0x1p-50, FIRST = 0x1p-46, MOST = 1;

/* A leaf under test. width is d, or d + 1 with hidden biases: points (x_i - centre, 1). */
typedef struct tree_test {
    const fathom_claim *claim;
    bool lifted; /* biases are free, and no kinks are given */
    int64_t width;
    arb_ptr point;  /* n x width */
    arb_ptr v;      /* n: the dual point in the direction at hand */
    arb_ptr column; /* (n + 1) x width */
    arb_ptr psi;    /* n */
    arb_t radius;   /* max |x_i - centre|^2 */
    arb_mat_t moment, matrix;
    arb_t sum, rest;         /* a and T */
    arb_t t, square, length; /* for what is passing */
} tree_test;

/* The points less their centre, and a column of ones where biases are free. */
static void set_points(tree_test *a, const double *centre)
{
    const fathom_claim *c = a->claim;
    arb_zero(a->radius);
    for (int64_t i = 0; i < c->n; i++) {
        arb_ptr x = a->point + i * a->width;
        set_all(x, c->x + i * c->d, c->d);
        for (int64_t l = 0; l < c->d && c->constant && centre; l++) {
            arb_set_d(a->t, centre[l]);
            arb_sub(x + l, x + l, a->t, ARF_PREC_EXACT);
        }
        arb_dot(a->square, NULL, 0, x, 1, x, 1, c->d, BITS);
        arb_max(a->radius, a->radius, a->square, BITS);
        if (a->lifted)
            arb_one(x + c->d);
    }
}

static void test_open(tree_test *a, const fathom_claim *c, bool kinks)
{
    const int64_t n = c->n, d = c->d;
    *a = (tree_test){.claim = c, .lifted = c->constant && !kinks, .width = d + (c->constant && !kinks)};
    a->point = _arb_vec_init(n * a->width);
    a->v = _arb_vec_init(n);
    a->psi = _arb_vec_init(n);
    a->column = _arb_vec_init((n + 1) * a->width);
    arb_mat_init(a->moment, a->width, a->width);
    arb_mat_init(a->matrix, a->width, a->width);
    arb_ptr const number[] = {a->radius, a->sum, a->rest, a->t, a->square, a->length};
    for (size_t k = 0; k < sizeof number / sizeof *number; k++)
        arb_init(number[k]);
}

static void test_close(tree_test *a)
{
    const int64_t n = a->claim->n;
    _arb_vec_clear(a->point, n * a->width);
    _arb_vec_clear(a->v, n);
    _arb_vec_clear(a->psi, n);
    _arb_vec_clear(a->column, (n + 1) * a->width);
    arb_mat_clear(a->moment);
    arb_mat_clear(a->matrix);
    arb_ptr const number[] = {a->radius, a->sum, a->rest, a->t, a->square, a->length};
    for (size_t k = 0; k < sizeof number / sizeof *number; k++)
        arb_clear(number[k]);
}

/* C_j += weight x_i; a column that the leaf fixes goes with its sign to column 0. */
static void add_point(tree_test *a, const int *fixed, int64_t j, const arb_t weight, int64_t i)
{
    const int sign = j > 0 ? fixed[j - 1] : 0;
    arb_ptr column = a->column + (sign ? 0 : j) * a->width;
    for (int64_t k = 0; k < a->width; k++)
        (sign < 0 ? arb_submul : arb_addmul)(column + k, weight, a->point + i * a->width + k, ARF_PREC_EXACT);
}

/* The columns C of a leaf. */
static void make_columns(tree_test *a, const fathom_proof_leaf *leaf, const int *fixed)
{
    const int64_t n = a->claim->n;
    _arb_vec_zero(a->column, (n + 1) * a->width);
    for (int64_t i = 0; i < n; i++) {
        arb_mul_si(a->psi + i, a->v + i, leaf->side, ARF_PREC_EXACT);
        add_point(a, fixed, 0, a->psi + i, i);
    }
    for (int64_t k = 0; k < leaf->entries; k++) {
        arb_set_d(a->t, fabs(leaf->theta[k]));
        arb_add(a->psi + leaf->i[k], a->psi + leaf->i[k], a->t, ARF_PREC_EXACT);
        arb_set_d(a->t, -leaf->theta[k]);
        add_point(a, fixed, leaf->j[k], a->t, leaf->i[k]);
    }
    for (int64_t j = 0; j < n; j++)
        if (arf_sgn(arb_midref(a->psi + j)) > 0)
            add_point(a, fixed, j + 1, a->psi + j, j);
    for (int64_t k = 0; k < leaf->depth; k++) {
        arb_set_d(a->t, leaf->nu[k]);
        add_point(a, fixed, leaf->row[k] + 1, a->t, leaf->row[k]);
    }
}

/* S, a and T. False where a column has a weight that the checker does not take. */
static bool make_moments(tree_test *a, const fathom_proof_leaf *leaf)
{
    const int64_t d = a->width;
    arb_mat_zero(a->moment);
    arb_zero(a->sum), arb_zero(a->rest);
    for (int64_t j = 0; j <= a->claim->n; j++) {
        arb_ptr column = a->column + j * d;
        if (_arb_vec_is_zero(column, d))
            continue;
        arb_set_d(a->length, leaf->weight[j]);
        if (!(leaf->weight[j] > 0)) {
            arb_dot(a->square, NULL, 0, column, 1, column, 1, d, BITS);
            arb_sqrtpos(a->square, a->square, BITS);
            arb_add(a->rest, a->rest, a->square, BITS);
            if (a->lifted || leaf->weight[j] < 0)
                return false;
            continue;
        }
        arb_inv(a->t, a->length, BITS);
        arb_add(a->sum, a->sum, a->t, BITS);
        for (int64_t k = 0; k < d; k++) {
            arb_mul(a->t, a->length, column + k, BITS);
            for (int64_t r = 0; r <= k; r++)
                arb_addmul(arb_mat_entry(a->moment, k, r), a->t, column + r, BITS);
        }
    }
    return true;
}

/* Whether the price proves the leaf whose moments are there. */
static bool leaf_holds(tree_test *a, double price, double lift)
{
    const int64_t d = a->width;
    arb_set_d(a->t, 2 * (price * (1 - SHY)));
    arb_sub(a->t, a->t, a->rest, BITS); /* Q */
    if (!arb_is_nonnegative(a->t))
        return false;
    if (arb_is_zero(a->sum))
        return true;
    arb_mul(a->square, a->t, a->t, BITS);
    arb_set_d(a->length, lift);
    arb_mul(a->length, a->length, a->sum, BITS);       /* a l */
    arb_submul(a->square, a->length, a->radius, BITS); /* Q^2 - a l R^2 */
    for (int64_t k = 0; k < d; k++)
        for (int64_t r = 0; r <= k; r++) {
            arb_ptr entry = arb_mat_entry(a->matrix, k, r);
            arb_mul(entry, a->sum, arb_mat_entry(a->moment, k, r), BITS);
            arb_neg(entry, entry);
            if (r == k)
                arb_add(entry, entry, k < a->claim->d ? a->square : a->length, BITS);
            arb_set(arb_mat_entry(a->matrix, r, k), entry);
        }
    return arb_mat_ldl(a->matrix, a->matrix, BITS);
}

/* The price, at least the one given, that proves the leaf, and its lift; infinite where none does. */
static double prove_leaf(tree_test *a, fathom_proof_leaf *leaf, double price, int *fixed)
{
    double more = 0, found = INFINITY;
    for (int64_t k = 0; k < leaf->depth; k++)
        fixed[leaf->row[k]] = leaf->sign[k];
    make_columns(a, leaf, fixed);
    if (make_moments(a, leaf)) {
        const double least = end_of(a->rest, 1) / 2 * (1 + 4 * SHY), start = fmax(price, least);
        for (; more <= MOST && isinf(found); more = more > 0 ? 4 * more : FIRST) {
            const double now = start * (1 + more), times = price > 0 ? now / price : 1;
            if (leaf_holds(a, now, leaf->lift * times * times)) {
                found = now;
                leaf->lift *= times * times;
            }
        }
    }
    for (int64_t k = 0; k < leaf->depth; k++)
        fixed[leaf->row[k]] = 0;
    return found;
}

/* Direction number k of the outputs (o): an axis, or what its parents make; `all` has those before it. */
static void find_direction(arb_ptr all, const fathom_proof *proof, int64_t k)
{
    const int64_t o = proof->outputs, axes = proof->pieces > 0 ? proof->axes : o;
    arb_ptr at = all + k * o;
    arb_t share;
    if (k < axes) {
        arb_one(at + k);
        if (axes < o)
            arb_set_si(at + o - 1, -1);
        return;
    }
    arb_init(share);
    for (int half = 0; half < 2; half++) {
        arb_set_d(share, proof->share[2 * (k - axes) + half]);
        for (int64_t e = 0; e < o; e++)
            arb_addmul(at + e, share, all + proof->parent[2 * (k - axes) + half] * o + e, ARF_PREC_EXACT);
    }
    arb_clear(share);
}

/* v = V c for direction c. */
static void set_direction(tree_test *a, arb_srcptr c)
{
    const fathom_claim *claim = a->claim;
    _arb_vec_zero(a->v, claim->n);
    for (int64_t k = 0; k < claim->outputs; k++)
        for (int64_t i = 0; i < claim->n; i++) {
            arb_set_d(a->t, claim->v[k * claim->n + i]);
            arb_addmul(a->v + i, a->t, c + k, ARF_PREC_EXACT);
        }
}

/* Proves the leaves of direction k, of its kink or all; its prices rise where they must. */
static bool prove_direction(bool *raised, fathom_proof *proof, tree_test *a, int64_t k, int64_t kink,
                            int *fixed)
{
    for (int side = 0; side < 2; side++) {
        const double before = proof->price[2 * k + side];
        double price = before;
        for (int64_t l = 0; l < proof->leaves; l++) {
            fathom_proof_leaf *leaf = proof->leaf + l;
            if (leaf->output == k && (leaf->side < 0) == (side == 1) && (!proof->kinks || leaf->kink == kink))
                price = fmax(price, prove_leaf(a, leaf, before, fixed));
        }
        proof->price[2 * k + side] = price;
        *raised = *raised || price > before;
        if (!isfinite(price))
            return false;
    }
    return true;
}

bool fathom_exact_trees(fathom_proof *proof, const fathom_claim *claim)
{
    const int64_t o = proof->outputs, directions = proof->pieces > 0 ? proof->axes + proof->corners : o;
    bool all = true, raised = false;
    tree_test a;
    test_open(&a, claim, proof->kinks);
    set_points(&a, proof->centre);
    arb_ptr direction = _arb_vec_init(directions * o);
    int *fixed = flint_calloc((size_t)claim->n, sizeof *fixed);
    for (int64_t k = 0; k < directions && all; k++) {
        find_direction(direction, proof, k);
        set_direction(&a, direction + k * o);
        for (int64_t kink = 0; kink < (proof->kinks ? claim->n : 1) && all; kink++) {
            if (proof->kinks)
                set_points(&a, claim->x + kink * claim->d);
            all = prove_direction(&raised, proof, &a, k, kink, fixed);
        }
        if (proof->kinks) /* one price for both sides */
            proof->price[2 * k] = proof->price[2 * k + 1] =
                fmax(proof->price[2 * k], proof->price[2 * k + 1]);
    }
    if (all && raised)
        all = fathom_claim_raise_pieces(proof);
    flint_free(fixed);
    _arb_vec_clear(direction, directions * o);
    test_close(&a);
    return all;
}

/* |sum_i D_ij v_i x_i'|^2, with multipliers of a leaf, about one output: |+-sum_i D_ij v_i x_i + sum_i mu_i e_ij x_i|^2. */
static void gate_square(arb_t square, arb_ptr sum, const fathom_proof *proof, const fathom_claim *c,
                        int64_t j, const fathom_proof_leaf *leaf)
{
    const uint64_t *bits = proof->bits + j * proof->words;
    arb_t v, x;
    arb_init(v), arb_init(x);
    arb_zero(square);
    for (int64_t k = leaf ? leaf->kink : 0; k < (leaf ? leaf->kink + 1 : c->outputs); k++) {
        _arb_vec_zero(sum, c->d);
        for (int64_t i = 0; i < c->n; i++)
            for (int64_t l = 0; l < c->d && bits[i / 64] >> (i % 64) & 1; l++) {
                arb_set_d(v, leaf && leaf->side < 0 ? -c->v[k * c->n + i] : c->v[k * c->n + i]);
                arb_set_d(x, c->x[i * c->d + l]);
                arb_addmul(sum + l, v, x, BITS);
            }
        for (int64_t t = 0; leaf && t < leaf->depth; t++)
            for (int64_t l = 0; l < c->d; l++) {
                const int64_t i = leaf->row[t];
                arb_set_d(v, bits[i / 64] >> (i % 64) & 1 ? leaf->nu[t] : -leaf->nu[t]);
                arb_set_d(x, c->x[i * c->d + l]);
                arb_addmul(sum + l, v, x, BITS);
            }
        arb_dot(square, square, 0, sum, 1, sum, 1, c->d, BITS);
    }
    arb_clear(v), arb_clear(x);
}

double fathom_exact_gates(const fathom_proof *proof, const fathom_claim *claim)
{
    double largest = 0;
    arb_t square;
    arb_init(square);
    arb_ptr sum = _arb_vec_init(claim->d);
    for (int64_t k = 0; k < (proof->leaves > 0 ? proof->leaves : proof->gates); k++) {
        const fathom_proof_leaf *leaf = proof->leaves > 0 ? proof->leaf + k : NULL;
        gate_square(square, sum, proof, claim, leaf ? leaf->output : k, leaf);
        arb_sqrtpos(square, square, BITS);
        largest = fmax(largest, end_of(square, 1));
    }
    _arb_vec_clear(sum, claim->d);
    arb_clear(square);
    return largest;
}

static int by_place(const void *left, const void *right)
{
    const double *a = *(const double *const *)left, *b = *(const double *const *)right;
    return *a != *b ? (*a < *b ? -1 : 1) : (a > b) - (a < b);
}

/* max_j max(|G_j|, |G_j - G_N|), G_j = sum_i v_i (t_j - t_i)_+ along increasing places: G grows by (v_1 + ..
 * + v_j)(t_{j+1} - t_j). */
static double largest_kink(const double *place, const double *v, int64_t n)
{
    const double **order = flint_malloc((size_t)n * sizeof *order);
    arb_ptr g = _arb_vec_init(n);
    double largest = 0;
    arb_t sum, step, t;
    arb_init(sum), arb_init(step), arb_init(t);
    for (int64_t i = 0; i < n; i++)
        order[i] = place + i;
    qsort(order, (size_t)n, sizeof *order, by_place);
    for (int64_t k = 0; k + 1 < n; k++) {
        arb_set_d(t, v[order[k] - place]);
        arb_add(sum, sum, t, ARF_PREC_EXACT);
        arb_set_d(step, *order[k + 1]);
        arb_set_d(t, *order[k]);
        arb_sub(step, step, t, ARF_PREC_EXACT);
        arb_set(g + k + 1, g + k);
        arb_addmul(g + k + 1, sum, step, BITS);
    }
    for (int64_t k = 0; k < 2 * n; k++) {
        arb_set(t, g + k % n);
        if (k >= n)
            arb_sub(t, t, g + n - 1, BITS);
        arb_abs(t, t);
        largest = fmax(largest, end_of(t, 1));
    }
    arb_clear(sum), arb_clear(step), arb_clear(t);
    _arb_vec_clear(g, n);
    flint_free(order);
    return largest;
}

double fathom_exact_line(const fathom_proof *proof, const fathom_claim *c)
{
    const double *a = proof->along;
    if (!a)
        return largest_kink(c->x, c->v, c->n);
    arb_t price, rest, t, length;
    arb_ptr x = _arb_vec_init(2 * c->d), line = x + c->d;
    arb_init(price), arb_init(rest), arb_init(t), arb_init(length);
    set_all(line, a, c->d);
    arb_set_d(price, largest_kink(a + c->d, c->v, c->n));
    arb_dot(length, NULL, 0, line, 1, line, 1, c->d, BITS);
    arb_sqrtpos(length, length, BITS);
    for (int64_t i = 0; i < c->n; i++) {
        set_all(x, c->x + i * c->d, c->d);
        arb_set_d(t, a[c->d + i]);
        for (int64_t l = 0; l < c->d; l++)
            arb_submul(x + l, t, line + l, ARF_PREC_EXACT);
        arb_dot(t, NULL, 0, x, 1, x, 1, c->d, BITS);
        arb_sqrtpos(t, t, BITS);
        arb_set_d(x, fabs(c->v[i]));
        arb_addmul(rest, x, t, BITS);
    }
    arb_addmul(rest, price, length, BITS);
    const double upper = end_of(rest, 1) * (1 + 0x1p-50);
    arb_clear(price), arb_clear(rest), arb_clear(t), arb_clear(length);
    _arb_vec_clear(x, 2 * c->d);
    return upper;
}
