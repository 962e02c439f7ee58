/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C for programs whose own handler cannot act inside a long call, such as interpreters. */
#ifndef FATHOM_INTERRUPT_H
#define FATHOM_INTERRUPT_H

#include "fathom/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* SIGINT interrupts this context from now on, whatever thread it reaches, and the handler that the program has
 * for it is called after that; NULL ends it. One context at a time. */
FATHOM_API void fathom_context_listen(fathom_context *context);

#ifdef __cplusplus
}
#endif
#endif
