/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training in the middle of the range of double, whatever the units of the data.
 *
 * With x = 2^a x', y = 2^b y' (targets that are numbers; else b = 0) and weights c = 2^g c' the problem
 *
 *     minimise  sum_i c_i l(f(x_i), y_i) + beta R(f)
 *
 * is 2^(g+2b) times that of x', y', c' with beta' = 2^-(a+b+g) beta: a neuron w relu(<u, x> + h) is 2^b w'
 * relu(<u, x'> + h') with w = 2^(b-a) w', h = 2^a h', so that R = 2^(b-a) R'. Interpolation minimises R
 * itself. All of this is exact in doubles, so that network and bounds of the one problem are those of the
 * other to the last bit. Dual points are v = 2^(g+b) v', prices 2^(a+b+g) p'; certificates are written
 * from the scaled numbers with these exponents (certificate_train.c).
 */
#include "train_scale.h"

#include <math.h>
#include <string.h>

#include "claim_finish.h"
#include "context_internal.h"
#include "interval.h"
#include "number.h"

/* Below it nothing of a penalty can be told from rounding. */
static const double LEAST_PENALTY = 0x1p-500;

/* Whether targets are fitted as the numbers that they are. */
static bool fits_numbers(const fathom_data *data, const fathom_train_options *o)
{
    const bool numbers = o->loss == FATHOM_TRAIN_SQUARED || o->loss == FATHOM_TRAIN_EQUALITY;
    return numbers && !fathom_train_fits_classes(data, o);
}

/* Whether some label is no number. */
static bool labels_are_texts(const fathom_data_view *view)
{
    double value;
    size_t end;
    for (int64_t k = 0; k < view->classes; k++) {
        const size_t length = strlen(view->class_name[k]);
        if (fathom_number_parse(&value, &end, view->class_name[k], length) != FATHOM_NUMBER_OK ||
            end < length)
            return true;
    }
    return false;
}

void fathom_train_settle(fathom_train_options *options, fathom_context *context, const fathom_data *data)
{
    static const char *const normalize[] = {"columns as they are", "rows of norm 1", "standardised columns"};
    static const char *const bias[] = {"no bias", "a constant column", "free biases"};
    const fathom_data_view view = fathom_data_look(data);
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const bool texts = labels_are_texts(&view), several = view.outputs > 1;
    if (options->loss != FATHOM_TRAIN_LOSS_AUTO)
        return;
    const bool numbers = options->model == FATHOM_TRAIN_CONVEX_RF || options->model == FATHOM_TRAIN_LINEAR ||
                         options->targets || view.classes < 2;
    options->loss = texts && !numbers ? FATHOM_TRAIN_LOGISTIC : FATHOM_TRAIN_SQUARED;
    fathom_log(context, FATHOM_LOG_INFO, "assumed: %s loss (the target%s %s), %s, %s",
               options->loss == FATHOM_TRAIN_SQUARED ? "squared" : "logistic", several ? "s are" : " is",
               texts     ? "a class"
               : several ? "numbers"
                         : "a number",
               normalize[preprocess.normalize], bias[preprocess.bias]);
}

/* Labels that are texts have no sizes: what a loss of numbers makes of them is said. */
static void warn_of_texts(const fathom_train_range *range, const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    if (!labels_are_texts(&view))
        return;
    fathom_log(range->context, FATHOM_LOG_WARNING,
               "the labels are texts and are fitted as numbers, '%s' as %g to '%s' as %g (--loss logistic "
               "classifies%s)",
               view.class_name[0], view.class_value[0], view.class_name[view.classes - 1],
               view.class_value[view.classes - 1],
               view.classes > 2 ? "; --targets classes: a column for each" : "");
}

static fathom_status refuse_images(const fathom_train_range *range)
{
    if (range->options.model != FATHOM_TRAIN_CONVEX_RF)
        return FATHOM_OK;
    return fathom_error_set(range->context, FATHOM_ERROR_INPUT,
                            "images with values or targets beyond 2^+-32 are out of range");
}

/* beta' = 2^-(a+b+g) beta. */
static fathom_status scale_beta(fathom_train_range *range)
{
    const fathom_data_scale *s = &range->scale;
    bool exact = true;
    range->beta = range->options.beta;
    if (isnan(range->beta) || range->options.loss == FATHOM_TRAIN_EQUALITY || range->beta == 0)
        return FATHOM_OK;
    const double beta = fathom_scale_exactly(range->beta, -(s->point + s->target + s->weight), &exact);
    range->options.beta = beta;
    if (exact && beta >= LEAST_PENALTY && isfinite(beta))
        return FATHOM_OK;
    return fathom_error_set(range->context, FATHOM_ERROR_USAGE,
                            "--beta %g is out of range for data of this size: about %.3g times its unit",
                            range->beta, beta);
}

static fathom_status open_range(fathom_train_range *range, fathom_context *context, fathom_data *data,
                                const fathom_train_options *options)
{
    *range = (fathom_train_range){.context = context, .data = data, .options = *options};
    fathom_train_settle(&range->options, context, data);
    options = &range->options;
    fathom_status status = fathom_data_find_scale(&range->scale, data, fits_numbers(data, options));
    if (status == FATHOM_OK && fits_numbers(data, options))
        warn_of_texts(range, data);
    FATHOM_THEN(status, scale_beta(range));
    if (status != FATHOM_OK || !fathom_data_scale_needed(&range->scale))
        return status;
    status = refuse_images(range);
    FATHOM_THEN(status, fathom_data_scaled(&range->data, data, &range->scale));
    range->scaled = status == FATHOM_OK;
    return status;
}

/* ERROR_INPUT or ERROR_USAGE where data or penalty cannot be brought into range. */
static void close_range(fathom_train_range *range)
{
    if (range->scaled)
        fathom_data_free(range->data);
    range->scaled = false;
}

/* w = 2^(b-a) w', h = 2^a h', constants 2^b; gated networks have weights w_j in R^d, linear ones u. */
static void return_net(fathom_net *net, const fathom_train_range *range, bool *exact)
{
    const int a = range->scale.point, b = range->scale.target;
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights weights = fathom_net_lend(net);
    const int64_t block = shape.kind == FATHOM_NET_GATED ? shape.d : 1;
    for (int64_t k = 0; k < shape.m * shape.outputs * block; k++)
        weights.w[k] = fathom_scale_exactly(weights.w[k], b - a, exact);
    for (int64_t k = 0; weights.b && k < shape.m; k++)
        weights.b[k] = fathom_scale_exactly(weights.b[k], a, exact);
    for (int64_t k = 0; weights.c && k < shape.outputs; k++)
        weights.c[k] = fathom_scale_exactly(weights.c[k], b, exact);
}

/* A result of the scaled problem becomes one of the problem asked for, but for its proof, which keeps the
 * scaled numbers and says so. ERROR_INPUT where its numbers are not doubles. Then lower bound <=
 * objective, or ERROR_RUNTIME. */
static fathom_status return_result(fathom_train_result *r, const fathom_train_range *range)
{
    const int a = range->scale.point, b = range->scale.target, g = range->scale.weight;
    const bool equality = range->options.loss == FATHOM_TRAIN_EQUALITY;
    const int value = equality ? b - a : g + 2 * b;
    bool exact = true;
    if (range->scaled) {
        r->objective = fathom_scale_exactly(r->objective, value, &exact);
        r->lower_bound = fathom_scale_exactly(r->lower_bound, value, &exact);
        r->gap = ldexp(r->gap, value);
        r->loss = ldexp(r->loss, equality ? 0 : value);
        r->norm = ldexp(r->norm, b - a);
        r->beta =
            fathom_scale_exactly(r->beta, equality ? 0 : a + b + g, &exact); /* else another problem's */
        r->beta_max = ldexp(r->beta_max, equality ? 0 : a + b + g);
        if (r->net)
            return_net(r->net, range, &exact);
        if (r->proof)
            r->proof->point = a, r->proof->target = b, r->proof->weight = g;
    }
    if (!exact || (r->objective == 0 && r->norm > 0 && !equality) || r->loss > r->objective)
        return fathom_error_set(range->context, FATHOM_ERROR_INPUT,
                                "the answer is out of range: values near 2^%d, weights near 2^%d", value,
                                b - a);
    return fathom_interval_check(range->context, "the optimum", r->lower_bound, r->objective);
}

/* A result of the scaled problem: its proof made exact, and then what the user asked for. */
static fathom_status finish(fathom_train_result *result, const fathom_train_range *range)
{
    FATHOM_TRY(fathom_claim_finish(result, range->context, range->data, &range->options));
    if (result->proof) { /* both ends may have moved */
        fathom_train_judge(result, range->options.gap);
        if (result->status == FATHOM_TRAIN_LIMIT && result->end == FATHOM_END_REACHED)
            result->end = FATHOM_END_STALLED;
    }
    return return_result(result, range);
}

/* Trains on gates, or from a network; one that is in other units is no use. */
static fathom_status train(fathom_train_result *result, fathom_context *context, fathom_data *data,
                           const fathom_gates *gates, fathom_net *start, const fathom_train_options *options)
{
    fathom_train_options defaults;
    fathom_train_range range;
    *result = (fathom_train_result){0};
    fathom_options_init(&defaults, &fathom_train_option_table);
    options = options ? options : &defaults;
    FATHOM_TRY(fathom_options_check(context, options, &fathom_train_option_table));
    fathom_status status = open_range(&range, context, data, options);
    FATHOM_THEN(status, fathom_train_in_range(result, context, range.data, gates, range.scaled ? NULL : start,
                                              &range.options));
    FATHOM_THEN(status, finish(result, &range));
    if (status != FATHOM_OK)
        fathom_train_result_clear(result);
    close_range(&range);
    return status;
}

fathom_status fathom_train(fathom_train_result *result, fathom_context *context, fathom_data *data,
                           const fathom_gates *gates, const fathom_train_options *options)
{
    return train(result, context, data, gates, NULL, options);
}

fathom_status fathom_train_from(fathom_train_result *result, fathom_context *context, fathom_data *data,
                                fathom_net *start, const fathom_train_options *options)
{
    return train(result, context, data, NULL, start, options);
}

fathom_status fathom_path(fathom_path_result *result, fathom_context *context, fathom_data *data,
                          const fathom_gates *gates, const fathom_train_options *train,
                          const fathom_path_options *path)
{
    fathom_train_range range;
    *result = (fathom_path_result){.best = -1};
    fathom_status status = open_range(&range, context, data, train);
    FATHOM_THEN(status, fathom_path_in_range(result, context, range.data, gates, &range.options, path));
    for (int64_t k = 0; k < result->count && status == FATHOM_OK; k++) {
        status = finish(result->point + k, &range);
        if (result->cv_loss) { /* means of losses */
            result->cv_loss[k] = ldexp(result->cv_loss[k], 2 * range.scale.target);
            result->cv_error[k] = ldexp(result->cv_error[k], 2 * range.scale.target);
        }
    }
    const int64_t numbers = result->held_out ? result->count * result->rows * result->outputs : 0;
    for (int64_t k = 0; k < numbers; k++)
        result->held_out[k] = ldexp(result->held_out[k], range.scale.target);
    if (status != FATHOM_OK)
        fathom_path_result_clear(result, context);
    close_range(&range);
    return status;
}
