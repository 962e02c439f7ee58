/* SPDX-License-Identifier: Apache-2.0 */
/* What a program does before it looks at its words. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fathom/doctor.h"
#include "stop.h"

/* Sets a variable of the environment that is not set; whether it was so. */
static bool set_default(const char *name, const char *value)
{
    const char *now = getenv(name);
    return value && (!now || !*now) && platform_set_variable(name, value);
}

/* Whether the BLAS must be kept from starting threads: each takes 2^27 bytes of address space, and tries for
 * ever where there are none. On Linux they were kept from it before they were loaded (platform_start.c). */
static bool calm_blas(void)
{
    const char *now = getenv("OPENBLAS_NUM_THREADS");
    if (!platform_is_space_limited() || (now && strcmp(now, "1") == 0))
        return false;
    return platform_set_variable("OPENBLAS_NUM_THREADS", "1");
}

/* Libraries look at the environment when they are loaded, before main. Where it is to be another one the
 * program starts itself once more, which takes a few milliseconds; what is set is left alone, so the second
 * start is the last.
 *
 * Threads of OpenMP that wait for work spin for a while, which on a busy machine or under a quota takes the
 * time of those that have some: up to a hundred times slower. So they wait passively, and the BLAS under
 * LAPACK starts no threads that are never used. It runs on the kernels of a core that fits the processor,
 * where it has chosen a lower one by itself. */
static void settle_environment(char **argv)
{
    const bool core = set_default("OPENBLAS_CORETYPE", fathom_doctor_core_wanted());
    const bool wait = !getenv("GOMP_SPINCOUNT") && set_default("OMP_WAIT_POLICY", "passive");
    if (wait)
        set_default("OPENBLAS_NUM_THREADS", "1");
    const bool calm = calm_blas();
    if (core || wait || calm)
        fathom_platform_restart(argv);
    if (core) /* there is none: all goes on as it is, and `fathom doctor` has a word about it */
        platform_set_variable("OPENBLAS_CORETYPE", NULL);
}

void cli_start(char **argv)
{
    platform_loaded();
    platform_hold_streams();
    settle_environment(argv);
    cli_stop_with_parent();
}
