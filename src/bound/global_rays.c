/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several outputs: the joint relaxation on rays of output directions (rays.h), with V as the dual point that moves; then branching on signs.
 *
 * With k dimensions of outputs (one less than classes of softmax) the fan of 12 rays in the plane loses 1/cos(15 degrees) where all rays have
 * the same price, and nothing to first order where one neuron is active: p_+(V c) = beta cos(angle) near its direction, which is what
 * interpolation between rays reproduces.
 *
 * Beyond five dimensions outputs fall into pairs, and the fan is that of all sums of cones of their planes
 * (fan.h): eight rays in each, so that twice as many directions as outputs are priced, and M is at most 1.09
 * times the root of the number of planes above the largest price.
 *
 * The relaxation ends at V_J, whose price it proves almost exactly but which is not optimal; the residual V* it began with nearly is. As
 * with one output trees of signs (sign_tree.h), one for each direction, are planted at V(t) = (1 - t) V_J + t c V*, c making the prices found by ascent
 * equal, for t = 0, 1/4, 1/2, 3/4, with the multipliers of the relaxation. Those whose bound would be best with a price lower by 4 %, but not below what was found, grow:
 * always the tree of the ray that counts most in the cone of largest value.
 */
#include "global_rays.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "global_direction.h"
#include "global_outputs.h"
#include "global_search.h"
#include "global_space.h"
#include "memory.h"

enum { MOST = 5, NEIGHBOURS = 20, CHUNK = 16 };

static const double lowering = 0.96;  /* by which some nodes for every ray multiply the price of the roots */
static const double most_bytes = 1e9; /* of multipliers */

/* Directions, each with two rays. */
static const int64_t directions[MOST + 1] = {0, 1, 6, 21, 30, 40};

/* In planes of two outputs edges at right angles alone are halved: cosines below this one. */
static const double right_angles = 0.5;

/* What may be spent where outputs are many: operations on neighbours at first, those of a step, of all steps
 * as a multiple of those that the phases have, numbers in memory; and nodes for every direction without
 * which branching does not begin. */
static const double most_near = 2e10, most_step = 4e9, most_steps = 2e8, most_numbers = 2e8;
enum { LEAST_NODES = 10 };

/* Dimensions in which cones cover all directions together. */
static int64_t dimensions(const fathom_objective *problem)
{
    return problem->outputs - fathom_output_differences(problem);
}

/* Operations of a step where outputs are many, four rays each. */
static double step_work(const fathom_objective *p)
{
    const double n = (double)p->n, d = (double)p->d;
    return 8 * (double)p->outputs * n * d * (2 * NEIGHBOURS + d);
}

bool fathom_global_rays_apply(const fathom_objective *problem)
{
    const double n = (double)problem->n, d = (double)problem->d, rays = 4 * (double)problem->outputs;
    return dimensions(problem) <= MOST ||
           (problem->outputs <= FATHOM_FAN_ALL && rays * n * n * d <= 2 * most_near &&
            step_work(problem) <= most_step && rays * n * (3 * d + 8 * NEIGHBOURS) <= most_numbers);
}

/* The relaxation and its trees at work. */
typedef struct search {
    const fathom_objective *form, *plain;
    const fathom_rays_options *options;
    fathom_output_space space;
    fathom_fan *fan;
    fathom_rays *rays;
    double *joint, *residual, *v; /* outputs x n: V_J, V*, V(t) */
    double *price, *share;        /* 2 directions, by ray */
    fathom_sign_tree *tree;       /* directions */
    double found;                 /* price of V(t) by ascent */
} search;

static void close_trees(search *a)
{
    for (int64_t k = 0; a->tree && k < a->fan->directions; k++)
        fathom_sign_tree_close(a->tree + k);
}

/* Prices by ray: the largest leaf of either side. */
static void read_prices(search *a)
{
    for (int64_t ray = 0; ray < 2 * a->fan->directions; ray++)
        a->price[ray] = fathom_sign_tree_side_price(a->tree + ray / 2, (int)(ray % 2));
}

/* Trees at V(t) from the multipliers of the relaxation, their roots improved. */
static fathom_status plant(search *a, double t, double even)
{
    const int64_t size = a->form->n * a->form->outputs;
    for (int64_t e = 0; e < size; e++)
        a->v[e] = (1 - t) * a->joint[e] + t * even * a->residual[e];
    a->options->enter(a->v, a->form);
    fathom_status status = fathom_global_search_price(&a->found, a->plain, a->v);
    for (int64_t k = 0; k < a->fan->directions && status == FATHOM_OK; k++) {
        const fathom_objective *one;
        const fathom_joint *joint = fathom_rays_direction(&one, a->rays, a->v, k);
        status = fathom_sign_tree_open(a->tree + k, one, joint);
        FATHOM_THEN(status, fathom_sign_tree_move(a->tree + k, one->y));
        FATHOM_THEN(status, fathom_sign_tree_grow(a->tree + k, 0, 2, INFINITY));
    }
    if (status == FATHOM_OK)
        read_prices(a);
    return status;
}

static double bound_of(const search *a, double price) { return fathom_objective_bound(a->form, a->v, price); }

/* t of the best prospect, of V(0) .. V(3/4). */
static fathom_status choose_prospect(double *t, double *even, search *a)
{
    double best = -INFINITY, at_joint = 0, at_residual = 0;
    fathom_status status = fathom_global_search_price(&at_joint, a->plain, a->joint);
    FATHOM_THEN(status, fathom_global_search_price(&at_residual, a->plain, a->residual));
    *even = at_residual > 0 ? at_joint / at_residual : 0;
    for (int k = 0; k < 4 && status == FATHOM_OK; k++) {
        if (k > 0 && fathom_context_stop_reason(a->form->context) != FATHOM_STOP_NONE)
            break;
        status = plant(a, k / 4.0, *even);
        const double prospect =
            status == FATHOM_OK ? bound_of(a, fmax(a->found, lowering * fathom_fan_bound(a->fan, a->price)))
                                : 0;
        if (prospect > best) {
            best = prospect;
            *t = k / 4.0;
        }
        close_trees(a);
    }
    return status;
}

/* The direction whose tree is to grow: the ray of the largest share in the largest value; -1 where it cannot. */
static int64_t next_direction(search *a)
{
    int64_t best = -1;
    fathom_fan_smooth(a->share, a->fan, a->price, 3000);
    for (int64_t ray = 0; ray < 2 * a->fan->directions; ray++)
        if (best < 0 || a->share[ray] > a->share[best])
            best = ray;
    const fathom_sign_tree *tree = a->tree + best / 2;
    const fathom_tree_node *top = tree->node + tree->heap[0];
    return !top->stale && top->next < 0 ? -1 : best / 2;
}

/* Trees grow while `nodes` last. */
static fathom_status branch(search *a, int64_t nodes)
{
    const double divisor = a->form->divisor > 0 ? a->form->divisor : 1;
    fathom_status status = FATHOM_OK;
    double bytes = 0;
    for (int64_t spent = 0; spent < nodes && status == FATHOM_OK && bytes < most_bytes; spent += CHUNK) {
        const int64_t at = next_direction(a);
        if (at < 0)
            break;
        bytes -= a->tree[at].bytes;
        status = fathom_sign_tree_grow(a->tree + at, 0, CHUNK, INFINITY);
        bytes += a->tree[at].bytes;
        read_prices(a);
        const double price = fathom_fan_bound(a->fan, a->price), lower = bound_of(a, price);
        if (fathom_context_poll(a->form->context, "rays and signs", spent, a->options->value / divisor,
                                lower / divisor) != FATHOM_STOP_NONE ||
            lower >= a->options->enough || price < 1.002 * a->found)
            break;
    }
    return status;
}

/* Leaves for both sides of every direction, of its tree or of the relaxation, and the fan that they cover; the bound with the prices that these
 * prove. */
static fathom_status prove(fathom_joint_result *result, fathom_proof *proof, search *a, const double *v,
                           bool trees)
{
    const fathom_objective *form = a->form;
    const double more = fathom_global_outputs_margin(form, v);
    fathom_status status = FATHOM_OK;
    double larger;
    for (int64_t k = 0; k < a->fan->directions && status == FATHOM_OK; k++) {
        fathom_proof *one;
        const double length = fathom_output_length(&a->space, k);
        status = fathom_proof_create(&one, form->context, form->n, proof->d, 1);
        FATHOM_THEN(status,
                    trees ? fathom_sign_tree_prove(one, a->tree + k) : fathom_rays_prove(one, a->rays, v, k));
        FATHOM_THEN(status, fathom_direction_take(&larger, proof, one, k, 0, length, more));
        for (int side = 0; side < 2 && status == FATHOM_OK; side++)
            a->price[2 * k + side] = proof->price[2 * k + side] / length;
        fathom_proof_free(one);
    }
    FATHOM_THEN(status, fathom_fan_tell(proof, a->fan, a->price));
    if (status != FATHOM_OK)
        return status;
    fathom_output_space_leave(proof, &a->space);
    result->price = fathom_fan_bound(a->fan, a->price);
    proof->lower = result->lower = fathom_objective_bound(form, v, result->price);
    memcpy(proof->v, v, (size_t)(form->n * form->outputs) * sizeof *v);
    return FATHOM_OK;
}

/* The plane of each output: the largest residuals share one, as a plane costs its largest price and not the
 * sum of both. */
static void pair_outputs(int64_t *plane, const fathom_objective *form, const double *v)
{
    const int64_t n = form->n, o = form->outputs;
    double mass[FATHOM_FAN_ALL];
    for (int64_t k = 0; k < o; k++)
        mass[k] = fathom_blas_sum_abs(v + k * n, n);
    for (int64_t rank = 0; rank < o; rank++) {
        int64_t top = 0;
        for (int64_t k = 1; k < o; k++)
            top = mass[k] > mass[top] ? k : top;
        mass[top] = -1;
        plane[top] = rank / 2;
    }
}

/* Few dimensions: one fan, of differences where rows sum to 0. Many: the sums of fans in planes of two
 * outputs each. */
static fathom_status open_fan(search *a, const double *v)
{
    const fathom_objective *form = a->form;
    const bool few = dimensions(form) <= MOST;
    int64_t plane[FATHOM_FAN_ALL];
    FATHOM_TRY(fathom_output_space_open(&a->space, form->context, form->outputs,
                                        few && fathom_output_differences(form)));
    if (few)
        return fathom_fan_create(&a->fan, form->context, a->space.k, a->space.axis, NULL,
                                 directions[a->space.k], 1);
    pair_outputs(plane, form, v);
    return fathom_fan_create(&a->fan, form->context, a->space.k, a->space.axis, plane, INT64_MAX,
                             right_angles);
}

static fathom_status open(search *a, const double *v)
{
    const fathom_objective *form = a->form;
    const int64_t size = form->n * form->outputs;
    FATHOM_TRY(open_fan(a, v));
    FATHOM_TRY(fathom_rays_create(&a->rays, form, a->fan, a->space.q, v, NEIGHBOURS));
    a->joint = fathom_memory_alloc(form->context, 3 * size + 4 * a->fan->directions, sizeof *a->joint);
    a->tree = fathom_memory_zero(form->context, a->fan->directions, sizeof *a->tree);
    if (!a->joint || !a->tree)
        return FATHOM_ERROR_MEMORY;
    a->residual = a->joint + size;
    a->v = a->residual + size;
    a->price = a->v + size;
    a->share = a->price + 2 * a->fan->directions;
    memcpy(a->joint, v, (size_t)size * sizeof *v);
    memcpy(a->residual, v, (size_t)size * sizeof *v);
    return FATHOM_OK;
}

static void close(search *a)
{
    close_trees(a);
    FATHOM_FREE(a->form->context, a->tree, a->joint);
    fathom_rays_free(a->rays);
    fathom_fan_free(a->fan);
    fathom_output_space_close(&a->space, a->form->context);
}

/* Branching from the relaxation; what is proved there replaces *result and v where it is better. */
static fathom_status go_on(fathom_joint_result *result, double *v, search *a, double seconds, bool *trees)
{
    double t = 0, even = 0;
    fathom_status status = choose_prospect(&t, &even, a);
    FATHOM_THEN(status, plant(a, t, even));
    FATHOM_THEN(status, branch(a, fathom_global_search_nodes(a->form, seconds)));
    const double price = status == FATHOM_OK ? fathom_fan_bound(a->fan, a->price) : INFINITY;
    const double lower = isfinite(price) ? bound_of(a, price) : -INFINITY;
    *trees = lower > result->lower;
    if (*trees) {
        *result = (fathom_joint_result){lower, price};
        memcpy(v, a->v, (size_t)(a->form->n * a->form->outputs) * sizeof *v);
    }
    return status;
}

fathom_status fathom_global_rays_run(fathom_joint_result *result, double *v, const fathom_objective *form,
                                     const fathom_objective *plain, double seconds,
                                     const fathom_rays_options *options, fathom_proof *proof)
{
    const double before = result->lower;
    const bool many = dimensions(form) > MOST;
    fathom_rays_options own = *options;
    search a = {.form = form, .plain = plain, .options = options};
    bool trees = false;
    fathom_status status = open(&a, v);
    own.share = many ? most_steps / step_work(form) : 0;
    FATHOM_THEN(status, fathom_rays_run(result, a.joint, a.rays, &own));
    if (status == FATHOM_OK && many &&
        fathom_global_search_nodes(form, seconds) < LEAST_NODES * a.fan->directions)
        seconds = 0;
    if (status == FATHOM_OK)
        memcpy(v, a.joint, (size_t)(form->n * form->outputs) * sizeof *v);
    if (status == FATHOM_OK && seconds > 0 && result->price < INFINITY && result->lower < options->enough &&
        fathom_context_stop_reason(form->context) == FATHOM_STOP_NONE)
        status = go_on(result, v, &a, seconds, &trees);
    if (status == FATHOM_OK && proof && result->lower > before)
        status = prove(result, proof, &a, v, trees);
    close(&a);
    return status;
}
