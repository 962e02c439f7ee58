/* SPDX-License-Identifier: Apache-2.0 */
/* What the program needs of the system beyond the C library and libfathom: signals, an alarm, the terminal, the
 * environment, folders; children by the file that the library has for them. No other file of the command line includes a header of a system. */
#ifndef FATHOM_PLATFORM_PROGRAM_H
#define FATHOM_PLATFORM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform_child.h"

/* A stream that was closed before the program began leaves its number to the next file that is opened, and what is
 * printed would go there: such numbers are taken. */
void platform_hold_streams(void);

/* Calls `ask` at Ctrl-C and where the system asks the program to end, `alarm` when the alarm is due. Both may come
 * at any moment, on any thread, and do no more than that allows. */
void platform_listen(void (*ask)(void), void (*alarm)(void));

/* The alarm is due in that many seconds, 0: never. */
void platform_set_alarm(double seconds);

/* Text to standard output, past its buffer; safe in a handler. */
void platform_put(const char *text);

/* Ends the program at once with a text on standard error, NULL for none; nothing is flushed. */
_Noreturn void platform_end(int exit_code, const char *text);

bool platform_set_variable(const char *name, const char *value); /* NULL: removed */

/* The file of another program that is installed beside this one; false where there is none that can be run. */
bool platform_find_beside(char path[FATHOM_CHILD_PATH], const char *name);

/* Whether the address space of this process is limited. */
bool platform_is_space_limited(void);

/* To be called first by main: what watched over the libraries while they were loaded ends. */
void platform_loaded(void);

/* Columns of the terminal behind standard error, 0 where it is none. */
int platform_terminal_width(void);

/* Whether standard output, or standard error, is a terminal that knows colours. */
bool platform_has_colours(bool error);

void platform_pause(double seconds);

bool platform_make_folder(const char *path);

#endif
