/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands with --certificate and --verify share: the job that the library runs, and what is said
 * of it. */
#ifndef FATHOM_CERTIFIED_H
#define FATHOM_CERTIFIED_H

#include "cli.h"

/* Opens the command's DATA as a job. */
fathom_status cli_job_open(fathom_job **job, cli_invocation *invocation, const char *certificate,
                           bool verify);

/* At the end of the command, which has come to `status`: says where the certificate is, verifies it where
 * asked for (exit code 4 where it is rejected, 3 where a limit came first), ends the job. */
fathom_status cli_job_close(fathom_job *job, cli_invocation *invocation, fathom_status status,
                            int *exit_code);

#endif
