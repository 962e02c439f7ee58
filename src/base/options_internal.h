/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the run-time table of an options list; see fathom/options.h. */
#ifndef FATHOM_OPTIONS_INTERNAL_H
#define FATHOM_OPTIONS_INTERNAL_H

#include "fathom/options.h"

/* Usage, in the source that owns the options:
 *
 *     #define OWNER fathom_thing_options
 *     static const fathom_option rows[] = {FATHOM_THING_OPTIONS(FATHOM_OPTION_ROW)};
 *     #undef OWNER
 *     const fathom_option_table fathom_thing_option_table = FATHOM_OPTION_TABLE("Thing", rows,
 *                                                                              fathom_thing_options);
 */
#define FATHOM_OPTION_ROW(type, field, flag, preset, low, high, values, doc) \
    {flag, FATHOM_OPTION_##type, offsetof(OWNER, field), preset, low, high, values, doc},

#define FATHOM_OPTION_TABLE(title, rows, owner)                                 \
    {                                                                           \
        title, rows, (int64_t)(sizeof(rows) / sizeof((rows)[0])), sizeof(owner) \
    }

#endif
