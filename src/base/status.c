/* SPDX-License-Identifier: Apache-2.0 */
/* Status texts and exit codes, both read off the one table in fathom/status.h. */
#include "fathom/status.h"

const char *fathom_status_text(fathom_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, exit_code, meaning) \
    case FATHOM_##name:                              \
        return meaning;
        FATHOM_STATUSES(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

int fathom_status_exit_code(fathom_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, exit_code, meaning) \
    case FATHOM_##name:                              \
        return exit_code;
        FATHOM_STATUSES(STATUS_CASE)
#undef STATUS_CASE
    }
    return 1;
}
