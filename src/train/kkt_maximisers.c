/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All neurons of largest price at a dual point, and a proof that an optimal network is the only one.
 *
 * On the line (one column, free bias) the price of a kink is linear between neighbouring places, so that a
 * list by places holds all. Without a free bias and with few cones: in a cone K with pattern D the price of
 * side s is <s X'Dv, u>, which one unit vector of K maximises, q/|q| with q the projection of s X'Dv on K;
 * the list by cones holds all.
 *
 * Uniqueness (squared and logistic losses, one output; docs/explanation/global.md). D is strongly concave: |v - v*| <= r
 * with r^2 = 2 c gap / N (squared), c gap / (2N) (logistic), c the largest weight. Projections do not expand,
 * so q* of the optimal v* is within h = |X| r of q. Hence (1) only cones with |q| + h >= beta can hold a
 * neuron of an optimal network. (2) Where all multipliers of the tight rows T of q exceed h / sigma_min(X_T),
 * and all other rows miss the kink by more than h |x_i|, q* has the same tight rows: cones that agree in
 * these signs and zeros share one maximiser, that of their common face. (3) With one z = relu(Xq)/|q| for
 * each face, z* is within 2 h |X| / |q| of z; where sigma_min(Z) exceeds the norm of these errors the z* are
 * independent, f* = Z*a has one solution a, and the loss determines f*: the network is unique up to neurons
 * that are split into parallel ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "gate_cone.h"
#include "hyperplanes.h"
#include "inner/json.h"
#include "inner/train.h"
#include "loss_row.h"
#include "memory.h"
#include "train_kkt.h"

/* Neurons are listed up to this many, cones looked at up to that many. */
enum { LISTED = 1000 };
static const double MOST_CONES = 2e4;

/* For what rounding does to sums and projections, relative. */
static const double ROUNDING = 1e-12;

/* --- the list ------------------------------------------------------------------------------------------- */

typedef struct {
    const fathom_kkt *kkt;
    fathom_json *list;
    double least; /* prices from here on are listed */
    int64_t count;
} maximisers;

static fathom_status list_neuron(maximisers *m, const double *u, double bias, int sign, double price)
{
    const fathom_claim *c = &m->kkt->claim;
    fathom_json *member;
    if (m->count++ >= LISTED)
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_append_object(m->list, &member));
    FATHOM_TRY(fathom_json_set_vector(member, "u", u, c->d));
    FATHOM_TRY(fathom_json_set_real(member, "b", bias));
    FATHOM_TRY(fathom_json_set_integer(member, "sign", sign));
    return fathom_json_set_real(member, "price", price);
}

/* --- the line ------------------------------------------------------------------------------------------- */

typedef struct {
    double x, v;
} place;

static int by_place(const void *a, const void *b)
{
    const double x = ((const place *)a)->x, y = ((const place *)b)->x;
    return (x > y) - (x < y);
}

/* The kink at x with the prices G (opening to the left) and G - G_N. */
static fathom_status list_place(maximisers *m, double x, long double left, long double right)
{
    static const double u[] = {1, -1};
    const long double price[] = {right, left};
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < 2 && status == FATHOM_OK; k++)
        if ((double)fabsl(price[k]) >= m->least)
            status = list_neuron(m, u + k, -u[k] * x, price[k] > 0 ? 1 : -1, (double)fabsl(price[k]));
    return status;
}

static fathom_status list_line(maximisers *m)
{
    const fathom_claim *c = &m->kkt->claim;
    place *p = fathom_memory_alloc(c->context, c->n, sizeof *p);
    fathom_status status = p ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < c->n && p; i++)
        p[i] = (place){c->x[i], m->kkt->v[i]};
    if (p)
        qsort(p, (size_t)c->n, sizeof *p, by_place);
    long double end = 0;
    for (int64_t i = 0; i < c->n && p; i++)
        end += (long double)p[i].v * ((long double)p[c->n - 1].x - p[i].x);
    long double g = 0, sum = 0;
    for (int64_t i = 0; i < c->n && status == FATHOM_OK; i++) {
        if (i > 0)
            g += sum * ((long double)p[i].x - p[i - 1].x);
        sum += p[i].v;
        if (i == 0 || p[i].x != p[i - 1].x)
            status = list_place(m, p[i].x, g, g - end);
    }
    fathom_memory_free(c->context, p);
    return status;
}

/* --- cones ---------------------------------------------------------------------------------------------- */

typedef struct {
    const fathom_kkt *kkt;
    fathom_gate_cone cone;
    double *reach;     /* n */
    double *p;         /* d */
    double norm;       /* |X|, rounded up */
    double h;          /* how far q* may be from q; infinite where nothing is known */
    int64_t faces;     /* different ones so far */
    signed char *face; /* LISTED x n: signs and zeros of their maximisers */
    double *z;         /* LISTED x n */
    double shortest;   /* |q| */
    const char *doubt; /* why uniqueness is not proved; NULL: nothing against it so far */
} cones;

static void cones_close(cones *a)
{
    fathom_context *context = a->kkt->claim.context;
    fathom_gate_cone_close(&a->cone);
    FATHOM_FREE(context, a->reach, a->face, a->z);
}

/* The extreme singular values of a (rows x columns), which is overwritten; widened by rounding. */
static fathom_status singular(double *least, double *most, double *a, int64_t rows, int64_t columns,
                              fathom_context *context)
{
    const int64_t k = rows < columns ? rows : columns;
    double *s = fathom_memory_alloc(context, k, sizeof *s);
    fathom_status status =
        s ? fathom_blas_svd(s, NULL, NULL, a, columns, rows, columns, context) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        *most = s[0] * (1 + 1e-10);
        *least = fmax(0, s[k - 1] - 1e-10 * s[0]);
    }
    fathom_memory_free(context, s);
    return status;
}

/* |X|, from a copy. */
static fathom_status norm_of(double *norm, const fathom_claim *c)
{
    double least, *copy = fathom_memory_alloc(c->context, c->n * c->d, sizeof *copy);
    if (!copy)
        return FATHOM_ERROR_MEMORY;
    memcpy(copy, c->x, (size_t)(c->n * c->d) * sizeof *copy);
    const fathom_status status = singular(&least, norm, copy, c->n, c->d, c->context);
    fathom_memory_free(c->context, copy);
    return status;
}

/* r of the file's head; infinite for other losses. */
static double radius(const fathom_kkt *kkt)
{
    const fathom_claim *c = &kkt->claim;
    double most = 0;
    for (int64_t i = 0; i < c->n; i++)
        most = fmax(most, c->weight ? c->weight[i] : 1);
    const double gap = fmax(kkt->gap, 0) * most / c->divisor;
    if (c->equality || c->outputs > 1)
        return INFINITY;
    const double modulus = fathom_loss_row_of(c->loss)->modulus;
    return modulus > 0 ? sqrt(2 * gap / modulus) : INFINITY;
}

static fathom_status cones_open(cones *a, const fathom_kkt *kkt)
{
    const fathom_claim *c = &kkt->claim;
    *a = (cones){.kkt = kkt, .shortest = INFINITY};
    a->reach = fathom_memory_alloc(c->context, c->n + c->d, sizeof *a->reach);
    a->face = fathom_memory_zero(c->context, LISTED * c->n, 1);
    a->z = fathom_memory_alloc(c->context, LISTED * c->n, sizeof *a->z);
    if (!a->reach || !a->face || !a->z)
        return FATHOM_ERROR_MEMORY;
    a->p = a->reach + c->n;
    for (int64_t i = 0; i < c->n; i++)
        a->reach[i] = fathom_blas_norm(c->x + i * c->d, c->d) * (1 + 1e-15 * (double)(c->d + 4));
    fathom_status status = fathom_gate_cone_open(&a->cone, c->context, c->n, c->d, c->x, a->reach);
    FATHOM_THEN(status, norm_of(&a->norm, c));
    a->h = a->norm * (radius(kkt) + ROUNDING * fathom_blas_norm(kkt->v, c->n)) * (1 + 1e-10);
    a->doubt = isfinite(a->h) ? NULL : "the loss does not determine the dual point";
    return status;
}

/* p = s X'Dv. */
static void adjoint(cones *a, const uint64_t *open, double s)
{
    const fathom_claim *c = &a->kkt->claim;
    memset(a->p, 0, (size_t)c->d * sizeof *a->p);
    for (int64_t i = 0; i < c->n; i++)
        if (open[i / 64] >> (i % 64) & 1)
            fathom_blas_axpy(a->p, s * a->kkt->v[i], c->x + i * c->d, c->d);
}

/* Whether row i is tight, or a tight one or its negative to the last bit. */
static bool is_tight(const cones *a, int64_t i)
{
    const fathom_claim *c = &a->kkt->claim;
    for (int64_t k = 0; k < a->cone.count; k++) {
        const double *x = c->x + i * c->d, *y = c->x + a->cone.tight[k] * c->d;
        bool same = true, opposite = true;
        for (int64_t l = 0; l < c->d; l++) {
            same = same && x[l] == y[l];
            opposite = opposite && x[l] == -y[l];
        }
        if (a->cone.tight[k] == i || same || opposite)
            return true;
    }
    return false;
}

/* Signs and zeros of q where they are those of q* too; false where that is not known. */
static bool read_face(signed char *face, const cones *a, const uint64_t *open)
{
    const fathom_claim *c = &a->kkt->claim;
    for (int64_t i = 0; i < c->n; i++) {
        const double h = fathom_blas_dot(c->x + i * c->d, a->cone.u, c->d);
        face[i] = 0;
        if (a->reach[i] == 0 || is_tight(a, i))
            continue;
        face[i] = (signed char)fathom_gate_side(open, i);
        if (!(face[i] * h > a->reach[i] * (a->h + ROUNDING * fathom_blas_norm(a->cone.u, c->d))))
            return false;
    }
    return true;
}

/* Whether the multipliers of the tight rows stay positive. */
static fathom_status multipliers_hold(bool *hold, const cones *a)
{
    const fathom_claim *c = &a->kkt->claim;
    double least = 0, most, smallest = INFINITY;
    *hold = a->cone.exact;
    if (a->cone.count == 0)
        return FATHOM_OK;
    double *rows = fathom_memory_alloc(c->context, a->cone.count * c->d, sizeof *rows);
    if (!rows)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < a->cone.count; k++) {
        memcpy(rows + k * c->d, c->x + a->cone.tight[k] * c->d, (size_t)c->d * sizeof *rows);
        smallest = fmin(smallest, a->cone.mu[k]);
    }
    const fathom_status status = singular(&least, &most, rows, a->cone.count, c->d, c->context);
    fathom_memory_free(c->context, rows);
    *hold = *hold && least > 0 && smallest > a->h / least + 1e-9 * smallest;
    return status;
}

/* Takes a cone that may hold a neuron of an optimal network into account. */
static fathom_status meet(cones *a, const uint64_t *open)
{
    const fathom_claim *c = &a->kkt->claim;
    bool hold = false;
    if (a->doubt)
        return FATHOM_OK;
    if (a->faces == LISTED) {
        a->doubt = "too many neurons have nearly the largest price";
        return FATHOM_OK;
    }
    signed char *face = a->face + a->faces * c->n;
    FATHOM_TRY(multipliers_hold(&hold, a));
    if (!hold || !read_face(face, a, open)) {
        a->doubt = "a neuron may lie on several faces: a smaller --gap may decide";
        return FATHOM_OK;
    }
    for (int64_t k = 0; k < a->faces; k++)
        if (memcmp(a->face + k * c->n, face, (size_t)c->n) == 0)
            return FATHOM_OK;
    const double length = fathom_blas_norm(a->cone.u, c->d);
    for (int64_t i = 0; i < c->n; i++)
        a->z[a->faces * c->n + i] = fmax(0, fathom_blas_dot(c->x + i * c->d, a->cone.u, c->d)) / length;
    a->shortest = fmin(a->shortest, length);
    a->faces++;
    return FATHOM_OK;
}

/* A maximiser on a face that several cones share is listed for the first of them alone. */
static bool is_first(const cones *a, const uint64_t *open)
{
    for (int64_t k = 0; k < a->cone.count; k++)
        if (open[a->cone.tight[k] / 64] >> (a->cone.tight[k] % 64) & 1)
            return false;
    return true;
}

static fathom_status look_at(cones *a, maximisers *m, const uint64_t *open, int sign)
{
    const fathom_claim *c = &a->kkt->claim;
    fathom_status status = FATHOM_OK;
    adjoint(a, open, sign);
    const double room = isfinite(a->h) ? a->h : 0, most = fathom_blas_norm(a->p, c->d);
    if (most < m->least && most * (1 + 1e-9) + room < c->beta)
        return FATHOM_OK;
    a->cone.count = 0;
    fathom_gate_cone_project(&a->cone, open, a->p, NULL);
    const double price = fathom_blas_norm(a->cone.u, c->d),
                 upper = fathom_gate_cone_bound(&a->cone, open, a->p);
    if (price >= m->least && is_first(a, open)) {
        double *u = a->p; /* no longer needed */
        for (int64_t l = 0; l < c->d; l++)
            u[l] = a->cone.u[l] / price;
        status = list_neuron(m, u, 0, sign, price);
    }
    if (status == FATHOM_OK && upper * (1 + 1e-9) + room >= c->beta)
        status = meet(a, open);
    return status;
}

/* Whether the activations of all faces are independent at the optimum. */
static fathom_status decide(cones *a)
{
    const fathom_claim *c = &a->kkt->claim;
    double least = 0, most = 0;
    if (a->doubt || a->faces == 0)
        return FATHOM_OK;
    if (a->faces > c->n) {
        a->doubt = "more neurons than rows have the largest price";
        return FATHOM_OK;
    }
    const fathom_status status = singular(&least, &most, a->z, a->faces, c->n, c->context);
    const double error = 2 * a->h / a->shortest * a->norm * sqrt((double)a->faces);
    if (!(least > error * (1 + 1e-9)))
        a->doubt = "the neurons of largest price are not known to be independent";
    return status;
}

static fathom_status list_cones(cones *a, maximisers *m, fathom_data *data)
{
    const fathom_claim *c = &m->kkt->claim;
    fathom_gates *all = NULL;
    fathom_status status = fathom_gates_enumerate(&all, c->context, data);
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(all);
        for (int64_t j = 0; j < view.m && status == FATHOM_OK; j++)
            for (int sign = 1; sign >= -1 && status == FATHOM_OK; sign -= 2)
                status = look_at(a, m, view.bits + j * view.words, sign);
    }
    fathom_gates_free(all);
    return status == FATHOM_OK ? decide(a) : status;
}

static fathom_status set_verdict(fathom_json *object, fathom_train_kkt *all, const char *doubt, int64_t faces)
{
    all->unique = !doubt;
    all->because = doubt        ? doubt
                   : faces == 0 ? "no neuron can have the largest price: the constant is the only optimum"
                                : "all neurons that can have the largest price are known and independent";
    FATHOM_TRY(doubt ? fathom_json_set_null(object, "unique") : fathom_json_set_bool(object, "unique", true));
    return fathom_json_set_text(object, "because", all->because);
}

fathom_status fathom_kkt_set_maximisers(fathom_json *object, const fathom_kkt *kkt, fathom_data *data)
{
    const fathom_claim *c = &kkt->claim;
    const double relative = fmin(0.5, fmax(1e-9, sqrt(fmax(0, kkt->result->relative_gap))));
    const bool relu = c->outputs == 1 && fathom_net_look(kkt->result->net).kind == FATHOM_NET_RELU &&
                      kkt->result->proof->scale > 0;
    const bool line = relu && c->constant && c->d == 1;
    const bool cells =
        relu && !c->constant && fathom_cover_count(c->n, c->d < c->n ? c->d : c->n) <= MOST_CONES;
    maximisers m = {.kkt = kkt, .least = c->beta * (1 - relative)};
    const char *doubt =
        line ? "on the line: see minimisers" : "not all neurons of the largest price are known";
    cones a = {.kkt = kkt};
    fathom_status status = fathom_json_set_list(object, "maximisers", &m.list);
    if (status == FATHOM_OK && line)
        status = list_line(&m);
    if (status == FATHOM_OK && cells) {
        status = cones_open(&a, kkt);
        FATHOM_THEN(status, list_cones(&a, &m, data));
        doubt = a.doubt;
        cones_close(&a);
    }
    kkt->summary->maximisers = m.count;
    kkt->summary->least_listed = m.least;
    kkt->summary->complete = line || cells;
    FATHOM_THEN(status, fathom_json_set_real(object, "least_listed", m.least));
    FATHOM_THEN(status, fathom_json_set_integer(object, "maximisers_count", m.count));
    FATHOM_THEN(status, fathom_json_set_bool(object, "maximisers_complete", line || cells));
    return status == FATHOM_OK ? set_verdict(object, kkt->summary, doubt, a.faces) : status;
}
