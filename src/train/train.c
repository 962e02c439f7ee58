/* SPDX-License-Identifier: Apache-2.0 */
/* Training: options, the problem read off the data, and the choice of the method. */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "dense.h"
#include "inner/data.h"
#include "inner/train.h"
#include "loss_row.h"
#include "memory.h"
#include "train_internal.h"
#include "train_scale.h"

#define OWNER fathom_train_options
static const fathom_option rows[] = {FATHOM_TRAIN_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_train_option_table =
    FATHOM_OPTION_TABLE("Training", rows, fathom_train_options);

const char *fathom_train_status_text(fathom_train_status status)
{
    static const char *const text[] = {"certified", "gates", "limit", "filters"};
    return text[status];
}

const char *fathom_train_bound_text(fathom_train_bound bound)
{
    static const char *const text[] = {"global", "gates", "none", "filters"};
    return text[bound];
}

/* Sparse rows are kept where they are a quarter as long as dense ones, or shorter. */
static const double FILLED = 0.25;

/* Whether rows can stay sparse: gates that are sampled or given, no more numbers than a part of all. */
static bool stays_sparse(const fathom_data_view *view, const fathom_train_options *o)
{
    const char *gates = o->gates;
    if (view->x || !view->row_start || o->model != FATHOM_TRAIN_GATED || view->n > INT32_MAX)
        return false;
    if (gates && (strcmp(gates, "all") == 0 || strcmp(gates, "grow") == 0))
        return false;
    return (double)view->row_start[view->n] <= FILLED * (double)view->n * (double)view->d;
}

void fathom_train_row(double *row, const fathom_train_problem *p, int64_t i)
{
    const fathom_csr *from = &p->sparse.points.row;
    if (p->x) {
        memcpy(row, p->x + i * p->d, (size_t)p->d * sizeof *row);
        return;
    }
    memset(row, 0, (size_t)p->d * sizeof *row);
    for (int64_t e = from->row_start[i]; e < from->row_start[i + 1]; e++)
        row[from->column[e]] = from->value[e];
}

/* Dense rows of x, or sparse ones as they are. */
static fathom_status read_rows(fathom_train_problem *p, const fathom_data_view *view, bool sparse)
{
    if (sparse)
        return fathom_gated_rows_open(
            &p->sparse, p->context,
            (fathom_csr){view->n, view->d, view->row_start, view->column, view->value});
    FATHOM_TRY(view->x && view->ld == p->d ? FATHOM_OK : fathom_dense_copy(&p->dense, view, p->context));
    p->x = p->dense ? p->dense : view->x;
    return FATHOM_OK;
}

/* x, with |x_i| rounded up. */
static fathom_status read_points(fathom_train_problem *p, const fathom_data_view *view, bool sparse)
{
    FATHOM_TRY(read_rows(p, view, sparse));
    p->reach = fathom_memory_alloc(p->context, p->n, sizeof *p->reach);
    if (!p->reach)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n; i++) {
        double sum = 0;
        for (int64_t k = 0; !sparse && k < p->d; k++)
            sum += p->x[i * p->d + k] * p->x[i * p->d + k];
        for (int64_t e = sparse ? view->row_start[i] : 0; sparse && e < view->row_start[i + 1]; e++)
            sum += view->value[e] * view->value[e];
        p->reach[i] = sqrt(sum) * (1 + (double)(p->d + 4) * 0x1p-52);
        fathom_context_passed_row(p->context, i);
    }
    return FATHOM_OK;
}

bool fathom_train_fits_classes(const fathom_data *data, const fathom_train_options *o)
{
    /* Labels of images are classes, not numbers; two keep their values. Likewise for the linear functions
     * to compare with, and where it is asked for. */
    const bool asked = o->model == FATHOM_TRAIN_CONVEX_RF || o->model == FATHOM_TRAIN_LINEAR || o->targets;
    return asked && fathom_data_look(data).classes > 2;
}

fathom_loss fathom_train_kind(const fathom_train_options *o)
{
    static const fathom_loss kind[] = {FATHOM_LOSS_SQUARED,  FATHOM_LOSS_LOGISTIC, FATHOM_LOSS_HINGE,
                                       FATHOM_LOSS_SQUARED,  FATHOM_LOSS_HUBER,    FATHOM_LOSS_ABSOLUTE,
                                       FATHOM_LOSS_QUANTILE, FATHOM_LOSS_SQUARED};
    return kind[o->loss];
}

double fathom_train_parameter(const fathom_train_options *o)
{
    return o->loss == FATHOM_TRAIN_HUBER ? o->delta : o->loss == FATHOM_TRAIN_QUANTILE ? o->tau : 0;
}

/* y as outputs x n, coded for the loss. */
static fathom_status copy_targets(fathom_train_problem *p, const fathom_data_view *view)
{
    const double *y = view->y;
    fathom_status status = FATHOM_OK;
    p->loss = fathom_train_kind(p->options);
    p->box = fathom_loss_box_of(p->loss, fathom_train_parameter(p->options));
    p->outputs = view->outputs;
    if (p->outputs < 1)
        return fathom_error_set(p->context, FATHOM_ERROR_INPUT, "the data has no targets to train on");
    if (!fathom_loss_row_of(p->loss)->numbers || fathom_train_fits_classes(p->data, p->options))
        status = fathom_data_code_classes(&y, &p->outputs, p->data);
    if (status != FATHOM_OK)
        return status;
    if (p->outputs > 1 && fathom_loss_row_of(p->loss)->boxed)
        return fathom_error_set(p->context, FATHOM_ERROR_USAGE,
                                "--loss %s takes one target; these are %lld (--loss squared takes them)",
                                fathom_loss_name(p->loss), (long long)p->outputs);
    if (p->outputs > 1 && p->loss == FATHOM_LOSS_HINGE)
        return fathom_error_set(
            p->context, FATHOM_ERROR_USAGE,
            "the hinge loss takes two classes; these are %lld (--classes A,B, or --loss logistic)",
            (long long)p->outputs);
    if (p->outputs > 1 && p->loss == FATHOM_LOSS_LOGISTIC)
        p->loss = FATHOM_LOSS_SOFTMAX;
    p->y = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *p->y);
    if (!p->y)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t k = 0; k < p->outputs; k++)
            p->y[k * p->n + i] = y[i * p->outputs + k];
    return FATHOM_OK;
}

static fathom_status check_weights(const fathom_train_problem *p)
{
    for (int64_t i = 0; p->weight && i < p->n; i++)
        if (!(p->weight[i] > 0) || !isfinite(p->weight[i]))
            return fathom_error_set(p->context, FATHOM_ERROR_INPUT,
                                    "sample weight %lld is %.17g; weights must be positive", (long long)i,
                                    p->weight[i]);
    return FATHOM_OK;
}

/* Options that others than their model or method would not heed are refused. */
static fathom_status check_options(fathom_context *context, const fathom_train_options *o)
{
    fathom_train_options defaults;
    const fathom_train_options *plain = &defaults;
    fathom_options_init(&defaults, &fathom_train_option_table);
    const bool cutting = o->model == FATHOM_TRAIN_RELU && o->method == FATHOM_TRAIN_CUTTING;
    if ((o->extreme > 0 || o->neurons > 0) && !cutting)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "--%s is for --method cutting",
                                o->extreme > 0 ? "extreme" : "neurons");
    if ((o->delta != plain->delta && o->loss != FATHOM_TRAIN_HUBER) ||
        (o->tau != plain->tau && o->loss != FATHOM_TRAIN_QUANTILE))
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                o->delta != plain->delta && o->loss != FATHOM_TRAIN_HUBER
                                    ? "--delta is for --loss huber"
                                    : "--tau is for --loss quantile");
    if (o->targets && fathom_loss_row_of(fathom_train_kind(o))->boxed)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "--targets classes is not for --loss %s",
                                fathom_loss_name(fathom_train_kind(o)));
    if (o->neurons > 0 && o->loss == FATHOM_TRAIN_EQUALITY)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "--neurons is for --loss squared: interpolation takes the neurons it needs");
    const char *name = o->image                                   ? "image"
                       : o->patch != plain->patch                 ? "patch"
                       : o->stride != plain->stride               ? "stride"
                       : o->filters != plain->filters             ? "filters"
                       : o->filter_source != plain->filter_source ? "filter-source"
                       : o->pool != plain->pool                   ? "pool"
                       : o->pooling != plain->pooling             ? "pooling"
                       : o->contrast != plain->contrast           ? "contrast"
                       : o->whiten != plain->whiten               ? "whiten"
                                                                  : NULL;
    if (!name || o->model == FATHOM_TRAIN_CONVEX_RF)
        return FATHOM_OK;
    return fathom_error_set(context, FATHOM_ERROR_USAGE, "--%s is for --model convex-rf", name);
}

static fathom_status create(fathom_train_problem *problem, fathom_context *context, fathom_data *data,
                            const fathom_train_options *options, bool sparse)
{
    const fathom_data_view view = fathom_data_look(data);
    *problem = (fathom_train_problem){
        .context = context,
        .data = data,
        .options = options,
        .n = view.n,
        .d = view.d,
        .weight = view.weight,
        .equality = options->loss == FATHOM_TRAIN_EQUALITY,
        .constant = view.bias == FATHOM_BIAS_FREE,
        .divisor = options->scale && options->loss != FATHOM_TRAIN_EQUALITY ? (double)view.n : 1};
    if (view.n < 1 || view.d < 1)
        return fathom_error_set(context, FATHOM_ERROR_INPUT,
                                "there is nothing to train on: %lld rows, %lld columns", (long long)view.n,
                                (long long)view.d);
    fathom_status status = check_options(context, options);
    FATHOM_THEN(status, read_points(problem, &view, sparse && stays_sparse(&view, options)));
    FATHOM_THEN(status, copy_targets(problem, &view));
    FATHOM_THEN(status, check_weights(problem));
    if (status != FATHOM_OK)
        fathom_train_problem_clear(problem);
    return status;
}

fathom_status fathom_train_problem_create(fathom_train_problem *problem, fathom_context *context,
                                          fathom_data *data, const fathom_train_options *options)
{
    return create(problem, context, data, options, false);
}

fathom_status fathom_train_problem_create_sparse(fathom_train_problem *problem, fathom_context *context,
                                                 fathom_data *data, const fathom_train_options *options)
{
    return create(problem, context, data, options, true);
}

void fathom_train_problem_clear(fathom_train_problem *problem)
{
    if (!problem->context)
        return;
    fathom_gated_rows_clear(&problem->sparse, problem->context);
    FATHOM_FREE(problem->context, problem->dense, problem->reach, problem->y);
    *problem = (fathom_train_problem){0};
}

fathom_status fathom_train_beta(double *beta, const fathom_train_problem *problem, double beta_max)
{
    const fathom_train_options *options = problem->options;
    *beta = isnan(options->beta) ? options->beta_rel * beta_max : options->beta * problem->divisor;
    if (*beta > 0 && isfinite(*beta))
        return FATHOM_OK;
    /* Nothing to fit: every penalty gives the constant predictor. */
    if (isnan(options->beta) && options->beta_rel > 0 && beta_max == 0) {
        *beta = 1;
        return FATHOM_OK;
    }
    return fathom_error_set(
        problem->context, FATHOM_ERROR_USAGE, "--%s must be positive%s",
        isnan(options->beta) ? "beta-rel" : "beta",
        options->model == FATHOM_TRAIN_RELU
            ? ": without a penalty every network that fits is an optimum (--loss equality "
              "finds the one of least norm)"
            : "");
}

void fathom_train_judge(fathom_train_result *result, double gap)
{
    result->gap = result->objective - result->lower_bound;
    result->relative_gap = isinf(result->objective) ? INFINITY
                           : result->objective > 0  ? result->gap / result->objective
                           : result->gap > 0        ? INFINITY
                                                    : 0;
    if (!(result->relative_gap <= gap) || result->bound == FATHOM_TRAIN_BOUND_NONE)
        result->status = FATHOM_TRAIN_LIMIT;
    else
        result->status = result->bound == FATHOM_TRAIN_BOUND_GLOBAL    ? FATHOM_TRAIN_CERTIFIED
                         : result->bound == FATHOM_TRAIN_BOUND_FILTERS ? FATHOM_TRAIN_ON_FILTERS
                                                                       : FATHOM_TRAIN_ON_GATES;
}

void fathom_train_conclude(fathom_train_result *result, const fathom_train_problem *problem)
{
    result->end = fathom_stop_end(fathom_context_stop_reason(problem->context), FATHOM_END_STALLED);
    fathom_train_judge(result, problem->options->gap);
    if (result->status != FATHOM_TRAIN_LIMIT)
        result->end = FATHOM_END_REACHED;
}

/* What is known of every problem: the network without neurons and the bound 0, for a run that was stopped
 * before it had better. Evidence is about a penalty: without one the run has failed. */
static fathom_status stand_at_zero(fathom_train_result *result, const fathom_train_problem *p,
                                   fathom_status stopped)
{
    const fathom_train_options *o = p->options;
    const fathom_net_kind kind = o->model == FATHOM_TRAIN_GATED ? FATHOM_NET_GATED : FATHOM_NET_RELU;
    const fathom_net_shape shape = {.kind = kind, .d = p->d, .outputs = p->outputs};
    if (fathom_train_proves(o) && isnan(o->beta) && !p->equality)
        return stopped;
    fathom_train_result_clear(result);
    result->beta = p->equality ? 1 : o->beta;
    result->beta_max = NAN;
    result->objective = p->equality ? INFINITY : 0; /* which is measured */
    result->bound = FATHOM_TRAIN_BOUND_GLOBAL;
    result->bound_method = "loss and penalty are at least 0";
    result->method = "none";
    result->kind = p->loss;
    FATHOM_TRY(fathom_net_create(&result->net, p->context, &shape));
    if (fathom_train_proves(o))
        FATHOM_TRY(fathom_proof_create(&result->proof, p->context, p->n, p->d, p->outputs));
    FATHOM_TRY(fathom_train_measure(result, p));
    fathom_train_conclude(result, p);
    return FATHOM_OK;
}

fathom_status fathom_train_in_range(fathom_train_result *result, fathom_context *context, fathom_data *data,
                                    const fathom_gates *gates, fathom_net *start,
                                    const fathom_train_options *options)
{
    fathom_train_problem problem;
    FATHOM_TRY(fathom_train_problem_create_sparse(&problem, context, data, options));
    fathom_status status = FATHOM_OK;
    problem.gates = gates;
    problem.start = start;
    problem.silent = start != NULL;
    if (options->model == FATHOM_TRAIN_GATED)
        status = fathom_train_gated(result, &problem);
    else if (options->model == FATHOM_TRAIN_CONVEX_RF)
        status = fathom_train_convex_rf(result, &problem);
    else if (options->model == FATHOM_TRAIN_LINEAR)
        status = fathom_train_linear(result, &problem);
    else
        status = fathom_train_relu(result, &problem);
    fathom_context_wind_up(context);
    if (status == FATHOM_ERROR_STOPPED)
        status = stand_at_zero(result, &problem, status);
    if (status == FATHOM_OK && options->model != FATHOM_TRAIN_CONVEX_RF)
        status = fathom_train_measure(result, &problem);
    fathom_train_problem_clear(&problem);
    if (status != FATHOM_OK)
        fathom_train_result_clear(result);
    return status;
}

fathom_status fathom_train_make_model(fathom_model **model, fathom_context *context,
                                      fathom_train_result *result, const fathom_data *data)
{
    *model = NULL;
    if (!result->net)
        return fathom_error_set(
            context, FATHOM_ERROR_USAGE,
            result->method && strcmp(result->method, "cutting") == 0
                ? "the restriction is infeasible: there is no model to write or to test"
                : "gates given as patterns have no orientations: there is no model to write or to test");
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_classes classes = fathom_data_classes(data);
    FATHOM_TRY(fathom_model_create(model, context, result->net, result->kind, &preprocess, &classes));
    result->net = NULL;
    return FATHOM_OK;
}

void fathom_train_result_clear(fathom_train_result *result)
{
    fathom_net_free(result->net);
    fathom_proof_free(result->proof);
    *result = (fathom_train_result){0};
}
