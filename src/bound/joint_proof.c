/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The multipliers of one side of the joint relaxation as evidence for a certificate.
 *
 * Any values are valid evidence of some price. Entries of Theta below 1e-7 of the mean |v| are dropped, and the price is
 * computed anew without them; it is then raised by 16 (d^2 + 32) eps, so that an exact test in integers of 60 bits decides
 * (checker/tree.c), and by fathom_joint_settling where the dual point is still to be settled.
 *
 * With a free bias S <= top diag(tau I, 1 - tau) in the coordinates (u, b/R) of joint_internal.h, 4 P^2 = a top, a = sum_j alpha_j. In
 * (u, b) the last entry is top (1 - tau) / R^2: that is the multiplier l of b^2 <= R^2, and 4 P^2 - a l R^2 = a top tau remains for u.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "joint_internal.h"
#include "loss_row.h"
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

/* Both parts of Theta_i0 count towards psi: where both are there, both are written. */
static void put_entries(fathom_proof_leaf *leaf, const fathom_joint_side *side, const double *x)
{
    for (int64_t r = 0; r < side->rows; r++) {
        const double *theta = x + r * (side->k + 2);
        const int64_t i = side->point[r];
        for (int64_t l = 0; l < side->k; l++)
            fathom_proof_put_entry(leaf, i, side->column[r * side->k + l] + 1,
                                   side->sign[r * side->k + l] * theta[l]);
        fathom_proof_put_entry(leaf, i, 0, theta[side->k]);
        fathom_proof_put_entry(leaf, i, 0, -theta[side->k + 1]);
    }
}

double fathom_joint_settling(const fathom_objective *problem, const double *v, int64_t count, double t)
{
    double total = 0, reach = 0;
    if (!problem->constant && !fathom_loss_row_of(problem->loss)->simplex)
        return 0;
    for (int64_t k = 0; k < count; k++)
        total += fabs(v[k]);
    for (int64_t i = 0; i < problem->n; i++)
        reach = fmax(reach, problem->reach[i]);
    return 16 * sqrt(1 + exp(fabs(t))) * (double)problem->n * 0x1p-51 * total * reach;
}

double fathom_joint_lift(const double *weight, const fathom_objective *problem, double price, double t)
{
    const double radius = problem->x[problem->d - 1]; /* the last coordinate of every point */
    double sum = 0;
    for (int64_t j = 0; j <= problem->n; j++)
        sum += weight[j] > 0 ? 1 / weight[j] : 0;
    return radius > 0 && sum > 0 ? 4 * (price / radius) * (price / radius) / (sum * (1 + exp(t))) : 0;
}

fathom_status fathom_joint_prove(fathom_proof *proof, fathom_joint_side *side,
                                 const fathom_objective *problem, const double *v, const double *x)
{
    fathom_context *context = problem->context;
    const int64_t n = problem->n, entries = side->rows * (side->k + 2);
    double price = 0;
    fathom_proof_leaf leaf = {.side = side->sigma > 0 ? 1 : -1};
    leaf.i = fathom_memory_alloc(context, entries, sizeof *leaf.i);
    leaf.j = fathom_memory_alloc(context, entries, sizeof *leaf.j);
    leaf.theta = fathom_memory_alloc(context, entries, sizeof *leaf.theta);
    leaf.weight = fathom_memory_alloc(context, n + 1, sizeof *leaf.weight);
    const int64_t size = fathom_joint_side_size(side, problem);
    double *kept = fathom_memory_alloc(context, size, sizeof *kept);
    fathom_status status =
        leaf.i && leaf.j && leaf.theta && leaf.weight && kept ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        memcpy(kept, x, (size_t)size * sizeof *kept);
        drop_entries(kept, entries, v, n);
        status = fathom_joint_side_price(&price, side, problem, v, kept);
    }
    if (status == FATHOM_OK) {
        put_entries(&leaf, side, kept);
        for (int64_t j = 0; j <= n; j++)
            leaf.weight[j] = exp(-kept[entries + j]);
        const double t = problem->constant ? kept[size - 1] : 0;
        price = price * (1 + slack(problem->d)) + fathom_joint_settling(problem, v, n, t);
        if (problem->constant)
            leaf.lift = fathom_joint_lift(leaf.weight, problem, price, t);
        status = fathom_proof_add_leaf(proof, &leaf);
    }
    if (status == FATHOM_OK)
        proof->price[side->sigma < 0] = price;
    FATHOM_FREE(context, leaf.i, leaf.j, leaf.theta, leaf.weight, kept);
    return status;
}
