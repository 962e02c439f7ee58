/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of margins that are finite programs, in NPZ files: those between two iterations of the method at hand.
 *
 *     format    "fathom finite margin checkpoint 1"
 *     problem   method, n, d, m, numbers of a neuron, two halves of a checksum of points, gates and weights
 *     ...       what the method needs to go on: its numbers, its iterate, the best pair so far
 *
 * The interval is not in the file: that of the best pair is certified at the end, as without a state. What a method
 * believes of the pair on its way (to know when it is done) must be what the pair gives, else the state is refused.
 * A resumed run makes the iterations of an undisturbed one, bit for bit.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "clock.h"
#include "context_internal.h"
#include "margin_internal.h"
#include "state_file.h"

enum { PROBLEM = 7 };
static const char FORMAT[] = "fathom finite margin checkpoint 1";

static void describe(double number[PROBLEM], fathom_margin_solver method, const fathom_margin_problem *p)
{
    const int64_t dimension = fathom_margin_dimension(p);
    uint64_t hash = fathom_state_hash(FATHOM_STATE_HASH, p->z, p->n * p->d);
    hash = fathom_state_hash(hash, p->bits, p->m * p->words);
    hash = fathom_state_hash(hash, p->rho, p->m);
    if (p->gain)
        hash = fathom_state_hash(fathom_state_hash(hash, p->gain, p->m), p->aim, p->m * p->d);
    const double values[PROBLEM] = {method,
                                    (double)p->n,
                                    (double)p->d,
                                    (double)p->m,
                                    (double)dimension,
                                    (double)(hash >> 32),
                                    (double)(hash & 0xffffffffu)};
    memcpy(number, values, sizeof values);
}

fathom_status fathom_margin_keep(fathom_margin_keeper *keeper, fathom_margin_solver method,
                                 const fathom_margin_problem *p, const fathom_margin_piece *piece, int count)
{
    const double now = fathom_clock_seconds();
    double problem[PROBLEM];
    fathom_npz_writer *writer;
    if (!keeper || !keeper->checkpoint || now - keeper->saved < keeper->pause ||
        fathom_context_stop_reason(keeper->context) != FATHOM_STOP_NONE)
        return FATHOM_OK;
    describe(problem, method, p);
    FATHOM_TRY(fathom_state_create(&writer, keeper->context, keeper->checkpoint, FORMAT, problem, PROBLEM));
    for (int k = 0; k < count; k++)
        fathom_state_add(writer, piece[k].name, piece[k].values, piece[k].count);
    keeper->saved = now;
    return fathom_npz_commit(writer);
}

fathom_status fathom_margin_refuse(const fathom_margin_keeper *keeper)
{
    return fathom_error_set_at(keeper->context, FATHOM_ERROR_INPUT, keeper->resume, 0, 0,
                               "the state of the checkpoint makes no sense");
}

fathom_status fathom_margin_resume(bool *resumed, const fathom_margin_keeper *keeper,
                                   fathom_margin_solver method, const fathom_margin_problem *p,
                                   const fathom_margin_piece *piece, int count)
{
    double problem[PROBLEM];
    fathom_npz *npz;
    *resumed = keeper && keeper->resume;
    if (!*resumed)
        return FATHOM_OK;
    describe(problem, method, p);
    FATHOM_TRY(fathom_state_open(&npz, keeper->context, keeper->resume, FORMAT, problem, PROBLEM));
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < count && status == FATHOM_OK; k++) {
        status = fathom_state_take(piece[k].values, npz, keeper->context, keeper->resume, piece[k].name,
                                   piece[k].count);
        for (int64_t i = 0; i < piece[k].count && status == FATHOM_OK; i++)
            if (!isfinite(piece[k].values[i]))
                status = fathom_margin_refuse(keeper);
    }
    fathom_npz_close(npz);
    return status;
}

fathom_status fathom_margin_believe(const fathom_margin_keeper *keeper, const fathom_margin_pair *pair,
                                    double lower, double upper, double *s, double *margin,
                                    const fathom_margin_problem *p, fathom_margin_work *work)
{
    static const double ROUNDING = 1e-9, FLOOR = 1e-12; /* of the value, of the longest point */
    const int64_t dimension = fathom_margin_dimension(p);
    double value = 0, least = INFINITY, longest = 0, sum = 0, radius = 0;
    fathom_margin_sums(s, p, pair->q, work);
    fathom_margin_scores(margin, p, p->rho, pair->w, work);
    for (int64_t j = 0; j < p->m; j++) {
        value += p->rho[j] * fathom_blas_norm(s + j * dimension, dimension);
        longest = fmax(longest, fathom_blas_norm(pair->w + j * dimension, dimension));
    }
    for (int64_t i = 0; i < p->n; i++) {
        least = fmin(least, margin[i]);
        sum += pair->q[i];
        radius = fmax(radius, fathom_blas_norm(p->z + i * p->d, p->d));
        if (pair->q[i] < 0)
            return fathom_margin_refuse(keeper);
    }
    const double scale = ROUNDING * value + FLOOR * radius;
    const bool right = fabs(sum - 1) <= ROUNDING && longest <= 1 + ROUNDING && fabs(value - upper) <= scale &&
                       fabs(fmax(least, 0) - fmax(lower, 0)) <= scale;
    return right ? FATHOM_OK : fathom_margin_refuse(keeper);
}

bool fathom_margin_is_count(double value, double most)
{
    return value >= 0 && value <= most && value == floor(value);
}
