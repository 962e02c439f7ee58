/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: names and weights of gates. */
#ifndef FATHOM_INNER_GATES_H
#define FATHOM_INNER_GATES_H

#include "fathom/gates.h"
#include "inner/program.h"

/* "auto", "orientations", ... */
FATHOM_PROGRAM const char *fathom_gates_form_name(fathom_gates_form form);

/* Weights of the gates from `count` numbers >= 0, each for gate gate_of[k] (NULL: k), scaled to sum 1. */
fathom_status fathom_gates_weigh(fathom_gates *gates, const double *weight, int64_t count,
                                 const int64_t *gate_of);

#endif
