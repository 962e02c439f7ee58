/* SPDX-License-Identifier: Apache-2.0 */
/* The joint relaxation: dual point and multipliers improved together; the mathematics stands in joint.h. */
#include "joint.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "joint_internal.h"
#include "lbfgs.h"
#include "loss_row.h"
#include "memory.h"

static const fathom_joint_phase phases[] = {
    {3, 0.05, 30, 100}, {5, 0.02, 60, 200}, {7, 0.01, 200, 1000}, {8, 0.005, 300, 300}, {9, 0.001, 500, 300}};

/* Points are many beyond this n^2 d; single steps in which alpha is eliminated pay up to this n d^2. */
static const double MANY = 1e9, NARROW = 4e7;
static const double WIDTH = 50; /* exp(50) is as good as infinite */
static const double UNIT =
    0.3; /* times mean |v|: what a change of log alpha by 1 counts beside one of Theta */

enum { MEMORY = 8, CHUNK = 250 };

bool fathom_joint_is_large(const fathom_objective *p)
{
    const double n = (double)p->n, d = (double)p->d;
    return !p->equality && fathom_loss_row_of(p->loss)->signs && n * n * d > MANY && n * d * d <= NARROW;
}

/* The two sides side by side where that pays: waking a thread costs more than a small side takes. */
static int threads_for(const fathom_joint *a)
{
    const int64_t work = (a->p->n * (a->side[0].ld + 8) + a->side[0].entries) * a->side[0].ld;
    const int threads = fathom_context_threads(a->p->context);
    return fathom_threads_worth((double)work, threads < 2 ? threads : 2);
}

/* -log D(beta v / P), smoothed; by the variables at work. */
static double objective(void *user, double *gradient, const double *z)
{
    fathom_joint *a = user;
    const int64_t n = a->p->n;
    double log_price[2], by_log_price;
    fathom_joint_place(a, z);
#pragma omp parallel for schedule(static) num_threads(threads_for(a))
    for (int k = 0; k < 2; k++)
        log_price[k] = fathom_joint_side_value(a->side + k, a->p, a->v, z + a->at[k], a->now.bend * a->scale,
                                               a->now.doublings);
    if (fathom_context_overdue(a->p->context))
        return INFINITY; /* what was computed may be a part of itself */
    const double top = fmax(log_price[0], log_price[1]);
    const double share = 1 / (1 + exp(a->now.sharpness * (fmin(log_price[0], log_price[1]) - top)));
    const double smooth = top - log(share) / a->now.sharpness;
    const double value = fathom_joint_dual(a, smooth, &by_log_price);
    if (!(value > 0) || !isfinite(top))
        return INFINITY;
#pragma omp parallel for schedule(static) num_threads(threads_for(a))
    for (int k = 0; k < 2; k++)
        fathom_joint_side_slope(a->side_v + k * n, gradient + a->at[k], a->side + k, a->p,
                                -by_log_price / value * (log_price[k] == top ? share : 1 - share));
    if (fathom_context_overdue(a->p->context))
        return INFINITY;
    for (int64_t i = 0; i < n; i++)
        gradient[i] = a->side_v[i] + a->side_v[n + i] - a->slope[i] / value;
    fathom_joint_pull_back(gradient, a, z);
    return -log(value);
}

/* Variables at work from all (into = true) or back; `from` and `to` hold v, then the sides. */
static void transfer(double *work, double *all, fathom_joint *a, bool into)
{
    const int64_t n = a->p->n, more = n + 1 + (a->p->constant ? 1 : 0);
    memcpy(into ? work : all, into ? all : work, (size_t)n * sizeof *work);
    for (int k = 0; k < 2; k++) {
        const fathom_joint_side *side = a->side + k;
        double *z = work + a->at[k], *x = all + a->offset[k];
        for (int64_t e = 0; e < side->entries; e++)
            *(into ? z + e : x + side->slot[e]) = into ? x[side->slot[e]] : z[e];
        z += side->entries;
        x += side->rows * (side->k + 2);
        for (int64_t j = 0; j < more; j++)
            *(into ? z + j : x + j) = into ? side->unit * x[j] : z[j] / side->unit;
    }
}

/* Chooses the entries of Theta that work, and where their variables stand; returns the number of
 * variables. */
static int64_t choose_work(fathom_joint *a, fathom_joint_choice choice)
{
    int64_t size = a->p->n;
    for (int k = 0; k < 2; k++) {
        fathom_joint_side_pack(a->side + k, a->x + a->offset[k], choice);
        a->at[k] = size;
        size += a->side[k].entries + a->p->n + 1 + (a->p->constant ? 1 : 0);
    }
    return size;
}

/* Multipliers that are next to nothing and would not grow need not stay. */
static void drop_smallest(fathom_joint *a)
{
    for (int k = 0; k < 2; k++) {
        double *x = a->x + a->offset[k];
        for (int64_t t = 0; t < a->side[k].rows * (a->side[k].k + 2); t++)
            x[t] = x[t] > 1e-5 * a->scale ? x[t] : 0;
    }
}

/* One descent of at most CHUNK steps on the entries that matter now. *gain: what the objective lost.
 * `work`: room for variables, their bounds and a gradient, 4 size. */
static fathom_status descend(double *gain, fathom_joint *a, int64_t steps, double *work)
{
    double *z = work, *lower = work + a->size, *upper = lower + a->size, *gradient = upper + a->size, value;
    choose_work(a, FATHOM_JOINT_POSITIVE);
    transfer(z, a->x, a, true);
    const double before = objective(a, gradient, z);
    drop_smallest(a);
    const int64_t size = choose_work(a, FATHOM_JOINT_USEFUL);
    transfer(z, a->x, a, true);
    transfer(lower, a->lower, a, true);
    transfer(upper, a->upper, a, true);
    const fathom_lbfgs_options descent = {steps, MEMORY, 1e-9, lower, upper, NULL};
    const fathom_status status =
        fathom_lbfgs_minimize(z, &value, a->p->context, size, objective, a, &descent);
    if (status == FATHOM_OK)
        transfer(z, a->x, a, false);
    *gain = before - value;
    return status;
}

/* Keeps the multipliers of a bound as its proof, with the bound that they give without the smallest of
 * them. */
static fathom_status prove(fathom_proof *proof, fathom_joint *a, const double *x)
{
    fathom_status status = FATHOM_OK;
    fathom_proof_drop_leaves(proof);
    for (int k = 0; k < 2 && status == FATHOM_OK; k++)
        status = fathom_joint_prove(proof, a->side + k, a->p, a->v, x + a->offset[k]);
    if (status != FATHOM_OK)
        return status;
    proof->lower = fathom_objective_bound(a->p, a->v, fmax(proof->price[0], proof->price[1]));
    memcpy(proof->v, a->v, (size_t)a->p->n * sizeof *proof->v);
    return FATHOM_OK;
}

/* P of v with the variables x of both sides, rounded up. */
static fathom_status price_at(double *price, fathom_joint *a, const double *v, const double *x)
{
    *price = 0;
    for (int k = 0; k < 2; k++) {
        double side;
        FATHOM_TRY(fathom_joint_side_price(&side, a->side + k, a->p, v, x + a->offset[k]));
        *price = fmax(*price, side);
    }
    return FATHOM_OK;
}

fathom_status fathom_joint_price(bool *valid, double *price, fathom_joint *a, const double *v)
{
    *valid = a->scale > 0;
    for (int64_t t = a->p->n; t < a->size && *valid; t++) /* NaN fails, too */
        *valid = a->best[t] >= a->lower[t] && a->best[t] <= a->upper[t] && isfinite(a->best[t]);
    a->now.sharpness = INFINITY;
    return *valid ? price_at(price, a, v, a->best) : FATHOM_OK;
}

fathom_status fathom_joint_consider(double *price, fathom_joint_result *result, double *best, fathom_joint *a,
                                    fathom_proof *proof)
{
    const double *x = a->x;
    FATHOM_TRY(price_at(price, a, a->v, x));
    const double lower = fathom_objective_bound(a->p, a->v, *price);
    if (!(lower > result->lower))
        return FATHOM_OK;
    *result = (fathom_joint_result){lower, *price};
    memcpy(best, a->v, (size_t)a->p->n * sizeof *best);
    memcpy(a->best, x, (size_t)a->size * sizeof *x);
    return proof ? prove(proof, a, x) : FATHOM_OK;
}

/* The bound with better alpha for the same multipliers; the search goes on from those it has. */
static fathom_status consider_weighed(double *price, fathom_joint_result *result, double *best,
                                      fathom_joint *a, fathom_proof *proof)
{
    fathom_context *context = a->p->context;
    const double before = *price;
    double *kept = fathom_memory_alloc(context, a->size, sizeof *kept);
    if (!kept)
        return FATHOM_ERROR_MEMORY;
    memcpy(kept, a->x, (size_t)a->size * sizeof *kept);
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < 2 && status == FATHOM_OK; k++)
        status = fathom_joint_side_weigh(a->x + a->offset[k], a->side + k, a->p, a->v,
                                         a->lower + a->offset[k], a->upper + a->offset[k]);
    FATHOM_THEN(status, fathom_joint_consider(price, result, best, a, proof));
    memcpy(a->x, kept, (size_t)a->size * sizeof *kept);
    *price = fmin(*price, before);
    fathom_memory_free(context, kept);
    return status;
}

/* The bound at v and, where v is not held, at v cut off where beta v / P would leave the domain. */
static fathom_status certify(fathom_joint_result *result, double *best, fathom_joint *a,
                             const fathom_joint_options *options)
{
    double price;
    a->now.sharpness = INFINITY; /* as it is, not smoothed */
    fathom_joint_place(a, a->x);
    FATHOM_TRY(fathom_joint_consider(&price, result, best, a, options->proof));
    FATHOM_TRY(consider_weighed(&price, result, best, a, options->proof));
    if (!options->held && fathom_joint_cut_off(a, price / a->p->beta))
        FATHOM_TRY(fathom_joint_consider(&price, result, best, a, options->proof));
    return FATHOM_OK;
}

/* Variables and their bounds: v, then per side |Theta| >= 0, log alpha around the largest at the start,
 * and t. A column that vanishes would take its alpha to 0, and a flat ball t to infinity: S must stay
 * finite. */
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
    if (!fathom_loss_row_of(a->p->loss)->kinked || a->p->equality)
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

/* One phase, in pieces: after each the bound is compared with the best. *ended: it is good enough, or the
 * context asks to stop. */
static fathom_status run_phase(bool *ended, fathom_joint_result *result, double *v, fathom_joint *a,
                               const fathom_joint_phase *phase, const fathom_joint_options *options,
                               double *work)
{
    fathom_context *context = a->p->context;
    fathom_status status = FATHOM_OK;
    double gain = INFINITY;
    for (int64_t left = phase->steps; left > 0 && status == FATHOM_OK && gain > 1e-6 && !*ended;
         left -= CHUNK) {
        a->now = *phase;
        status = descend(&gain, a, left < CHUNK ? left : CHUNK, work);
        FATHOM_THEN(status, certify(result, v, a, options));
        *ended =
            fathom_context_poll(context, "joint bound", phase->doublings, options->value / options->divisor,
                                result->lower / options->divisor) != FATHOM_STOP_NONE ||
            !(result->lower < options->enough);
    }
    return status;
}

fathom_status fathom_joint_run(fathom_joint_result *result, double *v, fathom_joint *a,
                               const fathom_joint_options *options)
{
    fathom_context *context = a->p->context;
    fathom_status status = FATHOM_OK;
    if (!(a->scale > 0))
        return status;
    double *work = fathom_memory_alloc(context, 4 * a->size, sizeof *work);
    if (!work)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; options->held && i < a->p->n; i++)
        a->lower[i] = a->upper[i] = a->x[i];
    const bool swift = fathom_joint_is_large(a->p) && !options->held && !options->start;
    if (!swift)
        status = certify(result, v, a, options);
    bool ended = options->start || (!swift && !(result->lower < options->enough));
    if (swift && status == FATHOM_OK)
        status = fathom_joint_swift(&ended, result, v, a, options);
    /* what is left after that are the sharpest phases */
    const size_t all = sizeof phases / sizeof phases[0], count = !options->brief ? all : swift ? 0 : 2;
    for (size_t k = swift ? 2 : 0; k < count && status == FATHOM_OK && !ended; k++)
        status = run_phase(&ended, result, v, a, phases + k, options, work);
    fathom_memory_free(context, work);
    return status;
}

fathom_status fathom_joint_create(fathom_joint **joint, const fathom_objective *problem, const double *v,
                                  int64_t neighbours)
{
    fathom_context *context = problem->context;
    const int64_t n = problem->n;
    fathom_joint *a = *joint = fathom_memory_zero(context, 1, sizeof *a);
    if (!a)
        return FATHOM_ERROR_MEMORY;
    a->p = problem;
    a->scale = fathom_blas_sum_abs(v, n) / (double)n;
    a->orient = fathom_memory_alloc(context, 5 * n, sizeof *a->orient);
    FATHOM_TRY(a->orient ? FATHOM_OK : FATHOM_ERROR_MEMORY);
    fathom_status status = FATHOM_OK;
    a->v = a->orient + n;
    a->slope = a->v + n;
    a->side_v = a->slope + n;
    a->size = n;
    for (int k = 0; k < 2 && status == FATHOM_OK; k++) {
        status = fathom_joint_side_open(a->side + k, problem, k ? -1 : 1, fathom_joint_signs(problem, v),
                                        neighbours);
        a->side[k].unit = UNIT * a->scale;
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
    FATHOM_FREE(context, a->orient, a);
}

fathom_status fathom_joint_improve(fathom_joint_result *result, double *v, const fathom_objective *problem,
                                   const fathom_joint_options *options)
{
    fathom_joint *joint;
    fathom_status status = fathom_joint_create(&joint, problem, v, options->neighbours);
    FATHOM_THEN(status, fathom_joint_run(result, v, joint, options));
    fathom_joint_free(joint);
    return status;
}
