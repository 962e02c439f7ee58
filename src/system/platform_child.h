/* SPDX-License-Identifier: Apache-2.0 */
/* Children: other programs, and this one once more. The program is built with this file too: it is no part of what
 * the library exports. */
#ifndef FATHOM_PLATFORM_CHILD_H
#define FATHOM_PLATFORM_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FATHOM_CHILD_PATH = 4096 };

/* A child by its number, or its handle; 0 is none. */
typedef intptr_t fathom_platform_child;

/* Starts the program at `path`, or of that name where it has no folder, or this program where it is NULL. Standard
 * input is empty where `silent`. Its standard output goes to the file `output`, made anew, or where that is NULL to
 * *pipe. 0, or errno. */
int fathom_platform_child_start(fathom_platform_child *child, const char *path, char *const *words,
                                bool silent, const char *output, int *pipe);

/* Bytes that a child has written into the pipe, 0 at the end, -1 where none came within that time. */
int64_t fathom_platform_child_read(int pipe, char *data, size_t size, double seconds);
void fathom_platform_child_close(int pipe);

/* Asks a child to end as Ctrl-C does; ends it. From a handler, too. */
void fathom_platform_child_ask(fathom_platform_child child);
void fathom_platform_child_kill(fathom_platform_child child);

/* Whether a child has ended, waiting for it where `wait`; then its exit code is in *code, -1 where it has none. Whoever
 * has seen it end does not ask again. */
bool fathom_platform_child_ended(int *code, fathom_platform_child child, bool wait);

/* Children of this program end with it, however it ends: the program says so before it starts them, and they listen
 * at their start (where the system can tell them). False: the parent is gone already. */
void fathom_platform_children_adopt(void);
bool fathom_platform_child_follow(void);

/* Where this program lies. */
bool fathom_platform_own_path(char path[FATHOM_CHILD_PATH]);

/* Starts this program once more in its place, with the environment as it is now; returns where it cannot. */
void fathom_platform_restart(char **words);

/* A new folder for temporary files of this user alone; an empty folder is removed. */
bool fathom_platform_make_temporary(char *path, size_t size);
void fathom_platform_remove_folder(const char *path);

#endif
