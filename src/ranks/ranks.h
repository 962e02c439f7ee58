/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several processes ("ranks") that run one command together.
 *
 * Every rank runs the same command on the same data and takes the same steps: computations are the same bits for every number of
 * threads, so all ranks hold the same numbers without sending them. Numbered tasks (tasks.h) and blocks of rows (rows.h) are dealt. Rank 0
 * leads: it alone writes files and prints, and its clock and its signals decide. From the moment it stops, at a limit or
 * at Ctrl-C, it goes on alone and the others leave: what follows is short and ends with the best result so far.
 *
 * Ranks meet in an order that is the same for all; one that is somewhere else, or has failed, is found out there.
 * Without a back end there is one rank, and nothing here does anything.
 */
#ifndef FATHOM_RANKS_H
#define FATHOM_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "fathom/context.h"
#include "inner/program.h"

/* What ranks tell each other; as it is in memory, for all run the same program. */
typedef struct fathom_ranks_message {
    int32_t kind, status, stop;
    int64_t sequence, count;
    char text[480];
} fathom_ranks_message;

/* A back end. Rank 0 and the others send each other messages, which arrive in order; everybody takes part in a spread.
 * `receive` may be called by any thread, the rest by the one that the program began with. */
typedef struct fathom_ranks {
    int rank, count;
    const char *place; /* the name of this rank's machine */
    void (*send)(int to, const fathom_ranks_message *message);
    bool (*receive)(fathom_ranks_message *message, int from); /* false: there is none yet */
    void (*spread)(void *bytes, int64_t size, int from);      /* from one rank to all */
    void (*leave)(void); /* ends a rank that does not lead; does not return */
} fathom_ranks;

/* Begins with this back end (borrowed); to be called by the thread that the program began with. */
FATHOM_PROGRAM void fathom_ranks_use(const fathom_ranks *ranks);

/* Whether this rank writes files and prints. */
FATHOM_PROGRAM bool fathom_ranks_lead(void);

/* Whether tasks are dealt to several ranks from here: not inside a task or a parallel loop, nor after a stop. */
FATHOM_PROGRAM bool fathom_ranks_several(void);

/* From here on rank 0 goes on alone; the others do not return from this call. */
FATHOM_PROGRAM void fathom_ranks_part(void);

/* What there is to say about a failure of this rank, for rank 0. */
FATHOM_PROGRAM void fathom_ranks_note(const char *text);

/* The end of the command on this rank, with its exit code. Only rank 0 returns. */
FATHOM_PROGRAM void fathom_ranks_end(int exit_code);

/* Where the ranks agree that all goes well: everybody comes with its status, and leaves with the first that is not
 * OK. *alone: rank 0 was stopped and has parted from the others. `count` must be the same for all. */
fathom_status fathom_ranks_meet(bool *alone, fathom_context *context, int64_t count, fathom_status status);

/* Bytes from one rank to all, between two meetings. */
void fathom_ranks_spread(void *bytes, int64_t size, int from);

int fathom_ranks_count(void);
int fathom_ranks_rank(void);

/* The bytes of a file as rank 0 reads them, on every rank; *size of them (from fathom_memory_alloc). */
FATHOM_PROGRAM fathom_status fathom_ranks_share(void **bytes, int64_t *size, fathom_context *context,
                                                const char *path);

/* ERROR_INPUT where `what` has another checksum on some rank. */
fathom_status fathom_ranks_agree(fathom_context *context, uint64_t hash, const char *what);

#endif
