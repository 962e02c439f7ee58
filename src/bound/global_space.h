/* SPDX-License-Identifier: Apache-2.0 */
/* The space of output directions that prices of several outputs are about; see global_space.c. */
#ifndef FATHOM_GLOBAL_SPACE_H
#define FATHOM_GLOBAL_SPACE_H

#include "objective.h"
#include "proof.h"

/* k dimensions with an orthonormal basis q (k x outputs): that of all outputs, or, where rows of V sum to 0, of the c with sum 0, whose axes are
 * the differences (e_a - e_o) / sqrt(2). */
typedef struct fathom_output_space {
    int64_t k, outputs;
    double *q, *axis; /* axis k x k: in the coordinates of q */
} fathom_output_space;

/* Whether rows of dual points sum to 0. */
bool fathom_output_differences(const fathom_objective *problem);

fathom_status fathom_output_space_open(fathom_output_space *space, fathom_context *context, int64_t outputs,
                                       bool differences);
void fathom_output_space_close(fathom_output_space *space, fathom_context *context);

/* A cover in coordinates of the space becomes one in those of the outputs, with axes e_a - e_o as they are. */
void fathom_output_space_leave(fathom_proof *proof, const fathom_output_space *space);

/* The length of direction `number` in such a certificate: axes e_a - e_o are longer than 1. */
double fathom_output_length(const fathom_output_space *space, int64_t number);

#endif
