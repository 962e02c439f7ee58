/* SPDX-License-Identifier: Apache-2.0 */
/* Data and plan into the form that the methods share, and the moving weights back into a network. */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "data_internal.h"
#include "data_scale.h"
#include "dense.h"
#include "dynamics_internal.h"
#include "inner/data.h"
#include "loss_row.h"
#include "memory.h"

static double row_norm(const double *line, int64_t d)
{
    double sum = 0;
    for (int64_t l = 0; l < d; l++)
        sum += line[l] * line[l];
    return sqrt(sum);
}

/* Rows that stay in their file. */
static void lend_points(dynamics_problem *p, const fathom_data *data)
{
    p->x = data->x;
    p->lent = true;
    for (int64_t i = 0; i < p->n; i++) {
        p->reach = fmax(p->reach, row_norm(p->x + i * p->d, p->d));
        fathom_context_passed_row(p->context, i);
    }
}

/* x as dense rows, the constant of the hidden biases last; reach = max |x_i|. */
static fathom_status copy_points(dynamics_problem *p, const fathom_data *data, const fathom_data_view *view)
{
    if (data->mapped && !p->bias) {
        lend_points(p, data);
        return FATHOM_OK;
    }
    FATHOM_TRY(fathom_context_require(p->context, 8.0 * (double)p->n * (double)p->d, "the dense data"));
    p->x = fathom_memory_zero(p->context, p->n * p->d, sizeof *p->x);
    if (!p->x)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n; i++) {
        double *line = p->x + i * p->d;
        fathom_dense_row(line, view, i);
        if (p->bias)
            line[view->d] = 1;
        p->reach = fmax(p->reach, row_norm(line, p->d));
    }
    return FATHOM_OK;
}

/* More outputs than one: classes take the softmax loss, by descent. */
static fathom_status choose_loss(dynamics_problem *p)
{
    if (p->o == 1)
        return FATHOM_OK;
    if (p->options->method == FATHOM_FLOW_FLOW)
        return fathom_error_set(
            p->context, FATHOM_ERROR_USAGE,
            "--method flow takes two classes; these are %lld (--classes A,B, or --method gd or sgd)",
            (long long)p->o);
    if (p->plan.loss == FATHOM_LOSS_EXPONENTIAL || p->plan.loss == FATHOM_LOSS_HINGE)
        return fathom_error_set(
            p->context, FATHOM_ERROR_USAGE,
            "the %s loss takes two classes; these are %lld (--classes A,B, or --loss logistic)",
            fathom_loss_name(p->plan.loss), (long long)p->o);
    if (p->plan.loss == FATHOM_LOSS_LOGISTIC)
        p->plan.loss = FATHOM_LOSS_SOFTMAX;
    return FATHOM_OK;
}

/* --targets standardize: y <- (y - mean) / scale, column by column; the scale of a constant target is 1. */
static fathom_status standardize_targets(dynamics_problem *p)
{
    p->target = fathom_memory_alloc(p->context, 2 * p->o, sizeof *p->target);
    if (!p->target)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < p->o; k++) {
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < p->n; i++)
            mean += (p->y[i * p->o + k] - mean) / (double)(i + 1);
        for (int64_t i = 0; i < p->n; i++)
            variance += (p->y[i * p->o + k] - mean) * (p->y[i * p->o + k] - mean) / (double)p->n;
        const double scale = variance > 0 ? sqrt(variance) : 1;
        for (int64_t i = 0; i < p->n; i++)
            p->y[i * p->o + k] = (p->y[i * p->o + k] - mean) / scale;
        p->target[k] = mean;
        p->target[p->o + k] = scale;
    }
    return FATHOM_OK;
}

/* n x o targets: numbers for the squared loss, else -1 and +1, or one-hot rows. */
static fathom_status copy_targets(dynamics_problem *p, fathom_data *data, const fathom_data_view *view)
{
    const double *y = view->y;
    fathom_status status = FATHOM_OK;
    p->o = view->outputs;
    if (p->o < 1)
        return fathom_error_set(p->context, FATHOM_ERROR_INPUT, "the data has no targets to train on");
    if (!fathom_loss_row_of(p->plan.loss)->numbers)
        status = fathom_data_code_classes(&y, &p->o, data);
    FATHOM_THEN(status, choose_loss(p));
    if (status != FATHOM_OK)
        return status;
    p->y = fathom_memory_alloc(p->context, p->n * p->o, sizeof *p->y);
    if (!p->y)
        return FATHOM_ERROR_MEMORY;
    memcpy(p->y, y, (size_t)(p->n * p->o) * sizeof *p->y);
    if (p->options->targets)
        status = standardize_targets(p);
    return status == FATHOM_OK ? fathom_loss_check(p->context, p->plan.loss, p->y, p->n, p->o) : status;
}

/* Sample weights, scaled to mean 1. */
static fathom_status copy_weights(dynamics_problem *p, const fathom_data_view *view)
{
    double sum = 0;
    if (!view->weight)
        return FATHOM_OK;
    for (int64_t i = 0; i < p->n; i++)
        sum += view->weight[i];
    if (!(sum > 0))
        return fathom_error_set(p->context, FATHOM_ERROR_INPUT, "all sample weights are 0");
    p->weight = fathom_memory_alloc(p->context, p->n, sizeof *p->weight);
    if (!p->weight)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n; i++)
        p->weight[i] = view->weight[i] / sum * (double)p->n;
    return FATHOM_OK;
}

/* FNV-1a over the bytes of x, y and the weights. */
static uint64_t hash_data(const dynamics_problem *p)
{
    const struct {
        const double *value;
        int64_t count;
    } part[] = {{p->x, p->n * p->d}, {p->y, p->n * p->o}, {p->weight, p->weight ? p->n : 0}};
    uint64_t hash = 0xcbf29ce484222325u;
    for (int k = 0; k < 3; k++)
        for (int64_t l = 0; l < part[k].count; l++) {
            uint64_t bits;
            memcpy(&bits, part[k].value + l, sizeof bits);
            for (int byte = 0; byte < 8; byte++)
                hash = (hash ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3u;
            if (l % (1 << 17) == 0)
                fathom_context_passed(p->context);
        }
    return hash;
}

/* Hidden biases: huber networks have them unless --hidden-bias none, relu and leaky ones where --bias
 * free. */
static fathom_status find_bias(dynamics_problem *problem, const fathom_data_view *view)
{
    const fathom_net_kind kind = problem->plan.kind;
    const bool none = problem->options->hidden_bias != 0, huber = kind == FATHOM_NET_HUBER;
    if (none && (!huber || view->bias == FATHOM_BIAS_FREE))
        return fathom_error_set(problem->context, FATHOM_ERROR_USAGE,
                                "--hidden-bias none is for huber networks, without --bias free");
    problem->bias =
        huber ? !none
              : view->bias == FATHOM_BIAS_FREE && kind != FATHOM_NET_GATED && kind != FATHOM_NET_SCALAR;
    return FATHOM_OK;
}

/* Whether activations of all pairs would be too many to keep: a matter of sizes alone, so that bits are
 * the same on every machine. The flow and all monitors (--monitors all) need them. */
static bool is_wide(const dynamics_problem *problem)
{
    return problem->options->method != FATHOM_FLOW_FLOW &&
           problem->options->monitors != DYNAMICS_MONITORS_ALL &&
           (double)problem->n * (double)problem->m > 0x1p25;
}

fathom_status fathom_dynamics_problem_create(dynamics_problem *problem, fathom_context *context,
                                             fathom_data *data, const fathom_flow_options *options)
{
    const fathom_data_view view = fathom_data_look(data);
    *problem = (dynamics_problem){.context = context,
                                  .options = options,
                                  .source = data->source,
                                  .data_options = data->options,
                                  .n = view.n,
                                  .normalize = fathom_data_preprocess(data).normalize,
                                  .seed = fathom_context_seed(context)};
    if (view.n < 1 || view.d < 1)
        return fathom_error_set(context, FATHOM_ERROR_INPUT,
                                "there is nothing to train on: %lld rows, %lld columns", (long long)view.n,
                                (long long)view.d);
    FATHOM_TRY(fathom_data_check_range(data));
    FATHOM_TRY(fathom_dynamics_plan(&problem->plan, context, options, view.n));
    const fathom_net_kind kind = problem->plan.kind;
    FATHOM_TRY(find_bias(problem, &view));
    problem->d = view.d + problem->bias;
    problem->h = kind == FATHOM_NET_SCALAR ? 1 : problem->d;
    fathom_status status = copy_points(problem, data, &view);
    FATHOM_THEN(status, copy_targets(problem, data, &view));
    problem->m = kind == FATHOM_NET_GATED ? problem->plan.m * problem->o : problem->plan.m;
    problem->tiled = is_wide(problem);
    FATHOM_THEN(status, copy_weights(problem, &view));
    if (status == FATHOM_OK && options->method == FATHOM_FLOW_FLOW &&
        (kind == FATHOM_NET_RELU || kind == FATHOM_NET_LEAKY))
        status = fathom_planes_find(&problem->planes, context, problem->x, problem->n, problem->d);
    if (status == FATHOM_OK && options->test)
        status = fathom_dynamics_test_open(problem, data);
    if (status == FATHOM_OK)
        problem->hash = hash_data(problem);
    else
        fathom_dynamics_problem_clear(problem);
    return status;
}

void fathom_dynamics_problem_clear(dynamics_problem *problem)
{
    if (!problem->context)
        return;
    if (problem->lent)
        problem->x = NULL;
    FATHOM_FREE(problem->context, problem->x, problem->y, problem->weight, problem->target, problem->fixed,
                problem->gate);
    fathom_planes_free(&problem->planes, problem->context);
    fathom_data_free(problem->test);
    *problem = (dynamics_problem){0};
}

/* Hidden weights, with the bias as last entry of a row, into U and b. */
static void split_bias(fathom_net_weights weights, const double *hidden, int64_t m, int64_t d, bool bias)
{
    const int64_t width = d - bias;
    for (int64_t j = 0; j < m; j++) {
        memcpy(weights.u + j * width, hidden + j * d, (size_t)width * sizeof(double));
        if (bias)
            weights.b[j] = hidden[j * d + width];
    }
}

/* f <- mean + scale f, output by output: the targets were standardised. W is m x o, for gated networks m
 * x o x d. */
static void scale_back(fathom_net_weights weights, const dynamics_problem *problem)
{
    const int64_t m = problem->plan.m, o = problem->o;
    const int64_t size = problem->plan.kind == FATHOM_NET_GATED ? problem->d : 1;
    for (int64_t k = 0; k < o && problem->target; k++) {
        const double scale = problem->target[o + k];
        for (int64_t j = 0; j < m; j++)
            for (int64_t l = 0; l < size; l++)
                weights.w[(j * o + k) * size + l] *= scale;
        weights.c[k] = weights.c[k] * scale + problem->target[k];
    }
}

fathom_status fathom_dynamics_net(fathom_net **net, const dynamics_problem *problem,
                                  const dynamics_state *state)
{
    const dynamics_plan *plan = &problem->plan;
    const int64_t m = plan->m, o = problem->o, d = problem->d;
    const bool parameter = plan->kind == FATHOM_NET_LEAKY || plan->kind == FATHOM_NET_HUBER;
    const fathom_net_shape shape = {.kind = plan->kind,
                                    .d = d - problem->bias,
                                    .m = m,
                                    .outputs = o,
                                    .parameter = parameter ? plan->parameter : 0,
                                    .hidden_bias = problem->bias,
                                    .output_fixed = !plan->output};
    FATHOM_TRY(fathom_net_create(net, problem->context, &shape));
    const fathom_net_weights weights = fathom_net_lend(*net);
    if (plan->kind == FATHOM_NET_GATED) {
        for (int64_t j = 0; j < m; j++)
            memcpy(weights.v + j * d, problem->fixed + j * o * d, (size_t)d * sizeof(double));
        memcpy(weights.w, state->hidden, (size_t)(m * o * d) * sizeof(double));
    } else {
        memcpy(weights.w, state->output, (size_t)(m * o) * sizeof(double));
        if (plan->kind == FATHOM_NET_SCALAR) {
            memcpy(weights.u, problem->fixed, (size_t)(m * d) * sizeof(double));
            memcpy(weights.b, state->hidden, (size_t)m * sizeof(double));
        } else
            split_bias(weights, state->hidden, m, d, problem->bias);
    }
    scale_back(weights, problem);
    return FATHOM_OK;
}
