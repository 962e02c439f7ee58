/* SPDX-License-Identifier: Apache-2.0 */
/* A context of one thread for all tests of a file. */
#ifndef FATHOM_THEOREM_TESTING_H
#define FATHOM_THEOREM_TESTING_H

#include "testing.h"

#include "fathom/fathom.h"

static int setup(void **state)
{
    if (fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK)
        return 1;
    fathom_context_set_threads(*state, 1);
    return 0;
}

static int teardown(void **state)
{
    fathom_context_free(*state);
    return 0;
}

#endif
