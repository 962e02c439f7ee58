/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prices of several outputs from prices of one: for every orthogonal Q (o x o),
 *
 *     max_u |V'(Xu)_+|^2 = max_u sum_k ((V q_k)'(Xu)_+)^2 <= sum_k p(V q_k)^2.
 *
 * Q holds the principal directions of V, so that most of the sum is in few terms; each p(V q_k) is bounded exactly at small rank, else by
 * the joint relaxation with the dual point held. Loose by at most sqrt(o). [convex.md a; bounds.md 6]
 */
#include "global_outputs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "joint.h"
#include "memory.h"
#include "price.h"

enum { NEIGHBOURS = 20 };

/* q (o x o): eigenvectors of V V' in rows. */
static fathom_status find_directions(double *q, const fathom_gated_problem *p, const double *v)
{
    const int64_t o = p->outputs;
    double *value = fathom_memory_alloc(p->context, o, sizeof *value);
    if (!value)
        return FATHOM_ERROR_MEMORY;
    fathom_blas_syrk(q, o, o, p->n, 1, fathom_plain(v, p->n), 0);
    const fathom_status status = fathom_blas_eigen(value, q, o, o, true, p->context);
    fathom_memory_free(p->context, value);
    return status;
}

/* P >= p(w) for one output w (n). */
static fathom_status price_one(double *price, const fathom_gated_problem *form,
                               const fathom_gated_problem *plain, double *w)
{
    const fathom_price_problem exact = {plain->context, plain->n, plain->d, 1, plain->x, w, plain->constant};
    bool small;
    fathom_status status = fathom_price_is_small(&small, &exact);
    if (status != FATHOM_OK)
        return status;
    if (!small) { /* D = <w, v> with v = w held: the bound is |w|^2 / P */
        fathom_gated_problem one = *form;
        fathom_joint_result result = {0, INFINITY};
        const fathom_joint_options options = {
            .neighbours = NEIGHBOURS, .enough = INFINITY, .value = NAN, .divisor = 1, .held = true};
        one.outputs = 1;
        one.equality = true;
        one.y = w;
        one.weight = NULL;
        one.beta = 1;
        status = fathom_joint_improve(&result, w, &one, &options);
        *price = result.price;
        return status;
    }
    double *u = fathom_memory_alloc(plain->context, plain->d + 1, sizeof *u);
    if (!u)
        return FATHOM_ERROR_MEMORY;
    const fathom_price_options options = {.gap = 1e-6, .excess = INFINITY};
    fathom_price_result result;
    status = fathom_price_bound(&result, u, &exact, &options);
    *price = result.upper;
    fathom_memory_free(plain->context, u);
    return status;
}

fathom_status fathom_global_outputs_price(double *price, const fathom_gated_problem *form,
                                          const fathom_gated_problem *plain, const double *v)
{
    const int64_t n = form->n, o = form->outputs;
    double *q = fathom_memory_alloc(form->context, o * o + 2 * n, sizeof *q), square = 0;
    if (!q)
        return FATHOM_ERROR_MEMORY;
    double *w = q + o * o, *kept = w + n;
    fathom_status status = find_directions(q, form, v);
    for (int64_t k = 0; k < o && status == FATHOM_OK; k++) {
        double one = 0;
        fathom_blas_gemv(w, n, o, 1, fathom_transposed(v, n), q + k * o, 0);
        memcpy(kept, w, (size_t)n * sizeof *w);
        if (fathom_blas_sum_abs(w, n) > 0)
            status = price_one(&one, form, plain, kept);
        square += one * one;
    }
    /* q is orthogonal to (o + 8) u; what it rounds in w is charged per reach by the bound that uses the price */
    *price = sqrt(square) * (1 + 16 * (double)(o + 8) * DBL_EPSILON);
    fathom_memory_free(form->context, q);
    return status;
}
