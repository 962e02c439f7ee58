/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of the cone-constrained program in NPZ files.
 *
 *     format      "fathom cones checkpoint 1"
 *     problem     as in gated_checkpoint.c
 *     numbers     round, smoothing, bound, mark, projections
 *     side, idle, a, u      the atoms
 *     tight_count, tight    rows from which the next projections start: they decide about the last bits
 *
 * Doubles are stored as they are, and z is computed from u as it was, so that a resumed run takes the rounds that the first
 * one would have taken, bit for bit.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "gated_checkpoint.h"
#include "memory.h"
#include "relu_cones.h"

enum { PROBLEM = FATHOM_GATED_DESCRIPTION };
static const char FORMAT[] = "fathom cones checkpoint 1";

/* All tight rows one after the other; `count` (sides) and `rows` (their sum) receive copies. */
static fathom_status add_tight(fathom_npz_writer *writer, const fathom_relu_cones *run)
{
    fathom_context *context = run->problem->context;
    const int64_t d = run->problem->d;
    double *count = fathom_memory_alloc(context, run->sides, sizeof *count);
    double *rows = fathom_memory_alloc(context, run->sides * d, sizeof *rows);
    const fathom_status status = count && rows ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    int64_t total = 0;
    for (int64_t side = 0; side < run->sides && status == FATHOM_OK; side++) {
        count[side] = run->tight_count[side];
        for (int64_t k = 0; k < run->tight_count[side]; k++)
            rows[total++] = run->tight[side * d + k];
    }
    if (status == FATHOM_OK) {
        fathom_state_add(writer, "tight_count", count, run->sides);
        fathom_state_add(writer, "tight", rows, total);
    }
    FATHOM_FREE(context, count, rows);
    return status;
}

fathom_status fathom_relu_cones_write(const fathom_relu_cones *run, const double number[FATHOM_CONES_NUMBERS],
                                      const char *path)
{
    const fathom_objective *p = run->problem;
    const fathom_cone_atoms *atoms = &run->atoms;
    double problem[PROBLEM];
    fathom_npz_writer *writer;
    fathom_gated_describe(problem, p);
    FATHOM_TRY(fathom_state_create(&writer, p->context, path, FORMAT, problem, PROBLEM));
    fathom_state_add(writer, "numbers", number, FATHOM_CONES_NUMBERS);
    fathom_status status = fathom_state_add_whole(writer, p->context, "side", atoms->side, atoms->count);
    FATHOM_THEN(status, fathom_state_add_whole(writer, p->context, "idle", atoms->idle, atoms->count));
    fathom_state_add(writer, "a", atoms->a, atoms->count);
    fathom_state_add(writer, "u", atoms->u, atoms->count * p->d);
    FATHOM_THEN(status, add_tight(writer, run));
    return fathom_state_end(writer, status);
}

static fathom_status damaged(const fathom_relu_cones *run, const char *path, const char *name)
{
    return fathom_error_set_at(run->problem->context, FATHOM_ERROR_INPUT, path, 0, 0,
                               "%s has numbers out of range", name);
}

/* Whole numbers from 0 to below `limit`. */
static bool all_whole(const double *value, int64_t count, int64_t limit)
{
    for (int64_t k = 0; k < count; k++)
        if (!(value[k] >= 0 && value[k] < (double)limit && value[k] == floor(value[k])))
            return false;
    return true;
}

static fathom_status take_tight(fathom_relu_cones *run, const fathom_npz *npz, const char *path)
{
    fathom_context *context = run->problem->context;
    const int64_t d = run->problem->d, n = run->problem->n;
    double *count = fathom_memory_alloc(context, run->sides, sizeof *count), *rows = NULL;
    fathom_status status = count ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    int64_t total = 0, next = 0;
    FATHOM_THEN(status, fathom_state_take(count, npz, context, path, "tight_count", run->sides));
    if (status == FATHOM_OK && !all_whole(count, run->sides, d + 1))
        status = damaged(run, path, "tight_count");
    for (int64_t side = 0; side < run->sides && status == FATHOM_OK; side++)
        total += (int64_t)count[side];
    rows = fathom_memory_alloc(context, total, sizeof *rows);
    FATHOM_THEN(status,
                rows ? fathom_state_take(rows, npz, context, path, "tight", total) : FATHOM_ERROR_MEMORY);
    if (status == FATHOM_OK && !all_whole(rows, total, n))
        status = damaged(run, path, "tight");
    for (int64_t side = 0; side < run->sides && status == FATHOM_OK; side++) {
        run->tight_count[side] = (int32_t)count[side];
        for (int64_t k = 0; k < run->tight_count[side]; k++)
            run->tight[side * d + k] = (int32_t)rows[next++];
    }
    FATHOM_FREE(context, count, rows);
    return status;
}

/* Sides, idle rounds and weights (3 x count), then the atoms with their z. */
static fathom_status fill_atoms(fathom_relu_cones *run, const fathom_npz *npz, const char *path,
                                double *number, int64_t count)
{
    fathom_cone_atoms *atoms = &run->atoms;
    fathom_context *context = run->problem->context;
    fathom_status status = fathom_state_take(number, npz, context, path, "side", count);
    FATHOM_THEN(status, fathom_state_take(number + count, npz, context, path, "idle", count));
    FATHOM_THEN(status, fathom_state_take(atoms->a, npz, context, path, "a", count));
    FATHOM_THEN(status, fathom_state_take(atoms->u, npz, context, path, "u", count * run->problem->d));
    bool valid = status == FATHOM_OK && all_whole(number, count, run->sides) &&
                 all_whole(number + count, count, INT64_C(1) << 50);
    for (int64_t k = 0; k < count && valid; k++)
        valid = atoms->a[k] >= 0 && isfinite(atoms->a[k]);
    for (int64_t k = 0; k < count * run->problem->d && valid; k++)
        valid = fabs(atoms->u[k]) <= 2;
    if (status == FATHOM_OK && !valid)
        status = damaged(run, path, "side, idle, a or u");
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        atoms->side[k] = (int64_t)number[k];
        atoms->idle[k] = (int64_t)number[count + k];
        fathom_cone_atoms_outputs(run, k);
    }
    return status;
}

static fathom_status take_atoms(fathom_relu_cones *run, const fathom_npz *npz, const char *path)
{
    fathom_context *context = run->problem->context;
    fathom_array array = {0};
    fathom_status status = fathom_npz_get(&array, npz, "side");
    const int64_t count = array.count;
    fathom_array_free(context, &array);
    if (status != FATHOM_OK)
        return status;
    double *number = fathom_memory_alloc(context, 2 * count, sizeof *number);
    status = number ? fathom_cone_atoms_reserve(run, count) : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fill_atoms(run, npz, path, number, count));
    if (status == FATHOM_OK)
        run->atoms.count = count;
    fathom_memory_free(context, number);
    return status;
}

fathom_status fathom_relu_cones_read(fathom_relu_cones *run, double number[FATHOM_CONES_NUMBERS],
                                     const char *path)
{
    const fathom_objective *p = run->problem;
    double problem[PROBLEM], loss, norm;
    fathom_npz *npz;
    fathom_gated_describe(problem, p);
    FATHOM_TRY(fathom_state_open(&npz, p->context, path, FORMAT, problem, PROBLEM));
    fathom_status status = fathom_state_take(number, npz, p->context, path, "numbers", FATHOM_CONES_NUMBERS);
    FATHOM_THEN(status, take_atoms(run, npz, path));
    FATHOM_THEN(status, take_tight(run, npz, path));
    fathom_npz_close(npz);
    if (status == FATHOM_OK)
        fathom_cone_atoms_objective(run, &loss, &norm); /* f */
    return status;
}
