/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The infinite-width margin by sampling, with a two-sided interval that holds with the asked confidence.
 *
 * For every q in the simplex and every map v into the unit ball, min_i E Z_i(v) <= gamma <= E |S_q| =
 * G(q). A look fixes q and v = S_q / sqrt(|S_q|^2 + mu^2), draws N fresh great circles or antipodal pairs
 * (margin_circle.h), and bounds both sides by the empirical Bernstein inequality [Maurer, Pontil 2009]:
 * for N independent variables of range r and sample variance V,
 *
 *     E X <= mean + sqrt(2 V ln(2/delta) / N) + 7 r ln(2/delta) / (3 (N - 1))     with probability 1 - delta.
 *
 * Variance is cut by what the closed-form kernel knows exactly: |S|^2 has expectation q'Kq and <z_i, S>
 * 1[..] has (K q)_i, so |S| - b |S|^2 and Z_i - b_i Y_i are sampled instead, with slopes b from the look
 * before. Look k may fail with probability 0.85 delta / (k (k + 1)), half for each side (a union over the
 * n points below), a twentieth of delta goes to looks that a limit cuts short (the r-th: 1 / (r (r + 1))
 * of it), and a tenth to L_KL: gamma_V of m independent gates satisfies gamma_V <= mean of m variables
 * |S_{q*}| in [0, R] with expectation gamma, so m kl(gamma_V / R || gamma / R) <= ln(1/delta) bounds gamma
 * below. Each look is twice as large as the last, so peeking is paid for, resumed runs included
 * (margin_state.c); all looks are intersected.
 *
 * Training: q first solves the sampled program of the gates of L_KL; after each look one Newton step for
 * min_q E sqrt(|S_q|^2 + mu^2), whose gradient is E Z, with the look's own averages (they are no longer
 * fresh, the next look's are) and the Hessian over the gates. mu shrinks with the looks. [000, Thm 6.2 and
 * its errata]
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "margin_sampler.h"
#include "memory.h"

static void sampler_free(fathom_sampler *a)
{
    fathom_context *context = a->run->context;
    fathom_margin_work_free(a->work);
    fathom_margin_gates_free(context, &a->gates);
    fathom_circle_sums_free(&a->totals, context);
    FATHOM_FREE(context, a->gain, a->q, a->slope, a->kq, a->gradient, a->hessian, a->sums, a->weight,
                a->kept_block);
}

/* The gates of L_KL and of the Hessian. */
static fathom_status draw(fathom_sampler *a, int64_t count)
{
    fathom_gates *drawn = NULL;
    if (a->full)
        return fathom_full_draw(&a->gates, &a->gain, a->run->context, a->run->data, count);
    fathom_status status = fathom_gates_sample(&drawn, a->run->context, a->run->inner, count);
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(drawn);
        status = fathom_margin_gates_take(&a->gates, a->run->context, &view);
    }
    fathom_gates_free(drawn);
    return status;
}

/* Draws the training gates: as many as a second or so of the interior point allows. */
static fathom_status draw_gates(fathom_sampler *a)
{
    const double share = fmin(20000, fmax(1000, 2e9 / ((double)a->n * (double)a->n)));
    const int64_t asked = a->run->options->samples, count = (int64_t)share;
    a->drawn = asked > 0 && count > asked / 2 ? asked / 2 + 1 : count;
    fathom_status status = FATHOM_OK;
    if (a->run->options->resume)
        status = fathom_sampler_resume_drawn(&a->drawn, a->run);
    FATHOM_THEN(status, draw(a, a->drawn));
    a->problem = (fathom_margin_problem){.n = a->n,
                                         .d = a->d,
                                         .m = a->gates.m,
                                         .words = a->gates.words,
                                         .z = a->run->points->z,
                                         .bits = a->gates.bits,
                                         .rho = a->gates.rho,
                                         .gain = a->gain,
                                         .aim = a->full ? a->gates.orientation : NULL};
    a->run->result->view.samples += a->drawn;
    return status;
}

static fathom_status sampler_create(fathom_sampler *a, fathom_margin_run *run)
{
    const int64_t n = run->points->n, d = run->points->d;
    fathom_context *context = run->context;
    *a = (fathom_sampler){.run = run, .n = n, .d = d, .delta = 1 - run->options->confidence, .count = 512};
    a->full = run->options->kind == FATHOM_MARGIN_NTK_FULL;
    a->dimension = a->full ? d + 1 : d;
    FATHOM_TRY(draw_gates(a));
    FATHOM_TRY(fathom_circle_sums_create(&a->totals, context, n));
    FATHOM_TRY(fathom_margin_work_create(&a->work, context, &a->problem, true));
    a->q = fathom_memory_alloc(context, n, sizeof(double));
    a->slope = fathom_memory_zero(context, n, sizeof(double));
    a->kq = fathom_memory_zero(context, n, sizeof(double));
    a->gradient = fathom_memory_alloc(context, n, sizeof(double));
    a->hessian = fathom_memory_alloc(context, n * n, sizeof(double));
    a->sums = fathom_memory_alloc(context, a->gates.m * a->dimension, sizeof(double));
    a->weight = fathom_memory_alloc(context, 2 * a->gates.m, sizeof(double));
    a->kept_block = fathom_memory_zero(context, 2 * FATHOM_LOOKS_KEPT * n, sizeof(double));
    for (int k = 0; k < FATHOM_LOOKS_KEPT && a->kept_block; k++) {
        a->kept[k].q = a->kept_block + 2 * k * n;
        a->kept[k].slope = a->kept[k].q + n;
    }
    a->plan = (fathom_circle_plan){.points = a->run->points,
                                   .q = a->q,
                                   .slope = a->slope,
                                   .pairs = a->d > FATHOM_CIRCLES_UP_TO,
                                   .table = a->full ? &a->run->table : NULL};
    const bool ok =
        a->q && a->slope && a->kq && a->gradient && a->hessian && a->sums && a->weight && a->kept_block;
    return ok ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* kl(p || g) of two coins. */
static double divergence(double p, double g)
{
    const double heads = p > 0 ? p * log(p / g) : 0, tails = p < 1 ? (1 - p) * log((1 - p) / (1 - g)) : 0;
    return heads + tails;
}

/* The smallest g <= p with count kl(p || g) <= ln(1 / delta), rounded down by bisection from below. */
static double chernoff_lower(double p, double count, double delta)
{
    double low = 0, high = p;
    for (int k = 0; k < 200; k++) {
        const double middle = (low + high) / 2;
        if (middle > 0 && count * divergence(p, middle) <= log(1 / delta))
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Solves the program of the training gates: the first q, the scale, and L_KL with a tenth of delta. */
static fathom_status train(fathom_sampler *a)
{
    const double radius = a->run->points->radius * (a->full ? 2 : 1); /* no vector of a gate is longer */
    const fathom_margin_target target = {1e-5, 1e-9 * radius, a->gates.doubt, 100};
    fathom_margin_pair pair = {.q = a->q, .w = a->sums, .margin = a->run->result->margin};
    FATHOM_TRY(fathom_margin_interior(&pair, a->run->context, &a->problem, &target));
    fathom_margin_view *view = &a->run->result->view;
    view->iterations += pair.iterations;
    a->trained = pair.outcome != FATHOM_MARGIN_STOPPED;
    FATHOM_TRY(fathom_margin_keep_gated(a->run, &a->gates, a->gain, a->sums));
    const double drawn = (double)view->samples;
    const double kl =
        radius * chernoff_lower(fmin(1, pair.lower / radius), drawn, FATHOM_SHARE_TRAINING * a->delta);
    fathom_margin_narrow(a->run->result, kl * (1 - 1e-12), INFINITY, 0);
    a->scale = fmax(pair.upper, view->first_lower);
    a->smoothing = 0.3;
    a->plan.mu = a->smoothing * a->scale;
    return FATHOM_OK;
}

/* q moves to the minimum over the simplex of the quadratic model of E sqrt(|S_q|^2 + mu^2) at q. */
static fathom_status newton(fathom_sampler *a)
{
    const int64_t n = a->n, d = a->dimension, m = a->gates.m;
    double *alpha = a->weight, *beta = a->weight + m;
    fathom_margin_sums(a->sums, &a->problem, a->q, a->work);
    for (int64_t j = 0; j < m; j++) {
        const double *s = a->sums + j * d;
        const double root = sqrt(fathom_blas_dot(s, s, d) + a->plan.mu * a->plan.mu);
        alpha[j] = a->gates.rho[j] / root;
        beta[j] = alpha[j] / (root * root);
    }
    FATHOM_TRY(fathom_margin_normal(a->hessian, &a->problem, alpha, beta, a->sums, a->work));
    double trace = 0;
    for (int64_t i = 0; i < n; i++)
        trace += a->hessian[i * n + i];
    for (int64_t i = 0; i < n; i++)
        a->hessian[i * n + i] += 1e-3 * trace / (double)n; /* a short leash where the gates say little */
    fathom_blas_gemv(a->gradient, n, n, -1, fathom_plain(a->hessian, n), a->q, 1);
    return fathom_margin_quadratic(a->q, a->run->context, n, a->hessian, a->gradient);
}

/* mu of the next look: half of this one's as long as the least margin of the map grows, else twice. A
 * small mu costs little of the margin but lets noise steer the map where S nearly vanishes. */
static void smooth(fathom_sampler *a, double gap)
{
    const double floor_of_mu = fmin(0.1, gap);
    if (a->least >= a->best) {
        a->best = a->least;
        a->smoothing = fmax(floor_of_mu, a->smoothing / 2);
    } else {
        a->smoothing = fmin(0.3, 2 * a->smoothing);
    }
    a->plan.mu = a->smoothing * a->scale;
}

/* What a look leaves behind: a better q, slopes and mu for the next one; no state where a limit may have
 * cut that short. */
static fathom_status learn(fathom_sampler *a, double gap)
{
    fathom_status status = newton(a);
    FATHOM_THEN(status, fathom_sampler_reach(a));
    fathom_sampler_slopes(a, 2 * (double)a->count);
    smooth(a, gap);
    const bool cut = fathom_context_stop_reason(a->run->context) != FATHOM_STOP_NONE;
    return status == FATHOM_OK && !cut ? fathom_sampler_write(a) : status;
}

/* Looks until the interval is narrow enough or a limit is met; without a limit of the user's after about a
 * minute of one processor, counted from where a resumed run starts. */
static fathom_status take_looks(fathom_sampler *a, double gap)
{
    const fathom_margin_options *options = a->run->options;
    const fathom_margin_view *view = &a->run->result->view;
    const double work = (double)a->n * (double)(a->d + 20);
    const double limit =
        options->samples > 0 ? (double)(options->samples - a->drawn) : a->spent + 4e10 / work;
    fathom_status status = FATHOM_OK;
    for (bool whole = true; status == FATHOM_OK && whole && !view->reached && limit - a->spent >= 4;) {
        a->previous = a->count;
        a->count = (int64_t)fmin(2 * (double)a->count, (limit - a->spent) / 2);
        status = fathom_sampler_look(&whole, a, gap);
        if (status != FATHOM_OK || !whole)
            break;
        if (!view->reached || options->checkpoint)
            status = learn(a, gap);
        if (fathom_context_poll(a->run->context, "sampling", a->looks, view->upper, view->lower))
            break;
    }
    return status;
}

/* The map that the next look would have: what a proof draws anew. After a look that reached the gap it is a
 * step away. */
static fathom_status keep_for_proof(fathom_sampler *a, double gap)
{
    fathom_margin_result *result = a->run->result;
    const bool cut = fathom_context_stop_reason(a->run->context) != FATHOM_STOP_NONE;
    if (result->view.reached && a->looks > 0 && !cut)
        FATHOM_TRY(newton(a));
    result->q_drawn = fathom_memory_alloc(a->run->context, a->n, sizeof *result->q_drawn);
    if (!result->q_drawn)
        return FATHOM_ERROR_MEMORY;
    memcpy(result->q_drawn, a->q, (size_t)a->n * sizeof *a->q);
    result->mu = a->plan.mu;
    result->gap = gap;
    result->seed = fathom_context_seed(a->run->context);
    result->drawn = true;
    return FATHOM_OK;
}

fathom_status fathom_margin_sample(fathom_margin_run *run, double gap)
{
    fathom_sampler a;
    fathom_margin_view *view = &run->result->view;
    fathom_status status = sampler_create(&a, run);
    view->method = "sample";
    view->exact = false;
    view->confidence = run->options->confidence;
    bool whole = true;
    FATHOM_THEN(status, train(&a));
    if (status == FATHOM_OK && run->options->resume && a.trained)
        status = fathom_sampler_read(&whole, &a, gap);
    FATHOM_THEN(status, fathom_sampler_reach(&a));
    if (status == FATHOM_OK && whole)
        status = take_looks(&a, gap);
    if (status == FATHOM_OK && !a.full)
        status = keep_for_proof(&a, gap);
    sampler_free(&a);
    return status;
}
