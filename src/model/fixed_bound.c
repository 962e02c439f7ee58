/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a network in integers is from the network that it stands for: branch and bound over boxes of
 * inputs.
 *
 * Symbols, for one output, in the coordinates q of fixed.h: t_j = <h_j, q> + s_j, r_j = unit_j (<K_j, q> +
 * B_j), e_j = t_j - r_j, and a_j, b_j = scale M_j / unit_j. With p = round(q), |p_i - q_i| <= 1/2,
 *
 *     f(q) - g(p) = D(q) + (g(q) - g(p)),     D = c - scale C + sum_j (a_j relu(t_j) - b_j relu(r_j)).
 *
 * On a box a neuron of which t_j and r_j are both >= 0 adds a linear function to D, both <= 0 nothing; any
 * other adds (a_j - b_j) relu(t_j) + b_j theta e_j with some theta in [0, 1], for relu is monotone with
 * slope at most 1: an interval. The linear part is largest at a corner. |g(q) - g(p)| <= 1/2 sum_i max
 * |slope_i|, the slope of g between the sums over neurons that are open, or may be, near the box. When no
 * neuron is left between, the first part is exact.
 *
 * Boxes are halved along the column that moves undecided neurons most, those with the largest bound first;
 * the largest bound of all boxes is the answer. Deviations at corners, and near them where inputs are
 * rounded the wrong way, are attained.
 *
 * Rounding: every sum has at most N = 2 (d + m) + 16 terms of a total size below T; 4 N u T is added.
 * Cost: boxes x m d.
 */
#include "fixed.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"

static const double HALF = 0.5 + 1e-6; /* inputs are rounded in floating point */
static const double CLOSE = 1e-3;      /* relative distance of the two ends at which the search ends */

typedef struct box {
    double *low, *high; /* d each */
    double bound;
    int64_t split; /* the column to halve; -1: none would help */
} box;

typedef struct search {
    const fathom_fixed *f;
    int64_t output;
    double *linear, *down, *up, *pull,
        *q; /* d each: D's linear part, ends of g's slope, weight of a halving, a point */
    double slack, lower;
    box *heap; /* the largest bound first */
    int64_t count;
} search;

/* Ranges of t, r, e over a box. */
typedef struct range {
    double t[2], r[2], e[2],
        reach; /* reach: sum_i |unit_j K_ji| / 2, how far r moves when inputs are rounded */
} range;

static range range_of(const fathom_fixed *f, int64_t j, const box *b)
{
    const double *h = f->h + j * f->d;
    const int32_t *k = f->k + j * f->d;
    const double unit = f->unit[j], shift = unit * f->b[j];
    range g = {{f->s[j], f->s[j]}, {shift, shift}, {f->s[j] - shift, f->s[j] - shift}, 0};
    for (int64_t i = 0; i < f->d; i++) {
        const double r = unit * k[i], e = h[i] - r, low = b->low[i], high = b->high[i];
        g.t[0] += h[i] * (h[i] > 0 ? low : high), g.t[1] += h[i] * (h[i] > 0 ? high : low);
        g.r[0] += r * (r > 0 ? low : high), g.r[1] += r * (r > 0 ? high : low);
        g.e[0] += e * (e > 0 ? low : high), g.e[1] += e * (e > 0 ? high : low);
        g.reach += HALF * fabs(r);
    }
    return g;
}

/* Adds [low, high] times a factor of either sign. */
static void add_interval(double sum[2], double factor, double low, double high)
{
    sum[0] += factor > 0 ? factor * low : factor * high;
    sum[1] += factor > 0 ? factor * high : factor * low;
}

/* One neuron's part of D: to the linear form, or to the interval `sum`. */
static void add_neuron(double sum[2], search *s, const box *b, int64_t j, const range *g, double a, double w)
{
    const fathom_fixed *f = s->f;
    const double *h = f->h + j * f->d;
    if (g->t[1] <= 0 && g->r[1] <= 0)
        return;
    if (g->t[0] >= 0 && g->r[0] >= 0) {
        add_interval(sum, 1, a * f->s[j] - w * f->unit[j] * f->b[j], a * f->s[j] - w * f->unit[j] * f->b[j]);
        for (int64_t i = 0; i < f->d; i++)
            s->linear[i] += a * h[i] - w * f->unit[j] * f->k[j * f->d + i];
        return;
    }
    add_interval(sum, a - w, fmax(g->t[0], 0), fmax(g->t[1], 0));
    add_interval(sum, w, fmin(g->e[0], 0), fmax(g->e[1], 0));
    for (int64_t i = 0; i < f->d; i++)
        s->pull[i] += (fabs(a - w) + fabs(w)) * fabs(h[i]) * (b->high[i] - b->low[i]);
}

/* One neuron's part of the slope of g: surely open, surely closed, or between. */
static void add_slope(search *s, int64_t j, const range *g, double w)
{
    const fathom_fixed *f = s->f;
    if (g->r[1] + g->reach <= 0)
        return;
    const bool open = g->r[0] - g->reach >= 0;
    for (int64_t i = 0; i < f->d; i++) {
        const double slope = w * f->unit[j] * f->k[j * f->d + i];
        s->down[i] += open ? slope : fmin(slope, 0);
        s->up[i] += open ? slope : fmax(slope, 0);
    }
}

static void keep_attained(search *s)
{
    const double apart =
        fabs(fathom_fixed_exact(s->f, s->q, s->output) - fathom_fixed_rounded(s->f, s->q, s->output));
    s->lower = fmax(s->lower, apart - s->slack);
}

/* Moves every whole number of q by almost 1/2, so that rounding moves sign g down. */
static void lean(search *s, int sign)
{
    for (int64_t i = 0; i < s->f->d; i++) {
        const double most = (double)s->f->most, whole = fmin(fmax(rint(s->q[i]), 1 - most), most - 1);
        s->q[i] = whole + (sign * (s->down[i] + s->up[i]) > 0 ? 0.499 : -0.499);
    }
    keep_attained(s);
}

/* A corner of the box where sign D is large, and points near it and near the centre from which inputs are
 * rounded the wrong way. */
static void attain(search *s, const box *b, int sign)
{
    for (int64_t i = 0; i < s->f->d; i++)
        s->q[i] = sign * s->linear[i] > 0 ? b->high[i] : b->low[i];
    keep_attained(s);
    lean(s, sign);
    for (int64_t i = 0; i < s->f->d; i++)
        s->q[i] = b->low[i] / 2 + b->high[i] / 2;
    lean(s, sign);
}

/* The bound of a box, and the column along which it should be halved. */
static void bound_box(search *s, box *b)
{
    const fathom_fixed *f = s->f;
    const double constant = f->c[s->output] - f->scale * (double)f->constant[s->output];
    double sum[2] = {constant, constant}, slopes = 0, most = 0;
    memset(s->linear, 0, (size_t)(4 * f->d) * sizeof *s->linear); /* linear, down, up, pull */
    for (int64_t j = 0; j < f->m; j++) {
        const double a = f->a[j * f->outputs + s->output],
                     w = f->scale * f->w[j * f->outputs + s->output] / f->unit[j];
        const range g = range_of(f, j, b);
        add_neuron(sum, s, b, j, &g, a, w);
        add_slope(s, j, &g, w);
    }
    b->split = -1;
    for (int64_t i = 0; i < f->d; i++) {
        add_interval(sum, s->linear[i], b->low[i], b->high[i]);
        slopes += HALF * fmax(fabs(s->down[i]), fabs(s->up[i]));
        if (s->pull[i] > most && b->high[i] - b->low[i] > 1) {
            most = s->pull[i];
            b->split = i;
        }
    }
    b->bound = fmax(fabs(sum[0]), fabs(sum[1])) + slopes + s->slack;
    attain(s, b, 1);
    attain(s, b, -1);
}

static void sift_up(search *s, int64_t at)
{
    for (; at > 0 && s->heap[(at - 1) / 2].bound < s->heap[at].bound; at = (at - 1) / 2) {
        const box other = s->heap[at];
        s->heap[at] = s->heap[(at - 1) / 2];
        s->heap[(at - 1) / 2] = other;
    }
}

static void sift_down(search *s)
{
    for (int64_t at = 0, child; (child = 2 * at + 1) < s->count; at = child) {
        if (child + 1 < s->count && s->heap[child + 1].bound > s->heap[child].bound)
            child++;
        if (s->heap[at].bound >= s->heap[child].bound)
            return;
        const box other = s->heap[at];
        s->heap[at] = s->heap[child];
        s->heap[child] = other;
    }
}

/* Halves the first box of the heap: one half stays in its place, the other is new. A half is never worse
 * than the whole. */
static void halve(search *s)
{
    const int64_t d = s->f->d;
    box *first = s->heap, *second = s->heap + s->count;
    const int64_t i = first->split;
    const double whole = first->bound, middle = rint(first->low[i] / 2 + first->high[i] / 2);
    memcpy(second->low, first->low, (size_t)(2 * d) * sizeof *second->low);
    first->high[i] = middle, second->low[i] = middle;
    bound_box(s, first);
    bound_box(s, second);
    first->bound = fmin(first->bound, whole), second->bound = fmin(second->bound, whole);
    sift_down(s);
    sift_up(s, s->count++);
}

/* 4 N u T of the head comment. */
static double slack_of(const fathom_fixed *f, int64_t output)
{
    double total = fabs(f->c[output]) + fabs(f->scale * (double)f->constant[output]);
    for (int64_t j = 0; j < f->m; j++) {
        const double a = f->a[j * f->outputs + output],
                     w = f->scale * f->w[j * f->outputs + output] / f->unit[j];
        total += (fabs(a) + fabs(w)) * (f->size[j] + (double)(f->d + 1) * f->unit[j]);
    }
    return 4 * (double)(2 * (f->d + f->m) + 16) * 0x1p-53 * total;
}

static void place_first(search *s, double *corners, int64_t boxes)
{
    const int64_t d = s->f->d;
    for (int64_t k = 0; k <= boxes; k++) {
        s->heap[k].low = corners + 2 * k * d;
        s->heap[k].high = s->heap[k].low + d;
    }
    for (int64_t i = 0; i < d; i++) {
        s->heap[0].low[i] = -(double)s->f->most;
        s->heap[0].high[i] = (double)s->f->most;
    }
    bound_box(s, s->heap);
    s->count = 1;
}

fathom_status fathom_fixed_deviation(double *lower, double *upper, const fathom_fixed *f,
                                     fathom_context *context, int64_t output, int64_t boxes)
{
    search s = {.f = f, .output = output, .slack = slack_of(f, output)};
    double *work = fathom_memory_alloc(context, 5 * f->d + 1, sizeof *work);
    double *corners = fathom_memory_alloc(context, 2 * (boxes + 1) * f->d + 1, sizeof *corners);
    s.heap = fathom_memory_zero(context, boxes + 1, sizeof *s.heap);
    const fathom_status status = work && corners && s.heap ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        s.linear = work, s.down = work + f->d, s.up = s.down + f->d, s.pull = s.up + f->d,
        s.q = s.pull + f->d;
        place_first(&s, corners, boxes);
        while (s.count <= boxes && s.heap[0].split >= 0 && s.heap[0].bound > (1 + CLOSE) * s.lower &&
               fathom_context_stop_reason(context) == FATHOM_STOP_NONE)
            halve(&s);
        *upper = s.heap[0].bound;
        *lower = fmin(fmax(s.lower, 0), *upper);
    }
    FATHOM_FREE(context, work, corners, s.heap);
    return status;
}
