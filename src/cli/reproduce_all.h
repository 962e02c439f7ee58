/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `fathom reproduce`: one item, all of them, runs of the program itself. */
#ifndef FATHOM_REPRODUCE_ALL_H
#define FATHOM_REPRODUCE_ALL_H

#include "cli.h"
#include "reproduce.h"

/* folder/002-fig1 for the item 002:fig1. */
void cli_reproduce_place(char *place, size_t size, const char *folder, const char *id);

/* Reproduces item k in a folder of its own, into `result`, an empty object; *stopped: the time limit ended
 * it. */
fathom_status cli_reproduce_item(bool *stopped, fathom_json *result, cli_invocation *invocation,
                                 const fathom_reproduce *list, int64_t k, const char *folder);

/* All items that take at most `minutes`; those whose results are there are kept. Leaves folder/summary.json
 * and folder/index.html, also where it was interrupted. An item that fails is noted, and the others follow;
 * none follows the time limit. */
fathom_status cli_reproduce_all(bool *stopped, cli_invocation *invocation, const fathom_reproduce *list,
                                const char *folder, bool quick, double minutes);

#endif
