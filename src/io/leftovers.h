/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders that are there only while something is written: named here, so that a sudden end of the
 * process can take them along (fathom_files_abandon). */
#ifndef FATHOM_LEFTOVERS_H
#define FATHOM_LEFTOVERS_H

/* Between them a file is made and named here, or named otherwise: a sudden end waits for it, whichever thread it comes on.
 * They nest. */
void fathom_leftover_hold(void);
void fathom_leftover_release(void);

/* The number of the entry, 0 where there is no room for another: that file would then stay. */
int fathom_leftover_add(const char *path);

/* The file stays or is gone; nothing for 0. */
void fathom_leftover_drop(int entry);

#endif
