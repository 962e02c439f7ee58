/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference late, for fixed output weights: where modes have settled, the flow is an equation for the n impulses c of the duals,
 *
 *     v_j = v_j(0) + a_j P_j sum_k c_k y_k s_jk x_k,     p = p(0) + K c,     K_ik = y_i y_k sum_j a_j^2 s_ji s_jk <x_i, P_j x_k>,
 *
 * which CVODE integrates (flow_late.c) in chunks that multiply the clock by e. A chunk at whose end an event is violated is
 * dropped: the Runge-Kutta method goes on and locates it. Chunks depend on the state alone, so that a resumed run takes the same bits.
 * Cost: n^2 (m + d) for K, then n^3 for every Jacobian. Limit: ln(1/R) of 1e7, where margins lose their digits.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "flow_late.h"
#include "gemm.h"
#include "memory.h"
#include "reference.h"

static void count(void *user, const reference_event *event)
{
    int64_t *events = user;
    *events += event->kind != EVENT_LOSS && event->kind != EVENT_TIME;
}

/* K; push (n x m) is workspace for a_j s_ij. */
static fathom_status fill_kernel(double *kernel, reference *r, const double *w)
{
    const dynamics_problem *problem = r->run->problem;
    const int64_t n = r->n, m = r->m, d = r->d, rows = r->first[m];
    const double *a = w + m * d;
    double *across = fathom_memory_alloc(problem->context, (rows + 1) * n + n, sizeof *across);
    double *line = across + (rows + 1) * n;
    if (!across)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < n * m; k++)
        r->push[k] = a[k % m] * fathom_reference_slope(r, k / m, k % m);
    fathom_status status = fathom_gemm(kernel, n, n, n, m, 1, fathom_plain(r->push, m),
                                       fathom_transposed(r->push, m), 0, problem->context);
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++) {
        fathom_blas_gemv(line, n, d, 1, fathom_plain(problem->x, d), problem->x + i * d, 0);
        for (int64_t k = 0; k < n; k++)
            kernel[i * n + k] *= line[k];
    }
    for (int64_t j = 0; j < m; j++)
        for (int64_t b = r->first[j]; b < r->first[j + 1]; b++)
            for (int64_t i = 0; i < n; i++)
                across[b * n + i] =
                    r->push[i * m + j] * fathom_blas_dot(problem->x + i * d, r->basis + b * d, d);
    if (status == FATHOM_OK && rows > 0)
        status = fathom_gemm(kernel, n, n, n, rows, -1, fathom_transposed(across, n), fathom_plain(across, n),
                             1, problem->context);
    for (int64_t k = 0; k < n * n; k++)
        kernel[k] *= problem->y[k / n] * problem->y[k % n];
    fathom_memory_free(problem->context, across);
    return status;
}

/* v_j += a_j P_j sum_k c_k y_k s_jk x_k. */
static fathom_status move(double *w, reference *r, const double *c)
{
    const dynamics_problem *problem = r->run->problem;
    const int64_t n = r->n, m = r->m, d = r->d;
    const double *a = w + m * d;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            r->push[i * m + j] = c[i] * problem->y[i] * a[j] * fathom_reference_slope(r, i, j);
    const fathom_status status = fathom_gemm(r->g, d, m, d, n, 1, fathom_transposed(r->push, m),
                                             fathom_plain(problem->x, d), 0, problem->context);
    for (int64_t j = 0; j < m && status == FATHOM_OK; j++) {
        for (int64_t b = r->first[j]; b < r->first[j + 1]; b++)
            fathom_blas_axpy(r->g + j * d, -fathom_blas_dot(r->g + j * d, r->basis + b * d, d),
                             r->basis + b * d, d);
        fathom_blas_axpy(w + j * d, 1, r->g + j * d, d);
    }
    return status;
}

/* One chunk from w to `next`; *moved where it ended without an event. `block`: n x n and 2n. */
static fathom_status chunk(bool *moved, double *next, reference *r, const double *w, double *block)
{
    const dynamics_problem *problem = r->run->problem;
    const int64_t n = r->n;
    double *kernel = block, *margin = kernel + n * n, *c = margin + n, *field = c + n, u = w[r->size - 1],
           rate = 0;
    int64_t events = 0;
    bool done;
    fathom_status status = fill_kernel(kernel, r, w);
    for (int64_t i = 0; i < n; i++) {
        margin[i] = problem->y[i] * r->f[i];
        c[i] = fabs(r->force[i]);
    }
    for (int64_t i = 0; i < n; i++)
        rate += c[i] * fathom_blas_dot(kernel + i * n, c, n);
    memset(c, 0, (size_t)n * sizeof *c);
    const fathom_late late = {problem->context,
                              problem->plan.loss,
                              n,
                              kernel,
                              margin,
                              problem->y,
                              problem->weight,
                              problem->plan.until.log_loss,
                              log1p(problem->plan.until.time)};
    double x = log(-r->log_loss / rate); /* the clock at which ln(1/R) would be linear from 0 on */
    if (status == FATHOM_OK && isfinite(x))
        status = fathom_late_run(&done, c, &u, &x, &r->run->state.evaluations, &late, x + 1);
    if (status != FATHOM_OK || !isfinite(x) || !done)
        return status;
    memcpy(next, w, (size_t)r->size * sizeof(double));
    next[r->size - 1] = u;
    status = move(next, r, c);
    FATHOM_THEN(status, fathom_reference_field(field, r, next));
    fathom_reference_search(r, next, count, &events);
    *moved = status == FATHOM_OK && events == 0;
    return status;
}

fathom_status fathom_reference_late(bool *moved, reference *r, double *w)
{
    fathom_context *context = r->run->problem->context;
    const int64_t n = r->n;
    *moved = false;
    FATHOM_TRY(fathom_context_require(context, 24.0 * (double)n * (double)n, "the tangent kernel"));
    double *block = fathom_memory_zero(context, n * n + 2 * n + 2 * r->size, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
    double *next = block + n * n + 2 * n + r->size;
    fathom_status status = chunk(moved, next, r, w, block);
    if (status == FATHOM_OK && *moved)
        memcpy(w, next, (size_t)r->size * sizeof(double));
    fathom_memory_free(context, block);
    return status;
}
