/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The family of all networks of least norm that interpolate data on the line: see fathom/extreme.h.
 *
 * The spline through the data has the least norm; which others have it too follows from its jumps alone
 * (spline_interpolate.c). O(n log n).
 */
#include <math.h>

#include "fathom/extreme.h"
#include "memory.h"
#include "spline_interpolate.h"
#include "train_line.h"

static fathom_status describe(fathom_minimisers *m, const fathom_line_work *line, int64_t most)
{
    const fathom_spline_points *points = &line->points;
    fathom_context *context = points->context;
    fathom_spline spline = {0};
    double tv, ends;
    if (points->conflict[0] >= 0 || points->count < 2) {
        m->exists = points->conflict[0] < 0;
        m->unique = true;
        return FATHOM_OK;
    }
    m->free = fathom_memory_alloc(context, 4 * most, sizeof *m->free);
    fathom_status status = m->free ? fathom_spline_interpolate(&spline, points) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        m->exists = true;
        m->norm = fathom_spline_norm(&tv, &ends, &spline) * points->scale;
        m->lower = fathom_spline_interpolate_bound(&spline, points, line->excess);
        m->variation = tv * points->scale;
        m->ends = ends * points->scale;
        m->outside = fabs(ends) > tv;
        m->free_count = fathom_spline_free_intervals((double(*)[4])m->free, most, &spline, points);
        m->free_kept = m->free_count < most ? m->free_count : most;
        m->unique = m->free_count == 0 && !m->outside;
    }
    fathom_spline_free(&spline, context);
    return status;
}

fathom_status fathom_minimisers_compute(fathom_minimisers *minimisers, fathom_context *context,
                                        fathom_data *data, int64_t most)
{
    fathom_train_options options;
    fathom_train_problem problem;
    fathom_line_work line;
    const char *why;
    bool yes = false;
    *minimisers = (fathom_minimisers){0};
    fathom_options_init(&options, &fathom_train_option_table);
    options.loss = FATHOM_TRAIN_EQUALITY;
    FATHOM_TRY(fathom_train_problem_create(&problem, context, data, &options));
    problem.constant = true;
    fathom_status status = fathom_line_applies(&yes, &why, &problem);
    if (status == FATHOM_OK && yes) {
        minimisers->applies = true;
        status = fathom_line_open(&line, &problem);
        FATHOM_THEN(status, describe(minimisers, &line, most));
        fathom_line_close(&line);
    }
    fathom_train_problem_clear(&problem);
    if (status != FATHOM_OK)
        fathom_minimisers_clear(minimisers, context);
    return status;
}

void fathom_minimisers_clear(fathom_minimisers *minimisers, fathom_context *context)
{
    FATHOM_FREE(context, minimisers->free, minimisers->values);
    *minimisers = (fathom_minimisers){0};
}
