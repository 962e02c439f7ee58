/* SPDX-License-Identifier: Apache-2.0 */
/* The integrator of stiff systems: a module, or part of the library where modules cannot be had. */
#include "stiff.h"

#include "context_internal.h"
#include "module.h"

#ifdef FATHOM_CVODE_INSIDE

fathom_status fathom_stiff_find(fathom_stiff_run **run, fathom_context *context)
{
    (void)context;
    *run = fathom_cvode_run;
    return FATHOM_OK;
}

#else

static fathom_platform_mutex lock = FATHOM_PLATFORM_MUTEX;
static fathom_platform_function *loaded;

fathom_status fathom_stiff_find(fathom_stiff_run **run, fathom_context *context)
{
    char failure[FATHOM_MODULE_TEXT];
    fathom_status status = FATHOM_OK;
    fathom_platform_mutex_lock(&lock);
    if (!loaded)
        status = fathom_module_find(&loaded, &fathom_module_cvode, failure);
    *run = (fathom_stiff_run *)loaded;
    fathom_platform_mutex_unlock(&lock);
    return status == FATHOM_OK ? status : fathom_error_set(context, status, "late flows: %s", failure);
}

#endif
