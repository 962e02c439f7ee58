/* SPDX-License-Identifier: Apache-2.0 */
/* Options as text, one line "name value" for each that is not at its default: what a checkpoint keeps of a command. */
#ifndef FATHOM_OPTION_LINES_H
#define FATHOM_OPTION_LINES_H

#include "fathom/options.h"

/* Gives the lines, to be freed with fathom_memory_free. */
fathom_status fathom_option_lines_write(char **text, fathom_context *context, const void *options,
                                        const fathom_option_table *table);

/* Sets options, initialised before, from lines. Ends of lines in `text` become 0: TEXT options borrow from it. ERROR_USAGE where a name or a
 * value is unknown. */
fathom_status fathom_option_lines_read(fathom_context *context, void *options,
                                       const fathom_option_table *table, char *text);

#endif
