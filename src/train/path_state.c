/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of paths in files: the states of their points, each a part of one archive.
 *
 *     format, problem     "fathom path checkpoint 1"; n, d, outputs, loss, model, method, selection, constant, divisor, points, ratio, folds,
 *                         two halves of the seed and of a checksum of x, y and weights
 *     0.K.*               the state of point K on all rows: that of gated_checkpoint.c, columns_state.c or relu_cones_state.c
 *     A.K.*               the same without fold A = 1, 2, ..
 *
 * A resumed path goes through all points again: one that had ended takes its last state, proves its bound
 * anew and is done; one that had begun goes on; where a method keeps no state because it takes seconds the
 * point is solved again. So nothing in a file is believed that a point's own state is not believed in, and
 * every number is that of a path without interruption.
 */
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "gated_checkpoint.h"
#include "state_file.h"
#include "train_path.h"

enum { PROBLEM = 16 };
static const char FORMAT[] = "fathom path checkpoint 1";

static void describe(double number[PROBLEM], const fathom_train_problem *p, const fathom_path_options *path)
{
    const uint64_t seed = fathom_context_seed(p->context);
    uint64_t hash = p->x ? fathom_state_hash(FATHOM_STATE_HASH, p->x, p->n * p->d)
                         : fathom_gated_hash_sparse(FATHOM_STATE_HASH, &p->sparse.points.row);
    hash = fathom_state_hash(hash, p->y, p->n * p->outputs);
    if (p->weight)
        hash = fathom_state_hash(hash, p->weight, p->n);
    if (p->box.above > 0) /* a parameter of the loss */
        hash = fathom_state_hash(hash, &p->box.above, 1);
    const double values[PROBLEM] = {(double)p->n,         (double)p->d,
                                    (double)p->outputs,   p->loss,
                                    p->options->model,    p->options->method,
                                    p->options->select,   p->constant,
                                    p->divisor,           (double)path->points,
                                    path->ratio,          (double)path->cv,
                                    (double)(seed >> 32), (double)(seed & 0xffffffffu),
                                    (double)(hash >> 32), (double)(hash & 0xffffffffu)};
    memcpy(number, values, sizeof values);
}

fathom_status fathom_path_state_begin(const fathom_train_problem *problem, const fathom_path_options *path)
{
    double number[PROBLEM];
    describe(number, problem, path);
    return fathom_state_begin(problem->context, problem->options->checkpoint, problem->options->resume,
                              FORMAT, number, PROBLEM);
}

fathom_status fathom_path_state_enter(const char **resume, fathom_context *context,
                                      const fathom_train_options *options, int64_t fold, int64_t k)
{
    char part[32];
    bool has = false;
    fathom_status status = FATHOM_OK;
    snprintf(part, sizeof part, "%lld.%lld.", (long long)fold, (long long)k);
    fathom_context_set_part(context, part);
    if (options->resume)
        status = fathom_state_has(&has, context, options->resume);
    *resume = has ? options->resume : NULL;
    return status;
}
