/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model as JSON or NPZ; docs/reference/networks.md lists the members, which are the same in both but for one
 * thing: what is an object in JSON (preprocess, training) is its JSON text in NPZ.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "convex_rf.h"
#include "inner/json.h"
#include "inner/model.h"
#include "json_internal.h"
#include "memory.h"
#include "model_internal.h"
#include "model_names.h"
#include "net_internal.h"
#include "npz.h"
#include "schema_internal.h"
#include "utf32.h"

/* Exactly one of the two is set; the first failure stays in status. */
typedef struct target {
    fathom_context *context;
    fathom_json *json;
    fathom_npz_writer *npz;
    fathom_status status;
} target;

static void put_text(target *t, const char *name, const char *text)
{
    if (t->status == FATHOM_OK)
        t->status =
            t->json ? fathom_json_set_text(t->json, name, text) : fathom_npz_add_text(t->npz, name, text);
}

static void put_integer(target *t, const char *name, int64_t value)
{
    const double number = (double)value;
    if (t->status == FATHOM_OK)
        t->status = t->json ? fathom_json_set_integer(t->json, name, value)
                            : fathom_npz_add(t->npz, name, &number, 0, NULL, 1);
}

static void put_real(target *t, const char *name, double value)
{
    if (t->status == FATHOM_OK)
        t->status = t->json ? fathom_json_set_real(t->json, name, value)
                            : fathom_npz_add(t->npz, name, &value, 0, NULL, 1);
}

static fathom_status json_array(fathom_json *json, const char *name, const double *values, int rank,
                                const int64_t *shape)
{
    if (rank == 1)
        return fathom_json_set_vector(json, name, values, shape[0]);
    if (rank == 2)
        return fathom_json_set_matrix(json, name, values, shape[0], shape[1], shape[1]);
    return fathom_json_set_tensor(json, name, values, shape);
}

/* Skips what the network does not have. */
static void put_array(target *t, const char *name, const double *values, int rank, const int64_t *shape)
{
    if (t->status == FATHOM_OK && values)
        t->status = t->json ? json_array(t->json, name, values, rank, shape)
                            : fathom_npz_add(t->npz, name, values, rank, shape, shape[rank - 1]);
}

static void put_list(target *t, const char *name, const char *const *texts, int64_t count)
{
    if (t->status == FATHOM_OK)
        t->status = t->json ? fathom_json_set_texts(t->json, name, texts, count)
                            : fathom_npz_add_texts(t->npz, name, texts, count);
}

/* NAME_bytes: the texts as the hexadecimal values of their bytes. */
static void put_bytes(target *t, const char *name, const char *const *texts, int64_t count)
{
    char key[32];
    char **hex = fathom_memory_zero(t->context, count, sizeof *hex);
    if (!hex)
        t->status = FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < count && t->status == FATHOM_OK; k++) {
        const size_t length = strlen(texts[k]);
        hex[k] = fathom_memory_alloc(t->context, 2 * (int64_t)length + 1, 1);
        t->status = hex[k] ? FATHOM_OK : FATHOM_ERROR_MEMORY;
        for (size_t at = 0; hex[k] && at < length; at++)
            snprintf(hex[k] + 2 * at, 3, "%02x", (unsigned char)texts[k][at]);
        if (hex[k] && length == 0)
            hex[k][0] = 0;
    }
    snprintf(key, sizeof key, "%s_bytes", name);
    put_list(t, key, (const char *const *)hex, count);
    fathom_model_free_texts(t->context, hex, count);
}

/* A list of texts; where one is no UTF-8, which neither JSON nor NumPy can hold, their bytes beside it. */
static void put_texts(target *t, const char *name, const char *const *texts, int64_t count)
{
    int64_t k = 0;
    put_list(t, name, texts, count);
    while (k < count && fathom_utf32_valid(texts[k]))
        k++;
    if (k < count && t->status == FATHOM_OK)
        put_bytes(t, name, texts, count);
}

static void put_object(target *t, const char *name, const fathom_json *object)
{
    char *text;
    if (t->status != FATHOM_OK)
        return;
    if (t->json) {
        t->status = fathom_json_set_copy(t->json, name, object);
        return;
    }
    t->status = fathom_json_text(&text, object, false);
    if (t->status == FATHOM_OK) {
        t->status = fathom_npz_add_text(t->npz, name, text);
        fathom_json_text_free(object, text);
    }
}

/* "leaky:0.1": seventeen digits give the same double back; a comma of the locale becomes a point. */
static void put_activation(target *t, const fathom_net_shape *shape)
{
    char text[64];
    const char *name = fathom_activation_names[shape->kind];
    if (name[strlen(name) - 1] == ':')
        snprintf(text, sizeof text, "%s%.17g", name, shape->parameter);
    else
        snprintf(text, sizeof text, "%s", name);
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '.';
    put_text(t, "activation", text);
}

static void put_image(target *t, const fathom_net_image *image)
{
    put_integer(t, "height", image->height);
    put_integer(t, "width", image->width);
    put_integer(t, "channels", image->channels);
    put_integer(t, "patch", image->patch);
    put_integer(t, "stride", image->stride);
    put_integer(t, "pool", image->pool);
    put_text(t, "pooling", fathom_pooling_names[image->average]);
    put_real(t, "epsilon", image->epsilon);
}

static void put_net(target *t, const fathom_net *net)
{
    const fathom_net_shape *s = &net->shape;
    const fathom_net_weights *w = &net->weights;
    const bool gated = s->kind == FATHOM_NET_GATED, cube = gated && s->outputs > 1;
    const bool patches = s->kind == FATHOM_NET_CONVEX_RF;
    put_text(t, "kind", fathom_kind_names[s->kind]);
    put_activation(t, s);
    put_integer(t, "d", s->d);
    put_integer(t, "m", s->m);
    put_integer(t, "outputs", s->outputs);
    put_real(t, "scale", fathom_net_scale_value(s));
    if (patches)
        put_image(t, &s->image);
    put_array(t, "U", w->u, 2, (const int64_t[]){s->m, fathom_net_u_columns(s)});
    put_array(t, "V", w->v, 2, (const int64_t[]){s->m, s->d});
    put_array(t, "b", w->b, 1, &s->m);
    if (patches)
        put_array(t, "W", w->w, 3, (const int64_t[]){s->m, fathom_rf_cells(&s->image), s->outputs});
    else
        put_array(t, "W", w->w, cube ? 3 : 2,
                  (const int64_t[]){s->m, gated && !cube ? s->d : s->outputs, s->d});
    put_array(t, "c", w->c, 1, &s->outputs);
    put_array(t, "rho", w->rho, 1, &s->m);
}

static void put_preprocess(target *t, const fathom_model *model)
{
    fathom_json *object;
    if (t->status != FATHOM_OK)
        return;
    t->status = fathom_json_create(&object, model->context);
    if (t->status != FATHOM_OK)
        return;
    target inner = {.context = model->context, .json = object, .status = FATHOM_OK};
    put_text(&inner, "normalize", fathom_normalize_names[model->normalize]);
    put_text(&inner, "bias", fathom_bias_names[model->bias]);
    put_array(&inner, "mean", model->mean, 1, &model->columns);
    put_array(&inner, "scale", model->scale, 1, &model->columns);
    if (model->column_name)
        put_texts(&inner, "names", (const char *const *)model->column_name, model->columns);
    if (model->column_name)
        put_text(&inner, "text_columns", fathom_text_column_names[model->one_hot]);
    if (model->target_name)
        put_texts(&inner, "target", (const char *const *)&model->target_name, 1);
    if (inner.status == FATHOM_OK && model->schema) {
        fathom_json *schema;
        inner.status = fathom_json_set_object(object, "schema", &schema);
        if (inner.status == FATHOM_OK)
            inner.status = fathom_schema_write(schema, model->schema);
    }
    t->status = inner.status;
    put_object(t, "preprocess", object);
    fathom_json_free(object);
}

static void put_model(target *t, const fathom_model *model)
{
    char format[32];
    snprintf(format, sizeof format, "%s%d", FATHOM_MODEL_FORMAT,
             model->schema ? FATHOM_MODEL_VERSION : FATHOM_MODEL_PLAIN_VERSION);
    put_text(t, "format", format);
    put_net(t, model->net);
    put_text(t, "loss", fathom_loss_name(model->loss));
    put_preprocess(t, model);
    put_texts(t, "classes", (const char *const *)model->class_name, model->classes);
    if (model->classes)
        put_array(t, "class_values", model->class_value, 1, &model->classes);
    put_object(t, "training", model->training);
}

fathom_status fathom_model_set(fathom_json *object, const fathom_model *model)
{
    target t = {.context = model->context, .status = FATHOM_OK, .json = object};
    put_model(&t, model);
    return t.status;
}

static fathom_status write_json(const fathom_model *model, const char *path)
{
    fathom_json *json;
    FATHOM_TRY(fathom_json_create(&json, model->context));
    fathom_status status = fathom_model_set(json, model);
    FATHOM_THEN(status, fathom_json_write(json, path, false));
    fathom_json_free(json);
    return status;
}

static fathom_status write_npz(const fathom_model *model, const char *path)
{
    target t = {.context = model->context, .status = FATHOM_OK};
    t.status = fathom_npz_create(&t.npz, model->context, path);
    if (t.status != FATHOM_OK)
        return t.status;
    put_model(&t, model);
    if (t.status == FATHOM_OK)
        return fathom_npz_commit(t.npz);
    fathom_npz_abort(t.npz);
    return t.status;
}

fathom_status fathom_model_write(const fathom_model *model, const char *path)
{
    const size_t length = strlen(path);
    for (int64_t k = 0; k < model->net->parameters; k++)
        if (!isfinite(model->net->block[k]))
            return fathom_error_set(model->context, FATHOM_ERROR_INPUT,
                                    "a parameter of the network is not finite: nothing written");
    if (length >= 4 && strcmp(path + length - 4, ".npz") == 0)
        return write_npz(model, path);
    return write_json(model, path);
}
