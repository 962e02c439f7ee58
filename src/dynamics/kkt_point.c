/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The KKT point in whose activation pattern a run ends: groups of neurons by the sides on which they see the
 * examples, the program of
 * these groups (kkt_program.c), its solution as a network, and how far that network is from the conditions.
 *
 *     W = sum_i l_i g_i,  g_i in the Clarke gradient of p_i,   l >= 0,   l_i > 0 only where p_i = min p = 1.
 *
 * First layer trained: v_j = a_j sum_i l_i y_i c_ji x_i. A group acts as t A sigma(<v, x>) with v_j = |a_j| v
 * and |W|^2 = A |v|^2, A the sum of its
 * a_j^2: factor sqrt(A), w = sqrt(A) v. Both layers: moreover a_j = sum_i l_i y_i sigma(<v_j, x_i>), which
 * makes |a_j| = |v_j|; with
 * u_j = |a_j| v_j, |W|^2 = 2 sum_j |u_j|, and neurons of a group share its u. Slopes c_ji at kinks are those
 * of the program, clipped to [alpha, 1]; all
 * else is computed from the network and the data: the residuals hold whatever the program did. Cost n m d.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "kkt.h"
#include "memory.h"

static const double near = 1e-9;   /* |z| relative to |v| |x| that counts as a kink of a solution */
static const double enough = 1e-6; /* residual and slack up to which a network is called a KKT point */
static const double pi = 3.14159265358979323846;

fathom_status fathom_kkt_point_create(kkt_point *point, const dynamics_problem *problem)
{
    const int64_t m = problem->m, n = problem->n, d = problem->d;
    *point = (kkt_point){.margin = NAN, .residual = NAN, .slack = NAN};
    point->hidden = fathom_memory_zero(problem->context, m * d + m + n + d + m * n, sizeof(double));
    point->kink = fathom_memory_zero(problem->context, m * n, 1);
    if (!point->hidden || !point->kink)
        return FATHOM_ERROR_MEMORY;
    point->output = point->hidden + m * d, point->dual = point->output + m;
    point->row = point->dual + n, point->slope = point->row + d;
    return FATHOM_OK;
}

void fathom_kkt_point_free(kkt_point *point, const dynamics_problem *problem)
{
    FATHOM_FREE(problem->context, point->hidden, point->kink);
    *point = (kkt_point){0};
}

double fathom_kkt_share(const dynamics_problem *problem, const dynamics_state *state, int64_t j)
{
    const double a = fabs(state->output[j]);
    return problem->plan.output ? a * fathom_blas_norm(state->hidden + j * problem->d, problem->d) : a * a;
}

/* The weights of the solution. */
static void set_weights(kkt_point *point, const kkt_program *p, const kkt_groups *groups,
                        const dynamics_state *state)
{
    const dynamics_problem *problem = p->problem;
    const int64_t m = problem->m, d = problem->d;
    const bool both = problem->plan.output;
    memset(point->hidden, 0, (size_t)(m * d) * sizeof(double));
    for (int64_t j = 0; j < m; j++) {
        const int64_t g = groups->of[j];
        point->output[j] = both ? 0 : state->output[j];
        if (g < 0)
            continue;
        const double norm = fathom_blas_norm(p->w + g * d, d), share = fathom_kkt_share(problem, state, j),
                     root = share > 0 ? sqrt(share / groups->total[g]) : 1, /* |v_j| relative to |w_g| */
            size = sqrt(p->factor[g] * norm);
        if (!(norm > 0))
            continue;
        if (both)
            point->output[j] = p->sign[g] * root * size;
        fathom_blas_axpy(point->hidden + j * d, both ? root * size / norm : root, p->w + g * d, d);
    }
}

/* Slopes of all pairs: by sides, at kinks those in force. */
static void set_slopes(kkt_point *point, const kkt_program *p, const kkt_groups *groups)
{
    const dynamics_problem *problem = p->problem;
    const int64_t n = problem->n, d = problem->d;
    for (int64_t j = 0; j < problem->m; j++) {
        const double *v = point->hidden + j * d, norm = fathom_blas_norm(v, d);
        const int64_t g = groups->of[j];
        for (int64_t i = 0; i < n; i++) {
            const double z = fathom_blas_dot(v, problem->x + i * d, d);
            const int64_t k = j * n + i;
            point->kink[k] = !(fabs(z) > near * norm * problem->reach);
            point->slope[k] = z > 0 ? 1 : p->alpha;
            if (!point->kink[k] || g < 0)
                continue;
            const double s = p->side[g * n + i] > 0 ? 1 : p->alpha, force = p->factor[g] * p->dual[i];
            const double c =
                force > 0 ? s + p->sign[g] * p->hold[g * n + i] * p->side[g * n + i] * problem->y[i] / force
                          : s;
            point->slope[k] = fmax(p->alpha, fmin(1, c));
        }
    }
}

/* p_i of the network. */
static double margin_of(const kkt_point *point, const dynamics_problem *problem, double alpha, int64_t i)
{
    double f = 0;
    for (int64_t j = 0; j < problem->m; j++) {
        const double z =
            fathom_blas_dot(point->hidden + j * problem->d, problem->x + i * problem->d, problem->d);
        f += point->output[j] * (z > 0 ? z : alpha * z);
    }
    return problem->y[i] * f;
}

/* |W|^2 of the trained layers, and the square of what is left of W without sum_i l_i g_i; `row` of length d.
 * */
static double residual_squares(double *squares, const kkt_point *point, const dynamics_problem *problem)
{
    const int64_t n = problem->n, d = problem->d;
    double left = 0, *row = point->row;
    *squares = 0;
    for (int64_t j = 0; j < problem->m; j++) {
        const double *v = point->hidden + j * d, a = point->output[j];
        double rest = a;
        memcpy(row, v, (size_t)d * sizeof *row);
        for (int64_t i = 0; i < n; i++) {
            const double force = point->dual[i] * problem->y[i] * point->slope[j * n + i];
            fathom_blas_axpy(row, -a * force, problem->x + i * d, d);
            rest -= force * fathom_blas_dot(v, problem->x + i * d, d);
        }
        left += fathom_blas_dot(row, row, d) + (problem->plan.output ? rest * rest : 0);
        *squares += fathom_blas_dot(v, v, d) + (problem->plan.output ? a * a : 0);
    }
    return left;
}

/* Scales the network and the multipliers so that the least margin is 1. */
static void scale_to_one(kkt_point *point, const dynamics_problem *problem, double least)
{
    const bool both = problem->plan.output;
    const double factor = both ? 1 / sqrt(least) : 1 / least;
    fathom_blas_scale(point->hidden, factor, problem->m * problem->d);
    if (both)
        fathom_blas_scale(point->output, factor, problem->m);
    else
        fathom_blas_scale(point->dual, factor, problem->n);
}

/* Margin, residual and slack of the network as it is. */
static void measure(kkt_point *point, const dynamics_problem *problem, double alpha)
{
    double least = INFINITY, squares, mass = 0, waste = 0;
    for (int64_t i = 0; i < problem->n; i++)
        least = fmin(least, margin_of(point, problem, alpha, i));
    if (!(least > 0))
        return;
    scale_to_one(point, problem, least);
    for (int64_t i = 0; i < problem->n; i++) {
        mass += point->dual[i];
        waste += point->dual[i] * (margin_of(point, problem, alpha, i) - 1);
    }
    const double left = residual_squares(&squares, point, problem);
    point->margin = problem->plan.output ? 1 / squares : 1 / sqrt(squares);
    point->residual = sqrt(left / squares);
    point->slack = waste / mass;
}

void fathom_kkt_point_fill(kkt_point *point, const kkt_program *program, const kkt_groups *groups,
                           const dynamics_state *state)
{
    const dynamics_problem *problem = program->problem;
    memcpy(point->dual, program->dual, (size_t)problem->n * sizeof(double));
    set_weights(point, program, groups, state);
    set_slopes(point, program, groups);
    measure(point, problem, program->alpha);
}

/* Groups of neurons with the same sign and sides; sides on kinks count as closed. Dead and vanished ones are
 * in none. */
static void find_groups(kkt_groups *groups, signed char *side, const dynamics_problem *problem,
                        const dynamics_state *state)
{
    const int64_t m = problem->m, n = problem->n, d = problem->d;
    const bool leaky = problem->plan.kind == FATHOM_NET_LEAKY;
    double largest = 0;
    for (int64_t j = 0; j < m; j++)
        largest = fmax(largest, fathom_kkt_share(problem, state, j));
    groups->count = 0;
    for (int64_t j = 0; j < m; j++) {
        const double *v = state->hidden + j * d, norm = fathom_blas_norm(v, d);
        signed char *own = side + groups->count * n;
        int64_t open = 0, k = 0;
        groups->of[j] = -1;
        if (!(fathom_kkt_share(problem, state, j) > 1e-6 * largest) || !(norm > 0))
            continue;
        for (int64_t i = 0; i < n; i++) {
            const bool slides = state->sliding && state->sliding[j * n + i];
            own[i] = !slides && fathom_blas_dot(v, problem->x + i * d, d) > 0 ? 1 : -1;
            open += own[i] > 0;
        }
        if (open == 0 && !leaky)
            continue;
        for (k = 0; k < j; k++) { /* a neuron before it that is alike */
            const int64_t g = groups->of[k];
            if (g >= 0 && (state->output[k] > 0) == (state->output[j] > 0) &&
                memcmp(side + g * n, own, (size_t)n) == 0)
                break;
        }
        groups->of[j] = k < j ? groups->of[k] : groups->count++;
    }
}

/* The program of the groups. */
static void set_program(kkt_program *p, const kkt_groups *groups, const signed char *side,
                        const dynamics_state *state)
{
    const int64_t n = p->problem->n;
    memcpy(p->side, side, (size_t)(p->groups * n));
    for (int64_t j = 0; j < p->problem->m; j++)
        if (groups->of[j] >= 0) {
            p->sign[groups->of[j]] = state->output[j] > 0 ? 1 : -1;
            groups->total[groups->of[j]] += fathom_kkt_share(p->problem, state, j);
        }
    for (int64_t g = 0; g < p->groups; g++)
        p->factor[g] = sqrt(groups->total[g]);
}

/* Degrees between the trained weights of a state and of a point. */
static double angle_between(const dynamics_problem *problem, const dynamics_state *state,
                            const kkt_point *point)
{
    const int64_t size = problem->m * problem->d, m = problem->plan.output ? problem->m : 0;
    const double a = hypot(fathom_blas_norm(state->hidden, size), fathom_blas_norm(state->output, m)),
                 b = hypot(fathom_blas_norm(point->hidden, size), fathom_blas_norm(point->output, m));
    double sum = 0;
    for (int64_t k = 0; k < size + m; k++) {
        const double e = (k < size ? state->hidden[k] : state->output[k - size]) / a -
                         (k < size ? point->hidden[k] : point->output[k - size]) / b;
        sum += e * e;
    }
    return 2 * asin(fmin(1, sqrt(sum) / 2)) * 180 / pi;
}

/* What is counted on a point, and the network of it. */
static fathom_status describe(fathom_flow_ending *ending, const kkt_point *point,
                              const dynamics_problem *problem, const dynamics_state *state)
{
    const int64_t m = problem->m, n = problem->n, d = problem->d;
    dynamics_state copy = *state;
    ending->margin = point->margin, ending->residual = point->residual, ending->slack = point->slack;
    ending->angle = angle_between(problem, state, point);
    ending->neurons = ending->supports = ending->kinks = 0;
    for (int64_t i = 0; i < n; i++)
        ending->supports += point->dual[i] > 0;
    for (int64_t j = 0; j < m; j++) {
        const bool alive = fathom_blas_norm(point->hidden + j * d, d) > 0 && point->output[j] != 0;
        ending->neurons += alive;
        for (int64_t i = 0; i < n && alive; i++)
            ending->kinks += point->kink[j * n + i] && point->dual[i] > 0;
    }
    ending->dual = fathom_memory_alloc(problem->context, n, sizeof(double));
    if (!ending->dual)
        return FATHOM_ERROR_MEMORY;
    memcpy(ending->dual, point->dual, (size_t)n * sizeof(double));
    copy.hidden = point->hidden, copy.output = point->output;
    return fathom_dynamics_net(&ending->net, problem, &copy);
}

/* The program of the groups solved, measured and judged. */
static fathom_status solve(fathom_flow_ending *ending, kkt_program *p, const kkt_groups *groups,
                           const dynamics_state *state)
{
    kkt_point point;
    fathom_status status = fathom_kkt_solve(p);
    ending->found = 0, ending->patterns = p->rounds;
    ending->reason = "the program of the pattern was not solved";
    if (status != FATHOM_OK || !p->found)
        return status;
    status = fathom_kkt_point_create(&point, p->problem);
    if (status == FATHOM_OK) {
        fathom_kkt_point_fill(&point, p, groups, state);
        if (point.residual <= enough && point.slack <= enough) {
            ending->found = 1, ending->reason = NULL;
            status = describe(ending, &point, p->problem, state);
            FATHOM_THEN(status, fathom_kkt_escape(ending, p, groups, &point, state));
        } else
            ending->reason = "the solution of the program misses the KKT conditions";
    }
    fathom_kkt_point_free(&point, p->problem);
    return status;
}

/* Why a run has no such ending; NULL: it may. */
static const char *refuse(const dynamics_problem *problem, const fathom_flow_record *end)
{
    const bool kind = problem->plan.kind == FATHOM_NET_RELU || problem->plan.kind == FATHOM_NET_LEAKY;
    if (!kind || problem->o != 1 || !fathom_dynamics_log_space(problem) || !problem->plan.first)
        return "this takes relu or leaky networks of one output, the first layer trained, a margin loss";
    if (!(end->margin > 0))
        return "not all examples are right: there is no margin";
    if (problem->m > 20000 || (double)problem->n * (double)problem->m * (double)problem->d > 1e8)
        return "the network is too large for the program of its pattern";
    return NULL;
}

fathom_status fathom_dynamics_ending(fathom_flow_ending *ending, const dynamics_problem *problem,
                                     const dynamics_state *state, const fathom_flow_record *end)
{
    kkt_groups groups = {0};
    kkt_program p = {0};
    ending->found = 0;
    ending->reason = refuse(problem, end);
    if (ending->reason)
        return FATHOM_OK;
    groups.of = fathom_memory_alloc(problem->context, problem->m, sizeof *groups.of);
    groups.total = fathom_memory_zero(problem->context, problem->m + 1, sizeof *groups.total);
    signed char *side = fathom_memory_alloc(problem->context, (problem->m + 1) * problem->n, 1);
    fathom_status status = groups.of && groups.total && side ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        find_groups(&groups, side, problem, state);
        status = fathom_kkt_program_create(&p, problem, groups.count);
    }
    if (status == FATHOM_OK) {
        set_program(&p, &groups, side, state);
        status = solve(ending, &p, &groups, state);
    }
    fathom_kkt_program_free(&p);
    FATHOM_FREE(problem->context, groups.of, groups.total, side);
    return status;
}
