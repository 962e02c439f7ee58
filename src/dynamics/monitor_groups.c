/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two groups of neurons, w_j with positive and u_j with negative output weights, both fixed [004].
 *
 *   r = max(max_j |w_j - w|, max_j |u_j - u|), w and u the means; Theorem 5.1: the network is linear at x where
 *   |<w - u, x>| >= 2 r |x|; with the sharp constant (1 - alpha) / (1 + alpha) in place of 2.
 *   NAR(beta): within a group all neurons see example i on the same side, at distance >= beta: c_i <v_j, x_i> >= beta |v_j|
 *   [Def. 6.2]; PAR: moreover c_i = y_i for w and -y_i for u [Def. 6.3]. beta = 1e-6 max |x|: a pair that slides on its
 *   kink is in no regime.
 */
#include <math.h>

#include "blas.h"
#include "context_internal.h"
#include "dynamics_internal.h"
#include "gemm.h"
#include "loss_row.h"
#include "memory.h"

static const double pi = 3.14159265358979323846;
static const double clustered = 1; /* degrees within which the neurons of a group count as one */

typedef struct group {
    int64_t count;
    double squares;  /* sum_j a_j^2 */
    double *mean;    /* h */
    double radius;   /* max_j |v_j - mean| */
    double cosine;   /* smallest between two of them, or of those looked at ... */
    double spread;   /* ... and the largest angle that two of them can have, radians */
    double *unit;    /* count x h: v_j / |v_j| */
    double *cosines; /* a tile of products */
    double *norm;    /* count: |v_j| */
    int64_t *member; /* count: j */
} group;

/* Groups up to EXACT neurons are compared in pairs. In larger ones PIVOTS neurons, each the farthest from
 * the one before, are compared with all: a lower bound; distances from a pivot (the mean) give an upper
 * one by the triangle inequality. */
enum { TILE = 64, EXACT = 2048, PIVOTS = 16 };

static void gather(group *g, const dynamics_problem *problem, const dynamics_state *state, bool positive)
{
    const int64_t m = problem->m, h = problem->h;
    for (int64_t j = 0; j < m; j++) {
        if ((state->output[j] > 0) != positive || state->output[j] == 0)
            continue;
        const double *v = state->hidden + j * h, norm = fathom_blas_norm(v, h);
        for (int64_t l = 0; l < h; l++) {
            g->mean[l] += v[l];
            g->unit[g->count * h + l] = norm > 0 ? v[l] / norm : NAN;
        }
        g->norm[g->count] = norm;
        g->squares += state->output[j] * state->output[j];
        g->member[g->count++] = j;
    }
    for (int64_t l = 0; l < h && g->count > 0; l++)
        g->mean[l] /= (double)g->count;
    for (int64_t j = 0; j < m; j++) {
        if ((state->output[j] > 0) != positive || state->output[j] == 0)
            continue;
        double sum = 0;
        for (int64_t l = 0; l < h; l++) {
            const double e = state->hidden[j * h + l] - g->mean[l];
            sum += e * e;
        }
        g->radius = fmax(g->radius, sqrt(sum));
    }
}

/* The smallest cosine between two units, by tiles of rows. */
static void widen_pairs(group *g, int64_t h)
{
    for (int64_t j = 0; j < g->count; j += TILE) {
        const int64_t rows = g->count - j < TILE ? g->count - j : TILE;
        fathom_blas_gemm(g->cosines, g->count, rows, g->count, h, 1, fathom_plain(g->unit + j * h, h),
                         fathom_transposed(g->unit, h), 0);
        for (int64_t k = 0; k < rows * g->count; k++)
            if (!(g->cosines[k] >= g->cosine))
                g->cosine = g->cosines[k];
    }
    g->spread = acos(fmax(-1, g->cosine));
}

/* The unit farthest from `direction`, and the cosine to it; a unit that is NaN is the farthest. */
static int64_t farthest(double *cosine, const group *g, const double *direction, int64_t h)
{
    int64_t worst = 0;
    *cosine = INFINITY;
    for (int64_t k = 0; k < g->count; k++) {
        const double c = fathom_blas_dot(g->unit + k * h, direction, h);
        if (!(c >= *cosine)) {
            *cosine = c;
            worst = k;
            if (isnan(c))
                break;
        }
    }
    return worst;
}

/* Bounds of the same from PIVOTS units and from the mean direction. */
static void widen_pivots(group *g, int64_t h)
{
    const double norm = fathom_blas_norm(g->mean, h);
    double cosine;
    int64_t pivot = farthest(&cosine, g, g->mean, h);
    g->spread = norm > 0 ? fmin(pi, 2 * acos(fmax(-1, fmin(1, cosine / norm)))) : pi;
    for (int k = 0; k < PIVOTS && !isnan(g->cosine); k++) {
        pivot = farthest(&cosine, g, g->unit + pivot * h, h);
        g->cosine = isnan(cosine) ? NAN : fmin(g->cosine, cosine);
    }
}

static void widen(group *g, int64_t h)
{
    g->cosine = 1;
    if (g->count <= EXACT)
        widen_pairs(g, h);
    else
        widen_pivots(g, h);
}

/* The least and largest <v_j, x_i> / |v_j| over the group; NaN where a neuron is 0. */
static void extremes(double *low, double *high, const group *g, const double *z)
{
    *low = INFINITY, *high = -INFINITY;
    for (int64_t k = 0; k < g->count; k++) {
        const double distance = z[g->member[k]] / g->norm[k];
        if (!(distance >= *low))
            *low = distance;
        if (!(distance <= *high))
            *high = distance;
    }
}

/* Sides of one group: 1 where all agree at distance beta, and whether they are sign * y. */
static void judge_group(bool *nar, bool *par, double *margin, const group *g, const dynamics_run *run,
                        double sign)
{
    const dynamics_problem *problem = run->problem;
    const double beta = 1e-6 * problem->reach;
    for (int64_t i = 0; i < problem->n; i++) {
        double low, high;
        extremes(&low, &high, g, run->batch.z + i * problem->m);
        *margin = fmin(*margin, fmax(low, -high));
        if (!(low >= beta || high <= -beta))
            *nar = false;
        if (!(sign * problem->y[i] > 0 ? low >= beta : high <= -beta))
            *par = false;
    }
}

/* Share of the neurons that see every example on the side of a PAR, at distance beta. */
static double perfect_share(const group *g, const dynamics_run *run, double sign)
{
    const dynamics_problem *problem = run->problem;
    const double beta = 1e-6 * problem->reach;
    int64_t perfect = 0;
    for (int64_t k = 0; k < g->count; k++) {
        int64_t i = 0;
        while (i < problem->n &&
               sign * problem->y[i] * run->batch.z[i * problem->m + g->member[k]] >= beta * g->norm[k])
            i++;
        perfect += i == problem->n;
    }
    return (double)perfect / (double)g->count;
}

enum { MANY = 64 }; /* words, enough for looks at the clock */

/* Sides of all examples as one neuron sees them, packed into words. */
typedef struct sides {
    int64_t count, words;
    const uint64_t *bits; /* count x words */
} sides;

/* The largest number of differences to neuron j among neurons before `end`, who has it, and the largest
 * but one. */
static int64_t most_different(int64_t *partner, int64_t *second, const sides *s, int64_t j, int64_t end)
{
    int64_t most = 0;
    *partner = j, *second = 0;
    for (int64_t k = 0; k < end; k++) {
        int64_t count = 0;
        for (int64_t w = 0; w < s->words; w++)
            count += __builtin_popcountll(s->bits[j * s->words + w] ^ s->bits[k * s->words + w]);
        if (count > most) {
            *second = most;
            *partner = k;
            most = count;
        } else if (count > *second)
            *second = count;
    }
    return most;
}

/* max over pairs of neurons of the number of examples on different sides [004, Sec. 17], between *most and
 * *bound, which stay what they are once the time is up. */
static void find_most(int64_t *most, int64_t *bound, const sides *s, int64_t n, const fathom_context *context)
{
    int64_t partner = 0, second;
    *most = 0, *bound = n;
    if (s->count <= EXACT) {
        for (int64_t j = 0; j < s->count; j++) {
            const int64_t count = most_different(&partner, &second, s, j, j);
            *most = count > *most ? count : *most;
            if (s->words > MANY && fathom_context_stop_reason(context) != FATHOM_STOP_NONE)
                return;
        }
        *bound = *most;
        return;
    }
    for (int k = 0; k < PIVOTS; k++) {
        const int64_t count = most_different(&partner, &second, s, partner, s->count);
        *most = count > *most ? count : *most;
        *bound = count + second < *bound ? count + second : *bound;
    }
    *bound = *bound > *most ? *bound : *most;
}

static fathom_status count_disagreements(int64_t *most, int64_t *bound, const group *g,
                                         const dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    const int64_t words = (problem->n + 63) / 64;
    uint64_t *side = fathom_memory_zero(problem->context, g->count * words, sizeof *side);
    if (!side)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < problem->n; i++)
        for (int64_t k = 0; k < g->count; k++)
            if (run->batch.z[i * problem->m + g->member[k]] > 0)
                side[k * words + i / 64] |= (uint64_t)1 << i % 64;
    find_most(most, bound, &(sides){g->count, words, side}, problem->n, problem->context);
    fathom_memory_free(problem->context, side);
    return FATHOM_OK;
}

static void set_linear(fathom_flow_record *record, const dynamics_problem *problem, const double *difference,
                       double r)
{
    const int64_t h = problem->h;
    const double alpha = problem->plan.kind == FATHOM_NET_LEAKY ? problem->plan.parameter : 0;
    int64_t paper = 0, sharp = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const double *x = problem->x + i * h;
        const double z = fabs(fathom_blas_dot(difference, x, h)), norm = fathom_blas_norm(x, h);
        paper += z >= 2 * r * norm;
        sharp += z >= (1 - alpha) / (1 + alpha) * r * norm;
    }
    record->linear_fraction = (double)paper / (double)problem->n;
    record->linear_fraction_sharp =
        problem->plan.kind == FATHOM_NET_LEAKY && alpha > 0 ? (double)sharp / (double)problem->n : NAN;
}

static fathom_status judge(fathom_flow_record *record, group *w, group *u, dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    const int64_t h = problem->h;
    const double r = fmax(w->radius, u->radius);
    bool nar = true, par = true;
    widen(w, h);
    widen(u, h);
    record->group_margin = INFINITY;
    judge_group(&nar, &par, &record->group_margin, w, run, 1);
    judge_group(&nar, &par, &record->group_margin, u, run, -1);
    for (int64_t k = 0; run->state.sliding && k < problem->n * problem->m; k++)
        if (run->state.sliding[k])
            nar = par = false;
    record->max_angle = acos(fmax(-1, fmin(w->cosine, u->cosine))) * 180 / pi;
    record->max_angle_upper = fmax(fmax(w->spread, u->spread) * 180 / pi, record->max_angle);
    record->nar = nar;
    record->par = nar && par;
    fathom_flow_limit *limit = &run->result->limit;
    if (problem->plan.kind == FATHOM_NET_LEAKY && fathom_dynamics_log_space(problem) && record->margin > 0) {
        const fathom_status status =
            fathom_dynamics_limit(limit, problem, w->mean, w->squares, u->mean, u->squares);
        if (status != FATHOM_OK)
            return status;
        record->limit_angle = fmax(limit->angle[0], limit->angle[1]);
        limit->claimed = record->max_angle_upper <= clustered;
    }
    for (int64_t l = 0; l < h; l++)
        w->mean[l] -= u->mean[l];
    record->cluster_ratio = r / fathom_blas_norm(w->mean, h);
    set_linear(record, problem, w->mean, r);
    record->test_linear_fraction = fathom_dynamics_test_linear(problem, w->mean, r);
    record->par_share_w = perfect_share(w, run, 1);
    record->par_share_u = perfect_share(u, run, -1);
    const fathom_status status =
        count_disagreements(&record->disagreements_w, &record->disagreements_w_upper, w, run);
    return status == FATHOM_OK
               ? count_disagreements(&record->disagreements_u, &record->disagreements_u_upper, u, run)
               : status;
}

fathom_status fathom_dynamics_groups(fathom_flow_record *record, dynamics_run *run)
{
    fathom_status status = FATHOM_OK;
    const dynamics_problem *problem = run->problem;
    const int64_t m = problem->m, h = problem->h;
    record->cluster_ratio = record->max_angle = record->linear_fraction = record->linear_fraction_sharp = NAN;
    record->group_margin = record->limit_angle = record->par_share_w = record->par_share_u = NAN;
    record->test_linear_fraction = NAN;
    record->disagreements_w = record->disagreements_u = -1;
    record->disagreements_w_upper = record->disagreements_u_upper = -1;
    record->max_angle_upper = NAN;
    record->nar = record->par = -1;
    if (problem->o > 1 || problem->plan.output || problem->h != problem->d ||
        problem->plan.kind == FATHOM_NET_GATED || fathom_loss_row_of(problem->plan.loss)->numbers ||
        !fathom_dynamics_watches(problem, 0) || !run->batch.z)
        return FATHOM_OK;
    const int64_t tile = TILE * (m < EXACT ? m : EXACT), room = 2 * h + m * h + tile + m;
    double *block = fathom_memory_zero(problem->context, room, sizeof(double));
    int64_t *members = fathom_memory_alloc(problem->context, m, sizeof *members);
    if (block && members) {
        group w = {.mean = block, .unit = block + 2 * h, .cosines = block + 2 * h + m * h};
        w.norm = w.cosines + tile, w.member = members;
        gather(&w, problem, &run->state, true);
        group u = {.mean = block + h, .unit = w.unit + w.count * h, .cosines = w.cosines};
        u.norm = w.norm + w.count, u.member = members + w.count;
        gather(&u, problem, &run->state, false);
        if (w.count > 0 && u.count > 0)
            status = judge(record, &w, &u, run);
    } else
        status = FATHOM_ERROR_MEMORY;
    FATHOM_FREE(problem->context, block, members);
    return status;
}
