/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a check, constants, margins and options of runs: what every paper's checks use. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "nonnegative.h"
#include "number.h"
#include "theorem_internal.h"

static int holds(double value, const char *relation, double required)
{
    if (isnan(value) || isnan(required))
        return -1;
    if (relation[0] == '=')
        return value == required;
    if (relation[0] == '<')
        return relation[1] ? value <= required : value < required;
    return relation[1] ? value >= required : value > required;
}

static void add(fathom_check_item *list, int64_t *count, fathom_check_item item)
{
    if (*count < FATHOM_CHECK_ITEMS)
        list[(*count)++] = item;
}

void theorem_assume(theorem_run *run, const char *name, double value, const char *relation, double required)
{
    theorem_assume_between(run, name, value, value, relation, required);
}

void theorem_assume_between(theorem_run *run, const char *name, double lower, double upper,
                            const char *relation, double required)
{
    const int low = holds(lower, relation, required), high = holds(upper, relation, required);
    const double value = lower == upper ? lower
                         : low == high  ? (relation[0] == '>' ? lower : upper)
                                        : (lower + upper) / 2;
    const fathom_check_item item = {name, value, relation, required, low == high ? low : -1};
    add(run->result->hypothesis, &run->result->hypotheses, item);
}

void theorem_compare(theorem_run *run, const char *name, double value, const char *relation, double required)
{
    const fathom_check_item item = {name, value, relation, required, holds(value, relation, required)};
    add(run->result->comparison, &run->result->comparisons, item);
}

/* The next "NAME=VALUE" of a list: where its value begins and what it is; false where there is none or it is bad. */
static bool read_constant(const char *text, size_t *name, double *value)
{
    size_t end;
    const size_t length = strcspn(text, ",");
    *name = strcspn(text, "=,");
    return text[*name] == '=' && *name > 0 &&
           fathom_number_parse(value, &end, text + *name + 1, length - *name - 1) == FATHOM_NUMBER_OK &&
           *name + 1 + end == length && isfinite(*value);
}

static const char *next_constant(const char *text)
{
    text += strcspn(text, ",");
    return text + (*text == ',');
}

fathom_status theorem_constants_check(const theorem_run *run)
{
    size_t name;
    double value;
    for (const char *text = run->options->constants; text && *text; text = next_constant(text))
        if (!read_constant(text, &name, &value))
            return fathom_error_set(run->context, FATHOM_ERROR_USAGE,
                                    "--constants %s: expected NAME=VALUE,...", run->options->constants);
    return FATHOM_OK;
}

double theorem_constant(const theorem_run *run, const char *name, double preset)
{
    size_t length;
    double value;
    for (const char *text = run->options->constants; text && *text; text = next_constant(text))
        if (read_constant(text, &length, &value) && length == strlen(name) &&
            strncmp(text, name, length) == 0)
            return value;
    return preset;
}

fathom_status theorem_margin_by(fathom_margin_view *view, theorem_run *run, fathom_margin_options *options,
                                int64_t width)
{
    fathom_margin_result *result;
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)width);
    if (width > 0)
        options->width = text;
    const fathom_status status = fathom_margin(&result, run->context, run->data, options);
    if (status != FATHOM_OK)
        return status;
    *view = fathom_margin_look(result);
    fathom_margin_free(result);
    return FATHOM_OK;
}

fathom_status theorem_margin(double *lower, double *upper, theorem_run *run, fathom_margin_kind kind,
                             int64_t width, double gap)
{
    fathom_margin_options options;
    fathom_margin_view view;
    fathom_options_init(&options, &fathom_margin_option_table);
    options.kind = (int)kind;
    options.gap = gap;
    const fathom_status status = theorem_margin_by(&view, run, &options, width);
    if (status == FATHOM_OK) {
        *lower = view.lower;
        *upper = view.upper;
    }
    return status;
}

fathom_status theorem_linear_margin(double *lower, double *upper, theorem_run *run)
{
    const int64_t n = run->n, d = run->d;
    double *block = fathom_memory_alloc(run->context, n * d + 2 * n + d, sizeof *block);
    fathom_least_norm result;
    *lower = *upper = 0;
    if (!block)
        return FATHOM_ERROR_MEMORY;
    double *z = block, *one = z + n * d, *multiplier = one + n, *w = multiplier + n;
    for (int64_t i = 0; i < n; i++) {
        one[i] = 1;
        for (int64_t k = 0; k < d; k++)
            z[i * d + k] = run->y[i] * run->x[i * d + k];
    }
    const fathom_status status = fathom_least_norm_solve(&result, w, multiplier, z, n, d, one, run->context);
    if (status == FATHOM_OK && result.upper < INFINITY) {
        *lower = 1 / result.upper;
        *upper = 1 / result.lower;
    }
    fathom_memory_free(run->context, block);
    return status;
}

fathom_flow_options theorem_flow_options(const theorem_run *run, const char *net, int64_t width,
                                         const char *until)
{
    fathom_flow_options options;
    fathom_options_init(&options, &fathom_flow_option_table);
    options.net = net;
    options.width = run->options->width > 0 ? run->options->width : width;
    options.init = run->options->init;
    options.until = run->options->until ? run->options->until : until;
    return options;
}
