/* SPDX-License-Identifier: Apache-2.0 */
/* States of a gated run in files; see gated_checkpoint.c. */
#ifndef FATHOM_GATED_CHECKPOINT_H
#define FATHOM_GATED_CHECKPOINT_H

#include "gated_newton.h"
#include "state_file.h"

enum { FATHOM_GATED_DESCRIPTION = 9 };

/* What ties a state to its problem: sizes, loss, penalty and a checksum of x, y, weights and gates. */
/* The checksum carried on over sparse rows. */
uint64_t fathom_gated_hash_sparse(uint64_t hash, const fathom_csr *rows);
void fathom_gated_describe(double number[FATHOM_GATED_DESCRIPTION], const fathom_objective *problem);

/* Adds whole numbers below 2^53 as doubles. */
fathom_status fathom_state_add_whole(fathom_npz_writer *writer, fathom_context *context, const char *name,
                                     const int64_t *value, int64_t count);

fathom_status fathom_gated_run_write(const fathom_gated_run *run, const char *path);
/* A state before the first step: what is resumed from it starts anew. */
fathom_status fathom_gated_run_write_start(const fathom_gated_run *run, const char *path);

/* The run, created for its problem, takes over the state. ERROR_INPUT where the file belongs to another problem. */
fathom_status fathom_gated_run_read(fathom_gated_run *run, const char *path);

#endif
