/* SPDX-License-Identifier: Apache-2.0 */
/* One look of a sampled margin: both bounds from fresh averages, and the slopes of the next one. See
 * margin_sample.c. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "margin_sampler.h"
#include "memory.h"

/* mean and half width of the empirical Bernstein interval, one side, from sums over N variables of a given
 * range. */
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

/* A bound on |S_q(z)| for all z: for |u| = 1, <u, S> <= sum_i q_i max(0, <u, z_i>) = (<u, T> + sum_i q_i
 * |<u, z_i>|) / 2 with T = sum_i q_i z_i, and by Cauchy-Schwarz the last sum is at most
 * sqrt(lambda_max(sum_i q_i z_i z_i') sum_i q_i). */
fathom_status fathom_sampler_reach(fathom_sampler *a)
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

/* Largest less smallest value of s - b s^2 on [0, reach]; for both layers of s g(c) - b (rr c^2 + aa) s^2,
 * which lies between the parabolas with g(0) <= g <= g(1) and the ends of the other factor. */
static double value_range(const fathom_sampler *a, double b)
{
    const fathom_full_table *t = &a->run->table;
    const double s = a->reach, slack = 1 + 1e-9;
    const double rise = a->full ? t->whole * slack : 1, bend = b * (a->full ? t->aa * (1 - 1e-9) : 1);
    const double top =
        bend > 0 && 0.5 * rise / bend < s ? 0.25 * rise * rise / bend : rise * s - bend * s * s;
    const double end = (a->full ? 0 : s) - b * (a->full ? (t->rr + t->aa) * slack : 1) * s * s;
    return fmax(top, 0) - fmin(end, 0);
}

/* The same for Z_i - b Y_i = <z_i, S> (1 / sqrt(|S|^2 + mu^2) - b), of either sign. Both layers: with xi =
 * (<v,S>, a S), |xi| <= 2 |S|, it is E <xi, grad_i> (k / |xi| - b), 0 <= k <= 1, |grad_i| <= |w||x_i|, E
 * |w| 1[..] = g(1). */
static double map_range(const fathom_sampler *a, double b)
{
    if (a->full)
        return 2 * a->run->points->radius * a->run->table.whole * (1 + 1e-9) * fmax(1, 2 * b * a->reach);
    const double end = b * a->reach - a->reach / sqrt(a->reach * a->reach + a->plan.mu * a->plan.mu);
    return 2 * a->run->points->radius * fmax(1, end);
}

/* G(q) from above. */
static double look_above(fathom_sampler *a, double delta, double *asymptotic)
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
static double look_below(fathom_sampler *a, double delta, double *asymptotic)
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

/* Among fractions of the least-squares slope, the one with the shortest half width expected at `count`
 * circles: a steep slope lowers the variance but widens the range. */
static double choose_slope(double xx, double xy, double yy, double count, double level,
                           double (*range)(const fathom_sampler *, double), const fathom_sampler *a)
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
void fathom_sampler_slopes(fathom_sampler *a, double count)
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

/* Bounds both sides from the sums at hand, each failing with probability delta / 2 at most. */
static void narrow(fathom_sampler *a, double delta, double gap)
{
    fathom_margin_view *view = &a->run->result->view;
    double below, above;
    fathom_blas_gemv(a->kq, a->n, a->n, 1, fathom_plain(a->run->kernel.k, a->n), a->q, 0);
    const double upper = look_above(a, delta / 2, &above), lower = look_below(a, delta / 2, &below);
    view->samples += 2 * a->totals.count;
    view->asymptotic_lower = below;
    view->asymptotic_upper = above;
    if (upper < view->upper)
        memcpy(a->run->result->q, a->q, (size_t)a->n * sizeof(double));
    fathom_margin_narrow(a->run->result, lower, upper, gap);
}

/* What look `number` may fail with. */
static double share(const fathom_sampler *a, int64_t number)
{
    return FATHOM_SHARE_LOOKS * a->delta / ((double)number * (double)(number + 1));
}

static fathom_status draw_look(bool *whole, fathom_sampler *a, int64_t number, int64_t count)
{
    a->plan.phase = (uint32_t)number;
    fathom_circle_sums_clear(&a->totals, a->n);
    const fathom_status status = fathom_circle_sample(&a->totals, a->run->context, &a->plan, 0, count);
    *whole = a->totals.count == count;
    return status;
}

/* Keeps the look at hand as the one that an end came from, or the last. */
static void keep_look(fathom_sampler *a, int which)
{
    fathom_look *look = a->kept + which;
    look->number = a->looks;
    look->count = a->count;
    look->mu = a->plan.mu;
    look->value_slope = a->plan.value_slope;
    memcpy(look->q, a->q, (size_t)a->n * sizeof *look->q);
    memcpy(look->slope, a->slope, (size_t)a->n * sizeof *look->slope);
}

fathom_status fathom_sampler_repeat(bool *whole, fathom_sampler *a, const fathom_look *look, double gap)
{
    const int64_t samples = a->run->result->view.samples;
    a->plan.mu = look->mu;
    a->plan.value_slope = look->value_slope;
    memcpy(a->q, look->q, (size_t)a->n * sizeof *look->q);
    memcpy(a->slope, look->slope, (size_t)a->n * sizeof *look->slope);
    fathom_status status = fathom_sampler_reach(a);
    FATHOM_THEN(status, draw_look(whole, a, look->number, look->count));
    if (status == FATHOM_OK && *whole)
        narrow(a, share(a, look->number), gap);
    a->run->result->view.samples = samples;
    return status;
}

fathom_status fathom_sampler_look(bool *whole, fathom_sampler *a, double gap)
{
    const fathom_margin_view *view = &a->run->result->view;
    const double lower = view->lower, upper = view->upper;
    const int64_t number = a->looks + 1;
    FATHOM_TRY(draw_look(whole, a, number, a->count));
    if (*whole) {
        a->looks = number;
        a->spent += 2 * (double)a->count;
        narrow(a, share(a, number), gap);
        if (view->lower > lower)
            keep_look(a, FATHOM_LOOK_LOWER);
        if (view->upper < upper)
            keep_look(a, FATHOM_LOOK_UPPER);
        keep_look(a, FATHOM_LOOK_LAST);
        return FATHOM_OK;
    }
    /* What is printed now must not spend what the whole look will: it has a share of its own, for every
     * interruption. */
    const double cut = (double)++a->interruptions;
    a->count = a->previous;
    FATHOM_TRY(fathom_sampler_write(a));
    if (a->totals.count >= 2)
        narrow(a, FATHOM_SHARE_CUT * a->delta / (cut * (cut + 1)), gap);
    return FATHOM_OK;
}
