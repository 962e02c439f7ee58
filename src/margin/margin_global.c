/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The global margin: max over sum_k alpha_k relu(<b_k, x>), |alpha|_1 = 1, |b_k| = 1, of the least y_i f(x_i).
 *
 *     gamma_gl = min_{q in simplex} max_{|b| = 1} |F_q(b)|,   F_q(b) = sum_i q_i y_i relu(<b, x_i>)     (linear duality)
 *
 * With free biases f(x) = sum_k alpha_k relu(<b_k, x> + c_k) + c; the constant makes sum_i q_i y_i = 0, without which
 * F_q would not be bounded in the bias.
 *
 * Cutting planes: a linear program over the neurons found so far (margin_cuts.c) gives q and a network, whose least margin is
 * a lower bound; pricing, max_b |F_q(b)|, gives an upper bound and new neurons (margin_price.c): exactly, flat by flat,
 * where flats are few. Otherwise the upper bound is the best of a spectral one, the joint relaxation with q free
 * and branching from there (global_bound.h), and, for d <= 7, certified prices (price.h), whose neurons are cuts again.
 * Both ends account for rounding and only ever improve: whatever fails or stops, the interval so far stands.
 * [003, Assumption 1.1]
 */
#include "margin_global.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "global_bound.h"
#include "memory.h"
#include "price.h"

/* One round: program, lower bound, prices, upper bound, new neurons. *grew: there were new ones. */
static fathom_status round_of_cuts(fathom_margin_cuts *c, fathom_flat_search *search, double gap, bool *grew)
{
    fathom_margin_result *result = c->run->result;
    fathom_status status = fathom_margin_cuts_solve(c, gap);
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
        for (int64_t k = 0; k < search->found && status == FATHOM_OK; k++) {
            bool added = false;
            if (search->value[k] > result->view.lower * (1 + 1e-12))
                status = fathom_margin_cuts_add(c, search->direction + k * c->width, &added);
            *grew |= added;
        }
        c->scale = fmax(result->view.lower, result->view.upper / 1e3);
    }
    return status;
}

/* Rounds until the interval is narrow enough or nothing is gained: no new neurons, or, where prices are only searched
 * for, PATIENCE rounds without a better network. */
static fathom_status make_cuts(fathom_margin_cuts *c, fathom_flat_search *search, fathom_cut_rounds *r,
                               double gap)
{
    enum { ROUNDS = 500, PATIENCE = 12 };
    fathom_margin_view *view = &c->run->result->view;
    fathom_status status = FATHOM_OK;
    for (view->iterations = r->number; status == FATHOM_OK && r->grew && !view->reached && c->count > 0;
         view->iterations++) {
        r->number = view->iterations;
        status = fathom_global_state_write(c, search, r);
        FATHOM_THEN(status, round_of_cuts(c, search, gap, &r->grew));
        if (view->lower > r->best * (1 + gap / 10)) {
            r->best = view->lower;
            r->improved = view->iterations;
        }
        if (view->iterations > ROUNDS || (!search->all && view->iterations >= r->improved + PATIENCE) ||
            fathom_context_poll(c->context, "cutting planes", view->iterations, view->upper, view->lower))
            break;
    }
    return status;
}

/* Takes a bound of the problem below over: q its dual point, the upper end its inverse. */
static void take_bound(fathom_margin_cuts *c, const fathom_global_bound *bound, double gap)
{
    fathom_margin_result *result = c->run->result;
    if (!(bound->lower > 0) || !((1 + 4 * DBL_EPSILON) / bound->lower < result->view.upper))
        return;
    for (int64_t i = 0; i < c->n; i++)
        result->q[i] = fmax(0, c->points->y[i] * bound->v[i]);
    fathom_margin_cuts_balance(result->q, c->points);
    fathom_margin_narrow(result, 0, (1 + 4 * DBL_EPSILON) / bound->lower, gap);
    result->view.method = bound->method;
}

/* Rounds of effort until the interval is narrow enough or nothing is gained; without a time limit a few. */
static fathom_status improve_bound(fathom_margin_cuts *c, fathom_global_bound *bound, double *v, double gap)
{
    enum { FIRST = 2, LAST = 16 };
    fathom_margin_view *view = &c->run->result->view;
    fathom_status status =
        fathom_margin_cuts_solve(c, gap); /* the program's own q is what branching moves to */
    for (double seconds = FIRST; status == FATHOM_OK && !view->reached; seconds *= 2) {
        const double before = view->upper, lower = view->lower;
        const fathom_global_effort effort = {1 / lower, (1 + gap / 4) * (1 - gap) / lower, seconds, INFINITY};
        for (int64_t i = 0; i < c->n; i++)
            v[i] = c->points->y[i] * c->q[i];
        status = fathom_global_bound_improve(bound, v, &effort);
        take_bound(c, bound, gap);
        if (status == FATHOM_OK && bound->met_price > lower)
            status = fathom_margin_cuts_add(c, bound->met, NULL);
        if (status == FATHOM_OK && bound->met_price > lower)
            status = fathom_margin_cuts_solve(c, gap);
        if (fathom_context_poll(c->context, bound->method, ++view->iterations, view->upper, view->lower) ||
            (bound->exhausted && !(view->upper < before)) ||
            (!fathom_context_has_time_limit(c->context) && seconds >= LAST))
            break;
    }
    return status;
}

/* gamma_gl <= P(v) / sum_i y_i v_i for every v with y_i v_i >= 0 and P >= p(v), by global_bound.h: the joint relaxation with v
 * free, then branching. Its dual bound for the hinge loss with weights so large that no box is met is sum_i y_i v_i / P(v). */
static fathom_status bound_globally(fathom_margin_cuts *c, double gap)
{
    const fathom_margin_points *points = c->points;
    const int64_t n = c->n;
    double *v = fathom_memory_alloc(c->context, 3 * n, sizeof *v);
    if (!v)
        return FATHOM_ERROR_MEMORY;
    double *reach = v + n, *weight = v + 2 * n;
    for (int64_t i = 0; i < n; i++) {
        reach[i] = fathom_blas_norm_up(points->x + i * c->d, c->d, 4);
        weight[i] = 1e3 / c->run->result->view.lower;
    }
    const fathom_objective problem = {.context = c->context,
                                      .n = n,
                                      .d = c->d,
                                      .outputs = 1,
                                      .x = points->x,
                                      .reach = reach,
                                      .loss = FATHOM_LOSS_HINGE,
                                      .y = points->y,
                                      .weight = weight,
                                      .beta = 1,
                                      .constant = points->bias};
    fathom_global_bound bound;
    fathom_status status = fathom_global_bound_open(&bound, &problem, NULL);
    FATHOM_THEN(status, improve_bound(c, &bound, v, gap));
    fathom_global_bound_close(&bound);
    fathom_memory_free(c->context, v);
    return status;
}

/* gamma_gl <= p(v) / sum_i y_i v_i with the certified price of q itself (price.h); `direction` (width) is where it is attained. */
static fathom_status price_exactly(double *direction, fathom_margin_cuts *c, double gap, double *v)
{
    enum { NODES = 100000 };
    fathom_margin_result *result = c->run->result;
    fathom_price_result price;
    double sum = 0;
    for (int64_t i = 0; i < c->n; i++) {
        sum += c->q[i];
        v[i] = c->points->y[i] * c->q[i];
    }
    const fathom_price_problem problem = {.context = c->context,
                                          .n = c->n,
                                          .d = c->d,
                                          .outputs = 1,
                                          .x = c->points->x,
                                          .v = v,
                                          .bias = c->points->bias};
    const fathom_price_options options = {
        .gap = gap / 4, .enough = result->view.lower * (1 + gap / 4), .excess = INFINITY, .nodes = NODES};
    const fathom_status status = fathom_price_bound(&price, direction, &problem, &options);
    /* with free biases q is balanced to n u, and a neuron is worth 2 R per unit of it */
    const double skew = c->points->bias ? 4 * (double)(c->n + 4) * DBL_EPSILON * c->points->radius : 0;
    const double upper = (price.upper + skew) / sum * (1 + (double)(c->n + 4) * DBL_EPSILON);
    if (status == FATHOM_OK && upper < result->view.upper) {
        fathom_margin_narrow(result, 0, upper, gap);
        memcpy(result->q, c->q, (size_t)c->n * sizeof *c->q);
        result->view.method = "price";
    }
    return status;
}

/* Cutting planes with certified prices, from the q of the joint relaxation on: where the rank is small enough for them. */
static fathom_status cut_exactly(fathom_margin_cuts *c, double gap)
{
    enum { HIGHEST = 7, ROUNDS = 20 };
    fathom_margin_result *result = c->run->result;
    fathom_status status = FATHOM_OK;
    if (c->d > HIGHEST)
        return FATHOM_OK;
    double *v = fathom_memory_alloc(c->context, c->n + c->width, sizeof *v);
    if (!v)
        return FATHOM_ERROR_MEMORY;
    memcpy(c->q, result->q, (size_t)c->n * sizeof *c->q);
    for (int round = 0; round < ROUNDS && status == FATHOM_OK && !result->view.reached; round++) {
        status = price_exactly(v + c->n, c, gap, v);
        FATHOM_THEN(status, fathom_margin_cuts_add(c, v + c->n, NULL));
        FATHOM_THEN(status, fathom_margin_cuts_solve(c, gap));
        for (int64_t i = 0; i < c->n && status == FATHOM_OK; i++)
            c->q[i] = (c->q[i] + result->q[i]) / 2;
        if (fathom_context_poll(c->context, "certified prices", ++result->view.iterations, result->view.upper,
                                result->view.lower))
            break;
    }
    fathom_memory_free(c->context, v);
    return status;
}

/* The first q: uniform, or uniform on each label. */
static fathom_status start(fathom_margin_cuts *c, fathom_flat_search *search, double gap)
{
    fathom_margin_result *result = c->run->result;
    FATHOM_TRY(fathom_flat_price(search, c->q));
    fathom_status status = FATHOM_OK;
    memcpy(result->q, c->q, (size_t)c->n * sizeof *c->q);
    fathom_margin_narrow(result, 0, search->upper, gap);
    c->scale = result->view.upper;
    for (int64_t k = 0; k < search->found && status == FATHOM_OK; k++)
        status = fathom_margin_cuts_add(c, search->direction + k * c->width, NULL);
    return status;
}

fathom_status fathom_margin_global(fathom_margin_run *run)
{
    fathom_margin_view *view = &run->result->view;
    fathom_margin_cuts c = {0};
    fathom_cut_rounds rounds = {.number = 1, .grew = true};
    fathom_flat_search search;
    fathom_status status = fathom_flat_search_create(&search, run);
    const double gap = fathom_margin_gap(run->options, search.all ? 1e-5 : 1e-2);
    view->method = "cuts";
    FATHOM_THEN(status, fathom_margin_cuts_create(&c, run));
    FATHOM_THEN(status, run->options->resume ? fathom_global_state_read(&c, &search, &rounds, gap)
                                             : start(&c, &search, gap));
    FATHOM_THEN(status, make_cuts(&c, &search, &rounds, gap));
    if (status == FATHOM_OK && !view->reached && !search.all && view->lower > 0)
        status = bound_globally(&c, gap);
    if (status == FATHOM_OK && !view->reached && !search.all && view->lower > 0)
        status = cut_exactly(&c, gap);
    if (status == FATHOM_OK && c.best)
        status = fathom_margin_keep_relu(run, &c);
    view->gates = c.count;
    fathom_flat_search_free(&search);
    if (c.context)
        fathom_margin_cuts_free(&c);
    return status;
}
