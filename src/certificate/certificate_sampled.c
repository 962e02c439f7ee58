/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sampled margin as a transcript: what the checker draws again (docs/reference/certificate.md, Section 6).
 *
 *     weights mu q..   slopes B b..   stakes l..   draws SEED CONFIDENCE N
 *
 * are written first, from a pilot of other draws; the hash of the file up to there is the key of the draws, whose
 * values v_k then have a bound t of their mean: the largest with prod_k (1 + l (v_k - t)) >= 2 / (1 - confidence).
 * Slopes and stakes are the best of nine for the half width that the pilot promises, ln(2 / ..) / (N l) + l V / 2, and
 * N doubles until the interval is as narrow as was asked or the checker's budget ends. All on X 2^-point.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certificate_internal.h"
#include "context_internal.h"
#include "data_internal.h"
#include "data_scale.h"
#include "dense.h"
#include "inner/certificate.h"
#include "inner/data.h"
#include "inner/margin.h"
#include "memory.h"
#include "random.h"

enum { PILOT = 4096, FIRST = 2048, SLOPES = 8, MOMENTS = 5, TRIES = 64 };
static const double LEAST_WORK = 0.95e8, WORK_PER_BYTES = 9.5; /* of the checker's budget, in words */
static const double MOST_VALUES = 1 << 24, MOST_WORK = 6e9, LATE_WORK = 1e8;

typedef struct transcript {
    fathom_context *context;
    const fathom_margin_evidence *e;
    int64_t n, d, pairs, draws;
    const double *y;
    double *x, *z;                       /* n x d: in range; q_i y_i x_i */
    double *kernel;                      /* n: (Kq)_i */
    double *slope, *stake;               /* n + 1: the upper side's first */
    double *moment, *mean;               /* (n + 1) x MOMENTS, n + 1 */
    double *u, *sum;                     /* 2 pairs, 2 x d */
    double *raw, *scaled;                /* n + 1: of one draw, the control and what is bounded */
    double *value;                       /* draws x (n + 1) */
    uint64_t *cut;                       /* pairs */
    double mu, mass, form, reach, level; /* level: ln(2 / (1 - confidence)) */
    uint32_t key[2];
} transcript;

static double dot(const double *a, const double *b, int64_t count)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

/* A point of the unit disc over its length. */
static void draw_point(double point[2], const transcript *t, uint64_t draw, int64_t place)
{
    for (uint32_t try = 0; try < TRIES; try++) {
        uint64_t word[2];
        const uint32_t counter[4] = {(uint32_t)draw, (uint32_t)(draw >> 32), (uint32_t)place, try};
        fathom_random_words(word, t->key, counter);
        for (int k = 0; k < 2; k++)
            point[k] = 2 * ((double)word[k] * 0x1p-64) - 1;
        const double square = point[0] * point[0] + point[1] * point[1];
        if (square <= 1 && square > 0) {
            point[0] /= sqrt(square);
            point[1] /= sqrt(square);
            return;
        }
    }
}

static int by_value(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* A direction: pairs of coordinates in random directions, their squared lengths being what uniform numbers cut the
 * unit into. */
static void draw_direction(transcript *t, uint64_t draw)
{
    uint64_t word[2] = {0, 0};
    for (int64_t k = 0; k < t->pairs - 1; k++) {
        const uint32_t counter[4] = {(uint32_t)draw, (uint32_t)(draw >> 32), (uint32_t)(k / 2), UINT32_MAX};
        if (k % 2 == 0)
            fathom_random_words(word, t->key, counter);
        t->cut[k] = word[k % 2];
    }
    qsort(t->cut, (size_t)(t->pairs - 1), sizeof *t->cut, by_value);
    t->cut[t->pairs - 1] = 0; /* 2^64 */
    for (int64_t j = 0; j < t->pairs; j++) {
        double point[2] = {1, 0};
        draw_point(point, t, draw, j);
        const double square = (double)(t->cut[j] - (j ? t->cut[j - 1] : 0)) * 0x1p-64;
        const double radius = t->pairs > 1 ? sqrt(square) : 1;
        t->u[2 * j] = radius * point[0];
        t->u[2 * j + 1] = radius * point[1];
    }
}

/* raw, scaled: -(|S|^2 + ..) / 2 and -(|S| + ..) / 2 first, then <z_i, S(side)> / 2 and that over root(|S|^2 + mu^2). */
static void evaluate(transcript *t, uint64_t draw)
{
    const int64_t n = t->n, d = t->d;
    double *open = t->raw + 1, inverse[2];
    draw_direction(t, draw);
    memset(t->sum, 0, (size_t)(2 * d) * sizeof *t->sum);
    for (int64_t i = 0; i < n; i++) {
        open[i] = dot(t->x + i * d, t->u, d);
        double *sum = t->sum + (open[i] > 0 ? 0 : d);
        for (int64_t l = 0; l < d; l++)
            sum[l] += t->z[i * d + l];
    }
    t->raw[0] = t->scaled[0] = 0;
    for (int side = 0; side < 2; side++) {
        const double square = dot(t->sum + side * d, t->sum + side * d, d);
        t->raw[0] -= square / 2;
        t->scaled[0] -= sqrt(square) / 2;
        inverse[side] = 1 / sqrt(square + t->mu * t->mu);
    }
    for (int64_t i = 0; i < n; i++) {
        const int side = !(open[i] > 0);
        open[i] = t->y[i] * dot(t->x + i * d, t->sum + side * d, d) / 2;
        t->scaled[1 + i] = open[i] * inverse[side];
    }
}

/* What a draw can be at least: of -X + B |S|^2, or of W_i. */
static double least_value(const transcript *t, int64_t k, double slope)
{
    if (k == 0)
        return slope > 0 ? -fmin(t->reach, 0.25 / slope) : -t->reach;
    return -0.5 * sqrt(dot(t->x + (k - 1) * t->d, t->x + (k - 1) * t->d, t->d)) * fmax(1, slope * t->reach);
}

/* Means, squares and products of raw (y) and scaled (z): z, y, zz, zy, yy. */
static fathom_status pilot(transcript *t)
{
    const uint64_t seed = t->e->seed;
    t->key[0] = (uint32_t)seed;
    t->key[1] = (uint32_t)(seed >> 32);
    for (int64_t k = 0; k < PILOT; k++) {
        evaluate(t, (uint64_t)k);
        for (int64_t i = 0; i <= t->n; i++) {
            const double z = t->scaled[i], y = t->raw[i], more[MOMENTS] = {z, y, z * z, z * y, y * y};
            for (int m = 0; m < MOMENTS; m++)
                t->moment[i * MOMENTS + m] += more[m] / PILOT;
        }
    }
    return FATHOM_OK;
}

/* The best slope and stake of side k for so many draws; returns the half width that they promise. */
static double choose(transcript *t, int64_t k, double draws)
{
    const double *m = t->moment + k * MOMENTS;
    const double zz = m[2] - m[0] * m[0], zy = m[3] - m[0] * m[1], yy = m[4] - m[1] * m[1];
    const double best = yy > 0 ? fmax(0, zy / yy) : 0;
    double least = INFINITY;
    for (int s = 0; s <= SLOPES; s++) {
        const double b = best * s / SLOPES, mean = m[0] - b * m[1];
        const double variance = fmax(zz - 2 * b * zy + b * b * yy, 0) + DBL_MIN;
        const double room = fmax(mean - least_value(t, k, b), DBL_MIN);
        const double stake = fmin(sqrt(2 * t->level / (draws * variance)), 0.5 / room);
        const double half = t->level / (draws * stake) + stake * variance / 2;
        if (half < least) {
            least = half;
            t->slope[k] = b;
            t->stake[k] = stake;
            t->mean[k] = mean;
        }
    }
    return least;
}

/* The interval that so many draws promise. */
static void promise(double *lower, double *upper, transcript *t, double draws)
{
    *upper = (choose(t, 0, draws) - t->mean[0] + t->slope[0] * t->form) / t->mass;
    *lower = INFINITY;
    for (int64_t i = 1; i <= t->n; i++) {
        const double half = choose(t, i, draws);
        *lower = fmin(*lower, t->mean[i] - half + t->slope[i] * t->kernel[i - 1]);
    }
}

/* How many draws: few where a limit has been met already. */
static void choose_draws(transcript *t, int64_t data_bytes)
{
    const double n = (double)t->n, each = 4 * (n + 2) * ((double)t->d + 2);
    const bool late = fathom_context_stop_reason(t->context) != FATHOM_STOP_NONE;
    const double budget =
        fmin(LEAST_WORK + WORK_PER_BYTES * 45 * n * (double)data_bytes, late ? LATE_WORK : MOST_WORK);
    const double most = floor(fmax(FIRST, fmin(budget / each, MOST_VALUES / (n + 1))));
    double lower, upper,
        before = INFINITY; /* where more draws bring little, the map is not the best there is */
    t->draws = FIRST;
    promise(&lower, &upper, t, FIRST);
    while (upper - lower > 0.9 * t->e->gap * upper && upper - lower < 0.97 * before &&
           (double)t->draws < most) {
        before = upper - lower;
        t->draws = (int64_t)fmin(2 * (double)t->draws, most);
        promise(&lower, &upper, t, (double)t->draws);
    }
}

/* The largest goal that side k proves. Of the logarithm of the product, concave and falling, Newton's steps come
 * from the right, one after another. */
static double largest_goal(const transcript *t, int64_t k)
{
    enum { STEPS = 100 };
    const double stake = t->stake[k], needed = t->level * (1 + 1e-9) + 1e-9;
    double goal = 0;
    for (int64_t j = 0; j < t->draws; j++)
        goal += t->value[j * (t->n + 1) + k] / (double)t->draws;
    for (int step = 0; step < STEPS; step++) {
        double grown = 0, slope = 0;
        for (int64_t j = 0; j < t->draws; j++) {
            const double factor = 1 + stake * (t->value[j * (t->n + 1) + k] - goal);
            grown += log(factor);
            slope += stake / factor;
        }
        if (grown >= needed)
            break;
        const double next = goal - (needed - grown) / slope;
        if (!(next < goal)) /* as near as doubles are */
            break;
        goal = next - 1e-14 * fabs(next);
    }
    return goal;
}

/* What the draws prove, in the units of the data in range; rounding of doubles is beyond the last number. */
static void conclude(double *lower, double *upper, const transcript *t)
{
    const double slack = 1e-12;
    *upper = -largest_goal(t, 0) + t->slope[0] * t->form;
    *upper = (*upper + slack * (*upper + t->reach)) / t->mass;
    *lower = INFINITY;
    for (int64_t i = 1; i <= t->n; i++) {
        const double size = -least_value(t, i, t->slope[i]);
        *lower = fmin(*lower, largest_goal(t, i) + t->slope[i] * t->kernel[i - 1] - slack * size);
    }
    *lower = fmax(*lower, 0);
}

/* (Kq)_i, K_ik = y_i y_k <x_i, x_k> (pi - theta) / (2 pi), and what is bounded by it. */
static fathom_status weigh(transcript *t)
{
    const int64_t n = t->n, d = t->d;
    double longest = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *x = t->x + i * d, length = sqrt(dot(x, x, d));
        if (!(length > 0))
            return FATHOM_ERROR_STOPPED; /* a margin of 0, which has another proof */
        t->mass += t->e->q[i];
        longest += t->e->q[i] * length;
        for (int64_t l = 0; l < d; l++) {
            t->z[i * d + l] = t->e->q[i] * t->y[i] * x[l];
            t->sum[l] += t->z[i * d + l];
        }
        for (int64_t k = 0; k < n; k++) {
            const double *other = t->x + k * d, size = sqrt(dot(other, other, d));
            double less = 0, more = 0;
            for (int64_t l = 0; l < d; l++) {
                const double a = x[l] / length, b = other[l] / size;
                less += (a - b) * (a - b);
                more += (a + b) * (a + b);
            }
            const double share = atan2(sqrt(more), sqrt(less)) / acos(-1); /* (pi - theta) / (2 pi) */
            t->kernel[i] += t->e->q[k] * t->y[i] * t->y[k] * dot(x, other, d) * share;
        }
        t->form += t->e->q[i] * t->kernel[i];
    }
    t->reach = (longest + sqrt(dot(t->sum, t->sum, d))) / 2 * (1 + 1e-12);
    return FATHOM_OK;
}

static fathom_status open_transcript(transcript *t, fathom_certificate *c, const fathom_margin_evidence *e,
                                     fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    int64_t outputs;
    *t = (transcript){.context = c->context, .e = e, .n = view.n, .d = view.d, .pairs = (view.d + 1) / 2};
    t->mu = e->mu;
    t->level = log(2 / (1 - e->confidence));
    FATHOM_TRY(fathom_data_code_classes(&t->y, &outputs, data));
    FATHOM_TRY(fathom_dense_copy(&t->x, &view, c->context));
    const int64_t sides = t->n + 1;
    t->z = fathom_memory_alloc(c->context, t->n * t->d, sizeof *t->z);
    t->kernel =
        fathom_memory_zero(c->context, (MOMENTS + 6) * sides + 2 * t->pairs + 2 * t->d, sizeof *t->kernel);
    t->cut = fathom_memory_alloc(c->context, t->pairs, sizeof *t->cut);
    if (!t->z || !t->kernel || !t->cut)
        return FATHOM_ERROR_MEMORY;
    double **const part[] = {&t->slope, &t->stake, &t->mean, &t->raw, &t->scaled, &t->moment};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        *part[k] = t->kernel + (int64_t)(k + 1) * sides;
    t->u = t->moment + MOMENTS * sides;
    t->sum = t->u + 2 * t->pairs;
    return weigh(t);
}

/* The lines before the draws, and the key that they have. */
static void put_head(fathom_certificate *c, transcript *t)
{
    const int shift = t->e->point;
    char hex[65], word[9] = "";
    fathom_file_print(c->file, "weights");
    fathom_certificate_put_number(c, t->mu, shift);
    fathom_certificate_put_line(c, "", t->e->q, t->n, 0);
    fathom_certificate_put_line(c, "slopes", t->slope, t->n + 1, -shift);
    fathom_certificate_put_line(c, "stakes", t->stake, t->n + 1, -shift);
    fathom_file_print(c->file, "draws %llu", (unsigned long long)t->e->seed);
    fathom_certificate_put_number(c, t->e->confidence, 0);
    fathom_file_print(c->file, " %lld\n", (long long)t->draws);
    fathom_sha256 hash = c->hash; /* of all that was written */
    fathom_sha256_finish(hex, &hash);
    for (int k = 0; k < 2; k++) {
        memcpy(word, hex + 8 * k, 8);
        t->key[k] = (uint32_t)strtoul(word, NULL, 16);
    }
}

/* All draws; ERROR_STOPPED at a limit, unless one had been met before. */
static fathom_status replay(transcript *t)
{
    enum { POLL = 256 };
    const bool late = fathom_context_stop_reason(t->context) != FATHOM_STOP_NONE;
    t->value = fathom_memory_alloc(t->context, t->draws * (t->n + 1), sizeof *t->value);
    if (!t->value)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < t->draws; k++) {
        if (k % POLL == 0 && fathom_context_poll(t->context, "draws of the proof", k, NAN, NAN) && !late)
            return fathom_error_set(t->context, FATHOM_ERROR_STOPPED,
                                    "stopped before all directions were drawn");
        evaluate(t, (uint64_t)k);
        for (int64_t i = 0; i <= t->n; i++)
            t->value[k * (t->n + 1) + i] = t->scaled[i] - t->slope[i] * t->raw[i];
    }
    return FATHOM_OK;
}

static fathom_status put_sampled(fathom_certificate *c, fathom_margin_result *result, transcript *t)
{
    double lower, upper;
    FATHOM_TRY(pilot(t));
    choose_draws(t, c->data_bytes);
    FATHOM_TRY(fathom_certificate_begin(c, "sampled", true, &(fathom_certificate_gates){0}));
    put_head(c, t);
    FATHOM_TRY(replay(t));
    conclude(&lower, &upper, t);
    if (!(upper < INFINITY))
        return fathom_error_set(c->context, FATHOM_ERROR_STOPPED, "the draws prove nothing");
    fathom_margin_replace(result, ldexp(lower, t->e->point), ldexp(upper, t->e->point), 2 * t->draws);
    return fathom_certificate_put_bound(c, "sampled", upper, lower, t->e->point);
}

fathom_status fathom_certificate_add_sampled(fathom_certificate *c, fathom_margin_result *result)
{
    const fathom_margin_evidence e = fathom_margin_prove(result);
    const fathom_data_scale scale = {.point = e.point};
    fathom_data *scaled = NULL;
    transcript t = {0};
    fathom_status status = scale.point ? fathom_data_scaled(&scaled, c->data, &scale) : FATHOM_OK;
    FATHOM_THEN(status, open_transcript(&t, c, &e, scaled ? scaled : c->data));
    FATHOM_THEN(status, put_sampled(c, result, &t));
    FATHOM_FREE(c->context, t.x, t.z, t.kernel, t.cut, t.value);
    fathom_data_free(scaled);
    return status;
}
