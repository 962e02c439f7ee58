/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model as an ONNX graph, opset 13, from x (n x columns) to output (n x outputs); for classifiers also to label
 * (n texts) and, where outputs are log odds, to probabilities (n x classes).
 *
 *     standardize   z = (x - mean) / scale              unit   z = x / (norm + 1[norm = 0])
 *     hidden        t = z H' + h
 *     relu          s = Relu(t)                         leaky  s = Max(t, alpha t)
 *     huber         q = Max(Min(t, h), 0), s = q (t - q/2) / h
 *     output        s A + c
 *     gated         sum over j of 1[t_j > 0] (z A_jk' + g_jk), + c
 *     label         names[argmax output], or names[output > cut] for one output
 *     probabilities Softmax(output), or [Sigmoid(-output), Sigmoid(output)]
 *
 * Every operator is one that runtimes have in double as well as in float. Field numbers are those of
 * onnx.proto.
 */
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "export_net.h"
#include "file_write.h"
#include "loss_row.h"
#include "memory.h"
#include "model_internal.h"
#include "protobuf.h"

enum { IR_VERSION = 7, OPSET = 13 };
enum {
    MODEL_IR = 1,
    MODEL_PRODUCER = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    MODEL_META = 14
};
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_CONSTANT = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_TYPE = 4, NODE_ATTRIBUTE = 5 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_INTEGER = 3, ATTRIBUTE_KIND = 20, KIND_INTEGER = 2 };
enum { TENSOR_DIMENSION = 1, TENSOR_TYPE = 2, TENSOR_TEXT = 6, TENSOR_NAME = 8, TENSOR_RAW = 9 };
enum { TYPE_FLOAT = 1, TYPE_INTEGER = 7, TYPE_TEXT = 8, TYPE_DOUBLE = 11 };

/* The graph under construction; names of values are those of the head comment. */
typedef struct graph {
    fathom_message message;
    const fathom_export_net *net;
    bool narrow; /* float */
} graph;

static int number_type(const graph *g) { return g->narrow ? TYPE_FLOAT : TYPE_DOUBLE; }

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

/* A constant vector (columns < 0) or matrix. */
static void put_constant(graph *g, const char *name, const double *values, int64_t rows, int64_t columns)
{
    fathom_context *context = g->message.context;
    const int64_t count = rows * (columns < 0 ? 1 : columns);
    fathom_message tensor = {.context = context};
    put_dimensions(&tensor, rows, columns);
    fathom_message_integer(&tensor, TENSOR_TYPE, number_type(g));
    fathom_message_text(&tensor, TENSOR_NAME, name);
    const int size = g->narrow ? 4 : 8;
    unsigned char *raw = fathom_memory_alloc(context, count, (size_t)size);
    for (int64_t k = 0; raw && k < count; k++)
        put_bits(raw + k * size, bits_of(values[k], g->narrow), size);
    if (raw)
        fathom_message_bytes(&tensor, TENSOR_RAW, raw, count * size);
    else
        tensor.status = FATHOM_ERROR_MEMORY;
    fathom_memory_free(context, raw);
    fathom_message_add(&g->message, GRAPH_CONSTANT, &tensor);
}

static void put_scalar(graph *g, const char *name, double value) { put_constant(g, name, &value, 1, -1); }

static void put_integers(graph *g, const char *name, const int64_t *values, int64_t count)
{
    fathom_message tensor = {.context = g->message.context};
    put_dimensions(&tensor, count, -1);
    fathom_message_integer(&tensor, TENSOR_TYPE, TYPE_INTEGER);
    fathom_message_text(&tensor, TENSOR_NAME, name);
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

/* output = type(a, b, c), with one integer attribute; NULL where there is less. */
static void put_node(graph *g, const char *type, const char *output, const char *const input[3],
                     const char *attribute, int64_t value)
{
    fathom_message node = {.context = g->message.context};
    for (int k = 0; k < 3 && input[k]; k++)
        fathom_message_text(&node, NODE_INPUT, input[k]);
    fathom_message_text(&node, NODE_OUTPUT, output);
    fathom_message_text(&node, NODE_TYPE, type);
    if (attribute) {
        fathom_message part = {.context = g->message.context};
        fathom_message_text(&part, ATTRIBUTE_NAME, attribute);
        fathom_message_integer(&part, ATTRIBUTE_INTEGER, value);
        fathom_message_integer(&part, ATTRIBUTE_KIND, KIND_INTEGER);
        fathom_message_add(&node, NODE_ATTRIBUTE, &part);
    }
    fathom_message_add(&g->message, GRAPH_NODE, &node);
}

static void put_unary(graph *g, const char *type, const char *output, const char *a)
{
    put_node(g, type, output, (const char *const[]){a, NULL, NULL}, NULL, 0);
}

static void put_binary(graph *g, const char *type, const char *output, const char *a, const char *b)
{
    put_node(g, type, output, (const char *const[]){a, b, NULL}, NULL, 0);
}

/* z: the name of the normalised input. */
static const char *put_normalize(graph *g, const fathom_model *model)
{
    if (model->normalize == FATHOM_NORMALIZE_STANDARDIZE) {
        put_constant(g, "mean", model->mean, g->net->d, -1);
        put_constant(g, "scale", model->scale, g->net->d, -1);
        put_binary(g, "Sub", "centred", "x", "mean");
        put_binary(g, "Div", "z", "centred", "scale");
        return "z";
    }
    if (model->normalize != FATHOM_NORMALIZE_UNIT)
        return "x";
    put_scalar(g, "zero", 0);
    put_integers(g, "last", (const int64_t[]){1}, 1);
    put_binary(g, "Mul", "squares", "x", "x");
    put_node(g, "ReduceSum", "sum", (const char *const[]){"squares", "last", NULL}, "keepdims", 1);
    put_unary(g, "Sqrt", "norm", "sum");
    put_binary(g, "Equal", "empty", "norm", "zero");
    put_node(g, "Cast", "one", (const char *const[]){"empty", NULL, NULL}, "to", number_type(g));
    put_binary(g, "Add", "divisor", "norm", "one");
    put_binary(g, "Div", "z", "x", "divisor");
    return "z";
}

/* "s": the activation of "t". */
static void put_activation(graph *g)
{
    if (g->net->kind == FATHOM_NET_RELU) {
        put_unary(g, "Relu", "s", "t");
        return;
    }
    put_scalar(g, "parameter", g->net->parameter);
    if (g->net->kind == FATHOM_NET_LEAKY) {
        put_binary(g, "Mul", "leak", "t", "parameter");
        put_binary(g, "Max", "s", "t", "leak");
        return;
    }
    put_scalar(g, "origin", 0);
    put_scalar(g, "half", 0.5);
    put_binary(g, "Min", "below", "t", "parameter");
    put_binary(g, "Max", "q", "below", "origin");
    put_binary(g, "Mul", "half_q", "q", "half");
    put_binary(g, "Sub", "rest", "t", "half_q");
    put_binary(g, "Mul", "area", "q", "rest");
    put_binary(g, "Div", "s", "area", "parameter");
}

static void put_plain(graph *g)
{
    const fathom_export_net *e = g->net;
    put_activation(g);
    put_constant(g, "A", e->output, e->m, e->outputs);
    put_node(g, "Gemm", "output", (const char *const[]){"s", "A", "c"}, NULL, 0);
}

static void put_gated(graph *g, const char *z)
{
    const fathom_export_net *e = g->net;
    put_constant(g, "A", e->output, e->m * e->outputs, e->d);
    put_constant(g, "g", e->output_shift, e->m * e->outputs, -1);
    put_scalar(g, "threshold", 0);
    put_integers(g, "cube", (const int64_t[]){-1, e->m, e->outputs}, 3);
    put_integers(g, "column", (const int64_t[]){-1, e->m, 1}, 3);
    put_integers(g, "neurons", (const int64_t[]){1}, 1);
    put_binary(g, "Greater", "on", "t", "threshold");
    put_node(g, "Cast", "gate", (const char *const[]){"on", NULL, NULL}, "to", number_type(g));
    put_binary(g, "Reshape", "gate_cube", "gate", "column");
    put_node(g, "Gemm", "linear", (const char *const[]){z, "A", "g"}, "transB", 1);
    put_binary(g, "Reshape", "linear_cube", "linear", "cube");
    put_binary(g, "Mul", "s", "linear_cube", "gate_cube");
    put_node(g, "ReduceSum", "total", (const char *const[]){"s", "neurons", NULL}, "keepdims", 0);
    put_binary(g, "Add", "output", "total", "c");
}

/* No neurons: the constant, once per row of x. */
static void put_empty(graph *g, const char *z)
{
    double *zero = fathom_memory_zero(g->message.context, g->net->d * g->net->outputs, sizeof *zero);
    if (!zero) {
        g->message.status = FATHOM_ERROR_MEMORY;
        return;
    }
    put_constant(g, "A", zero, g->net->d, g->net->outputs);
    fathom_memory_free(g->message.context, zero);
    put_node(g, "Gemm", "output", (const char *const[]){z, "A", "c"}, NULL, 0);
}

/* A matrix of any number of rows: TypeProto.tensor_type {elem_type, shape {dim {param "n"}, dim {value}}}; a vector
 * where columns < 0. */
static void put_value(graph *g, int field, const char *name, int kind, int64_t columns)
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
    fathom_message_text(&value, 1, name);
    fathom_message_add(&value, 2, &type);
    fathom_message_add(&g->message, field, &value);
}

static void put_graph(graph *g, const fathom_model *model, const char *name)
{
    const fathom_export_net *e = g->net;
    fathom_message_text(&g->message, GRAPH_NAME, name);
    put_value(g, GRAPH_INPUT, "x", number_type(g), e->d);
    put_value(g, GRAPH_OUTPUT, "output", number_type(g), e->outputs);
    const char *z = put_normalize(g, model);
    put_constant(g, "c", e->constant, e->outputs, -1);
    if (!e->m) {
        put_empty(g, z);
        return;
    }
    put_constant(g, "H", e->hidden, e->m, e->d);
    put_constant(g, "h", e->hidden_shift, e->m, -1);
    put_node(g, "Gemm", "t", (const char *const[]){z, "H", "h"}, "transB", 1);
    if (e->kind == FATHOM_NET_GATED)
        put_gated(g, z);
    else
        put_plain(g);
}

static void put_names(graph *g, const char *name, char *const *text, int64_t count)
{
    fathom_message tensor = {.context = g->message.context};
    put_dimensions(&tensor, count, -1);
    fathom_message_integer(&tensor, TENSOR_TYPE, TYPE_TEXT);
    for (int64_t k = 0; k < count; k++)
        fathom_message_text(&tensor, TENSOR_TEXT, text[k]);
    fathom_message_text(&tensor, TENSOR_NAME, name);
    fathom_message_add(&g->message, GRAPH_CONSTANT, &tensor);
}

/* The rule of fathom_model_predict. */
static void put_label(graph *g, const fathom_model *model)
{
    const bool numbers = fathom_loss_row_of(model->loss)->numbers;
    put_value(g, GRAPH_OUTPUT, "label", TYPE_TEXT, -1);
    put_names(g, "names", model->class_name, model->classes);
    if (g->net->outputs == 1) {
        put_scalar(g, "cut",
                   numbers ? model->class_value[0] / 2 + model->class_value[model->classes - 1] / 2 : 0);
        put_binary(g, "Greater", "above", "output", "cut");
        put_node(g, "Cast", "number", (const char *const[]){"above", NULL, NULL}, "to", TYPE_INTEGER);
    } else {
        put_node(g, "ArgMax", "number", (const char *const[]){"output", NULL, NULL}, "axis", 1);
    }
    put_integers(g, "flat", (const int64_t[]){-1}, 1);
    put_binary(g, "Reshape", "place", "number", "flat");
    put_binary(g, "Gather", "label", "names", "place");
}

static void put_probabilities(graph *g, const fathom_model *model)
{
    put_value(g, GRAPH_OUTPUT, "probabilities", number_type(g), model->classes);
    if (g->net->outputs > 1) {
        put_unary(g, "Softmax", "probabilities", "output");
        return;
    }
    const bool halved = fathom_loss_row_of(model->loss)->halved;
    const char *odds = halved ? "odds" : "output";
    if (halved)
        put_binary(g, "Add", "odds", "output", "output");
    put_unary(g, "Neg", "against", odds);
    put_unary(g, "Sigmoid", "first", "against");
    put_unary(g, "Sigmoid", "second", odds);
    put_node(g, "Concat", "probabilities", (const char *const[]){"first", "second", NULL}, "axis", 1);
}

/* What a classifier says of its outputs; a file with other classes than outputs says nothing. */
static void put_decision(graph *g, const fathom_model *model)
{
    const int64_t outputs = g->net->outputs;
    if (!model->classes || (outputs == 1 ? model->classes != 2 : model->classes != outputs))
        return;
    put_label(g, model);
    if (fathom_loss_row_of(model->loss)->probabilities)
        put_probabilities(g, model);
}

/* PREFIX_0, PREFIX_1, ...: names of classes or columns. */
static void put_entries(fathom_message *message, const fathom_model *model, const char *prefix,
                        char *const *text, int64_t count)
{
    for (int64_t k = 0; text && k < count; k++) {
        char key[32];
        fathom_message entry = {.context = model->context};
        snprintf(key, sizeof key, "%s_%lld", prefix, (long long)k);
        fathom_message_text(&entry, 1, key);
        fathom_message_text(&entry, 2, text[k]);
        fathom_message_add(message, MODEL_META, &entry);
    }
}

fathom_status fathom_model_export_onnx(const fathom_model *model, const char *path,
                                       const fathom_export_options *options)
{
    fathom_export_options defaults;
    fathom_export_net net;
    fathom_options_init(&defaults, &fathom_export_option_table);
    options = options ? options : &defaults;
    if (options->precision > FATHOM_EXPORT_FLOAT)
        return fathom_error_set(model->context, FATHOM_ERROR_USAGE, "ONNX has --precision double or float");
    FATHOM_TRY(fathom_export_net_open(&net, model, options));
    graph g = {.message = {.context = model->context}, .net = &net, .narrow = options->precision == 1};
    fathom_message file = {.context = model->context}, opset = {.context = model->context};
    fathom_message_integer(&file, MODEL_IR, IR_VERSION);
    fathom_message_text(&file, MODEL_PRODUCER, "fathom");
    fathom_message_text(&file, MODEL_PRODUCER_VERSION, fathom_version());
    fathom_message_integer(&opset, 2, OPSET);
    fathom_message_add(&file, MODEL_OPSET, &opset);
    put_graph(&g, model, options->name);
    put_decision(&g, model);
    fathom_message_add(&file, MODEL_GRAPH, &g.message);
    put_entries(&file, model, "class", model->class_name, model->classes);
    put_entries(&file, model, "column", model->column_name, model->columns);
    fathom_status status = file.status;
    FATHOM_THEN(status, fathom_file_write_all(model->context, path, file.data, (size_t)file.size));
    fathom_message_free(&file);
    fathom_export_net_close(&net, model->context);
    return status;
}
