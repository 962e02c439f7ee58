/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model as an ONNX graph, opset 13, from x (n x columns) to output (n x outputs); for classifiers also to label
 * (n texts) and, where outputs are log odds, to probabilities (n x classes). Models of tables with more than plain
 * numbers take the columns of the table by name, and x is made of them (export_onnx_table.c).
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
#include "export_onnx.h"
#include "file_write.h"
#include "loss_row.h"
#include "memory.h"
#include "model_internal.h"

enum { IR_VERSION = 7, OPSET = 13, OPSET_ML = 2 };
enum {
    MODEL_IR = 1,
    MODEL_PRODUCER = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    MODEL_META = 14
};

/* z: the name of the normalised input. */
static const char *put_normalize(fathom_onnx_graph *g, const fathom_model *model)
{
    if (model->normalize == FATHOM_NORMALIZE_STANDARDIZE) {
        fathom_onnx_constant(g, "mean", model->mean, g->net->d, -1);
        fathom_onnx_constant(g, "scale", model->scale, g->net->d, -1);
        fathom_onnx_binary(g, "Sub", "centred", "x", "mean");
        fathom_onnx_binary(g, "Div", "z", "centred", "scale");
        return "z";
    }
    if (model->normalize != FATHOM_NORMALIZE_UNIT)
        return "x";
    fathom_onnx_scalar(g, "zero", 0);
    fathom_onnx_integers(g, "last", (const int64_t[]){1}, 1);
    fathom_onnx_binary(g, "Mul", "squares", "x", "x");
    fathom_onnx_node(g, "ReduceSum", "sum", (const char *const[]){"squares", "last", NULL}, "keepdims", 1);
    fathom_onnx_unary(g, "Sqrt", "norm", "sum");
    fathom_onnx_binary(g, "Equal", "empty", "norm", "zero");
    fathom_onnx_node(g, "Cast", "one", (const char *const[]){"empty", NULL, NULL}, "to",
                     fathom_onnx_number(g));
    fathom_onnx_binary(g, "Add", "divisor", "norm", "one");
    fathom_onnx_binary(g, "Div", "z", "x", "divisor");
    return "z";
}

/* "s": the activation of "t". */
static void put_activation(fathom_onnx_graph *g)
{
    if (g->net->kind == FATHOM_NET_RELU) {
        fathom_onnx_unary(g, "Relu", "s", "t");
        return;
    }
    fathom_onnx_scalar(g, "parameter", g->net->parameter);
    if (g->net->kind == FATHOM_NET_LEAKY) {
        fathom_onnx_binary(g, "Mul", "leak", "t", "parameter");
        fathom_onnx_binary(g, "Max", "s", "t", "leak");
        return;
    }
    fathom_onnx_scalar(g, "origin", 0);
    fathom_onnx_scalar(g, "half", 0.5);
    fathom_onnx_binary(g, "Min", "below", "t", "parameter");
    fathom_onnx_binary(g, "Max", "q", "below", "origin");
    fathom_onnx_binary(g, "Mul", "half_q", "q", "half");
    fathom_onnx_binary(g, "Sub", "rest", "t", "half_q");
    fathom_onnx_binary(g, "Mul", "area", "q", "rest");
    fathom_onnx_binary(g, "Div", "s", "area", "parameter");
}

static void put_plain(fathom_onnx_graph *g)
{
    const fathom_export_net *e = g->net;
    put_activation(g);
    fathom_onnx_constant(g, "A", e->output, e->m, e->outputs);
    fathom_onnx_node(g, "Gemm", "output", (const char *const[]){"s", "A", "c"}, NULL, 0);
}

static void put_gated(fathom_onnx_graph *g, const char *z)
{
    const fathom_export_net *e = g->net;
    fathom_onnx_constant(g, "A", e->output, e->m * e->outputs, e->d);
    fathom_onnx_constant(g, "g", e->output_shift, e->m * e->outputs, -1);
    fathom_onnx_scalar(g, "threshold", 0);
    fathom_onnx_integers(g, "cube", (const int64_t[]){-1, e->m, e->outputs}, 3);
    fathom_onnx_integers(g, "column", (const int64_t[]){-1, e->m, 1}, 3);
    fathom_onnx_integers(g, "neurons", (const int64_t[]){1}, 1);
    fathom_onnx_binary(g, "Greater", "on", "t", "threshold");
    fathom_onnx_node(g, "Cast", "gate", (const char *const[]){"on", NULL, NULL}, "to", fathom_onnx_number(g));
    fathom_onnx_binary(g, "Reshape", "gate_cube", "gate", "column");
    fathom_onnx_node(g, "Gemm", "linear", (const char *const[]){z, "A", "g"}, "transB", 1);
    fathom_onnx_binary(g, "Reshape", "linear_cube", "linear", "cube");
    fathom_onnx_binary(g, "Mul", "s", "linear_cube", "gate_cube");
    fathom_onnx_node(g, "ReduceSum", "total", (const char *const[]){"s", "neurons", NULL}, "keepdims", 0);
    fathom_onnx_binary(g, "Add", "output", "total", "c");
}

/* No neurons: the constant, once per row of x. */
static void put_empty(fathom_onnx_graph *g, const char *z)
{
    double *zero = fathom_memory_zero(g->message.context, g->net->d * g->net->outputs, sizeof *zero);
    if (!zero) {
        g->message.status = FATHOM_ERROR_MEMORY;
        return;
    }
    fathom_onnx_constant(g, "A", zero, g->net->d, g->net->outputs);
    fathom_memory_free(g->message.context, zero);
    fathom_onnx_node(g, "Gemm", "output", (const char *const[]){z, "A", "c"}, NULL, 0);
}

static void put_graph(fathom_onnx_graph *g, const fathom_model *model, const char *name)
{
    const fathom_export_net *e = g->net;
    fathom_message_text(&g->message, FATHOM_ONNX_NAME, name);
    if (g->table)
        fathom_onnx_put_table(g, model->schema);
    else
        fathom_onnx_value(g, FATHOM_ONNX_INPUT, "x", fathom_onnx_number(g), e->d);
    fathom_onnx_value(g, FATHOM_ONNX_OUTPUT, "output", fathom_onnx_number(g), e->outputs);
    const char *z = put_normalize(g, model);
    fathom_onnx_constant(g, "c", e->constant, e->outputs, -1);
    if (!e->m) {
        put_empty(g, z);
        return;
    }
    fathom_onnx_constant(g, "H", e->hidden, e->m, e->d);
    fathom_onnx_constant(g, "h", e->hidden_shift, e->m, -1);
    fathom_onnx_node(g, "Gemm", "t", (const char *const[]){z, "H", "h"}, "transB", 1);
    if (e->kind == FATHOM_NET_GATED)
        put_gated(g, z);
    else
        put_plain(g);
}

/* The rule of fathom_model_predict. */
static void put_label(fathom_onnx_graph *g, const fathom_model *model)
{
    const bool numbers = fathom_loss_row_of(model->loss)->numbers;
    fathom_onnx_value(g, FATHOM_ONNX_OUTPUT, "label", FATHOM_ONNX_TEXT, -1);
    fathom_onnx_texts(g, "names", model->class_name, model->classes);
    if (g->net->outputs == 1) {
        fathom_onnx_scalar(
            g, "cut", numbers ? model->class_value[0] / 2 + model->class_value[model->classes - 1] / 2 : 0);
        fathom_onnx_binary(g, "Greater", "above", "output", "cut");
        fathom_onnx_node(g, "Cast", "number", (const char *const[]){"above", NULL, NULL}, "to",
                         FATHOM_ONNX_INTEGER);
    } else {
        fathom_onnx_node(g, "ArgMax", "number", (const char *const[]){"output", NULL, NULL}, "axis", 1);
    }
    fathom_onnx_integers(g, "flat", (const int64_t[]){-1}, 1);
    fathom_onnx_binary(g, "Reshape", "place", "number", "flat");
    fathom_onnx_binary(g, "Gather", "label", "names", "place");
}

static void put_probabilities(fathom_onnx_graph *g, const fathom_model *model)
{
    fathom_onnx_value(g, FATHOM_ONNX_OUTPUT, "probabilities", fathom_onnx_number(g), model->classes);
    if (g->net->outputs > 1) {
        fathom_onnx_unary(g, "Softmax", "probabilities", "output");
        return;
    }
    const bool halved = fathom_loss_row_of(model->loss)->halved;
    const char *odds = halved ? "odds" : "output";
    if (halved)
        fathom_onnx_binary(g, "Add", "odds", "output", "output");
    fathom_onnx_unary(g, "Neg", "against", odds);
    fathom_onnx_unary(g, "Sigmoid", "first", "against");
    fathom_onnx_unary(g, "Sigmoid", "second", odds);
    fathom_onnx_node(g, "Concat", "probabilities", (const char *const[]){"first", "second", NULL}, "axis", 1);
}

/* What a classifier says of its outputs; a file with other classes than outputs says nothing. */
static void put_decision(fathom_onnx_graph *g, const fathom_model *model)
{
    const int64_t outputs = g->net->outputs;
    if (!model->classes || (outputs == 1 ? model->classes != 2 : model->classes != outputs))
        return;
    put_label(g, model);
    if (fathom_loss_row_of(model->loss)->probabilities)
        put_probabilities(g, model);
}

/* The sets of operators: that of the texts of tables has a name. */
static void put_opsets(fathom_message *file, bool table)
{
    for (int k = 0; k <= table; k++) {
        fathom_message opset = {.context = file->context};
        if (k)
            fathom_message_text(&opset, 1, FATHOM_ONNX_ML);
        fathom_message_integer(&opset, 2, k ? OPSET_ML : OPSET);
        fathom_message_add(file, MODEL_OPSET, &opset);
    }
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
    fathom_onnx_graph g = {
        .message = {.context = model->context}, .net = &net, .narrow = options->precision == 1};
    g.table = fathom_onnx_needs_table(model->schema);
    fathom_message file = {.context = model->context};
    fathom_message_integer(&file, MODEL_IR, IR_VERSION);
    fathom_message_text(&file, MODEL_PRODUCER, "fathom");
    fathom_message_text(&file, MODEL_PRODUCER_VERSION, fathom_version());
    put_opsets(&file, g.table);
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
