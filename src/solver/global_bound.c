/* SPDX-License-Identifier: Apache-2.0 */
/* Global lower bounds for every upper side: the joint relaxation behind one interface (global_bound.h). */
#include "global_bound.h"

#include <math.h>
#include <string.h>

#include "joint.h"
#include "memory.h"

enum { NEIGHBOURS = 40 };

fathom_status fathom_global_bound_open(fathom_global_bound *bound, const fathom_gated_problem *problem)
{
    const int64_t n = problem->n * problem->outputs;
    *bound = (fathom_global_bound){.problem = problem, .method = "no loss is negative", .price = INFINITY};
    bound->v = fathom_memory_zero(problem->context, n, sizeof *bound->v);
    bound->met = fathom_memory_zero(problem->context, problem->d + 1, sizeof *bound->met);
    return bound->v && bound->met ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_global_bound_close(fathom_global_bound *bound)
{
    if (!bound->problem)
        return;
    fathom_memory_free(bound->problem->context, bound->v);
    fathom_memory_free(bound->problem->context, bound->met);
    *bound = (fathom_global_bound){0};
}

fathom_status fathom_global_bound_improve(fathom_global_bound *bound, const double *residual,
                                          const fathom_global_effort *effort)
{
    const fathom_gated_problem *p = bound->problem;
    const double divisor = p->divisor > 0 ? p->divisor : 1;
    const fathom_joint_options options = {NEIGHBOURS, effort->enough, effort->value, divisor};
    fathom_joint_result joint = {0, 0};
    double *v = fathom_memory_alloc(p->context, p->n, sizeof *v);
    if (!v)
        return FATHOM_ERROR_MEMORY;
    memcpy(v, residual, (size_t)p->n * sizeof *v);
    const fathom_status status = fathom_joint_improve(&joint, v, p, &options);
    if (joint.lower > bound->lower) {
        bound->lower = joint.lower;
        bound->price = joint.price;
        bound->method = "joint relaxation";
        memcpy(bound->v, v, (size_t)p->n * sizeof *v);
    }
    bound->met_price = 0;
    bound->exhausted = true;
    fathom_memory_free(p->context, v);
    return status;
}
