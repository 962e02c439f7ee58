/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sudden end would leave behind: see the header.
 *
 * A signal may come at any moment and on any thread, so the entries are fixed places with a state each: FREE, TAKEN
 * while one thread writes its path, SET. The handler looks at those that are SET, the last first, since a folder
 * stands before its files.
 */
#include "leftovers.h"

#include <stdatomic.h>
#include <stdio.h>

#include "fathom/files.h"
#include "platform.h"
#include "platform_child.h"

enum { ENTRIES = 32, FREE = 0, TAKEN, SET };

static struct {
    atomic_int state;
    char path[FATHOM_PLATFORM_PATH];
} entries[ENTRIES];

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
    for (int k = ENTRIES - 1; k >= 0; k--)
        if (atomic_load(&entries[k].state) == SET && !fathom_platform_remove(entries[k].path))
            fathom_platform_remove_folder(entries[k].path);
}
