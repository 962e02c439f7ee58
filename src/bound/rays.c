/* SPDX-License-Identifier: Apache-2.0 */
/* The joint relaxation on rays of output directions; the mathematics stands in rays.h. */
#include "rays.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "lbfgs.h"
#include "memory.h"
#include "rays_internal.h"

static const fathom_joint_phase phases[] = {
    {3, 0.05, 30, 100}, {5, 0.02, 60, 120}, {7, 0.01, 200, 150}, {8, 0.005, 300, 200}, {9, 0.001, 500, 300}};

enum { MEMORY = 12, CHUNK = 100 };

static const double IDLE = 1e-9; /* shares of the price below which a side does not move */

/* Sides side by side where that pays. */
static int threads_for(const fathom_rays *a)
{
    const fathom_joint_side *side = a->joint[0]->side;
    const int64_t work = (a->p->n * (side->ld + 8) + side->entries) * side->ld * a->directions;
    return fathom_threads_worth((double)work, fathom_context_threads(a->p->context));
}

static fathom_joint_side *side_of(const fathom_rays *a, int64_t ray)
{
    return a->joint[ray / 2]->side + ray % 2;
}

/* w = V in each direction. */
static void project(fathom_rays *a, const double *v)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    for (int64_t k = 0; k < a->directions; k++)
        fathom_blas_gemv(a->w + k * n, n, o, 1, fathom_transposed(v, n), a->along + k * o, 0);
}

/* Derivatives by V (outputs x n) from those by w of all rays, side by side. */
static void collect(double *gradient, const fathom_rays *a, double value)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    for (int64_t e = 0; e < n * o; e++)
        gradient[e] = -a->slope[e] / value;
    for (int64_t ray = 0; ray < 2 * a->directions; ray++)
        for (int64_t k = 0; k < o && a->share[ray] > IDLE; k++)
            fathom_blas_axpy(gradient + k * n, a->along[ray / 2 * o + k], a->by_w + ray * n, n);
}

/* Variables of one side at work. */
static int64_t side_size(const fathom_rays *a, int64_t ray)
{
    return side_of(a, ray)->entries + a->p->n + 1 + (a->p->constant ? 1 : 0);
}

/* -log D(s V), smoothed; by the variables at work. */
static double objective(void *user, double *gradient, const double *z)
{
    fathom_rays *a = user;
    const int64_t n = a->p->n, rays = 2 * a->directions;
    double by_log_price;
    fathom_rays_place(a, z);
    project(a, a->v);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_for(a))
    for (int64_t ray = 0; ray < rays; ray++)
        a->price[ray] =
            exp(fathom_joint_side_value(side_of(a, ray), a->one + ray / 2, a->w + ray / 2 * n, z + a->at[ray],
                                        a->now.bend * a->joint[ray / 2]->scale, a->now.doublings));
    if (fathom_context_overdue(a->p->context))
        return INFINITY; /* what was computed may be a part of itself */
    const double smooth = fathom_fan_smooth(a->share, a->fan, a->price, a->now.sharpness);
    const double value = isfinite(smooth) ? fathom_rays_dual(a, smooth, &by_log_price) : 0;
    if (!(value > 0))
        return INFINITY;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_for(a))
    for (int64_t ray = 0; ray < rays; ray++)
        if (a->share[ray] > IDLE)
            fathom_joint_side_slope(a->by_w + ray * n, gradient + a->at[ray], side_of(a, ray),
                                    a->one + ray / 2, -by_log_price / value * a->share[ray]);
        else
            memset(gradient + a->at[ray], 0, (size_t)side_size(a, ray) * sizeof *gradient);
    if (fathom_context_overdue(a->p->context))
        return INFINITY;
    collect(gradient, a, value);
    fathom_rays_pull_back(gradient, a);
    return -log(value);
}

/* Variables at work from all (into = true) or back: those of V, then the sides. */
static void transfer(double *work, fathom_rays *a, bool into, size_t which)
{
    const int64_t n = a->p->n, size = n * a->p->outputs, more = n + 1 + (a->p->constant ? 1 : 0);
    for (int64_t e = 0; e < size; e++)
        if (which == 0)
            *(into ? work + e : a->t + e) = into ? a->t[e] : work[e];
        else
            work[e] = which == 1 ? -INFINITY : INFINITY;
    for (int64_t ray = 0; ray < 2 * a->directions; ray++) {
        fathom_joint *joint = a->joint[ray / 2];
        const fathom_joint_side *side = side_of(a, ray);
        double *const all[] = {joint->x, joint->lower, joint->upper};
        double *z = work + a->at[ray], *x = all[which] + joint->offset[ray % 2];
        for (int64_t e = 0; e < side->entries; e++)
            *(into ? z + e : x + side->slot[e]) = into ? x[side->slot[e]] : z[e];
        z += side->entries;
        x += side->rows * (side->k + 2);
        for (int64_t j = 0; j < more; j++)
            *(into ? z + j : x + j) = into ? side->unit * x[j] : z[j] / side->unit;
    }
}

/* Chooses the entries of Theta that work; returns the number of variables. */
static int64_t choose_work(fathom_rays *a, fathom_joint_choice choice)
{
    int64_t size = a->p->n * a->p->outputs;
    for (int64_t ray = 0; ray < 2 * a->directions; ray++) {
        const fathom_joint *joint = a->joint[ray / 2];
        const bool idle = choice == FATHOM_JOINT_USEFUL && !(a->share[ray] > IDLE);
        fathom_joint_side_pack(side_of(a, ray), joint->x + joint->offset[ray % 2],
                               idle ? FATHOM_JOINT_POSITIVE : choice);
        a->at[ray] = size;
        size += side_size(a, ray);
    }
    return size;
}

/* Multipliers that are next to nothing and would not grow need not stay. */
static void drop_smallest(fathom_rays *a)
{
    for (int64_t ray = 0; ray < 2 * a->directions; ray++) {
        const fathom_joint *joint = a->joint[ray / 2];
        const fathom_joint_side *side = side_of(a, ray);
        double *x = joint->x + joint->offset[ray % 2];
        for (int64_t t = 0; t < side->rows * (side->k + 2); t++)
            x[t] = x[t] > 1e-5 * joint->scale ? x[t] : 0;
    }
}

static int64_t all_variables(const fathom_rays *a)
{
    int64_t size = a->p->n * a->p->outputs;
    for (int64_t k = 0; k < a->directions; k++)
        size += a->joint[k]->size;
    return size;
}

/* One descent of at most CHUNK steps on the entries that matter now. *gain: what the objective lost. `work`: room for variables, their
 * bounds and a gradient. */
static fathom_status descend(double *gain, fathom_rays *a, int64_t steps, double *work, int64_t room)
{
    double *z = work, *lower = work + room, *upper = lower + room, *gradient = upper + room, value;
    choose_work(a, FATHOM_JOINT_POSITIVE);
    transfer(z, a, true, 0);
    const double before = objective(a, gradient, z);
    if (!isfinite(before)) {
        *gain = 0;
        return FATHOM_OK;
    }
    drop_smallest(a);
    const int64_t size = choose_work(a, FATHOM_JOINT_USEFUL);
    transfer(z, a, true, 0);
    transfer(lower, a, true, 1);
    transfer(upper, a, true, 2);
    const fathom_lbfgs_options descent = {steps, MEMORY, 1e-9, lower, upper, NULL};
    const fathom_status status =
        fathom_lbfgs_minimize(z, &value, a->p->context, size, objective, a, &descent);
    if (status == FATHOM_OK)
        transfer(z, a, false, 0);
    *gain = before - value;
    return status;
}

/* Prices of v by ray, rounded up. */
static fathom_status price_all(fathom_rays *a, const double *v)
{
    const int64_t n = a->p->n, rays = 2 * a->directions;
    fathom_status first = FATHOM_OK;
    project(a, v);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_for(a))
    for (int64_t ray = 0; ray < rays; ray++) {
        const fathom_joint *joint = a->joint[ray / 2];
        const fathom_status status =
            fathom_joint_side_price(a->price + ray, side_of(a, ray), a->one + ray / 2, a->w + ray / 2 * n,
                                    joint->x + joint->offset[ray % 2]);
        if (status != FATHOM_OK)
#pragma omp critical(fathom_rays_status)
            first = status;
    }
    return first;
}

/* The bound of V with the multipliers of all rays, with rounding; kept where it is the best. */
static fathom_status certify(fathom_joint_result *result, double *best, fathom_rays *a,
                             const fathom_rays_options *options)
{
    const size_t size = (size_t)(a->p->n * a->p->outputs);
    fathom_rays_place(a, a->t);
    options->enter(a->v, a->p);
    FATHOM_TRY(price_all(a, a->v));
    const double price = fathom_fan_bound(a->fan, a->price);
    const double lower = isfinite(price) ? fathom_objective_bound(a->p, a->v, price) : -INFINITY;
    if (!(lower > result->lower))
        return FATHOM_OK;
    *result = (fathom_joint_result){lower, price};
    memcpy(best, a->v, size * sizeof *best);
    for (int64_t k = 0; k < a->directions; k++) { /* multipliers, and the weights that they are for */
        memcpy(a->joint[k]->best, a->joint[k]->x, (size_t)a->joint[k]->size * sizeof *a->joint[k]->x);
        memcpy(a->joint[k]->best, a->w + k * a->p->n, (size_t)a->p->n * sizeof *a->w);
    }
    return FATHOM_OK;
}

/* One phase, in pieces. *ended: the bound is good enough, or the context asks to stop. */
static fathom_status run_phase(bool *ended, fathom_joint_result *result, double *v, fathom_rays *a,
                               const fathom_joint_phase *phase, const fathom_rays_options *options,
                               double *work, int64_t room)
{
    const double divisor = a->p->divisor > 0 ? a->p->divisor : 1;
    fathom_status status = FATHOM_OK;
    double gain = INFINITY;
    const double share = options->share > 0 ? fmin(options->share, 1) : 1;
    for (int64_t left = (int64_t)ceil(share * (double)phase->steps);
         left > 0 && status == FATHOM_OK && gain > 1e-6 && !*ended; left -= CHUNK) {
        a->now = *phase;
        status = descend(&gain, a, left < CHUNK ? left : CHUNK, work, room);
        FATHOM_THEN(status, certify(result, v, a, options));
        *ended = fathom_context_poll(a->p->context, "rays of outputs", phase->doublings,
                                     options->value / divisor, result->lower / divisor) != FATHOM_STOP_NONE ||
                 !(result->lower < options->enough);
    }
    return status;
}

fathom_status fathom_rays_run(fathom_joint_result *result, double *v, fathom_rays *a,
                              const fathom_rays_options *options)
{
    const int64_t room = all_variables(a);
    if (!(a->scale > 0))
        return FATHOM_OK;
    double *work = fathom_memory_alloc(a->p->context, 4 * room, sizeof *work);
    if (!work)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = certify(result, v, a, options);
    bool ended = !(result->lower < options->enough);
    for (size_t k = 0; k < sizeof phases / sizeof *phases && status == FATHOM_OK && !ended; k++)
        status = run_phase(&ended, result, v, a, phases + k, options, work, room);
    fathom_memory_free(a->p->context, work);
    return status;
}

const fathom_joint *fathom_rays_direction(const fathom_objective **one, fathom_rays *a, const double *v,
                                          int64_t direction)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    fathom_blas_gemv(a->w + direction * n, n, o, 1, fathom_transposed(v, n), a->along + direction * o, 0);
    *one = a->one + direction;
    return a->joint[direction];
}

fathom_status fathom_rays_prove(fathom_proof *proof, fathom_rays *a, const double *v, int64_t direction)
{
    const int64_t n = a->p->n;
    const fathom_joint *joint = a->joint[direction];
    fathom_status status = FATHOM_OK;
    project(a, v);
    for (int side = 0; side < 2 && status == FATHOM_OK; side++)
        status = fathom_joint_prove(proof, a->joint[direction]->side + side, a->one + direction,
                                    a->w + direction * n, joint->best + joint->offset[side]);
    return status;
}

static bool allocate(fathom_rays *a)
{
    fathom_context *context = a->p->context;
    const int64_t n = a->p->n, o = a->p->outputs, k = a->directions;
    a->along =
        fathom_memory_alloc(context, k * (o + n) + 4 * o * n + 2 * k * n + 4 * k + o, sizeof *a->along);
    a->one = fathom_memory_alloc(context, k, sizeof *a->one);
    a->joint = fathom_memory_zero(context, k, sizeof *a->joint);
    a->at = fathom_memory_alloc(context, 2 * k, sizeof *a->at);
    if (!a->along || !a->one || !a->joint || !a->at)
        return false;
    a->w = a->along + k * o;
    a->first = a->w + k * n;
    a->t = a->first + o * n;
    a->v = a->t + o * n;
    a->slope = a->v + o * n;
    a->by_w = a->slope + o * n;
    a->price = a->by_w + 2 * k * n;
    a->share = a->price + 2 * k;
    a->shift = a->share + 2 * k;
    return true;
}

fathom_status fathom_rays_create(fathom_rays **rays, const fathom_objective *problem, const fathom_fan *fan,
                                 const double *basis, const double *v, int64_t neighbours)
{
    const int64_t n = problem->n, o = problem->outputs;
    fathom_rays *a = *rays = fathom_memory_zero(problem->context, 1, sizeof *a);
    if (!a)
        return FATHOM_ERROR_MEMORY;
    a->p = problem;
    a->fan = fan;
    a->directions = fan->directions;
    a->scale = fathom_blas_sum_abs(v, n * o) / (double)(n * o);
    if (!allocate(a))
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < a->directions; k++)
        fathom_blas_gemv(a->along + k * o, o, fan->k, 1, fathom_transposed(basis, o), fan->c + k * fan->k, 0);
    if (a->scale > 0)
        fathom_rays_start(a, v);
    else
        memset(a->v, 0, (size_t)(n * o) * sizeof *a->v);
    project(a, a->v);
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < a->directions && status == FATHOM_OK; k++) {
        a->one[k] = fathom_objective_one_output(problem, a->w + k * n);
        status = fathom_joint_create(a->joint + k, a->one + k, a->w + k * n, neighbours);
        for (int side = 0; side < 2 && status == FATHOM_OK;
             side++) /* a direction in which V vanishes has none */
            a->joint[k]->side[side].unit = fmax(a->joint[k]->side[side].unit, 1e-6 * a->scale);
    }
    return status;
}

void fathom_rays_free(fathom_rays *a)
{
    if (!a)
        return;
    fathom_context *context = a->p->context;
    for (int64_t k = 0; a->joint && k < a->directions; k++)
        fathom_joint_free(a->joint[k]);
    FATHOM_FREE(context, a->along, a->one, a->joint, a->at, a);
}
