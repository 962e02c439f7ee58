/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of sampled margins in NPZ files.
 *
 *     format    "fathom margin checkpoint 2"
 *     problem   n, d, kind, confidence, two halves of the seed and of a checksum of x and y
 *     numbers   drawn, looks (-1: the program of the training gates was cut short), count, spent, interruptions, slope of the value, mu, smoothing, best;
 *               then number, count, mu and slope of the value of the looks that the ends of the interval came from, and of the last
 *     q, slope (n)      of the next look
 *     kept (6 n)        q and slope of those three looks
 *
 * A state is that between two looks. A look that is cut short is begun anew, so that a resumed run makes
 * the looks that the first one would have made, bit for bit, and spends the same probabilities of failure.
 * The interval is not in the file: the program of the training gates is solved again, and the looks that
 * gave its ends are drawn again, which costs at most half of what the next look does where they are the
 * last one.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "margin_sampler.h"
#include "state_file.h"

enum { PROBLEM = 8, OWN = 9, EACH = 4, NUMBERS = OWN + EACH * FATHOM_LOOKS_KEPT };
static const char FORMAT[] = "fathom margin checkpoint 2";

static void describe(double number[PROBLEM], const fathom_margin_run *run)
{
    const fathom_margin_points *p = run->points;
    const uint64_t seed = fathom_context_seed(run->context);
    uint64_t hash = fathom_state_hash(FATHOM_STATE_HASH, p->x, p->n * p->d);
    hash = fathom_state_hash(hash, p->y, p->n);
    const double values[PROBLEM] = {(double)p->n,         (double)p->d,
                                    run->options->kind,   run->options->confidence,
                                    (double)(seed >> 32), (double)(seed & 0xffffffffu),
                                    (double)(hash >> 32), (double)(hash & 0xffffffffu)};
    memcpy(number, values, sizeof values);
}

fathom_status fathom_sampler_write(const fathom_sampler *a)
{
    const char *path = a->run->options->checkpoint;
    double number[NUMBERS] = {(double)a->drawn,
                              a->trained ? (double)a->looks : -1,
                              (double)a->count,
                              a->spent,
                              (double)a->interruptions,
                              a->plan.value_slope,
                              a->plan.mu,
                              a->smoothing,
                              a->best};
    double problem[PROBLEM];
    fathom_npz_writer *writer;
    if (!path)
        return FATHOM_OK;
    for (int k = 0; k < FATHOM_LOOKS_KEPT; k++) {
        const double look[EACH] = {(double)a->kept[k].number, (double)a->kept[k].count, a->kept[k].mu,
                                   a->kept[k].value_slope};
        memcpy(number + OWN + EACH * k, look, sizeof look);
    }
    describe(problem, a->run);
    FATHOM_TRY(fathom_state_create(&writer, a->run->context, path, FORMAT, problem, PROBLEM));
    fathom_state_add(writer, "numbers", number, NUMBERS);
    fathom_state_add(writer, "q", a->q, a->n);
    fathom_state_add(writer, "slope", a->slope, a->n);
    fathom_state_add(writer, "kept", a->kept_block, 2 * FATHOM_LOOKS_KEPT * a->n);
    return fathom_npz_commit(writer);
}

/* Opens the file of --resume, which must belong to the run's problem, and reads its numbers. */
static fathom_status open_state(fathom_npz **npz, double number[NUMBERS], const fathom_margin_run *run)
{
    const char *path = run->options->resume;
    double problem[PROBLEM];
    describe(problem, run);
    FATHOM_TRY(fathom_state_open(npz, run->context, path, FORMAT, problem, PROBLEM));
    fathom_status status = fathom_state_take(number, *npz, run->context, path, "numbers", NUMBERS);
    for (int k = 0; k < 5 && status == FATHOM_OK; k++) /* NaN fails, too */
        if (!(number[k] >= (k == 0 ? 1 : k == 1 ? -1 : 0) && number[k] < 1e15))
            status =
                fathom_error_set_at(run->context, FATHOM_ERROR_INPUT, path, 0, 0, "numbers are out of range");
    if (status != FATHOM_OK)
        fathom_npz_close(*npz);
    return status;
}

fathom_status fathom_sampler_resume_drawn(int64_t *drawn, fathom_margin_run *run)
{
    fathom_npz *npz;
    double number[NUMBERS];
    FATHOM_TRY(open_state(&npz, number, run));
    *drawn = (int64_t)number[0];
    fathom_npz_close(npz);
    return FATHOM_OK;
}

static fathom_status refuse(const fathom_sampler *a, const char *what)
{
    return fathom_error_set_at(a->run->context, FATHOM_ERROR_INPUT, a->run->options->resume, 0, 0, "%s",
                               what);
}

/* A dual point: weights >= 0 of sum 1, within the rounding of a step that ends on the simplex. */
static bool is_dual(const double *q, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(q[i] >= 0))
            return false;
        sum += q[i];
    }
    return fabs(sum - 1) <= 1e-6;
}

/* The looks that the file describes. */
static fathom_status take_looks(fathom_sampler *a, const double number[NUMBERS])
{
    for (int k = 0; k < FATHOM_LOOKS_KEPT; k++) {
        fathom_look *look = a->kept + k;
        const double *given = number + OWN + EACH * k;
        if (!(given[0] >= 0 && given[0] <= number[1] && given[1] >= 0 && given[1] <= 1e15 && given[2] >= 0 &&
              given[2] < INFINITY && given[3] >= 0 && given[3] < INFINITY))
            return refuse(a, "numbers are out of range");
        look->number = (int64_t)given[0];
        look->count = (int64_t)given[1];
        look->mu = given[2];
        look->value_slope = given[3];
        if (look->number > 0 && (look->count < 2 || !is_dual(look->q, a->n)))
            return refuse(a, "the state of the checkpoint makes no sense");
    }
    return FATHOM_OK;
}

/* Draws the looks of the file again, none twice. */
static fathom_status repeat_looks(bool *whole, fathom_sampler *a, double gap)
{
    fathom_status status = FATHOM_OK;
    *whole = true;
    for (int k = 0; k < FATHOM_LOOKS_KEPT && status == FATHOM_OK && *whole; k++) {
        bool again = a->kept[k].number > 0;
        for (int j = k + 1; j < FATHOM_LOOKS_KEPT; j++) /* the last comes last: its estimates stay */
            again = again && a->kept[j].number != a->kept[k].number;
        if (again)
            status = fathom_sampler_repeat(whole, a, a->kept + k, gap);
    }
    return status;
}

/* Where the run stands between two looks. */
static fathom_status take_place(fathom_sampler *a, const fathom_npz *npz, const double number[NUMBERS])
{
    const char *path = a->run->options->resume;
    a->looks = (int64_t)number[1];
    a->count = (int64_t)number[2];
    a->spent = number[3];
    a->interruptions = (int64_t)number[4];
    a->plan.value_slope = number[5];
    a->plan.mu = number[6];
    a->smoothing = number[7];
    a->best = number[8];
    a->run->result->view.samples += (int64_t)number[3];
    fathom_status status = fathom_state_take(a->q, npz, a->run->context, path, "q", a->n);
    FATHOM_THEN(status, fathom_state_take(a->slope, npz, a->run->context, path, "slope", a->n));
    return status == FATHOM_OK && !is_dual(a->q, a->n) ? refuse(a, "q is no point of the simplex") : status;
}

fathom_status fathom_sampler_read(bool *whole, fathom_sampler *a, double gap)
{
    fathom_npz *npz;
    double number[NUMBERS];
    fathom_status status = open_state(&npz, number, a->run);
    if (status != FATHOM_OK || number[1] < 0) {
        if (status == FATHOM_OK)
            fathom_npz_close(npz);
        return status;
    }
    status = fathom_state_take(a->kept_block, npz, a->run->context, a->run->options->resume, "kept",
                               2 * FATHOM_LOOKS_KEPT * a->n);
    FATHOM_THEN(status, take_looks(a, number));
    FATHOM_THEN(status, repeat_looks(whole, a, gap));
    FATHOM_THEN(status, take_place(a, npz, number));
    fathom_npz_close(npz);
    return status;
}
