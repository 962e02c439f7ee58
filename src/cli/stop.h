/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and signals end every command: the computation is asked first, and GRACE seconds later the program
 * ends. */
#ifndef FATHOM_CLI_STOP_H
#define FATHOM_CLI_STOP_H

#include <stdbool.h>

#include "fathom/context.h"
#include "platform_program.h"

/* From here on Ctrl-C and SIGTERM ask the context to end; the second one ends the program. */
void cli_stop_watch(fathom_context *context);

/* With --json, whoever is ended inside a step that cannot be cut short still prints an object with `error`
 * and `code`: that of this command. NULL: none, for the result is being printed. */
void cli_stop_say(const char *command);

/* The program ends GRACE seconds after the limit, if it has not by then. */
void cli_stop_at(double seconds);

/* Nothing is watched any more. */
void cli_stop_end(void);

/* Waits for a child, which hears of an interruption at once and is ended GRACE seconds later; likewise at the
 * time limit, counted by the context's clock (negative: none). Its exit code, -1 where it has none; *cut: it
 * was asked to end. */
int cli_stop_wait(bool *cut, fathom_platform_child child, const fathom_context *context, double time_limit);

/* Whoever started this program takes it along when it ends, even by SIGKILL; called at the start. */
void cli_stop_with_parent(void);

#endif
