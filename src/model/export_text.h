/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of exported C that its forms share. */
#ifndef FATHOM_EXPORT_TEXT_H
#define FATHOM_EXPORT_TEXT_H

#include "file_write.h"
#include "fathom/model.h"

/* A string constant; bytes outside printable ASCII as octal, which no following digit can lengthen. */
void fathom_export_put_string(fathom_file *file, const char *text);

/* A number as a C constant: with a point or exponent, and f where it is a float. */
void fathom_export_put_number(fathom_file *file, double value, bool narrow);

/* The array NAME_class_name; nothing for a model without classes. */
void fathom_export_put_class_names(fathom_file *file, const fathom_model *model, const char *name);

/* A C identifier, short enough for every line that is written. */
fathom_status fathom_export_check_name(const fathom_model *model, const char *name);

#endif
