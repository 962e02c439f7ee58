/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quantities in the proof of [002, Thm 1]: first layer trained, output weights fixed, logistic loss.
 *
 * The paper has |x_i| = 1 and output weights +-1 on 2p units. For X = max |x_i| the substitution x = X x', V = V' / X
 * gives, with p = sum_j a_j^2 / 2,
 *
 *   Lemma 6   |Hess R| <= 5 p X^2 R          Lemma 7   |grad R| <= X sqrt(2p) min(R, 1)
 *   Lemma 8   step R <= 1 / (30 p X^2), which is (I2), implies R_{t+1} <= R_t - (5/6) step |grad R|^2
 *   Lemma 10  rho = |grad R| |V| / (R ln(1/R)) >= 5/6
 *   (I1)      R_t <= R_1 / (Q_2 (t - 1) + 1), Q_2 = 125 Q_1 R_1 ln^4(1/R_1) / (216 |V_1|^2)
 *   (I3)      ln^2(1/R_t) / |V_t| >= ln^2(1/R_1) / |V_1|
 *
 * R may underflow: all is formed as ratios of logarithms. |Hess R| is estimated from below by POWER steps of the power
 * method with exact products, H u = (1/n) sum_i [g_i (1 - g_i) <J_i, u> J_i - g_i y_i f_i'' u], g_i = |l'(p_i)|; f_i'' is
 * block diagonal, a_j sigma''(z_ij) x_i x_i'. Cost: 2 evaluations per step.
 */
#include <math.h>

#include "blas.h"
#include "context_internal.h"
#include "dynamics_internal.h"
#include "gemm.h"
#include "inner/loss.h"
#include "memory.h"

enum { POWER = 12 };

/* Weak second derivative of a unit. */
static double curvature(const dynamics_problem *problem, double z)
{
    const double h = problem->plan.parameter;
    return problem->plan.kind == FATHOM_NET_HUBER && z >= 0 && z <= h ? 1 / h : 0;
}

/* out = (H / R) u; z holds the pre-activations, c (n x m) is workspace, e[i] = g_i / (n R) and g[i] = g_i. */
static fathom_status apply(double *out, const double *u, const dynamics_run *run, double *c, const double *e,
                           const double *g)
{
    const dynamics_problem *problem = run->problem;
    const int64_t n = problem->n, m = problem->m, d = problem->d;
    const double *z = run->batch.z, *a = run->state.output;
    FATHOM_TRY(fathom_gemm(c, m, n, m, d, 1, fathom_plain(problem->x, d), fathom_transposed(u, d), 0,
                           problem->context));
    for (int64_t i = 0; i < n; i++) {
        double slope = 0; /* <J_i, u> */
        for (int64_t j = 0; j < m; j++)
            slope += a[j] *
                     fathom_dynamics_unit_slope(problem, fathom_dynamics_gate(problem, i, j), z[i * m + j]) *
                     c[i * m + j];
        for (int64_t j = 0; j < m; j++) {
            const double t = z[i * m + j], gate = fathom_dynamics_gate(problem, i, j);
            c[i * m + j] = e[i] * a[j] *
                           ((1 - g[i]) * slope * fathom_dynamics_unit_slope(problem, gate, t) -
                            problem->y[i] * curvature(problem, t) * c[i * m + j]);
        }
    }
    return fathom_gemm(out, d, m, d, n, 1, fathom_transposed(c, m), fathom_plain(problem->x, d), 0,
                       problem->context);
}

/* |H| / R from below; batch.f and batch.z are those of the state. */
static fathom_status hessian_norm(double *norm, const dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    const int64_t n = problem->n, size = problem->m * problem->d;
    double *block = fathom_memory_alloc(problem->context, n * problem->m + 2 * size + 2 * n, sizeof *block);
    *norm = NAN;
    if (!block)
        return FATHOM_ERROR_MEMORY;
    double *c = block, *u = c + n * problem->m, *v = u + size, *e = v + size, *g = e + n;
    for (int64_t i = 0; i < n; i++) {
        const double log_g =
            fathom_loss_margin_log_slope(FATHOM_LOSS_LOGISTIC, problem->y[i] * run->batch.f[i]);
        g[i] = exp(log_g);
        e[i] = exp(log_g - run->batch.summary.log_mean) / (double)n;
    }
    for (int64_t k = 0; k < size; k++)
        u[k] = run->state.hidden[k] + 1e-3 * run->state.hidden0[k];
    fathom_status status = FATHOM_OK;
    for (int step = 0; step < POWER && status == FATHOM_OK; step++) {
        if (fathom_context_stop_reason(problem->context) != FATHOM_STOP_NONE)
            break; /* fewer steps: a lower bound all the same */
        const double length = fathom_blas_norm(u, size);
        if (!(length > 0))
            break;
        fathom_blas_scale(u, 1 / length, size);
        status = apply(v, u, run, c, e, g);
        *norm = fathom_blas_norm(v, size);
        double *swap = u;
        u = v, v = swap;
    }
    fathom_memory_free(problem->context, block);
    return status;
}

/* (I1) and (I3) need the beginning. */
static void set_induction(fathom_flow_record *record, const dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    const dynamics_step *step = &problem->plan.step;
    const double first = -run->state.start_log_loss, now = -record->log_loss;
    const double norm = fathom_blas_norm(run->state.hidden0, problem->m * problem->h);
    record->i3 = now * now / record->norm / (first * first / norm);
    if (step->kind != DYNAMICS_STEP_THEORY)
        return;
    const double log_q2 = log(125 * step->value / (216 * norm * norm)) - first + 4 * log(first);
    record->i1 = exp(first - now) * (exp(log_q2) * (double)record->steps + 1);
}

fathom_status fathom_dynamics_descent(fathom_flow_record *record, dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    const dynamics_plan *plan = &problem->plan;
    record->rho = record->lemma6 = record->lemma7 = record->lemma8 = record->i1 = record->i3 = NAN;
    if (problem->options->method != FATHOM_FLOW_GD || plan->output || plan->loss != FATHOM_LOSS_LOGISTIC ||
        (plan->kind != FATHOM_NET_HUBER && plan->kind != FATHOM_NET_RELU))
        return FATHOM_OK;
    const double p = plan->step.p, reach = plan->step.reach,
                 ratio = exp(record->log_gradient - record->log_loss);
    double norm;
    record->lemma7 = ratio / (reach * sqrt(2 * p)) * exp(fmax(record->log_loss, 0));
    record->lemma8 =
        30 * p * reach * reach *
        exp(fathom_dynamics_step_log(&plan->step, record->steps, record->log_loss) + record->log_loss);
    if (record->log_loss < 0) {
        record->rho = ratio * record->norm / -record->log_loss;
        if (run->state.start_log_loss < 0)
            set_induction(record, run);
    }
    if (!run->batch.z ||
        !fathom_dynamics_watches(problem, 4.0 * POWER * (double)(problem->n * problem->m * problem->d)))
        return FATHOM_OK;
    const fathom_status status = hessian_norm(&norm, run);
    record->lemma6 = norm / (p * reach * reach);
    return status;
}
