/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gamma_V where points are many and gates few: a working set of points.
 *
 * At the optimum at most m D + 1 points carry weight in q, so most rows of the program are idle when n is much larger.
 * The interior point solves the program of a subset; its q, with zeros elsewhere, bounds gamma_V from above as it stands, and
 * its W, judged on all n points, from below. The points with the smallest margins then join, until the two meet. gamma_V falls
 * with every point, and 0 is the usual answer for m D far below n: it is met on a small subset already.
 * Cost: a pass of m n d / 2 per round; rounds double the set at most. The interval is certified on all points.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "margin_internal.h"
#include "memory.h"

enum { NUMBERS = 5, PIECES = 4 };

typedef struct working {
    const fathom_margin_problem *p;
    fathom_context *context;
    fathom_margin_work *work; /* of all points */
    int64_t size, dimension;
    int64_t *point;      /* n: the first `size` are in the set */
    bool *inside;        /* n */
    double *z;           /* size x d */
    uint64_t *bits;      /* m x words of the set */
    double *q, *margin;  /* n */
    double *w, *s;       /* m x D */
    double lower, upper; /* best so far */
    double state[NUMBERS],
        *listed; /* as in a file; listed (n): the points in their order, -1 behind the last */
} working;

static void working_free(working *a)
{
    void *blocks[] = {a->point, a->inside, a->z, a->bits, a->q, a->w};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(a->context, blocks[k]);
    fathom_margin_work_free(a->work);
}

static fathom_status working_create(working *a, fathom_context *context, const fathom_margin_problem *p)
{
    const int64_t n = p->n, size = p->m * fathom_margin_dimension(p);
    *a = (working){.p = p, .context = context, .dimension = fathom_margin_dimension(p), .upper = INFINITY};
    FATHOM_TRY(fathom_margin_work_create(&a->work, context, p, false));
    a->point = fathom_memory_alloc(context, n, sizeof *a->point);
    a->inside = fathom_memory_zero(context, n, sizeof *a->inside);
    a->z = fathom_memory_alloc(context, n * p->d, sizeof(double));
    a->bits = fathom_memory_alloc(context, p->m * p->words, sizeof *a->bits);
    a->q = fathom_memory_alloc(context, 3 * n, sizeof(double));
    a->w = fathom_memory_alloc(context, 2 * size, sizeof(double));
    if (!a->point || !a->inside || !a->z || !a->bits || !a->q || !a->w)
        return FATHOM_ERROR_MEMORY;
    a->margin = a->q + n;
    a->listed = a->q + 2 * n;
    a->s = a->w + size;
    return FATHOM_OK;
}

static void join(working *a, int64_t i)
{
    a->inside[i] = true;
    a->point[a->size++] = i;
}

/* The program of the set: the same gates, the set's rows and bits. */
static fathom_margin_problem restrict_problem(working *a)
{
    const fathom_margin_problem *p = a->p;
    fathom_margin_problem sub = *p;
    sub.n = a->size;
    sub.words = (a->size + 63) / 64;
    memset(a->bits, 0, (size_t)(p->m * sub.words) * sizeof *a->bits);
    for (int64_t k = 0; k < a->size; k++) {
        const int64_t i = a->point[k];
        memcpy(a->z + k * p->d, p->z + i * p->d, (size_t)p->d * sizeof *a->z);
        for (int64_t j = 0; j < p->m; j++)
            a->bits[j * sub.words + k / 64] |= (p->bits[j * p->words + i / 64] >> i % 64 & 1) << k % 64;
    }
    sub.z = a->z;
    sub.bits = a->bits;
    return sub;
}

/* Solves on the set; keeps q where it is the best from above and W where it is the best on all points. */
static fathom_status solve_set(fathom_margin_pair *pair, working *a, const fathom_margin_target *target)
{
    const int64_t n = a->p->n;
    const fathom_margin_problem sub = restrict_problem(a);
    const fathom_margin_target finer = {target->gap / 2, target->absolute, target->doubt, target->limit};
    fathom_margin_pair part = {.q = a->q, .w = a->w};
    FATHOM_TRY(fathom_margin_interior(&part, a->context, &sub, &finer));
    pair->iterations += part.iterations;
    if (part.upper < a->upper) {
        a->upper = part.upper;
        memset(pair->q, 0, (size_t)n * sizeof *pair->q);
        for (int64_t k = 0; k < a->size; k++)
            pair->q[a->point[k]] = a->q[k];
    }
    fathom_margin_scores(a->margin, a->p, a->p->rho, a->w, a->work);
    double least = INFINITY;
    for (int64_t i = 0; i < n; i++)
        least = fmin(least, a->margin[i]);
    if (least > a->lower) {
        a->lower = least;
        memcpy(pair->w, a->w, (size_t)(a->p->m * a->dimension) * sizeof *a->w);
    }
    return FATHOM_OK;
}

/* The points outside whose margins are smallest and below the bound from above join, half as many as there are. */
static bool grow(working *a)
{
    enum { LEAST = 32 };
    const int64_t before = a->size, most = before / 2 < LEAST ? LEAST : before / 2;
    double low = INFINITY, high = a->upper; /* bisection for a threshold that lets about `most` in */
    for (int64_t i = 0; i < a->p->n; i++)
        low = fmin(low, a->margin[i]);
    double threshold = high;
    for (int k = 0; k < 50; k++) {
        int64_t count = 0;
        for (int64_t i = 0; i < a->p->n; i++)
            count += !a->inside[i] && a->margin[i] < threshold;
        if (count <= most && (k == 0 || count >= most / 2))
            break;
        *(count > most ? &high : &low) = threshold;
        threshold = (low + high) / 2;
    }
    for (int64_t i = 0; i < a->p->n && a->size < before + most; i++)
        if (!a->inside[i] && a->margin[i] < threshold)
            join(a, i);
    return a->size > before;
}

static void list_pieces(fathom_margin_piece piece[PIECES], working *a, const fathom_margin_pair *pair)
{
    piece[0] = (fathom_margin_piece){"numbers", a->state, NUMBERS};
    piece[1] = (fathom_margin_piece){"points", a->listed, a->p->n};
    piece[2] = (fathom_margin_piece){"best_q", pair->q, a->p->n};
    piece[3] = (fathom_margin_piece){"best_w", pair->w, a->p->m * a->dimension};
}

/* The state before a round; before the first there is no pair, and no bound from above. */
static fathom_status write_state(const fathom_margin_pair *pair, working *a, int64_t round)
{
    fathom_margin_piece piece[PIECES];
    const double number[NUMBERS] = {(double)a->size, (double)round, (double)pair->iterations, a->lower,
                                    isfinite(a->upper) ? a->upper : -1};
    memcpy(a->state, number, sizeof number);
    for (int64_t k = 0; k < a->p->n; k++)
        a->listed[k] = k < a->size ? (double)a->point[k] : -1;
    list_pieces(piece, a, pair);
    return fathom_margin_keep(pair->keeper, FATHOM_MARGIN_WORKING_SET, a->p, piece, PIECES);
}

/* The set of a state, or the first one; *round is the next. */
static fathom_status begin(int64_t *round, fathom_margin_pair *pair, working *a)
{
    const int64_t n = a->p->n, first = 2 * a->p->m * a->dimension + 32, start = first < n ? first : n;
    const double *number = a->state;
    fathom_margin_piece piece[PIECES];
    bool resumed;
    *round = 1;
    list_pieces(piece, a, pair);
    FATHOM_TRY(fathom_margin_resume(&resumed, pair->keeper, FATHOM_MARGIN_WORKING_SET, a->p, piece, PIECES));
    for (int64_t k = 0; k < start && !resumed; k++)
        join(a, k * n / start);
    if (!resumed)
        return FATHOM_OK;
    if (!(number[0] >= 1 && fathom_margin_is_count(number[0], (double)n) &&
          fathom_margin_is_count(number[1], 1e15) && fathom_margin_is_count(number[2], 1e15)))
        return fathom_margin_refuse(pair->keeper);
    for (int64_t k = 0; k < (int64_t)number[0]; k++) {
        if (!fathom_margin_is_count(a->listed[k], (double)(n - 1)) || a->inside[(int64_t)a->listed[k]])
            return fathom_margin_refuse(pair->keeper);
        join(a, (int64_t)a->listed[k]);
    }
    *round = (int64_t)number[1];
    pair->iterations = (int64_t)number[2];
    a->lower = number[3];
    a->upper = number[4];
    if (*round > 1)
        return fathom_margin_believe(pair->keeper, pair, a->lower, a->upper, a->s, a->margin, a->p, a->work);
    a->lower = 0;
    a->upper = INFINITY;
    memset(pair->w, 0, (size_t)(a->p->m * a->dimension) * sizeof *pair->w);
    return FATHOM_OK;
}

static fathom_status run_rounds(fathom_margin_pair *pair, working *a, const fathom_margin_target *target)
{
    const double slack = fathom_margin_slack(a->p, target, a->work);
    int64_t round;
    fathom_status status = begin(&round, pair, a);
    pair->outcome = FATHOM_MARGIN_STALLED;
    for (; status == FATHOM_OK; round++) {
        FATHOM_TRY(write_state(pair, a, round));
        status = solve_set(pair, a, target);
        if (status != FATHOM_OK)
            break;
        if (a->upper <= target->absolute || fathom_margin_is_reached(a->lower, a->upper, slack, target)) {
            pair->outcome = a->upper <= target->absolute ? FATHOM_MARGIN_ZERO : FATHOM_MARGIN_REACHED;
            break;
        }
        if (fathom_context_poll(a->context, "working set", round, a->upper, a->lower)) {
            pair->outcome = FATHOM_MARGIN_STOPPED;
            break;
        }
        if (!grow(a))
            break;
    }
    return status;
}

fathom_status fathom_margin_by_working_set(fathom_margin_pair *pair, fathom_context *context,
                                           const fathom_margin_problem *p, const fathom_margin_target *target)
{
    working a;
    fathom_status status = working_create(&a, context, p);
    pair->iterations = 0;
    if (status == FATHOM_OK) {
        memset(pair->w, 0, (size_t)(p->m * a.dimension) * sizeof *pair->w);
        memset(pair->q, 0, (size_t)p->n * sizeof *pair->q);
        status = run_rounds(pair, &a, target);
    }
    if (status == FATHOM_OK)
        fathom_margin_finish(pair, a.s, a.margin, p, target, a.work);

    working_free(&a);
    return status;
}
