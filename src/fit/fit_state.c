/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of fits in NPZ files.
 *
 *     format, problem   "fathom fit checkpoint 1"; n, d, columns, outputs, task, choose, score, folds,
 *                       repeats, points, width, smallest and largest penalty, two halves of the seed and of a
 *                       checksum of rows, targets, weights and folds
 *     part0             the networks of all penalties on all rows, as they were trained
 *     part1, part2, ..  and without each fold
 *     refit.*           the state of the last network: that of columns_state.c
 *
 * A part is kept where it was trained to its end. A resumed fit trains the parts that are missing; outputs on
 * rows left out, scores, the race, the choice and the explanations are computed anew from the networks, and the
 * bound is proved as columns_state.c says: no score and no bound is in the file, and every number is that of a
 * fit without interruption.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "context_internal.h"
#include "fit_internal.h"
#include "memory.h"
#include "state_file.h"

enum { PROBLEM = 19, NAME = 64 };
static const char FORMAT[] = "fathom fit checkpoint 1", REFIT[] = "refit.";
static const double PAUSE = 0.2; /* seconds between two files */

static void describe(double number[PROBLEM], const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const uint64_t seed = fathom_context_seed(p->context);
    uint64_t hash = FATHOM_STATE_HASH;
    if (fit_is_sparse(p)) {
        hash = fathom_state_hash(hash, p->sparse.row_start, p->n + 1);
        hash = fathom_state_hash(hash, p->sparse.column, p->sparse.row_start[p->n] / 2);
        hash = fathom_state_hash(hash, p->sparse.value, p->sparse.row_start[p->n] / 2);
    } else {
        hash = fathom_state_hash(hash, p->rows, p->n * p->d);
    }
    hash = fathom_state_hash(hash, p->target, p->n);
    if (p->weight)
        hash = fathom_state_hash(hash, p->weight, p->n);
    hash = fathom_state_hash(hash, p->fold, p->repeats * p->n / 2);
    const double values[PROBLEM] = {(double)p->n,
                                    (double)p->d,
                                    (double)p->columns,
                                    (double)p->outputs,
                                    p->task,
                                    p->options->choose,
                                    p->options->score,
                                    (double)p->folds,
                                    (double)p->repeats,
                                    (double)c->points,
                                    (double)c->width,
                                    (double)p->options->width,
                                    (double)p->options->model,
                                    c->beta[0],
                                    c->beta[c->points - 1],
                                    (double)(seed >> 32),
                                    (double)(seed & 0xffffffffu),
                                    (double)(hash >> 32),
                                    (double)(hash & 0xffffffffu)};
    memcpy(number, values, sizeof values);
}

static float *trained(const fit_candidates *c, int64_t part)
{
    return c->trained + (part + 1) * c->points * c->size;
}

/* "part3"; of a further kind "kind1.part3". */
static void name_part(char name[NAME], const fit_candidates *c, int64_t part)
{
    if (c->number > 0)
        snprintf(name, NAME, "kind%lld.part%lld", (long long)c->number, (long long)part + 1);
    else
        snprintf(name, NAME, "part%lld", (long long)part + 1);
}

/* The networks of a part, where the file has it. */
static fathom_status read_part(fit_candidates *c, const fathom_npz *npz, int64_t part, double *numbers)
{
    const fit_problem *p = c->problem;
    const int64_t count = c->points * c->size;
    const char *path = p->options->resume;
    char name[NAME];
    name_part(name, c, part);
    if (!fathom_npz_has(npz, name))
        return FATHOM_OK;
    const fathom_status status = fathom_state_take(numbers, npz, p->context, path, name, count);
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        trained(c, part)[k] = (float)numbers[k];
        if (!isfinite(trained(c, part)[k]))
            return fathom_error_set_at(p->context, FATHOM_ERROR_INPUT, path, 0, 0, "%s has infinite numbers",
                                       name);
    }
    c->done[part + 1] = status == FATHOM_OK;
    return status;
}

static fathom_status read_parts(fit_candidates *c, const double problem[PROBLEM])
{
    const fit_problem *p = c->problem;
    fathom_npz *npz;
    FATHOM_TRY(fathom_state_open(&npz, p->context, p->options->resume, FORMAT, problem, PROBLEM));
    double *numbers = fathom_memory_alloc(p->context, c->points * c->size, sizeof *numbers);
    fathom_status status = numbers ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t part = -1; part < p->parts && status == FATHOM_OK; part++)
        status = read_part(c, npz, part, numbers);
    fathom_memory_free(p->context, numbers);
    fathom_npz_close(npz);
    return status;
}

static fathom_status make_room(fit_candidates *c)
{
    const fit_problem *p = c->problem;
    c->trained = fathom_memory_zero(p->context, (1 + p->parts) * c->points * c->size, sizeof *c->trained);
    c->saved = fathom_clock_seconds();
    return c->trained ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fit_state_begin(fit_candidates *kind, int64_t kinds)
{
    const fit_problem *p = kind->problem;
    double problem[PROBLEM];
    fathom_status status = FATHOM_OK;
    if (!p->options->checkpoint && !p->options->resume)
        return FATHOM_OK;
    for (int64_t k = 0; k < kinds; k++)
        FATHOM_THEN(status, make_room(kind + k));
    if (status != FATHOM_OK)
        return status;
    describe(problem, kind);
    status =
        fathom_state_begin(p->context, p->options->checkpoint, p->options->resume, FORMAT, problem, PROBLEM);
    for (int64_t k = 0; k < kinds && p->options->resume; k++)
        FATHOM_THEN(status, read_parts(kind + k, problem));
    return status;
}

void fit_state_keep(fit_candidates *c, int64_t part)
{
    if (!c->trained || c->done[part + 1])
        return;
    memcpy(trained(c, part), fit_network(c, part, 0), (size_t)(c->points * c->size) * sizeof *c->trained);
    c->done[part + 1] = fathom_context_stop_reason(c->problem->context) == FATHOM_STOP_NONE;
}

bool fit_state_take(fit_candidates *c, int64_t part)
{
    if (!c->trained || !c->done[part + 1])
        return false;
    memcpy(c->network + (part + 1) * c->points * c->size, trained(c, part),
           (size_t)(c->points * c->size) * sizeof *c->network);
    return true;
}

/* All parts that are done beside what the file has of the last network. */
static fathom_status write_parts(const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const int64_t count = c->points * c->size;
    fathom_npz_writer *writer;
    double *numbers = fathom_memory_alloc(p->context, count, sizeof *numbers);
    if (!numbers)
        return FATHOM_ERROR_MEMORY;
    char own[NAME];
    name_part(own, c, 0);
    own[strlen(own) - 1] = 0; /* all of this kind */
    fathom_status status = fathom_state_extend(&writer, p->context, p->options->checkpoint, own);
    for (int64_t part = -1; part < p->parts && status == FATHOM_OK; part++) {
        char name[NAME];
        name_part(name, c, part);
        for (int64_t k = 0; k < count && c->done[part + 1]; k++)
            numbers[k] = (double)trained(c, part)[k];
        if (c->done[part + 1])
            fathom_state_add(writer, name, numbers, count);
    }
    FATHOM_THEN(status, fathom_npz_commit(writer));
    fathom_memory_free(p->context, numbers);
    return status;
}

fathom_status fit_state_write(fit_candidates *c, bool last)
{
    if (!c->trained || !c->problem->options->checkpoint ||
        (!last && fathom_clock_seconds() - c->saved < PAUSE))
        return FATHOM_OK;
    const fathom_status status = write_parts(c);
    c->saved = fathom_clock_seconds();
    return status;
}

fathom_status fit_state_refit(fathom_train_options *train, const fit_problem *p)
{
    bool has = false;
    fathom_status status = FATHOM_OK;
    if (!p->options->checkpoint && !p->options->resume)
        return FATHOM_OK;
    fathom_context_set_part(p->context, REFIT);
    if (p->options->resume)
        status = fathom_state_has(&has, p->context, p->options->resume);
    train->checkpoint = p->options->checkpoint;
    train->resume = has ? p->options->resume : NULL;
    return status;
}
