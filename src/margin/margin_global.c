/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The global margin: max over sum_k alpha_k relu(<b_k, x>), |alpha|_1 = 1, |b_k| = 1, of the least y_i f(x_i).
 *
 *     gamma_gl = min_{q in simplex} max_{|b| = 1} |F_q(b)|,   F_q(b) = sum_i q_i y_i relu(<b, x_i>)     (linear duality)
 *
 * Cutting planes: a linear program over the directions found so far gives q and, by its dual, a network alpha, whose
 * least margin is a lower bound; pricing, max_b |F_q(b)|, gives an upper bound and new directions. F_q is linear on
 * every cone, so its maximum over the sphere lies at proj_L(S_C) / |..| for some flat L of the arrangement (an intersection
 * of hyperplanes x_i^perp, R^d itself included) and some cone C of the arrangement within L. All flats are visited:
 * planes by walking their arcs, larger ones by listing their cones (margin_flats.c). Where that is too many, local ascent
 * (ascent.h) gives directions, and the upper bound is the best of
 *     |F_q(b)| <= (|sum_i q_i z_i| + sqrt(lambda_max(sum_i q_i z_i z_i'))) / 2,
 * the joint relaxation with q free and branching from there (global_bound.h), and, for d <= 7, certified prices (price.h), whose
 * directions are cuts again.
 * Both ends account for rounding. [003, Assumption 1.1]
 */
#include "margin_global.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "global_bound.h"
#include "lp_clp.h"
#include "memory.h"
#include "price.h"

/* Of the linear program: its t is 1, and gaps down to 1e-9 are asked for. */
static const double TOLERANCE = 1e-12;

typedef struct cutting {
    fathom_margin_run *run;
    fathom_context *context;
    const fathom_margin_points *points;
    int64_t n, d;
    double *b; /* count x d: directions */
    int64_t count, capacity;
    double *feature; /* count x n: y_i relu(<b_k, x_i>) */
    int64_t feature_capacity;
    double *q, *margin; /* n */
    double *best;       /* weights of the best network so far, of the first `used` directions */
    int64_t used;
    double scale; /* features are divided by it, so that the optimum is of order 1 */
} cutting;

static void cutting_free(cutting *c)
{
    fathom_memory_free(c->context, c->b);
    fathom_memory_free(c->context, c->feature);
    fathom_memory_free(c->context, c->q);
    fathom_memory_free(c->context, c->best);
}

/* Adds the direction b (d) with its features. */
static fathom_status add_direction(cutting *c, const double *b)
{
    fathom_status status =
        fathom_memory_grow(c->context, (void **)&c->b, &c->capacity, (c->count + 1) * c->d, sizeof *c->b);
    if (status == FATHOM_OK)
        status = fathom_memory_grow(c->context, (void **)&c->feature, &c->feature_capacity,
                                    (c->count + 1) * c->n, sizeof *c->feature);
    if (status != FATHOM_OK)
        return status;
    double *feature = c->feature + c->count * c->n;
    memcpy(c->b + c->count * c->d, b, (size_t)c->d * sizeof *b);
    for (int64_t i = 0; i < c->n; i++)
        feature[i] = c->points->y[i] * fmax(0, fathom_blas_dot(c->points->x + i * c->d, b, c->d));
    c->count++;
    return FATHOM_OK;
}

/* The linear program min t, -t <= F_q(b_k) <= t over the simplex, features divided by the scale; alpha (count) from its
 * dual. */
static fathom_status solve_program(double *alpha, cutting *c)
{
    const int64_t n = c->n, columns = n + 1, rows = 2 * c->count + 1;
    double *a = fathom_memory_zero(c->context, rows * columns, sizeof *a);
    double *bound = fathom_memory_zero(c->context, 4 * columns + 3 * rows, sizeof *bound);
    fathom_status status = a && bound ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        double *cost = bound, *low = cost + columns, *high = low + columns, *x = high + columns;
        double *row_low = x + columns, *row_high = row_low + rows, *dual = row_high + rows, value;
        bool optimal;
        cost[n] = 1;
        for (int64_t k = 0; k < columns; k++)
            high[k] = INFINITY;
        for (int64_t k = 0; k < 2 * c->count; k++) { /* t -+ F_q(b_k) >= 0 */
            for (int64_t i = 0; i < n; i++)
                a[k * columns + i] = (k % 2 == 0 ? -1 : 1) * c->feature[k / 2 * n + i] / c->scale;
            a[k * columns + n] = 1;
            row_high[k] = INFINITY;
        }
        for (int64_t i = 0; i < n; i++)
            a[(rows - 1) * columns + i] = 1;
        row_low[rows - 1] = row_high[rows - 1] = 1;
        const fathom_lp lp = {rows, columns, a, cost, low, high, row_low, row_high, TOLERANCE};
        status = fathom_lp_solve(&value, x, dual, &optimal, c->context, &lp);
        if (status == FATHOM_OK && !optimal)
            status = fathom_error_set(c->context, FATHOM_ERROR_RUNTIME,
                                      "the linear program of the global margin was not solved");
        for (int64_t i = 0; i < n && status == FATHOM_OK; i++)
            c->q[i] = fmax(0, x[i]);
        for (int64_t k = 0; k < c->count && status == FATHOM_OK; k++)
            alpha[k] = fmax(0, dual[2 * k]) - fmax(0, dual[2 * k + 1]);
    }
    fathom_memory_free(c->context, a);
    fathom_memory_free(c->context, bound);
    return status;
}

/* The least margin of the network alpha, scaled to |alpha|_1 = 1, rounded down. Where it is the best so far, c takes alpha
 * over and the result the margins. */
static void judge_network(cutting *c, double **alpha, double gap)
{
    fathom_margin_result *result = c->run->result;
    double norm = 0, least = INFINITY;
    for (int64_t k = 0; k < c->count; k++)
        norm += fabs((*alpha)[k]);
    if (!(norm > 0))
        return;
    fathom_blas_scale(*alpha, 1 / norm, c->count);
    fathom_blas_gemv(c->margin, c->n, c->count, 1, fathom_transposed(c->feature, c->n), *alpha, 0);
    for (int64_t i = 0; i < c->n; i++)
        least = fmin(least, c->margin[i]);
    /* <b_k, x_i> is off by (d + 2) u |x_i| and |b_k| by as much, sums and the norm by (count + 2) u each */
    least -= 2 * (double)(c->d + 2 * c->count + 8) * DBL_EPSILON * c->points->radius;
    if (!(least > result->view.lower))
        return;
    fathom_margin_narrow(result, least, INFINITY, gap);
    memcpy(result->margin, c->margin, (size_t)c->n * sizeof *c->margin);
    fathom_memory_free(c->context, c->best);
    c->best = *alpha;
    c->used = c->count;
    *alpha = NULL;
}

/* The program's q, normalised, and its network. */
static fathom_status solve_and_judge(cutting *c, double gap)
{
    double *alpha = fathom_memory_alloc(c->context, c->count, sizeof *alpha), sum = 0;
    const fathom_status status = alpha ? solve_program(alpha, c) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        for (int64_t i = 0; i < c->n; i++)
            sum += c->q[i];
        for (int64_t i = 0; i < c->n; i++)
            c->q[i] /= sum;
        judge_network(c, &alpha, gap);
    }
    fathom_memory_free(c->context, alpha);
    return status;
}

/* One round: program, lower bound, prices, upper bound, new directions. *grew: there were new ones. */
static fathom_status round_of_cuts(cutting *c, fathom_flat_search *search, double gap, bool *grew)
{
    fathom_margin_result *result = c->run->result;
    fathom_status status = solve_and_judge(c, gap);
    if (status == FATHOM_OK) {
        /* In two rounds of three, half way to the best q so far: the program's own q jumps from vertex to vertex. */
        for (int64_t i = 0; i < c->n && result->view.iterations % 3 != 0; i++)
            c->q[i] = (c->q[i] + result->q[i]) / 2;
        status = fathom_flat_price(search, c->q);
    }
    if (status == FATHOM_OK) {
        if (search->upper < result->view.upper)
            memcpy(result->q, c->q, (size_t)c->n * sizeof *c->q);
        fathom_margin_narrow(result, 0, search->upper, gap);
        *grew = result->view.iterations % 3 != 0; /* the other rounds may find nothing new */
        for (int64_t k = 0; k < search->found && status == FATHOM_OK; k++)
            if (search->value[k] > result->view.lower * (1 + 1e-12)) {
                status = add_direction(c, search->direction + k * c->d);
                *grew = true;
            }
        c->scale = fmax(result->view.lower, search->upper / 1e3);
    }
    return status;
}

/* Rounds until the interval is narrow enough or nothing is gained: no new directions, or, where prices are only searched
 * for, PATIENCE rounds without a better network. */
static fathom_status make_cuts(cutting *c, fathom_flat_search *search, double gap)
{
    enum { ROUNDS = 500, PATIENCE = 12 };
    fathom_margin_view *view = &c->run->result->view;
    fathom_status status = FATHOM_OK;
    double best = 0;
    int64_t improved = 0;
    bool grew = true;
    for (view->iterations = 1; status == FATHOM_OK && grew && !view->reached && c->count > 0;
         view->iterations++) {
        status = round_of_cuts(c, search, gap, &grew);
        if (view->lower > best * (1 + gap / 10)) {
            best = view->lower;
            improved = view->iterations;
        }
        if (view->iterations > ROUNDS || (!search->all && view->iterations >= improved + PATIENCE) ||
            fathom_context_poll(c->context, "cutting planes", view->iterations, view->upper, view->lower))
            break;
    }
    return status;
}

/* Takes a bound of the problem below over: q its dual point, the upper end its inverse. */
static void take_bound(cutting *c, const fathom_global_bound *bound, double gap)
{
    fathom_margin_result *result = c->run->result;
    double sum = 0;
    if (!(bound->lower > 0) || !((1 + 4 * DBL_EPSILON) / bound->lower < result->view.upper))
        return;
    for (int64_t i = 0; i < c->n; i++)
        sum += result->q[i] = fmax(0, c->points->y[i] * bound->v[i]);
    fathom_blas_scale(result->q, 1 / sum, c->n);
    fathom_margin_narrow(result, 0, (1 + 4 * DBL_EPSILON) / bound->lower, gap);
    result->view.method = bound->method;
}

/* Rounds of effort until the interval is narrow enough or nothing is gained; without a time limit a few. */
static fathom_status improve_bound(cutting *c, fathom_global_bound *bound, double *v, double gap)
{
    enum { FIRST = 2, LAST = 16 };
    fathom_margin_view *view = &c->run->result->view;
    fathom_status status = solve_and_judge(c, gap); /* the program's own q is what branching moves to */
    for (double seconds = FIRST; status == FATHOM_OK && !view->reached; seconds *= 2) {
        const double before = view->upper, lower = view->lower;
        const fathom_global_effort effort = {1 / lower, (1 + gap / 4) * (1 - gap) / lower, seconds, INFINITY};
        for (int64_t i = 0; i < c->n; i++)
            v[i] = c->points->y[i] * c->q[i];
        status = fathom_global_bound_improve(bound, v, &effort);
        take_bound(c, bound, gap);
        if (status == FATHOM_OK && bound->met_price > lower)
            status = add_direction(c, bound->met);
        if (status == FATHOM_OK && bound->met_price > lower)
            status = solve_and_judge(c, gap);
        if (fathom_context_poll(c->context, bound->method, ++view->iterations, view->upper, view->lower) ||
            (bound->exhausted && !(view->upper < before)) ||
            (!fathom_context_has_time_limit(c->context) && seconds >= LAST))
            break;
    }
    return status;
}

/* gamma_gl <= P(v) / sum_i y_i v_i for every v with y_i v_i >= 0 and P >= p(v), by global_bound.h: the joint relaxation with v
 * free, then branching. Its dual bound for the hinge loss with weights so large that no box is met is sum_i y_i v_i / P(v). */
static fathom_status bound_globally(cutting *c, double gap)
{
    const fathom_margin_points *points = c->points;
    const int64_t n = c->n;
    double *v = fathom_memory_alloc(c->context, 3 * n, sizeof *v);
    if (!v)
        return FATHOM_ERROR_MEMORY;
    double *reach = v + n, *weight = v + 2 * n;
    for (int64_t i = 0; i < n; i++) {
        reach[i] = fathom_blas_norm(points->x + i * c->d, c->d) * (1 + (double)(c->d + 4) * DBL_EPSILON);
        weight[i] = 1e3 / c->run->result->view.lower;
    }
    const fathom_gated_problem problem = {.context = c->context,
                                          .n = n,
                                          .d = c->d,
                                          .outputs = 1,
                                          .x = points->x,
                                          .reach = reach,
                                          .loss = FATHOM_LOSS_HINGE,
                                          .y = points->y,
                                          .weight = weight,
                                          .beta = 1};
    fathom_global_bound bound;
    fathom_status status = fathom_global_bound_open(&bound, &problem, NULL);
    if (status == FATHOM_OK)
        status = improve_bound(c, &bound, v, gap);
    fathom_global_bound_close(&bound);
    fathom_memory_free(c->context, v);
    return status;
}

/* gamma_gl <= p(v) / sum_i y_i v_i with the certified price of q itself (price.h); `direction` (d) is where it is attained. */
static fathom_status price_exactly(double *direction, cutting *c, double gap, double *v)
{
    enum { NODES = 100000 };
    fathom_margin_result *result = c->run->result;
    fathom_price_result price;
    double sum = 0;
    for (int64_t i = 0; i < c->n; i++) {
        sum += c->q[i];
        v[i] = c->points->y[i] * c->q[i];
    }
    const fathom_price_problem problem = {
        .context = c->context, .n = c->n, .d = c->d, .outputs = 1, .x = c->points->x, .v = v};
    const fathom_price_options options = {
        .gap = gap / 4, .enough = result->view.lower * (1 + gap / 4), .excess = INFINITY, .nodes = NODES};
    const fathom_status status = fathom_price_bound(&price, direction, &problem, &options);
    const double upper = price.upper / sum * (1 + (double)(c->n + 4) * DBL_EPSILON);
    if (status == FATHOM_OK && upper < result->view.upper) {
        fathom_margin_narrow(result, 0, upper, gap);
        memcpy(result->q, c->q, (size_t)c->n * sizeof *c->q);
        result->view.method = "price";
    }
    return status;
}

/* Cutting planes with certified prices, from the q of the joint relaxation on: where the rank is small enough for them. */
static fathom_status cut_exactly(cutting *c, double gap)
{
    enum { HIGHEST = 7, ROUNDS = 20 };
    fathom_margin_result *result = c->run->result;
    fathom_status status = FATHOM_OK;
    if (c->d > HIGHEST)
        return FATHOM_OK;
    double *v = fathom_memory_alloc(c->context, c->n + c->d, sizeof *v);
    if (!v)
        return FATHOM_ERROR_MEMORY;
    memcpy(c->q, result->q, (size_t)c->n * sizeof *c->q);
    for (int round = 0; round < ROUNDS && status == FATHOM_OK && !result->view.reached; round++) {
        status = price_exactly(v + c->n, c, gap, v);
        if (status == FATHOM_OK)
            status = add_direction(c, v + c->n);
        if (status == FATHOM_OK)
            status = solve_and_judge(c, gap);
        for (int64_t i = 0; i < c->n && status == FATHOM_OK; i++)
            c->q[i] = (c->q[i] + result->q[i]) / 2;
        if (fathom_context_poll(c->context, "certified prices", ++result->view.iterations, result->view.upper,
                                result->view.lower))
            break;
    }
    fathom_memory_free(c->context, v);
    return status;
}

fathom_status fathom_margin_global(fathom_margin_run *run)
{
    const int64_t n = run->points->n, d = run->points->d;
    fathom_margin_view *view = &run->result->view;
    cutting c = {.run = run, .context = run->context, .points = run->points, .n = n, .d = d, .scale = 1};
    fathom_flat_search search;
    fathom_status status = fathom_flat_search_create(&search, run);
    const double gap = fathom_margin_gap(run->options, search.all ? 1e-5 : 1e-2);
    c.q = fathom_memory_alloc(run->context, 2 * n, sizeof *c.q);
    if (status == FATHOM_OK && !c.q)
        status = FATHOM_ERROR_MEMORY;
    view->method = "cuts";
    if (status == FATHOM_OK) {
        c.margin = c.q + n;
        for (int64_t i = 0; i < n; i++)
            c.q[i] = 1 / (double)n;
        status = fathom_flat_price(&search, c.q);
        c.scale = search.upper;
        fathom_margin_narrow(run->result, 0, search.upper, gap);
        memcpy(run->result->q, c.q, (size_t)n * sizeof *c.q);
        for (int64_t k = 0; k < search.found && status == FATHOM_OK; k++)
            status = add_direction(&c, search.direction + k * d);
    }
    if (status == FATHOM_OK)
        status = make_cuts(&c, &search, gap);
    if (status == FATHOM_OK && !view->reached && !search.all && view->lower > 0)
        status = bound_globally(&c, gap);
    if (status == FATHOM_OK && !view->reached && !search.all && view->lower > 0)
        status = cut_exactly(&c, gap);
    if (status == FATHOM_OK && c.best)
        status = fathom_margin_keep_relu(run, c.used, c.b, c.best);
    view->gates = c.count;
    fathom_flat_search_free(&search);
    cutting_free(&c);
    return status;
}
