/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is watched at a state W = (H, a): loss, margins, norms, rotations, activation changes.
 *
 * Margins p_i = y_i f(x_i), or min_{k != y_i} f_{y_i}(x_i) - f_k(x_i) for more classes than two; smoothed
 * margin l^{-1}(sum_i l(p_i)); L = 2 where both layers are trained, else 1. With D = grad of the smoothed
 * margin, |grad R| = (Q/n) |D|. Quantiles interpolate linearly. Cost: two evaluations.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dynamics_internal.h"
#include "gemm.h"
#include "loss_internal.h"
#include "loss_row.h"
#include "memory.h"

static double squares(const double *x, const double *y, int64_t count)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++) {
        const double e = x[k] - (y ? y[k] : 0);
        sum += e * e;
    }
    return sum;
}

/* |W|, |W - W(0)| or |gradient| over the trained layers; NULL: minus nothing. */
static double trained_norm(const dynamics_problem *problem, const double *hidden, const double *output,
                           const double *hidden0, const double *output0)
{
    const double first = problem->plan.first ? squares(hidden, hidden0, problem->m * problem->h) : 0;
    const double second = problem->plan.output ? squares(output, output0, problem->m * problem->o) : 0;
    return sqrt(first + second);
}

double fathom_dynamics_norm(const dynamics_problem *problem, const dynamics_state *state)
{
    return trained_norm(problem, state->hidden, state->output, NULL, NULL);
}

double fathom_dynamics_distance(const dynamics_problem *problem, const dynamics_state *state)
{
    return trained_norm(problem, state->hidden, state->output, state->hidden0, state->output0);
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void swap(double *a, double *b)
{
    const double held = *a;
    *a = *b, *b = held;
}

/* Puts the number of rank k in its place, none larger before it and none smaller after it: parts below,
 * at and above the median of three, then the part with k again. Sorts what is left where parts do not
 * shrink. */
static void place_rank(double *value, int64_t count, int64_t k)
{
    enum { ROUNDS = 100 };
    int64_t first = 0, end = count;
    for (int round = 0; end - first > 1 && round < ROUNDS; round++) {
        const double a = value[first], b = value[first + (end - first) / 2], c = value[end - 1];
        const double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c));
        int64_t below = first, above = end;
        for (int64_t l = first; l < above;) {
            if (value[l] < pivot)
                swap(value + below++, value + l++);
            else if (value[l] > pivot)
                swap(value + l, value + --above);
            else
                l++;
        }
        if (k >= below && k < above)
            return;
        first = k < below ? first : above;
        end = k < below ? below : end;
    }
    qsort(value + first, (size_t)(end - first), sizeof *value, ascending);
}

/* In linear time: a record of a million neurons must not take longer than a step. */
static void set_quantiles(double *out, double *value, int64_t count)
{
    static const double level[FATHOM_FLOW_QUANTILES] = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 1};
    for (int k = 0; k < FATHOM_FLOW_QUANTILES; k++) {
        const double place = level[k] * (double)(count - 1);
        const int64_t low = count > 0 ? (int64_t)place : 0, high = low + 1 < count ? low + 1 : low;
        place_rank(value, count, low);
        if (high > low)
            place_rank(value + high, count - high, 0);
        const double part = place - (double)low;
        out[k] = count > 0 ? value[low] + part * (value[high] - value[low]) : NAN;
    }
}

/* Cosines between v_j(0) and v_j, and |a_j| |v_j| relative to the largest; `work` of length m. */
static void set_neurons(fathom_flow_record *record, const dynamics_problem *problem,
                        const dynamics_state *state, double *work)
{
    const int64_t m = problem->m, h = problem->h, o = problem->o;
    int64_t count = 0;
    double largest = 0;
    for (int64_t j = 0; j < m; j++) {
        const double *v = state->hidden + j * h, *v0 = state->hidden0 + j * h;
        const double norms = fathom_blas_norm(v, h) * fathom_blas_norm(v0, h);
        if (norms > 0)
            work[count++] = fmax(-1, fmin(1, fathom_blas_dot(v, v0, h) / norms));
    }
    set_quantiles(record->rotation, work, count);
    for (int64_t j = 0; j < m; j++) {
        work[j] = fathom_blas_norm(state->output + j * o, o) * fathom_blas_norm(state->hidden + j * h, h);
        largest = fmax(largest, work[j]);
    }
    for (int64_t j = 0; j < m && largest > 0; j++)
        work[j] /= largest;
    set_quantiles(record->neuron_norm, work, largest > 0 ? m : 0);
}

/* max_j ||a_j|^2 - |v_j|^2 - (the same at the beginning)|: conserved by the flow of homogeneous units. */
static double balance_drift(const dynamics_problem *problem, const dynamics_state *state)
{
    double drift = 0;
    if (!problem->plan.first || !problem->plan.output)
        return NAN;
    for (int64_t j = 0; j < problem->m; j++) {
        const int64_t h = problem->h, o = problem->o;
        const double now = squares(state->output + j * o, NULL, o) - squares(state->hidden + j * h, NULL, h);
        const double then =
            squares(state->output0 + j * o, NULL, o) - squares(state->hidden0 + j * h, NULL, h);
        drift = fmax(drift, fabs(now - then));
    }
    return drift;
}

/* Pairs whose gate 1[z > 0] is not that of the beginning; sliding pairs count as closed. Destroys
 * batch->work. */
static fathom_status count_changes(int64_t *count, dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    const int64_t n = problem->n, m = problem->m, d = problem->d;
    double *z0 = run->batch.work;
    fathom_status status = FATHOM_OK;
    *count = fathom_dynamics_watches(problem, 0) ? 0 : -1;
    if (*count < 0 || problem->plan.kind == FATHOM_NET_GATED || !problem->plan.first)
        return FATHOM_OK;
    if (!run->batch.z)
        return fathom_dynamics_tiles_changes(count, &run->batch, problem, &run->state);
    if (problem->plan.kind != FATHOM_NET_SCALAR)
        status = fathom_gemm(z0, m, n, m, d, 1, fathom_plain(problem->x, d),
                             fathom_transposed(run->state.hidden0, d), 0, problem->context);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            const int64_t k = i * m + j;
            const bool slides = run->state.sliding && run->state.sliding[j * n + i];
            const bool then = problem->plan.kind == FATHOM_NET_SCALAR
                                  ? run->state.hidden0[j] * problem->gate[k] > 0
                                  : z0[k] > 0;
            *count += (run->batch.z[k] > 0 && !slides) != then;
        }
    return status;
}

static int64_t count_sliding(const dynamics_run *run)
{
    int64_t count = 0;
    if (!run->state.sliding)
        return -1;
    for (int64_t k = 0; k < run->problem->n * run->problem->m; k++)
        count += run->state.sliding[k];
    return count;
}

/* Whether an example is on its side, or its class has the largest output alone. */
static bool is_right(const double *f, const double *y, int64_t outputs)
{
    if (outputs == 1)
        return y[0] * f[0] > 0;
    const int64_t right = fathom_loss_class(y, outputs);
    for (int64_t k = 0; k < outputs; k++)
        if (k != right && !(f[right] > f[k]))
            return false;
    return true;
}

/* Everything that follows from the outputs. */
static void set_margins(fathom_flow_record *record, const dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    const fathom_loss_summary *summary = &run->batch.summary;
    const bool classes = !fathom_loss_row_of(problem->plan.loss)->numbers;
    int64_t right = 0;
    for (int64_t i = 0; i < problem->n; i++)
        right += is_right(run->batch.f + i * problem->o, problem->y + i * problem->o, problem->o);
    record->log_loss = summary->log_mean;
    record->accuracy = classes ? (double)right / (double)problem->n : NAN;
    record->margin = summary->margin;
    record->smoothed_margin = summary->smoothed_margin;
    const double power =
        problem->plan.first && problem->plan.output ? record->norm * record->norm : record->norm;
    record->normalized_margin = summary->margin / power;
    record->smoothed_normalized_margin = summary->smoothed_margin / power;
}

/* One gradient row without its part in the span of the examples on which the neuron slides: Gram-Schmidt,
 * twice over. */
static void project_row(double *row, const dynamics_problem *problem, const uint8_t *slides, double *basis)
{
    const int64_t d = problem->d;
    int64_t count = 0;
    for (int64_t i = 0; i < problem->n && count < d; i++) {
        double *b = basis + count * d;
        if (!slides[i])
            continue;
        memcpy(b, problem->x + i * d, (size_t)d * sizeof(double));
        for (int pass = 0; pass < 2; pass++)
            for (int64_t k = 0; k < count; k++)
                fathom_blas_axpy(b, -fathom_blas_dot(b, basis + k * d, d), basis + k * d, d);
        const double norm = fathom_blas_norm(b, d);
        if (!(norm > 1e-12 * problem->reach))
            continue;
        fathom_blas_scale(b, 1 / norm, d);
        count++;
    }
    for (int64_t k = 0; k < count; k++)
        fathom_blas_axpy(row, -fathom_blas_dot(row, basis + k * d, d), basis + k * d, d);
}

/* The least element of the Clarke gradient: across the kinks on which a neuron slides there is no motion. */
static fathom_status project_sliding(dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    const int64_t n = problem->n, d = problem->d;
    if (!run->state.sliding || problem->h != d || !problem->plan.first)
        return FATHOM_OK;
    double *basis = fathom_memory_alloc(problem->context, d * d, sizeof *basis);
    if (!basis)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < problem->m; j++)
        project_row(run->batch.hidden + j * d, problem, run->state.sliding + j * n, basis);
    fathom_memory_free(problem->context, basis);
    return FATHOM_OK;
}

/* How far W is from a KKT point of the margin problem: direction and complementary slackness. The
 * gradients of the batch are those of minus the smoothed margin. */
static void set_kkt(fathom_flow_record *record, const dynamics_run *run, double gradient)
{
    const dynamics_problem *problem = run->problem;
    double along = 0, mass = 0, mean = 0;
    record->kkt_residual = record->kkt_slack = NAN;
    if (!fathom_dynamics_log_space(problem))
        return;
    if (problem->plan.first)
        along -= fathom_blas_dot(run->state.hidden, run->batch.hidden, problem->m * problem->h);
    if (problem->plan.output)
        along -= fathom_blas_dot(run->state.output, run->batch.output, problem->m * problem->o);
    /* Multipliers q_i = |s_i| of the margins y_i f_i, or q_ik = s_ik of f_y - f_k, k != y, with s_iy =
     * -sum_k q_ik. */
    for (int64_t k = 0; k < problem->n * problem->o; k++) {
        mass += fabs(run->batch.slope[k]) / (problem->o == 1 ? 1 : 2);
        mean -= run->batch.slope[k] * run->batch.f[k];
    }
    record->kkt_residual = 1 - along / (record->norm * gradient);
    if (record->margin > 0)
        record->kkt_slack = mean / (mass * record->margin) - 1;
}

/* R + (B/2) |W|^2 over the trained weights without the biases, which are the last entries of their rows. */
static double decayed_loss(const dynamics_problem *problem, const dynamics_state *state, double loss)
{
    double sum = 0;
    for (int64_t j = 0; j < problem->m && problem->plan.first; j++)
        sum += squares(state->hidden + j * problem->h, NULL, problem->h - problem->bias);
    if (problem->plan.output)
        sum += squares(state->output, NULL, problem->m * problem->o);
    return loss + problem->options->decay / 2 * sum;
}

fathom_flow_record fathom_dynamics_unmeasured(const dynamics_state *state)
{
    fathom_flow_record r = {.steps = state->steps,
                            .evaluations = state->evaluations,
                            .time = state->time,
                            .log_time = state->log_time,
                            .step = state->last_step,
                            .activation_changes = -1,
                            .sliding_pairs = -1,
                            .disagreements_w = -1,
                            .disagreements_u = -1,
                            .disagreements_w_upper = -1,
                            .disagreements_u_upper = -1,
                            .nar = -1,
                            .par = -1,
                            .increases = -1};
    double *const number[] = {&r.log_loss,
                              &r.objective,
                              &r.accuracy,
                              &r.norm,
                              &r.distance,
                              &r.margin,
                              &r.normalized_margin,
                              &r.smoothed_margin,
                              &r.log_gradient,
                              &r.balance,
                              &r.cluster_ratio,
                              &r.smoothed_normalized_margin,
                              &r.max_angle,
                              &r.max_angle_upper,
                              &r.linear_fraction,
                              &r.linear_fraction_sharp,
                              &r.par_share_w,
                              &r.par_share_u,
                              &r.test_accuracy,
                              &r.test_linear_fraction,
                              &r.group_margin,
                              &r.limit_angle,
                              &r.kkt_residual,
                              &r.kkt_slack,
                              &r.spline_deviation,
                              &r.rho,
                              &r.lemma6,
                              &r.lemma7,
                              &r.lemma8,
                              &r.i1,
                              &r.i3};
    for (size_t k = 0; k < sizeof number / sizeof *number; k++)
        *number[k] = NAN;
    for (int k = 0; k < FATHOM_FLOW_QUANTILES; k++)
        r.rotation[k] = r.neuron_norm[k] = NAN;
    return r;
}

fathom_status fathom_dynamics_monitor(fathom_flow_record *record, dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    const dynamics_state *state = &run->state;
    const bool log_space = fathom_dynamics_log_space(problem);
    *record = (fathom_flow_record){.steps = state->steps,
                                   .evaluations = state->evaluations,
                                   .time = state->time,
                                   .log_time = state->log_time,
                                   .step = state->last_step,
                                   .increases = state->increases};
    FATHOM_TRY(fathom_dynamics_forward(&run->batch, problem, state,
                                       log_space ? FATHOM_SLOPE_DUAL : FATHOM_SLOPE_MEAN));
    FATHOM_TRY(fathom_dynamics_backward(&run->batch, problem, state));
    FATHOM_TRY(project_sliding(run));
    record->norm = fathom_dynamics_norm(problem, state);
    record->distance = fathom_dynamics_distance(problem, state);
    const double gradient = trained_norm(problem, run->batch.hidden, run->batch.output, NULL, NULL);
    record->log_gradient =
        log(gradient) + (log_space ? run->batch.summary.log_q - log((double)problem->n) : 0);
    set_margins(record, run);
    record->objective = decayed_loss(problem, state, exp(record->log_loss));
    set_kkt(record, run, gradient);
    if (!run->batch.z && fathom_context_overdue(problem->context))
        return fathom_context_late(problem->context, "a record of a wide network");
    set_neurons(record, problem, state, run->batch.output); /* the gradient has been used */
    record->balance = balance_drift(problem, state);
    record->sliding_pairs = count_sliding(run);
    FATHOM_TRY(count_changes(&record->activation_changes, run));
    FATHOM_TRY(fathom_dynamics_line(&record->spline_deviation, problem, state));
    FATHOM_TRY(fathom_dynamics_groups(record, run));
    FATHOM_TRY(fathom_dynamics_test(record, run));
    return fathom_dynamics_descent(record, run);
}
