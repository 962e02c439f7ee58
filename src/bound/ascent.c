/* SPDX-License-Identifier: Apache-2.0 */
/* Local ascent on the price of a neuron; problem and method in ascent.h. */
#include "ascent.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"

enum { STEPS = 60, ROUNDS = 10, SWEEPS = 20 };

/* Beyond this many numbers in X an ascent ends at lower accuracy: its result is refined by descent anyway. */
static const double large = 1e5;

typedef struct kink {
    double t; /* x_i'u */
    int64_t i;
} kink;

/* Of one thread. */
typedef struct workspace {
    const fathom_context *context; /* for its limits */
    const double *x;               /* n x d: the points, less the one on whose kink b is */
    double *shifted;               /* n x d, with a free bias */
    double *a;                     /* n: weights of the side */
    double *t;                     /* n: Xu, without b */
    double *lambda;                /* n */
    int64_t *open;                 /* n: numbers of the points that a round moves */
    double *square;                /* n: |x_i|^2 */
    double *w, *u;                 /* d, d + 1: the step; the candidate */
    double *basis;                 /* d x d: of the points on the kink */
    kink *order;                   /* n, with a free bias */
    int64_t k;                     /* point on whose kink b is; -1 without a free bias */
} workspace;

static int64_t outputs_of(const fathom_ascent *p) { return p->outputs > 1 ? p->outputs : 1; }

static double dot(const double *x, const double *y, int64_t count)
{
    if (count > 16)
        return fathom_blas_dot(x, y, count);
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += x[k] * y[k];
    return sum;
}

static void add(double *y, double a, const double *x, int64_t count)
{
    if (count > 16) {
        fathom_blas_axpy(y, a, x, count);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        y[k] += a * x[k];
}

/* F from t = Xu and b. */
static double price_of(const fathom_ascent *p, const double *t, double b, double sign)
{
    double square = 0;
    for (int64_t k = 0; k < outputs_of(p); k++) {
        const double *v = p->v + k * p->n;
        double sum = 0;
        for (int64_t i = 0; i < p->n; i++)
            sum += t[i] + b > 0 ? v[i] * (t[i] + b) : 0;
        if (outputs_of(p) == 1)
            return sign * sum;
        square += sum * sum;
    }
    return sqrt(square);
}

static double bias_of(const fathom_ascent *p, const double *u) { return p->bias ? u[p->d] : 0; }

/* F of a neuron; t receives Xu. */
static double value_at(const fathom_ascent *p, double *t, const double *u, double sign)
{
    fathom_blas_gemv(t, p->n, p->d, 1, fathom_plain(p->x, p->d), u, 0);
    return price_of(p, t, bias_of(p, u), sign);
}

double fathom_ascent_value(const fathom_ascent *problem, const double *u, double sign)
{
    const fathom_ascent *p = problem;
    double square = 0;
    for (int64_t k = 0; k < outputs_of(p); k++) {
        double sum = 0;
        for (int64_t i = 0; i < p->n; i++) {
            const double t = dot(p->x + i * p->d, u, p->d) + (p->bias ? u[p->d] : 0);
            sum += t > 0 ? p->v[k * p->n + i] * t : 0;
        }
        if (outputs_of(p) == 1)
            return sign * sum;
        square += sum * sum;
    }
    return sqrt(square);
}

/* The weights a of the side that the neuron with Xu = t is on: sigma v, or V c with c along V'(t + b)_+. */
static void choose_side(const fathom_ascent *p, workspace *s, double b, double sign)
{
    const int64_t n = p->n;
    if (outputs_of(p) == 1) {
        for (int64_t i = 0; i < n; i++)
            s->a[i] = sign * p->v[i];
        return;
    }
    memset(s->a, 0, (size_t)n * sizeof *s->a);
    for (int64_t k = 0; k < p->outputs; k++) {
        double one = 0;
        for (int64_t i = 0; i < n; i++)
            one += s->t[i] + b > 0 ? p->v[k * n + i] * (s->t[i] + b) : 0;
        fathom_blas_axpy(s->a, one, p->v + k * n, n);
    }
    /* scaled so that rounding does not see it: c need not have norm 1 */
    const double size = fathom_blas_norm(s->a, n);
    if (size > 0)
        fathom_blas_scale(s->a, 1 / size, n);
}

static int by_place(const void *a, const void *b)
{
    const kink *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

/* The point on whose kink b = -t_k makes sum_i a_i (t_i - t_k)_+ largest: from the largest t down, sums carried along. */
static int64_t best_kink(const fathom_ascent *p, workspace *s)
{
    double weight = 0, value = 0, best = -INFINITY;
    int64_t chosen = 0;
    for (int64_t i = 0; i < p->n; i++)
        s->order[i] = (kink){s->t[i], i};
    qsort(s->order, (size_t)p->n, sizeof *s->order, by_place);
    for (int64_t k = p->n - 1; k >= 0; k--) {
        if (k < p->n - 1)
            value += weight * (s->order[k + 1].t - s->order[k].t);
        weight += s->a[s->order[k].i];
        if (value > best) {
            best = value;
            chosen = s->order[k].i;
        }
    }
    return chosen;
}

/* Points relative to point k; |x_i|^2 with them. */
static void shift_points(const fathom_ascent *p, workspace *s, int64_t k)
{
    const int64_t d = p->d;
    if (s->k == k)
        return;
    s->k = k;
    for (int64_t i = 0; i < p->n; i++) {
        for (int64_t l = 0; l < d; l++)
            s->shifted[i * d + l] = p->x[i * d + l] - p->x[k * d + l];
        s->square[i] = dot(s->shifted + i * d, s->shifted + i * d, d);
    }
}

/* w = g - sum lambda_i |a_i| x_i with g and the start lambda_i = 1[x_i'u + b > 0] read off t = Xu. */
static void linearise(const fathom_ascent *p, workspace *s, double b)
{
    memset(s->w, 0, (size_t)p->d * sizeof *s->w);
    for (int64_t i = 0; i < p->n; i++) {
        const bool open = i != s->k && s->t[i] + b > 0;
        s->lambda[i] = s->a[i] < 0 && open ? 1 : 0;
        if (open)
            add(s->w, s->a[i], s->x + i * p->d, p->d);
    }
}

/* The points whose lambda is not where the conditions of the least norm have it: at 0 or below 1 with w before the
 * point, at 1 or above 0 with w behind it. Returns how many there are. */
static int64_t find_open(const fathom_ascent *p, workspace *s)
{
    int64_t count = 0;
    fathom_blas_gemv(s->t, p->n, p->d, 1, fathom_plain(s->x, p->d), s->w, 0);
    for (int64_t i = 0; i < p->n; i++)
        if (s->a[i] < 0 && ((s->lambda[i] < 1 && s->t[i] > 0) || (s->lambda[i] > 0 && s->t[i] < 0)))
            s->open[count++] = i;
    return count;
}

/* One sweep of exact coordinate minimisation of |w| over lambda in the box, of these points; returns the largest
 * change of |w|^2. */
static double sweep(const fathom_ascent *p, workspace *s, int64_t count)
{
    double largest = 0;
    for (int64_t k = 0; k < count; k++) {
        const int64_t i = s->open[k];
        const double weight = -s->a[i], square = weight * weight * s->square[i];
        if (!(square > 0))
            continue;
        const double *x = s->x + i * p->d;
        const double wanted = s->lambda[i] + weight * dot(x, s->w, p->d) / square;
        const double next = wanted < 0 ? 0 : wanted > 1 ? 1 : wanted;
        const double change = next - s->lambda[i];
        if (change == 0)
            continue;
        add(s->w, -change * weight, x, p->d);
        s->lambda[i] = next;
        const double moved = change * change * square;
        largest = moved > largest ? moved : largest;
    }
    return largest;
}

/* w of least norm: rounds over all points find those that are open, sweeps over these settle them. */
static void shorten(const fathom_ascent *p, workspace *s, double still)
{
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t count = find_open(p, s);
        for (int k = 0; k < SWEEPS; k++) {
            if (fathom_context_overdue(s->context))
                return;
            const bool settled = sweep(p, s, count) <= still * dot(s->w, s->w, p->d);
            if (settled && k == 0)
                return;
            if (settled)
                break;
        }
    }
}

/* w loses its components along the points with 0 < lambda < 1; their number of independent directions is returned. */
static int64_t project(const fathom_ascent *p, workspace *s)
{
    const int64_t d = p->d;
    int64_t rank = 0;
    for (int64_t i = 0; i < p->n && rank < d; i++) {
        if (!(s->lambda[i] > 0 && s->lambda[i] < 1))
            continue;
        double *q = s->basis + rank * d;
        memcpy(q, s->x + i * d, (size_t)d * sizeof *q);
        for (int pass = 0; pass < 2; pass++)
            for (int64_t k = 0; k < rank; k++)
                add(q, -dot(q, s->basis + k * d, d), s->basis + k * d, d);
        const double norm = sqrt(dot(q, q, d));
        if (!(norm * norm > 1e-18 * s->square[i]))
            continue;
        for (int64_t l = 0; l < d; l++)
            q[l] /= norm;
        rank++;
    }
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < rank; k++)
            add(s->w, -dot(s->w, s->basis + k * d, d), s->basis + k * d, d);
    return rank;
}

/* The candidate u = w / |w|, b on the kink of point k; false where w = 0. */
static bool candidate(const fathom_ascent *p, workspace *s)
{
    const double norm = fathom_blas_norm(s->w, p->d);
    if (!(norm > 0))
        return false;
    for (int64_t l = 0; l < p->d; l++)
        s->u[l] = s->w[l] / norm;
    if (p->bias)
        s->u[p->d] = -dot(p->x + s->k * p->d, s->u, p->d);
    return true;
}

/* Takes the candidate where its price is higher than *value. */
static bool take_candidate(double *u, double *value, const fathom_ascent *p, workspace *s, double sign)
{
    if (!candidate(p, s))
        return false;
    const double now = value_at(p, s->t, s->u, sign);
    if (!(now > *value))
        return false;
    memcpy(u, s->u, (size_t)fathom_ascent_width(p) * sizeof *u);
    *value = now;
    return true;
}

/* With a free bias: b to the best kink for this u, and the points relative to it. */
static void place_bias(double *u, double *value, const fathom_ascent *p, workspace *s, double sign)
{
    if (!p->bias)
        return;
    const int64_t k = best_kink(p, s);
    const double now = price_of(p, s->t, -s->t[k], sign);
    if (!(now > *value) && s->k >= 0)
        return;
    u[p->d] = -s->t[k];
    *value = now;
    shift_points(p, s, k);
}

/* Ascends from u in place; returns F there, 0 (and u = 0) where no positive value was found. */
static double ascend(double *u, const fathom_ascent *p, workspace *s, double sign)
{
    const bool precise = (double)p->n * (double)p->d <= large;
    const double still = precise ? 1e-18 : 1e-6, gain = precise ? 1e-13 : 1e-3;
    double value = value_at(p, s->t, u, sign);
    s->k = -1;
    for (int step = 0; step < STEPS; step++) {
        const double before = value;
        if (step > 0 && fathom_context_stop_reason(s->context) != FATHOM_STOP_NONE)
            break; /* the value is that of u, wherever it is */
        fathom_blas_gemv(s->t, p->n, p->d, 1, fathom_plain(p->x, p->d), u, 0);
        choose_side(p, s, bias_of(p, u), sign);
        place_bias(u, &value, p, s, sign);
        linearise(p, s, bias_of(p, u));
        shorten(p, s, still);
        bool better = take_candidate(u, &value, p, s, sign);
        const int64_t rank = project(p, s);
        if (rank > 0 && rank < p->d)
            better = take_candidate(u, &value, p, s, sign) || better;
        if (step > 0 && !(better && value > before + gain * fabs(before)))
            break;
    }
    if (value > 0)
        return value;
    memset(u, 0, (size_t)fathom_ascent_width(p) * sizeof *u);
    return 0;
}

/* Numbers of a workspace. */
static int64_t workspace_size(const fathom_ascent *p)
{
    const int64_t n = p->n, d = p->d;
    return 4 * n + 2 * d + 1 + d * d + (p->bias ? n * d + n + 2 * n : 0);
}

/* Lays a workspace out over `block`; square (n) is shared where the points stay as they are. */
static workspace workspace_over(double *block, double *square, const fathom_ascent *p,
                                const fathom_context *context)
{
    const int64_t n = p->n, d = p->d;
    workspace s = {.context = context, .x = p->x, .square = square, .k = -1};
    s.a = block;
    s.t = s.a + n;
    s.lambda = s.t + n;
    s.open = (int64_t *)(void *)(s.lambda + n);
    s.w = s.lambda + 2 * n;
    s.u = s.w + d;
    s.basis = s.u + d + 1;
    if (p->bias) {
        s.shifted = s.basis + d * d;
        s.x = s.shifted;
        s.square = s.shifted + n * d;
        s.order = (kink *)(void *)(s.square + n);
    }
    return s;
}

fathom_status fathom_ascent_run(double *u, double *value, const double *sign, int64_t count,
                                const fathom_ascent *problem, fathom_context *context)
{
    const int64_t n = problem->n, d = problem->d, width = fathom_ascent_width(problem);
    const int64_t room = workspace_size(problem);
    const double sweeps = 30 * (double)(count * n) * (double)d; /* of every ascent, at least */
    const int threads = fathom_threads_worth(sweeps, fathom_context_threads(context));
    double *block = fathom_memory_alloc(context, threads * room + n, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
    double *square = block + threads * room;
    for (int64_t i = 0; i < n; i++)
        square[i] = dot(problem->x + i * d, problem->x + i * d, d);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t k = 0; k < count; k++) {
        workspace s = workspace_over(block + omp_get_thread_num() * room, square, problem, context);
        const double norm = fathom_blas_norm(u + k * width, d);
        if (norm > 0)
            fathom_blas_scale(u + k * width, 1 / norm, width);
        if (fathom_context_stop_reason(context) == FATHOM_STOP_NONE)
            value[k] = ascend(u + k * width, problem, &s, outputs_of(problem) == 1 ? sign[k] : 1);
        else
            value[k] = 0;
    }
    fathom_memory_free(context, block);
    return FATHOM_OK;
}
