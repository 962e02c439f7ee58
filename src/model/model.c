/* SPDX-License-Identifier: Apache-2.0 */
/* A model's storage: a network, how outputs are read, how raw columns become the network's, names of
 * classes. */
#include "model_internal.h"

#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "loss_row.h"
#include "memory.h"
#include "net_internal.h"
#include "number.h"
#include "schema_internal.h"

void fathom_model_free_texts(fathom_context *context, char **text, int64_t count)
{
    for (int64_t k = 0; text && k < count; k++)
        fathom_memory_free(context, text[k]);
    fathom_memory_free(context, text);
}

static fathom_status copy_texts(char ***copy, fathom_context *context, const char *const *text, int64_t count)
{
    *copy = fathom_memory_zero(context, count, sizeof **copy);
    if (!*copy)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        (*copy)[k] = fathom_memory_text(context, text[k]);
        if (!(*copy)[k])
            return FATHOM_ERROR_MEMORY;
    }
    return FATHOM_OK;
}

static fathom_status copy_numbers(double **copy, fathom_context *context, const double *from, int64_t count)
{
    *copy = fathom_memory_alloc(context, count, sizeof(double));
    if (!*copy)
        return FATHOM_ERROR_MEMORY;
    memcpy(*copy, from, (size_t)count * sizeof(double));
    return FATHOM_OK;
}

/* The network must take the columns that the preprocessing gives, statistics must be usable. */
static fathom_status check_preprocess(fathom_context *context, const fathom_preprocess *p, int64_t d)
{
    const int64_t given = p->columns + (p->bias == FATHOM_BIAS_AUGMENT);
    if ((int)p->normalize < FATHOM_NORMALIZE_NONE || p->normalize > FATHOM_NORMALIZE_STANDARDIZE ||
        (int)p->bias < FATHOM_BIAS_NONE || p->bias > FATHOM_BIAS_FREE)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "unknown preprocessing");
    if (p->columns < 0 || given != d)
        return fathom_error_set(context, FATHOM_ERROR_INPUT,
                                "the preprocessing gives %lld columns, the network takes %lld",
                                (long long)given, (long long)d);
    if (p->schema && fathom_schema_width(p->schema) != p->columns)
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "the schema gives %lld columns, not %lld",
                                (long long)fathom_schema_width(p->schema), (long long)p->columns);
    if (p->normalize != FATHOM_NORMALIZE_STANDARDIZE)
        return FATHOM_OK;
    if (!p->mean || !p->scale)
        return fathom_error_set(context, FATHOM_ERROR_INPUT,
                                "standardized columns need their mean and scale");
    for (int64_t k = 0; k < p->columns; k++)
        if (!isfinite(p->mean[k]) || !(p->scale[k] > 0 && p->scale[k] < INFINITY))
            return fathom_error_set(context, FATHOM_ERROR_INPUT,
                                    "mean and scale of column %lld: expected a finite and a positive number",
                                    (long long)k);
    return FATHOM_OK;
}

static fathom_status take_preprocess(fathom_model *model, const fathom_preprocess *p)
{
    fathom_context *context = model->context;
    model->normalize = p->normalize;
    model->bias = p->bias;
    model->columns = p->columns;
    fathom_status status = FATHOM_OK;
    if (p->normalize == FATHOM_NORMALIZE_STANDARDIZE) {
        status = copy_numbers(&model->mean, context, p->mean, p->columns);
        FATHOM_THEN(status, copy_numbers(&model->scale, context, p->scale, p->columns));
    }
    if (status == FATHOM_OK && p->name)
        status = copy_texts(&model->column_name, context, p->name, p->columns);
    model->one_hot = p->one_hot;
    if (status == FATHOM_OK && p->target) {
        model->target_name = fathom_memory_text(context, p->target);
        status = model->target_name ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK && p->schema)
        status = fathom_schema_copy(&model->schema, context, p->schema);
    return status;
}

static bool spelled(double *value, const char *text)
{
    size_t end;
    const size_t length = strlen(text);
    return fathom_number_parse(value, &end, text, length) == FATHOM_NUMBER_OK && end == length;
}

/* Values where none were given: the numbers that the names spell, or 0, 1, ... where one is no number. */
static void default_values(double *value, const fathom_classes *classes)
{
    bool numbers = true;
    for (int64_t k = 0; k < classes->count && numbers; k++)
        numbers = spelled(&value[k], classes->name[k]);
    for (int64_t k = 0; k < classes->count && !numbers; k++)
        value[k] = (double)k;
}

static fathom_status take_classes(fathom_model *model, const fathom_classes *classes)
{
    fathom_context *context = model->context;
    model->classes = classes->count;
    FATHOM_TRY(copy_texts(&model->class_name, context, classes->name, classes->count));
    model->class_value = fathom_memory_alloc(context, classes->count, sizeof(double));
    if (!model->class_value)
        return FATHOM_ERROR_MEMORY;
    if (classes->value)
        memcpy(model->class_value, classes->value, (size_t)classes->count * sizeof(double));
    else
        default_values(model->class_value, classes);
    for (int64_t k = 0; k < classes->count; k++)
        if (!isfinite(model->class_value[k]) ||
            (k > 0 && !(model->class_value[k] > model->class_value[k - 1])))
            return fathom_error_set(context, FATHOM_ERROR_INPUT, "the values of classes must ascend");
    return FATHOM_OK;
}

/* Scores of classes: one output for at most two of them, else one each. */
static fathom_status check_classes(fathom_context *context, const fathom_classes *classes, fathom_loss loss,
                                   int64_t outputs)
{
    if (!fathom_loss_known(loss))
        return fathom_error_set(context, FATHOM_ERROR_INPUT, "unknown loss");
    if (fathom_loss_row_of(loss)->numbers || classes->count == 0 || classes->count == outputs)
        return FATHOM_OK;
    if (outputs == 1 && classes->count == 2)
        return FATHOM_OK;
    return fathom_error_set(context, FATHOM_ERROR_INPUT, "%lld outputs do not fit %lld classes",
                            (long long)outputs, (long long)classes->count);
}

fathom_status fathom_model_create(fathom_model **model, fathom_context *context, fathom_net *net,
                                  fathom_loss loss, const fathom_preprocess *preprocess,
                                  const fathom_classes *classes)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_preprocess none = {.columns = shape.d};
    const fathom_classes nameless = {0};
    preprocess = preprocess ? preprocess : &none;
    classes = classes ? classes : &nameless;
    *model = NULL;
    FATHOM_TRY(check_preprocess(context, preprocess, shape.d));
    FATHOM_TRY(check_classes(context, classes, loss, shape.outputs));
    fathom_model *made = fathom_memory_zero(context, 1, sizeof *made);
    if (!made)
        return FATHOM_ERROR_MEMORY;
    made->context = context;
    made->loss = loss;
    fathom_status status = take_preprocess(made, preprocess);
    if (status == FATHOM_OK && classes->count > 0)
        status = take_classes(made, classes);
    FATHOM_THEN(status, fathom_json_create(&made->training, context));
    if (status != FATHOM_OK) {
        fathom_model_free(made);
        return status;
    }
    made->net = net;
    *model = made;
    return FATHOM_OK;
}

void fathom_model_free(fathom_model *model)
{
    if (!model)
        return;
    fathom_context *context = model->context;
    fathom_net_free(model->net);
    FATHOM_FREE(context, model->mean, model->scale);
    fathom_model_free_texts(context, model->column_name, model->columns);
    fathom_memory_free(context, model->target_name);
    fathom_schema_free(context, model->schema);
    fathom_model_free_texts(context, model->class_name, model->classes);
    fathom_memory_free(context, model->class_value);
    fathom_json_free(model->training);
    fathom_memory_free(context, model);
}

fathom_model_view fathom_model_look(const fathom_model *model)
{
    return (fathom_model_view){
        .net = model->net,
        .loss = model->loss,
        .preprocess = {model->normalize, model->bias, model->columns, model->mean, model->scale,
                       (const char *const *)model->column_name, model->one_hot, model->target_name,
                       model->schema},
        .classes = {model->classes, (const char *const *)model->class_name, model->class_value},
        .training = model->training,
    };
}

fathom_status fathom_model_open_data(fathom_data **data, const fathom_model *model, fathom_context *context,
                                     const char *spec, const fathom_data_options *options)
{
    const fathom_model_view view = fathom_model_look(model);
    return fathom_data_open_like(data, context, spec, options, &view.preprocess, &view.classes);
}
