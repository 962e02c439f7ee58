/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models for other programs: one C99 file without dependencies, or an ONNX graph.
 *
 * Both take raw columns: normalisation, the constant column and all scales are inside. Their outputs are those of
 * fathom_model_predict up to the rounding of sums in another order; a gate whose product <v, x> is within rounding of
 * zero may then fall the other way. Kernel models (ntk) and image models (convex-rf) have neither form.
 */
#ifndef FATHOM_EXPORT_H
#define FATHOM_EXPORT_H

#include "fathom/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FATHOM_EXPORT_OPTIONS(X)                                                                  \
    X(CHOICE, precision, "precision", "double", 0, 0, "double|float", "numbers of exported code") \
    X(TEXT, name, "name", "fathom_model", 0, 0, "NAME", "prefix of all names in exported code")

FATHOM_OPTIONS_STRUCT(fathom_export_options, FATHOM_EXPORT_OPTIONS)
FATHOM_API extern const fathom_option_table fathom_export_option_table;

/* Writes NAME_predict(x, out), for classifiers NAME_class(out) and NAME_class_name, and, compiled with
 * -DNAME_SELF_TEST, a program that compares a few examples with the outputs computed here: it exits with 0 where all
 * are within the bound on rounding, which is stored beside them. NULL options mean the defaults. */
FATHOM_API fathom_status fathom_model_export_c(const fathom_model *model, const char *path,
                                               const fathom_export_options *options);

/* Writes a graph of opset 13 from "x" (n x columns) to "output" (n x outputs), both of the given precision; names of
 * classes are kept as metadata. `name` is the graph's. */
FATHOM_API fathom_status fathom_model_export_onnx(const fathom_model *model, const char *path,
                                                  const fathom_export_options *options);

#ifdef __cplusplus
}
#endif
#endif
