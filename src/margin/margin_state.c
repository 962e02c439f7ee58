/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of sampled margins in NPZ files.
 *
 *     format    "fathom margin checkpoint 1"
 *     problem   n, d, kind, confidence, two halves of the seed and of a checksum of x and y
 *     numbers   drawn, looks (-1: the program of the training gates was cut short), count, spent, interruptions, slope of the value, mu, smoothing, scale, best,
 *               lower, upper, asymptotic lower and upper, samples, iterations
 *     q, slope, best_q, margin (n), w (m x columns): the separator on the training gates, which are drawn again from the seed
 *
 * A state is that between two looks. A look that is cut short is begun anew, so that a resumed run makes the looks that the
 * first one would have made, bit for bit, and spends the same probabilities of failure.
 */
#include <string.h>

#include "context_internal.h"
#include "margin_sampler.h"
#include "state_file.h"

enum { PROBLEM = 8, NUMBERS = 16 };
static const char FORMAT[] = "fathom margin checkpoint 1";

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
    const fathom_margin_result *result = a->run->result;
    const fathom_margin_view *view = &result->view;
    const char *path = a->run->options->checkpoint;
    const double number[NUMBERS] = {(double)a->drawn,
                                    a->trained ? (double)a->looks : -1,
                                    (double)a->count,
                                    a->spent,
                                    (double)a->interruptions,
                                    a->plan.value_slope,
                                    a->plan.mu,
                                    a->smoothing,
                                    a->scale,
                                    a->best,
                                    view->lower,
                                    view->upper,
                                    view->asymptotic_lower,
                                    view->asymptotic_upper,
                                    (double)view->samples,
                                    (double)view->iterations};
    double problem[PROBLEM];
    fathom_npz_writer *writer;
    if (!path)
        return FATHOM_OK;
    describe(problem, a->run);
    const fathom_status status =
        fathom_state_create(&writer, a->run->context, path, FORMAT, problem, PROBLEM);
    if (status != FATHOM_OK)
        return status;
    fathom_state_add(writer, "numbers", number, NUMBERS);
    fathom_state_add(writer, "q", a->q, a->n);
    fathom_state_add(writer, "slope", a->slope, a->n);
    fathom_state_add(writer, "best_q", result->q, a->n);
    fathom_state_add(writer, "margin", result->margin, a->n);
    if (result->net)
        fathom_state_add(writer, "w", fathom_net_lend(result->net).w, a->gates.m * view->d);
    return fathom_npz_commit(writer);
}

/* Opens the file of --resume, which must belong to the run's problem, and reads its numbers. */
static fathom_status open_state(fathom_npz **npz, double number[NUMBERS], const fathom_margin_run *run)
{
    const char *path = run->options->resume;
    double problem[PROBLEM];
    describe(problem, run);
    fathom_status status = fathom_state_open(npz, run->context, path, FORMAT, problem, PROBLEM);
    if (status != FATHOM_OK)
        return status;
    status = fathom_state_take(number, *npz, run->context, path, "numbers", NUMBERS);
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
    const fathom_status status = open_state(&npz, number, run);
    if (status != FATHOM_OK)
        return status;
    *drawn = (int64_t)number[0];
    fathom_npz_close(npz);
    return FATHOM_OK;
}

static void take_numbers(fathom_sampler *a, const double number[NUMBERS], double gap)
{
    fathom_margin_view *view = &a->run->result->view;
    a->trained = true;
    a->looks = (int64_t)number[1];
    a->count = (int64_t)number[2];
    a->spent = number[3];
    a->interruptions = (int64_t)number[4];
    a->plan.value_slope = number[5];
    a->plan.mu = number[6];
    a->smoothing = number[7];
    a->scale = number[8];
    a->best = number[9];
    view->asymptotic_lower = number[12];
    view->asymptotic_upper = number[13];
    view->samples = (int64_t)number[14];
    view->iterations = (int64_t)number[15];
    fathom_margin_narrow(a->run->result, number[10], number[11], gap);
}

fathom_status fathom_sampler_read(fathom_sampler *a, double gap)
{
    fathom_margin_result *result = a->run->result;
    fathom_context *context = a->run->context;
    const char *path = a->run->options->resume;
    fathom_npz *npz;
    double number[NUMBERS];
    fathom_status status = open_state(&npz, number, a->run);
    if (status != FATHOM_OK || number[1] < 0) {
        if (status == FATHOM_OK)
            fathom_npz_close(npz);
        return status;
    }
    const struct {
        const char *name;
        double *values;
    } member[] = {{"q", a->q}, {"slope", a->slope}, {"best_q", result->q}, {"margin", result->margin}};
    for (size_t k = 0; k < sizeof member / sizeof *member && status == FATHOM_OK; k++)
        status = fathom_state_take(member[k].values, npz, context, path, member[k].name, a->n);
    if (status == FATHOM_OK && fathom_npz_has(npz, "w")) {
        status = fathom_margin_make_gated(a->run, &a->gates);
        if (status == FATHOM_OK)
            status = fathom_state_take(fathom_net_lend(result->net).w, npz, context, path, "w",
                                       a->gates.m * result->view.d);
    }
    if (status == FATHOM_OK)
        take_numbers(a, number, gap);
    fathom_npz_close(npz);
    return status;
}
