/* SPDX-License-Identifier: Apache-2.0 */
/* --certificate FILE and --verify, the same for all commands that have them: fathom/job.h does the work. */
#include <stdio.h>
#include <string.h>

#include "certified.h"
#include "commands.h"
#include "inner/json.h"
#include "platform_program.h"

#define OWNER cli_certificate_options
static const fathom_option rows_of_options[] = {CLI_CERTIFICATE_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table cli_certificate_option_table =
    FATHOM_OPTION_TABLE("Proof", rows_of_options, cli_certificate_options);

fathom_status cli_job_open(fathom_job **job, cli_invocation *invocation, const char *certificate, bool verify)
{
    const fathom_job_source source = {.spec = invocation->argument[0],
                                      .options = cli_options(invocation, &fathom_data_option_table),
                                      .certificate = certificate,
                                      .verify = verify};
    FATHOM_TRY(fathom_job_open(job, invocation->context, &source));
    const fathom_data_view view = fathom_data_look(fathom_job_look(*job).data);
    return cli_set_shape(invocation, &view);
}

static fathom_status verify(fathom_job *job, cli_invocation *invocation, int *exit_code)
{
    char path[FATHOM_CHILD_PATH];
    fathom_job_verdict verdict;
    if (!platform_find_beside(path, "fathom-check")) /* along PATH, then */
        snprintf(path, sizeof path, "fathom-check");
    fathom_status status = fathom_job_verify(&verdict, job, path);
    if (status != FATHOM_OK || verdict.answer == FATHOM_JOB_NOT_ASKED)
        return status;
    if (verdict.answer == FATHOM_JOB_CUT) {
        cli_say(invocation, "fathom-check was stopped before its end: the proof is not verified");
        *exit_code = EXIT_LIMIT;
        return fathom_json_set_null(invocation->result, "verified");
    }
    cli_say(invocation, "fathom-check %s", verdict.text);
    if (verdict.answer == FATHOM_JOB_REJECTED)
        *exit_code = EXIT_REJECTED;
    return CLI_SET(invocation->result, cli_bool("verified", verdict.answer == FATHOM_JOB_ACCEPTED),
                   cli_when(*verdict.statement, cli_text("certificate_statement", verdict.statement)));
}

/* Says where the certificate is and verifies it where asked for. */
static fathom_status finish(fathom_job *job, cli_invocation *invocation, int *exit_code)
{
    const fathom_job_view view = fathom_job_look(job);
    fathom_status status = FATHOM_OK;
    if (view.certificate) {
        status = CLI_SET(invocation->result, cli_text("certificate", view.certificate),
                         cli_text("certificate_data", view.path));
        cli_say(invocation, "certificate  %s, about %s", view.certificate, view.path);
    }
    return status == FATHOM_OK ? verify(job, invocation, exit_code) : status;
}

fathom_status cli_job_close(fathom_job *job, cli_invocation *invocation, fathom_status status, int *exit_code)
{
    FATHOM_THEN(status, finish(job, invocation, exit_code));
    fathom_job_end(job);
    return status;
}
