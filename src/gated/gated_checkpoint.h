/* SPDX-License-Identifier: Apache-2.0 */
/* States of a gated run in files; see gated_checkpoint.c. */
#ifndef FATHOM_GATED_CHECKPOINT_H
#define FATHOM_GATED_CHECKPOINT_H

#include "gated_newton.h"

fathom_status fathom_gated_run_write(const fathom_gated_run *run, const char *path);

/* The run, created for its problem, takes over the state. ERROR_INPUT where the file belongs to another problem. */
fathom_status fathom_gated_run_read(fathom_gated_run *run, const char *path);

#endif
