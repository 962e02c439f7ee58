/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of a gated run in NPZ files.
 *
 *     format    "fathom gated checkpoint 3"
 *     problem   n, d, m, outputs, loss, beta, constant, two halves of a checksum of x, y, weights and gates
 *     numbers   iteration, phi, smoothing, damping, objective, bound, mark, marked, stuck, hard
 *     gate, eta, v, f, c, root         the iterate and the curvature that its systems were prepared with
 *     best_gate, best_eta, best_w, best_c, best_g: the best network and the dual point of the best bound;
 * of sparse points best_v, from
 *     which its weights follow, in the place of best_w
 *
 * Before the first step only problem and numbers, with iteration -1. The bound is not believed: where
 * best_g proves less over all gates, that is the bound. * Doubles are stored as they are, so that a
 * resumed run takes the steps that the first one would have taken, bit for bit (same kind of processor,
 * same seed).
 */
#include "gated_checkpoint.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "gated_step.h"
#include "memory.h"

enum { PROBLEM = FATHOM_GATED_DESCRIPTION, NUMBERS = 10 };
static const char FORMAT[] = "fathom gated checkpoint 3";

uint64_t fathom_gated_hash_sparse(uint64_t hash, const fathom_csr *rows)
{
    const int64_t entries = rows->row_start[rows->n];
    hash = fathom_state_hash(hash, rows->row_start, rows->n + 1);
    hash = fathom_state_hash(hash, rows->value, entries);
    for (int64_t e = 0; e < entries; e++) {
        const int64_t column = rows->column[e];
        hash = fathom_state_hash(hash, &column, 1);
    }
    return hash;
}

void fathom_gated_describe(double number[PROBLEM], const fathom_objective *p)
{
    uint64_t hash = p->sparse ? fathom_gated_hash_sparse(FATHOM_STATE_HASH, &p->sparse->row)
                              : fathom_state_hash(FATHOM_STATE_HASH, p->x, p->n * p->d);
    hash = fathom_state_hash(hash, p->y, p->n * p->outputs);
    hash = fathom_state_hash(hash, p->bits, p->m * p->words);
    if (p->weight)
        hash = fathom_state_hash(hash, p->weight, p->n);
    if (p->box.above > 0) /* a parameter of the loss */
        hash = fathom_state_hash(hash, &p->box.above, 1);
    const double values[PROBLEM] = {
        (double)p->n, (double)p->d, (double)p->m,         (double)p->outputs,          p->loss,
        p->beta,      p->constant,  (double)(hash >> 32), (double)(hash & 0xffffffffu)};
    memcpy(number, values, sizeof values);
}

fathom_status fathom_state_add_whole(fathom_npz_writer *writer, fathom_context *context, const char *name,
                                     const int64_t *value, int64_t count)
{
    double *values = fathom_memory_alloc(context, count, sizeof *values);
    if (!values)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < count; k++)
        values[k] = (double)value[k];
    const fathom_status status = fathom_state_add(writer, name, values, count);
    fathom_memory_free(context, values);
    return status;
}

static int64_t root_count(const fathom_objective *p)
{
    return p->n * (fathom_objective_scalar_root(p) ? 1 : p->outputs);
}

fathom_status fathom_gated_run_write_start(const fathom_gated_run *run, const char *path)
{
    const fathom_objective *p = run->problem;
    const double number[NUMBERS] = {-1};
    double problem[PROBLEM];
    fathom_npz_writer *writer;
    fathom_gated_describe(problem, p);
    FATHOM_TRY(fathom_state_create(&writer, p->context, path, FORMAT, problem, PROBLEM));
    return fathom_state_end(writer, fathom_state_add(writer, "numbers", number, NUMBERS));
}

fathom_status fathom_gated_run_write(const fathom_gated_run *run, const char *path)
{
    const fathom_objective *p = run->problem;
    const int64_t size = p->n * p->outputs, block = p->outputs * p->d;
    double problem[PROBLEM];
    const double number[NUMBERS] = {(double)run->iteration,
                                    run->phi,
                                    run->smoothing,
                                    run->damping,
                                    run->objective,
                                    run->bound,
                                    run->mark,
                                    (double)run->marked,
                                    run->stuck,
                                    run->engine.hard};
    fathom_npz_writer *writer;
    fathom_gated_describe(problem, p);
    FATHOM_TRY(fathom_state_create(&writer, p->context, path, FORMAT, problem, PROBLEM));
    fathom_state_add(writer, "numbers", number, NUMBERS);
    fathom_status status =
        fathom_state_add_whole(writer, p->context, "gate", run->support.gate, run->support.count);
    fathom_state_add(writer, "eta", run->support.eta, run->support.count);
    fathom_state_add(writer, "v", run->v, size);
    fathom_state_add(writer, "f", run->f, size);
    fathom_state_add(writer, "c", run->c, p->outputs);
    fathom_state_add(writer, "root", run->engine.root, root_count(p));
    FATHOM_THEN(status,
                fathom_state_add_whole(writer, p->context, "best_gate", run->best.gate, run->best.count));
    fathom_state_add(writer, "best_eta", run->best.eta, run->best.count);
    if (p->sparse)
        fathom_state_add(writer, "best_v", run->best_v, size);
    else
        fathom_state_add(writer, "best_w", run->best_w, run->best.count * block);
    fathom_state_add(writer, "best_c", run->best_c, p->outputs);
    fathom_state_add(writer, "best_g", run->best_g, size);
    return fathom_state_end(writer, status);
}

/* Gates and their eta: ascending numbers of gates, positive sizes. */
static fathom_status take_support(fathom_gated_support *support, const fathom_npz *npz,
                                  const fathom_objective *p, const char *path, const char *gates,
                                  const char *sizes)
{
    fathom_array array = {0};
    FATHOM_TRY(fathom_npz_get(&array, npz, gates));
    bool valid = array.count <= p->m;
    for (int64_t k = 0; valid && k < array.count; k++) {
        const double gate = array.values[k];
        valid = gate >= (k > 0 ? (double)support->gate[k - 1] + 1 : 0) && gate < (double)p->m;
        support->gate[k] = valid ? (int64_t)gate : 0;
    }
    support->count = valid ? array.count : 0;
    fathom_array_free(p->context, &array);
    if (!valid)
        return fathom_error_set_at(p->context, FATHOM_ERROR_INPUT, path, 0, 0, "%s is not a list of gates",
                                   gates);
    return fathom_state_take(support->eta, npz, p->context, path, sizes, support->count);
}

/* Numbers, iterate and best point. */
static fathom_status take_state(fathom_gated_run *run, const fathom_npz *npz, const char *path)
{
    const fathom_objective *p = run->problem;
    const int64_t size = p->n * p->outputs, block = p->outputs * p->d;
    double number[NUMBERS];
    fathom_status status = fathom_state_take(number, npz, p->context, path, "numbers", NUMBERS);
    const bool valid = number[0] >= -1 && number[0] < 1e15 && number[7] >= 0 && number[7] < 1e15 &&
                       (number[0] < 0 || (isfinite(number[4]) && !isnan(number[5]))); /* NaN fails, too */
    if (status == FATHOM_OK && !valid)
        status = fathom_error_set_at(p->context, FATHOM_ERROR_INPUT, path, 0, 0, "numbers are out of range");
    run->iteration = run->first = status == FATHOM_OK ? (int64_t)number[0] : 0;
    if (status == FATHOM_OK && run->iteration < 0)
        return FATHOM_OK;
    const struct {
        const char *name;
        double *values;
        int64_t count;
    } member[] = {{"v", run->v, size},
                  {"f", run->f, size},
                  {"c", run->c, p->outputs},
                  {"root", run->engine.root, root_count(p)},
                  {"best_c", run->best_c, p->outputs},
                  {"best_g", run->best_g, size}};
    for (size_t k = 0; k < sizeof member / sizeof *member && status == FATHOM_OK; k++) {
        status = fathom_state_take(member[k].values, npz, p->context, path, member[k].name, member[k].count);
        for (int64_t i = 0; i < member[k].count && status == FATHOM_OK; i++)
            if (!isfinite(member[k].values[i]))
                status = fathom_error_set_at(p->context, FATHOM_ERROR_INPUT, path, 0, 0,
                                             "%s has numbers that are not finite", member[k].name);
    }
    FATHOM_THEN(status, take_support(&run->support, npz, p, path, "gate", "eta"));
    FATHOM_THEN(status, take_support(&run->best, npz, p, path, "best_gate", "best_eta"));
    if (p->sparse) {
        FATHOM_THEN(status, fathom_state_take(run->best_v, npz, p->context, path, "best_v", size));
    } else {
        FATHOM_THEN(status, fathom_memory_resize(p->context, (void **)&run->best_w,
                                                 run->best.count * block + 1, sizeof(double)));
        FATHOM_THEN(status,
                    fathom_state_take(run->best_w, npz, p->context, path, "best_w", run->best.count * block));
    }
    if (status != FATHOM_OK)
        return status;
    run->phi = number[1];
    run->smoothing = number[2];
    run->damping = number[3];
    run->objective = number[4];
    run->bound = number[5];
    run->mark = number[6];
    run->marked = (int64_t)number[7];
    run->stuck = number[8] != 0;
    run->engine.hard = number[9] != 0;
    return FATHOM_OK;
}

/* |w_j| of the best network. */
static void measure_best(fathom_gated_run *run)
{
    const fathom_objective *p = run->problem;
    const int64_t block = p->outputs * p->d, count = run->best.count;
    if (p->sparse)
        fathom_gated_norms(run->best_size, p, (fathom_gated_list){count, 0, run->best.gate}, run->best_v,
                           run->engine.threads, run->engine.workspace);
    for (int64_t j = 0; j < count; j++)
        run->best_size[j] = p->sparse ? run->best_size[j] * (run->best.eta[j] / p->beta)
                                      : fathom_blas_norm(run->best_w + j * block, block);
}

fathom_status fathom_gated_run_read(fathom_gated_run *run, const char *path)
{
    const fathom_objective *p = run->problem;
    fathom_npz *npz;
    double problem[PROBLEM];
    fathom_gated_describe(problem, p);
    FATHOM_TRY(fathom_state_open(&npz, p->context, path, FORMAT, problem, PROBLEM));
    fathom_status status = take_state(run, npz, path);
    fathom_npz_close(npz);
    if (status == FATHOM_OK && run->iteration < 0) {
        run->iteration = run->first = 0;
        return fathom_gated_run_start(run, NULL);
    }
    const int64_t weights = p->sparse ? 0 : run->support.count * p->outputs * p->d;
    FATHOM_THEN(status, fathom_memory_resize(p->context, (void **)&run->w, weights + 1, sizeof(double)));
    FATHOM_THEN(status, fathom_gated_engine_restore(&run->engine, &run->support));
    if (status != FATHOM_OK)
        return status;
    fathom_gated_run_prove(run);
    measure_best(run);
    fathom_gated_engine_gram(run->g, run->w, &run->engine, run->v); /* weights of the iterate */
    fathom_gated_measure(run);
    run->resumed = true;
    run->stuck = false;
    run->marked = run->iteration; /* a new budget of steps without progress */
    return FATHOM_OK;
}
