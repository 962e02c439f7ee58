/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Neurons in the columns' own names and units: relu(<u, z> + b) with z_l = (x_l - mean_l) / scale_l opens where
 *
 *     sum_l a_l x_l > sum_l a_l mean_l - b,   a_l = u_l / scale_l,
 *
 * divided by the coefficient of the column that weighs most (largest |u_l|): "age - 0.3 chol > 41". Columns of small weight
 * are left out of both sums, which sets them to their means. Beyond it the neuron adds W_jk |a| to output k for each
 * unit of the left side. Neurons are ordered by |W_j| |u_j|.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blas.h"
#include "inner/json.h"
#include "inner/model.h"
#include "memory.h"
#include "model_internal.h"
#include "net_internal.h"
#include "platform.h"

enum { TERMS = 4, TEXT = 600 };

/* What all neurons share. */
typedef struct describer {
    const fathom_model *model;
    int64_t d, columns, outputs;
    double *outer;          /* m x outputs */
    double *size;           /* m */
    int64_t *order, *heavy; /* m; columns */
} describer;

static double scale_of(const describer *w, int64_t l) { return w->model->scale ? w->model->scale[l] : 1; }

static int larger_first(const void *left, const void *right, void *context)
{
    const double *size = context;
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    if (size[a] != size[b])
        return size[a] < size[b] ? 1 : -1;
    return (a > b) - (a < b);
}

static int heavier_first(const void *left, const void *right, void *context)
{
    const double *u = context;
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    if (fabs(u[a]) != fabs(u[b]))
        return fabs(u[a]) < fabs(u[b]) ? 1 : -1;
    return (a > b) - (a < b);
}

static void add_term(char *text, size_t *used, const describer *w, int64_t l, double factor, bool first)
{
    char number[32], name[64];
    snprintf(number, sizeof number, "%.3g ", fabs(factor));
    snprintf(name, sizeof name, "%lld", (long long)l);
    const char *sign = first ? factor < 0 ? "-" : "" : factor < 0 ? " - " : " + ";
    const int got =
        snprintf(text + *used, TEXT - *used, "%s%s%.60s", sign, strcmp(number, "1 ") == 0 ? "" : number,
                 w->model->column_name ? w->model->column_name[l] : name);
    *used += got > 0 ? (size_t)got : 0;
}

/* "age - 0.3 chol > 41 (6 more at their means)"; a column of no weight is not there. */
static void say_opening(char text[TEXT], const describer *w, int64_t j)
{
    const fathom_net_weights *weights = &w->model->net->weights;
    const double *u = weights->u + j * w->d, *mean = w->model->mean;
    const double lead = u[w->heavy[0]] / scale_of(w, w->heavy[0]);
    double threshold = -(weights->b ? weights->b[j] : 0) - (w->d > w->columns ? u[w->columns] : 0);
    size_t used = 0;
    int64_t k = 0, more = 0;
    for (; k < w->columns && k < TERMS && u[w->heavy[k]] != 0; k++) {
        const int64_t l = w->heavy[k];
        const double a = u[l] / scale_of(w, l);
        add_term(text, &used, w, l, a / lead, k == 0);
        threshold += mean ? a * mean[l] : 0;
    }
    for (; k < w->columns && u[w->heavy[k]] != 0; k++)
        more++;
    used += (size_t)snprintf(text + used, TEXT - used, " %s %.4g", lead > 0 ? ">" : "<", threshold / lead);
    if (more > 0)
        snprintf(text + used, TEXT - used, " (%lld more at %s)", (long long)more, mean ? "their means" : "0");
}

static fathom_status put_neuron(fathom_json *list, const describer *w, int64_t j, double total)
{
    char text[TEXT] = "always";
    fathom_json *one;
    const double *u = w->model->net->weights.u + j * w->d;
    double *adds = w->size + w->model->net->shape.m;
    for (int64_t l = 0; l < w->columns; l++)
        w->heavy[l] = l;
    fathom_platform_sort(w->heavy, (size_t)w->columns, sizeof *w->heavy, heavier_first, (void *)(uintptr_t)u);
    const double unit = w->columns > 0 ? fabs(u[w->heavy[0]]) / scale_of(w, w->heavy[0]) : 0;
    if (unit > 0)
        say_opening(text, w, j);
    for (int64_t k = 0; k < w->outputs; k++)
        adds[k] = w->outer[j * w->outputs + k] * (unit > 0 ? unit : 1);
    FATHOM_TRY(fathom_json_append_object(list, &one));
    FATHOM_TRY(fathom_json_set_text(one, "opens", text));
    if (w->outputs == 1)
        FATHOM_TRY(fathom_json_set_real(one, "adds", adds[0]));
    if (w->outputs > 1)
        FATHOM_TRY(fathom_json_set_vector(one, "adds", adds, w->outputs));
    return fathom_json_set_real(one, "share", total > 0 ? w->size[j] / total : 0);
}

/* Sizes and order of the neurons; their sum. */
static double weigh(describer *w)
{
    const fathom_net *net = w->model->net;
    double total = 0;
    fathom_net_output_weights(w->outer, net);
    for (int64_t j = 0; j < net->shape.m; j++) {
        w->size[j] = fathom_blas_norm(w->outer + j * w->outputs, w->outputs) *
                     fathom_blas_norm(net->weights.u + j * w->d, w->d);
        w->order[j] = j;
        total += w->size[j];
    }
    fathom_platform_sort(w->order, (size_t)net->shape.m, sizeof *w->order, larger_first, w->size);
    return total;
}

fathom_status fathom_model_set_neurons(fathom_json *object, const fathom_model *model, int64_t most)
{
    const fathom_net_shape *shape = &model->net->shape;
    describer w = {.model = model, .d = shape->d, .columns = model->columns, .outputs = shape->outputs};
    fathom_json *list;
    if ((shape->kind != FATHOM_NET_RELU && shape->kind != FATHOM_NET_LEAKY) ||
        model->normalize == FATHOM_NORMALIZE_UNIT)
        return FATHOM_OK;
    w.outer =
        fathom_memory_alloc(model->context, shape->m * (w.outputs + 1) + w.outputs + 1, sizeof *w.outer);
    w.order = fathom_memory_alloc(model->context, shape->m + w.columns + 1, sizeof *w.order);
    fathom_status status =
        w.outer && w.order ? fathom_json_set_list(object, "neurons_in_words", &list) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        w.size = w.outer + shape->m * w.outputs;
        w.heavy = w.order + shape->m;
        const double total = weigh(&w);
        for (int64_t k = 0; k < shape->m && k < most && status == FATHOM_OK; k++)
            status = put_neuron(list, &w, w.order[k], total);
    }
    FATHOM_FREE(model->context, w.outer, w.order);
    return status;
}
