/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The infinite-width margin by sampling, with a two-sided interval that holds with the asked confidence.
 *
 * For every q in the simplex and every map v into the unit ball, min_i E Z_i(v) <= gamma <= E |S_q| = G(q). A look fixes
 * q and v = S_q / sqrt(|S_q|^2 + mu^2), draws N fresh great circles or antipodal pairs (margin_circle.h), and bounds both sides by the
 * empirical Bernstein inequality [Maurer, Pontil 2009]: for N independent variables of range r and sample variance V,
 *
 *     E X <= mean + sqrt(2 V ln(2/delta) / N) + 7 r ln(2/delta) / (3 (N - 1))     with probability 1 - delta.
 *
 * Variance is cut by what the closed-form kernel knows exactly: |S|^2 has expectation q'Kq and <z_i, S> 1[..] has (K q)_i,
 * so |S| - b |S|^2 and Z_i - b_i Y_i are sampled instead, with slopes b from the look before. Look k may fail with
 * probability 0.9 delta / (k (k + 1)), half for each side (a union over the n points below); the rest is spent on
 * L_KL: gamma_V of m independent gates satisfies gamma_V <= mean of m variables |S_{q*}| in [0, R] with expectation gamma, so
 * m kl(gamma_V / R || gamma / R) <= ln(1/delta) bounds gamma below. Each look is twice as large as the last, so peeking
 * is paid for; all looks are intersected.
 *
 * Training: q first solves the sampled program of the gates of L_KL; after each look one Newton step for
 * min_q E sqrt(|S_q|^2 + mu^2), whose gradient is E Z, with the look's own averages (they are no longer fresh, the next
 * look's are) and the Hessian over the gates. mu shrinks with the looks. [000, Thm 6.2 and its errata]
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "margin_circle.h"
#include "margin_result.h"
#include "memory.h"

typedef struct sampler {
    fathom_margin_run *run;
    int64_t n, d;
    bool full;                 /* both layers */
    double delta;              /* total probability of failure */
    fathom_margin_gates gates; /* training */
    fathom_margin_problem problem;
    fathom_margin_work *work;
    double *q, *slope, *kq, *gradient; /* n */
    double *hessian;                   /* n x n */
    double *sums, *weight;             /* m x d; 2 m */
    double *gain;                      /* both layers: a_j of the gates, whose orientations are the v_j */
    int64_t dimension;                 /* d, or d + 1 for both layers */
    fathom_circle_plan plan;
    fathom_circle_sums totals;
    double scale;       /* about gamma: sets mu and the first slopes */
    double smoothing;   /* mu / scale */
    double reach;       /* no S_q(z) is longer */
    double least, best; /* least estimated margin of the map: of this look, of all looks */
} sampler;

static void sampler_free(sampler *a)
{
    fathom_context *context = a->run->context;
    fathom_margin_work_free(a->work);
    fathom_margin_gates_free(context, &a->gates);
    fathom_circle_sums_free(&a->totals, context);
    fathom_memory_free(context, a->gain);
    fathom_memory_free(context, a->q);
    fathom_memory_free(context, a->slope);
    fathom_memory_free(context, a->kq);
    fathom_memory_free(context, a->gradient);
    fathom_memory_free(context, a->hessian);
    fathom_memory_free(context, a->sums);
    fathom_memory_free(context, a->weight);
}

/* The gates of L_KL and of the Hessian. */
static fathom_status draw(sampler *a, int64_t count)
{
    fathom_gates *drawn = NULL;
    if (a->full)
        return fathom_full_draw(&a->gates, &a->gain, a->run->context, a->run->data, count);
    fathom_status status = fathom_gates_sample(&drawn, a->run->context, a->run->data, count);
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(drawn);
        status = fathom_margin_gates_take(&a->gates, a->run->context, &view);
    }
    fathom_gates_free(drawn);
    return status;
}

/* Draws the training gates: as many as a second or so of the interior point allows. */
static fathom_status draw_gates(sampler *a)
{
    const double share = fmin(20000, fmax(1000, 2e9 / ((double)a->n * (double)a->n)));
    const int64_t asked = a->run->options->samples, count = (int64_t)share;
    const int64_t drawn = asked > 0 && count > asked / 2 ? asked / 2 + 1 : count;
    const fathom_status status = draw(a, drawn);
    a->problem = (fathom_margin_problem){.n = a->n,
                                         .d = a->d,
                                         .m = a->gates.m,
                                         .words = a->gates.words,
                                         .z = a->run->points->z,
                                         .bits = a->gates.bits,
                                         .rho = a->gates.rho,
                                         .gain = a->gain,
                                         .aim = a->full ? a->gates.orientation : NULL};
    a->run->result->view.samples += drawn;
    return status;
}

static fathom_status sampler_create(sampler *a, fathom_margin_run *run)
{
    const int64_t n = run->points->n, d = run->points->d;
    fathom_context *context = run->context;
    *a = (sampler){.run = run, .n = n, .d = d, .delta = 1 - run->options->confidence};
    a->full = run->options->kind == FATHOM_MARGIN_NTK_FULL;
    a->dimension = a->full ? d + 1 : d;
    fathom_status status = draw_gates(a);
    if (status == FATHOM_OK)
        status = fathom_circle_sums_create(&a->totals, context, n);
    if (status == FATHOM_OK)
        status = fathom_margin_work_create(&a->work, context, &a->problem, true);
    if (status != FATHOM_OK)
        return status;
    a->q = fathom_memory_alloc(context, n, sizeof(double));
    a->slope = fathom_memory_alloc(context, n, sizeof(double));
    a->kq = fathom_memory_zero(context, n, sizeof(double));
    a->gradient = fathom_memory_alloc(context, n, sizeof(double));
    a->hessian = fathom_memory_alloc(context, n * n, sizeof(double));
    a->sums = fathom_memory_alloc(context, a->gates.m * a->dimension, sizeof(double));
    a->weight = fathom_memory_alloc(context, 2 * a->gates.m, sizeof(double));
    const bool ok = a->q && a->slope && a->kq && a->gradient && a->hessian && a->sums && a->weight;
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
static fathom_status train(sampler *a)
{
    const double radius = a->run->points->radius * (a->full ? 2 : 1); /* no vector of a gate is longer */
    const fathom_margin_target target = {1e-5, 1e-9 * radius, a->gates.doubt, 100};
    fathom_margin_pair pair = {.q = a->q, .w = a->sums, .margin = a->run->result->margin};
    fathom_status status = fathom_margin_interior(&pair, a->run->context, &a->problem, &target);
    if (status != FATHOM_OK)
        return status;
    fathom_margin_view *view = &a->run->result->view;
    view->iterations += pair.iterations;
    status = fathom_margin_keep_gated(a->run->result, &a->gates, a->gain, a->sums);
    if (status != FATHOM_OK)
        return status;
    const double drawn = (double)view->samples;
    const double kl = radius * chernoff_lower(fmin(1, pair.lower / radius), drawn, 0.1 * a->delta);
    fathom_margin_narrow(a->run->result, kl * (1 - 1e-12), INFINITY, 0);
    a->scale = fmax(pair.upper, view->first_lower);
    a->smoothing = 0.3;
    a->plan = (fathom_circle_plan){.points = a->run->points,
                                   .q = a->q,
                                   .mu = a->smoothing * a->scale,
                                   .slope = a->slope,
                                   .pairs = a->d > FATHOM_CIRCLES_UP_TO,
                                   .table = a->full ? &a->run->table : NULL};
    for (int64_t i = 0; i < a->n; i++)
        a->slope[i] = 0;
    return FATHOM_OK;
}

/* mean and half width of the empirical Bernstein interval, one side, from sums over N variables of a given range. */
static double bernstein(double *mean, double sum, double square, double n, double range, double delta)
{
    const double level = log(2 / delta);
    *mean = sum / n;
    const double variance = fmax(0, (square - sum * *mean) / (n - 1)) + 1e-15 * *mean * *mean;
    return sqrt(2 * variance * level / n) + 7 * range * level / (3 * (n - 1));
}

/* The quantile of the standard normal distribution above which a share `tail` < 1/2 lies. */
static double normal_quantile(double tail)
{
    double low = 0, high = 40;
    for (int k = 0; k < 100; k++) {
        const double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) / 2 > tail)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* A bound on |S_q(z)| for all z: for |u| = 1, <u, S> <= sum_i q_i max(0, <u, z_i>) = (<u, T> + sum_i q_i |<u, z_i>|) / 2 with
 * T = sum_i q_i z_i, and by Cauchy-Schwarz the last sum is at most sqrt(lambda_max(sum_i q_i z_i z_i') sum_i q_i). */
static fathom_status find_reach(sampler *a)
{
    enum { MOST = 256 }; /* columns up to which the eigenvalue is worth its price */
    const int64_t n = a->n, d = a->d;
    const double *z = a->run->points->z;
    a->reach = fathom_margin_mass(a->run->points, a->q);
    if (d > MOST)
        return FATHOM_OK;
    double *moment = fathom_memory_zero(a->run->context, d * d + 2 * d, sizeof *moment);
    if (!moment)
        return FATHOM_ERROR_MEMORY;
    double *total = moment + d * d, *value = total + d;
    for (int64_t i = 0; i < n; i++) {
        fathom_blas_ger(moment, d, d, d, a->q[i], z + i * d, z + i * d);
        fathom_blas_axpy(total, a->q[i], z + i * d, d);
    }
    const fathom_status status = fathom_blas_eigen(value, moment, d, d, false, a->run->context);
    const double slack = 1 + 1e-10 * (double)(n + d);
    if (status == FATHOM_OK)
        a->reach = fmin(a->reach, (fathom_blas_norm(total, d) + sqrt(value[d - 1])) / 2 * slack);
    fathom_memory_free(a->run->context, moment);
    return status;
}

/* Largest less smallest value of s - b s^2 on [0, reach]; for both layers of s g(c) - b (rr c^2 + aa) s^2, which lies
 * between the parabolas with g(0) <= g <= g(1) and the ends of the other factor. */
static double value_range(const sampler *a, double b)
{
    const fathom_full_table *t = &a->run->table;
    const double s = a->reach, slack = 1 + 1e-9;
    const double rise = a->full ? t->whole * slack : 1, bend = b * (a->full ? t->aa * (1 - 1e-9) : 1);
    const double top =
        bend > 0 && 0.5 * rise / bend < s ? 0.25 * rise * rise / bend : rise * s - bend * s * s;
    const double end = (a->full ? 0 : s) - b * (a->full ? (t->rr + t->aa) * slack : 1) * s * s;
    return fmax(top, 0) - fmin(end, 0);
}

/* The same for Z_i - b Y_i = <z_i, S> (1 / sqrt(|S|^2 + mu^2) - b), of either sign. Both layers: with xi = (<v,S>, a S),
 * |xi| <= 2 |S|, it is E <xi, grad_i> (k / |xi| - b), 0 <= k <= 1, |grad_i| <= |w||x_i|, E |w| 1[..] = g(1). */
static double map_range(const sampler *a, double b)
{
    if (a->full)
        return 2 * a->run->points->radius * a->run->table.whole * (1 + 1e-9) * fmax(1, 2 * b * a->reach);
    const double end = b * a->reach - a->reach / sqrt(a->reach * a->reach + a->plan.mu * a->plan.mu);
    return 2 * a->run->points->radius * fmax(1, end);
}

/* G(q) from above. */
static double look_above(sampler *a, double delta, double *asymptotic)
{
    const double n = (double)a->totals.count, mass = fathom_margin_mass(a->run->points, a->q);
    const double b = a->plan.value_slope, error = a->run->kernel.error;
    double mean;
    const double square = fathom_blas_dot(a->q, a->kq, a->n) + error * mass * mass;
    const double half =
        bernstein(&mean, a->totals.value, a->totals.value_square, n, value_range(a, b), delta);
    const double variance = fmax(0, a->totals.value_square / n - mean * mean);
    *asymptotic = mean + b * square + normal_quantile(a->delta / 2) * sqrt(variance / n);
    return (mean + half + b * square) * (1 + 1e-12) + (1e-13 + a->run->table.error) * mass;
}

/* min_i E Z_i from below; gradient receives the estimates of E Z_i. */
static double look_below(sampler *a, double delta, double *asymptotic)
{
    const fathom_margin_points *points = a->run->points;
    const double n = (double)a->totals.count, mass = fathom_margin_mass(points, a->q);
    const double error = a->run->kernel.error * points->radius * mass;
    const double quantile = normal_quantile(a->delta / 2 / (double)a->n);
    double least = INFINITY;
    *asymptotic = a->least = INFINITY;
    for (int64_t i = 0; i < a->n; i++) {
        const double b = a->slope[i];
        const double range = map_range(a, b);
        double mean;
        const double half =
            bernstein(&mean, a->totals.z[i], a->totals.z_square[i], n, range, delta / (double)a->n);
        const double variance = fmax(0, a->totals.z_square[i] / n - mean * mean);
        a->gradient[i] = mean + b * a->kq[i];
        a->least = fmin(a->least, a->gradient[i]);
        least = fmin(least, a->gradient[i] - half - b * error);
        *asymptotic = fmin(*asymptotic, a->gradient[i] - quantile * sqrt(variance / n));
    }
    return least - 1e-12 * fabs(least) - 1e-13 * mass - a->run->table.error * points->radius;
}

/* Among fractions of the least-squares slope, the one with the shortest half width expected at `count` circles: a steep
 * slope lowers the variance but widens the range. */
static double choose_slope(double xx, double xy, double yy, double count, double level,
                           double (*range)(const sampler *, double), const sampler *a)
{
    const double best = yy > 0 ? fmin(4 / a->scale, fmax(0, xy / yy)) : 0;
    double chosen = 0, least = INFINITY;
    for (int k = 0; k <= 8; k++) {
        const double b = best * k / 8;
        const double variance = fmax(0, xx - 2 * b * xy + b * b * yy);
        const double half = sqrt(2 * variance * level / count) + 7 * range(a, b) * level / (3 * count);
        if (half < least) {
            least = half;
            chosen = b;
        }
    }
    return chosen;
}

/* Slopes for the next look, at `count` circles, from the moments of this one. */
static void update_slopes(sampler *a, double count)
{
    const fathom_circle_sums *t = &a->totals;
    const double n = (double)t->count, level = log(200 / a->delta);
    a->plan.value_slope =
        choose_slope(t->s_s / n - t->s * t->s / (n * n), t->s_ss / n - t->s * t->ss / (n * n),
                     t->ss_ss / n - t->ss * t->ss / (n * n), count, level, value_range, a);
    for (int64_t i = 0; i < a->n; i++)
        a->slope[i] = choose_slope(t->zz[i] / n - t->plain[i] * t->plain[i] / (n * n),
                                   t->zy[i] / n - t->plain[i] * t->y[i] / (n * n),
                                   t->yy[i] / n - t->y[i] * t->y[i] / (n * n), count,
                                   level + log((double)a->n), map_range, a);
}

/* q moves to the minimum over the simplex of the quadratic model of E sqrt(|S_q|^2 + mu^2) at q. */
static fathom_status newton(sampler *a)
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
    fathom_margin_normal(a->hessian, &a->problem, alpha, beta, a->sums, a->work);
    double trace = 0;
    for (int64_t i = 0; i < n; i++)
        trace += a->hessian[i * n + i];
    for (int64_t i = 0; i < n; i++)
        a->hessian[i * n + i] += 1e-3 * trace / (double)n; /* a short leash where the gates say little */
    fathom_blas_gemv(a->gradient, n, n, -1, fathom_plain(a->hessian, n), a->q, 1);
    return fathom_margin_quadratic(a->q, a->run->context, n, a->hessian, a->gradient);
}

/* mu of the next look: half of this one's as long as the least margin of the map grows, else twice. A small mu costs little
 * of the margin but lets noise steer the map where S nearly vanishes. */
static void smooth(sampler *a, double gap)
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

/* One look at `count` fresh circles with a share of delta; narrows the result's interval. */
static fathom_status look(sampler *a, int64_t number, int64_t count, double gap)
{
    fathom_margin_view *view = &a->run->result->view;
    const double delta = 0.9 * a->delta / ((double)number * (double)(number + 1)) / 2;
    double below, above;
    a->plan.phase = (uint32_t)number;
    fathom_circle_sums_clear(&a->totals, a->n);
    const fathom_status status = fathom_circle_sample(&a->totals, a->run->context, &a->plan, 0, count);
    if (status != FATHOM_OK || a->totals.count < 2)
        return status;
    view->samples += 2 * a->totals.count;
    fathom_blas_gemv(a->kq, a->n, a->n, 1, fathom_plain(a->run->kernel.k, a->n), a->q, 0);
    const double upper = look_above(a, delta, &above), lower = look_below(a, delta, &below);
    view->asymptotic_lower = below;
    view->asymptotic_upper = above;
    if (upper < view->upper)
        memcpy(a->run->result->q, a->q, (size_t)a->n * sizeof(double));
    fathom_margin_narrow(a->run->result, lower, upper, gap);
    return FATHOM_OK;
}

fathom_status fathom_margin_sample(fathom_margin_run *run, double gap)
{
    sampler a;
    fathom_margin_view *view = &run->result->view;
    fathom_status status = sampler_create(&a, run);
    view->method = "sample";
    view->exact = false;
    view->confidence = run->options->confidence;
    if (status == FATHOM_OK)
        status = train(&a);
    if (status == FATHOM_OK)
        status = find_reach(&a);
    /* Without a limit of the user's: about a minute of one processor. */
    const double work = (double)a.n * (double)(a.d + 20);
    double left =
        run->options->samples > 0 ? (double)run->options->samples - (double)view->samples : 4e10 / work;
    int64_t count = 512;
    for (int64_t number = 1; status == FATHOM_OK && !view->reached && left >= 4; number++) {
        count = (int64_t)fmin(2 * (double)count, left / 2);
        status = look(&a, number, count, gap);
        left -= 2 * (double)count;
        if (status != FATHOM_OK || view->reached ||
            fathom_context_poll(run->context, "sampling", number, view->upper, view->lower))
            break;
        status = newton(&a);
        if (status == FATHOM_OK)
            status = find_reach(&a);
        update_slopes(&a, 2 * (double)count);
        smooth(&a, gap);
    }
    sampler_free(&a);
    return status;
}
