/* SPDX-License-Identifier: Apache-2.0 */
/* The row space of wide data; see row_space.h. */
#include "row_space.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "gemm.h"
#include "memory.h"
#include "train_relu.h"

/* reach_i = |b_i| up plus what |x_i - Q b_i| and the loss of orthogonality of Q cost, in the unit of objective_bound.c: one part
 * in 2 q, q = (2 n + n + o + 32) u at least. */
static fathom_status measure(fathom_row_space *s, const fathom_train_problem *p)
{
    const int64_t n = p->n, d = p->d;
    const double unit = 2 * (3 * (double)n + (double)p->outputs + 32) * DBL_EPSILON / 2;
    double *image = fathom_memory_alloc(p->context, n * d, sizeof *image);
    double *gram = fathom_memory_alloc(p->context, n * n, sizeof *gram), skew = 0;
    fathom_status status = image && gram ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_gemm(image, d, n, d, n, 1, fathom_plain(s->b, n), fathom_transposed(s->q, n),
                                    0, p->context));
    FATHOM_THEN(status, fathom_gemm(gram, n, n, n, d, 1, fathom_transposed(s->q, n), fathom_plain(s->q, n), 0,
                                    p->context));
    for (int64_t i = 0; i < n * n && status == FATHOM_OK; i++)
        skew += fabs(gram[i] - (i % (n + 1) == 0 ? 1 : 0));
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++) {
        double square = 0, size = 0;
        for (int64_t l = 0; l < d; l++) {
            const double e = p->x[i * d + l] - image[i * d + l];
            square += e * e;
        }
        for (int64_t l = 0; l < n; l++)
            size += s->b[i * n + l] * s->b[i * n + l];
        const double length = sqrt(size) * (1 + (double)(n + 4) * DBL_EPSILON);
        /* the difference itself is known to (n + 2) roundings of sum |b||q| <= sqrt(n) |b|, and so is Q'Q */
        const double rounding = ((double)n + (double)d + 8) * DBL_EPSILON * sqrt((double)n) * length;
        s->reach[i] = length + (sqrt(square) + rounding + skew * length) / unit;
    }
    FATHOM_FREE(p->context, image, gram);
    return status;
}

/* A row whose part outside the span of those before it is rounding of its length. */
static const double ROUNDING = 1e-10;

/* Whether a row of B, lower triangular, depends on those before it. */
static bool rows_depend(const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(b[i * n + i]) > ROUNDING * fathom_blas_norm(b + i * n, i + 1)))
            return true;
    return false;
}

fathom_status fathom_row_space_open(fathom_row_space *space, const fathom_train_problem *problem)
{
    fathom_context *context = problem->context;
    const int64_t n = problem->n, d = problem->d;
    *space = (fathom_row_space){.problem = *problem};
    space->q = fathom_memory_alloc(context, d * n, sizeof *space->q);
    space->b = fathom_memory_alloc(context, n * n, sizeof *space->b);
    space->reach = fathom_memory_alloc(context, n, sizeof *space->reach);
    fathom_status status = space->q && space->b && space->reach ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        fathom_transpose(space->q, n, problem->x, d, n, d);
        status = fathom_blas_qr(space->q, n, space->b, d, n, context);
    }
    if (status == FATHOM_OK) { /* X' = Q R, so B = R' */
        for (int64_t i = 0; i < n; i++)
            for (int64_t l = 0; l < i; l++) {
                const double t = space->b[i * n + l];
                space->b[i * n + l] = space->b[l * n + i];
                space->b[l * n + i] = t;
            }
        status = measure(space, problem);
        space->problem.dependent = rows_depend(space->b, n);
    }
    space->problem.d = n;
    space->problem.x = space->b;
    space->problem.reach = space->reach;
    space->problem.dense = NULL;
    return status;
}

void fathom_row_space_close(fathom_row_space *space)
{
    FATHOM_FREE(space->problem.context, space->q, space->b, space->reach);
}

/* u = Q t for every neuron; everything else as it is. */
static fathom_status expand(fathom_net **net, fathom_net *small, const fathom_row_space *s, int64_t d)
{
    fathom_net_shape shape = fathom_net_look(small);
    const int64_t n = shape.d;
    shape.d = d;
    FATHOM_TRY(fathom_net_create(net, s->problem.context, &shape));
    const fathom_net_weights from = fathom_net_lend(small), into = fathom_net_lend(*net);
    for (int64_t j = 0; j < shape.m; j++)
        fathom_blas_gemv(into.u + j * d, d, n, 1, fathom_plain(s->q, n), from.u + j * n, 0);
    memcpy(into.w, from.w, (size_t)(shape.m * shape.outputs) * sizeof *into.w);
    if (shape.hidden_bias)
        memcpy(into.b, from.b, (size_t)shape.m * sizeof *into.b);
    memcpy(into.c, from.c, (size_t)shape.outputs * sizeof *into.c);
    return FATHOM_OK;
}

/* Gates in coordinates of B become gates of X, Q t for t; their exact texts are those of B and go. */
static fathom_status expand_gates(fathom_proof *proof, const fathom_row_space *s, int64_t d)
{
    const int64_t n = proof->d;
    if (!proof->orientation)
        return FATHOM_OK;
    double *wide = fathom_memory_alloc(proof->context, proof->gates * d, sizeof *wide);
    if (!wide)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < proof->gates; j++)
        fathom_blas_gemv(wide + j * d, d, n, 1, fathom_plain(s->q, n), proof->orientation + j * n, 0);
    FATHOM_FREE(proof->context, proof->orientation, proof->exact_at, proof->exact_text);
    proof->orientation = wide;
    proof->exact_at = NULL;
    proof->exact_text = NULL;
    return FATHOM_OK;
}

/* A centre in coordinates of B becomes one of X. Multipliers of points are the same for both. */
static fathom_status expand_proof(fathom_proof *proof, const fathom_row_space *s, int64_t d)
{
    const fathom_status status = proof ? expand_gates(proof, s, d) : FATHOM_OK;
    if (!proof || status != FATHOM_OK)
        return status;
    double *centre = proof->centre ? fathom_memory_alloc(proof->context, d, sizeof *centre) : NULL;
    if (proof->centre && !centre)
        return FATHOM_ERROR_MEMORY;
    if (centre)
        fathom_blas_gemv(centre, d, proof->d, 1, fathom_plain(s->q, proof->d), proof->centre, 0);
    fathom_memory_free(proof->context, proof->centre);
    proof->centre = centre;
    proof->d = d;
    return FATHOM_OK;
}

fathom_status fathom_row_space_return(fathom_train_result *result, const fathom_row_space *space,
                                      const fathom_train_problem *problem)
{
    fathom_net *net = NULL, *small = result->net;
    fathom_status status = expand(&net, small, space, problem->d);
    FATHOM_THEN(status, expand_proof(result->proof, space, problem->d));
    if (status != FATHOM_OK) {
        fathom_net_free(net);
        return status;
    }
    result->net = net;
    fathom_net_free(small);
    return fathom_relu_evaluate(result, problem);
}
