/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many random gates a separator needs: the experiment of [000, Sec. 7].
 *
 * Theorem 7.2: on the alternating circle every FIXED map v, evaluated on m random gates, fails with constant probability
 * unless m is of order gamma^-2. A draw of m Gaussian gates v_j gives
 *
 *     fixed      margin_i = (1/m) sum_j 1[<x_i, v_j> > 0] y_i <w_{C(j)}, x_i>,   W the optimal map, C(j) the cone of v_j
 *     adaptive   gamma_V, its own best separator
 *
 * and the shares of draws with some margin_i <= 0, of points with margin_i <= 0, and of gamma_V = 0 are counted. By the
 * central limit theorem a point fails with probability about Phi(-sqrt(m gamma^2 / Var Z)); gamma_V turns positive already
 * at m of order 1 / gamma. Draw t of m gates is a function of the seed and t, its first gates the same for every m.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "margin_result.h"
#include "memory.h"
#include "patterns.h"
#include "random.h"
#include "tasks.h"

/* Sub-stream of draw t among the gates; 0 and 1 belong to --width and to ntk-full. */
static const uint32_t FIRST_DRAW = 1000;

typedef struct experiment {
    fathom_context *context;
    const fathom_margin_points *points;
    fathom_data_view data;
    int64_t cones, m, words;
    uint64_t *cone_bits;        /* cones x words */
    const double *w;            /* cones x d */
    fathom_pattern_index index; /* of cone_bits */
    double *norm;               /* n */
    double *v;                  /* m x d */
    uint64_t *bits;             /* m x words */
    double *rho;                /* m: merged */
    double *q, *margin;         /* n */
    double *separator;          /* m x d */
} experiment;

static void experiment_free(experiment *e)
{
    void *blocks[] = {e->cone_bits, e->norm, e->v, e->bits, e->rho, e->q, e->separator};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(e->context, blocks[k]);
    fathom_pattern_index_free(&e->index);
}

/* The patterns of the separator's cones, and room for m gates. */
static fathom_status experiment_create(experiment *e, const fathom_margin_result *result)
{
    fathom_context *context = e->context;
    const int64_t n = e->points->n, d = e->points->d, m = e->m;
    const fathom_net_weights weights = fathom_net_lend(result->net);
    e->cones = fathom_net_look(result->net).m;
    e->w = weights.w;
    e->words = fathom_pattern_words(n);
    fathom_status status = fathom_pattern_index_init(&e->index, context, e->words);
    e->cone_bits = fathom_memory_alloc(context, e->cones * e->words, sizeof *e->cone_bits);
    e->norm = fathom_memory_alloc(context, n, sizeof(double));
    e->v = fathom_memory_alloc(context, m * d, sizeof(double));
    e->bits = fathom_memory_alloc(context, m * e->words, sizeof *e->bits);
    e->rho = fathom_memory_alloc(context, m, sizeof(double));
    e->q = fathom_memory_alloc(context, 2 * n, sizeof(double));
    e->separator = fathom_memory_alloc(context, m * d, sizeof(double));
    if (status != FATHOM_OK || !e->cone_bits || !e->norm || !e->v || !e->bits || !e->rho || !e->q ||
        !e->separator)
        return FATHOM_ERROR_MEMORY;
    e->margin = e->q + n;
    fathom_patterns_norms(e->norm, &e->data, context);
    status = fathom_patterns_compute(e->cone_bits, context, &e->data, e->norm, e->cones, weights.v, d);
    for (int64_t k = 0; k < e->cones && status == FATHOM_OK; k++)
        status = fathom_pattern_index_add(&e->index, e->cone_bits);
    return status;
}

/* Draws trial number t and merges equal gates: rho_c = share of the cone c among the m gates, for all cones. */
static fathom_status draw(experiment *e, double *share, int64_t t)
{
    const int64_t d = e->points->d;
    fathom_random_normals(e->v, e->m * d, fathom_context_seed(e->context), FATHOM_STREAM_GATE,
                          FIRST_DRAW + (uint32_t)t, 0);
    FATHOM_TRY(fathom_patterns_compute(e->bits, e->context, &e->data, e->norm, e->m, e->v, d));
    memset(share, 0, (size_t)e->cones * sizeof *share);
    for (int64_t j = 0; j < e->m; j++) {
        const int64_t c = fathom_pattern_index_find(&e->index, e->cone_bits, e->bits + j * e->words);
        if (c >= 0) /* a gate that is open nowhere has no cone in the list and adds nothing */
            share[c] += 1 / (double)e->m;
    }
    return FATHOM_OK;
}

/* Number of points with margin_i <= 0 under the fixed separator. */
static int64_t count_wrong(const experiment *e, const double *share)
{
    const int64_t n = e->points->n, d = e->points->d;
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        double margin = 0;
        for (int64_t c = 0; c < e->cones; c++)
            for (int64_t k = 0; k < d && share[c] > 0 && fathom_pattern_bit(e->cone_bits + c * e->words, i);
                 k++)
                margin += share[c] * e->w[c * d + k] * e->points->z[i * d + k];
        wrong += !(margin > 0);
    }
    return wrong;
}

/* gamma_V of the draw, the middle of an interval of relative width 1e-4; 0 where it is below 1e-10 of the radius. */
static fathom_status adaptive_margin(double *gamma, experiment *e, const double *share)
{
    const int64_t words = e->words;
    fathom_margin_problem problem = {.n = e->points->n, .d = e->points->d, .words = words, .z = e->points->z};
    for (int64_t c = 0; c < e->cones; c++)
        if (share[c] > 0) {
            memcpy(e->bits + problem.m * words, e->cone_bits + c * words, (size_t)words * sizeof *e->bits);
            e->rho[problem.m++] = share[c];
        }
    problem.bits = e->bits;
    problem.rho = e->rho;
    *gamma = 0;
    if (problem.m == 0)
        return FATHOM_OK;
    const fathom_margin_target target = {1e-4, 1e-10 * e->points->radius, 0, 200};
    fathom_margin_pair pair = {.q = e->q, .w = e->separator};
    const fathom_status status = fathom_margin_interior(&pair, e->context, &problem, &target);
    if (status == FATHOM_OK && pair.outcome != FATHOM_MARGIN_ZERO)
        *gamma = (pair.lower + pair.upper) / 2;
    return status;
}

/* What came of one draw; not done where a limit came first. */
typedef struct trial {
    int64_t done, wrong;
    double adaptive;
} trial;

static fathom_status run_trial(trial *t, experiment *e, double *share, int64_t number)
{
    if (fathom_context_stop_reason(e->context) != FATHOM_STOP_NONE)
        return FATHOM_OK;
    FATHOM_TRY(draw(e, share, number));
    t->wrong = count_wrong(e, share);
    FATHOM_TRY(adaptive_margin(&t->adaptive, e, share));
    t->done = 1;
    return FATHOM_OK;
}

static fathom_status deal_trials(trial *outcome, experiment *e, double *share, int64_t trials)
{
    fathom_status status = FATHOM_OK;
    fathom_tasks tasks = fathom_tasks_deal(e->context, trials);
    while (fathom_tasks_next(&tasks)) {
        for (int64_t t = 0; t < trials && status == FATHOM_OK; t++)
            if (fathom_tasks_mine(&tasks, t))
                status = run_trial(outcome + t, e, share, t);
        status = fathom_tasks_share_array(&tasks, status, outcome, sizeof *outcome);
    }
    return status;
}

static fathom_status run_trials(fathom_margin_experiment_row *row, experiment *e, double gamma,
                                int64_t trials)
{
    double *share = fathom_memory_alloc(e->context, e->cones, sizeof *share);
    trial *outcome = fathom_memory_zero(e->context, trials, sizeof *outcome);
    fathom_status status = share && outcome ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    int64_t points = 0, draws = 0, zeros = 0;
    double total = 0;
    FATHOM_THEN(status, deal_trials(outcome, e, share, trials));
    for (; row->trials < trials && status == FATHOM_OK && outcome[row->trials].done; row->trials++) {
        const trial *t = outcome + row->trials;
        points += t->wrong;
        draws += t->wrong > 0;
        zeros += !(t->adaptive > 0);
        total += t->adaptive / gamma;
    }
    const double count = row->trials > 0 ? (double)row->trials : NAN;
    row->point_wrong = (double)points / count / (double)e->points->n;
    row->some_wrong = (double)draws / count;
    row->adaptive_zero = (double)zeros / count;
    row->adaptive_ratio = total / count;
    FATHOM_FREE(e->context, share, outcome);
    return status;
}

fathom_status fathom_margin_experiment(fathom_margin_experiment_row *row, const fathom_margin_result *result,
                                       fathom_data *data, double kappa, int64_t trials)
{
    fathom_margin_points points;
    const fathom_margin_view *view = &result->view;
    fathom_context *context = result->context;
    const double gamma = (view->lower + view->upper) / 2, width = ceil(kappa / (gamma * gamma));
    *row = (fathom_margin_experiment_row){.kappa = kappa};
    if (view->kind != FATHOM_MARGIN_NTK || view->width > 0 || !view->exact || !result->net ||
        !(view->lower > 0))
        return fathom_error_set(
            context, FATHOM_ERROR_USAGE,
            "the experiment of Theorem 7.2 takes a positive margin at infinite width through all "
            "cones (--kind ntk, at most a few thousand cones)");
    if (!(width <= 1e8))
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "the experiment would draw %g gates at a time",
                                width);
    FATHOM_TRY(fathom_margin_points_create(&points, context, data, false));
    row->width = (int64_t)width;
    experiment e = {.context = context, .points = &points, .data = fathom_data_look(data), .m = row->width};
    e.m =
        e.m < fathom_net_look(result->net).m ? fathom_net_look(result->net).m : e.m; /* room for all cones */
    fathom_status status = experiment_create(&e, result);
    e.m = row->width;
    FATHOM_THEN(status, run_trials(row, &e, gamma, trials));
    experiment_free(&e);
    fathom_margin_points_free(context, &points);
    return status;
}
