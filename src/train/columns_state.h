/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States of training over all ReLU networks in files: the upper side (columns_state.c), the bound (global_state.c) and its
 * tree (sign_state.c). Everything that a later step reads is stored as it is, so that a resumed run takes the steps that the
 * first one would have taken, bit for bit.
 */
#ifndef FATHOM_COLUMNS_STATE_H
#define FATHOM_COLUMNS_STATE_H

#include "global_search.h"
#include "relu_columns.h"
#include "state_file.h"

/* Where the turns of upper and lower side stand. */
typedef struct fathom_columns_turns {
    int64_t turn, rounds;  /* turns done before this one; rounds of the upper side */
    bool above, below;     /* the sides that this turn has been through */
    int64_t grown, idle;   /* rounds of growth in this turn, the last of them without gain */
    double spent;          /* effort of the lower side in this turn */
    double seconds, share; /* effort of the lower side; how closely the upper side looks */
    double before, lower;  /* objective after the turn before, bound before this one */
} fathom_columns_turns;

/* Writes the state to `path`, whole or not at all. */
fathom_status fathom_columns_write(const fathom_columns *a, const fathom_columns_turns *turns,
                                   const char *path);

/* Adds the bound of a run that a limit has cut short to the state in `path`, which is that of the step before. */
fathom_status fathom_columns_note_bound(const fathom_columns *a, const char *path);

/* Columns and bound, opened for their problem with beta, take over a state. ERROR_INPUT where it belongs to another problem or
 * makes no sense. */
fathom_status fathom_columns_read(fathom_columns *a, fathom_columns_turns *turns, const char *path);

/* Their parts: members of the archive. Writing fails for want of memory alone; the commit tells the rest. */
fathom_status fathom_global_bound_write(fathom_npz_writer *writer, const fathom_global_bound *bound);
fathom_status fathom_global_bound_read(fathom_global_bound *bound, const fathom_npz *npz, const char *path);

/* One of the texts that a bound may carry. */
/* The best bound of a run that was cut short after the state, without what led to it; read into a new
 * `floor`, with what this process proves of it with the search of `bound`. */
void fathom_global_floor_write(fathom_npz_writer *writer, const fathom_global_bound *bound);
fathom_status fathom_global_floor_read(fathom_global_bound *floor, const fathom_global_bound *bound,
                                       const fathom_npz *npz, const char *path);
fathom_status fathom_sign_tree_write(fathom_npz_writer *writer, const fathom_sign_tree *tree);

/* The tree is open with its roots, which are replaced. */
fathom_status fathom_sign_tree_read(fathom_sign_tree *tree, const fathom_npz *npz, const char *path);

#endif
