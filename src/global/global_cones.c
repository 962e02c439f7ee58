/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The price of one output over cones, with evidence: for gate j and a sign the rows mu >= 0 of
 *
 *     max { <+-F*(v)_j, u> : u in K_j, |u| <= 1 } <= |+-F*(v)_j + sum_i mu_i s_i x_i|,     F*(v)_j = sum_i
 *       D_ij v_i x_i,
 *
 * those of the projection on K_j, where this is an equality. Over all cones of the arrangement the largest of
 * them is p(v) to rounding, whatever v is: where cones are few no tree of signs does better. O(m (n d + k^2))
 * for m cones.
 */
#include "global_cones.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "gate_cone.h"
#include "hyperplanes.h"
#include "memory.h"

/* Cones that a certificate lists for its own sake. */
static const double MOST_CONES = 4000;

bool fathom_global_few_cones(const fathom_gated_problem *p)
{
    return p->outputs == 1 && !p->constant && p->d <= p->n && fathom_cover_count(p->n, p->d) <= MOST_CONES;
}

/* side (d) = +-F*(v) of one gate. */
static void add_open(double *side, const fathom_gated_problem *p, const uint64_t *open, const double *v,
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
    const double norm = fathom_blas_norm(p, cone->d) * (1 + (double)(cone->d + 4) * DBL_EPSILON);
    leaf->depth = cone->count = 0;
    if (norm <= enough)
        return norm;
    fathom_gate_cone_project(cone, open, p, NULL);
    leaf->depth = cone->count;
    leaf->row = cone->tight;
    leaf->nu = cone->mu;
    return fathom_gate_cone_bound(cone, open, p);
}

/* The largest price of all sides, each with its leaf. */
static fathom_status prove_sides(double *price, fathom_proof *proof, const fathom_gated_problem *p,
                                 const fathom_gates_view *gates, const double *v)
{
    fathom_gate_cone cone;
    double *side = fathom_memory_alloc(p->context, p->d, sizeof *side);
    int *sign = fathom_memory_zero(p->context, p->d, sizeof *sign);
    fathom_status status = side && sign ? fathom_gate_cone_open(&cone, p->context, p->n, p->d, p->x, p->reach)
                                        : FATHOM_ERROR_MEMORY;
    const bool opened = status == FATHOM_OK;
    *price = 0;
    for (int64_t k = 0; k < 2 * gates->m && status == FATHOM_OK; k++) {
        const uint64_t *open = gates->bits + k / 2 * gates->words;
        fathom_proof_leaf leaf = {.output = k / 2, .side = k % 2 ? -1 : 1, .sign = sign};
        add_open(side, p, open, v, leaf.side);
        *price = fmax(*price, prove_side(&leaf, &cone, open, side, p->equality ? 0 : p->beta));
        status = fathom_proof_add_leaf(proof, &leaf);
    }
    if (opened)
        fathom_gate_cone_close(&cone);
    fathom_memory_free(p->context, side);
    fathom_memory_free(p->context, sign);
    return status;
}

fathom_status fathom_global_cones_prove(fathom_proof *proof, const fathom_gated_problem *p,
                                        const fathom_gates_view *gates, bool complete, const double *v)
{
    double mass = 0, price = 0;
    fathom_status status = fathom_proof_set_gates(proof, gates, complete);
    if (status == FATHOM_OK)
        status = prove_sides(&price, proof, p, gates, v);
    if (status != FATHOM_OK)
        return status;
    for (int64_t i = 0; i < p->n; i++)
        mass += fabs(v[i]) * p->reach[i];
    price += 2 * (double)(p->n + 16) * DBL_EPSILON * mass; /* of F*(v) */
    memcpy(proof->v, v, (size_t)p->n * sizeof *v);
    proof->exact_price = price;
    proof->lower = fathom_gated_bound(p, v, price);
    return FATHOM_OK;
}

fathom_status fathom_global_all_cones_prove(fathom_proof *proof, const fathom_gated_problem *p,
                                            const double *v)
{
    fathom_data *rows = NULL;
    fathom_gates *all = NULL;
    fathom_status status = fathom_data_create(&rows, p->context, p->n, p->d, p->x, p->d, 0, NULL, NULL, NULL);
    if (status == FATHOM_OK)
        status = fathom_gates_enumerate(&all, p->context, rows);
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(all);
        status = fathom_global_cones_prove(proof, p, &view, true, v);
    }
    fathom_gates_free(all);
    fathom_data_free(rows);
    return status;
}
