/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model from the members of its file; docs/reference/networks.md lists them.
 *
 * The file is hostile: sizes are compared with each other before anything is allocated by them, words with
 * their lists, numbers with their ranges; what is left to check (finite weights, statistics that fit) the
 * constructors of network and model refuse, and their message gets the file's name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "convex_rf.h"
#include "json_internal.h"
#include "loss_row.h"
#include "memory.h"
#include "model_internal.h"
#include "model_names.h"
#include "model_source.h"
#include "net_internal.h"
#include "number.h"
#include "schema_internal.h"

/* A size beyond this is a fault, whatever the machine. */
static const int64_t size_limit = INT64_C(1) << 40;

/* The last error again, with the file in front. */
static fathom_status add_file(const fathom_source *source, fathom_status status)
{
    if (status == FATHOM_OK || status == FATHOM_ERROR_MEMORY)
        return status;
    char text[512];
    snprintf(text, sizeof text, "%s", fathom_context_error(source->context)->text);
    return fathom_error_set_at(source->context, FATHOM_ERROR_INPUT, source->file, 0, 0, "%s", text);
}

/* *index = the place of a word in a list; ERROR_INPUT names the list. */
static fathom_status find_name(int *index, const char *text, fathom_names names, const fathom_source *source,
                               const char *member)
{
    char expected[128] = "one of";
    for (int k = 0; k < FATHOM_NAMES && names[k]; k++) {
        if (strcmp(names[k], text) == 0) {
            *index = k;
            return FATHOM_OK;
        }
        strcat(strcat(expected, " "), names[k]);
    }
    return fathom_source_refuse(source, member, expected);
}

static fathom_status read_name(int *index, const fathom_source *source, const char *member,
                               fathom_names names)
{
    char *text;
    fathom_status status = fathom_source_text(&text, source, member);
    FATHOM_THEN(status, find_name(index, text, names, source, member));
    fathom_memory_free(source->context, text);
    return status;
}

/* The version behind "fathom-model-"; -1 where the text is something else. */
static long parse_version(const char *text)
{
    const size_t length = strlen(FATHOM_MODEL_FORMAT);
    char *end;
    if (strncmp(text, FATHOM_MODEL_FORMAT, length) != 0 || text[length] < '1' || text[length] > '9')
        return -1;
    const long version = strtol(text + length, &end, 10);
    return *end ? -1 : version;
}

/* A bare number is taken for the version too. */
static fathom_status read_version(long *version, const fathom_source *source)
{
    char *text = NULL;
    int64_t number;
    *version = -1;
    fathom_status status = fathom_source_text(&text, source, "format");
    if (status == FATHOM_OK)
        *version = parse_version(text);
    else if (status == FATHOM_ERROR_INPUT && fathom_source_has(source, "format"))
        status = fathom_source_integer(&number, source, "format");
    if (status == FATHOM_OK && !text)
        *version = number > 0 && number < 1000000 ? (long)number : -1;
    fathom_memory_free(source->context, text);
    return status == FATHOM_ERROR_MEMORY ? status : FATHOM_OK;
}

static fathom_status check_version(const fathom_source *source)
{
    long version;
    FATHOM_TRY(read_version(&version, source));
    if (version > FATHOM_MODEL_VERSION)
        return fathom_error_set_at(
            source->context, FATHOM_ERROR_INPUT, source->file, 0, 0,
            "format version %ld was written by a newer fathom; this one reads up to %d", version,
            FATHOM_MODEL_VERSION);
    if (version < 1)
        return fathom_source_refuse(source, "format", "\"" FATHOM_MODEL_FORMAT "1\" (is this a model file?)");
    return FATHOM_OK;
}

static fathom_status read_size(int64_t *size, const fathom_source *source, const char *name, int64_t low)
{
    const fathom_status status = fathom_source_integer(size, source, name);
    if (status == FATHOM_OK && (*size < low || *size > size_limit))
        return fathom_source_refuse(source, name, low ? "a positive size" : "a size");
    return status;
}

/* "leaky:0.1" */
static fathom_status read_activation(fathom_net_shape *shape, const fathom_source *source)
{
    const char *expected = fathom_activation_names[shape->kind];
    const size_t length = strlen(expected);
    const bool parametric = expected[length - 1] == ':';
    char *text;
    if (!parametric && !fathom_source_has(source, "activation"))
        return FATHOM_OK;
    FATHOM_TRY(fathom_source_text(&text, source, "activation"));
    fathom_status status = FATHOM_OK;
    size_t end = 0;
    const size_t left = strlen(text) < length ? 0 : strlen(text) - length;
    bool good = strncmp(text, expected, length) == 0;
    if (good && parametric)
        good = fathom_number_parse(&shape->parameter, &end, text + length, left) == FATHOM_NUMBER_OK;
    if (!good || end != left) {
        char what[64];
        snprintf(what, sizeof what, "%s%s", expected, parametric ? "NUMBER" : "");
        status = fathom_source_refuse(source, "activation", what);
    }
    fathom_memory_free(source->context, text);
    return status;
}

/* The number s must be one of 1, 1/m, 1/sqrt(m). */
static fathom_status read_scale(fathom_net_shape *shape, const fathom_source *source)
{
    double scale;
    if (!fathom_source_has(source, "scale"))
        return FATHOM_OK;
    FATHOM_TRY(fathom_source_real(&scale, source, "scale"));
    for (int k = FATHOM_SCALE_ONE; k <= FATHOM_SCALE_SQRT; k++) {
        shape->scale = (fathom_net_scale)k;
        if (fathom_net_scale_value(shape) == scale)
            return FATHOM_OK;
    }
    return fathom_source_refuse(source, "scale", "1, 1/m or 1/sqrt(m)");
}

/* How a convex-rf network sees its inputs; whether it fits d is for the network's constructor to say. */
static fathom_status read_image(fathom_net_image *image, const fathom_source *source)
{
    const struct {
        const char *name;
        int64_t *size;
    } sizes[] = {{"height", &image->height}, {"width", &image->width},   {"channels", &image->channels},
                 {"patch", &image->patch},   {"stride", &image->stride}, {"pool", &image->pool}};
    fathom_status status = FATHOM_OK;
    int average = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && status == FATHOM_OK; k++)
        status = read_size(sizes[k].size, source, sizes[k].name, 1);
    FATHOM_THEN(status, read_name(&average, source, "pooling", fathom_pooling_names));
    FATHOM_THEN(status, fathom_source_real(&image->epsilon, source, "epsilon"));
    image->average = average != 0;
    return status;
}

static fathom_status read_shape(fathom_net_shape *shape, const fathom_source *source)
{
    int kind = 0;
    fathom_status status = read_name(&kind, source, "kind", fathom_kind_names);
    *shape = (fathom_net_shape){.kind = (fathom_net_kind)kind};
    FATHOM_THEN(status, read_size(&shape->d, source, "d", 1));
    FATHOM_THEN(status, read_size(&shape->m, source, "m", 0));
    FATHOM_THEN(status, read_size(&shape->outputs, source, "outputs", 1));
    FATHOM_THEN(status, read_activation(shape, source));
    FATHOM_THEN(status, read_scale(shape, source));
    if (status == FATHOM_OK && kind == FATHOM_NET_CONVEX_RF)
        status = read_image(&shape->image, source);
    shape->hidden_bias = status == FATHOM_OK && kind != FATHOM_NET_GATED && kind != FATHOM_NET_CONVEX_RF &&
                         fathom_source_has(source, "b");
    return status == FATHOM_OK ? add_file(source, fathom_net_shape_check(source->context, shape)) : status;
}

/* The arrays of a network, in the order of fathom_net_weights. */
typedef struct member {
    const char *name;
    bool needed, allowed;
    int rank;
    int64_t shape[3];
} member;

static fathom_status read_arrays(double *value[6], const fathom_net_shape *s, const fathom_source *source)
{
    const bool gated = s->kind == FATHOM_NET_GATED, scalar = s->kind == FATHOM_NET_SCALAR;
    const bool patches = s->kind == FATHOM_NET_CONVEX_RF;
    member members[6] = {
        {"U", !gated, !gated, 2, {s->m, fathom_net_u_columns(s)}},
        {"V", gated, gated, 2, {s->m, s->d}},
        {"b", scalar, !gated && !patches, 1, {s->m}},
        {"W",
         true,
         true,
         gated && s->outputs > 1 ? 3 : 2,
         {s->m, gated && s->outputs == 1 ? s->d : s->outputs, s->d}},
        {"c", false, true, 1, {s->outputs}},
        {"rho", false, true, 1, {s->m}},
    };
    if (patches)
        members[3] = (member){"W", true, true, 3, {s->m, fathom_rf_cells(&s->image), s->outputs}};
    for (int k = 0; k < 6; k++) {
        const member *a = &members[k];
        const bool there = fathom_source_has(source, a->name);
        if (there && !a->allowed)
            return fathom_source_refuse(source, a->name, "nothing, for this kind of network");
        if (!there && !a->needed)
            continue;
        FATHOM_TRY(fathom_source_array(&value[k], source, a->name, a->rank, a->shape));
    }
    return FATHOM_OK;
}

static fathom_status read_net(fathom_net **net, const fathom_source *source)
{
    fathom_net_shape shape;
    double *value[6] = {NULL};
    *net = NULL;
    fathom_status status = read_shape(&shape, source);
    FATHOM_THEN(status, read_arrays(value, &shape, source));
    if (status == FATHOM_OK && !value[4] &&
        shape.outputs > 65536) /* believed only as far as the file has numbers */
        status = fathom_source_refuse(source, "c", "one constant per output");
    FATHOM_THEN(status, add_file(source, fathom_net_create(net, source->context, &shape)));
    if (status == FATHOM_OK)
        status =
            add_file(source, fathom_net_assign(*net, &(fathom_net_weights){value[0], value[1], value[2],
                                                                           value[3], value[4], value[5]}));
    for (int k = 0; k < 6; k++)
        fathom_memory_free(source->context, value[k]);
    if (status != FATHOM_OK) {
        fathom_net_free(*net);
        *net = NULL;
    }
    return status;
}

/* What the constructor of a model takes, with the memory behind it. */
typedef struct parts {
    fathom_preprocess preprocess;
    double *mean, *scale;
    fathom_schema *schema;
    char **column_name;
    char **target_name; /* targets */
    int64_t targets;
    char **class_name;
    double *class_value;
    int64_t classes;
    fathom_loss loss;
} parts;

static void free_parts(parts *p, fathom_context *context)
{
    fathom_schema_free(context, p->schema);
    FATHOM_FREE(context, p->mean, p->scale, p->class_value);
    fathom_model_free_texts(context, p->column_name, p->preprocess.columns);
    fathom_model_free_texts(context, p->target_name, p->targets);
    fathom_model_free_texts(context, p->class_name, p->classes);
}

/* What names stand for, and the target's name. Files of version 0.1 have names only where text columns
 * were coded. */
static fathom_status read_target(parts *p, const fathom_source *inner)
{
    int coded = 1;
    int64_t count = 0;
    fathom_status status = FATHOM_OK;
    if (fathom_source_has(inner, "text_columns"))
        status = read_name(&coded, inner, "text_columns", fathom_text_column_names);
    p->preprocess.one_hot = coded == 1;
    if (status == FATHOM_OK && fathom_source_has(inner, "target"))
        status = fathom_source_names(&p->target_name, &count, inner, "target");
    p->targets = count;
    if (status == FATHOM_OK && count == 1)
        p->preprocess.target = p->target_name[0];
    return status;
}

/* What tables that are not numbers yet become. */
static fathom_status read_schema(parts *p, const fathom_source *inner)
{
    fathom_json *object;
    fathom_status status = fathom_json_get_object(&object, inner->json, "schema");
    FATHOM_THEN(status, fathom_schema_read(&p->schema, inner->context, object, p->preprocess.columns));
    p->preprocess.schema = p->schema;
    return add_file(inner, status);
}

static fathom_status read_preprocess(parts *p, const fathom_source *source, int64_t d)
{
    p->preprocess = (fathom_preprocess){.columns = d};
    if (!fathom_source_has(source, "preprocess"))
        return FATHOM_OK;
    /* the object, seen as a source of its own */
    fathom_source inner = {.context = source->context, .file = source->file};
    fathom_preprocess *to = &p->preprocess;
    int normalize = 0, bias = 0;
    int64_t names = 0;
    fathom_status status = fathom_source_object(&inner.json, source, "preprocess");
    FATHOM_THEN(status, read_name(&normalize, &inner, "normalize", fathom_normalize_names));
    FATHOM_THEN(status, read_name(&bias, &inner, "bias", fathom_bias_names));
    to->normalize = (fathom_normalize)normalize;
    to->bias = (fathom_bias)bias;
    to->columns = d - (to->bias == FATHOM_BIAS_AUGMENT);
    if (status == FATHOM_OK && fathom_source_has(&inner, "mean"))
        status = fathom_source_array(&p->mean, &inner, "mean", 1, &to->columns);
    if (status == FATHOM_OK && fathom_source_has(&inner, "scale"))
        status = fathom_source_array(&p->scale, &inner, "scale", 1, &to->columns);
    if (status == FATHOM_OK && fathom_source_has(&inner, "names"))
        status = fathom_source_names(&p->column_name, &names, &inner, "names");
    if (status == FATHOM_OK && p->column_name && names != to->columns) {
        fathom_model_free_texts(source->context, p->column_name, names);
        p->column_name = NULL;
        status = fathom_source_refuse(source, "preprocess", "as many names as columns");
    }
    if (status == FATHOM_OK && p->column_name)
        status = read_target(p, &inner);
    if (status == FATHOM_OK && fathom_source_has(&inner, "schema"))
        status = read_schema(p, &inner);
    to->mean = p->mean, to->scale = p->scale, to->name = (const char *const *)p->column_name;
    fathom_source_close(&inner);
    return status;
}

static fathom_status read_classes(parts *p, const fathom_source *source, int64_t outputs)
{
    fathom_status status = FATHOM_OK;
    const char *names[FATHOM_NAMES] = {NULL};
    int loss;
    for (int k = 0; k < FATHOM_LOSSES; k++)
        names[k] = fathom_loss_row_of((fathom_loss)k)->name;
    if (fathom_source_has(source, "classes"))
        status = fathom_source_names(&p->class_name, &p->classes, source, "classes");
    if (status == FATHOM_OK && p->classes && fathom_source_has(source, "class_values"))
        status = fathom_source_array(&p->class_value, source, "class_values", 1, &p->classes);
    p->loss = p->classes == 0 ? FATHOM_LOSS_SQUARED
              : outputs == 1  ? FATHOM_LOSS_LOGISTIC
                              : FATHOM_LOSS_SOFTMAX;
    if (status == FATHOM_OK && fathom_source_has(source, "loss")) {
        status = read_name(&loss, source, "loss", names);
        if (status == FATHOM_OK)
            p->loss = (fathom_loss)loss;
    }
    return status;
}

/* Makes the model, which takes over the network. */
static fathom_status assemble(fathom_model **model, const fathom_source *source, fathom_net *net)
{
    const fathom_net_shape shape = fathom_net_look(net);
    parts p = {0};
    fathom_status status = read_preprocess(&p, source, shape.d);
    FATHOM_THEN(status, read_classes(&p, source, shape.outputs));
    if (status == FATHOM_OK) {
        const fathom_classes classes = {p.classes, (const char *const *)p.class_name, p.class_value};
        status = add_file(source,
                          fathom_model_create(model, source->context, net, p.loss, &p.preprocess, &classes));
    }
    free_parts(&p, source->context);
    return status;
}

static fathom_status read_source(fathom_model **model, const fathom_source *source)
{
    fathom_net *net = NULL;
    FATHOM_TRY(check_version(source));
    FATHOM_TRY(read_net(&net, source));
    fathom_status status = assemble(model, source, net);
    if (status != FATHOM_OK) {
        fathom_net_free(net);
        return status;
    }
    if (!fathom_source_has(source, "training"))
        return FATHOM_OK;
    fathom_json_free((*model)->training);
    status = fathom_source_object(&(*model)->training, source, "training");
    if (status != FATHOM_OK) {
        fathom_model_free(*model);
        *model = NULL;
    }
    return status;
}

fathom_status fathom_model_read_bytes(fathom_model **model, fathom_bytes *bytes)
{
    fathom_source source;
    *model = NULL;
    fathom_status status = fathom_source_open(&source, bytes);
    FATHOM_THEN(status, read_source(model, &source));
    fathom_source_close(&source);
    return status;
}

fathom_status fathom_model_read(fathom_model **model, fathom_context *context, const char *path)
{
    fathom_bytes *bytes;
    *model = NULL;
    FATHOM_TRY(fathom_bytes_open(&bytes, context, path));
    fathom_status status = fathom_model_read_bytes(model, bytes);
    fathom_bytes_close(bytes);
    return status;
}
