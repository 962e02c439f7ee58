/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a fit takes: work is counted in products of the descent, its rate measured as it goes.
 *
 * A step on n rows of d columns with m neurons counts n d m. Networks of all parts and points are counted, half of the points
 * after the race until it has said which are left; then linear functions and the worth of columns. The last network has a clock of
 * its own, of which it uses half or more: three quarters of it are expected.
 */
#include <math.h>

#include "context_internal.h"
#include "fit_internal.h"
#include "float_rows.h"

static const double LAST = 0.75, SELDOM = 0.05; /* share of --time; seconds between reports */

/* Steps of one path. */
static double path_steps(const fit_candidates *c, int64_t points)
{
    const double many = fit_is_large(c) ? FIT_MANY : 1;
    return points > 0 ? many * (FIT_FIRST + FIT_NEXT * (double)(points - 1)) : 0;
}

double fit_step_work(const fit_candidates *c, int64_t rows)
{
    const fit_problem *p = c->problem;
    const int64_t width =
        c->width > 0 ? c->width * (c->gated ? p->outputs : 1) : fathom_float_width(p->outputs);
    const double entries =
        fit_is_sparse(p) ? (double)p->sparse.row_start[p->n] / (double)p->n : (double)p->columns;
    return (double)rows * entries * (double)width;
}

/* Work of parts first .. last-1 at so many points; part -1 is all rows. */
static double parts_work(const fit_candidates *c, int64_t first, int64_t last, double points)
{
    const fit_problem *p = c->problem;
    const double n = (double)p->n, folds = (double)p->folds, count = (double)(last - first);
    const double rows = (first < 0 ? n : 0) + (count - (first < 0)) * n * (folds - 1) / folds;
    return rows / n * fit_step_work(c, p->n) * path_steps(c, (int64_t)points);
}

void fit_progress_begin(const fit_candidates *kind, int64_t kinds, bool race)
{
    fit_problem *p = kind->problem;
    const int64_t before = race && p->folds >= 2 * FIT_RACE ? FIT_RACE : p->parts;
    const fit_candidates linear = {.problem = p, .points = FIT_LINEAR_POINTS};
    p->progress.work = parts_work(&linear, 0, p->parts, (double)linear.points) +
                       parts_work(kind, before, p->parts, 0.5 * (double)kind->points);
    for (int64_t k = 0; k < kinds; k++)
        p->progress.work +=
            parts_work(kind + k, k == 0 || before == p->parts ? -1 : 0, before, (double)kind->points);
    p->progress.finished = 0;
    p->progress.score = NAN;
    p->progress.start = p->progress.told = fathom_context_seconds(p->context);
}

void fit_progress_race(const fit_candidates *kind, int64_t kinds)
{
    fit_problem *p = kind->problem;
    p->progress.work -= parts_work(kind, FIT_RACE, p->parts, 0.5 * (double)kind->points);
    for (int64_t a = 0; a < kinds; a++) {
        int64_t kept = 0;
        for (int64_t k = 0; k < kind[a].points; k++)
            kept += kind[a].keep[k];
        if (!kind[a].dropped)
            p->progress.work += parts_work(kind + a, FIT_RACE, p->parts, (double)kept) +
                                (a > 0 ? parts_work(kind + a, -1, 0, (double)kept) : 0);
    }
}

void fit_progress_skip(const fit_candidates *c, int64_t rows)
{
    const double work = fit_step_work(c, rows) * path_steps(c, c->points);
#pragma omp atomic
    c->problem->progress.work -= work;
}

void fit_progress_tell(fit_problem *p, const char *stage, int64_t part)
{
    fit_progress *g = &p->progress;
    const double now = fathom_context_seconds(p->context), spent = now - g->start;
    double finished;
#pragma omp atomic read
    finished = g->finished;
    if (now - g->told < SELDOM && finished > 0)
        return;
    g->told = now;
    if (finished > 0)
        fathom_context_set_expected(p->context,
                                    now + spent * fmax(0, g->work / finished - 1) + LAST * p->options->time);
    fathom_context_poll(p->context, stage, part, NAN, NAN);
}

void fit_progress_last(fit_problem *p)
{
    if (p->options->time > 0)
        fathom_context_set_expected(p->context, fathom_context_seconds(p->context) + LAST * p->options->time);
}

void fit_progress_end(fit_problem *p) { fathom_context_set_expected(p->context, NAN); }
