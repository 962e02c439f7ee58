/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command was asked, as words of `fathom-check --expect`: the checker compares them with what it
 * verified itself, so that the solver and the checker must agree on the question, not only on the answer.
 * Written from the options; of the result only what no option states: the penalty that was found, and
 * which networks the bound is on.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "data_internal.h"
#include "inner/margin.h"
#include "inner/options.h"
#include "inner/train.h"
#include "job_internal.h"

enum { ROOM = 600, NUMBER = 28 };

__attribute__((format(printf, 2, 3))) static void add(fathom_job *job, const char *format, ...)
{
    const size_t used = strlen(job->expect);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(job->expect + used, job->expect_room - used, format, arguments);
    va_end(arguments);
}

/* key=word of a choice, where it has one. */
static void add_choice(fathom_job *job, const fathom_option_table *table, const char *key, int choice)
{
    char word[40];
    const fathom_option *row = fathom_options_find(table, key);
    if (row && fathom_option_choice(row, choice, word, sizeof word))
        add(job, " %s=%s", key, word);
}

/* ":0.3" of a loss with a parameter, in the fewest digits that read back as it is. */
static void add_parameter(fathom_job *job, double parameter)
{
    char text[40] = "";
    for (int digits = 1; parameter != 0 && digits <= 17; digits++) {
        snprintf(text, sizeof text, ":%.*g", digits, parameter);
        if (strtod(text + 1, NULL) == parameter)
            break;
    }
    add(job, "%s", text);
}

/* "all", or the range of --rows; nothing where rows are listed in a file or may be left out for another
 * reason. */
static void add_rows(fathom_job *job)
{
    const char *rows = job->options.rows;
    long long first = 0, last = job->data->raw_rows;
    char end;
    if (job->options.classes || job->options.weights)
        return;
    if (!rows)
        add(job, " rows=all");
    else if (sscanf(rows, "%lld:%lld%c", &first, &last, &end) == 2)
        add(job, " rows=%lld:%lld", first, last);
}

/* Whether a class has one name only: a word of letters, or digits as the checker writes a number. */
static bool has_one_name(const char *name, size_t size)
{
    const size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"),
                 digits = strspn(name, "0123456789");
    return size > 0 && (letters == size || (digits == size && size < 10 && (size == 1 || *name != '0')));
}

/* The classes of --classes A,B: B is -1, A is +1. */
static void add_classes(fathom_job *job)
{
    const char *first = job->options.classes, *comma = first ? strchr(first, ',') : NULL;
    if (comma && strlen(first) < 100 && has_one_name(first, (size_t)(comma - first)) &&
        has_one_name(comma + 1, strlen(comma + 1)))
        add(job, " classes=%s,%.*s", comma + 1, (int)(comma - first), first);
}

/* What every question is about. */
static fathom_status begin(fathom_job *job, int64_t claims, const char *kind)
{
    job->expect_room = (size_t)(ROOM + claims * NUMBER);
    job->expect = fathom_context_allocate(job->context, (int64_t)job->expect_room, 1);
    if (!job->expect)
        return FATHOM_ERROR_MEMORY;
    *job->expect = 0;
    add(job, "class=%s", kind);
    const int normalize = job->options.normalize == FATHOM_NORMALIZE_AUTO /* what it became */
                              ? (int)fathom_data_preprocess(job->data).normalize
                              : (int)job->options.normalize;
    add_choice(job, &fathom_data_option_table, "normalize", normalize);
    add_choice(job, &fathom_data_option_table, "bias", (int)job->options.bias);
    add_rows(job);
    add_classes(job);
    return FATHOM_OK;
}

fathom_status fathom_job_expect_train(fathom_job *job, const fathom_train_result *result, int64_t count,
                                      const fathom_train_options *options)
{
    const bool relu = options->model == FATHOM_TRAIN_RELU, gates = result->bound == FATHOM_TRAIN_BOUND_GATES;
    const bool equality = options->loss == FATHOM_TRAIN_EQUALITY;
    bool same = true; /* all claims are of one kind */
    for (int64_t k = 0; k < count; k++)
        same = same && result[k].bound == result->bound && result[k].lower_bound > 0;
    FATHOM_TRY(begin(job, count, !relu ? "gated" : gates && same ? "gates" : "relu"));
    add_choice(job, &fathom_train_option_table, "loss", (int)options->loss);
    add_parameter(job, fathom_train_parameter(options));
    if (!equality) /* whose value knows neither a scale nor a penalty */
        add_choice(job, &fathom_train_option_table, "scale", (int)options->scale);
    for (int64_t k = 0; k < count && !equality; k++)
        add(job, "%s%.17g", k ? "," : " beta=", result[k].beta);
    if (same)
        add(job, " bound=%s", fathom_train_bound_text(result->bound));
    return FATHOM_OK;
}

fathom_status fathom_job_expect_margin(fathom_job *job, const fathom_margin_result *margin)
{
    const fathom_margin_view view = fathom_margin_look(margin);
    const bool sampled = fathom_margin_prove(margin).sampled;
    FATHOM_TRY(begin(job, 1, "margin"));
    add_choice(job, &fathom_margin_option_table, "kind", (int)view.kind);
    if (view.upper > 0) /* a margin of 0 is one of all networks */
        add(job, " bound=%s", sampled ? "sampled" : view.width > 0 ? "gates" : "global");
    if (sampled)
        add(job, " confidence=%.17g seed=%llu", view.confidence,
            (unsigned long long)fathom_context_seed(job->context));
    return FATHOM_OK;
}

fathom_status fathom_job_expect_cones(fathom_job *job, bool faces)
{
    return begin(job, 1, faces ? "faces" : "cones");
}

fathom_status fathom_job_expect_cone(fathom_job *job, const bool *active)
{
    enum { LONGEST = 10000 }; /* of a pattern on a command line */
    const int64_t n = job->data->n;
    const fathom_status status = begin(job, 1 + n / NUMBER, "cone");
    if (status != FATHOM_OK || n > LONGEST)
        return status;
    add(job, " pattern=");
    for (int64_t i = 0; i < n; i++)
        add(job, "%c", active[i] ? '+' : '-');
    return FATHOM_OK;
}

fathom_status fathom_job_expect_kernel(fathom_job *job, const fathom_kernel_claim *claim)
{
    FATHOM_TRY(begin(job, 1, "kernel"));
    add(job, " kind=%s scale=%.17g bound=%s", claim->options->layers == 1 ? "both" : "first",
        claim->options->factor, claim->gates ? "gates" : "global");
    return FATHOM_OK;
}

fathom_status fathom_job_expect_limit(fathom_job *job, bool both)
{
    FATHOM_TRY(begin(job, 1, "limit"));
    add(job, " kind=%s", both ? "both" : "first");
    return FATHOM_OK;
}

fathom_status fathom_job_expect_spike(fathom_job *job, bool free)
{
    FATHOM_TRY(begin(job, 1, "spike"));
    add(job, " lower>=%d upper<=%d", free, free);
    return FATHOM_OK;
}
