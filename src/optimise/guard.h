/* SPDX-License-Identifier: Apache-2.0 */
/* The border to libraries in C++: what they throw ends here. */
#ifndef FATHOM_GUARD_H
#define FATHOM_GUARD_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fathom_guarded { FATHOM_GUARD_QUIET, FATHOM_GUARD_MEMORY, FATHOM_GUARD_OTHER } fathom_guarded;

/* Runs call(user) and says what was thrown: nothing, std::bad_alloc, or anything else. */
fathom_guarded fathom_guard(void (*call)(void *), void *user);

#ifdef __cplusplus
}
#endif
#endif
