/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models for other programs: one C99 file without dependencies, or an ONNX graph.
 *
 * Both take raw columns: normalisation, the constant column and all scales are inside. Their outputs are
 * those of fathom_model_predict up to the rounding of sums in another order; a gate whose product <v, x>
 * is within rounding of zero may then fall the other way. Kernel models (ntk) and image models (convex-rf)
 * have neither form.
 */
#ifndef FATHOM_EXPORT_H
#define FATHOM_EXPORT_H

#include "fathom/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FATHOM_EXPORT_OPTIONS(X)                                                                \
    X(CHOICE, precision, "precision", "double", 0, 0, "double|float|int16|int8",                \
      "numbers of exported code; integers are for --to c and the box of --data")                \
    X(TEXT, name, "name", "fathom_model", 0, 0, "NAME", "prefix of all names in exported code") \
    X(OUTPUT, header, "header-file", NULL, 0, 0, "FILE.h",                                      \
      "--to c: also write a header with the declarations")

typedef enum fathom_export_precision {
    FATHOM_EXPORT_DOUBLE,
    FATHOM_EXPORT_FLOAT,
    FATHOM_EXPORT_INT16,
    FATHOM_EXPORT_INT8
} fathom_export_precision;

FATHOM_OPTIONS_STRUCT(fathom_export_options, FATHOM_EXPORT_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_export_option_table;

/* Writes NAME_predict(x, out), for classifiers NAME_class(out) and NAME_class_name, compiled with
 * -DNAME_PROBABILITY also NAME_probability(out, p), which calls exp, and, compiled with -DNAME_SELF_TEST, a program that compares a few examples with the outputs computed here: it exits with 0
 * where all are within the bound on rounding, which is stored beside them. NULL options mean the defaults. */
FATHOM_API fathom_status fathom_model_export_c(const fathom_model *model, const char *path,
                                               const fathom_export_options *options);

/* How far a model in integers is from the model, over its box of inputs: at most `upper`, rounding
 * included, and somewhere at least `lower`. */
typedef struct fathom_fixed_report {
    double lower, upper;
    int64_t bytes; /* of its constants */
} fathom_fixed_report;

/* Writes a ReLU model in integers (options->precision int16 or int8) for inputs low <= x <= high,
 * `columns` numbers each, as a C99 file: NAME_predict from integers to integers, NAME_quantize before it
 * where there are floating-point numbers, NAME_class, and a self-test. The bound stands in its head and as
 * NAME_DEVIATION. docs/reference/networks.md has the proof. */
FATHOM_API fathom_status fathom_model_export_fixed(fathom_fixed_report *report, const fathom_model *model,
                                                   const char *path, const fathom_export_options *options,
                                                   const double *low, const double *high);

/* Writes a graph of opset 13 from "x" (n x columns) to "output" (n x outputs), both of the given
 * precision; names of classes are kept as metadata. `name` is the graph's. */
FATHOM_API fathom_status fathom_model_export_onnx(const fathom_model *model, const char *path,
                                                  const fathom_export_options *options);

/* Writes one JavaScript file without dependencies, for pages and for Node: NAME.predict(x), label, probabilities and,
 * for models of tables, encode and predictRow. ERROR_USAGE for a precision other than double. */
FATHOM_API fathom_status fathom_model_export_js(const fathom_model *model, const char *path,
                                                const fathom_export_options *options);

#ifdef __cplusplus
}
#endif
#endif
