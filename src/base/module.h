/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: parts of the library that lie beside it and are loaded when they are first needed. */
#ifndef FATHOM_MODULE_H
#define FATHOM_MODULE_H

#include "fathom/status.h"
#include "platform.h"

enum { FATHOM_MODULE_TEXT = 512 };

/* One function of one file. */
typedef struct fathom_module {
    const char *file, *function, *what;
} fathom_module;

/* CVODE for stiff systems; its function is of type fathom_stiff_run. */
extern const fathom_module fathom_module_cvode;

/* Whether its file lies where this library looks for it; nothing is loaded. */
bool fathom_module_is_there(const fathom_module *module);

/* The module's function; it stays loaded. Where it cannot be had `failure` says why: ERROR_MEMORY where the
 * address space is full, ERROR_RUNTIME otherwise. */
fathom_status fathom_module_find(fathom_platform_function **function, const fathom_module *module,
                                 char failure[FATHOM_MODULE_TEXT]);

#endif
