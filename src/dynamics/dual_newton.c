/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implicit steps of the flow by frozen duals, for late times, when duals relax much faster than they drift.
 *
 * With c = 1 - 1/sqrt 2 (an L-stable, stiffly accurate method of order 2 with two stages, SDIRK2):
 *
 *     W_1 = Flow(W, q_1, c h),      q_1 = q(W_1);
 *     W'  = Flow(W, q_m, h),        q_m = (1 - c) q_1 + c q_2,   q_2 = q(W').
 *
 * Each stage is an equation for the n margins p of its state: p = p(Flow(W, q(p), .)). Newton's method, with the tangent kernel
 *
 *     K_ik = y_i y_k sum_j [ phi_ij phi_kj  +  a_j^2 s_ij s_kj <x_i, P_j x_k> ]     (first term where a is trained, second where v is)
 *
 * P_j the projection off the examples on which neuron j slides, and dq/dp = -(D - t qq'), D = diag(q_i t_i), t_i = 1/(1 + e^{-p_i})
 * (exponential loss: 1), t the same at the smoothed margin: both stages have the matrix I + c h K (D - t qq'), which is
 * B - c h t (Kq) q' with B = I + c h K D. B^{-1} = I - c h K S (I + c h S K S)^{-1} S, S = D^{1/2}: one Cholesky factorisation per
 * step; the last term by Sherman and Morrison. The iteration starts from the margins of W: a resumed run takes the same bits.
 *
 * Error: the integral of the parabola through q(W), q_1, q_2, minus q_m. Cost per step: K (n^2 (m + sliding pairs)), n^3 / 3, and
 * a motion of all neurons per iteration.                                                          [003, App. C; docs/explanation/dynamics.md]
 */
#include <math.h>
#include <string.h>

#include "cholesky.h"
#include "context_internal.h"
#include "dual_flow.h"
#include "gemm.h"
#include "memory.h"

enum { ITERATIONS = 14 };
static const double stage = 0.29289321881345247560; /* 1 - 1/sqrt 2 */

typedef struct dual_newton {
    double *kernel, *factor;   /* n x n */
    double *root;              /* n: S */
    double *image, *bordered;  /* n: K q; B^{-1} K q */
    double *p, *q, *mix, *one; /* n: margins, duals, frozen duals, duals of the first stage */
    double *residual, *work;   /* n */
    double *basis;             /* d x d */
    double *across;            /* n x pairs: a_j s_ij <x_i, basis of the sliding examples of j> */
    int64_t room;              /* columns of it */
    double border, scale;      /* t; t c h / (1 - t c h q' B^{-1} K q) */
} dual_newton;

static fathom_status create(dual_flow *flow)
{
    const dynamics_problem *problem = flow->run->problem;
    fathom_context *context = problem->context;
    const int64_t n = problem->n;
    if (flow->newton)
        return FATHOM_OK;
    FATHOM_TRY(fathom_context_require(context, 16.0 * (double)n * (double)n, "the tangent kernel"));
    dual_newton *s = flow->newton = fathom_memory_zero(context, 1, sizeof *s);
    if (!s)
        return FATHOM_ERROR_MEMORY;
    s->kernel = fathom_memory_zero(context, 2 * n * n + 9 * n, sizeof(double));
    s->basis = fathom_memory_zero(context, problem->h * problem->h, sizeof(double));
    if (!s->kernel || !s->basis)
        return FATHOM_ERROR_MEMORY;
    s->factor = s->kernel + n * n;
    double **const part[] = {&s->root, &s->image, &s->bordered, &s->p,   &s->q,
                             &s->mix,  &s->one,   &s->residual, &s->work};
    for (int k = 0; k < 9; k++)
        *part[k] = s->factor + n * n + k * n;
    return FATHOM_OK;
}

void fathom_dual_newton_free(dual_flow *flow)
{
    fathom_context *context = flow->run->problem->context;
    if (!flow->newton)
        return;
    FATHOM_FREE(context, flow->newton->kernel, flow->newton->basis, flow->newton->across, flow->newton);
    flow->newton = NULL;
}

/* An orthonormal basis (count x d) of the examples on which neuron j slides. */
static int64_t sliding_basis(dual_flow *flow, int64_t j)
{
    const dynamics_problem *problem = flow->run->problem;
    const int64_t n = problem->n, d = problem->h;
    const double *points = flow->gates ? flow->gates + j * n : problem->x;
    double *basis = flow->newton->basis;
    int64_t count = 0;
    for (int64_t i = 0; i < n && count < d; i++) {
        double *b = basis + count * d;
        if (!flow->run->state.sliding[j * n + i])
            continue;
        memcpy(b, points + i * d, (size_t)d * sizeof(double));
        const double size = fathom_blas_norm(b, d);
        for (int pass = 0; pass < 2; pass++)
            for (int64_t k = 0; k < count; k++)
                fathom_blas_axpy(b, -fathom_blas_dot(b, basis + k * d, d), basis + k * d, d);
        const double norm = fathom_blas_norm(b, d);
        if (!(norm > 1e-12 * size))
            continue;
        fathom_blas_scale(b, 1 / norm, d);
        count++;
    }
    return count;
}

/* K <- K - sum_j U_j U_j', U_j = a_j s_ij <x_i, basis of j>; slopes (n x m) holds a_j s_ij. */
static fathom_status project_kernel(dual_flow *flow, const double *slopes)
{
    const dynamics_problem *problem = flow->run->problem;
    const int64_t n = problem->n, m = problem->m, d = problem->h;
    dual_newton *s = flow->newton;
    int64_t used = 0;
    for (int64_t j = 0; j < m; j++) {
        const int64_t count = sliding_basis(flow, j);
        const double *points = flow->gates ? flow->gates + j * n : problem->x;
        if (count == 0)
            continue;
        FATHOM_TRY(fathom_memory_grow(problem->context, (void **)&s->across, &s->room, (used + count) * n,
                                      sizeof(double)));
        fathom_blas_gemm(s->across + used * n, n, count, n, d, 1, fathom_plain(s->basis, d),
                         fathom_transposed(points, d), 0);
        for (int64_t k = 0; k < count; k++)
            for (int64_t i = 0; i < n; i++) /* scalar networks: the gate is in the slope and in the point */
                s->across[(used + k) * n + i] *=
                    flow->gates ? slopes[i * m + j] / (points[i] != 0 ? points[i] : 1) : slopes[i * m + j];
        used += count;
    }
    if (used == 0)
        return FATHOM_OK;
    return fathom_gemm(s->kernel, n, n, n, used, -1, fathom_transposed(s->across, n),
                       fathom_plain(s->across, n), 1, problem->context);
}

/* The part of the hidden layer; destroys batch->work. */
static fathom_status add_hidden(dual_flow *flow)
{
    const dynamics_problem *problem = flow->run->problem;
    const int64_t n = problem->n, m = problem->m, d = problem->d;
    dynamics_batch *batch = &flow->run->batch;
    dual_newton *s = flow->newton;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            batch->work[i * m + j] =
                flow->run->state.output[j] *
                fathom_dynamics_unit_slope(problem, fathom_dynamics_gate(problem, i, j), batch->z[i * m + j]);
    fathom_status status = fathom_gemm(s->factor, n, n, n, m, 1, fathom_plain(batch->work, m),
                                       fathom_transposed(batch->work, m), 0, problem->context);
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++) {
        double *row = s->factor + i * n;
        if (problem->plan.kind != FATHOM_NET_SCALAR) {
            fathom_blas_gemv(s->work, n, d, 1, fathom_plain(problem->x, d), problem->x + i * d, 0);
            for (int64_t k = 0; k < n; k++)
                row[k] *= s->work[k];
        }
        fathom_blas_axpy(s->kernel + i * n, 1, row, n);
    }
    if (status == FATHOM_OK && problem->plan.kind != FATHOM_NET_GATED)
        status = project_kernel(flow, batch->work);
    return status;
}

fathom_status fathom_dual_newton_kernel(double *rate, dual_flow *flow)
{
    const dynamics_problem *problem = flow->run->problem;
    const int64_t n = problem->n, m = problem->m;
    dynamics_batch *batch = &flow->run->batch;
    FATHOM_TRY(create(flow));
    FATHOM_TRY(fathom_dynamics_forward(batch, problem, &flow->run->state, FATHOM_SLOPE_DUAL));
    fathom_status status = FATHOM_OK;
    dual_newton *s = flow->newton;
    memset(s->kernel, 0, (size_t)(n * n) * sizeof(double));
    if (problem->plan.output) /* work holds the units */
        status = fathom_gemm(s->kernel, n, n, n, m, 1, fathom_plain(batch->work, m),
                             fathom_transposed(batch->work, m), 0, problem->context);
    if (status == FATHOM_OK && problem->plan.first)
        status = add_hidden(flow);
    *rate = 0;
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++) {
        for (int64_t k = 0; k < n; k++)
            s->kernel[i * n + k] *= problem->y[i] * problem->y[k];
        *rate += fabs(flow->force[0][i]) * s->kernel[i * n + i];
    }
    return status;
}

/* x <- B^{-1} x. */
static void solve_diagonal(dual_newton *s, double *x, int64_t n, double ch)
{
    for (int64_t i = 0; i < n; i++)
        s->work[i] = s->root[i] * x[i];
    fathom_blas_cholesky_solve(s->work, 1, s->factor, n, n, 1);
    for (int64_t i = 0; i < n; i++)
        s->work[i] *= s->root[i];
    fathom_blas_gemv(x, n, n, -ch, fathom_plain(s->kernel, n), s->work, 1);
}

/* The matrix at the duals s->q of the margins s->p; false where it is not positive to rounding. */
static fathom_status factorise(bool *done, dual_flow *flow, double ch, double smoothed)
{
    const dynamics_problem *problem = flow->run->problem;
    const int64_t n = problem->n;
    const bool logistic = problem->plan.loss == FATHOM_LOSS_LOGISTIC;
    dual_newton *s = flow->newton;
    int64_t minor;
    for (int64_t i = 0; i < n; i++)
        s->root[i] = sqrt(s->q[i] * (logistic ? 1 / (1 + exp(-s->p[i])) : 1));
    s->border = logistic ? 1 / (1 + exp(-smoothed)) : 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k <= i; k++)
            s->factor[i * n + k] = ch * s->root[i] * s->kernel[i * n + k] * s->root[k] + (i == k);
    const fathom_status status = fathom_cholesky_factor(&minor, s->factor, n, n, problem->context);
    *done = status == FATHOM_OK && minor == 0;
    if (!*done)
        return status;
    fathom_blas_gemv(s->image, n, n, 1, fathom_plain(s->kernel, n), s->q, 0);
    memcpy(s->bordered, s->image, (size_t)n * sizeof(double));
    solve_diagonal(s, s->bordered, n, ch);
    const double gap = 1 - s->border * ch * fathom_blas_dot(s->q, s->bordered, n);
    s->scale = s->border * ch / gap;
    *done = gap > 0 && isfinite(s->scale);
    return status;
}

/* Duals of the margins s->p into s->q; their relative change against `before` (NULL: none). */
static fathom_status find_q(double *change, double *smoothed, dual_flow *flow, bool compare)
{
    const dynamics_problem *problem = flow->run->problem;
    dual_newton *s = flow->newton;
    fathom_loss_summary summary;
    double moved = 0, size = 0;
    for (int64_t i = 0; i < problem->n; i++)
        s->work[i] = problem->y[i] * s->p[i];
    const fathom_status status =
        fathom_loss_summarize(&summary, s->residual, FATHOM_SLOPE_DUAL, problem->context, problem->plan.loss,
                              s->work, problem->y, problem->weight, problem->n, 1);
    for (int64_t i = 0; i < problem->n; i++) {
        const double q = fabs(s->residual[i]);
        moved += fabs(q - s->q[i]);
        size += q;
        s->q[i] = q;
    }
    *change = compare ? moved / size : INFINITY;
    *smoothed = summary.smoothed_margin;
    return status;
}

/* One stage: state <- Flow(run's state, fixed + part q, length) with q = q(state). False in *done where Newton failed. */
static fathom_status solve_stage(bool *done, dual_flow *flow, dynamics_state *state, const double *fixed,
                                 double part, double length, int k)
{
    const dynamics_problem *problem = flow->run->problem;
    const int64_t n = problem->n;
    dual_newton *s = flow->newton;
    double change, smoothed, last = INFINITY;
    const double ch = part * length;
    *done = false;
    fathom_status status = find_q(&change, &smoothed, flow, false);
    for (int iteration = 0; iteration < ITERATIONS && status == FATHOM_OK; iteration++) {
        bool fine = true;
        if (iteration == 0 || iteration % 4 == 0)
            status = factorise(&fine, flow, ch, smoothed);
        if (status != FATHOM_OK || !fine)
            return status;
        for (int64_t i = 0; i < n; i++)
            s->mix[i] = problem->y[i] * ((fixed ? fixed[i] : 0) + part * s->q[i]);
        fathom_dynamics_state_copy(state, &flow->run->state, problem);
        if (!fathom_dual_move(flow, state, s->mix, length))
            return FATHOM_OK;
        status = fathom_dual_find(flow, state, k);
        if (status != FATHOM_OK || *done)
            return status;
        for (int64_t i = 0; i < n; i++)
            s->residual[i] = s->p[i] - problem->y[i] * flow->run->batch.f[i];
        solve_diagonal(s, s->residual, n, ch);
        fathom_blas_axpy(s->residual, s->scale * fathom_blas_dot(s->q, s->residual, n), s->bordered, n);
        for (int64_t i = 0; i < n; i++)
            s->p[i] -= s->residual[i];
        status = find_q(&change, &smoothed, flow, true);
        if (!isfinite(change) || (iteration > 5 && change > last))
            return status;
        last = change;
        *done = change <= 0.01 * flow->tolerance;
        if (*done && change <= 1e-12) /* the motion was made with these duals */
            return status;
    }
    *done = false;
    return status;
}

/* q(W) - q_m by parabola: what the quadrature of the duals is off by, relative. */
static double quadrature_error(const dual_flow *flow)
{
    const double c = stage, w1 = 1 / (6 * c * (1 - c)), w2 = (2 - 3 * c) / (6 * (1 - c)), w0 = 1 - w1 - w2;
    double difference = 0, size = 0;
    for (int64_t i = 0; i < flow->run->problem->n; i++) {
        const double q1 = fabs(flow->force[1][i]), q2 = fabs(flow->force[2][i]), q0 = fabs(flow->force[0][i]);
        const double mean = (1 - c) * q1 + c * q2;
        difference += fabs(w0 * q0 + w1 * q1 + w2 * q2 - mean);
        size += mean;
    }
    return difference / size;
}

fathom_status fathom_dual_newton_step(double *error, dual_flow *flow, double h)
{
    const dynamics_problem *problem = flow->run->problem;
    const int64_t n = problem->n;
    dual_newton *s = flow->newton;
    bool done;
    *error = INFINITY;
    FATHOM_TRY(fathom_dynamics_forward(&flow->run->batch, problem, &flow->run->state, FATHOM_SLOPE_DUAL));
    for (int64_t i = 0; i < n; i++)
        s->p[i] = problem->y[i] * flow->run->batch.f[i];
    fathom_status status = solve_stage(&done, flow, &flow->half, NULL, 1, stage * h, 1);
    if (status != FATHOM_OK || !done)
        return status;
    for (int64_t i = 0; i < n; i++)
        s->one[i] = (1 - stage) * fabs(flow->force[1][i]);
    status = solve_stage(&done, flow, &flow->next, s->one, stage, h, 2);
    if (status != FATHOM_OK || !done)
        return status;
    *error = quadrature_error(flow);
    if (isnan(*error))
        *error = INFINITY;
    return FATHOM_OK;
}
