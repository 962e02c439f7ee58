/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sudden end would leave behind: see the header.
 *
 * A signal may come at any moment and on any thread, so the entries are fixed places with a state each: FREE, TAKEN
 * while one thread writes its path, SET. The handler looks at those that are SET, the last first, since a folder
 * stands before its files. A file that is made and not named yet would be missed: that section holds signals off its
 * own thread, and a handler on another one waits until all are out of it and lets none in.
 */
#include "leftovers.h"

#include <stdatomic.h>
#include <stdio.h>

#include "inner/files.h"
#include "platform.h"
#include "platform_child.h"

enum { ENTRIES = 32, FREE = 0, TAKEN, SET };
enum { NAPS = 2000 }; /* of a millisecond each: a disk that does not answer keeps no process from its end */

static atomic_int inside;       /* threads in such a section */
static atomic_bool ending;      /* a handler is at work */
static _Thread_local int depth; /* sections of this thread */

static struct {
    atomic_int state;
    char path[FATHOM_PLATFORM_PATH];
} entries[ENTRIES];

void fathom_leftover_hold(void)
{
    if (depth++ > 0)
        return;
    fathom_platform_hold_signals(true);
    atomic_fetch_add(&inside, 1);
    while (atomic_load(&ending)) {
        atomic_fetch_sub(&inside, 1);
        fathom_platform_nap();
        atomic_fetch_add(&inside, 1);
    }
}

void fathom_leftover_release(void)
{
    if (--depth > 0)
        return;
    atomic_fetch_sub(&inside, 1);
    fathom_platform_hold_signals(false);
}

int fathom_leftover_add(const char *path)
{
    for (int k = 0; k < ENTRIES; k++) {
        int state = FREE;
        if (!atomic_compare_exchange_strong(&entries[k].state, &state, TAKEN))
            continue;
        const int length = snprintf(entries[k].path, sizeof entries[k].path, "%s", path);
        const bool whole = length >= 0 && length < (int)sizeof entries[k].path;
        atomic_store(&entries[k].state, whole ? SET : FREE);
        return whole ? k + 1 : 0;
    }
    return 0;
}

void fathom_leftover_drop(int entry)
{
    if (entry > 0)
        atomic_store(&entries[entry - 1].state, FREE);
}

void fathom_files_abandon(void)
{
    atomic_store(&ending, true);
    for (int k = 0; k < NAPS && atomic_load(&inside) > 0; k++)
        fathom_platform_nap();
    for (int k = ENTRIES - 1; k >= 0; k--)
        if (atomic_load(&entries[k].state) == SET && !fathom_platform_remove(entries[k].path))
            fathom_platform_remove_folder(entries[k].path);
    atomic_store(&ending, false);
}
