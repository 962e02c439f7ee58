/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "stop.h"

/* Threads of OpenMP that wait for work spin for a while, which on a busy machine or under a quota takes the time of those that have
 * some: up to a hundred times slower. Runtimes read how to wait when they are loaded, before main, so the
 * program starts itself once more with a passive policy, unless the user has chosen one; a few milliseconds. Likewise the
 * BLAS under LAPACK starts no threads that are never used. */
static void wait_passively(char **argv)
{
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT"))
        return;
    if (setenv("OMP_WAIT_POLICY", "passive", 0) == 0 && setenv("OPENBLAS_NUM_THREADS", "1", 0) == 0)
        execv("/proc/self/exe", argv); /* where there is none, all goes on as it is */
}

int main(int argc, char **argv)
{
    wait_passively(argv);
    cli_stop_with_parent();
    return cli_main(argc, argv, NULL);
}
