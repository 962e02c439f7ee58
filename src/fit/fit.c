/* SPDX-License-Identifier: Apache-2.0 */
/* A fit from options to result: choose, explain, refit. */
#include <math.h>

#include "context_internal.h"
#include "fit_internal.h"
#include "inner/fit.h"
#include "memory.h"

#define OWNER fathom_fit_options
static const fathom_option rows[] = {FATHOM_FIT_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_fit_option_table = FATHOM_OPTION_TABLE("Fit", rows, fathom_fit_options);

/* The score that decides. */
static fathom_status choose_score(fathom_fit_result *result, const fit_problem *p)
{
    const int wish = p->options->score;
    const bool numbers = p->task == FATHOM_FIT_REGRESSION;
    result->task = p->task;
    result->score = wish > 0 ? (fathom_fit_score)(wish - 1) : numbers ? FATHOM_FIT_MSE : FATHOM_FIT_LOG_LOSS;
    if (numbers == (result->score >= FATHOM_FIT_MSE))
        return FATHOM_OK;
    return fathom_error_set(p->context, FATHOM_ERROR_USAGE, "--score %s is for %s",
                            fathom_fit_score_text(result->score), numbers ? "classes" : "numbers");
}

/* What a certificate cannot be about. */
static fathom_status check_options(const fit_problem *p)
{
    const fathom_fit_options *o = p->options;
    const bool proves = o->certificate || o->verify;
    const char *name = o->average                       ? "average"
                       : o->balance                     ? "balance"
                       : o->prune > 0                   ? "prune"
                       : o->choose == FATHOM_FIT_SPARSE ? "choose sparse"
                       : !(o->time > 0)                 ? "time 0"
                                                        : NULL;
    if (!proves || !name)
        return FATHOM_OK;
    return fathom_error_set(p->context, FATHOM_ERROR_USAGE,
                            "a certificate is about the network as it was trained: --%s is not for it", name);
}

/* What stopped the choice. */
static fathom_end end_of(const fathom_context *context)
{
    return fathom_stop_end(fathom_context_stop_reason(context), FATHOM_END_REACHED);
}

/* The candidates on all folds, and the choice among those that were reached; *chosen is the kind. */
static fathom_status choose_candidate(fathom_fit_result *result, fit_candidates **chosen,
                                      fit_candidates *kind, int64_t kinds)
{
    fit_problem *p = kind->problem;
    bool cut;
    const bool race = p->options->choose == FATHOM_FIT_BEST;
    fit_progress_begin(kind, kinds, race);
    FATHOM_TRY(fit_kinds_validate(kind, kinds, race, &cut));
    result->candidate = fathom_memory_zero(p->context, kinds * FIT_POINTS, sizeof *result->candidate);
    if (!result->candidate)
        return FATHOM_ERROR_MEMORY;
    result->folds = p->folds;
    result->repeats = p->repeats;
    result->end = end_of(p->context);
    FATHOM_TRY(fit_choose(result, kind, kinds));
    fit_candidates *c = kind + result->chosen / FIT_POINTS;
    c->chosen = result->chosen % FIT_POINTS;
    if (c->chosen >= c->reached) /* the path was cut */
        c->chosen = c->reached > 0 ? c->reached - 1 : 0;
    result->chosen = c->number * FIT_POINTS + c->chosen;
    if (c->parts < p->parts) { /* what is known is of the folds before the race, or nothing */
        result->folds = c->parts < p->folds ? c->parts : p->folds;
        result->repeats = 1;
    }
    *chosen = c;
    return FATHOM_OK;
}

static fathom_status explain(fathom_fit_result *result, const fit_candidates *c)
{
    FATHOM_TRY(fit_rivals(result, c));
    if (c->parts == c->problem->parts)
        FATHOM_TRY(fit_explain(result, c));
    FATHOM_TRY(fit_warn_of_data(result, c->problem));
    fit_warn_of_choice(result, c->problem);
    return fit_warned(result);
}

static fathom_status run_fit(fathom_fit_result *result, fit_problem *p)
{
    fit_candidates kind[FIT_KINDS] = {{0}}, *c = kind;
    int64_t kinds = 0;
    const double start = fathom_context_seconds(p->context);
    fathom_status status = choose_score(result, p);
    FATHOM_THEN(status, check_options(p));
    FATHOM_THEN(status, fit_kinds_open(kind, &kinds, p));
    FATHOM_THEN(status, fit_state_begin(kind, kinds));
    FATHOM_THEN(status, choose_candidate(result, &c, kind, kinds));
    const double chosen = fathom_context_seconds(p->context);
    if (status == FATHOM_OK && result->end == FATHOM_END_REACHED)
        status = explain(result, c);
    const double explained = fathom_context_seconds(p->context);
    fit_progress_last(p);
    FATHOM_THEN(status, fit_refit(result, c));
    fit_progress_end(p);
    result->choosing = chosen - start;
    result->explaining = explained - chosen;
    result->refitting = fathom_context_seconds(p->context) - explained;
    fit_kinds_close(kind, kinds);
    return status;
}

fathom_status fathom_fit(fathom_fit_result *result, fathom_context *context, fathom_data *data,
                         const fathom_fit_options *options)
{
    fathom_fit_options defaults;
    fit_problem problem;
    *result = (fathom_fit_result){0};
    fathom_options_init(&defaults, &fathom_fit_option_table);
    options = options ? options : &defaults;
    FATHOM_TRY(fathom_options_check(context, options, &fathom_fit_option_table));
    fathom_status status = fit_problem_open(&problem, context, data, options);
    FATHOM_THEN(status, run_fit(result, &problem));
    fit_problem_close(&problem);
    if (status != FATHOM_OK)
        fathom_fit_result_clear(result, context);
    return status;
}

void fathom_fit_result_clear(fathom_fit_result *result, fathom_context *context)
{
    for (int64_t k = 0; k < result->columns; k++)
        fathom_memory_free(context, result->column[k].name);
    for (int64_t k = 0; k < result->warnings; k++)
        fathom_memory_free(context, result->warning[k]);
    FATHOM_FREE(context, result->column, result->candidate, result->confusion, result->curve, result->seen);
    fathom_train_result_clear(&result->train);
    *result = (fathom_fit_result){0};
}
