/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions of libraries become return values. The C code between is built with -fexceptions. */
#include "guard.h"

#include <new>

fathom_guarded fathom_guard(void (*call)(void *), void *user)
{
    try {
        call(user);
    } catch (const std::bad_alloc &) {
        return FATHOM_GUARD_MEMORY;
    } catch (...) {
        return FATHOM_GUARD_OTHER;
    }
    return FATHOM_GUARD_QUIET;
}
