/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of expressions: columns in, columns or numbers out. expression.h names them. */
#ifndef FATHOM_EXPRESSION_FUNCTIONS_H
#define FATHOM_EXPRESSION_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* A column of numbers, or one number (count 1); there is room for one number at least. */
typedef struct fathom_expression_column {
    double *value;
    int64_t count;
} fathom_expression_column;

/* first = name(first, second) in place; the second argument may be missing (count -1). False: no such
 * function of such arguments. */
bool fathom_expression_call(fathom_expression_column *first, const char *name,
                            fathom_expression_column *second);

#endif
