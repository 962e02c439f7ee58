/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the network of a result attains, from above: its own outputs once more, with their errors.
 *
 * f_i = c + sum_j w_j relu(<u_j, x_i> + b_j) (gated: sum_j 1[<v_j, x_i> > 0] <w_j, x_i>) is computed with an
 * error of at most e_i. Small problems take compensated sums [Ogita-Rump-Oishi 2005: |error| <= u |result| +
 * gamma_k^2 sum |a||b|, gamma_k = k u / (1 - k u)], with the exact sign of <v_j, x_i>; others the plain
 * product, e_i = gamma sum_j |w_j|(|u_j||x_i| + |b_j|). Then
 *
 *     l(f_i) <= (|f - y| + e)^2 / 2  (squared),   (1 - yf)_+ + e  (hinge),   l e^e  (logistic),   l e^{2e}
 *       (softmax),
 *
 * the last two because |l'| <= l (|l'|_1 <= 2 l), and every sum of positive terms is rounded up by its
 * length. One place for all methods: what they believe of their networks does not matter. O(n m d).
 */
#include <float.h>
#include <math.h>

#include "exact_dot.h"
#include "memory.h"
#include "train_internal.h"

/* Products up to which sums are compensated. */
static const double MOST_PRODUCTS = 2e7;

static const double U = DBL_EPSILON / 2;

/* A sum of products so far: sum + lost, and the sum of their sizes. */
typedef struct {
    double sum, lost, size;
    int64_t count;
    bool rounded; /* not every step was exact */
} tally;

/* Products from here on have an error that a double holds. */
static const double LEAST_PRODUCT = 0x1p-960;

static void tally_add(tally *t, double a, double b)
{
    const double p = a * b, next = t->sum + p, back = next - t->sum;
    const double of_sum = (t->sum - (next - back)) + (p - back), of_product = fma(a, b, -p);
    t->lost += of_sum + of_product;
    t->rounded =
        t->rounded || of_sum != 0 || of_product != 0 || (fabs(p) < LEAST_PRODUCT && a != 0 && b != 0);
    t->sum = next;
    t->size += fabs(p);
    t->count++;
}

/* Its value; *error bounds how far that is from the truth. */
static double tally_end(double *error, const tally *t)
{
    const double k = (double)(t->count + 2) * U, gamma = k / (1 - k), value = t->sum + t->lost;
    *error = !t->rounded ? 0
                         : (U * fabs(value) + gamma * gamma * t->size) * (1 + 8 * U) +
                               DBL_MIN * (double)(t->count + 1);
    return value;
}

/* Whether <v, x> > 0, exactly. */
static bool is_open(const double *v, const double *x, int64_t d)
{
    tally t = {0};
    double error;
    for (int64_t l = 0; l < d; l++)
        tally_add(&t, v[l], x[l]);
    const double value = tally_end(&error, &t);
    return fabs(value) > error ? value > 0 : fathom_exact_dot_sign(d, v, x) > 0;
}

/* A network with its problem, and where its outputs go. */
typedef struct {
    const fathom_train_problem *p;
    fathom_net_shape shape;
    fathom_net_weights net;
    double *f, *e; /* outputs x n, n */
    double *row;   /* d: the row that is looked at */
} measure;

/* Output k of row i. */
static double one_output(double *error, const measure *m, int64_t i, int64_t k)
{
    const int64_t d = m->shape.d, o = m->shape.outputs;
    const double *x = m->p->x ? m->p->x + i * d : m->row;
    double carried = 0;
    tally f = {0};
    tally_add(&f, m->net.c ? m->net.c[k] : 0, 1);
    for (int64_t j = 0; j < m->shape.m; j++) {
        if (m->shape.kind == FATHOM_NET_GATED) {
            for (int64_t l = 0, open = is_open(m->net.v + j * d, x, d); l < d && open; l++)
                tally_add(&f, m->net.w[(j * o + k) * d + l], x[l]);
            continue;
        }
        tally h = {0};
        double off;
        for (int64_t l = 0; l < d; l++)
            tally_add(&h, m->net.u[j * d + l], x[l]);
        if (m->net.b)
            tally_add(&h, m->net.b[j], 1);
        const double value = tally_end(&off, &h);
        carried += value > -off ? fabs(m->net.w[j * o + k]) * off : 0;
        tally_add(&f, m->net.w[j * o + k], fmax(value, 0));
    }
    const double value = tally_end(error, &f);
    *error = (*error + carried) * (1 + (double)(m->shape.m + 8) * U);
    return value;
}

static void outputs_compensated(measure *m)
{
    const int64_t n = m->p->n;
    for (int64_t i = 0; i < n; i++) {
        m->e[i] = 0;
        if (!m->p->x)
            fathom_train_row(m->row, m->p, i);
        for (int64_t k = 0; k < m->shape.outputs; k++) {
            double error;
            m->f[k * n + i] = one_output(&error, m, i, k);
            m->e[i] = fmax(m->e[i], error);
        }
    }
}

/* |a|, rounded up. */
static double length_above(const double *a, int64_t count)
{
    double square = 0;
    for (int64_t k = 0; k < count; k++)
        square += a[k] * a[k];
    return count == 1 ? fabs(a[0]) : sqrt(square) * (1 + (double)(count + 4) * U) + DBL_MIN;
}

/* sum_j |w_j||u_j|, or sum_j |w_j| of gates, rounded up; *biased = sum_j |w_j||b_j|. */
static double norm_above(double *biased, const measure *m)
{
    const int64_t d = m->shape.d, o = m->shape.outputs;
    const bool gated = m->shape.kind == FATHOM_NET_GATED;
    const int64_t block = gated ? o * d : o;
    double norm = 0;
    *biased = 0;
    for (int64_t j = 0; j < m->shape.m; j++) {
        const double w = length_above(m->net.w + j * block, block);
        norm += gated ? w : w * length_above(m->net.u + j * d, d);
        *biased += m->net.b && !gated ? w * fabs(m->net.b[j]) : 0;
    }
    *biased *= 1 + (double)(m->shape.m + 8) * U;
    return norm * (1 + (double)(m->shape.m + 8) * U);
}

/* What the penalty multiplies; a linear function is two opposite neurons, and pays |w|_1. */
static double penalised(const measure *m, double norm)
{
    double sum = 0;
    if (m->p->options->model != FATHOM_TRAIN_LINEAR)
        return norm;
    for (int64_t k = 0; k < m->shape.m * m->shape.d; k++)
        sum += fabs(m->net.u[k]);
    return sum / 2 * (1 + (double)(m->shape.m * m->shape.d + 8) * U);
}

/* How many numbers of row i may not be 0. */
static int64_t row_length(const fathom_train_problem *p, int64_t i)
{
    const int64_t *start = p->x ? NULL : p->sparse.points.row.row_start;
    return start ? start[i + 1] - start[i] : p->d;
}

static fathom_status outputs_plain(measure *m, const fathom_net *net, double norm, double biased)
{
    const int64_t n = m->p->n, o = m->shape.outputs;
    double *f = fathom_memory_alloc(m->p->context, n * o, sizeof *f);
    if (!f)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status = fathom_net_forward(f, net, m->p->data);
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++) {
        const int64_t length = row_length(m->p, i); /* the terms of a product with x_i */
        const double k =
            (double)(length + m->shape.m * (m->shape.kind == FATHOM_NET_GATED ? length : 1) + 16) * U;
        m->e[i] = 0;
        for (int64_t l = 0; l < o; l++) {
            m->f[l * n + i] = f[i * o + l];
            m->e[i] = fmax(m->e[i], m->net.c ? fabs(m->net.c[l]) : 0);
        }
        m->e[i] = k / (1 - k) * (norm * m->p->reach[i] + biased + m->e[i]) * (1 + 16 * U);
    }
    fathom_memory_free(m->p->context, f);
    return status;
}

static double loss_above(const measure *m)
{
    const fathom_objective p = fathom_train_objective(m->p, 0);
    const fathom_loss_row *row = fathom_loss_row_of(p.loss);
    double sum = 0;
    for (int64_t i = 0; i < p.n; i++)
        sum += fathom_objective_weight(&p, i) * row->above(&p, m->f, i, m->e[i]);
    return sum * (1 + (double)(p.n + 8) * U);
}

/* Both ends and what follows from them. */
static void set_bounds(fathom_train_result *result, const fathom_train_problem *p, double loss, double norm)
{
    const double up = 1 + 6 * U;
    result->norm = norm;
    if (p->equality)
        result->objective = fmax(result->objective, norm);
    else {
        result->loss = loss > 0 ? loss / p->divisor * up : 0;
        result->objective = (result->loss + (norm > 0 ? result->beta * norm : 0)) * up;
    }
    fathom_train_judge(result, p->options->gap);
    if (result->status == FATHOM_TRAIN_LIMIT && result->end == FATHOM_END_REACHED)
        result->end = FATHOM_END_STALLED;
    else if (result->status != FATHOM_TRAIN_LIMIT)
        result->end = FATHOM_END_REACHED;
}

fathom_status fathom_train_measure(fathom_train_result *result, const fathom_train_problem *p)
{
    if (!result->net || !isfinite(result->objective))
        return FATHOM_OK;
    measure m = {.p = p, .shape = fathom_net_look(result->net), .net = fathom_net_lend(result->net)};
    const bool known = m.shape.kind == FATHOM_NET_RELU || m.shape.kind == FATHOM_NET_GATED;
    double biased;
    if (!known || m.shape.outputs != p->outputs)
        return FATHOM_OK;
    const double norm = norm_above(&biased, &m);
    if (p->equality) {
        set_bounds(result, p, 0, norm);
        return FATHOM_OK;
    }
    m.f = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *m.f);
    m.e = fathom_memory_alloc(p->context, p->n, sizeof *m.e);
    m.row = fathom_memory_alloc(p->context, p->x ? 0 : p->d, sizeof *m.row);
    fathom_status status = m.f && m.e && m.row ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    const double products = (double)p->n * (double)(m.shape.m * m.shape.outputs) * (double)(m.shape.d + 1);
    if (status == FATHOM_OK && products <= MOST_PRODUCTS)
        outputs_compensated(&m);
    else if (status == FATHOM_OK)
        status = outputs_plain(&m, result->net, norm, biased);
    if (status == FATHOM_OK)
        set_bounds(result, p, loss_above(&m), penalised(&m, norm));
    FATHOM_FREE(p->context, m.f, m.e, m.row);
    return status;
}
