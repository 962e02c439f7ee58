/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictions and their score, as defined in fathom/model.h.
 *
 * Cross-entropy is the logistic (softmax) loss itself, taken in log space, so that a probability that rounds to 0 or 1
 * still counts with its true logarithm. Sums are pairwise, in the order of the examples.
 */
#include "fathom/model.h"

#include <math.h>

#include "context_internal.h"
#include "loss_internal.h"
#include "loss_row.h"
#include "memory.h"
#include "model_internal.h"
#include "sum.h"

/* Whether outputs decide between classes: one each, or one output for two. */
static bool classifies(const fathom_model *model, int64_t outputs)
{
    if (model->classes < 2)
        return false;
    return outputs == 1 ? model->classes == 2 : outputs == model->classes;
}

static bool has_probabilities(fathom_loss loss) { return fathom_loss_row_of(loss)->probabilities; }

/* The class that one example's outputs point at; -1 where one is NaN. */
static int64_t decide(const fathom_model *model, const double *f, int64_t outputs)
{
    int64_t best = 0;
    for (int64_t k = 0; k < outputs; k++) {
        if (isnan(f[k]))
            return -1;
        if (f[k] > f[best])
            best = k;
    }
    if (outputs > 1)
        return best;
    const double middle =
        fathom_loss_row_of(model->loss)->numbers ? model->class_value[0] / 2 + model->class_value[1] / 2 : 0;
    return f[0] > middle;
}

/* The log-odds of one output. */
static double odds(fathom_loss loss, double f) { return fathom_loss_row_of(loss)->halved ? 2 * f : f; }

static void set_probabilities(double *p, fathom_loss loss, const double *f, int64_t outputs)
{
    if (outputs == 1) {
        const double t = odds(loss, f[0]);
        p[1] = t >= 0 ? 1 / (1 + exp(-t)) : exp(t) / (1 + exp(t));
        p[0] = t >= 0 ? exp(-t) / (1 + exp(-t)) : 1 / (1 + exp(t));
        return;
    }
    double top = f[0], sum = 0;
    for (int64_t k = 1; k < outputs; k++)
        top = f[k] > top ? f[k] : top;
    for (int64_t k = 0; k < outputs; k++)
        sum += p[k] = exp(f[k] - top);
    for (int64_t k = 0; k < outputs; k++)
        p[k] /= sum;
}

static fathom_status allocate(fathom_prediction *p, const fathom_model *model)
{
    const bool probable = p->classes && has_probabilities(model->loss);
    p->output = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof(double));
    if (p->classes)
        p->label = fathom_memory_alloc(p->context, p->n, sizeof(int64_t));
    if (probable)
        p->probability = fathom_memory_alloc(p->context, p->n * p->classes, sizeof(double));
    const bool complete = p->output && (!p->classes || p->label) && (!probable || p->probability);
    return complete ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

fathom_status fathom_model_predict(fathom_prediction **prediction, const fathom_model *model,
                                   const fathom_data *data)
{
    const int64_t outputs = fathom_net_look(model->net).outputs;
    fathom_prediction *p = fathom_memory_zero(model->context, 1, sizeof *p);
    *prediction = NULL;
    if (!p)
        return FATHOM_ERROR_MEMORY;
    *p = (fathom_prediction){.n = fathom_data_look(data).n,
                             .outputs = outputs,
                             .classes = classifies(model, outputs) ? model->classes : 0,
                             .context = model->context};
    fathom_status status = allocate(p, model);
    FATHOM_THEN(status, fathom_net_forward(p->output, model->net, data));
    if (status != FATHOM_OK) {
        fathom_prediction_free(p);
        return status;
    }
    for (int64_t i = 0; i < p->n && p->classes; i++) {
        p->label[i] = decide(model, p->output + i * outputs, outputs);
        if (p->probability)
            set_probabilities(p->probability + i * p->classes, model->loss, p->output + i * outputs, outputs);
    }
    *prediction = p;
    return FATHOM_OK;
}

void fathom_prediction_free(fathom_prediction *prediction)
{
    if (!prediction)
        return;
    FATHOM_FREE(prediction->context, prediction->output, prediction->label, prediction->probability,
                prediction);
}

static double weight_of(const fathom_data_view *view, int64_t i)
{
    return view->weight ? view->weight[i] : 1;
}

static double total_weight(const fathom_data_view *view)
{
    return view->weight ? fathom_sum(view->weight, view->n) : (double)view->n;
}

/* The class of example i: that whose value y has, or the one of a one-hot row; -1 where there is none. */
static int64_t true_class(const fathom_model *model, const fathom_data_view *view, int64_t i)
{
    if (view->outputs > 1)
        return fathom_loss_class(view->y + i * view->outputs, view->outputs);
    for (int64_t k = 0; k < model->classes; k++)
        if (view->y[i] == model->class_value[k])
            return k;
    return -1;
}

/* -ln probability of class k, in log space; infinite where the class is none of the model's. */
static double surprise(const fathom_model *model, const double *f, int64_t outputs, int64_t k)
{
    if (k < 0)
        return INFINITY;
    if (outputs == 1) {
        const double p = (k == 1 ? 1 : -1) * odds(model->loss, f[0]), one = 1;
        return fathom_loss_value(FATHOM_LOSS_LOGISTIC, &p, &one, 1);
    }
    double top = f[0], sum = 0; /* ln sum e^f - f_k = ln(1 + sum of the others) where k is the largest */
    for (int64_t l = 1; l < outputs; l++)
        top = f[l] > top ? f[l] : top;
    if (f[k] < top) {
        for (int64_t l = 0; l < outputs; l++)
            sum += exp(f[l] - top);
        return top - f[k] + log(sum);
    }
    for (int64_t l = 0; l < outputs; l++)
        sum += l == k ? 0 : exp(f[l] - top);
    return log1p(sum);
}

/* accuracy and cross_entropy; `term` has room for 2 n numbers. */
static void score_classes(fathom_score *score, double *term, const fathom_model *model,
                          const fathom_data_view *view, const fathom_prediction *p)
{
    double *entropy = term + p->n;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t right = true_class(model, view, i);
        term[i] = right >= 0 && p->label[i] == right ? weight_of(view, i) : 0;
        entropy[i] = weight_of(view, i) * surprise(model, p->output + i * p->outputs, p->outputs, right);
    }
    score->accuracy = fathom_sum(term, p->n) / total_weight(view);
    if (p->probability)
        score->cross_entropy = fathom_sum(entropy, p->n) / total_weight(view);
}

/* sum over examples of w |y - center|^2, columns pooled, where f is NULL; else of w |y - f|^2. */
static double squares(double *term, const fathom_data_view *view, const double *f, const double *center)
{
    const int64_t o = view->outputs;
    for (int64_t i = 0; i < view->n; i++) {
        term[i] = 0;
        for (int64_t k = 0; k < o; k++) {
            const double r = view->y[i * o + k] - (f ? f[i * o + k] : center[k]);
            term[i] += weight_of(view, i) * r * r;
        }
    }
    return fathom_sum(term, view->n);
}

/* mse and r2; center has room for `outputs` numbers. */
static void score_numbers(fathom_score *score, double *term, double *center, const fathom_data_view *view,
                          const fathom_prediction *p)
{
    const double total = total_weight(view);
    bool constant = true;
    for (int64_t k = 0; k < view->outputs; k++) {
        for (int64_t i = 0; i < view->n; i++) {
            term[i] = weight_of(view, i) * view->y[i * view->outputs + k];
            constant = constant && view->y[i * view->outputs + k] == view->y[k];
        }
        center[k] = fathom_sum(term, view->n) / total;
    }
    const double residual = squares(term, view, p->output, NULL), spread = squares(term, view, NULL, center);
    score->mse = residual / (total * (double)view->outputs);
    if (!constant)
        score->r2 = 1 - residual / spread;
}

fathom_status fathom_model_score(fathom_score *score, const fathom_model *model, const fathom_data *data,
                                 const fathom_prediction *prediction)
{
    const fathom_data_view view = fathom_data_look(data);
    fathom_context *context = model->context;
    const bool numbers = fathom_loss_row_of(model->loss)->numbers && view.outputs == prediction->outputs;
    const bool labels = prediction->classes && (view.outputs == 1 || view.outputs == prediction->classes);
    *score = (fathom_score){NAN, NAN, NAN, NAN};
    if (view.n != prediction->n)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "the prediction is of other data");
    if (view.outputs == 0)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "the data has no targets to score by");
    if (!numbers && !labels) {
        fathom_log(context, FATHOM_LOG_WARNING,
                   "no score: %lld outputs do not compare with %lld target columns",
                   (long long)prediction->outputs, (long long)view.outputs);
        return FATHOM_OK;
    }
    double *term = fathom_memory_alloc(context, 2 * view.n, sizeof(double));
    double *center = fathom_memory_alloc(context, view.outputs, sizeof(double));
    fathom_status status = FATHOM_ERROR_MEMORY;
    if (term && center) {
        if (labels)
            score_classes(score, term, model, &view, prediction);
        if (numbers)
            score_numbers(score, term, center, &view, prediction);
        status = FATHOM_OK;
    }
    FATHOM_FREE(context, term, center);
    return status;
}
