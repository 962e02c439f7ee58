/* SPDX-License-Identifier: Apache-2.0 */
/* Folds of a path as numbered tasks: a fold's result is its losses, then what its networks say of its rows, point by point. */
#include <string.h>

#include "train_path.h"

static int64_t rows_of(const fathom_path_result *result, int64_t number)
{
    int64_t count = 0;
    for (int64_t i = 0; i < result->rows; i++)
        count += result->fold[i] == number;
    return count;
}

static int64_t fold_size(void *user, int64_t number)
{
    const fathom_path_fold_results *f = user;
    const int64_t rows = rows_of(f->result, number);
    return f->points * (1 + rows * f->result->outputs) * (int64_t)sizeof(double);
}

/* The place of row i at point k. */
static double *outputs_of(const fathom_path_result *result, int64_t k, int64_t i)
{
    return result->held_out + (k * result->rows + i) * result->outputs;
}

static void fold_put(void *bytes, void *user, int64_t number)
{
    const fathom_path_fold_results *f = user;
    const size_t row = (size_t)f->result->outputs * sizeof(double);
    char *to = bytes;
    memcpy(to, f->loss + number * f->points, (size_t)f->points * sizeof(double));
    to += (size_t)f->points * sizeof(double);
    for (int64_t k = 0; k < f->points; k++)
        for (int64_t i = 0; i < f->result->rows; i++)
            if (f->result->fold[i] == number) {
                memcpy(to, outputs_of(f->result, k, i), row);
                to += row;
            }
}

static fathom_status fold_take(void *user, int64_t number, const void *bytes, int64_t size)
{
    const fathom_path_fold_results *f = user;
    const size_t row = (size_t)f->result->outputs * sizeof(double);
    const char *from = bytes;
    (void)size;
    memcpy(f->loss + number * f->points, from, (size_t)f->points * sizeof(double));
    from += (size_t)f->points * sizeof(double);
    for (int64_t k = 0; k < f->points; k++)
        for (int64_t i = 0; i < f->result->rows; i++)
            if (f->result->fold[i] == number) {
                memcpy(outputs_of(f->result, k, i), from, row);
                from += row;
            }
    return FATHOM_OK;
}

fathom_task_results fathom_path_deal_folds(fathom_path_fold_results *folds)
{
    return (fathom_task_results){fold_size, fold_put, fold_take, folds};
}
