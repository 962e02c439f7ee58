/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training over ALL ReLU networks of any width: which method runs.
 *
 *     minimise  sum_i c_i l(f_i, y_i) + beta sum_j |w_j||u_j|,   f_i = sum_j w_j relu(<u_j, x_i>)
 *
 * --method names a row of the table below; `auto` takes the first automatic row that applies and says so
 * in one line. Where that method ends before its gap without having been stopped, or cannot list the
 * cones, `auto` goes on with another: all cones and column generation stand in for each other. The better
 * network and the better bound of the two are kept.
 */
#include <string.h>

#include "context_internal.h"
#include "hyperplanes.h"
#include "merge_rows.h"
#include "train_relu.h"

/* In the order in which `auto` asks. */
static const fathom_relu_method methods[] = {
    {FATHOM_TRAIN_CLOSED, "line", true, fathom_line_applies, fathom_line_run},
    {FATHOM_TRAIN_CLOSED, "closed", true, fathom_closed_applies, fathom_closed_run},
    {FATHOM_TRAIN_CUTTING, "cutting", false, fathom_cutting_applies, fathom_cutting_train},
    {FATHOM_TRAIN_CELLS, "cells", true, fathom_cells_applies, fathom_cells_run},
    {FATHOM_TRAIN_COLUMNS, "columns", true, fathom_columns_applies, fathom_columns_run},
    {FATHOM_TRAIN_GATES, "gates", false, fathom_on_gates_applies, fathom_on_gates_run},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* All cones are a way out where column generation stalls as long as they are at most so many. */
static const double MANY_CONES = 4e5;

/* What no method builds is refused, never ignored. */
static fathom_status refuse_unsupported(const fathom_train_problem *p)
{
    const fathom_train_options *o = p->options;
    const char *what = o->gates && o->method != FATHOM_TRAIN_GATES ? "--gates" : NULL;
    if (!what)
        return FATHOM_OK;
    return fathom_error_set(p->context, FATHOM_ERROR_USAGE, "%s with --model relu is not in this version",
                            what);
}

/* Checkpoints belong to the methods that take long. */
static fathom_status refuse_checkpoint(const fathom_train_problem *p, const fathom_relu_method *method)
{
    const bool keeps = method->option == FATHOM_TRAIN_COLUMNS || method->option == FATHOM_TRAIN_GATES ||
                       method->option == FATHOM_TRAIN_CELLS;
    if (keeps || !(p->options->checkpoint || p->options->resume) || *fathom_context_part(p->context))
        return FATHOM_OK;
    return fathom_error_set(p->context, FATHOM_ERROR_USAGE,
                            "--checkpoint and --resume belong to --method columns, cells and gates; this "
                            "problem is solved by %s, %s",
                            method->name,
                            method->option == FATHOM_TRAIN_CUTTING
                                ? "whose search over all networks is that of --method columns"
                                : "which is done in seconds");
}

bool fathom_relu_covers(const fathom_train_problem *problem)
{
    const char *why;
    for (int k = 0; k < METHODS; k++) {
        bool yes = false;
        if (methods[k].automatic && methods[k].applies(&yes, &why, problem) == FATHOM_OK && yes)
            return true;
    }
    return false;
}

/* The method asked for, or the first automatic one that applies; ERROR_USAGE with the reason where there
 * is none. */
static fathom_status choose_method(const fathom_relu_method **chosen, const fathom_train_problem *p)
{
    const bool automatic = p->options->method == FATHOM_TRAIN_AUTO;
    const char *why = "it is not in this version";
    *chosen = NULL;
    for (int k = 0; k < METHODS && !*chosen; k++) {
        const fathom_relu_method *method = methods + k;
        bool yes;
        if (automatic ? !method->automatic : (int)method->option != p->options->method)
            continue;
        FATHOM_TRY(method->applies(&yes, &why, p));
        if (yes)
            *chosen = method;
    }
    if (!*chosen)
        return fathom_error_set(p->context, FATHOM_ERROR_USAGE, "%s --model relu: %s",
                                automatic ? "no method for" : "this --method is not for", why);
    if (automatic && !p->silent)
        fathom_log(p->context, FATHOM_LOG_INFO, "method %s: %s", (*chosen)->name, why);
    return FATHOM_OK;
}

/* The method that may decide where this one did not; NULL where there is none. */
static const fathom_relu_method *stand_in(const fathom_relu_method *method,
                                          const fathom_train_problem *problem)
{
    const bool columns = method->option == FATHOM_TRAIN_COLUMNS;
    if (columns ? !(fathom_cells_count(problem) <= MANY_CONES) || fathom_cells_too_long(problem)
                : method->option != FATHOM_TRAIN_CELLS)
        return NULL;
    for (int k = 0; k < METHODS; k++)
        if (methods[k].option == (columns ? FATHOM_TRAIN_CELLS : FATHOM_TRAIN_COLUMNS))
            return methods + k;
    return NULL;
}

static void swap_results(fathom_train_result *a, fathom_train_result *b)
{
    const fathom_train_result one = *a;
    *a = *b;
    *b = one;
}

/* `result` = the better network with the better bound of two global results; `other` is cleared. What is
 * printed with a certificate is what its proof proves, so that there bound and proof go together. */
static void keep_better(fathom_train_result *result, fathom_train_result *other,
                        const fathom_train_problem *problem)
{
    if (other->objective < result->objective)
        swap_results(result, other);
    if (other->lower_bound > result->lower_bound) {
        fathom_proof *proof = result->proof;
        result->lower_bound = other->lower_bound;
        result->bound_method = other->bound_method;
        result->proof = other->proof;
        other->proof = proof;
    }
    result->iterations += other->iterations;
    fathom_train_conclude(result, problem);
    fathom_train_result_clear(other);
}

/* Runs the stand-in beside a result, or in place of one (`failed`). */
static fathom_status run_stand_in(fathom_train_result *result, const fathom_train_problem *problem,
                                  const fathom_relu_method *method, bool failed)
{
    fathom_train_options options = *problem->options;
    fathom_train_problem again = *problem;
    fathom_train_result other = {0};
    options.method = (int)method->option;
    if (!failed) /* the state that was kept is the first method's */
        options.checkpoint = options.resume = NULL;
    again.options = &options;
    again.silent = true;
    fathom_status status = method->run(&other, &again);
    if (failed)
        *result = other;
    else if (status == FATHOM_OK)
        keep_better(result, &other, problem);
    else if (status == FATHOM_ERROR_RUNTIME)
        status = FATHOM_OK; /* what is there stays */
    return status;
}

/* The method, and where it stalls or fails its stand-in. */
static fathom_status run_method(fathom_train_result *result, const fathom_train_problem *problem,
                                const fathom_relu_method *method)
{
    const fathom_status status = method->run(result, problem);
    const bool failed = (status == FATHOM_ERROR_RUNTIME || status == FATHOM_ERROR_STOPPED) &&
                        !fathom_context_error(problem->context)->file; /* which no method can help */
    const bool stalled =
        status == FATHOM_OK && result->status == FATHOM_TRAIN_LIMIT && result->end == FATHOM_END_STALLED;
    const fathom_relu_method *other = problem->options->method == FATHOM_TRAIN_AUTO && (failed || stalled)
                                          ? stand_in(method, problem)
                                          : NULL;
    if (!other)
        return status;
    fathom_log(problem->context, FATHOM_LOG_INFO, "method %s %s: %s goes on", method->name,
               failed ? "failed" : "stalled", other->name);
    if (failed)
        fathom_train_result_clear(result);
    return run_stand_in(result, problem, other, failed);
}

/* The method on the rows as they are. */
static fathom_status train_rows(fathom_train_result *result, const fathom_train_problem *problem)
{
    const fathom_relu_method *method;
    FATHOM_TRY(choose_method(&method, problem));
    FATHOM_TRY(refuse_checkpoint(problem, method));
    return run_method(result, problem, method);
}

/* Rows that no network can tell apart are one row with a weight; gates are about rows. */
static bool may_merge(const fathom_train_problem *p)
{
    const fathom_train_options *o = p->options;
    if (o->method == FATHOM_TRAIN_GATES || o->method == FATHOM_TRAIN_CUTTING)
        return false;
    const char *why;
    bool line = false; /* which gathers its points itself */
    return !fathom_train_proves(o) ||
           (!(o->certificate_size > 0) && fathom_line_applies(&line, &why, p) == FATHOM_OK && !line);
}

/* The dual point of the merged rows proves its bound on all of them; where it proves less than the gap
 * leaves, all rows may do better. */
static fathom_status prove_merged(fathom_train_result *result, const fathom_train_problem *problem)
{
    const double before = result->lower_bound;
    fathom_train_result other = {0};
    fathom_status status = fathom_train_prove(result, problem);
    if (status != FATHOM_OK || result->lower_bound >= before * (1 - problem->options->gap) ||
        fathom_context_stop_reason(problem->context) != FATHOM_STOP_NONE)
        return status;
    fathom_train_problem again = *problem;
    again.silent = true;
    status = train_rows(&other, &again);
    if (status == FATHOM_OK && (!other.proof || other.proof->started))
        status = fathom_train_prove(&other, problem);
    if (status == FATHOM_OK)
        keep_better(result, &other, problem);
    else
        fathom_train_result_clear(&other);
    return status;
}

static fathom_status train_merged(fathom_train_result *result, const fathom_train_problem *problem)
{
    fathom_merged_rows merged;
    bool fewer;
    fathom_status status = fathom_merged_rows_open(&merged, &fewer, problem);
    if (status == FATHOM_OK && fewer)
        status = train_rows(result, &merged.problem);
    else if (status == FATHOM_OK)
        status = train_rows(result, problem);
    if (status == FATHOM_OK && fewer)
        status = fathom_merged_rows_return(result, &merged, problem);
    const bool open = fathom_train_proves(problem->options) && (!result->proof || result->proof->started);
    if (status == FATHOM_OK && fewer && open)
        status = prove_merged(result, problem);
    fathom_merged_rows_close(&merged);
    return status;
}

fathom_status fathom_train_relu(fathom_train_result *result, const fathom_train_problem *problem)
{
    FATHOM_TRY(refuse_unsupported(problem));
    if (problem->equality)
        FATHOM_TRY(fathom_targets_fit(problem));
    FATHOM_TRY(may_merge(problem) ? train_merged(result, problem) : train_rows(result, problem));
    if (problem->equality && result->net)
        FATHOM_TRY(fathom_relu_check_targets(result, problem));
    const bool asked = fathom_train_proves(problem->options);
    if (asked && (!result->proof || result->proof->started))
        FATHOM_TRY(fathom_train_prove(result, problem));
    return FATHOM_OK;
}
