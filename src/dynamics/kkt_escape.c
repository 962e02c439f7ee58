/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a KKT point W of the margin problem is a local maximum of min_i p_i / |W|^L, and a way out where it
 * is not.
 *
 * The Lagrangian |W|^2 / 2 - sum_i l_i p_i (both layers: sum_j |u_j| - sum_i l_i p_i in u_j = |a_j| v_j) is
 * convex around W unless a
 * neuron stands on a kink of an example with l_i > 0 and a_j y_i > 0 (a ridge): p_i is concave across the
 * kinks with a_j y_i < 0. Convex and stationary,
 * it is least at W, so that W is a local maximum. Both layers: |W|^2 >= 2 sum_j |u_j| with equality at W, so
 * that a maximum in u is one in W;
 * neurons that are 0 may start in any direction and with any sign, and leave W a local maximum only if
 *
 *     |sum_i l_i y_i sigma(<v, x_i>)| <= |v| for all v,
 *
 * which makes it a global one. A direction where that fails, or the other side of a ridge, is a pattern more:
 * W satisfies its constraints, its program is
 * convex, so that on the segment from W to its solution the margin rises. That is what is tried, neuron by
 * neuron, and
 * measured on the segment. What was tried and failed leaves the question open.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "kkt.h"
#include "memory.h"
#include "random.h"

enum { STARTS = 200, CLIMBS = 50, RIDGES = 32, STOPS = 16 };
static const double better = 1e-7; /* relative: a margin that is larger, a price above 1 */

typedef struct way_out {
    const kkt_program *program;
    const kkt_groups *groups;
    const kkt_point *point;
    const dynamics_state *state;
    double threshold;   /* multipliers above this count */
    double *direction;  /* d: the best new neuron found, and ... */
    double sign, price; /* ... its sign and price */
} way_out;

/* t sum_i l_i y_i sigma(<v, x_i>) / |v|, and its gradient (the side of z > 0). */
static double price_of(double *gradient, const way_out *w, const double *v, double sign)
{
    const dynamics_problem *problem = w->program->problem;
    const int64_t d = problem->d;
    memset(gradient, 0, (size_t)d * sizeof *gradient);
    for (int64_t i = 0; i < problem->n; i++) {
        const double z = fathom_blas_dot(v, problem->x + i * d, d);
        fathom_blas_axpy(gradient, sign * w->point->dual[i] * problem->y[i] * (z > 0 ? 1 : w->program->alpha),
                         problem->x + i * d, d);
    }
    return fathom_blas_dot(gradient, v, d) / fathom_blas_norm(v, d);
}

/* Climbs from v, which is destroyed; keeps the best. */
static void climb(way_out *w, double *v, double *gradient, double sign)
{
    const int64_t d = w->program->problem->d;
    for (int k = 0; k < CLIMBS; k++) {
        const double price = price_of(gradient, w, v, sign);
        if (price > w->price) {
            w->price = price, w->sign = sign;
            memcpy(w->direction, v, (size_t)d * sizeof *v);
        }
        const double norm = fathom_blas_norm(gradient, d), size = fathom_blas_norm(v, d);
        if (!(norm > 0) || !(norm > price * (1 + 1e-12)))
            return;
        for (int64_t l = 0; l < d; l++)
            v[l] = v[l] / size + gradient[l] / norm;
    }
}

/* The largest price found: from the examples and from random directions, both signs. */
static fathom_status search_price(way_out *w)
{
    const dynamics_problem *problem = w->program->problem;
    const int64_t d = problem->d, examples = problem->n < STARTS ? problem->n : STARTS;
    double *v = fathom_memory_alloc(problem->context, 2 * d, sizeof *v);
    if (!v)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < 2 * (examples + STARTS); k++) {
        const int64_t start = k / 2;
        if (fathom_context_stop_reason(problem->context) != FATHOM_STOP_NONE)
            break;
        if (start < examples)
            memcpy(v, problem->x + start * d, (size_t)d * sizeof *v);
        else
            fathom_random_normals(v, d, problem->seed, FATHOM_STREAM_START, 0, (uint64_t)(start * d));
        if (fathom_blas_norm(v, d) > 0)
            climb(w, v, v + d, k % 2 ? -1 : 1);
    }
    fathom_memory_free(problem->context, v);
    return FATHOM_OK;
}

/* The program with one group more, which neuron j becomes; *of are groups that say so. */
static fathom_status extend(kkt_program *q, kkt_groups *groups, const way_out *w, int64_t j)
{
    const kkt_program *p = w->program;
    const int64_t n = p->problem->n, G = p->groups, old = w->groups->of[j], m = p->problem->m;
    const double share = fathom_kkt_share(p->problem, w->state, j);
    fathom_status status = fathom_kkt_program_create(q, p->problem, G + 1);
    groups->of = fathom_memory_alloc(p->problem->context, m, sizeof *groups->of);
    groups->total = fathom_memory_zero(p->problem->context, m + 2, sizeof *groups->total);
    if (status != FATHOM_OK || !groups->of || !groups->total)
        return FATHOM_ERROR_MEMORY;
    memcpy(groups->of, w->groups->of, (size_t)m * sizeof *groups->of);
    memcpy(groups->total, w->groups->total, (size_t)G * sizeof *groups->total);
    memcpy(q->side, p->side, (size_t)(G * n));
    memcpy(q->sign, p->sign, (size_t)G * sizeof *q->sign);
    memcpy(q->factor, p->factor, (size_t)G * sizeof *q->factor);
    groups->of[j] = G, groups->count = G + 1;
    groups->total[G] = share > 0 ? share : 1;
    if (old >= 0) { /* it takes its part along */
        const double part = share / groups->total[old];
        memcpy(q->side + G * n, p->side + old * n, (size_t)n);
        q->sign[G] = p->sign[old];
        q->factor[G] = p->factor[old] * sqrt(part);
        q->factor[old] *= sqrt(fmax(0, 1 - part));
        groups->total[old] = fmax(0, groups->total[old] - share);
    }
    return FATHOM_OK;
}

/* What the margin of a network between two points is measured on. */
typedef struct segment {
    const dynamics_problem *problem;
    const kkt_point *from, *to;
    double alpha, *hidden, *output; /* m x d, m: the network at hand */
} segment;

/* Weights at `part` of the way, both layers: straight in u_j = |a_j| v_j. Returns |W|^L. */
static double place_at(segment *s, double part)
{
    const int64_t m = s->problem->m, d = s->problem->d;
    const bool both = s->problem->plan.output;
    double norm = 0;
    for (int64_t j = 0; j < m; j++) {
        const double *v = s->from->hidden + j * d, *u = s->to->hidden + j * d;
        const double a = s->from->output[j], b = s->to->output[j];
        double *row = s->hidden + j * d;
        for (int64_t l = 0; l < d; l++)
            row[l] = (1 - part) * (both ? fabs(a) : 1) * v[l] + part * (both ? fabs(b) : 1) * u[l];
        s->output[j] = both ? (a != 0 ? copysign(1, a) : copysign(1, b)) : a;
        const double size = fathom_blas_norm(row, d);
        norm += both ? 2 * size : size * size;
    }
    return both ? norm : sqrt(norm);
}

static double normalized_margin_at(segment *s, double part)
{
    const double norm = place_at(s, part);
    const dynamics_problem *problem = s->problem;
    double least = INFINITY;
    for (int64_t i = 0; i < problem->n; i++) {
        double f = 0;
        for (int64_t j = 0; j < problem->m; j++) {
            const double z =
                fathom_blas_dot(s->hidden + j * problem->d, problem->x + i * problem->d, problem->d);
            f += s->output[j] * (z > 0 ? z : s->alpha * z);
        }
        least = fmin(least, problem->y[i] * f);
    }
    return least / norm;
}

/* Whether the margin rises all the way, as far as STOPS stops show. */
static fathom_status rises(bool *yes, const way_out *w, const kkt_point *to)
{
    const dynamics_problem *problem = w->program->problem;
    segment s = {.problem = problem, .from = w->point, .to = to, .alpha = w->program->alpha};
    s.hidden = fathom_memory_alloc(problem->context, problem->m * (problem->d + 1), sizeof(double));
    if (!s.hidden)
        return FATHOM_ERROR_MEMORY;
    s.output = s.hidden + problem->m * problem->d;
    double last = w->point->margin;
    *yes = to->margin > w->point->margin * (1 + better);
    for (int k = 1; k <= STOPS && *yes; k++) {
        const double margin = normalized_margin_at(&s, ldexp(1, k - STOPS));
        *yes = margin > last;
        last = margin;
    }
    fathom_memory_free(problem->context, s.hidden);
    return FATHOM_OK;
}

/* Solves the extended program; keeps its network where the margin rises to it. */
static fathom_status try_program(fathom_flow_ending *ending, const way_out *w, kkt_program *q,
                                 const kkt_groups *groups, const char *why)
{
    const dynamics_problem *problem = q->problem;
    kkt_point to;
    bool yes = false;
    fathom_status status = fathom_kkt_program_pattern(q);
    if (status != FATHOM_OK || !q->result.settled)
        return status;
    status = fathom_kkt_point_create(&to, problem);
    if (status == FATHOM_OK) {
        fathom_kkt_point_fill(&to, q, groups, w->state);
        status = rises(&yes, w, &to);
    }
    if (status == FATHOM_OK && yes) {
        dynamics_state copy = *w->state;
        ending->maximum = 0, ending->why = why, ending->escape_margin = to.margin;
        copy.hidden = to.hidden, copy.output = to.output;
        status = fathom_dynamics_net(&ending->escape, problem, &copy);
    }
    fathom_kkt_point_free(&to, problem);
    return status;
}

/* Neuron j on the other side of example i, or (i < 0) in the new direction. */
static fathom_status try_neuron(fathom_flow_ending *ending, const way_out *w, int64_t j, int64_t i)
{
    const dynamics_problem *problem = w->program->problem;
    const int64_t n = problem->n, d = problem->d, G = w->program->groups;
    kkt_program q = {0};
    kkt_groups groups = {0};
    fathom_status status = extend(&q, &groups, w, j);
    if (status == FATHOM_OK && i >= 0)
        q.side[G * n + i] = (signed char)-q.side[G * n + i];
    for (int64_t k = 0; k < n && status == FATHOM_OK && i < 0; k++)
        q.side[G * n + k] = fathom_blas_dot(w->direction, problem->x + k * d, d) > 0 ? 1 : -1;
    if (status == FATHOM_OK && i < 0) {
        double norm = 0;
        for (int64_t g = 0; g < G; g++)
            norm = fmax(norm, q.factor[g]);
        q.sign[G] = problem->plan.output ? w->sign : copysign(1, w->state->output[j]);
        q.factor[G] = problem->plan.output ? norm / 10 : fabs(w->state->output[j]);
    }
    FATHOM_THEN(status,
                try_program(ending, w, &q, &groups,
                            i < 0 ? "a neuron that is 0 can start" : "a neuron on a ridge can leave it"));
    fathom_kkt_program_free(&q);
    FATHOM_FREE(problem->context, groups.of, groups.total);
    return status;
}

/* Whether neuron j stands on a ridge of example i. */
static bool is_ridge(const way_out *w, int64_t j, int64_t i)
{
    const dynamics_problem *problem = w->program->problem;
    return w->point->kink[j * problem->n + i] && w->point->dual[i] > w->threshold &&
           w->point->output[j] * problem->y[i] > 0;
}

static bool is_zero(const way_out *w, int64_t j)
{
    const int64_t d = w->program->problem->d;
    return !(fathom_blas_norm(w->point->hidden + j * d, d) > 0);
}

/* Ridges one after the other, until one lets go. */
static fathom_status try_ridges(fathom_flow_ending *ending, const way_out *w, int64_t *ridges)
{
    const dynamics_problem *problem = w->program->problem;
    fathom_status status = FATHOM_OK;
    *ridges = 0;
    for (int64_t j = 0; j < problem->m; j++)
        for (int64_t i = 0; i < problem->n; i++) {
            if (is_zero(w, j) || w->groups->of[j] < 0 || !is_ridge(w, j, i))
                continue;
            if (++*ridges > RIDGES || ending->maximum == 0 || status != FATHOM_OK ||
                fathom_context_stop_reason(problem->context) != FATHOM_STOP_NONE)
                return status;
            status = try_neuron(ending, w, j, i);
        }
    return status;
}

/* Counts neurons that are 0; *first is one of them, for fixed output weights one of the sign that has the
 * price; -1: none. */
static int64_t count_zeros(int64_t *first, const way_out *w)
{
    const bool both = w->program->problem->plan.output;
    int64_t count = 0;
    *first = -1;
    for (int64_t j = 0; j < w->program->problem->m; j++)
        if (is_zero(w, j)) {
            count++;
            if (*first < 0 && (both || w->state->output[j] * w->sign > 0))
                *first = j;
        }
    return count;
}

static fathom_status judge(fathom_flow_ending *ending, way_out *w)
{
    const bool both = w->program->problem->plan.output;
    int64_t ridges = 0;
    fathom_status status = search_price(w);
    int64_t zero;
    const int64_t zeros = count_zeros(&zero, w);
    ending->price = both ? w->price : NAN;
    if (status == FATHOM_OK && zero >= 0 && w->price > (both ? 1 + better : 0))
        status = try_neuron(ending, w, zero, -1);
    if (status == FATHOM_OK && ending->maximum != 0)
        status = try_ridges(ending, w, &ridges);
    if (status != FATHOM_OK || ending->maximum == 0)
        return status;
    if (zeros == 0 && ridges == 0) {
        ending->maximum = 1;
        ending->why = "no neuron is 0 or stands on a ridge: the problem is concave around it";
    } else
        ending->why = ridges > 0 ? "neurons stand on ridges, and no way out was found"
                                 : "some neurons are 0, and no direction was found in which one can start";
    return FATHOM_OK;
}

fathom_status fathom_kkt_escape(fathom_flow_ending *ending, const kkt_program *program,
                                const kkt_groups *groups, const kkt_point *point, const dynamics_state *state)
{
    way_out w = {.program = program, .groups = groups, .point = point, .state = state, .price = -INFINITY};
    for (int64_t i = 0; i < program->problem->n; i++)
        w.threshold = fmax(w.threshold, 1e-9 * point->dual[i]);
    w.direction = fathom_memory_zero(program->problem->context, program->problem->d, sizeof(double));
    const fathom_status status = w.direction ? judge(ending, &w) : FATHOM_ERROR_MEMORY;
    fathom_memory_free(program->problem->context, w.direction);
    return status;
}
