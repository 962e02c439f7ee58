/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence for the upper end of a global margin.
 *
 *     gamma_gl <= p(v) / sum_i y_i v_i   for every v with y_i v_i >= 0,   p(v) = max over |u| <= 1 of |v'(Xu)_+|
 *
 * The hinge loss with weights so large that no box is met and beta = 1 has the dual bound sum_i y_i v_i /
 * p(v), so that the search of global_bound.h from v = y q makes this ratio small and leaves what proves
 * p(v) behind. The interval itself may be narrower: it need not come from a proof of this kind.
 */
#include <math.h>

#include "blas.h"
#include "data_scale.h"
#include "dense.h"
#include "global_bound.h"
#include "inner/data.h"
#include "inner/margin.h"
#include "margin_result.h"
#include "memory.h"

/* Improves the bound of the problem from v and keeps its evidence. */
static fathom_status search(fathom_margin_result *result, const fathom_objective *problem, const double *v)
{
    const double value = 1 / ldexp(result->view.lower, -result->point);
    const fathom_global_effort effort = {value, value * (1 - 1e-6), 5, INFINITY};
    fathom_global_bound below = {0};
    fathom_status status = fathom_proof_create(&result->proof, result->context, problem->n, problem->d, 1);
    FATHOM_THEN(status, fathom_global_bound_open(&below, problem, result->proof));
    below.without_cones = true;
    FATHOM_THEN(status, fathom_global_bound_improve(&below, v, &effort));
    fathom_global_bound_close(&below);
    return status;
}

/* For data in the range of the result. */
static fathom_status seek(fathom_margin_result *result, fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    fathom_context *context = result->context;
    const double *y;
    int64_t outputs;
    double *x = NULL, *v = NULL;
    fathom_status status = fathom_data_code_classes(&y, &outputs, data);
    FATHOM_THEN(status, fathom_dense_copy(&x, &view, context));
    if (status == FATHOM_OK) {
        v = fathom_memory_alloc(context, 3 * view.n, sizeof *v);
        status = v ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK) {
        double *reach = v + view.n, *weight = v + 2 * view.n;
        for (int64_t i = 0; i < view.n; i++) {
            v[i] = y[i] * result->q[i];
            reach[i] = fathom_blas_norm_up(x + i * view.d, view.d, 4);
            weight[i] = 1e3 / ldexp(result->view.lower, -result->point);
        }
        const fathom_objective problem = {.context = context,
                                          .n = view.n,
                                          .d = view.d,
                                          .outputs = 1,
                                          .x = x,
                                          .reach = reach,
                                          .loss = FATHOM_LOSS_HINGE,
                                          .y = y,
                                          .weight = weight,
                                          .beta = 1};
        status = search(result, &problem, v);
    }
    FATHOM_FREE(context, x, v);
    return status;
}

fathom_status fathom_margin_seek_proof(fathom_margin_result *result, fathom_data *data)
{
    const fathom_data_scale scale = {.point = result->point};
    fathom_data *scaled = NULL;
    if (result->view.kind != FATHOM_MARGIN_GLOBAL || result->view.width > 0 ||
        fathom_data_look(data).bias == FATHOM_BIAS_FREE || !result->net || !(result->view.lower > 0) ||
        result->proof)
        return FATHOM_OK;
    fathom_status status = scale.point ? fathom_data_scaled(&scaled, data, &scale) : FATHOM_OK;
    FATHOM_THEN(status, seek(result, scaled ? scaled : data));
    if (status == FATHOM_OK)
        result->proof->point = scale.point;
    fathom_data_free(scaled);
    return status;
}
