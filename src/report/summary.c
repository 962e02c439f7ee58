/* SPDX-License-Identifier: Apache-2.0 */
/* Many items on one page: of each its claim, its criteria and its verdict; the rest stands on the page of the item. */
#include "inner/json.h"
#include "reproduce.h"

#include <stdio.h>

#include "context_internal.h"
#include "report.h"
#include "json_internal.h"

enum { PATH = 4096 };

fathom_status fathom_reproduce_summary_add(fathom_json *list, const fathom_json *result, const char *page)
{
    static const char *const members[] = {"id",    "paper",   "what",     "claim",    "note",    "why",
                                          "quick", "missing", "criteria", "readings", "verdict", "error"};
    fathom_json *row;
    fathom_status status = fathom_json_append_object(list, &row);
    for (size_t k = 0; k < sizeof members / sizeof *members && status == FATHOM_OK; k++)
        if (fathom_json_has(result, members[k]))
            status = fathom_json_set_member(row, members[k], result, members[k]);
    return status == FATHOM_OK ? fathom_json_set_text(row, "page", page) : status;
}

fathom_status fathom_reproduce_summary_write(const fathom_json *summary, const char *folder)
{
    char file[PATH], page[PATH];
    const char *const name = file;
    fathom_report_result report;
    snprintf(file, sizeof file, "%.3000s/summary.json", folder);
    snprintf(page, sizeof page, "%.3000s/index.html", folder);
    FATHOM_TRY(fathom_json_write(summary, file, true));
    return fathom_report_write(&report, fathom_json_context(summary), page, &name, 1);
}
