/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bugs that a compiler can see; WARNING chooses one. */
#include <stdint.h>

int32_t planted(int64_t wide, unsigned count);

int32_t planted(int64_t wide, unsigned count)
{
#if WARNING == 1 /* -Wconversion */
    const int32_t narrow = wide;
    return narrow + (int32_t)count;
#elif WARNING == 2 /* -Wshadow */
    for (int32_t wide = 0; wide < 3; wide++)
        count += (unsigned)wide;
    return (int32_t)(wide + count);
#elif WARNING == 3 /* -Wextra: -Wsign-compare */
    const int32_t limit = (int32_t)wide;
    return limit < count;
#elif WARNING == 4 /* -Wall: -Wunused-variable */
    int32_t unused;
    return (int32_t)(wide + count);
#else
    return (int32_t)(wide + count);
#endif
}
