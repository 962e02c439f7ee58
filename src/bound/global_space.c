/* SPDX-License-Identifier: Apache-2.0 */
/* Directions of outputs in coordinates of an orthonormal basis, and back in those of a certificate. */
#include "global_space.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "loss_row.h"
#include "memory.h"

bool fathom_output_differences(const fathom_objective *problem)
{
    return !problem->equality && fathom_loss_row_of(problem->loss)->simplex;
}

fathom_status fathom_output_space_open(fathom_output_space *s, fathom_context *context, int64_t outputs,
                                       bool differences)
{
    const int64_t o = outputs, k = o - differences;
    *s = (fathom_output_space){.k = k, .outputs = o};
    s->q = fathom_memory_zero(context, k * o + k * k + k, sizeof *s->q);
    if (!s->q)
        return FATHOM_ERROR_MEMORY;
    s->axis = s->q + k * o;
    for (int64_t a = 0; a < k; a++) {
        const double times = differences ? 1 / sqrt((double)((a + 1) * (a + 2))) : 1;
        for (int64_t e = 0; e <= a && differences; e++)
            s->q[a * o + e] = times;
        s->q[a * o + a + differences] = differences ? -(double)(a + 1) * times : times;
    }
    for (int64_t a = 0; a < k * k; a++)
        s->axis[a] =
            differences ? (s->q[a % k * o + a / k] - s->q[a % k * o + o - 1]) / sqrt(2.0) : a / k == a % k;
    return FATHOM_OK;
}

void fathom_output_space_close(fathom_output_space *space, fathom_context *context)
{
    fathom_memory_free(context, space->q);
    *space = (fathom_output_space){0};
}

double fathom_output_length(const fathom_output_space *space, int64_t number)
{
    return space->k < space->outputs && number < space->k ? sqrt(2.0) : 1;
}

void fathom_output_space_leave(fathom_proof *proof, const fathom_output_space *s)
{
    double *l = s->axis + s->k * s->k; /* room for k numbers */
    proof->axes = s->k;
    for (int64_t a = 0; a < 2 * proof->corners; a++)
        proof->share[a] /= fathom_output_length(s, proof->parent[a]);
    for (int64_t a = 0; a < proof->pieces; a++) {
        double *majorant = proof->majorant + a * s->outputs;
        memcpy(l, majorant, (size_t)s->k * sizeof *l);
        fathom_blas_gemv(majorant, s->outputs, s->k, 1, fathom_transposed(s->q, s->outputs), l, 0);
    }
}
