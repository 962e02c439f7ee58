/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The price of an output over cones, with evidence: for gate j and a sign the rows mu >= 0 of
 *
 *     max { <+-F*(v)_j, u> : u in K_j, |u| <= 1 } <= |+-F*(v)_j + sum_i mu_i s_i x_i|,     F*(v)_j = sum_i
 *       D_ij v_i x_i,
 *
 * those of the projection on K_j, where this is an equality. Over all cones of the arrangement the largest of
 * them is p(v) to rounding, whatever v is: where cones are few no tree of signs does better. O(m (n d + k^2))
 * for m cones. With several outputs, each in turn, it is the price of networks whose neurons feed one output each
 * (relu_cones.h). Far from the origin the terms cancel, and sides that doubles leave above beta are projected in
 * rational arithmetic (exact_project.c).
 */
#include "global_cones.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "exact_project.h"
#include "gate_cone.h"
#include "hyperplanes.h"
#include "memory.h"

/* Cones that a certificate lists for its own sake. */
static const double MOST_CONES = 4000;

/* A side is projected in rational arithmetic where its price exceeds beta by this share, where F*(v) is
 * known to less than that or the price is less than this share of the terms that add up to it, and rows are
 * few. */
static const double BEYOND = 1e-9, CANCELLED = 1e-3;
enum { MOST_ROWS = 40 };

bool fathom_global_few_cones(const fathom_objective *p)
{
    return p->outputs == 1 && !p->constant && p->d <= p->n && fathom_cover_count(p->n, p->d) <= MOST_CONES;
}

/* side (d) = +-F*(v) of one gate. */
static void add_open(double *side, const fathom_objective *p, const uint64_t *open, const double *v,
                     double sign)
{
    memset(side, 0, (size_t)p->d * sizeof *side);
    for (int64_t i = 0; i < p->n; i++)
        if (fathom_gate_side(open, i) > 0)
            fathom_blas_axpy(side, sign * v[i], p->x + i * p->d, p->d);
}

/* Evidence for one side: the tight rows of its projection and their multipliers; none where |p| <= enough.
 * Returns an upper bound on its price. */
static double prove_side(fathom_proof_leaf *leaf, fathom_gate_cone *cone, const uint64_t *open,
                         const double *p, double enough)
{
    const double norm = fathom_blas_norm_up(p, cone->d, 4);
    leaf->depth = cone->count = 0;
    if (norm <= enough)
        return norm;
    fathom_gate_cone_project(cone, open, p, NULL);
    leaf->depth = cone->count;
    leaf->row = cone->tight;
    leaf->nu = cone->mu;
    return fathom_gate_cone_bound(cone, open, p);
}

/* What the projections of one dual point share. */
typedef struct projections {
    const fathom_objective *p;
    const double *v; /* n: of the output at hand */
    fathom_gate_cone cone;
    fathom_exact_rows *rows; /* once they are needed */
    double *side;            /* d: +-F*(v) */
    double *c, *s, *mu;      /* n: for the rows */
    int64_t *tight;
    double error; /* of F*(v) */
} projections;

static fathom_status open_projections(projections *a, const fathom_objective *p, const double *v)
{
    double most = 0;
    *a = (projections){.p = p, .v = v};
    a->side = fathom_memory_alloc(p->context, p->d + 3 * p->n, sizeof *a->side);
    a->tight = fathom_memory_alloc(p->context, p->n, sizeof *a->tight);
    if (!a->side || !a->tight)
        return FATHOM_ERROR_MEMORY;
    a->c = a->side + p->d;
    a->s = a->c + p->n;
    a->mu = a->s + p->n;
    for (int64_t k = 0; k < p->outputs; k++) {
        double mass = 0;
        for (int64_t i = 0; i < p->n; i++)
            mass += fabs(v[k * p->n + i]) * p->reach[i];
        most = fmax(most, mass);
    }
    a->error = 2 * (double)(p->n + 16) * DBL_EPSILON * most;
    return fathom_gate_cone_open(&a->cone, p->context, p->n, p->d, p->x, p->reach);
}

static void close_projections(projections *a)
{
    fathom_gate_cone_close(&a->cone);
    fathom_exact_rows_close(a->rows);
    FATHOM_FREE(a->p->context, a->side, a->tight);
}

/* Whether doubles may have missed the price: what is left of the terms that cancel is near their rounding. */
static bool doubtful(const projections *a, double price)
{
    double size = fathom_blas_norm(a->side, a->cone.d);
    for (int64_t k = 0; k < a->cone.count; k++)
        size += a->cone.mu[k] * a->p->reach[a->cone.tight[k]];
    return price > a->p->beta * (1 + BEYOND) && a->p->n <= MOST_ROWS &&
           (price < CANCELLED * size || a->error > BEYOND * a->p->beta);
}

/* The same side in rational arithmetic, where it is less. */
static fathom_status prove_exactly(double *price, fathom_proof_leaf *leaf, projections *a,
                                   const uint64_t *open)
{
    const fathom_objective *p = a->p;
    int64_t count = 0;
    double length = INFINITY;
    fathom_status status =
        a->rows ? FATHOM_OK : fathom_exact_rows_open(&a->rows, p->context, p->n, p->d, p->x);
    for (int64_t i = 0; i < p->n; i++) {
        a->s[i] = fathom_gate_side(open, i);
        a->c[i] = a->s[i] > 0 ? leaf->side * a->v[i] : 0;
    }
    FATHOM_THEN(status, fathom_exact_project(&length, &count, a->tight, a->mu, a->rows, a->c, a->s));
    if (status != FATHOM_OK || !(length < *price))
        return status;
    *price = length;
    leaf->depth = count;
    leaf->row = a->tight;
    leaf->nu = a->mu;
    return FATHOM_OK;
}

/* The largest price of all sides of v (outputs x n), each with its leaf: gate by gate, output by output, + and -. */
static fathom_status prove_sides(double *price, fathom_proof *proof, projections *a,
                                 const fathom_gates_view *gates, const double *v)
{
    const fathom_objective *p = a->p;
    const int64_t o = p->outputs;
    int *sign = fathom_memory_zero(p->context, p->d > p->n ? p->d : p->n, sizeof *sign);
    fathom_status status = sign ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *price = 0;
    for (int64_t k = 0; k < 2 * o * gates->m && status == FATHOM_OK; k++) {
        const uint64_t *open = gates->bits + k / 2 / o * gates->words;
        fathom_proof_leaf leaf = {
            .output = k / 2 / o, .kink = k / 2 % o, .side = k % 2 ? -1 : 1, .sign = sign};
        a->v = v + leaf.kink * p->n;
        add_open(a->side, p, open, a->v, leaf.side);
        double one = prove_side(&leaf, &a->cone, open, a->side, p->equality ? 0 : p->beta) + a->error;
        if (doubtful(a, one))
            status = prove_exactly(&one, &leaf, a, open);
        *price = fmax(*price, one);
        FATHOM_THEN(status, fathom_proof_add_leaf(proof, &leaf));
    }
    fathom_memory_free(p->context, sign);
    return status;
}

fathom_status fathom_global_cones_prove(fathom_proof *proof, const fathom_objective *p,
                                        const fathom_gates_view *gates, bool complete, const double *v)
{
    double price = 0;
    projections a;
    fathom_status status = open_projections(&a, p, v);
    FATHOM_THEN(status, fathom_proof_set_gates(proof, gates, complete));
    FATHOM_THEN(status, prove_sides(&price, proof, &a, gates, v));
    close_projections(&a);
    if (status != FATHOM_OK)
        return status;
    memcpy(proof->v, v, (size_t)(p->n * p->outputs) * sizeof *v);
    proof->exact_price = price;
    proof->lower = fathom_objective_bound_priced(p, v, price); /* whose rounding is included */
    return FATHOM_OK;
}

fathom_status fathom_global_all_cones_prove(fathom_proof *proof, const fathom_objective *p, const double *v)
{
    fathom_data *rows = NULL;
    fathom_gates *all = NULL;
    fathom_status status = fathom_data_create(&rows, p->context, p->n, p->d, p->x, p->d, 0, NULL, NULL, NULL);
    FATHOM_THEN(status, fathom_gates_enumerate(&all, p->context, rows));
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(all);
        status = fathom_global_cones_prove(proof, p, &view, true, v);
    }
    fathom_gates_free(all);
    fathom_data_free(rows);
    return status;
}
