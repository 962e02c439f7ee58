/* SPDX-License-Identifier: Apache-2.0 */
/* What platform.h promises, on a system where nothing else runs. */
#include <stdio.h>

#include "platform.h"

int main(void)
{
    const double start = fathom_platform_seconds(), used = fathom_platform_thread_seconds();
    volatile double sum = 0;
    for (int k = 0; k < 30000000; k++)
        sum += k;
    const double passed = fathom_platform_seconds() - start, spent = fathom_platform_thread_seconds() - used;
    printf("clock %g s, thread %g s, memory %g, cache %g\n", passed, spent, fathom_platform_memory(),
           fathom_platform_cache());
    return !(passed > 0 && spent >= 0 && fathom_platform_memory() > 0 && fathom_platform_cache() > 0);
}
