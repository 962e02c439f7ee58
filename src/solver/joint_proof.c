/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The multipliers of one side of the joint relaxation as evidence for a certificate.
 *
 * Any values are valid evidence of some price. Entries of Theta below 1e-7 of the mean |v| are dropped, and the price is
 * computed anew without them; it is then raised by 16 (d^2 + 32) eps, so that an exact test in integers of 60 bits decides
 * (src/check/positive.c).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "joint_internal.h"
#include "memory.h"

static const double DROPPED = 1e-7;

static double slack(int64_t d) { return 16 * ((double)d * (double)d + 32) * DBL_EPSILON; }

/* Sets entries of the rows' multipliers that are too small to 0. */
static void drop_entries(double *x, int64_t count, const double *v, int64_t n)
{
    double mean = 0;
    for (int64_t i = 0; i < n; i++)
        mean += fabs(v[i]) / (double)n;
    for (int64_t k = 0; k < count; k++)
        if (!(x[k] > DROPPED * mean))
            x[k] = 0;
}

static void put_entry(fathom_proof_leaf *leaf, int64_t i, int64_t j, double value)
{
    if (value == 0)
        return;
    leaf->i[leaf->entries] = i;
    leaf->j[leaf->entries] = j;
    leaf->theta[leaf->entries++] = value;
}

/* Both parts of Theta_i0 count towards psi: where both are there, both are written. */
static void put_entries(fathom_proof_leaf *leaf, const fathom_joint_side *side, const double *x)
{
    for (int64_t r = 0; r < side->rows; r++) {
        const double *theta = x + r * (side->k + 2);
        const int64_t i = side->point[r];
        for (int64_t l = 0; l < side->k; l++)
            put_entry(leaf, i, side->column[r * side->k + l] + 1, side->sign[r * side->k + l] * theta[l]);
        put_entry(leaf, i, 0, theta[side->k]);
        put_entry(leaf, i, 0, -theta[side->k + 1]);
    }
}

fathom_status fathom_joint_prove(fathom_proof *proof, fathom_joint_side *side,
                                 const fathom_gated_problem *problem, const double *v, const double *x)
{
    fathom_context *context = problem->context;
    const int64_t n = problem->n, entries = side->rows * (side->k + 2);
    double price = 0;
    fathom_proof_leaf leaf = {.side = side->sigma > 0 ? 1 : -1};
    leaf.i = fathom_memory_alloc(context, entries, sizeof *leaf.i);
    leaf.j = fathom_memory_alloc(context, entries, sizeof *leaf.j);
    leaf.theta = fathom_memory_alloc(context, entries, sizeof *leaf.theta);
    leaf.weight = fathom_memory_alloc(context, n + 1, sizeof *leaf.weight);
    double *kept = fathom_memory_alloc(context, entries + n + 1, sizeof *kept);
    fathom_status status =
        leaf.i && leaf.j && leaf.theta && leaf.weight && kept ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        memcpy(kept, x, (size_t)(entries + n + 1) * sizeof *kept);
        drop_entries(kept, entries, v, n);
        status = fathom_joint_side_price(&price, side, problem, v, kept);
    }
    if (status == FATHOM_OK) {
        put_entries(&leaf, side, kept);
        for (int64_t j = 0; j <= n; j++)
            leaf.weight[j] = exp(-kept[entries + j]);
        status = fathom_proof_add_leaf(proof, &leaf);
    }
    if (status == FATHOM_OK)
        proof->price[side->sigma < 0] = price * (1 + slack(problem->d));
    fathom_memory_free(context, leaf.i);
    fathom_memory_free(context, leaf.j);
    fathom_memory_free(context, leaf.theta);
    fathom_memory_free(context, leaf.weight);
    fathom_memory_free(context, kept);
    return status;
}
