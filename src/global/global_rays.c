/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several outputs: the joint relaxation on rays of output directions (rays.h), with V as the dual point that moves.
 *
 * With k dimensions of outputs (one less than classes of softmax) the fan of 12 rays in the plane loses 1/cos(15 degrees) where all rays have
 * the same price, and nothing to first order where one neuron is active: p_+(V c) = beta cos(angle) near its direction, which is what
 * interpolation between rays reproduces.
 */
#include "global_rays.h"

#include <string.h>

#include "global_direction.h"
#include "global_outputs.h"
#include "global_space.h"
#include "memory.h"

enum { MOST = 5, NEIGHBOURS = 20 };

/* Directions, each with two rays. */
static const int64_t directions[MOST + 1] = {0, 1, 6, 21, 30, 40};

bool fathom_global_rays_apply(const fathom_gated_problem *problem)
{
    return problem->outputs - fathom_output_differences(problem) <= MOST;
}

/* Leaves for both sides of every direction and the fan that they cover; the bound with the prices that these prove. */
static fathom_status prove(fathom_joint_result *result, fathom_proof *proof, const double *v,
                           const fathom_gated_problem *form, const fathom_output_space *space,
                           const fathom_fan *fan, fathom_rays *rays)
{
    const double more = fathom_global_outputs_margin(form, v);
    double *price = fathom_memory_alloc(form->context, 2 * fan->directions, sizeof *price), larger;
    fathom_status status = price ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < fan->directions && status == FATHOM_OK; k++) {
        fathom_proof *one;
        const double length = fathom_output_length(space, k);
        status = fathom_proof_create(&one, form->context, form->n, proof->d, 1);
        if (status == FATHOM_OK)
            status = fathom_rays_prove(one, rays, v, k);
        if (status == FATHOM_OK)
            status = fathom_direction_take(&larger, proof, one, k, 0, length, more);
        for (int side = 0; side < 2 && status == FATHOM_OK; side++)
            price[2 * k + side] = proof->price[2 * k + side] / length;
        fathom_proof_free(one);
    }
    if (status == FATHOM_OK)
        status = fathom_fan_tell(proof, fan, price);
    if (status == FATHOM_OK) {
        fathom_output_space_leave(proof, space);
        result->price = fathom_fan_bound(fan, price);
        proof->lower = result->lower = fathom_gated_bound(form, v, result->price);
        memcpy(proof->v, v, (size_t)(form->n * form->outputs) * sizeof *v);
    }
    fathom_memory_free(form->context, price);
    return status;
}

fathom_status fathom_global_rays_run(fathom_joint_result *result, double *v, const fathom_gated_problem *form,
                                     const fathom_rays_options *options, fathom_proof *proof)
{
    const double before = result->lower;
    fathom_output_space space;
    fathom_fan *fan = NULL;
    fathom_rays *rays = NULL;
    fathom_status status =
        fathom_output_space_open(&space, form->context, form->outputs, fathom_output_differences(form));
    if (status == FATHOM_OK)
        status = fathom_fan_create(&fan, form->context, space.k, space.axis, directions[space.k], 1);
    if (status == FATHOM_OK)
        status = fathom_rays_create(&rays, form, fan, space.q, v, NEIGHBOURS);
    if (status == FATHOM_OK)
        status = fathom_rays_run(result, v, rays, options);
    if (status == FATHOM_OK && proof && result->lower > before)
        status = prove(result, proof, v, form, &space, fan, rays);
    fathom_rays_free(rays);
    fathom_fan_free(fan);
    fathom_output_space_close(&space, form->context);
    return status;
}
