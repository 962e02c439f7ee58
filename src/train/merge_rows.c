/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that the network cannot tell apart become one row with a weight; see merge_rows.h.
 *
 * With f_i = t_i f_0 for the rows of a group (t_i = 1 for equal rows; x_i = t_i x_0, t_i > 0, without a free
 * bias):
 *
 *     squared    sum_i c_i/2 |t_i f_0 - y_i|^2 = C/2 |f_0 - m|^2 + sum_i c_i/2 |y_i - t_i m|^2,  C = sum_i
 *       c_i t_i^2,  m = sum_i c_i t_i y_i / C
 *     softmax    sum_i c_i l(f_0, y_i) = C l(f_0, m),  t_i = 1: the loss is log sum exp f less a linear
 *       function of y
 *     logistic, hinge                  the same for equal rows with equal labels
 *     equality   t_i f_0 = t_i y_0 holds with f_0 = y_0 where the targets are in the ratio of the rows,
 *       exactly
 *
 * Rounding. C and m are those numbers up to factors 1 + e and errors d. Squared: C'/2 (f - m')^2 <= (1 + e)(1
 * + s) C/2 (f - m)^2 + (1 + e)(1 + 1/s) C/2 d^2 for any s > 0, so that the bound of the merged problem
 * shrinks by about e + s and loses C d^2/s. Softmax: where w proves a bound with m', (1 - s) w proves one
 * with m, if d <= s m: probabilities of mixed groups move by at most 2 s, and their entropies by 2 s (1 - log
 * 2s); the sum over the other rows, which is concave in w and not negative at 0, shrinks by s. Others: 1 + e
 * alone. The objective is that of the network on the original rows. O(n d + n log n).
 *
 * Dual points. v_i = c_i (y_i - t_i m) + c_i t_i v/C, one v_g = v for each group, has sum_i t_i v_i = v, so that its price is that of
 * v, and its value is that of v plus the constant: it is c_i (y_i - t_i f) at the f where C (m - f) = v. Equations: v / t for the
 * first row, 0 for the others.
 */
#include "merge_rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certificate_internal.h"
#include "loss_row.h"
#include "memory.h"
#include "merge_proof.h"
#include "train_relu.h"

bool fathom_products_equal(double a, double b, double c, double d)
{
    const double left = a * b, right = c * d;
    return left == right && fma(a, b, -left) == fma(c, d, -right);
}

int64_t fathom_row_first_entry(const double *x, int64_t d)
{
    int64_t l = 0;
    while (l < d && x[l] == 0)
        l++;
    return l;
}

bool fathom_rows_same_direction(const double *x, const double *q, int64_t d, int64_t l)
{
    if (fathom_row_first_entry(q, d) != l || l == d || (x[l] > 0) != (q[l] > 0))
        return false;
    for (int64_t k = l + 1; k < d; k++)
        if (!fathom_products_equal(x[k], q[l], x[l], q[k]))
            return false;
    return true;
}

bool fathom_rows_same(const double *x, const double *q, int64_t d)
{
    for (int64_t k = 0; k < d; k++)
        if (x[k] != q[k])
            return false;
    return true;
}

/* A row and a number that is the same for all rows of its group. */
typedef struct keyed {
    uint64_t key;
    int64_t row;
} keyed;

static int compare(const void *a, const void *b)
{
    const keyed *one = a, *two = b;
    if (one->key != two->key)
        return one->key < two->key ? -1 : 1;
    return one->row < two->row ? -1 : one->row > two->row;
}

static uint64_t mix(uint64_t key, double value)
{
    uint64_t bits;
    value += 0.0; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    key = (key ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}

/* Whether multiples of a row are told apart: f(t x) = t f(x) helps where the loss is quadratic or an
 * equation. */
static bool by_direction(const fathom_train_problem *p)
{
    return !p->constant && fathom_loss_row_of(p->loss)->quadratic;
}

/* Whether rows of a group need the same label. */
static bool by_label(const fathom_train_problem *p)
{
    return fathom_loss_row_of(p->loss)->signs || fathom_loss_row_of(p->loss)->boxed;
}

/* Quotients of doubles are rounded correctly, so that those of proportional rows are equal. */
static uint64_t key_of(const fathom_train_problem *p, int64_t i)
{
    const double *x = p->x + i * p->d;
    const int64_t l = fathom_row_first_entry(x, p->d);
    const double unit = by_direction(p) && l < p->d ? fabs(x[l]) : 1;
    uint64_t key = (uint64_t)l;
    for (int64_t k = l; k < p->d; k++)
        key = mix(key, x[k] / unit);
    return by_label(p) ? mix(key, p->y[i]) : key;
}

/* Equations: whether the target of row j follows from that of row i. */
static bool targets_follow(const fathom_train_problem *p, int64_t i, int64_t j, double xi, double xj)
{
    for (int64_t k = 0; k < p->outputs; k++)
        if (!fathom_products_equal(p->y[k * p->n + i], xj, p->y[k * p->n + j], xi))
            return false;
    return true;
}

static bool together(const fathom_train_problem *p, int64_t i, int64_t j)
{
    const double *x = p->x + i * p->d, *q = p->x + j * p->d;
    const int64_t l = fathom_row_first_entry(x, p->d);
    const bool same = fathom_rows_same(x, q, p->d);
    if (!same && !(by_direction(p) && fathom_rows_same_direction(x, q, p->d, l)))
        return false;
    if (by_label(p))
        return p->y[i] == p->y[j];
    return !p->equality || targets_follow(p, i, j, same ? 1 : x[l], same ? 1 : q[l]);
}

/* group[i] = the first row of the group of i. Returns how many groups there are. */
static int64_t find_groups(int64_t *group, keyed *order, const fathom_train_problem *p)
{
    int64_t count = p->n;
    for (int64_t i = 0; i < p->n; i++) {
        order[i] = (keyed){key_of(p, i), i};
        group[i] = i;
    }
    qsort(order, (size_t)p->n, sizeof *order, compare);
    for (int64_t a = 0, first = 0; a < p->n; a++) {
        if (order[a].key != order[first].key)
            first = a;
        for (int64_t b = first; b < a && group[order[a].row] == order[a].row; b++)
            if (group[order[b].row] == order[b].row && together(p, order[b].row, order[a].row))
                group[order[a].row] = order[b].row;
        count -= group[order[a].row] != order[a].row;
    }
    return count;
}

/* What is known of a group while its rows are added. */
typedef struct sums {
    int64_t *number; /* count: rows in the group */
    bool *mixed;     /* count: other targets or lengths than those of the merged row */
    double *size;    /* outputs x count: sum_i c_i t_i |y_i| / C */
    int64_t most;    /* rows in one group */
} sums;

static double weight_of(const fathom_train_problem *p, int64_t i) { return p->weight ? p->weight[i] : 1; }

/* t with x_i = t x, x the merged row. */
static double ratio(const fathom_train_problem *p, int64_t i, const double *x)
{
    const double *q = p->x + i * p->d;
    const int64_t l = fathom_row_first_entry(x, p->d);
    return by_direction(p) && l < p->d ? q[l] / x[l] : 1;
}

/* The longest row of every group stands for it: t <= 1. */
static void choose_rows(fathom_merged_rows *m, sums *s, const fathom_train_problem *p)
{
    const int64_t count = m->problem.n;
    double *reach = m->weight + count;
    memset(reach, 0, (size_t)count * sizeof *reach);
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t g = m->place[i];
        s->most = ++s->number[g] > s->most ? s->number[g] : s->most;
        if (s->number[g] > 1 && !(p->reach[i] > reach[g]))
            continue;
        reach[g] = p->reach[i];
        memcpy(m->x + g * p->d, p->x + i * p->d, (size_t)p->d * sizeof *m->x);
        for (int64_t k = 0; k < p->outputs; k++)
            m->y[k * count + g] = p->y[k * p->n + i];
    }
}

/* C of every group, and which of them are mixed: equations never are. */
static void add_weights(fathom_merged_rows *m, sums *s, const fathom_train_problem *p)
{
    const int64_t count = m->problem.n;
    memset(m->weight, 0, (size_t)count * sizeof *m->weight);
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t g = m->place[i];
        const double t = ratio(p, i, m->x + g * p->d);
        m->weight[g] += weight_of(p, i) * t * t;
        for (int64_t k = 0; k < p->outputs && !p->equality; k++)
            s->mixed[g] = s->mixed[g] || t != 1 || p->y[k * p->n + i] != m->y[k * count + g];
    }
}

/* What the rounding of its terms may add to m. */
static double rounding(const sums *s, int64_t g) { return (double)(s->most + 8) * DBL_EPSILON * s->size[g]; }

/* m of every mixed group. */
static void add_targets(fathom_merged_rows *m, sums *s, const fathom_train_problem *p)
{
    const int64_t count = m->problem.n;
    for (int64_t g = 0; g < count * p->outputs; g++)
        m->y[g] = s->mixed[g % count] ? 0 : m->y[g];
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t g = m->place[i];
        const double c = weight_of(p, i) * ratio(p, i, m->x + g * p->d);
        for (int64_t k = 0; k < p->outputs && s->mixed[g]; k++) {
            const double part = c * p->y[k * p->n + i] / m->weight[g];
            m->y[k * count + g] += part;
            s->size[k * count + g] += fabs(part);
        }
    }
    for (int64_t g = 0; g < count * p->outputs; g++) /* targets in balance: no noise of their sum */
        if (s->mixed[g % count] && fabs(m->y[g]) <= rounding(s, g))
            m->y[g] = 0;
}

/* The constant sum_i c_i/2 |y_i - t_i m|^2 and what the rounding of its terms may add to it. */
static void add_constant(fathom_merged_rows *m, const sums *s, const fathom_train_problem *p)
{
    const int64_t count = m->problem.n;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t g = m->place[i];
        const double t = ratio(p, i, m->x + g * p->d), c = weight_of(p, i);
        for (int64_t k = 0; k < p->outputs && s->mixed[g]; k++) {
            const double y = p->y[k * p->n + i], f = t * m->y[k * count + g], r = y - f;
            const double error = 4 * DBL_EPSILON * (fabs(y) + fabs(f));
            m->constant += c * r * r / 2;
            m->lost += c * error * (fabs(r) + error);
        }
    }
    m->constant *= 1 - (double)(p->n * p->outputs + 16) * DBL_EPSILON;
}

static const double SLACK = 0x1p-46; /* s above, per row of a group */

/* What the rounding of C and m costs the bound. */
static void find_slack(fathom_merged_rows *m, const sums *s, const fathom_train_problem *p)
{
    const int64_t count = m->problem.n;
    const double rows = (double)(s->most + 8), slack = rows * SLACK;
    for (int64_t g = 0; g < count; g++)
        for (int64_t k = 0; k < p->outputs && s->mixed[g]; k++) {
            const double error = 2 * rounding(s, k * count + g); /* and of what is taken for 0 */
            m->lost += m->weight[g] * (fathom_loss_row_of(p->loss)->simplex ? 2 * slack * (1 - log(2 * slack))
                                                                            : 2 * error * error / slack);
            m->shrink = 2 * slack;
        }
    if (!p->equality)
        m->shrink += 2 * rows * DBL_EPSILON;
}

static fathom_status fill(fathom_merged_rows *m, const fathom_train_problem *p, const int64_t *group,
                          int64_t count)
{
    sums s = {.number = fathom_memory_zero(p->context, count, sizeof *s.number),
              .mixed = fathom_memory_zero(p->context, count, sizeof *s.mixed),
              .size = fathom_memory_zero(p->context, count * p->outputs, sizeof *s.size)};
    m->place = fathom_memory_alloc(p->context, p->n, sizeof *m->place);
    m->x = fathom_memory_alloc(p->context, count * p->d, sizeof *m->x);
    m->y = fathom_memory_alloc(p->context, count * p->outputs, sizeof *m->y);
    m->weight = fathom_memory_alloc(p->context, 2 * count, sizeof *m->weight);
    const bool room = m->place && s.number && s.mixed && s.size && m->x && m->y && m->weight;
    m->problem.n = count;
    if (room) {
        for (int64_t i = 0, at = 0; i < p->n; i++)
            m->place[i] = group[i] == i ? at++ : m->place[group[i]];
        choose_rows(m, &s, p);
        add_weights(m, &s, p);
        add_targets(m, &s, p);
        if (fathom_loss_row_of(p->loss)->quadratic)
            add_constant(m, &s, p);
        find_slack(m, &s, p);
    }
    m->problem.x = m->x;
    m->problem.y = m->y;
    m->problem.weight = m->weight;
    m->problem.reach = m->weight + count;
    m->problem.dense = NULL;
    FATHOM_FREE(p->context, s.number, s.mixed, s.size);
    return room ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fathom_merged_rows_open(fathom_merged_rows *merged, bool *fewer, const fathom_train_problem *p)
{
    int64_t *group = fathom_memory_alloc(p->context, p->n, sizeof *group);
    keyed *order = fathom_memory_alloc(p->context, p->n, sizeof *order);
    fathom_status status = group && order ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    const int64_t count = status == FATHOM_OK ? find_groups(group, order, p) : p->n;
    *merged = (fathom_merged_rows){.problem = *p};
    *fewer = count < p->n;
    if (status == FATHOM_OK && *fewer)
        status = fill(merged, p, group, count);
    FATHOM_FREE(p->context, group, order);
    return status;
}

void fathom_merged_rows_close(fathom_merged_rows *merged)
{
    FATHOM_FREE(merged->problem.context, merged->place, merged->x, merged->y, merged->weight);
}

/* v (outputs x n) of the rows from `given`, that of the merged ones. */
static void split_dual(double *v, const double *given, const fathom_merged_rows *m,
                       const fathom_train_problem *p)
{
    const int64_t count = m->problem.n;
    int64_t seen = 0; /* groups are numbered as their first rows come */
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t g = m->place[i];
        const double t = ratio(p, i, m->x + g * p->d), c = weight_of(p, i);
        const bool first = g == seen;
        seen += first;
        for (int64_t k = 0; k < p->outputs; k++) {
            const double all = given[k * count + g], y = p->y[k * p->n + i] - t * m->y[k * count + g];
            v[k * p->n + i] = !p->equality ? c * (y + t * (all / m->weight[g])) : first ? all / t : 0;
        }
    }
}

/* s that scales the dual point of a proof into feasibility. */
static double scale_of(const fathom_proof *proof, double beta)
{
    const double price = fathom_proof_price(proof);
    return price > beta ? beta / price : 1;
}

/* The proof of the merged problem becomes one of the original, or a dual point of it to start one from. */
static fathom_status return_proof(fathom_train_result *result, const fathom_merged_rows *m,
                                  const fathom_train_problem *p)
{
    fathom_proof *old = result->proof;
    const int64_t size = m->problem.n * p->outputs;
    const double s = p->equality ? 1 : scale_of(old, result->beta * p->divisor);
    result->proof = NULL;
    fathom_status status = fathom_proof_create(&result->proof, p->context, p->n, p->d, p->outputs);
    for (int64_t k = 0; k < size && status == FATHOM_OK; k++)
        old->v[k] *= s;
    if (status == FATHOM_OK) {
        split_dual(result->proof->v, old->v, m, p);
        result->proof->most_bytes = old->most_bytes;
    }
    bool done = false;
    FATHOM_THEN(status, fathom_merged_proof_lift(&done, result->proof, old, s, m, p));
    if (status == FATHOM_OK)
        result->proof->started = !done;
    fathom_proof_free(old);
    return status;
}

fathom_status fathom_merged_rows_return(fathom_train_result *result, const fathom_merged_rows *merged,
                                        const fathom_train_problem *problem)
{
    const double scale = problem->equality ? 1 : problem->divisor, lower = result->lower_bound * scale;
    fathom_status status = fathom_relu_evaluate(result, problem);
    if (status == FATHOM_OK && result->proof)
        status = return_proof(result, merged, problem);
    if (status != FATHOM_OK)
        return status;
    result->lower_bound = fmax(0, (merged->constant + lower * (1 - merged->shrink) - merged->lost) / scale);
    if (result->proof)
        result->proof->lower = result->lower_bound * scale;
    fathom_train_conclude(result, problem);
    return FATHOM_OK;
}
