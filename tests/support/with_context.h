/* SPDX-License-Identifier: Apache-2.0 */
/* A context for all tests of a file: cmocka_run_group_tests(tests, set_up, tear_down). */
#ifndef FATHOM_WITH_CONTEXT_H
#define FATHOM_WITH_CONTEXT_H

#include "testing.h"

static fathom_context *context;

static int set_up(void **state)
{
    (void)state;
    return fathom_context_create(&context, NULL) == FATHOM_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    fathom_context_free(context);
    return 0;
}

#endif
