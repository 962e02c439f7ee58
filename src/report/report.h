/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: results in JSON to one self-contained HTML page. */
#ifndef FATHOM_REPORT_H
#define FATHOM_REPORT_H

#include "fathom/context.h"

typedef struct fathom_report_result {
    int64_t pages;  /* sections, one per file */
    int64_t charts; /* charts on all of them */
} fathom_report_result;

/* Writes a page that shows the results in `files` (JSON objects as printed by --json). The page needs no network. */
fathom_status fathom_report_write(fathom_report_result *result, fathom_context *context, const char *output,
                                  const char *const *files, int64_t count);

#endif
