/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of networks among which the folds choose: 32 neurons; where rows are many also 128, and weights on sampled gates,
 *
 *     f(x) = c + sum_j a_j 1[<g_j, x> > 0] V_j x,   g_j standard Gaussian [000, Sec. 2 and 6].
 *
 * All kinds run on the first folds; the race leaves those with a point that is not hopeless, and only they go on. The
 * network of all rows of a further kind is trained when it has come through the race: until then that of the first kind
 * is there for a limit.
 */
#include "fathom/gates.h"

#include <math.h>
#include <stdio.h>

#include "context_internal.h"
#include "fit_internal.h"
#include "float_rows.h"
#include "memory.h"

enum { AUTO, RELU, GATED };
static const double MOST_NUMBERS = 4194304; /* of a network that nobody asked for */

static int64_t round_up(int64_t width) { return fathom_float_width(width); }

/* One bit of the patterns for each row and gate, as bytes row by row; gates beyond those there are stay shut. */
fathom_status fit_open_gates(fit_candidates *c)
{
    const fit_problem *p = c->problem;
    if (!c->gated || c->open)
        return FATHOM_OK;
    FATHOM_TRY(fathom_gates_sample(&c->gates, p->context, p->data, c->width));
    const fathom_gates_view view = fathom_gates_look(c->gates);
    c->open = fathom_memory_zero(p->context, p->n * c->width, sizeof *c->open);
    if (!c->open)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < view.m; j++)
        for (int64_t i = 0; i < p->n; i++)
            c->open[i * c->width + j] = (unsigned char)(view.bits[j * view.words + i / 64] >> (i % 64) & 1);
    return FATHOM_OK;
}

static fathom_status add_kind(fit_candidates *kind, int64_t *kinds, fit_problem *p, bool gated, int64_t width)
{
    fit_candidates *c = kind + (*kinds)++;
    FATHOM_TRY(fit_candidates_open(c, p, width, gated));
    c->number = *kinds - 1;
    return FATHOM_OK;
}

/* Gates alone; where a limit comes before they are drawn, neurons, of which the best constant is left. */
static fathom_status add_gates_alone(fit_candidates *kind, int64_t *kinds, fit_problem *p, int64_t sampled)
{
    fathom_status status = add_kind(kind, kinds, p, true, sampled);
    FATHOM_THEN(status, fit_open_gates(kind));
    if (status != FATHOM_ERROR_STOPPED)
        return status;
    fit_candidates_close(kind);
    *kinds = 0;
    return add_kind(kind, kinds, p, false, FIT_WIDTH);
}

fathom_status fit_kinds_open(fit_candidates *kind, int64_t *kinds, fit_problem *p)
{
    const fathom_fit_options *o = p->options;
    const int64_t own = o->width > 0 ? round_up(o->width) : 0, gates = round_up(FIT_GATES / p->outputs);
    const int64_t sampled = own > 0 ? own : gates;
    const bool many = p->n > FIT_LARGE, fits = (double)(p->d * sampled * p->outputs) <= MOST_NUMBERS;
    fathom_status status = FATHOM_OK;
    *kinds = 0;
    if (o->model != GATED)
        status = add_kind(kind, kinds, p, false, own > 0 ? own : FIT_WIDTH);
    if (status == FATHOM_OK && o->model != GATED && many && own == 0 &&
        (double)(p->d * FIT_WIDE) <= MOST_NUMBERS)
        status = add_kind(kind, kinds, p, false, FIT_WIDE);
    if (o->model == GATED)
        status = add_gates_alone(kind, kinds, p, sampled);
    else if (status == FATHOM_OK && o->model == AUTO && many && fits)
        status = add_kind(kind, kinds, p, true, sampled);
    return status;
}

void fit_kinds_close(fit_candidates *kind, int64_t kinds)
{
    for (int64_t k = 0; k < kinds; k++)
        fit_candidates_close(kind + k);
}

/* What the progress line says of a kind: "choosing, gated, log-loss 0.352", the score once there is one. */
static void name_stage(char stage[64], const fit_candidates *c)
{
    const fit_problem *p = c->problem;
    const int used = snprintf(stage, 64, "choosing%s", c->gated ? ", gated" : "");
    if (!isnan(p->progress.score))
        snprintf(stage + used, 64 - (size_t)used, ", %s %.4g",
                 p->task == FATHOM_FIT_REGRESSION ? "mse" : "log-loss", p->progress.score);
}

/* Parts first .. last-1 of all kinds that are left; the network of all rows of a further kind with `all`. */
static fathom_status run_kinds(fit_candidates *kind, int64_t kinds, int64_t first, int64_t last, bool all)
{
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < kinds && status == FATHOM_OK; k++) {
        fit_candidates *c = kind + k;
        const bool whole = k == 0 || all;
        char stage[64];
        name_stage(stage, c);
        if (!c->dropped)
            status = fit_open_gates(c); /* the first kind has its networks before others are looked at */
        if (k > 0 && status == FATHOM_ERROR_STOPPED)
            return FATHOM_OK;
        if (!c->dropped && status == FATHOM_OK)
            status = fit_run_parts(c, whole ? -1 : first, last, stage);
        if (fathom_context_stop_reason(c->problem->context) != FATHOM_STOP_NONE)
            break;
        c->parts = c->dropped ? c->parts : last;
    }
    return status;
}

fathom_status fit_kinds_validate(fit_candidates *kind, int64_t kinds, bool race, bool *cut)
{
    const fit_problem *p = kind->problem;
    const int64_t before = race && p->folds >= 2 * FIT_RACE ? FIT_RACE : p->parts;
    fathom_status status = run_kinds(kind, kinds, 0, before, before == p->parts);
    *cut = fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE;
    if (status != FATHOM_OK || *cut || before == p->parts)
        return status;
    FATHOM_TRY(fit_race(kind, kinds));
    fit_progress_race(kind, kinds);
    status = run_kinds(kind, kinds, before, p->parts, true);
    *cut = fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE;
    return status;
}
