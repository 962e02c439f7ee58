/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The joint relaxation where points are many: a search in single precision in which alpha is eliminated.
 *
 * For given C the best alpha of one side solves alpha_j = sqrt(C_j'W C_j), W = (S/|S|_q)^(q-1), S = sum_j
 * C_j C_j'/alpha_j. So instead of n + 1
 * variables log alpha a side keeps one d x d matrix W. With W at hand, e > 0 and D the ball of a free bias
 * (1 without)
 *
 *     alpha_j = sqrt(C_j'D W D C_j + e^2),   A = sum_j alpha_j,   N = |D S D|_q + e^2 sum_j 1/alpha_j,   log
 * P = (log A + log N)/2 - log 2,
 *
 * an upper bound of the side's price for every W and e (2|c| <= a + (c^2 + e^2)/a). Its derivatives with W
 * held, V = (DSD/|DSD|_q)^(q-1),
 *
 *     d log P/dC_j = (D V D C_j / N + h_j D W D C_j / 2) / alpha_j,     h_j = 1/A - (C_j'D V D C_j + e^2) /
 * (alpha_j^2 N),
 *
 * h vanishing where W is at its fixed point. After every step that is taken log W <- (1 - t) log W + t (q -
 * 1) log(DSD/|DSD|_q), t = 1.6/(q + 1); during a line
 * search it stands still. The objective is -log D(s v) + 0.15 (log P/beta)^2: the first is the same for all
 * multiples of (v, Theta), which the
 * second keeps in place. q grows from 3 to 65 while e and the width of the hyperbola shrink: with a large q
 * from the start the search
 * stands still.
 *
 * Nothing of this is part of a proof. A bound is that of the numbers found, taken as exact, with alpha at
 * its fixed point (more steps, e = 0):
 * fathom_joint_side_price rounds it with care. A step costs 4 rows k d + 3 n d^2 operations on numbers of
 * half the length.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "joint_swift.h"
#include "lbfgs_single.h"
#include "loss_row.h"
#include "memory.h"

enum { MEMORY = 4, CHUNK = 120, OPENING = 24 };

/* Order q = 2^doublings + 1, widths in units of mean |v|, sharpness of the maximum over the sides, steps. */
static const fathom_joint_phase stages[] = {{1, 0.05, 30, 80},    {2, 0.02, 60, 120},   {3, 0.01, 100, 200},
                                            {4, 0.005, 200, 300}, {5, 0.003, 300, 480}, {6, 0.002, 400, 960}};

/* Orders of the fixed point before a bound is taken, one after the other up to 2^FINEST + 1, and steps at
 * each. */
enum { FINEST = 6, SETTLING = 6, LAST = 16 };

static const double HELD = 0.15;  /* of (log P/beta)^2 */
static const double LEAST = 2e-5; /* relative gain of ten steps below which a stage ends */

typedef struct swift {
    fathom_joint *joint;
    fathom_swift_side side[2];
    int64_t size, at[2]; /* variables: v, then the multipliers of each side, then t of each side */
    double length;       /* mean |x_i| */
    double *lengths;     /* n: |x_i| over its mean */
    double *v;           /* n: the variables of v in double */
    double *gradient;    /* n */
    double *primal;      /* 3 n: a point of the relaxation's primal, side by side, and room */
    float *z, *lower, *upper;
} swift;

static int threads_for(const swift *b)
{
    const int threads = fathom_context_threads(b->joint->p->context);
    const double work = (double)(b->size + 4 * b->side[0].n * b->side[0].ld) * (double)b->side[0].ld;
    return fathom_threads_worth(work, threads < 2 ? threads : 2);
}

static bool scales(const fathom_joint *a)
{
    return a->p->equality || !fathom_loss_row_of(a->p->loss)->kinked;
}

/* -log D(s v) + HELD (log P/beta)^2, by the variables z. */
static double objective(void *user, float *gradient, const float *z)
{
    swift *b = user;
    fathom_joint *a = b->joint;
    const int64_t n = a->p->n;
    double log_price[2], by_log_price;
    for (int64_t i = 0; i < n; i++)
        b->v[i] = (double)z[i] / b->lengths[i];
    fathom_joint_place(a, b->v);
#pragma omp parallel for schedule(static) num_threads(threads_for(b))
    for (int k = 0; k < 2; k++) {
        if (a->p->constant)
            fathom_swift_ball(b->side + k, true, (double)z[b->size - 2 + k]);
        log_price[k] = fathom_swift_value(b->side + k, a->v, z + b->at[k], (float)(a->now.bend * a->scale),
                                          a->p->context);
    }
    if (fathom_context_overdue(a->p->context))
        return INFINITY; /* what was computed may be a part of itself */
    const double top = fmax(log_price[0], log_price[1]);
    const double share = 1 / (1 + exp(a->now.sharpness * (fmin(log_price[0], log_price[1]) - top)));
    const double smooth = top - log(share) / a->now.sharpness, off = smooth - log(a->p->beta);
    const double value = fathom_joint_dual(a, smooth, &by_log_price), held = scales(a) ? HELD : 0;
    if (!(value > 0) || !isfinite(top))
        return INFINITY;
    const double slope = 2 * held * off - by_log_price / value;
#pragma omp parallel for schedule(static) num_threads(threads_for(b))
    for (int k = 0; k < 2; k++)
        fathom_swift_slope(a->side_v + k * n, gradient + b->at[k],
                           a->p->constant ? gradient + b->size - 2 + k : NULL, b->side + k,
                           slope * (log_price[k] == top ? share : 1 - share));
    for (int64_t i = 0; i < n; i++)
        b->gradient[i] = a->side_v[i] + a->side_v[n + i] - a->slope[i] / value;
    fathom_joint_pull_back(b->gradient, a, b->v);
    for (int64_t i = 0; i < n; i++)
        gradient[i] = (float)(b->gradient[i] / b->lengths[i]);
    return -log(value) + held * off * off;
}

/* W follows a step. */
static void step_taken(void *user)
{
    swift *b = user;
#pragma omp parallel for schedule(static) num_threads(threads_for(b))
    for (int k = 0; k < 2; k++)
        fathom_swift_follow(b->side + k);
}

/* Variables of the relaxation into single precision, or back. */
static void transfer(swift *b, bool into)
{
    fathom_joint *a = b->joint;
    for (int k = -1; k < 2; k++) {
        const int64_t from = k < 0 ? 0 : a->offset[k], to = k < 0 ? 0 : b->at[k];
        const int64_t count = k < 0 ? a->p->n : a->side[k].rows * (a->side[k].k + 2);
        for (int64_t t = 0; t < count; t++) {
            const double length = b->lengths[k < 0 ? t : a->side[k].point[t / (a->side[k].k + 2)]];
            if (into) {
                b->z[to + t] = (float)(length * a->x[from + t]);
                b->lower[to + t] = (float)(length * a->lower[from + t]);
                b->upper[to + t] = (float)(length * a->upper[from + t]);
            } else {
                a->x[from + t] =
                    fmin(fmax((double)b->z[to + t] / length, a->lower[from + t]), a->upper[from + t]);
            }
        }
        if (k < 0 || !a->p->constant)
            continue;
        double *t = a->x + from + count + a->p->n + 1;
        if (into) {
            b->z[b->size - 2 + k] = (float)*t;
            b->lower[b->size - 2 + k] = (float)-FATHOM_JOINT_FLATTEST;
            b->upper[b->size - 2 + k] = (float)FATHOM_JOINT_FLATTEST;
        } else {
            *t = (double)b->z[b->size - 2 + k];
        }
    }
}

/* The bound of the variables as they are, alpha at its fixed point; *price its price. W of the search is as
 * before. */
static fathom_status certify(double *price, swift *b, fathom_joint_result *result, double *best,
                             const fathom_joint_options *options)
{
    fathom_joint *a = b->joint;
    const int64_t n = a->p->n;
    const double sharpness = a->now.sharpness;
    transfer(b, false);
    a->now.sharpness = INFINITY;
    fathom_joint_place(a, a->x);
#pragma omp parallel for schedule(static) num_threads(threads_for(b))
    for (int k = 0; k < 2; k++) {
        fathom_swift_side *side = b->side + k;
        const int doublings = side->doublings > 0 ? side->doublings : 1, order = side->doublings;
        const double e = side->e;
        const size_t bytes = (size_t)(side->ld * side->ld) * sizeof *side->log_w;
        const int64_t from = a->offset[k] + a->side[k].rows * (a->side[k].k + 2);
        memcpy(side->kept, side->log_w, bytes);
        side->e = 1e-4 * a->scale * b->length;
        if (a->p->constant)
            fathom_swift_ball(side, true, (double)b->z[b->size - 2 + k]);
        for (int l = doublings; l <= FINEST; l++) {
            fathom_swift_order(side, l);
            fathom_swift_settle(side, a->v, b->z + b->at[k], 0, l < FINEST ? SETTLING : LAST, a->p->context);
        }
        for (int64_t j = 0; j <= n; j++)
            a->x[from + j] = fmin(fmax(log((double)side->alpha[j]), a->lower[from + j]), a->upper[from + j]);
        fathom_swift_primal(b->primal + k * n, side);
        memcpy(side->log_w, side->kept, bytes);
        side->doublings = order;
        side->e = e;
        fathom_swift_weights(side);
    }
    FATHOM_TRY(fathom_joint_consider(price, result, best, a, options->proof));
    if (fathom_joint_cut_off(a, *price / a->p->beta)) {
        double other;
        FATHOM_TRY(fathom_joint_consider(&other, result, best, a, options->proof));
    }
    a->now.sharpness = sharpness;
    return FATHOM_OK;
}

/* (v, Theta) times beta / P: the search is about as far from 0 as the bound is taken. */
static void rescale(swift *b, double price)
{
    fathom_joint *a = b->joint;
    const double times = a->p->beta / price;
    if (!scales(a) || !(price > 0) || !isfinite(price))
        return;
    const int64_t count = b->size - (a->p->constant ? 2 : 0);
    for (int64_t t = 0; t < count; t++)
        b->z[t] *= (float)times;
    a->scale *= times;
    for (int k = 0; k < 2; k++)
        a->side[k].unit *= times;
    transfer(b, false);
}

/* One stage, in pieces: after each the bound is compared with the best. *ended: it is good enough, or the
 * context asks to stop. */
static fathom_status run_stage(bool *ended, double *price, swift *b, const fathom_joint_phase *stage,
                               fathom_joint_result *result, double *best, const fathom_joint_options *options,
                               float *work)
{
    fathom_joint *a = b->joint;
    fathom_context *context = a->p->context;
    fathom_status status = FATHOM_OK;
    const fathom_lbfgs_single_options descent = {CHUNK, MEMORY, LEAST, b->lower, b->upper, step_taken};
    a->now = *stage;
    a->now.sharpness = INFINITY;
    fathom_joint_place(a, a->x);
    a->now = *stage;
    for (int k = 0; k < 2; k++) {
        b->side[k].e = stage->bend * a->scale * b->length;
        fathom_swift_order(b->side + k, stage->doublings);
        fathom_swift_settle(b->side + k, a->v, b->z + b->at[k], (float)(stage->bend * a->scale), OPENING / 4,
                            context);
    }
    for (int64_t left = stage->steps; left > 0 && status == FATHOM_OK && !*ended; left -= CHUNK) {
        const double before = result->lower;
        fathom_lbfgs_single_options now = descent;
        now.iterations = left < CHUNK ? left : CHUNK;
        fathom_lbfgs_single_run(b->z, context, b->size, objective, b, &now, work);
        status = certify(price, b, result, best, options);
        *ended =
            fathom_context_poll(context, "joint bound", stage->doublings, options->value / options->divisor,
                                result->lower / options->divisor) != FATHOM_STOP_NONE ||
            !(result->lower < options->enough);
        if (result->lower - before < 1e-3 * result->lower)
            break;
    }
    return status;
}

static void swift_close(swift *b)
{
    fathom_context *context = b->joint->p->context;
    fathom_swift_close(b->side, context);
    fathom_swift_close(b->side + 1, context);
    FATHOM_FREE(context, b->v, b->z);
}

static fathom_status swift_open(swift *b, fathom_joint *a)
{
    const int64_t n = a->p->n;
    *b = (swift){.joint = a, .size = n};
    for (int k = 0; k < 2; k++) {
        b->at[k] = b->size;
        b->size += a->side[k].rows * (a->side[k].k + 2);
    }
    b->size += a->p->constant ? 2 : 0;
    for (int64_t i = 0; i < n; i++)
        b->length += a->p->reach[i] / (double)n;
    b->v = fathom_memory_zero(a->p->context, 6 * n, sizeof *b->v);
    b->z = fathom_memory_alloc(a->p->context, 3 * b->size, sizeof *b->z);
    if (!b->v || !b->z)
        return FATHOM_ERROR_MEMORY;
    b->gradient = b->v + n;
    b->lengths = b->gradient + n;
    b->primal = b->lengths + n;
    for (int64_t i = 0; i < n; i++)
        b->lengths[i] = a->p->reach[i] > 0 && b->length > 0 ? a->p->reach[i] / b->length : 1;
    b->lower = b->z + b->size;
    b->upper = b->lower + b->size;
    FATHOM_TRY(fathom_swift_open(b->side, a->side, a->p, b->lengths));
    FATHOM_TRY(fathom_swift_open(b->side + 1, a->side + 1, a->p, b->lengths));
    for (int k = 0; k < 2; k++)
        b->side[k].ball[0] = b->side[k].ball[1] = 1;
    transfer(b, true);
    return FATHOM_OK;
}

/* The smoothed price at the start, W found from nothing: orders grow to that of the stage. */
static double first_price(swift *b, int doublings)
{
    fathom_joint *a = b->joint;
    double log_price[2];
    a->now.sharpness = INFINITY;
    fathom_joint_place(a, a->x);
#pragma omp parallel for schedule(static) num_threads(threads_for(b))
    for (int k = 0; k < 2; k++) {
        fathom_swift_side *side = b->side + k;
        const float *z = b->z + b->at[k], bend = (float)(0.05 * a->scale);
        side->e = 0.05 * a->scale * b->length;
        if (a->p->constant)
            fathom_swift_ball(side, true, (double)b->z[b->size - 2 + k]);
        for (int l = 1; l <= doublings; l++) {
            fathom_swift_order(side, l);
            fathom_swift_settle(side, a->v, z, bend, l == 1 ? OPENING : SETTLING, a->p->context);
        }
        log_price[k] = fathom_swift_value(side, a->v, z, bend, a->p->context);
    }
    return exp(fmax(log_price[0], log_price[1]));
}

fathom_status fathom_joint_swift(bool *ended, fathom_joint_result *result, double *v, fathom_joint *a,
                                 const fathom_joint_options *options)
{
    const int64_t all = sizeof stages / sizeof stages[0], count = options->brief ? 1 : all;
    swift b;
    float *work = NULL;
    if (a->stage >= count)
        return FATHOM_OK;
    fathom_status status = swift_open(&b, a);
    if (status == FATHOM_OK) {
        work = fathom_memory_alloc(a->p->context, fathom_lbfgs_single_work(b.size, MEMORY), sizeof *work);
        status = work ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    double price = status == FATHOM_OK ? first_price(&b, stages[a->stage].doublings) : 0;
    for (; a->stage < count && status == FATHOM_OK && !*ended; a->stage++) {
        rescale(&b, price);
        status = run_stage(ended, &price, &b, stages + a->stage, result, v, options, work);
    }
    if (status == FATHOM_OK && !a->p->constant && !a->p->equality &&
        fathom_context_stop_reason(a->p->context) == FATHOM_STOP_NONE)
        a->limit = fathom_swift_limit(a->p, b.primal);
    fathom_memory_free(a->p->context, work);
    swift_close(&b);
    return status;
}
