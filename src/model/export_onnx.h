/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX graphs under construction: constants, nodes, inputs and outputs. Failures stay in the message's status. */
#ifndef FATHOM_EXPORT_ONNX_H
#define FATHOM_EXPORT_ONNX_H

#include "export_net.h"
#include "fathom/schema.h"
#include "protobuf.h"

#define FATHOM_ONNX_ML "ai.onnx.ml"

/* Types of tensors, fields of the graph. */
enum { FATHOM_ONNX_FLOAT = 1, FATHOM_ONNX_INTEGER = 7, FATHOM_ONNX_TEXT = 8, FATHOM_ONNX_DOUBLE = 11 };
enum { FATHOM_ONNX_NAME = 2, FATHOM_ONNX_INPUT = 11, FATHOM_ONNX_OUTPUT = 12 };

/* Names of values are those of the head comment of export_onnx.c. In graphs that take columns of a table by name
 * they have a prefix, but for the outputs; "=NAME" is the column's name as it is. */
typedef struct fathom_onnx_graph {
    fathom_message message;
    const fathom_export_net *net;
    bool narrow; /* float */
    bool table;
} fathom_onnx_graph;

/* The type of the graph's numbers. */
int fathom_onnx_number(const fathom_onnx_graph *graph);

/* A constant vector (columns < 0) or matrix of numbers; one number; one double in any graph; integers; texts. */
void fathom_onnx_constant(fathom_onnx_graph *graph, const char *name, const double *values, int64_t rows,
                          int64_t columns);
void fathom_onnx_scalar(fathom_onnx_graph *graph, const char *name, double value);
void fathom_onnx_double(fathom_onnx_graph *graph, const char *name, double value);
void fathom_onnx_integers(fathom_onnx_graph *graph, const char *name, const int64_t *values, int64_t count);
void fathom_onnx_texts(fathom_onnx_graph *graph, const char *name, char *const *text, int64_t count);

/* output = type(a, b, c), with one integer attribute; NULL where there is less. */
void fathom_onnx_node(fathom_onnx_graph *graph, const char *type, const char *output,
                      const char *const input[3], const char *attribute, int64_t value);
void fathom_onnx_unary(fathom_onnx_graph *graph, const char *type, const char *output, const char *a);
void fathom_onnx_binary(fathom_onnx_graph *graph, const char *type, const char *output, const char *a,
                        const char *b);

/* output = the columns of the inputs PREFIX0, PREFIX1, ... side by side. */
void fathom_onnx_concatenate(fathom_onnx_graph *graph, const char *output, const char *prefix, int64_t count);

/* output = number of a text among `text` (values[k] for text[k]), -1 where it is none. */
void fathom_onnx_encode(fathom_onnx_graph *graph, const char *output, const char *input,
                        const char *const *text, const int64_t *values, int64_t count);

/* An input or output of the graph: a matrix of any number of rows, a vector where columns < 0. */
void fathom_onnx_value(fathom_onnx_graph *graph, int field, const char *name, int kind, int64_t columns);

/* Whether a table has more than plain numbers; "x" of its columns (export_onnx_table.c). */
bool fathom_onnx_needs_table(const fathom_schema *schema);
void fathom_onnx_put_table(fathom_onnx_graph *graph, const fathom_schema *schema);

#endif
