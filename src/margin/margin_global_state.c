/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of global margins in NPZ files: those between two rounds of cutting planes.
 *
 *     format    "fathom global margin checkpoint 1"
 *     problem   n, d, free biases, two halves of the seed and of a checksum of x and y
 *     numbers   round, last round with a better network and its margin, whether neurons came in the last round,
 *               neurons, neurons of the best network, scale of the program, calls of the ascent
 *     b (neurons x width), q, upper_q (n), alpha (neurons of the best network + 1, as the program gave them)
 *
 * Neither end of the interval is in the file: the network is judged and the dual point priced anew, so that
 * whatever is written into a state the interval holds. What follows the cutting planes begins anew; the same
 * rounds are made as without an interruption, bit for bit.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "clock.h"
#include "context_internal.h"
#include "margin_global.h"
#include "memory.h"
#include "state_file.h"

enum { PROBLEM = 7, NUMBERS = 8 };
static const char FORMAT[] = "fathom global margin checkpoint 1";
static const double PAUSE = 0.2; /* seconds between two files */

static void describe(double number[PROBLEM], const fathom_margin_run *run)
{
    const fathom_margin_points *p = run->points;
    const uint64_t seed = fathom_context_seed(run->context);
    uint64_t hash = fathom_state_hash(FATHOM_STATE_HASH, p->x, p->n * p->d);
    hash = fathom_state_hash(hash, p->y, p->n);
    const double values[PROBLEM] = {(double)p->n,
                                    (double)p->d,
                                    p->bias,
                                    (double)(seed >> 32),
                                    (double)(seed & 0xffffffffu),
                                    (double)(hash >> 32),
                                    (double)(hash & 0xffffffffu)};
    memcpy(number, values, sizeof values);
}

fathom_status fathom_global_state_write(const fathom_margin_cuts *c, const fathom_flat_search *search,
                                        fathom_cut_rounds *rounds)
{
    const char *path = c->run->options->checkpoint;
    const double now = fathom_clock_seconds();
    double problem[PROBLEM];
    fathom_npz_writer *writer;
    if (!path || now - rounds->saved < PAUSE || fathom_context_stop_reason(c->context) != FATHOM_STOP_NONE)
        return FATHOM_OK;
    const double number[NUMBERS] = {
        (double)rounds->number, (double)rounds->improved, rounds->best, rounds->grew,
        (double)c->count,       (double)c->used,          c->scale,     (double)search->calls};
    describe(problem, c->run);
    FATHOM_TRY(fathom_state_create(&writer, c->context, path, FORMAT, problem, PROBLEM));
    fathom_state_add(writer, "numbers", number, NUMBERS);
    fathom_state_add(writer, "b", c->b, c->count * c->width);
    fathom_state_add(writer, "q", c->q, c->n);
    fathom_state_add(writer, "upper_q", c->run->result->q, c->n);
    if (c->best)
        fathom_state_add(writer, "alpha", c->best + c->used + 1, c->used + 1);
    rounds->saved = now;
    return fathom_npz_commit(writer);
}

static fathom_status refuse(const fathom_margin_cuts *c)
{
    return fathom_error_set_at(c->context, FATHOM_ERROR_INPUT, c->run->options->resume, 0, 0,
                               "the state of the checkpoint makes no sense");
}

static bool is_count(double value, double most)
{
    return value >= 0 && value <= most && value == floor(value);
}

/* |b| = 1 to rounding, and a bias within the points. */
static bool is_neuron(const fathom_margin_cuts *c, const double *b)
{
    const double off = fabs(fathom_blas_norm(b, c->d) - 1);
    return off <= 2 * (double)(c->d + 2) * DBL_EPSILON &&
           (!c->points->bias || fabs(b[c->d]) <= c->points->radius * (1 + 8 * DBL_EPSILON));
}

/* Weights >= 0 of sum 1 (with free biases 1/2 on either label) within rounding. */
static bool is_dual(const fathom_margin_cuts *c, const double *q)
{
    double sum[2] = {0, 0};
    for (int64_t i = 0; i < c->n; i++) {
        if (!(q[i] >= 0 && q[i] <= 1))
            return false;
        sum[c->points->bias && c->points->y[i] < 0] += q[i];
    }
    const double whole = c->points->bias ? 0.5 : 1, slack = 4 * (double)(c->n + 4) * DBL_EPSILON;
    return fabs(sum[0] - whole) <= slack && (!c->points->bias || fabs(sum[1] - whole) <= slack);
}

/* Neurons from .. to - 1 of the list. */
static fathom_status add_neurons(fathom_margin_cuts *c, const double *b, int64_t from, int64_t to)
{
    fathom_status status = FATHOM_OK;
    for (int64_t k = from; k < to && status == FATHOM_OK; k++) {
        bool added = false;
        if (is_neuron(c, b + k * c->width))
            status = fathom_margin_cuts_add(c, b + k * c->width, &added);
        if (status == FATHOM_OK && !added)
            status = refuse(c);
    }
    return status;
}

/* The neurons, and the best network among them judged when those that it is made of are there. */
static fathom_status take_network(fathom_margin_cuts *c, const fathom_npz *npz, const double *number,
                                  double gap)
{
    const int64_t count = (int64_t)number[4], used = (int64_t)number[5];
    const char *path = c->run->options->resume;
    double *b = fathom_memory_alloc(c->context, count * c->width, sizeof *b);
    double *alpha = fathom_memory_alloc(c->context, 2 * (used + 1), sizeof *alpha);
    fathom_status status = b && alpha ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_state_take(b, npz, c->context, path, "b", count * c->width));
    FATHOM_THEN(status, add_neurons(c, b, 0, used));
    if (status == FATHOM_OK && used > 0) {
        status = fathom_state_take(alpha, npz, c->context, path, "alpha", used + 1);
        if (status == FATHOM_OK)
            fathom_margin_cuts_judge(c, &alpha, gap);
    }
    FATHOM_THEN(status, add_neurons(c, b, used, count));
    FATHOM_FREE(c->context, alpha, b);
    return status;
}

/* The dual point of the upper end, priced, and that of the next round. */
static fathom_status take_duals(fathom_margin_cuts *c, fathom_flat_search *search, const fathom_npz *npz,
                                double gap)
{
    fathom_margin_result *result = c->run->result;
    const char *path = c->run->options->resume;
    FATHOM_TRY(fathom_state_take(result->q, npz, c->context, path, "upper_q", c->n));
    FATHOM_TRY(fathom_state_take(c->q, npz, c->context, path, "q", c->n));
    if (!(is_dual(c, result->q) && is_dual(c, c->q)))
        FATHOM_TRY(refuse(c));
    FATHOM_TRY(fathom_flat_price(search, result->q));
    fathom_margin_narrow(result, 0, search->upper, gap);
    return FATHOM_OK;
}

fathom_status fathom_global_state_read(fathom_margin_cuts *c, fathom_flat_search *search,
                                       fathom_cut_rounds *rounds, double gap)
{
    enum { MOST = 1 << 20 };
    const char *path = c->run->options->resume;
    double problem[PROBLEM], number[NUMBERS];
    fathom_npz *npz;
    describe(problem, c->run);
    FATHOM_TRY(fathom_state_open(&npz, c->context, path, FORMAT, problem, PROBLEM));
    fathom_status status = fathom_state_take(number, npz, c->context, path, "numbers", NUMBERS);
    if (status == FATHOM_OK &&
        !(is_count(number[0], MOST) && is_count(number[1], MOST) && number[2] >= 0 &&
          is_count(number[3], 1) && is_count(number[4], MOST) && is_count(number[5], number[4]) &&
          number[6] > 0 && number[6] < INFINITY && is_count(number[7], MOST)))
        status = refuse(c);
    FATHOM_THEN(status, take_network(c, npz, number, gap));
    FATHOM_THEN(status, take_duals(c, search, npz, gap));
    if (status == FATHOM_OK) {
        *rounds = (fathom_cut_rounds){(int64_t)number[0], (int64_t)number[1], number[2], number[3] != 0, 0};
        c->scale = number[6];
        search->calls = (uint32_t)number[7];
    }
    fathom_npz_close(npz);
    return status;
}
