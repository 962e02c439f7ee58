/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence about merged rows as evidence about all rows, so that what is believed of few rows is proved of
 * all without a second search.
 *
 * Rows x_i = t_i x_r, t_i > 0, of group g, r one of them with t_r = 1; v_g = sum_i t_i v_i. Then relu(<x_i,
 * u>) = t_i relu(<x_r, u>), and prices, lists of cones and multipliers of cones are the same once rows are
 * named by r. A leaf of the joint relaxation (docs/reference/certificate.md, Sec. 5) of the merged rows,
 *
 *     psi_g = max(0, sigma v_g + S_g),  S_g = sum_h |Theta_gh|,  C_g = psi_g x_g - sum_h Theta_hg x_h,
 *
 * becomes one of all rows with the same columns, C_r = C_g and C_i = 0 for the others: Theta_gh goes to the
 * rows r of both groups, and in addition
 *
 *     Theta_ri = sigma v_i t_i      where sigma v_i > 0: psi_i x_i = sigma v_i t_i x_r is cancelled, and psi_r has it
 *     Theta_ir = f |v_i|            where sigma v_i < 0: psi_i = 0, and f |v_i| t_i x_r leaves C_r
 *
 * so that psi_r = max(0, sigma v_r + sum_{sigma v_i > 0} sigma v_i t_i + S_g). With N = sum_{sigma v_i < 0} |v_i| t_i what remains is
 * psi_r - f N = psi_g for f = 1 if psi_r >= N, and for f = psi_r / N otherwise, where psi_g = 0. With free biases t_i = 1, and the same holds
 * for (x_i, 1) and around every kink; columns that rounding leaves have a weight there, as each must.
 * Cost: O(n) per leaf, twice the number of rows of a group in kinks.
 */
#include "merge_proof.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "certificate_internal.h"
#include "claim_exact.h"
#include "memory.h"
#include "orthant_price.h"

typedef struct lift {
    fathom_proof *all;
    const fathom_proof *few;
    const fathom_train_problem *p;
    double s;
    const int64_t *place; /* n: the group of a row */
    int64_t *row;         /* groups: r */
    double *t;            /* n */
    double *w;            /* n: the dual point in the direction at hand */
    double *c;            /* directions x outputs */
    double *sum;          /* groups x 3: S_g, then the positive and the negative part of the others than r */
    double more;          /* what rounding may add to its price */
    fathom_proof_leaf leaf;
} lift;

static bool lift_open(lift *a, const fathom_merged_rows *m)
{
    fathom_context *context = a->p->context;
    const int64_t n = a->p->n, o = a->p->outputs, groups = m->problem.n,
                  directions = (a->few->pieces > 0 ? a->few->axes + a->few->corners : o);
    int64_t most = 0;
    for (int64_t l = 0; l < a->few->leaves; l++)
        most = a->few->leaf[l].entries > most ? a->few->leaf[l].entries : most;
    most += n;
    a->row = fathom_memory_alloc(context, groups, sizeof *a->row);
    a->t = fathom_memory_alloc(context, 2 * n, sizeof *a->t);
    a->c = fathom_memory_zero(context, directions * o, sizeof *a->c);
    a->sum = fathom_memory_alloc(context, 3 * groups, sizeof *a->sum);
    a->leaf.i = fathom_memory_alloc(context, most, sizeof *a->leaf.i);
    a->leaf.j = fathom_memory_alloc(context, most, sizeof *a->leaf.j);
    a->leaf.theta = fathom_memory_alloc(context, most, sizeof *a->leaf.theta);
    a->leaf.weight = fathom_memory_alloc(context, n + 1, sizeof *a->leaf.weight);
    a->leaf.row = fathom_memory_alloc(context, groups, sizeof *a->leaf.row);
    a->leaf.sign = fathom_memory_alloc(context, groups, sizeof *a->leaf.sign);
    a->leaf.nu = fathom_memory_alloc(context, groups, sizeof *a->leaf.nu);
    if (!a->row || !a->t || !a->c || !a->sum || !a->leaf.i || !a->leaf.j || !a->leaf.theta ||
        !a->leaf.weight || !a->leaf.row || !a->leaf.sign || !a->leaf.nu)
        return false;
    a->w = a->t + n;
    return true;
}

static void lift_close(lift *a)
{
    FATHOM_FREE(a->p->context, a->row, a->t, a->c, a->sum, a->leaf.i, a->leaf.j, a->leaf.theta,
                a->leaf.weight, a->leaf.row, a->leaf.sign, a->leaf.nu);
}

/* r of every group and t of every row. */
static void find_rows(lift *a, const fathom_merged_rows *m)
{
    const int64_t n = a->p->n, d = a->p->d;
    for (int64_t g = 0; g < m->problem.n; g++)
        a->row[g] = -1;
    for (int64_t i = 0; i < n; i++) {
        const double *x = a->p->x + i * d, *whole = m->x + a->place[i] * d;
        const int64_t l = fathom_row_first_entry(whole, d);
        if (a->row[a->place[i]] < 0 && fathom_rows_same(x, whole, d))
            a->row[a->place[i]] = i;
        a->t[i] = l < d ? x[l] / whole[l] : 1;
    }
}

/* w = V c, and what rounding may add to its price. */
static void set_direction(lift *a, int64_t k)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    double mass = 0;
    for (int64_t i = 0; i < n; i++) {
        double size = 0;
        a->w[i] = 0;
        for (int64_t e = 0; e < o; e++) {
            a->w[i] += a->c[k * o + e] * a->all->v[e * n + i];
            size += fabs(a->c[k * o + e] * a->all->v[e * n + i]);
        }
        mass += size * a->p->reach[i];
    }
    a->more = 4 * (double)(n + o + 16) * DBL_EPSILON * mass;
}

/* S_g and both parts of the others for the leaf's side. */
static void add_up(lift *a, const fathom_proof_leaf *from, int64_t groups)
{
    memset(a->sum, 0, (size_t)(3 * groups) * sizeof *a->sum);
    for (int64_t k = 0; k < from->entries; k++)
        a->sum[3 * from->i[k]] += a->s * fabs(from->theta[k]);
    for (int64_t i = 0; i < a->p->n; i++) {
        const double part = from->side * a->w[i] * a->t[i];
        if (i != a->row[a->place[i]])
            a->sum[3 * a->place[i] + (part > 0 ? 1 : 2)] += fabs(part);
    }
}

/* Entries of row i, which is not the r of its group. */
static void put_row(lift *a, int64_t i, int side)
{
    const int64_t g = a->place[i], r = a->row[g];
    const double *sum = a->sum + 3 * g, part = side * a->w[i],
                 psi = fmax(0, side * a->w[r] + sum[1] + sum[0]);
    if (part > 0)
        fathom_proof_put_entry(&a->leaf, r, i + 1, part * a->t[i]);
    else
        fathom_proof_put_entry(&a->leaf, i, r + 1, psi >= sum[2] ? -part : -part * (psi / sum[2]));
}

/* Weights: those of the groups at their r. Columns that only rounding leaves have the alpha of rounding: with free biases, where all
 * columns have one, and where the group has a smaller one. */
static void put_weights(lift *a, const fathom_proof_leaf *from, bool lifted)
{
    const int64_t n = a->p->n;
    const double most = a->more > 0 ? (double)(n + 1) / a->more : INFINITY;
    a->leaf.weight[0] = fmin(from->weight[0], most);
    for (int64_t i = 0; i < n; i++) {
        const double own = a->row[a->place[i]] == i ? from->weight[a->place[i] + 1] : 0;
        a->leaf.weight[i + 1] = own > 0 ? fmin(own, most) : lifted && most < INFINITY ? most : 0;
    }
}

static fathom_status lift_leaf(lift *a, const fathom_proof_leaf *from)
{
    fathom_proof_leaf *leaf = &a->leaf;
    const bool kinks = a->few->kinks;
    leaf->output = from->output;
    leaf->side = from->side;
    leaf->depth = from->depth;
    leaf->lift = a->s * a->s * from->lift;
    leaf->entries = 0;
    for (int64_t k = 0; k < from->depth; k++) {
        leaf->row[k] = a->row[from->row[k]];
        leaf->sign[k] = from->sign[k];
        leaf->nu[k] = a->s * from->nu[k];
    }
    for (int64_t k = 0; k < from->entries; k++)
        fathom_proof_put_entry(leaf, a->row[from->i[k]], from->j[k] > 0 ? a->row[from->j[k] - 1] + 1 : 0,
                               a->s * from->theta[k]);
    add_up(a, from, a->few->n);
    for (int64_t i = 0; i < a->p->n; i++)
        if (a->row[a->place[i]] != i)
            put_row(a, i, from->side);
    put_weights(a, from, a->p->constant && !kinks);
    fathom_status status = FATHOM_OK;
    for (int64_t i = 0; i < (kinks ? a->p->n : 1) && status == FATHOM_OK; i++) {
        if (kinks && a->place[i] != from->kink)
            continue;
        leaf->kink = kinks ? i : 0;
        status = fathom_proof_add_leaf(a->all, leaf);
    }
    return status;
}

/* The pieces of few, for s v. */
static fathom_status lift_cover(fathom_proof *all, const fathom_proof *few, double s)
{
    if (few->pieces == 0)
        return FATHOM_OK;
    FATHOM_TRY(fathom_proof_set_cover(all, few->corners, few->pieces));
    all->axes = few->axes;
    all->fan = few->fan;
    memcpy(all->parent, few->parent, (size_t)(2 * few->corners) * sizeof *all->parent);
    memcpy(all->share, few->share, (size_t)(2 * few->corners) * sizeof *all->share);
    memcpy(all->bisect, few->bisect, (size_t)few->pieces * sizeof *all->bisect);
    for (int64_t k = 0; k < few->pieces * few->outputs; k++)
        all->majorant[k] = s * few->majorant[k];
    return FATHOM_OK;
}

/* Trees, and prices that the checker finds in directions: those of s v, raised by what rounding may add. */
static fathom_status lift_directions(bool *done, lift *a)
{
    const fathom_proof *few = a->few;
    const int64_t directions = few->pieces > 0 ? few->axes + few->corners : a->p->outputs;
    fathom_status status = lift_cover(a->all, few, a->s);
    fathom_proof_directions(a->c, few);
    for (int64_t k = 0; k < directions && status == FATHOM_OK; k++) {
        set_direction(a, k);
        for (int64_t l = 0; l < few->leaves && status == FATHOM_OK; l++)
            if (few->leaf[l].output == k)
                status = lift_leaf(a, few->leaf + l);
        if (status == FATHOM_OK && few->planar)
            status = fathom_proof_add_price(a->all, k, 0);
        for (int side = 0; side < 2 && status == FATHOM_OK; side++)
            a->all->price[2 * k + side] = a->s * few->price[2 * k + side] + 2 * a->more;
    }
    if (status == FATHOM_OK)
        *done = fathom_claim_raise_pieces(a->all);
    return status;
}

/* Patterns of all rows, and multipliers of rows at the r of their groups. */
static fathom_status lift_cones(lift *a)
{
    const fathom_proof *few = a->few;
    const int64_t n = a->p->n, words = (n + 63) / 64;
    uint64_t *bits = fathom_memory_zero(a->p->context, few->gates * words, sizeof *bits);
    if (!bits)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < few->gates; j++)
        for (int64_t i = 0; i < n; i++) {
            const uint64_t open = few->bits[j * few->words + a->place[i] / 64] >> (a->place[i] % 64) & 1;
            bits[j * words + i / 64] |= open << (i % 64);
        }
    const fathom_gates_view gates = {.n = n,
                                     .d = a->p->d,
                                     .m = few->gates,
                                     .words = words,
                                     .bits = bits,
                                     .orientation = few->orientation,
                                     .exact_at = few->exact_at,
                                     .exact_text = few->exact_text};
    fathom_status status = fathom_proof_set_gates(a->all, &gates, few->complete);
    for (int64_t l = 0; l < few->leaves && status == FATHOM_OK; l++) {
        fathom_proof_leaf leaf = few->leaf[l];
        memset(a->leaf.weight, 0, (size_t)(n + 1) * sizeof *a->leaf.weight);
        leaf.weight = a->leaf.weight;
        leaf.row = a->leaf.row;
        leaf.nu = a->leaf.nu;
        for (int64_t k = 0; k < leaf.depth; k++) {
            leaf.row[k] = a->row[few->leaf[l].row[k]];
            leaf.nu[k] = a->s * few->leaf[l].nu[k];
        }
        status = fathom_proof_add_leaf(a->all, &leaf);
    }
    fathom_memory_free(a->p->context, bits);
    return status;
}

/* Weights of all rows, where these prove the price of the groups: the V_i of a group may point apart. */
static fathom_status lift_orthant(bool *done, lift *a)
{
    const fathom_train_problem *p = a->p;
    const double enough = a->s * a->few->exact_price * (1 + 1e-9);
    double price = INFINITY, *weight = fathom_memory_alloc(p->context, p->n, sizeof *weight);
    fathom_status status = weight ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && fathom_orthant_fits(p->n, p->d, p->outputs))
        status = fathom_orthant_price(weight, &price, p->context, p->x, p->n, p->d, a->all->v, p->outputs);
    *done = status == FATHOM_OK && price <= enough;
    if (*done)
        status = fathom_proof_set_orthant(a->all, weight, price);
    fathom_memory_free(p->context, weight);
    return status;
}

/* One price for all: that of s v and what rounding may add; places on a line. */
static fathom_status lift_exact(lift *a)
{
    const fathom_proof *few = a->few;
    a->c[0] = 1;
    set_direction(a, 0);
    a->all->exact_price = few->exact_price > 0 ? a->s * few->exact_price + a->more : 0;
    if (few->along) {
        const int64_t n = a->p->n, d = a->p->d;
        double *along = fathom_memory_alloc(a->p->context, d + n, sizeof *along);
        a->all->along = along;
        if (!along)
            return FATHOM_ERROR_MEMORY;
        memcpy(along, few->along, (size_t)d * sizeof *along);
        for (int64_t i = 0; i < n; i++)
            along[d + i] = a->t[i] * few->along[d + a->place[i]];
    }
    if (few->centre && !a->all->centre) {
        a->all->centre = fathom_memory_alloc(a->p->context, a->p->d, sizeof *a->all->centre);
        if (!a->all->centre)
            return FATHOM_ERROR_MEMORY;
        memcpy(a->all->centre, few->centre, (size_t)a->p->d * sizeof *few->centre);
    }
    return FATHOM_OK;
}

fathom_status fathom_merged_proof_lift(bool *done, fathom_proof *all, const fathom_proof *few, double s,
                                       const fathom_merged_rows *merged, const fathom_train_problem *problem)
{
    lift a = {.all = all, .few = few, .p = problem, .s = s, .place = merged->place};
    const fathom_proof_kind kind = fathom_proof_kind_of(few);
    *done = !few->started && kind != FATHOM_PROOF_EMPTY && kind != FATHOM_PROOF_GATES;
    if (!*done)
        return FATHOM_OK;
    fathom_status status = lift_open(&a, merged) ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        find_rows(&a, merged);
        status = lift_exact(&a);
    }
    if (status == FATHOM_OK && kind == FATHOM_PROOF_CONES)
        status = lift_cones(&a);
    else if (status == FATHOM_OK && kind == FATHOM_PROOF_TREES)
        status = lift_directions(done, &a);
    else if (status == FATHOM_OK && kind == FATHOM_PROOF_ORTHANT)
        status = lift_orthant(done, &a);
    if (status == FATHOM_OK && !*done) {
        fathom_proof_drop_leaves(all);
        all->planar = false;
        all->pieces = all->corners = 0;
    }
    all->kinks = *done && few->kinks;
    all->lower = *done ? few->lower : 0;
    lift_close(&a);
    return status;
}
