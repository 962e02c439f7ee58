/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CVODE is a module because SUNDIALS takes MPI along on some systems (Debian 13): its libraries cost time and
 * memory when they are loaded, and late flows alone need them.
 */
#include "module.h"

#include <stdio.h>
#include <string.h>

const fathom_module fathom_module_cvode = {"fathom-cvode.so", "fathom_cvode_run", "CVODE"};

/* Beside this code, in the folder `fathom` there once installed, above the programs of tests. */
static const char *const places[] = {"", "fathom/", "../"};
enum { PLACES = sizeof places / sizeof places[0] };

/* Its path in the first place that has it: true. Else its name alone, which the system looks for. */
static bool look(char *path, size_t size, const char *file)
{
    const char *here = fathom_platform_library((const void *)(uintptr_t)fathom_module_find);
    const int folder = here ? (int)(fathom_platform_name(here) - here) : 0;
    for (int k = 0; k < PLACES && folder > 0; k++) {
        snprintf(path, size, "%.*s%s%s", folder, here, places[k], file);
        if (fathom_platform_exists(path))
            return true;
    }
    snprintf(path, size, "%s", file);
    return false;
}

bool fathom_module_is_there(const fathom_module *module)
{
    char path[FATHOM_PLATFORM_PATH];
    return look(path, sizeof path, module->file);
}

fathom_status fathom_module_find(fathom_platform_function **function, const fathom_module *module,
                                 char failure[FATHOM_MODULE_TEXT])
{
    enum { ROOM = 1 << 26 }; /* bytes of address space that libraries take */
    char path[FATHOM_PLATFORM_PATH];
    look(path, sizeof path, module->file);
    *function = fathom_platform_load(path, module->function);
    if (*function)
        return FATHOM_OK;
    snprintf(failure, FATHOM_MODULE_TEXT, "%s cannot be loaded: %s", module->what,
             fathom_platform_load_failure());
    return fathom_platform_has_space(ROOM) ? FATHOM_ERROR_RUNTIME : FATHOM_ERROR_MEMORY;
}
