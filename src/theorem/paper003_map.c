/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [003, Lemma A.3]: a map theta of the initial weights with margin gamma = min_i E <theta(w), dp_i(w)> > 0
 * gives, at every W' near the start W, a direction along which all margins grow. thetabar_j =
 * theta(w_j)/sqrt m, l = ln(n/delta), R = |W' - W|:
 *
 *   1  min_i <thetabar, dp_i(W)> >= gamma sqrt m - sqrt(32 l)
 *   2  <r_t thetabar + r_w W, dp_i(W')> - r_w p_i(W') >= r_t (gamma sqrt m - sqrt(32 l) - 4R - 4) - r_w (4l + 4R + R^2), |a| <= 2,
 *      |V| <= 2 sqrt m; >= gamma r_t sqrt(m)/2 - 160 r_t^2 where r_t = R/8, r_w = 1, R >= 8, m >= (64 l/gamma)^2.
 *
 * It is right for maps of the output layer, theta = (abar(v), 0) where |(a, v)| < 2: E abar y_i relu(<v,
 * x_i>) counts sqrt m times. Where a = N_m/sqrt m, a map of the hidden layer gains |a| <= 2 in all and
 * nothing times sqrt m (docs/reference/theorems.md). abar is the mean of sgn(sum_i q_i y_i relu(<v, x_i>)) over the
 * q of multiplicative weights on drawn v: whatever it is, its margin is measured on fresh draws.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "random.h"
#include "theorem_internal.h"

static const double sure = 0.005; /* each end of an interval is wrong with this probability */
static const double sliding =
    1e-12; /* |<v, x>| / (|v| |x|) of a neuron that a flow holds on a kink, at most */

/* abar: the mean over ROUNDS of the signs of sum_i q_i y_i relu(<v, x_i>), 0 where |(a, v)| >= 2. */
enum { ROUNDS = 48, TRAIN = 1024, FRESH = 20000, TILE = 500 };
typedef struct output_map {
    const theorem_run *run;
    double *q; /* ROUNDS x n, with the labels */
    double *z; /* n: workspace */
} output_map;

/* y_i relu(<v, x_i>) for all i into z. */
static void feature(double *z, const theorem_run *run, const double *v)
{
    for (int64_t i = 0; i < run->n; i++)
        z[i] = run->y[i] * fmax(0, fathom_blas_dot(run->x + i * run->d, v, run->d));
}

/* abar at the neuron whose features are in map->z. */
static double value_of(const output_map *map, int rounds, double a, const double *v)
{
    const int64_t n = map->run->n;
    double sum = 0;
    if (a * a + fathom_blas_dot(v, v, map->run->d) >= 4)
        return 0;
    for (int k = 0; k < rounds; k++)
        sum += fathom_blas_dot(map->q + k * n, map->z, n) >= 0 ? 1 : -1;
    return sum / rounds;
}

/* Draw number `index` of (a, v), a ~ N(0, 1), v ~ N(0, I/d); sub 0: to make the map, 1: to measure it. */
static void draw_neuron(double *a, double *v, const theorem_run *run, uint32_t sub, int64_t index)
{
    const uint64_t seed = fathom_context_seed(run->context);
    const int64_t d = run->d;
    fathom_random_normals(v, d, seed, FATHOM_STREAM_SAMPLE, 1000 + sub, (uint64_t)(index * (d + 2)));
    *a = fathom_random_normal(seed, FATHOM_STREAM_SAMPLE, 1000 + sub, (uint64_t)(index * (d + 2) + d));
    fathom_blas_scale(v, 1 / sqrt((double)d), d);
}

/* Multiplicative weights: q falls on examples that the best answer to it serves well. */
static fathom_status make_map(output_map *map, theorem_run *run)
{
    const int64_t n = run->n, d = run->d;
    double *block = fathom_memory_alloc(run->context, 2 * n + d, sizeof *block), a, *v = block + 2 * n;
    if (!block)
        return FATHOM_ERROR_MEMORY;
    double *gain = block, *score = block + n;
    const double rate = sqrt(8 * log((double)n + 1) / ROUNDS) / fmax(run->reach, 1e-300);
    memset(score, 0, (size_t)n * sizeof *score);
    for (int k = 0; k < ROUNDS && fathom_context_stop_reason(run->context) == FATHOM_STOP_NONE; k++) {
        double *q = map->q + k * n, least = INFINITY, sum = 0;
        for (int64_t i = 0; i < n; i++)
            least = fmin(least, score[i]);
        for (int64_t i = 0; i < n; i++)
            sum += q[i] = exp(-rate * (score[i] - least));
        fathom_blas_scale(q, 1 / sum, n);
        memset(gain, 0, (size_t)n * sizeof *gain);
        for (int64_t j = 0; j < TRAIN; j++) {
            draw_neuron(&a, v, run, 0, j);
            feature(map->z, run, v);
            const double sign = a * a + fathom_blas_dot(v, v, d) >= 4 ? 0
                                : fathom_blas_dot(q, map->z, n) >= 0  ? 1
                                                                      : -1;
            for (int64_t i = 0; i < n; i++)
                gain[i] += sign * map->z[i] / TRAIN;
        }
        for (int64_t i = 0; i < n; i++)
            score[i] += gain[i] * sqrt((double)d);
    }
    fathom_memory_free(run->context, block);
    return FATHOM_OK;
}

/* An interval of min_i E abar y_i relu(<v, x_i>): empirical Bernstein bounds [Maurer, Pontil 2009] for
 * numbers in +-2 |x_i|, all examples at once. */
static fathom_status measure_map(theorem_range *gamma, const output_map *map, theorem_run *run)
{
    const int64_t n = run->n, d = run->d;
    double *sum = fathom_memory_zero(run->context, 2 * n + d, sizeof *sum), a, *v = sum ? sum + 2 * n : NULL;
    if (!sum)
        return FATHOM_ERROR_MEMORY;
    int64_t count = 0;
    for (; count < FRESH; count++) {
        if (count % TILE == 0 && fathom_context_stop_reason(run->context) != FATHOM_STOP_NONE) {
            theorem_break(run, "the draws were cut");
            break;
        }
        draw_neuron(&a, v, run, 1, count);
        feature(map->z, run, v);
        const double value = value_of(map, ROUNDS, a, v);
        for (int64_t i = 0; i < n; i++) {
            sum[i] += value * map->z[i];
            sum[n + i] += value * map->z[i] * value * map->z[i];
        }
    }
    const double c = (double)count, l = log(2 * (double)n / sure);
    *gamma = theorem_exact(count > 1 ? INFINITY : NAN);
    for (int64_t i = 0; i < n && count > 1; i++) {
        const double mean = sum[i] / c, variance = fmax(0, (sum[n + i] / c - mean * mean) * c / (c - 1));
        const double spread = sqrt(2 * variance * l / c) + 7 * 4 * run->reach * l / (3 * (c - 1));
        gamma->lower = fmin(gamma->lower, mean - spread);
        gamma->upper = fmin(gamma->upper, mean + spread);
    }
    fathom_memory_free(run->context, sum);
    return FATHOM_OK;
}

/* Products at one network W' = (a', V'): with thetabar, with W, and its own gradient. A flow ends with neurons
 * that slide along <v'_j, x_i> = 0, where dp_i is a segment: of <W, dp_i> the least over it is taken, so that
 * rounding does not choose. */
typedef struct products {
    double map, start, p; /* <thetabar, dp_i(W')>, <W, dp_i(W')>, p_i(W') */
} products;

static products multiply(const theorem_run *run, fathom_net *other, fathom_net *start, const double *bar,
                         int64_t m, int64_t i)
{
    const fathom_net_weights w = fathom_net_lend(other), w0 = fathom_net_lend(start);
    const double *x = run->x + i * run->d, y = run->y[i], length = fathom_blas_norm(x, run->d);
    products sum = {0, 0, 0};
    for (int64_t j = 0; j < m; j++) {
        const double *v = w.u + j * run->d, z = fathom_blas_dot(v, x, run->d);
        const bool kink = fabs(z) <= sliding * length * fathom_blas_norm(v, run->d);
        if (!kink && z < 0)
            continue;
        const double turn = y * w.w[j] * fathom_blas_dot(w0.u + j * run->d, x, run->d), on = kink ? 0 : z;
        sum.map += y * bar[j] * on;
        sum.start += y * w0.w[j] * on + (kink ? fmin(0, turn) : turn);
        sum.p += y * w.w[j] * on;
    }
    return sum;
}

/* Least of left - right over the examples, and the same for the map 0. */
typedef struct slack {
    double least, idle;
} slack;

static void weaken(slack *s, double left, double right, double idle)
{
    s->least = fmin(s->least, left - right);
    s->idle = fmin(s->idle, idle - right);
}

/* Lines of A.3 for W' at distance R, r_theta = R/8 and r_w = 1, with the constants of its proof. */
static void compare_near(theorem_run *run, fathom_net *end, fathom_net *start, const double *bar, int64_t m,
                         double distance, theorem_range gamma)
{
    const double root = sqrt((double)m), l = log((double)run->n / run->options->delta), r = distance / 8;
    slack first = {INFINITY, INFINITY}, last = {INFINITY, INFINITY};
    const double near = r * (gamma.upper * root - sqrt(32 * l) - 4 * distance - 4) -
                        (4 * l + 4 * distance + distance * distance);
    for (int64_t i = 0; i < run->n; i++) {
        const products at = multiply(run, end, start, bar, m, i);
        const double idle = at.start - at.p, left = r * at.map + idle;
        weaken(&first, left, near, idle);
        weaken(&last, left, gamma.upper * r * root / 2 - 160 * r * r, idle);
    }
    static const char *const zero = "the map 0 meets it";
    theorem_compare(run, "2: least slack at the end of the flow, r_theta = |W' - W|/8, r_w = 1", first.least,
                    ">=", 0);
    theorem_vacuous(run, first.idle >= 0, zero);
    if (distance < 8 || (double)m < pow(64 * l / gamma.lower, 2))
        return;
    theorem_compare(run, "2: least slack of the last display", last.least, ">=", 0);
    theorem_vacuous(run, last.idle >= 0, zero);
}

/* Part 1, the norms of the start, and the end of a flow from it. */
static fathom_status compare_map(theorem_run *run, const output_map *map, fathom_flow_options *options,
                                 theorem_range gamma)
{
    const int64_t m = options->width, d = run->d;
    const double root = sqrt((double)m), l = log((double)run->n / run->options->delta);
    double *bar = fathom_memory_alloc(run->context, m, sizeof *bar), least = INFINITY;
    fathom_net *start = NULL;
    fathom_flow_result result;
    fathom_status status = bar ? theorem_start(&start, run, options) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        const fathom_net_weights w = fathom_net_lend(start);
        for (int64_t j = 0; j < m; j++) {
            feature(map->z, run, w.u + j * d);
            bar[j] = value_of(map, ROUNDS, root * w.w[j], w.u + j * d) / root;
        }
        for (int64_t i = 0; i < run->n; i++)
            least = fmin(least, multiply(run, start, start, bar, m, i).map);
        theorem_compare_range(
            run, "1: least <thetabar, dp_i(W)>, beside gamma sqrt m - sqrt(32 ln(n/delta))",
            theorem_exact(least),
            ">=", (theorem_range){gamma.lower * root - sqrt(32 * l), gamma.upper * root - sqrt(32 * l)});
        theorem_vacuous(run, gamma.upper * root <= sqrt(32 * l), "the map 0 meets it");
        theorem_compare(run, "2: |a|", fathom_blas_norm(w.w, m), "<=", 2);
        theorem_compare(run, "2: |V|", fathom_blas_norm(w.u, m * d), "<=", 2 * root);
        options->method = FATHOM_FLOW_FLOW, options->loss = run->options->loss;
        status = theorem_flow(&result, run, options, start, NULL, NULL);
        if (status == FATHOM_OK) {
            compare_near(run, result.net, start, bar, m, result.end.distance, gamma);
            fathom_flow_result_clear(&result);
        }
    }
    fathom_net_free(start);
    fathom_memory_free(run->context, bar);
    return status;
}

/* A map and an interval of its margin; map->q is to be freed. */
static fathom_status find_map(output_map *map, theorem_range *gamma, theorem_run *run)
{
    *map = (output_map){.run = run,
                        .q = fathom_memory_zero(run->context, (ROUNDS + 1) * run->n, sizeof *map->q)};
    *gamma = theorem_exact(NAN);
    map->z = map->q ? map->q + ROUNDS * run->n : NULL;
    FATHOM_TRY(map->q ? make_map(map, run) : FATHOM_ERROR_MEMORY);
    return measure_map(gamma, map, run);
}

fathom_status theorem_output_margin(theorem_range *gamma, const char **note, theorem_run *run)
{
    theorem_range one;
    output_map map;
    fathom_status status = theorem_margin(gamma, note, run, FATHOM_MARGIN_NTK_FULL, 0, 0.05);
    if (status != FATHOM_OK || !(gamma->upper > 0) || fathom_data_look(run->data).bias == FATHOM_BIAS_FREE)
        return status;
    status = find_map(&map, &one, run);
    fathom_memory_free(run->context, map.q);
    gamma->lower = one.lower > 0 ? fmin(one.lower, gamma->upper) : 0;
    *note = "of maps of the output layer: from one of them, at 99 % confidence, to both layers";
    return status;
}

fathom_status theorem_check_003_a_3(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "relu", 256, "log_loss=-5");
    const double delta = run->options->delta;
    output_map map;
    theorem_range gamma;
    fathom_status status = find_map(&map, &gamma, run);
    if (status == FATHOM_OK) {
        theorem_say(run, "theta = (abar(v), 0): the mean of %d signs, by multiplicative weights", ROUNDS);
        theorem_assume_range(run, "gamma, the margin of the map theta", gamma, ">", theorem_exact(0));
        theorem_note(run, "99 % confidence from 20000 draws");
        theorem_assume(run, "width m", (double)options.width, ">=", 2 * log(1 / delta));
        theorem_chance(run, 7 * delta);
        status = compare_map(run, &map, &options, gamma);
    }
    fathom_memory_free(run->context, map.q);
    return status;
}
