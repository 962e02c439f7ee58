/* SPDX-License-Identifier: Apache-2.0 */
/* fathom report FILE... -o report.html: results in JSON to one self-contained page. */
#include "commands.h"
#include "report.h"

fathom_status cli_run_report(cli_invocation *invocation, int *exit_code)
{
    fathom_report_result report;
    (void)exit_code;
    const char *output = invocation->run.output ? invocation->run.output : "report.html";
    FATHOM_TRY(fathom_report_write(&report, invocation->context, output, invocation->argument,
                                   invocation->argument_count));
    FATHOM_TRY(CLI_SET(invocation->result, cli_integer("pages", report.pages),
                       cli_integer("charts", report.charts)));
    cli_say(invocation, "%s: %lld results, %lld charts", output, (long long)report.pages,
            (long long)report.charts);
    return FATHOM_OK;
}
