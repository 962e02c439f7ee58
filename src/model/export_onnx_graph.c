/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX graphs under construction. Field numbers are those of onnx.proto. */
#include <stdio.h>
#include <string.h>

#include "export_onnx.h"
#include "memory.h"

enum { GRAPH_NODE = 1, GRAPH_CONSTANT = 5 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_TYPE = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_INTEGER = 3,
    ATTRIBUTE_INTEGERS = 8,
    ATTRIBUTE_TEXTS = 9,
    ATTRIBUTE_KIND = 20
};
enum { KIND_INTEGER = 2, KIND_INTEGERS = 7, KIND_TEXTS = 8 };
enum { TENSOR_DIMENSION = 1, TENSOR_TYPE = 2, TENSOR_TEXT = 6, TENSOR_NAME = 8, TENSOR_RAW = 9 };

int fathom_onnx_number(const fathom_onnx_graph *g)
{
    return g->narrow ? FATHOM_ONNX_FLOAT : FATHOM_ONNX_DOUBLE;
}

/* The name of a value as a field of a message. */
static void put_name(fathom_message *message, int field, const fathom_onnx_graph *g, const char *name)
{
    char text[64];
    const bool output =
        strcmp(name, "output") == 0 || strcmp(name, "label") == 0 || strcmp(name, "probabilities") == 0;
    if (*name == '=') {
        fathom_message_text(message, field, name + 1);
    } else if (g->table && !output) {
        snprintf(text, sizeof text, "fathom:%s", name);
        fathom_message_text(message, field, text);
    } else {
        fathom_message_text(message, field, name);
    }
}

static void put_dimensions(fathom_message *tensor, int64_t rows, int64_t columns)
{
    fathom_message_integer(tensor, TENSOR_DIMENSION, rows);
    if (columns >= 0)
        fathom_message_integer(tensor, TENSOR_DIMENSION, columns);
}

/* A number's bits in `size` bytes, the lowest first. */
static void put_bits(unsigned char *at, uint64_t bits, int size)
{
    for (int k = 0; k < size; k++)
        at[k] = (unsigned char)(bits >> 8 * k);
}

static uint64_t bits_of(double value, bool narrow)
{
    const float rounded = (float)value;
    uint32_t few;
    uint64_t bits;
    memcpy(&few, &rounded, sizeof few);
    memcpy(&bits, &value, sizeof bits);
    return narrow ? few : bits;
}

static void put_numbers(fathom_onnx_graph *g, const char *name, const double *values, int64_t rows,
                        int64_t columns, bool narrow)
{
    fathom_context *context = g->message.context;
    const int64_t count = rows * (columns < 0 ? 1 : columns);
    fathom_message tensor = {.context = context};
    put_dimensions(&tensor, rows, columns);
    fathom_message_integer(&tensor, TENSOR_TYPE, narrow ? FATHOM_ONNX_FLOAT : FATHOM_ONNX_DOUBLE);
    put_name(&tensor, TENSOR_NAME, g, name);
    const int size = narrow ? 4 : 8;
    unsigned char *raw = fathom_memory_alloc(context, count, (size_t)size);
    for (int64_t k = 0; raw && k < count; k++)
        put_bits(raw + k * size, bits_of(values[k], narrow), size);
    if (raw)
        fathom_message_bytes(&tensor, TENSOR_RAW, raw, count * size);
    else
        tensor.status = FATHOM_ERROR_MEMORY;
    fathom_memory_free(context, raw);
    fathom_message_add(&g->message, GRAPH_CONSTANT, &tensor);
}

void fathom_onnx_constant(fathom_onnx_graph *g, const char *name, const double *values, int64_t rows,
                          int64_t columns)
{
    put_numbers(g, name, values, rows, columns, g->narrow);
}

void fathom_onnx_scalar(fathom_onnx_graph *g, const char *name, double value)
{
    put_numbers(g, name, &value, 1, -1, g->narrow);
}

void fathom_onnx_double(fathom_onnx_graph *g, const char *name, double value)
{
    put_numbers(g, name, &value, 1, -1, false);
}

void fathom_onnx_integers(fathom_onnx_graph *g, const char *name, const int64_t *values, int64_t count)
{
    fathom_message tensor = {.context = g->message.context};
    put_dimensions(&tensor, count, -1);
    fathom_message_integer(&tensor, TENSOR_TYPE, FATHOM_ONNX_INTEGER);
    put_name(&tensor, TENSOR_NAME, g, name);
    unsigned char *raw = fathom_memory_alloc(g->message.context, count, 8);
    for (int64_t k = 0; raw && k < count; k++)
        put_bits(raw + 8 * k, (uint64_t)values[k], 8);
    if (raw)
        fathom_message_bytes(&tensor, TENSOR_RAW, raw, 8 * count);
    else
        tensor.status = FATHOM_ERROR_MEMORY;
    fathom_memory_free(g->message.context, raw);
    fathom_message_add(&g->message, GRAPH_CONSTANT, &tensor);
}

void fathom_onnx_texts(fathom_onnx_graph *g, const char *name, char *const *text, int64_t count)
{
    fathom_message tensor = {.context = g->message.context};
    put_dimensions(&tensor, count, -1);
    fathom_message_integer(&tensor, TENSOR_TYPE, FATHOM_ONNX_TEXT);
    for (int64_t k = 0; k < count; k++)
        fathom_message_text(&tensor, TENSOR_TEXT, text[k]);
    put_name(&tensor, TENSOR_NAME, g, name);
    fathom_message_add(&g->message, GRAPH_CONSTANT, &tensor);
}

static void put_integer_attribute(fathom_message *node, const char *name, int64_t value)
{
    fathom_message part = {.context = node->context};
    fathom_message_text(&part, ATTRIBUTE_NAME, name);
    fathom_message_integer(&part, ATTRIBUTE_INTEGER, value);
    fathom_message_integer(&part, ATTRIBUTE_KIND, KIND_INTEGER);
    fathom_message_add(node, NODE_ATTRIBUTE, &part);
}

void fathom_onnx_node(fathom_onnx_graph *g, const char *type, const char *output, const char *const input[3],
                      const char *attribute, int64_t value)
{
    fathom_message node = {.context = g->message.context};
    for (int k = 0; k < 3 && input[k]; k++)
        put_name(&node, NODE_INPUT, g, input[k]);
    put_name(&node, NODE_OUTPUT, g, output);
    fathom_message_text(&node, NODE_TYPE, type);
    if (attribute)
        put_integer_attribute(&node, attribute, value);
    fathom_message_add(&g->message, GRAPH_NODE, &node);
}

void fathom_onnx_unary(fathom_onnx_graph *g, const char *type, const char *output, const char *a)
{
    fathom_onnx_node(g, type, output, (const char *const[]){a, NULL, NULL}, NULL, 0);
}

void fathom_onnx_binary(fathom_onnx_graph *g, const char *type, const char *output, const char *a,
                        const char *b)
{
    fathom_onnx_node(g, type, output, (const char *const[]){a, b, NULL}, NULL, 0);
}

void fathom_onnx_concatenate(fathom_onnx_graph *g, const char *output, const char *prefix, int64_t count)
{
    fathom_message node = {.context = g->message.context};
    for (int64_t k = 0; k < count; k++) {
        char name[48];
        snprintf(name, sizeof name, "%s%lld", prefix, (long long)k);
        put_name(&node, NODE_INPUT, g, name);
    }
    put_name(&node, NODE_OUTPUT, g, output);
    fathom_message_text(&node, NODE_TYPE, "Concat");
    put_integer_attribute(&node, "axis", 1);
    fathom_message_add(&g->message, GRAPH_NODE, &node);
}

void fathom_onnx_encode(fathom_onnx_graph *g, const char *output, const char *input, const char *const *text,
                        const int64_t *values, int64_t count)
{
    fathom_context *context = g->message.context;
    fathom_message node = {.context = context}, keys = {.context = context}, numbers = {.context = context};
    put_name(&node, NODE_INPUT, g, input);
    put_name(&node, NODE_OUTPUT, g, output);
    fathom_message_text(&node, NODE_TYPE, "LabelEncoder");
    fathom_message_text(&node, NODE_DOMAIN, FATHOM_ONNX_ML);
    fathom_message_text(&keys, ATTRIBUTE_NAME, "keys_strings");
    fathom_message_text(&numbers, ATTRIBUTE_NAME, "values_int64s");
    for (int64_t k = 0; k < count; k++) {
        fathom_message_text(&keys, ATTRIBUTE_TEXTS, text[k]);
        fathom_message_integer(&numbers, ATTRIBUTE_INTEGERS, values[k]);
    }
    fathom_message_integer(&keys, ATTRIBUTE_KIND, KIND_TEXTS);
    fathom_message_integer(&numbers, ATTRIBUTE_KIND, KIND_INTEGERS);
    fathom_message_add(&node, NODE_ATTRIBUTE, &keys);
    fathom_message_add(&node, NODE_ATTRIBUTE, &numbers);
    put_integer_attribute(&node, "default_int64", -1);
    fathom_message_add(&g->message, GRAPH_NODE, &node);
}

/* TypeProto.tensor_type {elem_type, shape {dim {param "n"}, dim {value}}}. */
void fathom_onnx_value(fathom_onnx_graph *g, int field, const char *name, int kind, int64_t columns)
{
    fathom_context *context = g->message.context;
    fathom_message rows = {.context = context}, width = {.context = context}, shape = {.context = context},
                   tensor = {.context = context}, type = {.context = context}, value = {.context = context};
    fathom_message_text(&rows, 2, "n");
    fathom_message_integer(&width, 1, columns);
    fathom_message_add(&shape, 1, &rows);
    if (columns >= 0)
        fathom_message_add(&shape, 1, &width);
    else
        fathom_message_free(&width);
    fathom_message_integer(&tensor, 1, kind);
    fathom_message_add(&tensor, 2, &shape);
    fathom_message_add(&type, 1, &tensor);
    put_name(&value, 1, g, name);
    fathom_message_add(&value, 2, &type);
    fathom_message_add(&g->message, field, &value);
}
