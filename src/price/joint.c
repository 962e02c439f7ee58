/* SPDX-License-Identifier: Apache-2.0 */
/* The joint relaxation: dual point and multipliers improved together; the mathematics stands in joint.h. */
#include "joint.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "joint_internal.h"
#include "lbfgs.h"
#include "memory.h"

static const fathom_joint_phase phases[] = {{10, 0.05, 30, 150},
                                            {30, 0.02, 60, 200},
                                            {100, 0.01, 200, 300},
                                            {300, 0.005, 300, 500},
                                            {500, 0.001, 500, 1000}};

static const double WIDTH = 50; /* exp(50) is as good as infinite */

/* -log D(beta v / P), smoothed. */
static double objective(void *user, double *gradient, const double *x)
{
    fathom_joint *a = user;
    const int64_t n = a->p->n;
    double log_price[2], by_log_price;
    fathom_joint_place(a, x);
    for (int k = 0; k < 2; k++)
        log_price[k] = fathom_joint_side_value(a->side + k, a->p, a->v, x + a->offset[k],
                                               a->now.bend * a->scale, a->now.power);
    const double top = fmax(log_price[0], log_price[1]);
    const double share = 1 / (1 + exp(a->now.sharpness * (fmin(log_price[0], log_price[1]) - top)));
    const double smooth = top - log(share) / a->now.sharpness;
    const double value = fathom_joint_dual(a, smooth, &by_log_price);
    if (!(value > 0) || !isfinite(top))
        return INFINITY;
    memset(gradient, 0, (size_t)n * sizeof *gradient);
    for (int k = 0; k < 2; k++)
        fathom_joint_side_slope(gradient, gradient + a->offset[k], a->side + k, a->p, x + a->offset[k],
                                -by_log_price / value * (log_price[k] == top ? share : 1 - share));
    for (int64_t i = 0; i < n; i++)
        gradient[i] -= a->slope[i] / value;
    fathom_joint_pull_back(gradient, a, x);
    return -log(value);
}

/* Keeps the multipliers of a bound as its proof, with the bound that they give without the smallest of them. */
static fathom_status prove(fathom_proof *proof, fathom_joint *a, const double *x)
{
    fathom_status status = FATHOM_OK;
    fathom_proof_drop_leaves(proof);
    for (int k = 0; k < 2 && status == FATHOM_OK; k++)
        status = fathom_joint_prove(proof, a->side + k, a->p, a->v, x + a->offset[k]);
    if (status != FATHOM_OK)
        return status;
    proof->lower = fathom_gated_bound(a->p, a->v, fmax(proof->price[0], proof->price[1]));
    memcpy(proof->v, a->v, (size_t)a->p->n * sizeof *proof->v);
    return FATHOM_OK;
}

/* Evaluates the bound with rounding and keeps it where it is the best. */
static fathom_status certify(fathom_joint_result *result, double *best, fathom_joint *a, fathom_proof *proof)
{
    const double *x = a->x;
    double price = 0;
    a->now.sharpness = INFINITY; /* as it is, not smoothed */
    fathom_joint_place(a, x);
    for (int k = 0; k < 2; k++) {
        double side;
        const fathom_status status =
            fathom_joint_side_price(&side, a->side + k, a->p, a->v, x + a->offset[k]);
        if (status != FATHOM_OK)
            return status;
        price = fmax(price, side);
    }
    const double lower = fathom_gated_bound(a->p, a->v, price);
    if (!(lower > result->lower))
        return FATHOM_OK;
    *result = (fathom_joint_result){lower, price};
    memcpy(best, a->v, (size_t)a->p->n * sizeof *best);
    memcpy(a->best, x, (size_t)a->size * sizeof *x);
    return proof ? prove(proof, a, x) : FATHOM_OK;
}

/* Variables and their bounds: v, then per side |Theta| >= 0, log alpha around the largest at the start, and t. A column that vanishes would
 * take its alpha to 0, and a flat ball t to infinity: S must stay finite. */
static void start_sides(fathom_joint *a)
{
    double *x = a->x;
    fathom_joint_place(a, x);
    for (int k = 0; k < 2; k++) {
        const fathom_joint_side *side = a->side + k;
        fathom_joint_side_start(x + a->offset[k], a->side + k, a->p, a->v);
        const int64_t size = fathom_joint_side_size(side, a->p), free_from = side->rows * (side->k + 2);
        double *start = x + a->offset[k], *lower = a->lower + a->offset[k], *upper = a->upper + a->offset[k];
        double top = -INFINITY;
        for (int64_t j = 0; j <= a->p->n; j++)
            top = fmax(top, start[free_from + j]);
        for (int64_t l = 0; l < size; l++) {
            const bool ball = l > free_from + a->p->n;
            lower[l] = l < free_from ? 0 : ball ? -FATHOM_JOINT_FLATTEST : top - WIDTH;
            upper[l] = l < free_from ? INFINITY : ball ? FATHOM_JOINT_FLATTEST : top + WIDTH;
        }
    }
}

/* The hinge's box does not scale: the start is shrunk until its price is beta, multipliers and all. */
static fathom_status shrink(fathom_joint *a)
{
    double price = 0;
    if (a->p->loss != FATHOM_LOSS_HINGE || a->p->equality)
        return FATHOM_OK;
    for (int k = 0; k < 2; k++) {
        double side;
        const fathom_status status =
            fathom_joint_side_price(&side, a->side + k, a->p, a->v, a->x + a->offset[k]);
        if (status != FATHOM_OK)
            return status;
        price = fmax(price, side);
    }
    const double times = price > a->p->beta ? a->p->beta / price : 1;
    fathom_blas_scale(a->x, times, a->p->n);
    for (int k = 0; k < 2; k++)
        fathom_blas_scale(a->x + a->offset[k], times, a->side[k].rows * (a->side[k].k + 2));
    a->scale *= times;
    return FATHOM_OK;
}

/* A value without memory stops the minimisation as an infinite one does; here it is told apart. */
static fathom_status sides_status(const fathom_joint *a)
{
    return a->side[0].status != FATHOM_OK ? a->side[0].status : a->side[1].status;
}

fathom_status fathom_joint_run(fathom_joint_result *result, double *v, fathom_joint *a,
                               const fathom_joint_options *options)
{
    fathom_context *context = a->p->context;
    fathom_status status = sides_status(a);
    if (!(a->scale > 0))
        return status;
    for (int64_t i = 0; options->held && i < a->p->n; i++)
        a->lower[i] = a->upper[i] = a->x[i];
    if (status == FATHOM_OK)
        status = certify(result, v, a, options->proof);
    for (size_t k = 0;
         k < sizeof phases / sizeof phases[0] && status == FATHOM_OK && result->lower < options->enough;
         k++) {
        const fathom_lbfgs_options descent = {phases[k].steps, 30, 1e-9, a->lower, a->upper, NULL};
        double value;
        a->now = phases[k];
        status = fathom_lbfgs_minimize(a->x, &value, context, a->size, objective, a, &descent);
        if (status == FATHOM_OK)
            status = sides_status(a);
        if (status == FATHOM_OK)
            status = certify(result, v, a, options->proof);
        if (fathom_context_poll(context, "joint bound", (int64_t)k + 1, options->value / options->divisor,
                                result->lower / options->divisor) != FATHOM_STOP_NONE)
            break;
    }
    return status;
}

fathom_status fathom_joint_create(fathom_joint **joint, const fathom_gated_problem *problem, const double *v,
                                  int64_t neighbours)
{
    fathom_context *context = problem->context;
    const int64_t n = problem->n;
    fathom_joint *a = *joint = fathom_memory_zero(context, 1, sizeof *a);
    if (!a)
        return FATHOM_ERROR_MEMORY;
    a->p = problem;
    a->scale = fathom_blas_sum_abs(v, n) / (double)n;
    a->orient = fathom_memory_alloc(context, 3 * n, sizeof *a->orient);
    fathom_status status = a->orient ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status != FATHOM_OK)
        return status;
    a->v = a->orient + n;
    a->slope = a->v + n;
    a->size = n;
    for (int k = 0; k < 2 && status == FATHOM_OK; k++) {
        status = fathom_joint_side_open(a->side + k, problem, k ? -1 : 1, fathom_joint_signs(problem, v),
                                        neighbours);
        a->offset[k] = a->size;
        a->size += fathom_joint_side_size(a->side + k, problem);
    }
    if (status == FATHOM_OK) {
        a->x = fathom_memory_alloc(context, 4 * a->size, sizeof *a->x);
        status = a->x ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK) {
        a->lower = a->x + a->size;
        a->upper = a->lower + a->size;
        a->best = a->upper + a->size;
        for (int64_t t = 0; t < a->size; t++)
            a->upper[t] = INFINITY;
        a->now.sharpness = INFINITY;
        fathom_joint_orient(a, v);
        start_sides(a);
        status = shrink(a);
        memcpy(a->best, a->x, (size_t)a->size * sizeof *a->x);
    }
    return status;
}

void fathom_joint_free(fathom_joint *a)
{
    if (!a)
        return;
    fathom_context *context = a->p->context;
    fathom_memory_free(context, a->x);
    fathom_joint_side_close(a->side, context);
    fathom_joint_side_close(a->side + 1, context);
    fathom_memory_free(context, a->orient);
    fathom_memory_free(context, a);
}

fathom_status fathom_joint_improve(fathom_joint_result *result, double *v,
                                   const fathom_gated_problem *problem, const fathom_joint_options *options)
{
    fathom_joint *joint;
    fathom_status status = fathom_joint_create(&joint, problem, v, options->neighbours);
    if (status == FATHOM_OK)
        status = fathom_joint_run(result, v, joint, options);
    fathom_joint_free(joint);
    return status;
}
